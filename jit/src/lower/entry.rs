//! What a region does before its first block.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{self, InstBuilder, MemFlagsData, Value, types};

use super::{Lower, NO_ARGS, counted_classes, has_maxima};
use crate::abi::{CLASSES_IN_WORD, offset};
use crate::compile::EqualMaxima;

impl Lower<'_, '_> {
    /// Goes to the block that the caller chose among the entries.
    pub(super) fn enter_blocks(&mut self) {
        let plan = self.plan;
        let entries: Vec<usize> = plan.entries().collect();
        if let [only] = entries[..] {
            return self.enter(only);
        }
        let blocks: Vec<ir::Block> = entries.iter().map(|&i| self.entry_block(i)).collect();
        let entry = self.b.ins().load(types::I32, MemFlagsData::trusted(), self.frame, offset::ENTRY);
        let calls: Vec<_> = blocks.iter().map(|&block| self.block_call(block)).collect();
        // A call of its own for the default: calls own their argument lists.
        let default = self.block_call(blocks[0]);
        let table = self.b.create_jump_table(ir::JumpTableData::new(default, &calls));
        self.b.ins().br_table(entry, table);
        for (&block, &i) in blocks.iter().zip(&entries).filter(|&(_, &i)| plan.blocks[i].tail.is_some()) {
            self.b.seal_block(block);
            self.b.switch_to_block(block);
            self.enter(i);
        }
    }

    /// The block of CLIF for entry at block `index` of the plan: one that tests the fuel, if there is a tail.
    fn entry_block(&mut self, index: usize) -> ir::Block {
        if self.plan.blocks[index].tail.is_some() { self.b.create_block() } else { self.entrance(index) }
    }

    /// Goes to block `index` of the plan, or to the tail if there is not fuel enough.
    fn enter(&mut self, index: usize) {
        let (block, plan) = (self.entrance(index), self.plan);
        let Some(tail) = plan.blocks[index].tail else {
            self.b.ins().jump(block, NO_ARGS);
            return;
        };
        let (fuel, out) = (self.b.use_var(self.charges.fuel), self.landing(tail));
        self.go_if_enough(fuel, index, block, out);
    }

    /// The block of CLIF where control goes to block `tail` of the tail, if the state has all registers that are live
    /// there. It loads them, so that the allocator of host registers sees two functions.
    pub(super) fn landing(&mut self, tail: usize) -> ir::Block {
        if let Some(&(_, block)) = self.landings.iter().find(|(to, _)| *to == tail) {
            return block;
        }
        let block = self.cold_block();
        self.landings.push((tail, block));
        block
    }

    /// Fills the landings.
    pub(super) fn finish_landings(&mut self) {
        for (tail, block) in std::mem::take(&mut self.landings) {
            self.b.seal_block(block);
            self.b.switch_to_block(block);
            self.regs.reload(self.b);
            if let Some(var) = self.scc_var {
                let word = self.load(types::I32, offset::SCC);
                let scc = self.b.ins().icmp_imm_u(IntCC::NotEqual, word, 0);
                self.b.def_var(var, scc);
            }
            let to = self.entrance(tail);
            self.b.ins().jump(to, NO_ARGS);
        }
    }

    /// Goes to `block`, which begins block `index` of the plan, if there is fuel enough for it, otherwise to `out`.
    pub(super) fn go_if_enough(&mut self, fuel: Value, index: usize, block: ir::Block, out: ir::Block) {
        let need = self.plan.blocks[index].need;
        let enough = self.b.ins().icmp_imm_u(IntCC::UnsignedGreaterThanOrEqual, fuel, need as i64);
        self.b.ins().brif(enough, block, NO_ARGS, out, NO_ARGS);
    }

    /// The block of CLIF where an edge that closes no cycle enters block `index` of the plan.
    pub(super) fn entrance(&self, index: usize) -> ir::Block {
        self.preheaders[index].unwrap_or(self.blocks[index])
    }

    pub(super) fn finish_preheaders(&mut self) {
        for (preheader, &block) in self.preheaders.iter().zip(&self.blocks) {
            if let Some(preheader) = *preheader {
                self.b.switch_to_block(preheader);
                self.b.ins().jump(block, NO_ARGS);
            }
        }
    }

    pub(super) fn block_call(&mut self, block: ir::Block) -> ir::BlockCall {
        ir::BlockCall::new(block, [], &mut self.b.func.dfg.value_lists)
    }

    /// Loads SCC and MODE, and clears counters and the note of maxima, where the region needs them.
    pub(super) fn enter_special_registers(&mut self) {
        if self.flow.touched.scc {
            let var = self.b.declare_var(types::I8);
            if self.flow.live_in.scc {
                let word = self.load(types::I32, offset::SCC);
                let value = self.b.ins().icmp_imm_u(IntCC::NotEqual, word, 0);
                self.b.def_var(var, value);
            }
            self.scc_var = Some(var);
        }
        if self.flow.touched.mode {
            let var = self.b.declare_var(types::I32);
            if self.flow.live_in.mode {
                let value = self.load(types::I32, offset::MODE);
                self.b.def_var(var, value);
            }
            self.mode_var = Some(var);
        }
        if self.options.maxima == EqualMaxima::Unknown && has_maxima(self.plan) {
            let (var, no) = (self.b.declare_var(types::I64), self.const64(0));
            self.b.def_var(var, no);
            self.had_equal_max = Some(var);
        }
        if self.options.count_classes {
            self.charges.counted = counted_classes(self.plan);
        }
        for _ in 0..self.charges.counted.len().div_ceil(CLASSES_IN_WORD) {
            let var = self.b.declare_var(types::I64);
            let zero = self.const64(0);
            self.b.def_var(var, zero);
            self.charges.classes.push(var);
        }
    }

    /// Makes the variable of the last address, if a block needs it.
    pub(super) fn enter_last_pc(&mut self) {
        if self.plan.blocks.iter().any(|block| block.insts[0].1.desc().is_memory()) {
            let var = self.b.declare_var(types::I64);
            // Nothing has executed since the region was entered: nobody asks.
            let none = self.const64(0);
            self.b.def_var(var, none);
            self.last_pc = Some(var);
        }
    }

    /// Address of the last instruction of the block that was executed before.
    pub(super) fn last_pc(&mut self) -> Value {
        let Some(var) = self.last_pc else { unreachable!("no block begins with a memory instruction") };
        self.b.use_var(var)
    }

    /// Tells the blocks that follow which instruction was executed last.
    pub(super) fn set_last_pc(&mut self, pc: Value) {
        if let Some(var) = self.last_pc {
            self.b.def_var(var, pc);
        }
    }
}
