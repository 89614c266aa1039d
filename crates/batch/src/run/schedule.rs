//! Hands out files to threads and puts the results back in order.
//!
//! Workers take stretches of the list from one shared position. The length of a stretch follows from the time of the
//! last ones: it is a few milliseconds of work, or a single file if files are slow, so that no thread has much left at
//! the end. The worker that finishes the next stretch in order passes on its results and those that waited for it,
//! while they are in its cache. A separate thread for that would have to be woken each time, and would take turns with
//! the worker if they share a core. A worker that is far ahead of a slow shader waits, so that few results are held
//! back.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use crate::run::job::{Job, Output, Sampling, Stretch};
use crate::run::repeat::Repeats;
use crate::run::worker::Worker;
use crate::{BatchError, Summary};

/// Time that a stretch should take, in nanoseconds.
const STRETCH_NS: u64 = 2_000_000;
/// Most files in a stretch.
const STRETCH_MAX: usize = 512;
/// Most bytes of results that wait for a slow shader. If there are more, workers that are ahead wait, too.
const HELD_BACK: usize = 64 << 20;
/// Most bytes that are reserved for the results of a stretch before it runs.
const RESERVED: usize = 1 << 20;
/// Time between two reports of progress.
const TICK: Duration = Duration::from_millis(100);

/// One pass over the list.
pub(crate) struct Pass<'a> {
    /// Index of the first file of the pass.
    pub start: usize,
    pub jobs: usize,
    /// The samples of earlier passes, if the pass is one of several measured ones.
    pub earlier: Option<&'a Repeats>,
}

/// Function that gets the results of a pass in order.
pub(crate) type Take<'a> = dyn FnMut(&Stretch) -> Result<(), BatchError> + Send + 'a;

struct Shared<'a, 't> {
    /// The next file that a worker takes.
    next: AtomicUsize,
    /// Number of bytes of results that have not been passed on.
    waiting: AtomicUsize,
    /// Whether all workers have to stop at once, because results cannot be passed on.
    abandoned: AtomicBool,
    spare: Mutex<Vec<Output>>,
    order: Mutex<Order>,
    take: Mutex<&'a mut Take<'t>>,
    /// Number of workers that are at work. `done` signals that one has ended.
    at_work: Mutex<usize>,
    done: Condvar,
}

/// Results that have not been passed on.
struct Order {
    /// Stretches that finished early, by their first file.
    early: BTreeMap<usize, Stretch>,
    /// First file of the stretch that is passed on next.
    next: usize,
    /// Whether a worker is passing on results. It also passes on the results that others add meanwhile.
    is_taking: bool,
    /// Error that keeps results from being passed on.
    error: Option<BatchError>,
}

/// Guard that counts a worker as at work until it is dropped: when the worker ends, or in a panic.
struct AtWork<'a, 'b, 't>(&'a Shared<'b, 't>);

impl Drop for AtWork<'_, '_, '_> {
    fn drop(&mut self) {
        *lock(&self.0.at_work) -= 1;
        self.0.done.notify_one();
    }
}

/// Runs all files from `pass.start` on. `take` gets the results in order, and `tick` is called now and then.
pub(crate) fn run_pass(job: &Job, pass: &Pass, take: &mut Take, tick: &mut dyn FnMut()) -> Result<Summary, BatchError> {
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
    let total = Mutex::new(Summary::new(job.failures));
    let pool = rayon::ThreadPoolBuilder::new().num_threads(pass.jobs).thread_name(|i| format!("batch-{i}")).build();
    let pool = pool.map_err(|error| BatchError::Threads(error.to_string()))?;
    pool.in_place_scope(|scope| {
        for _ in 0..pass.jobs {
            let (at_work, total) = (AtWork(&shared), &total);
            scope.spawn(move |_| {
                // The closure has to capture all of `at_work`. If it captured only the field, the guard would be
                // dropped outside.
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

/// Waits for [`TICK`], or until all workers have ended. Returns false if they have.
fn are_at_work(shared: &Shared) -> bool {
    let waited = shared.done.wait_timeout_while(lock(&shared.at_work), TICK, |at_work| *at_work > 0);
    waited.unwrap_or_else(|poisoned| poisoned.into_inner()).1.timed_out()
}

/// The loop of one thread: it takes stretches until none are left.
fn work(worker: &mut Worker, job: &Job, pass: &Pass, shared: &Shared) {
    let count = job.inputs.len();
    let stopped = || job.stop.load(Ordering::Relaxed) || shared.abandoned.load(Ordering::Relaxed);
    let (mut size, mut line_length) = (1, 0);
    while !stopped() {
        while shared.waiting.load(Ordering::Relaxed) > HELD_BACK && !stopped() {
            thread::sleep(Duration::from_millis(1));
        }
        // Towards the end stretches become shorter, so that all threads end at about the same time.
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
        let reference_ns = if pass.earlier.is_some() { crate::run::reference::measure() } else { 0 };
        let sampling = pass.earlier.map(|earlier| Sampling { earlier, reference_ns });
        let begin = Instant::now();
        let done = worker.stretch(start..end, &mut output, sampling);
        let per_file = (begin.elapsed().as_nanos() as u64 / (end - start) as u64).max(1);
        // The next stretch has at most four times as many files as this one, because they may be slower.
        size = ((STRETCH_NS / per_file) as usize).clamp(1, STRETCH_MAX).min(4 * size);
        line_length = (output.lines.len() / (end - start)).next_multiple_of(64);
        shared.waiting.fetch_add(output.lines.len(), Ordering::Relaxed);
        // If this stretch was cut short (`done` is less than `end`), no later one is passed on.
        hand_on(shared, Stretch { start, end: done, output, reference_ns });
    }
}

/// Adds `stretch` to the results, and passes on all results that are next in order, unless another worker is passing on
/// results.
fn hand_on(shared: &Shared, stretch: Stretch) {
    let mut order = lock(&shared.order);
    order.early.insert(stretch.start, stretch);
    if order.is_taking {
        return;
    }
    order.is_taking = true;
    while let Some(stretch) = order.next_stretch() {
        // The lock is free while results are passed on, so that other workers go on.
        drop(order);
        let taken = lock(&shared.take)(&stretch);
        shared.waiting.fetch_sub(stretch.output.lines.len(), Ordering::Relaxed);
        lock(&shared.spare).push(stretch.output);
        order = lock(&shared.order);
        order.next = stretch.end;
        if let Err(error) = taken {
            order.error = Some(error);
            shared.abandoned.store(true, Ordering::Relaxed);
            // `is_taking` stays set: nobody passes on anything after an error.
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

/// Locks a mutex, even if a thread panicked while it held it: the guarded data are plain lists and sums.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

/// Returns the data of a mutex that has no other users.
fn into_inner<T>(mutex: Mutex<T>) -> T {
    mutex.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner())
}
