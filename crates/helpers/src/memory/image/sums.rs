//! Sums of texels of all lanes, by their weights (docs/gcn/sampling.md#blends): exact, and rounded once.
//!
//! A product of a binary32 and a weight of at most 24 bits is exact in binary64. The error of a sum of two binary64
//! numbers is a binary64 number, too. So a sum is kept as a pair of numbers, sum and error, which is exact as long as
//! the errors add up exactly.

use super::super::fast;
use super::super::host::{Host, Lanes, lanes_of};

const NAN: u32 = 0x7fc0_0000;

/// The greatest number of bits of a weight.
pub(super) const WEIGHT_BITS: u32 = 24;

/// The sums of the lanes.
pub(super) struct Sums {
    sum: [f64; 64],
    /// The exact sum minus `sum`.
    error: [f64; 64],
    /// Not 0 in lanes whose `error` has been rounded.
    lost: [u64; 64],
}

/// The sum of two numbers, and its error: the exact sum minus the rounded one.
#[inline(always)]
fn two_sum(a: f64, b: f64) -> (f64, f64) {
    let sum = a + b;
    let of_b = sum - a;
    (sum, (a - (sum - of_b)) + (b - of_b))
}

impl Sums {
    /// The sums of no terms.
    pub const ZERO: Sums = Sums { sum: [0.0; 64], error: [0.0; 64], lost: [0; 64] };

    /// Adds products of binary32 numbers and weights, where all sums are known to be exact.
    #[inline(always)]
    pub fn add_exact(&mut self, values: &Lanes, weights: &Lanes) {
        for lane in 0..64 {
            self.sum[lane] += f32::from_bits(values[lane]) as f64 * weights[lane] as i32 as f64;
        }
    }

    /// Adds products of binary32 numbers and weights. A number without weight counts as 0, even if it is a NaN.
    #[inline(always)]
    pub fn add(&mut self, values: &Lanes, weights: &Lanes) {
        for lane in 0..64 {
            let value = if weights[lane] == 0 { 0 } else { values[lane] };
            let product = f32::from_bits(value) as f64 * weights[lane] as i32 as f64;
            let (sum, error) = two_sum(self.sum[lane], product);
            let (error, lost) = two_sum(self.error[lane], error);
            (self.sum[lane], self.error[lane]) = (sum, error);
            self.lost[lane] |= lost.to_bits() << 1;
        }
    }

    /// The sums divided by 1 << `bits`, rounded to binary32; `None` if the sum of a lane of `mask` is not known
    /// exactly.
    #[inline(always)]
    pub fn rounded<H: Host>(&self, bits: u32, mask: u64) -> Option<Lanes> {
        let unknown = lanes_of!(lane => (self.lost[lane] != 0 && self.sum[lane].abs() < f64::INFINITY) as u32);
        if fast::nonzero::<H>(&unknown) & mask != 0 {
            return None;
        }
        let unit = f64::from_bits(((1023 - bits) as u64) << 52);
        Some(lanes_of!(lane => {
            let (high, low) = two_sum(self.sum[lane], self.error[lane]);
            // The pair is rounded to odd, not to even. Then a second rounding gives the same as a single one would.
            let even = high.to_bits();
            let away = (low < 0.0) == (high < 0.0);
            let odd = if away { even.wrapping_add(1) } else { even.wrapping_sub(1) };
            let is_rounded = low != 0.0 && even & 1 == 0;
            let odd = f64::from_bits(if is_rounded { odd } else { even });
            let is_finite = self.sum[lane].abs() < f64::INFINITY;
            let value = ((if is_finite { odd } else { self.sum[lane] }) * unit) as f32;
            if value.is_nan() { NAN } else { value.to_bits() }
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::host::Baseline;
    use super::super::blend::{self, Unit};
    use super::*;

    /// Sums of random numbers, with and without common exponents, against those of [`blend`].
    #[test]
    fn sums_are_those_of_single_lanes() {
        let mut state = 7u64;
        let mut next = || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 32) as u32
        };
        let mut known = 0;
        for round in 0..200 {
            let spread = [1, 8, 30, 60, 256][round % 5];
            let count = [2, 4, 8, 16][round / 5 % 4];
            let (mut sums, mut terms) = (Sums::ZERO, vec![vec![]; 64]);
            for _ in 0..count {
                let value = |n: u32, exponent: u32| n & 0x807f_ffff | (exponent % 256) << 23;
                let values: Lanes = std::array::from_fn(|_| value(next(), 120 + next() % spread));
                let weights: Lanes = std::array::from_fn(|_| [0, 1, 1 << 16, next() >> 8][next() as usize % 4]);
                sums.add(&values, &weights);
                for lane in (0..64).filter(|&lane| weights[lane] > 0) {
                    terms[lane].push((values[lane], weights[lane] as u64));
                }
            }
            for lane in 0..64 {
                let expected = blend::sum(&terms[lane], Unit { scale: 24, divisor: 1 });
                if let Some(rounded) = sums.rounded::<Baseline>(24, 1 << lane) {
                    assert_eq!(rounded[lane], expected, "{:x?}", terms[lane]);
                    known += 1;
                }
            }
        }
        // Sums of numbers with exponents far apart are not known.
        assert!(known > 200 * 64 / 2, "{known}");
    }

    #[test]
    fn ties_zeros_and_what_is_no_number() {
        let mut sums = Sums::ZERO;
        let (one, next) = (0x3f80_0000, 0x3f80_0001);
        let values = |lanes: [u32; 5]| -> Lanes { std::array::from_fn(|lane| lanes.get(lane).copied().unwrap_or(0)) };
        let (infinity, minus) = (0x7f80_0000, 1 << 31);
        sums.add(&values([one, minus, infinity, 0xff80_0001, 1]), &[128; 64]);
        sums.add(&values([next, minus, infinity | minus, one, 0]), &[128; 64]);
        let rounded = sums.rounded::<Baseline>(8, !0).unwrap();
        // Half of a unit goes to even, also if the unit is denormal; no texel is negative where all are -0.
        assert_eq!(rounded[..5], [one, 0, NAN, NAN, 0]);
    }
}
