//! VOP3: up to three vector sources. Promoted instructions are in the modules of their encodings. There is one function
//! per instruction: its arguments are the sources, its result is the destination.

pub(super) mod float;
pub(super) mod int;
pub(super) mod sad;

use gcnsim_isa::table::Vop3;

use super::vector::body::{float_lanes, lanes};
use super::vector::op::Action;
use super::vector::special::{nothing, v_readlane_b32, v_writelane_b32};
use super::vop2::int::{
    v_bcnt_u32_b32, v_bfm_b32, v_cvt_pk_i16_i32, v_cvt_pk_u16_u32, v_mbcnt_hi_u32_b32, v_mbcnt_lo_u32_b32,
};
use float::*;
use int::*;
use sad::*;

/// The action of an instruction.
pub(super) fn action(op: Vop3) -> Action {
    match op {
        Vop3::VMullitF32 => float_lanes!(v_mullit_f32(s0, s1, s2)),
        Vop3::VLshlB64 => lanes!(v_lshl_b64(s0, s1)),
        Vop3::VLshrB64 => lanes!(v_lshr_b64(s0, s1)),
        Vop3::VAshrI64 => lanes!(v_ashr_i64(s0, s1)),
        Vop3::VMulLoI32 => lanes!(v_mul_lo_i32(s0, s1)),
        Vop3::VQsadU8 => lanes!(v_qsad_pk_u16_u8(s0, s1, s2)),
        Vop3::VMadLegacyF32 => float_lanes!(v_mad_legacy_f32(s0, s1, s2), fast = v_mad_legacy_f32(s0, s1, s2)),
        Vop3::VMadF32 => float_lanes!(v_mad_f32(s0, s1, s2), fast = v_mad_f32(s0, s1, s2)),
        Vop3::VMadI32I24 => lanes!(v_mad_i32_i24(s0, s1, s2)),
        Vop3::VMadU32U24 => lanes!(v_mad_u32_u24(s0, s1, s2)),
        Vop3::VCubeidF32 => float_lanes!(v_cubeid_f32(s0, s1, s2)),
        Vop3::VCubescF32 => float_lanes!(v_cubesc_f32(s0, s1, s2)),
        Vop3::VCubetcF32 => float_lanes!(v_cubetc_f32(s0, s1, s2)),
        Vop3::VCubemaF32 => float_lanes!(v_cubema_f32(s0, s1, s2)),
        Vop3::VBfeU32 => lanes!(v_bfe_u32(s0, s1, s2)),
        Vop3::VBfeI32 => lanes!(v_bfe_i32(s0, s1, s2)),
        Vop3::VBfiB32 => lanes!(v_bfi_b32(s0, s1, s2)),
        Vop3::VFmaF32 => float_lanes!(v_fma_f32(s0, s1, s2), fast = v_fma_f32(s0, s1, s2)),
        Vop3::VFmaF64 => float_lanes!(v_fma_f64(s0, s1, s2)),
        Vop3::VLerpU8 => lanes!(v_lerp_u8(s0, s1, s2)),
        Vop3::VAlignbitB32 => lanes!(v_alignbit_b32(s0, s1, s2)),
        Vop3::VAlignbyteB32 => lanes!(v_alignbyte_b32(s0, s1, s2)),
        Vop3::VMin3F32 => float_lanes!(v_min3_f32(s0, s1, s2), fast = v_min3_f32(s0, s1, s2)),
        Vop3::VMin3I32 => lanes!(v_min3_i32(s0, s1, s2)),
        Vop3::VMin3U32 => lanes!(v_min3_u32(s0, s1, s2)),
        Vop3::VMax3F32 => float_lanes!(v_max3_f32(s0, s1, s2), fast = v_max3_f32(s0, s1, s2)),
        Vop3::VMax3I32 => lanes!(v_max3_i32(s0, s1, s2)),
        Vop3::VMax3U32 => lanes!(v_max3_u32(s0, s1, s2)),
        Vop3::VMed3F32 => float_lanes!(v_med3_f32(s0, s1, s2), fast = v_med3_f32(s0, s1, s2)),
        Vop3::VMed3I32 => lanes!(v_med3_i32(s0, s1, s2)),
        Vop3::VMed3U32 => lanes!(v_med3_u32(s0, s1, s2)),
        Vop3::VSadU8 => lanes!(v_sad_u8(s0, s1, s2)),
        Vop3::VSadHiU8 => lanes!(v_sad_hi_u8(s0, s1, s2)),
        Vop3::VSadU16 => lanes!(v_sad_u16(s0, s1, s2)),
        Vop3::VSadU32 => lanes!(v_sad_u32(s0, s1, s2)),
        Vop3::VCvtPkU8F32 => float_lanes!(v_cvt_pk_u8_f32(s0, s1, s2)),
        Vop3::VDivFixupF32 => float_lanes!(v_div_fixup_f32(s0, s1, s2)),
        Vop3::VDivFixupF64 => float_lanes!(v_div_fixup_f64(s0, s1, s2)),
        Vop3::VDivScaleF32 => float_lanes!(v_div_scale_f32(s0, s1, s2) => mask),
        Vop3::VDivScaleF64 => float_lanes!(v_div_scale_f64(s0, s1, s2) => mask),
        Vop3::VDivFmasF32 => float_lanes!(v_div_fmas_f32(s0, s1, s2, mask)),
        Vop3::VDivFmasF64 => float_lanes!(v_div_fmas_f64(s0, s1, s2, mask)),
        Vop3::VMsadU8 => lanes!(v_msad_u8(s0, s1, s2)),
        Vop3::VQsadPkU16U8 => lanes!(v_qsad_pk_u16_u8(s0, s1, s2)),
        Vop3::VMqsadPkU16U8 => lanes!(v_mqsad_pk_u16_u8(s0, s1, s2)),
        Vop3::VMqsadU32U8 => lanes!(v_mqsad_u32_u8(s0, s1, s2)),
        Vop3::VMadU64U32 => lanes!(v_mad_u64_u32(s0, s1, s2) => mask),
        Vop3::VMadI64I32 => lanes!(v_mad_i64_i32(s0, s1, s2) => mask),
        Vop3::VMadLegacyF16 => float_lanes!(v_mad_legacy_f16(s0, s1, s2)),
        Vop3::VMadLegacyU16 => lanes!(v_mad_u16(s0, s1, s2)),
        Vop3::VMadLegacyI16 => lanes!(v_mad_i16(s0, s1, s2)),
        Vop3::VPermB32 => lanes!(v_perm_b32(s0, s1, s2)),
        Vop3::VFmaLegacyF16 => float_lanes!(v_fma_legacy_f16(s0, s1, s2)),
        Vop3::VDivFixupLegacyF16 => float_lanes!(v_div_fixup_legacy_f16(s0, s1, s2)),
        Vop3::VCvtPkaccumU8F32 => float_lanes!(v_cvt_pkaccum_u8_f32(s0, s1, d)),
        Vop3::VMadU32U16 => lanes!(v_mad_u32_u16(s0, s1, s2)),
        Vop3::VMadI32I16 => lanes!(v_mad_i32_i16(s0, s1, s2)),
        Vop3::VXadU32 => lanes!(v_xad_u32(s0, s1, s2)),
        Vop3::VMin3F16 => float_lanes!(v_min3_f16(s0, s1, s2)),
        Vop3::VMin3I16 => lanes!(v_min3_i16(s0, s1, s2)),
        Vop3::VMin3U16 => lanes!(v_min3_u16(s0, s1, s2)),
        Vop3::VMax3F16 => float_lanes!(v_max3_f16(s0, s1, s2)),
        Vop3::VMax3I16 => lanes!(v_max3_i16(s0, s1, s2)),
        Vop3::VMax3U16 => lanes!(v_max3_u16(s0, s1, s2)),
        Vop3::VMed3F16 => float_lanes!(v_med3_f16(s0, s1, s2)),
        Vop3::VMed3I16 => lanes!(v_med3_i16(s0, s1, s2)),
        Vop3::VMed3U16 => lanes!(v_med3_u16(s0, s1, s2)),
        Vop3::VLshlAddU32 => lanes!(v_lshl_add_u32(s0, s1, s2)),
        Vop3::VAddLshlU32 => lanes!(v_add_lshl_u32(s0, s1, s2)),
        Vop3::VAdd3U32 => lanes!(v_add3_u32(s0, s1, s2)),
        Vop3::VLshlOrB32 => lanes!(v_lshl_or_b32(s0, s1, s2)),
        Vop3::VAndOrB32 => lanes!(v_and_or_b32(s0, s1, s2)),
        Vop3::VOr3B32 => lanes!(v_or3_b32(s0, s1, s2)),
        Vop3::VMadF16 => float_lanes!(v_mad_f16(s0, s1, s2)),
        Vop3::VMadU16 => lanes!(v_mad_u16(s0, s1, s2)),
        Vop3::VMadI16 => lanes!(v_mad_i16(s0, s1, s2)),
        Vop3::VFmaF16 => float_lanes!(v_fma_f16(s0, s1, s2)),
        Vop3::VDivFixupF16 => float_lanes!(v_div_fixup_f16(s0, s1, s2)),
        Vop3::VAddF64 => float_lanes!(v_add_f64(s0, s1)),
        Vop3::VMulF64 => float_lanes!(v_mul_f64(s0, s1)),
        Vop3::VMinF64 => float_lanes!(v_min_f64(s0, s1)),
        Vop3::VMaxF64 => float_lanes!(v_max_f64(s0, s1)),
        Vop3::VLdexpF64 => float_lanes!(v_ldexp_f64(s0, s1)),
        Vop3::VMulLoU32 => lanes!(v_mul_lo_u32(s0, s1)),
        Vop3::VMulHiU32 => lanes!(v_mul_hi_u32(s0, s1)),
        Vop3::VMulHiI32 => lanes!(v_mul_hi_i32(s0, s1)),
        Vop3::VLdexpF32 => float_lanes!(v_ldexp_f32(s0, s1)),
        Vop3::VReadlaneB32 => Action::Whole(v_readlane_b32),
        Vop3::VWritelaneB32 => Action::Whole(v_writelane_b32),
        Vop3::VBcntU32B32 => lanes!(v_bcnt_u32_b32(s0, s1)),
        Vop3::VMbcntLoU32B32 => lanes!(v_mbcnt_lo_u32_b32(s0, s1, id)),
        Vop3::VMbcntHiU32B32 => lanes!(v_mbcnt_hi_u32_b32(s0, s1, id)),
        Vop3::VLshlrevB64 => lanes!(v_lshlrev_b64(s0, s1)),
        Vop3::VLshrrevB64 => lanes!(v_lshrrev_b64(s0, s1)),
        Vop3::VAshrrevI64 => lanes!(v_ashrrev_i64(s0, s1)),
        Vop3::VTrigPreopF64 => float_lanes!(v_trig_preop_f64(s0, s1)),
        Vop3::VBfmB32 => lanes!(v_bfm_b32(s0, s1)),
        Vop3::VCvtPknormI16F32 => float_lanes!(v_cvt_pknorm_i16_f32(s0, s1)),
        Vop3::VCvtPknormU16F32 => float_lanes!(v_cvt_pknorm_u16_f32(s0, s1)),
        Vop3::VCvtPkrtzF16F32 => float_lanes!(v_cvt_pkrtz_f16_f32(s0, s1), fast = v_cvt_pkrtz_f16_f32(s0, s1, s1)),
        Vop3::VCvtPkU16U32 => lanes!(v_cvt_pk_u16_u32(s0, s1)),
        Vop3::VCvtPkI16I32 => lanes!(v_cvt_pk_i16_i32(s0, s1)),
        Vop3::VCvtPknormI16F16 => float_lanes!(v_cvt_pknorm_i16_f16(s0, s1)),
        Vop3::VCvtPknormU16F16 => float_lanes!(v_cvt_pknorm_u16_f16(s0, s1)),
        Vop3::VAddI32 => lanes!(v_add_i32(s0, s1)),
        Vop3::VSubI32 => lanes!(v_sub_i32(s0, s1)),
        Vop3::VAddI16 => lanes!(v_add_i16(s0, s1)),
        Vop3::VSubI16 => lanes!(v_sub_i16(s0, s1)),
        Vop3::VPackB32F16 => float_lanes!(v_pack_b32_f16(s0, s1)),
        // These are not executed here.
        Vop3::VInterpP1llF16
        | Vop3::VInterpP1lvF16
        | Vop3::VInterpP2LegacyF16
        | Vop3::VInterpP2F16
        | Vop3::VMacLegacyF32
        | Vop3::VReadlaneRegrdB32 => Action::Whole(nothing),
    }
}

/// Whether GCN 1.4 changed the rule for the upper half of the destination, and our rule is no more than likely.
pub(super) fn has_new_upper_half(op: Vop3) -> bool {
    use Vop3::*;
    matches!(
        op,
        VMin3F16
            | VMin3I16
            | VMin3U16
            | VMax3F16
            | VMax3I16
            | VMax3U16
            | VMed3F16
            | VMed3I16
            | VMed3U16
            | VAddI16
            | VSubI16
    )
}
