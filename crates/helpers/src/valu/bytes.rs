//! Lane functions on bytes: permutations and sums of absolute differences
//! (docs/gcn/valu-integer.md#integers-of-32-and-64-bits).

use super::LaneControl;
use super::int::saturate;
use super::notes::MQSAD_SATURATE;

/// Byte `k`.
#[inline(always)]
fn byte(x: u32, k: usize) -> u32 {
    x >> (8 * k) & 0xff
}

/// The bytes that `selector` selects, each by one of its bytes: a byte of S1 (0 to 3), of S0 (4 to 7), copies of
/// the sign of a half of S1 (8, 9) or of S0 (10, 11), 0 (12), or 0xff.
#[inline(always)]
pub(super) fn v_perm_b32(a: u32, b: u32, selector: u32) -> u32 {
    let mut result = 0;
    for k in 0..4 {
        let select = byte(selector, k);
        let source = if select & 4 != 0 { a } else { b };
        let picked = source >> (8 * (select & 3)) & 0xff;
        // Selectors 8 to 11 stand for bits 15 and 31 of S1, then of S0.
        let half = if select & 2 != 0 { a } else { b };
        let sign = 0xff & (half >> (15 + 16 * (select & 1)) & 1).wrapping_neg();
        let beyond = if select < 12 {
            sign
        } else if select == 12 {
            0
        } else {
            0xff
        };
        result |= if select < 8 { picked } else { beyond } << (8 * k);
    }
    result
}

#[inline(always)]
pub(super) fn v_lerp_u8(a: u32, b: u32, round: u32) -> u32 {
    let mut result = 0;
    for k in 0..4 {
        result |= ((byte(a, k) + byte(b, k) + (byte(round, k) & 1)) >> 1) << (8 * k);
    }
    result
}

/// The sum of absolute differences of bytes.
#[inline(always)]
fn sad4(a: u32, b: u32) -> u32 {
    (0..4).map(|k| byte(a, k).abs_diff(byte(b, k))).sum()
}

/// The sum of absolute differences of bytes, without those where `b` is 0.
#[inline(always)]
fn msad4(a: u32, b: u32) -> u32 {
    (0..4).map(|k| if byte(b, k) == 0 { 0 } else { byte(a, k).abs_diff(byte(b, k)) }).sum()
}

#[inline(always)]
pub(super) fn v_sad_u8(c: &LaneControl, a: u32, b: u32, addend: u32) -> u32 {
    c.fit::<u32>(sad4(a, b) as i64 + addend as i64)
}

#[inline(always)]
pub(super) fn v_sad_hi_u8(c: &LaneControl, a: u32, b: u32, addend: u32) -> u32 {
    c.fit::<u32>(((sad4(a, b) as i64) << 16) + addend as i64)
}

#[inline(always)]
pub(super) fn v_sad_u16(c: &LaneControl, a: u32, b: u32, addend: u32) -> u32 {
    let differences = (a & 0xffff).abs_diff(b & 0xffff) + (a >> 16).abs_diff(b >> 16);
    c.fit::<u32>(differences as i64 + addend as i64)
}

#[inline(always)]
pub(super) fn v_sad_u32(c: &LaneControl, a: u32, b: u32, addend: u32) -> u32 {
    c.fit::<u32>(a.abs_diff(b) as i64 + addend as i64)
}

#[inline(always)]
pub(super) fn v_msad_u8(c: &LaneControl, a: u32, b: u32, addend: u32) -> u32 {
    c.fit::<u32>(msad4(a, b) as i64 + addend as i64)
}

/// Four 16-bit sums, with S0 beginning at byte 0, 1, 2 and 3.
#[inline(always)]
fn four_sums(c: &LaneControl, sad: impl Fn(u32, u32) -> u32, a: u64, b: u32, addends: u64) -> u64 {
    let mut result = 0;
    for k in 0..4 {
        let addend = (addends >> (16 * k)) as u16;
        let sum = sad((a >> (8 * k)) as u32, b) as i64 + addend as i64;
        result |= u64::from(c.fit::<u16>(sum)) << (16 * k);
    }
    result
}

#[inline(always)]
pub(super) fn v_qsad_pk_u16_u8(c: &LaneControl, a: u64, b: u32, addends: u64) -> u64 {
    four_sums(c, sad4, a, b, addends)
}

#[inline(always)]
pub(super) fn v_mqsad_pk_u16_u8(c: &LaneControl, a: u64, b: u32, addends: u64) -> u64 {
    four_sums(c, msad4, a, b, addends)
}

#[inline(always)]
pub(super) fn v_mqsad_u32_u8(c: &LaneControl, a: u64, b: u32, addends: [u32; 4], notes: &mut u32) -> [u32; 4] {
    let mut result = addends;
    for (k, result) in result.iter_mut().enumerate() {
        let sum = msad4((a >> (8 * k)) as u32, b) as i64 + *result as i64;
        if sum > u32::MAX as i64 && !c.clamp {
            *notes |= MQSAD_SATURATE;
        }
        *result = c.fit::<u32>(sum);
    }
    result
}

/// The halves of S0 as bytes. The result has 16 bits, so that the machinery handles the upper half.
#[inline(always)]
pub(super) fn v_sat_pk_u8_i16(a: u32) -> u16 {
    let [lo, hi] = [a as i16, (a >> 16) as i16].map(|x| saturate::<u8>(x as i64) as u16);
    lo | hi << 8
}

/// The results of V_SCREEN_PARTITION_4SE_B32 by the low byte
/// (docs/gcn/valu-integer.md#the-table-of-v_screen_partition_4se_b32).
const PARTITIONS: &[u8; 256] = b"\
    137f5fff7ffffffff26efafffbffffff\
    df4cff5fffdfffff9bf8fffafffeffff\
    ffff4cdf6fffeffffffff89bf99ffdff\
    ffff7f13ff9fffbfffff6ef26ff6fff7\
    bfffffff23bfaffff7fffffff19df5ff\
    ffefffffef8cffaffffdffff67f4fff5\
    9fffdfffffff8ceff66ffefffffff467\
    ff6fff7fffffbf239ff9fffbffff9df1";

#[inline(always)]
pub(super) fn v_screen_partition_4se_b32(a: u32) -> u32 {
    const VALUES: [u32; 256] = {
        let mut values = [0; 256];
        let mut i = 0;
        while i < 256 {
            let digit = PARTITIONS[i];
            values[i] = (if digit <= b'9' { digit - b'0' } else { digit - b'a' + 10 }) as u32;
            i += 1;
        }
        values
    };
    VALUES[a as usize & 255]
}
