//! Runs a dispatch: groups on one thread or on several.
//!
//! Groups run [in order](crate::groups). Several threads take groups in order. A run with another outcome than
//! [`Outcome::Ended`], or in which [groups overlap](Marked::overlap) or wait for each other, is then repeated on one
//! thread, by the caller, from the initial memory.
//!
//! Groups' accesses are [marked](gcnsim_machine::Marks) on any number of threads, so that it does not depend on threads
//! whether groups overlap. Groups that stop the dispatch do not count. Groups of which one waits for another overlap.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Instant;
use std::{iter, thread};

#[cfg(feature = "jit")]
use gcnsim_engine::Gate;
use gcnsim_engine::reach::Order;
use gcnsim_engine::{Engine, Observers, Run, RunOptions};
use gcnsim_isa::Note;
use gcnsim_machine::outcome::Outcome;
use gcnsim_machine::{Context, Grain, Marks, Meeting};

use super::abi::WaveSetup;
use super::geometry::Geometry;
use super::groups::{Kernel, Runner};
use super::place::{Placed, SetupError};
use super::tier;

/// A run whose accesses are marked.
#[derive(Debug)]
pub struct Marked {
    /// The run.
    pub run: Run,
    /// Whether a group wrote a byte that another group accessed. Only groups that ended count. [`Meeting::No`] in runs
    /// that do not mark accesses.
    pub overlap: Meeting,
}

/// Function that gets the number of groups that have ended. The threads that run the dispatch call it.
pub type Progress<'a> = &'a (dyn Fn(u64) + Sync);

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
    pub fn run_serial(&self, max_insts: Option<u64>, observers: &mut Observers<'_>) -> Result<Run, SetupError> {
        Ok(self.serial(max_insts, observers, self.placed.context()?).run)
    }

    /// Runs all groups in order, and finds out byte by byte whether groups overlap. If they do, the run has the note
    /// `groups-overlap`.
    ///
    /// # Errors
    /// [`SetupError`] if there is no memory for scratch or marks.
    pub fn run_marked(&self, max_insts: Option<u64>, observers: &mut Observers<'_>) -> Result<Run, SetupError> {
        Ok(self.serial(max_insts, observers, self.placed.marked_context(Grain::Byte)?).run)
    }

    /// Runs like [`Dispatch::run_marked`], but quicker in most cases. Returns `None` if it could not find out whether
    /// groups overlap; then it has not run all groups.
    ///
    /// # Errors
    /// [`SetupError`] if there is no memory for scratch or marks.
    pub fn run_quickly_marked(&self, max_insts: Option<u64>) -> Result<Option<Run>, SetupError> {
        let done = self.serial(max_insts, &mut Observers::none(), self.placed.marked_context(Grain::Dword)?);
        Ok((done.overlap != Meeting::Maybe).then_some(done.run))
    }

    fn serial(&self, max_insts: Option<u64>, observers: &mut Observers<'_>, mut context: Context) -> Marked {
        let mut engine = Engine::new(self.engine_options());
        context.is_alone = true;
        let kernel = Kernel::new(self.placed, self.setup, self.geometry.group_count());
        let session = engine.session(&self.placed.program);
        let mut runner = Runner::new(kernel, session, &mut context, max_insts.unwrap_or(u64::MAX));
        let scene;
        if !observers.is_empty() {
            scene = self.placed.scene(self.setup);
            runner.show(&scene, observers);
        }
        let start = Instant::now();
        let (count, mut ended) = (usize::try_from(self.geometry.group_count()).unwrap_or(usize::MAX), 0);
        runner.all(self.geometry.groups_from(0).take(count), |runner| {
            let goes_on = runner.end_group();
            if goes_on {
                ended += 1;
                (self.progress)(ended);
            }
            goes_on
        });
        let overlap = runner.overlap();
        let (mut run, _) = runner.finish(start);
        run.notes.insert_if(overlap == Meeting::Yes, Note::GroupsOverlap);
        #[cfg(feature = "jit")]
        {
            run.regions = engine.profile().to_vec();
        }
        Marked { run, overlap }
    }

    /// Runs groups on `jobs` threads. `order` is what their order does: while sums depend on it, each check runs alone.
    /// If no groups overlap, memory is as after a run on one thread. If the outcome is not [`Outcome::Ended`], the
    /// place and kind of the stop depend on chance, and more than `max_insts` instructions may have been executed.
    ///
    /// # Errors
    /// [`SetupError`] if there is no memory for scratch.
    pub fn run_parallel(&self, jobs: usize, max_insts: Option<u64>, order: Order) -> Result<Marked, SetupError> {
        let (next, done, executed) = (AtomicU64::new(0), AtomicU64::new(0), AtomicU64::new(0));
        let failed = AtomicBool::new(false);
        let count = self.geometry.group_count();
        let limit = max_insts.unwrap_or(u64::MAX);
        let jobs = jobs.max(1);
        let options = self.shared_options(jobs);
        #[cfg(feature = "jit")]
        let gate = Arc::new(Gate::default());
        #[cfg(not(feature = "jit"))]
        let _ = order;
        let work = || -> Result<(Marked, Vec<Arc<Marks>>), SetupError> {
            let mut engine = Engine::new(options.clone());
            #[cfg(feature = "jit")]
            if order == Order::OfSums {
                engine.share_gate(gate.clone());
            }
            let mut context = self.placed.marked_context(Grain::Dword)?;
            let kernel = Kernel::new(self.placed, self.setup, self.geometry.group_count());
            let mut runner = Runner::new(kernel, engine.session(&self.placed.program), &mut context, limit);
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
        let runs: Vec<_> = thread::scope(|scope| {
            let threads: Vec<_> = (1..jobs).map(|_| scope.spawn(work)).collect();
            // The caller is one of the threads. If it panics here, the others end first.
            iter::once(Ok(work())).chain(threads.into_iter().map(|thread| thread.join())).collect()
        });
        let mut all = Marked { run: Run::default(), overlap: Meeting::No };
        let mut marks: Vec<Arc<Marks>> = Vec::new();
        for run in runs {
            let (Marked { run, overlap }, of_thread) = match run {
                Ok(run) => run?,
                Err(panic) => std::panic::resume_unwind(panic),
            };
            all.run.add(&run);
            all.overlap = all.overlap.max(overlap);
            if all.run.has_ended() && !run.has_ended() {
                (all.run.outcome, all.run.stopped) = (run.outcome, run.stopped);
            }
            // Threads have found most overlaps themselves; the rest shows when their marks are joined.
            if marks.is_empty() {
                marks = of_thread;
            } else if all.overlap == Meeting::No {
                all.overlap = marks.iter().zip(&of_thread).map(|(all, one)| all.join(one)).max().unwrap_or(Meeting::No);
            }
        }
        if all.run.has_ended() && all.run.instructions > limit {
            all.run.outcome = Ok(Outcome::Budget);
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
