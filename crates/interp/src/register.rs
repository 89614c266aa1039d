//! Scalar registers by operand code.

use gcnsim_isa::{RegCode, WaveState};

/// Index of the upper half of the pair that starts at a code. Pairs start at 126 at most.
#[inline(always)]
const fn upper(code: RegCode) -> usize {
    (code as usize + 1) & 127
}

/// A scalar register.
#[inline(always)]
pub(super) fn register(state: &WaveState, code: RegCode) -> u32 {
    state.sgpr[code as usize]
}

/// A pair of scalar registers, low half at `code`.
#[inline(always)]
pub(super) fn register_pair(state: &WaveState, code: RegCode) -> u64 {
    state.sgpr[code as usize] as u64 | (state.sgpr[upper(code)] as u64) << 32
}

#[inline(always)]
pub(super) fn set_register(state: &mut WaveState, code: RegCode, value: u32) {
    state.sgpr[code as usize] = value;
}

#[inline(always)]
pub(super) fn set_register_pair(state: &mut WaveState, code: RegCode, value: u64) {
    state.sgpr[code as usize] = value as u32;
    state.sgpr[upper(code)] = (value >> 32) as u32;
}
