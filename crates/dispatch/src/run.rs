//! Running a dispatch: waves of a group in turns, groups one after the other or on several threads.
//!
//! Waves of a group run in the order of their numbers, each until it ends, waits at a barrier, or has executed [`TURN`]
//! instructions since it was last resumed; then the next one that can run. Groups run in order. On several threads
//! groups are taken in order, and what they access is [marked](gcnsim_machine::Marks). A run that ends otherwise than
//! [`Outcome::Ended`], or in which [groups overlap](DispatchRun::groups_overlap), is then repeated on one, by the
//! caller, from the initial memory.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::Instant;

use gcnsim_isa::{Note, Notes, Vgpr};
use gcnsim_machine::{Context, Grain, Marks, VgprFile};

use super::abi::WaveSetup;
use super::geometry::Geometry;
use super::place::{Placed, SetupError};
use super::tier;
use gcnsim_engine::{Engine, EngineError, RunOptions, RunStats, Session};
#[cfg(feature = "jit")]
use gcnsim_engine::{Gate, RegionProfile};
use gcnsim_interp::Interp;
use gcnsim_machine::ClassCounts;
use gcnsim_machine::Wave;
use gcnsim_machine::outcome::Outcome;

/// Instructions that a wave executes before others have their turn.
pub const TURN: u64 = 1_000_000;

/// Where a dispatch stopped.
#[derive(Clone, Debug)]
pub struct StoppedWave {
    /// The group.
    pub group: [u32; 3],
    /// Number of the wave in it.
    pub index: u32,
    /// The wave as it was then.
    pub wave: Wave,
}

/// How a dispatch ended, and what it cost.
#[derive(Clone, Debug)]
pub struct DispatchRun {
    /// The outcome of all waves, or of the one that stopped first, in order.
    pub outcome: Result<Outcome, EngineError>,
    /// The wave that stopped, unless all ended.
    pub stopped: Option<StoppedWave>,
    /// Completed instructions of all waves.
    pub instructions: u64,
    /// The same by class, if they were counted.
    pub classes: ClassCounts,
    /// Notes of all waves.
    pub notes: Notes,
    /// A group may have written a byte that another group accesses. On one thread it is known only of runs that mark
    /// accesses, and it is so then.
    pub groups_overlap: bool,
    /// Cost, of all threads.
    pub stats: RunStats,
    /// What compiled regions did, in the order of their compilation; of runs on one thread.
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
            groups_overlap: false,
            stats: RunStats::default(),
            #[cfg(feature = "jit")]
            regions: Vec::new(),
        }
    }

    fn add(&mut self, other: &DispatchRun) {
        self.instructions += other.instructions;
        self.classes.0.iter_mut().zip(other.classes.0).for_each(|(sum, n)| *sum += n);
        self.notes = self.notes.or(other.notes);
        self.groups_overlap |= other.groups_overlap;
        self.stats.add(&other.stats);
    }
}

/// What may be told of a dispatch while it runs: how many of its groups are done. Called from the threads that run it.
pub type Progress<'a> = &'a (dyn Fn(u64) + Sync);

/// A wave of a dispatch.
#[derive(Clone, Copy)]
pub struct WaveAt<'a> {
    /// Where everything lies.
    pub placed: &'a Placed,
    /// Its group.
    pub group: [u32; 3],
    /// Its number in the group.
    pub index: u32,
}

/// Runs waves in the place of an engine, for whoever wants to see more of them: [`Launcher::launch_watched`] asks it
/// for each turn of each wave, in order, on one thread. It may run the wave in any steps, look at wave and context
/// between them, and take [snapshots](Context::snapshot). `examples/watch.rs` is one.
///
/// What it must keep: no more than `max` instructions in a turn; a wave changes by running only, and at a barrier or
/// its end the outcome is returned as it is.
///
/// [`Launcher::launch_watched`]: super::Launcher::launch_watched
pub trait Watch {
    /// Runs a wave of a group until it ends, stops, waits at a barrier, or has executed `max` further instructions.
    /// `None` leaves that to the engine. The interpreter is one of the program.
    fn run(
        &mut self,
        at: WaveAt<'_>,
        wave: &mut Wave,
        context: &mut Context,
        max: u64,
        interp: &mut Interp<'_>,
    ) -> Option<Outcome>;

    /// The wave has ended, or the dispatch has stopped.
    fn over(&mut self, _at: WaveAt<'_>, _wave: &Wave, _context: &Context) {}
}

/// A dispatch, ready to run.
pub struct Dispatch<'a> {
    /// Where everything lies.
    pub placed: &'a Placed,
    /// What waves start with.
    pub setup: &'a WaveSetup,
    /// The grid.
    pub geometry: Geometry,
    /// How to run.
    pub options: &'a RunOptions,
    /// Is told of progress.
    pub progress: Progress<'a>,
}

impl Dispatch<'_> {
    /// Runs all groups in order, at most `max_insts` instructions; where somebody watches, they see every wave.
    ///
    /// # Errors
    /// [`SetupError`] if there is no memory for scratch.
    pub fn run_serial(&self, max_insts: Option<u64>, watch: Option<&mut dyn Watch>) -> Result<DispatchRun, SetupError> {
        Ok(self.serial(max_insts, watch, self.placed.context()?))
    }

    /// The same, and it is found out whether groups overlap, byte by byte. If they do, that is noted.
    ///
    /// # Errors
    /// [`SetupError`] if there is no memory for scratch or marks.
    pub fn run_marked(&self, max_insts: Option<u64>) -> Result<DispatchRun, SetupError> {
        let mut run = self.serial(max_insts, None, self.placed.marked_context(Grain::Byte)?);
        run.notes.insert_if(run.groups_overlap, Note::GroupsOverlap);
        Ok(run)
    }

    fn serial(&self, max_insts: Option<u64>, watch: Option<&mut dyn Watch>, mut context: Context) -> DispatchRun {
        let mut engine = Engine::new(self.engine_options());
        context.is_alone = true;
        let mut runner = Runner::new(self, engine.session(&self.placed.program), &mut context);
        runner.watch = watch;
        let mut run = DispatchRun::new();
        let mut left = max_insts.unwrap_or(u64::MAX);
        let start = Instant::now();
        for number in 0..self.geometry.group_count() {
            if self.is_stopped() {
                run.outcome = Err(EngineError::Interrupted);
                break;
            }
            let group = runner.group(self.geometry.group_at(number), left);
            left -= group.instructions;
            run.add(&group);
            run.groups_overlap |= runner.context.end_group();
            if group.outcome != Ok(Outcome::Ended) {
                (run.outcome, run.stopped) = (group.outcome, group.stopped);
                break;
            }
            (self.progress)(number + 1);
        }
        drop(runner);
        #[cfg(feature = "jit")]
        {
            run.regions = engine.profile().to_vec();
        }
        run.stats.add_run_time(start, 0);
        run
    }

    /// Runs groups on several threads; if they have atomics, each check runs alone. If no groups overlap, memory is as
    /// after a run on one thread. Where the outcome is not [`Outcome::Ended`], where and how the dispatch stopped
    /// depends on chance, and it may have executed more instructions than it was allowed.
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
            while !failed.load(Ordering::Relaxed) {
                let number = next.fetch_add(1, Ordering::Relaxed);
                if number >= count {
                    break;
                }
                if self.is_stopped() {
                    run.outcome = Err(EngineError::Interrupted);
                    break;
                }
                let left = limit.saturating_sub(executed.load(Ordering::Relaxed));
                let group = runner.group(self.geometry.group_at(number), left);
                executed.fetch_add(group.instructions, Ordering::Relaxed);
                run.add(&group);
                if group.outcome != Ok(Outcome::Ended) {
                    (run.outcome, run.stopped) = (group.outcome, group.stopped);
                    failed.store(true, Ordering::Relaxed);
                    break;
                }
                if runner.context.end_group() {
                    run.groups_overlap = true;
                    failed.store(true, Ordering::Relaxed);
                    break;
                }
                (self.progress)(done.fetch_add(1, Ordering::Relaxed) + 1);
            }
            run.stats.add_run_time(start, 0);
            drop(runner);
            Ok((run, context.marks().cloned().collect()))
        };
        let runs: Vec<_> = thread::scope(|scope| {
            let threads: Vec<_> = (0..jobs).map(|_| scope.spawn(work)).collect();
            threads.into_iter().map(|thread| thread.join()).collect()
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
            // Most that overlap have been found by their threads.
            if marks.is_empty() {
                marks = of_thread;
            } else if !all.groups_overlap {
                all.groups_overlap = marks.iter().zip(&of_thread).fold(false, |meet, (all, one)| all.join(one) | meet);
            }
        }
        all.groups_overlap |= marks.iter().any(|marks| marks.is_unknown());
        if all.outcome == Ok(Outcome::Ended) && all.instructions > limit {
            all.outcome = Ok(Outcome::Budget);
        }
        Ok(all)
    }

    /// How the engine runs waves.
    fn engine_options(&self) -> RunOptions {
        tier::engine_options(self.options, self.geometry.wave_count())
    }

    /// The same for each of so many threads. They share compiled regions, and the checks of each region.
    fn shared_options(&self, threads: usize) -> RunOptions {
        let options = self.engine_options();
        RunOptions {
            #[cfg(feature = "jit")]
            shared: Some(options.shared.clone().unwrap_or_default()),
            checked_entries: options.checked_entries.div_ceil(threads as u64),
            ..options
        }
    }

    /// Has somebody asked to stop?
    fn is_stopped(&self) -> bool {
        self.options.stop.as_ref().is_some_and(|stop| stop.load(Ordering::Relaxed))
    }
}

/// Runs groups, one after the other, on one thread.
struct Runner<'a, 'e, 'p, 'w> {
    dispatch: &'a Dispatch<'a>,
    session: Session<'e, 'p>,
    context: &'a mut Context,
    watch: Option<&'w mut (dyn Watch + 'w)>,
    /// Waves of the last group: their memory serves the next.
    waves: Vec<GroupWave>,
}

struct GroupWave {
    wave: Wave,
    status: Status,
    /// Its local ids, and the size of the group that has them.
    ids: Vec<Vgpr>,
    group_size: [u32; 3],
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Status {
    Ready,
    Waits,
    Ended,
}

impl<'a, 'e, 'p, 'w> Runner<'a, 'e, 'p, 'w> {
    fn new(dispatch: &'a Dispatch<'a>, session: Session<'e, 'p>, context: &'a mut Context) -> Runner<'a, 'e, 'p, 'w> {
        Runner { dispatch, session, context, watch: None, waves: Vec::new() }
    }

    /// Runs a group, at most `max` instructions.
    fn group(&mut self, group: [u32; 3], max: u64) -> DispatchRun {
        self.start(group);
        let mut run = DispatchRun::new();
        let mut left = max;
        let count = self.waves.len();
        let has_scratch = self.dispatch.setup.wave_scratch() > 0;
        let (mut turn, mut running) = (0, count);
        while running > 0 {
            let index = turn;
            turn = if turn + 1 == count { 0 } else { turn + 1 };
            if self.waves[index].status != Status::Ready {
                if self.waves.iter().all(|wave| wave.status != Status::Ready) {
                    if self.dispatch.is_stopped() {
                        run.outcome = Err(EngineError::Interrupted);
                        break;
                    }
                    self.release();
                }
                continue;
            }
            if has_scratch {
                self.dispatch.placed.show_scratch(self.context, index as u32);
            }
            let GroupWave { wave, status, .. } = &mut self.waves[index];
            let before = wave.executed;
            let at = WaveAt { placed: self.dispatch.placed, group, index: index as u32 };
            let max = left.min(TURN);
            let watched = match (&mut self.watch, self.session.interp()) {
                (Some(watch), Some(interp)) => watch.run(at, wave, self.context, max, interp),
                _ => None,
            };
            let outcome = match watched {
                Some(outcome) => Ok(outcome),
                None => self.session.run_turn(wave, self.context, max, &mut run.stats),
            };
            let executed = wave.executed - before;
            left -= executed;
            run.instructions += executed;
            match outcome {
                Ok(Outcome::Ended) => {
                    (*status, running) = (Status::Ended, running - 1);
                    if let Some(watch) = &mut self.watch {
                        watch.over(at, wave, self.context);
                    }
                }
                Ok(Outcome::Barrier) => *status = Status::Waits,
                Ok(Outcome::Budget) if left > 0 && !self.dispatch.is_stopped() => {}
                Ok(Outcome::Budget) if left > 0 => {
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
        for (index, GroupWave { wave, status, .. }) in self.waves.iter().enumerate() {
            if let (Some(watch), true) = (&mut self.watch, *status != Status::Ended) {
                let at = WaveAt { placed: self.dispatch.placed, group, index: index as u32 };
                self.dispatch.placed.show_scratch(self.context, index as u32);
                watch.over(at, wave, self.context);
            }
            run.notes = run.notes.or(wave.state.notes);
            run.classes.0.iter_mut().zip(wave.classes.0).for_each(|(sum, n)| *sum += n);
        }
        run
    }

    /// All waves that have not ended wait at a barrier: they go on.
    fn release(&mut self) {
        for wave in self.waves.iter_mut().filter(|wave| wave.status == Status::Waits) {
            wave.status = Status::Ready;
        }
    }

    /// Puts the waves of a group at their start.
    fn start(&mut self, group: [u32; 3]) {
        let Dispatch { setup, placed, .. } = self.dispatch;
        let (count, size) = (setup.waves(group), setup.group_size(group));
        let zeros = VgprFile::zeroed();
        self.context.lds.fill(0);
        self.waves.truncate(count as usize);
        let is_clear = setup.wave_scratch() == 0 || placed.renew_scratch(self.context);
        for index in 0..count {
            let state = setup.state(group, index);
            if let Some(GroupWave { wave, status, ids, group_size }) = self.waves.get_mut(index as usize) {
                if *group_size != size {
                    (*ids, *group_size) = (setup.local_ids(size, index), size);
                }
                let Wave { state: old, vgprs, executed, classes, last_pc } = wave;
                (*old, *executed, *classes, *last_pc) = (state, 0, ClassCounts::default(), None);
                let vgprs = vgprs.regs_mut();
                vgprs.copy_from_slice(&zeros.regs()[..vgprs.len()]);
                copy(ids, vgprs);
                *status = Status::Ready;
            } else {
                let mut wave = Wave { vgprs: VgprFile::with_count(setup.vgprs()), ..Wave::from_state(state) };
                let ids = setup.local_ids(size, index);
                copy(&ids, wave.vgprs.regs_mut());
                self.waves.push(GroupWave { wave, status: Status::Ready, ids, group_size: size });
            }
            if !is_clear {
                placed.show_scratch(self.context, index);
                placed.clear_scratch(self.context);
            }
        }
    }
}

/// Copies as many registers as both have.
fn copy(from: &[Vgpr], to: &mut [Vgpr]) {
    to.iter_mut().zip(from).for_each(|(to, from)| *to = *from);
}
