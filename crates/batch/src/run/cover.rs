//! Coverage of a batch: a second run of each entry counts what it executes.

use std::sync::atomic::{AtomicBool, Ordering};

use gcnsim_isa::{Arch, Program};
use gcnsim_machine::Context;

use crate::input::inputs::Input;
use crate::run::job::Job;
use gcnsim_engine::{EngineKind, RunOptions};
use gcnsim_interp::Interp;
use gcnsim_launches::coverage::{Coverage, Hits, Key, Spot};
use gcnsim_launches::launch::{BufferSpec, LaunchSpec};
use gcnsim_launches::{DispatchOptions, Launcher};
use gcnsim_loader::code_object::CodeObject;
use gcnsim_loader::object::Object;
use gcnsim_loader::{FileBytes, Loaded};
use gcnsim_machine::Wave;
use gcnsim_machine::outcome::Outcome;

/// Number of instructions between two checks of whether the batch has to stop.
const SLICE: u64 = 1 << 20;

/// Registers a raw shader with the coverage; `None` if coverage is not wanted.
#[inline]
pub(crate) fn raw(job: &Job, input: &Input, bytes: &[u8], arch: Arch) -> Option<Spot> {
    if job.coverage.is_none() { None } else { raw_spot(job, input, bytes, arch) }
}

#[cold]
fn raw_spot(job: &Job, input: &Input, bytes: &[u8], arch: Arch) -> Option<Spot> {
    let loaded = gcnsim_loader::parse(FileBytes::from(bytes.to_vec())).ok()?;
    let objects = objects(job, input, &loaded, arch);
    Coverage::spot(&objects, loaded.entries.first()?)
}

/// Registers the objects of a file with the coverage; returns none if coverage is not wanted. `arch` is the generation
/// of raw files.
pub(crate) fn objects(job: &Job, input: &Input, loaded: &Loaded, arch: Arch) -> Vec<(Key, Object)> {
    let Some(coverage) = job.coverage else { return Vec::new() };
    coverage.file(&String::from_utf8_lossy(input.name), loaded, arch)
}

/// Runs a wave for up to `budget` instructions and returns what it executes.
pub fn run(program: &Program, wave: &mut Wave, context: &mut Context, budget: u64, stop: &AtomicBool) -> Hits {
    let mut hits = Hits::default();
    hits.set_base(program.base());
    let mut interp = Interp::new(program);
    let end = wave.executed.saturating_add(budget);
    while wave.executed < end && !stop.load(Ordering::Relaxed) {
        let slice = SLICE.min(end - wave.executed);
        // A wave that runs alone does not wait at a barrier.
        if !matches!(hits.run(program, wave, context, slice, &mut interp), Outcome::Budget | Outcome::Barrier) {
            break;
        }
    }
    hits
}

/// Runs the launches of an object a second time and counts what they execute. Results come from the first run.
pub struct Shadow<'a> {
    coverage: &'a Coverage,
    spot: Spot,
    launcher: Launcher<'a>,
}

impl<'a> Shadow<'a> {
    /// Returns the options of the launcher that runs launches again.
    pub fn options(options: &DispatchOptions) -> DispatchOptions {
        let run = RunOptions { engine: EngineKind::Interp, count_classes: false, ..options.run.clone() };
        DispatchOptions { run, ..options.clone() }
    }

    /// Returns a runner of the launches of `object`; `None` if coverage is not wanted, or if there is no memory for it.
    pub fn new(
        coverage: Option<&'a Coverage>,
        name: &str,
        object: &'a CodeObject,
        folder: &'a std::path::Path,
        shared: &[BufferSpec],
        options: &'a DispatchOptions,
    ) -> Option<Shadow<'a>> {
        let coverage = coverage?;
        let key = coverage.code_object(name, object).ok()??;
        let launcher = Launcher::new(object, folder, shared, options).ok()?;
        Some(Shadow { coverage, spot: Spot { key, bias: 0 }, launcher })
    }

    /// Runs a launch again and counts what it executes.
    pub fn launch(&mut self, spec: &LaunchSpec) {
        let mut hits = Hits::default();
        if self.launcher.launch_watched(spec, &mut hits).is_ok() {
            self.coverage.add(self.spot, &hits);
        }
    }
}
