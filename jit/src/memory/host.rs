//! Guest memory as the host's instructions reach it: moves without checks, for [`fast`](super::fast).
//!
//! Other threads may write the same bytes at any time. So no access is one of Rust's: on x86-64 each is an instruction in
//! inline assembly, elsewhere an atomic access of [`Segment`](gcnsim_machine::Segment)'s kind, byte by byte.
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
    // SAFETY: the caller's promise.
    std::array::from_fn(|k| unsafe { read32(from.wrapping_add(4 * k)) })
}

/// Writes one to four dwords, at any address.
///
/// # Safety
/// They are in a living segment.
#[inline(always)]
pub(super) unsafe fn write<const N: usize>(to: *mut u8, values: [u32; N]) {
    for (k, value) in values.into_iter().enumerate() {
        // SAFETY: the caller's promise.
        unsafe { write32(to.wrapping_add(4 * k), value) };
    }
}

/// Copies `[u32; 64 * N]` dwords from guest memory.
///
/// # Safety
/// The source is in a living segment, the destination writable; the CPU has what `H` says.
#[inline(always)]
pub(super) unsafe fn copy_in<H: Host, const N: usize>(to: &mut [[u32; LANES]; N], from: *const u8) {
    // SAFETY: the caller's promise.
    unsafe { moves::copy::<H>(to.as_mut_ptr().cast(), from, N * LANES * 4) };
}

/// Copies `[u32; 64 * N]` dwords to guest memory.
///
/// # Safety
/// As for [`copy_in`], the other way round.
#[inline(always)]
pub(super) unsafe fn copy_out<H: Host, const N: usize>(to: *mut u8, from: &[[u32; LANES]; N]) {
    // SAFETY: the caller's promise.
    unsafe { moves::copy::<H>(to, from.as_ptr().cast(), N * LANES * 4) };
}

/// Copies dwords of the lanes of a mask from guest memory, where lane 0's would be at `from`. Others become 0.
///
/// # Safety
/// The dwords of the mask are in a living segment; the CPU has what `H` says.
#[inline(always)]
pub(super) unsafe fn copy_in_masked<H: Host>(to: &mut [u32; LANES], from: *const u8, mask: u64) {
    #[cfg(target_arch = "x86_64")]
    if H::AVX512 {
        // SAFETY: the caller's promise.
        unsafe { moves::copy_masked(to.as_mut_ptr().cast(), from, mask, true) };
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
        unsafe { moves::copy_masked(to, from.as_ptr().cast(), mask, false) };
        return;
    }
    for lane in super::lanes(mask) {
        // SAFETY: the caller's promise.
        unsafe { write32(to.wrapping_add(4 * lane), from[lane]) };
    }
}

pub(super) use moves::{read8, read16, read32, write8, write16, write32};

#[cfg(target_arch = "x86_64")]
mod moves {
    use std::arch::asm;

    use super::Host;

    macro_rules! moves {
        ($read:ident $write:ident $type:ty, $load:literal, $store:literal, $class:ident) => {
            /// Reads a number, at any address.
            ///
            /// # Safety
            /// It is in a living segment.
            #[inline(always)]
            pub(in super::super) unsafe fn $read(from: *const u8) -> u32 {
                let value: u32;
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
            pub(in super::super) unsafe fn $write(to: *mut u8, value: u32) {
                // SAFETY: the caller's promise; the instruction writes no more.
                unsafe {
                    asm!($store, value = in($class) value as $type, to = in(reg) to, options(nostack, preserves_flags));
                }
            }
        };
    }

    moves!(read8 write8 u8, "movzx {value:e}, byte ptr [{from}]", "mov byte ptr [{to}], {value}", reg_byte);
    moves!(read16 write16 u16, "movzx {value:e}, word ptr [{from}]", "mov word ptr [{to}], {value:x}", reg);
    moves!(read32 write32 u32, "mov {value:e}, dword ptr [{from}]", "mov dword ptr [{to}], {value:e}", reg);

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

    /// Copies 64 dwords, those of a mask. The others are not read and, if `clears`, written as 0, else not written.
    ///
    /// # Safety
    /// The dwords of the mask may be read and written; if `clears`, all may be written. The CPU has AVX-512.
    #[inline(always)]
    pub(super) unsafe fn copy_masked(to: *mut u8, from: *const u8, mask: u64, clears: bool) {
        for chunk in 0..4 {
            let (to, from) = (to.wrapping_add(64 * chunk), from.wrapping_add(64 * chunk));
            let mask = (mask >> (16 * chunk)) as u16 as u32;
            let written = if clears { 0xffff } else { mask };
            // SAFETY: the caller's promise; masked moves touch nothing else.
            unsafe {
                asm!(
                    "kmovw k1, {mask:e}",
                    "kmovw k2, {written:e}",
                    "vmovdqu32 zmm16 {{k1}} {{z}}, [{from}]",
                    "vmovdqu32 [{to}] {{k2}}, zmm16",
                    mask = in(reg) mask, written = in(reg) written, from = in(reg) from, to = in(reg) to,
                    out("xmm16") _, out("k1") _, out("k2") _,
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
        ($read:ident $write:ident $bytes:literal) => {
            /// Reads a number, at any address.
            ///
            /// # Safety
            /// It is in a living segment.
            #[inline(always)]
            pub(in super::super) unsafe fn $read(from: *const u8) -> u32 {
                let mut value = [0; 4];
                for (at, byte) in value[..$bytes].iter_mut().enumerate() {
                    // SAFETY: the caller's promise; all accesses of guest memory are atomic.
                    *byte = unsafe { AtomicU8::from_ptr(from.wrapping_add(at).cast_mut()) }.load(Relaxed);
                }
                u32::from_le_bytes(value)
            }

            /// Writes a number, at any address.
            ///
            /// # Safety
            /// It is in a living segment.
            #[inline(always)]
            pub(in super::super) unsafe fn $write(to: *mut u8, value: u32) {
                for (at, byte) in value.to_le_bytes()[..$bytes].iter().enumerate() {
                    // SAFETY: the caller's promise; all accesses of guest memory are atomic.
                    unsafe { AtomicU8::from_ptr(to.wrapping_add(at)) }.store(*byte, Relaxed);
                }
            }
        };
    }

    moves!(read8 write8 1);
    moves!(read16 write16 2);
    moves!(read32 write32 4);

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
