//! What a segment shares with its caller besides the vector registers.

use std::mem::offset_of;

use gcnsim_machine::Context;

use crate::frame::Frame;

/// Room for vectors that have no register.
pub const SPILLS: usize = 256;
/// Room for masks that have no register.
pub const MASK_SPILLS: usize = 64;

/// Number of slots for scalar operands: one for each register, others for values of registers that are overwritten.
pub const SLOTS: usize = 256;

/// Most groups of reads that a segment can have.
pub const GROUPS: usize = 16;
/// Most bounds of addresses that a segment can have.
pub const BOUNDS: usize = 32;

/// A scalar operand that the frame must have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Input {
    /// Number of the first instruction that reads it: the value is that of the register there.
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
    /// Out: notes are added, as in [`Notes`](gcnsim_isa::Notes).
    pub notes: [u64; 2],
    /// Out: chunks that were left to helpers are counted.
    pub left_chunks: u64,
    /// In: LDS, and its size in bytes; see [`SegmentFrame::reach`].
    lds: *const u8,
    lds_bytes: u64,
    /// In: whether this is a part of a whole frame, which helpers of memory instructions take.
    is_part: bool,
    groups: [Group; GROUPS],
    /// Numbers of addresses that an access may have, from 0 on.
    bounds: [u32; BOUNDS],
    mask_spills: [u16; MASK_SPILLS],
    spills: [Line; SPILLS],
}

/// Reads of LDS whose addresses are the same but for constant offsets, as they are in the current chunk.
#[derive(Clone, Copy, Default, Debug)]
#[repr(C)]
struct Group {
    /// The place in LDS of the address of the first lane.
    base: u64,
    /// That address.
    low: u32,
    /// How elements lie: 0 if near the base, as the code likes it best.
    class: u32,
    /// Numbers of addresses, from 0 on, behind which all offsets leave room for one vector, and for two.
    room: [u32; 2],
}

/// The lanes of a chunk.
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
    /// Lets segments read the LDS of a context, and their fallback call helpers, if this is a part of a frame with that
    /// context. Without a context they reach nothing.
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

    /// Of a scalar operand.
    pub const fn sgpr(slot: u8) -> i32 {
        (offset_of!(SegmentFrame, sgpr) + 4 * slot as usize) as i32
    }

    /// Of a lane mask that is a result.
    pub const fn mask(code: u8) -> i32 {
        (offset_of!(SegmentFrame, masks) + 4 * code as usize) as i32
    }

    /// Of the low word of notes.
    pub const NOTES: i32 = offset_of!(SegmentFrame, notes) as i32;

    /// Of the address of LDS.
    pub const LDS: i32 = offset_of!(SegmentFrame, lds) as i32;
    /// Of the size of LDS.
    pub const LDS_BYTES: i32 = offset_of!(SegmentFrame, lds_bytes) as i32;

    const fn group(group: u8) -> i32 {
        (offset_of!(SegmentFrame, groups) + size_of::<Group>() * group as usize) as i32
    }

    /// Of the place of a group's first address.
    pub const fn group_base(number: u8) -> i32 {
        group(number) + offset_of!(Group, base) as i32
    }

    /// Of a group's first address.
    pub const fn group_low(number: u8) -> i32 {
        group(number) + offset_of!(Group, low) as i32
    }

    /// Of the class of a group.
    pub const fn group_class(number: u8) -> i32 {
        group(number) + offset_of!(Group, class) as i32
    }

    /// Of the number of addresses with room for `1 + more` vectors.
    pub const fn group_room(number: u8, more: usize) -> i32 {
        group(number) + (offset_of!(Group, room) + 4 * more) as i32
    }

    /// Of a bound.
    pub const fn bound(number: u8) -> i32 {
        (offset_of!(SegmentFrame, bounds) + 4 * number as usize) as i32
    }

    /// Of a vector without a register.
    pub const fn spill(slot: u16) -> i32 {
        (offset_of!(SegmentFrame, spills) + size_of::<Line>() * slot as usize) as i32
    }

    /// Of a mask without a register.
    pub const fn mask_spill(slot: u16) -> i32 {
        (offset_of!(SegmentFrame, mask_spills) + 2 * slot as usize) as i32
    }

    const _: () = assert!(spill(0) % 64 == 0);
}
