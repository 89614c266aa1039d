//! Float instructions of VOP2 (and those that are VOP3 on some generations), over the values of one lane: see [`Lane`].

use crate::float::arith::{add, fma, ldexp, mad, mad_legacy, mul, mul_legacy, sub, subrev};
use crate::float::convert::{f32_to_f16_rounded, norm_i16, norm_u16, to_u8};
use crate::float::order::{max, max_legacy, min, min_legacy};
use crate::float::{F16, F32, Round};
use crate::vector::body::float_lanes;
use crate::vector::lane::Lane;

float_lanes! {
    fn v_add_f16(x: &mut Lane, s0: u16, s1: u16) -> u16 { add::<F16>(x, s0, s1) }
    fn v_sub_f16(x: &mut Lane, s0: u16, s1: u16) -> u16 { sub::<F16>(x, s0, s1) }
    fn v_subrev_f16(x: &mut Lane, s0: u16, s1: u16) -> u16 { subrev::<F16>(x, s0, s1) }
    fn v_mul_f16(x: &mut Lane, s0: u16, s1: u16) -> u16 { mul::<F16>(x, s0, s1) }
    fn v_min_f16(x: &mut Lane, s0: u16, s1: u16) -> u16 { min::<F16>(x, s0, s1) }
    fn v_max_f16(x: &mut Lane, s0: u16, s1: u16) -> u16 { max::<F16>(x, s0, s1) }
    fn v_mac_f16(x: &mut Lane, s0: u16, s1: u16, d: u16) -> u16 { mad::<F16>(x, s0, s1, d) }
    fn v_madmk_f16(x: &mut Lane, s0: u16, s1: u16, s2: u16) -> u16 { mad::<F16>(x, s0, s1, s2) }
    fn v_madak_f16(x: &mut Lane, s0: u16, s1: u16, s2: u16) -> u16 { mad::<F16>(x, s0, s1, s2) }
    fn v_add_f32(x: &mut Lane, s0: u32, s1: u32) -> u32 => fast::v_add_f32 { add::<F32>(x, s0, s1) }
    fn v_sub_f32(x: &mut Lane, s0: u32, s1: u32) -> u32 => fast::v_sub_f32 { sub::<F32>(x, s0, s1) }
    fn v_subrev_f32(x: &mut Lane, s0: u32, s1: u32) -> u32 => fast::v_subrev_f32 { subrev::<F32>(x, s0, s1) }
    fn v_mul_f32(x: &mut Lane, s0: u32, s1: u32) -> u32 => fast::v_mul_f32 { mul::<F32>(x, s0, s1) }
    fn v_min_f32(x: &mut Lane, s0: u32, s1: u32) -> u32 => fast::v_min_f32 { min::<F32>(x, s0, s1) }
    fn v_max_f32(x: &mut Lane, s0: u32, s1: u32) -> u32 => fast::v_max_f32 { max::<F32>(x, s0, s1) }
    fn v_mac_f32(x: &mut Lane, s0: u32, s1: u32, d: u32) -> u32 => fast::v_mad_f32 { mad::<F32>(x, s0, s1, d) }
    fn v_madmk_f32(x: &mut Lane, s0: u32, s1: u32, s2: u32) -> u32 => fast::v_mad_f32 { mad::<F32>(x, s0, s1, s2) }
    fn v_madak_f32(x: &mut Lane, s0: u32, s1: u32, s2: u32) -> u32 => fast::v_mad_f32 { mad::<F32>(x, s0, s1, s2) }

    fn v_mul_legacy_f32(x: &mut Lane, s0: u32, s1: u32) -> u32 => fast::v_mul_legacy_f32 {
        mul_legacy::<F32>(x, s0, s1)
    }

    fn v_mac_legacy_f32(x: &mut Lane, s0: u32, s1: u32, d: u32) -> u32 => fast::v_mad_legacy_f32 {
        mad_legacy::<F32>(x, s0, s1, d)
    }

    fn v_fmac_f32(x: &mut Lane, s0: u32, s1: u32, d: u32) -> u32 => fast::v_fma_f32 { fma::<F32>(x, s0, s1, d) }
    fn v_min_legacy_f32(s0: u32, s1: u32) -> u32 { min_legacy::<F32>(s0, s1) }
    fn v_max_legacy_f32(s0: u32, s1: u32) -> u32 { max_legacy::<F32>(s0, s1) }
    fn v_ldexp_f16(x: &mut Lane, s0: u16, s1: u16) -> u16 { ldexp::<F16>(x, s0, (s1 as i16).into()) }
    fn v_ldexp_f32(x: &mut Lane, s0: u32, s1: u32) -> u32 { ldexp::<F32>(x, s0, s1 as i32) }

    fn v_cvt_pkrtz_f16_f32(x: &mut Lane, s0: u32, s1: u32) -> u32 => fast::v_cvt_pkrtz_f16_f32 {
        let halves = [s0, s1].map(|s| f32_to_f16_rounded(x, s, Round::Zero));
        pack(halves)
    }

    fn v_cvt_pknorm_i16_f32(x: &mut Lane, s0: u32, s1: u32) -> u32 { pack([s0, s1].map(|s| norm_i16::<F32>(x, s))) }
    fn v_cvt_pknorm_u16_f32(x: &mut Lane, s0: u32, s1: u32) -> u32 { pack([s0, s1].map(|s| norm_u16::<F32>(x, s))) }

    fn v_cvt_pkaccum_u8_f32(x: &mut Lane, s0: u32, s1: u32, d: u32) -> u32 {
        let byte = to_u8(x, s0);
        with_byte(d, s1, byte)
    }
}

/// Packs two halves, the low one first.
pub(crate) fn pack([low, high]: [u16; 2]) -> u32 {
    u32::from(low) | u32::from(high) << 16
}

/// The dword with byte `index & 3` replaced.
pub(crate) fn with_byte(dword: u32, index: u32, byte: u8) -> u32 {
    let mut bytes = dword.to_le_bytes();
    bytes[index as usize & 3] = byte;
    u32::from_le_bytes(bytes)
}
