//! Counting. Instructions that execute are charged to the fuel, and to the class counters if the region keeps them.
//!
//! A block's length is subtracted at its end. Where both ways of a branch are executed in place, the charge depends on
//! the branch. If the ways only sort two registers:
//!
//! ```text
//! fuel = taken ? fuel : fuel - (length of the way on which the branch is not taken)
//! ```
//!
//! and all lengths that are certain are *owed* from there on, as a number known while lowering, until ways meet, fuel
//! is tested, or the region is left: one subtraction for all copies of an unrolled loop, and three host instructions
//! per selection.
//!
//! The instructions of a block where several ways meet are charged at the end of each way, together with the way's own.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, Value, types};
use cranelift_frontend::Variable;
use gcnsim_isa::{Inst, Kind};

use super::Lower;
use super::convert::Conversion;
use crate::abi::{CLASS_WORDS, CLASSES_IN_WORD, UNCOUNTED_CLASS};
use crate::region::{Block, Edge, End, Plan};

/// Number of selections after which the fuel is computed, even if it is not needed yet (see [`Lower::start_charging`]).
const SELECTIONS: u32 = 2;

/// Instructions that have not been subtracted from the fuel yet.
#[derive(Clone, Copy, Default)]
struct Debt {
    /// Number of instructions that are charged and not yet subtracted.
    owed: i64,
    /// Number of selections before the branch that ended the last block.
    selections: u32,
    /// Number of selections since then.
    new_selections: u32,
}

/// The counters of a region in the course of lowering.
pub(super) struct Charges {
    /// Number of instructions that may still execute, plus the debt.
    pub fuel: Variable,
    /// The classes that have counters, if classes are counted.
    pub counted: Vec<Kind>,
    /// The words of [`crate::abi::Frame::classes`] that the counted classes take.
    pub classes: Vec<Variable>,
    debt: Debt,
    /// The debt that each block takes over from its only predecessor.
    handed_on: Vec<Option<Debt>>,
    /// For each block the number of its instructions, if all ways there charge them before it begins; otherwise 0.
    prepaid: Vec<i64>,
}

impl Charges {
    /// Counters of a plan whose conditional branches are partly converted (`convert.rs`). `is_part` are the blocks that
    /// are executed in place.
    pub fn new(fuel: Variable, plan: &Plan, conversions: &[Option<Conversion>], is_part: &[bool]) -> Charges {
        let mut predecessors = vec![0u32; plan.blocks.len()];
        // Targets of computed jumps take over no debt.
        plan.targets.iter().for_each(|&b| predecessors[b] += 2);
        // A block that is lowered before its predecessor cannot know the debt.
        for b in (0..plan.blocks.len()).filter(|&b| !is_part[b]) {
            let mut count = |s: usize| predecessors[s] += if s > b { 1 } else { 2 };
            match &conversions[b] {
                Some(conversion) => count(conversion.join),
                None => plan.direct_successors(b).for_each(count),
            }
        }
        let takes_over = |b: usize| predecessors[b] == 1 && !plan.blocks[b].is_header && !plan.blocks[b].is_entry();
        let handed_on = (0..plan.blocks.len()).map(|b| takes_over(b).then(Debt::default)).collect();
        let prepaid = prepaid(plan, conversions, is_part);
        Charges { fuel, counted: Vec::new(), classes: Vec::new(), debt: Debt::default(), handed_on, prepaid }
    }
}

/// The numbers of [`Charges::prepaid`]: blocks where several branches and straight ways meet, and nothing else.
fn prepaid(plan: &Plan, conversions: &[Option<Conversion>], is_part: &[bool]) -> Vec<i64> {
    let mut ways = vec![0u32; plan.blocks.len()];
    let mut is_prepaid: Vec<bool> = plan.blocks.iter().map(|block| !block.is_header && !block.is_entry()).collect();
    plan.targets.iter().for_each(|&b| is_prepaid[b] = false);
    for b in (0..plan.blocks.len()).filter(|&b| !is_part[b]) {
        match (&conversions[b], &plan.blocks[b].end) {
            (Some(conversion), _) => ways[conversion.join] += 1,
            (None, End::Goto(_) | End::Cond { .. }) => plan.direct_successors(b).for_each(|s| ways[s] += 1),
            (None, _) => plan.direct_successors(b).for_each(|s| is_prepaid[s] = false),
        }
    }
    let len = |b: usize| plan.blocks[b].insts.len() as i64;
    (0..plan.blocks.len()).map(|b| if is_prepaid[b] && ways[b] > 1 { len(b) } else { 0 }).collect()
}

impl Lower<'_, '_> {
    /// Takes over the debt of the block before `block`.
    ///
    /// The fuel is first used at the end of a loop, so the conditions of all copies of its body would stay in registers
    /// until then. So it is [pinned](Lower::pinned), after the branch, so that the branch need not wait for it.
    pub(super) fn start_charging(&mut self, block: usize) {
        self.charges.debt = self.charges.handed_on[block].unwrap_or_default();
        self.charges.debt.owed -= self.charges.prepaid[block];
        if self.charges.debt.selections >= SELECTIONS {
            self.charges.debt.selections = 0;
            let fuel = self.b.use_var(self.charges.fuel);
            let fuel = self.pinned(fuel);
            self.b.def_var(self.charges.fuel, fuel);
        }
    }

    /// Counts the instructions of `block`.
    pub(super) fn charge(&mut self, block: &Block) {
        self.charge_fuel(block.insts.len() as i64);
        let debt = &mut self.charges.debt;
        debt.selections += std::mem::take(&mut debt.new_selections);
        if !matches!(block.end, End::Goto(_) | End::Cond { .. }) {
            self.settle();
            self.charges.debt = Debt::default();
        }
        self.count_classes(&block.insts);
    }

    /// Adds `insts` to the class counters.
    pub(super) fn count_classes(&mut self, insts: &[(u64, Inst)]) {
        let counted = self.classes_of(insts);
        for (word, n) in counted.into_iter().enumerate().filter(|(_, n)| *n != 0) {
            let var = self.charges.classes[word];
            let classes = self.b.use_var(var);
            let classes = self.b.ins().iadd_imm_u(classes, n);
            self.b.def_var(var, classes);
        }
    }

    /// The fuel, to be tested. It is [pinned](Lower::pinned): Cranelift would subtract once more at the exit, and keep
    /// the fuel from before until there.
    pub(super) fn tested_fuel(&mut self) -> Value {
        let fuel = self.b.use_var(self.charges.fuel);
        if self.b.func.dfg.value_def(fuel).inst().is_none() {
            return fuel;
        }
        let fuel = self.pinned(fuel);
        self.b.def_var(self.charges.fuel, fuel);
        fuel
    }

    /// Counts the first `index` instructions of the current block, on an exit from the middle of it.
    pub(super) fn charge_before(&mut self, index: usize) {
        let fuel = self.fuel_before(index);
        self.b.def_var(self.charges.fuel, fuel);
        let plan = self.plan;
        self.count_classes(&plan.blocks[self.current].insts[..index]);
    }

    /// The fuel that is left before instruction `index` of the current block.
    pub(super) fn fuel_before(&mut self, index: usize) -> Value {
        let fuel = self.b.use_var(self.charges.fuel);
        let used = if self.options.uncounted { 0 } else { self.charges.debt.owed + index as i64 };
        if used == 0 { fuel } else { self.b.ins().iadd_imm_s(fuel, -used) }
    }

    /// Charges the difference between the two ways of a converted branch. `ways` are the fuel after each way and the
    /// number of instructions that it still has to be charged with; the first one is executed if `taken` (I8). Returns
    /// the number of instructions that still have to be charged for both, and whether a selection charged the
    /// difference. With `owing` it does. A selection is the least work, but the fuel of the next block waits for it;
    /// it pays where the loop waits for something slower.
    pub(super) fn charge_ways(&mut self, taken: Value, owing: bool, ways: [(Value, i64); 2]) -> (i64, bool) {
        let [(fuel, on_taken), (other, on_next)] = ways;
        if self.options.uncounted || (fuel == other && on_taken == on_next) {
            self.b.def_var(self.charges.fuel, fuel);
            return (on_taken, false);
        }
        let difference = (on_taken - on_next).abs();
        let (left, charge) = if fuel != other {
            let [fuel, other] = [(fuel, on_taken), (other, on_next)].map(|(fuel, n)| self.b.ins().iadd_imm_s(fuel, -n));
            (self.b.ins().select(taken, fuel, other), 0)
        } else if owing {
            let less = self.b.ins().iadd_imm_s(fuel, -difference);
            let [a, b] = if on_taken < on_next { [fuel, less] } else { [less, fuel] };
            (self.b.ins().select(taken, a, b), on_taken.min(on_next))
        } else {
            // The difference is a product which does not wait for the fuel. The charge of the longer way comes last, so
            // that Cranelift adds that of the next block to it.
            let (bit, is_inverse) = self.as_number(taken);
            let difference = self.b.ins().iconst(types::I64, difference);
            let product = self.product(bit, difference);
            match (on_taken < on_next) != is_inverse {
                true => (self.b.ins().iadd(fuel, product), if is_inverse { on_taken } else { on_next }),
                false => (self.b.ins().isub(fuel, product), if is_inverse { on_taken } else { on_next }),
            }
        };
        self.b.def_var(self.charges.fuel, left);
        (charge, owing && fuel == other)
    }

    /// A condition (I8) as an I64 of 0 or 1, and whether it is the inverse of that. The test of a bit that was shifted
    /// to the lowest place is that bit.
    fn as_number(&mut self, condition: Value) -> (Value, bool) {
        let (mut tested, mut is_inverse) = (condition, false);
        while let Some((cc, of)) = self.compared_with_zero(tested) {
            is_inverse ^= cc == IntCC::Equal;
            tested = of;
            if self.is_bit(of) {
                let bit = match self.b.func.dfg.value_type(of) {
                    types::I64 => of,
                    _ => self.b.ins().uextend(types::I64, of),
                };
                return (bit, is_inverse);
            }
        }
        (self.b.ins().uextend(types::I64, condition), false)
    }

    /// Counts the instructions of `block`, whose branch was converted, and the `left` ones of [`Lower::charge_ways`].
    /// `owing` is as there.
    pub(super) fn charge_converted(&mut self, block: &Block, left: i64, owing: bool) {
        self.count_classes(&block.insts);
        let count = block.insts.len() as i64 + left;
        if owing && !self.options.uncounted {
            self.charges.debt.owed += count;
            self.charges.debt.new_selections += 1;
        } else {
            self.charge_fuel(count);
        }
    }

    /// Adds `count` to the debt if there is one. Otherwise it subtracts `count` at once, which takes a register less
    /// where a branch follows.
    fn charge_fuel(&mut self, count: i64) {
        match self.charges.debt.owed {
            _ if self.options.uncounted => {}
            0 => self.subtract(count),
            _ => self.charges.debt.owed += count,
        }
    }

    /// Hands the debt on along `edge`, or pays it.
    pub(super) fn charge_edge(&mut self, edge: Edge) {
        if let Edge::Block(to) = edge
            && let Some(handed_on) = &mut self.charges.handed_on[to]
        {
            *handed_on = self.charges.debt;
            return;
        }
        let prepaid = if let Edge::Block(to) = edge { self.charges.prepaid[to] } else { 0 };
        self.settle_with(prepaid);
    }

    /// Pays the debt in the current block of CLIF. Other blocks of CLIF that belong to the same block of the plan
    /// keep theirs.
    fn settle(&mut self) {
        self.settle_with(0);
    }

    /// Pays the debt, and `more` instructions.
    fn settle_with(&mut self, more: i64) {
        let count = self.charges.debt.owed + more;
        if count != 0 && !self.options.uncounted {
            self.subtract(count);
        }
    }

    fn subtract(&mut self, count: i64) {
        let fuel = self.b.use_var(self.charges.fuel);
        let fuel = self.b.ins().iadd_imm_s(fuel, -count);
        self.b.def_var(self.charges.fuel, fuel);
    }

    /// Amounts that `insts` add to the words of [`crate::abi::Frame::classes`].
    pub(super) fn classes_of(&self, insts: &[(u64, Inst)]) -> [i64; CLASS_WORDS] {
        let mut words = [0; CLASS_WORDS];
        for (_, inst) in insts {
            let kind = inst.desc().kind;
            if let Some(at) = self.charges.counted.iter().position(|&counted| counted == kind) {
                words[at / CLASSES_IN_WORD] += 1 << (16 * (at % CLASSES_IN_WORD));
            }
        }
        words
    }
}

/// The classes that compiled code of a plan counts: those of its instructions but one. The number of that one follows
/// from the number of all.
pub(crate) fn counted_classes(plan: &Plan) -> Vec<Kind> {
    let is_in_plan =
        |kind: Kind| plan.blocks.iter().any(|block| block.insts.iter().any(|(_, i)| i.desc().kind == kind));
    Kind::ALL.into_iter().filter(|&kind| kind != UNCOUNTED_CLASS && is_in_plan(kind)).collect()
}
