//! Measures the cost of exact counting and budgets. The region of each loop that executed most is compiled as usual and
//! without fuel. Both run in turns.
//!
//! `cargo bench --bench counting -- [WORD...]` restricts it to loops whose names contain a word.

mod common;

use common::{Loop, median};
use gcnsim::{Outcome, Wave};
use gcnsim_bench_support::clock::thread_time;
use gcnsim_engine::{Engine, RegionProfile, RunOptions};
use gcnsim_interp::Interp;
use gcnsim_isa::WaveState;
use gcnsim_jit::{CompileOptions, Compiler, ExitCode, Frame, Region, RegionKey};
use gcnsim_machine::Context;

const ROUNDS: usize = 9;

/// Compiles a region of a loop, with the entry and the observed jumps of its profile.
fn compile(of: &Loop, profile: &RegionProfile, uncounted: bool) -> Region {
    let mut compiler =
        Compiler::new(CompileOptions { uncounted, ..CompileOptions::default() }).expect("a compiler for this host");
    let RegionProfile { pc, mode, ref observed, maxima, ref predictable, .. } = *profile;
    let key = RegionKey { pc, mode, observed, maxima, predictable };
    compiler.compile(&of.program, &key).expect("it compiles").expect("a region")
}

/// Runs a loop to its end, in the region wherever it can be entered and otherwise in the interpreter. Returns the time
/// in the region in seconds, and the final state.
fn run(of: &Loop, region: &Region) -> (f64, WaveState) {
    let mut wave: Wave = of.wave(of.samples.jit);
    let mut interp = Interp::new(&of.program);
    let (mut context, mut frame) = (Context::default(), Frame::default());
    let mut time = 0.0;
    loop {
        match region.entries().iter().position(|entry| entry.pc == wave.state.pc) {
            Some(entry) => {
                frame.fuel = u64::MAX >> 1;
                let start = thread_time();
                let exit =
                    region.run(entry, &mut wave.state, &mut wave.vgprs, &mut wave.observed, &mut context, &mut frame);
                let exit = exit.expect("an exit code");
                time += (thread_time() - start).as_secs_f64();
                assert_ne!(exit, ExitCode::Fuel);
                if exit == ExitCode::Ended {
                    return (time, wave.state);
                }
            }
            None if interp.run(&mut wave, 1) == Outcome::Ended => return (time, wave.state),
            None => {}
        }
    }
}

fn main() {
    println!("| loop | counted, ms | uncounted, ms | cost of counting |");
    println!("|---|--:|--:|--:|");
    for of in common::suite() {
        let mut engine = Engine::new(RunOptions::default().max_insts(of.sidecar.max_insts));
        engine.run(&of.program, &mut of.wave(of.samples.jit)).outcome.expect("it runs");
        let profile = engine.profile().iter().max_by_key(|region| region.executed).expect("a region");
        let regions = [false, true].map(|uncounted| compile(&of, profile, uncounted));
        let (_, expected) = run(&of, &regions[0]);
        let (mut counted, mut uncounted, mut ratios) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..ROUNDS {
            let [a, b] = [0, 1].map(|i| {
                let (time, state) = run(&of, &regions[i]);
                assert_eq!(state, expected, "{}", of.name);
                time
            });
            counted.push(a);
            uncounted.push(b);
            ratios.push(a / b);
        }
        let [counted, uncounted] = [&mut counted, &mut uncounted].map(|times| median(times) * 1e3);
        println!("| {} | {counted:.1} | {uncounted:.1} | {:+.0} % |", of.name, (median(&mut ratios) - 1.0) * 100.0);
    }
}
