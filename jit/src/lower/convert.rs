//! If-conversion: where a conditional branch skips a short stretch of code or chooses one of two, all of it is
//! executed, and the results are selected.
//!
//! ```text
//! s_cbranch_scc1 over         new = the block's results; fuel -= taken ? 0 : its length
//!     s_lshr_b32 s1, s1, 1    s1 = taken ? s1 : new
//! over:                       over:
//! ```
//!
//! A computed jump that is expected to go to a few such ways is converted, too (`switch.rs`). Each way consists of
//! blocks that nothing else leads to: scalar instructions that write only registers and SCC and raise no note, calls
//! and returns that go to one place, and branches that are converted themselves. A mispredicted branch costs more than
//! executing them.

use cranelift_codegen::ir::condcodes::{CondCode, IntCC};
use cranelift_codegen::ir::{self, InstBuilder, Value, types};
use cranelift_frontend::Variable;
use gcnsim_isa::table::{Sop2, Sopp};
use gcnsim_isa::{Flow, Fx, Inst, Kind, Notes, Opcode, reg};

use super::Lower;
use crate::region::{Block, Edge, End, Plan};
use crate::regs::Computed;

/// Largest number of instructions of a stretch that is skipped, without jumps.
const MOST_SKIPPED: usize = 6;
/// Largest number of instructions of two ways together, without jumps.
const MOST_CHOSEN: usize = 12;
/// Largest number of instructions of all ways of a computed jump together, without jumps.
const MOST_SWITCHED: usize = 24;
/// Largest number of registers that the ways of a computed jump write, times the number of ways.
const MOST_SELECTED: usize = 24;

/// A conditional branch or a computed jump that is converted.
#[derive(Clone, Debug)]
pub(super) struct Conversion {
    /// Blocks of each way, without those of inner conversions: of the way on which a branch is taken and of the other
    /// one, or from each target of a computed jump on, by address.
    pub ways: Vec<Vec<usize>>,
    /// Block where all ways lead.
    pub join: usize,
    /// Whether fuel is tested on the way there.
    pub is_tested: bool,
    /// Number of instructions of all ways, without jumps.
    len: usize,
    /// Scalar registers that instructions of any way write.
    pub written: u128,
    /// Whether instructions of any way write SCC.
    pub writes_scc: bool,
}

/// The conversion of the branch or jump at the end of each block of a plan. `memory` are registers in memory.
pub(super) fn conversions(plan: &Plan, memory: u128) -> Vec<Option<Conversion>> {
    let mut predecessors = vec![0u32; plan.blocks.len()];
    for b in 0..plan.blocks.len() {
        plan.direct_successors(b).for_each(|s| predecessors[s] += 1);
    }
    // Blocks that computed jumps may reach have more than one predecessor.
    plan.targets.iter().for_each(|&t| predecessors[t] += 3);
    let mut search = Search { plan, memory, predecessors, found: vec![None; plan.blocks.len()] };
    for b in plan.inner_first() {
        search.found[b] = search.conversion(b);
    }
    search.found
}

/// Addresses of the branches and jumps that are converted in a plan.
pub(crate) fn convertible(plan: &Plan) -> Vec<u64> {
    let found = conversions(plan, Computed::of(plan).in_memory);
    let converted = plan.blocks.iter().zip(&found).filter(|(_, conversion)| conversion.is_some());
    converted.filter_map(|(block, _)| block.insts.last()).map(|&(pc, _)| pc).collect()
}

/// The search for conversions, inner ones first.
struct Search<'a> {
    plan: &'a Plan,
    memory: u128,
    /// Number of edges to each block.
    predecessors: Vec<u32>,
    found: Vec<Option<Conversion>>,
}

impl Search<'_> {
    fn conversion(&self, b: usize) -> Option<Conversion> {
        match self.plan.blocks[b].end {
            _ if self.plan.blocks[b].predictable => None,
            End::Cond { taken: Edge::Block(taken), next: Edge::Block(next) } => self.branch(b, taken, next),
            End::Indirect { known: Some(ref known) } => self.switch(b, targets(self.plan, known)),
            _ => None,
        }
    }

    /// The conversion of the conditional branch at the end of block `b`.
    fn branch(&self, b: usize, taken: usize, next: usize) -> Option<Conversion> {
        let (_, branch) = self.plan.blocks[b].insts.last()?;
        let is_tested = self.plan.is_tested(b, taken) || self.plan.is_tested(b, next);
        if is_tested || taken == next || !branches_on_state(branch) {
            return None;
        }
        let ways = vec![self.way(taken), self.way(next)];
        let most = if ways[0].blocks.is_empty() { MOST_SKIPPED } else { MOST_CHOSEN };
        if ways[1].blocks.is_empty() { None } else { meeting(ways, most) }
    }

    /// The conversion of the computed jump at the end of block `b`, whose targets are in order of addresses.
    fn switch(&self, b: usize, targets: Vec<usize>) -> Option<Conversion> {
        let pc = |target: usize| self.plan.blocks[target].pc;
        let is_plain = |&target: &usize| pc(target) >> 48 == 0 && !self.plan.is_tested(b, target);
        let is_ordered = targets.windows(2).all(|two| pc(two[0]) < pc(two[1]));
        if targets.len() < 2 || !is_ordered || !targets.iter().all(is_plain) {
            return None;
        }
        let ways: Vec<Way> = targets.iter().map(|&target| self.way(target)).collect();
        let found = meeting(ways, MOST_SWITCHED)?;
        (found.written.count_ones() as usize * targets.len() <= MOST_SELECTED).then_some(found)
    }

    /// The blocks from `start` on that can be executed in place.
    fn way(&self, start: usize) -> Way {
        let mut way = Way { end: start, ..Way::default() };
        // Number of edges that lead from the way to its end.
        let mut edges = 1;
        while way.len <= MOST_CHOSEN && self.predecessors[way.end] == edges {
            let (b, block) = (way.end, &self.plan.blocks[way.end]);
            if !is_convertible(block, self.memory) {
                break;
            }
            match (&block.end, &self.found[b]) {
                // A block that begins after a test of fuel is no part of the way.
                (&End::Goto(Edge::Block(next)), _) => {
                    (way.end, edges) = (next, 1);
                    way.is_tested = self.plan.is_tested(b, next);
                }
                (End::Cond { .. }, Some(inner)) => {
                    way.is_tested = inner.is_tested;
                    way.len += 1 + inner.len;
                    way.written |= inner.written;
                    way.writes_scc |= inner.writes_scc;
                    (way.end, edges) = (inner.join, 2);
                }
                _ => break,
            }
            way.blocks.push(b);
            way.len += straight(block).len();
            for (_, inst) in &block.insts {
                let written = inst.writes();
                way.written |= written.sgprs;
                way.writes_scc |= written.scc;
            }
        }
        way
    }
}

/// A way from a branch to where it meets the other one.
#[derive(Default)]
struct Way {
    blocks: Vec<usize>,
    /// The first block that is not part of it.
    end: usize,
    /// Whether fuel is tested on the way there.
    is_tested: bool,
    len: usize,
    written: u128,
    writes_scc: bool,
}

/// The conversion to ways that meet, if they do and have at most `most` instructions.
fn meeting(ways: Vec<Way>, most: usize) -> Option<Conversion> {
    let (end, is_tested) = (ways[0].end, ways[0].is_tested);
    // Code out of line that jumps back is seldom executed.
    let meet = ways.iter().all(|way| way.end == end && way.is_tested == is_tested);
    let len = ways.iter().map(|way| way.len).sum();
    (meet && len <= most).then(|| Conversion {
        join: end,
        is_tested,
        len,
        written: ways.iter().fold(0, |all, way| all | way.written),
        writes_scc: ways.iter().any(|way| way.writes_scc),
        ways: ways.into_iter().map(|way| way.blocks).collect(),
    })
}

/// Blocks in order of their addresses.
pub(super) fn targets(plan: &Plan, blocks: &[usize]) -> Vec<usize> {
    let mut targets = blocks.to_vec();
    targets.sort_by_key(|&target| plan.blocks[target].pc);
    targets
}

/// Whether a block can be executed in place.
fn is_convertible(block: &Block, memory: u128) -> bool {
    let notes = block.insts.iter().fold(Notes::NONE, |notes, (_, inst)| notes.or(inst.static_notes()));
    let link = block.insts.last().map_or(0, |(_, last)| last.writes().sgprs);
    !block.is_header
        && !block.is_entry()
        && !block.interior
        && notes.is_empty()
        && link & (memory | 3 << reg::EXEC_LO) == 0
        && straight(block).iter().all(|(_, inst)| is_plain(inst, memory))
}

/// The block's instructions without the jump or branch at its end.
fn straight(block: &Block) -> &[(u64, Inst)] {
    match block.insts.split_last() {
        Some(((_, last), rest)) if last.flow() != Flow::Next => rest,
        _ => &block.insts,
    }
}

/// Whether the instruction only computes SCC and registers that are not in memory.
pub(super) fn is_plain(inst: &Inst, memory: u128) -> bool {
    let fx = inst.desc().fx;
    inst.flow() == Flow::Next
        && matches!(inst.opcode, Opcode::Sop1(_) | Opcode::Sop2(_) | Opcode::Sopc(_) | Opcode::Sopk(_))
        && matches!(inst.desc().kind, Kind::Salu | Kind::Scmp)
        && !fx.has(Fx::RSGPRS.or(Fx::WSGPRS).or(Fx::RMODE).or(Fx::WMODE).or(Fx::WEXEC))
        && !may_note(inst)
        && inst.writes().sgprs & (memory | 3 << reg::EXEC_LO) == 0
}

/// Whether the branch tests SCC, VCC or EXEC. (Branches on debug flags are never taken.)
fn branches_on_state(branch: &Inst) -> bool {
    use Sopp::{SCbranchExecnz, SCbranchExecz, SCbranchScc0, SCbranchScc1, SCbranchVccnz, SCbranchVccz};
    let Opcode::Sopp(op) = branch.opcode else { return false };
    matches!(op, SCbranchScc0 | SCbranchScc1 | SCbranchVccz | SCbranchVccnz | SCbranchExecz | SCbranchExecnz)
}

/// Whether the instruction can raise a note that depends on its operands.
fn may_note(inst: &Inst) -> bool {
    use Sop2::{SAbsdiffI32, SBfeI32, SBfeI64, SBfeU32, SBfeU64, SMaxI32, SMaxU32};
    let Opcode::Sop2(op) = inst.opcode else { return false };
    matches!(op, SMaxI32 | SMaxU32 | SBfeU32 | SBfeI32 | SBfeU64 | SBfeI64 | SAbsdiffI32)
}

/// What one way leaves.
pub(super) struct After {
    /// Registers that any way writes.
    pub values: Vec<(u8, bool, Value)>,
    pub scc: Option<Value>,
    /// The fuel, without the charge of `charge` instructions.
    pub fuel: Value,
    pub charge: i64,
    /// Class counters, and the address of the last instruction if the region keeps it.
    pub others: Vec<Value>,
}

impl Lower<'_, '_> {
    /// Ends the current block by executing both ways in place. `taken` (I8), the condition of the branch, selects the
    /// results and what is charged. For `scc_when_taken` see [`Lower::condition`].
    pub(super) fn convert(&mut self, taken: Value, scc_when_taken: Option<i64>) {
        let block = &self.plan.blocks[self.current];
        let (charge, owing) = self.convert_ways(self.current, taken, scc_when_taken);
        self.charge_converted(block, charge, owing);
    }

    /// Executes both ways in place. Returns the number of instructions that are still to be charged, and whether what
    /// differs was charged by a selection.
    fn convert_ways(&mut self, from: usize, taken: Value, scc_when_taken: Option<i64>) -> (i64, bool) {
        let after = self.each_way(from, &[scc_when_taken, scc_when_taken.map(|scc| 1 - scc)]);
        let [t, n] = &after[..] else { unreachable!("a branch has two ways") };
        if let (Some(a), Some(b)) = (t.scc, n.scc) {
            let scc = self.select(taken, a, b);
            self.set_scc(scc);
        }
        for ((var, &a), &b) in self.counters()[1..].iter().zip(&t.others).zip(&n.others) {
            let value = self.select(taken, a, b);
            self.b.def_var(*var, value);
        }
        let skips = self.select_registers(taken, &t.values, &n.values);
        self.charge_ways(skips, skips != taken, [(t.fuel, t.charge), (n.fuel, n.charge)])
    }

    /// Executes the ways from block `from` in place, each from the state before them. `known` is what SCC is at their
    /// starts, where that is known.
    pub(super) fn each_way(&mut self, from: usize, known: &[Option<i64>]) -> Vec<After> {
        let Some(Conversion { ways, written, writes_scc, .. }) = self.conversions[from].clone() else {
            unreachable!("block {from} is converted")
        };
        // What the ways have in common is read before them.
        self.values(written);
        let is_known = known.iter().all(Option::is_some);
        let scc_before = if writes_scc && !is_known { Some(self.scc()) } else { self.scc };
        let (regs, dirty) = (self.regs.save(), self.scc_dirty);
        let counters = self.counters();
        let before: Vec<Value> = counters.iter().map(|&var| self.b.use_var(var)).collect();
        let mut after = Vec::with_capacity(ways.len());
        for (way, scc) in ways.iter().zip(known) {
            self.regs.restore(regs.clone());
            for (&var, &value) in counters.iter().zip(&before) {
                self.b.def_var(var, value);
            }
            // SCC has a known value there.
            let scc = if self.scc_var.is_some() { *scc } else { None };
            let scc = scc.map(|scc| self.b.ins().iconst(types::I8, scc));
            self.scc = scc.or(scc_before);
            after.push(self.way(way, written, writes_scc, &counters));
        }
        self.regs.restore(regs);
        (self.scc, self.scc_dirty) = (scc_before, dirty);
        after
    }

    /// The fuel, class counters, and the address of the last instruction if the region keeps it.
    pub(super) fn counters(&self) -> Vec<Variable> {
        let classes = self.charges.classes.iter().copied();
        std::iter::once(self.charges.fuel).chain(classes).chain(self.last_pc).collect()
    }

    fn select(&mut self, condition: Value, a: Value, b: Value) -> Value {
        if a == b { a } else { self.b.ins().select(condition, a, b) }
    }

    /// Executes the blocks of a way.
    fn way(&mut self, blocks: &[usize], written: u128, writes_scc: bool, counters: &[Variable]) -> After {
        let plan = self.plan;
        let mut charge = 0;
        for &b in blocks {
            let block = &plan.blocks[b];
            let insts = straight(block);
            let mut i = 0;
            while i < insts.len() {
                self.set_position(b, i);
                let fused = self.fuse_wide_addition(&insts[i..]);
                if fused.is_none() {
                    self.inst(&insts[i].1, insts[i].0);
                }
                i += fused.unwrap_or(1);
            }
            let (pc, last) = &block.insts[block.insts.len() - 1];
            self.set_position(b, block.insts.len() - 1);
            if let End::Goto(_) = block.end {
                self.link(last, *pc);
            }
            if self.last_pc.is_some() {
                let pc = self.const64(*pc);
                self.set_last_pc(pc);
            }
            charge += block.insts.len() as i64;
            self.count_classes(&block.insts);
            if let Some((condition, scc_when_taken)) =
                self.conversions[b].is_some().then(|| self.condition(last)).flatten()
            {
                charge += self.convert_ways(b, condition, scc_when_taken).0;
            }
        }
        let values = self.values(written);
        let scc = writes_scc.then(|| self.scc());
        let mut counters = counters.iter().map(|&var| self.b.use_var(var));
        let Some(fuel) = counters.next() else { unreachable!("the fuel is a counter") };
        let others = counters.collect();
        After { values, scc, fuel, charge, others }
    }

    /// Writes the registers that either way has written. Returns a condition (I8) that is as good as `taken`.
    fn select_registers(
        &mut self,
        taken: Value,
        on_taken: &[(u8, bool, Value)],
        on_next: &[(u8, bool, Value)],
    ) -> Value {
        // Registers that get either operand of the comparison come first: a loop waits for them.
        let ordered = self.least_or_greatest(taken);
        let is_ordered = |a, b| ordered.is_some_and(|[x, y]| [a, b] == [x, y] || [a, b] == [y, x]);
        let mut values: Vec<_> = on_taken.iter().zip(on_next).map(|(&(code, _, a), &(.., b))| (code, a, b)).collect();
        values.sort_by_key(|&(_, a, b)| !is_ordered(a, b));
        let mut skips = taken;
        for (code, a, b) in values {
            let value = self.select(if is_ordered(a, b) { taken } else { skips }, a, b);
            match self.b.func.dfg.value_type(value) {
                types::I64 => self.regs.write64(self.b, code, value),
                _ => self.regs.write32(self.b, code, value),
            }
            if is_ordered(a, b) && skips == taken {
                // This is the same condition, computed from values that exist anyway. So the other one need not be
                // kept.
                skips = self.b.ins().icmp(IntCC::Equal, value, a);
            }
        }
        skips
    }

    /// Returns a and b if a condition (I8) is `a >= b` or `a <= b`. A register that has one of them if it holds and the
    /// other if not has the greater or the smaller of both. Where a and b differ, it has the former exactly if the
    /// condition holds.
    fn least_or_greatest(&self, condition: Value) -> Option<[Value; 2]> {
        let compare = |value| match self.b.func.dfg.insts[self.b.func.dfg.value_def(value).inst()?] {
            ir::InstructionData::IntCompare { cond, args, .. } => Some((cond, args)),
            _ => None,
        };
        let (mut cond, mut args) = compare(condition)?;
        if cond == IntCC::Equal && self.constant_value(args[1]) == Some(0) {
            // This is a branch on SCC being 0.
            (cond, args) = compare(args[0])?;
            cond = cond.complement();
        }
        use IntCC::{
            SignedGreaterThanOrEqual, SignedLessThanOrEqual, UnsignedGreaterThanOrEqual, UnsignedLessThanOrEqual,
        };
        let or_equal =
            [SignedGreaterThanOrEqual, SignedLessThanOrEqual, UnsignedGreaterThanOrEqual, UnsignedLessThanOrEqual];
        or_equal.contains(&cond).then_some(args)
    }

    /// The current values of registers: number, whether it is a pair (if it is kept as one), value.
    pub(super) fn values(&mut self, registers: u128) -> Vec<(u8, bool, Value)> {
        let mut values = Vec::new();
        for code in (0..128u8).step_by(2) {
            let bits = registers >> code & 3;
            if bits != 0 && self.regs.is_whole(code) {
                values.push((code, true, self.value(code, true)));
                continue;
            }
            for half in (0..2).filter(|half| bits >> half & 1 == 1) {
                values.push((code + half, false, self.value(code + half, false)));
            }
        }
        values
    }

    /// The current value of a register or pair.
    fn value(&mut self, code: u8, is_pair: bool) -> Value {
        if is_pair { self.regs.read64(self.b, code) } else { self.regs.read32(self.b, code) }
    }
}
