//! Addition, multiplication, MAD (two roundings) and FMA (one).

use super::super::notes::{MAD_F16_DENORM, MULLIT};
use super::format::*;
use super::soft::{self, Num, Outcome, finish, finish_outcome};
use super::{Env, FloatMode, Rounding};

/// The sum of sources that are not NaN.
fn add_numbers<F: Format>(m: &FloatMode, env: Env, a: u64, b: u64, notes: &mut u32) -> (u64, Outcome) {
    match (is_inf::<F>(a), is_inf::<F>(b)) {
        (true, true) if a != b => (F::QNAN, Outcome::Fits),
        (true, _) => (a, Outcome::Fits),
        (false, true) => (b, Outcome::Fits),
        (false, false) => {
            let sum = soft::add(Num::unpack::<F>(a), Num::unpack::<F>(b), env.rounding);
            finish_outcome::<F>(m, env, sum, notes)
        }
    }
}

/// Whether the product is infinity times zero. Neither source is a NaN.
fn is_invalid_product<F: Format>(a: u64, b: u64) -> bool {
    is_inf::<F>(a) && is_zero::<F>(b) || is_zero::<F>(a) && is_inf::<F>(b)
}

/// The product of sources that are not NaN.
fn mul_numbers<F: Format>(m: &FloatMode, env: Env, a: u64, b: u64, notes: &mut u32) -> (u64, Outcome) {
    if is_invalid_product::<F>(a, b) {
        return (F::QNAN, Outcome::Fits);
    }
    if is_inf::<F>(a) || is_inf::<F>(b) {
        return ((a ^ b) & F::SIGN | F::INF, Outcome::Fits);
    }
    finish_outcome::<F>(m, env, soft::mul(Num::unpack::<F>(a), Num::unpack::<F>(b)), notes)
}

/// A sum. `flip` names the source whose sign is flipped before, unless it is a NaN.
fn add_flipped<F: Format>(m: &FloatMode, s0: u64, s1: u64, flip: [bool; 2], notes: &mut u32) -> u64 {
    let env = F::env(m);
    let [s0, s1] = [s0, s1].map(|x| flush::<F>(env, x));
    if let Some(nan) = first_nan::<F>(m, &[s0, s1], notes) {
        return nan;
    }
    let sign = |flip: bool| if flip { F::SIGN } else { 0 };
    add_numbers::<F>(m, env, s0 ^ sign(flip[0]), s1 ^ sign(flip[1]), notes).0
}

fn add<F: Format>(m: &FloatMode, s0: u64, s1: u64, notes: &mut u32) -> u64 {
    add_flipped::<F>(m, s0, s1, [false, false], notes)
}

fn sub<F: Format>(m: &FloatMode, s0: u64, s1: u64, notes: &mut u32) -> u64 {
    add_flipped::<F>(m, s0, s1, [false, true], notes)
}

fn subrev<F: Format>(m: &FloatMode, s0: u64, s1: u64, notes: &mut u32) -> u64 {
    add_flipped::<F>(m, s0, s1, [true, false], notes)
}

fn mul<F: Format>(m: &FloatMode, s0: u64, s1: u64, notes: &mut u32) -> u64 {
    let env = F::env(m);
    let [s0, s1] = [s0, s1].map(|x| flush::<F>(env, x));
    match first_nan::<F>(m, &[s0, s1], notes) {
        Some(nan) => nan,
        None => mul_numbers::<F>(m, env, s0, s1, notes).0,
    }
}

/// A product with a zero is +0, whatever the other source is.
fn mul_legacy<F: Format>(m: &FloatMode, s0: u64, s1: u64, notes: &mut u32) -> u64 {
    let [f0, f1] = [s0, s1].map(|x| flush::<F>(F::env(m), x));
    if is_zero::<F>(f0) || is_zero::<F>(f1) { 0 } else { mul::<F>(m, s0, s1, notes) }
}

/// The result for NaNs: the first of S0, S1, an invalid product, S2.
fn fused_nan<F: Format>(m: &FloatMode, [s0, s1, s2]: [u64; 3], notes: &mut u32) -> Option<u64> {
    note_payloads::<F>(&[s0, s1, s2], notes);
    match () {
        () if is_nan::<F>(s0) => Some(nan_result::<F>(m, s0, notes)),
        () if is_nan::<F>(s1) => Some(nan_result::<F>(m, s1, notes)),
        () if is_invalid_product::<F>(s0, s1) => Some(F::QNAN),
        () if is_nan::<F>(s2) => Some(nan_result::<F>(m, s2, notes)),
        () => None,
    }
}

/// S0 * S1 rounded, plus S2, rounded. Denormals are always flushed. The second value says whether a denormal was
/// flushed that MODE would keep.
pub(super) fn mad_steps<F: Format>(m: &FloatMode, sources: [u64; 3], legacy: bool, notes: &mut u32) -> (u64, bool) {
    let (mode, env) = (F::env(m), F::env(m).flushing());
    let in_doubt = mode.keep_in || mode.keep_out;
    let mut flushed = in_doubt && sources.iter().any(|&x| is_denormal::<F>(x));
    let [s0, s1, s2] = sources.map(|x| flush::<F>(env, x));
    let product = if legacy && (is_zero::<F>(s0) || is_zero::<F>(s1)) {
        if is_nan::<F>(s2) {
            return (nan_result::<F>(m, s2, notes), flushed);
        }
        0
    } else {
        // The product counts, since it may be denormal, even if S2 is a NaN.
        let is_there = !is_nan::<F>(s0) && !is_nan::<F>(s1);
        let product = is_there.then(|| mul_numbers::<F>(m, env, s0, s1, notes));
        flushed |= in_doubt && product.is_some_and(|(_, outcome)| outcome == Outcome::Flushed);
        match (fused_nan::<F>(m, [s0, s1, s2], notes), product) {
            (None, Some((product, _))) => product,
            (nan, _) => return (nan.unwrap_or(F::QNAN), flushed),
        }
    };
    let (sum, outcome) = add_numbers::<F>(m, env, product, s2, notes);
    (sum, flushed | (in_doubt && outcome == Outcome::Flushed))
}

fn mad<F: Format>(m: &FloatMode, s0: u64, s1: u64, s2: u64, notes: &mut u32) -> u64 {
    let (result, flushed) = mad_steps::<F>(m, [s0, s1, s2], false, notes);
    if flushed && F::WIDTH == 16 {
        *notes |= MAD_F16_DENORM;
    }
    result
}

fn mad_legacy<F: Format>(m: &FloatMode, s0: u64, s1: u64, s2: u64, notes: &mut u32) -> u64 {
    mad_steps::<F>(m, [s0, s1, s2], true, notes).0
}

/// S0 * S1 rounded, plus S2, before the second rounding. The error is the result if it is not finite. Denormal sources
/// and products are flushed.
pub(super) fn mad_exact<F: Format>(m: &FloatMode, to: Rounding, s: [u64; 3], notes: &mut u32) -> Result<Num, u64> {
    let env = F::env(m).flushing();
    let [s0, s1, s2] = s.map(|x| flush::<F>(env, x));
    if let Some(nan) = fused_nan::<F>(m, [s0, s1, s2], notes) {
        return Err(nan);
    }
    let product = mul_numbers::<F>(m, env, s0, s1, notes).0;
    match (is_inf::<F>(product), is_inf::<F>(s2)) {
        (true, true) if product != s2 => Err(F::QNAN),
        (true, _) => Err(product),
        (false, true) => Err(s2),
        (false, false) => Ok(soft::add(Num::unpack::<F>(product), Num::unpack::<F>(s2), to)),
    }
}

/// S0 * S1 + S2 before rounding. The error is the result if it is not finite. Sources have been flushed.
pub(super) fn fma_exact<F: Format>(m: &FloatMode, env: Env, s: [u64; 3], notes: &mut u32) -> Result<Num, u64> {
    if let Some(nan) = fused_nan::<F>(m, s, notes) {
        return Err(nan);
    }
    let [s0, s1, s2] = s;
    if is_inf::<F>(s0) || is_inf::<F>(s1) {
        let product = (s0 ^ s1) & F::SIGN | F::INF;
        return Err(if is_inf::<F>(s2) && s2 != product { F::QNAN } else { product });
    }
    if is_inf::<F>(s2) {
        return Err(s2);
    }
    Ok(soft::fma(Num::unpack::<F>(s0), Num::unpack::<F>(s1), Num::unpack::<F>(s2), env.rounding))
}

/// S0 * S1 + S2 with one rounding, in an environment.
pub(super) fn fma_in<F: Format>(m: &FloatMode, env: Env, sources: [u64; 3], notes: &mut u32) -> u64 {
    match fma_exact::<F>(m, env, sources.map(|x| flush::<F>(env, x)), notes) {
        Ok(sum) => finish::<F>(m, env, sum, notes),
        Err(special) => special,
    }
}

fn fma<F: Format>(m: &FloatMode, s0: u64, s1: u64, s2: u64, notes: &mut u32) -> u64 {
    fma_in::<F>(m, F::env(m), [s0, s1, s2], notes)
}

/// -MAX if S2 is not above 0, or if S1 is a NaN, -MAX or -infinity. Otherwise the legacy product.
fn mullit<F: Format>(m: &FloatMode, s0: u64, s1: u64, s2: u64, notes: &mut u32) -> u64 {
    *notes |= MULLIT;
    let f2 = flush::<F>(F::env(m), s2);
    let above_zero = !is_nan::<F>(f2) && !is_zero::<F>(f2) && !is_negative::<F>(f2);
    if !above_zero || is_nan::<F>(s1) || s1 == F::SIGN | F::MAX || s1 == F::SIGN | F::INF {
        F::SIGN | F::MAX
    } else {
        mul_legacy::<F>(m, s0, s1, notes)
    }
}

lanes! { F32 u32:
    /// S0 + S1.
    v_add_f32(s0, s1) = add;
    /// S0 - S1.
    v_sub_f32(s0, s1) = sub;
    /// S1 - S0.
    v_subrev_f32(s0, s1) = subrev;
    /// S0 * S1.
    v_mul_f32(s0, s1) = mul;
    /// S0 * S1, +0 if either is zero.
    v_mul_legacy_f32(s0, s1) = mul_legacy;
    /// S0 * S1 + D with two roundings; denormals are flushed in any mode.
    v_mac_f32(s0, s1, d) = mad;
    /// The legacy product plus D.
    v_mac_legacy_f32(s0, s1, d) = mad_legacy;
    /// S0 * K + S1, sources in the order of the text.
    v_madmk_f32(s0, k, s1) = mad;
    /// S0 * S1 + K.
    v_madak_f32(s0, s1, k) = mad;
    /// S0 * S1 + S2 with two roundings.
    v_mad_f32(s0, s1, s2) = mad;
    /// The legacy product plus S2.
    v_mad_legacy_f32(s0, s1, s2) = mad_legacy;
    /// S0 * S1 + S2 with one rounding.
    v_fma_f32(s0, s1, s2) = fma;
    /// S0 * S1 + D with one rounding.
    v_fmac_f32(s0, s1, d) = fma;
    /// The legacy product, or -MAX, as S1 and S2 decide.
    v_mullit_f32(s0, s1, s2) = mullit;
}

lanes! { F64 u64:
    /// S0 + S1.
    v_add_f64(s0, s1) = add;
    /// S0 * S1.
    v_mul_f64(s0, s1) = mul;
    /// S0 * S1 + S2 with one rounding.
    v_fma_f64(s0, s1, s2) = fma;
}

lanes! { F16 u16:
    /// S0 + S1.
    v_add_f16(s0, s1) = add;
    /// S0 - S1.
    v_sub_f16(s0, s1) = sub;
    /// S1 - S0.
    v_subrev_f16(s0, s1) = subrev;
    /// S0 * S1.
    v_mul_f16(s0, s1) = mul;
    /// S0 * S1 + D with two roundings; denormals are flushed in any mode.
    v_mac_f16(s0, s1, d) = mad;
    /// S0 * K + S1, sources in the order of the text.
    v_madmk_f16(s0, k, s1) = mad;
    /// S0 * S1 + K.
    v_madak_f16(s0, s1, k) = mad;
    /// S0 * S1 + S2 with two roundings.
    v_mad_f16(s0, s1, s2) = mad;
    /// The arithmetic is that of V_MAD_F16. Only the effect on the other half of the register differs.
    v_mad_legacy_f16(s0, s1, s2) = mad;
    /// S0 * S1 + S2 with one rounding.
    v_fma_f16(s0, s1, s2) = fma;
    /// The arithmetic is that of V_FMA_F16. Only the effect on the other half of the register differs.
    v_fma_legacy_f16(s0, s1, s2) = fma;
}
