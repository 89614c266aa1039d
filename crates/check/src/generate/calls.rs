//! Calls and jumps to computed addresses.

use gcnsim_isa::table::{Sop1, Sop2, Sopk, Sopp};
use gcnsim_isa::{Opcode, OperandType};

use super::Generator;
use super::asm::Label;

impl Generator {
    /// Writes a call by any call instruction that the generation has.
    pub(super) fn call(&mut self) {
        let direct = self.arch().is_gcn14_or_later() && self.rng.percent(50);
        self.call_with(if direct { Sopk::SCallB64.into() } else { Sop1::SSwappcB64.into() });
    }

    /// Writes a call of a new or known subroutine by S_CALL_B64 or S_SWAPPC_B64.
    pub(super) fn call_with(&mut self, opcode: Opcode) {
        let Some(&link) = self.style.returns.get(self.calls) else { return self.straight() };
        let known: Vec<_> = self.routines.iter().copied().filter(|&(_, pair)| pair == link).collect();
        let label = if !known.is_empty() && self.rng.percent(50) {
            self.rng.pick(&known).0
        } else {
            let label = self.asm.label();
            self.routine_call_target(label);
            label
        };
        if opcode == Opcode::Sopk(Sopk::SCallB64) {
            self.asm.branch(self.new_inst(opcode).dst(link), label);
            return;
        }
        // The pair with the address may be the one that receives the return address.
        let pair = if self.rng.percent(50) { link } else { self.pool_pair() };
        self.address_of(label, pair);
        self.emit(self.new_inst(opcode).dst(link).src(0, pair));
    }

    /// Registers a subroutine, which is written later.
    pub(super) fn routine_call_target(&mut self, label: Label) {
        let link = self.style.returns[self.calls.min(1)];
        self.routines.push((label, link));
    }

    /// Writes all subroutines that were called but not written yet, and those that they call.
    pub(super) fn write_routines(&mut self) {
        while let Some(&(label, link)) = self.routines.get(self.written) {
            self.written += 1;
            self.calls = if link == self.style.returns[0] { 1 } else { 2 };
            // A subroutine that is called from a loop must not use the loop's counter.
            let (loops, repeats) = (self.loops, self.repeats);
            self.loops = 1 + self.calls;
            self.repeats = self.repeats.max(self.style.repeats / 4);
            self.asm.place(label);
            self.depth += 3;
            self.items(1, 6);
            self.depth -= 3;
            (self.loops, self.repeats) = (loops, repeats);
            let opcode = if !self.style.tame && self.rng.one_in(12) { Sop1::SRfeB64 } else { Sop1::SSetpcB64 };
            self.emit(self.new_inst(opcode).src(0, link));
        }
        self.calls = 0;
    }

    /// Writes code that puts the address of a label into `pair`, by one of the sequences that compilers and people use.
    fn address_of(&mut self, label: Label, pair: u32) {
        self.emit(self.new_inst(Sop1::SGetpcB64).dst(pair));
        let from = self.asm.here();
        if !self.style.tame && self.rng.one_in(6) {
            let dst = self.pool_register(false);
            self.emit(self.new_inst(Sop1::SMovB32).dst(dst).src(0, 129));
        }
        let subtract = self.rng.one_in(4);
        let (low, high) = if subtract { (Sop2::SSubU32, Sop2::SSubbU32) } else { (Sop2::SAddU32, Sop2::SAddcU32) };
        let (s0, s1) = if !subtract && self.rng.one_in(4) { (255, pair) } else { (pair, 255) };
        self.asm.distance(self.new_inst(low).dst(pair).src(0, s0).src(1, s1), from, label, subtract);
        // The high half of a distance is -1 if the distance is negative: the label lies behind, or it lies ahead and
        // the distance is subtracted.
        let sign = if self.asm.is_placed(label) != subtract { 193 } else { 128 };
        self.emit(self.new_inst(high).dst(pair + 1).src(0, pair + 1).src(1, sign));
    }

    /// Writes a computed jump of any kind.
    pub(super) fn jump(&mut self) {
        match self.rng.below(8) {
            0..3 => self.jump_table(),
            3 if self.rng.one_in(8) => self.wild_jump(),
            _ => self.jump_with(Sop1::SSetpcB64.into()),
        }
    }

    /// Writes a jump forward over a few items by S_SETPC_B64, S_RFE_B64 or S_RFE_RESTORE_B64.
    pub(super) fn jump_with(&mut self, opcode: Opcode) {
        let label = self.asm.label();
        let pair = self.pool_pair();
        self.address_of(label, pair);
        if self.rng.one_in(12) {
            // The jump clears the low bits that are set here.
            let bits = self.rng.between(129, 131);
            self.emit(self.new_inst(Sop2::SOrB32).dst(pair).src(0, pair).src(1, bits));
        }
        self.emit(self.new_inst(opcode).src(0, pair).src(1, 128));
        self.items(0, 3);
        self.asm.place(label);
    }

    /// Writes a jump into a table of branches, by the low bits of a register.
    fn jump_table(&mut self) {
        let (index, pair) = (self.style.counters[3], self.pool_pair());
        let ways = self.rng.pick(&[2u32, 4, 4, 8]);
        let value = self.pool_register(false);
        self.emit(self.new_inst(Sop2::SAndB32).dst(index).src(0, value).src(1, 128 + ways - 1));
        self.emit(self.new_inst(Sop2::SLshlB32).dst(index).src(0, index).src(1, 130));
        let table = self.asm.label();
        self.address_of(table, pair);
        self.emit(self.new_inst(Sop2::SAddU32).dst(pair).src(0, pair).src(1, index));
        self.emit(self.new_inst(Sop2::SAddcU32).dst(pair + 1).src(0, pair + 1).src(1, 128));
        self.emit(self.new_inst(Sop1::SSetpcB64).src(0, pair));
        self.asm.place(table);
        let targets: Vec<_> = (0..ways).map(|_| self.asm.label()).collect();
        let join = self.asm.label();
        for &target in &targets {
            self.asm.branch(self.new_inst(Sopp::SBranch), target);
        }
        for &target in &targets {
            self.asm.place(target);
            self.items(0, 2);
            if self.rng.percent(80) {
                self.asm.branch(self.new_inst(Sopp::SBranch), join);
            }
        }
        self.asm.place(join);
    }

    /// Writes a jump to a random place.
    pub(super) fn wild_jump(&mut self) {
        let source = self.scalar_src(OperandType::b64, true);
        let builder = self.new_inst(Sop1::SSetpcB64).src(0, source);
        let literal = 4 * self.rng.below(2 * self.asm.here() as u32 + 8);
        self.emit(builder.literal(literal));
    }
}
