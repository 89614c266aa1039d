//! Moves between guest memory and registers of AVX2, by inline assembly.

use std::arch::asm;
use std::arch::x86_64::*;

macro_rules! reads {
    ($name:ident, $what:literal, $instruction:literal) => {
        #[doc = concat!("Reads ", $what, " of guest memory to eight dwords.\n\n# Safety")]
        /// The bytes are in a living backing or in LDS.
        #[inline]
        #[target_feature(enable = "avx2")]
        pub(super) unsafe fn $name(from: *const u8) -> __m256i {
            let value: __m256i;
            // SAFETY: the caller's promise; the instruction reads no more.
            unsafe {
                asm!(concat!($instruction, " {value}, [{from}]"), value = lateout(ymm_reg) value, from = in(reg) from,
                     options(nostack, readonly, preserves_flags));
            }
            value
        }
    };
}

reads!(read_eight, "32 bytes", "vmovdqu");
reads!(read_bytes, "eight bytes", "vpmovzxbd");
reads!(read_shorts, "eight shorts", "vpmovzxwd");

macro_rules! writes {
    ($name:ident, $value:ty, $class:ident, $what:literal, $instruction:literal) => {
        #[doc = concat!("Writes ", $what, " to guest memory.\n\n# Safety")]
        /// The bytes are in a living backing or in LDS.
        #[inline]
        #[target_feature(enable = "avx2")]
        pub(super) unsafe fn $name(to: *mut u8, value: $value) {
            // SAFETY: the caller's promise; the instruction writes no more.
            unsafe {
                asm!(concat!($instruction, " [{to}], {value}"), value = in($class) value, to = in(reg) to,
                     options(nostack, preserves_flags));
            }
        }
    };
}

writes!(write_eight, __m256i, ymm_reg, "32 bytes", "vmovdqu");
writes!(write_four, __m128i, xmm_reg, "16 bytes", "vmovdqu");
writes!(write_bytes, __m128i, xmm_reg, "the lowest eight bytes", "vmovq");

/// Writes the lowest 12 bytes to guest memory.
///
/// # Safety
/// The bytes are in a living backing or in LDS.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) unsafe fn write_three(to: *mut u8, value: __m128i) {
    // SAFETY: the caller's promise; the instructions write no more.
    unsafe {
        asm!("vmovq qword ptr [{to}], {value}", "vpextrd dword ptr [{to} + 8], {value}, 2", value = in(xmm_reg) value,
             to = in(reg) to, options(nostack, preserves_flags));
    }
}

/// Reads the dwords whose lane of `mask` is all ones; 0 in others.
///
/// # Safety
/// Those of the mask are in a living backing or in LDS.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) unsafe fn read_masked(from: *const u8, mask: __m256i) -> __m256i {
    let value: __m256i;
    // SAFETY: the caller's promise; the instruction touches no others.
    unsafe {
        asm!("vpmaskmovd {value}, {mask}, [{from}]", value = lateout(ymm_reg) value, mask = in(ymm_reg) mask,
             from = in(reg) from, options(nostack, readonly, preserves_flags));
    }
    value
}

/// Reads a dword at each place.
///
/// # Safety
/// The bytes are in a living backing or in LDS.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) unsafe fn read_dwords(from: *const u8, at: [usize; 8]) -> __m256i {
    let [a, b, c, d, e, f, g, h] = at;
    // SAFETY: the caller's promise.
    let [low, high] = unsafe { [read_four(from, [a, b, c, d]), read_four(from, [e, f, g, h])] };
    _mm256_set_m128i(high, low)
}

/// # Safety
/// As for [`read_dwords`].
#[inline]
#[target_feature(enable = "avx2")]
unsafe fn read_four(from: *const u8, [a, b, c, d]: [usize; 4]) -> __m128i {
    let value: __m128i;
    // SAFETY: the caller's promise; the instructions read no more.
    unsafe {
        asm!("vmovd {value}, dword ptr [{from} + {a}]",
             "vpinsrd {value}, {value}, dword ptr [{from} + {b}], 1",
             "vpinsrd {value}, {value}, dword ptr [{from} + {c}], 2",
             "vpinsrd {value}, {value}, dword ptr [{from} + {d}], 3",
             value = out(xmm_reg) value, from = in(reg) from, a = in(reg) a, b = in(reg) b, c = in(reg) c,
             d = in(reg) d, options(nostack, readonly, preserves_flags));
    }
    value
}

macro_rules! reads_each {
    ($name:ident, $four:ident, $what:literal, $instruction:literal, [$b:literal, $c:literal, $d:literal]) => {
        #[doc = concat!("Reads ", $what, " at each place, to a dword each.")]
        ///
        /// # Safety
        /// The bytes are in a living backing or in LDS.
        #[inline]
        #[target_feature(enable = "avx2")]
        pub(super) unsafe fn $name(from: *const u8, at: [usize; 8]) -> __m256i {
            let [a, b, c, d, e, f, g, h] = at;
            // SAFETY: the caller's promise.
            let [low, high] = unsafe { [$four(from, [a, b, c, d]), $four(from, [e, f, g, h])] };
            _mm256_set_m128i(high, low)
        }

        /// # Safety
        /// As for the function above.
        #[inline]
        #[target_feature(enable = "avx2")]
        unsafe fn $four(from: *const u8, [a, b, c, d]: [usize; 4]) -> __m128i {
            let mut value = _mm_setzero_si128();
            // SAFETY: the caller's promise; the instructions read no more.
            unsafe {
                asm!(concat!($instruction, " {value}, {value}, [{from} + {a}], 0"),
                     concat!($instruction, " {value}, {value}, [{from} + {b}], ", $b),
                     concat!($instruction, " {value}, {value}, [{from} + {c}], ", $c),
                     concat!($instruction, " {value}, {value}, [{from} + {d}], ", $d),
                     value = inout(xmm_reg) value, from = in(reg) from, a = in(reg) a, b = in(reg) b, c = in(reg) c,
                     d = in(reg) d, options(nostack, readonly, preserves_flags));
            }
            value
        }
    };
}

reads_each!(read_each_byte, read_four_bytes, "a byte", "vpinsrb", ["4", "8", "12"]);
reads_each!(read_each_short, read_four_shorts, "two bytes", "vpinsrw", ["2", "4", "6"]);

/// Reads two dwords at each place.
///
/// # Safety
/// The bytes are in a living backing or in LDS.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) unsafe fn read_pairs(from: *const u8, [a, b, c, d]: [usize; 4]) -> __m256i {
    let (low, high): (__m128i, __m128i);
    // SAFETY: the caller's promise; the instructions read no more.
    unsafe {
        asm!("vmovq {low}, qword ptr [{from} + {a}]",
             "vpinsrq {low}, {low}, qword ptr [{from} + {b}], 1",
             "vmovq {high}, qword ptr [{from} + {c}]",
             "vpinsrq {high}, {high}, qword ptr [{from} + {d}], 1",
             low = out(xmm_reg) low, high = out(xmm_reg) high, from = in(reg) from, a = in(reg) a, b = in(reg) b,
             c = in(reg) c, d = in(reg) d, options(nostack, readonly, preserves_flags));
    }
    _mm256_set_m128i(high, low)
}

/// Reads four dwords at each of two places, which become the halves.
///
/// # Safety
/// The bytes are in a living backing or in LDS.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) unsafe fn read_halves(from: *const u8, low: usize, high: usize) -> __m256i {
    let value: __m256i;
    // SAFETY: the caller's promise; the instructions read no more.
    unsafe {
        asm!("vmovdqu {value:x}, [{from} + {low}]",
             "vinserti128 {value}, {value}, [{from} + {high}], 1",
             value = out(ymm_reg) value, from = in(reg) from, low = in(reg) low, high = in(reg) high,
             options(nostack, readonly, preserves_flags));
    }
    value
}
