//! Looks at a kernel instruction by instruction: how many accesses to memory each wave makes.
//! `cargo run --example watch`.

use std::collections::BTreeMap;
use std::error::Error;
use std::path::Path;

use gcnsim::device::ArgValue;
use gcnsim::isa::Kind;
use gcnsim::launches::{DispatchOptions, LaunchSpec, Launcher};
use gcnsim::loader::{CodeObject, FileBytes};
use gcnsim::machine::Context;
use gcnsim::observe::{At, Needs, Observer, Observers, Step};
use gcnsim::{Outcome, Wave};

/// Vector memory instructions by group and wave.
#[derive(Default)]
struct Accesses(BTreeMap<(u32, u32), u32>);

impl Observer for Accesses {
    fn needs(&mut self, _at: &At<'_>, _wave: &Wave) -> Needs {
        // `NOTHING` would leave the wave to the engine.
        Needs::STEPS
    }

    fn after(&mut self, at: &At<'_>, step: &Step<'_>, _wave: &Wave, _context: &Context) {
        let inst = at.scene.program.fetch(step.pc);
        let is_access = step.executed == 1 && inst.is_ok_and(|inst| inst.desc().kind == Kind::Vmem);
        *self.0.entry((at.group[0], at.index)).or_default() += is_access as u32;
    }

    fn over(&mut self, at: &At<'_>, wave: &Wave, _context: &Context) {
        println!("group {} wave {}: {} instructions", at.group[0], at.index, wave.executed);
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus/kernels/kernels-gfx900-v5-O2.co");
    let object = CodeObject::parse(&FileBytes::read(&path)?)?;
    // Of the second group, only lane 0 has work.
    let saxpy = LaunchSpec::new("saxpy", &[128], &[64])?
        .args([ArgValue::buffer("y"), ArgValue::buffer("x"), ArgValue::f32(2.0), ArgValue::i32(65)])
        .buffer("x", vec![0; 260])
        .buffer("y", vec![0; 260]);
    let options = DispatchOptions::default();
    let mut accesses = Accesses::default();
    let mut launcher = Launcher::new(&object, Path::new(""), &[], &options)?;
    let result = launcher.launch_observed(&saxpy, &|_| {}, &mut Observers::one(&mut accesses))?;
    assert_eq!(result.run.outcome?, Outcome::Ended);
    println!("accesses by group and wave: {:?}", accesses.0);
    // Each loads x and y and stores y.
    assert_eq!(accesses.0, BTreeMap::from([((0, 0), 3), ((1, 0), 3)]));
    Ok(())
}
