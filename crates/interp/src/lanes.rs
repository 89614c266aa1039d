//! Tests of vector compares on 64 lanes at once, with one function per kind of type. They are plain loops over lanes,
//! which the compiler vectorises, for AVX-512 and AVX2 too. The compiled engine has kernels of its own, which are
//! tested against these.
//!
//! Lanes come as dwords. `top` has the sign, and `rest` is the lower half of a 64-bit element (unused for others). With
//! dwords twice as many lanes are computed side by side as with 64-bit elements.

use gcnsim_isa::{LANES, Mode, Pred};
use multiversion::multiversion;

/// The elements of a source.
#[derive(Clone, Copy)]
pub(super) struct Lanes<'a> {
    pub top: &'a [u32; LANES],
    pub rest: &'a [u32; LANES],
}

/// Integer types.
pub(super) trait Integer {
    /// Whether elements have 64 bits.
    const WIDE: bool;
    /// A value that is ordered like the integers.
    type Key: Copy + Ord;
    fn key(top: u32, rest: u32) -> Self::Key;
}

macro_rules! integers {
    ($($T:ident $WIDE:literal $Key:ty: |$top:ident, $rest:ident| $key:expr;)*) => { $(
        impl Integer for $T {
            const WIDE: bool = $WIDE;
            type Key = $Key;

            #[inline(always)]
            fn key($top: u32, $rest: u32) -> $Key {
                $key
            }
        }
    )* };
}

integers! {
    i16 false i16: |top, _rest| top as i16;
    u16 false u16: |top, _rest| top as u16;
    i32 false i32: |top, _rest| top as i32;
    u32 false u32: |top, _rest| top;
    i64 true (i32, u32): |top, rest| (top as i32, rest);
    u64 true (u32, u32): |top, rest| (top, rest);
}

/// Float types.
pub(super) trait Float {
    /// Whether elements have 64 bits.
    const WIDE: bool;
    /// The bit of MODE that keeps denormal inputs.
    const DENORM_IN: u32;
    /// Fields of the top dword.
    const SIGN: u32;
    const EXPONENT: u32;
    const MANTISSA: u32;

    /// A value that compares like the number.
    type Number: Copy + PartialOrd;
    fn number(top: u32, rest: u32) -> Self::Number;

    /// All ones if the exponent field is that of zeros and denormals.
    #[inline(always)]
    fn is_tiny(top: u32) -> u32 {
        if top & Self::EXPONENT == 0 { u32::MAX } else { 0 }
    }

    /// The mantissa of a denormal, which is not zero; zero for all other numbers.
    #[inline(always)]
    fn denormal_mantissa(top: u32, rest: u32) -> u32 {
        Self::is_tiny(top) & (top & Self::MANTISSA | if Self::WIDE { rest } else { 0 })
    }

    /// The number. A denormal becomes the zero of its sign.
    #[inline(always)]
    fn flushed(top: u32, rest: u32) -> Self::Number {
        let keep = !Self::is_tiny(top);
        Self::number(top & (keep | Self::SIGN), rest & keep)
    }
}

/// Binary16.
pub(super) struct F16;
/// Binary32.
pub(super) struct F32;
/// Binary64.
pub(super) struct F64;

impl Float for F16 {
    const WIDE: bool = false;
    const DENORM_IN: u32 = Mode::DENORM_IN_F64_F16;
    const SIGN: u32 = 1 << 15;
    const EXPONENT: u32 = 0x1f << 10;
    const MANTISSA: u32 = (1 << 10) - 1;

    type Number = f32;

    /// The pattern, with its fields where binary32 has them, stands for the number times 2^-112. Multiplying is exact;
    /// only the exponent of a NaN has to be set.
    #[inline(always)]
    fn number(top: u32, _: u32) -> f32 {
        let magnitude = top & (F16::EXPONENT | F16::MANTISSA);
        let nan = if magnitude as i32 > F16::EXPONENT as i32 { u32::MAX } else { 0 };
        f32::from_bits((top & F16::SIGN) << 16 | magnitude << 13 | nan)
    }
}

impl Float for F32 {
    const WIDE: bool = false;
    const DENORM_IN: u32 = Mode::DENORM_IN_F32;
    const SIGN: u32 = 1 << 31;
    const EXPONENT: u32 = 0xff << 23;
    const MANTISSA: u32 = (1 << 23) - 1;

    type Number = f32;

    #[inline(always)]
    fn number(top: u32, _: u32) -> f32 {
        f32::from_bits(top)
    }
}

impl Float for F64 {
    const WIDE: bool = true;
    const DENORM_IN: u32 = Mode::DENORM_IN_F64_F16;
    const SIGN: u32 = 1 << 31;
    const EXPONENT: u32 = 0x7ff << 20;
    const MANTISSA: u32 = (1 << 20) - 1;

    type Number = f64;

    #[inline(always)]
    fn number(top: u32, rest: u32) -> f64 {
        f64::from_bits((top as u64) << 32 | rest as u64)
    }
}

/// One bit per lane: set if the integer predicate holds.
#[multiversion(targets("x86_64+avx512f+avx512bw+avx512dq+avx512vl", "x86_64+avx2"))]
pub(super) fn test_integers<T: Integer>(pred: Pred, s0: Lanes, s1: Lanes) -> u64 {
    match pred {
        Pred::F => 0,
        Pred::Lt => test(s0, s1, T::key, |a, b| a < b),
        Pred::Eq => test(s0, s1, T::key, |a, b| a == b),
        Pred::Le => !test(s1, s0, T::key, |b, a| b < a),
        Pred::Gt => test(s1, s0, T::key, |b, a| b < a),
        Pred::Lg => !test(s0, s1, T::key, |a, b| a == b),
        Pred::Ge => !test(s0, s1, T::key, |a, b| a < b),
        Pred::Tru => u64::MAX,
        // No integer compare has these: integers are never unordered.
        Pred::O | Pred::U | Pred::Nge | Pred::Nlg | Pred::Ngt | Pred::Nle | Pred::Neq | Pred::Nlt | Pred::Class => 0,
    }
}

/// One bit per lane: set if the float predicate holds. `<`, `=` and `>` are false if a source is NaN.
#[multiversion(targets("x86_64+avx512f+avx512bw+avx512dq+avx512vl", "x86_64+avx2"))]
pub(super) fn test_floats<N: Copy + PartialOrd>(
    pred: Pred,
    s0: Lanes,
    s1: Lanes,
    number: impl Fn(u32, u32) -> N + Copy,
) -> u64 {
    match pred {
        Pred::F => 0,
        Pred::Lt => test(s0, s1, number, |a, b| a < b),
        Pred::Eq => test(s0, s1, number, |a, b| a == b),
        Pred::Le => test(s0, s1, number, |a, b| a <= b),
        Pred::Gt => test(s1, s0, number, |b, a| b < a),
        Pred::Lg => test(s0, s1, number, |a, b| (a < b) | (a > b)),
        Pred::Ge => test(s1, s0, number, |b, a| b <= a),
        Pred::O => !test(s0, s1, number, is_unordered),
        Pred::U => test(s0, s1, number, is_unordered),
        Pred::Nge => !test(s1, s0, number, |b, a| b <= a),
        Pred::Nlg => !test(s0, s1, number, |a, b| (a < b) | (a > b)),
        Pred::Ngt => !test(s1, s0, number, |b, a| b < a),
        Pred::Nle => !test(s0, s1, number, |a, b| a <= b),
        Pred::Neq => !test(s0, s1, number, |a, b| a == b),
        Pred::Nlt => !test(s0, s1, number, |a, b| a < b),
        Pred::Tru => u64::MAX,
        // Classes have their own function.
        Pred::Class => 0,
    }
}

/// As [`test_floats`], where `flush` says whether denormals count as zeros of their sign. The second result has the
/// bits that flushing changed.
#[inline(always)]
pub(super) fn test_floats_by_mode<T: Float>(pred: Pred, s0: Lanes, s1: Lanes, flush: bool) -> (u64, u64) {
    let kept = test_floats(pred, s0, s1, T::number);
    if flush && (has_denormal::<T>(s0) || has_denormal::<T>(s1)) {
        let flushed = test_floats(pred, s0, s1, T::flushed);
        return (flushed, flushed ^ kept);
    }
    (kept, 0)
}

/// Whether one of the two is NaN.
#[inline(always)]
#[allow(clippy::eq_op)]
fn is_unordered<N: Copy + PartialOrd>(a: N, b: N) -> bool {
    (a != a) | (b != b)
}

/// Whether one of the lanes is a denormal.
#[multiversion(targets("x86_64+avx512f+avx512bw+avx512dq+avx512vl", "x86_64+avx2"))]
fn has_denormal<T: Float>(s: Lanes) -> bool {
    (0..LANES).fold(0, |any, lane| any | T::denormal_mantissa(s.top[lane], s.rest[lane])) != 0
}

/// One bit per lane: set if the test holds for the values of the elements.
#[inline(always)]
fn test<V>(s0: Lanes, s1: Lanes, value: impl Fn(u32, u32) -> V, holds: impl Fn(V, V) -> bool) -> u64 {
    bits(|lane| holds(value(s0.top[lane], s0.rest[lane]), value(s1.top[lane], s1.rest[lane])))
}

/// One bit per lane.
#[inline(always)]
#[allow(clippy::needless_range_loop)] // Other arrays are indexed too.
pub(super) fn bits(of_lane: impl Fn(usize) -> bool) -> u64 {
    // This is the form in which processors give the result of comparing many lanes, so no conversion is left.
    let mut flags = [0u8; LANES];
    for lane in 0..LANES {
        flags[lane] = if of_lane(lane) { u8::MAX } else { 0 };
    }
    bits_of(&flags)
}

/// One bit per lane: set if its flag is [`u8::MAX`] and not 0.
#[inline(always)]
pub(super) fn bits_of(flags: &[u8; LANES]) -> u64 {
    let (groups, _) = flags.as_chunks::<16>();
    groups.iter().enumerate().fold(0, |bits, (i, &group)| bits | u64::from(signs(group)) << (16 * i))
}

/// The most significant bits of some bytes.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn signs(bytes: [u8; 16]) -> u16 {
    safe_arch::move_mask_i8_m128i(bytes.into()) as u16
}

#[cfg(not(target_arch = "x86_64"))]
use portable_signs as signs;

/// As [`signs`], without a special instruction.
#[cfg(any(test, not(target_arch = "x86_64")))]
#[inline(always)]
fn portable_signs(bytes: [u8; 16]) -> u16 {
    // The multiplication moves bit 7 of byte i to bit 56 + i.
    let (halves, _) = bytes.as_chunks::<8>();
    let [low, high] = [halves[0], halves[1]].map(|half| {
        let bits = u64::from_le_bytes(half) >> 7 & 0x0101_0101_0101_0101;
        bits.wrapping_mul(0x0102_0408_1020_4080) >> 56
    });
    (low | high << 8) as u16
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_lane_has_its_bit() {
        let mixed = (0..200).map(|i: u64| i.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(i as u32));
        for expected in (0..64).map(|lane| 1 << lane).chain([0, u64::MAX]).chain(mixed) {
            assert_eq!(bits(|lane| expected >> lane & 1 == 1), expected);
        }
    }
    #[test]
    fn signs_are_the_same_without_the_instruction() {
        let mixed = |i: u128| (i.wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835)).rotate_left(i as u32 % 128);
        for bytes in (0..128).map(|bit| 1 << bit).chain((0..1000).map(mixed)).map(u128::to_le_bytes) {
            let expected = (0..16).fold(0, |signs, i| signs | u16::from(bytes[i] >> 7) << i);
            assert_eq!((signs(bytes), portable_signs(bytes)), (expected, expected));
        }
    }
}
