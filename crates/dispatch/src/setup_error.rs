//! Why a dispatch cannot be set up.

use crate::args::ArgError;

/// Error of setting up a dispatch.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum SetupError {
    /// The arguments do not fit the kernel.
    #[error(transparent)]
    Args(#[from] ArgError),
    /// The group is larger than the kernel allows.
    #[error("a group of {given} work-items: the kernel allows {allowed}")]
    GroupTooLarge {
        /// Work-items of the group.
        given: u64,
        /// Limit.
        allowed: u32,
    },
    /// The kernel allows groups of one size only.
    #[error("a group of {given:?} work-items: the kernel requires {required:?}")]
    GroupSize {
        /// Size of the group.
        given: [u32; 3],
        /// The size that it allows.
        required: [u32; 3],
    },
    /// The group needs too much LDS.
    #[error("{given} bytes of LDS: a group has at most {most}")]
    Lds {
        /// Static and dynamic LDS in bytes.
        given: u64,
        /// Limit.
        most: u32,
    },
    /// The host has no memory for a part, or there are not enough guest addresses.
    #[error("no room for {what} of {bytes} bytes")]
    NoRoom {
        /// The part.
        what: String,
        /// Its size in bytes.
        bytes: u64,
    },
    /// The kernel wants scratch in elements of another size than 4 bytes (`private-element-size`).
    #[error("the kernel wants scratch in elements of {0} bytes")]
    PrivateElementSize(u32),
    /// The group has more work-items than a hardware group.
    #[error("a group of {0} work-items: there are at most 1024 in one")]
    TooManyItems(u64),
}
