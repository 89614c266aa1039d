//! Formatted accesses of MUBUF and MTBUF, lane by lane (docs/gcn/buffer-formats.md).

use gcnsim_isa::buffer::BufferDescriptor;
use gcnsim_isa::table::{Packing, Part};
use gcnsim_isa::{Arch, LANES, Note, Notes};

use super::buffer::{BufferOp, Formatted, Spots};
use super::descriptor::Shape;
use super::format::Format;
use super::registers::Transfer;
use super::{Machine, Refused, element, exchange, lanes};

impl BufferOp {
    /// Executes a formatted access.
    pub fn formatted(
        &self,
        m: &mut Machine<'_>,
        formatted: Formatted,
        v: BufferDescriptor,
        is_unbound: bool,
    ) -> Result<(), Refused> {
        let transfer = self.access.lds.then(|| self.transfer(m));
        let exec = m.scalars.exec;
        let mask = transfer.as_ref().map_or(exec, |transfer| transfer.mask(exec));
        let format = self.format(m.arch, formatted, v, &mut m.notes);
        let shape = Shape { components: 1, bytes: format.map_or(0, |format| format.bytes()) };
        let accessed = if format.is_some() { mask } else { 0 };
        let mut spots = self.spots(m, accessed, shape, is_unbound);
        let format = format.filter(|_| !is_unbound);
        if let Some(format) = format {
            let is_misaligned = spots.addresses_mut(mask).any(|address| !address.is_multiple_of(format.alignment()));
            m.notes.insert_if(is_misaligned, Note::FormatAlign);
        }
        if formatted.is_store {
            self.store_format(m, formatted, format, mask, &spots)
        } else {
            self.load_format(m, formatted, format, mask, &spots, transfer)
        }
    }

    /// The format of the access, with its notes; `None` if it has none. A descriptor without a format means that no
    /// buffer is bound, except with ADDR64.
    pub fn format(&self, arch: Arch, formatted: Formatted, v: BufferDescriptor, notes: &mut Notes) -> Option<Format> {
        let is_half = formatted.packing != Packing::Whole;
        if self.is_typed {
            return Format::new(self.access.format, arch, is_half, notes);
        }
        if v.data_format() == 0 && !self.access.addr64 {
            return None;
        }
        let format = Format::new((v.data_format(), v.num_format()), arch, is_half, notes)?;
        Some(format.selected_by(v))
    }

    fn load_format(
        &self,
        m: &mut Machine<'_>,
        formatted: Formatted,
        format: Option<Format>,
        mask: u64,
        spots: &Spots,
        transfer: Option<Transfer>,
    ) -> Result<(), Refused> {
        let elements = exchange::load(m.context, mask, &mut m.notes, |lane| spots.locate(lane))?;
        let mut values = [[0; 4]; LANES];
        if let Some(format) = format.filter(|_| mask != 0) {
            m.notes = m.notes.or(format.selector_notes(formatted.components, false));
            for lane in lanes(mask) {
                let element = spots.is_in_range(lane).then_some(&elements[lane]);
                values[lane] = format.load(element, formatted.components, &mut m.notes);
            }
        }
        match transfer {
            Some(to) => to.write(m.context, mask, |lane| values[lane][0]),
            None => self.write_components(m, formatted, &values),
        }
        Ok(())
    }

    fn store_format(
        &self,
        m: &mut Machine<'_>,
        formatted: Formatted,
        format: Option<Format>,
        mask: u64,
        spots: &Spots,
    ) -> Result<(), Refused> {
        let mask = spots.mask(mask);
        let Some(format) = format.filter(|_| mask != 0) else { return Ok(()) };
        let values = self.read_components(m, formatted);
        let mut elements = [[0; 16]; LANES];
        let mut notes = format.selector_notes(formatted.components, true);
        for lane in lanes(mask) {
            elements[lane] = format.store(&values[lane][..formatted.components as usize], &mut notes);
        }
        exchange::store(m.context, mask, &elements, &mut notes, |lane| spots.locate(lane))?;
        m.notes = m.notes.or(notes);
        Ok(())
    }

    /// The components that a formatted store takes from registers.
    fn read_components(&self, m: &mut Machine<'_>, formatted: Formatted) -> [[u32; 4]; LANES] {
        let is_packed = m.arch.packs_d16();
        let mut values = [[0; 4]; LANES];
        for i in 0..formatted.components {
            let (n, part) = place(formatted.packing, is_packed, i);
            let register = m.source(self.access.vdata, n);
            for (values, register) in values.iter_mut().zip(register.0) {
                values[i as usize] = match part {
                    Part::Whole => register,
                    Part::Low => register & 0xffff,
                    Part::High => register >> 16,
                };
            }
        }
        values
    }

    /// Writes the components of a formatted load to the registers of active lanes.
    fn write_components(&self, m: &mut Machine<'_>, formatted: Formatted, values: &[[u32; 4]; LANES]) {
        let exec = m.scalars.exec;
        let is_packed = m.arch.packs_d16();
        for i in 0..formatted.components {
            let (n, part) = place(formatted.packing, is_packed, i);
            let Some(register) = m.vgprs.get_mut(self.access.vdata as usize + n as usize) else { return };
            // A register of its own for each half leaves nothing of the old value.
            let part = if is_packed { part } else { Part::Whole };
            for lane in lanes(exec) {
                register.0[lane] = element::merge(part, register.0[lane], values[lane][i as usize]);
            }
        }
    }
}

/// Register (counted from the first) and part of it that hold component `i`.
fn place(packing: Packing, is_packed: bool, i: u8) -> (u8, Part) {
    match packing {
        Packing::Whole => (i, Part::Whole),
        Packing::D16Hi => (0, Part::High),
        Packing::D16 if !is_packed => (i, Part::Low),
        Packing::D16 => (i / 2, if i.is_multiple_of(2) { Part::Low } else { Part::High }),
    }
}
