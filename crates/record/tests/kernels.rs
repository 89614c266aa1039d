//! Kernels of the corpus are recorded, and their launch files do the same again, on both engines, wherever they are.

use std::fs;
use std::path::{Path, PathBuf};

use gcnsim_engine::{EngineKind, Observers, RunOptions};
use gcnsim_launches::launch::{LaunchFile, Syntax};
use gcnsim_launches::{DispatchOptions, LaunchResult, Launcher};
use gcnsim_loader::code_object::CodeObject;
use gcnsim_loader::{FileBytes, read_text};
use gcnsim_record::{About, Object, Recorded, Recorder};
use serde_json::Value;

fn corpus(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/kernels").join(name)
}

/// Runs each launch of a file as it is, and once more to record it.
fn record(recorder: &Recorder, name: &str, launches: &str) -> Vec<(String, Recorded)> {
    let bytes = FileBytes::read(&corpus(name)).unwrap();
    let objects = CodeObject::parse_all(&bytes).unwrap();
    let file = LaunchFile::parse(&read_text(&corpus(launches)).unwrap(), Syntax::Json).unwrap();
    let options = DispatchOptions::default().run(options(EngineKind::default())).jobs(1);
    let folder = corpus("");
    let mut launcher = Launcher::new(&objects[0], &folder, &file.buffers, &options).unwrap();
    let mut recorded = Vec::new();
    for launch in &file.launches {
        let result = launcher.launch(launch, &|_| {}).unwrap();
        let placed = &result.placed;
        let names = launch.buffers.iter().chain(&file.buffers).map(|buffer| buffer.name.as_str());
        let allocations: Vec<(u64, u64)> = names.filter_map(|name| placed.buffer_at(name)).collect();
        let kernel = launch.kernel.as_deref().unwrap();
        let object = Object { bytes: &objects[0].bytes, moved: placed.addresses.image, kernel };
        let about = About {
            name: &launch.name,
            chip: objects[0].chip,
            object: Some(object),
            kernarg: Some(placed.addresses.kernarg),
            packet: Some(placed.addresses.packet),
            grid: launch.geometry.grid,
            group: launch.geometry.group,
            allocations: &allocations,
        };
        let mut observers = Observers::none();
        let request =
            gcnsim_device::Request { max_insts: launch.max_insts, ..gcnsim_device::Request::new(&mut observers) };
        recorded.push((launch.name.clone(), recorder.run(&placed.dispatch, &about, request, &|| None).unwrap()));
    }
    recorded
}

/// Both engines tell the same of what each kernel accesses: compiled code marks rows of lanes, the interpreter marks
/// lane by lane.
#[test]
fn engines_agree_on_what_is_accessed() {
    for (name, launches) in
        [("kernels-gfx900-v5-O2.co", "kernels.json"), ("algorithms-gfx803-v2-O1.co", "algorithms.json")]
    {
        let objects = CodeObject::parse_all(&FileBytes::read(&corpus(name)).unwrap()).unwrap();
        let file = LaunchFile::parse(&read_text(&corpus(launches)).unwrap(), Syntax::Json).unwrap();
        let folder = corpus("");
        let told = [EngineKind::Interp, EngineKind::JitNoCheck, EngineKind::Check].map(|engine| {
            let run = options(engine).hot(0);
            let options = DispatchOptions::default().run(run).jobs(1);
            let mut launcher = Launcher::new(&objects[0], &folder, &file.buffers, &options).unwrap();
            let mut told = Vec::new();
            for launch in &file.launches {
                let result = launcher.launch(launch, &|_| {}).unwrap();
                let mut observers = Observers::none();
                let request = gcnsim_device::Request::new(&mut observers);
                let accessed = result.placed.dispatch.run_traced(request, |_, accessed| accessed).unwrap();
                let of_mapping = accessed.into_iter().map(|one| (one.mapping.base, one.loaded, one.stored));
                told.push((launch.name.clone(), of_mapping.collect::<Vec<_>>()));
            }
            told
        });
        assert!(told[0].iter().all(|(_, accessed)| accessed.len() > 1), "the kernarg segment and a buffer");
        for (interpreted, compiled) in told[1..].iter().flat_map(|told_by| told[0].iter().zip(told_by)) {
            assert!(interpreted == compiled, "{name}\n{interpreted:x?}\n{compiled:x?}");
        }
    }
}

fn options(engine: EngineKind) -> RunOptions {
    RunOptions::default().engine(engine)
}

/// Runs the launch of a folder.
fn replay(folder: &Path, engine: EngineKind) -> LaunchResult {
    let path = folder.join("launch.json");
    let bytes = FileBytes::read_code(folder).unwrap();
    let objects = CodeObject::parse_all(&bytes).unwrap();
    let file = LaunchFile::parse(&read_text(&path).unwrap(), Syntax::Json).unwrap();
    let options = DispatchOptions::default().run(options(engine));
    Launcher::new(&objects[0], folder, &[], &options).unwrap().launch(&file.launches[0], &|_| {}).unwrap()
}

fn lines(folder: &Path) -> Vec<Value> {
    let text = fs::read_to_string(folder.join("record.jsonl")).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn every_kernel_does_the_same_again() {
    let root = tempfile::tempdir().unwrap();
    let (folder, moved) = (root.path().join("rec"), root.path().join("elsewhere"));
    let recorder = Recorder::create(&folder, u64::MAX).unwrap();
    let mut all = Vec::new();
    for (name, launches) in [
        ("kernels-gfx600-v3-O2.co", "kernels.json"),
        ("kernels-gfx701-v2-O1.co", "kernels.json"),
        ("kernels-gfx803-v4-O3.co", "kernels.json"),
        ("kernels-gfx900-v4-O0.co", "kernels.json"),
        ("kernels-gfx906-v4-Os.co", "kernels.json"),
        ("algorithms-gfx803-v2-O1.co", "algorithms.json"),
        ("algorithms-gfx906-v5-O1.co", "algorithms.json"),
    ] {
        all.extend(record(&recorder, name, launches));
    }
    let lines = lines(&folder);
    assert_eq!(lines.len(), all.len());
    let is_by_kernel = lines.iter().filter(|line| line["form"] == "kernel").count();
    assert!(is_by_kernel * 10 > lines.len() * 8, "{is_by_kernel} of {}", lines.len());
    fs::rename(&folder, &moved).unwrap();
    for ((name, recorded), line) in all.iter().zip(&lines) {
        assert_eq!((&recorded.reason, line["name"].as_str()), (&None, Some(name.as_str())));
        let folder = recorded.folder.as_ref().unwrap();
        assert_eq!(line["folder"].as_str(), Some(folder.as_str()));
        for engine in [EngineKind::Interp, EngineKind::default()] {
            let result = replay(&moved.join(folder), engine);
            assert_eq!(result.run.outcome, recorded.run.outcome, "{folder}");
            assert_eq!((result.mismatches.len(), result.run.instructions), (0, recorded.run.instructions), "{folder}");
        }
    }
}
