//! Second runs of a batch, which are observed: coverage counts what entries execute, and sanitizers look for mistakes.

use gcnsim_isa::Arch;
use gcnsim_machine::Context;

use crate::run::job::Job;
use gcnsim_device::DispatchError;
use gcnsim_engine::{Observers, RunStats, Scene, Session};
use gcnsim_inputs::inputs::Input;
use gcnsim_launches::Launcher;
use gcnsim_launches::coverage::{Coverage, Hits, Key, Spot};
use gcnsim_loader::code_object::CodeObject;
use gcnsim_loader::object::Object;
use gcnsim_loader::{FileBytes, Loaded};
use gcnsim_machine::Wave;
use gcnsim_sanitize::Sanitizer;

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
pub fn run(session: &mut Session, wave: &mut Wave, context: &mut Context, budget: u64) -> Hits {
    let mut hits = Hits::default();
    // Addresses of the file are those of the program plus the bias of its spot.
    let scene = Scene::of_program(session.program());
    let (mut observers, mut stats) = (Observers::one(&mut hits), RunStats::default());
    // How it ends is the matter of the first run.
    let _ = session.run_observed(&scene, &mut observers, (wave, context), Some(budget), &mut stats);
    hits
}

/// Where the launches of an object are counted; `None` if coverage is not wanted.
pub(crate) fn launches<'a>(job: &Job<'a>, name: &str, object: &CodeObject) -> Option<(&'a Coverage, Spot)> {
    let coverage = job.coverage?;
    let key = coverage.code_object(name, object).ok()??;
    Some((coverage, Spot { key, bias: 0 }))
}

/// Runs the last launch again, observed: what it executes is counted, and a sanitizer looks for mistakes. Returns the
/// findings.
///
/// # Errors
/// [`DispatchError`] if there is no memory for it.
pub(crate) fn observe(
    launcher: &Launcher<'_>,
    coverage: Option<(&Coverage, Spot)>,
    mut sanitizer: Option<Sanitizer>,
) -> Result<Option<Sanitizer>, DispatchError> {
    let (mut hits, mut observers) = (Hits::default(), Observers::none());
    if coverage.is_some() {
        observers.add(&mut hits);
    }
    if let Some(sanitizer) = &mut sanitizer {
        observers.add(sanitizer);
    }
    launcher.again(&mut observers)?;
    if let Some((coverage, spot)) = coverage {
        coverage.add(spot, &hits);
    }
    Ok(sanitizer)
}
