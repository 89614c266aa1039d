//! Gathers of all lanes at once, of plain formats: a component of the four texels that a linear filter would blend.
//!
//! Lanes have to meet one level. What else is left to single lanes is what samples leave to them.

use gcnsim_isa::buffer::Selector;
use gcnsim_isa::table::ImageMove;
use gcnsim_isa::{LANES, Note};

use super::super::fast;
use super::super::{Body, Machine, MemoryOp, Refused};
use super::ImageOp;
use super::fast_sample::{Look, corner};
use super::known::Plain;
use super::levels;
use super::sample::{self, Kind};
use crate::host::lanes::lanes_of;
use crate::host::{Host, Lanes};

/// The function of IMAGE_GATHER4*.
pub(super) struct Gathers;

super::fast::body!(Gathers, gather_fast);

impl ImageOp {
    /// Executes a gather.
    #[inline(always)]
    fn gather_fast<H: Host>(&self, host: H, m: &mut Machine<'_>, image: &Plain) -> Option<()> {
        let ImageMove::Gather(lookup) = self.moves else { return None };
        if self.access.a16 || self.access.d16 {
            return None;
        }
        if !m.has_destination(self.access.vdata, self.result) {
            return Some(());
        }
        let (look, view) = (Look::new(self, image, m, lookup, true), &image.image);
        let level = levels::of_lanes(host, &look, m)?.only()?;
        let mut notes = self.load_notes(image);
        notes = notes.or(sample::notes(view, look.sampler, Kind::Gather, lookup, look.exec));
        notes.insert_if(view.is_level_in_doubt(level), Note::MipLayout);
        let flat = look.flat(level)?;
        let [x, y, z] = &look.meet(host, m, &flat, [true, false])?;
        let region = fast::region(m, flat.origin, flat.reach(look.layers_in_reach(&flat))?)?;
        let border = if look.has_border() { Some(look.border()?) } else { None };
        // A texel beyond the border has no place, and raises no note on it.
        if border.is_some() && view.is_level_in_doubt(level) {
            return None;
        }
        let is_row = view.kind.dimensions() == 1;
        let order = if is_row { [[0, 0], [1, 0], [1, 0], [0, 0]] } else { [[0, 1], [1, 1], [1, 0], [0, 0]] };
        let mut found = [[0; LANES]; 4];
        for (found, [i, j]) in found.iter_mut().zip(order) {
            let (at, outside) = corner([&x.at[i], &y.at[j], &z.at[0]], border.is_some());
            let texels = region.texels(host, &at, image.format.bytes)?;
            let component = |c: u8| {
                let values = image.channel(&texels, c, m.arch.has_signed_pairs());
                let Some(border) = border else { return values };
                lanes_of!(lane => if outside[lane] == 0 { values[lane] } else { border[c as usize % 4] })
            };
            *found = match self.gathered(image) {
                _ if lookup.compares => look.compared(look.register(m, look.operands.reference)?, &component(0)),
                Selector::Zero | Selector::Reserved => [0; LANES],
                Selector::One => [view.texels.one(); LANES],
                Selector::Component(c) => component(c),
            };
        }
        self.write_gathered(m, &found)?;
        m.write_status(self.access.vdata.saturating_add(self.result - 1), self.tfe);
        m.notes = m.notes.or(notes);
        Some(())
    }

    /// What DST_SEL says of the component that DMASK names: of several the first, of none X.
    fn gathered(&self, image: &Plain) -> Selector {
        let component = (0..4).find(|k| self.access.dmask >> k & 1 == 1).unwrap_or(0);
        image.image.texels.select[component]
    }

    /// Writes the result.
    #[inline(always)]
    fn write_gathered(&self, m: &mut Machine<'_>, found: &[Lanes; 4]) -> Option<()> {
        let exec = m.scalars.exec;
        let registers = m.vgprs.get_mut(self.access.vdata as usize..)?.first_chunk_mut::<4>()?;
        for (register, found) in registers.iter_mut().zip(found) {
            fast::blend(&mut register.0, exec, found);
        }
        Some(())
    }
}
