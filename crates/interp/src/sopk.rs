//! SOPK: a 16-bit immediate. `s0` is SDST where the instruction reads it. SIMM16, extended as the row says, is `s1`, or
//! `s0` if it is the only source.

use gcnsim_isa::table::Sopk;

use super::fork::s_cbranch_i_fork;
use super::hwreg::{s_getreg_b32, s_setreg_b32, s_setreg_imm32_b32};
use super::jump::s_call_b64;
use super::op::{Role, Shape, Step, exec};

/// The function of an instruction whose sources have shapes `A` and `B`.
pub(super) fn step<A: Shape, B: Shape>(op: Sopk) -> Step {
    match op {
        Sopk::SMovkI32 => exec!(s_movk_i32(s0)),
        Sopk::SCmovkI32 => exec!(s_cmovk_i32(s0, scc)),
        Sopk::SCmpkEqI32 => exec!(s_cmpk_eq_i32(s0, s1)),
        Sopk::SCmpkLgI32 => exec!(s_cmpk_lg_i32(s0, s1)),
        Sopk::SCmpkGtI32 => exec!(s_cmpk_gt_i32(s0, s1)),
        Sopk::SCmpkGeI32 => exec!(s_cmpk_ge_i32(s0, s1)),
        Sopk::SCmpkLtI32 => exec!(s_cmpk_lt_i32(s0, s1)),
        Sopk::SCmpkLeI32 => exec!(s_cmpk_le_i32(s0, s1)),
        Sopk::SCmpkEqU32 => exec!(s_cmpk_eq_u32(s0, s1)),
        Sopk::SCmpkLgU32 => exec!(s_cmpk_lg_u32(s0, s1)),
        Sopk::SCmpkGtU32 => exec!(s_cmpk_gt_u32(s0, s1)),
        Sopk::SCmpkGeU32 => exec!(s_cmpk_ge_u32(s0, s1)),
        Sopk::SCmpkLtU32 => exec!(s_cmpk_lt_u32(s0, s1)),
        Sopk::SCmpkLeU32 => exec!(s_cmpk_le_u32(s0, s1)),
        Sopk::SAddkI32 => exec!(s_addk_i32(s0, s1)),
        Sopk::SMulkI32 => exec!(s_mulk_i32(s0, s1)),
        Sopk::SCbranchIFork => exec!(s_cbranch_i_fork(s0, target, next, state) => Computed),
        Sopk::SGetregB32 => exec!(s_getreg_b32(field, next, scc, state)),
        Sopk::SSetregB32 => exec!(s_setreg_b32(s0, field, state)),
        Sopk::SGetregRegrdB32 => Step::stop(Role::Stop),
        Sopk::SSetregImm32B32 => exec!(s_setreg_imm32_b32(s0, field, state)),
        Sopk::SCallB64 => exec!(s_call_b64(next) => Target),
    }
}

fn s_movk_i32(s0: i32) -> i32 {
    s0
}

fn s_cmovk_i32(s0: i32, scc: bool) -> Option<i32> {
    scc.then_some(s0)
}

fn s_cmpk_eq_i32(s0: i32, s1: i32) -> bool {
    s0 == s1
}

fn s_cmpk_lg_i32(s0: i32, s1: i32) -> bool {
    s0 != s1
}

fn s_cmpk_gt_i32(s0: i32, s1: i32) -> bool {
    s0 > s1
}

fn s_cmpk_ge_i32(s0: i32, s1: i32) -> bool {
    s0 >= s1
}

fn s_cmpk_lt_i32(s0: i32, s1: i32) -> bool {
    s0 < s1
}

fn s_cmpk_le_i32(s0: i32, s1: i32) -> bool {
    s0 <= s1
}

fn s_cmpk_eq_u32(s0: u32, s1: u32) -> bool {
    s0 == s1
}

fn s_cmpk_lg_u32(s0: u32, s1: u32) -> bool {
    s0 != s1
}

fn s_cmpk_gt_u32(s0: u32, s1: u32) -> bool {
    s0 > s1
}

fn s_cmpk_ge_u32(s0: u32, s1: u32) -> bool {
    s0 >= s1
}

fn s_cmpk_lt_u32(s0: u32, s1: u32) -> bool {
    s0 < s1
}

fn s_cmpk_le_u32(s0: u32, s1: u32) -> bool {
    s0 <= s1
}

fn s_addk_i32(s0: i32, s1: i32) -> (i32, bool) {
    s0.overflowing_add(s1)
}

fn s_mulk_i32(s0: i32, s1: i32) -> i32 {
    s0.wrapping_mul(s1)
}
