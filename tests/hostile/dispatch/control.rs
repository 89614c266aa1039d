//! Barriers in divergent code, waves that end early, spins that never end, jumps to anywhere.

use gcnsim::Outcome;
use gcnsim_device::args::ArgValue;
use gcnsim_isa::Note;
use gcnsim_launches::launch::LaunchSpec;

use super::kernel::*;

/// s_load_dwordx2 s[12:13], s[4:5], 0x0: loads the address of the buffer.
const OUT: [u32; 2] = [0xc006_0302, 0];
/// v_mov_b32 v1, 0
const V1_IS_0: u32 = 0x7e02_0280;
/// v_readfirstlane_b32 s10, v0: 64 times the number of the wave in its group.
const WAVE: u32 = 0x7e14_0500;
/// s_cmp_eq_u32 s10, 0; s_cmp_eq_u32 s10, 64
const IS_FIRST: u32 = 0xbf06_800a;
const IS_SECOND: u32 = 0xbf06_c00a;
/// global_store_dword v1, v3, s[12:13]
const STORE: [u32; 2] = [0xdc70_8000, 0x000c_0301];

/// s_cbranch_scc1; `distance` is dwords from the next instruction.
const fn if_scc(distance: i16) -> u32 {
    0xbf85_0000 | distance as u16 as u32
}

/// Returns a launch with a buffer `out` of four zero bytes as its argument.
fn with_out(items: u32, group: u32) -> LaunchSpec {
    grid(items, group).args([ArgValue::buffer("out")]).buffer("out", vec![0; 4])
}

/// The first of three waves ends at once. The second writes to LDS and comes to a barrier, with all lanes active or
/// none. The third comes to another barrier, and then reads the value.
#[test]
fn ended_waves_count_as_arrived() {
    let s_mov_exec_0 = 0xbefe_0180;
    for before_barrier in [S_NOP, s_mov_exec_0] {
        #[rustfmt::skip]
        let code = [
            &OUT[..], &[V1_IS_0, WAVE, IS_FIRST, if_scc(8), IS_SECOND, if_scc(7)],
            // The third: s_barrier; ds_read_b32 v3, v1; store it.
            &[S_BARRIER, 0xd86c_0000, 0x0300_0001, WAIT], &STORE, &[END],
            // The second: v_mov_b32 v2, 7; ds_write_b32 v1, v2; s_barrier.
            &[0x7e04_0287, 0xd81a_0000, 0x0000_0201, before_barrier, S_BARRIER, END],
        ].concat();
        let result = everywhere(&object(&code, DESCRIPTOR), &with_out(192, 192), 1000);
        assert_eq!((result.run.outcome.clone(), dwords(&result, "out")), (Ok(Outcome::Ended), vec![7]));
    }
}

/// The lanes of one wave come to different barriers, one after the other. Each counts for the whole wave. The other
/// wave comes to fewer barriers, and ends.
#[test]
fn barriers_in_divergent_code() {
    #[rustfmt::skip]
    let code = [
        &OUT[..], &[V1_IS_0, WAVE, IS_SECOND, if_scc(13)],
        // s_mov_b64 exec, 1; s_barrier; ds_read_b32 v3, v1; s_mov_b64 exec, -2; s_barrier; v_mov_b32 v3, 9
        &[0xbefe_0181, S_BARRIER, 0xd86c_0000, 0x0300_0001, WAIT, 0xbefe_01c2, S_BARRIER, 0x7e06_0289],
        // s_mov_b64 exec, 1; store v3
        &[0xbefe_0181, S_NOP], &STORE, &[END],
        // The second: v_mov_b32 v2, 7; ds_write_b32 v1, v2; s_barrier
        &[0x7e04_0287, 0xd81a_0000, 0x0000_0201, S_BARRIER, END],
    ].concat();
    let result = everywhere(&object(&code, DESCRIPTOR), &with_out(128, 128), 1000);
    assert_eq!((result.run.outcome.clone(), dwords(&result, "out")), (Ok(Outcome::Ended), vec![7]));
}

/// A wave that spins keeps the others at their barrier, until the budget is used up exactly.
#[test]
fn a_spin_beside_a_barrier() {
    let code = [WAVE, IS_FIRST, if_scc(1), FOR_EVER, S_BARRIER, END];
    for budget in [5, 20_000] {
        let result = everywhere(&object(&code, DESCRIPTOR), &grid(128, 128), budget);
        assert_eq!((result.run.outcome.clone(), result.run.instructions), (Ok(Outcome::Budget), budget));
        assert_eq!(result.run.stopped.unwrap().index, 1);
    }
    // The loop has a barrier.
    let code = [S_BARRIER, 0xbf82_fffe, END];
    let result = everywhere(&object(&code, DESCRIPTOR), &grid(256, 256), 10_001);
    assert_eq!((result.run.outcome, result.run.instructions), (Ok(Outcome::Budget), 10_001));
}

/// Groups run in order, so the first waits in vain for a store of the second.
#[test]
fn a_group_that_waits_for_the_next() {
    #[rustfmt::skip]
    let code = [
        // s_cmp_eq_u32 s8, 1; the second stores v3 = 1.
        &OUT[..], &[V1_IS_0, 0x7e06_0281, 0xbf06_8108, if_scc(6)],
        // loop: s_load_dword s14, s[12:13], 0x0; s_waitcnt 0; s_cmp_eq_u32 s14, 0; s_cbranch_scc1 loop; s_endpgm
        &[0xc002_0386, 0, WAIT, 0xbf06_800e, if_scc(-5), END], &STORE[..], &[END],
    ].concat();
    let result = everywhere(&object(&code, DESCRIPTOR), &with_out(2, 1), 3000);
    assert_eq!((result.run.outcome.clone(), result.run.instructions), (Ok(Outcome::Budget), 3000));
    assert_eq!((dwords(&result, "out"), result.run.stopped.unwrap().group), (vec![0], [0, 0, 0]));
}

/// Returns a kernel that jumps by `distance` from its code, which ends with a function that stores 9. Entered at its
/// second instruction, the function stores 0.
fn jump(distance: u32) -> (Vec<u32>, LaunchSpec) {
    #[rustfmt::skip]
    let code = [
        // s_getpc_b64 s[10:11]; s_add_u32 s10, s10, distance; s_addc_u32 s11, s11, 0; s_setpc_b64 s[10:11]
        &OUT[..], &[V1_IS_0, 0xbe8a_1c00, 0x800a_ff0a, distance, 0x820b_800b, 0xbe80_1d0a],
        // At distance 16: v_mov_b32 v3, 9; store; s_mov_b32 s0 with s_endpgm as its literal
        &[0x7e06_0289], &STORE, &[0xbe80_00ff, END],
    ].concat();
    (code, with_out(1, 1))
}

#[test]
fn jumps_into_functions_and_out_of_the_code() {
    let run = |distance| {
        let (code, spec) = jump(distance);
        let result = everywhere(&object(&code, DESCRIPTOR), &spec, 100);
        (result.run.outcome.clone(), dwords(&result, "out")[0], result)
    };
    // s_mov_b32 takes the s_endpgm as its literal, and after it is no code.
    for (distance, stored) in [(16, 9), (20, 0)] {
        let (outcome, out, result) = run(distance);
        let Ok(Outcome::Fault(detail)) = outcome else { panic!("{outcome:?}") };
        assert_eq!((detail.kind, out), ("pc-out-of-range", stored));
        assert_eq!(result.placed.address_of_file(detail.pc), 0x1000 + 52);
    }
    // The jumps are into the literal, exactly and with a low bit set.
    for distance in [32, 34] {
        let (outcome, _, result) = run(distance);
        assert_eq!(outcome, Ok(Outcome::Ended));
        assert!(result.run.notes.contains(Note::JumpIntoLiteral));
    }
    // Data, kernarg and unmapped addresses are not code; nor are the bytes before and after it.
    for distance in [36, DATA as u32 - 0x1010, 0x0010_0000, 0x7fff_fff0, 0xffff_0000, 0u32.wrapping_sub(16 + 4)] {
        let (outcome, _, _) = run(distance);
        let Ok(Outcome::Fault(detail)) = outcome else { panic!("{distance:#x}: {outcome:?}") };
        assert_eq!(detail.kind, "pc-out-of-range", "{distance:#x}");
    }
}

/// If one wave stops, the dispatch stops.
#[test]
fn a_wave_that_stops_stops_all() {
    for (word, name) in [(0xbf92_0002, "trap"), (0xbf8d_0001, "halted"), (0xbf80_0000 | 99 << 16, "fault")] {
        let code = [WAVE, IS_SECOND, if_scc(1), S_BARRIER, word, END];
        let result = everywhere(&object(&code, DESCRIPTOR), &grid(512, 256), 1000);
        let stopped = result.run.stopped.unwrap();
        assert_eq!((result.run.outcome.unwrap().name(), stopped.group, stopped.index), (name, [0, 0, 0], 1));
    }
}
