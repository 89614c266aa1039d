//! The changes that make a comparison fail: `outcome,state,insts:+1%,time:5%`.

use std::str::FromStr;

use serde::Serialize;

use super::{Change, Comparison, InstructionChange};
use gcnsim_engine::quote;
use gcnsim_engine::report::grouped;
use gcnsim_inputs::EntryName;
use gcnsim_loader::nearest;

/// The list of `--fail-on`. Thresholds are in percent; `None` means that such a change never fails.
#[derive(Clone, Copy, PartialEq, Debug)]
#[non_exhaustive]
pub struct FailOn {
    /// `outcome`: any change of the outcome, except to `ended`.
    pub outcome: bool,
    /// `state`: any change of the final state.
    pub state: bool,
    /// `insts[:P%]` or `insts:+P%`: the entry executes more instructions, by more than this. With threshold 0, as many
    /// instructions of other classes count, too.
    pub insts: Option<f64>,
    /// `insts:-P%`: the entry executes fewer instructions, by more than this.
    pub fewer_insts: Option<f64>,
    /// `notes`: any change of the fidelity notes.
    pub notes: bool,
    /// `time[:P%]`: the entry is slower by more than the noise, and by more than this.
    pub time: Option<f64>,
    /// `added`: entries only in the new batch.
    pub added: bool,
    /// `removed`: entries only in the old batch.
    pub removed: bool,
}

impl FailOn {
    /// The list in which no change fails.
    pub const NOTHING: FailOn = FailOn {
        outcome: false,
        state: false,
        insts: None,
        fewer_insts: None,
        notes: false,
        time: None,
        added: false,
        removed: false,
    };
}

impl Default for FailOn {
    /// Returns the list of all deterministic parts of a result: `outcome,state,insts,removed`.
    fn default() -> FailOn {
        FailOn { outcome: true, state: true, insts: Some(0.0), removed: true, ..FailOn::NOTHING }
    }
}

/// What is wrong with a list of `--fail-on`.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FailOnError {
    /// The threshold of an item is no percentage.
    #[error("'{item}': expected a percentage like 1%")]
    Percentage {
        /// The item.
        item: String,
    },
    /// An item has a threshold, and takes none.
    #[error("'{item}': only insts and time take a percentage")]
    NoThreshold {
        /// The item.
        item: String,
    },
    /// An item is no change.
    #[error(
        "'{item}': expected outcome, state, insts[:[+|-]P%], time[:P%], notes, added, removed, or none{}",
        nearest::question(item, ["outcome", "state", "insts", "time", "notes", "added", "removed", "none"])
    )]
    Unknown {
        /// The item.
        item: String,
    },
}

impl FromStr for FailOn {
    type Err = FailOnError;

    fn from_str(list: &str) -> Result<FailOn, FailOnError> {
        let mut found = FailOn::NOTHING;
        if list == "none" {
            return Ok(found);
        }
        for item in list.split(',') {
            let (name, threshold) = item.split_once(':').map_or((item, None), |(name, text)| (name, Some(text)));
            let is_signed = threshold.is_some_and(|text| name == "insts" && text.starts_with(['+', '-']));
            let is_fewer = is_signed && threshold.is_some_and(|text| text.starts_with('-'));
            let percent = match threshold {
                Some(text) => parse_percent(&text[usize::from(is_signed)..])
                    .ok_or_else(|| FailOnError::Percentage { item: item.to_owned() })?,
                None => 0.0,
            };
            match (name, threshold) {
                ("insts", _) if is_fewer => found.fewer_insts = Some(percent),
                ("insts", _) => found.insts = Some(percent),
                ("time", _) => found.time = Some(percent),
                ("outcome", None) => found.outcome = true,
                ("state", None) => found.state = true,
                ("notes", None) => found.notes = true,
                ("added", None) => found.added = true,
                ("removed", None) => found.removed = true,
                (_, Some(_)) => return Err(FailOnError::NoThreshold { item: item.to_owned() }),
                (_, None) => return Err(FailOnError::Unknown { item: item.to_owned() }),
            }
        }
        Ok(found)
    }
}

fn parse_percent(text: &str) -> Option<f64> {
    let number = text.strip_suffix('%').unwrap_or(text);
    let plain = !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit() || b == b'.');
    number.parse().ok().filter(|_| plain)
}

/// A kind of change that makes the comparison fail.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[non_exhaustive]
pub struct Regression {
    /// `outcome`, `state`, `insts`, `fewer-insts`, `notes`, `time`, `time-all`, `nothing-timed`, `added` or `removed`;
    /// also `incomplete` or `nothing-compared`, unless `--fail-on` is `none`.
    pub kind: &'static str,
    /// The change in words.
    pub message: String,
    /// The entries that changed.
    pub entries: Vec<RegressionEntry>,
}

/// An entry that makes the comparison fail.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct RegressionEntry {
    /// Name of the entry, or of the file that is incomplete.
    pub name: String,
    /// What changed, in words.
    pub change: String,
}

impl Regression {
    const INCOMPLETE: &str = "incomplete";
    const NOTHING_COMPARED: &str = "nothing-compared";
    const NOTHING_TIMED: &str = "nothing-timed";

    /// Returns the regression for new results that are not complete, so that entries may be missing. `why` says what
    /// shows that.
    pub fn incomplete(file: &str, why: &str) -> Regression {
        let entries = vec![RegressionEntry { name: file.to_owned(), change: why.to_owned() }];
        let message = format!("{} is not complete: {why} (--allow-partial compares all the same)", quote::name(file));
        Regression { kind: Regression::INCOMPLETE, message, entries }
    }
}

impl FailOn {
    /// Returns the names of the kinds of change that can make the comparison fail, as in [`Regression::kind`].
    pub fn kinds(&self) -> Vec<&'static str> {
        let kinds = [
            ("outcome", self.outcome),
            ("state", self.state),
            ("insts", self.insts.is_some()),
            ("fewer-insts", self.fewer_insts.is_some()),
            ("notes", self.notes),
            ("time", self.time.is_some()),
            ("time-all", self.time.is_some()),
            (Regression::NOTHING_TIMED, self.time.is_some()),
            ("added", self.added),
            ("removed", self.removed),
            (Regression::INCOMPLETE, *self != FailOn::NOTHING),
            (Regression::NOTHING_COMPARED, *self != FailOn::NOTHING),
        ];
        kinds.into_iter().filter(|&(_, on)| on).map(|(kind, _)| kind).collect()
    }

    /// Returns the changes that make the comparison fail, by kind.
    pub fn regressions(&self, comparison: &Comparison) -> Vec<Regression> {
        let mut found = Vec::new();
        let mut add = |kind, on: bool, entries: Vec<RegressionEntry>, what: &str| {
            if on && !entries.is_empty() {
                let message = format!("{} {what}", grouped(entries.len() as u64));
                found.push(Regression { kind, message, entries });
            }
        };
        let entry = |name: &str, change| RegressionEntry { name: name.to_owned(), change };
        let change = |change: &Change| entry(&change.name, format!("{} -> {}", change.old, change.new_text()));
        let worse = comparison.outcome.iter().filter(|change| change.new != "ended").map(change);
        add("outcome", self.outcome, worse.collect(), "with another outcome that is not 'ended'");
        add("state", self.state, comparison.state.iter().map(change).collect(), "with another final state");
        let insts = |is_bad: &dyn Fn(&InstructionChange) -> bool| {
            let bad = comparison.instructions.iter().filter(|change| is_bad(change));
            bad.map(|c| entry(&c.name, format!("{} -> {} instructions", c.old, c.new))).collect::<Vec<_>>()
        };
        // A change without a percentage is one from 0, which exceeds any threshold.
        let exceeds = |c: &InstructionChange, threshold: f64| c.percent.is_none_or(|p| p.abs() > threshold);
        if let Some(threshold) = self.insts {
            let is_longer = |c: &InstructionChange| c.new > c.old && exceeds(c, threshold);
            let what = format!("with more than {threshold} % more instructions");
            let what = if threshold == 0.0 { "with more instructions, or as many of other classes" } else { &what };
            add("insts", true, insts(&|c| is_longer(c) || threshold == 0.0 && c.new == c.old), what);
        }
        if let Some(threshold) = self.fewer_insts {
            let is_shorter = |c: &InstructionChange| c.new < c.old && exceeds(c, threshold);
            add("fewer-insts", true, insts(&is_shorter), &format!("with more than {threshold} % fewer instructions"));
        }
        add("notes", self.notes, comparison.notes.iter().map(change).collect(), "with other fidelity notes");
        let threshold = self.time.unwrap_or(0.0);
        let slower = comparison.time.slower.iter().filter(|change| change.percent > threshold);
        let slower = slower.map(|c| entry(&c.name, format!("{:+.1} % (noise {:.1} %)", c.percent, c.noise_percent)));
        let what = format!("of {} slower by more than the noise and {threshold} %", comparison.time.compared);
        add("time", self.time.is_some(), slower.collect(), &what);
        let all = comparison.time.all.filter(|all| all.significant && all.percent > threshold);
        let all = all.map(|all| format!("{:+.1} % (noise {:.1} %)", all.percent, all.noise_percent));
        let all = all.map(|change| entry("run time of all shaders", change));
        add("time-all", self.time.is_some(), all.into_iter().collect(), "verdict on all shaders together: slower");
        let names = |names: &[EntryName], what: &str| names.iter().map(|name| entry(name, what.to_owned())).collect();
        add("added", self.added, names(&comparison.added, "added"), "added");
        add("removed", self.removed, names(&comparison.removed, "removed"), "removed");
        if self.time.is_some() && comparison.time.compared == 0 && comparison.matched > 0 {
            let message = format!("no run time was compared: {}", comparison.time.left_out());
            let entries = vec![RegressionEntry { name: "all shaders".into(), change: message.clone() }];
            found.push(Regression { kind: Regression::NOTHING_TIMED, message, entries });
        }
        if comparison.matched == 0 && *self != FailOn::NOTHING {
            let message = "no shader is in both".to_owned();
            let entries = vec![RegressionEntry { name: "all shaders".into(), change: message.clone() }];
            found.push(Regression { kind: Regression::NOTHING_COMPARED, message, entries });
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_read() {
        let expected = FailOn { outcome: true, state: true, insts: Some(1.0), time: Some(5.5), ..FailOn::NOTHING };
        assert_eq!("outcome,state,insts:1%,time:5.5%".parse(), Ok(expected));
        assert_eq!("none".parse(), Ok(FailOn::NOTHING));
        assert_eq!(
            "time,added,removed,notes".parse::<FailOn>().unwrap().kinds(),
            ["notes", "time", "time-all", "nothing-timed", "added", "removed", "incomplete", "nothing-compared"]
        );
        let expected = FailOn { insts: Some(1.0), fewer_insts: Some(0.5), ..FailOn::NOTHING };
        assert_eq!("insts:+1%,insts:-0.5%".parse(), Ok(expected));
        assert_eq!("outcome,state,insts,removed".parse(), Ok(FailOn::default()));
        let wrong = [
            "",
            "outcomes",
            "outcome:1%",
            "insts:x",
            "insts:+-1%",
            "insts:+",
            "insts:inf",
            "time:",
            "time:+1%",
            "state,",
        ];
        for list in wrong {
            assert!(list.parse::<FailOn>().is_err(), "{list}");
        }
    }
}
