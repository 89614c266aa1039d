//! Deterministic differences between two runs of an entry.

use std::cmp::Ordering;
use std::collections::BTreeSet;

use gcnsim_isa::Kind;
use serde::Serialize;

use crate::EntryOutcome;
use crate::output::record::{Record, RecordDetail};
use gcnsim_inputs::EntryName;

/// A change of an entry, with the old and the new value in words.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[non_exhaustive]
pub struct Change {
    /// Name of the entry.
    pub name: EntryName,
    /// The old value.
    pub old: String,
    /// The new value.
    pub new: String,
    /// The buffers that differ, if the final state of a dispatch changed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub buffers: Vec<String>,
    /// How bad the change is; larger is worse.
    #[serde(skip)]
    pub weight: u32,
}

impl Change {
    /// Returns the new value, with the buffers that differ.
    pub fn new_text(&self) -> String {
        match &self.buffers[..] {
            [] => self.new.clone(),
            buffers => format!("{} ({})", self.new, buffers.join(", ")),
        }
    }
}

/// A change of the number of executed instructions.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[non_exhaustive]
pub struct InstructionChange {
    /// Name of the entry.
    pub name: EntryName,
    /// The old number.
    pub old: u64,
    /// The new number.
    pub new: u64,
    /// Difference in percent of the old number; null if that is 0.
    pub percent: Option<f64>,
    /// The classes whose numbers changed, in words: `salu 5 -> 7`.
    pub by_class: Vec<String>,
}

/// Counts of entries that got longer or shorter, by executed instructions.
#[derive(Clone, Copy, PartialEq, Default, Debug, Serialize)]
pub struct Lengths {
    /// Number of entries that execute more instructions.
    pub longer: usize,
    /// Number of entries that execute fewer.
    pub shorter: usize,
    /// Number of entries that execute as many instructions, but of other classes.
    pub other_classes: usize,
    /// Number of entries that ended in both batches. `geometric_mean` is over these.
    pub compared: usize,
    /// Geometric mean of the ratios new/old of instructions; null if `compared` is 0.
    pub geometric_mean: Option<f64>,
}

impl InstructionChange {
    /// Returns how bad the change is (larger is worse): the relative change in ten-thousandths of a percent.
    pub(super) fn weight(&self) -> u64 {
        self.percent.map_or(u64::MAX, |percent| (percent.abs() * 1e4) as u64)
    }
}

pub(super) fn outcome(old: &Record, new: &Record) -> Option<Change> {
    let same = old.outcome == new.outcome && reason(old) == reason(new);
    (!same).then(|| Change {
        name: new.name(),
        old: outcome_text(old),
        new: outcome_text(new),
        buffers: Vec::new(),
        weight: outcome_weight(old.outcome, new.outcome),
    })
}

/// Returns the reason for an outcome, without what depends on addresses.
fn reason(record: &Record) -> Option<(&str, Option<&str>)> {
    let detail = record.detail.as_ref()?;
    // The detail of a divergence is a page of text with addresses, so it is not compared.
    (!record.outcome.is_our_fault()).then_some((detail.kind.as_str(), detail.mnemonic.as_deref()))
}

fn outcome_text(record: &Record) -> String {
    let name = record.outcome.name();
    match &record.detail {
        Some(detail @ RecordDetail { mnemonic: Some(mnemonic), .. }) => {
            format!("{name}: {mnemonic}: {}", detail.reason())
        }
        Some(detail) => format!("{name}: {}", detail.reason()),
        None => name.to_owned(),
    }
}

fn outcome_weight(old: EntryOutcome, new: EntryOutcome) -> u32 {
    let badness = |outcome| match outcome {
        EntryOutcome::Ended => 0,
        EntryOutcome::InternalError | EntryOutcome::Divergence => 3,
        EntryOutcome::Mismatch => 2,
        _ => 1,
    };
    // Entries that got worse have the largest weights, those that got better the smallest.
    (10 + 3 * badness(new)) - badness(old)
}

pub(super) fn state(old: &Record, new: &Record) -> Option<Change> {
    let text = |record: &Record| record.state_hash.clone().unwrap_or_else(|| "-".into());
    let differs = old.state_hash != new.state_hash;
    let change = || Change {
        name: new.name(),
        old: text(old),
        new: text(new),
        buffers: other_buffers(old, new).into_iter().map(str::to_owned).collect(),
        weight: 0,
    };
    differs.then(change)
}

/// Returns the names of the buffers and images that differ, or that only one of the launches has. In synthetic runs
/// these are the classes of observations that differ.
fn other_buffers<'a>(old: &'a Record, new: &'a Record) -> BTreeSet<&'a str> {
    if let (Some(old), Some(new)) = (&old.observed, &new.observed) {
        let pairs = old.classes().into_iter().zip(new.classes());
        return pairs.filter(|(old, new)| old != new).map(|((name, _), _)| name).collect();
    }
    let of = |record: &'a Record| record.buffers.iter().chain(&record.images).flatten().collect::<BTreeSet<_>>();
    of(old).symmetric_difference(&of(new)).map(|(name, _)| name.as_str()).collect()
}

pub(super) fn instructions(old: &Record, new: &Record) -> Option<InstructionChange> {
    if old.instructions == new.instructions && old.by_class == new.by_class {
        return None;
    }
    let (old_classes, new_classes) = (old.by_class.unwrap_or_default(), new.by_class.unwrap_or_default());
    let class = |kind: Kind| {
        let (old, new) = (old_classes.0[kind as usize], new_classes.0[kind as usize]);
        (old != new).then(|| format!("{} {old} -> {new}", kind.name()))
    };
    let difference = new.instructions as f64 - old.instructions as f64;
    Some(InstructionChange {
        name: new.name(),
        old: old.instructions,
        new: new.instructions,
        percent: (old.instructions != 0).then(|| 100.0 * difference / old.instructions as f64),
        by_class: Kind::ALL.into_iter().filter_map(class).collect(),
    })
}

pub(super) fn lengths(pairs: &[(&Record, &Record)]) -> Lengths {
    let mut lengths = Lengths::default();
    let mut logs = 0.0;
    for &(old, new) in pairs {
        match new.instructions.cmp(&old.instructions) {
            Ordering::Greater => lengths.longer += 1,
            Ordering::Less => lengths.shorter += 1,
            Ordering::Equal if instructions(old, new).is_some() => lengths.other_classes += 1,
            Ordering::Equal => {}
        }
        let ended = [old, new].iter().all(|record| record.outcome == EntryOutcome::Ended && record.instructions > 0);
        if ended {
            lengths.compared += 1;
            logs += (new.instructions as f64 / old.instructions as f64).ln();
        }
    }
    lengths.geometric_mean = (lengths.compared > 0).then(|| (logs / lengths.compared as f64).exp());
    lengths
}

pub(super) fn notes(old: &Record, new: &Record) -> Option<Change> {
    let text = |record: &Record| if record.notes.is_empty() { "none".into() } else { record.notes.join(", ") };
    (old.notes != new.notes).then(|| Change {
        name: new.name(),
        old: text(old),
        new: text(new),
        buffers: Vec::new(),
        weight: 0,
    })
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::output::record::Classes;

    pub fn record() -> Record {
        Record {
            shard: None,
            index: None,
            file: "a.bin".into(),
            kernel: None,
            entry: None,
            sha256: Some([1; 32]),
            target: None,
            bundle: None,
            is_repeated: false,
            outcome: EntryOutcome::Ended,
            detail: None,
            arch: Some("gcn1.4".into()),
            chip: None,
            engine: "jit".into(),
            pc: Some("0x10".into()),
            instructions: 100,
            by_class: Some(Classes([90, 0, 9, 0, 1, 0, 0, 0, 0, 0, 0, 0])),
            regions: 0,
            compile_ns: 0,
            check_ns: 0,
            run_ns: 1000,
            checks: 0,
            notes: Vec::new(),
            state_hash: Some("00".into()),
            environment: None,
            stage: None,
            observed: None,
            lint: None,
            samples_ns: Vec::new(),
            reference_ns: Vec::new(),
            launch: None,
            launch_sha256: None,
            expected: false,
            buffers: None,
            images: None,
        }
    }

    fn failing(kind: &str, pc: &str) -> Record {
        let detail = RecordDetail {
            kind: kind.into(),
            mnemonic: None,
            pc: Some(pc.into()),
            word: None,
            from: None,
            differences: Vec::new(),
            buffers: Vec::new(),
        };
        Record { outcome: EntryOutcome::Fault, detail: Some(detail), ..record() }
    }

    #[test]
    fn equal_runs_have_no_differences() {
        let (old, new) = (record(), Record { run_ns: 7, ..record() });
        assert!(outcome(&old, &new).is_none() && state(&old, &new).is_none());
        assert!(instructions(&old, &new).is_none() && notes(&old, &new).is_none());
    }

    #[test]
    fn an_outcome_has_its_reason() {
        let change = outcome(&record(), &failing("truncated", "0x8")).unwrap();
        assert_eq!((change.old.as_str(), change.new.as_str()), ("ended", "fault: truncated"));
        assert!(outcome(&failing("truncated", "0x8"), &failing("truncated", "0xc")).is_none());
        assert!(outcome(&failing("truncated", "0x8"), &failing("illegal-operand", "0x8")).is_some());
        let better = outcome(&failing("truncated", "0x8"), &record()).unwrap();
        assert!(better.weight < change.weight);
    }

    #[test]
    fn instructions_are_compared_by_class_too() {
        let new = Record { by_class: Some(Classes([89, 1, 9, 0, 1, 0, 0, 0, 0, 0, 0, 0])), ..record() };
        let change = instructions(&record(), &new).unwrap();
        assert_eq!((change.percent, change.by_class.join(", ").as_str()), (Some(0.0), "salu 90 -> 89, scmp 0 -> 1"));
        let change = instructions(&record(), &Record { instructions: 110, ..record() }).unwrap();
        assert_eq!(change.percent, Some(10.0));
    }

    #[test]
    fn lengths_are_counted_and_averaged() {
        let of = |instructions| Record { instructions, ..record() };
        let (half, same, double, four) = (of(50), of(100), of(200), of(400));
        let fault = failing("truncated", "0x8");
        let found = lengths(&[(&same, &half), (&same, &same), (&same, &double), (&same, &four), (&same, &fault)]);
        assert_eq!((found.longer, found.shorter, found.other_classes, found.compared), (2, 1, 0, 4));
        // The geometric mean is the fourth root of 1/2 x 1 x 2 x 4.
        assert!((found.geometric_mean.unwrap() - 2f64.sqrt()).abs() < 1e-12, "{found:?}");
        assert_eq!(lengths(&[(&same, &fault)]).geometric_mean, None);
    }
}
