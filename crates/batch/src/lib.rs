//! Runs corpora: every shader below some folders, on all cores, with one line of results for each.
//!
//! | room | what it does |
//! |---|---|
//! | `run/` | deals the list to threads (`schedule`), makes lines (`worker`, `launches`), samples, shards |
//! | `output/` | lines of results and their end, summaries, lines read back (`record`) |
//! | `operations/` | resumes outputs (`resume`), joins shards (`merge`), reads ledgers |
//! | `compare/` | what changed between two results |
//! | `report` | results as an HTML page |
//!
//! Results are deterministic except for fields whose names end in `_ns`: the same inputs give the same lines in the
//! same order with any number of threads.
#![deny(unsafe_code)]

pub mod compare;
mod operations;
mod output;
pub mod report;
mod run;

use std::io::{self, Write};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use gcnsim_machine::world::World;

pub use operations::{ledger, merge, resume};
pub use output::{deqp, end, junit, record, results, summary};
pub use run::cover;

pub use operations::ledger::{Ledger, LedgerKey};
pub use output::end::{ClosingRecord, Digest, End};
pub use output::groups::{Count, FailureGroups};
pub use output::outcome::EntryOutcome;
pub use output::summary::{Failures, Summary};
pub use output::summary_text::SummaryText;
pub use run::repeat::PassSamples;

use gcnsim_engine::RunOptions;
use gcnsim_inputs::{Inputs, RawFiles, Shard};
use gcnsim_launches::coverage::Coverage;
use gcnsim_sanitize::{Checks, Findings};
use output::sink::LineSink;
use run::job::{Job, Stretch};
use run::repeat::Repeats;
use run::schedule::{Pass, Take, lock};

/// Budget of an entry in instructions, unless the user or a sidecar states another.
pub const DEFAULT_BUDGET: u64 = 10_000_000;

/// Options of a batch.
///
/// ```
/// use gcnsim_batch::Options;
/// let options = Options::default().max_insts(1_000_000).jobs(2);
/// ```
#[derive(Clone)]
#[non_exhaustive]
pub struct Options {
    /// Engine settings. The batch itself sets the budget and the counting by class.
    pub run: RunOptions,
    /// Budget per entry in instructions. If it is `None`, a sidecar may set it.
    pub max_insts: Option<u64>,
    /// How the files are read that are no code objects.
    pub raw: RawFiles,
    /// Number of threads.
    pub jobs: usize,
    /// Number of measured passes, each of which takes one sample per entry.
    pub repeat: u32,
    /// Number of passes before the first measured one.
    pub warmup: u32,
    /// The part of the corpus to run; `None` runs all of it.
    pub shard: Option<Shard>,
    /// Whether the summary keeps all failures.
    pub failures: Failures,
    /// Index of the first file to run; the results of the files before it exist already. With `repeat` this applies to
    /// the first pass.
    pub start: usize,
    /// Length of the results that exist already, in bytes.
    pub kept_bytes: u64,
    /// Digest of the results that exist already.
    pub kept_digest: Digest,
    /// The samples in the existing results, by pass: one pass up to `start`, or several passes over the whole list.
    pub kept_samples: Vec<PassSamples>,
    /// Fewest files of a batch that reads files ahead, where the system can (on Linux, by io_uring). To set that up
    /// takes some time. Results are the same.
    pub ahead_from: usize,
    /// Worlds of the synthetic environment. An entry runs in each of them if it has no launch file and no sidecar with
    /// a state or an expectation. Without worlds such an entry runs as a raw program. `max_insts` is the budget of a
    /// wave there; the default is [`gcnsim_synthetic::DEFAULT_BUDGET`].
    pub worlds: Vec<World>,
    /// Whether a line has the number of findings of the linter about the code of its entry.
    pub lint: bool,
    /// The coverage, which counts what entries execute in a second run of each; `None` if it is not wanted.
    pub coverage: Option<Arc<Coverage>>,
    /// The checks of a sanitizer, which watches launches and synthetic runs in a second run of each; `None` if it is
    /// not wanted.
    pub sanitize: Option<Arc<Sanitizing>>,
}

/// The checks of a sanitizer, and counts of what it has found.
#[derive(Debug)]
#[non_exhaustive]
pub struct Sanitizing {
    /// The checks.
    pub checks: Checks,
    /// Number of findings so far.
    pub found: AtomicU64,
    /// Number of launches and synthetic runs that it has watched so far.
    pub runs: AtomicU64,
}

impl Sanitizing {
    /// Returns the checks, with nothing found yet.
    pub fn new(checks: Checks) -> Sanitizing {
        Sanitizing { checks, found: AtomicU64::new(0), runs: AtomicU64::new(0) }
    }

    /// Counts the findings of a run.
    fn count(&self, found: &Findings) {
        self.runs.fetch_add(1, Ordering::Relaxed);
        self.found.fetch_add(found.total, Ordering::Relaxed);
    }
}

impl Default for Options {
    fn default() -> Options {
        Options {
            run: RunOptions::default(),
            max_insts: None,
            raw: RawFiles::default(),
            jobs: std::thread::available_parallelism().map_or(1, usize::from),
            repeat: 1,
            warmup: 0,
            shard: None,
            failures: Failures::Counted,
            start: 0,
            kept_bytes: 0,
            kept_digest: Digest::default(),
            kept_samples: Vec::new(),
            ahead_from: 1000,
            worlds: Vec::new(),
            lint: false,
            coverage: None,
            sanitize: None,
        }
    }
}

impl Options {
    /// Sets the engine.
    #[must_use]
    pub fn run(self, run: RunOptions) -> Options {
        Options { run, ..self }
    }

    /// Sets the budget per entry in instructions, whatever sidecars say.
    #[must_use]
    pub fn max_insts(self, max_insts: u64) -> Options {
        Options { max_insts: Some(max_insts), ..self }
    }

    /// Sets how the files are read that are no code objects.
    #[must_use]
    pub fn raw(self, raw: RawFiles) -> Options {
        Options { raw, ..self }
    }

    /// Sets the number of threads.
    #[must_use]
    pub fn jobs(self, jobs: usize) -> Options {
        Options { jobs, ..self }
    }

    /// Sets the number of measured passes.
    #[must_use]
    pub fn repeat(self, repeat: u32) -> Options {
        Options { repeat, ..self }
    }

    /// Sets the number of passes before the first measured one.
    #[must_use]
    pub fn warmup(self, warmup: u32) -> Options {
        Options { warmup, ..self }
    }

    /// Sets the part of the corpus to run.
    #[must_use]
    pub fn shard(self, shard: Shard) -> Options {
        Options { shard: Some(shard), ..self }
    }

    /// Sets the worlds in which entries run that have no inputs of their own.
    #[must_use]
    pub fn worlds(self, worlds: impl Into<Vec<World>>) -> Options {
        Options { worlds: worlds.into(), ..self }
    }

    /// Counts the findings of the linter.
    #[must_use]
    pub fn lint(self) -> Options {
        Options { lint: true, ..self }
    }
}

/// Error that stops a batch. A bad file never causes one: it gives a line of results.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BatchError {
    /// The results cannot be written.
    #[error("cannot write results")]
    Write(#[from] io::Error),
    /// Threads cannot be started.
    #[error("cannot start threads: {0}")]
    Threads(String),
}

/// Result of a batch.
#[derive(Debug)]
#[non_exhaustive]
pub struct Finished {
    /// Counts over the last completed pass, or over the first pass if none was completed.
    pub summary: Summary,
    /// Whether the summary covers all entries. Entries whose lines an earlier run wrote may be missing from it.
    pub is_whole: bool,
    /// Whether the batch was stopped before its end.
    pub interrupted: bool,
    /// Number of complete measured passes, including those of an earlier run.
    pub passes: u32,
}

/// Destination of results. Each measured pass over the corpus writes lines of its own. The lines of the last pass are
/// the results; those of earlier passes have fewer samples.
///
/// Every [`Write`] implements this and takes the lines of the last pass only.
pub trait Out: Send {
    /// Returns the writer for the lines of pass `number` (from 1), or `None` if its lines are not wanted.
    ///
    /// # Errors
    /// The lines cannot be written.
    fn begin_pass(&mut self, number: u32, is_last: bool) -> io::Result<Option<&mut (dyn Write + Send)>>;

    /// Called when all lines of a pass are written.
    ///
    /// # Errors
    /// The lines cannot replace those of the pass before.
    fn end_pass(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl<W: Write + Send> Out for W {
    fn begin_pass(&mut self, _: u32, is_last: bool) -> io::Result<Option<&mut (dyn Write + Send)>> {
        Ok(is_last.then_some(self))
    }
}

/// Progress of a batch.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Progress {
    /// Number of files that are done, summed over all passes.
    pub done: u64,
    /// Number of entries of the current pass that failed.
    pub failed: u64,
}

/// Receives the progress of a batch.
pub trait Observer {
    /// Called a few times a second.
    fn progress(&mut self, progress: Progress);
}

impl Observer for () {
    fn progress(&mut self, _: Progress) {}
}

/// Returns the number of files that a batch runs, summed over all passes.
pub fn files_to_do(inputs: &Inputs, options: &Options) -> u64 {
    let (all, from_start) = (inputs.len() as u64, inputs.len().saturating_sub(options.start) as u64);
    let kept = whole_passes(inputs, options);
    let first = if kept > 0 { all } else { from_start };
    let passes = u64::from(options.warmup) + u64::from(options.repeat.max(1)) - kept;
    let firsts = passes.min(u64::from(options.warmup) + 1);
    firsts * first + (passes - firsts) * all
}

/// Returns the number of passes whose samples exist already. The last pass always runs, to write the results.
fn whole_passes(inputs: &Inputs, options: &Options) -> u64 {
    if options.start < inputs.len() {
        return 0;
    }
    (options.kept_samples.len() as u64).min(u64::from(options.repeat.max(1)) - 1)
}

/// Runs a batch and writes its lines and the record that closes them. When `stop` becomes true, it stops early: running
/// entries are finished or cut short, and others do not begin. Then the lines up to some point in the list are written,
/// without the closing record.
///
/// # Errors
/// [`BatchError`] if the results cannot be written or threads cannot be started.
pub fn run(
    inputs: &Inputs,
    options: &Options,
    ledger: Option<&Ledger>,
    out: &mut dyn Out,
    stop: &Arc<AtomicBool>,
    observer: &mut dyn Observer,
) -> Result<Finished, BatchError> {
    let run = options.run.clone();
    // Passes over the same files share regions, and so do files with the same code.
    #[cfg(feature = "jit")]
    let run = run.shared(Arc::default());
    let job = Job {
        inputs,
        run,
        budget_is_explicit: options.max_insts.is_some(),
        budget: options.max_insts.unwrap_or(DEFAULT_BUDGET),
        raw: options.raw,
        shard: options.shard,
        ledger,
        failures: options.failures,
        ahead: inputs.len().saturating_sub(options.start) >= options.ahead_from,
        stop,
        worlds: &options.worlds,
        lint: options.lint,
        coverage: options.coverage.as_deref(),
        sanitize: options.sanitize.as_deref(),
    };
    let mut passes = Passes { job: &job, options, done: 0, observer };
    let mut repeats = Repeats::default();
    let whole = whole_passes(inputs, options) as usize;
    options.kept_samples[..whole].iter().for_each(|pass| repeats.add(pass.clone()));
    let count = options.repeat.max(1);
    let start_of = |number| if number == 1 { options.start } else { 0 };
    let stopped = || stop.load(Ordering::Relaxed);
    let summary = Summary::new(options.failures);
    let mut finished = Finished { summary, is_whole: false, interrupted: true, passes: repeats.passes() };
    for _ in 0..options.warmup {
        passes.run(start_of(repeats.passes() + 1), None, &mut |_| Ok(()))?;
        if stopped() {
            return Ok(finished);
        }
    }
    for number in repeats.passes() + 1..=count {
        let (start, is_last) = (start_of(number), number == count);
        let writer = out.begin_pass(number, is_last)?;
        let measured = passes.measure(start, (count > 1).then_some(&repeats), writer)?;
        if number == 1 || measured.is_complete {
            (finished.summary, finished.is_whole) = (measured.summary, start == 0);
        }
        if !measured.is_complete {
            return Ok(finished);
        }
        out.end_pass()?;
        repeats.add(measured.samples);
        finished.passes = number;
        if !is_last && stopped() {
            return Ok(finished);
        }
    }
    Ok(Finished { interrupted: false, ..finished })
}

/// Runs all passes of a batch.
struct Passes<'a> {
    job: &'a Job<'a>,
    options: &'a Options,
    done: u64,
    observer: &'a mut dyn Observer,
}

/// The results of a measured pass.
struct Measured {
    summary: Summary,
    samples: PassSamples,
    /// Whether the pass ran to its end.
    is_complete: bool,
}

impl Passes<'_> {
    /// Runs one pass from file `start` on. `take` gets its stretches in order, and `earlier` has the samples of earlier
    /// passes.
    fn run(&mut self, start: usize, earlier: Option<&Repeats>, take: &mut Take) -> Result<Summary, BatchError> {
        let pass = Pass { start, jobs: self.options.jobs.max(1), earlier };
        // `take` and `tick` share these counts.
        let counts = Mutex::new(Progress { done: self.done, failed: 0 });
        let counted = || *lock(&counts);
        let observer = &mut *self.observer;
        let mut take = |stretch: &Stretch| {
            let mut counts = lock(&counts);
            counts.done += (stretch.end - stretch.start) as u64;
            counts.failed += stretch.output.failed;
            drop(counts);
            take(stretch)
        };
        let mut tick = || observer.progress(counted());
        let summary = run::schedule::run_pass(self.job, &pass, &mut take, &mut tick);
        tick();
        self.done = counted().done;
        summary
    }

    /// Runs a measured pass and writes its lines to `writer`, if there is one. If the pass was not stopped, the closing
    /// record follows.
    fn measure(
        &mut self,
        start: usize,
        earlier: Option<&Repeats>,
        writer: Option<&mut (dyn Write + Send)>,
    ) -> Result<Measured, BatchError> {
        let mut samples = PassSamples::default();
        let mut digest = Digest::default();
        if start > 0 {
            samples = self.options.kept_samples.first().cloned().unwrap_or_default();
            samples.resize(start);
            digest = self.options.kept_digest.clone();
        }
        let mut sink = writer.map(LineSink::new);
        let mut end = start;
        let summary = self.run(start, earlier, &mut |stretch| {
            end = stretch.end;
            if earlier.is_some() {
                samples.take(stretch);
            }
            let Some(sink) = &mut sink else { return Ok(()) };
            let output = &stretch.output;
            digest.lines(output.run_ns.len() as u64, &output.lines, &output.times);
            Ok(sink.write(&output.lines)?)
        })?;
        let is_complete = end == self.job.inputs.len() && summary.outcome(EntryOutcome::Interrupted) == 0;
        if let Some(sink) = &mut sink {
            if is_complete {
                sink.write(digest.record(self.options.shard).line().as_bytes())?;
            }
            sink.flush()?;
        }
        Ok(Measured { summary, samples, is_complete })
    }
}
