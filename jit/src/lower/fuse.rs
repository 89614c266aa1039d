//! Fuses additions and subtractions of 64 bits. S_ADD_U32 or S_ADDC_U32 on the low half, followed by S_ADDC_U32 on the
//! high half of the same pairs, becomes one 64-bit addition. The same is done for S_SUB_U32 and S_SUBB_U32, and for
//! adding a register to a pair with a constant as its high half, which computes addresses. Two such pairs of
//! instructions make an operation of 128 bits, and a longer chain several of these, linked by SCC.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, Value, types};
use gcnsim_isa::table::Sop2;
use gcnsim_isa::{Inst, Opcode, Src};

use super::Lower;

#[derive(Clone, Copy, PartialEq)]
enum Operation {
    Add,
    Sub,
}

/// An operation of 64 bits that two instructions make together.
struct Fused {
    operation: Operation,
    with_carry: bool,
    /// SDST pair.
    dst: u8,
    operands: [Operand; 2],
}

#[derive(Clone, Copy)]
enum Operand {
    Pair(u8),
    /// A register as the low half, and the value of the high half.
    Low(u8, u32),
    Constant(u64),
}

impl Fused {
    /// Whether `next`, which follows, continues this operation in higher bits, so that both are one of 128 bits.
    fn goes_on_with(&self, next: &Fused) -> bool {
        let is_result = |operand: &Operand| match *operand {
            Operand::Pair(code) => code == self.dst,
            Operand::Low(code, _) => code & !1 == self.dst,
            Operand::Constant(_) => false,
        };
        next.operation == self.operation && next.with_carry && !next.operands.iter().any(is_result)
    }
}

/// The operation that `low` and `high` make together, if they do.
fn fuse(low: &Inst, high: &Inst) -> Option<Fused> {
    use Opcode::Sop2 as Op;
    let (operation, with_carry) = match (low.opcode, high.opcode) {
        (Op(Sop2::SAddU32), Op(Sop2::SAddcU32)) => (Operation::Add, false),
        (Op(Sop2::SAddcU32), Op(Sop2::SAddcU32)) => (Operation::Add, true),
        (Op(Sop2::SSubU32), Op(Sop2::SSubbU32)) => (Operation::Sub, false),
        (Op(Sop2::SSubbU32), Op(Sop2::SSubbU32)) => (Operation::Sub, true),
        _ => return None,
    };
    let dst = low.dst()?;
    if dst % 2 != 0 || high.dst()? != dst + 1 {
        return None;
    }
    let operand = |i: usize| match (low.src(i), high.src(i)) {
        // The high half reads no register that the low half writes: n + 1 is odd, and the low half's SDST is even.
        (Src::Sgpr(lo), Src::Sgpr(hi)) if lo % 2 == 0 && hi == lo + 1 => Some(Operand::Pair(lo)),
        (Src::Sgpr(lo), Src::Imm(hi)) => Some(Operand::Low(lo, hi as u32)),
        (Src::Imm(lo), Src::Imm(hi)) => Some(Operand::Constant(lo & 0xffff_ffff | hi << 32)),
        _ => None,
    };
    Some(Fused { operation, with_carry, dst, operands: [operand(0)?, operand(1)?] })
}

/// The registers that `low` and `high` use if they are lowered as one, and whether they use them as pairs. `None`: they
/// are lowered one by one.
pub(crate) fn fused_registers(low: &Inst, high: &Inst) -> Option<Vec<(u8, bool)>> {
    let fused = fuse(low, high)?;
    let register = |operand| match operand {
        Operand::Pair(code) => Some((code, true)),
        Operand::Low(code, _) => Some((code, false)),
        Operand::Constant(_) => None,
    };
    Some(fused.operands.into_iter().filter_map(register).chain([(fused.dst, true)]).collect())
}

impl Lower<'_, '_> {
    /// Lowers the first two or four instructions as one if they fit. Returns the number of instructions lowered.
    pub(super) fn fuse_wide_addition(&mut self, insts: &[(u64, Inst)]) -> Option<usize> {
        let low = self.fused(insts)?;
        if !self.has_whole_pair(&low) {
            return None;
        }
        let next = self.fused(&insts[2..]);
        if let Some(high) = next.filter(|high| low.goes_on_with(high)) {
            self.wide_chain(&low, &high, is_scc_overwritten(&insts[4..]));
            return Some(4);
        }
        let [a, b] = low.operands.map(|operand| self.operand(operand));
        let (value, carry) = match low.operation {
            Operation::Add => self.wide_add(a, b, low.with_carry),
            Operation::Sub => self.wide_sub(a, b, low.with_carry),
        };
        self.regs.write64(self.b, low.dst, value);
        self.set_scc(carry);
        Some(2)
    }

    /// The operation that the first two instructions make together.
    fn fused(&self, insts: &[(u64, Inst)]) -> Option<Fused> {
        let [(_, low), (_, high), ..] = insts else { return None };
        if self.options.plant.is_some_and(|op| op == low.opcode || op == high.opcode) {
            return None;
        }
        fuse(low, high)
    }

    /// Whether a pair of the operation is there as 64 bits. Where all are kept as halves, to join and to split them
    /// takes longer than two additions.
    fn has_whole_pair(&self, fused: &Fused) -> bool {
        let pairs = fused.operands.iter().filter_map(|operand| match *operand {
            Operand::Pair(code) => Some(code),
            Operand::Low(..) | Operand::Constant(_) => None,
        });
        self.regs.is_whole(fused.dst) || pairs.into_iter().any(|code| self.regs.has_whole_value(code))
    }

    /// An operand as an I64.
    fn operand(&mut self, operand: Operand) -> Value {
        match operand {
            Operand::Pair(code) => self.regs.read64(self.b, code),
            Operand::Low(code, high) => {
                let low = self.regs.read32(self.b, code);
                let low = self.b.ins().uextend(types::I64, low);
                if high == 0 { low } else { self.b.ins().bor_imm_u(low, (high as i64) << 32) }
            }
            Operand::Constant(value) => self.const64(value),
        }
    }

    fn wide_add(&mut self, a: Value, b: Value, with_carry: bool) -> (Value, Value) {
        let sum = self.b.ins().iadd(a, b);
        let carry = self.b.ins().icmp(IntCC::UnsignedLessThan, sum, a);
        if !with_carry {
            return (sum, carry);
        }
        let scc = self.scc();
        let by = self.b.ins().uextend(types::I64, scc);
        // Only a sum of ones passes a carry on. So the next operation waits for a selection, and not for a sum.
        let passes = self.b.ins().icmp_imm_s(IntCC::Equal, sum, -1);
        (self.b.ins().iadd(sum, by), self.b.ins().select(passes, scc, carry))
    }

    fn wide_sub(&mut self, a: Value, b: Value, with_borrow: bool) -> (Value, Value) {
        let difference = self.b.ins().isub(a, b);
        let borrow = self.b.ins().icmp(IntCC::UnsignedLessThan, a, b);
        if !with_borrow {
            return (difference, borrow);
        }
        let scc = self.scc();
        let by = self.b.ins().uextend(types::I64, scc);
        let passes = self.b.ins().icmp_imm_u(IntCC::Equal, difference, 0);
        (self.b.ins().isub(difference, by), self.b.ins().select(passes, scc, borrow))
    }

    /// Lowers two fused operations as one of 128 bits. If SCC is overwritten before anything reads it, it is not
    /// computed.
    fn wide_chain(&mut self, low: &Fused, high: &Fused, is_scc_overwritten: bool) {
        let [a, b] = [0, 1].map(|i| {
            let halves = [low, high].map(|fused| self.operand(fused.operands[i]));
            self.b.ins().iconcat(halves[0], halves[1])
        });
        let (sum, carry) = match (low.operation, is_scc_overwritten) {
            (Operation::Add, true) => (self.b.ins().iadd(a, b), None),
            (Operation::Sub, true) => (self.b.ins().isub(a, b), None),
            (Operation::Add, false) => with_carry(self.b.ins().uadd_overflow(a, b)),
            (Operation::Sub, false) => with_carry(self.b.ins().usub_overflow(a, b)),
        };
        let (mut total, mut carry_out) = (sum, carry);
        if low.with_carry {
            let scc = self.scc();
            let (by, zero) = (self.b.ins().uextend(types::I64, scc), self.const64(0));
            let by = self.b.ins().iconcat(by, zero);
            total = match low.operation {
                Operation::Add => self.b.ins().iadd(sum, by),
                Operation::Sub => self.b.ins().isub(sum, by),
            };
            carry_out = carry.map(|carry| {
                let (l, h) = self.b.ins().isplit(sum);
                let passes = match low.operation {
                    Operation::Add => {
                        let both = self.b.ins().band(l, h);
                        self.b.ins().icmp_imm_s(IntCC::Equal, both, -1)
                    }
                    Operation::Sub => {
                        let any = self.b.ins().bor(l, h);
                        self.b.ins().icmp_imm_u(IntCC::Equal, any, 0)
                    }
                };
                self.b.ins().select(passes, scc, carry)
            });
        }
        let (l, h) = self.b.ins().isplit(total);
        self.regs.write64(self.b, low.dst, l);
        self.regs.write64(self.b, high.dst, h);
        if let Some(carry) = carry_out {
            self.set_scc(carry);
        }
    }
}

/// A sum and its carry, as a wide chain takes them.
fn with_carry((sum, carry): (Value, Value)) -> (Value, Option<Value>) {
    (sum, Some(carry))
}

/// Whether one of the instructions overwrites SCC before any reads it or may stop the run.
fn is_scc_overwritten(insts: &[(u64, Inst)]) -> bool {
    let uses = |inst: &Inst| inst.reads().scc || inst.writes().scc || inst.desc().is_memory();
    let first = insts.iter().map(|(_, inst)| inst).find(|inst| uses(inst));
    first.is_some_and(|inst| inst.writes().scc && !inst.reads().scc && !inst.desc().is_memory())
}
