//! Ioctls: arguments, which are little-endian numbers at offsets in bytes, and errors.

/// Largest arguments of an ioctl, in bytes.
pub const MOST_ARGUMENTS: usize = 512;

/// An ioctl failed: the number of the error.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Errno(pub i32);

pub(crate) const EINVAL: Errno = Errno(libc::EINVAL);
pub(crate) const EFAULT: Errno = Errno(libc::EFAULT);
pub(crate) const ENOMEM: Errno = Errno(libc::ENOMEM);

/// The arguments of an ioctl. Those that the program did not give are 0.
pub(crate) struct Args<'a>(pub &'a mut [u8]);

impl Args<'_> {
    /// Reads a number of 4 bytes.
    pub fn u32(&self, at: usize) -> u32 {
        self.0.get(at..).and_then(<[u8]>::first_chunk).map_or(0, |bytes| u32::from_le_bytes(*bytes))
    }

    /// Reads a number of 8 bytes.
    pub fn u64(&self, at: usize) -> u64 {
        self.0.get(at..).and_then(<[u8]>::first_chunk).map_or(0, |bytes| u64::from_le_bytes(*bytes))
    }

    /// Writes a number of 4 bytes.
    pub fn set_u32(&mut self, at: usize, value: u32) {
        self.0[at..at + 4].copy_from_slice(&value.to_le_bytes());
    }

    /// Writes a number of 8 bytes.
    pub fn set_u64(&mut self, at: usize, value: u64) {
        self.0[at..at + 8].copy_from_slice(&value.to_le_bytes());
    }
}
