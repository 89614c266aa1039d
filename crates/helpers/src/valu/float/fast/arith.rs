//! Fast paths by the host's float instructions.

use gcnsim_isa::Arch;

use super::super::{Env, FloatMode};
use super::plain::{self, accept, accept_numbers, accept_unless, is_nan, map};
use super::{Lanes, Pairs};
use crate::host::{Host, MIN_NORMAL, SIGN, any};

#[inline(always)]
pub(super) fn add(host: impl Host, m: &FloatMode, [a, b, _]: [&Lanes; 3], d: &mut Lanes) -> Option<()> {
    accept_numbers(host.add(m.single, a, b)?, d)
}

#[inline(always)]
pub(super) fn sub(host: impl Host, m: &FloatMode, [a, b, _]: [&Lanes; 3], d: &mut Lanes) -> Option<()> {
    accept_numbers(host.sub(m.single, a, b)?, d)
}

#[inline(always)]
pub(super) fn subrev(host: impl Host, m: &FloatMode, [a, b, _]: [&Lanes; 3], d: &mut Lanes) -> Option<()> {
    accept_numbers(host.sub(m.single, b, a)?, d)
}

#[inline(always)]
pub(super) fn mul(host: impl Host, m: &FloatMode, [a, b, _]: [&Lanes; 3], d: &mut Lanes) -> Option<()> {
    accept_numbers(host.mul(m.single, a, b)?, d)
}

/// The product with +0 where a source is zero.
#[inline(always)]
fn legacy_product(host: impl Host, env: Env, a: &Lanes, b: &Lanes) -> Option<Lanes> {
    let mut product = host.mul(env, a, b)?;
    let lowest = if env.keep_in { 1 } else { MIN_NORMAL };
    for i in 0..64 {
        let is_zero = a[i] & !SIGN < lowest || b[i] & !SIGN < lowest;
        product[i] = if is_zero { 0 } else { product[i] };
    }
    Some(product)
}

#[inline(always)]
pub(super) fn mul_legacy(host: impl Host, m: &FloatMode, [a, b, _]: [&Lanes; 3], d: &mut Lanes) -> Option<()> {
    accept_numbers(legacy_product(host, m.single, a, b)?, d)
}

#[inline(always)]
pub(super) fn mad(host: impl Host, m: &FloatMode, [a, b, c]: [&Lanes; 3], d: &mut Lanes) -> Option<()> {
    accept_numbers(host.mad(m.single.flushing(), a, b, c)?, d)
}

#[inline(always)]
pub(super) fn mad_legacy(host: impl Host, m: &FloatMode, [a, b, c]: [&Lanes; 3], d: &mut Lanes) -> Option<()> {
    let env = m.single.flushing();
    let product = legacy_product(host, env, a, b)?;
    accept_numbers(host.add(env, &product, c)?, d)
}

#[inline(always)]
pub(super) fn fma(host: impl Host, m: &FloatMode, [a, b, c]: [&Lanes; 3], d: &mut Lanes) -> Option<()> {
    accept_numbers(host.fma(m.single, a, b, c)?, d)
}

#[inline(always)]
pub(super) fn fract(host: impl Host, m: &FloatMode, [a, ..]: [&Lanes; 3], d: &mut Lanes) -> Option<()> {
    let out = host.fract(m.single, a)?;
    let one = 1.0f32.to_bits();
    // For results from the greatest value below 1 on, GCN 1.0 is in doubt.
    if m.arch == Arch::Gcn10 && any(&out, |x| x & !SIGN >= one - 1) || any(&out, is_nan) {
        return None;
    }
    accept(map(&out, |x| (x & !SIGN).min(one - 1)), d)
}

#[inline(always)]
fn round(m: &FloatMode, a: &Lanes, d: &mut Lanes, f: impl Fn(f32) -> f32) -> Option<()> {
    let a = plain::sources(m.single, a);
    accept_numbers(map(&a, |x| f(f32::from_bits(x)).to_bits()), d)
}

#[inline(always)]
pub(super) fn trunc(_: impl Host, m: &FloatMode, [a, ..]: [&Lanes; 3], d: &mut Lanes) -> Option<()> {
    round(m, a, d, f32::trunc)
}

#[inline(always)]
pub(super) fn ceil(_: impl Host, m: &FloatMode, [a, ..]: [&Lanes; 3], d: &mut Lanes) -> Option<()> {
    round(m, a, d, f32::ceil)
}

#[inline(always)]
pub(super) fn floor(_: impl Host, m: &FloatMode, [a, ..]: [&Lanes; 3], d: &mut Lanes) -> Option<()> {
    round(m, a, d, f32::floor)
}

#[inline(always)]
pub(super) fn rndne(_: impl Host, m: &FloatMode, [a, ..]: [&Lanes; 3], d: &mut Lanes) -> Option<()> {
    round(m, a, d, f32::round_ties_even)
}

#[inline(always)]
pub(super) fn cvt_flr(_: impl Host, m: &FloatMode, [a, ..]: [&Lanes; 3], d: &mut Lanes) -> Option<()> {
    let s = plain::sources(m.single, a);
    accept_unless(any(a, is_nan), map(&s, |x| f32::from_bits(x).floor() as i32 as u32), d)
}

#[inline(always)]
pub(super) fn cvt_rpi(_: impl Host, _: &FloatMode, [a, ..]: [&Lanes; 3], d: &mut Lanes) -> Option<()> {
    // The sum is exact in binary64 unless the source is far below 1/2, and then its floor is still right.
    accept_unless(any(a, is_nan), map(a, |x| (f64::from(f32::from_bits(x)) + 0.5).floor() as i32 as u32), d)
}

#[inline(always)]
pub(super) fn from_i32(host: impl Host, m: &FloatMode, [a, ..]: [&Lanes; 3], d: &mut Lanes) -> Option<()> {
    accept(host.of_i32(m.single, a)?, d)
}

#[inline(always)]
pub(super) fn from_u32(host: impl Host, m: &FloatMode, [a, ..]: [&Lanes; 3], d: &mut Lanes) -> Option<()> {
    // Each half is exact as a float, and the sum of the halves is rounded once.
    let high = map(a, |x| ((x >> 16) as f32 * 65536.0).to_bits());
    let low = map(a, |x| ((x & 0xffff) as f32).to_bits());
    accept(host.add(m.single, &high, &low)?, d)
}

/// Accepts the result, unless binary16 results are NaNs or in doubt.
#[inline(always)]
fn accept_f16(m: &FloatMode, out: &[u16; 64]) -> bool {
    let is_nan = any(out, |x| x & 0x7fff > 0x7c00);
    // A result that is the smallest normal number may be so only after rounding to the precision of denormals.
    let is_small = plain::doubts_f16_denormals(m) && any(out, |x| x & 0x7fff != 0 && x & 0x7fff <= 0x400);
    !is_nan && !is_small
}

#[inline(always)]
pub(super) fn cvt_f16(host: impl Host, m: &FloatMode, [a, ..]: [&Lanes; 3], d: &mut Lanes) -> Option<()> {
    if m.fp16_ovfl || m.single.rounding != m.wide.rounding {
        return None;
    }
    let out = host.to_f16(m.single, &plain::sources(m.single, a))?;
    if !accept_f16(m, &out) {
        return None;
    }
    for i in 0..64 {
        d[i] = out[i].into();
    }
    Some(())
}

#[inline(always)]
pub(super) fn cvt_pkrtz(host: impl Host, m: &FloatMode, [a, b, _]: [&Lanes; 3], d: &mut Lanes) -> Option<()> {
    let (low, high) = (host.to_f16_rtz(m.single, a)?, host.to_f16_rtz(m.single, b)?);
    if m.fp16_ovfl || !accept_f16(m, &low) || !accept_f16(m, &high) {
        return None;
    }
    for i in 0..64 {
        d[i] = u32::from(low[i]) | u32::from(high[i]) << 16;
    }
    Some(())
}

#[inline(always)]
pub(super) fn ldexp(host: impl Host, m: &FloatMode, [a, b, _]: [&Lanes; 3], d: &mut Lanes) -> Option<()> {
    // The product is exact in binary64. Powers beyond 400 take any number out of the range of binary32.
    let a = plain::sources(m.single, a);
    let mut product = [0; 64];
    for i in 0..64 {
        let power = (b[i] as i32).clamp(-400, 400);
        let factor = f64::from_bits(((1023 + power) as u64) << 52);
        product[i] = (f64::from(f32::from_bits(a[i])) * factor).to_bits();
    }
    accept_numbers(host.narrow(m.single, &product)?, d)
}

#[inline(always)]
pub(super) fn add64(host: impl Host, m: &FloatMode, [a, b, _]: [&Pairs; 3], d: &mut Pairs) -> Option<()> {
    let [a, b] = [a, b].map(plain::join);
    plain::accept_doubles(&host.add64(m.wide, &a, &b)?, d)
}

#[inline(always)]
pub(super) fn mul64(host: impl Host, m: &FloatMode, [a, b, _]: [&Pairs; 3], d: &mut Pairs) -> Option<()> {
    let [a, b] = [a, b].map(plain::join);
    plain::accept_doubles(&host.mul64(m.wide, &a, &b)?, d)
}

#[inline(always)]
pub(super) fn fma64(host: impl Host, m: &FloatMode, s: [&Pairs; 3], d: &mut Pairs) -> Option<()> {
    let [a, b, c] = s.map(plain::join);
    plain::accept_doubles(&host.fma64(m.wide, &a, &b, &c)?, d)
}
