//! Idle fields: bits that an instruction does not use, and that compilers may leave at any value. Hardware ignores
//! them.
//!
//! The listing shows an instruction as if they were 0. [`decode_strict`](crate::decode_strict) refuses them, as LLVM
//! does.

use super::{Form, Inst};
use crate::operand::OperandType;
use crate::table::{Encoding, Has, Opcode, Pred};

/// Bits of the two dwords that are idle for one reason.
#[derive(Clone, Copy)]
struct Idle {
    bits: [u32; 2],
    reason: &'static str,
}

/// The field SADDR of FLAT words.
const SADDR: u32 = 0x7f << 16;

const NO_SOURCE: &str = "a source field that is not used is not 0";
const NO_MODIFIER: &str = "the modifier does not apply";
const NO_FIELD: &str = "a field that is not used is not 0";

/// Idle bits by reason, at most as many as any encoding has.
type Fields = [Idle; 2];

const NONE: Idle = Idle { bits: [0; 2], reason: "" };

/// Idle bits with their reason.
const fn idle(first: u32, second: u32, reason: &'static str) -> Idle {
    Idle { bits: [first, second], reason }
}

/// The bits of `mask` that `keep` lacks, in a field that begins at `shift`.
const fn others(mask: u32, keep: u32, shift: u32) -> u32 {
    (mask & !keep) << shift
}

/// A mask with a bit for each source for which `holds` is true.
fn sources(inst: &Inst, holds: impl Fn(usize) -> bool) -> u32 {
    (0..inst.src_count()).filter(|&i| holds(i)).fold(0, |set, i| set | 1 << i)
}

impl Inst {
    /// The bits of both dwords that the instruction does not use and that may have any value.
    pub fn idle_bits(&self) -> [u32; 2] {
        self.idle_fields().iter().fold([0; 2], |[a, b], field| [a | field.bits[0], b | field.bits[1]])
    }

    /// The reason for which a strict reader refuses the instruction: it does not use a field that is not 0.
    pub fn idle_reason(&self) -> Option<&'static str> {
        let is_set = |field: &&Idle| self.words[0] & field.bits[0] | self.words[1] & field.bits[1] != 0;
        self.idle_fields().iter().find(is_set).map(|field| field.reason)
    }

    /// The instruction with all idle fields 0.
    pub fn without_idle_fields(&self) -> Inst {
        let [first, second] = self.idle_bits();
        Inst { words: [self.words[0] & !first, self.words[1] & !second], ..*self }
    }

    /// Whether NEG or ABS stands on a source that is an integer, which ignores it.
    pub(super) fn negates_integers(&self) -> bool {
        let is_integer = |i: usize| {
            let ty = self.src_type(i);
            ty != OperandType::none && !self.takes_sign_modifiers(i)
        };
        let integers = sources(self, is_integer);
        let [word, second] = self.words;
        let (abs, neg) = (word >> 8 & 7, second >> 29);
        match (self.form, self.desc.encoding) {
            (Form::Sdwa, _) => (0..2).any(|i| integers >> i & 1 == 1 && second >> (20 + 8 * i) & 3 != 0),
            (Form::Dpp, _) => (0..2).any(|i| integers >> i & 1 == 1 && second >> (20 + 2 * i) & 3 != 0),
            (Form::Vop3, _) | (_, Encoding::Vop3) if self.desc.has.any(Has::VCC_OUT) => neg & integers != 0,
            (Form::Vop3, _) | (_, Encoding::Vop3 | Encoding::Vop3p) => (abs | neg) & integers != 0,
            _ => false,
        }
    }

    fn idle_fields(&self) -> Fields {
        match (self.form, self.desc.encoding) {
            (Form::Sdwa, _) => self.idle_in_sdwa(),
            (Form::Dpp, _) => {
                [idle(0, others(15, self.dpp_modifiers(), 20), "the source modifier does not apply"), NONE]
            }
            (Form::Vop3, Encoding::Vopc) => self.idle_in_compare(),
            (Form::Vop3, _) | (_, Encoding::Vop3) => self.idle_in_vop3(),
            (_, Encoding::Vop3p) => self.idle_in_vop3p(),
            (_, Encoding::Ds | Encoding::Flat | Encoding::Mimg) => [self.idle_in_memory(), NONE],
            _ => [NONE; 2],
        }
    }

    fn idle_in_vop3(&self) -> Fields {
        let has = self.desc.has;
        if has.any(Has::LAX) {
            return [NONE; 2];
        }
        let gcn12 = self.arch.is_gcn12_or_later();
        let vop3b = has.any(Has::VCC_OUT);
        let count = self.src_count();
        let used = if has.any(Has::VCC_IN) { 3 } else { count };
        let modified = ((1 << count) - 1) & if has.any(Has::ATTR) { 6 } else { 7 };
        let (abs, neg) = ([0, modified][has.any(Has::ABS) as usize], [0, modified][has.any(Has::NEG) as usize]);
        // In VOP3b SDST lies in the place of ABS, and before GCN 1.2 of CLAMP.
        let abs = if vop3b { 0 } else { others(7, abs, 8) };
        let clamp = match (has.any(Has::CLAMP), gcn12) {
            (false, true) => 1 << 15,
            (false, false) if !vop3b => 1 << 11,
            _ => 0,
        };
        let op_sel = has.any(Has::OP_SEL) && self.arch.is_gcn14_or_later();
        let omod = if has.any(Has::OMOD) && !op_sel { 0 } else { 3 << 27 };
        let selectors = if op_sel { others(7, modified, 11) } else { 0 };
        [
            idle(0, 0x07ff_ffff & !(((1u64 << (9 * used)) - 1) as u32), NO_SOURCE),
            idle(abs | clamp | selectors, others(7, neg, 29) | omod, NO_MODIFIER),
        ]
    }

    fn idle_in_compare(&self) -> Fields {
        let clamp = if self.arch.is_gcn12_or_later() { 1 << 15 } else { 1 << 11 };
        let is_class = matches!(self.opcode, Opcode::Vopc(op) if op.cmp().pred == Pred::Class);
        let modifiers = match self.desc.src[0].is_float() {
            // S1 of a class compare is a mask.
            true if is_class => idle(clamp | 2 << 8, 2 << 29, "of a class compare only S0 takes ABS and NEG"),
            true => NONE,
            false => idle(clamp | 3 << 8, 3 << 29, "ABS, NEG and CLAMP do not apply to an integer compare"),
        };
        let third = 0x1ff << 18 | 3 << 27 | 4 << 29;
        [idle(4 << 8, third, "a compare has no third source and no output modifier"), modifiers]
    }

    fn idle_in_vop3p(&self) -> Fields {
        let third = match self.src_count() < 3 {
            // LLVM's assembler sets OP_SEL_HI of the missing source. Its value does not matter.
            true => idle(1 << 10 | 1 << 13, 0x1ff << 18 | 1 << 31, "a field of the missing third source is not 0"),
            false => NONE,
        };
        // As in LLVM, only the first source of 16-bit integers can be negated in a listing.
        let is_16_bit = |i: usize| i > 0 && matches!(self.src_type(i), OperandType::i16 | OperandType::u16);
        let integers = sources(self, is_16_bit);
        [third, idle(integers << 8, integers << 29, NO_MODIFIER)]
    }

    fn idle_in_sdwa(&self) -> Fields {
        // NEG and ABS of V_CNDMASK_B32 have a meaning in other forms; they stay illegal here.
        let ignores = |i: usize| !self.src_type(i).is_float() && !self.takes_sign_modifiers(i);
        let signs = sources(self, ignores);
        let of_source = |i: u32| if signs >> i & 1 == 1 { 3 << (20 + 8 * i) } else { 0 };
        let signs = of_source(0) | of_source(1);
        let has_omod = self.arch.is_gcn14_or_later() && self.desc.encoding != Encoding::Vopc;
        let omod = if has_omod && !self.desc.dst.is_float() { 3 << 14 } else { 0 };
        [idle(0, signs, "the source modifier does not apply"), idle(0, omod, "OMOD does not apply")]
    }

    /// The bits among NEG and ABS of both sources of a DPP form that have a meaning.
    fn dpp_modifiers(&self) -> u32 {
        let takes = match self.desc.encoding {
            Encoding::Vopc => self.desc.src[0].is_float(),
            _ => self.desc.has.any(Has::ABS),
        };
        let count = if self.desc.encoding == Encoding::Vopc { 2 } else { self.src_count() };
        if takes { (1 << (2 * count)) - 1 } else { 0 }
    }

    fn idle_in_memory(&self) -> Idle {
        let second = match self.opcode {
            Opcode::Ds(op) => {
                let shape = op.shape();
                let widths = [shape.addr as u8, shape.data[0], shape.data[1], shape.vdst];
                u32::from_le_bytes(widths.map(|width| if width == 0 { 0xff } else { 0 }))
            }
            // On GCN 1.4 the words have more fields, which the processor ignores in FLAT or reads.
            Opcode::Flat(_) if !self.arch.is_gcn14_or_later() => return idle(0xffff, SADDR, NO_FIELD),
            Opcode::Mimg(op) if !op.shape().sampler => 0x1f << 21,
            _ => 0,
        };
        idle(0, second, NO_FIELD)
    }
}
