//! Running corpora: every shader below some folders, on all cores, one line of results each.
//!
//! ```text
//! inputs   what there is, as one ordered list of names       (tar, archive)
//! schedule stretches of the list to threads, results back in order
//! worker   file -> program -> engine -> line                 (reader, folder, ring, results)
//! summary  counts, examples, extremes; ledger judges failures
//! resume   what of an earlier output can stay
//! merge    outputs of shards to that of the whole
//! record   lines read back, for compare, reports and all of the above
//! ```
//!
//! Everything but fields whose names end in `_ns` is deterministic: the same inputs give the same lines in the same order
//! whatever the number of threads.

mod archive;
#[cfg(unix)]
mod folder;
mod inputs;
mod json;
pub mod ledger;
mod lines;
mod listing;
pub mod merge;
mod outcome;
mod reader;
pub mod record;
mod reference;
mod repeat;
pub mod results;
pub mod resume;
#[cfg(target_os = "linux")]
mod ring;
mod schedule;
mod shard;
mod sink;
pub mod summary;
mod summary_text;
pub mod tar;
mod worker;

use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use gcnsim_isa::Arch;

pub use inputs::{FileName, Inputs, ListError};
pub use ledger::Ledger;
pub use outcome::EntryOutcome;
pub use shard::Shard;
pub use summary::Summary;
pub use summary_text::SummaryText;

use crate::engine::RunOptions;
use repeat::{PassSamples, Repeats};
use schedule::{Pass, Stretch, Take, lock};
use sink::LineSink;
use worker::Job;
#[cfg(test)]
pub(crate) use worker::PLANTED_PANIC;

/// Budget of an entry in instructions, unless somebody says otherwise.
pub const DEFAULT_BUDGET: u64 = 10_000_000;

/// How to run a batch.
#[derive(Clone, Debug)]
pub struct Options {
    /// Engine settings; budget and counting by class are the batch's own.
    pub run: RunOptions,
    /// Budget per entry; sidecars may have their own unless it is given here.
    pub max_insts: Option<u64>,
    /// Generation of raw files without sidecar.
    pub arch: Option<Arch>,
    /// Threads.
    pub jobs: usize,
    /// Samples per entry.
    pub repeat: u32,
    /// Passes before the first sample.
    pub warmup: u32,
    /// Part of the corpus to run.
    pub shard: Option<Shard>,
    /// Keep failures for a ledger.
    pub keep_failures: bool,
    /// First file to run: those before it are in the results already.
    pub start: usize,
    /// Batches of this many files or more read them ahead where they can (on Linux, by io_uring): that takes some time to set up.
    /// Results are the same.
    pub ahead_from: usize,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            run: RunOptions::default(),
            max_insts: None,
            arch: None,
            jobs: std::thread::available_parallelism().map_or(1, usize::from),
            repeat: 1,
            warmup: 0,
            shard: None,
            keep_failures: false,
            start: 0,
            ahead_from: 1000,
        }
    }
}

/// Why a batch cannot go on. What is wrong with a file is a line of the results, never this.
#[derive(Debug, thiserror::Error)]
pub enum BatchError {
    /// The results cannot be written.
    #[error("cannot write results")]
    Write(#[from] std::io::Error),
    /// No threads.
    #[error("cannot start threads: {0}")]
    Threads(String),
}

/// What a batch did.
#[derive(Debug)]
pub struct Finished {
    /// Counts over what was run; lines of an earlier run are not in it.
    pub summary: Summary,
    /// Was it stopped before the end?
    pub interrupted: bool,
}

/// How far a batch is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Progress {
    /// Files done, summed over all passes.
    pub done: u64,
    /// Entries that did not end.
    pub failed: u64,
}

/// Who hears of a batch's progress.
pub trait Observer {
    /// Called a few times a second.
    fn progress(&mut self, progress: Progress);
}

impl Observer for () {
    fn progress(&mut self, _: Progress) {}
}

/// Runs a batch and writes its lines. Stops early, with all lines written up to a point, when `stop` becomes true.
///
/// # Errors
/// [`BatchError`] if the results cannot be written or there are no threads.
pub fn run(
    inputs: &Inputs,
    options: &Options,
    ledger: Option<&Ledger>,
    out: &mut (dyn Write + Send),
    stop: &Arc<AtomicBool>,
    observer: &mut dyn Observer,
) -> Result<Finished, BatchError> {
    let job = Job {
        inputs,
        run: RunOptions {
            // Passes over the same files, and files with the same code.
            #[cfg(feature = "jit")]
            shared: Some(Arc::default()),
            ..options.run.clone()
        },
        budget_is_explicit: options.max_insts.is_some(),
        budget: options.max_insts.unwrap_or(DEFAULT_BUDGET),
        arch: options.arch,
        shard: options.shard,
        ledger,
        keep_failures: options.keep_failures,
        ahead: inputs.len().saturating_sub(options.start) >= options.ahead_from,
        stop,
    };
    let mut passes = Passes { job: &job, options, done: 0, failed: 0, observer };
    let mut repeats = Repeats::new(options.start);
    for number in 1..options.warmup + options.repeat.max(1) {
        let samples = passes.before_last(number > options.warmup)?;
        if stop.load(Ordering::Relaxed) {
            return Ok(Finished { summary: Summary::new(options.keep_failures), interrupted: true });
        }
        if number > options.warmup {
            repeats.add(samples);
        }
    }
    passes.last((options.repeat > 1).then_some(&repeats), out)
}

/// Goes over the list several times.
struct Passes<'a> {
    job: &'a Job<'a>,
    options: &'a Options,
    done: u64,
    failed: u64,
    observer: &'a mut dyn Observer,
}

impl Passes<'_> {
    fn run(&mut self, reference: bool, earlier: Option<&Repeats>, take: &mut Take) -> Result<Summary, BatchError> {
        let pass = Pass { start: self.options.start, jobs: self.options.jobs.max(1), reference, earlier };
        // What the two closures share.
        let counts = Mutex::new(Progress { done: self.done, failed: self.failed });
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
        let summary = schedule::run_pass(self.job, &pass, &mut take, &mut tick);
        tick();
        Progress { done: self.done, failed: self.failed } = counted();
        summary
    }

    /// A pass that only warms up or measures.
    fn before_last(&mut self, reference: bool) -> Result<PassSamples, BatchError> {
        let mut samples = PassSamples::default();
        self.run(reference, None, &mut |stretch| {
            samples.take(stretch);
            Ok(())
        })?;
        self.failed = 0;
        Ok(samples)
    }

    /// The pass that writes lines.
    fn last(&mut self, earlier: Option<&Repeats>, out: &mut (dyn Write + Send)) -> Result<Finished, BatchError> {
        let mut sink = LineSink::new(out);
        let mut end = self.options.start;
        let summary = self.run(earlier.is_some(), earlier, &mut |stretch| {
            end = stretch.end;
            Ok(sink.write(&stretch.output.lines)?)
        })?;
        sink.flush()?;
        let interrupted = end < self.job.inputs.len() || summary.outcome(EntryOutcome::Interrupted) > 0;
        Ok(Finished { summary, interrupted })
    }
}

/// Bytes as lower-case hex digits.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A SHA-256 from its 64 hex digits.
pub(crate) fn unhex(text: &str) -> Option<[u8; 32]> {
    let mut bytes = [0; 32];
    if text.len() != 64 || !text.is_ascii() {
        return None;
    }
    for (i, byte) in bytes.iter_mut().enumerate() {
        *byte = u8::from_str_radix(text.get(2 * i..2 * i + 2)?, 16).ok()?;
    }
    Some(bytes)
}
