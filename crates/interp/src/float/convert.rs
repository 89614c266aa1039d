//! Conversions between formats, to integers and from them.

use gcnsim_isa::Arch;

use super::format::{F16, F32, F64, Format, Value, flush_in, number, value};
use super::number::Number;
use super::round::round;
use super::{Fp, Round, Rule};
use crate::vector::lane::{Lane, LaneNote};

/// Binary32 to binary64: exact.
pub(crate) fn f32_to_f64(x: &mut Lane<'_>, s0: u32) -> u64 {
    let rule = Rule { keep_in: x.fp.in_f32, ..F64::rule(x.fp) };
    convert::<F32, F64>(x, rule, s0.into())
}

/// Binary64 to binary32, rounded as binary32 results are.
pub(crate) fn f64_to_f32(x: &mut Lane<'_>, s0: u64) -> u32 {
    let rule = Rule { keep_in: x.fp.in_f16_f64, ..F32::rule(x.fp) };
    convert::<F64, F32>(x, rule, s0) as u32
}

/// Binary16 to binary32: exact.
pub(crate) fn f16_to_f32(x: &mut Lane<'_>, s0: u16) -> u32 {
    let in_doubt = denormals_in_doubt(x.fp) && F16::is_denormal(s0.into());
    x.notes.insert_if(in_doubt, LaneNote::CvtF16Denorm);
    let rule = Rule { keep_in: always_keeps_f16(x.fp) || x.fp.in_f16_f64, ..F32::rule(x.fp) };
    convert::<F16, F32>(x, rule, s0.into()) as u32
}

/// Binary32 to binary16. Before GCN 1.2 it rounds as binary32 results do, later as binary16 results do.
pub(crate) fn f32_to_f16(x: &mut Lane<'_>, s0: u32) -> u16 {
    let round = conversion_round_f16(x);
    f32_to_f16_rounded(x, s0, round)
}

/// Binary32 to binary16 in a given direction.
pub(crate) fn f32_to_f16_rounded(x: &mut Lane<'_>, s0: u32, round: Round) -> u16 {
    let in_doubt = denormals_in_doubt(x.fp);
    let rule = Rule {
        round,
        keep_in: x.fp.in_f32,
        keep_out: always_keeps_f16(x.fp) || x.fp.out_f16_f64,
        quiet: true,
        flush_note: None,
    };
    // Only flushing the result is in doubt here, not flushing an operand.
    let s0 = flush_in::<F32>(x, rule, s0.into());
    let rule = Rule { keep_in: true, flush_note: in_doubt.then_some(LaneNote::CvtF16Denorm), ..rule };
    let result = convert::<F32, F16>(x, rule, s0);
    x.notes.insert_if(in_doubt && F16::is_denormal(result), LaneNote::CvtF16Denorm);
    result as u16
}

/// Binary32 to binary16, rounded as MODE says for binary16. A denormal is flushed whatever MODE says.
pub(super) fn mad_mix_to_f16(x: &mut Lane<'_>, s0: u64) -> u16 {
    let flush_note = x.fp.out_f16_f64.then_some(LaneNote::MixF16Denorm);
    let rule = Rule { keep_in: true, keep_out: false, flush_note, ..F16::rule(x.fp) };
    convert::<F32, F16>(x, rule, s0) as u16
}

/// Binary16 to binary32, as operands are widened: nothing is flushed, and no NaN becomes quiet.
pub(crate) fn widen_f16(s0: u16) -> u32 {
    let s0 = u64::from(s0);
    if F16::is_nan(s0) || F16::is_infinite(s0) {
        return special::<F16, F32>(s0) as u32;
    }
    let Number { negative, exponent, significand } = number::<F16>(s0);
    let sign = if negative { F32::SIGN } else { 0 };
    if significand == 0 {
        return sign as u32;
    }
    // Every binary16 denormal is a normal binary32 number.
    let width = u128::BITS - significand.leading_zeros();
    let fraction = (significand as u64) << (F32::FRACTION + 1 - width) & (F32::MIN_NORMAL - 1);
    let field = (exponent + width as i32 - 1 + F32::BIAS) as u64;
    (sign | field << F32::FRACTION | fraction) as u32
}

/// Converts one format to another by the rule. A conversion to a narrower format makes NaNs quiet whatever MODE says.
fn convert<From: Format, To: Format>(x: &mut Lane<'_>, rule: Rule, s0: u64) -> u64 {
    if From::is_nan(s0) {
        let quiet = rule.quiet || To::FRACTION < From::FRACTION;
        x.notes.insert_if(From::is_signalling(s0) && !quiet, LaneNote::NanQuiet);
        return special::<From, To>(s0) | if quiet { To::QUIET } else { 0 };
    }
    match value::<From>(x, rule, s0) {
        Value::Infinite => special::<From, To>(s0),
        Value::Finite(number) => round::<To>(x, rule, number),
    }
}

/// A NaN (made quiet) or an infinity in a narrower format.
pub(super) fn narrow_special<From: Format, To: Format>(s0: u64) -> u64 {
    special::<From, To>(s0) | if From::is_nan(s0) { To::QUIET } else { 0 }
}

/// A NaN or an infinity in another format. The sign and the upper digits stay.
fn special<From: Format, To: Format>(s0: u64) -> u64 {
    let payload = s0 & (From::MIN_NORMAL - 1);
    let payload = match To::FRACTION.checked_sub(From::FRACTION) {
        Some(wider) => payload << wider,
        None => payload >> (From::FRACTION - To::FRACTION),
    };
    payload | To::INFINITY | if From::is_negative(s0) { To::SIGN } else { 0 }
}

/// Before GCN 1.2, conversions keep binary16 denormals whatever MODE says.
fn always_keeps_f16(fp: &Fp) -> bool {
    matches!(fp.arch, Arch::Gcn10 | Arch::Gcn11)
}

/// Whether another rule than ours could treat binary16 denormals differently in conversions.
pub(super) fn denormals_in_doubt(fp: &Fp) -> bool {
    !always_keeps_f16(fp) && !fp.keeps_f16()
}

/// The direction in which conversions to binary16 round.
fn conversion_round_f16(x: &mut Lane<'_>) -> Round {
    x.notes.insert_if(x.fp.round_f32 != x.fp.round_f16_f64, LaneNote::CvtF16Round);
    if always_keeps_f16(x.fp) { x.fp.round_f32 } else { x.fp.round_f16_f64 }
}

/// An integer to binary32.
pub(crate) fn integer_to_f32(x: &mut Lane<'_>, s0: i64) -> u32 {
    let rule = F32::rule(x.fp);
    round::<F32>(x, rule, Number::integer(s0)) as u32
}

/// An integer of at most 53 bits to binary64; this is exact.
pub(crate) fn integer_to_f64(x: &mut Lane<'_>, s0: i64) -> u64 {
    let rule = F64::rule(x.fp);
    round::<F64>(x, rule, Number::integer(s0))
}

/// An integer to binary16.
pub(crate) fn integer_to_f16(x: &mut Lane<'_>, s0: i64) -> u16 {
    let rule = Rule { round: conversion_round_f16(x), ..F16::rule(x.fp) };
    round::<F16>(x, rule, Number::integer(s0)) as u16
}

/// The value of an operand on its way to an integer.
enum Source {
    Nan { negative: bool },
    Infinite { negative: bool },
    Finite(Number),
}

fn source<F: Format>(x: &mut Lane<'_>, s0: u64) -> Source {
    let (rule, negative) = (F::rule(x.fp), F::is_negative(s0));
    if F::is_nan(s0) {
        return Source::Nan { negative };
    }
    match value::<F>(x, rule, s0) {
        Value::Infinite => Source::Infinite { negative },
        Value::Finite(number) => Source::Finite(number),
    }
}

/// The number rounded to an integer and limited to `min..=max`.
fn saturate(number: Number, round: Round, min: i64, max: i64) -> i64 {
    let magnitude = number.rounded_to(0, round).min(1 << 64) as i128;
    let integer = if number.negative { -magnitude } else { magnitude };
    integer.clamp(min.into(), max.into()) as i64
}

/// The number truncated and limited to `min..=max`; a NaN is 0.
pub(crate) fn truncate<F: Format>(x: &mut Lane<'_>, s0: F::Bits, min: i64, max: i64) -> i64 {
    to_integer::<F>(x, s0.into(), Round::Zero, min, max)
}

fn to_integer<F: Format>(x: &mut Lane<'_>, s0: u64, round: Round, min: i64, max: i64) -> i64 {
    match source::<F>(x, s0) {
        Source::Nan { .. } => 0,
        Source::Infinite { negative } => {
            if negative {
                min
            } else {
                max
            }
        }
        Source::Finite(number) => saturate(number, round, min, max),
    }
}

/// `floor(s0)` as i32. A NaN gives the limit that its sign points to.
pub(crate) fn floor_i32(x: &mut Lane<'_>, s0: u32) -> i32 {
    floor_of_sum(x, s0, Number::integer(0))
}

/// `floor(s0 + 0.5)` as i32, with an exact sum. A NaN gives the limit that its sign points to.
pub(crate) fn round_half_up_i32(x: &mut Lane<'_>, s0: u32) -> i32 {
    floor_of_sum(x, s0, Number::integer(1).scaled(-1))
}

fn floor_of_sum(x: &mut Lane<'_>, s0: u32, addend: Number) -> i32 {
    match source::<F32>(x, s0.into()) {
        Source::Nan { negative } | Source::Infinite { negative } => {
            if negative {
                i32::MIN
            } else {
                i32::MAX
            }
        }
        Source::Finite(number) => {
            let sum = number.plus(addend, Round::Nearest);
            saturate(sum, Round::Down, i32::MIN.into(), i32::MAX.into()) as i32
        }
    }
}

/// The number clamped to \[-1, 1\], times 32767, rounded to nearest even; a NaN is 0.
pub(crate) fn norm_i16<F: Format>(x: &mut Lane<'_>, s0: F::Bits) -> u16 {
    norm::<F>(x, s0.into(), -0x7fff, 0x7fff) as u16
}

/// The number clamped to \[0, 1\], times 65535, rounded to nearest even; a NaN is 0.
pub(crate) fn norm_u16<F: Format>(x: &mut Lane<'_>, s0: F::Bits) -> u16 {
    norm::<F>(x, s0.into(), 0, 0xffff) as u16
}

fn norm<F: Format>(x: &mut Lane<'_>, s0: u64, min: i64, max: i64) -> i64 {
    match source::<F>(x, s0) {
        Source::Nan { .. } => 0,
        Source::Infinite { negative } => {
            if negative {
                min
            } else {
                max
            }
        }
        Source::Finite(number) => saturate(number.times(Number::integer(max)), Round::Nearest, min, max),
    }
}

/// The number rounded to a byte in MODE's direction; a NaN is 0.
pub(crate) fn to_u8(x: &mut Lane<'_>, s0: u32) -> u8 {
    let round = x.fp.round_f32;
    x.notes.insert_if(round != Round::Nearest, LaneNote::PkU8Round);
    to_integer::<F32>(x, s0.into(), round, 0, 255) as u8
}
