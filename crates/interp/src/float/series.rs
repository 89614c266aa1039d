//! 2^x, log2, and sine and cosine of revolutions, to 58 bits or better, by power series in fixed point.
//!
//! That is enough to round the result for every binary16 and binary32 argument correctly. Results were compared with
//! quadruple precision; `tests/hard.rs` has the hardest arguments and says which were tried.

use super::Round;
use super::number::Number;

/// Bits after the point of fixed-point numbers, which lie in \[-2, 2).
const POINT: i32 = 62;
const ONE: i64 = 1 << POINT;

/// ln 2.
const LN_2: i64 = 0x2c5c_85fd_f473_de6b;
/// 2 / ln 2 with 61 bits after the point.
const TWO_OVER_LN_2: u64 = 0x5c55_1d94_ae0b_f85e;
/// 2 pi with 61 bits after the point.
const TWO_PI: u64 = 0xc90f_daa2_2168_c235;

/// Coefficients of `sum(x^k / k!)`, or of its even (`first` 0) or odd (1) terms with alternating signs.
const fn factorials<const N: usize>(first: i64, step: usize, sign: i64) -> [i64; N] {
    let mut terms = [ONE; N];
    let mut i = 1;
    while i < N {
        let k = first + (i * step) as i64;
        terms[i] = sign * terms[i - 1] / k;
        if step == 2 {
            terms[i] /= k - 1;
        }
        i += 1;
    }
    terms
}

const EXP: [i64; 19] = factorials(0, 1, 1);
const COS: [i64; 11] = factorials(0, 2, -1);
const SIN: [i64; 11] = factorials(1, 2, -1);

/// Coefficients of `atanh(x) / x` in powers of x^2.
const ATANH: [i64; 14] = {
    let mut terms = [ONE; 14];
    let mut i = 1;
    while i < terms.len() {
        terms[i] = ONE / (2 * i as i64 + 1);
        i += 1;
    }
    terms
};

/// The product in fixed point.
fn times(a: i64, b: i64) -> i64 {
    ((i128::from(a) * i128::from(b)) >> POINT) as i64
}

/// `sum(terms[k] * x^k)`
fn polynomial(terms: &[i64], x: i64) -> i64 {
    terms.iter().rev().fold(0, |sum, &term| term + times(sum, x))
}

/// A positive fixed-point number.
fn number(fixed: i64) -> Number {
    Number { negative: false, exponent: -POINT, significand: fixed as u128 }
}

/// 2^x. For great x the result is out of every format's range.
pub(super) fn exp2(x: Number) -> Number {
    if !x.is_zero() && x.leading() >= 12 {
        return Number { negative: false, exponent: if x.negative { -1 << 13 } else { 1 << 13 }, significand: 1 };
    }
    // x = integer + rest, rest in [-0.5, 0.5]
    let integer = x.rounded_to(0, Round::Nearest) as i32;
    let integer = if x.negative { -integer } else { integer };
    let rest = x.plus(Number::integer((-integer).into()), Round::Nearest);
    let rest = rest.rounded_to(-POINT, Round::Nearest) as i64 * if rest.negative { -1 } else { 1 };
    number(polynomial(&EXP, times(rest, LN_2))).scaled(integer)
}

/// log2 of a positive number with at most 53 digits.
pub(super) fn log2(x: Number) -> Number {
    // x = m * 2^e with m in [0.7, 1.4]; both m + 1 and m - 1 have the digits of x.
    let width = u128::BITS - x.significand.leading_zeros();
    let is_high = x.significand << (60 - width) > 0xb50_4f33_0000_0000;
    let point = width - 1 + is_high as u32;
    let e = Number::integer((x.exponent + point as i32).into());
    let one = 1u128 << point;
    let (numerator, denominator) = (x.significand.abs_diff(one), x.significand + one);
    if numerator == 0 {
        return e;
    }
    // log2(m) = 2/ln(2) * atanh(s), where s = (m - 1) / (m + 1) has at least 60 digits.
    let shift = numerator.leading_zeros() - 1;
    let quotient = (numerator << shift) / denominator;
    let down = u128::BITS - quotient.leading_zeros() - 60;
    let s =
        Number { negative: x.significand < one, exponent: down as i32 - shift as i32, significand: quotient >> down };
    let s_fixed = s.rounded_to(-POINT, Round::Zero) as i64;
    let series = polynomial(&ATANH, times(s_fixed, s_fixed));
    let atanh = (s.significand * series as u128) >> POINT;
    let log = Number { exponent: s.exponent - 61, significand: atanh * u128::from(TWO_OVER_LN_2), ..s };
    // A sum has room for these digits, and they are more than are right.
    let log = Number { significand: log.significand >> 20, exponent: log.exponent + 20, ..log };
    log.plus(e, Round::Nearest)
}

/// sin(2 pi x) for a binary16 or binary32 number x that is not negative; zeros are +0.
pub(super) fn sin_revolutions(x: Number) -> Number {
    quadrant(x, 0)
}

/// cos(2 pi x) for a binary16 or binary32 number x that is not negative; zeros are +0.
pub(super) fn cos_revolutions(x: Number) -> Number {
    quadrant(x, 1)
}

/// Sine of x and `quarters` quarters of a revolution.
fn quadrant(x: Number, quarters: u128) -> Number {
    // x = nearest / 4 + rest, rest in [-1/8, 1/8]
    let (nearest, rest) = if x.exponent >= 0 {
        (0, Number::integer(0))
    } else {
        let nearest = x.rounded_to(-2, Round::Nearest);
        (nearest, x.plus(Number::integer(-(nearest as i64)).scaled(-2), Round::Nearest))
    };
    match (nearest + quarters) & 3 {
        0 => sin(rest),
        1 => cos(rest),
        2 => sin(rest.with_sign(!rest.negative)),
        _ => cos(rest).with_sign(true),
    }
}

/// The angle of a part of a revolution, with 64 digits.
fn angle(rest: Number) -> Number {
    let product = normalised(rest.significand) * u128::from(TWO_PI);
    let exponent = rest.exponent - rest.significand.leading_zeros() as i32 + 64 - 61;
    Number { exponent: exponent + 64, significand: product >> 64, ..rest }
}

/// The digits shifted to the upper end of 64 bits.
fn normalised(significand: u128) -> u128 {
    significand << significand.leading_zeros() >> 64
}

/// The square in fixed point.
fn squared(angle: Number) -> i64 {
    let fixed = angle.rounded_to(-POINT, Round::Nearest) as i64;
    times(fixed, fixed)
}

/// The sine of at most an eighth of a revolution.
fn sin(rest: Number) -> Number {
    if rest.is_zero() {
        return Number::integer(0);
    }
    let angle = angle(rest);
    let series = polynomial(&SIN, squared(angle));
    Number { exponent: angle.exponent - POINT, significand: angle.significand * series as u128, ..angle }
}

/// The cosine of at most an eighth of a revolution.
fn cos(rest: Number) -> Number {
    if rest.is_zero() { Number::integer(1) } else { number(polynomial(&COS, squared(angle(rest)))) }
}
