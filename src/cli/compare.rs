//! `gcnsim compare`: what changed between two batches.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::Context;
use serde::Serialize;

use super::{CommandResult, Exit, args, output};
use crate::batch::record::{self, Record};
use crate::compare::{self, Comparison, FailOn, Regression, junit, markdown, text};
use crate::report::json_line;

const EXAMPLES: &str = "\
Examples:
  gcnsim compare old.jsonl new.jsonl
  gcnsim compare old.jsonl new.jsonl --fail-on outcome,state,insts:1%,time:5% --junit report.xml
  gcnsim compare old.jsonl new.jsonl --markdown >comment.md

Entries are matched by name, then by content. Run times are compared only where both batches took at least 5 samples
(batch --repeat), did the same work, and ran for 20 us or more. Exit code 1 if anything in --fail-on is found.";

/// Arguments of `compare`.
#[derive(clap::Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// Results before
    #[arg(value_name = "OLD.jsonl")]
    old: PathBuf,
    /// Results now
    #[arg(value_name = "NEW.jsonl")]
    new: PathBuf,
    /// What makes the exit code 1: outcome, state, insts[:P%], time[:P%], notes, added, removed; or none
    #[arg(long, value_name = "LIST", default_value = "outcome,state,insts")]
    fail_on: FailOn,
    /// Print one JSON object
    #[arg(long, conflicts_with = "markdown")]
    json: bool,
    /// Print Markdown, for a merge request
    #[arg(long)]
    markdown: bool,
    /// Write JUnit XML to FILE
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,
}

#[derive(Serialize)]
struct Report<'a> {
    old: String,
    new: String,
    #[serde(flatten)]
    comparison: &'a Comparison,
    regressions: &'a [Regression],
}

/// Compares.
pub(super) fn execute(args: Args) -> CommandResult {
    let (old, new) = (read(&args.old)?, read(&args.new)?);
    let comparison = compare::compare(&old, &new);
    let regressions = args.fail_on.regressions(&comparison);
    if let Some(path) = &args.junit {
        let xml = junit::junit(&comparison, &args.fail_on, &regressions);
        fs::write(path, xml).with_context(|| format!("cannot write {}", path.display()))?;
    }
    let mut out = output::stdout();
    if args.json {
        let (old, new) = (args::name(&args.old), args::name(&args.new));
        let report = Report { old, new, comparison: &comparison, regressions: &regressions };
        writeln!(out, "{}", json_line("compare", &report))?;
    } else if args.markdown {
        out.write_all(markdown::markdown(&comparison, &regressions).as_bytes())?;
    } else {
        out.write_all(text::text(&comparison, &regressions).as_bytes())?;
    }
    out.flush()?;
    Ok(if regressions.is_empty() { Exit::Success } else { Exit::Negative })
}

/// Reads results; the error names the file.
pub(super) fn read(path: &Path) -> anyhow::Result<Vec<Record>> {
    record::read_all(path).with_context(|| args::name(path))
}
