//! An image as an instruction finds it: what its T# says, and where its texels lie (docs/gcn/image-descriptors.md).
//!
//! All fields may have any value. Sizes and numbers of texels fit into 64 bits; addresses are computed modulo 2^64, of
//! which 48 bits count.

use std::ops::Deref;

use gcnsim_isa::image::{ImageDescriptor, ImageType, Tiling};
use gcnsim_isa::{Arch, Note, Notes};

use super::texel::Texels;

/// Number of levels that a descriptor can have.
const LEVELS: usize = 16;
/// Width of a macro tile in elements.
const MACRO_TILE: u64 = 32;

/// An image with a known type and format, as its view has it.
#[derive(Debug)]
pub(super) struct View {
    /// Generation.
    pub arch: Arch,
    /// Type of the image in T#.
    pub resource: ImageType,
    /// Type of the image as the instruction accesses it.
    pub kind: ImageType,
    /// Format of the texels.
    pub texels: Texels,
    /// Address of the first byte.
    pub base: u64,
    /// Sizes of level 0 of the resource; 1 where the type has no such coordinate.
    size: [u32; 3],
    /// Number of fragments of a texel.
    pub samples: u32,
    /// First level of the view.
    pub base_level: u32,
    /// Number of levels of the view.
    pub levels: u32,
    /// First layer of the view.
    base_array: u32,
    /// Number of layers of the view. Each face of a cube counts.
    pub slices: u32,
    /// The least level of detail, in 1/256.
    pub min_lod: u32,
    /// The descriptor, for what is not in the other fields.
    t: ImageDescriptor,
    /// Whether the descriptor has four words (R128).
    r128: bool,
}

/// An image, and where the texels of each level of the view lie.
#[derive(Debug)]
pub(super) struct Image {
    view: View,
    /// The places of the levels of the view.
    places: [Plane; LEVELS],
}

impl Deref for Image {
    type Target = View;

    fn deref(&self) -> &View {
        &self.view
    }
}

/// The place of a level, in elements from the base of the image.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Plane {
    /// The first element.
    pub first: u64,
    /// Number of elements from a row to the next.
    pub pitch: u64,
    /// Number of elements from a layer, fragment or slice to the next.
    pub slice: u64,
}

/// A texel of the view. All coordinates are within the sizes.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(super) struct Spot {
    pub level: u32,
    pub x: u32,
    pub y: u32,
    /// Layer, face or depth.
    pub z: u32,
    pub fragment: u32,
}

impl View {
    /// The image of a descriptor under an instruction with R128 and DA; `None` if there is none. With R128 the last
    /// four words are 0.
    #[inline(always)]
    pub fn new(t: ImageDescriptor, arch: Arch, r128: bool, da: bool) -> Option<View> {
        let (resource, texels) = t.image_type().zip(Texels::new(t, arch))?;
        let kind = if da { resource.with_layers() } else { resource.without_layers() };
        let depth = if kind == ImageType::D3 { t.depth_field() + 1 } else { 1 };
        let height = if kind.dimensions() == 1 { 1 } else { t.height() };
        let (samples, base_level, last_level) = match kind.has_fragments() {
            true => (1 << t.last_level(), 0, 0),
            false => (1, t.base_level(), t.last_level()),
        };
        Some(View {
            arch,
            resource,
            kind,
            texels,
            base: t.first_byte(arch),
            size: [t.width(), height, depth],
            samples,
            base_level,
            levels: last_level.saturating_sub(base_level) + 1,
            base_array: t.base_array(),
            slices: t.last_array(arch).saturating_sub(t.base_array()) + 1,
            min_lod: t.min_lod(),
            t,
            r128,
        })
    }

    /// Width, height and depth of a level of the view.
    pub fn size(&self, level: u32) -> [u32; 3] {
        self.size.map(|size| (size >> (level + self.base_level).min(31)).max(1))
    }

    /// Number of layers in a level; of a volume, its depth there.
    pub fn layers(&self, level: u32) -> u32 {
        if self.kind == ImageType::D3 { self.size(level)[2] } else { self.slices }
    }

    /// Number of layers, or slices of a volume, that coordinates reach in a level.
    pub fn layers_in_reach(&self, level: u32) -> u32 {
        if self.kind == ImageType::D3 || self.kind.has_layers() { self.layers(level) } else { 1 }
    }

    /// The rules by which levels are laid out.
    fn layout(&self) -> Layout {
        let format = self.texels.format;
        Layout {
            unit: (64 / format.bytes()).max(8) as u64,
            slice_unit: (256 / format.bytes()).max(64) as u64,
            side: format.side(),
            is_padded: self.t.pads_to_power_of_two(self.arch),
            size: self.size,
            tiling: self.t.tiling(self.arch),
            gets_thinner: self.arch == Arch::Gcn10,
            is_flat: self.resource.dimensions() > 1,
            bytes: u64::from(format.bytes()),
        }
    }

    /// Number of planes of level 0 of the resource before GCN 1.4: layers, faces or slices, with their fragments.
    fn planes(&self) -> u64 {
        let faces = if self.resource == ImageType::Cube { 6 } else { 1 };
        faces * (self.t.depth_field() as u64 + 1) * self.samples as u64
    }

    /// Number of elements from a row to the next in level 0 of the resource.
    fn pitch(&self, layout: &Layout) -> u64 {
        let pitch = match self.r128 {
            true => self.size[0].next_multiple_of(layout.unit as u32),
            false => self.t.pitch(self.arch),
        };
        // PITCH of images in blocks counts elements.
        let side = if matches!(layout.tiling, Tiling::Swizzled(_)) { 1 } else { layout.side };
        (pitch / side) as u64
    }

    /// The last level that is stacked in a slice (GCN 1.4).
    fn max_level(&self) -> u32 {
        if self.kind.has_fragments() { 0 } else { self.t.0[5] >> 28 }
    }

    /// The number of the first plane of `z`, a layer, a face or a slice. Each fragment has a plane.
    pub fn plane_number(&self, z: u32) -> u64 {
        let layer = if self.kind == ImageType::D3 { z } else { z + self.base_array };
        layer as u64 * self.samples as u64
    }

    /// Size of an element in bytes.
    pub fn bytes(&self) -> u32 {
        self.texels.format.bytes()
    }
}

impl Image {
    /// An image with the places of its levels.
    pub fn new(view: View) -> Image {
        let layout = view.layout();
        let pitch = view.pitch(&layout);
        let mut image = Image { view, places: [Plane::default(); LEVELS] };
        let levels = image.base_level + image.levels;
        if image.arch.is_gcn14_or_later() {
            let last = image.max_level().max(levels - 1);
            // The PITCH of several linear levels is the number of rows.
            let pitch = if last == 0 { pitch } else { layout.columns_of(0).next_multiple_of(256 / layout.bytes) };
            for level in image.base_level..levels {
                image.places[(level - image.view.base_level) as usize % LEVELS] = match layout.tiling {
                    Tiling::Swizzled(_) if last > 0 && image.kind == ImageType::D3 => layout.volume(level),
                    Tiling::Swizzled(block) if last > 0 => layout.blocks(level, last, block),
                    _ => {
                        let rows = |levels: u32| (0..levels).map(|level| layout.stacked_rows(level)).sum::<u64>();
                        Plane { first: pitch * rows(level), pitch, slice: pitch * rows(last + 1) }
                    }
                };
            }
            return image;
        }
        let mut first = 0u64;
        for level in 0..levels {
            let planes = if image.kind == ImageType::D3 { (image.planes() >> level).max(1) } else { image.planes() };
            let planes = layout.rounded(planes);
            let (pitch, rows, planes) = layout.level(level, pitch, planes);
            let slice = pitch * rows;
            if let Some(level) = level.checked_sub(image.view.base_level) {
                image.places[level as usize % LEVELS] = Plane { first, pitch, slice };
            }
            first = first.wrapping_add(slice.wrapping_mul(planes));
        }
        image
    }

    /// The place of a level of the view.
    pub fn plane(&self, level: u32) -> Plane {
        self.places[level as usize % LEVELS]
    }

    /// The address of the element of a texel. Adds the notes on its place.
    pub fn address(&self, spot: Spot, notes: &mut Notes) -> u64 {
        let Spot { level, x, y, z, fragment } = spot;
        notes.insert_if(self.is_level_in_doubt(level), Note::MipLayout);
        let plane = self.plane(level);
        let side = self.texels.format.side();
        let number = self.plane_number(z) + fragment as u64;
        notes.insert_if(self.samples > 1 && number > 0, Note::MsaaLayout);
        let row = plane.pitch * (y / side) as u64;
        let element = plane.first.wrapping_add(plane.slice.wrapping_mul(number)).wrapping_add(row + (x / side) as u64);
        self.base.wrapping_add(element.wrapping_mul(self.texels.format.bytes() as u64))
    }

    /// Whether the place of a level is only likely, not certain.
    pub fn is_level_in_doubt(&self, level: u32) -> bool {
        level + self.base_level > 0 && !self.arch.is_gcn14_or_later()
    }
}

/// The rules by which levels are laid out. All but `side` and `size` are those before GCN 1.4.
struct Layout {
    /// The number of which a pitch is a multiple, in elements.
    unit: u64,
    /// The number of which the elements of a slice are a multiple.
    slice_unit: u64,
    /// Number of texels of a side of an element: 4 for blocks, otherwise 1.
    side: u32,
    /// Whether rows, planes and pitches of levels are rounded up to powers of two.
    is_padded: bool,
    /// Sizes of level 0, in texels.
    size: [u32; 3],
    tiling: Tiling,
    /// Whether tiles of levels of few slices are thin.
    gets_thinner: bool,
    /// Whether the type has rows.
    is_flat: bool,
    /// Size of an element in bytes.
    bytes: u64,
}

impl Layout {
    /// A number of rows, planes or elements of a row, rounded up if it must be a power of two.
    fn rounded(&self, count: u64) -> u64 {
        if self.is_padded { count.next_power_of_two() } else { count }
    }

    /// Whether drivers have made level 0 alone linear: a short row (before GCN 1.4).
    fn is_row(&self) -> bool {
        self.is_flat && self.is_padded && self.tiling == Tiling::Linear && self.size[0] <= 8 && self.size[1] == 1
    }

    /// Number of rows of elements of a level before GCN 1.4.
    fn rows(&self, level: u32) -> u64 {
        let height = (self.size[1] >> level).max(1);
        self.rounded(height.div_ceil(self.side).into())
    }

    /// The pitch, the rows and the planes of a level before GCN 1.4, with what pads them. `first` is the pitch of level
    /// 0.
    fn level(&self, level: u32, first: u64, planes: u64) -> (u64, u64, u64) {
        let rows = self.rows(level);
        let columns = if level == 0 { first } else { self.columns(level, first) };
        let tiling = if level > 0 && self.is_row() { Tiling::Micro(1) } else { self.tiling };
        let thickness = match tiling {
            // Levels of few slices have thinner tiles.
            Tiling::Micro(most) | Tiling::Macro(most) if self.gets_thinner && level > 0 => match planes {
                8.. => most,
                4.. => most.min(4),
                _ => 1,
            },
            Tiling::Micro(thickness) | Tiling::Macro(thickness) => thickness,
            Tiling::Linear | Tiling::Swizzled(_) => {
                let raised = |pitch| raised(pitch, self.unit, |pitch| pitch * rows, self.slice_unit);
                let pitch = if level == 0 { first } else { raised(columns.next_multiple_of(self.unit)) };
                return (pitch, rows, planes);
            }
        };
        let high = 8 * (4 / (self.bytes * u64::from(thickness))).max(1);
        // A level that is smaller than a macro tile has no such tiles.
        if matches!(tiling, Tiling::Macro(_)) && (level == 0 || columns >= MACRO_TILE && rows >= high) {
            let planes = planes.next_multiple_of(thickness.into());
            return (columns.next_multiple_of(MACRO_TILE), rows.next_multiple_of(high), planes);
        }
        let thickness = u64::from(thickness.min(4));
        let rows = rows.next_multiple_of(8);
        let bytes = |pitch| pitch * rows * self.bytes * thickness;
        (raised(columns.next_multiple_of(8), 8, bytes, 256), rows, planes.next_multiple_of(thickness))
    }

    /// The place of a level of a volume in blocks (GCN 1.4): all its slices lie behind those of the levels before it.
    fn volume(&self, level: u32) -> Plane {
        let elements = |level: u32| self.columns_of(level) * self.stacked_rows(level);
        let slices = |level: u32| self.size[2].div_ceil(1 << level) as u64;
        let first = (0..level).map(|level| elements(level) * slices(level)).sum();
        Plane { first, pitch: self.columns_of(level), slice: elements(level) }
    }

    /// The place of a level of layers in blocks of `1 << log2` bytes (GCN 1.4). Each layer has all levels up to `last`.
    /// Small levels, the tail, share a block.
    fn blocks(&self, level: u32, last: u32, log2: u8) -> Plane {
        // Blocks of 256 bytes are squares, or twice as wide as high. All others have the same shape.
        let elements = 1 << (u32::from(log2) - self.bytes.ilog2());
        let wide = 1 << ((8 - self.bytes.ilog2()).div_ceil(2) + u32::from(log2 - 8) / 2);
        let high = elements / wide;
        let sizes = |level: u32| (self.columns_of(level), self.stacked_rows(level));
        let is_small = |level: u32| log2 > 8 && sizes(level).0 <= wide / 2 && sizes(level).1 <= high;
        let tail = (0..=last).find(|&level| is_small(level)).unwrap_or(last + 1);
        let padded = |level: u32| {
            let (columns, rows) = sizes(level);
            columns.next_multiple_of(wide) * rows.next_multiple_of(high)
        };
        let before = |levels: u32| (0..levels.min(tail)).map(padded).sum::<u64>();
        let slice = before(last + 1) + if tail <= last { elements } else { 0 };
        if level < tail {
            return Plane { first: before(level), pitch: sizes(level).0.next_multiple_of(wide), slice };
        }
        let room = |level: u32| (((wide / 2) >> (level - tail)).max(1), (high >> (level - tail)).max(1));
        let first = before(tail) + (tail..level).map(|level| room(level).0 * room(level).1).sum::<u64>();
        Plane { first, pitch: room(level).0, slice }
    }

    /// Number of elements of a row of a level from GCN 1.4 on.
    fn columns_of(&self, level: u32) -> u64 {
        self.size[0].div_ceil(1 << level).div_ceil(self.side) as u64
    }

    /// Number of rows of elements of a level from GCN 1.4 on, where the levels of a slice lie below each other.
    fn stacked_rows(&self, level: u32) -> u64 {
        self.size[1].div_ceil(1 << level).div_ceil(self.side) as u64
    }

    /// The elements of a row of a level above 0: its width, or if that is rounded the share of the pitch `first` of
    /// level 0.
    fn columns(&self, level: u32, first: u64) -> u64 {
        let width = if self.is_padded { first * self.side as u64 } else { self.size[0] as u64 };
        self.rounded((width >> level).max(1).div_ceil(self.side as u64))
    }
}

/// A pitch, raised by `unit` until the size that it gives is a multiple of another number.
fn raised(mut pitch: u64, unit: u64, size: impl Fn(u64) -> u64, multiple: u64) -> u64 {
    while !size(pitch).is_multiple_of(multiple) {
        pitch += unit;
    }
    pitch
}
