//! The three helper instructions of division. They scale the operands, do the last step and scale back, and handle
//! special cases.

use super::Rule;
use super::arith::{Exact, exact_fma, scaled};
use super::format::{F32, F64, Format, flush_in};
use super::number::Number;
use super::round::round;
use crate::vector::lane::{Lane, LaneNote};

/// Constants of a format that the division sequences need.
pub(crate) trait Divided: Format {
    /// Quotients with a greater or smaller exponent need scaling.
    const THRESHOLD: i32;
    /// Operands are scaled by 2 to this power.
    const SCALE: i32;
    /// Numerators with a smaller exponent field would give denormal remainders.
    const LIMIT: i32;
}

impl Divided for F32 {
    const THRESHOLD: i32 = 96;
    const SCALE: i32 = 64;
    const LIMIT: i32 = 24;
}

impl Divided for F64 {
    const THRESHOLD: i32 = 768;
    const SCALE: i32 = 128;
    const LIMIT: i32 = 53;
}

/// S0, which is the denominator S1 or the numerator S2, scaled so that the division sequence works. Also says whether
/// V_DIV_FMAS has to scale back.
pub(crate) fn div_scale<F: Divided>(x: &mut Lane<'_>, s0: F::Bits, s1: F::Bits, s2: F::Bits) -> (F::Bits, bool) {
    let rule = F::rule(x.fp);
    let [value, denominator, numerator] = [s0, s1, s2].map(|s| flush_in::<F>(x, rule, s.into()));
    x.notes.insert_if(value != denominator && value != numerator, LaneNote::DivScaleS0);

    let is_denominator = value == denominator;
    let (e_denominator, e_numerator) = (F::exponent_field(denominator), F::exponent_field(numerator));
    let difference = e_numerator - e_denominator;
    let for_denominator = if is_denominator { F::SCALE } else { 0 };
    let (post, power) = if difference >= F::THRESHOLD {
        (true, for_denominator)
    } else if e_denominator == 0 {
        (false, F::SCALE)
    } else if e_denominator >= 2 * F::BIAS - 1 {
        let post = difference <= -F::THRESHOLD;
        (post, if post && !is_denominator { 0 } else { -F::SCALE })
    } else if difference <= -F::THRESHOLD {
        (true, F::SCALE - for_denominator)
    } else if e_numerator <= F::LIMIT {
        (false, F::SCALE)
    } else {
        (false, 0)
    };

    let result = if F::is_zero(denominator) || F::is_zero(numerator) {
        F::DEFAULT_NAN
    } else if F::is_nan(value) {
        value | F::QUIET
    } else {
        scaled::<F>(x, rule, value, power)
    };
    (F::bits(result), post)
}

/// `s0 * s1 + s2` with one rounding, scaled back if `post` says that operands were scaled. Operands are not flushed.
pub(crate) fn div_fmas<F: Divided>(x: &mut Lane<'_>, s0: F::Bits, s1: F::Bits, s2: F::Bits, post: bool) -> F::Bits {
    let (s0, s1, s2) = (s0.into(), s1.into(), s2.into());
    let rule = Rule { keep_in: true, ..F::rule(x.fp) };
    let power = match post {
        false => 0,
        true if F::exponent_field(s2) > F::BIAS => F::SCALE,
        true => -F::SCALE,
    };
    F::bits(match exact_fma::<F>(x, rule, s0, s1, s2) {
        Exact::Number(exact) => round::<F>(x, rule, exact.scaled(power)),
        Exact::Pattern(pattern) => pattern,
    })
}

/// The quotient S0 of the numerator S2 and the denominator S1, or the right result in a special case.
pub(crate) fn div_fixup<F: Format>(x: &mut Lane<'_>, s0: F::Bits, s1: F::Bits, s2: F::Bits) -> F::Bits {
    let rule = F::rule(x.fp);
    let quotient = s0.into();
    let [denominator, numerator] = [s1, s2].map(|s| flush_in::<F>(x, rule, s.into()));
    let negative = F::is_negative(denominator) != F::is_negative(numerator);
    let sign = if negative { F::SIGN } else { 0 };
    let difference = F::exponent_field(numerator) - F::exponent_field(denominator);
    // Results out of range take more steps, which binary16 does not have.
    let ranged = F::EXPONENT != 5;

    F::bits(if F::is_nan(numerator) {
        numerator | F::QUIET
    } else if F::is_nan(denominator) {
        denominator | F::QUIET
    } else if F::is_zero(numerator) && F::is_zero(denominator)
        || F::is_infinite(numerator) && F::is_infinite(denominator)
    {
        F::DEFAULT_NAN
    } else if F::is_zero(denominator) || F::is_infinite(numerator) {
        sign | F::INFINITY
    } else if F::is_infinite(denominator) || F::is_zero(numerator) {
        sign
    } else if ranged && difference < -(F::BIAS + F::FRACTION as i32) {
        out_of_range::<F>(x, rule, negative, -4 * F::BIAS)
    } else if ranged && (F::is_nan(quotient) || F::is_infinite(quotient)) {
        out_of_range::<F>(x, rule, negative, 4 * F::BIAS)
    } else {
        // S0 is kept as it is. Only binary16 gets here with a NaN.
        x.notes.insert_if(F::is_signalling(quotient) && !rule.quiet, LaneNote::NanQuiet);
        sign | F::magnitude(quotient)
    })
}

/// The result of rounding a number that is far out of the format's range.
fn out_of_range<F: Format>(x: &mut Lane<'_>, rule: Rule, negative: bool, exponent: i32) -> u64 {
    round::<F>(x, rule, Number { negative, exponent, significand: 1 })
}
