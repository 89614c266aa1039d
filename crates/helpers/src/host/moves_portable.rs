//! Moves of guest memory on any processor: atomic accesses, byte by byte.

use std::sync::atomic::{AtomicU8, Ordering::Relaxed};

macro_rules! moves {
    ($value:ty, $read:ident $write:ident $bytes:literal) => {
        /// Reads a number, at any address.
        ///
        /// # Safety
        /// The bytes are in a living backing or in LDS.
        #[inline(always)]
        pub(crate) unsafe fn $read(from: *const u8) -> $value {
            let mut value = [0; size_of::<$value>()];
            for (at, byte) in value[..$bytes].iter_mut().enumerate() {
                // SAFETY: the caller's promise; all accesses of guest memory are atomic.
                *byte = unsafe { AtomicU8::from_ptr(from.wrapping_add(at).cast_mut()) }.load(Relaxed);
            }
            <$value>::from_le_bytes(value)
        }

        /// Writes a number, at any address.
        ///
        /// # Safety
        /// The bytes are in a living backing or in LDS.
        #[inline(always)]
        pub(crate) unsafe fn $write(to: *mut u8, value: $value) {
            for (at, byte) in value.to_le_bytes()[..$bytes].iter().enumerate() {
                // SAFETY: the caller's promise; all accesses of guest memory are atomic.
                unsafe { AtomicU8::from_ptr(to.wrapping_add(at)) }.store(*byte, Relaxed);
            }
        }
    };
}

moves!(u32, read8 write8 1);
moves!(u32, read16 write16 2);
moves!(u32, read32 write32 4);
moves!(u64, read64 write64 8);

/// Copies `bytes` bytes, a multiple of 4.
///
/// # Safety
/// The bytes at `from` may be read, those at `to` may be written, and they do not overlap.
#[inline(always)]
pub(super) unsafe fn copy(to: *mut u8, from: *const u8, bytes: usize) {
    for at in (0..bytes).step_by(4) {
        // SAFETY: the caller's promise.
        unsafe { write32(to.wrapping_add(at), read32(from.wrapping_add(at))) };
    }
}
