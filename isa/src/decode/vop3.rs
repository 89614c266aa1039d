//! VOP3 (its own instructions and promotions of VOPC, VOP2, VOP1 and VINTRP) and VOP3P.

use super::{DecodeError, Decoded, Decoder};
use crate::inst::Form;
use crate::operand::{LITERAL, class};
use crate::table::{self, Check, Has, InstDesc, Opcode, Vopc};

impl Decoder {
    /// Decodes VOP3. Opcodes 0..=255 are compares; the generation decides on the others (ISA manual, VOP3).
    pub(super) fn vop3(&self) -> Decoded {
        let (arch, word) = (self.arch, self.word);
        let gcn12 = arch.is_gcn12_or_later();
        let op = if gcn12 { word >> 16 & 0x3ff } else { word >> 17 & 0x1ff };
        let vop1 = |op| table::lookup_vop1(arch, op).map(|op| (op.row(), op.check()));
        let found = match op {
            0..=255 => {
                let op = table::lookup_vopc(arch, op).ok_or_else(|| self.no_opcode())?;
                return self.vopc_vop3(op);
            }
            256..=319 => table::lookup_vop2(arch, op - 256).map(|op| (op.row(), op.check())),
            384.. if !gcn12 => vop1(op - 384),
            320..=447 if gcn12 => vop1(op - 320),
            624..=627 if gcn12 => table::lookup_vintrp(arch, op - 624).map(|op| (op.row(), op.check())),
            _ => {
                let op = table::lookup_vop3(arch, op).ok_or_else(|| self.no_opcode())?;
                return self.vop3_form(op.row(), Form::Plain, op.check());
            }
        };
        match found.filter(|(desc, _)| desc.has.any(Has::VOP3)) {
            Some((desc, check)) => self.vop3_form(desc, Form::Vop3, check),
            None => Err(self.no_opcode()),
        }
    }

    /// Decodes all VOP3 instructions except compares.
    fn vop3_form(&self, desc: &'static InstDesc, form: Form, check: &Check) -> Decoded {
        let has = desc.has;
        let second = self.second()?;
        self.check_vop3_sources(form, has, check, second)?;
        self.check_vector_destination(self.word & 0xff, has, check)?;
        if has.any(Has::VCC_OUT) {
            let legal = self.is_in_class(self.word >> 8 & 0x7f, class::REGISTER_PAIR);
            self.require(legal, "the second destination is no SGPR pair")?;
        }
        Ok(self.inst_of_row(desc, form, Some(second)))
    }

    fn check_vop3_sources(&self, form: Form, has: Has, check: &Check, second: u32) -> Result<(), DecodeError> {
        for (i, class) in check.src.into_iter().enumerate() {
            let code = second >> (9 * i) & 0x1ff;
            self.require(code != LITERAL || class == 0, "VOP3 has no room for a literal")?;
            self.check_vector_source(code, class)?;
        }
        self.check_special_source(second & 0x1ff, has)?;
        if has.any(Has::VCC_IN) {
            let legal = self.is_in_class(second >> 18 & 0x1ff, class::REGISTER_PAIR);
            self.require(legal, "the lane mask is no SGPR pair")?;
        }
        if has.any(Has::ATTR) {
            let is_parameter = check.src[1] == 0;
            self.require(!is_parameter || second >> 9 & 0x1ff <= 2, "reserved parameter selector")?;
            let high = second >> 8 & 1 == 1;
            self.require(!high || form == Form::Plain, "HIGH applies to 16-bit interpolation only")?;
        }
        Ok(())
    }

    /// Decodes a compare in VOP3 form. It has an SDST pair in [7:0] and no literal.
    fn vopc_vop3(&self, op: Vopc) -> Decoded {
        let second = self.second()?;
        let check = op.check();
        for (i, class) in check.src[..2].iter().enumerate() {
            let code = second >> (9 * i) & 0x1ff;
            self.require(code != LITERAL, "VOP3 has no room for a literal")?;
            self.check_vector_source(code, *class)?;
        }
        let legal = self.is_in_class(self.word & 0xff, class::REGISTER_PAIR);
        self.require(legal, "the destination is no SGPR pair")?;
        Ok(self.inst(Opcode::Vopc(op), Form::Vop3, Some(second)))
    }

    pub(super) fn vop3p(&self) -> Decoded {
        let op = table::lookup_vop3p(self.arch, self.word >> 16 & 0x7f).ok_or_else(|| self.no_opcode())?;
        let second = self.second()?;
        let inst = self.inst(op.into(), Form::Plain, Some(second));
        let check = op.check();
        for i in 0..inst.src_count() {
            let code = second >> (9 * i) & 0x1ff;
            self.require(code != LITERAL, "VOP3P has no room for a literal")?;
            self.check_vector_source(code, check.src[i])?;
        }
        Ok(inst)
    }
}
