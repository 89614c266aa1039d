//! Finds the instruction that made two compilations differ.
//!
//! Each step of one compilation is compared with its partner in the other: the same occurrence of the instruction that
//! [`Alignment`](crate::align::Alignment) pairs it with. If a result differs, its register gets a label: that of a
//! source, if one has a label; otherwise that of the step itself, whose sources agree while its result does not. A
//! register whose value agrees has no label. If the codes are not close, or a step has no partner, a result agrees if
//! the other compilation has computed the same values anywhere. The label of the observation that differs names the
//! instruction.

use std::collections::{HashMap, HashSet};

use gcnsim_isa::{Encoding, Flow, Kind, LANES, RegSet, VgprSet};

use crate::origin::{crosses_lanes, data_registers};
use crate::step::WaveId;
use crate::trace::{Output, Reg, Trace, TraceStep};

/// Most stored values whose labels are remembered.
const MOST_VALUES: usize = 1 << 20;

/// The place where a side shows a difference.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Observed {
    /// The wave.
    pub id: WaveId,
    /// Number of instructions that the wave had executed before the export, message or store.
    pub count: u64,
    /// The register and the lane from which the value came, if they are known.
    pub source: Option<(u8, u8)>,
}

/// A label: 0, or the index of a step plus 1.
type Label = u32;

/// The labels of a wave's registers.
struct Labels {
    vgprs: Vec<[Label; LANES]>,
    sgprs: [Label; 128],
    scc: Label,
    /// The label of the first branch that went another way.
    path: Label,
    /// The compares that the value of each scalar register, and of SCC behind them, was made of.
    compares: Vec<Vec<Label>>,
}

/// The index of SCC in [`Labels::compares`].
const SCC: usize = 128;
/// Most compares that are remembered of a value.
const MOST_COMPARES: usize = 8;

impl Default for Labels {
    fn default() -> Labels {
        Labels { vgprs: vec![[0; LANES]; 256], sgprs: [0; 128], scc: 0, path: 0, compares: vec![Vec::new(); SCC + 1] }
    }
}

/// Compares the steps of `own` with those of `other`.
pub(crate) struct Search<'a> {
    own: &'a Trace,
    other: &'a Trace,
    /// Addresses in `other` by those in `own`.
    partners: HashMap<u64, u64>,
    is_close: bool,
    /// The values that the other compilation computed.
    known: HashSet<u64>,
    waves: HashMap<WaveId, Labels>,
    /// Labels of stored values.
    stored: HashMap<u32, Label>,
    /// Labels of the first stores that went to a wrong address: to LDS, and to other memory.
    astray: [Label; 2],
    /// Number of executions so far, by wave and address.
    times: HashMap<(WaveId, u64), usize>,
}

impl<'a> Search<'a> {
    pub fn new(own: &'a Trace, other: &'a Trace, partners: HashMap<u64, u64>, is_close: bool) -> Search<'a> {
        let outputs = other.steps.iter().flat_map(|step| other.outputs(step));
        let known = outputs.map(|output| other.hash(output)).collect();
        let (waves, stored, times) = Default::default();
        Search { own, other, partners, is_close, known, waves, stored, astray: [0; 2], times }
    }

    /// Returns the address of the instruction that made a difference. `seen` is where this side shows the difference;
    /// if it does not, `on_other` is where the other side does. `None` if the trace ends before it, or if no
    /// instruction is to blame.
    pub fn culprit(mut self, seen: Option<&Observed>, on_other: Option<&Observed>) -> Option<u64> {
        let own = seen.and_then(|seen| self.own.step_at(seen.id, seen.count));
        let last = own.or_else(|| self.same_place(on_other?));
        if last.is_none() && (seen.is_some() || self.own.is_cut) {
            return None;
        }
        let id = seen.or(on_other)?.id;
        for index in 0..last.unwrap_or(self.own.steps.len()) {
            let step = &self.own.steps[index];
            let mut labels = self.waves.remove(&step.id).unwrap_or_default();
            self.step(index, step, &mut labels);
            self.waves.insert(step.id, labels);
        }
        let labels = self.waves.remove(&id).unwrap_or_default();
        let Some(step) = last.map(|last| &self.own.steps[last]) else {
            return self.step_of(labels.path).map(|step| step.pc);
        };
        let source = seen.and_then(|seen| seen.source);
        let of_source = source.map_or(0, |(n, lane)| labels.vgprs[n as usize][lane as usize & 63]);
        let lane = source.map(|(_, lane)| lane as usize);
        let of_inputs = inputs(step, &step.inst.reads(), &labels, lane);
        let label = [of_source, of_inputs, labels.path].into_iter().find(|&label| label != 0);
        Some(label.and_then(|label| self.step_of(label)).unwrap_or(step).pc)
    }

    /// Returns the step that a label means.
    fn step_of(&self, label: Label) -> Option<&TraceStep> {
        self.own.steps.get((label as usize).checked_sub(1)?)
    }

    /// Returns the step that is the partner of the other side's step that shows the difference.
    fn same_place(&self, on_other: &Observed) -> Option<usize> {
        let theirs = &self.other.steps[self.other.step_at(on_other.id, on_other.count)?];
        let number = self.other.number_of(on_other.id, theirs.pc, on_other.count)?;
        let (&pc, _) = self.partners.iter().find(|(_, other)| **other == theirs.pc)?;
        self.own.occurrence(on_other.id, pc, number)
    }

    /// Returns the partner of `step`, which is being executed, in the other compilation.
    fn partner(&mut self, step: &TraceStep) -> Option<usize> {
        let times = self.times.entry((step.id, step.pc)).or_default();
        *times += 1;
        self.other.occurrence(step.id, *self.partners.get(&step.pc)?, *times - 1)
    }

    fn step(&mut self, index: usize, step: &TraceStep, labels: &mut Labels) {
        let partner = self.partner(step);
        let own = index as Label + 1;
        if let Some(partner) = partner
            && labels.path == 0
            && !matches!(step.inst.flow(), Flow::Next | Flow::End)
            && self.goes_another_way(index, partner)
        {
            let of_inputs = Some(inputs(step, &step.inst.reads(), labels, None)).filter(|&label| label != 0);
            let (differing, last) = self.compares_of(step, labels);
            labels.path = of_inputs.into_iter().chain(differing).min().or(last).unwrap_or(own);
        }
        let is_load = step.inst.desc().is_memory();
        let outputs: Vec<Output> = self.own.outputs(step).to_vec();
        // Labels change only after all sources were looked at.
        let mut changes = Vec::new();
        let read = step.inst.reads();
        let space = usize::from(step.inst.desc().encoding != Encoding::Ds);
        if self.astray[space] == 0 && outputs.iter().any(|output| matches!(output.reg, Reg::Stored(_))) {
            self.astray[space] = inputs(step, &without_data(step, read), labels, None);
        }
        for (number, output) in outputs.iter().enumerate() {
            if let Reg::Stored(n) = output.reg {
                for lane in (0..LANES).filter(|lane| output.lanes >> lane & 1 == 1) {
                    let label = labels.vgprs[n as usize][lane];
                    if label != 0 && self.stored.len() < MOST_VALUES {
                        self.stored.insert(self.own.value(output, lane), label);
                    }
                }
                continue;
            }
            let is_known = self.known.contains(&self.own.hash(output));
            let theirs = partner.map(|partner| &self.other.steps[partner]);
            let theirs = theirs.and_then(|step| self.other.outputs(step).get(number)).filter(|_| self.is_close);
            let lanes = if output.reg.is_vector() { 0..LANES } else { 0..1 };
            for lane in lanes.filter(|lane| output.lanes >> lane & 1 == 1) {
                let value = self.own.value(output, lane);
                let agrees = match theirs {
                    Some(theirs) => theirs.lanes >> lane & 1 == 1 && self.other.value(theirs, lane) == value,
                    None => is_known,
                };
                let label = match agrees {
                    true => 0,
                    false => {
                        let of_inputs = inputs(step, &read, labels, output.reg.is_vector().then_some(lane));
                        let of_memory = if is_load { self.stored.get(&value).copied().unwrap_or(0) } else { 0 };
                        // What a store that went astray has not written, or has overwritten, is wrong.
                        let of_place = if is_load { self.astray[space] } else { 0 };
                        [of_inputs, of_memory, of_place, labels.path]
                            .into_iter()
                            .find(|&label| label != 0)
                            .unwrap_or(own)
                    }
                };
                changes.push((output.reg, lane, label));
            }
        }
        hand_on_compares(step, own, &outputs, &read, labels);
        for (reg, lane, label) in changes {
            match reg {
                Reg::Vgpr(n) => labels.vgprs[n as usize][lane] = label,
                Reg::Sgpr(n) => labels.sgprs[n as usize] = label,
                Reg::Scc => labels.scc = label,
                Reg::Stored(_) => {}
            }
        }
    }

    /// Whether the two partners are followed by steps that are no partners.
    fn goes_another_way(&self, own: usize, other: usize) -> bool {
        let next = |trace: &Trace, at: usize| {
            let id = trace.steps[at].id;
            trace.steps[at + 1..].iter().find(|step| step.id == id).map(|step| step.pc)
        };
        let [branch, partner] = [&self.own.steps[own], &self.other.steps[other]];
        match (next(self.own, own), next(self.other, other)) {
            (Some(own), Some(other)) => match self.partners.get(&own) {
                Some(&partner) => partner != other,
                // The other compilation never comes here.
                None => {
                    let is_same = branch.inst.desc().mnemonic == partner.inst.desc().mnemonic;
                    is_same && goes_on(branch, own) != goes_on(partner, other)
                }
            },
            (own, other) => own.is_some() != other.is_some(),
        }
    }

    /// Returns the labels of two of the compares that decided a branch: of the last one whose result differs from that of
    /// its partner, and of the last one.
    fn compares_of(&self, branch: &TraceStep, labels: &Labels) -> (Option<Label>, Option<Label>) {
        let read = branch.inst.reads();
        let all = registers(&read).flat_map(|n| labels.compares[n].iter().copied());
        let differs = |&label: &Label| {
            let own = (label as usize).checked_sub(1).and_then(|index| self.own.steps.get(index));
            own.is_some_and(|own| self.differs_from_partner(own))
        };
        (all.clone().filter(differs).max(), all.max())
    }

    /// Whether a compare has another result than the compare that is its partner.
    fn differs_from_partner(&self, own: &TraceStep) -> bool {
        let number = self.own.steps.iter().take_while(|step| !std::ptr::eq(*step, own));
        let number = number.filter(|step| step.id == own.id && step.pc == own.pc).count();
        let partner = self.partners.get(&own.pc).and_then(|&pc| self.other.occurrence(own.id, pc, number));
        let Some(partner) = partner.map(|index| &self.other.steps[index]).filter(|step| is_compare(step)) else {
            return false;
        };
        let values = |trace: &Trace, step: &TraceStep| -> Vec<u32> {
            trace.outputs(step).iter().filter(|o| !o.reg.is_vector()).map(|o| trace.value(o, 0)).collect()
        };
        values(self.own, own) != values(self.other, partner)
    }
}

/// Whether a branch went on to the next instruction.
fn goes_on(branch: &TraceStep, next: u64) -> bool {
    next == branch.pc + u64::from(branch.inst.size())
}

fn is_compare(step: &TraceStep) -> bool {
    matches!(step.inst.desc().kind, Kind::Scmp | Kind::Vcmp)
}

/// Returns the indices in [`Labels::compares`] of scalar registers.
fn registers(set: &RegSet) -> impl Iterator<Item = usize> + Clone + use<> {
    let (sgprs, scc) = (set.sgprs, set.scc);
    (0..SCC).filter(move |n| sgprs >> n & 1 == 1).chain(scc.then_some(SCC))
}

/// Notes which compares the scalar results of a step were made of: itself, or those of its sources.
fn hand_on_compares(step: &TraceStep, own: Label, outputs: &[Output], read: &RegSet, labels: &mut Labels) {
    let is_scalar = matches!(step.inst.desc().encoding, Encoding::Sop1 | Encoding::Sop2 | Encoding::Sopk);
    let made = if is_compare(step) {
        vec![own]
    } else if is_scalar {
        let mut all: Vec<Label> = registers(read).flat_map(|n| labels.compares[n].iter().copied()).collect();
        all.sort_unstable();
        all.dedup();
        all.split_off(all.len().saturating_sub(MOST_COMPARES))
    } else {
        Vec::new()
    };
    for output in outputs {
        match output.reg {
            Reg::Sgpr(n) if usize::from(n) < SCC => labels.compares[usize::from(n)].clone_from(&made),
            Reg::Scc => labels.compares[SCC].clone_from(&made),
            _ => {}
        }
    }
}

/// Returns what a store reads apart from its data.
fn without_data(step: &TraceStep, mut read: RegSet) -> RegSet {
    let mut data = VgprSet::default();
    data_registers(&step.inst).into_iter().for_each(|n| data.insert(n, 1));
    read.vgprs = read.vgprs.without(data);
    read
}

/// Returns the first label among the sources of a step, in `lane`, or in any lane.
fn inputs(step: &TraceStep, read: &RegSet, labels: &Labels, lane: Option<usize>) -> Label {
    let lane = lane.filter(|_| !crosses_lanes(&step.inst));
    let mut first = Label::MAX;
    let mut see = |label: Label| {
        if label != 0 {
            first = first.min(label);
        }
    };
    for n in read.vgprs.iter() {
        let of_register = &labels.vgprs[n as usize];
        match lane {
            Some(lane) => see(of_register[lane]),
            None => {
                let active = (0..LANES).filter(|lane| step.exec >> lane & 1 == 1);
                active.for_each(|lane| see(of_register[lane]));
            }
        }
    }
    let mut sgprs = read.sgprs;
    while sgprs != 0 {
        see(labels.sgprs[sgprs.trailing_zeros() as usize]);
        sgprs &= sgprs - 1;
    }
    if read.scc {
        see(labels.scc);
    }
    let is_scalar = matches!(
        step.inst.desc().encoding,
        Encoding::Sop1
            | Encoding::Sop2
            | Encoding::Sopk
            | Encoding::Sopc
            | Encoding::Sopp
            | Encoding::Smem
            | Encoding::Smrd
    );
    if !is_scalar {
        // EXEC decides which lanes a vector instruction writes.
        see(labels.sgprs[126]);
        see(labels.sgprs[127]);
    }
    if first == Label::MAX { 0 } else { first }
}
