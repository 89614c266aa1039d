//! How blocks end: branches, calls, computed jumps, fork and join, exits.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{self, InstBuilder, MemFlagsData, Value, types};
use gcnsim_isa::table::Sopp;
use gcnsim_isa::{Flow, Inst, Kind, Mode, Note, Opcode, RegSet, reg};

use super::exits::{Exit, ExitPc};
use super::{Lower, NO_ARGS, sopp};
use crate::abi::{ExitCode, offset};
use crate::region::{Block, Edge, End};

/// More computed jumps than this share one compare chain.
const INLINE_CHAIN: usize = 4;
/// With more targets than this, a jump table over the dwords between them replaces the chain.
const LINEAR_CHAIN: usize = 8;
/// Largest number of entries in a jump table.
const TABLE_ENTRIES: u64 = 8192;

impl Lower<'_, '_> {
    /// Lowers the instruction that ends a block, and the edges out of it.
    pub(super) fn end(&mut self, block: &Block) {
        let (pc, inst) = &block.insts[block.insts.len() - 1];
        match block.end {
            End::Goto(edge) => {
                self.link(inst, *pc);
                self.end_block();
                self.go(edge, *pc);
            }
            End::Cond { taken, next } => self.conditional_branch(inst, *pc, taken, next),
            End::Indirect { ref known } => self.computed_jump(inst, *pc, known.as_deref()),
            End::Fork { target, next } => self.fork(inst, *pc, target, next),
            End::Join { next } => self.join_branch(inst, *pc, next),
            End::Barrier(edge) => {
                self.end_block();
                let pc = [pc.wrapping_add(inst.size() as u64), *pc].map(ExitPc::Known);
                let next = if let Edge::Block(next) = edge { Some(next) } else { None };
                self.exit_at_barrier(next, Exit { pc: pc[0], from: Some(pc[1]) });
            }
            End::Ended => {
                self.end_block();
                let exit = Exit { pc: ExitPc::Known(*pc), from: Some(ExitPc::Known(*pc)) };
                self.exit(ExitCode::Ended, exit);
            }
            End::Halted(next) => {
                if inst.opcode == Opcode::Sopp(Sopp::SSendmsghalt) {
                    sopp::send_message(self, inst, *pc);
                }
                self.end_block();
                let exit = Exit { pc: ExitPc::Known(next), from: Some(ExitPc::Known(*pc)) };
                self.exit(ExitCode::Halted, exit);
            }
        }
    }

    /// Writes the return address if `inst`, at `pc`, is a call.
    pub(super) fn link(&mut self, inst: &Inst, pc: u64) {
        if matches!(inst.flow(), Flow::Call | Flow::SwapPc) {
            let next = self.const64(pc.wrapping_add(inst.size() as u64));
            self.set_dst(inst, next);
        }
    }

    /// Follows `edge` from the instruction at `from`. The variables are up to date.
    fn go(&mut self, edge: Edge, from: u64) {
        self.charge_edge(edge);
        match edge {
            Edge::Block(i) if self.plan.is_tested(self.current, i) => self.test_fuel(i),
            Edge::Block(i) => {
                let block = self.entrance(i);
                self.b.ins().jump(block, NO_ARGS);
            }
            Edge::Leave(pc) => {
                let exit = Exit { pc: ExitPc::Known(pc), from: Some(ExitPc::Known(from)) };
                self.exit(ExitCode::Leave, exit);
            }
        }
    }

    /// Goes to a header if there is fuel enough for all up to the next test, or leaves.
    fn test_fuel(&mut self, header: usize) {
        let dirty = self.flow.dirty_out[self.current];
        self.test_fuel_with(header, dirty);
    }

    fn test_fuel_with(&mut self, header: usize, dirty: RegSet) {
        let plan = self.plan;
        let target = &plan.blocks[header];
        if self.options.uncounted {
            self.b.ins().jump(self.blocks[header], NO_ARGS);
            return;
        }
        let fuel = self.tested_fuel();
        let enough = self.b.ins().icmp_imm_u(IntCC::UnsignedGreaterThanOrEqual, fuel, target.need as i64);
        let (block, out) = (self.blocks[header], self.cold_block());
        self.b.ins().brif(enough, block, NO_ARGS, out, NO_ARGS);
        self.b.seal_block(out);
        self.b.switch_to_block(out);
        self.exit_with(dirty, ExitCode::Fuel, Exit { pc: ExitPc::Known(target.pc), from: None });
    }

    /// A block of CLIF for an edge of its own.
    fn edge_block(&mut self, edge: Edge) -> ir::Block {
        match edge {
            Edge::Block(_) => self.b.create_block(),
            Edge::Leave(_) => self.cold_block(),
        }
    }

    fn conditional_branch(&mut self, inst: &Inst, pc: u64, taken: Edge, next: Edge) {
        let Some((condition, scc_when_taken)) = self.condition(inst) else {
            self.end_block();
            return self.go(next, pc);
        };
        if let Some((join, dirty)) = self.converted(self.current) {
            self.convert(condition, scc_when_taken);
            return self.meet(join, dirty, pc);
        }
        self.end_block();
        let (yes, no) = (self.edge_block(taken), self.edge_block(next));
        // Cranelift lets the second block follow: a loop should go on there.
        let closes_cycle = |edge: Edge| matches!(edge, Edge::Block(i) if self.plan.is_tested(self.current, i));
        if closes_cycle(taken) && !closes_cycle(next) {
            let otherwise = self.b.ins().icmp_imm_u(IntCC::Equal, condition, 0);
            self.b.ins().brif(otherwise, no, NO_ARGS, yes, NO_ARGS);
        } else {
            self.b.ins().brif(condition, yes, NO_ARGS, no, NO_ARGS);
        }
        for (block, edge, scc) in [(yes, taken, scc_when_taken), (no, next, scc_when_taken.map(|scc| 1 - scc))] {
            self.b.seal_block(block);
            self.b.switch_to_block(block);
            let old = self.scc;
            if let (Some(scc), Some(var)) = (scc, self.scc_var) {
                let scc = self.b.ins().iconst(types::I8, scc);
                self.b.def_var(var, scc);
                self.scc = Some(scc);
            }
            self.go(edge, pc);
            self.scc = old;
        }
    }

    /// Goes on where the ways from the current block meet, as [`Lower::converted`] tells.
    fn meet(&mut self, join: usize, dirty: Option<RegSet>, pc: u64) {
        self.end_block();
        match dirty {
            Some(dirty) => {
                self.charge_edge(Edge::Block(join));
                self.test_fuel_with(join, dirty);
            }
            None => self.go(Edge::Block(join), pc),
        }
    }

    /// The block where the ways from the converted branch or jump of `block` meet, and what is dirty there if fuel is
    /// tested before it.
    fn converted(&self, block: usize) -> Option<(usize, Option<RegSet>)> {
        let conversion = self.conversions[block].as_ref()?;
        let dirty = || {
            let mut dirty = RegSet::default();
            self.add_dirty(block, &mut dirty);
            dirty
        };
        Some((conversion.join, conversion.is_tested.then(dirty)))
    }

    /// Adds what is dirty at the end of `block` and of the ways from it, if its branch is converted.
    fn add_dirty(&self, block: usize, dirty: &mut RegSet) {
        dirty.union(self.flow.dirty_out[block]);
        let ways = self.conversions[block].iter().flat_map(|conversion| &conversion.ways);
        ways.filter_map(|way| way.last()).for_each(|&end| self.add_dirty(end, dirty));
    }

    /// The condition (I8) of a conditional branch, and what SCC is where it is taken, if it branches on SCC. `None`:
    /// the branch is never taken.
    pub(super) fn condition(&mut self, inst: &Inst) -> Option<(Value, Option<i64>)> {
        use Sopp as P;
        let Opcode::Sopp(op) = inst.opcode else { unreachable!("conditional branches are SOPP") };
        Some(match op {
            P::SCbranchScc0 => {
                let scc = self.scc();
                (self.b.ins().icmp_imm_u(IntCC::Equal, scc, 0), Some(0))
            }
            P::SCbranchScc1 => (self.scc(), Some(1)),
            P::SCbranchVccz => (self.pair_is(IntCC::Equal, reg::VCC_LO), None),
            P::SCbranchVccnz => (self.pair_is(IntCC::NotEqual, reg::VCC_LO), None),
            P::SCbranchExecz => (self.pair_is(IntCC::Equal, reg::EXEC_LO), None),
            P::SCbranchExecnz => (self.pair_is(IntCC::NotEqual, reg::EXEC_LO), None),
            // The debug flags of STATUS are 0.
            _ => return None,
        })
    }

    fn pair_is(&mut self, cc: IntCC, code: u8) -> Value {
        let pair = self.regs.read64(self.b, code);
        self.b.ins().icmp_imm_u(cc, pair, 0)
    }

    fn computed_jump(&mut self, inst: &Inst, pc: u64, known: Option<&[usize]>) {
        let plan = self.plan;
        let target = self.src64(inst, 0);
        self.link(inst, pc);
        if let Some((join, dirty)) = self.converted(self.current) {
            self.convert_switch(target, pc);
            return self.meet(join, dirty, pc);
        }
        self.end_block();
        match known {
            Some(known) => {
                let (from, dirty) = (self.current, self.flow.dirty_out[self.current]);
                self.chain(target, known, ExitPc::Known(pc), dirty, |to| plan.is_tested(from, to));
            }
            None => self.dispatch(target, pc),
        }
    }

    /// The target of a jump to a computed address, which has the low bits off. Raises the notes on the address.
    pub(super) fn jump_address(&mut self, address: Value) -> Value {
        let low = self.b.ins().band_imm_u(address, 3);
        let high = self.b.ins().ushr_imm_u(address, 48);
        for (bits, note) in [(low, Note::PcLowBits), (high, Note::PcHighBits)] {
            let any = self.b.ins().icmp_imm_u(IntCC::NotEqual, bits, 0);
            self.note_if(any, note);
        }
        self.b.ins().band_imm_s(address, -4)
    }

    /// Jumps to whichever block of the region has the computed address, or leaves. The variables are up to date.
    fn dispatch(&mut self, target: Value, from: u64) {
        let plan = self.plan;
        let sites = self.computed_sites;
        if sites * plan.targets.len() <= INLINE_CHAIN || sites == 1 {
            let dirty = self.flow.dirty_out[self.current];
            return self.chain(target, &plan.targets, ExitPc::Known(from), dirty, |i| plan.blocks[i].is_header);
        }
        let shared = *self.dispatch.get_or_insert_with(|| {
            let block = self.b.create_block();
            self.b.append_block_param(block, types::I64);
            self.b.append_block_param(block, types::I64);
            block
        });
        let from = self.const64(from);
        self.b.ins().jump(shared, &[target.into(), from.into()]);
    }

    /// Fills the shared dispatch block, once all jumps to it are there.
    pub(super) fn finish_dispatch(&mut self) {
        let Some(shared) = self.dispatch else { return };
        self.b.seal_block(shared);
        self.b.switch_to_block(shared);
        self.regs.start_block();
        self.scc = None;
        let [target, from] = self.b.block_params(shared)[..] else { unreachable!("two parameters") };
        let plan = self.plan;
        let dirty = self.flow.dirty_computed;
        self.chain(target, &plan.targets, ExitPc::Computed(from), dirty, |i| plan.blocks[i].is_header);
    }

    /// Compares the whole computed address with each target; leaves if none matches, and only then looks at the low and
    /// high bits, which no target has, unless the program lies above 2^48. `tested` says on the way to which targets
    /// fuel is tested.
    fn chain(&mut self, target: Value, targets: &[usize], from: ExitPc, dirty: RegSet, tested: impl Fn(usize) -> bool) {
        let mut landing = Vec::with_capacity(targets.len());
        for &i in targets {
            let block = if tested(i) { self.b.create_block() } else { self.entrance(i) };
            landing.push((self.plan.blocks[i].pc, block, i));
        }
        if landing.iter().any(|(pc, ..)| pc >> 48 != 0) {
            self.jump_address(target);
        }
        let out = if targets.len() > LINEAR_CHAIN { self.jump_table(target, &landing) } else { None };
        match out {
            Some(out) => self.b.switch_to_block(out),
            None => {
                for &(pc, block, i) in &landing {
                    let here = self.b.ins().icmp_imm_s(IntCC::Equal, target, pc as i64);
                    let other = if Some(&i) == targets.last() { self.cold_block() } else { self.b.create_block() };
                    self.b.ins().brif(here, block, NO_ARGS, other, NO_ARGS);
                    self.b.seal_block(other);
                    self.b.switch_to_block(other);
                }
            }
        }
        let target = self.jump_address(target);
        let exit = Exit { pc: ExitPc::Computed(target), from: Some(from) };
        self.exit_with(dirty, ExitCode::LeaveComputed, exit);
        for (_, block, i) in landing {
            if block != self.entrance(i) {
                self.b.seal_block(block);
                self.b.switch_to_block(block);
                self.test_fuel_with(i, dirty);
            }
        }
    }

    /// Jumps by a table over the dwords from the first target to the last, if the table is small enough. Returns the
    /// block for addresses that are no targets.
    fn jump_table(&mut self, target: Value, landing: &[(u64, ir::Block, usize)]) -> Option<ir::Block> {
        let pcs = || landing.iter().map(|(pc, ..)| *pc);
        let (first, last) = (pcs().min()?, pcs().max()?);
        let entries = (last - first) / 4 + 1;
        if entries > TABLE_ENTRIES {
            return None;
        }
        let out = self.cold_block();
        let mut table = vec![out; entries as usize];
        for &(pc, block, _) in landing {
            table[((pc - first) / 4) as usize] = block;
        }
        let offset = self.b.ins().iadd_imm_s(target, (first as i64).wrapping_neg());
        // Low bits come to the top. An index that does not fit 32 bits takes the default entry.
        let index = self.b.ins().rotr_imm_u(offset, 2);
        let most = self.const64(u32::MAX as u64);
        let index = self.b.ins().umin(index, most);
        let index = self.b.ins().ireduce(types::I32, index);
        let calls: Vec<_> = table.iter().map(|&block| self.block_call(block)).collect();
        let default = self.block_call(out);
        let table = self.b.create_jump_table(ir::JumpTableData::new(default, &calls));
        self.b.ins().br_table(index, table);
        self.b.seal_block(out);
        Some(out)
    }

    /// ```text
    /// pass = mask & EXEC; fail = ~mask & EXEC
    /// pass == EXEC: to the target.  fail == EXEC: on.
    /// else the smaller side runs first and the other is pushed (on a tie the passing side runs)
    /// ```
    fn fork(&mut self, inst: &Inst, pc: u64, direct: Option<(Edge, u64)>, next: (Edge, u64)) {
        let (mask, exec) = (self.src64(inst, 0), self.exec());
        let pass = self.b.ins().band(mask, exec);
        let fail = self.b.ins().band_not(exec, mask);
        let raw_target = match direct {
            Some((_, address)) => self.const64(address),
            None => self.src64(inst, 1),
        };
        self.end_block();
        let all_pass = self.b.ins().icmp(IntCC::Equal, pass, exec);
        let [to_target, some_fail, to_next, diverge, fail_first, pass_first] = [(); 6].map(|()| self.b.create_block());
        self.b.ins().brif(all_pass, to_target, NO_ARGS, some_fail, NO_ARGS);
        self.b.seal_block(to_target);
        self.b.seal_block(some_fail);
        let saved = self.regs.save();

        self.b.switch_to_block(to_target);
        self.fork_to_target(direct.map(|(edge, _)| edge), raw_target, pc);

        self.b.switch_to_block(some_fail);
        let all_fail = self.b.ins().icmp(IntCC::Equal, fail, exec);
        self.b.ins().brif(all_fail, to_next, NO_ARGS, diverge, NO_ARGS);
        self.b.seal_block(to_next);
        self.b.seal_block(diverge);

        self.b.switch_to_block(to_next);
        self.regs.restore(saved.clone());
        self.go(next.0, pc);

        self.b.switch_to_block(diverge);
        let (fails, passes) = (self.b.ins().popcnt(fail), self.b.ins().popcnt(pass));
        let fewer_fail = self.b.ins().icmp(IntCC::UnsignedLessThan, fails, passes);
        self.b.ins().brif(fewer_fail, fail_first, NO_ARGS, pass_first, NO_ARGS);
        self.b.seal_block(fail_first);
        self.b.seal_block(pass_first);

        self.b.switch_to_block(fail_first);
        self.regs.restore(saved.clone());
        let target = if direct.is_none() { self.jump_address(raw_target) } else { raw_target };
        self.push(pass, target);
        self.set_exec(fail);
        self.end_block();
        self.go(next.0, pc);

        self.b.switch_to_block(pass_first);
        self.regs.restore(saved);
        let after = self.const64(next.1);
        self.push(fail, after);
        self.set_exec(pass);
        self.end_block();
        self.fork_to_target(direct.map(|(edge, _)| edge), raw_target, pc);
    }

    fn fork_to_target(&mut self, direct: Option<Edge>, raw_target: Value, pc: u64) {
        match direct {
            Some(edge) => self.go(edge, pc),
            None => self.dispatch(raw_target, pc),
        }
    }

    /// Address of entry CSP of the fork stack, which is SGPRs 4 * CSP upwards.
    fn stack_entry(&mut self, mode: Value) -> Value {
        let csp = self.b.ins().ushr_imm_u(mode, Mode::CSP_SHIFT as i64);
        let csp = self.b.ins().uextend(types::I64, csp);
        let bytes = self.b.ins().ishl_imm_u(csp, 4);
        self.b.ins().iadd(self.state, bytes)
    }

    /// SGPR[4 * CSP ..] = mask, PC; CSP += 1.
    fn push(&mut self, mask: Value, pc: Value) {
        let mode = self.mode();
        let entry = self.stack_entry(mode);
        self.b.ins().store(MemFlagsData::trusted(), mask, entry, offset::sgpr(0));
        self.b.ins().store(MemFlagsData::trusted(), pc, entry, offset::sgpr(2));
        self.regs.forget_memory();
        let csp = self.b.ins().ushr_imm_u(mode, Mode::CSP_SHIFT as i64);
        let full = self.b.ins().icmp_imm_u(IntCC::Equal, csp, 7);
        self.note_if(full, Note::CspWrap);
        let mode = self.b.ins().iadd_imm_u(mode, 1 << Mode::CSP_SHIFT);
        self.set_mode(mode);
    }

    /// CSP == S0: on; else CSP -= 1, EXEC and PC from the stack.
    fn join_branch(&mut self, inst: &Inst, pc: u64, next: Edge) {
        let depth = self.src32(inst, 0);
        let mode = self.mode();
        let csp = self.b.ins().ushr_imm_u(mode, Mode::CSP_SHIFT as i64);
        self.end_block();
        let reached = self.b.ins().icmp(IntCC::Equal, csp, depth);
        let (on, pop) = (self.b.create_block(), self.b.create_block());
        self.b.ins().brif(reached, on, NO_ARGS, pop, NO_ARGS);
        self.b.seal_block(on);
        self.b.seal_block(pop);
        let saved = self.regs.save();
        self.b.switch_to_block(on);
        self.go(next, pc);

        self.b.switch_to_block(pop);
        self.regs.restore(saved);
        let empty = self.b.ins().icmp_imm_u(IntCC::Equal, csp, 0);
        self.note_if(empty, Note::CspWrap);
        let mode = self.b.ins().iadd_imm_s(mode, -(1i64 << Mode::CSP_SHIFT));
        self.set_mode(mode);
        let entry = self.stack_entry(mode);
        let exec = self.b.ins().load(types::I64, MemFlagsData::trusted(), entry, offset::sgpr(0));
        let address = self.b.ins().load(types::I64, MemFlagsData::trusted(), entry, offset::sgpr(2));
        self.set_exec(exec);
        self.end_block();
        self.dispatch(address, pc);
    }
}

/// Whether compiled code executes the instruction by a call of a host function.
pub(crate) fn is_call(opcode: Opcode) -> bool {
    opcode.desc().kind == Kind::Vcmp || super::valu::is_call(opcode)
}
