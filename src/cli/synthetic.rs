//! `gcnsim run --synthetic`: runs a shader on made-up inputs.

use std::io::{self, Write};
use std::path::Path;

use anyhow::{Context as _, bail};
use gcnsim_machine::world::World;
use serde::Serialize;

use super::args::{self, EngineArgs};
use super::trace::{Of, Tracer};
use super::{CommandResult, Exit, live, output, result_file};
use crate::Wave;
use gcnsim_engine::report::RunReport;
use gcnsim_engine::state_file::StateSpec;
use gcnsim_engine::{EngineError, EngineKind, Observers, RunOptions};
use gcnsim_launches::coverage::{Coverage, Hits};
use gcnsim_launches::lines::SourceLines;
use gcnsim_launches::sidecar::Sidecar;
use gcnsim_loader::{Entry, Loaded, TargetChoice};
use gcnsim_machine::outcome::Outcome;
use gcnsim_sanitize::{Checks, Findings, Sanitizer};
use gcnsim_synthetic::setup::setup;
use gcnsim_synthetic::{Subject, Synthetic, SyntheticRun};

/// The worlds that `--synthetic` lists.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Worlds(Vec<World>);

impl Worlds {
    /// Parses `float,int,mixed+4`.
    pub(super) fn parse(text: &str) -> Result<Worlds, String> {
        let mut worlds = Vec::new();
        for name in text.split(',') {
            let world = World::of_name(name.trim())
                .ok_or_else(|| format!("'{name}' is no world: float, int, mixed, or several with commas"))?;
            if worlds.contains(&world) {
                return Err(format!("world {} is there twice", name.trim()));
            }
            worlds.push(world);
        }
        Ok(Worlds(worlds))
    }

    /// Returns the worlds.
    pub fn all(&self) -> Vec<World> {
        self.0.clone()
    }
}

/// The entry to run, and what to show.
pub(super) struct Request<'a> {
    pub path: &'a Path,
    pub worlds: &'a Worlds,
    pub engine: &'a EngineArgs,
    pub arch: Option<TargetChoice>,
    pub bundle: Option<usize>,
    pub raw: bool,
    pub kernel: Option<&'a str>,
    pub max_insts: Option<u64>,
    pub json: bool,
    pub trace: Option<u64>,
    pub dump_state: Option<&'a Path>,
    /// Checks of a sanitizer in a second run; `None` if it is not wanted.
    pub sanitize: Option<Checks>,
    /// File for the coverage.
    pub coverage: Option<&'a Path>,
}

impl Request<'_> {
    fn dumps_to_stdout(&self) -> bool {
        self.dump_state == Some(Path::new("-"))
    }

    /// Whether stdout gets something other than text for people.
    fn is_for_programs(&self) -> bool {
        self.json || self.dumps_to_stdout()
    }
}

/// Runs an entry in each of the worlds, and prints a report for each.
pub(super) fn execute(request: &Request) -> CommandResult {
    if request.dump_state.is_some() && request.worlds.0.len() > 1 {
        bail!("--dump-state: one world at a time");
    }
    let mut loaded = args::load(request.path, request.raw, request.arch)?;
    request.bundle.map_or(Ok(()), |index| loaded.keep_part(index)).with_context(|| args::quoted(request.path))?;
    let entry = loaded.choose_target(request.kernel, request.arch.as_ref());
    let entry = entry.with_context(|| args::quoted(request.path))?;
    args::note_not_read(request.path, &loaded.skipped);
    entry.check_runnable().with_context(|| args::quoted(request.path))?;
    let sidecar = args::sidecar(request.path)?;
    let lines = request.sanitize.and_then(|_| loaded.object_of(entry)).map(SourceLines::of).unwrap_or_default();
    let objects: Vec<_> = loaded.launch_objects().into_iter().flatten().collect();
    let subject = subject(request, entry, sidecar.as_ref())?.in_objects(entry, &objects);
    let budget = request.max_insts.or(sidecar.as_ref().and_then(|sidecar| sidecar.max_insts));
    let options = request.engine.options()?.counting_classes();
    let stop = live::stop_on_signal("Ctrl-C will end the run without a report");
    let options = options.stop(stop);
    let coverage = request.coverage.map(|_| Coverage::default());
    let covered =
        coverage.as_ref().map(|coverage| coverage.file(&args::name(request.path), &loaded, subject.program.arch()));
    let spot = covered.and_then(|objects| Coverage::spot(&objects, entry));
    let mut exit = Exit::Success;
    for (number, world) in request.worlds.all().into_iter().enumerate() {
        if number > 0 && !request.is_for_programs() {
            writeln!(output::stdout())?;
        }
        let (of_world, Seen { sanitizer, hits }) = one_world(request, &subject, world, budget, &options)?;
        if let (Some(coverage), Some(spot), Some(hits)) = (&coverage, spot, &hits) {
            coverage.add(spot, hits);
        }
        let found = sanitizer.filter(|_| of_world.run.outcome.is_ok());
        let found = found.map(|sanitizer| sanitizer.into_findings(&lines));
        exit = exit.max(finish(request, &loaded, entry, &subject, &of_world, found.as_ref(), &options)?);
        if of_world.run.outcome == Err(EngineError::Interrupted) {
            break;
        }
    }
    if let (Some(path), Some(coverage)) = (request.coverage, coverage) {
        super::coverage::write(path, coverage)?;
    }
    Ok(exit)
}

/// Returns the entry as code of its generation, with what the sidecar says of it.
fn subject<'a>(request: &Request, entry: &Entry, sidecar: Option<&Sidecar>) -> anyhow::Result<Subject<'a>> {
    let found = args::arch_of(entry, request.arch, sidecar);
    args::note_arch(request.path, entry, request.arch, found);
    let offset = sidecar.and_then(|sidecar| sidecar.entry).unwrap_or(0);
    if !offset.is_multiple_of(4) {
        bail!(
            "{}: entry {offset:#x} is not a multiple of 4",
            args::quoted(&gcnsim_launches::sidecar::path_of(request.path))
        );
    }
    let shader = sidecar.map(Sidecar::shader).unwrap_or_default();
    Ok(Subject::described(entry, found.0, offset, shader))
}

/// What the observers of a run saw. Each is `None` if nobody asked for it.
#[derive(Default)]
struct Seen {
    sanitizer: Option<Sanitizer>,
    hits: Option<Hits>,
}

/// Runs the entry in a world: alone for its time, unless it is traced, and under the observers that are wanted.
fn one_world(
    request: &Request,
    subject: &Subject,
    world: World,
    budget: Option<u64>,
    options: &RunOptions,
) -> anyhow::Result<(SyntheticRun, Seen)> {
    let start = || setup(subject, &world).with_context(|| args::quoted(request.path));
    let mut timed = None;
    if request.trace.is_none() {
        let setup = start()?;
        let run = live::with_progress(budget, |progress| {
            let options = options.clone().progress(progress);
            Synthetic::new(options).run_set_up(subject, setup, world, budget, &mut Observers::none())
        });
        if (request.sanitize.is_none() && request.coverage.is_none()) || run.run.outcome.is_err() {
            return Ok((run, Seen::default()));
        }
        timed = Some(run);
    }
    let setup = start()?;
    let mut out: Box<dyn Write> =
        if request.is_for_programs() { Box::new(output::stderr()) } else { Box::new(output::stdout()) };
    let mut tracer = request.trace.map(|limit| Tracer::new(&mut *out, limit, Of::Waves));
    let mut sanitizer = request.sanitize.map(|checks| Sanitizer::in_world(checks, subject, &setup));
    let mut hits = request.coverage.map(|_| Hits::default());
    let mut observers = Observers::none();
    tracer.iter_mut().for_each(|tracer| observers.add(tracer));
    sanitizer.iter_mut().for_each(|sanitizer| observers.add(sanitizer));
    hits.iter_mut().for_each(|hits| observers.add(hits));
    let observed = Synthetic::new(options.clone()).run_set_up(subject, setup, world, budget, &mut observers);
    let run = timed.unwrap_or(observed);
    match tracer.and_then(|tracer| tracer.error) {
        Some(error) => Err(error.into()),
        None => Ok(out.flush().map(|()| (run, Seen { sanitizer, hits }))?),
    }
}

/// Prints the report of a run and writes the state, if that is wanted.
fn finish(
    request: &Request,
    loaded: &Loaded,
    entry: &Entry,
    subject: &Subject,
    run: &SyntheticRun,
    found: Option<&Findings>,
    options: &RunOptions,
) -> CommandResult {
    loaded.check_whole().with_context(|| args::quoted(request.path))?;
    match &run.run.outcome {
        Ok(_) => {}
        Err(EngineError::Interrupted) => output::note("interrupted: the program would have gone on"),
        Err(error) => output::message(error.name(), error),
    }
    if options.engine == EngineKind::Check && run.run.stats.checks == 0 && run.run.outcome.is_ok() {
        output::note("--check: nothing ran compiled, so nothing was checked (--hot 0 compiles everything)");
    }
    let mut report = run.report(subject, options.engine.name());
    report.set_part(entry.part.as_deref());
    dump_state(request, subject, run)?;
    print(request, &Report { run: &report, sanitizer: found })?;
    Ok(match &run.run.outcome {
        Err(EngineError::Interrupted) => Exit::Negative,
        Err(_) => Exit::OurFault,
        Ok(_) if found.is_some_and(|found| !found.is_clean()) => Exit::Negative,
        Ok(_) if report.outcome == Outcome::Ended.name() => Exit::Success,
        Ok(_) => Exit::Negative,
    })
}

/// Writes the wave that stopped, or the last one.
fn dump_state(request: &Request, subject: &Subject, run: &SyntheticRun) -> anyhow::Result<()> {
    let Some(path) = request.dump_state else { return Ok(()) };
    let stopped = run.run.stopped.as_ref().map(|stopped| stopped.wave.clone());
    let last = || {
        let observed = run.observations.waves.last().map(|wave| wave.observed.clone()).unwrap_or_default();
        run.last.as_ref().map(|wave| Wave { observed, ..(**wave).clone() })
    };
    let Some(wave) = stopped.or_else(last) else { return Ok(()) };
    let mut state = StateSpec::of_wave(&wave);
    state.pc = Some(subject.file_address(wave.state.pc));
    let text = state.to_json();
    if request.dumps_to_stdout() {
        let mut out = output::stdout_for(true);
        out.write_all(text.as_bytes())?;
        return Ok(out.flush()?);
    }
    result_file::write(path, text.as_bytes())
}

/// The report of a run in a world.
#[derive(Serialize)]
struct Report<'a> {
    #[serde(flatten)]
    run: &'a RunReport,
    #[serde(skip_serializing_if = "Option::is_none")]
    sanitizer: Option<&'a Findings>,
}

impl Report<'_> {
    fn text(&self, colours: bool) -> String {
        let found = self.sanitizer.map(Findings::text).unwrap_or_default();
        super::run::for_people(self.run, &found, colours)
    }
}

fn print(request: &Request, report: &Report) -> anyhow::Result<()> {
    if request.dumps_to_stdout() {
        let text = report.text(output::colours(&io::stderr()));
        let _ = io::stderr().lock().write_all(text.as_bytes());
        return Ok(());
    }
    let mut out = output::stdout_for(true);
    if request.json {
        writeln!(out, "{}", gcnsim_engine::report::run_line(report))?;
    } else {
        out.write_all(report.text(output::colours(&io::stdout())).as_bytes())?;
    }
    Ok(out.flush()?)
}
