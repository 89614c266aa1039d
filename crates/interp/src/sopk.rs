//! SOPK: a 16-bit immediate. `s0` is SDST where the instruction reads it. SIMM16, extended as the row says, is `s1`, or
//! `s0` if it is the only source. So most instructions are those of SOP1, SOP2 and SOPC.

use super::op::step_of_rows;

gcnsim_isa::for_each_sopk!(step_of_rows);

/// The steps of all rows.
mod rows {
    pub use crate::fork::steps::s_cbranch_i_fork;
    pub use crate::hwreg::steps::{s_getreg_b32, s_setreg_b32, s_setreg_b32 as s_setreg_imm32_b32};
    pub use crate::jump::steps::s_call_b64;
    pub use crate::op::undocumented as s_getreg_regrd_b32;
    pub use crate::sop1::steps::{s_cmov_b32 as s_cmovk_i32, s_mov_b32 as s_movk_i32};
    pub use crate::sop2::steps::{s_add_i32 as s_addk_i32, s_mul_i32 as s_mulk_i32};
    pub use crate::sopc::steps::{
        s_cmp_eq_i32 as s_cmpk_eq_i32, s_cmp_eq_u32 as s_cmpk_eq_u32, s_cmp_ge_i32 as s_cmpk_ge_i32,
        s_cmp_ge_u32 as s_cmpk_ge_u32, s_cmp_gt_i32 as s_cmpk_gt_i32, s_cmp_gt_u32 as s_cmpk_gt_u32,
        s_cmp_le_i32 as s_cmpk_le_i32, s_cmp_le_u32 as s_cmpk_le_u32, s_cmp_lg_i32 as s_cmpk_lg_i32,
        s_cmp_lg_u32 as s_cmpk_lg_u32, s_cmp_lt_i32 as s_cmpk_lt_i32, s_cmp_lt_u32 as s_cmpk_lt_u32,
    };
}
