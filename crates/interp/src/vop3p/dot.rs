//! Dot products of integers (docs/gcn/valu-packed.md#vop3p), over whole lanes: see [`Lane`]. Their sums are exact. They
//! are cut, or saturated with CLAMP.

use crate::vector::body::lanes;
use crate::vector::lane::Lane;
use crate::vop2::int::{saturate_i32, saturate_u32};

lanes! {
    fn v_dot2_i32_i16(x: &mut Lane, s0: u32, s1: u32, s2: i32) -> i32 { signed_dot::<16>(x, s0, s1, s2) }
    fn v_dot2_u32_u16(x: &mut Lane, s0: u32, s1: u32, s2: u32) -> u32 { unsigned_dot::<16>(x, s0, s1, s2) }
    fn v_dot4_i32_i8(x: &mut Lane, s0: u32, s1: u32, s2: i32) -> i32 { signed_dot::<8>(x, s0, s1, s2) }
    fn v_dot4_u32_u8(x: &mut Lane, s0: u32, s1: u32, s2: u32) -> u32 { unsigned_dot::<8>(x, s0, s1, s2) }
    fn v_dot8_i32_i4(x: &mut Lane, s0: u32, s1: u32, s2: i32) -> i32 { signed_dot::<4>(x, s0, s1, s2) }
    fn v_dot8_u32_u4(x: &mut Lane, s0: u32, s1: u32, s2: u32) -> u32 { unsigned_dot::<4>(x, s0, s1, s2) }
}

/// The sum of S2 and the products of signed elements of `BITS` bits.
#[inline(always)]
fn signed_dot<const BITS: u32>(x: &mut Lane, s0: u32, s1: u32, s2: i32) -> i32 {
    let element = |dword: u32, k: u32| i64::from((dword << (32 - BITS - BITS * k)) as i32 >> (32 - BITS));
    let mut exact = i64::from(s2);
    for k in 0..32 / BITS {
        exact += element(s0, k) * element(s1, k);
    }
    if x.clamp { saturate_i32(exact) } else { exact as i32 }
}

/// The sum of S2 and the products of unsigned elements of `BITS` bits.
#[inline(always)]
fn unsigned_dot<const BITS: u32>(x: &mut Lane, s0: u32, s1: u32, s2: u32) -> u32 {
    let element = |dword: u32, k: u32| u64::from(dword << (32 - BITS - BITS * k) >> (32 - BITS));
    let mut exact = u64::from(s2);
    for k in 0..32 / BITS {
        exact += element(s0, k) * element(s1, k);
    }
    if x.clamp { saturate_u32(exact) } else { exact as u32 }
}
