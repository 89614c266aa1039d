//! What a device did in a process: for the end of the process, and for `gcnsim device --summary`.

use std::fmt;

use serde::{Deserialize, Serialize};

use gcnsim_engine::report::plural;

use crate::look::{KernelProfile, table};

/// The name of the schema of summaries.
pub const SCHEMA: &str = "gcnsim.device.v1";

/// What a device did, in one process or in all of a program.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
#[serde(default)]
pub struct Summary {
    /// [`SCHEMA`].
    pub schema: String,
    /// Version of gcnsim.
    pub version: String,
    /// LLVM's name of the chip.
    pub chip: String,
    /// The program and its arguments.
    pub program: Vec<String>,
    /// Exit code of the program, as the command returns it; `None` as long as it runs.
    pub exit: Option<i32>,
    /// Number of dispatches.
    pub dispatches: u64,
    /// Number of dispatches whose groups ran on several threads.
    pub threaded: u64,
    /// Number of different kernels.
    pub programs: u64,
    /// Number of waves.
    pub waves: u64,
    /// Number of completed instructions.
    pub instructions: u64,
    /// Time in kernels, in nanoseconds, with compiling and checks.
    pub run_ns: u64,
    /// Time of compiling, in nanoseconds.
    pub compile_ns: u64,
    /// Time of checks, in nanoseconds.
    pub check_ns: u64,
    /// Codes of the fidelity notes of all dispatches.
    pub notes: Vec<String>,
    /// What faults were reported, a line each.
    pub faults: Vec<String>,
    /// Number of draws that were not executed.
    pub draws: u64,
    /// Number of dispatches that were recorded with their data.
    pub recorded: u64,
    /// Divergences and internal errors, a line each.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<String>,
    /// What was spent in each kernel, if that was asked for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub profile: Vec<KernelProfile>,
    /// Number of findings of the sanitizer, if it was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub findings: Option<u64>,
    /// Whether the process itself has printed the summary.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub printed: bool,
}

impl Summary {
    /// Returns the summary as JSON.
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }

    /// Reads a summary from JSON; `None` if it is none.
    pub fn parse(text: &str) -> Option<Summary> {
        serde_json::from_str(text).ok()
    }

    /// Adds what another process did.
    pub fn add(&mut self, other: &Summary) {
        let sums = [
            (&mut self.dispatches, other.dispatches),
            (&mut self.threaded, other.threaded),
            (&mut self.programs, other.programs),
            (&mut self.waves, other.waves),
            (&mut self.instructions, other.instructions),
            (&mut self.run_ns, other.run_ns),
            (&mut self.compile_ns, other.compile_ns),
            (&mut self.check_ns, other.check_ns),
            (&mut self.draws, other.draws),
            (&mut self.recorded, other.recorded),
        ];
        sums.into_iter().for_each(|(sum, more)| *sum = sum.saturating_add(more));
        self.notes.extend(other.notes.iter().cloned());
        self.notes.sort_unstable();
        self.notes.dedup();
        self.faults.extend(other.faults.iter().cloned());
        self.errors.extend(other.errors.iter().cloned());
        self.profile.extend(other.profile.iter().cloned());
        if let Some(more) = other.findings {
            self.findings = Some(self.findings.unwrap_or(0) + more);
        }
    }
}

impl fmt::Display for Summary {
    /// Writes the block for people: a line for what was run, and lines for what is to be known.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Summary { dispatches, programs, waves, instructions, .. } = self;
        if *dispatches == 0 {
            writeln!(f, "gcnsim: {}: no kernel was run", self.chip)?;
        } else {
            let seconds = self.run_ns as f64 / 1e9;
            writeln!(
                f,
                "gcnsim: {}: {} of {}, {}, {} in {seconds:.3} s",
                self.chip,
                if *dispatches == 1 { "1 dispatch".to_owned() } else { format!("{dispatches} dispatches") },
                plural(*programs, "kernel"),
                plural(*waves, "wave"),
                plural(*instructions, "instruction"),
            )?;
        }
        if !self.notes.is_empty() {
            writeln!(f, "gcnsim: notes: {}", self.notes.join(", "))?;
        }
        if let Some(findings) = self.findings {
            let see = if findings > 0 { "; see above" } else { "" };
            writeln!(f, "gcnsim: sanitizer: {}{see}", plural(findings, "finding"))?;
        }
        if !self.profile.is_empty() {
            write!(f, "{}", table(&self.profile))?;
        }
        if self.draws > 0 {
            writeln!(f, "gcnsim: not executed: {}", plural(self.draws, "draw"))?;
        }
        if !self.faults.is_empty() {
            writeln!(f, "gcnsim: {}; see above", plural(self.faults.len() as u64, "fault"))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text() {
        let mut summary = Summary { chip: "gfx900".into(), ..Summary::default() };
        assert_eq!(summary.to_string(), "gcnsim: gfx900: no kernel was run\n");
        let one = Summary {
            dispatches: 1,
            programs: 1,
            waves: 4,
            instructions: 60,
            run_ns: 1_500_000,
            notes: vec!["b".into(), "a".into()],
            ..Summary::default()
        };
        summary.add(&one);
        assert_eq!(
            summary.to_string(),
            "gcnsim: gfx900: 1 dispatch of 1 kernel, 4 waves, 60 instructions in 0.002 s\ngcnsim: notes: a, b\n"
        );
    }
}
