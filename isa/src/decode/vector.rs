//! VOP1, VOP2 and VOPC with their SDWA and DPP forms, and VINTRP.

use super::{DecodeError, Decoded, Decoder};
use crate::inst::{Form, Inst};
use crate::operand::{DPP, LITERAL, OperandType, SDWA, class};
use crate::table::{self, Check, Has, InstDesc, Opcode, Vopc};

impl Decoder {
    pub(super) fn vop1(&self) -> Decoded {
        let op = table::lookup_vop1(self.arch, self.word >> 9 & 0xff).ok_or_else(|| self.no_opcode())?;
        self.vop(op.row(), op.check())
    }

    pub(super) fn vop2(&self) -> Decoded {
        let op = table::lookup_vop2(self.arch, self.word >> 25 & 0x3f).ok_or_else(|| self.no_opcode())?;
        self.vop(op.row(), op.check())
    }

    /// Decodes VOP1 and VOP2 in 32-bit, SDWA or DPP form.
    fn vop(&self, desc: &'static InstDesc, check: &Check) -> Decoded {
        let has = desc.has;
        // SRC0 does not choose the form if it is unused, except for V_NOP, which has both forms.
        let is_source = check.count > 0 || has.any(Has::SDWA);
        match self.short_form() {
            Form::Sdwa if is_source => return self.vop_sdwa(desc),
            Form::Dpp if is_source => return self.vop_dpp(desc),
            _ => {}
        }
        let src0 = self.word & 0x1ff;
        self.check_vector_source(src0, check.src[0])?;
        let vsrc1 = self.word >> 9 & 0xff;
        if has.any(Has::LANE1) {
            self.require(vsrc1 != LITERAL, "the lane number is a literal")?;
            self.check_vector_source(vsrc1, class::SCALAR)?;
        } else {
            self.check_vector_source(256 + vsrc1, check.src[1])?;
        }
        self.check_special_source(src0, has)?;
        self.check_vector_destination(self.word >> 17 & 0xff, has, check)?;
        let literal = has.any(Has::MADMK.or(Has::MADAK)) || src0 == LITERAL && check.count > 0;
        let second = if literal { Some(self.second()?) } else { None };
        Ok(self.inst_of_row(desc, Form::Plain, second))
    }

    /// The form that SRC0 of a VOP1, VOP2 or VOPC word chooses.
    fn short_form(&self) -> Form {
        match self.word & 0x1ff {
            SDWA if self.arch.is_gcn12_or_later() => Form::Sdwa,
            DPP if self.arch.is_gcn12_or_later() => Form::Dpp,
            _ => Form::Plain,
        }
    }

    /// Checks SRC0 where it must be a register, or must or must not be a VGPR.
    pub(super) fn check_special_source(&self, src0: u32, has: Has) -> Result<(), DecodeError> {
        if !has.any(Has::REG0.or(Has::VGPR0).or(Has::SCALAR0)) {
            return Ok(());
        }
        let is_constant = matches!(src0, 128..=208 | 240..=248 | LITERAL);
        self.require(!has.any(Has::REG0) || !is_constant, "SRC0 must be a register")?;
        self.require(!has.any(Has::VGPR0) || src0 >= 256, "SRC0 must be a VGPR")?;
        self.require(!has.any(Has::SCALAR0) || src0 < 256, "SRC0 must not be a VGPR")
    }

    /// Checks the destination: VGPRs, or an SGPR for instructions that read lanes.
    pub(super) fn check_vector_destination(&self, code: u32, has: Has, check: &Check) -> Result<(), DecodeError> {
        if has.any(Has::SDST) {
            return self.require(self.is_in_class(code, class::REGISTER), "the destination is no register");
        }
        self.check_vgprs(code, check.vdst as u32)
    }

    pub(super) fn vopc(&self) -> Decoded {
        let op = table::lookup_vopc(self.arch, self.word >> 17 & 0xff).ok_or_else(|| self.no_opcode())?;
        let opcode = Opcode::Vopc(op);
        match self.short_form() {
            Form::Sdwa => return self.vopc_sdwa(op),
            Form::Dpp => return self.vopc_dpp(op),
            _ => {}
        }
        let check = op.check();
        self.check_vector_source(self.word & 0x1ff, check.src[0])?;
        self.check_vector_source(256 + (self.word >> 9 & 0xff), check.src[1])?;
        let second = if self.word & 0x1ff == LITERAL { Some(self.second()?) } else { None };
        Ok(self.inst(opcode, Form::Plain, second))
    }

    fn vop_sdwa(&self, desc: &'static InstDesc) -> Decoded {
        let has = desc.has;
        let exists = has.any(Has::SDWA) || has.any(Has::SDWA_12) && !self.arch.is_gcn14_or_later();
        self.require(exists, "the instruction has no SDWA form")?;
        let second = self.second()?;
        let inst = self.inst_of_row(desc, Form::Sdwa, Some(second));
        self.check_sdwa_sources(&inst, second)?;
        self.require(second >> 8 & 7 != 7, "SDWA selector 7")?;
        self.require(second >> 11 & 3 != 3, "SDWA DST_UNUSED 3")?;
        Ok(inst)
    }

    /// Decodes a compare in SDWA form, of up to 32 bits. The destination is VCC, or from GCN 1.4 on a named pair.
    fn vopc_sdwa(&self, op: Vopc) -> Decoded {
        self.require(!op.cmp().ty.is_wide(), "a 64-bit compare has no SDWA form")?;
        let second = self.second()?;
        let inst = self.inst(Opcode::Vopc(op), Form::Sdwa, Some(second));
        self.check_sdwa_sources(&inst, second)?;
        if inst.sdwa_names_sdst() {
            let legal = self.is_in_class(second >> 8 & 0x7f, class::REGISTER_PAIR);
            self.require(legal, "the destination is no SGPR pair")?;
        }
        Ok(inst)
    }

    /// Checks registers, selectors and modifiers of SDWA sources: no SEXT on floats.
    fn check_sdwa_sources(&self, inst: &Inst, second: u32) -> Result<(), DecodeError> {
        for i in 0..inst.src_count() {
            let code = inst.src_code(i).unwrap_or(0);
            let legal = code != LITERAL && self.is_in_class(code, class::VECTOR);
            self.require(legal, "reserved or misplaced source operand code")?;
            let select = second >> (16 + 8 * i);
            self.require(select & 7 != 7, "SDWA selector 7")?;
            let (sext, neg_abs) = (select >> 3 & 1, select >> 4 & 3);
            let legal = match inst.src_type(i).is_float() {
                true => sext == 0,
                // Integers ignore NEG and ABS. Nobody says what V_CNDMASK_B32 makes of them.
                false => neg_abs == 0 || !inst.takes_sign_modifiers(i),
            };
            self.require(legal, "the source modifier does not apply")?;
        }
        Ok(())
    }

    fn vop_dpp(&self, desc: &'static InstDesc) -> Decoded {
        let has = desc.has;
        self.require(has.any(Has::DPP), "the instruction has no DPP form")?;
        let second = self.second()?;
        self.check_dpp(second)?;
        Ok(self.inst_of_row(desc, Form::Dpp, Some(second)))
    }

    /// Decodes a compare in DPP form, of up to 32 bits. (LLVM does not know these; AMD's manuals and CLRX do.)
    fn vopc_dpp(&self, op: Vopc) -> Decoded {
        self.require(!op.cmp().ty.is_wide(), "a 64-bit compare has no DPP form")?;
        let second = self.second()?;
        self.check_dpp(second)?;
        Ok(self.inst(Opcode::Vopc(op), Form::Dpp, Some(second)))
    }

    /// Checks DPP_CTRL.
    fn check_dpp(&self, second: u32) -> Result<(), DecodeError> {
        let ctrl = second >> 8 & 0x1ff;
        let legal = matches!(
            ctrl,
            0..=0xff | 0x101..=0x10f | 0x111..=0x11f | 0x121..=0x12f | 0x130 | 0x134 | 0x138 | 0x13c | 0x140..=0x143
        );
        self.require(legal, "reserved DPP_CTRL")
    }

    pub(super) fn vintrp(&self) -> Decoded {
        let op = table::lookup_vintrp(self.arch, self.word >> 16 & 3).ok_or_else(|| self.no_opcode())?;
        let inst = self.inst(Opcode::Vintrp(op), Form::Plain, None);
        let is_parameter = inst.src_type(1) == OperandType::none;
        self.require(!is_parameter || self.word & 0xff <= 2, "reserved parameter selector")?;
        Ok(inst)
    }
}
