//! VINTRP: interpolation in binary32. There is one function per instruction: its arguments are P10 or P20 of the
//! attribute, the barycentric coordinate, and P0 or the destination (`vector/interpolation.rs`).

use super::vector::op::action_of_rows;
use crate::float::F32;
use crate::float::arith::mad;
use crate::vector::body::float_lanes;
use crate::vector::lane::Lane;

gcnsim_isa::for_each_vintrp!(action_of_rows);

float_lanes! {
    fn v_interp_p1_f32(x: &mut Lane, s0: u32, s1: u32, s2: u32) -> u32 => fast::v_mad_f32 { mad::<F32>(x, s0, s1, s2) }
    fn v_interp_p2_f32(x: &mut Lane, s0: u32, s1: u32, s2: u32) -> u32 => fast::v_mad_f32 { mad::<F32>(x, s0, s1, s2) }
    fn v_interp_mov_f32(s0: u32) -> u32 { s0 }
}
