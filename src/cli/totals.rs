//! One line about all launches of a run.

use gcnsim_engine::EngineError;
use gcnsim_engine::quote;
use gcnsim_engine::report::{duration, grouped};
use gcnsim_launches::LaunchResult;
use gcnsim_launches::launch::LaunchSpec;
use gcnsim_launches::report::LaunchReport;
use gcnsim_machine::outcome::Outcome;

use super::{Exit, output};

/// Sums over all launches of a run.
#[derive(Default)]
pub(super) struct Totals {
    /// Number of launches.
    pub launches: u64,
    instructions: u64,
    run_ns: u64,
    /// Outcomes in order of their first appearance, with the names of their launches.
    outcomes: Vec<(&'static str, Vec<String>)>,
    /// The worst exit code of a launch.
    pub worst: Exit,
    /// Whether Ctrl-C has come while the inputs of a launch that had ended were hashed.
    pub lacks_hash: bool,
}

impl Totals {
    /// Adds a launch. If `writes` is set, results become the expectation, so a result that was not expected is no
    /// failure.
    pub fn add(&mut self, report: &LaunchReport, result: &LaunchResult, writes: bool) {
        self.launches += 1;
        self.instructions += report.run.instructions;
        self.run_ns += report.run.run_ns;
        let at = self.outcomes.iter().position(|(outcome, _)| *outcome == report.run.outcome);
        let at = at.unwrap_or_else(|| {
            self.outcomes.push((report.run.outcome, Vec::new()));
            self.outcomes.len() - 1
        });
        self.outcomes[at].1.push(report.launch.clone());
        self.worst = self.worst.max(match &result.run.outcome {
            Err(EngineError::Interrupted) => Exit::Negative,
            Err(_) => Exit::OurFault,
            Ok(_) if report.sanitizer.as_ref().is_some_and(|found| !found.is_clean()) => Exit::Negative,
            Ok(Outcome::Ended) if writes || report.run.outcome == "ended" => Exit::Success,
            Ok(_) if result.is_expected => Exit::Success,
            Ok(_) => Exit::Negative,
        });
    }

    /// Notes that Ctrl-C has come while the inputs of a launch that had ended were hashed.
    pub fn lack_hash(&mut self) {
        output::note("interrupted: the launch has ended, but the hash of its inputs (launch_sha256) is missing");
        self.lacks_hash = true;
        self.worst = self.worst.max(Exit::Negative);
    }

    /// Notes that a launch which is not shown did not end, and should have.
    pub fn unseen(&mut self, launch: &LaunchSpec, result: &LaunchResult) {
        if result.is_expected {
            return;
        }
        let (what, exit) = match &result.run.outcome {
            Ok(outcome) => (outcome.name(), Exit::Negative),
            Err(EngineError::Interrupted) => (EngineError::Interrupted.name(), Exit::Negative),
            Err(error) => (error.name(), Exit::OurFault),
        };
        output::note(format_args!("launch '{}', which runs first, did not end: {what}", quote::text(&launch.name)));
        self.worst = self.worst.max(exit);
    }

    /// Returns the totals as one line of text.
    pub fn text(&self) -> String {
        const MOST_NAMES: usize = 4;
        let outcomes = self.outcomes.iter().map(|(outcome, launches)| {
            let names: Vec<_> = launches.iter().take(MOST_NAMES).map(|name| quote::text(name)).collect();
            let more = if launches.len() > MOST_NAMES { ", .." } else { "" };
            match *outcome {
                "ended" => format!("{} ended", launches.len()),
                outcome => format!("{} {outcome} ({}{more})", launches.len(), names.join(", ")),
            }
        });
        format!(
            "{:<13} {}: {}; {} instructions, run time {}",
            "all launches",
            self.launches,
            outcomes.collect::<Vec<_>>().join(", "),
            grouped(self.instructions),
            duration(self.run_ns),
        )
    }
}
