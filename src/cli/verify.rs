//! `gcnsim verify`: runs conformance vectors on the engines.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use clap::ValueEnum;

use super::{CommandResult, Exit, args, output};
use gcnsim_check::vectors::{self, Event, Summary, VectorEngine, Verdict, verify_in_parallel};
use gcnsim_engine::quote;
use gcnsim_engine::report::{grouped, json_line, plural};

const EXAMPLES: &str = "\
Examples:
  gcnsim verify corpus/vectors/*.jsonl.gz
  gcnsim verify --engine interp --json mine.jsonl
  gcnsim verify --strict mine.jsonl        idle fields of instructions must be 0, as in LLVM

Registers are compared bit by bit. A vector with \"fmt\" (f16, f16x2, f32, f64) may admit other floats in the VGPRs of
\"expect\": \"nan\": \"any\", and \"tolerance\": {\"ulp\": N, \"abs\": X}, of which either admits a value.";

/// Most threads. More of them would only wait for the thread that reads.
const MAX_THREADS: usize = 16;

/// Arguments of `verify`.
#[derive(clap::Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// JSON lines, plain or gzip; - is stdin
    #[arg(required = true, value_name = "VECTORS")]
    files: Vec<PathBuf>,
    /// Engines that have to pass [default: both, or interp in a build without JIT]
    #[arg(long)]
    engine: Option<EngineChoice>,
    /// Show at most N errors that repeat each other: one verdict on one instruction by one engine, or broken lines of a
    /// file
    #[arg(long, value_name = "N", default_value = "10", value_parser = args::count, allow_negative_numbers = true)]
    max_errors: u64,
    /// Refuse instructions with fields that they do not use and that are not 0
    #[arg(long)]
    strict: bool,
    /// Print the summary as one JSON object
    #[arg(long)]
    json: bool,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
enum EngineChoice {
    /// The reference interpreter
    Interp,
    /// Compiled code, never interpreted
    Jit,
    /// Each of them
    Both,
}

fn engines(args: &Args) -> anyhow::Result<Vec<Box<dyn VectorEngine>>> {
    let default = if cfg!(feature = "jit") { EngineChoice::Both } else { EngineChoice::Interp };
    let engines = match args.engine.unwrap_or(default) {
        EngineChoice::Interp => vec![vectors::interpreter()],
        EngineChoice::Jit => vec![compiled()?],
        EngineChoice::Both => vec![vectors::interpreter(), compiled()?],
    };
    Ok(if args.strict { engines.into_iter().map(vectors::strict).collect() } else { engines })
}

#[cfg(feature = "jit")]
fn compiled() -> anyhow::Result<Box<dyn VectorEngine>> {
    Ok(vectors::compiled()?)
}

#[cfg(not(feature = "jit"))]
fn compiled() -> anyhow::Result<Box<dyn VectorEngine>> {
    bail!("this build has no JIT (it was built without the feature 'jit'): use --engine interp");
}

/// Verifies the vectors of files.
pub(super) fn execute(args: Args) -> CommandResult {
    let threads = std::thread::available_parallelism().map_or(1, |n| n.get().min(MAX_THREADS));
    let mut workers = (0..threads).map(|_| engines(&args)).collect::<anyhow::Result<Vec<_>>>()?;
    let mut total = Summary::default();
    let mut repeats = Repeats::new(args.max_errors);
    let mut unreadable = false;
    for path in &args.files {
        match verify_file(path, &mut workers, &mut repeats) {
            Ok(summary) => total.merge(&summary),
            Err(error) => {
                output::message("error", format_args!("{error:#}"));
                unreadable = true;
            }
        }
    }
    repeats.tell();
    let mut out = output::stdout_for(args.json);
    if args.json {
        writeln!(out, "{}", json_line("verify", &total))?;
    } else {
        print_summary(&total, &mut out)?;
    }
    out.flush()?;
    Ok(match total {
        _ if unreadable || total.broken > 0 => Exit::BadInput,
        Summary { failed: 0, unsupported: 0, .. } => Exit::Success,
        _ => Exit::Negative,
    })
}

/// Counts of errors by kind. Repeated errors are shown only a few times.
struct Repeats {
    most: u64,
    met: BTreeMap<String, u64>,
}

impl Repeats {
    fn new(most: u64) -> Repeats {
        Repeats { most, met: BTreeMap::new() }
    }

    /// Counts an error. Returns whether it should be shown.
    fn admit(&mut self, kind: String) -> bool {
        let met = self.met.entry(kind).or_default();
        *met += 1;
        *met <= self.most
    }

    /// Prints how many errors of each kind were not shown.
    fn tell(&self) {
        for (kind, met) in &self.met {
            if *met > self.most {
                output::note(format_args!("{} more not shown: {kind}", grouped(met - self.most)));
            }
        }
    }
}

fn verify_file(
    path: &Path,
    workers: &mut [Vec<Box<dyn VectorEngine>>],
    repeats: &mut Repeats,
) -> anyhow::Result<Summary> {
    let name = args::quoted(path);
    let source: Box<dyn Read> = if path.as_os_str() == "-" {
        Box::new(io::stdin().lock())
    } else {
        if path.is_dir() {
            bail!("{name} is a folder: name its files, for example {name}/*.jsonl.gz");
        }
        Box::new(File::open(path).with_context(|| name.clone())?)
    };
    let mut errors = output::stderr();
    // If stderr is closed, the messages are lost. The summary still counts.
    let summary = verify_in_parallel(source, workers, |event| {
        let _ = match event {
            Event::NotPassed { vector, engine, verdict } => {
                let (word, rest) = match verdict {
                    Verdict::Failed(differences) => {
                        ("FAILED", differences.iter().map(|d| format!("\n  {d}")).collect::<String>())
                    }
                    Verdict::Unsupported(why) => ("UNSUPPORTED", format!(": {why}")),
                    Verdict::Passed => return,
                };
                if !repeats.admit(format!("{word} {} ({engine})", quote::text(&vector.mnemonic))) {
                    return;
                }
                writeln!(
                    errors,
                    "{word} {} ({}, {}, {engine}){rest}",
                    quote::text(&vector.id),
                    quote::text(&vector.mnemonic),
                    vector.arch
                )
            }
            Event::Broken { line, error } => {
                if !repeats.admit(format!("broken lines of {}", args::quoted(path))) {
                    return;
                }
                writeln!(errors, "gcnsim: error: {name}: line {line}: {error}")
            }
        };
    });
    drop(errors);
    let summary = summary.with_context(|| name.clone())?;
    if summary.total == 0 && summary.broken == 0 {
        bail!("{name}: holds no vectors");
    }
    Ok(summary)
}

fn print_summary(total: &Summary, out: &mut impl Write) -> io::Result<()> {
    writeln!(
        out,
        "{}: {} passed, {} failed, {} unsupported",
        plural(total.total, "vector"),
        total.passed,
        total.failed,
        total.unsupported
    )?;
    for (name, tally) in [("certain", total.by_certainty.certain), ("likely", total.by_certainty.likely)] {
        writeln!(out, "  {name}: {} passed, {} failed", tally.passed, tally.failed)?;
    }
    if total.broken > 0 {
        writeln!(out, "{}", plural(total.broken, "broken line"))?;
    }
    Ok(())
}
