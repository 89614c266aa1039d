//! Writes the report of a batch as one self-contained HTML page, with style, plots (SVG) and a few lines of script.
//!
//! [`page`] builds it from the records of a batch and, with a baseline, a comparison. Everything that comes from files
//! (names, messages) is escaped.

mod plots;
mod table;

use std::fmt::Write as _;

use sha2::{Digest, Sha256};

use crate::compare::junit::escaped;
use crate::compare::{Comparison, Regression, sections};
use crate::output::record::Record;
use crate::{EntryOutcome, Summary};
use gcnsim_engine::report::{duration, grouped};
use table::{Cell, table};

/// The style of pages.
pub const STYLE: &str = include_str!("page.css");
/// The script of pages: it sorts tables and filters their rows by the input `filter`.
pub const SCRIPT: &str = include_str!("sort.js");

/// Most rows of a table, because browsers do not cope with a million cells.
const ROWS: usize = 500;
/// Most rows of the tables of extremes.
const EXTREMES: usize = 100;

/// The content of a report.
pub struct Report<'a> {
    /// The heading: the file of results.
    pub title: &'a str,
    /// The lines of the batch.
    pub records: &'a [Record],
    /// The summary of the records.
    pub summary: &'a Summary,
    /// The facts about the origin of the results: name and value of each.
    pub provenance: &'a [(&'static str, String)],
    /// The name of the baseline, the comparison with it, and the regressions.
    pub baseline: Option<(&'a str, &'a Comparison, &'a [Regression])>,
}

/// Returns the report as a page.
pub fn page(report: &Report) -> String {
    let mut out = String::with_capacity(1 << 18);
    let title = escaped(report.title);
    out.push_str("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">");
    out.push_str("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">");
    // Writing to a String cannot fail.
    let _ = writeln!(out, "<title>gcnsim: {title}</title>\n<style>{}</style></head><body>", STYLE);
    let version = env!("CARGO_PKG_VERSION");
    let _ = writeln!(out, "<h1>gcnsim batch report</h1><p class=\"sub\">{title} &middot; gcnsim {version}</p>");
    if let Some((name, comparison, regressions)) = report.baseline {
        gate(&mut out, regressions);
        headlines(&mut out, name, comparison, regressions);
    }
    cards(&mut out, report.summary);
    outcomes(&mut out, report.summary);
    out.push_str(
        "<p class=\"filter\"><input id=\"filter\" type=\"search\" placeholder=\"Filter the rows of all tables\"",
    );
    out.push_str(" aria-label=\"Filter the rows of all tables\"><span id=\"count\" role=\"status\"></span></p>\n");
    distributions(&mut out, report.records);
    if let Some((_, comparison, _)) = report.baseline {
        changes(&mut out, comparison);
    }
    groups(&mut out, report.summary);
    failures(&mut out, report.records);
    extremes(&mut out, report.records);
    notes(&mut out, report.summary);
    provenance(&mut out, report);
    let _ = writeln!(out, "<script>{}</script></body></html>", SCRIPT);
    out
}

fn cards(out: &mut String, summary: &Summary) {
    let ended = summary.outcome(EntryOutcome::Ended);
    let percent = |part: u64, whole: u64| format!("{:.1} %", 100.0 * part as f64 / whole.max(1) as f64);
    let time = summary.run_ns + summary.compile_ns + summary.check_ns;
    let speed = match summary.run_ns {
        0 => "-".to_owned(),
        ns => format!("{}/s", plots::short(summary.instructions as f64 * 1e9 / ns as f64)),
    };
    out.push_str("<div class=\"cards\">");
    for (value, name) in [
        (grouped(summary.entries), "shaders"),
        (percent(ended, summary.entries), "ended"),
        (grouped(summary.failed()), "failed"),
        (plots::short(summary.instructions as f64), "instructions"),
        (speed, "instructions, while running"),
        (duration(summary.run_ns), "run time, all threads"),
        (percent(summary.compile_ns, time), "compiling"),
        (percent(summary.check_ns, time), "checking"),
    ] {
        let _ = write!(out, "<div class=\"card\"><b>{value}</b><span>{name}</span></div>");
    }
    out.push_str("</div>\n");
}

fn colour(outcome: EntryOutcome) -> &'static str {
    match outcome {
        EntryOutcome::Ended => "var(--good)",
        EntryOutcome::Budget | EntryOutcome::Halted | EntryOutcome::Trap => "var(--warn)",
        EntryOutcome::Unsupported | EntryOutcome::Interrupted => "var(--mute)",
        EntryOutcome::Fault | EntryOutcome::Mismatch | EntryOutcome::BadInput => "var(--bad)",
        EntryOutcome::Divergence | EntryOutcome::InternalError => "var(--ours)",
    }
}

fn outcomes(out: &mut String, summary: &Summary) {
    let outcomes = summary.outcomes();
    out.push_str("<div class=\"bar\">");
    for &(outcome, count) in &outcomes {
        let _ =
            write!(out, "<i style=\"flex:{count};background:{}\" title=\"{}\"></i>", colour(outcome), outcome.name());
    }
    out.push_str("</div><div class=\"legend\">");
    for &(outcome, count) in &outcomes {
        let (colour, name) = (colour(outcome), outcome.name());
        let _ = write!(out, "<span><i style=\"background:{colour}\"></i>{} {name}</span>", grouped(count));
    }
    out.push_str("</div>\n");
}

/// Writes whether the batch passes, first of all: a batch whose shaders all end may be a regression.
fn gate(out: &mut String, regressions: &[Regression]) {
    let _ = match regressions.len() {
        0 => writeln!(out, "<p class=\"gate good\">No regression</p>"),
        1 => writeln!(out, "<p class=\"gate bad\">1 regression</p>"),
        n => writeln!(out, "<p class=\"gate bad\">{n} regressions</p>"),
    };
}

fn headlines(out: &mut String, name: &str, comparison: &Comparison, regressions: &[Regression]) {
    let _ = writeln!(out, "<h2>Compared with {}</h2><ul class=\"lines\">", escaped(name));
    for line in sections::headlines(comparison, regressions) {
        let class = if line.starts_with("REGRESSION") { " class=\"bad\"" } else { "" };
        let _ = writeln!(out, "<li{class}>{}</li>", escaped(&line));
    }
    out.push_str("</ul>\n");
}

fn changes(out: &mut String, comparison: &Comparison) {
    for section in sections::sections(comparison) {
        let rows = section.rows.iter().map(|row| row.iter().map(|cell| Cell::guess(cell)).collect());
        table(out, &format!("Changed: {}", section.title), section.columns, rows, section.rows.len());
    }
}

fn distributions(out: &mut String, records: &[Record]) {
    let instructions: Vec<_> = records.iter().map(|record| record.instructions as f64).collect();
    let times: Vec<_> = records.iter().map(|record| record.run_ns as f64 / 1e3).collect();
    let ran = records.iter().filter(|record| record.run_ns > 0);
    let speeds: Vec<_> = ran.map(|record| record.instructions as f64 * 1e3 / record.run_ns as f64).collect();
    out.push_str("<h2>Distributions</h2><div class=\"plots\">");
    for (values, title, axis) in [
        (&instructions, "Executed instructions", "instructions"),
        (&times, "Run time", "microseconds"),
        (&speeds, "Simulation speed", "million instructions per second"),
    ] {
        if let Some(svg) = plots::log_histogram(values, axis) {
            let _ = writeln!(out, "<figure><figcaption>{title}</figcaption>{svg}</figure>");
        }
    }
    out.push_str("</div>\n");
}

/// Writes the failures by outcome, reason and generation.
fn groups(out: &mut String, summary: &Summary) {
    let groups = summary.failures_by_group.by_count();
    let rows = groups.iter().map(|group| {
        let arch = group.arch.map_or(String::new(), |arch| arch.to_string());
        vec![
            Cell::number(group.count.count),
            Cell::text(group.outcome.name()),
            Cell::text(group.reason),
            Cell::text(&arch),
            Cell::text(group.count.example.shown()),
        ]
    });
    table(out, "Failures by reason", &["shaders", "outcome", "why", "generation", "for example"], rows, groups.len());
}

/// Writes the facts that are needed to reproduce the results.
fn provenance(out: &mut String, report: &Report) {
    out.push_str("<h2>Provenance</h2><dl id=\"provenance\">");
    let version = ("gcnsim", env!("CARGO_PKG_VERSION").to_owned());
    let corpus = ("corpus", format!("{} shaders, SHA-256 {}", grouped(report.summary.entries), digest(report.records)));
    for (name, value) in [version].iter().chain(report.provenance).chain([&corpus]) {
        let _ = write!(out, "<dt>{name}</dt><dd>{}</dd>", escaped(value));
    }
    out.push_str("</dl>\n");
}

/// Returns the SHA-256 of a list of all entries in order, in the format of `sha256sum`: the hash of the entry's bytes
/// (`-` if it has none) and its name.
fn digest(records: &[Record]) -> String {
    let mut digest = Sha256::new();
    for record in records {
        let hash = record.hash().map_or("-".to_owned(), |hash| hash.to_string());
        digest.update(format!("{hash}  {}\n", &*record.name()));
    }
    digest.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

fn failures(out: &mut String, records: &[Record]) {
    let failed = records.iter().filter(|record| record.to_entry((0, 0)).has_failed());
    let failed: Vec<_> = failed.collect();
    let rows = failed.iter().map(|record| {
        let detail = record.detail.as_ref();
        let why = detail.map_or(String::new(), |detail| detail.reason());
        let mnemonic = detail.and_then(|detail| detail.mnemonic.as_deref()).unwrap_or_default();
        let pc = detail.and_then(|detail| detail.pc.as_deref()).unwrap_or_default();
        let cells = [record.outcome.name(), &why, mnemonic, pc];
        cells.into_iter().map(Cell::text).chain([Cell::text(record.name().shown())]).collect::<Vec<_>>()
    });
    table(out, "Failed", &["outcome", "why", "mnemonic", "pc", "shader"], rows, failed.len());
}

fn extremes(out: &mut String, records: &[Record]) {
    let columns = &["run time", "instructions", "million/s", "regions", "compile time", "outcome", "shader"];
    let mut by_time: Vec<_> = records.iter().filter(|record| record.run_ns > 0).collect();
    for (title, key) in [
        ("Slowest shaders", (|record: &Record| record.run_ns) as fn(&Record) -> u64),
        ("Longest shaders", |record: &Record| record.instructions),
    ] {
        by_time.sort_by_key(|record| std::cmp::Reverse(key(record)));
        let shown = &by_time[..by_time.len().min(EXTREMES)];
        let rows = shown.iter().map(|record| {
            let speed = record.instructions as f64 * 1e3 / record.run_ns as f64;
            vec![
                Cell::valued(duration(record.run_ns), record.run_ns as f64),
                Cell::number(record.instructions),
                Cell::valued(format!("{speed:.1}"), speed),
                Cell::number(record.regions),
                Cell::valued(duration(record.compile_ns), record.compile_ns as f64),
                Cell::text(record.outcome.name()),
                Cell::text(record.name().shown()),
            ]
        });
        table(out, title, columns, rows, shown.len());
    }
}

fn notes(out: &mut String, summary: &Summary) {
    let notes = summary.notes();
    let rows = notes
        .iter()
        .map(|(note, count)| vec![Cell::number(*count), Cell::text(note.code()), Cell::text(note.meaning())]);
    table(out, "Fidelity notes", &["shaders", "code", "case, and our choice"], rows, notes.len());
}
