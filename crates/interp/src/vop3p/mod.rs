//! VOP3P: packed operations, mixed precision, dot products. There is one function per instruction: its arguments are
//! the sources, its result is the destination.

pub(super) mod float;
pub(super) mod int;

use gcnsim_isa::table::Vop3p;

use super::vector::body::{float_halves, float_lanes, halves, lanes};
use super::vector::op::Action;
use float::*;
use int::*;

/// The action of an instruction.
pub(super) fn action(op: Vop3p) -> Action {
    match op {
        Vop3p::VPkMadI16 => halves!(v_pk_mad_i16(s0, s1, s2)),
        Vop3p::VPkMulLoU16 => halves!(v_pk_mul_lo_u16(s0, s1)),
        Vop3p::VPkAddI16 => halves!(v_pk_add_i16(s0, s1)),
        Vop3p::VPkSubI16 => halves!(v_pk_sub_i16(s0, s1)),
        Vop3p::VPkLshlrevB16 => halves!(v_pk_lshlrev_b16(s0, s1)),
        Vop3p::VPkLshrrevB16 => halves!(v_pk_lshrrev_b16(s0, s1)),
        Vop3p::VPkAshrrevI16 => halves!(v_pk_ashrrev_i16(s0, s1)),
        Vop3p::VPkMaxI16 => halves!(v_pk_max_i16(s0, s1)),
        Vop3p::VPkMinI16 => halves!(v_pk_min_i16(s0, s1)),
        Vop3p::VPkMadU16 => halves!(v_pk_mad_u16(s0, s1, s2)),
        Vop3p::VPkAddU16 => halves!(v_pk_add_u16(s0, s1)),
        Vop3p::VPkSubU16 => halves!(v_pk_sub_u16(s0, s1)),
        Vop3p::VPkMaxU16 => halves!(v_pk_max_u16(s0, s1)),
        Vop3p::VPkMinU16 => halves!(v_pk_min_u16(s0, s1)),
        Vop3p::VPkFmaF16 => float_halves!(v_pk_fma_f16(s0, s1, s2)),
        Vop3p::VPkAddF16 => float_halves!(v_pk_add_f16(s0, s1)),
        Vop3p::VPkMulF16 => float_halves!(v_pk_mul_f16(s0, s1)),
        Vop3p::VPkMinF16 => float_halves!(v_pk_min_f16(s0, s1)),
        Vop3p::VPkMaxF16 => float_halves!(v_pk_max_f16(s0, s1)),
        Vop3p::VFmaMixF32 => float_lanes!(v_fma_mix_f32(s0, s1, s2)),
        Vop3p::VMadMixF32 => float_lanes!(v_mad_mix_f32(s0, s1, s2)),
        Vop3p::VFmaMixloF16 => float_lanes!(v_fma_mixlo_f16(s0, s1, s2)),
        Vop3p::VMadMixloF16 => float_lanes!(v_mad_mixlo_f16(s0, s1, s2)),
        Vop3p::VFmaMixhiF16 => float_lanes!(v_fma_mixhi_f16(s0, s1, s2)),
        Vop3p::VMadMixhiF16 => float_lanes!(v_mad_mixhi_f16(s0, s1, s2)),
        Vop3p::VDot2F32F16 => float_lanes!(v_dot2_f32_f16(s0, s1, s2)),
        Vop3p::VDot2I32I16 => lanes!(v_dot2_i32_i16(s0, s1, s2)),
        Vop3p::VDot2U32U16 => lanes!(v_dot2_u32_u16(s0, s1, s2)),
        Vop3p::VDot4I32I8 => lanes!(v_dot4_i32_i8(s0, s1, s2)),
        Vop3p::VDot4U32U8 => lanes!(v_dot4_u32_u8(s0, s1, s2)),
        Vop3p::VDot8I32I4 => lanes!(v_dot8_i32_i4(s0, s1, s2)),
        Vop3p::VDot8U32U4 => lanes!(v_dot8_u32_u4(s0, s1, s2)),
    }
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
