//! 2^x, log2, sine and cosine of whole registers by power series in binary64. They are good to 50 bits or more, and 24
//! are needed. If an error in the 48th bit would change the rounded result, the register is declined (one number in
//! eight million).
//!
//! [`series`](crate::float::series) computes the same with more digits.

use multiversion::multiversion;

use super::{Fp, INFINITY, Lane, Lanes, MIN_NORMAL, SIGN, each, equals, float, flush, is_nan};

const LN_2: f64 = std::f64::consts::LN_2;
const TWO_PI: f64 = 2.0 * std::f64::consts::PI;
/// An upper bound for the error of a series.
const ERROR: f64 = 1.0 / (1u64 << 48) as f64;
/// 1.5 * 2^52. In a sum with it the last place has the weight 1, so the lower bits are those of the integer that was
/// added.
const INTEGER: f64 = 6_755_399_441_055_744.0;

/// Coefficients of `sum(scale^k * x^k / k!)` for k = first, first + step, ...
const fn factorials<const N: usize>(scale: f64, first: usize, step: usize, sign: f64) -> [f64; N] {
    let mut terms = [0.0; N];
    let (mut term, mut k, mut i) = (1.0, 0, 0);
    while i < N {
        while k < first + i * step {
            k += 1;
            term = term * scale / k as f64;
        }
        terms[i] = if i % 2 == 1 { sign * term } else { term };
        i += 1;
    }
    terms
}

const EXP: [f64; 14] = factorials(LN_2, 0, 1, 1.0);
const SIN: [f64; 9] = factorials(TWO_PI, 1, 2, -1.0);
const COS: [f64; 10] = factorials(TWO_PI, 0, 2, -1.0);

/// Coefficients of `2 / ln(2) * atanh(x) / x` in powers of x^2.
const LOG: [f64; 11] = {
    let mut terms = [0.0; 11];
    let mut i = 0;
    while i < terms.len() {
        terms[i] = 2.0 / LN_2 / (2 * i + 1) as f64;
        i += 1;
    }
    terms
};

/// `sum(terms[k] * x^k)`
#[inline(always)]
fn polynomial<const N: usize>(terms: &[f64; N], x: f64) -> f64 {
    let mut sum = terms[N - 1];
    for i in (0..N - 1).rev() {
        sum = sum * x + terms[i];
    }
    sum
}

/// The number rounded to binary32. It is in doubt if it lies too near to the middle of two binary32 numbers.
#[inline(always)]
fn rounded(number: f64) -> Lane {
    let [low, high] = [1.0 - ERROR, 1.0 + ERROR].map(|bound| ((number * bound) as f32).to_bits());
    (low, low.wrapping_sub(high) | high.wrapping_sub(low))
}

fast! {
    /// V_EXP_F32 and V_EXP_LEGACY_F32.
    fn v_exp_f32(fp, a, b, c, d) {
        each(a, b, c, d, |a, _, _| {
            // Beyond these bounds the result is infinite or flushed.
            let x = f64::from(float(a));
            let x = if x < 200.0 { x } else { 200.0 };
            let x = if x > -200.0 { x } else { -200.0 };
            let integer = x + INTEGER;
            let power = polynomial(&EXP, x - (integer - INTEGER));
            // The integer is added to the exponent field.
            let number = f64::from_bits(power.to_bits().wrapping_add(integer.to_bits() << 52));
            let (result, doubt) = rounded(number);
            (flush::<true>(result), doubt | is_nan(a))
        })
    }

    /// V_LOG_F32 and V_LOG_LEGACY_F32, for positive normal numbers only.
    fn v_log_f32(fp, a, b, c, d) {
        each(a, b, c, d, |a, _, _| {
            // a = m * 2^e with m in [0.7, 1.4]
            let e = (a.wrapping_sub(0x3f35_04f3) as i32) >> 23;
            let m = f64::from(float(a.wrapping_sub((e as u32) << 23)));
            let s = (m - 1.0) / (m + 1.0);
            let (result, doubt) = rounded(f64::from(e) + s * polynomial(&LOG, s * s));
            (result, doubt | a | a.wrapping_sub(MIN_NORMAL) | (INFINITY - 1).wrapping_sub(a))
        })
    }

    /// V_SIN_F32, for numbers up to 256.
    fn v_sin_f32(fp, a, b, c, d) {
        match fp.in_f32 {
            true => each(a, b, c, d, |a, _, _| sine(a, 0)),
            false => each(a, b, c, d, |a, _, _| sine(flush::<true>(a), 0)),
        }
    }

    /// V_COS_F32, for numbers up to 256.
    fn v_cos_f32(fp, a, b, c, d) {
        each(a, b, c, d, |a, _, _| sine(flush::<true>(a), 1))
    }
}

/// The sine of `a` revolutions plus some quarters of one.
#[inline(always)]
fn sine(a: u32, quarters: u64) -> Lane {
    // x = nearest / 4 + rest, rest in [-1/8, 1/8]
    let x = f64::from(float(a));
    let nearest = x * 4.0 + INTEGER;
    let rest = x - (nearest - INTEGER) * 0.25;
    let square = rest * rest;
    let (sin, cos) = (rest * polynomial(&SIN, square), polynomial(&COS, square));
    let quadrant = nearest.to_bits().wrapping_add(quarters);
    let number = if quadrant & 1 == 1 { cos } else { sin };
    let number = if quadrant & 2 == 2 { -number } else { number };
    // The sum makes -0 a +0.
    let (result, doubt) = rounded(number + 0.0);
    let magnitude = result & !SIGN;
    // Results near the denormals are in doubt, because MODE may flush them.
    let tiny = magnitude.wrapping_sub(MIN_NORMAL + 1) & !equals(magnitude, 0);
    (result, doubt | tiny | 0x4380_0000u32.wrapping_sub(a & !SIGN))
}
