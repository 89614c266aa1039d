//! Reasons why a dispatch cannot be set up.

use gcnsim_isa::Arch;

use crate::args::ArgError;
use crate::images::Shape;

/// Error of setting up a dispatch.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DispatchError {
    /// The arguments do not fit the kernel.
    #[error(transparent)]
    Args(#[from] ArgError),
    /// The group is larger than the kernel allows.
    #[error("a group of {given} work-items: the kernel allows {allowed}")]
    GroupTooLarge {
        /// Work-items of the group.
        given: u64,
        /// Most work-items that the kernel allows.
        allowed: u32,
    },
    /// The kernel allows groups of one size only.
    #[error("a group of {given:?} work-items: the kernel requires {required:?}")]
    GroupSize {
        /// Work-items of the group in each dimension.
        given: [u32; 3],
        /// Work-items in each dimension that the kernel requires.
        required: [u32; 3],
    },
    /// The group needs too much LDS.
    #[error("{given} bytes of LDS: a group has at most {most}")]
    Lds {
        /// Static and dynamic LDS in bytes.
        given: u64,
        /// Most LDS of a group, in bytes.
        most: u32,
    },
    /// The host has no memory for a part, or there are not enough guest addresses.
    #[error("no room for {what} of {bytes} bytes")]
    NoRoom {
        /// The part, in words.
        what: String,
        /// Size of the part in bytes.
        bytes: u64,
    },
    /// The kernel wants scratch in elements of another size than 4 bytes. The number is its `private-element-size`.
    #[error("the kernel wants scratch in elements of {0} bytes")]
    PrivateElementSize(u32),
    /// The group has this many work-items, more than the hardware allows.
    #[error("a group of {0} work-items: there are at most 1024 in one")]
    TooManyItems(u64),
    /// A part would lie over another one.
    #[error("{bytes} bytes at {base:#x} overlap what is mapped there")]
    Overlap {
        /// Guest address.
        base: u64,
        /// Size in bytes.
        bytes: u64,
    },
    /// There is no code at the address where the waves start.
    #[error("there is no code at {pc:#x}")]
    NoCode {
        /// Guest address.
        pc: u64,
    },
    /// The module has no kernel with this name.
    #[error("there is no kernel '{name}'")]
    NoKernel {
        /// Name that was asked for.
        name: String,
    },
    /// A part of a buffer is not in the buffer.
    #[error("bytes {start} to {end} of a buffer of {size} bytes")]
    Beyond {
        /// The first byte.
        start: u64,
        /// The byte behind the last one.
        end: u64,
        /// Size of the buffer in bytes.
        size: u64,
    },
    /// The object is for another generation than the device.
    #[error("the object is for {}, and the device is {}", object.name(), device.name())]
    Arch {
        /// Generation of the device.
        device: Arch,
        /// Generation of the object.
        object: Arch,
    },
    /// A buffer is on another device.
    #[error("a buffer of another device")]
    OtherDevice,
    /// There is no such image: a size, the number of layers or levels, or the format is none that the type has.
    #[error("there is no image {0}")]
    Shape(Shape),
    /// The sizes of grid and group are not one to three numbers above 0.
    #[error("grid and group are one to three numbers above 0")]
    NoGrid,
}
