//! Memory instructions: calls of their helpers, and the way out where memory does not allow an access.
//!
//! Before the call what is dirty is stored, so the state in memory is that before the instruction. If the helper
//! refuses, nothing is left to do but to set PC and counters: the region is left with [`ExitCode::Stopped`].

use cranelift_codegen::ir::{self, InstBuilder, MemFlagsData, Value, types};
use gcnsim_isa::{Inst, Note, RegSet, Src, reg};

use super::exits::{Exit, ExitPc};
use super::vector::Vector;
use super::{Lower, NO_ARGS};
use crate::abi::{ExitCode, offset};
use gcnsim_helpers::memory::{MemoryOp, Uses};

impl Lower<'_, '_> {
    /// Lowers memory instruction `number` of the current block, its instruction `index`. A load tells `site` what it
    /// reaches.
    pub(super) fn memory(&mut self, inst: &Inst, pc: u64, (index, number): (usize, usize), site: Option<u8>) {
        let op = memory_op(inst).at(pc);
        let op = if let Some(site) = site { op.at_site(site, self.options.level) } else { op };
        self.store_current(self.flow.flushed[self.current][number]);
        let (status, uses) = self.access(op, inst, index);
        let (refused, on) = (self.cold_block(), self.b.create_block());
        self.b.ins().brif(status, refused, NO_ARGS, on, NO_ARGS);
        self.b.seal_block(refused);
        self.b.seal_block(on);
        self.b.switch_to_block(refused);
        self.charge_before(index);
        let from = match index.checked_sub(1) {
            Some(before) => ExitPc::Known(self.plan.blocks[self.current].insts[before].0),
            None => ExitPc::Computed(self.last_pc()),
        };
        self.exit_with(RegSet::default(), ExitCode::Stopped, Exit { pc: ExitPc::Known(pc), from: Some(from) });
        self.b.switch_to_block(on);
        self.take_result(inst, &uses);
    }

    /// A scalar load that is executed before its turn, as instruction `index` of the current block. Where it is
    /// [refused](MemoryOp::ahead), control goes to `refused`.
    pub(super) fn load_ahead(&mut self, inst: &Inst, index: usize, refused: ir::Block) {
        let (status, uses) = self.access(memory_op(inst).ahead(), inst, index);
        let on = self.b.create_block();
        self.b.ins().brif(status, refused, NO_ARGS, on, NO_ARGS);
        self.b.seal_block(on);
        self.b.switch_to_block(on);
        self.take_result(inst, &uses);
    }

    /// The call of a helper: its status, which is not 0 if memory refuses, and the operands.
    fn access(&mut self, op: MemoryOp, inst: &Inst, index: usize) -> (Value, Uses) {
        let uses = op.uses();
        self.store_scalars(inst, &uses, index);
        (self.call_helper(op), uses)
    }

    /// Loads the result of a memory instruction, if it has scalar ones.
    fn take_result(&mut self, inst: &Inst, uses: &Uses) {
        if let Some((first, count)) = uses.result {
            self.load_result(first, count);
            if self.options.plant == Some(inst.opcode) {
                // The test hook: a bit is wrong.
                let value = self.regs.read32(self.b, first);
                let wrong = self.b.ins().bxor_imm_u(value, 1);
                self.regs.write32(self.b, first, wrong);
            }
        }
    }

    fn call_helper(&mut self, op: MemoryOp) -> Value {
        let helper = op.helper(self.options.level) as *const u8 as usize;
        // Otherwise those before would move.
        assert!(self.memory_ops.len() < self.memory_ops.capacity(), "an instruction is lowered once, and once ahead");
        self.memory_ops.push(op);
        let op = self.memory_ops.last().map_or(0, |op| &raw const *op as usize);
        let op = self.b.ins().iconst(self.pointer, op as i64);
        let notes = self.pointer_at(self.state, offset::NOTES as i64);
        let args = [op, notes, self.vgprs, self.frame];
        let status = self.call_host(helper, &args, Some(types::I32));
        status.unwrap_or_else(|| unreachable!("helpers return a status"))
    }

    /// Stores the scalar operands to the frame.
    fn store_scalars(&mut self, inst: &Inst, uses: &Uses, index: usize) {
        if !inst.desc().is_scalar_memory() {
            let mut active = Vector::new(self, Note::GpridxRange).active(self);
            if self.options.plant == Some(inst.opcode) {
                // The test hook: one lane is left out.
                let others = self.b.ins().iadd_imm_s(active, -1);
                active = self.b.ins().band(active, others);
            }
            self.put(active, offset::MEMORY_EXEC);
        }
        if let Some((first, count)) = uses.base {
            self.store_registers(first, count, offset::MEMORY_BASE);
        }
        if let Some((first, count)) = uses.image {
            self.store_registers(first, count, offset::MEMORY_IMAGE);
        }
        if let Some((first, count)) = uses.sampler {
            self.store_registers(first, count, offset::MEMORY_SAMPLER);
        }
        if let Some(source) = uses.offset {
            let value = self.scalar_offset(source);
            self.put(value, offset::MEMORY_OFFSET);
        }
        if uses.m0 {
            self.store_registers(reg::M0, 1, offset::MEMORY_M0);
        }
        if uses.flat_scratch {
            self.store_registers(gcnsim_isa::flat_scratch(inst.arch), 2, offset::MEMORY_FLAT_SCRATCH);
        }
        if uses.mode {
            let mode = match self.mode_var {
                Some(_) => self.mode(),
                None => self.load(types::I32, offset::MODE),
            };
            self.put(mode, offset::MEMORY_MODE);
        }
        if uses.completed {
            let fuel = self.fuel_before(index);
            let end = self.b.ins().load(types::I64, MemFlagsData::trusted(), self.frame, offset::CLOCK_END);
            let completed = self.b.ins().isub(end, fuel);
            self.put(completed, offset::MEMORY_COMPLETED);
        }
        if let Some((first, count)) = uses.data {
            self.store_registers(first, count, offset::MEMORY_DATA);
        }
    }

    fn put(&mut self, value: Value, at: i32) {
        self.b.ins().store(MemFlagsData::trusted(), value, self.frame, at);
    }

    /// Stores `count` registers from `first` on to the frame.
    fn store_registers(&mut self, first: u8, count: u8, at: i32) {
        let mut n = 0;
        while n < count {
            let (code, at) = (first + n, at + 4 * n as i32);
            if code.is_multiple_of(2) && n + 1 < count && self.regs.is_whole(code) {
                let pair = self.regs.read64(self.b, code);
                self.put(pair, at);
                n += 2;
            } else {
                let value = self.register(code);
                self.put(value, at);
                n += 1;
            }
        }
    }

    /// A scalar register, which the region need not have a value of.
    pub(super) fn register(&mut self, code: u8) -> Value {
        if self.regs.has(code) { self.regs.read32(self.b, code) } else { self.load(types::I32, offset::sgpr(code)) }
    }

    fn scalar_offset(&mut self, source: Src) -> Value {
        match source {
            Src::Sgpr(code) => self.register(code),
            Src::Imm(value) => self.const32(value as u32),
            Src::Vccz => self.is_zero_pair(reg::VCC_LO, types::I32),
            Src::Execz => self.is_zero_pair(reg::EXEC_LO, types::I32),
            Src::Scc => {
                let scc = self.scc();
                self.b.ins().uextend(types::I32, scc)
            }
            Src::Vgpr(_) | Src::LdsDirect => unreachable!("not a scalar offset"),
        }
    }

    /// The result of a scalar instruction.
    fn load_result(&mut self, first: u8, count: u8) {
        let mut n = 0;
        while n < count {
            let (code, at) = (first + n, offset::MEMORY_DATA + 4 * n as i32);
            if code.is_multiple_of(2) && n + 1 < count && self.regs.is_whole(code) {
                let pair = self.b.ins().load(types::I64, MemFlagsData::trusted(), self.frame, at);
                self.regs.write64(self.b, code, pair);
                n += 2;
            } else {
                let value = self.b.ins().load(types::I32, MemFlagsData::trusted(), self.frame, at);
                self.regs.write32(self.b, code, value);
                n += 1;
            }
        }
    }
}

fn memory_op(inst: &Inst) -> MemoryOp {
    let Some(op) = MemoryOp::new(inst) else { unreachable!("{} is left to the interpreter", inst.desc().mnemonic) };
    op
}
