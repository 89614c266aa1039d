//! The three formats, and the values of patterns.

use super::number::Number;
use super::{Fp, Rule};
use crate::vector::lane::Lane;

/// A binary floating-point format. Patterns are handled as `u64`, right-aligned.
pub(crate) trait Format {
    /// An integer as wide as the format.
    type Bits: Copy + Into<u64>;
    /// Bits of the fraction field.
    const FRACTION: u32;
    /// Bits of the exponent field.
    const EXPONENT: u32;

    /// A pattern, which is never wider than the format, in the format's own type.
    fn bits(pattern: u64) -> Self::Bits;

    /// Rounding and denormals as MODE has them for this format.
    fn rule(fp: &Fp) -> Rule;

    /// The sign bit.
    const SIGN: u64 = 1 << (Self::FRACTION + Self::EXPONENT);
    /// The exponent field with all bits set, which is the pattern of +infinity.
    const INFINITY: u64 = Self::SIGN - (1 << Self::FRACTION);
    /// The bit that tells quiet NaNs from signalling ones.
    const QUIET: u64 = 1 << (Self::FRACTION - 1);
    /// The result of an invalid operation.
    const DEFAULT_NAN: u64 = Self::SIGN | Self::INFINITY | Self::QUIET;
    /// The largest finite number.
    const MAX: u64 = Self::INFINITY - 1;
    /// The smallest normal number.
    const MIN_NORMAL: u64 = 1 << Self::FRACTION;
    /// The bias of the exponent field.
    const BIAS: i32 = (1 << (Self::EXPONENT - 1)) - 1;
    /// 1.
    const ONE: u64 = (Self::BIAS as u64) << Self::FRACTION;

    /// The exponent field.
    fn exponent_field(pattern: u64) -> i32 {
        ((pattern & Self::INFINITY) >> Self::FRACTION) as i32
    }

    /// The pattern without its sign.
    fn magnitude(pattern: u64) -> u64 {
        pattern & !Self::SIGN
    }

    fn is_nan(pattern: u64) -> bool {
        Self::magnitude(pattern) > Self::INFINITY
    }

    fn is_signalling(pattern: u64) -> bool {
        Self::is_nan(pattern) && pattern & Self::QUIET == 0
    }

    fn is_infinite(pattern: u64) -> bool {
        Self::magnitude(pattern) == Self::INFINITY
    }

    fn is_zero(pattern: u64) -> bool {
        Self::magnitude(pattern) == 0
    }

    fn is_denormal(pattern: u64) -> bool {
        pattern & Self::INFINITY == 0 && !Self::is_zero(pattern)
    }

    fn is_negative(pattern: u64) -> bool {
        pattern & Self::SIGN != 0
    }
}

/// Binary16.
pub(crate) struct F16;
/// Binary32.
pub(crate) struct F32;
/// Binary64.
pub(crate) struct F64;

impl Format for F16 {
    type Bits = u16;
    const FRACTION: u32 = 10;
    const EXPONENT: u32 = 5;

    fn bits(pattern: u64) -> u16 {
        pattern as u16
    }

    fn rule(fp: &Fp) -> Rule {
        F64::rule(fp)
    }
}

impl Format for F32 {
    type Bits = u32;
    const FRACTION: u32 = 23;
    const EXPONENT: u32 = 8;

    fn bits(pattern: u64) -> u32 {
        pattern as u32
    }

    fn rule(fp: &Fp) -> Rule {
        Rule { round: fp.round_f32, keep_in: fp.in_f32, keep_out: fp.out_f32, quiet: fp.ieee, flush_note: None }
    }
}

impl Format for F64 {
    type Bits = u64;
    const FRACTION: u32 = 52;
    const EXPONENT: u32 = 11;

    fn bits(pattern: u64) -> u64 {
        pattern
    }

    fn rule(fp: &Fp) -> Rule {
        Rule {
            round: fp.round_f16_f64,
            keep_in: fp.in_f16_f64,
            keep_out: fp.out_f16_f64,
            quiet: fp.ieee,
            flush_note: None,
        }
    }
}

/// The value of a pattern that is no NaN.
#[derive(Clone, Copy)]
pub(crate) enum Value {
    /// An infinity.
    Infinite,
    /// A finite number. Zeros have signs.
    Finite(Number),
}

/// The pattern of an operand. If the rule says so, a denormal becomes the zero of its sign.
pub(crate) fn flush_in<F: Format>(x: &mut Lane<'_>, rule: Rule, pattern: u64) -> u64 {
    if rule.keep_in || !F::is_denormal(pattern) {
        return pattern;
    }
    if let Some(note) = rule.flush_note {
        x.notes.insert_if(true, note);
    }
    pattern & F::SIGN
}

/// The value of an operand that is no NaN. It is flushed if the rule says so.
pub(crate) fn value<F: Format>(x: &mut Lane<'_>, rule: Rule, pattern: u64) -> Value {
    let pattern = flush_in::<F>(x, rule, pattern);
    if F::is_infinite(pattern) { Value::Infinite } else { Value::Finite(number::<F>(pattern)) }
}

/// The number that a finite pattern stands for.
pub(crate) fn number<F: Format>(pattern: u64) -> Number {
    let fraction = pattern & (F::MIN_NORMAL - 1);
    let field = F::exponent_field(pattern);
    let significand = if field == 0 { fraction } else { fraction | F::MIN_NORMAL };
    Number {
        negative: F::is_negative(pattern),
        exponent: field.max(1) - F::BIAS - F::FRACTION as i32,
        significand: significand.into(),
    }
}
