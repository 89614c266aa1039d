//! Stores to located elements.

use std::mem::MaybeUninit;

use gcnsim_isa::LANES;

use super::super::element::Store;
use super::super::host::{self, Host, Lanes};
use super::{Located, Pattern, each_lane};

impl Located {
    /// Stores `BYTES` bytes of each lane, ascending, from registers. Returns whether two lanes may have stored different
    /// bytes to one place.
    #[inline(always)]
    pub fn store<H: Host, const BYTES: usize>(&self, store: Store, in_rows: bool, registers: [&Lanes; 4]) -> bool {
        let [a, b, c, d] = registers;
        match (BYTES, in_rows) {
            (1, _) => self.store_parts::<H, 1>(store, a),
            (2, _) => self.store_parts::<H, 2>(store, a),
            (4, _) => self.store_dwords::<H, 1>(0, [a]),
            (8, false) => self.store_dwords::<H, 2>(0, [a, b]),
            (12, false) => self.store_dwords::<H, 3>(0, [a, b, c]),
            (16, false) => self.store_dwords::<H, 4>(0, [a, b, c, d]),
            (8, true) => self.store_rows::<H>(&[a, b]),
            (12, true) => self.store_rows::<H>(&[a, b, c]),
            _ => self.store_rows::<H>(&[a, b, c, d]),
        }
    }

    /// Stores bytes or shorts.
    #[inline(always)]
    fn store_parts<H: Host, const BYTES: usize>(&self, store: Store, register: &Lanes) -> bool {
        let shift = if store.high { 16 } else { 0 };
        let values = register.map(|value| value >> shift & ((1 << (8 * BYTES)) - 1));
        let mut different = 0;
        // SAFETY: all elements have been located; whoever calls with `H` has such a processor.
        unsafe {
            if matches!(self.pattern, Pattern::Consecutive) {
                H::store_parts::<BYTES>(self.first, &values, self.mask);
                return false;
            }
            self.each_element(BYTES, |lane, to| host::write_part::<BYTES>(to, values[lane]));
            self.each_element(BYTES, |lane, from| different |= host::read_part::<BYTES>(from) ^ values[lane]);
        }
        different != 0
    }

    /// Stores rows of dwords.
    #[inline(always)]
    fn store_rows<H: Host>(&self, registers: &[&Lanes]) -> bool {
        let rows = registers.iter().enumerate();
        rows.fold(false, |differ, (k, register)| self.store_dwords::<H, 1>(256 * k, [register]) || differ)
    }

    /// Stores elements of `N` dwords, so many bytes behind their places.
    #[inline(always)]
    fn store_dwords<H: Host, const N: usize>(&self, behind: usize, registers: [&Lanes; N]) -> bool {
        let first = self.first.wrapping_add(behind);
        // SAFETY: all elements have been located; whoever calls with `H` has such a processor.
        unsafe {
            match &self.pattern {
                Pattern::Consecutive => {
                    H::store_elements::<N>(first, registers, self.mask);
                    false
                }
                Pattern::Uniform => {
                    let element = registers.map(|register| register[self.last()]);
                    host::write::<N>(first, element);
                    let is_same = |k: usize| H::are_within(registers[k], element[k], 0, self.mask);
                    !(0..N).all(is_same)
                }
                Pattern::Scattered(at) => {
                    let place = |lane: usize| first.wrapping_add(at[lane] as usize);
                    if N == 1 {
                        return store_scattered(self.mask, place, registers[0]);
                    }
                    let mut elements = MaybeUninit::<[[u32; N]; LANES]>::uninit();
                    let from = elements.as_mut_ptr().cast::<u8>();
                    H::store_elements::<N>(from, registers, self.mask);
                    let element = |lane: usize| from.wrapping_add(4 * N * lane);
                    each_lane(self.mask, |lane| host::copy_element::<N>(place(lane), element(lane)));
                    let mut differ = 0;
                    each_lane(self.mask, |lane| differ |= host::difference::<N>(place(lane), element(lane)));
                    differ != 0
                }
            }
        }
    }
}

impl Located {
    /// Are the `N` dwords of each lane in their places?
    #[inline(always)]
    pub fn holds<const N: usize>(&self, registers: [&Lanes; N]) -> bool {
        let mut different = 0;
        self.each_element(4 * N, |lane, from| {
            // SAFETY: all elements have been located.
            let found = unsafe { host::read::<N>(from) };
            found.iter().zip(registers).for_each(|(found, register)| different |= found ^ register[lane]);
        });
        different == 0
    }
}

/// Stores a dword of each lane. Returns whether one is not there in the end.
///
/// # Safety
/// The places of the lanes of the mask are in a living segment.
#[inline(always)]
unsafe fn store_scattered(mask: u64, place: impl Fn(usize) -> *mut u8, register: &Lanes) -> bool {
    let mut different = 0;
    // SAFETY: the caller's promise.
    unsafe {
        each_lane(mask, |lane| host::write(place(lane), [register[lane]]));
        each_lane(mask, |lane| different |= host::read::<1>(place(lane))[0] ^ register[lane]);
    }
    different != 0
}
