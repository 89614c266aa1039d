//! Explicit arguments of a kernel: their values, and their places in the kernarg segment and in LDS.

use gcnsim_isa::Arch;

use crate::images::{self, Format, Kind, Layout, Sampler, Shape};
use gcnsim_loader::code_object::Kernel;
use gcnsim_loader::code_object::metadata::{Arg, ArgKind};

/// The value of an argument, or of a part of a structure.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ArgValue {
    /// A value of these bytes. `align` is the alignment of its type (1 if the type is unknown). A vector of three
    /// elements may be given as three or as four.
    Bytes {
        /// The bytes, little-endian.
        bytes: Vec<u8>,
        /// Alignment in bytes.
        align: u64,
    },
    /// The address of byte `at` of the buffer.
    Pointer {
        /// The buffer.
        buffer: String,
        /// Offset in the buffer, in bytes; its size is allowed, too.
        at: u64,
    },
    /// A structure by value, with its parts at their natural alignment.
    Struct(Vec<ArgValue>),
    /// Dynamic LDS of this size in bytes; the kernel gets the offset where it begins.
    Local(u32),
    /// A null pointer.
    Null,
    /// The address of the image object of the image with this name, for kernels of OpenCL.
    Image(String),
    /// The address of the sampler object of this sampler, for kernels of OpenCL.
    Sampler(Sampler),
    /// The eight dwords of the descriptor of the image with this name.
    ImageDescriptor(String),
    /// The four dwords of a descriptor of a part of a buffer.
    BufferDescriptor {
        /// The buffer.
        buffer: String,
        /// Offset in the buffer, in bytes.
        at: u64,
        /// Bytes of a record; 0 for a buffer of bytes.
        stride: u32,
        /// Number of records, or of bytes; `None` means up to the end of the buffer.
        records: Option<u32>,
        /// Format of records; `None` is that of a raw buffer: `r32_sfloat` with four components.
        format: Option<Format>,
    },
}

impl ArgValue {
    /// Returns the address of the buffer `name`.
    pub fn buffer(name: &str) -> ArgValue {
        ArgValue::Pointer { buffer: name.to_owned(), at: 0 }
    }

    /// Returns a 32-bit float.
    pub fn f32(value: f32) -> ArgValue {
        ArgValue::Bytes { bytes: value.to_le_bytes().to_vec(), align: 4 }
    }

    /// Returns a 64-bit float.
    pub fn f64(value: f64) -> ArgValue {
        ArgValue::Bytes { bytes: value.to_le_bytes().to_vec(), align: 8 }
    }

    /// Returns a 32-bit integer.
    pub fn i32(value: i32) -> ArgValue {
        ArgValue::u32(value as u32)
    }

    /// Returns a 32-bit integer without a sign.
    pub fn u32(value: u32) -> ArgValue {
        ArgValue::Bytes { bytes: value.to_le_bytes().to_vec(), align: 4 }
    }

    /// Returns a 64-bit integer.
    pub fn i64(value: i64) -> ArgValue {
        ArgValue::u64(value as u64)
    }

    /// Returns a 64-bit integer without a sign.
    pub fn u64(value: u64) -> ArgValue {
        ArgValue::Bytes { bytes: value.to_le_bytes().to_vec(), align: 8 }
    }
}

/// Error of arguments that do not fit a kernel.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ArgError {
    /// The kernel takes another number of arguments.
    #[error("the kernel takes {expected} argument{} ({names}), not {given}", if *expected == 1 { "" } else { "s" })]
    Count {
        /// Number of arguments that the kernel takes.
        expected: usize,
        /// Names of these arguments.
        names: String,
        /// Number of arguments that the launch gives.
        given: usize,
    },
    /// An argument has the wrong size.
    #[error("argument {index} ({name}) has {expected} bytes, not {given}")]
    Size {
        /// Number of the argument, from 0.
        index: usize,
        /// Name and type of the argument, as far as they are known.
        name: String,
        /// The size that the kernel takes, in bytes.
        expected: u64,
        /// The size that the launch gives, in bytes.
        given: u64,
    },
    /// An argument is of the wrong kind.
    #[error("argument {index} ({name}) {wanted}")]
    Kind {
        /// Number of the argument, from 0.
        index: usize,
        /// Name and type of the argument, as far as they are known.
        name: String,
        /// The kind that the kernel takes, in words after the argument's name.
        wanted: &'static str,
    },
    /// The launch has no buffer with this name.
    #[error("there is no buffer '{name}'")]
    NoBuffer {
        /// Name that the argument states.
        name: String,
    },
    /// The launch has no image with this name.
    #[error("there is no image '{name}'")]
    NoImage {
        /// Name that the argument states.
        name: String,
    },
    /// An argument names an image where it takes a buffer.
    #[error("'{name}' is an image, not a buffer: kernels get it as {{\"image\": \"{name}\"}}")]
    IsImage {
        /// Name of the image.
        name: String,
    },
    /// An argument names a buffer where it takes an image.
    #[error(
        "'{name}' is a buffer, not an image: describe it below \"images\", or give it as {{\"buffer\": \"{name}\"}}"
    )]
    IsBuffer {
        /// Name of the buffer.
        name: String,
    },
    /// The image is not of the kind that the argument takes.
    #[error("argument {index} ({name}) {what}")]
    Image {
        /// Number of the argument, from 0.
        index: usize,
        /// Name and type of the argument, as far as they are known.
        name: String,
        /// The reason in words.
        what: String,
    },
    /// A pointer leads beyond the end of its buffer.
    #[error("byte {at} is beyond the end of buffer '{name}' of {size} bytes")]
    Beyond {
        /// Name of the buffer.
        name: String,
        /// Offset of the pointer in the buffer, in bytes.
        at: u64,
        /// Size of the buffer in bytes.
        size: u64,
    },
    /// The offset of an argument is beyond the kernarg segment: the metadata contradicts itself.
    #[error("argument {index} ({name}) lies outside the kernarg segment of {size} bytes: the metadata is wrong")]
    Outside {
        /// Number of the argument, from 0.
        index: usize,
        /// Name and type of the argument, as far as they are known.
        name: String,
        /// Size of the kernarg segment in bytes.
        size: u64,
    },
}

/// The place of a buffer or an image.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Place {
    /// Name of the buffer or image.
    pub name: String,
    /// Address of its first byte.
    pub base: u64,
    /// Size in bytes; that of an image counts its padding.
    pub size: u64,
    /// Type, sizes and format of an image, and the layout of its texels; `None` for a buffer.
    pub image: Option<(Shape, Layout)>,
}

/// The places of buffers and images, in the order of their names.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Places {
    /// The generation, which decides what descriptors look like.
    pub arch: Arch,
    /// Address of the objects that arguments of images and samplers point to.
    pub objects: u64,
    /// The places, sorted by name.
    pub list: Vec<Place>,
}

impl Places {
    fn find(&self, name: &str) -> Option<&Place> {
        let at = self.list.binary_search_by_key(&name, |place| place.name.as_str()).ok()?;
        self.list.get(at)
    }

    /// Returns address and size in bytes of the buffer `name`.
    ///
    /// # Errors
    /// [`ArgError::NoBuffer`], [`ArgError::IsImage`].
    pub fn buffer(&self, name: &str) -> Result<(u64, u64), ArgError> {
        let place = self.find(name).ok_or_else(|| ArgError::NoBuffer { name: name.to_owned() })?;
        match place.image {
            None => Ok((place.base, place.size)),
            Some(_) => Err(ArgError::IsImage { name: name.to_owned() }),
        }
    }

    /// Returns address, shape and layout of the image `name`.
    ///
    /// # Errors
    /// [`ArgError::NoImage`], [`ArgError::IsBuffer`].
    pub fn image(&self, name: &str) -> Result<(u64, &Shape, &Layout), ArgError> {
        let place = self.find(name).ok_or_else(|| ArgError::NoImage { name: name.to_owned() })?;
        let image = place.image.as_ref().ok_or_else(|| ArgError::IsBuffer { name: name.to_owned() })?;
        Ok((place.base, &image.0, &image.1))
    }
}

impl ArgValue {
    /// Returns size and alignment in bytes.
    pub fn layout(&self) -> (u64, u64) {
        match self {
            ArgValue::Bytes { bytes, align } => (bytes.len() as u64, *align),
            ArgValue::Pointer { .. } | ArgValue::Null | ArgValue::Image(_) | ArgValue::Sampler(_) => (8, 8),
            ArgValue::ImageDescriptor(_) => (32, 4),
            ArgValue::BufferDescriptor { .. } => (16, 4),
            ArgValue::Local(_) => (4, 4),
            ArgValue::Struct(parts) => {
                let (mut end, mut most) = (0u64, 1);
                for part in parts {
                    let (size, align) = part.layout();
                    end = end.next_multiple_of(align) + size;
                    most = most.max(align);
                }
                (end.next_multiple_of(most), most)
            }
        }
    }

    /// Returns the bytes, little-endian. The bytes of LDS, images and samplers are 0: [`place`] fills in the offset or
    /// the address of the object.
    ///
    /// # Errors
    /// [`ArgError::NoBuffer`], [`ArgError::NoImage`], [`ArgError::IsImage`], [`ArgError::IsBuffer`],
    /// [`ArgError::Beyond`].
    pub fn bytes(&self, places: &Places) -> Result<Vec<u8>, ArgError> {
        match self {
            ArgValue::Bytes { bytes, .. } => Ok(bytes.clone()),
            ArgValue::Null | ArgValue::Image(_) | ArgValue::Sampler(_) => Ok(vec![0; 8]),
            ArgValue::Local(_) => Ok(vec![0; 4]),
            ArgValue::Pointer { buffer, at } => {
                let (address, _) = byte(places, buffer, *at)?;
                Ok(address.to_le_bytes().to_vec())
            }
            ArgValue::ImageDescriptor(name) => {
                let (address, shape, layout) = places.image(name)?;
                Ok(dwords(&images::image_descriptor(shape, layout, address, places.arch)))
            }
            ArgValue::BufferDescriptor { buffer, at, stride, records, format } => {
                let (address, left) = byte(places, buffer, *at)?;
                let whole = u32::try_from(left / u64::from(*stride).max(1)).unwrap_or(u32::MAX);
                let records = records.unwrap_or(whole);
                let words = match format {
                    Some(format) => images::buffer_descriptor(address, *stride, records, *format, places.arch),
                    None => images::raw_buffer_descriptor(address, *stride, records, places.arch),
                };
                Ok(dwords(&words))
            }
            ArgValue::Struct(parts) => {
                let mut bytes = Vec::new();
                for part in parts {
                    let (_, align) = part.layout();
                    bytes.resize((bytes.len() as u64).next_multiple_of(align) as usize, 0);
                    bytes.extend(part.bytes(places)?);
                }
                bytes.resize(self.layout().0 as usize, 0);
                Ok(bytes)
            }
        }
    }
}

/// Returns the address of byte `at` of a buffer, and the number of bytes from there to its end.
fn byte(places: &Places, buffer: &str, at: u64) -> Result<(u64, u64), ArgError> {
    let (address, size) = places.buffer(buffer)?;
    let left = size.checked_sub(at).ok_or_else(|| ArgError::Beyond { name: buffer.to_owned(), at, size })?;
    Ok((address + at, left))
}

fn dwords(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// Returns the explicit arguments of a kernel, or `None` if it has no metadata.
pub fn explicit(kernel: &Kernel) -> Option<Vec<&Arg>> {
    let args = &kernel.metadata.as_ref()?.args;
    Some(args.iter().filter(|arg| !matches!(arg.kind, ArgKind::Hidden(_))).collect())
}

/// Returns name and type of an argument in words, as far as they are known.
pub(crate) fn describe(arg: &Arg) -> String {
    match (&arg.type_name, &arg.name) {
        (Some(ty), Some(name)) => format!("{ty} {name}"),
        (Some(one), None) | (None, Some(one)) => one.clone(),
        (None, None) => "unnamed".to_string(),
    }
}

/// The arguments as bytes in the kernarg segment.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PlacedArgs {
    /// The kernarg segment, with the explicit arguments.
    pub kernarg: Vec<u8>,
    /// Offset of the first byte after the explicit arguments.
    pub end: u64,
    /// Size of dynamic LDS in bytes. It may be more than a group can have; the caller checks it.
    pub dynamic_lds: u64,
    /// Whether the places were guessed because the object has no metadata (note `kernarg-guessed`).
    pub guessed: bool,
    /// The objects that arguments of images and samplers point to, at [`Places::objects`].
    pub objects: Vec<u8>,
}

impl PlacedArgs {
    /// Takes `len` bytes of dynamic LDS, and returns the argument: the offset of the first byte. If there is too much
    /// LDS, the offset has no meaning; the caller has to check the sum.
    fn take_lds(&mut self, static_lds: u32, len: u32, align: u64) -> Vec<u8> {
        let used = u64::from(static_lds).saturating_add(self.dynamic_lds);
        let start = used.checked_next_multiple_of(align.max(1)).unwrap_or(u64::MAX);
        self.dynamic_lds = start.saturating_add(len.into()) - u64::from(static_lds);
        (start as u32).to_le_bytes().to_vec()
    }

    /// Adds an object to [`PlacedArgs::objects`], and returns the argument: the object's address.
    fn take_object(&mut self, mut object: Vec<u8>, places: &Places) -> Vec<u8> {
        let address = places.objects + self.objects.len() as u64;
        object.resize(images::OBJECT, 0);
        self.objects.extend(object);
        address.to_le_bytes().to_vec()
    }

    /// Adds the object of an image to [`PlacedArgs::objects`], and returns the argument: the object's address.
    fn take_image(&mut self, index: usize, name: String, image: &str, places: &Places) -> Result<Vec<u8>, ArgError> {
        let (address, shape, layout) = places.image(image)?;
        let wrong = || {
            let what = format!("takes no format {}, as '{image}' has: OpenCL has no such images", shape.format.name());
            ArgError::Image { index, name, what }
        };
        let object = images::image_object(shape, layout, address, places.arch).ok_or_else(wrong)?;
        Ok(self.take_object(object, places))
    }
}

/// Checks that an image is of the type that an argument takes, if the metadata names it.
fn check_kind(index: usize, arg: &Arg, image: &str, places: &Places) -> Result<(), ArgError> {
    let (_, shape, _) = places.image(image)?;
    let Some((kind, is_depth)) = arg.type_name.as_deref().and_then(Kind::of_opencl) else { return Ok(()) };
    if shape.kind == kind && shape.format.is_depth() == is_depth {
        return Ok(());
    }
    let depth = match (is_depth, shape.kind == kind) {
        (true, _) => " with a depth format",
        (false, true) => " without a depth format",
        (false, false) => "",
    };
    let what = format!("takes images of type {}{depth}, and '{image}' is {shape}", kind.name());
    Err(ArgError::Image { index, name: describe(arg), what })
}

/// Returns the number of bytes that the objects of images and samplers take.
pub fn objects_size(values: &[ArgValue]) -> u64 {
    let objects = values.iter().filter(|value| matches!(value, ArgValue::Image(_) | ArgValue::Sampler(_)));
    (objects.count() * images::OBJECT) as u64
}

/// Puts arguments into a kernarg segment of at least `size` bytes.
///
/// # Errors
/// [`ArgError`] that names the argument.
pub fn place(kernel: &Kernel, values: &[ArgValue], size: u64, places: &Places) -> Result<PlacedArgs, ArgError> {
    let mut placed =
        PlacedArgs { kernarg: vec![0; size as usize], end: 0, dynamic_lds: 0, guessed: false, objects: Vec::new() };
    let static_lds = kernel.descriptor.group_segment_size;
    let Some(args) = explicit(kernel) else {
        place_without_metadata(&mut placed, static_lds, values, places)?;
        return Ok(placed);
    };
    if args.len() != values.len() {
        let names = args.iter().map(|arg| describe(arg)).collect::<Vec<_>>().join(", ");
        return Err(ArgError::Count { expected: args.len(), names, given: values.len() });
    }
    for (index, (arg, value)) in args.into_iter().zip(values).enumerate() {
        let name = || describe(arg);
        let wanted = match (arg.kind, value) {
            (ArgKind::Local, ArgValue::Local(_)) => None,
            (ArgKind::Local, _) => Some("is LDS: give it a number of bytes"),
            (_, ArgValue::Local(_)) => Some("is no LDS"),
            (ArgKind::Image, ArgValue::Image(_)) | (ArgKind::Sampler, ArgValue::Sampler(_)) => None,
            (ArgKind::Image, _) => Some("is an image: give it {\"image\": NAME}"),
            (ArgKind::Sampler, _) => Some("is a sampler: give it {\"sampler\": {..}}"),
            (ArgKind::Buffer, ArgValue::Image(_)) => Some("is a buffer, not an image: give it {\"buffer\": NAME}"),
            (_, ArgValue::Image(_)) => Some("is no image"),
            (_, ArgValue::Sampler(_)) => Some("is no sampler"),
            (_, ArgValue::Null) => None,
            (ArgKind::Pipe, _) => Some("is a pipe, which no launch provides: pass null"),
            (ArgKind::Queue, _) => Some("is a device queue, which no launch provides: pass null"),
            _ => None,
        };
        if let Some(wanted) = wanted {
            return Err(ArgError::Kind { index, name: name(), wanted });
        }
        let mut bytes = value.bytes(places)?;
        match value {
            ArgValue::Local(len) => bytes = placed.take_lds(static_lds, *len, arg.pointee_align),
            ArgValue::Image(image) => {
                check_kind(index, arg, image, places)?;
                bytes = placed.take_image(index, name(), image, places)?;
            }
            ArgValue::Sampler(sampler) => bytes = placed.take_object(images::sampler_object(sampler), places),
            _ => {}
        }
        let given = bytes.len() as u64;
        // A vector of three elements that is given as three has the size of four in the kernel's list.
        let is_three = arg.kind == ArgKind::ByValue && given.is_multiple_of(3) && given / 3 * 4 == arg.size;
        if given != arg.size && !is_three {
            return Err(ArgError::Size { index, name: name(), expected: arg.size, given });
        }
        let place =
            usize::try_from(arg.offset).ok().and_then(|at| placed.kernarg.get_mut(at..)?.get_mut(..bytes.len()));
        let place = place.ok_or_else(|| ArgError::Outside { index, name: name(), size })?;
        place.copy_from_slice(&bytes);
        placed.end = placed.end.max(arg.offset.saturating_add(arg.size));
    }
    Ok(placed)
}

fn place_without_metadata(
    placed: &mut PlacedArgs,
    static_lds: u32,
    values: &[ArgValue],
    places: &Places,
) -> Result<(), ArgError> {
    placed.guessed = true;
    for (index, value) in values.iter().enumerate() {
        let mut bytes = value.bytes(places)?;
        match value {
            ArgValue::Local(len) => bytes = placed.take_lds(static_lds, *len, 16),
            ArgValue::Image(image) => bytes = placed.take_image(index, "unnamed".to_owned(), image, places)?,
            ArgValue::Sampler(sampler) => bytes = placed.take_object(images::sampler_object(sampler), places),
            _ => {}
        }
        let start = placed.end.next_multiple_of(value.layout().1);
        placed.end = start + bytes.len() as u64;
        let size = placed.kernarg.len() as u64;
        let place = placed.kernarg.get_mut(start as usize..).and_then(|rest| rest.get_mut(..bytes.len()));
        let place = place.ok_or_else(|| ArgError::Outside { index, name: "unnamed".to_string(), size })?;
        place.copy_from_slice(&bytes);
    }
    Ok(())
}

#[cfg(test)]
#[path = "args_tests.rs"]
mod tests;
