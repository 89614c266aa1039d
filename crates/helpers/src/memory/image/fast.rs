//! Loads and stores at integer coordinates, and samples, of all lanes at once: of level 0 of plain formats, by
//! [`fast`](super::super::fast). What is not so is declined before anything has changed, and goes lane by lane.

use std::mem::MaybeUninit;

use gcnsim_isa::buffer::{DataFormat, NumFormat, Selector};
use gcnsim_isa::image::{TexelFormat, TexelNumber};
use gcnsim_isa::table::{ImageMove, Load, MipLevel, Part, Texel};
use gcnsim_isa::{LANES, Note, Notes, Vgpr};
use gcnsim_machine::{Access, canonical};

use super::super::fast::{self, Form};
use super::super::host::{Host, Lanes, expanded, lanes_of};
use super::super::{Body, Machine, MemoryOp, Refused, convert, exchange, format_fast};
use super::resource::View;
use super::{ImageOp, access};

/// A formatted load of a texel.
pub(super) struct Loads;

/// A formatted store of a texel.
pub(super) struct Stores;

impl Body for Loads {
    #[inline(always)]
    fn run<H: Host>(op: &MemoryOp, m: &mut Machine<'_>) -> Result<(), Refused> {
        let op = ImageOp::of(op).ok_or(Refused)?;
        if m.context.world().is_some() {
            op.execute_on_lattice(m);
            return Ok(());
        }
        op.load_fast::<H>(m).map_or_else(|| op.execute(m), Ok)
    }
}

impl Body for Stores {
    #[inline(always)]
    fn run<H: Host>(op: &MemoryOp, m: &mut Machine<'_>) -> Result<(), Refused> {
        let op = ImageOp::of(op).ok_or(Refused)?;
        if m.context.world().is_some() {
            op.execute_on_lattice(m);
            return Ok(());
        }
        op.store_fast::<H>(m).map_or_else(|| op.execute(m), Ok)
    }
}

/// An image whose texels have plain components of a format that `convert` takes.
pub(super) struct Plain {
    pub view: View,
    pub format: DataFormat,
    pub number: NumFormat,
}

/// Where the texels of the lanes lie: `origin + at`, for those of the mask.
pub(super) struct Places {
    pub origin: u64,
    pub at: Lanes,
    pub mask: u64,
}

/// Lanes of no register.
const ZERO: Lanes = [0; LANES];

impl Plain {
    /// Bytes of a texel.
    fn bytes(&self) -> u8 {
        self.format.bytes
    }

    /// Component `k` of the lanes of a mask, after DST_SEL, from the dwords of texels; 0 of all others.
    #[inline(always)]
    fn component(&self, raw: &[Vgpr; 4], mask: u64, k: usize, signed_pairs: bool) -> Lanes {
        let mut values = match self.view.texels.select[k] {
            Selector::Zero | Selector::Reserved => return ZERO,
            Selector::One => [self.view.texels.one(); LANES],
            Selector::Component(component) => match self.format.fields.get(component as usize) {
                None if component == 3 => [self.view.texels.one(); LANES],
                None => return ZERO,
                Some(&field) => {
                    let (dword, shift) = (&raw[field.shift as usize / 32 % 4].0, field.shift % 32);
                    let bits = lanes_of!(lane => dword[lane] >> shift & (u32::MAX >> (32 - field.bits)));
                    match field.bits {
                        32 => bits,
                        width => convert::load_all(self.number, width, &bits, signed_pairs),
                    }
                }
            },
        };
        if mask != !0 {
            let active = expanded(mask);
            (0..LANES).for_each(|lane| values[lane] &= active[lane]);
        }
        values
    }

    /// Whether registers are the dwords of a texel: components of 32 bits, all in order.
    fn is_direct(&self, dmask: u8) -> bool {
        let count = self.format.fields.len();
        let in_order = |k: usize| self.view.texels.select[k] == Selector::Component(k as u8);
        dmask as usize == (1 << count) - 1
            && self.format.fields.iter().all(|field| field.bits == 32)
            && (0..count).all(in_order)
    }
}

impl ImageOp {
    /// The op, if it is one of MIMG.
    #[inline(always)]
    pub(super) fn of(op: &MemoryOp) -> Option<&ImageOp> {
        if let super::super::Action::Image(op) = &op.action { Some(op) } else { None }
    }

    /// The image, if it is one for this module.
    #[inline(always)]
    pub(super) fn plain(&self, m: &Machine<'_>) -> Option<Plain> {
        let t = self.descriptor(m.scalars);
        if self.access.d16 || self.access.a16 || t.is_compressed(m.arch) {
            return None;
        }
        let view = View::new(t, m.arch, self.access.r128)?;
        let (TexelFormat::Plain(format), TexelNumber::Plain(number)) = (view.texels.format, view.texels.number) else {
            return None;
        };
        let is_odd = format.fields.iter().any(|field| {
            let is_float = matches!(field.bits, 10 | 11 | 16 | 32);
            field.bits == 1 || number == NumFormat::Float && !is_float
        });
        (!is_odd && !view.kind.has_fragments() && view.base_level == 0).then_some(Plain { view, format, number })
    }

    /// The notes that do not depend on lanes, of an access to texels.
    #[inline(always)]
    pub(super) fn plain_notes(&self, m: &Machine<'_>, view: &View, is_store: bool) -> Notes {
        let mut notes = view.texels.notes(is_store);
        notes.insert_if(!self.descriptor(m.scalars).is_linear(m.arch), Note::TiledAsLinear);
        notes.insert_if(self.access.da != view.kind.has_layers(), Note::ImageDa);
        notes
    }

    /// Where the texels of the active lanes lie in level 0.
    #[inline(always)]
    fn places<H: Host>(&self, m: &Machine<'_>, view: &View) -> Option<Places> {
        let plane = view.first_plane();
        let [width, height, _] = view.size(0);
        let layers = view.layers(0);
        let bytes = view.bytes() as u64;
        let (pitch, slice) = (plane.pitch * bytes, plane.slice * bytes);
        let reach = (layers as u64 - 1) * slice + (height as u64 - 1) * pitch + width as u64 * bytes;
        if reach > u32::MAX as u64 {
            return None;
        }
        let first = self.access.vaddr as usize;
        let register = |n: u32| m.vgprs.get(first + n as usize).map(|register| &register.0);
        let (dimensions, count) = (view.kind.dimensions(), view.kind.coordinates());
        let x = register(0)?;
        let y = if dimensions > 1 { register(1)? } else { &ZERO };
        let z = if count > dimensions || dimensions > 2 { register(count - 1)? } else { &ZERO };
        let inside = lanes_of!(lane => (x[lane] < width && y[lane] < height && z[lane] < layers) as u32);
        let exec = m.scalars.exec;
        let mask = fast::nonzero::<H>(&inside) & exec;
        let (bytes, pitch, slice) = (bytes as u32, pitch as u32, slice as u32);
        let active = expanded(mask);
        let at = lanes_of!(lane => {
            let in_plane = x[lane].wrapping_mul(bytes).wrapping_add(y[lane].wrapping_mul(pitch));
            in_plane.wrapping_add(z[lane].wrapping_mul(slice)) & active[lane]
        });
        // The first layer of the view.
        let first = plane.slice.wrapping_mul(view.plane_number(0)).wrapping_mul(view.bytes() as u64);
        Some(Places { origin: canonical(view.base.wrapping_add(first)), at, mask })
    }

    /// Executes a load.
    #[inline(always)]
    fn load_fast<H: Host>(&self, m: &mut Machine<'_>) -> Option<()> {
        if self.moves != ImageMove::Load(MipLevel::First, Texel::Formatted) {
            return None;
        }
        let image = self.plain(m)?;
        if !m.has_destination(self.access.vdata, self.result) {
            return Some(());
        }
        let places = self.places::<H>(m, &image.view)?;
        let mut notes = self.plain_notes(m, &image.view, false);
        notes.insert_if(places.mask != m.scalars.exec, Note::ImageOutside);
        self.load_places::<H>(m, &image, &places)?;
        m.write_status(self.access.vdata.saturating_add(self.result - 1), self.tfe);
        m.notes = m.notes.or(notes);
        Some(())
    }

    /// Loads texels to the registers of the result: zeros to active lanes without one.
    #[inline(always)]
    pub(super) fn load_places<H: Host>(&self, m: &mut Machine<'_>, image: &Plain, places: &Places) -> Option<()> {
        let (exec, bytes, mask) = (m.scalars.exec, image.bytes(), places.mask);
        let form = Form { origin: places.origin, low: &places.at, mask, in_rows: false };
        let mut room = MaybeUninit::uninit();
        let elements = match mask {
            0 => None,
            _ => Some(fast::locate::<H>(m, &form, bytes.into(), Access::Load, &mut room)?),
        };
        let (elements, load) = (elements.as_ref(), Load { bytes, signed: false, part: Part::Whole });
        let (first, dmask) = (self.access.vdata as usize, self.access.dmask);
        let is_direct = image.is_direct(dmask);
        let mut raw = [Vgpr(ZERO); 4];
        let to = if is_direct { m.vgprs.get_mut(first..)? } else { &mut raw };
        match bytes {
            1 => fast::load::<H, 1>(elements, exec, load, false, to),
            2 => fast::load::<H, 2>(elements, exec, load, false, to),
            4 => fast::load::<H, 4>(elements, exec, load, false, to),
            8 => fast::load::<H, 8>(elements, exec, load, false, to),
            12 => fast::load::<H, 12>(elements, exec, load, false, to),
            _ => fast::load::<H, 16>(elements, exec, load, false, to),
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

    /// Executes a store that nobody records.
    #[inline(always)]
    fn store_fast<H: Host>(&self, m: &mut Machine<'_>) -> Option<()> {
        let count = self.access.dmask.count_ones() as usize;
        let first = self.access.vdata as usize;
        let is_formatted = self.moves == ImageMove::Store(MipLevel::First, Texel::Formatted);
        if !is_formatted || m.context.is_recording() || first + count > m.vgprs.len() {
            return None;
        }
        let image = self.plain(m)?;
        let places = self.places::<H>(m, &image.view)?;
        let mut notes = self.plain_notes(m, &image.view, true).or(self.store_notes(&image.view, Texel::Formatted));
        notes.insert_if(places.mask != m.scalars.exec, Note::ImageOutside);
        if places.mask != 0 {
            let form = Form { origin: places.origin, low: &places.at, mask: places.mask, in_rows: false };
            let mut room = MaybeUninit::uninit();
            let located = fast::locate::<H>(m, &form, image.bytes().into(), Access::Store, &mut room)?;
            let elements = self.elements(m, &image, places.mask, &mut notes);
            let may_differ = format_fast::store_elements(&located, image.bytes(), &elements);
            if may_differ && !m.noted.contains(Note::LaneOrder) {
                self.note_order(m, &places, image.bytes(), &elements, &mut notes);
            }
        }
        m.notes = m.notes.or(notes);
        Some(())
    }

    /// The dwords of the texels that registers make; notes are those of the lanes of a mask.
    #[inline(always)]
    fn elements(&self, m: &Machine<'_>, image: &Plain, mask: u64, notes: &mut Notes) -> [Lanes; 4] {
        let active = expanded(mask);
        let mut elements = [ZERO; 4];
        let mut taken = 0u8;
        let registers = m.vgprs.iter().skip(self.access.vdata as usize);
        for (k, Vgpr(register)) in (0..4).filter(|k| self.access.dmask >> k & 1 == 1).zip(registers) {
            let Selector::Component(channel) = image.view.texels.select[k] else { continue };
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

    /// Notes that lanes have stored different bytes to one texel, if they have.
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
