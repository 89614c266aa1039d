//! From instructions to a list of host operations.
//!
//! An instruction that is not taken, or not in its form, gives `None`; what it had added to the list by then is undone.

mod bits;
mod carry;
mod compare;
mod float;
mod halves;
mod int;
mod products;
mod sdwa;
mod wide;

use gcnsim_isa::{Form, Inst, Opcode, OperandType, Src, reg};

use super::list::{Action, Home, List, Value};
use super::segment::Options;
pub(super) use float::Mxcsr;

/// Where a segment has to end, so that numbers of values do.
const MOST_VALUES: usize = 60_000;

/// What a VGPR has.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Lanes {
    /// What it had at the start, and nobody has asked for it.
    Untouched,
    /// A value.
    Value(Value),
    /// The low dwords of a pair.
    Low(u16),
    /// The high dwords of a pair.
    High(u16),
}

/// 64 bits per lane, in two registers of eight lanes, not in the order of lanes; and as two of dwords, where somebody
/// has asked for them.
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
    /// VGPRs that are written.
    written: [bool; 256],
    /// Values of VGPRs at the start.
    pub initial: [Value; 256],
    pairs: Vec<Pair>,
    /// Values of scalar registers that are read, by code.
    scalars: Vec<(Home, Value)>,
    /// Masks in pairs of scalar registers: code, value.
    masks: Vec<(u8, Value)>,
    /// Scalar registers that have been written.
    written_scalars: u128,
    /// Scalar registers that are read.
    pub read_scalars: u128,
    /// Float results of which this instruction passes on NaNs.
    spreading: Vec<Value>,
    /// What float instructions so far need of MXCSR.
    pub mxcsr: Mxcsr,
    /// There is a compare.
    pub has_compare: bool,
    /// There is an instruction that depends on MODE.
    pub uses_mode: bool,
}

impl<'a> Lowering<'a> {
    /// Without instructions.
    pub fn new(options: &'a Options, capacity: usize) -> Lowering<'a> {
        Lowering {
            list: List::new(capacity),
            options,
            vgprs: [Lanes::Untouched; 256],
            written: [false; 256],
            initial: [Value::NONE; 256],
            pairs: Vec::new(),
            scalars: Vec::new(),
            masks: Vec::new(),
            written_scalars: 0,
            read_scalars: 0,
            spreading: Vec::new(),
            mxcsr: Mxcsr::default(),
            has_compare: false,
            uses_mode: false,
        }
    }

    /// Adds an instruction; `None` if it is not taken (here).
    pub fn add(&mut self, inst: &Inst) -> Option<()> {
        let (nodes, has_tests, mxcsr) = (self.list.nodes.len(), self.list.has_tests, self.mxcsr);
        self.spreading.clear();
        let taken = self.instruction(inst);
        if taken.is_some() {
            for value in &self.spreading {
                self.list.values[value.index()].spreads = true;
            }
        } else {
            // What is computed and not used will be dropped; tests are to go, too.
            for node in self.list.nodes[nodes..].iter_mut().filter(|node| node.dst == Value::OK) {
                node.action = Action::Nothing;
            }
            (self.list.has_tests, self.mxcsr) = (has_tests, mxcsr);
        }
        taken
    }

    fn instruction(&mut self, inst: &Inst) -> Option<()> {
        let is_past_last = inst.vdst() == Some(255) && inst.desc().dst.dwords() > 1;
        if inst.form == Form::Dpp || is_past_last || self.list.values.len() > MOST_VALUES {
            return None;
        }
        match inst.opcode {
            Opcode::Vopc(op) => self.compare(inst, op),
            Opcode::Vop1(op) => self.vop1(inst, op),
            Opcode::Vop2(op) => self.vop2(inst, op),
            Opcode::Vop3(op) => self.vop3(inst, op),
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

    // Scalars.

    fn given_scalar(&mut self, home: Home, codes: u128) -> Option<Value> {
        if self.written_scalars & codes != 0 {
            // The frame has the old one.
            return None;
        }
        self.read_scalars |= codes;
        if let Some((_, value)) = self.scalars.iter().find(|(known, _)| *known == home) {
            return Some(*value);
        }
        let value = self.list.given(home);
        self.scalars.push((home, value));
        Some(value)
    }

    /// Source `i`, of up to 32 bits.
    fn source(&mut self, inst: &Inst, i: usize) -> Option<Value> {
        let value = match inst.src(i) {
            Src::Vgpr(n) => self.vgpr(n),
            Src::Sgpr(code) => self.given_scalar(Home::Scalar(code), 1 << code)?,
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

    // Masks.

    fn read_mask(&mut self, code: u8) -> Option<Value> {
        let codes = 3u128 << code;
        if let Some(&(_, value)) = self.masks.iter().rev().find(|(known, _)| *known == code) {
            return Some(value);
        }
        if code >= 127 || self.written_scalars & codes != 0 {
            return None;
        }
        self.read_scalars |= codes;
        let value = self.list.given(Home::Mask(code));
        self.masks.push((code, value));
        Some(value)
    }

    /// Can the pair be written? EXEC cannot; nor can what overlaps another pair of this segment by half.
    fn is_mask_destination(&self, code: u8) -> bool {
        let overlaps = |&(known, _): &(u8, Value)| known != code && known.abs_diff(code) == 1;
        code < reg::EXEC_LO - 1 && !self.masks.iter().any(overlaps)
    }

    fn write_mask(&mut self, code: u8, value: Value) -> Option<()> {
        if !self.is_mask_destination(code) {
            return None;
        }
        self.masks.retain(|(known, _)| *known != code);
        self.masks.push((code, value));
        self.written_scalars |= 3 << code;
        Some(())
    }

    /// VGPRs that are written, and their last values.
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

    /// Pairs that are written, and their last masks.
    pub fn mask_results(&self) -> Vec<(u8, Value)> {
        self.masks.iter().copied().filter(|(code, _)| self.written_scalars >> code & 3 == 3).collect()
    }
}

/// Does the instruction have no modifiers but ABS and NEG?
fn is_plain(inst: &Inst) -> bool {
    !inst.clamp() && inst.omod() == 0 && inst.op_sel() == 0
}

/// Is the type one of 64 bits?
fn is_wide(ty: OperandType) -> bool {
    ty.dwords() == 2
}
