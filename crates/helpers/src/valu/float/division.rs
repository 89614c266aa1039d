//! DIV_SCALE, DIV_FMAS, DIV_FIXUP: docs/gcn/valu-float.md#division.

use gcnsim_isa::Arch;

use super::super::notes::{DIV_SCALE_S0, DIV_SCALE_VCC_GFX6, NAN_QUIET};
use super::arith::fma_exact;
use super::format::*;
use super::soft::{Num, finish};
use super::{Env, FloatMode};

/// Constants of the division helpers.
trait Divide: Format {
    /// The difference of exponents from which on the quotient is scaled afterwards.
    const THRESHOLD: i32;
    /// The power of two for scaling.
    const SCALE: i32;
    /// A numerator whose exponent field is at most this is scaled up.
    const SMALL: i32;
}

impl Divide for F32 {
    const THRESHOLD: i32 = 96;
    const SCALE: i32 = 64;
    const SMALL: i32 = 24;
}

impl Divide for F64 {
    const THRESHOLD: i32 = 768;
    const SCALE: i32 = 128;
    const SMALL: i32 = 53;
}

/// V_DIV_SCALE, whose cases have the order of docs/gcn/valu-float.md#division. Returns the scaled value, and whether to
/// scale the quotient back.
fn div_scale<F: Divide>(m: &FloatMode, sources: [u64; 3], notes: &mut u32) -> (u64, bool) {
    let env = F::env(m);
    let [value, denominator, numerator] = sources.map(|x| flush::<F>(env, x));
    let is_denominator = value == denominator;
    if !is_denominator && value != numerator {
        *notes |= DIV_SCALE_S0;
    }
    if m.arch == Arch::Gcn10 && F::WIDTH == 64 {
        *notes |= DIV_SCALE_VCC_GFX6;
    }
    let (field_d, field_n) = (exponent::<F>(denominator), exponent::<F>(numerator));
    let difference = field_n - field_d;
    let (adjust, post) = if difference >= F::THRESHOLD {
        (if is_denominator { F::SCALE } else { 0 }, true)
    } else if field_d == 0 {
        (F::SCALE, false)
    } else if field_d >= 2 * F::BIAS - 1 {
        let post = difference <= -F::THRESHOLD;
        (if post && !is_denominator { 0 } else { -F::SCALE }, post)
    } else if difference <= -F::THRESHOLD {
        (if is_denominator { 0 } else { F::SCALE }, true)
    } else if field_n <= F::SMALL {
        (F::SCALE, false)
    } else {
        (0, false)
    };
    let scaled = match () {
        () if is_zero::<F>(denominator) || is_zero::<F>(numerator) => F::QNAN,
        () if is_nan::<F>(value) => value | F::QUIET,
        () if is_inf::<F>(value) => value,
        () => finish::<F>(m, env, Num::unpack::<F>(value).scaled(adjust), notes),
    };
    (scaled, post)
}

fn div_fmas<F: Divide>(m: &FloatMode, sources: [u64; 3], vcc: bool, notes: &mut u32) -> u64 {
    let env = F::env(m);
    let scale = match (vcc, exponent::<F>(sources[2]) > F::BIAS) {
        (false, _) => 0,
        (true, true) => F::SCALE,
        (true, false) => -F::SCALE,
    };
    match fma_exact::<F>(m, env, sources, notes) {
        Ok(sum) => finish::<F>(m, env, sum.scaled(scale), notes),
        Err(special) => special,
    }
}

/// The special cases, which the sources decide without the quotient.
fn fixup_special<F: Format>(quotient_sign: u64, denominator: u64, numerator: u64) -> Option<u64> {
    if is_nan::<F>(numerator) {
        return Some(numerator | F::QUIET);
    }
    if is_nan::<F>(denominator) {
        return Some(denominator | F::QUIET);
    }
    let zeros = (is_zero::<F>(denominator), is_zero::<F>(numerator));
    let infinities = (is_inf::<F>(denominator), is_inf::<F>(numerator));
    match (zeros, infinities) {
        ((true, true), _) | (_, (true, true)) => Some(F::QNAN),
        ((true, _), _) | (_, (_, true)) => Some(quotient_sign | F::INF),
        ((_, true), _) | (_, (true, _)) => Some(quotient_sign),
        _ => None,
    }
}

fn div_fixup<F: Format>(m: &FloatMode, quotient: u64, s1: u64, s2: u64, notes: &mut u32) -> u64 {
    let env: Env = F::env(m);
    let [denominator, numerator] = [s1, s2].map(|x| flush::<F>(env, x));
    let sign = (denominator ^ numerator) & F::SIGN;
    if let Some(special) = fixup_special::<F>(sign, denominator, numerator) {
        return special;
    }
    if F::WIDTH != 16 {
        let beyond = |exponent| Num { negative: sign != 0, exponent, significand: 1 << 63 };
        // The exponent is below half the smallest denormal, or above the largest number.
        if exponent::<F>(numerator) - exponent::<F>(denominator) < -(F::BIAS + F::FRACTION as i32) {
            return finish::<F>(m, env, beyond(-4 * F::BIAS), notes);
        }
        if magnitude::<F>(quotient) >= F::INF {
            return finish::<F>(m, env, beyond(4 * F::BIAS), notes);
        }
    }
    // The quotient is kept as it is. Only binary16 gets here with a NaN.
    if is_nan::<F>(quotient) && quotient & F::QUIET == 0 && !m.ieee {
        *notes |= NAN_QUIET;
    }
    sign | magnitude::<F>(quotient)
}

lanes! { F32 u32:
    /// The quotient S0 of S2 by S1 with the right sign, or the result of a special case. A denormal quotient is kept.
    v_div_fixup_f32(s0, s1, s2) = div_fixup;
}

lanes! { F64 u64:
    /// The quotient S0 of S2 by S1 with the right sign, or the result of a special case. A denormal quotient is kept.
    v_div_fixup_f64(s0, s1, s2) = div_fixup;
}

lanes! { F16 u16:
    /// The quotient S0 of S2 by S1 with the right sign, or the result of a special case. A denormal quotient is kept.
    v_div_fixup_f16(s0, s1, s2) = div_fixup;
    /// The arithmetic is that of V_DIV_FIXUP_F16. Only the effect on the other half of the register differs.
    v_div_fixup_legacy_f16(s0, s1, s2) = div_fixup;
}

/// S0 (the denominator S1 or the numerator S2), scaled for a division. The bit says whether to scale the quotient back.
pub fn v_div_scale_f32(m: &FloatMode, s0: u32, s1: u32, s2: u32, notes: &mut u32) -> (u32, bool) {
    let (value, post) = div_scale::<F32>(m, [s0, s1, s2].map(u64::from), notes);
    (value as u32, post)
}

/// S0 (the denominator S1 or the numerator S2), scaled for a division. The bit says whether to scale the quotient back.
pub fn v_div_scale_f64(m: &FloatMode, s0: u64, s1: u64, s2: u64, notes: &mut u32) -> (u64, bool) {
    div_scale::<F64>(m, [s0, s1, s2], notes)
}

/// S0 * S1 + S2 with one rounding. If VCC says so, it is multiplied by 2^64 or 2^-64, as S2's exponent decides.
pub fn v_div_fmas_f32(m: &FloatMode, s0: u32, s1: u32, s2: u32, vcc: bool, notes: &mut u32) -> u32 {
    div_fmas::<F32>(m, [s0, s1, s2].map(u64::from), vcc, notes) as u32
}

/// S0 * S1 + S2 with one rounding. If VCC says so, it is multiplied by 2^128 or 2^-128, as S2's exponent decides.
pub fn v_div_fmas_f64(m: &FloatMode, s0: u64, s1: u64, s2: u64, vcc: bool, notes: &mut u32) -> u64 {
    div_fmas::<F64>(m, [s0, s1, s2], vcc, notes)
}
