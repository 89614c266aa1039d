//! Sums, products, and both at once.

use super::format::{F16, F32, Format, Value, flush_in, number, value};
use super::nan::{first_nan, product_sum_nan};
use super::number::Number;
use super::round::round;
use super::{Rule, convert};
use crate::vector::lane::{Lane, LaneNote};

/// `s0 + s1` with one rounding.
pub(crate) fn add<F: Format>(x: &mut Lane<'_>, s0: F::Bits, s1: F::Bits) -> F::Bits {
    let rule = F::rule(x.fp);
    F::bits(sum::<F>(x, rule, s0.into(), s1.into()))
}

/// `s0 - s1` with one rounding.
pub(crate) fn sub<F: Format>(x: &mut Lane<'_>, s0: F::Bits, s1: F::Bits) -> F::Bits {
    let (rule, s0, s1) = (F::rule(x.fp), s0.into(), s1.into());
    // A NaN keeps its sign.
    F::bits(first_nan::<F>(x, rule, &[s0, s1]).unwrap_or_else(|| sum::<F>(x, rule, s0, s1 ^ F::SIGN)))
}

/// `s1 - s0` with one rounding. Of two NaNs, s0 is still the first.
pub(crate) fn subrev<F: Format>(x: &mut Lane<'_>, s0: F::Bits, s1: F::Bits) -> F::Bits {
    let (rule, s0, s1) = (F::rule(x.fp), s0.into(), s1.into());
    F::bits(first_nan::<F>(x, rule, &[s0, s1]).unwrap_or_else(|| sum::<F>(x, rule, s1, s0 ^ F::SIGN)))
}

/// `s0 * s1` with one rounding.
pub(crate) fn mul<F: Format>(x: &mut Lane<'_>, s0: F::Bits, s1: F::Bits) -> F::Bits {
    let rule = F::rule(x.fp);
    F::bits(product::<F>(x, rule, s0.into(), s1.into()))
}

/// `s0 * s1`, but a zero times anything is +0.
pub(crate) fn mul_legacy<F: Format>(x: &mut Lane<'_>, s0: F::Bits, s1: F::Bits) -> F::Bits {
    let rule = F::rule(x.fp);
    F::bits(product_legacy::<F>(x, rule, s0.into(), s1.into()).unwrap_or(0))
}

/// `s0 * s1 + s2`: the product is rounded, then the sum. Both are flushed whatever MODE says.
pub(crate) fn mad<F: Format>(x: &mut Lane<'_>, s0: F::Bits, s1: F::Bits, s2: F::Bits) -> F::Bits {
    let rule = match F::EXPONENT {
        5 => F::rule(x.fp).flushing_with(LaneNote::MadF16Denorm),
        _ => F::rule(x.fp).flushing(),
    };
    F::bits(product_then_sum::<F>(x, rule, s0.into(), s1.into(), s2.into()))
}

/// `s0 * s1 + s2` as [`mad`], but a zero times anything is +0.
pub(crate) fn mad_legacy<F: Format>(x: &mut Lane<'_>, s0: F::Bits, s1: F::Bits, s2: F::Bits) -> F::Bits {
    let rule = F::rule(x.fp).flushing();
    let (s0, s1, s2) = (s0.into(), s1.into(), s2.into());
    F::bits(match has_zero::<F>(x, rule, s0, s1) {
        true => sum::<F>(x, rule, 0, s2),
        false => product_then_sum::<F>(x, rule, s0, s1, s2),
    })
}

/// `s0 * s1 + s2` with one rounding.
pub(crate) fn fma<F: Format>(x: &mut Lane<'_>, s0: F::Bits, s1: F::Bits, s2: F::Bits) -> F::Bits {
    let rule = F::rule(x.fp);
    F::bits(fused::<F>(x, rule, s0.into(), s1.into(), s2.into()))
}

/// `s0 * s1 + s2` with one rounding, by a given rule.
fn fused<F: Format>(x: &mut Lane<'_>, rule: Rule, s0: u64, s1: u64, s2: u64) -> u64 {
    match exact_fma::<F>(x, rule, s0, s1, s2) {
        Exact::Number(exact) => round::<F>(x, rule, exact),
        Exact::Pattern(pattern) => pattern,
    }
}

/// `s0 * s1 + s2` of binary32 numbers as V_MAD_MIX_F32 computes it.
pub(crate) fn mad_mix(x: &mut Lane<'_>, s0: u32, s1: u32, s2: u32) -> u32 {
    let rule = F32::rule(x.fp).flushing_with(LaneNote::MadMixDenorm);
    product_then_sum::<F32>(x, rule, s0.into(), s1.into(), s2.into()) as u32
}

/// The result of [`mad_mix`], rounded to binary16.
pub(crate) fn mad_mix_f16(x: &mut Lane<'_>, s0: u32, s1: u32, s2: u32) -> u16 {
    // Narrowing makes a NaN quiet.
    let rule = Rule { quiet: true, ..F32::rule(x.fp).flushing_with(LaneNote::MadMixDenorm) };
    let sum = product_then_sum::<F32>(x, rule, s0.into(), s1.into(), s2.into());
    convert::mad_mix_to_f16(x, sum)
}

/// `s0 * s1 + s2` of binary32 numbers, rounded to binary16 only.
pub(crate) fn fma_mix_f16(x: &mut Lane<'_>, s0: u32, s1: u32, s2: u32) -> u16 {
    // The sign of an exact sum that is zero depends on the rounding direction of the result.
    let rule = Rule { keep_in: x.fp.in_f32, quiet: true, ..F16::rule(x.fp) };
    match exact_fma::<F32>(x, rule, s0.into(), s1.into(), s2.into()) {
        Exact::Number(exact) => round::<F16>(x, rule, exact) as u16,
        Exact::Pattern(pattern) => convert::narrow_special::<F32, F16>(pattern) as u16,
    }
}

/// `s0 * s1 + s2` of binary32 numbers: the product is rounded to binary32, then the sum to binary16. Denormals are
/// flushed whatever MODE says.
pub(crate) fn mad_to_f16(x: &mut Lane<'_>, s0: u32, s1: u32, s2: u32) -> u16 {
    // Narrowing makes a NaN quiet.
    let rule = Rule { quiet: true, ..F32::rule(x.fp).flushing() };
    let [s0, s1, s2] = [s0, s1, s2].map(|s| flush_in::<F32>(x, rule, s.into()));
    if let Some(nan) = product_sum_nan::<F32>(x, rule, s0, s1, s2) {
        return convert::narrow_special::<F32, F16>(nan) as u16;
    }
    let product = product::<F32>(x, rule, s0, s1);
    match [product, s2].map(F32::is_infinite) {
        [true, true] if product != s2 => convert::narrow_special::<F32, F16>(F32::DEFAULT_NAN) as u16,
        [true, _] => convert::narrow_special::<F32, F16>(product) as u16,
        [false, true] => convert::narrow_special::<F32, F16>(s2) as u16,
        [false, false] => {
            let rule = F16::rule(x.fp).flushing();
            round::<F16>(x, rule, number::<F32>(product).plus(number::<F32>(s2), rule.round)) as u16
        }
    }
}

/// A binary16 source of [`dot2`]: denormals are flushed whatever MODE says.
fn flushed_half(x: &mut Lane<'_>, half: u16) -> u16 {
    if !F16::is_denormal(half.into()) {
        return half;
    }
    x.notes.insert_if(x.fp.in_f16_f64, LaneNote::MixF16Denorm);
    half & 0x8000
}

/// `a.1 * b.1 + (a.0 * b.0 + s2)` with denormals flushed: binary16 sources, then binary32 sources and sums. There is a
/// fused step for each half, the low one first.
pub(crate) fn dot2(x: &mut Lane<'_>, a: [u16; 2], b: [u16; 2], s2: u32) -> u32 {
    let rule = F32::rule(x.fp).flushing();
    let step = |sum: u64, i: usize| {
        let [a, b] = [a[i], b[i]].map(|half| u64::from(convert::widen_f16(flushed_half(x, half))));
        fused::<F32>(x, rule, a, b, sum)
    };
    (0..2).fold(s2.into(), step) as u32
}

/// `2 * s0` in binary32. A denormal operand is kept whatever MODE says.
pub(crate) fn double_unflushed(x: &mut Lane<'_>, s0: u32) -> u32 {
    let rule = Rule { keep_in: true, ..F32::rule(x.fp) };
    scaled::<F32>(x, rule, s0.into(), 1) as u32
}

/// A result before it is rounded.
pub(crate) enum Exact {
    /// A number to be rounded.
    Number(Number),
    /// A NaN or an infinity.
    Pattern(u64),
}

/// `s0 * s1 + s2`, with operands flushed as the rule says.
pub(crate) fn exact_fma<F: Format>(x: &mut Lane<'_>, rule: Rule, s0: u64, s1: u64, s2: u64) -> Exact {
    let [s0, s1, s2] = [s0, s1, s2].map(|s| flush_in::<F>(x, rule, s));
    if let Some(nan) = product_sum_nan::<F>(x, rule, s0, s1, s2) {
        return Exact::Pattern(nan);
    }
    if F::is_infinite(s0) || F::is_infinite(s1) {
        let product = (s0 ^ s1) & F::SIGN | F::INFINITY;
        let cancels = F::is_infinite(s2) && s2 != product;
        return Exact::Pattern(if cancels { F::DEFAULT_NAN } else { product });
    }
    if F::is_infinite(s2) {
        return Exact::Pattern(s2);
    }
    let product = number::<F>(s0).times(number::<F>(s1));
    Exact::Number(product.plus(number::<F>(s2), rule.round))
}

/// The rounded sum.
pub(super) fn sum<F: Format>(x: &mut Lane<'_>, rule: Rule, a: u64, b: u64) -> u64 {
    if let Some(nan) = first_nan::<F>(x, rule, &[a, b]) {
        return nan;
    }
    match (value::<F>(x, rule, a), value::<F>(x, rule, b)) {
        (Value::Infinite, Value::Infinite) if a != b => F::DEFAULT_NAN,
        (Value::Infinite, _) => a,
        (_, Value::Infinite) => b,
        (Value::Finite(p), Value::Finite(q)) => round::<F>(x, rule, p.plus(q, rule.round)),
    }
}

/// The rounded product.
pub(super) fn product<F: Format>(x: &mut Lane<'_>, rule: Rule, a: u64, b: u64) -> u64 {
    if let Some(nan) = first_nan::<F>(x, rule, &[a, b]) {
        return nan;
    }
    let infinity = (a ^ b) & F::SIGN | F::INFINITY;
    match (value::<F>(x, rule, a), value::<F>(x, rule, b)) {
        (Value::Infinite, Value::Infinite) => infinity,
        (Value::Infinite, Value::Finite(n)) | (Value::Finite(n), Value::Infinite) => {
            if n.is_zero() {
                F::DEFAULT_NAN
            } else {
                infinity
            }
        }
        (Value::Finite(p), Value::Finite(q)) => round::<F>(x, rule, p.times(q)),
    }
}

/// The rounded product; `None` if an operand is a zero.
fn product_legacy<F: Format>(x: &mut Lane<'_>, rule: Rule, a: u64, b: u64) -> Option<u64> {
    (!has_zero::<F>(x, rule, a, b)).then(|| product::<F>(x, rule, a, b))
}

/// Whether one of the two is a zero after flushing.
fn has_zero<F: Format>(x: &mut Lane<'_>, rule: Rule, a: u64, b: u64) -> bool {
    [a, b].iter().any(|&s| F::is_zero(flush_in::<F>(x, rule, s)))
}

/// The rounded product added to `c`.
fn product_then_sum<F: Format>(x: &mut Lane<'_>, rule: Rule, a: u64, b: u64, c: u64) -> u64 {
    let [a, b, c] = [a, b, c].map(|s| flush_in::<F>(x, rule, s));
    let product = if F::is_nan(a) || F::is_nan(b) { a } else { product::<F>(x, rule, a, b) };
    if let Some(nan) = product_sum_nan::<F>(x, rule, a, b, c) {
        return nan;
    }
    sum::<F>(x, rule, product, c)
}

/// `s0 * 2^n` with one rounding.
pub(crate) fn ldexp<F: Format>(x: &mut Lane<'_>, s0: F::Bits, n: i32) -> F::Bits {
    let (rule, s0) = (F::rule(x.fp), s0.into());
    F::bits(scaled::<F>(x, rule, s0, n))
}

/// `s0 * 2^n` with one rounding, by a given rule.
pub(super) fn scaled<F: Format>(x: &mut Lane<'_>, rule: Rule, s0: u64, n: i32) -> u64 {
    if let Some(nan) = first_nan::<F>(x, rule, &[s0]) {
        return nan;
    }
    match value::<F>(x, rule, s0) {
        Value::Infinite => s0,
        // No format spans more than 2^13 powers of two.
        Value::Finite(number) => round::<F>(x, rule, number.scaled(n.clamp(-1 << 14, 1 << 14))),
    }
}
