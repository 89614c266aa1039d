//! Encodes core instructions: makes words of opcode and operand codes.
//!
//! ```
//! use gcnsim_isa::encode::{Builder, vgpr};
//! use gcnsim_isa::{Arch, Opcode, Sop2, Vopc};
//! let add = Builder::new(Arch::Gcn14, Opcode::Sop2(Sop2::SAddU32)).dst(0).src(0, 1).src(1, 129).build().unwrap();
//! assert_eq!(add.to_string(), "s_add_u32 s0, s1, 1");
//! let compare = Builder::new(Arch::Gcn12, Opcode::Vopc(Vopc::VCmpLtF32)).vop3().dst(2).src(0, vgpr(1)).src(1, 242);
//! assert_eq!(compare.abs(0).build().unwrap().to_string(), "v_cmp_lt_f32_e64 s[2:3], |v1|, 1.0");
//! ```

use crate::arch::Arch;
use crate::decode::{DecodeError, decode_strict};
use crate::inst::{Form, Inst, always_has_dword};
use crate::operand::LITERAL;
use crate::table::{Encoding, Opcode};

/// Operand code of a VGPR.
pub const fn vgpr(number: u8) -> u32 {
    256 + number as u32
}

/// The reason for which words cannot be made.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum EncodeError {
    /// The generation lacks the instruction.
    #[error("{mnemonic} does not exist on {arch}")]
    NoOpcode {
        /// The instruction.
        mnemonic: &'static str,
        /// The generation.
        arch: Arch,
    },
    /// Only core instructions in plain and VOP3 form can be built.
    #[error("{0} cannot be built in this form")]
    NotBuildable(&'static str),
    /// An operand code does not fit its field.
    #[error("operand code {code} does not fit the {bits}-bit field {field}")]
    Field {
        /// Name of the field in the manual.
        field: &'static str,
        /// Width of the field.
        bits: u32,
        /// The code.
        code: u32,
    },
    /// The words would be illegal.
    #[error(transparent)]
    Illegal(#[from] DecodeError),
}

/// A core instruction that is being built. Everything that is not set is 0, also in fields that the instruction does
/// not use.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Builder {
    arch: Arch,
    opcode: Opcode,
    form: Form,
    dst: u32,
    src: [u32; 2],
    simm16: u16,
    literal: u32,
    abs: u32,
    neg: u32,
    clamp: bool,
    op_sel: u32,
}

impl Builder {
    /// Starts an instruction with all operands 0.
    pub fn new(arch: Arch, opcode: Opcode) -> Builder {
        Builder {
            arch,
            opcode,
            form: Form::Plain,
            dst: 0,
            src: [0; 2],
            simm16: 0,
            literal: 0,
            abs: 0,
            neg: 0,
            clamp: false,
            op_sel: 0,
        }
    }

    /// The operands of a decoded instruction. Building them gives its words, with 0 in unused fields.
    pub fn from_inst(inst: &Inst) -> Builder {
        let inst = &inst.without_idle_fields();
        let mut builder = Builder { form: inst.form, ..Builder::new(inst.arch, inst.opcode) };
        let desc = inst.desc();
        if let (Some(dst), true) = (inst.dst(), desc.encoding != Encoding::Vopc || inst.form == Form::Vop3) {
            builder.dst = dst as u32;
        }
        for i in 0..inst.src_count().min(2) {
            builder.src[i] = inst.src_code(i).unwrap_or(0);
            builder.abs |= (inst.abs(i) as u32) << i;
            builder.neg |= (inst.neg(i) as u32) << i;
        }
        match desc.encoding {
            Encoding::Sopk | Encoding::Sopp => builder.simm16 = inst.simm16() as u16,
            Encoding::Sopc if inst.src_count() == 1 => builder.src[1] = inst.ssrc1_field(),
            Encoding::Vopc if inst.form == Form::Vop3 => {
                let gcn12 = inst.arch.is_gcn12_or_later();
                builder.clamp = inst.words[0] >> (if gcn12 { 15 } else { 11 }) & 1 == 1;
                builder.op_sel = if inst.arch.is_gcn14_or_later() { inst.words[0] >> 11 & 15 } else { 0 };
            }
            _ => {}
        }
        if inst.has_literal() {
            builder.literal = inst.words[1];
        }
        builder
    }

    /// Operand code of the destination. (A compare in VOPC form has none.)
    pub fn dst(mut self, code: u32) -> Builder {
        self.dst = code;
        self
    }

    /// Sets the operand code of source 0 or 1: 0..=255, with 255 for the literal; in compares VGPRs are 256 and up. The
    /// first source of SOPK is SDST, unless that is the destination too. The second source of S_SET_GPR_IDX_ON is the
    /// immediate.
    ///
    /// # Panics
    /// If `i` is above 1.
    pub fn src(mut self, i: usize, code: u32) -> Builder {
        self.src[i] = code;
        self
    }

    /// SIMM16 of SOPK and SOPP.
    pub fn simm16(mut self, simm16: u16) -> Builder {
        self.simm16 = simm16;
        self
    }

    /// The dword that follows, for source code 255 and S_SETREG_IMM32_B32.
    pub fn literal(mut self, dword: u32) -> Builder {
        self.literal = dword;
        self
    }

    /// Chooses the VOP3 form (compares).
    pub fn vop3(mut self) -> Builder {
        self.form = Form::Vop3;
        self
    }

    /// Sets ABS of source `i` (VOP3 form).
    pub fn abs(mut self, i: usize) -> Builder {
        self.abs |= 1 << i;
        self
    }

    /// Sets NEG of source `i` (VOP3 form).
    pub fn neg(mut self, i: usize) -> Builder {
        self.neg |= 1 << i;
        self
    }

    /// Sets CLAMP (VOP3 form).
    pub fn clamp(mut self) -> Builder {
        self.clamp = true;
        self
    }

    /// Sets the four OP_SEL bits (VOP3 form, GCN 1.4; compares ignore them).
    pub fn op_sel(mut self, bits: u32) -> Builder {
        self.op_sel = bits;
        self
    }

    /// Makes the words and decodes them.
    ///
    /// # Errors
    /// [`EncodeError`] if the generation lacks the instruction or the operands do not fit or are illegal.
    pub fn build(&self) -> Result<Inst, EncodeError> {
        let (first, second) = self.words()?;
        let inst = decode_strict(self.arch, first, second)?;
        // SRC0 codes 249 and 250 would choose another form.
        let same = (inst.opcode, inst.form) == (self.opcode, self.form);
        if same { Ok(inst) } else { Err(EncodeError::NotBuildable(inst.desc().mnemonic)) }
    }

    /// The words, legal or not. The second exists if the instruction has one.
    ///
    /// # Errors
    /// [`EncodeError`] if the generation lacks the instruction or an operand code does not fit its field.
    pub fn words(&self) -> Result<(u32, Option<u32>), EncodeError> {
        let desc = self.opcode.desc();
        let op = desc.opcode_on(self.arch);
        let op = op.ok_or(EncodeError::NoOpcode { mnemonic: desc.mnemonic, arch: self.arch })? as u32;
        let [s0, s1] = self.src;
        let scalar = |field, code| fit(field, 8, code);
        let first = match (desc.encoding, self.form) {
            (Encoding::Sop1, Form::Plain) => {
                0xbe80_0000 | fit("SDST", 7, self.dst)? << 16 | op << 8 | scalar("SSRC0", s0)?
            }
            (Encoding::Sop2, Form::Plain) => {
                let sources = scalar("SSRC1", s1)? << 8 | scalar("SSRC0", s0)?;
                0x8000_0000 | op << 23 | fit("SDST", 7, self.dst)? << 16 | sources
            }
            (Encoding::Sopc, Form::Plain) => 0xbf00_0000 | op << 16 | scalar("SSRC1", s1)? << 8 | scalar("SSRC0", s0)?,
            (Encoding::Sopk, Form::Plain) => {
                let sdst = if desc.dst.bits() == 0 { s0 } else { self.dst };
                0xb000_0000 | op << 23 | fit("SDST", 7, sdst)? << 16 | self.simm16 as u32
            }
            (Encoding::Sopp, Form::Plain) => 0xbf80_0000 | op << 16 | self.simm16 as u32,
            (Encoding::Vopc, Form::Plain) => {
                let vsrc1 = fit("VSRC1", 8, s1.wrapping_sub(256))?;
                0x7c00_0000 | op << 17 | vsrc1 << 9 | fit("SRC0", 9, s0)?
            }
            (Encoding::Vopc, Form::Vop3) => return self.vop3_words(op),
            _ => return Err(EncodeError::NotBuildable(desc.mnemonic)),
        };
        let used = &self.src[..desc.src.len().min(2)];
        let literal = always_has_dword(self.opcode) || desc.encoding != Encoding::Sopk && used.contains(&LITERAL);
        Ok((first, literal.then_some(self.literal)))
    }

    /// Makes the words of a compare in VOP3 form.
    fn vop3_words(&self, op: u32) -> Result<(u32, Option<u32>), EncodeError> {
        let modifiers = fit("VDST", 8, self.dst)? | fit("ABS", 3, self.abs)? << 8;
        let clamp = self.clamp as u32;
        let first = if self.arch.is_gcn12_or_later() {
            0xd000_0000 | op << 16 | clamp << 15 | fit("OP_SEL", 4, self.op_sel)? << 11 | modifiers
        } else {
            0xd000_0000 | op << 17 | clamp << 11 | modifiers
        };
        let [s0, s1] = self.src;
        let second = fit("NEG", 3, self.neg)? << 29 | fit("SRC1", 9, s1)? << 9 | fit("SRC0", 9, s0)?;
        Ok((first, Some(second)))
    }
}

fn fit(field: &'static str, bits: u32, code: u32) -> Result<u32, EncodeError> {
    if code >> bits == 0 { Ok(code) } else { Err(EncodeError::Field { field, bits, code }) }
}
