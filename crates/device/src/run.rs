//! Runs a dispatch: the waves of a group in turns, and groups one after the other or on several threads.
//!
//! Waves of a group have [turns](gcnsim_engine::Group) in the order of their numbers. Groups run in order. Several
//! threads take groups in order. A run with another outcome than [`Outcome::Ended`], or in which [groups
//! overlap](DispatchRun::overlap), is then repeated on one thread, by the caller, from the initial memory.
//!
//! Groups' accesses are [marked](gcnsim_machine::Marks) on any number of threads, so that it does not depend on threads
//! whether groups overlap. Groups that stop the dispatch do not count.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Instant;
use std::{iter, thread};

use gcnsim_isa::{LANES, Note, Notes, Program, Vgpr, WaveState};
use gcnsim_machine::{Context, Grain, Marks, Meeting, VgprFile};

use super::abi::WaveSetup;
use super::geometry::Geometry;
use super::place::{Placed, SetupError};
use super::tier;
pub use gcnsim_engine::StoppedWave;
use gcnsim_engine::{Engine, EngineError, Group, Member, RunOptions, RunStats, Session, Show, Status, Steps, TurnEnd};
#[cfg(feature = "jit")]
use gcnsim_engine::{Gate, RegionProfile};
use gcnsim_interp::Interp;
use gcnsim_machine::ClassCounts;
use gcnsim_machine::Wave;
use gcnsim_machine::outcome::Outcome;

/// Outcome, counts and cost of a dispatch.
#[derive(Clone, Debug)]
pub struct DispatchRun {
    /// The outcome of all waves, or of the first wave in order that stopped.
    pub outcome: Result<Outcome, EngineError>,
    /// The wave that stopped, unless all ended.
    pub stopped: Option<StoppedWave>,
    /// Completed instructions of all waves.
    pub instructions: u64,
    /// Completed instructions by class, if they were counted.
    pub classes: ClassCounts,
    /// Notes of all waves.
    pub notes: Notes,
    /// Whether a group wrote a byte that another group accessed. Only groups that ended count. [`Meeting::No`] in runs
    /// that do not mark accesses.
    pub overlap: Meeting,
    /// Cost, summed over all threads.
    pub stats: RunStats,
    /// Times and counts of compiled regions, in the order of their compilation; empty in runs on several threads.
    #[cfg(feature = "jit")]
    pub regions: Vec<RegionProfile>,
}

impl DispatchRun {
    fn new() -> DispatchRun {
        DispatchRun {
            outcome: Ok(Outcome::Ended),
            stopped: None,
            instructions: 0,
            classes: ClassCounts::default(),
            notes: Notes::NONE,
            overlap: Meeting::No,
            stats: RunStats::default(),
            #[cfg(feature = "jit")]
            regions: Vec::new(),
        }
    }

    fn add(&mut self, other: &DispatchRun) {
        self.instructions += other.instructions;
        self.classes.0.iter_mut().zip(other.classes.0).for_each(|(sum, n)| *sum += n);
        self.notes = self.notes.or(other.notes);
        self.overlap = self.overlap.max(other.overlap);
        self.stats.add(&other.stats);
    }
}

/// Function that gets the number of groups that have ended. The threads that run the dispatch call it.
pub type Progress<'a> = &'a (dyn Fn(u64) + Sync);

/// A wave of a dispatch.
#[derive(Clone, Copy)]
pub struct WaveAt<'a> {
    /// Addresses of everything in the dispatch.
    pub placed: &'a Placed,
    /// Values that waves start with.
    pub setup: &'a WaveSetup,
    /// Id of the group.
    pub group: [u32; 3],
    /// Number of the wave in the group.
    pub index: u32,
}

/// Runs waves instead of an engine, to observe them. [`Launcher::launch_watched`] calls it for each turn of each wave,
/// once or several times, in order, on one thread. It may run the wave in steps of any size, look at wave and context
/// between them, and take [snapshots](Context::snapshot). `examples/watch.rs` is an example.
///
/// It must execute at most `max` instructions in a call and change the wave only by running it. At a barrier or at the
/// wave's end it must return the interpreter's outcome.
///
/// [`Launcher::launch_watched`]: super::Launcher::launch_watched
pub trait Watch {
    /// Runs a wave of a group until it ends, stops, waits at a barrier, or has executed `max` further instructions.
    /// `None` means that the engine has to run it. `interp` is an interpreter of the program.
    fn run(
        &mut self,
        at: WaveAt<'_>,
        wave: &mut Wave,
        context: &mut Context,
        max: u64,
        interp: &mut Interp,
    ) -> Option<Outcome>;

    /// Called when a wave has ended, or the dispatch has stopped.
    fn over(&mut self, _at: WaveAt<'_>, _wave: &Wave, _context: &Context) {}
}

/// A dispatch, ready to run.
pub struct Dispatch<'a> {
    /// Addresses of everything in the dispatch.
    pub placed: &'a Placed,
    /// Values that waves start with.
    pub setup: &'a WaveSetup,
    /// The grid.
    pub geometry: Geometry,
    /// Options of the engine.
    pub options: &'a RunOptions,
    /// Function that gets the progress.
    pub progress: Progress<'a>,
}

impl Dispatch<'_> {
    /// Runs all groups in order, at most `max_insts` instructions. Nothing is marked.
    ///
    /// # Errors
    /// [`SetupError`] if there is no memory for scratch.
    pub fn run_serial(&self, max_insts: Option<u64>, watch: Option<&mut dyn Watch>) -> Result<DispatchRun, SetupError> {
        Ok(self.serial(max_insts, watch, self.placed.context()?))
    }

    /// Runs all groups in order, and finds out byte by byte whether groups overlap. If they do, the run has the note
    /// `groups-overlap`. If `watch` is given, it runs every wave.
    ///
    /// # Errors
    /// [`SetupError`] if there is no memory for scratch or marks.
    pub fn run_marked(&self, max_insts: Option<u64>, watch: Option<&mut dyn Watch>) -> Result<DispatchRun, SetupError> {
        Ok(self.serial(max_insts, watch, self.placed.marked_context(Grain::Byte)?))
    }

    /// Runs like [`Dispatch::run_marked`], but quicker in most cases. Returns `None` if it could not find out whether
    /// groups overlap; then it has not run all groups.
    ///
    /// # Errors
    /// [`SetupError`] if there is no memory for scratch or marks.
    pub fn run_quickly_marked(&self, max_insts: Option<u64>) -> Result<Option<DispatchRun>, SetupError> {
        let run = self.serial(max_insts, None, self.placed.marked_context(Grain::Dword)?);
        Ok((run.overlap != Meeting::Maybe).then_some(run))
    }

    fn serial(&self, max_insts: Option<u64>, watch: Option<&mut dyn Watch>, mut context: Context) -> DispatchRun {
        let mut engine = Engine::new(self.engine_options());
        context.is_alone = true;
        let mut runner = Runner::new(self, engine.session(&self.placed.program), &mut context);
        runner.watch = watch;
        let mut run = DispatchRun::new();
        let mut left = max_insts.unwrap_or(u64::MAX);
        let start = Instant::now();
        for (number, group) in (0..self.geometry.group_count()).zip(self.geometry.groups_from(0)) {
            if self.is_stopped() {
                run.outcome = Err(EngineError::Interrupted);
                break;
            }
            left -= runner.group(group, left, &mut run);
            if !matches!(run.outcome, Ok(Outcome::Ended)) {
                break;
            }
            match runner.context.end_group() {
                Meeting::No => {}
                Meeting::Maybe => {
                    run.overlap = Meeting::Maybe;
                    break;
                }
                // Groups overlap, so the marks have nothing more to show.
                Meeting::Yes => {
                    run.overlap = Meeting::Yes;
                    runner.context.drop_marks();
                }
            }
            (self.progress)(number + 1);
        }
        drop(runner);
        run.notes.insert_if(run.overlap == Meeting::Yes, Note::GroupsOverlap);
        #[cfg(feature = "jit")]
        {
            run.regions = engine.profile().to_vec();
        }
        run.stats.add_run_time(start, 0);
        run
    }

    /// Runs groups on `jobs` threads. If the groups have atomics (`has_atomics`), each check runs alone. If no groups
    /// overlap, memory is as after a run on one thread. If the outcome is not [`Outcome::Ended`], the place and kind of
    /// the stop depend on chance, and more than `max_insts` instructions may have been executed.
    ///
    /// # Errors
    /// [`SetupError`] if there is no memory for scratch.
    pub fn run_parallel(
        &self,
        jobs: usize,
        max_insts: Option<u64>,
        has_atomics: bool,
    ) -> Result<DispatchRun, SetupError> {
        let (next, done, executed) = (AtomicU64::new(0), AtomicU64::new(0), AtomicU64::new(0));
        let failed = AtomicBool::new(false);
        let count = self.geometry.group_count();
        let limit = max_insts.unwrap_or(u64::MAX);
        let jobs = jobs.max(1);
        let options = self.shared_options(jobs);
        #[cfg(feature = "jit")]
        let gate = Arc::new(Gate::default());
        #[cfg(not(feature = "jit"))]
        let _ = has_atomics;
        let work = || -> Result<(DispatchRun, Vec<Arc<Marks>>), SetupError> {
            let mut engine = Engine::new(options.clone());
            #[cfg(feature = "jit")]
            if has_atomics {
                engine.share_gate(gate.clone());
            }
            let mut context = self.placed.marked_context(Grain::Dword)?;
            let mut runner = Runner::new(self, engine.session(&self.placed.program), &mut context);
            let mut run = DispatchRun::new();
            let start = Instant::now();
            'groups: loop {
                let taken = next.try_update(Ordering::Relaxed, Ordering::Relaxed, |next| {
                    Some(next + groups_at_once(count - next, jobs)).filter(|_| next < count)
                });
                let Ok(first) = taken else { break };
                let end = first + groups_at_once(count - first, jobs);
                for group in self.geometry.groups_from(first).take((end - first) as usize) {
                    if failed.load(Ordering::Relaxed) {
                        break 'groups;
                    }
                    if self.is_stopped() {
                        run.outcome = Err(EngineError::Interrupted);
                        break 'groups;
                    }
                    let left = limit.saturating_sub(executed.load(Ordering::Relaxed));
                    let instructions = runner.group(group, left, &mut run);
                    if limit != u64::MAX {
                        executed.fetch_add(instructions, Ordering::Relaxed);
                    }
                    if !matches!(run.outcome, Ok(Outcome::Ended)) {
                        failed.store(true, Ordering::Relaxed);
                        break 'groups;
                    }
                    run.overlap = runner.context.end_group();
                    if run.overlap != Meeting::No {
                        failed.store(true, Ordering::Relaxed);
                        break 'groups;
                    }
                }
                (self.progress)(done.fetch_add(end - first, Ordering::Relaxed) + end - first);
            }
            run.stats.add_run_time(start, 0);
            drop(runner);
            Ok((run, context.marks().cloned().collect()))
        };
        let runs: Vec<_> = thread::scope(|scope| {
            let threads: Vec<_> = (1..jobs).map(|_| scope.spawn(work)).collect();
            // The caller is one of the threads. If it panics here, the others end first.
            iter::once(Ok(work())).chain(threads.into_iter().map(|thread| thread.join())).collect()
        });
        let mut all = DispatchRun::new();
        let mut marks: Vec<Arc<Marks>> = Vec::new();
        for run in runs {
            let (run, of_thread) = match run {
                Ok(run) => run?,
                Err(panic) => std::panic::resume_unwind(panic),
            };
            all.add(&run);
            if all.outcome == Ok(Outcome::Ended) && run.outcome != Ok(Outcome::Ended) {
                (all.outcome, all.stopped) = (run.outcome, run.stopped);
            }
            // Threads have found most overlaps themselves; the rest shows when their marks are joined.
            if marks.is_empty() {
                marks = of_thread;
            } else if all.overlap == Meeting::No {
                all.overlap = marks.iter().zip(&of_thread).map(|(all, one)| all.join(one)).max().unwrap_or(Meeting::No);
            }
        }
        if all.outcome == Ok(Outcome::Ended) && all.instructions > limit {
            all.outcome = Ok(Outcome::Budget);
        }
        Ok(all)
    }

    /// Compiles what [engines compile before they run](RunOptions::compile_start), for engines that share regions.
    /// Returns how long this took, in nanoseconds.
    pub fn compile_start(&self) -> u64 {
        #[cfg(feature = "jit")]
        if let options @ RunOptions { compile_start: true, .. } = self.engine_options() {
            let mode = self.setup.state([0; 3], 0).mode;
            return gcnsim_engine::compile_start(&self.placed.program, mode, &options);
        }
        0
    }

    /// Returns the options of the engine.
    fn engine_options(&self) -> RunOptions {
        tier::engine_options(self.options, self.geometry.wave_count())
    }

    /// Returns the options of the engine of each of `threads` threads. They share compiled regions, and the checks of
    /// each region.
    fn shared_options(&self, threads: usize) -> RunOptions {
        let options = self.engine_options();
        RunOptions {
            #[cfg(feature = "jit")]
            shared: Some(options.shared.clone().unwrap_or_default()),
            checked_entries: options.checked_entries.div_ceil(threads as u64),
            ..options
        }
    }

    /// Whether the user has asked to stop.
    fn is_stopped(&self) -> bool {
        self.options.stop.as_ref().is_some_and(|stop| stop.load(Ordering::Relaxed))
    }
}

/// Returns how many groups a thread takes at once when `left` are left: few enough that threads end at about the same
/// time, and so many that they seldom write the counters that they share.
fn groups_at_once(left: u64, threads: usize) -> u64 {
    (left / 16 / threads as u64).clamp(1, 64).min(left)
}

/// Runs groups, one after the other, on one thread.
struct Runner<'a, 'w> {
    dispatch: &'a Dispatch<'a>,
    session: &'a mut Session,
    context: &'a mut Context,
    watch: Option<&'w mut (dyn Watch + 'w)>,
    /// Waves of the last group, whose memory the next group reuses.
    group: Group,
    /// Number of work-items of the last group in each dimension.
    size: [u32; 3],
    /// The state in which each wave of a group of that size starts.
    starts: Vec<Start>,
}

/// The state in which a wave starts, but for the id of its group.
struct Start {
    state: WaveState,
    /// Local ids of the work-items.
    ids: Vec<Vgpr>,
}

impl<'a, 'w> Runner<'a, 'w> {
    fn new(dispatch: &'a Dispatch<'a>, session: &'a mut Session, context: &'a mut Context) -> Runner<'a, 'w> {
        let group = Group::default();
        Runner { dispatch, session, context, watch: None, group, size: [0; 3], starts: Vec::new() }
    }

    /// Runs a group, at most `max` instructions, and adds it to `run`, in which all groups so far have ended. Returns
    /// the number of instructions that it executed.
    fn group(&mut self, group: [u32; 3], max: u64, run: &mut DispatchRun) -> u64 {
        self.start(group);
        self.group.begin(max);
        let Dispatch { placed, setup, .. } = *self.dispatch;
        let show = |context: &mut Context, index: usize| placed.show_scratch(context, index as u32);
        let show: Option<Show<'_>> = if setup.wave_scratch() > 0 { Some(&show) } else { None };
        while self.group.is_running() {
            let Some(index) = self.group.next_turn() else {
                if self.dispatch.is_stopped() {
                    run.outcome = Err(EngineError::Interrupted);
                    break;
                }
                self.group.release();
                continue;
            };
            if let Some(show) = show {
                show(self.context, index);
            }
            let turn = match self.watched(group, index, &mut run.stats) {
                Some(outcome) => Some((index, outcome)),
                None => self.session.run_group(&mut self.group, index, self.context, show, &mut run.stats),
            };
            let Some((index, outcome)) = turn else { break };
            let Member { wave, status, .. } = &mut self.group.members[index];
            match outcome {
                Ok(Outcome::Ended) => {
                    *status = Status::Ended;
                    if let Some(watch) = &mut self.watch {
                        watch.over(WaveAt { placed, setup, group, index: index as u32 }, wave, self.context);
                    }
                }
                Ok(Outcome::Barrier) => *status = Status::Waits,
                Ok(Outcome::Budget) if self.group.left > 0 && !self.dispatch.is_stopped() => {}
                Ok(Outcome::Budget) if self.group.left > 0 => {
                    run.outcome = Err(EngineError::Interrupted);
                    break;
                }
                outcome => {
                    run.outcome = outcome;
                    run.stopped = Some(StoppedWave { group, index: index as u32, wave: wave.clone() });
                    break;
                }
            }
        }
        let instructions = max - self.group.left;
        run.instructions += instructions;
        for (index, Member { wave, status, .. }) in self.group.members.iter().enumerate() {
            if let (Some(watch), true) = (&mut self.watch, *status != Status::Ended) {
                placed.show_scratch(self.context, index as u32);
                watch.over(WaveAt { placed, setup, group, index: index as u32 }, wave, self.context);
            }
            run.notes = run.notes.or(wave.state.notes);
            if self.dispatch.options.count_classes {
                run.classes.0.iter_mut().zip(wave.classes.0).for_each(|(sum, n)| *sum += n);
            }
        }
        instructions
    }

    /// Lets the watch run the turn of wave `index`, or the engine if it does not want to; `None` without a watch.
    fn watched(&mut self, group: [u32; 3], index: usize, stats: &mut RunStats) -> Option<Result<Outcome, EngineError>> {
        let watch = &mut **self.watch.as_mut()?;
        let Dispatch { placed, setup, .. } = *self.dispatch;
        let at = WaveAt { placed, setup, group, index: index as u32 };
        let (before, left) = (self.group.members[index].wave.executed, self.group.left);
        let mut steps = Watched { at, watch, session: self.session, context: self.context, stats };
        let end = self.group.run_turn(index, left, &mut steps);
        self.group.left -= self.group.members[index].wave.executed - before;
        Some(end.map(TurnEnd::outcome))
    }

    /// Sets the waves of a group to their initial state.
    fn start(&mut self, group: [u32; 3]) {
        let Dispatch { setup, placed, .. } = self.dispatch;
        let size = setup.group_size(group);
        if size != self.size {
            self.resize(group, size);
        }
        // To fill no bytes at their made-up address takes the processor 90 ns.
        if !self.context.lds.is_empty() {
            self.context.lds.fill(0);
        }
        let is_clear = setup.wave_scratch() == 0 || placed.renew_scratch(self.context);
        for (index, (member, start)) in (0..).zip(self.group.members.iter_mut().zip(&self.starts)) {
            let Member { wave, status, .. } = member;
            let Wave { state, vgprs, executed, classes, last_pc, observed } = wave;
            state.clone_from(&start.state);
            setup.set_group(group, state);
            let vgprs = vgprs.regs_mut();
            let (first, rest) = vgprs.split_at_mut(start.ids.len().min(vgprs.len()));
            copy(&start.ids, first);
            clear(rest);
            (*executed, *classes, *last_pc) = (0, ClassCounts::default(), None);
            observed.clear();
            *status = Status::Ready;
            if !is_clear {
                placed.show_scratch(self.context, index);
                placed.clear_scratch(self.context);
            }
        }
    }

    /// Prepares for groups of `size` work-items, of which `group` is one.
    fn resize(&mut self, group: [u32; 3], size: [u32; 3]) {
        let Dispatch { setup, .. } = self.dispatch;
        let start = |index| Start { state: setup.state_in_any(size, index), ids: setup.local_ids(size, index) };
        self.size = size;
        self.starts = (0..setup.waves(group)).map(start).collect();
        let count = self.starts.len();
        let states = self.starts.iter().map(|start| &start.state).skip(self.group.members.len());
        let wave =
            |state: &WaveState| Wave { vgprs: VgprFile::with_count(setup.vgprs()), ..Wave::from_state(state.clone()) };
        self.group.members.extend(states.map(|state| Member::new(wave(state))));
        self.group.members.truncate(count);
    }
}

/// A watch that runs a turn, or lets the engine run it.
struct Watched<'a, 's> {
    at: WaveAt<'a>,
    watch: &'s mut dyn Watch,
    session: &'s mut Session,
    context: &'s mut Context,
    stats: &'s mut RunStats,
}

impl Watched<'_, '_> {
    fn watch(&mut self, wave: &mut Wave, max: u64) -> Option<Outcome> {
        self.watch.run(self.at, wave, self.context, max, self.session.interp())
    }
}

impl Steps for Watched<'_, '_> {
    fn program(&self) -> &Program {
        &self.at.placed.program
    }

    fn context(&mut self) -> &mut Context {
        self.context
    }

    fn run(&mut self, wave: &mut Wave, max: u64) -> Result<Outcome, EngineError> {
        match self.watch(wave, max) {
            Some(outcome) => Ok(outcome),
            None => self.session.run_stretch(wave, self.context, max, self.stats),
        }
    }

    fn step(&mut self, wave: &mut Wave) -> Result<Outcome, EngineError> {
        let outcome = self.watch(wave, 1);
        Ok(outcome.unwrap_or_else(|| self.session.interp().run_in(wave, self.context, 1)))
    }
}

/// Sets registers to zero, four at a time: for 2 KiB and more at once the C library has an instruction of the processor
/// store them, which takes 50 ns to begin.
fn clear(vgprs: &mut [Vgpr]) {
    // The compiler must not see how many: it would join the pieces.
    let count = std::hint::black_box(4);
    for piece in vgprs.chunks_mut(count) {
        piece.fill(Vgpr([0; LANES]));
    }
}

/// Copies the registers that both slices have.
fn copy(from: &[Vgpr], to: &mut [Vgpr]) {
    to.iter_mut().zip(from).for_each(|(to, from)| *to = *from);
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
