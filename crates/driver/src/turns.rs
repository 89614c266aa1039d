//! Whose packets are processed, and which kernels run beside that.
//!
//! One processor has the turn and takes packets from the queues. A kernel that takes nothing back (one thread runs it)
//! runs without the turn. If it runs for long, another processor goes on with the other queues: they may be what the
//! kernel waits for. Beside such a kernel all others run on one thread each, too.
//!
//! A kernel that several threads run keeps the turn. If none of its groups ends for long, and another queue has work,
//! it gives way: what it stored is taken back, and one thread begins again, without the turn. A kernel that is recorded
//! runs without the turn, but others wait as long for it. If another one runs meanwhile, it gets no folder.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering::Relaxed, Ordering::SeqCst};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use gcnsim_machine::threads;

use crate::gpu::{Gpu, lock};

/// How long kernels run before another processor goes on with the other queues.
const PATIENCE: Duration = Duration::from_millis(10);
/// For how long none of its groups ends if a kernel is taken to wait for another queue.
const STUCK: Duration = Duration::from_millis(500);
/// Number of looks, each after so long, before a processor that is not needed sleeps until kernels run again.
const LOOKS: u32 = 100;

/// The turn, and the kernels that run without it.
#[derive(Default)]
pub(crate) struct Turns {
    /// Who holds it processes packets, or changes what kernels reach.
    turn: Mutex<()>,
    /// Number of those who wait for the turn to change something: processors let them.
    waiting: AtomicU32,
    runs: Mutex<Runs>,
    /// Number of kernels that have begun to run.
    kernels: AtomicU64,
    /// Number of processors that sleep until kernels run.
    asleep: AtomicU32,
    begun: Condvar,
    /// The queue from which the last packet was taken.
    last: AtomicU32,
}

/// The kernels that run.
#[derive(Default)]
struct Runs {
    /// Those that run without the turn, by queue.
    beside: BTreeMap<u32, Watched>,
    /// The one that several threads run, in the turn.
    attempt: Option<(u32, Watched)>,
}

/// A kernel that runs.
struct Watched {
    groups: Groups,
    /// What [`Groups`] said when it was last seen to go on, and when that was.
    seen: u64,
    since: Instant,
    patience: Duration,
}

/// What a kernel that may wait for others says of itself while it runs.
#[derive(Clone, Default)]
pub(crate) struct Groups {
    /// Number of groups that have ended.
    pub ended: Arc<AtomicU64>,
    /// Asks it to give way.
    pub give_way: Arc<AtomicBool>,
}

impl Watched {
    fn new(groups: Groups, patience: Duration) -> Watched {
        Watched { groups, seen: 0, since: Instant::now(), patience }
    }

    /// Whether none of its groups has ended for long.
    fn is_stuck(&mut self) -> bool {
        let ended = self.groups.ended.load(Relaxed);
        if std::mem::replace(&mut self.seen, ended) != ended {
            self.since = Instant::now();
        }
        self.since.elapsed() >= self.patience
    }
}

/// The turn of a processor.
pub(crate) struct Turn<'a> {
    turns: &'a Turns,
    guard: Option<MutexGuard<'a, ()>>,
    /// Whether others have had it meanwhile.
    pub was_given: bool,
}

impl Turns {
    /// Waits until no packet is processed. None is as long as the guard lives, but kernels may run beside.
    pub fn quiet(&self) -> MutexGuard<'_, ()> {
        self.waiting.fetch_add(1, Relaxed);
        let guard = lock(&self.turn);
        self.waiting.fetch_sub(1, Relaxed);
        guard
    }

    /// Takes the turn of a processor. Others go first.
    pub fn take(&self) -> Turn<'_> {
        Turn { turns: self, guard: Some(self.take_guard()), was_given: false }
    }

    fn take_guard(&self) -> MutexGuard<'_, ()> {
        while self.waiting.load(Relaxed) > 0 {
            std::thread::yield_now();
        }
        lock(&self.turn)
    }

    /// Returns the turn if nobody has it and no kernel runs.
    pub fn idle(&self) -> Option<MutexGuard<'_, ()>> {
        self.turn.try_lock().ok().filter(|_| !self.has_beside())
    }

    /// Whether kernels run without the turn.
    pub fn has_beside(&self) -> bool {
        !lock(&self.runs).beside.is_empty()
    }

    /// Whether the kernel of a queue runs without the turn.
    pub fn is_beside(&self, queue: u32) -> bool {
        lock(&self.runs).beside.contains_key(&queue)
    }

    /// Notes that a kernel begins to run. Returns its number.
    pub fn begin_kernel(&self) -> u64 {
        self.kernels.fetch_add(1, SeqCst) + 1
    }

    /// Whether another kernel has begun since one with this number.
    pub fn has_begun_since(&self, number: u64) -> bool {
        self.kernels.load(SeqCst) != number
    }

    /// Runs the kernel of a queue on several threads, in the turn, until it is asked to give way.
    pub fn attempt<T>(&self, queue: u32, groups: &Groups, run: impl FnOnce() -> T) -> T {
        lock(&self.runs).attempt = Some((queue, Watched::new(groups.clone(), STUCK)));
        self.wake();
        let done = run();
        lock(&self.runs).attempt = None;
        done
    }

    /// Asks the kernel of a queue that several threads run to give way.
    pub fn give_way(&self, queue: u32) {
        if let Some((_, watched)) = lock(&self.runs).attempt.as_ref().filter(|(id, _)| *id == queue) {
            watched.groups.give_way.store(true, SeqCst);
        }
    }

    fn wake(&self) {
        if self.asleep.load(Relaxed) > 0 {
            self.begun.notify_all();
        }
    }

    /// Brings queues into the order in which they are looked at: behind the last one first, without those whose kernels
    /// run.
    pub fn in_order<T>(&self, queues: &mut Vec<(u32, T)>) {
        let runs = lock(&self.runs);
        queues.retain(|(id, _)| !runs.beside.contains_key(id));
        let last = self.last.load(Relaxed);
        queues.sort_by_key(|(id, _)| (*id <= last, *id));
    }

    /// Notes the queue from which a packet was taken.
    pub fn was_of(&self, queue: u32) {
        self.last.store(queue, Relaxed);
    }

    /// Waits until processor `number` (from 1 on) is needed: so many kernels run without the turn, and all of them for
    /// long. The first one asks a kernel that several threads run for long to give way if `has_work` says that a queue
    /// other than that of the kernel has work.
    fn wait_until_needed(&self, number: usize, has_work: impl Fn(u32) -> bool) {
        let mut looks = 0;
        let is_watched = |runs: &Runs| runs.beside.len() >= number || number == 1 && runs.attempt.is_some();
        loop {
            let mut runs = lock(&self.runs);
            let are_enough = runs.beside.len() >= number;
            // All are looked at: each sees how it goes on.
            let mut is_stuck = true;
            runs.beside.values_mut().for_each(|kernel| is_stuck &= kernel.is_stuck());
            if are_enough && is_stuck {
                return;
            }
            looks = if is_watched(&runs) { 0 } else { looks + 1 };
            if looks < LOOKS {
                let attempt = runs.attempt.as_mut().filter(|_| number == 1);
                let stuck = attempt
                    .and_then(|(queue, kernel)| kernel.is_stuck().then(|| (*queue, kernel.groups.give_way.clone())));
                drop(runs);
                if let Some((queue, give_way)) = stuck
                    && has_work(queue)
                {
                    give_way.store(true, SeqCst);
                }
                std::thread::sleep(PATIENCE);
                continue;
            }
            self.asleep.fetch_add(1, Relaxed);
            let woken = self.begun.wait_while(runs, |runs| !is_watched(runs));
            drop(woken.unwrap_or_else(PoisonError::into_inner));
            self.asleep.fetch_sub(1, Relaxed);
            looks = 0;
        }
    }
}

impl Turn<'_> {
    /// Runs the kernel of a queue without the turn.
    pub fn beside<T>(&mut self, queue: u32, run: impl FnOnce() -> T) -> T {
        self.without(queue, Watched::new(Groups::default(), PATIENCE), run)
    }

    /// Runs the kernel of a queue without the turn. Others wait as long as its groups end.
    pub fn beside_if_stuck<T>(&mut self, queue: u32, groups: &Groups, run: impl FnOnce() -> T) -> T {
        self.without(queue, Watched::new(groups.clone(), STUCK), run)
    }

    fn without<T>(&mut self, queue: u32, watched: Watched, run: impl FnOnce() -> T) -> T {
        let turns = self.turns;
        lock(&turns.runs).beside.insert(queue, watched);
        turns.wake();
        (self.guard, self.was_given) = (None, true);
        let done = run();
        self.guard = Some(turns.take_guard());
        lock(&turns.runs).beside.remove(&queue);
        done
    }
}

impl Gpu {
    /// Processes packets while processor `number` is needed, for ever. Whoever is needed first starts the next one.
    pub(crate) fn process_beside(self: std::sync::Arc<Gpu>, number: usize) {
        /// Most processors beside the first.
        const MOST: usize = 8;
        const NAP: Duration = Duration::from_micros(100);
        let mut is_last = number < MOST;
        loop {
            self.turns.wait_until_needed(number, |queue| self.has_work_beside(queue));
            if std::mem::take(&mut is_last) {
                let gpu = self.clone();
                // Without it the queues wait longer for each other.
                let _ = threads::spawn("gcnsim", move || gpu.process_beside(number + 1));
            }
            match self.step_safely() {
                Some(true) => {}
                Some(false) => std::thread::sleep(NAP),
                None => return,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;
    use std::thread;

    use super::*;

    #[test]
    fn others_have_the_turn_while_a_kernel_runs_for_long() {
        let turns = Turns::default();
        let order = || {
            let mut queues: Vec<(u32, ())> = (0..3).map(|id| (id, ())).collect();
            turns.in_order(&mut queues);
            queues.into_iter().map(|(id, ())| id).collect::<Vec<_>>()
        };
        let (send, receive) = mpsc::channel();
        let (turns, order) = (&turns, &order);
        thread::scope(|scope| {
            let other = scope.spawn(move || {
                turns.wait_until_needed(1, |_| false);
                let _turn = turns.take();
                send.send(turns.idle().is_some()).unwrap();
                order()
            });
            let mut turn = turns.take();
            turns.was_of(0);
            let is_idle = turn.beside(1, || receive.recv().unwrap());
            assert!(!is_idle && turn.was_given && !turns.has_beside());
            assert_eq!(other.join().unwrap(), [2, 0], "without the one whose kernel runs");
        });
        assert_eq!(order(), [1, 2, 0]);
        assert!(turns.idle().is_some());
    }

    #[test]
    fn a_kernel_whose_groups_do_not_end_gives_way_to_work() {
        let turns = Turns::default();
        let (work, groups) = (AtomicBool::new(false), Groups::default());
        thread::scope(|scope| {
            let turns = &turns;
            scope.spawn(|| turns.wait_until_needed(1, |queue| queue == 7 && work.load(SeqCst)));
            let turn = turns.take();
            turns.attempt(7, &groups, || {
                thread::sleep(STUCK + 10 * PATIENCE);
                assert!(!groups.give_way.load(SeqCst), "nobody waits");
                work.store(true, SeqCst);
                let until = Instant::now() + STUCK / 2;
                while Instant::now() < until {
                    groups.ended.fetch_add(1, Relaxed);
                    thread::sleep(PATIENCE / 2);
                }
                assert!(!groups.give_way.load(SeqCst), "it goes on");
                while !groups.give_way.load(SeqCst) {
                    thread::sleep(PATIENCE);
                }
            });
            drop(turn);
            // The processor is needed once a kernel runs without the turn.
            turns.take().beside(1, || thread::sleep(3 * PATIENCE));
        });
    }
}
