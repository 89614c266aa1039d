//! Instructions that are not a loop over lanes: moves between a lane and a scalar register, V_MOVREL* and V_SWAP
//! (docs/gcn/valu-integer.md#moves-and-lane-operations). Lane moves ignore EXEC.

use gcnsim_isa::{Mode, Note, Vgpr, WaveState, reg};

use super::drive::{indexed, plain_numbers, register, scalar, write};
use super::op::{Source, VectorOp};

macro_rules! whole {
    ($($name:ident)*) => {
        /// The actions of instructions that are functions of their own.
        pub(crate) mod rows {
            use crate::vector::op::Action;

            $(pub fn $name() -> Action {
                Action::Whole(super::$name)
            })*
        }
    };
}

whole! {
    nothing v_readfirstlane_b32 v_readlane_b32 v_writelane_b32 v_movrels_b32 v_movreld_b32 v_movrelsd_b32 v_swap_b32
}

/// V_NOP, V_CLREXCP.
pub(crate) fn nothing(_: &VectorOp, _: &mut WaveState, _: &mut [Vgpr]) {}

/// SGPR D = S0 in the first active lane, or in lane 0 if no lane is active.
pub(crate) fn v_readfirstlane_b32(op: &VectorOp, state: &mut WaveState, vgprs: &mut [Vgpr]) {
    if is_skipped(op, state, vgprs) {
        return;
    }
    // 0 has 64 trailing zeros, of which bits [5:0] count.
    let lane = state.exec().trailing_zeros();
    state.sgpr[usize::from(op.sdst & 127)] = lane_of(op, 0, lane, state, vgprs);
}

/// SGPR D = S0 in lane S1\[5:0\].
pub(crate) fn v_readlane_b32(op: &VectorOp, state: &mut WaveState, vgprs: &mut [Vgpr]) {
    if is_skipped(op, state, vgprs) {
        return;
    }
    let lane = lane_of(op, 1, 0, state, vgprs);
    state.sgpr[usize::from(op.sdst & 127)] = lane_of(op, 0, lane, state, vgprs);
}

/// D in lane S1\[5:0\] = S0.
pub(crate) fn v_writelane_b32(op: &VectorOp, state: &mut WaveState, vgprs: &mut [Vgpr]) {
    if is_skipped(op, state, vgprs) {
        return;
    }
    let (value, lane) = (lane_of(op, 0, 0, state, vgprs), lane_of(op, 1, 0, state, vgprs));
    if let Some(register) = vgprs.get_mut(usize::from(op.vdst)) {
        register.0[lane as usize & 63] = value;
    }
}

/// D = VGPR\[number of S0 + M0\].
pub(crate) fn v_movrels_b32(op: &VectorOp, state: &mut WaveState, vgprs: &mut [Vgpr]) {
    move_relative::<true, false>(op, state, vgprs);
}

/// VGPR\[number of D + M0\] = S0.
pub(crate) fn v_movreld_b32(op: &VectorOp, state: &mut WaveState, vgprs: &mut [Vgpr]) {
    move_relative::<false, true>(op, state, vgprs);
}

/// VGPR\[number of D + M0\] = VGPR\[number of S0 + M0\].
pub(crate) fn v_movrelsd_b32(op: &VectorOp, state: &mut WaveState, vgprs: &mut [Vgpr]) {
    move_relative::<true, true>(op, state, vgprs);
}

/// Moves between registers whose numbers M0 changes. If a number is past the last register, a source is v0, and
/// nothing is written.
fn move_relative<const SOURCE: bool, const DESTINATION: bool>(
    op: &VectorOp,
    state: &mut WaveState,
    vgprs: &mut [Vgpr],
) {
    if is_skipped(op, state, vgprs) {
        return;
    }
    let m0 = state.sgpr[reg::M0 as usize];
    let mut relative = |number: u8| {
        // M0 is not negative, and the sum does not wrap.
        let sum = usize::try_from(u64::from(number) + u64::from(m0)).ok().filter(|&sum| sum < vgprs.len());
        state.notes.insert_if(sum.is_none(), Note::MovrelRange);
        sum
    };
    let destination = if DESTINATION { relative(op.vdst) } else { Some(usize::from(op.vdst)) };
    let values = match op.source[0] {
        Source::Vgpr(n) if SOURCE => *register(vgprs, relative(n).unwrap_or(0)),
        Source::Vgpr(n) => *register(vgprs, usize::from(n)),
        _ => Vgpr([scalar(op, 0, state, 0); gcnsim_isa::LANES]),
    };
    if let Some(number) = destination {
        write(vgprs, number, &values, state.exec());
    }
}

/// Active lanes exchange D and S0.
pub(crate) fn v_swap_b32(op: &VectorOp, state: &mut WaveState, vgprs: &mut [Vgpr]) {
    if state.mode & Mode::VSKIP != 0 {
        return;
    }
    op.note_missing(state, vgprs);
    let is_indexed = state.mode & op.unusual != 0;
    let numbers = if is_indexed { indexed(op, state, vgprs.len()) } else { plain_numbers(op) };
    let (source, destination) = (numbers.source[0], numbers.destination);
    let [values, old] = [source, destination].map(|number| *register(vgprs, number.unwrap_or(0)));
    for (number, values) in [(destination, values), (source, old)] {
        if let Some(number) = number {
            write(vgprs, number, &values, state.exec());
        }
    }
}

/// Whether VSKIP skips the instruction. If not, GPR-index mode is noted, which has no effect on these instructions, and
/// so are registers past the allocation.
fn is_skipped(op: &VectorOp, state: &mut WaveState, vgprs: &[Vgpr]) -> bool {
    let is_skipped = state.mode & Mode::VSKIP != 0;
    let odd = op.unusual & state.mode & Mode::GPR_IDX_EN != 0;
    if !is_skipped {
        state.notes.insert_if(odd, Note::GpridxOdd);
        op.note_missing(state, vgprs);
    }
    is_skipped
}

/// Source `i` in a lane, of whose number the lowest six bits count. A scalar is the same in all lanes.
fn lane_of(op: &VectorOp, i: usize, lane: u32, state: &WaveState, vgprs: &[Vgpr]) -> u32 {
    match op.source[i] {
        Source::Vgpr(n) => register(vgprs, usize::from(n)).0[lane as usize & 63],
        _ => scalar(op, i, state, 0),
    }
}
