//! The differences between two runs of a case at their ends.

use gcnsim_engine::difference::{self, Difference};
use gcnsim_isa::Notes;
use gcnsim_machine::outcome::Outcome;
use gcnsim_machine::{Context, Wave};

/// Most bytes that are listed.
const MOST_BYTES: usize = 16;

/// A run of a case on the interpreter. Compiled code is compared with it.
#[derive(Debug)]
pub struct Reference {
    /// The wave at the end.
    pub wave: Wave,
    /// The outcome at the end.
    pub outcome: Outcome,
    /// Memory, LDS and GDS at the end.
    pub context: Context,
}

/// Adds the first bytes that differ between `expected` and `actual`, which begin at `first`. Bytes beyond the end of
/// either count as 0.
pub(super) fn list_bytes(name: &str, first: u64, expected: &[u8], actual: &[u8], found: &mut Vec<Difference>) {
    if expected == actual {
        return;
    }
    let byte = |bytes: &[u8], at: usize| bytes.get(at).copied().unwrap_or(0);
    let bytes = (0..expected.len().max(actual.len())).map(|at| (at, byte(expected, at), byte(actual, at)));
    found.extend(bytes.filter(|(_, was, is)| was != is).take(MOST_BYTES).map(|(at, was, is)| {
        let field = format!("{name}[{:#x}]", first + at as u64);
        Difference::new(field, format_args!("{was:#04x}"), format_args!("{is:#04x}"))
    }));
}

/// Returns the differences between `reference` and the wave after another run. With `classes` the counts by class are
/// compared, too.
pub(super) fn all_differences(
    reference: &Reference,
    actual: &Wave,
    outcome: &Outcome,
    classes: bool,
) -> Vec<Difference> {
    let expected = &reference.wave;
    let same = expected.state == actual.state
        && expected.vgprs == actual.vgprs
        && expected.executed == actual.executed
        && reference.outcome == *outcome
        && (!classes || expected.classes == actual.classes);
    if same {
        return Vec::new();
    }
    let mut found = difference::between(expected, actual);
    if expected.state.notes != actual.state.notes {
        let text = |notes: Notes| notes.codes().join(" ");
        found.push(Difference::new("notes", text(expected.state.notes), text(actual.state.notes)));
    }
    if expected.executed != actual.executed {
        found.push(Difference::new("instructions", expected.executed, actual.executed));
    }
    if reference.outcome != *outcome {
        let text = |outcome: &Outcome| format!("{outcome:?}");
        found.push(Difference::new("outcome", text(&reference.outcome), text(outcome)));
    }
    if classes && expected.classes != actual.classes {
        let text = |wave: &Wave| format!("{:?}", wave.classes.0);
        found.push(Difference::new("classes", text(expected), text(actual)));
    }
    if found.is_empty() {
        found.push(Difference::new("state", "equal", "unequal in a reserved field"));
    }
    found
}
