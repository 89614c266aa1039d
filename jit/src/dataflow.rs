//! Finds the registers that a region must load on entry, and those that it must store on leaving, as flat bit sets.
//!
//! A register is *dirty* at a point if the region may have written it on a way there from one of its entries, and has
//! not stored it. Exits store the registers that are dirty there, and no others. A memory instruction may stop the run,
//! so dirty registers are stored before it, and are no longer dirty. A register is *live* if its value may be used
//! before it is written: read by an instruction, or stored by an exit where it is dirty. Registers that are live where
//! the region is entered are loaded.

use gcnsim_isa::{Flow, Fx, Inst, Kind, RegSet, Src, VgprSet, reg};

use crate::region::{Block, Edge, End, Plan};
use crate::regs::Computed;
use crate::special::Special;

/// The sets of a plan.
pub struct Dataflow {
    /// Registers that the region names.
    pub touched: RegSet,
    /// Registers to load on entry.
    pub live_in: RegSet,
    /// Dirty registers at the end of each block.
    pub dirty_out: Vec<RegSet>,
    /// For each block, dirty registers at each of its memory instructions, in order. They are stored there, so that
    /// none is dirty if the instruction stops the run.
    pub flushed: Vec<Vec<RegSet>>,
    /// Dirty registers at the end of any block that ends in a computed jump: these blocks may share an exit.
    pub dirty_computed: RegSet,
    /// For each block the scalar registers that go around a loop through it: the block is in a cycle, and wherever
    /// control goes on in that cycle, instructions read them before others write them.
    pub circulating: Vec<u128>,
}

/// The registers that an instruction names: those that it reads, and those that it writes. Registers of which code
/// computes the number stay in memory, and need no part in this.
fn named(inst: &Inst) -> (RegSet, RegSet) {
    let (mut reads, mut writes) = (inst.reads(), inst.writes());
    let desc = inst.desc();
    // Vector registers stay in memory.
    (reads.vgprs, writes.vgprs) = (VgprSet::default(), VgprSet::default());
    if desc.fx.has(Fx::RSGPRS.or(Fx::WSGPRS)) {
        (reads.sgprs, writes.sgprs) = explicit(inst);
    }
    (reads, writes)
}

/// The SGPRs that an instruction with computed accesses names itself: those that it reads, and those that it writes.
fn explicit(inst: &Inst) -> (u128, u128) {
    let desc = inst.desc();
    let mut reads = RegSet::default();
    let mut writes = RegSet::default();
    for i in 0..inst.src_count() {
        match inst.src(i) {
            Src::Sgpr(n) => reads.insert_sgprs(n, inst.src_type(i).dwords()),
            Src::Vccz => reads.insert_pair(reg::VCC_LO),
            Src::Execz => reads.insert_pair(reg::EXEC_LO),
            Src::Scc | Src::Vgpr(_) | Src::Imm(_) | Src::LdsDirect => {}
        }
    }
    if let Some(dst) = inst.dst() {
        writes.insert_sgprs(dst, desc.dst.dwords());
    }
    if desc.fx.has(Fx::RM0) {
        reads.insert(reg::M0);
    }
    if matches!(desc.flow, Flow::Fork | Flow::Join) {
        reads.insert_pair(reg::EXEC_LO);
        writes.insert_pair(reg::EXEC_LO);
    }
    (reads.sgprs, writes.sgprs)
}

/// Whether VSKIP can keep the instruction from writing a scalar register.
fn is_vector(inst: &Inst) -> bool {
    inst.desc().kind == Kind::Vcmp || inst.sdst().or(inst.mask_dst()).is_some()
}

/// The scalar registers that an instruction names.
pub fn named_sgprs(inst: &Inst) -> u128 {
    let (reads, writes) = named(inst);
    reads.sgprs | writes.sgprs
}

/// Which blocks of a plan are in a cycle; all if none is.
pub fn cyclic(plan: &Plan) -> Vec<bool> {
    let dispatch = plan.blocks.len();
    let mut successors: Vec<Vec<usize>> = (0..dispatch).map(|b| successors(plan, b, dispatch)).collect();
    successors.push(plan.targets.clone());
    let cycles = cycles(&successors);
    let mut sizes = vec![0; cycles.len()];
    cycles.iter().for_each(|&cycle| sizes[cycle] += 1);
    let is_cyclic = |b: usize| sizes[cycles[b]] > 1 || successors[b].contains(&b);
    let found: Vec<bool> = (0..dispatch).map(is_cyclic).collect();
    if found.contains(&true) { found } else { vec![true; dispatch] }
}

/// Whether the instruction may leave a destination as it was, so that the old value counts as read: a relative move
/// writes another register, and a fork or join may write nothing.
fn reads_old_value(inst: &Inst) -> bool {
    let desc = inst.desc();
    desc.fx.has(Fx::WSGPRS) || matches!(desc.flow, Flow::Fork | Flow::Join)
}

/// The effect of a block on registers.
#[derive(Clone, Default)]
struct Effect {
    /// Registers read before the block writes them. A write that may not happen counts as a read and a write.
    reads: RegSet,
    /// Registers written.
    writes: RegSet,
    /// For each memory instruction, the registers written before it and after the previous one.
    flushed: Vec<RegSet>,
    /// Registers written after the last memory instruction.
    dirty: RegSet,
    /// Registers written before the first memory instruction, if there is one.
    before_flush: Option<RegSet>,
}

/// The effect of a block. `specials` is what is known at each of its instructions. Movrels read and write the registers
/// `moved` besides those that they name. The other parameters are those of [`Dataflow::new`].
fn effect(block: &Block, specials: &[Special], pairs: u64, memory: u128, moved: u128) -> Effect {
    let mut effect = Effect::default();
    for ((_, inst), special) in block.insts.iter().zip(specials) {
        if inst.desc().is_memory() {
            effect.before_flush.get_or_insert(effect.writes);
            effect.flushed.push(std::mem::take(&mut effect.dirty));
        }
        let (mut reads, mut writes) = named(inst);
        // The lanes of a vector instruction depend on VSKIP.
        reads.mode |= special.may_skip && inst.desc().is_memory() && !inst.desc().is_scalar_memory();
        reads.sgprs &= !memory;
        writes.sgprs &= !memory;
        let fx = inst.desc().fx;
        if inst.flow() == Flow::Next && fx.has(Fx::RSGPRS.or(Fx::WSGPRS)) {
            reads.sgprs |= moved;
            writes.sgprs |= if fx.has(Fx::WSGPRS) { moved } else { 0 };
        }
        if reads_old_value(inst) || (special.may_skip && is_vector(inst)) {
            reads.union(writes);
        }
        // If one half of a pair that is kept whole is written, the other half is read and written with it.
        let partly = writes.sgprs ^ whole_pairs(writes.sgprs, pairs);
        reads.sgprs |= partly;
        writes.sgprs |= partly;
        effect.reads.union(minus(reads, effect.writes));
        effect.writes.union(writes);
        effect.dirty.union(writes);
    }
    effect
}

/// The set `sgprs`, extended so that both registers or none of each pair in `pairs` (a bit per aligned pair) are in it.
fn whole_pairs(sgprs: u128, pairs: u64) -> u128 {
    let mut set = sgprs;
    let mut rest = pairs;
    while rest != 0 {
        let pair = rest.trailing_zeros();
        rest &= rest - 1;
        if sgprs >> (2 * pair) & 3 != 0 {
            set |= 3 << (2 * pair);
        }
    }
    set
}

/// Members of `a` that are not in `b`.
pub fn minus(a: RegSet, b: RegSet) -> RegSet {
    RegSet { sgprs: a.sgprs & !b.sgprs, scc: a.scc && !b.scc, mode: a.mode && !b.mode, vgprs: a.vgprs.without(b.vgprs) }
}

impl Dataflow {
    /// Analyses a plan. `specials` is what is known of VSKIP at each instruction, block after block. `pairs` has a bit
    /// for each aligned pair that is kept as one 64-bit variable. Registers that stay in memory need neither loads nor
    /// stores.
    pub fn new(plan: &Plan, mut specials: &[Special], pairs: u64, computed: &Computed) -> Dataflow {
        let memory = computed.in_memory;
        let moved = if !computed.windows.is_empty() {
            let insts = plan.blocks.iter().flat_map(|b| &b.insts);
            insts.fold(0, |all, (_, inst)| all | named_sgprs(inst)) & !memory
        } else {
            0
        };
        let effect_of = |block: &Block| {
            let (here, later) = specials.split_at(block.insts.len());
            specials = later;
            effect(block, here, pairs, memory, moved)
        };
        let mut effects: Vec<Effect> = plan.blocks.iter().map(effect_of).collect();
        // The last node, `dispatch`, stands for computed jumps: all of them go through it to all targets.
        let dispatch = effects.len();
        effects.push(Effect::default());
        let mut successors: Vec<Vec<usize>> = (0..dispatch).map(|b| successors(plan, b, dispatch)).collect();
        successors.push(plan.targets.clone());
        let mut touched = RegSet::default();
        for effect in &effects {
            touched.union(effect.reads);
            touched.union(effect.writes);
        }
        let (dirty_in, dirty_out) = dirty(&effects, &successors);
        let mut flushed = Vec::with_capacity(dispatch);
        for (effect, dirty_in) in effects.iter_mut().zip(dirty_in).take(dispatch) {
            if let (Some(first), Some(before)) = (effect.flushed.first_mut(), effect.before_flush) {
                first.union(dirty_in);
                effect.reads.union(minus(dirty_in, before));
            }
            flushed.push(std::mem::take(&mut effect.flushed));
        }
        let mut dirty_computed = RegSet::default();
        for (_, dirty) in plan.blocks.iter().zip(&dirty_out).filter(|(block, _)| block.end.is_computed()) {
            dirty_computed.union(*dirty);
        }
        let live = live(&effects, &successors, |b| {
            let mut stored = RegSet::default();
            if can_leave(plan, b) {
                stored.union(dirty_out[b]);
            }
            if plan.blocks[b].end.is_computed() {
                stored.union(dirty_computed);
            }
            stored
        });
        let mut live_in = RegSet::default();
        plan.entries().for_each(|b| live_in.union(live[b]));
        let circulating = circulating(plan, &effects, &successors);
        Dataflow { touched, live_in, dirty_out, flushed, dirty_computed, circulating }
    }
}

/// The registers of [`Dataflow::circulating`].
fn circulating(plan: &Plan, effects: &[Effect], successors: &[Vec<usize>]) -> Vec<u128> {
    if !plan.blocks.iter().any(|block| block.is_header) {
        return vec![0; plan.blocks.len()];
    }
    let read = live(effects, successors, |_| RegSet::default());
    let cycles = cycles(successors);
    let of = |b: usize| {
        let on = successors[b].iter().filter(|&&s| cycles[s] == cycles[b]);
        on.map(|&s| read[s].sgprs).reduce(|all, next| all & next).unwrap_or(0)
    };
    (0..plan.blocks.len()).map(of).collect()
}

/// The number of the strongly connected component of each node of a graph, by Tarjan's search. Nodes that are in a
/// cycle together have the same number.
fn cycles(successors: &[Vec<usize>]) -> Vec<usize> {
    const NEW: usize = usize::MAX;
    let mut component = vec![NEW; successors.len()];
    let mut order = vec![NEW; successors.len()];
    let mut lowest = order.clone();
    let (mut found, mut open, mut path) = (0, Vec::new(), Vec::new());
    for root in 0..successors.len() {
        if order[root] == NEW {
            path.push((root, 0));
        }
        while let Some(&mut (node, ref mut next)) = path.last_mut() {
            if *next == 0 {
                (order[node], lowest[node]) = (found, found);
                found += 1;
                open.push(node);
            }
            let successor = successors[node].get(*next).copied();
            *next += 1;
            match successor {
                Some(s) if order[s] == NEW => path.push((s, 0)),
                Some(s) if component[s] == NEW => lowest[node] = lowest[node].min(order[s]),
                Some(_) => {}
                None => {
                    path.pop();
                    if let Some(&(parent, _)) = path.last() {
                        lowest[parent] = lowest[parent].min(lowest[node]);
                    }
                    if lowest[node] == order[node] {
                        while let Some(member) = open.pop() {
                            component[member] = node;
                            if member == node {
                                break;
                            }
                        }
                    }
                }
            }
        }
    }
    component
}

/// The successors of block `b`, with `dispatch` if its end is a computed jump to any target.
fn successors(plan: &Plan, b: usize, dispatch: usize) -> Vec<usize> {
    let computed = plan.blocks[b].end.is_computed().then_some(dispatch);
    plan.direct_successors(b).chain(computed).collect()
}

/// The dirty registers at the start and at the end of each block, found forward.
fn dirty(effects: &[Effect], successors: &[Vec<usize>]) -> (Vec<RegSet>, Vec<RegSet>) {
    let mut at_start = vec![RegSet::default(); effects.len()];
    let mut at_end: Vec<RegSet> = effects.iter().map(|e| e.dirty).collect();
    let mut work: Vec<usize> = (0..effects.len()).rev().collect();
    while let Some(b) = work.pop() {
        for &s in &successors[b] {
            let before = at_start[s];
            at_start[s].union(at_end[b]);
            if at_start[s] != before && effects[s].before_flush.is_none() {
                at_end[s].union(at_start[s]);
                work.push(s);
            }
        }
    }
    (at_start, at_end)
}

/// The live registers at the start of each block, found backward. `stored` gives the registers that exits at the end of
/// a block store.
fn live(effects: &[Effect], successors: &[Vec<usize>], stored: impl Fn(usize) -> RegSet) -> Vec<RegSet> {
    let mut at_start = vec![RegSet::default(); effects.len()];
    // The last node is that of computed jumps.
    let blocks = effects.len() - 1;
    let mut changed = true;
    while changed {
        changed = false;
        for b in (0..effects.len()).rev() {
            let mut out = if b < blocks { stored(b) } else { RegSet::default() };
            successors[b].iter().for_each(|&s| out.union(at_start[s]));
            let mut start = minus(out, effects[b].writes);
            start.union(effects[b].reads);
            if start != at_start[b] {
                at_start[b] = start;
                changed = true;
            }
        }
    }
    at_start
}

/// Whether the region can be left at the end of block `b`: by an edge out, a stop, or for lack of fuel.
fn can_leave(plan: &Plan, b: usize) -> bool {
    let leaves = |edge: Edge| match edge {
        Edge::Leave(_) => true,
        Edge::Block(s) => plan.is_tested(b, s),
    };
    match plan.blocks[b].end {
        End::Goto(e) => leaves(e),
        End::Cond { taken, next } => leaves(taken) || leaves(next),
        End::Fork { target: Some((target, _)), next } => leaves(target) || leaves(next.0),
        End::Indirect { .. } | End::Fork { .. } | End::Join { .. } => true,
        End::Barrier(_) | End::Ended | End::Halted(_) => true,
    }
}
