//! Conversions against arithmetic of another kind: divisions, roundings of the host, neighbours of floats.

use super::*;

const WIDTHS: [u8; 8] = [2, 4, 5, 6, 8, 10, 11, 16];

/// All fields of a width.
fn fields(width: u8) -> std::ops::Range<u32> {
    0..1 << width
}

#[test]
fn fractions_are_rounded_quotients() {
    for width in WIDTHS {
        let max = ((1u32 << width) - 1) as f32;
        let greatest = ((1u32 << (width - 1)) - 1) as f32;
        for bits in fields(width) {
            let number = if bits >> (width - 1) == 1 { bits as i32 - (1 << width) } else { bits as i32 } as f32;
            let cases = [
                (NumFormat::Unorm, bits as f32 / max),
                (NumFormat::Snorm, (number / greatest).max(-1.0)),
                (NumFormat::SnormOgl, (2.0 * number + 1.0) / max),
                (NumFormat::Uscaled, bits as f32),
                (NumFormat::Sscaled, number),
            ];
            for (format, value) in cases {
                let found = load(format, width, bits, true);
                assert_eq!(found, value.to_bits(), "{format:?} of {width} bits, {bits:x}");
            }
        }
    }
}

/// A value and its neighbours.
fn around(value: f64) -> [f32; 3] {
    let value = value as f32;
    [value.next_down(), value, value.next_up()]
}

#[test]
fn stored_fractions_are_rounded_to_even() {
    for width in [2, 8, 16] {
        let max = (1i64 << width) - 1;
        // Numbers, and the middles between them, beyond both ends.
        for half in -2 * max - 4..=2 * max + 4 {
            for (format, least, greatest, scale) in [
                (NumFormat::Unorm, 0.0, 1.0, max as f64),
                (NumFormat::Snorm, -1.0, 1.0, (max >> 1) as f64),
                (NumFormat::Uscaled, 0.0, max as f64, 1.0),
                (NumFormat::Sscaled, -((max >> 1) as f64) - 1.0, (max >> 1) as f64, 1.0),
            ] {
                for value in around(half as f64 / 2.0 / scale) {
                    let expected = ((value as f64).max(least).min(greatest) * scale).round_ties_even() as i64 & max;
                    let found = store(format, width, value.to_bits()).bits;
                    assert_eq!(found, expected as u32, "{format:?} of {width} bits, {value:e}");
                }
            }
        }
        for format in [NumFormat::Unorm, NumFormat::Snorm, NumFormat::Uscaled, NumFormat::Sscaled] {
            assert_eq!(store(format, width, 0xffc0_0001).bits, 0, "NaN");
        }
    }
}

/// The value of a float field that is neither infinite nor a NaN, without its sign.
fn value_of(bits: u32, mantissa_bits: u32) -> f64 {
    let (exponent, mantissa) = ((bits >> mantissa_bits & 31) as i32, (bits & ((1 << mantissa_bits) - 1)) as f64);
    let unit = 2f64.powi(exponent.max(1) - 15 - mantissa_bits as i32);
    unit * if exponent == 0 { mantissa } else { mantissa + (1 << mantissa_bits) as f64 }
}

#[test]
fn floats_are_loaded_as_they_are_and_stored_toward_zero() {
    for (width, mantissa_bits) in [(10, 5), (11, 6), (16, 10)] {
        let infinite = 31 << mantissa_bits;
        let signs = if width == 16 { vec![(0, 1.0), (0x8000, -1.0)] } else { vec![(0, 1.0)] };
        for (sign, factor) in signs {
            for bits in 0..infinite {
                let value = (factor * value_of(bits, mantissa_bits)) as f32;
                assert_eq!(float_of(width, sign | bits), value.to_bits(), "{width} bits, {bits:x}");
                let stored = |value: f32| store(NumFormat::Float, width, value.to_bits());
                assert_eq!(stored(value), Lossy { bits: sign | bits, is_lossy: false }, "{value:e}");
                let (below, above) = (value.abs().next_down() * factor as f32, value.abs().next_up() * factor as f32);
                assert_eq!(stored(above), Lossy { bits: sign | bits, is_lossy: true }, "{above:e}");
                if bits != 0 {
                    assert_eq!(stored(below), Lossy { bits: sign | (bits - 1), is_lossy: true }, "{below:e}");
                }
            }
            let store = |value: u32| store(NumFormat::Float, width, if sign == 0 { value } else { value | 1 << 31 });
            assert_eq!(store(f32::MAX.to_bits()), Lossy { bits: sign | (infinite - 1), is_lossy: true });
            assert_eq!(store(0x7f80_0000), Lossy { bits: sign | infinite, is_lossy: false });
            let quiet = 1 << (mantissa_bits - 1);
            assert_eq!(store(0x7f80_0001), Lossy { bits: sign | infinite | quiet, is_lossy: true });
            assert_eq!(store(0x7fa0_0000), Lossy { bits: sign | infinite | (quiet / 2), is_lossy: false });
            assert_eq!(float_of(width, sign | infinite | 1), sign << 16 | 0x7f80_0000 | 1 << (23 - mantissa_bits));
        }
    }
    for value in [-1.0f32, f32::NEG_INFINITY, -1e-30] {
        assert_eq!(store(NumFormat::Float, 11, value.to_bits()).bits, 0, "negative");
    }
}

#[test]
fn integers_are_clamped() {
    for (value, unsigned, signed) in [
        (0, 0, 0),
        (127, 127, 127),
        (128, 128, 127),
        (255, 255, 127),
        (256, 255, 127),
        (!0, 255, 255),
        (1 << 31, 255, 128),
    ] {
        let lossy = |is_lossy, bits| Lossy { bits, is_lossy };
        assert_eq!(store(NumFormat::Uint, 8, value), lossy(value > 255, unsigned), "{value}");
        assert_eq!(
            store(NumFormat::Sint, 8, value),
            lossy((value as i32) != signed as u8 as i8 as i32, signed),
            "{value}"
        );
    }
}
