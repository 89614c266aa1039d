//! `gcnsim diff`: says whether two compilations of shaders do the same.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};

use super::args::{self, EngineArgs, RawArgs};
use super::batch::bar::Bar;
use super::result_file::{self, check_outputs};
use super::{CommandResult, Exit, live, output, screen};
use gcnsim_batch::deqp::{self, Status};
use gcnsim_diff::junit::Junit;
use gcnsim_diff::markdown::Table;
use gcnsim_diff::page::Page;
use gcnsim_diff::pairs::{self, Files};
use gcnsim_diff::result::{FailOn, PairResult, Summary, Verdict};
use gcnsim_diff::run::{Item, Options};
use gcnsim_diff::value::Tolerance;
use gcnsim_diff::{self as diff, DEFAULT_WORLDS};
use gcnsim_engine::report::grouped;
use gcnsim_inputs::InputPath;
use gcnsim_machine::world::{World, WorldKind};

const EXAMPLES: &str = "\
Examples:
  gcnsim diff old.co new.co
  gcnsim diff build-old/ build-new/ --junit diff.xml --report diff.html
  gcnsim diff old.tar new.tar --arch-from-path --json >diff.jsonl
  gcnsim diff old.bin new.bin --arch gfx803 --synthetic=float --tolerance 0

Files are matched by their path within OLD and NEW, then kernels by name. Both of a pair run on the same inputs: the
launch file of the old one, else made-up inputs in several worlds (docs/use/corpora.md). Compared are exports, memory,
images and messages; values that were computed as floats within the tolerance.
Pairs are same, differ, incomparable (other stage, number of user SGPRs, arguments) or failed (a side does not end).
Exit code 0: nothing in --fail-on was found; 1: something was; 2: wrong usage, or no pairs. With --interesting and
--bisect: docs/use/diff.md#reducers-and-git-bisect.";

/// Most pairs whose code is shown on a terminal. Others have a line each.
const WITH_CODE: u64 = 20;
/// Most pairs of files with which pairs that are the same have a line, too.
const ALL_LINES: usize = 10;

/// Arguments of `diff`.
#[derive(clap::Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// The old file, folder or .tar archive
    #[arg(value_name = "OLD")]
    old: PathBuf,
    /// The new one
    #[arg(value_name = "NEW")]
    new: PathBuf,
    /// Worlds for pairs without launch file: float, int, mixed, or several with commas [default: all]
    #[arg(long, value_name = "WORLDS", num_args = 0..=1, require_equals = true, value_delimiter = ',', value_parser = world)]
    synthetic: Option<Vec<Wanted>>,
    /// Largest relative difference of floats; 0: bits must agree [default: 2^-12]
    #[arg(long, value_name = "REL", value_parser = tolerance)]
    tolerance: Option<f64>,
    /// What makes the exit code 1: differ, failed, incomparable, insensitive, removed, added; or none
    #[arg(long, value_name = "LIST", default_value = "differ,failed")]
    fail_on: FailOn,
    /// For reducers: exit code 0 if a pair differs that reads no undefined values, else 1
    #[arg(long, conflicts_with_all = ["bisect", "fail_on"])]
    interesting: bool,
    /// For git bisect: exit code 0 if all pairs are the same, 1 if one differs, 125 if they cannot be compared
    #[arg(long, conflicts_with = "fail_on")]
    bisect: bool,
    #[command(flatten)]
    raw: RawArgs,
    /// Threads [default: all cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    jobs: Option<u16>,
    /// Stop each wave, and each launch, after N instructions
    #[arg(long, value_name = "N", value_parser = args::count, allow_negative_numbers = true)]
    max_insts: Option<u64>,
    /// Print one JSON object a pair, and one with the sum
    #[arg(long, conflicts_with = "markdown")]
    json: bool,
    /// Print Markdown, for a merge request
    #[arg(long)]
    markdown: bool,
    /// Write JUnit XML with a test case for each pair
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,
    /// Write NAME,STATUS for each pair, as Mesa's deqp-runner does
    #[arg(long, value_name = "FILE.csv")]
    deqp_csv: Option<PathBuf>,
    /// Write a report as one HTML page, with both codes of pairs that differ
    #[arg(long, value_name = "FILE.html")]
    report: Option<PathBuf>,
    #[command(flatten)]
    engine: EngineArgs,
}

/// A kind of worlds, or one world.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Wanted {
    Kind(WorldKind),
    One(World),
}

fn world(name: &str) -> Result<Wanted, String> {
    let found = WorldKind::of_name(name).map(Wanted::Kind).or_else(|| World::of_name(name).map(Wanted::One));
    found.ok_or_else(|| format!("'{name}': expected float, int or mixed"))
}

fn tolerance(text: &str) -> Result<f64, String> {
    let value = text.parse().ok().filter(|value: &f64| (0.0..1.0).contains(value));
    value.ok_or_else(|| format!("'{text}': expected a number from 0 to below 1"))
}

/// The outputs of results.
struct Output<'a> {
    args: &'a Args,
    sum: Summary,
    junit: Junit<Vec<u8>>,
    /// Lines for `--deqp-csv`.
    statuses: String,
    page: Page,
    table: Table,
    width: usize,
    /// Whether pairs that are the same have a line.
    with_same: bool,
    shown: u64,
    /// Whether a pair differs, and neither side reads undefined values.
    is_interesting: bool,
}

/// Compares two files or folders.
pub(super) fn execute(args: Args) -> CommandResult {
    let (old, new) = (collect(&args.old)?, collect(&args.new)?);
    let outputs = [args.junit.as_deref(), args.deqp_csv.as_deref(), args.report.as_deref()];
    let outputs: Vec<&Path> = outputs.into_iter().flatten().collect();
    let named = [InputPath::named(&args.old), InputPath::named(&args.new)];
    check_outputs(&outputs, old.inputs.paths().chain(new.inputs.paths()).chain(named))?;
    let pairs = match pairs::of_files(&old, &new) {
        Err(error) if args.bisect => return Ok(skip(&error)),
        pairs => pairs?,
    };
    let options = options(&args)?;
    let sum = Summary::new(args::name(&args.old), args::name(&args.new), options.tolerance.relative);
    let mut output = Output {
        sum,
        junit: Junit::new(Vec::new()),
        statuses: String::new(),
        page: Page::default(),
        table: Table::default(),
        width: screen::width_of(&io::stdout()).unwrap_or(160),
        with_same: pairs.pairs.len() <= ALL_LINES,
        shown: 0,
        is_interesting: false,
        args: &args,
    };
    pairs.removed.iter().for_each(|&index| output.sum.add_removed(old.name(index)));
    pairs.added.iter().for_each(|&index| output.sum.add_added(new.name(index)));
    let stop = live::stop_on_signal("Ctrl-C will end the comparison at once");
    let mut options = options;
    options.run.stop = Some(stop.clone());
    let bar = Bar::of(pairs.pairs.len() as u64, "pairs/s");
    let mut tick = |diff::run::Progress { done, known, not_same, .. }| {
        bar.set_length(known);
        bar.show(done, || format!("{} not the same,", grouped(not_same)));
    };
    let is_whole = diff::run::run([&old, &new], &pairs, &options, &stop, &mut |item| output.take(item), &mut tick);
    bar.close();
    output.sum.interrupted = !is_whole?;
    match pairs::check(&output.sum) {
        Err(error) if args.bisect => return Ok(skip(&error)),
        checked => checked?,
    }
    output.finish()
}

/// Says why nothing can be compared.
fn skip(error: &dyn std::fmt::Display) -> Exit {
    eprintln!("error: {error}");
    Exit::Skip
}

fn collect(path: &Path) -> anyhow::Result<Files> {
    if path.as_os_str() == "-" {
        bail!("stdin is no file to compare");
    }
    Ok(Files::collect(path)?)
}

/// Returns the wanted worlds: of a kind its default worlds, and single worlds. If none are wanted, these are the
/// default worlds of all kinds.
fn worlds(wanted: &[Wanted]) -> Vec<World> {
    let is_wanted = |world: &World| wanted.is_empty() || wanted.contains(&Wanted::Kind(world.kind));
    let mut worlds: Vec<World> = DEFAULT_WORLDS.into_iter().filter(is_wanted).collect();
    for wanted in wanted {
        if let Wanted::One(world) = wanted
            && !worlds.contains(world)
        {
            worlds.push(*world);
        }
    }
    worlds
}

fn options(args: &Args) -> anyhow::Result<Options> {
    let mut options = Options::default()
        .run(args.engine.options()?.max_insts(args.max_insts))
        .worlds(worlds(args.synthetic.as_deref().unwrap_or_default()))
        .raw(args.raw.files());
    options.max_insts = args.max_insts;
    options.tolerance = args.tolerance.map_or(options.tolerance, Tolerance::of);
    options.jobs = args.jobs.map_or(options.jobs, usize::from);
    Ok(options)
}

impl Output<'_> {
    fn take(&mut self, item: Item) -> io::Result<()> {
        match item {
            Item::Removed(name) => self.sum.add_removed(name),
            Item::Added(name) => self.sum.add_added(name),
            Item::Pair(pair) => {
                self.sum.add(&pair);
                self.is_interesting |= pair.result == Verdict::Differ && pair.undef_read.is_empty();
                self.junit.add(&pair, &self.args.fail_on);
                if self.args.deqp_csv.is_some() {
                    self.statuses += &deqp::line(&pair.name, status(&pair, &self.args.fail_on));
                    self.statuses.push('\n');
                }
                self.page.add(&pair);
                self.table.add(&pair);
                self.print(&pair)?;
            }
        }
        Ok(())
    }

    fn print(&mut self, pair: &PairResult) -> io::Result<()> {
        let mut out = output::stdout_for(self.args.json);
        if self.args.json {
            writeln!(out, "{}", serde_json::to_string(pair)?)
        } else if self.args.markdown || pair.result == Verdict::Same && !self.with_same {
            Ok(())
        } else {
            self.shown += u64::from(pair.first.is_some());
            let mut text = diff::text::pair(pair, self.width);
            if self.shown > WITH_CODE {
                text.truncate(text.find('\n').map_or(text.len(), |end| end + 1));
            }
            out.write_all(text.as_bytes())
        }
    }

    fn finish(self) -> CommandResult {
        let exit = self.exit();
        let Output { args, sum, junit, statuses, page, table, width, .. } = self;
        if let Some(path) = &args.junit {
            result_file::write(path, &junit.finish().context("the JUnit report")?)?;
        }
        if let Some(path) = &args.deqp_csv {
            result_file::write(path, statuses.as_bytes())?;
        }
        if let Some(path) = &args.report {
            result_file::write(path, page.html(&sum).as_bytes())?;
        }
        let mut out = output::stdout_for(args.json);
        if args.json {
            writeln!(out, "{}", serde_json::to_string(&sum)?)?;
        } else if args.markdown {
            out.write_all(table.text(&sum, &args.fail_on).as_bytes())?;
        } else {
            out.write_all(diff::text::summary(&sum, width).as_bytes())?;
        }
        out.flush()?;
        Ok(exit)
    }

    fn exit(&self) -> Exit {
        let sum = &self.sum;
        if self.args.bisect {
            return match (sum.differ, sum.same == sum.pairs && !sum.interrupted) {
                (1.., _) => Exit::Negative,
                (0, true) => Exit::Success,
                (0, false) => Exit::Skip,
            };
        }
        let is_good = match self.args.interesting {
            true => self.is_interesting,
            false => !self.args.fail_on.fails_sum(sum),
        };
        if is_good && !sum.interrupted { Exit::Success } else { Exit::Negative }
    }
}

/// Returns the status of a pair: a failure only if `--fail-on` has it.
fn status(pair: &PairResult, fail_on: &FailOn) -> Status {
    match (fail_on.fails(pair), pair.result) {
        (true, Verdict::Failed) => Status::Crash,
        (true, _) => Status::Fail,
        (false, Verdict::Same) => Status::Pass,
        (false, _) => Status::Skip,
    }
}
