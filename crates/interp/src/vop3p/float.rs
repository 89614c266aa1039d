//! Float instructions of VOP3P: over one half of a lane, or over a whole lane where the halves differ. See [`Lane`].

use crate::float::arith::{add, dot2, fma, fma_mix_f16, mad_mix, mad_mix_f16, mul};
use crate::float::order::{max, min};
use crate::float::{F16, F32};
use crate::vector::lane::Lane;

pub(crate) fn v_pk_add_f16(x: &mut Lane<'_>, s0: u16, s1: u16) -> u16 {
    add::<F16>(x, s0, s1)
}

pub(crate) fn v_pk_mul_f16(x: &mut Lane<'_>, s0: u16, s1: u16) -> u16 {
    mul::<F16>(x, s0, s1)
}

pub(crate) fn v_pk_min_f16(x: &mut Lane<'_>, s0: u16, s1: u16) -> u16 {
    min::<F16>(x, s0, s1)
}

pub(crate) fn v_pk_max_f16(x: &mut Lane<'_>, s0: u16, s1: u16) -> u16 {
    max::<F16>(x, s0, s1)
}

pub(crate) fn v_pk_fma_f16(x: &mut Lane<'_>, s0: u16, s1: u16, s2: u16) -> u16 {
    fma::<F16>(x, s0, s1, s2)
}

// Mixed precision: operands are binary32. Those that are binary16 in the registers have been widened.

pub(crate) fn v_mad_mix_f32(x: &mut Lane<'_>, s0: u32, s1: u32, s2: u32) -> u32 {
    mad_mix(x, s0, s1, s2)
}

pub(crate) fn v_mad_mixlo_f16(x: &mut Lane<'_>, s0: u32, s1: u32, s2: u32) -> u16 {
    mad_mix_f16(x, s0, s1, s2)
}

pub(crate) fn v_mad_mixhi_f16(x: &mut Lane<'_>, s0: u32, s1: u32, s2: u32) -> u16 {
    mad_mix_f16(x, s0, s1, s2)
}

pub(crate) fn v_fma_mix_f32(x: &mut Lane<'_>, s0: u32, s1: u32, s2: u32) -> u32 {
    fma::<F32>(x, s0, s1, s2)
}

pub(crate) fn v_fma_mixlo_f16(x: &mut Lane<'_>, s0: u32, s1: u32, s2: u32) -> u16 {
    fma_mix_f16(x, s0, s1, s2)
}

pub(crate) fn v_fma_mixhi_f16(x: &mut Lane<'_>, s0: u32, s1: u32, s2: u32) -> u16 {
    fma_mix_f16(x, s0, s1, s2)
}

pub(crate) fn v_dot2_f32_f16(x: &mut Lane<'_>, s0: u32, s1: u32, s2: u32) -> u32 {
    dot2(x, halves(s0), halves(s1), s2)
}

/// Splits a dword into halves, the low one first.
fn halves(dword: u32) -> [u16; 2] {
    [dword as u16, (dword >> 16) as u16]
}
