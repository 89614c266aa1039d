//! Operations on registers for AVX2.

use std::arch::x86_64::*;
use std::array::from_fn;

use gcnsim_isa::LANES;

use super::super::mxcsr::{DEFAULT, Room, float_function, floats, mxcsr};
use super::super::{CHUNK, Chunk, Doubles, Env, Lanes, cast};

#[inline]
#[target_feature(enable = "avx2")]
pub(super) unsafe fn write(dst: *mut u32, new: &Chunk, lanes: u16) {
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
#[target_feature(enable = "avx2")]
pub(super) fn bits(bools: &Chunk) -> u16 {
    let [low, high] = cast::<_, [__m256i; 2]>(*bools)
        .map(|half| _mm256_movemask_ps(_mm256_castsi256_ps(_mm256_slli_epi32::<31>(half))) as u16);
    low | high << 8
}

#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn words<const HIGH: bool>(dwords: &Lanes) -> [u16; LANES] {
    // Packing works in 128-bit halves: the first vector has lanes 0..4, 8..12, 4..8, 12..16, and so on.
    let dwords: [__m256i; 8] = cast(*dwords);
    let low =
        dwords.map(|x| if HIGH { _mm256_srli_epi32::<16>(x) } else { _mm256_and_si256(x, _mm256_set1_epi32(0xffff)) });
    cast::<[__m256i; 4], _>(from_fn(|i| _mm256_packus_epi32(low[2 * i], low[2 * i + 1])))
}

#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn qwords(dwords: [&Lanes; 2]) -> Doubles {
    // Of eight lanes the first vector has lanes 0, 1, 4, 5, the second the others.
    let [lo, hi] = dwords.map(|dwords| cast::<_, [__m256i; 8]>(*dwords));
    cast::<[[__m256i; 2]; 8], _>(from_fn(|i| {
        [_mm256_unpacklo_epi32(lo[i], hi[i]), _mm256_unpackhi_epi32(lo[i], hi[i])]
    }))
}

#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn f16_keys(words: &[u16; LANES]) -> [i16; LANES] {
    let words: [__m256i; 4] = cast(*words);
    cast(words.map(|x| _mm256_sign_epi16(_mm256_and_si256(x, _mm256_set1_epi16(0x7fff)), x)))
}

#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn mask_of_words(words: &[u16; LANES]) -> u64 {
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
#[target_feature(enable = "avx2")]
pub(super) fn mask_of_dwords(dwords: &Lanes) -> u64 {
    let dwords: [__m256i; 8] = cast(*dwords);
    let words: [__m256i; 4] = from_fn(|i| _mm256_packs_epi32(dwords[2 * i], dwords[2 * i + 1]));
    mask_of_words(&cast(words))
}

#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn mask_of_qwords(qwords: &[u64; LANES]) -> u64 {
    let qwords: [[__m256i; 2]; 8] = cast(*qwords);
    let dwords = qwords.map(|pair| {
        // The shuffle takes half of each number, in the order of lanes.
        let [first, second] = pair.map(|x| _mm256_castsi256_ps(x));
        _mm256_castps_si256(_mm256_shuffle_ps::<0b10_00_10_00>(first, second))
    });
    mask_of_dwords(&cast(dwords))
}

floats! { "avx2,fma,f16c" ymm_reg
["0,32,64,96,128,160,192,224"]
["0,32,64,96,128,160,192,224,256,288,320,352,384,416,448,480"]
"vroundps {u}, {t}, 9" "vcvtpd2ps {t:x}, ymmword ptr [{a}+\\off]" "vmovups [{o}+\\off/2], {t:x}" }
