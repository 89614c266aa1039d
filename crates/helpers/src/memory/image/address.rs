//! Address registers of image instructions: which operands they hold (docs/gcn/images.md#address-registers).

use gcnsim_isa::image::ImageType;
use gcnsim_isa::table::{LodSource, Lookup, Part};
use gcnsim_isa::{LANES, Note};

use super::super::{Machine, convert};
use crate::host::Lanes;
use crate::host::lanes::lanes_of;

/// The register of an operand, counted from VADDR, and the part of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Operand {
    register: u8,
    part: Part,
}

impl Operand {
    /// The number of the register, counted from VADDR.
    pub fn register(self) -> usize {
        self.register as usize
    }
}

/// A cursor that hands out address registers in order.
struct Cursor {
    /// The next register, counted from VADDR.
    register: u8,
    /// Whether the low half of that register is taken.
    is_half: bool,
    /// A16: most operands have 16 bits.
    a16: bool,
}

impl Cursor {
    /// Returns an operand of a whole register.
    fn whole(&mut self) -> Operand {
        self.begin();
        self.register += 1;
        Operand { register: self.register - 1, part: Part::Whole }
    }

    /// Goes on to a new register, if half of one is taken.
    fn begin(&mut self) {
        self.register += self.is_half as u8;
        self.is_half = false;
    }

    /// Returns an operand of 32 bits, or with A16 of 16.
    fn next(&mut self) -> Operand {
        if !self.a16 {
            return self.whole();
        }
        let part = if self.is_half { Part::High } else { Part::Low };
        let operand = Operand { register: self.register, part };
        self.register += self.is_half as u8;
        self.is_half = !self.is_half;
        operand
    }

    /// Returns `count` operands, at most `N`.
    fn next_of<const N: usize>(&mut self, count: u32) -> [Option<Operand>; N] {
        let mut operands = [None; N];
        operands.iter_mut().take(count as usize).for_each(|operand| *operand = Some(self.next()));
        operands
    }
}

/// The operands of a load, a store or an atomic, as far as it has them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Coordinates {
    /// Coordinates x, y and z.
    pub at: [Option<Operand>; 3],
    /// The layer, or the face of a cube.
    pub layer: Option<Operand>,
    pub fragment: Option<Operand>,
    pub level: Option<Operand>,
}

impl Coordinates {
    pub fn new(kind: ImageType, has_level: bool, a16: bool) -> Coordinates {
        let mut cursor = Cursor { register: 0, is_half: false, a16 };
        let at = cursor.next_of(kind.dimensions());
        let [layer] = cursor.next_of(kind.has_layers() as u32);
        let [fragment] = cursor.next_of(kind.has_fragments() as u32);
        let [level] = cursor.next_of(has_level as u32);
        Coordinates { at, layer, fragment, level }
    }
}

/// The operands of a lookup, as far as it has them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Operands {
    /// Offsets of the texels along the axes, in one register.
    pub offset: Option<Operand>,
    /// The bias of the level of detail.
    pub bias: Option<Operand>,
    /// The reference that texels are compared with.
    pub reference: Option<Operand>,
    /// The derivatives of the coordinates along the screen: across (h), then down (v).
    pub derivatives: [[Option<Operand>; 3]; 2],
    /// Coordinates x, y and z.
    pub at: [Option<Operand>; 3],
    /// The layer, or the face of a cube.
    pub layer: Option<Operand>,
    /// The level of detail.
    pub level: Option<Operand>,
    /// The least level of detail (CL).
    pub least: Option<Operand>,
}

impl Operands {
    pub fn new(kind: ImageType, lookup: Lookup, a16: bool) -> Operands {
        let mut cursor = Cursor { register: 0, is_half: false, a16 };
        let offset = lookup.has_offset.then(|| cursor.whole());
        let [bias] = cursor.next_of((lookup.lod == LodSource::Bias) as u32);
        cursor.begin();
        let reference = lookup.compares.then(|| cursor.whole());
        let count = if lookup.lod == LodSource::Derivatives { kind.dimensions() } else { 0 };
        let derivatives = [(); 2].map(|()| {
            let vector = cursor.next_of(count);
            cursor.begin();
            vector
        });
        let at = cursor.next_of(kind.dimensions());
        let [layer] = cursor.next_of(kind.has_layers() as u32);
        let [level] = cursor.next_of((lookup.lod == LodSource::Given) as u32);
        let [least] = cursor.next_of(lookup.is_clamped as u32);
        Operands { offset, bias, reference, derivatives, at, layer, level, least }
    }
}

/// A reader of the operands of lanes.
pub(super) struct Reader {
    /// The first address register: VADDR.
    pub first: u8,
}

impl Reader {
    /// The integer in an operand; 0 if there is none.
    pub fn integer(&self, m: &mut Machine<'_>, operand: Option<Operand>, lane: usize) -> u32 {
        let Some(Operand { register, part }) = operand else { return 0 };
        let value = m.vgpr(self.first, register, lane);
        match part {
            Part::Whole => value,
            Part::Low => value & 0xffff,
            Part::High => value >> 16,
        }
    }

    /// The integers in an operand of all lanes; zeros if there is none.
    #[inline(always)]
    pub fn lanes(&self, m: &mut Machine<'_>, operand: Option<Operand>) -> Lanes {
        let Some(Operand { register, part }) = operand else { return [0; LANES] };
        let values = m.source(self.first, register).0;
        match part {
            Part::Whole => values,
            Part::Low => lanes_of!(lane => values[lane] & 0xffff),
            Part::High => lanes_of!(lane => values[lane] >> 16),
        }
    }

    /// The number in an operand; 0 if there is none. It is finite: a NaN counts as 0, and infinity as a number far
    /// outside.
    pub fn number(&self, m: &mut Machine<'_>, operand: Option<Operand>, lane: usize) -> f64 {
        let value = self.integer(m, operand, lane);
        let bits = match operand {
            None | Some(Operand { part: Part::Whole, .. }) => value,
            Some(_) => convert::float_of(16, value),
        };
        let value = f32::from_bits(bits) as f64;
        m.notes.insert_if(!value.is_finite(), Note::ImageCoordinate);
        match value.is_infinite() {
            true => ((1u128 << 126) as f64).copysign(value),
            false if value.is_nan() => 0.0,
            false => value,
        }
    }
}
