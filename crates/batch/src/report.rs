//! The report of a batch as an HTML page: its records and, with a baseline, a comparison.

use sha2::{Digest, Sha256};

use crate::compare::{self, Comparison, Regression};
use crate::output::record::Record;
use crate::{EntryOutcome, Summary};
use gcnsim_engine::report::{duration, grouped};
use gcnsim_pages::html::{self, Extras};
use gcnsim_pages::{Cell, Document, Part, Plot, Share, Table, short};

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
    let Report { records, summary, .. } = *report;
    let mut parts = Vec::new();
    if let Some((name, comparison, regressions)) = report.baseline {
        // First of all, whether the batch passes: one whose shaders all end may be a regression.
        parts.push(gate(regressions));
        parts.push(Part::Lines(compare::lines(format!("Compared with {name}"), comparison, regressions)));
    }
    parts.extend([cards(summary), outcomes(summary), Part::Filter, distributions(records)]);
    if let Some((_, comparison, _)) = report.baseline {
        parts.extend(changes(comparison));
    }
    parts.extend([groups(summary), failures(records)].map(Part::Table));
    parts.extend(extremes(records).map(Part::Table));
    parts.extend([Part::Table(notes(summary)), provenance(report)]);
    let document = Document { name: "gcnsim", title: report.title.into(), parts };
    html::page(&document, "gcnsim batch report", Extras::default())
}

fn cards(summary: &Summary) -> Part {
    let ended = summary.outcome(EntryOutcome::Ended);
    let percent = |part: u64, whole: u64| format!("{:.1} %", 100.0 * part as f64 / whole.max(1) as f64);
    let time = summary.run_ns + summary.compile_ns + summary.check_ns;
    let speed = match summary.run_ns {
        0 => "-".to_owned(),
        ns => format!("{}/s", short(summary.instructions as f64 * 1e9 / ns as f64)),
    };
    Part::Cards(vec![
        (grouped(summary.entries), "shaders"),
        (percent(ended, summary.entries), "ended"),
        (grouped(summary.failed()), "failed"),
        (short(summary.instructions as f64), "instructions"),
        (speed, "instructions, while running"),
        (duration(summary.run_ns), "run time, all threads"),
        (percent(summary.compile_ns, time), "compiling"),
        (percent(summary.check_ns, time), "checking"),
    ])
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

fn outcomes(summary: &Summary) -> Part {
    let share = |(outcome, count): (EntryOutcome, u64)| Share { count, name: outcome.name(), colour: colour(outcome) };
    Part::Shares(summary.outcomes().into_iter().map(share).collect())
}

fn gate(regressions: &[Regression]) -> Part {
    let text = match regressions.len() {
        0 => "No regression".into(),
        1 => "1 regression".into(),
        n => format!("{n} regressions"),
    };
    Part::Verdict { text, is_good: regressions.is_empty() }
}

fn changes(comparison: &Comparison) -> impl Iterator<Item = Part> {
    compare::tables(comparison).into_iter().map(|table| {
        let count = table.rows.len();
        let rows = table.rows.into_iter().map(|row| row.into_iter().map(Cell::guessed).collect());
        Part::Table(Table::of_first(ROWS, format!("Changed: {}", table.title), table.columns, rows, count))
    })
}

fn distributions(records: &[Record]) -> Part {
    let plot = |title, axis, values: Vec<f64>| Plot { title, axis, counted: "shaders", values };
    let ran = records.iter().filter(|record| record.run_ns > 0);
    let speeds = ran.map(|record| record.instructions as f64 * 1e3 / record.run_ns as f64).collect();
    let instructions = records.iter().map(|record| record.instructions as f64).collect();
    let times = records.iter().map(|record| record.run_ns as f64 / 1e3).collect();
    let plots = vec![
        plot("Executed instructions", "instructions", instructions),
        plot("Run time", "microseconds", times),
        plot("Simulation speed", "million instructions per second", speeds),
    ];
    Part::Plots("Distributions", plots)
}

/// Returns the failures by outcome, reason and generation.
fn groups(summary: &Summary) -> Table {
    let groups = summary.failures_by_group.by_count();
    let rows = groups.iter().map(|group| {
        let arch = group.arch.map_or(String::new(), |arch| arch.to_string());
        vec![
            Cell::number(group.count.count),
            Cell::text(group.outcome.name()),
            Cell::text(group.reason),
            Cell::text(arch),
            Cell::text(group.count.example.shown()),
        ]
    });
    let columns = &["shaders", "outcome", "why", "generation", "for example"];
    Table::of_first(ROWS, "Failures by reason".into(), columns, rows, groups.len())
}

/// Returns the facts that are needed to reproduce the results.
fn provenance(report: &Report) -> Part {
    let corpus = format!("{} shaders, SHA-256 {}", grouped(report.summary.entries), digest(report.records));
    let version = ("gcnsim", env!("CARGO_PKG_VERSION").to_owned());
    let facts = [version].into_iter().chain(report.provenance.iter().cloned()).chain([("corpus", corpus)]);
    Part::Facts("Provenance", facts.collect())
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

fn failures(records: &[Record]) -> Table {
    let failed: Vec<_> = records.iter().filter(|record| record.to_entry((0, 0)).has_failed()).collect();
    let rows = failed.iter().map(|record| {
        let detail = record.detail.as_ref();
        let why = detail.map_or(String::new(), |detail| detail.reason());
        let mnemonic = detail.and_then(|detail| detail.mnemonic.as_deref()).unwrap_or_default();
        let pc = detail.and_then(|detail| detail.pc.as_deref()).unwrap_or_default();
        [record.outcome.name(), &why, mnemonic, pc, record.name().shown()].map(Cell::text).into()
    });
    let columns = &["outcome", "why", "mnemonic", "pc", "shader"];
    Table::of_first(ROWS, "Failed".into(), columns, rows, failed.len())
}

fn extremes(records: &[Record]) -> [Table; 2] {
    [
        ("Slowest shaders", (|record: &Record| record.run_ns) as fn(&Record) -> u64),
        ("Longest shaders", |record: &Record| record.instructions),
    ]
    .map(|(title, key)| {
        let mut ran: Vec<_> = records.iter().filter(|record| record.run_ns > 0).collect();
        ran.sort_by_key(|record| std::cmp::Reverse((key(record), record.run_ns)));
        ran.truncate(EXTREMES);
        let rows = ran.iter().map(|record| {
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
        let columns = &["run time", "instructions", "million/s", "regions", "compile time", "outcome", "shader"];
        Table::of_first(EXTREMES, title.into(), columns, rows, ran.len())
    })
}

fn notes(summary: &Summary) -> Table {
    let notes = summary.notes();
    let rows = notes
        .iter()
        .map(|(note, count)| vec![Cell::number(*count), Cell::text(note.code()), Cell::text(note.meaning())]);
    Table::of_first(ROWS, "Fidelity notes".into(), &["shaders", "code", "case, and our choice"], rows, notes.len())
}
