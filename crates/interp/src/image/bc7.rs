//! BC7: blocks of 4 x 4 texels in eight modes, exact by definition.

use super::partition::{Bits, blend, indices, partition};

/// The layout of a mode: which fields the block has, in their order.
struct Mode {
    subsets: usize,
    /// Bits of the partition, of the rotation and of the selection of indices.
    choice: [u32; 3],
    colour_bits: u32,
    alpha_bits: u32,
    /// Lowest bits of end points: none, one for each, or one for both of a subset.
    low_bits: LowBits,
    /// Bits of an index, and of an index of the second set (0: there is none).
    index_bits: [u32; 2],
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum LowBits {
    None,
    Own,
    Shared,
}

const fn mode(
    subsets: usize,
    choice: [u32; 3],
    colour_bits: u32,
    alpha_bits: u32,
    low_bits: LowBits,
    index_bits: [u32; 2],
) -> Mode {
    Mode { subsets, choice, colour_bits, alpha_bits, low_bits, index_bits }
}

const MODES: [Mode; 8] = [
    mode(3, [4, 0, 0], 4, 0, LowBits::Own, [3, 0]),
    mode(2, [6, 0, 0], 6, 0, LowBits::Shared, [3, 0]),
    mode(3, [6, 0, 0], 5, 0, LowBits::None, [2, 0]),
    mode(2, [6, 0, 0], 7, 0, LowBits::Own, [2, 0]),
    mode(1, [0, 2, 1], 5, 6, LowBits::None, [2, 3]),
    mode(1, [0, 2, 0], 7, 8, LowBits::None, [2, 2]),
    mode(1, [0, 0, 0], 7, 7, LowBits::Own, [4, 0]),
    mode(2, [6, 0, 0], 5, 5, LowBits::Own, [2, 0]),
];

/// Red, green, blue and alpha of texel `at` (0..=15, rows of four).
pub(super) fn texel(block: u128, at: usize) -> [f64; 4] {
    bytes(block, at).map(|value| value as f64 / 255.0)
}

fn bytes(block: u128, at: usize) -> [u32; 4] {
    let number = block.trailing_zeros();
    // The reserved mode gives zeros.
    let Some(mode) = MODES.get(number as usize) else { return [0; 4] };
    let mut bits = Bits(block);
    bits.take(number + 1);
    let [shape, rotation, selection] = mode.choice.map(|count| bits.take(count));
    let ends = end_points(mode, &mut bits);
    let (subset, anchors) = partition(mode.subsets, shape as usize, at);
    let first = indices(&mut bits, mode.index_bits[0], &anchors, at);
    let second = if mode.index_bits[1] == 0 { first } else { indices(&mut bits, mode.index_bits[1], &[0], at) };
    let sets = match mode.index_bits {
        [width, 0] => [(width, first); 2],
        [width, other] if selection == 0 => [(width, first), (other, second)],
        [width, other] => [(other, second), (width, first)],
    };
    let mut texel: [u32; 4] = std::array::from_fn(|c| {
        let (width, index) = sets[(c == 3) as usize];
        let [a, b] = [0, 1].map(|end| ends[c][2 * subset + end] as i32);
        blend(a, b, width, index) as u32
    });
    if rotation > 0 {
        texel.swap(rotation as usize - 1, 3);
    }
    texel
}

/// For each component the end points of all subsets, widened to eight bits.
fn end_points(mode: &Mode, bits: &mut Bits) -> [[u32; 6]; 4] {
    let count = 2 * mode.subsets;
    let widths = [mode.colour_bits, mode.colour_bits, mode.colour_bits, mode.alpha_bits];
    let mut ends = [[0; 6]; 4];
    for (component, width) in ends.iter_mut().zip(widths) {
        component[..count].iter_mut().for_each(|end| *end = bits.take(width));
    }
    let mut low = [0; 6];
    match mode.low_bits {
        LowBits::None => {}
        LowBits::Own => low[..count].iter_mut().for_each(|low| *low = bits.take(1)),
        LowBits::Shared => low[..count].chunks_mut(2).for_each(|pair| pair.fill(bits.take(1))),
    }
    for (component, width) in ends.iter_mut().zip(widths) {
        for (end, low) in component.iter_mut().zip(low) {
            *end = match (width, mode.low_bits) {
                (0, _) => 255,
                (width, LowBits::None) => widened(*end, width),
                (width, _) => widened(*end << 1 | low, width + 1),
            };
        }
    }
    ends
}

/// A number of so many bits (4 to 8) as one of eight: its upper bits follow the lowest one.
fn widened(value: u32, width: u32) -> u32 {
    let value = value << (8 - width);
    value | value >> width
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mode_6() {
        // End points of seven bits with a lowest one each: red 0 and 255, all others 127 and 127 with the bits 0 and 1.
        let fields: [(u128, u32); 11] =
            [(1 << 6, 7), (0, 7), (127, 7), (127, 7), (127, 7), (127, 7), (127, 7), (127, 7), (127, 7), (0, 1), (1, 1)];
        let mut block = 0;
        let mut at = 0;
        for (value, width) in fields {
            block |= value << at;
            at += width;
        }
        // Texel 0 has an index of three bits, 0; texel 1 of four, 15; texel 2 has 4: weight 17.
        block |= 15 << (at + 3) | 4 << (at + 7);
        assert_eq!(bytes(block, 0), [0, 254, 254, 254]);
        assert_eq!(bytes(block, 1), [255; 4]);
        assert_eq!(bytes(block, 2)[0], (255 * 17 + 32) >> 6);
    }

    #[test]
    fn mode_5_rotates() {
        // Rotation 1 exchanges red and alpha. Colours of seven bits: red 127, 127; alpha of eight bits: 3, 3.
        let block = 1 << 5 | 1 << 6 | 127 << 8 | 127 << 15 | 3 << 50 | 3 << 58;
        assert_eq!(bytes(block, 9), [3, 0, 0, 255]);
    }

    #[test]
    fn the_reserved_mode() {
        assert_eq!(bytes(0, 3), [0; 4]);
        assert_eq!(bytes(u128::MAX << 8, 3), [0; 4]);
    }

    #[test]
    fn end_points_are_widened() {
        assert_eq!([widened(0b10101, 5), widened(0b1000, 4), widened(127, 7)], [0b1010_1101, 0b1000_1000, 255]);
    }
}
