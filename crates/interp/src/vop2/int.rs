//! VOP2 on bits and integers (docs/gcn/valu-integer.md). The same instructions are VOP3 on some generations.

use crate::vector::body::lanes;
use crate::vector::lane::Lane;

lanes! {
    /// S0 and S1 may have ABS and NEG, which act on bit 31.
    fn v_cndmask_b32(s0: u32, s1: u32, mask: bool) -> u32 { if mask { s1 } else { s0 } }

    fn v_mul_i32_i24(x: &mut Lane, s0: u32, s1: u32) -> i32 {
        // The low 32 bits of the product are exact; only CLAMP needs more.
        let wrapped = ((s0 << 8) as i32 >> 8).wrapping_mul((s1 << 8) as i32 >> 8);
        if x.clamp { saturate_i32(signed_24(s0) * signed_24(s1)) } else { wrapped }
    }

    fn v_mul_hi_i32_i24(s0: u32, s1: u32) -> i32 { ((signed_24(s0) * signed_24(s1)) >> 32) as i32 }

    fn v_mul_u32_u24(x: &mut Lane, s0: u32, s1: u32) -> u32 {
        let wrapped = (s0 & 0xff_ffff).wrapping_mul(s1 & 0xff_ffff);
        if x.clamp { saturate_u32(unsigned_24(s0) * unsigned_24(s1)) } else { wrapped }
    }

    fn v_mul_hi_u32_u24(s0: u32, s1: u32) -> u32 { ((unsigned_24(s0) * unsigned_24(s1)) >> 32) as u32 }
    fn v_min_i32(s0: i32, s1: i32) -> i32 { s0.min(s1) }
    fn v_max_i32(s0: i32, s1: i32) -> i32 { s0.max(s1) }
    fn v_min_u32(s0: u32, s1: u32) -> u32 { s0.min(s1) }
    fn v_max_u32(s0: u32, s1: u32) -> u32 { s0.max(s1) }
    fn v_lshr_b32(s0: u32, s1: u32) -> u32 { s0 >> (s1 & 31) }
    fn v_lshrrev_b32(s0: u32, s1: u32) -> u32 { s1 >> (s0 & 31) }
    fn v_ashr_i32(s0: i32, s1: u32) -> i32 { s0 >> (s1 & 31) }
    fn v_ashrrev_i32(s0: u32, s1: i32) -> i32 { s1 >> (s0 & 31) }
    fn v_lshl_b32(s0: u32, s1: u32) -> u32 { s0 << (s1 & 31) }
    fn v_lshlrev_b32(s0: u32, s1: u32) -> u32 { s1 << (s0 & 31) }
    fn v_and_b32(s0: u32, s1: u32) -> u32 { s0 & s1 }
    fn v_or_b32(s0: u32, s1: u32) -> u32 { s0 | s1 }
    fn v_xor_b32(s0: u32, s1: u32) -> u32 { s0 ^ s1 }
    fn v_xnor_b32(s0: u32, s1: u32) -> u32 { !(s0 ^ s1) }

    /// A field of S0\[4:0\] ones that begins at bit S1\[4:0\].
    fn v_bfm_b32(s0: u32, s1: u32) -> u32 { ((1 << (s0 & 31)) - 1) << (s1 & 31) }

    fn v_bcnt_u32_b32(s0: u32, s1: u32) -> u32 { s0.count_ones().wrapping_add(s1) }

    /// Counts the bits of S0 that belong to lanes below this one, among lanes 0 to 31.
    fn v_mbcnt_lo_u32_b32(s0: u32, s1: u32, id: u32) -> u32 {
        let below = if id < 32 { (1 << (id & 31)) - 1 } else { u32::MAX };
        (s0 & below).count_ones().wrapping_add(s1)
    }

    /// Counts the bits of S0 that belong to lanes below this one, among lanes 32 to 63.
    fn v_mbcnt_hi_u32_b32(s0: u32, s1: u32, id: u32) -> u32 {
        let below = if id < 32 { 0 } else { (1 << (id & 31)) - 1 };
        (s0 & below).count_ones().wrapping_add(s1)
    }

    fn v_add_co_u32(x: &mut Lane, s0: u32, s1: u32) -> (u32, bool) {
        let (sum, carry) = s0.overflowing_add(s1);
        (if x.clamp && carry { u32::MAX } else { sum }, carry)
    }

    fn v_sub_co_u32(x: &mut Lane, s0: u32, s1: u32) -> (u32, bool) {
        let (difference, borrow) = s0.overflowing_sub(s1);
        (if x.clamp && borrow { 0 } else { difference }, borrow)
    }

    fn v_subrev_co_u32(x: &mut Lane, s0: u32, s1: u32) -> (u32, bool) { v_sub_co_u32(x, s1, s0) }

    fn v_addc_co_u32(x: &mut Lane, s0: u32, s1: u32, mask: bool) -> (u32, bool) {
        let (sum, carry) = s0.carrying_add(s1, mask);
        (if x.clamp && carry { u32::MAX } else { sum }, carry)
    }

    fn v_subb_co_u32(x: &mut Lane, s0: u32, s1: u32, mask: bool) -> (u32, bool) {
        let (difference, borrow) = s0.borrowing_sub(s1, mask);
        (if x.clamp && borrow { 0 } else { difference }, borrow)
    }

    fn v_subbrev_co_u32(x: &mut Lane, s0: u32, s1: u32, mask: bool) -> (u32, bool) { v_subb_co_u32(x, s1, s0, mask) }

    /// The instruction of GCN 1.4, without carry.
    fn v_add_u32(x: &mut Lane, s0: u32, s1: u32) -> u32 {
        if x.clamp { s0.saturating_add(s1) } else { s0.wrapping_add(s1) }
    }

    /// The instruction of GCN 1.4, without borrow.
    fn v_sub_u32(x: &mut Lane, s0: u32, s1: u32) -> u32 {
        if x.clamp { s0.saturating_sub(s1) } else { s0.wrapping_sub(s1) }
    }

    /// The instruction of GCN 1.4, without borrow.
    fn v_subrev_u32(x: &mut Lane, s0: u32, s1: u32) -> u32 { v_sub_u32(x, s1, s0) }

    fn v_add_u16(x: &mut Lane, s0: u16, s1: u16) -> u16 {
        if x.clamp { s0.saturating_add(s1) } else { s0.wrapping_add(s1) }
    }

    fn v_sub_u16(x: &mut Lane, s0: u16, s1: u16) -> u16 {
        if x.clamp { s0.saturating_sub(s1) } else { s0.wrapping_sub(s1) }
    }

    fn v_subrev_u16(x: &mut Lane, s0: u16, s1: u16) -> u16 { v_sub_u16(x, s1, s0) }
    fn v_mul_lo_u16(s0: u16, s1: u16) -> u16 { s0.wrapping_mul(s1) }
    fn v_lshlrev_b16(s0: u16, s1: u16) -> u16 { s1 << (s0 & 15) }
    fn v_lshrrev_b16(s0: u16, s1: u16) -> u16 { s1 >> (s0 & 15) }
    fn v_ashrrev_i16(s0: u16, s1: i16) -> i16 { s1 >> (s0 & 15) }
    fn v_max_u16(s0: u16, s1: u16) -> u16 { s0.max(s1) }
    fn v_max_i16(s0: i16, s1: i16) -> i16 { s0.max(s1) }
    fn v_min_u16(s0: u16, s1: u16) -> u16 { s0.min(s1) }
    fn v_min_i16(s0: i16, s1: i16) -> i16 { s0.min(s1) }
    fn v_cvt_pk_u16_u32(s0: u32, s1: u32) -> u32 { s0.min(0xffff) | s1.min(0xffff) << 16 }

    fn v_cvt_pk_i16_i32(s0: i32, s1: i32) -> u32 {
        let saturated = |value: i32| value.clamp(i16::MIN.into(), i16::MAX.into()) as u16 as u32;
        saturated(s0) | saturated(s1) << 16
    }
}

/// Sign-extends bits \[23:0\].
#[inline(always)]
pub(crate) fn signed_24(bits: u32) -> i64 {
    i64::from((bits << 8) as i32 >> 8)
}

#[inline(always)]
pub(crate) fn unsigned_24(bits: u32) -> u64 {
    u64::from(bits & 0xff_ffff)
}

/// The exact value, limited to u32.
#[inline(always)]
pub(crate) fn saturate_u32(exact: u64) -> u32 {
    exact.min(u32::MAX.into()) as u32
}

/// The exact value, limited to i32.
#[inline(always)]
pub(crate) fn saturate_i32(exact: i64) -> i32 {
    exact.clamp(i32::MIN.into(), i32::MAX.into()) as i32
}
