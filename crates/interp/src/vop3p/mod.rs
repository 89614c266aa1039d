//! VOP3P: packed operations, mixed precision, dot products. There is one function per instruction: its arguments are
//! the sources, its result is the destination.

pub(super) mod dot;
pub(super) mod float;
pub(super) mod int;
pub(super) mod mix;

use gcnsim_isa::Vop3p;

use super::vector::op::action_of_rows;

gcnsim_isa::for_each_vop3p!(action_of_rows);

/// The actions of all rows.
mod rows {
    pub use super::{dot::rows::*, float::rows::*, int::rows::*, mix::rows::*};
}

/// Whether it is one of V_FMA_MIX*, which have one rounding and treat denormals as MODE says.
pub(super) fn is_fused(op: Vop3p) -> bool {
    matches!(op, Vop3p::VFmaMixF32 | Vop3p::VFmaMixloF16 | Vop3p::VFmaMixhiF16)
}

/// Whether OP_SEL_HI selects binary32 or binary16 for each source.
pub(super) fn is_mixed(op: Vop3p) -> bool {
    use Vop3p::*;
    matches!(op, VFmaMixF32 | VFmaMixloF16 | VFmaMixhiF16 | VMadMixF32 | VMadMixloF16 | VMadMixhiF16)
}
