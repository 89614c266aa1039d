//! Every launch of the corpus has the same results on every engine, on every level of helpers, with segments on and
//! off, on one, two and four threads, twice in a row, and in a batch.
//!
//! Small launches run in every way, that is, every combination of these settings. Each other launch runs in a few ways,
//! in turn, so that all ways occur. With `GCNSIM_DETERMINISM=all` in the environment each runs in every way.

use crate::corpus;

use std::path::Path;
use std::process::Command;

use gcnsim::{ClassCounts, Outcome};
use gcnsim_engine::{EngineKind, RunOptions};
use gcnsim_isa::Notes;
use gcnsim_jit::helpers::Level;
use gcnsim_launches::launch::{LaunchFile, LaunchSpec, Syntax};
use gcnsim_launches::{DispatchOptions, LaunchResult, Launcher};
use gcnsim_loader::FileBytes;
use gcnsim_loader::code_object::CodeObject;
use serde_json::{Map, Value};

use corpus::{RETRIES, folder, test_each_object};

/// Most instructions of a small launch.
const SMALL: u64 = 500;
/// Number of ways in which other launches run.
const FEW: usize = 2;

/// A way to run a launch.
#[derive(Clone, Debug)]
struct Way {
    engine: EngineKind,
    hot: u32,
    level: Option<Level>,
    segments: bool,
    jobs: usize,
}

/// Returns all ways; the first is the interpreter on one thread.
fn ways() -> Vec<Way> {
    let mut ways = Vec::new();
    for jobs in [1, 2, 4] {
        let mut push = |engine, hot, level, segments| ways.push(Way { engine, hot, level, segments, jobs });
        push(EngineKind::Interp, 0, None, true);
        push(EngineKind::Jit, RunOptions::default().hot, None, true);
        for level in Level::available() {
            for segments in [true, false] {
                push(EngineKind::JitNoCheck, 0, Some(level), segments);
                push(EngineKind::Check, 0, Some(level), segments);
            }
        }
    }
    ways
}

/// The results, which must not depend on the way: outcome, notes, hash of the buffers; instructions in total and by
/// class.
type Said = (Outcome, Notes, u64, Option<(u64, ClassCounts)>);

fn options(way: &Way) -> DispatchOptions {
    let Way { engine, hot, level, segments, jobs } = way.clone();
    let mut run = RunOptions::default().engine(engine).hot(hot).level(level).counting_classes();
    run.segments = segments;
    DispatchOptions::default().run(run).jobs(jobs)
}

/// Returns what a result says. `counts` says whether numbers of instructions are part of it.
fn say(result: &LaunchResult, name: &str, way: &Way, counts: bool) -> Said {
    let run = &result.run;
    let outcome = run.outcome.clone().expect("no failure of ours");
    assert!(result.mismatches.is_empty(), "{name} {way:?}: {:?}", result.mismatches);
    (outcome, run.notes, result.state_hash, counts.then_some((run.instructions, run.classes)))
}

/// Runs a launch twice, one run after the other.
fn twice(object: &CodeObject, launch: &LaunchSpec, way: &Way) -> [Said; 2] {
    let (options, folder) = (options(way), folder());
    let mut launcher = Launcher::new(object, &folder, &[], &options).unwrap();
    let counts = way.jobs == 1 || launch.name != RETRIES;
    [0, 1].map(|_| say(&launcher.launch(launch, &|_| {}).unwrap(), &launch.name, way, counts))
}

/// Runs the launches of an object in their ways, and compares the results.
fn every_way(name: &str) {
    let source = name.split('-').next().unwrap();
    let text = std::fs::read_to_string(folder().join(source).with_extension("json")).unwrap();
    let file = LaunchFile::parse(&text, Syntax::Json).unwrap();
    assert!(file.buffers.is_empty() && file.launches.len() > 20);
    let object = CodeObject::parse(&FileBytes::read(&folder().join(name)).unwrap()).unwrap();
    let (ways, all) = (ways(), std::env::var("GCNSIM_DETERMINISM").is_ok_and(|value| value == "all"));
    // Each object begins with another way.
    let mut turn: usize = name.bytes().map(usize::from).sum();
    for launch in &file.launches {
        let [expected, again] = twice(&object, launch, &ways[0]);
        assert_eq!(again, expected, "{name} {}: twice", launch.name);
        let is_small = expected.3.is_some_and(|(instructions, _)| instructions <= SMALL);
        let count = if all || is_small { ways.len() } else { FEW };
        for _ in 0..count {
            turn += 1;
            let way = &ways[turn % ways.len()];
            let mut expected = expected;
            if way.jobs > 1 && launch.name == RETRIES {
                expected.3 = None;
            }
            for said in twice(&object, launch, way) {
                assert_eq!(said, expected, "{name} {}: {way:?}", launch.name);
            }
        }
    }
}

test_each_object!(every_way);

/// Returns the lines of a batch of a folder, without times.
fn batch(folder: &Path, flags: &[&str]) -> Vec<Map<String, Value>> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gcnsim"));
    let output = command.current_dir(folder).args(["batch", "."]).args(flags).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let mut lines: Vec<Map<String, Value>> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    lines.iter_mut().for_each(|line| line.retain(|key, _| !key.ends_with("_ns")));
    assert_eq!(lines.pop().unwrap()["schema"], "gcnsim.batch-end.v1");
    assert!(lines.len() > 40, "{}", String::from_utf8_lossy(&output.stderr));
    lines
}

/// Runs batches of two objects with launch files beside them. Lines are the same for any number of threads. Those of
/// different engines differ only in the fields that describe the engine. They agree with runs of single launches.
#[test]
fn batches() {
    let all = std::env::var("GCNSIM_DETERMINISM").is_ok_and(|value| value == "all");
    let bench = tempfile::tempdir().unwrap();
    let objects = ["kernels-gfx803-v4-O3", "algorithms-gfx906-v5-O1"];
    for name in objects {
        let source = name.split('-').next().unwrap();
        std::fs::copy(folder().join(name).with_extension("co"), bench.path().join(format!("{source}.co"))).unwrap();
        std::fs::copy(folder().join(format!("{source}.json")), bench.path().join(format!("{source}.json"))).unwrap();
    }
    let reference = batch(bench.path(), &["--interp", "--jobs", "1"]);
    let engines: [&[&str]; 3] = [&["--interp"], &["--jit"], &["--check", "--hot", "0"]];
    for (flags, threads) in engines.into_iter().zip([&["2", "4"][..], &["1", "2", "4"], &["2"]]) {
        let threads = if all { &["1", "2", "4", "2"][..] } else { threads };
        let mut first: Option<Vec<Map<String, Value>>> = None;
        for jobs in threads {
            let lines = batch(bench.path(), &[flags, &["--jobs", jobs]].concat());
            for (line, expected) in lines.iter().zip(&reference) {
                for key in [
                    "file",
                    "launch",
                    "outcome",
                    "detail",
                    "instructions",
                    "by_class",
                    "notes",
                    "state_hash",
                    "buffers",
                ] {
                    assert_eq!(line[key], expected[key], "{flags:?} {jobs} {key} of {}", line["launch"]);
                }
            }
            assert_eq!(lines.len(), reference.len());
            assert_eq!(*first.get_or_insert_with(|| lines.clone()), lines, "{flags:?} {jobs}");
        }
    }
    for name in objects {
        let source = name.split('-').next().unwrap();
        let text = std::fs::read_to_string(folder().join(format!("{source}.json"))).unwrap();
        let object = CodeObject::parse(&FileBytes::read(&folder().join(name).with_extension("co")).unwrap()).unwrap();
        for launch in LaunchFile::parse(&text, Syntax::Json).unwrap().launches.iter().step_by(5) {
            let [alone, _] = twice(&object, launch, &ways()[1]);
            let line = reference.iter().find(|line| line["launch"] == launch.name.as_str()).unwrap();
            assert_eq!(line["state_hash"], format!("{:016x}", alone.2), "{}", launch.name);
            assert_eq!(line["instructions"], alone.3.unwrap().0, "{}", launch.name);
        }
    }
}
