//! Parts of a number: its integer, its fraction, its exponent, its significand.

use gcnsim_isa::Arch;

use super::Round;
use super::format::{Format, Value, flush_in, value};
use super::nan::first_nan;
use super::number::Number;
use super::round::round;
use crate::vector::lane::{Lane, LaneNote};

/// The number rounded to an integer in a direction. A zero has the sign of the operand.
pub(crate) fn integral<F: Format>(x: &mut Lane<'_>, s0: F::Bits, direction: Round) -> F::Bits {
    let rule = F::rule(x.fp);
    let s0 = s0.into();
    if let Some(nan) = first_nan::<F>(x, rule, &[s0]) {
        return F::bits(nan);
    }
    F::bits(match value::<F>(x, rule, s0) {
        Value::Finite(number) if number.exponent < 0 => {
            let integer = Number { exponent: 0, significand: number.rounded_to(0, direction), ..number };
            round::<F>(x, rule, integer)
        }
        // Such a number has no digits after the point.
        Value::Finite(_) | Value::Infinite => s0,
    })
}

/// `s0 - floor(s0)`. It is below 1 however it is rounded.
pub(crate) fn fract<F: Format>(x: &mut Lane<'_>, s0: F::Bits) -> F::Bits {
    let rule = F::rule(x.fp);
    let s0 = s0.into();
    if let Some(nan) = first_nan::<F>(x, rule, &[s0]) {
        return F::bits(nan);
    }
    F::bits(match value::<F>(x, rule, s0) {
        Value::Infinite => F::DEFAULT_NAN,
        Value::Finite(number) if number.exponent >= 0 => 0,
        Value::Finite(number) => {
            let floor = Number { exponent: 0, significand: number.rounded_to(0, Round::Down), ..number };
            let fraction = number.plus(floor.with_sign(!floor.negative), rule.round);
            let result = if fraction.is_zero() { 0 } else { round::<F>(x, rule, fraction).min(F::ONE - 1) };
            let in_doubt = number.negative && result == F::ONE - 1 && x.fp.arch == Arch::Gcn10;
            x.notes.insert_if(in_doubt, LaneNote::FractGfx6);
            result
        }
    })
}

/// The significand as a number with a magnitude in \[0.5, 1). Zeros and infinities are returned as they are.
pub(crate) fn frexp_mant<F: Format>(x: &mut Lane<'_>, s0: F::Bits) -> F::Bits {
    let rule = F::rule(x.fp);
    let s0 = s0.into();
    note_nonfinite_gfx6::<F>(x, s0);
    if let Some(nan) = first_nan::<F>(x, rule, &[s0]) {
        return F::bits(nan);
    }
    F::bits(match value::<F>(x, rule, s0) {
        Value::Infinite => s0,
        Value::Finite(number) if number.is_zero() => s0 & F::SIGN,
        Value::Finite(number) => round::<F>(x, rule, number.scaled(-1 - number.leading())),
    })
}

/// The exponent that belongs to [`frexp_mant`]; 0 for zeros, infinities and NaNs.
pub(crate) fn frexp_exp<F: Format>(x: &mut Lane<'_>, s0: F::Bits) -> i32 {
    let rule = F::rule(x.fp);
    let s0 = flush_in::<F>(x, rule, s0.into());
    note_nonfinite_gfx6::<F>(x, s0);
    if F::is_nan(s0) {
        return 0;
    }
    match value::<F>(x, rule, s0) {
        Value::Finite(number) if !number.is_zero() => number.leading() + 1,
        Value::Finite(_) | Value::Infinite => 0,
    }
}

fn note_nonfinite_gfx6<F: Format>(x: &mut Lane<'_>, s0: u64) {
    let nonfinite = F::is_nan(s0) || F::is_infinite(s0);
    x.notes.insert_if(nonfinite && x.fp.arch == Arch::Gcn10, LaneNote::FrexpNonfiniteGfx6);
}
