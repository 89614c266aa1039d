//! SOP1, SOP2, SOPC, SOPK, SOPP.

use super::{Decoded, Decoder};
use crate::inst::{Form, always_has_dword, needs_register_source};
use crate::operand::{LITERAL, is_scalar_source};
use crate::table::{self, InstDesc};

impl Decoder {
    pub(super) fn sop1(&self) -> Decoded {
        let op = table::lookup_sop1(self.arch, self.word >> 8 & 0xff).ok_or_else(|| self.no_opcode())?;
        self.scalar(op.row())
    }

    pub(super) fn sop2(&self) -> Decoded {
        let op = table::lookup_sop2(self.arch, self.word >> 23 & 0x7f).ok_or_else(|| self.no_opcode())?;
        self.scalar(op.row())
    }

    pub(super) fn sopc(&self) -> Decoded {
        let op = table::lookup_sopc(self.arch, self.word >> 16 & 0x7f).ok_or_else(|| self.no_opcode())?;
        self.scalar(op.row())
    }

    pub(super) fn sopk(&self) -> Decoded {
        let op = table::lookup_sopk(self.arch, self.word >> 23 & 0x1f).ok_or_else(|| self.no_opcode())?;
        self.scalar(op.row())
    }

    pub(super) fn sopp(&self) -> Decoded {
        let op = table::lookup_sopp(self.arch, self.word >> 16 & 0x7f).ok_or_else(|| self.no_opcode())?;
        Ok(self.inst_of_row(op.row(), Form::Plain, None))
    }

    /// Checks the operands of SOP1, SOP2, SOPC and SOPK and takes in the literal.
    #[inline]
    fn scalar(&self, desc: &'static InstDesc) -> Decoded {
        let inst = self.inst_of_row(desc, Form::Plain, None);
        let mut literal = always_has_dword(desc.opcode);
        for (i, ty) in desc.src.iter().enumerate() {
            let Some(code) = inst.src_code(i) else { continue };
            self.require(is_scalar_source(self.arch, code, ty.is_wide()), "reserved or misplaced source operand code")?;
            if code > 127 {
                self.require(!needs_register_source(desc.opcode), "the source must be a register")?;
                literal |= code == LITERAL;
            }
        }
        if let Some(dst) = inst.dst() {
            let legal = is_scalar_source(self.arch, dst as u32, desc.dst.is_wide());
            self.require(legal, "the destination is no register")?;
        }
        let second = if literal { Some(self.second()?) } else { None };
        // Made anew where it goes: a copy of the one above would wait for its bytes.
        Ok(self.inst_of_row(desc, Form::Plain, second))
    }
}
