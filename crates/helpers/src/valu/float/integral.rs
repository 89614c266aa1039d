//! Rounding to integers, fractions, exponents: docs/gcn/valu-float.md#rounding-fractions-exponents, LDEXP
//! docs/gcn/valu-float.md#arithmetic.

use gcnsim_isa::Arch;

use super::super::notes::{FRACT_GFX6, FREXP_NONFINITE_GFX6};
use super::format::*;
use super::soft::{self, Num, finish};
use super::{FloatMode, Rounding};

/// A number, which is not a NaN, rounded to an integer. The sign is kept.
pub(super) fn to_integral<F: Format>(x: u64, rounding: Rounding) -> u64 {
    let (sign, size) = (x & F::SIGN, magnitude::<F>(x));
    let up = match rounding {
        Rounding::Up => sign == 0,
        Rounding::Down => sign != 0,
        Rounding::Nearest | Rounding::Zero => false,
    };
    match exponent::<F>(x) - F::BIAS {
        ..0 => {
            let one = if rounding == Rounding::Nearest {
                // Above 1/2 it is 1. A tie goes to 0.
                size > F::ONE - F::MIN_NORMAL
            } else {
                up && size != 0
            };
            sign | if one { F::ONE } else { 0 }
        }
        power if power < F::FRACTION as i32 => {
            // A carry out of the fraction correctly raises the exponent.
            let unit = F::MIN_NORMAL >> power;
            let bias = match rounding {
                Rounding::Nearest => unit / 2 - 1 + u64::from(size & unit != 0 || unit == F::MIN_NORMAL),
                _ if up => unit - 1,
                _ => 0,
            };
            sign | (size + bias) & !(unit - 1)
        }
        _ => x,
    }
}

fn round<F: Format>(m: &FloatMode, s0: u64, rounding: Rounding, notes: &mut u32) -> u64 {
    let s0 = flush::<F>(F::env(m), s0);
    if is_nan::<F>(s0) { nan_result::<F>(m, s0, notes) } else { to_integral::<F>(s0, rounding) }
}

fn trunc<F: Format>(m: &FloatMode, s0: u64, notes: &mut u32) -> u64 {
    round::<F>(m, s0, Rounding::Zero, notes)
}

fn ceil<F: Format>(m: &FloatMode, s0: u64, notes: &mut u32) -> u64 {
    round::<F>(m, s0, Rounding::Up, notes)
}

fn floor<F: Format>(m: &FloatMode, s0: u64, notes: &mut u32) -> u64 {
    round::<F>(m, s0, Rounding::Down, notes)
}

fn rndne<F: Format>(m: &FloatMode, s0: u64, notes: &mut u32) -> u64 {
    round::<F>(m, s0, Rounding::Nearest, notes)
}

/// x - floor(x), below 1.
fn fract<F: Format>(m: &FloatMode, s0: u64, notes: &mut u32) -> u64 {
    let env = F::env(m);
    let s0 = flush::<F>(env, s0);
    if is_nan::<F>(s0) {
        return nan_result::<F>(m, s0, notes);
    }
    if is_inf::<F>(s0) {
        return F::QNAN;
    }
    let floor = Num::unpack::<F>(to_integral::<F>(s0, Rounding::Down));
    let exact = soft::add(Num::unpack::<F>(s0), floor.negated(), env.rounding);
    // The difference is never negative, but may be -0 if MODE rounds down.
    let result = magnitude::<F>(finish::<F>(m, env, exact, notes)).min(F::ONE - 1);
    if m.arch == Arch::Gcn10 && is_negative::<F>(s0) && result == F::ONE - 1 {
        *notes |= FRACT_GFX6;
    }
    result
}

fn note_nonfinite<F: Format>(m: &FloatMode, s0: u64, notes: &mut u32) {
    if m.arch == Arch::Gcn10 && magnitude::<F>(s0) >= F::INF {
        *notes |= FREXP_NONFINITE_GFX6;
    }
}

/// The significand in \[0.5, 1), with the sign.
fn frexp_mant<F: Format>(m: &FloatMode, s0: u64, notes: &mut u32) -> u64 {
    let s0 = flush::<F>(F::env(m), s0);
    note_nonfinite::<F>(m, s0, notes);
    if is_nan::<F>(s0) {
        return nan_result::<F>(m, s0, notes);
    }
    if is_inf::<F>(s0) || is_zero::<F>(s0) {
        return s0;
    }
    let number = Num { exponent: -1, ..Num::unpack::<F>(s0) };
    finish::<F>(m, F::env(m), number, notes)
}

/// The exponent that belongs to [`frexp_mant`].
fn frexp_exp<F: Format>(m: &FloatMode, s0: u64, notes: &mut u32) -> i32 {
    let s0 = flush::<F>(F::env(m), s0);
    note_nonfinite::<F>(m, s0, notes);
    if magnitude::<F>(s0) >= F::INF || is_zero::<F>(s0) { 0 } else { Num::unpack::<F>(s0).exponent + 1 }
}

/// S0 * 2^power with one rounding.
fn ldexp<F: Format>(m: &FloatMode, s0: u64, power: i32, notes: &mut u32) -> u64 {
    let env = F::env(m);
    let s0 = flush::<F>(env, s0);
    if is_nan::<F>(s0) {
        return nan_result::<F>(m, s0, notes);
    }
    if is_inf::<F>(s0) {
        return s0;
    }
    // The limit exceeds the distance of any two exponents of a format.
    let power = power.clamp(-10_000, 10_000);
    finish::<F>(m, env, Num::unpack::<F>(s0).scaled(power), notes)
}

lanes! { F32 u32:
    /// The integer part.
    v_trunc_f32(s0) = trunc;
    /// The integer not below.
    v_ceil_f32(s0) = ceil;
    /// The integer not above.
    v_floor_f32(s0) = floor;
    /// The nearest integer, ties to even.
    v_rndne_f32(s0) = rndne;
    /// S0 - floor(S0), rounded by MODE but below 1.
    v_fract_f32(s0) = fract;
    /// The significand in \[0.5, 1), with the sign.
    v_frexp_mant_f32(s0) = frexp_mant;
}

lanes! { F64 u64:
    /// The integer part.
    v_trunc_f64(s0) = trunc;
    /// The integer not below.
    v_ceil_f64(s0) = ceil;
    /// The integer not above.
    v_floor_f64(s0) = floor;
    /// The nearest integer, ties to even.
    v_rndne_f64(s0) = rndne;
    /// S0 - floor(S0), rounded by MODE but below 1.
    v_fract_f64(s0) = fract;
    /// The significand in \[0.5, 1), with the sign.
    v_frexp_mant_f64(s0) = frexp_mant;
}

lanes! { F16 u16:
    /// The integer part.
    v_trunc_f16(s0) = trunc;
    /// The integer not below.
    v_ceil_f16(s0) = ceil;
    /// The integer not above.
    v_floor_f16(s0) = floor;
    /// The nearest integer, ties to even.
    v_rndne_f16(s0) = rndne;
    /// S0 - floor(S0), rounded by MODE but below 1.
    v_fract_f16(s0) = fract;
    /// The significand in \[0.5, 1), with the sign.
    v_frexp_mant_f16(s0) = frexp_mant;
}

/// The power of two by which S0 exceeds its significand in \[0.5, 1), as an i32; 0 for zero, infinity and NaN.
pub fn v_frexp_exp_i32_f32(m: &FloatMode, s0: u32, notes: &mut u32) -> u32 {
    frexp_exp::<F32>(m, s0.into(), notes) as u32
}

/// The power of two by which S0 exceeds its significand in \[0.5, 1), as an i32; 0 for zero, infinity and NaN.
pub fn v_frexp_exp_i32_f64(m: &FloatMode, s0: u64, notes: &mut u32) -> u32 {
    frexp_exp::<F64>(m, s0, notes) as u32
}

/// The power of two by which S0 exceeds its significand in \[0.5, 1), as an i16; 0 for zero, infinity and NaN.
pub fn v_frexp_exp_i16_f16(m: &FloatMode, s0: u16, notes: &mut u32) -> u16 {
    frexp_exp::<F16>(m, s0.into(), notes) as u16
}

/// S0 * 2^S1, S1 an i32.
pub fn v_ldexp_f32(m: &FloatMode, s0: u32, s1: u32, notes: &mut u32) -> u32 {
    ldexp::<F32>(m, s0.into(), s1 as i32, notes) as u32
}

/// S0 * 2^S1, S1 an i32.
pub fn v_ldexp_f64(m: &FloatMode, s0: u64, s1: u32, notes: &mut u32) -> u64 {
    ldexp::<F64>(m, s0, s1 as i32, notes)
}

/// S0 * 2^S1, S1 an i16.
pub fn v_ldexp_f16(m: &FloatMode, s0: u16, s1: u16, notes: &mut u32) -> u16 {
    ldexp::<F16>(m, s0.into(), (s1 as i16).into(), notes) as u16
}
