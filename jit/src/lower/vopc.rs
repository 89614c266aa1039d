//! Vector compares: a call of a helper for all lanes, masked with EXEC.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, Value, types};
use gcnsim_isa::table::Vopc;
use gcnsim_isa::{Inst, Note, OperandType, Pred, Src, reg};

use super::vector::{Index, Vector, scratch};
use super::{Lower, dst_code};
use crate::abi::offset;
use gcnsim_helpers::{Helper, HelperOp};

/// An operand in the form that helpers take.
#[derive(Clone, Copy)]
enum Operand {
    /// The address of the lanes.
    Vector(Value),
    /// A scalar in the low bits of an I64.
    Scalar(Value),
}

/// Lowers a compare.
pub(super) fn lower(l: &mut Lower<'_, '_>, op: Vopc, inst: &Inst) {
    let cmp = op.cmp();
    let v = Vector::new(l, Note::GprIdxRange);
    v.note_odd_form(l, inst);
    let exec = l.exec();
    let no_lane = l.b.ins().icmp_imm_u(IntCC::Equal, exec, 0);
    v.note_if(l, no_lane, Note::VcmpExecZero);
    // A skipped compare raises no notes: for it, no lane is active.
    let active = v.active(l);
    let operands = Operands::new(l, &v, inst, active);
    let result = match base_predicate(cmp.pred) {
        Base::Never => l.const64(0),
        Base::Always => operands.active,
        Base::Helper { op, complement } => {
            let lanes = call_helper(l, inst, cmp.ty, op, &operands);
            if complement { l.b.ins().band_not(operands.active, lanes) } else { l.b.ins().band(operands.active, lanes) }
        }
    };
    v.write_mask(l, dst_code(inst), result);
    if cmp.writes_exec {
        v.write_mask(l, reg::EXEC_LO, result);
    }
}

/// Sources in the form that helpers take, and the lanes that take part.
struct Operands {
    sources: [Operand; 2],
    active: Value,
}

impl Operands {
    /// Selects parts, moves lanes and applies modifiers, in this order. Raises the note for numbers past the last VGPR.
    fn new(l: &mut Lower<'_, '_>, v: &Vector, inst: &Inst, mut active: Value) -> Operands {
        let mut source = |l: &mut Lower<'_, '_>, i: usize| match inst.src(i) {
            Src::Vgpr(n) => {
                let mut lanes = v.place(l, n, inst.src_type(i).dwords(), Index::Mode(i as u32)).lanes;
                if let Some(part) = v.select_part(l, inst, i, lanes) {
                    lanes = part;
                }
                if i == 0
                    && let Some((moved, mask)) = v.move_lanes(l, inst, lanes, active)
                {
                    (lanes, active) = (moved, mask);
                }
                Operand::Vector(lanes)
            }
            _ if inst.sdwa().is_some_and(|selectors| selectors.src_sel[i] != 6) => {
                let scalar = v.source(l, inst, i, Index::None);
                v.select_part(l, inst, i, scalar).map_or_else(|| unreachable!("a part is selected"), Operand::Vector)
            }
            _ => scalar(l, inst, i),
        };
        let sources = [source(l, 0), source(l, 1)];
        let sources = [modified(l, inst, 0, sources[0]), modified(l, inst, 1, sources[1])];
        Operands { sources, active }
    }
}

enum Base {
    Never,
    Always,
    Helper { op: HelperOp, complement: bool },
}

/// The base predicate. Half of the predicates are the exact negation of another.
fn base_predicate(pred: Pred) -> Base {
    let plain = |op| Base::Helper { op, complement: false };
    let not = |op| Base::Helper { op, complement: true };
    match pred {
        Pred::F => Base::Never,
        Pred::Tru => Base::Always,
        Pred::Lt => plain(HelperOp::Lt),
        Pred::Eq => plain(HelperOp::Eq),
        Pred::Le => plain(HelperOp::Le),
        Pred::Gt => plain(HelperOp::Gt),
        Pred::Lg => plain(HelperOp::Lg),
        Pred::Ge => plain(HelperOp::Ge),
        Pred::U => plain(HelperOp::U),
        Pred::O => not(HelperOp::U),
        Pred::Nge => not(HelperOp::Ge),
        Pred::Nlg => not(HelperOp::Lg),
        Pred::Ngt => not(HelperOp::Gt),
        Pred::Nle => not(HelperOp::Le),
        Pred::Neq => not(HelperOp::Eq),
        Pred::Nlt => not(HelperOp::Lt),
        Pred::Class => plain(HelperOp::Class),
    }
}

/// The predicate that gives the same result with its operands exchanged.
fn exchanged(op: HelperOp) -> HelperOp {
    match op {
        HelperOp::Lt => HelperOp::Gt,
        HelperOp::Le => HelperOp::Ge,
        HelperOp::Gt => HelperOp::Lt,
        HelperOp::Ge => HelperOp::Le,
        HelperOp::Eq | HelperOp::Lg | HelperOp::U => op,
        HelperOp::Class => unreachable!("the operands of a class test differ"),
    }
}

/// Calls a helper. The result has one bit per lane, for all lanes.
fn call_helper(l: &mut Lower<'_, '_>, inst: &Inst, ty: OperandType, op: HelperOp, operands: &Operands) -> Value {
    let [s0, s1] = operands.sources;
    let level = l.options.level;
    let (helper, a, b) = match (s0, s1) {
        (Operand::Vector(a), Operand::Vector(b)) => (gcnsim_helpers::helper(level, ty, op, false), a, b),
        (Operand::Scalar(a), Operand::Vector(b)) => (gcnsim_helpers::helper(level, ty, op, true), a, b),
        (Operand::Vector(a), Operand::Scalar(mask)) if op == HelperOp::Class => {
            let mask = l.b.ins().ireduce(types::I32, mask);
            let helper = gcnsim_helpers::class_vs(level, ty) as *const u8 as usize;
            return call(l, helper, &[a, mask]);
        }
        (Operand::Vector(a), Operand::Scalar(b)) => (gcnsim_helpers::helper(level, ty, exchanged(op), true), b, a),
        (Operand::Scalar(a), Operand::Scalar(b)) => {
            let lanes = scratch(l, 3);
            let flags = l.const32(gcnsim_helpers::prepare_flags(inst.src_type(1), false, false));
            l.call_host(gcnsim_helpers::prepare_scalar as *const u8 as usize, &[b, lanes, flags], None);
            (gcnsim_helpers::helper(level, ty, op, true), a, lanes)
        }
    };
    let address = helper.address() as usize;
    match helper {
        Helper::IntVV(_) | Helper::IntSV(_) => call(l, address, &[a, b]),
        Helper::FloatVV(_) | Helper::FloatSV(_) => {
            let mode = l.mode();
            let notes = l.pointer_at(l.state, offset::NOTES as i64);
            call(l, address, &[a, b, mode, operands.active, notes])
        }
    }
}

fn call(l: &mut Lower<'_, '_>, helper: usize, args: &[Value]) -> Value {
    l.call_host(helper, args, Some(types::I64)).unwrap_or_else(|| unreachable!("helpers return a mask"))
}

/// Whether ABS and NEG apply to source `i`. (The mask of a class test has neither.)
fn signs(inst: &Inst, i: usize) -> (bool, bool) {
    if inst.src_type(i).is_float() { (inst.abs(i), inst.neg(i)) } else { (false, false) }
}

/// A source with its modifiers applied. Scalars have theirs already.
fn modified(l: &mut Lower<'_, '_>, inst: &Inst, i: usize, source: Operand) -> Operand {
    match (source, signs(inst, i)) {
        (Operand::Vector(lanes), (abs, neg)) if abs || neg => {
            // The first two scratch registers hold parts and moved lanes.
            let prepared = scratch(l, 2 + i);
            let flags = l.const32(gcnsim_helpers::prepare_flags(inst.src_type(i), abs, neg));
            l.call_host(gcnsim_helpers::prepare_vector as *const u8 as usize, &[lanes, prepared, flags], None);
            Operand::Vector(prepared)
        }
        _ => source,
    }
}

/// A scalar source with its modifiers applied.
fn scalar(l: &mut Lower<'_, '_>, inst: &Inst, i: usize) -> Operand {
    let (ty, (abs, neg)) = (inst.src_type(i), signs(inst, i));
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
