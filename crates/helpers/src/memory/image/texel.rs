//! Texels: elements of memory to four components and back (docs/gcn/image-descriptors.md#data-formats). A component is
//! the 32 bits of a register: binary32, or an integer in UINT and SINT.

use std::sync::LazyLock;

use gcnsim_isa::buffer::{DataFormat, Field, NumFormat, Selector};
use gcnsim_isa::image::{ImageDescriptor, TexelFormat, TexelNumber};
use gcnsim_isa::{Arch, Note, Notes};

use super::super::convert::{self, Lossy};
use super::super::element::Element;
use super::access::lossy_note;
use super::block;
use crate::host::Lanes;
use crate::host::lanes::lanes_of;

/// The bits of 1.0.
pub(super) const ONE: u32 = 0x3f80_0000;

/// The format of texels.
#[derive(Clone, Copy, Debug)]
pub(super) struct Texels {
    pub format: TexelFormat,
    pub number: TexelNumber,
    /// DST_SEL of each component.
    pub select: [Selector; 4],
    /// DATA_FORMAT.
    code: u8,
    arch: Arch,
}

impl Texels {
    /// The format of an image; `None` if it is not known.
    pub fn new(t: ImageDescriptor, arch: Arch) -> Option<Texels> {
        let code = t.data_format();
        let (format, number) = (TexelFormat::of_code(code)?, TexelNumber::of_code(arch, t.num_format()));
        let number = match format {
            TexelFormat::Plain(_) => number?,
            TexelFormat::SharedExponent => TexelNumber::Plain(NumFormat::Float),
            TexelFormat::Block(_) => match number {
                Some(TexelNumber::Srgb) => TexelNumber::Srgb,
                Some(TexelNumber::Plain(NumFormat::Snorm)) => TexelNumber::Plain(NumFormat::Snorm),
                _ => TexelNumber::Plain(NumFormat::Unorm),
            },
        };
        Some(Texels { format, number, select: [0, 1, 2, 3].map(|i| t.selector(i)), code, arch })
    }

    /// The notes of a formatted access of any kind.
    pub fn notes(&self, is_store: bool) -> Notes {
        let mut notes = Notes::NONE;
        notes.insert_if(self.select.contains(&Selector::Reserved), Note::FormatDstSel);
        notes.insert_if(self.number == TexelNumber::Srgb, Note::SrgbTable);
        let is_doubtful = matches!(self.code, DataFormat::CODE_10_11_11 | DataFormat::CODE_11_11_10);
        notes.insert_if(is_doubtful && self.arch == Arch::Gcn10, Note::Format101111Gfx6);
        match (self.format, self.number) {
            (TexelFormat::Plain(format), TexelNumber::Plain(number)) => {
                let has_other = format.fields.iter().any(|field| !is_float_field(*field));
                notes.insert_if(number == NumFormat::Float && has_other, Note::FormatInvalid);
                let is_signed = matches!(number, NumFormat::Snorm | NumFormat::Sscaled | NumFormat::Sint);
                let begins_with_pair = self.code == DataFormat::CODE_10_10_10_2;
                notes.insert_if(is_signed && begins_with_pair && !is_store, Note::Format2bit);
            }
            (TexelFormat::Block(1..=5), _) => notes.insert_if(!is_store, Note::BcPrecision),
            _ => {}
        }
        notes
    }

    /// Whether components are integers, which are never blended.
    pub fn is_integer(&self) -> bool {
        self.number.is_integer()
    }

    /// The bits of a constant 1.
    pub fn one(&self) -> u32 {
        if self.is_integer() { 1 } else { ONE }
    }

    /// The components of an element; of a block, those of its texel (x, y).
    pub fn components(&self, element: &Element, [x, y]: [u32; 2]) -> [u32; 4] {
        let raw = u128::from_le_bytes(*element);
        match self.format {
            TexelFormat::Plain(format) => self.plain(format, raw),
            TexelFormat::SharedExponent => {
                // The scale is a power of two from 2^-24 to 2^7.
                let scale = f32::from_bits(((raw as u32 >> 27) + 127 - 24) << 23);
                let part = |k: u32| ((raw as u32 >> (9 * k) & 511) as f32 * scale).to_bits();
                [part(0), part(1), part(2), ONE]
            }
            TexelFormat::Block(number) => self.block(number, raw, 4 * (y % 4) + x % 4),
        }
    }

    fn plain(&self, format: DataFormat, raw: u128) -> [u32; 4] {
        let mut components = [0, 0, 0, self.one()];
        for (k, (component, &field)) in components.iter_mut().zip(format.fields).enumerate() {
            *component = self.field(k, field, extract(raw, field));
        }
        components
    }

    /// The value of component `k`, whose field has the bits `bits`.
    fn field(&self, k: usize, field: Field, bits: u32) -> u32 {
        let (number, width) = (self.plain_number(), field.bits);
        match number {
            _ if width == 32 => bits,
            _ if self.number == TexelNumber::Srgb && k < 3 && width == 8 => LINEAR[bits as usize % 256],
            _ if self.number == TexelNumber::Srgb && k < 3 => linear(bits as f64 / ((1u32 << width) - 1) as f64),
            NumFormat::Float if !is_float_field(field) => bits,
            // A field of one bit has no sign, so it is converted as unsigned.
            NumFormat::Snorm | NumFormat::Sscaled | NumFormat::Sint if width == 1 => {
                convert::load(unsigned(number), width, bits, true)
            }
            _ => convert::load(number, width, bits, self.arch.has_signed_pairs()),
        }
    }

    /// The number format of components; for sRGB that of component W.
    fn plain_number(&self) -> NumFormat {
        match self.number {
            TexelNumber::Srgb => NumFormat::Unorm,
            TexelNumber::Plain(number) => number,
        }
    }

    fn block(&self, number: u8, raw: u128, k: u32) -> [u32; 4] {
        let is_signed = self.number == TexelNumber::Plain(NumFormat::Snorm);
        let (values, count) = block::texel(number, [raw as u64, (raw >> 64) as u64], is_signed, k as usize);
        let is_srgb = self.number == TexelNumber::Srgb;
        let mut components = [0, 0, 0, ONE];
        for (k, (component, value)) in components.iter_mut().zip(values).take(count).enumerate() {
            *component = if is_srgb && k < 3 { linear(value) } else { (value as f32).to_bits() };
        }
        components
    }

    /// The components after DST_SEL.
    pub fn selected(&self, components: [u32; 4]) -> [u32; 4] {
        self.select.map(|selector| match selector {
            Selector::Zero | Selector::Reserved => 0,
            Selector::One => self.one(),
            Selector::Component(k) => components[k as usize],
        })
    }

    /// The element that a store makes of components; missing ones are 0. `None` if nothing can be stored in the format.
    pub fn element(&self, components: [Option<u32>; 4], notes: &mut Notes) -> Option<Element> {
        let TexelFormat::Plain(format) = self.format else { return None };
        let mut raw = 0u128;
        for (k, (component, &field)) in components.into_iter().zip(format.fields).enumerate() {
            if let Some(value) = component {
                raw |= (self.stored(k, field, value, notes) as u128) << field.shift;
            }
        }
        Some(raw.to_le_bytes())
    }

    /// The bits that a store puts into the field of component `k` for a value.
    fn stored(&self, k: usize, field: Field, value: u32, notes: &mut Notes) -> u32 {
        let number = match self.plain_number() {
            _ if field.bits == 32 => return value,
            NumFormat::Float if !is_float_field(field) => NumFormat::Uint,
            number @ (NumFormat::Snorm | NumFormat::Sscaled | NumFormat::Sint) if field.bits == 1 => unsigned(number),
            number => number,
        };
        if self.number == TexelNumber::Srgb && k < 3 {
            return encoded(value, ((1u32 << field.bits) - 1) as f64);
        }
        let Lossy { bits, is_lossy } = convert::store(number, field.bits, value);
        notes.insert_if(is_lossy, lossy_note(number));
        bits
    }

    /// A component of 16 bits that is to be stored, as 32 bits.
    pub fn widened(&self, half: u32) -> u32 {
        match self.number {
            TexelNumber::Plain(NumFormat::Uint) => half & 0xffff,
            TexelNumber::Plain(NumFormat::Sint) => half as u16 as i16 as u32,
            TexelNumber::Plain(_) | TexelNumber::Srgb => convert::float_of(16, half & 0xffff),
        }
    }
}

/// Whether a field can be a float.
fn is_float_field(field: Field) -> bool {
    matches!(field.bits, 10 | 11 | 16 | 32)
}

/// The unsigned format that corresponds to a signed one.
fn unsigned(number: NumFormat) -> NumFormat {
    match number {
        NumFormat::Snorm => NumFormat::Unorm,
        NumFormat::Sscaled => NumFormat::Uscaled,
        _ => NumFormat::Uint,
    }
}

/// The bits of a field.
fn extract(raw: u128, field: Field) -> u32 {
    (raw >> field.shift) as u32 & (u32::MAX >> (32 - field.bits))
}

/// The value of the encoded component `c` of sRGB, which is from 0 to 1.
fn linear(c: f64) -> u32 {
    let linear = if c <= 0.04045 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) };
    (linear as f32).to_bits()
}

/// The values of all encoded bytes of sRGB.
static LINEAR: LazyLock<[u32; 256]> = LazyLock::new(|| std::array::from_fn(|byte| linear(byte as f64 / 255.0)));

/// The values of encoded bytes of sRGB in all lanes.
pub(super) fn linear_bytes(bits: &Lanes) -> Lanes {
    let table = &*LINEAR;
    lanes_of!(lane => table[bits[lane] as usize % 256])
}

/// The sRGB encoding of a value that is clamped to 0 .. 1. `max` stands for 1.
fn encoded(value: u32, max: f64) -> u32 {
    let c = f32::from_bits(value) as f64;
    let c = if c.is_nan() { 0.0 } else { c.clamp(0.0, 1.0) };
    let encoded = if c <= 0.0031308 { 12.92 * c } else { 1.055 * c.powf(1.0 / 2.4) - 0.055 };
    (encoded * max).round_ties_even() as u32
}
