//! Results as JUnit XML, which build servers display. Each entry is a test case with the same name in every run, so
//! that they can show its history. Lines are read back from the file of results, one at a time.
//!
//! An entry that ended passes. An entry that failed as the ledger says is skipped. Mistakes of the simulator are
//! errors; everything else is a failure.

use std::collections::HashMap;
use std::io::{self, Write};
use std::path::Path;

use gcnsim_pages::junit::{self, Case, Counts, Failure, Fate};

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

/// Writes the results in the file `results` to `out`, as a suite with the name `title`.
///
/// # Errors
/// [`ExportError`].
pub fn write(title: &str, results: &Path, ledger: Option<&Ledger>, out: &mut dyn Write) -> Result<(), ExportError> {
    let (mut tests, mut failures, mut errors, mut skipped, mut time) = (0, 0, 0, 0, 0);
    for located in record::open(results)? {
        let record = located?.record;
        (tests, time) = (tests + 1, time + time_ns(&record));
        match fate(&record, ledger) {
            Fate::Passed => {}
            Fate::Skipped(_) => skipped += 1,
            Fate::Failed(_) => failures += 1,
            Fate::Error(_) => errors += 1,
        }
    }
    let counts = Counts { tests, failures, errors: Some(errors), skipped: Some(skipped), time_ns: Some(time) };
    junit::begin("gcnsim batch", counts, out)?;
    junit::begin_suite(title, counts, out)?;
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
    junit::end_suite(out)?;
    Ok(junit::end(out)?)
}

fn fate(record: &Record, ledger: Option<&Ledger>) -> Fate {
    let failure = |kind: &str| Failure { kind: kind.into(), message: why(record), facts: facts(record) };
    match record.to_entry((0, 0)).verdict(ledger) {
        _ if record.outcome.is_our_fault() => Fate::Error(failure(record.outcome.name())),
        Verdict::Pass => Fate::Passed,
        Verdict::Expected => Fate::Skipped(format!("known failure: {}", why(record))),
        Verdict::Unlisted | Verdict::UnexpectedPass if record.outcome == EntryOutcome::Ended => {
            let message = "the ledger expects a failure, but it ended".into();
            Fate::Failed(Failure { kind: "unexpected-pass".into(), message, facts: Vec::new() })
        }
        Verdict::Unlisted | Verdict::UnexpectedPass => Fate::Failed(failure(record.outcome.name())),
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
    let file = Some((record.file.as_str(), time_ns(record)));
    Case { class: "batch", name: &name, file, fate: fate(record, ledger) }.write(out)
}

fn time_ns(record: &Record) -> u64 {
    record.run_ns + record.compile_ns + record.check_ns
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
fn facts(record: &Record) -> Vec<String> {
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
    lines
}
