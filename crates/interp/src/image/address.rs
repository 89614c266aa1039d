//! What the address registers of a lane say (docs/gcn/images.md#address-registers).

use gcnsim_isa::ImageAccess;
use gcnsim_isa::table::{LodSource, Lookup};
use gcnsim_isa::{Note, Notes};

use super::view::View;
use crate::memory::Machine;
use crate::vector::stage::widened;

/// Reads address registers in order.
pub(super) struct Cursor<'a, 'm> {
    m: &'a mut Machine<'m>,
    lane: u8,
    first: u8,
    /// Registers behind the first one.
    at: u8,
    /// Is the low half of the next register taken?
    in_half: bool,
    is_short: bool,
}

impl<'a, 'm> Cursor<'a, 'm> {
    pub fn new(m: &'a mut Machine<'m>, access: &ImageAccess, lane: u8) -> Cursor<'a, 'm> {
        Cursor { m, lane, first: access.vaddr, at: 0, in_half: false, is_short: access.a16 }
    }

    /// A value of 32 bits.
    pub fn whole(&mut self) -> u32 {
        self.restart();
        self.at += 1;
        self.m.vgpr(self.first, self.at - 1, self.lane)
    }

    /// The next value begins a register.
    pub fn restart(&mut self) {
        self.at += self.in_half as u8;
        self.in_half = false;
    }

    /// A value of 32 bits, or of 16 with A16.
    pub fn next(&mut self) -> u32 {
        if !self.is_short {
            return self.whole();
        }
        let register = self.m.vgpr(self.first, self.at, self.lane);
        self.at += self.in_half as u8;
        self.in_half = !self.in_half;
        if self.in_half { register & 0xffff } else { register >> 16 }
    }

    /// A float.
    fn float(&mut self, notes: &mut Notes) -> f64 {
        let bits = self.next();
        number(if self.is_short { widened(bits) } else { bits }, notes)
    }
}

/// A binary32 operand: a NaN is 0, an infinity far away.
pub(super) fn number(bits: u32, notes: &mut Notes) -> f64 {
    let value = f32::from_bits(bits) as f64;
    notes.insert_if(!value.is_finite(), Note::ImageCoordinate);
    match value {
        value if value.is_nan() => 0.0,
        value if value.is_infinite() => 2f64.powi(126).copysign(value),
        value => value,
    }
}

/// The operands of a sample or gather.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Address {
    /// Texels for x, y, z.
    pub offset: [i32; 3],
    pub bias: f64,
    /// Bits of a binary32 number.
    pub reference: u32,
    /// d/dh and d/dv of the coordinates.
    pub derivatives: [[f64; 3]; 2],
    /// The coordinates that have a size.
    pub at: [f64; 3],
    /// Layer, or face and cube.
    pub layer: f64,
    pub level: f64,
    /// The least level.
    pub least: f64,
}

impl Address {
    /// Reads a lane's. Of a lane that only gives its quad coordinates, other operands are not noted.
    pub fn read(m: &mut Machine, access: &ImageAccess, view: &View, lookup: Lookup, lane: u8, counts: bool) -> Address {
        let dimensions = view.kind.dimensions() as usize;
        let (mut notes, mut coordinate_notes) = (Notes::NONE, Notes::NONE);
        let mut cursor = Cursor::new(m, access, lane);
        let mut address = Address::default();
        if lookup.has_offset {
            let word = cursor.whole();
            address.offset = [0, 8, 16].map(|shift| (word >> shift << 26) as i32 >> 26);
        }
        if matches!(lookup.lod, LodSource::Bias) {
            address.bias = cursor.float(&mut notes);
            cursor.restart();
        }
        if lookup.compares {
            address.reference = cursor.whole();
        }
        if matches!(lookup.lod, LodSource::Derivatives) {
            for vector in &mut address.derivatives {
                vector[..dimensions].iter_mut().for_each(|value| *value = cursor.float(&mut notes));
                cursor.restart();
            }
        }
        address.at[..dimensions].iter_mut().for_each(|value| *value = cursor.float(&mut coordinate_notes));
        if view.kind.has_layers() {
            address.layer = cursor.float(&mut notes);
        }
        if matches!(lookup.lod, LodSource::Given) {
            address.level = cursor.float(&mut notes);
        }
        if lookup.is_clamped {
            address.least = cursor.float(&mut notes);
        }
        m.notes = m.notes.or(coordinate_notes);
        if counts {
            m.notes = m.notes.or(notes);
        }
        address
    }
}
