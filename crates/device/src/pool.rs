//! Threads that run groups, beside the thread that asks for it. They belong to the process.
//!
//! They are started when they are first needed, as many as are needed at once. Between dispatches they sleep, and end
//! after a second. They get no signals of the program. In a child that was forked they are not there, so that it has a
//! pool of its own.
//!
//! Whoever asks does not wait for a thread that has not begun: most dispatches of small networks are over before the
//! system has woken one.
#![allow(unsafe_code)]

use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::process;
use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering::SeqCst};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use gcnsim_machine::threads;

/// How long a thread without work stays.
const PATIENCE: Duration = Duration::from_secs(1);

/// The pool of the process that made it. It is never freed, as its threads may look at it at any time.
static POOL: AtomicPtr<Pool> = AtomicPtr::new(ptr::null_mut());

/// Threads, and what they are asked to do.
pub(crate) struct Pool {
    /// The process that has the threads.
    process: u32,
    state: Mutex<State>,
    /// There is work.
    offered: Condvar,
    /// A thread has ended its work.
    done: Condvar,
}

#[derive(Default)]
struct State {
    works: Vec<Work>,
    /// Number of threads, also of those that are about to start.
    threads: usize,
    /// Number of the last work.
    last: u64,
}

/// What threads are asked to do.
struct Work {
    number: u64,
    call: &'static (dyn Fn() + Sync),
    /// Number of threads that may still begin.
    open: usize,
    /// Number of threads that have begun, and not ended.
    busy: usize,
}

/// Work that is offered to threads until this is dropped, which waits for those that have begun.
struct Offer {
    pool: &'static Pool,
    number: u64,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // Nobody panics halfway through a change.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Pool {
    fn new(process: u32) -> Pool {
        Pool { process, state: Mutex::default(), offered: Condvar::new(), done: Condvar::new() }
    }

    /// The pool of this process.
    pub fn get() -> &'static Pool {
        Pool::of(process::id())
    }

    fn of(process: u32) -> &'static Pool {
        loop {
            let now = POOL.load(SeqCst);
            // SAFETY: what was stored is never freed.
            if let Some(pool) = unsafe { now.as_ref() }.filter(|pool| pool.process == process) {
                return pool;
            }
            let made = Box::into_raw(Box::new(Pool::new(process)));
            if POOL.compare_exchange(now, made, SeqCst, SeqCst).is_err() {
                // SAFETY: nobody else has it.
                drop(unsafe { Box::from_raw(made) });
            }
        }
    }

    /// Calls `work` on this thread, and on up to `others` more if they begin before that call ends. Returns what the
    /// calls have returned, that of this thread first.
    ///
    /// # Panics
    /// If a call panics, when all have ended.
    pub fn together<T: Send>(&'static self, others: usize, work: impl Fn() -> T + Sync) -> Vec<T> {
        let results = Mutex::new(Vec::new());
        let call = || {
            let result = catch_unwind(AssertUnwindSafe(&work));
            lock(&results).push(result);
        };
        let offer = self.offer(others, &call);
        let own = catch_unwind(AssertUnwindSafe(&work));
        // Waits until the calls have ended.
        drop(offer);
        let all = [own].into_iter().chain(mem::take(&mut *lock(&results)));
        all.map(|result| result.unwrap_or_else(|panic| resume_unwind(panic))).collect()
    }

    /// Offers `call` to `count` threads. Those that are missing are started.
    fn offer(&'static self, count: usize, call: &(dyn Fn() + Sync)) -> Offer {
        // SAFETY: a thread calls it only while it is busy with the work, and begins only while the work is in the list.
        // When the offer is dropped, it is taken from the list, and no thread is busy with it. `together` drops the
        // offer before `call`.
        let call = unsafe { mem::transmute::<&(dyn Fn() + Sync), &'static (dyn Fn() + Sync)>(call) };
        let mut state = lock(&self.state);
        state.last += 1;
        let number = state.last;
        state.works.push(Work { number, call, open: count, busy: 0 });
        let wanted = state.works.iter().map(|work| work.open + work.busy).sum::<usize>();
        let missing = wanted.saturating_sub(state.threads);
        state.threads += missing;
        drop(state);
        (missing..count).for_each(|_| self.offered.notify_one());
        for started in 0..missing {
            if threads::spawn("gcnsim", || self.work()).is_err() {
                // This thread does the work alone, or with those that are there.
                lock(&self.state).threads -= missing - started;
                break;
            }
        }
        Offer { pool: self, number }
    }

    /// Does what is asked for, until there is nothing for long.
    fn work(&self) {
        let mut state = lock(&self.state);
        loop {
            if let Some(work) = state.works.iter_mut().find(|work| work.open > 0) {
                (work.open, work.busy) = (work.open - 1, work.busy + 1);
                let (number, call) = (work.number, work.call);
                drop(state);
                call();
                state = lock(&self.state);
                if let Some(work) = state.works.iter_mut().find(|work| work.number == number) {
                    work.busy -= 1;
                }
                self.done.notify_all();
                continue;
            }
            let (woken, time) = self.offered.wait_timeout(state, PATIENCE).unwrap_or_else(PoisonError::into_inner);
            state = woken;
            if time.timed_out() && state.works.iter().all(|work| work.open == 0) {
                state.threads -= 1;
                return;
            }
        }
    }
}

impl Drop for Offer {
    fn drop(&mut self) {
        let mut state = lock(&self.pool.state);
        // Nobody else removes it.
        while let Some(at) = state.works.iter().position(|work| work.number == self.number) {
            let work = &mut state.works[at];
            work.open = 0;
            if work.busy == 0 {
                state.works.swap_remove(at);
                return;
            }
            state = self.pool.done.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use std::panic::panic_any;
    use std::sync::Barrier;
    use std::sync::atomic::AtomicUsize;
    use std::thread;
    use std::time::Instant;

    use super::*;

    fn pool() -> &'static Pool {
        Box::leak(Box::new(Pool::new(process::id())))
    }

    /// The threads that call, if so many must at once.
    fn callers(pool: &'static Pool, count: usize) -> Vec<thread::ThreadId> {
        let all = Barrier::new(count);
        let work = || {
            all.wait();
            thread::current().id()
        };
        pool.together(count - 1, work)
    }

    #[test]
    fn threads_work_at_once_and_again() {
        let pool = pool();
        let first = callers(pool, 4);
        assert_eq!(first[0], thread::current().id(), "the result of this thread comes first");
        let first: HashSet<_> = first.into_iter().collect();
        assert_eq!(first.len(), 4);
        assert_eq!(callers(pool, 4).into_iter().collect::<HashSet<_>>(), first);
        let few = callers(pool, 2);
        assert!(few.iter().all(|id| first.contains(id)) && few[0] != few[1]);
        assert_eq!(lock(&pool.state).threads, 3);
    }

    #[test]
    fn those_who_ask_at_once_get_threads_of_their_own() {
        let pool = pool();
        let all = Barrier::new(6);
        thread::scope(|scope| {
            (0..3).for_each(|_| drop(scope.spawn(|| pool.together(1, || all.wait()))));
        });
        assert!(lock(&pool.state).works.is_empty());
    }

    #[test]
    fn a_panic_of_any_thread_goes_on_when_all_have_ended() {
        let pool = pool();
        for own_panics in [true, false] {
            let (both, ended, own) = (Barrier::new(2), AtomicUsize::new(0), thread::current().id());
            let work = || {
                both.wait();
                if (thread::current().id() == own) == own_panics {
                    panic_any(7u8);
                }
                thread::sleep(Duration::from_millis(20));
                ended.fetch_add(1, SeqCst);
            };
            let panic = catch_unwind(AssertUnwindSafe(|| pool.together(1, work))).unwrap_err();
            assert_eq!((panic.downcast_ref(), ended.load(SeqCst)), (Some(&7u8), 1));
        }
        assert_eq!(callers(pool, 2).len(), 2, "the thread is still there");
    }

    #[test]
    fn threads_end_without_work() {
        let pool = pool();
        callers(pool, 3);
        let until = Instant::now() + 60 * PATIENCE;
        while lock(&pool.state).threads > 0 {
            assert!(Instant::now() < until);
            thread::sleep(PATIENCE / 10);
        }
        assert_eq!(callers(pool, 2).len(), 2, "others take their place");
    }

    #[test]
    fn a_forked_process_has_a_pool_of_its_own() {
        let (here, child) = (Pool::of(1), Pool::of(2));
        assert!(!ptr::eq(here, child) && ptr::eq(child, Pool::of(2)));
    }
}
