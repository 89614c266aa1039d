//! Runs the launches of a dispatch, one after the other, and reports each.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, IsTerminal};
use std::path::Path;
use std::sync::atomic::Ordering;

use anyhow::Context;
use indicatif::{ProgressBar, ProgressStyle};

use super::super::dispatch_flags::{Dump, Wanted};
use super::super::identity::Identity;
use super::super::profiling::Profiler;
use super::super::replay::replay;
use super::super::saves::Saves;
use super::super::totals::Totals;
use super::super::write_expect::ExpectWriter;
use super::super::{CommandResult, Exit, args, coverage, output, result_file};
use super::{Again, Request, begin, print_totals, show};
use gcnsim_device::args::explicit;
use gcnsim_engine::EngineError;
use gcnsim_engine::quote;
use gcnsim_launches::coverage::{Coverage, Key, Spot};
use gcnsim_launches::launch::{BufferSpec, LaunchSpec};
use gcnsim_launches::{DispatchOptions, LaunchFailure, LaunchResult, Launcher};
use gcnsim_loader::code_object::CodeObject;
use gcnsim_machine::outcome::Outcome;

/// The launches of a request, and what has become of those that ran.
pub(super) struct Launches<'a> {
    request: &'a Request<'a>,
    wanted: &'a Wanted,
    options: &'a DispatchOptions,
    objects: &'a [CodeObject],
    /// The index of each launch's object.
    chosen: &'a [usize],
    /// By the index of the object.
    launchers: BTreeMap<usize, Launcher<'a>>,
    profilers: BTreeMap<usize, Profiler<'a>>,
    counted: Option<Counted>,
    pub saves: Option<Saves>,
    totals: Totals,
    /// Launches that were wanted, by their names.
    results: Vec<(&'a str, LaunchResult)>,
}

/// Coverage, with the key of each object.
struct Counted {
    coverage: Coverage,
    keys: BTreeMap<usize, Key>,
}

impl Counted {
    fn new(path: &Path, objects: &[CodeObject], used: &BTreeSet<usize>) -> Counted {
        let coverage = Coverage::default();
        let key = |&i: &usize| Some((i, coverage.code_object(&args::name(path), &objects[i]).ok()??));
        let keys = used.iter().filter_map(key).collect();
        Counted { coverage, keys }
    }
}

impl<'a> Launches<'a> {
    /// Prepares all launches. They are checked before the first one runs.
    pub fn new(
        request: &'a Request<'a>,
        wanted: &'a Wanted,
        (objects, chosen): (&'a [CodeObject], &'a [usize]),
        options: &'a DispatchOptions,
    ) -> anyhow::Result<Launches<'a>> {
        let Request { path, args, .. } = *request;
        let used: BTreeSet<usize> = chosen.iter().copied().collect();
        let is_run_again = request.runs_again(wanted);
        let launcher = |&i: &usize| {
            let launcher = Launcher::new(&objects[i], &wanted.folder, &wanted.file.buffers, options)?;
            Ok((i, if is_run_again { launcher.remembering() } else { launcher }))
        };
        let launchers = used.iter().map(launcher).collect::<anyhow::Result<BTreeMap<_, _>>>()?;
        for (launch, index) in wanted.file.launches.iter().zip(chosen) {
            launchers[index].check(launch).with_context(|| request.name_of(launch))?;
        }
        let counted = request.coverage.map(|_| Counted::new(path, objects, &used));
        let profiler = |&i: &usize| Ok((i, Profiler::new(&objects[i], path, args.listing, args.folded.is_some())?));
        let profilers = used.iter().filter(|_| args.profile).map(profiler);
        let profilers = profilers.collect::<anyhow::Result<BTreeMap<usize, Profiler>>>();
        let profilers = profilers.with_context(|| args::quoted(path))?;
        let (totals, results) = (Totals::default(), Vec::new());
        let saves = None;
        Ok(Launches {
            request,
            wanted,
            options,
            objects,
            chosen,
            launchers,
            profilers,
            counted,
            saves,
            totals,
            results,
        })
    }

    /// Runs a launch and reports it. Returns whether the next one may run.
    pub fn run(&mut self, index: usize) -> anyhow::Result<bool> {
        let launch = &self.wanted.file.launches[index];
        let name = || self.request.name_of(launch);
        let Some(launcher) = self.launchers.get_mut(&self.chosen[index]) else { return Ok(true) };
        let (result, sha256) = execute_one(self.request, (self.wanted, index), launcher, self.options);
        let result = result.with_context(name)?;
        let interrupted = result.run.outcome == Err(EngineError::Interrupted);
        let object = &self.objects[self.chosen[index]];
        let again = Again { object, launcher, wanted: self.wanted, index, options: self.options, sha256 };
        if again.is_shown() {
            begin(self.request, &again, &result, self.totals.launches)?;
        }
        let counted =
            self.counted.as_ref().and_then(|counted| Some((counted, *counted.keys.get(&self.chosen[index])?)));
        let mut seen = replay(self.request, &again, &result, counted.is_some()).with_context(name)?;
        if let (Some((counted, key)), Some(hits)) = (counted, seen.hits.take()) {
            counted.coverage.add(Spot { key, bias: 0 }, &hits);
        }
        if again.is_shown() {
            let profiler = self.profilers.get_mut(&self.chosen[index]);
            let report =
                show(self.request, &again, &result, self.totals.launches, seen, profiler).with_context(name)?;
            if self.request.json && self.is_stopped() && !interrupted && report.launch_sha256.is_none() {
                self.totals.lack_hash();
            }
            self.totals.add(&report, &result, self.request.args.write_expect.is_some());
            save(self.wanted, &result, &launch.buffers, self.saves.as_mut())?;
        } else if !ended(&result) {
            self.totals.unseen(launch, &result);
        }
        if self.wanted.shown[index] {
            self.results.push((launch.name.as_str(), result));
        }
        Ok(!interrupted && !self.totals.lacks_hash)
    }

    /// Whether Ctrl-C has come.
    fn is_stopped(&self) -> bool {
        self.options.run.stop.as_ref().is_some_and(|stop| stop.load(Ordering::Relaxed))
    }

    /// Writes what is of all launches. Returns the exit code.
    pub fn finish(mut self) -> CommandResult {
        let Request { args, coverage, .. } = *self.request;
        if let (Some(path), Some(counted)) = (coverage, self.counted.take()) {
            coverage::write(path, counted.coverage)?;
        }
        if let (Some(path), false) = (&args.folded, self.profilers.is_empty()) {
            let folded: String = self.profilers.values().map(Profiler::folded).collect();
            result_file::write(path, folded.as_bytes())?;
        }
        if let Some((_, last)) = self.results.last() {
            save(self.wanted, last, &self.wanted.file.buffers, self.saves.as_mut())?;
        }
        self.saves.iter_mut().for_each(Saves::finish);
        if self.totals.launches > 1 && !self.request.json {
            print_totals(&self.totals, self.request)?;
        }
        if let Some(path) = args.write_expect.as_deref() {
            self.write_expect(path)?;
        }
        Ok(self.totals.worst)
    }

    /// Writes the results into the launch file, as its expectations.
    fn write_expect(&self, path: &Path) -> anyhow::Result<()> {
        let (wanted, results) = (self.wanted, &self.results);
        if results.len() != wanted.shown().count() || self.totals.worst == Exit::OurFault {
            output::note(format_args!("{} is not written", args::quoted(path)));
            return Ok(());
        }
        let types = |name: &str| source_types(wanted, name, self.objects, self.chosen);
        let (object, instructions) = (self.request.path, self.request.args.expect_instructions);
        ExpectWriter { path, object, instructions, wanted, types: &types }.write(results)
    }
}

/// Executes a launch. Returns its result, and the SHA-256 of the launch and its inputs if it was computed meanwhile.
fn execute_one(
    request: &Request,
    (wanted, index): (&Wanted, usize),
    launcher: &mut Launcher,
    options: &DispatchOptions,
) -> (Result<LaunchResult, LaunchFailure>, Option<[u8; 32]>) {
    let launch = &wanted.file.launches[index];
    let bar = progress_bar(launch);
    // If nobody sees the bar, threads do not update it, because they would wait for each other.
    let is_seen = !bar.is_hidden();
    let identity = Identity { wanted, index, stop: options.run.stop.as_deref() };
    // Who asks for a number of threads gets no other one.
    let is_wanted = request.json && wanted.shown[index] && options.jobs.is_none();
    let done = identity.beside(is_wanted, || {
        launcher.launch(launch, &|done| {
            if is_seen {
                bar.set_position(done);
            }
        })
    });
    bar.finish_and_clear();
    done
}

/// Returns the types of the explicit arguments of a launch's kernel in the source; `None` where nothing says them.
fn source_types(wanted: &Wanted, launch: &str, objects: &[CodeObject], chosen: &[usize]) -> Vec<Option<String>> {
    let launches = wanted.file.launches.iter().zip(chosen);
    let Some((launch, &object)) = launches.into_iter().find(|(spec, _)| spec.name == launch) else { return Vec::new() };
    let Ok(kernel) = Launcher::kernel(&objects[object], launch.kernel.as_deref()) else { return Vec::new() };
    let args = explicit(&objects[object].kernels[kernel]).unwrap_or_default();
    args.into_iter().map(|arg| arg.type_name.clone()).collect()
}

fn ended(result: &LaunchResult) -> bool {
    result.run.outcome == Ok(Outcome::Ended)
}

/// Writes the buffers of a launch that `--dump-buffer` or `save` names. Those of `save` are added to `saves`.
fn save(
    wanted: &Wanted,
    result: &LaunchResult,
    specs: &[BufferSpec],
    mut saves: Option<&mut Saves>,
) -> anyhow::Result<()> {
    for Dump { buffer, path, is_save } in &wanted.outputs {
        if specs.iter().any(|spec| spec.name == *buffer)
            && let Some(bytes) = result.buffer(buffer)
        {
            result_file::write(path, &bytes)?;
            if let (Some(saves), true) = (&mut saves, is_save) {
                saves.add(path, &bytes);
            }
        }
    }
    Ok(())
}

fn progress_bar(launch: &LaunchSpec) -> ProgressBar {
    if !io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new(launch.geometry.grid().count());
    let style = ProgressStyle::with_template("{msg} {wide_bar} {pos}/{len} groups {eta}");
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    // If the launch has no name, its name is its number. Its kernel says more.
    let is_numbered = launch.name.bytes().all(|byte| byte.is_ascii_digit());
    let kernel = launch.kernel.as_ref().filter(|_| is_numbered);
    bar.set_message(quote::text(kernel.unwrap_or(&launch.name)).into_owned());
    bar
}
