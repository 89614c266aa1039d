//! Memory in whole programs on the interpreter: counts, faults, barriers, clocks, vectors and state files. Single
//! instructions are tested next to their code.
//!
//! The tests need engines that execute memory instructions ([`MEMORY`]).

use std::sync::Arc;

use gcnsim::Detail;
use gcnsim::{Outcome, Wave};
use gcnsim_check::vectors::{Vector, Verdict, interpreter};
use gcnsim_interp::Interp;
use gcnsim_isa::{Arch, MEMORY, Note, Program};
use gcnsim_machine::{Access, Backing, Context, Mapping, MemoryFault};

// The words are those of llvm-mc 15 for gfx900.
const S_MEMTIME_S2: [u32; 2] = [0xc090_0080, 0];
const S_LOAD_S0_AT_S2: [u32; 2] = [0xc002_0001, 0];
/// global_load_dword v1, v[2:3], off
const LOAD: [u32; 2] = [0xdc50_8000, 0x017f_0002];
/// global_store_dword v[2:3], v1, off offset:4
const STORE: [u32; 2] = [0xdc70_8004, 0x007f_0102];
/// ds_add_u32 v0, v1
const ADD: [u32; 2] = [0xd800_0000, 0x0000_0100];
const S_NOP: u32 = 0xbf80_0000;
const S_BARRIER: u32 = 0xbf8a_0000;
const END: u32 = 0xbf81_0000;
/// s_sub_u32 s0, s0, 1; s_cmp_lg_u32 s0, 0
const COUNT_DOWN: [u32; 2] = [0x8080_8100, 0xbf07_8000];

fn program(parts: &[&[u32]]) -> Program {
    Program::from_words(Arch::Gcn14, &parts.concat())
}

/// Returns a wave, and 64 bytes of memory at 0x10000: 0, 1, 2 ... v[2:3] is the address of a dword for each lane, and
/// v1 is 1.
fn setting(program: &Program) -> (Wave, Context) {
    let mut wave = Wave::new(program);
    wave.state.set_exec(0xff);
    for lane in 0..64 {
        wave.vgprs.lanes_mut(2)[lane] = 0x10000 + 4 * lane as u32;
        wave.vgprs.lanes_mut(1)[lane] = 1;
    }
    let mut context = Context::ready(256);
    let segment = Backing::zeroed(64).unwrap();
    segment.write(0, &(0..64).collect::<Vec<u8>>());
    context.space.map(Mapping::new(0x10000, "data", Arc::new(segment)));
    (wave, context)
}

#[test]
fn a_fault_leaves_the_wave_before_the_instruction() {
    if !MEMORY {
        return;
    }
    // In lane 15 the second store reaches past the end of the memory.
    let program = program(&[&[S_NOP], &LOAD, &STORE, &[S_NOP, END]]);
    let (mut wave, mut context) = setting(&program);
    wave.state.set_exec(1 << 15 | 1);
    let mut interp = Interp::new(&program);
    interp.count_classes();
    let outcome = interp.run_in(&mut wave, &mut context, 100);
    let fault = MemoryFault { access: Access::Store, address: 0x10040, bytes: 4, lane: Some(15) };
    let expected = Detail {
        kind: "memory",
        mnemonic: Some("global_store_dword"),
        pc: 12,
        word: Some(STORE[0]),
        from: None,
        memory: Some(fault),
    };
    assert_eq!(outcome, Outcome::Fault(expected));
    assert_eq!((wave.executed, wave.state.pc, wave.last_pc, wave.classes.total()), (2, 12, Some(4), 2));
    assert_eq!((wave.vgprs.lanes(1)[0], wave.vgprs.lanes(1)[15]), (0x0302_0100, 0x3f3e_3d3c));
    let mut byte = [0];
    context.load(0x10004, &mut byte, None).unwrap();
    assert_eq!(byte, [4], "nothing is stored");
    // The wave can go on where it stopped.
    wave.state.set_exec(1);
    assert_eq!(interp.run_in(&mut wave, &mut context, 100), Outcome::Ended);
    assert_eq!((wave.executed, wave.classes.total()), (5, 5));
    context.load(0x10007, &mut byte, None).unwrap();
    assert_eq!(byte, [3]);
}

#[test]
fn every_budget_stops_exactly() {
    if !MEMORY {
        return;
    }
    let program = program(&[&[S_NOP], &LOAD, &S_MEMTIME_S2, &STORE, &S_MEMTIME_S2, &[S_BARRIER], &ADD, &[END]]);
    let pcs = [0, 4, 12, 20, 28, 36, 40, 48];
    for budget in 0..8 {
        let (mut wave, mut context) = setting(&program);
        let outcome = Interp::new(&program).run_alone(&mut wave, &mut context, budget);
        assert_eq!((outcome, wave.executed), (Outcome::Budget, budget));
        assert_eq!(wave.state.pc, pcs[budget as usize], "{budget}");
        let clock = [0, 0, 0, 2, 2, 4, 4, 4][budget as usize];
        assert_eq!(wave.state.pair(2), clock, "{budget}");
    }
    let (mut wave, mut context) = setting(&program);
    assert_eq!(Interp::new(&program).run_alone(&mut wave, &mut context, 8), Outcome::Ended);
    assert!(wave.state.notes.contains(Note::Memtime));
    assert_eq!(context.lds[..4], [0x70, 0x78, 0x80, 0x88], "the sum of eight dwords that were loaded");
}

#[test]
fn clocks_count_what_completed_before() {
    if !MEMORY {
        return;
    }
    // The loop has four instructions and runs s0 times.
    let branch = [0xbf85_fffb];
    let program = program(&[&S_MEMTIME_S2, &COUNT_DOWN, &branch, &[END]]);
    for (count, budget) in [(1, 1000), (3, 1000), (5000, 1 << 40)] {
        let mut wave = Wave::new(&program);
        wave.state.sgpr[0] = count;
        wave.executed = 7;
        let mut interp = Interp::new(&program);
        interp.count_classes();
        assert_eq!(interp.run(&mut wave, budget), Outcome::Ended);
        assert_eq!(wave.executed, 7 + 4 * count as u64 + 1);
        assert_eq!((wave.state.pair(2), wave.classes.total()), (7 + 4 * (count as u64 - 1), 4 * count as u64 + 1));
    }
}

#[test]
fn barriers_end_runs_of_waves_in_groups() {
    let program = program(&[&[S_NOP, S_BARRIER, S_NOP, END]]);
    let mut wave = Wave::new(&program);
    let mut context = Context::ready(0);
    let mut interp = Interp::new(&program);
    if MEMORY {
        assert_eq!(interp.run_in(&mut wave, &mut context, 2), Outcome::Barrier);
        assert_eq!((wave.executed, wave.state.pc, wave.last_pc), (2, 8, Some(4)));
        assert_eq!(interp.run_in(&mut wave, &mut context, 1), Outcome::Budget);
        assert_eq!(interp.run_in(&mut wave, &mut context, 2), Outcome::Ended);
    }
    // A wave that runs alone does not wait.
    let mut wave = Wave::new(&program);
    assert_eq!(interp.run(&mut wave, 100), Outcome::Ended);
    assert_eq!(wave.executed, 4);
    let mut wave = Wave::new(&program);
    assert_eq!(interp.run(&mut wave, 2), Outcome::Budget);
    assert_eq!((wave.executed, wave.state.pc), (2, 8));
}

#[test]
fn a_raw_program_can_read_its_code() {
    if !MEMORY {
        return;
    }
    let words = [S_LOAD_S0_AT_S2.as_slice(), &[END]].concat();
    let code: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let program = Program::new(Arch::Gcn14, Arc::new(code), 0x4000, 0);
    let mut wave = Wave::new(&program);
    wave.state.sgpr[2] = 0x4008;
    assert_eq!(Interp::new(&program).run(&mut wave, 10), Outcome::Ended);
    assert_eq!(wave.state.sgpr[0], END);
    // Nothing else has changed.
    let mut wave = Wave::new(&program);
    wave.state.sgpr[2] = 0x400c;
    let Outcome::Fault(detail) = Interp::new(&program).run(&mut wave, 10) else { panic!("no fault") };
    assert_eq!((detail.memory.map(|fault| fault.address), wave.executed), (Some(0x400c), 0));
}

fn check(line: &str) -> Verdict {
    Vector::parse(line.as_bytes()).unwrap().check(interpreter().as_mut())
}

#[test]
fn vectors_with_memory() {
    if !MEMORY {
        return;
    }
    let lanes = |first: &str| format!("[{first}{}]", ", 0".repeat(63));
    let init = format!(
        r#""init": {{"exec": 1, "vgpr": {{"1": {}, "2": {}}}, "memory": [{{"base": "0x10000", "hex": "0001020304050607"}}],
            "lds": {{"size": 256, "hex": "05"}}}}"#,
        lanes("16909060"),
        lanes("65536")
    );
    let line = |words: &[u32], expect: &str| {
        format!(r#"{{"id": "m", "arch": "gfx900", "words": {words:?}, {init}, "expect": {expect}}}"#).replace('\n', " ")
    };
    let stored = r#"{"memory": [{"base": "0x10004", "hex": "04030201"}]}"#;
    assert_eq!(check(&line(&STORE, stored)), Verdict::Passed);
    let Verdict::Failed(found) = check(&line(&STORE, "{}")) else { panic!("passed") };
    let fields: Vec<_> = found.iter().map(|difference| difference.field.as_str()).collect();
    assert_eq!(fields, ["memory[0x10005]", "memory[0x10006]", "memory[0x10007]"]);
    assert_eq!(check(&line(&LOAD, &format!(r#"{{"vgpr": {{"1": {}}}}}"#, lanes("50462976")))), Verdict::Passed);
    assert_eq!(check(&line(&ADD, r#"{"lds": {"hex": "09030201"}}"#)), Verdict::Passed);
    assert!(matches!(check(&line(&ADD, r#"{"lds": {"hex": "08030201"}}"#)), Verdict::Failed(_)));
    // The first fault is expected, and the lack of one is not.
    let behind = line(&STORE, r#"{"outcome": "fault"}"#).replace("0001020304050607", "00010203");
    assert_eq!(check(&behind), Verdict::Passed);
    assert!(matches!(check(&line(&STORE, r#"{"outcome": "fault"}"#)), Verdict::Failed(_)));
    assert!(matches!(check(&behind.replace(r#""outcome": "fault""#, "")), Verdict::Failed(_)));
}
