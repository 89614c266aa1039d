//! Rounds a result to its format, once.

use super::format::Format;
use super::number::Number;
use super::{Round, Rule};
use crate::vector::lane::{Lane, LaneNote};

/// The pattern of a number after rounding. A denormal is flushed if the rule says so. A number that is too great
/// becomes an infinity or the greatest finite number.
pub(crate) fn round<F: Format>(x: &mut Lane<'_>, rule: Rule, number: Number) -> u64 {
    let sign = if number.negative { F::SIGN } else { 0 };
    if number.is_zero() {
        return sign;
    }
    let least = 1 - F::BIAS;
    let exponent = number.leading();
    if exponent < least && !rule.keep_out {
        // At full precision only the greatest significand rounds up to the smallest normal number.
        let full = number.rounded_to(exponent - F::FRACTION as i32, rule.round);
        if exponent + 1 < least || full >> (F::FRACTION + 1) == 0 {
            if let Some(note) = rule.flush_note {
                let kept = number.rounded_to(least - F::FRACTION as i32, rule.round);
                x.notes.insert_if(kept != 0, note);
            }
            return sign;
        }
        return sign | F::MIN_NORMAL;
    }
    let exponent = exponent.max(least);
    let digits = number.rounded_to(exponent - F::FRACTION as i32, rule.round) as u64;
    // The leading digit of a normal number adds 1 to the exponent field. So does the digit that rounding carries up.
    let field = (exponent - least) as u64;
    if field > F::INFINITY >> F::FRACTION {
        return sign | overflow::<F>(x, rule.round, number.negative);
    }
    let magnitude = (field << F::FRACTION) + digits;
    sign | if magnitude < F::INFINITY { magnitude } else { overflow::<F>(x, rule.round, number.negative) }
}

/// The magnitude of a result of finite operands that is too great for the format.
fn overflow<F: Format>(x: &mut Lane<'_>, round: Round, negative: bool) -> u64 {
    let to_infinity = rounds_to_infinity(round, negative);
    let limited = to_infinity && F::EXPONENT == 5 && x.fp.fp16_ovfl;
    x.notes.insert_if(limited, LaneNote::Fp16Ovfl);
    if to_infinity && !limited { F::INFINITY } else { F::MAX }
}

/// Whether a number that is too great becomes an infinity.
pub(super) fn rounds_to_infinity(round: Round, negative: bool) -> bool {
    match round {
        Round::Nearest => true,
        Round::Up => !negative,
        Round::Down => negative,
        Round::Zero => false,
    }
}
