//! Packets of AMD: a wait for a value, and PM4, which here only orders caches.

use super::{Done, Packet, QueueError};
use crate::gpu::Gpu;

/// Formats of vendor packets, in byte 2.
mod format {
    pub const PM4: u32 = 1;
    pub const BARRIER_VALUE: u32 = 2;
}

/// Opcodes of PM4.
mod op {
    pub const NOP: u32 = 0x10;
    pub const INDIRECT_BUFFER: u32 = 0x3f;
    pub const RELEASE_MEM: u32 = 0x49;
    pub const ACQUIRE_MEM: u32 = 0x58;
    pub const EVENT_WRITE: u32 = 0x46;
    pub const SURFACE_SYNC: u32 = 0x43;
}

/// Most dwords of an indirect buffer that are looked at.
const MOST: u32 = 1 << 16;

impl Gpu {
    /// Processes a packet of AMD. Returns what became of it, and its signal.
    pub(super) fn vendor(&self, packet: &Packet) -> (Result<Done, QueueError>, u64) {
        if !self.chip.arch().is_gcn14_or_later() {
            // On older chips the packet itself is PM4, whose end advances the ring.
            let words: Vec<u32> = (0..64).step_by(4).map(|at| packet.u32(at)).collect();
            return (self.pm4(&words, true), 0);
        }
        let signal = packet.u64(56);
        match packet.u16(2) & 0xff {
            format::PM4 => {
                let words: Vec<u32> = (4..20).step_by(4).map(|at| packet.u32(at)).collect();
                (self.pm4(&words, true), signal)
            }
            format::BARRIER_VALUE => (Ok(self.barrier_value(packet)), signal),
            _ => (Err(QueueError::Packet), 0),
        }
    }

    /// Whether the value of a signal, masked, is as a packet wants it.
    fn barrier_value(&self, packet: &Packet) -> Done {
        let (signal, value, mask, condition) = (packet.u64(8), packet.u64(16), packet.u64(24), packet.u32(32));
        let Some(place) = self.place(signal, 64) else { return Done::No };
        let (now, value) = ((place.u64(8) & mask) as i64, value as i64);
        let is_so = match condition & 3 {
            0 => now == value,
            1 => now != value,
            2 => now < value,
            _ => now >= value,
        };
        if is_so { Done::Yes } else { Done::No }
    }

    /// Looks through PM4: everything that orders caches is done, as memory here is coherent. `buffers` says whether
    /// there may be indirect buffers.
    fn pm4(&self, words: &[u32], buffers: bool) -> Result<Done, QueueError> {
        let mut rest = words;
        while let Some((&head, body)) = rest.split_first() {
            if head >> 30 == 2 {
                rest = body;
                continue;
            }
            let (op, len) = (head >> 8 & 0xff, (head >> 16 & 0x3fff) as usize + 1);
            if head == 0 || head >> 30 != 3 {
                break;
            }
            match op {
                op::NOP | op::RELEASE_MEM | op::ACQUIRE_MEM | op::EVENT_WRITE | op::SURFACE_SYNC => {}
                op::INDIRECT_BUFFER if buffers => {
                    let at = |index: usize| body.get(index).copied().unwrap_or(0);
                    let (address, count) = (u64::from(at(0) & !3) | u64::from(at(1) & 0xffff) << 32, at(2) & 0xf_ffff);
                    let words = self.words(address, count.min(MOST)).ok_or(QueueError::Packet)?;
                    self.pm4(&words, false)?;
                }
                _ => return Err(self.no_op(op)),
            }
            rest = body.get(len..).unwrap_or(&[]);
        }
        Ok(Done::Yes)
    }

    fn no_op(&self, op: u32) -> QueueError {
        self.unknown(&format!("the PM4 packet {op:#x} of a compute queue"));
        QueueError::Packet
    }

    fn words(&self, address: u64, count: u32) -> Option<Vec<u32>> {
        // An address of PM4 is that of a dword.
        let at = |index: u32| {
            let address = address.wrapping_add(4 * u64::from(index));
            let place = self.place(address & !7, 8)?;
            Some(place.u32((address & 4) as usize))
        };
        (0..count).map(at).collect()
    }
}
