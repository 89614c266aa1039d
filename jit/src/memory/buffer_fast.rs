//! Buffers as [`fast`](super::fast) reaches them: all active lanes in range, all notes known.

use std::mem::MaybeUninit;

use gcnsim_isa::{LANES, Note, Notes};

use super::descriptor::{Buffer, Check};
use super::fast::{self, Extent, Form};

/// What the active lanes add up to at most.
#[derive(Clone, Copy)]
struct Greatest {
    /// The index, with the lane number where it is added.
    index: u64,
    /// The offset without the constant one.
    offset: u64,
}

/// The greatest value of the lanes of a mask.
#[inline(always)]
fn greatest(values: &[u32; LANES], mask: u64) -> u64 {
    let active = fast::expanded(mask);
    let mut greatest = 0;
    for lane in 0..LANES {
        greatest = greatest.max(values[lane] & active[lane]);
    }
    greatest as u64
}

impl Buffer {
    /// Addresses that two registers hold: what is added.
    #[inline(always)]
    pub fn form64(&self) -> Form<'static> {
        Form { base: self.base.wrapping_add(self.offset as u64), low: &[0; LANES], high: None }
    }

    /// The addresses of `bytes` bytes for the lanes of a mask, if all are in range, whatever the reading of the rules,
    /// and the buffer is linear or scratch. In `room` they are computed where no register holds them.
    #[inline(always)]
    pub fn form<'a>(
        &self,
        index: Option<&[u32; LANES]>,
        offset: &'a [u32; LANES],
        mask: u64,
        bytes: u8,
        room: &'a mut MaybeUninit<[u32; LANES]>,
        notes: &mut Notes,
    ) -> Option<(Form<'a>, Extent)> {
        let offsets = greatest(offset, mask);
        if self.is_scratch() && index.is_none() {
            return self.scratch(offset, offsets, mask, bytes, room, notes);
        }
        if self.swizzle.is_some() {
            return None;
        }
        let extent = Extent { bytes, rows: 1 };
        let base = self.base.wrapping_add(self.offset as u64);
        if index.is_none() && !self.adds_lane {
            let is_in_range = self.holds(Greatest { index: 0, offset: offsets }, bytes);
            return is_in_range.then_some((Form { base, low: offset, high: None }, extent));
        }
        let lanes: [u32; LANES] = std::array::from_fn(|lane| if self.adds_lane { lane as u32 } else { 0 });
        let indices = index.map_or(0, |index| greatest(index, mask)) + greatest(&lanes, mask);
        if !self.holds(Greatest { index: indices, offset: offsets }, bytes) {
            return None;
        }
        let low = room.write(std::array::from_fn(|lane| {
            let index = index.map_or(0, |index| index[lane]).wrapping_add(lanes[lane]);
            index.wrapping_mul(self.stride).wrapping_add(offset[lane])
        }));
        Some((Form { base, low, high: None }, extent))
    }

    /// Are lanes in range with at most these sums, without wrapping, and is everything but them, too?
    #[inline(always)]
    fn holds(&self, greatest: Greatest, bytes: u8) -> bool {
        let behind = greatest.offset + self.offset as u64 + bytes as u64;
        let place = greatest.index * self.stride as u64 + behind;
        let (records, soffset) = (self.records as u64, self.soffset as u64);
        let is_near = greatest.index <= u32::MAX as u64 && place <= u32::MAX as u64;
        is_near
            && match self.check {
                Check::Nothing => true,
                Check::Bytes => place + soffset <= records,
                Check::Offset => behind + soffset <= records,
                Check::Index => greatest.index < records,
                Check::Record => greatest.index < records && behind <= self.stride as u64,
            }
    }

    /// Is it the scratch of a wave: the dwords of 64 lanes side by side?
    #[inline(always)]
    fn is_scratch(&self) -> bool {
        self.swizzle.is_some_and(|swizzle| (swizzle.element, swizzle.indices) == (4, 64))
            && self.adds_lane
            && self.stride == 0
    }

    /// [`Buffer::form`] of scratch.
    #[inline(always)]
    fn scratch<'a>(
        &self,
        offset: &[u32; LANES],
        offsets: u64,
        mask: u64,
        bytes: u8,
        room: &'a mut MaybeUninit<[u32; LANES]>,
        notes: &mut Notes,
    ) -> Option<(Form<'a>, Extent)> {
        // The range check is of the first dword's place and the bytes behind it.
        let place = ((offsets + self.offset as u64) / 4 * 256 + 256) + bytes as u64;
        let is_in_range = match self.check {
            Check::Nothing => true,
            Check::Bytes => place + self.soffset as u64 <= self.records as u64,
            Check::Offset | Check::Index | Check::Record => false,
        };
        if !is_in_range || place > u32::MAX as u64 {
            return None;
        }
        let low = room.write(fast::interleave(offset, self.offset, mask, bytes)?);
        notes.insert_if(bytes > 4, Note::BufferSwizzleWide);
        let extent = Extent { bytes: bytes.min(4), rows: bytes.div_ceil(4) };
        Some((Form { base: self.base, low, high: None }, extent))
    }
}
