//! Formatted accesses of MUBUF and MTBUF by [`fast`], of components of 32 bits. Each lane is in range with its whole
//! element, or out of it.

use std::mem::MaybeUninit;

use gcnsim_isa::buffer::BufferDescriptor;
use gcnsim_isa::table::{Load, Packing, Part, Store};
use gcnsim_isa::{LANES, Note, Notes, Vgpr};
use gcnsim_machine::Access;

use super::buffer::{BufferOp, Formatted, Row};
use super::descriptor::{self, Shape};
use super::element;
use super::fast::{self, Form, Located};
use super::format::Format;
use super::untyped::Untyped;
use super::{Body, Helper, Machine, MemoryOp, Refused, exchange, lanes, on_level};
use crate::Level;
use crate::host::lanes::union;
use crate::host::{Host, Lanes};

/// The helper of a formatted access.
pub(super) fn helper(formatted: Formatted, level: Level) -> Helper {
    match (formatted.is_store, formatted.packing) {
        (false, Packing::Whole) => on_level::<Formats<false>>(level),
        (true, Packing::Whole) => on_level::<Formats<true>>(level),
        _ => super::execute::<super::Any>,
    }
}

/// A formatted load or store.
struct Formats<const IS_STORE: bool>;

impl<const IS_STORE: bool> Body for Formats<IS_STORE> {
    #[inline(always)]
    fn run<H: Host>(host: H, op: &MemoryOp, m: &mut Machine<'_>) -> Result<(), Refused> {
        let op = BufferOp::of(op).ok_or(Refused)?;
        let Row::Formatted(formatted) = op.row else { return op.execute(m) };
        let done = if IS_STORE { op.store_fast(host, m, formatted) } else { op.load_fast(host, m, formatted) };
        done.map_or_else(|| op.execute(m), Ok)
    }
}

impl BufferOp {
    /// Format and addresses of an access, if [`fast`] takes them. Addresses are computed in `room`.
    #[inline(always)]
    fn formatted_form<'a, H: Host>(
        &self,
        host: H,
        m: &'a Machine<'_>,
        formatted: Formatted,
        room: &'a mut MaybeUninit<Lanes>,
        notes: &mut Notes,
    ) -> Option<(Format, Form<'a>)> {
        let v = BufferDescriptor(m.scalars.base);
        if self.access.lds || descriptor::is_unbound(v, m.arch, self.mode()) {
            return None;
        }
        let mut of_format = Notes::NONE;
        let format = self.format(m.arch, formatted, v, &mut of_format)?;
        let form = self.form(host, m, format.bytes(), room, notes)?;
        *notes = notes.or(of_format);
        let places = union(form.low, form.mask) | form.origin as u32;
        let is_aligned = places & (format.alignment() as u32 - 1) == 0;
        (is_aligned && !form.in_rows).then_some((format, form))
    }

    /// Executes a load.
    #[inline(always)]
    fn load_fast<H: Host>(&self, host: H, m: &mut Machine<'_>, formatted: Formatted) -> Option<()> {
        let moved = self.moved();
        if !m.has_destination(moved.to, moved.result) {
            return Some(());
        }
        let (mut room, mut notes) = (MaybeUninit::uninit(), Notes::NONE);
        let (format, form) = self.formatted_form(host, m, formatted, &mut room, &mut notes)?;
        let (exec, mask, bytes) = (m.scalars.exec, form.mask, format.bytes());
        let mut places = MaybeUninit::uninit();
        let elements = match mask {
            0 => None,
            _ => Some(fast::locate(host, m, &form, bytes.into(), Access::Load, &mut places)?),
        };
        let (elements, load) = (elements.as_ref(), Load { bytes, signed: false, part: Part::Whole });
        let mut raw = [Vgpr([0; LANES]); 4];
        match bytes {
            1 => fast::load::<_, 1>(elements, exec, load, false, &mut raw),
            2 => fast::load::<_, 2>(elements, exec, load, false, &mut raw),
            4 => fast::load::<_, 4>(elements, exec, load, false, &mut raw),
            8 => fast::load::<_, 8>(elements, exec, load, false, &mut raw),
            12 => fast::load::<_, 12>(elements, exec, load, false, &mut raw),
            _ => fast::load::<_, 16>(elements, exec, load, false, &mut raw),
        }
        let registers = m.vgprs[moved.to as usize..].iter_mut().take(formatted.components as usize);
        for (i, register) in registers.enumerate() {
            fast::blend(&mut register.0, exec, &format.load_all(&raw, mask, i));
        }
        notes.insert_if(mask != 0 && format.begins_with_two_bits(), Note::Format2bit);
        m.write_status(moved.to.saturating_add(moved.result - 1), moved.tfe);
        m.notes = m.notes.or(notes).or(format.selector_notes(formatted.components, false));
        Some(())
    }

    /// Executes a store that is not recorded.
    #[inline(always)]
    fn store_fast<H: Host>(&self, host: H, m: &mut Machine<'_>, formatted: Formatted) -> Option<()> {
        let first = self.access.vdata as usize;
        if m.context.is_recording() || first + formatted.components as usize > m.vgprs.len() {
            return None;
        }
        let (mut room, mut notes) = (MaybeUninit::uninit(), Notes::NONE);
        let (format, form) = self.formatted_form(host, m, formatted, &mut room, &mut notes)?;
        let (mask, bytes) = (form.mask, format.bytes());
        if mask != 0 {
            let mut places = MaybeUninit::uninit();
            let located = fast::locate(host, m, &form, bytes.into(), Access::Store, &mut places)?;
            notes = notes.or(format.selector_notes(formatted.components, true));
            let registers = &m.vgprs[first..first + formatted.components as usize];
            let elements = format.store_all(registers, mask, &mut notes);
            if store_elements(&located, bytes, &elements) && !m.noted.contains(Note::LaneOrder) {
                self.note_formatted_order(m, mask, bytes, &elements);
            }
        }
        m.notes = m.notes.or(notes);
        Some(())
    }

    /// Raises the note on the order of lanes if two lanes have stored different bytes to one place.
    #[cold]
    #[inline(never)]
    fn note_formatted_order(&self, m: &mut Machine<'_>, mask: u64, bytes: u8, dwords: &[Lanes; 4]) {
        let spots = self.spots(m, mask, Shape { components: 1, bytes }, false);
        let mut elements = [[0; 16]; LANES];
        for lane in lanes(mask) {
            (0..4).for_each(|k| element::set_dword(&mut elements[lane], k, dwords[k][lane]));
        }
        let differ = exchange::stores_differ(mask, &elements, |lane| spots.locate(lane));
        m.notes.insert_if(differ, Note::LaneOrder);
    }
}

/// Stores elements of `bytes` bytes. Returns whether two lanes may have stored different bytes to one place.
#[inline(always)]
pub(super) fn store_elements<H: Host>(located: &Located<'_, H>, bytes: u8, [a, b, c, d]: &[Lanes; 4]) -> bool {
    let (store, dwords) = (Store { bytes, high: false }, [a, b, c, d]);
    match bytes {
        1 => located.store::<1>(store, false, dwords),
        2 => located.store::<2>(store, false, dwords),
        4 => located.store::<4>(store, false, dwords),
        8 => located.store::<8>(store, false, dwords),
        12 => located.store::<12>(store, false, dwords),
        _ => located.store::<16>(store, false, dwords),
    }
}

#[cfg(test)]
#[path = "format_fast_tests.rs"]
mod tests;
