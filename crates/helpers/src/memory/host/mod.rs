//! Guest memory as the host's instructions reach it: moves without checks, for [`fast`](super::fast).
//!
//! Other threads may write the same bytes at any time. So no access is one of Rust's: on x86-64 each is an instruction
//! in inline assembly, elsewhere an atomic access of [`Backing`](gcnsim_machine::Backing)'s kind, byte by byte.
#![allow(unsafe_code)]

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg_attr(not(target_arch = "x86_64"), path = "host/moves_portable.rs")]
mod moves;

use std::mem::MaybeUninit;

use gcnsim_isa::{LANES, Vgpr};

use super::lanes;
#[cfg(target_arch = "x86_64")]
pub(super) use avx2::Avx2;
#[cfg(target_arch = "x86_64")]
pub(super) use avx512::Avx512;
use moves::{read32, read64, write32, write64};

/// Runs a body for the lanes of a mask, in ascending order. It is a macro because closures and iterators would not
/// be inlined.
macro_rules! each_lane {
    ($mask:expr, $lane:ident, $body:block) => {
        if $mask == !0 {
            for $lane in 0..gcnsim_isa::LANES {
                $body
            }
        } else {
            let mut rest: u64 = $mask;
            while rest != 0 {
                let $lane = rest.trailing_zeros() as usize % gcnsim_isa::LANES;
                $body
                rest &= rest - 1;
            }
        }
    };
}

pub(super) use each_lane;

/// The values of an expression for all lanes. It is a macro because a closure might be called without the vector
/// instructions of the helper's level.
macro_rules! lanes_of {
    ($lane:ident => $value:expr) => {{
        let mut lanes = [0; gcnsim_isa::LANES];
        for $lane in 0..gcnsim_isa::LANES {
            lanes[$lane] = $value;
        }
        lanes
    }};
}

pub(super) use lanes_of;

/// A dword of each lane.
pub(super) type Lanes = [u32; LANES];

/// Room for a dword of each lane.
pub(super) type Room = MaybeUninit<Lanes>;

/// The largest difference of neighbouring lanes' values, without an element's size, with which 64 lanes do not
/// wrap.
const NEAR: u32 = (1 << 25) - 1;

/// Operations of the host's processor on all lanes at once.
///
/// Functions of an implementation are always inlined, into helpers for such processors: what the compiler does not
/// inline takes dwords of lanes through memory.
///
/// # Safety
/// All functions need a processor that has what the implementation says. Those with pointers need the elements of the
/// lanes of the mask in living backings or LDS, and of those of `readable`, which has all of the mask. Nothing else is
/// accessed.
pub(super) trait Host {
    /// Copies bytes, a multiple of 256, that do not overlap.
    unsafe fn copy(to: *mut u8, from: *const u8, bytes: usize);

    /// Whether the lanes of `mask` have the values `first + step * lane`. Steps are at most 16.
    #[inline(always)]
    unsafe fn is_ramp(values: &Lanes, first: u32, step: u32, mask: u64) -> bool {
        let mut different = 0;
        if mask == !0 {
            for (lane, value) in values.iter().enumerate() {
                different |= value ^ first.wrapping_add(step.wrapping_mul(lane as u32));
            }
        } else {
            let active = expanded(mask);
            for lane in 0..LANES {
                different |= (values[lane] ^ first.wrapping_add(step.wrapping_mul(lane as u32))) & active[lane];
            }
        }
        different == 0
    }

    /// Whether all lanes of `mask` have `value`.
    #[inline(always)]
    unsafe fn are_equal(values: &Lanes, value: u32, mask: u64) -> bool {
        // SAFETY: the caller's promise.
        unsafe { Self::are_within(values, value, 0, mask) }
    }

    /// Whether the values of the lanes of `mask` are at most `span` above `least`.
    #[inline(always)]
    unsafe fn are_within(values: &Lanes, least: u32, span: u32, mask: u64) -> bool {
        let (active, mut outside) = (expanded(mask), 0);
        for lane in 0..LANES {
            outside |= (values[lane].wrapping_sub(least) > span) as u32 & active[lane];
        }
        outside == 0
    }

    /// The union of the bits of the lanes of `mask`.
    #[inline(always)]
    unsafe fn union(values: &Lanes, mask: u64) -> u32 {
        let active = expanded(mask);
        (0..LANES).fold(0, |union, lane| union | values[lane] & active[lane])
    }

    /// Whether each lane's value is at least `bytes` above that of the lane before, and near it. Then elements of
    /// `bytes` bytes do not overlap, whatever the mask.
    #[inline(always)]
    unsafe fn are_ascending(values: &Lanes, bytes: u32) -> bool {
        let mut excess = 0;
        for lane in 1..LANES {
            excess |= values[lane].wrapping_sub(values[lane - 1]).wrapping_sub(bytes);
        }
        excess & !NEAR == 0
    }

    /// The lanes whose value is that of the lane before, or `step` more.
    #[inline(always)]
    unsafe fn joined(values: &Lanes, step: u32) -> u64 {
        (1..LANES).fold(0, |joined, lane| {
            let (before, this) = (values[lane - 1], values[lane]);
            joined | u64::from(this == before || before.checked_add(step) == Some(this)) << lane
        })
    }

    /// Copies the values of all lanes to `room`.
    #[inline(always)]
    unsafe fn keep<'a>(lanes: &Lanes, room: &'a mut Room) -> &'a Lanes {
        room.write(*lanes)
    }

    /// Loads elements of `N` dwords at the distances `at` from `from`. Lanes outside `mask` keep their values.
    #[inline(always)]
    unsafe fn gather<const N: usize>(to: &mut [Vgpr; N], from: *const u8, at: &Lanes, mask: u64, _readable: u64) {
        // SAFETY: the caller's promise; there is room for an element of each lane.
        unsafe {
            let mut elements = MaybeUninit::<[[u32; N]; LANES]>::uninit();
            let elements = elements.as_mut_ptr().cast::<u8>();
            each_lane!(mask, lane, {
                copy_element::<N>(elements.wrapping_add(4 * N * lane), from.wrapping_add(at[lane] as usize));
            });
            Self::load_elements::<N>(to, elements, mask);
        }
    }

    /// Loads numbers of one or two bytes at the distances `at` from `from`. Lanes outside `mask` get undefined values.
    #[inline(always)]
    unsafe fn gather_parts<const BYTES: usize>(from: *const u8, at: &Lanes, mask: u64, _readable: u64) -> Lanes {
        let mut values = [0; LANES];
        // SAFETY: the caller's promise.
        each_lane!(mask, lane, { values[lane] = unsafe { read_part::<BYTES>(from.wrapping_add(at[lane] as usize)) } });
        values
    }

    /// Stores elements of `N` dwords at the distances `at` from `to`, lane by lane, in ascending order. Returns
    /// whether another lane has overwritten one.
    #[inline(always)]
    unsafe fn scatter<const N: usize>(to: *mut u8, at: &Lanes, from: [&Lanes; N], mask: u64, readable: u64) -> bool {
        // SAFETY: the caller's promise.
        unsafe {
            each_lane!(mask, lane, { write::<N>(to.wrapping_add(at[lane] as usize), element(from, lane)) });
            !Self::are_ascending(at, 4 * N as u32) && !Self::holds::<N>(to, at, from, mask, readable)
        }
    }

    /// Whether the elements of `N` dwords at the distances `at` from `from` equal those of registers.
    #[inline(always)]
    unsafe fn holds<const N: usize>(
        from: *const u8,
        at: &Lanes,
        values: [&Lanes; N],
        mask: u64,
        _readable: u64,
    ) -> bool {
        let mut different = 0;
        // SAFETY: the caller's promise.
        unsafe {
            each_lane!(mask, lane, {
                let found = read::<N>(from.wrapping_add(at[lane] as usize));
                let wanted = element(values, lane);
                for k in 0..N {
                    different |= found[k] ^ wanted[k];
                }
            });
        }
        different == 0
    }

    /// Loads consecutive elements of `N` dwords. Lanes outside `mask` keep their values.
    #[inline(always)]
    unsafe fn load_elements<const N: usize>(to: &mut [Vgpr; N], from: *const u8, mask: u64) {
        // SAFETY: the caller's promise.
        unsafe {
            if let (true, [register]) = (mask == !0, &mut to[..]) {
                Self::copy(register.0.as_mut_ptr().cast(), from, size_of_val(register));
            } else if mask == !0 {
                let mut elements = [[0; N]; LANES];
                Self::copy(elements.as_mut_ptr().cast(), from, size_of_val(&elements));
                for (k, register) in to.iter_mut().enumerate() {
                    register.0 = lanes_of!(lane => elements[lane][k]);
                }
            } else {
                for lane in lanes(mask) {
                    let element = read::<N>(from.wrapping_add(4 * N * lane));
                    to.iter_mut().zip(element).for_each(|(register, value)| register.0[lane] = value);
                }
            }
        }
    }

    /// Stores consecutive elements of `N` dwords.
    #[inline(always)]
    unsafe fn store_elements<const N: usize>(to: *mut u8, from: [&Lanes; N], mask: u64) {
        // SAFETY: the caller's promise.
        unsafe {
            if let (true, [register]) = (mask == !0, &from[..]) {
                Self::copy(to, register.as_ptr().cast(), size_of_val(*register));
            } else if mask == !0 {
                // A loop would be slower here.
                let elements: [[u32; N]; LANES] = std::array::from_fn(|lane| std::array::from_fn(|k| from[k][lane]));
                Self::copy(to, elements.as_ptr().cast(), size_of_val(&elements));
            } else {
                for lane in lanes(mask) {
                    write(to.wrapping_add(4 * N * lane), element(from, lane));
                }
            }
        }
    }

    /// Loads consecutive numbers of one or two bytes. Lanes outside `mask` have undefined values.
    #[inline(always)]
    unsafe fn load_parts<const BYTES: usize>(from: *const u8, mask: u64) -> Lanes {
        let mut values = [0; LANES];
        for lane in lanes(mask) {
            // SAFETY: the caller's promise.
            values[lane] = unsafe { read_part::<BYTES>(from.wrapping_add(BYTES * lane)) };
        }
        values
    }

    /// Stores the lowest one or two bytes of the lanes of `mask` as consecutive numbers.
    #[inline(always)]
    unsafe fn store_parts<const BYTES: usize>(to: *mut u8, from: &Lanes, mask: u64) {
        for lane in lanes(mask) {
            // SAFETY: the caller's promise.
            unsafe { write_part::<BYTES>(to.wrapping_add(BYTES * lane), from[lane]) };
        }
    }

    /// The lanes whose value is not 0, as a mask.
    #[inline(always)]
    unsafe fn nonzero(values: &Lanes) -> u64 {
        (0..LANES).fold(0, |mask, lane| mask | u64::from(values[lane] != 0) << lane)
    }

    /// The value of another lane for each lane: the low bits of `from` are its number. A lane outside `mask` gives
    /// 0.
    #[inline(always)]
    unsafe fn permuted(values: &Lanes, from: &Lanes, mask: u64) -> Lanes {
        let active = expanded(mask);
        let seen: Lanes = lanes_of!(lane => values[lane] & active[lane]);
        lanes_of!(lane => seen[from[lane] as usize % LANES])
    }
}

/// The level that is plain code, compiled for the target's baseline.
pub(super) struct Baseline;

impl Host for Baseline {
    #[inline(always)]
    unsafe fn copy(to: *mut u8, from: *const u8, bytes: usize) {
        // SAFETY: the caller's promise.
        unsafe { moves::copy::<false>(to, from, bytes) }
    }
}

/// The dwords of `lane` in registers.
#[inline(always)]
fn element<const N: usize>(registers: [&Lanes; N], lane: usize) -> [u32; N] {
    let mut element = [0; N];
    for k in 0..N {
        element[k] = registers[k][lane];
    }
    element
}

/// The bit of each lane in its half of a mask.
const BITS: Lanes = {
    let (mut bits, mut lane) = ([0; LANES], 0);
    while lane < LANES {
        bits[lane] = 1 << (lane % 32);
        lane += 1;
    }
    bits
};

/// All ones in the lanes of `mask`.
#[inline(always)]
pub(super) fn expanded(mask: u64) -> Lanes {
    let mut expanded = [0; LANES];
    for (half, bits) in [mask as u32, (mask >> 32) as u32].into_iter().enumerate() {
        for lane in 32 * half..32 * half + 32 {
            expanded[lane] = if bits & BITS[lane] == 0 { 0 } else { !0 };
        }
    }
    expanded
}

/// Asks the host to fetch the line of a place, which need not exist: it is not an access.
#[inline(always)]
pub(super) fn prefetch(_place: *const u8) {
    // SAFETY: the instruction neither reads nor faults.
    #[cfg(target_arch = "x86_64")]
    unsafe {
        std::arch::x86_64::_mm_prefetch::<{ std::arch::x86_64::_MM_HINT_T0 }>(_place.cast());
    }
}

/// Reads one or two bytes.
///
/// # Safety
/// The bytes are in a living backing or in LDS.
#[inline(always)]
pub(super) unsafe fn read_part<const BYTES: usize>(from: *const u8) -> u32 {
    // SAFETY: the caller's promise.
    unsafe { if BYTES == 1 { moves::read8(from) } else { moves::read16(from) } }
}

/// Writes the lowest one or two bytes.
///
/// # Safety
/// The bytes are in a living backing or in LDS.
#[inline(always)]
pub(super) unsafe fn write_part<const BYTES: usize>(to: *mut u8, value: u32) {
    // SAFETY: the caller's promise.
    unsafe { if BYTES == 1 { moves::write8(to, value) } else { moves::write16(to, value) } }
}

/// Reads one to four dwords, at any address.
///
/// # Safety
/// The bytes are in a living backing or in LDS.
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
/// The bytes are in a living backing or in LDS.
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

/// Copies `N` dwords, at any addresses.
///
/// # Safety
/// The bytes are in living backings, in LDS, or in memory of the caller.
#[inline(always)]
pub(super) unsafe fn copy_element<const N: usize>(to: *mut u8, from: *const u8) {
    // SAFETY: the caller's promise.
    unsafe {
        for at in (0..4 * N).step_by(8) {
            let (to, from) = (to.wrapping_add(at), from.wrapping_add(at));
            // Vector instructions of the baseline are slow beside those of AVX-512.
            if at + 8 <= 4 * N { write64(to, read64(from)) } else { write32(to, read32(from)) }
        }
    }
}
