//! Images of a device.

use std::sync::Arc;

use super::args::{ArgValue, Place};
use super::buffer::Buffer;
use super::device::Device;
use super::dispatch_error::DispatchError;
use super::images::{Kind, Layout, Sampler, Shape};
use super::launch::Argument;

/// The greatest width and height in texels.
pub const MOST_SIDE: u32 = 1 << 14;
/// The greatest depth in texels, and number of layers.
pub const MOST_PLANES: u32 = 1 << 13;

/// An image of a device. A clone is the same image; it is freed when the last clone goes, also that in a launch.
#[derive(Clone, Debug)]
pub struct Image {
    texels: Buffer,
    shape: Shape,
    layout: Arc<Layout>,
}

impl Device {
    /// Allocates an image, whose texels are 0.
    ///
    /// # Errors
    /// [`DispatchError::Shape`] if there is no such image, [`DispatchError::NoRoom`] if the host cannot give that much.
    pub fn image(&self, shape: Shape) -> Result<Image, DispatchError> {
        shape.check()?;
        let layout = Arc::new(Layout::new(&shape, self.arch()));
        Ok(Image { texels: self.alloc(layout.memory_bytes())?, shape, layout })
    }
}

impl Shape {
    /// Checks that there is such an image.
    fn check(&self) -> Result<(), DispatchError> {
        let [width, height, depth] = self.size;
        let most_width = if self.kind == Kind::D1Buffer { u32::MAX } else { MOST_SIDE };
        let sizes = [(width, most_width), (height, MOST_SIDE), (depth, MOST_PLANES), (self.layers, MOST_PLANES)];
        let is_flat = self.size[self.kind.dimensions()..].iter().all(|&size| size == 1);
        let is_cube = self.kind != Kind::Cube || width == height && self.layers.is_multiple_of(6);
        let has_format = match self.kind {
            Kind::D1Buffer => self.format.is_of_buffers() && self.levels == 1,
            _ => self.format.is_of_images() && (1..=self.most_levels()).contains(&self.levels),
        };
        let is_one = sizes.iter().all(|(size, most)| (1..=*most).contains(size))
            && is_flat
            && is_cube
            && has_format
            && (self.kind.has_layers() || self.layers == 1);
        if is_one { Ok(()) } else { Err(DispatchError::Shape(*self)) }
    }
}

impl Image {
    /// Returns type, sizes and format.
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// Returns the guest address of the first texel.
    pub fn address(&self) -> u64 {
        self.texels.address()
    }

    /// Returns the number of bytes of all texels: row by row, layer by layer, level by level, without padding.
    pub fn len(&self) -> u64 {
        self.layout.packed_bytes()
    }

    /// Whether the image has no texels: never.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Writes texels, from byte `at` of all texels on.
    ///
    /// # Errors
    /// [`DispatchError::Beyond`] if they do not all fit; then nothing is written.
    pub fn write(&self, at: u64, texels: &[u8]) -> Result<(), DispatchError> {
        self.check(at, texels.len())?;
        self.rows(at, texels.len(), |place, part| self.texels.write(place, &texels[part]))
    }

    /// Reads texels, from byte `at` of all texels on.
    ///
    /// # Errors
    /// [`DispatchError::Beyond`] if they are not all in the image.
    pub fn read(&self, at: u64, texels: &mut [u8]) -> Result<(), DispatchError> {
        self.check(at, texels.len())?;
        self.rows(at, texels.len(), |place, part| self.texels.read(place, &mut texels[part]))
    }

    /// Returns all texels.
    pub fn to_vec(&self) -> Vec<u8> {
        let mut texels = vec![0; self.len() as usize];
        let whole = self.read(0, &mut texels);
        debug_assert!(whole.is_ok(), "they are all in the image");
        texels
    }

    /// Returns the descriptor as an argument, for kernels that take its eight dwords.
    pub fn descriptor(&self) -> Argument {
        Argument::of_image(ArgValue::ImageDescriptor(self.name()), self)
    }

    fn check(&self, at: u64, len: usize) -> Result<(), DispatchError> {
        let end = at.saturating_add(len as u64);
        if end <= self.len() { Ok(()) } else { Err(DispatchError::Beyond { start: at, end, size: self.len() }) }
    }

    /// Calls `each` for the parts of texels that lie one after the other: with their place in memory.
    fn rows(
        &self,
        at: u64,
        len: usize,
        mut each: impl FnMut(u64, std::ops::Range<usize>) -> Result<(), DispatchError>,
    ) -> Result<(), DispatchError> {
        let mut done = 0;
        while done < len {
            let (place, count) = self.layout.locate(at + done as u64);
            let end = len.min(done + usize::try_from(count).unwrap_or(usize::MAX).max(1));
            each(place, done..end)?;
            done = end;
        }
        Ok(())
    }

    /// The memory of the texels, which have [padding](Layout).
    pub(crate) fn texels(&self) -> &Buffer {
        &self.texels
    }

    /// The name among the places of a launch.
    fn name(&self) -> String {
        format!("{:016x}", self.address())
    }

    pub(crate) fn place(&self) -> Place {
        let image = Some((self.shape, Layout::clone(&self.layout)));
        Place { name: self.name(), base: self.address(), size: self.texels.len(), image }
    }
}

/// The image as kernels of OpenCL get it: the address of an object.
impl From<&Image> for Argument {
    fn from(image: &Image) -> Argument {
        Argument::of_image(ArgValue::Image(image.name()), image)
    }
}

/// The sampler as kernels of OpenCL get it: the address of an object.
impl From<Sampler> for Argument {
    fn from(sampler: Sampler) -> Argument {
        Argument::from(ArgValue::Sampler(sampler))
    }
}
