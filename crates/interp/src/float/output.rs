//! OMOD and CLAMP, which are applied to a result after it was rounded and flushed.

use super::format::{F16, F32, F64, Format};
use super::round::rounds_to_infinity;
use super::{Fp, Rule};

/// OMOD of a binary16 result; `omod` is the field: 1 doubles, 2 quadruples, 3 halves.
pub(crate) fn omod_f16(fp: &Fp, bits: u16, omod: u32) -> u16 {
    self::omod::<F16>(fp, bits, omod)
}

/// Whether FP16_OVFL keeps OMOD from making an infinity of a finite result.
pub(crate) fn is_omod_limited_f16(fp: &Fp, bits: u16, omod: u32) -> bool {
    let without = Fp { fp16_ovfl: false, ..*fp };
    fp.fp16_ovfl && !F16::is_infinite(bits.into()) && F16::is_infinite(omod_f16(&without, bits, omod).into())
}

/// OMOD of a binary32 result; `omod` is the field: 1 doubles, 2 quadruples, 3 halves.
pub(crate) fn omod_f32(fp: &Fp, bits: u32, omod: u32) -> u32 {
    self::omod::<F32>(fp, bits, omod)
}

/// OMOD of a binary64 result; `omod` is the field: 1 doubles, 2 quadruples, 3 halves.
pub(crate) fn omod_f64(fp: &Fp, bits: u64, omod: u32) -> u64 {
    self::omod::<F64>(fp, bits, omod)
}

/// Whether OMOD has an effect. It has none with IEEE, or where denormal results of the format are kept.
pub(crate) fn omod_acts<F: Format>(fp: &Fp) -> bool {
    !fp.ieee && !F::rule(fp).keep_out
}

fn omod<F: Format>(fp: &Fp, bits: F::Bits, omod: u32) -> F::Bits {
    let pattern = bits.into();
    if omod == 0 || !omod_acts::<F>(fp) || F::is_nan(pattern) || F::is_infinite(pattern) {
        return bits;
    }
    let field = F::exponent_field(pattern);
    if field == 0 {
        return F::bits(0);
    }
    let power = [0, 1, 2, -1][omod as usize & 3];
    let (sign, fraction) = (pattern & F::SIGN, pattern & (F::MIN_NORMAL - 1));
    let infinite = F::exponent_field(F::INFINITY);
    F::bits(match field + power {
        0 => sign,
        field if field < infinite => sign | (field as u64) << F::FRACTION | fraction,
        _ => sign | overflow::<F>(fp, sign != 0),
    })
}

fn overflow<F: Format>(fp: &Fp, negative: bool) -> u64 {
    let Rule { round, .. } = F::rule(fp);
    let limited = F::EXPONENT == 5 && fp.fp16_ovfl;
    if rounds_to_infinity(round, negative) && !limited { F::INFINITY } else { F::MAX }
}

/// CLAMP of a binary16 result to \[0, 1\].
pub(crate) fn clamp_f16(fp: &Fp, bits: u16) -> u16 {
    clamp::<F16>(fp, bits)
}

/// CLAMP of a binary32 result to \[0, 1\].
pub(crate) fn clamp_f32(fp: &Fp, bits: u32) -> u32 {
    clamp::<F32>(fp, bits)
}

/// CLAMP of a binary64 result to \[0, 1\].
pub(crate) fn clamp_f64(fp: &Fp, bits: u64) -> u64 {
    clamp::<F64>(fp, bits)
}

fn clamp<F: Format>(fp: &Fp, bits: F::Bits) -> F::Bits {
    let pattern = bits.into();
    if F::is_nan(pattern) {
        return if fp.dx10_clamp { F::bits(0) } else { bits };
    }
    if F::is_negative(pattern) { F::bits(0) } else { F::bits(pattern.min(F::ONE)) }
}
