//! Runs the launches of a file on two code objects and compares the buffers and images afterwards.

use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::sync::Arc;

use gcnsim_engine::Observers;
use gcnsim_engine::{EngineError, RunOptions};
use gcnsim_inputs::EntryName;
use gcnsim_launches::launch::{BufferSpec, LaunchDraft, LaunchSpec};
use gcnsim_launches::lines::SourceLines;
use gcnsim_launches::{DispatchOptions, LaunchResult, Launcher};
use gcnsim_loader::code_object::CodeObject;
use gcnsim_machine::outcome::Outcome;

use crate::compare::{Compared, Difference};
use crate::endless::{self, Stopped};
use crate::origin::Origins;
use crate::pair::{Entry, codes, empty, outcome_words};
use crate::resolve::{self, Both, Side};
use crate::result::{First, PairResult, Verdict};
use crate::step::{Follow, Shown};
use crate::trace::Trace;
use crate::value::Tolerance;

/// The launches of two files.
pub(crate) struct Launches<'a> {
    /// The launch file of the old side, which both sides run.
    pub draft: &'a LaunchDraft,
    /// The launch file of the new side, if launches are by registers: then each side runs its own.
    pub own: Option<&'a LaunchDraft>,
    /// The folder that each side reads files from.
    pub folders: [&'a Path; 2],
    /// Whether files that launches name can be read.
    pub has_folder: bool,
    pub objects: [&'a CodeObject; 2],
    /// All objects of the old file.
    pub all_old: &'a [CodeObject],
    pub options: &'a DispatchOptions,
    pub tolerance: Tolerance,
    pub with_codes: bool,
}

/// Returns the options of launches. Each launch runs on one thread, because pairs run in parallel.
pub(crate) fn options(run: &RunOptions, max_insts: Option<u64>) -> DispatchOptions {
    DispatchOptions::default()
        .run(run.clone())
        .jobs(1)
        .max_insts(max_insts)
        .default_max_insts(gcnsim_launches::DEFAULT_BUDGET)
}

impl Launches<'_> {
    /// Runs all launches, except those whose kernel is in another object of the old file. `each` gets the results;
    /// `entry` finds the entries of a kernel on each side. Returns false if the run was stopped.
    pub fn run<'e>(
        &self,
        name: &dyn Fn(Option<&str>, &str) -> EntryName,
        entry: &dyn Fn(usize, &str) -> Option<Entry<'e>>,
        each: &mut dyn FnMut(PairResult),
    ) -> bool {
        let launcher =
            |side: usize| Launcher::new(self.objects[side], self.folders[side], &self.draft.buffers, self.options);
        let launchers = [launcher(0), launcher(1)];
        let launchers = launchers.map(|launcher| launcher.map(Launcher::remembering));
        let failed = |name: EntryName, why: String| PairResult { why: Some(why), ..empty(name, Verdict::Failed) };
        let [Ok(mut old), Ok(mut new)] = launchers else {
            let errors = launchers.into_iter().zip(["old", "new"]);
            let why = errors.filter_map(|(launcher, side)| Some(format!("{side}: {}", launcher.err()?))).next();
            each(failed(name(None, ""), why.unwrap_or_default()));
            return true;
        };
        for (launch, spec) in &self.draft.launches {
            let kernel = spec.as_ref().ok().and_then(|spec| spec.kernel.as_deref());
            if kernel.is_some_and(|kernel| self.is_of_another(kernel)) {
                continue;
            }
            let object = self.objects[0];
            let symbol = |name| object.kernel_index(name).map_or(name, |i| object.kernels[i].name.as_str());
            let kernel = kernel.map(symbol).or_else(|| self.only_kernel());
            let of_pair = name(kernel, launch);
            let spec = match spec {
                Ok(spec) => spec,
                Err(error) => {
                    each(failed(of_pair, format!("launch file: {error}")));
                    continue;
                }
            };
            if let Some(file) = self.unreadable(spec) {
                each(failed(of_pair, format!("{file} is wanted: files of launches in archives are not read")));
                continue;
            }
            let own = match self.own_of(spec) {
                Ok(own) => own,
                Err(why) => {
                    each(failed(of_pair, format!("new: {why}")));
                    continue;
                }
            };
            let results = [old.launch(spec, &|_| {}), new.launch(own, &|_| {})];
            let [Ok(a), Ok(b)] = results else {
                let errors = results.into_iter().zip(["old", "new"]);
                let why = errors.filter_map(|(result, side)| Some(format!("{side}: {}", result.err()?))).next();
                each(failed(of_pair, why.unwrap_or_default()));
                continue;
            };
            let (launchers, kernel) = ([&old, &new], kernel.unwrap_or(""));
            let Some(pair) = self.compared(of_pair, launchers, kernel, [&a, &b], entry) else { return false };
            each(pair);
        }
        true
    }

    /// Returns the launch that the new side runs.
    ///
    /// # Errors
    /// The reason why there is none, in words.
    fn own_of<'s>(&'s self, spec: &'s LaunchSpec) -> Result<&'s LaunchSpec, String> {
        let Some(own) = self.own.filter(|_| spec.registers.is_some()) else { return Ok(spec) };
        let found = own.launches.iter().find(|(name, _)| *name == spec.name);
        let (_, found) = found.ok_or_else(|| format!("there is no launch '{}'", spec.name))?;
        found.as_ref().map_err(|error| format!("launch file: {error}"))
    }

    /// Whether a kernel is in another object of the old file, but not in this one.
    fn is_of_another(&self, kernel: &str) -> bool {
        !self.objects[0].has_kernel(kernel) && self.all_old.iter().any(|object| object.has_kernel(kernel))
    }

    fn only_kernel(&self) -> Option<&str> {
        match &self.objects[0].kernels[..] {
            [only] => Some(&only.name),
            _ => None,
        }
    }

    /// Returns a file that the launch names and that nobody can read, if there is one.
    fn unreadable(&self, spec: &LaunchSpec) -> Option<String> {
        let shared = self.draft.buffers.iter().filter_map(BufferSpec::file_path);
        let file = shared.chain(spec.files()).next().filter(|_| !self.has_folder)?;
        Some(file.display().to_string())
    }

    fn compared<'e>(
        &self,
        name: EntryName,
        launchers: [&Launcher<'_>; 2],
        kernel: &str,
        results: [&LaunchResult; 2],
        entry: &dyn Fn(usize, &str) -> Option<Entry<'e>>,
    ) -> Option<PairResult> {
        let mut pair = empty(name, Verdict::Same);
        (pair.stage, pair.worlds) = (Some("compute"), vec!["launch".into()]);
        pair.instructions = results.map(|result| result.run.instructions);
        if results.iter().any(|result| result.run.outcome == Err(EngineError::Interrupted)) {
            return None;
        }
        let ends = results.map(|result| match &result.run.outcome {
            Ok(outcome) => outcome_words(outcome),
            Err(error) => error.to_string(),
        });
        let has_ended = results.map(|result| result.run.outcome == Ok(Outcome::Ended));
        match has_ended {
            [true, true] => {}
            [false, false] => {
                let why = Some(format!("old: {}; new: {}", ends[0], ends[1]));
                return Some(PairResult { result: Verdict::Failed, why, ..pair });
            }
            _ => {
                let [old, new] = ends.map(Some);
                let mut first = First { what: "outcome".into(), old, new, ..First::default() };
                let stopped = |side: usize| Stopped {
                    outcome: results[side].run.outcome.as_ref().ok().copied(),
                    wave: results[side].run.stopped.as_deref(),
                    program: results[side].placed.dispatch.code.program(),
                    moved: results[side].placed.dispatch.moved,
                    lines: SourceLines::of(&self.objects[side].bytes),
                };
                endless::name(&mut first, [stopped(0), stopped(1)]);
                let marks = [first.pc_old, first.pc_new].map(|pc| pc.map(|pc| pc.0));
                if let (true, Some(old), Some(new)) = (self.with_codes, entry(0, kernel), entry(1, kernel)) {
                    pair.codes = codes([&old, &new], marks);
                }
                pair.first = Some(first);
                return Some(PairResult { result: Verdict::Differ, world: Some("launch".into()), ..pair });
            }
        }
        let memory = results.map(|result| {
            let of = result.buffers.iter().map(|buffer| (buffer.name.as_str(), buffer.size));
            of.collect::<Vec<_>>()
        });
        if memory[0] != memory[1] {
            let why = Some("memory".to_owned());
            return Some(PairResult { result: Verdict::Incomparable, why, ..pair });
        }
        let mut compared = buffers(results);
        let mut origins = None;
        if !compared.differences.is_empty() {
            let both = [0, 1].map(|side| origins_of(launchers[side], results[side], compared.addresses(side)));
            resolve::tolerate(&mut compared, &both, self.tolerance);
            origins = Some(both);
        }
        pair.counts = compared.counts;
        if let Some(why) = compared.undecided() {
            return Some(PairResult { result: Verdict::Incomparable, why: Some(why), ..pair });
        }
        if let (Some(origins), Some(difference)) = (origins, compared.differences.first()) {
            let first = self.explain(launchers, difference, &origins, results);
            let marks = [first.pc_old, first.pc_new].map(|pc| pc.map(|pc| pc.0));
            if let (true, Some(old), Some(new)) = (self.with_codes, entry(0, kernel), entry(1, kernel)) {
                pair.codes = codes([&old, &new], marks);
            }
            pair.first = Some(first);
            (pair.result, pair.world) = (Verdict::Differ, Some("launch".into()));
        }
        Some(pair)
    }

    fn explain(
        &self,
        launchers: [&Launcher<'_>; 2],
        difference: &Difference,
        origins: &Both,
        results: [&LaunchResult; 2],
    ) -> First {
        let id = resolve::wave(difference, origins);
        let mut group = None;
        let traces = [0, 1].map(|side| {
            let mut trace = Trace::of_group(id.map_or(0, |id| id.group));
            let groups = watch(launchers[side], &mut trace);
            group = groups.into_iter().find(|(_, number)| id.is_some_and(|id| id.group == *number));
            trace
        });
        let lines = self.objects.map(|object| SourceLines::of(&object.bytes));
        let line = [0, 1].map(|side: usize| {
            let lines = &lines[side];
            move |address: u64| lines.at(address)
        });
        let file = [0, 1].map(|side: usize| {
            let placed = Arc::clone(&results[side].placed);
            move |pc: u64| placed.address_of_file(pc)
        });
        let side = |side: usize| Side {
            program: results[side].placed.dispatch.code.program(),
            file_address: &file[side],
            line: &line[side],
        };
        let mut first = resolve::explain(difference, origins, &traces, &[side(0), side(1)]);
        (first.group, first.wave) = (group.map(|(group, _)| group), id.map(|id| id.wave));
        first
    }
}

/// Runs the last launch again and shows each step to `follower`. Returns the numbers of the groups.
fn watch(launcher: &Launcher<'_>, follower: &mut dyn Follow) -> HashMap<[u32; 3], u32> {
    let mut shown = Shown::new(follower);
    // If there is no memory for another run, nothing is shown.
    let _ = launcher.again(&mut Observers::one(&mut shown));
    shown.groups
}

fn origins_of(launcher: &Launcher<'_>, result: &LaunchResult, wanted: HashSet<u64>) -> Origins {
    let mut origins = Origins::new(result.placed.dispatch.code.program().base(), wanted);
    watch(launcher, &mut origins);
    origins
}

/// Compares the buffers of two launches that have the same ones.
fn buffers(results: [&LaunchResult; 2]) -> Compared {
    let mut compared = Compared::default();
    for (old, new) in results[0].buffers.iter().zip(&results[1].buffers) {
        compared.counts.stores.compared += old.size.div_ceil(4);
        if old.hash == new.hash {
            continue;
        }
        let bytes = [results[0].buffer(&old.name), results[1].buffer(&new.name)];
        let [Some(a), Some(b)] = bytes else { continue };
        let is_image = old.image.is_some();
        let dword = |bytes: &[u8]| bytes.iter().rev().fold(0, |all, byte| all << 8 | u32::from(*byte));
        // The texels are without padding, so their addresses are not known.
        let address = |side: usize, offset: u64| {
            let address = results[side].placed.address_of(&old.name, offset).filter(|_| !is_image);
            address.unwrap_or(u64::MAX)
        };
        for (index, (x, y)) in a.chunks(4).zip(b.chunks(4)).enumerate().filter(|(_, (x, y))| x != y) {
            let offset = 4 * index as u64;
            if !is_image && compared.keeps_more() {
                for at in index.saturating_sub(1)..index + 2 {
                    for (side, bytes) in [&a, &b].into_iter().enumerate() {
                        let value = bytes.chunks(4).nth(at).map(dword);
                        compared.dwords[side].extend(value.map(|value| (address(side, 4 * at as u64), value)));
                    }
                }
            }
            let (addresses, values) = ([0, 1].map(|side| address(side, offset)), [x, y].map(dword));
            compared.add(Difference::Buffer { name: old.name.clone(), offset, addresses, values });
        }
    }
    compared
}
