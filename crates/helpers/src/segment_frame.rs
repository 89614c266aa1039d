//! What a segment shares with its caller besides the vector registers.

use std::mem::offset_of;

/// Room for vectors that have no register.
pub const SPILLS: usize = 256;
/// Room for masks that have no register.
pub const MASK_SPILLS: usize = 64;

/// Number of slots for scalar operands: one for each register, others for values of registers that are overwritten.
pub const SLOTS: usize = 256;

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
    mask_spills: [u16; MASK_SPILLS],
    spills: [Line; SPILLS],
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
            mask_spills: [0; MASK_SPILLS],
            spills: [Line([0; 16]); SPILLS],
        }
    }
}

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
