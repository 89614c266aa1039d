//! SOPP: program control. Branches and ends are in `flow.rs`; the other instructions have no effect on one wave's
//! state.

use cranelift_codegen::ir::InstBuilder;
use gcnsim_isa::table::Sopp;
use gcnsim_isa::{Inst, Mode, reg};

use super::Lower;

pub(super) fn lower(l: &mut Lower<'_, '_>, op: Sopp, inst: &Inst) {
    match op {
        Sopp::SSetGprIdxOff => lower_s_set_gpr_idx_off(l),
        Sopp::SSetGprIdxMode => lower_s_set_gpr_idx_mode(l, inst),
        // Memory is synchronous, a wave is alone, and messages go nowhere. S_SETHALT 0 does not halt.
        Sopp::SNop
        | Sopp::SWakeup
        | Sopp::SBarrier
        | Sopp::SSetkill
        | Sopp::SWaitcnt
        | Sopp::SSethalt
        | Sopp::SSleep
        | Sopp::SSetprio
        | Sopp::SSendmsg
        | Sopp::SIcacheInv
        | Sopp::SIncperflevel
        | Sopp::SDecperflevel
        | Sopp::STtracedata => {}
        Sopp::SEndpgm
        | Sopp::SBranch
        | Sopp::SCbranchScc0
        | Sopp::SCbranchScc1
        | Sopp::SCbranchVccz
        | Sopp::SCbranchVccnz
        | Sopp::SCbranchExecz
        | Sopp::SCbranchExecnz
        | Sopp::SSendmsghalt
        | Sopp::STrap
        | Sopp::SCbranchCdbgsys
        | Sopp::SCbranchCdbguser
        | Sopp::SCbranchCdbgsysOrUser
        | Sopp::SCbranchCdbgsysAndUser
        | Sopp::SEndpgmSaved
        | Sopp::SEndpgmOrderedPsDone => unreachable!("{op:?} ends its block"),
    }
}

fn lower_s_set_gpr_idx_off(l: &mut Lower<'_, '_>) {
    let mode = l.mode();
    let mode = l.b.ins().band_imm_u(mode, !Mode::GPR_IDX_EN as i64);
    l.set_mode(mode);
}

fn lower_s_set_gpr_idx_mode(l: &mut Lower<'_, '_>, inst: &Inst) {
    let m0 = l.regs.read32(l.b, reg::M0);
    let rest = l.b.ins().band_imm_u(m0, 0xffff_0fff);
    let m0 = l.b.ins().bor_imm_u(rest, ((inst.simm16() as u16 as i64) & 15) << 12);
    l.regs.write32(l.b, reg::M0, m0);
}
