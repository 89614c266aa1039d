//! Events: what host threads wait for.

use std::collections::HashMap;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Kind of an event that a packet or the host sets (KFD_IOC_EVENT_SIGNAL).
pub const SIGNAL: u32 = 0;
/// Kind of an event that tells of a fault of the memory (KFD_IOC_EVENT_MEMORY).
const MEMORY: u32 = 8;
/// How often those who wait for signals look at them while a kernel runs, which may write signals without an event.
const TICK: Duration = Duration::from_millis(1);
/// Most events of a process: slots of a page.
const MOST: usize = 4096;

/// A fault that a memory event tells of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MemoryFault {
    /// Guest address of the page.
    pub address: u64,
    /// Whether the page is there, but may not be written.
    pub is_read_only: bool,
}

#[derive(Default)]
struct Event {
    kind: u32,
    auto_reset: bool,
    set: bool,
    fault: Option<MemoryFault>,
}

#[derive(Default)]
struct Table {
    events: HashMap<u32, Event>,
    last: u32,
    /// Number of kernels that run.
    kernels: u32,
}

/// The events of a process.
#[derive(Default)]
pub struct Events {
    table: Mutex<Table>,
    changed: Condvar,
}

/// What a wait has found.
#[derive(PartialEq, Eq, Debug)]
pub enum Waited {
    /// The events, those with a fault with it.
    Set(Vec<(usize, Option<MemoryFault>)>),
    /// The time is over.
    TimedOut,
    /// An event is not there.
    Unknown,
}

impl Events {
    fn table(&self) -> MutexGuard<'_, Table> {
        // Nobody panics halfway through a change.
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes an event. Returns its id; `None` if there are too many.
    pub fn create(&self, kind: u32, auto_reset: bool) -> Option<u32> {
        let mut table = self.table();
        if table.events.len() >= MOST {
            return None;
        }
        loop {
            table.last = table.last % MOST as u32 + 1;
            if !table.events.contains_key(&table.last) {
                break;
            }
        }
        let id = table.last;
        table.events.insert(id, Event { kind, auto_reset, ..Event::default() });
        Some(id)
    }

    /// Removes an event. Returns whether it was there.
    pub fn destroy(&self, id: u32) -> bool {
        let was_there = self.table().events.remove(&id).is_some();
        self.changed.notify_all();
        was_there
    }

    /// Sets or resets an event. Returns whether it is there.
    pub fn set(&self, id: u32, to: bool) -> bool {
        let mut table = self.table();
        let Some(event) = table.events.get_mut(&id) else { return false };
        event.set = to;
        if to {
            self.changed.notify_all();
        }
        true
    }

    /// Says that a kernel runs, until [`Events::end_kernel`].
    pub fn begin_kernel(&self) {
        self.table().kernels += 1;
        self.changed.notify_all();
    }

    /// Says that a kernel has ended.
    pub fn end_kernel(&self) {
        self.table().kernels -= 1;
    }

    /// Tells of a fault of the memory. Returns whether anybody listens.
    pub fn memory_fault(&self, fault: MemoryFault) -> bool {
        let mut table = self.table();
        let mut any = false;
        for event in table.events.values_mut().filter(|event| event.kind == MEMORY) {
            (event.set, event.fault, any) = (true, Some(fault), true);
        }
        self.changed.notify_all();
        any
    }

    /// Waits for one of the events, or for all of them. A wait for signals may end although none is set while a kernel
    /// runs: those who wait look at their signals.
    pub fn wait(&self, ids: &[u32], all: bool, timeout: Option<Duration>) -> Waited {
        let until = timeout.and_then(|timeout| Instant::now().checked_add(timeout));
        let mut table = self.table();
        let mut tick = Instant::now() + TICK;
        loop {
            if ids.iter().any(|id| !table.events.contains_key(id)) {
                return Waited::Unknown;
            }
            let now = Instant::now();
            let is_tick = table.kernels > 0 && now >= tick && timeout != Some(Duration::ZERO);
            let is_set =
                |id: &u32| table.events.get(id).is_some_and(|event| event.set || is_tick && event.kind == SIGNAL);
            if if all { ids.iter().all(is_set) } else { ids.iter().any(is_set) } {
                let mut found = Vec::new();
                for (index, id) in ids.iter().enumerate() {
                    let Some(event) = table.events.get_mut(id).filter(|event| event.set) else { continue };
                    found.push((index, event.fault.take()));
                    event.set &= !event.auto_reset;
                }
                return Waited::Set(found);
            }
            let mut end = until;
            if table.kernels > 0 {
                end = Some(end.map_or(tick, |end| end.min(tick)));
                if now >= tick {
                    tick = now + TICK;
                }
            }
            if until.is_some_and(|until| now >= until) {
                return Waited::TimedOut;
            }
            table = match end {
                None => self.changed.wait(table).unwrap_or_else(PoisonError::into_inner),
                Some(end) => {
                    let left = end.saturating_duration_since(now).max(Duration::from_micros(50));
                    self.changed.wait_timeout(table, left).unwrap_or_else(PoisonError::into_inner).0
                }
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread;

    #[test]
    fn waits_end_when_events_are_set() {
        let events = Events::default();
        let one = events.create(SIGNAL, true).unwrap();
        let other = events.create(MEMORY, false).unwrap();
        let (none, soon) = (Some(Duration::ZERO), Some(Duration::from_millis(5)));
        assert_eq!(events.wait(&[one, other], false, soon), Waited::TimedOut);
        thread::scope(|scope| {
            let waiter = scope.spawn(|| events.wait(&[one, other], false, None));
            assert!(events.set(one, true));
            assert_eq!(waiter.join().unwrap(), Waited::Set(vec![(0, None)]));
        });
        assert_eq!(events.wait(&[one], false, none), Waited::TimedOut, "it was reset");
        let fault = MemoryFault { address: 0x1000, is_read_only: false };
        assert!(events.memory_fault(fault));
        assert_eq!(events.wait(&[one, other], true, none), Waited::TimedOut, "not all");
        assert_eq!(events.wait(&[one, other], false, none), Waited::Set(vec![(1, Some(fault))]));
        assert!(events.destroy(one) && !events.destroy(one) && !events.set(one, true));
        assert_eq!(events.wait(&[one], false, None), Waited::Unknown);
    }

    #[test]
    fn who_waits_for_signals_looks_at_them_while_a_kernel_runs() {
        let events = Events::default();
        let signal = events.create(SIGNAL, true).unwrap();
        events.begin_kernel();
        assert_eq!(events.wait(&[signal], false, None), Waited::Set(vec![]));
    }
}
