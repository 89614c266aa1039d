//! Random kernels of a real compiler: every engine has the results that the same program, printed as C, had on the
//! host.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

use flate2::read::GzDecoder;
use gcnsim::{EngineKind, Outcome, RunOptions};
use gcnsim_launches::launch::{LaunchFile, LaunchSpec, Syntax};
use gcnsim_launches::{DispatchOptions, Launcher};
use gcnsim_loader::FileBytes;
use gcnsim_loader::code_object::CodeObject;
use serde_json::Value;

/// Returns the programs of `corpus/witness`, one after the other.
fn programs() -> impl Iterator<Item = Value> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus/witness/kernels.jsonl.gz");
    let lines = BufReader::new(GzDecoder::new(File::open(path).unwrap())).lines();
    lines.map(|line| serde_json::from_str(&line.unwrap()).unwrap())
}

/// Returns the code object in a program's line.
fn object(program: &Value) -> CodeObject {
    let digits = program["object"].as_str().unwrap();
    let bytes: Vec<u8> =
        (0..digits.len()).step_by(2).map(|at| u8::from_str_radix(&digits[at..at + 2], 16).unwrap()).collect();
    CodeObject::parse(&FileBytes::from(bytes)).unwrap()
}

/// Runs all kernels of a program and compares the buffers with the expected ones. Returns instructions and hash of
/// each.
fn run(program: &Value, engine: EngineKind, hot: Option<u32>) -> Vec<(u64, u64)> {
    let file = LaunchFile::parse(&program["launches"].to_string(), Syntax::Json).unwrap();
    let object = object(program);
    let hot = hot.unwrap_or(RunOptions::default().hot);
    let run = RunOptions::default().engine(engine).hot(hot);
    let options = DispatchOptions::default().run(run).jobs(1);
    let mut launcher = Launcher::new(&object, Path::new("."), &file.buffers, &options).unwrap();
    let results = file.launches.iter().map(|launch| {
        let result = launcher.launch(launch, &|_| {}).unwrap();
        let name = format!("seed {} {} on {engine:?}", program["seed"], launch.name);
        assert_eq!(result.run.outcome, Ok(Outcome::Ended), "{name}");
        assert!(launch.expect.as_ref().is_some_and(|expect| !expect.buffers.is_empty()), "{name}: nothing is expected");
        assert!(result.mismatches.is_empty(), "{name}: {:?}", result.mismatches);
        (result.run.instructions, result.state_hash)
    });
    results.collect()
}

#[test]
fn every_engine_agrees_with_the_host() {
    let mut count = 0;
    for program in programs() {
        let expected = run(&program, EngineKind::Interp, None);
        for (engine, hot) in [(EngineKind::Jit, None), (EngineKind::Check, Some(0))] {
            assert_eq!(run(&program, engine, hot), expected, "seed {} on {engine:?}", program["seed"]);
        }
        count += expected.len();
    }
    assert!(count >= 20, "only {count} kernels");
}

/// Zeros in place of inputs must be noticed in some results, which shows that buffers are compared.
#[test]
fn other_inputs_give_other_results() {
    let mut noticed = 0;
    for mut program in programs() {
        for launch in program["launches"]["launch"].as_array_mut().unwrap() {
            for (name, buffer) in launch["buffers"].as_object_mut().unwrap() {
                if name.starts_with("in") {
                    let length = buffer["hex"].as_str().unwrap().len();
                    buffer["hex"] = Value::from("0".repeat(length));
                }
            }
        }
        let file = LaunchFile::parse(&program["launches"].to_string(), Syntax::Json).unwrap();
        let object = object(&program);
        let options = DispatchOptions::default();
        let mut launcher = Launcher::new(&object, Path::new("."), &file.buffers, &options).unwrap();
        let differs = |launch: &LaunchSpec| !launcher.launch(launch, &|_| {}).unwrap().mismatches.is_empty();
        noticed += usize::from(file.launches.iter().any(differs));
    }
    assert!(noticed > 10, "only {noticed} programs depend on their inputs");
}
