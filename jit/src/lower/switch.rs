//! Computed jumps that are not executed. Where a jump is expected to go to one of a few short ways which meet again,
//! and is hard to predict, all of them are executed, and the results are selected by the address:
//!
//! ```text
//! s_setpc_b64 s[2:3]          is s[2:3] the address of a, b or c? no: leave the region
//! a:  s_add_u32 s0, s0, s1    s0 = s[2:3] < b ? s0 + s1 : s[2:3] < c ? s0 - s1 : s0
//!     s_branch on             fuel -= ...
//! b:  s_sub_u32 s0, s0, s1
//! c:
//! on:
//! ```
//!
//! Targets at equal distances, a power of two, have numbers, which are compared instead of addresses.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, Value};

use super::convert::targets;
use super::exits::{Exit, ExitPc};
use super::{Lower, NO_ARGS};
use crate::abi::ExitCode;
use crate::region::End;

/// What tells the ways of a jump apart.
struct Key {
    /// The number of the target or its address (I64).
    value: Value,
    /// This value for each way, in ascending order.
    of: Vec<u64>,
    /// Whether the values are numbers from 0 on.
    is_number: bool,
    /// Whether the jump goes to one of the targets (I8).
    is_known: Value,
}

impl Lower<'_, '_> {
    /// Ends the current block, whose last instruction at `pc` jumps to the computed address `target`, by executing all
    /// ways from there in place. A jump to another address leaves the region.
    pub(super) fn convert_switch(&mut self, target: Value, pc: u64) {
        let plan = self.plan;
        let block = &plan.blocks[self.current];
        let End::Indirect { known: Some(known) } = &block.end else { unreachable!("the targets are known") };
        let pcs: Vec<u64> = targets(plan, known).into_iter().map(|b| plan.blocks[b].pc).collect();
        let key = self.key(target, &pcs);
        self.end_block();
        let (on, out) = (self.b.create_block(), self.cold_block());
        self.b.ins().brif(key.is_known, on, NO_ARGS, out, NO_ARGS);
        self.b.seal_block(on);
        self.b.seal_block(out);
        self.b.switch_to_block(out);
        self.charge_before(block.insts.len());
        let address = self.jump_address(target);
        let exit = Exit { pc: ExitPc::Computed(address), from: Some(ExitPc::Known(pc)) };
        self.exit(ExitCode::LeaveComputed, exit);
        self.b.switch_to_block(on);
        let left = self.select_way(&key);
        self.charge_converted(block, left, false);
    }

    /// What tells targets apart. Their addresses are ascending.
    fn key(&mut self, target: Value, pcs: &[u64]) -> Key {
        let stride = pcs[1] - pcs[0];
        if stride.is_power_of_two() && pcs.windows(2).all(|two| two[1] - two[0] == stride) {
            let offset = self.b.ins().iadd_imm_s(target, (pcs[0] as i64).wrapping_neg());
            // Low bits come to the top.
            let value = self.b.ins().rotr_imm_u(offset, stride.trailing_zeros() as i64);
            let count = pcs.len() as u64;
            let is_known = self.b.ins().icmp_imm_u(IntCC::UnsignedLessThan, value, count as i64);
            return Key { value, of: (0..count).collect(), is_number: true, is_known };
        }
        let mut is_known = self.b.ins().icmp_imm_u(IntCC::Equal, target, pcs[0] as i64);
        for &pc in &pcs[1..] {
            let is_this = self.b.ins().icmp_imm_u(IntCC::Equal, target, pc as i64);
            is_known = self.b.ins().bor(is_known, is_this);
        }
        Key { value: target, of: pcs.to_vec(), is_number: false, is_known }
    }

    /// Executes all ways from the current block and selects what the key tells. Returns the number of instructions that
    /// are still to be charged.
    fn select_way(&mut self, key: &Key) -> i64 {
        let after = self.each_way(self.current, &vec![None; key.of.len()]);
        if let Some(all) = after.iter().map(|way| way.scc).collect::<Option<Vec<Value>>>() {
            let scc = self.choose(key, &all);
            self.set_scc(scc);
        }
        let counters = self.counters();
        for (i, &var) in counters[1..].iter().enumerate() {
            let all: Vec<Value> = after.iter().map(|way| way.others[i]).collect();
            let value = self.choose(key, &all);
            self.b.def_var(var, value);
        }
        for (i, &(code, is_pair, _)) in after[0].values.iter().enumerate() {
            let all: Vec<Value> = after.iter().map(|way| way.values[i].2).collect();
            let value = self.choose(key, &all);
            match is_pair {
                true => self.regs.write64(self.b, code, value),
                false => self.regs.write32(self.b, code, value),
            }
        }
        let fuels: Vec<Value> = after.iter().map(|way| way.fuel).collect();
        let fuel = self.choose(key, &fuels);
        let charges: Vec<i64> = after.iter().map(|way| way.charge).collect();
        let least = charges.iter().copied().min().unwrap_or(0);
        let more: Vec<u64> = charges.iter().map(|charge| (charge - least) as u64).collect();
        if self.options.uncounted || more.iter().all(|&more| more == 0) {
            self.b.def_var(counters[0], fuel);
            return least;
        }
        let more = self.number(key, &more);
        let fuel = self.b.ins().isub(fuel, more);
        self.b.def_var(counters[0], fuel);
        least
    }

    /// One of several numbers, by the key. Small numbers are fields of one constant.
    fn number(&mut self, key: &Key, all: &[u64]) -> Value {
        let bits = all.iter().map(|n| u64::BITS - n.leading_zeros()).max().unwrap_or(0).max(1).next_power_of_two();
        if !key.is_number || bits as usize * all.len() > u64::BITS as usize {
            let all: Vec<Value> = all.iter().map(|&n| self.const64(n)).collect();
            return self.choose(key, &all);
        }
        let fields = all.iter().rev().fold(0, |fields, n| fields << bits | n);
        let fields = self.const64(fields);
        let place = self.b.ins().ishl_imm_u(key.value, bits.trailing_zeros() as i64);
        let field = self.b.ins().ushr(fields, place);
        self.b.ins().band_imm_u(field, (1i64 << bits) - 1)
    }

    /// One of several values, by the key.
    fn choose(&mut self, key: &Key, all: &[Value]) -> Value {
        let is_other = |value: Value| all.iter().filter(|&&other| other != value).count() == 1;
        if let Some(&common) = all.iter().find(|&&value| all.len() > 2 && is_other(value))
            && let Some(i) = all.iter().position(|&value| value != common)
        {
            let is_this = self.b.ins().icmp_imm_u(IntCC::Equal, key.value, key.of[i] as i64);
            return self.b.ins().select(is_this, all[i], common);
        }
        self.choose_among(key, all, 0)
    }

    /// One of the values of the ways from number `first` on.
    fn choose_among(&mut self, key: &Key, all: &[Value], first: usize) -> Value {
        if all.iter().all(|&value| value == all[0]) {
            return all[0];
        }
        let (low, high) = all.split_at(all.len() / 2);
        let middle = first + low.len();
        let [a, b] = [(low, first), (high, middle)].map(|(some, first)| self.choose_among(key, some, first));
        let is_low = self.b.ins().icmp_imm_u(IntCC::UnsignedLessThan, key.value, key.of[middle] as i64);
        self.b.ins().select(is_low, a, b)
    }
}

#[cfg(test)]
mod tests {
    use gcnsim_isa::{Arch, Program};

    use crate::lower::convertible;
    use crate::region::{Jump, Plan};

    /// Addresses of the jumps that are converted, if the first instruction was seen to jump to some addresses.
    fn converted(to: &[u64], predictable: &[u64]) -> Vec<u64> {
        // 0: s_setpc_b64 s[2:3]; 4: s_add_u32, s_branch 0x14; 0xc: s_sub_u32, s_xor_b32; 0x14: s_endpgm; 0x18:
        // s_endpgm.
        let words = [0xbe80_1d02, 0x8000_0100, 0xbf82_0002, 0x8080_0100, 0x8800_0100, 0xbf81_0000, 0xbf81_0000];
        let observed: Vec<Jump> = to.iter().map(|&to| Jump { from: 0, to }).collect();
        let program = Program::from_words(Arch::Gcn14, &words);
        let mut plan = Plan::discover(&program, 0, 100, &observed).unwrap().unwrap();
        plan.predict(predictable);
        convertible(&plan)
    }

    #[test]
    fn ways_that_meet_are_converted() {
        assert_eq!(converted(&[4, 0xc], &[]), [0]);
        // One way has no instructions.
        assert_eq!(converted(&[4, 0xc, 0x14], &[]), [0]);
        assert!(converted(&[4, 0xc], &[0]).is_empty());
        assert!(converted(&[4, 0xc, 0x18], &[]).is_empty());
        // Two ways have an instruction in common.
        assert!(converted(&[4, 0xc, 0x10], &[]).is_empty());
        assert!(converted(&[4], &[]).is_empty());
    }
}
