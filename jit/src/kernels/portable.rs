//! The kernels in plain Rust, shaped for the compiler's vectoriser: no branch per lane, 64-bit operands by
//! halves, results as 64 bytes that are packed at the end.

use gcnsim_isa::{LANES, OperandType};

use super::generic::*;
use super::{ClassKernelVS, Kernel, KernelOp, Vector};

define_kernels!();

/// The bits of one lane: the low dword, and the high one if the type has 64 bits.
#[derive(Clone, Copy)]
struct Bits {
    lo: u32,
    hi: u32,
}

/// An operand, vector or scalar.
trait Operand: Copy {
    fn lane(self, lane: usize) -> Bits;
}

impl Operand for Vector<'_> {
    fn lane(self, lane: usize) -> Bits {
        Bits { lo: self.lo.0[lane], hi: self.hi.0[lane] }
    }
}

/// A scalar, broadcast.
impl Operand for u64 {
    fn lane(self, _: usize) -> Bits {
        Bits { lo: self as u32, hi: (self >> 32) as u32 }
    }
}

fn load<T: Type>(vector: Vector) -> Vector {
    vector
}

fn splat<T: Type>(scalar: u64) -> u64 {
    scalar
}

/// Comparison without branches; everything is false on NaN.
trait Ordered: Copy {
    fn lt(self, other: Self) -> bool;
    fn le(self, other: Self) -> bool;
    fn eq(self, other: Self) -> bool;
    fn lg(self, other: Self) -> bool;

    fn test<P: Predicate>(self, other: Self) -> bool {
        match P::OP {
            KernelOp::Lt => self.lt(other),
            KernelOp::Le => self.le(other),
            KernelOp::Eq => self.eq(other),
            KernelOp::Lg => self.lg(other),
            KernelOp::Gt => other.lt(self),
            KernelOp::Ge => other.le(self),
            KernelOp::U | KernelOp::Class => unreachable!("not an ordering"),
        }
    }
}

macro_rules! ordered {
    ($($T:ty)*) => {
        $(impl Ordered for $T {
            fn lt(self, other: $T) -> bool {
                self < other
            }
            fn le(self, other: $T) -> bool {
                self <= other
            }
            fn eq(self, other: $T) -> bool {
                self == other
            }
            fn lg(self, other: $T) -> bool {
                (self < other) | (self > other)
            }
        })*
    };
}

ordered! { i16 u16 i32 u32 f32 f64 }

/// A 64-bit integer by halves; `H` gives the sign.
#[derive(Clone, Copy)]
struct Halves<H> {
    lo: u32,
    hi: H,
}

impl<H: Ordered> Ordered for Halves<H> {
    fn lt(self, other: Self) -> bool {
        self.hi.lt(other.hi) | (self.hi.eq(other.hi) & (self.lo < other.lo))
    }
    fn le(self, other: Self) -> bool {
        self.hi.lt(other.hi) | (self.hi.eq(other.hi) & (self.lo <= other.lo))
    }
    fn eq(self, other: Self) -> bool {
        self.hi.eq(other.hi) & (self.lo == other.lo)
    }
    fn lg(self, other: Self) -> bool {
        !self.eq(other)
    }
}

/// A binary16 as an integer in the order of its values.
#[derive(Clone, Copy)]
struct Half {
    key: i32,
    nan: bool,
}

impl Half {
    fn new(bits: u32) -> Half {
        let magnitude = (bits & !F16::SIGN & 0xffff) as i32;
        let key = if bits & F16::SIGN != 0 { -magnitude } else { magnitude };
        Half { key, nan: magnitude > F16::EXPONENT as i32 }
    }
}

impl Ordered for Half {
    fn lt(self, other: Half) -> bool {
        (self.key < other.key) & !(self.nan | other.nan)
    }
    fn le(self, other: Half) -> bool {
        (self.key <= other.key) & !(self.nan | other.nan)
    }
    fn eq(self, other: Half) -> bool {
        (self.key == other.key) & !(self.nan | other.nan)
    }
    fn lg(self, other: Half) -> bool {
        (self.key != other.key) & !(self.nan | other.nan)
    }
}

fn binary64(bits: Bits) -> f64 {
    f64::from_bits((bits.hi as u64) << 32 | bits.lo as u64)
}

fn test<T: Type, P: Predicate>(a: Bits, b: Bits) -> bool {
    match T::TYPE {
        OperandType::i16 => (a.lo as i16).test::<P>(b.lo as i16),
        OperandType::u16 => (a.lo as u16).test::<P>(b.lo as u16),
        OperandType::i32 => (a.lo as i32).test::<P>(b.lo as i32),
        OperandType::u32 => a.lo.test::<P>(b.lo),
        OperandType::i64 => Halves { lo: a.lo, hi: a.hi as i32 }.test::<P>(Halves { lo: b.lo, hi: b.hi as i32 }),
        OperandType::u64 => Halves { lo: a.lo, hi: a.hi }.test::<P>(Halves { lo: b.lo, hi: b.hi }),
        OperandType::f16 => Half::new(a.lo).test::<P>(Half::new(b.lo)),
        OperandType::f32 => f32::from_bits(a.lo).test::<P>(f32::from_bits(b.lo)),
        OperandType::f64 => binary64(a).test::<P>(binary64(b)),
        _ => unreachable!("not a type of compares"),
    }
}

/// The dword with sign and exponent.
fn top<F: Float>(bits: Bits) -> u32 {
    if F::TYPE.is_wide() { bits.hi } else { bits.lo }
}

/// Zero if and only if the mantissa is.
fn mantissa<F: Float>(bits: Bits) -> u32 {
    let mantissa = top::<F>(bits) & F::MANTISSA;
    if F::TYPE.is_wide() { mantissa | bits.lo } else { mantissa }
}

fn is_nan<F: Float>(bits: Bits) -> bool {
    (top::<F>(bits) & F::EXPONENT == F::EXPONENT) & (mantissa::<F>(bits) != 0)
}

/// The bit of a class mask that stands for the value's class.
fn class_bit<F: Float>(bits: Bits) -> u32 {
    let select = |condition: bool, yes: u32, no: u32| if condition { yes } else { no };
    let top = top::<F>(bits);
    let exponent = top & F::EXPONENT;
    let mantissa_is_zero = mantissa::<F>(bits) == 0;
    let positive = top & F::SIGN == 0;
    let infinite = select(positive, 1 << 9, 1 << 2);
    let normal = select(positive, 1 << 8, 1 << 3);
    let denormal = select(positive, 1 << 7, 1 << 4);
    let zero = select(positive, 1 << 6, 1 << 5);
    let nan = select(top & F::QUIET != 0, 1 << 1, 1 << 0);
    let smallest = select(mantissa_is_zero, zero, denormal);
    let largest = select(mantissa_is_zero, infinite, nan);
    select(exponent == 0, smallest, select(exponent == F::EXPONENT, largest, normal))
}

/// One bit per lane.
#[inline]
fn per_lane(test: impl Fn(usize) -> bool) -> u64 {
    let mut bytes = [0u8; LANES];
    for (lane, byte) in bytes.iter_mut().enumerate() {
        *byte = test(lane) as u8;
    }
    let mut result = 0;
    for (i, chunk) in bytes.as_chunks::<8>().0.iter().enumerate() {
        // Byte k of the chunk moves to bit 56 + k of the product; no two summands share a bit.
        let packed = u64::from_le_bytes(*chunk).wrapping_mul(0x0102_0408_1020_4080) >> 56;
        result |= packed << (8 * i);
    }
    result
}

#[inline]
fn ordered<T: Type, P: Predicate>(a: impl Operand, b: impl Operand) -> u64 {
    per_lane(|lane| test::<T, P>(a.lane(lane), b.lane(lane)))
}

#[inline]
fn both_tiny<F: Float>(a: impl Operand, b: impl Operand) -> u64 {
    per_lane(|lane| (top::<F>(a.lane(lane)) | top::<F>(b.lane(lane))) & F::EXPONENT == 0)
}

#[inline]
fn unordered<F: Float>(a: impl Operand, b: impl Operand) -> u64 {
    per_lane(|lane| is_nan::<F>(a.lane(lane)) | is_nan::<F>(b.lane(lane)))
}

#[inline]
fn class<F: Float>(a: impl Operand, masks: impl Operand) -> u64 {
    per_lane(|lane| class_bit::<F>(a.lane(lane)) & masks.lane(lane).lo != 0)
}
