//! VOP1: one vector source. There is one function per instruction: its arguments are the sources, its result is the
//! destination.

pub(super) mod float;
pub(super) mod int;

use super::vector::op::action_of_rows;

gcnsim_isa::for_each_vop1!(action_of_rows);

/// The actions of all rows.
mod rows {
    pub use super::float::rows::*;
    pub use super::int::rows::*;
    pub use crate::vector::special::rows::{
        nothing as v_nop, nothing as v_clrexcp, v_movreld_b32, v_movrels_b32, v_movrelsd_b32, v_readfirstlane_b32,
        v_swap_b32,
    };
    // Rows that are not executed have `nothing`.
    pub use crate::vector::special::rows::{nothing as v_mov_prsv_b32, nothing as v_writelane_regwr_b32};
}
