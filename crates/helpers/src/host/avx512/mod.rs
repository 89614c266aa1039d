//! [`Host`] with AVX-512. Guest memory is reached by inline assembly (see [`super`]), sixteen dwords at a time.

mod functions;
mod moves;
mod order;

use std::arch::x86_64::*;

use gcnsim_isa::{LANES, Vgpr};

use super::{Avx2, Bools, Chunk, Doubles, Env, Host, Lanes, cast, collect, proven};
use moves::{
    biased, gather_dwords, gather_pairs, read, read_all, read_bytes, read_shorts, scatter_dwords, scatter_pairs, write,
    write_all, write_bytes, write_shorts,
};
use order::{Order, STEPS, select, spread};

/// The level AVX-512 F, BW, CD, DQ and VL, and all of [`Avx2`].
#[derive(Clone, Copy)]
pub(crate) struct Avx512(Avx2);

impl Avx512 {
    /// The level.
    ///
    /// # Safety
    /// The CPU has it.
    #[inline(always)]
    pub(crate) unsafe fn new() -> Avx512 {
        // SAFETY: the caller's promise.
        Avx512(unsafe { Avx2::new() })
    }
}

/// The truth table of `a | (b ^ c)` for a ternary operation.
const OR_XOR: i32 = 0xf6;

impl Host for Avx512 {
    const LOOKS_UP: bool = true;

    proven! {}

    #[inline(always)]
    fn look_up(self, table: &[u16; 32], indices: &[u16; LANES]) -> [u16; LANES] {
        // SAFETY: `self` proves that the CPU has the features.
        unsafe { functions::look_up(table, indices) }
    }

    #[inline(always)]
    fn permuted(self, values: &Lanes, from: &Lanes, mask: u64) -> Lanes {
        // SAFETY: as above.
        unsafe { functions::permuted(values, from, mask) }
    }

    #[inline(always)]
    unsafe fn gather<const N: usize>(self, to: &mut [Vgpr; N], from: *const u8, at: &Lanes, mask: u64, readable: u64) {
        // SAFETY: the caller's promise.
        unsafe {
            if N == 1 && mask != !0 && !(readable == !0 && is_regular::<N>(chunk(at, 0))) {
                for n in 0..4 {
                    let values = gather_dwords(from.wrapping_add(BIAS), biased(chunk(at, n)), part(mask, n));
                    set_chunk(&mut to[0].0, n, values, part(mask, n));
                }
                return;
            }
            if readable != !0 || !is_regular::<N>(chunk(at, 0)) {
                return self.0.gather(to, from, at, mask, readable);
            }
            for n in 0..4 {
                let elements = load_chunk::<N>(from, chunk(at, n));
                for k in 0..N {
                    set_chunk(&mut to[k].0, n, elements[k], part(mask, n));
                }
            }
        }
    }

    #[inline(always)]
    unsafe fn scatter<const N: usize>(self, to: *mut u8, at: &Lanes, from: [&Lanes; N], mask: u64, readable: u64) {
        // SAFETY: the caller's promise.
        unsafe {
            if N > 2 {
                return self.0.scatter(to, at, from, mask, readable);
            }
            let in_rows = readable == !0 && is_row::<N>(chunk(at, 0));
            for n in 0..4 {
                let (at, lanes) = (chunk(at, n), part(mask, n));
                let mut registers = [_mm512_setzero_si512(); N];
                for k in 0..N {
                    registers[k] = chunk(from[k], n);
                }
                if in_rows && is_row::<N>(at) {
                    store_row(to.wrapping_add(first(at) as usize), registers, lanes);
                } else {
                    scatter_chunk::<N>(to, at, registers, lanes);
                }
            }
        }
    }

    #[inline(always)]
    unsafe fn holds<const N: usize>(
        self,
        from: *const u8,
        at: &Lanes,
        values: [&Lanes; N],
        mask: u64,
        readable: u64,
    ) -> bool {
        // SAFETY: the caller's promise.
        unsafe {
            if readable != !0 || !is_regular::<N>(chunk(at, 0)) {
                return self.0.holds(from, at, values, mask, readable);
            }
            let mut different = _mm512_setzero_si512();
            for n in 0..4 {
                let elements = load_chunk::<N>(from, chunk(at, n));
                for k in 0..N {
                    different = or_different(different, elements[k], chunk(values[k], n), mask, n);
                }
            }
            _mm512_test_epi32_mask(different, different) == 0
        }
    }

    #[inline(always)]
    unsafe fn load_elements<const N: usize>(self, to: &mut [Vgpr; N], from: *const u8, mask: u64) {
        // SAFETY: the caller's promise.
        unsafe {
            for n in 0..4 {
                let lanes = part(mask, n);
                let elements = load_row::<N>(from.wrapping_add(64 * N * n), if mask == !0 { !0 } else { lanes });
                for (register, value) in to.iter_mut().zip(elements) {
                    set_chunk(&mut register.0, n, value, if mask == !0 { !0 } else { lanes });
                }
            }
        }
    }

    #[inline(always)]
    unsafe fn store_elements<const N: usize>(self, to: *mut u8, from: [&Lanes; N], mask: u64) {
        // SAFETY: the caller's promise.
        unsafe {
            for n in 0..4 {
                let mut registers = [_mm512_setzero_si512(); N];
                for (value, register) in registers.iter_mut().zip(from) {
                    *value = chunk(register, n);
                }
                store_row(to.wrapping_add(64 * N * n), registers, if mask == !0 { !0 } else { part(mask, n) });
            }
        }
    }

    #[inline(always)]
    unsafe fn load_parts<const BYTES: usize>(self, from: *const u8, mask: u64) -> Lanes {
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

    #[inline(always)]
    unsafe fn gather_parts<const BYTES: usize>(self, from: *const u8, at: &Lanes, mask: u64, readable: u64) -> Lanes {
        // SAFETY: the caller's promise.
        unsafe { self.0.gather_parts::<BYTES>(from, at, mask, readable) }
    }

    #[inline(always)]
    unsafe fn store_parts<const BYTES: usize>(self, to: *mut u8, from: &Lanes, mask: u64) {
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
}

/// The bits of `different`, and those in which `a` and `b` differ in the lanes of chunk `n` of `mask`.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,bmi2")]
fn or_different(different: __m512i, a: __m512i, b: __m512i, mask: u64, n: usize) -> __m512i {
    if mask == !0 {
        _mm512_ternarylogic_epi32::<OR_XOR>(different, a, b)
    } else {
        _mm512_mask_ternarylogic_epi32::<OR_XOR>(different, part(mask, n), a, b)
    }
}

/// The bits of chunk `n` of a mask.
fn part(mask: u64, n: usize) -> u16 {
    (mask >> (16 * n)) as u16
}

/// Chunk `n` of a register: 16 lanes.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,bmi2")]
fn chunk(values: &Lanes, n: usize) -> __m512i {
    cast(values.as_chunks::<16>().0[n])
}

/// Replaces `lanes` of a chunk. The whole chunk is written, because a partial write is slow to read back.
///
/// # Safety
/// The CPU has the level.
#[inline(always)]
unsafe fn set_chunk(values: &mut Lanes, n: usize, value: __m512i, lanes: u16) {
    let value = match lanes {
        u16::MAX => value,
        // SAFETY: the caller's promise.
        _ => unsafe { _mm512_mask_mov_epi32(chunk(values, n), lanes, value) },
    };
    values.as_chunks_mut::<16>().0[n] = cast(value);
}

/// The offset in bytes that makes unsigned distances of 32 bits fit instructions with signed ones.
const BIAS: usize = 1 << 31;

/// Loads consecutive elements of `N` dwords for 16 lanes. Lanes outside the mask get undefined values.
///
/// # Safety
/// Those of the mask are in a living backing or in LDS. The CPU has the level.
#[inline(always)]
unsafe fn load_row<const N: usize>(from: *const u8, lanes: u16) -> [__m512i; N] {
    // SAFETY: the caller's promise.
    unsafe {
        let dwords = spread::<N>(lanes);
        let mut blocks = [_mm512_setzero_si512(); N];
        for (i, block) in blocks.iter_mut().enumerate() {
            let from = from.wrapping_add(64 * i);
            *block = if lanes == !0 { read_all(from) } else { read(from, (dwords >> (16 * i)) as u16) };
        }
        let mut registers = [_mm512_setzero_si512(); N];
        for (k, register) in registers.iter_mut().enumerate() {
            *register = select(&blocks, &Order::<N>::SPLIT[k]);
        }
        registers
    }
}

/// Stores consecutive elements of `N` dwords of 16 lanes.
///
/// # Safety
/// Those of the mask are in a living backing or in LDS. The CPU has the level.
#[inline(always)]
unsafe fn store_row<const N: usize>(to: *mut u8, registers: [__m512i; N], lanes: u16) {
    // SAFETY: the caller's promise.
    unsafe {
        let dwords = spread::<N>(lanes);
        for i in 0..N {
            let (to, value) = (to.wrapping_add(64 * i), select(&registers, &Order::<N>::JOIN[i]));
            if lanes == !0 { write_all(to, value) } else { write(to, value, (dwords >> (16 * i)) as u16) }
        }
    }
}

/// The place of a chunk's first lane.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,bmi2")]
fn first(at: __m512i) -> u32 {
    _mm512_cvtsi512_si32(at) as u32
}

/// Whether elements of `N` dwords at the places of 16 lanes are one after the other, or in one place. If those of
/// the first chunk are, those of the others often are, too, as in groups with two dimensions.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,bmi2")]
fn is_regular<const N: usize>(at: __m512i) -> bool {
    is_row::<N>(at) || is_one(at)
}

/// Whether elements of `N` dwords at the places of 16 lanes are one after the other. Places that wrap are not.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,bmi2")]
fn is_row<const N: usize>(at: __m512i) -> bool {
    let row = _mm512_add_epi32(_mm512_broadcastd_epi32(_mm512_castsi512_si128(at)), STEPS[4 * N][0].load());
    _mm512_cmpneq_epi32_mask(at, row) == 0 && first(at) <= u32::MAX - 64 * N as u32
}

/// Whether the places of 16 lanes are the same.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,bmi2")]
fn is_one(at: __m512i) -> bool {
    _mm512_cmpneq_epi32_mask(at, _mm512_broadcastd_epi32(_mm512_castsi512_si128(at))) == 0
}

/// Loads elements of `N` dwords for 16 lanes. Their places may be neighbours or the same.
///
/// # Safety
/// The bytes are in a living backing or in LDS. The CPU has the level.
#[inline(always)]
unsafe fn load_chunk<const N: usize>(from: *const u8, at: __m512i) -> [__m512i; N] {
    // SAFETY: the caller's promise.
    unsafe {
        let place = from.wrapping_add(first(at) as usize);
        if is_row::<N>(at) {
            load_row(place, !0)
        } else if is_one(at) {
            let element = super::read::<N>(place);
            let mut registers = [_mm512_setzero_si512(); N];
            for k in 0..N {
                registers[k] = _mm512_set1_epi32(element[k] as i32);
            }
            registers
        } else {
            gather_chunk::<N>(from, at)
        }
    }
}

/// Loads elements of `N` dwords for 16 lanes.
///
/// # Safety
/// The bytes are in a living backing or in LDS. The CPU has the level.
#[inline(always)]
unsafe fn gather_chunk<const N: usize>(from: *const u8, at: __m512i) -> [__m512i; N] {
    // SAFETY: the caller's promise.
    unsafe {
        let (from, at) = (from.wrapping_add(BIAS), biased(at));
        let mut registers = [_mm512_setzero_si512(); N];
        for pair in 0..N / 2 {
            let from = from.wrapping_add(8 * pair);
            let halves = [
                gather_pairs(from, _mm512_castsi512_si256(at), !0),
                gather_pairs(from, _mm512_extracti64x4_epi64::<1>(at), !0),
            ];
            registers[2 * pair] = select(&halves, &Order::<2>::SPLIT[0]);
            registers[2 * pair + 1] = select(&halves, &Order::<2>::SPLIT[1]);
        }
        if N % 2 == 1 {
            registers[N - 1] = gather_dwords(from.wrapping_add(4 * (N - 1)), at, !0);
        }
        registers
    }
}

/// Stores elements of one or two dwords of 16 lanes, in ascending order.
///
/// # Safety
/// Those of the mask are in a living backing or in LDS. The CPU has the level.
#[inline(always)]
unsafe fn scatter_chunk<const N: usize>(to: *mut u8, at: __m512i, registers: [__m512i; N], lanes: u16) {
    // SAFETY: the caller's promise.
    unsafe {
        let (to, at) = (to.wrapping_add(BIAS), biased(at));
        if N == 1 {
            return scatter_dwords(to, at, registers[0], lanes);
        }
        let dwords = [registers[0], registers[N - 1]];
        let (low, high) = (select(&dwords, &Order::<2>::JOIN[0]), select(&dwords, &Order::<2>::JOIN[1]));
        scatter_pairs(to, _mm512_castsi512_si256(at), low, lanes as u8);
        scatter_pairs(to, _mm512_extracti64x4_epi64::<1>(at), high, (lanes >> 8) as u8);
    }
}
