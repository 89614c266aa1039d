//! Where a texel of a linear image lies (docs/gcn/image-descriptors.md#layout).

use gcnsim_isa::{Note, Notes};

use super::view::View;

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

impl View {
    /// Rows of elements of a level of the resource.
    fn rows(&self, level: u32) -> u64 {
        let texels = match level {
            0 => self.height,
            _ if self.arch.is_gcn14_or_later() => self.height.div_ceil(1 << level),
            _ => self.halved(self.height, level),
        };
        texels.div_ceil(self.texels.side()) as u64
    }

    /// A size of a level above 0 before GCN 1.4.
    fn halved(&self, n: u32, level: u32) -> u32 {
        let n = if self.descriptor.pads_to_power_of_two(self.arch) { n.next_power_of_two() } else { n };
        (n >> level).max(1)
    }

    /// Elements from one row of a level to the next.
    fn level_pitch(&self, level: u32) -> u64 {
        if self.arch.is_gcn14_or_later() || level == 0 {
            return (self.pitch / self.texels.side()) as u64;
        }
        let unit = self.pitch_unit() as u64;
        let columns = self.halved(self.width, level).div_ceil(self.texels.side()) as u64;
        let mut pitch = columns.next_multiple_of(unit);
        let multiple = (256 / self.texels.bytes() as u64).max(64);
        while !(pitch * self.rows(level)).is_multiple_of(multiple) {
            pitch += unit;
        }
        pitch
    }

    /// Planes of a level before GCN 1.4.
    fn planes(&self, level: u32) -> u64 {
        let planes = self.total_layers() as u64 * self.samples as u64;
        if self.is_volume() { (planes >> level).max(1) } else { planes }
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
        let (column, row) = ((spot.x / side) as u64, (spot.y / side) as u64);
        let rows = |levels: std::ops::Range<u32>| levels.map(|level| self.rows(level)).sum::<u64>();
        let (first, row) = if self.arch.is_gcn14_or_later() {
            (0, plane * rows(0..self.max_level.max(level) + 1) + rows(0..level) + row)
        } else {
            notes.insert_if(level > 0, Note::MipLayout);
            let before = |level| self.level_pitch(level) * self.rows(level) * self.planes(level);
            ((0..level).map(before).sum(), plane * self.rows(level) + row)
        };
        notes.insert_if(self.samples > 1 && plane > 0, Note::MsaaLayout);
        let elements: u64 = first + row * self.level_pitch(level) + column;
        self.descriptor.base().wrapping_add(elements.wrapping_mul(self.texels.bytes() as u64))
    }
}
