//! Conversions between the elements of formatted buffers and registers (docs/gcn/buffer-formats.md).

use gcnsim_isa::buffer::{DataFormat, Field, NumFormat};
use gcnsim_isa::{Arch, Note, Notes};

use super::transfer::Bytes;
use crate::vector::stage::widened;

/// The conversion between an element and its components.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Format {
    layout: DataFormat,
    number: NumFormat,
    /// Whether loads take two bits in a signed format as unsigned: before GCN 1.4.
    two_bits_are_unsigned: bool,
    /// Data format 10_10_10_2.
    begins_with_two_bits: bool,
    /// Components of images whose width no float has are unsigned integers.
    is_of_image: bool,
}

impl Format {
    /// The format with the codes `data` and `number`; `None` if the data format does not exist. Adds the notes of
    /// undefined combinations.
    pub fn new(arch: Arch, data: u8, number: u8, notes: &mut Notes) -> Option<Format> {
        let Some(layout) = DataFormat::of_code(data) else {
            notes.insert(Note::FormatInvalid);
            return None;
        };
        let has = |bits: u8| layout.fields.iter().any(|field| field.bits == bits);
        let mut found = NumFormat::of_code(arch, number).unwrap_or(NumFormat::Uint);
        let is_small_float = found == NumFormat::Float && (has(8) || has(2));
        notes.insert_if(NumFormat::of_code(arch, number).is_none() || is_small_float, Note::FormatInvalid);
        if is_small_float && has(8) {
            found = NumFormat::Uint;
        }
        let of_eleven_bits = matches!(data, DataFormat::CODE_10_11_11 | DataFormat::CODE_11_11_10);
        notes.insert_if(arch == Arch::Gcn10 && of_eleven_bits, Note::Format101111Gfx6);
        Some(Format {
            layout,
            number: found,
            two_bits_are_unsigned: !arch.has_signed_pairs(),
            begins_with_two_bits: data == DataFormat::CODE_10_10_10_2,
            is_of_image: false,
        })
    }

    /// The format of components of an image.
    pub fn of_image(arch: Arch, layout: DataFormat, number: NumFormat) -> Format {
        let two_bits_are_unsigned = !arch.has_signed_pairs();
        Format { layout, number, two_bits_are_unsigned, begins_with_two_bits: false, is_of_image: true }
    }

    /// The number format of a component of `bits` bits, less than 32: a single bit has no sign.
    fn number_of(&self, bits: u8) -> NumFormat {
        match self.number {
            NumFormat::Snorm if bits == 1 => NumFormat::Unorm,
            NumFormat::Sscaled if bits == 1 => NumFormat::Uscaled,
            NumFormat::Sint if bits == 1 => NumFormat::Uint,
            NumFormat::Float if self.is_of_image && small_float(bits).is_none() => NumFormat::Uint,
            number => number,
        }
    }

    /// Size of an element.
    pub fn bytes(&self) -> u8 {
        self.layout.bytes
    }

    /// Whether components are integers in registers.
    pub fn is_integer(&self) -> bool {
        self.number.is_integer()
    }

    /// The constant 1.
    pub fn one(&self) -> u32 {
        if self.is_integer() { 1 } else { 1f32.to_bits() }
    }

    /// The components of an element, converted for registers. Components that the format lacks are 0.
    pub fn load(&self, data: &Bytes, notes: &mut Notes) -> [u32; 4] {
        let is_signed = matches!(self.number, NumFormat::Snorm | NumFormat::Sscaled | NumFormat::Sint);
        notes.insert_if(self.begins_with_two_bits && is_signed, Note::Format2bit);
        let element = u128::from_le_bytes(*data);
        let mut components = [0; 4];
        for (component, field) in components.iter_mut().zip(self.layout.fields) {
            let bits = (element >> field.shift) as u32 & mask(field.bits);
            *component = self.loaded(bits, field.bits);
        }
        components
    }

    /// Component `c` of the element, with `bits` bits, converted for a register.
    fn loaded(&self, c: u32, bits: u8) -> u32 {
        if bits == 32 {
            return c;
        }
        let signed = extended(c, bits);
        let (all, positive) = (mask(bits), mask(bits - 1));
        match self.number_of(bits) {
            NumFormat::Snorm if bits == 2 && self.two_bits_are_unsigned => quotient(c as i32, all),
            NumFormat::Sscaled if bits == 2 && self.two_bits_are_unsigned => (c as f32).to_bits(),
            NumFormat::Sint if bits == 2 && self.two_bits_are_unsigned => c,
            NumFormat::Unorm => quotient(c as i32, all),
            NumFormat::Snorm => quotient(signed.max(-(positive as i32)), positive),
            NumFormat::Uscaled => (c as f32).to_bits(),
            NumFormat::Sscaled => (signed as f32).to_bits(),
            NumFormat::Uint => c,
            NumFormat::Sint => signed as u32,
            NumFormat::SnormOgl => quotient(2 * signed + 1, all),
            NumFormat::Float => match small_float(bits) {
                Some(float) => widened(c << (10 - float.mantissa)),
                None => c,
            },
        }
    }

    /// The element that a store makes of register components. Components without a register are 0.
    pub fn store(&self, components: [Option<u32>; 4], notes: &mut Notes) -> Bytes {
        let mut element = 0;
        for (component, field) in components.into_iter().zip(self.layout.fields) {
            let Field { shift, bits } = *field;
            let stored = component.map_or(0, |value| self.stored(value, bits, notes));
            element |= ((stored & mask(bits)) as u128) << shift;
        }
        element.to_le_bytes()
    }

    fn stored(&self, value: u32, bits: u8, notes: &mut Notes) -> u32 {
        if bits == 32 {
            return value;
        }
        // As binary64, so that products are exact.
        let float = f32::from_bits(value) as f64;
        let (all, positive) = (mask(bits), mask(bits - 1));
        let rounded = |value: f64, least: f64, most: f64| value.clamp(least, most).round_ties_even() as i64 as u32;
        let (least, most) = (-(positive as f64) - 1.0, positive as f64);
        let scaled = matches!(self.number, NumFormat::Uscaled | NumFormat::Sscaled | NumFormat::SnormOgl);
        notes.insert_if(scaled, Note::FormatScaledStore);
        match self.number_of(bits) {
            NumFormat::Unorm => rounded(float * all as f64, 0.0, all as f64),
            NumFormat::Snorm => rounded(float * most, -most, most),
            NumFormat::Uscaled => rounded(float, 0.0, all as f64),
            NumFormat::Sscaled => rounded(float, least, most),
            NumFormat::SnormOgl if float.is_nan() => 0,
            NumFormat::SnormOgl => rounded((float * all as f64 - 1.0) / 2.0, least, most),
            NumFormat::Uint => {
                notes.insert_if(value > all, Note::FormatIntStore);
                value.min(all)
            }
            NumFormat::Sint => {
                let clamped = (value as i32).clamp(least as i32, most as i32);
                notes.insert_if(clamped != value as i32, Note::FormatIntStore);
                clamped as u32
            }
            NumFormat::Float => match small_float(bits) {
                Some(format) => {
                    let stored = format.truncated(value);
                    notes.insert_if(self.loaded(stored, bits) != value, Note::FormatF16Store);
                    stored
                }
                None => value.min(all),
            },
        }
    }

    /// A component of a register as 16 bits.
    pub fn to_d16(self, value: u32, notes: &mut Notes) -> u16 {
        if self.is_integer() { value as u16 } else { rounded_half(value, notes) }
    }

    /// A component of 16 bits as of a whole register.
    pub fn of_d16(self, half: u16) -> u32 {
        match self.number {
            NumFormat::Uint => half as u32,
            NumFormat::Sint => half as i16 as u32,
            _ => widened(half as u32),
        }
    }
}

/// A float of a register as 16 bits.
pub(crate) fn rounded_half(value: u32, notes: &mut Notes) -> u16 {
    let half = nearest_half(value);
    let is_exact = f32::from_bits(value).is_nan() || widened(half as u32) == value;
    notes.insert_if(!is_exact, Note::FormatD16Round);
    half
}

/// The lowest bits, as many as are asked for, at most 32.
fn mask(bits: u8) -> u32 {
    u32::MAX.checked_shr(32 - bits as u32).unwrap_or(0)
}

/// The lowest bits as a signed number.
fn extended(value: u32, bits: u8) -> i32 {
    (value << (32 - bits)) as i32 >> (32 - bits)
}

/// Correctly rounded, since both are exact in binary32.
fn quotient(dividend: i32, divisor: u32) -> u32 {
    (dividend as f32 / divisor as f32).to_bits()
}

/// A float of five exponent bits.
struct SmallFloat {
    /// Bits of the mantissa, at most 10.
    mantissa: u32,
    has_sign: bool,
}

/// The float format of a component of `bits` bits.
fn small_float(bits: u8) -> Option<SmallFloat> {
    Some(match bits {
        16 => SmallFloat { mantissa: 10, has_sign: true },
        11 => SmallFloat { mantissa: 6, has_sign: false },
        10 => SmallFloat { mantissa: 5, has_sign: false },
        _ => return None,
    })
}

impl SmallFloat {
    /// A binary32 number rounded toward zero; above the largest finite number that. Without a sign, negative numbers
    /// become 0. A NaN stays one.
    fn truncated(&self, value: u32) -> u32 {
        let (negative, magnitude) = (value >> 31 == 1, value & 0x7fff_ffff);
        let (exponent, fraction) = ((magnitude >> 23) as i32 - 127 + 15, magnitude & 0x7f_ffff);
        let sign = if negative && self.has_sign { 0x8000 } else { 0 };
        let ones = 0x1f << self.mantissa;
        let upper = fraction >> (23 - self.mantissa);
        let bits = match (magnitude, exponent) {
            (0x7f80_0001.., _) if upper == 0 => ones | 1 << (self.mantissa - 1),
            (0x7f80_0001.., _) => ones | upper,
            _ if negative && !self.has_sign => 0,
            (0x7f80_0000, _) => ones,
            (_, 31..) => ones - 1,
            (_, 1..) => (exponent as u32) << self.mantissa | upper,
            // The implicit bit moves into the mantissa, or out of it.
            _ => (1 << 23 | fraction).checked_shr((24 - self.mantissa as i32 - exponent) as u32).unwrap_or(0),
        };
        sign | bits
    }
}

/// A binary32 number as binary16, rounded to nearest even.
fn nearest_half(value: u32) -> u16 {
    let below = SmallFloat { mantissa: 10, has_sign: true }.truncated(value);
    let magnitude = f32::from_bits(value & 0x7fff_ffff) as f64;
    if !magnitude.is_finite() {
        return below as u16;
    }
    let of_half = |half: u32| match half & 0x7fff {
        // The code of infinity counts as the number that would follow the greatest one, if there were one.
        0x7c00 => 65536.0,
        half => f32::from_bits(widened(half)) as f64,
    };
    let (down, up) = (magnitude - of_half(below), of_half(below + 1) - magnitude);
    let goes_up = up < down || up == down && below & 1 == 1;
    (below + goes_up as u32) as u16
}

#[cfg(test)]
mod tests {
    use super::*;

    fn format(arch: Arch, data: u8, number: u8) -> Format {
        let mut notes = Notes::NONE;
        Format::new(arch, data, number, &mut notes).unwrap()
    }

    fn load(arch: Arch, data: u8, number: u8, element: u128) -> [u32; 4] {
        let mut notes = Notes::NONE;
        format(arch, data, number).load(&element.to_le_bytes(), &mut notes)
    }

    fn store(data: u8, number: u8, values: &[u32]) -> (u128, Notes) {
        let mut components = [None; 4];
        components.iter_mut().zip(values).for_each(|(component, value)| *component = Some(*value));
        let mut notes = Notes::NONE;
        let bytes = format(Arch::Gcn11, data, number).store(components, &mut notes);
        (u128::from_le_bytes(bytes), notes)
    }

    /// docs/gcn/memory-check-values.md#check-values.
    #[test]
    fn check_values() {
        let x = |number, element| load(Arch::Gcn11, 1, number, element)[0];
        assert_eq!(x(0, 128), 0x3f00_8081);
        assert_eq!([x(1, 0x80), x(1, 0x81), x(1, 0x40)], [0xbf80_0000, 0xbf80_0000, 0x3f01_0204]);
        assert_eq!([x(6, 0x80), x(6, 0)], [0xbf80_0000, 0x3b80_8081]);
        assert_eq!(load(Arch::Gcn14, 9, 0, 512)[0], 0x3f00_2008);
        let floats = load(Arch::Gcn14, 6, 7, 0x7860_03c0).map(f32::from_bits);
        assert_eq!(floats, [1.0, 2.0, 1.03125, 0.0]);
        let w = |arch, number| load(arch, 9, number, 0xc000_0000)[3];
        assert_eq!([w(Arch::Gcn10, 1), w(Arch::Gcn12, 1), w(Arch::Gcn14, 1)], [0x3f80_0000, 0x3f80_0000, 0xbf80_0000]);
        assert_eq!([w(Arch::Gcn12, 3), w(Arch::Gcn14, 3)], [3f32.to_bits(), (-1f32).to_bits()]);
        assert_eq!([w(Arch::Gcn12, 5), w(Arch::Gcn14, 5)], [3, u32::MAX]);
        assert_eq!(load(Arch::Gcn14, 10, 4, 0x4433_2211), [0x11, 0x22, 0x33, 0x44]);
    }

    #[test]
    fn where_components_lie() {
        assert_eq!(load(Arch::Gcn14, 5, 4, 0x2222_1111), [0x1111, 0x2222, 0, 0]);
        assert_eq!(load(Arch::Gcn14, 8, 4, 0xffc0_0c05), [1, 0x301, 0, 0x3ff]);
        assert_eq!(load(Arch::Gcn14, 7, 4, 1 << 21 | 2 << 10 | 3), [3, 2, 1, 0]);
        assert_eq!(load(Arch::Gcn14, 13, 0, 3 << 64 | 2 << 32 | 1), [1, 2, 3, 0]);
        assert_eq!(
            load(Arch::Gcn14, 12, 7, 0xfc00_7e01_0001_bc00),
            [0xbf80_0000, 0x3380_0000, 0x7fc0_2000, 0xff80_0000]
        );
        assert_eq!(load(Arch::Gcn14, 3, 2, 0xff01), [1f32.to_bits(), 255f32.to_bits(), 0, 0]);
        assert_eq!(load(Arch::Gcn14, 3, 3, 0xff01), [1f32.to_bits(), (-1f32).to_bits(), 0, 0]);
    }

    #[test]
    fn stores_round_and_clamp() {
        let f = f32::to_bits;
        assert_eq!(store(10, 0, &[f(0.5), f(2.0), f(-1.0), f32::NAN.to_bits()]).0, 0x0000_ff80);
        assert_eq!(store(10, 1, &[f(1.0), f(-1.0), f(-9.0), f(0.0039)]).0, 0x0081_817f);
        assert_eq!(store(9, 0, &[f(1.0), f(0.0), f(0.0), f(0.5)]).0, 2 << 30 | 0x3ff);
        let (element, notes) = store(3, 4, &[256, 255]);
        assert!(element == 0xffff && notes.contains(Note::FormatIntStore));
        let (element, notes) = store(3, 5, &[-129i32 as u32, 127]);
        assert!(element == 0x7f80 && notes.contains(Note::FormatIntStore));
        let (element, notes) = store(3, 2, &[f(2.5), f(3.5)]);
        assert!(element == 0x0402 && notes.contains(Note::FormatScaledStore));
        // Toward zero: 1 + 2^-10 + 2^-12; the largest; a denormal; infinities and NaN.
        for (value, half, noted) in [
            (0x3f80_2800, 0x3c01, true),
            (0x3f80_2000, 0x3c01, false),
            (0x4780_0000, 0x7bff, true),
            (0x3380_0001, 0x0001, true),
            (0x3380_0000, 0x0001, false),
            (0x337f_ffff, 0x0000, true),
            (0xff80_0000, 0xfc00, false),
            (0x7f80_0001, 0x7e00, true),
            (0x7fc0_0000, 0x7e00, false),
            (0x8000_0000, 0x8000, false),
        ] {
            let (element, notes) = store(2, 7, &[value]);
            assert_eq!((element, notes.contains(Note::FormatF16Store)), (half, noted), "{value:#x}");
        }
        assert_eq!(store(6, 7, &[f(1.0), f(2.0), f(1.03125)]).0, 0x7860_03c0);
        assert_eq!(store(6, 7, &[f(-1.0), f(f32::NEG_INFINITY), f(f32::INFINITY)]).0, 0x1f << 27);
        assert_eq!(store(4, 0, &[0x1234_5678]).0, 0x1234_5678);
        // Components that the store does not supply are 0.
        assert_eq!(store(10, 4, &[7]).0, 7);
    }

    #[test]
    fn sixteen_bits() {
        for (value, half) in [
            (1f32, 0x3c00),
            (65519.996, 0x7bff),
            (65520.0, 0x7c00),
            (-65520.0, 0xfc00),
            (1.0 + f32::EPSILON, 0x3c00),
            (1.000_488_3, 0x3c00),
            (1.001_464_8, 0x3c02),
            (f32::from_bits(0x3300_0000), 0),
            (f32::from_bits(0x3300_0001), 1),
            (f32::INFINITY, 0x7c00),
        ] {
            assert_eq!(nearest_half(value.to_bits()), half, "{value}");
        }
        let mut notes = Notes::NONE;
        assert_eq!(format(Arch::Gcn14, 10, 0).to_d16(0x3f80_0001, &mut notes), 0x3c00);
        assert!(notes.contains(Note::FormatD16Round));
        assert_eq!(format(Arch::Gcn14, 10, 5).to_d16(0xffff_ff80, &mut notes), 0xff80);
        let widened = [4, 5, 7].map(|number| format(Arch::Gcn14, 10, number).of_d16(0xbc00));
        assert_eq!(widened, [0xbc00, 0xffff_bc00, 0xbc00]);
        assert_eq!(format(Arch::Gcn14, 5, 7).of_d16(0xbc00), 0xbf80_0000);
    }

    #[test]
    fn undefined_combinations_are_noted() {
        let noted = |arch, data, number| {
            let mut notes = Notes::NONE;
            let format = Format::new(arch, data, number, &mut notes);
            (format.is_some(), notes.codes())
        };
        assert_eq!(noted(Arch::Gcn14, 0, 4), (false, vec!["format-invalid"]));
        assert_eq!(noted(Arch::Gcn14, 15, 4), (false, vec!["format-invalid"]));
        assert_eq!(noted(Arch::Gcn14, 10, 6), (true, vec!["format-invalid"]));
        assert_eq!(noted(Arch::Gcn11, 10, 6), (true, vec![]));
        assert_eq!(noted(Arch::Gcn11, 10, 7), (true, vec!["format-invalid"]));
        assert_eq!(noted(Arch::Gcn10, 7, 0), (true, vec!["format-10-11-11-gfx6"]));
        assert_eq!(load(Arch::Gcn14, 10, 7, 0x80), [0x80, 0, 0, 0]);
        let mut notes = Notes::NONE;
        let x = format(Arch::Gcn12, 8, 5).load(&3u128.to_le_bytes(), &mut notes)[0];
        assert_eq!((x, notes.codes()), (3, vec!["format-2bit"]));
    }
}
