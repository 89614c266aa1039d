//! Strips of loops: blocks that branch back to themselves, of which a [strip](crate::segments) executes many rounds.
//!
//! ```text
//! block:    fuel for two rounds and what follows, and the strip declined seldom? try : round
//! try:      scalar code of a round, operands that vary to its record      (again, while the loop goes on)
//!           strip(rounds) == 0 ? declined : done
//! declined: registers, fuel and counters as they were at the start
//! round:    the block as always
//! done:     the end of the block, as behind its last round
//! ```
//!
//! Where VCC or EXEC decides when the loop ends, there is no other scalar code, and the strip says how many rounds there
//! were.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{self, InstBuilder, MemFlagsData, Value, types};
use cranelift_frontend::Variable;
use gcnsim_isa::table::{Sop2, Sopp, Transfer};
use gcnsim_isa::{Inst, Opcode, Src, reg};

use super::convert::is_plain;
use super::segments::{is_nothing, is_share};
use super::{Lower, NO_ARGS};
use crate::abi::offset;
use crate::region::{Block, Edge, End};
use crate::segments::{Draft, Ending, Input, Options, Rounds, may_stand_between};
use gcnsim_helpers::memory::SiteLoad;
use gcnsim_helpers::segment_frame;

/// What a strip that declined adds to the number that tells how often it did of late; one that did not takes 1 away.
const MISSED: u32 = 16;
/// From this number on the strip is not tried any more.
const MOST_MISSED: u32 = 64 * MISSED;

/// The strip of block `number`, if it is a loop that makes one. `sites` are those of the block's loads, in order.
/// Registers of `stored` stay in memory.
pub(super) fn strip_of(block: &Block, number: usize, options: &Options, sites: Vec<u8>, stored: u128) -> Option<Draft> {
    let (_, back) = way_back(block, number)?;
    let (last, body) = block.insts.split_last()?;
    let mut insts: Vec<Inst> = body.iter().map(|(_, inst)| *inst).filter(|inst| !is_nothing(inst)).collect();
    let ending = match last.1.opcode {
        Opcode::Sopp(Sopp::SCbranchScc0 | Sopp::SCbranchScc1) => Ending::Count,
        Opcode::Sopp(Sopp::SCbranchVccz) => Ending::WhileVcc(back),
        Opcode::Sopp(Sopp::SCbranchVccnz) => Ending::WhileVcc(!back),
        Opcode::Sopp(Sopp::SCbranchExecnz) if back => lanes_leave(&mut insts)?,
        _ => return None,
    };
    let is_member = |inst: &Inst| {
        if may_stand_between(inst) {
            is_plain(inst, stored)
        } else if is_scalar_load(inst) {
            inst.writes().sgprs & (stored | 3 << reg::EXEC_LO) == 0
        } else {
            !inst.desc().is_memory() || is_share(inst) || SiteLoad::of(inst).is_some()
        }
    };
    let has_vectors = insts.iter().any(|inst| !may_stand_between(inst) && !is_scalar_load(inst));
    (has_vectors && insts.iter().all(is_member))
        .then(|| Draft::strip(&insts, options, sites, ending, is_scalar_load))
        .flatten()
}

/// The end of a loop that lanes leave one by one. At its end stand instructions that are taken away from `insts`:
///
/// ```text
/// s_or_b64 done, leaving, done          behind the compare that writes `leaving`
/// s_andn2_b64 exec, exec, done          the last one
/// ```
fn lanes_leave(insts: &mut Vec<Inst>) -> Option<Ending> {
    let sources =
        |inst: &Inst| [inst.src(0), inst.src(1)].map(|src| if let Src::Sgpr(code) = src { code } else { u8::MAX });
    let last = insts.pop().filter(|inst| inst.opcode == Opcode::Sop2(Sop2::SAndn2B64))?;
    let [exec, done] = sources(&last);
    if last.dst() != Some(reg::EXEC_LO) || exec != reg::EXEC_LO || done >= reg::EXEC_LO {
        return None;
    }
    let is_join = |inst: &Inst| inst.opcode == Opcode::Sop2(Sop2::SOrB64) && inst.dst() == Some(done);
    let at = insts.iter().rposition(is_join)?;
    let leaving = match sources(&insts.remove(at)) {
        [a, b] if b == done && a != done => a,
        [a, b] if a == done && b != done => b,
        _ => return None,
    };
    let touches = |inst: &Inst, code: u8| (inst.reads().sgprs | inst.writes().sgprs) & (3 << code) != 0;
    let is_bad = |inst: &Inst| may_stand_between(inst) || is_scalar_load(inst) || touches(inst, done);
    let is_late = |inst: &Inst| inst.writes().sgprs & (3 << leaving) != 0;
    let is_known = leaving < reg::EXEC_LO && leaving.abs_diff(done) > 1 && insts[..at].iter().any(is_late);
    (is_known && !insts.iter().any(is_bad) && !insts[at..].iter().any(is_late))
        .then_some(Ending::WhileExec { done, leaving })
}

/// Whether a branch that is taken leads back to the block itself, and what leaves the loop then; `None` if the block is
/// no loop by itself.
fn way_back(block: &Block, number: usize) -> Option<(Edge, bool)> {
    let End::Cond { taken, next } = block.end else { return None };
    match (taken == Edge::Block(number), next == Edge::Block(number)) {
        (true, false) => Some((next, true)),
        (false, true) => Some((taken, false)),
        _ => None,
    }
}

/// Whether the instruction loads scalar registers.
fn is_scalar_load(inst: &Inst) -> bool {
    inst.desc().is_scalar_memory() && matches!(inst.transfer(), Some(Transfer::Load(_)))
}

/// What declining goes back to.
struct Before {
    /// Scalar registers: number, whether it is a pair, value.
    registers: Vec<(u8, bool, Value)>,
    /// Fuel, counters of classes, SCC.
    variables: Vec<(Variable, Value)>,
}

impl Lower<'_, '_> {
    /// The strip of the current block, number `index`, if it has one. Code behind is that of a single round.
    pub(super) fn strip(&mut self, index: usize) {
        let plan = self.plan;
        let block = &plan.blocks[index];
        let (Some((strip, missed)), None) = (self.segments.strip(index), &self.conversions[index]) else { return };
        let Some(rounds) = strip.rounds().cloned() else { return };
        let (inputs, writes, function) = (strip.inputs().to_vec(), strip.writes(), strip.function());
        let sites = rounds.sites.clone();
        let missed = self.const64(std::ptr::from_ref(missed) as u64);
        let [wanted, round] = [(); 2].map(|()| self.b.create_block());

        let many = self.b.ins().load(types::I32, MemFlagsData::trusted(), missed, 0);
        let seldom = self.b.ins().icmp_imm_u(IntCC::UnsignedLessThan, many, i64::from(MOST_MISSED));
        let fuel = self.b.use_var(self.charges.fuel);
        let (len, need) = (block.insts.len() as i64, i64::from(block.need));
        let enough = self.b.ins().icmp_imm_u(IntCC::UnsignedGreaterThanOrEqual, fuel, len + need);
        let mut is_wanted = self.b.ins().band(seldom, enough);
        // Sites of loads are known once helpers have executed these.
        for site in sites {
            let at = offset::SEGMENT + segment_frame::offset::site_count(site);
            let known = self.b.ins().load(types::I32, MemFlagsData::trusted(), self.frame, at);
            let is_known = self.b.ins().icmp_imm_u(IntCC::NotEqual, known, 0);
            is_wanted = self.b.ins().band(is_wanted, is_known);
        }
        self.b.ins().brif(is_wanted, wanted, NO_ARGS, round, NO_ARGS);
        self.b.seal_block(wanted);
        self.b.switch_to_block(wanted);

        self.store_inputs(&inputs);
        let declined = self.cold_block();
        let before = self.before_rounds(block);
        // A scalar load that is refused costs less than a strip, and may be refused in the first group only.
        let weight = self.b.declare_var(types::I32);
        let little = self.const32(1);
        self.b.def_var(weight, little);
        let count = match rounds.ending {
            Ending::Count => self.scalar_rounds(index, &rounds, declined),
            Ending::WhileVcc(_) | Ending::WhileExec { .. } => {
                // There is fuel for what follows the last round, too.
                let free = self.b.ins().iadd_imm_s(fuel, len - need);
                let fitting = self.b.ins().udiv_imm_u(free, len);
                let most = self.b.ins().iconst(types::I64, rounds.most() as i64);
                self.b.ins().umin(fitting, most)
            }
        };
        let much = self.const32(MISSED);
        self.b.def_var(weight, much);
        let frame = self.pointer_at(self.frame, offset::SEGMENT as i64);
        let args = [self.vgprs, frame, count];
        let executed = self.call_host(function as *const u8 as usize, &args, Some(types::I32));
        let executed = executed.unwrap_or_else(|| unreachable!("strips return their rounds"));
        let done = self.b.create_block();
        self.b.ins().brif(executed, done, NO_ARGS, declined, NO_ARGS);
        self.b.seal_block(done);
        self.b.seal_block(declined);

        self.b.switch_to_block(declined);
        self.regs.start_block();
        self.go_back(before);
        let many = self.b.ins().load(types::I32, MemFlagsData::trusted(), missed, 0);
        let weight = self.b.use_var(weight);
        let many = self.b.ins().iadd(many, weight);
        self.b.ins().store(MemFlagsData::trusted(), many, missed, 0);
        self.b.ins().jump(round, NO_ARGS);
        self.b.seal_block(round);

        self.b.switch_to_block(done);
        self.forget_values();
        self.forgive(missed);
        if rounds.ending != Ending::Count {
            self.charge_rounds(block, executed);
        }
        self.behind_rounds(block, writes);
        if let (Ending::WhileExec { .. }, Some(_)) = (rounds.ending, self.scc_var) {
            let exec = self.regs.read64(self.b, reg::EXEC_LO);
            let some = self.b.ins().icmp_imm_u(IntCC::NotEqual, exec, 0);
            self.set_scc(some);
        }
        self.end(block);

        self.b.switch_to_block(round);
        self.forget_values();
        self.set_position(index, 0);
    }

    /// Forgets values of the block of CLIF before.
    fn forget_values(&mut self) {
        self.regs.start_block();
        (self.scc, self.scc_dirty) = (None, false);
    }

    /// Values that rounds of `block` may change.
    fn before_rounds(&mut self, block: &Block) -> Before {
        let written = block.insts.iter().filter(|(_, inst)| may_stand_between(inst) || is_scalar_load(inst));
        let written = written.fold(0, |set, (_, inst)| set | inst.writes().sgprs);
        let registers = self.values(written);
        let variables = [self.charges.fuel].into_iter().chain(self.charges.classes.clone()).chain(self.scc_var);
        let variables = variables.collect::<Vec<_>>().into_iter().map(|var| (var, self.b.use_var(var))).collect();
        Before { registers, variables }
    }

    /// Goes back to those values. Nothing was stored meanwhile.
    fn go_back(&mut self, before: Before) {
        for (code, is_pair, value) in before.registers {
            if is_pair {
                self.regs.write64(self.b, code, value);
            } else {
                self.regs.write32(self.b, code, value);
            }
        }
        self.regs.end_block(self.b);
        before.variables.into_iter().for_each(|(var, value)| self.b.def_var(var, value));
    }

    /// The scalar instructions of all rounds. Returns the number of rounds (I64). `declined` is where to go if memory
    /// refuses a load.
    fn scalar_rounds(&mut self, index: usize, rounds: &Rounds, declined: ir::Block) -> Value {
        let plan = self.plan;
        let block = &plan.blocks[index];
        let (body, need) = (self.b.create_block(), i64::from(block.need));
        let [count, record] = [(); 2].map(|()| self.b.declare_var(types::I64));
        let zero = self.b.ins().iconst(types::I64, 0);
        self.b.def_var(count, zero);
        let first = self.pointer_at(self.frame, offset::SEGMENT as i64 + i64::from(segment_frame::offset::RECORDS));
        self.b.def_var(record, first);
        self.end_block();
        self.b.ins().jump(body, NO_ARGS);

        self.b.switch_to_block(body);
        self.forget_values();
        self.scalar_round(index, (&rounds.varying, record), declined);
        self.charge(block);
        let at = self.b.use_var(record);
        let at = self.b.ins().iadd_imm_u(at, 4 * rounds.varying.len() as i64);
        self.b.def_var(record, at);
        let done = self.b.use_var(count);
        let done = self.b.ins().iadd_imm_u(done, 1);
        self.b.def_var(count, done);
        let Some((condition, _)) = self.condition(&block.insts[block.insts.len() - 1].1) else {
            unreachable!("the branch is on SCC")
        };
        let is_taken = way_back(block, index).is_some_and(|(_, taken)| taken);
        let again = if is_taken { condition } else { self.b.ins().icmp_imm_u(IntCC::Equal, condition, 0) };
        let fuel = self.b.use_var(self.charges.fuel);
        let enough = self.b.ins().icmp_imm_u(IntCC::UnsignedGreaterThanOrEqual, fuel, need);
        let fits = self.b.ins().icmp_imm_u(IntCC::UnsignedLessThan, done, rounds.most() as i64);
        let more = self.b.ins().band(enough, fits);
        let out = self.b.create_block();
        let next = self.b.create_block();
        self.end_block();
        self.b.ins().brif(again, next, NO_ARGS, out, NO_ARGS);
        self.b.seal_block(next);
        self.b.switch_to_block(next);
        self.b.ins().brif(more, body, NO_ARGS, out, NO_ARGS);
        self.b.seal_block(body);
        self.b.seal_block(out);
        self.b.switch_to_block(out);
        self.forget_values();
        done
    }

    /// The scalar instructions of a round. Operands that vary are stored to the record.
    fn scalar_round(&mut self, index: usize, (varying, record): (&[Input], Variable), declined: ir::Block) {
        let plan = self.plan;
        let (_, body) = plan.blocks[index].insts.split_last().unwrap_or_else(|| unreachable!("blocks have a branch"));
        // Records are in the order of slots, operands are read in that of instructions.
        let mut order: Vec<usize> = (0..varying.len()).collect();
        order.sort_by_key(|&i| varying[i].at);
        let mut rest = &order[..];
        let (mut i, mut number) = (0, 0);
        while i < body.len() {
            let (pc, inst) = &body[i];
            if is_nothing(inst) {
                i += 1;
                continue;
            }
            self.set_position(index, i);
            let mut count = 1;
            if is_scalar_load(inst) {
                self.load_ahead(inst, i, declined);
            } else if may_stand_between(inst) {
                match self.fuse_wide_addition(&body[i..]) {
                    Some(fused) => count = fused,
                    None => self.inst(inst, *pc),
                }
            } else {
                let (here, later) = rest.split_at(rest.partition_point(|&i| varying[i].at <= number));
                for &i in here {
                    let (value, record) = (self.register(varying[i].code), self.b.use_var(record));
                    self.b.ins().store(MemFlagsData::trusted(), value, record, 4 * i as i32);
                }
                rest = later;
            }
            (i, number) = (i + count, number + count);
        }
    }

    /// Notes that a strip did not decline.
    fn forgive(&mut self, missed: Value) {
        let many = self.b.ins().load(types::I32, MemFlagsData::trusted(), missed, 0);
        let some = self.b.ins().icmp_imm_u(IntCC::NotEqual, many, 0);
        let one = self.b.ins().uextend(types::I32, some);
        let less = self.b.ins().isub(many, one);
        self.b.ins().store(MemFlagsData::trusted(), less, missed, 0);
    }

    /// Charges the instructions of rounds, whose number a strip returned.
    fn charge_rounds(&mut self, block: &Block, rounds: Value) {
        let rounds = self.b.ins().uextend(types::I64, rounds);
        let charged = [(self.charges.fuel, -(block.insts.len() as i64))];
        let classes: Vec<_> = self.charges.classes.iter().copied().zip(self.classes_of(&block.insts)).collect();
        for (var, each) in charged.into_iter().chain(classes).filter(|(_, each)| *each != 0) {
            let value = self.b.use_var(var);
            let all = self.b.ins().imul_imm_s(rounds, each);
            let value = self.b.ins().iadd(value, all);
            self.b.def_var(var, value);
        }
    }

    /// What follows the rounds of `block`: masks that the strip wrote, registers and notes as behind memory
    /// instructions.
    fn behind_rounds(&mut self, block: &Block, writes: u128) {
        self.load_written(writes);
        for dirty in self.flow.flushed[self.current].clone() {
            self.store_current(dirty);
        }
        if let Some(first) = block.insts.iter().position(|(_, inst)| inst.desc().is_memory()) {
            for (i, _) in block.insts.iter().enumerate().skip(first).filter(|(_, (_, inst))| inst.desc().is_memory()) {
                self.static_notes(block, i, i + 1);
            }
        }
        let last = block.insts.len() - 1;
        self.set_position(self.current, last);
        if self.last_pc.is_some() {
            let pc = self.const64(block.insts[last].0);
            self.set_last_pc(pc);
        }
    }
}
