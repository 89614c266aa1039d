//! The modifiers of an instruction in the form that helpers take.

use gcnsim_isa::Inst;
use gcnsim_isa::table::{Opcode, Vop3, Vop3p};

use super::notes::HI16_NEW9;

/// Static modifiers of an instruction, packed; bits not listed are 0.
///
/// | bits | meaning |
/// |---|---|
/// | 2:0 | ABS of source n |
/// | 5:3 | NEG of source n; VOP3P: NEG_LO |
/// | 8:6 | OP_SEL of source n: the upper half; VOP3P: of the low result; MIX: the half of a binary16 source |
/// | 9 | the result goes to the upper half; the lower one is kept |
/// | 10 | a result in the lower half keeps the upper one |
/// | 11 | CLAMP |
/// | 13:12 | OMOD |
/// | 16:14 | OP_SEL_HI of source n: the half for the upper result; MIX: the source is binary16 |
/// | 19:17 | NEG_HI of source n |
/// | 20 | note [`hi16-new9`](super::notes::HI16_NEW9) if the upper half was not 0 |
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
#[repr(transparent)]
pub struct Flags(pub u64);

impl Flags {
    const ABS: u32 = 0;
    const NEG: u32 = 3;
    const OP_SEL: u32 = 6;
    const HIGH: u64 = 1 << 9;
    const KEEP: u64 = 1 << 10;
    const CLAMP: u64 = 1 << 11;
    const OMOD: u32 = 12;
    const OP_SEL_HI: u32 = 14;
    const NEG_HI: u32 = 17;
    const NEW9: u64 = 1 << 20;

    /// The modifiers of an instruction.
    ///
    /// SDWA selects and DPP control are not among them: they are separate steps (see [`super::sdwa`] and
    /// [`super::dpp`]). ABS and NEG of an SDWA or DPP form are among them: they come after those steps.
    pub fn of(inst: &Inst) -> Flags {
        let mut flags = (inst.op_sel() as u64 & 7) << Flags::OP_SEL;
        flags |= (inst.op_sel_hi() as u64) << Flags::OP_SEL_HI;
        flags |= (inst.omod() as u64) << Flags::OMOD;
        for i in 0..inst.src_count() {
            flags |= (inst.abs(i) as u64) << (Flags::ABS + i as u32);
            flags |= (inst.neg(i) as u64) << (Flags::NEG + i as u32);
            flags |= (inst.neg_hi(i) as u64) << (Flags::NEG_HI + i as u32);
        }
        if inst.clamp() {
            flags |= Flags::CLAMP;
        }
        match inst.writes_half() {
            Some(0) => flags |= Flags::KEEP,
            Some(_) => flags |= Flags::HIGH,
            None => {}
        }
        if is_new9(inst.opcode) && inst.writes_half() != Some(1) {
            flags |= Flags::NEW9;
        }
        Flags(flags)
    }

    /// Whether a helper without modifiers is enough.
    ///
    /// In VOP3P form the usual OP_SEL_HI, all ones, does not count as a modifier.
    pub fn is_plain(self, inst: &Inst) -> bool {
        let usual = match inst.opcode {
            Opcode::Vop3p(op) if !is_mix(op) => ((1 << inst.src_count()) - 1) << Flags::OP_SEL_HI,
            _ => 0,
        };
        // OP_SEL_HI of a missing source has no meaning.
        let absent = !((1 << inst.src_count()) - 1) & 7;
        self.0 & !(absent << Flags::OP_SEL_HI) == usual
    }

    /// ABS and NEG of source `i`.
    pub(super) const fn signs_of(i: usize) -> u64 {
        1 << (Flags::ABS + i as u32) | 1 << (Flags::NEG + i as u32)
    }

    fn source(self, first: u32, i: usize) -> bool {
        self.0 >> (first + i as u32) & 1 == 1
    }

    /// Whether source `i` has ABS.
    #[inline]
    pub fn abs(self, i: usize) -> bool {
        self.source(Flags::ABS, i)
    }

    /// Whether source `i` has NEG; in VOP3P, whether its low half has.
    #[inline]
    pub fn neg(self, i: usize) -> bool {
        self.source(Flags::NEG, i)
    }

    /// Whether the high half of source `i` has NEG.
    #[inline]
    pub fn neg_hi(self, i: usize) -> bool {
        self.source(Flags::NEG_HI, i)
    }

    /// OP_SEL of source `i`.
    #[inline]
    pub fn op_sel(self, i: usize) -> bool {
        self.source(Flags::OP_SEL, i)
    }

    /// OP_SEL_HI of source `i`.
    #[inline]
    pub fn op_sel_hi(self, i: usize) -> bool {
        self.source(Flags::OP_SEL_HI, i)
    }

    /// Whether the result goes to the upper half of the destination.
    #[inline]
    pub fn writes_upper_half(self) -> bool {
        self.0 & Flags::HIGH != 0
    }

    /// Whether a result in the lower half keeps the upper one.
    #[inline]
    pub fn keeps_upper_half(self) -> bool {
        self.0 & Flags::KEEP != 0
    }

    /// The lane note to raise if the upper half was not 0, or 0.
    #[inline]
    pub fn half_note(self) -> u32 {
        if self.0 & Flags::NEW9 != 0 { HI16_NEW9 } else { 0 }
    }

    /// CLAMP.
    #[inline]
    pub fn clamp(self) -> bool {
        self.0 & Flags::CLAMP != 0
    }

    /// OMOD, 0..=3.
    #[inline]
    pub fn omod(self) -> u32 {
        (self.0 >> Flags::OMOD & 3) as u32
    }
}

/// Whether `op` is one of V_MAD_MIX* and V_FMA_MIX*.
fn is_mix(op: Vop3p) -> bool {
    use Vop3p::*;
    matches!(op, VFmaMixF32 | VMadMixF32 | VFmaMixloF16 | VMadMixloF16 | VFmaMixhiF16 | VMadMixhiF16)
}

/// Whether `opcode` is a 16-bit instruction of GCN 1.4 whose effect on the upper half is in doubt.
fn is_new9(opcode: Opcode) -> bool {
    use Vop3::*;
    let Opcode::Vop3(op) = opcode else { return false };
    let choice = matches!(op, VMin3F16 | VMin3I16 | VMin3U16 | VMax3F16 | VMax3I16 | VMax3U16);
    choice || matches!(op, VMed3F16 | VMed3I16 | VMed3U16 | VAddI16 | VSubI16)
}
