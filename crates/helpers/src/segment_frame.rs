//! The frame of a segment: what it shares with its caller besides the vector registers.

use std::mem::offset_of;

use gcnsim_machine::Context;

use crate::frame::Frame;

/// Number of slots for vectors that have no register.
pub const SPILLS: usize = 256;
/// Number of slots for masks that have no register.
pub const MASK_SPILLS: usize = 64;

/// Number of slots for scalar operands: one for each register, others for values of registers that are overwritten.
pub const SLOTS: usize = 256;

/// Largest number of groups of reads of LDS in a segment.
pub const GROUPS: usize = 16;
/// Largest number of bounds of addresses in a segment.
pub const BOUNDS: usize = 32;

/// Number of sites of loads in the frame. Regions share them: each has [`REGION_SITES`] in a row.
const SITES: usize = 128;
/// Number of changes of owner after which a block of sites is no longer used.
const MOST_CHANGES: u32 = 4096;
/// Most loads of guest memory that the segments of a region can have.
pub const REGION_SITES: u8 = 32;
/// Number of declined tries after which the load of a site is left to its helper: more than the accesses to a mapping
/// that are kept before it is known whether loads are marked.
pub const MOST_DECLINES: u32 = 2048;

/// Number of dwords of operands that vary from round to round of a strip.
pub const RECORDS: usize = 512;
/// A strip writes fewer VGPRs than these. Their last values lie in the upper half of the slots for vectors until all
/// chunks are done, with one more slot for the rounds of a chunk.
pub const STRIP_RESULTS: usize = SPILLS / 2 / 4;

/// A scalar operand that the caller puts into the frame.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Input {
    /// Number of the first instruction that reads the operand. The operand is the register's value before it.
    pub at: usize,
    /// Operand code of the register.
    pub code: u8,
    /// Index in [`SegmentFrame::sgpr`]; the operand code, unless a scalar instruction overwrites the register.
    pub slot: u8,
}

/// Scalar operands and results of a segment, and room for its values.
#[derive(Clone, Debug)]
#[repr(C, align(64))]
pub struct SegmentFrame {
    /// In: scalar operands, those of `Segment::inputs`.
    pub sgpr: [u32; SLOTS],
    /// Out: lane masks by operand code, the pairs that `Segment::writes` has.
    pub masks: [u32; 128],
    /// Out: notes that the segment raises are added, as the low words of [`Notes`](gcnsim_isa::Notes).
    pub notes: [u64; 2],
    /// Out: the number of chunks that were left to helpers is added.
    pub left_chunks: u64,
    /// In: the address of LDS; see [`SegmentFrame::reach`].
    lds: *const u8,
    /// In: size of LDS in bytes.
    lds_bytes: u64,
    /// In: whether this is a part of a [`Frame`], which helpers of memory instructions take.
    is_part: bool,
    /// Groups of reads of LDS, as they are in the current chunk.
    groups: [Group; GROUPS],
    /// Limits of accesses: an access is in range if its address is below its limit.
    bounds: [u32; BOUNDS],
    sites: [Site; SITES],
    /// For each block of sites the region that uses it, by its number, and the version of the space that they are of.
    owners: [(u64, u64); SITES / REGION_SITES as usize],
    /// For each block of sites the number of times that its owner changed.
    changes: [u32; SITES / REGION_SITES as usize],
    /// In: the most rounds of a strip. Out: the rounds that it executed.
    rounds: u64,
    /// In: scalar operands of a strip that vary, round after round.
    records: [u32; RECORDS],
    mask_spills: [u16; MASK_SPILLS],
    /// Places of elements that are loaded one by one.
    indices: Line,
    spills: [Line; SPILLS],
    /// Distances of the elements of a load that begin lines of the cache.
    begins: Line,
}

/// A group of reads of LDS: those whose addresses differ only by constant offsets.
#[derive(Clone, Copy, Default, Debug)]
#[repr(C)]
struct Group {
    /// Host address of the byte at `low`.
    base: u64,
    /// Address in LDS of the first lane that is in range.
    low: u32,
    /// Class of the arrangement of elements: 0 if they lie as expected, 1 as is next likely, 2 anywhere.
    class: u32,
    /// Limits of `low`: below the first, reads of class 0 stay in LDS at every offset; below the second, those of 1.
    room: [u32; 2],
}

/// The part of guest memory that a load of segments reaches: addresses with the same high dword, in one mapping.
#[derive(Clone, Copy, Default, Debug)]
#[repr(C)]
pub(crate) struct Site {
    /// The place of the first address.
    pub host: u64,
    /// That address, without the constant offset of the instruction.
    pub low: u32,
    pub high: u32,
    /// Number of addresses that an element may have, below 2^31; 0 if the site is not known yet.
    pub count: u32,
    /// Number of times that the segment declined, since the site is known or before.
    pub declines: u32,
    /// Distance of the last dword from the first address.
    pub last: u32,
    /// Distance of the row that was loaded last, or of the first one of elements that lie anywhere.
    pub row: u32,
    /// That distance when the segment was called before.
    pub row_before: u32,
    /// Distance from a row to the one that is fetched ahead with it.
    pub ahead: i64,
}

/// A slot for a vector: the lanes of a chunk.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
struct Line([u32; 16]);

impl Default for SegmentFrame {
    fn default() -> SegmentFrame {
        SegmentFrame {
            sgpr: [0; SLOTS],
            masks: [0; 128],
            notes: [0; 2],
            left_chunks: 0,
            lds: std::ptr::null(),
            lds_bytes: 0,
            is_part: false,
            groups: [Group::default(); GROUPS],
            bounds: [0; BOUNDS],
            sites: [Site::default(); SITES],
            owners: [(0, 0); SITES / REGION_SITES as usize],
            changes: [0; SITES / REGION_SITES as usize],
            rounds: 0,
            records: [0; RECORDS],
            mask_spills: [0; MASK_SPILLS],
            indices: Line([0; 16]),
            spills: [Line([0; 16]); SPILLS],
            begins: Line([0; 16]),
        }
    }
}

impl SegmentFrame {
    /// Lets segments read the LDS of `context`, and lets their fallback call helpers. This must be a part of a frame
    /// with that context. Without a context they reach nothing.
    #[inline]
    pub fn reach(&mut self, context: Option<&Context>) {
        let lds = context.map_or(&[][..], |context| &context.lds);
        (self.lds, self.lds_bytes) = (lds.as_ptr(), lds.len().min(LARGEST_LDS) as u64);
        self.is_part = context.is_some();
    }

    /// Prepares the sites of a region, `first` and those behind it, for code that runs in a space of the given version.
    /// `region` is a number that no other region has, and not 0. What the sites know is forgotten unless both are those
    /// of the last time. Where that happens too often, as when regions that share sites are entered in turns, loads of
    /// the sites are not tried.
    #[inline]
    pub fn claim(&mut self, first: u8, region: u64, version: u64) {
        let block = usize::from(first / REGION_SITES) % self.owners.len();
        if self.owners[block] != (region, version) {
            self.owners[block] = (region, version);
            self.changes[block] = self.changes[block].saturating_add(1);
            let declines = if self.changes[block] > MOST_CHANGES { u32::MAX } else { 0 };
            let first = block * usize::from(REGION_SITES);
            let sites = &mut self.sites[first..first + usize::from(REGION_SITES)];
            sites.fill(Site { declines, ..Site::default() });
        }
    }

    /// The first site of a region whose entry is at `pc`.
    pub fn first_site(pc: u64) -> u8 {
        let blocks = SITES as u64 / u64::from(REGION_SITES);
        ((pc >> 2 ^ pc >> 6) % blocks) as u8 * REGION_SITES
    }

    pub(crate) fn site_mut(&mut self, number: u8) -> &mut Site {
        &mut self.sites[usize::from(number) % SITES]
    }
}

#[allow(unsafe_code)]
impl SegmentFrame {
    /// The frame that a segment's frame is a part of; `None` without one.
    ///
    /// # Safety
    /// `frame` may be read. If it [reaches](SegmentFrame::reach) a context, the pointer is one to a part of a frame.
    pub unsafe fn whole(frame: *mut SegmentFrame) -> Option<*mut Frame> {
        // SAFETY: the caller's promise.
        unsafe { (*frame).is_part.then(|| frame.byte_sub(offset_of!(Frame, segment)).cast()) }
    }
}

/// Size of the largest LDS in bytes.
const LARGEST_LDS: usize = 64 << 10;

/// Byte offsets in the frame.
pub mod offset {
    use super::*;

    /// Offset of the scalar operand in a slot.
    pub const fn sgpr(slot: u8) -> i32 {
        (offset_of!(SegmentFrame, sgpr) + 4 * slot as usize) as i32
    }

    /// Offset of half of a lane mask that is a result, by operand code.
    pub const fn mask(code: u8) -> i32 {
        (offset_of!(SegmentFrame, masks) + 4 * code as usize) as i32
    }

    /// Offset of the low word of notes.
    pub const NOTES: i32 = offset_of!(SegmentFrame, notes) as i32;

    /// Offset of the address of LDS.
    pub const LDS: i32 = offset_of!(SegmentFrame, lds) as i32;
    /// Offset of the size of LDS.
    pub const LDS_BYTES: i32 = offset_of!(SegmentFrame, lds_bytes) as i32;

    const fn group(group: u8) -> i32 {
        (offset_of!(SegmentFrame, groups) + size_of::<Group>() * group as usize) as i32
    }

    /// Offset of the host address of a group.
    pub const fn group_base(number: u8) -> i32 {
        group(number) + offset_of!(Group, base) as i32
    }

    /// Offset of the address in LDS that a group's host address belongs to.
    pub const fn group_low(number: u8) -> i32 {
        group(number) + offset_of!(Group, low) as i32
    }

    /// Offset of the class of a group.
    pub const fn group_class(number: u8) -> i32 {
        group(number) + offset_of!(Group, class) as i32
    }

    /// Offset of a group's limit of addresses for reads of class `more`.
    pub const fn group_room(number: u8, more: usize) -> i32 {
        group(number) + (offset_of!(Group, room) + 4 * more) as i32
    }

    /// Offset of a bound.
    pub const fn bound(number: u8) -> i32 {
        (offset_of!(SegmentFrame, bounds) + 4 * number as usize) as i32
    }

    const fn site(number: u8) -> i32 {
        (offset_of!(SegmentFrame, sites) + size_of::<Site>() * (number as usize % SITES)) as i32
    }

    /// Offset of the place in the host of a site's first address.
    pub const fn site_host(number: u8) -> i32 {
        site(number) + offset_of!(Site, host) as i32
    }

    /// Offset of the low dword of that address.
    pub const fn site_low(number: u8) -> i32 {
        site(number) + offset_of!(Site, low) as i32
    }

    /// Offset of its high dword.
    pub const fn site_high(number: u8) -> i32 {
        site(number) + offset_of!(Site, high) as i32
    }

    /// Offset of the number of addresses of a site.
    pub const fn site_count(number: u8) -> i32 {
        site(number) + offset_of!(Site, count) as i32
    }

    /// Offset of the number of declined tries.
    pub const fn site_declines(number: u8) -> i32 {
        site(number) + offset_of!(Site, declines) as i32
    }

    /// Offset of the distance of a site's last dword.
    pub const fn site_last(number: u8) -> i32 {
        site(number) + offset_of!(Site, last) as i32
    }

    /// Offset of the distance of the row that was loaded last.
    pub const fn site_row(number: u8) -> i32 {
        site(number) + offset_of!(Site, row) as i32
    }

    /// Offset of that distance when the segment was called before.
    pub const fn site_row_before(number: u8) -> i32 {
        site(number) + offset_of!(Site, row_before) as i32
    }

    /// Offset of the distance from a row to the one that is fetched ahead with it.
    pub const fn site_ahead(number: u8) -> i32 {
        site(number) + offset_of!(Site, ahead) as i32
    }

    /// Offset of a vector of places of elements that are loaded one by one.
    pub const INDICES: i32 = offset_of!(SegmentFrame, indices) as i32;

    /// Offset of distances of elements that begin lines of the cache.
    pub const BEGINS: i32 = offset_of!(SegmentFrame, begins) as i32;

    /// Offset of a slot for a vector.
    pub const fn spill(slot: u16) -> i32 {
        (offset_of!(SegmentFrame, spills) + size_of::<Line>() * slot as usize) as i32
    }

    /// Offset of the four slots for result `number` of a strip, one for each chunk.
    pub const fn strip_result(number: usize) -> i32 {
        spill((SPILLS / 2 + 4 * number) as u16)
    }

    /// Offset of the number of rounds of a strip.
    pub const ROUNDS: i32 = offset_of!(SegmentFrame, rounds) as i32;

    /// Offset of the operands of a strip that vary.
    pub const RECORDS: i32 = offset_of!(SegmentFrame, records) as i32;

    /// Offset of a slot for a mask.
    pub const fn mask_spill(slot: u16) -> i32 {
        (offset_of!(SegmentFrame, mask_spills) + 2 * slot as usize) as i32
    }

    const _: () = assert!(spill(0) % 64 == 0);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two regions that share sites and are entered in turns give up after a while; others go on.
    #[test]
    fn sites_that_change_hands_too_often_are_given_up() {
        let mut frame = SegmentFrame::default();
        let first = REGION_SITES;
        for turn in 0..2 * u64::from(MOST_CHANGES) {
            frame.site_mut(first).declines = 0;
            frame.claim(first, 1 + turn % 2, 1);
            assert_eq!(frame.site_mut(first).declines != 0, turn >= MOST_CHANGES.into(), "{turn}");
        }
        frame.claim(0, 3, 1);
        assert_eq!(frame.site_mut(0).declines, 0);
    }
}
