//! [`Host`] with AVX2. Guest memory is reached by inline assembly (see [`super`]), up to eight dwords at a time.
//!
//! There are no gathers: on many processors they are slower than loads of single elements, which they are here.

mod functions;
mod moves;

use std::arch::x86_64::*;

use gcnsim_isa::{LANES, Vgpr};

use super::lanes::{self, each_lane, expanded, lanes_of};
use super::{Bools, Chunk, Doubles, Env, Host, Lanes, cast, collect, proven};
use moves::{
    read_bytes, read_dwords, read_each_byte, read_each_short, read_eight, read_halves, read_masked, read_pairs,
    read_shorts, write_bytes, write_eight, write_four, write_three,
};

/// The level AVX2, and what came with it: FMA, F16C, BMI, LZCNT, POPCNT.
#[derive(Clone, Copy)]
pub(crate) struct Avx2(());

impl Avx2 {
    /// The level.
    ///
    /// # Safety
    /// The CPU has it.
    #[inline(always)]
    pub(crate) unsafe fn new() -> Avx2 {
        Avx2(())
    }
}

/// Number of chunks of eight lanes.
const CHUNKS: usize = LANES / 8;

/// Runs a body for each chunk, with the elements of its lanes: `N` dwords at the distances `at` from `from`. Those of
/// lanes outside `mask` are undefined. It is a macro because a closure might not be inlined.
macro_rules! each_chunk {
    ($N:ident, $from:expr, $at:expr, $mask:expr, $readable:expr, |$n:ident, $elements:ident| $body:expr) => {
        if $mask != !0 {
            let mut of_mask = [0; LANES];
            let at = readable_places($at, $readable, &mut of_mask);
            for $n in 0..CHUNKS {
                let $elements = gather_chunk::<$N>($from, at, $n);
                $body;
            }
        } else if is_regular::<$N>($at) {
            for $n in 0..CHUNKS {
                let $elements = load_chunk::<$N>($from, $at, $n);
                $body;
            }
        } else {
            for $n in 0..CHUNKS {
                let $elements = gather_chunk::<$N>($from, $at, $n);
                $body;
            }
        }
    };
}

impl Host for Avx2 {
    proven! {}

    #[inline(always)]
    fn f16_keys(self, words: &[u16; LANES]) -> [i16; LANES] {
        // SAFETY: `self` proves that the CPU has the features.
        unsafe { functions::f16_keys(words) }
    }

    #[inline(always)]
    unsafe fn gather<const N: usize>(self, to: &mut [Vgpr; N], from: *const u8, at: &Lanes, mask: u64, readable: u64) {
        // SAFETY: the caller's promise.
        unsafe {
            each_chunk!(N, from, at, mask, readable, |n, elements| {
                for k in 0..N {
                    let old = chunk(&to[k].0, n);
                    let new = elements[k];
                    let value = if mask == !0 { new } else { _mm256_blendv_epi8(old, new, active(mask, n)) };
                    set_chunk(&mut to[k].0, n, value, !0);
                }
            });
        }
    }

    #[inline(always)]
    unsafe fn scatter<const N: usize>(self, to: *mut u8, at: &Lanes, from: [&Lanes; N], mask: u64, _: u64) {
        // SAFETY: the caller's promise.
        unsafe {
            let place = |lane: usize| to.wrapping_add(at[lane] as usize);
            if N > 2 && mask == !0 {
                for n in 0..CHUNKS {
                    let halves = transposed(chunks(from, n));
                    for (lane, half) in (8 * n..8 * n + 4).zip(halves) {
                        write_wide::<N>(place(lane), _mm256_castsi256_si128(half));
                    }
                    for (lane, half) in (8 * n + 4..8 * n + 8).zip(halves) {
                        write_wide::<N>(place(lane), _mm256_extracti128_si256::<1>(half));
                    }
                }
            } else {
                each_lane!(mask, lane, { super::write::<N>(place(lane), super::element(from, lane)) });
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
            let mut different = _mm256_setzero_si256();
            each_chunk!(N, from, at, mask, readable, |n, elements| {
                for k in 0..N {
                    different = or_different(different, elements[k], chunk(values[k], n), mask, n);
                }
            });
            is_zero(different)
        }
    }

    #[inline(always)]
    unsafe fn load_elements<const N: usize>(self, to: &mut [Vgpr; N], from: *const u8, mask: u64) {
        // SAFETY: the caller's promise.
        unsafe {
            if N == 1 {
                for n in 0..CHUNKS {
                    let (from, lanes) = (from.wrapping_add(32 * n), part(mask, n));
                    let value = if lanes == !0 { read_eight(from) } else { read_masked(from, active(mask, n)) };
                    set_chunk(&mut to[0].0, n, value, lanes);
                }
            } else if N == 2 && mask == !0 {
                for n in 0..CHUNKS {
                    let [even, odd] = read_two(from.wrapping_add(64 * n));
                    set_chunk(&mut to[0].0, n, even, !0);
                    set_chunk(&mut to[1].0, n, odd, !0);
                }
            } else {
                let steps = lanes_of!(lane => (4 * N * lane) as u32);
                self.gather::<N>(to, from, &steps, mask, mask);
            }
        }
    }

    #[inline(always)]
    unsafe fn store_elements<const N: usize>(self, to: *mut u8, from: [&Lanes; N], mask: u64) {
        // SAFETY: the caller's promise.
        unsafe {
            for n in 0..CHUNKS {
                let lanes = part(mask, n);
                let first = to.wrapping_add(32 * N * n);
                if lanes != !0 {
                    let mut rest = lanes;
                    while rest != 0 {
                        let lane = rest.trailing_zeros() as usize;
                        super::write::<N>(first.wrapping_add(4 * N * lane), super::element(from, 8 * n + lane));
                        rest &= rest - 1;
                    }
                    continue;
                }
                let registers = chunks(from, n);
                if N == 1 {
                    write_eight(first, registers[0]);
                } else if N == 2 {
                    let low = _mm256_unpacklo_epi32(registers[0], registers[1]);
                    let high = _mm256_unpackhi_epi32(registers[0], registers[1]);
                    write_eight(first, _mm256_permute2x128_si256::<0x20>(low, high));
                    write_eight(first.wrapping_add(32), _mm256_permute2x128_si256::<0x31>(low, high));
                } else {
                    for (lane, half) in transposed(registers).into_iter().enumerate() {
                        write_wide::<N>(first.wrapping_add(4 * N * lane), _mm256_castsi256_si128(half));
                        write_wide::<N>(first.wrapping_add(4 * N * (lane + 4)), _mm256_extracti128_si256::<1>(half));
                    }
                }
            }
        }
    }

    #[inline(always)]
    unsafe fn load_parts<const BYTES: usize>(self, from: *const u8, mask: u64) -> Lanes {
        let mut values = [0; LANES];
        // SAFETY: the caller promises the active lanes' bytes.
        unsafe {
            for n in 0..CHUNKS {
                let (lanes, from) = (part(mask, n), from.wrapping_add(8 * BYTES * n));
                if lanes == !0 {
                    let value = if BYTES == 1 { read_bytes(from) } else { read_shorts(from) };
                    set_chunk(&mut values, n, value, !0);
                } else {
                    for lane in lanes::lanes(lanes as u64) {
                        values[8 * n + lane] = super::read_part::<BYTES>(from.wrapping_add(BYTES * lane));
                    }
                }
            }
        }
        values
    }

    #[inline(always)]
    unsafe fn gather_parts<const BYTES: usize>(self, from: *const u8, at: &Lanes, mask: u64, readable: u64) -> Lanes {
        let mut values = [0; LANES];
        if mask == 0 {
            return values;
        }
        // SAFETY: the caller's promise.
        unsafe {
            let mut of_mask = [0; LANES];
            let at = readable_places(at, readable, &mut of_mask);
            for n in 0..CHUNKS {
                let mut places = [0; 8];
                for (lane, to) in places.iter_mut().enumerate() {
                    *to = at[8 * n + lane] as usize;
                }
                let value = if BYTES == 1 { read_each_byte(from, places) } else { read_each_short(from, places) };
                set_chunk(&mut values, n, value, !0);
            }
        }
        values
    }

    #[inline(always)]
    unsafe fn store_parts<const BYTES: usize>(self, to: *mut u8, from: &Lanes, mask: u64) {
        // SAFETY: the caller promises the active lanes' bytes.
        unsafe {
            for n in 0..CHUNKS {
                let (lanes, to) = (part(mask, n), to.wrapping_add(8 * BYTES * n));
                if lanes == !0 {
                    let bits = _mm256_set1_epi32((1 << (8 * BYTES)) - 1);
                    let value = _mm256_and_si256(chunk(from, n), bits);
                    let half = _mm256_extracti128_si256::<1>(value);
                    let shorts = _mm_packus_epi32(_mm256_castsi256_si128(value), half);
                    if BYTES == 1 { write_bytes(to, _mm_packus_epi16(shorts, shorts)) } else { write_four(to, shorts) }
                } else {
                    for lane in lanes::lanes(lanes as u64) {
                        super::write_part::<BYTES>(to.wrapping_add(BYTES * lane), from[8 * n + lane]);
                    }
                }
            }
        }
    }
}

/// The bits of chunk `n` of a mask.
fn part(mask: u64, n: usize) -> u8 {
    (mask >> (8 * n)) as u8
}

/// All ones in the lanes of chunk `n` of `mask`.
#[inline]
#[target_feature(enable = "avx2")]
fn active(mask: u64, n: usize) -> __m256i {
    let bits = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
    _mm256_cmpeq_epi32(_mm256_and_si256(_mm256_set1_epi32(part(mask, n) as i32), bits), bits)
}

/// The bits of `different`, and those in which `a` and `b` differ in the lanes of chunk `n` of `mask`.
#[inline]
#[target_feature(enable = "avx2")]
fn or_different(different: __m256i, a: __m256i, b: __m256i, mask: u64, n: usize) -> __m256i {
    let bits = _mm256_xor_si256(a, b);
    _mm256_or_si256(different, if mask == !0 { bits } else { _mm256_and_si256(bits, active(mask, n)) })
}

#[inline]
#[target_feature(enable = "avx2")]
fn is_zero(value: __m256i) -> bool {
    _mm256_testz_si256(value, value) != 0
}

/// Chunk `n` of a register: eight lanes.
#[inline]
#[target_feature(enable = "avx2")]
fn chunk(values: &Lanes, n: usize) -> __m256i {
    cast(values.as_chunks::<8>().0[n])
}

/// Chunk `n` of up to four registers.
#[inline]
#[target_feature(enable = "avx2")]
fn chunks<const N: usize>(from: [&Lanes; N], n: usize) -> [__m256i; 4] {
    let mut registers = [_mm256_setzero_si256(); 4];
    for k in 0..N {
        registers[k] = chunk(from[k], n);
    }
    registers
}

/// Replaces `lanes` of a chunk. The whole chunk is written, because a partial write is slow to read back.
///
/// # Safety
/// The CPU has the level.
#[inline(always)]
unsafe fn set_chunk(values: &mut Lanes, n: usize, value: __m256i, lanes: u8) {
    let value = match lanes {
        u8::MAX => value,
        // SAFETY: the caller's promise.
        _ => unsafe { _mm256_blendv_epi8(chunk(values, n), value, active(lanes as u64, 0)) },
    };
    values.as_chunks_mut::<8>().0[n] = cast(value);
}

/// Places that may be read, by lane. Lanes outside `mask`, which is not empty, have the place of its first lane.
/// Uses `room` unless the mask is full.
#[inline(always)]
fn readable_places<'a>(at: &'a Lanes, mask: u64, room: &'a mut Lanes) -> &'a Lanes {
    if mask == !0 {
        return at;
    }
    let (first, active) = (at[mask.trailing_zeros() as usize % LANES], expanded(mask));
    *room = lanes_of!(lane => if active[lane] == 0 { first } else { at[lane] });
    room
}

/// Transposes four by four dwords in each half of four registers.
#[inline]
#[target_feature(enable = "avx2")]
fn transposed([a, b, c, d]: [__m256i; 4]) -> [__m256i; 4] {
    let [low, high] = [_mm256_unpacklo_epi32(a, b), _mm256_unpackhi_epi32(a, b)];
    let [next_low, next_high] = [_mm256_unpacklo_epi32(c, d), _mm256_unpackhi_epi32(c, d)];
    [
        _mm256_unpacklo_epi64(low, next_low),
        _mm256_unpackhi_epi64(low, next_low),
        _mm256_unpacklo_epi64(high, next_high),
        _mm256_unpackhi_epi64(high, next_high),
    ]
}

/// Returns the even dwords of each half of two registers, then the odd ones.
#[inline]
#[target_feature(enable = "avx2")]
fn split(a: __m256i, b: __m256i) -> [__m256i; 2] {
    let [a, b] = [_mm256_castsi256_ps(a), _mm256_castsi256_ps(b)];
    [_mm256_castps_si256(_mm256_shuffle_ps::<0x88>(a, b)), _mm256_castps_si256(_mm256_shuffle_ps::<0xdd>(a, b))]
}

/// Writes an element of three or four dwords to guest memory.
///
/// # Safety
/// The bytes are in a living backing or in LDS. The CPU has the level.
#[inline(always)]
unsafe fn write_wide<const N: usize>(to: *mut u8, value: __m128i) {
    // SAFETY: the caller's promise.
    unsafe { if N == 3 { write_three(to, value) } else { write_four(to, value) } }
}

/// Reads eight elements of two dwords, one behind the other.
///
/// # Safety
/// The bytes are in a living backing or in LDS. The CPU has the level.
#[inline(always)]
unsafe fn read_two(from: *const u8) -> [__m256i; 2] {
    // SAFETY: the caller's promise.
    unsafe {
        // Lanes 0, 1, 4, 5, then the others.
        let [even, odd] = split(read_eight(from), read_eight(from.wrapping_add(32)));
        [_mm256_permute4x64_epi64::<0b11_01_10_00>(even), _mm256_permute4x64_epi64::<0b11_01_10_00>(odd)]
    }
}

/// The distances of a chunk's places from that of its first lane.
#[inline]
#[target_feature(enable = "avx2")]
fn distances(at: __m256i) -> __m256i {
    _mm256_sub_epi32(at, _mm256_broadcastd_epi32(_mm256_castsi256_si128(at)))
}

/// Whether elements of `N` dwords at these distances are one after the other.
#[inline]
#[target_feature(enable = "avx2")]
fn are_neighbours<const N: usize>(distances: __m256i) -> bool {
    let step = 4 * N as i32;
    let steps = _mm256_setr_epi32(0, step, 2 * step, 3 * step, 4 * step, 5 * step, 6 * step, 7 * step);
    is_zero(_mm256_xor_si256(distances, steps))
}

/// Whether elements of `N` dwords of the first chunk are one after the other, or in one place. Then those of the other
/// chunks often are, too, as in groups with two dimensions.
#[inline]
#[target_feature(enable = "avx2")]
fn is_regular<const N: usize>(at: &Lanes) -> bool {
    let distances = distances(chunk(at, 0));
    is_zero(distances) || are_neighbours::<N>(distances)
}

/// Loads elements of `N` dwords at the places `at`, for the lanes of chunk `n`. The places may be neighbours or the
/// same.
///
/// # Safety
/// The bytes are in a living backing or in LDS. The CPU has the level.
#[inline(always)]
unsafe fn load_chunk<const N: usize>(from: *const u8, at: &Lanes, n: usize) -> [__m256i; N] {
    // SAFETY: the caller's promise.
    unsafe {
        let (distances, first) = (distances(chunk(at, n)), from.wrapping_add(at[8 * n] as usize));
        let is_row = are_neighbours::<N>(distances) && at[8 * n] <= u32::MAX - 32 * N as u32;
        let mut registers = [_mm256_setzero_si256(); N];
        if is_zero(distances) {
            let element = super::read::<N>(first);
            for k in 0..N {
                registers[k] = _mm256_set1_epi32(element[k] as i32);
            }
        } else if N == 1 && is_row {
            registers[0] = read_eight(first);
        } else if N == 2 && is_row {
            registers.copy_from_slice(&read_two(first));
        } else {
            registers = gather_chunk::<N>(from, at, n);
        }
        registers
    }
}

/// Loads elements of `N` dwords at the places `at`, for the lanes of chunk `n`.
///
/// # Safety
/// The bytes are in a living backing or in LDS. The CPU has the level.
#[inline(always)]
unsafe fn gather_chunk<const N: usize>(from: *const u8, at: &Lanes, n: usize) -> [__m256i; N] {
    // SAFETY: the caller's promise.
    unsafe {
        let mut registers = [_mm256_setzero_si256(); N];
        let place = |lane: usize| at[8 * n + lane] as usize;
        if N == 4 {
            let mut rows = [_mm256_setzero_si256(); 4];
            for (lane, row) in rows.iter_mut().enumerate() {
                *row = read_halves(from, place(lane), place(lane + 4));
            }
            registers.copy_from_slice(&transposed(rows));
            return registers;
        }
        if N > 1 {
            let low = read_pairs(from, [place(0), place(1), place(4), place(5)]);
            let high = read_pairs(from, [place(2), place(3), place(6), place(7)]);
            registers[..2].copy_from_slice(&split(low, high));
        }
        if N % 2 == 1 {
            let mut places = [0; 8];
            for (lane, to) in places.iter_mut().enumerate() {
                *to = place(lane);
            }
            registers[N - 1] = read_dwords(from.wrapping_add(4 * (N - 1)), places);
        }
        registers
    }
}
