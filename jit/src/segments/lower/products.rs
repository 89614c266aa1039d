//! Products of integers.

use gcnsim_isa::Inst;
use gcnsim_isa::table::{Vop2, Vop3};

use super::Lowering;
use crate::segments::list::{Home, Value};
use crate::segments::ops::Op;

impl Lowering<'_> {
    /// Whether the value is the same in all lanes.
    pub(super) fn is_uniform(&self, value: Value) -> bool {
        matches!(self.list.values[value.index()].home, Home::Scalar(_) | Home::Dword(_))
    }

    /// The upper halves of 64-bit products; `op` multiplies even dwords.
    pub(super) fn high_product(&mut self, op: Op, a: Value, b: Value) -> Value {
        let odd = [a, b].map(|x| if self.is_uniform(x) { x } else { self.list.shift(Op::Shr64, x, 32) });
        let even = self.list.binary(op, a, b);
        let odd = self.list.binary(op, odd[0], odd[1]);
        if self.list.is_narrow {
            return self.list.odd_dwords(even, odd);
        }
        // The result takes dword 1 of both products of each pair of lanes.
        let lanes = self.list.vector(std::array::from_fn(|lane| lane as u32 + if lane % 2 == 0 { 1 } else { 16 }));
        self.list.tied(Op::Pick, even, lanes, odd)
    }

    /// The low 24 bits, extended.
    fn low24(&mut self, x: Value, is_signed: bool) -> Value {
        match (self.list.constant(x), is_signed) {
            (Some(bits), true) => self.list.dword(((bits << 8) as i32 >> 8) as u32),
            (Some(bits), false) => self.list.dword(bits & 0xff_ffff),
            (None, true) => {
                let top = self.list.shift(Op::Shl, x, 8);
                self.list.shift(Op::Sar, top, 8)
            }
            (None, false) => {
                let low = self.list.dword(0xff_ffff);
                self.list.binary(Op::And, x, low)
            }
        }
    }

    pub(super) fn product24(&mut self, inst: &Inst, op: Vop2) -> Option<Value> {
        let is_signed = matches!(op, Vop2::VMulI32I24 | Vop2::VMulHiI32I24);
        let [a, b] = self.sources(inst)?;
        let [a, b] = [a, b].map(|x| self.low24(x, is_signed));
        Some(match op {
            Vop2::VMulHiI32I24 => self.high_product(Op::MulI64, a, b),
            Vop2::VMulHiU32U24 => self.high_product(Op::MulU64, a, b),
            _ => self.list.binary(Op::MulLow, a, b),
        })
    }

    pub(super) fn sum_of_product24(&mut self, inst: &Inst, op: Vop3) -> Option<Value> {
        let [a, b, c] = self.sources(inst)?;
        let [a, b] = [a, b].map(|x| self.low24(x, op == Vop3::VMadI32I24));
        let product = self.list.binary(Op::MulLow, a, b);
        Some(self.list.binary(Op::Add32, product, c))
    }
}
