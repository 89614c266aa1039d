//! Vector compares, in VOPC and VOP3 form: a call of a kernel for all lanes, masked with EXEC.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, Value, types};
use gcnsim_isa::table::Vopc;
use gcnsim_isa::{Inst, Mode, Note, OperandType, Pred, Src, Vgpr, reg};

use super::{Lower, dst_code};
use crate::abi::offset;
use crate::kernels::{self, Kernel, KernelOp};

/// An operand as kernels take it.
#[derive(Clone, Copy)]
enum Operand {
    /// Address of the lanes.
    Vector(Value),
    /// An I64; the operand is its low bits.
    Scalar(Value),
}

/// Lowers a compare.
pub(super) fn lower(l: &mut Lower<'_, '_>, op: Vopc, inst: &Inst) {
    let cmp = op.cmp();
    let exec = l.exec();
    let skip = l.special_mode.then(|| mode_bit(l, Mode::VSKIP_BIT));
    // A skipped compare raises no notes: for it, no lane is active and EXEC is not zero.
    let active = match skip {
        Some(skip) => {
            let none = l.const64(0);
            l.b.ins().select(skip, none, exec)
        }
        None => exec,
    };
    let no_lane = l.b.ins().icmp_imm_u(IntCC::Equal, exec, 0);
    let no_lane = unless(l, skip, no_lane);
    l.note_if(no_lane, Note::VcmpExecZero);

    let result = match base_predicate(cmp.pred) {
        Base::Never => {
            note_indices(l, inst, skip);
            l.const64(0)
        }
        Base::Always => {
            note_indices(l, inst, skip);
            exec
        }
        Base::Kernel { op, complement } => {
            let lanes = call_kernel(l, inst, cmp.ty, op, active, skip);
            if complement { l.b.ins().band_not(exec, lanes) } else { l.b.ins().band(exec, lanes) }
        }
    };
    write_mask(l, dst_code(inst), result, skip);
    if cmp.writes_exec {
        write_mask(l, reg::EXEC_LO, result, skip);
    }
}

/// Raises the notes of indexed operands where nothing reads them.
fn note_indices(l: &mut Lower<'_, '_>, inst: &Inst, skip: Option<Value>) {
    for i in 0..inst.src_count() {
        if let (true, Src::Vgpr(n)) = (l.special_mode, inst.src(i)) {
            vector_address(l, n, i, inst.src_type(i).is_wide(), skip);
        }
    }
}

enum Base {
    Never,
    Always,
    Kernel { op: KernelOp, complement: bool },
}

/// Half of the predicates are the exact negation of another.
fn base_predicate(pred: Pred) -> Base {
    let plain = |op| Base::Kernel { op, complement: false };
    let not = |op| Base::Kernel { op, complement: true };
    match pred {
        Pred::F => Base::Never,
        Pred::Tru => Base::Always,
        Pred::Lt => plain(KernelOp::Lt),
        Pred::Eq => plain(KernelOp::Eq),
        Pred::Le => plain(KernelOp::Le),
        Pred::Gt => plain(KernelOp::Gt),
        Pred::Lg => plain(KernelOp::Lg),
        Pred::Ge => plain(KernelOp::Ge),
        Pred::U => plain(KernelOp::U),
        Pred::O => not(KernelOp::U),
        Pred::Nge => not(KernelOp::Ge),
        Pred::Nlg => not(KernelOp::Lg),
        Pred::Ngt => not(KernelOp::Gt),
        Pred::Nle => not(KernelOp::Le),
        Pred::Neq => not(KernelOp::Eq),
        Pred::Nlt => not(KernelOp::Lt),
        Pred::Class => plain(KernelOp::Class),
    }
}

/// The same predicate with its operands exchanged.
fn exchanged(op: KernelOp) -> KernelOp {
    match op {
        KernelOp::Lt => KernelOp::Gt,
        KernelOp::Le => KernelOp::Ge,
        KernelOp::Gt => KernelOp::Lt,
        KernelOp::Ge => KernelOp::Le,
        KernelOp::Eq | KernelOp::Lg | KernelOp::U => op,
        KernelOp::Class => unreachable!("the operands of a class test differ"),
    }
}

/// Bit of MODE as an I8 of 0 or 1.
fn mode_bit(l: &mut Lower<'_, '_>, bit: u32) -> Value {
    let mode = l.mode();
    let bit = l.b.ins().band_imm_u(mode, 1 << bit);
    l.b.ins().icmp_imm_u(IntCC::NotEqual, bit, 0)
}

/// `condition` and not `skip`.
fn unless(l: &mut Lower<'_, '_>, skip: Option<Value>, condition: Value) -> Value {
    match skip {
        Some(skip) => {
            let zero = l.b.ins().iconst(types::I8, 0);
            l.b.ins().select(skip, zero, condition)
        }
        None => condition,
    }
}

fn write_mask(l: &mut Lower<'_, '_>, code: u8, mask: Value, skip: Option<Value>) {
    let mask = match skip {
        Some(skip) => {
            let old = l.regs.read64(l.b, code);
            l.b.ins().select(skip, old, mask)
        }
        None => mask,
    };
    l.regs.write64(l.b, code, mask);
}

/// One bit per lane, for all lanes.
fn call_kernel(
    l: &mut Lower<'_, '_>,
    inst: &Inst,
    ty: OperandType,
    op: KernelOp,
    active: Value,
    skip: Option<Value>,
) -> Value {
    let s0 = operand(l, inst, 0, skip);
    let s1 = operand(l, inst, 1, skip);
    let level = l.options.level;
    let (kernel, a, b) = match (s0, s1) {
        (Operand::Vector(a), Operand::Vector(b)) => (kernels::kernel(level, ty, op, false), a, b),
        (Operand::Scalar(a), Operand::Vector(b)) => (kernels::kernel(level, ty, op, true), a, b),
        (Operand::Vector(a), Operand::Scalar(mask)) if op == KernelOp::Class => {
            let mask = l.b.ins().ireduce(types::I32, mask);
            let kernel = kernels::class_vs(level, ty) as *const u8 as usize;
            return call(l, kernel, &[a, mask]);
        }
        (Operand::Vector(a), Operand::Scalar(b)) => (kernels::kernel(level, ty, exchanged(op), true), b, a),
        (Operand::Scalar(a), Operand::Scalar(b)) => {
            let lanes = scratch(l, 1);
            let flags = l.const32(kernels::prepare_flags(inst.src_type(1), false, false));
            l.call_host(kernels::prepare_scalar as *const u8 as usize, &[b, lanes, flags], None);
            (kernels::kernel(level, ty, op, true), a, lanes)
        }
    };
    let address = kernel.address() as usize;
    match kernel {
        Kernel::IntVV(_) | Kernel::IntSV(_) => call(l, address, &[a, b]),
        Kernel::FloatVV(_) | Kernel::FloatSV(_) => {
            let mode = l.mode();
            let notes = l.pointer_at(l.state, offset::NOTES as i64);
            call(l, address, &[a, b, mode, active, notes])
        }
    }
}

fn call(l: &mut Lower<'_, '_>, kernel: usize, args: &[Value]) -> Value {
    l.call_host(kernel, args, Some(types::I64)).unwrap_or_else(|| unreachable!("kernels return a mask"))
}

fn scratch(l: &mut Lower<'_, '_>, i: usize) -> Value {
    l.pointer_at(l.frame, offset::scratch(i) as i64)
}

/// Source `i` with its modifiers. (The mask of a class test has none.)
fn operand(l: &mut Lower<'_, '_>, inst: &Inst, i: usize, skip: Option<Value>) -> Operand {
    let ty = inst.src_type(i);
    let (abs, neg) = if ty.is_float() { (inst.abs(i), inst.neg(i)) } else { (false, false) };
    match inst.src(i) {
        Src::Vgpr(n) => {
            let lanes = vector_address(l, n, i, ty.is_wide(), skip);
            if !abs && !neg {
                return Operand::Vector(lanes);
            }
            let prepared = scratch(l, i);
            let flags = l.const32(kernels::prepare_flags(ty, abs, neg));
            l.call_host(kernels::prepare_vector as *const u8 as usize, &[lanes, prepared, flags], None);
            Operand::Vector(prepared)
        }
        _ => {
            let mut value = l.src(inst, i);
            if !ty.is_wide() {
                value = l.b.ins().uextend(types::I64, value);
            }
            let sign = 1u64 << (ty.bits() - 1);
            if abs {
                value = l.b.ins().band_imm_u(value, !sign as i64);
            }
            if neg {
                value = l.b.ins().bxor_imm_u(value, sign as i64);
            }
            Operand::Scalar(value)
        }
    }
}

/// Address of VGPR `n`; in GPR-index mode M0[7:0] is added to the number if M0[12 + i].
fn vector_address(l: &mut Lower<'_, '_>, n: u8, i: usize, wide: bool, skip: Option<Value>) -> Value {
    const SIZE: i64 = size_of::<Vgpr>() as i64;
    if !l.special_mode || !l.options.arch.is_gcn12_or_later() {
        return l.pointer_at(l.vgprs, n as i64 * SIZE);
    }
    let m0 = l.regs.read32(l.b, reg::M0);
    let wanted = l.b.ins().band_imm_u(m0, 1 << (12 + i));
    let wanted = l.b.ins().icmp_imm_u(IntCC::NotEqual, wanted, 0);
    let enabled = mode_bit(l, Mode::GPR_IDX_EN_BIT);
    let indexed = l.b.ins().band(wanted, enabled);
    let index = l.b.ins().band_imm_u(m0, 0xff);
    let zero = l.const32(0);
    let index = l.b.ins().select(indexed, index, zero);
    let number = l.b.ins().iadd_imm_u(index, n as i64);
    let past = l.b.ins().icmp_imm_u(IntCC::UnsignedGreaterThan, number, 255 - wide as i64);
    let noted = unless(l, skip, past);
    l.note_if(noted, Note::GprIdxRange);
    let number = l.b.ins().select(past, zero, number);
    let number = l.b.ins().uextend(types::I64, number);
    let bytes = l.b.ins().imul_imm_u(number, SIZE);
    l.b.ins().iadd(l.vgprs, bytes)
}
