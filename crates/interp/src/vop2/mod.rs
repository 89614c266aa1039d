//! VOP2: two vector sources. There is one function per instruction: its arguments are the sources, its result is the
//! destination.

pub(super) mod float;
pub(super) mod int;

use gcnsim_isa::table::Vop2;

use super::vector::body::{float_lanes, lanes};
use super::vector::op::Action;
use super::vector::special::{v_readlane_b32, v_writelane_b32};
use float::*;
use int::*;

/// The action of an instruction.
pub(super) fn action(op: Vop2) -> Action {
    match op {
        Vop2::VCndmaskB32 => lanes!(v_cndmask_b32(s0, s1, mask)),
        Vop2::VAddF32 => float_lanes!(v_add_f32(s0, s1), fast = v_add_f32(s0, s1, s1)),
        Vop2::VReadlaneB32 => Action::Whole(v_readlane_b32),
        Vop2::VSubF32 => float_lanes!(v_sub_f32(s0, s1), fast = v_sub_f32(s0, s1, s1)),
        Vop2::VWritelaneB32 => Action::Whole(v_writelane_b32),
        Vop2::VSubrevF32 => float_lanes!(v_subrev_f32(s0, s1), fast = v_subrev_f32(s0, s1, s1)),
        Vop2::VMulLegacyF32 => float_lanes!(v_mul_legacy_f32(s0, s1), fast = v_mul_legacy_f32(s0, s1, s1)),
        Vop2::VMulF32 => float_lanes!(v_mul_f32(s0, s1), fast = v_mul_f32(s0, s1, s1)),
        Vop2::VMacLegacyF32 => float_lanes!(v_mac_legacy_f32(s0, s1, d), fast = v_mad_legacy_f32(s0, s1, d)),
        Vop2::VMulI32I24 => lanes!(v_mul_i32_i24(s0, s1)),
        Vop2::VMulHiI32I24 => lanes!(v_mul_hi_i32_i24(s0, s1)),
        Vop2::VMulU32U24 => lanes!(v_mul_u32_u24(s0, s1)),
        Vop2::VMulHiU32U24 => lanes!(v_mul_hi_u32_u24(s0, s1)),
        Vop2::VMinF32 => float_lanes!(v_min_f32(s0, s1), fast = v_min_f32(s0, s1, s1)),
        Vop2::VMaxF32 => float_lanes!(v_max_f32(s0, s1), fast = v_max_f32(s0, s1, s1)),
        Vop2::VMinI32 => lanes!(v_min_i32(s0, s1)),
        Vop2::VMaxI32 => lanes!(v_max_i32(s0, s1)),
        Vop2::VMinLegacyF32 => float_lanes!(v_min_legacy_f32(s0, s1)),
        Vop2::VMaxLegacyF32 => float_lanes!(v_max_legacy_f32(s0, s1)),
        Vop2::VMinU32 => lanes!(v_min_u32(s0, s1)),
        Vop2::VMaxU32 => lanes!(v_max_u32(s0, s1)),
        Vop2::VLshrrevB32 => lanes!(v_lshrrev_b32(s0, s1)),
        Vop2::VAshrrevI32 => lanes!(v_ashrrev_i32(s0, s1)),
        Vop2::VLshlrevB32 => lanes!(v_lshlrev_b32(s0, s1)),
        Vop2::VAndB32 => lanes!(v_and_b32(s0, s1)),
        Vop2::VOrB32 => lanes!(v_or_b32(s0, s1)),
        Vop2::VLshrB32 => lanes!(v_lshr_b32(s0, s1)),
        Vop2::VXorB32 => lanes!(v_xor_b32(s0, s1)),
        Vop2::VMacF32 => float_lanes!(v_mac_f32(s0, s1, d), fast = v_mad_f32(s0, s1, d)),
        Vop2::VAshrI32 => lanes!(v_ashr_i32(s0, s1)),
        Vop2::VMadmkF32 => float_lanes!(v_madmk_f32(s0, s1, s2), fast = v_mad_f32(s0, s1, s2)),
        Vop2::VMadakF32 => float_lanes!(v_madak_f32(s0, s1, s2), fast = v_mad_f32(s0, s1, s2)),
        Vop2::VAddCoU32 => lanes!(v_add_co_u32(s0, s1) => mask),
        Vop2::VLshlB32 => lanes!(v_lshl_b32(s0, s1)),
        Vop2::VSubCoU32 => lanes!(v_sub_co_u32(s0, s1) => mask),
        Vop2::VSubrevCoU32 => lanes!(v_subrev_co_u32(s0, s1) => mask),
        Vop2::VAddcCoU32 => lanes!(v_addc_co_u32(s0, s1, mask) => mask),
        Vop2::VAddcU32 => lanes!(v_addc_co_u32(s0, s1, mask) => mask),
        Vop2::VSubbCoU32 => lanes!(v_subb_co_u32(s0, s1, mask) => mask),
        Vop2::VSubbU32 => lanes!(v_subb_co_u32(s0, s1, mask) => mask),
        Vop2::VBfmB32 => lanes!(v_bfm_b32(s0, s1)),
        Vop2::VSubbrevCoU32 => lanes!(v_subbrev_co_u32(s0, s1, mask) => mask),
        Vop2::VSubbrevU32 => lanes!(v_subbrev_co_u32(s0, s1, mask) => mask),
        Vop2::VAddF16 => float_lanes!(v_add_f16(s0, s1)),
        Vop2::VSubF16 => float_lanes!(v_sub_f16(s0, s1)),
        Vop2::VSubrevF16 => float_lanes!(v_subrev_f16(s0, s1)),
        Vop2::VBcntU32B32 => lanes!(v_bcnt_u32_b32(s0, s1)),
        Vop2::VMulF16 => float_lanes!(v_mul_f16(s0, s1)),
        Vop2::VMacF16 => float_lanes!(v_mac_f16(s0, s1, d)),
        Vop2::VMbcntLoU32B32 => lanes!(v_mbcnt_lo_u32_b32(s0, s1, id)),
        Vop2::VMadmkF16 => float_lanes!(v_madmk_f16(s0, s1, s2)),
        Vop2::VMbcntHiU32B32 => lanes!(v_mbcnt_hi_u32_b32(s0, s1, id)),
        Vop2::VAddI32 => lanes!(v_add_co_u32(s0, s1) => mask),
        Vop2::VMadakF16 => float_lanes!(v_madak_f16(s0, s1, s2)),
        Vop2::VAddU16 => lanes!(v_add_u16(s0, s1)),
        Vop2::VSubI32 => lanes!(v_sub_co_u32(s0, s1) => mask),
        Vop2::VSubU16 => lanes!(v_sub_u16(s0, s1)),
        Vop2::VSubrevI32 => lanes!(v_subrev_co_u32(s0, s1) => mask),
        Vop2::VSubrevU16 => lanes!(v_subrev_u16(s0, s1)),
        Vop2::VMulLoU16 => lanes!(v_mul_lo_u16(s0, s1)),
        Vop2::VLshlrevB16 => lanes!(v_lshlrev_b16(s0, s1)),
        Vop2::VLdexpF32 => float_lanes!(v_ldexp_f32(s0, s1)),
        Vop2::VLshrrevB16 => lanes!(v_lshrrev_b16(s0, s1)),
        Vop2::VAshrrevI16 => lanes!(v_ashrrev_i16(s0, s1)),
        Vop2::VCvtPkaccumU8F32 => float_lanes!(v_cvt_pkaccum_u8_f32(s0, s1, d)),
        Vop2::VCvtPknormI16F32 => float_lanes!(v_cvt_pknorm_i16_f32(s0, s1)),
        Vop2::VMaxF16 => float_lanes!(v_max_f16(s0, s1)),
        Vop2::VCvtPknormU16F32 => float_lanes!(v_cvt_pknorm_u16_f32(s0, s1)),
        Vop2::VMinF16 => float_lanes!(v_min_f16(s0, s1)),
        Vop2::VCvtPkrtzF16F32 => float_lanes!(v_cvt_pkrtz_f16_f32(s0, s1), fast = v_cvt_pkrtz_f16_f32(s0, s1, s1)),
        Vop2::VMaxU16 => lanes!(v_max_u16(s0, s1)),
        Vop2::VCvtPkU16U32 => lanes!(v_cvt_pk_u16_u32(s0, s1)),
        Vop2::VMaxI16 => lanes!(v_max_i16(s0, s1)),
        Vop2::VCvtPkI16I32 => lanes!(v_cvt_pk_i16_i32(s0, s1)),
        Vop2::VMinU16 => lanes!(v_min_u16(s0, s1)),
        Vop2::VMinI16 => lanes!(v_min_i16(s0, s1)),
        Vop2::VLdexpF16 => float_lanes!(v_ldexp_f16(s0, s1)),
        Vop2::VAddU32Carry => lanes!(v_add_co_u32(s0, s1) => mask),
        Vop2::VAddU32 => lanes!(v_add_u32(s0, s1)),
        Vop2::VSubU32Carry => lanes!(v_sub_co_u32(s0, s1) => mask),
        Vop2::VSubU32 => lanes!(v_sub_u32(s0, s1)),
        Vop2::VSubrevU32Carry => lanes!(v_subrev_co_u32(s0, s1) => mask),
        Vop2::VSubrevU32 => lanes!(v_subrev_u32(s0, s1)),
        Vop2::VFmacF32 => float_lanes!(v_fmac_f32(s0, s1, d), fast = v_fma_f32(s0, s1, d)),
        Vop2::VXnorB32 => lanes!(v_xnor_b32(s0, s1)),
    }
}

/// Whether the old destination is an addend.
pub(super) fn accumulates(op: Vop2) -> bool {
    matches!(op, Vop2::VMacF32 | Vop2::VMacF16 | Vop2::VMacLegacyF32 | Vop2::VFmacF32)
}
