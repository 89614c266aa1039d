//! The helpers in plain Rust, in a form that the compiler vectorises. They have no branch per lane. 64-bit operands are
//! handled by halves and classes by words, and results are 64 bytes that are packed at the end.

use gcnsim_isa::{LANES, OperandType};

use super::generic::*;
use super::{ClassHelperVS, Helper, HelperOp, Vector};

define_helpers!();

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

/// A scalar that is broadcast.
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

/// Comparison without branches. Everything is false for a NaN.
trait Ordered: Copy {
    fn lt(self, other: Self) -> bool;
    fn le(self, other: Self) -> bool;
    fn eq(self, other: Self) -> bool;
    fn lg(self, other: Self) -> bool;

    fn test<P: Predicate>(self, other: Self) -> bool {
        match P::OP {
            HelperOp::Lt => self.lt(other),
            HelperOp::Le => self.le(other),
            HelperOp::Eq => self.eq(other),
            HelperOp::Lg => self.lg(other),
            HelperOp::Gt => other.lt(self),
            HelperOp::Ge => other.le(self),
            HelperOp::U | HelperOp::Class => unreachable!("not an ordering"),
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

/// A 64-bit integer as two halves. `H` decides on the sign.
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

/// A binary16 number as an integer with the order of the values.
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

fn is_unordered<F: Float>(a: Bits, b: Bits) -> bool {
    match F::TYPE {
        OperandType::f16 => Half::new(a.lo).nan | Half::new(b.lo).nan,
        OperandType::f32 => f32::from_bits(a.lo).is_nan() | f32::from_bits(b.lo).is_nan(),
        _ => binary64(a).is_nan() | binary64(b).is_nan(),
    }
}

/// The high 16 bits of the value, and a word that is zero if all other bits are.
fn words<F: Float>(bits: Bits) -> (u16, u16) {
    match F::TYPE {
        OperandType::f16 => (bits.lo as u16, 0),
        OperandType::f32 => ((bits.lo >> 16) as u16, bits.lo as u16),
        _ => ((bits.hi >> 16) as u16, (bits.hi | bits.lo | bits.lo >> 16) as u16),
    }
}

/// The bit of a class mask that stands for the class of a value, given its [`words`].
fn class_bit<F: Float>(top: u16, rest: u16) -> u16 {
    let field = |bits: u32| if F::TYPE.bits() == 16 { bits as u16 } else { (bits >> 16) as u16 };
    let (sign, exponent, quiet, mantissa) = (field(F::SIGN), field(F::EXPONENT), field(F::QUIET), field(F::MANTISSA));
    let select = |condition: bool, yes: u16, no: u16| if condition { yes } else { no };
    let mantissa_is_zero = top & mantissa | rest == 0;
    // These bits are both signs of infinity, normal, denormal and zero; then those that fit the sign, and those of
    // NaNs.
    let nan = select(top & quiet != 0, 1 << 1, 1 << 0);
    let largest = select(mantissa_is_zero, 1 << 2 | 1 << 9, nan);
    let smallest = select(mantissa_is_zero, 1 << 5 | 1 << 6, 1 << 4 | 1 << 7);
    let normal = 1 << 3 | 1 << 8;
    let pair = select(top & exponent == 0, smallest, select(top & exponent == exponent, largest, normal));
    pair & select(top & sign != 0, 0b00_0011_1111, 0b11_1100_0011)
}

/// Packs one bit per lane.
#[inline]
fn per_lane(test: impl Fn(usize) -> bool) -> u64 {
    let mut bytes = [0u8; LANES];
    for (lane, byte) in bytes.iter_mut().enumerate() {
        *byte = test(lane) as u8;
    }
    let mut result = 0;
    for (i, chunk) in bytes.as_chunks::<8>().0.iter().enumerate() {
        // Byte k of the chunk moves to bit 56 + k of the product. No two terms share a bit.
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
    per_lane(|lane| is_unordered::<F>(a.lane(lane), b.lane(lane)))
}

#[inline]
fn class<F: Float, S: Shape>(a: impl Operand, masks: impl Operand) -> u64 {
    // These are words, because a vector register holds twice as many of them.
    let (mut tops, mut rests, mut bits) = ([0; LANES], [0; LANES], [0; LANES]);
    for lane in 0..LANES {
        (tops[lane], rests[lane]) = words::<F>(a.lane(lane));
        bits[lane] = masks.lane(lane).lo as u16;
    }
    per_lane(|lane| class_bit::<F>(tops[lane], rests[lane]) & bits[lane] != 0)
}
