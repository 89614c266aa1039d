//! The common part of all levels. Types and predicates are Rust types, so that a helper is a generic function that is
//! compiled once per combination. The entry points call a level's arithmetic.

use gcnsim_isa::{Mode, Note, Notes, OperandType};

use super::HelperOp;

/// A predicate that orders two operands.
pub(super) trait Predicate {
    /// The predicate.
    const OP: HelperOp;
}

macro_rules! predicates {
    ($($Name:ident)*) => {
        $(
            pub(super) struct $Name;

            impl Predicate for $Name {
                const OP: HelperOp = HelperOp::$Name;
            }
        )*
    };
}

predicates! { Lt Le Eq Lg Gt Ge }

/// A type of operands.
pub(super) trait Type {
    /// The operand type.
    const TYPE: OperandType;
}

macro_rules! types {
    ($($Name:ident = $name:ident,)*) => {
        $(
            pub(super) struct $Name;

            impl Type for $Name {
                const TYPE: OperandType = OperandType::$name;
            }
        )*
    };
}

types! {
    F16 = f16, F32 = f32, F64 = f64, I16 = i16, U16 = u16, I32 = i32, U32 = u32, I64 = i64, U64 = u64,
    ClassMask = b32,
}

/// A float type, described by the fields of its top dword: the only one, or the high one of binary64.
pub(super) trait Float: Type {
    /// Sign bit.
    const SIGN: u32;
    /// Exponent bits.
    const EXPONENT: u32;
    /// Quiet bit of a NaN, the highest of the mantissa.
    const QUIET: u32;
    /// Mantissa bits; binary64 has 32 more in the low dword.
    const MANTISSA: u32 = 2 * Self::QUIET - 1;
    /// MODE's bit that keeps denormal inputs.
    const KEEP_DENORMALS: u32;
}

impl Float for F16 {
    const SIGN: u32 = 1 << 15;
    const EXPONENT: u32 = 0x1f << 10;
    const QUIET: u32 = 1 << 9;
    const KEEP_DENORMALS: u32 = Mode::DENORM_IN_F64_F16;
}

impl Float for F32 {
    const SIGN: u32 = 1 << 31;
    const EXPONENT: u32 = 0xff << 23;
    const QUIET: u32 = 1 << 22;
    const KEEP_DENORMALS: u32 = Mode::DENORM_IN_F32;
}

impl Float for F64 {
    const SIGN: u32 = 1 << 31;
    const EXPONENT: u32 = 0x7ff << 20;
    const QUIET: u32 = 1 << 19;
    const KEEP_DENORMALS: u32 = Mode::DENORM_IN_F64_F16;
}

/// The shape of a class helper. Each entry point gets its own instance of the level's function, so that it is inlined
/// there although it is large.
pub(super) trait Shape {}

pub(super) struct VectorVector;
pub(super) struct ScalarVector;
pub(super) struct VectorScalar;

impl Shape for VectorVector {}
impl Shape for ScalarVector {}
impl Shape for VectorScalar {}

/// Class numbers (bits of a class mask) by an index that the SIMD levels compute from three parts:
///
/// - Exponent and quiet bit as one number, plus 2. The addition carries into the exponent, wraps the largest to 0 and
///   makes the smallest 1. The part is the minimum of that and 4: 0 or 1 (quiet) for the largest exponent, 2 or 3 for
///   the smallest, 4 for the others.
/// - 8 if the sign is set.
/// - 16 if the mantissa is not zero.
#[cfg(target_arch = "x86_64")]
pub(super) const CLASSES: [u8; 32] = {
    let mut classes = [0; 32];
    let mut index = 0;
    while index < 32 {
        let (negative, mantissa) = (index & 8 != 0, index & 16 != 0);
        classes[index] = match (index & 7, mantissa) {
            (0, true) => 0,
            (1, _) => 1,
            (0, false) => {
                if negative {
                    2
                } else {
                    9
                }
            }
            (2 | 3, true) => {
                if negative {
                    4
                } else {
                    7
                }
            }
            (2 | 3, false) => {
                if negative {
                    5
                } else {
                    6
                }
            }
            _ => {
                if negative {
                    3
                } else {
                    8
                }
            }
        };
        index += 1;
    }
    classes
};

/// Expands `body` with `$P` as the type of the predicate `op`. U and CLASS never get here.
macro_rules! with_predicate {
    ($op:expr, $P:ident => $body:expr) => {
        match $op {
            HelperOp::Lt => with_predicate!(@ Lt, $P => $body),
            HelperOp::Le => with_predicate!(@ Le, $P => $body),
            HelperOp::Eq => with_predicate!(@ Eq, $P => $body),
            HelperOp::Lg => with_predicate!(@ Lg, $P => $body),
            HelperOp::Gt => with_predicate!(@ Gt, $P => $body),
            HelperOp::Ge => with_predicate!(@ Ge, $P => $body),
            HelperOp::U | HelperOp::Class => unreachable!("not an ordering"),
        }
    };
    (@ $Name:ident, $P:ident => $body:expr) => {{
        type $P = crate::generic::$Name;
        $body
    }};
}

/// Defines the entry points of a level, and the functions `helper` and `class_vs` that choose among them.
///
/// The attributes given go on every entry point. The level's module defines, for `T: Type`, `F: Float`,
/// `P: Predicate`, `S: Shape` and operand types of its own:
///
/// - `load::<T>(Vector)` and `splat::<T>(u64)`, the operands;
/// - `ordered::<T, P>(a, b) -> u64`, a compare without flushing;
/// - `both_tiny::<F>(a, b) -> u64`, where both exponents are zero: both operands are zeros or denormals;
/// - `unordered::<F>(a, b) -> u64` and `class::<F, S>(a, masks) -> u64`.
macro_rules! define_helpers {
    ($(#[$attribute:meta])*) => {
        pub(super) fn helper(ty: OperandType, op: HelperOp, scalar_first: bool) -> Helper {
            macro_rules! int {
                ($T:ty) => {
                    with_predicate!(op, P => match scalar_first {
                        false => Helper::IntVV(int_vv::<$T, P>),
                        true => Helper::IntSV(int_sv::<$T, P>),
                    })
                };
            }
            macro_rules! float {
                ($T:ty) => {
                    match (op, scalar_first) {
                        (HelperOp::U, false) => Helper::IntVV(unordered_vv::<$T>),
                        (HelperOp::U, true) => Helper::IntSV(unordered_sv::<$T>),
                        (HelperOp::Class, false) => Helper::IntVV(class_vv::<$T>),
                        (HelperOp::Class, true) => Helper::IntSV(class_sv::<$T>),
                        (_, false) => with_predicate!(op, P => Helper::FloatVV(float_vv::<$T, P>)),
                        (_, true) => with_predicate!(op, P => Helper::FloatSV(float_sv::<$T, P>)),
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

        pub(super) fn class_vs(ty: OperandType) -> ClassHelperVS {
            match ty {
                OperandType::f16 => class_vs_entry::<F16>,
                OperandType::f32 => class_vs_entry::<F32>,
                OperandType::f64 => class_vs_entry::<F64>,
                _ => unreachable!("not a float type"),
            }
        }

        $(#[$attribute])*
        unsafe extern "C" fn int_vv<T: Type, P: Predicate>(a: *const u32, b: *const u32) -> u64 {
            // SAFETY: the contract of `IntHelperVV` requires this of the caller.
            let (a, b) = unsafe { (Vector::from_raw(a, T::TYPE), Vector::from_raw(b, T::TYPE)) };
            ordered::<T, P>(load::<T>(a), load::<T>(b))
        }

        $(#[$attribute])*
        unsafe extern "C" fn int_sv<T: Type, P: Predicate>(a: u64, b: *const u32) -> u64 {
            // SAFETY: the contract of `IntHelperSV` requires this of the caller.
            let b = unsafe { Vector::from_raw(b, T::TYPE) };
            ordered::<T, P>(splat::<T>(a), load::<T>(b))
        }

        $(#[$attribute])*
        unsafe extern "C" fn float_vv<T: Float, P: Predicate>(
            a: *const u32,
            b: *const u32,
            mode: u32,
            exec: u64,
            notes: *mut u64,
        ) -> u64 {
            // SAFETY: the contract of `FloatHelperVV` requires this of the caller.
            let (a, b) = unsafe { (Vector::from_raw(a, T::TYPE), Vector::from_raw(b, T::TYPE)) };
            let (a, b) = (load::<T>(a), load::<T>(b));
            let kept = ordered::<T, P>(a, b);
            if mode & T::KEEP_DENORMALS != 0 {
                return kept;
            }
            // SAFETY: the contract of `FloatHelperVV` requires this of the caller.
            let notes = unsafe { &mut *notes };
            flushed::<P>(kept, both_tiny::<T>(a, b), exec, notes)
        }

        $(#[$attribute])*
        unsafe extern "C" fn float_sv<T: Float, P: Predicate>(
            a: u64,
            b: *const u32,
            mode: u32,
            exec: u64,
            notes: *mut u64,
        ) -> u64 {
            // SAFETY: the contract of `FloatHelperSV` requires this of the caller.
            let b = unsafe { Vector::from_raw(b, T::TYPE) };
            let (a, b) = (splat::<T>(a), load::<T>(b));
            let kept = ordered::<T, P>(a, b);
            if mode & T::KEEP_DENORMALS != 0 {
                return kept;
            }
            // SAFETY: the contract of `FloatHelperSV` requires this of the caller.
            let notes = unsafe { &mut *notes };
            flushed::<P>(kept, both_tiny::<T>(a, b), exec, notes)
        }

        $(#[$attribute])*
        unsafe extern "C" fn unordered_vv<T: Float>(a: *const u32, b: *const u32) -> u64 {
            // SAFETY: the contract of `IntHelperVV` requires this of the caller.
            let (a, b) = unsafe { (Vector::from_raw(a, T::TYPE), Vector::from_raw(b, T::TYPE)) };
            unordered::<T>(load::<T>(a), load::<T>(b))
        }

        $(#[$attribute])*
        unsafe extern "C" fn unordered_sv<T: Float>(a: u64, b: *const u32) -> u64 {
            // SAFETY: the contract of `IntHelperSV` requires this of the caller.
            let b = unsafe { Vector::from_raw(b, T::TYPE) };
            unordered::<T>(splat::<T>(a), load::<T>(b))
        }

        $(#[$attribute])*
        unsafe extern "C" fn class_vv<T: Float>(a: *const u32, masks: *const u32) -> u64 {
            // SAFETY: the contract of `IntHelperVV`; the masks are dwords for every type.
            let (a, masks) = unsafe { (Vector::from_raw(a, T::TYPE), Vector::from_raw(masks, ClassMask::TYPE)) };
            class::<T, VectorVector>(load::<T>(a), load::<ClassMask>(masks))
        }

        $(#[$attribute])*
        unsafe extern "C" fn class_sv<T: Float>(a: u64, masks: *const u32) -> u64 {
            // SAFETY: the contract of `IntHelperSV`; the masks are dwords for every type.
            let masks = unsafe { Vector::from_raw(masks, ClassMask::TYPE) };
            class::<T, ScalarVector>(splat::<T>(a), load::<ClassMask>(masks))
        }

        $(#[$attribute])*
        unsafe extern "C" fn class_vs_entry<T: Float>(a: *const u32, mask: u32) -> u64 {
            // SAFETY: the contract of `ClassHelperVS` requires this of the caller.
            let a = unsafe { Vector::from_raw(a, T::TYPE) };
            class::<T, VectorScalar>(load::<T>(a), splat::<ClassMask>(mask as u64))
        }
    };
}

/// The result of a float compare with denormals flushed. It is made of the result without flushing, and of the lanes
/// where both operands are zeros or denormals, which are then equal. (The order of a denormal and anything else is that
/// of zero and the other.) Notes if it differs in a lane of `exec`.
#[inline]
pub(super) fn flushed<P: Predicate>(kept: u64, both_tiny: u64, exec: u64, notes: &mut u64) -> u64 {
    let flushed = match P::OP {
        HelperOp::Le | HelperOp::Eq | HelperOp::Ge => kept | both_tiny,
        _ => kept & !both_tiny,
    };
    if (kept ^ flushed) & exec != 0 {
        *notes |= Notes::of(Note::CmpDenormFlush).low_words()[0];
    }
    flushed
}

pub(super) use {define_helpers, with_predicate};
