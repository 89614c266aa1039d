//! Runs a dispatch: groups on one thread or on several.
//!
//! Groups run [in order](crate::groups). Several threads take groups in order. A run with another outcome than
//! [`Outcome::Ended`], or in which groups overlap or wait for each other, is then repeated on one thread from the
//! initial memory.
//!
//! Memory that the host may look at while kernels run is [shared](gcnsim_machine::Mapping::shared). Several threads do
//! not store to it: at the first such store they stop, one thread begins again, and nothing that the host has seen is
//! taken back.
//!
//! Groups' accesses are [marked](gcnsim_machine::Marks) on any number of threads, so that it does not depend on threads
//! whether groups overlap. Groups that stop the dispatch do not count. Groups of which one waits for another overlap.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Instant;

#[cfg(feature = "jit")]
use gcnsim_engine::Gate;
use gcnsim_engine::reach::{Order, Why};
use gcnsim_engine::{Code, EngineError, EngineKind, Lease, Observers, OneThread, Run, RunOptions};
use gcnsim_isa::Note;
use gcnsim_machine::outcome::Outcome;
use gcnsim_machine::{Access, Backing, BackingSnapshot, LazyMarks, Mapping, Meeting, SharedStores, Space};

use super::Learning;
use super::dispatch::{Dispatch, Marking, Request};
use super::dispatch_error::DispatchError;
use super::groups::{Kernel, Runner};
use super::pool::Pool;
use super::room::has_room;

/// A run whose accesses are marked.
#[derive(Debug)]
struct Marked {
    /// The run.
    run: Run,
    /// Whether a group wrote a byte that another group accessed. Only groups that ended count. [`Meeting::No`] in runs
    /// that do not mark accesses.
    overlap: Meeting,
}

/// What the waves of a dispatch accessed in a mapping. Ranges are of offsets in the mapping; they do not touch each
/// other, and ascend.
#[derive(Debug)]
#[non_exhaustive]
pub struct Accessed {
    /// The mapping, which has its bytes after the run.
    pub mapping: Mapping,
    /// Its backing before the run, if it may be written.
    before: Option<Arc<BackingSnapshot>>,
    /// The bytes that were loaded, also by atomics.
    pub loaded: Vec<Range<u64>>,
    /// The bytes that were stored, also by atomics.
    pub stored: Vec<Range<u64>>,
}

impl Accessed {
    /// Fills `bytes` with those before the run, from an offset in the mapping on.
    ///
    /// # Panics
    /// If they do not all lie in the mapping.
    pub fn read_before(&self, at: u64, bytes: &mut [u8]) {
        match &self.before {
            Some(before) => before.read_into(self.place(at, bytes), bytes),
            None => self.read_after(at, bytes),
        }
    }

    /// Fills `bytes` with those after the run, from an offset in the mapping on.
    ///
    /// # Panics
    /// If they do not all lie in the mapping.
    pub fn read_after(&self, at: u64, bytes: &mut [u8]) {
        self.mapping.backing.read_into(self.place(at, bytes), bytes);
    }

    fn place(&self, at: u64, bytes: &[u8]) -> usize {
        let (len, base) = (bytes.len() as u64, self.mapping.base);
        assert!(
            at <= self.mapping.len && len <= self.mapping.len - at,
            "{len} bytes at {at} of a mapping at {base:#x}"
        );
        self.mapping.offset + at as usize
    }
}

/// Function that gets the number of groups that have ended. The threads that run the dispatch call it.
pub type Progress<'a> = &'a (dyn Fn(u64) + Sync);

/// Runs a dispatch. A run on several threads that does not end well, or whose groups overlap, is repeated on one thread
/// from the same initial memory. So is a run that did not find out whether groups overlap.
pub(crate) fn run(dispatch: &Dispatch, request: Request<'_, '_>) -> Result<Run, DispatchError> {
    let Request { max_insts, observers, progress, is_zero } = request;
    let running = Running { dispatch, progress };
    let order = dispatch.order();
    if !observers.is_empty() {
        // An observed dispatch cannot be repeated, so all its accesses are marked at once.
        let run = match order {
            Ok(_) => running.in_order(max_insts, observers, Marking::Exact),
            Err(_) => running.in_order(max_insts, observers, Marking::Nothing),
        };
        return Ok(with(run?.0.run, OneThread::Asked));
    }
    let order = match order {
        Ok(order) => order,
        Err(why) => {
            let why = if dispatch.threads() <= 1 { OneThread::Asked } else { why };
            return Ok(with(running.in_order(max_insts, observers, Marking::Nothing)?.0.run, why));
        }
    };
    // What was stored where the host may look is not taken back. Several threads leave such stores to one thread.
    let is_shared = dispatch.space.has_shared();
    let jobs = match dispatch.jobs() {
        Err(why) if is_shared => return Ok(with(running.in_order(max_insts, observers, Marking::Vague)?.0.run, why)),
        jobs => jobs,
    };
    let why = match jobs {
        Err(why) => {
            let before = dispatch.snapshot(is_zero);
            if let Some(run) = running.quickly_marked(max_insts)? {
                return Ok(with(run, why));
            }
            before.iter().for_each(BackingSnapshot::restore);
            why
        }
        Ok(jobs) => match running.attempt(jobs, max_insts, order, is_zero, None) {
            Ok(run) => return Ok(run),
            Err(why) => why,
        },
    };
    let marking = if is_shared { Marking::Vague } else { Marking::Exact };
    Ok(with(running.in_order(max_insts, observers, marking)?.0.run, why))
}

/// Whether [`run`] without observers takes nothing back: there is but one thread, and it does not begin again.
pub(crate) fn takes_nothing_back(dispatch: &Dispatch) -> bool {
    dispatch.order().is_err() || dispatch.space.has_shared() && dispatch.jobs().is_err()
}

/// Runs a dispatch on several threads, until it ends well or `give_way` is set. Otherwise memory is as before.
pub(crate) fn attempt(dispatch: &Dispatch, request: Request<'_, '_>, give_way: &Arc<AtomicBool>) -> Option<Run> {
    let Request { max_insts, progress, is_zero, .. } = request;
    let (order, jobs) = (dispatch.order().ok()?, dispatch.jobs().ok()?);
    Running { dispatch, progress }.attempt(jobs, max_insts, order, is_zero, Some(give_way)).ok()
}

/// Runs a dispatch on one thread, once.
pub(crate) fn beside(dispatch: &Dispatch, request: Request<'_, '_>) -> Result<Run, DispatchError> {
    if !request.observers.is_empty() || takes_nothing_back(dispatch) {
        return run(dispatch, request);
    }
    let Request { max_insts, observers, progress, .. } = request;
    let running = Running { dispatch, progress };
    Ok(with(running.in_order(max_insts, observers, Marking::Vague)?.0.run, OneThread::Asked))
}

/// Runs a dispatch on one thread, and returns what it accessed, by mapping.
pub(crate) fn traced(dispatch: &Dispatch, request: Request<'_, '_>) -> Result<(Run, Vec<Accessed>), DispatchError> {
    let Request { max_insts, observers, progress, is_zero } = request;
    let running = Running { dispatch, progress };
    let before: Vec<_> = dispatch.snapshot(is_zero).into_iter().map(Arc::new).collect();
    let (done, space) = running.in_order(max_insts, observers, Marking::Everything)?;
    let is_lost =
        |mapping: &&Mapping| mapping.marks.as_ref().is_some_and(|marks| marks.is_used() && marks.get().is_none());
    if let Some(mapping) = space.mappings().iter().find(is_lost) {
        return Err(DispatchError::NoRoom { what: "marks".to_owned(), bytes: mapping.len });
    }
    let accessed = |mapping: &Mapping| {
        let marks = mapping.marks.as_ref().filter(|marks| marks.is_used())?.get()?;
        let loaded = marks.accessed(&[Access::Load, Access::Atomic]);
        let stored = marks.accessed(&[Access::Store, Access::Atomic]);
        let before = before.iter().find(|before| Arc::ptr_eq(before.backing(), &mapping.backing)).cloned();
        let mapping = Mapping { marks: None, ..mapping.clone() };
        (!loaded.is_empty() || !stored.is_empty()).then_some(Accessed { mapping, before, loaded, stored })
    };
    Ok((with(done.run, OneThread::Asked), space.mappings().iter().filter_map(accessed).collect()))
}

fn with(mut run: Run, why: OneThread) -> Run {
    run.one_thread = Some(why);
    run
}

impl Dispatch {
    /// Returns the effect of the order of groups, whose accesses are then marked.
    ///
    /// # Errors
    /// The reason why one thread has to run the groups, in order. Then it does not matter whether they overlap.
    fn order(&self) -> Result<Order, OneThread> {
        if self.waves.registers().grid.count() <= 1 {
            return Err(OneThread::Groups);
        }
        if self.options.peripheral.is_some() {
            return Err(OneThread::Peripheral);
        }
        match self.code.order() {
            Order::Matters(Why::Atomics) => Err(OneThread::Atomics),
            Order::Matters(Why::Gds) => Err(OneThread::Gds),
            Order::Matters(Why::Jump) => Err(OneThread::Jump),
            order => Ok(order),
        }
    }

    /// Returns how many threads, at least two, run groups.
    ///
    /// # Errors
    /// The reason if it is one thread.
    pub fn jobs(&self) -> Result<usize, OneThread> {
        let order = self.order()?;
        if self.threads() <= 1 {
            return Err(OneThread::Asked);
        }
        // A check takes writes back and executes them again. Atomics of other threads must not see the memory in
        // between.
        if order == Order::OfSums && self.engine.engine == EngineKind::Check {
            return Err(OneThread::CheckedAtomics);
        }
        let groups = usize::try_from(self.waves.registers().grid.count()).unwrap_or(usize::MAX);
        let mut jobs = self.threads().min(groups);
        // Each thread has scratch of its own.
        while jobs > 1 && !has_room(2 * jobs as u64 * self.group_scratch()) {
            jobs /= 2;
        }
        if jobs > 1 { Ok(jobs) } else { Err(OneThread::NoRoom) }
    }

    /// Returns the number of threads that are asked for.
    fn threads(&self) -> usize {
        self.options.threads()
    }

    /// Returns a session of the code for a thread.
    fn session(&self, options: &RunOptions) -> Lease {
        self.session_of(&self.code, options)
    }

    pub(crate) fn session_of(&self, code: &Code, options: &RunOptions) -> Lease {
        match self.options.learning {
            Learning::Kept => code.lease(options),
            Learning::OfLaunch => code.fresh(options),
        }
    }
}

/// A dispatch that runs.
struct Running<'a> {
    dispatch: &'a Dispatch,
    progress: Progress<'a>,
}

impl Running<'_> {
    /// Runs all groups in order, and finds out whether they overlap, byte by byte only if there is no quicker way.
    /// Returns `None` if there is none; then it has not run all groups.
    fn quickly_marked(&self, max_insts: Option<u64>) -> Result<Option<Run>, DispatchError> {
        let (done, _) = self.in_order(max_insts, &mut Observers::none(), Marking::Quick)?;
        self.learn(done.overlap);
        Ok((done.overlap != Meeting::Maybe).then_some(done.run))
    }

    /// Remembers if quick marks did not tell whether groups meet.
    fn learn(&self, overlap: Meeting) {
        if overlap == Meeting::Maybe {
            self.dispatch.code.learn_late_stores();
        }
    }

    /// Runs all groups in order, at most `max_insts` instructions. If it finds that they overlap, the run has the note
    /// `groups-overlap`. Returns the memory with its marks, too.
    fn in_order(
        &self,
        max_insts: Option<u64>,
        observers: &mut Observers<'_>,
        marking: Marking,
    ) -> Result<(Marked, Space), DispatchError> {
        let dispatch = self.dispatch;
        let mut context = dispatch.context(marking)?;
        context.is_alone = !(dispatch.engine.host_writes || dispatch.space.has_shared());
        let mut session = dispatch.session(&dispatch.engine);
        let mut runner = Runner::new(Kernel::new(dispatch), &mut session, &mut context, max_insts.unwrap_or(u64::MAX));
        runner.keeps_marks = marking == Marking::Everything;
        let scene;
        if !observers.is_empty() {
            scene = dispatch.scene();
            runner.show(&scene, observers);
        }
        let start = Instant::now();
        let grid = dispatch.waves.registers().grid;
        let (count, mut ended) = (usize::try_from(grid.count()).unwrap_or(usize::MAX), 0);
        runner.all(grid.ids_from(0).take(count), |runner| {
            runner.end_group();
            let goes_on = marking != Marking::Quick || runner.overlap() != Meeting::Maybe;
            if goes_on {
                ended += 1;
                (self.progress)(ended);
            }
            goes_on
        });
        let overlap = runner.overlap();
        let (mut run, _) = runner.finish(start);
        // Of groups that can tell their order nobody expects that they do not.
        let is_news = marking != Marking::Everything || dispatch.order().is_ok();
        run.notes.insert_if(is_news && overlap == Meeting::Yes, Note::GroupsOverlap);
        #[cfg(feature = "jit")]
        {
            run.regions.splice(0..0, session.profile());
        }
        Ok((Marked { run, overlap }, context.space))
    }

    /// Runs groups on `jobs` threads. If that does not end well, or `give_way` is set meanwhile, memory is as before.
    ///
    /// # Errors
    /// The reason why one thread has to run the groups.
    fn attempt(
        &self,
        jobs: usize,
        max_insts: Option<u64>,
        order: Order,
        is_zero: &dyn Fn(&Arc<Backing>) -> bool,
        give_way: Option<&Arc<AtomicBool>>,
    ) -> Result<Run, OneThread> {
        let before = self.dispatch.snapshot(is_zero);
        let why = match self.parallel(jobs, max_insts, order, give_way) {
            Ok(Marked { run, overlap: Meeting::No }) if run.has_ended() => return Ok(run),
            Ok(Marked { run, .. }) if run.outcome == Err(EngineError::Interrupted) && give_way.is_none() => {
                return Ok(run);
            }
            Ok(Marked { overlap, .. }) => {
                self.learn(overlap);
                OneThread::Repeated
            }
            Err(_) => OneThread::NoRoom,
        };
        before.iter().for_each(BackingSnapshot::restore);
        Err(why)
    }

    /// Runs groups on `jobs` threads, until `stop` is set, or else the flag of the engine. `order` is what their order
    /// does: while sums depend on it, each check runs alone. If no groups overlap, memory is as after a run on one
    /// thread. If the outcome is not [`Outcome::Ended`], the place and kind of the stop depend on chance, and more than
    /// `max_insts` instructions may have been executed.
    ///
    /// # Errors
    /// [`DispatchError`] if there is no memory for scratch.
    fn parallel(
        &self,
        jobs: usize,
        max_insts: Option<u64>,
        order: Order,
        stop: Option<&Arc<AtomicBool>>,
    ) -> Result<Marked, DispatchError> {
        let (next, done, executed) = (AtomicU64::new(0), AtomicU64::new(0), AtomicU64::new(0));
        let failed = AtomicBool::new(false);
        let (dispatch, grid) = (self.dispatch, self.dispatch.waves.registers().grid);
        let count = grid.count();
        let limit = max_insts.unwrap_or(u64::MAX);
        let jobs = jobs.max(1);
        // The threads share compiled regions, and the checks of each region.
        let checked_entries = dispatch.engine.checked_entries.div_ceil(jobs as u64);
        let stop = stop.or(dispatch.engine.stop.as_ref()).cloned();
        let options = dispatch.engine.clone().checked_entries(checked_entries).stop(stop);
        #[cfg(feature = "jit")]
        let gate = Arc::new(Gate::default());
        #[cfg(not(feature = "jit"))]
        let _ = order;
        let work = || -> Result<(Marked, Vec<Arc<LazyMarks>>), DispatchError> {
            if next.load(Ordering::Relaxed) >= count {
                // The thread comes too late.
                return Ok((Marked { run: Run::default(), overlap: Meeting::No }, Vec::new()));
            }
            let mut session = dispatch.session(&options);
            #[cfg(feature = "jit")]
            if order == Order::OfSums {
                session.share_gate(Some(gate.clone()));
            }
            let mut context = dispatch.context(Marking::Quick)?;
            context.space.guard(SharedStores::Refused);
            let mut runner = Runner::new(Kernel::new(dispatch), &mut session, &mut context, limit);
            let start = Instant::now();
            'groups: loop {
                let taken = next.try_update(Ordering::Relaxed, Ordering::Relaxed, |next| {
                    Some(next + groups_at_once(count - next, jobs)).filter(|_| next < count)
                });
                let Ok(first) = taken else { break };
                let end = first + groups_at_once(count - first, jobs);
                for group in grid.ids_from(first).take((end - first) as usize) {
                    if failed.load(Ordering::Relaxed) {
                        break 'groups;
                    }
                    let before = runner.instructions();
                    if limit != u64::MAX {
                        runner.left = limit.saturating_sub(executed.load(Ordering::Relaxed));
                    }
                    let has_ended = runner.group(group);
                    if limit != u64::MAX {
                        executed.fetch_add(runner.instructions() - before, Ordering::Relaxed);
                    }
                    if !has_ended || !runner.end_group_alone() {
                        failed.store(true, Ordering::Relaxed);
                        break 'groups;
                    }
                }
                (self.progress)(done.fetch_add(end - first, Ordering::Relaxed) + end - first);
            }
            let overlap = runner.overlap();
            let (run, _) = runner.finish(start);
            Ok((Marked { run, overlap }, context.marks().cloned().collect()))
        };
        let mut all = Marked { run: Run::default(), overlap: Meeting::No };
        let mut marks: Vec<Arc<LazyMarks>> = Vec::new();
        for run in Pool::get().together(jobs - 1, work) {
            let (Marked { run, overlap }, of_thread) = run?;
            all.run.add(&run);
            all.overlap = all.overlap.max(overlap);
            if all.run.has_ended() && !run.has_ended() {
                (all.run.outcome, all.run.stopped) = (run.outcome, run.stopped);
            }
            // Threads have found most overlaps themselves; the rest shows when their marks are joined.
            if marks.is_empty() {
                marks = of_thread;
            } else if all.overlap == Meeting::No {
                all.overlap = marks.iter_mut().zip(of_thread).map(join).max().unwrap_or(Meeting::No);
            }
        }
        if all.run.has_ended() && all.run.instructions > limit {
            all.run.outcome = Ok(Outcome::Budget);
        }
        Ok(all)
    }
}

/// Adds the marks of a thread to those of others.
fn join((all, one): (&mut Arc<LazyMarks>, Arc<LazyMarks>)) -> Meeting {
    match (all.is_used(), one.is_used()) {
        (true, true) => all.join(&one),
        (false, true) => {
            *all = one;
            Meeting::No
        }
        (_, false) => Meeting::No,
    }
}

/// Returns how many groups a thread takes at once when `left` are left: few enough that threads end at about the same
/// time, and so many that they seldom write the counters that they share.
fn groups_at_once(left: u64, threads: usize) -> u64 {
    (left / 16 / threads as u64).clamp(1, 64).min(left)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_take_fewer_groups_towards_the_end() {
        assert_eq!([1, 16, 31, 63].map(|left| groups_at_once(left, 2)), [1; 4]);
        assert_eq!([64, 1600, 4096, 1 << 20].map(|left| groups_at_once(left, 2)), [2, 50, 64, 64]);
        assert_eq!((groups_at_once(0, 2), groups_at_once(1024, 64), groups_at_once(u64::MAX, usize::MAX)), (0, 1, 1));
    }
}
