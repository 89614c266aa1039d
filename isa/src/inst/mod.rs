//! A decoded instruction: opcode, form and raw words. Operands are read from the words on demand. Decoding has checked
//! them, so no accessor can fail.
//!
//! ```text
//! mod.rs      what it is, sources, scalar destination
//! vector.rs   destinations, masks and modifiers of vector instructions
//! executed.rs what the engines execute
//! idle.rs     bits that are ignored
//! memory.rs   fields of memory instructions
//! effects.rs  all that it reads and writes, implicit effects included (memory_effects.rs)
//! notes.rs    fidelity notes that the words decide (memory_notes.rs)
//! ```

mod effects;
mod executed;
mod idle;
mod image;
mod memory;
mod memory_effects;
mod memory_notes;
mod notes;
mod vector;

use std::fmt;

use crate::arch::Arch;
use crate::operand::{self, OperandType, Src};
use crate::state::reg;
use crate::table::{Encoding, Flow, Has, InstDesc, Opcode, Sopk, Sopp};
pub use effects::{RegSet, VgprSet};
pub use executed::MEMORY;
pub use image::{AttributeAccess, ExportAccess, ImageAccess, export_target_name};
pub use memory::{BufferAccess, DsAccess, FlatAccess, ScalarAccess};
pub use memory_effects::flat_scratch;
pub(crate) use notes::source_notes;
pub use vector::{Dpp, Sdwa};

/// The form in which a vector instruction is written.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Form {
    /// The form of the row's own encoding.
    Plain,
    /// Promoted to VOP3 (8 bytes, no literal).
    Vop3,
    /// The form with a sub-dword addressing dword.
    Sdwa,
    /// The form with a data-parallel-primitives dword.
    Dpp,
}

/// A decoded instruction.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Inst {
    /// The opcode.
    pub opcode: Opcode,
    /// The row. It is looked up once, because accessors often need it.
    pub(crate) desc: &'static InstDesc,
    /// Form of a vector instruction.
    pub form: Form,
    /// The generation that it was decoded for.
    pub arch: Arch,
    /// Length in bytes, 4 or 8.
    pub(crate) size: u8,
    /// First and second dword (0 if there is none).
    pub words: [u32; 2],
}

impl fmt::Debug for Inst {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Inst({} {:?} {} {:08x?}, {} bytes)", self.desc.mnemonic, self.form, self.arch, self.words, self.size)
    }
}

/// The place of an operand code in the first dword.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct CodeField {
    pub shift: u8,
    pub mask: u16,
    /// The number added to the field's value: fields of eight bits name only VGPRs.
    pub base: u16,
}

impl CodeField {
    /// The field of source `i`, for scalar instructions and compares in VOPC form. `None` if the source is an
    /// immediate.
    #[inline]
    pub(crate) fn of_source(desc: &InstDesc, i: usize) -> Option<CodeField> {
        let eight_bits = CodeField { shift: 8 * i as u8, mask: 0xff, base: 0 };
        match desc.encoding {
            Encoding::Sop1 | Encoding::Sop2 | Encoding::Sopc => Some(eight_bits),
            Encoding::Sopk if desc.src[i].dwords() == 0 || desc.src[i].is_immediate() => None,
            Encoding::Sopk => Some(CodeField { shift: 16, mask: 0x7f, base: 0 }),
            Encoding::Vopc if i == 0 => Some(CodeField { shift: 0, mask: 0x1ff, base: 0 }),
            Encoding::Vopc => Some(CodeField { shift: 9, mask: 0xff, base: 256 }),
            _ => None,
        }
    }

    /// The code in the first dword of an instruction.
    #[inline]
    pub(crate) fn get(self, word: u32) -> u32 {
        (word >> self.shift & self.mask as u32) + self.base as u32
    }
}

impl Inst {
    /// The instruction's row.
    #[inline]
    pub fn desc(&self) -> &'static InstDesc {
        self.desc
    }

    /// Length in bytes, 4 or 8.
    pub fn size(&self) -> u32 {
        self.size as u32
    }

    /// SIMM16 of SOPK and SOPP.
    pub fn simm16(&self) -> i16 {
        self.words[0] as i16
    }

    /// The raw SSRC1 field (the immediate of S_SET_GPR_IDX_ON).
    pub fn ssrc1_field(&self) -> u32 {
        self.words[0] >> 8 & 0xff
    }

    /// Whether a literal dword is among the sources (code 255), or is always part of the instruction.
    pub fn has_literal(&self) -> bool {
        self.form == Form::Plain && self.size == 8 && !self.desc().encoding.is_two_dwords()
    }

    /// Byte offset of a direct target from the instruction's own address (SOPP and SOPK branches).
    pub fn branch_offset(&self) -> i64 {
        4 + 4 * self.simm16() as i64
    }

    /// Number of explicit sources. The constants of V_MADMK and V_MADAK and lane numbers count; lane masks and
    /// accumulators do not.
    pub fn src_count(&self) -> usize {
        self.desc().src.len()
    }

    /// Type of source `i`. For packed instructions it is the type of a half. For V_MAD_MIX* and V_FMA_MIX* OP_SEL_HI
    /// chooses F32 or F16.
    pub fn src_type(&self, i: usize) -> OperandType {
        match self.desc.src[i] {
            OperandType::f16 if self.is_f32_in_mix(i) => OperandType::f32,
            ty => ty,
        }
    }

    /// Operand code of source `i` (0..=511), or `None` if it is an immediate field or an interpolation attribute. The
    /// constant of V_MADMK and V_MADAK has the code of a literal. Memory instructions have no sources in this sense.
    #[inline]
    pub fn src_code(&self, i: usize) -> Option<u32> {
        match (self.form, CodeField::of_source(self.desc, i)) {
            (Form::Plain, Some(field)) => Some(field.get(self.words[0])),
            _ => self.other_src_code(i),
        }
    }

    /// The first VGPR of source `i`, if the source is one. This is faster than [`Inst::src`].
    pub fn src_vgpr(&self, i: usize) -> Option<u8> {
        Some(self.src_code(i)?.checked_sub(operand::FIRST_VGPR)? as u8)
    }

    fn other_src_code(&self, i: usize) -> Option<u32> {
        use Encoding::{Vintrp, Vop1, Vop2, Vop3, Vop3p, Vopc};
        if self.src_type(i) == OperandType::none || self.src_type(i).is_immediate() {
            return None;
        }
        let [w, w1] = self.words;
        Some(match (self.desc().encoding, self.form) {
            (Vop3 | Vop3p, _) | (_, Form::Vop3) => w1 >> (9 * i) & 0x1ff,
            (Vop1 | Vop2 | Vopc, Form::Sdwa) if i == 0 => w1 & 0xff | (self.sdwa_vgpr(23) << 8),
            (Vop1 | Vop2 | Vopc, Form::Sdwa) => w >> 9 & 0xff | (self.sdwa_vgpr(31) << 8),
            (Vop1 | Vop2 | Vopc, Form::Dpp) if i == 0 => 256 + (w1 & 0xff),
            (Vop1 | Vop2 | Vopc, _) if i == 0 => w & 0x1ff,
            (Vop2, _) if self.constant_index() == Some(i) => operand::LITERAL,
            (Vop2, _) if self.desc.has.any(Has::LANE1) => w >> 9 & 0xff,
            (Vop1 | Vop2 | Vopc, _) => 256 + (w >> 9 & 0xff),
            (Vintrp, _) => 256 + (w & 0xff),
            _ => w >> (8 * i) & 0xff,
        })
    }

    /// 1 if a source of an SDWA form is a VGPR. It always is on GCN 1.2; from 1.4 on bit `bit` of the second dword
    /// decides.
    fn sdwa_vgpr(&self, bit: u32) -> u32 {
        if self.arch.is_gcn14_or_later() { self.words[1] >> bit & 1 ^ 1 } else { 1 }
    }

    /// Index of the source that is the constant of V_MADMK or V_MADAK.
    pub(crate) fn constant_index(&self) -> Option<usize> {
        let has = self.desc.has;
        if has.any(Has::MADMK) {
            return Some(1);
        }
        has.any(Has::MADAK).then_some(2)
    }

    /// Source `i`. If a half of a 16-bit source can be selected (VOP3P, OP_SEL), a constant has the 32 bits of a
    /// register: integers are sign-extended, and floats have an upper half of 0.
    #[inline]
    pub fn src(&self, i: usize) -> Src {
        match self.src_code(i) {
            Some(code) => self.src_of_code(i, code),
            None => Src::Imm(match self.src_type(i) {
                OperandType::simm => self.simm16() as i32 as u32 as u64,
                OperandType::uimm => self.simm16() as u16 as u64,
                _ => self.words[1] as u64,
            }),
        }
    }

    /// Source `i`, whose operand code is known.
    #[inline]
    fn src_of_code(&self, i: usize, code: u32) -> Src {
        if let Some(n) = code.checked_sub(operand::FIRST_VGPR) {
            return Src::Vgpr(n as u8);
        }
        let ty = self.src_type(i);
        if ty.bits() == 16 && self.selects_half(i) {
            return Src::of_code_with_halves(code, ty);
        }
        Src::of_code(code, ty, self.words[1])
    }

    /// Operand code of the scalar destination, if the instruction has one. A compare in VOPC form writes VCC. The
    /// destination of S_MOVRELD is the operand before M0 is added. This is for core instructions only: for others see
    /// [`Inst::vdst`], [`Inst::sdst`] and [`Inst::mask_dst`].
    #[inline]
    pub fn dst(&self) -> Option<u8> {
        if self.desc.dst == OperandType::none || !self.desc.encoding.is_core() {
            return None;
        }
        Some(match (self.desc().encoding, self.form) {
            (Encoding::Vopc, Form::Vop3) => (self.words[0] & 0x7f) as u8,
            (Encoding::Vopc, Form::Sdwa) if self.sdwa_names_sdst() => (self.words[1] >> 8 & 0x7f) as u8,
            (Encoding::Vopc, _) => reg::VCC_LO,
            _ => (self.words[0] >> 16 & 0x7f) as u8,
        })
    }

    /// Whether the SDWA form of a compare names its destination (bit SD, GCN 1.4 on).
    pub(crate) fn sdwa_names_sdst(&self) -> bool {
        self.arch.is_gcn14_or_later() && self.words[1] >> 15 & 1 == 1
    }

    /// The flow of the row, except that control goes on after S_SETHALT 0 and S_TRAP 3.
    pub fn flow(&self) -> Flow {
        match self.desc().flow {
            Flow::Trap if self.is_debug_trap() => Flow::Next,
            Flow::Halt if self.opcode == Opcode::Sopp(Sopp::SSethalt) && self.simm16() & 1 == 0 => Flow::Next,
            flow => flow,
        }
    }

    /// Whether the instruction is S_TRAP 3, after which a wave goes on unless there is a debugger. The trap id is
    /// SIMM16\[7:0\] (docs/gcn/dispatch.md#traps-messages-end).
    pub fn is_debug_trap(&self) -> bool {
        self.opcode == Opcode::Sopp(Sopp::STrap) && self.simm16() as u8 == 3
    }
}

/// Whether a second dword always follows, whatever the operand codes.
pub(crate) fn always_has_dword(opcode: Opcode) -> bool {
    opcode == Opcode::Sopk(Sopk::SSetregImm32B32)
}
