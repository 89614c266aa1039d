//! Operations of a level that the compiler does not find by itself. On 16 lanes they write some of them, and make one
//! bit of each. On 64 lanes, for compares, they pack and join numbers, and make masks of the results of tests.
//!
//! The operations on 64 lanes take and give arrays. The compiler keeps these in registers: it vectorises loops over
//! them in steps of a register, and an operation reads them in the same steps.

use gcnsim_isa::LANES;

/// Number of lanes that a helper processes at a time.
pub(super) const CHUNK: usize = 16;

/// One dword per lane.
pub(super) type Chunk = [u32; CHUNK];

/// A level of helpers.
pub(super) trait Simd {
    /// Whether registers have more than 16 bytes.
    const IS_WIDE: bool = true;

    /// Writes the lanes of `lanes` (one bit each), and keeps the others.
    ///
    /// # Safety
    ///
    /// `dst` is 16 dwords, 64-byte aligned, readable and writable. The CPU has the level's features.
    unsafe fn write(dst: *mut u32, new: &Chunk, lanes: u16);

    /// One bit per lane: set if the dword is 1. Each dword is 0 or 1.
    ///
    /// # Safety
    ///
    /// The CPU has the level's features.
    unsafe fn bits(bools: &Chunk) -> u16;

    /// The low or high words of dwords, in an order of the level.
    ///
    /// # Safety
    ///
    /// The CPU has the level's features. (The same is true of those below.)
    unsafe fn words<const HIGH: bool>(dwords: &[u32; LANES]) -> [u16; LANES];

    /// The 64-bit numbers of low and high dwords, in an order of the level.
    unsafe fn qwords(dwords: [&[u32; LANES]; 2]) -> [u64; LANES];

    /// Integers with the order of binary16 numbers: their magnitudes with their signs.
    #[inline(always)]
    unsafe fn f16_keys(words: &[u16; LANES]) -> [i16; LANES] {
        words.map(|x| {
            let sign = x as i16 >> 15;
            ((x & 0x7fff) as i16 ^ sign).wrapping_sub(sign)
        })
    }

    /// The elements of a table, by the index of each word, or `None` if the level has no instruction for that.
    #[inline(always)]
    unsafe fn look_up(_: &[u16; 32], _: impl Fn(usize) -> u16) -> Option<[u16; LANES]> {
        None
    }

    /// One bit per lane: the results of a test in lanes in the level's order for elements as wide as `B`.
    unsafe fn masks<B: Bools, const N: usize>(test: impl Fn(usize) -> [bool; N]) -> [u64; N];
}

/// Integers that are all ones or zero.
pub(super) trait Bools: Copy {
    const FALSE: Self;
    const TRUE: Self;
    const BITS: u32;
}

macro_rules! bools {
    ($($T:ident)*) => {
        $(
            impl Bools for $T {
                const FALSE: $T = 0;
                const TRUE: $T = !0;
                const BITS: u32 = $T::BITS;
            }
        )*
    };
}

bools! { u8 u16 u32 u64 }

/// The results of a test. The compiler vectorises it well if `B` is as wide as what is tested.
#[inline(always)]
#[allow(clippy::needless_range_loop)] // Several arrays at once.
fn collect<B: Bools, const N: usize>(test: impl Fn(usize) -> [bool; N]) -> [[B; LANES]; N] {
    let mut bools = [[B::FALSE; LANES]; N];
    for lane in 0..LANES {
        let results = test(lane);
        for i in 0..N {
            bools[i][lane] = if results[i] { B::TRUE } else { B::FALSE };
        }
    }
    bools
}

/// The level of the target's baseline.
pub(super) struct Portable;

impl Simd for Portable {
    const IS_WIDE: bool = false;

    #[inline(always)]
    unsafe fn write(dst: *mut u32, new: &Chunk, lanes: u16) {
        // SAFETY: the caller promises this.
        let dst = unsafe { &mut *dst.cast::<Chunk>() };
        for (lane, (dst, &new)) in dst.iter_mut().zip(new).enumerate() {
            *dst = if lanes >> lane & 1 == 1 { new } else { *dst };
        }
    }

    #[inline(always)]
    unsafe fn bits(bools: &Chunk) -> u16 {
        bools.iter().enumerate().fold(0, |bits, (lane, &bool)| bits | (bool << lane) as u16)
    }

    #[inline(always)]
    unsafe fn words<const HIGH: bool>(dwords: &[u32; LANES]) -> [u16; LANES] {
        dwords.map(|x| (if HIGH { x >> 16 } else { x }) as u16)
    }

    #[inline(always)]
    unsafe fn qwords([lo, hi]: [&[u32; LANES]; 2]) -> [u64; LANES] {
        std::array::from_fn(|lane| lo[lane] as u64 | (hi[lane] as u64) << 32)
    }

    #[inline(always)]
    unsafe fn masks<B: Bools, const N: usize>(test: impl Fn(usize) -> [bool; N]) -> [u64; N] {
        collect::<u8, N>(test).map(|bytes| {
            let chunks = bytes.as_chunks::<8>().0.iter().enumerate();
            // Byte k of the chunk moves to bit 56 + k of the product. No two terms share a bit.
            chunks.fold(0, |mask, (i, chunk)| {
                let ones = u64::from_le_bytes(*chunk) & 0x0101_0101_0101_0101;
                mask | (ones.wrapping_mul(0x0102_0408_1020_4080) >> 56) << (8 * i)
            })
        })
    }
}

#[cfg(target_arch = "x86_64")]
pub(super) use x86::{Avx2, Avx512};

#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::arch::x86_64::*;
    use std::array::from_fn;

    use gcnsim_isa::LANES;

    use super::{Bools, CHUNK, Chunk, Simd, collect};

    /// Plain data as other plain data of the same size.
    #[inline(always)]
    fn cast<A: Plain, B: Plain>(a: A) -> B {
        const { assert!(size_of::<A>() == size_of::<B>()) };
        // SAFETY: the sizes are equal, and all bits are valid in `Plain` types.
        unsafe { std::mem::transmute_copy(&a) }
    }

    /// Types without invalid bits or padding.
    trait Plain: Copy {}

    impl Plain for __m256i {}
    impl Plain for __m512i {}
    impl Plain for u16 {}
    impl Plain for i16 {}
    impl Plain for u32 {}
    impl Plain for u64 {}
    impl<T: Plain, const N: usize> Plain for [T; N] {}

    /// AVX2, and the extensions that came with it: FMA, F16C, BMI, LZCNT, POPCNT.
    pub(crate) struct Avx2;

    impl Simd for Avx2 {
        #[inline]
        #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt,fma,f16c")]
        unsafe fn write(dst: *mut u32, new: &Chunk, lanes: u16) {
            let bit = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
            for first in [0, CHUNK / 2] {
                let lanes = _mm256_set1_epi32((lanes >> first) as i32);
                let wanted = _mm256_cmpeq_epi32(_mm256_and_si256(lanes, bit), bit);
                // SAFETY: 8 of the caller's 16 dwords, 32-byte aligned, and of `new`.
                unsafe {
                    let dst = dst.add(first).cast::<__m256i>();
                    let new = _mm256_loadu_si256(new.as_ptr().add(first).cast());
                    _mm256_store_si256(dst, _mm256_blendv_epi8(_mm256_load_si256(dst), new, wanted));
                }
            }
        }

        #[inline]
        #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt,fma,f16c")]
        unsafe fn bits(bools: &Chunk) -> u16 {
            let half = |first: usize| {
                // SAFETY: 8 of the 16 dwords.
                let bools = unsafe { _mm256_loadu_si256(bools.as_ptr().add(first).cast()) };
                _mm256_movemask_ps(_mm256_castsi256_ps(_mm256_slli_epi32::<31>(bools))) as u16
            };
            half(0) | half(CHUNK / 2) << 8
        }

        #[inline]
        #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt,fma,f16c")]
        unsafe fn words<const HIGH: bool>(dwords: &[u32; LANES]) -> [u16; LANES] {
            // Packing works in 128-bit halves: the first vector has lanes 0..4, 8..12, 4..8, 12..16, and so on.
            let dwords: [__m256i; 8] = cast(*dwords);
            let low = dwords.map(|x| {
                if HIGH { _mm256_srli_epi32::<16>(x) } else { _mm256_and_si256(x, _mm256_set1_epi32(0xffff)) }
            });
            cast::<[__m256i; 4], _>(from_fn(|i| _mm256_packus_epi32(low[2 * i], low[2 * i + 1])))
        }

        #[inline]
        #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt,fma,f16c")]
        unsafe fn qwords(dwords: [&[u32; LANES]; 2]) -> [u64; LANES] {
            // Of eight lanes the first vector has lanes 0, 1, 4, 5, the second the others.
            let [lo, hi] = dwords.map(|dwords| cast::<_, [__m256i; 8]>(*dwords));
            cast::<[[__m256i; 2]; 8], _>(from_fn(|i| {
                [_mm256_unpacklo_epi32(lo[i], hi[i]), _mm256_unpackhi_epi32(lo[i], hi[i])]
            }))
        }

        #[inline]
        #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt,fma,f16c")]
        unsafe fn f16_keys(words: &[u16; LANES]) -> [i16; LANES] {
            let words: [__m256i; 4] = cast(*words);
            cast(words.map(|x| _mm256_sign_epi16(_mm256_and_si256(x, _mm256_set1_epi16(0x7fff)), x)))
        }

        #[inline(always)]
        unsafe fn masks<B: Bools, const N: usize>(test: impl Fn(usize) -> [bool; N]) -> [u64; N] {
            // SAFETY: the caller promises this.
            unsafe {
                match B::BITS {
                    16 => collect(test).map(|bools| Self::mask_of_words(&bools)),
                    32 => collect(test).map(|bools| Self::mask_of_dwords(&bools)),
                    _ => collect(test).map(|bools| Self::mask_of_qwords(&bools)),
                }
            }
        }
    }

    impl Avx2 {
        #[inline]
        #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt,fma,f16c")]
        unsafe fn mask_of_words(words: &[u16; LANES]) -> u64 {
            let words: [__m256i; 4] = cast(*words);
            // Groups of four lanes have the order 0, 2, 4, 6, 1, 3, 5, 7 after packing.
            let lane_order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
            let [low, high] = [0, 2].map(|i| {
                let bytes = _mm256_packs_epi16(words[i], words[i + 1]);
                u64::from(_mm256_movemask_epi8(_mm256_permutevar8x32_epi32(bytes, lane_order)) as u32)
            });
            low | high << 32
        }

        #[inline]
        #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt,fma,f16c")]
        unsafe fn mask_of_dwords(dwords: &[u32; LANES]) -> u64 {
            let dwords: [__m256i; 8] = cast(*dwords);
            let words: [__m256i; 4] = from_fn(|i| _mm256_packs_epi32(dwords[2 * i], dwords[2 * i + 1]));
            // SAFETY: the CPU has the features of this function.
            unsafe { Self::mask_of_words(&cast(words)) }
        }

        #[inline]
        #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt,fma,f16c")]
        unsafe fn mask_of_qwords(qwords: &[u64; LANES]) -> u64 {
            let qwords: [[__m256i; 2]; 8] = cast(*qwords);
            let dwords = qwords.map(|pair| {
                // The shuffle takes half of each number, in the order of lanes.
                let [first, second] = pair.map(|x| _mm256_castsi256_ps(x));
                _mm256_castps_si256(_mm256_shuffle_ps::<0b10_00_10_00>(first, second))
            });
            // SAFETY: the CPU has the features of this function.
            unsafe { Self::mask_of_dwords(&cast(dwords)) }
        }
    }

    /// AVX-512 F, BW, CD, DQ and VL, and all of [`Avx2`].
    pub(crate) struct Avx512;

    impl Simd for Avx512 {
        #[inline]
        #[target_feature(enable = "avx512f,avx512bw,avx512cd,avx512dq,avx512vl,bmi1,bmi2,lzcnt,popcnt,fma,f16c")]
        unsafe fn write(dst: *mut u32, new: &Chunk, lanes: u16) {
            // SAFETY: 16 dwords each; the caller's are 64-byte aligned.
            unsafe {
                let new = _mm512_loadu_si512(new.as_ptr().cast());
                let mut whole = _mm512_mask_mov_epi32(_mm512_load_si512(dst.cast()), lanes, new);
                // Without this the compiler makes a masked store, which is not forwarded to the next load: then it
                // takes 6.5 ns instead of 3.4 from one instruction to the next.
                std::arch::asm!("/* {0} */", inout(zmm_reg) whole, options(pure, nomem, nostack, preserves_flags));
                _mm512_store_si512(dst.cast(), whole);
            }
        }

        #[inline]
        #[target_feature(enable = "avx512f,avx512bw,avx512cd,avx512dq,avx512vl,bmi1,bmi2,lzcnt,popcnt,fma,f16c")]
        unsafe fn bits(bools: &Chunk) -> u16 {
            // SAFETY: 16 dwords.
            let bools = unsafe { _mm512_loadu_si512(bools.as_ptr().cast()) };
            _mm512_test_epi32_mask(bools, bools)
        }

        #[inline]
        #[target_feature(enable = "avx512f,avx512bw,avx512cd,avx512dq,avx512vl,bmi1,bmi2,lzcnt,popcnt,fma,f16c")]
        unsafe fn words<const HIGH: bool>(dwords: &[u32; LANES]) -> [u16; LANES] {
            let dwords: [__m512i; 4] = cast(*dwords);
            let indices: __m512i = cast(
                const {
                    let mut indices = [0; 32];
                    let mut i = 0;
                    while i < 32 {
                        indices[i] = 2 * i as u16 + HIGH as u16;
                        i += 1;
                    }
                    indices
                },
            );
            cast([0, 2].map(|i| _mm512_permutex2var_epi16(dwords[i], indices, dwords[i + 1])))
        }

        #[inline]
        #[target_feature(enable = "avx512f,avx512bw,avx512cd,avx512dq,avx512vl,bmi1,bmi2,lzcnt,popcnt,fma,f16c")]
        unsafe fn qwords(dwords: [&[u32; LANES]; 2]) -> [u64; LANES] {
            let [lo, hi] = dwords.map(|dwords| cast::<_, [__m512i; 4]>(*dwords));
            // First lanes 0, 1, 4, 5, 8, 9 and so on, then the lanes between.
            let first: [__m512i; 4] = from_fn(|i| _mm512_unpacklo_epi32(lo[i], hi[i]));
            let second: [__m512i; 4] = from_fn(|i| _mm512_unpackhi_epi32(lo[i], hi[i]));
            cast([first, second])
        }

        #[inline]
        #[target_feature(enable = "avx512f,avx512bw,avx512cd,avx512dq,avx512vl,bmi1,bmi2,lzcnt,popcnt,fma,f16c")]
        unsafe fn look_up(table: &[u16; 32], index: impl Fn(usize) -> u16) -> Option<[u16; LANES]> {
            let (table, indices): (__m512i, [__m512i; 2]) = (cast(*table), cast(from_fn::<u16, LANES, _>(index)));
            Some(cast(indices.map(|indices| _mm512_permutexvar_epi16(indices, table))))
        }

        #[inline(always)]
        unsafe fn masks<B: Bools, const N: usize>(test: impl Fn(usize) -> [bool; N]) -> [u64; N] {
            // SAFETY: the caller promises this.
            unsafe {
                match B::BITS {
                    16 => collect(test).map(|bools| Self::mask_of_words(&bools)),
                    32 => collect(test).map(|bools| Self::mask_of_dwords(&bools)),
                    _ => collect(test).map(|bools| Self::mask_of_qwords(&bools)),
                }
            }
        }
    }

    impl Avx512 {
        #[inline]
        #[target_feature(enable = "avx512f,avx512bw,avx512cd,avx512dq,avx512vl,bmi1,bmi2,lzcnt,popcnt,fma,f16c")]
        unsafe fn mask_of_words(words: &[u16; LANES]) -> u64 {
            let [low, high] = cast::<_, [__m512i; 2]>(*words).map(|x| _mm512_movepi16_mask(x).into());
            _mm512_kunpackd(high, low)
        }

        #[inline]
        #[target_feature(enable = "avx512f,avx512bw,avx512cd,avx512dq,avx512vl,bmi1,bmi2,lzcnt,popcnt,fma,f16c")]
        unsafe fn mask_of_dwords(dwords: &[u32; LANES]) -> u64 {
            let masks = cast::<_, [__m512i; 4]>(*dwords).map(|x| _mm512_movepi32_mask(x).into());
            let [low, high] = [0, 2].map(|i| _mm512_kunpackw(masks[i + 1], masks[i]).into());
            _mm512_kunpackd(high, low)
        }

        #[inline]
        #[target_feature(enable = "avx512f,avx512bw,avx512cd,avx512dq,avx512vl,bmi1,bmi2,lzcnt,popcnt,fma,f16c")]
        unsafe fn mask_of_qwords(qwords: &[u64; LANES]) -> u64 {
            let [first, second] = cast::<_, [[__m512i; 4]; 2]>(*qwords).map(|qwords| {
                let masks = qwords.map(|x| _mm512_movepi64_mask(x).into());
                let [low, high] = [0, 2].map(|i| _mm512_kunpackb(masks[i + 1], masks[i]).into());
                u64::from(_mm512_kunpackw(high, low))
            });
            _pdep_u64(first, 0x3333_3333_3333_3333) | _pdep_u64(second, 0xcccc_cccc_cccc_cccc)
        }
    }
}
