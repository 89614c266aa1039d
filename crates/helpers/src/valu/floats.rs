//! Chooses the lane function of a float instruction.

use gcnsim_isa::table::{Opcode, Vintrp, Vop1, Vop2, Vop3, Vop3p};
use gcnsim_isa::{Inst, OperandType};

use super::float::*;
use super::machine::Choice;
use super::{Mixed, ValuHelper};
use crate::Level;

/// The helper of a float instruction.
pub(super) fn helper(choice: Choice, inst: &Inst) -> Option<ValuHelper> {
    match inst.opcode {
        Opcode::Vop1(op) => vop1(choice, op),
        Opcode::Vop2(op) => vop2(choice, op),
        Opcode::Vop3(op) => vop3(choice, op),
        Opcode::Vop3p(op) => vop3p(choice, op),
        Opcode::Vintrp(op) => Some(vintrp(choice, op)),
        _ => None,
    }
}

/// The [fast path](fast) for the helper. It has the [`fast::Fast64`] shape if all operands are binary64.
pub(super) fn fast(level: Level, inst: &Inst) -> Option<fast::Fast> {
    let desc = inst.desc();
    let mut types = desc.src.iter().chain([&desc.dst]);
    if types.clone().all(|&ty| ty == OperandType::f64) {
        let path = fast::fast64(level, desc.mnemonic)?;
        // SAFETY: `machine` calls it in its true shape: helpers derive the shape from the width of the result.
        Some(unsafe { std::mem::transmute::<fast::Fast64, fast::Fast>(path.run) })
    } else if !types.any(|ty| ty.is_wide()) {
        Some(fast::fast(level, if is_mad(inst.opcode) { "v_mad_f32" } else { desc.mnemonic })?.run)
    } else {
        None
    }
}

/// Whether `opcode` is an interpolation that is computed as V_MAD_F32.
fn is_mad(opcode: Opcode) -> bool {
    match opcode {
        Opcode::Vintrp(op) => op != Vintrp::VInterpMovF32,
        Opcode::Vop3(op) => matches!(op, Vop3::VInterpP1llF16 | Vop3::VInterpP1lvF16),
        _ => false,
    }
}

/// Makes a function of MIX sources, which may have to be widened, from a function of binary32 sources.
macro_rules! mixed {
    ($function:ident, $half:ident) => {
        |m: &FloatMode, a: Mixed, b: Mixed, c: Mixed, notes: &mut u32| {
            let [a, b, c] = [a, b, c].map(|source| match source.is_half {
                true => widen_f16($half(m, source.bits as u16, notes)),
                false => source.bits,
            });
            $function(m, a, b, c, notes)
        }
    };
}

/// Makes a function whose result is two binary16 numbers, so that OMOD and CLAMP apply to both.
macro_rules! halves {
    ($function:ident: $T:ty) => {
        |m: &FloatMode, a: $T, b: $T, notes: &mut u32| {
            let packed = $function(m, a, b, notes);
            [packed as u16, (packed >> 16) as u16]
        }
    };
}

fn dot2(m: &FloatMode, a: [u16; 2], b: [u16; 2], c: u32, notes: &mut u32) -> u32 {
    let [a, b] = [a, b].map(|[lo, hi]| lo as u32 | (hi as u32) << 16);
    v_dot2_f32_f16(m, a, b, c, notes)
}

/// V_INTERP_MOV_F32 with OMOD or CLAMP.
fn moved(_: &FloatMode, s0: u32, _: &mut u32) -> u32 {
    s0
}

fn vintrp(choice: Choice, op: Vintrp) -> ValuHelper {
    match op {
        Vintrp::VInterpP1F32 | Vintrp::VInterpP2F32 => choice.float(v_mad_f32),
        Vintrp::VInterpMovF32 => choice.float(moved),
    }
}

fn vop1(choice: Choice, op: Vop1) -> Option<ValuHelper> {
    Some(match op {
        Vop1::VCvtI32F64 => choice.float(v_cvt_i32_f64),
        Vop1::VCvtF64I32 => choice.float(v_cvt_f64_i32),
        Vop1::VCvtF32I32 => choice.float(v_cvt_f32_i32),
        Vop1::VCvtF32U32 => choice.float(v_cvt_f32_u32),
        Vop1::VCvtU32F32 => choice.float(v_cvt_u32_f32),
        Vop1::VCvtI32F32 => choice.float(v_cvt_i32_f32),
        Vop1::VCvtF16F32 => choice.float(v_cvt_f16_f32),
        Vop1::VCvtF32F16 => choice.float(v_cvt_f32_f16),
        Vop1::VCvtRpiI32F32 => choice.float(v_cvt_rpi_i32_f32),
        Vop1::VCvtFlrI32F32 => choice.float(v_cvt_flr_i32_f32),
        Vop1::VCvtOffF32I4 => choice.float(v_cvt_off_f32_i4),
        Vop1::VCvtF32F64 => choice.float(v_cvt_f32_f64),
        Vop1::VCvtF64F32 => choice.float(v_cvt_f64_f32),
        Vop1::VCvtF32Ubyte0 => choice.float(v_cvt_f32_ubyte0),
        Vop1::VCvtF32Ubyte1 => choice.float(v_cvt_f32_ubyte1),
        Vop1::VCvtF32Ubyte2 => choice.float(v_cvt_f32_ubyte2),
        Vop1::VCvtF32Ubyte3 => choice.float(v_cvt_f32_ubyte3),
        Vop1::VCvtU32F64 => choice.float(v_cvt_u32_f64),
        Vop1::VCvtF64U32 => choice.float(v_cvt_f64_u32),
        Vop1::VTruncF64 => choice.float(v_trunc_f64),
        Vop1::VCeilF64 => choice.float(v_ceil_f64),
        Vop1::VRndneF64 => choice.float(v_rndne_f64),
        Vop1::VFloorF64 => choice.float(v_floor_f64),
        Vop1::VFractF32 => choice.float(v_fract_f32),
        Vop1::VTruncF32 => choice.float(v_trunc_f32),
        Vop1::VCeilF32 => choice.float(v_ceil_f32),
        Vop1::VRndneF32 => choice.float(v_rndne_f32),
        Vop1::VFloorF32 => choice.float(v_floor_f32),
        Vop1::VExpF32 => choice.float(v_exp_f32),
        Vop1::VLogF32 => choice.float(v_log_f32),
        Vop1::VRcpF32 => choice.float(v_rcp_f32),
        Vop1::VRcpIflagF32 => choice.float(v_rcp_iflag_f32),
        Vop1::VRsqF32 => choice.float(v_rsq_f32),
        Vop1::VRcpF64 => choice.float(v_rcp_f64),
        Vop1::VLogClampF32 => choice.float(v_log_clamp_f32),
        Vop1::VRsqF64 => choice.float(v_rsq_f64),
        Vop1::VSqrtF32 => choice.float(v_sqrt_f32),
        Vop1::VRcpClampF32 => choice.float(v_rcp_clamp_f32),
        Vop1::VSqrtF64 => choice.float(v_sqrt_f64),
        Vop1::VRcpLegacyF32 => choice.float(v_rcp_legacy_f32),
        Vop1::VSinF32 => choice.float(v_sin_f32),
        Vop1::VCosF32 => choice.float(v_cos_f32),
        Vop1::VRsqClampF32 => choice.float(v_rsq_clamp_f32),
        Vop1::VRsqLegacyF32 => choice.float(v_rsq_legacy_f32),
        Vop1::VFrexpExpI32F64 => choice.float(v_frexp_exp_i32_f64),
        Vop1::VRcpClampF64 => choice.float(v_rcp_clamp_f64),
        Vop1::VFrexpMantF64 => choice.float(v_frexp_mant_f64),
        Vop1::VFractF64 => choice.float(v_fract_f64),
        Vop1::VRsqClampF64 => choice.float(v_rsq_clamp_f64),
        Vop1::VFrexpExpI32F32 => choice.float(v_frexp_exp_i32_f32),
        Vop1::VFrexpMantF32 => choice.float(v_frexp_mant_f32),
        Vop1::VCvtF16U16 => choice.float(v_cvt_f16_u16),
        Vop1::VCvtF16I16 => choice.float(v_cvt_f16_i16),
        Vop1::VCvtU16F16 => choice.float(v_cvt_u16_f16),
        Vop1::VCvtI16F16 => choice.float(v_cvt_i16_f16),
        Vop1::VRcpF16 => choice.float(v_rcp_f16),
        Vop1::VSqrtF16 => choice.float(v_sqrt_f16),
        Vop1::VRsqF16 => choice.float(v_rsq_f16),
        Vop1::VLogF16 => choice.float(v_log_f16),
        Vop1::VExpF16 => choice.float(v_exp_f16),
        Vop1::VFrexpMantF16 => choice.float(v_frexp_mant_f16),
        Vop1::VFrexpExpI16F16 => choice.float(v_frexp_exp_i16_f16),
        Vop1::VFloorF16 => choice.float(v_floor_f16),
        Vop1::VCeilF16 => choice.float(v_ceil_f16),
        Vop1::VTruncF16 => choice.float(v_trunc_f16),
        Vop1::VRndneF16 => choice.float(v_rndne_f16),
        Vop1::VFractF16 => choice.float(v_fract_f16),
        Vop1::VSinF16 => choice.float(v_sin_f16),
        Vop1::VCosF16 => choice.float(v_cos_f16),
        Vop1::VExpLegacyF32 => choice.float(v_exp_legacy_f32),
        Vop1::VLogLegacyF32 => choice.float(v_log_legacy_f32),
        Vop1::VCvtNormI16F16 => choice.float(v_cvt_norm_i16_f16),
        Vop1::VCvtNormU16F16 => choice.float(v_cvt_norm_u16_f16),
        _ => return None,
    })
}

fn vop2(choice: Choice, op: Vop2) -> Option<ValuHelper> {
    Some(match op {
        Vop2::VAddF32 => choice.float(v_add_f32),
        Vop2::VSubF32 => choice.float(v_sub_f32),
        Vop2::VSubrevF32 => choice.float(v_subrev_f32),
        Vop2::VMulLegacyF32 => choice.float(v_mul_legacy_f32),
        Vop2::VMulF32 => choice.float(v_mul_f32),
        Vop2::VMacLegacyF32 => choice.float(v_mac_legacy_f32),
        Vop2::VMinF32 => choice.float(v_min_f32),
        Vop2::VMaxF32 => choice.float(v_max_f32),
        Vop2::VMinLegacyF32 => choice.float(v_min_legacy_f32),
        Vop2::VMaxLegacyF32 => choice.float(v_max_legacy_f32),
        Vop2::VMacF32 => choice.float(v_mac_f32),
        Vop2::VMadmkF32 => choice.float(v_madmk_f32),
        Vop2::VMadakF32 => choice.float(v_madak_f32),
        Vop2::VAddF16 => choice.float(v_add_f16),
        Vop2::VSubF16 => choice.float(v_sub_f16),
        Vop2::VSubrevF16 => choice.float(v_subrev_f16),
        Vop2::VMulF16 => choice.float(v_mul_f16),
        Vop2::VMacF16 => choice.float(v_mac_f16),
        Vop2::VMadmkF16 => choice.float(v_madmk_f16),
        Vop2::VMadakF16 => choice.float(v_madak_f16),
        Vop2::VLdexpF32 => choice.float(v_ldexp_f32),
        Vop2::VCvtPkaccumU8F32 => choice.float(v_cvt_pkaccum_u8_f32),
        Vop2::VCvtPknormI16F32 => choice.float(v_cvt_pknorm_i16_f32),
        Vop2::VMaxF16 => choice.float(v_max_f16),
        Vop2::VCvtPknormU16F32 => choice.float(v_cvt_pknorm_u16_f32),
        Vop2::VMinF16 => choice.float(v_min_f16),
        Vop2::VCvtPkrtzF16F32 => choice.float(halves!(v_cvt_pkrtz_f16_f32: u32)),
        Vop2::VLdexpF16 => choice.float(v_ldexp_f16),
        Vop2::VFmacF32 => choice.float(v_fmac_f32),
        _ => return None,
    })
}

fn vop3(choice: Choice, op: Vop3) -> Option<ValuHelper> {
    Some(match op {
        Vop3::VMullitF32 => choice.float(v_mullit_f32),
        Vop3::VMadLegacyF32 => choice.float(v_mad_legacy_f32),
        Vop3::VMadF32 => choice.float(v_mad_f32),
        Vop3::VCubeidF32 => choice.float(v_cubeid_f32),
        Vop3::VCubescF32 => choice.float(v_cubesc_f32),
        Vop3::VCubetcF32 => choice.float(v_cubetc_f32),
        Vop3::VCubemaF32 => choice.float(v_cubema_f32),
        Vop3::VFmaF32 => choice.float(v_fma_f32),
        Vop3::VFmaF64 => choice.float(v_fma_f64),
        Vop3::VMin3F32 => choice.float(v_min3_f32),
        Vop3::VMax3F32 => choice.float(v_max3_f32),
        Vop3::VMed3F32 => choice.float(v_med3_f32),
        Vop3::VCvtPkU8F32 => choice.float(v_cvt_pk_u8_f32),
        Vop3::VDivFixupF32 => choice.float(v_div_fixup_f32),
        Vop3::VDivFixupF64 => choice.float(v_div_fixup_f64),
        Vop3::VDivScaleF32 => choice.float(v_div_scale_f32),
        Vop3::VDivScaleF64 => choice.float(v_div_scale_f64),
        Vop3::VDivFmasF32 => choice.float_mask(v_div_fmas_f32),
        Vop3::VDivFmasF64 => choice.float_mask(v_div_fmas_f64),
        Vop3::VMadLegacyF16 => choice.float(v_mad_legacy_f16),
        Vop3::VFmaLegacyF16 => choice.float(v_fma_legacy_f16),
        Vop3::VDivFixupLegacyF16 => choice.float(v_div_fixup_legacy_f16),
        Vop3::VCvtPkaccumU8F32 => choice.float(v_cvt_pkaccum_u8_f32),
        Vop3::VMin3F16 => choice.float(v_min3_f16),
        Vop3::VMax3F16 => choice.float(v_max3_f16),
        Vop3::VMed3F16 => choice.float(v_med3_f16),
        Vop3::VMadF16 => choice.float(v_mad_f16),
        Vop3::VFmaF16 => choice.float(v_fma_f16),
        Vop3::VDivFixupF16 => choice.float(v_div_fixup_f16),
        Vop3::VAddF64 => choice.float(v_add_f64),
        Vop3::VMulF64 => choice.float(v_mul_f64),
        Vop3::VMinF64 => choice.float(v_min_f64),
        Vop3::VMaxF64 => choice.float(v_max_f64),
        Vop3::VLdexpF64 => choice.float(v_ldexp_f64),
        Vop3::VLdexpF32 => choice.float(v_ldexp_f32),
        Vop3::VTrigPreopF64 => choice.float(v_trig_preop_f64),
        Vop3::VCvtPknormI16F32 => choice.float(v_cvt_pknorm_i16_f32),
        Vop3::VCvtPknormU16F32 => choice.float(v_cvt_pknorm_u16_f32),
        Vop3::VCvtPkrtzF16F32 => choice.float(halves!(v_cvt_pkrtz_f16_f32: u32)),
        Vop3::VCvtPknormI16F16 => choice.float(v_cvt_pknorm_i16_f16),
        Vop3::VCvtPknormU16F16 => choice.float(v_cvt_pknorm_u16_f16),
        Vop3::VInterpP1llF16 | Vop3::VInterpP1lvF16 => choice.float(v_mad_f32),
        Vop3::VInterpP2F16 | Vop3::VInterpP2LegacyF16 => choice.float(v_interp_p2_f16),
        Vop3::VPackB32F16 => choice.float(halves!(v_pack_b32_f16: u16)),
        _ => return None,
    })
}

fn vop3p(choice: Choice, op: Vop3p) -> Option<ValuHelper> {
    Some(match op {
        Vop3p::VPkFmaF16 => choice.packed_float(v_pk_fma_f16),
        Vop3p::VPkAddF16 => choice.packed_float(v_pk_add_f16),
        Vop3p::VPkMulF16 => choice.packed_float(v_pk_mul_f16),
        Vop3p::VPkMinF16 => choice.packed_float(v_pk_min_f16),
        Vop3p::VPkMaxF16 => choice.packed_float(v_pk_max_f16),
        Vop3p::VFmaMixF32 => choice.float(mixed!(v_fma_mix_f32, fused_half)),
        Vop3p::VMadMixF32 => choice.float(mixed!(v_mad_mix_f32, flushed_half)),
        Vop3p::VFmaMixloF16 => choice.float(mixed!(v_fma_mixlo_f16, fused_half)),
        Vop3p::VMadMixloF16 => choice.float(mixed!(v_mad_mixlo_f16, flushed_half)),
        Vop3p::VFmaMixhiF16 => choice.float(mixed!(v_fma_mixhi_f16, fused_half)),
        Vop3p::VMadMixhiF16 => choice.float(mixed!(v_mad_mixhi_f16, flushed_half)),
        Vop3p::VDot2F32F16 => choice.float(dot2),
        _ => return None,
    })
}
