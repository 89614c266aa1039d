//! Where a texel of an image lies (docs/gcn/image-descriptors.md#layout).

use gcnsim_isa::image::Tiling;
use gcnsim_isa::{Arch, Note, Notes};

use super::view::View;

/// Number of levels that an image can have.
const LEVELS: usize = 16;

/// A texel of an image, inside it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Spot {
    /// Counts from BASE_LEVEL.
    pub level: u32,
    pub x: u32,
    pub y: u32,
    /// The layer from BASE_ARRAY on, or z.
    pub layer: u32,
    pub fragment: u32,
}

/// Elements of a plane of a level.
#[derive(Clone, Copy)]
struct Extent {
    /// Elements from one row to the next.
    pitch: u64,
    rows: u64,
}

impl Extent {
    fn elements(self) -> u64 {
        self.pitch * self.rows
    }

    /// Widened in steps of `step` elements until a plane has a multiple of `count` elements.
    fn widened(self, step: u64, count: u64) -> Extent {
        let fits = |steps: &u64| ((self.pitch + steps * step) * self.rows).is_multiple_of(count);
        let steps = (0..count).find(fits).unwrap_or(0);
        Extent { pitch: self.pitch + steps * step, ..self }
    }
}

impl View {
    /// Rounded up to a power of two with POW2_PAD.
    fn padded(&self, n: u64) -> u64 {
        if self.descriptor.pads_to_power_of_two(self.arch) { n.next_power_of_two() } else { n }
    }

    /// How a level lies before GCN 1.4. Of an image of one short row, drivers make level 0 alone linear.
    fn tiling_of(&self, level: u32) -> Tiling {
        let is_short = self.width <= 8 && self.height == 1 && self.descriptor.pads_to_power_of_two(self.arch);
        match self.descriptor.tiling(self.arch) {
            Tiling::Linear if level > 0 && is_short && self.resource.dimensions() > 1 => Tiling::Micro(1),
            tiling => tiling,
        }
    }

    /// The planes of a level before GCN 1.4, and how many there are.
    fn extent(&self, level: u32) -> (Extent, u64) {
        let side = self.texels.side();
        let rows = self.padded((self.height >> level).max(1).div_ceil(side) as u64);
        let mut pitch = (self.pitch / side) as u64;
        if level > 0 {
            // With POW2_PAD the pitches of levels halve.
            let is_padded = self.descriptor.pads_to_power_of_two(self.arch);
            let texels = if is_padded { self.pitch / side * side } else { self.width };
            pitch = self.padded((texels >> level).max(1).div_ceil(side) as u64);
        }
        let planes = self.total_layers() as u64 * self.samples as u64;
        let planes = self.padded(if self.is_volume() { (planes >> level).max(1) } else { planes });
        let bytes = self.texels.bytes() as u64;
        let tiling = self.tiling_of(level);
        let (Tiling::Micro(most) | Tiling::Macro(most)) = tiling else {
            let unit = self.pitch_unit() as u64;
            let extent = Extent { pitch, rows };
            if level == 0 {
                return (extent, planes);
            }
            let pitch = pitch.next_multiple_of(unit);
            return (Extent { pitch, rows }.widened(unit, (256 / bytes).max(64)), planes);
        };
        // Slices of a tile.
        let mut deep = most as u64;
        if self.arch == Arch::Gcn10 && level > 0 {
            deep = if planes < 4 { 1 } else { deep.min(planes & !3).min(8) };
        }
        let tile_rows = if bytes * deep < 4 { 32 / (bytes * deep) } else { 8 };
        let is_smaller = pitch < 32 || rows < tile_rows;
        if matches!(tiling, Tiling::Macro(_)) && (level == 0 || !is_smaller) {
            let extent = Extent { pitch: pitch.next_multiple_of(32), rows: rows.next_multiple_of(tile_rows) };
            return (extent, planes.next_multiple_of(deep));
        }
        let deep = deep.min(4);
        let extent = Extent { pitch: pitch.next_multiple_of(8), rows: rows.next_multiple_of(8) };
        (extent.widened(8, 256 >> (bytes * deep).trailing_zeros()), planes.next_multiple_of(deep))
    }

    /// The number of the first element of a row, counted from BASE.
    fn row(&self, level: u32, plane: u64, row: u64) -> u64 {
        if !self.arch.is_gcn14_or_later() {
            let elements = |(extent, planes): (Extent, u64)| extent.elements() * planes;
            let before: u64 = (0..level).map(|level| elements(self.extent(level))).sum();
            let Extent { pitch, rows } = self.extent(level).0;
            return before + (plane * rows + row) * pitch;
        }
        let last = self.max_level.max(self.base_level + self.levels() - 1);
        match self.descriptor.tiling(self.arch) {
            Tiling::Swizzled(_) if last > 0 && self.is_volume() => {
                let volume = |level| self.halved(level).elements() * self.depth().div_ceil(1 << level) as u64;
                let (columns, plane) = (self.halved(level).pitch, plane * self.halved(level).elements());
                (0..level).map(volume).sum::<u64>() + plane + row * columns
            }
            Tiling::Swizzled(log2) if last > 0 => {
                let places = self.in_blocks(last, log2);
                let (first, pitch) = places[level as usize];
                first + plane * places[last as usize + 1].0 + row * pitch
            }
            tiling => {
                let stacked = |levels: std::ops::Range<u32>| levels.map(|level| self.halved(level).rows).sum::<u64>();
                // PITCH is a number of rows if there are several levels. That of tiled blocks counts blocks.
                let pitch = match (last, tiling) {
                    (0, Tiling::Linear) => (self.pitch / self.texels.side()) as u64,
                    (0, _) => self.pitch as u64,
                    _ => self.halved(0).pitch.next_multiple_of(self.pitch_unit() as u64),
                };
                (plane * stacked(0..last + 1) + stacked(0..level) + row) * pitch
            }
        }
    }

    /// The columns and rows of a level from GCN 1.4 on: halves are rounded up.
    fn halved(&self, level: u32) -> Extent {
        let [pitch, rows] =
            [self.width, self.height].map(|size| size.div_ceil(1 << level).div_ceil(self.texels.side()) as u64);
        Extent { pitch, rows }
    }

    /// The first element and the pitch of each level of a layer in blocks of `1 << log2` bytes; behind the last level
    /// the first element of the next layer.
    fn in_blocks(&self, last: u32, log2: u8) -> [(u64, u64); LEVELS + 1] {
        // 16 x 16, 16 x 8, 8 x 8, 8 x 4 and 4 x 4 elements have 256 bytes. Larger blocks are 4 or 16 times as wide.
        let [width, height] = match self.texels.bytes() {
            1 => [16, 16],
            2 => [16, 8],
            4 => [8, 8],
            8 | 12 => [8, 4],
            _ => [4, 4],
        }
        .map(|size: u64| size << (log2 / 2 - 4));
        let (mut places, mut next) = ([(0, 0); LEVELS + 1], 0);
        // What is left of the block of small levels: its first element, and the size of a level in it.
        let mut tail: Option<(u64, [u64; 2])> = None;
        for level in 0..=last {
            let place = &mut places[level as usize];
            let Extent { pitch, rows } = self.halved(level);
            if tail.is_none() && log2 > 8 && pitch <= width / 2 && rows <= height {
                tail = Some((next, [width / 2, height]));
                next += width * height;
            }
            match &mut tail {
                Some((first, [pitch, rows])) => {
                    *place = (*first, *pitch);
                    *first += *pitch * *rows;
                    [pitch, rows].into_iter().for_each(|size| *size = (*size / 2).max(1));
                }
                None => {
                    let pitch = pitch.next_multiple_of(width);
                    *place = (next, pitch);
                    next += pitch * rows.next_multiple_of(height);
                }
            }
        }
        places[last as usize + 1].0 = next;
        places
    }

    /// The address of the element of a texel.
    pub fn address(&self, spot: Spot, notes: &mut Notes) -> u64 {
        let level = self.base_level + spot.level;
        let plane = match self.is_volume() {
            true => spot.layer as u64,
            false => {
                let layer = self.descriptor.base_array() as u64 + spot.layer as u64;
                layer * self.samples as u64 + spot.fragment as u64
            }
        };
        let side = self.texels.side();
        notes.insert_if(level > 0 && !self.arch.is_gcn14_or_later(), Note::MipLayout);
        notes.insert_if(self.samples > 1 && plane > 0, Note::MsaaLayout);
        let element = self.row(level, plane, (spot.y / side) as u64) + (spot.x / side) as u64;
        self.descriptor.first_byte(self.arch).wrapping_add(element.wrapping_mul(self.texels.bytes() as u64))
    }
}

#[cfg(test)]
mod tests {
    use gcnsim_isa::image::ImageDescriptor;

    use super::*;

    /// An image as RADV describes it: type, format, tiling; width, height and depth or layers; levels, and PITCH.
    fn view(arch: Arch, [kind, format, tiling]: [u32; 3], [w, h, d]: [u32; 3], levels: u32, pitch: u32) -> View {
        let is_old = !arch.is_gcn14_or_later();
        let words = [
            0x1000,
            format << 20 | 4 << 26,
            (w - 1) | (h - 1) << 14,
            0xfac | (levels - 1) << 16 | tiling << 20 | u32::from(is_old && levels > 1) << 25 | kind << 28,
            (d - 1) | (pitch - 1) << 13,
            if is_old { (d - 1) << 13 } else { (levels - 1) << 28 },
            0,
            0,
        ];
        View::new(arch, ImageDescriptor(words), false, kind == 13).unwrap()
    }

    fn place(view: &View, level: u32, layer: u32) -> u64 {
        let spot = Spot { level, x: 0, y: 0, layer, fragment: 0 };
        view.address(spot, &mut Notes::NONE.clone()) - 0x10_0000
    }

    /// What RADV of Mesa 22.3.6 answers to vkGetImageSubresourceLayout on gfx803: offset of a level, and of a layer in
    /// it.
    #[test]
    fn levels_of_tiled_images_lie_where_addrlib_puts_them() {
        type Case = ([u32; 3], [u32; 3], u32, &'static [(u64, u64)]);
        let cases: &[Case] = &[
            (
                [13, 4, 14],
                [437, 283, 6],
                512,
                &[
                    (0, 1048576),
                    (8388608, 262144),
                    (10485760, 65536),
                    (11010048, 16384),
                    (11141120, 4096),
                    (11173888, 512),
                    (11177984, 256),
                ],
            ),
            (
                [10, 1, 14],
                [85, 21, 16],
                128,
                &[(0, 4096), (65536, 1024), (73728, 256), (74752, 256), (75264, 256), (75520, 256)],
            ),
            (
                [10, 4, 14],
                [77, 72, 19],
                128,
                &[(0, 65536), (2097152, 16384), (2359296, 4096), (2375680, 1024), (2377728, 256)],
            ),
            ([9, 1, 14], [481, 96, 1], 512, &[(0, 65536), (65536, 16384), (81920, 4096), (86016, 1024), (87040, 256)]),
            // Mesa 25.0: tiles of eight slices, then of four.
            ([10, 1, 25], [89, 16, 6], 128, &[(0, 2048), (16384, 512), (20480, 256), (21504, 128), (22016, 64)]),
            ([13, 14, 14], [128, 16, 3], 128, &[(0, 32768), (131072, 8192), (163840, 4096), (180224, 2048)]),
        ];
        for (header, size, pitch, levels) in cases {
            let view = view(Arch::Gcn12, *header, *size, levels.len() as u32, *pitch);
            for (level, &(offset, layer)) in levels.iter().enumerate() {
                let level = level as u32;
                assert_eq!(place(&view, level, 0), offset, "{size:?} level {level}");
                if size[2] >> level > 1 {
                    assert_eq!(place(&view, level, 1), offset + layer, "{size:?} level {level}");
                }
            }
        }
    }

    /// Sizes of surfaces that RADV allocates on gfx900, in blocks of 64 and 4 KiB: all layers lie within.
    #[test]
    fn layers_of_blocks_fill_the_surface() {
        let large = view(Arch::Gcn14, [13, 4, 26], [193, 193, 6], 8, 384);
        assert_eq!(place(&large, 0, 5), 2359296 / 6 * 5);
        // Level 2 is the first one of the tail: 49 texels are no more than 64.
        assert_eq!([1, 2, 3].map(|level| place(&large, level, 0) >> 16), [4, 5, 5]);
        let small = view(Arch::Gcn14, [9, 11, 5], [17, 31, 1], 3, 32);
        assert_eq!([1, 2].map(|level| place(&small, level, 0)), [8192, 8192 + 8 * 16 * 16]);
        // The bits of the base below a block exchange banks.
        let mut moved = large;
        moved.descriptor.0[0] |= 0x80;
        assert_eq!(place(&moved, 1, 0), 4 << 16);
    }
}
