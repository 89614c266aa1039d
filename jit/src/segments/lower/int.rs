//! Moves, sums, order and bit fields of 32 bits.

use gcnsim_isa::table::{Vop1, Vop2, Vop3};
use gcnsim_isa::{Inst, Src};

use super::{Lowering, is_plain};
use crate::segments::list::{Logic, Value};
use crate::segments::ops::Op;

/// Least, greatest and the middle one are made of these.
#[derive(Clone, Copy)]
struct Order {
    min: Op,
    max: Op,
}

const SIGNED: Order = Order { min: Op::MinI32, max: Op::MaxI32 };
const UNSIGNED: Order = Order { min: Op::MinU32, max: Op::MaxU32 };

impl Lowering<'_> {
    pub(super) fn vop1(&mut self, inst: &Inst, op: Vop1) -> Option<()> {
        use Vop1::*;
        if let Some(result) = self.float_vop1(inst, op) {
            return result;
        }
        if !is_plain(inst) {
            return None;
        }
        let result = match op {
            VNop => return Some(()),
            VMovB32 => self.source(inst, 0)?,
            VNotB32 => {
                let [a] = self.sources(inst)?;
                let ones = self.list.dword(!0);
                self.list.binary(Op::Xor, a, ones)
            }
            VFfbhU32 => {
                let [a] = self.sources(inst)?;
                self.leading_zeros(a)
            }
            VFfbhI32 => {
                let [a] = self.sources(inst)?;
                let sign = self.list.shift(Op::Sar, a, 31);
                let a = self.list.binary(Op::Xor, a, sign);
                self.leading_zeros(a)
            }
            VFfblB32 => self.trailing_zeros(inst)?,
            VBfrevB32 => self.reversed(inst)?,
            _ => return None,
        };
        self.write(inst, result)
    }

    pub(super) fn vop2(&mut self, inst: &Inst, op: Vop2) -> Option<()> {
        use Vop2::*;
        if let Some(result) = self.float_vop2(inst, op) {
            return result;
        }
        if !is_plain(inst) {
            return None;
        }
        let result = match op {
            VCndmaskB32 => self.choose(inst)?,
            VMulI32I24 | VMulU32U24 | VMulHiI32I24 | VMulHiU32U24 => self.product24(inst, op)?,
            VMinI32 => self.simple(inst, Op::MinI32)?,
            VMaxI32 => self.simple(inst, Op::MaxI32)?,
            VMinU32 => self.simple(inst, Op::MinU32)?,
            VMaxU32 => self.simple(inst, Op::MaxU32)?,
            VLshlB32 => self.shifted(inst, Op::Shl, Op::ShlVar, [0, 1])?,
            VLshrB32 => self.shifted(inst, Op::Shr, Op::ShrVar, [0, 1])?,
            VAshrI32 => self.shifted(inst, Op::Sar, Op::SarVar, [0, 1])?,
            VLshlrevB32 => self.shifted(inst, Op::Shl, Op::ShlVar, [1, 0])?,
            VLshrrevB32 => self.shifted(inst, Op::Shr, Op::ShrVar, [1, 0])?,
            VAshrrevI32 => self.shifted(inst, Op::Sar, Op::SarVar, [1, 0])?,
            VAndB32 => self.simple(inst, Op::And)?,
            VOrB32 => self.simple(inst, Op::Or)?,
            VXorB32 => self.simple(inst, Op::Xor)?,
            VXnorB32 => {
                let [a, b] = self.sources(inst)?;
                self.list.logic(a, b, b, Logic::Xnor)
            }
            VBfmB32 => self.field_mask(inst)?,
            VBcntU32B32 | VMbcntLoU32B32 | VMbcntHiU32B32 => self.count(inst)?,
            VAddU32 => self.sum_of_two(inst)?,
            VSubU32 => self.simple(inst, Op::Sub32)?,
            VSubrevU32 => {
                let [a, b] = self.sources(inst)?;
                self.list.binary(Op::Sub32, b, a)
            }
            VCvtPkU16U32 | VCvtPkI16I32 => self.packed(inst)?,
            VAddU16 | VSubU16 | VSubrevU16 | VMulLoU16 | VLshlrevB16 | VLshrrevB16 | VAshrrevI16 | VMaxU16
            | VMaxI16 | VMinU16 | VMinI16 => self.half(inst, op)?,
            _ => return self.carrying(inst, op),
        };
        self.write(inst, result)
    }

    pub(super) fn vop3(&mut self, inst: &Inst, op: Vop3) -> Option<()> {
        use Vop3::*;
        if let Some(result) = self.float_vop3(inst, op) {
            return result;
        }
        if !is_plain(inst) {
            return None;
        }
        let result = match op {
            VMulLoU32 | VMulLoI32 => self.simple(inst, Op::MulLow)?,
            VMulHiU32 => {
                let [a, b] = self.sources(inst)?;
                self.high_product(Op::MulU64, a, b)
            }
            VMulHiI32 => {
                let [a, b] = self.sources(inst)?;
                self.high_product(Op::MulI64, a, b)
            }
            VMadI32I24 | VMadU32U24 => self.sum_of_product24(inst, op)?,
            VBfeU32 => self.unsigned_field(inst)?,
            VBfeI32 => self.signed_field(inst)?,
            VBfiB32 => self.combined(inst, Logic::Select)?,
            VBfmB32 => self.field_mask(inst)?,
            VAlignbitB32 => self.aligned(inst, 1)?,
            VAlignbyteB32 => self.aligned(inst, 8)?,
            VPermB32 => self.permuted(inst)?,
            VLerpU8 => self.mean_bytes(inst)?,
            VSadU8 | VSadHiU8 | VMsadU8 => self.byte_distance(inst, op)?,
            VSadU32 => self.distance(inst)?,
            VMin3I32 => self.of_three(inst, Op::MinI32, Op::MinI32)?,
            VMin3U32 => self.of_three(inst, Op::MinU32, Op::MinU32)?,
            VMax3I32 => self.of_three(inst, Op::MaxI32, Op::MaxI32)?,
            VMax3U32 => self.of_three(inst, Op::MaxU32, Op::MaxU32)?,
            VMed3I32 => self.middle(inst, SIGNED)?,
            VMed3U32 => self.middle(inst, UNSIGNED)?,
            VXadU32 => self.of_three(inst, Op::Xor, Op::Add32)?,
            VAdd3U32 => self.sum_of_three(inst)?,
            VLshlAddU32 => self.shifted_then(inst, Op::Add32)?,
            VLshlOrB32 => self.shifted_then(inst, Op::Or)?,
            VAddLshlU32 => {
                let [a, b, by] = self.sources(inst)?;
                let sum = self.list.binary(Op::Add32, a, b);
                self.shift_by(Op::Shl, Op::ShlVar, sum, by)
            }
            VAndOrB32 => self.combined(inst, Logic::AndOr)?,
            VOr3B32 => self.combined(inst, Logic::Or3)?,
            VBcntU32B32 | VMbcntLoU32B32 | VMbcntHiU32B32 => self.count(inst)?,
            VCvtPkU16U32 | VCvtPkI16I32 => self.packed(inst)?,
            VMadU16 | VMadLegacyU16 => self.sum_of_half_product(inst)?,
            VAddI32 => self.sum_of_two(inst)?,
            VSubI32 => self.simple(inst, Op::Sub32)?,
            _ => return self.wide(inst, op),
        };
        self.write(inst, result)
    }

    /// Lowers an instruction to one host instruction of two sources.
    fn simple(&mut self, inst: &Inst, op: Op) -> Option<Value> {
        let [a, b] = self.sources(inst)?;
        Some(self.list.binary(op, a, b))
    }

    /// Lowers an instruction to one host instruction that combines three sources bit by bit.
    fn combined(&mut self, inst: &Inst, logic: Logic) -> Option<Value> {
        let [a, b, c] = self.sources(inst)?;
        Some(self.list.logic(a, b, c, logic))
    }

    /// An operation of the first two sources, then of its result and the third.
    fn of_three(&mut self, inst: &Inst, first: Op, second: Op) -> Option<Value> {
        let [a, b, c] = self.sources(inst)?;
        let ab = self.list.binary(first, a, b);
        Some(self.list.binary(second, ab, c))
    }

    /// A sum. If one of its operands is the sum that was computed just now, and is overwritten, all three are added in
    /// another order.
    fn sum_of_two(&mut self, inst: &Inst) -> Option<Value> {
        let [a, b] = self.sources(inst)?;
        for (i, (sum, other)) in [(a, b), (b, a)].into_iter().enumerate() {
            let is_overwritten = matches!(inst.src(i), Src::Vgpr(n) if inst.vdst() == Some(n)) && inst.sdwa().is_none();
            if is_overwritten && let Some(sum) = self.list.extended_sum(sum, other) {
                return Some(sum);
            }
        }
        Some(self.list.binary(Op::Add32, a, b))
    }

    /// A sum of three. The one that is there last is added last: the others need not wait for it.
    fn sum_of_three(&mut self, inst: &Inst) -> Option<Value> {
        let mut sources: [Value; 3] = self.sources(inst)?;
        sources.sort_by_key(|&value| self.list.depth(value));
        let [a, b, c] = sources;
        let sum = self.list.binary(Op::Add32, a, b);
        Some(self.list.binary(Op::Add32, sum, c))
    }

    fn middle(&mut self, inst: &Inst, order: Order) -> Option<Value> {
        let [a, b, c] = self.sources(inst)?;
        let least = self.list.binary(order.min, a, b);
        let greatest = self.list.binary(order.max, a, b);
        let upper = self.list.binary(order.min, greatest, c);
        Some(self.list.binary(order.max, least, upper))
    }

    /// The amount of a shift: its low five bits.
    pub(super) fn amount(&mut self, by: Value) -> Value {
        match self.list.constant(by) {
            Some(bits) => self.list.dword(bits & 31),
            None => {
                let known = self.amounts.iter().rev().find(|(known, _)| *known == by);
                if let Some(&(_, amount)) = known {
                    return amount;
                }
                let low = self.list.dword(31);
                let amount = self.list.binary(Op::And, by, low);
                self.amounts.push((by, amount));
                amount
            }
        }
    }

    /// A value shifted by the low five bits of another.
    pub(super) fn shift_by(&mut self, constant: Op, variable: Op, value: Value, by: Value) -> Value {
        match self.list.constant(by) {
            Some(bits) => self.list.shift(constant, value, bits & 31),
            None => {
                let by = self.amount(by);
                self.list.binary(variable, value, by)
            }
        }
    }

    /// A shift; `sources` are the numbers of value and amount.
    fn shifted(&mut self, inst: &Inst, constant: Op, variable: Op, sources: [usize; 2]) -> Option<Value> {
        let value = self.source(inst, sources[0])?;
        let by = self.source(inst, sources[1])?;
        Some(self.shift_by(constant, variable, value, by))
    }

    /// S0 << S1, combined with S2.
    fn shifted_then(&mut self, inst: &Inst, op: Op) -> Option<Value> {
        let [a, by, c] = self.sources(inst)?;
        let shifted = self.shift_by(Op::Shl, Op::ShlVar, a, by);
        Some(self.list.binary(op, shifted, c))
    }

    /// Zeros above the first one; -1 if there is none.
    fn leading_zeros(&mut self, a: Value) -> Value {
        let count = self.list.unary(Op::LeadingZeros, a);
        let none = self.list.test(Op::TestNot, Value::NONE, a, a, 0);
        let ones = self.list.dword(!0);
        self.list.merged(Op::Or, none, count, count, ones)
    }

    /// Zeros below the first one; -1 if there is none.
    fn trailing_zeros(&mut self, inst: &Inst) -> Option<Value> {
        let [a] = self.sources(inst)?;
        let (zero, top) = (self.list.dword(0), self.list.dword(31));
        let minus = self.list.binary(Op::Sub32, zero, a);
        let lowest = self.list.binary(Op::And, a, minus);
        let above = self.list.unary(Op::LeadingZeros, lowest);
        Some(self.list.binary(Op::Sub32, top, above))
    }

    /// |S0 - S1| + S2.
    fn distance(&mut self, inst: &Inst) -> Option<Value> {
        let [a, b, c] = self.sources(inst)?;
        let greater = self.list.binary(Op::MaxU32, a, b);
        let lesser = self.list.binary(Op::MinU32, a, b);
        let distance = self.list.binary(Op::Sub32, greater, lesser);
        Some(self.list.binary(Op::Add32, distance, c))
    }
}
