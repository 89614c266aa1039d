//! Numbers as people write them: in files (JSON, TOML) and on the command line.

use std::fmt;

use serde::Deserializer;
use serde::de::{DeserializeSeed, Error, Unexpected, Visitor};

/// Text that is not a number, or not one that fits.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum NumberError {
    /// A sign stands where none may be.
    #[error("'{text}' is not a number")]
    Sign {
        /// The text.
        text: String,
    },
    /// The digits are wrong, or there are none.
    #[error("'{text}' is not a number (decimal or 0x...)")]
    Digits {
        /// The text.
        text: String,
    },
    /// The number has too many bits.
    #[error("'{text}' does not fit {bits} bits")]
    TooLarge {
        /// The text.
        text: String,
        /// The number of bits that it has to fit.
        bits: u32,
    },
}

/// Reads `12`, `0x1f` or `-3` as a number of `bits` bits (32 or 64). Negative numbers are in two's complement.
///
/// # Errors
/// [`NumberError`] if it is none, or does not fit.
pub fn parse(text: &str, bits: u32) -> Result<u64, NumberError> {
    let too_large = || NumberError::TooLarge { text: text.to_owned(), bits };
    let (negative, magnitude) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    let value = match magnitude.strip_prefix("0x").or_else(|| magnitude.strip_prefix("0X")) {
        Some(hex) if !hex.starts_with('+') => u64::from_str_radix(hex, 16),
        None if !magnitude.starts_with('+') => magnitude.parse(),
        _ => return Err(NumberError::Sign { text: text.to_owned() }),
    };
    let value = value.map_err(|error| match error.kind() {
        std::num::IntErrorKind::PosOverflow => too_large(),
        _ => NumberError::Digits { text: text.to_owned() },
    })?;
    let value = if negative { -i128::from(value) } else { i128::from(value) };
    wrap(value, bits).ok_or_else(too_large)
}

/// The two's complement of `value`; `None` if it does not fit in `bits` bits, signed or unsigned.
fn wrap(value: i128, bits: u32) -> Option<u64> {
    let lowest = if bits == 1 { 0 } else { -(1i128 << (bits - 1)) };
    let range = lowest..1i128 << bits;
    range.contains(&value).then_some((value as u64) & (u64::MAX >> (64 - bits)))
}

/// Reads a number of `bits` bits (1, 32 or 64), or a string with a hexadecimal number. Errors name `field`.
pub struct NumberSeed<'a> {
    /// Name of the field, for messages.
    pub field: &'a dyn fmt::Display,
    /// Width of the number in bits.
    pub bits: u32,
}

impl<'de> DeserializeSeed<'de> for NumberSeed<'_> {
    type Value = u64;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<u64, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl NumberSeed<'_> {
    fn wrap<E: Error>(&self, value: i128) -> Result<u64, E> {
        wrap(value, self.bits).ok_or_else(|| match self.bits {
            1 => E::custom(format!("{}: {value} is neither 0 nor 1", self.field)),
            bits => E::custom(format!("{}: {value} does not fit {bits} bits", self.field)),
        })
    }
}

impl Visitor<'_> for NumberSeed<'_> {
    type Value = u64;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.bits {
            1 => write!(f, "0 or 1 for {}", self.field),
            bits => write!(f, "a whole number of {bits} bits or a \"0x...\" string for {}", self.field),
        }
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<u64, E> {
        self.wrap(value.into())
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<u64, E> {
        self.wrap(value.into())
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<u64, E> {
        if !text.starts_with("0x") {
            return Err(E::invalid_value(Unexpected::Str(text), &self));
        }
        parse(text, self.bits).map_err(|what| E::custom(format!("{}: {what}", self.field)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_fit_or_are_refused() {
        assert_eq!(parse("4294967295", 32), Ok(u32::MAX as u64));
        assert_eq!(parse("-2147483648", 32), Ok(0x8000_0000));
        assert_eq!(parse("-0x1", 64), Ok(u64::MAX));
        assert_eq!(parse("0xffffffffffffffff", 64), Ok(u64::MAX));
        for (text, bits) in [("4294967296", 32), ("-2147483649", 32), ("0x10000000000000000", 64)] {
            assert!(parse(text, bits).unwrap_err().to_string().contains("does not fit"), "{text}");
        }
        for text in ["", "-", "0x", "1.5", "x", "+1", "0x+1", "--1", "1 "] {
            assert!(parse(text, 32).unwrap_err().to_string().contains("is not a number"), "{text}");
        }
    }
}
