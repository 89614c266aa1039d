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
        let side = self.texels.side();
        match self.arch.is_gcn14_or_later() {
            true => self.height.div_ceil(1 << level).div_ceil(side) as u64,
            false => self.padded((self.height >> level).max(1).div_ceil(side) as u64),
        }
    }

    /// Rounded up to a power of two with POW2_PAD.
    fn padded(&self, n: u64) -> u64 {
        if self.descriptor.pads_to_power_of_two(self.arch) { n.next_power_of_two() } else { n }
    }

    /// Elements from one row of a level to the next.
    fn level_pitch(&self, level: u32) -> u64 {
        if self.arch.is_gcn14_or_later() || level == 0 {
            return (self.pitch / self.texels.side()) as u64;
        }
        let unit = self.pitch_unit() as u64;
        let side = self.texels.side();
        // With POW2_PAD the pitches of levels halve.
        let is_padded = self.descriptor.pads_to_power_of_two(self.arch);
        let texels = if is_padded { self.pitch / side * side } else { self.width };
        let columns = self.padded((texels >> level).max(1).div_ceil(side) as u64);
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
        self.padded(if self.is_volume() { (planes >> level).max(1) } else { planes })
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
