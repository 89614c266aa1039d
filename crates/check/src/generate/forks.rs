//! Fork and join: divergence on the fork stack, which begins at s0.

use gcnsim_isa::table::{Sop1, Sop2, Sopk, Sopp};
use gcnsim_isa::{Opcode, reg};

use super::Generator;

impl Generator {
    /// Writes a fork by either of the two instructions.
    pub(super) fn fork(&mut self) {
        let opcode = if self.rng.percent(50) { Sopk::SCbranchIFork.into() } else { Sop2::SCbranchGFork.into() };
        self.fork_with(opcode);
    }

    /// Writes a fork by `opcode`, whose two sides come to the same join.
    pub(super) fn fork_with(&mut self, opcode: Opcode) {
        let (target, join) = (self.asm.label(), self.asm.label());
        let mask = match self.rng.below(6) {
            0 => reg::EXEC_LO as u32,
            1 | 2 => reg::VCC_LO as u32,
            _ => self.pool_pair(),
        };
        if opcode == Opcode::Sopk(Sopk::SCbranchIFork) {
            self.asm.branch(self.new_inst(opcode).src(0, mask), target);
        } else {
            let pair = self.pool_pair();
            self.emit(self.new_inst(Sop1::SGetpcB64).dst(pair));
            let from = self.asm.here();
            self.asm.distance(self.new_inst(Sop2::SAddU32).dst(pair).src(0, pair).src(1, 255), from, target, false);
            self.emit(self.new_inst(Sop2::SAddcU32).dst(pair + 1).src(0, pair + 1).src(1, 128));
            self.emit(self.new_inst(opcode).src(0, mask).src(1, pair));
        }
        self.forks += 1;
        self.items(0, 3);
        self.asm.branch(self.new_inst(Sopp::SBranch), join);
        self.asm.place(target);
        self.items(0, 3);
        self.asm.place(join);
        self.forks -= 1;
        // S_CBRANCH_JOIN mostly gets the depth that the stack has outside.
        let depth = if self.rng.percent(92) { 128 + self.forks } else { self.rng.between(128, 137) };
        self.emit(self.new_inst(Sop1::SCbranchJoin).src(0, depth));
        if self.rng.percent(60) {
            self.revive_exec();
        }
    }
}
