//! Float instructions of VOP1, over the values of one lane: see [`Lane`].

use crate::float::arith::ldexp;
use crate::float::convert::{
    f16_to_f32, f32_to_f16, f32_to_f64, f64_to_f32, floor_i32, integer_to_f16, integer_to_f32, integer_to_f64,
    norm_i16, norm_u16, round_half_up_i32, truncate,
};
use crate::float::elementary::{cos, exp, log, rcp, rsq, sin, sqrt};
use crate::float::format::Format;
use crate::float::parts::{fract, frexp_exp, frexp_mant, integral};
use crate::float::{F16, F32, F64, Round};
use crate::vector::body::float_lanes;
use crate::vector::lane::Lane;

float_lanes! {
    // Float to integer: the number is truncated and saturated, and a NaN becomes 0.

    fn v_cvt_i32_f32(x: &mut Lane, s0: u32) -> u32 => fast::v_cvt_i32_f32 {
        truncate::<F32>(x, s0, i32::MIN.into(), i32::MAX.into()) as u32
    }

    fn v_cvt_u32_f32(x: &mut Lane, s0: u32) -> u32 => fast::v_cvt_u32_f32 {
        truncate::<F32>(x, s0, 0, u32::MAX.into()) as u32
    }

    fn v_cvt_i32_f64(x: &mut Lane, s0: u64) -> u32 { truncate::<F64>(x, s0, i32::MIN.into(), i32::MAX.into()) as u32 }
    fn v_cvt_u32_f64(x: &mut Lane, s0: u64) -> u32 { truncate::<F64>(x, s0, 0, u32::MAX.into()) as u32 }
    fn v_cvt_i16_f16(x: &mut Lane, s0: u16) -> u16 { truncate::<F16>(x, s0, i16::MIN.into(), i16::MAX.into()) as u16 }
    fn v_cvt_u16_f16(x: &mut Lane, s0: u16) -> u16 { truncate::<F16>(x, s0, 0, u16::MAX.into()) as u16 }
    fn v_cvt_flr_i32_f32(x: &mut Lane, s0: u32) -> u32 { floor_i32(x, s0) as u32 }
    fn v_cvt_rpi_i32_f32(x: &mut Lane, s0: u32) -> u32 { round_half_up_i32(x, s0) as u32 }
    fn v_cvt_norm_i16_f16(x: &mut Lane, s0: u16) -> u16 { norm_i16::<F16>(x, s0) }
    fn v_cvt_norm_u16_f16(x: &mut Lane, s0: u16) -> u16 { norm_u16::<F16>(x, s0) }

    // Integer to float.

    fn v_cvt_f32_i32(x: &mut Lane, s0: u32) -> u32 => fast::v_cvt_f32_i32 { integer_to_f32(x, (s0 as i32).into()) }
    fn v_cvt_f32_u32(x: &mut Lane, s0: u32) -> u32 => fast::v_cvt_f32_u32 { integer_to_f32(x, s0.into()) }
    fn v_cvt_f64_i32(x: &mut Lane, s0: u32) -> u64 { integer_to_f64(x, (s0 as i32).into()) }
    fn v_cvt_f64_u32(x: &mut Lane, s0: u32) -> u64 { integer_to_f64(x, s0.into()) }
    fn v_cvt_f16_i16(x: &mut Lane, s0: u16) -> u16 { integer_to_f16(x, (s0 as i16).into()) }
    fn v_cvt_f16_u16(x: &mut Lane, s0: u16) -> u16 { integer_to_f16(x, s0.into()) }

    fn v_cvt_f32_ubyte0(x: &mut Lane, s0: u32) -> u32 => fast::v_cvt_f32_ubyte0 {
        integer_to_f32(x, s0.to_le_bytes()[0].into())
    }

    fn v_cvt_f32_ubyte1(x: &mut Lane, s0: u32) -> u32 => fast::v_cvt_f32_ubyte1 {
        integer_to_f32(x, s0.to_le_bytes()[1].into())
    }

    fn v_cvt_f32_ubyte2(x: &mut Lane, s0: u32) -> u32 => fast::v_cvt_f32_ubyte2 {
        integer_to_f32(x, s0.to_le_bytes()[2].into())
    }

    fn v_cvt_f32_ubyte3(x: &mut Lane, s0: u32) -> u32 => fast::v_cvt_f32_ubyte3 {
        integer_to_f32(x, s0.to_le_bytes()[3].into())
    }

    fn v_cvt_off_f32_i4(x: &mut Lane, s0: u32) -> u32 {
        // i4 / 16
        let i4 = i64::from(s0 as i32) << 60 >> 60;
        let unscaled = integer_to_f32(x, i4);
        ldexp::<F32>(x, unscaled, -4)
    }

    // Float to float.

    fn v_cvt_f16_f32(x: &mut Lane, s0: u32) -> u16 => fast::v_cvt_f16_f32 { f32_to_f16(x, s0) }
    fn v_cvt_f32_f16(x: &mut Lane, s0: u16) -> u32 => fast::v_cvt_f32_f16 { f16_to_f32(x, s0) }
    fn v_cvt_f32_f64(x: &mut Lane, s0: u64) -> u32 { f64_to_f32(x, s0) }
    fn v_cvt_f64_f32(x: &mut Lane, s0: u32) -> u64 { f32_to_f64(x, s0) }

    // Parts.

    fn v_trunc_f16(x: &mut Lane, s0: u16) -> u16 { integral::<F16>(x, s0, Round::Zero) }
    fn v_ceil_f16(x: &mut Lane, s0: u16) -> u16 { integral::<F16>(x, s0, Round::Up) }
    fn v_rndne_f16(x: &mut Lane, s0: u16) -> u16 { integral::<F16>(x, s0, Round::Nearest) }
    fn v_floor_f16(x: &mut Lane, s0: u16) -> u16 { integral::<F16>(x, s0, Round::Down) }
    fn v_fract_f16(x: &mut Lane, s0: u16) -> u16 { fract::<F16>(x, s0) }
    fn v_frexp_mant_f16(x: &mut Lane, s0: u16) -> u16 { frexp_mant::<F16>(x, s0) }
    fn v_trunc_f32(x: &mut Lane, s0: u32) -> u32 => fast::v_trunc_f32 { integral::<F32>(x, s0, Round::Zero) }
    fn v_ceil_f32(x: &mut Lane, s0: u32) -> u32 => fast::v_ceil_f32 { integral::<F32>(x, s0, Round::Up) }
    fn v_rndne_f32(x: &mut Lane, s0: u32) -> u32 => fast::v_rndne_f32 { integral::<F32>(x, s0, Round::Nearest) }
    fn v_floor_f32(x: &mut Lane, s0: u32) -> u32 => fast::v_floor_f32 { integral::<F32>(x, s0, Round::Down) }
    fn v_fract_f32(x: &mut Lane, s0: u32) -> u32 => fast::v_fract_f32 { fract::<F32>(x, s0) }
    fn v_frexp_mant_f32(x: &mut Lane, s0: u32) -> u32 { frexp_mant::<F32>(x, s0) }
    fn v_trunc_f64(x: &mut Lane, s0: u64) -> u64 { integral::<F64>(x, s0, Round::Zero) }
    fn v_ceil_f64(x: &mut Lane, s0: u64) -> u64 { integral::<F64>(x, s0, Round::Up) }
    fn v_rndne_f64(x: &mut Lane, s0: u64) -> u64 { integral::<F64>(x, s0, Round::Nearest) }
    fn v_floor_f64(x: &mut Lane, s0: u64) -> u64 { integral::<F64>(x, s0, Round::Down) }
    fn v_fract_f64(x: &mut Lane, s0: u64) -> u64 { fract::<F64>(x, s0) }
    fn v_frexp_mant_f64(x: &mut Lane, s0: u64) -> u64 { frexp_mant::<F64>(x, s0) }
    fn v_frexp_exp_i16_f16(x: &mut Lane, s0: u16) -> u16 { frexp_exp::<F16>(x, s0) as u16 }
    fn v_frexp_exp_i32_f32(x: &mut Lane, s0: u32) -> u32 { frexp_exp::<F32>(x, s0) as u32 }
    fn v_frexp_exp_i32_f64(x: &mut Lane, s0: u64) -> u32 { frexp_exp::<F64>(x, s0) as u32 }

    // Approximate on hardware.

    fn v_rcp_f16(x: &mut Lane, s0: u16) -> u16 { rcp::<F16>(x, s0) }
    fn v_rsq_f16(x: &mut Lane, s0: u16) -> u16 { rsq::<F16>(x, s0) }
    fn v_sqrt_f16(x: &mut Lane, s0: u16) -> u16 { sqrt::<F16>(x, s0) }
    fn v_rcp_f32(x: &mut Lane, s0: u32) -> u32 => fast::v_rcp_f32 { rcp::<F32>(x, s0) }
    fn v_rsq_f32(x: &mut Lane, s0: u32) -> u32 => fast::v_rsq_f32 { rsq::<F32>(x, s0) }
    fn v_sqrt_f32(x: &mut Lane, s0: u32) -> u32 => fast::v_sqrt_f32 { sqrt::<F32>(x, s0) }
    fn v_rcp_f64(x: &mut Lane, s0: u64) -> u64 { rcp::<F64>(x, s0) }
    fn v_rsq_f64(x: &mut Lane, s0: u64) -> u64 { rsq::<F64>(x, s0) }
    fn v_sqrt_f64(x: &mut Lane, s0: u64) -> u64 { sqrt::<F64>(x, s0) }
    fn v_exp_f16(x: &mut Lane, s0: u16) -> u16 { exp::<F16>(x, s0) }
    fn v_log_f16(x: &mut Lane, s0: u16) -> u16 { log::<F16>(x, s0) }
    fn v_sin_f16(x: &mut Lane, s0: u16) -> u16 { sin::<F16>(x, s0) }
    fn v_cos_f16(x: &mut Lane, s0: u16) -> u16 { cos::<F16>(x, s0) }
    fn v_exp_f32(x: &mut Lane, s0: u32) -> u32 => fast::v_exp_f32 { exp::<F32>(x, s0) }
    fn v_log_f32(x: &mut Lane, s0: u32) -> u32 => fast::v_log_f32 { log::<F32>(x, s0) }
    fn v_sin_f32(x: &mut Lane, s0: u32) -> u32 => fast::v_sin_f32 { sin::<F32>(x, s0) }
    fn v_cos_f32(x: &mut Lane, s0: u32) -> u32 => fast::v_cos_f32 { cos::<F32>(x, s0) }

    fn v_rcp_iflag_f32(x: &mut Lane, s0: u32) -> u32 => fast::v_rcp_f32 {
        // The IFLAG form raises other exceptions, which are not modelled.
        rcp::<F32>(x, s0)
    }

    fn v_exp_legacy_f32(x: &mut Lane, s0: u32) -> u32 => fast::v_exp_f32 { exp::<F32>(x, s0) }
    fn v_log_legacy_f32(x: &mut Lane, s0: u32) -> u32 => fast::v_log_f32 { log::<F32>(x, s0) }
    fn v_rcp_clamp_f32(x: &mut Lane, s0: u32) -> u32 { finite::<F32>(rcp::<F32>(x, s0)) }
    fn v_rcp_clamp_f64(x: &mut Lane, s0: u64) -> u64 { finite::<F64>(rcp::<F64>(x, s0)) }
    fn v_rsq_clamp_f32(x: &mut Lane, s0: u32) -> u32 { finite::<F32>(rsq::<F32>(x, s0)) }
    fn v_rsq_clamp_f64(x: &mut Lane, s0: u64) -> u64 { finite::<F64>(rsq::<F64>(x, s0)) }

    fn v_log_clamp_f32(x: &mut Lane, s0: u32) -> u32 {
        // +infinity stays.
        let log = log::<F32>(x, s0);
        if log == f32::NEG_INFINITY.to_bits() { f32::MIN.to_bits() } else { log }
    }

    fn v_rcp_legacy_f32(x: &mut Lane, s0: u32) -> u32 { infinity_to_zero(rcp::<F32>(x, s0)) }
    fn v_rsq_legacy_f32(x: &mut Lane, s0: u32) -> u32 { infinity_to_zero(rsq::<F32>(x, s0)) }
}

/// An infinity becomes the greatest finite number of its sign.
fn finite<F: Format>(bits: F::Bits) -> F::Bits {
    let pattern = bits.into();
    F::bits(if F::is_infinite(pattern) { pattern - 1 } else { pattern })
}

/// An infinity becomes the zero of its sign.
fn infinity_to_zero(bits: u32) -> u32 {
    if F32::is_infinite(bits.into()) { bits & F32::SIGN as u32 } else { bits }
}
