//! Reciprocals, roots, powers and logarithms of two, sine and cosine. Hardware computes them approximately. Here they
//! are correctly rounded to nearest even, whatever MODE says.

use super::Rule;
use super::format::{F32, Format, Value, flush_in, value};
use super::nan::first_nan;
use super::number::Number;
use super::round::round;
use super::series;
use crate::vector::lane::{Lane, LaneNote};

/// 1/x.
pub(crate) fn rcp<F: Format>(x: &mut Lane<'_>, s0: F::Bits) -> F::Bits {
    let rule = rule::<F>(x);
    of_value::<F>(x, rule, s0, |s0, value| match value {
        Value::Infinite => Result::Pattern(s0 & F::SIGN),
        Value::Finite(number) if number.is_zero() => Result::Pattern(s0 | F::INFINITY),
        Value::Finite(number) => Result::Number(number.reciprocal()),
    })
}

/// 1/sqrt(x).
pub(crate) fn rsq<F: Format>(x: &mut Lane<'_>, s0: F::Bits) -> F::Bits {
    let rule = rule::<F>(x);
    of_value::<F>(x, rule, s0, |s0, value| match value {
        Value::Finite(number) if number.is_zero() => Result::Pattern(s0 | F::INFINITY),
        _ if F::is_negative(s0) => Result::Pattern(F::DEFAULT_NAN),
        Value::Infinite => Result::Pattern(0),
        Value::Finite(number) => Result::Number(number.reciprocal_square_root()),
    })
}

/// sqrt(x); the root of -0 is -0.
pub(crate) fn sqrt<F: Format>(x: &mut Lane<'_>, s0: F::Bits) -> F::Bits {
    let rule = rule::<F>(x);
    let is_negative_zero = flush_in::<F>(x, rule, s0.into()) == F::SIGN;
    x.notes.insert_if(is_negative_zero, LaneNote::SqrtNegZero);
    of_value::<F>(x, rule, s0, |s0, value| match value {
        Value::Finite(number) if number.is_zero() => Result::Pattern(s0),
        _ if F::is_negative(s0) => Result::Pattern(F::DEFAULT_NAN),
        Value::Infinite => Result::Pattern(s0),
        Value::Finite(number) => Result::Number(number.square_root()),
    })
}

/// 2^x.
pub(crate) fn exp<F: Format>(x: &mut Lane<'_>, s0: F::Bits) -> F::Bits {
    let rule = rule::<F>(x);
    of_value::<F>(x, rule, s0, |s0, value| match value {
        Value::Infinite => Result::Pattern(if F::is_negative(s0) { 0 } else { F::INFINITY }),
        Value::Finite(number) => Result::Number(series::exp2(number)),
    })
}

/// log2(x).
pub(crate) fn log<F: Format>(x: &mut Lane<'_>, s0: F::Bits) -> F::Bits {
    let rule = rule::<F>(x);
    of_value::<F>(x, rule, s0, |s0, value| match value {
        Value::Finite(number) if number.is_zero() => Result::Pattern(F::SIGN | F::INFINITY),
        _ if F::is_negative(s0) => Result::Pattern(F::DEFAULT_NAN),
        Value::Infinite => Result::Pattern(s0),
        Value::Finite(number) => Result::Number(series::log2(number)),
    })
}

/// sin(2 pi x). MODE decides on binary32 denormals, unlike for the other functions.
pub(crate) fn sin<F: Format>(x: &mut Lane<'_>, s0: F::Bits) -> F::Bits {
    let rule = F::rule(x.fp).nearest();
    periodic::<F>(x, rule, s0, Number::integer(0), |number| {
        let sine = series::sin_revolutions(number.with_sign(false));
        // The sine of -x is the negative sine of x, but no result is -0.
        sine.with_sign(!sine.is_zero() && sine.negative != number.negative)
    })
}

/// cos(2 pi x).
pub(crate) fn cos<F: Format>(x: &mut Lane<'_>, s0: F::Bits) -> F::Bits {
    let rule = rule::<F>(x);
    periodic::<F>(x, rule, s0, Number::integer(1), |number| series::cos_revolutions(number.with_sign(false)))
}

/// A function of revolutions. Before GCN 1.4 its value is `beyond` for more than 256 revolutions.
fn periodic<F: Format>(
    x: &mut Lane<'_>,
    rule: Rule,
    s0: F::Bits,
    beyond: Number,
    function: impl Fn(Number) -> Number,
) -> F::Bits {
    let limit = F::ONE + (8 << F::FRACTION);
    let magnitude = F::magnitude(s0.into());
    let is_beyond = limit < magnitude && magnitude < F::INFINITY;
    x.notes.insert_if(is_beyond, LaneNote::TrigRange);
    let is_limited = is_beyond && !x.fp.arch.is_gcn14_or_later();
    of_value::<F>(x, rule, s0, |_, value| match value {
        Value::Infinite => Result::Pattern(F::DEFAULT_NAN),
        Value::Finite(_) if is_limited => Result::Number(beyond),
        Value::Finite(number) => Result::Number(function(number)),
    })
}

/// A result that still has to be rounded, or one that does not.
enum Result {
    Number(Number),
    Pattern(u64),
}

/// The rule of these functions: binary32 denormals are always flushed.
fn rule<F: Format>(x: &Lane<'_>) -> Rule {
    let rule = F::rule(x.fp).nearest();
    if F::EXPONENT == F32::EXPONENT { rule.flushing() } else { rule }
}

/// Applies a function to an operand. `of` gets the flushed pattern and its value.
fn of_value<F: Format>(x: &mut Lane<'_>, rule: Rule, s0: F::Bits, of: impl FnOnce(u64, Value) -> Result) -> F::Bits {
    let s0 = flush_in::<F>(x, rule, s0.into());
    if let Some(nan) = first_nan::<F>(x, rule, &[s0]) {
        return F::bits(nan);
    }
    let value = value::<F>(x, rule, s0);
    F::bits(match of(s0, value) {
        Result::Number(number) => round::<F>(x, rule, number),
        Result::Pattern(pattern) => pattern,
    })
}
