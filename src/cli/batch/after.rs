//! Compares the results of a batch with a baseline, and writes the report.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::super::result_file::{self, ResultFile, is_filled};
use super::super::{args, compare, output, provenance, screen};
use super::Args;
use gcnsim_batch::compare::{FailOn, document};
use gcnsim_batch::record::Results;
use gcnsim_batch::report;
use gcnsim_batch::{ClosingRecord, End, Options, Summary};
use gcnsim_pages::text;

/// Results of an earlier run. They are read before this run replaces them.
pub(super) struct Baseline {
    path: PathBuf,
    results: Results,
}

impl Baseline {
    pub fn read(path: &Path) -> anyhow::Result<Baseline> {
        let results = compare::read(path)?;
        compare::note_partial(path, compare::problem(path, &results));
        Ok(Baseline { path: path.to_owned(), results })
    }

    /// Returns the changes that count as regressions. A shard lacks the entries of other shards, which does not count.
    fn fail_on(&self, options: &Options) -> FailOn {
        let mut fail_on = FailOn::default();
        let End::Complete(ClosingRecord { shard, .. }) = &self.results.end else { return fail_on };
        let ours = options.shard.map(|shard| shard.to_string());
        if let Some(ours) = ours.filter(|ours| shard.as_ref() != Some(ours)) {
            output::note(format_args!("this is shard {ours} only: shaders that are not in it are not looked at"));
            fail_on.removed = false;
        }
        fail_on
    }
}

/// Compares and reports the results as they were written. Returns true if there is a regression.
pub(super) fn compare_and_report(
    args: &Args,
    target: &ResultFile,
    baseline: Option<Baseline>,
    summary: &Summary,
    options: &Options,
) -> anyhow::Result<bool> {
    if args.report.is_none() && baseline.is_none() || target.is_stream() {
        return Ok(false);
    }
    let written = if is_filled(&target.part) { &target.part } else { &target.path };
    let results = compare::read(written)?;
    if let Some(baseline) = &baseline {
        compare::note_versions(&baseline.results, &results);
    }
    let records = results.records;
    if let Some(baseline) = &baseline {
        gcnsim_batch::compare::check_worlds(&baseline.results.records, &records)?;
    }
    let compared = baseline.map(|baseline| {
        let comparison = gcnsim_batch::compare::compare(&baseline.results.records, &records);
        let regressions = baseline.fail_on(options).regressions(&comparison);
        (baseline.path, comparison, regressions)
    });
    if let Some((path, comparison, regressions)) = &compared {
        let width = screen::width_of(&io::stdout()).unwrap_or(usize::MAX);
        let mut out = output::stdout();
        write!(
            out,
            "\ncompared with {}\n{}",
            args::quoted(path),
            text::document(&document(comparison, regressions), width)
        )?;
        out.flush()?;
    }
    if let Some(path) = &args.report {
        let title = args::name(args.out.as_deref().unwrap_or(&target.path));
        let baseline = compared.as_ref().map(|(path, c, r)| (args::name(path), c, r.as_slice()));
        let baseline = baseline.as_ref().map(|(name, c, r)| (name.as_str(), *c, *r));
        let provenance = provenance::facts(options);
        let page = report::page(&report::Report {
            title: &title,
            records: &records,
            summary,
            provenance: &provenance,
            baseline,
        });
        result_file::write(path, page.as_bytes())?;
    }
    Ok(compared.is_some_and(|(_, _, regressions)| !regressions.is_empty()))
}
