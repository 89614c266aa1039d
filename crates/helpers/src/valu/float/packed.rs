//! Packed, mixed-precision and dot products: docs/gcn/valu-packed.md#vop3p; V_PACK_B32_F16.
//!
//! Packed operations are functions of one half of each source. The caller handles halves, OP_SEL and NEG.

use super::super::notes::{DOT2_ROUNDING, MAD_MIX_DENORM, MIX_F16_DENORM, MIX_ROUND, NAN_QUIET};
use super::arith::{self, fma_exact, fma_in, mad_exact, mad_steps};
use super::convert::convert;
use super::format::*;
use super::soft::{self, Num, Outcome, finish, pack};
use super::{Env, FloatMode, minmax};

macro_rules! halves {
    ($($(#[doc = $doc:literal])* $name:ident($($source:ident),*) = $scalar:path;)*) => {
        $(
            $(#[doc = $doc])*
            pub fn $name(m: &FloatMode, $($source: u16,)* notes: &mut u32) -> u16 {
                $scalar(m, $($source,)* notes)
            }
        )*
    };
}

halves! {
    /// S0 + S1 of one half.
    v_pk_add_f16(s0, s1) = arith::v_add_f16;
    /// S0 * S1 of one half.
    v_pk_mul_f16(s0, s1) = arith::v_mul_f16;
    /// S0 * S1 + S2 of one half, with one rounding.
    v_pk_fma_f16(s0, s1, s2) = arith::v_fma_f16;
    /// The lesser of one half.
    v_pk_min_f16(s0, s1) = minmax::v_min_f16;
    /// The greater of one half.
    v_pk_max_f16(s0, s1) = minmax::v_max_f16;
}

/// S0 in the low half and S1 in the high half, with their bits unchanged.
pub fn v_pack_b32_f16(_: &FloatMode, s0: u16, s1: u16, _: &mut u32) -> u32 {
    u32::from(s0) | u32::from(s1) << 16
}

/// A binary16 source of a mixed operation as binary32. It is exact: denormals and NaN payloads are kept, and no NaN
/// becomes quiet.
pub fn widen_f16(x: u16) -> u32 {
    let x = u64::from(x);
    let sign = if is_negative::<F16>(x) { F32::SIGN } else { 0 };
    if magnitude::<F16>(x) >= F16::INF {
        let payload = x & (F16::MIN_NORMAL - 1);
        return (sign | F32::INF | payload << (F32::FRACTION - F16::FRACTION)) as u32;
    }
    let env = Env { keep_in: true, keep_out: true, rounding: super::Rounding::Nearest };
    pack::<F32>(env, Num::unpack::<F16>(x)).0 as u32
}

/// A binary16 source of a MAD_MIX or DOT2: a denormal is flushed whatever MODE says.
pub fn flushed_half(m: &FloatMode, x: u16, notes: &mut u32) -> u16 {
    if !is_denormal::<F16>(x.into()) {
        return x;
    }
    if m.wide.keep_in {
        *notes |= MIX_F16_DENORM;
    }
    flush::<F16>(m.wide.flushing(), x.into()) as u16
}

/// A binary16 source of a FMA_MIX: MODE decides on a denormal.
pub fn fused_half(m: &FloatMode, x: u16, notes: &mut u32) -> u16 {
    if is_denormal::<F16>(x.into()) {
        *notes |= MIX_F16_DENORM;
    }
    flush::<F16>(m.wide, x.into()) as u16
}

/// The binary32 sum of a MAD_MIX.
fn mad_mix(m: &FloatMode, sources: [u32; 3], notes: &mut u32) -> u64 {
    let (sum, flushed) = mad_steps::<F32>(m, sources.map(u64::from), false, notes);
    if flushed {
        *notes |= MAD_MIX_DENORM;
    }
    sum
}

/// The second rounding of a MAD_MIXLO or MAD_MIXHI.
fn mad_mix_f16(m: &FloatMode, sources: [u32; 3], notes: &mut u32) -> u16 {
    let mut sum_notes = 0;
    let sum = mad_mix(m, sources, &mut sum_notes);
    // The conversion narrows, so it makes a NaN quiet anyway.
    *notes |= sum_notes & !NAN_QUIET;
    let wide = m.wide.flushing();
    let result = convert::<F32, F16>(m, wide, sum, notes);
    let is_flushed = || pack::<F16>(wide, Num::unpack::<F32>(sum)).1 == Outcome::Flushed;
    if m.wide.keep_out && magnitude::<F32>(sum) < F32::INF && is_flushed() {
        *notes |= MIX_F16_DENORM;
    }
    // A result is in doubt if the rounded product plus S2, rounded once, is another one.
    let env = m.single.flushing();
    let finite = |x: u64| magnitude::<F32>(x) < F32::INF;
    let [s0, s1, s2] = sources.map(|x| flush::<F32>(env, x.into()));
    if finite(s0) && finite(s1) && finite(s2) {
        let product = pack::<F32>(env, soft::mul(Num::unpack::<F32>(s0), Num::unpack::<F32>(s1))).0;
        if finite(product) {
            let exact = soft::add(Num::unpack::<F32>(product), Num::unpack::<F32>(s2), env.rounding);
            if finish::<F16>(m, wide, exact, &mut 0) != result {
                *notes |= MIX_ROUND;
            }
        }
    }
    result as u16
}

/// The single rounding of an FMA_MIXLO or FMA_MIXHI.
fn fma_mix_f16(m: &FloatMode, sources: [u32; 3], notes: &mut u32) -> u16 {
    let env = m.single;
    let sources = sources.map(|x| flush::<F32>(env, x.into()));
    let mut sum_notes = 0;
    // The sign of a zero depends on the rounding of the sum.
    let sum = fma_exact::<F32>(m, Env { rounding: m.wide.rounding, ..env }, sources, &mut sum_notes);
    *notes |= sum_notes & !NAN_QUIET;
    let result = match sum {
        Ok(sum) => {
            let result = finish::<F16>(m, m.wide, sum, notes);
            let twice = convert::<F32, F16>(m, m.wide, pack::<F32>(env, sum).0, &mut 0);
            if twice != result {
                *notes |= MIX_ROUND;
            }
            result
        }
        // The sum is infinity or a NaN. A NaN becomes quiet, because the conversion narrows.
        Err(special) => convert::<F32, F16>(m, m.wide, special, notes),
    };
    result as u16
}

/// S0 * S1 rounded to binary32, plus S2, rounded to binary16. Denormals are flushed.
pub fn v_interp_p2_f16(m: &FloatMode, s0: u32, s1: u32, s2: u32, notes: &mut u32) -> u16 {
    let (wide, mut sum_notes) = (m.wide.flushing(), 0);
    let sum = mad_exact::<F32>(m, wide.rounding, [s0, s1, s2].map(u64::from), &mut sum_notes);
    // A NaN becomes quiet anyway, because the result is narrower.
    *notes |= sum_notes & !NAN_QUIET;
    let result = match sum {
        Ok(sum) => finish::<F16>(m, wide, sum, notes),
        Err(special) => convert::<F32, F16>(m, wide, special, notes),
    };
    result as u16
}

/// S0 * S1 + S2 of binary32 (widened) sources with two roundings. Denormals are flushed.
pub fn v_mad_mix_f32(m: &FloatMode, s0: u32, s1: u32, s2: u32, notes: &mut u32) -> u32 {
    mad_mix(m, [s0, s1, s2], notes) as u32
}

/// The result of V_MAD_MIX_F32, rounded once more to binary16.
pub fn v_mad_mixlo_f16(m: &FloatMode, s0: u32, s1: u32, s2: u32, notes: &mut u32) -> u16 {
    mad_mix_f16(m, [s0, s1, s2], notes)
}

/// The result of V_MAD_MIX_F32, rounded once more to binary16. The caller writes the high half.
pub fn v_mad_mixhi_f16(m: &FloatMode, s0: u32, s1: u32, s2: u32, notes: &mut u32) -> u16 {
    mad_mix_f16(m, [s0, s1, s2], notes)
}

/// S0 * S1 + S2 of binary32 (widened) sources with one rounding.
pub fn v_fma_mix_f32(m: &FloatMode, s0: u32, s1: u32, s2: u32, notes: &mut u32) -> u32 {
    fma_in::<F32>(m, m.single, [s0, s1, s2].map(u64::from), notes) as u32
}

/// S0 * S1 + S2 with one rounding, to binary16.
pub fn v_fma_mixlo_f16(m: &FloatMode, s0: u32, s1: u32, s2: u32, notes: &mut u32) -> u16 {
    fma_mix_f16(m, [s0, s1, s2], notes)
}

/// S0 * S1 + S2 with one rounding, to binary16. The caller writes the high half.
pub fn v_fma_mixhi_f16(m: &FloatMode, s0: u32, s1: u32, s2: u32, notes: &mut u32) -> u16 {
    fma_mix_f16(m, [s0, s1, s2], notes)
}

/// S2 plus the products of the low and of the high halves, each with one rounding. Denormals are flushed.
pub fn v_dot2_f32_f16(m: &FloatMode, s0: u32, s1: u32, s2: u32, notes: &mut u32) -> u32 {
    *notes |= DOT2_ROUNDING;
    let env = m.single.flushing();
    let mut half = |x: u32, shift: u32| u64::from(widen_f16(flushed_half(m, (x >> shift) as u16, notes)));
    let [low, high] = [0, 16].map(|shift| [half(s0, shift), half(s1, shift)]);
    let sum = fma_in::<F32>(m, env, [low[0], low[1], s2.into()], notes);
    fma_in::<F32>(m, env, [high[0], high[1], sum], notes) as u32
}
