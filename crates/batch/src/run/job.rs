//! The inputs of threads, and their results.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use gcnsim_engine::RunOptions;
use gcnsim_launches::coverage::Coverage;
use gcnsim_launches::sidecar::Sidecar;
use gcnsim_machine::world::World;

use crate::Sanitizing;
use crate::operations::ledger::Ledger;
use crate::output::summary::Failures;
use crate::run::repeat::Repeats;
use gcnsim_inputs::arch::RawFiles;
use gcnsim_inputs::inputs::Inputs;
use gcnsim_inputs::shard::Shard;

/// Settings and inputs that all workers of a batch share.
pub(crate) struct Job<'a> {
    pub inputs: &'a Inputs,
    pub run: RunOptions,
    /// Whether the user gave the budget, which then overrides sidecars.
    pub budget_is_explicit: bool,
    /// Budget of entries whose sidecar sets none, in instructions.
    pub budget: u64,
    pub raw: RawFiles,
    pub shard: Option<Shard>,
    pub ledger: Option<&'a Ledger>,
    pub failures: Failures,
    /// Whether files are read ahead.
    pub ahead: bool,
    pub stop: &'a Arc<AtomicBool>,
    /// Worlds in which entries without inputs of their own run. If there are none, these run as raw programs.
    pub worlds: &'a [World],
    /// Whether findings of the linter are counted.
    pub lint: bool,
    /// The coverage, which counts what runs execute; `None` if it is not wanted.
    pub coverage: Option<&'a Coverage>,
    /// The checks of a sanitizer; `None` if it is not wanted.
    pub sanitize: Option<&'a Sanitizing>,
}

impl Job<'_> {
    /// Returns the budget of an entry in instructions. `sidecar` may set it.
    #[inline(always)]
    pub fn budget_of(&self, sidecar: Option<&Sidecar>) -> u64 {
        let own_budget = if self.budget_is_explicit { None } else { sidecar.and_then(|s| s.max_insts) };
        own_budget.unwrap_or(self.budget)
    }
}

/// The results of a stretch of files.
#[derive(Default)]
pub(crate) struct Output {
    /// The lines.
    pub lines: Vec<u8>,
    /// Ranges of the time fields in `lines`.
    pub times: Vec<Range<usize>>,
    /// Number of entries of each file.
    pub entries: Vec<u32>,
    /// `run_ns` of each entry, in nanoseconds.
    pub run_ns: Vec<u64>,
    /// Number of entries that failed.
    pub failed: u64,
}

impl Output {
    /// Removes the contents, but keeps the memory.
    pub fn clear(&mut self) {
        self.lines.clear();
        self.times.clear();
        self.entries.clear();
        self.run_ns.clear();
        self.failed = 0;
    }
}

/// The samples of earlier passes, and the time of the reference work before this stretch.
#[derive(Clone, Copy)]
pub(crate) struct Sampling<'a> {
    pub earlier: &'a Repeats,
    pub reference_ns: u64,
}

/// Results of a stretch of files.
pub(crate) struct Stretch {
    pub start: usize,
    /// The first file that is not done.
    pub end: usize,
    pub output: Output,
    /// Time of the reference work before the stretch, in nanoseconds; 0 if it is not measured.
    pub reference_ns: u64,
}
