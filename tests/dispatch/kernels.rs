//! Kernels of a real compiler on four generations: every engine has the results that `corpus/kernels` expects.

use crate::corpus;

use std::sync::atomic::{AtomicU64, Ordering};

use gcnsim::{EngineKind, Outcome, RunOptions};
use gcnsim_device::OneThread;
use gcnsim_device::args::ArgValue;
use gcnsim_launches::launch::{LaunchFile, LaunchSpec, Syntax};
use gcnsim_launches::{DispatchOptions, Launcher, launch};
use gcnsim_loader::FileBytes;
use gcnsim_loader::code_object::CodeObject;

use corpus::{RETRIES, folder, test_each_object};

/// Returns the launches of an object: `kernels.json` for `kernels-gfx900-v5-O2.co`.
fn launches(object: &str) -> LaunchFile {
    let (source, _) = object.split_once('-').unwrap();
    let text = std::fs::read_to_string(folder().join(source).with_extension("json")).unwrap();
    LaunchFile::parse(&text, Syntax::Json).unwrap()
}

/// Runs an object. Returns the number of instructions and the hash of the buffers of each launch.
fn run(object: &str, engine: EngineKind, hot: Option<u32>, jobs: usize) -> Vec<(String, u64, u64)> {
    let file = launches(object);
    let object = CodeObject::parse(&FileBytes::read(&folder().join(object)).unwrap()).unwrap();
    let hot = hot.unwrap_or(RunOptions::default().hot);
    let run = RunOptions::default().engine(engine).hot(hot);
    let options = DispatchOptions::default().run(run).jobs(jobs);
    let folder = folder();
    let mut launcher = Launcher::new(&object, &folder, &file.buffers, &options).unwrap();
    let mut results = Vec::new();
    for launch in &file.launches {
        let result = launcher.launch(launch, &|_| {}).unwrap();
        let where_it_stopped = result.run.stopped.as_ref().map(|s| (s.group, s.index, s.wave.state.pc));
        assert_eq!(result.run.outcome, Ok(Outcome::Ended), "{}: {where_it_stopped:x?}", launch.name);
        assert!(result.mismatches.is_empty(), "{}: {:?}", launch.name, result.mismatches);
        results.push((launch.name.clone(), result.run.instructions, result.state_hash));
    }
    assert!(results.len() > 20);
    results
}

/// Checks that all engines, with one thread and with two, have the same results.
fn every_way(object: &str) {
    let expected = run(object, EngineKind::Interp, None, 1);
    for (found, expected) in run(object, EngineKind::Interp, None, 2).into_iter().zip(&expected) {
        let count = if expected.0 == RETRIES { expected.1 } else { found.1 };
        assert_eq!((found.0, count, found.2), *expected, "two threads");
    }
    for (engine, hot) in [(EngineKind::Jit, None), (EngineKind::Check, Some(0))] {
        assert_eq!(run(object, engine, hot, 1), expected, "{engine:?}");
    }
}

test_each_object!(every_way);

/// Without metadata, arguments are where C would put them, and hidden ones follow.
#[test]
fn arguments_of_kernels_without_metadata() {
    for name in ["kernels-gfx900-v5-O2.co", "kernels-gfx906-v4-Os.co"] {
        let mut object = CodeObject::parse(&FileBytes::read(&folder().join(name)).unwrap()).unwrap();
        object.kernels.iter_mut().for_each(|kernel| kernel.metadata = None);
        let collatz = LaunchSpec::new("collatz", &[3], &[64]).unwrap();
        let collatz = collatz.args([ArgValue::buffer("steps"), ArgValue::u32(6)]).buffer("steps", vec![0; 12]);
        let result = launch(&object, &collatz, &DispatchOptions::default()).unwrap();
        // Collatz takes 8, 16 and 3 steps from 6, 7 and 8 to 1.
        assert_eq!(result.buffer("steps").unwrap(), [8, 0, 0, 0, 16, 0, 0, 0, 3, 0, 0, 0], "{name}");
    }
}

/// A check takes writes back, which would lose updates by other threads. So in kernels with atomics each check runs
/// alone, and if everything is checked there is one thread.
#[test]
fn atomics_are_checked_alone() {
    let object = "kernels-gfx900-v5-O2.co";
    let file = launches(object);
    let object = CodeObject::parse(&FileBytes::read(&folder().join(object)).unwrap()).unwrap();
    let one_thread = |name: &str, engine| {
        let run = RunOptions::default().engine(engine);
        let options = DispatchOptions::default().run(run).jobs(2);
        let folder = folder();
        let mut launcher = Launcher::new(&object, &folder, &file.buffers, &options).unwrap();
        let launch = file.launches.iter().find(|launch| launch.name == name).unwrap();
        let done = AtomicU64::new(0);
        let result = launcher.launch(launch, &|groups| _ = done.fetch_max(groups, Ordering::Relaxed)).unwrap();
        assert_eq!((result.run.outcome, result.mismatches.len()), (Ok(Outcome::Ended), 0), "{name}");
        assert_eq!(done.into_inner(), result.facts.groups, "{name}");
        result.run.one_thread
    };
    assert_eq!(one_thread("histogram", EngineKind::Check), Some(OneThread::CheckedAtomics));
    assert_eq!(one_thread("collatz", EngineKind::Check), None, "no atomics, so two threads are right");
    for engine in [EngineKind::Jit, EngineKind::JitNoCheck, EngineKind::Interp] {
        assert_eq!([one_thread("histogram", engine), one_thread("collatz", engine)], [None; 2], "{engine:?}");
    }
}
