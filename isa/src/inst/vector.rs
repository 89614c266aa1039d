//! Destinations, lane masks and modifiers of vector instructions, in every form.
//!
//! A modifier that an instruction ignores is reported as absent: OMOD of an integer result, OP_SEL of 32-bit operands,
//! CLAMP of a compare or of a conversion to integer, ABS and NEG of integer sources.

use super::{Form, Inst};
use crate::operand::OperandType;
use crate::state::reg;
use crate::table::{Encoding, Fx, Has, Opcode, Vop2, Vop3, Vop3p};

/// Sub-dword addressing: the selectors and modifiers of an SDWA form.
///
/// Selectors: 0..=3 a byte, 4 and 5 a word, 6 the dword.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Sdwa {
    /// Part of the destination that is written; 6 for compares.
    pub dst_sel: u8,
    /// The rule for the other bits. 0: they become zero. 1: those above are copies of the sign, those below are
    /// zero. 2: they are kept.
    pub dst_unused: u8,
    /// Part of each source; 6 for a source that does not exist.
    pub src_sel: [u8; 2],
    /// Whether the part of a source is sign-extended (otherwise it is zero-extended).
    pub sext: [bool; 2],
}

/// Data-parallel primitives: the control fields of a DPP form. They apply to source 0.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Dpp {
    /// DPP_CTRL, 9 bits; never a reserved value.
    pub ctrl: u16,
    /// Bit n: lanes 16n..16n+16 take part.
    pub row_mask: u8,
    /// Bit n: lanes 4n..4n+4 of each row take part.
    pub bank_mask: u8,
    /// Whether source 0 is 0 in a lane without a source lane. Otherwise such a lane does not take part.
    pub bound_ctrl: bool,
}

/// The place of a vector instruction's modifiers.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Layout {
    /// No extension: one dword, perhaps with a literal, or not a vector instruction.
    None,
    Sdwa,
    Dpp,
    /// VOP3, or VOP3 with SDST in the place of ABS.
    Vop3a,
    Vop3b,
    Vop3p,
}

/// Bit `n`; false from 32 on.
const fn bit(word: u32, n: u32) -> bool {
    word.unbounded_shr(n) & 1 == 1
}

impl Inst {
    fn layout(&self) -> Layout {
        let vop3 = || if self.desc.has.any(Has::VCC_OUT) { Layout::Vop3b } else { Layout::Vop3a };
        match (self.form, self.desc.encoding) {
            (Form::Sdwa, _) => Layout::Sdwa,
            (Form::Dpp, _) => Layout::Dpp,
            (Form::Vop3, _) | (_, Encoding::Vop3) => vop3(),
            (_, Encoding::Vop3p) => Layout::Vop3p,
            _ => Layout::None,
        }
    }

    fn is_vop3(&self) -> bool {
        matches!(self.layout(), Layout::Vop3a | Layout::Vop3b)
    }

    /// The VDST field, whatever it names.
    fn vdst_field(&self) -> u8 {
        let shift = match (self.form, self.desc.encoding) {
            (Form::Vop3, _) | (_, Encoding::Vop3 | Encoding::Vop3p) => 0,
            (_, Encoding::Vintrp) => 18,
            _ => 17,
        };
        (self.words[0] >> shift) as u8
    }

    /// Whether the instruction has a VDST field with an operand in it.
    fn has_vdst_field(&self) -> bool {
        use Encoding::{Vintrp, Vop1, Vop2, Vop3, Vop3p};
        matches!(self.desc.encoding, Vop1 | Vop2 | Vop3 | Vop3p | Vintrp) && self.desc.dst != OperandType::none
    }

    /// Number of the first VGPR that a vector ALU instruction writes; it writes `desc().dst.dwords()` of them. `None`
    /// for compares, for instructions that read lanes, and for V_NOP and V_CLREXCP. For V_MOVRELD it is the number
    /// before M0 is added.
    #[inline]
    pub fn vdst(&self) -> Option<u8> {
        (self.has_vdst_field() && !self.desc.has.any(Has::SDST)).then(|| self.vdst_field())
    }

    /// Operand code of the scalar register that V_READLANE or V_READFIRSTLANE writes.
    pub fn sdst(&self) -> Option<u8> {
        (self.has_vdst_field() && self.desc.has.any(Has::SDST)).then(|| self.vdst_field() & 0x7f)
    }

    /// Operand code of the pair that takes one bit per lane besides VDST: a carry, or the flag of V_DIV_SCALE. It is
    /// SDST in VOP3 form, otherwise VCC. The destination of a compare is [`Inst::dst`].
    pub fn mask_dst(&self) -> Option<u8> {
        if !self.desc.has.any(Has::VCC_OUT) {
            return None;
        }
        Some(if self.is_vop3() { (self.words[0] >> 8 & 0x7f) as u8 } else { reg::VCC_LO })
    }

    /// Operand code of the pair that is read as one bit per lane (V_CNDMASK, carry-in, V_DIV_FMAS). It is SRC2 in VOP3
    /// form. Otherwise, and for V_DIV_FMAS, it is VCC.
    pub fn mask_src(&self) -> Option<u8> {
        let has = self.desc.has;
        if has.any(Has::VCC_IN) && self.is_vop3() {
            return Some((self.words[1] >> 18 & 0x7f) as u8);
        }
        (self.has_vdst_field() && self.desc.fx.has(Fx::RVCC)).then_some(reg::VCC_LO)
    }

    /// Whether the result depends on the old value of VDST in lanes that take part: as accumulator (V_MAC, V_FMAC,
    /// V_CVT_PKACCUM, V_INTERP_P2), as source (V_SWAP), or because a part of it is kept (16-bit results, V_WRITELANE,
    /// UNUSED_PRESERVE). False for V_MOVRELD: the VGPRs that it keeps are not known before it executes.
    pub fn reads_vdst(&self) -> bool {
        let preserves = |sdwa: Sdwa| sdwa.dst_unused == 2 && sdwa.dst_sel != 6;
        self.vdst().is_some()
            && (self.desc.fx.has(Fx::RDST) || self.writes_half().is_some() || self.sdwa().is_some_and(preserves))
    }

    /// The half of VDST (0 low, 1 high) that takes a 16-bit result, if the other half is kept. Otherwise 16-bit results
    /// are zero-extended. In an SDWA form the selectors decide.
    pub fn writes_half(&self) -> Option<u8> {
        let is_16_bit = self.desc.dst.bits() == 16 && self.has_vdst_field();
        if !is_16_bit || !self.arch.is_gcn14_or_later() || self.form == Form::Sdwa {
            return None;
        }
        let is_high = matches!(self.opcode, Opcode::Vop3p(Vop3p::VMadMixhiF16 | Vop3p::VFmaMixhiF16));
        match (is_high || self.selects_high_half(), self.desc.has.any(Has::HALF)) {
            (true, _) => Some(1),
            (false, true) => Some(0),
            (false, false) => None,
        }
    }

    /// The bit OP_SEL[3] of VOP3.
    fn selects_high_half(&self) -> bool {
        self.is_vop3() && self.op_sel() & 8 != 0
    }

    /// Whether ABS and NEG have a meaning for source `i`: they do for floats, and for the sources of V_CNDMASK.
    pub(crate) fn takes_sign_modifiers(&self, i: usize) -> bool {
        match self.desc.src.get(i) {
            Some(OperandType::b32) => self.desc.has.any(Has::ABS),
            Some(ty) => ty.is_float(),
            None => false,
        }
    }

    /// Whether the sign of source `i` is cleared (before [`Inst::neg`]). Possible in VOP3, SDWA and DPP forms and in
    /// V_MAD_MIX*.
    #[inline]
    pub fn abs(&self, i: usize) -> bool {
        let ([w, w1], n) = (self.words, i as u32);
        // Few instructions have the bit, so that it is asked first.
        let is_set = match self.layout() {
            Layout::Vop3a => bit(w, 8 + n),
            Layout::Sdwa => bit(w1, 21 + 8 * n),
            Layout::Dpp => bit(w1, 21 + 2 * n),
            Layout::Vop3p => self.desc.has.any(Has::MIX) && bit(w, 8 + n),
            Layout::Vop3b | Layout::None => false,
        };
        is_set && self.takes_sign_modifiers(i)
    }

    /// Whether the sign of source `i` is flipped. In a packed instruction this is for the low half of the result
    /// (NEG_LO).
    #[inline]
    pub fn neg(&self, i: usize) -> bool {
        let (w1, n) = (self.words[1], i as u32);
        let is_set = match self.layout() {
            Layout::Vop3a | Layout::Vop3b | Layout::Vop3p => bit(w1, 29 + n),
            Layout::Sdwa => bit(w1, 20 + 8 * n),
            Layout::Dpp => bit(w1, 20 + 2 * n),
            Layout::None => false,
        };
        is_set && self.takes_sign_modifiers(i)
    }

    /// Whether the sign of source `i` of a packed instruction is flipped for the high half of the result.
    pub fn neg_hi(&self, i: usize) -> bool {
        self.desc.has.any(Has::PK) && self.takes_sign_modifiers(i) && bit(self.words[0], 8 + i as u32)
    }

    /// The OMOD bits, if the form has them. Those of SDWA are idle where the result is no float.
    #[inline]
    pub(super) fn omod_bits(&self) -> u32 {
        let has = self.desc.has;
        let op_sel = has.any(Has::OP_SEL) && self.arch.is_gcn14_or_later();
        match self.layout() {
            _ if !has.any(Has::OMOD) => 0,
            Layout::Vop3a | Layout::Vop3b if !op_sel => self.words[1] >> 27 & 3,
            Layout::Sdwa if self.arch.is_gcn14_or_later() && self.desc.dst.is_float() => self.words[1] >> 14 & 3,
            _ => 0,
        }
    }

    /// Output modifier: 0 none, 1 times 2, 2 times 4, 3 divided by 2. Whether it takes effect depends on MODE.
    #[inline]
    pub fn omod(&self) -> u32 {
        match self.omod_bits() {
            0 => 0,
            _ if self.is_float_to_integer() => 0,
            bits => bits,
        }
    }

    /// The CLAMP bit, if the form has it and the instruction accepts it.
    #[inline]
    pub(super) fn clamp_bit(&self) -> bool {
        let [w, w1] = self.words;
        let gcn12 = self.arch.is_gcn12_or_later();
        self.desc.has.any(Has::CLAMP)
            && match self.layout() {
                Layout::Vop3a | Layout::Vop3b if gcn12 => bit(w, 15),
                Layout::Vop3a => bit(w, 11),
                Layout::Vop3p => bit(w, 15),
                Layout::Sdwa => bit(w1, 13),
                Layout::Vop3b | Layout::Dpp | Layout::None => false,
            }
    }

    /// Whether the result is clamped. Floats (also the halves of packed ones) are clamped to 0..=1, integers (GCN 1.2
    /// on) to the range of their type.
    #[inline]
    pub fn clamp(&self) -> bool {
        if !self.clamp_bit() {
            return false;
        }
        match self.opcode {
            Opcode::Vop3p(Vop3p::VPkLshlrevB16 | Vop3p::VPkLshrrevB16 | Vop3p::VPkAshrrevI16) => false,
            Opcode::Vop3p(Vop3p::VPkMulLoU16) => false,
            _ if self.desc.dst.is_float() => true,
            _ if self.takes_floats() => !self.is_float_to_integer(),
            _ => self.arch.is_gcn12_or_later(),
        }
    }

    fn takes_floats(&self) -> bool {
        self.desc.src.first().is_some_and(|ty| ty.is_float())
    }

    /// Whether it converts floats to integers (also packed ones). OMOD and CLAMP are ignored then.
    pub(super) fn is_float_to_integer(&self) -> bool {
        let to_floats = matches!(
            self.opcode,
            Opcode::Vop2(Vop2::VCvtPkrtzF16F32)
                | Opcode::Vop3(Vop3::VCvtPkrtzF16F32 | Vop3::VPackB32F16)
                | Opcode::Vop3p(_)
        );
        self.takes_floats() && !self.desc.dst.is_float() && !to_floats
    }

    /// OP_SEL. In VOP3 (GCN 1.4 on) bit n selects the high half of the 16-bit source n, and bit 3 that of a 16-bit
    /// destination. In VOP3P bit n selects the half of source n for the low half of the result. It is 0 where nothing
    /// can be selected.
    #[inline]
    pub fn op_sel(&self) -> u32 {
        let word = self.words[0];
        match self.layout() {
            Layout::Vop3p => word >> 11 & ((1 << self.src_count()) - 1),
            Layout::Vop3a if self.arch.is_gcn14_or_later() && word >> 11 & 15 != 0 => {
                let is_16_bit = |ty: OperandType| (ty.bits() == 16) as u32;
                let sources = self.desc.src.iter().enumerate().fold(0, |set, (i, ty)| set | is_16_bit(*ty) << i);
                word >> 11 & (sources | is_16_bit(self.desc.dst) << 3)
            }
            _ => 0,
        }
    }

    /// OP_SEL_HI of VOP3P: bit n selects the half of source n for the high half of the result. In V_MAD_MIX* and
    /// V_FMA_MIX* it says that source n is binary16, in the half that OP_SEL selects.
    pub fn op_sel_hi(&self) -> u32 {
        let [w, w1] = self.words;
        if self.layout() == Layout::Vop3p { w1 >> 27 & 3 | (w >> 14 & 1) << 2 } else { 0 }
    }

    /// Whether the instruction can use the high half of source `i`.
    pub(super) fn selects_half(&self, i: usize) -> bool {
        self.layout() == Layout::Vop3p || self.op_sel() >> i & 1 == 1
    }

    /// Whether source `i` is a binary32 source of V_MAD_MIX* or V_FMA_MIX*.
    pub(super) fn is_f32_in_mix(&self, i: usize) -> bool {
        self.desc.has.any(Has::MIX) && self.op_sel_hi() >> i & 1 == 0
    }

    /// Whether it is V_WRITELANE, which may read M0 besides another scalar register.
    pub(super) fn is_lane_write(&self) -> bool {
        let has = self.desc.has;
        has.any(Has::LANE1) && !has.any(Has::SDST)
    }

    /// The selectors of an SDWA form.
    pub fn sdwa(&self) -> Option<Sdwa> {
        if self.form != Form::Sdwa {
            return None;
        }
        let (w1, count) = (self.words[1], self.src_count());
        let (dst_sel, dst_unused) = if self.has_vdst_field() { (w1 >> 8 & 7, w1 >> 11 & 3) } else { (6, 0) };
        let source = |i: usize| (w1 >> (16 + 8 * i), i < count);
        let select = |i| match source(i) {
            (field, true) => (field & 7) as u8,
            _ => 6,
        };
        let sext = |i| matches!(source(i), (field, true) if bit(field, 3));
        let (src_sel, sext) = ([select(0), select(1)], [sext(0), sext(1)]);
        Some(Sdwa { dst_sel: dst_sel as u8, dst_unused: dst_unused as u8, src_sel, sext })
    }

    /// The control fields of a DPP form.
    pub fn dpp(&self) -> Option<Dpp> {
        let w1 = self.words[1];
        (self.form == Form::Dpp).then(|| Dpp {
            ctrl: (w1 >> 8 & 0x1ff) as u16,
            row_mask: (w1 >> 28) as u8,
            bank_mask: (w1 >> 24 & 15) as u8,
            bound_ctrl: bit(w1, 19),
        })
    }
}
