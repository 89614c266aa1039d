//! The common part of the benches: every engine and C run the loop suite of `corpus/loops`, and the results are
//! checked.
#![allow(dead_code)] // Each bench uses a part.

pub mod assemble;

use std::cell::Cell;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::Duration;

use gcnsim::{Outcome, Wave};
use gcnsim_bench_support::clock::thread_time;
use gcnsim_bench_support::native::{self, ByHand, CompileError, Exit, Native};
use gcnsim_bench_support::translate;
use gcnsim_engine::{Engine, EngineKind, RunOptions};
use gcnsim_interp::Interp;
use gcnsim_isa::{Arch, Flow, Kind, Program, WaveState};
use gcnsim_launches::sidecar::Sidecar;
use gcnsim_loader as loader;
use gcnsim_machine::Context;
use serde::Deserialize;

/// Whether the user wants loops of full length (`GCNSIM_BENCH_FULL=1`).
pub fn full_length() -> bool {
    std::env::var_os("GCNSIM_BENCH_FULL").is_some_and(|v| v != "0")
}

/// CPU time of a sample of a scaled loop.
const SAMPLE: Duration = Duration::from_millis(60);

/// The contents of `corpus/loops/loops.toml`.
#[derive(Deserialize)]
struct Table {
    #[serde(rename = "loop")]
    loops: Vec<Row>,
}

/// A loop in that file.
#[derive(Deserialize)]
struct Row {
    name: String,
    /// Number of the SGPR that has the number of iterations at the start.
    count_register: usize,
    /// Number of iterations at full length.
    iterations: u32,
}

/// A loop program and its C counterpart.
pub struct Loop {
    pub name: String,
    pub program: Program,
    pub sidecar: Sidecar,
    /// Iterations of a sample, by kind of code. All samples take about the same time.
    pub samples: Samples,
    /// As [`Row::count_register`].
    count_register: usize,
    /// Number of iterations at full length.
    full: u32,
    /// The least time of compiling and checking in a run so far. It is the same work in every run.
    least_overhead: Cell<Duration>,
    /// The loop as C, translated; `None` if there is no compiler.
    pub native: Option<Native>,
    /// All loops in C by hand; `None` if there is no compiler, or this loop reads VGPRs.
    pub by_hand: Option<Rc<ByHand>>,
}

/// Iterations of a sample of each kind of code.
#[derive(Clone, Copy)]
pub struct Samples {
    pub c: u32,
    pub jit: u32,
    pub interp: u32,
}

/// The state and the count that a run of a loop must end with.
#[derive(Clone)]
pub struct Expected {
    pub state: WaveState,
    pub executed: u64,
}

fn corpus() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus")
}

/// The folder for C texts.
fn scratch() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("c")
}

/// The loops whose names contain one of the words on the command line; all loops if there are none. Each is verified at
/// its full length, as C and compiled, with its sidecar.
///
/// # Panics
/// If a file cannot be read or a result is wrong.
pub fn suite() -> Vec<Loop> {
    let words: Vec<String> = std::env::args().skip(1).filter(|a| !a.starts_with('-')).collect();
    let text = std::fs::read_to_string(corpus().join("loops/loops.toml")).expect("corpus/loops/loops.toml");
    let table: Table = toml::from_str(&text).expect("corpus/loops/loops.toml");
    let wanted = |name: &str| words.is_empty() || words.iter().any(|word| name.contains(word.as_str()));
    let by_hand = native::compile_by_hand(&corpus().join("tools/loops_expected.c"), &scratch());
    let by_hand = match by_hand {
        Ok(by_hand) => Some(Rc::new(by_hand)),
        Err(CompileError::NoCompiler(_)) => None,
        Err(error) => panic!("loops in C by hand: {error}"),
    };
    table.loops.into_iter().filter(|row| wanted(&row.name)).map(|row| Loop::load(row, by_hand.clone())).collect()
}

impl Loop {
    fn load(row: Row, by_hand: Option<Rc<ByHand>>) -> Loop {
        let path = corpus().join("loops").join(&row.name).with_extension("bin");
        let loaded = loader::load(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        let sidecar = Sidecar::beside(&path).expect("a sidecar").expect("a sidecar");
        let arch = sidecar.arch.unwrap_or(Arch::Gcn14);
        let program = loaded.entries[0].program_at(arch, None, sidecar.entry.unwrap_or(0));
        let mut found = Loop {
            name: row.name,
            program,
            sidecar,
            samples: Samples { c: row.iterations, jit: row.iterations, interp: row.iterations },
            least_overhead: Cell::new(Duration::MAX),
            count_register: row.count_register,
            full: row.iterations,
            native: None,
            by_hand,
        };
        if found.has_compares() {
            found.by_hand = None;
        }
        found.native = found.compile();
        found.verify();
        found
    }

    /// Whether the program has vector compares.
    pub fn has_compares(&self) -> bool {
        (0..self.program.word_count()).any(|i| self.program.decode_word(i).is_ok_and(|d| d.desc().kind == Kind::Vcmp))
    }

    /// The wave at the start of a run of `iterations` iterations.
    pub fn wave(&self, iterations: u32) -> Wave {
        let mut wave = Wave::new(&self.program);
        if let Some(spec) = &self.sidecar.state {
            spec.apply(&mut wave);
        }
        wave.state.sgpr[self.count_register] = iterations;
        wave
    }

    /// Addresses that computed jumps reached in the first iterations.
    fn computed_targets(&self) -> Vec<u64> {
        let mut wave = self.wave(100);
        let mut interp = Interp::new(&self.program);
        let mut targets = std::collections::BTreeSet::new();
        loop {
            let inst = self.program.fetch(wave.state.pc).expect("an instruction");
            match interp.run(&mut wave, 1) {
                Outcome::Budget if matches!(inst.flow(), Flow::Indirect | Flow::SwapPc) => {
                    targets.insert(wave.state.pc);
                }
                Outcome::Budget => {}
                _ => return targets.into_iter().collect(),
            }
        }
    }

    /// Compiles the loop as C; `None` if there is no compiler.
    fn compile(&self) -> Option<Native> {
        let text = translate(&self.program, &self.computed_targets()).unwrap_or_else(|e| panic!("{}: {e}", self.name));
        match native::compile(&text, &self.name, &scratch()) {
            Ok(native) => Some(native),
            Err(error @ CompileError::NoCompiler(_)) => {
                eprintln!("{}: {error}; nothing is compared with C", self.name);
                None
            }
            Err(error) => panic!("{}: {error}", self.name),
        }
    }

    /// Runs the loop at full length as C and compiled, compares with the sidecar, and sets the length of samples.
    fn verify(&mut self) {
        let expectation = self.sidecar.expect.clone().expect("an expectation");
        let full = self.full;
        let scaled = |elapsed: Duration, iterations: u32| {
            let wanted = iterations as f64 * SAMPLE.as_secs_f64() / elapsed.as_secs_f64().max(1e-6);
            if full_length() { full } else { (wanted as u32).clamp(1, full) }
        };
        let mut wave = self.wave(full);
        let (outcome, cost) = timed(self, EngineKind::Jit, &mut wave);
        let wrong = expectation.differences(&wave, &Context::ready(0), &outcome);
        assert!(wrong.is_empty(), "{} compiled by the JIT: {wrong:?}", self.name);
        self.samples.jit = scaled(cost.run, full);
        let part = (full / 100).max(1);
        let (_, cost) = timed(self, EngineKind::Interp, &mut self.wave(part));
        self.samples.interp = scaled(cost.run, part);
        let Some(native) = &self.native else { return };
        let mut wave = self.wave(full);
        let start = thread_time();
        let exit = native.run(&mut wave.state, &wave.vgprs);
        let elapsed = thread_time() - start;
        assert_eq!(exit, Exit::Ended, "{} as C: PC {:#x}", self.name, wave.state.pc);
        wave.executed = expectation.instructions.unwrap_or(0);
        let wrong = expectation.differences(&wave, &Context::ready(0), &Outcome::Ended);
        assert!(wrong.is_empty(), "{} as C: {wrong:?}", self.name);
        self.samples.c = scaled(elapsed, full);
    }

    /// The expected end of a run of `iterations` iterations. The C text, which is verified, gives the state, and
    /// compiled code the count. Without a C compiler the interpreter gives both.
    pub fn expected(&self, iterations: u32) -> Expected {
        let mut wave = self.wave(iterations);
        let kind = if self.native.is_some() { EngineKind::JitNoCheck } else { EngineKind::Interp };
        timed(self, kind, &mut wave);
        let executed = wave.executed;
        let state = match &self.native {
            Some(native) => {
                let mut wave = self.wave(iterations);
                native.run(&mut wave.state, &wave.vgprs);
                wave.state
            }
            None => wave.state,
        };
        Expected { state, executed }
    }

    /// Runs the loop once on an engine. Returns the execution time without compiling and checking, and all other costs.
    pub fn run(&self, kind: EngineKind, iterations: u32, expected: &Expected) -> Cost {
        let mut wave = self.wave(iterations);
        let (outcome, cost) = timed(self, kind, &mut wave);
        assert_eq!(outcome, Outcome::Ended, "{}", self.name);
        assert_eq!(wave.executed, expected.executed, "{}: instructions executed", self.name);
        self.compare(&wave.state, expected);
        cost
    }

    /// Runs the loop once as C. Returns the CPU time.
    pub fn run_c(&self, native: &Native, iterations: u32, expected: &Expected) -> Duration {
        let mut wave = self.wave(iterations);
        let start = thread_time();
        native.run(&mut wave.state, &wave.vgprs);
        let elapsed = thread_time() - start;
        self.compare(&wave.state, expected);
        elapsed
    }

    /// Runs the loop once as it was written in C by hand. Returns the CPU time.
    pub fn run_by_hand(&self, by_hand: &ByHand, iterations: u32, expected: &Expected) -> Duration {
        let start = thread_time();
        let registers = by_hand.run(&self.name, iterations);
        let elapsed = thread_time() - start;
        let registers = registers.unwrap_or_else(|| panic!("{} is not there in C by hand", self.name));
        assert_eq!(registers[64..100], expected.state.sgpr[64..100], "{} in C by hand", self.name);
        elapsed
    }

    /// Panics if registers, SCC, MODE or PC are not as expected.
    fn compare(&self, state: &WaveState, expected: &Expected) {
        let is = &expected.state;
        assert!(
            state.sgpr == is.sgpr && state.scc == is.scc && state.mode == is.mode && state.pc == is.pc,
            "{}: the result is wrong",
            self.name
        );
    }
}

/// The cost of a run on an engine. `run` is CPU time, without the other two, which are wall time.
#[derive(Clone, Copy)]
pub struct Cost {
    pub run: Duration,
    pub compile: Duration,
    pub check: Duration,
}

/// Runs a wave to its end, with the budget of the sidecar.
fn timed(of: &Loop, engine: EngineKind, wave: &mut Wave) -> (Outcome, Cost) {
    let options = RunOptions::default().engine(engine).max_insts(of.sidecar.max_insts);
    let start = thread_time();
    let result = Engine::new(options).run(&of.program, wave);
    let all = thread_time() - start;
    let [compile, check] = [result.stats.compile_ns, result.stats.check_ns].map(Duration::from_nanos);
    // The engine's clock measures wall time, which on a busy machine is more than the CPU time.
    let overhead = match engine {
        EngineKind::Jit => of.least_overhead.get().min(compile + check),
        _ => compile + check,
    };
    if engine == EngineKind::Jit {
        of.least_overhead.set(overhead);
    }
    let run = all.saturating_sub(overhead);
    (result.outcome.unwrap_or_else(|e| panic!("{}: {e}", of.name)), Cost { run, compile, check })
}

/// The median of a list; 0 if it is empty.
pub fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    match values {
        [] => 0.0,
        _ if values.len() % 2 == 1 => values[values.len() / 2],
        _ => (values[values.len() / 2 - 1] + values[values.len() / 2]) / 2.0,
    }
}

/// The geometric mean; 1 if there are no values.
pub fn geometric_mean(values: impl IntoIterator<Item = f64>) -> f64 {
    let (mut sum, mut n) = (0.0, 0.0);
    for value in values {
        sum += value.ln();
        n += 1.0;
    }
    if n == 0.0 { 1.0 } else { f64::exp(sum / n) }
}
