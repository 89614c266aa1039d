//! Typed numbers of launch files: arguments, contents of buffers, expected values.

use serde_json::Value;

use super::tree::{Node, Read};

/// Types of numbers.
#[allow(missing_docs)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NumberType {
    U8,
    I8,
    U16,
    I16,
    U32,
    I32,
    U64,
    I64,
    F16,
    F32,
    F64,
}

impl NumberType {
    /// All types.
    pub const ALL: [NumberType; 11] = {
        use NumberType::*;
        [U8, I8, U16, I16, U32, I32, U64, I64, F16, F32, F64]
    };

    /// Returns the name of the type in launch files.
    pub const fn name(self) -> &'static str {
        match self {
            NumberType::U8 => "u8",
            NumberType::I8 => "i8",
            NumberType::U16 => "u16",
            NumberType::I16 => "i16",
            NumberType::U32 => "u32",
            NumberType::I32 => "i32",
            NumberType::U64 => "u64",
            NumberType::I64 => "i64",
            NumberType::F16 => "f16",
            NumberType::F32 => "f32",
            NumberType::F64 => "f64",
        }
    }

    /// Returns the type with this name.
    pub fn by_name(name: &str) -> Option<NumberType> {
        NumberType::ALL.into_iter().find(|ty| ty.name() == name)
    }

    /// Returns the type of the numbers of a type of OpenCL C or C++, or of what it points to, and how many a value has:
    /// `float4` has four, `const uint*` one. `None` if it is no number.
    pub fn of_source(type_name: &str) -> Option<(NumberType, u8)> {
        const QUALIFIERS: [&str; 10] = [
            "const",
            "volatile",
            "restrict",
            "global",
            "constant",
            "local",
            "__global",
            "__constant",
            "__local",
            "std",
        ];
        let words = type_name.split(|c: char| c.is_whitespace() || "*&:".contains(c));
        let words: Vec<&str> = words.filter(|word| !word.is_empty() && !QUALIFIERS.contains(word)).collect();
        let name = words.join(" ");
        let scalar = |name: &str| {
            Some(match name {
                "char" | "signed char" | "int8_t" => NumberType::I8,
                "uchar" | "unsigned char" | "uint8_t" | "bool" => NumberType::U8,
                "short" | "int16_t" => NumberType::I16,
                "ushort" | "unsigned short" | "uint16_t" => NumberType::U16,
                "int" | "int32_t" => NumberType::I32,
                "uint" | "unsigned" | "unsigned int" | "uint32_t" => NumberType::U32,
                "long" | "long long" | "int64_t" | "ptrdiff_t" | "intptr_t" => NumberType::I64,
                "ulong" | "unsigned long" | "unsigned long long" | "uint64_t" | "size_t" | "uintptr_t" => {
                    NumberType::U64
                }
                "half" | "__half" | "_Float16" => NumberType::F16,
                "float" => NumberType::F32,
                "double" => NumberType::F64,
                _ => return None,
            })
        };
        let base = name.trim_end_matches(|c: char| c.is_ascii_digit());
        match name[base.len()..].parse() {
            Ok(count @ (2 | 3 | 4 | 8 | 16)) => Some((scalar(base)?, count)),
            Ok(_) => None,
            Err(_) => Some((scalar(&name)?, 1)),
        }
    }

    /// Returns the size in bytes.
    pub const fn size(self) -> usize {
        match self {
            NumberType::U8 | NumberType::I8 => 1,
            NumberType::U16 | NumberType::I16 | NumberType::F16 => 2,
            NumberType::U32 | NumberType::I32 | NumberType::F32 => 4,
            NumberType::U64 | NumberType::I64 | NumberType::F64 => 8,
        }
    }

    /// Whether it is a float type.
    pub const fn is_float(self) -> bool {
        matches!(self, NumberType::F16 | NumberType::F32 | NumberType::F64)
    }

    const fn is_signed(self) -> bool {
        matches!(self, NumberType::I8 | NumberType::I16 | NumberType::I32 | NumberType::I64)
    }

    /// Returns the least and the greatest number of an integer type.
    pub fn range(self) -> (i128, i128) {
        let bits = 8 * self.size() as u32;
        if self.is_signed() { (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) } else { (0, (1 << bits) - 1) }
    }

    /// Returns the bits of `x`, rounded to the nearest value of the float type; ties go to even.
    pub fn of_f64(self, x: f64) -> u64 {
        match self {
            NumberType::F16 => half::f16::from_f64(x).to_bits() as u64,
            NumberType::F32 => (x as f32).to_bits() as u64,
            _ => x.to_bits(),
        }
    }

    /// Returns the value of `bits` of a float type.
    pub fn to_f64(self, bits: u64) -> f64 {
        match self {
            NumberType::F16 => half::f16::from_bits(bits as u16).to_f64(),
            NumberType::F32 => f32::from_bits(bits as u32) as f64,
            _ => f64::from_bits(bits),
        }
    }

    /// Reads one number and returns its bits.
    pub(super) fn read(self, node: &Node<'_>) -> Read<u64> {
        if self.is_float() {
            return self.read_float(node);
        }
        let n = node.integer()?;
        let (least, most) = self.range();
        // A string of digits may state the bits of a negative number.
        let is_bits = node.value.is_string() && n >= 0 && n < 1 << (8 * self.size());
        if !(least..=most).contains(&n) && !is_bits {
            return Err(node.error(format_args!("{n} does not fit {}", self.name())));
        }
        Ok(n as u64 & u64::MAX >> (64 - 8 * self.size()))
    }

    fn read_float(self, node: &Node<'_>) -> Read<u64> {
        let wrong = || {
            node.error(format_args!(
                "{} where a number is expected (or \"nan\", \"inf\", \"-inf\", or bits as \"0x..\")",
                node.kind()
            ))
        };
        match node.value {
            Value::Number(n) => {
                let x = n.as_f64().ok_or_else(wrong)?;
                let bits = self.of_f64(x);
                match self.to_f64(bits).is_infinite() && x.is_finite() {
                    true => Err(node.error(format_args!("{n} does not fit {}", self.name()))),
                    false => Ok(bits),
                }
            }
            Value::String(text) => match text.as_str() {
                "nan" => Ok(match self {
                    NumberType::F16 => 0x7e00,
                    NumberType::F32 => 0x7fc0_0000,
                    _ => 0x7ff8_0000_0000_0000,
                }),
                "inf" => Ok(self.of_f64(f64::INFINITY)),
                "-inf" => Ok(self.of_f64(f64::NEG_INFINITY)),
                hex if hex.starts_with("0x") => {
                    let bits = node.integer()?;
                    u64::try_from(bits)
                        .ok()
                        .filter(|&bits| self.size() == 8 || bits < 1 << (8 * self.size()))
                        .ok_or_else(wrong)
                }
                _ => Err(wrong()),
            },
            _ => Err(wrong()),
        }
    }

    /// Appends `bits` as little-endian bytes.
    pub fn append(self, bytes: &mut Vec<u8>, bits: u64) {
        bytes.extend(&bits.to_le_bytes()[..self.size()]);
    }

    /// Returns the bits of little-endian `bytes`, as many as the type has.
    pub fn bits(self, bytes: &[u8]) -> u64 {
        bytes.iter().rev().fold(0, |bits, &byte| bits << 8 | byte as u64)
    }

    /// Returns the number with the given bits as people write it.
    pub fn show(self, bits: u64) -> String {
        match self {
            NumberType::F16 | NumberType::F32 | NumberType::F64 if self.to_f64(bits).is_nan() => {
                format!("nan (0x{bits:0width$x})", width = 2 * self.size())
            }
            NumberType::F16 => half::f16::from_bits(bits as u16).to_string(),
            NumberType::F32 => f32::from_bits(bits as u32).to_string(),
            NumberType::F64 => f64::from_bits(bits).to_string(),
            _ if self.is_signed() => ((bits << (64 - 8 * self.size())) as i64 >> (64 - 8 * self.size())).to_string(),
            _ => bits.to_string(),
        }
    }
}

/// Returns SplitMix64's output for `state`.
pub fn split_mix(state: u64) -> u64 {
    let z = (state ^ state >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ z >> 31
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(ty: NumberType, json: &str) -> Result<u64, String> {
        let value = serde_json::from_str(json).unwrap();
        ty.read(&Node::root(&value)).map_err(|error| error.to_string())
    }

    #[test]
    fn types_of_the_source() {
        use NumberType::*;
        for (name, expected) in [
            ("float*", Some((F32, 1))),
            ("const float4 *", Some((F32, 4))),
            ("__global half*", Some((F16, 1))),
            ("double", Some((F64, 1))),
            ("unsigned int*", Some((U32, 1))),
            ("uchar16*", Some((U8, 16))),
            ("std::uint8_t*", Some((U8, 1))),
            ("size_t", Some((U64, 1))),
            ("long long*", Some((I64, 1))),
            ("int5", None),
            ("float0", None),
            ("Node*", None),
            ("", None),
        ] {
            assert_eq!(NumberType::of_source(name), expected, "{name}");
        }
    }

    #[test]
    fn numbers() {
        use NumberType::*;
        assert_eq!(read(I8, "-1"), Ok(0xff));
        assert_eq!(read(U8, "256"), Err("256 does not fit u8".to_string()));
        assert_eq!(read(U64, "18446744073709551615"), Ok(u64::MAX));
        assert_eq!(read(I64, "\"0xffffffffffffffff\""), Ok(u64::MAX));
        assert_eq!(
            (read(F32, "2.0"), read(F16, "1"), read(F64, "-0.5")),
            (Ok(0x4000_0000), Ok(0x3c00), Ok(0xbfe0_0000_0000_0000))
        );
        assert_eq!(
            (read(F32, "\"nan\""), read(F16, "\"-inf\""), read(F32, "\"0x7f800001\"")),
            (Ok(0x7fc0_0000), Ok(0xfc00), Ok(0x7f80_0001))
        );
        assert_eq!(read(F32, "1e39"), Err("1e+39 does not fit f32".to_string()));
        assert_eq!(read(U32, "1.5"), Err("the number 1.5 where an integer is expected".to_string()));
        assert_eq!(
            (I16.show(0xfffe), U32.show(7), F32.show(0x3fc0_0000), F32.show(0x7fc0_0000)),
            ("-2".into(), "7".into(), "1.5".into(), "nan (0x7fc00000)".into())
        );
    }

    /// The first outputs of SplitMix64 for seed 0, from the reference implementation by Sebastiano Vigna.
    #[test]
    fn random_numbers() {
        let outputs = [1u64, 2, 3].map(|i| split_mix(i.wrapping_mul(0x9e37_79b9_7f4a_7c15)));
        assert_eq!(outputs, [0xe220_a839_7b1d_cdaf, 0x6e78_9e6a_a1b9_65f4, 0x06c4_5d18_8009_454f]);
    }
}
