//! Writes the lines of one worker and adds up their summary.
//!
//! Lines are written in lots. Each shader needs another large part of the interpreter's code. If every line were
//! written at once, the code for writing would have to be fetched into the first-level cache again for every shader (a
//! fifth of all such fetches).

use crate::output::outcome::EntryOutcome;
use crate::output::results::{LaunchPart, Line, LineDetail, LineRun};
use crate::output::summary::{self, Failures, Summary};
use crate::run::job::{Job, Output};
use gcnsim_engine::difference::Mismatch;
use gcnsim_inputs::arch::ArchSource;
use gcnsim_inputs::entry_hash::{EntryHash, world_hash};
use gcnsim_inputs::name::PartName;
use gcnsim_loader::PartId;

/// Number of plain entries in a lot.
const LOT: usize = 32;

/// Writes the lines of entries, in order.
pub(crate) struct Lines {
    pub summary: Summary,
    waiting: Vec<Plain>,
}

/// An entry that is the only one of its file and has nothing to report besides its run. Almost all entries are plain.
pub(crate) struct Plain {
    pub file: usize,
    pub sha256: [u8; 32],
    pub outcome: EntryOutcome,
    pub run: LineRun<'static>,
    pub arch_source: ArchSource,
}

/// The part of a bundle that an entry comes from.
#[derive(Clone, Copy)]
pub(crate) struct InFile<'a> {
    pub id: &'a PartId,
    /// Whether other parts of the file have the same target id.
    pub is_repeated: bool,
}

impl<'a> InFile<'a> {
    fn name(self) -> PartName<'a> {
        PartName { target: &self.id.target, index: self.is_repeated.then_some(self.id.index) }
    }
}

/// An entry of any kind.
pub(crate) struct Entry<'a> {
    /// The number of its file. `number` is the number of the entry within the file.
    pub file: usize,
    pub number: usize,
    pub kernel: Option<&'a str>,
    /// Offset of the entry's code in the file, in bytes.
    pub offset: Option<u64>,
    pub part: Option<InFile<'a>>,
    pub sha256: Option<&'a [u8; 32]>,
    pub outcome: EntryOutcome,
    pub detail: LineDetail<'a>,
    pub run: Option<&'a LineRun<'a>>,
    pub arch_source: ArchSource,
    pub launch: Option<LaunchPart<'a>>,
}

impl Lines {
    pub fn new(failures: Failures) -> Lines {
        Lines { summary: Summary::new(failures), waiting: Vec::with_capacity(LOT) }
    }

    /// Adds an entry and writes its line.
    pub fn add(&mut self, job: &Job, entry: Entry, out: &mut Output) {
        self.flush(job, out);
        write(job, &mut self.summary, entry, out);
    }

    /// Adds a plain entry. `out` has its line only after the next [`flush`](Lines::flush).
    #[inline(always)]
    pub fn add_plain(&mut self, job: &Job, plain: Plain, out: &mut Output) {
        self.waiting.push(plain);
        if self.waiting.len() == LOT {
            self.flush(job, out);
        }
    }

    /// Writes the lines of all entries that wait for it.
    pub fn flush(&mut self, job: &Job, out: &mut Output) {
        for Plain { file, sha256, outcome, run, arch_source } in &self.waiting {
            let entry = Entry {
                file: *file,
                number: 0,
                kernel: None,
                offset: None,
                part: None,
                sha256: Some(sha256),
                outcome: *outcome,
                detail: LineDetail::None,
                run: Some(run),
                arch_source: *arch_source,
                launch: None,
            };
            write(job, &mut self.summary, entry, out);
        }
        self.waiting.clear();
    }
}

fn write(job: &Job, summary: &mut Summary, entry: Entry, out: &mut Output) {
    let Entry { file: number, kernel, part, sha256, outcome, detail, run, launch, .. } = entry;
    let file = job.inputs.name(number);
    let (words, mnemonic) = match &detail {
        LineDetail::None => (None, None),
        LineDetail::At(detail) => (Some(detail.kind), detail.mnemonic),
        LineDetail::Words(words) => (Some(*words), None),
        LineDetail::Launch(detail) => (Some(detail.kind.as_str()), detail.mnemonic),
        LineDetail::Mismatch(_, None) => (Some("expectation"), None),
        LineDetail::Mismatch(_, Some(detail)) => (Some(detail.kind), detail.mnemonic),
        LineDetail::Divergence(divergence) => (Some("divergence"), divergence.mnemonic),
    };
    let mismatch = match &detail {
        LineDetail::Launch(detail) if outcome == EntryOutcome::Mismatch => Some(detail.mismatch()),
        LineDetail::Mismatch(fields, _) => Some(Mismatch { buffers: &[], fields }),
        _ => None,
    };
    let stats = run.as_ref().map(|run| run.stats).unwrap_or_default();
    let world = run.and_then(|run| run.synthetic).map(|facts| facts.world.name());
    let seen = summary::Entry {
        order: (number, entry.number),
        file,
        kernel,
        part: part.map(InFile::name),
        launch: launch.map(|launch| launch.name).or(world.as_deref()),
        hash: sha256.map(|&code| EntryHash {
            code,
            launch: launch.and_then(|launch| launch.sha256.copied()).or(world.as_deref().map(world_hash)),
        }),
        outcome,
        is_expected: launch.and_then(|launch| launch.report).is_some_and(|report| report.expected),
        detail: words,
        mismatch,
        mnemonic,
        arch: run.map(|run| run.arch),
        arch_source: entry.arch_source,
        instructions: run.as_ref().map_or(0, |run| run.instructions),
        run_ns: stats.run_ns,
        compile_ns: stats.compile_ns,
        check_ns: stats.check_ns,
        notes: run.as_ref().map(|run| run.notes).unwrap_or_default(),
    };
    summary.add(&seen, job.ledger);
    out.failed += u64::from(seen.has_failed());
    let line = Line {
        place: job.shard.map(|shard| (shard, shard.index_of(number))),
        file,
        kernel,
        entry: entry.offset,
        part: part.map(|part| part.id),
        sha256,
        outcome: outcome.name(),
        detail,
        engine: job.run.engine.name(),
        run,
        launch,
    };
    line.write(&mut out.lines, &mut out.times);
}
