//! Runs a shader without inputs in made-up worlds, and prints what it did: `cargo run --example synthetic [FILE]`.

use std::error::Error;
use std::path::PathBuf;

use gcnsim::loader::{self, DEFAULT_ARCH};
use gcnsim::machine::{World, WorldKind};
use gcnsim::synthetic::{Class, Subject, Synthetic};

fn main() -> Result<(), Box<dyn Error>> {
    let own = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/corpus/elf/shaders-pal-gfx900.o"));
    let path = std::env::args_os().nth(1).map_or(own, PathBuf::from);
    let loaded = loader::load(&path)?;
    let objects: Vec<_> = loaded.launch_objects().into_iter().flatten().collect();
    let mut synthetic = Synthetic::default();
    for entry in &loaded.entries {
        let subject = Subject::new(entry, entry.arch.unwrap_or(DEFAULT_ARCH)).in_objects(entry, &objects);
        for kind in WorldKind::ALL {
            let run = synthetic.run(&subject, World::new(kind))?;
            let of = |class| run.classes.of(class).count;
            println!(
                "{} ({}) in world {}: {}, {} instructions, {} exports, {} bytes stored",
                entry.kernel.as_deref().unwrap_or("shader"),
                run.stage,
                kind.name(),
                run.outcome_name(),
                run.run.instructions,
                of(Class::Exports),
                of(Class::Stores),
            );
            // The observations, one by one.
            for wave in &run.observations.waves {
                for export in wave.observed.exports() {
                    let lanes = wave.lanes(export).count_ones();
                    println!("  {:#x}: exports {lanes} lanes", subject.file_address(export.pc));
                }
            }
        }
    }
    Ok(())
}
