//! Numbers between operation and rounding, in the manner of Berkeley SoftFloat. They have a normalised 64-bit
//! significand whose lowest bit is sticky ("jammed"): it is set if any bit below it was set.
//!
//! 64 bits are at least nine more than any format has, so a jammed significand rounds like the exact one.

use super::super::notes::FP16_OVFL;
use super::format::{Format, exponent, is_negative, magnitude};
use super::{Env, FloatMode, Rounding};

/// (-1)^negative * significand * 2^(exponent - 63); bit 63 of the significand is set unless the number is zero.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Num {
    pub negative: bool,
    pub exponent: i32,
    pub significand: u64,
}

impl Num {
    /// A finite value of a format.
    pub fn unpack<F: Format>(x: u64) -> Num {
        let fraction = magnitude::<F>(x) & (F::MIN_NORMAL - 1);
        let (field, integer) = match exponent::<F>(x) {
            0 => (1, fraction),
            field => (field, fraction | F::MIN_NORMAL),
        };
        let lowest = field - F::BIAS - F::FRACTION as i32;
        Num::from_integer(is_negative::<F>(x), integer.into(), lowest)
    }

    /// The number integer * 2^lowest. An integer of more than 64 bits is jammed.
    pub fn from_integer(negative: bool, integer: u128, lowest: i32) -> Num {
        let zeros = integer.leading_zeros();
        if zeros == 128 {
            return Num { negative, exponent: 0, significand: 0 };
        }
        let normal = integer << zeros;
        let significand = (normal >> 64) as u64 | u64::from(normal as u64 != 0);
        Num { negative, exponent: lowest + 127 - zeros as i32, significand }
    }

    /// A number like that of [`Num::from_integer`] that lies above the integer by less than one unit.
    pub fn above_integer(negative: bool, integer: u64, lowest: i32) -> Num {
        Num::from_integer(negative, u128::from(integer) << 64 | 1, lowest - 64)
    }

    pub fn is_zero(self) -> bool {
        self.significand == 0
    }

    pub fn negated(self) -> Num {
        Num { negative: !self.negative, ..self }
    }

    /// The number times 2^by.
    pub fn scaled(self, by: i32) -> Num {
        Num { exponent: self.exponent + by, ..self }
    }
}

/// `x >> by`, jammed.
fn jam(x: u128, by: u32) -> u128 {
    match by {
        0 => x,
        1..128 => x >> by | u128::from(x << (128 - by) != 0),
        _ => u128::from(x != 0),
    }
}

/// The sum of two significands whose top bits are at bit 126, with the exponents of these bits. Neither is zero.
fn add_wide(a: (bool, i32, u128), b: (bool, i32, u128), rounding: Rounding) -> Num {
    let (high, low) = if (a.1, a.2) >= (b.1, b.2) { (a, b) } else { (b, a) };
    let shifted = jam(low.2, (high.1 - low.1) as u32);
    let sum = if high.0 == low.0 { high.2 + shifted } else { high.2 - shifted };
    let negative = if sum == 0 { rounding == Rounding::Down } else { high.0 };
    Num::from_integer(negative, sum, high.1 - 126)
}

/// The sign of the sum of two zeros.
fn zero_sign(a: bool, b: bool, rounding: Rounding) -> bool {
    if a == b { a } else { rounding == Rounding::Down }
}

/// The sum. `rounding` decides only on the sign of an exact zero.
pub(super) fn add(a: Num, b: Num, rounding: Rounding) -> Num {
    match (a.is_zero(), b.is_zero()) {
        (true, true) => Num { negative: zero_sign(a.negative, b.negative, rounding), ..a },
        (true, false) => b,
        (false, true) => a,
        (false, false) => {
            let wide = |x: Num| (x.negative, x.exponent, u128::from(x.significand) << 63);
            add_wide(wide(a), wide(b), rounding)
        }
    }
}

/// The product.
pub(super) fn mul(a: Num, b: Num) -> Num {
    let product = u128::from(a.significand) * u128::from(b.significand);
    Num::from_integer(a.negative != b.negative, product, a.exponent + b.exponent - 126)
}

/// a * b + c for numbers with at most 53 significant bits. `rounding` decides only on the sign of an exact zero.
pub(super) fn fma(a: Num, b: Num, c: Num, rounding: Rounding) -> Num {
    let negative = a.negative != b.negative;
    let product = u128::from(a.significand) * u128::from(b.significand);
    match (product == 0, c.is_zero()) {
        (true, true) => Num { negative: zero_sign(negative, c.negative, rounding), ..c },
        (true, false) => c,
        (false, true) => mul(a, b),
        (false, false) => {
            // The product has at most 106 bits, so the shift loses none.
            let exponent = a.exponent + b.exponent;
            let product = match product >> 127 {
                0 => (negative, exponent, product),
                _ => (negative, exponent + 1, product >> 1),
            };
            add_wide(product, (c.negative, c.exponent, u128::from(c.significand) << 63), rounding)
        }
    }
}

/// The integer part of `significand / 2^drop`, rounded (`drop` is 1 to 63).
fn round_off(significand: u64, drop: u32, negative: bool, rounding: Rounding) -> u64 {
    let rest = significand & ((1 << drop) - 1);
    let kept = significand >> drop;
    let half = 1 << (drop - 1);
    let up = match rounding {
        Rounding::Nearest => rest > half || rest == half && kept & 1 != 0,
        Rounding::Up => rest != 0 && !negative,
        Rounding::Down => rest != 0 && negative,
        Rounding::Zero => false,
    };
    kept + u64::from(up)
}

/// The result of rounding into a format, besides the pattern.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Outcome {
    /// The result is the rounded number.
    Fits,
    /// The result was too small for a normal number and became zero, but as a denormal it would not be zero.
    Flushed,
    /// The result was too large and became an infinity.
    Overflow,
}

/// Rounds into a format. Without `keep_out`, a result becomes zero if it is below the smallest normal number after
/// rounding with unbounded exponent.
pub(super) fn pack<F: Format>(env: Env, x: Num) -> (u64, Outcome) {
    let sign = if x.negative { F::SIGN } else { 0 };
    if x.is_zero() {
        return (sign, Outcome::Fits);
    }
    let drop = 63 - F::FRACTION;
    let field = x.exponent.saturating_add(F::BIAS);
    let denormal = || {
        let shifted = jam(x.significand.into(), 1i32.saturating_sub(field) as u32) as u64;
        round_off(shifted, drop, x.negative, env.rounding)
    };
    if field < 1 && env.keep_out {
        return (sign | denormal(), Outcome::Fits);
    }
    let rounded = round_off(x.significand, drop, x.negative, env.rounding);
    let carry = i32::from(rounded >> (F::FRACTION + 1) != 0);
    if field + carry < 1 {
        return (sign, if denormal() == 0 { Outcome::Fits } else { Outcome::Flushed });
    }
    if field + carry >= (F::INF >> F::FRACTION) as i32 {
        let infinite = match env.rounding {
            Rounding::Nearest => true,
            Rounding::Up => !x.negative,
            Rounding::Down => x.negative,
            Rounding::Zero => false,
        };
        return if infinite { (sign | F::INF, Outcome::Overflow) } else { (sign | F::MAX, Outcome::Fits) };
    }
    // `rounded` has the implicit bit, which adds 1 to the field. A carry adds another 1 and leaves a fraction of 0.
    (sign | (((field - 1) as i64) << F::FRACTION).wrapping_add(rounded as i64) as u64, Outcome::Fits)
}

/// Rounds into a format, with FP16_OVFL.
pub(super) fn finish_outcome<F: Format>(m: &FloatMode, env: Env, x: Num, notes: &mut u32) -> (u64, Outcome) {
    let (bits, outcome) = pack::<F>(env, x);
    if outcome == Outcome::Overflow && F::WIDTH == 16 && m.fp16_ovfl {
        *notes |= FP16_OVFL;
        return (bits & F::SIGN | F::MAX, outcome);
    }
    (bits, outcome)
}

/// Rounds into a format, with FP16_OVFL.
pub(super) fn finish<F: Format>(m: &FloatMode, env: Env, x: Num, notes: &mut u32) -> u64 {
    finish_outcome::<F>(m, env, x, notes).0
}
