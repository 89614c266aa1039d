//! Fuses additions and subtractions of 64 bits. S_ADD_U32 or S_ADDC_U32 on the low half, followed by S_ADDC_U32 on the
//! high half of the same pairs, becomes one 64-bit addition. The same is done for S_SUB_U32 and S_SUBB_U32, and for
//! adding a register to a pair with a constant as its high half, which computes addresses. A chain of any length is
//! split into such pairs of instructions, linked by SCC.

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
    /// Lowers the first two instructions as one if they fit. Returns the number of instructions lowered.
    pub(super) fn fuse_wide_addition(&mut self, insts: &[(u64, Inst)]) -> Option<usize> {
        let [(_, low), (_, high), ..] = insts else { return None };
        if self.options.plant.is_some_and(|op| op == low.opcode || op == high.opcode) {
            return None;
        }
        let fused = fuse(low, high)?;
        let [a, b] = fused.operands.map(|operand| match operand {
            Operand::Pair(code) => self.regs.read64(self.b, code),
            Operand::Low(code, high) => {
                let low = self.regs.read32(self.b, code);
                let low = self.b.ins().uextend(types::I64, low);
                if high == 0 { low } else { self.b.ins().bor_imm_u(low, (high as i64) << 32) }
            }
            Operand::Constant(value) => self.const64(value),
        });
        let (value, carry) = match fused.operation {
            Operation::Add => self.wide_add(a, b, fused.with_carry),
            Operation::Sub => self.wide_sub(a, b, fused.with_carry),
        };
        self.regs.write64(self.b, fused.dst, value);
        self.set_scc(carry);
        Some(2)
    }

    fn wide_add(&mut self, a: Value, b: Value, with_carry: bool) -> (Value, Value) {
        let sum = self.b.ins().iadd(a, b);
        let carry = self.b.ins().icmp(IntCC::UnsignedLessThan, sum, a);
        if !with_carry {
            return (sum, carry);
        }
        let scc = self.scc();
        let scc = self.b.ins().uextend(types::I64, scc);
        let total = self.b.ins().iadd(sum, scc);
        let again = self.b.ins().icmp(IntCC::UnsignedLessThan, total, sum);
        (total, self.b.ins().bor(carry, again))
    }

    fn wide_sub(&mut self, a: Value, b: Value, with_borrow: bool) -> (Value, Value) {
        let difference = self.b.ins().isub(a, b);
        let borrow = self.b.ins().icmp(IntCC::UnsignedLessThan, a, b);
        if !with_borrow {
            return (difference, borrow);
        }
        let scc = self.scc();
        let scc = self.b.ins().uextend(types::I64, scc);
        let total = self.b.ins().isub(difference, scc);
        let again = self.b.ins().icmp(IntCC::UnsignedLessThan, difference, scc);
        (total, self.b.ins().bor(borrow, again))
    }
}
