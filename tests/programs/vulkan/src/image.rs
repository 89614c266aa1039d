//! Images: made, filled and read by copies, with views.

use ash::vk;
use gcnsim_random::Rng;

use crate::buffer::Buffer;
use crate::gpu::Gpu;
use crate::outcome::Stop;
use crate::texel::Format;

/// What an image is like.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shape {
    pub kind: vk::ImageType,
    pub size: [u32; 3],
    pub levels: u32,
    pub layers: u32,
    pub flags: vk::ImageCreateFlags,
    /// Whether shaders store to it.
    pub is_stored: bool,
    pub tiling: vk::ImageTiling,
}

impl Shape {
    fn new(kind: vk::ImageType, size: [u32; 3]) -> Shape {
        let (flags, tiling) = (vk::ImageCreateFlags::empty(), vk::ImageTiling::OPTIMAL);
        Shape { kind, size, levels: 1, layers: 1, flags, is_stored: false, tiling }
    }

    pub fn line(width: u32) -> Shape {
        Shape::new(vk::ImageType::TYPE_1D, [width, 1, 1])
    }

    pub fn plane(width: u32, height: u32) -> Shape {
        Shape::new(vk::ImageType::TYPE_2D, [width, height, 1])
    }

    pub fn volume(size: [u32; 3]) -> Shape {
        Shape::new(vk::ImageType::TYPE_3D, size)
    }

    /// As many cubes.
    pub fn cubes(side: u32, count: u32) -> Shape {
        Shape { flags: vk::ImageCreateFlags::CUBE_COMPATIBLE, ..Shape::plane(side, side).layers(6 * count) }
    }

    pub fn levels(self, levels: u32) -> Shape {
        Shape { levels, ..self }
    }

    pub fn layers(self, layers: u32) -> Shape {
        Shape { layers, ..self }
    }

    pub fn stored(self) -> Shape {
        Shape { is_stored: true, ..self }
    }

    pub fn flags(self, flags: vk::ImageCreateFlags) -> Shape {
        Shape { flags: self.flags | flags, ..self }
    }

    /// The size of a level.
    pub fn level(&self, level: u32) -> [u32; 3] {
        self.size.map(|side| (side >> level).max(1))
    }

    /// Number of texels of all layers of a level.
    pub fn texels(&self, level: u32) -> usize {
        self.level(level).iter().product::<u32>() as usize * self.layers as usize
    }

    /// Makes up texels of all levels.
    pub fn random(&self, format: &Format, seed: u64) -> Vec<Vec<u8>> {
        let mut random = Rng::new(seed);
        let one = |level| {
            let mut bytes: Vec<u8> = (0..self.texels(level) * format.bytes).map(|_| random.bits() as u8).collect();
            bytes.chunks_mut(format.bytes).for_each(format.tame);
            bytes
        };
        (0..self.levels).map(one).collect()
    }
}

/// An image, in the layout for everything.
#[derive(Clone, Copy)]
pub(crate) struct Image {
    pub handle: vk::Image,
    pub memory: vk::DeviceMemory,
    pub shape: Shape,
    pub format: vk::Format,
}

/// Returns the levels and layers of an image that a copy or a view has.
pub(crate) fn range(levels: std::ops::Range<u32>, layers: std::ops::Range<u32>) -> vk::ImageSubresourceRange {
    let range = vk::ImageSubresourceRange::default().aspect_mask(vk::ImageAspectFlags::COLOR);
    let range = range.base_mip_level(levels.start).level_count(levels.end - levels.start);
    range.base_array_layer(layers.start).layer_count(layers.end - layers.start)
}

/// Returns a level, and layers of it, for a copy.
pub(crate) fn part(level: u32, layers: std::ops::Range<u32>) -> vk::ImageSubresourceLayers {
    let part = vk::ImageSubresourceLayers::default().aspect_mask(vk::ImageAspectFlags::COLOR).mip_level(level);
    part.base_array_layer(layers.start).layer_count(layers.end - layers.start)
}

impl Image {
    /// All levels and layers.
    pub fn whole(&self) -> vk::ImageSubresourceRange {
        range(0..self.shape.levels, 0..self.shape.layers)
    }

    /// The copies of all levels to or from a buffer, and its size; levels begin at multiples of 16 bytes.
    fn copies(&self, bytes_of: impl Fn(u32) -> u64) -> (Vec<vk::BufferImageCopy>, u64) {
        let mut at = 0;
        let mut copies = Vec::new();
        for level in 0..self.shape.levels {
            let [width, height, depth] = self.shape.level(level);
            let copy = vk::BufferImageCopy::default().image_extent(vk::Extent3D { width, height, depth });
            copies.push(copy.buffer_offset(at).image_subresource(part(level, 0..self.shape.layers)));
            at = (at + bytes_of(level)).next_multiple_of(16);
        }
        (copies, at)
    }
}

impl Gpu {
    /// Makes an image.
    pub(crate) fn image(&self, shape: Shape, format: vk::Format) -> Result<Image, Stop> {
        let (device, [width, height, depth]) = (&self.device, shape.size);
        let usage =
            vk::ImageUsageFlags::TRANSFER_SRC | vk::ImageUsageFlags::TRANSFER_DST | vk::ImageUsageFlags::SAMPLED;
        let usage = if shape.is_stored { usage | vk::ImageUsageFlags::STORAGE } else { usage };
        let info = vk::ImageCreateInfo::default().image_type(shape.kind).format(format).flags(shape.flags).usage(usage);
        let info = info.extent(vk::Extent3D { width, height, depth }).mip_levels(shape.levels);
        let info = info.array_layers(shape.layers).samples(vk::SampleCountFlags::TYPE_1).tiling(shape.tiling);
        let handle = unsafe { device.create_image(&info, None)? };
        self.later(move |device| unsafe { device.destroy_image(handle, None) });
        let flags = match shape.tiling {
            vk::ImageTiling::LINEAR => vk::MemoryPropertyFlags::HOST_VISIBLE | vk::MemoryPropertyFlags::HOST_COHERENT,
            _ => vk::MemoryPropertyFlags::DEVICE_LOCAL,
        };
        let memory = self.allocate(unsafe { device.get_image_memory_requirements(handle) }, flags)?;
        unsafe { device.bind_image_memory(handle, memory, 0)? };
        let image = Image { handle, memory, shape, format };
        let commands = self.begin()?;
        let barrier = vk::ImageMemoryBarrier::default().image(handle).subresource_range(image.whole());
        let barrier = barrier.new_layout(vk::ImageLayout::GENERAL).dst_access_mask(vk::AccessFlags::MEMORY_WRITE);
        let all = vk::PipelineStageFlags::ALL_COMMANDS;
        let none = vk::DependencyFlags::empty();
        unsafe { device.cmd_pipeline_barrier(commands, all, all, none, &[], &[], &[barrier]) };
        self.finish(commands)?;
        Ok(image)
    }

    /// Makes an image with texels of all levels.
    pub(crate) fn image_of(&self, shape: Shape, format: vk::Format, levels: &[Vec<u8>]) -> Result<Image, Stop> {
        let image = self.image(shape, format)?;
        let (copies, bytes) = image.copies(|level| levels[level as usize].len() as u64);
        let buffer = self.buffer(bytes)?;
        copies.iter().zip(levels).for_each(|(copy, texels)| buffer.write(copy.buffer_offset, texels));
        let commands = self.begin()?;
        let layout = vk::ImageLayout::GENERAL;
        unsafe { self.device.cmd_copy_buffer_to_image(commands, buffer.handle, image.handle, layout, &copies) };
        self.finish(commands)?;
        Ok(image)
    }

    /// Returns the texels of all levels.
    pub(crate) fn texels_of(&self, image: &Image, texel_bytes: usize) -> Result<Vec<Vec<u8>>, Stop> {
        let bytes_of = |level| (image.shape.texels(level) * texel_bytes) as u64;
        let (copies, bytes) = image.copies(bytes_of);
        let buffer: Buffer = self.buffer(bytes)?;
        let commands = self.begin()?;
        let layout = vk::ImageLayout::GENERAL;
        unsafe { self.device.cmd_copy_image_to_buffer(commands, image.handle, layout, buffer.handle, &copies) };
        self.finish(commands)?;
        let all: Vec<u8> = buffer.read();
        let level = |(level, copy): (u32, &vk::BufferImageCopy)| {
            let at = copy.buffer_offset as usize;
            all[at..at + bytes_of(level) as usize].to_vec()
        };
        Ok((0..).zip(&copies).map(level).collect())
    }

    /// Makes a view of levels and layers.
    pub(crate) fn view(
        &self,
        image: &Image,
        kind: vk::ImageViewType,
        range: vk::ImageSubresourceRange,
    ) -> Result<vk::ImageView, Stop> {
        self.view_as(image, kind, range, image.format, vk::ComponentMapping::default())
    }

    /// Makes a view in another format, or with other channels.
    pub(crate) fn view_as(
        &self,
        image: &Image,
        kind: vk::ImageViewType,
        range: vk::ImageSubresourceRange,
        format: vk::Format,
        channels: vk::ComponentMapping,
    ) -> Result<vk::ImageView, Stop> {
        let info = vk::ImageViewCreateInfo::default().image(image.handle).view_type(kind).format(format);
        let info = info.subresource_range(range).components(channels);
        let view = unsafe { self.device.create_image_view(&info, None)? };
        self.later(move |device| unsafe { device.destroy_image_view(view, None) });
        Ok(view)
    }

    /// Makes a sampler.
    pub(crate) fn sampler(&self, info: &vk::SamplerCreateInfo<'_>) -> Result<vk::Sampler, Stop> {
        let sampler = unsafe { self.device.create_sampler(info, None)? };
        self.later(move |device| unsafe { device.destroy_sampler(sampler, None) });
        Ok(sampler)
    }

    /// Returns whether a format has features, in images that are not linear.
    pub(crate) fn can(&self, format: vk::Format, features: vk::FormatFeatureFlags) -> bool {
        let has = unsafe { self.instance.get_physical_device_format_properties(self.physical, format) };
        has.optimal_tiling_features.contains(features)
    }
}
