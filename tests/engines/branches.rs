//! Branches that the engine has judged: easy ones stay branches, others become selections, and nothing else changes.

use crate::agree::{program, wave_with};
use crate::instructions::{op1, op2, opc, opp};
use gcnsim::{Outcome, Wave};
use gcnsim_engine::{Engine, EngineKind, RunOptions};
use gcnsim_isa::{Arch, Program};

const GFX9: Arch = Arch::Gcn14;

/// Factor and summand of a generator. Its lowest bit changes in every round, its highest one at random.
const GENERATOR: (u32, u32) = (1_664_525, 1_013_904_223);

/// A loop of s4 rounds, which adds s1 to s2 in those in which bit s5 of s1 is set. It runs s3 times, with 2^s9 times as
/// many rounds and another bit (s5 ^ s8) each time.
fn phases() -> Program {
    let words = [
        op1(GFX9, "s_mov_b32", 0, 4),      // 0x00
        op2(GFX9, "s_mul_i32", 1, 1, 6),   // 0x04
        op2(GFX9, "s_add_u32", 1, 1, 7),   // 0x08
        opc(GFX9, "s_bitcmp1_b32", 1, 5),  // 0x0c
        opp(GFX9, "s_cbranch_scc0", 1),    // 0x10, to 0x18
        op2(GFX9, "s_add_u32", 2, 2, 1),   // 0x14
        op2(GFX9, "s_sub_u32", 0, 0, 129), // 0x18
        opc(GFX9, "s_cmp_lg_u32", 0, 128), // 0x1c
        opp(GFX9, "s_cbranch_scc1", -8),   // 0x20, to 0x04
        op2(GFX9, "s_xor_b32", 5, 5, 8),   // 0x24
        op2(GFX9, "s_lshl_b32", 4, 4, 9),  // 0x28
        op2(GFX9, "s_sub_u32", 3, 3, 129), // 0x2c
        opc(GFX9, "s_cmp_lg_u32", 3, 128), // 0x30
        opp(GFX9, "s_cbranch_scc1", -14),  // 0x34, to 0x00
        opp(GFX9, "s_endpgm", 0),          // 0x38
    ]
    .concat();
    program(GFX9, &words, 0)
}

/// The address of the branch that may be converted.
const BRANCH: u64 = 0x10;

/// How often and how long the loop runs.
#[derive(Clone, Copy)]
struct Phases {
    times: u32,
    /// Rounds of the first time.
    rounds: u32,
    /// Logarithm of the factor from each time to the next.
    growth: u32,
    /// The bit of the first time. 0 is easy to predict, 31 is hard.
    bit: u32,
}

impl Phases {
    /// The loop runs once.
    fn once(rounds: u32, bit: u32) -> Phases {
        Phases { times: 1, rounds, growth: 0, bit }
    }
}

fn wave(program: &Program, phases: Phases) -> Wave {
    let Phases { times, rounds, growth, bit } = phases;
    wave_with(program, |state| {
        state.sgpr[1..10].copy_from_slice(&[9, 0, times, rounds, bit, GENERATOR.0, GENERATOR.1, 31, growth]);
    })
}

/// s1, s2 and the number of executed instructions at the end.
fn expected(phases: Phases) -> (u32, u32, u64) {
    let Phases { times, rounds, growth, bit } = phases;
    let (mut s1, mut s2, mut added, mut all) = (9u32, 0u32, 0, 0);
    for time in 0..times {
        let bit = if time.is_multiple_of(2) { bit } else { bit ^ 31 };
        for _ in 0..rounds << (growth * time) {
            s1 = s1.wrapping_mul(GENERATOR.0).wrapping_add(GENERATOR.1);
            if s1 >> bit & 1 == 1 {
                s2 = s2.wrapping_add(s1);
                added += 1;
            }
        }
        all += u64::from(rounds) << (growth * time);
    }
    (s1, s2, 7 * all + added + 6 * u64::from(times) + 1)
}

/// Runs to the end. Returns s1, s2, the number of instructions, and the easy branches of each region.
fn run(engine: EngineKind, of: Phases) -> ((u32, u32, u64), Vec<Vec<u64>>) {
    let program = phases();
    let mut wave = wave(&program, of);
    let mut engine = Engine::new(RunOptions::default().engine(engine));
    assert_eq!(engine.run(&program, &mut wave).outcome, Ok(Outcome::Ended));
    let easy = engine.profile().iter().map(|region| region.predictable.clone()).collect();
    ((wave.state.sgpr[1], wave.state.sgpr[2], wave.executed), easy)
}

#[test]
fn easy_branches_stay_branches() {
    for engine in [EngineKind::Jit, EngineKind::Check, EngineKind::JitNoCheck] {
        for (bit, easy) in [(31, vec![]), (0, vec![BRANCH])] {
            let once = Phases::once(20_000, bit);
            assert_eq!(run(engine, once), (expected(once), vec![easy]), "{engine:?}");
        }
    }
}

/// The engine judges while a budget ends: before the loop is hot, while ways are noted, and after that.
#[test]
fn budgets_end_at_an_exact_instruction_while_ways_are_noted() {
    let program = phases();
    for bit in [0, 31] {
        for budget in [29_990, 30_000, 30_017, 31_001, 36_000, 45_005, 46_000, 60_002] {
            let mut ends = [EngineKind::Interp, EngineKind::JitNoCheck, EngineKind::Jit].map(|engine| {
                let mut wave = wave(&program, Phases::once(20_000, bit));
                let options = RunOptions::default().engine(engine).max_insts(budget);
                assert_eq!(Engine::new(options).run(&program, &mut wave).outcome, Ok(Outcome::Budget));
                assert_eq!(wave.executed, budget);
                wave.state
            });
            let first = ends[0].clone();
            assert!(ends.iter_mut().all(|end| *end == first), "bit {bit}, budget {budget}");
        }
    }
}

/// A branch that becomes easy, and then hard again. The region is compiled again each time, but not for ever.
#[test]
fn branches_are_judged_again() {
    // The ways are noted after about 30,000, 17 million and 67 million instructions. The loop begins for the second and
    // third time after 8 and 39 million.
    let of = Phases { times: 3, rounds: 1 << 20, growth: 2, bit: 31 };
    let (end, easy) = run(EngineKind::JitNoCheck, of);
    assert_eq!(end, expected(of));
    assert_eq!(easy, [vec![], vec![BRANCH], vec![]]);
}

/// A branch that is easy and hard by turns. The ways are noted after each 17 million instructions of a region, and the
/// loop begins again after each 15 million, so that the branch has changed each time. The fifth region is the last.
#[test]
fn branches_that_change_for_ever_are_compiled_five_times() {
    let of = Phases { times: 8, rounds: 2_000_000, growth: 0, bit: 31 };
    let (end, easy) = run(EngineKind::JitNoCheck, of);
    assert_eq!(end, expected(of));
    assert_eq!(easy, [vec![], vec![BRANCH], vec![], vec![BRANCH], vec![]]);
}
