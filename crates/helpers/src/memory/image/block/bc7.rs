//! BC7: four components of eight bits.

use super::subsets::{Partition, Reader, between};

/// A mode of blocks: the number of subsets, and the numbers of bits of the fields.
struct Mode {
    subsets: usize,
    /// Bits of the partition's number.
    partition: u32,
    /// Bits of the number of the component that is exchanged with alpha.
    rotation: u32,
    /// Bits of the choice which indices are those of colours, and which of alpha.
    selection: u32,
    /// Bits of a colour of an end point.
    colour: u32,
    /// Bits of alpha of an end point; 0 if alpha is 255.
    alpha: u32,
    /// Whether each end point has a lowest bit, which all its components share.
    own_low: bool,
    /// Whether both end points of a subset share such a bit.
    shared_low: bool,
    /// Bits of an index.
    index: u32,
    /// Bits of an index of the second list; 0 if there is none.
    second_index: u32,
}

const fn mode(subsets: usize, bits: [u32; 5], own_low: bool, shared_low: bool, indices: [u32; 2]) -> Mode {
    let [partition, rotation, selection, colour, alpha] = bits;
    let [index, second_index] = indices;
    Mode { subsets, partition, rotation, selection, colour, alpha, own_low, shared_low, index, second_index }
}

const MODES: [Mode; 8] = [
    mode(3, [4, 0, 0, 4, 0], true, false, [3, 0]),
    mode(2, [6, 0, 0, 6, 0], false, true, [3, 0]),
    mode(3, [6, 0, 0, 5, 0], false, false, [2, 0]),
    mode(2, [6, 0, 0, 7, 0], true, false, [2, 0]),
    mode(1, [0, 2, 1, 5, 6], false, false, [2, 3]),
    mode(1, [0, 2, 0, 7, 8], false, false, [2, 2]),
    mode(1, [0, 0, 0, 7, 7], true, false, [4, 0]),
    mode(2, [6, 0, 0, 5, 5], true, false, [2, 0]),
];

/// The components of texel `k`. A block of the reserved mode is 0.
pub(super) fn texel(data: u128, k: usize) -> [u32; 4] {
    let number = (data as u32).trailing_zeros() as usize;
    let Some(mode) = MODES.get(number) else { return [0; 4] };
    let mut reader = Reader(data >> (number + 1));
    let partition = Partition { count: mode.subsets, number: reader.take(mode.partition) };
    let rotation = reader.take(mode.rotation) as usize;
    let selection = reader.take(mode.selection);
    let points = end_points(&mut reader, mode);
    let first = partition.weight(&mut reader, mode.index, k);
    let (colour, alpha) = match mode.second_index {
        0 => (first, first),
        width => {
            let second = Partition { count: 1, number: 0 }.weight(&mut reader, width, k);
            if selection == 1 { (second, first) } else { (first, second) }
        }
    };
    let ends = 2 * partition.subset(k);
    let mut texel = [0; 4];
    for (c, component) in texel.iter_mut().enumerate() {
        let weight = if c == 3 { alpha } else { colour };
        *component = between(points[c][ends], points[c][ends + 1], weight) as u32;
    }
    if rotation > 0 {
        texel.swap(rotation - 1, 3);
    }
    texel
}

/// The end points of each component, as numbers of eight bits.
fn end_points(reader: &mut Reader, mode: &Mode) -> [[i32; 6]; 4] {
    let count = 2 * mode.subsets;
    let mut points = [[255; 6]; 4];
    let widths = [mode.colour, mode.colour, mode.colour, mode.alpha];
    for (of, &width) in points.iter_mut().zip(&widths).filter(|(_, width)| **width > 0) {
        of[..count].iter_mut().for_each(|point| *point = reader.take(width) as i32);
    }
    let has_low = mode.own_low || mode.shared_low;
    let mut low = [0; 6];
    if mode.own_low {
        low[..count].iter_mut().for_each(|bit| *bit = reader.take(1) as i32);
    } else if mode.shared_low {
        low[..count].chunks_mut(2).for_each(|both| both.fill(reader.take(1) as i32));
    }
    for (of, &width) in points.iter_mut().zip(&widths).filter(|(_, width)| **width > 0) {
        for (point, low) in of[..count].iter_mut().zip(low) {
            let (value, width) = if has_low { (*point << 1 | low, width + 1) } else { (*point, width) };
            let top = value << (8 - width);
            *point = top | top >> width;
        }
    }
    points
}
