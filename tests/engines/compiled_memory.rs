//! Memory instructions, barriers and the clock in compiled code: state, counts and PC are exact where a region is left
//! in the middle of a block. Conformance vectors and the tests of the helpers test what the instructions do.

use std::sync::{Arc, Mutex};

use gcnsim::{Outcome, Wave};
use gcnsim_engine::{Engine, EngineError, EngineKind, RunOptions};
use gcnsim_isa::{Arch, Kind, Note, Program};
use gcnsim_machine::{Access, Backing, Context, Mapping, MemoryFault, Peripheral};

// Words by llvm-mc 15 for gfx900.
/// s_load_dword s0, s[2:3], 0x0
const S_LOAD_S0: [u32; 2] = [0xc002_0001, 0];
const S_MEMTIME_S2: [u32; 2] = [0xc090_0080, 0];
/// s_add_u32 s2, s2, 4
const STEP: u32 = 0x8002_8402;
/// s_add_u32 s6, s6, s0
const SUM: u32 = 0x8006_0006;
/// s_cmp_lg_u32 s0, 0
const TEST: u32 = 0xbf07_8000;
/// global_load_dword v1, v[2:3], off
const LOAD: [u32; 2] = [0xdc50_8000, 0x017f_0002];
/// global_store_dword v[2:3], v1, off offset:4
const STORE: [u32; 2] = [0xdc70_8004, 0x007f_0102];
const S_NOP: u32 = 0xbf80_0000;
const S_BARRIER: u32 = 0xbf8a_0000;
const END: u32 = 0xbf81_0000;
/// s_cbranch_scc1; `distance` is dwords from the next instruction.
const fn branch_if_scc(distance: i16) -> u32 {
    0xbf85_0000 | distance as u16 as u32
}

fn program(parts: &[&[u32]]) -> Program {
    Program::from_words(Arch::Gcn14, &parts.concat())
}

/// Returns a wave and 64 bytes of memory at 0x10000, with the dwords 1, 2, 3 ... s[2:3] is their address, v[2:3] that
/// of a lane's dword.
fn setting(program: &Program) -> (Wave, Context) {
    let mut wave = Wave::new(program);
    wave.state.sgpr[2] = 0x10000;
    for lane in 0..64 {
        wave.vgprs.lanes_mut(2)[lane] = 0x10000 + 4 * lane as u32;
    }
    let mut context = Context::ready(256);
    let backing = Backing::zeroed(64).unwrap();
    (0..16u32).for_each(|i| backing.write(4 * i as usize, &(i + 1).to_le_bytes()));
    context.space.map(Mapping::new(0x10000, "data", Arc::new(backing)));
    (wave, context)
}

fn engines() -> [Engine; 2] {
    [EngineKind::Check, EngineKind::JitNoCheck]
        .map(|engine| Engine::new(RunOptions::default().engine(engine).hot(0).counting_classes()))
}

/// Returns the number of instructions that compiled code executed.
fn compiled(engine: &Engine) -> u64 {
    engine.profile().iter().map(|region| region.executed).sum()
}

#[test]
fn a_fault_in_mid_block_leaves_the_wave_before_the_instruction() {
    // The loop adds up dwords until it is past the end of the memory: 16 rounds, each with a possible fault in the
    // middle.
    let program = program(&[&[TEST, S_NOP], &S_LOAD_S0, &[STEP, SUM, TEST, branch_if_scc(-6), END]]);
    for mut engine in engines() {
        let (mut wave, mut context) = setting(&program);
        let outcome = engine.run_alone(&program, &mut wave, &mut context, None).outcome.unwrap();
        let Outcome::Fault(fault) = outcome else { panic!("{outcome:?}") };
        let expected = MemoryFault { access: Access::Load, address: 0x10040, bytes: 4, lane: None };
        assert_eq!((fault.pc, fault.memory, fault.mnemonic), (8, Some(expected), Some("s_load_dword")));
        assert_eq!((wave.state.pc, wave.last_pc, wave.executed), (8, Some(28), 2 + 5 * 16));
        assert_eq!((wave.state.sgpr[0], wave.state.sgpr[2], wave.state.sgpr[6]), (16, 0x10040, 136));
        assert_eq!((wave.state.scc, wave.classes.get(Kind::Smem), wave.classes.total()), (1, 16, wave.executed));
        assert_eq!(compiled(&engine), wave.executed);
    }
}

#[test]
fn a_refused_store_stores_nothing() {
    let program = program(&[&[S_NOP], &LOAD, &STORE, &[S_NOP, END]]);
    for mut engine in engines() {
        let (mut wave, mut context) = setting(&program);
        // Lane 15 accesses bytes past the end of the memory.
        wave.state.set_exec(1 << 15 | 1);
        let outcome = engine.run_alone(&program, &mut wave, &mut context, None).outcome.unwrap();
        assert!(matches!(outcome, Outcome::Fault(fault) if fault.pc == 12), "{outcome:?}");
        assert_eq!((wave.executed, wave.state.pc, wave.last_pc), (2, 12, Some(4)));
        assert_eq!((wave.vgprs.lanes(1)[0], wave.vgprs.lanes(1)[15]), (1, 16));
        let mut bytes = [0; 4];
        context.load(0x10004, &mut bytes, None).unwrap();
        assert_eq!(bytes, [2, 0, 0, 0]);
        // The wave can go on where it stopped.
        wave.state.set_exec(1);
        assert_eq!(engine.run_alone(&program, &mut wave, &mut context, None).outcome, Ok(Outcome::Ended));
        context.load(0x10004, &mut bytes, None).unwrap();
        assert_eq!((bytes, wave.executed), ([1, 0, 0, 0], 5));
    }
}

#[test]
fn clocks_count_what_completed_before() {
    let program = program(&[&[S_NOP], &S_MEMTIME_S2, &[S_NOP, S_NOP], &S_MEMTIME_S2, &[END]]);
    for mut engine in engines() {
        for budget in 0..6 {
            let mut wave = Wave { executed: 7, ..Wave::new(&program) };
            let outcome = engine.run_up_to(&program, &mut wave, Some(budget)).outcome;
            assert_eq!((outcome, wave.executed), (Ok(Outcome::Budget), 7 + budget));
            assert_eq!(wave.state.pair(2), [0, 0, 8, 8, 8, 11][budget as usize]);
        }
        let mut wave = Wave { executed: 7, ..Wave::new(&program) };
        assert_eq!(engine.run(&program, &mut wave).outcome, Ok(Outcome::Ended));
        assert_eq!((wave.state.pair(2), wave.executed, compiled(&engine)), (11, 13, 6));
        assert!(wave.state.notes.contains(Note::Memtime));
    }
}

#[test]
fn a_wave_waits_behind_a_barrier_and_goes_on_in_the_same_region() {
    let program = program(&[&[S_NOP, S_BARRIER, S_NOP, S_BARRIER, END]]);
    for mut engine in engines() {
        let session = engine.session(&program);
        let (mut wave, mut context) = (Wave::new(&program), Context::ready(0));
        for (executed, pc) in [(2, 8), (4, 16)] {
            assert_eq!(session.run_in(&mut wave, &mut context, None).outcome, Ok(Outcome::Barrier));
            assert_eq!((wave.executed, wave.state.pc, wave.last_pc), (executed, pc, Some(pc - 4)));
        }
        assert_eq!(session.run_in(&mut wave, &mut context, None).outcome, Ok(Outcome::Ended));
        assert_eq!((wave.executed, compiled(&engine), engine.profile().len()), (5, 5, 1));
        // A wave that runs alone does not wait.
        let mut wave = Wave::new(&program);
        assert_eq!(engine.run(&program, &mut wave).outcome, Ok(Outcome::Ended));
        assert_eq!(wave.executed, 5);
    }
}

#[test]
fn a_loop_around_a_barrier_keeps_its_counts() {
    // s0 rounds: s_sub_u32 s0, s0, 1; s_barrier; s_cmp_lg_u32 s0, 0; s_cbranch_scc1.
    let program = program(&[&[0x8080_8100, S_BARRIER, TEST, branch_if_scc(-4), END]]);
    for mut engine in engines() {
        for (rounds, budget) in [(1000, None), (1000, Some(17)), (1000, Some(18)), (3, Some(13))] {
            let mut wave = Wave::new(&program);
            wave.state.sgpr[0] = rounds;
            let outcome = engine.run_up_to(&program, &mut wave, budget).outcome;
            let whole = 4 * rounds as u64 + 1;
            let executed = budget.unwrap_or(whole);
            assert_eq!((wave.executed, wave.classes.total()), (executed, executed));
            assert_eq!(outcome, Ok(if executed == whole { Outcome::Ended } else { Outcome::Budget }));
            assert_eq!(wave.state.sgpr[0] as u64, rounds as u64 - executed.div_ceil(4).min(rounds as u64));
        }
    }
}

#[test]
fn planted_mistakes_are_caught() {
    // The planted mistakes are a flipped bit of a load, and a store without its lowest lane, which leaves the 0 of lane
    // 0 unwritten.
    let cases =
        [(S_LOAD_S0, "s_load_dword", "* s0 "), (STORE, "global_store_dword", "* memory byte 0x10004: 0x00 unwritten")];
    for (words, mnemonic, row) in cases {
        let program = program(&[&words, &[END]]);
        let plant = program.fetch(0).unwrap().opcode;
        let options = RunOptions::default().engine(EngineKind::Check).hot(0).plant(plant);
        let (mut wave, mut context) = setting(&program);
        wave.state.set_exec(3);
        let outcome = Engine::new(options).run_alone(&program, &mut wave, &mut context, None).outcome;
        let Err(EngineError::Divergence(divergence)) = outcome else { panic!("{outcome:?}") };
        assert_eq!(divergence.mnemonic, Some(mnemonic));
        assert!(divergence.report.contains(row), "{}", divergence.report);
    }
}

#[test]
fn apertures_are_read_on_both_engines() {
    // s_getreg_b32 s0, hwreg(HW_REG_SH_MEM_BASES, 16, 16)
    let program = program(&[&[0xb880_7c0f, END]]);
    let interp = Engine::new(RunOptions::default().engine(EngineKind::Interp));
    for mut engine in engines().into_iter().chain([interp]) {
        let mut wave = Wave::new(&program);
        wave.state.sh_mem_bases = 0x1234_5678;
        assert_eq!(engine.run(&program, &mut wave).outcome, Ok(Outcome::Ended));
        assert_eq!(wave.state.sgpr[0], 0x1234);
    }
}

/// SOFFSET may be a condition code: an offset of 0 or 1 bytes.
#[test]
fn offsets_that_are_conditions() {
    // buffer_load_dword v1, off, s[8:11], <soffset>
    let load = |soffset: u32| [0xe050_0000, soffset << 24 | 2 << 16 | 1 << 8];
    let (vccz, execz, scc) = (251, 252, 253);
    for (soffset, vcc, scc_is, expected) in [
        (execz, 0, 1, 1),
        (execz, 1, 0, 1),
        (vccz, 0, 0, 0x0200_0000),
        (vccz, 1, 1, 1),
        (scc, 0, 0, 1),
        (scc, 1, 1, 0x0200_0000),
    ] {
        let program = program(&[&load(soffset), &[END]]);
        for mut engine in engines() {
            let (mut wave, mut context) = setting(&program);
            wave.state.sgpr[8..12].copy_from_slice(&[0x10000, 0, 64, 0x0002_7fac]);
            wave.state.set_vcc(vcc);
            wave.state.scc = scc_is;
            let outcome = engine.run_alone(&program, &mut wave, &mut context, None).outcome;
            assert_eq!(outcome, Ok(Outcome::Ended));
            assert_eq!(wave.vgprs.lanes(1), &[expected; 64], "{soffset} {vcc} {scc_is}");
        }
    }
}

/// A device with four registers at 0x2000. Loads of register k return 100 k, 100 k + 1, ... one after the other.
#[derive(Default)]
struct Registers {
    next: [u32; 4],
    seen: Vec<(Access, u64, Vec<u8>)>,
}

impl Peripheral for Registers {
    fn allows(&self, address: u64, bytes: u32, _: Access) -> bool {
        (0x2000..0x2010).contains(&address) && bytes == 4
    }

    fn load(&mut self, address: u64, bytes: &mut [u8]) {
        let register = (address - 0x2000) as usize / 4;
        bytes.copy_from_slice(&(100 * register as u32 + self.next[register]).to_le_bytes());
        self.next[register] += 1;
        self.seen.push((Access::Load, address, bytes.to_vec()));
    }

    fn store(&mut self, address: u64, bytes: &[u8]) {
        self.seen.push((Access::Store, address, bytes.to_vec()));
    }
}

/// Accesses to a device happen once and in order on every engine. If the device refuses one lane, no lane of the
/// instruction accesses it.
#[test]
fn devices_see_the_same_accesses_on_every_engine() {
    // loop: v1 = the device registers of the lanes; v1 to the addresses + 4; s[2:3] += 4 (the dwords 1 to 16). s0 is
    // not 0 until the last round.
    let back = branch_if_scc(-11);
    let program = program(&[&LOAD, &STORE, &S_LOAD_S0, &[STEP, SUM, S_NOP, TEST, back, END]]);
    let run = |engine: EngineKind, hot: u32, exec: u64, lane: &dyn Fn(u32) -> u32| {
        let (mut wave, mut context) = setting(&program);
        wave.state.set_exec(exec);
        *wave.vgprs.lanes_mut(2) = std::array::from_fn(|i| lane(i as u32));
        *wave.vgprs.lanes_mut(3) = [0; 64];
        let device = Arc::new(Mutex::new(Registers::default()));
        context.peripheral = Some(device.clone().into());
        let options = RunOptions::default().engine(engine).hot(hot);
        let result = Engine::new(options).run_alone(&program, &mut wave, &mut context, Some(100));
        let seen = std::mem::take(&mut device.lock().unwrap().seen);
        (result.outcome.unwrap(), wave.executed, wave.vgprs.lanes(1).to_vec(), seen)
    };
    let ways = [(EngineKind::Jit, 0), (EngineKind::Check, 0), (EngineKind::Jit, 2), (EngineKind::Check, 2)];
    // Lanes 0, 1 and 2 access a register each, and lane 3 memory.
    let lane = |i: u32| if i == 3 { 0x10000 } else { 0x2000 + 4 * i };
    let expected = run(EngineKind::Interp, 0, 0b1111, &lane);
    assert_eq!(expected.0, Outcome::Budget);
    let first = (0..3u32).map(|i| (Access::Load, 0x2000 + 4 * u64::from(i), (100 * i).to_le_bytes().to_vec()));
    assert_eq!(expected.3[..3], first.collect::<Vec<_>>());
    for (engine, hot) in ways {
        assert!(run(engine, hot, 0b1111, &lane) == expected, "{engine:?} {hot}");
    }
    // Lane 4 has no register.
    for (engine, hot) in ways.into_iter().chain([(EngineKind::Interp, 0)]) {
        let (outcome, executed, _, seen) = run(engine, hot, 0b1_0011, &|i| 0x2000 + 4 * i);
        assert!(matches!(outcome, Outcome::Fault(_)) && executed == 0 && seen.is_empty(), "{engine:?} {hot}: {seen:?}");
    }
}

/// A segment takes a subtraction and the read of LDS after it. The borrows of the subtraction in VCC are stored only
/// after the read, so VCC must be dirty there.
#[test]
fn masks_of_segments_with_reads_of_lds_are_kept() {
    // v_subrev_co_u32 v1, vcc, s4, v0; ds_read_b32 v2, v1; s_waitcnt lgkmcnt(0); s_cbranch_vccz +1; s_nop 0; s_endpgm
    let words = [0x3602_0004, 0xd86c_0000, 0x0200_0001, 0xbf8c_c07f, 0xbf86_0001, 0xbf80_0000, 0xbf81_0000];
    let program = Program::from_words(Arch::Gcn14, &words);
    for engine in [EngineKind::Interp, EngineKind::JitNoCheck, EngineKind::Check] {
        let mut wave = Wave::new(&program);
        wave.state.sgpr[4] = 32;
        for (lane, value) in wave.vgprs.lanes_mut(0).iter_mut().enumerate() {
            *value = 4 * lane as u32;
        }
        let result = Engine::new(RunOptions::default().engine(engine).hot(0)).run(&program, &mut wave);
        assert_eq!(result.outcome, Ok(Outcome::Ended), "{engine:?}");
        // Lanes 0 to 7 have less than 32.
        assert_eq!((wave.state.sgpr[106], wave.state.sgpr[107]), (0xff, 0), "{engine:?}");
    }
}
