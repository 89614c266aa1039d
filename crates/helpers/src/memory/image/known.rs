//! The cache of images that instructions have met: T# is decoded once for as long as its registers hold the same image.

use gcnsim_isa::buffer::{DataFormat, NumFormat, Selector};
use gcnsim_isa::image::{ImageDescriptor, TexelFormat, TexelNumber};
use gcnsim_isa::{Arch, Note, Notes};
use gcnsim_machine::canonical;

use super::super::Machine;
use super::ImageOp;
use super::resource::{Image, View};

/// Number of images that are kept at a time.
const SLOTS: usize = 8;

/// The images that instructions of a wave have met last. The slot of an image is given by the number of its first SGPR.
#[derive(Default, Debug)]
pub struct ImageCache {
    slots: [Option<Box<Known>>; SLOTS],
}

/// A T#, decoded.
#[derive(Debug)]
pub(super) struct Known {
    t: ImageDescriptor,
    arch: Arch,
    r128: bool,
    da: bool,
    /// The image, if the ways for all lanes at once may take it.
    pub plain: Option<Plain>,
    /// Samples that take texels of all magnitudes into account from the start.
    pub patience: u8,
}

/// An image without fragments and compression, whose texels have plain components of a format that `convert` takes.
#[derive(Debug)]
pub(super) struct Plain {
    pub image: Image,
    pub format: DataFormat,
    /// Number format. For sRGB it is that of component W.
    pub number: NumFormat,
    /// Whether components X, Y and Z are encoded by the curve of sRGB, in 8 bits.
    pub is_srgb: bool,
    /// Level 0 of the view, unless it is too long.
    pub flat: Option<Flat>,
    /// The DMASK with which the registers of a load are the dwords of the texel; 0 if there is none.
    pub direct: u8,
    /// Notes of loads and samples that depend on T# alone.
    pub load_notes: Notes,
    /// Notes of stores that depend on T# alone.
    pub store_notes: Notes,
}

/// A level whose texels have distances of 32 bits from the first one.
#[derive(Debug)]
pub(super) struct Flat {
    /// Address of the first texel of the view.
    pub origin: u64,
    /// Width, height, and depth or layers.
    pub sizes: [u32; 3],
    /// Bytes from texel to texel along x, y and z.
    pub steps: [u32; 3],
    /// The address register of y, counted from VADDR.
    pub y: Option<u8>,
    /// The address register of z, of the layer or of the face.
    pub z: Option<u8>,
}

impl Known {
    #[cold]
    #[inline(never)]
    fn new(t: ImageDescriptor, arch: Arch, r128: bool, da: bool) -> Known {
        Known { t, arch, r128, da, plain: Plain::new(t, arch, r128, da), patience: 0 }
    }
}

impl Known {
    /// Whether it is the image of a descriptor under an instruction with R128 and DA.
    #[inline(always)]
    fn is_of(&self, t: ImageDescriptor, arch: Arch, r128: bool, da: bool) -> bool {
        self.t == t && self.arch == arch && self.r128 == r128 && self.da == da
    }
}

impl Plain {
    fn new(t: ImageDescriptor, arch: Arch, r128: bool, da: bool) -> Option<Plain> {
        let view = View::new(t, arch, r128, da)?;
        let TexelFormat::Plain(format) = view.texels.format else { return None };
        let (number, is_srgb) = match view.texels.number {
            TexelNumber::Plain(number) => (number, false),
            TexelNumber::Srgb => (NumFormat::Unorm, true),
        };
        // The fast paths do not know components of one bit, small floats and sRGB of other sizes than 8 bits.
        let is_odd = format.fields.iter().enumerate().any(|(k, field)| {
            let is_float = matches!(field.bits, 10 | 11 | 16 | 32);
            field.bits == 1 || number == NumFormat::Float && !is_float || is_srgb && k < 3 && field.bits != 8
        });
        if is_odd || view.kind.has_fragments() || t.is_compressed(arch) {
            return None;
        }
        let notes = |is_store| {
            let mut notes = view.texels.notes(is_store);
            notes.insert_if(!t.is_linear(arch), Note::TiledAsLinear);
            notes
        };
        let (load_notes, store_notes) = (notes(false), notes(true));
        let image = Image::new(view);
        let (flat, direct) = (Flat::new(&image, 0), direct(&image, format));
        Some(Plain { image, format, number, is_srgb, flat, direct, load_notes, store_notes })
    }
}

impl Plain {
    /// Whether a texel that is the only one of a lane must keep its bits, which a sum of numbers would not: components
    /// are integers, or floats with NaNs and signed zeros.
    pub fn has_bits(&self) -> bool {
        matches!(self.number, NumFormat::Float | NumFormat::Uint | NumFormat::Sint)
            || self.format.fields.iter().any(|field| field.bits == 32)
    }

    /// The greatest number of digits of a component.
    pub fn digits(&self) -> u32 {
        let is_half = self.number == NumFormat::Float && self.format.fields.iter().all(|field| field.bits <= 16);
        if is_half { 11 } else { 24 }
    }

    /// Whether binary64 holds all sums of components with weights of `bits` bits in sum.
    pub fn is_exact(&self, bits: u32) -> bool {
        // Components have 24 significant bits and are at most 1. The least one above 0 is at least 2^-width in UNORM
        // and 2^-12 in sRGB, so its last bit is 23 places further down. All bits of a sum lie between that and `bits`.
        self.format.fields.iter().all(|field| match self.number {
            _ if self.is_srgb => 12 + 23 + bits <= 53,
            NumFormat::Unorm | NumFormat::Snorm => field.bits as u32 + 23 + bits <= 53,
            _ => false,
        })
    }
}

/// The DMASK of [`Plain::direct`]: components must have 32 bits, and DST_SEL must keep their order.
fn direct(image: &Image, format: DataFormat) -> u8 {
    let is_one = |(k, field): (usize, &gcnsim_isa::buffer::Field)| {
        field.bits == 32 && image.texels.select[k] == Selector::Component(k as u8)
    };
    if format.fields.iter().enumerate().all(is_one) { (1 << format.fields.len()) - 1 } else { 0 }
}

impl Flat {
    /// Level `level` of the view; `None` if it is longer than 2^32 bytes.
    #[inline(always)]
    pub fn new(image: &Image, level: u32) -> Option<Flat> {
        let (plane, bytes) = (image.plane(level), image.bytes() as u64);
        let [width, height, _] = image.size(level);
        let sizes = [width, height, image.layers_in_reach(level)];
        let steps = [bytes, plane.pitch * bytes, plane.slice * bytes];
        let before: u64 = sizes.iter().zip(steps).map(|(size, step)| (*size as u64 - 1) * step).sum();
        if before + bytes > u32::MAX as u64 {
            return None;
        }
        let first = plane.first.wrapping_add(plane.slice.wrapping_mul(image.plane_number(0))).wrapping_mul(bytes);
        let (dimensions, count) = (image.kind.dimensions(), image.kind.coordinates());
        Some(Flat {
            origin: canonical(image.base.wrapping_add(first)),
            sizes,
            steps: steps.map(|step| step as u32),
            y: (dimensions > 1).then_some(1),
            z: (count > dimensions || dimensions > 2).then_some(count as u8 - 1),
        })
    }

    /// Number of bytes up to the end of the last texel of `layers` layers; `None` if these are more than 2^32.
    #[inline(always)]
    pub fn reach(&self, layers: u32) -> Option<u64> {
        let [width, height, _] = self.sizes;
        let [x, y, z] = self.steps.map(u64::from);
        let bytes = width as u64 * x + (height as u64 - 1) * y + (layers as u64 - 1) * z;
        (bytes <= u32::MAX as u64).then_some(bytes)
    }
}

impl ImageOp {
    /// Takes the image of the instruction out of the cache. [`keep`](ImageOp::keep) puts it back.
    #[inline(always)]
    pub(super) fn known(&self, m: &mut Machine<'_>) -> Box<Known> {
        let (t, arch) = (self.descriptor(m.scalars), m.arch);
        let (r128, da) = (self.access.r128, self.access.da);
        match m.images.slots[self.slot()].take() {
            Some(known) if known.is_of(t, arch, r128, da) => known,
            Some(mut known) => {
                *known = Known::new(t, arch, r128, da);
                known
            }
            None => Box::new(Known::new(t, arch, r128, da)),
        }
    }

    /// Puts the image of the instruction into the cache.
    #[inline(always)]
    pub(super) fn keep(&self, m: &mut Machine<'_>, known: Box<Known>) {
        m.images.slots[self.slot()] = Some(known);
    }

    /// The number of the slot for the image of the instruction.
    fn slot(&self) -> usize {
        self.access.srsrc as usize / 4 % SLOTS
    }
}
