//! Runs files, with one worker per thread.
//!
//! A worker owns an engine and buffers that it reuses from file to file. Raw shaders, the bulk of every corpus, are
//! read into a buffer that the program then shares. All other files go through the loader.

use std::fmt::Display;
use std::ops::Range;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use gcnsim_isa::{Arch, Program, WaveState};
use gcnsim_lint::Linter;
use gcnsim_machine::Context;

use crate::output::outcome::EntryOutcome;
use crate::output::results::{LineDetail, LineRun};
use crate::run::cover;
use crate::run::job::{Job, Output, Sampling};
use crate::run::lines::{Entry, InFile, Lines, Plain};
use crate::run::worlds::{Inhabitant, is_inhabitant};
use gcnsim_engine::difference::Difference;
use gcnsim_engine::report::state_hash;
use gcnsim_engine::{Engine, EngineError, RunOptions, RunStats};
use gcnsim_inputs::arch::ArchSource;
use gcnsim_inputs::entry_hash::{HASH_LIMIT, hash};
use gcnsim_inputs::inputs::{Content, Input};
use gcnsim_inputs::reader::{FileContent, FileReader, SharedBytes};
use gcnsim_inputs::shard::Shard;
use gcnsim_launches::coverage::{Coverage, Spot};
use gcnsim_launches::sidecar::Sidecar;
use gcnsim_loader::{FileBytes, LoadError, PROGRAM_LIMIT, foreign};
use gcnsim_machine::ClassCounts;
use gcnsim_machine::Observed;
use gcnsim_machine::VgprFile;
use gcnsim_machine::Wave;
use gcnsim_machine::outcome::Outcome;
use gcnsim_synthetic::{Subject, Synthetic};

/// In unit tests, programs that begin with this dword make the simulator panic.
#[cfg(test)]
pub(crate) const PLANTED_PANIC: u32 = 0xb003_dead;

/// Runs files, one after the other.
pub(crate) struct Worker<'a> {
    pub(crate) job: &'a Job<'a>,
    engine: Engine,
    reader: FileReader,
    /// The vector registers at the start of each run. Each worker has its own: threads that count references to a
    /// shared file would slow each other down.
    vgprs: VgprFile,
    /// The wave of the current or last entry.
    wave: Wave,
    /// The runner of entries in worlds; `None` until one is needed.
    pub(super) synthetic: Option<Synthetic>,
    /// The linter; `None` if no findings are wanted.
    pub(super) linter: Option<Linter>,
    pub lines: Lines,
}

/// One entry of a file, ready to run.
struct Runnable<'a> {
    program: &'a Program,
    arch: Arch,
    kernel: Option<&'a str>,
    part: Option<InFile<'a>>,
    entry: Option<u64>,
    sha256: [u8; 32],
    sidecar: Option<&'a Sidecar>,
    arch_source: ArchSource,
    /// The place of the entry in the coverage; `None` if coverage is not wanted.
    spot: Option<Spot>,
    /// Number of findings of the linter; `None` if they are not wanted.
    findings: Option<u32>,
}

/// The result of an entry, besides the worker's wave. It is filled in place: processors are slow at copying bytes that
/// smaller writes have just written.
struct Ran {
    /// The outcome; `None` until the run is over.
    outcome: Option<Result<Outcome, EngineError>>,
    stats: RunStats,
    state_hash: u64,
    differences: Vec<Difference>,
}

/// The place of an entry's line.
pub(crate) struct Slot<'o, 's> {
    pub file: usize,
    pub entry: usize,
    pub out: &'o mut Output,
    pub sampling: Option<Sampling<'s>>,
    /// Whether entries of the file have no lines, because the batch was stopped before they began.
    pub is_cut: bool,
}

impl<'a> Worker<'a> {
    pub fn new(job: &'a Job<'a>) -> Worker<'a> {
        let vgprs = VgprFile::with_count(VgprFile::COUNT).into_shared();
        Worker {
            job,
            engine: new_engine(job),
            reader: FileReader::new(job.ahead, job.shard.is_none()),
            wave: Wave {
                state: WaveState::zeroed(),
                vgprs: vgprs.clone(),
                executed: 0,
                classes: ClassCounts::default(),
                last_pc: None,
                observed: Observed::default(),
            },
            vgprs,
            synthetic: None,
            linter: job.lint.then(Linter::default),
            lines: Lines::new(job.failures),
        }
    }

    /// Runs all entries of some files. Returns the index of the first file that is not done, or the end. When the batch
    /// is stopped, no further entry begins; entries that did not begin have no lines.
    pub fn stretch(&mut self, files: Range<usize>, out: &mut Output, sampling: Option<Sampling>) -> usize {
        let mut done = files.start;
        while done < files.end && !self.is_stopped() && self.file(done, files.end, out, sampling) {
            done += 1;
        }
        self.lines.flush(self.job, out);
        done
    }

    /// Whether the batch has to stop.
    #[inline(always)]
    pub(crate) fn is_stopped(&self) -> bool {
        self.job.stop.load(Ordering::Relaxed)
    }

    /// Runs all entries of file `index`. The files up to `end` are read next. Returns false if entries were left out.
    fn file(&mut self, index: usize, end: usize, out: &mut Output, sampling: Option<Sampling>) -> bool {
        let mut slot = Slot { file: index, entry: 0, out, sampling, is_cut: false };
        let mut sha256 = None;
        if let Err(reason) = self.try_file(index, end, &mut slot, &mut sha256) {
            self.bad_input(&reason, sha256.as_ref(), &mut slot);
        }
        let (entries, is_whole) = (slot.entry as u32, !slot.is_cut);
        out.entries.push(entries);
        is_whole
    }

    /// Runs all entries of file `index`. The error says why the file is `bad-input`; `sha256` is then the hash of its
    /// bytes, if they could be read.
    fn try_file(
        &mut self,
        index: usize,
        end: usize,
        slot: &mut Slot,
        sha256: &mut Option<[u8; 32]>,
    ) -> Result<(), String> {
        let input = &self.job.inputs.get(index);
        if let Content::Problem(number) = input.content {
            // A file that cannot be read belongs to the shard that its name decides.
            return match self.job.shard {
                Some(shard) if !shard.takes(input.name) => Ok(()),
                _ => Err(self.job.inputs.problem(number).to_owned()),
            };
        }
        let content = self.reader.read(self.job.inputs, index, end);
        let is_ours = |shard: Shard| {
            content.as_ref().map_or_else(|_| shard.takes(input.name), |bytes| shard.takes(bytes.bytes()))
        };
        // A code object may belong to another shard while launches of it belong to this one.
        let is_other = self.job.shard.is_some_and(|shard| !is_ours(shard));
        if is_other && !matches!(content, Ok(FileContent::Other(_))) {
            return Ok(());
        }
        match content.map_err(words)? {
            FileContent::Raw(bytes, known) => {
                let known = known.unwrap_or_else(|| hash(bytes.as_ref().as_ref()));
                *sha256 = Some(known);
                self.raw_file(input, bytes, known, slot)
            }
            FileContent::Other(bytes) => {
                let launches = self.reader.launches(self.job.inputs, index);
                if let Some(path) = self.reader.lookalike.take() {
                    self.lines.summary.add_lookalike(&path);
                }
                let result = match launches {
                    Ok(Some(launches)) => self.launches(&bytes, &launches, slot),
                    Ok(None) if is_other => Ok(()),
                    Ok(None) => self.other_file(input, bytes.clone(), slot),
                    Err(error) => Err(error.to_string()),
                };
                if is_other {
                    // The shard of the file has the errors of the whole file.
                    return Ok(());
                }
                if result.is_err() && bytes.as_ref().len() <= HASH_LIMIT {
                    *sha256 = Some(hash(bytes.as_ref()));
                }
                result
            }
        }
    }

    /// Runs the raw shader `bytes`, whose SHA-256 is known.
    fn raw_file(&mut self, input: &Input, bytes: SharedBytes, sha256: [u8; 32], slot: &mut Slot) -> Result<(), String> {
        check_raw(bytes.as_ref().as_ref(), self.job.raw.any).map_err(words)?;
        let sidecar = self.sidecar(input)?;
        let sidecar = sidecar.as_deref();
        let (arch, arch_source) = self.job.raw.arch_of(input, sidecar);
        let spot = cover::raw(self.job, input, bytes.as_ref().as_ref(), arch);
        if is_inhabitant(self.job.worlds, sidecar) {
            let shader = sidecar.map(Sidecar::shader).unwrap_or_default();
            let subject = Subject::shared(bytes, arch, entry_offset(sidecar)?, shader);
            let (kernel, part, offset) = (None, None, None);
            let findings = self.raw_findings(&subject.program, sidecar);
            let inhabitant = Inhabitant { subject, kernel, part, offset, sha256, arch_source, sidecar, findings, spot };
            return self.inhabit(&inhabitant, slot, || Ok(()));
        }
        let program = Program::new(arch, bytes, 0, entry_offset(sidecar)?);
        let (kernel, part, entry) = (None, None, None);
        let findings = self.raw_findings(&program, sidecar);
        let runnable =
            Runnable { program: &program, arch, kernel, part, entry, sha256, sidecar, arch_source, spot, findings };
        self.run(&runnable, slot, || Ok(()))
    }

    /// Runs a code object, a bundle, or a raw file that is too long for the reader's buffer and is mapped.
    fn other_file(&mut self, input: &Input, bytes: FileBytes, slot: &mut Slot) -> Result<(), String> {
        let sidecar = self.sidecar(input)?;
        let sidecar = sidecar.as_deref();
        let arch = Some(self.job.raw.arch_of(input, sidecar)).filter(|(_, source)| *source != ArchSource::Guess);
        let reading = self.job.raw.reading(arch.map(|(arch, _)| arch));
        let loaded = gcnsim_loader::parse_as(bytes, reading).map_err(words)?;
        self.lines.summary.add_not_read(slot.file, self.job.inputs, &loaded.skipped);
        let offset = entry_offset(sidecar)?;
        loaded.entries.iter().try_for_each(|entry| entry.check_runnable()).map_err(words)?;
        let covered = cover::objects(self.job, input, &loaded, self.job.raw.arch_of(input, sidecar).0);
        let repeated = loaded.repeated_targets();
        let is_in_worlds = is_inhabitant(self.job.worlds, sidecar);
        let objects = if is_in_worlds { loaded.launch_objects() } else { Vec::new() };
        let objects: Vec<_> = objects.into_iter().flatten().collect();
        let counts = self.findings(&loaded, self.job.raw.arch_of(input, sidecar).0, offset, sidecar);
        for entry in &loaded.entries {
            if self.is_stopped() {
                slot.is_cut = true;
                break;
            }
            let own = entry.arch.map(|arch| (arch, ArchSource::Own));
            let (arch, arch_source) = own.unwrap_or_else(|| self.job.raw.arch_of(input, sidecar));
            let kernel = entry.kernel.as_deref();
            let part = entry.part.as_deref();
            let part = part.map(|id| InFile { id, is_repeated: repeated.contains(id.target.as_str()) });
            let findings = counts.as_ref().map(|counts| counts.of(entry));
            if is_in_worlds {
                let shader = sidecar.map(Sidecar::shader).unwrap_or_default();
                let subject = Subject::described(entry, arch, offset, shader).in_objects(entry, &objects);
                let sha256 = hash(entry.code.as_ref());
                let file_offset = entry.kernel.is_some().then_some(entry.file_offset);
                let (offset, spot) = (file_offset, Coverage::spot(&covered, entry));
                let inhabitant =
                    Inhabitant { subject, kernel, part, offset, sha256, arch_source, sidecar, findings, spot };
                self.inhabit(&inhabitant, slot, || loaded.check_whole().map_err(words))?;
                continue;
            }
            let program = entry.program_at(arch, None, offset);
            let runnable = Runnable {
                program: &program,
                arch,
                kernel,
                part,
                entry: entry.kernel.is_some().then_some(entry.file_offset),
                sha256: hash(entry.code.as_ref()),
                sidecar,
                arch_source,
                spot: Coverage::spot(&covered, entry),
                findings,
            };
            self.run(&runnable, slot, || loaded.check_whole().map_err(words))?;
        }
        Ok(())
    }

    fn sidecar(&mut self, input: &Input) -> Result<Option<Arc<Sidecar>>, String> {
        self.reader.sidecar(self.job.inputs, input).map_err(|error| format!("sidecar: {error}"))
    }

    /// Runs one entry and writes its line. Fails without a line if `check_whole` finds that the file has changed
    /// meanwhile.
    fn run(
        &mut self,
        runnable: &Runnable,
        slot: &mut Slot,
        check_whole: impl FnOnce() -> Result<(), String>,
    ) -> Result<(), String> {
        let mut ran = Ran { outcome: None, stats: RunStats::default(), state_hash: 0, differences: Vec::new() };
        let panicked = panic::catch_unwind(AssertUnwindSafe(|| self.execute(runnable, &mut ran))).err();
        if panicked.is_some() {
            // After a panic the engine may be in any state.
            self.engine = new_engine(self.job);
            ran.outcome = None;
        }
        check_whole()?;
        let Some(result) = &ran.outcome else {
            let message = panicked.map(|payload| panic_message(payload.as_ref())).unwrap_or_default();
            let detail = LineDetail::Words(&EngineError::Internal(message).to_string());
            self.write(runnable, EntryOutcome::InternalError, detail, None, slot);
            return Ok(());
        };
        let message;
        let detail = match result {
            Err(EngineError::Interrupted) => LineDetail::None,
            Err(EngineError::Divergence(divergence)) => LineDetail::Divergence(divergence),
            Err(error @ EngineError::Internal(_)) => {
                message = words(error);
                LineDetail::Words(&message)
            }
            Ok(outcome) if !ran.differences.is_empty() => LineDetail::Mismatch(&ran.differences, outcome.detail()),
            Ok(outcome) => outcome.detail().map_or(LineDetail::None, LineDetail::At),
        };
        let outcome = match detail {
            LineDetail::Mismatch(..) => EntryOutcome::Mismatch,
            _ => EntryOutcome::from(result),
        };
        self.write(runnable, outcome, detail, Some(&ran), slot);
        if let (Some(coverage), Some(spot)) = (self.job.coverage, runnable.spot) {
            self.cover(runnable, coverage, spot);
        }
        Ok(())
    }

    /// Sets the wave to its initial state. Returns the context of the run.
    #[inline(always)]
    fn start(&mut self, runnable: &Runnable) -> Context {
        let wave = &mut self.wave;
        wave.state = WaveState::initial(runnable.arch, runnable.program.entry());
        (wave.executed, wave.classes, wave.last_pc) = (0, ClassCounts::default(), None);
        wave.observed.clear();
        if !wave.vgprs.is_same(&self.vgprs) {
            wave.vgprs = self.vgprs.clone();
        }
        match runnable.sidecar.and_then(|sidecar| sidecar.state.as_ref()) {
            Some(spec) => {
                spec.apply(wave);
                spec.context(runnable.program)
            }
            None => Context::default(),
        }
    }

    /// Runs an entry once more and counts what it executes.
    #[cold]
    fn cover(&mut self, runnable: &Runnable, coverage: &Coverage, spot: Spot) {
        let budget = self.job.budget_of(runnable.sidecar);
        // The entry has run without a panic before. If it panics here, it is not counted.
        let _ = panic::catch_unwind(AssertUnwindSafe(|| {
            let mut context = self.start(runnable);
            let session = self.engine.session(runnable.program);
            let hits = cover::run(session, &mut self.wave, &mut context, budget);
            coverage.add(spot, &hits);
        }));
    }

    fn execute(&mut self, runnable: &Runnable, ran: &mut Ran) {
        #[cfg(test)]
        assert_ne!(runnable.program.word(0), Some(PLANTED_PANIC), "planted");
        let (program, sidecar) = (runnable.program, runnable.sidecar);
        let mut context = self.start(runnable);
        let wave = &mut self.wave;
        let has_state = sidecar.is_some_and(|sidecar| sidecar.state.is_some());
        let initial_vgprs = has_state.then(|| wave.vgprs.clone());
        let budget = self.job.budget_of(sidecar);
        let outcome = self.engine.session(program).run_on(wave, &mut context, Some(budget), &mut ran.stats);
        ran.state_hash = state_hash(wave, initial_vgprs.as_ref().unwrap_or(&self.vgprs));
        if let (Some(sidecar), Ok(outcome)) = (sidecar, &outcome) {
            ran.differences = self.differences(sidecar, runnable.arch, &context, outcome);
        }
        ran.outcome = Some(outcome);
    }

    /// Returns the differences from what the sidecar expects. There are none if `--max-insts` cut the run short, or if
    /// the entry ran as another generation than the one that the sidecar states.
    fn differences(&self, sidecar: &Sidecar, arch: Arch, context: &Context, outcome: &Outcome) -> Vec<Difference> {
        let Some(expect) = &sidecar.expect else { return Vec::new() };
        let cut_short = self.job.budget_is_explicit && *outcome == Outcome::Budget;
        let other_arch = sidecar.arch.is_some_and(|expected| expected != arch);
        if cut_short || other_arch { Vec::new() } else { expect.differences(&self.wave, context, outcome) }
    }

    fn write(
        &mut self,
        runnable: &Runnable,
        outcome: EntryOutcome,
        detail: LineDetail,
        ran: Option<&Ran>,
        slot: &mut Slot,
    ) {
        let stats = ran.map(|ran| ran.stats).unwrap_or_default();
        slot.out.run_ns.push(stats.run_ns);
        let number = slot.entry;
        slot.entry += 1;
        if let (Some(ran), LineDetail::None, None, None) = (ran, &detail, runnable.kernel, slot.sampling) {
            let run = self.line_run(runnable, ran);
            let Runnable { sha256, arch_source, .. } = *runnable;
            let plain = Plain { file: slot.file, sha256, outcome, run, arch_source };
            return self.lines.add_plain(self.job, plain, slot.out);
        }
        let (samples, reference) = slot.samples(number, stats.run_ns);
        let samples = slot.sampling.map(|_| (samples.as_slice(), reference.as_slice()));
        let run_ns = samples.map_or(stats.run_ns, |(samples, _)| median(samples));
        let run = ran.map(|ran| self.line_run(runnable, ran));
        let run = run.map(|run| LineRun { stats: RunStats { run_ns, ..stats }, samples, ..run });
        let entry = Entry {
            file: slot.file,
            number,
            kernel: runnable.kernel,
            offset: runnable.entry,
            part: runnable.part,
            sha256: Some(&runnable.sha256),
            outcome,
            detail,
            run: run.as_ref(),
            arch_source: runnable.arch_source,
            launch: None,
        };
        self.lines.add(self.job, entry, slot.out);
    }

    #[inline(always)]
    fn line_run(&self, runnable: &Runnable, ran: &Ran) -> LineRun<'static> {
        LineRun {
            arch: runnable.arch,
            pc: Some(self.wave.state.pc),
            instructions: self.wave.executed,
            classes: self.wave.classes,
            stats: ran.stats,
            notes: self.wave.state.notes,
            state_hash: ran.state_hash,
            samples: None,
            synthetic: None,
            findings: runnable.findings,
            sanitizer: None,
        }
    }

    fn bad_input(&mut self, reason: &str, sha256: Option<&[u8; 32]>, slot: &mut Slot) {
        slot.out.run_ns.push(0);
        let entry = Entry {
            file: slot.file,
            number: slot.entry,
            kernel: None,
            offset: None,
            part: None,
            sha256,
            outcome: EntryOutcome::BadInput,
            detail: LineDetail::Words(reason),
            run: None,
            arch_source: ArchSource::Own,
            launch: None,
        };
        slot.entry += 1;
        self.lines.add(self.job, entry, slot.out);
    }
}

impl Slot<'_, '_> {
    /// Returns the samples of entry `number` up to this pass, and the times of the reference work beside them. Both are
    /// empty unless there are several passes.
    pub(crate) fn samples(&self, number: usize, run_ns: u64) -> (Vec<u64>, Vec<u64>) {
        let (mut samples, mut reference) = (Vec::new(), Vec::new());
        if let Some(sampling) = self.sampling {
            sampling.earlier.of(self.file, number, &mut samples, &mut reference);
            samples.push(run_ns);
            reference.push(sampling.reference_ns);
        }
        (samples, reference)
    }
}

fn new_engine(job: &Job) -> Engine {
    Engine::new(run_options(job))
}

/// Returns the options of runs.
pub(super) fn run_options(job: &Job) -> RunOptions {
    job.run.clone().counting_classes().stop(job.stop.clone())
}

#[inline]
fn check_raw(code: &[u8], any: bool) -> Result<(), LoadError> {
    let plain = !code.is_empty() && code.len().is_multiple_of(4) && code.len() as u64 <= PROGRAM_LIMIT;
    // Nearly every shader is plain, so nothing else costs time.
    match any {
        _ if plain && (any || !foreign::is_suspect(code)) => Ok(()),
        true => gcnsim_loader::check_raw_length(code),
        false => gcnsim_loader::check_raw(code),
    }
}

/// Returns an error in words. The function is cold, so that its code is apart from the common path.
#[cold]
pub(crate) fn words(error: impl Display) -> String {
    error.to_string()
}

fn entry_offset(sidecar: Option<&Sidecar>) -> Result<u64, String> {
    match sidecar.and_then(|s| s.entry).unwrap_or(0) {
        offset if offset.is_multiple_of(4) => Ok(offset),
        offset => Err(format!("sidecar: entry {offset:#x} is not a multiple of 4")),
    }
}

/// Returns the median of `samples`; of two in the middle, the lower one.
pub(crate) fn median(samples: &[u64]) -> u64 {
    let mut sorted = samples.to_vec();
    sorted.sort_unstable();
    sorted.get(sorted.len().saturating_sub(1) / 2).copied().unwrap_or_default()
}

pub(crate) fn panic_message(payload: &(dyn std::any::Any + Send)) -> String {
    let text = payload.downcast_ref::<&str>().copied();
    let text = text.or_else(|| payload.downcast_ref::<String>().map(String::as_str));
    format!("panic: {}", text.unwrap_or("without a message"))
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::sync::Arc;
    use std::sync::atomic::AtomicBool;

    use serde_json::Value;

    use super::*;
    use crate::{Inputs, Options, run};

    /// A panic makes one line, which says so, and counts as the simulator's fault. The other lines do not change.
    #[test]
    fn a_panic_is_a_line() {
        let folder = tempfile::tempdir().unwrap();
        for (name, first) in [("a.bin", 0xb003_0001), ("b.bin", PLANTED_PANIC), ("c.bin", 0xb003_0002u32)] {
            let words = [first, 0xbf81_0000];
            let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
            fs::write(folder.path().join(name), bytes).unwrap();
        }
        for jobs in [1, 2] {
            let inputs = Inputs::collect(&[folder.path().to_owned()]).unwrap();
            let options = Options { jobs, ..Options::default() };
            let (mut out, stop) = (Vec::new(), Arc::new(AtomicBool::new(false)));
            let finished = run(&inputs, &options, None, &mut out, &stop, &mut ()).unwrap();
            assert_eq!(finished.summary.our_faults(), 1);
            let text = String::from_utf8(out).unwrap();
            let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
            let outcomes: Vec<_> = lines[..3].iter().map(|line| line["outcome"].as_str().unwrap()).collect();
            assert_eq!(outcomes, ["ended", "internal-error", "ended"]);
            let reason = lines[1]["detail"]["kind"].as_str().unwrap();
            assert!(reason.starts_with("internal error: panic: ") && reason.contains("planted"), "{reason}");
            assert_eq!((&lines[1]["state_hash"], &lines[2]["instructions"]), (&Value::Null, &2.into()));
        }
    }
}
