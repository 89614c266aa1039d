//! Writes an [`Inst`] as text in the syntax of LLVM 14's `llvm-mc`, with one blank after the mnemonic.
//!
//! Where LLVM has no text, CLRX's meaning is written in LLVM's style: odd pairs (`s[1:2]`), DPP compares (`_dpp`),
//! scalar addresses with constant and register (`s4 offset:0x10`).

mod memory;
mod operand;
mod scalar;
mod vector;
mod vop3;

use std::fmt::{self, Display, Formatter};

use crate::arch::Arch;
use crate::inst::{Form, Inst};
use crate::table::{Encoding, Opcode};

/// Writes operands. A blank comes before the first, a comma and a blank before each other one.
pub(super) struct Operands<'a, 'f> {
    f: &'a mut Formatter<'f>,
    any: bool,
}

impl<'a, 'f> Operands<'a, 'f> {
    fn new(f: &'a mut Formatter<'f>) -> Self {
        Operands { f, any: false }
    }

    fn put(&mut self, operand: impl Display) -> fmt::Result {
        let separator = if self.any { ", " } else { " " };
        self.any = true;
        write!(self.f, "{separator}{operand}")
    }
}

/// Writes ` name` if `set`.
pub(super) fn flag(f: &mut Formatter<'_>, set: bool, name: &str) -> fmt::Result {
    if set { write!(f, " {name}") } else { Ok(()) }
}

/// Bits `low..low + width` of a word.
pub(super) const fn bits(word: u32, low: u32, width: u32) -> u32 {
    word >> low & ((1 << width) - 1)
}

/// Bit `n` of a word.
pub(super) const fn bit(word: u32, n: u32) -> bool {
    word >> n & 1 == 1
}

/// Name of the scalar register with an operand code (0..=127) on a generation: `s7`, `vcc_lo`, `ttmp3`.
pub fn scalar_register_name(arch: Arch, code: u8) -> String {
    operand::Sgprs { arch, code: code.into(), count: 1 }.to_string()
}

/// Writes the text of LLVM's disassembler. Idle fields do not show.
impl Display for Inst {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.without_idle_fields().fmt_used_fields(f)
    }
}

impl Inst {
    fn fmt_used_fields(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(self.desc().mnemonic)?;
        match self.opcode {
            Opcode::Sop1(_) | Opcode::Sop2(_) | Opcode::Sopc(_) => self.fmt_sop(f),
            Opcode::Sopk(op) => self.fmt_sopk(op, f),
            Opcode::Sopp(op) => self.fmt_sopp(op, f),
            Opcode::Vopc(_) => self.fmt_vopc(f),
            Opcode::Vop1(_) | Opcode::Vop2(_) | Opcode::Vintrp(_) if self.form != Form::Vop3 => self.fmt_vop(f),
            Opcode::Vop1(_) | Opcode::Vop2(_) | Opcode::Vop3(_) | Opcode::Vintrp(_) => self.fmt_vop3(f),
            Opcode::Vop3p(_) => self.fmt_vop3p(f),
            Opcode::Smrd(op) => self.fmt_smrd(op.shape(), f),
            Opcode::Smem(op) => self.fmt_smem(op.shape(), f),
            Opcode::Ds(op) => self.fmt_ds(op.shape(), f),
            Opcode::Flat(op) => self.fmt_flat(Encoding::Flat, op.shape(), f),
            Opcode::Global(op) => self.fmt_flat(Encoding::Global, op.shape(), f),
            Opcode::Scratch(op) => self.fmt_flat(Encoding::Scratch, op.shape(), f),
            Opcode::Mubuf(op) => self.fmt_mubuf(op.shape(), f),
            Opcode::Mtbuf(op) => self.fmt_mtbuf(op.shape(), f),
            Opcode::Mimg(op) => self.fmt_mimg(op.shape(), f),
            Opcode::Exp(_) => self.fmt_exp(f),
        }
    }
}
