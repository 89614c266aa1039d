//! Interpolation of binary16 attributes, over the values of one lane: P10 or P20, the barycentric coordinate, and P0 or
//! source 2 (`vector/interpolation.rs`).

use crate::float::F32;
use crate::float::arith::{mad, mad_to_f16};
use crate::float::convert::widen_f16;
use crate::vector::body::float_lanes;
use crate::vector::lane::Lane;

float_lanes! {
    fn v_interp_p1ll_f16(x: &mut Lane, s0: u16, s1: u32, s2: u16) -> u32 {
        mad::<F32>(x, widen_f16(s0), s1, widen_f16(s2))
    }
    fn v_interp_p1lv_f16(x: &mut Lane, s0: u16, s1: u32, s2: u16) -> u32 {
        mad::<F32>(x, widen_f16(s0), s1, widen_f16(s2))
    }
    fn v_interp_p2_f16(x: &mut Lane, s0: u16, s1: u32, s2: u32) -> u16 { mad_to_f16(x, widen_f16(s0), s1, s2) }
    fn v_interp_p2_legacy_f16(x: &mut Lane, s0: u16, s1: u32, s2: u32) -> u16 { mad_to_f16(x, widen_f16(s0), s1, s2) }
}
