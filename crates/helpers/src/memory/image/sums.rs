//! Sums of texels of all lanes, by their weights (docs/gcn/sampling.md#blends): exact, and rounded once.
//!
//! A product of a binary32 and a weight of at most 24 bits is exact in binary64. The error of a sum of two binary64
//! numbers is a binary64 number, too. So a sum is kept as a pair of numbers, sum and error, which is exact as long as
//! the errors add up exactly.

use crate::host::lanes::lanes_of;
use crate::host::{Host, Lanes};

const NAN: u32 = 0x7fc0_0000;
const SIGN: u32 = 1 << 31;

/// The greatest number of bits of a weight.
pub(super) const WEIGHT_BITS: u32 = 24;

/// Sums of the lanes.
pub(super) struct Sums([f64; 64]);

/// What sums lack.
pub(super) struct Rest {
    error: [f64; 64],
    /// Bits in lanes whose `error` is not all that the sum lacks.
    lost: [u64; 64],
}

/// Magnitudes of the numbers that have been added, as bits of binary32.
pub(super) struct Range {
    /// The least one but 0, minus 1.
    least: Lanes,
    greatest: Lanes,
}

/// The sum of two numbers, and what it lacks.
#[inline(always)]
fn two_sum(a: f64, b: f64) -> (f64, f64) {
    let sum = a + b;
    let of_b = sum - a;
    (sum, (a - (sum - of_b)) + (b - of_b))
}

/// Numbers; 0 instead of those that have no weight.
#[inline(always)]
pub(super) fn weighted(values: &Lanes, weights: &Lanes) -> Lanes {
    lanes_of!(lane => if weights[lane] == 0 { 0 } else { values[lane] })
}

/// The unit of weights that have `bits` bits.
fn unit(bits: u32) -> f64 {
    f64::from_bits(((1023 - bits) as u64) << 52)
}

/// A number as binary32.
#[inline(always)]
fn narrowed(value: f64) -> u32 {
    let value = value as f32;
    if value.is_nan() { NAN } else { value.to_bits() }
}

impl Range {
    /// Of no number.
    pub const NONE: Range = Range { least: [u32::MAX; 64], greatest: [0; 64] };

    /// Adds binary32 numbers.
    #[inline(always)]
    pub fn add(&mut self, values: &Lanes) {
        let magnitudes = lanes_of!(lane => values[lane] & !SIGN);
        // 0 is no least magnitude: it becomes the greatest number.
        self.least = lanes_of!(lane => self.least[lane].min(magnitudes[lane].wrapping_sub(1)));
        self.greatest = lanes_of!(lane => self.greatest[lane].max(magnitudes[lane]));
    }

    /// Whether binary64 holds all sums of the lanes of a mask: numbers have so many digits, weights have `bits` bits in
    /// sum.
    #[inline(always)]
    pub fn is_exact<H: Host>(&self, host: H, digits: u32, bits: u32, mask: u64) -> bool {
        // `room` is how many exponents the greatest number can be above the least one.
        let room = (53 - digits - bits) as i32;
        let is_wide = lanes_of!(lane => {
            let least = (self.least[lane].wrapping_add(1) >> 23).max(1) as i32;
            ((self.greatest[lane] >> 23) as i32 - least > room) as u32
        });
        host.nonzero(&is_wide) & mask == 0
    }
}

impl Rest {
    /// Nothing.
    pub const ZERO: Rest = Rest { error: [0.0; 64], lost: [0; 64] };
}

impl Sums {
    /// Nothing.
    pub const ZERO: Sums = Sums([0.0; 64]);

    /// Adds products of binary32 numbers and weights. All sums are exact.
    #[inline(always)]
    pub fn add_exact(&mut self, values: &Lanes, weights: &Lanes) {
        for lane in 0..64 {
            self.0[lane] += f32::from_bits(values[lane]) as f64 * weights[lane] as i32 as f64;
        }
    }

    /// Adds products of binary32 numbers and weights. A number without weight counts as 0, even if it is a NaN.
    #[inline(always)]
    pub fn add(&mut self, values: &Lanes, weights: &Lanes, rest: &mut Rest) {
        for lane in 0..64 {
            let product = f32::from_bits(values[lane]) as f64 * weights[lane] as i32 as f64;
            let (sum, error) = two_sum(self.0[lane], product);
            let (error, lost) = two_sum(rest.error[lane], error);
            (self.0[lane], rest.error[lane]) = (sum, error);
            rest.lost[lane] |= lost.to_bits() << 1;
        }
    }

    /// Exact sums in units of weights that have `bits` bits, as binary32.
    #[inline(always)]
    pub fn rounded_exact(&self, bits: u32) -> Lanes {
        let unit = unit(bits);
        lanes_of!(lane => narrowed(self.0[lane] * unit))
    }

    /// The sums in units of weights that have `bits` bits, as binary32; `None` if one of a lane of `mask` is not known.
    #[inline(always)]
    pub fn rounded<H: Host>(&self, host: H, rest: &Rest, bits: u32, mask: u64) -> Option<Lanes> {
        let unknown = lanes_of!(lane => (rest.lost[lane] != 0 && self.0[lane].abs() < f64::INFINITY) as u32);
        if host.nonzero(&unknown) & mask != 0 {
            return None;
        }
        let unit = unit(bits);
        Some(lanes_of!(lane => {
            let (high, low) = two_sum(self.0[lane], rest.error[lane]);
            // Rounded to odd, not to even: then another rounding gives what a single one would.
            let even = high.to_bits();
            let away = (low < 0.0) == (high < 0.0);
            let odd = if away { even.wrapping_add(1) } else { even.wrapping_sub(1) };
            let is_rounded = low != 0.0 && even & 1 == 0;
            let odd = f64::from_bits(if is_rounded { odd } else { even });
            let is_finite = self.0[lane].abs() < f64::INFINITY;
            narrowed((if is_finite { odd } else { self.0[lane] }) * unit)
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::super::blend::{self, Unit};
    use super::*;
    use crate::host::Portable;
    use gcnsim_random::Rng;

    /// Sums of random numbers, with and without common exponents, against those of [`blend`].
    #[test]
    fn sums_are_those_of_single_lanes() {
        let mut rng = Rng::new(7);
        let mut next = || rng.bits();
        let (mut known, mut near) = (0, 0);
        for round in 0..200 {
            let spread = [1, 8, 30, 60, 256][round % 5];
            let count = [2, 4, 8, 16][round / 5 % 4];
            let (mut sums, mut rest, mut terms) = (Sums::ZERO, Rest::ZERO, vec![vec![]; 64]);
            let (mut plain, mut range) = (Sums::ZERO, Range::NONE);
            for _ in 0..count {
                let value = |n: u32, exponent: u32| n & 0x807f_ffff | (exponent % 256) << 23;
                let values: Lanes = std::array::from_fn(|_| value(next(), 120 + next() % spread));
                let weights: Lanes = std::array::from_fn(|_| [0, 1, 1 << 16, next() >> 8][next() as usize % 4]);
                let values = weighted(&values, &weights);
                sums.add(&values, &weights, &mut rest);
                plain.add_exact(&values, &weights);
                range.add(&values);
                for lane in (0..64).filter(|&lane| weights[lane] > 0) {
                    terms[lane].push((values[lane], weights[lane] as u64));
                }
            }
            for lane in 0..64 {
                let expected = blend::sum(&terms[lane], Unit { scale: 24, divisor: 1 });
                if let Some(rounded) = sums.rounded(Portable, &rest, 24, 1 << lane) {
                    assert_eq!(rounded[lane], expected, "{:x?}", terms[lane]);
                    known += 1;
                }
                // Of 16 weights the sum can have 28 bits.
                if range.is_exact(Portable, 24, 28, 1 << lane) {
                    assert_eq!(plain.rounded_exact(24)[lane], expected, "{:x?}", terms[lane]);
                    near += 1;
                }
            }
        }
        // Sums of numbers with exponents far apart are not known.
        assert!(known > 200 * 64 / 2 && near > 200 * 64 / 10, "{known} {near}");
    }

    #[test]
    fn ties_zeros_and_what_is_no_number() {
        let (mut sums, mut rest) = (Sums::ZERO, Rest::ZERO);
        let (one, next) = (0x3f80_0000, 0x3f80_0001);
        let values = |lanes: [u32; 5]| -> Lanes { std::array::from_fn(|lane| lanes.get(lane).copied().unwrap_or(0)) };
        let (infinity, minus) = (0x7f80_0000, 1 << 31);
        sums.add(&values([one, minus, infinity, 0xff80_0001, 1]), &[128; 64], &mut rest);
        sums.add(&values([next, minus, infinity | minus, one, 0]), &[128; 64], &mut rest);
        let rounded = sums.rounded(Portable, &rest, 8, !0).unwrap();
        // Half of a unit goes to even, also if the unit is denormal; no texel is negative where all are -0.
        assert_eq!(rounded[..5], [one, 0, NAN, NAN, 0]);
    }
}
