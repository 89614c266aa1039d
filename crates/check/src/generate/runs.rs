//! Long runs of vector instructions over many registers. They have more live values than the host has registers.
//! Compiled code puts their instructions into segments.

use std::sync::OnceLock;

use gcnsim_isa::{Arch, Encoding, Form, Inst, reg};

use super::Generator;
use super::rows::{Row, rows};

/// Instructions of integers.
const INTEGERS: &str = "v_mov_b32 v_not_b32 v_bfrev_b32 v_cndmask_b32 v_and_b32 v_or_b32 v_xor_b32 v_lshlrev_b32 \
    v_lshrrev_b32 v_ashrrev_i32 v_min_u32 v_max_i32 v_mul_u32_u24 v_add_i32 v_sub_i32 v_subrev_i32 v_addc_u32 \
    v_subb_u32 v_add_u32 v_sub_u32 v_add_co_u32 v_sub_co_u32 v_subrev_co_u32 v_addc_co_u32 v_subb_co_u32 \
    v_mad_u32_u24 v_bfe_u32 v_bfi_b32 v_alignbit_b32 v_mul_lo_u32 v_mul_hi_u32 v_min3_u32 v_med3_i32 v_sad_u32 \
    v_add3_u32 v_lshl_add_u32 v_and_or_b32 v_xad_u32 v_lshlrev_b64 v_cmp_lt_u32 v_cmp_gt_i32 v_cmp_ne_u32 \
    v_cmp_eq_u64 v_cmp_gt_u64 v_cmp_lt_i64";
/// Instructions of 32-bit floats.
const FLOATS: &str = "v_cvt_f32_u32 v_cvt_f32_i32 v_cvt_u32_f32 v_min_f32 v_max_f32 v_add_f32 v_sub_f32 v_mul_f32 \
    v_fma_f32 v_mad_f32 v_mac_f32 v_cmp_lt_f32 v_cmp_ngt_f32 v_cmp_class_f32";
/// Instructions of 64-bit floats.
const DOUBLES: &str = "v_cvt_f64_u32 v_cvt_i32_f64 v_fma_f64 v_add_f64 v_mul_f64 v_cmp_ge_f64";

/// Kinds of runs: integers, and integers with floats of 32 or 64 bits.
const KINDS: [[&str; 2]; 3] = [[INTEGERS, ""], [INTEGERS, FLOATS], [INTEGERS, DOUBLES]];

/// Returns the rows of each kind. Lane masks go to VCC, so that no mask is read as a scalar.
fn run_rows(arch: Arch) -> &'static [Vec<Row>; 3] {
    static ROWS: OnceLock<[[Vec<Row>; 3]; Arch::ALL.len()]> = OnceLock::new();
    let of = |arch: Arch| {
        KINDS.map(|[some, others]| {
            let is_named =
                |mnemonic: &str| [some, others].iter().any(|list| list.split_whitespace().any(|m| m == mnemonic));
            let is_plain = |row: &Row| row.form == Form::Plain || row.desc.encoding == Encoding::Vop3;
            let has = |row: &&Row| is_plain(row) && is_named(row.desc.mnemonic);
            rows()[arch as usize].iter().filter(has).copied().collect()
        })
    };
    &ROWS.get_or_init(|| Arch::ALL.map(of))[arch as usize]
}

impl Generator {
    /// Writes a run.
    pub(super) fn run_of_vectors(&mut self) {
        let kind = self.rng.below(KINDS.len() as u32) as usize;
        let rows = &run_rows(self.arch())[kind];
        for _ in 0..self.rng.between(50, 300) {
            let row = self.rng.pick(rows);
            if let Some(inst) = self.vector_inst(row).filter(keeps_together) {
                self.asm.inst(&inst);
            }
        }
    }
}

/// Whether compiled code keeps the instruction in the segment of those before it. An instruction that reads VCC as a
/// scalar waits for the lane mask of a compare, so it ends the segment.
fn keeps_together(inst: &Inst) -> bool {
    let vcc = reg::VCC_LO as u32..=reg::VCC_HI as u32;
    let reads_vcc = (0..inst.src_count()).any(|i| inst.src_code(i).is_some_and(|code| vcc.contains(&code)));
    !reads_vcc && !inst.clamp() && inst.omod() == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_mnemonic_of_runs_is_one() {
        for mnemonic in [INTEGERS, FLOATS, DOUBLES].iter().flat_map(|list| list.split_whitespace()) {
            let is_there = |row: &Row| row.desc.mnemonic == mnemonic;
            let found = Arch::ALL.iter().flat_map(|&arch| run_rows(arch)).flatten().any(is_there);
            assert!(found, "{mnemonic}");
        }
    }
}
