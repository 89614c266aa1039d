//! `gcnsim compare`: what changed between two batches.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::Context;
use serde::Serialize;

use super::result_file::{self, check_outputs};
use super::{CommandResult, Exit, args, output, screen};
use gcnsim_batch::End;
use gcnsim_batch::compare::{self, Comparison, FailOn, Regression, document, junit};
use gcnsim_batch::record::{self, Results};
use gcnsim_engine::report::json_line;
use gcnsim_inputs::InputPath;
use gcnsim_pages::{markdown, text};

const EXAMPLES: &str = "\
Examples:
  gcnsim compare old.jsonl new.jsonl
  gcnsim compare old.jsonl new.jsonl --fail-on outcome,state,insts:+1%,time:5% --junit report.xml
  gcnsim compare old.jsonl new.jsonl --markdown >comment.md

Entries are matched by name, then by content. Run times are compared only where both batches took at least 5 samples
(batch --repeat), did the same work, and ran for 20 us or more. Fewer instructions are no regression, unless
insts:-P% is in --fail-on.
Exit code 1 if anything in --fail-on is found, if there is nothing to compare (with time: nothing timed), or if NEW is
not complete (its closing record is missing, or is not that of its lines).";

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
    /// What makes the exit code 1: outcome, state, insts[:[+]P%] (longer), insts:-P% (shorter), time[:P%], notes,
    /// added, removed; or none
    #[arg(long, value_name = "LIST", default_value = "outcome,state,insts,removed")]
    fail_on: FailOn,
    /// Compare also if NEW is not complete
    #[arg(long)]
    allow_partial: bool,
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

/// Compares two batches.
pub(super) fn execute(args: Args) -> CommandResult {
    if let Some(path) = &args.junit {
        let inputs = [&args.old, &args.new].map(|path| InputPath::named(path));
        check_outputs(&[path], inputs.into_iter())?;
    }
    let (old, new) = (read(&args.old)?, read(&args.new)?);
    note_partial(&args.old, problem(&args.old, &old));
    note_versions(&old, &new);
    compare::check_worlds(&old.records, &new.records)?;
    let comparison = compare::compare(&old.records, &new.records);
    let mut regressions = args.fail_on.regressions(&comparison);
    if let Some(problem) = problem(&args.new, &new) {
        match args.allow_partial || args.fail_on == FailOn::NOTHING {
            true => note_partial(&args.new, Some(problem)),
            false => regressions.insert(0, Regression::incomplete(&args::name(&args.new), &problem)),
        }
    }
    if let Some(path) = &args.junit {
        result_file::write(path, &junit::junit(&comparison, &args.fail_on, &regressions))?;
    }
    let mut out = output::stdout_for(args.json);
    if args.json {
        let (old, new) = (args::name(&args.old), args::name(&args.new));
        let report = Report { old, new, comparison: &comparison, regressions: &regressions };
        writeln!(out, "{}", json_line("compare", &report))?;
    } else if args.markdown {
        out.write_all(markdown::document(&document(&comparison, &regressions)).as_bytes())?;
    } else {
        let width = screen::width_of(&io::stdout()).unwrap_or(usize::MAX);
        out.write_all(text::document(&document(&comparison, &regressions), width).as_bytes())?;
    }
    out.flush()?;
    Ok(if regressions.is_empty() { Exit::Success } else { Exit::Negative })
}

/// Prints a note if results have a problem.
pub(super) fn note_partial(path: &Path, problem: Option<String>) {
    if let Some(problem) = problem {
        output::note(format_args!("{} is not complete: {problem}", args::quoted(path)));
    }
}

/// Prints a note if two versions of gcnsim made the results.
pub(super) fn note_versions(old: &Results, new: &Results) {
    if let (Some(old), Some(new)) = (old.end.version(), new.end.version())
        && old != new
    {
        output::note(format_args!("the simulators differ: {old} made the old results, {new} the new ones"));
    }
}

/// Returns why results are not complete.
pub(super) fn problem(path: &Path, results: &Results) -> Option<String> {
    if !results.records.is_empty() || !matches!(results.end, End::Missing) {
        return results.end.problem();
    }
    let is_empty = std::fs::metadata(path).is_ok_and(|meta| meta.len() == 0);
    let why = if is_empty { "it is empty" } else { "its only line is cut short" };
    Some(format!("it has no results of a batch: {why}"))
}

/// Reads results. The error names the file.
pub(super) fn read(path: &Path) -> anyhow::Result<Results> {
    record::read_all(path).with_context(|| args::quoted(path))
}
