//! Types of values, and how far they may be off: `fmt` and `tolerance` in conformance vectors.

use serde::Deserialize;
use serde::de::{Deserializer, Error};

/// The type of expected values.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs)]
pub enum ValueType {
    U8,
    I8,
    U16,
    I16,
    U32,
    I32,
    U64,
    I64,
    /// n / 65535; one step off always passes.
    Unorm16,
    /// n / 32767, at least -1; one step off always passes.
    Snorm16,
    F16,
    /// Two of F16 in a dword.
    F16x2,
    F32,
    F64,
}

impl ValueType {
    /// Returns the size of a value in bytes.
    pub const fn bytes(self) -> usize {
        match self {
            ValueType::U8 | ValueType::I8 => 1,
            ValueType::U16 | ValueType::I16 | ValueType::Unorm16 | ValueType::Snorm16 => 2,
            ValueType::F16 | ValueType::F16x2 => 2,
            ValueType::U32 | ValueType::I32 | ValueType::F32 => 4,
            ValueType::U64 | ValueType::I64 | ValueType::F64 => 8,
        }
    }
}

/// The key `tolerance`. A value passes if it is within one of the bounds.
#[derive(Clone, Copy, PartialEq, Default, Debug, Deserialize)]
pub struct Bounds {
    /// Largest distance in steps between representable values; the two zeros are the same step.
    #[serde(default)]
    pub ulp: Option<u64>,
    /// Largest absolute difference, at least 0.
    #[serde(default, deserialize_with = "difference")]
    pub abs: Option<f64>,
}

// No bound is a NaN.
impl Eq for Bounds {}

fn difference<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<f64>, D::Error> {
    match f64::deserialize(deserializer)? {
        abs if abs >= 0.0 => Ok(Some(abs)),
        abs => Err(D::Error::custom(format!("abs: {abs} is less than 0"))),
    }
}
