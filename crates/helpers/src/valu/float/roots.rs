//! Reciprocals and square roots, correctly rounded to nearest even: docs/gcn/valu-float.md#transcendental-functions.
//!
//! Integer division and square roots give more bits than the format has, and say whether there is a remainder.

use super::super::notes::{SQRT_NEG_ZERO, TRANSCENDENTAL_APPROX};
use super::format::*;
use super::soft::{Num, finish};
use super::{Env, FloatMode};

/// The environment of approximate instructions: binary32 always flushes, and MODE's rounding has no effect.
pub(super) fn approximate_env<F: Format>(m: &FloatMode) -> Env {
    let env = F::env(m).nearest();
    if F::WIDTH == 32 { env.flushing() } else { env }
}

/// Applies a function of one source: handles NaNs, flushing and rounding. An `Err` of the function is the final result.
pub(super) fn approximate<F: Format>(
    m: &FloatMode,
    env: Env,
    s0: u64,
    notes: &mut u32,
    function: impl FnOnce(u64) -> Result<Num, u64>,
) -> u64 {
    *notes |= TRANSCENDENTAL_APPROX;
    let s0 = flush::<F>(env, s0);
    if is_nan::<F>(s0) {
        return nan_result::<F>(m, s0, notes);
    }
    match function(s0) {
        Ok(number) => finish::<F>(m, env, number, notes),
        Err(special) => special,
    }
}

/// 1 / x of a number that is not zero.
fn reciprocal<F: Format>(x: Num) -> Num {
    if x.significand == 1 << 63 {
        return Num { exponent: -x.exponent, ..x };
    }
    if F::FRACTION <= 23 {
        // The significand is s / 2^23.
        let s = x.significand >> 40;
        Num::above_integer(x.negative, (1 << 62) / s, 23 - 62 - x.exponent)
    } else {
        let quotient = (1u128 << 127) / u128::from(x.significand);
        Num::above_integer(x.negative, quotient as u64, 63 - 127 - x.exponent)
    }
}

/// The square root of a positive number.
fn square_root<F: Format>(x: Num) -> Num {
    let odd = x.exponent & 1;
    let half = x.exponent >> 1;
    let (root, exact, lowest) = if F::FRACTION <= 23 {
        let radicand = (x.significand >> 32) << (31 + odd);
        let root = radicand.isqrt();
        (root, root * root == radicand, half - 31)
    } else {
        let radicand = u128::from(x.significand) << (63 + odd);
        let root = radicand.isqrt();
        (root as u64, root * root == radicand, half - 63)
    };
    if exact { Num::from_integer(false, root.into(), lowest) } else { Num::above_integer(false, root, lowest) }
}

/// 1 / sqrt(x) of a positive number. It is exact only for powers of four.
fn reciprocal_root<F: Format>(x: Num) -> Num {
    let odd = x.exponent & 1;
    let half = x.exponent >> 1;
    if x.significand == 1 << 63 && odd == 0 {
        return Num { exponent: -half, ..x };
    }
    // The integer square root of a quotient's integer part is the integer part of the quotient's root.
    if F::FRACTION <= 23 {
        let s = (x.significand >> 40) << odd;
        let quotient = (1u128 << (23 + 64)) / u128::from(s);
        Num::above_integer(false, (quotient as u64).isqrt(), -32 - half)
    } else {
        let s = u128::from(x.significand >> 11) << odd;
        let (high, rest) = ((1u128 << 127) / s, (1u128 << 127) % s);
        let quotient = (high << 37) | ((rest << 37) / s);
        Num::above_integer(false, quotient.isqrt() as u64, (52 - 127 - 37) / 2 - half)
    }
}

fn rcp<F: Format>(m: &FloatMode, s0: u64, notes: &mut u32) -> u64 {
    approximate::<F>(m, approximate_env::<F>(m), s0, notes, |x| match () {
        () if is_zero::<F>(x) => Err(x | F::INF),
        () if is_inf::<F>(x) => Err(x & F::SIGN),
        () => Ok(reciprocal::<F>(Num::unpack::<F>(x))),
    })
}

fn rsq<F: Format>(m: &FloatMode, s0: u64, notes: &mut u32) -> u64 {
    approximate::<F>(m, approximate_env::<F>(m), s0, notes, |x| match () {
        () if is_zero::<F>(x) => Err(x | F::INF),
        () if is_negative::<F>(x) => Err(F::QNAN),
        () if is_inf::<F>(x) => Err(0),
        () => Ok(reciprocal_root::<F>(Num::unpack::<F>(x))),
    })
}

fn sqrt<F: Format>(m: &FloatMode, s0: u64, notes: &mut u32) -> u64 {
    let mut negative_zero = false;
    let root = approximate::<F>(m, approximate_env::<F>(m), s0, notes, |x| match () {
        () if is_zero::<F>(x) => {
            negative_zero = is_negative::<F>(x);
            Err(x)
        }
        () if is_negative::<F>(x) => Err(F::QNAN),
        () if is_inf::<F>(x) => Err(x),
        () => Ok(square_root::<F>(Num::unpack::<F>(x))),
    });
    if negative_zero {
        *notes |= SQRT_NEG_ZERO;
    }
    root
}

/// Infinity becomes the largest number.
pub(super) fn clamp_infinity<F: Format>(x: u64) -> u64 {
    if is_inf::<F>(x) { x - 1 } else { x }
}

fn rcp_clamp<F: Format>(m: &FloatMode, s0: u64, notes: &mut u32) -> u64 {
    clamp_infinity::<F>(rcp::<F>(m, s0, notes))
}

fn rsq_clamp<F: Format>(m: &FloatMode, s0: u64, notes: &mut u32) -> u64 {
    clamp_infinity::<F>(rsq::<F>(m, s0, notes))
}

/// Infinity becomes zero with its sign.
fn drop_infinity<F: Format>(x: u64) -> u64 {
    if is_inf::<F>(x) { x & F::SIGN } else { x }
}

fn rcp_legacy<F: Format>(m: &FloatMode, s0: u64, notes: &mut u32) -> u64 {
    drop_infinity::<F>(rcp::<F>(m, s0, notes))
}

fn rsq_legacy<F: Format>(m: &FloatMode, s0: u64, notes: &mut u32) -> u64 {
    drop_infinity::<F>(rsq::<F>(m, s0, notes))
}

lanes! { F32 u32:
    /// 1 / S0.
    v_rcp_f32(s0) = rcp;
    /// 1 / S0; the exceptions it would raise differ from V_RCP_F32.
    v_rcp_iflag_f32(s0) = rcp;
    /// 1 / S0, infinity clamped to the largest number.
    v_rcp_clamp_f32(s0) = rcp_clamp;
    /// 1 / S0, infinity replaced by zero.
    v_rcp_legacy_f32(s0) = rcp_legacy;
    /// 1 / sqrt(S0).
    v_rsq_f32(s0) = rsq;
    /// 1 / sqrt(S0), infinity clamped to the largest number.
    v_rsq_clamp_f32(s0) = rsq_clamp;
    /// 1 / sqrt(S0), infinity replaced by zero.
    v_rsq_legacy_f32(s0) = rsq_legacy;
    /// sqrt(S0).
    v_sqrt_f32(s0) = sqrt;
}

lanes! { F64 u64:
    /// 1 / S0.
    v_rcp_f64(s0) = rcp;
    /// 1 / S0, infinity clamped to the largest number.
    v_rcp_clamp_f64(s0) = rcp_clamp;
    /// 1 / sqrt(S0).
    v_rsq_f64(s0) = rsq;
    /// 1 / sqrt(S0), infinity clamped to the largest number.
    v_rsq_clamp_f64(s0) = rsq_clamp;
    /// sqrt(S0).
    v_sqrt_f64(s0) = sqrt;
}

lanes! { F16 u16:
    /// 1 / S0.
    v_rcp_f16(s0) = rcp;
    /// 1 / sqrt(S0).
    v_rsq_f16(s0) = rsq;
    /// sqrt(S0).
    v_sqrt_f16(s0) = sqrt;
}
