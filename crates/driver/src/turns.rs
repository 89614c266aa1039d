//! Whose packets are processed, and which kernels run beside that.
//!
//! One processor has the turn and takes packets from the queues. A kernel that takes nothing back (one thread runs it)
//! runs without the turn. If it runs for long, another processor goes on with the other queues: they may be what the
//! kernel waits for. Beside such a kernel all others run on one thread each, too.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::gpu::{Gpu, lock};

/// How long kernels run before another processor goes on with the other queues.
const PATIENCE: Duration = Duration::from_millis(10);
/// Number of looks, each after so long, before a processor that is not needed sleeps until kernels run again.
const LOOKS: u32 = 100;

/// The turn, and the kernels that run without it.
#[derive(Default)]
pub(crate) struct Turns {
    /// Who holds it processes packets, or changes what kernels reach.
    turn: Mutex<()>,
    /// Number of those who wait for the turn to change something: processors let them.
    waiting: AtomicU32,
    /// The queues whose kernels run without the turn, and since when.
    beside: Mutex<BTreeMap<u32, Instant>>,
    /// Number of processors that sleep until kernels run without the turn.
    asleep: AtomicU32,
    begun: Condvar,
    /// The queue from which the last packet was taken.
    last: AtomicU32,
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
        !lock(&self.beside).is_empty()
    }

    /// Whether the kernel of a queue runs without the turn.
    pub fn is_beside(&self, queue: u32) -> bool {
        lock(&self.beside).contains_key(&queue)
    }

    /// Brings queues into the order in which they are looked at: behind the last one first, without those whose kernels
    /// run.
    pub fn in_order<T>(&self, queues: &mut Vec<(u32, T)>) {
        let beside = lock(&self.beside);
        queues.retain(|(id, _)| !beside.contains_key(id));
        let last = self.last.load(Relaxed);
        queues.sort_by_key(|(id, _)| (*id <= last, *id));
    }

    /// Notes the queue from which a packet was taken.
    pub fn was_of(&self, queue: u32) {
        self.last.store(queue, Relaxed);
    }

    /// Waits until processor `number` (from 1 on) is needed: so many kernels run, and all of them for long.
    fn wait_until_needed(&self, number: usize) {
        let mut looks = 0;
        loop {
            let beside = lock(&self.beside);
            let are_enough = beside.len() >= number;
            if are_enough && beside.values().all(|since| since.elapsed() >= PATIENCE) {
                return;
            }
            looks = if are_enough { 0 } else { looks + 1 };
            if looks < LOOKS {
                drop(beside);
                std::thread::sleep(PATIENCE);
                continue;
            }
            self.asleep.fetch_add(1, Relaxed);
            let woken = self.begun.wait_while(beside, |beside| beside.len() < number);
            drop(woken.unwrap_or_else(PoisonError::into_inner));
            self.asleep.fetch_sub(1, Relaxed);
            looks = 0;
        }
    }
}

impl Turn<'_> {
    /// Runs the kernel of a queue without the turn.
    pub fn beside<T>(&mut self, queue: u32, run: impl FnOnce() -> T) -> T {
        let turns = self.turns;
        lock(&turns.beside).insert(queue, Instant::now());
        if turns.asleep.load(Relaxed) > 0 {
            turns.begun.notify_all();
        }
        (self.guard, self.was_given) = (None, true);
        let done = run();
        self.guard = Some(turns.take_guard());
        lock(&turns.beside).remove(&queue);
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
            self.turns.wait_until_needed(number);
            if std::mem::take(&mut is_last) {
                let gpu = self.clone();
                crate::threads::spawn("gcnsim", move || gpu.process_beside(number + 1));
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
                turns.wait_until_needed(1);
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
}
