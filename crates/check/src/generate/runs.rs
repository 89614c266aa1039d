//! Long runs of vector instructions over many registers. They have more live values than the host has registers.
//! Compiled code puts their instructions into segments.
//!
//! Bodies of loops that compiled code executes for one strip of lanes after the other: vector instructions, loads, and
//! scalar instructions without effect but on registers.

use std::sync::OnceLock;

use gcnsim_isa::table::{Sop1, Sop2, Sopp};
use gcnsim_isa::{Arch, Encoding, Form, Inst, reg};

use super::Generator;
use super::rows::{Row, memory_rows, rows};

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

/// Scalar instructions among those of a loop's body.
const SCALARS: &str = "s_add_u32 s_addc_u32 s_sub_u32 s_and_b32 s_xor_b32 s_lshl_b32 s_mul_i32 s_cselect_b32 s_and_b64";

impl Generator {
    /// Writes the body of a loop. Now and then the loop has another one within it, which a lane mask ends.
    pub(super) fn body_of_vectors(&mut self) {
        let kind = self.rng.below(KINDS.len() as u32) as usize;
        match self.rng.below(6) {
            0 => self.loop_by_mask(kind),
            1 => self.loop_that_lanes_leave(kind),
            _ => {}
        }
        self.vectors_and_loads(kind, 30);
    }

    /// Writes a loop that shifts a bit out of a register, until a compare with zero finds a lane, or finds all, where it
    /// is gone. The budget ends it if its body writes the register.
    fn loop_by_mask(&mut self, kind: usize) {
        let (count, vcc_of) = (self.vgpr(1), |op: u32, count: u32| 0x7c00_0000 | op << 17 | count << 9 | 128);
        let is_new = self.arch().is_gcn12_or_later();
        let [shift, equal, other] = if is_new { [16, 202, 205] } else { [22, 194, 197] };
        // v_mov_b32 count, 2 to 64
        self.asm.word(0x7e00_0200 | count << 17 | (130 + self.rng.below(63)));
        let top = self.asm.label();
        self.asm.place(top);
        self.vectors_and_loads(kind, 8);
        // v_lshrrev_b32 count, 1, count
        self.asm.word(shift << 25 | count << 17 | count << 9 | 129);
        let (compare, back) =
            if self.rng.percent(50) { (equal, Sopp::SCbranchVccz) } else { (other, Sopp::SCbranchVccnz) };
        self.asm.word(vcc_of(compare, count));
        self.asm.branch(self.new_inst(back), top);
    }

    /// Writes a loop that lanes leave one by one: those where a register has no bit left. The budget ends it if its body
    /// writes the register.
    fn loop_that_lanes_leave(&mut self, kind: usize) {
        let (count, from, done) = (self.vgpr(1), self.vgpr(1), self.pool_register(true) & !1);
        let is_new = self.arch().is_gcn12_or_later();
        let [shift, equal] = if is_new { [16, 202] } else { [22, 194] };
        if self.rng.percent(90) {
            self.emit(self.new_inst(Sop1::SMovB64).dst(done).src(0, 128));
        }
        // v_lshrrev_b32 count, 20 to 31, from
        self.asm.word(shift << 25 | count << 17 | from << 9 | (148 + self.rng.below(12)));
        let top = self.asm.label();
        self.asm.place(top);
        self.lanes(kind, 6);
        // v_lshrrev_b32 count, 1, count; v_cmp_eq_u32 vcc, 0, count
        self.asm.word(shift << 25 | count << 17 | count << 9 | 129);
        self.asm.word(0x7c00_0000 | equal << 17 | count << 9 | 128);
        let vcc = reg::VCC_LO as u32;
        let [first, second] = if self.rng.percent(50) { [vcc, done] } else { [done, vcc] };
        self.emit(self.new_inst(Sop2::SOrB64).dst(done).src(0, first).src(1, second));
        self.lanes(kind, 2);
        let exec = reg::EXEC_LO as u32;
        self.emit(self.new_inst(Sop2::SAndn2B64).dst(exec).src(0, exec).src(1, done));
        self.asm.branch(self.new_inst(Sopp::SCbranchExecnz), top);
        self.emit(self.new_inst(Sop2::SOrB64).dst(exec).src(0, exec).src(1, done));
    }

    /// Writes up to `most` vector instructions and vector loads.
    fn lanes(&mut self, kind: usize, most: u32) {
        for _ in 0..self.rng.below(most + 1) {
            if self.style.memory.is_some() && self.rng.one_in(4) {
                let loads: Vec<Row> =
                    memory_rows(self.arch()).iter().filter(|row| is_vector_load(row)).copied().collect();
                let row = self.rng.pick(&loads);
                self.memory_row(row);
                continue;
            }
            let row = self.rng.pick(&run_rows(self.arch())[kind]);
            if let Some(inst) = self.vector_inst(row).filter(keeps_together) {
                self.asm.inst(&inst);
            }
        }
    }

    fn vectors_and_loads(&mut self, kind: usize, most: u32) {
        let arch = self.arch();
        let is_scalar = |row: &&Row| SCALARS.split_whitespace().any(|m| m == row.desc.mnemonic);
        let scalars: Vec<Row> = rows()[arch as usize].iter().filter(is_scalar).copied().collect();
        let is_load = |row: &&Row| {
            let is_scalar = matches!(row.desc.encoding, Encoding::Smem | Encoding::Smrd);
            is_vector_load(row) || is_scalar && row.desc.mnemonic.contains("load")
        };
        let loads: Vec<Row> = memory_rows(arch).iter().filter(is_load).copied().collect();
        for _ in 0..self.rng.between(1, most) {
            match self.rng.below(10) {
                0 => {
                    let row = self.rng.pick(&scalars);
                    self.row(row);
                }
                1 if self.style.memory.is_some() => {
                    let row = self.rng.pick(&loads);
                    self.memory_row(row);
                }
                _ => {
                    let row = self.rng.pick(&run_rows(arch)[kind]);
                    if let Some(inst) = self.vector_inst(row).filter(keeps_together) {
                        self.asm.inst(&inst);
                    }
                }
            }
        }
    }
}

/// Whether a row loads VGPRs from memory or LDS.
fn is_vector_load(row: &Row) -> bool {
    let mnemonic = row.desc.mnemonic;
    mnemonic.starts_with("global_load") || mnemonic.starts_with("flat_load") || mnemonic.starts_with("ds_read")
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
