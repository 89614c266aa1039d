//! The elements of all active lanes at once: where they lie in LDS, and what is there.
#![allow(unsafe_code)]

use gcnsim_isa::{Arch, LANES};

use super::super::lanes;
use super::update::Touched;
use super::{ADDR, Machine, ShareOp};

/// Where the elements of the active lanes lie in LDS: all in range, and aligned where that counts.
pub(super) struct Elements {
    pub shape: Shape,
    /// The byte of lane 0 in a row, of all lanes if they are at one place.
    start: usize,
    /// The byte of each lane that lies anywhere; 0 of inactive ones.
    at: [u32; LANES],
    /// All ones for active lanes, 0 for others.
    pub active: [u32; LANES],
    pub exec: u64,
}

/// How they lie.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    /// One after the other by the lanes' numbers, and the row of all 64 lies in LDS.
    Row,
    /// All at one place.
    Same,
    /// Anywhere.
    Scattered,
}

/// Does something for each active lane, ascending.
#[inline(always)]
pub(super) fn for_each_lane(exec: u64, mut f: impl FnMut(usize)) {
    if exec == u64::MAX {
        (0..LANES).for_each(f);
    } else {
        lanes(exec).for_each(|lane| f(lane & 63));
    }
}

/// All ones where a lane is active.
#[inline(always)]
fn masks(exec: u64) -> [u32; LANES] {
    let mut active = [0; LANES];
    for (chunk, lanes) in active.as_chunks_mut::<16>().0.iter_mut().enumerate() {
        let bits = (exec >> (16 * chunk)) as u16 as u32;
        for (lane, mask) in lanes.iter_mut().enumerate() {
            *mask = (bits >> lane & 1).wrapping_neg();
        }
    }
    active
}

impl ShareOp {
    /// The elements of `N` dwords at one of the offsets; `None` if one is out of range or misaligned.
    #[inline(always)]
    pub(super) fn elements<const N: usize>(&self, m: &Machine<'_>, which: usize, aligns: bool) -> Option<Elements> {
        let exec = m.scalars.exec;
        let address = &m.vgprs[usize::from(self.sources[ADDR].0)].0;
        let (offset, step) = (self.offsets[which], 4 * N as u32);
        let share = m.context.lds.len() as u64;
        let is_clamped = !self.arch.is_gcn14_or_later();
        let limit = if is_clamped { share.min((m.scalars.m0 & 0x1_ffff).into()) } else { share };
        let active = masks(exec);
        let (first, last) = (exec.trailing_zeros() & 63, 63 - exec.leading_zeros() & 63);
        let mut elements = Elements { shape: Shape::Scattered, start: 0, at: [0; LANES], active, exec };
        let is_allowed = |low: u32, last: u32, registers: u32| {
            let is_aligned = !aligns || low & (step.next_power_of_two() - 1) == 0;
            let is_negative = self.arch == Arch::Gcn10 && registers >> 31 == 1;
            is_aligned && !is_negative && u64::from(last) + u64::from(step) <= limit
        };
        let place = address[first as usize].wrapping_add(offset);
        if elements.is_row(address, address[first as usize].wrapping_sub(first * step), step) {
            let row = u64::from(place).checked_sub(u64::from(first * step));
            let start = row.filter(|row| row + u64::from(step) * LANES as u64 <= share);
            if let Some(start) = start {
                (elements.shape, elements.start) = (Shape::Row, start as usize);
                return is_allowed(place, place + (last - first) * step, address[first as usize]).then_some(elements);
            }
        } else if elements.is_row(address, address[first as usize], 0) {
            (elements.shape, elements.start) = (Shape::Same, place as usize);
            return is_allowed(place, place, address[first as usize]).then_some(elements);
        }
        let (mut low, mut last, mut registers) = (0, 0, 0);
        for lane in 0..LANES {
            let at = address[lane].wrapping_add(offset) & active[lane];
            (elements.at[lane], low, last) = (at, low | at, last.max(at));
            registers |= address[lane] & active[lane];
        }
        is_allowed(low, last, registers).then_some(elements)
    }

    /// Reads `N` dwords of each lane into registers from `to` on.
    #[inline(always)]
    pub(super) fn read_elements<const N: usize>(&self, m: &mut Machine<'_>, elements: &Elements, to: usize) {
        let share = &m.context.lds[..];
        let registers = &mut m.vgprs[to..to + N];
        match elements.shape {
            Shape::Row => {
                let row = elements.row::<N>(share);
                for (n, register) in registers.iter_mut().enumerate() {
                    for ((to, from), active) in register.0.iter_mut().zip(row).zip(&elements.active) {
                        *to = u32::from_le_bytes(from[n]) & active | *to & !active;
                    }
                }
            }
            Shape::Same => {
                let value: [u32; N] = elements.get(share, 0);
                for (register, value) in registers.iter_mut().zip(value) {
                    for (to, active) in register.0.iter_mut().zip(&elements.active) {
                        *to = value & active | *to & !active;
                    }
                }
            }
            Shape::Scattered => {
                for lane in 0..LANES {
                    let value: [u32; N] = elements.get(share, lane);
                    let active = elements.active[lane];
                    for (register, value) in registers.iter_mut().zip(value) {
                        let to = &mut register.0[lane];
                        *to = value & active | *to & !active;
                    }
                }
            }
        }
    }

    /// Writes `N` dwords of each lane, ascending.
    #[inline(always)]
    pub(super) fn write_elements<const N: usize>(&self, m: &mut Machine<'_>, elements: &Elements, from: usize) {
        let share = &mut m.context.lds[..];
        let registers = &m.vgprs[from..from + N];
        let value = |lane: usize| -> [u32; N] { std::array::from_fn(|n| registers[n].0[lane]) };
        match elements.shape {
            Shape::Row => {
                let row = elements.row_mut::<N>(share);
                for (n, register) in registers.iter().enumerate() {
                    for ((to, from), active) in row.iter_mut().zip(&register.0).zip(&elements.active) {
                        let old = u32::from_le_bytes(to[n]);
                        to[n] = (from & active | old & !active).to_le_bytes();
                    }
                }
            }
            Shape::Same => elements.set(share, 0, value(63 - elements.exec.leading_zeros() as usize & 63)),
            Shape::Scattered => for_each_lane(elements.exec, |lane| elements.set(share, lane, value(lane))),
        }
    }

    /// Are the `N` dwords of each lane in LDS?
    #[inline(always)]
    pub(super) fn holds<const N: usize>(&self, m: &Machine<'_>, elements: &Elements, from: usize) -> bool {
        let share = &m.context.lds[..];
        let registers = &m.vgprs[from..from + N];
        let mut differing = 0;
        match elements.shape {
            Shape::Row => {
                let row = elements.row::<N>(share);
                for (n, register) in registers.iter().enumerate() {
                    for ((found, value), active) in row.iter().zip(&register.0).zip(&elements.active) {
                        differing |= (u32::from_le_bytes(found[n]) ^ value) & active;
                    }
                }
            }
            Shape::Same => {
                let found: [u32; N] = elements.get(share, 0);
                for (register, found) in registers.iter().zip(found) {
                    for (value, active) in register.0.iter().zip(&elements.active) {
                        differing |= (value ^ found) & active;
                    }
                }
            }
            Shape::Scattered => {
                for lane in 0..LANES {
                    let found: [u32; N] = elements.get(share, lane);
                    for (register, found) in registers.iter().zip(found) {
                        differing |= (register.0[lane] ^ found) & elements.active[lane];
                    }
                }
            }
        }
        differing == 0
    }
}

impl Elements {
    /// Are the registers of the active lanes `first + step * lane`?
    #[inline(always)]
    fn is_row(&self, registers: &[u32; LANES], first: u32, step: u32) -> bool {
        let mut differing = 0;
        for lane in 0..LANES {
            differing |= (registers[lane] ^ first.wrapping_add(lane as u32 * step)) & self.active[lane];
        }
        differing == 0
    }

    /// The dwords of all lanes of a row, active or not.
    #[inline(always)]
    fn row<'a, const N: usize>(&self, share: &'a [u8]) -> &'a [[[u8; 4]; N]] {
        share[self.start..self.start + 4 * N * LANES].as_chunks().0.as_chunks().0
    }

    #[inline(always)]
    pub fn row_mut<'a, const N: usize>(&self, share: &'a mut [u8]) -> &'a mut [[[u8; 4]; N]] {
        share[self.start..self.start + 4 * N * LANES].as_chunks_mut().0.as_chunks_mut().0
    }

    /// The byte of a lane that is in no row; any in range of an inactive one.
    #[inline(always)]
    fn byte(&self, lane: usize) -> usize {
        if self.shape == Shape::Same { self.start } else { self.at[lane] as usize }
    }

    /// The dwords of a lane that is in no row.
    #[inline(always)]
    pub fn get<const N: usize>(&self, share: &[u8], lane: usize) -> [u32; N] {
        let at = self.byte(lane);
        debug_assert!(at + 4 * N <= share.len());
        // SAFETY: `ShareOp::elements` found that the greatest place and 4 * N bytes from there on are in the share.
        let bytes = unsafe { share.as_ptr().add(at).cast::<[[u8; 4]; N]>().read() };
        bytes.map(u32::from_le_bytes)
    }

    /// Writes the dwords of a lane that is in no row.
    #[inline(always)]
    pub fn set<const N: usize>(&self, share: &mut [u8], lane: usize, value: [u32; N]) {
        let at = self.byte(lane);
        debug_assert!(at + 4 * N <= share.len());
        // SAFETY: `ShareOp::elements` found that the greatest place and 4 * N bytes from there on are in the share.
        unsafe { share.as_mut_ptr().add(at).cast::<[[u8; 4]; N]>().write(value.map(u32::to_le_bytes)) }
    }

    /// Do two active lanes have one place?
    #[inline(always)]
    pub fn overlap(&self) -> bool {
        match self.shape {
            Shape::Row => false,
            Shape::Same => self.exec.count_ones() > 1,
            Shape::Scattered => {
                let (mut touched, mut overlap) = (Touched::new(), false);
                for_each_lane(self.exec, |lane| overlap |= touched.touch(self.at[lane]));
                overlap
            }
        }
    }
}
