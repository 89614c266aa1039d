//! Registers that go around a loop are computed where the program computes them.
//!
//! Cranelift computes a value where it is used first. A sum that only the next iteration reads would be computed at the
//! end of the loop, and what it is made of would stay in host registers until then; it would be computed once more for
//! each exit. So such values are [pinned](Lower::pinned) at the last instruction of a block that writes the register.
//! Temporary values stay free, so that those that only an exit needs are computed there.

use cranelift_codegen::ir::{self, InstBuilder, Value, types};
use cranelift_frontend::FunctionBuilder;

use super::Lower;
use crate::region::{Edge, End};

/// Registers to pin after instructions of a block.
pub(super) struct Circulating {
    /// Instructions, last first, with the circulating registers that no later instruction of the block writes.
    last_writes: Vec<(usize, u128)>,
    /// Whether fuel is tested at the end of the block, which closes a cycle, or the block has no copies.
    closes_cycle: bool,
}

impl Lower<'_, '_> {
    /// Finds where the circulating registers of a block are written last.
    pub(super) fn circulating(&self, block: usize) -> Circulating {
        let mut rest = self.flow.circulating[block];
        let mut last_writes = Vec::new();
        let insts = &self.plan.blocks[block].insts;
        for (i, (_, inst)) in insts.iter().enumerate().rev() {
            if rest == 0 {
                break;
            }
            let written = inst.writes().sgprs & rest;
            if written != 0 {
                last_writes.push((i, written));
                rest &= !written;
            }
        }
        let tested = |edge: Edge| matches!(edge, Edge::Block(to) if self.plan.is_tested(block, to));
        let closes_cycle = match self.plan.blocks[block].end {
            End::Goto(edge) => tested(edge),
            End::Cond { taken, next } => tested(taken) || tested(next),
            _ => false,
        };
        // Without copies there is nothing to take sums by constants together with.
        let closes_cycle = closes_cycle || !self.has_copies[block];
        Circulating { last_writes, closes_cycle }
    }

    /// Pins circulating registers that instructions of the block have just written.
    pub(super) fn pin_circulating(&mut self, circulating: &Circulating, insts: std::ops::Range<usize>) {
        let written =
            |written, &(i, registers): &(usize, u128)| if insts.contains(&i) { written | registers } else { written };
        let written = circulating.last_writes.iter().fold(0, written);
        let closes_cycle = circulating.closes_cycle;
        self.regs.replace(self.b, written, |b, value| pinned(b, value, closes_cycle));
    }
}

/// A value that is computed here. Values that exist anyway stay free, and so do those that differ by a constant from
/// another one, where the block does not close a cycle.
fn pinned(b: &mut FunctionBuilder<'_>, value: Value, closes_cycle: bool) -> Value {
    let dfg = &b.func.dfg;
    let Some(inst) = dfg.value_def(value).inst() else { return value };
    let is_constant = |value: Value| {
        let constant =
            |inst| matches!(dfg.insts[inst], ir::InstructionData::UnaryImm { opcode: ir::Opcode::Iconst, .. });
        dfg.value_def(value).inst().is_some_and(constant)
    };
    match dfg.insts[inst] {
        ir::InstructionData::UnaryImm { opcode: ir::Opcode::Iconst, .. } => return value,
        ir::InstructionData::Unary { opcode: ir::Opcode::Isplit, .. } | ir::InstructionData::Load { .. } => {
            return value;
        }
        ir::InstructionData::Unary { opcode: ir::Opcode::Ireduce, arg } if is_pinned(dfg, arg) => return value,
        ir::InstructionData::Binary { opcode: ir::Opcode::Iadd | ir::Opcode::Isub, args: [_, by] }
            if !closes_cycle && is_constant(by) =>
        {
            return value;
        }
        // To widen a selection takes an instruction.
        ir::InstructionData::Ternary { .. } => return value,
        // Pairs hang together by carries, which are best computed with them.
        _ if dfg.value_type(value) == types::I64 => return value,
        _ => {}
    }
    let wide = b.ins().uextend(types::I64, value);
    let wide = pin(b, wide);
    b.ins().ireduce(types::I32, wide)
}

fn is_pinned(dfg: &ir::DataFlowGraph, value: Value) -> bool {
    let isplit = |inst| matches!(dfg.insts[inst], ir::InstructionData::Unary { opcode: ir::Opcode::Isplit, .. });
    dfg.value_def(value).inst().is_some_and(isplit)
}

/// An I64 that is computed here. Cranelift computes others where they are used first. It does not move an instruction
/// with two results, and to take a pair apart costs nothing.
pub(super) fn pin(b: &mut FunctionBuilder<'_>, value: Value) -> Value {
    let pair = b.ins().iconcat(value, value);
    b.ins().isplit(pair).0
}
