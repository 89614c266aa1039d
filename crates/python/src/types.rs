//! Types of numbers: those that metadata name, and those of items of arrays.

use half::f16;

/// What the bits of a number are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Bits {
    Float,
    Signed,
    Unsigned,
}

/// A type of numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Number {
    pub(crate) bits: Bits,
    /// Size in bytes.
    pub(crate) bytes: usize,
}

/// The type of an argument, as its metadata name it: `float`, `int4`, `uchar*`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Type {
    pub(crate) number: Number,
    /// Number of elements of a vector; 1 for a number.
    pub(crate) count: usize,
}

impl Type {
    /// Reads a name of OpenCL C, that of what a pointer points to. `None` if it is no type of numbers.
    pub(crate) fn of_name(name: &str) -> Option<Type> {
        let name = name.trim_end_matches(['*', ' ', '&']);
        let name = name.rsplit(' ').find(|word| !matches!(*word, "const" | "volatile" | "restrict"))?;
        let letters = name.trim_end_matches(|c: char| c.is_ascii_digit());
        let count = match &name[letters.len()..] {
            "" => 1,
            digits => digits.parse().ok()?,
        };
        let (bits, bytes) = match letters {
            "float" => (Bits::Float, 4),
            "double" => (Bits::Float, 8),
            "half" => (Bits::Float, 2),
            "char" => (Bits::Signed, 1),
            "short" => (Bits::Signed, 2),
            "int" => (Bits::Signed, 4),
            "long" | "ptrdiff_t" | "intptr_t" => (Bits::Signed, 8),
            "uchar" | "bool" => (Bits::Unsigned, 1),
            "ushort" => (Bits::Unsigned, 2),
            "uint" | "unsigned" => (Bits::Unsigned, 4),
            "ulong" | "size_t" | "uintptr_t" => (Bits::Unsigned, 8),
            _ => return None,
        };
        Some(Type { number: Number { bits, bytes }, count })
    }
}

impl Number {
    /// Returns the type of items of a format of the module `struct`. `None` if they are no numbers, or big-endian.
    pub(crate) fn of_format(format: &str, bytes: usize) -> Option<Number> {
        let letter = format.strip_prefix(['<', '=', '@']).unwrap_or(format);
        let bits = match letter {
            "e" | "f" | "d" => Bits::Float,
            "b" | "h" | "i" | "l" | "q" | "n" => Bits::Signed,
            "B" | "H" | "I" | "L" | "Q" | "N" | "?" => Bits::Unsigned,
            _ => return None,
        };
        Some(Number { bits, bytes })
    }

    /// Name of the type for people, as numpy has it.
    pub(crate) fn name(self) -> String {
        let bits = match self.bits {
            Bits::Float => "float",
            Bits::Signed => "int",
            Bits::Unsigned => "uint",
        };
        format!("{bits}{}", 8 * self.bytes)
    }

    /// Whether values of one type can stand for those of the other: both floats, or both integers, of one size.
    pub(crate) fn fits(self, other: Number) -> bool {
        self.bytes == other.bytes && (self.bits == Bits::Float) == (other.bits == Bits::Float)
    }

    /// Returns the bytes of an integer, little-endian. `None` if the type has no room for it; an integer may have the
    /// range of the type with or without a sign.
    pub(crate) fn of_integer(self, value: i128) -> Option<Vec<u8>> {
        if self.bits == Bits::Float {
            return Some(self.of_float(value as f64));
        }
        let bits = 8 * self.bytes as u32;
        let range = -(1i128 << (bits - 1))..1i128 << bits;
        range.contains(&value).then(|| value.to_le_bytes()[..self.bytes].to_vec())
    }

    /// Returns the bytes of a float, little-endian, rounded to the type, which is one of floats.
    pub(crate) fn of_float(self, value: f64) -> Vec<u8> {
        match self.bytes {
            2 => f16::from_f64(value).to_le_bytes().to_vec(),
            4 => (value as f32).to_le_bytes().to_vec(),
            _ => value.to_le_bytes().to_vec(),
        }
    }
}
