//! Loads of located elements.

use std::mem::MaybeUninit;

use gcnsim_isa::{LANES, Vgpr};

use super::super::element::{Load, Part};
use super::super::host::{self, Host, Lanes, expanded};
use super::{Located, Pattern, each_lane};

/// Replaces the lanes of a mask by those of `values`.
#[inline(always)]
pub(in super::super) fn blend(register: &mut Lanes, mask: u64, values: &Lanes) {
    if mask == !0 {
        *register = *values;
    } else {
        let active = expanded(mask);
        for lane in 0..LANES {
            register[lane] = register[lane] & !active[lane] | values[lane] & active[lane];
        }
    }
}

/// Replaces parts of the lanes of a mask by numbers of one or two bytes, which are zero-extended.
#[inline(always)]
fn merge<const BYTES: usize>(register: &mut Lanes, mask: u64, load: Load, values: &Lanes) {
    let unused = if load.signed { 32 - 8 * BYTES as u32 } else { 0 };
    let (kept, shift) = match load.part {
        Part::Whole => (0, 0),
        Part::Low => (0xffff_0000, 0),
        Part::High => (0xffff, 16),
    };
    let merged = std::array::from_fn(|lane| {
        let extended = ((values[lane] << unused) as i32 >> unused) as u32;
        let value = if load.signed { extended } else { values[lane] };
        register[lane] & kept | (value << shift) & !kept
    });
    blend(register, mask, &merged);
}

/// Loads of `BYTES` bytes to the lanes of `exec`: of those that are in no element, zeros.
#[inline(always)]
pub(in super::super) fn load<H: Host, const BYTES: usize>(
    elements: Option<&Located>,
    exec: u64,
    load: Load,
    in_rows: bool,
    registers: &mut [Vgpr],
) {
    if BYTES < 4 {
        let Some(Vgpr(register)) = registers.first_mut() else { return };
        let mut values = elements.map_or([0; LANES], |elements| elements.parts::<H, BYTES>());
        if elements.is_some_and(|elements| elements.mask != exec) {
            let inside = expanded(elements.map_or(0, |elements| elements.mask));
            (0..LANES).for_each(|lane| values[lane] &= inside[lane]);
        }
        return merge::<BYTES>(register, exec, load, &values);
    }
    let outside = exec & !elements.map_or(0, |elements| elements.mask);
    if let Some(elements) = elements {
        match (BYTES, in_rows) {
            (4, _) => elements.load_rows::<H, 1>(registers),
            (8, false) => elements.load_dwords::<H, 2>(0, registers),
            (12, false) => elements.load_dwords::<H, 3>(0, registers),
            (16, false) => elements.load_dwords::<H, 4>(0, registers),
            (8, true) => elements.load_rows::<H, 2>(registers),
            (12, true) => elements.load_rows::<H, 3>(registers),
            _ => elements.load_rows::<H, 4>(registers),
        }
    }
    if outside != 0 {
        registers.iter_mut().take(BYTES / 4).for_each(|register| blend(&mut register.0, outside, &[0; LANES]));
    }
}

impl Located {
    /// The numbers of one or two bytes. Other lanes have any value.
    #[inline(always)]
    fn parts<H: Host, const BYTES: usize>(&self) -> Lanes {
        // SAFETY: all elements have been located; whoever calls with `H` has such a processor.
        unsafe {
            match &self.pattern {
                Pattern::Consecutive => H::load_parts::<BYTES>(self.first, self.mask),
                Pattern::Uniform => [host::read_part::<BYTES>(self.first); LANES],
                Pattern::Scattered(at) => {
                    let mut values = [0; LANES];
                    each_lane(self.mask, |lane| {
                        values[lane] = host::read_part::<BYTES>(self.first.wrapping_add(at[lane] as usize));
                    });
                    values
                }
            }
        }
    }

    /// Loads `N` rows of dwords.
    #[inline(always)]
    fn load_rows<H: Host, const N: usize>(&self, registers: &mut [Vgpr]) {
        for (k, register) in registers.iter_mut().take(N).enumerate() {
            self.load_dwords::<H, 1>(256 * k, std::slice::from_mut(register));
        }
    }

    /// Loads elements of `N` dwords, so many bytes behind their places.
    #[inline(always)]
    fn load_dwords<H: Host, const N: usize>(&self, behind: usize, registers: &mut [Vgpr]) {
        let Some(registers) = registers.first_chunk_mut::<N>() else { return };
        let first = self.first.wrapping_add(behind);
        // SAFETY: all elements have been located; whoever calls with `H` has such a processor.
        unsafe {
            match &self.pattern {
                Pattern::Consecutive => H::load_elements::<N>(registers, first, self.mask),
                Pattern::Uniform => {
                    let element = host::read::<N>(first);
                    for (register, value) in registers.iter_mut().zip(element) {
                        blend(&mut register.0, self.mask, &[value; LANES]);
                    }
                }
                Pattern::Scattered(at) if N == 1 => each_lane(self.mask, |lane| {
                    let [value] = host::read::<1>(first.wrapping_add(at[lane] as usize));
                    registers[0].0[lane] = value;
                }),
                Pattern::Scattered(at) => {
                    let mut elements = MaybeUninit::<[[u32; N]; LANES]>::uninit();
                    let to = elements.as_mut_ptr().cast::<u8>();
                    each_lane(self.mask, |lane| {
                        host::copy_element::<N>(to.wrapping_add(4 * N * lane), first.wrapping_add(at[lane] as usize));
                    });
                    H::load_elements::<N>(registers, to, self.mask);
                }
            }
        }
    }
}
