//! Registers and LDS as vector memory instructions read and write them, lane by lane.

use gcnsim_isa::table::{Load, Store};
use gcnsim_isa::{LANES, Note, Vgpr};
use gcnsim_machine::{Context, Place};

use super::atomics::Operation;
use super::element::{self, Element, dword, set_dword};
use super::{Machine, lanes};

/// The LDS side of a transfer between memory and LDS.
pub(super) struct Transfer {
    /// The byte of LDS of lane 0.
    first: i64,
    /// Size of LDS in bytes.
    len: i64,
}

impl Transfer {
    /// The first byte of the dword of `lane`, if all four bytes are in LDS.
    fn place(&self, lane: usize) -> Option<u32> {
        let at = self.first + 4 * lane as i64;
        (at >= 0 && at + 4 <= self.len).then_some(at as u32)
    }

    /// The lanes of `mask` whose dwords are in LDS. The others do nothing.
    pub fn mask(&self, mask: u64) -> u64 {
        lanes(mask).filter(|&lane| self.place(lane).is_some()).fold(0, |mask, lane| mask | 1 << lane)
    }

    /// The dword of `lane`; 0 outside LDS.
    pub fn read(&self, context: &Context, lane: usize) -> u32 {
        let bytes = self.place(lane).and_then(|at| context.share(Place::Lds, at, 4)?.first_chunk());
        bytes.map_or(0, |bytes| u32::from_le_bytes(*bytes))
    }

    /// Writes the dwords of the lanes of `mask` that are in LDS.
    pub fn write(&self, context: &mut Context, mask: u64, value: impl Fn(usize) -> u32) {
        for lane in lanes(mask) {
            if let Some(at) = self.place(lane) {
                context.write_share(Place::Lds, at, &value(lane).to_le_bytes());
            }
        }
    }
}

impl Machine<'_> {
    /// VGPR `first + n` as a source. A register that the wave does not have is v0.
    pub(super) fn source(&mut self, first: u8, n: u8) -> Vgpr {
        let number = first as usize + n as usize;
        self.notes.insert_if(number >= self.vgprs.len(), Note::RegRange);
        self.vgprs.get(number).or(self.vgprs.first()).copied().unwrap_or(Vgpr([0; LANES]))
    }

    /// The elements that a store takes from registers.
    pub(super) fn read_elements(&mut self, first: u8, store: Store) -> [Element; LANES] {
        let mut elements = [[0; 16]; LANES];
        for k in 0..store.registers() {
            let register = self.source(first, k);
            for (element, value) in elements.iter_mut().zip(register.0) {
                set_dword(element, k as usize, element::shift(store, value));
            }
        }
        elements
    }

    /// The data that an atomic takes from registers.
    pub(super) fn read_atomic(&mut self, first: u8, operation: Operation) -> [Element; LANES] {
        self.read_elements(first, Store { bytes: operation.bytes * operation.atomic.operands(), high: false })
    }

    /// Writes loaded elements to the registers of active lanes.
    pub(super) fn write_elements(&mut self, first: u8, load: Load, elements: &[Element; LANES]) {
        if load.bytes >= 4 {
            return self.write_dwords(first, load.registers(), elements);
        }
        let exec = self.scalars.exec;
        let Some(register) = self.vgprs.get_mut(first as usize) else { return };
        for lane in lanes(exec) {
            let value = element::extend(load, dword(&elements[lane], 0));
            register.0[lane] = element::merge(load.part, register.0[lane], value);
        }
    }

    /// Writes the first `count` dwords of elements to the registers of active lanes.
    pub(super) fn write_dwords(&mut self, first: u8, count: u8, elements: &[Element; LANES]) {
        let exec = self.scalars.exec;
        let registers = self.vgprs.iter_mut().skip(first as usize).take(count as usize);
        for (k, register) in registers.enumerate() {
            lanes(exec).for_each(|lane| register.0[lane] = dword(&elements[lane], k));
        }
    }

    /// Writes 0, which means that everything is resident, to the register of TFE, if there is one.
    pub(super) fn write_status(&mut self, register: u8, has_tfe: bool) {
        let exec = self.scalars.exec;
        if has_tfe && let Some(register) = self.vgprs.get_mut(register as usize) {
            lanes(exec).for_each(|lane| register.0[lane] = 0);
        }
    }

    /// The LDS side of a transfer: its base and the instruction's OFFSET.
    pub(super) fn transfer(&self, base: u32, offset: i64) -> Transfer {
        Transfer { first: base as i64 + offset, len: self.context.lds.len() as i64 }
    }
}
