//! Packets of user-mode queues: kernels, barriers, and what vendors add.
//!
//! Sources: the HSA runtime specification (AQL), ROCr's `amd_hsa_queue.h` and `amd_hsa_signal.h`.

mod dispatch;
mod vendor;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

use gcnsim_machine::threads;

use crate::clock::now;
use crate::gpu::{Gpu, lock};
use crate::memory::Place;
use crate::queues::Queue;
use crate::turns::Turn;

/// Size of a packet in bytes.
const PACKET: u64 = 64;
/// How often a processor without work looks for packets. Those who ring a doorbell wait for events soon after, which
/// wakes it at once.
const NAP: Duration = Duration::from_micros(50);
/// How often it looks if there was no work for long.
const LONG_NAP: Duration = Duration::from_micros(500);
/// Number of looks without work before it naps, and before the naps become long.
const LOOKS: [u32; 2] = [200, 4000];

/// Kinds of packets.
mod kind {
    pub const VENDOR: u16 = 0;
    pub const INVALID: u16 = 1;
    pub const DISPATCH: u16 = 2;
    pub const BARRIER_AND: u16 = 3;
    pub const AGENT: u16 = 4;
    pub const BARRIER_OR: u16 = 5;
}

/// Why a queue ends: the bits that ROCr looks for in the signal of an inactive queue.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u32)]
pub(crate) enum QueueError {
    /// The dimensions of a dispatch cannot be.
    Dimensions = 0x2,
    /// A group needs too much LDS.
    Lds = 0x4,
    /// There is no code.
    Code = 0x8,
    /// A packet cannot be.
    Packet = 0x20,
    /// A group is too large.
    Group = 0x40,
    /// Memory does not allow an access.
    Memory = 0x2000_0000,
    /// An instruction is not one.
    Instruction = 0x4000_0000,
    /// A trap, or whatever else ended a wave.
    Trap = 0x8000_0000,
}

/// What became of a packet.
pub(crate) enum Done {
    /// It is done: its signal is to be completed.
    Yes,
    /// It waits.
    No,
    /// The memory's fault was told; the queue ends.
    Told,
}

/// The ring of a queue is not in memory.
struct Unmapped;

/// A packet in its ring.
pub(crate) struct Packet {
    /// Guest address.
    pub address: u64,
    /// The bytes.
    pub place: Place,
}

impl Packet {
    fn u16(&self, at: usize) -> u32 {
        u32::from(u16::from_le_bytes(self.place.bytes(at)))
    }

    fn u32(&self, at: usize) -> u32 {
        self.place.u32(at)
    }

    fn u64(&self, at: usize) -> u64 {
        self.place.u64(at)
    }
}

impl Gpu {
    /// Starts to process packets, once.
    pub fn start(self: &Arc<Gpu>) {
        if std::mem::replace(&mut lock(&self.queues).started, true) {
            return;
        }
        let (gpu, beside) = (self.clone(), self.clone());
        // Without a thread no packet is processed: the program waits, and can be interrupted.
        let _ = threads::spawn("gcnsim", move || gpu.process());
        let _ = threads::spawn("gcnsim", move || beside.process_beside(1));
    }

    /// Processes packets for ever.
    fn process(&self) {
        let (mut idle, mut is_kept) = (0u32, true);
        loop {
            let Some(any) = self.step_safely() else { return };
            if any {
                (idle, is_kept) = (0, false);
                continue;
            }
            idle = idle.saturating_add(1);
            if idle >= LOOKS[0] && !std::mem::replace(&mut is_kept, true) {
                self.program.keep(&self.summary());
            }
            match idle {
                _ if idle < LOOKS[0] => std::thread::yield_now(),
                _ if idle < LOOKS[1] => self.sleep(NAP),
                _ => self.sleep(LONG_NAP),
            }
        }
    }

    /// As [`Gpu::step`]. `None` if the simulator has failed.
    pub(crate) fn step_safely(&self) -> Option<bool> {
        let any = catch_unwind(AssertUnwindSafe(|| self.step()));
        if any.is_err() {
            self.fail("internal error: the device has stopped");
        }
        any.ok()
    }

    /// Looks at the next packet of each queue. Returns whether any was processed.
    pub fn step(&self) -> bool {
        let mut turn = self.processing();
        let mut active = lock(&self.queues).active();
        self.turns.in_order(&mut active);
        let mut any = false;
        for (id, queue) in active {
            if self.packet(id, &queue, &mut turn) {
                any = true;
                self.turns.was_of(id);
            }
            // Others may have gone on with the other queues.
            if turn.was_given {
                break;
            }
        }
        any
    }

    /// Looks at the next packet of one queue. Returns whether it was processed.
    pub fn step_queue(&self, id: u32) -> bool {
        let mut turn = self.processing();
        let queue = lock(&self.queues).active().into_iter().find(|(other, _)| *other == id);
        queue.is_some_and(|(id, queue)| self.packet(id, &queue, &mut turn))
    }

    fn place(&self, address: u64, bytes: u64) -> Option<Place> {
        lock(&self.memory).place(address, bytes)
    }

    /// Returns the next packet of a queue, if there is one.
    fn next(&self, queue: &Queue, object: &Place) -> Result<Option<Packet>, Unmapped> {
        const WRITE: usize = 56;
        const RING_PACKETS: usize = 24;
        if queue.next >= object.u64(WRITE) {
            return Ok(None);
        }
        let packets = u64::from(object.u32(RING_PACKETS)).min(u64::from(queue.size) / PACKET).max(1);
        let address = queue.ring.wrapping_add(queue.next % packets * PACKET);
        self.place(address, PACKET).map(|place| Some(Packet { address, place })).ok_or(Unmapped)
    }

    /// Whether a queue other than `id` has a packet that does not wait.
    pub(crate) fn has_work_beside(&self, id: u32) -> bool {
        let queues = lock(&self.queues).active();
        queues.into_iter().filter(|(other, _)| *other != id && !self.turns.is_beside(*other)).any(|(_, queue)| {
            let object = self.place(queue.object(), 256);
            let Some(Ok(Some(packet))) = object.map(|object| self.next(&queue, &object)) else { return false };
            match packet.u16(0) as u16 & 0xff {
                kind::INVALID => false,
                kind::VENDOR => matches!(self.vendor(&packet).0, Ok(Done::Yes)),
                header @ (kind::BARRIER_AND | kind::BARRIER_OR) => matches!(self.barrier(&packet, header), Done::Yes),
                _ => true,
            }
        })
    }

    /// Processes the next packet of a queue. Returns whether there was one that did not wait.
    fn packet(&self, id: u32, queue: &Queue, turn: &mut Turn<'_>) -> bool {
        const READ: usize = 128;
        let Some(object) = self.place(queue.object(), 256) else { return self.end(id, None, "its object is unmapped") };
        let packet = match self.next(queue, &object) {
            Ok(Some(packet)) => packet,
            Ok(None) => return false,
            Err(Unmapped) => return self.end(id, Some(&object), "its ring is unmapped"),
        };
        let start = now();
        let header = packet.u16(0) as u16;
        let (done, signal) = match header & 0xff {
            kind::INVALID => return false,
            kind::DISPATCH => (self.dispatch(id, queue, &packet, turn), packet.u64(56)),
            kind::BARRIER_AND | kind::BARRIER_OR => (Ok(self.barrier(&packet, header & 0xff)), packet.u64(56)),
            kind::VENDOR => self.vendor(&packet),
            kind::AGENT => (Err(QueueError::Packet), 0),
            _ => (Err(QueueError::Packet), 0),
        };
        match done {
            Ok(Done::No) => false,
            Ok(Done::Yes) => {
                if header & 0xff != kind::DISPATCH {
                    self.log_packet(id);
                }
                packet.place.set_u16(0, kind::INVALID);
                if let Some(queue) = lock(&self.queues).get_mut(id) {
                    queue.next += 1;
                }
                object.set_u64(READ, queue.next + 1);
                self.complete(signal, start);
                if let Some(log) = &self.log {
                    lock(log).after(signal, &lock(&self.memory));
                }
                true
            }
            Ok(Done::Told) => self.kill(id),
            Err(error) => {
                if error == QueueError::Packet {
                    self.unknown(&format!("a packet with the header {header:#x}"));
                }
                self.inactive(&object, error);
                self.kill(id)
            }
        }
    }

    /// Adds the packet that is processed to the log. Packets but kernels are known to be done by then.
    fn log_packet(&self, id: u32) {
        if let Some(log) = &self.log {
            lock(log).packet(id, &lock(&self.memory));
        }
    }

    fn kill(&self, id: u32) -> bool {
        if let Some(queue) = lock(&self.queues).get_mut(id) {
            queue.dead = true;
        }
        true
    }

    fn end(&self, id: u32, object: Option<&Place>, why: &str) -> bool {
        self.program.say(&format!("a queue ends: {why}"));
        if let Some(object) = object {
            self.inactive(object, QueueError::Packet);
        }
        self.kill(id)
    }

    /// Whether a barrier is passed: all of its signals are 0, or any.
    fn barrier(&self, packet: &Packet, header: u16) -> Done {
        let signals = (8..48).step_by(8).map(|at| packet.u64(at)).filter(|&signal| signal != 0);
        let (mut all, mut any, mut count) = (true, false, 0);
        for signal in signals {
            // A signal that is not there never comes.
            let is_zero = self.place(signal, 64).is_some_and(|signal| signal.u64(8) == 0);
            (all, any, count) = (all && is_zero, any || is_zero, count + 1);
        }
        let ready = if header == kind::BARRIER_AND { all } else { any || count == 0 };
        if ready { Done::Yes } else { Done::No }
    }

    /// Completes a signal: it falls by 1, and whoever waits for its event wakes.
    fn complete(&self, signal: u64, start: u64) {
        const TIMES: [usize; 2] = [32, 40];
        let Some(place) = Some(signal).filter(|&signal| signal != 0).and_then(|signal| self.place(signal, 64)) else {
            return;
        };
        place.set_u64(TIMES[0], start);
        place.set_u64(TIMES[1], now());
        place.add_u64(8, u64::MAX);
        self.ring(&place);
    }

    /// Rings the event of a signal: the mailbox at byte 16 gets the id at byte 24.
    fn ring(&self, signal: &Place) {
        let (mailbox, event) = (signal.u64(16), signal.u32(24));
        if mailbox == 0 {
            return;
        }
        if let Some(mailbox) = self.place(mailbox, 8) {
            mailbox.set_u64(0, event.into());
        }
        self.events.set(event, true);
    }

    /// Tells ROCr that a queue has ended: its signal gets the reason.
    fn inactive(&self, object: &Place, error: QueueError) {
        const SIGNAL: usize = 192;
        if let Some(signal) = self.place(object.u64(SIGNAL), 64) {
            signal.set_u64(8, u64::from(error as u32));
            self.ring(&signal);
        }
    }
}
