//! Buffers as [`fast`](super::fast) reaches them: linear ones and scratch. Each active lane is in range with all that
//! it accesses or with nothing of it, whatever the reading of the rules, and all notes are known.

use std::mem::MaybeUninit;

use gcnsim_isa::{LANES, Note, Notes};

use super::descriptor::{Buffer, Check};
use super::fast::{self, Form};
use crate::host::lanes::greatest;
use crate::host::lanes::lanes_of;
use crate::host::{Host, Lanes};

/// The address registers of a buffer access.
#[derive(Clone, Copy)]
pub(super) struct Registers<'a> {
    /// The index of each lane, if the instruction has one.
    pub index: Option<&'a Lanes>,
    /// The offset of each lane; zeros if the instruction has none.
    pub offset: &'a Lanes,
}

/// The indices for instructions without an index.
const NO_INDEX: Lanes = [0; LANES];

/// The place of one lane, for range checks.
#[derive(Clone, Copy)]
struct Spot {
    /// The index, with the lane number where the descriptor adds it.
    index: u64,
    /// The offset in the record, with the constant offset. It has 32 bits, but for the greatest of all lanes.
    offset: u64,
    /// The byte in the buffer.
    place: u64,
}

impl Buffer {
    /// The addresses of elements of `bytes` bytes for the lanes of `mask`. They are computed in `room` where no
    /// register holds them.
    #[inline(always)]
    pub fn form<'a, H: Host>(
        &self,
        host: H,
        registers: Registers<'a>,
        mask: u64,
        bytes: u8,
        room: &'a mut MaybeUninit<Lanes>,
        notes: &mut Notes,
    ) -> Option<Form<'a>> {
        let Registers { index, offset } = registers;
        if self.is_scratch() && index.is_none() {
            return self.scratch(offset, mask, bytes, room, notes);
        }
        if self.swizzle.is_some() {
            return None;
        }
        let origin = self.base.wrapping_add(self.offset as u64);
        let has_index = index.is_some() || self.adds_lane;
        let offsets = greatest(offset, mask);
        let indices = match index {
            _ if !has_index => 0,
            None => 63,
            Some(index) => greatest(index, mask) + if self.adds_lane { 63 } else { 0 },
        };
        let last = offsets + self.offset as u64;
        let greatest = Spot { index: indices, offset: last, place: indices * self.stride as u64 + last };
        if indices > u32::MAX as u64 || !self.has(greatest, bytes) {
            return self.partly(host, registers, mask, bytes, room);
        }
        if !has_index {
            return Some(Form { origin, low: offset, mask, in_rows: false, buffer: self.extent() });
        }
        let (index, added) = (index.unwrap_or(&NO_INDEX), self.adds_lane as u32);
        let low = room.write(lanes_of!(lane => {
            let index = index[lane].wrapping_add(lane as u32 * added);
            index.wrapping_mul(self.stride).wrapping_add(offset[lane])
        }));
        Some(Form { origin, low, mask, in_rows: false, buffer: self.extent() })
    }

    /// The address and size in bytes of what is in range, as far as the descriptor tells. Without a range check, nothing.
    #[inline(always)]
    fn extent(&self) -> (u64, u64) {
        let bytes = match self.check {
            Check::Nothing => 0,
            Check::Bytes | Check::Offset => self.records as u64,
            Check::Index | Check::Record => self.records as u64 * self.stride as u64,
        };
        (gcnsim_machine::canonical(self.base.wrapping_sub(self.soffset as u64)), bytes)
    }

    /// Whether all `bytes` bytes at `spot` are in range by every reading of the rules, and near enough for 32-bit
    /// distances.
    #[inline(always)]
    fn has(&self, spot: Spot, bytes: u8) -> bool {
        let (records, soffset, bytes) = (self.records as u64, self.soffset as u64, bytes as u64);
        let is_in_range = match self.check {
            Check::Nothing => true,
            Check::Bytes => spot.place + bytes + soffset <= records,
            Check::Offset => spot.offset + bytes + soffset <= records,
            Check::Index => spot.index < records,
            Check::Record => (spot.index < records) & (spot.offset + bytes <= self.stride as u64),
        };
        is_in_range & (spot.place + bytes <= u32::MAX as u64)
    }

    /// Whether none of `bytes` bytes at `spot` is in range, by every reading of the rules.
    #[inline(always)]
    fn lacks(&self, spot: Spot, bytes: u8) -> bool {
        let records = self.records as u64;
        // Dwords whose offsets wrap are in the buffer again.
        let ascends = spot.offset + bytes as u64 <= 1 << 32;
        match self.check {
            Check::Nothing => false,
            Check::Bytes => ascends & (spot.place >= records),
            Check::Offset => ascends & (spot.offset >= records),
            Check::Index => spot.index >= records,
            Check::Record => (spot.index >= records) | (ascends & (spot.offset >= self.stride as u64)),
        }
    }

    /// The result of [`Buffer::form`] where some lanes are out of range.
    #[inline(always)]
    fn partly<'a, H: Host>(
        &self,
        host: H,
        registers: Registers<'a>,
        mask: u64,
        bytes: u8,
        room: &'a mut MaybeUninit<Lanes>,
    ) -> Option<Form<'a>> {
        let low = room.write([0; LANES]);
        let (mut inside, mut doubtful) = ([0; LANES], [0; LANES]);
        for lane in 0..LANES {
            let added = if self.adds_lane { lane as u32 } else { 0 };
            let index = registers.index.map_or(0, |index| index[lane]).wrapping_add(added) as u64;
            let offset = u64::from(registers.offset[lane].wrapping_add(self.offset));
            let spot = Spot { index, offset, place: index * self.stride as u64 + offset };
            low[lane] = spot.place as u32;
            inside[lane] = self.has(spot, bytes) as u32;
            doubtful[lane] = (self.has(spot, bytes) == self.lacks(spot, bytes)) as u32;
        }
        let (inside, doubtful) = (host.nonzero(&inside), host.nonzero(&doubtful));
        (doubtful & mask == 0).then_some(Form {
            origin: self.base,
            low,
            mask: inside & mask,
            in_rows: false,
            buffer: self.extent(),
        })
    }

    /// Whether the buffer is the scratch of a wave, where the dwords of 64 lanes lie side by side. The index is
    /// then the number of the lane, so that the stride moves nothing.
    #[inline(always)]
    fn is_scratch(&self) -> bool {
        self.swizzle.is_some_and(|swizzle| (swizzle.element, swizzle.indices) == (4, 64)) && self.adds_lane
    }

    /// The result of [`Buffer::form`] for scratch.
    #[inline(always)]
    fn scratch<'a>(
        &self,
        offset: &Lanes,
        mask: u64,
        bytes: u8,
        room: &'a mut MaybeUninit<Lanes>,
        notes: &mut Notes,
    ) -> Option<Form<'a>> {
        let last = greatest(offset, mask) + self.offset as u64;
        // The byte behind the row of 64 dwords that has the last lane's dword.
        let place = last / 4 * 256 + 256;
        if !self.has(Spot { index: LANES as u64 - 1, offset: last, place }, bytes) {
            return None;
        }
        let low = room.write(fast::interleave(offset, self.offset, mask, bytes)?);
        notes.insert_if(bytes > 4, Note::BufferSwizzleWide);
        Some(Form { origin: self.base, low, mask, in_rows: bytes > 4, buffer: self.extent() })
    }
}
