//! Runs one case on the interpreter and on compiled code, and finds every difference.

use std::panic::{AssertUnwindSafe, catch_unwind};

use gcnsim_isa::{Notes, Program};

use super::settings::Settings;
use crate::Wave;
use crate::difference::{self, Difference};
use crate::engine::{Engine, EngineError};
use crate::generate::Case;
use crate::interp::Interp;
use crate::outcome::Outcome;

/// A run of a case on the interpreter. Compiled code is compared with it.
#[derive(Clone, Debug)]
pub struct Reference {
    /// The wave at the end.
    pub wave: Wave,
    /// How it ended.
    pub outcome: Outcome,
}

/// The differences between the engines.
#[derive(Clone, Debug)]
pub struct Divergence {
    /// All fields that differ; empty if the engine itself noticed and stopped.
    pub differences: Vec<Difference>,
    /// The report of the engine: a cross-check that failed, an internal error, or a panic.
    pub report: Option<String>,
}

impl Divergence {
    /// The kind of difference, as a word for file names: `sgpr`, `vgpr`, `scc`, `exec`, `outcome`, `check`...
    pub fn kind(&self) -> &str {
        match (self.differences.first(), &self.report) {
            (None, Some(report)) if report.starts_with("panic") => "panic",
            (None, Some(report)) if report.starts_with("internal") => "internal",
            (None, _) => "check",
            (Some(first), _) => match first.field.split([' ', '[']).next().unwrap_or("state") {
                name if is_register(name, 's') => "sgpr",
                name if is_register(name, 'v') => "vgpr",
                name => name,
            },
        }
    }
}

/// Whether it is the name of a register: a letter and a number.
fn is_register(name: &str, letter: char) -> bool {
    name.strip_prefix(letter).is_some_and(|number| number.parse::<u8>().is_ok())
}

/// Runs a case on the interpreter.
pub fn interpret(case: &Case, budget: u64, count_classes: bool) -> Reference {
    interpret_with(&mut Interp::new(&case.program()), case, budget, count_classes)
}

/// Runs a case on an interpreter of its program.
pub fn interpret_with(interp: &mut Interp, case: &Case, budget: u64, count_classes: bool) -> Reference {
    interp.count_classes(count_classes);
    let mut wave = case.wave();
    let outcome = interp.run(&mut wave, budget);
    Reference { wave, outcome }
}

/// Runs a case on compiled code and compares it with the reference. Both must have the same total budget.
pub fn compare(case: &Case, program: &Program, settings: &Settings, reference: &Reference) -> Option<Divergence> {
    let mut wave = case.wave();
    let run = || execute(case, program, settings, &mut wave);
    // A panic is a mistake of ours, too: it is reported with its program.
    let outcome = match catch_unwind(AssertUnwindSafe(run)) {
        Ok(Ok(outcome)) => outcome,
        Ok(Err(error)) => {
            let report = match error {
                EngineError::Divergence(divergence) => divergence.report,
                EngineError::Internal(_) | EngineError::Interrupted => error.to_string(),
            };
            return Some(Divergence { differences: Vec::new(), report: Some(report) });
        }
        Err(panic) => {
            let text = panic.downcast_ref::<String>().map(String::as_str);
            let text = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("of unknown cause");
            return Some(Divergence { differences: Vec::new(), report: Some(format!("panic: {text}")) });
        }
    };
    let differences = all_differences(reference, &wave, &outcome, settings.count_classes);
    (!differences.is_empty()).then_some(Divergence { differences, report: None })
}

fn execute(case: &Case, program: &Program, settings: &Settings, wave: &mut Wave) -> Result<Outcome, EngineError> {
    let mut engine = Engine::new(settings.options());
    if settings.again {
        engine.run(program, &mut case.wave()).outcome?;
    }
    let mut outcome = engine.run(program, wave).outcome?;
    for _ in 1..settings.slices {
        if outcome != Outcome::Budget {
            break;
        }
        outcome = engine.run(program, wave).outcome?;
    }
    Ok(outcome)
}

/// Runs a case on both engines.
pub fn run(case: &Case, settings: &Settings) -> Option<Divergence> {
    let reference = interpret(case, settings.total(), settings.count_classes);
    compare(case, &case.program(), settings, &reference)
}

fn all_differences(reference: &Reference, actual: &Wave, outcome: &Outcome, classes: bool) -> Vec<Difference> {
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
