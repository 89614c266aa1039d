//! 2^x and log2(x), correctly rounded to nearest even: docs/gcn/valu-float.md#transcendental-functions.
//!
//! Both are series in fixed point with an error below 2^-60 of the result. Even the hardest arguments of binary32 and
//! binary16 need less: all of them were compared with binary128 (crates/helpers/tests/lanes/float/mod.rs says how).

use super::FloatMode;
use super::format::*;
use super::roots::{approximate, approximate_env, clamp_infinity};
use super::soft::Num;

/// The high half of a product: of two fractions in units of 2^-64, or of such a fraction and a number in other units.
pub(super) const fn mul_high(a: u64, b: u64) -> u64 {
    ((a as u128 * b as u128) >> 64) as u64
}

/// 1 in units of 2^-63.
pub(super) const ONE: u64 = 1 << 63;

/// A number just below 1.
pub(super) const BELOW_ONE: Num = Num { negative: false, exponent: -1, significand: u64::MAX };

/// ln 2 in units of 2^-128.
const LN_2: u128 = 0xb172_17f7_d1cf_79ab_c9e3_b398_03f2_f6af;

/// Coefficients of 2^x: (ln 2)^k / k!, in units of 2^-63.
const EXP: [u64; 17] = {
    let mut coefficients = [ONE; 17];
    let mut term = LN_2;
    let mut k = 1;
    while k < coefficients.len() {
        coefficients[k] = ((term >> 64).div_ceil(2)) as u64;
        k += 1;
        term = (term >> 64) * (LN_2 >> 64) / k as u128;
    }
    coefficients
};

/// 2^x of a binary32 or binary16 number.
fn exp2(x: Num) -> Num {
    if x.exponent >= 12 {
        // An exponent so large is far out of either range.
        return Num { negative: false, exponent: if x.negative { -4096 } else { 4096 }, significand: ONE };
    }
    if x.is_zero() {
        return Num { negative: false, exponent: 0, significand: ONE };
    }
    if x.exponent < -30 {
        // The result is nearer to 1 than half a unit in the last place.
        return if x.negative { BELOW_ONE } else { Num::above_integer(false, 1, 0) };
    }
    // x is in units of 2^-64, which is exact: its lowest bit is not below 2^-53.
    let size = match x.exponent + 1 {
        up @ 0.. => i128::from(x.significand) << up,
        down => i128::from(x.significand >> -down),
    };
    let fixed = if x.negative { -size } else { size };
    let power = ((fixed + (1 << 63)) >> 64) as i32;
    let rest = (fixed - (i128::from(power) << 64)) as i64;
    if rest == 0 {
        return Num { negative: false, exponent: power, significand: ONE };
    }
    let mut sum = 0;
    for &coefficient in EXP.iter().rev() {
        let product = mul_high(sum, rest.unsigned_abs());
        sum = if rest < 0 { coefficient - product } else { coefficient + product };
    }
    Num::above_integer(false, sum, power - 63)
}

/// 2 / ln 2 as a number with this significand and exponent 1.
const TWO_BY_LN_2: u64 = 0xb8aa_3b29_5c17_f0bc;

/// The significand of sqrt(2).
const SQRT_2: u64 = 0xb504_f333_f9de_6484;

/// Coefficients 1 / (2k + 1), k from 1, in units of 2^-64.
const ATANH: [u64; 13] = {
    let mut coefficients = [0; 13];
    let mut k = 0;
    while k < coefficients.len() {
        coefficients[k] = u64::MAX / (2 * k as u64 + 3);
        k += 1;
    }
    coefficients
};

/// log2 of a positive binary32 or binary16 number: log2(c) = 2 / ln 2 * atanh(s) with s = (c - 1) / (c + 1).
fn log2(x: Num) -> Num {
    // x = c * 2^power, with c between sqrt(1/2) and sqrt(2), and c = significand / one.
    let halve = x.significand > SQRT_2;
    let power = x.exponent + i32::from(halve);
    let one = u128::from(ONE) << u32::from(halve);
    let c = u128::from(x.significand);
    let difference = c.abs_diff(one) as u64;
    if difference == 0 {
        return Num::from_integer(power < 0, power.unsigned_abs().into(), 0);
    }
    let zeros = difference.leading_zeros();
    let (dividend, divisor) = (u128::from(difference << zeros) << 64, c + one);
    let quotient = ((dividend / divisor) << 32) | (((dividend % divisor) << 32) / divisor);
    let s = Num::from_integer(halve, quotient, -96 - zeros as i32);
    // s is at most 0.172, so its exponent is at most -3.
    let fixed = s.significand.checked_shr((-1 - s.exponent) as u32).unwrap_or(0);
    let square = mul_high(fixed, fixed);
    let mut tail = 0;
    for &coefficient in ATANH.iter().rev() {
        tail = mul_high(coefficient + tail, square);
    }
    let product = u128::from(s.significand) * u128::from(TWO_BY_LN_2);
    let log = product + (product >> 64) * u128::from(tail);
    let lowest = s.exponent - 63 + 1 - 63;
    if power == 0 {
        return Num::from_integer(s.negative, log | 1, lowest);
    }
    // The power is added in units of 2^-116.
    let log = log.checked_shr((-116 - lowest) as u32).unwrap_or(0) as i128;
    let sum = (i128::from(power) << 116) + if s.negative { -log } else { log };
    Num::from_integer(sum < 0, sum.unsigned_abs() | 1, -116)
}

fn exp<F: Format>(m: &FloatMode, s0: u64, notes: &mut u32) -> u64 {
    approximate::<F>(m, approximate_env::<F>(m), s0, notes, |x| match () {
        () if is_inf::<F>(x) => Err(if is_negative::<F>(x) { 0 } else { x }),
        () => Ok(exp2(Num::unpack::<F>(x))),
    })
}

fn log<F: Format>(m: &FloatMode, s0: u64, notes: &mut u32) -> u64 {
    approximate::<F>(m, approximate_env::<F>(m), s0, notes, |x| match () {
        () if is_zero::<F>(x) => Err(F::SIGN | F::INF),
        () if is_negative::<F>(x) => Err(F::QNAN),
        () if is_inf::<F>(x) => Err(x),
        () => Ok(log2(Num::unpack::<F>(x))),
    })
}

/// -infinity becomes -MAX.
fn log_clamp<F: Format>(m: &FloatMode, s0: u64, notes: &mut u32) -> u64 {
    let log = log::<F>(m, s0, notes);
    if is_negative::<F>(log) { clamp_infinity::<F>(log) } else { log }
}

lanes! { F32 u32:
    /// 2^S0.
    v_exp_f32(s0) = exp;
    /// 2^S0; less accurate on hardware.
    v_exp_legacy_f32(s0) = exp;
    /// log2(S0).
    v_log_f32(s0) = log;
    /// log2(S0); less accurate on hardware.
    v_log_legacy_f32(s0) = log;
    /// log2(S0), -infinity clamped to -MAX.
    v_log_clamp_f32(s0) = log_clamp;
}

lanes! { F16 u16:
    /// 2^S0.
    v_exp_f16(s0) = exp;
    /// log2(S0).
    v_log_f16(s0) = log;
}
