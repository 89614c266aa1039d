//! Dealing out files to threads, and bringing the results back in order.
//!
//! Workers take stretches of the list from one shared position. How many files a stretch has follows from how long the
//! last ones took: a few milliseconds of work, a single file if they are slow, so that no thread is left with a pile at
//! the end. The worker that finishes the stretch that is next in order hands its results on, and those that have waited
//! for it, while they are still in its cache: there is no thread for that, which would have to be woken each time (and
//! takes turns with the worker if they share a core). A worker that is far ahead of a slow shader waits, so that what
//! has to be held back stays small.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use super::repeat::Repeats;
use super::worker::{Job, Output, Sampling, Worker};
use super::{BatchError, Summary};

/// Work in a stretch.
const STRETCH_NS: u64 = 2_000_000;
/// Most files in a stretch.
const STRETCH_MAX: usize = 512;
/// Bytes of results that wait for a slow shader before others stop to wait for it too.
const HELD_BACK: usize = 64 << 20;
/// Most bytes that are set aside for the results of a stretch before it is run.
const RESERVED: usize = 1 << 20;
/// How often the progress is shown.
const TICK: Duration = Duration::from_millis(100);

/// Results of a stretch of files.
pub(super) struct Stretch {
    pub start: usize,
    pub end: usize,
    pub output: Output,
    /// Time of the reference work before it, if asked for.
    pub reference_ns: u64,
}

/// How to go once over the list.
pub(super) struct Pass<'a> {
    /// First file.
    pub start: usize,
    pub jobs: usize,
    /// In a pass that is measured as one of several: samples of those before.
    pub earlier: Option<&'a Repeats>,
}

/// Gets the results of a pass in order.
pub(super) type Take<'a> = dyn FnMut(&Stretch) -> Result<(), BatchError> + Send + 'a;

struct Shared<'a, 't> {
    /// Next file to be taken.
    next: AtomicUsize,
    /// Bytes of results not yet handed on.
    waiting: AtomicUsize,
    /// Stop at once: the results cannot be handed on any more.
    abandoned: AtomicBool,
    spare: Mutex<Vec<Output>>,
    order: Mutex<Order>,
    take: Mutex<&'a mut Take<'t>>,
    /// Workers that are not done, and the word that one is.
    at_work: Mutex<usize>,
    done: Condvar,
}

/// Results on their way.
struct Order {
    /// Those whose turn has not come, by their first file.
    early: BTreeMap<usize, Stretch>,
    /// First file of those whose turn it is.
    next: usize,
    /// A worker is handing results on, and goes on to whatever others put here.
    is_taking: bool,
    /// Why they cannot be handed on any more.
    error: Option<BatchError>,
}

/// A worker, until this is dropped: at its end, or in a panic.
struct AtWork<'a, 'b, 't>(&'a Shared<'b, 't>);

impl Drop for AtWork<'_, '_, '_> {
    fn drop(&mut self) {
        *lock(&self.0.at_work) -= 1;
        self.0.done.notify_one();
    }
}

/// Runs all files from `pass.start` on. `take` gets the results in order, `tick` is called now and then.
pub(super) fn run_pass(job: &Job, pass: &Pass, take: &mut Take, tick: &mut dyn FnMut()) -> Result<Summary, BatchError> {
    let shared = Shared {
        next: AtomicUsize::new(pass.start),
        waiting: AtomicUsize::new(0),
        abandoned: AtomicBool::new(false),
        spare: Mutex::default(),
        order: Mutex::new(Order { early: BTreeMap::new(), next: pass.start, is_taking: false, error: None }),
        take: Mutex::new(take),
        at_work: Mutex::new(pass.jobs),
        done: Condvar::new(),
    };
    let total = Mutex::new(Summary::new(job.keep_failures));
    let pool = rayon::ThreadPoolBuilder::new().num_threads(pass.jobs).thread_name(|i| format!("batch-{i}")).build();
    let pool = pool.map_err(|error| BatchError::Threads(error.to_string()))?;
    pool.in_place_scope(|scope| {
        for _ in 0..pass.jobs {
            let (at_work, total) = (AtWork(&shared), &total);
            scope.spawn(move |_| {
                // All of it, not only what is in it, or it would be dropped out there.
                let AtWork(shared) = &at_work;
                let mut worker = Worker::new(job);
                work(&mut worker, job, pass, shared);
                lock(total).merge(worker.lines.summary);
            });
        }
        while are_at_work(&shared) {
            tick();
        }
    });
    match into_inner(shared.order).error {
        Some(error) => Err(error),
        None => Ok(into_inner(total)),
    }
}

/// Waits until all workers are done, or for a moment. False if they are.
fn are_at_work(shared: &Shared) -> bool {
    let waited = shared.done.wait_timeout_while(lock(&shared.at_work), TICK, |at_work| *at_work > 0);
    waited.unwrap_or_else(|poisoned| poisoned.into_inner()).1.timed_out()
}

/// One thread: takes stretches until there are none.
fn work(worker: &mut Worker, job: &Job, pass: &Pass, shared: &Shared) {
    let count = job.inputs.len();
    let stopped = || job.stop.load(Ordering::Relaxed) || shared.abandoned.load(Ordering::Relaxed);
    let (mut size, mut line_length) = (1, 0);
    while !stopped() {
        while shared.waiting.load(Ordering::Relaxed) > HELD_BACK && !stopped() {
            thread::sleep(Duration::from_millis(1));
        }
        // Towards the end stretches get shorter, so that all threads finish together.
        let left = count.saturating_sub(shared.next.load(Ordering::Relaxed));
        let take = size.min(left / (4 * pass.jobs)).max(1);
        let start = shared.next.fetch_add(take, Ordering::Relaxed);
        if start >= count {
            break;
        }
        let end = (start + take).min(count);
        let mut output = lock(&shared.spare).pop().unwrap_or_default();
        output.clear();
        output.lines.reserve((line_length * (end - start)).min(RESERVED));
        let reference_ns = if pass.earlier.is_some() { super::reference::measure() } else { 0 };
        let sampling = pass.earlier.map(|earlier| Sampling { earlier, reference_ns });
        let begin = Instant::now();
        worker.stretch(start..end, &mut output, sampling);
        let per_file = (begin.elapsed().as_nanos() as u64 / (end - start) as u64).max(1);
        // At most four times as many as before: the files so far say little of those to come.
        size = ((STRETCH_NS / per_file) as usize).clamp(1, STRETCH_MAX).min(4 * size);
        line_length = (output.lines.len() / (end - start)).next_multiple_of(64);
        shared.waiting.fetch_add(output.lines.len(), Ordering::Relaxed);
        hand_on(shared, Stretch { start, end, output, reference_ns });
    }
}

/// Hands results on if it is their turn, and all whose turn it is then; otherwise leaves them to others.
fn hand_on(shared: &Shared, stretch: Stretch) {
    let mut order = lock(&shared.order);
    order.early.insert(stretch.start, stretch);
    if order.is_taking {
        return;
    }
    order.is_taking = true;
    while let Some(stretch) = order.next_stretch() {
        // Others go on meanwhile.
        drop(order);
        let taken = lock(&shared.take)(&stretch);
        shared.waiting.fetch_sub(stretch.output.lines.len(), Ordering::Relaxed);
        lock(&shared.spare).push(stretch.output);
        order = lock(&shared.order);
        order.next = stretch.end;
        if let Err(error) = taken {
            order.error = Some(error);
            shared.abandoned.store(true, Ordering::Relaxed);
            // For good.
            return;
        }
    }
    order.is_taking = false;
}

impl Order {
    fn next_stretch(&mut self) -> Option<Stretch> {
        self.early.remove(&self.next)
    }
}

/// A panic of another thread leaves what it guarded as good as before: plain lists and sums.
pub(super) fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

/// The same of what nobody else has any more.
fn into_inner<T>(mutex: Mutex<T>) -> T {
    mutex.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner())
}
