//! SOPC: scalar compares.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, Value};
use gcnsim_isa::{Inst, Mode, reg};

use super::Lower;
use super::sop1::set_gpr_index;

gcnsim_isa::for_each_sopc!(lowerings);

/// Makes the lowerings of compares: SCC = S0 condition S1.
macro_rules! compares {
    ($($name:ident = $condition:ident;)*) => { $(
        pub(super) fn $name(l: &mut Lower<'_, '_>, inst: &Inst) {
            let (a, b) = (l.src(inst, 0), l.src(inst, 1));
            let scc = l.compare(IntCC::$condition, a, b);
            l.set_scc(scc);
        }
    )* };
}

compares! {
    s_cmp_eq_i32 = Equal;
    s_cmp_lg_i32 = NotEqual;
    s_cmp_gt_i32 = SignedGreaterThan;
    s_cmp_ge_i32 = SignedGreaterThanOrEqual;
    s_cmp_lt_i32 = SignedLessThan;
    s_cmp_le_i32 = SignedLessThanOrEqual;
    s_cmp_eq_u32 = Equal;
    s_cmp_lg_u32 = NotEqual;
    s_cmp_gt_u32 = UnsignedGreaterThan;
    s_cmp_ge_u32 = UnsignedGreaterThanOrEqual;
    s_cmp_lt_u32 = UnsignedLessThan;
    s_cmp_le_u32 = UnsignedLessThanOrEqual;
    s_cmp_eq_u64 = Equal;
    s_cmp_lg_u64 = NotEqual;
}

fn s_bitcmp0_b32(l: &mut Lower<'_, '_>, inst: &Inst) {
    test_bit(l, inst, IntCC::Equal);
}
use s_bitcmp0_b32 as s_bitcmp0_b64;

fn s_bitcmp1_b32(l: &mut Lower<'_, '_>, inst: &Inst) {
    test_bit(l, inst, IntCC::NotEqual);
}
use s_bitcmp1_b32 as s_bitcmp1_b64;

/// SCC = bit S1 of S0 cc 0.
fn test_bit(l: &mut Lower<'_, '_>, inst: &Inst, cc: IntCC) {
    let bit = match l.constant(inst, 1) {
        Some(number) => {
            let value = l.src(inst, 0);
            let mask = 1u64 << (number & (inst.src_type(0).bits() as u64 - 1));
            l.b.ins().band_imm_u(value, mask as i64)
        }
        None => tested_bit(l, inst),
    };
    let scc = l.b.ins().icmp_imm_u(cc, bit, 0);
    l.set_scc(scc);
}

/// Bit S1 of S0, as 0 or 1. CLIF shifts take the amount modulo the width, as GCN takes the bit number.
fn tested_bit(l: &mut Lower<'_, '_>, inst: &Inst) -> Value {
    let (value, amount) = (l.src(inst, 0), l.src32(inst, 1));
    let shifted = l.b.ins().ushr(value, amount);
    l.b.ins().band_imm_u(shifted, 1)
}

fn s_setvskip(l: &mut Lower<'_, '_>, inst: &Inst) {
    let bit = tested_bit(l, inst);
    let bit = l.b.ins().ishl_imm_u(bit, Mode::VSKIP_BIT as i64);
    let mode = l.mode();
    let rest = l.b.ins().band_imm_u(mode, !Mode::VSKIP as i64);
    let mode = l.b.ins().bor(rest, bit);
    l.set_mode(mode);
}

fn s_set_gpr_idx_on(l: &mut Lower<'_, '_>, inst: &Inst) {
    let index = l.src32(inst, 0);
    set_gpr_index(l, index);
    let m0 = l.regs.read32(l.b, reg::M0);
    let rest = l.b.ins().band_imm_u(m0, 0xffff_0fff);
    let m0 = l.b.ins().bor_imm_u(rest, ((inst.ssrc1_field() & 15) << 12) as i64);
    l.regs.write32(l.b, reg::M0, m0);
    let mode = l.mode();
    let mode = l.b.ins().bor_imm_u(mode, Mode::GPR_IDX_EN as i64);
    l.set_mode(mode);
}
