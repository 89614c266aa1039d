//! Lane functions of integer dot products (docs/gcn/valu-packed.md#vop3p).

use super::LaneControl;

#[inline(always)]
pub(super) fn v_dot2_i32_i16(c: &LaneControl, a: [u16; 2], b: [u16; 2], addend: u32) -> u32 {
    let products = (0..2).map(|k| a[k] as i16 as i64 * b[k] as i16 as i64);
    c.fit::<i32>(products.sum::<i64>() + addend as i32 as i64)
}

#[inline(always)]
pub(super) fn v_dot2_u32_u16(c: &LaneControl, a: [u16; 2], b: [u16; 2], addend: u32) -> u32 {
    let products = (0..2).map(|k| a[k] as i64 * b[k] as i64);
    c.fit::<u32>(products.sum::<i64>() + addend as i64)
}

/// The sum of the products of `count` parts. `part` extracts a part of a source.
#[inline(always)]
fn dot(a: u32, b: u32, count: usize, part: impl Fn(u32, usize) -> i32) -> i64 {
    (0..count).map(|k| part(a, k) * part(b, k)).sum::<i32>() as i64
}

#[inline(always)]
pub(super) fn v_dot4_i32_i8(c: &LaneControl, a: u32, b: u32, addend: u32) -> u32 {
    c.fit::<i32>(dot(a, b, 4, |x, k| (x >> (8 * k)) as i8 as i32) + addend as i32 as i64)
}

#[inline(always)]
pub(super) fn v_dot4_u32_u8(c: &LaneControl, a: u32, b: u32, addend: u32) -> u32 {
    c.fit::<u32>(dot(a, b, 4, |x, k| (x >> (8 * k) & 0xff) as i32) + addend as i64)
}

#[inline(always)]
pub(super) fn v_dot8_i32_i4(c: &LaneControl, a: u32, b: u32, addend: u32) -> u32 {
    c.fit::<i32>(dot(a, b, 8, |x, k| (x << (28 - 4 * k)) as i32 >> 28) + addend as i32 as i64)
}

#[inline(always)]
pub(super) fn v_dot8_u32_u4(c: &LaneControl, a: u32, b: u32, addend: u32) -> u32 {
    c.fit::<u32>(dot(a, b, 8, |x, k| (x >> (4 * k) & 15) as i32) + addend as i64)
}
