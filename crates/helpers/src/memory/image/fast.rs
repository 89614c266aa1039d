//! Loads and stores at integer coordinates of all lanes at once: in level 0 of images of plain formats, by
//! [`fast`](super::super::fast). All others are declined before anything has changed, and go lane by lane.

use std::mem::MaybeUninit;

use gcnsim_isa::buffer::Selector;
use gcnsim_isa::table::{ImageMove, Load, MipLevel, Part, Texel};
use gcnsim_isa::{LANES, Note, Notes, Vgpr};
use gcnsim_machine::Access;

use super::super::fast::{self, Form};
use super::super::{Body, Machine, MemoryOp, Refused, convert, exchange, format_fast};
use super::known::Plain;
use super::{ImageOp, access, texel};
use crate::host::lanes::{expanded, lanes_of};
use crate::host::{Host, Lanes};

/// The function of IMAGE_LOAD.
pub(super) struct Loads;

/// The function of IMAGE_STORE.
pub(super) struct Stores;

/// Defines the function of rows that the method `$fast` executes for all lanes at once, if the image is plain and the
/// method takes it. The method also gets the field `$field` of the image in the cache. It is a macro so that the method
/// is inlined into the helper of each level.
macro_rules! body {
    ($Body:ident, $fast:ident $(, $field:ident)?) => {
        impl Body for $Body {
            #[inline(always)]
            fn run<H: Host>(host: H, op: &MemoryOp, m: &mut Machine<'_>) -> Result<(), Refused> {
                let op = ImageOp::of(op).ok_or(Refused)?;
                if m.context.world().is_some() {
                    op.execute_on_lattice(m);
                    return Ok(());
                }
                let mut known = op.known(m);
                let super::known::Known { plain, $($field,)? .. } = &mut *known;
                let done = match plain {
                    Some(image) => op.$fast(host, m, image $(, $field)?),
                    None => None,
                };
                op.keep(m, known);
                done.map_or_else(|| op.execute(m), Ok)
            }
        }
    };
}
pub(super) use body;

body!(Loads, load_fast);
body!(Stores, store_fast);

/// The addresses of the texels of the lanes of `mask`: `origin + at`.
pub(super) struct Places {
    pub origin: u64,
    pub at: Lanes,
    pub mask: u64,
}

/// The lanes that stand for a register that the instruction does not have.
const ZERO: Lanes = [0; LANES];

impl Plain {
    /// Component `c` of texels before DST_SEL. `raw` has the dwords of the texels.
    #[inline(always)]
    pub(super) fn channel(&self, raw: &[Vgpr; 4], c: u8, signed_pairs: bool) -> Lanes {
        let Some(&field) = self.format.fields.get(c as usize) else {
            return if c == 3 { [self.image.texels.one(); LANES] } else { ZERO };
        };
        let (dword, shift) = (&raw[field.shift as usize / 32 % 4].0, field.shift % 32);
        let bits = lanes_of!(lane => dword[lane] >> shift & (u32::MAX >> (32 - field.bits)));
        match field.bits {
            32 => bits,
            8 if self.is_srgb && c < 3 => texel::linear_bytes(&bits),
            width => convert::load_all(self.number, width, &bits, signed_pairs),
        }
    }

    /// Component `k` of texels after DST_SEL, for the lanes of `mask`; 0 for others. `raw` has the dwords of the
    /// texels.
    #[inline(always)]
    fn component(&self, raw: &[Vgpr; 4], mask: u64, k: usize, signed_pairs: bool) -> Lanes {
        let mut values = match self.image.texels.select[k] {
            Selector::Zero | Selector::Reserved => return ZERO,
            Selector::One => [self.image.texels.one(); LANES],
            Selector::Component(c) => self.channel(raw, c, signed_pairs),
        };
        if mask != !0 {
            let active = expanded(mask);
            (0..LANES).for_each(|lane| values[lane] &= active[lane]);
        }
        values
    }
}

impl ImageOp {
    /// The image instruction of an op, if it is one.
    #[inline(always)]
    pub(super) fn of(op: &MemoryOp) -> Option<&ImageOp> {
        if let super::super::Action::Image(op) = &op.action { Some(op) } else { None }
    }

    /// The notes of a load or a sample that do not depend on lanes.
    #[inline(always)]
    pub(super) fn load_notes(&self, image: &Plain) -> Notes {
        let mut notes = image.load_notes;
        notes.insert_if(self.access.da != image.image.resource.has_layers(), Note::ImageDa);
        notes
    }

    /// The places of the active lanes' texels in level 0; `None` if this way does not take them.
    #[inline(always)]
    fn places<H: Host>(&self, host: H, m: &Machine<'_>, image: &Plain) -> Option<Places> {
        let flat = image.flat.as_ref()?;
        let first = self.access.vaddr as usize;
        let registers = m.vgprs.get(first..)?;
        let register = |n: u8| registers.get(n as usize).map(|register| &register.0);
        let ([width, height, depth], [step_x, step_y, step_z]) = (flat.sizes, flat.steps);
        let x = register(0)?;
        let (mut at, inside);
        if let (Some(y), None) = (flat.y, flat.z) {
            let y = register(y)?;
            inside = lanes_of!(lane => (x[lane] < width && y[lane] < height) as u32);
            at = lanes_of!(lane => x[lane].wrapping_mul(step_x).wrapping_add(y[lane].wrapping_mul(step_y)));
        } else {
            let y = if let Some(y) = flat.y { register(y)? } else { &ZERO };
            let z = if let Some(z) = flat.z { register(z)? } else { &ZERO };
            inside = lanes_of!(lane => (x[lane] < width && y[lane] < height && z[lane] < depth) as u32);
            at = lanes_of!(lane => {
                let in_plane = x[lane].wrapping_mul(step_x).wrapping_add(y[lane].wrapping_mul(step_y));
                in_plane.wrapping_add(z[lane].wrapping_mul(step_z))
            });
        }
        let mask = host.nonzero(&inside) & m.scalars.exec;
        if mask != !0 {
            let active = expanded(mask);
            (0..LANES).for_each(|lane| at[lane] &= active[lane]);
        }
        Some(Places { origin: flat.origin, at, mask })
    }

    /// Executes a load; `None` if this way does not take it, and nothing has changed.
    #[inline(always)]
    fn load_fast<H: Host>(&self, host: H, m: &mut Machine<'_>, image: &Plain) -> Option<()> {
        if self.moves != ImageMove::Load(MipLevel::First, Texel::Formatted) || self.access.d16 || self.access.a16 {
            return None;
        }
        if !m.has_destination(self.access.vdata, self.result) {
            return Some(());
        }
        let places = self.places(host, m, image)?;
        let mut notes = self.load_notes(image);
        notes.insert_if(places.mask != m.scalars.exec, Note::ImageOutside);
        notes.insert_if(places.mask != 0 && image.image.is_level_in_doubt(0), Note::MipLayout);
        self.load_places(host, m, image, &places)?;
        m.write_status(self.access.vdata.saturating_add(self.result - 1), self.tfe);
        m.notes = m.notes.or(notes);
        Some(())
    }

    /// Loads texels to the registers of the result. Active lanes without a texel get zeros.
    #[inline(always)]
    pub(super) fn load_places<H: Host>(
        &self,
        host: H,
        m: &mut Machine<'_>,
        image: &Plain,
        places: &Places,
    ) -> Option<()> {
        let (exec, bytes, mask) = (m.scalars.exec, image.format.bytes, places.mask);
        let form = Form { origin: places.origin, low: &places.at, mask, in_rows: false, buffer: (0, 0) };
        let mut room = MaybeUninit::uninit();
        let elements = match mask {
            0 => None,
            _ => Some(fast::locate(host, m, &form, bytes.into(), Access::Load, &mut room)?),
        };
        let (elements, load) = (elements.as_ref(), Load { bytes, signed: false, part: Part::Whole });
        let (first, dmask) = (self.access.vdata as usize, self.access.dmask);
        let is_direct = dmask != 0 && dmask == image.direct;
        let mut raw = [Vgpr(ZERO); 4];
        let to = if is_direct { m.vgprs.get_mut(first..)? } else { &mut raw };
        match bytes {
            1 => fast::load::<_, 1>(elements, exec, load, false, to),
            2 => fast::load::<_, 2>(elements, exec, load, false, to),
            4 => fast::load::<_, 4>(elements, exec, load, false, to),
            8 => fast::load::<_, 8>(elements, exec, load, false, to),
            12 => fast::load::<_, 12>(elements, exec, load, false, to),
            _ => fast::load::<_, 16>(elements, exec, load, false, to),
        }
        if is_direct {
            return Some(());
        }
        let signed_pairs = m.arch.has_signed_pairs();
        let mut registers = m.vgprs.get_mut(first..)?.iter_mut();
        if dmask == 0 {
            fast::blend(&mut registers.next()?.0, exec, &ZERO);
        }
        for k in (0..4).filter(|k| dmask >> k & 1 == 1) {
            fast::blend(&mut registers.next()?.0, exec, &image.component(&raw, mask, k, signed_pairs));
        }
        Some(())
    }

    /// Executes a store that is not recorded; `None` if this way does not take it, and nothing has changed.
    #[inline(always)]
    fn store_fast<H: Host>(&self, host: H, m: &mut Machine<'_>, image: &Plain) -> Option<()> {
        let count = self.access.dmask.count_ones() as usize;
        let first = self.access.vdata as usize;
        let is_formatted = self.moves == ImageMove::Store(MipLevel::First, Texel::Formatted);
        let is_half = self.access.d16 || self.access.a16;
        if !is_formatted || is_half || image.is_srgb || m.context.is_recording() || first + count > m.vgprs.len() {
            return None;
        }
        let places = self.places(host, m, image)?;
        let mut notes = image.store_notes.or(self.store_notes(&image.image, Texel::Formatted));
        notes.insert_if(self.access.da != image.image.resource.has_layers(), Note::ImageDa);
        notes.insert_if(places.mask != m.scalars.exec, Note::ImageOutside);
        notes.insert_if(places.mask != 0 && image.image.is_level_in_doubt(0), Note::MipLayout);
        if places.mask != 0 {
            let form =
                Form { origin: places.origin, low: &places.at, mask: places.mask, in_rows: false, buffer: (0, 0) };
            let mut room = MaybeUninit::uninit();
            let located = fast::locate(host, m, &form, image.format.bytes.into(), Access::Store, &mut room)?;
            let elements = self.elements(m, image, places.mask, &mut notes);
            let may_differ = format_fast::store_elements(&located, image.format.bytes, &elements);
            if may_differ && !m.noted.contains(Note::LaneOrder) {
                self.note_order(m, &places, image.format.bytes, &elements, &mut notes);
            }
        }
        m.notes = m.notes.or(notes);
        Some(())
    }

    /// The dwords of the texels that a store makes of registers. Adds the notes of the lanes of `mask`.
    #[inline(always)]
    fn elements(&self, m: &Machine<'_>, image: &Plain, mask: u64, notes: &mut Notes) -> [Lanes; 4] {
        let active = expanded(mask);
        let mut elements = [ZERO; 4];
        let mut taken = 0u8;
        let registers = m.vgprs.iter().skip(self.access.vdata as usize);
        for (k, Vgpr(register)) in (0..4).filter(|k| self.access.dmask >> k & 1 == 1).zip(registers) {
            let Selector::Component(channel) = image.image.texels.select[k] else { continue };
            let Some(&field) = image.format.fields.get(channel as usize) else { continue };
            if taken >> channel & 1 == 1 {
                continue;
            }
            taken |= 1 << channel;
            let dword = &mut elements[field.shift as usize / 32 % 4];
            if field.bits == 32 {
                *dword = *register;
                continue;
            }
            let (bits, is_lossy) = convert::store_all(image.number, field.bits, register, &active);
            (0..LANES).for_each(|lane| dword[lane] |= bits[lane] << (field.shift % 32));
            notes.insert_if(is_lossy, access::lossy_note(image.number));
        }
        elements
    }

    /// Adds the note on the order of lanes, if two lanes have stored different bytes to one texel.
    #[cold]
    #[inline(never)]
    fn note_order(&self, m: &Machine<'_>, places: &Places, bytes: u8, dwords: &[Lanes; 4], notes: &mut Notes) {
        let elements = access::elements_of(dwords);
        let locate = |lane: usize| {
            let address = places.origin.wrapping_add(places.at[lane] as u64);
            Ok(exchange::Pieces::one(gcnsim_machine::Place::Memory, address, bytes))
        };
        let differ = exchange::stores_differ(places.mask & m.scalars.exec, &elements, locate);
        notes.insert_if(differ, Note::LaneOrder);
    }
}
