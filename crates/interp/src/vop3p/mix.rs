//! Mixed precision: float instructions of VOP3P over whole lanes, see [`Lane`]. Operands of V_MAD_MIX* and V_FMA_MIX*
//! are binary32; those that are binary16 in the registers have been widened.

use crate::float::F32;
use crate::float::arith::{dot2, fma, fma_mix_f16, mad_mix, mad_mix_f16};
use crate::vector::body::float_lanes;
use crate::vector::lane::Lane;

float_lanes! {
    fn v_mad_mix_f32(x: &mut Lane, s0: u32, s1: u32, s2: u32) -> u32 { mad_mix(x, s0, s1, s2) }
    fn v_mad_mixlo_f16(x: &mut Lane, s0: u32, s1: u32, s2: u32) -> u16 { mad_mix_f16(x, s0, s1, s2) }
    fn v_mad_mixhi_f16(x: &mut Lane, s0: u32, s1: u32, s2: u32) -> u16 { mad_mix_f16(x, s0, s1, s2) }
    fn v_fma_mix_f32(x: &mut Lane, s0: u32, s1: u32, s2: u32) -> u32 { fma::<F32>(x, s0, s1, s2) }
    fn v_fma_mixlo_f16(x: &mut Lane, s0: u32, s1: u32, s2: u32) -> u16 { fma_mix_f16(x, s0, s1, s2) }
    fn v_fma_mixhi_f16(x: &mut Lane, s0: u32, s1: u32, s2: u32) -> u16 { fma_mix_f16(x, s0, s1, s2) }
    fn v_dot2_f32_f16(x: &mut Lane, s0: u32, s1: u32, s2: u32) -> u32 { dot2(x, halves(s0), halves(s1), s2) }
}

/// Splits a dword into halves, the low one first.
fn halves(dword: u32) -> [u16; 2] {
    [dword as u16, (dword >> 16) as u16]
}
