//! Vector helpers that compiled code calls. Compares over all 64 lanes are here; everything else that computes lanes is
//! in [`valu`].
//!
//! A helper computes one bit per lane for **all** lanes, and the caller masks the result with EXEC. There is one per
//! operand type, base predicate ([`HelperOp`]) and shape, in up to three implementations ([`Level`]). [`helper`] gives
//! the address. The caller derives the other predicates of the ISA:
//!
//! | wanted | how |
//! |---|---|
//! | O, NGE, NLG, NGT, NLE, NEQ, NLT | complement of U, GE, LG, GT, LE, EQ, LT |
//! | F, TRU | constants |
//! | vector and scalar | swap the operands (LT with GT, LE with GE) and take the scalar-first helper |
//! | scalar and scalar | [`prepare_scalar`] of S1 (CLASS: as a b32), then the scalar-first helper |
//! | ABS, NEG of a vector / of a scalar | [`prepare_vector`] first / bit operations on the scalar |
//! | CLASS of a vector with a scalar mask | [`class_vs`] |
//!
//! # Operands
//!
//! A vector operand is the address of VGPR n in a [`VgprFile`](gcnsim_machine::VgprFile): 64 dwords, 64-byte
//! aligned; the high halves of a 64-bit operand are the next 64 dwords. 16-bit types use bits 15:0 and ignore
//! the rest, as they do in a scalar operand. The mask of a class compare is a 32-bit operand for every type.
//!
//! # Denormals
//!
//! LT, LE, EQ, LG, GT and GE on floats obey MODE: with bit 4 (f32) or bit 6 (f64, f16) clear, a denormal
//! source counts as zero, and [`CmpDenormFlush`](gcnsim_isa::Note::CmpDenormFlush) is noted if that changes the
//! result of a lane of EXEC. U and CLASS never look at MODE and have the shape of integer helpers. Nothing here
//! changes the host's MXCSR; it must have DAZ clear, as Rust requires of all code.
#![deny(unsafe_code)]
#![allow(unsafe_code)]

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
pub mod frame;
mod generic;
pub mod memory;
mod portable;
mod prepare;
#[cfg(target_arch = "x86_64")]
pub mod segment_frame;
pub mod valu;

use gcnsim_isa::{LANES, OperandType, Vgpr};

pub use prepare::{prepare_flags, prepare_scalar, prepare_vector};

/// Base predicates of helpers. Each other predicate is a complement, or one of these with the operands exchanged.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum HelperOp {
    /// S0 < S1.
    Lt,
    /// S0 <= S1.
    Le,
    /// S0 = S1.
    Eq,
    /// Unequal. For floats this is S0 < S1 or S0 > S1, so it is false for a NaN.
    Lg,
    /// A source is NaN (floats only).
    U,
    /// S0 > S1.
    Gt,
    /// S0 >= S1.
    Ge,
    /// The bit of S1 that the class of S0 selects (floats only).
    Class,
}

impl HelperOp {
    /// All base predicates.
    pub const ALL: [HelperOp; 8] = [
        HelperOp::Lt,
        HelperOp::Le,
        HelperOp::Eq,
        HelperOp::Lg,
        HelperOp::U,
        HelperOp::Gt,
        HelperOp::Ge,
        HelperOp::Class,
    ];

    /// Whether there is such a helper for the type.
    pub const fn is_legal(self, ty: OperandType) -> bool {
        use OperandType as T;
        match self {
            HelperOp::U | HelperOp::Class => ty.is_float(),
            _ => ty.is_float() || matches!(ty, T::i16 | T::u16 | T::i32 | T::u32 | T::i64 | T::u64),
        }
    }
}

/// Implementations of the helpers, slowest first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Level {
    /// Plain Rust that the compiler vectorises for the target's baseline.
    Portable,
    /// x86-64 with AVX2 and the extensions that came with it: FMA, F16C, BMI1 and 2, LZCNT, POPCNT.
    Avx2,
    /// All of that, and AVX-512 F, BW, CD, DQ and VL.
    Avx512,
}

impl Level {
    /// All levels, on this machine or not.
    pub const ALL: [Level; 3] = [Level::Portable, Level::Avx2, Level::Avx512];

    /// Whether this machine can run it.
    pub fn is_available(self) -> bool {
        match self {
            Level::Portable => true,
            #[cfg(target_arch = "x86_64")]
            Level::Avx2 => {
                is_x86_feature_detected!("avx2")
                    && is_x86_feature_detected!("fma")
                    && is_x86_feature_detected!("f16c")
                    && is_x86_feature_detected!("bmi1")
                    && is_x86_feature_detected!("bmi2")
                    && is_x86_feature_detected!("lzcnt")
                    && is_x86_feature_detected!("popcnt")
            }
            #[cfg(target_arch = "x86_64")]
            Level::Avx512 => {
                Level::Avx2.is_available()
                    && is_x86_feature_detected!("avx512f")
                    && is_x86_feature_detected!("avx512bw")
                    && is_x86_feature_detected!("avx512cd")
                    && is_x86_feature_detected!("avx512dq")
                    && is_x86_feature_detected!("avx512vl")
            }
            #[cfg(not(target_arch = "x86_64"))]
            Level::Avx2 | Level::Avx512 => false,
        }
    }

    /// The levels this machine can run, slowest first.
    pub fn available() -> impl Iterator<Item = Level> {
        Level::ALL.into_iter().filter(|level| level.is_available())
    }

    /// The fastest level of this machine.
    pub fn best() -> Level {
        Level::available().last().unwrap_or(Level::Portable)
    }

    /// The name in lower case.
    pub const fn name(self) -> &'static str {
        match self {
            Level::Portable => "portable",
            Level::Avx2 => "avx2",
            Level::Avx512 => "avx512",
        }
    }
}

/// Compares two vectors without MODE.
///
/// # Safety
///
/// Each pointer is a vector operand of the helper's type (see the module), readable for the call.
pub type IntHelperVV = unsafe extern "C" fn(a: *const u32, b: *const u32) -> u64;

/// Compares a scalar S0 in the low 16, 32 or 64 bits with a vector S1, without MODE.
///
/// # Safety
///
/// `b` is a vector operand of the helper's type (see the module), readable for the call.
pub type IntHelperSV = unsafe extern "C" fn(a: u64, b: *const u32) -> u64;

/// Compares two vectors of floats with MODE and EXEC.
///
/// # Safety
///
/// As for [`IntHelperVV`]; `notes` is readable and writable.
pub type FloatHelperVV =
    unsafe extern "C" fn(a: *const u32, b: *const u32, mode: u32, exec: u64, notes: *mut u64) -> u64;

/// Compares a scalar S0 with a vector S1 of floats, with MODE and EXEC.
///
/// # Safety
///
/// As for [`IntHelperSV`]; `notes` is readable and writable.
pub type FloatHelperSV = unsafe extern "C" fn(a: u64, b: *const u32, mode: u32, exec: u64, notes: *mut u64) -> u64;

/// Tests the class of each lane of a vector S0 with one scalar mask.
///
/// # Safety
///
/// `a` is a vector operand of the helper's type (see the module), readable for the call.
pub type ClassHelperVS = unsafe extern "C" fn(a: *const u32, mask: u32) -> u64;

/// The address of a helper, by shape.
#[derive(Clone, Copy, Debug)]
pub enum Helper {
    /// Integers; U and CLASS of floats (S1 of CLASS: 64 masks).
    IntVV(IntHelperVV),
    /// Integers; U and CLASS of floats (S1 of CLASS: 64 masks).
    IntSV(IntHelperSV),
    /// Floats, except U and CLASS.
    FloatVV(FloatHelperVV),
    /// Floats, except U and CLASS.
    FloatSV(FloatHelperSV),
}

impl Helper {
    /// The address that compiled code calls.
    pub fn address(self) -> *const u8 {
        match self {
            Helper::IntVV(f) => f as *const u8,
            Helper::IntSV(f) => f as *const u8,
            Helper::FloatVV(f) => f as *const u8,
            Helper::FloatSV(f) => f as *const u8,
        }
    }
}

/// The helper of a level (the portable one if this machine cannot run the level) for S0 and S1 of type `ty`.
///
/// Floats have [`Helper::FloatVV`] and [`Helper::FloatSV`] helpers, except for U and CLASS, which have the integer
/// shapes. `scalar_first` chooses the shape SV.
///
/// # Panics
///
/// If [`HelperOp::is_legal`] denies the combination.
pub fn helper(level: Level, ty: OperandType, op: HelperOp, scalar_first: bool) -> Helper {
    assert!(op.is_legal(ty), "no vector helper {op:?} for {ty:?}");
    // A function that needs CPU features is returned only if the CPU has them, so callers need no check.
    match level {
        #[cfg(target_arch = "x86_64")]
        Level::Avx2 if level.is_available() => avx2::helper(ty, op, scalar_first),
        #[cfg(target_arch = "x86_64")]
        Level::Avx512 if level.is_available() => avx512::helper(ty, op, scalar_first),
        _ => portable::helper(ty, op, scalar_first),
    }
}

/// The helper of a level (the portable one if this machine cannot run the level) for the class of a vector of
/// type `ty` with a scalar mask.
///
/// # Panics
///
/// If `ty` is not a float type.
pub fn class_vs(level: Level, ty: OperandType) -> ClassHelperVS {
    assert!(ty.is_float(), "no class helper for {ty:?}");
    match level {
        #[cfg(target_arch = "x86_64")]
        Level::Avx2 if level.is_available() => avx2::class_vs(ty),
        #[cfg(target_arch = "x86_64")]
        Level::Avx512 if level.is_available() => avx512::class_vs(ty),
        _ => portable::class_vs(ty),
    }
}

/// Lanes of a vector operand as a helper sees them.
#[derive(Clone, Copy)]
struct Vector<'a> {
    /// The dwords of a 16- or 32-bit operand, or the low halves of a 64-bit operand.
    lo: &'a Vgpr,
    /// The high halves of a 64-bit operand, else `lo` again.
    hi: &'a Vgpr,
}

impl<'a> Vector<'a> {
    /// # Safety
    ///
    /// `lanes` is a vector operand of type `ty` (see the module), readable for `'a`.
    #[inline]
    unsafe fn from_raw(lanes: *const u32, ty: OperandType) -> Vector<'a> {
        if ty.is_wide() {
            // SAFETY: the caller promises 128 readable dwords, 64-byte aligned. A `Vgpr` is 64 dwords with that
            // alignment.
            let [lo, hi] = unsafe { &*lanes.cast::<[Vgpr; 2]>() };
            Vector { lo, hi }
        } else {
            // SAFETY: the caller promises 64 such dwords.
            let lo = unsafe { &*lanes.cast::<Vgpr>() };
            Vector { lo, hi: lo }
        }
    }
}

const _: () = assert!(size_of::<Vgpr>() == LANES * 4 && align_of::<Vgpr>() == 64);
