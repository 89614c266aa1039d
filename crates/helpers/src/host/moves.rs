//! Moves of guest memory on x86-64: each is one instruction, in inline assembly.

use std::arch::asm;

macro_rules! moves {
    ($value:ty, $read:ident $write:ident $part:ty, $load:literal, $store:literal, $class:ident) => {
        /// Reads a number, at any address.
        ///
        /// # Safety
        /// The bytes are in a living backing or in LDS.
        #[inline(always)]
        pub(crate) unsafe fn $read(from: *const u8) -> $value {
            let value: $value;
            // SAFETY: the caller's promise; the instruction reads no more.
            unsafe {
                asm!($load, value = out(reg) value, from = in(reg) from, options(nostack, readonly, preserves_flags));
            }
            value
        }

        /// Writes a number, at any address.
        ///
        /// # Safety
        /// The bytes are in a living backing or in LDS.
        #[inline(always)]
        pub(crate) unsafe fn $write(to: *mut u8, value: $value) {
            // SAFETY: the caller's promise; the instruction writes no more.
            unsafe {
                asm!($store, value = in($class) value as $part, to = in(reg) to, options(nostack, preserves_flags));
            }
        }
    };
}

moves!(u32, read8 write8 u8, "movzx {value:e}, byte ptr [{from}]", "mov byte ptr [{to}], {value}", reg_byte);
moves!(u32, read16 write16 u16, "movzx {value:e}, word ptr [{from}]", "mov word ptr [{to}], {value:x}", reg);
moves!(u32, read32 write32 u32, "mov {value:e}, dword ptr [{from}]", "mov dword ptr [{to}], {value:e}", reg);
moves!(u64, read64 write64 u64, "mov {value}, qword ptr [{from}]", "mov qword ptr [{to}], {value}", reg);

/// Copies `bytes` bytes, a multiple of 16.
///
/// # Safety
/// The bytes at `from` may be read, those at `to` may be written, and they do not overlap.
#[inline(always)]
pub(super) unsafe fn copy(to: *mut u8, from: *const u8, bytes: usize) {
    for at in (0..bytes).step_by(16) {
        let (to, from) = (to.wrapping_add(at), from.wrapping_add(at));
        // SAFETY: the caller's promise.
        unsafe {
            asm!("movups {value}, [{from}]", "movups [{to}], {value}", value = out(xmm_reg) _,
                 from = in(reg) from, to = in(reg) to, options(nostack, preserves_flags));
        }
    }
}
