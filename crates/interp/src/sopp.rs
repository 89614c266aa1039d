//! SOPP: program control. The conditions of direct branches are functions as in all other modules. Instructions for
//! other waves, memory or debuggers have no effect on a single wave.

use gcnsim_isa::table::Sopp;
use gcnsim_isa::{MEMORY, Mode, WaveState};

use super::op::{Exit, M0, Role, Step, Way, exec, nothing, taken};

/// Wraps the condition of a direct branch.
macro_rules! branch {
    ($name:ident($($arg:ident),*)) => {
        Step::jump(Way::Target, |_wave, _, scc, _env| Exit { way: taken($name($(exec!(@ $arg _wave _op scc)),*)), scc })
    };
}

/// The function and role of an instruction with immediate `simm16`.
pub(super) fn step(op: Sopp, simm16: i16) -> Step {
    match op {
        Sopp::SNop => NOTHING,
        Sopp::SEndpgm => Step::stop(Role::End),
        Sopp::SBranch => branch!(s_branch()),
        Sopp::SWakeup => NOTHING,
        Sopp::SCbranchScc0 => branch!(s_cbranch_scc0(scc)),
        Sopp::SCbranchScc1 => branch!(s_cbranch_scc1(scc)),
        Sopp::SCbranchVccz => branch!(s_cbranch_vccz(vcc)),
        Sopp::SCbranchVccnz => branch!(s_cbranch_vccnz(vcc)),
        Sopp::SCbranchExecz => branch!(s_cbranch_execz(exec)),
        Sopp::SCbranchExecnz => branch!(s_cbranch_execnz(exec)),
        Sopp::SBarrier if MEMORY => Step::stop(Role::Barrier),
        Sopp::SBarrier => NOTHING,
        Sopp::SSetkill => NOTHING,
        Sopp::SWaitcnt => NOTHING,
        Sopp::SSethalt => s_sethalt(simm16),
        Sopp::SSleep => NOTHING,
        Sopp::SSetprio => NOTHING,
        Sopp::SSendmsg => NOTHING,
        Sopp::SSendmsghalt => Step::stop(Role::Halt),
        Sopp::STrap => Step::stop(Role::Stop),
        Sopp::SIcacheInv => NOTHING,
        Sopp::SIncperflevel => NOTHING,
        Sopp::SDecperflevel => NOTHING,
        Sopp::STtracedata => NOTHING,
        // Never taken: only a debugger sets the STATUS bits they test.
        Sopp::SCbranchCdbgsys => NOTHING,
        Sopp::SCbranchCdbguser => NOTHING,
        Sopp::SCbranchCdbgsysOrUser => NOTHING,
        Sopp::SCbranchCdbgsysAndUser => NOTHING,
        Sopp::SEndpgmSaved => Step::stop(Role::End),
        Sopp::SSetGprIdxOff => exec!(s_set_gpr_idx_off(state)),
        Sopp::SSetGprIdxMode => exec!(s_set_gpr_idx_mode(m0, field)),
        Sopp::SEndpgmOrderedPsDone => Step::stop(Role::End),
    }
}

/// An instruction that is executed and counted, without effect.
const NOTHING: Step = Step::body(nothing);

/// Halts the wave if SIMM16\[0\] is set.
fn s_sethalt(simm16: i16) -> Step {
    if simm16 & 1 == 1 { Step::stop(Role::Halt) } else { NOTHING }
}

fn s_branch() -> bool {
    true
}

fn s_cbranch_scc0(scc: bool) -> bool {
    !scc
}

fn s_cbranch_scc1(scc: bool) -> bool {
    scc
}

fn s_cbranch_vccz(vcc: u64) -> bool {
    vcc == 0
}

fn s_cbranch_vccnz(vcc: u64) -> bool {
    vcc != 0
}

fn s_cbranch_execz(exec: u64) -> bool {
    exec == 0
}

fn s_cbranch_execnz(exec: u64) -> bool {
    exec != 0
}

fn s_set_gpr_idx_off(state: &mut WaveState) {
    state.mode &= !Mode::GPR_IDX_EN;
}

/// M0\[15:12\] = SIMM16\[3:0\].
fn s_set_gpr_idx_mode(m0: u32, field: u16) -> M0 {
    M0(m0 & !0xf000 | (field as u32 & 15) << 12)
}
