//! Guest memory as the host's instructions reach it: moves without checks, for [`fast`](super::fast).
//!
//! Other threads may write the same bytes at any time. So no access is one of Rust's: on x86-64 each is an instruction
//! in inline assembly, elsewhere an atomic access of [`Segment`](gcnsim_machine::Segment)'s kind, byte by byte.
#![allow(unsafe_code)]

use gcnsim_isa::LANES;

/// What the host's processor has.
pub(super) trait Host {
    /// AVX-512 F and VL.
    const AVX512: bool;
}

/// Nothing beyond the target's baseline.
pub(super) struct Baseline;
/// AVX-512.
#[cfg(target_arch = "x86_64")]
pub(super) struct Avx512;

impl Host for Baseline {
    const AVX512: bool = false;
}

#[cfg(target_arch = "x86_64")]
impl Host for Avx512 {
    const AVX512: bool = true;
}

/// Reads one to four dwords, at any address.
///
/// # Safety
/// They are in a living segment.
#[inline(always)]
pub(super) unsafe fn read<const N: usize>(from: *const u8) -> [u32; N] {
    let mut values = [0; N];
    for (k, values) in values.chunks_mut(2).enumerate() {
        let from = from.wrapping_add(8 * k);
        // SAFETY: the caller's promise.
        unsafe {
            match values {
                [low, high] => {
                    let both = read64(from);
                    (*low, *high) = (both as u32, (both >> 32) as u32);
                }
                _ => values[0] = read32(from),
            }
        }
    }
    values
}

/// Writes one to four dwords, at any address.
///
/// # Safety
/// They are in a living segment.
#[inline(always)]
pub(super) unsafe fn write<const N: usize>(to: *mut u8, values: [u32; N]) {
    for (k, values) in values.chunks(2).enumerate() {
        let to = to.wrapping_add(8 * k);
        // SAFETY: the caller's promise.
        unsafe {
            match *values {
                [low, high] => write64(to, low as u64 | (high as u64) << 32),
                _ => write32(to, values[0]),
            }
        }
    }
}

/// Copies 64 dwords from guest memory.
///
/// # Safety
/// They are in a living segment; the CPU has what `H` says.
#[inline(always)]
pub(super) unsafe fn copy_in<H: Host>(to: &mut [u32; LANES], from: *const u8) {
    // SAFETY: the caller's promise.
    unsafe { moves::copy::<H>(to.as_mut_ptr().cast(), from, size_of_val(to)) };
}

/// Copies 64 dwords to guest memory.
///
/// # Safety
/// As for [`copy_in`].
#[inline(always)]
pub(super) unsafe fn copy_out<H: Host>(to: *mut u8, from: &[u32; LANES]) {
    // SAFETY: the caller's promise.
    unsafe { moves::copy::<H>(to, from.as_ptr().cast(), size_of_val(from)) };
}

/// Copies 64 elements from guest memory.
///
/// # Safety
/// As for [`copy_in`].
#[inline(always)]
pub(super) unsafe fn copy_elements_in<H: Host, const N: usize>(to: &mut [[u32; N]; LANES], from: *const u8) {
    // SAFETY: the caller's promise.
    unsafe { moves::copy::<H>(to.as_mut_ptr().cast(), from, size_of_val(to)) };
}

/// Copies 64 elements to guest memory.
///
/// # Safety
/// As for [`copy_in`].
#[inline(always)]
pub(super) unsafe fn copy_elements_out<H: Host, const N: usize>(to: *mut u8, from: &[[u32; N]; LANES]) {
    // SAFETY: the caller's promise.
    unsafe { moves::copy::<H>(to, from.as_ptr().cast(), size_of_val(from)) };
}

/// Copies dwords of the lanes of a mask from guest memory, where lane 0's would be at `from`. Others stay.
///
/// # Safety
/// The dwords of the mask are in a living segment; the CPU has what `H` says.
#[inline(always)]
pub(super) unsafe fn copy_in_masked<H: Host>(to: &mut [u32; LANES], from: *const u8, mask: u64) {
    #[cfg(target_arch = "x86_64")]
    if H::AVX512 {
        // SAFETY: the caller's promise.
        unsafe { moves::copy_masked(to.as_mut_ptr().cast(), from, mask) };
        return;
    }
    for lane in super::lanes(mask) {
        // SAFETY: the caller's promise.
        to[lane] = unsafe { read32(from.wrapping_add(4 * lane)) };
    }
}

/// Copies dwords of the lanes of a mask to guest memory, where lane 0's would be at `to`.
///
/// # Safety
/// As for [`copy_in_masked`].
#[inline(always)]
pub(super) unsafe fn copy_out_masked<H: Host>(to: *mut u8, from: &[u32; LANES], mask: u64) {
    #[cfg(target_arch = "x86_64")]
    if H::AVX512 {
        // SAFETY: the caller's promise.
        unsafe { moves::copy_masked(to, from.as_ptr().cast(), mask) };
        return;
    }
    for lane in super::lanes(mask) {
        // SAFETY: the caller's promise.
        unsafe { write32(to.wrapping_add(4 * lane), from[lane]) };
    }
}

pub(super) use moves::{read8, read16, read32, write8, write16, write32};
use moves::{read64, write64};

#[cfg(target_arch = "x86_64")]
mod moves {
    use std::arch::asm;

    use super::Host;

    macro_rules! moves {
        ($value:ty, $read:ident $write:ident $part:ty, $load:literal, $store:literal, $class:ident) => {
            /// Reads a number, at any address.
            ///
            /// # Safety
            /// It is in a living segment.
            #[inline(always)]
            pub(in super::super) unsafe fn $read(from: *const u8) -> $value {
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
            /// It is in a living segment.
            #[inline(always)]
            pub(in super::super) unsafe fn $write(to: *mut u8, value: $value) {
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

    /// Copies bytes, a multiple of 256.
    ///
    /// # Safety
    /// They may be read and written, and do not overlap; the CPU has what `H` says.
    #[inline(always)]
    pub(super) unsafe fn copy<H: Host>(to: *mut u8, from: *const u8, bytes: usize) {
        for at in (0..bytes).step_by(256) {
            let (to, from) = (to.wrapping_add(at), from.wrapping_add(at));
            if H::AVX512 {
                // SAFETY: the caller's promise. XMM registers stand for ZMM registers among clobbers.
                unsafe {
                    asm!(
                        "vmovdqu32 zmm16, [{from}]",
                        "vmovdqu32 zmm17, [{from} + 64]",
                        "vmovdqu32 zmm18, [{from} + 128]",
                        "vmovdqu32 zmm19, [{from} + 192]",
                        "vmovdqu32 [{to}], zmm16",
                        "vmovdqu32 [{to} + 64], zmm17",
                        "vmovdqu32 [{to} + 128], zmm18",
                        "vmovdqu32 [{to} + 192], zmm19",
                        from = in(reg) from, to = in(reg) to,
                        out("xmm16") _, out("xmm17") _, out("xmm18") _, out("xmm19") _,
                        options(nostack, preserves_flags),
                    );
                }
            } else {
                for at in (0..256).step_by(16) {
                    // SAFETY: the caller's promise.
                    unsafe {
                        asm!(
                            "movups {value}, [{from}]",
                            "movups [{to}], {value}",
                            value = out(xmm_reg) _, from = in(reg) from.wrapping_add(at), to = in(reg) to.wrapping_add(at),
                            options(nostack, preserves_flags),
                        );
                    }
                }
            }
        }
    }

    /// Copies those of 64 dwords that a mask has. Nothing else is read or written.
    ///
    /// # Safety
    /// They may be read and written. The CPU has AVX-512.
    #[inline(always)]
    pub(super) unsafe fn copy_masked(to: *mut u8, from: *const u8, mask: u64) {
        for chunk in 0..4 {
            let (to, from) = (to.wrapping_add(64 * chunk), from.wrapping_add(64 * chunk));
            let mask = (mask >> (16 * chunk)) as u16 as u32;
            // SAFETY: the caller's promise; masked moves touch nothing else.
            unsafe {
                asm!(
                    "kmovw k1, {mask:e}",
                    "vmovdqu32 zmm16 {{k1}} {{z}}, [{from}]",
                    "vmovdqu32 [{to}] {{k1}}, zmm16",
                    mask = in(reg) mask, from = in(reg) from, to = in(reg) to,
                    out("xmm16") _, out("k1") _,
                    options(nostack, preserves_flags),
                );
            }
        }
    }
}

#[cfg(not(target_arch = "x86_64"))]
mod moves {
    use std::sync::atomic::{AtomicU8, Ordering::Relaxed};

    use super::Host;

    macro_rules! moves {
        ($value:ty, $read:ident $write:ident $bytes:literal) => {
            /// Reads a number, at any address.
            ///
            /// # Safety
            /// It is in a living segment.
            #[inline(always)]
            pub(in super::super) unsafe fn $read(from: *const u8) -> $value {
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
            /// It is in a living segment.
            #[inline(always)]
            pub(in super::super) unsafe fn $write(to: *mut u8, value: $value) {
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

    /// Copies bytes, a multiple of 4.
    ///
    /// # Safety
    /// They may be read and written, and do not overlap.
    #[inline(always)]
    pub(super) unsafe fn copy<H: Host>(to: *mut u8, from: *const u8, bytes: usize) {
        for at in (0..bytes).step_by(4) {
            // SAFETY: the caller's promise.
            unsafe { write32(to.wrapping_add(at), read32(from.wrapping_add(at))) };
        }
    }
}
