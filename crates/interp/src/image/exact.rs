//! Weighted sums of binary32 numbers, exact, and rounded once.

/// A weight of 1: the product of four weights of 1/256, in thirds.
pub(super) const WHOLE: u64 = 3 << 32;

/// Limbs of a sum. The lowest stand for what a division leaves over: a term has at most 24 + 34 bits, which a number
/// shifts up by at most 253, and there are 16 terms.
const LIMBS: usize = 7;

/// The weight of bit 0: that of the least denormal number, less the lowest limb and [`WHOLE`] / 3.
const LOWEST: i32 = -149 - 64 - 32;

type Sum = [u64; LIMBS];

/// The sum of finite numbers, each as bits with a weight, over [`WHOLE`], as bits: to nearest even; an exact zero is
/// +0.
pub(super) fn blended(terms: impl Iterator<Item = (u32, u64)>) -> u32 {
    let (mut above, mut below) = ([0; LIMBS], [0; LIMBS]);
    for (bits, weight) in terms {
        let exponent = bits >> 23 & 255;
        let implicit = if exponent > 0 { 1 << 23 } else { 0 };
        let product = (implicit | bits & 0x7f_ffff) as u128 * weight as u128;
        add(if bits >> 31 == 1 { &mut below } else { &mut above }, product, exponent.saturating_sub(1));
    }
    let is_negative = below.iter().rev().gt(above.iter().rev());
    let (more, less) = if is_negative { (below, above) } else { (above, below) };
    let (third, has_rest) = by_three(difference(more, less));
    rounded(third, has_rest) | (is_negative as u32) << 31
}

/// Adds a number, shifted up, above the lowest limb.
fn add(sum: &mut Sum, number: u128, shift: u32) {
    let (first, shift) = (1 + shift as usize / 64, shift % 64);
    let low = number << shift;
    let high = if shift == 0 { 0 } else { number >> (128 - shift) };
    let mut carry = 0u128;
    for (i, limb) in sum.iter_mut().skip(first).enumerate() {
        let part = match i {
            0 => low as u64,
            1 => (low >> 64) as u64,
            2 => high as u64,
            _ => 0,
        };
        carry += *limb as u128 + part as u128;
        (*limb, carry) = (carry as u64, carry >> 64);
    }
}

fn difference(more: Sum, less: Sum) -> Sum {
    let mut borrow = false;
    std::array::from_fn(|i| {
        let (part, first) = more[i].overflowing_sub(less[i]);
        let (part, second) = part.overflowing_sub(borrow as u64);
        borrow = first || second;
        part
    })
}

/// A third, and whether there is a rest.
fn by_three(mut sum: Sum) -> (Sum, bool) {
    let mut rest = 0u128;
    for limb in sum.iter_mut().rev() {
        let part = rest << 64 | *limb as u128;
        (*limb, rest) = ((part / 3) as u64, part % 3);
    }
    (sum, rest != 0)
}

/// The nearest binary32 of a sum with a rest below its lowest bit.
fn rounded(sum: Sum, has_rest: bool) -> u32 {
    let bit = |at: i32| sum[at as usize / 64] >> (at % 64) & 1;
    let Some(top) = (0..64 * LIMBS as i32).rev().find(|&at| bit(at) == 1) else { return 0 };
    // `last` is the last bit of the mantissa: 23 bits below the top one, and not below that of denormal numbers.
    let last = (top - 23).max(-149 - LOWEST);
    let mantissa = (last..=top).rev().fold(0, |mantissa, at| mantissa << 1 | bit(at) as u32);
    let half = bit(last - 1) == 1;
    let is_more = has_rest || (0..last - 1).any(|at| bit(at) == 1);
    let up = half && (is_more || mantissa & 1 == 1);
    // A carry out of the mantissa raises the exponent, as it has to.
    let bits = (((last + LOWEST + 149) as u32) << 23) + mantissa + up as u32;
    bits.min(0x7f80_0000)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sum(terms: &[(f32, u64)]) -> f32 {
        f32::from_bits(blended(terms.iter().map(|(value, weight)| (value.to_bits(), *weight))))
    }

    #[test]
    fn means() {
        assert_eq!(sum(&[(1.0, WHOLE)]), 1.0);
        assert_eq!(sum(&[(1.0, WHOLE / 4), (2.0, WHOLE / 2), (-3.0, WHOLE / 4)]), 0.5);
        assert_eq!(sum(&[(1.0, WHOLE / 3), (0.0, WHOLE - WHOLE / 3)]), 1.0 / 3.0);
        assert_eq!(sum(&[(f32::MAX, WHOLE / 2), (f32::MAX, WHOLE / 2)]), f32::MAX);
        assert_eq!(sum(&[(-f32::MAX, WHOLE / 2), (f32::MAX, WHOLE / 2)]).to_bits(), 0);
        assert_eq!(sum(&[(-0.0, WHOLE)]).to_bits(), 0);
        assert_eq!(sum(&[]), 0.0);
    }

    #[test]
    fn rounded_once() {
        let tiny = f32::from_bits(1);
        // Half of the least denormal is a tie and goes to 0; with a bit more it goes up.
        assert_eq!(sum(&[(tiny, WHOLE / 2)]), 0.0);
        assert_eq!(sum(&[(tiny, WHOLE / 2 + 1)]), tiny);
        assert_eq!(sum(&[(f32::from_bits(3), WHOLE / 2)]), f32::from_bits(2));
        // A term that any partial sum would lose still decides a tie.
        let one = 1.0f32;
        assert_eq!(sum(&[(one, WHOLE), (f32::EPSILON, WHOLE / 2)]), one);
        assert_eq!(sum(&[(one, WHOLE), (f32::EPSILON, WHOLE / 2), (tiny, 1)]), one + f32::EPSILON);
        assert_eq!(sum(&[(1e30, WHOLE), (1.0, WHOLE), (-1e30, WHOLE)]), 1.0);
        // The largest denormal and half a step are the least normal number.
        assert_eq!(sum(&[(f32::from_bits(0x7f_ffff), WHOLE), (tiny, WHOLE / 2)]), f32::MIN_POSITIVE);
    }
}
