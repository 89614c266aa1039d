//! Blocks of 4 x 4 texels: BC1 to BC7 (docs/gcn/image-descriptors.md#data-formats).

mod bc6;
mod bc7;
mod subsets;

use super::super::convert;

/// A fraction: numerator and denominator.
#[derive(Clone, Copy)]
struct Fraction(i32, i32);

impl Fraction {
    /// The nearest binary64 number. A second rounding, to binary32, gives the nearest binary32 number: for that the
    /// fraction must not be too near to the middle between two of these. It is not, because its denominator is below
    /// 2^11, and such a middle has 25 bits.
    fn value(self) -> f64 {
        self.0 as f64 / self.1 as f64
    }
}

/// The components of texel `k` (4 * y + x) of a block of BC`number`, as binary64 numbers that are to be rounded to
/// binary32, and their number.
pub(super) fn texel(number: u8, block: [u64; 2], is_signed: bool, k: usize) -> ([f64; 4], usize) {
    let [low, high] = block;
    let data = low as u128 | (high as u128) << 64;
    match number {
        1 => (colour(low, false, k), 4),
        2 => {
            let [r, g, b, _] = colour(high, true, k);
            ([r, g, b, Fraction((low >> (4 * k) & 15) as i32, 15).value()], 4)
        }
        3 => {
            let [r, g, b, _] = colour(high, true, k);
            ([r, g, b, channel(low, false, k)], 4)
        }
        4 => ([channel(low, is_signed, k), 0.0, 0.0, 0.0], 1),
        5 => ([channel(low, is_signed, k), channel(high, is_signed, k), 0.0, 0.0], 2),
        6 => {
            let [r, g, b] =
                bc6::texel(data, is_signed, k).map(|half| f32::from_bits(convert::float_of(16, half)) as f64);
            ([r, g, b, 0.0], 3)
        }
        _ => (bc7::texel(data, k).map(|byte| Fraction(byte as i32, 255).value()), 4),
    }
}

/// Texel `k` of a block of two colours, from which two others are interpolated. Without `is_opaque` the order of the
/// two colours says whether instead one is interpolated and one is transparent.
fn colour(block: u64, is_opaque: bool, k: usize) -> [f64; 4] {
    let (c0, c1) = (block as u16, (block >> 16) as u16);
    let (wa, wb) = match (block >> (32 + 2 * k) & 3, c0 > c1 || is_opaque) {
        (0, _) => (1, 0),
        (1, _) => (0, 1),
        (2, true) => (2, 1),
        (_, true) => (1, 2),
        (2, false) => (1, 1),
        (_, false) => return [0.0; 4],
    };
    let part = |low: u32, width: u32| {
        let [a, b] = [c0, c1].map(|c| (c >> low & ((1 << width) - 1)) as i32);
        Fraction(wa * a + wb * b, (wa + wb) * ((1 << width) - 1)).value()
    };
    [part(11, 5), part(5, 6), part(0, 5), 1.0]
}

/// Texel `k` of a block of one component.
fn channel(block: u64, is_signed: bool, k: usize) -> f64 {
    // -128 counts as -127, even in the comparison of the ends `a` and `b`.
    let [a, b] =
        [block as u8, (block >> 8) as u8].map(|e| if is_signed { (e as i8).max(-127) as i32 } else { e as i32 });
    let (top, low) = if is_signed { (127, -127) } else { (255, 0) };
    let code = (block >> (16 + 3 * k) & 7) as i32;
    let parts = if a > b { 7 } else { 5 };
    match code {
        0 => Fraction(a, top),
        1 => Fraction(b, top),
        6 if a <= b => Fraction(low, top),
        7 if a <= b => Fraction(top, top),
        _ => Fraction((parts + 1 - code) * a + (code - 1) * b, parts * top),
    }
    .value()
}
