//! VOP3 on bits and integers (docs/gcn/valu-integer.md). Instructions that are VOP2 on older generations are
//! in `vop2`.

use crate::vector::body::lanes;
use crate::vector::lane::Lane;
use crate::vop2::int::{saturate_i32, saturate_u32, signed_24, unsigned_24};

lanes! {
    fn v_lshl_b64(s0: u64, s1: u32) -> u64 { s0 << (s1 & 63) }
    fn v_lshr_b64(s0: u64, s1: u32) -> u64 { s0 >> (s1 & 63) }
    fn v_ashr_i64(s0: i64, s1: u32) -> i64 { s0 >> (s1 & 63) }
    fn v_lshlrev_b64(s0: u32, s1: u64) -> u64 { s1 << (s0 & 63) }
    fn v_lshrrev_b64(s0: u32, s1: u64) -> u64 { s1 >> (s0 & 63) }
    fn v_ashrrev_i64(s0: u32, s1: i64) -> i64 { s1 >> (s0 & 63) }
    fn v_mul_lo_i32(s0: i32, s1: i32) -> i32 { s0.wrapping_mul(s1) }
    fn v_mul_lo_u32(s0: u32, s1: u32) -> u32 { s0.wrapping_mul(s1) }
    fn v_mul_hi_u32(s0: u32, s1: u32) -> u32 { ((u64::from(s0) * u64::from(s1)) >> 32) as u32 }
    fn v_mul_hi_i32(s0: i32, s1: i32) -> i32 { ((i64::from(s0) * i64::from(s1)) >> 32) as i32 }

    fn v_mad_i32_i24(x: &mut Lane, s0: u32, s1: u32, s2: i32) -> i32 {
        let product = ((s0 << 8) as i32 >> 8).wrapping_mul((s1 << 8) as i32 >> 8);
        if x.clamp { saturate_i32(signed_24(s0) * signed_24(s1) + i64::from(s2)) } else { product.wrapping_add(s2) }
    }

    fn v_mad_u32_u24(x: &mut Lane, s0: u32, s1: u32, s2: u32) -> u32 {
        let product = (s0 & 0xff_ffff).wrapping_mul(s1 & 0xff_ffff);
        if x.clamp { saturate_u32(unsigned_24(s0) * unsigned_24(s1) + u64::from(s2)) } else { product.wrapping_add(s2) }
    }

    /// The mask bit is bit 64 of the sum.
    fn v_mad_u64_u32(x: &mut Lane, s0: u32, s1: u32, s2: u64) -> (u64, bool) {
        let (sum, carry) = (u64::from(s0) * u64::from(s1)).overflowing_add(s2);
        (if x.clamp && carry { u64::MAX } else { sum }, carry)
    }

    /// The mask bit is bit 64 of the sum in two's complement, which is its sign.
    fn v_mad_i64_i32(x: &mut Lane, s0: i32, s1: i32, s2: i64) -> (i64, bool) {
        let (sum, overflow) = (i64::from(s0) * i64::from(s1)).overflowing_add(s2);
        let negative = (sum < 0) != overflow;
        let limit = if negative { i64::MIN } else { i64::MAX };
        (if x.clamp && overflow { limit } else { sum }, negative)
    }

    /// S2\[4:0\] bits of S0, beginning at bit S1\[4:0\].
    fn v_bfe_u32(s0: u32, s1: u32, s2: u32) -> u32 { s0 >> (s1 & 31) & ((1 << (s2 & 31)) - 1) }

    /// S2\[4:0\] bits of S0, beginning at bit S1\[4:0\], sign-extended from the highest bit of the field that lies
    /// within S0.
    fn v_bfe_i32(s0: i32, s1: u32, s2: u32) -> i32 {
        let (offset, width) = (s1 & 31, s2 & 31);
        let above = 32 - width.min(32 - offset);
        let field = (s0 >> offset) << (above & 31) >> (above & 31);
        if width == 0 { 0 } else { field }
    }

    fn v_bfi_b32(s0: u32, s1: u32, s2: u32) -> u32 { s0 & s1 | !s0 & s2 }

    /// Per byte: (S0 + S1 + bit 0 of S2) >> 1, with nine bits for the sum.
    fn v_lerp_u8(s0: u32, s1: u32, s2: u32) -> u32 {
        let mean = |k: u32| (byte(s0, k) + byte(s1, k) + (byte(s2, k) & 1)) >> 1 << (8 * k);
        mean(0) | mean(1) | mean(2) | mean(3)
    }

    /// {S0, S1} >> S2\[4:0\].
    fn v_alignbit_b32(s0: u32, s1: u32, s2: u32) -> u32 { shifted_right(s0, s1, s2 & 31) }

    /// {S0, S1} >> 8 * S2\[1:0\].
    fn v_alignbyte_b32(s0: u32, s1: u32, s2: u32) -> u32 { shifted_right(s0, s1, 8 * (s2 & 3)) }

    /// Byte k of S2 selects byte k of the result: 0 to 3 select a byte of S1, 4 to 7 a byte of S0, 8 and 9 copies of
    /// bits 15 and 31 of S1, 10 and 11 the same of S0, 12 zeros, and greater numbers ones.
    fn v_perm_b32(s0: u32, s1: u32, s2: u32) -> u32 {
        let copies = |dword: u32, bit: u32| (dword >> bit & 1).wrapping_neg() & 0xff;
        let signs = copies(s1, 15) | copies(s1, 31) << 8 | copies(s0, 15) << 16 | copies(s0, 31) << 24;
        let selected = |k: u32| {
            let select = byte(s2, k);
            let (low, high) = if select & 4 == 0 { (s1, signs) } else { (s0, 0xffff_ff00) };
            let picked = byte(if select & 8 == 0 { low } else { high }, select & 3);
            (if select < 16 { picked } else { 0xff }) << (8 * k)
        };
        selected(0) | selected(1) | selected(2) | selected(3)
    }

    fn v_min3_i32(s0: i32, s1: i32, s2: i32) -> i32 { s0.min(s1).min(s2) }
    fn v_min3_u32(s0: u32, s1: u32, s2: u32) -> u32 { s0.min(s1).min(s2) }
    fn v_min3_i16(s0: i16, s1: i16, s2: i16) -> i16 { s0.min(s1).min(s2) }
    fn v_min3_u16(s0: u16, s1: u16, s2: u16) -> u16 { s0.min(s1).min(s2) }
    fn v_max3_i32(s0: i32, s1: i32, s2: i32) -> i32 { s0.max(s1).max(s2) }
    fn v_max3_u32(s0: u32, s1: u32, s2: u32) -> u32 { s0.max(s1).max(s2) }
    fn v_max3_i16(s0: i16, s1: i16, s2: i16) -> i16 { s0.max(s1).max(s2) }
    fn v_max3_u16(s0: u16, s1: u16, s2: u16) -> u16 { s0.max(s1).max(s2) }
    fn v_med3_i32(s0: i32, s1: i32, s2: i32) -> i32 { median(s0, s1, s2) }
    fn v_med3_u32(s0: u32, s1: u32, s2: u32) -> u32 { median(s0, s1, s2) }
    fn v_med3_i16(s0: i16, s1: i16, s2: i16) -> i16 { median(s0, s1, s2) }
    fn v_med3_u16(s0: u16, s1: u16, s2: u16) -> u16 { median(s0, s1, s2) }

    fn v_mad_u16(x: &mut Lane, s0: u16, s1: u16, s2: u16) -> u16 {
        // The sum is at most 65,535 * 65,536, so it fits.
        let exact = u32::from(s0) * u32::from(s1) + u32::from(s2);
        (if x.clamp { exact.min(u16::MAX.into()) } else { exact }) as u16
    }

    fn v_mad_i16(x: &mut Lane, s0: i16, s1: i16, s2: i16) -> i16 {
        let exact = i32::from(s0) * i32::from(s1) + i32::from(s2);
        (if x.clamp { exact.clamp(i16::MIN.into(), i16::MAX.into()) } else { exact }) as i16
    }

    fn v_mad_u32_u16(x: &mut Lane, s0: u16, s1: u16, s2: u32) -> u32 {
        let product = u32::from(s0) * u32::from(s1);
        if x.clamp { saturate_u32(u64::from(product) + u64::from(s2)) } else { product.wrapping_add(s2) }
    }

    fn v_mad_i32_i16(x: &mut Lane, s0: i16, s1: i16, s2: i32) -> i32 {
        let product = i32::from(s0) * i32::from(s1);
        if x.clamp { saturate_i32(i64::from(product) + i64::from(s2)) } else { product.wrapping_add(s2) }
    }

    fn v_add_i16(x: &mut Lane, s0: i16, s1: i16) -> i16 {
        if x.clamp { s0.saturating_add(s1) } else { s0.wrapping_add(s1) }
    }

    fn v_sub_i16(x: &mut Lane, s0: i16, s1: i16) -> i16 {
        if x.clamp { s0.saturating_sub(s1) } else { s0.wrapping_sub(s1) }
    }

    /// The instruction of GCN 1.4, without carry.
    fn v_add_i32(x: &mut Lane, s0: i32, s1: i32) -> i32 {
        if x.clamp { s0.saturating_add(s1) } else { s0.wrapping_add(s1) }
    }

    /// The instruction of GCN 1.4, without borrow.
    fn v_sub_i32(x: &mut Lane, s0: i32, s1: i32) -> i32 {
        if x.clamp { s0.saturating_sub(s1) } else { s0.wrapping_sub(s1) }
    }

    fn v_xad_u32(s0: u32, s1: u32, s2: u32) -> u32 { (s0 ^ s1).wrapping_add(s2) }
    fn v_lshl_add_u32(s0: u32, s1: u32, s2: u32) -> u32 { (s0 << (s1 & 31)).wrapping_add(s2) }
    fn v_add_lshl_u32(s0: u32, s1: u32, s2: u32) -> u32 { s0.wrapping_add(s1) << (s2 & 31) }
    fn v_add3_u32(s0: u32, s1: u32, s2: u32) -> u32 { s0.wrapping_add(s1).wrapping_add(s2) }
    fn v_lshl_or_b32(s0: u32, s1: u32, s2: u32) -> u32 { s0 << (s1 & 31) | s2 }
    fn v_and_or_b32(s0: u32, s1: u32, s2: u32) -> u32 { s0 & s1 | s2 }
    fn v_or3_b32(s0: u32, s1: u32, s2: u32) -> u32 { s0 | s1 | s2 }
}

/// The low 32 bits of {`high`, `low`} >> `count`, which is below 32.
#[inline(always)]
fn shifted_right(high: u32, low: u32, count: u32) -> u32 {
    // Two steps are needed because a shift by 32 is not possible.
    low >> count | high << 1 << (31 - count)
}

/// The middle one.
#[inline(always)]
fn median<T: Ord + Copy>(a: T, b: T, c: T) -> T {
    a.min(b).max(a.max(b).min(c))
}

/// Byte k of a dword.
#[inline(always)]
fn byte(dword: u32, k: u32) -> u32 {
    dword >> (8 * k) & 0xff
}
