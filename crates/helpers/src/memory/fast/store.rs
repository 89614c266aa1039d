//! Stores to located elements.

use gcnsim_isa::LANES;

use super::{Located, Pattern, ramp};
use crate::host::lanes::{are_ascending, are_equal, each_lane, lanes_of};
use crate::host::{self, Host, Lanes, Room};
use gcnsim_isa::table::Store;

impl<H: Host> Located<'_, H> {
    /// Stores `BYTES` bytes of each lane from registers, in ascending order. Returns whether two lanes may have
    /// stored different bytes to one place.
    #[inline(always)]
    pub fn store<const BYTES: usize>(&self, store: Store, in_rows: bool, registers: [&Lanes; 4]) -> bool {
        let [a, b, c, d] = registers;
        match (BYTES, in_rows) {
            (1, _) => self.store_parts::<1>(store, a),
            (2, _) => self.store_parts::<2>(store, a),
            (4, _) => self.store_dwords::<1>(0, [a]),
            (8, false) => self.store_dwords::<2>(0, [a, b]),
            (12, false) => self.store_dwords::<3>(0, [a, b, c]),
            (16, false) => self.store_dwords::<4>(0, [a, b, c, d]),
            (8, true) => self.store_rows([a, b]),
            (12, true) => self.store_rows([a, b, c]),
            _ => self.store_rows([a, b, c, d]),
        }
    }

    /// Stores elements of one or two bytes.
    #[inline(always)]
    fn store_parts<const BYTES: usize>(&self, store: Store, register: &Lanes) -> bool {
        let shift = if store.high { 16 } else { 0 };
        let values = lanes_of!(lane => register[lane] >> shift & ((1 << (8 * BYTES)) - 1));
        // SAFETY: all elements have been located.
        unsafe {
            match self.pattern {
                Pattern::Consecutive(first) => {
                    self.host.store_parts::<BYTES>(first, &values, self.mask);
                    false
                }
                Pattern::Uniform(first) => {
                    let value = values[self.last()];
                    host::write_part::<BYTES>(first, value);
                    !are_equal(&values, value, self.mask)
                }
                Pattern::Scattered(at) => {
                    let place = |lane: usize| self.origin.wrapping_add(at[lane] as usize);
                    let mut different = 0;
                    each_lane!(self.mask, lane, { host::write_part::<BYTES>(place(lane), values[lane]) });
                    each_lane!(self.mask, lane, { different |= host::read_part::<BYTES>(place(lane)) ^ values[lane] });
                    different != 0
                }
            }
        }
    }

    /// Stores rows of dwords.
    #[inline(always)]
    fn store_rows<const N: usize>(&self, registers: [&Lanes; N]) -> bool {
        let mut differ = false;
        for (k, register) in registers.into_iter().enumerate() {
            differ |= self.store_dwords::<1>(256 * k, [register]);
        }
        differ
    }

    /// Stores elements of `N` dwords, which lie `behind` bytes after their places.
    #[inline(always)]
    fn store_dwords<const N: usize>(&self, behind: usize, registers: [&Lanes; N]) -> bool {
        // SAFETY: all elements have been located.
        unsafe {
            match self.pattern {
                Pattern::Consecutive(first) => {
                    self.host.store_elements::<N>(first.wrapping_add(behind), registers, self.mask);
                    false
                }
                Pattern::Uniform(first) => {
                    let (mut element, mut differ) = ([0; N], false);
                    for k in 0..N {
                        element[k] = registers[k][self.last()];
                        differ |= !are_equal(registers[k], element[k], self.mask);
                    }
                    host::write::<N>(first.wrapping_add(behind), element);
                    differ
                }
                Pattern::Scattered(at) => {
                    let origin = self.origin.wrapping_add(behind);
                    self.host.scatter::<N>(origin, at, registers, self.mask, self.readable);
                    // If not, a lane may have overwritten the element of another one.
                    !are_ascending(at, 4 * N as u32)
                        && !self.host.holds::<N>(origin, at, registers, self.mask, self.readable)
                }
            }
        }
    }

    /// Whether memory holds the `N` dwords of each lane.
    #[inline(always)]
    pub fn holds<const N: usize>(&self, registers: [&Lanes; N]) -> bool {
        let mut room = Room::uninit();
        let (first, at, readable) = match self.pattern {
            Pattern::Consecutive(first) => (first, ramp(4 * N as u32, &mut room), self.mask),
            Pattern::Uniform(first) => (first, &[0; LANES], !0),
            Pattern::Scattered(at) => (self.origin, at, self.readable),
        };
        // SAFETY: all elements have been located.
        unsafe { self.host.holds::<N>(first, at, registers, self.mask, readable) }
    }
}
