//! VSKIP and GPR-index mode: S_SETVSKIP and S_SET_GPR_IDX_*, of several encodings.

use gcnsim_isa::{Mode, WaveState, reg};

use super::op::{M0, steps};

steps! {
    /// M0\[7:0\] = S0\[7:0\].
    fn s_set_gpr_idx_idx(s0: u32, m0: u32) -> M0 { M0(m0 & !0xff | s0 & 0xff) }

    /// MODE\[28\] = S0\[S1\[4:0\]\].
    fn s_setvskip(s0: u32, s1: u32, state: &mut WaveState) {
        let bit = s0 >> (s1 & 31) & 1;
        state.mode = state.mode & !Mode::VSKIP | bit << Mode::VSKIP_BIT;
    }

    /// MODE\[27\] = 1; M0\[7:0\] = S0\[7:0\]; M0\[15:12\] = the immediate in the SSRC1 field. Bits \[15:8\] of `field`
    /// hold that immediate.
    fn s_set_gpr_idx_on(s0: u32, field: u16, state: &mut WaveState) {
        state.mode |= Mode::GPR_IDX_EN;
        let m0 = &mut state.sgpr[reg::M0 as usize];
        *m0 = *m0 & 0xffff_0f00 | (field as u32 >> 8 & 15) << 12 | s0 & 0xff;
    }

    fn s_set_gpr_idx_off(state: &mut WaveState) { state.mode &= !Mode::GPR_IDX_EN; }

    /// M0\[15:12\] = SIMM16\[3:0\].
    fn s_set_gpr_idx_mode(m0: u32, field: u16) -> M0 { M0(m0 & !0xf000 | (field as u32 & 15) << 12) }
}
