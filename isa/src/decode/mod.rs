//! Decodes dwords into an [`Inst`]. Decoding is total: every pair of dwords gives an instruction or a named error.
//!
//! The first dword names the encoding by its leading bits (ISA manual, "instruction formats"):
//!
//! ```text
//! 0xxx xxxx x  VOP2     0111 110x x  VOPC     0111 111x x  VOP1
//! 10xx xxxx x  SOP2     1011 xxxx x  SOPK     1011 1110 1  SOP1    1011 1111 0  SOPC    1011 1111 1  SOPP
//! 1100 0xxx x  SMRD (before GCN 1.2)          1100 00xx x  SMEM    1100 01xx x  EXP (from GCN 1.2 on)
//! 1100 10xx x  VINTRP (before GCN 1.2)        1101 01xx x  VINTRP (from GCN 1.2 on)
//! 1101 00xx x  VOP3     1101 0011 1  VOP3P (GCN 1.4)
//! 1101 10xx x  DS       1101 11xx x  FLAT (from GCN 1.1 on)
//! 1110 00xx x  MUBUF    1110 10xx x  MTBUF    1111 00xx x  MIMG    1111 10xx x  EXP (before GCN 1.2)
//! ```
//!
//! Outside the core, illegal operands are those that LLVM 14 refuses, with few exceptions. One of them is large: fields
//! that an instruction does not use may have any value ([`Inst::idle_bits`]); [`decode_strict`] refuses these too.

mod memory;
mod scalar;
mod vector;
mod vop3;

use crate::arch::Arch;
use crate::inst::{Form, Inst};
use crate::operand::is_in_class;
use crate::table::{InstDesc, Opcode};
pub(crate) use memory::SADDR_OFF;

/// The reason for which dwords are not an instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{}: {reason} (word {word:08x})", kind.name())]
pub struct DecodeError {
    /// The kind of error.
    pub kind: DecodeErrorKind,
    /// The first dword.
    pub word: u32,
    /// The reason in words.
    pub reason: &'static str,
}

/// Kinds of decode errors; the names are those of faults in results.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum DecodeErrorKind {
    /// The generation has no such encoding or opcode.
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

/// The state of decoding one instruction.
pub(crate) struct Decoder {
    arch: Arch,
    word: u32,
    next: Option<u32>,
}

type Decoded = Result<Inst, DecodeError>;

/// Decodes the instruction that starts with `word`. `next` is the dword after it, if there is one.
///
/// # Errors
/// [`DecodeError`] names illegal opcodes, illegal operands and a missing second dword.
pub fn decode(arch: Arch, word: u32, next: Option<u32>) -> Decoded {
    let d = Decoder { arch, word, next };
    match word >> 23 {
        0x17d => d.sop1(),
        0x17e => d.sopc(),
        0x17f => d.sopp(),
        0x160..=0x17c => d.sopk(),
        0x100..=0x15f => d.sop2(),
        _ => d.not_scalar(),
    }
}

/// Decodes as [`decode`], but refuses an instruction with idle fields that are not 0, as LLVM's disassembler does.
///
/// # Errors
/// As [`decode`]; an illegal operand too if a field that the instruction does not use is not 0.
pub fn decode_strict(arch: Arch, word: u32, next: Option<u32>) -> Decoded {
    let inst = decode(arch, word, next)?;
    match inst.idle_reason() {
        Some(reason) => Err(DecodeError { kind: DecodeErrorKind::IllegalOperand, word, reason }),
        None => Ok(inst),
    }
}

impl Decoder {
    /// Decodes everything except SOP1, SOP2, SOPC, SOPK and SOPP. It is a function of its own because it is large, and
    /// scalar instructions are frequent.
    #[inline(never)]
    fn not_scalar(&self) -> Decoded {
        let Decoder { arch, word, .. } = *self;
        let gcn12 = arch.is_gcn12_or_later();
        match word >> 26 {
            0x1f if word >> 25 == 0x3e => self.vopc(),
            0x1f => self.vop1(),
            0..=0x1e => self.vop2(),
            0x30 if gcn12 => self.smem(),
            0x30 | 0x31 if !gcn12 => self.smrd(),
            0x32 if !gcn12 => self.vintrp(),
            0x34 if arch.is_gcn14_or_later() && word >> 23 == 0x1a7 => self.vop3p(),
            0x34 => self.vop3(),
            0x35 if gcn12 => self.vintrp(),
            0x36 => self.ds(),
            0x37 if arch != Arch::Gcn10 => self.flat(),
            0x38 => self.mubuf(),
            0x3a => self.mtbuf(),
            0x3c => self.mimg(),
            0x31 if gcn12 => self.exp(),
            0x3e if !gcn12 => self.exp(),
            _ => Err(self.error(DecodeErrorKind::IllegalInstruction, "no such encoding on this generation")),
        }
    }

    fn error(&self, kind: DecodeErrorKind, reason: &'static str) -> DecodeError {
        DecodeError { kind, word: self.word, reason }
    }

    fn no_opcode(&self) -> DecodeError {
        self.error(DecodeErrorKind::IllegalInstruction, "no such opcode on this generation")
    }

    fn illegal_operand(&self, reason: &'static str) -> DecodeError {
        self.error(DecodeErrorKind::IllegalOperand, reason)
    }

    /// Returns an illegal operand unless `legal`.
    fn require(&self, legal: bool, reason: &'static str) -> Result<(), DecodeError> {
        if legal { Ok(()) } else { Err(self.illegal_operand(reason)) }
    }

    /// The second dword.
    fn second(&self) -> Result<u32, DecodeError> {
        self.next.ok_or_else(|| self.error(DecodeErrorKind::Truncated, "the second dword is missing"))
    }

    fn inst(&self, opcode: Opcode, form: Form, second: Option<u32>) -> Inst {
        self.inst_of_row(opcode.desc(), form, second)
    }

    #[inline]
    fn inst_of_row(&self, desc: &'static InstDesc, form: Form, second: Option<u32>) -> Inst {
        let size = if second.is_some() { 8 } else { 4 };
        let words = [self.word, second.unwrap_or(0)];
        Inst { opcode: desc.opcode, desc, form, arch: self.arch, size, words }
    }

    fn is_in_class(&self, code: u32, classes: u8) -> bool {
        is_in_class(self.arch, code, classes)
    }

    /// Checks a 9-bit source code of a vector instruction.
    fn check_vector_source(&self, code: u32, class: u8) -> Result<(), DecodeError> {
        self.require(self.is_in_class(code, class), "reserved or misplaced source operand code")
    }

    /// Checks that registers `first..first + dwords` are VGPRs.
    fn check_vgprs(&self, first: u32, dwords: u32) -> Result<(), DecodeError> {
        self.require(first + dwords <= 256, "registers past v255")
    }
}
