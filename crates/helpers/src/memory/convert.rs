//! Number formats of buffers: fields of fewer than 32 bits to values of registers and back
//! (docs/gcn/buffer-formats.md).

use gcnsim_isa::LANES;
use gcnsim_isa::buffer::NumFormat;

use crate::host::Lanes;
use crate::host::lanes::lanes_of;

/// The bits of a converted value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Lossy {
    /// The bits.
    pub bits: u32,
    /// Whether the bits stand for another value than the source, or were chosen among several.
    pub is_lossy: bool,
}

/// The low `width` bits as a signed number.
#[inline(always)]
fn signed(width: u8, bits: u32) -> i32 {
    let unused = 32 - width as u32;
    (bits << unused) as i32 >> unused
}

/// Converts all lanes as [`load`]. The number format is a constant in each arm, so that the compiler vectorises the
/// loop.
#[inline(always)]
pub(super) fn load_all(number: NumFormat, width: u8, bits: &Lanes, two_bits_are_signed: bool) -> Lanes {
    macro_rules! known {
        ($($name:ident)*) => {
            match number {
                $(NumFormat::$name => {
                    lanes_of!(lane => load(NumFormat::$name, width, bits[lane], two_bits_are_signed))
                })*
            }
        };
    }
    known!(Unorm Snorm Uscaled Sscaled Uint Sint SnormOgl Float)
}

/// Converts all lanes as [`store`]. The second result says whether the conversion is lossy in an active lane; all
/// bits of `active` are set in active lanes.
#[inline(always)]
pub(super) fn store_all(number: NumFormat, width: u8, values: &Lanes, active: &Lanes) -> (Lanes, bool) {
    macro_rules! known {
        ($($name:ident)*) => {
            match number {
                $(NumFormat::$name => {
                    let (mut all, mut lossy) = ([0; LANES], 0);
                    for lane in 0..LANES {
                        let Lossy { bits, is_lossy } = store(NumFormat::$name, width, values[lane]);
                        all[lane] = bits;
                        lossy |= is_lossy as u32 & active[lane];
                    }
                    (all, lossy != 0)
                })*
            }
        };
    }
    known!(Unorm Snorm Uscaled Sscaled Uint Sint SnormOgl Float)
}

/// The value of a field of `width` bits, 2 to 16: binary32, or an integer in UINT and SINT.
#[inline(always)]
pub(super) fn load(number: NumFormat, width: u8, bits: u32, two_bits_are_signed: bool) -> u32 {
    let max = (1u32 << width) - 1;
    let is_unsigned = width == 2 && !two_bits_are_signed;
    match number {
        NumFormat::Unorm => quotient(bits as i32, max),
        NumFormat::Snorm if is_unsigned => quotient(bits as i32, max),
        NumFormat::Snorm => quotient(signed(width, bits).max(-((max >> 1) as i32)), max >> 1),
        NumFormat::Uscaled => (bits as i32 as f32).to_bits(),
        NumFormat::Sscaled if is_unsigned => (bits as i32 as f32).to_bits(),
        NumFormat::Sscaled => (signed(width, bits) as f32).to_bits(),
        NumFormat::Uint => bits,
        NumFormat::Sint if is_unsigned => bits,
        NumFormat::Sint => signed(width, bits) as u32,
        NumFormat::SnormOgl => quotient(2 * signed(width, bits) + 1, max),
        // A field of 2 bits holds no float; its bits are kept.
        NumFormat::Float if width == 2 => bits,
        NumFormat::Float => float_of(width, bits),
    }
}

/// A fraction `n / (2^k - 1)` for k from 1 to 16, rounded to binary32. Its bits repeat after k, so it is at least
/// 2^-(k + 1) units away from the middle between two binary32 numbers.
#[inline(always)]
fn quotient(n: i32, max: u32) -> u32 {
    let inverse = 1.0 / max as f64;
    if max < 1 << 10 {
        // The inverse in two parts. The product with the upper 14 bits is exact; the other one is off by 2^-13 units.
        let upper = f32::from_bits((inverse as f32).to_bits() & !0x3ff);
        let lower = (inverse - upper as f64) as f32;
        return (n as f32 * upper + n as f32 * lower).to_bits();
    }
    // The product in binary64 is off by 2^-27 units.
    ((n as f64 * inverse) as f32).to_bits()
}

/// The middle of the integers that binary64 holds with neighbours on both sides. Adding a number to it rounds the
/// number to an integer, ties to even, which is in the low bits of the sum.
pub(super) const INTEGERS: f64 = (3u64 << 51) as f64;

/// The bits of a field of `width` bits, 2 to 16, for a value: binary32, or an integer in UINT and SINT.
#[inline(always)]
pub(super) fn store(number: NumFormat, width: u8, value: u32) -> Lossy {
    let max = (1u32 << width) - 1;
    let (least, greatest) = (-((max >> 1) as i32) - 1, (max >> 1) as i32);
    let number_of = |value: f64, is_lossy| Lossy { bits: (value + INTEGERS).to_bits() as u32 & max, is_lossy };
    // binary64 holds any product of binary32 and 16 bits.
    let float = f32::from_bits(value) as f64;
    let float = if float.is_nan() { 0.0 } else { float };
    match number {
        NumFormat::Unorm => number_of(float.clamp(0.0, 1.0) * max as f64, false),
        NumFormat::Snorm => number_of(float.clamp(-1.0, 1.0) * greatest as f64, false),
        // The sources are silent on these stores.
        NumFormat::Uscaled => number_of(float.clamp(0.0, max as f64), true),
        NumFormat::Sscaled => number_of(float.clamp(least as f64, greatest as f64), true),
        // The code c with the nearest 2 * c + 1.
        NumFormat::SnormOgl => number_of((float.clamp(-1.0, 1.0) * max as f64 - 1.0) / 2.0, true),
        NumFormat::Uint => Lossy { bits: value.min(max), is_lossy: value > max },
        NumFormat::Sint => {
            let clamped = (value as i32).clamp(least, greatest);
            Lossy { bits: clamped as u32 & max, is_lossy: clamped != value as i32 }
        }
        // A field of 2 bits holds no float; its bits are kept.
        NumFormat::Float if width == 2 => Lossy { bits: value.min(max), is_lossy: false },
        NumFormat::Float => {
            let bits = float_to(width, value);
            Lossy { bits, is_lossy: float_of(width, bits) != value }
        }
    }
}

/// The mantissa bits of a float field of `width` bits: binary16, or unsigned with 11 or 10 bits. All have five
/// exponent bits.
const fn mantissa_bits(width: u8) -> u32 {
    match width {
        16 => 10,
        width => width as u32 - 5,
    }
}

/// Converts a float of 16, 11 or 10 bits to binary32. This is exact; the payload of a NaN moves up.
#[inline(always)]
pub(super) fn float_of(width: u8, bits: u32) -> u32 {
    let mantissa_bits = mantissa_bits(width);
    let sign = if width == 16 { bits >> 15 << 31 } else { 0 };
    let exponent = bits >> mantissa_bits & 31;
    let mantissa = bits & ((1 << mantissa_bits) - 1);
    let shifted = mantissa << (23 - mantissa_bits);
    // A multiple of the least denormal number: both factors are exact.
    let denormal = (mantissa as i32 as f32 * f32::from_bits((127 - 14 - mantissa_bits) << 23)).to_bits();
    let exponent_of_wide = if exponent == 31 { 255 } else { exponent + 127 - 15 };
    sign | if exponent == 0 { denormal } else { exponent_of_wide << 23 | shifted }
}

/// Converts binary32 to a float of 16, 11 or 10 bits, rounded toward zero and limited to the greatest number. In
/// the unsigned formats negative numbers become 0.
#[inline(always)]
fn float_to(width: u8, value: u32) -> u32 {
    let mantissa_bits = mantissa_bits(width);
    let is_negative = value >> 31 == 1;
    let sign = if width == 16 { value >> 31 << 15 } else { 0 };
    let magnitude = value & 0x7fff_ffff;
    let infinite = 31 << mantissa_bits;
    let number = match magnitude >= 0x7f80_0000 {
        true => infinite,
        false => truncated(mantissa_bits, magnitude).min(infinite - 1),
    };
    let number = if width != 16 && is_negative { 0 } else { number };
    sign | if magnitude > 0x7f80_0000 { nan_to(mantissa_bits, magnitude) } else { number }
}

/// A finite magnitude in units of the last place of the smaller format, rounded toward zero.
#[inline(always)]
fn truncated(mantissa_bits: u32, magnitude: u32) -> u32 {
    const LEAST_NORMAL: u32 = 127 - 14;
    let (exponent, dropped) = (magnitude >> 23, 23 - mantissa_bits);
    // Below the least normal number units stay as large. What is far below is 0, with or without the leading bit.
    let below = LEAST_NORMAL.saturating_sub(exponent);
    let denormal = (magnitude & 0x7f_ffff | 0x80_0000) >> (dropped + below).min(31);
    let normal = magnitude.wrapping_sub((LEAST_NORMAL - 1) << 23) >> dropped;
    if exponent >= LEAST_NORMAL { normal } else { denormal }
}

/// Converts a NaN; it keeps the upper bits of its payload. If they are 0, it gets the quiet bit, since it would be
/// an infinity otherwise.
#[inline(always)]
fn nan_to(mantissa_bits: u32, magnitude: u32) -> u32 {
    let payload = (magnitude & 0x7f_ffff) >> (23 - mantissa_bits);
    31 << mantissa_bits | if payload == 0 { 1 << (mantissa_bits - 1) } else { payload }
}

/// A finite magnitude in units of the last place of the smaller format, and the rest below one unit: 32 fraction
/// bits, of which the last is sticky.
fn split(mantissa_bits: u32, magnitude: u32) -> (u32, u32) {
    let exponent = (magnitude >> 23) as i32;
    let mantissa = magnitude & 0x7f_ffff | if exponent == 0 { 0 } else { 0x80_0000 };
    let target = exponent.max(1) - (127 - 15);
    // Denormals have the exponent of the least normal numbers.
    let shift = 23 - mantissa_bits as i32 + (1 - target).max(0);
    let wide =
        if shift >= 64 { (mantissa != 0) as u64 } else { ((mantissa as u64) << 32 >> shift) | lost(mantissa, shift) };
    let units = (wide >> 32) as u32;
    let above = if target > 1 { ((target - 1) as u32) << mantissa_bits } else { 0 };
    (units + above, wide as u32)
}

/// 1 if `shift` moves set bits of `mantissa` below the 32 fraction bits.
fn lost(mantissa: u32, shift: i32) -> u64 {
    let kept = (mantissa as u64) << 32 >> shift;
    (kept << shift != (mantissa as u64) << 32) as u64
}

/// Converts binary32 to binary16, rounded to nearest even. A NaN keeps the upper bits of its payload.
pub(super) fn to_f16_nearest(value: u32) -> Lossy {
    let sign = value >> 31 << 15;
    let magnitude = value & 0x7fff_ffff;
    if magnitude >= 0x7f80_0000 {
        return Lossy { bits: float_to(16, value), is_lossy: false };
    }
    let (bits, rest) = split(10, magnitude);
    let half = 1 << 31;
    let up = rest > half || rest == half && bits & 1 == 1;
    Lossy { bits: sign | (bits + up as u32).min(0x7c00), is_lossy: rest != 0 || bits >= 0x7c00 }
}

#[cfg(test)]
#[path = "convert_tests.rs"]
mod tests;
