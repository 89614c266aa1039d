//! Compares two batches.
//!
//! ```text
//! matching  pairs the entries of the two batches: by name, then by content
//! changes   outcome, final state, executed instructions, fidelity notes: deterministic, every change counts
//! timing    run time: noisy, compared only where the work is the same and long enough
//! fail_on   which changes make the comparison fail
//! document  all of that as lines and tables; junit: as test cases
//! ```

mod changes;
mod document;
mod fail_on;
pub mod junit;
mod matching;
pub mod timing;

use std::collections::BTreeSet;

use serde::Serialize;

use crate::output::record::Record;
pub use changes::{Change, InstructionChange, Lengths};
pub use document::document;
pub(crate) use document::{lines, tables};
pub use fail_on::{FailOn, FailOnError, Regression, RegressionEntry};
use gcnsim_inputs::EntryName;
use matching::Match;
pub use timing::Timing;

/// The comparison of two batches.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Comparison {
    /// Number of entries of the old batch.
    pub old_entries: usize,
    /// Number of entries of the new batch.
    pub new_entries: usize,
    /// Number of pairs of entries.
    pub matched: usize,
    /// Number of pairs with deterministic differences.
    pub different: usize,
    /// The engines of the old and the new batch, if they differ.
    pub engines: Option<(String, String)>,
    /// Pairs whose outcome changed, or the reason for it.
    pub outcome: Vec<Change>,
    /// Pairs with the same outcome, but different final states.
    pub state: Vec<Change>,
    /// Pairs whose number of executed instructions changed, in total or by class.
    pub instructions: Vec<InstructionChange>,
    /// Counts of pairs that got longer or shorter.
    pub lengths: Lengths,
    /// Pairs whose fidelity notes changed.
    pub notes: Vec<Change>,
    /// The comparison of run times.
    pub time: Timing,
    /// Entries with the same name, but different bytes.
    pub changed: Vec<EntryName>,
    /// Entries with the same bytes, but different names: old, new.
    pub renamed: Vec<(EntryName, EntryName)>,
    /// Entries that are only in the new batch.
    pub added: Vec<EntryName>,
    /// Entries that are only in the old batch.
    pub removed: Vec<EntryName>,
}

/// Two batches whose results say nothing of each other, because they ran in other worlds.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WorldsError {
    /// A world has another version.
    #[error("the old results are of {old}, the new ones of {new}: inputs of other versions differ")]
    Version {
        /// The world of the old batch, with its version.
        old: String,
        /// The world of the new batch, with its version.
        new: String,
    },
    /// No world is in both.
    #[error("the old results are of {old}, the new ones of {new}: no world is in both")]
    NoneInBoth {
        /// The worlds of the old batch, with commas between them.
        old: String,
        /// The worlds of the new batch.
        new: String,
    },
}

/// Checks that two batches ran in the same worlds of the synthetic environment, where both ran in any.
///
/// # Errors
/// [`WorldsError`]: what cannot be compared.
pub fn check_worlds(old: &[Record], new: &[Record]) -> Result<(), WorldsError> {
    let of = |records: &[Record]| records.iter().filter_map(|record| record.environment.clone()).collect();
    let (old, new): (BTreeSet<String>, BTreeSet<String>) = (of(old), of(new));
    let kind = |world: &String| world.split('.').next().unwrap_or(world).to_owned();
    let in_both: BTreeSet<String> = old.iter().map(kind).collect();
    let other = new.iter().find(|world| in_both.contains(&kind(world)) && !old.contains(*world));
    if let Some(new) = other {
        let old = old.iter().find(|world| kind(world) == kind(new)).unwrap_or(new);
        return Err(WorldsError::Version { old: old.clone(), new: new.clone() });
    }
    if !old.is_empty() && !new.is_empty() && in_both.is_disjoint(&new.iter().map(kind).collect()) {
        let list = |worlds: &BTreeSet<String>| worlds.iter().cloned().collect::<Vec<_>>().join(", ");
        return Err(WorldsError::NoneInBoth { old: list(&old), new: list(&new) });
    }
    Ok(())
}

/// Compares two batches.
pub fn compare(old: &[Record], new: &[Record]) -> Comparison {
    let matching = matching::matching(old, new);
    let mut result = Comparison {
        old_entries: old.len(),
        new_entries: new.len(),
        matched: matching.pairs.len(),
        different: 0,
        engines: engines(old, new),
        outcome: Vec::new(),
        state: Vec::new(),
        instructions: Vec::new(),
        lengths: Lengths::default(),
        notes: Vec::new(),
        time: Timing::default(),
        changed: Vec::new(),
        renamed: Vec::new(),
        added: matching.added.iter().map(|&i| new[i].name()).collect(),
        removed: matching.removed.iter().map(|&i| old[i].name()).collect(),
    };
    let pairs: Vec<_> = matching.pairs.iter().map(|pair| (&old[pair.old], &new[pair.new])).collect();
    for (pair, &(old, new)) in matching.pairs.iter().zip(&pairs) {
        result.add_pair(pair, old, new);
    }
    result.outcome.sort_by_key(|change| std::cmp::Reverse(change.weight));
    result.instructions.sort_by_key(|change| std::cmp::Reverse(change.weight()));
    result.lengths = changes::lengths(&pairs);
    result.time = timing::timing(&pairs);
    result
}

impl Comparison {
    fn add_pair(&mut self, pair: &Match, old: &Record, new: &Record) {
        if old.hash() != new.hash() && !pair.renamed {
            self.changed.push(new.name());
        }
        if pair.renamed {
            self.renamed.push((old.name(), new.name()));
        }
        let outcome = changes::outcome(old, new);
        // If the outcome changed, state and notes are bound to differ, so they are not reported.
        let same = outcome.is_none();
        let state = changes::state(old, new).filter(|_| same);
        let instructions = changes::instructions(old, new);
        let notes = changes::notes(old, new).filter(|_| same);
        self.different +=
            usize::from(outcome.is_some() || state.is_some() || instructions.is_some() || notes.is_some());
        self.outcome.extend(outcome);
        self.state.extend(state);
        self.instructions.extend(instructions);
        self.notes.extend(notes);
    }

    /// Whether all deterministic parts of the results are equal.
    pub fn is_unchanged(&self) -> bool {
        self.different == 0 && self.added.is_empty() && self.removed.is_empty()
    }
}

fn engines(old: &[Record], new: &[Record]) -> Option<(String, String)> {
    let (old, new) = (&old.first()?.engine, &new.first()?.engine);
    (old != new).then(|| (old.clone(), new.clone()))
}
