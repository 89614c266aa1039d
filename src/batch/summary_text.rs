//! The summary as people read it at the end of a batch.

use std::fmt;
use std::time::Duration;

use super::outcome::EntryOutcome;
use super::summary::{Extreme, Summary};
use crate::report::{duration, grouped};

/// A summary with what is known besides.
pub struct SummaryText<'a> {
    /// Counts.
    pub summary: &'a Summary,
    /// From start to end.
    pub elapsed: Duration,
    /// Entries whose lines were there already.
    pub resumed: u64,
    /// Files that are no shaders.
    pub skipped: u64,
    /// Was a ledger given?
    pub has_ledger: bool,
}

/// Rows of a list that are shown.
const ROWS: usize = 10;

impl fmt::Display for SummaryText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let summary = self.summary;
        self.head(f)?;
        self.cost(f)?;
        extremes(f, "slowest", summary.slowest(), duration)?;
        extremes(f, "longest", summary.longest(), |n| format!("{} instructions", grouped(n)))?;
        let unsupported = summary.unsupported_by_count();
        if !unsupported.is_empty() {
            writeln!(f, "unsupported")?;
            for (mnemonic, count) in unsupported.iter().take(ROWS) {
                writeln!(f, "  {:>9}  {mnemonic:<28} in {}", grouped(count.count), count.example)?;
            }
            more(f, unsupported.len())?;
        }
        let notes = summary.notes();
        if !notes.is_empty() {
            writeln!(f, "fidelity notes")?;
            for (note, count) in notes.iter().take(ROWS) {
                writeln!(f, "  {:>9}  {:<20} {}", grouped(*count), note.code(), note.meaning().trim())?;
            }
            more(f, notes.len())?;
        }
        self.surprises(f)
    }
}

impl SummaryText<'_> {
    fn head(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let summary = self.summary;
        let run = summary.entries - self.resumed;
        let seconds = self.elapsed.as_secs_f64();
        write!(f, "shaders       {}", grouped(summary.entries))?;
        if self.resumed > 0 {
            write!(f, ", {} of them from an earlier run", grouped(self.resumed))?;
        }
        if seconds > 0.0 {
            write!(f, "; {:.2} s, {} shaders/s", seconds, grouped((run as f64 / seconds) as u64))?;
        }
        if self.skipped > 0 {
            write!(f, "; {} other files skipped", grouped(self.skipped))?;
        }
        let outcomes = summary.outcomes();
        let outcomes: Vec<_> =
            outcomes.iter().map(|(outcome, n)| format!("{} {}", grouped(*n), outcome.name())).collect();
        writeln!(f, "\noutcomes      {}", outcomes.join(", "))
    }

    fn cost(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Summary { instructions, run_ns, compile_ns, check_ns, .. } = *self.summary;
        write!(f, "instructions  {}", grouped(instructions))?;
        if run_ns > 0 {
            write!(f, ", {:.1} million/s", instructions as f64 * 1e3 / run_ns as f64)?;
        }
        writeln!(f)?;
        let total = (run_ns + compile_ns + check_ns).max(1) as f64;
        let share = |ns: u64| format!("{} ({:.1} %)", duration(ns), 100.0 * ns as f64 / total);
        writeln!(f, "time          run {}, compile {}, check {}", share(run_ns), share(compile_ns), share(check_ns))
    }

    fn surprises(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let summary = self.summary;
        if self.has_ledger {
            let expected = summary.failed() - summary.unlisted;
            write!(f, "ledger        {} failures as listed, ", grouped(expected))?;
            write!(f, "{} not listed, ", grouped(summary.unlisted))?;
            writeln!(f, "{} unexpected passes", grouped(summary.unexpected_passes))?;
        }
        let ours = [EntryOutcome::Divergence, EntryOutcome::InternalError].map(|outcome| summary.outcome(outcome));
        if ours != [0, 0] {
            writeln!(f, "OUR MISTAKES  {} divergences, {} internal errors", ours[0], ours[1])?;
        }
        let total = summary.unlisted + summary.unexpected_passes;
        if total > 0 {
            writeln!(f, "{}", if self.has_ledger { "not as the ledger says" } else { "failures" })?;
            for (_, text) in summary.surprises.iter().take(ROWS) {
                writeln!(f, "  {text}")?;
            }
            more(f, total as usize)?;
        }
        Ok(())
    }
}

fn extremes(f: &mut fmt::Formatter<'_>, what: &str, rows: &[Extreme], show: impl Fn(u64) -> String) -> fmt::Result {
    for (i, row) in rows.iter().take(3).enumerate() {
        writeln!(f, "{:<13} {:<24} {}", if i == 0 { what } else { "" }, show(row.value), row.name)?;
    }
    Ok(())
}

fn more(f: &mut fmt::Formatter<'_>, total: usize) -> fmt::Result {
    if total > ROWS { writeln!(f, "  ... and {} more", grouped((total - ROWS) as u64)) } else { Ok(()) }
}
