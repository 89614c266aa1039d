//! What a batch came to: counts, examples, extremes. Each worker keeps its own; they are added up at the end.

use std::collections::BTreeMap;
use std::collections::btree_map;

use gcnsim_isa::{Note, Notes};

use super::inputs::FileName;
use super::ledger::{self, Ledger, Verdict};
use super::outcome::EntryOutcome;

/// Entries listed as slowest and longest.
const EXTREMES: usize = 10;
/// Unlisted failures and unexpected passes that are shown.
const EXAMPLES: usize = 10;

/// Place of an entry in the results: number of its file, number in its file.
pub type Order = (usize, usize);

/// What the summary needs of an entry.
#[derive(Clone, Copy)]
pub struct Entry<'a> {
    /// Place in the results.
    pub order: Order,
    /// File.
    pub file: FileName<'a>,
    /// Kernel.
    pub kernel: Option<&'a str>,
    /// Hash of its bytes.
    pub sha256: Option<&'a [u8; 32]>,
    /// How it ended.
    pub outcome: EntryOutcome,
    /// `kind` of the detail.
    pub detail: Option<&'a str>,
    /// The instruction that stopped it.
    pub mnemonic: Option<&'a str>,
    /// Completed instructions.
    pub instructions: u64,
    /// Execution.
    pub run_ns: u64,
    /// Compiling.
    pub compile_ns: u64,
    /// Checking.
    pub check_ns: u64,
    /// Fidelity notes.
    pub notes: Notes,
}

/// A failure, as a new ledger wants it.
#[derive(Clone, Debug)]
pub struct Failure {
    /// Hash of the entry's bytes.
    pub sha256: [u8; 32],
    /// How it failed.
    pub outcome: EntryOutcome,
    /// Why, in words.
    pub reason: String,
    /// Place in the results.
    pub order: Order,
}

/// A number with the entry it belongs to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Extreme {
    /// What is extreme about it.
    pub value: u64,
    /// File, and kernel if there is one.
    pub name: String,
    order: Order,
}

/// Occurrences, and the first of them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Count {
    /// How many.
    pub count: u64,
    /// File, and kernel if there is one, of the first.
    pub example: String,
    order: Order,
}

/// Summary of a batch.
#[derive(Clone, Default, Debug)]
pub struct Summary {
    /// Entries.
    pub entries: u64,
    outcomes: [u64; EntryOutcome::ALL.len()],
    /// Executed instructions.
    pub instructions: u64,
    /// Execution, summed over threads.
    pub run_ns: u64,
    /// Compiling, summed over threads.
    pub compile_ns: u64,
    /// Checking, summed over threads.
    pub check_ns: u64,
    /// Unsupported instructions by mnemonic.
    pub unsupported: BTreeMap<String, Count>,
    /// By bit of the note.
    notes: Vec<u64>,
    slowest: Vec<Extreme>,
    longest: Vec<Extreme>,
    /// Failures that are not in the ledger; all failures if there is none.
    pub unlisted: u64,
    /// Entries that ended although the ledger lists them.
    pub unexpected_passes: u64,
    /// The first of both, with a word on each.
    pub surprises: Vec<(Order, String)>,
    failures: Option<Vec<Failure>>,
}

impl Summary {
    /// An empty summary; `keep_failures` if a ledger is to be written.
    pub fn new(keep_failures: bool) -> Summary {
        Summary { failures: keep_failures.then(Vec::new), ..Summary::default() }
    }

    /// Takes an entry in.
    pub fn add(&mut self, entry: &Entry, ledger: Option<&Ledger>) {
        self.entries += 1;
        self.outcomes[entry.outcome as usize] += 1;
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
        if entry.outcome == EntryOutcome::Unsupported {
            self.add_unsupported(entry);
        }
        let verdict = match (ledger, entry.outcome) {
            (Some(ledger), outcome) => ledger.judge(entry.sha256, outcome),
            (None, EntryOutcome::Ended) => Verdict::Pass,
            (None, _) => Verdict::Unlisted,
        };
        self.add_verdict(entry, verdict);
    }

    fn add_unsupported(&mut self, entry: &Entry) {
        let mnemonic = entry.mnemonic.unwrap_or("?");
        match self.unsupported.get_mut(mnemonic) {
            Some(count) => {
                count.merge(&Count { count: 1, example: String::new(), order: entry.order }, || entry.name())
            }
            None => {
                let count = Count { count: 1, example: entry.name(), order: entry.order };
                self.unsupported.insert(mnemonic.to_owned(), count);
            }
        }
    }

    fn add_verdict(&mut self, entry: &Entry, verdict: Verdict) {
        let word = match verdict {
            Verdict::Pass | Verdict::Expected => None,
            Verdict::Unlisted => {
                self.unlisted += 1;
                Some(entry.outcome.name())
            }
            Verdict::UnexpectedPass => {
                self.unexpected_passes += 1;
                Some("ended, though the ledger expects a failure")
            }
        };
        if let Some(word) = word
            && self.surprises.len() < 2 * EXAMPLES
        {
            let text = match entry.detail.and_then(|detail| detail.lines().next()) {
                Some(detail) => format!("{}: {word}: {detail}", entry.name()),
                None => format!("{}: {word}", entry.name()),
            };
            self.surprises.push((entry.order, text));
        }
        if let (Some(failures), Some(&sha256)) = (&mut self.failures, entry.sha256)
            && entry.outcome != EntryOutcome::Ended
        {
            let (outcome, order) = (entry.outcome, entry.order);
            failures.push(Failure { sha256, outcome, reason: ledger::reason(entry), order });
        }
    }

    /// Adds up two summaries of different entries.
    pub fn merge(&mut self, other: Summary) {
        self.entries += other.entries;
        self.outcomes.iter_mut().zip(other.outcomes).for_each(|(sum, n)| *sum += n);
        self.instructions += other.instructions;
        self.run_ns += other.run_ns;
        self.compile_ns += other.compile_ns;
        self.check_ns += other.check_ns;
        for (mnemonic, count) in other.unsupported {
            match self.unsupported.entry(mnemonic) {
                btree_map::Entry::Vacant(entry) => {
                    entry.insert(count);
                }
                btree_map::Entry::Occupied(mut entry) => entry.get_mut().merge(&count, || count.example.clone()),
            }
        }
        self.notes.resize(Note::ALL.len(), 0);
        self.notes.iter_mut().zip(other.notes).for_each(|(sum, n)| *sum += n);
        merge_extremes(&mut self.slowest, other.slowest);
        merge_extremes(&mut self.longest, other.longest);
        self.unlisted += other.unlisted;
        self.unexpected_passes += other.unexpected_passes;
        self.surprises.extend(other.surprises);
        self.surprises.sort();
        self.surprises.truncate(2 * EXAMPLES);
        if let (Some(failures), Some(more)) = (&mut self.failures, other.failures) {
            failures.extend(more);
        }
    }

    /// Entries with an outcome.
    pub fn outcome(&self, outcome: EntryOutcome) -> u64 {
        self.outcomes[outcome as usize]
    }

    /// Entries that did not end.
    pub fn failed(&self) -> u64 {
        self.entries - self.outcome(EntryOutcome::Ended)
    }

    /// Entries by outcome, the most frequent first.
    pub fn outcomes(&self) -> Vec<(EntryOutcome, u64)> {
        let counts = EntryOutcome::ALL.iter().map(|&outcome| (outcome, self.outcome(outcome)));
        let mut counts: Vec<_> = counts.filter(|&(_, n)| n > 0).collect();
        counts.sort_by_key(|&(_, n)| std::cmp::Reverse(n));
        counts
    }

    /// Unsupported mnemonics, the most frequent first.
    pub fn unsupported_by_count(&self) -> Vec<(&str, &Count)> {
        let mut counts: Vec<_> = self.unsupported.iter().map(|(mnemonic, count)| (mnemonic.as_str(), count)).collect();
        counts.sort_by_key(|(_, count)| std::cmp::Reverse(count.count));
        counts
    }

    /// Codes of notes with the number of entries that raised them, the most frequent first.
    pub fn notes(&self) -> Vec<(Note, u64)> {
        let mut notes: Vec<_> = Note::ALL.iter().copied().zip(self.notes.iter().copied()).collect();
        notes.retain(|&(_, n)| n > 0);
        notes.sort_by_key(|&(note, n)| (std::cmp::Reverse(n), note.code()));
        notes
    }

    /// Entries whose runs took longest.
    pub fn slowest(&self) -> &[Extreme] {
        &self.slowest
    }

    /// Entries that executed most instructions.
    pub fn longest(&self) -> &[Extreme] {
        &self.longest
    }

    /// All failures, if they were kept.
    pub fn failures(&self) -> &[Failure] {
        self.failures.as_deref().unwrap_or_default()
    }

    /// Did anything of ours fail?
    pub fn our_faults(&self) -> u64 {
        EntryOutcome::ALL.iter().filter(|outcome| outcome.is_our_fault()).map(|&outcome| self.outcome(outcome)).sum()
    }
}

impl Entry<'_> {
    /// File, and kernel if there is one.
    pub fn name(&self) -> String {
        match self.kernel {
            Some(kernel) => format!("{}: {kernel}", self.file),
            None => self.file.to_string(),
        }
    }
}

impl Count {
    fn merge(&mut self, other: &Count, example: impl FnOnce() -> String) {
        self.count += other.count;
        if other.order < self.order {
            self.order = other.order;
            self.example = example();
        }
    }
}

/// Keeps the largest values, of equal ones the first.
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
    use super::*;

    fn entry(order: usize, outcome: EntryOutcome, instructions: u64) -> Entry<'static> {
        Entry {
            order: (order, 0),
            file: ["a", "b", "c", "d"][order % 4].into(),
            kernel: None,
            sha256: Some(&[7; 32]),
            outcome,
            detail: None,
            mnemonic: (outcome == EntryOutcome::Unsupported).then_some("s_load_dword"),
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
        let mut whole = Summary::new(true);
        entries.iter().for_each(|entry| whole.add(entry, None));
        let mut parts = [Summary::new(true), Summary::new(true)];
        entries.iter().rev().for_each(|entry| parts[entry.order.0 % 5 / 3].add(entry, None));
        let [mut sum, other] = parts;
        sum.merge(other);
        assert_eq!(sum.outcomes(), whole.outcomes());
        assert_eq!(sum.unsupported, whole.unsupported);
        assert_eq!((sum.slowest(), sum.longest()), (whole.slowest(), whole.longest()));
        assert_eq!((sum.failed(), sum.instructions, sum.unlisted), (whole.failed(), whole.instructions, 14));
        assert_eq!(whole.unsupported["s_load_dword"].example, "a");
        assert_eq!(whole.failures().len(), 14);
        assert_eq!(whole.notes(), [(Note::Setkill, 40)]);
    }
}
