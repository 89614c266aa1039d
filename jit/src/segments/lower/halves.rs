//! 16-bit integers in the low halves of registers. The upper half of a result is 0, or that of the destination.

use gcnsim_isa::Inst;
use gcnsim_isa::table::Vop2;

use super::Lowering;
use crate::segments::list::{Logic, Value};
use crate::segments::ops::Op;

impl Lowering<'_> {
    pub(super) fn half(&mut self, inst: &Inst, op: Vop2) -> Option<Value> {
        use Vop2::*;
        if inst.writes_half().is_some() {
            return None;
        }
        let [a, b] = self.sources(inst)?;
        Some(match op {
            VAddU16 => self.low_half(Op::Add32, a, b),
            VSubU16 => self.low_half(Op::Sub32, a, b),
            VSubrevU16 => self.low_half(Op::Sub32, b, a),
            VMulLoU16 => self.low_half(Op::MulLow16, a, b),
            VMaxU16 => self.low_half(Op::MaxU16, a, b),
            VMinU16 => self.low_half(Op::MinU16, a, b),
            VMaxI16 => self.low_half(Op::MaxI16, a, b),
            VMinI16 => self.low_half(Op::MinI16, a, b),
            VLshlrevB16 => {
                let by = self.half_amount(a);
                self.low_half(Op::ShlVar, b, by)
            }
            VLshrrevB16 => {
                let by = self.half_amount(a);
                let low = self.list.dword(0xffff);
                let value = self.list.binary(Op::And, b, low);
                self.list.binary(Op::ShrVar, value, by)
            }
            VAshrrevI16 => {
                let by = self.half_amount(a);
                let value = self.list.shift(Op::Shl, b, 16);
                let value = self.list.binary(Op::SarVar, value, by);
                self.list.shift(Op::Shr, value, 16)
            }
            _ => return None,
        })
    }

    /// V_MAD_U16, V_MAD_LEGACY_U16.
    pub(super) fn sum_of_half_product(&mut self, inst: &Inst) -> Option<Value> {
        let [a, b, c] = self.sources(inst)?;
        let product = self.list.binary(Op::MulLow16, a, b);
        let sum = self.list.binary(Op::Add32, product, c);
        let low = self.list.dword(0xffff);
        match inst.writes_half() {
            None => Some(self.list.binary(Op::And, sum, low)),
            Some(0) => {
                let old = self.vgpr(inst.vdst()?);
                Some(self.list.logic(low, sum, old, Logic::Select))
            }
            Some(_) => None,
        }
    }

    fn low_half(&mut self, op: Op, a: Value, b: Value) -> Value {
        let result = self.list.binary(op, a, b);
        let low = self.list.dword(0xffff);
        self.list.binary(Op::And, result, low)
    }

    /// The amount of a shift: its low four bits.
    fn half_amount(&mut self, by: Value) -> Value {
        match self.list.constant(by) {
            Some(bits) => self.list.dword(bits & 15),
            None => {
                let low = self.list.dword(15);
                self.list.binary(Op::And, by, low)
            }
        }
    }
}
