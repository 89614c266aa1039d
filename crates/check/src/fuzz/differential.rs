//! Runs one case on the interpreter and on compiled code, and finds every difference.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

use gcnsim_isa::Program;
use gcnsim_machine::Context;

pub use super::differences::Reference;
use super::differences::{all_differences, list_bytes};
use super::dispatch::{Ran, Subject};
use super::settings::Settings;
use crate::generate::Case;
use gcnsim_engine::difference::Difference;
use gcnsim_engine::{Engine, EngineError};
use gcnsim_interp::Interp;
use gcnsim_machine::Wave;
use gcnsim_machine::outcome::Outcome;

/// The differences between the engines.
#[derive(Clone, Debug)]
pub struct Divergence {
    /// All fields that differ; empty if the engine itself noticed a mistake and stopped.
    pub differences: Vec<Difference>,
    /// The report of the engine: a cross-check that failed, an internal error, or a panic.
    pub report: Option<String>,
}

impl Divergence {
    /// Returns the kind of difference, as a word for file names: `sgpr`, `vgpr`, `scc`, `exec`, `outcome`, `check`...
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

/// Whether `name` is that of a register: `letter` and a number.
fn is_register(name: &str, letter: char) -> bool {
    name.strip_prefix(letter).is_some_and(|number| number.parse::<u8>().is_ok())
}

/// Runs a case on the interpreter.
pub fn interpret(case: &Case, budget: u64, count_classes: bool) -> Reference {
    interpret_with(&mut Interp::new(&case.program()), case, budget, count_classes)
}

/// Runs a case on an interpreter of its program.
pub fn interpret_with(interp: &mut Interp, case: &Case, budget: u64, count_classes: bool) -> Reference {
    match count_classes {
        true => interp.count_classes(),
        false => interp.ignore_classes(),
    }
    let (mut wave, mut context) = (case.wave(), case.context());
    let outcome = interp.run_alone(&mut wave, &mut context, budget);
    Reference { wave, outcome, context }
}

/// Runs a case on compiled code and compares it with the reference. Both must have the same total budget.
pub fn compare(case: &Case, program: &Program, settings: &Settings, reference: &Reference) -> Option<Divergence> {
    let (mut wave, mut context) = (case.wave(), case.context());
    let run = || execute(case, program, settings, (&mut wave, &mut context));
    // A panic is a mistake of the simulator, too. As a divergence it is reported with its program.
    let outcome = match catch_unwind(AssertUnwindSafe(run)) {
        Ok(Ok(outcome)) => outcome,
        Ok(Err(error)) => {
            let report = match error {
                EngineError::Divergence(divergence) => divergence.report,
                EngineError::Internal(_) | EngineError::Interrupted => error.to_string(),
            };
            return Some(Divergence { differences: Vec::new(), report: Some(report) });
        }
        Err(panic) => return Some(of_panic(&*panic)),
    };
    let mut differences = all_differences(reference, &wave, &outcome, settings.count_classes);
    memory_differences(&reference.context, &context, &mut differences);
    (!differences.is_empty()).then_some(Divergence { differences, report: None })
}

fn execute(
    case: &Case,
    program: &Program,
    settings: &Settings,
    (wave, context): (&mut Wave, &mut Context),
) -> Result<Outcome, EngineError> {
    let mut engine = Engine::new(settings.options());
    let max = Some(settings.budget);
    if settings.again {
        engine.run_alone(program, &mut case.wave(), &mut case.context(), max).outcome?;
    }
    let mut outcome = engine.run_alone(program, wave, context, max).outcome?;
    for _ in 1..settings.slices {
        if outcome != Outcome::Budget {
            break;
        }
        outcome = engine.run_alone(program, wave, context, max).outcome?;
    }
    Ok(outcome)
}

/// Runs a dispatch on compiled code and compares it with the interpreter.
pub fn compare_dispatch(subject: &Subject, settings: &Settings, expected: &Ran) -> Option<Divergence> {
    let compare = || subject.compare(settings, expected);
    match catch_unwind(AssertUnwindSafe(compare)) {
        Ok(Ok(differences)) => (!differences.is_empty()).then_some(Divergence { differences, report: None }),
        Ok(Err(error)) => Some(Divergence { differences: Vec::new(), report: Some(error.to_string()) }),
        Err(panic) => Some(of_panic(&*panic)),
    }
}

/// Calls `run`. If it panics, the panic is a divergence.
pub fn caught<R>(run: impl FnOnce() -> R) -> Result<R, Divergence> {
    catch_unwind(AssertUnwindSafe(run)).map_err(|panic| of_panic(&*panic))
}

/// Makes a divergence that reports a panic.
fn of_panic(panic: &(dyn Any + Send)) -> Divergence {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("of unknown cause");
    Divergence { differences: Vec::new(), report: Some(format!("panic: {text}")) }
}

/// Returns the number of instructions that the interpreter executes in a case with the budget of `settings`. Returns 0
/// if it panics.
pub fn executed(case: &Case, settings: &Settings) -> u64 {
    let executed = || match &case.launch {
        None => interpret(case, settings.total(), false).wave.executed,
        Some(launch) => {
            let subject = Subject::new(case.arch, &case.words, launch);
            let ran = subject.and_then(|subject| subject.interpret(settings.total(), false).ok());
            ran.map_or(0, |ran| ran.instructions())
        }
    };
    caught(executed).unwrap_or(0)
}

/// Runs a case on both engines.
pub fn run(case: &Case, settings: &Settings) -> Option<Divergence> {
    if let Some(launch) = &case.launch {
        let subject = Subject::new(case.arch, &case.words, launch)?;
        return match caught(|| subject.interpret(settings.total(), settings.count_classes)) {
            Ok(expected) => compare_dispatch(&subject, settings, &expected.ok()?),
            Err(panic) => Some(panic),
        };
    }
    match caught(|| interpret(case, settings.total(), settings.count_classes)) {
        Ok(reference) => compare(case, &case.program(), settings, &reference),
        Err(panic) => Some(panic),
    }
}

/// Adds the bytes of memory, LDS and GDS that differ.
fn memory_differences(expected: &Context, actual: &Context, found: &mut Vec<Difference>) {
    for mapping in expected.space.mappings().iter().filter(|mapping| mapping.writable) {
        let mut bytes = [vec![0; mapping.len as usize], vec![0; mapping.len as usize]];
        // The contexts have the same mappings: an engine cannot change mappings.
        let [was, is] = &mut bytes;
        let _ = expected.load(mapping.base, was, None);
        let _ = actual.load(mapping.base, is, None);
        list_bytes("memory", mapping.base, was, is, found);
    }
    list_bytes("lds", 0, &expected.lds, &actual.lds, found);
    list_bytes("gds", 0, &expected.gds, &actual.gds, found);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn panics_are_divergences() {
        let count = 7;
        let report = caught(|| -> u32 { panic!("{count} lanes") }).unwrap_err().report;
        assert_eq!(report.as_deref(), Some("panic: 7 lanes"));
        assert_eq!(caught(|| count).ok(), Some(7));
    }
}
