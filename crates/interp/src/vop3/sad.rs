//! Sums of absolute differences (docs/gcn/valu-integer.md#integers-of-32-and-64-bits). All values are unsigned; with
//! CLAMP the exact sums saturate.

use crate::vector::body::lanes;
use crate::vector::lane::{Lane, LaneNote};
use crate::vop2::int::saturate_u32;

lanes! {
    fn v_sad_u8(x: &mut Lane, s0: u32, s1: u32, s2: u32) -> u32 { accumulate(x, sad4(s0, s1), s2) }
    fn v_sad_hi_u8(x: &mut Lane, s0: u32, s1: u32, s2: u32) -> u32 { accumulate(x, sad4(s0, s1) << 16, s2) }

    fn v_sad_u16(x: &mut Lane, s0: u32, s1: u32, s2: u32) -> u32 {
        let sum = (s0 & 0xffff).abs_diff(s1 & 0xffff) + (s0 >> 16).abs_diff(s1 >> 16);
        accumulate(x, sum, s2)
    }

    fn v_sad_u32(x: &mut Lane, s0: u32, s1: u32, s2: u32) -> u32 { accumulate(x, s0.abs_diff(s1), s2) }
    fn v_msad_u8(x: &mut Lane, s0: u32, s1: u32, s2: u32) -> u32 { accumulate(x, msad4(s0, s1), s2) }

    /// Halfword k of the result is halfword k of S2 plus the sum for S0 >> 8 k.
    fn v_qsad_pk_u16_u8(x: &mut Lane, s0: u64, s1: u32, s2: u64) -> u64 { packed_sums(x, s0, s1, s2, sad4) }

    fn v_mqsad_pk_u16_u8(x: &mut Lane, s0: u64, s1: u32, s2: u64) -> u64 { packed_sums(x, s0, s1, s2, msad4) }

    /// Dword k of the result is dword k of S2 plus the sum for S0 >> 8 k. That it wraps is likely, not certain.
    fn v_mqsad_u32_u8(x: &mut Lane, s0: u64, s1: u32, s2: u128) -> u128 {
        let mut d = 0;
        for k in 0..4 {
            let (addend, sum) = ((s2 >> (32 * k)) as u32, msad4((s0 >> (8 * k)) as u32, s1));
            let wraps = addend.overflowing_add(sum).1;
            x.notes.insert_if(wraps && !x.clamp, LaneNote::MqsadSaturate);
            d |= u128::from(accumulate(x, sum, addend)) << (32 * k);
        }
        d
    }
}

/// The distance of bytes k of two dwords.
#[inline(always)]
fn distance(a: u32, b: u32, k: u32) -> u32 {
    (a >> (8 * k) & 0xff).abs_diff(b >> (8 * k) & 0xff)
}

/// The sum over four bytes, at most 1,020.
#[inline(always)]
fn sad4(a: u32, b: u32) -> u32 {
    distance(a, b, 0) + distance(a, b, 1) + distance(a, b, 2) + distance(a, b, 3)
}

/// The sum of distances over the bytes of `reference` that are not 0.
#[inline(always)]
fn msad4(a: u32, reference: u32) -> u32 {
    let masked = |k: u32| if reference >> (8 * k) & 0xff == 0 { 0 } else { distance(a, reference, k) };
    masked(0) + masked(1) + masked(2) + masked(3)
}

/// Adds to a sum of 32 bits.
#[inline(always)]
fn accumulate(x: &mut Lane, sum: u32, addend: u32) -> u32 {
    if x.clamp { saturate_u32(u64::from(sum) + u64::from(addend)) } else { sum.wrapping_add(addend) }
}

#[inline(always)]
fn packed_sums(x: &mut Lane, s0: u64, s1: u32, s2: u64, sum: impl Fn(u32, u32) -> u32) -> u64 {
    let mut d = 0;
    for k in 0..4 {
        let exact = sum((s0 >> (8 * k)) as u32, s1) + ((s2 >> (16 * k)) as u32 & 0xffff);
        let half = if x.clamp { exact.min(0xffff) } else { exact & 0xffff };
        d |= u64::from(half) << (16 * k);
    }
    d
}
