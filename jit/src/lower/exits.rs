//! Ways out of a region. An exit stores what is dirty where it is; exits with the same dirty registers share their
//! code, and one with more stores what it has more and goes on to the next smaller.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{self, InstBuilder, MemFlagsData, Value, types};
use cranelift_frontend::Variable;
use gcnsim_isa::{Note, RegSet};

use super::{Lower, NO_ARGS};
use crate::abi::{ExitCode, offset};
use crate::dataflow::minus;

/// Number of smaller sets in which an exit looks for one to share code with.
const MOST_COMPARED: usize = 256;

/// Addresses that an exit stores: the PC, and the last executed instruction.
pub(super) struct Exit {
    pub pc: ExitPc,
    pub from: Option<ExitPc>,
}

#[derive(Clone, Copy)]
pub(super) enum ExitPc {
    Known(u64),
    Computed(Value),
}

/// The exits of a region so far.
#[derive(Default)]
pub(super) struct Exits {
    /// Exit code, PC, address of the last instruction.
    vars: Option<[Variable; 3]>,
    /// The block for each set of dirty registers.
    blocks: Vec<(RegSet, ir::Block)>,
}

fn size(set: &RegSet) -> u32 {
    set.sgprs.count_ones() + set.scc as u32 + set.mode as u32
}

fn is_subset(a: &RegSet, b: &RegSet) -> bool {
    minus(*a, *b) == RegSet::default()
}

impl Lower<'_, '_> {
    /// Leaves the region at the end of the current block of the plan. The variables are up to date.
    pub(super) fn exit(&mut self, code: ExitCode, exit: Exit) {
        self.exit_with(self.flow.dirty_out[self.current], code, exit);
    }

    /// Leaves the region where the registers of `dirty` are dirty.
    pub(super) fn exit_with(&mut self, dirty: RegSet, code: ExitCode, exit: Exit) {
        self.exit_raw(dirty, code as u32, exit);
    }

    /// Leaves the region at the end of the current block because the wave waits. `next` is the block where it goes on.
    pub(super) fn exit_at_barrier(&mut self, next: Option<usize>, exit: Exit) {
        let plan = self.plan;
        let entry = next.and_then(|next| plan.entries().position(|i| plan.blocks[i].pc == plan.blocks[next].pc));
        self.exit_raw(self.flow.dirty_out[self.current], ExitCode::barrier_at(entry), exit);
    }

    fn exit_raw(&mut self, dirty: RegSet, raw: u32, exit: Exit) {
        let vars = self.exit_vars();
        let code = self.b.ins().iconst(types::I32, i64::from(raw));
        let pc = self.exit_pc(exit.pc);
        let from = match exit.from {
            Some(from) => self.exit_pc(from),
            None => pc,
        };
        for (var, value) in vars.into_iter().zip([code, pc, from]) {
            self.b.def_var(var, value);
        }
        let block = match self.exits.blocks.iter().find(|(set, _)| *set == dirty) {
            Some(&(_, block)) => block,
            None => {
                let block = self.cold_block();
                self.exits.blocks.push((dirty, block));
                block
            }
        };
        self.b.ins().jump(block, NO_ARGS);
    }

    fn exit_vars(&mut self) -> [Variable; 3] {
        *self.exits.vars.get_or_insert_with(|| [types::I32, types::I64, types::I64].map(|ty| self.b.declare_var(ty)))
    }

    fn exit_pc(&mut self, pc: ExitPc) -> Value {
        match pc {
            ExitPc::Known(pc) => self.const64(pc),
            ExitPc::Computed(pc) => pc,
        }
    }

    /// Fills the blocks of the exits, largest sets first, once all jumps to them are there.
    pub(super) fn finish_exits(&mut self) {
        let mut blocks = std::mem::take(&mut self.exits.blocks);
        if blocks.is_empty() {
            return;
        }
        blocks.sort_by_key(|(set, _)| std::cmp::Reverse(size(set)));
        let end = self.cold_block();
        for (i, (set, block)) in blocks.iter().enumerate() {
            let (stored, next) =
                match blocks[i + 1..].iter().take(MOST_COMPARED).find(|(smaller, _)| is_subset(smaller, set)) {
                    Some((smaller, next)) => (minus(*set, *smaller), *next),
                    None => (*set, end),
                };
            self.b.seal_block(*block);
            self.b.switch_to_block(*block);
            self.regs.start_block();
            self.store_set(stored);
            self.b.ins().jump(next, NO_ARGS);
        }
        self.b.seal_block(end);
        self.b.switch_to_block(end);
        self.finish_exit();
    }

    /// Stores the registers of `set` with their values in the middle of a block.
    pub(super) fn store_current(&mut self, set: RegSet) {
        self.regs.store(self.b, set.sgprs);
        if set.scc {
            let scc = self.scc();
            let word = self.b.ins().uextend(types::I32, scc);
            self.store(word, offset::SCC);
        }
        if set.mode {
            let mode = self.mode();
            self.store(mode, offset::MODE);
        }
    }

    /// Stores the registers of `set` from their variables.
    fn store_set(&mut self, set: RegSet) {
        self.regs.store(self.b, set.sgprs);
        if let (Some(var), true) = (self.scc_var, set.scc) {
            let scc = self.b.use_var(var);
            let word = self.b.ins().uextend(types::I32, scc);
            self.store(word, offset::SCC);
        }
        if set.mode {
            let mode = self.mode();
            self.store(mode, offset::MODE);
        }
    }

    /// Stores PC, notes and counters, as all exits do, and returns.
    fn finish_exit(&mut self) {
        let [code, pc, from] = self.exit_vars().map(|var| self.b.use_var(var));
        self.store(pc, offset::PC);
        if let Some(var) = self.had_equal_max {
            let (number, had) = (Note::SmaxEqualScc as i64, self.b.use_var(var));
            let at = offset::NOTES + 8 * (number / 64) as i32;
            let bit = self.b.ins().icmp_imm_u(IntCC::NotEqual, had, 0);
            let bit = self.b.ins().uextend(types::I64, bit);
            let bit = self.b.ins().ishl_imm_u(bit, number % 64);
            let notes = self.load(types::I64, at);
            let notes = self.b.ins().bor(notes, bit);
            self.store(notes, at);
        }
        let fuel = self.b.use_var(self.charges.fuel);
        self.b.ins().store(MemFlagsData::trusted(), fuel, self.frame, offset::FUEL);
        for word in 0..self.charges.classes.len() {
            let classes = self.b.use_var(self.charges.classes[word]);
            self.b.ins().store(MemFlagsData::trusted(), classes, self.frame, offset::classes(word));
        }
        self.b.ins().store(MemFlagsData::trusted(), from, self.frame, offset::LAST_PC);
        self.b.ins().return_(&[code]);
    }
}
