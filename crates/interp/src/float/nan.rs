//! NaN operands of operations that pass them on. Minimum and maximum do not: see [`order`](super::order).

use super::Rule;
use super::format::Format;
use crate::vector::lane::{Lane, LaneNote};

/// The result of an operation with NaN operands: the first NaN, which is made quiet if the rule says so.
pub(crate) fn first_nan<F: Format>(x: &mut Lane<'_>, rule: Rule, operands: &[u64]) -> Option<u64> {
    let mut nans = operands.iter().copied().filter(|&operand| F::is_nan(operand));
    let first = nans.next()?;
    x.notes.insert_if(nans.any(|other| other != first), LaneNote::NanPayload);
    x.notes.insert_if(F::is_signalling(first) && !rule.quiet, LaneNote::NanQuiet);
    Some(if rule.quiet { first | F::QUIET } else { first })
}

/// The NaN that `S0 * S1 + S2` gives because of its operands, which have been flushed. It is the first NaN operand, but
/// an invalid product comes before a NaN in S2.
pub(crate) fn product_sum_nan<F: Format>(x: &mut Lane<'_>, rule: Rule, s0: u64, s1: u64, s2: u64) -> Option<u64> {
    let zero_times_infinity = F::is_zero(s0) && F::is_infinite(s1) || F::is_infinite(s0) && F::is_zero(s1);
    if zero_times_infinity { Some(F::DEFAULT_NAN) } else { first_nan::<F>(x, rule, &[s0, s1, s2]) }
}
