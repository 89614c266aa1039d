//! SOP1: one scalar source. There is one function per instruction. Its arguments are the source (and SCC, EXEC or the
//! old SDST where they are read); its results are SDST (and SCC where it is written).

use gcnsim_isa::WaveState;

use super::op::{Op, Store, step_of_rows, steps};
use super::sop2::{non_zero_b32, non_zero_b64};

gcnsim_isa::for_each_sop1!(step_of_rows);

/// The steps of all rows.
mod rows {
    pub use super::steps::s_mov_b32 as s_mov_fed_b32;
    pub use super::steps::*;
    pub use crate::fork::steps::s_cbranch_join;
    pub use crate::gpr_idx::steps::s_set_gpr_idx_idx;
    pub use crate::jump::steps::{s_getpc_b64, s_setpc_b64 as s_rfe_b64, s_setpc_b64, s_swappc_b64};
    pub use crate::movrel::steps::{s_movreld_b32, s_movreld_b64, s_movrels_b32, s_movrels_b64};
    pub use crate::op::undocumented as s_mov_regrd_b32;
}

steps! {
    fn s_mov_b32(s0: u32) -> u32 { s0 }
    fn s_mov_b64(s0: u64) -> u64 { s0 }
    fn s_cmov_b32(s0: u32, scc: bool) -> Option<u32> { scc.then_some(s0) }
    fn s_cmov_b64(s0: u64, scc: bool) -> Option<u64> { scc.then_some(s0) }
    fn s_not_b32(s0: u32) -> (u32, bool) { non_zero_b32(!s0) }
    fn s_not_b64(s0: u64) -> (u64, bool) { non_zero_b64(!s0) }

    /// Whole quad mode: each group of four bits becomes all ones if one of them is set.
    fn s_wqm_b32(s0: u32) -> (u32, bool) { non_zero_b32(s_wqm_b64(s0 as u64).0 as u32) }

    fn s_wqm_b64(s0: u64) -> (u64, bool) {
        let quads = (s0 | s0 >> 1 | s0 >> 2 | s0 >> 3) & 0x1111_1111_1111_1111;
        non_zero_b64(quads * 15)
    }

    fn s_brev_b32(s0: u32) -> u32 { s0.reverse_bits() }
    fn s_brev_b64(s0: u64) -> u64 { s0.reverse_bits() }
    fn s_bcnt0_i32_b32(s0: u32) -> (u32, bool) { non_zero_b32(s0.count_zeros()) }
    fn s_bcnt0_i32_b64(s0: u64) -> (u32, bool) { non_zero_b32(s0.count_zeros()) }
    fn s_bcnt1_i32_b32(s0: u32) -> (u32, bool) { non_zero_b32(s0.count_ones()) }
    fn s_bcnt1_i32_b64(s0: u64) -> (u32, bool) { non_zero_b32(s0.count_ones()) }
    fn s_ff0_i32_b32(s0: u32) -> i32 { s_ff1_i32_b32(!s0) }
    fn s_ff0_i32_b64(s0: u64) -> i32 { s_ff1_i32_b64(!s0) }
    fn s_ff1_i32_b32(s0: u32) -> i32 { if s0 == 0 { -1 } else { s0.trailing_zeros() as i32 } }
    fn s_ff1_i32_b64(s0: u64) -> i32 { if s0 == 0 { -1 } else { s0.trailing_zeros() as i32 } }
    fn s_flbit_i32_b32(s0: u32) -> i32 { if s0 == 0 { -1 } else { s0.leading_zeros() as i32 } }
    fn s_flbit_i32_b64(s0: u64) -> i32 { if s0 == 0 { -1 } else { s0.leading_zeros() as i32 } }

    /// The number of leading bits equal to the sign bit; -1 if all are.
    fn s_flbit_i32(s0: i32) -> i32 { s_flbit_i32_b32((if s0 < 0 { !s0 } else { s0 }) as u32) }

    fn s_flbit_i32_i64(s0: i64) -> i32 { s_flbit_i32_b64((if s0 < 0 { !s0 } else { s0 }) as u64) }
    fn s_sext_i32_i8(s0: u32) -> i32 { s0 as i8 as i32 }
    fn s_sext_i32_i16(s0: u32) -> i32 { s0 as i16 as i32 }
    fn s_bitset0_b32(dst: u32, s0: u32) -> u32 { dst & !(1 << (s0 & 31)) }
    fn s_bitset0_b64(dst: u64, s0: u32) -> u64 { dst & !(1 << (s0 & 63)) }
    fn s_bitset1_b32(dst: u32, s0: u32) -> u32 { dst | 1 << (s0 & 31) }
    fn s_bitset1_b64(dst: u64, s0: u32) -> u64 { dst | 1 << (s0 & 63) }
    fn s_and_saveexec_b64(s0: u64, exec: u64) -> ExecAndSdst { ExecAndSdst { exec: s0 & exec, sdst: exec } }
    fn s_or_saveexec_b64(s0: u64, exec: u64) -> ExecAndSdst { ExecAndSdst { exec: s0 | exec, sdst: exec } }
    fn s_xor_saveexec_b64(s0: u64, exec: u64) -> ExecAndSdst { ExecAndSdst { exec: s0 ^ exec, sdst: exec } }
    fn s_andn2_saveexec_b64(s0: u64, exec: u64) -> ExecAndSdst { ExecAndSdst { exec: s0 & !exec, sdst: exec } }
    fn s_orn2_saveexec_b64(s0: u64, exec: u64) -> ExecAndSdst { ExecAndSdst { exec: s0 | !exec, sdst: exec } }
    fn s_nand_saveexec_b64(s0: u64, exec: u64) -> ExecAndSdst { ExecAndSdst { exec: !(s0 & exec), sdst: exec } }
    fn s_nor_saveexec_b64(s0: u64, exec: u64) -> ExecAndSdst { ExecAndSdst { exec: !(s0 | exec), sdst: exec } }
    fn s_xnor_saveexec_b64(s0: u64, exec: u64) -> ExecAndSdst { ExecAndSdst { exec: !(s0 ^ exec), sdst: exec } }
    fn s_andn1_saveexec_b64(s0: u64, exec: u64) -> ExecAndSdst { ExecAndSdst { exec: !s0 & exec, sdst: exec } }
    fn s_orn1_saveexec_b64(s0: u64, exec: u64) -> ExecAndSdst { ExecAndSdst { exec: !s0 | exec, sdst: exec } }
    fn s_andn1_wrexec_b64(s0: u64, exec: u64) -> ExecAndSdst { ExecAndSdst { exec: !s0 & exec, sdst: !s0 & exec } }
    fn s_andn2_wrexec_b64(s0: u64, exec: u64) -> ExecAndSdst { ExecAndSdst { exec: s0 & !exec, sdst: s0 & !exec } }

    /// Bit i of the result is set if a bit of group i of four bits is set.
    fn s_quadmask_b32(s0: u32) -> (u32, bool) {
        non_zero_b32((0..8).fold(0, |d, i| d | ((s0 >> (4 * i) & 15 != 0) as u32) << i))
    }

    fn s_quadmask_b64(s0: u64) -> (u64, bool) {
        non_zero_b64((0..16).fold(0, |d, i| d | ((s0 >> (4 * i) & 15 != 0) as u64) << i))
    }

    fn s_abs_i32(s0: i32) -> (u32, bool) { non_zero_b32(s0.unsigned_abs()) }

    /// Bits 2i and 2i+1 of the result are bit i of the source.
    fn s_bitreplicate_b64_b32(s0: u32) -> u64 { (0..32).fold(0, |d, i| d | (3 * (s0 as u64 >> i & 1)) << (2 * i)) }
}

/// The results of the save-exec and write-exec instructions. EXEC is written first: with SDST = EXEC, SDST's value
/// stays. SCC belongs to the value that was computed for EXEC.
struct ExecAndSdst {
    exec: u64,
    sdst: u64,
}

impl Store for ExecAndSdst {
    #[inline(always)]
    fn store(self, state: &mut WaveState, op: &Op, scc: bool) -> bool {
        state.set_exec(self.exec);
        self.sdst.store(state, op, scc);
        self.exec != 0
    }
}
