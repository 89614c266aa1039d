//! Runs all pairs of two lists on several threads and passes on the results in order.

use std::collections::{BTreeMap, HashMap};
use std::io;
use std::panic::{self, AssertUnwindSafe};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use gcnsim_engine::RunOptions;
use gcnsim_inputs::{EntryName, Opened, Opener, PartName, RawFiles};
use gcnsim_launches::launch::LaunchDraft;
use gcnsim_loader::code_object::CodeObject;
use gcnsim_loader::{Entry as FileEntry, FileBytes};
use gcnsim_machine::world::World;
use gcnsim_synthetic::Subject;

use crate::launches::{self, Launches};
use crate::pair::{self, Entry, PairRunner, Settings};
use crate::pairs::{self, Files, Pairs};
use crate::result::{PairResult, Verdict};
use crate::value::Tolerance;

/// Time between two reports of progress.
const TICK: Duration = Duration::from_millis(100);
/// Most results that wait for a slow pair before others wait, too.
const HELD_BACK: usize = 4096;

/// Options of a comparison.
#[derive(Clone)]
#[non_exhaustive]
pub struct Options {
    /// Settings of the engine.
    pub run: RunOptions,
    /// The worlds in which pairs without launch file run.
    pub worlds: Vec<World>,
    /// The tolerance of floats.
    pub tolerance: Tolerance,
    /// Budget in instructions: of a wave in a world, of a launch.
    pub max_insts: Option<u64>,
    /// How the files are read that are no code objects.
    pub raw: RawFiles,
    /// Number of threads.
    pub jobs: usize,
    /// Whether results have the codes of pairs that differ.
    pub with_codes: bool,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            run: RunOptions::default(),
            worlds: pair::DEFAULT_WORLDS.to_vec(),
            tolerance: Tolerance::DEFAULT,
            max_insts: None,
            raw: RawFiles::default(),
            jobs: thread::available_parallelism().map_or(1, usize::from),
            with_codes: true,
        }
    }
}

impl Options {
    /// Sets the engine.
    #[must_use]
    pub fn run(self, run: RunOptions) -> Options {
        Options { run, ..self }
    }

    /// Sets the worlds in which pairs without launch file run.
    #[must_use]
    pub fn worlds(self, worlds: impl Into<Vec<World>>) -> Options {
        Options { worlds: worlds.into(), ..self }
    }

    /// Sets the tolerance of floats.
    #[must_use]
    pub fn tolerance(self, tolerance: Tolerance) -> Options {
        Options { tolerance, ..self }
    }

    /// Sets the budget in instructions: of a wave in a world, of a launch.
    #[must_use]
    pub fn max_insts(self, max_insts: u64) -> Options {
        Options { max_insts: Some(max_insts), ..self }
    }

    /// Sets how the files are read that are no code objects.
    #[must_use]
    pub fn raw(self, raw: RawFiles) -> Options {
        Options { raw, ..self }
    }

    /// Sets the number of threads.
    #[must_use]
    pub fn jobs(self, jobs: usize) -> Options {
        Options { jobs, ..self }
    }
}

/// A result that is passed on.
#[derive(Debug)]
pub enum Item {
    /// The result of a pair.
    Pair(Box<PairResult>),
    /// The name of an entry that only the old side has.
    Removed(String),
    /// The name of an entry that only the new side has.
    Added(String),
}

/// The progress of a comparison.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
#[non_exhaustive]
pub struct Progress {
    /// Number of pairs of entries that are done.
    pub done: u64,
    /// Number of pairs that are known. A pair of files that was not opened counts as one.
    pub known: u64,
    /// Number of pairs that are not the same.
    pub not_same: u64,
}

/// Runs the pairs. `take` gets the results in order; `tick` gets the progress a few times a second. When `stop` becomes
/// true, no further pair begins. Returns whether all pairs were run.
///
/// # Errors
/// The first error of `take`.
pub fn run(
    sides: [&Files; 2],
    pairs: &Pairs,
    options: &Options,
    stop: &Arc<AtomicBool>,
    take: &mut (dyn FnMut(Item) -> io::Result<()> + Send),
    tick: &mut dyn FnMut(Progress),
) -> io::Result<bool> {
    let shared = Shared {
        sides,
        pairs,
        options,
        stop,
        next: AtomicUsize::new(0),
        done: AtomicU64::new(0),
        known: AtomicU64::new(pairs.pairs.len() as u64),
        not_same: AtomicU64::new(0),
        order: Mutex::new(Order { early: BTreeMap::new(), next: 0, take, error: None, is_cut: false }),
        room: Condvar::new(),
        at_work: Mutex::new(options.jobs.max(1)),
        over: Condvar::new(),
    };
    thread::scope(|scope| {
        for _ in 0..options.jobs.max(1) {
            scope.spawn(|| {
                let _guard = AtWork(&shared);
                Worker::new(&shared).run();
            });
        }
        let mut at_work = lock(&shared.at_work);
        while *at_work > 0 {
            at_work = shared.over.wait_timeout(at_work, TICK).unwrap_or_else(PoisonError::into_inner).0;
            tick(shared.progress());
        }
    });
    let order = shared.order.into_inner().unwrap_or_else(PoisonError::into_inner);
    match order.error {
        Some(error) => Err(error),
        None => Ok(order.next == pairs.pairs.len() && !order.is_cut),
    }
}

fn lock<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Data that threads share.
struct Shared<'a> {
    sides: [&'a Files; 2],
    pairs: &'a Pairs,
    options: &'a Options,
    stop: &'a Arc<AtomicBool>,
    next: AtomicUsize,
    done: AtomicU64,
    known: AtomicU64,
    not_same: AtomicU64,
    order: Mutex<Order<'a>>,
    /// Signals that results were passed on.
    room: Condvar,
    at_work: Mutex<usize>,
    /// Signals that a thread has ended.
    over: Condvar,
}

impl Shared<'_> {
    fn progress(&self) -> Progress {
        let [done, known, not_same] = [&self.done, &self.known, &self.not_same].map(|of| of.load(Ordering::Relaxed));
        Progress { done, known, not_same }
    }

    /// Counts a pair that is done.
    fn count(&self, pair: &PairResult) {
        self.done.fetch_add(1, Ordering::Relaxed);
        self.not_same.fetch_add(u64::from(pair.result != Verdict::Same), Ordering::Relaxed);
    }
}

/// Results that have not been passed on.
struct Order<'a> {
    /// Results, by the index of their pair of files.
    early: BTreeMap<usize, Vec<Item>>,
    next: usize,
    take: &'a mut (dyn FnMut(Item) -> io::Result<()> + Send),
    error: Option<io::Error>,
    /// Whether results of the last pair of files are missing.
    is_cut: bool,
}

/// A guard that counts a thread as at work until it is dropped: when the thread ends, or in a panic.
struct AtWork<'s, 'a>(&'s Shared<'a>);

impl Drop for AtWork<'_, '_> {
    fn drop(&mut self) {
        *lock(&self.0.at_work) -= 1;
        self.0.over.notify_all();
    }
}

/// The work of a thread.
struct Worker<'s, 'a> {
    shared: &'s Shared<'a>,
    openers: [Opener; 2],
    pairs: PairRunner<'s>,
    /// Number of pairs of the present files that were counted as known: one before the files are opened.
    expected: u64,
}

impl<'s, 'a> Worker<'s, 'a> {
    fn new(shared: &'s Shared<'a>) -> Worker<'s, 'a> {
        let options = shared.options;
        let opener = || Opener::new(options.raw);
        let openers = [opener(), opener()];
        Worker { shared, openers, pairs: new_runner(options), expected: 1 }
    }

    fn is_stopped(&self) -> bool {
        self.shared.stop.load(Ordering::Relaxed)
    }

    fn run(&mut self) {
        let count = self.shared.pairs.pairs.len();
        loop {
            let index = self.shared.next.fetch_add(1, Ordering::Relaxed);
            if index >= count || self.is_stopped() {
                return;
            }
            self.expected = 1;
            let mut items = Vec::new();
            let caught =
                panic::catch_unwind(AssertUnwindSafe(|| self.files(self.shared.pairs.pairs[index], &mut items)));
            let is_whole = caught.unwrap_or_else(|payload| {
                // After a panic the engine may be in any state.
                self.pairs = new_runner(self.shared.options);
                let text = payload.downcast_ref::<String>().cloned();
                let text = text.or_else(|| payload.downcast_ref::<&str>().map(|text| (*text).to_owned()));
                let why = format!("internal error: {}", text.unwrap_or_default());
                items.push(self.failed(self.shared.pairs.pairs[index], why));
                true
            });
            if !self.hand_on(index, items, is_whole) {
                return;
            }
        }
    }

    /// Passes on the results that are next in order. Returns false if the thread has to stop.
    fn hand_on(&self, index: usize, items: Vec<Item>, is_whole: bool) -> bool {
        let shared = self.shared;
        let pairs = items.iter().filter(|item| matches!(item, Item::Pair(_))).count() as u64;
        // Wraps: the number may be less than was expected.
        shared.known.fetch_add(pairs.wrapping_sub(self.expected), Ordering::Relaxed);
        let mut order = lock(&shared.order);
        order.early.insert(index, items);
        if !is_whole {
            // After a pair of files that was cut short, results are dropped.
            order.early.retain(|&other, _| other <= index);
        }
        loop {
            let next = order.next;
            let Some(items) = order.early.remove(&next) else { break };
            for item in items {
                if order.error.is_none()
                    && let Err(error) = (order.take)(item)
                {
                    order.error = Some(error);
                    shared.stop.store(true, Ordering::Relaxed);
                }
            }
            order.next += 1;
            if !is_whole && next == index {
                order.is_cut = true;
            }
        }
        shared.room.notify_all();
        while order.early.len() > HELD_BACK && !shared.stop.load(Ordering::Relaxed) {
            order = shared.room.wait_timeout(order, TICK).unwrap_or_else(PoisonError::into_inner).0;
        }
        order.error.is_none() && is_whole
    }

    /// Returns the name of a pair of files: the path that both have. If one side is a single file, it is the name on
    /// the other side, if that has one.
    fn file_name(&self, (old, new): (usize, usize)) -> String {
        let [old_files, new_files] = self.shared.sides;
        let is_single = new_files.inputs.is_named(new) && !old_files.inputs.is_named(old);
        if is_single { old_files.name(old) } else { new_files.name(new) }
    }

    fn failed(&self, pair: (usize, usize), why: String) -> Item {
        let name = EntryName::new(&self.file_name(pair), None, None);
        self.done(PairResult { why: Some(why), ..pair::empty(name, Verdict::Failed) })
    }

    /// Returns the result of a pair as an item, and counts it.
    fn done(&self, pair: PairResult) -> Item {
        self.shared.count(&pair);
        Item::Pair(Box::new(pair))
    }

    /// Runs the pairs of entries of two files. Returns false if pairs were left out.
    fn files(&mut self, pair: (usize, usize), items: &mut Vec<Item>) -> bool {
        let [old, new] = self.shared.sides;
        let opened = [self.openers[0].open(&old.inputs, pair.0), self.openers[1].open(&new.inputs, pair.1)];
        let [old, new] = match opened {
            [Ok(old), Ok(new)] => [old, new],
            [Err(why), Ok(_)] => return self.push_failed(pair, format!("old: {why}"), items),
            [Ok(_), Err(why)] => return self.push_failed(pair, format!("new: {why}"), items),
            [Err(old), Err(new)] => return self.push_failed(pair, format!("old: {old}; new: {new}"), items),
        };
        let objects = [objects(&old), objects(&new)];
        match &old.launch {
            Some(launch) => {
                let draft = match LaunchDraft::parse(&launch.text, launch.syntax) {
                    Ok(draft) => draft,
                    Err(error) => return self.push_failed(pair, format!("launch file: {error}"), items),
                };
                self.launches(pair, [&old, &new], [&objects[0], &objects[1]], &draft, items)
            }
            None => self.entries(pair, [&old, &new], [&objects[0], &objects[1]], items),
        }
    }

    fn push_failed(&self, pair: (usize, usize), why: String, items: &mut Vec<Item>) -> bool {
        items.push(self.failed(pair, why));
        true
    }

    fn entries(
        &mut self,
        files: (usize, usize),
        opened: [&Opened; 2],
        objects: [&[CodeObject]; 2],
        items: &mut Vec<Item>,
    ) -> bool {
        let [old, new] = opened;
        let file = self.file_name(files);
        let found = pairs::of_entries(&old.loaded.entries, &new.loaded.entries);
        let repeated = new.loaded.repeated_targets();
        let name = |entry: &FileEntry| {
            let part = entry.part.as_deref().map(|id| PartName {
                target: &id.target,
                index: repeated.contains(id.target.as_str()).then_some(id.index),
            });
            EntryName::in_part(&file, part, entry.kernel.as_deref(), None)
        };
        let pairs = found.pairs.len() as u64;
        self.shared.known.fetch_add(pairs.wrapping_sub(self.expected), Ordering::Relaxed);
        self.expected = pairs;
        for (i, j) in found.pairs {
            if self.is_stopped() {
                return false;
            }
            let entries = [&old.loaded.entries[i], &new.loaded.entries[j]];
            let name = name(entries[1]);
            let runnable = entries.map(FileEntry::check_runnable);
            if let Some((error, side)) = runnable.into_iter().zip(["old", "new"]).find_map(|(r, s)| Some((r.err()?, s)))
            {
                let why = Some(format!("{side}: {error}"));
                items.push(self.done(PairResult { why, ..pair::empty(name, Verdict::Failed) }));
                continue;
            }
            let mut sides = [0, 1].map(|side| entry(entries[side], opened[side], objects[side]));
            agree_on_inputs(&mut sides);
            match self.pairs.run(name, [&sides[0], &sides[1]]) {
                Some(result) => items.push(self.done(result)),
                None => return false,
            }
        }
        items.extend(found.removed.iter().map(|&i| Item::Removed(name(&old.loaded.entries[i]).to_string())));
        items.extend(found.added.iter().map(|&j| Item::Added(name(&new.loaded.entries[j]).to_string())));
        true
    }

    fn launches(
        &mut self,
        files: (usize, usize),
        opened: [&Opened; 2],
        objects: [&[CodeObject]; 2],
        draft: &LaunchDraft,
        items: &mut Vec<Item>,
    ) -> bool {
        let file = self.file_name(files);
        let Some(launch) = &opened[0].launch else { return true };
        let shared = self.shared;
        let run = shared.options.run.clone().stop(shared.stop.clone());
        let options = launches::options(&run, shared.options.max_insts);
        let is_by_registers = |draft: &LaunchDraft| {
            draft.launches.iter().any(|(_, spec)| spec.as_ref().is_ok_and(|spec| spec.registers.is_some()))
        };
        let own = match &opened[1].launch {
            Some(own) => LaunchDraft::parse(&own.text, own.syntax).ok().zip(Some(own.folder())),
            None => None,
        };
        let own = own.filter(|(own, _)| is_by_registers(own));
        if is_by_registers(draft) != own.is_some() {
            return self.push_failed(files, "one side has launches by registers, and the other one not".into(), items);
        }
        if objects.iter().any(|objects| objects.is_empty()) {
            return self.push_failed(files, "the launch file needs code objects that can be launched".into(), items);
        }
        let mut by_chip: HashMap<&str, Vec<&CodeObject>> = HashMap::new();
        objects[1].iter().for_each(|object| by_chip.entry(object.chip).or_default().push(object));
        let mut before: HashMap<&str, usize> = HashMap::new();
        for old in objects[0] {
            // Of several objects for a chip, the first is paired with the first of the other side, and so on.
            let number = before.entry(old.chip).or_default();
            let new = by_chip.get(old.chip).and_then(|objects| objects.get(*number).copied());
            *number += 1;
            let new = new.or(objects[1].first().filter(|_| objects[1].len() == 1));
            let Some(new) = new else { continue };
            let of = Launches {
                draft,
                own: own.as_ref().map(|(own, _)| own),
                folders: [launch.folder(), own.as_ref().map_or(launch.folder(), |(_, folder)| folder)],
                has_folder: opened[0].has_folder,
                objects: [old, new],
                all_old: objects[0],
                options: &options,
                tolerance: self.shared.options.tolerance,
                with_codes: self.shared.options.with_codes,
            };
            let name = |kernel: Option<&str>, launch: &str| {
                EntryName::new(&file, kernel, Some(launch).filter(|launch| !launch.is_empty()))
            };
            let found = |side: usize, kernel: &str| {
                let part = if side == 0 { &old.part } else { &new.part };
                let mut all = opened[side].loaded.entries.iter();
                let found = all.find(|entry| entry.kernel.as_deref() == Some(kernel) && entry.part == *part);
                Some(entry(found?, opened[side], objects[side]))
            };
            if !of.run(&name, &found, &mut |result| items.push(self.done(result))) {
                return false;
            }
        }
        true
    }
}

fn new_runner(options: &Options) -> PairRunner<'_> {
    PairRunner::new(Settings {
        worlds: &options.worlds,
        tolerance: options.tolerance,
        with_codes: options.with_codes,
        run: &options.run,
    })
}

/// Gives both sides of a pair the same inputs: groups of one size if nobody states one, and arguments as the old side
/// takes them.
fn agree_on_inputs(sides: &mut [Entry<'_>; 2]) {
    if let [Some(old), Some(new)] = [0, 1].map(|side| sides[side].subject.assumed_group()) {
        // The one with fewer dimensions has more work-items in the first one.
        let group = old.max(new);
        sides.iter_mut().for_each(|side| side.subject.shader.group = Some(group));
    }
    if let [Some(old), Some(new)] = [0, 1].map(|side| sides[side].subject.takes()) {
        let takes = Arc::new(old.with_dimensions_of(new));
        sides.iter_mut().for_each(|side| side.subject.share_takes(takes.clone()));
    }
}

/// Returns the code objects of a file that can be launched.
fn objects(opened: &Opened) -> Vec<CodeObject> {
    opened.loaded.launch_objects().into_iter().filter_map(Result::ok).collect()
}

fn entry<'o>(entry: &FileEntry, opened: &Opened, objects: &'o [CodeObject]) -> Entry<'o> {
    let arch = entry.arch.unwrap_or(opened.arch);
    let object = objects.iter().find(|object| object.part == entry.part && entry.kernel.is_some());
    let offset = opened.sidecar.as_ref().and_then(|sidecar| sidecar.entry).unwrap_or(0);
    let said = opened.sidecar.as_ref().map(|sidecar| sidecar.shader().or(&entry.shader));
    let subject = match said {
        Some(shader) if entry.kernel.is_none() => Subject::raw(entry.code.clone(), arch, offset, shader),
        Some(shader) => {
            let mut entry = entry.clone();
            entry.shader = shader;
            Subject::new(&entry, arch)
        }
        None => Subject::new(entry, arch),
    };
    let subject = match object {
        Some(object) => subject.in_object(entry, object),
        None => subject,
    };
    let bytes = opened.loaded.object_of(entry).cloned().unwrap_or_else(|| FileBytes::from(Vec::new()));
    let max_insts = opened.sidecar.as_ref().and_then(|sidecar| sidecar.max_insts);
    Entry { subject, own_code: entry.own_code(arch), arch, object: bytes, max_insts }
}
