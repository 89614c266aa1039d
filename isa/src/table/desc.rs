//! The columns of a row.

use super::{Has, Opcode};
use crate::arch::Arch;
use crate::operand::OperandType;

/// Marks a generation that lacks the instruction in [`InstDesc::op`].
pub const NO_OPCODE: u16 = u16::MAX;

/// The table's description of one instruction.
#[derive(PartialEq, Eq, Debug)]
pub struct InstDesc {
    /// The opcode.
    pub opcode: Opcode,
    /// Mnemonic without encoding suffix, for example `s_add_u32`.
    pub mnemonic: &'static str,
    /// The encoding that defines it (compares: VOPC, also for the VOP3 form).
    pub encoding: Encoding,
    /// Opcode number by [`Arch`], or [`NO_OPCODE`].
    pub op: [u16; Arch::ALL.len()],
    /// Type of the destination: a scalar one in the core, else mostly a VGPR.
    pub dst: OperandType,
    /// Types of the sources in order.
    pub src: &'static [OperandType],
    /// The modifiers and forms of a vector ALU instruction.
    pub has: Has,
    /// Implicit reads and writes.
    pub fx: Fx,
    /// The class of the instruction in counts.
    pub kind: Kind,
    /// The flow of control after the instruction.
    pub flow: Flow,
    /// Whether its meaning is undocumented: it is decoded, but stops a run.
    pub unknown: bool,
    /// The operation in one line; empty where it follows from other columns (see [`InstDesc::operation`]).
    pub(super) meaning: &'static str,
}

impl InstDesc {
    /// Whether it belongs to an encoding of memory, image, LDS or export instructions.
    pub fn is_memory(&self) -> bool {
        use Encoding::{Ds, Exp, Flat, Global, Mimg, Mtbuf, Mubuf, Scratch, Smem, Smrd};
        matches!(self.encoding, Smrd | Smem | Ds | Flat | Global | Scratch | Mubuf | Mtbuf | Mimg | Exp)
    }

    /// Whether the row accesses memory by scalar registers (SMRD, SMEM).
    pub fn is_scalar_memory(&self) -> bool {
        matches!(self.encoding, Encoding::Smrd | Encoding::Smem)
    }

    /// Opcode number on a generation, if the instruction exists there.
    pub fn opcode_on(&self, arch: Arch) -> Option<u16> {
        let op = self.op[arch as usize];
        (op != NO_OPCODE).then_some(op)
    }
}

/// Encodings (ISA manual, "instruction formats").
#[allow(missing_docs)]
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Encoding {
    Sop1,
    Sop2,
    Sopc,
    Sopk,
    Sopp,
    Smrd,
    Smem,
    Vop1,
    Vop2,
    Vopc,
    Vop3,
    Vop3p,
    Vintrp,
    Ds,
    Flat,
    Global,
    Scratch,
    Mubuf,
    Mtbuf,
    Mimg,
    Exp,
}

impl Encoding {
    /// The manual's name, upper case.
    pub const fn name(self) -> &'static str {
        match self {
            Encoding::Sop1 => "SOP1",
            Encoding::Sop2 => "SOP2",
            Encoding::Sopc => "SOPC",
            Encoding::Sopk => "SOPK",
            Encoding::Sopp => "SOPP",
            Encoding::Smrd => "SMRD",
            Encoding::Smem => "SMEM",
            Encoding::Vop1 => "VOP1",
            Encoding::Vop2 => "VOP2",
            Encoding::Vopc => "VOPC",
            Encoding::Vop3 => "VOP3",
            Encoding::Vop3p => "VOP3P",
            Encoding::Vintrp => "VINTRP",
            Encoding::Ds => "DS",
            Encoding::Flat => "FLAT",
            Encoding::Global => "GLOBAL",
            Encoding::Scratch => "SCRATCH",
            Encoding::Mubuf => "MUBUF",
            Encoding::Mtbuf => "MTBUF",
            Encoding::Mimg => "MIMG",
            Encoding::Exp => "EXP",
        }
    }

    /// The class of the encoding's instructions in counts. Scalar instructions state their own; this is the most
    /// frequent one.
    pub(super) const fn class(self) -> Kind {
        use Encoding::*;
        match self {
            Sop1 | Sop2 | Sopk => Kind::Salu,
            Sopc => Kind::Scmp,
            Sopp => Kind::System,
            Vopc => Kind::Vcmp,
            Vop1 | Vop2 | Vop3 | Vop3p => Kind::Valu,
            Vintrp => Kind::Other,
            Smrd | Smem => Kind::Smem,
            Flat | Global | Scratch | Mubuf | Mtbuf => Kind::Vmem,
            Ds => Kind::Lds,
            Mimg => Kind::Image,
            Exp => Kind::Export,
        }
    }

    /// Whether it belongs to the core: scalar instructions except memory, and vector compares.
    pub const fn is_core(self) -> bool {
        use Encoding::*;
        matches!(self, Sop1 | Sop2 | Sopc | Sopk | Sopp | Vopc)
    }

    /// Whether its words always come in pairs, without any literal.
    pub const fn is_two_dwords(self) -> bool {
        use Encoding::*;
        matches!(self, Smem | Vop3 | Vop3p | Ds | Flat | Global | Scratch | Mubuf | Mtbuf | Mimg | Exp)
    }
}

/// Implicit effects of an instruction, as a set.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Fx(u16);

impl Fx {
    /// No implicit effect.
    pub const NONE: Fx = Fx(0);
    /// Reads SCC.
    pub const RSCC: Fx = Fx(1 << 0);
    /// Writes SCC.
    pub const WSCC: Fx = Fx(1 << 1);
    /// Reads EXEC.
    pub const REXEC: Fx = Fx(1 << 2);
    /// Writes EXEC.
    pub const WEXEC: Fx = Fx(1 << 3);
    /// Reads VCC.
    pub const RVCC: Fx = Fx(1 << 4);
    /// Reads M0.
    pub const RM0: Fx = Fx(1 << 5);
    /// Writes M0.
    pub const WM0: Fx = Fx(1 << 6);
    /// Reads MODE.
    pub const RMODE: Fx = Fx(1 << 7);
    /// Writes MODE.
    pub const WMODE: Fx = Fx(1 << 8);
    /// Reads the destination (read-modify-write or conditional write).
    pub const RDST: Fx = Fx(1 << 9);
    /// Reads SGPRs by a computed number.
    pub const RSGPRS: Fx = Fx(1 << 10);
    /// Writes SGPRs by a computed number.
    pub const WSGPRS: Fx = Fx(1 << 11);
    /// Writes VCC. For the vector ALU this is in forms that do not name another pair, as for [`Fx::RVCC`].
    pub const WVCC: Fx = Fx(1 << 12);
    /// Reads VGPRs by a computed number.
    pub const RVGPRS: Fx = Fx(1 << 13);
    /// Writes VGPRs by a computed number.
    pub const WVGPRS: Fx = Fx(1 << 14);

    /// The union of both sets.
    pub const fn or(self, other: Fx) -> Fx {
        Fx(self.0 | other.0)
    }

    /// Whether it has one of the effects of `other`.
    pub const fn has(self, other: Fx) -> bool {
        self.0 & other.0 != 0
    }
}

/// Classes of executed instructions in results (`by_class`).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
pub enum Kind {
    /// Scalar ALU.
    Salu,
    /// Scalar compares (SOPC, CMPK).
    Scmp,
    /// Branches, calls, returns, fork and join.
    Branch,
    /// Vector compares.
    Vcmp,
    /// Wave control, hardware registers, messages.
    System,
    /// Parameter interpolation (VINTRP).
    Other,
    /// Vector ALU.
    Valu,
    /// Scalar memory.
    Smem,
    /// Vector memory: buffers, FLAT, GLOBAL, SCRATCH.
    Vmem,
    /// Local and global data share.
    Lds,
    /// Images.
    Image,
    /// Exports.
    Export,
}

impl Kind {
    /// All classes, in the order of results; index with `kind as usize`.
    pub const ALL: [Kind; 12] = [
        Kind::Salu,
        Kind::Scmp,
        Kind::Branch,
        Kind::Vcmp,
        Kind::System,
        Kind::Other,
        Kind::Valu,
        Kind::Smem,
        Kind::Vmem,
        Kind::Lds,
        Kind::Image,
        Kind::Export,
    ];

    /// Name in results.
    pub const fn name(self) -> &'static str {
        match self {
            Kind::Salu => "salu",
            Kind::Scmp => "scmp",
            Kind::Branch => "branch",
            Kind::Vcmp => "vcmp",
            Kind::System => "system",
            Kind::Other => "other",
            Kind::Valu => "valu",
            Kind::Smem => "smem",
            Kind::Vmem => "vmem",
            Kind::Lds => "lds",
            Kind::Image => "image",
            Kind::Export => "export",
        }
    }
}

/// The flow of control after an instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Flow {
    /// Control goes to the next instruction.
    Next,
    /// Control goes to the direct target (SIMM16).
    Branch,
    /// Control goes to the direct target or to the next instruction.
    CondBranch,
    /// Control goes to the direct target; the next instruction is a return site.
    Call,
    /// Control goes to a computed address; the next instruction is a return site.
    SwapPc,
    /// Control goes to a computed address.
    Indirect,
    /// Fork: to the next instruction or the target (S_CBRANCH_I_FORK: direct, G_FORK: computed).
    Fork,
    /// Join: to the next instruction or an address from the fork stack.
    Join,
    /// The wave ends.
    End,
    /// Stops the wave (`S_SETHALT` with `SIMM16[0] = 0` does not).
    Halt,
    /// Enters the trap handler.
    Trap,
}

/// Predicates of vector compares. For integers `Lg` is spelled NE and `Tru` T.
#[allow(missing_docs)]
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Pred {
    F,
    Lt,
    Eq,
    Le,
    Gt,
    Lg,
    Ge,
    O,
    U,
    Nge,
    Nlg,
    Ngt,
    Nle,
    Neq,
    Nlt,
    Tru,
    Class,
}

impl Pred {
    /// Types of the two sources of a compare of type `ty`: CLASS takes a 32-bit mask as S1.
    pub(crate) const fn operand_types(self, ty: OperandType) -> &'static [OperandType] {
        use OperandType::*;
        match (self, ty) {
            (Pred::Class, f16) => &[f16, class16],
            (Pred::Class, f32) => &[f32, b32],
            (Pred::Class, f64) => &[f64, b32],
            (_, f16) => &[f16, f16],
            (_, f32) => &[f32, f32],
            (_, f64) => &[f64, f64],
            (_, i16) => &[i16, i16],
            (_, u16) => &[u16, u16],
            (_, i32) => &[i32, i32],
            (_, u32) => &[u32, u32],
            (_, i64) => &[i64, i64],
            _ => &[u64, u64],
        }
    }

    /// The predicate in one line (per active lane; inactive lanes give 0).
    pub const fn meaning(self) -> &'static str {
        match self {
            Pred::F => "D[lane] = 0",
            Pred::Lt => "D[lane] = S0 < S1",
            Pred::Eq => "D[lane] = S0 == S1",
            Pred::Le => "D[lane] = S0 <= S1",
            Pred::Gt => "D[lane] = S0 > S1",
            Pred::Lg => "D[lane] = S0 < S1 or S0 > S1",
            Pred::Ge => "D[lane] = S0 >= S1",
            Pred::O => "D[lane] = neither source is NaN",
            Pred::U => "D[lane] = a source is NaN",
            Pred::Nge => "D[lane] = not (S0 >= S1)",
            Pred::Nlg => "D[lane] = not (S0 < S1 or S0 > S1)",
            Pred::Ngt => "D[lane] = not (S0 > S1)",
            Pred::Nle => "D[lane] = not (S0 <= S1)",
            Pred::Neq => "D[lane] = not (S0 == S1)",
            Pred::Nlt => "D[lane] = not (S0 < S1)",
            Pred::Tru => "D[lane] = 1",
            Pred::Class => "D[lane] = bit of S1 that the class of S0 selects",
        }
    }
}

/// The operands and the predicate of a vector compare.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Cmp {
    /// Type of the sources (of S0 for CLASS).
    pub ty: OperandType,
    /// Predicate.
    pub pred: Pred,
    /// V_CMPX: EXEC gets the result, too.
    pub writes_exec: bool,
    /// V_CMPS (GCN 1.0 and 1.1): signals on any NaN; the result is that of the plain form.
    pub signalling: bool,
}
