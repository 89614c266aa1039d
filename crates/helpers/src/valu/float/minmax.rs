//! Minimum, maximum and median (docs/gcn/valu-float-rules.md#minimum-maximum-median).

use gcnsim_isa::Arch;

use super::super::notes::{MED3_NAN, MINMAX_TWO_NANS};
use super::FloatMode;
use super::format::*;

/// A source after flushing. Only GCN 1.4 flushes denormals here.
fn source<F: Format>(m: &FloatMode, x: u64) -> u64 {
    if m.arch >= Arch::Gcn14 { flush::<F>(F::env(m), x) } else { x }
}

/// An integer with the order of the numbers, -0 below +0.
fn order<F: Format>(x: u64) -> i64 {
    let magnitude = magnitude::<F>(x) as i64;
    if is_negative::<F>(x) { !magnitude } else { magnitude }
}

/// Applies the rules for NaNs, and otherwise chooses between two numbers.
fn choose<F: Format>(m: &FloatMode, s0: u64, s1: u64, take_s0: fn(i64, i64) -> bool, notes: &mut u32) -> u64 {
    if m.ieee && is_signalling::<F>(s0) {
        return s0 | F::QUIET;
    }
    if m.ieee && is_signalling::<F>(s1) {
        return s1 | F::QUIET;
    }
    match (is_nan::<F>(s0), is_nan::<F>(s1)) {
        (true, true) => {
            if s0 != s1 {
                *notes |= MINMAX_TWO_NANS;
            }
            s1
        }
        (true, false) => s1,
        (false, true) => s0,
        (false, false) if take_s0(order::<F>(s0), order::<F>(s1)) => s0,
        (false, false) => s1,
    }
}

/// Minimum of sources that have been flushed.
fn lesser<F: Format>(m: &FloatMode, s0: u64, s1: u64, notes: &mut u32) -> u64 {
    choose::<F>(m, s0, s1, |a, b| a < b, notes)
}

/// Maximum of sources that have been flushed.
fn greater<F: Format>(m: &FloatMode, s0: u64, s1: u64, notes: &mut u32) -> u64 {
    choose::<F>(m, s0, s1, |a, b| a > b, notes)
}

pub(super) fn min<F: Format>(m: &FloatMode, s0: u64, s1: u64, notes: &mut u32) -> u64 {
    lesser::<F>(m, source::<F>(m, s0), source::<F>(m, s1), notes)
}

pub(super) fn max<F: Format>(m: &FloatMode, s0: u64, s1: u64, notes: &mut u32) -> u64 {
    greater::<F>(m, source::<F>(m, s0), source::<F>(m, s1), notes)
}

fn min3<F: Format>(m: &FloatMode, s0: u64, s1: u64, s2: u64, notes: &mut u32) -> u64 {
    let first = min::<F>(m, s0, s1, notes);
    lesser::<F>(m, first, source::<F>(m, s2), notes)
}

fn max3<F: Format>(m: &FloatMode, s0: u64, s1: u64, s2: u64, notes: &mut u32) -> u64 {
    let first = max::<F>(m, s0, s1, notes);
    greater::<F>(m, first, source::<F>(m, s2), notes)
}

/// The middle number. With a NaN, the minimum of three.
fn med3<F: Format>(m: &FloatMode, s0: u64, s1: u64, s2: u64, notes: &mut u32) -> u64 {
    let sources = [s0, s1, s2];
    if sources.iter().any(|&x| is_nan::<F>(x)) {
        let only_s2 = !is_nan::<F>(s0) && !is_nan::<F>(s1);
        if only_s2 || m.ieee && sources.iter().any(|&x| is_signalling::<F>(x)) {
            *notes |= MED3_NAN;
        }
        return min3::<F>(m, s0, s1, s2, notes);
    }
    let mut sources = sources.map(|x| source::<F>(m, x));
    sources.sort_by_key(|&x| order::<F>(x));
    sources[1]
}

/// S0 < S1 ? S0 : S1; denormals are kept.
fn min_legacy<F: Format>(_: &FloatMode, s0: u64, s1: u64, _: &mut u32) -> u64 {
    if is_less::<F>(s0, s1) { s0 } else { s1 }
}

/// S0 >= S1 ? S0 : S1; denormals are kept.
fn max_legacy<F: Format>(_: &FloatMode, s0: u64, s1: u64, _: &mut u32) -> u64 {
    let ordered = !is_nan::<F>(s0) && !is_nan::<F>(s1);
    if ordered && !is_less::<F>(s0, s1) { s0 } else { s1 }
}

/// Ordinary comparison: zeros are equal, and a NaN is not less than anything.
fn is_less<F: Format>(a: u64, b: u64) -> bool {
    let both_zero = is_zero::<F>(a) && is_zero::<F>(b);
    !is_nan::<F>(a) && !is_nan::<F>(b) && !both_zero && order::<F>(a) < order::<F>(b)
}

lanes! { F32 u32:
    /// The lesser, -0 below +0; of a number and a NaN the number.
    v_min_f32(s0, s1) = min;
    /// The greater, +0 above -0; of a number and a NaN the number.
    v_max_f32(s0, s1) = max;
    /// min(min(S0, S1), S2).
    v_min3_f32(s0, s1, s2) = min3;
    /// max(max(S0, S1), S2).
    v_max3_f32(s0, s1, s2) = max3;
    /// The middle one of three numbers; with a NaN the minimum.
    v_med3_f32(s0, s1, s2) = med3;
    /// S0 < S1 ? S0 : S1.
    v_min_legacy_f32(s0, s1) = min_legacy;
    /// S0 >= S1 ? S0 : S1.
    v_max_legacy_f32(s0, s1) = max_legacy;
}

lanes! { F64 u64:
    /// The lesser, -0 below +0; of a number and a NaN the number.
    v_min_f64(s0, s1) = min;
    /// The greater, +0 above -0; of a number and a NaN the number.
    v_max_f64(s0, s1) = max;
}

lanes! { F16 u16:
    /// The lesser, -0 below +0; of a number and a NaN the number.
    v_min_f16(s0, s1) = min;
    /// The greater, +0 above -0; of a number and a NaN the number.
    v_max_f16(s0, s1) = max;
    /// min(min(S0, S1), S2).
    v_min3_f16(s0, s1, s2) = min3;
    /// max(max(S0, S1), S2).
    v_max3_f16(s0, s1, s2) = max3;
    /// The middle one of three numbers; with a NaN the minimum.
    v_med3_f16(s0, s1, s2) = med3;
}
