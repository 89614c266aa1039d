//! Differential fuzzing: random programs on the interpreter and on compiled code.
//!
//! A case ([`crate::generate::Case`]) has a number, from which it and the settings of its run follow; [`run_case`] runs
//! it. The interpreter runs it first, to its end or the full budget; compiled code then runs it under random settings,
//! often with a smaller budget, for which the interpreter runs again. [`differential`] compares the whole outcome,
//! [`shrink`] makes a case that diverges small, [`regress`] writes it down. [`campaign`] does this on many threads.

pub mod campaign;
pub mod coverage;
pub mod differential;
pub mod regress;
pub mod settings;
pub mod shrink;
mod simpler;

use gcnsim_isa::Arch;

use crate::generate::Case;
use crate::generate::rng::Rng;
use crate::interp::Interp;
use coverage::Coverage;
use differential::Divergence;
use settings::Settings;

/// A case that was run.
#[derive(Debug)]
pub struct CaseRun {
    /// The case.
    pub case: Case,
    /// How compiled code ran it.
    pub settings: Settings,
    /// Instructions that the interpreter executed in the run compared with.
    pub executed: u64,
    /// Where the engines disagree, if they do.
    pub divergence: Option<Divergence>,
}

/// Runs the case with a number on both engines, under the settings that follow from the number.
pub fn run_case(number: u64, arch: Option<Arch>, coverage: &mut Coverage) -> CaseRun {
    let case = Case::random(number, arch);
    let program = case.program();
    let mut rng = Rng::new(number ^ 0x5e77_1465);
    let full = settings::full_budget(&mut rng);
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
