//! SOPK: instructions with an immediate of 16 bits as a source. In compares SDST is a source, too. So most lowerings
//! are those of SOP1, SOP2 and SOPC.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, Value, types};
use gcnsim_isa::{HwReg, Inst, Src, hwreg, reg};

use super::Lower;
use super::sop1::{s_cmov_b32 as s_cmovk_i32, s_mov_b32 as s_movk_i32};
use super::sop2::{s_add_i32 as s_addk_i32, s_mul_i32 as s_mulk_i32};
use super::sopc::{
    s_cmp_eq_i32 as s_cmpk_eq_i32, s_cmp_eq_u32 as s_cmpk_eq_u32, s_cmp_ge_i32 as s_cmpk_ge_i32,
    s_cmp_ge_u32 as s_cmpk_ge_u32, s_cmp_gt_i32 as s_cmpk_gt_i32, s_cmp_gt_u32 as s_cmpk_gt_u32,
    s_cmp_le_i32 as s_cmpk_le_i32, s_cmp_le_u32 as s_cmpk_le_u32, s_cmp_lg_i32 as s_cmpk_lg_i32,
    s_cmp_lg_u32 as s_cmpk_lg_u32, s_cmp_lt_i32 as s_cmpk_lt_i32, s_cmp_lt_u32 as s_cmpk_lt_u32,
};
use crate::abi::offset;

gcnsim_isa::for_each_sopk!(lowerings);

fn s_getreg_b32(l: &mut Lower<'_, '_>, inst: &Inst) {
    let field = HwReg::from_simm16(inst.simm16() as u16);
    let next = l.pc.wrapping_add(4);
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
    let value = l.b.ins().band_imm_u(shifted, field.mask() as i64);
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

fn s_setreg_b32(l: &mut Lower<'_, '_>, inst: &Inst) {
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
    let mask = field.mask() << field.offset;
    let placed = l.b.ins().ishl_imm_u(value, field.offset as i64);
    let placed = l.b.ins().band_imm_u(placed, mask as i64);
    let kept = l.b.ins().band_imm_u(old, !mask as i64);
    let new = l.b.ins().bor(kept, placed);
    match field.id {
        hwreg::MODE => l.set_mode(new),
        _ => l.store(new, offset::TRAPSTS),
    }
}
use s_setreg_b32 as s_setreg_imm32_b32;
