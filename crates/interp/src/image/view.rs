//! An image as an instruction sees it: its descriptor, settled (docs/gcn/image-descriptors.md#t).

use gcnsim_isa::Arch;
use gcnsim_isa::buffer::Selector;
use gcnsim_isa::image::{ImageDescriptor, ImageType};

use super::texel::Texels;

/// An image that is there.
#[derive(Clone, Copy, Debug)]
pub(super) struct View {
    pub arch: Arch,
    pub descriptor: ImageDescriptor,
    /// The type in the descriptor.
    pub resource: ImageType,
    /// The type that the instruction accesses.
    pub kind: ImageType,
    pub texels: Texels,
    pub base_level: u32,
    last_level: u32,
    /// The last level of the resource, where slices have all their levels.
    pub max_level: u32,
    /// Number of fragments of a texel.
    pub samples: u32,
    /// Texels from one row of level 0 to the next.
    pub pitch: u32,
    pub width: u32,
    pub height: u32,
}

impl View {
    /// `None`: the descriptor is that of no image. With `is_short` (R128) its last four words are 0.
    pub fn new(arch: Arch, descriptor: ImageDescriptor, is_short: bool, da: bool) -> Option<View> {
        let resource = descriptor.image_type()?;
        let kind = if da { resource.with_layers() } else { resource.without_layers() };
        let texels = Texels::new(arch, descriptor)?;
        let width = descriptor.width();
        let is_flat = kind.dimensions() == 1;
        let mut view = View {
            arch,
            descriptor,
            resource,
            kind,
            texels,
            base_level: descriptor.base_level(),
            last_level: descriptor.last_level(),
            max_level: descriptor.max_level(arch),
            samples: 1,
            pitch: descriptor.pitch(arch),
            width,
            height: if is_flat { 1 } else { descriptor.height() },
        };
        if kind.has_fragments() {
            view.samples = 1 << view.last_level;
            (view.base_level, view.last_level, view.max_level) = (0, 0, 0);
        }
        if is_short {
            view.pitch = width.next_multiple_of(view.pitch_unit());
        }
        Some(view)
    }

    /// What a pitch in elements is a multiple of.
    pub fn pitch_unit(&self) -> u32 {
        let bytes = self.texels.bytes() as u32;
        if self.arch.is_gcn14_or_later() { (256 / bytes).max(1) } else { (64 / bytes).max(8) }
    }

    pub fn is_volume(&self) -> bool {
        self.kind == ImageType::D3
    }

    /// Number of levels from BASE_LEVEL on.
    pub fn levels(&self) -> u32 {
        (self.last_level + 1).saturating_sub(self.base_level).max(1)
    }

    /// Depth of level 0 of the resource.
    pub fn depth(&self) -> u32 {
        if self.is_volume() { self.descriptor.depth_field() + 1 } else { 1 }
    }

    /// Width, height and depth of a level that counts from BASE_LEVEL.
    pub fn size(&self, level: u32) -> [u32; 3] {
        [self.width, self.height, self.depth()].map(|n| (n >> (self.base_level + level)).max(1))
    }

    /// Number of layers, those of cubes are faces, from BASE_ARRAY on.
    pub fn slices(&self) -> u32 {
        (self.descriptor.last_array(self.arch) + 1).saturating_sub(self.descriptor.base_array()).max(1)
    }

    /// Number of layers of the whole resource; of a volume its depth.
    pub fn total_layers(&self) -> u32 {
        let count = self.descriptor.depth_field() + 1;
        if self.resource == ImageType::Cube && !self.arch.is_gcn14_or_later() { 6 * count } else { count }
    }

    /// The components of a texel after DST_SEL.
    pub fn selected(&self, components: [u32; 4]) -> [u32; 4] {
        [0, 1, 2, 3].map(|i| match self.descriptor.selector(i) {
            Selector::Zero | Selector::Reserved => 0,
            Selector::One => self.texels.one(),
            Selector::Component(i) => components[i as usize & 3],
        })
    }
}
