//! S_GETREG_B32 and S_SETREG(_IMM32)_B32: bit fields of hardware registers.
//!
//! MODE and TRAPSTS are plain storage. STATUS mirrors the state and ignores writes. SH_MEM_BASES has the apertures of a
//! dispatch. Every other register reads 0 (PC_LO and PC_HI: the next PC). All but MODE and TRAPSTS drop writes. The
//! immediate alone tells where a choice of ours matters: `Inst::static_notes` notes it.

use gcnsim_isa::{HwReg, WaveState, hwreg};

use super::op::steps;

steps! {
    fn s_getreg_b32(field: u16, next: u64, scc: bool, state: &mut WaveState) -> u32 {
        let field = HwReg::from_simm16(field);
        read(field.id, next, scc, state) >> field.offset & field.mask()
    }

    fn s_setreg_b32(s0: u32, field: u16, state: &mut WaveState) {
        let field = HwReg::from_simm16(field);
        let mask = field.mask();
        let register = match field.id {
            hwreg::MODE => &mut state.mode,
            hwreg::TRAPSTS => &mut state.trapsts,
            _ => return,
        };
        *register = *register & !(mask << field.offset) | (s0 & mask) << field.offset;
    }
}

fn read(id: u32, next: u64, scc: bool, state: &WaveState) -> u32 {
    match id {
        hwreg::MODE => state.mode,
        hwreg::STATUS => {
            let execz = (state.exec() == 0) as u32;
            let vccz = (state.vcc() == 0) as u32;
            scc as u32 | execz << 9 | vccz << 10
        }
        hwreg::TRAPSTS => state.trapsts,
        hwreg::PC_LO => next as u32,
        hwreg::PC_HI => (next >> 32) as u32,
        hwreg::SH_MEM_BASES => state.sh_mem_bases,
        _ => 0,
    }
}
