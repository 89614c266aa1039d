//! Control flow: forward branches, counted loops, EXEC-mask flow, and the items inside.

use gcnsim_isa::encode::Builder;
use gcnsim_isa::table::{Sop1, Sop2, Sopc, Sopk, Sopp};
use gcnsim_isa::{Encoding, Opcode, OperandType, reg};

use super::{Generator, MAX_DEPTH, Style, core_entries};

const VCC: u32 = reg::VCC_LO as u32;
const EXEC: u32 = reg::EXEC_LO as u32;

impl Generator {
    /// Writes one more item: an instruction, or a construct with more items inside.
    pub(super) fn item(&mut self) {
        let s = &self.style;
        let room = self.depth < MAX_DEPTH && self.asm.instructions() < self.limit;
        let nested = |weight: u32| if room { weight } else { 0 };
        let weights = [
            s.straight,
            s.idioms,
            nested(s.branches),
            nested(s.loops),
            nested(s.exec_flow),
            nested(s.calls),
            nested(s.forks),
            s.jumps,
            nested(s.runs),
        ];
        self.depth += 1;
        match self.rng.weighted(&weights) {
            0 => self.straight(),
            1 => self.idiom(),
            2 => self.branch(),
            3 => self.counted_loop(),
            4 => self.exec_flow(),
            5 => self.call(),
            6 => self.fork(),
            7 => self.jump(),
            _ => self.run_of_vectors(),
        }
        self.depth -= 1;
        // The item may be inside a construct. Then only some waves of the group may get to the barrier.
        if self.style.barriers > 0 && self.rng.percent(self.style.barriers) {
            self.emit(self.new_inst(Sopp::SBarrier));
        }
    }

    /// Writes between `low` and `high` items.
    pub(super) fn items(&mut self, low: u32, high: u32) {
        let count = self.rng.between(low, high);
        for _ in 0..if self.asm.instructions() < self.limit { count } else { count.min(1) } {
            self.item();
        }
    }

    /// Chooses a conditional branch. Tame programs mostly have a compare before it.
    fn condition(&mut self) -> Opcode {
        let condition = self.rng.pick(&[
            Sopp::SCbranchScc0,
            Sopp::SCbranchScc1,
            Sopp::SCbranchScc0,
            Sopp::SCbranchScc1,
            Sopp::SCbranchVccz,
            Sopp::SCbranchVccnz,
            Sopp::SCbranchExecz,
            Sopp::SCbranchExecnz,
        ]);
        let on_scc = matches!(condition, Sopp::SCbranchScc0 | Sopp::SCbranchScc1);
        if on_scc && self.rng.percent(if self.style.tame { 80 } else { 20 }) {
            self.scalar_compare();
        }
        condition.into()
    }

    /// Writes a forward branch over some items, with or without an else side.
    fn branch(&mut self) {
        let opcode = self.condition();
        match self.rng.below(5) {
            0 | 1 => self.skip_with(opcode),
            // A branch over a few instructions, which selects could replace.
            2 => {
                let skip = self.asm.label();
                self.asm.branch(self.new_inst(opcode), skip);
                for _ in 0..self.rng.between(1, 4) {
                    self.straight();
                }
                self.asm.place(skip);
            }
            3 if !self.style.tame && self.rng.percent(30) => self.jump_into_literal(opcode),
            _ => {
                let (other, join) = (self.asm.label(), self.asm.label());
                self.asm.branch(self.new_inst(opcode), other);
                self.items(0, 5);
                self.asm.branch(self.new_inst(Sopp::SBranch), join);
                self.asm.place(other);
                self.items(0, 5);
                self.asm.place(join);
            }
        }
    }

    /// Writes a branch by `opcode`, and a few items that it skips.
    pub(super) fn skip_with(&mut self, opcode: Opcode) {
        let skip = self.asm.label();
        self.asm.branch(self.new_inst(opcode), skip);
        self.items(0, 6);
        self.asm.place(skip);
    }

    /// Writes a branch into an instruction: to its literal, which is an instruction, too.
    fn jump_into_literal(&mut self, opcode: Opcode) {
        let inside = self.asm.label();
        self.asm.branch(self.new_inst(opcode), inside);
        self.items(0, 2);
        let words = [0xbf80_0000, 0xbe80_0080, 0x8000_8100, 0xbf00_8081, 0xb000_0007, 0xbf82_0000];
        let hidden = self.rng.pick(&words);
        let dst = self.dst(OperandType::b32);
        let carrier = self.new_inst(Sop2::SXorB32).dst(dst).src(0, self.pool_register(false)).src(1, 255);
        if self.emit(carrier.literal(hidden)) {
            self.asm.place_at(inside, self.asm.here() - 1);
        }
    }

    /// Writes a loop that counts down in a register of its own.
    pub(super) fn counted_loop(&mut self) {
        let room = self.style.repeats / self.repeats.max(1);
        let Some(&counter) = self.style.counters.get(self.loops) else { return self.straight() };
        if room == 0 {
            return self.straight();
        }
        let most = self.style.iterations.min(room);
        // Long loops have to get hot, so they take the whole count.
        let count = if most > 1000 { most } else { self.rng.between(1, most) };
        let initial = if count <= 0x7fff {
            self.new_inst(Sopk::SMovkI32).dst(counter).simm16(count as u16)
        } else {
            self.new_inst(Sop1::SMovB32).dst(counter).src(0, 255).literal(count)
        };
        self.emit(initial);
        self.loops += 1;
        self.repeats = self.repeats.saturating_mul(count);
        let (top, out) = (self.asm.label(), self.asm.label());
        self.asm.place(top);
        let at_top = self.rng.percent(20);
        if at_top {
            self.emit(self.new_inst(Sopk::SCmpkEqI32).src(0, counter));
            self.asm.branch(self.new_inst(Sopp::SCbranchScc1), out);
        }
        if !self.style.tame && self.style.encodings[Style::VECTOR] > 0 && self.rng.one_in(4) {
            self.body_of_vectors();
        } else {
            self.items(0, if self.style.tame { 8 } else { 6 });
        }
        if self.rng.percent(15) {
            // A branch leaves the loop in its middle.
            let condition = self.condition();
            self.asm.branch(self.new_inst(condition), out);
            self.items(0, 2);
        }
        self.count_down(counter, at_top, top);
        self.asm.place(out);
        self.loops -= 1;
        self.repeats /= count;
    }

    /// Counts down, and branches to `top` if the counter is not 0 (or always, if the loop tests at its top).
    fn count_down(&mut self, counter: u32, at_top: bool, top: super::asm::Label) {
        let subtract = match self.rng.below(3) {
            0 => self.new_inst(Sopk::SAddkI32).dst(counter).src(0, counter).simm16(u16::MAX),
            1 => self.new_inst(Sop2::SAddI32).dst(counter).src(0, counter).src(1, 193),
            _ => self.new_inst(Sop2::SSubU32).dst(counter).src(0, counter).src(1, 129),
        };
        self.emit(subtract);
        if at_top {
            self.asm.branch(self.new_inst(Sopp::SBranch), top);
            return;
        }
        let (compare, back) = match self.rng.below(4) {
            0 => (self.new_inst(Sopc::SCmpEqU32).src(0, counter).src(1, 128), Sopp::SCbranchScc0),
            1 => (self.new_inst(Sopk::SCmpkGtI32).src(0, counter), Sopp::SCbranchScc1),
            2 => (self.new_inst(Sopk::SCmpkLgU32).src(0, counter), Sopp::SCbranchScc1),
            _ => (self.new_inst(Sopc::SCmpLgI32).src(0, counter).src(1, 128), Sopp::SCbranchScc1),
        };
        self.emit(compare);
        self.asm.branch(self.new_inst(back), top);
    }

    /// Writes a loop without a counter. The budget ends it.
    pub(super) fn loop_forever(&mut self) {
        let top = self.asm.label();
        self.asm.place(top);
        self.items(0, 4);
        self.asm.branch(self.new_inst(Sopp::SBranch), top);
    }

    /// Writes a compare of any kind into VCC or a pair. Returns the register that it wrote.
    fn compare(&mut self) -> u32 {
        let rows = &core_entries()[self.arch() as usize];
        for _ in 0..100 {
            let entry = rows[self.rng.below(rows.len() as u32) as usize];
            let Opcode::Vopc(op) = entry.desc.opcode else { continue };
            if op.cmp().writes_exec {
                continue;
            }
            if !entry.vop3 {
                self.row(entry.into());
                return VCC;
            }
            let (pair, types) = (self.pool_pair(), entry.desc.src);
            let builder = self.compare_operands(self.new_inst(op), true, types).dst(pair);
            if entry.desc.encoding == Encoding::Vopc && self.emit(builder) {
                return pair;
            }
        }
        VCC
    }

    /// Writes code for the lanes that pass a compare, and perhaps for the others. EXEC is restored at the end.
    fn exec_flow(&mut self) {
        let mask = self.compare();
        let saved = match self.style.saves {
            Some(first) => first + 2 * self.masks,
            None => self.pool_pair(),
        };
        self.masks += 1;
        let saveexec = match self.rng.below(if self.style.tame { 4 } else { 8 }) {
            0..4 => Sop1::SAndSaveexecB64,
            4 => Sop1::SAndn2SaveexecB64,
            5 => Sop1::SOrSaveexecB64,
            6 => Sop1::SXorSaveexecB64,
            _ => Sop1::SNandSaveexecB64,
        };
        self.emit(self.new_inst(saveexec).dst(saved).src(0, mask));
        let (skip, end) = (self.asm.label(), self.asm.label());
        let skips = self.rng.percent(70);
        if skips {
            self.asm.branch(self.new_inst(Sopp::SCbranchExecz), skip);
        }
        self.items(0, 5);
        self.asm.place(skip);
        if self.rng.percent(40) {
            let others = if self.style.tame || self.rng.percent(70) {
                self.new_inst(Sop2::SXorB64).dst(EXEC).src(0, EXEC).src(1, saved)
            } else {
                self.new_inst(Sop2::SAndn2B64).dst(EXEC).src(0, saved).src(1, EXEC)
            };
            self.emit(others);
            if self.rng.percent(50) {
                self.asm.branch(self.new_inst(Sopp::SCbranchExecz), end);
            }
            self.items(0, 4);
            self.asm.place(end);
        }
        let back: Builder = if self.rng.percent(50) || self.style.tame {
            self.new_inst(Sop1::SMovB64).dst(EXEC).src(0, saved)
        } else {
            self.new_inst(Sop2::SOrB64).dst(EXEC).src(0, EXEC).src(1, saved)
        };
        self.emit(back);
        self.masks -= 1;
    }
}
