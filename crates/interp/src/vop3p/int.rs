//! Packed integers of VOP3P (docs/gcn/valu-packed.md#vop3p), over one half of a lane: see [`Lane`].

use crate::vector::body::halves;
use crate::vector::lane::Lane;
use crate::vop3::int::{v_add_i16, v_mad_i16, v_mad_u16, v_sub_i16};

halves! {
    fn v_pk_mad_i16(x: &mut Lane, s0: i16, s1: i16, s2: i16) -> i16 { v_mad_i16(x, s0, s1, s2) }
    fn v_pk_mad_u16(x: &mut Lane, s0: u16, s1: u16, s2: u16) -> u16 { v_mad_u16(x, s0, s1, s2) }

    fn v_pk_mul_lo_u16(s0: u16, s1: u16) -> u16 {
        // CLAMP is legal and ignored.
        s0.wrapping_mul(s1)
    }

    fn v_pk_add_i16(x: &mut Lane, s0: i16, s1: i16) -> i16 { v_add_i16(x, s0, s1) }
    fn v_pk_sub_i16(x: &mut Lane, s0: i16, s1: i16) -> i16 { v_sub_i16(x, s0, s1) }

    fn v_pk_add_u16(x: &mut Lane, s0: u16, s1: u16) -> u16 {
        if x.clamp { s0.saturating_add(s1) } else { s0.wrapping_add(s1) }
    }

    fn v_pk_sub_u16(x: &mut Lane, s0: u16, s1: u16) -> u16 {
        if x.clamp { s0.saturating_sub(s1) } else { s0.wrapping_sub(s1) }
    }

    fn v_pk_lshlrev_b16(s0: u16, s1: u16) -> u16 { s1 << (s0 & 15) }
    fn v_pk_lshrrev_b16(s0: u16, s1: u16) -> u16 { s1 >> (s0 & 15) }
    fn v_pk_ashrrev_i16(s0: u16, s1: i16) -> i16 { s1 >> (s0 & 15) }
    fn v_pk_max_i16(s0: i16, s1: i16) -> i16 { s0.max(s1) }
    fn v_pk_min_i16(s0: i16, s1: i16) -> i16 { s0.min(s1) }
    fn v_pk_max_u16(s0: u16, s1: u16) -> u16 { s0.max(s1) }
    fn v_pk_min_u16(s0: u16, s1: u16) -> u16 { s0.min(s1) }
}
