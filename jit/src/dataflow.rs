//! Which registers a region loads at its entry, and which each exit stores.
//!
//! A register is *dirty* at a point if a path from an entry of the region to it writes the register: its value in memory
//! may be old, so an exit there stores it. All others are current in memory. What an exit stores, and what instructions read
//! before it is written, is *live*; the region loads what is live at its entries. So a register that only the end of a
//! program clears is neither loaded nor carried through the loops before it.

use gcnsim_isa::{Fx, Inst, Kind, reg};

use crate::region::{Edge, End, Plan};

/// Result of the analysis: sets of scalar registers, bit n for operand code n.
pub struct Dataflow {
    /// What the region loads.
    pub loads: u128,
    /// What an exit at the end of each block stores: what is dirty there (for computed jumps, which may share their exit:
    /// at any of them).
    pub dirty_out: Vec<u128>,
    /// What an exit by the shared dispatch of computed jumps stores.
    pub dirty_dispatch: u128,
}

/// How registers are kept, as far as the analysis needs it.
#[derive(Clone, Copy, Default)]
pub struct Shape {
    /// Registers kept as whole pairs: writing one half keeps the other.
    pub whole: u128,
    /// Registers kept in memory: no concern of the analysis.
    pub memory: u128,
    /// Compares may be skipped, and may use M0.
    pub special_mode: bool,
}

/// What a block does to registers.
#[derive(Clone, Copy, Default)]
struct Effects {
    /// Read before the block writes them.
    reads: u128,
    /// Written whatever happens.
    defines: u128,
    /// Written on some path.
    writes: u128,
}

const VCC_EXEC_M0: u128 = 3 << reg::VCC_LO | 3 << reg::EXEC_LO | 1 << reg::M0;

/// Registers that an instruction reads and writes; those by computed numbers are in memory.
fn named(inst: &Inst) -> (u128, u128) {
    let fx = inst.desc().fx;
    let (mut reads, mut writes) = (inst.reads().sgprs, inst.writes().sgprs);
    if fx.has(Fx::RSGPRS) {
        reads &= VCC_EXEC_M0;
    }
    if fx.has(Fx::WSGPRS) {
        writes &= if fx.has(Fx::WEXEC) { 3 << reg::EXEC_LO } else { 0 };
    }
    (reads, writes)
}

impl Effects {
    fn add(&mut self, inst: &Inst, shape: Shape) {
        let fx = inst.desc().fx;
        let (mut reads, mut writes) = named(inst);
        // Computed accesses name registers outside the memory, too: the base of a movrel is always in it, the rest is not.
        if fx.has(Fx::RSGPRS.or(Fx::WSGPRS)) {
            let (explicit_reads, explicit_writes) = crate::regs::explicit(inst);
            (reads, writes) = (reads | explicit_reads, writes | explicit_writes);
        }
        if inst.desc().kind == Kind::Vcmp {
            if shape.special_mode {
                // A skipped compare keeps its destination.
                reads |= writes;
            } else if !names_m0(inst) {
                reads &= !(1 << reg::M0);
            }
        }
        let whole = |set: u128| set | shape.whole & pairs_of(set);
        let partly = writes & shape.whole & !both_halves(writes);
        reads = whole(reads | partly) & !shape.memory;
        writes = whole(writes) & !shape.memory;
        self.reads |= reads & !self.defines;
        self.writes |= writes;
        // Forks and joins write EXEC on one of their ways only.
        if !fx.has(Fx::WSGPRS.or(Fx::RSGPRS)) {
            self.defines |= writes;
        }
    }
}

fn names_m0(inst: &Inst) -> bool {
    (0..inst.src_count()).any(|i| inst.src(i) == gcnsim_isa::Src::Sgpr(reg::M0))
}

const EVEN: u128 = u128::MAX / 3;

/// The pairs of which the set has a half.
fn pairs_of(set: u128) -> u128 {
    let low = (set | set >> 1) & EVEN;
    low | low << 1
}

/// The pairs of which the set has both halves.
fn both_halves(set: u128) -> u128 {
    let low = set & set >> 1 & EVEN;
    low | low << 1
}

/// The blocks that control reaches directly after a block, whether by the shared dispatch, and whether it may leave there.
struct Exits {
    successors: Vec<usize>,
    computed: bool,
    leaves: bool,
}

fn exits(plan: &Plan, block: usize) -> Exits {
    let mut exits = Exits { successors: Vec::new(), computed: false, leaves: false };
    let mut edge = |edge: Edge| match edge {
        Edge::Block(i) => {
            exits.successors.push(i);
            // Too little fuel.
            exits.leaves |= plan.is_backward(block, i);
        }
        Edge::Leave(_) => exits.leaves = true,
    };
    match plan.blocks[block].end {
        End::Goto(e) => edge(e),
        End::Cond { taken, next } => {
            edge(taken);
            edge(next);
        }
        End::Indirect { known: Some(Edge::Block(i)) } => {
            edge(Edge::Block(i));
            exits.leaves = true;
        }
        End::Indirect { .. } => exits.computed = true,
        End::Fork { target, next } => {
            edge(next.0);
            if let Some((target, _)) = target {
                edge(target);
            }
            exits.computed = target.is_none();
        }
        End::Join { next } => {
            edge(next);
            exits.computed = true;
        }
        End::Ended | End::Halted(_) => exits.leaves = true,
    }
    exits
}

impl Dataflow {
    /// Analyses a region.
    pub fn of(plan: &Plan, shape: Shape) -> Dataflow {
        let count = plan.blocks.len();
        let exits: Vec<Exits> = (0..count).map(|b| exits(plan, b)).collect();
        let effects: Vec<Effects> = plan
            .blocks
            .iter()
            .map(|block| {
                let mut effects = Effects::default();
                block.insts.iter().for_each(|(_, inst)| effects.add(inst, shape));
                effects
            })
            .collect();

        let mut dirty_in = vec![0; count];
        let mut dirty_dispatch = 0;
        let mut changed = true;
        while changed {
            changed = false;
            for b in 0..count {
                let out = dirty_in[b] | effects[b].writes;
                for &s in &exits[b].successors {
                    changed |= out & !dirty_in[s] != 0;
                    dirty_in[s] |= out;
                }
                if exits[b].computed {
                    changed |= out & !dirty_dispatch != 0;
                    dirty_dispatch |= out;
                }
            }
            for &s in &plan.targets {
                changed |= dirty_dispatch & !dirty_in[s] != 0;
                dirty_in[s] |= dirty_dispatch;
            }
        }
        let dirty_out: Vec<u128> = (0..count)
            .map(|b| if exits[b].computed { dirty_dispatch } else { dirty_in[b] | effects[b].writes })
            .collect();

        let mut live_in = vec![0; count];
        let mut live_dispatch = dirty_dispatch;
        let mut changed = true;
        while changed {
            changed = false;
            for b in (0..count).rev() {
                let mut live = if exits[b].leaves { dirty_out[b] } else { 0 };
                live |= exits[b].successors.iter().fold(0, |live, &s| live | live_in[s]);
                live |= if exits[b].computed { live_dispatch } else { 0 };
                live = live & !effects[b].defines | effects[b].reads;
                changed |= live != live_in[b];
                live_in[b] = live;
            }
            let live = plan.targets.iter().fold(dirty_dispatch, |live, &s| live | live_in[s]);
            changed |= live != live_dispatch;
            live_dispatch = live;
        }
        let loads = plan.entries().fold(0, |loads, b| loads | live_in[b]);
        Dataflow { loads, dirty_out, dirty_dispatch }
    }
}
