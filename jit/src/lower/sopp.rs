//! SOPP: program control. Branches and ends are in `flow.rs`; the other instructions have no effect on one wave's
//! state.

use cranelift_codegen::ir::InstBuilder;
use gcnsim_isa::{Inst, Mode, reg};

use super::Lower;

gcnsim_isa::for_each_sopp!(lowerings);

/// Makes the lowerings of instructions that do nothing.
macro_rules! nothing {
    ($($name:ident)*) => { $(fn $name(_: &mut Lower<'_, '_>, _: &Inst) {})* };
}

// Memory is synchronous, a wave is alone, and messages go nowhere.
nothing! {
    s_nop s_wakeup s_barrier s_setkill s_waitcnt s_sleep s_setprio s_sendmsg s_icache_inv s_incperflevel
    s_decperflevel s_ttracedata
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
