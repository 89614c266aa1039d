//! The order that barriers and atomics give to accesses (docs/use/sanitize.md#race).
//!
//! Barriers and atomics are events. An event comes after the last event of its wave, and an atomic also after the last
//! atomic on its address. Which accesses an event orders is found out only when two accesses conflict: by looking at
//! the events before it one by one, or, if they are many, by its clock, which is kept for the next time.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use gcnsim_machine::Place;

/// Most events before another one that are looked at one by one.
const MOST_VISITED: usize = 64;

/// Most events that are looked at to make a clock. If there are more, the two accesses count as ordered.
const MOST_FOR_CLOCK: usize = 1 << 20;

/// Most entries of the clocks that are kept.
const MOST_ENTRIES: usize = 1 << 20;

/// Most events that are kept. What later events would order counts as ordered.
const MOST_EVENTS: usize = 1 << 22;

/// Number of an event, from 1 on; 0 is none.
pub type EventId = u32;

/// An event.
#[derive(Clone, Copy, Debug)]
struct Event {
    /// The wave of an atomic, counted over all groups.
    wave: u32,
    /// The group of a barrier, which all its waves pass.
    barrier_of: Option<u32>,
    before: [EventId; 2],
}

/// The events at or before an event: the last one of each wave, and the last barrier of each group.
#[derive(Clone, Debug, Default)]
struct Clock {
    waves: HashMap<u32, EventId>,
    groups: HashMap<u32, EventId>,
}

impl Clock {
    fn add(&mut self, id: EventId, event: &Event) {
        let (map, key) = match event.barrier_of {
            Some(group) => (&mut self.groups, group),
            None => (&mut self.waves, event.wave),
        };
        let last = map.entry(key).or_default();
        *last = (*last).max(id);
    }

    fn join(&mut self, other: &Clock) {
        for (map, others) in [(&mut self.waves, &other.waves), (&mut self.groups, &other.groups)] {
            for (&key, &id) in others {
                let last = map.entry(key).or_default();
                *last = (*last).max(id);
            }
        }
    }

    fn len(&self) -> usize {
        self.waves.len() + self.groups.len()
    }
}

/// All events so far.
#[derive(Debug, Default)]
pub struct Order {
    events: Vec<Event>,
    /// The last atomic on each address.
    last_at: HashMap<(Place, u64), EventId>,
    /// The clocks of some events.
    clocks: HashMap<EventId, Rc<Clock>>,
    /// Number of entries in all clocks.
    entries: usize,
    /// Whether a clock was not made because it would have taken too long.
    is_cut: bool,
}

/// The last atomic on each address of LDS.
#[derive(Debug, Default)]
pub struct LdsAtomics(Vec<((Place, u64), EventId)>);

/// The facts of an access that decide about its order.
#[derive(Clone, Copy, Debug)]
pub struct Stamp {
    /// Number of its group.
    pub group: u32,
    /// Number of its wave, counted over all groups.
    pub wave: u32,
    /// The time of the access.
    pub time: EventId,
}

impl Order {
    /// Returns the time now: the number of events that are over.
    pub fn now(&self) -> EventId {
        self.events.len() as EventId
    }

    fn push(&mut self, wave: u32, barrier_of: Option<u32>, before: [EventId; 2]) -> EventId {
        if self.events.len() < MOST_EVENTS {
            self.events.push(Event { wave, barrier_of, before });
        }
        self.now()
    }

    /// Lets the waves of a group, whose last events are `last`, pass a barrier. Returns the event that is the last of
    /// each of them now.
    pub fn barrier(&mut self, group: u32, last: impl Iterator<Item = EventId>) -> EventId {
        let first = self.push(0, Some(group), [0; 2]);
        let last: Vec<EventId> = last.filter(|&event| event > 0).collect();
        last.into_iter().fold(first, |joined, event| self.push(0, Some(group), [joined, event]))
    }

    /// Lets a wave, whose last event is `last`, execute an atomic on `places`. If the atomic `returns` old values, the
    /// wave knows of the atomics before it. Returns the wave's last event now.
    pub fn atomic(
        &mut self,
        wave: u32,
        last: EventId,
        returns: bool,
        places: impl Iterator<Item = (Place, u64)>,
    ) -> EventId {
        if self.events.len() >= MOST_EVENTS {
            return last;
        }
        let mut places: Vec<(Place, u64)> = places.collect();
        places.sort_unstable();
        places.dedup();
        let own = self.push(wave, None, [last, 0]);
        let mut all = own;
        for place in &places {
            let before = self.last_at.get(place).copied().unwrap_or(0);
            if returns {
                all = self.push(wave, None, [all, before]);
            } else {
                let event = self.push(wave, None, [own, before]);
                self.last_at.insert(*place, event);
            }
        }
        if returns {
            places.into_iter().for_each(|place| _ = self.last_at.insert(place, all));
        }
        all
    }

    /// Takes out the last atomics on LDS, whose group has ended or is set aside.
    pub fn leave_group(&mut self) -> LdsAtomics {
        LdsAtomics(self.last_at.extract_if(|(place, _), _| *place != Place::Memory).collect())
    }

    /// Puts back what was taken out for a group.
    pub fn enter_group(&mut self, LdsAtomics(last): LdsAtomics) {
        self.last_at.extend(last);
    }

    /// Whether `access` comes before everything that follows the event `last`.
    pub fn reaches(&mut self, access: Stamp, last: EventId) -> bool {
        if self.events.len() >= MOST_EVENTS {
            return true;
        }
        if let Some(is_before) = self.reaches_nearby(access, last) {
            return is_before;
        }
        let Some(clock) = self.clock(last) else {
            self.is_cut = true;
            return true;
        };
        let is_later = |last: Option<&EventId>| last.is_some_and(|&id| id > access.time);
        is_later(clock.waves.get(&access.wave)) || is_later(clock.groups.get(&access.group))
    }

    /// Returns the answer of [`reaches`](Order::reaches) if few events have to be looked at; otherwise `None`.
    fn reaches_nearby(&self, access: Stamp, last: EventId) -> Option<bool> {
        let (mut open, mut seen) = (vec![last], Vec::new());
        while let Some(id) = open.pop() {
            if id <= access.time || seen.contains(&id) {
                continue;
            }
            let Some(event) = self.events.get(id as usize - 1) else { continue };
            if event.barrier_of.map_or(event.wave == access.wave, |group| group == access.group) {
                return Some(true);
            }
            if seen.len() == MOST_VISITED {
                return None;
            }
            seen.push(id);
            open.extend(event.before);
        }
        Some(false)
    }

    /// Returns the clock of the event `last`. It is made of the events before it, back to those that have a clock.
    /// `None` if these are too many.
    fn clock(&mut self, last: EventId) -> Option<Rc<Clock>> {
        if let Some(clock) = self.clocks.get(&last) {
            return Some(clock.clone());
        }
        let (mut clock, mut open, mut seen) = (Clock::default(), vec![last], HashSet::new());
        while let Some(id) = open.pop() {
            if id == 0 || !seen.insert(id) {
                continue;
            }
            if seen.len() > MOST_FOR_CLOCK {
                return None;
            }
            if let Some(known) = self.clocks.get(&id) {
                clock.join(known);
            } else if let Some(event) = self.events.get(id as usize - 1) {
                clock.add(id, event);
                open.extend(event.before);
            }
        }
        if self.entries + clock.len() > MOST_ENTRIES {
            self.clocks.clear();
            self.entries = 0;
        }
        self.entries += clock.len();
        let clock = Rc::new(clock);
        self.clocks.insert(last, clock.clone());
        Some(clock)
    }

    /// Returns the limit that was reached, in words.
    pub fn limit(&self) -> Option<String> {
        if self.events.len() >= MOST_EVENTS {
            return Some(format!("races were not looked for behind {MOST_EVENTS} barriers and atomics"));
        }
        self.is_cut.then(|| format!("accesses with {MOST_FOR_CLOCK} barriers and atomics between count as ordered"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLACE: (Place, u64) = (Place::Memory, 8);

    fn stamp(group: u32, wave: u32, time: EventId) -> Stamp {
        Stamp { group, wave, time }
    }

    #[test]
    fn an_atomic_orders_what_lies_before_another_one() {
        let mut order = Order::default();
        let time = order.now();
        order.atomic(0, 0, false, [PLACE].into_iter());
        let later = order.now();
        let blind = order.atomic(1, 0, false, [PLACE].into_iter());
        let sees = order.atomic(2, 0, true, [PLACE].into_iter());
        let elsewhere = order.atomic(3, 0, true, [(Place::Memory, 16)].into_iter());
        assert!(order.reaches(stamp(1, 0, time), sees), "the access is before the atomic");
        assert!(!order.reaches(stamp(1, 0, later), sees), "it is after it");
        assert!(!order.reaches(stamp(1, 0, time), blind), "the other atomic returns nothing");
        assert!(!order.reaches(stamp(1, 0, time), elsewhere), "the other atomic is on another address");
    }

    /// The waves of a chain hand a token on. The access of the first wave comes before all of them, and the access of a
    /// wave outside the chain before none. The chain has more events than are looked at one by one.
    #[test]
    fn clocks_know_what_lies_far_back() {
        let mut order = Order::default();
        let start = order.now();
        let mut last = order.atomic(0, 0, true, [PLACE].into_iter());
        for wave in 1..1000 {
            last = order.atomic(wave, 0, true, [PLACE].into_iter());
            let is_first_before = order.reaches(stamp(1, 0, start), last);
            assert!(is_first_before && !order.reaches(stamp(9, 5000, start), last), "{wave}");
        }
        let later = order.now();
        assert!(order.reaches(stamp(1, 998, start), last) && !order.reaches(stamp(1, 998, later), last));
        let barrier = order.barrier(7, [last].into_iter());
        assert!(order.reaches(stamp(7, 6000, later), barrier) && order.reaches(stamp(1, 0, start), barrier));
        assert_eq!(order.limit(), None);
    }

    #[test]
    fn a_barrier_passes_order_on() {
        let mut order = Order::default();
        let time = order.now();
        // Wave 0 accesses, and its group passes a barrier. Then wave 1 of the group tells wave 2 of another group.
        let barrier = order.barrier(1, [0, 0].into_iter());
        order.atomic(1, barrier, false, [PLACE].into_iter());
        let sees = order.atomic(2, 0, true, [PLACE].into_iter());
        assert!(order.reaches(stamp(1, 0, time), sees));
        // After a barrier of its group wave 2 still sees the atomic of wave 1.
        let passed = order.barrier(2, [sees, 0].into_iter());
        assert!(order.reaches(stamp(1, 0, time), passed));
        assert!(!order.reaches(stamp(3, 9, time), passed));
    }
}
