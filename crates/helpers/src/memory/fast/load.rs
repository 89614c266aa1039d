//! Loads of located elements.

use gcnsim_isa::{LANES, Vgpr};

use super::super::Walk;
use super::{Located, Pattern};
use crate::host::lanes::{expanded, is_ramp, lanes_of};
use crate::host::{self, Host, Lanes};
use gcnsim_isa::table::{Load, Part};

/// Replaces the lanes of `mask` in a register by those of `values`.
#[inline(always)]
pub(crate) fn blend(register: &mut Lanes, mask: u64, values: &Lanes) {
    if mask == !0 {
        *register = *values;
    } else {
        let active = expanded(mask);
        for lane in 0..LANES {
            register[lane] = register[lane] & !active[lane] | values[lane] & active[lane];
        }
    }
}

/// Replaces a part of the register, as `load` says, in the lanes of `mask`, by numbers of one or two bytes.
#[inline(always)]
fn merge<const BYTES: usize>(register: &mut Lanes, mask: u64, load: Load, values: &Lanes) {
    let unused = if load.signed { 32 - 8 * BYTES as u32 } else { 0 };
    let (kept, shift) = match load.part {
        Part::Whole => (0, 0),
        Part::Low => (0xffff_0000, 0),
        Part::High => (0xffff, 16),
    };
    let merged = lanes_of!(lane => {
        let extended = ((values[lane] << unused) as i32 >> unused) as u32;
        let value = if load.signed { extended } else { values[lane] };
        register[lane] & kept | (value << shift) & !kept
    });
    blend(register, mask, &merged);
}

/// Loads elements of `BYTES` bytes to the lanes of `exec`. Lanes without an element get zeros.
#[inline(always)]
pub(crate) fn load<H: Host, const BYTES: usize>(
    elements: Option<&Located<'_, H>>,
    exec: u64,
    load: Load,
    in_rows: bool,
    registers: &mut [Vgpr],
) {
    if BYTES < 4 {
        let Some(Vgpr(register)) = registers.first_mut() else { return };
        let mut values = [0; LANES];
        if let Some(elements) = elements {
            values = elements.parts::<BYTES>();
            if elements.mask != exec {
                let inside = expanded(elements.mask);
                for lane in 0..LANES {
                    values[lane] &= inside[lane];
                }
            }
        }
        return merge::<BYTES>(register, exec, load, &values);
    }
    let mut outside = exec;
    if let Some(elements) = elements {
        outside &= !elements.mask;
        match (BYTES, in_rows) {
            (4, _) => elements.load_rows::<1>(registers),
            (8, false) => elements.load_dwords::<2>(0, registers),
            (12, false) => elements.load_dwords::<3>(0, registers),
            (16, false) => elements.load_dwords::<4>(0, registers),
            (8, true) => elements.load_rows::<2>(registers),
            (12, true) => elements.load_rows::<3>(registers),
            _ => elements.load_rows::<4>(registers),
        }
    }
    if outside != 0 {
        registers.iter_mut().take(BYTES / 4).for_each(|register| blend(&mut register.0, outside, &[0; LANES]));
    }
}

/// Bytes of a cache line.
const LINE: usize = 64;
/// Lanes of a part of a row.
const PART: usize = 16;

impl<H: Host> Located<'_, H> {
    /// Asks the host for the lines where rows of elements of `BYTES` bytes are expected a few steps later. A row has
    /// all lanes, or 16 of them.
    #[inline(always)]
    pub fn fetch_ahead<const BYTES: usize>(&self, walk: &Walk) {
        let fetch = |row: *const u8, lanes: usize| {
            for line in 0..(lanes * BYTES).div_ceil(LINE) {
                host::prefetch(row.wrapping_add(LINE * line));
            }
        };
        match self.pattern {
            Pattern::Uniform(_) => {}
            Pattern::Consecutive(first) => fetch(first.wrapping_offset(walk.ahead(first)), LANES),
            Pattern::Scattered(at) => {
                let place = |lane: usize| self.origin.wrapping_add(at[lane] as usize);
                let ahead = walk.ahead(place(self.mask.trailing_zeros() as usize % LANES));
                for lane in (0..LANES).step_by(PART) {
                    if at[lane + PART - 1].wrapping_sub(at[lane]) == ((PART - 1) * BYTES) as u32 {
                        fetch(place(lane).wrapping_offset(ahead), PART);
                    }
                }
            }
        }
    }

    /// The elements of one or two bytes. Lanes outside the mask have undefined values.
    #[inline(always)]
    fn parts<const BYTES: usize>(&self) -> Lanes {
        // SAFETY: all elements have been located.
        unsafe {
            match self.pattern {
                Pattern::Consecutive(first) => self.host.load_parts::<BYTES>(first, self.mask),
                Pattern::Uniform(first) => [host::read_part::<BYTES>(first); LANES],
                Pattern::Scattered(at) => match self.overlapping_row::<BYTES>(at) {
                    Some(first) => {
                        let (low, high) = (
                            self.host.load_parts::<1>(first, self.mask),
                            self.host.load_parts::<1>(first.wrapping_add(1), self.mask),
                        );
                        lanes_of!(lane => low[lane] | high[lane] << 8)
                    }
                    None => self.host.gather_parts::<BYTES>(self.origin, at, self.mask, self.readable),
                },
            }
        }
    }

    /// The place of lane 0, if elements are of two bytes, and each begins one byte after that of the lane before:
    /// compilers load neighbouring bytes together.
    #[inline(always)]
    fn overlapping_row<const BYTES: usize>(&self, at: &Lanes) -> Option<*const u8> {
        let (lowest, highest) = (self.mask.trailing_zeros() % 64, (63 - self.mask.leading_zeros()) % 64);
        let (start, last) = (at[lowest as usize], at[highest as usize]);
        // Distances that wrap are no row.
        if BYTES != 2 || start.checked_add(highest - lowest) != Some(last) {
            return None;
        }
        let is_row = is_ramp(at, start.wrapping_sub(lowest), 1, self.mask);
        is_row.then(|| self.origin.wrapping_add(start as usize).wrapping_sub(lowest as usize).cast_const())
    }

    /// Loads `N` rows of dwords.
    #[inline(always)]
    fn load_rows<const N: usize>(&self, registers: &mut [Vgpr]) {
        let Some(registers) = registers.first_chunk_mut::<N>() else { return };
        for (k, register) in registers.iter_mut().enumerate() {
            self.load_dwords::<1>(256 * k, std::slice::from_mut(register));
        }
    }

    /// Loads elements of `N` dwords, which lie `behind` bytes after their places.
    #[inline(always)]
    fn load_dwords<const N: usize>(&self, behind: usize, registers: &mut [Vgpr]) {
        let Some(registers) = registers.first_chunk_mut::<N>() else { return };
        // SAFETY: all elements have been located.
        unsafe {
            match self.pattern {
                Pattern::Consecutive(first) => {
                    self.host.load_elements::<N>(registers, first.wrapping_add(behind), self.mask)
                }
                Pattern::Uniform(first) => {
                    let element = host::read::<N>(first.wrapping_add(behind));
                    for k in 0..N {
                        blend(&mut registers[k].0, self.mask, &[element[k]; LANES]);
                    }
                }
                Pattern::Scattered(at) => {
                    self.host.gather::<N>(registers, self.origin.wrapping_add(behind), at, self.mask, self.readable);
                }
            }
        }
    }
}
