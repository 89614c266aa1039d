//! [`Host`] with AVX2. Guest memory is reached by inline assembly (see [`super`]), up to eight dwords at a time.
//!
//! There are no gathers: on many processors they are slower than loads of single elements, which they are here.

mod moves;

use std::arch::x86_64::*;

use gcnsim_isa::{LANES, Vgpr};

use super::{Host, Lanes, Room, each_lane};
use moves::{
    read_bytes, read_dwords, read_each_byte, read_each_short, read_eight, read_halves, read_masked, read_pairs,
    read_shorts, write_bytes, write_eight, write_four, write_three,
};

/// The level AVX2 with BMI.
pub(crate) struct Avx2;

/// Number of chunks of eight lanes.
const CHUNKS: usize = LANES / 8;

/// The number of each lane.
const IOTA: Lanes = {
    let (mut numbers, mut lane) = ([0; LANES], 0);
    while lane < LANES {
        numbers[lane] = lane as u32;
        lane += 1;
    }
    numbers
};

impl Host for Avx2 {
    #[inline(always)]
    unsafe fn copy(to: *mut u8, from: *const u8, bytes: usize) {
        // SAFETY: the caller's promise.
        unsafe { super::moves::copy::<true>(to, from, bytes) }
    }

    #[inline(always)]
    unsafe fn is_ramp(values: &Lanes, first: u32, step: u32, mask: u64) -> bool {
        // SAFETY: the caller's promise.
        unsafe {
            let eight = _mm256_set1_epi32(8 * step as i32);
            let steps = _mm256_mullo_epi32(chunk(&IOTA, 0), _mm256_set1_epi32(step as i32));
            let mut ramp = _mm256_add_epi32(_mm256_set1_epi32(first as i32), steps);
            let mut different = _mm256_setzero_si256();
            for n in 0..CHUNKS {
                different = or_different(different, chunk(values, n), ramp, mask, n);
                ramp = _mm256_add_epi32(ramp, eight);
            }
            is_zero(different)
        }
    }

    #[inline(always)]
    unsafe fn are_equal(values: &Lanes, value: u32, mask: u64) -> bool {
        // SAFETY: the caller's promise.
        unsafe {
            let value = _mm256_set1_epi32(value as i32);
            let mut different = _mm256_setzero_si256();
            for n in 0..CHUNKS {
                different = or_different(different, chunk(values, n), value, mask, n);
            }
            is_zero(different)
        }
    }

    #[inline(always)]
    unsafe fn are_within(values: &Lanes, least: u32, span: u32, mask: u64) -> bool {
        // SAFETY: the caller's promise.
        unsafe {
            let least = _mm256_set1_epi32(least as i32);
            let mut greatest = _mm256_setzero_si256();
            for n in 0..CHUNKS {
                let above = _mm256_sub_epi32(chunk(values, n), least);
                greatest = _mm256_max_epu32(greatest, of_mask(above, mask, n));
            }
            let span = _mm256_set1_epi32(span as i32);
            is_zero(_mm256_xor_si256(_mm256_max_epu32(greatest, span), span))
        }
    }

    #[inline(always)]
    unsafe fn union(values: &Lanes, mask: u64) -> u32 {
        // SAFETY: the caller's promise.
        unsafe {
            let mut union = _mm256_setzero_si256();
            for n in 0..CHUNKS {
                union = _mm256_or_si256(union, of_mask(chunk(values, n), mask, n));
            }
            let half = _mm_or_si128(_mm256_castsi256_si128(union), _mm256_extracti128_si256::<1>(union));
            let pair = _mm_or_si128(half, _mm_unpackhi_epi64(half, half));
            let all = _mm_cvtsi128_si64(pair) as u64;
            (all | all >> 32) as u32
        }
    }

    #[inline(always)]
    unsafe fn are_ascending(values: &Lanes, bytes: u32) -> bool {
        // SAFETY: the caller's promise.
        unsafe {
            // Each lane's value in the lane below; the first lane's in the last.
            let below = _mm256_setr_epi32(1, 2, 3, 4, 5, 6, 7, 0);
            let mut moved = [_mm256_setzero_si256(); CHUNKS];
            for (n, value) in moved.iter_mut().enumerate() {
                *value = _mm256_permutevar8x32_epi32(chunk(values, n), below);
            }
            let (bytes, mut excess) = (_mm256_set1_epi32(bytes as i32), _mm256_setzero_si256());
            for n in 0..CHUNKS {
                let is_last = n + 1 == CHUNKS;
                let next = if is_last { moved[n] } else { _mm256_blend_epi32::<0x80>(moved[n], moved[n + 1]) };
                let more = _mm256_sub_epi32(_mm256_sub_epi32(next, chunk(values, n)), bytes);
                let more = if is_last { _mm256_blend_epi32::<0x80>(more, _mm256_setzero_si256()) } else { more };
                excess = _mm256_or_si256(excess, more);
            }
            _mm256_testz_si256(excess, _mm256_set1_epi32(!super::NEAR as i32)) != 0
        }
    }

    #[inline(always)]
    unsafe fn joined(values: &Lanes, step: u32) -> u64 {
        // SAFETY: the caller's promise.
        unsafe {
            let (step, mut joined) = (_mm256_set1_epi32(step as i32), 0);
            for n in 0..CHUNKS {
                let this = chunk(values, n);
                // The first lane has no lane before it; its bit is removed below.
                let before = match n {
                    0 => _mm256_permutevar8x32_epi32(this, _mm256_setr_epi32(0, 0, 1, 2, 3, 4, 5, 6)),
                    _ => _mm256_loadu_si256(values[8 * n - 1..8 * n + 7].as_ptr().cast()),
                };
                // A sum that wraps is less than `step`.
                let no_wrap = _mm256_cmpeq_epi32(_mm256_max_epu32(this, step), this);
                let is_behind = _mm256_cmpeq_epi32(this, _mm256_add_epi32(before, step));
                let is_same = _mm256_cmpeq_epi32(this, before);
                let lanes = _mm256_or_si256(_mm256_and_si256(is_behind, no_wrap), is_same);
                joined |= (_mm256_movemask_ps(_mm256_castsi256_ps(lanes)) as u64) << (8 * n);
            }
            joined & !1
        }
    }

    #[inline(always)]
    unsafe fn keep<'a>(lanes: &Lanes, room: &'a mut Room) -> &'a Lanes {
        // SAFETY: the room is as large; the caller's promise.
        unsafe {
            for n in 0..CHUNKS {
                _mm256_storeu_si256(room.as_mut_ptr().cast::<__m256i>().add(n), chunk(lanes, n));
            }
            room.assume_init_ref()
        }
    }

    #[inline(always)]
    unsafe fn gather<const N: usize>(to: &mut [Vgpr; N], from: *const u8, at: &Lanes, mask: u64, readable: u64) {
        // SAFETY: the caller's promise.
        unsafe {
            if mask != !0 {
                let mut of_mask = [0; LANES];
                let at = readable_places(at, readable, &mut of_mask);
                for n in 0..CHUNKS {
                    let (elements, active) = (gather_chunk::<N>(from, at, n), active(mask, n));
                    for k in 0..N {
                        let value = _mm256_blendv_epi8(chunk(&to[k].0, n), elements[k], active);
                        set_chunk(&mut to[k].0, n, value, !0);
                    }
                }
            } else if Avx2::is_regular::<N>(at) {
                for n in 0..CHUNKS {
                    let elements = load_chunk::<N>(from, at, n);
                    for k in 0..N {
                        set_chunk(&mut to[k].0, n, elements[k], !0);
                    }
                }
            } else {
                for n in 0..CHUNKS {
                    let elements = gather_chunk::<N>(from, at, n);
                    for k in 0..N {
                        set_chunk(&mut to[k].0, n, elements[k], !0);
                    }
                }
            }
        }
    }

    #[inline(always)]
    unsafe fn scatter<const N: usize>(to: *mut u8, at: &Lanes, from: [&Lanes; N], mask: u64, readable: u64) -> bool {
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
            !Avx2::are_ascending(at, 4 * N as u32) && !Avx2::holds::<N>(to, at, from, mask, readable)
        }
    }

    #[inline(always)]
    unsafe fn holds<const N: usize>(
        from: *const u8,
        at: &Lanes,
        values: [&Lanes; N],
        mask: u64,
        readable: u64,
    ) -> bool {
        // SAFETY: the caller's promise.
        unsafe {
            let mut different = _mm256_setzero_si256();
            if mask != !0 {
                let mut of_mask = [0; LANES];
                let at = readable_places(at, readable, &mut of_mask);
                for n in 0..CHUNKS {
                    let elements = gather_chunk::<N>(from, at, n);
                    for k in 0..N {
                        different = or_different(different, elements[k], chunk(values[k], n), mask, n);
                    }
                }
            } else if Avx2::is_regular::<N>(at) {
                for n in 0..CHUNKS {
                    let elements = load_chunk::<N>(from, at, n);
                    for k in 0..N {
                        different = or_different(different, elements[k], chunk(values[k], n), !0, n);
                    }
                }
            } else {
                for n in 0..CHUNKS {
                    let elements = gather_chunk::<N>(from, at, n);
                    for k in 0..N {
                        different = or_different(different, elements[k], chunk(values[k], n), !0, n);
                    }
                }
            }
            is_zero(different)
        }
    }

    #[inline(always)]
    unsafe fn load_elements<const N: usize>(to: &mut [Vgpr; N], from: *const u8, mask: u64) {
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
                let steps: Lanes = std::array::from_fn(|lane| (4 * N * lane) as u32);
                Avx2::gather::<N>(to, from, &steps, mask, mask);
            }
        }
    }

    #[inline(always)]
    unsafe fn store_elements<const N: usize>(to: *mut u8, from: [&Lanes; N], mask: u64) {
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
    unsafe fn load_parts<const BYTES: usize>(from: *const u8, mask: u64) -> Lanes {
        let mut values = [0; LANES];
        // SAFETY: the caller promises the active lanes' bytes.
        unsafe {
            for n in 0..CHUNKS {
                let (lanes, from) = (part(mask, n), from.wrapping_add(8 * BYTES * n));
                if lanes == !0 {
                    let value = if BYTES == 1 { read_bytes(from) } else { read_shorts(from) };
                    set_chunk(&mut values, n, value, !0);
                } else {
                    for lane in super::lanes(lanes as u64) {
                        values[8 * n + lane] = super::read_part::<BYTES>(from.wrapping_add(BYTES * lane));
                    }
                }
            }
        }
        values
    }

    #[inline(always)]
    unsafe fn gather_parts<const BYTES: usize>(from: *const u8, at: &Lanes, mask: u64, readable: u64) -> Lanes {
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
    unsafe fn store_parts<const BYTES: usize>(to: *mut u8, from: &Lanes, mask: u64) {
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
                    for lane in super::lanes(lanes as u64) {
                        super::write_part::<BYTES>(to.wrapping_add(BYTES * lane), from[8 * n + lane]);
                    }
                }
            }
        }
    }

    #[inline(always)]
    unsafe fn nonzero(values: &Lanes) -> u64 {
        // SAFETY: the caller's promise.
        unsafe {
            let mut zeros = 0;
            for n in 0..CHUNKS {
                let zero = _mm256_cmpeq_epi32(chunk(values, n), _mm256_setzero_si256());
                zeros |= (_mm256_movemask_ps(_mm256_castsi256_ps(zero)) as u64) << (8 * n);
            }
            !zeros
        }
    }
}

/// The bits of chunk `n` of a mask.
fn part(mask: u64, n: usize) -> u8 {
    (mask >> (8 * n)) as u8
}

/// All ones in the lanes of chunk `n` of `mask`.
///
/// # Safety
/// The CPU has AVX2.
#[inline(always)]
unsafe fn active(mask: u64, n: usize) -> __m256i {
    // SAFETY: the caller's promise.
    unsafe {
        let bits = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
        _mm256_cmpeq_epi32(_mm256_and_si256(_mm256_set1_epi32(part(mask, n) as i32), bits), bits)
    }
}

/// Returns `value` with 0 in the lanes of chunk `n` that `mask` does not have.
///
/// # Safety
/// The CPU has AVX2.
#[inline(always)]
unsafe fn of_mask(value: __m256i, mask: u64, n: usize) -> __m256i {
    // SAFETY: the caller's promise.
    if mask == !0 { value } else { unsafe { _mm256_and_si256(value, active(mask, n)) } }
}

/// The bits of `different`, and those in which `a` and `b` differ in the lanes of chunk `n` of `mask`.
///
/// # Safety
/// The CPU has AVX2.
#[inline(always)]
unsafe fn or_different(different: __m256i, a: __m256i, b: __m256i, mask: u64, n: usize) -> __m256i {
    // SAFETY: the caller's promise.
    unsafe { _mm256_or_si256(different, of_mask(_mm256_xor_si256(a, b), mask, n)) }
}

/// # Safety
/// The CPU has AVX2.
#[inline(always)]
unsafe fn is_zero(value: __m256i) -> bool {
    // SAFETY: the caller's promise.
    unsafe { _mm256_testz_si256(value, value) != 0 }
}

/// Chunk `n` of a register: eight lanes.
///
/// # Safety
/// The CPU has AVX2.
#[inline(always)]
unsafe fn chunk(values: &Lanes, n: usize) -> __m256i {
    // SAFETY: there are eight chunks.
    unsafe { _mm256_loadu_si256(values[8 * n..8 * n + 8].as_ptr().cast()) }
}

/// Chunk `n` of up to four registers.
///
/// # Safety
/// The CPU has AVX2.
#[inline(always)]
unsafe fn chunks<const N: usize>(from: [&Lanes; N], n: usize) -> [__m256i; 4] {
    // SAFETY: the caller's promise.
    unsafe {
        let mut registers = [_mm256_setzero_si256(); 4];
        for k in 0..N {
            registers[k] = chunk(from[k], n);
        }
        registers
    }
}

/// Replaces `lanes` of a chunk. The whole chunk is written, because a partial write is slow to read back.
///
/// # Safety
/// The CPU has AVX2.
#[inline(always)]
unsafe fn set_chunk(values: &mut Lanes, n: usize, value: __m256i, lanes: u8) {
    // SAFETY: the caller's promise; there are eight chunks.
    unsafe {
        let value = match lanes {
            u8::MAX => value,
            _ => _mm256_blendv_epi8(chunk(values, n), value, active(lanes as u64, 0)),
        };
        _mm256_storeu_si256(values[8 * n..8 * n + 8].as_mut_ptr().cast(), value);
    }
}

/// Places that may be read, by lane. Lanes outside `mask`, which is not empty, have the place of its first lane.
/// Uses `room` unless the mask is full.
///
/// # Safety
/// The CPU has AVX2.
#[inline(always)]
unsafe fn readable_places<'a>(at: &'a Lanes, mask: u64, room: &'a mut Lanes) -> &'a Lanes {
    if mask == !0 {
        return at;
    }
    // SAFETY: the caller's promise.
    unsafe {
        let first = _mm256_set1_epi32(at[mask.trailing_zeros() as usize % LANES] as i32);
        for n in 0..CHUNKS {
            set_chunk(room, n, _mm256_blendv_epi8(first, chunk(at, n), active(mask, n)), !0);
        }
    }
    room
}

/// Transposes four by four dwords in each half of four registers.
///
/// # Safety
/// The CPU has AVX2.
#[inline(always)]
unsafe fn transposed([a, b, c, d]: [__m256i; 4]) -> [__m256i; 4] {
    // SAFETY: the caller's promise.
    unsafe {
        let [low, high] = [_mm256_unpacklo_epi32(a, b), _mm256_unpackhi_epi32(a, b)];
        let [next_low, next_high] = [_mm256_unpacklo_epi32(c, d), _mm256_unpackhi_epi32(c, d)];
        [
            _mm256_unpacklo_epi64(low, next_low),
            _mm256_unpackhi_epi64(low, next_low),
            _mm256_unpacklo_epi64(high, next_high),
            _mm256_unpackhi_epi64(high, next_high),
        ]
    }
}

/// Returns the even dwords of each half of two registers, then the odd ones.
///
/// # Safety
/// The CPU has AVX2.
#[inline(always)]
unsafe fn split(a: __m256i, b: __m256i) -> [__m256i; 2] {
    // SAFETY: the caller's promise.
    unsafe {
        let [a, b] = [_mm256_castsi256_ps(a), _mm256_castsi256_ps(b)];
        [_mm256_castps_si256(_mm256_shuffle_ps::<0x88>(a, b)), _mm256_castps_si256(_mm256_shuffle_ps::<0xdd>(a, b))]
    }
}

/// Writes an element of three or four dwords to guest memory.
///
/// # Safety
/// The bytes are in a living backing or in LDS. The CPU has AVX2.
#[inline(always)]
unsafe fn write_wide<const N: usize>(to: *mut u8, value: __m128i) {
    // SAFETY: the caller's promise.
    unsafe { if N == 3 { write_three(to, value) } else { write_four(to, value) } }
}

/// Reads eight elements of two dwords, one behind the other.
///
/// # Safety
/// The bytes are in a living backing or in LDS. The CPU has AVX2.
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
///
/// # Safety
/// The CPU has AVX2.
#[inline(always)]
unsafe fn distances(at: __m256i) -> __m256i {
    // SAFETY: the caller's promise.
    unsafe { _mm256_sub_epi32(at, _mm256_broadcastd_epi32(_mm256_castsi256_si128(at))) }
}

/// Whether elements of `N` dwords at these distances are one after the other.
///
/// # Safety
/// The CPU has AVX2.
#[inline(always)]
unsafe fn are_neighbours<const N: usize>(distances: __m256i) -> bool {
    let step = 4 * N as i32;
    // SAFETY: the caller's promise.
    unsafe {
        let steps = _mm256_setr_epi32(0, step, 2 * step, 3 * step, 4 * step, 5 * step, 6 * step, 7 * step);
        is_zero(_mm256_xor_si256(distances, steps))
    }
}

impl Avx2 {
    /// Whether elements of `N` dwords of the first chunk are one after the other, or in one place. Then those of
    /// the other chunks often are, too, as in groups with two dimensions.
    ///
    /// # Safety
    /// The CPU has AVX2.
    #[inline(always)]
    pub(super) unsafe fn is_regular<const N: usize>(at: &Lanes) -> bool {
        // SAFETY: the caller's promise.
        unsafe {
            let distances = distances(chunk(at, 0));
            is_zero(distances) || are_neighbours::<N>(distances)
        }
    }
}

/// Loads elements of `N` dwords at the places `at`, for the lanes of chunk `n`. The places may be neighbours or the
/// same.
///
/// # Safety
/// The bytes are in a living backing or in LDS. The CPU has AVX2.
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
/// The bytes are in a living backing or in LDS. The CPU has AVX2.
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
