//! SOP1, SOP2, SOPC, SOPK, SOPP.

use super::{DecodeError, Decoded, Decoder};
use crate::inst::Form;
use crate::operand::{LITERAL, class};
use crate::table::{self, Check, InstDesc};

impl Decoder {
    pub(super) fn sop1(&self) -> Decoded {
        let op = table::lookup_sop1(self.arch, self.word >> 8 & 0xff).ok_or_else(|| self.no_opcode())?;
        self.scalar(op.row(), op.check(), [self.word & 0xff, 0])
    }

    pub(super) fn sop2(&self) -> Decoded {
        let op = table::lookup_sop2(self.arch, self.word >> 23 & 0x7f).ok_or_else(|| self.no_opcode())?;
        self.scalar(op.row(), op.check(), [self.word & 0xff, self.word >> 8 & 0xff])
    }

    pub(super) fn sopc(&self) -> Decoded {
        let op = table::lookup_sopc(self.arch, self.word >> 16 & 0x7f).ok_or_else(|| self.no_opcode())?;
        self.scalar(op.row(), op.check(), [self.word & 0xff, self.word >> 8 & 0xff])
    }

    /// Decodes SOPK. Its register source is SDST.
    pub(super) fn sopk(&self) -> Decoded {
        let op = table::lookup_sopk(self.arch, self.word >> 23 & 0x1f).ok_or_else(|| self.no_opcode())?;
        self.scalar(op.row(), op.check(), [self.word >> 16 & 0x7f, 0])
    }

    pub(super) fn sopp(&self) -> Decoded {
        let op = table::lookup_sopp(self.arch, self.word >> 16 & 0x7f).ok_or_else(|| self.no_opcode())?;
        Ok(self.inst_of_row(op.row(), Form::Plain, None))
    }

    /// Checks the operands of SOP1, SOP2, SOPC and SOPK and reads the literal. If a row lists no source in a field
    /// (S_GETPC_B64, the immediate of S_SET_GPR_IDX_ON), 255 in this field means no literal.
    fn scalar(&self, desc: &'static InstDesc, check: &Check, src: [u32; 2]) -> Decoded {
        let mut literal = check.dword;
        for (code, class) in src.into_iter().zip(check.src) {
            if !self.is_in_class(code, class) {
                return Err(self.illegal_scalar_source(class));
            }
            literal |= code == LITERAL && class != 0;
        }
        self.require(self.is_in_class(self.word >> 16 & 0x7f, check.dst), "the destination is no register")?;
        let second = if literal { Some(self.second()?) } else { None };
        Ok(self.inst_of_row(desc, Form::Plain, second))
    }

    #[cold]
    fn illegal_scalar_source(&self, class: u8) -> DecodeError {
        if class & (class::REGISTER | class::REGISTER_PAIR) != 0 {
            self.illegal_operand("the source must be a register")
        } else {
            self.illegal_operand("reserved or misplaced source operand code")
        }
    }
}
