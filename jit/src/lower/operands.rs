//! Scalar operands and results: registers, SCC, EXEC, MODE.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, Type, Value, types};
use gcnsim_isa::{Inst, Src, reg};

use super::{Lower, dst_code};
use crate::regs::join;
use gcnsim_helpers::valu::share;

impl Lower<'_, '_> {
    /// Source `i` as an I32. Types of 16 bits are in its low half, or it is the whole register.
    pub fn src32(&mut self, inst: &Inst, i: usize) -> Value {
        match inst.src(i) {
            Src::Sgpr(n) => self.regs.read32(self.b, n),
            Src::Imm(v) => self.const32(v as u32),
            Src::Scc => {
                let scc = self.scc();
                self.b.ins().uextend(types::I32, scc)
            }
            Src::Vccz => self.is_zero_pair(reg::VCC_LO, types::I32),
            Src::Execz => self.is_zero_pair(reg::EXEC_LO, types::I32),
            Src::LdsDirect => {
                let m0 = self.register(reg::M0);
                let value =
                    self.call_host(share::lds_direct as *const u8 as usize, &[self.frame, m0], Some(types::I32));
                value.unwrap_or_else(|| unreachable!("it returns a value"))
            }
            Src::Vgpr(_) => unreachable!("not a scalar source"),
        }
    }

    /// Source `i` as an I64.
    pub fn src64(&mut self, inst: &Inst, i: usize) -> Value {
        match inst.src(i) {
            Src::Sgpr(n) => self.regs.read64(self.b, n),
            Src::Imm(v) => self.const64(v),
            Src::Scc => {
                let scc = self.scc();
                self.b.ins().uextend(types::I64, scc)
            }
            Src::Vccz => self.is_zero_pair(reg::VCC_LO, types::I64),
            Src::Execz => self.is_zero_pair(reg::EXEC_LO, types::I64),
            Src::Vgpr(_) | Src::LdsDirect => unreachable!("not a scalar source"),
        }
    }

    /// Source `i` in the width of its type.
    pub fn src(&mut self, inst: &Inst, i: usize) -> Value {
        if inst.src_type(i).is_wide() { self.src64(inst, i) } else { self.src32(inst, i) }
    }

    /// The constant that source `i` is, if it is one.
    pub fn constant(&self, inst: &Inst, i: usize) -> Option<u64> {
        match inst.src(i) {
            Src::Imm(v) => Some(v),
            _ => None,
        }
    }

    pub(super) fn is_zero_pair(&mut self, code: u8, ty: Type) -> Value {
        let pair = self.regs.read64(self.b, code);
        let zero = self.b.ins().icmp_imm_u(IntCC::Equal, pair, 0);
        self.b.ins().uextend(ty, zero)
    }

    /// The old value of the destination, in its width.
    pub fn old_dst(&mut self, inst: &Inst) -> Value {
        let dst = dst_code(inst);
        if inst.desc().dst.is_wide() { self.regs.read64(self.b, dst) } else { self.regs.read32(self.b, dst) }
    }

    /// Writes the destination; the value is in its width.
    pub fn set_dst(&mut self, inst: &Inst, value: Value) {
        let dst = dst_code(inst);
        if inst.desc().dst.is_wide() {
            self.regs.write64(self.b, dst, value);
        } else {
            self.regs.write32(self.b, dst, value);
        }
    }

    /// Writes the destination and sets SCC to "not zero".
    pub fn set_dst_scc(&mut self, inst: &Inst, value: Value) {
        self.set_dst(inst, value);
        self.set_scc_nonzero(value);
    }

    /// SCC, an I8 of 0 or 1.
    pub fn scc(&mut self) -> Value {
        if let Some(scc) = self.scc {
            return scc;
        }
        let Some(var) = self.scc_var else { unreachable!("the region does not use SCC") };
        let scc = self.b.use_var(var);
        self.scc = Some(scc);
        scc
    }

    /// Writes SCC, an I8 of 0 or 1.
    pub fn set_scc(&mut self, value: Value) {
        self.scc = Some(value);
        self.scc_dirty = true;
    }

    /// SCC = value is not 0.
    pub fn set_scc_nonzero(&mut self, value: Value) {
        let scc = self.b.ins().icmp_imm_u(IntCC::NotEqual, value, 0);
        self.set_scc(scc);
    }

    /// EXEC, an I64.
    pub fn exec(&mut self) -> Value {
        if self.regs.has(reg::EXEC_LO) && self.regs.has(reg::EXEC_HI) {
            return self.regs.read64(self.b, reg::EXEC_LO);
        }
        let [low, high] = [reg::EXEC_LO, reg::EXEC_HI].map(|code| self.register(code));
        join(self.b, low, high)
    }

    /// Writes EXEC.
    pub fn set_exec(&mut self, value: Value) {
        self.regs.write64(self.b, reg::EXEC_LO, value);
    }

    /// MODE, an I32.
    pub fn mode(&mut self) -> Value {
        let Some(var) = self.mode_var else { unreachable!("the region does not use MODE") };
        self.b.use_var(var)
    }

    /// Writes MODE.
    pub fn set_mode(&mut self, value: Value) {
        let Some(var) = self.mode_var else { unreachable!("the region does not use MODE") };
        self.b.def_var(var, value);
    }
}
