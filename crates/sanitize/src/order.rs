//! The order that barriers and atomics give to accesses (docs/sanitize.md#race).
//!
//! Barriers and atomics are events. An event comes after the last one of its wave, and an atomic after the last one on
//! its address. Which accesses an event orders is found out only when two accesses conflict.

use std::collections::{HashMap, HashSet};

use gcnsim_machine::Place;

/// Most events that are looked at for a pair of accesses. Beyond it the pair counts as ordered.
const MOST_VISITED: usize = 1 << 16;

/// Most events. Later ones are not noted, and what they would order counts as ordered.
const MOST_EVENTS: usize = 1 << 25;

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

/// All events so far.
#[derive(Debug, Default)]
pub struct Order {
    events: Vec<Event>,
    /// The last atomic on an address.
    last_at: HashMap<(Place, u64), EventId>,
}

/// An access, as far as its order matters.
#[derive(Clone, Copy, Debug)]
pub struct Stamp {
    /// Its group.
    pub group: u32,
    /// Its wave, counted over all groups.
    pub wave: u32,
    /// The time of the access.
    pub time: EventId,
}

impl Order {
    /// The time now: the number of events that are over.
    pub fn now(&self) -> EventId {
        self.events.len() as EventId
    }

    fn push(&mut self, wave: u32, barrier_of: Option<u32>, before: [EventId; 2]) -> EventId {
        if self.events.len() < MOST_EVENTS {
            self.events.push(Event { wave, barrier_of, before });
        }
        self.now()
    }

    /// The waves of a group, whose last events are `last`, pass a barrier. Returns the event that is the last of each
    /// of them now.
    pub fn barrier(&mut self, group: u32, last: impl Iterator<Item = EventId>) -> EventId {
        let first = self.push(0, Some(group), [0; 2]);
        let last: Vec<EventId> = last.filter(|&event| event > 0).collect();
        last.into_iter().fold(first, |joined, event| self.push(0, Some(group), [joined, event]))
    }

    /// A wave, whose last event is `last`, executes an atomic on addresses. If the atomic `returns` old values, the
    /// wave knows of the atomics before it. Returns its last event now.
    pub fn atomic(
        &mut self,
        wave: u32,
        last: EventId,
        returns: bool,
        places: impl Iterator<Item = (Place, u64)>,
    ) -> EventId {
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

    /// Forgets the atomics on LDS of a group that is over.
    pub fn end_group(&mut self) {
        self.last_at.retain(|(place, _), _| *place == Place::Memory);
    }

    /// Whether an access comes before what follows the event `last`.
    pub fn reaches(&self, access: Stamp, last: EventId) -> bool {
        if self.events.len() >= MOST_EVENTS {
            return true;
        }
        let (mut open, mut seen) = (vec![last], HashSet::new());
        while let Some(id) = open.pop() {
            if id <= access.time || !seen.insert(id) {
                continue;
            }
            let Some(event) = self.events.get(id as usize - 1) else { continue };
            if event.barrier_of.map_or(event.wave == access.wave, |group| group == access.group) {
                return true;
            }
            if seen.len() > MOST_VISITED {
                return true;
            }
            open.extend(event.before);
        }
        false
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

    #[test]
    fn a_barrier_passes_order_on() {
        let mut order = Order::default();
        let time = order.now();
        // Wave 0 accesses; its group passes a barrier; wave 1 of the group tells wave 2 of another one.
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
