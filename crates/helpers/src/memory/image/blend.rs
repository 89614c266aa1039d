//! Blends of texels, which are exact: weights are integers, and the sum is rounded once (docs/gcn/sampling.md#blends).

use gcnsim_isa::image::FilterMode;

const NAN: u32 = 0x7fc0_0000;
const INFINITY: u32 = 0x7f80_0000;
const SIGN: u32 = 1 << 31;

/// Largest number of texels of a footprint: two levels of eight.
pub(super) const TEXELS: usize = 16;

/// The unit of weights: a weight stands for `weight / (divisor << scale)`, with a divisor of 1 or 3.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Unit {
    pub scale: u32,
    pub divisor: u64,
}

/// A binary32 as an integer that orders numbers, with both zeros equal and NaNs beyond infinity.
pub(super) fn order(bits: u32) -> i32 {
    let magnitude = (bits & !SIGN) as i32;
    if bits & SIGN != 0 { -magnitude } else { magnitude }
}

/// The result for a footprint. `texels` has a component of each texel and its weight, which is not 0.
pub(super) fn blended(texels: &[(u32, u64)], unit: Unit, mode: FilterMode) -> u32 {
    if let &[(only, _)] = texels {
        return only;
    }
    let values = || texels.iter().map(|(value, _)| *value);
    match mode {
        FilterMode::Min => values().reduce(|least, value| if order(value) < order(least) { value } else { least }),
        FilterMode::Max => values().reduce(|most, value| if order(value) > order(most) { value } else { most }),
        FilterMode::Blend => Some(sum(texels, unit)),
    }
    .unwrap_or(0)
}

/// The sum of products of texels and weights.
pub(super) fn sum(texels: &[(u32, u64)], unit: Unit) -> u32 {
    let (mut infinities, mut has_nan) = ([false; 2], false);
    let (mut least, mut greatest) = (u32::MAX, 0);
    for &(value, _) in texels {
        let magnitude = value & !SIGN;
        has_nan |= magnitude > INFINITY;
        if magnitude == INFINITY {
            infinities[(value >> 31) as usize] = true;
        }
        if magnitude != 0 {
            least = least.min(exponent(value));
            greatest = greatest.max(exponent(value));
        }
    }
    match infinities {
        _ if has_nan => NAN,
        [true, true] => NAN,
        [true, false] => INFINITY,
        [false, true] => INFINITY | SIGN,
        [false, false] if least > greatest => 0,
        [false, false] if unit.divisor == 1 && unit.scale <= 16 && greatest - least <= 20 => near(texels, unit, least),
        [false, false] => far(texels, unit),
    }
}

/// The biased exponent; that of denormal numbers is 1.
fn exponent(value: u32) -> u32 {
    (value >> 23 & 0xff).max(1)
}

/// The mantissa with its leading bit.
fn mantissa(value: u32) -> u64 {
    (value & 0x7f_ffff | if value >> 23 & 0xff == 0 { 0 } else { 0x80_0000 }) as u64
}

/// The sum of numbers whose exponents are from `least` to `least + 20`: products of 24 + 20 + 17 bits and their sign
/// fit into 64.
fn near(texels: &[(u32, u64)], unit: Unit, least: u32) -> u32 {
    let mut sum = 0i64;
    for &(value, weight) in texels {
        // The exponent of a zero may be below `least`.
        let product = ((mantissa(value) << exponent(value).saturating_sub(least)) * weight) as i64;
        sum += if value & SIGN != 0 { -product } else { product };
    }
    rounded(sum < 0, sum.unsigned_abs() as u128, least as i32 - unit.scale as i32)
}

/// Number of digits of 32 bits of the sum of any numbers: 254 bits for exponents, 24 for a mantissa, 34 for weights,
/// and some more.
const DIGITS: usize = 12;

/// The sum of any finite numbers, in digits.
fn far(texels: &[(u32, u64)], unit: Unit) -> u32 {
    let mut digits = [0i64; DIGITS];
    for &(value, weight) in texels {
        let shift = exponent(value) - 1;
        let product = ((mantissa(value) * weight) as u128) << (shift % 32);
        for (k, digit) in digits[shift as usize / 32..].iter_mut().take(3).enumerate() {
            let part = (product >> (32 * k)) as u32 as i64;
            *digit += if value & SIGN != 0 { -part } else { part };
        }
    }
    let is_negative = carry(&mut digits) < 0;
    if is_negative {
        digits.iter_mut().for_each(|digit| *digit = -*digit);
        carry(&mut digits);
    }
    let mut rest = 0;
    for digit in digits.iter_mut().rev() {
        let whole = rest << 32 | *digit as u64;
        (*digit, rest) = ((whole / unit.divisor) as i64, whole % unit.divisor);
    }
    let Some(top) = digits.iter().rposition(|digit| *digit != 0) else { return 0 };
    // `upper` has the upper digits, and `below` two bits for the rest: a third is less than half, two thirds are more.
    let first = top.saturating_sub(2);
    let upper = (first..=top).rev().fold(0, |upper, k| upper << 32 | digits[k] as u128);
    let below = match rest {
        _ if first > 0 => (rest != 0 || digits[..first].iter().any(|digit| *digit != 0)) as u128,
        0 => 0,
        1 => 1,
        _ => 3,
    };
    rounded(is_negative, upper << 2 | below, 1 + 32 * first as i32 - 2 - unit.scale as i32)
}

/// Brings all digits into 0 .. 2^32. Returns the carry out of the highest: 0 or -1.
fn carry(digits: &mut [i64; DIGITS]) -> i64 {
    digits.iter_mut().fold(0, |carry, digit| {
        let sum = *digit + carry;
        *digit = sum & 0xffff_ffff;
        sum >> 32
    })
}

/// The binary32 nearest to a magnitude in units of the last place of numbers with a biased exponent, ties to even. Zero
/// is positive.
fn rounded(is_negative: bool, magnitude: u128, exponent: i32) -> u32 {
    if magnitude == 0 {
        return 0;
    }
    let bits = 128 - magnitude.leading_zeros() as i32;
    // The result has 24 bits, or less if it is denormal: so many bits of `magnitude` are dropped.
    let drop = (bits - 24).max(1 - exponent);
    let exponent = exponent + drop;
    let whole = match drop {
        ..=0 => (magnitude as u32) << -drop,
        1..=127 => {
            let (whole, rest, half) = ((magnitude >> drop) as u32, magnitude & ((1 << drop) - 1), 1 << (drop - 1));
            whole + (rest > half || rest == half && whole & 1 == 1) as u32
        }
        _ => 0,
    };
    // `whole` has the leading bit, which adds 1 to the exponent. So does a carry out of the mantissa, correctly.
    let number = ((exponent - 1) as u32 * (1 << 23)).saturating_add(whole);
    number.min(INFINITY) | if is_negative { SIGN } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HALVES: Unit = Unit { scale: 8, divisor: 1 };

    fn of(terms: &[(f32, u64)], unit: Unit) -> f32 {
        let terms: Vec<_> = terms.iter().map(|(value, weight)| (value.to_bits(), *weight)).collect();
        f32::from_bits(sum(&terms, unit))
    }

    #[test]
    fn sums_are_exact_and_rounded_once() {
        assert_eq!(of(&[(1.0, 128), (3.0, 128)], HALVES), 2.0);
        // The mean is half a unit of the last place above 1, and is rounded to even.
        let next = f32::from_bits(0x3f80_0001);
        assert_eq!(of(&[(1.0, 128), (next, 128)], HALVES), 1.0);
        assert_eq!(of(&[(1.0, 127), (next, 129)], HALVES), next);
        // The numbers are too far apart for 64 bits.
        let (large, small) = (2f32.powi(100), 2f32.powi(-100));
        assert_eq!(of(&[(large, 128), (small, 128)], HALVES), large / 2.0);
        assert_eq!(of(&[(large, 64), (-large, 64), (small, 128)], HALVES), small / 2.0);
        assert_eq!(of(&[(-large, 128), (-small, 128)], HALVES), -large / 2.0);
        // Denormal results: half of 1 and of 3 units, to even.
        let units = f32::from_bits;
        assert_eq!([1, 3].map(|n| of(&[(units(n), 128), (0.0, 128)], HALVES)), [0.0, units(2)]);
    }

    #[test]
    fn a_missing_corner_makes_thirds() {
        let thirds = Unit { scale: 16, divisor: 3 };
        let third = 1 << 16;
        assert_eq!(of(&[(1.0, third), (1.0, third), (1.0, third)], thirds), 1.0);
        assert_eq!(of(&[(1.0, third), (2.0, third), (2.0, third)], thirds), (5.0f64 / 3.0) as f32);
        assert_eq!(of(&[(-1.0, third), (-2.0, third), (-2.0, third)], thirds), (-5.0f64 / 3.0) as f32);
        // Denormal numbers: 182 / 3 and 184 / 3 units.
        let whole = Unit { scale: 0, divisor: 3 };
        assert_eq!([182, 184].map(|n| sum(&[(50, 1), (n - 50, 1), (0, 1)], whole)), [61, 61]);
    }

    #[test]
    fn what_is_no_number() {
        let infinity = f32::INFINITY;
        assert_eq!(of(&[(infinity, 128), (1.0, 128)], HALVES), infinity);
        assert_eq!(sum(&[(INFINITY, 128), (INFINITY | SIGN, 128)], HALVES), NAN);
        assert_eq!(sum(&[(0xff80_0001, 128), (ONE, 128)], HALVES), NAN);
        // A single texel keeps its bits. Zero is positive.
        assert_eq!(blended(&[(0xff80_0001, 256)], HALVES, FilterMode::Blend), 0xff80_0001);
        assert_eq!(sum(&[(SIGN, 128), (SIGN, 128)], HALVES), 0);
        // Of equal numbers the first one counts.
        assert_eq!(blended(&[(SIGN, 1), (0, 255)], HALVES, FilterMode::Max), SIGN);
        assert_eq!(blended(&[(ONE, 1), (ONE | SIGN, 255)], HALVES, FilterMode::Min), ONE | SIGN);
    }

    const ONE: u32 = 0x3f80_0000;
}
