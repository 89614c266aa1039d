//! Moves between guest memory and registers of AVX-512, by inline assembly.

use std::arch::asm;
use std::arch::x86_64::*;

macro_rules! reads {
    ($name:ident, $mask:ty, $instruction:literal) => {
        #[doc = concat!("Reads 64 bytes of guest memory by ", $instruction, "; 0 where the mask has no bit.")]
        ///
        /// # Safety
        /// The parts of the mask are in a living backing or in LDS.
        #[inline]
        #[target_feature(enable = "avx512f,avx512bw")]
        pub(super) unsafe fn $name(from: *const u8, mask: $mask) -> __m512i {
            let value: __m512i;
            // SAFETY: the caller's promise; masked moves touch nothing else.
            unsafe {
                asm!(
                    concat!($instruction, " {value}{{{mask}}}{{z}}, [{from}]"),
                    value = lateout(zmm_reg) value, mask = in(kreg) mask, from = in(reg) from,
                    options(nostack, readonly, preserves_flags),
                );
            }
            value
        }
    };
}

/// Reads 64 bytes of guest memory.
///
/// # Safety
/// The bytes are in a living backing or in LDS.
#[inline]
#[target_feature(enable = "avx512f")]
pub(super) unsafe fn read_all(from: *const u8) -> __m512i {
    let value: __m512i;
    // SAFETY: the caller's promise; the instruction reads no more.
    unsafe {
        asm!("vmovdqu32 {value}, [{from}]", value = lateout(zmm_reg) value, from = in(reg) from,
             options(nostack, readonly, preserves_flags));
    }
    value
}

/// Writes 64 bytes to guest memory.
///
/// # Safety
/// The bytes are in a living backing or in LDS.
#[inline]
#[target_feature(enable = "avx512f")]
pub(super) unsafe fn write_all(to: *mut u8, value: __m512i) {
    // SAFETY: the caller's promise; the instruction writes no more.
    unsafe {
        asm!("vmovdqu32 [{to}], {value}", value = in(zmm_reg) value, to = in(reg) to,
             options(nostack, preserves_flags));
    }
}

macro_rules! writes {
    ($name:ident, $value:ty, $register:ident, $instruction:literal) => {
        #[doc = concat!("Writes 16 numbers to guest memory by ", $instruction, ", those of the mask.")]
        ///
        /// # Safety
        /// The bytes are in a living backing or in LDS.
        #[inline]
        #[target_feature(enable = "avx512f,avx512bw,avx512vl")]
        pub(super) unsafe fn $name(to: *mut u8, value: $value, mask: u16) {
            // SAFETY: the caller's promise; masked moves touch nothing else.
            unsafe {
                asm!(
                    concat!($instruction, " [{to}]{{{mask}}}, {value}"),
                    value = in($register) value, mask = in(kreg) mask, to = in(reg) to,
                    options(nostack, preserves_flags),
                );
            }
        }
    };
}

reads!(read, u16, "vmovdqu32");
reads!(read_bytes, u64, "vmovdqu8");
reads!(read_shorts, u32, "vmovdqu16");
writes!(write, __m512i, zmm_reg, "vmovdqu32");
writes!(write_bytes, __m128i, xmm_reg, "vmovdqu8");
writes!(write_shorts, __m256i, ymm_reg, "vmovdqu16");

/// Converts unsigned distances to signed ones from 2^31 bytes further on. It is an instruction that the compiler
/// does not move: otherwise it would execute before the test whether there is anything to gather.
#[inline]
#[target_feature(enable = "avx512f")]
pub(super) fn biased(at: __m512i) -> __m512i {
    let value: __m512i;
    let bias = _mm512_set1_epi32(i32::MIN);
    // SAFETY: it touches registers only.
    unsafe {
        asm!("vpxord {value}, {at}, {bias}", value = lateout(zmm_reg) value, at = in(zmm_reg) at,
             bias = in(zmm_reg) bias, options(nomem, nostack, preserves_flags));
    }
    value
}

macro_rules! gathers {
    ($name:ident, $mask:ty, $at:ty, $register:ident, $instruction:literal) => {
        #[doc = concat!("Reads numbers of guest memory by ", $instruction, "; 0 where the mask has no bit.")]
        ///
        /// # Safety
        /// Those of the mask are in a living backing or in LDS, at signed distances from `from`.
        #[inline]
        #[target_feature(enable = "avx512f,avx512vl")]
        pub(super) unsafe fn $name(from: *const u8, at: $at, mask: $mask) -> __m512i {
            let mut value = _mm512_setzero_si512();
            // SAFETY: the caller's promise; masked moves touch nothing else.
            unsafe {
                asm!(
                    concat!($instruction, " {value}{{{mask}}}, [{from} + {at}]"),
                    value = inout(zmm_reg) value, mask = inout(kreg) mask => _, from = in(reg) from,
                    at = in($register) at,
                    options(nostack, readonly, preserves_flags),
                );
            }
            value
        }
    };
}

macro_rules! scatters {
    ($name:ident, $mask:ty, $at:ty, $register:ident, $instruction:literal) => {
        #[doc = concat!("Writes numbers of a mask to guest memory by ", $instruction, ", the first one first.")]
        ///
        /// # Safety
        /// The numbers are in a living backing or in LDS, at signed distances from `to`.
        #[inline]
        #[target_feature(enable = "avx512f,avx512vl")]
        pub(super) unsafe fn $name(to: *mut u8, at: $at, value: __m512i, mask: $mask) {
            // SAFETY: the caller's promise; masked moves touch nothing else.
            unsafe {
                asm!(
                    concat!($instruction, " [{to} + {at}]{{{mask}}}, {value}"),
                    value = in(zmm_reg) value, mask = inout(kreg) mask => _, to = in(reg) to, at = in($register) at,
                    options(nostack, preserves_flags),
                );
            }
        }
    };
}

gathers!(gather_dwords, u16, __m512i, zmm_reg, "vpgatherdd");
gathers!(gather_pairs, u8, __m256i, ymm_reg, "vpgatherdq");
scatters!(scatter_dwords, u16, __m512i, zmm_reg, "vpscatterdd");
scatters!(scatter_pairs, u8, __m256i, ymm_reg, "vpscatterdq");
