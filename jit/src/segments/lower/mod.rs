//! Lowering: from instructions to a list of host operations.
//!
//! An instruction that is not taken, or not in its form, gives `None`. Nodes that it had added are removed.

mod bits;
mod carry;
mod compare;
mod float;
mod halves;
mod int;
mod lds;
mod loads;
mod moves;
mod products;
mod scalars;
mod sdwa;
mod wide;

use std::ops::Range;

use gcnsim_isa::{Form, Inst, Opcode, OperandType, Src};

use super::list::{Action, Home, List, Node, Value};
use super::segment::Options;
pub(super) use float::{Function, Mxcsr};
use gcnsim_helpers::segment_frame::Input;
pub use moves::Moved;
use moves::Moves;
pub(crate) use moves::changes_index;
use scalars::Scalars;
pub(super) use scalars::is_passenger;

/// The most values of a segment. Their numbers have 16 bits.
const MOST_VALUES: usize = 60_000;

/// The contents of a VGPR.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Lanes {
    /// The initial contents, which no instruction has read yet.
    Untouched,
    /// A value.
    Value(Value),
    /// The low dwords of a pair.
    Low(u16),
    /// The high dwords of a pair.
    High(u16),
}

/// A value of 64 bits per lane: two registers with half of the lanes each, not in the order of lanes. It has its
/// dwords in two registers as well once an instruction has read them.
#[derive(Clone, Copy)]
struct Pair {
    wide: [Value; 2],
    dwords: [Option<Value>; 2],
}

/// A segment in the course of lowering.
pub(super) struct Lowering<'a> {
    pub list: List,
    options: &'a Options,
    vgprs: [Lanes; 256],
    /// Whether each VGPR is written.
    written: [bool; 256],
    /// Initial values of VGPRs.
    pub initial: [Value; 256],
    pairs: Vec<Pair>,
    /// Number of instructions so far.
    count: usize,
    /// Scalar instructions since the last vector instruction.
    waiting: Vec<Inst>,
    /// Whether there were scalar instructions that change how VGPRs are numbered.
    has_index_changes: bool,
    /// The sites that loads of guest memory may have.
    sites: Range<u8>,
    /// The sites of the loads of a strip, where each is probed where it stands.
    strip_sites: Option<Vec<u8>>,
    /// Moves from or to VGPRs with computed numbers.
    pub moves: Moves,
    scalars: Scalars,
    /// The slots of the frame that are read, and their values.
    given: Vec<(Home, Value)>,
    /// The operands that the frame must have, in the order of instructions.
    pub inputs: Vec<Input>,
    /// Values, and their low five bits.
    amounts: Vec<(Value, Value)>,
    /// Float results whose NaNs become NaNs of the result of this instruction.
    spreading: Vec<Value>,
    /// The bits of MXCSR that float instructions so far need.
    pub mxcsr: Mxcsr,
    /// Whether there is a compare.
    pub has_compare: bool,
    /// Whether an instruction depends on MODE.
    pub uses_mode: bool,
}

impl<'a> Lowering<'a> {
    /// A lowering without instructions.
    pub fn new(options: &'a Options, capacity: usize) -> Lowering<'a> {
        Lowering {
            list: List::new(options.features.width, capacity),
            options,
            vgprs: [Lanes::Untouched; 256],
            written: [false; 256],
            initial: [Value::NONE; 256],
            pairs: Vec::new(),
            count: 0,
            waiting: Vec::new(),
            has_index_changes: false,
            sites: 0..0,
            strip_sites: None,
            moves: Moves::default(),
            scalars: Scalars::new(),
            given: Vec::new(),
            inputs: Vec::new(),
            amounts: Vec::new(),
            spreading: Vec::new(),
            mxcsr: Mxcsr::default(),
            has_compare: false,
            uses_mode: false,
        }
    }

    /// Lets the segment load guest memory, from sites with these numbers.
    pub fn with_sites(mut self, sites: Range<u8>) -> Lowering<'a> {
        self.sites = sites;
        self
    }

    /// Adds an instruction, or a [passenger](is_passenger); `None` if it is not taken (here).
    pub fn add(&mut self, inst: &Inst) -> Option<()> {
        self.list.inst = self.count as u16;
        let changes_index = self.moves.special.is_some() && changes_index(inst);
        self.has_index_changes |= changes_index;
        let taken = if is_passenger(inst) || changes_index {
            // Whoever declines a load has changed nothing yet.
            (!changes_index || self.list.loads == 0).then(|| self.waiting.push(*inst))
        } else if self.waiting.is_empty() {
            self.vector(inst)
        } else {
            let before = self.scalars.clone();
            let taken = self.pass().and_then(|()| self.vector(inst));
            if taken.is_none() {
                self.scalars = before;
            }
            taken
        };
        if let (Some(special), Some(())) = (&mut self.moves.special, taken) {
            *special = special.after(inst);
        }
        self.count += 1;
        taken
    }

    /// Lets loads of guest memory stand anywhere: each is probed where it stands, as in a strip. `sites` are theirs, in
    /// order.
    pub fn with_strip_sites(mut self, sites: Vec<u8>) -> Lowering<'a> {
        self.strip_sites = Some(sites);
        self
    }

    /// Adds an instruction that the caller executes before the segment, though it is no [passenger](is_passenger).
    pub fn add_foreign(&mut self, inst: &Inst) {
        self.waiting.push(*inst);
        self.count += 1;
    }

    fn vector(&mut self, inst: &Inst) -> Option<()> {
        let (nodes, has_tests, mxcsr) = (self.list.nodes.len(), self.list.has_tests, self.mxcsr);
        let moves = (self.moves.all.len(), self.moves.stores.len());
        self.spreading.clear();
        let taken = self.instruction(inst);
        if taken.is_some() {
            for value in &self.spreading {
                self.list.values[value.index()].spreads = true;
            }
        } else {
            // Planning drops values that are not used. Tests must be removed here.
            let tests =
                |node: &&mut Node| node.dst == Value::OK || matches!(node.action, Action::Call | Action::ReadOne(..));
            for node in self.list.nodes[nodes..].iter_mut().filter(tests) {
                node.action = Action::Nothing;
            }
            (self.list.has_tests, self.mxcsr) = (has_tests, mxcsr);
            self.moves.truncate(moves.0, moves.1);
        }
        taken
    }

    fn instruction(&mut self, inst: &Inst) -> Option<()> {
        let is_past_last = inst.vdst() == Some(255) && inst.desc().dst.dwords() > 1;
        if inst.form == Form::Dpp || is_past_last || self.list.values.len() > MOST_VALUES {
            return None;
        }
        if let Some(taken) = self.moved(inst) {
            return taken;
        }
        match inst.opcode {
            Opcode::Vopc(op) => self.compare(inst, op),
            Opcode::Vop1(op) => self.vop1(inst, op),
            Opcode::Vop2(op) => self.vop2(inst, op),
            Opcode::Vop3(op) => self.vop3(inst, op),
            Opcode::Ds(_) => self.share(inst),
            Opcode::Flat(_) | Opcode::Global(_) if self.moves.all.is_empty() => self.load(inst),
            _ => None,
        }
    }

    // VGPRs.

    fn vgpr(&mut self, n: u8) -> Value {
        match self.vgprs[n as usize] {
            Lanes::Value(value) => value,
            Lanes::Low(pair) => self.dword_of(pair, 0),
            Lanes::High(pair) => self.dword_of(pair, 1),
            Lanes::Untouched => {
                let mut value = self.initial[n as usize];
                if value == Value::NONE {
                    value = self.list.given(Home::Vgpr(n));
                    self.initial[n as usize] = value;
                }
                self.vgprs[n as usize] = Lanes::Value(value);
                value
            }
        }
    }

    /// Values of a VGPR, or of the pair that begins with it, and their names.
    pub fn names_of_vgpr(&self, n: u8) -> Vec<(Value, String)> {
        match self.vgprs[n as usize] {
            Lanes::Value(value) => vec![(value, format!("v{n}"))],
            Lanes::Low(pair) => {
                let name = |half| format!("v[{n}:{}]{half}", n as u32 + 1);
                self.pairs[pair as usize].wide.into_iter().zip(["a", "b"].map(name)).collect()
            }
            Lanes::High(_) | Lanes::Untouched => Vec::new(),
        }
    }

    /// Whether the segment reads or writes a VGPR.
    pub fn names(&self, n: u8) -> bool {
        self.written[n as usize] || self.initial[n as usize] != Value::NONE
    }

    fn write(&mut self, inst: &Inst, value: Value) -> Option<()> {
        let n = inst.vdst()?;
        let value = match inst.sdwa() {
            Some(selectors) => self.placed(n, selectors, value),
            None => value,
        };
        self.vgprs[n as usize] = Lanes::Value(value);
        self.written[n as usize] = true;
        Some(())
    }

    // Sources.

    /// Source `i`, of up to 32 bits.
    fn source(&mut self, inst: &Inst, i: usize) -> Option<Value> {
        let value = match inst.src(i) {
            Src::Vgpr(n) => self.vgpr(n),
            Src::Sgpr(code) => self.given_scalar(code, false)?,
            Src::Imm(value) => self.list.dword(value as u32),
            Src::Vccz | Src::Execz | Src::Scc | Src::LdsDirect => return None,
        };
        Some(match inst.sdwa() {
            Some(selectors) => self.part(value, selectors.src_sel[i], selectors.sext[i]),
            None => value,
        })
    }

    /// The first `N` sources.
    fn sources<const N: usize>(&mut self, inst: &Inst) -> Option<[Value; N]> {
        let mut sources = [Value::NONE; N];
        for (i, source) in sources.iter_mut().enumerate() {
            *source = self.source(inst, i)?;
        }
        Some(sources)
    }

    /// The VGPRs that are written, and their last values.
    pub fn results(&mut self) -> Vec<(u8, Value)> {
        let mut results = Vec::new();
        for n in 0..=255 {
            if self.written[n as usize] {
                let value = self.vgpr(n);
                if value != self.initial[n as usize] {
                    results.push((n, value));
                }
            }
        }
        results
    }
}

/// Whether the instruction has no modifiers but ABS and NEG.
fn is_plain(inst: &Inst) -> bool {
    !inst.clamp() && inst.omod() == 0 && inst.op_sel() == 0
}

/// Whether the type has 64 bits.
fn is_wide(ty: OperandType) -> bool {
    ty.dwords() == 2
}
