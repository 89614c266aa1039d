//! Dealing out files to threads, and bringing the results back in order.
//!
//! Workers take stretches of the list from one shared position. How many files a stretch has follows from how long the last ones
//! took: a few milliseconds of work, a single file if they are slow, so that no thread is left with a pile at the end. The
//! thread that called collects the outputs, puts them in order and hands them on; buffers go back to the workers. A worker that
//! is far ahead of a slow shader waits, so that what has to be held back stays small.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
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
    /// Measure the reference work too.
    pub reference: bool,
    /// In the last of several passes: samples of those before.
    pub earlier: Option<&'a Repeats>,
}

struct Shared {
    /// Next file to be taken.
    next: AtomicUsize,
    /// Bytes of results not yet handed on.
    waiting: AtomicUsize,
    /// Stop at once: nobody takes the results any more.
    abandoned: AtomicBool,
    spare: Mutex<Vec<Output>>,
}

/// Runs all files from `pass.start` on. `take` gets the results in order, `tick` is called now and then with what was
/// taken so far.
pub(super) fn run_pass(
    job: &Job,
    pass: &Pass,
    take: &mut dyn FnMut(&Stretch) -> Result<(), BatchError>,
    tick: &mut dyn FnMut(),
) -> Result<Summary, BatchError> {
    let shared = Shared {
        next: AtomicUsize::new(pass.start),
        waiting: AtomicUsize::new(0),
        abandoned: AtomicBool::new(false),
        spare: Mutex::default(),
    };
    let total = Mutex::new(Summary::new(job.keep_failures));
    let pool = rayon::ThreadPoolBuilder::new().num_threads(pass.jobs).thread_name(|i| format!("batch-{i}")).build();
    let pool = pool.map_err(|error| BatchError::Threads(error.to_string()))?;
    let (sender, receiver) = mpsc::channel();
    pool.in_place_scope(|scope| {
        for _ in 0..pass.jobs {
            let (sender, shared, total) = (sender.clone(), &shared, &total);
            scope.spawn(move |_| {
                let mut worker = Worker::new(job);
                work(&mut worker, job, pass, shared, &sender);
                lock(total).merge(worker.lines.summary);
            });
        }
        drop(sender);
        collect(pass.start, &receiver, &shared, take, tick).inspect_err(|_| {
            shared.abandoned.store(true, Ordering::Relaxed);
        })
    })?;
    Ok(total.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner()))
}

/// One thread: takes stretches until there are none.
fn work(worker: &mut Worker, job: &Job, pass: &Pass, shared: &Shared, sender: &mpsc::Sender<Stretch>) {
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
        let reference_ns = if pass.reference { super::reference::measure() } else { 0 };
        let sampling = pass.earlier.map(|earlier| Sampling { earlier, reference_ns });
        let begin = Instant::now();
        worker.stretch(start..end, &mut output, sampling);
        let per_file = (begin.elapsed().as_nanos() as u64 / (end - start) as u64).max(1);
        // At most four times as many as before: the files so far say little of those to come.
        size = ((STRETCH_NS / per_file) as usize).clamp(1, STRETCH_MAX).min(4 * size);
        line_length = (output.lines.len() / (end - start)).next_multiple_of(64);
        shared.waiting.fetch_add(output.lines.len(), Ordering::Relaxed);
        if sender.send(Stretch { start, end, output, reference_ns }).is_err() {
            break;
        }
    }
}

/// Takes results as they come and hands them on in order.
fn collect(
    start: usize,
    receiver: &mpsc::Receiver<Stretch>,
    shared: &Shared,
    take: &mut dyn FnMut(&Stretch) -> Result<(), BatchError>,
    tick: &mut dyn FnMut(),
) -> Result<(), BatchError> {
    let mut early: BTreeMap<usize, Stretch> = BTreeMap::new();
    let mut next = start;
    let mut last_tick = Instant::now();
    loop {
        match receiver.recv_timeout(TICK) {
            Ok(stretch) => {
                early.insert(stretch.start, stretch);
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return Ok(()),
        }
        while let Some(stretch) = early.remove(&next) {
            take(&stretch)?;
            next = stretch.end;
            shared.waiting.fetch_sub(stretch.output.lines.len(), Ordering::Relaxed);
            lock(&shared.spare).push(stretch.output);
        }
        if last_tick.elapsed() >= TICK {
            last_tick = Instant::now();
            tick();
        }
    }
}

/// A panic of another thread leaves what it guarded as good as before: plain lists and sums.
fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}
