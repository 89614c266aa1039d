//! Loops over lanes that are exact in every mode and on every host. They are inlined into functions that are compiled
//! for a level.

use gcnsim_isa::Arch;

use super::super::{Env, FloatMode};
use super::{Lanes, Pairs};
use crate::host::{Doubles, Host, INF, SIGN, any};

#[inline(always)]
pub(super) fn is_nan(x: u32) -> bool {
    x & !SIGN > INF
}

#[inline(always)]
pub(super) fn map(a: &Lanes, f: impl Fn(u32) -> u32) -> Lanes {
    let mut out = [0; 64];
    for i in 0..64 {
        out[i] = f(a[i]);
    }
    out
}

/// Writes the result and accepts.
#[inline(always)]
pub(super) fn accept(out: Lanes, d: &mut Lanes) -> Option<()> {
    *d = out;
    Some(())
}

/// Declines if `is_doubtful`, or accepts the result.
#[inline(always)]
pub(super) fn accept_unless(is_doubtful: bool, out: Lanes, d: &mut Lanes) -> Option<()> {
    if is_doubtful { None } else { accept(out, d) }
}

/// Accepts the result, unless there is a NaN.
#[inline(always)]
pub(super) fn accept_numbers(out: Lanes, d: &mut Lanes) -> Option<()> {
    accept_unless(any(&out, is_nan), out, d)
}

/// A denormal becomes the zero of its sign.
#[inline(always)]
pub(super) fn flushed(x: u32) -> u32 {
    if x & INF == 0 { x & SIGN } else { x }
}

/// Sources after the flushing that the environment asks for.
#[inline(always)]
pub(super) fn sources(env: Env, a: &Lanes) -> Lanes {
    if env.keep_in { *a } else { map(a, flushed) }
}

// --- minimum, maximum ---

/// An integer with the order of the numbers, -0 below +0. The function is its own inverse.
#[inline(always)]
fn order(x: u32) -> i32 {
    (x ^ (((x as i32) >> 31) as u32 & !SIGN)) as i32
}

#[inline(always)]
fn choose<const N: usize>(m: &FloatMode, s: [&Lanes; N], d: &mut Lanes, f: impl Fn([i32; N]) -> i32) -> Option<()> {
    if s.iter().any(|s| any(s, is_nan)) {
        return None;
    }
    let keep = m.single.keep_in || m.arch < Arch::Gcn14;
    let env = Env { keep_in: keep, ..m.single };
    let s = s.map(|s| sources(env, s));
    for i in 0..64 {
        d[i] = order(f(s.each_ref().map(|s| order(s[i]))) as u32) as u32;
    }
    Some(())
}

#[inline(always)]
pub(super) fn min(_: impl Host, m: &FloatMode, [a, b, _]: [&Lanes; 3], d: &mut Lanes) -> Option<()> {
    choose(m, [a, b], d, |[a, b]| a.min(b))
}

#[inline(always)]
pub(super) fn max(_: impl Host, m: &FloatMode, [a, b, _]: [&Lanes; 3], d: &mut Lanes) -> Option<()> {
    choose(m, [a, b], d, |[a, b]| a.max(b))
}

#[inline(always)]
pub(super) fn min3(_: impl Host, m: &FloatMode, s: [&Lanes; 3], d: &mut Lanes) -> Option<()> {
    choose(m, s, d, |[a, b, c]| a.min(b).min(c))
}

#[inline(always)]
pub(super) fn max3(_: impl Host, m: &FloatMode, s: [&Lanes; 3], d: &mut Lanes) -> Option<()> {
    choose(m, s, d, |[a, b, c]| a.max(b).max(c))
}

#[inline(always)]
pub(super) fn med3(_: impl Host, m: &FloatMode, s: [&Lanes; 3], d: &mut Lanes) -> Option<()> {
    choose(m, s, d, |[a, b, c]| a.min(b).max(a.max(b).min(c)))
}

// --- integers ---

/// The integer part of a number whose magnitude is below 2^31.
#[inline(always)]
fn integer_part(x: f32) -> u32 {
    let limit = 2_147_483_520.0;
    let inside = if x.abs() <= limit { x } else { 0.0 };
    // SAFETY: the number fits and is not a NaN. (Rust's `as` is not vectorised.)
    (unsafe { inside.to_int_unchecked::<i32>() }) as u32
}

/// 2^31.
const TWO_31: f32 = 2_147_483_648.0;

#[inline(always)]
pub(super) fn cvt_i32(_: impl Host, _: &FloatMode, [a, ..]: [&Lanes; 3], d: &mut Lanes) -> Option<()> {
    let convert = |x: f32| {
        let high = if x >= TWO_31 { i32::MAX as u32 } else { integer_part(x) };
        if x <= -TWO_31 { SIGN } else { high }
    };
    accept(map(a, |x| convert(f32::from_bits(x))), d)
}

#[inline(always)]
pub(super) fn cvt_u32(_: impl Host, _: &FloatMode, [a, ..]: [&Lanes; 3], d: &mut Lanes) -> Option<()> {
    let convert = |x: f32| {
        // From 2^31 on the difference is exact, and it is below 2^31 for all numbers that fit.
        let upper = integer_part(x - TWO_31) ^ SIGN;
        let low = if x >= TWO_31 { upper } else { integer_part(x) };
        let high = if x >= 2.0 * TWO_31 { u32::MAX } else { low };
        if x < 0.0 { 0 } else { high }
    };
    accept(map(a, |x| convert(f32::from_bits(x))), d)
}

#[inline(always)]
pub(super) fn ubyte<const SHIFT: u32>(_: impl Host, _: &FloatMode, [a, ..]: [&Lanes; 3], d: &mut Lanes) -> Option<()> {
    accept(map(a, |x| ((x >> SHIFT & 0xff) as f32).to_bits()), d)
}

#[inline(always)]
pub(super) fn off_i4(_: impl Host, _: &FloatMode, [a, ..]: [&Lanes; 3], d: &mut Lanes) -> Option<()> {
    accept(map(a, |x| ((((x << 28) as i32) >> 28) as f32 * 0.0625).to_bits()), d)
}

// --- binary16 to binary32 ---

/// Whether MODE applies to binary16 denormals in conversions and does not keep all of them.
#[inline(always)]
pub(super) fn doubts_f16_denormals(m: &FloatMode) -> bool {
    m.arch >= Arch::Gcn12 && !(m.wide.keep_in && m.wide.keep_out)
}

#[inline(always)]
pub(super) fn cvt_f32_f16(_: impl Host, m: &FloatMode, [a, ..]: [&Lanes; 3], d: &mut Lanes) -> Option<()> {
    let special =
        any(a, |x| x & 0x7fff > 0x7c00) || doubts_f16_denormals(m) && any(a, |x| x & 0x7c00 == 0 && x & 0x3ff != 0);
    // The bias of the exponent differs: a product with 2^112 corrects it, also for denormals.
    let widen = |x: u32| {
        let number = f32::from_bits((x & 0x7fff) << 13) * f32::from_bits((127 + 112) << 23);
        let infinity = if x & 0x7c00 == 0x7c00 { INF } else { 0 };
        number.to_bits() | infinity | (x & 0x8000) << 16
    };
    accept_unless(special, map(a, widen), d)
}

// --- reciprocal, roots: binary32 flushes always, to nearest even ---

#[inline(always)]
pub(super) fn rcp(_: impl Host, _: &FloatMode, [a, ..]: [&Lanes; 3], d: &mut Lanes) -> Option<()> {
    // A result next to the smallest normal number lies more than half a unit below it, or is exact.
    accept_numbers(map(a, |x| flushed((1.0 / f32::from_bits(flushed(x))).to_bits())), d)
}

#[inline(always)]
pub(super) fn sqrt(_: impl Host, _: &FloatMode, [a, ..]: [&Lanes; 3], d: &mut Lanes) -> Option<()> {
    let out = map(a, |x| f32::from_bits(flushed(x)).sqrt().to_bits());
    accept_unless(any(&out, |x| x == SIGN || is_nan(x)), out, d)
}

#[inline(always)]
pub(super) fn rsq(_: impl Host, _: &FloatMode, [a, ..]: [&Lanes; 3], d: &mut Lanes) -> Option<()> {
    // The result is rounded twice in binary64 and once to binary32. All significands were compared with the exact
    // function.
    let rsq = |x: u32| ((1.0 / f64::from(f32::from_bits(flushed(x))).sqrt()) as f32).to_bits();
    accept_numbers(map(a, rsq), d)
}

// --- binary64 ---

#[inline(always)]
pub(super) fn join(a: &Pairs) -> Doubles {
    let mut out = [0; 64];
    for i in 0..64 {
        out[i] = u64::from(a[0][i]) | u64::from(a[1][i]) << 32;
    }
    out
}

#[inline(always)]
pub(super) fn split(out: &Doubles, d: &mut Pairs) {
    for i in 0..64 {
        d[0][i] = out[i] as u32;
        d[1][i] = (out[i] >> 32) as u32;
    }
}

#[inline(always)]
pub(super) fn is_nan64(x: u64) -> bool {
    x & !(1 << 63) > 0x7ff << 52
}

/// Accepts the result, unless there is a NaN.
#[inline(always)]
pub(super) fn accept_doubles(out: &Doubles, d: &mut Pairs) -> Option<()> {
    if any(out, is_nan64) {
        return None;
    }
    split(out, d);
    Some(())
}

/// Does what [`order`] does, for binary64.
#[inline(always)]
fn order64(x: u64) -> i64 {
    (x ^ (((x as i64) >> 63) as u64 >> 1)) as i64
}

#[inline(always)]
fn choose64(m: &FloatMode, a: &Pairs, b: &Pairs, d: &mut Pairs, first: impl Fn(i64, i64) -> bool) -> Option<()> {
    let [mut a, mut b] = [a, b].map(join);
    if any(&a, is_nan64) || any(&b, is_nan64) {
        return None;
    }
    // From GCN 1.4 on, MODE decides on denormals. Before, they are kept.
    if m.arch >= Arch::Gcn14 && !m.wide.keep_in {
        for s in [&mut a, &mut b] {
            for x in s {
                *x = if *x & 0x7ff << 52 == 0 { *x & 1 << 63 } else { *x };
            }
        }
    }
    for i in 0..64 {
        a[i] = if first(order64(a[i]), order64(b[i])) { a[i] } else { b[i] };
    }
    split(&a, d);
    Some(())
}

#[inline(always)]
pub(super) fn min64(_: impl Host, m: &FloatMode, [a, b, _]: [&Pairs; 3], d: &mut Pairs) -> Option<()> {
    choose64(m, a, b, d, |a, b| a < b)
}

#[inline(always)]
pub(super) fn max64(_: impl Host, m: &FloatMode, [a, b, _]: [&Pairs; 3], d: &mut Pairs) -> Option<()> {
    choose64(m, a, b, d, |a, b| a > b)
}
