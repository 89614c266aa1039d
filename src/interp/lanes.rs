//! Tests of vector compares on 64 lanes at once, one function per kind of type. Plain loops over lanes, which the compiler
//! vectorises; the compiled engine has kernels of its own, tested against these.
//!
//! A float compare sees its sources as bit patterns; only [`test_floats`] makes numbers of them. Binary16 numbers are
//! widened to binary32, which is exact.

use gcnsim_isa::{LANES, Mode, Pred};

use super::vopc::Bits;

/// Integer types, read from the low bits of the register or pair.
pub(super) trait Integer: Copy + Ord {
    type Bits: Bits;
    fn from_bits(bits: Self::Bits) -> Self;
}

macro_rules! integers {
    ($($T:ident $Bits:ident;)*) => { $(
        impl Integer for $T {
            type Bits = $Bits;

            #[inline(always)]
            fn from_bits(bits: $Bits) -> $T {
                bits as $T
            }
        }
    )* };
}

integers! { i16 u32; u16 u32; i32 u32; u32 u32; i64 u64; u64 u64; }

/// Float types, as bit patterns in the low bits of the register or pair.
pub(super) trait Float {
    type Bits: Bits;
    type Number: Copy + PartialOrd;

    /// The bit of MODE that keeps denormal inputs.
    const DENORM_IN: u32;

    fn abs(bits: Self::Bits) -> Self::Bits;
    fn neg(bits: Self::Bits) -> Self::Bits;
    fn is_denormal(bits: Self::Bits) -> bool;
    /// A denormal becomes the zero of its sign.
    fn flush(bits: Self::Bits) -> Self::Bits;
    fn number(bits: Self::Bits) -> Self::Number;
    /// Places of mantissa (its length) and sign in the pattern that V_CMP_CLASS looks at.
    const CLASS_PLACES: (u32, u32);
    /// That pattern.
    fn class_pattern(bits: Self::Bits) -> u32;
}

/// Binary16.
pub(super) struct F16;
/// Binary32.
pub(super) struct F32;
/// Binary64.
pub(super) struct F64;

macro_rules! floats {
    ($($T:ident {
        bits: $Bits:ident, mantissa: $MANTISSA:literal, sign: $SIGN:literal, denorm_in: $DENORM_IN:ident,
        number: $Number:ident $number:path, class: $pattern:ident $places:tt
    })*) => { $(
        impl $T {
            const SIGN: $Bits = 1 << $SIGN;
            const MIN_NORMAL: $Bits = 1 << $MANTISSA;
        }

        impl Float for $T {
            type Bits = $Bits;
            type Number = $Number;

            const DENORM_IN: u32 = Mode::$DENORM_IN;
            const CLASS_PLACES: (u32, u32) = $places;

            #[inline(always)]
            fn abs(bits: $Bits) -> $Bits {
                bits & !$T::SIGN
            }

            #[inline(always)]
            fn neg(bits: $Bits) -> $Bits {
                bits ^ $T::SIGN
            }

            #[inline(always)]
            fn is_denormal(bits: $Bits) -> bool {
                let magnitude = bits & ($T::SIGN - 1);
                magnitude != 0 && magnitude < $T::MIN_NORMAL
            }

            #[inline(always)]
            fn flush(bits: $Bits) -> $Bits {
                if $T::is_denormal(bits) { bits & $T::SIGN } else { bits }
            }

            #[inline(always)]
            fn number(bits: $Bits) -> $Number {
                $number(bits)
            }

            #[inline(always)]
            fn class_pattern(bits: $Bits) -> u32 {
                $pattern(bits)
            }
        }
    )* };
}

floats! {
    F16 {
        bits: u32, mantissa: 10, sign: 15, denorm_in: DENORM_IN_F64_F16, number: f32 widen_f16, class: whole (10, 15)
    }
    F32 {
        bits: u32, mantissa: 23, sign: 31, denorm_in: DENORM_IN_F32, number: f32 f32::from_bits, class: whole (23, 31)
    }
    F64 {
        bits: u64, mantissa: 52, sign: 63, denorm_in: DENORM_IN_F64_F16, number: f64 f64::from_bits,
        class: upper_half (20, 31)
    }
}

#[inline(always)]
fn whole(bits: u32) -> u32 {
    bits
}

/// The class of a binary64 is that of its upper half, if of the lower half no more than "not zero" is kept.
#[inline(always)]
fn upper_half(bits: u64) -> u32 {
    let lower_not_zero = bits as u32 != 0;
    (bits >> 32) as u32 | lower_not_zero as u32
}

/// Bits of the class mask (S1 of V_CMP_CLASS).
mod class {
    pub const SIGNALLING_NAN: u32 = 1 << 0;
    pub const QUIET_NAN: u32 = 1 << 1;
    pub const NEGATIVE_INFINITY: u32 = 1 << 2;
    pub const NEGATIVE_NORMAL: u32 = 1 << 3;
    pub const NEGATIVE_DENORMAL: u32 = 1 << 4;
    pub const NEGATIVE_ZERO: u32 = 1 << 5;
    pub const POSITIVE_ZERO: u32 = 1 << 6;
    pub const POSITIVE_DENORMAL: u32 = 1 << 7;
    pub const POSITIVE_NORMAL: u32 = 1 << 8;
    pub const POSITIVE_INFINITY: u32 = 1 << 9;
}

/// The class of a float with the given places of mantissa and sign, as the mask bit that selects it. From zero upwards, each step
/// overriding the one below: no branch, so that lanes go side by side.
#[inline(always)]
fn class_bit(bits: u32, mantissa_bits: u32, sign_bit: u32) -> u32 {
    let min_normal = 1 << mantissa_bits;
    let infinity = ((1u32 << sign_bit) - (1 << mantissa_bits)) as i32;
    let quiet_nan = infinity + (1 << (mantissa_bits - 1));
    let magnitude = (bits & ((1 << sign_bit) - 1)) as i32;
    let positive = bits >> sign_bit & 1 == 0;
    let mut class = if positive { class::POSITIVE_ZERO } else { class::NEGATIVE_ZERO };
    if magnitude != 0 {
        class = if positive { class::POSITIVE_DENORMAL } else { class::NEGATIVE_DENORMAL };
    }
    if magnitude >= min_normal {
        class = if positive { class::POSITIVE_NORMAL } else { class::NEGATIVE_NORMAL };
    }
    if magnitude >= infinity {
        class = if positive { class::POSITIVE_INFINITY } else { class::NEGATIVE_INFINITY };
    }
    if magnitude > infinity {
        class = class::SIGNALLING_NAN;
    }
    if magnitude >= quiet_nan {
        class = class::QUIET_NAN;
    }
    class
}

/// The number with the binary16 pattern in bits 15:0.
#[inline(always)]
fn widen_f16(bits: u32) -> f32 {
    const SMALLEST_DENORMAL: f32 = 1.0 / (1 << 24) as f32;
    let (exponent, mantissa) = (bits >> 10 & 31, bits & 0x3ff);
    let magnitude = if exponent == 0 {
        mantissa as i32 as f32 * SMALLEST_DENORMAL
    } else if exponent == 31 {
        f32::from_bits(0x7f80_0000 | mantissa << 13)
    } else {
        f32::from_bits((exponent + 127 - 15) << 23 | mantissa << 13)
    };
    f32::from_bits(magnitude.to_bits() | (bits & 0x8000) << 16)
}

/// Bit per lane: the integer predicate holds.
pub(super) fn test_integers<T: Integer>(pred: Pred, s0: &[T; LANES], s1: &[T; LANES]) -> u64 {
    match pred {
        Pred::F => 0,
        Pred::Lt => test(s0, s1, |a, b| a < b),
        Pred::Eq => test(s0, s1, |a, b| a == b),
        Pred::Le => test(s0, s1, |a, b| a <= b),
        Pred::Gt => test(s0, s1, |a, b| a > b),
        Pred::Lg => test(s0, s1, |a, b| a != b),
        Pred::Ge => test(s0, s1, |a, b| a >= b),
        Pred::Tru => u64::MAX,
        // No integer compare has these: integers are never unordered.
        Pred::O | Pred::U | Pred::Nge | Pred::Nlg | Pred::Ngt | Pred::Nle | Pred::Neq | Pred::Nlt | Pred::Class => 0,
    }
}

/// Bit per lane: the float predicate holds. `<`, `=`, `>` are false when a source is NaN.
pub(super) fn test_floats<T: Float>(pred: Pred, s0: &[T::Bits; LANES], s1: &[T::Bits; LANES]) -> u64 {
    #[allow(clippy::eq_op)]
    let is_nan = |x: T::Number| x != x;
    let lt = |a, b| T::number(a) < T::number(b);
    let eq = |a, b| T::number(a) == T::number(b);
    let le = |a, b| T::number(a) <= T::number(b);
    let gt = |a, b| T::number(a) > T::number(b);
    let lg = |a, b| T::number(a) < T::number(b) || T::number(a) > T::number(b);
    let ge = |a, b| T::number(a) >= T::number(b);
    let unordered = |a, b| is_nan(T::number(a)) || is_nan(T::number(b));
    match pred {
        Pred::F => 0,
        Pred::Lt => test(s0, s1, lt),
        Pred::Eq => test(s0, s1, eq),
        Pred::Le => test(s0, s1, le),
        Pred::Gt => test(s0, s1, gt),
        Pred::Lg => test(s0, s1, lg),
        Pred::Ge => test(s0, s1, ge),
        Pred::O => !test(s0, s1, unordered),
        Pred::U => test(s0, s1, unordered),
        Pred::Nge => !test(s0, s1, ge),
        Pred::Nlg => !test(s0, s1, lg),
        Pred::Ngt => !test(s0, s1, gt),
        Pred::Nle => !test(s0, s1, le),
        Pred::Neq => !test(s0, s1, eq),
        Pred::Nlt => !test(s0, s1, lt),
        Pred::Tru => u64::MAX,
        // Has its own function.
        Pred::Class => 0,
    }
}

/// Bit per lane: the mask in `s1` has the bit of the class of `s0`.
pub(super) fn test_classes<T: Float>(s0: &[T::Bits; LANES], s1: &[u32; LANES]) -> u64 {
    // Separate passes: the compiler puts more lanes side by side.
    let mut classes = [0; LANES];
    for lane in 0..LANES {
        classes[lane] = T::class_pattern(s0[lane]);
    }
    let (mantissa_bits, sign_bit) = T::CLASS_PLACES;
    for class in &mut classes {
        *class = class_bit(*class, mantissa_bits, sign_bit);
    }
    test(&classes, s1, |class, mask| class & mask != 0)
}

/// Is one of the lanes a denormal?
pub(super) fn has_denormal<T: Float>(s: &[T::Bits; LANES]) -> bool {
    s.iter().fold(false, |any, &bits| any | T::is_denormal(bits))
}

/// Bit per lane: the test holds.
#[inline(always)]
fn test<A: Copy, B: Copy>(s0: &[A; LANES], s1: &[B; LANES], holds: impl Fn(A, B) -> bool) -> u64 {
    let mut flags = [0u8; LANES];
    for lane in 0..LANES {
        flags[lane] = holds(s0[lane], s1[lane]) as u8;
    }
    pack(&flags)
}

/// Gathers 64 bytes of 0 or 1 into 64 bits: the multiplication moves byte i of eight to bit 56 + i.
fn pack(flags: &[u8; LANES]) -> u64 {
    let (groups, _) = flags.as_chunks::<8>();
    groups.iter().rev().fold(0, |bits, &group| {
        let byte = u64::from_le_bytes(group).wrapping_mul(0x0102_0408_1020_4080) >> 56;
        bits << 8 | byte
    })
}
