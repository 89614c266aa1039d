//! Dwords to [`Inst`]. Total: every pair of dwords gives an instruction or a named error.

use crate::arch::Arch;
use crate::inst::{Form, Inst, always_has_dword, needs_register_source};
use crate::operand::{DPP, LDS_DIRECT, LITERAL, OperandType, SDWA, is_register, is_scalar_source};
use crate::table::{self, Opcode, Vopc};

/// Why dwords are no instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{}: {reason} (word {word:08x})", kind.name())]
pub struct DecodeError {
    /// What is wrong, in kind.
    pub kind: DecodeErrorKind,
    /// First dword.
    pub word: u32,
    /// What is wrong, in words.
    pub reason: &'static str,
}

/// Kinds of decode errors; the names are those of faults in results.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum DecodeErrorKind {
    /// No such encoding or opcode on this generation.
    IllegalInstruction,
    /// The opcode exists, but an operand or modifier does not.
    IllegalOperand,
    /// The second dword (literal, or second half) is missing.
    Truncated,
}

impl DecodeErrorKind {
    /// `illegal-instruction`, `illegal-operand` or `truncated`.
    pub const fn name(self) -> &'static str {
        match self {
            DecodeErrorKind::IllegalInstruction => "illegal-instruction",
            DecodeErrorKind::IllegalOperand => "illegal-operand",
            DecodeErrorKind::Truncated => "truncated",
        }
    }
}

/// One decode in progress.
pub(crate) struct Decoder {
    pub arch: Arch,
    pub word: u32,
    pub next: Option<u32>,
}

type Decoded = Result<Inst, DecodeError>;

/// Decodes the instruction that starts with `word`; `next` is the dword after it, if there is one.
///
/// # Errors
/// [`DecodeError`] names illegal opcodes, illegal operands and a missing second dword.
pub fn decode(arch: Arch, word: u32, next: Option<u32>) -> Decoded {
    let d = Decoder { arch, word, next };
    if word >> 31 == 0 {
        return match word >> 25 {
            0x3e => d.vopc(),
            _ => d.other(),
        };
    }
    match word >> 30 {
        2 => match word >> 23 {
            0x17d => d.sop1(),
            0x17e => d.sopc(),
            0x17f => d.sopp(),
            _ if word >> 28 == 0xb => d.sopk(),
            _ => d.sop2(),
        },
        _ if word >> 26 == 0x34 => d.vop3(),
        _ => d.other(),
    }
}

impl Decoder {
    pub(crate) fn error(&self, kind: DecodeErrorKind, reason: &'static str) -> DecodeError {
        DecodeError { kind, word: self.word, reason }
    }

    pub(crate) fn no_opcode(&self) -> DecodeError {
        self.error(DecodeErrorKind::IllegalInstruction, "no such opcode on this generation")
    }

    pub(crate) fn illegal_operand(&self, reason: &'static str) -> DecodeError {
        self.error(DecodeErrorKind::IllegalOperand, reason)
    }

    /// The second dword.
    pub(crate) fn second(&self) -> Result<u32, DecodeError> {
        self.next.ok_or_else(|| self.error(DecodeErrorKind::Truncated, "the second dword is missing"))
    }

    pub(crate) fn inst(&self, opcode: Opcode, form: Form, second: Option<u32>) -> Inst {
        let size = if second.is_some() { 8 } else { 4 };
        Inst { opcode, form, arch: self.arch, size, words: [self.word, second.unwrap_or(0)] }
    }

    fn sop1(&self) -> Decoded {
        let op = table::lookup_sop1(self.arch, self.word >> 8 & 0xff).ok_or_else(|| self.no_opcode())?;
        self.scalar(Opcode::Sop1(op))
    }

    fn sop2(&self) -> Decoded {
        let op = table::lookup_sop2(self.arch, self.word >> 23 & 0x7f).ok_or_else(|| self.no_opcode())?;
        self.scalar(Opcode::Sop2(op))
    }

    fn sopc(&self) -> Decoded {
        let op = table::lookup_sopc(self.arch, self.word >> 16 & 0x7f).ok_or_else(|| self.no_opcode())?;
        self.scalar(Opcode::Sopc(op))
    }

    fn sopk(&self) -> Decoded {
        let op = table::lookup_sopk(self.arch, self.word >> 23 & 0x1f).ok_or_else(|| self.no_opcode())?;
        self.scalar(Opcode::Sopk(op))
    }

    fn sopp(&self) -> Decoded {
        let op = table::lookup_sopp(self.arch, self.word >> 16 & 0x7f).ok_or_else(|| self.no_opcode())?;
        Ok(self.inst(Opcode::Sopp(op), Form::Plain, None))
    }

    /// Checks the operands of SOP1, SOP2, SOPC and SOPK and takes in the literal.
    fn scalar(&self, opcode: Opcode) -> Decoded {
        let inst = self.inst(opcode, Form::Plain, None);
        let desc = inst.desc();
        let mut literal = always_has_dword(opcode);
        for (i, ty) in desc.src.iter().enumerate() {
            let Some(code) = inst.src_code(i) else { continue };
            if !is_scalar_source(self.arch, code, ty.is_wide()) {
                return Err(self.illegal_operand("reserved or misplaced source operand code"));
            }
            if code > 127 && needs_register_source(opcode) {
                return Err(self.illegal_operand("the source must be a register"));
            }
            literal |= code == LITERAL;
        }
        if let Some(dst) = inst.dst()
            && !is_register(self.arch, dst as u32, desc.dst.is_wide())
        {
            return Err(self.illegal_operand("the destination is no register"));
        }
        let second = if literal { Some(self.second()?) } else { None };
        Ok(self.inst(opcode, Form::Plain, second))
    }

    fn vopc(&self) -> Decoded {
        let op = table::lookup_vopc(self.arch, self.word >> 17 & 0xff).ok_or_else(|| self.no_opcode())?;
        let opcode = Opcode::Vopc(op);
        let src0 = self.word & 0x1ff;
        if self.arch.is_gcn12_or_later() && (src0 == SDWA || src0 == DPP) {
            return self.vopc_sdwa_dpp(op);
        }
        let inst = self.inst(opcode, Form::Plain, None);
        for i in 0..2 {
            self.check_vector_source(inst.src_code(i).unwrap_or(0), inst.src_type(i), i)?;
        }
        let second = if src0 == LITERAL { Some(self.second()?) } else { None };
        Ok(self.inst(opcode, Form::Plain, second))
    }

    fn vopc_sdwa_dpp(&self, op: Vopc) -> Decoded {
        let form = if self.word & 0x1ff == SDWA { Form::Sdwa } else { Form::Dpp };
        Ok(self.inst(Opcode::Vopc(op), form, Some(self.second()?)))
    }

    fn vop3(&self) -> Decoded {
        let op = if self.arch.is_gcn12_or_later() { self.word >> 16 & 0x3ff } else { self.word >> 17 & 0x1ff };
        if op > 255 {
            return self.other();
        }
        let op = table::lookup_vopc(self.arch, op).ok_or_else(|| self.no_opcode())?;
        self.vopc_vop3(op)
    }

    /// A compare in VOP3 form: SDST pair in [7:0], no literal, no third source, no output modifier; ABS, NEG and
    /// CLAMP on floats only.
    fn vopc_vop3(&self, op: Vopc) -> Decoded {
        let second = self.second()?;
        let inst = self.inst(Opcode::Vopc(op), Form::Vop3, Some(second));
        for i in 0..2 {
            let code = inst.src_code(i).unwrap_or(0);
            if code == LITERAL {
                return Err(self.illegal_operand("VOP3 has no room for a literal"));
            }
            self.check_vector_source(code, inst.src_type(i), i)?;
        }
        if !is_register(self.arch, self.word & 0xff, true) {
            return Err(self.illegal_operand("the destination is no SGPR pair"));
        }
        let clamp_bit = if self.arch.is_gcn12_or_later() { 15 } else { 11 };
        let (clamp, abs, neg) = (self.word >> clamp_bit & 1, self.word >> 8 & 7, second >> 29);
        if second >> 18 & 0x1ff != 0 || second >> 27 & 3 != 0 || abs & 4 != 0 || neg & 4 != 0 {
            return Err(self.illegal_operand("a compare has no third source and no output modifier"));
        }
        if !op.cmp().ty.is_float() && (clamp | abs | neg) != 0 {
            return Err(self.illegal_operand("ABS, NEG and CLAMP do not apply to an integer compare"));
        }
        Ok(inst)
    }

    /// Checks a 9-bit source code of a vector instruction, source number `i`.
    pub(crate) fn check_vector_source(&self, code: u32, ty: OperandType, i: usize) -> Result<(), DecodeError> {
        let legal = match code {
            LDS_DIRECT => i == 0 && !ty.is_wide(),
            256..=511 => !(ty.is_wide() && code == 511),
            _ => is_scalar_source(self.arch, code, ty.is_wide()),
        };
        if legal { Ok(()) } else { Err(self.illegal_operand("reserved or misplaced source operand code")) }
    }

    /// Encodings outside the core.
    fn other(&self) -> Decoded {
        Err(self.error(DecodeErrorKind::IllegalInstruction, "no such encoding on this generation"))
    }
}
