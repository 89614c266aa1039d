//! Texels as components and back (docs/gcn/image-descriptors.md#data-formats).

use gcnsim_isa::buffer::{DataFormat, Field, NumFormat};
use gcnsim_isa::image::{ImageDescriptor, TexelFormat, TexelNumber};
use gcnsim_isa::{Arch, Note, Notes};

use super::{bc6, bc7, blocks};
use crate::memory::format::Format;
use crate::memory::transfer::Bytes;

/// How an element of an image is texels.
#[derive(Clone, Copy, Debug)]
pub(super) struct Texels {
    arch: Arch,
    code: u8,
    format: TexelFormat,
    number: TexelNumber,
}

/// 1 as binary32.
pub(super) const ONE: u32 = 0x3f80_0000;

impl Texels {
    /// `None`: there are no such texels. The number format of blocks and of a shared exponent says little.
    pub fn new(arch: Arch, descriptor: ImageDescriptor) -> Option<Texels> {
        let (code, number) = (descriptor.data_format(), descriptor.num_format());
        let format = TexelFormat::of_code(code)?;
        let number = TexelNumber::of_code(arch, number);
        let number = match (format, number) {
            (TexelFormat::Plain(_), number) => number?,
            (TexelFormat::SharedExponent, _) => TexelNumber::Plain(NumFormat::Float),
            (TexelFormat::Block(_), Some(TexelNumber::Srgb)) => TexelNumber::Srgb,
            (TexelFormat::Block(_), Some(TexelNumber::Plain(NumFormat::Snorm))) => TexelNumber::Plain(NumFormat::Snorm),
            (TexelFormat::Block(_), _) => TexelNumber::Plain(NumFormat::Unorm),
        };
        Some(Texels { arch, code, format, number })
    }

    /// Size in bytes of an element.
    pub fn bytes(&self) -> u8 {
        self.format.bytes() as u8
    }

    /// Texels of an element, each way.
    pub fn side(&self) -> u32 {
        self.format.side()
    }

    /// Are components integers in registers?
    pub fn is_integer(&self) -> bool {
        self.number.is_integer()
    }

    pub fn is_unorm(&self) -> bool {
        self.number == TexelNumber::Plain(NumFormat::Unorm)
    }

    /// The constant 1.
    pub fn one(&self) -> u32 {
        if self.is_integer() { 1 } else { ONE }
    }

    /// The conversions of components side by side; those of blocks and shared exponents are not.
    pub fn plain(&self) -> Option<(Format, DataFormat)> {
        let TexelFormat::Plain(layout) = self.format else { return None };
        Some((Format::of_image(self.arch, layout, self.number_of_components()), layout))
    }

    fn number_of_components(&self) -> NumFormat {
        match self.number {
            TexelNumber::Plain(number) => number,
            TexelNumber::Srgb => NumFormat::Unorm,
        }
    }

    /// Notes of an access that converts.
    pub fn note(&self, is_store: bool, notes: &mut Notes) {
        notes.insert_if(self.number == TexelNumber::Srgb, Note::SrgbTable);
        match self.format {
            TexelFormat::Plain(layout) => {
                let small = |bits| !matches!(bits, 10 | 11 | 16 | 32);
                let is_float = self.number == TexelNumber::Plain(NumFormat::Float);
                let is_invalid = is_float && layout.fields.iter().any(|field| small(field.bits));
                notes.insert_if(is_invalid, Note::FormatInvalid);
                let of_eleven = matches!(self.code, DataFormat::CODE_10_11_11 | DataFormat::CODE_11_11_10);
                notes.insert_if(of_eleven && self.arch == Arch::Gcn10, Note::Format101111Gfx6);
                let number = self.number_of_components();
                let is_signed = matches!(number, NumFormat::Snorm | NumFormat::Sscaled | NumFormat::Sint);
                let is_pair = self.code == DataFormat::CODE_10_10_10_2 && is_signed;
                notes.insert_if(is_pair && !is_store, Note::Format2bit);
            }
            TexelFormat::SharedExponent => {}
            TexelFormat::Block(kind) => notes.insert_if(kind <= 5 && !is_store, Note::BcPrecision),
        }
    }

    /// The components of the texel at `x`, `y` of an element, before DST_SEL.
    pub fn decode(&self, element: &Bytes, [x, y]: [u32; 2], notes: &mut Notes) -> [u32; 4] {
        match self.format {
            TexelFormat::Plain(layout) => self.decode_plain(layout, element, notes),
            TexelFormat::SharedExponent => shared_exponent(u128::from_le_bytes(*element) as u32),
            TexelFormat::Block(kind) => {
                let at = 4 * (y as usize & 3) + (x as usize & 3);
                let is_signed = self.number == TexelNumber::Plain(NumFormat::Snorm);
                let block = u128::from_le_bytes(*element);
                let texel = match kind {
                    6 => bc6::texel(block, at, is_signed),
                    7 => bc7::texel(block, at),
                    kind => blocks::texel(kind, block, at, is_signed),
                };
                let is_srgb = self.number == TexelNumber::Srgb;
                let bits = |i: usize| if is_srgb && i < 3 { linear(texel[i]) } else { (texel[i] as f32).to_bits() };
                [0, 1, 2, 3].map(bits)
            }
        }
    }

    fn decode_plain(&self, layout: DataFormat, element: &Bytes, notes: &mut Notes) -> [u32; 4] {
        let format = Format::of_image(self.arch, layout, self.number_of_components());
        let mut components = format.load(element, notes);
        for (i, field) in layout.fields.iter().enumerate() {
            if self.has_curve(i, *field) {
                let all = (1u128 << field.bits) - 1;
                let bits = u128::from_le_bytes(*element) >> field.shift & all;
                components[i] = linear(bits as f64 / all as f64);
            }
        }
        if layout.fields.len() < 4 {
            components[3] = self.one();
        }
        components
    }

    /// Does the curve of sRGB encode a component?
    fn has_curve(&self, i: usize, field: Field) -> bool {
        self.number == TexelNumber::Srgb && i < 3 && field.bits < 32
    }

    /// A texel of components; those that nobody supplies are 0. `None`: such texels are not stored.
    pub fn encode(&self, mut components: [Option<u32>; 4], notes: &mut Notes) -> Option<Bytes> {
        let (format, layout) = self.plain()?;
        let mut curved = 0;
        for (i, field) in layout.fields.iter().enumerate().filter(|(i, field)| self.has_curve(*i, **field)) {
            let all = (1u32 << field.bits) - 1;
            if let Some(value) = components[i].take() {
                let stored = (encoded(f32::from_bits(value) as f64) * all as f64).round_ties_even();
                curved |= (stored as u128) << field.shift;
            }
        }
        let others = u128::from_le_bytes(format.store(components, notes));
        Some((curved | others).to_le_bytes())
    }
}

/// 5_9_9_9: mantissas of nine bits with an exponent (bias 24 with the mantissa as an integer) in the top five.
fn shared_exponent(bits: u32) -> [u32; 4] {
    let scale = 2f32.powi((bits >> 27) as i32 - 24);
    let component = |i: u32| ((bits >> (9 * i) & 511) as f32 * scale).to_bits();
    [component(0), component(1), component(2), ONE]
}

/// The linear value of an sRGB component.
fn linear(c: f64) -> u32 {
    let value = if c <= 0.04045 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) };
    (value as f32).to_bits()
}

/// The sRGB component of a linear value.
fn encoded(c: f64) -> f64 {
    match c.clamp(0.0, 1.0) {
        c if c.is_nan() => 0.0,
        c if c <= 0.003_130_8 => 12.92 * c,
        c => 1.055 * c.powf(1.0 / 2.4) - 0.055,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texels(arch: Arch, data: u32, number: u32) -> Option<Texels> {
        Texels::new(arch, ImageDescriptor([0, data << 20 | number << 26, 0, 0, 0, 0, 0, 0]))
    }

    fn decode(data: u32, number: u32, element: u128) -> [f32; 4] {
        let texels = texels(Arch::Gcn12, data, number).unwrap();
        texels.decode(&element.to_le_bytes(), [0, 0], &mut { Notes::NONE }).map(f32::from_bits)
    }

    fn encode(data: u32, number: u32, values: &[f32]) -> u128 {
        let mut components = [None; 4];
        components.iter_mut().zip(values).for_each(|(room, value)| *room = Some(value.to_bits()));
        let texels = texels(Arch::Gcn12, data, number).unwrap();
        u128::from_le_bytes(texels.encode(components, &mut { Notes::NONE }).unwrap())
    }

    #[test]
    fn packed_components() {
        // 5_6_5: x 31, y 32, z 0; 1_5_5_5: w is the top bit; 5_5_5_1: x is the lowest.
        assert_eq!(decode(16, 0, 31 | 21 << 5), [1.0, 21.0 / 63.0, 0.0, 1.0]);
        assert_eq!(decode(17, 0, 0x8000), [0.0, 0.0, 0.0, 1.0]);
        assert_eq!(decode(18, 0, 1), [1.0, 0.0, 0.0, 0.0]);
        // A component of one bit has no sign.
        assert_eq!(decode(17, 1, 0x8000)[3], 1.0);
        assert_eq!(encode(17, 1, &[-1.0, 0.0, 1.0, 1.0]), 0x8000 | 15 << 10 | 0x11);
        assert_eq!(decode(58, 0, 63 << 10 | 31), [1.0, 0.0, 1.0, 1.0]);
        // 8_24 and 24_8: x is the lower.
        assert_eq!(decode(20, 0, 0xff00_0000 | 0xff_ffff), [1.0, 1.0, 0.0, 1.0]);
        assert_eq!(decode(21, 4, 0x1234_5678).map(f32::to_bits), [0x78, 0x12_3456, 0, 1]);
        let depth = decode(22, 7, (0xab << 32) | 0x3f00_0000);
        assert_eq!((depth[0], depth[1].to_bits(), depth[3]), (0.5, 0xab, 1.0));
    }

    #[test]
    fn shared_exponents() {
        // 2^(24 - 24) is 1; the least exponent is 2^-24.
        assert_eq!(decode(34, 7, 24 << 27 | 3 << 18 | 2 << 9 | 1), [1.0, 2.0, 3.0, 1.0]);
        assert_eq!(decode(34, 0, 511), [511.0 / 16_777_216.0, 0.0, 0.0, 1.0]);
        assert_eq!(decode(34, 7, 31 << 27 | 511)[0], 511.0 * 128.0);
    }

    #[test]
    fn the_curve() {
        // 10/255 is in the straight part; 188/255 is 0.5 but for 0.003.
        let [x, y, z, w] = decode(10, 9, 0x80_ff_bc_0a);
        assert_eq!((x, z, w), ((10.0f64 / 255.0 / 12.92) as f32, 1.0, 128.0 / 255.0));
        assert!((y - 0.502_886_5).abs() < 1e-6, "{y}");
        assert_eq!(encode(10, 9, &[0.502_886_5, 1.0, 0.001, 0.5]), 128 << 24 | 3 << 16 | 255 << 8 | 188);
        assert_eq!(encode(10, 9, &[f32::NAN, -1.0, 9.0, f32::INFINITY]), 0xffff_0000);
    }

    #[test]
    fn what_is_no_format() {
        assert!(texels(Arch::Gcn14, 0, 0).is_none() && texels(Arch::Gcn14, 63, 0).is_none());
        assert!(texels(Arch::Gcn14, 10, 6).is_none() && texels(Arch::Gcn11, 10, 6).is_some());
        assert!(texels(Arch::Gcn14, 35, 6).is_some_and(|texels| texels.is_unorm()));
        assert!(texels(Arch::Gcn14, 40, 4).is_some_and(|texels| !texels.is_integer() && texels.plain().is_none()));
    }
}
