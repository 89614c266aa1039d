//! Reasons why a dispatch cannot be set up.

use crate::args::ArgError;

/// Error of setting up a dispatch.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SetupError {
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
}
