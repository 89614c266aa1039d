//! Dispatches by `gcnsim run`: from a launch file, or from flags.

mod launches;

use std::collections::BTreeSet;
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};

use super::args::{self, EngineArgs};
use super::dispatch_flags::{Dump, LaunchFlags, Wanted};
use super::identity::Identity;
use super::output::{self, Colour};
use super::printf;
use super::profiling::Profiler;
use super::replay::Seen;
use super::result_file;
use super::saves::Saves;
use super::totals::Totals;
use super::watch::WaveId;
use super::{CommandResult, live};
use gcnsim_engine::EngineError;
use gcnsim_engine::quote;
use gcnsim_engine::report::ByClass;
use gcnsim_engine::state_file::StateSpec;
use gcnsim_inputs::InputPath;
use gcnsim_launches::beside::{LaunchText, beside, lookalike};
use gcnsim_launches::launch::{LaunchDraft, LaunchFile, LaunchSpec, Outside};
use gcnsim_launches::lines::SourceLines;
use gcnsim_launches::report::LaunchReport;
use gcnsim_launches::{DispatchOptions, LaunchResult, Launcher, why};
use gcnsim_loader::code_object::CodeObject;
use gcnsim_loader::{LoadError, TargetChoice, means};
use gcnsim_machine::outcome::Outcome;
use gcnsim_sanitize::Checks;
use launches::Launches;

/// Arguments of dispatches.
#[derive(clap::Args, Default, Debug)]
#[command(next_help_heading = "Dispatches")]
pub(super) struct DispatchArgs {
    /// Run the dispatches of a launch file [default: FILE's stem with .toml or .json, if that is one]
    #[arg(long, value_name = "FILE")]
    launch: Option<PathBuf>,
    /// Only the launch with this name or number; those before it run first, unseen, if they share buffers
    #[arg(long, value_name = "NAME|N", conflicts_with = "grid")]
    only: Option<String>,
    /// Work-items of a dispatch of --kernel
    #[arg(long, value_name = "X[,Y,Z]", conflicts_with = "launch", requires = "group")]
    grid: Option<String>,
    /// Work-items of a group
    #[arg(long, value_name = "X[,Y,Z]", requires = "grid")]
    group: Option<String>,
    /// An argument, in order: f32=2.0, i32=1,2,3,4, hex=00ff, buf=FILE, buf=FILE:OUT, out=BYTES:FILE, zero=BYTES,
    /// local=BYTES, null
    #[arg(long = "arg", value_name = "ARG", requires = "grid", allow_hyphen_values = true)]
    args: Vec<String>,
    /// Write a buffer to a file after the last launch
    #[arg(long, value_name = "NAME=FILE")]
    dump_buffer: Vec<String>,
    /// Write the launch file with what came out as what is expected, in FILE's language (.json or .toml)
    #[arg(long, value_name = "FILE")]
    write_expect: Option<PathBuf>,
    /// --write-expect expects as many instructions, too
    #[arg(long, requires = "write_expect")]
    expect_instructions: bool,
    /// Replace the files that 'save' in a launch file names, though no run has written them
    #[arg(long)]
    force: bool,
    /// Files of a launch file may lie outside its folder
    #[arg(long)]
    allow_outside: bool,
    /// The wave that --trace and --dump-state show, by group and number in it [default: the one that stopped]
    #[arg(long, value_name = "X[,Y,Z]:W")]
    wave: Option<WaveId>,
    /// Show where the time goes and what the code does: one run is timed, another one is counted
    #[arg(long, conflicts_with = "jobs")]
    profile: bool,
    /// With --profile: every instruction of the functions that were reached, with counts and source lines
    #[arg(long, requires = "profile")]
    listing: bool,
    /// With --profile: write stacks for flame graphs, KERNEL;FUNCTION or LINE COUNT, summed over all launches
    #[arg(long, value_name = "FILE", requires = "profile")]
    folded: Option<PathBuf>,
    /// Look for mistakes of the kernel or, with --synthetic, the shader, in a second run: races, undefined reads,
    /// accesses outside the buffer of a pointer; without CHECKS all three
    #[arg(long, value_name = "race,uninit,bounds", num_args = 0..=1, require_equals = true,
          default_missing_value = "race,uninit,bounds", value_parser = Checks::parse)]
    sanitize: Option<Checks>,
    /// Bytes of the buffer that printf of a kernel writes to [default: 1048576]
    #[arg(long, value_name = "N", value_parser = args::u32_number)]
    printf_bytes: Option<u32>,
    /// Most threads [default: all cores]. Results are those of one thread: it runs groups that can tell their order
    /// (atomics that return values, GDS, computed jumps), and again those of which one writes what another accesses
    /// (note groups-overlap, with any number of threads)
    #[arg(long, value_name = "N", value_parser = args::u32_number)]
    jobs: Option<u32>,
}

impl DispatchArgs {
    /// Returns the arguments that choose a launch of a launch file, for commands that have no others of these.
    #[cfg(feature = "jit")]
    pub(super) fn of_launch_file(launch: Option<PathBuf>, only: Option<String>) -> DispatchArgs {
        DispatchArgs { launch, only, ..DispatchArgs::default() }
    }

    /// Returns the checks of the sanitizer; `None` if it is not wanted.
    pub(super) fn sanitize(&self) -> Option<Checks> {
        self.sanitize
    }

    /// Whether a profile is wanted.
    pub(super) fn profiles(&self) -> bool {
        self.profile
    }

    /// Returns the wave that the user chose.
    pub(super) fn wave(&self) -> Option<WaveId> {
        self.wave
    }

    /// Returns a flag that was given but has no meaning for a raw program with inputs.
    pub(super) fn needs_dispatch(&self) -> Option<&'static str> {
        self.sanitize.map(|_| "--sanitize").or(self.needs_launch())
    }

    /// Returns a flag that was given but has a meaning only for dispatches.
    pub(super) fn needs_launch(&self) -> Option<&'static str> {
        let given = [
            ("--profile", self.profile),
            ("--wave", self.wave.is_some()),
            ("--dump-buffer", !self.dump_buffer.is_empty()),
            ("--printf-bytes", self.printf_bytes.is_some()),
            ("--only", self.only.is_some()),
            ("--write-expect", self.write_expect.is_some()),
        ];
        given.into_iter().find(|&(_, is_given)| is_given).map(|(flag, _)| flag)
    }

    /// Returns a flag that was given and describes a dispatch.
    pub(super) fn is_launch(&self) -> Option<&'static str> {
        let given = [("--launch", self.launch.is_some()), ("--grid", self.grid.is_some())];
        given.into_iter().find(|&(_, is_given)| is_given).map(|(flag, _)| flag)
    }

    /// Whether the flags ask for more than one thread. A run without a dispatch has one wave, and so one thread.
    pub(super) fn wants_threads(&self) -> bool {
        self.jobs.is_some_and(|jobs| jobs > 1)
    }

    /// Returns the launches to run: from flags, from `--launch`, or from a launch file beside the code object. `None`
    /// if there are none of these.
    pub(super) fn wanted(&self, object: &Path, kernel: Option<&str>) -> anyhow::Result<Option<Wanted>> {
        if self.grid.is_some() {
            let flags = LaunchFlags { grid: &self.grid, group: &self.group, args: &self.args, kernel };
            return flags.wanted(self.dumps()?).map(Some);
        }
        let found = match &self.launch {
            Some(path) => Some(LaunchText::read(path)?),
            None => beside(object)?,
        };
        let Some(text) = found else {
            if let Some(path) = lookalike(object) {
                output::note(format_args!(
                    "{} looks like a launch file, but has no 'launch': it is not used",
                    args::quoted(&path)
                ));
            }
            return Ok(None);
        };
        let path = &text.path;
        let draft = LaunchDraft::parse(&text.text, text.syntax).with_context(|| args::quoted(path))?;
        let mut file = LaunchFile::try_from(draft.clone()).with_context(|| args::quoted(path))?;
        let mut shown = self.choose(&file, kernel).with_context(|| args::quoted(path))?;
        if file.buffers.is_empty() {
            let mut chosen = shown.iter();
            file.launches.retain(|_| chosen.next() == Some(&true));
            shown.retain(|&is_shown| is_shown);
        } else {
            let count = shown.iter().rposition(|&is_shown| is_shown).map_or(0, |last| last + 1);
            file.launches.truncate(count);
            shown.truncate(count);
        }
        let folder = text.folder().to_owned();
        let outside = if self.allow_outside { Outside::Allowed } else { Outside::Refused };
        let mut outputs = self.dumps()?;
        let seen = file.launches.iter().zip(&shown).filter(|&(_, &is_shown)| is_shown).map(|(launch, _)| launch);
        for spec in seen.flat_map(|launch| &launch.buffers).chain(&file.buffers) {
            let save = spec.save_in(&folder, outside).with_context(|| args::quoted(path))?;
            outputs.extend(save.map(|path| Dump { buffer: spec.name.clone(), path, is_save: true }));
        }
        let launch_file = Some(path.clone());
        let text = (text.text, text.syntax);
        Ok(Some(Wanted { file, shown, draft, text, folder, outside, outputs, launch_file, is_from_flags: false }))
    }

    /// Returns for each launch of `file` whether it is wanted.
    fn choose(&self, file: &LaunchFile, kernel: Option<&str>) -> anyhow::Result<Vec<bool>> {
        let launches = &file.launches;
        let mut chosen = vec![true; launches.len()];
        if let Some(only) = &self.only {
            let named = launches.iter().position(|launch| launch.name == *only);
            let index = named.or_else(|| only.parse().ok().filter(|&number: &usize| number < launches.len()));
            let Some(index) = index else {
                let names: Vec<_> = launches.iter().map(|launch| quote::text(&launch.name)).collect();
                bail!("no launch '{only}'; there are {}", names.join(", "));
            };
            chosen.fill(false);
            chosen[index] = true;
        }
        if let Some(kernel) = kernel {
            let is_of = |launch: &LaunchSpec| {
                launch.kernel.as_deref().is_some_and(|name| means(name, kernel) || means(kernel, name))
            };
            chosen.iter_mut().zip(launches).for_each(|(chosen, launch)| *chosen &= is_of(launch));
            if !chosen.contains(&true) {
                bail!("no launch of kernel '{kernel}'");
            }
        }
        Ok(chosen)
    }

    fn dumps(&self) -> anyhow::Result<Vec<Dump>> {
        let dump = |text: &String| match text.split_once('=') {
            Some((name, path)) if !name.is_empty() && !path.is_empty() => Ok(Dump::new(name, path)),
            _ => bail!("--dump-buffer {text}: NAME=FILE is expected"),
        };
        self.dump_buffer.iter().map(dump).collect()
    }
}

/// The arguments of `run` that concern dispatches.
pub(super) struct Request<'a> {
    /// Path of the code object.
    pub path: &'a Path,
    pub args: &'a DispatchArgs,
    pub engine: &'a EngineArgs,
    /// Target whose part of a bundle is run.
    pub arch: Option<TargetChoice>,
    /// Index of the part that is run.
    pub bundle: Option<usize>,
    pub max_insts: Option<u64>,
    pub json: bool,
    /// Most instructions of a wave to show; `None` without `--trace`.
    pub trace: Option<u64>,
    /// File for the state of a wave.
    pub dump_state: Option<&'a Path>,
    /// File for the coverage.
    pub coverage: Option<&'a Path>,
}

/// Most instructions of a launch that is run again to find the writer of a wrong value.
const MOST_TO_SEARCH: u64 = 100_000_000;

impl Request<'_> {
    /// Returns the options of all launches.
    fn options(&self, wanted: &Wanted) -> anyhow::Result<DispatchOptions> {
        let Request { args, json, .. } = *self;
        let stop = live::stop_on_signal("Ctrl-C will end the run without a report");
        let mut run = self.engine.options()?.stop(stop);
        (run.count_classes, run.time_regions) = (json && !args.profile, args.profile);
        let jobs = if args.profile { Some(1) } else { args.jobs.map(|jobs| jobs.max(1) as usize) };
        let options = DispatchOptions::default().run(run).jobs(jobs).max_insts(self.max_insts);
        Ok(options.outside(wanted.outside).printf_bytes(args.printf_bytes))
    }

    /// Whether launches run a second time, for who watches.
    fn runs_again(&self, wanted: &Wanted) -> bool {
        let is_watched = self.args.profile || self.args.sanitize.is_some() || self.coverage.is_some();
        is_watched || self.wants_wave() || wanted.expects()
    }

    /// Returns the name of a launch in messages.
    fn name_of(&self, launch: &LaunchSpec) -> String {
        format!("{}: launch '{}'", args::quoted(self.path), quote::text(&launch.name))
    }

    /// Whether a wave of the launch is shown.
    pub(super) fn wants_wave(&self) -> bool {
        self.trace.is_some() || self.dump_state.is_some()
    }

    /// Whether stdout gets something other than text for people.
    pub(super) fn is_for_programs(&self) -> bool {
        self.json || self.dump_to_stdout()
    }

    fn dump_to_stdout(&self) -> bool {
        self.dump_state == Some(Path::new("-"))
    }

    /// Checks that the flags fit each other and the launches.
    ///
    /// # Errors
    /// The error names the flags, or a buffer that does not exist.
    fn check(&self, wanted: &Wanted) -> anyhow::Result<()> {
        if self.args.wave.is_some() && !self.wants_wave() {
            bail!("--wave chooses the wave of --trace and --dump-state: one of them is missing");
        }
        if let (true, Some(other)) = (self.wants_wave(), wanted.shown().nth(1)) {
            bail!(
                "--trace and --dump-state show a wave of one launch: choose one with --only, such as '{}'",
                quote::text(&other.name)
            );
        }
        for Dump { buffer: name, .. } in &wanted.outputs {
            let buffers = || wanted.file.launches.iter().flat_map(|launch| &launch.buffers).chain(&wanted.file.buffers);
            if !buffers().any(|buffer| buffer.name == *name) {
                let held = buffers().map(|buffer| quote::text(&buffer.name)).collect::<Vec<_>>().join(", ");
                bail!("--dump-buffer: there is no buffer '{name}'; there are {held}");
            }
        }
        Ok(())
    }

    /// Checks that no output is a file that the run reads. `--write-expect` may be the launch file itself, and what
    /// `save` names may have been written by an earlier run (`saves`).
    fn check_files(&self, wanted: &Wanted, saves: Option<&Saves>) -> anyhow::Result<()> {
        let Request { args, dump_state, coverage, .. } = *self;
        let beside = coverage.and_then(super::coverage::beside);
        let expect = args.write_expect.as_deref();
        let flags =
            [dump_state.filter(|_| !self.dump_to_stdout()), coverage, beside.as_deref(), args.folded.as_deref()];
        let dumps = wanted.outputs.iter().map(|dump| dump.path.as_path());
        let outputs: BTreeSet<&Path> = dumps.chain(flags.into_iter().flatten()).collect();
        let inputs: Vec<PathBuf> = [self.path.to_owned()].into_iter().chain(wanted.inputs()).collect();
        let launch_file = wanted.launch_file.as_deref();
        let named = |path| InputPath::named(path);
        let mut alone: Vec<&Path> = outputs.iter().copied().collect();
        result_file::check_outputs(&alone, inputs.iter().map(PathBuf::as_path).chain(launch_file).map(named))?;
        alone.extend(expect.filter(|path| !outputs.contains(path)));
        // The launch file of a recording stands for its code.
        let inputs = inputs.iter().filter(|path| Some(path.as_path()) != launch_file);
        result_file::check_outputs(&alone, inputs.map(|path| InputPath::named(path)))?;
        if let (Some(saves), false) = (saves, args.force) {
            wanted.outputs.iter().filter(|dump| dump.is_save).try_for_each(|dump| saves.check(&dump.path))?;
        }
        Ok(())
    }
}

/// Runs what is wanted and reports each launch.
pub(super) fn execute(request: &Request, wanted: &Wanted) -> CommandResult {
    request.check(wanted)?;
    let saves = wanted.launch_file.as_deref().map(Saves::of);
    request.check_files(wanted, saves.as_ref())?;
    let path = request.path;
    let options = request.options(wanted)?;
    let bytes = args::load_object(path, request.arch)?;
    let (objects, skipped) =
        CodeObject::choose_parts(&bytes, request.arch.as_ref(), request.bundle).with_context(|| args::quoted(path))?;
    let chosen = objects_of_launches(&objects, &wanted.file).with_context(|| args::quoted(path))?;
    args::note_not_read(path, &skipped);
    let mut launches = Launches::new(request, wanted, (&objects, &chosen), &options)?;
    launches.saves = saves;
    note_unseen(wanted);
    for index in 0..wanted.file.launches.len() {
        if !launches.run(index)? {
            break;
        }
    }
    launches.finish()
}

/// Prints a note that names launches which run although they are not wanted.
fn note_unseen(wanted: &Wanted) {
    let unseen = wanted.file.launches.iter().zip(&wanted.shown).filter(|&(_, &is_shown)| !is_shown);
    let names: Vec<_> = unseen.map(|(launch, _)| format!("'{}'", quote::text(&launch.name))).collect();
    match &names[..] {
        [] => {}
        [name] => output::note(format_args!("launch {name} runs first, unseen: it shares buffers with what is wanted")),
        names => {
            let names = names.join(", ");
            output::note(format_args!("launches {names} run first, unseen: they share buffers with what is wanted"));
        }
    }
}

/// Prints what stands before the report of a launch: an empty line behind another one, and what the kernel printed.
fn begin(request: &Request, again: &Again, result: &LaunchResult, before: u64) -> anyhow::Result<()> {
    if before > 0 && !request.is_for_programs() {
        let mut out = output::stdout();
        writeln!(out)?;
        out.flush()?;
    }
    if let Some(printed) = &result.printed {
        printf::show(printed, &again.launch().name, request.is_for_programs())?;
    }
    Ok(())
}

/// Prints the report of a launch, and what its observers saw.
fn show(
    request: &Request,
    again: &Again,
    result: &LaunchResult,
    before: u64,
    seen: Seen,
    profiler: Option<&mut Profiler>,
) -> anyhow::Result<LaunchReport> {
    let json = request.json;
    dump_state(request, seen.state)?;
    let mut report = report(request, again, result);
    match &result.run.outcome {
        Ok(_) => {}
        Err(EngineError::Interrupted) => output::note("interrupted: the launch would have gone on"),
        Err(error) => output::message(error.name(), error),
    }
    if let (Some(jobs), Some(why)) = (request.args.jobs, report.jobs_ignored) {
        output::note(format_args!("--jobs {jobs}: one thread, because {why}"));
    }
    if let Some(hint) = waiting(result) {
        output::note(hint);
    }
    let mut profile = None;
    if let (Some(profiler), Some(counter)) = (profiler, &seen.counter) {
        // Classes come from the counting run: counting them would slow the timed run.
        report.run.by_class = json.then(|| ByClass(counter.classes()));
        profile = Some((profiler.profile(&again.launch().name, result, counter)?, profiler));
    }
    let lines = || SourceLines::of(&again.object.bytes);
    report.sanitizer = seen.sanitizer.map(|sanitizer| sanitizer.into_findings(&lines()));
    if !again.wanted.is_from_flags {
        report.place = Some((before as usize, again.wanted.shown().count()));
    }
    print(&report, request)?;
    if let Some((profile, profiler)) = profile {
        profiler.print(&profile, json)?;
    }
    Ok(report)
}

fn print_totals(totals: &Totals, request: &Request) -> anyhow::Result<()> {
    let text = format!("\n{}\n", totals.text());
    if request.dump_to_stdout() {
        let _ = output::stderr().write_all(text.as_bytes());
        return Ok(());
    }
    let mut out = output::stdout();
    out.write_all(text.as_bytes())?;
    Ok(out.flush()?)
}

/// Returns for each launch the index of the object that has its kernel.
pub(super) fn objects_of_launches(objects: &[CodeObject], file: &LaunchFile) -> anyhow::Result<Vec<usize>> {
    let mut chosen = Vec::new();
    for launch in &file.launches {
        let has = |object: &CodeObject| launch.kernel.as_ref().is_none_or(|name| object.has_kernel(name));
        let having: Vec<usize> = (0..objects.len()).filter(|&i| has(&objects[i])).collect();
        chosen.push(match &having[..] {
            [only] => *only,
            // The launch itself reports that the object has no such kernel.
            [] if objects.len() == 1 => 0,
            [] => {
                let name = launch.kernel.as_deref().unwrap_or_default();
                let held: BTreeSet<_> = objects.iter().flat_map(|o| &o.kernels).map(|k| k.name.as_str()).collect();
                let held = held.into_iter().take(50).collect::<Vec<_>>().join(", ");
                bail!("no part has a kernel '{name}'; there are {held}");
            }
            several => {
                let held = CodeObject::names(&several.iter().map(|&i| &objects[i]).collect::<Vec<_>>());
                return Err(LoadError::WhichPart { held }.into());
            }
        });
    }
    if !file.buffers.is_empty() && chosen.windows(2).any(|pair| pair[0] != pair[1]) {
        bail!(
            "launches share buffers, but their kernels are in several parts of the file: one launch file for each part"
        );
    }
    Ok(chosen)
}

/// The facts that are needed to run a launch again.
pub(super) struct Again<'a> {
    pub object: &'a CodeObject,
    pub launcher: &'a Launcher<'a>,
    wanted: &'a Wanted,
    /// Index of the launch in the file.
    index: usize,
    options: &'a DispatchOptions,
    /// SHA-256 of the launch and its inputs, if it is known already.
    sha256: Option<[u8; 32]>,
}

impl Again<'_> {
    pub(super) fn launch(&self) -> &LaunchSpec {
        &self.wanted.file.launches[self.index]
    }

    /// Whether the user sees this launch.
    pub(super) fn is_shown(&self) -> bool {
        self.wanted.shown[self.index]
    }
}

fn report(request: &Request, again: &Again, result: &LaunchResult) -> LaunchReport {
    let Again { object, wanted, index, options, .. } = again;
    let name = &again.launch().name;
    let engine = options.run.engine.name();
    let mut report = LaunchReport::new(name, object.chip, object.arch.name(), engine, result);
    report.jobs_ignored = result.run.one_thread.filter(|_| request.args.wants_threads()).map(why);
    report.run.set_part(object.part.as_deref());
    if request.json {
        report.run.by_class = Some(ByClass(result.run.classes));
        let sha256 =
            again.sha256.or_else(|| Identity { wanted, index: *index, stop: options.run.stop.as_deref() }.sha256());
        report.launch_sha256 = sha256.map(|sha256| sha256.iter().map(|byte| format!("{byte:02x}")).collect());
    }
    if let (Some(detail), true) = (&mut report.run.detail, result.run.instructions <= MOST_TO_SEARCH)
        && let (Some(buffer), Some(at), Some(_)) = (&detail.buffer, detail.at, detail.index)
    {
        let place = (buffer.as_str(), at);
        let writer = again.launcher.last_writer(place.0, place.1);
        // The launch runs again, unless memory is gone by now. Then the writer stays unknown.
        detail.written_by = writer.ok();
    }
    report
}

/// Explains a run that ended by its budget while groups waited. `None` if none did.
fn waiting(result: &LaunchResult) -> Option<String> {
    let stopped = result.run.stopped.as_ref().filter(|_| result.run.outcome == Ok(Outcome::Budget))?;
    let [x, y, z] = stopped.group;
    let (groups, waiting) = (result.facts.groups, result.run.waiting);
    (waiting > 0).then(|| {
        format!(
            "the budget ended in group {x},{y},{z} of {groups} groups while {waiting} others waited: for each other, or \
             for one that begins only when one of them ends"
        )
    })
}

/// Writes the state of a wave, for `--dump-state`.
fn dump_state(request: &Request, state: Option<StateSpec>) -> anyhow::Result<()> {
    let (Some(path), Some(state)) = (request.dump_state, state) else { return Ok(()) };
    if !request.dump_to_stdout() {
        return result_file::write(path, state.to_json().as_bytes());
    }
    let mut out = output::stdout_for(true);
    out.write_all(state.to_json().as_bytes())?;
    Ok(out.flush()?)
}

fn print(report: &LaunchReport, request: &Request) -> anyhow::Result<()> {
    if request.dump_to_stdout() {
        // If stderr is closed, the report is lost: there is no other stream for it.
        let _ = write!(output::stderr(), "{report}");
        return Ok(());
    }
    if request.json {
        let mut out = output::stdout_for(true);
        writeln!(out, "{}", report.to_json())?;
        return Ok(out.flush()?);
    }
    let colour = if report.run.outcome == "ended" { Colour::Green } else { Colour::Red };
    Ok(output::report(&report.to_string(), colour)?)
}
