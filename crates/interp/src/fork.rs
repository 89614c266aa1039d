//! Divergent branches: S_CBRANCH_G_FORK, S_CBRANCH_I_FORK and S_CBRANCH_JOIN.
//!
//! The fork stack lies in SGPR0 upwards, four registers an entry (mask low, mask high, PC low, PC high); MODE\[31:29\],
//! CSP, counts its entries. CSP is three bits wide and wraps: the eighth push and the join of an empty stack are noted
//! (`csp-wrap`).

use gcnsim_isa::{Mode, Note, RegCode, WaveState};

use super::jump::{jump_to, note_target};
use super::op::{Jump, steps};
use super::register::{register_pair, set_register_pair};

steps! {
    /// Notes an unusual target S1 (`pc-low-bits`, `pc-high-bits`) if the fork jumps to it or pushes it, which is so
    /// unless all active lanes fall through. The low bits of the target are cleared first, so the pushed address has
    /// none.
    fn s_cbranch_g_fork(s0: u64, s1: u64, fork_next: u64, state: &mut WaveState) -> Jump => Computed {
        let exec = state.exec();
        if exec == 0 || s0 & exec != 0 {
            note_target(s1, &mut state.notes);
        }
        fork(s0, s1 & !3, fork_next, state)
    }

    fn s_cbranch_i_fork(s0: u64, target: u64, next: u64, state: &mut WaveState) -> Jump => Computed {
        fork(s0, target, next, state)
    }

    /// Compares S0 with CSP in all its 32 bits.
    fn s_cbranch_join(s0: u32, next: u64, state: &mut WaveState) -> Jump => Computed {
        let csp = csp(state);
        if csp as u32 == s0 {
            return Jump(next);
        }
        if csp == 0 {
            state.notes.insert(Note::CspWrap);
        }
        let top = csp.wrapping_sub(1) & 7;
        set_csp(state, top);
        state.set_exec(register_pair(state, RegCode::new(4 * top)));
        let pc = register_pair(state, RegCode::new(4 * top + 2));
        jump_to(pc, &mut state.notes)
    }
}

/// Runs the smaller side first; on a tie, the side that passes the condition. The other side is pushed.
fn fork(mask: u64, target: u64, next: u64, state: &mut WaveState) -> Jump {
    let exec = state.exec();
    let pass = mask & exec;
    let fail = !mask & exec;
    if pass == exec {
        Jump(target)
    } else if fail == exec {
        Jump(next)
    } else if fail.count_ones() < pass.count_ones() {
        push(state, pass, target);
        state.set_exec(fail);
        Jump(next)
    } else {
        push(state, fail, next);
        state.set_exec(pass);
        Jump(target)
    }
}

fn push(state: &mut WaveState, mask: u64, pc: u64) {
    let csp = csp(state);
    if csp == 7 {
        state.notes.insert(Note::CspWrap);
    }
    set_register_pair(state, RegCode::new(4 * csp), mask);
    set_register_pair(state, RegCode::new(4 * csp + 2), pc);
    set_csp(state, csp + 1);
}

/// Depth of the stack, 0..=7.
fn csp(state: &WaveState) -> u8 {
    (state.mode >> Mode::CSP_SHIFT) as u8 & 7
}

fn set_csp(state: &mut WaveState, csp: u8) {
    let others = state.mode & !(7 << Mode::CSP_SHIFT);
    state.mode = others | (csp as u32 & 7) << Mode::CSP_SHIFT;
}
