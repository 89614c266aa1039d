//! Results as JUnit XML, which build servers display. Each entry is a test case with the same name in every run, so
//! that they can show its history. Lines are read back from the file of results, one at a time.
//!
//! An entry that ended passes. An entry that failed as the ledger says is skipped. Mistakes of the simulator are
//! errors; everything else is a failure.

use std::collections::HashMap;
use std::io::{self, Write};
use std::path::Path;

use crate::compare::junit::escaped;
use crate::operations::ledger::{Ledger, Verdict};
use crate::output::outcome::EntryOutcome;
use crate::output::record::{self, Record, ResultsError};

/// Error of writing results in another form.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// The results cannot be read back.
    #[error(transparent)]
    Read(#[from] ResultsError),
    /// The output cannot be written.
    #[error("{}", gcnsim_loader::describe(.0))]
    Write(#[from] io::Error),
}

/// The verdict on a test case.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Passed,
    Skipped,
    Failed,
    Error,
}

/// Counts of test cases.
#[derive(Clone, Copy, Default)]
struct Counts {
    tests: u64,
    failures: u64,
    errors: u64,
    skipped: u64,
    time_ns: u64,
}

/// Writes the results in the file `results` to `out`, as a suite with the name `title`.
///
/// # Errors
/// [`ExportError`].
pub fn write(title: &str, results: &Path, ledger: Option<&Ledger>, out: &mut dyn Write) -> Result<(), ExportError> {
    let mut counts = Counts::default();
    for located in record::open(results)? {
        counts.add(&located?.record, ledger);
    }
    writeln!(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>")?;
    let attributes = counts.attributes();
    writeln!(out, "<testsuites name=\"gcnsim batch\"{attributes}>")?;
    writeln!(out, "  <testsuite name=\"{}\"{attributes}>", escaped(title))?;
    // `names` counts how often each name of an entry came in the current file: a file may be listed twice.
    let mut names = HashMap::new();
    let mut file = String::new();
    for located in record::open(results)? {
        let record = located?.record;
        if record.file != file {
            names.clear();
            file.clone_from(&record.file);
        }
        case(&record, ledger, &mut names, out)?;
    }
    writeln!(out, "  </testsuite>\n</testsuites>")?;
    Ok(())
}

impl Counts {
    fn add(&mut self, record: &Record, ledger: Option<&Ledger>) {
        self.tests += 1;
        self.time_ns += time_ns(record);
        match verdict(record, ledger) {
            Kind::Passed => {}
            Kind::Skipped => self.skipped += 1,
            Kind::Failed => self.failures += 1,
            Kind::Error => self.errors += 1,
        }
    }

    fn attributes(&self) -> String {
        let Counts { tests, failures, errors, skipped, time_ns } = *self;
        let time = seconds(time_ns);
        format!(" tests=\"{tests}\" failures=\"{failures}\" errors=\"{errors}\" skipped=\"{skipped}\" time=\"{time}\"")
    }
}

fn time_ns(record: &Record) -> u64 {
    record.run_ns + record.compile_ns + record.check_ns
}

fn seconds(ns: u64) -> String {
    format!("{}.{:09}", ns / 1_000_000_000, ns % 1_000_000_000)
}

fn verdict(record: &Record, ledger: Option<&Ledger>) -> Kind {
    match record.to_entry((0, 0)).verdict(ledger) {
        _ if record.outcome.is_our_fault() => Kind::Error,
        Verdict::Pass => Kind::Passed,
        Verdict::Expected => Kind::Skipped,
        Verdict::Unlisted | Verdict::UnexpectedPass => Kind::Failed,
    }
}

fn case(
    record: &Record,
    ledger: Option<&Ledger>,
    names: &mut HashMap<String, u32>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let name = record.name().to_string();
    let times = names.entry(name.clone()).or_default();
    *times += 1;
    let name = if *times > 1 { format!("{name} ({times})") } else { name };
    let (name, file, time) = (escaped(&name), escaped(&record.file), seconds(time_ns(record)));
    write!(out, "    <testcase classname=\"gcnsim.batch\" name=\"{name}\" file=\"{file}\" time=\"{time}\"")?;
    let verdict = verdict(record, ledger);
    if verdict == Kind::Passed {
        return writeln!(out, "/>");
    }
    let (outcome, why) = (record.outcome.name(), why(record));
    let message = escaped(&why);
    writeln!(out, ">")?;
    match verdict {
        Kind::Skipped => writeln!(out, "      <skipped message=\"known failure: {message}\"/>")?,
        Kind::Failed if record.outcome == EntryOutcome::Ended => {
            let message = "the ledger expects a failure, but it ended";
            writeln!(out, "      <failure type=\"unexpected-pass\" message=\"{message}\"/>")?;
        }
        _ => {
            let element = if verdict == Kind::Error { "error" } else { "failure" };
            writeln!(out, "      <{element} type=\"{outcome}\" message=\"{message}\">{}</{element}>", text(record))?;
        }
    }
    writeln!(out, "    </testcase>")
}

/// Returns in one line why an entry did not end.
fn why(record: &Record) -> String {
    let outcome = record.outcome.name();
    let Some(detail) = &record.detail else { return outcome.to_owned() };
    match &detail.mnemonic {
        Some(mnemonic) => format!("{outcome}: {mnemonic}: {}", detail.reason()),
        None => format!("{outcome}: {}", detail.reason()),
    }
}

/// Returns everything that a line says of a failure, one fact a line.
fn text(record: &Record) -> String {
    let mut lines = vec![format!("outcome {}", record.outcome.name())];
    if let Some(detail) = &record.detail {
        lines.push(format!("detail {}", detail.kind.lines().next().unwrap_or_default()));
        let facts = [("mnemonic", &detail.mnemonic), ("pc", &detail.pc), ("word", &detail.word)];
        lines.extend(facts.iter().filter_map(|(name, fact)| Some(format!("{name} {}", fact.as_ref()?))));
        lines.extend(detail.mismatch().iter().flat_map(|mismatch| mismatch.parts()));
    }
    if let Some(arch) = &record.arch {
        lines.push(format!("arch {arch}, engine {}, {} instructions", record.engine, record.instructions));
    }
    lines.iter().map(|line| escaped(line)).collect::<Vec<_>>().join("\n")
}
