//! SOPC: scalar compares, and the two instructions of the encoding that set modes.

use gcnsim_isa::table::Sopc;
use gcnsim_isa::{Mode, WaveState, reg};

use super::op::{Exec, Shape, Step, exec};

macro_rules! compares {
    ($($Variant:ident $name:ident,)*) => {
        /// The function of an instruction whose sources have shapes `A` and `B`.
        pub(super) fn step<A: Shape, B: Shape>(op: Sopc) -> Step {
            match op {
                $(Sopc::$Variant => exec!($name(s0, s1)),)*
                Sopc::SSetvskip => exec!(s_setvskip(s0, s1, state)),
                Sopc::SSetGprIdxOn => exec!(s_set_gpr_idx_on(s0, field, state)),
            }
        }

        /// The function of a compare together with the next instruction, a branch that is taken if SCC is `TAKEN_IF`.
        pub(super) fn step_and_branch<A: Shape, B: Shape, const TAKEN_IF: bool>(op: Sopc) -> Option<Exec> {
            Some(match op {
                $(Sopc::$Variant => exec!($name(s0, s1) => if TAKEN_IF),)*
                Sopc::SSetvskip | Sopc::SSetGprIdxOn => return None,
            })
        }
    };
}

compares! {
    SCmpEqI32 s_cmp_eq_i32,
    SCmpLgI32 s_cmp_lg_i32,
    SCmpGtI32 s_cmp_gt_i32,
    SCmpGeI32 s_cmp_ge_i32,
    SCmpLtI32 s_cmp_lt_i32,
    SCmpLeI32 s_cmp_le_i32,
    SCmpEqU32 s_cmp_eq_u32,
    SCmpLgU32 s_cmp_lg_u32,
    SCmpGtU32 s_cmp_gt_u32,
    SCmpGeU32 s_cmp_ge_u32,
    SCmpLtU32 s_cmp_lt_u32,
    SCmpLeU32 s_cmp_le_u32,
    SBitcmp0B32 s_bitcmp0_b32,
    SBitcmp1B32 s_bitcmp1_b32,
    SBitcmp0B64 s_bitcmp0_b64,
    SBitcmp1B64 s_bitcmp1_b64,
    SCmpEqU64 s_cmp_eq_u64,
    SCmpLgU64 s_cmp_lg_u64,
}

fn s_cmp_eq_i32(s0: i32, s1: i32) -> bool {
    s0 == s1
}

fn s_cmp_lg_i32(s0: i32, s1: i32) -> bool {
    s0 != s1
}

fn s_cmp_gt_i32(s0: i32, s1: i32) -> bool {
    s0 > s1
}

fn s_cmp_ge_i32(s0: i32, s1: i32) -> bool {
    s0 >= s1
}

fn s_cmp_lt_i32(s0: i32, s1: i32) -> bool {
    s0 < s1
}

fn s_cmp_le_i32(s0: i32, s1: i32) -> bool {
    s0 <= s1
}

fn s_cmp_eq_u32(s0: u32, s1: u32) -> bool {
    s0 == s1
}

fn s_cmp_lg_u32(s0: u32, s1: u32) -> bool {
    s0 != s1
}

fn s_cmp_gt_u32(s0: u32, s1: u32) -> bool {
    s0 > s1
}

fn s_cmp_ge_u32(s0: u32, s1: u32) -> bool {
    s0 >= s1
}

fn s_cmp_lt_u32(s0: u32, s1: u32) -> bool {
    s0 < s1
}

fn s_cmp_le_u32(s0: u32, s1: u32) -> bool {
    s0 <= s1
}

fn s_bitcmp0_b32(s0: u32, s1: u32) -> bool {
    s0 >> (s1 & 31) & 1 == 0
}

fn s_bitcmp1_b32(s0: u32, s1: u32) -> bool {
    s0 >> (s1 & 31) & 1 == 1
}

fn s_bitcmp0_b64(s0: u64, s1: u32) -> bool {
    s0 >> (s1 & 63) & 1 == 0
}

fn s_bitcmp1_b64(s0: u64, s1: u32) -> bool {
    s0 >> (s1 & 63) & 1 == 1
}

/// MODE\[28\] = S0\[S1\[4:0\]\].
fn s_setvskip(s0: u32, s1: u32, state: &mut WaveState) {
    let bit = s0 >> (s1 & 31) & 1;
    state.mode = state.mode & !Mode::VSKIP | bit << Mode::VSKIP_BIT;
}

/// MODE\[27\] = 1; M0\[7:0\] = S0\[7:0\]; M0\[15:12\] = the immediate in the SSRC1 field. Bits \[15:8\] of `field` hold
/// that immediate.
fn s_set_gpr_idx_on(s0: u32, field: u16, state: &mut WaveState) {
    state.mode |= Mode::GPR_IDX_EN;
    let m0 = &mut state.sgpr[reg::M0 as usize];
    *m0 = *m0 & 0xffff_0f00 | (field as u32 >> 8 & 15) << 12 | s0 & 0xff;
}

fn s_cmp_eq_u64(s0: u64, s1: u64) -> bool {
    s0 == s1
}

fn s_cmp_lg_u64(s0: u64, s1: u64) -> bool {
    s0 != s1
}
