//! A gate for threads that check compiled code while others run atomics.
//!
//! A check undoes what the code wrote, and the interpreter begins from the same memory. If another thread's atomic came
//! in between, it would be lost. So threads that share memory run their turns together, but each check alone.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// Lets threads run together, or one of them alone.
#[derive(Default)]
pub struct Gate {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    /// Number of threads that are in a turn.
    running: usize,
    /// Whether a thread runs alone, or waits until it can.
    is_taken: bool,
}

/// A turn of a thread. It ends when this is dropped.
pub struct Turn<'a>(&'a Gate);

/// The time during which a thread runs alone. It ends when this is dropped.
struct Alone<'a>(&'a Gate);

impl Gate {
    /// Begins a turn. Waits while a thread runs alone or waits for that.
    pub fn enter(&self) -> Turn<'_> {
        self.free().running += 1;
        Turn(self)
    }

    /// Interrupts the caller's turn while another thread wants to run alone.
    pub fn give_way(&self) {
        if self.state().is_taken {
            self.change(|state| state.running -= 1);
            self.free().running += 1;
        }
    }

    /// Runs `run` alone. The caller must be in a turn. Other threads may run alone before `run` does.
    pub fn alone<T>(&self, run: impl FnOnce() -> T) -> T {
        self.change(|state| state.running -= 1);
        let mut state = self.free();
        state.is_taken = true;
        while state.running > 0 {
            state = self.wait(state);
        }
        drop(state);
        let _alone = Alone(self);
        run()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // A panic of another thread leaves the state valid.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait<'a>(&self, state: MutexGuard<'a, State>) -> MutexGuard<'a, State> {
        self.changed.wait(state).unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the state once no thread runs alone or waits for that.
    fn free(&self) -> MutexGuard<'_, State> {
        let mut state = self.state();
        while state.is_taken {
            state = self.wait(state);
        }
        state
    }

    fn change(&self, change: impl FnOnce(&mut State)) {
        change(&mut self.state());
        self.changed.notify_all();
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        self.0.change(|state| state.running -= 1);
    }
}

impl Drop for Alone<'_> {
    fn drop(&mut self) {
        // The turn of this thread continues.
        self.0.change(|state| (state.is_taken, state.running) = (false, state.running + 1));
    }
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
    use std::thread;

    use super::*;

    /// A thread that runs alone meets no other, even if a thread panics.
    #[test]
    fn nobody_runs_beside_one_that_is_alone() {
        let (gate, inside, alone) = (Gate::default(), AtomicU32::new(0), AtomicU32::new(0));
        thread::scope(|scope| {
            for thread in 0..4 {
                let (gate, inside, alone) = (&gate, &inside, &alone);
                scope.spawn(move || {
                    for i in 0..200 {
                        let panicked = catch_unwind(AssertUnwindSafe(|| {
                            let _turn = gate.enter();
                            inside.fetch_add(1, SeqCst);
                            thread::yield_now();
                            inside.fetch_sub(1, SeqCst);
                            gate.give_way();
                            if i % 3 == thread % 3 {
                                gate.alone(|| {
                                    alone.fetch_add(1, SeqCst);
                                    let before = inside.fetch_add(1, SeqCst);
                                    thread::yield_now();
                                    let after = inside.fetch_sub(1, SeqCst);
                                    assert_eq!((before, after), (0, 1));
                                    if i % 50 == 0 {
                                        std::panic::resume_unwind(Box::new("on purpose"));
                                    }
                                });
                            }
                        }));
                        if let Err(panic) = panicked {
                            assert_eq!(panic.downcast_ref::<&str>(), Some(&"on purpose"));
                        }
                    }
                });
            }
        });
        let State { running, is_taken } = *gate.state();
        assert_eq!((inside.into_inner(), running, is_taken), (0, 0, false));
        assert!(alone.into_inner() > 200);
    }
}
