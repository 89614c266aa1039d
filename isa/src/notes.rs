//! Fidelity notes: cases whose outcome rests on a choice of ours, because no source settles them.
//!
//! A run collects the codes it met; `docs/fidelity.md` lists case, source and choice for each.

use std::fmt;

use crate::arch::Arch;
use crate::inst::{Form, Inst};
use crate::operand::{LITERAL, OperandType};
use crate::state::{HwReg, reg};
use crate::table::{Flow, Fx, Opcode, Sop1, Sop2, Sopk, Sopp};

macro_rules! notes {
    ($($(#[doc = $doc:literal])* $Variant:ident = $code:literal,)*) => {
        /// One case; the code is stable.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        #[repr(u8)]
        pub enum Note { $($(#[doc = $doc])* $Variant,)* }

        impl Note {
            /// All notes, in order of their bits in [`Notes`].
            pub const ALL: &'static [Note] = &[$(Note::$Variant),*];

            /// The code in results, for example `smax-equal-scc`.
            pub const fn code(self) -> &'static str {
                match self { $(Note::$Variant => $code),* }
            }

            /// The case and our choice, in a sentence.
            pub const fn meaning(self) -> &'static str {
                match self { $(Note::$Variant => concat!($($doc),*)),* }
            }
        }
    };
}

notes! {
    /// A 64-bit operand at an odd SGPR: taken as the pair n, n+1.
    OddSgprPair = "odd-sgpr-pair",
    /// S_MAX_* of equal operands: SCC = 0.
    SmaxEqualScc = "smax-equal-scc",
    /// A save-exec or write-exec instruction with SDST = EXEC: EXEC is written first, then SDST.
    SaveexecSdstExec = "saveexec-sdst-exec",
    /// A jump target with a low bit set: the two low bits are masked off.
    PcLowBits = "pc-low-bits",
    /// A jump target above 48 bits: kept as it is.
    PcHighBits = "pc-high-bits",
    /// S_MOVREL out of the SGPRs or at an odd pair: the source reads SGPR0, a write is dropped.
    MovrelRange = "movrel-range",
    /// S_RFE_B64 or S_RFE_RESTORE_B64 outside a trap handler: PC = S0.
    RfeOutsideTrap = "rfe-outside-trap",
    /// S_GETREG or S_SETREG of PC_LO or PC_HI: reads the address of the next instruction, the write is dropped.
    HwregPc = "hwreg-pc",
    /// S_GETREG or S_SETREG of INST_DW0, INST_DW1, IB_DBG0 or IB_DBG1: reads 0, the write is dropped.
    HwregDebug = "hwreg-debug",
    /// S_GETREG or S_SETREG of a register with no known meaning: reads 0, the write is dropped.
    HwregUnknown = "hwreg-unknown",
    /// S_GETREG or S_SETREG with offset + size > 32: the excess reads 0 and is not written.
    HwregOverrun = "hwreg-overrun",
    /// The eighth fork, or a join of the empty stack: MODE.CSP wraps in its three bits.
    CspWrap = "csp-wrap",
    /// S_SETKILL: no effect.
    Setkill = "setkill",
    /// A VOP3 compare with SDST = EXEC: EXEC is written.
    VcmpSdstExec = "vcmp-sdst-exec",
    /// A vector compare with EXEC = 0: the destination becomes 0.
    VcmpExecZero = "vcmp-exec-zero",
    /// A GPR-indexed source past the last VGPR: reads VGPR0.
    GprIdxRange = "gpr-idx-range",
    /// An aperture register as a source: reads 0.
    ApertureRead = "aperture-read",
    /// Execution entered a dword inside an instruction: it executes what decodes there.
    JumpIntoLiteral = "jump-into-literal",
    /// OP_SEL bits in a VOP3 compare: ignored.
    OpselIgnored = "opsel-ignored",
    /// A float inline constant in a 16-bit integer compare: the low half of the binary32 pattern.
    I16FloatInline = "i16-float-inline",
    /// A float compare whose result depends on MODE's flushing of denormal inputs: MODE is obeyed.
    CmpDenormFlush = "cmp-denorm-flush",
    /// Before GCN 1.4, a literal in a 64-bit operand whose extension matters: sign for I64, zero for B64 and U64, high half for F64.
    Literal64 = "literal-64",
    /// VCCZ, EXECZ or SCC as a 64-bit source: zero-extended.
    BoolSource64 = "bool-source-64",
    /// S_BFE with a width above the operand's: the bits there are, as for the full width.
    BfeWide = "bfe-wide",
    /// S_ABSDIFF_I32 whose exact difference leaves the signed range: the wrapped difference counts.
    AbsdiffWrap = "absdiff-wrap",
    /// SCC of S_SUB_I32 on GCN 1.0: signed overflow, as later.
    SubI32Scc = "sub-i32-scc",
    /// S_MOV_FED_B32: a plain move.
    MovFed = "mov-fed",
    /// 1/(2 pi) as the mask of V_CMP_CLASS_F16: the binary16 pattern.
    ClassF16Inline = "class-f16-inline",
    /// S_CBRANCH_CDBG*: not taken, since no debugger sets the flags.
    CdbgBranch = "cdbg-branch",
}

const _: () = assert!(Note::ALL.len() <= 64);

/// A set of notes.
#[derive(Clone, Copy, PartialEq, Eq, Default, Hash)]
#[repr(transparent)]
pub struct Notes(pub u64);

impl Notes {
    /// No note.
    pub const NONE: Notes = Notes(0);

    /// The set of one note.
    pub const fn of(note: Note) -> Notes {
        Notes(1 << note as u8)
    }

    /// Adds a note.
    pub fn insert(&mut self, note: Note) {
        self.0 |= Notes::of(note).0;
    }

    /// Adds a note if `condition` holds.
    pub fn insert_if(&mut self, condition: bool, note: Note) {
        self.0 |= (condition as u64) << note as u8;
    }

    /// Is the note in the set?
    pub const fn contains(self, note: Note) -> bool {
        self.0 & Notes::of(note).0 != 0
    }

    /// Union.
    pub const fn or(self, other: Notes) -> Notes {
        Notes(self.0 | other.0)
    }

    /// The empty set?
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The notes in the set, in order of their bits.
    pub fn iter(self) -> impl Iterator<Item = Note> {
        let mut bits = self.0;
        std::iter::from_fn(move || {
            let note = Note::ALL.get(bits.trailing_zeros() as usize).copied();
            bits &= bits.wrapping_sub(1);
            note
        })
    }

    /// The codes, sorted.
    pub fn codes(self) -> Vec<&'static str> {
        let mut codes: Vec<_> = self.iter().map(Note::code).collect();
        codes.sort_unstable();
        codes
    }
}

impl fmt::Debug for Notes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.codes()).finish()
    }
}

impl Inst {
    /// Notes that hold whenever the instruction executes, whatever the state. What depends on the state is the
    /// engines' to find: `smax-equal-scc`, `pc-*`, `movrel-range`, `csp-wrap`, `vcmp-exec-zero`, `gpr-idx-range`,
    /// `cmp-denorm-flush`, `bfe-wide`, `absdiff-wrap`, `jump-into-literal`.
    pub fn static_notes(&self) -> Notes {
        let mut notes = Notes::NONE;
        if matches!(self.opcode, Opcode::Other(_)) {
            return notes;
        }
        let desc = self.desc();
        for i in 0..desc.src.len() {
            if let Some(code) = self.src_code(i) {
                notes = notes.or(source_notes(self.arch, code, desc.src[i], self.words[1]));
            }
        }
        if let Some(dst) = self.dst() {
            notes.insert_if(desc.dst.is_wide() && dst % 2 == 1, Note::OddSgprPair);
        }
        match self.opcode {
            Opcode::Sop1(op) => {
                notes.insert_if(op == Sop1::SMovFedB32, Note::MovFed);
                notes.insert_if(op == Sop1::SRfeB64, Note::RfeOutsideTrap);
                let exec_family = desc.fx.has(Fx::WEXEC) && desc.flow == Flow::Next;
                notes.insert_if(exec_family && self.dst().is_some_and(writes_exec_code), Note::SaveexecSdstExec);
            }
            Opcode::Sop2(op) => {
                notes.insert_if(op == Sop2::SRfeRestoreB64, Note::RfeOutsideTrap);
                notes.insert_if(op == Sop2::SSubI32 && self.arch == Arch::Gcn10, Note::SubI32Scc);
            }
            Opcode::Sopk(Sopk::SGetregB32 | Sopk::SSetregB32 | Sopk::SSetregImm32B32) => {
                notes = notes.or(hwreg_notes(self.arch, self.simm16() as u16));
            }
            Opcode::Sopp(op) => {
                notes.insert_if(op == Sopp::SSetkill, Note::Setkill);
                let cdbg = matches!(
                    op,
                    Sopp::SCbranchCdbgsys
                        | Sopp::SCbranchCdbguser
                        | Sopp::SCbranchCdbgsysOrUser
                        | Sopp::SCbranchCdbgsysAndUser
                );
                notes.insert_if(cdbg, Note::CdbgBranch);
            }
            Opcode::Vopc(_) if self.form == Form::Vop3 => {
                notes.insert_if(self.dst().is_some_and(writes_exec_code), Note::VcmpSdstExec);
                let op_sel = self.words[0] >> 11 & 15;
                notes.insert_if(self.arch.is_gcn14_or_later() && op_sel != 0, Note::OpselIgnored);
            }
            Opcode::Sopc(_) | Opcode::Sopk(_) | Opcode::Vopc(_) | Opcode::Other(_) => {}
        }
        notes
    }
}

/// Notes of a source with an operand code (0..=511); `literal` is the dword behind the instruction.
pub(crate) fn source_notes(arch: Arch, code: u32, ty: OperandType, literal: u32) -> Notes {
    let mut notes = Notes::NONE;
    match code {
        0..=127 => notes.insert_if(code % 2 == 1 && ty.is_wide(), Note::OddSgprPair),
        235..=239 => notes.insert(Note::ApertureRead),
        240..=248 => {
            notes.insert_if(matches!(ty, OperandType::i16 | OperandType::u16), Note::I16FloatInline);
            notes.insert_if(code == 248 && ty == OperandType::class16, Note::ClassF16Inline);
        }
        251..=253 => notes.insert_if(ty.is_wide(), Note::BoolSource64),
        LITERAL if ty.is_wide() && !arch.is_gcn14_or_later() => {
            let matters = literal >> 31 == 1 || ty == OperandType::f64 && literal != 0;
            notes.insert_if(matters, Note::Literal64);
        }
        _ => {}
    }
    notes
}

/// Does a 64-bit destination at `code` touch EXEC?
fn writes_exec_code(code: u8) -> bool {
    code == reg::EXEC_LO || code == reg::EXEC_HI
}

fn hwreg_notes(arch: Arch, simm16: u16) -> Notes {
    let field = HwReg::from_simm16(simm16);
    let mut notes = Notes::NONE;
    notes.insert_if(field.offset + field.size > 32, Note::HwregOverrun);
    match field.id {
        1..=7 => {}
        8 | 9 => notes.insert(Note::HwregPc),
        10..=13 => notes.insert(Note::HwregDebug),
        15 if arch.is_gcn14_or_later() => {}
        _ => notes.insert(Note::HwregUnknown),
    }
    notes
}
