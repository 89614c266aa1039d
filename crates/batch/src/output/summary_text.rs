//! The summary as text for people. Lines are broken where they do not fit; nothing is cut.

use std::fmt::{self, Write as _};
use std::time::Duration;

use crate::operations::ledger::Unmet;
use crate::output::groups::{FailureGroup, FailureGroups};
use crate::output::outcome::EntryOutcome;
use crate::output::summary::{Extreme, Summary};
use gcnsim_engine::quote;
use gcnsim_engine::report::{duration, grouped};
use gcnsim_inputs::inputs::Skipped;

/// A summary with other facts about the batch, as text.
pub struct SummaryText<'a> {
    /// The counts of the batch.
    pub summary: &'a Summary,
    /// Time from start to end of the batch.
    pub elapsed: Duration,
    /// Number of entries whose lines an earlier run wrote.
    pub resumed: u64,
    /// Counts of files in folders and archives that are not run.
    pub skipped: Skipped,
    /// Whether a ledger was given.
    pub has_ledger: bool,
    /// Lines of the ledger that no entry met.
    pub unmet: &'a [Unmet],
    /// Most columns of a line; `usize::MAX` if lines may have any length.
    pub width: usize,
}

/// Most rows of a list.
const ROWS: usize = 10;
/// Column where the text after a heading begins.
const INDENT: usize = 14;
/// Column where a row of a list begins, after its count.
const ROW_INDENT: usize = 11;
/// Column where further lines of a note's meaning begin.
const NOTE_INDENT: usize = 32;
/// Number of columns of a generation's name.
const ARCH: usize = 9;
/// Number of columns before the reason of a group of failures.
const REASON_INDENT: usize = 24;

impl fmt::Display for SummaryText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let summary = self.summary;
        self.head(f)?;
        self.cost(f)?;
        self.extremes(f, "slowest", summary.slowest(), duration)?;
        self.extremes(f, "longest", summary.longest(), |n| format!("{} instructions", grouped(n)))?;
        let notes = summary.notes();
        if !notes.is_empty() {
            writeln!(f, "fidelity notes")?;
            for (note, count) in notes.iter().take(ROWS) {
                let line = format!("  {:>7}  {:<20} ", grouped(*count), note.code());
                self.wrapped(f, line, NOTE_INDENT, note.meaning())?;
            }
            more(f, notes.len(), "notes")?;
        }
        self.failures(f)?;
        self.doubts(f)
    }
}

impl SummaryText<'_> {
    fn head(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let summary = self.summary;
        let run = summary.entries.saturating_sub(self.resumed);
        let seconds = self.elapsed.as_secs_f64();
        write!(f, "shaders       {}", grouped(summary.entries))?;
        if self.resumed > 0 {
            write!(f, ", {} of them from an earlier run", grouped(self.resumed))?;
        }
        if seconds > 0.0 {
            write!(f, "; {:.2} s, {} shaders/s", seconds, grouped((run as f64 / seconds) as u64))?;
        }
        writeln!(f)?;
        let Skipped { files, links, special, data } = self.skipped;
        let skipped = [
            (data, "data file of launches", "data files of launches"),
            (files, "other file", "other files"),
            (links, "link that leads to no file", "links that lead to no file"),
            (special, "device or pipe", "devices or pipes"),
        ];
        let skipped = skipped.iter().filter(|(n, ..)| *n > 0);
        let skipped: Vec<_> =
            skipped.map(|(n, one, many)| format!("{} {}", grouped(*n), if *n == 1 { one } else { many })).collect();
        if !skipped.is_empty() {
            self.wrapped(f, "skipped       ".into(), INDENT, &skipped.join(", "))?;
        }
        let outcomes = summary.outcomes();
        let outcomes: Vec<_> =
            outcomes.iter().map(|(outcome, n)| format!("{} {}", grouped(*n), outcome.name())).collect();
        let mut outcomes = outcomes.join(", ");
        if summary.expected > 0 {
            // Writing to a string cannot fail.
            let _ = write!(outcomes, "; {} stopped as expected", grouped(summary.expected));
        }
        self.wrapped(f, "outcomes      ".into(), INDENT, &outcomes)
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
        let text = format!("run {}, compile {}, check {}", share(run_ns), share(compile_ns), share(check_ns));
        self.wrapped(f, "time          ".into(), INDENT, &text)
    }

    fn failures(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let summary = self.summary;
        if self.has_ledger {
            let expected = summary.failed() - summary.unlisted;
            write!(f, "ledger        {} failures as listed, ", grouped(expected))?;
            write!(f, "{} not listed, ", grouped(summary.unlisted))?;
            writeln!(f, "{} unexpected passes", grouped(summary.unexpected_passes))?;
            self.groups(f, "not as the ledger says", &summary.surprises)?;
            self.unmet(f)?;
        } else {
            self.groups(f, "failures, with an example of each kind", &summary.failures_by_group)?;
        }
        let ours = [EntryOutcome::Divergence, EntryOutcome::InternalError].map(|outcome| summary.outcome(outcome));
        if ours != [0, 0] {
            writeln!(f, "OUR MISTAKES  {} divergences, {} internal errors", ours[0], ours[1])?;
        }
        Ok(())
    }

    /// Lists the lines of the ledger that no entry met.
    fn unmet(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.unmet.is_empty() {
            return Ok(());
        }
        writeln!(f, "lines of the ledger that were not met ({})", grouped(self.unmet.len() as u64))?;
        for Unmet { line, now, expected, reason } in self.unmet.iter().take(ROWS) {
            let start = format!("  line {line:<6} {:<13} {:<12} ", now.text(), expected.name());
            self.wrapped(f, start, ROW_INDENT, &quote::text(reason))?;
        }
        more(f, self.unmet.len(), "lines")
    }

    /// Writes a warning if many raw files of a generation fault: code seldom faults as its own generation.
    fn doubts(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (arch, raw) in self.summary.raw_files().filter(|(_, raw)| raw.are_doubtful()) {
            let (faults, runs) = (grouped(raw.faults), grouped(raw.runs));
            let text = format!(
                "{faults} of {runs} raw files that ran as {arch} fault or do not decode: they may be of another \
                 generation (--arch, a sidecar or --arch-from-path says of which)"
            );
            self.wrapped(f, "generation?   ".into(), INDENT, &text)?;
        }
        self.launches_wanted(f)
    }

    /// Writes how many kernels need launch files.
    fn launches_wanted(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kernels = |n: u64| if n == 1 { "1 kernel was".to_owned() } else { format!("{} kernels were", grouped(n)) };
        if self.summary.without_launch > 0 {
            let text = format!(
                "{} run without a launch, so without arguments, and faulted: a launch file beside the object gives \
                 them (gcnsim launch-template prints one)",
                kernels(self.summary.without_launch)
            );
            self.wrapped(f, "launches?     ".into(), INDENT, &text)?;
        }
        if let (count, Some(path)) = &self.summary.lookalikes {
            let (path, others) = (quote::path(path), count - 1);
            let look = match others {
                0 => format!("{path} looks like a launch file but has"),
                others => format!("{path} and {} more look like launch files but have", grouped(others)),
            };
            self.wrapped(f, "launches?     ".into(), INDENT, &format!("{look} no 'launch': not used"))?;
        }
        Ok(())
    }
}

impl SummaryText<'_> {
    fn groups(&self, f: &mut fmt::Formatter<'_>, title: &str, groups: &FailureGroups) -> fmt::Result {
        let groups = groups.by_count();
        if groups.is_empty() {
            return Ok(());
        }
        writeln!(f, "{title}")?;
        for FailureGroup { outcome, reason, arch, count } in groups.iter().take(ROWS) {
            let (outcome, reason) = match outcome {
                EntryOutcome::Ended => ("ended", "though the ledger expects a failure"),
                outcome => (outcome.name(), *reason),
            };
            let (reason, arch, name) =
                (quote::text(reason), arch.map_or("", |arch| arch.name()), count.example.quoted());
            let start = format!("  {:>7}  {outcome:<12} ", grouped(count.count));
            let line = match arch {
                "" if reason.chars().count() > 24 => format!("{start}{reason} "),
                arch => format!("{start}{reason:<24} {arch:<ARCH$}"),
            };
            if line.trim_end().chars().count() <= self.width {
                self.with_name(f, &line, ROW_INDENT, &name)?;
                continue;
            }
            self.wrapped(f, start, REASON_INDENT, &reason)?;
            self.with_name(f, &format!("{:ROW_INDENT$}{arch}", ""), ROW_INDENT, &name)?;
        }
        more(f, groups.len(), "kinds")
    }

    fn extremes(
        &self,
        f: &mut fmt::Formatter<'_>,
        what: &str,
        rows: &[Extreme],
        show: impl Fn(u64) -> String,
    ) -> fmt::Result {
        for (i, row) in rows.iter().take(3).enumerate() {
            let line = format!("{:<13} {:<24}", if i == 0 { what } else { "" }, show(row.value));
            self.with_name(f, &line, INDENT, &row.name.quoted())?;
        }
        Ok(())
    }

    /// Writes a line that ends with a name. A name that does not fit has a line of its own.
    fn with_name(&self, f: &mut fmt::Formatter<'_>, line: &str, indent: usize, name: &str) -> fmt::Result {
        if line.trim().is_empty() {
            writeln!(f, "{:indent$}{name}", "")
        } else if line.chars().count() + 1 + name.chars().count() <= self.width {
            writeln!(f, "{line} {name}")
        } else {
            writeln!(f, "{}\n{:indent$}{name}", line.trim_end(), "")
        }
    }

    /// Writes words after the beginning of a line, on as many lines as they need.
    fn wrapped(&self, f: &mut fmt::Formatter<'_>, mut line: String, indent: usize, text: &str) -> fmt::Result {
        let mut is_empty = true;
        for word in text.split(' ') {
            let length = line.chars().count() + word.chars().count() + usize::from(!is_empty);
            if length > self.width && (!is_empty || line.chars().count() > indent) {
                writeln!(f, "{}", line.trim_end())?;
                (line, is_empty) = (" ".repeat(indent), true);
            }
            if !is_empty {
                line.push(' ');
            }
            line.push_str(word);
            is_empty = false;
        }
        writeln!(f, "{line}")
    }
}

fn more(f: &mut fmt::Formatter<'_>, total: usize, what: &str) -> fmt::Result {
    if total > ROWS { writeln!(f, "  ... and {} more {what}", grouped((total - ROWS) as u64)) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use crate::output::summary::Failures;
    use gcnsim_isa::{Arch, Note, Notes};

    use super::*;
    use crate::output::summary::Entry;
    use gcnsim_inputs::arch::ArchSource;

    fn entry(number: usize, file: &str, outcome: EntryOutcome) -> Entry<'_> {
        Entry {
            order: (number, 0),
            file: file.into(),
            kernel: None,
            part: None,
            launch: None,
            hash: None,
            outcome,
            detail: None,
            is_expected: false,
            mismatch: None,
            mnemonic: None,
            arch: None,
            arch_source: ArchSource::User,
            instructions: 1_234_567 * number as u64,
            run_ns: 1_000_000 * number as u64,
            compile_ns: 0,
            check_ns: 0,
            notes: Notes::NONE,
        }
    }

    /// Returns the text of a summary on a terminal of this width.
    fn text_of(summary: &Summary, width: usize) -> String {
        let (elapsed, skipped) = (Duration::ZERO, Skipped::default());
        SummaryText { summary, elapsed, resumed: 0, skipped, has_ledger: false, unmet: &[], width }.to_string()
    }

    #[test]
    fn lines_fit_a_terminal() {
        let long = format!("corpus/{}/shader.bin", "folder/".repeat(6));
        let mut summary = Summary::new(Failures::Counted);
        for (number, &outcome) in EntryOutcome::ALL.iter().enumerate() {
            for (arch, detail) in [(Arch::Gcn10, "illegal-operand"), (Arch::Gcn141, "pc-out-of-range")] {
                let mut notes = Notes::NONE;
                Note::ALL.iter().for_each(|&note| notes.insert(note));
                let mnemonic = Some("v_cmpx_class_f64");
                let (arch, detail) = (Some(arch), Some(detail));
                summary.add(&Entry { arch, detail, mnemonic, notes, ..entry(number, &long, outcome) }, None);
            }
        }
        let skipped = Skipped { files: 12_345, links: 1, special: 3, data: 0 };
        let elapsed = Duration::from_secs(1234);
        let text =
            SummaryText { summary: &summary, elapsed, resumed: 7, skipped, has_ledger: false, unmet: &[], width: 80 }
                .to_string();
        for line in text.lines() {
            assert!(line.chars().count() <= 80, "{line}\n{text}");
        }
        for part in [
            "skipped       12,345 other files, 1 link that leads to no file, 3 devices or\n              pipes",
            "generation?",
            &long,
        ] {
            assert!(text.contains(part), "{part}\n{text}");
        }
    }

    /// Long reasons are broken at 80 columns; in wide terminals they take one line.
    #[test]
    fn nothing_is_cut() {
        let mut summary = Summary::new(Failures::Counted);
        let long = format!("launch 'a': {}the argument is 12 bytes long", "a reason of many words, ".repeat(5));
        for (number, bytes) in [(1, "12"), (2, "345")] {
            let detail = long.replace("12", bytes);
            let entry = Entry { detail: Some(&detail), ..entry(number, "folder/a.bin", EntryOutcome::BadInput) };
            summary.add(&entry, None);
        }
        let text = |width| text_of(&summary, width);
        for width in [80, 160, usize::MAX] {
            let text = text(width);
            let joined = text.split_whitespace().collect::<Vec<_>>().join(" ");
            assert!(joined.contains(&format!("2 bad-input {long} folder/a.bin")), "{text}");
            assert!(text.lines().all(|line| line.chars().count() <= width), "{width}: {text}");
        }
        assert!(text(usize::MAX).lines().any(|line| line.contains(&long) && line.ends_with("folder/a.bin")));
    }

    #[test]
    fn names_cannot_write_on_the_terminal() {
        let mut summary = Summary::new(Failures::Counted);
        let detail = Some("no \x1b[31m such\nfile");
        summary.add(&Entry { detail, ..entry(1, "a\x1b[2J\nb.bin", EntryOutcome::BadInput) }, None);
        let text = text_of(&summary, 80);
        assert!(!text.contains('\x1b') && text.contains(r"'a'$'\033''[2J'$'\n''b.bin'"), "{text}");
    }

    #[test]
    fn equal_failures_are_one_row() {
        let mut summary = Summary::new(Failures::Counted);
        for number in 0..3000 {
            let (mnemonic, arch) = (Some("s_load_dword"), Some(Arch::ALL[number / 2 % 2]));
            let name = format!("s{number}.bin");
            summary.add(&Entry { mnemonic, arch, ..entry(number, &name, EntryOutcome::Unsupported) }, None);
        }
        let text = text_of(&summary, 80);
        for row in [
            "    1,500  unsupported  s_load_dword             gcn1.0    s0.bin\n",
            "    1,500  unsupported  s_load_dword             gcn1.1    s2.bin\n",
        ] {
            assert!(text.contains(row), "{text}");
        }
    }
}
