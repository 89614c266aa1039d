//! Runs a program on both engines and checks that they agree, for tests of hostile programs.
#![allow(dead_code)]

use std::sync::Arc;

use gcnsim::{Outcome, Wave};
use gcnsim_engine::{EngineKind, RunOptions, run};
use gcnsim_isa::{Arch, Program, WaveState};
use gcnsim_jit::MAX_REGION;

pub fn program(arch: Arch, words: &[u32], base: u64) -> Program {
    let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
    Program::new(arch, Arc::new(bytes), base, 0)
}

/// Returns settings that compile at once: with checks; and without checks, in regions of one instruction, of a few, and
/// of any size.
pub fn settings() -> Vec<RunOptions> {
    let with = |engine, region_max| RunOptions::default().engine(engine).hot(0).region_max(region_max);
    vec![
        with(EngineKind::Check, 1000),
        with(EngineKind::JitNoCheck, 1),
        with(EngineKind::JitNoCheck, 5),
        with(EngineKind::JitNoCheck, MAX_REGION as u32),
    ]
}

/// Runs a wave on the interpreter, and on compiled code with each of `settings`. State, notes, count and outcome with
/// its detail must agree. Returns the interpreter's result.
#[track_caller]
pub fn agree_under(settings: &[RunOptions], program: &Program, wave: &Wave, budget: u64) -> (Wave, Outcome) {
    let mut expected = wave.clone();
    let options = RunOptions::default().engine(EngineKind::Interp).max_insts(budget);
    let outcome = run(program, &mut expected, &options).outcome.unwrap();
    for options in settings {
        let mut actual = wave.clone();
        let options = options.clone().max_insts(budget);
        let what = || format!("{:?}, region of {}, {program:?}", options.engine, options.region_max);
        match run(program, &mut actual, &options).outcome {
            Err(error) => panic!("{}: {error}", what()),
            Ok(compiled) => assert_eq!(compiled, outcome, "{}", what()),
        }
        assert_eq!(actual.state, expected.state, "{}", what());
        assert_eq!(actual.executed, expected.executed, "{}", what());
    }
    (expected, outcome)
}

#[track_caller]
pub fn agree(program: &Program, wave: &Wave, budget: u64) -> (Wave, Outcome) {
    agree_under(&settings(), program, wave, budget)
}

pub fn wave_with(program: &Program, init: impl FnOnce(&mut WaveState)) -> Wave {
    let mut wave = Wave::new(program);
    init(&mut wave.state);
    wave
}
