//! Chooses the lane function of an instruction without float arithmetic.

use gcnsim_isa::Inst;
use gcnsim_isa::table::{Opcode, Vintrp, Vop1, Vop2, Vop3, Vop3p};

use super::bytes::*;
use super::dot::*;
use super::int::*;
use super::machine::Choice;

use super::{LaneControl, ValuHelper};

/// The helper of an instruction without float arithmetic.
pub(super) fn helper(choice: Choice, inst: &Inst) -> Option<ValuHelper> {
    match inst.opcode {
        Opcode::Vop1(op) => vop1(choice, op),
        Opcode::Vop2(op) => vop2(choice, op),
        Opcode::Vop3(op) => vop3(choice, op),
        Opcode::Vop3p(op) => vop3p(choice, op),
        // With OMOD or CLAMP it is a float instruction.
        Opcode::Vintrp(Vintrp::VInterpMovF32) if !choice.modified => Some(choice.pure(|s0: u32| s0)),
        _ => None,
    }
}

/// Exchanges the two sources of a function: V_LSHLREV.
macro_rules! reversed {
    ($function:ident: $A:ty, $B:ty) => {
        |b: $B, a: $A| $function(a, b)
    };
}

/// Exchanges the two sources of a function that takes the lane's control: V_SUBREV.
macro_rules! reversed_controlled {
    ($function:ident: $A:ty) => {
        |c: &LaneControl, b: $A, a: $A| $function(c, a, b)
    };
}

fn vop1(choice: Choice, op: Vop1) -> Option<ValuHelper> {
    Some(match op {
        // V_MOVREL is a move with computed register numbers.
        Vop1::VMovB32 | Vop1::VMovFedB32 | Vop1::VMovreldB32 | Vop1::VMovrelsB32 | Vop1::VMovrelsdB32 => {
            choice.pure(|a: u32| a)
        }
        Vop1::VNotB32 => choice.pure(|a: u32| !a),
        Vop1::VBfrevB32 => choice.pure(|a: u32| a.reverse_bits()),
        Vop1::VFfbhU32 => choice.pure(v_ffbh_u32),
        Vop1::VFfblB32 => choice.pure(v_ffbl_b32),
        Vop1::VFfbhI32 => choice.pure(v_ffbh_i32),
        Vop1::VScreenPartition4seB32 => choice.pure(v_screen_partition_4se_b32),
        Vop1::VSatPkU8I16 => choice.pure(v_sat_pk_u8_i16),
        Vop1::VSwapB32 => super::swap::helper(),
        _ => return None,
    })
}

fn vop2(choice: Choice, op: Vop2) -> Option<ValuHelper> {
    Some(match op {
        Vop2::VCndmaskB32 => choice.controlled(v_cndmask_b32),
        Vop2::VMulI32I24 => choice.controlled(v_mul_i32_i24),
        Vop2::VMulHiI32I24 => choice.pure(v_mul_hi_i32_i24),
        Vop2::VMulU32U24 => choice.controlled(v_mul_u32_u24),
        Vop2::VMulHiU32U24 => choice.pure(v_mul_hi_u32_u24),
        Vop2::VMinI32 => choice.pure(v_min_i32),
        Vop2::VMaxI32 => choice.pure(v_max_i32),
        Vop2::VMinU32 => choice.pure(|a: u32, b: u32| a.min(b)),
        Vop2::VMaxU32 => choice.pure(|a: u32, b: u32| a.max(b)),
        Vop2::VLshlB32 => choice.pure(v_lshl_b32),
        Vop2::VLshrB32 => choice.pure(v_lshr_b32),
        Vop2::VAshrI32 => choice.pure(v_ashr_i32),
        Vop2::VLshlrevB32 => choice.pure(reversed!(v_lshl_b32: u32, u32)),
        Vop2::VLshrrevB32 => choice.pure(reversed!(v_lshr_b32: u32, u32)),
        Vop2::VAshrrevI32 => choice.pure(reversed!(v_ashr_i32: u32, u32)),
        Vop2::VAndB32 => choice.pure(|a: u32, b: u32| a & b),
        Vop2::VOrB32 => choice.pure(|a: u32, b: u32| a | b),
        Vop2::VXorB32 => choice.pure(|a: u32, b: u32| a ^ b),
        Vop2::VXnorB32 => choice.pure(|a: u32, b: u32| !(a ^ b)),
        Vop2::VBfmB32 => choice.pure(v_bfm_b32),
        Vop2::VBcntU32B32 => choice.pure(v_bcnt_u32_b32),
        Vop2::VMbcntLoU32B32 => choice.controlled(v_mbcnt_lo_u32_b32),
        Vop2::VMbcntHiU32B32 => choice.controlled(v_mbcnt_hi_u32_b32),
        // The rows are the additions with carry of all generations.
        Vop2::VAddI32 | Vop2::VAddU32Carry | Vop2::VAddCoU32 => choice.controlled(v_add_co_u32),
        Vop2::VSubI32 | Vop2::VSubU32Carry | Vop2::VSubCoU32 => choice.controlled(v_sub_co_u32),
        Vop2::VSubrevI32 | Vop2::VSubrevU32Carry | Vop2::VSubrevCoU32 => {
            choice.controlled(reversed_controlled!(v_sub_co_u32: u32))
        }
        Vop2::VAddcU32 | Vop2::VAddcCoU32 => choice.controlled(v_addc_co_u32),
        Vop2::VSubbU32 | Vop2::VSubbCoU32 => choice.controlled(v_subb_co_u32),
        Vop2::VSubbrevU32 | Vop2::VSubbrevCoU32 => choice.controlled(reversed_controlled!(v_subb_co_u32: u32)),
        Vop2::VAddU32 => choice.controlled(v_add_u32),
        Vop2::VSubU32 => choice.controlled(v_sub_u32),
        Vop2::VSubrevU32 => choice.controlled(reversed_controlled!(v_sub_u32: u32)),
        Vop2::VAddU16 => choice.controlled(v_add_u16),
        Vop2::VSubU16 => choice.controlled(v_sub_u16),
        Vop2::VSubrevU16 => choice.controlled(reversed_controlled!(v_sub_u16: u16)),
        Vop2::VMulLoU16 => choice.pure(|a: u16, b: u16| a.wrapping_mul(b)),
        Vop2::VLshlrevB16 => choice.pure(v_lshlrev_b16),
        Vop2::VLshrrevB16 => choice.pure(v_lshrrev_b16),
        Vop2::VAshrrevI16 => choice.pure(v_ashrrev_i16),
        Vop2::VMaxU16 => choice.pure(|a: u16, b: u16| a.max(b)),
        Vop2::VMinU16 => choice.pure(|a: u16, b: u16| a.min(b)),
        Vop2::VMaxI16 => choice.pure(v_max_i16),
        Vop2::VMinI16 => choice.pure(v_min_i16),
        Vop2::VCvtPkU16U32 => choice.pure(v_cvt_pk_u16_u32),
        Vop2::VCvtPkI16I32 => choice.pure(v_cvt_pk_i16_i32),
        _ => return None,
    })
}

fn vop3(choice: Choice, op: Vop3) -> Option<ValuHelper> {
    Some(match op {
        Vop3::VLshlB64 => choice.pure(v_lshl_b64),
        Vop3::VLshrB64 => choice.pure(v_lshr_b64),
        Vop3::VAshrI64 => choice.pure(v_ashr_i64),
        Vop3::VLshlrevB64 => choice.pure(reversed!(v_lshl_b64: u64, u32)),
        Vop3::VLshrrevB64 => choice.pure(reversed!(v_lshr_b64: u64, u32)),
        Vop3::VAshrrevI64 => choice.pure(reversed!(v_ashr_i64: u64, u32)),
        Vop3::VMulLoU32 | Vop3::VMulLoI32 => choice.pure(|a: u32, b: u32| a.wrapping_mul(b)),
        Vop3::VMulHiU32 => choice.pure(v_mul_hi_u32),
        Vop3::VMulHiI32 => choice.pure(v_mul_hi_i32),
        Vop3::VMadI32I24 => choice.controlled(v_mad_i32_i24),
        Vop3::VMadU32U24 => choice.controlled(v_mad_u32_u24),
        Vop3::VMadU64U32 => choice.controlled(v_mad_u64_u32),
        Vop3::VMadI64I32 => choice.controlled(v_mad_i64_i32),
        Vop3::VMadU16 | Vop3::VMadLegacyU16 => choice.controlled(v_mad_u16),
        Vop3::VMadI16 | Vop3::VMadLegacyI16 => choice.controlled(v_mad_i16),
        Vop3::VMadU32U16 => choice.controlled(v_mad_u32_u16),
        Vop3::VMadI32I16 => choice.controlled(v_mad_i32_i16),
        Vop3::VBfeU32 => choice.pure(v_bfe_u32),
        Vop3::VBfeI32 => choice.pure(v_bfe_i32),
        Vop3::VBfiB32 => choice.pure(v_bfi_b32),
        Vop3::VBfmB32 => choice.pure(v_bfm_b32),
        Vop3::VAlignbitB32 => choice.pure(v_alignbit_b32),
        Vop3::VAlignbyteB32 => choice.pure(v_alignbyte_b32),
        Vop3::VPermB32 => choice.pure(v_perm_b32),
        Vop3::VLerpU8 => choice.pure(v_lerp_u8),
        Vop3::VSadU8 => choice.controlled(v_sad_u8),
        Vop3::VSadHiU8 => choice.controlled(v_sad_hi_u8),
        Vop3::VSadU16 => choice.controlled(v_sad_u16),
        Vop3::VSadU32 => choice.controlled(v_sad_u32),
        Vop3::VMsadU8 => choice.controlled(v_msad_u8),
        Vop3::VQsadU8 | Vop3::VQsadPkU16U8 => choice.controlled(v_qsad_pk_u16_u8),
        Vop3::VMqsadPkU16U8 => choice.controlled(v_mqsad_pk_u16_u8),
        Vop3::VMqsadU32U8 => choice.noting(v_mqsad_u32_u8),
        Vop3::VMin3I32 => choice.pure(|a: u32, b: u32, c: u32| v_min_i32(v_min_i32(a, b), c)),
        Vop3::VMin3U32 => choice.pure(|a: u32, b: u32, c: u32| a.min(b).min(c)),
        Vop3::VMin3I16 => choice.pure(|a: u16, b: u16, c: u16| v_min_i16(v_min_i16(a, b), c)),
        Vop3::VMin3U16 => choice.pure(|a: u16, b: u16, c: u16| a.min(b).min(c)),
        Vop3::VMax3I32 => choice.pure(|a: u32, b: u32, c: u32| v_max_i32(v_max_i32(a, b), c)),
        Vop3::VMax3U32 => choice.pure(|a: u32, b: u32, c: u32| a.max(b).max(c)),
        Vop3::VMax3I16 => choice.pure(|a: u16, b: u16, c: u16| v_max_i16(v_max_i16(a, b), c)),
        Vop3::VMax3U16 => choice.pure(|a: u16, b: u16, c: u16| a.max(b).max(c)),
        Vop3::VMed3I32 => choice.pure(v_med3_i32),
        Vop3::VMed3U32 => choice.pure(median::<u32>),
        Vop3::VMed3I16 => choice.pure(v_med3_i16),
        Vop3::VMed3U16 => choice.pure(median::<u16>),
        Vop3::VXadU32 => choice.pure(|a: u32, b: u32, c: u32| (a ^ b).wrapping_add(c)),
        Vop3::VLshlAddU32 => choice.pure(|a: u32, b: u32, c: u32| v_lshl_b32(a, b).wrapping_add(c)),
        Vop3::VAddLshlU32 => choice.pure(|a: u32, b: u32, c: u32| v_lshl_b32(a.wrapping_add(b), c)),
        Vop3::VAdd3U32 => choice.pure(|a: u32, b: u32, c: u32| a.wrapping_add(b).wrapping_add(c)),
        Vop3::VLshlOrB32 => choice.pure(|a: u32, b: u32, c: u32| v_lshl_b32(a, b) | c),
        Vop3::VAndOrB32 => choice.pure(|a: u32, b: u32, c: u32| a & b | c),
        Vop3::VOr3B32 => choice.pure(|a: u32, b: u32, c: u32| a | b | c),
        Vop3::VBcntU32B32 => choice.pure(v_bcnt_u32_b32),
        Vop3::VMbcntLoU32B32 => choice.controlled(v_mbcnt_lo_u32_b32),
        Vop3::VMbcntHiU32B32 => choice.controlled(v_mbcnt_hi_u32_b32),
        Vop3::VCvtPkU16U32 => choice.pure(v_cvt_pk_u16_u32),
        Vop3::VCvtPkI16I32 => choice.pure(v_cvt_pk_i16_i32),
        Vop3::VAddI32 => choice.controlled(v_add_i32),
        Vop3::VSubI32 => choice.controlled(v_sub_i32),
        Vop3::VAddI16 => choice.controlled(v_add_i16),
        Vop3::VSubI16 => choice.controlled(v_sub_i16),
        _ => return None,
    })
}

fn vop3p(choice: Choice, op: Vop3p) -> Option<ValuHelper> {
    Some(match op {
        Vop3p::VPkMadI16 => choice.packed_controlled(v_mad_i16),
        Vop3p::VPkMadU16 => choice.packed_controlled(v_mad_u16),
        Vop3p::VPkMulLoU16 => choice.packed(|a: u16, b: u16| a.wrapping_mul(b)),
        Vop3p::VPkAddI16 => choice.packed_controlled(v_add_i16),
        Vop3p::VPkSubI16 => choice.packed_controlled(v_sub_i16),
        Vop3p::VPkAddU16 => choice.packed_controlled(v_add_u16),
        Vop3p::VPkSubU16 => choice.packed_controlled(v_sub_u16),
        Vop3p::VPkLshlrevB16 => choice.packed(v_lshlrev_b16),
        Vop3p::VPkLshrrevB16 => choice.packed(v_lshrrev_b16),
        Vop3p::VPkAshrrevI16 => choice.packed(v_ashrrev_i16),
        Vop3p::VPkMaxI16 => choice.packed(v_max_i16),
        Vop3p::VPkMinI16 => choice.packed(v_min_i16),
        Vop3p::VPkMaxU16 => choice.packed(|a: u16, b: u16| a.max(b)),
        Vop3p::VPkMinU16 => choice.packed(|a: u16, b: u16| a.min(b)),
        Vop3p::VDot2I32I16 => choice.controlled(v_dot2_i32_i16),
        Vop3p::VDot2U32U16 => choice.controlled(v_dot2_u32_u16),
        Vop3p::VDot4I32I8 => choice.controlled(v_dot4_i32_i8),
        Vop3p::VDot4U32U8 => choice.controlled(v_dot4_u32_u8),
        Vop3p::VDot8I32I4 => choice.controlled(v_dot8_i32_i4),
        Vop3p::VDot8U32U4 => choice.controlled(v_dot8_u32_u4),
        _ => return None,
    })
}
