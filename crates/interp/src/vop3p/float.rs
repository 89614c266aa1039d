//! Packed floats of VOP3P, over one half of a lane: see [`Lane`].

use crate::float::F16;
use crate::float::arith::{add, fma, mul};
use crate::float::order::{max, min};
use crate::vector::body::float_halves;
use crate::vector::lane::Lane;

float_halves! {
    fn v_pk_add_f16(x: &mut Lane, s0: u16, s1: u16) -> u16 { add::<F16>(x, s0, s1) }
    fn v_pk_mul_f16(x: &mut Lane, s0: u16, s1: u16) -> u16 { mul::<F16>(x, s0, s1) }
    fn v_pk_min_f16(x: &mut Lane, s0: u16, s1: u16) -> u16 { min::<F16>(x, s0, s1) }
    fn v_pk_max_f16(x: &mut Lane, s0: u16, s1: u16) -> u16 { max::<F16>(x, s0, s1) }
    fn v_pk_fma_f16(x: &mut Lane, s0: u16, s1: u16, s2: u16) -> u16 { fma::<F16>(x, s0, s1, s2) }
}
