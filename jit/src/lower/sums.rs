//! Sums of several values are made in an order in which the value that is there last comes last.

use std::collections::HashMap;

use cranelift_codegen::ir::{self, InstBuilder, Opcode, Value};

use super::Lower;

/// How many operations that wait for each other are counted.
const MOST_STEPS: u32 = 24;

/// For values the least time from the start of the block until they are there, in cycles of a usual host.
#[derive(Default)]
pub(super) struct Depths(HashMap<Value, u32>);

impl Depths {
    /// The time of a value. `steps` operations before it are looked at.
    fn of(&mut self, func: &ir::Function, block: ir::Block, value: Value, steps: u32) -> u32 {
        if let Some(&depth) = self.0.get(&value) {
            return depth;
        }
        let here = |inst| func.layout.inst_block(inst) == Some(block);
        let Some(inst) = func.dfg.value_def(value).inst().filter(|&inst| here(inst)) else { return 0 };
        if steps == 0 {
            return 0;
        }
        let own = match func.dfg.insts[inst].opcode() {
            Opcode::Imul => 3,
            Opcode::Load => 4,
            Opcode::Iconst | Opcode::Uextend | Opcode::Ireduce | Opcode::Iconcat | Opcode::Isplit => 0,
            _ => 1,
        };
        let args = func.dfg.inst_args(inst).iter();
        let depth = own + args.map(|&arg| self.of(func, block, arg, steps - 1)).max().unwrap_or(0);
        self.0.insert(value, depth);
        depth
    }
}

impl Lower<'_, '_> {
    /// The sum of two I32. If it `replaces` a, which nothing needs any more, and a is a sum, too, the operand that is
    /// there last is added last.
    pub(super) fn sum(&mut self, a: Value, b: Value, replaces: bool) -> Value {
        if let Some(high) = self.high_half_of_sum(a, b) {
            return high;
        }
        let inner = |dfg: &ir::DataFlowGraph| match dfg.insts[dfg.value_def(a).inst()?] {
            ir::InstructionData::Binary { opcode: Opcode::Iadd, args } => Some(args),
            _ => None,
        };
        if let (true, Some([p, q]), Some(block)) = (replaces, inner(&self.b.func.dfg), self.b.current_block()) {
            let func = &self.b.func;
            let [at_p, at_q, at_b] = [p, q, b].map(|value| self.depths.of(func, block, value, MOST_STEPS));
            let (last, first, at_last, at_first) = if at_p > at_q { (p, q, at_p, at_q) } else { (q, p, at_q, at_p) };
            if at_last > at_first.max(at_b) {
                let first = self.b.ins().iadd(first, b);
                return self.b.ins().iadd(last, first);
            }
        }
        self.b.ins().iadd(a, b)
    }
}
