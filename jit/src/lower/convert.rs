//! If-conversion: a short block that a conditional branch may skip is always executed, and its results are selected.
//!
//! ```text
//! s_cbranch_scc1 over         new = the block's results; fuel -= taken ? 0 : its length
//!     s_lshr_b32 s1, s1, 1    s1 = taken ? s1 : new
//! over:                       over:
//! ```
//!
//! A block is converted if it has one predecessor, consists of a few scalar instructions that write only registers and
//! SCC, and raises no note. A mispredicted branch costs more than executing it.

use cranelift_codegen::ir::condcodes::{CondCode, IntCC};
use cranelift_codegen::ir::{self, InstBuilder, Value, types};
use gcnsim_isa::table::{Sop2, Sopp};
use gcnsim_isa::{Flow, Fx, Inst, Kind, Notes, Opcode, reg};

use super::Lower;
use crate::region::{Block, Edge, End, Plan};

/// Largest number of instructions of a converted block, without a branch at its end.
const MOST: usize = 4;

/// For each block of the plan: the block that its conditional branch skips, if it is to be converted.
pub(super) fn skipped_blocks(plan: &Plan, memory: u128) -> Vec<Option<usize>> {
    let mut predecessors = vec![0u32; plan.blocks.len()];
    for b in 0..plan.blocks.len() {
        plan.direct_successors(b).for_each(|s| predecessors[s] += 1);
    }
    // Blocks that computed jumps may reach have more than one predecessor.
    plan.targets.iter().for_each(|&t| predecessors[t] += 2);
    let skipped = |b: usize| {
        let End::Cond { taken: Edge::Block(over), next: Edge::Block(skipped) } = plan.blocks[b].end else {
            return None;
        };
        let (_, branch) = plan.blocks[b].insts.last()?;
        let block = &plan.blocks[skipped];
        let notes = block.insts.iter().fold(Notes::NONE, |notes, (_, inst)| notes.or(inst.static_notes()));
        let converts = skipped != 0
            && branches_on_state(branch)
            && skipped != over
            && predecessors[skipped] == 1
            && block.end == End::Goto(Edge::Block(over))
            && !plan.is_tested(b, over)
            && !plan.is_tested(b, skipped)
            && !plan.is_tested(skipped, over)
            && !block.interior
            && notes.is_empty()
            && straight(block).len() <= MOST
            && straight(block).iter().all(|(_, inst)| is_plain(inst, memory));
        converts.then_some(skipped)
    };
    (0..plan.blocks.len()).map(skipped).collect()
}

/// The block's instructions without the branch at its end.
fn straight(block: &Block) -> &[(u64, Inst)] {
    match block.insts.split_last() {
        Some(((_, last), rest)) if last.flow() == Flow::Branch => rest,
        _ => &block.insts,
    }
}

/// Whether the instruction only computes SCC and registers that are not in memory.
fn is_plain(inst: &Inst, memory: u128) -> bool {
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

impl Lower<'_, '_> {
    /// Ends block `from` by executing the skipped block in place. `taken` (I8), the condition for skipping it, selects
    /// the results and what is charged. For `scc_when_taken` see [`Lower::conditional_branch`].
    pub(super) fn convert(&mut self, from: usize, taken: Value, scc_when_taken: Option<i64>, skipped: usize) {
        let block = &self.plan.blocks[skipped];
        let insts = straight(block);
        let written = insts.iter().fold(0, |written, (_, inst)| written | inst.writes().sgprs);
        let writes_scc = insts.iter().any(|(_, inst)| inst.writes().scc);

        let old = self.values(written);
        let old_scc = match scc_when_taken {
            _ if !writes_scc => None,
            Some(scc) => Some(self.b.ins().iconst(types::I8, scc)),
            None => Some(self.scc()),
        };
        if let (Some(scc), Some(_)) = (scc_when_taken, self.scc_var) {
            // SCC has a known value where the skipped block executes.
            let otherwise = self.b.ins().iconst(types::I8, 1 - scc);
            let before = self.scc.replace(otherwise);
            self.part(skipped, insts);
            if !writes_scc {
                self.scc = before;
            }
        } else {
            self.part(skipped, insts);
        }
        // Registers that get either operand of the comparison come first: a loop waits for them.
        let ordered = self.least_or_greatest(taken);
        let mut values: Vec<_> = old.into_iter().map(|(code, wide, old)| (code, old, self.value(code, wide))).collect();
        let is_ordered = |old, new| ordered.is_some_and(|[a, b]| [old, new] == [a, b] || [old, new] == [b, a]);
        values.sort_by_key(|&(_, old, new)| !is_ordered(old, new));
        let mut skips = taken;
        for (code, old, new) in values {
            let by = if is_ordered(old, new) { taken } else { skips };
            let value = self.b.ins().select(by, old, new);
            match self.b.func.dfg.value_type(value) {
                types::I64 => self.regs.write64(self.b, code, value),
                _ => self.regs.write32(self.b, code, value),
            }
            if is_ordered(old, new) && skips == taken {
                // This is the same condition, computed from values that exist anyway. So the other one need not be
                // kept.
                skips = self.b.ins().icmp(IntCC::Equal, value, old);
            }
        }
        if let Some(old) = old_scc {
            let new = self.scc();
            let scc = self.b.ins().select(taken, old, new);
            self.set_scc(scc);
        }

        self.charge_either(&self.plan.blocks[from], block, skips, skips != taken);
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

    /// Lowers instructions of another block in this one.
    fn part(&mut self, block: usize, insts: &[(u64, Inst)]) {
        for (i, (pc, inst)) in insts.iter().enumerate() {
            self.set_position(block, i);
            self.inst(inst, *pc);
        }
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
