//! Explicit arguments of a kernel: their values, and their places in the kernarg segment and in LDS.

use gcnsim_loader::code_object::Kernel;
use gcnsim_loader::code_object::metadata::{Arg, ArgKind};

/// The value of an argument, or of a part of a structure.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ArgValue {
    /// Bytes by value, with the alignment of their type (1 if the type is unknown). A vector of three elements may be
    /// given as three or as four.
    Bytes {
        /// The bytes, little-endian.
        bytes: Vec<u8>,
        /// Alignment in bytes.
        align: u64,
    },
    /// The address of byte `at` of a buffer.
    Pointer {
        /// The buffer.
        buffer: String,
        /// Offset in the buffer, in bytes; its size is allowed, too.
        at: u64,
    },
    /// A structure by value, its parts at their natural alignment.
    Struct(Vec<ArgValue>),
    /// Dynamic LDS of this size in bytes; the kernel gets its offset.
    Local(u32),
    /// A null pointer.
    Null,
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
    /// There are too few or too many.
    #[error("the kernel takes {expected} arguments ({names}), not {given}")]
    Count {
        /// Number of arguments that the kernel takes.
        expected: usize,
        /// Names of these arguments.
        names: String,
        /// Number of arguments that were given.
        given: usize,
    },
    /// An argument has the wrong size.
    #[error("argument {index} ({name}) has {expected} bytes, not {given}")]
    Size {
        /// Its number, from 0.
        index: usize,
        /// Its name and type, as far as they are known.
        name: String,
        /// The size that the kernel takes, in bytes.
        expected: u64,
        /// The size that was given, in bytes.
        given: u64,
    },
    /// An argument is of the wrong kind.
    #[error("argument {index} ({name}) {wanted}")]
    Kind {
        /// Its number, from 0.
        index: usize,
        /// Its name and type, as far as they are known.
        name: String,
        /// The kind that the kernel takes, in words after the argument's name.
        wanted: &'static str,
    },
    /// There is no such buffer.
    #[error("there is no buffer '{name}'")]
    NoBuffer {
        /// The name.
        name: String,
    },
    /// A pointer is beyond the end of its buffer.
    #[error("byte {at} is beyond the end of buffer '{name}' of {size} bytes")]
    Beyond {
        /// The buffer.
        name: String,
        /// The offset of the pointer in it, in bytes.
        at: u64,
        /// Size of the buffer in bytes.
        size: u64,
    },
    /// The offset of an argument is beyond the kernarg segment: the metadata contradicts itself.
    #[error("argument {index} ({name}) lies outside the kernarg segment of {size} bytes: the metadata is wrong")]
    Outside {
        /// Its number, from 0.
        index: usize,
        /// Its name and type, as far as they are known.
        name: String,
        /// Size of the segment in bytes.
        size: u64,
    },
}

/// Function that returns the address of a buffer and its size in bytes, by name.
pub type BufferAt<'a> = &'a dyn Fn(&str) -> Option<(u64, u64)>;

impl ArgValue {
    /// Returns size and alignment in bytes.
    pub fn layout(&self) -> (u64, u64) {
        match self {
            ArgValue::Bytes { bytes, align } => (bytes.len() as u64, *align),
            ArgValue::Pointer { .. } | ArgValue::Null => (8, 8),
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

    /// Returns the bytes, little-endian. For LDS they are 0: [`place`] fills in the offset.
    ///
    /// # Errors
    /// [`ArgError::NoBuffer`], [`ArgError::Beyond`].
    pub fn bytes(&self, buffer_at: BufferAt<'_>) -> Result<Vec<u8>, ArgError> {
        match self {
            ArgValue::Bytes { bytes, .. } => Ok(bytes.clone()),
            ArgValue::Null => Ok(vec![0; 8]),
            ArgValue::Local(_) => Ok(vec![0; 4]),
            ArgValue::Pointer { buffer, at } => {
                let found = buffer_at(buffer).ok_or_else(|| ArgError::NoBuffer { name: buffer.clone() })?;
                let (address, size) = found;
                if *at > size {
                    return Err(ArgError::Beyond { name: buffer.clone(), at: *at, size });
                }
                Ok((address + at).to_le_bytes().to_vec())
            }
            ArgValue::Struct(parts) => {
                let mut bytes = Vec::new();
                for part in parts {
                    let (_, align) = part.layout();
                    bytes.resize((bytes.len() as u64).next_multiple_of(align) as usize, 0);
                    bytes.extend(part.bytes(buffer_at)?);
                }
                bytes.resize(self.layout().0 as usize, 0);
                Ok(bytes)
            }
        }
    }
}

/// Returns the explicit arguments of a kernel, or `None` if it has no metadata.
pub fn explicit(kernel: &Kernel) -> Option<Vec<&Arg>> {
    let args = &kernel.metadata.as_ref()?.args;
    Some(args.iter().filter(|arg| !matches!(arg.kind, ArgKind::Hidden(_))).collect())
}

/// Returns name and type of an argument for people, as far as they are known.
pub fn describe(arg: &Arg) -> String {
    match (&arg.type_name, &arg.name) {
        (Some(ty), Some(name)) => format!("{ty} {name}"),
        (Some(one), None) | (None, Some(one)) => one.clone(),
        (None, None) => "unnamed".to_string(),
    }
}

/// The arguments in their places.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Placed {
    /// The kernarg segment, with the explicit arguments.
    pub kernarg: Vec<u8>,
    /// Offset of the first byte after the explicit arguments.
    pub end: u64,
    /// Size of dynamic LDS in bytes; it may be more than there is.
    pub dynamic_lds: u64,
    /// Whether the places were guessed because the object has no metadata (note `kernarg-guessed`).
    pub guessed: bool,
}

impl Placed {
    /// Takes `len` bytes of dynamic LDS. Returns the argument: the offset of the first one. If there is too much LDS,
    /// the offset has no meaning; the caller has to check the sum.
    fn take_lds(&mut self, static_lds: u32, len: u32, align: u64) -> Vec<u8> {
        let used = u64::from(static_lds).saturating_add(self.dynamic_lds);
        let start = used.checked_next_multiple_of(align.max(1)).unwrap_or(u64::MAX);
        self.dynamic_lds = start.saturating_add(len.into()) - u64::from(static_lds);
        (start as u32).to_le_bytes().to_vec()
    }
}

/// Puts arguments into a kernarg segment of at least `size` bytes. `buffer_at` returns the places of buffers.
///
/// # Errors
/// [`ArgError`] that names the argument.
pub fn place(kernel: &Kernel, values: &[ArgValue], size: u64, buffer_at: BufferAt<'_>) -> Result<Placed, ArgError> {
    let mut placed = Placed { kernarg: vec![0; size as usize], end: 0, dynamic_lds: 0, guessed: false };
    let static_lds = kernel.descriptor.group_segment_size;
    let Some(args) = explicit(kernel) else {
        place_without_metadata(&mut placed, static_lds, values, buffer_at)?;
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
            (ArgKind::Image, _) => Some("is an image, which cannot be given yet"),
            (ArgKind::Sampler, _) => Some("is a sampler, which cannot be given yet"),
            (_, ArgValue::Null) => None,
            (ArgKind::Pipe, _) => Some("is a pipe, which no launch provides: pass null"),
            (ArgKind::Queue, _) => Some("is a device queue, which no launch provides: pass null"),
            _ => None,
        };
        if let Some(wanted) = wanted {
            return Err(ArgError::Kind { index, name: name(), wanted });
        }
        let mut bytes = value.bytes(buffer_at)?;
        if let ArgValue::Local(len) = value {
            bytes = placed.take_lds(static_lds, *len, arg.pointee_align);
        }
        let given = bytes.len() as u64;
        // A vector of three elements has the size of four.
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
    placed: &mut Placed,
    static_lds: u32,
    values: &[ArgValue],
    buffer_at: BufferAt<'_>,
) -> Result<(), ArgError> {
    placed.guessed = true;
    for (index, value) in values.iter().enumerate() {
        let mut bytes = value.bytes(buffer_at)?;
        if let ArgValue::Local(len) = value {
            bytes = placed.take_lds(static_lds, *len, 16);
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
