//! Minimum, maximum, and the middle of three. -0 is below +0. A number is preferred to a NaN.

use std::cmp::Ordering;

use super::format::{Format, flush_in};
use crate::vector::lane::{Lane, LaneNote};

/// The smaller one.
pub(crate) fn min<F: Format>(x: &mut Lane<'_>, s0: F::Bits, s1: F::Bits) -> F::Bits {
    F::bits(pick::<F>(x, s0.into(), s1.into(), Ordering::Less))
}

/// The greater one.
pub(crate) fn max<F: Format>(x: &mut Lane<'_>, s0: F::Bits, s1: F::Bits) -> F::Bits {
    F::bits(pick::<F>(x, s0.into(), s1.into(), Ordering::Greater))
}

/// The smallest of three. The first two are compared first.
pub(crate) fn min3<F: Format>(x: &mut Lane<'_>, s0: F::Bits, s1: F::Bits, s2: F::Bits) -> F::Bits {
    let least = min::<F>(x, s0, s1);
    min::<F>(x, least, s2)
}

/// The greatest of three. The first two are compared first.
pub(crate) fn max3<F: Format>(x: &mut Lane<'_>, s0: F::Bits, s1: F::Bits, s2: F::Bits) -> F::Bits {
    let greatest = max::<F>(x, s0, s1);
    max::<F>(x, greatest, s2)
}

/// The middle of three. If one is a NaN, the smallest.
pub(crate) fn med3<F: Format>(x: &mut Lane<'_>, s0: F::Bits, s1: F::Bits, s2: F::Bits) -> F::Bits {
    let operands = [s0.into(), s1.into(), s2.into()];
    if operands.iter().any(|&s| F::is_nan(s)) {
        let signalling = x.fp.ieee && operands.iter().any(|&s| F::is_signalling(s));
        let is_last = !F::is_nan(operands[0]) && !F::is_nan(operands[1]);
        x.notes.insert_if(is_last || signalling, LaneNote::Med3Nan);
        return min3::<F>(x, s0, s1, s2);
    }
    let (least, greatest) = (min::<F>(x, s0, s1), max::<F>(x, s0, s1));
    let upper = min::<F>(x, greatest, s2);
    max::<F>(x, least, upper)
}

/// `s0 < s1 ? s0 : s1`. Nothing is flushed.
pub(crate) fn min_legacy<F: Format>(s0: F::Bits, s1: F::Bits) -> F::Bits {
    if compare_numbers::<F>(s0.into(), s1.into()) == Some(Ordering::Less) { s0 } else { s1 }
}

/// `s0 >= s1 ? s0 : s1`. Nothing is flushed.
pub(crate) fn max_legacy<F: Format>(s0: F::Bits, s1: F::Bits) -> F::Bits {
    let ordering = compare_numbers::<F>(s0.into(), s1.into());
    if matches!(ordering, Some(Ordering::Greater | Ordering::Equal)) { s0 } else { s1 }
}

fn pick<F: Format>(x: &mut Lane<'_>, s0: u64, s1: u64, wanted: Ordering) -> u64 {
    // Before GCN 1.4 denormals are never flushed here.
    let rule = F::rule(x.fp);
    let [s0, s1] = match x.fp.arch.is_gcn14_or_later() {
        true => [s0, s1].map(|s| flush_in::<F>(x, rule, s)),
        false => [s0, s1],
    };
    for s in [s0, s1] {
        if x.fp.ieee && F::is_signalling(s) {
            return s | F::QUIET;
        }
    }
    x.notes.insert_if(F::is_nan(s0) && F::is_nan(s1) && s0 != s1, LaneNote::MinmaxTwoNans);
    match (F::is_nan(s0), F::is_nan(s1)) {
        (true, _) => s1,
        (_, true) => s0,
        _ if order::<F>(s0).cmp(&order::<F>(s1)) == wanted => s0,
        _ => s1,
    }
}

/// An integer with the order of the numbers, -0 below +0.
fn order<F: Format>(pattern: u64) -> i64 {
    let magnitude = F::magnitude(pattern) as i64;
    if F::is_negative(pattern) { !magnitude } else { magnitude }
}

/// Compares numbers: zeros are equal, and NaNs are not ordered.
fn compare_numbers<F: Format>(a: u64, b: u64) -> Option<Ordering> {
    if F::is_nan(a) || F::is_nan(b) {
        return None;
    }
    Some(if F::is_zero(a) && F::is_zero(b) { Ordering::Equal } else { order::<F>(a).cmp(&order::<F>(b)) })
}

/// Whether the number is below zero. -0 and NaNs are not.
pub(crate) fn is_below_zero<F: Format>(pattern: u64) -> bool {
    compare_numbers::<F>(pattern, 0) == Some(Ordering::Less)
}

/// `|a| >= |b|`; false for a NaN. Denormals are not flushed.
pub(crate) fn is_as_great<F: Format>(a: u64, b: u64) -> bool {
    matches!(compare_numbers::<F>(F::magnitude(a), F::magnitude(b)), Some(Ordering::Greater | Ordering::Equal))
}
