//! Sums and differences with carries in lane masks.

use gcnsim_isa::Inst;
use gcnsim_isa::table::Vop2;

use super::Lowering;
use crate::segments::encode::KOp;
use crate::segments::list::Value;
use crate::segments::ops::Op;

/// "Less than", in compares of integers.
const LESS: u8 = 1;

impl Lowering<'_> {
    pub(super) fn carrying(&mut self, inst: &Inst, op: Vop2) -> Option<()> {
        use Vop2::*;
        let [a, b] = self.sources(inst)?;
        let (value, carry) = match op {
            VAddI32 | VAddU32Carry | VAddCoU32 => self.sum(a, b),
            VSubI32 | VSubU32Carry | VSubCoU32 => self.difference(a, b),
            VSubrevI32 | VSubrevU32Carry | VSubrevCoU32 => self.difference(b, a),
            VAddcU32 | VAddcCoU32 => self.sum_with(inst, a, b)?,
            VSubbU32 | VSubbCoU32 => self.difference_with(inst, a, b)?,
            VSubbrevU32 | VSubbrevCoU32 => self.difference_with(inst, b, a)?,
            _ => return None,
        };
        self.write_mask(inst.mask_dst()?, carry)?;
        self.write(inst, value)
    }

    fn sum(&mut self, a: Value, b: Value) -> (Value, Value) {
        let sum = self.list.binary(Op::Add32, a, b);
        (sum, self.list.test(Op::CompareU32, Value::EXEC, sum, a, LESS))
    }

    fn difference(&mut self, a: Value, b: Value) -> (Value, Value) {
        let borrow = self.list.test(Op::CompareU32, Value::EXEC, a, b, LESS);
        (self.list.binary(Op::Sub32, a, b), borrow)
    }

    fn sum_with(&mut self, inst: &Inst, a: Value, b: Value) -> Option<(Value, Value)> {
        let carry_in = self.read_mask(inst.mask_src()?)?;
        let (sum, carry) = self.sum(a, b);
        let ones = self.list.dword(!0);
        // The increment wraps if it gives 0.
        let total = self.list.merged(Op::Sub32, carry_in, sum, sum, ones);
        let wraps = self.list.test(Op::TestNot, carry_in, total, total, 0);
        let carry = self.list.mask(KOp::Or, carry, wraps);
        Some((total, self.list.active(carry)))
    }

    fn difference_with(&mut self, inst: &Inst, a: Value, b: Value) -> Option<(Value, Value)> {
        let borrow_in = self.read_mask(inst.mask_src()?)?;
        let (difference, borrow) = self.difference(a, b);
        let ones = self.list.dword(!0);
        let total = self.list.merged(Op::Add32, borrow_in, difference, difference, ones);
        let wraps = self.list.test(Op::TestNot, borrow_in, difference, difference, 0);
        let borrow = self.list.mask(KOp::Or, borrow, wraps);
        Some((total, self.list.active(borrow)))
    }
}
