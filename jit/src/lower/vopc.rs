//! Vector compares: a call of a helper for all lanes.

use cranelift_codegen::ir::InstBuilder;
use cranelift_codegen::ir::condcodes::IntCC;
use gcnsim_isa::table::Vopc;
use gcnsim_isa::{Inst, Note, Pred, reg};

use super::vector::Vector;
use super::{Lower, dst_code, valu};

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
    let (sources, active) = valu::sources(l, &v, inst, active);
    let result = match cmp.pred {
        Pred::F => l.const64(0),
        Pred::Tru => active,
        _ => {
            let (chosen, no_lanes) = (valu::chosen(l, inst), l.frame);
            valu::store_control(l, inst, &chosen);
            let mask = valu::call(l, &chosen, no_lanes, sources, active);
            if chosen.complement { l.b.ins().band_not(active, mask) } else { mask }
        }
    };
    v.write_mask(l, dst_code(inst), result);
    if cmp.writes_exec {
        v.write_mask(l, reg::EXEC_LO, result);
    }
}
