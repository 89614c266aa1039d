//! Long runs of vector instructions over many registers: more values at once than the host has registers.

use std::sync::OnceLock;

use gcnsim_isa::{Arch, Form};

use super::Generator;
use super::rows::{Row, rows};

/// What runs consist of: instructions that compiled code keeps together.
const COMMON: &str = "v_mov_b32 v_not_b32 v_bfrev_b32 v_cvt_f32_u32 v_cvt_f32_i32 v_cvt_u32_f32 v_cvt_f64_f32 \
    v_cndmask_b32 v_and_b32 v_or_b32 v_xor_b32 v_lshlrev_b32 v_lshrrev_b32 v_ashrrev_i32 v_min_u32 v_max_i32 v_min_f32 \
    v_max_f32 v_add_f32 v_sub_f32 v_mul_f32 v_mac_f32 v_mul_u32_u24 v_add_i32 v_sub_i32 v_subrev_i32 v_addc_u32 \
    v_subb_u32 v_add_u32 v_sub_u32 v_add_co_u32 v_sub_co_u32 v_subrev_co_u32 v_addc_co_u32 v_subb_co_u32 v_mad_f32 \
    v_fma_f32 v_fma_f64 v_add_f64 v_mul_f64 v_mad_u32_u24 v_bfe_u32 v_bfi_b32 v_alignbit_b32 v_mul_lo_u32 v_mul_hi_u32 \
    v_min3_u32 v_med3_i32 v_sad_u32 v_add3_u32 v_lshl_add_u32 v_and_or_b32 v_xad_u32 v_lshlrev_b64 v_mad_u64_u32 \
    v_cmp_lt_u32 v_cmp_gt_i32 v_cmp_ne_u32 v_cmp_eq_u64 v_cmp_gt_u64 v_cmp_lt_i64 v_cmp_lt_f32 v_cmp_ngt_f32 \
    v_cmp_ge_f64 v_cmp_class_f32";

/// Their rows, without those in SDWA and DPP form.
fn common_rows(arch: Arch) -> &'static [Row] {
    static ROWS: OnceLock<[Vec<Row>; 5]> = OnceLock::new();
    let of = |arch: Arch| {
        let is_common = |row: &&Row| {
            let is_long_or_short = matches!(row.form, Form::Plain | Form::Vop3);
            is_long_or_short && COMMON.split_whitespace().any(|mnemonic| mnemonic == row.desc.mnemonic)
        };
        rows()[arch as usize].iter().filter(is_common).copied().collect()
    };
    &ROWS.get_or_init(|| Arch::ALL.map(of))[arch as usize]
}

impl Generator {
    /// Writes a run.
    pub(super) fn run_of_vectors(&mut self) {
        let rows = common_rows(self.arch());
        for _ in 0..self.rng.between(30, 200) {
            let row = self.rng.pick(rows);
            if row.is_core() { self.row(row) } else { self.vector_row(row) }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_mnemonic_of_runs_is_one() {
        for mnemonic in COMMON.split_whitespace() {
            let is_there = |arch: &Arch| common_rows(*arch).iter().any(|row| row.desc.mnemonic == mnemonic);
            assert!(Arch::ALL.iter().any(is_there), "{mnemonic}");
        }
    }
}
