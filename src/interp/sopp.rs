//! SOPP: program control. Direct branches are roles of their own, which the block loop carries out with the conditions
//! here; what concerns other waves, memory or debuggers does nothing to a single wave.

use gcnsim_isa::table::Sopp;
use gcnsim_isa::{Mode, WaveState};

use super::op::{M0, Role, Step, exec};

/// The function and role of an instruction with immediate `simm16`.
pub(super) fn step(op: Sopp, simm16: i16) -> Step {
    match op {
        Sopp::SNop => NOTHING,
        Sopp::SEndpgm => Step::exit(Role::End),
        Sopp::SBranch => Step::exit(Role::Branch),
        Sopp::SWakeup => NOTHING,
        Sopp::SCbranchScc0 => Step::exit(Role::CbranchScc0),
        Sopp::SCbranchScc1 => Step::exit(Role::CbranchScc1),
        Sopp::SCbranchVccz => Step::exit(Role::CbranchVccz),
        Sopp::SCbranchVccnz => Step::exit(Role::CbranchVccnz),
        Sopp::SCbranchExecz => Step::exit(Role::CbranchExecz),
        Sopp::SCbranchExecnz => Step::exit(Role::CbranchExecnz),
        Sopp::SBarrier => NOTHING,
        Sopp::SSetkill => NOTHING,
        Sopp::SWaitcnt => NOTHING,
        Sopp::SSethalt => s_sethalt(simm16),
        Sopp::SSleep => NOTHING,
        Sopp::SSetprio => NOTHING,
        Sopp::SSendmsg => NOTHING,
        Sopp::SSendmsghalt => Step::exit(Role::Halt),
        Sopp::STrap => Step::exit(Role::Stop),
        Sopp::SIcacheInv => NOTHING,
        Sopp::SIncperflevel => NOTHING,
        Sopp::SDecperflevel => NOTHING,
        Sopp::STtracedata => NOTHING,
        // Never taken: only a debugger sets the STATUS bits they test.
        Sopp::SCbranchCdbgsys => NOTHING,
        Sopp::SCbranchCdbguser => NOTHING,
        Sopp::SCbranchCdbgsysOrUser => NOTHING,
        Sopp::SCbranchCdbgsysAndUser => NOTHING,
        Sopp::SEndpgmSaved => Step::exit(Role::End),
        Sopp::SSetGprIdxOff => exec!(s_set_gpr_idx_off(state)),
        Sopp::SSetGprIdxMode => exec!(s_set_gpr_idx_mode(m0, field)),
        Sopp::SEndpgmOrderedPsDone => Step::exit(Role::End),
    }
}

/// Executed and counted, without effect.
const NOTHING: Step = Step::exit(Role::Body);

/// Halts the wave if SIMM16\[0\] is set.
fn s_sethalt(simm16: i16) -> Step {
    if simm16 & 1 == 1 { Step::exit(Role::Halt) } else { NOTHING }
}

pub(super) fn s_cbranch_scc0(state: &WaveState) -> bool {
    state.scc == 0
}

pub(super) fn s_cbranch_scc1(state: &WaveState) -> bool {
    state.scc != 0
}

pub(super) fn s_cbranch_vccz(state: &WaveState) -> bool {
    state.vcc() == 0
}

pub(super) fn s_cbranch_vccnz(state: &WaveState) -> bool {
    state.vcc() != 0
}

pub(super) fn s_cbranch_execz(state: &WaveState) -> bool {
    state.exec() == 0
}

pub(super) fn s_cbranch_execnz(state: &WaveState) -> bool {
    state.exec() != 0
}

fn s_set_gpr_idx_off(state: &mut WaveState) {
    state.mode &= !Mode::GPR_IDX_EN;
}

/// M0\[15:12\] = SIMM16\[3:0\].
fn s_set_gpr_idx_mode(m0: u32, field: u16) -> M0 {
    M0(m0 & !0xf000 | (field as u32 & 15) << 12)
}
