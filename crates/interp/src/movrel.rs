//! S_MOVREL*: moves from or to an SGPR whose number is an operand code plus M0.
//!
//! Their `Op::field` is the number of SGPRs of the generation.

use gcnsim_isa::{Note, RegCode, WaveState, reg};

use super::op::{Op, steps};
use super::register::{register, register_pair, set_register, set_register_pair};

steps! {
    fn s_movrels_b32(op: &Op, state: &mut WaveState) -> u32 {
        let code = relative(op.src[0].register(), false, op, state).unwrap_or(RegCode::R0);
        register(state, code)
    }

    fn s_movrels_b64(op: &Op, state: &mut WaveState) -> u64 {
        let code = relative(op.src[0].register(), true, op, state).unwrap_or(RegCode::R0);
        register_pair(state, code)
    }

    fn s_movreld_b32(s0: u32, op: &Op, state: &mut WaveState) {
        if let Some(code) = relative(op.dst, false, op, state) {
            set_register(state, code, s0);
        }
    }

    fn s_movreld_b64(s0: u64, op: &Op, state: &mut WaveState) {
        if let Some(code) = relative(op.dst, true, op, state) {
            set_register_pair(state, code, s0);
        }
    }
}

/// Operand code `code` + M0 (32 bits, wrapping), if that is an SGPR, or an aligned pair of SGPRs. A special register
/// can be reached only with M0 = 0. Everything else is out of range and noted (`movrel-range`).
fn relative(code: RegCode, wide: bool, op: &Op, state: &mut WaveState) -> Option<RegCode> {
    let m0 = state.sgpr[reg::M0 as usize];
    let sum = (code as u32).wrapping_add(m0);
    let sgprs = op.field as u32;
    let in_sgprs = (code as u32) < sgprs && sum < sgprs && sum + (wide as u32) < sgprs;
    let aligned = !wide || sum.is_multiple_of(2);
    if aligned && (in_sgprs || m0 == 0) {
        return Some(RegCode::new(sum as u8));
    }
    state.notes.insert(Note::MovrelRange);
    None
}
