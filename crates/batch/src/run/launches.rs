//! Dispatches in a batch: a code object with a launch file gives one line for each launch.

use std::collections::HashSet;
use std::panic::{self, AssertUnwindSafe};
use std::path::Path;

use crate::output::outcome::EntryOutcome;
use crate::output::results::{LaunchPart, LineDetail, LineRun};
use crate::run::cover;
use crate::run::findings::LintFindings;
use crate::run::job::Job;
use crate::run::lines::{Entry, InFile};
use crate::run::worker::{Slot, Worker, median, panic_message, words};
use gcnsim_engine::EngineError;
use gcnsim_engine::report::ByClass;
use gcnsim_inputs::arch::ArchSource;
use gcnsim_inputs::entry_hash::hash;
use gcnsim_inputs::reader::LaunchInput;
use gcnsim_launches::findings::Findings;
use gcnsim_launches::launch::{LaunchDraft, LaunchError, LaunchSpec, Outside};
use gcnsim_launches::lines::SourceLines;
use gcnsim_launches::report::LaunchReport;
use gcnsim_launches::{DispatchOptions, LaunchResult, Launcher};
use gcnsim_loader::code_object::CodeObject;
use gcnsim_loader::{DEFAULT_ARCH, FileBytes, Loaded};
use gcnsim_sanitize::Sanitizer;

/// Most bytes of printed text on a line.
const MOST_PRINTF: usize = 64 << 10;

/// A code object with its launches.
struct Object<'a> {
    object: &'a CodeObject,
    /// All code objects of the file.
    all: &'a [CodeObject],
    /// The file that holds the object.
    loaded: &'a Loaded,
    /// Target ids that several parts of the file have.
    repeated: &'a HashSet<&'a str>,
    draft: &'a LaunchDraft,
    folder: &'a Path,
    /// Whether the files that launches name can be read from `folder`.
    has_folder: bool,
    /// Bytes of the file, which decide the shards of its launches.
    bytes: &'a [u8],
    /// Number of the object's first launch among all launches of the file.
    first: usize,
    /// Numbers of findings of the linter; `None` if they are not wanted.
    findings: Option<&'a LintFindings>,
}

/// Error of a launch.
enum Failure {
    /// The launch or one of its inputs is wrong.
    BadInput(String),
    /// The simulator panicked.
    Panic(String),
}

/// A launch and its result.
struct Done<'a> {
    name: &'a str,
    kernel: Option<&'a str>,
    sha256: Option<[u8; 32]>,
    result: Result<LaunchResult, Failure>,
    /// Findings of a sanitizer.
    findings: Option<Findings>,
    /// Number of the launch in the file, if the file's launches are dealt out to shards.
    part: Option<usize>,
}

/// Returns the options of launches in a batch. Each dispatch is serial, because entries run in parallel.
fn options(job: &Job) -> DispatchOptions {
    DispatchOptions::default()
        .run(job.run.clone().counting_classes().stop(job.stop.clone()))
        .jobs(1)
        .max_insts(job.budget_is_explicit.then_some(job.budget))
        .default_max_insts(gcnsim_launches::DEFAULT_BUDGET)
        .outside(Outside::Refused)
}

impl Worker<'_> {
    /// Runs the launches of a file. The error says why the file as a whole is `bad-input`.
    pub(crate) fn launches(
        &mut self,
        bytes: &FileBytes,
        launches: &LaunchInput,
        slot: &mut Slot,
    ) -> Result<(), String> {
        let (bytes, _) = &gcnsim_loader::restore(bytes, self.job.raw.arch);
        let (loaded, objects) = gcnsim_loader::parse_for_launches(bytes).map_err(words)?;
        self.lines.summary.add_not_read(slot.file, self.job.inputs, &loaded.skipped);
        let draft = LaunchDraft::parse(&launches.text.text, launches.text.syntax);
        let draft = draft.map_err(|error| format!("launch file: {error}"))?;
        let (folder, has_folder) = (launches.text.folder(), launches.has_folder);
        let repeated = loaded.repeated_targets();
        let arch = objects.first().map_or(DEFAULT_ARCH, |object| object.arch);
        let findings = self.findings(&loaded, arch, 0, None);
        for (number, object) in objects.iter().enumerate() {
            if slot.is_cut {
                break;
            }
            let of = Object {
                object,
                all: &objects,
                loaded: &loaded,
                repeated: &repeated,
                draft: &draft,
                folder,
                has_folder,
                bytes: bytes.as_ref(),
                first: number * draft.launches.len(),
                findings: findings.as_ref(),
            };
            self.object(&of, slot)?;
        }
        Ok(())
    }

    fn object(&mut self, object: &Object, slot: &mut Slot) -> Result<(), String> {
        let options = options(self.job);
        let draft = object.draft;
        // Launches that share buffers stay together, in the shard of their file.
        let is_dealt = draft.buffers.is_empty();
        if !is_dealt && self.job.shard.is_some_and(|shard| !shard.takes(object.bytes)) {
            return Ok(());
        }
        object.check_files(draft.buffers.iter().filter_map(|buffer| buffer.file_path()))?;
        let mut launcher = Launcher::new(object.object, object.folder, &draft.buffers, &options).map_err(words)?;
        let name = String::from_utf8_lossy(self.job.inputs.get(slot.file).name);
        let coverage = cover::launches(self.job, &name, object.object);
        let is_observed = coverage.is_some() || self.job.sanitize.is_some();
        if is_observed {
            launcher = launcher.remembering();
        }
        // `missing` is the first launch that did not run. If launches share buffers, those after it depend on it.
        let mut missing: Option<&str> = None;
        for (index, (name, launch)) in draft.launches.iter().enumerate() {
            if object.is_of_another(launch) {
                continue;
            }
            let part = object.first + index;
            if is_dealt && self.job.shard.is_some_and(|shard| !shard.takes_launch(object.bytes, part)) {
                continue;
            }
            if self.is_stopped() {
                slot.is_cut = true;
                break;
            }
            let result = match missing {
                Some(before) => {
                    let what = format!("launch '{before}' did not run, whose buffers this one shares");
                    Err(Failure::BadInput(what))
                }
                None => object.launch(launch, &mut launcher),
            };
            let mut findings = None;
            if let (true, Ok(spec), Ok(_)) = (is_observed, launch, &result) {
                let checks = self.job.sanitize.map(|sanitizing| sanitizing.checks);
                let sanitizer =
                    checks.map(|checks| Sanitizer::of_kernel(checks, object.object, spec.kernel.as_deref()));
                // The launch has run without a panic before. If it panics here, nothing is counted and found.
                let observe = || cover::observe(&launcher, coverage, sanitizer);
                match panic::catch_unwind(AssertUnwindSafe(observe)) {
                    Ok(Ok(sanitizer)) => {
                        let lines = || SourceLines::of(&object.object.bytes);
                        findings = sanitizer.map(|sanitizer| sanitizer.into_findings(&lines()));
                    }
                    Ok(Err(_)) => {}
                    Err(_) if !draft.buffers.is_empty() => missing = missing.or(Some(name)),
                    Err(_) => {}
                }
                if let (Some(sanitizing), Some(findings)) = (self.job.sanitize, &findings) {
                    sanitizing.count(findings);
                }
            }
            if result.is_err() && !draft.buffers.is_empty() {
                missing = missing.or(Some(name));
            }
            let named = launch.as_ref().ok().and_then(|launch| launch.kernel.as_deref());
            // Results have the symbol, whatever the launch calls it.
            let symbol =
                |name| object.object.kernel_index(name).map_or(name, |i| object.object.kernels[i].name.as_str());
            let kernel = named.map(symbol).or_else(|| object.only_kernel());
            let sha256 =
                object.has_folder_for(launch).then(|| draft.sha256(index, object.folder, Outside::Refused)).flatten();
            object.loaded.check_whole().map_err(words)?;
            let part = (is_dealt && self.job.shard.is_some()).then_some(part);
            self.line(object, Done { name, kernel, sha256, result, findings, part }, slot);
        }
        Ok(())
    }

    fn line(&mut self, object: &Object, done: Done, slot: &mut Slot) {
        let Done { name, kernel, sha256, result, findings, part: dealt } = done;
        let chip = object.object.chip;
        let own_part = object.object.part.as_ref();
        let mut entries = object.loaded.entries.iter();
        let entry = entries.find(|entry| entry.kernel.as_deref() == kernel && entry.part.as_ref() == own_part);
        let code = entry.map(|entry| hash(entry.code.as_ref()));
        let number = slot.entry;
        slot.entry += 1;
        let part = LaunchPart { name, sha256: sha256.as_ref(), report: None, number: dealt };
        let line = Entry {
            file: slot.file,
            number,
            kernel,
            offset: entry.map(|entry| entry.file_offset),
            part: own_part.map(|id| InFile { id, is_repeated: object.repeated.contains(id.target.as_str()) }),
            sha256: code.as_ref(),
            outcome: EntryOutcome::BadInput,
            detail: LineDetail::None,
            run: None,
            arch_source: ArchSource::Own,
            launch: Some(part),
        };
        let result = match &result {
            Ok(result) => result,
            Err(failure) => {
                slot.out.run_ns.push(0);
                let (outcome, what) = match failure {
                    Failure::BadInput(what) => (EntryOutcome::BadInput, what.clone()),
                    Failure::Panic(what) => (EntryOutcome::InternalError, words(EngineError::Internal(what.clone()))),
                };
                let line = Entry { outcome, detail: LineDetail::Words(&what), ..line };
                return self.lines.add(self.job, line, slot.out);
            }
        };
        let mut report = LaunchReport::new(name, chip, object.object.arch.name(), self.job.run.engine.name(), result);
        report.run.by_class = Some(ByClass(result.run.classes));
        report.sanitizer = findings;
        report.cut_printf(MOST_PRINTF);
        report.launch_sha256 = sha256.map(|sha256| gcnsim_inputs::hex(&sha256));
        if let (Err(EngineError::Divergence(divergence)), Some(detail)) = (&result.run.outcome, &mut report.run.detail)
        {
            detail.report = Some(divergence.report.clone());
        }
        slot.out.run_ns.push(report.run.run_ns);
        let (samples, reference) = slot.samples(number, report.run.run_ns);
        if !samples.is_empty() {
            report.run.run_ns = median(&samples);
        }
        let run = LineRun {
            arch: object.object.arch,
            pc: None,
            instructions: result.run.instructions,
            classes: result.run.classes,
            stats: gcnsim_engine::RunStats { run_ns: report.run.run_ns, ..result.run.stats },
            notes: result.run.notes,
            state_hash: result.state_hash,
            samples: (!samples.is_empty()).then_some((samples.as_slice(), reference.as_slice())),
            synthetic: None,
            findings: object.findings.and_then(|findings| Some(findings.of(entry?))),
            sanitizer: None,
        };
        let line = Entry {
            outcome: EntryOutcome::from_name(report.run.outcome).unwrap_or(EntryOutcome::InternalError),
            detail: report.run.detail.as_ref().map_or(LineDetail::None, LineDetail::Launch),
            run: Some(&run),
            launch: Some(LaunchPart { report: Some(&report), ..part }),
            ..line
        };
        self.lines.add(self.job, line, slot.out);
    }
}

impl Object<'_> {
    /// Whether the kernel of a launch is in another object of the file, but not in this one.
    fn is_of_another(&self, launch: &Result<LaunchSpec, LaunchError>) -> bool {
        let kernel = launch.as_ref().ok().and_then(|launch| launch.kernel.as_deref());
        kernel
            .is_some_and(|name| !self.object.has_kernel(name) && self.all.iter().any(|object| object.has_kernel(name)))
    }

    fn only_kernel(&self) -> Option<&str> {
        match &self.object.kernels[..] {
            [only] => Some(&only.name),
            _ => None,
        }
    }

    /// Fails if there are `files` to read, but no folder to read them from.
    fn check_files<'f>(&self, mut files: impl Iterator<Item = &'f Path>) -> Result<(), String> {
        match files.next() {
            Some(file) if !self.has_folder => {
                Err(format!("{} is wanted: files of launches in archives are not read; unpack it", file.display()))
            }
            _ => Ok(()),
        }
    }

    /// Whether the inputs of a launch can be read: there is a folder, or the launch names no files.
    fn has_folder_for(&self, launch: &Result<LaunchSpec, LaunchError>) -> bool {
        launch.as_ref().is_ok_and(|launch| self.has_folder || launch.files().next().is_none())
    }

    fn launch(
        &self,
        launch: &Result<LaunchSpec, LaunchError>,
        launcher: &mut Launcher,
    ) -> Result<LaunchResult, Failure> {
        let launch = launch.as_ref().map_err(|error| Failure::BadInput(error.to_string()))?;
        self.check_files(launch.files()).map_err(Failure::BadInput)?;
        match panic::catch_unwind(AssertUnwindSafe(|| launcher.launch(launch, &|_| {}))) {
            Ok(result) => result.map_err(|error| Failure::BadInput(error.to_string())),
            Err(payload) => Err(Failure::Panic(panic_message(payload.as_ref()))),
        }
    }
}
