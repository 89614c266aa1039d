//! Measures the first run of programs that do not fit a region: 4,000 and 40,000 instructions, every eighth of them a
//! branch, in a loop over everything, in which all of it gets hot. The cost must not grow faster than the program. Then
//! it measures the effect of compiling on another thread, and the cost of a region of the densest control flow by its
//! size limit.
//!
//! Times are CPU time, medians of [`ROUNDS`]. With two threads they are the least wall time.

mod common;

use std::time::{Duration, Instant};

use common::assemble::{Shape, dense, large};
use common::median;
use gcnsim::{Outcome, Wave};
use gcnsim_bench_support::clock::thread_time;
use gcnsim_engine::{Engine, EngineKind, RunOptions};
use gcnsim_isa::Program;
use gcnsim_jit::{CompileOptions, Compiler, EqualMaxima, RegionKey};

const ROUNDS: usize = 5;

/// The cost of a first run.
struct First {
    /// CPU time in seconds, including compiling.
    total: f64,
    /// Time of compiling in seconds.
    compile: f64,
    /// Number of regions compiled.
    regions: u64,
    executed: u64,
}

/// The wave at the start of a program of this bench: 24 SGPRs have values that differ.
fn wave(program: &Program) -> Wave {
    let mut wave = Wave::new(program);
    for (i, word) in wave.state.sgpr[..24].iter_mut().enumerate() {
        *word = (i as u32 + 1).wrapping_mul(0x9e37_79b9);
    }
    wave
}

/// Runs a program on a new engine.
fn first(program: &Program, engine: EngineKind) -> First {
    let mut wave = wave(program);
    let start = thread_time();
    let result = Engine::new(RunOptions::default().engine(engine)).run(program, &mut wave);
    let total = (thread_time() - start).as_secs_f64();
    assert_eq!(result.outcome, Ok(Outcome::Ended));
    let compile = Duration::from_nanos(result.stats.compile_ns).as_secs_f64();
    First { total, compile, regions: result.stats.regions_compiled, executed: wave.executed }
}

/// Prints the costs of first runs, by size and shape.
fn first_runs() {
    println!("| program | instructions | executed, M | --interp, ms | --jit, ms | of it compiling | regions |");
    println!("|---|--:|--:|--:|--:|--:|--:|");
    for (shape, rounds) in [(Shape::Local, 800), (Shape::Far, 3_000)] {
        let mut medians = Vec::new();
        for insts in [4_000, 40_000] {
            let program = large(1, insts, rounds, shape);
            let (mut total, mut compile, mut interp) = (Vec::new(), Vec::new(), Vec::new());
            let mut last = None;
            for _ in 0..ROUNDS {
                let jit = first(&program, EngineKind::Jit);
                total.push(jit.total);
                compile.push(jit.compile);
                interp.push(first(&program, EngineKind::Interp).total);
                last = Some(jit);
            }
            let last = last.expect("a run");
            let [total, compile, interp] = [&mut total, &mut compile, &mut interp].map(|times| median(times));
            println!(
                "| {shape:?} | {insts} | {:.0} | {:.0} | {:.0} | {:.0} | {} |",
                last.executed as f64 / 1e6,
                interp * 1e3,
                total * 1e3,
                compile * 1e3,
                last.regions,
            );
            medians.push((total, compile));
        }
        let (total, compile) = (medians[1].0 / medians[0].0, medians[1].1 / medians[0].1);
        println!("{shape:?}: ten times the size takes {total:.1} times as long, compiling {compile:.1} times");
    }
}

/// Prints the wall time of first runs with compiling in the background, and without.
fn in_background() {
    println!("| program | instructions | executed, M | --interp, ms | --jit, ms | in the background, ms |");
    println!("|---|--:|--:|--:|--:|--:|");
    let cases = [(Shape::Local, 4_000, 800), (Shape::Local, 40_000, 800), (Shape::Local, 4_000, 16_000)];
    for (shape, insts, rounds) in cases.into_iter().chain([(Shape::Far, 4_000, 3_000), (Shape::Far, 40_000, 3_000)]) {
        let program = large(1, insts, rounds, shape);
        let mut least = [f64::MAX; 3];
        let mut executed = 0;
        for _ in 0..2 * ROUNDS {
            let kinds = [(EngineKind::Interp, false), (EngineKind::Jit, false), (EngineKind::Jit, true)];
            for (least, (engine, background)) in least.iter_mut().zip(kinds) {
                let mut wave = wave(&program);
                let start = Instant::now();
                let mut options = RunOptions::default().engine(engine);
                options.background = background;
                let result = Engine::new(options).run(&program, &mut wave);
                *least = least.min(start.elapsed().as_secs_f64() * 1e3);
                assert_eq!(result.outcome, Ok(Outcome::Ended));
                executed = wave.executed;
            }
        }
        let [interp, jit, background] = least;
        let millions = executed as f64 / 1e6;
        println!("| {shape:?} | {insts} | {millions:.0} | {interp:.0} | {jit:.0} | {background:.0} |");
    }
}

/// Prints the time to compile a region of dense control flow, by its size limit.
fn dense_regions() {
    println!("| registers | region-max | instructions | compiling, ms |");
    println!("|--:|--:|--:|--:|");
    for registers in [24, 100] {
        let program = dense(3, 6_000, registers);
        for region_max in [250, 500, 1_000, 2_000, 4_000] {
            let options = CompileOptions { region_max, ..CompileOptions::default() };
            let mut compiler = Compiler::new(options).expect("a compiler for this host");
            let key = RegionKey {
                pc: program.entry(),
                mode: 0,
                observed: &[],
                maxima: EqualMaxima::Unknown,
                predictable: &[],
            };
            let mut insts = 0;
            let mut times: Vec<f64> = (0..ROUNDS)
                .map(|_| {
                    let start = thread_time();
                    let region = compiler.compile(&program, &key).expect("it compiles").expect("a region");
                    insts = region.inst_count();
                    (thread_time() - start).as_secs_f64()
                })
                .collect();
            println!("| {registers} | {region_max} | {insts} | {:.1} |", median(&mut times) * 1e3);
        }
    }
}

fn main() {
    first_runs();
    println!();
    in_background();
    println!();
    dense_regions();
}
