//! SOPK: a 16-bit immediate. SDST is a source in compares.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, Value, types};
use gcnsim_isa::table::Sopk;
use gcnsim_isa::{HwReg, Inst, Src, hwreg, reg};

use super::Lower;
use super::sop2::signed_add;
use crate::abi::offset;

pub(super) fn lower(l: &mut Lower<'_, '_>, op: Sopk, inst: &Inst, pc: u64) {
    match op {
        Sopk::SMovkI32 => lower_s_movk_i32(l, inst),
        Sopk::SCmovkI32 => lower_s_cmovk_i32(l, inst),
        Sopk::SCmpkEqI32 => lower_s_cmpk_eq_i32(l, inst),
        Sopk::SCmpkLgI32 => lower_s_cmpk_lg_i32(l, inst),
        Sopk::SCmpkGtI32 => lower_s_cmpk_gt_i32(l, inst),
        Sopk::SCmpkGeI32 => lower_s_cmpk_ge_i32(l, inst),
        Sopk::SCmpkLtI32 => lower_s_cmpk_lt_i32(l, inst),
        Sopk::SCmpkLeI32 => lower_s_cmpk_le_i32(l, inst),
        Sopk::SCmpkEqU32 => lower_s_cmpk_eq_u32(l, inst),
        Sopk::SCmpkLgU32 => lower_s_cmpk_lg_u32(l, inst),
        Sopk::SCmpkGtU32 => lower_s_cmpk_gt_u32(l, inst),
        Sopk::SCmpkGeU32 => lower_s_cmpk_ge_u32(l, inst),
        Sopk::SCmpkLtU32 => lower_s_cmpk_lt_u32(l, inst),
        Sopk::SCmpkLeU32 => lower_s_cmpk_le_u32(l, inst),
        Sopk::SAddkI32 => lower_s_addk_i32(l, inst),
        Sopk::SMulkI32 => lower_s_mulk_i32(l, inst),
        Sopk::SGetregB32 => lower_s_getreg_b32(l, inst, pc),
        Sopk::SSetregB32 => lower_s_setreg_b32(l, inst),
        Sopk::SSetregImm32B32 => lower_s_setreg_imm32_b32(l, inst),
        Sopk::SCbranchIFork | Sopk::SCallB64 => unreachable!("{op:?} ends its block"),
        Sopk::SGetregRegrdB32 => unreachable!("{op:?} is not executed"),
    }
}

fn lower_s_movk_i32(l: &mut Lower<'_, '_>, inst: &Inst) {
    let value = l.src32(inst, 0);
    l.set_dst(inst, value);
}

fn lower_s_cmovk_i32(l: &mut Lower<'_, '_>, inst: &Inst) {
    let (value, old, scc) = (l.src32(inst, 0), l.old_dst(inst), l.scc());
    let value = l.b.ins().select(scc, value, old);
    l.set_dst(inst, value);
}

fn compare(l: &mut Lower<'_, '_>, inst: &Inst, cc: IntCC) {
    let (a, b) = (l.src32(inst, 0), l.src32(inst, 1));
    let scc = l.compare(cc, a, b);
    l.set_scc(scc);
}

fn lower_s_cmpk_eq_i32(l: &mut Lower<'_, '_>, inst: &Inst) {
    compare(l, inst, IntCC::Equal);
}

fn lower_s_cmpk_lg_i32(l: &mut Lower<'_, '_>, inst: &Inst) {
    compare(l, inst, IntCC::NotEqual);
}

fn lower_s_cmpk_gt_i32(l: &mut Lower<'_, '_>, inst: &Inst) {
    compare(l, inst, IntCC::SignedGreaterThan);
}

fn lower_s_cmpk_ge_i32(l: &mut Lower<'_, '_>, inst: &Inst) {
    compare(l, inst, IntCC::SignedGreaterThanOrEqual);
}

fn lower_s_cmpk_lt_i32(l: &mut Lower<'_, '_>, inst: &Inst) {
    compare(l, inst, IntCC::SignedLessThan);
}

fn lower_s_cmpk_le_i32(l: &mut Lower<'_, '_>, inst: &Inst) {
    compare(l, inst, IntCC::SignedLessThanOrEqual);
}

fn lower_s_cmpk_eq_u32(l: &mut Lower<'_, '_>, inst: &Inst) {
    compare(l, inst, IntCC::Equal);
}

fn lower_s_cmpk_lg_u32(l: &mut Lower<'_, '_>, inst: &Inst) {
    compare(l, inst, IntCC::NotEqual);
}

fn lower_s_cmpk_gt_u32(l: &mut Lower<'_, '_>, inst: &Inst) {
    compare(l, inst, IntCC::UnsignedGreaterThan);
}

fn lower_s_cmpk_ge_u32(l: &mut Lower<'_, '_>, inst: &Inst) {
    compare(l, inst, IntCC::UnsignedGreaterThanOrEqual);
}

fn lower_s_cmpk_lt_u32(l: &mut Lower<'_, '_>, inst: &Inst) {
    compare(l, inst, IntCC::UnsignedLessThan);
}

fn lower_s_cmpk_le_u32(l: &mut Lower<'_, '_>, inst: &Inst) {
    compare(l, inst, IntCC::UnsignedLessThanOrEqual);
}

fn lower_s_addk_i32(l: &mut Lower<'_, '_>, inst: &Inst) {
    signed_add(l, inst);
}

fn lower_s_mulk_i32(l: &mut Lower<'_, '_>, inst: &Inst) {
    let (a, b) = (l.src32(inst, 0), l.src32(inst, 1));
    let product = l.product(a, b);
    l.set_dst(inst, product);
}

fn lower_s_getreg_b32(l: &mut Lower<'_, '_>, inst: &Inst, pc: u64) {
    let field = HwReg::from_simm16(inst.simm16() as u16);
    let next = pc.wrapping_add(4);
    let register = match field.id {
        hwreg::MODE => l.mode(),
        hwreg::STATUS => status(l),
        hwreg::TRAPSTS => l.load(types::I32, offset::TRAPSTS),
        hwreg::PC_LO => l.const32(next as u32),
        hwreg::PC_HI => l.const32((next >> 32) as u32),
        hwreg::SH_MEM_BASES => l.load(types::I32, offset::SH_MEM_BASES),
        _ => l.const32(0),
    };
    let shifted = l.b.ins().ushr_imm_u(register, field.offset as i64);
    let value = l.b.ins().band_imm_u(shifted, low_ones(field.size) as i64);
    l.set_dst(inst, value);
}

/// STATUS: SCC (bit 0), EXECZ (9), VCCZ (10); the rest is 0.
fn status(l: &mut Lower<'_, '_>) -> Value {
    let scc = l.scc();
    let mut status = l.b.ins().uextend(types::I32, scc);
    for (code, bit) in [(reg::EXEC_LO, 9), (reg::VCC_LO, 10)] {
        let pair = l.regs.read64(l.b, code);
        let zero = l.b.ins().icmp_imm_u(IntCC::Equal, pair, 0);
        let zero = l.b.ins().uextend(types::I32, zero);
        let flag = l.b.ins().ishl_imm_u(zero, bit);
        status = l.b.ins().bor(status, flag);
    }
    status
}

fn low_ones(n: u32) -> u32 {
    u32::MAX >> (32 - n)
}

fn lower_s_setreg_b32(l: &mut Lower<'_, '_>, inst: &Inst) {
    set_hardware_register(l, inst);
}

fn lower_s_setreg_imm32_b32(l: &mut Lower<'_, '_>, inst: &Inst) {
    set_hardware_register(l, inst);
}

fn set_hardware_register(l: &mut Lower<'_, '_>, inst: &Inst) {
    let field = HwReg::from_simm16(inst.simm16() as u16);
    let old = match field.id {
        hwreg::MODE => l.mode(),
        hwreg::TRAPSTS => l.load(types::I32, offset::TRAPSTS),
        _ => return,
    };
    let value = match inst.src(0) {
        Src::Imm(v) => l.const32(v as u32),
        _ => l.src32(inst, 0),
    };
    let mask = low_ones(field.size) << field.offset;
    let placed = l.b.ins().ishl_imm_u(value, field.offset as i64);
    let placed = l.b.ins().band_imm_u(placed, mask as i64);
    let kept = l.b.ins().band_imm_u(old, !mask as i64);
    let new = l.b.ins().bor(kept, placed);
    match field.id {
        hwreg::MODE => l.set_mode(new),
        _ => l.store(new, offset::TRAPSTS),
    }
}
