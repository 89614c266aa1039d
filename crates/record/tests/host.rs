//! Recordings of a program that gives its memory to a device, as drivers do: limits, interruptions, several writers,
//! dispatches that do not end well, and a program that writes while a kernel runs.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use gcnsim_device::abi::{self, Addresses};
use gcnsim_device::args::{ArgValue, Places};
use gcnsim_device::geometry::Geometry;
use gcnsim_device::{Device, DeviceOptions, Grid, Registers, Request, Scratch, load};
use gcnsim_engine::{EngineKind, Observers, RunOptions};
use gcnsim_isa::kernel::{Rsrc1, Rsrc2};
use gcnsim_launches::launch::{LaunchFile, Outside, Syntax};
use gcnsim_launches::{DispatchOptions, LaunchResult, Launcher};
use gcnsim_loader::code_object::CodeObject;
use gcnsim_loader::{FileBytes, read_text};
use gcnsim_machine::{Backing, Mapping, Outcome};
use gcnsim_record::{About, Object, RecordError, Recorded, Recorder};
use serde_json::Value;

const KERNARG: u64 = 0x7f10_0000_0000;
const QUEUE: u64 = 0x7f20_0000_0000;
const SCRATCH: u64 = 0x7f30_0000_0000;
const IMAGE: u64 = 0x7f40_0000_0000;
const FIRST: u64 = 0x7f00_0000_0000;

/// A program with a code object in the memory of its device.
struct Host {
    device: Device,
    object: CodeObject,
    kernarg: Arc<Backing>,
    queue: Arc<Backing>,
    /// Whether the recorder is told where the kernarg segment is.
    tells_kernarg: bool,
    allocations: Vec<(u64, u64)>,
}

impl Host {
    fn new(name: &str) -> Host {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/kernels").join(name);
        let object = CodeObject::parse(&FileBytes::read(&path).unwrap()).unwrap();
        let device = Device::new(object.arch, DeviceOptions::default());
        // As ROCr does: one allocation has the whole object, and the device may write it.
        let (first, span) = object.span();
        let image = Arc::new(Backing::zeroed((first + span) as usize).unwrap());
        for mapping in load::mappings(&object, 0).unwrap() {
            let mut bytes = vec![0; mapping.len as usize];
            mapping.backing.read_into(mapping.offset, &mut bytes);
            image.write(mapping.base as usize, &bytes);
        }
        device.map(Mapping::new(IMAGE, "image", image)).unwrap();
        let [kernarg, queue] = [1 << 16, 1 << 12].map(|size| Arc::new(Backing::zeroed(size).unwrap()));
        device.map(Mapping::new(KERNARG, "kernarg", kernarg.clone())).unwrap();
        device.map(Mapping::new(QUEUE, "queue", queue.clone())).unwrap();
        let allocations = vec![(IMAGE, first + span), (KERNARG, 1 << 16), (QUEUE, 1 << 12)];
        Host { device, object, kernarg, queue, tells_kernarg: true, allocations }
    }

    /// Allocates memory that holds some bytes.
    fn alloc(&mut self, bytes: &[u8]) -> (u64, Arc<Backing>) {
        let base = FIRST + ((self.allocations.len() as u64) << 24);
        let memory = Arc::new(Backing::zeroed(bytes.len()).unwrap());
        memory.write(0, bytes);
        self.device.map(Mapping::new(base, "memory", memory.clone())).unwrap();
        self.allocations.push((base, bytes.len() as u64));
        (base, memory)
    }

    fn floats(&mut self, numbers: impl Iterator<Item = f32>) -> (u64, Arc<Backing>) {
        let bytes: Vec<u8> = numbers.flat_map(f32::to_le_bytes).collect();
        self.alloc(&bytes)
    }

    fn launch(
        &self,
        recorder: &Recorder,
        name: &str,
        (grid, group): ([u32; 3], [u32; 3]),
        args: &[ArgValue],
        max_insts: Option<u64>,
    ) -> Recorded {
        let kernel = &self.object.kernels[self.object.kernel_index(name).unwrap()];
        let geometry = Geometry::new(&grid, &group, &[]).unwrap();
        // The kernarg segment of another launch lies before this one.
        let kernarg = KERNARG + 256;
        let (packet, queue) = (QUEUE + 64, QUEUE + 1024);
        let addresses = Addresses { image: IMAGE, kernarg, packet, queue, scratch: SCRATCH, printf: 0 };
        let places = Places { arch: self.object.arch, objects: 0, list: Vec::new() };
        let size = abi::kernarg_size_for(kernel, args);
        let prepared =
            abi::prepare(&self.object, kernel, &geometry, (args, size), &places, &addresses, |_| {}).unwrap();
        self.kernarg.write(256, &prepared.kernarg);
        self.queue.write(64, &prepared.packet);
        self.queue.write(1024, &prepared.queue);
        let dispatch = self.device.dispatch(prepared.registers).unwrap();
        let about = About {
            name,
            chip: self.object.chip,
            object: Some(Object { bytes: &self.object.bytes, moved: IMAGE, kernel: name }),
            kernarg: self.tells_kernarg.then_some(kernarg),
            packet: Some(packet),
            grid,
            group,
            allocations: &self.allocations,
        };
        let mut observers = Observers::none();
        let request = Request { max_insts, ..Request::new(&mut observers) };
        match recorder.refusal(&about) {
            Some(reason) => recorder.note(&about, dispatch.run(request).unwrap(), reason),
            None => recorder.run(&dispatch, &about, request, &|| None).unwrap(),
        }
    }

    fn saxpy(&mut self, recorder: &Recorder, count: u32, a: f32) -> Recorded {
        let (x, _) = self.floats((0..count).map(|i| i as f32));
        let (y, _) = self.floats((0..count).map(|_| 1.0));
        let args = [ArgValue::u64(y), ArgValue::u64(x), ArgValue::f32(a), ArgValue::i32(count as i32)];
        self.launch(recorder, "saxpy", ([count.next_multiple_of(64), 1, 1], [64, 1, 1]), &args, None)
    }
}

fn replay(folder: &Path, engine: EngineKind) -> LaunchResult {
    let bytes = FileBytes::read_code(folder).unwrap();
    let objects = CodeObject::parse_all(&bytes).unwrap();
    let file = LaunchFile::parse(&read_text(&folder.join("launch.json")).unwrap(), Syntax::Json).unwrap();
    let options = DispatchOptions::default().run(RunOptions::default().engine(engine));
    Launcher::new(&objects[0], folder, &[], &options).unwrap().launch(&file.launches[0], &|_| {}).unwrap()
}

fn json(path: &Path) -> Value {
    serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

fn lines(folder: &Path) -> Vec<Value> {
    let text = fs::read_to_string(folder.join("record.jsonl")).unwrap();
    text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
}

fn size_of(folder: &Path) -> u64 {
    let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    files.map(|path| if path.is_dir() { size_of(&path) } else { fs::symlink_metadata(&path).unwrap().len() }).sum()
}

fn root() -> (tempfile::TempDir, PathBuf) {
    let root = tempfile::tempdir().unwrap();
    let folder = root.path().join("rec");
    (root, folder)
}

#[test]
fn arguments_are_those_of_the_program() {
    let (_root, folder) = root();
    let recorder = Recorder::create(&folder, u64::MAX).unwrap();
    let mut host = Host::new("kernels-gfx803-v4-O3.co");
    let recorded = host.saxpy(&recorder, 100, 2.5);
    assert_eq!((recorded.folder.as_deref(), recorded.reason), (Some("000000-saxpy"), None));
    let launch = &json(&folder.join("000000-saxpy/launch.json"))["launch"][0];
    assert_eq!(launch["args"], serde_json::json!([{"buffer": "arg0"}, {"buffer": "arg1"}, {"f32": 2.5}, {"i32": 100}]));
    assert_eq!((&launch["grid"], &launch["group"]), (&serde_json::json!([128, 1, 1]), &serde_json::json!([64, 1, 1])));
    let line = &lines(&folder)[0];
    assert_eq!((&line["form"], &line["kernel"], &line["index"]), (&"kernel".into(), &"saxpy".into(), &0.into()));
    let result = replay(&folder.join("000000-saxpy"), EngineKind::default());
    let y: Vec<u8> = (0..100).flat_map(|i| (1.0 + 2.5 * i as f32).to_le_bytes()).collect();
    assert_eq!((result.mismatches.len(), result.buffer("arg0").unwrap()), (0, y));
    // Another launch with the same inputs has no new contents.
    let files = |folder: &Path| fs::read_dir(folder.join("data")).unwrap().count();
    let before = files(&folder);
    host.saxpy(&recorder, 100, 2.5);
    assert_eq!(files(&folder), before);
}

/// Pointers in memory keep their addresses, and the allocations their bounds.
#[test]
fn memory_with_pointers_is_recorded_by_registers() {
    let (_root, folder) = root();
    let recorder = Recorder::create(&folder, u64::MAX).unwrap();
    let mut host = Host::new("kernels-gfx900-v5-O2.co");
    let (out, _) = host.alloc(&[0; 400]);
    let recorded = {
        // What a kernel writes looks like an address.
        let (a, memory) = host.alloc(&vec![0; 80 * 8]);
        let (b, ones) = host.alloc(&vec![0; 80 * 8]);
        for i in 0..80 {
            memory.write(8 * i, &(out + i as u64).to_le_bytes());
            ones.write(8 * i, &1u64.to_le_bytes());
        }
        let (to, _) = host.alloc(&vec![0; 80 * 8 * 4]);
        let args = [to, a, b].map(ArgValue::u64);
        host.launch(&recorder, "mul64", ([80, 1, 1], [64, 1, 1]), &args, None)
    };
    let folder = folder.join(recorded.folder.unwrap());
    let launch = &json(&folder.join("launch.json"))["launch"][0];
    assert_eq!((&launch["registers"]["arch"], &launch["kernel"]), (&"gfx900".into(), &"mul64".into()));
    let bases: Vec<&str> =
        launch["allocations"].as_array().unwrap().iter().map(|one| one["base"].as_str().unwrap()).collect();
    assert!(bases.contains(&"0x7f0004000000") && bases.contains(&"0x7f1000000000"), "{bases:?}");
    let kernarg = launch["memory"].as_array().unwrap().iter().find(|memory| memory["name"] == "kernarg").unwrap();
    // What no wave has read is not there.
    assert!(kernarg["size"].as_u64().unwrap() <= 128 && kernarg["base"] == "0x7f1000000100", "{kernarg}");
    for engine in [EngineKind::Interp, EngineKind::default()] {
        assert_eq!(replay(&folder, engine).mismatches, []);
    }
}

/// Everything lies where the program has put it: code and constants in one allocation, which the device may write.
#[test]
fn every_kernel_runs_by_registers() {
    let (_root, folder) = root();
    let recorder = Recorder::create(&folder, u64::MAX).unwrap();
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/kernels");
    for (name, launches) in [
        ("kernels-gfx803-v4-O3.co", "kernels.json"),
        ("kernels-gfx900-v4-O0.co", "kernels.json"),
        ("algorithms-gfx906-v5-O1.co", "algorithms.json"),
    ] {
        let file = LaunchFile::parse(&read_text(&corpus.join(launches)).unwrap(), Syntax::Json).unwrap();
        for launch in &file.launches {
            let mut host = Host::new(name);
            host.tells_kernarg = false;
            let none = Places { arch: host.object.arch, objects: 0, list: Vec::new() };
            let mut addresses = HashMap::new();
            for buffer in launch.buffers.iter().chain(&file.buffers) {
                let mut bytes = Vec::new();
                let Ok(given) = buffer.given(&corpus, Outside::Refused, &none) else { continue };
                given.put(&mut |piece| bytes.extend(piece)).unwrap();
                bytes.resize(buffer.size_in(&corpus, Outside::Refused).unwrap() as usize, 0);
                addresses.insert(buffer.name.as_str(), host.alloc(&bytes).0);
            }
            let args = launch.args.iter().map(|arg| match arg {
                ArgValue::Pointer { buffer, at } => addresses.get(buffer.as_str()).map(|base| ArgValue::u64(base + at)),
                other => Some(other.clone()),
            });
            // Buffers with pointers to others are not made here.
            let Some(args) = args.collect::<Option<Vec<ArgValue>>>() else { continue };
            let sizes = (launch.geometry.grid, launch.geometry.group);
            let recorded = host.launch(&recorder, launch.kernel.as_deref().unwrap(), sizes, &args, None);
            let folder = recorded.folder.unwrap_or_else(|| panic!("{name} {}: {:?}", launch.name, recorded.reason));
            assert_eq!(recorded.run.outcome, Ok(Outcome::Ended), "{folder}");
            assert_eq!(replay(&recorder.folder().join(&folder), EngineKind::Interp).mismatches, [], "{folder}");
        }
    }
    let lines = lines(&folder);
    assert!(lines.len() > 70 && lines.iter().all(|line| line["form"] == "registers"), "{}", lines.len());
}

#[test]
fn what_does_not_end_well_does_the_same_again() {
    let (_root, folder) = root();
    let recorder = Recorder::create(&folder, u64::MAX).unwrap();
    let mut host = Host::new("kernels-gfx906-v4-Os.co");
    let (x, _) = host.floats((0..64).map(|i| i as f32));
    let (y, _) = host.floats((0..64).map(|_| 1.0));
    let beyond = [ArgValue::u64(y), ArgValue::u64(x + (1 << 23)), ArgValue::f32(1.0), ArgValue::i32(64)];
    let one = ([64, 1, 1], [64, 1, 1]);
    let fault = host.launch(&recorder, "saxpy", one, &beyond, None);
    let steps = [ArgValue::u64(y), ArgValue::u32(27)];
    let budget = host.launch(&recorder, "collatz", one, &steps, Some(100));
    for (recorded, outcome) in [(fault, "fault"), (budget, "budget")] {
        let name = recorded.folder.unwrap_or_else(|| panic!("{:?}", recorded.reason));
        let launch = &json(&folder.join(&name).join("launch.json"))["launch"][0];
        assert_eq!(launch["expect"]["outcome"], outcome);
        let result = replay(&folder.join(&name), EngineKind::default());
        assert_eq!((result.run.outcome, result.mismatches.len()), (recorded.run.outcome, 0), "{name}");
    }
}

#[test]
fn beyond_the_limit_there_are_no_folders() {
    let (_root, folder) = root();
    let limit = 60_000;
    let recorder = Recorder::create(&folder, limit).unwrap();
    let mut host = Host::new("kernels-gfx803-v4-O3.co");
    let recorded: Vec<Recorded> = (0..8).map(|i| host.saxpy(&recorder, 500, i as f32)).collect();
    let count = recorded.iter().filter(|recorded| recorded.folder.is_some()).count();
    assert!((1..8).contains(&count), "{count}");
    assert!(recorded.iter().all(|recorded| recorded.run.outcome.is_ok()));
    let lines = lines(&folder);
    assert_eq!(lines.iter().filter(|line| line["folder"].is_string()).count(), count);
    assert!(lines[7]["reason"].as_str().unwrap().contains("60000 bytes"), "{}", lines[7]);
    let list = fs::metadata(folder.join("record.jsonl")).unwrap().len();
    // Links and the list do not count.
    assert!(size_of(&folder) - list <= limit + 1000, "{}", size_of(&folder));
    let sum: u64 = lines.iter().map(|line| line["bytes"].as_u64().unwrap()).sum();
    assert!(sum <= limit);
}

/// What a killed process leaves: a folder without a name, a folder without a line, a line without an end.
#[test]
fn an_interrupted_recording_goes_on() {
    let (_root, folder) = root();
    let mut host = Host::new("kernels-gfx803-v4-O3.co");
    let recorder = Recorder::create(&folder, u64::MAX).unwrap();
    host.saxpy(&recorder, 10, 1.0);
    drop(recorder);
    fs::create_dir(folder.join(".99-7")).unwrap();
    fs::write(folder.join(".99-7/launch.json"), "{\"launch\"").unwrap();
    fs::rename(folder.join("000000-saxpy"), folder.join("000004-saxpy")).unwrap();
    let list = fs::read_to_string(folder.join("record.jsonl")).unwrap();
    fs::write(folder.join("record.jsonl"), format!("{list}{}", &list[..40])).unwrap();
    assert!(matches!(Recorder::create(&folder, u64::MAX), Err(RecordError::Exists(_))));
    let recorder = Recorder::join(&folder, u64::MAX).unwrap();
    let recorded = host.saxpy(&recorder, 20, 1.0);
    assert_eq!(recorded.folder.as_deref(), Some("000005-saxpy"));
    let lines = lines(&folder);
    assert_eq!(lines.iter().map(|line| line["index"].as_u64().unwrap()).collect::<Vec<_>>(), [0, 5]);
    let (_root, other) = root();
    fs::create_dir(&other).unwrap();
    fs::write(other.join("x"), "").unwrap();
    assert!(matches!(Recorder::create(&other, u64::MAX), Err(RecordError::NotEmpty(_))));
    let file = other.join("x");
    assert!(matches!(Recorder::join(&file, u64::MAX), Err(RecordError::Io { .. })));
}

#[test]
fn several_may_write_one_recording() {
    let (_root, folder) = root();
    std::thread::scope(|scope| {
        for number in 0..3 {
            let folder = &folder;
            scope.spawn(move || {
                let recorder = Recorder::join(folder, u64::MAX).unwrap();
                let mut host = Host::new("kernels-gfx803-v4-O3.co");
                for i in 0..5 {
                    let recorded = host.saxpy(&recorder, 64 + i, number as f32);
                    assert!(recorded.folder.is_some(), "{:?}", recorded.reason);
                }
            });
        }
    });
    let lines = lines(&folder);
    let indices: Vec<u64> = lines.iter().map(|line| line["index"].as_u64().unwrap()).collect();
    assert_eq!(indices, (0..15).collect::<Vec<_>>());
    for line in &lines {
        let name = line["folder"].as_str().unwrap();
        assert_eq!(name, format!("{:06}-saxpy", line["index"].as_u64().unwrap()));
        assert_eq!(replay(&folder.join(name), EngineKind::default()).mismatches, []);
    }
}

#[test]
fn only_some_kernels_are_recorded() {
    let (_root, folder) = root();
    let recorder = Recorder::create(&folder, u64::MAX).unwrap().only(["collatz".to_owned()]);
    let mut host = Host::new("kernels-gfx803-v4-O3.co");
    let none = host.saxpy(&recorder, 10, 1.0);
    assert_eq!((none.folder, none.reason.as_deref()), (None, Some("not asked for")));
    let (steps, _) = host.alloc(&[0; 256]);
    let args = [ArgValue::u64(steps), ArgValue::u32(6)];
    assert!(host.launch(&recorder, "collatz", ([3, 1, 1], [64, 1, 1]), &args, None).folder.is_some());
    assert_eq!(lines(&folder).len(), 2);
}

/// s_load_dword s0, s[2:3], 0x0; s_waitcnt lgkmcnt(0); s_cmp_eq_u32 s0, 0; s_cbranch_scc1 to the beginning; s_endpgm, on
/// gfx900.
#[test]
fn a_program_that_answers_its_kernel_is_not_recorded() {
    let (_root, folder) = root();
    let recorder = Recorder::create(&folder, u64::MAX).unwrap();
    let code = [0xc002_0001u32, 0, 0xbf8c_c07f, 0xbf06_8000, 0xbf85_fffb, 0xbf81_0000];
    let device = Device::new(gcnsim_isa::Arch::Gcn14, DeviceOptions::default());
    let memory = |bytes: usize| Arc::new(Backing::zeroed(bytes).unwrap());
    let (program, flag) = (memory(256), memory(4096));
    code.iter().enumerate().for_each(|(i, word)| program.write(4 * i, &word.to_le_bytes()));
    device.map(Mapping::read_only(IMAGE, "code", program)).unwrap();
    device.map(Mapping::new(FIRST, "flag", flag.clone())).unwrap();
    let registers = Registers {
        pc: IMAGE,
        rsrc1: Rsrc1(0x40),
        rsrc2: Rsrc2(4 << 1),
        user_sgprs: vec![0, 0, FIRST as u32, (FIRST >> 32) as u32],
        grid: Grid { groups: [1; 3], group: [1; 3], start: [0; 3], partial: [0; 3] },
        lds_bytes: 0,
        scratch: Scratch::default(),
    };
    let about = About {
        name: "waits for the program/../",
        chip: "gfx900",
        object: None,
        kernarg: None,
        packet: None,
        grid: [1; 3],
        group: [1; 3],
        allocations: &[],
    };
    let run = |registers: Registers| {
        let dispatch = device.dispatch(registers).unwrap();
        recorder.run(&dispatch, &about, Request::new(&mut Observers::none()), &|| None).unwrap()
    };
    let recorded = std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(Duration::from_millis(50));
            flag.write(0, &[1]);
        });
        run(registers.clone())
    });
    assert!(recorded.folder.is_none());
    assert!(recorded.reason.unwrap().contains("memory changed while it ran"));
    // The flag is set now, but somebody else was there.
    let dispatch = device.dispatch(registers.clone()).unwrap();
    let mut observers = Observers::none();
    let disturbed = || Some("another one ran".to_owned());
    let recorded = recorder.run(&dispatch, &about, Request::new(&mut observers), &disturbed).unwrap();
    assert_eq!((recorded.folder, recorded.reason.as_deref()), (None, Some("another one ran")));
    assert!(recorded.run.has_ended());
    // Now the flag is set before.
    let recorded = run(registers);
    assert_eq!(recorded.folder.as_deref(), Some("000002-waits_for_the_program_.._"));
    let result = replay(&folder.join("000002-waits_for_the_program_.._"), EngineKind::Interp);
    assert_eq!((result.run.instructions, result.mismatches.len()), (5, 0));
}
