//! Runs a dispatch on the interpreter and on compiled code, and finds every difference.
//!
//! A dispatch on one thread is compared wave by wave, at each wave's end and with LDS as it is then. Of a dispatch on
//! several threads only what is left after all waves is compared.

use std::path::Path;

use gcnsim_isa::Arch;
use gcnsim_machine::Context;

use super::differences::{Reference, all_differences, list_bytes};
use super::settings::Settings;
use crate::generate::kernel::{Launch, object};
use gcnsim_engine::difference::Difference;
use gcnsim_engine::observe::{At, Needs, Observer, Observers, Step};
use gcnsim_engine::xxh3::xxh3;
use gcnsim_engine::{EngineError, EngineKind, RunOptions, StoppedWave};
use gcnsim_launches::launch::{LaunchFile, LaunchSpec};
use gcnsim_launches::{DispatchOptions, LaunchFailure, LaunchResult, Launcher, Mismatch};
use gcnsim_loader::code_object::CodeObject;
use gcnsim_machine::Wave;
use gcnsim_machine::outcome::Outcome;

/// A wave at its end, or where the dispatch stopped it.
#[derive(Debug)]
pub struct EndOfWave {
    group: [u32; 3],
    index: u32,
    wave: Wave,
    /// Hashes of LDS and GDS.
    shares: [u64; 2],
}

/// A dispatch that compiled code did not run.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CompareError {
    /// It cannot be set up.
    #[error(transparent)]
    Setup(#[from] LaunchFailure),
    /// A cross-check failed, or the engine has a bug.
    #[error("{}", match .0 {
        EngineError::Divergence(divergence) => divergence.report.clone(),
        other => other.to_string(),
    })]
    Engine(EngineError),
}

/// The results of a dispatch, and its waves at their ends.
#[derive(Debug)]
pub struct Ran {
    result: LaunchResult,
    ends: Vec<EndOfWave>,
}

impl Ran {
    /// Completed instructions of all waves.
    pub fn instructions(&self) -> u64 {
        self.result.run.instructions
    }

    /// Returns the name of the outcome.
    pub fn outcome(&self) -> &'static str {
        match &self.result.run.outcome {
            Ok(outcome) => outcome.name(),
            Err(error) => error.name(),
        }
    }

    /// Returns the XXH3-64 of each buffer at the end.
    pub fn hashes(&self) -> impl Iterator<Item = (&str, u64)> {
        self.result.buffers.iter().map(|buffer| (buffer.name.as_str(), buffer.hash))
    }

    /// Whether a buffer changed.
    pub fn changed(&self, name: &str) -> bool {
        self.result.buffers.iter().any(|buffer| buffer.name == name && buffer.changed)
    }

    /// Returns the differences from what the launch expects.
    pub fn mismatches(&self) -> &[Mismatch] {
        &self.result.mismatches
    }
}

/// Collects every wave at its end.
#[derive(Default)]
struct Ends(Vec<EndOfWave>);

impl Observer for Ends {
    fn needs(&mut self, _at: &At<'_>, _wave: &Wave) -> Needs {
        Needs::NOTHING
    }

    fn after(&mut self, _at: &At<'_>, _step: &Step<'_>, _wave: &Wave, _context: &Context) {}

    fn over(&mut self, at: &At<'_>, wave: &Wave, context: &Context) {
        // GDS is allocated at its first use. Until then it counts as zeros, so zeros hash to 0 in any case.
        let hash = |bytes: &[u8]| if bytes.iter().all(|&byte| byte == 0) { 0 } else { xxh3(bytes) };
        let shares = [hash(&context.lds), hash(&context.gds)];
        self.0.push(EndOfWave { group: at.group, index: at.index, wave: wave.clone(), shares });
    }
}

/// An object and the launch of its kernel.
pub struct Subject {
    object: CodeObject,
    file: LaunchFile,
}

impl Subject {
    /// Returns the subject of a case; `None` if its object cannot be read.
    pub fn new(arch: Arch, words: &[u32], launch: &Launch) -> Option<Subject> {
        let object = CodeObject::parse(&object::object(arch, words, launch).into()).ok()?;
        Some(Subject::of(object, launch.spec()))
    }

    /// Makes the subject of a launch of `object`.
    pub fn of(object: CodeObject, spec: LaunchSpec) -> Subject {
        Subject { object, file: LaunchFile { buffers: Vec::new(), launches: vec![spec] } }
    }

    /// Runs the dispatch on the interpreter.
    ///
    /// # Errors
    /// [`LaunchFailure`] if it cannot be set up.
    pub fn interpret(&self, budget: u64, count_classes: bool) -> Result<Ran, LaunchFailure> {
        let mut run = RunOptions::default().engine(EngineKind::Interp);
        run.count_classes = count_classes;
        self.run(run, budget, 1)
    }

    fn run(&self, run: RunOptions, budget: u64, jobs: usize) -> Result<Ran, LaunchFailure> {
        let options = DispatchOptions::default().run(run).jobs(jobs).max_insts(budget);
        let mut launcher = Launcher::new(&self.object, Path::new(""), &[], &options)?;
        let mut ends = Ends::default();
        let result = match jobs {
            0 | 1 => launcher.launch_observed(&self.file.launches[0], &|_| {}, &mut Observers::one(&mut ends))?,
            _ => launcher.launch(&self.file.launches[0], &|_| {})?,
        };
        Ok(Ran { result, ends: ends.0 })
    }

    /// Runs the dispatch on compiled code, and compares it with `expected`, a run of the interpreter with the same
    /// budget.
    ///
    /// # Errors
    /// [`CompareError`], such as a cross-check that failed.
    pub fn compare(&self, settings: &Settings, expected: &Ran) -> Result<Vec<Difference>, CompareError> {
        let actual = self.run(settings.options(), settings.total(), settings.jobs)?;
        if let Err(error) = &actual.result.run.outcome {
            return Err(CompareError::Engine(error.clone()));
        }
        Ok(differences(expected, &actual, settings))
    }
}

fn differences(expected: &Ran, actual: &Ran, settings: &Settings) -> Vec<Difference> {
    let mut found = Vec::new();
    let (was, is) = (&expected.result.run, &actual.result.run);
    // The notes of waves are not compared here: those of the whole dispatch are, below.
    for (was, is) in expected.ends.iter().zip(&actual.ends) {
        waves(was, is, settings, &mut found);
    }
    if settings.jobs <= 1 && expected.ends.len() != actual.ends.len() {
        found.push(Difference::new("waves", expected.ends.len(), actual.ends.len()));
    }
    for (buffer, other) in expected.result.buffers.iter().zip(&actual.result.buffers) {
        if buffer != other {
            let bytes = [&expected.result, &actual.result].map(|r| r.buffer(&buffer.name).unwrap_or_default());
            list_bytes(&buffer.name, 0, &bytes[0], &bytes[1], &mut found);
        }
    }
    let mut text = |field: &str, was: String, is: String| {
        if was != is {
            found.push(Difference::new(field, was, is));
        }
    };
    text("notes", was.notes.codes().join(" "), is.notes.codes().join(" "));
    text("instructions", was.instructions.to_string(), is.instructions.to_string());
    text("outcome", format!("{:?}", was.outcome), format!("{:?}", is.outcome));
    let place = |stopped: &Option<Box<StoppedWave>>| format!("{:?}", stopped.as_ref().map(|s| (s.group, s.index)));
    text("stopped", place(&was.stopped), place(&is.stopped));
    if settings.count_classes {
        text("classes", format!("{:?}", was.classes.0), format!("{:?}", is.classes.0));
    }
    found
}

/// Compares two waves at their ends, and names the fields that differ after the wave.
fn waves(was: &EndOfWave, is: &EndOfWave, settings: &Settings, found: &mut Vec<Difference>) {
    let (group, index) = (was.group, was.index);
    let reference = Reference { wave: was.wave.clone(), outcome: Outcome::Ended, context: Context::default() };
    let mut fields = all_differences(&reference, &is.wave, &Outcome::Ended, settings.count_classes);
    for (name, was, is) in [("lds", was.shares[0], is.shares[0]), ("gds", was.shares[1], is.shares[1])] {
        if was != is {
            fields.push(Difference::new(name, format_args!("{was:016x}"), format_args!("{is:016x}")));
        }
    }
    if (group, index) != (is.group, is.index) {
        fields.push(Difference::new(
            "wave",
            format_args!("{group:?}:{index}"),
            format_args!("{:?}:{}", is.group, is.index),
        ));
    }
    let at = |field: Difference| Difference { field: format!("{} (wave {group:?}:{index})", field.field), ..field };
    found.extend(fields.into_iter().take(8).map(at));
}
