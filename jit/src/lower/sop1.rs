//! SOP1: one scalar source.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, MemFlagsData, Value, types};
use gcnsim_isa::{Inst, Note, Src, reg};

use super::{Lower, NO_ARGS, dst_code};
use crate::abi::offset;

gcnsim_isa::for_each_sop1!(lowerings);

pub(super) fn s_mov_b32(l: &mut Lower<'_, '_>, inst: &Inst) {
    let value = l.src(inst, 0);
    l.set_dst(inst, value);
}
use s_mov_b32 as s_mov_b64;
use s_mov_b32 as s_mov_fed_b32;

pub(super) fn s_cmov_b32(l: &mut Lower<'_, '_>, inst: &Inst) {
    let (value, old, scc) = (l.src(inst, 0), l.old_dst(inst), l.scc());
    let value = l.b.ins().select(scc, value, old);
    l.set_dst(inst, value);
}
use s_cmov_b32 as s_cmov_b64;

fn s_not_b32(l: &mut Lower<'_, '_>, inst: &Inst) {
    let value = l.src(inst, 0);
    let value = l.b.ins().bnot(value);
    l.set_dst_scc(inst, value);
}
use s_not_b32 as s_not_b64;

/// A value whose bit 4i is set if a bit of group i of four bits is set. `ones` has bit 4i set for each group.
fn quads(l: &mut Lower<'_, '_>, value: Value, ones: u64) -> Value {
    let by_two = l.b.ins().ushr_imm_u(value, 2);
    let value = l.b.ins().bor(value, by_two);
    let by_one = l.b.ins().ushr_imm_u(value, 1);
    let value = l.b.ins().bor(value, by_one);
    l.b.ins().band_imm_u(value, ones as i64)
}

fn s_wqm_b32(l: &mut Lower<'_, '_>, inst: &Inst) {
    let value = l.src32(inst, 0);
    let any = quads(l, value, 0x1111_1111);
    let value = l.b.ins().imul_imm_u(any, 15);
    l.set_dst_scc(inst, value);
}

fn s_wqm_b64(l: &mut Lower<'_, '_>, inst: &Inst) {
    let value = l.src64(inst, 0);
    let any = quads(l, value, 0x1111_1111_1111_1111);
    let value = l.b.ins().imul_imm_u(any, 15);
    l.set_dst_scc(inst, value);
}

fn s_brev_b32(l: &mut Lower<'_, '_>, inst: &Inst) {
    let value = l.src(inst, 0);
    let value = l.b.ins().bitrev(value);
    l.set_dst(inst, value);
}
use s_brev_b32 as s_brev_b64;

fn s_bcnt0_i32_b32(l: &mut Lower<'_, '_>, inst: &Inst) {
    let value = l.src32(inst, 0);
    let value = l.b.ins().bnot(value);
    let value = l.b.ins().popcnt(value);
    l.set_dst_scc(inst, value);
}

fn s_bcnt0_i32_b64(l: &mut Lower<'_, '_>, inst: &Inst) {
    let value = l.src64(inst, 0);
    let value = l.b.ins().bnot(value);
    count_ones64(l, inst, value);
}

fn s_bcnt1_i32_b32(l: &mut Lower<'_, '_>, inst: &Inst) {
    let value = l.src32(inst, 0);
    let value = l.b.ins().popcnt(value);
    l.set_dst_scc(inst, value);
}

fn s_bcnt1_i32_b64(l: &mut Lower<'_, '_>, inst: &Inst) {
    let value = l.src64(inst, 0);
    count_ones64(l, inst, value);
}

fn count_ones64(l: &mut Lower<'_, '_>, inst: &Inst, value: Value) {
    let count = l.b.ins().popcnt(value);
    let count = l.b.ins().ireduce(types::I32, count);
    l.set_dst_scc(inst, count);
}

fn s_ff0_i32_b32(l: &mut Lower<'_, '_>, inst: &Inst) {
    let value = l.src(inst, 0);
    let value = l.b.ins().bnot(value);
    find_first_one(l, inst, value);
}
use s_ff0_i32_b32 as s_ff0_i32_b64;

fn s_ff1_i32_b32(l: &mut Lower<'_, '_>, inst: &Inst) {
    let value = l.src(inst, 0);
    find_first_one(l, inst, value);
}
use s_ff1_i32_b32 as s_ff1_i32_b64;

/// D = the number of zeros below the lowest one, or -1 for 0.
fn find_first_one(l: &mut Lower<'_, '_>, inst: &Inst, value: Value) {
    let count = l.b.ins().ctz(value);
    minus_one_if_zero(l, inst, value, count);
}

fn s_flbit_i32_b32(l: &mut Lower<'_, '_>, inst: &Inst) {
    let value = l.src(inst, 0);
    leading_zeros(l, inst, value);
}
use s_flbit_i32_b32 as s_flbit_i32_b64;

fn s_flbit_i32(l: &mut Lower<'_, '_>, inst: &Inst) {
    let value = l.src32(inst, 0);
    leading_signs(l, inst, value, 31);
}

fn s_flbit_i32_i64(l: &mut Lower<'_, '_>, inst: &Inst) {
    let value = l.src64(inst, 0);
    leading_signs(l, inst, value, 63);
}

fn leading_zeros(l: &mut Lower<'_, '_>, inst: &Inst, value: Value) {
    let count = l.b.ins().clz(value);
    minus_one_if_zero(l, inst, value, count);
}

/// The number of leading bits equal to the sign: the leading zeros of the value with its sign removed.
fn leading_signs(l: &mut Lower<'_, '_>, inst: &Inst, value: Value, sign_bit: i64) {
    let signs = l.b.ins().sshr_imm_u(value, sign_bit);
    let value = l.b.ins().bxor(value, signs);
    leading_zeros(l, inst, value);
}

fn minus_one_if_zero(l: &mut Lower<'_, '_>, inst: &Inst, value: Value, count: Value) {
    let count = if l.b.func.dfg.value_type(count) == types::I64 { l.b.ins().ireduce(types::I32, count) } else { count };
    let is_zero = l.b.ins().icmp_imm_u(IntCC::Equal, value, 0);
    let none = l.const32(u32::MAX);
    let count = l.b.ins().select(is_zero, none, count);
    l.set_dst(inst, count);
}

fn s_sext_i32_i8(l: &mut Lower<'_, '_>, inst: &Inst) {
    let value = l.src32(inst, 0);
    let value = l.b.ins().ireduce(types::I8, value);
    let value = l.b.ins().sextend(types::I32, value);
    l.set_dst(inst, value);
}

fn s_sext_i32_i16(l: &mut Lower<'_, '_>, inst: &Inst) {
    let value = l.src32(inst, 0);
    let value = l.b.ins().ireduce(types::I16, value);
    let value = l.b.ins().sextend(types::I32, value);
    l.set_dst(inst, value);
}

fn s_bitset0_b32(l: &mut Lower<'_, '_>, inst: &Inst) {
    let (old, bit) = (l.old_dst(inst), one_at(l, inst));
    let value = l.b.ins().band_not(old, bit);
    l.set_dst(inst, value);
}
use s_bitset0_b32 as s_bitset0_b64;

fn s_bitset1_b32(l: &mut Lower<'_, '_>, inst: &Inst) {
    let (old, bit) = (l.old_dst(inst), one_at(l, inst));
    let value = l.b.ins().bor(old, bit);
    l.set_dst(inst, value);
}
use s_bitset1_b32 as s_bitset1_b64;

/// 1 << S0 in the width of the destination. CLIF shifts take the amount modulo the width, as GCN takes the bit number.
fn one_at(l: &mut Lower<'_, '_>, inst: &Inst) -> Value {
    let amount = l.src32(inst, 0);
    let one = if inst.desc().dst.is_wide() { l.const64(1) } else { l.const32(1) };
    l.b.ins().ishl(one, amount)
}

fn s_getpc_b64(l: &mut Lower<'_, '_>, inst: &Inst) {
    let next = l.const64(l.pc.wrapping_add(4));
    l.set_dst(inst, next);
}

/// D = EXEC; EXEC = f(S0, EXEC); SCC = EXEC is not 0. With SDST = EXEC the saved value stays (note
/// `saveexec-sdst-exec`).
fn saveexec(l: &mut Lower<'_, '_>, inst: &Inst, f: impl FnOnce(&mut Lower<'_, '_>, Value, Value) -> Value) {
    let (src, old) = (l.src64(inst, 0), l.exec());
    let new = f(l, src, old);
    l.set_exec(new);
    l.set_dst(inst, old);
    l.set_scc_nonzero(new);
}

fn s_and_saveexec_b64(l: &mut Lower<'_, '_>, inst: &Inst) {
    saveexec(l, inst, |l, s, e| l.b.ins().band(s, e));
}

fn s_or_saveexec_b64(l: &mut Lower<'_, '_>, inst: &Inst) {
    saveexec(l, inst, |l, s, e| l.b.ins().bor(s, e));
}

fn s_xor_saveexec_b64(l: &mut Lower<'_, '_>, inst: &Inst) {
    saveexec(l, inst, |l, s, e| l.b.ins().bxor(s, e));
}

fn s_andn2_saveexec_b64(l: &mut Lower<'_, '_>, inst: &Inst) {
    saveexec(l, inst, |l, s, e| l.b.ins().band_not(s, e));
}

fn s_orn2_saveexec_b64(l: &mut Lower<'_, '_>, inst: &Inst) {
    saveexec(l, inst, |l, s, e| l.b.ins().bor_not(s, e));
}

fn s_nand_saveexec_b64(l: &mut Lower<'_, '_>, inst: &Inst) {
    saveexec(l, inst, |l, s, e| {
        let and = l.b.ins().band(s, e);
        l.b.ins().bnot(and)
    });
}

fn s_nor_saveexec_b64(l: &mut Lower<'_, '_>, inst: &Inst) {
    saveexec(l, inst, |l, s, e| {
        let or = l.b.ins().bor(s, e);
        l.b.ins().bnot(or)
    });
}

fn s_xnor_saveexec_b64(l: &mut Lower<'_, '_>, inst: &Inst) {
    saveexec(l, inst, |l, s, e| l.b.ins().bxor_not(s, e));
}

fn s_quadmask_b32(l: &mut Lower<'_, '_>, inst: &Inst) {
    let value = l.src32(inst, 0);
    let value = l.b.ins().uextend(types::I64, value);
    let value = quad_bits(l, value);
    let value = l.b.ins().ireduce(types::I32, value);
    l.set_dst_scc(inst, value);
}

fn s_quadmask_b64(l: &mut Lower<'_, '_>, inst: &Inst) {
    let value = l.src64(inst, 0);
    let value = quad_bits(l, value);
    l.set_dst_scc(inst, value);
}

/// Gathers one bit per group of four in the low 16 bits.
fn quad_bits(l: &mut Lower<'_, '_>, value: Value) -> Value {
    let mut bits = quads(l, value, 0x1111_1111_1111_1111);
    for (shift, mask) in [(3, 0x0303_0303_0303_0303u64), (6, 0x000f_000f_000f_000f), (12, 0xff_0000_00ff), (24, 0xffff)]
    {
        let moved = l.b.ins().ushr_imm_u(bits, shift);
        let both = l.b.ins().bor(bits, moved);
        bits = l.b.ins().band_imm_u(both, mask as i64);
    }
    bits
}

/// What is known of the register or pair that M0 selects, if `code` has a window.
enum Selected {
    /// The code has no window, and all registers that M0 may select are in memory.
    Anywhere,
    /// It is in the window.
    Inside,
    /// Whether it is in the window (I8).
    Tested(Value),
}

/// What is known of the register or pair that M0 selects from `code` on.
fn selected(l: &mut Lower<'_, '_>, code: u8, wide: bool) -> Selected {
    let Some(window) = l.windows.iter().find(|window| window.base == code) else { return Selected::Anywhere };
    let size = i64::from(window.end - window.base);
    let m0 = l.regs.read32(l.b, reg::M0);
    if !wide && i64::from(l.upper_bound(m0)) < size {
        return Selected::Inside;
    }
    let near = l.b.ins().icmp_imm_u(IntCC::UnsignedLessThan, m0, size);
    if !wide {
        return Selected::Tested(near);
    }
    // The base and the size are even.
    let odd = l.b.ins().band_imm_u(m0, 1);
    let even = l.b.ins().icmp_imm_u(IntCC::Equal, odd, 0);
    Selected::Tested(l.b.ins().band(near, even))
}

/// The address of register `code + M0`, which is in the window of `code`.
fn address_in_window(l: &mut Lower<'_, '_>, code: u8) -> Value {
    let m0 = l.regs.read32(l.b, reg::M0);
    let number = l.b.ins().uextend(types::I64, m0);
    let bytes = l.b.ins().ishl_imm_u(number, 2);
    let address = l.b.ins().iadd(l.state, bytes);
    l.b.ins().iadd_imm_s(address, offset::sgpr(code) as i64)
}

/// Stores to register `code + M0`, if there is one.
fn store_relative(l: &mut Lower<'_, '_>, code: u8, wide: bool, value: Value) {
    let nowhere = l.b.ins().iadd_imm_s(l.frame, offset::DROPPED as i64);
    let address = relative_address(l, code, wide, nowhere);
    l.b.ins().store(MemFlagsData::trusted(), value, address, 0);
}

/// The address of register `code + M0`. If that is out of range, it is `otherwise`, and the note `movrel-range` is
/// raised off the main path.
///
/// In range are SGPRs of the generation (for 64 bits: whole, even pairs) and, from a special register, M0 = 0.
fn relative_address(l: &mut Lower<'_, '_>, code: u8, wide: bool, otherwise: Value) -> Value {
    let m0 = l.regs.read32(l.b, reg::M0);
    let index = l.b.ins().iadd_imm_u(m0, code as i64);
    let number = l.b.ins().uextend(types::I64, index);
    let bytes = l.b.ins().ishl_imm_u(number, 2);
    let address = l.b.ins().iadd(l.state, bytes);
    let last = l.options.arch.sgpr_count() - wide as u32;
    let most = l.upper_bound(m0) as u64 + code as u64;
    if !wide && most < last as u64 {
        return address;
    }
    let mut in_range = if (code as u32) < l.options.arch.sgpr_count() {
        l.b.ins().icmp_imm_u(IntCC::UnsignedLessThan, index, last as i64)
    } else {
        l.b.ins().icmp_imm_u(IntCC::Equal, m0, 0)
    };
    if wide {
        let odd = l.b.ins().band_imm_u(index, 1);
        let even = l.b.ins().icmp_imm_u(IntCC::Equal, odd, 0);
        in_range = l.b.ins().band(in_range, even);
    }
    let (on, out) = (l.b.create_block(), l.cold_block());
    let chosen = l.b.append_block_param(on, types::I64);
    l.b.ins().brif(in_range, on, &[address.into()], out, NO_ARGS);
    l.b.seal_block(out);
    l.b.switch_to_block(out);
    l.raise(gcnsim_isa::Notes::of(Note::MovrelRange));
    l.b.ins().jump(on, &[otherwise.into()]);
    l.b.seal_block(on);
    l.b.switch_to_block(on);
    chosen
}

fn s_movrels_b32(l: &mut Lower<'_, '_>, inst: &Inst) {
    let Src::Sgpr(code) = inst.src(0) else { unreachable!("the source of a movrel is a register") };
    let wide = inst.desc().dst.is_wide();
    let first = l.state;
    let address = match selected(l, code, wide) {
        Selected::Anywhere => relative_address(l, code, wide, first),
        Selected::Inside => address_in_window(l, code),
        Selected::Tested(in_window) => {
            let inside = address_in_window(l, code);
            let (on, out) = (l.b.create_block(), l.cold_block());
            let chosen = l.b.append_block_param(on, types::I64);
            l.b.ins().brif(in_window, on, &[inside.into()], out, NO_ARGS);
            l.b.seal_block(out);
            l.b.switch_to_block(out);
            let saved = l.regs.save();
            let set = l.regs.outside_memory();
            l.regs.store(l.b, set);
            let address = relative_address(l, code, wide, first);
            l.regs.restore(saved);
            l.b.ins().jump(on, &[address.into()]);
            l.b.seal_block(on);
            l.b.switch_to_block(on);
            chosen
        }
    };
    let value = l.b.ins().load(super::clif_type(inst.desc().dst), MemFlagsData::trusted(), address, 0);
    l.set_dst(inst, value);
}
use s_movrels_b32 as s_movrels_b64;

fn s_movreld_b32(l: &mut Lower<'_, '_>, inst: &Inst) {
    let code = dst_code(inst);
    let wide = inst.desc().dst.is_wide();
    let value = l.src(inst, 0);
    let in_window = match selected(l, code, wide) {
        Selected::Tested(in_window) => in_window,
        Selected::Anywhere => {
            store_relative(l, code, wide, value);
            return l.regs.forget_memory();
        }
        Selected::Inside => {
            let address = address_in_window(l, code);
            l.b.ins().store(MemFlagsData::trusted(), value, address, 0);
            return l.regs.forget_memory();
        }
    };
    let address = address_in_window(l, code);
    l.regs.end_block(l.b);
    let [inside, on] = [l.b.create_block(), l.b.create_block()];
    let out = l.cold_block();
    l.b.ins().brif(in_window, inside, NO_ARGS, out, NO_ARGS);
    for block in [inside, out] {
        l.b.seal_block(block);
    }
    l.b.switch_to_block(inside);
    l.b.ins().store(MemFlagsData::trusted(), value, address, 0);
    l.b.ins().jump(on, NO_ARGS);
    l.b.switch_to_block(out);
    let set = l.regs.outside_memory();
    l.regs.store(l.b, set);
    store_relative(l, code, wide, value);
    l.regs.reload(l.b);
    l.b.ins().jump(on, NO_ARGS);
    l.b.seal_block(on);
    l.b.switch_to_block(on);
    l.regs.start_block();
}
use s_movreld_b32 as s_movreld_b64;

fn s_abs_i32(l: &mut Lower<'_, '_>, inst: &Inst) {
    let value = l.src32(inst, 0);
    let value = l.b.ins().iabs(value);
    l.set_dst_scc(inst, value);
}

fn s_set_gpr_idx_idx(l: &mut Lower<'_, '_>, inst: &Inst) {
    let index = l.src32(inst, 0);
    set_gpr_index(l, index);
}

/// M0[7:0] = index[7:0].
pub(super) fn set_gpr_index(l: &mut Lower<'_, '_>, index: Value) {
    let m0 = l.regs.read32(l.b, reg::M0);
    let low = l.b.ins().band_imm_u(index, 0xff);
    let rest = l.b.ins().band_imm_u(m0, 0xffff_ff00);
    let m0 = l.b.ins().bor(rest, low);
    l.regs.write32(l.b, reg::M0, m0);
}

fn s_andn1_saveexec_b64(l: &mut Lower<'_, '_>, inst: &Inst) {
    saveexec(l, inst, |l, s, e| l.b.ins().band_not(e, s));
}

fn s_orn1_saveexec_b64(l: &mut Lower<'_, '_>, inst: &Inst) {
    saveexec(l, inst, |l, s, e| l.b.ins().bor_not(e, s));
}

/// EXEC = f(S0, EXEC); D = EXEC; SCC = EXEC is not 0.
fn wrexec(l: &mut Lower<'_, '_>, inst: &Inst, f: impl FnOnce(&mut Lower<'_, '_>, Value, Value) -> Value) {
    let (src, old) = (l.src64(inst, 0), l.exec());
    let new = f(l, src, old);
    l.set_exec(new);
    l.set_dst(inst, new);
    l.set_scc_nonzero(new);
}

fn s_andn1_wrexec_b64(l: &mut Lower<'_, '_>, inst: &Inst) {
    wrexec(l, inst, |l, s, e| l.b.ins().band_not(e, s));
}

fn s_andn2_wrexec_b64(l: &mut Lower<'_, '_>, inst: &Inst) {
    wrexec(l, inst, |l, s, e| l.b.ins().band_not(s, e));
}

fn s_bitreplicate_b64_b32(l: &mut Lower<'_, '_>, inst: &Inst) {
    let value = l.src32(inst, 0);
    let mut bits = l.b.ins().uextend(types::I64, value);
    for (shift, mask) in [
        (16, 0x0000_ffff_0000_ffffu64),
        (8, 0x00ff_00ff_00ff_00ff),
        (4, 0x0f0f_0f0f_0f0f_0f0f),
        (2, 0x3333_3333_3333_3333),
        (1, 0x5555_5555_5555_5555),
    ] {
        let moved = l.b.ins().ishl_imm_u(bits, shift);
        let both = l.b.ins().bor(bits, moved);
        bits = l.b.ins().band_imm_u(both, mask as i64);
    }
    let twice = l.b.ins().ishl_imm_u(bits, 1);
    let value = l.b.ins().bor(bits, twice);
    l.set_dst(inst, value);
}
