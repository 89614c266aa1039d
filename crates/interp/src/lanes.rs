//! Tests of vector compares on 64 lanes at once: one function, made for each type. It is a plain loop over lanes, which
//! the compiler vectorises, for AVX-512 and AVX2 too. The compiled engine has helpers of its own, which are tested
//! against these.
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

/// The type of the elements of a compare.
pub(super) trait Element {
    /// Whether elements have 64 bits.
    const WIDE: bool;
    /// The sign in the top dword, which ABS and NEG change; 0 for integers, which do not have them.
    const SIGN: u32;
    /// The bit of MODE that keeps denormal inputs; 0 for integers, which are never flushed.
    const DENORM_IN: u32;

    /// A value that compares like the element.
    type Value: Copy + PartialOrd;
    fn value(top: u32, rest: u32) -> Self::Value;
    /// The value, where a denormal counts as the zero of its sign.
    fn flushed(top: u32, rest: u32) -> Self::Value;
    /// The mantissa of a denormal, which is not zero; zero for all other elements.
    fn denormal_mantissa(top: u32, rest: u32) -> u32;
}

macro_rules! integers {
    ($($T:ident $WIDE:literal $Value:ty: |$top:ident, $rest:ident| $value:expr;)*) => { $(
        impl Element for $T {
            const WIDE: bool = $WIDE;
            const SIGN: u32 = 0;
            const DENORM_IN: u32 = 0;

            type Value = $Value;

            #[inline(always)]
            fn value($top: u32, $rest: u32) -> $Value {
                $value
            }

            #[inline(always)]
            fn flushed(top: u32, rest: u32) -> $Value {
                $T::value(top, rest)
            }

            #[inline(always)]
            fn denormal_mantissa(_: u32, _: u32) -> u32 {
                0
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

macro_rules! floats {
    ($(
        #[doc = $doc:literal] $T:ident $WIDE:literal $DENORM_IN:ident, $SIGN:literal $EXPONENT:literal $MANTISSA:literal,
        $Value:ty: |$top:ident, $rest:ident| $value:expr;
    )*) => { $(
        #[doc = $doc]
        pub(super) struct $T;

        impl $T {
            /// All ones if the exponent field is that of zeros and denormals.
            #[inline(always)]
            fn is_tiny(top: u32) -> u32 {
                if top & $EXPONENT == 0 { u32::MAX } else { 0 }
            }
        }

        impl Element for $T {
            const WIDE: bool = $WIDE;
            const SIGN: u32 = $SIGN;
            const DENORM_IN: u32 = Mode::$DENORM_IN;

            type Value = $Value;

            #[inline(always)]
            fn value($top: u32, $rest: u32) -> $Value {
                $value
            }

            #[inline(always)]
            fn flushed(top: u32, rest: u32) -> $Value {
                let keep = !$T::is_tiny(top);
                $T::value(top & (keep | $SIGN), rest & keep)
            }

            #[inline(always)]
            fn denormal_mantissa(top: u32, rest: u32) -> u32 {
                $T::is_tiny(top) & (top & $MANTISSA | if $WIDE { rest } else { 0 })
            }
        }
    )* };
}

floats! {
    /// Binary16.
    F16 false DENORM_IN_F64_F16, 0x8000 0x7c00 0x3ff, f32: |top, _rest| half(top);
    /// Binary32.
    F32 false DENORM_IN_F32, 0x8000_0000 0x7f80_0000 0x7f_ffff, f32: |top, _rest| f32::from_bits(top);
    /// Binary64. The fields are those of the upper half.
    F64 true DENORM_IN_F64_F16, 0x8000_0000 0x7ff0_0000 0xf_ffff,
        f64: |top, rest| f64::from_bits((top as u64) << 32 | rest as u64);
}

/// A binary16 number times 2^-112: its pattern, with the fields where binary32 has them. Multiplying is exact; only the
/// exponent of a NaN has to be set.
#[inline(always)]
fn half(bits: u32) -> f32 {
    let magnitude = bits & 0x7fff;
    let nan = if magnitude as i32 > 0x7c00 { u32::MAX } else { 0 };
    f32::from_bits((bits & 0x8000) << 16 | magnitude << 13 | nan)
}

/// One bit per lane: set if the predicate holds. `<`, `=` and `>` are false if a source is NaN.
#[multiversion(targets("x86_64+avx512f+avx512bw+avx512dq+avx512vl", "x86_64+avx2"))]
fn test_values<T: Element>(pred: Pred, s0: Lanes, s1: Lanes, value: impl Fn(u32, u32) -> T::Value + Copy) -> u64 {
    match pred {
        Pred::F => 0,
        Pred::Lt => test(s0, s1, value, |a, b| a < b),
        Pred::Eq => test(s0, s1, value, |a, b| a == b),
        // Integers are never unordered.
        Pred::Le if T::DENORM_IN == 0 => !test(s1, s0, value, |b, a| b < a),
        Pred::Le => test(s0, s1, value, |a, b| a <= b),
        Pred::Gt => test(s1, s0, value, |b, a| b < a),
        Pred::Lg if T::DENORM_IN == 0 => !test(s0, s1, value, |a, b| a == b),
        Pred::Lg => test(s0, s1, value, |a, b| (a < b) | (a > b)),
        Pred::Ge if T::DENORM_IN == 0 => !test(s0, s1, value, |a, b| a < b),
        Pred::Ge => test(s1, s0, value, |b, a| b <= a),
        Pred::Tru => u64::MAX,
        // Only floats have these compares.
        _ if T::DENORM_IN == 0 => 0,
        Pred::O => !test(s0, s1, value, is_unordered),
        Pred::U => test(s0, s1, value, is_unordered),
        Pred::Nge => !test(s1, s0, value, |b, a| b <= a),
        Pred::Nlg => !test(s0, s1, value, |a, b| (a < b) | (a > b)),
        Pred::Ngt => !test(s1, s0, value, |b, a| b < a),
        Pred::Nle => !test(s0, s1, value, |a, b| a <= b),
        Pred::Neq => !test(s0, s1, value, |a, b| a == b),
        Pred::Nlt => !test(s0, s1, value, |a, b| a < b),
        // Classes have their own function.
        Pred::Class => 0,
    }
}

/// One bit per lane: set if the predicate holds. `flush` says whether denormals count as zeros of their sign. The
/// second result has the bits that flushing changed.
#[inline(always)]
pub(super) fn test_elements<T: Element>(pred: Pred, s0: Lanes, s1: Lanes, flush: bool) -> (u64, u64) {
    let kept = test_values::<T>(pred, s0, s1, T::value);
    if T::DENORM_IN != 0 && flush && (has_denormal::<T>(s0) || has_denormal::<T>(s1)) {
        let flushed = test_values::<T>(pred, s0, s1, T::flushed);
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
fn has_denormal<T: Element>(s: Lanes) -> bool {
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
    // Bytes are the form in which processors give the result of comparing many lanes, so no conversion is left.
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

/// The result of [`signs`], without a special instruction.
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
