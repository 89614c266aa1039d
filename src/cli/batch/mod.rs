//! `gcnsim batch`: run every shader of a corpus, one line of results each.

mod after;
pub(super) mod bar;
mod plan;
mod run;
mod shard;
mod steps;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use anyhow::{Context, bail};

use super::args::{self, EngineArgs, RawArgs};
use super::result_file::{self, ResultFile, check_outputs};
use super::synthetic::Worlds;
use super::{CommandResult, coverage, output};
use gcnsim_batch::{self as batch, Failures, Ledger, LedgerKey, Options, Sanitizing, Summary, SummaryText};
use gcnsim_engine::report::grouped;
use gcnsim_inputs::{InputPath, Inputs};
use gcnsim_loader as loader;
use gcnsim_sanitize::Checks;
use steps::Batch;

const EXAMPLES: &str = "\
Examples:
  gcnsim batch shaders/ --out run.jsonl
  gcnsim batch shaders.tar @more.txt --arch gfx803 --jobs 8 --out run.jsonl
  gcnsim batch shaders/ --out run.jsonl --resume              after Ctrl-C, kill or a crash
  gcnsim batch shaders/ --out run.jsonl --force               once more, over what is there
  gcnsim batch shaders/ --out run.jsonl --baseline old.jsonl --report run.html
  gcnsim batch corpus/ --arch-from-path --out run.jsonl       corpus/gfx600/a.bin, corpus/fiji/b.bin
  gcnsim batch shaders/ --out run.jsonl --force --junit run.xml
  gcnsim batch shaders/ --out time.jsonl --jobs 1 --repeat 15 --warmup 1
  gcnsim batch shaders/ --out part.jsonl --shard 3/16
  gcnsim batch shaders/ --plan 16 --out plan/; gcnsim batch @plan/part-3.txt --out part.jsonl
  gcnsim batch shaders/ --arch-from-path --synthetic --out run.jsonl
  gcnsim batch run.log --synthetic                            shaders of a pasted log: RADV_DEBUG=shaders, hang reports
  gcnsim batch shaders/ --out run.jsonl --coverage run.info && genhtml run.info -o html
  gcnsim batch shaders/ --out run.jsonl --write-ledger known.txt; gcnsim batch shaders/ --ledger known.txt

Of folders and archives are taken files named .bin .co .hsaco .hipfb .o .elf .rgp .sb .clo and files that begin like ELF
or an offload bundle; logs of drivers with code words are taken if they are named. NAME.toml beside NAME.bin may give
arch, entry, max_insts, [state] and [expect]; flags win over it. A code object with a launch file beside it (NAME.json
or NAME.toml with the key launch) is dispatched and checked, a line for each launch.
Results grow in FILE.part, which becomes FILE with its last line, the closing record.
Exit code: 0 every shader ended or failed as the ledger says; 1 not so, or a regression; 2 wrong usage, or a path that
does not exist; 3 divergence or internal error.";

/// Arguments of `batch`.
#[derive(clap::Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// Files, folders, .tar archives, or @FILE with one path a line (@- is stdin)
    #[arg(required = true)]
    paths: Vec<PathBuf>,
    #[command(flatten)]
    raw: RawArgs,
    /// Run what has no launch file, and no sidecar with a state or an expectation, on made-up inputs, in worlds float
    /// (default), int, mixed, or several with commas: docs/use/corpora.md
    #[arg(long, value_name = "WORLDS", num_args = 0..=1, require_equals = true, default_missing_value = "float",
          value_parser = Worlds::parse)]
    synthetic: Option<Worlds>,
    /// Lint the code of each entry, too: its line has `lint`, the number of findings (gcnsim lint lists them)
    #[arg(long)]
    lint: bool,
    /// Threads [default: all cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    jobs: Option<u16>,
    /// Write results to FILE instead of stdout; - is stdout
    #[arg(long, value_name = "FILE.jsonl")]
    out: Option<PathBuf>,
    /// Stop each shader after N instructions [default: its sidecar's, else 10000000, of a launch 1000000000, of
    /// each wave with --synthetic 16000000]
    #[arg(long, value_name = "N", value_parser = args::count, allow_negative_numbers = true)]
    max_insts: Option<u64>,
    /// Take N samples of each run time, in passes over the whole corpus
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    repeat: u32,
    /// Passes before the first sample
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u32).range(0..=10_000))]
    warmup: u32,
    /// Go on with the run that FILE.part holds a part of
    #[arg(long, requires = "out")]
    resume: bool,
    /// Replace FILE if it is there already
    #[arg(long, requires = "out", conflicts_with = "resume")]
    force: bool,
    /// Run the I-th of N parts, dealt out by content; see 'gcnsim merge'. auto, auto/N: as variables of Slurm,
    /// Kubernetes, AWS Batch, CI systems or lit say
    #[arg(long, value_name = "I/N")]
    shard: Option<shard::Wanted>,
    /// Run nothing: write N lists of about as many bytes into the folder of --out, part-1.txt and so on. A worker
    /// needs only the files of its list: batch @part-1.txt; see 'gcnsim merge'
    #[arg(long, value_name = "N", requires = "out", value_parser = clap::value_parser!(u32).range(1..=1_000_000),
          conflicts_with_all = ["shard", "resume", "force", "report", "junit", "deqp_csv", "baseline", "ledger", "write_ledger", "coverage", "sanitize"])]
    plan: Option<u32>,
    /// Failures that are known: SHA-256 or "name", outcome and reason on each line. A FILE named -fails.txt is a list
    /// of deqp-runner: NAME,STATUS
    #[arg(long, value_name = "FILE")]
    ledger: Option<PathBuf>,
    /// Write a ledger of all failures, -fails.txt too; reasons in --ledger are kept
    #[arg(long, value_name = "FILE", value_parser = args::ledger_file)]
    write_ledger: Option<PathBuf>,
    /// The lines of the new ledger have the names of entries, and hold whatever their code is
    #[arg(long, requires = "write_ledger")]
    ledger_by_name: bool,
    /// Write a report as one HTML page
    #[arg(long, value_name = "FILE.html", requires = "out")]
    report: Option<PathBuf>,
    /// Count what is executed, in a second run of each shader, and write it: by source line for lcov; by instruction as
    /// lines of JSON if FILE ends in .json, and to FILE.json of code without source lines
    #[arg(long, value_name = "FILE", conflicts_with_all = ["repeat", "warmup", "resume"])]
    coverage: Option<PathBuf>,
    /// Look for mistakes of kernels with launch files, and with --synthetic of all others, in a second run: races,
    /// undefined reads, accesses outside the buffer of a pointer; without CHECKS all three. A finding makes the exit
    /// code 1
    #[arg(long, value_name = "race,uninit,bounds", num_args = 0..=1, require_equals = true,
          default_missing_value = "race,uninit,bounds", value_parser = Checks::parse,
          conflicts_with_all = ["repeat", "warmup", "resume"])]
    sanitize: Option<Checks>,
    /// Write JUnit XML with a test case for each entry
    #[arg(long, value_name = "FILE", requires = "out")]
    junit: Option<PathBuf>,
    /// Write NAME,STATUS for each entry, as Mesa's deqp-runner does
    #[arg(long, value_name = "FILE.csv", requires = "out")]
    deqp_csv: Option<PathBuf>,
    /// Compare with the results of an earlier run; a regression makes the exit code 1
    #[arg(long, value_name = "FILE.jsonl", requires = "out")]
    baseline: Option<PathBuf>,
    #[command(flatten)]
    engine: EngineArgs,
}

/// Runs the batch.
pub(super) fn execute(args: Args) -> CommandResult {
    let args = with_stdout(args)?;
    let begin = Instant::now();
    let options = options(&args)?;
    if let Some(parts) = args.plan {
        return plan::write(&args, parts);
    }
    let mut batch = Batch::new(&args, options, begin)?;
    let done = batch.run()?;
    batch.tell(&done)?;
    let excused = batch.write(&done)?;
    let regressed = batch.compare(&done)?;
    let mistakes = batch.mistakes(&done);
    Ok(done.exit(excused, regressed, mistakes))
}

fn options(args: &Args) -> anyhow::Result<Options> {
    let mut options = Options::default()
        .run(args.engine.options()?)
        .raw(args.raw.files())
        .worlds(args.synthetic.as_ref().map(Worlds::all).unwrap_or_default())
        .repeat(args.repeat)
        .warmup(args.warmup);
    options.max_insts = args.max_insts;
    options.jobs = args.jobs.map_or(options.jobs, usize::from);
    options.shard = args.shard.map(shard::Wanted::shard).transpose()?;
    options.failures = if args.write_ledger.is_some() { Failures::Kept } else { Failures::Counted };
    options.lint = args.lint;
    options.coverage = args.coverage.is_some().then(Arc::default);
    options.sanitize = args.sanitize.map(|checks| Arc::new(Sanitizing::new(checks)));
    Ok(options)
}

fn read_ledger(path: &Path) -> anyhow::Result<Ledger> {
    let name = || format!("ledger {}", args::quoted(path));
    let text = loader::read_text(path).with_context(name)?;
    if is_list_of_fails(path) { Ledger::parse_fails(&text) } else { Ledger::parse(&text) }.with_context(name)
}

/// Whether a ledger is a list of deqp-runner, as its name says.
fn is_list_of_fails(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.to_string_lossy().ends_with("-fails.txt"))
}

/// Returns the arguments without `--out -`, which stands for stdout, where results go anyway.
///
/// # Errors
/// Another flag needs a file.
fn with_stdout(args: Args) -> anyhow::Result<Args> {
    if args.out.as_deref() != Some(Path::new("-")) {
        return Ok(args);
    }
    let needs = [
        ("--resume", args.resume),
        ("--force", args.force),
        ("--report", args.report.is_some()),
        ("--junit", args.junit.is_some()),
        ("--deqp-csv", args.deqp_csv.is_some()),
        ("--baseline", args.baseline.is_some()),
    ];
    if let Some((flag, _)) = needs.into_iter().find(|(_, is_given)| *is_given) {
        bail!("{flag} needs results in a file, and --out - is stdout");
    }
    Ok(Args { out: None, ..args })
}

/// Checks that no output is an input. Two files may be both: the ledger, whose reasons are copied, and the results,
/// whose old content may be the baseline.
fn check_paths(args: &Args, inputs: &Inputs, target: Option<&ResultFile>) -> anyhow::Result<()> {
    let mut outputs: Vec<&Path> = Vec::new();
    if let Some(target) = target {
        outputs.push(&target.path);
        outputs.extend((!target.is_stream()).then_some(target.part.as_path()));
    }
    outputs.extend(args.report.as_deref());
    outputs.extend(args.junit.as_deref());
    outputs.extend(args.deqp_csv.as_deref());
    outputs.extend(args.write_ledger.as_deref());
    let beside = args.coverage.as_deref().and_then(coverage::beside);
    outputs.extend(args.coverage.as_deref());
    outputs.extend(beside.as_deref());
    let ledger = args.ledger.as_deref().filter(|path| args.write_ledger.as_deref() != Some(path));
    let baseline = args.baseline.as_deref().filter(|path| args.out.as_deref() != Some(path));
    let others = ledger.into_iter().chain(baseline);
    let others = others.map(InputPath::named);
    check_outputs(&outputs, inputs.paths().chain(others))
}

fn note_arch_guesses(files: u64) {
    if files > 0 {
        let (files, their) =
            if files == 1 { ("1 raw file does".into(), "its") } else { (grouped(files) + " raw files do", "their") };
        output::note(format_args!(
            "{files} not state {their} architecture, taken as {} (--arch, a sidecar or --arch-from-path says otherwise)",
            loader::DEFAULT_ARCH
        ));
    }
}

/// Prints a note about the parts of files that are not read.
fn note_not_read(summary: &Summary) {
    let (count, mut named): (_, Vec<_>) = (summary.parts_not_read, summary.not_read().map(str::to_owned).collect());
    let more = count.saturating_sub(named.len() as u64);
    if more > 0 {
        named.push(format!("and {} more", grouped(more)));
    }
    if count > 0 {
        output::note(format_args!("parts of files that are not read: {}", named.join(", ")));
    }
}

/// Prints the summary to stdout, or to stderr if the results went to stdout.
fn print_summary(args: &Args, text: &SummaryText) -> anyhow::Result<()> {
    if args.out.is_none() {
        let _ = write!(output::stderr(), "{text}");
        return Ok(());
    }
    let mut out = output::stdout();
    write!(out, "{text}")?;
    Ok(out.flush()?)
}

/// Writes the results in `target` in the other forms that the arguments want.
fn write_others(args: &Args, target: &ResultFile, ledger: Option<&Ledger>) -> anyhow::Result<()> {
    let title = args::name(&target.path);
    for (flag, path) in [("--junit", &args.junit), ("--deqp-csv", &args.deqp_csv)] {
        let Some(path) = path else { continue };
        if target.is_stream() {
            bail!("{flag}: the results in {} cannot be read back", args::quoted(&target.path));
        }
        let name = || format!("cannot write {}", args::quoted(path));
        result_file::write_by(path, |out| match flag {
            "--junit" => batch::junit::write(&title, &target.path, ledger, out).with_context(name),
            _ => batch::deqp::write(&target.path, ledger, out).with_context(name),
        })?;
    }
    Ok(())
}

/// Writes the ledger that `--write-ledger` asks for. Returns the number of failures that it lists, 0 without the flag.
fn write_ledger(args: &Args, ledger: Option<&Ledger>, summary: &Summary) -> anyhow::Result<u64> {
    let Some(path) = &args.write_ledger else { return Ok(0) };
    let failures = summary.failures();
    let key = if args.ledger_by_name { LedgerKey::Name } else { LedgerKey::Hash };
    let (key, text) = match (ledger.unwrap_or(&Ledger::default()), is_list_of_fails(path)) {
        (ledger, false) => (key, ledger.written(failures, key)),
        (ledger, true) => (LedgerKey::Name, ledger.written_fails(failures)),
    };
    result_file::write(path, text.as_bytes()).context("the ledger")?;
    let listed = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')).count();
    output::note(format_args!("{}: {} failures listed", args::quoted(path), grouped(listed as u64)));
    Ok(failures.iter().filter(|failure| failure.fits(key)).count() as u64)
}
