//! Looks at a kernel instruction by instruction: how many accesses to memory each wave makes.
//! `cargo run --example watch`.

use std::collections::BTreeMap;
use std::error::Error;
use std::path::Path;

use gcnsim::device::args::ArgValue;
use gcnsim::device::run::{Watch, WaveAt};
use gcnsim::interp::Interp;
use gcnsim::isa::Kind;
use gcnsim::launches::launch::LaunchSpec;
use gcnsim::launches::{DispatchOptions, Launcher};
use gcnsim::loader::FileBytes;
use gcnsim::loader::code_object::CodeObject;
use gcnsim::machine::Context;
use gcnsim::{Outcome, Wave};

/// Vector memory instructions by group and wave.
#[derive(Default)]
struct Accesses(BTreeMap<(u32, u32), u32>);

impl Watch for Accesses {
    fn run(
        &mut self,
        at: WaveAt<'_>,
        wave: &mut Wave,
        context: &mut Context,
        max: u64,
        interp: &mut Interp,
    ) -> Option<Outcome> {
        // `None` would leave the wave to the engine.
        for _ in 0..max {
            let inst = at.placed.program.fetch(wave.state.pc);
            let is_access = inst.is_ok_and(|inst| inst.desc().kind == Kind::Vmem);
            *self.0.entry((at.group[0], at.index)).or_default() += is_access as u32;
            // Budget: the one instruction has completed, and the wave can go on.
            let outcome = interp.run_in(wave, context, 1);
            if outcome != Outcome::Budget {
                return Some(outcome);
            }
        }
        Some(Outcome::Budget)
    }

    fn over(&mut self, at: WaveAt<'_>, wave: &Wave, _context: &Context) {
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
    let result = launcher.launch_watched(&saxpy, &mut accesses)?;
    assert_eq!(result.run.outcome?, Outcome::Ended);
    println!("accesses by group and wave: {:?}", accesses.0);
    // Each loads x and y and stores y.
    assert_eq!(accesses.0, BTreeMap::from([((0, 0), 3), ((1, 0), 3)]));
    Ok(())
}
