//! `gcnsim fuzz`: runs random programs and dispatches on both engines.

use std::fs;
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use anyhow::Context;
use gcnsim_isa::Arch;

use super::{CommandResult, Exit, args, live, output, result_file};
use gcnsim_check::fuzz::campaign::{self, Campaign, Progress, Summary};
use gcnsim_check::fuzz::coverage::row_name;
use gcnsim_check::fuzz::{regress, shrink};
use gcnsim_engine::report::plural;

/// A run of at least this many seconds must reach every row, if it has `COMPLETE_TURNS` programs for each row.
const COMPLETE_AFTER: u64 = 30;
const COMPLETE_TURNS: u64 = 4;
/// Most divergences that a run shrinks.
const MAX_SHRUNK: usize = 8;
/// Time for shrinking all divergences, after the run.
const SHRINK_TIME: Duration = Duration::from_secs(20);

/// Arguments of `fuzz`.
#[derive(clap::Args, Debug)]
pub(super) struct Args {
    /// How long to run (0: one program or dispatch)
    #[arg(long, value_name = "N", default_value_t = 60)]
    seconds: u64,
    /// Number of the first program [default: from the clock]
    #[arg(long, value_name = "S", value_parser = args::u64_number, allow_negative_numbers = true)]
    seed: Option<u64>,
    /// Threads [default: all processors]
    #[arg(long, value_name = "N")]
    jobs: Option<u16>,
    /// Only this generation
    #[arg(long)]
    arch: Option<Arch>,
    /// Where to write programs and dispatches on which the engines disagree [default: corpus/regress if it exists, else
    /// .]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

/// Runs programs and dispatches until the time is over, and reports the divergences.
pub(super) fn execute(args: Args) -> CommandResult {
    let clock = || SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_nanos() as u64 >> 10);
    let campaign = Campaign {
        seed: args.seed.unwrap_or_else(clock),
        seconds: args.seconds,
        max_programs: u64::MAX,
        jobs: match args.jobs {
            Some(jobs) => jobs.into(),
            None => std::thread::available_parallelism().map_or(1, usize::from),
        },
        arch: args.arch,
        stop: live::stop_on_signal("Ctrl-C will end the run without a report"),
    };
    output::note(format_args!("fuzz: seed {}", campaign.seed));
    let live = io::stderr().is_terminal();
    let (mut stuck, mut diverged) = (None, None);
    let summary = campaign::run(&campaign, |progress| {
        if live {
            eprint!("\r{}\x1b[K", progress_line(progress));
        }
        // The note comes at once. Shrinking and writing follow at the end.
        if let Some(number) = progress.last_divergence
            && diverged != Some(number)
        {
            diverged = Some(number);
            output::note(format_args!("divergence, to be shrunk at the end: {}", rerun(number, campaign.arch)));
        }
        if progress.stuck.is_some() && progress.stuck != stuck {
            stuck = progress.stuck;
            output::note(format_args!("program {} has been running for ten seconds", stuck.unwrap_or(0)));
        }
    });
    if live {
        eprint!("\r\x1b[K");
    }
    let checkout = Path::new("corpus/regress");
    let here = if checkout.is_dir() { checkout } else { Path::new(".") };
    report(&campaign, &summary, args.out.as_deref().unwrap_or(here))
}

fn progress_line(progress: &Progress) -> String {
    let seconds = progress.elapsed.as_secs_f64().max(1e-3);
    let (reached, rows) = progress.rows;
    format!(
        "{:.0} s: {} programs ({:.0}/s), {} instructions ({:.1} M/s), {reached} of {rows} rows, {} divergences",
        seconds,
        progress.programs,
        progress.programs as f64 / seconds,
        progress.instructions,
        progress.instructions as f64 / seconds / 1e6,
        progress.divergences,
    )
}

/// Writes the files of a case. Returns the path of the last one.
fn write(directory: &Path, files: &[(PathBuf, Vec<u8>)]) -> anyhow::Result<PathBuf> {
    fs::create_dir_all(directory).with_context(|| args::quoted(directory))?;
    files.iter().try_for_each(|(path, bytes)| result_file::write(path, bytes))?;
    Ok(files.last().map(|(path, _)| path.clone()).unwrap_or_default())
}

fn report(campaign: &Campaign, summary: &Summary, directory: &Path) -> CommandResult {
    let mut out = output::stdout();
    let mut names: Vec<String> = Vec::new();
    let start = Instant::now();
    if !summary.diverged.is_empty() {
        let (count, seconds) = (plural(summary.diverged.len() as u64, "divergence"), SHRINK_TIME.as_secs());
        output::note(format_args!("{count}; shrinking takes up to {seconds} s"));
    }
    for (number, run) in &summary.diverged {
        // Each divergence gets a share of the time that is left, so that a slow one leaves time for the others.
        let left = SHRINK_TIME.saturating_sub(start.elapsed());
        let share = left / (MAX_SHRUNK - names.len().min(MAX_SHRUNK - 1)) as u32;
        if names.len() >= MAX_SHRUNK || left.is_zero() {
            writeln!(out, "not shrunk: {}", rerun(*number, campaign.arch))?;
            continue;
        }
        let shrunk = shrink::shrink(run, Instant::now() + share.max(SHRINK_TIME / 16).min(left));
        let name = regress::name(&shrunk);
        if names.contains(&name) {
            writeln!(out, "also {name}: {}", rerun(*number, campaign.arch))?;
            continue;
        }
        let rerun = rerun(*number, campaign.arch);
        let text = regress::describe(&shrunk, &rerun);
        writeln!(out, "divergence {name}\n{text}\nrerun: {rerun}")?;
        match write(directory, &regress::files(directory, &name, &shrunk, &rerun)) {
            Ok(path) => writeln!(out, "written: {}", args::quoted(&path))?,
            Err(error) => output::message("error", format_args!("{error:#}")),
        }
        names.push(name);
    }
    let unreached = summary.coverage.unreached(campaign.arch);
    let enough = summary.progress.programs >= COMPLETE_TURNS * summary.progress.rows.1 as u64;
    let interrupted = campaign.stop.load(Ordering::Relaxed);
    if interrupted {
        output::note("interrupted: this is what was done until then");
    }
    let complete = interrupted || campaign.seconds < COMPLETE_AFTER || !enough || unreached.is_empty();
    if !complete {
        let rows: Vec<_> = unreached.iter().map(row_name).collect();
        writeln!(out, "not reached: {}", rows.join(", "))?;
    }
    let progress = &summary.progress;
    let (seconds, (reached, rows)) = (progress.elapsed.as_secs_f64(), progress.rows);
    writeln!(
        out,
        "seed {}, {:.1} s: {:.0} programs/s, {reached} of {rows} rows reached",
        campaign.seed,
        seconds,
        progress.programs as f64 / seconds.max(1e-3)
    )?;
    writeln!(
        out,
        "{} programs, {} instructions, {} divergences",
        progress.programs, progress.instructions, progress.divergences
    )?;
    out.flush()?;
    Ok(match () {
        () if progress.divergences > 0 => Exit::OurFault,
        () if !complete || interrupted => Exit::Negative,
        () => Exit::Success,
    })
}

fn rerun(number: u64, arch: Option<Arch>) -> String {
    let arch = arch.map_or(String::new(), |arch| format!(" --arch {arch}"));
    format!("gcnsim fuzz --seconds 0 --seed {number}{arch}")
}
