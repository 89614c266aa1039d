//! The reference interpreter's control flow: blocks, counts, budgets, outcomes, hot counters.

use crate::instructions;

use std::sync::Arc;

use gcnsim::{Outcome, Wave};
use gcnsim_interp::{HotCounters, Interp, Stop};
use gcnsim_isa::{Arch, Kind, Program, WaveState};
use gcnsim_random::Rng;
use instructions::{op1, op2, opc, opk, opp, run_one, run_words};

const GFX9: Arch = Arch::Gcn14;

/// Returns a program that counts s0 down from 5 and adds it to s1, with a call and a literal on the way.
fn looping_program() -> Vec<u32> {
    [
        opk(GFX9, "s_movk_i32", 0, 5),              // 0
        op2(GFX9, "s_add_u32", 1, 1, 0),            // 1: loop
        opk(GFX9, "s_call_b64", 10, 4),             // 2: to 7
        op2(GFX9, "s_sub_u32", 0, 0, 129),          // 3
        opc(GFX9, "s_cmp_lg_u32", 0, 128),          // 4
        opp(GFX9, "s_cbranch_scc1", -5),            // 5: to 1
        opp(GFX9, "s_endpgm", 0),                   // 6
        vec![op1(GFX9, "s_mov_b32", 3, 255)[0], 9], // 7: function
        opp(GFX9, "s_nop", 0),                      // 9
        op1(GFX9, "s_setpc_b64", 0, 10),            // 10
    ]
    .concat()
}

#[test]
fn runs_of_any_length_stop_at_the_same_states() {
    let program = Program::from_words(GFX9, &looping_program());
    let mut whole = Wave::new(&program);
    assert_eq!(Interp::new(&program).run(&mut whole, u64::MAX), Outcome::Ended);
    assert_eq!((whole.state.sgpr[1], whole.executed, whole.state.pc), (15, 1 + 5 * 8 + 1, 24));

    // Each instruction runs on an interpreter of its own, which has to find blocks each time.
    let mut steps = vec![Wave::new(&program)];
    for n in 1..=whole.executed {
        let mut wave = steps.last().unwrap().clone();
        let outcome = Interp::new(&program).run(&mut wave, 1);
        assert_eq!((outcome == Outcome::Ended, wave.executed), (n == whole.executed, n));
        steps.push(wave);
    }
    assert_eq!(steps.last().unwrap().state, whole.state);

    let mut interp = Interp::new(&program);
    interp.count_classes();
    for (n, step) in steps.iter().enumerate() {
        let mut wave = Wave::new(&program);
        let outcome = interp.run(&mut wave, n as u64);
        assert_eq!(outcome, if n + 1 == steps.len() { Outcome::Ended } else { Outcome::Budget });
        assert_eq!((&wave.state, wave.executed, wave.last_pc), (&step.state, n as u64, step.last_pc), "after {n}");
        assert_eq!(wave.classes.total(), n as u64);
    }
}

#[test]
fn counts_by_class() {
    let program = Program::from_words(GFX9, &looping_program());
    let mut interp = Interp::new(&program);
    interp.count_classes();
    let mut wave = Wave::new(&program);
    interp.run(&mut wave, u64::MAX);
    let counts = Kind::ALL.map(|kind| wave.classes.get(kind));
    // The order is salu, scmp, branch, vcmp, system, and classes that did not occur.
    assert_eq!(counts, [1 + 3 * 5, 5, 3 * 5, 0, 5 + 1, 0, 0, 0, 0, 0, 0, 0]);
}

#[test]
fn outcomes() {
    let halt = run_words(GFX9, &opp(GFX9, "s_sethalt", 1), 9, |_| {});
    assert_eq!((halt.1, halt.0.executed, halt.0.state.pc), (Outcome::Halted, 1, 4));
    let go_on = [opp(GFX9, "s_sethalt", 2), opp(GFX9, "s_endpgm_saved", 0)].concat();
    let ended = run_words(GFX9, &go_on, 9, |_| {});
    assert_eq!((ended.1, ended.0.executed, ended.0.state.pc), (Outcome::Ended, 2, 4));
    let trap = run_words(GFX9, &opp(GFX9, "s_trap", 2), 9, |_| {});
    assert!(matches!(trap.1, Outcome::Trap(d) if d.pc == 0 && d.mnemonic == Some("s_trap")));
    assert_eq!((trap.0.executed, trap.0.last_pc), (0, None));
    // Without a debugger the wave goes on after S_TRAP 3 (LLVM's ABI for traps). The id is SIMM16[7:0].
    for (simm16, goes_on) in [(0, false), (1, false), (3, true), (0x103, true), (4, false), (0x300, false)] {
        let code = [opp(GFX9, "s_trap", simm16), opp(GFX9, "s_endpgm", 0)].concat();
        let (wave, outcome) = run_words(GFX9, &code, 9, |_| {});
        assert_eq!((outcome == Outcome::Ended, wave.executed), (goes_on, 2 * goes_on as u64), "{simm16:#x}");
        assert_eq!(wave.state.notes.contains(gcnsim_isa::Note::DebugTrap), goes_on, "{simm16:#x}");
    }
    // Running off the end faults only if there is budget left for it.
    let nop = opp(GFX9, "s_nop", 0);
    assert_eq!(run_words(GFX9, &nop, 1, |_| {}).1, Outcome::Budget);
    let (wave, outcome) = run_words(GFX9, &nop, 2, |_| {});
    let detail = *outcome.detail().unwrap();
    assert_eq!((detail.kind, detail.pc, detail.from, wave.state.pc), ("pc-out-of-range", 4, Some(0), 4));
    let (_, lost) = run_words(GFX9, &op1(GFX9, "s_mov_b32", 0, 255), 2, |_| {});
    assert_eq!(lost.detail().unwrap().kind, "truncated");
    let (_, illegal) = run_words(GFX9, &[0xbf82_0000 | 0x7f_0000], 2, |_| {});
    assert_eq!(illegal.detail().map(|d| (d.kind, d.word)), Some(("illegal-instruction", Some(0xbfff_0000))));
    // s_mov_regrd_b32 s0, s0
    let (wave, undocumented) = run_words(GFX9, &[0xbe80_2f00], 2, |_| {});
    assert!(matches!(undocumented, Outcome::Unsupported(d) if d.pc == 0) && wave.executed == 0);
}

#[test]
fn computed_targets_are_masked_and_noted() {
    let jump = |target: u64| run_one(GFX9, &op1(GFX9, "s_setpc_b64", 0, 2), |state| state.set_pair(2, target)).state;
    assert_eq!((jump(0x102).pc, jump(0x102).notes.codes()), (0x100, vec!["pc-low-bits"]));
    assert_eq!((jump(1 << 48).pc, jump(1 << 48).notes.codes()), (1 << 48, vec!["pc-high-bits"]));
    assert!(jump(0xffff_ffff_fffc).notes.is_empty());
}

#[test]
fn jumps_into_literals_execute_what_is_there() {
    // s_branch over the opcode of s_mov_b32 s0, 0xbf810000: its literal is s_endpgm.
    let words = [opp(GFX9, "s_branch", 1), vec![op1(GFX9, "s_mov_b32", 0, 255)[0], 0xbf81_0000]].concat();
    let (wave, outcome) = run_words(GFX9, &words, 9, |_| {});
    assert_eq!((outcome, wave.executed, wave.state.pc), (Outcome::Ended, 2, 8));
    assert_eq!(wave.state.notes.codes(), ["jump-into-literal"]);
    let straight = [vec![op1(GFX9, "s_mov_b32", 0, 255)[0], 0xbf81_0000], opp(GFX9, "s_endpgm", 0)].concat();
    assert!(run_words(GFX9, &straight, 9, |_| {}).0.state.notes.is_empty());
}

#[test]
fn static_notes_only_of_what_executed() {
    // s_nop; s_mov_fed_b32; s_endpgm
    let words = [opp(GFX9, "s_nop", 0), op1(GFX9, "s_mov_fed_b32", 0, 1), opp(GFX9, "s_endpgm", 0)].concat();
    assert!(run_words(GFX9, &words, 1, |_| {}).0.state.notes.is_empty());
    assert_eq!(run_words(GFX9, &words, 2, |_| {}).0.state.notes.codes(), ["mov-fed"]);
    assert_eq!(run_words(GFX9, &words, 9, |_| {}).0.state.notes.codes(), ["mov-fed"]);
}

#[test]
fn any_base_address() {
    for base in [0, 0x1_0000_0000, 0x7fff_ffff_ff00, u64::MAX - 7] {
        let words = looping_program();
        let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
        let program = Program::new(GFX9, Arc::new(bytes), base & !3, 0);
        let mut wave = Wave::new(&program);
        assert_eq!(Interp::new(&program).run(&mut wave, 1_000), Outcome::Ended, "{base:#x}");
        assert_eq!((wave.state.sgpr[1], wave.state.pc), (15, (base & !3).wrapping_add(24)));
    }
}

fn fork(mask: u64, exec: u64, csp: u32) -> WaveState {
    run_one(GFX9, &op2(GFX9, "s_cbranch_g_fork", 0, 40, 42), |state| {
        state.set_pair(40, mask);
        state.set_pair(42, 0x103);
        state.set_exec(exec);
        state.mode = csp << 29;
    })
    .state
}

#[test]
fn forks() {
    let all = fork(0b11, 0b11, 0);
    assert_eq!((all.pc, all.exec(), all.mode, all.notes.codes()), (0x100, 0b11, 0, vec!["pc-low-bits"]));
    assert_eq!(fork(0, 0, 0).pc, 0x100); // EXEC = 0 jumps
    let none = fork(0b100, 0b11, 0);
    assert_eq!((none.pc, none.mode, none.notes.is_empty()), (4, 0, true));
    // On a tie the passing side goes first, and the failing side waits at the next instruction.
    let tie = fork(0b01, 0b11, 1);
    assert_eq!((tie.pc, tie.exec(), tie.mode >> 29), (0x100, 0b01, 2));
    assert_eq!((tie.pair(4), tie.pair(6)), (0b10, 4));
    // If fewer lanes fail, they go first. The target waits, with its low bits cleared.
    let few = fork(0b011, 0b111, 0);
    assert_eq!((few.pc, few.exec(), few.pair(0), few.pair(2)), (4, 0b100, 0b011, 0x100));
    let eighth = fork(0b01, 0b11, 7);
    assert_eq!((eighth.mode >> 29, eighth.pair(28)), (0, 0b10));
    assert!(eighth.notes.codes().contains(&"csp-wrap"));
}

/// The target of a fork may be a constant. The address of the next instruction includes the literal.
#[test]
fn forks_to_constants() {
    let fork = |mask: u64, target: &[u32]| {
        let words = [&op2(GFX9, "s_cbranch_g_fork", 0, 40, target[0])[..], &target[1..]].concat();
        let state = run_one(GFX9, &words, |state| {
            state.set_pair(40, mask);
            state.set_exec(0b11);
        });
        (state.state.pc, state.state.pair(0), state.state.pair(2))
    };
    assert_eq!(fork(0b11, &[255, 0x400]), (0x400, 0, 0));
    assert_eq!(fork(0b100, &[255, 0x400]), (8, 0, 0));
    assert_eq!(fork(0b01, &[255, 0x400]), (0x400, 0b10, 8));
    assert_eq!(fork(0b100, &[192]), (4, 0, 0));
    assert_eq!(fork(0b11, &[192]), (64, 0, 0));
}

#[test]
fn joins() {
    let join = |s0: u32, csp: u32| {
        run_one(GFX9, &op1(GFX9, "s_cbranch_join", 0, 40), |state| {
            state.sgpr[40] = s0;
            state.mode = csp << 29;
            state.set_pair(4, 0xf0);
            state.set_pair(6, 0x200);
            state.set_pair(28, 0xe0);
            state.set_pair(30, 0x300);
        })
        .state
    };
    assert_eq!((join(2, 2).pc, join(2, 2).mode >> 29), (4, 2));
    let pop = join(0, 2);
    assert_eq!((pop.pc, pop.exec(), pop.mode >> 29, pop.notes.is_empty()), (0x200, 0xf0, 1, true));
    assert_eq!(join(0x1000_0002, 2).pc, 0x200); // all 32 bits of S0 are compared
    let empty = join(1, 0);
    assert_eq!((empty.pc, empty.exec(), empty.mode >> 29, empty.notes.codes()), (0x300, 0xe0, 7, vec!["csp-wrap"]));
}

#[test]
fn hot_targets_stop_counting_runs() {
    let program = Program::from_words(GFX9, &looping_program());
    let mut interp = Interp::new(&program);
    let mut hot = HotCounters::new(&program, 2);
    let mut wave = Wave::new(&program);
    // Backward jumps go to dword 3 (returns) and dword 1. The return comes first, and its second arrival is hot.
    assert_eq!(interp.run_counting(&mut wave, &mut gcnsim_machine::Context::default(), u64::MAX, &mut hot), Stop::Hot);
    assert_eq!((wave.state.pc, wave.executed, wave.state.sgpr[0]), (12, 1 + 8 + 5, 4));
    // The target is hot again on every later arrival, unless it is disabled.
    assert_eq!(interp.run_counting(&mut wave, &mut gcnsim_machine::Context::default(), 4, &mut hot), Stop::Hot);
    assert_eq!(wave.state.pc, 4);
    hot.disable(4);
    hot.disable(12);
    assert_eq!(
        interp.run_counting(&mut wave, &mut gcnsim_machine::Context::default(), u64::MAX, &mut hot),
        Stop::Done(Outcome::Ended)
    );
    assert_eq!((wave.state.sgpr[1], wave.executed), (15, 42));

    // A compiled target is reported for forward jumps, too, but only for arrivals, not where the run starts.
    let mut hot = HotCounters::new(&program, 1_000);
    hot.mark_compiled(28);
    let mut wave = Wave::new(&program);
    assert_eq!(interp.run_counting(&mut wave, &mut gcnsim_machine::Context::default(), u64::MAX, &mut hot), Stop::Hot);
    assert_eq!((wave.state.pc, wave.executed), (28, 3));
    assert_eq!(interp.run_counting(&mut wave, &mut gcnsim_machine::Context::default(), u64::MAX, &mut hot), Stop::Hot);
    assert_eq!((wave.state.pc, wave.executed), (28, 11));
    // A used-up budget is reported first.
    assert_eq!(
        interp.run_counting(&mut wave, &mut gcnsim_machine::Context::default(), 8, &mut hot),
        Stop::Done(Outcome::Budget)
    );
    assert_eq!(wave.state.pc, 28);
    hot.disable(0x4000); // outside: ignored
}

/// Long stretches are decoded in parts, which must not show.
#[test]
fn long_straight_code() {
    let mut words = vec![op2(GFX9, "s_add_u32", 0, 0, 129)[0]; 10_000];
    words.extend(opp(GFX9, "s_endpgm", 0));
    let program = Program::from_words(GFX9, &words);
    let mut interp = Interp::new(&program);
    let mut hot = HotCounters::new(&program, 1);
    for max in [0, 1, 1023, 1024, 1025, 5_000, 20_000] {
        let mut wave = Wave::new(&program);
        let stop = interp.run_counting(&mut wave, &mut gcnsim_machine::Context::default(), max, &mut hot);
        let all = max > 10_000;
        assert_eq!(stop, Stop::Done(if all { Outcome::Ended } else { Outcome::Budget }));
        assert_eq!(wave.state.sgpr[0] as u64, max.min(10_000));
        assert_eq!((wave.state.pc, wave.executed), (4 * max.min(10_000), max.min(10_001)));
    }
}

/// A run of any dwords ends without a panic and counts at most its budget.
#[test]
fn random_dwords_do_not_panic() {
    let mut rng = Rng::new(0x1234_5678_9abc_def1);
    for arch in Arch::ALL {
        for _ in 0..2_000 {
            // The words are mostly scalar encodings and compares.
            let words: Vec<u32> = (0..40)
                .map(|_| match rng.below(8) {
                    0 => 0x7c00_0000 | rng.bits() & 0x01ff_ffff,
                    1 => rng.bits(),
                    _ => 0x8000_0000 | rng.bits() & 0x3fff_ffff,
                })
                .collect();
            let program = Program::from_words(arch, &words);
            let mut wave = Wave::new(&program);
            wave.state.sgpr.iter_mut().for_each(|r| *r = rng.bits() & 0xff);
            wave.state.set_exec(rng.bits64());
            let mut interp = Interp::new(&program);
            interp.count_classes();
            let mut hot = HotCounters::new(&program, 3);
            for _ in 0..20 {
                let max = u64::from(rng.below(50));
                let before = wave.executed;
                interp.run_counting(&mut wave, &mut gcnsim_machine::Context::default(), max, &mut hot);
                assert!(wave.executed - before <= max);
                assert_eq!(wave.classes.total(), wave.executed);
                wave.state.pc = 4 * u64::from(rng.below(40));
            }
        }
    }
}
