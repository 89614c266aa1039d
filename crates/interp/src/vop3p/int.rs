//! VOP3P on integers (docs/gcn/valu-packed.md#vop3p). V_PK_* work on one half. V_DOT* have exact sums, which are cut,
//! or saturated with CLAMP.

use crate::vector::lane::Lane;
use crate::vop2::int::{saturate_i32, saturate_u32};
use crate::vop3::int::{v_add_i16, v_mad_i16, v_mad_u16, v_sub_i16};

#[inline(always)]
pub(crate) fn v_pk_mad_i16(x: &mut Lane, s0: i16, s1: i16, s2: i16) -> i16 {
    v_mad_i16(x, s0, s1, s2)
}

#[inline(always)]
pub(crate) fn v_pk_mad_u16(x: &mut Lane, s0: u16, s1: u16, s2: u16) -> u16 {
    v_mad_u16(x, s0, s1, s2)
}

#[inline(always)]
pub(crate) fn v_pk_mul_lo_u16(_: &mut Lane, s0: u16, s1: u16) -> u16 {
    // CLAMP is legal and ignored.
    s0.wrapping_mul(s1)
}

#[inline(always)]
pub(crate) fn v_pk_add_i16(x: &mut Lane, s0: i16, s1: i16) -> i16 {
    v_add_i16(x, s0, s1)
}

#[inline(always)]
pub(crate) fn v_pk_sub_i16(x: &mut Lane, s0: i16, s1: i16) -> i16 {
    v_sub_i16(x, s0, s1)
}

#[inline(always)]
pub(crate) fn v_pk_add_u16(x: &mut Lane, s0: u16, s1: u16) -> u16 {
    if x.clamp { s0.saturating_add(s1) } else { s0.wrapping_add(s1) }
}

#[inline(always)]
pub(crate) fn v_pk_sub_u16(x: &mut Lane, s0: u16, s1: u16) -> u16 {
    if x.clamp { s0.saturating_sub(s1) } else { s0.wrapping_sub(s1) }
}

#[inline(always)]
pub(crate) fn v_pk_lshlrev_b16(_: &mut Lane, s0: u16, s1: u16) -> u16 {
    s1 << (s0 & 15)
}

#[inline(always)]
pub(crate) fn v_pk_lshrrev_b16(_: &mut Lane, s0: u16, s1: u16) -> u16 {
    s1 >> (s0 & 15)
}

#[inline(always)]
pub(crate) fn v_pk_ashrrev_i16(_: &mut Lane, s0: u16, s1: i16) -> i16 {
    s1 >> (s0 & 15)
}

#[inline(always)]
pub(crate) fn v_pk_max_i16(_: &mut Lane, s0: i16, s1: i16) -> i16 {
    s0.max(s1)
}

#[inline(always)]
pub(crate) fn v_pk_min_i16(_: &mut Lane, s0: i16, s1: i16) -> i16 {
    s0.min(s1)
}

#[inline(always)]
pub(crate) fn v_pk_max_u16(_: &mut Lane, s0: u16, s1: u16) -> u16 {
    s0.max(s1)
}

#[inline(always)]
pub(crate) fn v_pk_min_u16(_: &mut Lane, s0: u16, s1: u16) -> u16 {
    s0.min(s1)
}

#[inline(always)]
pub(crate) fn v_dot2_i32_i16(x: &mut Lane, s0: u32, s1: u32, s2: i32) -> i32 {
    signed_dot::<16>(x, s0, s1, s2)
}

#[inline(always)]
pub(crate) fn v_dot2_u32_u16(x: &mut Lane, s0: u32, s1: u32, s2: u32) -> u32 {
    unsigned_dot::<16>(x, s0, s1, s2)
}

#[inline(always)]
pub(crate) fn v_dot4_i32_i8(x: &mut Lane, s0: u32, s1: u32, s2: i32) -> i32 {
    signed_dot::<8>(x, s0, s1, s2)
}

#[inline(always)]
pub(crate) fn v_dot4_u32_u8(x: &mut Lane, s0: u32, s1: u32, s2: u32) -> u32 {
    unsigned_dot::<8>(x, s0, s1, s2)
}

#[inline(always)]
pub(crate) fn v_dot8_i32_i4(x: &mut Lane, s0: u32, s1: u32, s2: i32) -> i32 {
    signed_dot::<4>(x, s0, s1, s2)
}

#[inline(always)]
pub(crate) fn v_dot8_u32_u4(x: &mut Lane, s0: u32, s1: u32, s2: u32) -> u32 {
    unsigned_dot::<4>(x, s0, s1, s2)
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
