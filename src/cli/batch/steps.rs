//! The steps of a batch, in their order: what it reads, the run, what it tells and writes, its exit code.

use std::io;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

use anyhow::{Context, bail};

use super::super::result_file::ResultFile;
use super::super::{Exit, args, coverage, output, screen};
use super::after::{Baseline, compare_and_report};
use super::{Args, run};
use gcnsim_batch::{self as batch, Ledger, Options, Summary, SummaryText};
use gcnsim_engine::report::plural;
use gcnsim_inputs::Inputs;

/// A batch, with what it reads before it begins.
pub(super) struct Batch<'a> {
    args: &'a Args,
    options: Options,
    inputs: Inputs,
    ledger: Option<Ledger>,
    target: Option<ResultFile>,
    baseline: Option<Baseline>,
    begin: Instant,
}

/// A batch that has run, to its end or to Ctrl-C.
pub(super) struct Done {
    summary: Summary,
    /// Number of entries that an earlier run did.
    resumed: u64,
    /// Where the results of a batch are that was stopped.
    left: Option<String>,
}

impl<'a> Batch<'a> {
    /// Reads the ledger, the lists and the baseline, and checks that no output is an input.
    pub fn new(args: &'a Args, mut options: Options, begin: Instant) -> anyhow::Result<Batch<'a>> {
        let ledger = args.ledger.as_deref().map(super::read_ledger).transpose()?;
        let inputs = Inputs::collect(&args.paths)?;
        if inputs.is_empty() && inputs.part.is_none() {
            bail!("no shaders: the lists are empty");
        }
        if let Some(part) = &inputs.part {
            if options.shard.is_some() {
                bail!("--shard: the list is a part of a plan, which is a shard already");
            }
            options.shard = part.shard();
        }
        let target = args.out.as_deref().map(ResultFile::new).transpose()?;
        super::check_paths(args, &inputs, target.as_ref())?;
        let baseline = args.baseline.as_deref().map(Baseline::read).transpose()?;
        Ok(Batch { args, options, inputs, ledger, target, baseline, begin })
    }

    /// Returns what an earlier run has left, and whether that is all.
    fn kept(&mut self) -> anyhow::Result<(Summary, bool)> {
        match &self.target {
            Some(target) if self.args.resume => {
                return run::resume(target, &self.inputs, &mut self.options, self.ledger.as_ref());
            }
            Some(target) if !self.args.force => {
                target.check_free(if self.args.sanitize.is_some() { "" } else { ", --resume goes on with it" })?;
            }
            _ => {}
        }
        Ok((Summary::new(self.options.failures), false))
    }

    /// Runs what an earlier run has not done.
    pub fn run(&mut self) -> anyhow::Result<Done> {
        let (mut summary, is_complete) = self.kept()?;
        let mut resumed = summary.entries;
        if is_complete {
            return Ok(Done { summary, resumed, left: None });
        }
        let target = self.target.as_ref();
        let finished = run::run(&self.inputs, &self.options, self.ledger.as_ref(), target)?;
        let left = finished.interrupted.then(|| run::what_is_left(target, &self.options, &finished));
        if finished.is_whole {
            (summary, resumed) = (finished.summary, 0);
        } else {
            summary.merge(finished.summary);
        }
        let file = target.filter(|target| !target.is_stream() && left.is_some() && self.options.repeat == 1);
        if let Some(target) = file {
            let (ledger, failures) = (self.ledger.as_ref(), self.options.failures);
            let lines = batch::resume::summary_of_lines(&target.part, ledger, failures, &summary);
            summary = lines.with_context(|| args::quoted(&target.part))?;
        }
        Ok(Done { summary, resumed, left })
    }

    /// Prints the summary, with the notes that belong to it.
    pub fn tell(&self, done: &Done) -> anyhow::Result<()> {
        super::note_arch_guesses(done.summary.arch_guesses);
        super::note_not_read(&done.summary);
        // A shard or a stopped batch did not run all shaders, so failures of the ledger may be missing for that reason.
        let is_all = done.left.is_none() && self.options.shard.is_none();
        let unmet = self.ledger.as_ref().filter(|_| is_all).map(Ledger::unmet).unwrap_or_default();
        let width = match self.args.out {
            Some(_) => screen::width_of(&io::stdout()),
            None => screen::width_of(&io::stderr()),
        };
        let text = SummaryText {
            summary: &done.summary,
            elapsed: self.begin.elapsed(),
            resumed: done.resumed,
            skipped: self.inputs.skipped,
            has_ledger: self.ledger.is_some(),
            unmet: &unmet,
            width: width.unwrap_or(usize::MAX),
        };
        super::print_summary(self.args, &text)?;
        if let Some(left) = &done.left {
            output::message("interrupted", left);
        }
        Ok(())
    }

    /// Writes the files beside the results. Returns the number of failures that the new ledger lists.
    pub fn write(&mut self, done: &Done) -> anyhow::Result<u64> {
        let (args, ledger) = (self.args, self.ledger.as_ref());
        if done.left.is_some() {
            let wants_files = args.write_ledger.is_some() || args.junit.is_some() || args.deqp_csv.is_some();
            if wants_files || self.baseline.is_some() {
                output::note("interrupted: no ledger, JUnit XML or CSV is written, and nothing is compared");
            }
            if args.coverage.is_some() {
                output::note("interrupted: no coverage is written");
            }
            return Ok(0);
        }
        let excused = super::write_ledger(args, ledger, &done.summary)?;
        if let Some(target) = &self.target {
            super::write_others(args, target, ledger)?;
        }
        let counted = self.options.coverage.take().and_then(Arc::into_inner);
        if let (Some(path), Some(counted)) = (&args.coverage, counted) {
            coverage::write(path, counted)?;
        }
        Ok(excused)
    }

    /// Compares with the baseline and writes the report. Returns whether something regressed.
    pub fn compare(&mut self, done: &Done) -> anyhow::Result<bool> {
        let baseline = self.baseline.take().filter(|_| done.left.is_none());
        let Some(target) = &self.target else { return Ok(false) };
        compare_and_report(self.args, target, baseline, &done.summary, &self.options)
    }

    /// Returns the number of mistakes that the sanitizer found, after telling it.
    pub fn mistakes(&self, done: &Done) -> u64 {
        let Some(sanitizing) = &self.options.sanitize else { return 0 };
        let found = sanitizing.found.load(Ordering::Relaxed);
        if found > 0 {
            output::note(format_args!("the sanitizer found {}", plural(found, "mistake")));
        }
        if sanitizing.runs.load(Ordering::Relaxed) == 0 && done.left.is_none() {
            output::note(match self.args.synthetic {
                Some(_) => "--sanitize looked at nothing: no shader ran",
                None => "--sanitize looked at nothing: it needs kernels with launch files that run, or --synthetic",
            });
        }
        found
    }
}

impl Done {
    /// Returns the exit code of a batch. `excused`: failures that the new ledger lists.
    pub fn exit(&self, excused: u64, regressed: bool, mistakes: u64) -> Exit {
        let is_worse = self.summary.unexpected_passes > 0 || self.summary.unlisted > excused;
        match &self.summary {
            summary if summary.our_faults() > 0 => Exit::OurFault,
            _ if mistakes > 0 || self.left.is_some() || regressed || is_worse => Exit::Negative,
            _ => Exit::Success,
        }
    }
}
