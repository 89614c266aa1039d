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
    mask_spills: [u16; MASK_SPILLS],
    spills: [Line; SPILLS],
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
            mask_spills: [0; MASK_SPILLS],
            spills: [Line([0; 16]); SPILLS],
        }
    }
}

impl SegmentFrame {
    /// Lets segments read the LDS of `context`, and lets their fallback call helpers. This must be a part of a frame
    /// with that context. Without a context they reach nothing.
    pub fn reach(&mut self, context: Option<&Context>) {
        let lds = context.map_or(&[][..], |context| &context.lds);
        (self.lds, self.lds_bytes) = (lds.as_ptr(), lds.len().min(LARGEST_LDS) as u64);
        self.is_part = context.is_some();
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

    /// Offset of a slot for a vector.
    pub const fn spill(slot: u16) -> i32 {
        (offset_of!(SegmentFrame, spills) + size_of::<Line>() * slot as usize) as i32
    }

    /// Offset of a slot for a mask.
    pub const fn mask_spill(slot: u16) -> i32 {
        (offset_of!(SegmentFrame, mask_spills) + 2 * slot as usize) as i32
    }

    const _: () = assert!(spill(0) % 64 == 0);
}
