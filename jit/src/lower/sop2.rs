//! SOP2: two scalar sources.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, Value, types};
use gcnsim_isa::{Inst, Note, Src};

use super::Lower;

gcnsim_isa::for_each_sop2!(lowerings);

fn s_add_u32(l: &mut Lower<'_, '_>, inst: &Inst) {
    let (a, b) = (l.src32(inst, 0), l.src32(inst, 1));
    // The sum takes the place of a.
    let replaces = matches!(inst.src(0), Src::Sgpr(code) if inst.dst() == Some(code));
    let sum = l.sum(a, b, replaces);
    // The carry of a register doubled is its top bit, which is there before the sum.
    let carry = match a == b {
        true => l.b.ins().icmp_imm_s(IntCC::SignedLessThan, a, 0),
        false => l.b.ins().icmp(IntCC::UnsignedLessThan, sum, a),
    };
    l.set_dst(inst, sum);
    l.set_scc(carry);
}

fn s_sub_u32(l: &mut Lower<'_, '_>, inst: &Inst) {
    let (a, b) = (l.src32(inst, 0), l.src32(inst, 1));
    let difference = l.b.ins().isub(a, b);
    let borrow = l.b.ins().icmp(IntCC::UnsignedLessThan, a, b);
    l.set_dst(inst, difference);
    l.set_scc(borrow);
}

/// D = S0 + S1; SCC = signed overflow: the sum's sign differs from that of both operands. (These are plain operations,
/// so that nothing remains of them if SCC is not used.)
pub(super) fn s_add_i32(l: &mut Lower<'_, '_>, inst: &Inst) {
    let (a, b) = (l.src32(inst, 0), l.src32(inst, 1));
    let sum = l.b.ins().iadd(a, b);
    let (from_a, from_b) = (l.b.ins().bxor(sum, a), l.b.ins().bxor(sum, b));
    l.set_dst(inst, sum);
    set_scc_negative(l, from_a, from_b);
}

/// SCC = sign bit of a & b.
fn set_scc_negative(l: &mut Lower<'_, '_>, a: Value, b: Value) {
    let both = l.b.ins().band(a, b);
    let overflow = l.b.ins().icmp_imm_s(IntCC::SignedLessThan, both, 0);
    l.set_scc(overflow);
}

fn s_sub_i32(l: &mut Lower<'_, '_>, inst: &Inst) {
    let (a, b) = (l.src32(inst, 0), l.src32(inst, 1));
    let difference = l.b.ins().isub(a, b);
    let (operands, from_a) = (l.b.ins().bxor(a, b), l.b.ins().bxor(difference, a));
    l.set_dst(inst, difference);
    set_scc_negative(l, operands, from_a);
}

fn s_addc_u32(l: &mut Lower<'_, '_>, inst: &Inst) {
    let (a, b, scc) = (l.src32(inst, 0), l.src32(inst, 1), l.scc());
    let sum = l.b.ins().iadd(a, b);
    let carry = l.b.ins().icmp(IntCC::UnsignedLessThan, sum, a);
    // Only a sum of ones passes a carry on.
    let passes = l.b.ins().icmp_imm_s(IntCC::Equal, sum, -1);
    let by = l.b.ins().uextend(types::I32, scc);
    let sum = l.b.ins().iadd(sum, by);
    let carry = l.b.ins().select(passes, scc, carry);
    l.set_dst(inst, sum);
    l.set_scc(carry);
}

/// D = low half of an exact 64-bit sum; SCC = the high half is not 0.
fn low_half_and_carry(l: &mut Lower<'_, '_>, inst: &Inst, sum: Value) {
    let carry = l.b.ins().icmp_imm_u(IntCC::UnsignedGreaterThan, sum, 0xffff_ffff);
    let low = l.b.ins().ireduce(types::I32, sum);
    l.set_dst(inst, low);
    l.set_scc(carry);
}

fn s_subb_u32(l: &mut Lower<'_, '_>, inst: &Inst) {
    let (a, b, scc) = (l.src32(inst, 0), l.src32(inst, 1), l.scc());
    let difference = l.b.ins().isub(a, b);
    let borrow = l.b.ins().icmp(IntCC::UnsignedLessThan, a, b);
    let passes = l.b.ins().icmp(IntCC::Equal, a, b);
    let by = l.b.ins().uextend(types::I32, scc);
    let difference = l.b.ins().isub(difference, by);
    let borrow = l.b.ins().select(passes, scc, borrow);
    l.set_dst(inst, difference);
    l.set_scc(borrow);
}

fn s_min_i32(l: &mut Lower<'_, '_>, inst: &Inst) {
    choose(l, inst, IntCC::SignedLessThan);
}

fn s_min_u32(l: &mut Lower<'_, '_>, inst: &Inst) {
    choose(l, inst, IntCC::UnsignedLessThan);
}

fn s_max_i32(l: &mut Lower<'_, '_>, inst: &Inst) {
    note_equal(l, inst);
    choose(l, inst, IntCC::SignedGreaterThan);
}

fn s_max_u32(l: &mut Lower<'_, '_>, inst: &Inst) {
    note_equal(l, inst);
    choose(l, inst, IntCC::UnsignedGreaterThan);
}

/// take0 = S0 cc S1; D = take0 ? S0 : S1; SCC = take0.
fn choose(l: &mut Lower<'_, '_>, inst: &Inst, cc: IntCC) {
    let (a, b) = (l.src32(inst, 0), l.src32(inst, 1));
    let take0 = l.b.ins().icmp(cc, a, b);
    let value = l.b.ins().select(take0, a, b);
    l.set_dst(inst, value);
    l.set_scc(take0);
}

/// Raises the note that SCC of a maximum of equal operands is a choice of ours.
fn note_equal(l: &mut Lower<'_, '_>, inst: &Inst) {
    let (a, b) = (l.src32(inst, 0), l.src32(inst, 1));
    let equal = l.b.ins().icmp(IntCC::Equal, a, b);
    l.note_equal_max(equal);
}

fn s_cselect_b32(l: &mut Lower<'_, '_>, inst: &Inst) {
    let (a, b, scc) = (l.src(inst, 0), l.src(inst, 1), l.scc());
    let value = l.b.ins().select(scc, a, b);
    l.set_dst(inst, value);
}
use s_cselect_b32 as s_cselect_b64;

/// Makes the lowerings of operations on both widths: D = S0 operation S1; SCC = D is not 0.
macro_rules! operations {
    ($($b32:ident $b64:ident = $operation:ident $(then $then:ident)?;)*) => { $(
        fn $b32(l: &mut Lower<'_, '_>, inst: &Inst) {
            let (a, b) = (l.src(inst, 0), l.src(inst, 1));
            let value = l.b.ins().$operation(a, b);
            $(let value = l.b.ins().$then(value);)?
            l.set_dst_scc(inst, value);
        }
        use $b32 as $b64;
    )* };
}

// CLIF shifts take the amount modulo the width of the value, as GCN does.
operations! {
    s_and_b32 s_and_b64 = band;
    s_or_b32 s_or_b64 = bor;
    s_xor_b32 s_xor_b64 = bxor;
    s_andn2_b32 s_andn2_b64 = band_not;
    s_orn2_b32 s_orn2_b64 = bor_not;
    s_nand_b32 s_nand_b64 = band then bnot;
    s_nor_b32 s_nor_b64 = bor then bnot;
    s_xnor_b32 s_xnor_b64 = bxor_not;
    s_lshl_b32 s_lshl_b64 = ishl;
}

fn s_lshr_b32(l: &mut Lower<'_, '_>, inst: &Inst) {
    let (a, b) = (l.src(inst, 0), l.src(inst, 1));
    let value = l.shift_right(a, b, false);
    l.set_dst_scc(inst, value);
}
use s_lshr_b32 as s_lshr_b64;

fn s_ashr_i32(l: &mut Lower<'_, '_>, inst: &Inst) {
    let (a, b) = (l.src(inst, 0), l.src(inst, 1));
    let value = l.shift_right(a, b, true);
    l.set_dst_scc(inst, value);
}
use s_ashr_i32 as s_ashr_i64;

fn s_bfm_b32(l: &mut Lower<'_, '_>, inst: &Inst) {
    let one = l.const32(1);
    field_mask(l, inst, one);
}

fn s_bfm_b64(l: &mut Lower<'_, '_>, inst: &Inst) {
    let one = l.const64(1);
    field_mask(l, inst, one);
}

/// D = ((1 << S0) - 1) << S1.
fn field_mask(l: &mut Lower<'_, '_>, inst: &Inst, one: Value) {
    let (size, offset) = (l.src32(inst, 0), l.src32(inst, 1));
    let power = l.b.ins().ishl(one, size);
    let ones = l.b.ins().iadd_imm_s(power, -1);
    let mask = l.b.ins().ishl(ones, offset);
    l.set_dst(inst, mask);
}

pub(super) fn s_mul_i32(l: &mut Lower<'_, '_>, inst: &Inst) {
    let (a, b) = (l.src32(inst, 0), l.src32(inst, 1));
    let product = l.product(a, b);
    l.set_dst(inst, product);
}

fn s_bfe_u32(l: &mut Lower<'_, '_>, inst: &Inst) {
    extract(l, inst, 32, false);
}

fn s_bfe_i32(l: &mut Lower<'_, '_>, inst: &Inst) {
    extract(l, inst, 32, true);
}

fn s_bfe_u64(l: &mut Lower<'_, '_>, inst: &Inst) {
    extract(l, inst, 64, false);
}

fn s_bfe_i64(l: &mut Lower<'_, '_>, inst: &Inst) {
    extract(l, inst, 64, true);
}

/// Bit field of `width` = S1[22:16] bits at S1[4:0] (or [5:0]). Bits past the operand's end do not exist.
fn extract(l: &mut Lower<'_, '_>, inst: &Inst, bits: u32, signed: bool) {
    let value = l.src(inst, 0);
    let field = match l.constant(inst, 1) {
        Some(control) => extract_constant(l, value, control as u32, bits, signed),
        None => extract_variable(l, inst, value, bits, signed),
    };
    l.set_dst_scc(inst, field);
}

fn extract_constant(l: &mut Lower<'_, '_>, value: Value, control: u32, bits: u32, signed: bool) -> Value {
    let (offset, width) = (control & (bits - 1), control >> 16 & 0x7f);
    if width > bits {
        let yes = l.b.ins().iconst(types::I8, 1);
        l.note_if(yes, Note::BfeWide);
    }
    let size = width.min(bits - offset);
    let ty = l.b.func.dfg.value_type(value);
    if size == 0 {
        return l.b.ins().iconst(ty, 0);
    }
    let left = (bits - offset - size) as i64;
    if signed {
        let value = l.b.ins().ishl_imm_u(value, left);
        l.b.ins().sshr_imm_u(value, (bits - size) as i64)
    } else if left == 0 {
        l.b.ins().ushr_imm_u(value, offset as i64)
    } else {
        let value = l.b.ins().ushr_imm_u(value, offset as i64);
        l.b.ins().band_imm_u(value, (u64::MAX >> (64 - size)) as i64)
    }
}

fn extract_variable(l: &mut Lower<'_, '_>, inst: &Inst, value: Value, bits: u32, signed: bool) -> Value {
    let ty = l.b.func.dfg.value_type(value);
    let control = l.src32(inst, 1);
    let width = l.b.ins().ushr_imm_u(control, 16);
    let width = l.b.ins().band_imm_u(width, 0x7f);
    let wide = l.b.ins().icmp_imm_u(IntCC::UnsignedGreaterThan, width, bits as i64);
    l.note_if(wide, Note::BfeWide);
    let offset = l.b.ins().band_imm_u(control, bits as i64 - 1);
    let most = l.const32(bits);
    let there = l.b.ins().isub(most, offset);
    let size = l.b.ins().umin(width, there);
    // A field without bits would need a shift by the whole width.
    let empty = l.b.ins().icmp_imm_u(IntCC::Equal, size, 0);
    let right = l.b.ins().isub(most, size);
    let zero = l.b.ins().iconst(ty, 0);
    if !signed {
        // The mask does not wait for the value, and in a loop it is often the same.
        let ones = l.b.ins().iconst(ty, if bits == 32 { u32::MAX as i64 } else { -1 });
        let mask = l.b.ins().ushr(ones, right);
        let mask = l.b.ins().select(empty, zero, mask);
        let field = l.b.ins().ushr(value, offset);
        return l.b.ins().band(field, mask);
    }
    // The field is shifted to the top and back.
    let left = l.b.ins().isub(there, size);
    let top = l.b.ins().ishl(value, left);
    let field = l.b.ins().sshr(top, right);
    l.b.ins().select(empty, zero, field)
}

fn s_absdiff_i32(l: &mut Lower<'_, '_>, inst: &Inst) {
    let (a, b) = (l.src32(inst, 0), l.src32(inst, 1));
    let (difference, overflow) = l.b.ins().ssub_overflow(a, b);
    l.note_if(overflow, Note::AbsdiffWrap);
    let value = l.b.ins().iabs(difference);
    l.set_dst_scc(inst, value);
}

fn s_mul_hi_u32(l: &mut Lower<'_, '_>, inst: &Inst) {
    let (a, b) = (l.src32(inst, 0), l.src32(inst, 1));
    let a = l.b.ins().uextend(types::I64, a);
    let b = l.b.ins().uextend(types::I64, b);
    high_half_of_product(l, inst, a, b);
}

fn s_mul_hi_i32(l: &mut Lower<'_, '_>, inst: &Inst) {
    let (a, b) = (l.src32(inst, 0), l.src32(inst, 1));
    let a = l.b.ins().sextend(types::I64, a);
    let b = l.b.ins().sextend(types::I64, b);
    high_half_of_product(l, inst, a, b);
}

/// D = high half of a product of 64 bits. Cranelift makes a product of 32 bits of a shift, which takes more
/// instructions of the host. Of a rotation it does not.
fn high_half_of_product(l: &mut Lower<'_, '_>, inst: &Inst, a: Value, b: Value) {
    let product = l.b.ins().imul(a, b);
    let high = l.b.ins().rotr_imm_u(product, 32);
    let high = l.b.ins().ireduce(types::I32, high);
    l.set_dst(inst, high);
}

fn s_lshl1_add_u32(l: &mut Lower<'_, '_>, inst: &Inst) {
    shift_and_add(l, inst, 1);
}

fn s_lshl2_add_u32(l: &mut Lower<'_, '_>, inst: &Inst) {
    shift_and_add(l, inst, 2);
}

fn s_lshl3_add_u32(l: &mut Lower<'_, '_>, inst: &Inst) {
    shift_and_add(l, inst, 3);
}

fn s_lshl4_add_u32(l: &mut Lower<'_, '_>, inst: &Inst) {
    shift_and_add(l, inst, 4);
}

/// t = (S0 << shift) + S1, exact; D = t[31:0]; SCC = t >= 2^32.
fn shift_and_add(l: &mut Lower<'_, '_>, inst: &Inst, shift: i64) {
    let (a, b) = (l.src32(inst, 0), l.src32(inst, 1));
    let a = l.b.ins().uextend(types::I64, a);
    let a = l.b.ins().ishl_imm_u(a, shift);
    let b = l.b.ins().uextend(types::I64, b);
    let sum = l.b.ins().iadd(a, b);
    low_half_and_carry(l, inst, sum);
}

fn s_pack_ll_b32_b16(l: &mut Lower<'_, '_>, inst: &Inst) {
    let (a, b) = (l.src32(inst, 0), l.src32(inst, 1));
    let low = l.b.ins().band_imm_u(a, 0xffff);
    let high = l.b.ins().ishl_imm_u(b, 16);
    let value = l.b.ins().bor(low, high);
    l.set_dst(inst, value);
}

fn s_pack_lh_b32_b16(l: &mut Lower<'_, '_>, inst: &Inst) {
    let (a, b) = (l.src32(inst, 0), l.src32(inst, 1));
    let low = l.b.ins().band_imm_u(a, 0xffff);
    let high = l.b.ins().band_imm_u(b, 0xffff_0000);
    let value = l.b.ins().bor(low, high);
    l.set_dst(inst, value);
}

fn s_pack_hh_b32_b16(l: &mut Lower<'_, '_>, inst: &Inst) {
    let (a, b) = (l.src32(inst, 0), l.src32(inst, 1));
    let low = l.b.ins().ushr_imm_u(a, 16);
    let high = l.b.ins().band_imm_u(b, 0xffff_0000);
    let value = l.b.ins().bor(low, high);
    l.set_dst(inst, value);
}
