//! Shaders and kernels that compilers made start with what a driver gives them. Expected values are those that the
//! sources (corpus/elf/shaders.ll, corpus/kernels) compute from the values of the world.

use std::collections::BTreeMap;
use std::path::PathBuf;

use gcnsim_engine::{EngineKind, RunOptions};
use gcnsim_isa::Note;
use gcnsim_loader::code_object::CodeObject;
use gcnsim_loader::{Entry, FileBytes, Loaded, Shader, Stage, parse};
use gcnsim_machine::Outcome;
use gcnsim_machine::world::{World, WorldKind};
use gcnsim_synthetic::{Ending, LDS, Setup, SetupError, Subject, Synthetic, SyntheticRun, setup};

const WORLD: World = World::new(WorldKind::Float);
/// Returns the address to which the second parameter of shaders points. For PAL the parameter is s\[1\], for Mesa
/// s\[3\]: LLVM puts the address of scratch before the parameters.
fn table(name: &str) -> u64 {
    if name.contains("mesa") { 0x1030_0000 } else { 0x1010_0000 }
}

fn corpus(name: &str) -> FileBytes {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../corpus").join(name);
    std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display())).into()
}

fn load(name: &str) -> (Loaded, Option<CodeObject>) {
    let bytes = corpus(name);
    (parse(bytes.clone()).unwrap(), CodeObject::parse(&bytes).ok())
}

fn subject<'a>(entry: &Entry, object: Option<&'a CodeObject>) -> Subject<'a> {
    let subject = Subject::new(entry, entry.arch.unwrap());
    match object {
        Some(object) => subject.in_object(entry, object),
        None => subject,
    }
}

fn set_up(subject: &Subject) -> Result<Setup, SetupError> {
    setup::setup(subject, &WORLD)
}

fn run(entry: &Entry, object: Option<&CodeObject>) -> SyntheticRun {
    Synthetic::default().run(&subject(entry, object), WORLD).unwrap()
}

fn run_stage(name: &str, stage: Stage) -> SyntheticRun {
    let (loaded, _) = load(name);
    run(loaded.entries.iter().find(|entry| entry.shader.stage == Some(stage)).unwrap(), None)
}

/// Returns the bytes that a run has stored, by address.
fn stores(run: &SyntheticRun) -> BTreeMap<u64, u8> {
    let stores = run.observations.stores.iter();
    stores.flat_map(|stored| (stored.address..).zip(stored.bytes.iter().copied())).collect()
}

/// Returns the dword at an address after a run.
fn dword(run: &SyntheticRun, address: u64) -> u32 {
    let (stores, before) = (stores(run), run.contents.dword(address).to_le_bytes());
    let byte = |i: usize| stores.get(&(address + i as u64)).copied().unwrap_or(before[i]);
    u32::from_le_bytes([0, 1, 2, 3].map(byte))
}

/// The two groups of a kernel wait for each other: none can do what it does before the other one has begun.
#[test]
fn groups_that_wait_for_each_other_end() {
    const FLAG: u64 = 0x1_0100_0000;
    for chip in ["gfx600", "gfx803", "gfx900"] {
        let (loaded, object) = load(&format!("kernels/groups/groups-{chip}.co"));
        let entry = loaded.entries.iter().find(|entry| entry.kernel.as_deref() == Some("meet")).unwrap();
        let mut first = None;
        let of_build = RunOptions::default();
        for (engine, hot) in [(EngineKind::Interp, 0), (of_build.engine, 0), (of_build.engine, of_build.hot)] {
            let options = RunOptions::default().engine(engine).hot(hot);
            let run = Synthetic::new(options).run(&subject(entry, object.as_ref()), WORLD).unwrap();
            assert_eq!(&run.ending().unwrap(), &Ending::Guest(Outcome::Ended), "{chip}");
            assert_eq!([0, 4].map(|at| dword(&run, 0x1_0000_0000 + at)), [10, 11], "{chip}");
            assert_eq!([0, 4].map(|at| dword(&run, FLAG + at)), [0x1234_5678, 0x8765_4321], "{chip}");
            let waves = run.observations.waves.iter();
            let waves: Vec<_> = waves.map(|wave| (wave.group, wave.outcome, wave.instructions)).collect();
            assert_eq!([waves[0], waves[1]].map(|wave| wave.0), [[0; 3], [1, 0, 0]], "groups have their order");
            let sum = (run.state_hash(), waves);
            assert_eq!(&sum, first.get_or_insert_with(|| sum.clone()), "{chip} {engine:?} {hot}");
        }
    }
}

const DRIVERS: [&str; 4] =
    ["shaders-pal-gfx900.o", "shaders-pal-pairs-gfx700.o", "shaders-mesa-gfx803.o", "shaders-mesa-gfx600.o"];

#[test]
fn a_pixel_shader_interpolates_and_loads_through_its_table() {
    for name in DRIVERS {
        let run = run_stage(&format!("elf/{name}"), Stage::Pixel);
        assert_eq!(&run.ending().unwrap(), &Ending::Guest(Outcome::Ended), "{name}");
        let exports = run.observations.waves[0].observed.exports();
        assert_eq!((run.observations.waves.len(), exports.len()), (1, 1), "{name}");
        let [p0, p10, p20] = WORLD.attribute(0, 0).map(f32::from_bits);
        let buffer = u64::from(WORLD.dword(table(name)));
        let b = f32::from_bits(WORLD.dword(buffer + 16));
        for lane in 0..64u8 {
            // Pixels come in quads of two by two, with four quads in a row.
            let (x, y) = (lane / 4 % 4 * 2 + lane % 2, lane / 16 * 2 + lane / 2 % 2);
            let [i, j] = [x, y].map(|at| (1.0 + 2.0 * f32::from(at)) / 32.0);
            let a = p0 + i * p10 + j * p20;
            let got = exports[0].values.each_ref().map(|lanes| f32::from_bits(lanes[usize::from(lane)]));
            assert_eq!(got, [a, b, a + b, 1.0], "{name} {lane}");
        }
    }
}

#[test]
fn a_vertex_shader_loads_attributes_by_its_vertex() {
    for name in DRIVERS {
        let run = run_stage(&format!("elf/{name}"), Stage::Vertex);
        let exports = run.observations.waves[0].observed.exports();
        assert_eq!(exports.len(), 2, "{name}: {:?}", run.ending());
        let buffer = u64::from(WORLD.dword(table(name)));
        for lane in 0..64 {
            // The buffers of tables have the stride 256. In PAL's metadata the third parameter is the base vertex,
            // which is 0; for Mesa it is a number in s[4].
            let base = if name.contains("mesa") { u64::from(WORLD.scalar(4)) } else { 0 };
            let expected = WORLD.dword(buffer + 256 * (base + lane));
            assert_eq!(exports[0].values[0][lane as usize], expected, "{name} {lane}");
        }
    }
}

/// `constants.ll` exports an element of a table in a section of its own. Its index is an SGPR, which is 0.
#[test]
fn constants_of_an_object_lie_behind_its_code() {
    for name in ["constants-pal-gfx900.o", "constants-mesa-gfx803.o"] {
        let run = run_stage(&format!("elf/{name}"), Stage::Pixel);
        let exports = run.observations.waves[0].observed.exports();
        assert_eq!(exports[0].values[0], [100f32.to_bits(); 64], "{name}: {:?}", run.ending());
    }
}

/// Eight by eight work-items store x plus the group's x through LDS and scratch. Two groups run, with x 0 and 1. Mesa's
/// objects do not say where the id of the group is.
#[test]
fn a_compute_shader_has_groups_lds_and_scratch() {
    for name in DRIVERS {
        let run = run_stage(&format!("elf/{name}"), Stage::Compute);
        assert_eq!(&run.ending().unwrap(), &Ending::Guest(Outcome::Ended), "{name}");
        let groups: Vec<_> = run.observations.waves.iter().map(|wave| wave.group).collect();
        assert_eq!(groups, [[0; 3], [1; 3]], "{name}");
        let buffer = u64::from(WORLD.dword(table(name)));
        for x in (0..8).filter(|_| name.contains("pal")) {
            assert_eq!(dword(&run, buffer + 4 * x), x as u32 + 1, "{name} {x}");
        }
    }
}

/// `uses_one` stores what `helper(64, 65)` returns: a loop of 65 steps over its numbers.
#[test]
fn kernels_get_arguments_from_their_metadata() {
    for name in ["calls-v4-gfx900.co", "calls-v2-gfx803.co"] {
        let (loaded, object) = load(&format!("elf/{name}"));
        let run = run(loaded.choose(Some("uses_one"), None).unwrap(), object.as_ref());
        assert_eq!(&run.ending().unwrap(), &Ending::Guest(Outcome::Ended), "{name}");
        let helper = (0..65u32).fold(1u32, |s, i| s.wrapping_mul(64).wrapping_add(i));
        assert_eq!(dword(&run, 0x1_0000_0000), helper, "{name}");
        assert_eq!(stores(&run).keys().next_back().copied().map(|last| last < 0x1_0000_0004), Some(true), "{name}");
    }
    for name in ["v2-gfx700.co", "v3-gfx900.co", "v5-gfx900.co"] {
        let (loaded, object) = load(&format!("elf/{name}"));
        let run = run(loaded.choose(Some("first"), None).unwrap(), object.as_ref());
        assert_eq!(dword(&run, 0x1_0000_0000), 71, "{name}: {:?}", run.ending());
    }
}

/// All kernels of the corpus, of all versions: most end, and none faults.
#[test]
fn kernels_of_the_corpus_run() {
    let mut endings = BTreeMap::<String, Vec<String>>::new();
    for name in [
        "kernels/kernels-gfx600-v3-O2.co",
        "kernels/kernels-gfx701-v2-O1.co",
        "kernels/kernels-gfx803-v4-O3.co",
        "kernels/kernels-gfx900-v5-O2.co",
        "kernels/kernels-gfx906-v4-Os.co",
    ] {
        let (loaded, object) = load(name);
        for entry in &loaded.entries {
            let subject = subject(entry, object.as_ref());
            assert!(subject.kernel.is_some(), "{name} {:?}", entry.kernel);
            let options = gcnsim_engine::RunOptions::default().max_insts(100_000);
            let run = Synthetic::new(options).run(&subject, WORLD).unwrap();
            let ending = match run.ending().unwrap() {
                Ending::Guest(Outcome::Fault(detail)) => format!("fault {}", detail.kind),
                Ending::Guest(outcome) => outcome.name().to_owned(),
                Ending::Memory(_) => "memory".to_owned(),
            };
            endings.entry(ending).or_default().push(format!("{name} {}", entry.kernel.as_deref().unwrap_or("-")));
        }
    }
    let count = |name: &str| endings.get(name).map_or(0, Vec::len);
    let all: usize = endings.values().map(Vec::len).sum();
    assert!(count("ended") * 10 >= all * 9, "{endings:#?}");
    assert!(endings.keys().all(|name| ["ended", "budget"].contains(&name.as_str())), "{endings:#?}");
}

fn run_words(words: &[u32], stage: Stage) -> SyntheticRun {
    let bytes = FileBytes::from(words.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<_>>());
    let shader = Shader { stage: Some(stage), ..Shader::default() };
    let subject = Subject::raw(bytes, gcnsim_isa::Arch::Gcn12, 0, shader);
    Synthetic::default().run(&subject, WORLD).unwrap()
}

/// v_lshlrev_b32 v1, 2, v0; ds_write_b32 v1, v0; s_endpgm stores the number of each vertex at four times that number.
#[test]
fn what_a_local_shader_leaves_in_lds_are_stores() {
    let run = run_words(&[0x2402_0082, 0xd81a_0000, 1, 0xbf81_0000], Stage::Local);
    assert_eq!(&run.ending().unwrap(), &Ending::Guest(Outcome::Ended));
    let stores: Vec<_> = run.observations.stores.iter().collect();
    let [stored] = &stores[..] else { panic!("{stores:?}") };
    // Vertex 0 stores 0, which LDS was before, so the stores begin with vertex 1.
    let expected: Vec<u8> = (1..64u32).flat_map(u32::to_le_bytes).collect();
    assert_eq!((stored.address, stored.bytes), (LDS + 4, &expected[..]));
    assert_eq!(
        run_words(&[0x2402_0082, 0xd81a_0000, 1, 0xbf81_0000], Stage::Vertex).observations.stores,
        Default::default()
    );
}

/// v_lshlrev_b32 v1, 2, v0; ds_read_b32 v0, v1; s_waitcnt; exp mrt0 v0, off, off, off done vm; s_endpgm. v0 is the
/// patch.
#[test]
fn a_hull_shader_finds_data_in_lds() {
    let words = [0x2402_0082, 0xd86c_0000, 1, 0xbf8c_007f, 0xc400_1801, 0, 0xbf81_0000];
    let run = run_words(&words, Stage::Hull);
    let exports = run.observations.waves[0].observed.exports();
    assert!((0..64).all(|lane| exports[0].values[0][lane] == WORLD.dword(LDS + 4 * (lane as u64 / 4))));
}

#[test]
fn guesses_are_noted() {
    let loaded = parse(FileBytes::from(0xbf81_0000u32.to_le_bytes().to_vec())).unwrap();
    let subject = Subject::new(&loaded.entries[0], gcnsim_isa::Arch::Gcn12);
    assert!(set_up(&subject).unwrap().notes.contains(Note::StageGuessed));
    let (loaded, _) = load("elf/shaders-mesa-gfx803.o");
    assert!(!set_up(&self::subject(&loaded.entries[0], None)).unwrap().notes.contains(Note::StageGuessed));
}

/// A file may say anything of its shader, and the shader still starts.
#[test]
fn lies_do_no_harm() {
    let mut seed = 1u64;
    let mut random = || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 32) as u32
    };
    // s_load_dwordx4 s[8:11], s[2:3], 0x0; s_load_dword s4, s[0:1], 0x0; s_getpc_b64 s[4:5]; s_mov_b32 s4, s0;
    // s_load_dwordx4 s[4:7], s[4:5], 0x10; s_endpgm
    let words = [0xc00a_0201u32, 0, 0xc002_0100, 0, 0xbe84_1c00, 0xbe84_0000, 0xc00a_0102, 0x10, 0xbf81_0000];
    let bytes = FileBytes::from(words.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<_>>());
    for round in 0..500 {
        for arch in [gcnsim_isa::Arch::Gcn10, gcnsim_isa::Arch::Gcn12, gcnsim_isa::Arch::Gcn141] {
            let mut some = || Some([random(), random() >> 26, u32::MAX][round % 3]).filter(|_| random() % 4 > 0);
            let shader = Shader {
                stage: Stage::ALL.get(round % 10).copied(),
                rsrc1: some(),
                rsrc2: some(),
                ps_input_ena: some(),
                ps_input_addr: some(),
                user_sgprs: some(),
                lds_bytes: some(),
                scratch_bytes_per_lane: some(),
                group: some().map(|n| [n, n.rotate_left(7), 1 + n % 3]),
                user_data: (0..some().unwrap_or(0) % 40).map(|n| 0x1000_0000 + n).collect(),
            };
            let subject = Subject::raw(bytes.clone(), arch, 0, shader);
            let setup = set_up(&subject).unwrap();
            assert!(!setup.groups.is_empty() && setup.lds_bytes <= 64 << 10);
            assert!(setup.groups.iter().all(|group| (1..=16).contains(&group.waves.len())));
        }
    }
}
