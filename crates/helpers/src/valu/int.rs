//! Lane functions of moves, bits and integers of 16, 32 and 64 bits (docs/gcn/valu-integer.md).
//!
//! An instruction that CLAMP can saturate computes its exact result, and [`LaneControl`] fits it to the type.

use super::LaneControl;

/// An integer type to which exact results are cut or saturated.
pub(super) trait Fit {
    /// Smallest value.
    const MIN: i64;
    /// Largest value.
    const MAX: i64;
    /// The unsigned type with the same bits.
    type Bits;

    /// The low bits.
    fn cut(exact: i64) -> Self::Bits;
}

macro_rules! fit {
    ($($T:ident $Bits:ident)*) => {
        $(
            impl Fit for $T {
                const MIN: i64 = $T::MIN as i64;
                const MAX: i64 = $T::MAX as i64;
                type Bits = $Bits;

                #[inline(always)]
                fn cut(exact: i64) -> $Bits {
                    exact as $Bits
                }
            }
        )*
    };
}

fit! { u8 u8 u16 u16 i16 u16 u32 u32 i32 u32 }

/// The value limited to the range of `T`.
#[inline(always)]
pub(super) fn saturate<T: Fit>(exact: i64) -> T::Bits {
    T::cut(exact.clamp(T::MIN, T::MAX))
}

impl LaneControl {
    /// An exact result as a `T`: saturated with CLAMP, otherwise cut.
    #[inline(always)]
    pub(super) fn fit<T: Fit>(&self, exact: i64) -> T::Bits {
        if self.clamp { saturate::<T>(exact) } else { T::cut(exact) }
    }
}

// Lane numbers and counts.

/// Adds the number of bits of S0 that are set for lanes below this one, among lanes 0 to 31.
#[inline(always)]
pub(super) fn v_mbcnt_lo_u32_b32(c: &LaneControl, a: u32, b: u32) -> u32 {
    let below = if c.lane < 32 { (1 << (c.lane & 31)) - 1 } else { !0 };
    b.wrapping_add((a & below).count_ones())
}

/// Adds the number of bits of S0 that are set for lanes below this one, among lanes 32 to 63.
#[inline(always)]
pub(super) fn v_mbcnt_hi_u32_b32(c: &LaneControl, a: u32, b: u32) -> u32 {
    let below = if c.lane < 32 { 0 } else { (1 << (c.lane & 31)) - 1 };
    b.wrapping_add((a & below).count_ones())
}

#[inline(always)]
pub(super) fn v_bcnt_u32_b32(a: u32, b: u32) -> u32 {
    a.count_ones().wrapping_add(b)
}

#[inline(always)]
pub(super) fn v_ffbh_u32(a: u32) -> u32 {
    if a == 0 { !0 } else { a.leading_zeros() }
}

#[inline(always)]
pub(super) fn v_ffbl_b32(a: u32) -> u32 {
    if a == 0 { !0 } else { a.trailing_zeros() }
}

/// The number of equal bits from the top; -1 if all are equal.
#[inline(always)]
pub(super) fn v_ffbh_i32(a: u32) -> u32 {
    v_ffbh_u32(a ^ (a as i32 >> 31) as u32)
}

// Sums. On GCN 1.0 to 1.2, sums with carry have the names that later plain ones have; see the table.

#[inline(always)]
pub(super) fn v_add_co_u32(c: &LaneControl, a: u32, b: u32) -> (u32, bool) {
    (c.fit::<u32>(a as i64 + b as i64), a.checked_add(b).is_none())
}

#[inline(always)]
pub(super) fn v_sub_co_u32(c: &LaneControl, a: u32, b: u32) -> (u32, bool) {
    (c.fit::<u32>(a as i64 - b as i64), b > a)
}

#[inline(always)]
pub(super) fn v_addc_co_u32(c: &LaneControl, a: u32, b: u32) -> (u32, bool) {
    let exact = a as i64 + b as i64 + c.mask as i64;
    let (sum, carry) = a.overflowing_add(b);
    (c.fit::<u32>(exact), carry | sum.checked_add(c.mask as u32).is_none())
}

#[inline(always)]
pub(super) fn v_subb_co_u32(c: &LaneControl, a: u32, b: u32) -> (u32, bool) {
    let exact = a as i64 - b as i64 - c.mask as i64;
    (c.fit::<u32>(exact), b > a || (c.mask && b == a))
}

#[inline(always)]
pub(super) fn v_add_u32(c: &LaneControl, a: u32, b: u32) -> u32 {
    c.fit::<u32>(a as i64 + b as i64)
}

#[inline(always)]
pub(super) fn v_sub_u32(c: &LaneControl, a: u32, b: u32) -> u32 {
    c.fit::<u32>(a as i64 - b as i64)
}

#[inline(always)]
pub(super) fn v_add_i32(c: &LaneControl, a: u32, b: u32) -> u32 {
    c.fit::<i32>(a as i32 as i64 + b as i32 as i64)
}

#[inline(always)]
pub(super) fn v_sub_i32(c: &LaneControl, a: u32, b: u32) -> u32 {
    c.fit::<i32>(a as i32 as i64 - b as i32 as i64)
}

#[inline(always)]
pub(super) fn v_add_u16(c: &LaneControl, a: u16, b: u16) -> u16 {
    c.fit::<u16>(a as i64 + b as i64)
}

#[inline(always)]
pub(super) fn v_sub_u16(c: &LaneControl, a: u16, b: u16) -> u16 {
    c.fit::<u16>(a as i64 - b as i64)
}

#[inline(always)]
pub(super) fn v_add_i16(c: &LaneControl, a: u16, b: u16) -> u16 {
    c.fit::<i16>(a as i16 as i64 + b as i16 as i64)
}

#[inline(always)]
pub(super) fn v_sub_i16(c: &LaneControl, a: u16, b: u16) -> u16 {
    c.fit::<i16>(a as i16 as i64 - b as i16 as i64)
}

// Products.

/// The low 24 bits with their sign.
#[inline(always)]
fn sext24(x: u32) -> i64 {
    ((x << 8) as i32 >> 8) as i64
}

#[inline(always)]
fn zext24(x: u32) -> i64 {
    (x & 0xff_ffff) as i64
}

#[inline(always)]
pub(super) fn v_mul_i32_i24(c: &LaneControl, a: u32, b: u32) -> u32 {
    c.fit::<i32>(sext24(a) * sext24(b))
}

#[inline(always)]
pub(super) fn v_mul_u32_u24(c: &LaneControl, a: u32, b: u32) -> u32 {
    c.fit::<u32>(zext24(a) * zext24(b))
}

#[inline(always)]
pub(super) fn v_mul_hi_i32_i24(a: u32, b: u32) -> u32 {
    ((sext24(a) * sext24(b)) >> 32) as u32
}

#[inline(always)]
pub(super) fn v_mul_hi_u32_u24(a: u32, b: u32) -> u32 {
    ((zext24(a) * zext24(b)) >> 32) as u32
}

#[inline(always)]
pub(super) fn v_mad_i32_i24(c: &LaneControl, a: u32, b: u32, addend: u32) -> u32 {
    c.fit::<i32>(sext24(a) * sext24(b) + addend as i32 as i64)
}

#[inline(always)]
pub(super) fn v_mad_u32_u24(c: &LaneControl, a: u32, b: u32, addend: u32) -> u32 {
    c.fit::<u32>(zext24(a) * zext24(b) + addend as i64)
}

#[inline(always)]
pub(super) fn v_mul_hi_u32(a: u32, b: u32) -> u32 {
    ((a as u64 * b as u64) >> 32) as u32
}

#[inline(always)]
pub(super) fn v_mul_hi_i32(a: u32, b: u32) -> u32 {
    ((a as i32 as i64 * b as i32 as i64) >> 32) as u32
}

#[inline(always)]
pub(super) fn v_mad_u64_u32(c: &LaneControl, a: u32, b: u32, addend: u64) -> (u64, bool) {
    let (sum, carry) = (a as u64 * b as u64).overflowing_add(addend);
    (if c.clamp && carry { u64::MAX } else { sum }, carry)
}

/// The mask bit is bit 64 of the exact sum, which is its sign.
#[inline(always)]
pub(super) fn v_mad_i64_i32(c: &LaneControl, a: u32, b: u32, addend: u64) -> (u64, bool) {
    let (sum, overflow) = (a as i32 as i64 * b as i32 as i64).overflowing_add(addend as i64);
    let negative = (sum < 0) != overflow;
    let nearest = if negative { i64::MIN } else { i64::MAX };
    (if c.clamp && overflow { nearest } else { sum } as u64, negative)
}

#[inline(always)]
pub(super) fn v_mad_u16(c: &LaneControl, a: u16, b: u16, addend: u16) -> u16 {
    c.fit::<u16>(a as i64 * b as i64 + addend as i64)
}

#[inline(always)]
pub(super) fn v_mad_i16(c: &LaneControl, a: u16, b: u16, addend: u16) -> u16 {
    c.fit::<i16>(a as i16 as i64 * b as i16 as i64 + addend as i16 as i64)
}

#[inline(always)]
pub(super) fn v_mad_u32_u16(c: &LaneControl, a: u16, b: u16, addend: u32) -> u32 {
    c.fit::<u32>(a as i64 * b as i64 + addend as i64)
}

#[inline(always)]
pub(super) fn v_mad_i32_i16(c: &LaneControl, a: u16, b: u16, addend: u32) -> u32 {
    c.fit::<i32>(a as i16 as i64 * b as i16 as i64 + addend as i32 as i64)
}

// Order.

/// The middle one of three values.
#[inline(always)]
pub(super) fn median<T: Ord + Copy>(a: T, b: T, c: T) -> T {
    a.min(b).max(a.max(b).min(c))
}

#[inline(always)]
pub(super) fn v_min_i32(a: u32, b: u32) -> u32 {
    (a as i32).min(b as i32) as u32
}

#[inline(always)]
pub(super) fn v_max_i32(a: u32, b: u32) -> u32 {
    (a as i32).max(b as i32) as u32
}

#[inline(always)]
pub(super) fn v_med3_i32(a: u32, b: u32, c: u32) -> u32 {
    median(a as i32, b as i32, c as i32) as u32
}

#[inline(always)]
pub(super) fn v_min_i16(a: u16, b: u16) -> u16 {
    (a as i16).min(b as i16) as u16
}

#[inline(always)]
pub(super) fn v_max_i16(a: u16, b: u16) -> u16 {
    (a as i16).max(b as i16) as u16
}

#[inline(always)]
pub(super) fn v_med3_i16(a: u16, b: u16, c: u16) -> u16 {
    median(a as i16, b as i16, c as i16) as u16
}

// Shifts and bit fields.

/// Shifts in the order of V_LSHL: value, then amount. V_LSHLREV has the opposite order.
#[inline(always)]
pub(super) fn v_lshl_b32(value: u32, by: u32) -> u32 {
    value << (by & 31)
}

#[inline(always)]
pub(super) fn v_lshr_b32(value: u32, by: u32) -> u32 {
    value >> (by & 31)
}

#[inline(always)]
pub(super) fn v_ashr_i32(value: u32, by: u32) -> u32 {
    (value as i32 >> (by & 31)) as u32
}

#[inline(always)]
pub(super) fn v_lshl_b64(value: u64, by: u32) -> u64 {
    value << (by & 63)
}

#[inline(always)]
pub(super) fn v_lshr_b64(value: u64, by: u32) -> u64 {
    value >> (by & 63)
}

#[inline(always)]
pub(super) fn v_ashr_i64(value: u64, by: u32) -> u64 {
    (value as i64 >> (by & 63)) as u64
}

#[inline(always)]
pub(super) fn v_lshlrev_b16(by: u16, value: u16) -> u16 {
    ((value as u32) << (by & 15)) as u16
}

#[inline(always)]
pub(super) fn v_lshrrev_b16(by: u16, value: u16) -> u16 {
    (value as u32 >> (by & 15)) as u16
}

#[inline(always)]
pub(super) fn v_ashrrev_i16(by: u16, value: u16) -> u16 {
    (value as i16 as i32 >> (by & 15)) as u16
}

#[inline(always)]
pub(super) fn v_bfe_u32(value: u32, offset: u32, width: u32) -> u32 {
    value >> (offset & 31) & ((1 << (width & 31)) - 1)
}

#[inline(always)]
pub(super) fn v_bfe_i32(value: u32, offset: u32, width: u32) -> u32 {
    let (offset, width) = (offset & 31, width & 31);
    // The field's top bit moves to bit 31, and then back. If no width is left, the sign is that of the value.
    let above = 32u32.saturating_sub(offset + width) & 31;
    let field = ((value << above) as i32 >> ((above + offset) & 31)) as u32;
    if width == 0 { 0 } else { field }
}

#[inline(always)]
pub(super) fn v_bfi_b32(mask: u32, a: u32, b: u32) -> u32 {
    mask & a | !mask & b
}

#[inline(always)]
pub(super) fn v_bfm_b32(width: u32, offset: u32) -> u32 {
    ((1u32 << (width & 31)) - 1) << (offset & 31)
}

#[inline(always)]
pub(super) fn v_alignbit_b32(hi: u32, lo: u32, by: u32) -> u32 {
    (((hi as u64) << 32 | lo as u64) >> (by & 31)) as u32
}

#[inline(always)]
pub(super) fn v_alignbyte_b32(hi: u32, lo: u32, by: u32) -> u32 {
    v_alignbit_b32(hi, lo, 8 * (by & 3))
}

/// The source that the lane's bit of the mask selects.
#[inline(always)]
pub(super) fn v_cndmask_b32(c: &LaneControl, a: u32, b: u32) -> u32 {
    if c.mask { b } else { a }
}

// Narrowing.

#[inline(always)]
pub(super) fn v_cvt_pk_u16_u32(a: u32, b: u32) -> [u16; 2] {
    [a, b].map(|x| saturate::<u16>(x as i64))
}

#[inline(always)]
pub(super) fn v_cvt_pk_i16_i32(a: u32, b: u32) -> [u16; 2] {
    [a, b].map(|x| saturate::<i16>(x as i32 as i64))
}
