//! VINTRP and 16-bit interpolation: a call that fetches parts of the attribute from LDS, and the helper of a
//! multiply-add.

use cranelift_codegen::ir::Value;
use gcnsim_isa::table::{Opcode, Vintrp, Vop3};
use gcnsim_isa::{Inst, Note, reg};

use super::Lower;
use super::valu::{call, chosen, store_control, vdst};
use super::vector::{Index, Vector, lane_0, scratch};
use gcnsim_helpers::valu::share::{self, Parts};

/// Lowers an interpolation. GPR-index mode does not move its operands.
pub(super) fn lower(l: &mut Lower<'_, '_>, inst: &Inst) {
    let Some(parts) = Parts::of(inst) else { unreachable!("{} interpolates", inst.desc().mnemonic) };
    let chosen = chosen(l, inst);
    let v = Vector::new(l, Note::GpridxRange);
    v.note_if_indexed(l, Note::GpridxOdd);
    let active = v.active(l);
    let d = lane_0(l, vdst(inst));
    let (m0, bits) = (l.register(reg::M0), l.const32(parts.0));
    l.call_host(share::fetch_attribute as *const u8 as usize, &[l.frame, m0, bits], None);
    let coordinate = if is_move(inst) { l.frame } else { v.source(l, inst, 1, Index::None) };
    let addend = addend(l, &v, inst, bits);
    let sources = [scratch(l, 0), coordinate, addend];
    store_control(l, inst, &chosen);
    call(l, &chosen, d, sources, active);
}

fn is_move(inst: &Inst) -> bool {
    inst.opcode == Opcode::Vintrp(Vintrp::VInterpMovF32)
}

/// Source 2 of the multiply-add.
fn addend(l: &mut Lower<'_, '_>, v: &Vector, inst: &Inst, parts: Value) -> Value {
    match inst.opcode {
        Opcode::Vintrp(Vintrp::VInterpP2F32) => lane_0(l, vdst(inst)),
        Opcode::Vintrp(_) | Opcode::Vop3(Vop3::VInterpP1llF16) => scratch(l, 2),
        Opcode::Vop3(Vop3::VInterpP1lvF16) => {
            let source = v.source(l, inst, 2, Index::None);
            // HIGH selects the half of a VGPR only.
            let parts = if inst.src_vgpr(2).is_some() { parts } else { l.const32(0) };
            l.call_host(share::widen_halves as *const u8 as usize, &[l.frame, source, parts], None);
            scratch(l, 2)
        }
        _ => v.source(l, inst, 2, Index::None),
    }
}
