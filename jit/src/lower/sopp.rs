//! SOPP: program control. Branches and ends are in `flow.rs`. Messages are observations; the other instructions have no
//! effect on one wave's state.

use cranelift_codegen::ir::InstBuilder;
use gcnsim_isa::{Inst, Mode, reg};

use super::Lower;
use crate::abi::offset;

gcnsim_isa::for_each_sopp!(lowerings);

/// Makes the lowerings of instructions that do nothing.
macro_rules! nothing {
    ($($name:ident)*) => { $(fn $name(_: &mut Lower<'_, '_>, _: &Inst) {})* };
}

// Memory is synchronous, and a wave is alone.
nothing! {
    s_nop s_wakeup s_barrier s_setkill s_waitcnt s_sleep s_setprio s_icache_inv s_incperflevel
    s_decperflevel s_ttracedata
}

fn s_sendmsg(l: &mut Lower<'_, '_>, inst: &Inst) {
    send_message(l, inst, l.pc);
}

/// Adds a message to those of the wave: S_SENDMSG, S_SENDMSGHALT.
pub(super) fn send_message(l: &mut Lower<'_, '_>, inst: &Inst, pc: u64) {
    let notes = l.pointer_at(l.state, offset::NOTES as i64);
    let message = l.const32(u32::from(inst.simm16() as u16));
    let (m0, exec, pc) = (l.register(reg::M0), l.exec(), l.const64(pc));
    let address = gcnsim_helpers::memory::send_message as *const u8 as usize;
    l.call_host(address, &[notes, l.frame, message, m0, exec, pc], None);
}

fn s_set_gpr_idx_off(l: &mut Lower<'_, '_>, _: &Inst) {
    let mode = l.mode();
    let mode = l.b.ins().band_imm_u(mode, !Mode::GPR_IDX_EN as i64);
    l.set_mode(mode);
}

fn s_set_gpr_idx_mode(l: &mut Lower<'_, '_>, inst: &Inst) {
    let m0 = l.regs.read32(l.b, reg::M0);
    let rest = l.b.ins().band_imm_u(m0, 0xffff_0fff);
    let m0 = l.b.ins().bor_imm_u(rest, ((inst.simm16() as u16 as i64) & 15) << 12);
    l.regs.write32(l.b, reg::M0, m0);
}
