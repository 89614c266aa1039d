//! A shader does the same whatever it comes in: a log of its driver, the driver's binary, a capture, a console's file.

use gcnsim_isa::{Arch, Note};
use gcnsim_loader::{Entry, FileBytes, Loaded, Shader, Stage, parse};
use gcnsim_machine::Outcome;
use gcnsim_machine::world::{World, WorldKind};
use gcnsim_synthetic::{Class, Ending, Subject, Synthetic, SyntheticRun};

fn file(name: &str) -> FileBytes {
    std::fs::read(format!("{}/../../corpus/containers/{name}", env!("CARGO_MANIFEST_DIR"))).unwrap().into()
}

fn load(name: &str) -> Loaded {
    parse(file(name)).unwrap()
}

fn run(subject: &Subject) -> SyntheticRun {
    Synthetic::default().run(subject, World::new(WorldKind::Float)).unwrap()
}

fn ended(run: &SyntheticRun) -> bool {
    matches!(run.ending(), Ok(Ending::Guest(Outcome::Ended)))
}

#[test]
fn a_log_does_what_the_binary_does() {
    for (log, name, binary, stage) in [
        ("constants-gfx900.log", "pixel-0", "constants-gfx900.pixel.bin", Stage::Pixel),
        ("repeated-gfx803.log", "pixel-0", "repeated-gfx803.pixel.bin", Stage::Pixel),
        ("tessellation-gfx900.log", "evaluation-0", "tessellation-gfx900.evaluation.bin", Stage::Evaluation),
        ("tessellation-gfx900.log", "hull-0", "tessellation-gfx900.hull.bin", Stage::Hull),
    ] {
        let loaded = load(log);
        let entry: &Entry = loaded.entries.iter().find(|entry| entry.kernel.as_deref() == Some(name)).unwrap();
        let arch = entry.arch.unwrap();
        let of_log = run(&Subject::new(entry, arch));
        let shader = Shader { stage: Some(stage), ..Shader::default() };
        let of_binary = run(&Subject::raw(file(binary), arch, 0, shader));
        assert!(ended(&of_log), "{log}: {:?}", of_log.ending());
        assert_eq!(of_log.classes, of_binary.classes, "{log}: {name}");
        assert_eq!(of_log.stage, stage);
        assert!(Class::ALL.into_iter().any(|class| of_log.classes.of(class).count > 0), "{log}: {name} does nothing");
    }
}

#[test]
fn captures_and_shaders_of_a_console_run() {
    let files = [
        "pipelines-gfx900.rgp",
        "compute-gfx700.sb",
        "pixel-neo-gfx803.sb",
        "vertex-fetch-gfx700.sb",
        "vertex-memory-gfx700.bin",
    ];
    for name in files {
        for entry in &load(name).entries {
            let run = run(&Subject::new(entry, entry.arch.unwrap()));
            assert!(ended(&run), "{name} {:?}: {:?}", entry.kernel, run.ending());
        }
    }
    // Position and a parameter are exported behind the call of the fetch shader.
    let loaded = load("vertex-fetch-gfx700.sb");
    let subject = Subject::new(&loaded.entries[0], Arch::Gcn11);
    assert_eq!(subject.fetch.map(|fetch| fetch.sgpr), Some(0));
    assert_eq!(run(&subject).classes.of(Class::Exports).count, 2);
}

/// corpus/elf: scratch and LDS are where the loader has put them; functions of other sections are called.
#[test]
fn relocatable_objects_run() {
    assert_eq!(gcnsim_loader::SCRATCH_OF_DRIVERS, gcnsim_machine::world::SCRATCH);
    for name in ["driver-gfx803.o", "pointers-gfx900.o"] {
        for entry in &load(&format!("../elf/{name}")).entries {
            let run = run(&Subject::new(entry, entry.arch.unwrap()));
            assert!(ended(&run), "{name} {:?}: {:?}", entry.kernel, run.ending());
            // `g` of pointers.s returns to a caller that a run of it alone does not have.
            let is_function = run.run.notes.contains(Note::SyntheticFunction);
            assert_eq!(is_function, entry.kernel.as_deref() == Some("g"), "{name} {:?}", entry.kernel);
        }
    }
}
