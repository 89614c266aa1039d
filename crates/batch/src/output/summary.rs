//! The summary of a batch: counts, examples, extremes. Each worker has its own; they are added up at the end.

use std::path::{Path, PathBuf};

use gcnsim_isa::{Arch, Note};

use crate::operations::ledger::{self, Ledger, Verdict};
pub use crate::output::entry::{Entry, Failure, Order};
use crate::output::groups::{Count, FailureGroups};
use crate::output::outcome::EntryOutcome;
use gcnsim_engine::quote;
use gcnsim_inputs::arch::ArchSource;
use gcnsim_inputs::inputs::Inputs;
use gcnsim_inputs::name::EntryName;
use gcnsim_loader::Skipped;

/// Number of entries in each list of extremes.
const EXTREMES: usize = 10;

/// An entry with one of its numbers, for a list of extremes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Extreme {
    /// The number: nanoseconds or instructions.
    pub value: u64,
    /// Name of the entry.
    pub name: EntryName,
    order: Order,
}

/// Counts of raw files that ran as one generation, where neither the file nor its sidecar states the generation.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct GuessedFiles {
    /// Number of files that ran.
    pub runs: u64,
    /// Number of files that ended with the outcome `fault`.
    pub faults: u64,
}

impl GuessedFiles {
    /// Whether at least one file in 50 faults, so that the files may be of another generation. Compiled code almost
    /// never faults; code that runs as another generation faults about once in ten runs.
    pub fn are_doubtful(&self) -> bool {
        self.faults * 50 >= self.runs.max(1)
    }
}

/// Summary of a batch.
#[derive(Clone, Default, Debug)]
#[non_exhaustive]
pub struct Summary {
    /// Number of entries.
    pub entries: u64,
    outcomes: [u64; EntryOutcome::ALL.len()],
    /// Number of launches that stopped as their files expect.
    pub expected: u64,
    /// Number of executed instructions.
    pub instructions: u64,
    /// Time of execution, summed over threads, in nanoseconds.
    pub run_ns: u64,
    /// Time of compiling, summed over threads, in nanoseconds.
    pub compile_ns: u64,
    /// Time of checking, summed over threads, in nanoseconds.
    pub check_ns: u64,
    /// Number of raw files whose generation is a guess.
    pub arch_guesses: u64,
    /// Number of kernels that ran without a launch, so without arguments, and faulted at memory that is not there.
    pub without_launch: u64,
    /// Files that look like launch files but are not: their number, and the first of them by name.
    pub lookalikes: (u64, Option<PathBuf>),
    /// Counts of raw files by generation, if neither the file nor its sidecar states it.
    raw: [GuessedFiles; Arch::ALL.len()],
    /// Entries that failed, in groups.
    pub failures_by_group: FailureGroups,
    /// With a ledger: entries that failed and that it does not list, and entries that ended although it lists them.
    pub surprises: FailureGroups,
    /// Number of entries that raised each note, by the note's bit.
    notes: Vec<u64>,
    slowest: Vec<Extreme>,
    longest: Vec<Extreme>,
    /// Number of failures that the ledger does not list; without a ledger, number of all failures.
    pub unlisted: u64,
    /// Number of entries that ended although the ledger lists them.
    pub unexpected_passes: u64,
    failures: Option<Vec<Failure>>,
    /// Number of parts of bundles that are not read, apart from host code.
    pub parts_not_read: u64,
    /// The first of these parts: number of the file, and text for people.
    not_read: Vec<(usize, String)>,
}

/// Most parts in `not_read`.
const NOT_READ: usize = 3;

/// What a summary does with failures.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Failures {
    /// It counts them.
    #[default]
    Counted,
    /// It counts and keeps them, to write a ledger from them.
    Kept,
}

impl Summary {
    /// Returns an empty summary.
    pub fn new(failures: Failures) -> Summary {
        Summary { failures: (failures == Failures::Kept).then(Vec::new), ..Summary::default() }
    }

    /// Adds the parts of file number `file` that are not read.
    pub(crate) fn add_not_read(&mut self, file: usize, inputs: &Inputs, skipped: &[Skipped]) {
        let missed = skipped.iter().filter(|part| !part.is_host);
        for part in missed {
            self.parts_not_read += 1;
            if self.not_read.len() < NOT_READ || self.not_read.last().is_some_and(|(last, _)| *last > file) {
                let name = quote::name(&inputs.name(file).to_string()).into_owned();
                let text = format!("{name}: {} ({})", quote::name(&part.name), quote::text(&part.reason));
                let at = self.not_read.partition_point(|(other, _)| *other <= file);
                self.not_read.insert(at, (file, text));
                self.not_read.truncate(NOT_READ);
            }
        }
    }

    /// Returns texts for people about the first parts that are not read.
    pub fn not_read(&self) -> impl Iterator<Item = &str> {
        self.not_read.iter().map(|(_, text)| text.as_str())
    }

    /// Adds an entry.
    pub fn add(&mut self, entry: &Entry, ledger: Option<&Ledger>) {
        self.entries += 1;
        self.outcomes[entry.outcome as usize] += 1;
        self.expected += u64::from(entry.is_expected);
        self.instructions += entry.instructions;
        self.run_ns += entry.run_ns;
        self.compile_ns += entry.compile_ns;
        self.check_ns += entry.check_ns;
        keep_extreme(&mut self.slowest, entry.run_ns, entry);
        keep_extreme(&mut self.longest, entry.instructions, entry);
        if !entry.notes.is_empty() {
            self.notes.resize(Note::ALL.len(), 0);
            entry.notes.iter().for_each(|note| self.notes[note as usize] += 1);
        }
        if entry.has_failed() {
            self.failures_by_group.add(entry);
        }
        self.arch_guesses += u64::from(entry.arch_source == ArchSource::Guess);
        let has_no_launch = entry.kernel.is_some() && entry.launch.is_none();
        if has_no_launch && entry.outcome == EntryOutcome::Fault && entry.detail == Some("memory") {
            self.without_launch += 1;
        }
        if let (Some(arch), ArchSource::User | ArchSource::Guess) = (entry.arch, entry.arch_source) {
            let raw = &mut self.raw[arch as usize];
            raw.runs += 1;
            raw.faults += u64::from(entry.outcome == EntryOutcome::Fault);
        }
        self.add_verdict(entry, entry.verdict(ledger), ledger.is_some());
    }

    /// Adds a file beside a code object that looks like a launch file but is not one.
    pub fn add_lookalike(&mut self, path: &Path) {
        self.lookalikes.0 += 1;
        self.first_lookalike(path.to_owned());
    }

    fn first_lookalike(&mut self, path: PathBuf) {
        let first = &mut self.lookalikes.1;
        if first.as_ref().is_none_or(|first| path < *first) {
            *first = Some(path);
        }
    }

    fn add_verdict(&mut self, entry: &Entry, verdict: Verdict, has_ledger: bool) {
        match verdict {
            Verdict::Pass | Verdict::Expected => {}
            Verdict::Unlisted => self.unlisted += 1,
            Verdict::UnexpectedPass => self.unexpected_passes += 1,
        }
        if has_ledger && matches!(verdict, Verdict::Unlisted | Verdict::UnexpectedPass) {
            self.surprises.add(entry);
        }
        if let Some(failures) = &mut self.failures
            && entry.has_failed()
        {
            let Entry { hash, outcome, order, .. } = *entry;
            let (name, target) = (entry.name(), entry.target().to_owned());
            failures.push(Failure { hash, target, name, outcome, reason: ledger::reason(entry), order });
        }
    }

    /// Adds the summary of other entries.
    pub fn merge(&mut self, other: Summary) {
        self.entries += other.entries;
        self.outcomes.iter_mut().zip(other.outcomes).for_each(|(sum, n)| *sum += n);
        self.expected += other.expected;
        self.instructions += other.instructions;
        self.run_ns += other.run_ns;
        self.compile_ns += other.compile_ns;
        self.check_ns += other.check_ns;
        self.failures_by_group.merge(other.failures_by_group);
        self.surprises.merge(other.surprises);
        self.arch_guesses += other.arch_guesses;
        self.without_launch += other.without_launch;
        self.lookalikes.0 += other.lookalikes.0;
        if let Some(path) = other.lookalikes.1 {
            self.first_lookalike(path);
        }
        for (sum, other) in self.raw.iter_mut().zip(other.raw) {
            sum.runs += other.runs;
            sum.faults += other.faults;
        }
        self.notes.resize(Note::ALL.len(), 0);
        self.notes.iter_mut().zip(other.notes).for_each(|(sum, n)| *sum += n);
        merge_extremes(&mut self.slowest, other.slowest);
        merge_extremes(&mut self.longest, other.longest);
        self.parts_not_read += other.parts_not_read;
        self.not_read.extend(other.not_read);
        self.not_read.sort_by_key(|(file, _)| *file);
        self.not_read.truncate(NOT_READ);
        self.unlisted += other.unlisted;
        self.unexpected_passes += other.unexpected_passes;
        if let (Some(failures), Some(more)) = (&mut self.failures, other.failures) {
            failures.extend(more);
        }
    }

    /// Takes the counts of guessed generations from `other`. Lines of results do not state guesses.
    pub(crate) fn guess_as(&mut self, other: &Summary) {
        (self.arch_guesses, self.raw) = (other.arch_guesses, other.raw);
    }

    /// Returns the number of entries with the given outcome.
    pub fn outcome(&self, outcome: EntryOutcome) -> u64 {
        self.outcomes[outcome as usize]
    }

    /// Returns the number of entries that neither ended nor stopped as expected.
    pub fn failed(&self) -> u64 {
        self.entries - self.outcome(EntryOutcome::Ended) - self.expected
    }

    /// Returns the number of entries by outcome, the most frequent first.
    pub fn outcomes(&self) -> Vec<(EntryOutcome, u64)> {
        let counts = EntryOutcome::ALL.iter().map(|&outcome| (outcome, self.outcome(outcome)));
        let mut counts: Vec<_> = counts.filter(|&(_, n)| n > 0).collect();
        counts.sort_by_key(|&(_, n)| std::cmp::Reverse(n));
        counts
    }

    /// Returns the unsupported mnemonics, the most frequent first.
    pub fn unsupported_by_count(&self) -> Vec<(&str, Count)> {
        self.failures_by_group.of_outcome(EntryOutcome::Unsupported)
    }

    /// Returns the counts, by generation, of raw files whose generation neither they nor their sidecars state.
    pub fn raw_files(&self) -> impl Iterator<Item = (Arch, GuessedFiles)> {
        Arch::ALL.into_iter().map(|arch| (arch, self.raw[arch as usize])).filter(|(_, raw)| raw.runs > 0)
    }

    /// Returns the notes with the number of entries that raised them, the most frequent first.
    pub fn notes(&self) -> Vec<(Note, u64)> {
        let mut notes: Vec<_> = Note::ALL.iter().copied().zip(self.notes.iter().copied()).collect();
        notes.retain(|&(_, n)| n > 0);
        notes.sort_by_key(|&(note, n)| (std::cmp::Reverse(n), note.code()));
        notes
    }

    /// Returns the entries whose runs took longest.
    pub fn slowest(&self) -> &[Extreme] {
        &self.slowest
    }

    /// Returns the entries that executed most instructions.
    pub fn longest(&self) -> &[Extreme] {
        &self.longest
    }

    /// Returns all failures; empty if they were not kept.
    pub fn failures(&self) -> &[Failure] {
        self.failures.as_deref().unwrap_or_default()
    }

    /// Returns the number of failures that are the simulator's own.
    pub fn our_faults(&self) -> u64 {
        EntryOutcome::ALL.iter().filter(|outcome| outcome.is_our_fault()).map(|&outcome| self.outcome(outcome)).sum()
    }
}

/// Adds `value` to `kept` if it is among the largest. Among equal values the first stays.
fn keep_extreme(kept: &mut Vec<Extreme>, value: u64, entry: &Entry) {
    if value == 0 || kept.len() == EXTREMES && kept.last().is_some_and(|last| last.value > value) {
        return;
    }
    let key = (std::cmp::Reverse(value), entry.order);
    let at = kept.partition_point(|other| (std::cmp::Reverse(other.value), other.order) < key);
    if at < EXTREMES {
        kept.truncate(EXTREMES - 1);
        kept.insert(at, Extreme { value, name: entry.name(), order: entry.order });
    }
}

fn merge_extremes(kept: &mut Vec<Extreme>, other: Vec<Extreme>) {
    kept.extend(other);
    kept.sort_by_key(|extreme| (std::cmp::Reverse(extreme.value), extreme.order));
    kept.truncate(EXTREMES);
}

#[cfg(test)]
mod tests {
    use gcnsim_isa::Notes;

    use super::*;
    use gcnsim_inputs::EntryHash;

    fn entry(order: usize, outcome: EntryOutcome, instructions: u64) -> Entry<'static> {
        Entry {
            order: (order, 0),
            file: ["a", "b", "c", "d"][order % 4].into(),
            kernel: None,
            part: None,
            launch: None,
            hash: Some(EntryHash::of_code([7; 32])),
            outcome,
            detail: None,
            is_expected: false,
            mismatch: None,
            mnemonic: (outcome == EntryOutcome::Unsupported).then_some("s_load_dword"),
            arch: Some(if order.is_multiple_of(2) { Arch::Gcn12 } else { Arch::Gcn14 }),
            arch_source: [ArchSource::Guess, ArchSource::User, ArchSource::Own, ArchSource::Own][order % 4],
            instructions,
            run_ns: 2 * instructions,
            compile_ns: 1,
            check_ns: 0,
            notes: Notes::of(Note::Setkill),
        }
    }

    #[test]
    fn the_sum_does_not_depend_on_who_ran_what() {
        let entries: Vec<_> = (0..40)
            .map(|i| {
                let outcome = if i % 3 == 0 { EntryOutcome::Unsupported } else { EntryOutcome::Ended };
                entry(i, outcome, (i as u64 * 7) % 13)
            })
            .collect();
        let mut whole = Summary::new(Failures::Kept);
        entries.iter().for_each(|entry| whole.add(entry, None));
        let mut parts = [Summary::new(Failures::Kept), Summary::new(Failures::Kept)];
        entries.iter().rev().for_each(|entry| parts[entry.order.0 % 5 / 3].add(entry, None));
        let [mut sum, other] = parts;
        sum.merge(other);
        assert_eq!(sum.outcomes(), whole.outcomes());
        assert_eq!(sum.failures_by_group.by_count(), whole.failures_by_group.by_count());
        assert_eq!(sum.unsupported_by_count(), whole.unsupported_by_count());
        assert_eq!((sum.raw, sum.arch_guesses), (whole.raw, 10));
        assert_eq!((sum.slowest(), sum.longest()), (whole.slowest(), whole.longest()));
        assert_eq!((sum.failed(), sum.instructions, sum.unlisted), (whole.failed(), whole.instructions, 14));
        let groups = whole.failures_by_group.by_count();
        let of = |group: &crate::output::groups::FailureGroup| {
            (group.arch.unwrap(), group.count.count, group.count.example.to_string())
        };
        assert_eq!(
            groups.iter().map(of).collect::<Vec<_>>(),
            [(Arch::Gcn12, 7, "a".into()), (Arch::Gcn14, 7, "d".into())]
        );
        let [(mnemonic, count)] = &whole.unsupported_by_count()[..] else { panic!("one mnemonic") };
        assert_eq!((*mnemonic, count.count, &*count.example), ("s_load_dword", 14, "a"));
        assert_eq!(whole.surprises.by_count(), []);
        assert_eq!(whole.failures().len(), 14);
        assert_eq!(whole.notes(), [(Note::Setkill, 40)]);
    }
}
