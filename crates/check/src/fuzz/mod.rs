//! Differential fuzzing: random programs and whole dispatches on the interpreter and on compiled code.
//!
//! A case ([`crate::generate::Case`]) has a number, which decides on the case and on the settings of its run.
//! [`run_case`] runs it: the interpreter first, to the end of the program or of the full budget; then compiled code
//! under random settings, often with a smaller budget (then the interpreter runs again with that). [`differential`]
//! compares the whole outcome, memory and LDS included; [`dispatch`] does so for every wave of a dispatch. [`shrink`]
//! makes a diverging case small, and [`regress`] writes it down, a dispatch as a code object and a launch file.
//! [`campaign`] does this on many threads.

pub mod campaign;
mod case_file;
pub mod coverage;
mod differences;
pub mod differential;
pub mod dispatch;
pub mod launch_file;
pub mod regress;
pub mod settings;
pub mod shrink;
mod simpler;

use gcnsim_isa::Arch;

use crate::generate::Case;
use coverage::Coverage;
use differential::Divergence;
use dispatch::Subject;
use gcnsim_interp::Interp;
use gcnsim_random::Rng;
use settings::Settings;

/// A case that was run.
#[derive(Debug)]
pub struct CaseRun {
    /// The case.
    pub case: Case,
    /// The settings of the run of compiled code.
    pub settings: Settings,
    /// Number of instructions that the interpreter executed in the run that compiled code is compared with.
    pub executed: u64,
    /// The differences between the engines, if there are any.
    pub divergence: Option<Divergence>,
}

/// Runs a case on both engines. The number decides on the case and on its settings.
pub fn run_case(number: u64, arch: Option<Arch>, coverage: &mut Coverage) -> CaseRun {
    differential::caught(|| run_drawn(number, arch, coverage)).unwrap_or_else(|panic| {
        // Panics of compiled code are caught in `compare`, so this one comes from the interpreter.
        let settings = Settings { budget: settings::full_budget(&mut settings_rng(number)), ..Settings::plain() };
        CaseRun { case: Case::random(number, arch), settings, executed: 0, divergence: Some(panic) }
    })
}

fn settings_rng(number: u64) -> Rng {
    Rng::new(number ^ 0x5e77_1465)
}

fn run_drawn(number: u64, arch: Option<Arch>, coverage: &mut Coverage) -> CaseRun {
    let case = Case::random(number, arch);
    let mut rng = settings_rng(number);
    let full = settings::full_budget(&mut rng);
    if case.launch.is_some() {
        return run_dispatch(case, rng, full);
    }
    let program = case.program();
    let mut interp = Interp::new(&program);
    let mut reference = differential::interpret_with(&mut interp, &case, full, false);
    coverage.add(&interp, &program, &reference.outcome);
    let settings = Settings::random(&mut rng, full, reference.wave.executed);
    if settings.total() != full || settings.count_classes {
        reference = differential::interpret_with(&mut interp, &case, settings.total(), settings.count_classes);
    }
    let executed = reference.wave.executed;
    let divergence = differential::compare(&case, &program, &settings, &reference);
    CaseRun { case, settings, executed, divergence }
}

/// Runs a dispatch on both engines.
fn run_dispatch(case: Case, mut rng: Rng, full: u64) -> CaseRun {
    let mut settings = Settings { budget: full, ..Settings::plain() };
    let subject = case.launch.as_ref().and_then(|launch| Subject::new(case.arch, &case.words, launch));
    let ran = subject.and_then(|subject| Some((subject.interpret(full, false).ok()?, subject)));
    // Every generated dispatch can be launched. If one cannot, the generator or the dispatcher has a mistake.
    let Some((mut expected, subject)) = ran else {
        let divergence = Divergence { differences: Vec::new(), report: Some("internal: no dispatch".to_owned()) };
        return CaseRun { case, settings, executed: 0, divergence: Some(divergence) };
    };
    settings = Settings::random(&mut rng, full, expected.instructions());
    let orderly = case.launch.as_ref().is_some_and(|launch| launch.orderly);
    settings.jobs = if orderly && rng.percent(50) { 2 } else { 1 };
    if (settings.total() != full || settings.count_classes)
        && let Ok(again) = subject.interpret(settings.total(), settings.count_classes)
    {
        expected = again;
    }
    let executed = expected.instructions();
    let divergence = differential::compare_dispatch(&subject, &settings, &expected);
    CaseRun { case, settings, executed, divergence }
}
