//! What the function of a vector instruction sees of its lane, besides the values of its sources.
//!
//! There is one function per mnemonic, over the values of one lane. It is `#[inline(always)]` where lanes can be
//! computed side by side:
//!
//! ```text
//! #[inline(always)]
//! pub(super) fn v_add3_u32(_: &mut Lane, s0: u32, s1: u32, s2: u32) -> u32
//! ```
//!
//! - Selection, lane movement, ABS and NEG have been applied to sources. Their types are integers of the operand's
//!   width: f16 is u16, f32 is u32, f64 is u64.
//! - The old destination (accumulators) is the argument `d`. A carry or another lane mask is `mask: bool`, and the
//!   number of the lane `id: u32`.
//! - The result is the destination, or `(destination, bit of the mask result)`. A u16 is the low half of a VGPR; the
//!   machinery decides on the other half.
//! - The machinery applies OMOD and the CLAMP of floats to the result. CLAMP of integers is [`Lane::clamp`].
//! - Packed instructions (V_PK_*) are functions over one half: `v_pk_add_f16(x, s0: u16, s1: u16) -> u16`.
//! - V_DOT* take whole dwords with the halves in place.
//! - V_MAD_MIX*, V_FMA_MIX* take three u32: binary32, widened from binary16 where OP_SEL_HI says so, after ABS and NEG.

use gcnsim_isa::{Note, Notes};

use crate::float::Fp;

/// A lane that is being executed.
pub(crate) struct Lane<'a> {
    /// The settings of float arithmetic.
    pub fp: &'a Fp,
    /// CLAMP of integers: the exact result saturates.
    pub clamp: bool,
    /// Notes of this lane. They count only if the lane is active.
    pub notes: LaneNotes,
}

/// Notes that depend on the values in a lane, as bits of [`LaneNote`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct LaneNotes(pub u32);

macro_rules! lane_notes {
    ($($Note:ident)*) => {
        /// The notes that a lane can raise. (Notes that do not depend on operands are static notes of the instruction.)
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        #[repr(u8)]
        pub(crate) enum LaneNote { $($Note,)* }

        /// The notes, in order of their bits.
        const NOTES: &[Note] = &[$(Note::$Note),*];
    };
}

lane_notes! {
    NanPayload
    NanQuiet
    MinmaxTwoNans
    Med3Nan
    MadF16Denorm
    MadMixDenorm
    MixF16Denorm
    CvtF16Denorm
    CvtF16Round
    Fp16Ovfl
    PkU8Round
    MqsadSaturate
    CubeNan
    TrigRange
    SqrtNegZero
    TrigPreopTail
    FractGfx6
    FrexpNonfiniteGfx6
    DivScaleS0
    CmpDenormFlush
}

const _: () = assert!(NOTES.len() <= u32::BITS as usize);

impl LaneNotes {
    /// No notes.
    pub const NONE: LaneNotes = LaneNotes(0);

    /// Adds a note if `condition` holds, without a branch.
    #[inline(always)]
    pub fn insert_if(&mut self, condition: bool, note: LaneNote) {
        self.0 |= (condition as u32) << note as u8;
    }

    /// These notes as notes of a run.
    #[cold]
    pub fn notes(self) -> Notes {
        let among = |bit: usize| self.0 >> bit & 1 == 1;
        let raised = NOTES.iter().enumerate().filter(|&(bit, _)| among(bit)).map(|(_, &note)| note);
        raised.fold(Notes::NONE, |notes, note| notes.or(Notes::of(note)))
    }
}
