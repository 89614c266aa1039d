//! Makes text of a record of the printf buffer.

use super::conversion::{Conversion, Count, Length, MOST_WIDTH};
use super::number::{Fill, float, integer};
use super::{StringAt, padded};

/// Returns the little-endian number in `bytes`, which are at most eight.
pub fn number(bytes: &[u8]) -> u64 {
    bytes.iter().take(8).rev().fold(0, |number, &byte| number << 8 | u64::from(byte))
}

/// The arguments of a record.
pub struct Arguments<'a> {
    bytes: &'a [u8],
    /// Sizes of the remaining arguments in bytes; `None` for HIP, where a record states none.
    sizes: Option<&'a [u64]>,
}

impl<'a> Arguments<'a> {
    /// Returns the arguments in a record of an OpenCL program.
    pub fn opencl(bytes: &'a [u8], sizes: &'a [u64]) -> Arguments<'a> {
        Arguments { bytes, sizes: Some(sizes) }
    }

    /// Returns the arguments in a record of HIP.
    pub fn hip(bytes: &'a [u8]) -> Arguments<'a> {
        Arguments { bytes, sizes: None }
    }

    fn is_hip(&self) -> bool {
        self.sizes.is_none()
    }

    /// Returns the bytes of the next argument, or `None` if there are no more.
    fn next(&mut self, is_string: bool) -> Option<&'a [u8]> {
        let size = match &mut self.sizes {
            Some(sizes) => {
                let (&size, rest) = sizes.split_first()?;
                *sizes = rest;
                size
            }
            None if self.bytes.is_empty() => return None,
            None if is_string => 1 + self.bytes.iter().position(|&byte| byte == 0)? as u64,
            None => 8,
        };
        let step = usize::try_from(padded(size, if self.is_hip() { 8 } else { 4 })).ok()?;
        let bytes = self.bytes.get(..usize::try_from(size).ok()?)?;
        self.bytes = self.bytes.get(step..).unwrap_or_default();
        Some(bytes)
    }
}

/// Expands a record to text.
pub struct Expand<'a, 't> {
    pub text: &'t mut Vec<u8>,
    /// Length of the text in bytes from which on nothing is added.
    pub most: usize,
    pub arguments: Arguments<'a>,
    pub string_at: StringAt<'t>,
}

impl Expand<'_, '_> {
    /// Appends a format with its arguments. A conversion without an argument is copied.
    pub fn format(mut self, format: &[u8]) {
        let mut rest = format;
        while let Some(percent) = rest.iter().position(|&byte| byte == b'%') {
            self.text.extend_from_slice(&rest[..percent]);
            if self.text.len() >= self.most {
                return;
            }
            let behind = &rest[percent + 1..];
            rest = match Conversion::parse(behind) {
                Some((conversion, len)) => {
                    if self.convert(conversion).is_none() {
                        self.text.extend_from_slice(&rest[percent..=percent + len]);
                    }
                    &behind[len..]
                }
                None => {
                    self.text.push(b'%');
                    behind.strip_prefix(b"%").unwrap_or(behind)
                }
            };
        }
        self.text.extend_from_slice(rest);
    }

    /// Returns a width or a precision; the outer `None` means that its argument is missing. A negative width is a flag
    /// `-`; a negative precision is none.
    fn count(&mut self, count: Option<Count>) -> Option<Option<i32>> {
        Some(match count {
            None => None,
            Some(Count::Given(count)) => Some(count as i32),
            Some(Count::Argument) => {
                let given = number(self.arguments.next(false)?) as i32;
                Some(given.clamp(-(MOST_WIDTH as i32), MOST_WIDTH as i32))
            }
        })
    }

    fn convert(&mut self, conversion: Conversion) -> Option<()> {
        if conversion.letter == b'n' {
            // `%n` prints nothing. Its argument, a pointer, is only in records of HIP.
            if self.arguments.is_hip() {
                self.arguments.next(false);
            }
            return Some(());
        }
        let width = self.count(conversion.width)?.unwrap_or(0);
        let precision = self.count(conversion.precision)?.and_then(|precision| usize::try_from(precision).ok());
        let fill = Fill {
            width: width.unsigned_abs() as usize,
            left: conversion.left || width < 0,
            precision,
            conversion: &conversion,
        };
        let bytes = self.arguments.next(conversion.letter == b's')?;
        match conversion.letter {
            b's' => {
                let string = self.string(bytes);
                let len = string.len().min(fill.precision.unwrap_or(usize::MAX));
                fill.pad(self.text, &string[..len]);
            }
            b'c' => fill.pad(self.text, bytes.get(..1)?),
            b'p' => match number(bytes) {
                0 => fill.pad(self.text, b"(nil)"),
                address => fill.pad(self.text, format!("{address:#x}").as_bytes()),
            },
            _ => self.numbers(fill, bytes),
        }
        Some(())
    }

    /// Appends a number, or the numbers of a vector.
    fn numbers(&mut self, fill: Fill<'_>, bytes: &[u8]) {
        let conversion = fill.conversion;
        let elements = usize::from(conversion.elements);
        // A vector of three elements takes the bytes of four.
        let size = bytes.len() / if elements == 3 { 4 } else { elements };
        for (i, element) in (0..elements).map(|i| bytes.get(i * size..(i + 1) * size).unwrap_or_default()).enumerate() {
            if i > 0 {
                self.text.push(b',');
            }
            if conversion.is_float() {
                float(self.text, &fill, float_of(element));
            } else {
                let bits = self.bits(conversion.length, element.len());
                integer(self.text, &fill, number(element), bits);
            }
        }
    }

    /// Returns how many bits of an integer of `bytes` bytes are printed.
    fn bits(&self, length: Length, bytes: usize) -> u32 {
        let bits = match length {
            Length::Byte => 8,
            Length::Short => 16,
            Length::Word => 32,
            Length::Long => 64,
            // HIP extends all numbers to 64 bits.
            Length::Default if self.arguments.is_hip() => 32,
            Length::Default => 64,
        };
        bits.min(8 * bytes.clamp(1, 8) as u32)
    }

    /// Returns the bytes of a string. Older compilers store the address of a string in global memory.
    fn string(&self, bytes: &[u8]) -> Vec<u8> {
        let is_inline = bytes.iter().take(4).all(|&byte| byte >= b' ' || (7..=13).contains(&byte) || byte == 27);
        if !self.arguments.is_hip()
            && bytes.len() == 8
            && !is_inline
            && let Some(string) = (self.string_at)(number(bytes))
        {
            return string;
        }
        let end = bytes.iter().position(|&byte| byte == 0).unwrap_or(bytes.len());
        bytes[..end].to_vec()
    }
}

/// Returns the value of a float of two, four or eight bytes.
fn float_of(bytes: &[u8]) -> f64 {
    let bits = number(bytes);
    match bytes.len() {
        2 => half::f16::from_bits(bits as u16).to_f64(),
        4 => f64::from(f32::from_bits(bits as u32)),
        _ => f64::from_bits(bits),
    }
}
