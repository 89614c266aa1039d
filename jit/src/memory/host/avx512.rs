//! [`Host`] with AVX-512. Guest memory is reached by inline assembly (see [`super`]), sixteen dwords at a time.

use std::arch::asm;
use std::arch::x86_64::*;

use gcnsim_isa::{LANES, Vgpr};

use super::{Host, Lanes};

/// AVX-512 F, BW and VL, and BMI2.
pub(in super::super) struct Avx512;

impl Host for Avx512 {
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,bmi2")]
    unsafe fn is_ramp(values: &Lanes, first: u32, step: u32, mask: u64) -> bool {
        let steps = _mm512_mullo_epi32(IOTA.load(), _mm512_set1_epi32(step as i32));
        let start = _mm512_add_epi32(steps, _mm512_set1_epi32(first as i32));
        let mut differing = 0;
        for n in 0..4 {
            let ramp = _mm512_add_epi32(start, _mm512_set1_epi32((16 * n as u32).wrapping_mul(step) as i32));
            differing |= _mm512_mask_cmpneq_epi32_mask(part(mask, n), chunk(values, n), ramp);
        }
        differing == 0
    }

    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,bmi2")]
    unsafe fn are_within(values: &Lanes, least: u32, span: u32, mask: u64) -> bool {
        let (least, span) = (_mm512_set1_epi32(least as i32), _mm512_set1_epi32(span as i32));
        let mut outside = 0;
        for n in 0..4 {
            let above = _mm512_sub_epi32(chunk(values, n), least);
            outside |= _mm512_mask_cmpgt_epu32_mask(part(mask, n), above, span);
        }
        outside == 0
    }

    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,bmi2")]
    unsafe fn union(values: &Lanes, mask: u64) -> u32 {
        let mut union = _mm512_setzero_si512();
        for n in 0..4 {
            union = _mm512_mask_or_epi32(union, part(mask, n), union, chunk(values, n));
        }
        _mm512_reduce_or_epi32(union) as u32
    }

    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,bmi2")]
    unsafe fn load_elements<const N: usize>(to: &mut [Vgpr; N], from: *const u8, mask: u64) {
        for n in 0..4 {
            let lanes = part(mask, n);
            let dwords = spread::<N>(lanes);
            let mut blocks = [_mm512_setzero_si512(); N];
            for (i, block) in blocks.iter_mut().enumerate() {
                let from = from.wrapping_add(64 * (N * n + i));
                // SAFETY: the caller promises the active lanes' dwords.
                *block = unsafe { read(from, (dwords >> (16 * i)) as u16) };
            }
            for (k, register) in to.iter_mut().enumerate() {
                let value = select(&blocks, &Order::<N>::SPLIT[k]);
                set_chunk(&mut register.0, n, value, lanes);
            }
        }
    }

    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,bmi2")]
    unsafe fn store_elements<const N: usize>(to: *mut u8, from: [&Lanes; N], mask: u64) {
        for n in 0..4 {
            let dwords = spread::<N>(part(mask, n));
            let mut registers = [_mm512_setzero_si512(); N];
            for (value, register) in registers.iter_mut().zip(from) {
                *value = chunk(register, n);
            }
            for i in 0..N {
                let value = select(&registers, &Order::<N>::JOIN[i]);
                let to = to.wrapping_add(64 * (N * n + i));
                // SAFETY: the caller promises the active lanes' dwords.
                unsafe { write(to, value, (dwords >> (16 * i)) as u16) };
            }
        }
    }

    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,bmi2")]
    unsafe fn load_parts<const BYTES: usize>(from: *const u8, mask: u64) -> Lanes {
        let mut values = [0; LANES];
        // SAFETY: the caller promises the active lanes' bytes.
        unsafe {
            if BYTES == 1 {
                let bytes = read_bytes(from, mask);
                let quarters = [
                    _mm512_extracti32x4_epi32::<0>(bytes),
                    _mm512_extracti32x4_epi32::<1>(bytes),
                    _mm512_extracti32x4_epi32::<2>(bytes),
                    _mm512_extracti32x4_epi32::<3>(bytes),
                ];
                for (n, quarter) in quarters.into_iter().enumerate() {
                    set_chunk(&mut values, n, _mm512_cvtepu8_epi32(quarter), !0);
                }
            } else {
                for half in 0..2 {
                    let shorts = read_shorts(from.wrapping_add(64 * half), (mask >> (32 * half)) as u32);
                    let low = _mm512_cvtepu16_epi32(_mm512_castsi512_si256(shorts));
                    let high = _mm512_cvtepu16_epi32(_mm512_extracti64x4_epi64::<1>(shorts));
                    set_chunk(&mut values, 2 * half, low, !0);
                    set_chunk(&mut values, 2 * half + 1, high, !0);
                }
            }
        }
        values
    }

    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,bmi2")]
    unsafe fn store_parts<const BYTES: usize>(to: *mut u8, from: &Lanes, mask: u64) {
        // SAFETY: the caller promises the active lanes' bytes.
        unsafe {
            for n in 0..4 {
                let to = to.wrapping_add(16 * BYTES * n);
                match BYTES {
                    1 => write_bytes(to, _mm512_cvtepi32_epi8(chunk(from, n)), part(mask, n)),
                    _ => write_shorts(to, _mm512_cvtepi32_epi16(chunk(from, n)), part(mask, n)),
                }
            }
        }
    }

    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,bmi2")]
    unsafe fn nonzero(values: &Lanes) -> u64 {
        let mut mask = 0;
        for n in 0..4 {
            let values = chunk(values, n);
            mask |= u64::from(_mm512_test_epi32_mask(values, values)) << (16 * n);
        }
        mask
    }

    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,bmi2")]
    unsafe fn permuted(values: &Lanes, from: &Lanes, mask: u64) -> Lanes {
        let mut sources = [_mm512_setzero_si512(); 4];
        for (n, source) in sources.iter_mut().enumerate() {
            *source = _mm512_maskz_mov_epi32(part(mask, n), chunk(values, n));
        }
        let mut result = [0; LANES];
        for n in 0..4 {
            let from = chunk(from, n);
            let low = _mm512_permutex2var_epi32(sources[0], from, sources[1]);
            let high = _mm512_permutex2var_epi32(sources[2], from, sources[3]);
            let is_high = _mm512_test_epi32_mask(from, _mm512_set1_epi32(32));
            set_chunk(&mut result, n, _mm512_mask_mov_epi32(low, is_high, high), !0);
        }
        result
    }
}

/// A number for each of 16 lanes.
#[repr(align(64))]
#[derive(Clone, Copy)]
struct Indices([u32; 16]);

/// The lanes' numbers.
const IOTA: Indices = Indices([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]);

impl Indices {
    #[inline]
    #[target_feature(enable = "avx512f")]
    fn load(&self) -> __m512i {
        // SAFETY: 64 bytes, aligned.
        unsafe { _mm512_load_si512(self.0.as_ptr().cast()) }
    }
}

/// Where dwords come from when 16 elements of `N` dwords become `N` registers, and back.
struct Order<const N: usize>;

impl<const N: usize> Order<N> {
    /// Of register k: dword k of each element.
    const SPLIT: [[Indices; N]; N] = {
        let mut tables = [[IOTA; N]; N];
        let mut k = 0;
        while k < N {
            let mut places = [0; 16];
            let mut lane = 0;
            while lane < 16 {
                places[lane] = N * lane + k;
                lane += 1;
            }
            tables[k] = steps(places);
            k += 1;
        }
        tables
    };

    /// Of the i-th 16 dwords of elements: each from the register of its number in the element.
    const JOIN: [[Indices; N]; N] = {
        let mut tables = [[IOTA; N]; N];
        let mut i = 0;
        while i < N {
            let mut places = [0; 16];
            let mut at = 0;
            while at < 16 {
                let dword = 16 * i + at;
                places[at] = dword % N * 16 + dword / N;
                at += 1;
            }
            tables[i] = steps(places);
            i += 1;
        }
        tables
    };
}

/// Indices for the steps of [`select`]: places are numbers of dwords among all sources.
const fn steps<const N: usize>(places: [usize; 16]) -> [Indices; N] {
    let mut steps = [IOTA; N];
    let mut step = 1;
    while step < N {
        let mut lane = 0;
        while lane < 16 {
            let (source, at) = (places[lane] / 16, (places[lane] % 16) as u32);
            if source == step {
                steps[step].0[lane] = 16 + at;
            } else if step == 1 && source == 0 {
                steps[step].0[lane] = at;
            }
            lane += 1;
        }
        step += 1;
    }
    steps
}

/// Sixteen dwords of `N` sources: a step for each but the first replaces those that it has.
#[inline]
#[target_feature(enable = "avx512f")]
fn select<const N: usize>(sources: &[__m512i; N], steps: &[Indices; N]) -> __m512i {
    let mut value = sources[0];
    for step in 1..N {
        value = _mm512_permutex2var_epi32(value, steps[step].load(), sources[step]);
    }
    value
}

/// The bits of chunk `n`.
fn part(mask: u64, n: usize) -> u16 {
    (mask >> (16 * n)) as u16
}

/// A bit for each dword of elements of `N` dwords.
#[inline]
#[target_feature(enable = "bmi2")]
fn spread<const N: usize>(lanes: u16) -> u64 {
    let first = [0xffff, 0x5555_5555, 0x2492_4924_9249, 0x1111_1111_1111_1111][N - 1];
    _pdep_u64(lanes.into(), first) * ((1 << N) - 1)
}

#[inline]
#[target_feature(enable = "avx512f")]
fn chunk(values: &Lanes, n: usize) -> __m512i {
    // SAFETY: there are four chunks.
    unsafe { _mm512_loadu_si512(values[16 * n..16 * n + 16].as_ptr().cast()) }
}

/// Replaces lanes of a chunk. All of it is written: what is written in parts is slow to read.
#[inline]
#[target_feature(enable = "avx512f")]
fn set_chunk(values: &mut Lanes, n: usize, value: __m512i, lanes: u16) {
    let value = if lanes == !0 { value } else { _mm512_mask_mov_epi32(chunk(values, n), lanes, value) };
    // SAFETY: there are four chunks.
    unsafe { _mm512_storeu_si512(values[16 * n..16 * n + 16].as_mut_ptr().cast(), value) }
}

macro_rules! reads {
    ($name:ident, $mask:ty, $instruction:literal) => {
        #[doc = concat!("Reads 64 bytes of guest memory by ", $instruction, "; 0 where the mask has no bit.")]
        ///
        /// # Safety
        /// The parts of the mask are in a living segment. The CPU has AVX-512 BW.
        #[inline]
        #[target_feature(enable = "avx512f,avx512bw")]
        unsafe fn $name(from: *const u8, mask: $mask) -> __m512i {
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

macro_rules! writes {
    ($name:ident, $value:ty, $register:ident, $instruction:literal) => {
        #[doc = concat!("Writes 16 numbers to guest memory by ", $instruction, ", those of the mask.")]
        ///
        /// # Safety
        /// They are in a living segment. The CPU has AVX-512 BW and VL.
        #[inline]
        #[target_feature(enable = "avx512f,avx512bw,avx512vl")]
        unsafe fn $name(to: *mut u8, value: $value, mask: u16) {
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
