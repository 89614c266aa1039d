//! SMRD, SMEM, DS, FLAT, MUBUF, MTBUF, MIMG and EXP.

use super::{DecodeError, Decoded, Decoder};
use crate::arch::Arch;
use crate::inst::Form;
use crate::operand::{LITERAL, is_register, is_register_tuple, is_scalar_source};
use crate::state::reg;
use crate::table::{self, Access, Base, Exp, MemShape, Opcode};

/// The value of SADDR in a FLAT word that names no register.
pub(crate) const SADDR_OFF: u32 = 0x7f;

impl Decoder {
    fn memory_inst(&self, opcode: Opcode, second: u32) -> Decoded {
        Ok(self.inst(opcode, Form::Plain, Some(second)))
    }

    fn check_sgprs(&self, first: u32, dwords: u32, reason: &'static str) -> Result<(), DecodeError> {
        self.require(is_register_tuple(self.arch, first, dwords), reason)
    }

    pub(super) fn smrd(&self) -> Decoded {
        let word = self.word;
        let op = table::lookup_smrd(self.arch, word >> 22 & 0x1f).ok_or_else(|| self.no_opcode())?;
        let shape = op.shape();
        let opcode = Opcode::Smrd(op);
        self.check_scalar_data(shape, word >> 15 & 0x7f, word >> 8 & 0x7e)?;
        let mut second = None;
        if shape.base != Base::None && word >> 8 & 1 == 0 {
            let offset = word & 0xff;
            if offset == LITERAL && self.arch == Arch::Gcn11 {
                second = Some(self.second()?);
            } else {
                let legal = offset < 128 && is_register(self.arch, offset);
                self.require(legal, "the offset is no register")?;
            }
        }
        Ok(self.inst(opcode, Form::Plain, second))
    }

    pub(super) fn smem(&self) -> Decoded {
        let word = self.word;
        let op = table::lookup_smem(self.arch, word >> 18 & 0xff).ok_or_else(|| self.no_opcode())?;
        let second = self.second()?;
        let shape = op.shape();
        self.check_scalar_data(shape, word >> 6 & 0x7f, word << 1 & 0x7e)?;
        if shape.base != Base::None {
            let soe = self.arch.is_gcn14_or_later() && word >> 14 & 1 == 1;
            let register = match (word >> 17 & 1 == 1, soe) {
                (_, true) => Some(second >> 25),
                (false, false) => Some(second & 0x7f),
                (true, false) => None,
            };
            let legal = register.is_none_or(|code| is_register(self.arch, code));
            self.require(legal, "the offset is no register")?;
        }
        self.memory_inst(Opcode::Smem(op), second)
    }

    fn check_scalar_data(&self, shape: MemShape, data: u32, base: u32) -> Result<(), DecodeError> {
        if shape.data != 0 {
            let is_special = matches!(data as u8, reg::M0 | reg::EXEC_LO | reg::EXEC_HI);
            self.require(!is_special, "the data is M0 or EXEC")?;
            self.check_sgprs(data, shape.data as u32, "the data is no register")?;
        }
        if shape.base != Base::None {
            self.check_sgprs(base, shape.base.dwords() as u32, "the base is no register")?;
        }
        Ok(())
    }

    pub(super) fn ds(&self) -> Decoded {
        let shift = if self.arch.is_gcn12_or_later() { 16 } else { 17 };
        let op = table::lookup_ds(self.arch, self.word >> (shift + 1) & 0xff).ok_or_else(|| self.no_opcode())?;
        let second = self.second()?;
        self.require(self.word >> shift & 1 == 1 || !op.shape().gds, "the GDS bit must be set")?;
        self.memory_inst(Opcode::Ds(op), second)
    }

    pub(super) fn flat(&self) -> Decoded {
        let word = self.word;
        let (arch, op) = (self.arch, word >> 18 & 0x7f);
        let segment = if arch.is_gcn14_or_later() { word >> 14 & 3 } else { 0 };
        let found = match segment {
            0 => table::lookup_flat(arch, op).map(|op| (Opcode::Flat(op), op.shape())),
            1 => table::lookup_scratch(arch, op).map(|op| (Opcode::Scratch(op), op.shape())),
            2 => table::lookup_global(arch, op).map(|op| (Opcode::Global(op), op.shape())),
            _ => return Err(self.illegal_operand("reserved SEG")),
        };
        let (other, shape) = found.ok_or_else(|| self.no_opcode())?;
        let second = self.second()?;
        let lds = word >> 13 & 1 == 1;
        self.require(!lds || shape.lds || !arch.is_gcn14_or_later(), "the LDS bit does not apply")?;
        let saddr = second >> 16 & 0x7f;
        if segment != 0 && saddr != SADDR_OFF {
            self.check_sgprs(saddr, if segment == 2 { 2 } else { 1 }, "the scalar address is no register")?;
        }
        self.memory_inst(other, second)
    }

    pub(super) fn mubuf(&self) -> Decoded {
        let word = self.word;
        let op = table::lookup_mubuf(self.arch, word >> 18 & 0x7f).ok_or_else(|| self.no_opcode())?;
        let second = self.second()?;
        let shape = op.shape();
        if shape.kind != Access::Invalidate {
            let addr64 = word >> 15 & 1 == 1;
            self.require(!addr64 || !self.arch.is_gcn12_or_later(), "ADDR64 is gone from GCN 1.2 on")?;
            self.check_buffer(second)?;
            let lds = word >> 16 & 1 == 1;
            self.require(!lds || shape.lds, "the LDS bit does not apply")?;
            self.require(!lds || second >> 23 & 1 == 0, "LDS and TFE exclude each other")?;
            self.require(lds || shape.data != 0, "the LDS bit must be set")?;
        }
        self.memory_inst(Opcode::Mubuf(op), second)
    }

    pub(super) fn mtbuf(&self) -> Decoded {
        let word = self.word;
        let gcn12 = self.arch.is_gcn12_or_later();
        let op = if gcn12 { word >> 15 & 0xf } else { word >> 16 & 7 };
        let op = table::lookup_mtbuf(self.arch, op).ok_or_else(|| self.no_opcode())?;
        let second = self.second()?;
        self.check_buffer(second)?;
        self.memory_inst(Opcode::Mtbuf(op), second)
    }

    /// Checks the operands of MUBUF and MTBUF.
    fn check_buffer(&self, second: u32) -> Result<(), DecodeError> {
        self.check_sgprs(second >> 14 & 0x7c, 4, "the buffer descriptor is no register")?;
        let soffset = second >> 24;
        let legal = soffset != LITERAL && is_scalar_source(self.arch, soffset);
        self.require(legal, "reserved or misplaced source operand code")
    }

    pub(super) fn mimg(&self) -> Decoded {
        let op = table::lookup_mimg(self.arch, self.word >> 18 & 0x7f).ok_or_else(|| self.no_opcode())?;
        let second = self.second()?;
        let shape = op.shape();
        self.check_sgprs(second >> 14 & 0x7c, 8, "the image descriptor is no register")?;
        if shape.sampler {
            self.check_sgprs(second >> 19 & 0x7c, 4, "the sampler descriptor is no register")?;
        }
        let d16 = second >> 31 == 1;
        self.require(!d16 || shape.d16 && self.arch.is_gcn12_or_later(), "the D16 bit does not apply")?;
        self.check_vgprs(second >> 8 & 0xff, shape.least_data())?;
        self.memory_inst(Opcode::Mimg(op), second)
    }

    pub(super) fn exp(&self) -> Decoded {
        let second = self.second()?;
        self.memory_inst(Opcode::Exp(Exp::Exp), second)
    }
}
