//! Loads, stores and atomics at integer coordinates, lane by lane, and the size of an image (docs/gcn/images.md).

use gcnsim_isa::buffer::{NumFormat, Selector};
use gcnsim_isa::image::{ImageType, TexelFormat};
use gcnsim_isa::table::{Atomic, MipLevel, Part, Texel};
use gcnsim_isa::{LANES, Note, Notes};
use gcnsim_machine::Place;

use super::super::atomics::Operation;
use super::super::element::{self, Element, dword, set_dword};
use super::super::exchange::{self, Pieces};
use super::super::{Machine, Refused, convert, lanes};
use super::ImageOp;
use super::address::{Coordinates, Reader};
use super::resource::{Image, Spot, View};
use crate::host::Lanes;

/// Four components of each lane.
pub(super) type Values = [[u32; 4]; LANES];

impl Image {
    /// Loads the element of a texel.
    pub fn load(&self, m: &mut Machine<'_>, spot: Spot) -> Result<Element, Refused> {
        let mut element = [0; 16];
        let address = self.address(spot, &mut m.notes);
        let pieces = Pieces::one(Place::Memory, address, self.bytes() as u8);
        pieces.load(m.context, &mut element, &mut m.notes)?;
        Ok(element)
    }

    /// The texel of a lane; `None` if it is outside.
    fn spot(&self, m: &mut Machine<'_>, reader: &Reader, c: &Coordinates, lane: usize) -> Option<Spot> {
        let [x, y, z] = c.at.map(|operand| reader.integer(m, operand, lane));
        let layer = reader.integer(m, c.layer, lane);
        let fragment = reader.integer(m, c.fragment, lane);
        let level = reader.integer(m, c.level, lane);
        if level >= self.levels {
            return None;
        }
        let z = if self.kind == ImageType::D3 { z } else { layer };
        let [width, height, _] = self.size(level);
        let is_inside = x < width && y < height && z < self.layers_in_reach(level) && fragment < self.samples;
        is_inside.then_some(Spot { level, x, y, z, fragment })
    }
}

impl ImageOp {
    /// The texels of active lanes. Notes say whether some are outside.
    pub(super) fn spots(&self, m: &mut Machine<'_>, image: &Image, level: MipLevel) -> [Option<Spot>; LANES] {
        let coordinates = Coordinates::new(image.kind, level == MipLevel::Mip, self.access.a16);
        let reader = Reader { first: self.access.vaddr };
        let mut spots = [None; LANES];
        for lane in lanes(m.scalars.exec) {
            spots[lane] = image.spot(m, &reader, &coordinates, lane);
            m.notes.insert_if(spots[lane].is_none(), Note::ImageOutside);
        }
        spots
    }

    /// Executes a load. Returns the components of the lanes: zeros outside the image.
    pub(super) fn load(
        &self,
        m: &mut Machine<'_>,
        image: &Image,
        level: MipLevel,
        texel: Texel,
    ) -> Result<Values, Refused> {
        let spots = self.spots(m, image, level);
        let mut values = [[0; 4]; LANES];
        for lane in lanes(m.scalars.exec) {
            let Some(spot) = spots[lane] else { continue };
            let element = image.load(m, spot)?;
            values[lane] = match texel {
                Texel::Formatted => image.texels.selected(image.texels.components(&element, [spot.x, spot.y])),
                Texel::Raw => std::array::from_fn(|k| dword(&element, k)),
                Texel::RawSigned => {
                    let mut dwords = std::array::from_fn(|k| dword(&element, k));
                    match image.bytes() {
                        1 => dwords[0] = dwords[0] as i8 as u32,
                        2 => dwords[0] = dwords[0] as i16 as u32,
                        _ => {}
                    }
                    dwords
                }
            };
        }
        Ok(values)
    }

    /// Executes a store.
    pub(super) fn store(
        &self,
        m: &mut Machine<'_>,
        image: &Image,
        level: MipLevel,
        texel: Texel,
    ) -> Result<(), Refused> {
        m.notes = m.notes.or(self.store_notes(image, texel));
        let spots = self.spots(m, image, level);
        let values = self.read_components(m);
        let mut elements = [[0; 16]; LANES];
        let mut mask = 0;
        for lane in lanes(m.scalars.exec) {
            if spots[lane].is_some() {
                mask |= 1 << lane;
                elements[lane] = self.element(image, texel, &values[lane], &mut m.notes);
            }
        }
        let (pieces, mut notes) = (self.pieces(m, image, &spots, image.bytes() as u8), Notes::NONE);
        exchange::store(m.context, mask, &elements, &mut notes, |lane| Ok(pieces[lane]))?;
        m.notes = m.notes.or(notes);
        Ok(())
    }

    /// The places in memory of the lanes' texels, of `bytes` bytes each.
    fn pieces(&self, m: &mut Machine<'_>, image: &Image, spots: &[Option<Spot>; LANES], bytes: u8) -> [Pieces; LANES] {
        spots.map(|spot| match spot {
            Some(spot) => Pieces::one(Place::Memory, image.address(spot, &mut m.notes), bytes),
            None => Pieces::NONE,
        })
    }

    /// The element that a store makes of the values of a lane's registers.
    fn element(&self, image: &Image, texel: Texel, values: &[u32; 4], notes: &mut Notes) -> Element {
        let mut element = [0; 16];
        let named = (0..4).filter(|k| self.access.dmask >> k & 1 == 1).zip(values);
        if texel != Texel::Formatted {
            named.for_each(|(k, value)| set_dword(&mut element, k, *value));
            return element;
        }
        let mut components = [None; 4];
        for (k, value) in named {
            if let Selector::Component(channel) = image.texels.select[k] {
                let value = if self.access.d16 { image.texels.widened(*value) } else { *value };
                components[channel as usize].get_or_insert(value);
            }
        }
        image.texels.element(components, notes).unwrap_or(element)
    }

    /// The notes of a store that leaves out parts of texels, or has two values for one.
    pub(super) fn store_notes(&self, image: &View, texel: Texel) -> Notes {
        let mut notes = Notes::NONE;
        let dmask = self.access.dmask;
        if texel != Texel::Formatted {
            let dwords = image.bytes().div_ceil(4);
            notes.insert_if((0..dwords).any(|k| dmask >> k & 1 == 0), Note::MimgStoreDmask);
            return notes;
        }
        let mut named = [0; 4];
        for k in (0..4).filter(|k| dmask >> k & 1 == 1) {
            if let Selector::Component(channel) = image.texels.select[k] {
                named[channel as usize] += 1;
            }
        }
        let count = if let TexelFormat::Plain(format) = image.texels.format { format.fields.len() } else { 0 };
        notes.insert_if(named[..count].contains(&0), Note::MimgStoreDmask);
        notes.insert_if(named.iter().any(|times| *times > 1), Note::FormatDstSel);
        notes
    }

    /// Executes an atomic. Returns the old values.
    pub(super) fn atomic(
        &self,
        m: &mut Machine<'_>,
        image: &Image,
        atomic: Atomic,
    ) -> Result<[Element; LANES], Refused> {
        let spots = self.spots(m, image, MipLevel::First);
        let bytes = 4 * self.atomic_dwords;
        let operation = Operation { atomic, bytes, mode: m.scalars.mode };
        let data = m.read_atomic(self.access.vdata, operation);
        let mask = lanes(m.scalars.exec).filter(|&lane| spots[lane].is_some()).fold(0, |mask, lane| mask | 1 << lane);
        let (pieces, mut notes) = (self.pieces(m, image, &spots, bytes), Notes::NONE);
        let glc = self.access.glc;
        let old = exchange::atomic(m.context, mask, operation, &data, glc, &mut notes, |lane| Ok(pieces[lane]))?;
        m.notes = m.notes.or(notes);
        Ok(old)
    }

    /// The results of IMAGE_GET_RESINFO: width, height, depth or layers, and the number of levels.
    pub(super) fn size(&self, m: &mut Machine<'_>, image: &Image) -> Values {
        let reader = Reader { first: self.access.vaddr };
        let level = Coordinates::new(ImageType::D1, false, self.access.a16).at[0];
        let mut values = [[0; 4]; LANES];
        for lane in lanes(m.scalars.exec) {
            let level = reader.integer(m, level, lane);
            values[lane][3] = image.levels;
            if level >= image.levels {
                m.notes.insert(Note::ImageOutside);
                continue;
            }
            let [width, height, _] = image.size(level);
            let layers = image.layers(level);
            let is_row = image.resource == ImageType::D1Array && !image.arch.is_gcn14_or_later();
            values[lane] = [width, if is_row { layers } else { height }, layers, image.levels];
        }
        values
    }

    /// Reads the data registers of all active lanes: the components that DMASK names, in order.
    pub(super) fn read_components(&self, m: &mut Machine<'_>) -> Values {
        let mut values = [[0; 4]; LANES];
        for i in 0..self.access.dmask.count_ones() as u8 {
            let (n, part) = self.register(m, i);
            for lane in lanes(m.scalars.exec) {
                let register = m.vgpr(self.access.vdata, n, lane);
                values[lane][i as usize] = match part {
                    Part::Whole => register,
                    Part::Low => register & 0xffff,
                    Part::High => register >> 16,
                };
            }
        }
        values
    }

    /// The register of component `i` of the data, and the part of it.
    pub(super) fn register(&self, m: &Machine<'_>, i: u8) -> (u8, Part) {
        match (self.access.d16, m.arch.packs_d16()) {
            (false, _) => (i, Part::Whole),
            (true, false) => (i, Part::Low),
            (true, true) => (i / 2, if i.is_multiple_of(2) { Part::Low } else { Part::High }),
        }
    }

    /// Moves the components that DMASK names to the front. Returns their number. If it names none, there is one
    /// component, which is 0.
    pub(super) fn chosen(&self, values: &mut Values) -> u8 {
        let dmask = self.access.dmask;
        for of_lane in values.iter_mut() {
            let mut chosen = [0; 4];
            let named = (0..4).filter(|k| dmask >> k & 1 == 1);
            named.zip(&mut chosen).for_each(|(k, chosen)| *chosen = of_lane[k]);
            *of_lane = chosen;
        }
        (dmask.count_ones() as u8).max(1)
    }

    /// Writes the first `count` components of active lanes to registers.
    pub(super) fn write_components(&self, m: &mut Machine<'_>, values: &Values, count: u8, is_float: bool) {
        let exec = m.scalars.exec;
        for i in 0..count {
            let (n, part) = self.register(m, i);
            // If each half has a register of its own, the other half of the register becomes 0.
            let part = if m.arch.packs_d16() { part } else { Part::Whole };
            for lane in lanes(exec) {
                let value = values[lane][i as usize];
                let value = if self.access.d16 { half(value, is_float, &mut m.notes) } else { value };
                let Some(register) = m.vgprs.get_mut(self.access.vdata as usize + n as usize) else { return };
                register.0[lane] = element::merge(part, register.0[lane], value);
            }
        }
    }
}

/// A component of 32 bits as 16 bits (D16).
fn half(value: u32, is_float: bool, notes: &mut Notes) -> u32 {
    if !is_float {
        return value & 0xffff;
    }
    let half = convert::to_f16_nearest(value);
    notes.insert_if(half.is_lossy, Note::FormatD16Round);
    half.bits
}

/// The note of a store whose value the number format cannot hold, or for which it has several encodings.
pub(super) fn lossy_note(number: NumFormat) -> Note {
    match number {
        NumFormat::Uscaled | NumFormat::Sscaled | NumFormat::SnormOgl => Note::FormatScaledStore,
        NumFormat::Float => Note::FormatF16Store,
        _ => Note::FormatIntStore,
    }
}

/// The elements with the given dwords, by lane.
pub(super) fn elements_of(dwords: &[Lanes; 4]) -> [Element; LANES] {
    let mut elements = [[0; 16]; LANES];
    for (lane, element) in elements.iter_mut().enumerate() {
        (0..4).for_each(|k| set_dword(element, k, dwords[k][lane]));
    }
    elements
}
