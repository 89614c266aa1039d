//! VOP3: instructions of its own and promotions of VOPC, VOP2, VOP1 and VINTRP; VOP3P.

use super::{DecodeError, Decoded, Decoder};
use crate::inst::{Form, Inst};
use crate::operand::{LITERAL, OperandType, is_register};
use crate::table::{self, Has, Opcode, Other, Pred, Vopc};

impl Decoder {
    /// Opcodes 0..=255 are compares; where the others come from depends on the generation (ISA manual, VOP3).
    pub(super) fn vop3(&self) -> Decoded {
        let (arch, word) = (self.arch, self.word);
        let gcn12 = arch.is_gcn12_or_later();
        let op = if gcn12 { word >> 16 & 0x3ff } else { word >> 17 & 0x1ff };
        let promoted = |opcode: Option<(Other, Has)>| {
            opcode.filter(|(_, has)| has.any(Has::VOP3)).map(|(other, has)| (other, has, Form::Vop3))
        };
        let vop1 = |op| promoted(table::lookup_vop1(arch, op).map(|op| (Other::Vop1(op), op.has())));
        let found = match op {
            0..=255 => {
                let op = table::lookup_vopc(arch, op).ok_or_else(|| self.no_opcode())?;
                return self.vopc_vop3(op);
            }
            256..=319 => promoted(table::lookup_vop2(arch, op - 256).map(|op| (Other::Vop2(op), op.has()))),
            384.. if !gcn12 => vop1(op - 384),
            320..=447 if gcn12 => vop1(op - 320),
            624..=627 if gcn12 => {
                promoted(table::lookup_vintrp(arch, op - 624).map(|op| (Other::Vintrp(op), op.has())))
            }
            _ => table::lookup_vop3(arch, op).map(|op| (Other::Vop3(op), op.has(), Form::Plain)),
        };
        let (other, has, form) = found.ok_or_else(|| self.no_opcode())?;
        let second = self.second()?;
        let inst = self.inst(Opcode::Other(other), form, Some(second));
        self.check_vop3_sources(&inst, has, second)?;
        self.check_vop3_modifiers(&inst, has, second)?;
        self.check_vector_destination(inst.desc().dst, word & 0xff, has)?;
        if has.any(Has::VCC_OUT) {
            self.require(is_register(arch, word >> 8 & 0x7f, true), "the second destination is no SGPR pair")?;
        }
        Ok(inst)
    }

    fn check_vop3_sources(&self, inst: &Inst, has: Has, second: u32) -> Result<(), DecodeError> {
        for i in 0..inst.src_count() {
            let Some(code) = inst.src_code(i) else { continue };
            self.require(code != LITERAL, "VOP3 has no room for a literal")?;
            self.check_vector_source(code, inst.src_type(i), i)?;
        }
        self.check_special_sources(inst, has)?;
        if has.any(Has::VCC_IN) {
            let mask = second >> 18 & 0x1ff;
            return self.require(mask < 128 && is_register(self.arch, mask, true), "the lane mask is no SGPR pair");
        }
        if has.any(Has::ATTR) {
            let parameter = second >> 9 & 0x1ff;
            let legal = inst.src_type(1) != OperandType::none || parameter <= 2;
            self.require(legal, "reserved parameter selector")?;
            let high = second >> 8 & 1 == 1;
            self.require(!high || inst.form == Form::Plain, "HIGH applies to 16-bit interpolation only")?;
        }
        let used = if has.any(Has::ATTR) { 2.max(inst.src_count()) } else { inst.src_count() };
        let unused = if used < 3 { (second & 0x07ff_ffff) >> (9 * used) } else { 0 };
        self.require(unused == 0 || has.any(Has::LAX), "a source field that is not used is not 0")
    }

    fn check_vop3_modifiers(&self, inst: &Inst, has: Has, second: u32) -> Result<(), DecodeError> {
        if has.any(Has::LAX) {
            return Ok(());
        }
        const REASON: &str = "the modifier does not apply";
        let gcn12 = self.arch.is_gcn12_or_later();
        let sources = if has.any(Has::ATTR) { 6 & ((1 << inst.src_count()) - 1) } else { (1 << inst.src_count()) - 1 };
        let vop3b = has.any(Has::VCC_OUT);
        if !vop3b {
            let allowed = if has.any(Has::ABS) { sources } else { 0 };
            self.require(self.word >> 8 & 7 & !allowed == 0, REASON)?;
        }
        let allowed = if has.any(Has::NEG) { sources } else { 0 };
        self.require(second >> 29 & !allowed == 0, REASON)?;
        // The old VOP3b has no CLAMP; its bit belongs to SDST.
        let clamp = if gcn12 { self.word >> 15 & 1 } else { self.word >> 11 & 1 & !vop3b as u32 };
        self.require(clamp == 0 || has.any(Has::CLAMP), REASON)?;
        let op_sel = has.any(Has::OP_SEL) && self.arch.is_gcn14_or_later();
        self.require(second >> 27 & 3 == 0 || has.any(Has::OMOD) && !op_sel, REASON)?;
        self.require(!op_sel || self.word >> 11 & 7 & !sources == 0, REASON)
    }

    /// A compare in VOP3 form: SDST pair in [7:0], no literal, no third source, no output modifier; ABS, NEG and
    /// CLAMP on floats only.
    fn vopc_vop3(&self, op: Vopc) -> Decoded {
        let second = self.second()?;
        let inst = self.inst(Opcode::Vopc(op), Form::Vop3, Some(second));
        for i in 0..2 {
            let code = inst.src_code(i).unwrap_or(0);
            self.require(code != LITERAL, "VOP3 has no room for a literal")?;
            self.check_vector_source(code, inst.src_type(i), i)?;
        }
        self.require(is_register(self.arch, self.word & 0xff, true), "the destination is no SGPR pair")?;
        let clamp_bit = if self.arch.is_gcn12_or_later() { 15 } else { 11 };
        let (clamp, abs, neg) = (self.word >> clamp_bit & 1, self.word >> 8 & 7, second >> 29);
        let third = second >> 18 & 0x1ff != 0 || second >> 27 & 3 != 0 || abs & 4 != 0 || neg & 4 != 0;
        self.require(!third, "a compare has no third source and no output modifier")?;
        let (modifiers, class) = ((clamp | abs | neg) != 0, op.cmp().pred == Pred::Class);
        self.require(op.cmp().ty.is_float() || !modifiers, "ABS, NEG and CLAMP do not apply to an integer compare")?;
        // S1 of CLASS is a mask.
        self.require(!class || (clamp | abs >> 1 | neg >> 1) == 0, "of a class compare only S0 takes ABS and NEG")?;
        Ok(inst)
    }

    pub(super) fn vop3p(&self) -> Decoded {
        let op = table::lookup_vop3p(self.arch, self.word >> 16 & 0x7f).ok_or_else(|| self.no_opcode())?;
        let second = self.second()?;
        let inst = self.inst(Opcode::Other(Other::Vop3p(op)), Form::Plain, Some(second));
        for i in 0..inst.src_count() {
            let code = inst.src_code(i).unwrap_or(0);
            self.require(code != LITERAL, "VOP3P has no room for a literal")?;
            let ty = inst.src_type(i);
            self.check_vector_source(code, ty, i)?;
            // As in LLVM, of 16-bit integers only the first source can be negated.
            let negated = (second >> 29 | self.word >> 8) >> i & 1 == 1;
            self.require(!negated || i == 0 || !is_16_bit_integer(ty), "the modifier does not apply")?;
        }
        if inst.src_count() < 3 {
            // LLVM's assembler sets OP_SEL_HI of the missing source; any value is the same.
            let third = second >> 18 & 0x1ff | second >> 31 | self.word >> 10 & 1 | self.word >> 13 & 1;
            self.require(third == 0, "a field of the missing third source is not 0")?;
        }
        Ok(inst)
    }
}

fn is_16_bit_integer(ty: OperandType) -> bool {
    matches!(ty, OperandType::i16 | OperandType::u16)
}
