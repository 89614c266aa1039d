//! VOP1, VOP2, VOPC and VINTRP, and their SDWA and DPP forms.

use std::fmt::{self, Display, Formatter};

use super::operand::{Source, Vgprs};
use super::{Operands, bit, bits, flag};
use crate::inst::{Form, Inst};
use crate::operand::OperandType;
use crate::state::reg;
use crate::table::{Has, Opcode};

/// Source modifiers in text.
#[derive(Clone, Copy, Default)]
pub(super) struct Modifiers {
    pub abs: bool,
    pub neg: bool,
    pub sext: bool,
}

/// A source with its modifiers: `-|v1|`, `neg(1.0)`, `sext(v1)`.
pub(super) struct Modified(pub Source, pub Modifiers);

impl Display for Modified {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Modified(source, Modifiers { abs, neg, sext }) = self;
        match (abs, neg) {
            _ if *sext => write!(f, "sext({source})"),
            (true, true) => write!(f, "-|{source}|"),
            (true, false) => write!(f, "|{source}|"),
            (false, true) if source.is_number() => write!(f, "neg({source})"),
            (false, true) => write!(f, "-{source}"),
            (false, false) => write!(f, "{source}"),
        }
    }
}

impl Modifiers {
    /// LLVM writes the NEG bit of an integer operand of a float instruction as `sext`, and does not write its ABS bit.
    pub(super) fn of(ty: OperandType, abs: bool, neg: bool) -> Modifiers {
        if ty.is_float() || ty == OperandType::b32 {
            Modifiers { abs, neg, sext: false }
        } else {
            Modifiers { sext: neg, ..Modifiers::default() }
        }
    }
}

/// Attribute and channel of an interpolation: `attr3.x`.
pub(super) struct Attribute {
    pub number: u32,
    pub channel: u32,
}

impl Display for Attribute {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "attr{}.{}", self.number, ["x", "y", "z", "w"][self.channel as usize & 3])
    }
}

/// The parameter that V_INTERP_MOV reads.
pub(super) fn parameter_name(selector: u32) -> &'static str {
    match selector {
        0 => "p10",
        1 => "p20",
        _ => "p0",
    }
}

impl Inst {
    /// VCC as an operand.
    pub(super) fn vcc(&self) -> super::operand::Sgprs {
        self.sgprs(reg::VCC_LO as u32, 2)
    }

    fn fmt_suffix(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let has = self.desc.has;
        let is_compare = matches!(self.opcode, Opcode::Vopc(_));
        f.write_str(match self.form {
            _ if has.any(Has::BARE) => "",
            Form::Sdwa if is_compare && !self.arch.is_gcn14_or_later() => "",
            Form::Sdwa => "_sdwa",
            Form::Dpp => "_dpp",
            Form::Plain if matches!(self.opcode, Opcode::Vintrp(_)) => {
                if self.arch.is_gcn12_or_later() {
                    "_e32"
                } else {
                    ""
                }
            }
            Form::Plain if is_compare || has.any(Has::VOP3) => "_e32",
            Form::Plain | Form::Vop3 => "",
        })
    }

    /// Source `i` with the modifiers of the form.
    fn short_source(&self, i: usize) -> Modified {
        let mut source = self.nth_source(i);
        let w1 = self.words[1];
        if self.desc.has.any(Has::MADMK) {
            // LLVM writes all 32 bits of the literal in V_MADMK_F16 (but not in V_MADAK_F16).
            source.ty = OperandType::f32;
        }
        let modifiers = match self.form {
            Form::Sdwa => {
                let at = 16 + 8 * i as u32;
                Modifiers { sext: bit(w1, at + 3), neg: bit(w1, at + 4), abs: bit(w1, at + 5) }
            }
            Form::Dpp => {
                let at = 20 + 2 * i as u32;
                // LLVM accepts the modifiers of V_CNDMASK_B32, but does not write them.
                if self.src_type(i) == OperandType::b32 {
                    return Modified(source, Modifiers::default());
                }
                Modifiers::of(self.src_type(i), bit(w1, at + 1), bit(w1, at))
            }
            _ => Modifiers::default(),
        };
        Modified(source, modifiers)
    }

    pub(super) fn fmt_vopc(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if self.form == Form::Vop3 {
            return self.fmt_vopc_vop3(f);
        }
        self.fmt_suffix(f)?;
        let mut operands = Operands::new(f);
        operands.put(self.sgprs(self.dst().unwrap_or(reg::VCC_LO) as u32, 2))?;
        for i in 0..2 {
            operands.put(self.short_source(i))?;
        }
        match self.form {
            Form::Sdwa => {
                flag(f, !self.arch.is_gcn14_or_later() && bit(self.words[1], 13), "clamp")?;
                self.fmt_sdwa_sources(f)
            }
            Form::Dpp => self.fmt_dpp(f),
            _ => Ok(()),
        }
    }

    /// Writes VOP1, VOP2 and VINTRP in all forms except VOP3.
    pub(super) fn fmt_vop(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.fmt_suffix(f)?;
        let [word, w1] = self.words;
        let (desc, has) = (self.desc(), self.desc.has);
        if has.any(Has::ATTR) {
            return self.fmt_vintrp(f);
        }
        let mut operands = Operands::new(f);
        self.put_vector_destination(&mut operands, bits(word, 17, 8))?;
        if has.any(Has::VCC_OUT) {
            operands.put(self.vcc())?;
        }
        for i in 0..self.src_count() {
            if self.constant_index() == Some(i) {
                operands.put(format_args!("{w1:#x}"))?;
            } else {
                operands.put(self.short_source(i))?;
            }
        }
        if has.any(Has::VCC_IN) {
            operands.put(self.vcc())?;
        }
        match self.form {
            Form::Sdwa if desc.dst == OperandType::none => Ok(()),
            Form::Sdwa => {
                flag(f, bit(w1, 13), "clamp")?;
                if self.arch.is_gcn14_or_later() {
                    f.write_str(omod_text(bits(w1, 14, 2)))?;
                }
                let unused = ["PAD", "SEXT", "PRESERVE", ""][bits(w1, 11, 2) as usize];
                write!(f, " dst_sel:{} dst_unused:UNUSED_{unused}", select_name(w1 >> 8))?;
                self.fmt_sdwa_sources(f)
            }
            Form::Dpp => self.fmt_dpp(f),
            _ => Ok(()),
        }
    }

    /// Writes VDST: VGPRs, or an SGPR for instructions that read lanes.
    pub(super) fn put_vector_destination(&self, operands: &mut Operands<'_, '_>, code: u32) -> fmt::Result {
        match self.desc().dst.dwords() {
            0 => Ok(()),
            _ if self.desc.has.any(Has::SDST) => operands.put(self.sgprs(code, 1)),
            count => operands.put(Vgprs(code, count)),
        }
    }

    fn fmt_vintrp(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let word = self.words[0];
        let mut operands = Operands::new(f);
        operands.put(Vgprs(bits(word, 18, 8), 1))?;
        if self.src_type(1) == OperandType::none {
            operands.put(parameter_name(bits(word, 0, 8)))?;
        } else {
            operands.put(Vgprs(bits(word, 0, 8), 1))?;
        }
        operands.put(Attribute { number: bits(word, 10, 6), channel: bits(word, 8, 2) })
    }

    fn fmt_sdwa_sources(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for i in 0..self.src_count() {
            write!(f, " src{i}_sel:{}", select_name(self.words[1] >> (16 + 8 * i)))?;
        }
        Ok(())
    }

    fn fmt_dpp(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let w1 = self.words[1];
        let ctrl = bits(w1, 8, 9);
        let count = ctrl & 15;
        match ctrl >> 4 {
            0..=0xf => {
                let [a, b, c, d] = [0, 2, 4, 6].map(|at| bits(ctrl, at, 2));
                write!(f, " quad_perm:[{a},{b},{c},{d}]")?;
            }
            0x10 => write!(f, " row_shl:{count}")?,
            0x11 => write!(f, " row_shr:{count}")?,
            0x12 => write!(f, " row_ror:{count}")?,
            _ => f.write_str(match ctrl {
                0x130 => " wave_shl:1",
                0x134 => " wave_rol:1",
                0x138 => " wave_shr:1",
                0x13c => " wave_ror:1",
                0x140 => " row_mirror",
                0x141 => " row_half_mirror",
                0x142 => " row_bcast:15",
                _ => " row_bcast:31",
            })?,
        }
        write!(f, " row_mask:{:#x} bank_mask:{:#x}", w1 >> 28, bits(w1, 24, 4))?;
        flag(f, bit(w1, 19), "bound_ctrl:1")
    }
}

/// Name of an SDWA selector, in LLVM's spelling without blanks.
fn select_name(selector: u32) -> &'static str {
    ["BYTE_0", "BYTE_1", "BYTE_2", "BYTE_3", "WORD_0", "WORD_1", "DWORD", ""][selector as usize & 7]
}

/// The output modifier, with a blank before it.
pub(super) fn omod_text(omod: u32) -> &'static str {
    ["", " mul:2", " mul:4", " div:2"][omod as usize & 3]
}
