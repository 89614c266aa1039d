//! `gcnsim run`: runs one program, from any state, on any engine.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context, bail};
use gcnsim_isa::{Arch, Program};
use gcnsim_machine as machine;

use super::args::{self, EngineArgs};
use super::dispatch::{self, DispatchArgs};
use super::dispatch_flags::Wanted;
use super::output::{self, Colour};
use super::registers::{self, ScalarSetting, VectorSetting};
use super::synthetic::{self, Worlds};
use super::trace::{Of, Tracer};
use super::{CommandResult, Exit, live, result_file};
use crate::Wave;
use gcnsim_batch::cover;
use gcnsim_device::args::explicit;
use gcnsim_engine::report::{RunReport, plural};
use gcnsim_engine::state_file::StateSpec;
use gcnsim_engine::{Engine, EngineError, EngineKind, Observers, RunOptions, RunResult, RunStats, Scene, Session};
use gcnsim_inputs::InputPath;
use gcnsim_launches::coverage::{Coverage, Spot};
use gcnsim_launches::sidecar::Sidecar;
use gcnsim_loader::{self as loader, Entry, Loaded, TargetChoice};
use gcnsim_machine::outcome::Outcome;

const EXAMPLES: &str = "\
Examples:
  gcnsim run bench.bin
  gcnsim run --interp --arch gfx700 --max-insts 1000000 loop.bin
  gcnsim run --state start.json --sgpr 4=0xff --exec 0xf --dump-state - x.bin
  gcnsim run --sgpr vcc=0xff --sgpr m0=16 --vgpr 0=1 --vgpr 1=@lanes.txt x.bin
  gcnsim run --trace=50 x.bin
  gcnsim run saxpy.co --kernel saxpy --grid 1024 --group 256 --arg f32=2 --arg buf=x.bin --arg buf=y.bin:out.bin
  gcnsim run reduce.co --launch reduce.json
  gcnsim run reduce.co --launch reduce.json --only 0 --trace --wave 2:1
  gcnsim run reduce.co --launch reduce.json --profile --listing --folded stacks.txt
  gcnsim run reduce.co --launch reduce.json --coverage reduce.info
  gcnsim run shader.elf --synthetic=float,int --trace=40

NAME.toml beside NAME.bin may give arch, entry, max_insts, [state] and [expect]; flags win over it.
docs/use/launch-files.md explains every key of launch files, docs/use/state-files.md those of states and sidecars.";

/// Arguments of `run`.
#[derive(clap::Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// Raw dwords, ELF code object, a bundle, archive or executable that holds some, an RGP capture, a log of a driver
    /// with code words, or a PlayStation 4's .sb; - is stdin
    file: PathBuf,
    /// Generation of a raw file [default: its sidecar's, else gcn1.4], or the part of a bundle: gfx906, gfx906:xnack+
    #[arg(long)]
    arch: Option<TargetChoice>,
    /// Run the part with this index, as `bundle` in results has it; where several parts are for one target
    #[arg(long, value_name = "N", conflicts_with = "raw")]
    bundle: Option<usize>,
    /// Take a file that is no code object as dwords, even if it looks like text or another format
    #[arg(long)]
    raw: bool,
    /// Kernel to run, where the file holds several
    #[arg(long, value_name = "NAME")]
    kernel: Option<String>,
    /// Stop after N instructions
    #[arg(long, value_name = "N", value_parser = args::count, allow_negative_numbers = true)]
    max_insts: Option<u64>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    /// Show each instruction with what it changed, or the first N of them
    #[arg(long, value_name = "N", num_args = 0..=1, require_equals = true, default_missing_value = "0xffffffffffffffff",
          value_parser = args::count)]
    trace: Option<u64>,
    /// Run on made-up inputs, in worlds float (default), int, mixed, or several with commas: docs/use/corpora.md
    #[arg(long, value_name = "WORLDS", num_args = 0..=1, require_equals = true, default_missing_value = "float",
          value_parser = Worlds::parse)]
    synthetic: Option<Worlds>,
    /// Count what is executed, in a second run, and write it: by source line for lcov; by instruction as lines of JSON
    /// if FILE ends in .json, and to FILE.json of code without source lines
    #[arg(long, value_name = "FILE")]
    coverage: Option<PathBuf>,
    #[command(flatten)]
    dispatch: DispatchArgs,
    #[command(flatten)]
    state: StateArgs,
    #[command(flatten)]
    engine: EngineArgs,
}

/// The start address and the registers at the start.
#[derive(clap::Args, Debug)]
#[command(next_help_heading = "State")]
struct StateArgs {
    /// Start from the registers in a JSON file; what it does not name is as without it
    #[arg(long, value_name = "FILE")]
    state: Option<PathBuf>,
    /// Set a scalar register by operand code, or vcc, exec, m0; may be repeated
    #[arg(long = "sgpr", value_name = "N=V", value_parser = registers::scalar)]
    sgprs: Vec<ScalarSetting>,
    /// Set all lanes of vector register N to V, or to the 64 numbers in a file with N=@FILE; may be repeated
    #[arg(long = "vgpr", value_name = "N=V", value_parser = registers::vector)]
    vgprs: Vec<VectorSetting>,
    /// Set EXEC
    #[arg(long, value_name = "V", value_parser = args::u64_number, allow_negative_numbers = true)]
    exec: Option<u64>,
    /// Write the final registers to a JSON file; - is stdout
    #[arg(long, value_name = "FILE")]
    dump_state: Option<PathBuf>,
    /// Load the program at this address
    #[arg(long, value_name = "ADDR", value_parser = args::code_address, allow_negative_numbers = true)]
    base: Option<u64>,
    /// Start this many bytes after the beginning of the program
    #[arg(long, value_name = "OFFSET", value_parser = args::code_address, allow_negative_numbers = true)]
    entry: Option<u64>,
}

impl StateArgs {
    /// Whether the flags change the state at the start.
    fn change_the_start(&self) -> bool {
        self.state.is_some()
            || !self.sgprs.is_empty()
            || !self.vgprs.is_empty()
            || self.exec.is_some()
            || self.base.is_some()
            || self.entry.is_some()
    }

    fn dump_to_stdout(&self) -> bool {
        self.dump_state.as_deref() == Some(Path::new("-"))
    }

    /// Writes the registers that flags name into `wave`.
    fn apply(&self, wave: &mut Wave) -> anyhow::Result<()> {
        let exec = self.exec.map(ScalarSetting::exec);
        registers::apply(exec.into_iter().chain(self.sgprs.iter().copied()), &self.vgprs, wave)
    }
}

impl Args {
    /// Checks that no output of a run without a launch is a file that it reads.
    fn check_outputs(&self) -> anyhow::Result<()> {
        let beside = self.coverage.as_deref().and_then(super::coverage::beside);
        let state = self.state.dump_state.as_deref().filter(|_| !self.state.dump_to_stdout());
        let outputs: Vec<&Path> = state.into_iter().chain(self.coverage.as_deref()).chain(beside.as_deref()).collect();
        let sidecar = gcnsim_launches::sidecar::path_of(&self.file);
        let lanes = self.state.vgprs.iter().filter_map(VectorSetting::file);
        let inputs = [self.file.as_path(), &sidecar].into_iter().chain(self.state.state.as_deref()).chain(lanes);
        result_file::check_outputs(&outputs, inputs.map(InputPath::named))
    }
}

/// Runs the program and prints the report.
pub(super) fn execute(args: Args) -> CommandResult {
    if args.json && args.state.dump_to_stdout() {
        bail!("--json and --dump-state - both want stdout: dump to a file");
    }
    if let Some(worlds) = &args.synthetic {
        args.check_outputs()?;
        return run_synthetic(&args, worlds);
    }
    if let Some(wanted) = args.dispatch.wanted(&args.file, args.kernel.as_deref())? {
        return run_dispatch(&args, &wanted);
    }
    if let Some(flag) = args.dispatch.needs_dispatch() {
        bail!("{flag} is for dispatches: give --launch, or --kernel and --grid");
    }
    if args.dispatch.wants_threads() {
        output::note("--jobs: one thread, because a run without a launch is one wave");
    }
    args.check_outputs()?;
    run_wave(&args)
}

/// Runs launches of kernels.
fn run_dispatch(args: &Args, wanted: &Wanted) -> CommandResult {
    if args.state.change_the_start() {
        bail!("a dispatch starts from its launch: no --state, --sgpr, --vgpr, --exec, --base, --entry");
    }
    let request = dispatch::Request {
        path: &args.file,
        args: &args.dispatch,
        engine: &args.engine,
        arch: args.arch,
        bundle: args.bundle,
        max_insts: args.max_insts,
        json: args.json,
        trace: args.trace,
        dump_state: args.state.dump_state.as_deref(),
        coverage: args.coverage.as_deref(),
    };
    dispatch::execute(&request, wanted)
}

/// Runs one wave, from the state that flags and sidecar say.
fn run_wave(args: &Args) -> CommandResult {
    let mut options = wave_options(args)?;
    let mut loaded = args::load(&args.file, args.raw, args.arch)?;
    args.bundle.map_or(Ok(()), |index| loaded.keep_part(index)).with_context(|| args::quoted(&args.file))?;
    let entry = loaded.choose_target(args.kernel.as_deref(), args.arch.as_ref());
    let entry = entry.with_context(|| args::quoted(&args.file))?;
    args::note_not_read(&args.file, &loaded.skipped);
    entry.check_runnable().with_context(|| args::quoted(&args.file))?;
    let sidecar = args::sidecar(&args.file)?;
    let program = program_of(args, entry, sidecar.as_ref())?;
    let (mut wave, mut context) = initial_wave(&args.state, &program, sidecar.as_ref())?;
    let initial_vgprs = wave.vgprs.clone();
    options.max_insts = args.max_insts.or(sidecar.as_ref().and_then(|s| s.max_insts));

    let result = run(args, &program, &mut wave, &mut context, &options)?;
    loaded.check_whole().with_context(|| args::quoted(&args.file))?;

    let mut report = RunReport::new(program.arch(), options.engine.name(), &result, &wave, &initial_vgprs);
    report.set_part(entry.part.as_deref());
    if args.json {
        report.count_classes(&wave);
    }
    check_expectation(args, program.arch(), sidecar.as_ref(), (&wave, &context), &result, &mut report);
    note_result(&options, &result);
    note_no_launch(args, &loaded, entry, &result);
    dump_state(args, &wave)?;
    print(args, &report)?;
    if let (Some(path), Ok(_)) = (&args.coverage, &result.outcome) {
        write_coverage(args, path, (&loaded, entry), (&program, sidecar.as_ref()), options)?;
    }
    Ok(match &result.outcome {
        Err(EngineError::Interrupted) => Exit::Negative,
        Err(_) => Exit::OurFault,
        Ok(_) if report.outcome == Outcome::Ended.name() => Exit::Success,
        Ok(_) => Exit::Negative,
    })
}

fn wave_options(args: &Args) -> anyhow::Result<RunOptions> {
    let mut options = args.engine.options()?;
    options.count_classes = args.json;
    #[cfg(feature = "jit")]
    {
        options.background = args.engine.allow_background();
    }
    Ok(options)
}

/// Returns the program of an entry: its generation, base and first instruction are those of flags, or of the sidecar.
fn program_of(args: &Args, entry: &Entry, sidecar: Option<&Sidecar>) -> anyhow::Result<Program> {
    let found = args::arch_of(entry, args.arch, sidecar);
    args::note_arch(&args.file, entry, args.arch, found);
    let offset = args.state.entry.or(sidecar.and_then(|s| s.entry)).unwrap_or(0);
    if !offset.is_multiple_of(4) {
        let path = gcnsim_launches::sidecar::path_of(&args.file);
        bail!("{}: entry {offset:#x} is not a multiple of 4", args::quoted(&path));
    }
    Ok(entry.program_at(found.0, args.state.base, offset))
}

/// Prints what the report does not say: an error of ours, an interruption, and that nothing was checked.
fn note_result(options: &RunOptions, result: &RunResult) {
    match &result.outcome {
        Ok(_) => {}
        Err(EngineError::Interrupted) => output::note("interrupted: the program would have gone on"),
        Err(error) => output::message(error.name(), error),
    }
    if options.engine == EngineKind::Check && result.stats.checks == 0 {
        output::note("--check: nothing ran compiled, so nothing was checked (--hot 0 compiles everything)");
    }
}

/// Runs the program once more, and writes which instructions were executed.
fn write_coverage(
    args: &Args,
    path: &Path,
    (loaded, entry): (&Loaded, &Entry),
    (program, sidecar): (&Program, Option<&Sidecar>),
    mut options: RunOptions,
) -> anyhow::Result<()> {
    let (mut wave, mut context) = initial_wave(&args.state, program, sidecar)?;
    let budget = options.max_insts.unwrap_or(u64::MAX);
    options.stop = None;
    let mut session = Session::new(program, options);
    let hits = cover::run(&mut session, &mut wave, &mut context, budget);
    let coverage = Coverage::default();
    let objects = coverage.file(&args::name(&args.file), loaded, program.arch());
    if let Some(spot) = Coverage::spot(&objects, entry) {
        // `--base` moves the program, so its addresses are not those of the file.
        let moved = args.state.base.map_or(0, |base| entry.address.wrapping_sub(base));
        coverage.add(Spot { bias: spot.bias.wrapping_add(moved), ..spot }, &hits);
    }
    super::coverage::write(path, coverage)
}

/// Runs the program on made-up inputs.
fn run_synthetic(args: &Args, worlds: &Worlds) -> CommandResult {
    if args.state.change_the_start() {
        bail!("--synthetic makes the inputs: no --state, --sgpr, --vgpr, --exec, --base, --entry");
    }
    if let Some(flag) = args.dispatch.is_launch().or(args.dispatch.needs_launch()) {
        bail!("--synthetic makes the inputs: no {flag}");
    }
    synthetic::execute(&synthetic::Request {
        path: &args.file,
        worlds,
        engine: &args.engine,
        arch: args.arch,
        bundle: args.bundle,
        raw: args.raw,
        kernel: args.kernel.as_deref(),
        max_insts: args.max_insts,
        json: args.json,
        trace: args.trace,
        dump_state: args.state.dump_state.as_deref(),
        sanitize: args.dispatch.sanitize(),
        coverage: args.coverage.as_deref(),
    })
}

/// Makes the initial wave, memory and LDS. Registers come from `--state` or else from the sidecar, then flags override
/// them.
fn initial_wave(
    args: &StateArgs,
    program: &Program,
    sidecar: Option<&Sidecar>,
) -> anyhow::Result<(Wave, machine::Context)> {
    let mut wave = Wave::new(program);
    let mut context = machine::Context::default();
    match &args.state {
        Some(path) => {
            let name = || format!("state file {}", args::quoted(path));
            let text = loader::read_text(path).with_context(name)?;
            let spec = StateSpec::from_json(&text).with_context(name)?;
            spec.apply(&mut wave);
            context = spec.context(program);
        }
        None => {
            if let Some(spec) = sidecar.and_then(|s| s.state.as_ref()) {
                spec.apply(&mut wave);
                context = spec.context(program);
            }
        }
    }
    if args.entry.is_some() {
        wave.state.pc = program.entry();
    }
    args.apply(&mut wave)?;
    Ok((wave, context))
}

/// Runs the program on the chosen engine, after tracing the first instructions if `--trace` asks for it.
fn run(
    args: &Args,
    program: &Program,
    wave: &mut Wave,
    context: &mut machine::Context,
    options: &RunOptions,
) -> anyhow::Result<RunResult> {
    let stop = live::stop_on_signal("Ctrl-C will end the run without a report");
    let run = |wave: &mut Wave, context: &mut machine::Context, max_insts: Option<u64>| {
        live::with_progress(max_insts, |progress| {
            let stop = Some(stop.clone());
            let options = options.clone().max_insts(max_insts).stop(stop).progress(progress);
            Engine::new(options).run_alone(program, wave, context, max_insts)
        })
    };
    let Some(limit) = args.trace else { return Ok(run(wave, context, options.max_insts)) };
    let to_stderr = args.json || args.state.dump_to_stdout();
    let limit = limit.min(options.max_insts.unwrap_or(u64::MAX));
    let mut out: Box<dyn Write> = if to_stderr { Box::new(output::stderr()) } else { Box::new(output::stdout()) };
    let traced = trace(program, wave, context, limit, &options.clone().stop(stop.clone()), &mut *out)?;
    out.flush()?;
    drop(out);
    let rest = options.max_insts.map(|max| max - wave.executed.min(max));
    if traced.outcome != Ok(Outcome::Budget) || rest == Some(0) {
        return Ok(traced);
    }
    let mut result = run(wave, context, rest);
    result.stats.run_ns += traced.stats.run_ns;
    Ok(result)
}

/// Runs up to `limit` instructions on the interpreter, and shows them on `out`.
fn trace(
    program: &Program,
    wave: &mut Wave,
    context: &mut machine::Context,
    limit: u64,
    options: &RunOptions,
    out: &mut dyn Write,
) -> anyhow::Result<RunResult> {
    let mut session = Session::new(program, options.clone().engine(EngineKind::Interp));
    let mut tracer = Tracer::new(out, limit, Of::Program);
    let (scene, mut stats, start) = (Scene::of_program(program), RunStats::default(), Instant::now());
    let mut observers = Observers::one(&mut tracer);
    let outcome = session.run_observed(&scene, &mut observers, (wave, context), Some(limit), &mut stats);
    stats.add_run_time(start, 0);
    match tracer.error {
        Some(error) => Err(error.into()),
        None => Ok(RunResult { outcome, stats }),
    }
}

/// Compares the wave with the sidecar's expectation, unless flags changed the start, the generation or the budget.
fn check_expectation(
    args: &Args,
    arch: Arch,
    sidecar: Option<&Sidecar>,
    (wave, context): (&Wave, &machine::Context),
    result: &RunResult,
    report: &mut RunReport,
) {
    let Some(sidecar) = sidecar else { return };
    let (Some(expect), Ok(outcome)) = (&sidecar.expect, &result.outcome) else { return };
    let cut_short = args.max_insts.is_some() && *outcome == Outcome::Budget;
    let other_arch = sidecar.arch.is_some_and(|expected| expected != arch);
    if args.state.change_the_start() || other_arch || cut_short {
        let why = if cut_short { "--max-insts ended the run" } else { "flags change how the run starts" };
        output::note(format_args!("the sidecar's expectation is not checked: {why}"));
        return;
    }
    let differences = expect.differences(wave, context, outcome);
    if !differences.is_empty() {
        report.set_mismatch(differences);
    }
}

/// If a kernel did not end, prints a note that it may have lacked arguments.
fn note_no_launch(args: &Args, loaded: &Loaded, entry: &Entry, result: &RunResult) {
    let (Some(name), Ok(outcome)) = (&entry.kernel, &result.outcome) else { return };
    if *outcome == Outcome::Ended || args.state.change_the_start() {
        return;
    }
    let mut objects = loaded.launch_objects().into_iter().flatten();
    let object = objects.find(|object| entry.target.is_none_or(|target| target == object.chip));
    let Some(kernel) = object.and_then(|object| object.kernels.into_iter().find(|kernel| kernel.name == *name)) else {
        return;
    };
    let takes = match explicit(&kernel).map(|args| args.len() as u64) {
        Some(0) => return,
        Some(count) => plural(count, "argument"),
        None if kernel.descriptor.kernarg_size == 0 => return,
        None => format!("{} of arguments", plural(kernel.descriptor.kernarg_size, "byte")),
    };
    output::note(format_args!(
        "give --grid, --group and an --arg for each argument, or --launch with a file that 'gcnsim launch-template {}' \
        begins: kernel '{name}' takes {takes} and was run without a launch",
        args::quoted(&args.file)
    ));
}

fn dump_state(args: &Args, wave: &Wave) -> anyhow::Result<()> {
    let Some(path) = &args.state.dump_state else { return Ok(()) };
    let text = StateSpec::of_wave(wave).to_json();
    if args.state.dump_to_stdout() {
        let mut out = output::stdout_for(true);
        out.write_all(text.as_bytes())?;
        return Ok(out.flush()?);
    }
    result_file::write(path, text.as_bytes())
}

fn print(args: &Args, report: &RunReport) -> anyhow::Result<()> {
    if args.state.dump_to_stdout() {
        let _ = io::stderr().lock().write_all(for_people(report, "", output::colours(&io::stderr())).as_bytes());
        return Ok(());
    }
    let mut out = output::stdout_for(true);
    if args.json {
        writeln!(out, "{}", report.to_json())?;
    } else {
        out.write_all(for_people(report, "", output::colours(&io::stdout())).as_bytes())?;
    }
    Ok(out.flush()?)
}

/// Returns the report as text, with `more` behind it, and with a coloured first line (the outcome) if `colours` is set.
pub(super) fn for_people(report: &RunReport, more: &str, colours: bool) -> String {
    let colour = if report.outcome == Outcome::Ended.name() { Colour::Green } else { Colour::Red };
    output::painted(&(report.to_string() + more), colour, colours)
}
