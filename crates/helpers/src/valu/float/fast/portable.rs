//! Fast paths for any host: those of [`plain`], and arithmetic with rounding to nearest even that avoids denormals or
//! keeps them.

use super::super::{Env, FloatMode, Rounding};
use super::plain::{self, Doubles, INF, MIN_NORMAL, SIGN, accept_numbers, any};
use super::{Fast, Fast64, Lanes, Pairs};

/// Whether the host's arithmetic does what the environment asks, provided that no denormals occur.
fn is_nearest(env: Env) -> bool {
    env.rounding == Rounding::Nearest
}

fn is_denormal(x: u32) -> bool {
    x & INF == 0 && x & !SIGN != 0
}

/// Whether flushing makes no difference: denormals are kept, or no source is one and no result might be flushed.
fn clear(env: Env, sources: &[&Lanes], results: &[&Lanes]) -> bool {
    env.keep_in && env.keep_out
        || !sources.iter().any(|s| any(s, is_denormal))
            && !results.iter().any(|r| any(r, |x| x & !SIGN != 0 && x & !SIGN <= MIN_NORMAL))
}

fn zip(a: &Lanes, b: &Lanes, f: impl Fn(f32, f32) -> f32) -> Lanes {
    let mut out = [0; 64];
    for i in 0..64 {
        out[i] = f(f32::from_bits(a[i]), f32::from_bits(b[i])).to_bits();
    }
    out
}

fn binary(m: &FloatMode, a: &Lanes, b: &Lanes, d: &mut Lanes, f: impl Fn(f32, f32) -> f32) -> bool {
    if !is_nearest(m.single) {
        return false;
    }
    let out = zip(a, b, f);
    clear(m.single, &[a, b], &[&out]) && accept_numbers(out, d)
}

fn add(m: &FloatMode, [a, b, _]: [&Lanes; 3], d: &mut Lanes) -> bool {
    binary(m, a, b, d, |a, b| a + b)
}

fn sub(m: &FloatMode, [a, b, _]: [&Lanes; 3], d: &mut Lanes) -> bool {
    binary(m, a, b, d, |a, b| a - b)
}

fn subrev(m: &FloatMode, [a, b, _]: [&Lanes; 3], d: &mut Lanes) -> bool {
    binary(m, a, b, d, |a, b| b - a)
}

fn mul(m: &FloatMode, [a, b, _]: [&Lanes; 3], d: &mut Lanes) -> bool {
    binary(m, a, b, d, |a, b| a * b)
}

fn mad(m: &FloatMode, [a, b, c]: [&Lanes; 3], d: &mut Lanes) -> bool {
    if !is_nearest(m.single) {
        return false;
    }
    let product = zip(a, b, |a, b| a * b);
    let sum = zip(&product, c, |a, b| a + b);
    clear(m.single.flushing(), &[a, b, c], &[&product, &sum]) && accept_numbers(sum, d)
}

fn binary64(m: &FloatMode, a: &Pairs, b: &Pairs, d: &mut Pairs, f: impl Fn(f64, f64) -> f64) -> bool {
    if !(is_nearest(m.wide) && m.wide.keep_in && m.wide.keep_out) {
        return false;
    }
    let [mut out, b]: [Doubles; 2] = [a, b].map(plain::join);
    for i in 0..64 {
        out[i] = f(f64::from_bits(out[i]), f64::from_bits(b[i])).to_bits();
    }
    plain::accept_doubles(&out, d)
}

fn add64(m: &FloatMode, [a, b, _]: [&Pairs; 3], d: &mut Pairs) -> bool {
    binary64(m, a, b, d, |a, b| a + b)
}

fn mul64(m: &FloatMode, [a, b, _]: [&Pairs; 3], d: &mut Pairs) -> bool {
    binary64(m, a, b, d, |a, b| a * b)
}

super::table! { find Fast Lanes:
    add as v_add_f32,
    sub as v_sub_f32,
    subrev as v_subrev_f32,
    mul as v_mul_f32,
    mad as v_mac_f32,
    mad as v_mad_f32,
    mad as v_madmk_f32,
    mad as v_madak_f32,
    plain::min as v_min_f32,
    plain::max as v_max_f32,
    plain::min3 as v_min3_f32,
    plain::max3 as v_max3_f32,
    plain::med3 as v_med3_f32,
    plain::cvt_i32 as v_cvt_i32_f32,
    plain::cvt_u32 as v_cvt_u32_f32,
    plain::ubyte::<0> as v_cvt_f32_ubyte0,
    plain::ubyte::<8> as v_cvt_f32_ubyte1,
    plain::ubyte::<16> as v_cvt_f32_ubyte2,
    plain::ubyte::<24> as v_cvt_f32_ubyte3,
    plain::off_i4 as v_cvt_off_f32_i4,
    plain::cvt_f32_f16 as v_cvt_f32_f16,
    plain::rcp as v_rcp_f32,
    plain::rcp as v_rcp_iflag_f32,
    plain::sqrt as v_sqrt_f32,
    plain::rsq as v_rsq_f32,
}

super::table! { find64 Fast64 Pairs:
    add64 as v_add_f64,
    mul64 as v_mul_f64,
    plain::min64 as v_min_f64,
    plain::max64 as v_max_f64,
}
