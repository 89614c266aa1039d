//! The test of V_CMP_CLASS on 64 lanes at once.
//!
//! The upper sixteen bits of a float decide its class, if the bits below are reduced to "zero or not". So the types are
//! tested as patterns of sixteen bits, eight side by side. They differ only in the length of the mantissa.

use gcnsim_isa::LANES;
use multiversion::multiversion;

use super::lanes::{F16, F32, F64, Lanes, bits};

/// Float types, which have classes.
pub(super) trait Classed {
    /// Length of the mantissa in the pattern. Bit 15 is the sign.
    const MANTISSA: u32;
    fn pattern(top: u32, rest: u32) -> u16;
}

impl Classed for F16 {
    const MANTISSA: u32 = 10;

    #[inline(always)]
    fn pattern(top: u32, _: u32) -> u16 {
        top as u16
    }
}

impl Classed for F32 {
    const MANTISSA: u32 = 7;

    #[inline(always)]
    fn pattern(top: u32, _: u32) -> u16 {
        (top >> 16) as u16 | (top as u16 != 0) as u16
    }
}

impl Classed for F64 {
    const MANTISSA: u32 = 4;

    #[inline(always)]
    fn pattern(top: u32, rest: u32) -> u16 {
        (top >> 16) as u16 | (top & 0xffff | rest != 0) as u16
    }
}

/// Bits of the class mask (S1 of V_CMP_CLASS).
mod bit {
    pub const SIGNALLING_NAN: u16 = 1 << 0;
    pub const QUIET_NAN: u16 = 1 << 1;
    pub const NEGATIVE_INFINITY: u16 = 1 << 2;
    pub const NEGATIVE_NORMAL: u16 = 1 << 3;
    pub const NEGATIVE_DENORMAL: u16 = 1 << 4;
    pub const NEGATIVE_ZERO: u16 = 1 << 5;
    pub const POSITIVE_ZERO: u16 = 1 << 6;
    pub const POSITIVE_DENORMAL: u16 = 1 << 7;
    pub const POSITIVE_NORMAL: u16 = 1 << 8;
    pub const POSITIVE_INFINITY: u16 = 1 << 9;
}

/// The class of a pattern, as the bit of the class mask that selects it. Positive classes are adjacent and in order of
/// magnitude, negative ones in falling order: at each threshold the bit moves by one place. There is no branch, so that
/// lanes can be computed side by side.
#[inline(always)]
fn class_bit<T: Classed>(pattern: u16) -> u16 {
    use bit::*;
    let min_normal = 1 << T::MANTISSA;
    let infinity = 0x7fff - (min_normal - 1);
    let quiet_nan = infinity + min_normal / 2;
    let magnitude = (pattern & 0x7fff) as i16;
    let not_zero = ones_if(magnitude > 0);
    let normal = ones_if(magnitude >= min_normal);
    let infinite = ones_if(magnitude >= infinity);
    let nan = ones_if(magnitude > infinity);
    let quiet = ones_if(magnitude >= quiet_nan);

    let positive = POSITIVE_ZERO
        + (not_zero & (POSITIVE_DENORMAL - POSITIVE_ZERO))
        + (normal & (POSITIVE_NORMAL - POSITIVE_DENORMAL))
        + (infinite & (POSITIVE_INFINITY - POSITIVE_NORMAL));
    let negative = NEGATIVE_ZERO
        - (not_zero & (NEGATIVE_ZERO - NEGATIVE_DENORMAL))
        - (normal & (NEGATIVE_DENORMAL - NEGATIVE_NORMAL))
        - (infinite & (NEGATIVE_NORMAL - NEGATIVE_INFINITY));
    let number = if pattern as i16 >= 0 { positive } else { negative };
    number & !nan | (SIGNALLING_NAN + (quiet & (QUIET_NAN - SIGNALLING_NAN))) & nan
}

#[inline(always)]
fn ones_if(condition: bool) -> u16 {
    if condition { u16::MAX } else { 0 }
}

/// One bit per lane: set if the mask in `s1` has the bit of the class of `s0`.
#[multiversion(targets("x86_64+avx512f+avx512bw+avx512dq+avx512vl", "x86_64+avx2"))]
#[allow(clippy::needless_range_loop)] // Two arrays at once.
pub(super) fn test_classes<T: Classed>(s0: Lanes, s1: Lanes) -> u64 {
    // In separate passes the compiler computes more lanes side by side.
    let mut classes = [0; LANES];
    for lane in 0..LANES {
        classes[lane] = T::pattern(s0.top[lane], s0.rest[lane]);
    }
    let mut masks = [0; LANES];
    for lane in 0..LANES {
        masks[lane] = s1.top[lane] as u16;
    }
    bits(|lane| class_bit::<T>(classes[lane]) & masks[lane] != 0)
}
