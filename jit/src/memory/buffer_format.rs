//! Formatted accesses of MUBUF and MTBUF (`memory.md` section 6).

use std::mem::MaybeUninit;

use gcnsim_isa::buffer::BufferDescriptor;
use gcnsim_isa::{LANES, Note, Notes, Vgpr};
use gcnsim_machine::Access;

use super::buffer::{BufferOp, Spots};
use super::buffer_rows::{Formatted, Layout};
use super::descriptor::{self, Shape};
use super::element::{Load, Part};
use super::fast;
use super::format::Format;
use super::host::Host;
use super::registers::Transfer;
use super::untyped::Untyped;
use super::{Machine, Refused, exchange, lanes};

impl BufferOp {
    /// Executes it.
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
        let format = self.format(m, formatted, v);
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

    /// A load of 32-bit components by [`fast`], if all lanes are in range with their whole elements or out of it.
    pub fn fast_load_format<H: Host>(&self, m: &mut Machine<'_>, formatted: Formatted) -> Option<()> {
        let v = BufferDescriptor(m.scalars.base);
        let is_simple = !formatted.is_store && formatted.layout == Layout::Dwords && !self.access.lds;
        if !is_simple || descriptor::is_unbound(v, m.arch, self.mode()) {
            return None;
        }
        let format = self.format(m, formatted, v)?;
        let (exec, bytes) = (m.scalars.exec, format.bytes());
        let mut room = MaybeUninit::uninit();
        let mut notes = Notes::NONE;
        let form = self.form::<H>(m, bytes, &mut room, &mut notes)?;
        let places = fast::union::<H>(form.low, form.mask) | form.origin as u32;
        if form.in_rows || !u64::from(places).is_multiple_of(format.alignment()) {
            return None;
        }
        let mask = form.mask;
        let elements = match mask {
            0 => None,
            _ => Some(fast::locate::<H>(m, &form, bytes.into(), Access::Load)?),
        };
        let mut raw = [Vgpr([0; LANES]); 4];
        let load = Load { bytes, signed: false, part: Part::Whole };
        match bytes {
            1 => fast::load::<H, 1>(elements.as_ref(), exec, load, false, &mut raw),
            2 => fast::load::<H, 2>(elements.as_ref(), exec, load, false, &mut raw),
            4 => fast::load::<H, 4>(elements.as_ref(), exec, load, false, &mut raw),
            8 => fast::load::<H, 8>(elements.as_ref(), exec, load, false, &mut raw),
            12 => fast::load::<H, 12>(elements.as_ref(), exec, load, false, &mut raw),
            _ => fast::load::<H, 16>(elements.as_ref(), exec, load, false, &mut raw),
        }
        let registers = m.vgprs[self.access.vdata as usize..].iter_mut().take(formatted.components as usize);
        for (i, register) in registers.enumerate() {
            fast::blend(&mut register.0, exec, &format.load_all(&raw, mask, i));
        }
        notes.insert_if(mask != 0 && format.begins_with_two_bits(), Note::Format2bit);
        m.write_status(self.access.vdata.saturating_add(self.moved().result - 1), self.moved().tfe);
        m.notes = m.notes.or(notes).or(format.selector_notes(formatted.components, false));
        Some(())
    }

    /// The format, if it is one, and the notes on it. Descriptors without a format are those of no buffer, but for
    /// ADDR64.
    fn format(&self, m: &mut Machine<'_>, formatted: Formatted, v: BufferDescriptor) -> Option<Format> {
        let is_half = formatted.layout != Layout::Dwords;
        if self.is_typed {
            return Format::new(self.access.format, m.arch, is_half, &mut m.notes);
        }
        if v.data_format() == 0 && !self.access.addr64 {
            return None;
        }
        let format = Format::new((v.data_format(), v.num_format()), m.arch, is_half, &mut m.notes)?;
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
        let elements = exchange::load(m.context, mask, |lane| spots.locate(lane))?;
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
        let is_packed = m.arch.is_gcn14_or_later();
        let mut values = [[0; 4]; LANES];
        for i in 0..formatted.components {
            let (n, part) = place(formatted.layout, is_packed, i);
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
        let is_packed = m.arch.is_gcn14_or_later();
        for i in 0..formatted.components {
            let (n, part) = place(formatted.layout, is_packed, i);
            let Some(register) = m.vgprs.get_mut(self.access.vdata as usize + n as usize) else { return };
            // A register of its own for each half leaves nothing of the old value.
            let part = if is_packed { part } else { Part::Whole };
            for lane in lanes(exec) {
                register.0[lane] = part.merge(register.0[lane], values[lane][i as usize]);
            }
        }
    }
}

/// The register of component `i`, counted from the first, and the part of it.
fn place(layout: Layout, is_packed: bool, i: u8) -> (u8, Part) {
    match layout {
        Layout::Dwords => (i, Part::Whole),
        Layout::HighHalf => (0, Part::High),
        Layout::Halves if !is_packed => (i, Part::Low),
        Layout::Halves => (i / 2, if i.is_multiple_of(2) { Part::Low } else { Part::High }),
    }
}
