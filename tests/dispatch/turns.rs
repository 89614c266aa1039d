//! Turns of waves that wait for each other. Words by llvm-mc 14 for gfx900; expected values follow from the code, and
//! from what docs/gcn/dispatch.md says of turns.

use gcnsim::Outcome;
use gcnsim_device::args::ArgValue;
use gcnsim_engine::{EngineKind, RunOptions};
use gcnsim_launches::launch::LaunchSpec;
use gcnsim_launches::{DispatchOptions, LaunchResult, launch};

use crate::memory::{dwords, object};

/// v_readfirstlane_b32 s8, v0; s_lshr_b32 s8, s8, 6; s_sub_u32 s9, 3, s8; s_load_dwordx2 s[6:7], s[0:1], 0x0;
/// v_mov_b32 v1, 0; s_mov_b64 exec, 1; v_mov_b32 v3, 1; s_mov_b32 s11, 0
///
/// Afterwards s8 is the number of the wave, and s9 how many waves are behind it in a group of four.
const BEFORE: [u32; 9] = [
    0x7e10_0500,
    0x8f08_8608,
    0x8089_0883,
    0xc006_0180,
    0x0000_0000,
    0x7e02_0280,
    0xbefe_0181,
    0x7e06_0281,
    0xbe8b_0080,
];

/// s_lshl_b32 s8, s8, 2; v_mov_b32 v5, s8; v_mov_b32 v4, s10; s_waitcnt lgkmcnt(0);
/// global_store_dword v5, v4, s[6:7]; s_endpgm
const AFTER: [u32; 7] = [0x8e08_8208, 0x7e0a_0208, 0x7e08_020a, 0xbf8c_c07f, 0xdc70_8000, 0x0006_0405, 0xbf81_0000];

/// wait: ds_read_b32 v2, v1; s_waitcnt lgkmcnt(0); v_readfirstlane_b32 s10, v2; s_cmp_lg_u32 s10, s9;
/// s_cbranch_scc1 wait; ds_add_u32 v1, v3
const CHAIN: [u32; 8] =
    [0xd86c_0000, 0x0200_0001, 0xbf8c_c07f, 0x7e14_0502, 0xbf07_090a, 0xbf85_fffa, 0xd800_0000, 0x0000_0301];

/// wait: s_sleep 1; s_add_u32 s11, s11, 1; s_cmp_gt_u32 s11, 2.0; s_cbranch_scc1 over; ds_add_rtn_u32 v2, v1, v1;
/// s_waitcnt lgkmcnt(0); v_readfirstlane_b32 s10, v2; s_cmp_eq_u32 s10, s9; s_cbranch_scc0 wait;
/// over: ds_add_u32 v1, v3
const TRIES: [u32; 12] = [
    0xbf8e_0001,
    0x800b_810b,
    0xbf08_f40b,
    0xbf85_0006,
    0xd840_0000,
    0x0200_0101,
    0xbf8c_c07f,
    0x7e14_0502,
    0xbf06_090a,
    0xbf84_fff6,
    0xd800_0000,
    0x0000_0301,
];

/// s_cmp_eq_u32 s8, 3; s_cbranch_scc0 lock; ds_write_b32 v1, v3 offset:4;
/// lock: ds_wrxchg_rtn_b32 v2, v1, v3; s_waitcnt lgkmcnt(0); v_readfirstlane_b32 s10, v2; s_cmp_lg_u32 s10, 0;
/// s_cbranch_scc1 lock; s_cmp_eq_u32 s8, 0; s_cbranch_scc0 unlock;
/// flag: ds_read_b32 v2, v1 offset:4; s_waitcnt lgkmcnt(0); v_readfirstlane_b32 s10, v2; s_cmp_eq_u32 s10, 0;
/// s_cbranch_scc1 flag; unlock: ds_write_b32 v1, v1; ds_add_rtn_u32 v2, v1, v3 offset:8; s_waitcnt lgkmcnt(0);
/// v_readfirstlane_b32 s10, v2
const LOCK: [u32; 24] = [
    0xbf06_8308,
    0xbf84_0002,
    0xd81a_0004,
    0x0000_0301,
    0xd85a_0000,
    0x0200_0301,
    0xbf8c_c07f,
    0x7e14_0502,
    0xbf07_800a,
    0xbf85_fffa,
    0xbf06_8008,
    0xbf84_0006,
    0xd86c_0004,
    0x0200_0001,
    0xbf8c_c07f,
    0x7e14_0502,
    0xbf06_800a,
    0xbf85_fffa,
    0xd81a_0000,
    0x0000_0101,
    0xd840_0008,
    0x0200_0301,
    0xbf8c_c07f,
    0x7e14_0502,
];

/// s_waitcnt lgkmcnt(0); s_add_u32 s12, s6, 16; s_addc_u32 s13, s7, 0; wait: s_sleep 1;
/// global_load_dword v2, v1, s[12:13] glc; s_waitcnt vmcnt(0); v_readfirstlane_b32 s10, v2; s_cmp_lg_u32 s10, s9;
/// s_cbranch_scc1 wait; global_atomic_add v1, v3, s[12:13]
const GLOBAL: [u32; 12] = [
    0xbf8c_c07f,
    0x800c_9006,
    0x820d_8007,
    0xbf8e_0001,
    0xdc51_8000,
    0x020c_0001,
    0xbf8c_0f70,
    0x7e14_0502,
    0xbf07_090a,
    0xbf85_fff9,
    0xdd08_8000,
    0x000c_0301,
];

/// loop: ds_read_b32 v2, v1; s_waitcnt lgkmcnt(0); v_readfirstlane_b32 s10, v2; s_add_u32 s10, s10, s11;
/// s_add_u32 s11, s11, 1; s_cmp_lg_u32 s11, 200000; s_cbranch_scc1 loop
const CONSTANT: [u32; 9] = [
    0xd86c_0000,
    0x0200_0001,
    0xbf8c_c07f,
    0x7e14_0502,
    0x800a_0b0a,
    0x800b_810b,
    0xbf07_ff0b,
    0x0003_0d40,
    0xbf85_fff7,
];

/// Runs a kernel with the middle `code` on every engine. All must agree. Returns the launch, and the dwords of `out`.
fn run(code: &[u32], grid: u32, group: u32, max_insts: Option<u64>) -> (LaunchResult, Vec<u32>) {
    let code = [&BEFORE[..], code, &AFTER].concat();
    let object = object(&code);
    let mut spec = LaunchSpec::new("k", &[grid], &[group]).unwrap();
    spec = spec.args([ArgValue::buffer("out")]).buffer("out", vec![0; 32]);
    spec.max_insts = max_insts;
    let mut first: Option<(LaunchResult, Vec<u32>)> = None;
    for engine in [EngineKind::Interp, EngineKind::Jit, EngineKind::Check, EngineKind::JitNoCheck] {
        for hot in [0, 1, 50, RunOptions::default().hot] {
            for jobs in [1, 2] {
                let run = RunOptions::default().engine(engine).hot(hot);
                let options = DispatchOptions::default().jobs(jobs).run(run);
                let result = launch(&object, &spec, &options).unwrap();
                let out = dwords(&result.buffer("out").unwrap());
                let (first, values) = first.get_or_insert_with(|| (result.clone(), out.clone()));
                let at = (engine, hot, jobs);
                assert_eq!(result.run.outcome, first.run.outcome, "{at:?}");
                assert_eq!((result.run.instructions, out), (first.run.instructions, values.clone()), "{at:?}");
            }
        }
    }
    first.unwrap()
}

/// A wave that waits for the next one makes way for it. Before it was found to wait, a turn had a million instructions.
#[test]
fn waves_that_wait_make_way() {
    let in_reverse = [3, 2, 1, 0];
    for (name, code, out) in [
        ("a counter in LDS", &CHAIN[..], in_reverse),
        ("a counter in LDS, by atomics, with a count of tries", &TRIES, in_reverse),
        ("a lock and a flag", &LOCK, [0, 1, 2, 3]),
        ("a counter in memory", &GLOBAL, in_reverse),
    ] {
        let (result, values) = run(code, 256, 256, None);
        assert_eq!(result.run.outcome, Ok(Outcome::Ended), "{name}");
        assert_eq!(values[..4], out, "{name}");
        // The first wave has 4,096 instructions before its first probe, and the others 128.
        let instructions = result.run.instructions;
        assert!((4096..10_000).contains(&instructions), "{name}: {instructions}");
    }
}

/// Each group finds out by itself whether its waves wait, so more groups take as many times the instructions.
#[test]
fn groups_do_not_learn_from_each_other() {
    let one = run(&CHAIN, 256, 256, None).0.run.instructions;
    assert_eq!(run(&CHAIN, 5 * 256, 256, None).0.run.instructions, 5 * one);
}

/// A loop that reads the same again and again, but counts, ends as if nobody had taken it for one that waits.
#[test]
fn loops_that_only_seem_to_wait_end() {
    let (result, values) = run(&CONSTANT, 256, 256, None);
    assert_eq!(result.run.outcome, Ok(Outcome::Ended));
    assert_eq!(values[..4], [199_999; 4]);
    assert_eq!(result.run.instructions, 4 * (8 + 7 * 200_000 + 6));
}

/// Two waves of a kernel for four wait for what never comes: the budget ends them, at its last instruction.
#[test]
fn waves_that_wait_in_vain_use_up_their_budget() {
    let (result, _) = run(&CHAIN, 128, 128, Some(2_345_678));
    assert_eq!((result.run.outcome, result.run.instructions), (Ok(Outcome::Budget), 2_345_678));
}
