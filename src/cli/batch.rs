//! `gcnsim batch`: run every shader of a corpus, one line of results each.

use std::fmt;
use std::fs::{self, File, OpenOptions};
use std::io::{self, IoSlice, IsTerminal, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use anyhow::{Context, bail};
use gcnsim_isa::Arch;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};

use super::args::{self, EngineArgs};
use super::{CommandResult, Exit, compare, output};
use crate::batch::record::Record;
use crate::batch::resume::{self, Kept};
use crate::batch::{self, Finished, Inputs, Ledger, Observer, Options, Progress, Shard, Summary, SummaryText};
use crate::compare::{FailOn, text};
use crate::html;
use crate::loader;
use crate::report::grouped;

const EXAMPLES: &str = "\
Examples:
  gcnsim batch shaders/ --out run.jsonl
  gcnsim batch shaders.tar @more.txt --arch gfx803 --jobs 8 --out run.jsonl
  gcnsim batch shaders/ --out run.jsonl --resume              after Ctrl-C, kill or a crash
  gcnsim batch shaders/ --out run.jsonl --baseline old.jsonl --report run.html
  gcnsim batch shaders/ --out time.jsonl --jobs 1 --repeat 15 --warmup 1
  gcnsim batch shaders/ --out part.jsonl --shard 3/16
  gcnsim batch shaders/ --out run.jsonl --write-ledger known.txt; gcnsim batch shaders/ --ledger known.txt

Of folders and archives are taken files named .bin .co .hsaco .hipfb .o .elf and files that begin like ELF or an offload
bundle. NAME.toml beside NAME.bin may give arch, entry, max_insts, [state] and [expect]; flags win over it.
Exit code: 0 every shader ended or failed as the ledger says; 1 not so, or a regression; 3 divergence or internal error.";

/// Arguments of `batch`.
#[derive(clap::Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// Files, folders, .tar archives, or @FILE with one path a line (@- is stdin)
    #[arg(required = true)]
    paths: Vec<PathBuf>,
    /// Generation of raw files without sidecar [default: gcn1.4]
    #[arg(long)]
    arch: Option<Arch>,
    /// Threads [default: all cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    jobs: Option<u16>,
    /// Write results to FILE instead of stdout
    #[arg(long, value_name = "FILE.jsonl")]
    out: Option<PathBuf>,
    /// Stop each shader after N instructions [default: its sidecar's, else 10000000]
    #[arg(long, value_name = "N", value_parser = args::count, allow_negative_numbers = true)]
    max_insts: Option<u64>,
    /// Take N samples of each run time, in passes over the whole corpus
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    repeat: u32,
    /// Passes before the first sample
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u32).range(0..=10_000))]
    warmup: u32,
    /// Go on with the run that --out holds a part of
    #[arg(long, requires = "out")]
    resume: bool,
    /// Run the I-th of N parts, dealt out by content; see 'gcnsim merge'
    #[arg(long, value_name = "I/N")]
    shard: Option<Shard>,
    /// Failures that are known: SHA-256, outcome and reason on each line
    #[arg(long, value_name = "FILE")]
    ledger: Option<PathBuf>,
    /// Write a ledger of all failures; reasons in --ledger are kept
    #[arg(long, value_name = "FILE")]
    write_ledger: Option<PathBuf>,
    /// Write a report as one HTML page
    #[arg(long, value_name = "FILE.html", requires = "out")]
    report: Option<PathBuf>,
    /// Compare with the results of an earlier run; a regression makes the exit code 1
    #[arg(long, value_name = "FILE.jsonl", requires = "out")]
    baseline: Option<PathBuf>,
    #[command(flatten)]
    engine: EngineArgs,
}

/// Runs the batch.
pub(super) fn execute(args: Args) -> CommandResult {
    let begin = Instant::now();
    let mut options = options(&args)?;
    let ledger = args.ledger.as_deref().map(read_ledger).transpose()?;
    let baseline = args.baseline.as_deref().map(Baseline::read).transpose()?;
    let inputs = Inputs::collect(&args.paths)?;
    if inputs.is_empty() {
        bail!("no shaders: the lists are empty");
    }
    let mut sink = open_output(&args, &inputs, &mut options)?;
    let mut summary = match (&args.out, sink.kept) {
        (Some(path), kept) if kept.lines > 0 => {
            resume::summarize(path, kept, ledger.as_ref(), options.keep_failures).with_context(|| args::name(path))?
        }
        _ => Summary::new(options.keep_failures),
    };

    let stop = stop_on_signal();
    let mut bar = Bar::new(&inputs, &options);
    let finished = batch::run(&inputs, &options, ledger.as_ref(), &mut sink, &stop, &mut bar);
    bar.close();
    let Finished { summary: new, interrupted } = finished?;
    let resumed = summary.entries;
    summary.merge(new);

    let text = SummaryText {
        summary: &summary,
        elapsed: begin.elapsed(),
        resumed,
        skipped: inputs.skipped,
        has_ledger: ledger.is_some(),
    };
    print_summary(&args, &text)?;
    if interrupted {
        output::message("interrupted", "the results so far are complete; go on with --resume");
    }
    let excused = write_ledger(&args, ledger, &summary)?;
    let regressed = after(&args, baseline, &summary)?;
    Ok(match &summary {
        summary if summary.our_faults() > 0 => Exit::OurFault,
        summary if interrupted || regressed || summary.unexpected_passes > 0 || summary.unlisted > excused => {
            Exit::Negative
        }
        _ => Exit::Success,
    })
}

fn options(args: &Args) -> anyhow::Result<Options> {
    let defaults = Options::default();
    Ok(Options {
        run: args.engine.options()?,
        max_insts: args.max_insts,
        arch: args.arch,
        jobs: args.jobs.map_or(defaults.jobs, usize::from),
        repeat: args.repeat,
        warmup: args.warmup,
        shard: args.shard,
        keep_failures: args.write_ledger.is_some(),
        ..defaults
    })
}

fn read_ledger(path: &Path) -> anyhow::Result<Ledger> {
    let name = || format!("ledger {}", path.display());
    let text = loader::read_text(path).with_context(name)?;
    Ledger::parse(&text).with_context(name)
}

/// Where lines go, and what of them is there already.
struct Sink {
    out: Box<dyn Write + Send>,
    kept: Kept,
}

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.out.write(bytes)
    }

    fn write_vectored(&mut self, pieces: &[IoSlice]) -> io::Result<usize> {
        self.out.write_vectored(pieces)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

fn open_output(args: &Args, inputs: &Inputs, options: &mut Options) -> anyhow::Result<Sink> {
    let nothing = Kept { bytes: 0, lines: 0, start: 0 };
    let Some(path) = &args.out else { return Ok(Sink { out: Box::new(io::stdout()), kept: nothing }) };
    if !args.resume {
        let file = File::create(path).with_context(|| format!("cannot write {}", path.display()))?;
        return Ok(Sink { out: Box::new(file), kept: nothing });
    }
    let kept = resume::plan(path, inputs, options).with_context(|| format!("cannot go on with {}", path.display()))?;
    let file = OpenOptions::new().create(true).truncate(false).write(true).open(path);
    let at_end = file.and_then(|mut file| {
        file.set_len(kept.bytes)?;
        file.seek(SeekFrom::End(0))?;
        Ok(file)
    });
    let file = at_end.with_context(|| format!("cannot write {}", path.display()))?;
    options.start = kept.start;
    output::note(format_args!("{} results are there already", grouped(kept.lines)));
    Ok(Sink { out: Box::new(file), kept })
}

/// True from the first Ctrl-C (or SIGTERM) on; the second ends the process at once, which leaves results that can be
/// resumed too.
fn stop_on_signal() -> Arc<AtomicBool> {
    let stop = Arc::new(AtomicBool::new(false));
    let seen = stop.clone();
    let handler = move || {
        if seen.swap(true, Ordering::Relaxed) {
            std::process::exit(Exit::Negative as i32);
        }
    };
    if let Err(error) = ctrlc::set_handler(handler) {
        output::note(format_args!("Ctrl-C will end the batch at once: {error}"));
    }
    stop
}

/// The progress bar; shown only on a terminal.
struct Bar {
    bar: Option<ProgressBar>,
}

impl Bar {
    fn new(inputs: &Inputs, options: &Options) -> Bar {
        if !io::stderr().is_terminal() {
            return Bar { bar: None };
        }
        let passes = u64::from(options.warmup + options.repeat);
        let left = (inputs.len() - options.start) as u64;
        let bar = ProgressBar::with_draw_target(Some(passes * left), ProgressDrawTarget::stderr_with_hz(10));
        let template = "{bar:30} {human_pos}/{human_len} {speed} {msg} {eta} left";
        let speed = |state: &ProgressState, out: &mut dyn fmt::Write| {
            // What cannot be written is not shown.
            let _ = out.write_fmt(format_args!("{} shaders/s", grouped(state.per_sec() as u64)));
        };
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style.with_key("speed", speed));
        }
        Bar { bar: Some(bar) }
    }

    fn close(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

impl Observer for Bar {
    fn progress(&mut self, progress: Progress) {
        if let Some(bar) = &self.bar {
            bar.set_position(progress.done);
            bar.set_message(format!("{} failed,", grouped(progress.failed)));
        }
    }
}

/// To stdout, unless that is where the results went.
fn print_summary(args: &Args, text: &SummaryText) -> anyhow::Result<()> {
    if args.out.is_none() {
        let _ = write!(io::stderr().lock(), "{text}");
        return Ok(());
    }
    let mut out = output::stdout();
    write!(out, "{text}")?;
    Ok(out.flush()?)
}

/// Number of failures that the new ledger accounts for.
fn write_ledger(args: &Args, ledger: Option<Ledger>, summary: &Summary) -> anyhow::Result<u64> {
    let Some(path) = &args.write_ledger else { return Ok(0) };
    let failures = summary.failures();
    let text = ledger.unwrap_or_default().written(failures);
    fs::write(path, &text).with_context(|| format!("cannot write ledger {}", path.display()))?;
    let listed = text.lines().filter(|line| !line.starts_with('#')).count();
    output::note(format_args!("{}: {} failures listed", path.display(), grouped(listed as u64)));
    Ok(failures.len() as u64)
}

/// Results of an earlier run, read before this one overwrites them.
struct Baseline {
    name: String,
    records: Vec<Record>,
}

impl Baseline {
    fn read(path: &Path) -> anyhow::Result<Baseline> {
        Ok(Baseline { name: args::name(path), records: compare::read(path)? })
    }
}

/// Comparison and report, from the results as they were written: true if there is a regression.
fn after(args: &Args, baseline: Option<Baseline>, summary: &Summary) -> anyhow::Result<bool> {
    let Some(out) = &args.out else { return Ok(false) };
    if args.report.is_none() && baseline.is_none() {
        return Ok(false);
    }
    let records = compare::read(out)?;
    let compared = baseline.map(|baseline| {
        let comparison = crate::compare::compare(&baseline.records, &records);
        let regressions = FailOn::default().regressions(&comparison);
        (baseline.name, comparison, regressions)
    });
    if let Some((name, comparison, regressions)) = &compared {
        let mut out = output::stdout();
        write!(out, "\ncompared with {name}\n{}", text::text(comparison, regressions))?;
        out.flush()?;
    }
    if let Some(path) = &args.report {
        let title = args::name(out);
        let baseline = compared.as_ref().map(|(name, c, r)| (name.as_str(), c, r.as_slice()));
        let page = html::page(&html::Report { title: &title, records: &records, summary, baseline });
        fs::write(path, page).with_context(|| format!("cannot write {}", path.display()))?;
    }
    Ok(compared.is_some_and(|(_, _, regressions)| !regressions.is_empty()))
}

#[cfg(test)]
mod tests {
    use clap::Parser;
    use serde_json::Value;

    use super::*;
    use crate::cli::Cli;

    /// A panic costs one line: it says so, the others are as ever, and the exit code is that of our mistakes.
    #[test]
    fn a_panic_is_a_line() {
        let folder = tempfile::tempdir().unwrap();
        for (name, first) in [("a.bin", 0xb003_0001), ("b.bin", batch::PLANTED_PANIC), ("c.bin", 0xb003_0002u32)] {
            let words = [first, 0xbf81_0000];
            let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
            fs::write(folder.path().join(name), bytes).unwrap();
        }
        for jobs in ["1", "2"] {
            let out = folder.path().join("out.jsonl");
            let arguments = ["gcnsim", "batch", &args::name(folder.path()), "--jobs", jobs, "--out", &args::name(&out)];
            assert_eq!(Cli::try_parse_from(arguments).unwrap().command.execute().unwrap(), Exit::OurFault);
            let text = fs::read_to_string(out).unwrap();
            let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
            let outcomes: Vec<_> = lines.iter().map(|line| line["outcome"].as_str().unwrap()).collect();
            assert_eq!(outcomes, ["ended", "internal-error", "ended"]);
            let reason = lines[1]["detail"]["kind"].as_str().unwrap();
            assert!(reason.starts_with("internal error: panic: ") && reason.contains("planted"), "{reason}");
            assert_eq!((&lines[1]["state_hash"], &lines[2]["instructions"]), (&Value::Null, &2.into()));
        }
    }
}
