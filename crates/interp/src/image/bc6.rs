//! BC6: blocks of 4 x 4 texels of three binary16 numbers, exact by definition.

use super::partition::{Bits, blend, indices, partition};

/// A mode of blocks.
struct Mode {
    code: u32,
    /// Bits of an end point.
    width: u32,
    /// Bits of the differences from the first end point, for each component; `None` if end points stand for themselves.
    differences: Option<[u32; 3]>,
    /// Number of subsets of texels, 1 or 2.
    subsets: usize,
    /// The component, the end point and the bit of each bit of the fields, in the order of the block.
    places: [(u8, u8, u8); MOST_PLACES],
    /// Number of `places`.
    count: usize,
}

/// The most bits of the fields of a mode.
const MOST_PLACES: usize = 75;

impl Mode {
    /// A mode by the text of its fields in the order of the block. A field is a component, an end point (w and x of the
    /// first subset, y and z of the second), and its bits: the last one named is the lowest in the block.
    const fn new(code: u32, width: u32, differences: Option<[u32; 3]>, text: &str) -> Mode {
        let mut mode = Mode { code, width, differences, subsets: 1, places: [(0, 0, 0); MOST_PLACES], count: 0 };
        let text = text.as_bytes();
        let mut at = 0;
        while at < text.len() {
            let component = index_of(b"rgb", text[at]);
            let end = index_of(b"wxyz", text[at + 1]);
            let (first, behind) = number_at(text, at + 2);
            let (last, behind) =
                if behind < text.len() && text[behind] == b':' { number_at(text, behind + 1) } else { (first, behind) };
            let mut bit = last;
            loop {
                mode.places[mode.count] = (component, end, bit);
                mode.count += 1;
                if bit == first {
                    break;
                }
                bit = if last < first { bit + 1 } else { bit - 1 };
            }
            if end > 1 {
                mode.subsets = 2;
            }
            // A blank separates the parts.
            at = behind + 1;
        }
        mode
    }
}

/// The index of `letter` in `letters`, which have it.
const fn index_of(letters: &[u8], letter: u8) -> u8 {
    let mut index = 0;
    while letters[index] != letter {
        index += 1;
    }
    index as u8
}

/// The decimal number at `at`, and the index behind it.
const fn number_at(text: &[u8], mut at: usize) -> (u8, usize) {
    let mut number = 0;
    while at < text.len() && text[at].is_ascii_digit() {
        number = 10 * number + (text[at] - b'0');
        at += 1;
    }
    (number, at)
}

/// All modes. Other codes are reserved.
static MODES: [Mode; 14] = [
    Mode::new(
        0b00,
        10,
        Some([5, 5, 5]),
        "gy4 by4 bz4 rw9:0 gw9:0 bw9:0 rx4:0 gz4 gy3:0 gx4:0 bz0 gz3:0 bx4:0 bz1 by3:0 ry4:0 bz2 rz4:0 \
         bz3",
    ),
    Mode::new(
        0b01,
        7,
        Some([6, 6, 6]),
        "gy5 gz4 gz5 rw6:0 bz0 bz1 by4 gw6:0 by5 bz2 gy4 bw6:0 bz3 bz5 bz4 rx5:0 gy3:0 gx5:0 gz3:0 bx5:0 \
         by3:0 ry5:0 rz5:0",
    ),
    Mode::new(
        0b00010,
        11,
        Some([5, 4, 4]),
        "rw9:0 gw9:0 bw9:0 rx4:0 rw10 gy3:0 gx3:0 gw10 bz0 gz3:0 bx3:0 bw10 bz1 by3:0 ry4:0 bz2 rz4:0 bz3",
    ),
    Mode::new(
        0b00110,
        11,
        Some([4, 5, 4]),
        "rw9:0 gw9:0 bw9:0 rx3:0 rw10 gz4 gy3:0 gx4:0 gw10 gz3:0 bx3:0 bw10 bz1 by3:0 ry3:0 bz0 bz2 rz3:0 \
         gy4 bz3",
    ),
    Mode::new(
        0b01010,
        11,
        Some([4, 4, 5]),
        "rw9:0 gw9:0 bw9:0 rx3:0 rw10 by4 gy3:0 gx3:0 gw10 bz0 gz3:0 bx4:0 bw10 by3:0 ry3:0 bz1 bz2 rz3:0 \
         bz4 bz3",
    ),
    Mode::new(
        0b01110,
        9,
        Some([5, 5, 5]),
        "rw8:0 by4 gw8:0 gy4 bw8:0 bz4 rx4:0 gz4 gy3:0 gx4:0 bz0 gz3:0 bx4:0 bz1 by3:0 ry4:0 bz2 rz4:0 \
         bz3",
    ),
    Mode::new(
        0b10010,
        8,
        Some([6, 5, 5]),
        "rw7:0 gz4 by4 gw7:0 bz2 gy4 bw7:0 bz3 bz4 rx5:0 gy3:0 gx4:0 bz0 gz3:0 bx4:0 bz1 by3:0 ry5:0 \
         rz5:0",
    ),
    Mode::new(
        0b10110,
        8,
        Some([5, 6, 5]),
        "rw7:0 bz0 by4 gw7:0 gy5 gy4 bw7:0 gz5 bz4 rx4:0 gz4 gy3:0 gx5:0 gz3:0 bx4:0 bz1 by3:0 ry4:0 bz2 \
         rz4:0 bz3",
    ),
    Mode::new(
        0b11010,
        8,
        Some([5, 5, 6]),
        "rw7:0 bz1 by4 gw7:0 by5 gy4 bw7:0 bz5 bz4 rx4:0 gz4 gy3:0 gx4:0 bz0 gz3:0 bx5:0 by3:0 ry4:0 bz2 \
         rz4:0 bz3",
    ),
    Mode::new(
        0b11110,
        6,
        None,
        "rw5:0 gz4 bz0 bz1 by4 gw5:0 gy5 by5 bz2 gy4 bw5:0 gz5 bz3 bz5 bz4 rx5:0 gy3:0 gx5:0 gz3:0 bx5:0 \
         by3:0 ry5:0 rz5:0",
    ),
    Mode::new(0b00011, 10, None, "rw9:0 gw9:0 bw9:0 rx9:0 gx9:0 bx9:0"),
    Mode::new(0b00111, 11, Some([9, 9, 9]), "rw9:0 gw9:0 bw9:0 rx8:0 rw10 gx8:0 gw10 bx8:0 bw10"),
    Mode::new(0b01011, 12, Some([8, 8, 8]), "rw9:0 gw9:0 bw9:0 rx7:0 rw10:11 gx7:0 gw10:11 bx7:0 bw10:11"),
    Mode::new(0b01111, 16, Some([4, 4, 4]), "rw9:0 gw9:0 bw9:0 rx3:0 rw10:15 gx3:0 gw10:15 bx3:0 bw10:15"),
];

/// Red, green and blue of texel `at` (0..=15, rows of four), and 1.
pub(super) fn texel(block: u128, at: usize, is_signed: bool) -> [f64; 4] {
    let [r, g, b] = halves(block, at, is_signed).map(number);
    [r, g, b, 1.0]
}

/// A binary16 number. Only -32768 as an end point gives an infinite one, and nothing a NaN.
fn number(half: u32) -> f64 {
    let (exponent, mantissa) = (half >> 10 & 31, (half & 1023) as f64);
    let magnitude = match exponent {
        0 => mantissa / (1 << 24) as f64,
        31 => f64::INFINITY,
        _ => (1024.0 + mantissa) * 2f64.powi(exponent as i32 - 25),
    };
    if half >> 15 == 1 { -magnitude } else { magnitude }
}

/// Red, green and blue of texel `at` as binary16; zeros for a reserved mode.
fn halves(block: u128, at: usize, is_signed: bool) -> [u32; 3] {
    let code = if block & 2 == 0 { block as u32 & 3 } else { block as u32 & 31 };
    let Some(mode) = MODES.iter().find(|mode| mode.code == code) else { return [0; 3] };
    let mut bits = Bits(block);
    bits.take(if code < 2 { 2 } else { 5 });
    let fields = fields(&mut bits, mode);
    let shape = if mode.subsets == 2 { bits.take(5) } else { 0 };
    let (subset, anchors) = partition(mode.subsets, shape as usize, at);
    let index_bits = if mode.subsets == 2 { 3 } else { 4 };
    let index = indices(&mut bits, index_bits, &anchors, at);
    std::array::from_fn(|component| {
        let difference = mode.differences.map(|bits| bits[component]);
        let ends = end_points(fields[component], mode.width, difference, is_signed);
        let [a, b] = [0, 1].map(|end| unquantized(ends[2 * subset + end], mode.width, is_signed));
        finished(blend(a, b, index_bits, index), is_signed)
    })
}

/// The fields w, x, y and z of each component.
fn fields(bits: &mut Bits, mode: &Mode) -> [[u32; 4]; 3] {
    let mut found = [[0; 4]; 3];
    for &(component, end, bit) in &mode.places[..mode.count] {
        found[component as usize][end as usize] |= bits.take(1) << bit;
    }
    found
}

/// The end points of a component, of so many bits, as numbers.
fn end_points(fields: [u32; 4], width: u32, difference: Option<u32>, is_signed: bool) -> [i32; 4] {
    let extended = |value: u32, width: u32| (value << (32 - width)) as i32 >> (32 - width);
    let whole = |value: u32| match is_signed {
        true => extended(value, width),
        false => (value & ((1 << width) - 1)) as i32,
    };
    let base = fields[0];
    [0, 1, 2, 3].map(|end| match difference {
        Some(bits) if end > 0 => whole(base.wrapping_add(extended(fields[end], bits) as u32)),
        _ => whole(fields[end]),
    })
}

/// An end point as one of 16 bits (17 with a sign).
fn unquantized(value: i32, width: u32, is_signed: bool) -> i32 {
    match (is_signed, value) {
        (_, 0) => 0,
        (false, value) if width >= 15 => value,
        (false, value) if value == (1 << width) - 1 => 0xffff,
        (false, value) => ((value << 16) + 0x8000) >> width,
        (true, value) if width >= 16 => value,
        (true, value) if value.abs() >= (1 << (width - 1)) - 1 => 0x7fff * value.signum(),
        (true, value) => (((value.abs() << 15) + 0x4000) >> (width - 1)) * value.signum(),
    }
}

/// A blended value as binary16.
fn finished(value: i32, is_signed: bool) -> u32 {
    match is_signed {
        false => ((value * 31) >> 6) as u32,
        true if value < 0 => ((-value * 31) >> 5) as u32 | 0x8000,
        true => ((value * 31) >> 5) as u32,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bits of the mode, of the end points, of the differences, of the partition, and of the indices fill a block.
    #[test]
    fn fields_fill_a_block() {
        for mode in &MODES {
            let Mode { code, width, differences, subsets, .. } = *mode;
            let mut bits = Bits(u128::MAX);
            let found = fields(&mut bits, mode);
            let shared = if subsets == 2 { 5 + 46 } else { 63 };
            let used = bits.0.leading_zeros() + if code < 2 { 2 } else { 5 } + shared;
            assert_eq!(used, 128, "mode {code:#b}");
            for (component, ends) in found.iter().enumerate() {
                let rest = differences.map_or(width, |bits| bits[component]);
                let ones = |bits: u32| ((1u64 << bits) - 1) as u32;
                assert_eq!(ends[..2], [ones(width), ones(rest)], "mode {code:#b}");
                assert_eq!(ends[2..], if subsets == 2 { [ones(rest); 2] } else { [0; 2] }, "mode {code:#b}");
            }
        }
    }

    #[test]
    fn one_subset_of_ten_bits() {
        // Red w = 1023 (65504), x = 0; the first index has three bits.
        let block = 0b00011 | 1023 << 5 | 15 << (65 + 3);
        assert_eq!(halves(block, 0, false), [(0xffff * 31) >> 6, 0, 0]);
        assert_eq!(texel(block, 0, false), [65504.0, 0.0, 0.0, 1.0]);
        assert_eq!(texel(block, 1, false), [0.0, 0.0, 0.0, 1.0]);
        // -1 of ten bits: (1 << 15 + 0x4000) >> 9 = 96; 96 * 31 / 32 = 93.
        assert_eq!(halves(block, 0, true)[0], 0x8000 | 93);
        assert_eq!([number(0x3c00), number(1), number(0xc000)], [1.0, 1.0 / 16_777_216.0, -2.0]);
        assert_eq!(number(finished(-32768, true)), f64::NEG_INFINITY);
    }

    #[test]
    fn reserved_modes() {
        assert_eq!([0b10011, 0b10111, 0b11011, 0b11111].map(|code| texel(code, 5, false)), [[0.0, 0.0, 0.0, 1.0]; 4]);
    }
}
