//! An entry as summaries and ledgers see it.

use gcnsim_engine::difference::Mismatch;
use gcnsim_isa::{Arch, Notes};

use crate::operations::ledger::{Ledger, Verdict};
use crate::output::outcome::EntryOutcome;
use gcnsim_inputs::arch::ArchSource;
use gcnsim_inputs::entry_hash::EntryHash;
use gcnsim_inputs::file::FileName;
use gcnsim_inputs::name::{EntryName, PartName};

/// Place of an entry in the results: the number of its file, and its number within the file.
pub type Order = (usize, usize);

/// The facts about an entry that the summary needs.
#[derive(Clone, Copy)]
pub struct Entry<'a> {
    /// Place in the results.
    pub order: Order,
    /// Name of the file.
    pub file: FileName<'a>,
    /// Name of the kernel.
    pub kernel: Option<&'a str>,
    /// The part of a bundle that the entry comes from.
    pub part: Option<PartName<'a>>,
    /// Name of the launch.
    pub launch: Option<&'a str>,
    /// Hash of the entry's bytes.
    pub hash: Option<EntryHash>,
    /// Outcome.
    pub outcome: EntryOutcome,
    /// Whether its launch file expects this outcome, which is not `ended`.
    pub is_expected: bool,
    /// The `kind` of its detail.
    pub detail: Option<&'a str>,
    /// The differences from what was expected, if there are any.
    pub mismatch: Option<Mismatch<'a>>,
    /// Mnemonic of the instruction that stopped it.
    pub mnemonic: Option<&'a str>,
    /// The generation as which it ran; `None` if it did not run.
    pub arch: Option<Arch>,
    /// The source of the generation.
    pub arch_source: ArchSource,
    /// Number of completed instructions.
    pub instructions: u64,
    /// Time of execution, in nanoseconds.
    pub run_ns: u64,
    /// Time of compiling, in nanoseconds.
    pub compile_ns: u64,
    /// Time of checking, in nanoseconds.
    pub check_ns: u64,
    /// Fidelity notes.
    pub notes: Notes,
}

impl Entry<'_> {
    /// Whether the entry neither ended nor stopped as it should.
    pub fn has_failed(&self) -> bool {
        self.outcome != EntryOutcome::Ended && !self.is_expected
    }

    /// Returns the verdict on the entry. What its launch file expects needs no line of a ledger.
    pub(crate) fn verdict(&self, ledger: Option<&Ledger>) -> Verdict {
        let judged = match ledger {
            Some(ledger) => ledger.judge(self.hash, self.target(), || self.name(), self.outcome),
            None if self.outcome == EntryOutcome::Ended => Verdict::Pass,
            None => Verdict::Unlisted,
        };
        if judged == Verdict::Unlisted && self.is_expected { Verdict::Pass } else { judged }
    }

    /// Returns the target id of the entry's part; empty if it comes from no bundle.
    pub(crate) fn target(&self) -> &str {
        self.part.map_or("", |part| part.target)
    }

    /// Returns the name of the entry: file, part, kernel and launch.
    pub fn name(&self) -> EntryName {
        EntryName::in_part(&self.file.to_string(), self.part, self.kernel, self.launch)
    }
}

/// A failure, with the facts that a ledger states.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Failure {
    /// Hash of the entry's bytes, if they could be read.
    pub hash: Option<EntryHash>,
    /// Target id of the part of a bundle that the entry comes from; empty if it comes from none.
    pub target: String,
    /// Name of the entry.
    pub name: EntryName,
    /// Outcome.
    pub outcome: EntryOutcome,
    /// The reason in words.
    pub reason: String,
    /// Place in the results.
    pub order: Order,
}
