//! A predecoded vector instruction, and how it is made.

use gcnsim_isa::{Arch, Dpp, Form, Fx, Inst, Mode, Note, Opcode, OperandType, Pred, Src, Vgpr, WaveState, reg};

use super::body::Body;
use super::compare;
use super::drive::{FULL, PLAIN};
use super::merge::Merge;
use super::special;
use super::stage::{HalfDenormals, Select, Signs, Stage};
use crate::{vintrp, vop1, vop2, vop3, vop3p};

/// Executes a vector instruction on the state and the vector registers of a wave. SCC has to be in the state, because
/// it may be a source. Registers past the last one are not accessed, wherever their numbers come from.
pub(crate) type VectorFn = fn(&VectorOp, &mut WaveState, &mut [Vgpr]);

/// The action of an instruction.
#[derive(Clone, Copy)]
pub(crate) enum Action {
    /// One function for all lanes that take part.
    Lanes(Body),
    /// A function of its own.
    Whole(VectorFn),
}

/// Makes `action` from the rows of an encoding. It calls the function in the module `rows` that has the name of the
/// row: a row without one does not compile.
macro_rules! action_of_rows {
    ($Enum:ident $ENC:ident $($name:ident = $Variant:ident $row:tt)*) => {
        /// The action of an instruction.
        pub(super) fn action(op: gcnsim_isa::$Enum) -> $crate::vector::op::Action {
            match op {
                $(gcnsim_isa::$Enum::$Variant => rows::$name(),)*
            }
        }
    };
}
pub(crate) use action_of_rows;

/// A predecoded vector instruction: `(op.function)(&op, state, vgprs)` executes it.
#[derive(Clone, Copy)]
pub(crate) struct VectorOp {
    pub function: VectorFn,
    pub(super) body: Body,
    /// Constant sources.
    pub(super) constant: [u64; 3],
    pub(super) source: [Source; 3],
    /// Number of dwords of each source; 0 if there is no such source.
    pub(super) dwords: [u8; 3],
    pub(super) stage: [Stage; 3],
    /// First VGPR of the destination; the next field says how many there are, 0 for none.
    pub(super) vdst: u8,
    pub(super) vdst_dwords: u8,
    /// 1 more than the highest number of a VGPR that the instruction names. Computed numbers (V_MOVREL*) do not count.
    pub(super) vgpr_end: u16,
    /// Pair of scalar registers that takes the mask result, or register that takes a lane's value, or [`NO_REGISTER`].
    pub(super) sdst: u8,
    /// Pair of scalar registers that is read as a lane mask, or [`NO_REGISTER`].
    pub(super) mask: u8,
    /// Bits of MODE for which the plain drivers do not suffice.
    pub(super) unusual: u32,
    pub(super) arch: Arch,
    pub(super) output: Output,
    pub(super) merge: Merge,
    pub(super) dpp: Option<Dpp>,
    pub(super) pred: Pred,
    pub(super) flags: Flags,
}

/// Stands for no scalar register.
pub(super) const NO_REGISTER: u8 = u8::MAX;

/// The place of a source.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Source {
    /// The first of as many VGPRs as the operand has dwords.
    Vgpr(u8),
    /// The first of as many scalar registers as the operand has dwords.
    Sgpr(u8),
    /// The operand is in [`VectorOp::constant`].
    Constant,
    /// 1 if VCC = 0.
    Vccz,
    /// 1 if EXEC = 0.
    Execz,
    Scc,
    /// The instruction has no such source.
    None,
}

/// Modifiers of a result.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Output {
    pub format: Format,
    pub omod: u8,
    /// CLAMP of floats.
    pub clamp: bool,
    /// CLAMP of integers: [`super::lane::Lane::clamp`].
    pub saturate: bool,
}

/// The format in which OMOD and CLAMP treat a result.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Format {
    F16,
    F32,
    F64,
    /// Two binary16 numbers.
    Packed,
    /// The result is not a float.
    Other,
}

/// Properties that few instructions have, as bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Flags(u8);

impl Flags {
    /// The instruction is a compare.
    pub const COMPARE: Flags = Flags(1);
    /// The mask result goes to EXEC, too.
    pub const WRITES_EXEC: Flags = Flags(2);
    /// Our rule for the upper half of the destination is likely, not certain (`hi16-new9`).
    pub const NEW_UPPER_HALF: Flags = Flags(4);
    /// The old destination is an addend.
    pub const ACCUMULATES: Flags = Flags(8);
    /// The instruction has the form SDWA or DPP.
    pub const EXTENDED: Flags = Flags(16);
    /// Sources may be binary16 numbers that are widened.
    pub const WIDENS: Flags = Flags(32);

    const NONE: Flags = Flags(0);

    fn set(&mut self, flag: Flags, on: bool) {
        self.0 |= if on { flag.0 } else { 0 };
    }

    #[inline(always)]
    pub fn has(self, flag: Flags) -> bool {
        self.0 & flag.0 != 0
    }
}

impl VectorOp {
    /// Predecodes a VOP1, VOP2, VOP3 or VOP3P instruction or a compare, in any form, or an interpolation. An
    /// instruction that does not execute ([`Inst::unsupported`]), or is not one of these, becomes one that does
    /// nothing.
    pub fn new(inst: &Inst) -> VectorOp {
        let action = action(inst.opcode);
        let mut op = VectorOp {
            function: special::nothing,
            body: |_, _| Default::default(),
            constant: [0; 3],
            source: [Source::None; 3],
            dwords: [0; 3],
            stage: [Stage::NONE; 3],
            vdst: inst.vdst().unwrap_or(0),
            vdst_dwords: if inst.vdst().is_some() { inst.desc().dst.dwords() as u8 } else { 0 },
            vgpr_end: vgpr_end(inst),
            sdst: NO_REGISTER,
            mask: inst.mask_src().unwrap_or(NO_REGISTER),
            unusual: unusual_modes(inst.arch),
            arch: inst.arch,
            output: output(inst),
            merge: merge(inst),
            dpp: inst.dpp(),
            pred: Pred::F,
            flags: flags(inst),
        };
        if let Some(code) = inst.mask_dst().or(inst.sdst()) {
            op.sdst = code;
        }
        if let Opcode::Vopc(opcode) = inst.opcode {
            op.pred = opcode.cmp().pred;
            op.sdst = inst.dst().unwrap_or(reg::VCC_LO);
        }
        for i in 0..inst.src_count().min(3) {
            op.set_source(inst, i);
        }
        op.choose_function(action);
        op
    }

    fn set_source(&mut self, inst: &Inst, i: usize) {
        if inst.src_type(i) == OperandType::none {
            return;
        }
        self.dwords[i] = inst.src_type(i).dwords() as u8;
        self.source[i] = match inst.src(i) {
            Src::Vgpr(n) => Source::Vgpr(n),
            Src::Sgpr(code) => Source::Sgpr(code),
            Src::Imm(value) => {
                self.constant[i] = value;
                Source::Constant
            }
            Src::Vccz => Source::Vccz,
            Src::Execz => Source::Execz,
            Src::Scc => Source::Scc,
            // `with_lds_direct` sets it.
            Src::LdsDirect => Source::Constant,
        };
        if has_modifiers(inst) {
            self.stage[i] = stage(inst, i);
        }
    }

    fn choose_function(&mut self, action: Action) {
        let body = match action {
            Action::Lanes(body) => body,
            Action::Whole(function) => {
                self.function = function;
                return;
            }
        };
        self.body = body;
        let selects = self.stage.iter().any(|stage| stage.select != Select::Whole);
        let is_full = selects
            || self.merge != Merge::WHOLE
            || self.dpp.is_some()
            || self.flags.has(Flags::NEW_UPPER_HALF)
            || self.flags.has(Flags::EXTENDED);
        self.function = if is_full { FULL[self.width()] } else { PLAIN[self.width()] };
    }

    /// Notes that the instruction names a VGPR past the wave's allocation, if it does. Reads get v0, and writes are
    /// dropped.
    #[inline(always)]
    pub(super) fn note_missing(&self, state: &mut WaveState, vgprs: &[Vgpr]) {
        state.notes.insert_if(usize::from(self.vgpr_end) > vgprs.len(), Note::RegRange);
    }

    /// The note for an operand that GPR-index mode moves out of the registers.
    pub(super) fn range_note(&self) -> Note {
        if self.flags.has(Flags::COMPARE) { Note::GprIdxRange } else { Note::GpridxRange }
    }

    /// The index of the driver for the widest operand: 0 for one dword, 1 for two, 2 for four.
    pub(super) fn width(&self) -> usize {
        match self.dwords.into_iter().fold(self.vdst_dwords, u8::max) {
            0 | 1 => 0,
            2 => 1,
            _ => 2,
        }
    }
}

fn vgpr_end(inst: &Inst) -> u16 {
    let (reads_relative, writes_relative) = (inst.desc().fx.has(Fx::RVGPRS), inst.desc().fx.has(Fx::WVGPRS));
    let source = |i: usize| match inst.src(i) {
        Src::Vgpr(n) if !reads_relative => u16::from(n) + inst.src_type(i).dwords() as u16,
        _ => 0,
    };
    let destination = match inst.vdst() {
        Some(n) if !writes_relative => u16::from(n) + inst.desc().dst.dwords() as u16,
        _ => 0,
    };
    let sources = (0..inst.src_count()).filter(|&i| inst.src_type(i) != OperandType::none).map(source);
    sources.fold(destination, u16::max)
}

/// The action of an opcode.
fn action(opcode: Opcode) -> Action {
    match opcode {
        Opcode::Vop1(op) => vop1::action(op),
        Opcode::Vop2(op) => vop2::action(op),
        Opcode::Vop3(op) => vop3::action(op),
        Opcode::Vop3p(op) => vop3p::action(op),
        Opcode::Vintrp(op) => vintrp::action(op),
        Opcode::Vopc(op) => compare::action(op.cmp()),
        _ => Action::Whole(special::nothing),
    }
}

fn unusual_modes(arch: Arch) -> u32 {
    Mode::VSKIP | if arch.is_gcn12_or_later() { Mode::GPR_IDX_EN } else { 0 }
}

/// The stage of source `i` in a form that has modifiers.
fn stage(inst: &Inst, i: usize) -> Stage {
    let (abs, neg) = (inst.abs(i), inst.neg(i));
    let is_half = inst.src_type(i).bits() == 16;
    let sign = if is_half { Signs::BIT_15 } else { Signs::BIT_31 };
    let plain = Stage { select: Select::Whole, clear: sign.when(abs), flip: sign.when(neg) };
    let is_upper = inst.op_sel() >> i & 1 == 1;
    if let Some(sdwa) = inst.sdwa() {
        let Some((&sel, &signed)) = sdwa.src_sel.get(i).zip(sdwa.sext.get(i)) else { return plain };
        return Stage { select: Select::of_sdwa(sel, signed), ..plain };
    }
    let Opcode::Vop3p(op) = inst.opcode else {
        return if is_upper { Stage { select: Select::UPPER, ..plain } } else { plain };
    };
    let (low, high) = (if is_upper { 16 } else { 0 }, if inst.op_sel_hi() >> i & 1 == 1 { 16 } else { 0 });
    if vop3p::is_mixed(op) {
        // ABS and NEG act on the sign of the widened number.
        let denormals = if vop3p::is_fused(op) { HalfDenormals::ByMode } else { HalfDenormals::Flushed };
        let select = if high == 0 { Select::Whole } else { Select::Widened { from: low, denormals } };
        return Stage { select, clear: Signs::BIT_31.when(abs), flip: Signs::BIT_31.when(neg) };
    }
    if !is_half {
        return plain;
    }
    let select = if (low, high) == (0, 16) { Select::Whole } else { Select::Halves { low, high } };
    let flip = Signs(Signs::BIT_15.when(neg).0 | Signs::BIT_31.when(inst.neg_hi(i)).0);
    Stage { select, clear: Signs::NONE, flip }
}

/// Whether the words have room for modifiers.
fn has_modifiers(inst: &Inst) -> bool {
    inst.form != Form::Plain || inst.size() == 8 && !inst.has_literal()
}

fn output(inst: &Inst) -> Output {
    if !has_modifiers(inst) {
        return Output { format: Format::Other, omod: 0, clamp: false, saturate: false };
    }
    let format = match inst.desc().dst {
        OperandType::f16 => Format::F16,
        OperandType::f32 => Format::F32,
        OperandType::f64 => Format::F64,
        // CLAMP and OMOD of conversions to integers are ignored; the accessors do not return them.
        OperandType::b32 if inst.desc().src.first().is_some_and(|ty| ty.is_float()) => Format::Packed,
        _ => Format::Other,
    };
    let (clamp, is_float) = (inst.clamp(), format != Format::Other);
    Output { format, omod: inst.omod() as u8, clamp: clamp && is_float, saturate: clamp && !is_float }
}

fn merge(inst: &Inst) -> Merge {
    if inst.vdst().is_none() {
        return Merge::WHOLE;
    }
    match (inst.sdwa(), inst.writes_half()) {
        (Some(sdwa), _) => Merge::of_sdwa(sdwa.dst_sel, sdwa.dst_unused),
        (None, Some(half)) => Merge::half(half == 1),
        (None, None) => Merge::WHOLE,
    }
}

fn flags(inst: &Inst) -> Flags {
    let mut flags = Flags::NONE;
    flags.set(Flags::EXTENDED, matches!(inst.form, Form::Sdwa | Form::Dpp));
    match inst.opcode {
        Opcode::Vopc(opcode) => {
            flags.set(Flags::COMPARE, true);
            flags.set(Flags::WRITES_EXEC, opcode.cmp().writes_exec);
        }
        Opcode::Vop2(op) => flags.set(Flags::ACCUMULATES, vop2::accumulates(op)),
        Opcode::Vop3(op) => {
            // With OP_SEL[3] the result goes to the upper half, so the rule does not matter.
            let upper = inst.op_sel() & 8 != 0;
            flags.set(Flags::NEW_UPPER_HALF, inst.arch.is_gcn14_or_later() && !upper && vop3::has_new_upper_half(op));
        }
        Opcode::Vop3p(op) => flags.set(Flags::WIDENS, vop3p::is_mixed(op)),
        _ => {}
    }
    flags
}
