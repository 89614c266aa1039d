//! Where the texels of a linear image lie (docs/gcn/image-descriptors.md#layout).

use gcnsim_isa::Arch;

use super::{Kind, Shape};

/// A level of an image in memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Level {
    /// Offset of the level's first byte among the texels without padding.
    packed: u64,
    /// Offset of the level's first byte in memory.
    memory: u64,
    /// Number of bytes of a row without padding.
    row: u64,
    /// Number of rows of a plane.
    rows: u64,
    /// Distance from a row to the next in memory, in bytes.
    pitch: u64,
    /// Distance from a plane to the next in memory, in bytes.
    plane: u64,
}

/// The places of an image's texels in the memory of a generation. A launch file has the same texels without padding:
/// row by row, layer by layer, level by level.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Layout {
    levels: Vec<Level>,
    /// Distance from a row of level 0 to the next, in texels.
    pitch: u32,
    packed: u64,
    memory: u64,
}

impl Layout {
    /// Returns the layout of an image.
    pub fn new(shape: &Shape, arch: Arch) -> Layout {
        if shape.kind == Kind::D1Buffer {
            let row = shape.row_bytes(0);
            let level = Level { packed: 0, memory: 0, row, rows: 1, pitch: row, plane: row };
            return Layout { levels: vec![level], pitch: shape.size[0], packed: row, memory: row };
        }
        let bytes = u64::from(shape.format.bytes());
        let columns = pitch(shape, shape.row_bytes(0) / bytes, 0, arch);
        let stacked: Vec<u64> = (0..shape.levels).map(|level| shape.stacked_rows(level)).collect();
        let (mut levels, mut packed, mut memory) = (Vec::new(), 0, 0);
        for level in 0..shape.levels {
            let (row, rows, planes) = (shape.row_bytes(level), shape.rows(level), shape.planes(level));
            let (columns, first, plane) = match arch.is_gcn14_or_later() {
                true => {
                    let before: u64 = stacked[..level as usize].iter().sum();
                    (columns, columns * before * bytes, columns * stacked.iter().sum::<u64>() * bytes)
                }
                false => {
                    let columns =
                        if level > 0 { pitch(shape, (columns >> level).max(1), level, arch) } else { columns };
                    (columns, memory, columns * padded(shape, rows) * bytes)
                }
            };
            levels.push(Level { packed, memory: first, row, rows, pitch: columns * bytes, plane });
            packed += row * rows * planes;
            memory = match arch.is_gcn14_or_later() {
                true => memory.max(plane * planes),
                false => first + plane * padded(shape, planes),
            };
        }
        Layout { levels, pitch: columns as u32 * shape.format.side(), packed, memory }
    }

    /// Returns PITCH: the distance from a row of level 0 to the next, in texels.
    pub const fn pitch(&self) -> u32 {
        self.pitch
    }

    /// Returns the number of rows of elements that the levels of a layer have together (GCN 1.4).
    pub fn stacked_rows(&self) -> u32 {
        self.levels.first().map_or(1, |level| level.plane / level.pitch) as u32
    }

    /// Returns the number of bytes of all texels without padding.
    pub const fn packed_bytes(&self) -> u64 {
        self.packed
    }

    /// Returns the number of bytes that the image takes in memory.
    pub const fn memory_bytes(&self) -> u64 {
        self.memory
    }

    /// Returns the offset in memory of byte `at` of the texels without padding, and how many bytes of the texels lie
    /// there one after the other, this one included. `at` is less than [`Layout::packed_bytes`].
    pub fn locate(&self, at: u64) -> (u64, u64) {
        let behind = self.levels.partition_point(|level| level.packed <= at);
        let Some(level) = behind.checked_sub(1).map(|level| self.levels[level]) else { return (0, 0) };
        let (row, within) = ((at - level.packed) / level.row, (at - level.packed) % level.row);
        let (plane, y) = (row / level.rows, row % level.rows);
        (level.memory + plane * level.plane + y * level.pitch + within, level.row - within)
    }
}

/// Returns a number of rows, planes or columns before GCN 1.4: a power of two if the image has several levels, as
/// drivers make it (POW2_PAD).
fn padded(shape: &Shape, n: u64) -> u64 {
    if shape.levels > 1 { n.next_power_of_two() } else { n }
}

/// Returns the pitch of a level with at least `columns` columns, in elements.
fn pitch(shape: &Shape, columns: u64, level: u32, arch: Arch) -> u64 {
    let bytes = u64::from(shape.format.bytes());
    if arch.is_gcn14_or_later() {
        return columns.next_multiple_of((256 / bytes).max(1));
    }
    let unit = (64 / bytes).max(8);
    let rows = padded(shape, shape.rows(level));
    let mut pitch = padded(shape, columns).next_multiple_of(unit);
    while !(pitch * rows).is_multiple_of((256 / bytes).max(64)) {
        pitch += unit;
    }
    pitch
}

#[cfg(test)]
mod tests {
    use super::super::Format;
    use super::*;

    fn shape(kind: Kind, size: [u32; 3], layers: u32, levels: u32, format: &str) -> Shape {
        Shape { kind, size, layers, levels, format: Format::by_name(format).unwrap() }
    }

    /// Places of texels (x, y, plane, level), computed by corpus/tools/gcngraphics/layout.py.
    #[test]
    fn places() {
        let plane = shape(Kind::D2, [5, 3, 1], 1, 1, "r8g8b8a8_unorm");
        let old = Layout::new(&plane, Arch::Gcn12);
        // The pitch grows in steps of 16 texels until three rows have a multiple of 64 texels: to 64.
        assert_eq!((old.pitch(), old.packed_bytes(), old.memory_bytes()), (64, 60, 768));
        assert_eq!([0, 19, 20, 59].map(|at| old.locate(at)), [(0, 20), (19, 1), (256, 20), (531, 1)]);
        let new = Layout::new(&plane, Arch::Gcn14);
        assert_eq!((new.pitch(), new.packed_bytes(), new.memory_bytes()), (64, 60, 768));

        let levels = shape(Kind::D2Array, [6, 5, 1], 2, 3, "r32_uint");
        let new = Layout::new(&levels, Arch::Gcn14);
        // Heights 5, 3 and 2 (rounded up) are stacked in each layer: ten rows of 256 bytes.
        assert_eq!((new.pitch(), new.packed_bytes(), new.memory_bytes()), (64, 4 * 2 * (30 + 6 + 1), 2 * 2560));
        assert_eq!(new.locate(4 * 30), (2560, 24), "layer 1");
        assert_eq!(new.locate(4 * 60), (5 * 256, 12), "level 1");
        assert_eq!(new.locate(4 * (60 + 6)), (2560 + 5 * 256, 12), "level 1 of layer 1");
        assert_eq!(new.locate(4 * (60 + 12 + 1)), (2560 + 8 * 256, 4), "level 2 of layer 1");
        let old = Layout::new(&levels, Arch::Gcn10);
        // Level 0: 16 texels a row, five rows lie as eight, two layers; level 1: 32 x 2; level 2: 64 x 1.
        assert_eq!((old.pitch(), old.memory_bytes()), (16, 4 * (256 + 128 + 128)));
        assert_eq!(old.locate(4 * 60), (4 * 256, 12), "level 1");
        assert_eq!(old.locate(4 * 66), (4 * (256 + 64), 12), "level 1 of layer 1");
        assert_eq!(old.locate(4 * 73), (4 * (256 + 128 + 64), 4), "level 2 of layer 1");
        // Twelve rows lie as 16, three layers as four, five as eight.
        for (layers, padded) in [(3, 4), (5, 8)] {
            let levels = shape(Kind::D2Array, [20, 12, 1], layers, 2, "r32_uint");
            let old = Layout::new(&levels, Arch::Gcn12);
            let first = 32 * 16 * padded;
            assert_eq!((old.pitch(), old.memory_bytes()), (32, 4 * (first + 16 * 8 * padded)));
            assert_eq!(old.locate(4 * 20 * 12), (4 * 32 * 16, 80), "layer 1");
            assert_eq!(old.locate(u64::from(4 * 20 * 12 * layers)), (4 * first, 40), "level 1");
        }
    }

    #[test]
    fn blocks_and_volumes() {
        let blocks = shape(Kind::D2, [10, 6, 1], 1, 2, "bc1_rgba_unorm_block");
        let new = Layout::new(&blocks, Arch::Gcn14);
        // Three blocks a row, two rows; level 1 is 5 x 3: two blocks.
        assert_eq!((new.packed_bytes(), new.pitch()), (8 * (6 + 2), 128));
        assert_eq!(new.locate(8 * 6), (2 * 256, 16));
        let volume = shape(Kind::D3, [4, 4, 3], 1, 2, "r8_unorm");
        let old = Layout::new(&volume, Arch::Gcn11);
        assert_eq!((old.packed_bytes(), old.locate(16), old.locate(48)), (52, (256, 4), (1024, 2)));
    }

    #[test]
    fn every_byte_has_its_own_place() {
        for arch in Arch::ALL {
            for kind in [Kind::D1, Kind::D2, Kind::D3, Kind::Cube, Kind::D1Array, Kind::D2Array, Kind::D1Buffer] {
                for format in ["r8_unorm", "r16g16_sint", "r32g32b32a32_sfloat", "bc3_unorm_block"] {
                    let size = if kind == Kind::Cube { [9, 9, 1] } else { [9, 7, 3] };
                    let one_row = matches!(kind, Kind::D1 | Kind::D1Array | Kind::D1Buffer);
                    let [w, h, d] = size;
                    let size = [w, if one_row { 1 } else { h }, if kind == Kind::D3 { d } else { 1 }];
                    let layers = if kind == Kind::Cube { 6 } else { 2 };
                    let levels = if kind == Kind::D1Buffer { 1 } else { 3 };
                    let shape = Shape { levels, ..shape(kind, size, layers, 1, format) };
                    let layout = Layout::new(&shape, arch);
                    let mut seen = vec![false; layout.memory_bytes() as usize];
                    let mut at = 0;
                    while at < layout.packed_bytes() {
                        let (place, len) = layout.locate(at);
                        for byte in &mut seen[place as usize..(place + len) as usize] {
                            assert!(!*byte, "{arch:?} {shape:?}: byte {at}");
                            *byte = true;
                        }
                        at += len;
                    }
                    assert_eq!(at, layout.packed_bytes());
                }
            }
        }
    }
}
