//! Prints a table of whole kernels: wave instructions, time and speed on one thread, and the geometric mean.
//!
//! `cargo bench --bench kernels -- [WORD...]` restricts it to launches whose names contain a word. The best of three
//! runs counts. Time is CPU time, less that of a launch that ends after one interpreted instruction, which is the cost
//! of setting up. What a kernel leaves in its buffers must be the same in every run. A table beside PoCL follows, where
//! python3 and PoCL are installed.

mod common;

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use common::geometric_mean;
use gcnsim::Outcome;
use gcnsim_bench_support::clock::thread_time;
use gcnsim_engine::EngineKind;
use gcnsim_launches::launch::{LaunchFile, LaunchSpec, Syntax};
use gcnsim_launches::{DispatchOptions, LaunchResult, Launcher};
use gcnsim_loader::FileBytes;
use gcnsim_loader::code_object::CodeObject;

/// Runs of each kernel.
const ROUNDS: usize = 3;

/// The best run of a kernel.
struct Best {
    /// Number of wave instructions.
    instructions: u64,
    /// CPU time in nanoseconds.
    ns: u64,
}

impl Best {
    /// Million instructions per second.
    fn speed(&self) -> f64 {
        self.instructions as f64 / self.ns as f64 * 1e3
    }
}

/// Runs a launch; if `is_start`, only until its first instruction is interpreted, before which nothing is compiled.
/// Returns its result and its CPU time.
fn timed(object: &CodeObject, spec: &LaunchSpec, folder: &Path, is_start: bool) -> (LaunchResult, Duration) {
    let mut options = DispatchOptions::default().jobs(1);
    if is_start {
        (options.max_insts, options.run.engine) = (Some(1), EngineKind::Interp);
    }
    let mut launcher = Launcher::new(object, folder, &[], &options).expect("no shared buffers");
    let start = thread_time();
    let result = launcher.launch(spec, &|_| {}).unwrap_or_else(|error| panic!("{}: {error}", spec.name));
    (result, thread_time() - start)
}

/// Runs a launch [`ROUNDS`] times.
fn best_run(object: &CodeObject, spec: &LaunchSpec, folder: &Path) -> Best {
    let mut hashes = Vec::new();
    let mut best = Best { instructions: 0, ns: u64::MAX };
    for _ in 0..ROUNDS {
        let (_, start) = timed(object, spec, folder, true);
        let (result, all) = timed(object, spec, folder, false);
        assert_eq!(result.run.outcome, Ok(Outcome::Ended), "{}", spec.name);
        assert!(result.mismatches.is_empty(), "{}: {:?}", spec.name, result.mismatches);
        best.instructions = result.run.instructions;
        best.ns = best.ns.min(all.saturating_sub(start).as_nanos() as u64);
        hashes.push(result.state_hash);
    }
    assert!(hashes.iter().all(|hash| *hash == hashes[0]), "{}: results differ between runs", spec.name);
    best
}

/// Prints the table of gcnsim beside PoCL for the launches `names`. Without PoCL, the script says so.
fn beside_pocl(folder: &Path, names: &[&str]) {
    let mut script = Command::new("python3");
    script.arg(folder.join("pocl.py")).arg(env!("CARGO_BIN_EXE_gcnsim")).args(["--only", &names.join(",")]);
    println!();
    match script.status() {
        Ok(status) if status.success() => {}
        Ok(status) => println!("left out: pocl.py ended with {status}"),
        Err(error) => println!("left out: python3: {error}"),
    }
}

fn main() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/kernels");
    let text = std::fs::read_to_string(folder.join("kernels.json")).expect("benches/kernels/kernels.json");
    let file = LaunchFile::parse(&text, Syntax::Json).unwrap_or_else(|error| panic!("kernels.json: {error}"));
    let words: Vec<String> = std::env::args().skip(1).filter(|arg| !arg.starts_with('-')).collect();
    let is_wanted = |spec: &LaunchSpec| words.is_empty() || words.iter().any(|word| spec.name.contains(word.as_str()));
    println!("ms and million wave instructions/s on one thread, compiling and checks included, best of {ROUNDS}");
    for chip in ["gfx803", "gfx900"] {
        let bytes = FileBytes::read(&folder.join(format!("kernels-{chip}.co"))).expect("a code object");
        let object = CodeObject::parse(&bytes).expect("a code object");
        println!("\n| {chip} | wave instructions | ms | M/s |\n|---|--:|--:|--:|");
        let mut speeds = Vec::new();
        for spec in &file.launches {
            if !is_wanted(spec) {
                continue;
            }
            let best = best_run(&object, spec, &folder);
            let (ms, speed) = (best.ns as f64 / 1e6, best.speed());
            println!("| {} | {} | {ms:.1} | {speed:.1} |", spec.name, best.instructions);
            speeds.push(speed);
        }
        println!("| geometric mean | | | {:.1} |", geometric_mean(speeds));
    }
    let names: Vec<&str> = file.launches.iter().filter(|spec| is_wanted(spec)).map(|spec| &*spec.name).collect();
    beside_pocl(&folder, &names);
}
