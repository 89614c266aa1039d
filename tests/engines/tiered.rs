//! The tiered engine: which code it compiles, when, and how much.

use crate::instructions;

use std::sync::Arc;

use gcnsim::{Outcome, Wave};
use gcnsim_engine::{Engine, EngineKind, RunOptions, RunStats};
use gcnsim_isa::{Arch, Program};
use gcnsim_jit::cache::SharedRegions;
use gcnsim_jit::{CompileOptions, Compiler, EqualMaxima, RegionKey};
use instructions::{op2, opc, opk, opp};

const ARCH: Arch = Arch::Gcn14;

/// Returns a program of `count` loops, one after the other. Each has ten instructions of 4 bytes, runs `trips` times
/// and adds to s1.
fn loops(count: usize, trips: u16) -> Program {
    let mut words = Vec::new();
    for _ in 0..count {
        words.extend(opk(ARCH, "s_movk_i32", 0, trips));
        for _ in 0..7 {
            words.extend(op2(ARCH, "s_add_u32", 1, 1, 0));
        }
        words.extend(op2(ARCH, "s_sub_u32", 0, 0, 129));
        words.extend(opc(ARCH, "s_cmp_lg_u32", 0, 128));
        words.extend(opp(ARCH, "s_cbranch_scc1", -10));
    }
    words.extend(opp(ARCH, "s_endpgm", 0));
    Program::from_words(ARCH, &words)
}

/// Returns the number of instructions that the interpreter and compiled code executed, and the number of regions.
fn run(program: &Program, hot: u32, region_max: u32) -> (u64, u64, u64) {
    let mut engine = Engine::new(RunOptions::default().engine(EngineKind::Jit).hot(hot).region_max(region_max));
    let mut wave = Wave::new(program);
    let result = engine.run(program, &mut wave);
    assert_eq!(result.outcome, Ok(Outcome::Ended));
    let compiled: u64 = engine.profile().iter().map(|region| region.executed).sum();
    (wave.executed - compiled, compiled, result.stats.regions_compiled)
}

#[test]
fn what_is_compiled_was_earned_by_interpreting() {
    // Each loop becomes hot when it is almost over, so compiling it gains nothing.
    let (interpreted, _, regions) = run(&loops(100, 110), 100, 10);
    assert!(regions >= 2, "the first two are free");
    assert!(10 * regions <= 2 * 10 + interpreted / 100, "{regions} regions for {interpreted} instructions");
    // Regions of ten times the loop's size need ten times the credit.
    let (interpreted, _, regions) = run(&loops(1000, 110), 100, 100);
    assert!(100 * regions <= 2 * 100 + interpreted / 100, "{regions} regions for {interpreted} instructions");
}

#[test]
fn a_loop_that_had_to_wait_is_compiled_later() {
    let (interpreted, compiled, regions) = run(&loops(20, 10_000), 100, 10);
    assert!(regions >= 20);
    assert!(compiled > 20 * interpreted, "{compiled} instructions compiled, {interpreted} interpreted");
}

#[test]
fn everything_is_compiled_at_once_if_asked() {
    let (interpreted, compiled, regions) = run(&loops(30, 50), 0, 10);
    assert_eq!((interpreted, compiled), (0, 30 * (1 + 50 * 10) + 1));
    assert!(regions >= 30);
}

#[test]
fn regions_of_dense_control_flow_are_smaller() {
    // One program has branches over one instruction each, on a hundred registers; the other has no branches.
    let code = |branches: bool| {
        let mut words = Vec::new();
        for i in 0..1000 {
            if branches {
                words.extend(opp(ARCH, "s_cbranch_scc1", 1));
            }
            words.extend(op2(ARCH, "s_add_u32", i % 100, (i + 1) % 100, (i * 7) % 100));
        }
        words.extend(opp(ARCH, "s_endpgm", 0));
        Program::from_words(ARCH, &words)
    };
    let size = |program: &Program| {
        let mut compiler = Compiler::new(CompileOptions::default()).unwrap();
        let key = RegionKey { pc: 0, mode: 0, observed: &[], maxima: EqualMaxima::Unknown, predictable: &[] };
        compiler.compile(program, &key).unwrap().unwrap().inst_count()
    };
    assert_eq!(size(&code(false)), 1000);
    let dense = size(&code(true));
    assert!((100..500).contains(&dense), "{dense} instructions");
}

#[test]
fn runs_of_identical_programs_share_regions() {
    // s1 += s0; s0 -= STEP; until s0 == 0.
    let program = |step: u32| {
        let mut words = op2(ARCH, "s_add_u32", 1, 1, 0);
        words.extend(op2(ARCH, "s_sub_u32", 0, 0, 128 + step));
        words.extend(opc(ARCH, "s_cmp_lg_u32", 0, 128));
        words.extend(opp(ARCH, "s_cbranch_scc1", -4));
        words.extend(opp(ARCH, "s_endpgm", 0));
        Program::from_words(ARCH, &words)
    };
    let shared = Arc::<SharedRegions>::default();
    let run = |program: &Program, start: u32, shared: Option<Arc<SharedRegions>>| {
        let mut wave = Wave::new(program);
        wave.state.sgpr[0] = start;
        let result = gcnsim_engine::run(program, &mut wave, &RunOptions::default().shared(shared));
        assert_eq!(result.outcome, Ok(Outcome::Ended));
        let RunStats { regions_entered, regions_compiled, checks, .. } = result.stats;
        (wave.state.sgpr[1], wave.executed, [regions_entered, regions_compiled, checks])
    };
    let sum = |n: u32, step: u32| (0..=n).step_by(step as usize).fold(0, |sum: u32, n| sum.wrapping_add(n));
    for (step, start, kept) in [(1, 100_000, 1), (1, 50_000, 1), (2, 100_000, 2), (2, 60_000, 2), (1, 100_000, 2)] {
        let program = program(step);
        let alone = run(&program, start, None);
        assert_eq!((alone.0, alone.1), (sum(start, step), 4 * (start / step) as u64 + 1));
        assert_eq!(alone.2[1], 1);
        assert_eq!(run(&program, start, Some(shared.clone())), alone, "step {step}, from {start}");
        assert_eq!(shared.count(), kept, "step {step}, from {start}");
    }
    // Other settings give other code.
    let options = RunOptions::default().shared(shared.clone()).counting_classes();
    let program = program(1);
    let mut wave = Wave::new(&program);
    wave.state.sgpr[0] = 100_000;
    assert_eq!(gcnsim_engine::run(&program, &mut wave, &options).outcome, Ok(Outcome::Ended));
    assert_eq!((wave.classes.0.iter().sum::<u64>(), shared.count()), (wave.executed, 3));
}

#[test]
fn compiling_in_the_background_changes_no_result() {
    // The loop has 500 instructions.
    let mut words = Vec::new();
    for i in 0..497 {
        words.extend(op2(ARCH, ["s_add_u32", "s_xor_b32", "s_lshl_b32"][i as usize % 3], 1 + i % 9, 1 + i % 7, i % 11));
    }
    words.extend(op2(ARCH, "s_sub_u32", 20, 20, 129));
    words.extend(opc(ARCH, "s_cmp_lg_u32", 20, 128));
    words.extend(opp(ARCH, "s_cbranch_scc1", -500));
    words.extend(opp(ARCH, "s_endpgm", 0));
    let program = Program::from_words(ARCH, &words);
    // The second run is over before a region can be ready; in the third a region is ready early.
    for (iterations, budget) in [(4_100, None), (5_000, Some(2_100_001)), (600_000, None)] {
        let run = |engine, background| {
            let mut options = RunOptions::default().engine(engine).max_insts(budget);
            options.background = background;
            let mut wave = Wave::new(&program);
            (wave.state.sgpr[0], wave.state.sgpr[20]) = (0x9e37_79b9, iterations);
            let mut engine = Engine::new(options);
            let result = engine.run(&program, &mut wave);
            let compiled: u64 = engine.profile().iter().map(|region| region.executed).sum();
            ((result.outcome, wave.state, wave.executed), compiled)
        };
        let (expected, _) = run(EngineKind::Interp, false);
        assert!(expected.0.is_ok());
        let (found, compiled) = run(EngineKind::Jit, true);
        assert_eq!(found, expected, "{iterations} iterations");
        if iterations == 600_000 {
            assert!(compiled > 0, "nothing was compiled in a third of a second");
        }
    }
}

#[test]
fn waves_of_a_session_share_what_is_known_of_their_program() {
    // The program has loops, and raises a note (the two operands of S_MAX_I32 are equal).
    let mut words = opk(ARCH, "s_movk_i32", 2, 300);
    words.extend(op2(ARCH, "s_add_u32", 1, 1, 0));
    words.extend(op2(ARCH, "s_max_i32", 3, 1, 1));
    words.extend(op2(ARCH, "s_sub_u32", 2, 2, 129));
    words.extend(opc(ARCH, "s_cmp_lg_u32", 2, 128));
    words.extend(opp(ARCH, "s_cbranch_scc1", -5));
    words.extend(opp(ARCH, "s_endpgm", 0));
    let program = Program::from_words(ARCH, &words);
    let start = |i: u32| {
        let mut wave = Wave::new(&program);
        wave.state.sgpr[0] = i;
        wave
    };
    let alone: Vec<Wave> = (0..20)
        .map(|i| {
            let mut wave = start(i);
            let options = RunOptions::default().engine(EngineKind::Interp);
            assert_eq!(gcnsim_engine::run(&program, &mut wave, &options).outcome, Ok(Outcome::Ended));
            wave
        })
        .collect();
    for engine in [EngineKind::Interp, EngineKind::Jit, EngineKind::Check] {
        let mut engine = Engine::new(RunOptions::default().engine(engine).hot(500));
        let mut waves: Vec<Wave> = (0..20).map(start).collect();
        let mut compiled = 0;
        let session = engine.session(&program);
        // The waves take turns of a hundred instructions.
        for turn in 1u64..=16 {
            for wave in waves.iter_mut().filter(|wave| wave.executed == 100 * (turn - 1)) {
                let result = session.run(wave, Some(100));
                compiled += result.stats.regions_compiled;
                match result.outcome {
                    Ok(Outcome::Budget) => assert_eq!(wave.executed, 100 * turn),
                    outcome => assert_eq!(outcome, Ok(Outcome::Ended)),
                }
            }
        }
        for (wave, alone) in waves.iter().zip(&alone) {
            assert_eq!((&wave.state, wave.executed), (&alone.state, alone.executed));
            assert_eq!(wave.executed, 2 + 5 * 300);
        }
        // One wave has 300 arrivals, too few to become hot, but all waves together have 6000. Turns begin at one place
        // of the loop, which becomes hot, too.
        let expected = if engine.options().engine == EngineKind::Interp { 0 } else { 2 };
        assert_eq!(compiled, expected);
    }
}
