//! What a region does before its first block.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{self, InstBuilder, MemFlagsData, Value, types};

use super::{Lower, NO_ARGS, counted_classes, has_maxima};
use crate::abi::{CLASSES_IN_WORD, offset};
use crate::compile::EqualMaxima;

impl Lower<'_, '_> {
    /// Goes to the block that the caller chose among the entries.
    pub(super) fn enter_blocks(&mut self) {
        let entries: Vec<ir::Block> = self.plan.entries().map(|i| self.entrance(i)).collect();
        if let [only] = entries[..] {
            self.b.ins().jump(only, NO_ARGS);
            return;
        }
        let entry = self.b.ins().load(types::I32, MemFlagsData::trusted(), self.frame, offset::ENTRY);
        let calls: Vec<_> = entries.iter().map(|&block| self.block_call(block)).collect();
        // A call of its own for the default: calls own their argument lists.
        let default = self.block_call(entries[0]);
        let table = self.b.create_jump_table(ir::JumpTableData::new(default, &calls));
        self.b.ins().br_table(entry, table);
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
