//! Vector compares: a call of a helper for all lanes.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, Value, types};
use gcnsim_isa::table::Vopc;
use gcnsim_isa::{Inst, Note, Pred, reg};

use super::vector::Vector;
use super::{Lower, dst_code, valu};
use crate::abi::offset;
use gcnsim_helpers::valu::DirectFn;

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
    let chosen = (!matches!(cmp.pred, Pred::F | Pred::Tru)).then(|| valu::chosen(l, inst));
    let direct = chosen.and_then(|chosen| chosen.direct);
    let by_value = direct.map_or(0, |direct| direct.scalars);
    let (sources, active) = valu::sources(l, &v, inst, active, by_value);
    let result = match (chosen, direct) {
        (Some(chosen), Some(direct)) => {
            let mask = call_direct(l, direct.function, sources, active);
            if chosen.complement { l.b.ins().band_not(active, mask) } else { l.b.ins().band(active, mask) }
        }
        (Some(chosen), None) => {
            let no_lanes = l.frame;
            valu::store_control(l, inst, &chosen);
            let mask = valu::call(l, &chosen, no_lanes, sources, active);
            if chosen.complement { l.b.ins().band_not(active, mask) } else { mask }
        }
        (None, _) if cmp.pred == Pred::Tru => active,
        (None, _) => l.const64(0),
    };
    v.write_mask(l, dst_code(inst), result);
    if cmp.writes_exec {
        v.write_mask(l, reg::EXEC_LO, result);
    }
}

/// Calls the function of a direct compare. The result has bits of lanes that are not active, too.
fn call_direct(l: &mut Lower<'_, '_>, function: DirectFn, [s0, s1, _]: [Value; 3], active: Value) -> Value {
    let mask = match function {
        DirectFn::Sources(function) => l.call_host(function as *const u8 as usize, &[s0, s1], Some(types::I64)),
        DirectFn::Flushing(function) => {
            let (mode, control) = (l.mode(), l.pointer_at(l.frame, offset::CONTROL as i64));
            l.call_host(function as *const u8 as usize, &[s0, s1, active, mode, control], Some(types::I64))
        }
    };
    mask.unwrap_or_else(|| unreachable!("they return a mask"))
}
