//! VOP2: two vector sources. There is one function per instruction: its arguments are the sources, its result is the
//! destination.

pub(super) mod float;
pub(super) mod int;

use gcnsim_isa::Vop2;

use super::vector::op::action_of_rows;

gcnsim_isa::for_each_vop2!(action_of_rows);

/// The actions of all rows.
mod rows {
    pub use super::float::rows::*;
    pub use super::int::rows::*;
    pub use crate::vector::special::rows::{v_readlane_b32, v_writelane_b32};
    // The names of GCN 1.4 stand for the older ones: V_ADD_I32 before 1.2, and V_ADD_U32 of 1.2, which has a carry.
    pub use super::int::rows::{
        v_add_co_u32 as v_add_i32, v_add_co_u32 as v_add_u32_carry, v_addc_co_u32 as v_addc_u32,
        v_sub_co_u32 as v_sub_i32, v_sub_co_u32 as v_sub_u32_carry, v_subb_co_u32 as v_subb_u32,
        v_subbrev_co_u32 as v_subbrev_u32, v_subrev_co_u32 as v_subrev_i32, v_subrev_co_u32 as v_subrev_u32_carry,
    };
}

/// Whether the old destination is an addend.
pub(super) fn accumulates(op: Vop2) -> bool {
    matches!(op, Vop2::VMacF32 | Vop2::VMacF16 | Vop2::VMacLegacyF32 | Vop2::VFmacF32)
}
