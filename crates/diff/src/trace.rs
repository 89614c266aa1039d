//! Records what waves execute and write, up to a limit. It is compared with the trace of another compilation.

use std::collections::{BTreeMap, HashMap};

use gcnsim_isa::{Inst, LANES};

use crate::origin::data_registers;
use crate::step::{Follow, Step, WaveId};

/// Most values that are kept. A VGPR that is written has 64.
const MOST_VALUES: usize = 8 << 20;
/// Most instructions that are kept.
const MOST_STEPS: usize = 1 << 19;

/// A register.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Reg {
    Vgpr(u8),
    /// A scalar register, by operand code.
    Sgpr(u8),
    Scc,
    /// A VGPR whose value was stored.
    Stored(u8),
}

impl Reg {
    /// Whether the register has a value in each lane.
    pub fn is_vector(self) -> bool {
        matches!(self, Reg::Vgpr(_) | Reg::Stored(_))
    }
}

/// A register that an instruction wrote.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Output {
    pub reg: Reg,
    /// Index of the first of its values: 64 of a VGPR, one of any other register.
    at: u32,
    /// The lanes that were written; all bits if it is no VGPR.
    pub lanes: u64,
}

/// An executed instruction.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TraceStep {
    pub id: WaveId,
    pub pc: u64,
    pub inst: Inst,
    pub exec: u64,
    outputs: (u32, u32),
}

/// The instructions that the waves of some groups have executed, in order.
#[derive(Default)]
pub(crate) struct Trace {
    pub steps: Vec<TraceStep>,
    outputs: Vec<Output>,
    values: Vec<u32>,
    /// The steps of each wave.
    by_wave: HashMap<WaveId, Vec<u32>>,
    /// The steps at each address, by wave and address.
    by_place: HashMap<(WaveId, u64), Vec<u32>>,
    /// Whether the limit was reached, so that later steps are missing.
    pub is_cut: bool,
    /// The group that is recorded; `None` records all.
    group: Option<u32>,
}

impl Trace {
    /// Returns a trace of the waves of one group.
    pub fn of_group(group: u32) -> Trace {
        Trace { group: Some(group), ..Trace::default() }
    }

    /// Returns the registers that a step wrote.
    pub fn outputs(&self, step: &TraceStep) -> &[Output] {
        &self.outputs[step.outputs.0 as usize..step.outputs.1 as usize]
    }

    /// Returns the value of an output in a lane. `lane` does not matter for scalar registers.
    pub fn value(&self, output: &Output, lane: usize) -> u32 {
        let lane = if output.reg.is_vector() { lane } else { 0 };
        self.values[output.at as usize + lane]
    }

    /// Returns the index of the step that a wave executed after `count` others.
    pub fn step_at(&self, id: WaveId, count: u64) -> Option<usize> {
        Some(*self.by_wave.get(&id)?.get(usize::try_from(count).ok()?)? as usize)
    }

    /// Returns the index of the step at which a wave executed the instruction at `pc` after `number` earlier executions
    /// of it.
    pub fn occurrence(&self, id: WaveId, pc: u64, number: usize) -> Option<usize> {
        Some(*self.by_place.get(&(id, pc))?.get(number)? as usize)
    }

    /// Returns how often a wave had executed the instruction at `pc` before it executed it as its instruction number
    /// `count`.
    pub fn number_of(&self, id: WaveId, pc: u64, count: u64) -> Option<usize> {
        let index = self.step_at(id, count)? as u32;
        self.by_place.get(&(id, pc))?.iter().position(|&step| step == index)
    }

    /// Returns the executed instructions, by address.
    pub fn code(&self) -> BTreeMap<u64, Inst> {
        self.steps.iter().map(|step| (step.pc, step.inst)).collect()
    }

    /// Returns a hash of all values of an output, in the lanes that were written.
    pub fn hash(&self, output: &Output) -> u64 {
        let mut hash = 0xcbf2_9ce4_8422_2325_u64 ^ output.lanes;
        let mut add = |value: u32| hash = (hash ^ u64::from(value)).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29);
        let lanes = if output.reg.is_vector() { 0..LANES } else { 0..1 };
        lanes.filter(|lane| output.lanes >> lane & 1 == 1).for_each(|lane| add(self.value(output, lane)));
        hash
    }
}

impl Follow for Trace {
    fn step(&mut self, step: &Step<'_>) {
        if self.is_cut || self.group.is_some_and(|group| group != step.id.group) {
            return;
        }
        if self.values.len() >= MOST_VALUES || self.steps.len() >= MOST_STEPS {
            self.is_cut = true;
            return;
        }
        let (first, exec) = (self.outputs.len() as u32, step.exec());
        for n in step.written.vgprs.iter() {
            let Some(after) = step.vgpr_after(n) else { continue };
            let before = step.before.vgpr(n);
            let changed = |lane: &usize| before.is_some_and(|before| before[*lane] != after[*lane]);
            let changed = (0..LANES).filter(changed).fold(0, |lanes, lane| lanes | 1u64 << lane);
            self.outputs.push(Output { reg: Reg::Vgpr(n), at: self.values.len() as u32, lanes: exec | changed });
            self.values.extend_from_slice(after);
        }
        let state = &step.after.state;
        let mut sgprs = step.written.sgprs;
        while sgprs != 0 {
            let n = sgprs.trailing_zeros() as u8;
            sgprs &= sgprs - 1;
            self.outputs.push(Output { reg: Reg::Sgpr(n), at: self.values.len() as u32, lanes: u64::MAX });
            self.values.push(state.sgpr[n as usize]);
        }
        if step.written.scc {
            self.outputs.push(Output { reg: Reg::Scc, at: self.values.len() as u32, lanes: u64::MAX });
            self.values.push(state.scc);
        }
        if !step.writes.is_empty() {
            for n in data_registers(&step.inst) {
                let Some(stored) = step.before.vgpr(n) else { continue };
                self.outputs.push(Output { reg: Reg::Stored(n), at: self.values.len() as u32, lanes: exec });
                self.values.extend_from_slice(stored);
            }
        }
        let index = self.steps.len() as u32;
        self.by_wave.entry(step.id).or_default().push(index);
        self.by_place.entry((step.id, step.pc)).or_default().push(index);
        let outputs = (first, self.outputs.len() as u32);
        self.steps.push(TraceStep { id: step.id, pc: step.pc, inst: step.inst, exec, outputs });
    }
}
