//! The kernels in plain Rust, shaped for the compiler's vectoriser: no branch per lane, 64-bit operands by
//! halves, results as 64 bytes that are packed at the end.

use gcnsim_isa::{LANES, OperandType};

use super::predicate::{Predicate, with_predicate};
use super::{ClassKernelVS, Kernel, KernelOp, Vector, keep_denormals, note_flush};

pub(super) fn kernel(ty: OperandType, op: KernelOp, scalar_first: bool) -> Kernel {
    macro_rules! int {
        ($T:ty) => {
            with_predicate!(op, P => match scalar_first {
                false => Kernel::IntVV(int_vv::<$T, P>),
                true => Kernel::IntSV(int_sv::<$T, P>),
            })
        };
    }
    macro_rules! float {
        ($T:ty) => {
            match (op, scalar_first) {
                (KernelOp::U, false) => Kernel::IntVV(unordered_vv::<$T>),
                (KernelOp::U, true) => Kernel::IntSV(unordered_sv::<$T>),
                (KernelOp::Class, false) => Kernel::IntVV(class_vv::<$T>),
                (KernelOp::Class, true) => Kernel::IntSV(class_sv::<$T>),
                (_, false) => with_predicate!(op, P => Kernel::FloatVV(float_vv::<$T, P>)),
                (_, true) => with_predicate!(op, P => Kernel::FloatSV(float_sv::<$T, P>)),
            }
        };
    }
    match ty {
        OperandType::f16 => float!(F16),
        OperandType::f32 => float!(F32),
        OperandType::f64 => float!(F64),
        OperandType::i16 => int!(I16),
        OperandType::u16 => int!(U16),
        OperandType::i32 => int!(I32),
        OperandType::u32 => int!(U32),
        OperandType::i64 => int!(I64),
        OperandType::u64 => int!(U64),
        _ => unreachable!("not a type of compares"),
    }
}

pub(super) fn class_vs(ty: OperandType) -> ClassKernelVS {
    match ty {
        OperandType::f16 => class_vs_of::<F16>,
        OperandType::f32 => class_vs_of::<F32>,
        OperandType::f64 => class_vs_of::<F64>,
        _ => unreachable!("not a float type"),
    }
}

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

impl Operand for u64 {
    fn lane(self, _: usize) -> Bits {
        Bits { lo: self as u32, hi: (self >> 32) as u32 }
    }
}

/// A type of compares.
trait Element {
    const WIDE: bool = false;
    /// The value of a lane, in the form it is compared in.
    type Value: Ordered;
    fn value(bits: Bits) -> Self::Value;
}

/// Comparison without branches; all but `lg` and `unordered` as their names say, false on NaN.
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

macro_rules! element {
    ($($Name:ident: $Value:ty, |$bits:ident| $value:expr;)*) => {
        $(
            struct $Name;

            impl Element for $Name {
                type Value = $Value;
                fn value($bits: Bits) -> $Value {
                    $value
                }
            }
        )*
    };
}

element! {
    I16: i16, |bits| bits.lo as i16;
    U16: u16, |bits| bits.lo as u16;
    I32: i32, |bits| bits.lo as i32;
    U32: u32, |bits| bits.lo;
    F32: f32, |bits| f32::from_bits(bits.lo);
    F16: Half, |bits| {
        let magnitude = (bits.lo & 0x7fff) as i32;
        let key = if bits.lo & 0x8000 != 0 { -magnitude } else { magnitude };
        Half { key, nan: magnitude > 0x7c00 }
    };
}

struct I64;

impl Element for I64 {
    const WIDE: bool = true;
    type Value = Halves<i32>;
    fn value(bits: Bits) -> Halves<i32> {
        Halves { lo: bits.lo, hi: bits.hi as i32 }
    }
}

struct U64;

impl Element for U64 {
    const WIDE: bool = true;
    type Value = Halves<u32>;
    fn value(bits: Bits) -> Halves<u32> {
        Halves { lo: bits.lo, hi: bits.hi }
    }
}

struct F64;

impl Element for F64 {
    const WIDE: bool = true;
    type Value = f64;
    fn value(bits: Bits) -> f64 {
        f64::from_bits((bits.hi as u64) << 32 | bits.lo as u64)
    }
}

/// A float type by its fields; `TOP` is the dword that holds sign and exponent.
trait Float: Element {
    const TYPE: OperandType;
    /// Sign bit in the top dword.
    const SIGN: u32;
    /// Exponent bits in the top dword.
    const EXPONENT: u32;
    /// Quiet bit in the top dword.
    const QUIET: u32;

    fn top(bits: Bits) -> u32 {
        if Self::WIDE { bits.hi } else { bits.lo }
    }

    /// Zero (of either sign) if and only if the mantissa is.
    fn mantissa(bits: Bits) -> u32 {
        let below_sign = Self::top(bits) & (Self::SIGN - 1) & !Self::EXPONENT;
        if Self::WIDE { below_sign | bits.lo } else { below_sign }
    }

    /// Zero for a denormal.
    fn flush(bits: Bits) -> Bits {
        let keep = if Self::top(bits) & Self::EXPONENT == 0 { 0 } else { !0 };
        Bits { lo: bits.lo & keep, hi: bits.hi & keep }
    }

    fn is_nan(bits: Bits) -> bool {
        (Self::top(bits) & Self::EXPONENT == Self::EXPONENT) & (Self::mantissa(bits) != 0)
    }

    /// The bit of a class mask that stands for the value's class.
    fn class(bits: Bits) -> u32 {
        let top = Self::top(bits);
        let exponent = top & Self::EXPONENT;
        let mantissa_is_zero = Self::mantissa(bits) == 0;
        let select = |condition: bool, yes: u32, no: u32| if condition { yes } else { no };
        let nan = select(top & Self::QUIET != 0, 1 << 1, 1 << 0);
        // Bits 2..=5 for inf, normal, denormal, zero of negative sign, 9..=6 for those of positive sign.
        let positive = top & Self::SIGN == 0;
        let normal = select(positive, 1 << 8, 1 << 3);
        let denormal = select(positive, 1 << 7, 1 << 4);
        let zero = select(positive, 1 << 6, 1 << 5);
        let infinite = select(positive, 1 << 9, 1 << 2);
        let small = select(mantissa_is_zero, zero, denormal);
        let large = select(mantissa_is_zero, infinite, nan);
        select(exponent == 0, small, select(exponent == Self::EXPONENT, large, normal))
    }
}

impl Float for F16 {
    const TYPE: OperandType = OperandType::f16;
    const SIGN: u32 = 1 << 15;
    const EXPONENT: u32 = 0x1f << 10;
    const QUIET: u32 = 1 << 9;
}

impl Float for F32 {
    const TYPE: OperandType = OperandType::f32;
    const SIGN: u32 = 1 << 31;
    const EXPONENT: u32 = 0xff << 23;
    const QUIET: u32 = 1 << 22;
}

impl Float for F64 {
    const TYPE: OperandType = OperandType::f64;
    const SIGN: u32 = 1 << 31;
    const EXPONENT: u32 = 0x7ff << 20;
    const QUIET: u32 = 1 << 19;
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
fn int<T: Element, P: Predicate>(a: impl Operand, b: Vector) -> u64 {
    per_lane(|lane| T::value(a.lane(lane)).test::<P>(T::value(b.lane(lane))))
}

#[inline]
fn float<T: Float, P: Predicate>(a: impl Operand, b: Vector, mode: u32, exec: u64, notes: &mut u64) -> u64 {
    let kept = int::<T, P>(a, b);
    if mode & const { keep_denormals(T::TYPE) } != 0 {
        return kept;
    }
    let flushed = per_lane(|lane| T::value(T::flush(a.lane(lane))).test::<P>(T::value(T::flush(b.lane(lane)))));
    note_flush(kept, flushed, exec, notes)
}

#[inline]
fn unordered<T: Float>(a: impl Operand, b: Vector) -> u64 {
    per_lane(|lane| T::is_nan(a.lane(lane)) | T::is_nan(b.lane(lane)))
}

#[inline]
fn class<T: Float>(a: impl Operand, masks: impl Operand) -> u64 {
    per_lane(|lane| T::class(a.lane(lane)) & masks.lane(lane).lo != 0)
}

unsafe extern "C" fn int_vv<T: Element, P: Predicate>(a: *const u32, b: *const u32) -> u64 {
    // SAFETY: the contract of `IntKernelVV`.
    let (a, b) = unsafe { (vector::<T>(a), vector::<T>(b)) };
    int::<T, P>(a, b)
}

unsafe extern "C" fn int_sv<T: Element, P: Predicate>(a: u64, b: *const u32) -> u64 {
    // SAFETY: the contract of `IntKernelSV`.
    let b = unsafe { vector::<T>(b) };
    int::<T, P>(a, b)
}

unsafe extern "C" fn float_vv<T: Float, P: Predicate>(
    a: *const u32,
    b: *const u32,
    mode: u32,
    exec: u64,
    notes: *mut u64,
) -> u64 {
    // SAFETY: the contract of `FloatKernelVV`.
    let (a, b, notes) = unsafe { (vector::<T>(a), vector::<T>(b), &mut *notes) };
    float::<T, P>(a, b, mode, exec, notes)
}

unsafe extern "C" fn float_sv<T: Float, P: Predicate>(
    a: u64,
    b: *const u32,
    mode: u32,
    exec: u64,
    notes: *mut u64,
) -> u64 {
    // SAFETY: the contract of `FloatKernelSV`.
    let (b, notes) = unsafe { (vector::<T>(b), &mut *notes) };
    float::<T, P>(a, b, mode, exec, notes)
}

unsafe extern "C" fn unordered_vv<T: Float>(a: *const u32, b: *const u32) -> u64 {
    // SAFETY: the contract of `IntKernelVV`.
    let (a, b) = unsafe { (vector::<T>(a), vector::<T>(b)) };
    unordered::<T>(a, b)
}

unsafe extern "C" fn unordered_sv<T: Float>(a: u64, b: *const u32) -> u64 {
    // SAFETY: the contract of `IntKernelSV`.
    let b = unsafe { vector::<T>(b) };
    unordered::<T>(a, b)
}

unsafe extern "C" fn class_vv<T: Float>(a: *const u32, masks: *const u32) -> u64 {
    // SAFETY: the contract of `IntKernelVV`; masks are dwords.
    let (a, masks) = unsafe { (vector::<T>(a), vector::<U32>(masks)) };
    class::<T>(a, masks)
}

unsafe extern "C" fn class_sv<T: Float>(a: u64, masks: *const u32) -> u64 {
    // SAFETY: the contract of `IntKernelSV`; masks are dwords.
    let masks = unsafe { vector::<U32>(masks) };
    let bit = T::class(a.lane(0));
    per_lane(|lane| bit & masks.lo.0[lane] != 0)
}

unsafe extern "C" fn class_vs_of<T: Float>(a: *const u32, mask: u32) -> u64 {
    // SAFETY: the contract of `ClassKernelVS`.
    let a = unsafe { vector::<T>(a) };
    class::<T>(a, mask as u64)
}

/// # Safety
///
/// `lanes` is a vector operand of type `T` (see the parent module), readable for `'a`.
unsafe fn vector<'a, T: Element>(lanes: *const u32) -> Vector<'a> {
    if T::WIDE {
        // SAFETY: the caller's promise.
        unsafe { Vector::from_raw::<true>(lanes) }
    } else {
        // SAFETY: the caller's promise.
        unsafe { Vector::from_raw::<false>(lanes) }
    }
}
