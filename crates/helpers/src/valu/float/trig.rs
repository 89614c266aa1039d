//! Sine and cosine of revolutions, correctly rounded to nearest even, and the bits of 2/pi:
//! docs/gcn/valu-float.md#transcendental-functions.
//!
//! The reduction is exact. The series have an error below 2^-60 of the result.

use gcnsim_isa::Arch;

use super::super::notes::{TRIG_PREOP_TAIL, TRIG_RANGE};
use super::exp_log::{BELOW_ONE, ONE, mul_high};
use super::format::*;
use super::roots::{approximate, approximate_env};
use super::soft::{self, Num, finish};
use super::{Env, FloatMode, Rounding};

/// 2 pi.
const TWO_PI: Num = Num { negative: false, exponent: 2, significand: 0xc90f_daa2_2168_c235 };

/// 1 / (first + 2k)! in units of 2^-63, for k from 0. `first` is 0 or 1.
const fn factorials(first: u128) -> [u64; 11] {
    let mut coefficients = [0; 11];
    let mut term: u128 = 1 << 126;
    let mut k = 0;
    while k < 11 {
        coefficients[k] = (term >> 63) as u64;
        let n = first + 2 * k as u128;
        term /= (n + 1) * (n + 2);
        k += 1;
    }
    coefficients
}

const COS: [u64; 11] = factorials(0);
const SIN: [u64; 11] = factorials(1);

/// c0 - z (c1 - z (c2 - ..)), with z in units of 2^-64.
fn alternating(coefficients: &[u64; 11], z: u64) -> u64 {
    coefficients.iter().rev().fold(0, |sum, coefficient| coefficient - mul_high(sum, z))
}

/// The fraction of |x| in units of 2^-64; `None` if x is so small that it would not be exact.
fn fraction(x: Num) -> Option<u64> {
    match x.exponent + 1 {
        64.. => Some(0),
        up @ 0..64 => Some(x.significand << up),
        // The lowest bit of a binary32 significand is at bit 40.
        down @ -40..0 => Some(x.significand >> -down),
        _ => None,
    }
}

/// sin(2 pi x), or with `turn` = 1 cos(2 pi x).
fn sine(x: Num, turn: u64) -> Num {
    let Some(revolution) = fraction(x) else {
        return if turn == 1 { BELOW_ONE } else { soft::mul(x, TWO_PI) };
    };
    // The nearest quarter, and the rest, which is at most 1/8.
    let quarter = revolution.wrapping_add(1 << 61) >> 62;
    let rest = revolution.wrapping_sub(quarter << 62) as i64;
    let phase = (quarter + turn) & 3;
    let negative = phase >= 2;
    let is_sine = phase & 1 == 0;
    // The sine is odd in x; the cosine is even.
    let odd = turn == 0 && x.negative;
    if rest == 0 {
        return match is_sine {
            true => Num { negative: false, exponent: 0, significand: 0 },
            false => Num { negative: negative != odd, exponent: 0, significand: ONE },
        };
    }
    let size = rest.unsigned_abs();
    let angle = ((u128::from(size) * u128::from(TWO_PI.significand)) >> 61) as u64;
    let square = mul_high(angle, angle);
    if !is_sine {
        return Num::above_integer(negative != odd, alternating(&COS, square), -63);
    }
    let factor = Num::above_integer(false, alternating(&SIN, square), -63);
    let rest = Num::from_integer((negative != odd) != (rest < 0), size.into(), -64);
    soft::mul(soft::mul(rest, TWO_PI), factor)
}

fn trig<F: Format>(m: &FloatMode, env: Env, s0: u64, turn: u64, notes: &mut u32) -> u64 {
    let mut outside = false;
    let result = approximate::<F>(m, env, s0, notes, |x| {
        if is_inf::<F>(x) {
            return Err(F::QNAN);
        }
        let limit = F::ONE + (8 << F::FRACTION);
        outside = magnitude::<F>(x) > limit;
        if outside && m.arch < Arch::Gcn14 {
            return Err(if turn == 1 { F::ONE } else { 0 });
        }
        match Num::unpack::<F>(x) {
            zero if zero.is_zero() => Err(if turn == 1 { F::ONE } else { 0 }),
            number => Ok(sine(number, turn)),
        }
    });
    if outside {
        *notes |= TRIG_RANGE;
    }
    result
}

/// sin(2 pi S0). Unlike for other approximations, MODE decides on denormals.
pub fn v_sin_f32(m: &FloatMode, s0: u32, notes: &mut u32) -> u32 {
    trig::<F32>(m, m.single.nearest(), s0.into(), 0, notes) as u32
}

/// cos(2 pi S0).
pub fn v_cos_f32(m: &FloatMode, s0: u32, notes: &mut u32) -> u32 {
    trig::<F32>(m, approximate_env::<F32>(m), s0.into(), 1, notes) as u32
}

/// sin(2 pi S0).
pub fn v_sin_f16(m: &FloatMode, s0: u16, notes: &mut u32) -> u16 {
    trig::<F16>(m, approximate_env::<F16>(m), s0.into(), 0, notes) as u16
}

/// cos(2 pi S0).
pub fn v_cos_f16(m: &FloatMode, s0: u16, notes: &mut u32) -> u16 {
    trig::<F16>(m, approximate_env::<F16>(m), s0.into(), 1, notes) as u16
}

/// The first 1184 bits of 2/pi after the point.
const TWO_BY_PI: [u32; 37] = [
    0xa2f9836e, 0x4e441529, 0xfc2757d1, 0xf534ddc0, 0xdb629599, 0x3c439041, 0xfe5163ab, 0xdebbc561, 0xb7246e3a,
    0x424dd2e0, 0x06492eea, 0x09d1921c, 0xfe1deb1c, 0xb129a73e, 0xe88235f5, 0x2ebb4484, 0xe99c7026, 0xb45f7e41,
    0x3991d639, 0x835339f4, 0x9c845f8b, 0xbdf9283b, 0x1ff897ff, 0xde05980f, 0xef2f118b, 0x5a0a6d1f, 0x6d367ecf,
    0x27cb09b7, 0x4f463f66, 0x9e5fea2d, 0x7527bac7, 0xebe5f17b, 0x3d0739f7, 0x8a5292ea, 0x6bfb5fb1, 0x1f8d5d08,
    0x56033046,
];

/// 53 bits of 2/pi from a place that S0's exponent and S1\[4:0\] choose, scaled and truncated.
pub fn v_trig_preop_f64(m: &FloatMode, s0: u64, s1: u32, notes: &mut u32) -> u64 {
    let field = exponent::<F64>(s0);
    let shift = (s1 & 31) * 53 + (field - 1077).max(0) as u32;
    if shift >= 1120 || is_nan::<F64>(s0) {
        *notes |= TRIG_PREOP_TAIL;
    }
    let word = |i: u32| u128::from(TWO_BY_PI.get((shift / 32 + i) as usize).copied().unwrap_or(0));
    let window = word(0) << 64 | word(1) << 32 | word(2);
    let segment = window >> (96 - 53 - shift % 32) & ((1 << 53) - 1);
    let scale = -53 - shift as i32 + if field >= 1968 { 128 } else { 0 };
    let env = Env { rounding: Rounding::Zero, ..m.wide };
    finish::<F64>(m, env, Num::from_integer(false, segment, scale), notes)
}
