//! BC1 to BC5: blocks of 4 x 4 texels with two end points and what lies between them, as binary64. Their fractions
//! have small divisors, so that rounding them once more to binary32 is rounding once.

/// Component X, Y, Z and W of texel `at` (0..=15, rows of four) of a block. Those that the format lacks are 0, W is 1.
pub(super) fn texel(kind: u8, block: u128, at: usize, is_signed: bool) -> [f64; 4] {
    let (low, high) = (block as u64, (block >> 64) as u64);
    match kind {
        1 => colour(low, at, false),
        2 => {
            let [x, y, z, _] = colour(high, at, true);
            [x, y, z, (low >> (4 * at) & 15) as f64 / 15.0]
        }
        3 => {
            let [x, y, z, _] = colour(high, at, true);
            [x, y, z, channel(low, at, false)]
        }
        4 => [channel(low, at, is_signed), 0.0, 0.0, 1.0],
        _ => [channel(low, at, is_signed), channel(high, at, is_signed), 0.0, 1.0],
    }
}

/// Of 8 bytes with two colours of 5_6_5 (red at the top) and indices of two bits. Unless it has always four colours,
/// the order of the two says whether the fourth is transparent black.
fn colour(block: u64, at: usize, has_four: bool) -> [f64; 4] {
    let (c0, c1) = (block as u16, (block >> 16) as u16);
    let parts = |c: u16| [(c >> 11) as u32, (c >> 5 & 63) as u32, (c & 31) as u32];
    let (a, b) = (parts(c0), parts(c1));
    let mix = |wa: u32, wb: u32| {
        let part = |i: usize, most: u32| (wa * a[i] + wb * b[i]) as f64 / ((wa + wb) * most) as f64;
        [part(0, 31), part(1, 63), part(2, 31), 1.0]
    };
    match (block >> (32 + 2 * at) & 3, has_four || c0 > c1) {
        (0, _) => mix(1, 0),
        (1, _) => mix(0, 1),
        (2, true) => mix(2, 1),
        (2, false) => mix(1, 1),
        (_, true) => mix(1, 2),
        (_, false) => [0.0; 4],
    }
}

/// Of 8 bytes with two end points of eight bits and indices of three.
fn channel(block: u64, at: usize, is_signed: bool) -> f64 {
    let end = |byte: u8| if is_signed { (byte as i8).max(-127) as i32 } else { byte as i32 };
    let (a, b) = (end(block as u8), end((block >> 8) as u8));
    let (least, most) = if is_signed { (-127, 127) } else { (0, 255) };
    let index = (block >> (16 + 3 * at) & 7) as i32;
    let (value, parts) = match index {
        0 => (a, 1),
        1 => (b, 1),
        _ if a > b => ((8 - index) * a + (index - 1) * b, 7),
        6 => (least, 1),
        7 => (most, 1),
        _ => ((6 - index) * a + (index - 1) * b, 5),
    };
    value as f64 / (parts * most) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn four_colours_or_three() {
        // Red 31 and blue 31; texels 0 to 3 have the indices 0 to 3.
        let (red, blue) = (0xf800u128, 0x1fu128);
        let block = |c0: u128, c1: u128| c0 | c1 << 16 | 0b11_10_01_00 << 32;
        let texels = |block, kind| [0, 1, 2, 3].map(|at| texel(kind, block, at, false));
        assert_eq!(
            texels(block(red, blue), 1),
            [
                [1.0, 0.0, 0.0, 1.0],
                [0.0, 0.0, 1.0, 1.0],
                [2.0 / 3.0, 0.0, 1.0 / 3.0, 1.0],
                [1.0 / 3.0, 0.0, 2.0 / 3.0, 1.0]
            ]
        );
        assert_eq!(
            texels(block(blue, red), 1),
            [[0.0, 0.0, 1.0, 1.0], [1.0, 0.0, 0.0, 1.0], [0.5, 0.0, 0.5, 1.0], [0.0; 4]]
        );
        // BC2 has its colours behind 64 bits of alpha, always four.
        assert_eq!(texel(2, block(blue, red) << 64 | 0x5000, 3, false), [2.0 / 3.0, 0.0, 1.0 / 3.0, 5.0 / 15.0]);
    }

    #[test]
    fn one_channel() {
        let block = |a: u8, b: u8, index: u64| a as u64 | (b as u64) << 8 | index << 16 | index << 61;
        let value = |a, b, index, is_signed| channel(block(a, b, index), 0, is_signed);
        assert_eq!(value(255, 0, 2, false), 6.0 / 7.0);
        assert_eq!(value(255, 0, 7, false), 1.0 / 7.0);
        assert_eq!([2, 5, 6, 7].map(|index| value(0, 255, index, false)), [0.2, 0.8, 0.0, 1.0]);
        // -128 counts as -127, so the end points are equal.
        assert_eq!([0, 6, 7].map(|index| value(0x80, 0x81, index, true)), [-1.0, -1.0, 1.0]);
        assert_eq!(value(127, 0x81, 2, true), 5.0 / 7.0);
        assert_eq!(channel(block(255, 0, 1), 15, false), 0.0);
        assert_eq!(texel(5, 255 | 51 << 64, 0, false), [1.0, 0.2, 0.0, 1.0]);
        assert_eq!(texel(4, 51, 0, false), [0.2, 0.0, 0.0, 1.0]);
        assert_eq!(texel(3, 51, 0, false), [0.0, 0.0, 0.0, 0.2]);
    }
}
