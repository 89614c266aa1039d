//! The test hook that makes an instruction wrong.

use cranelift_codegen::ir::{InstBuilder, MemFlagsData, types};
use gcnsim_isa::table::Sopp;
use gcnsim_isa::{Inst, Opcode};

use super::{Lower, sopp, vector};

impl Lower<'_, '_> {
    /// The test hook: flips the lowest bit of what the instruction writes.
    pub(super) fn plant(&mut self, inst: &Inst) {
        match (inst.dst(), inst.desc().dst.is_wide()) {
            (Some(dst), false) => {
                let value = self.regs.read32(self.b, dst);
                let wrong = self.b.ins().bxor_imm_u(value, 1);
                self.regs.write32(self.b, dst, wrong);
            }
            (Some(dst), true) => {
                let value = self.regs.read64(self.b, dst);
                let wrong = self.b.ins().bxor_imm_u(value, 1);
                self.regs.write64(self.b, dst, wrong);
            }
            (None, _) if let Some(vdst) = inst.vdst() => {
                let lane = vector::lane_0(self, vdst);
                let value = self.b.ins().load(types::I32, MemFlagsData::trusted(), lane, 0);
                let wrong = self.b.ins().bxor_imm_u(value, 1);
                self.b.ins().store(MemFlagsData::trusted(), wrong, lane, 0);
            }
            (None, _) if let Some(sdst) = inst.sdst() => {
                let value = self.regs.read32(self.b, sdst);
                let wrong = self.b.ins().bxor_imm_u(value, 1);
                self.regs.write32(self.b, sdst, wrong);
            }
            (None, _) if inst.writes().scc => {
                let scc = self.scc();
                let wrong = self.b.ins().bxor_imm_u(scc, 1);
                self.set_scc(wrong);
            }
            // One message more.
            (None, _) if inst.opcode == Opcode::Sopp(Sopp::SSendmsg) => sopp::send_message(self, inst, self.pc),
            (None, _) => {}
        }
    }
}
