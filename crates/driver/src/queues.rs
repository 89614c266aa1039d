//! Queues: rings of packets that the program fills.

use std::collections::BTreeMap;

/// A queue.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Queue {
    /// Guest address of the ring.
    pub ring: u64,
    /// Size of the ring in bytes.
    pub size: u32,
    /// Guest address of the number behind the last packet that was read. It lies in the queue object of ROCr.
    pub read: u64,
    /// Number of the next packet.
    pub next: u64,
    /// Whether its packets wait, as the program has asked for.
    pub paused: bool,
    /// Whether an error has ended it.
    pub dead: bool,
}

/// Offset of the number of packets read in ROCr's queue object (`amd_queue_t`), in bytes.
const READ_IN_OBJECT: u64 = 128;

impl Queue {
    /// Returns the guest address of the queue object.
    pub fn object(&self) -> u64 {
        self.read.wrapping_sub(READ_IN_OBJECT)
    }
}

/// The queues of a process, by number.
#[derive(Default)]
pub struct Queues {
    list: BTreeMap<u32, Queue>,
    /// Whether somebody processes packets.
    pub started: bool,
}

/// Most queues of a process: doorbells of a page.
pub const MOST_QUEUES: u32 = 1024;

impl Queues {
    /// Adds a queue. Returns its number; `None` if there are too many.
    pub fn add(&mut self, queue: Queue) -> Option<u32> {
        let id = (0..MOST_QUEUES).find(|id| !self.list.contains_key(id))?;
        self.list.insert(id, queue);
        Some(id)
    }

    /// Returns a queue.
    pub fn get_mut(&mut self, id: u32) -> Option<&mut Queue> {
        self.list.get_mut(&id)
    }

    /// Removes a queue. Returns whether it was there.
    pub fn remove(&mut self, id: u32) -> bool {
        self.list.remove(&id).is_some()
    }

    /// Returns the queues whose packets are processed.
    pub fn active(&self) -> Vec<(u32, Queue)> {
        let active = self.list.iter().filter(|(_, queue)| !queue.paused && !queue.dead);
        active.map(|(id, queue)| (*id, queue.clone())).collect()
    }
}
