//! The helpers of divisions, and numbers taken apart: binary32, where nothing has to be scaled.
//!
//! Zeros, denormals, infinities, NaNs and quotients near the ends of the range are not right.

use gcnsim_isa::Inst;

use super::super::Lowering;
use super::{AT_MOST, EXPONENT, FALSE, LESS, SIGN};
use crate::segments::encode::KOp;
use crate::segments::list::{Action, Logic, Value};
use crate::segments::ops::Op;

/// Bits of the fraction.
const FRACTION: u32 = 0x007f_ffff;
/// 1/2.
const HALF: u32 = 0x3f00_0000;

impl Lowering<'_> {
    fn exponent_field(&mut self, number: Value) -> Value {
        let top = self.list.shift(Op::Shl, number, 1);
        self.list.shift(Op::Shr, top, 24)
    }

    /// Lanes where an integer is not from `first` on, `count` of them, are not right.
    fn require_range(&mut self, integer: Value, first: i32, count: u32) {
        let (minus, count) = (self.list.dword(first.wrapping_neg() as u32), self.list.dword(count));
        let above = self.list.binary(Op::Add32, integer, minus);
        self.list.require(Op::CompareU32, above, count, LESS);
    }

    /// V_DIV_SCALE where nothing is scaled: the source as it is, and no lane of the mask.
    pub(super) fn division_scale(&mut self, inst: &Inst) -> Option<()> {
        let m = self.float_mode(inst)?;
        let is_same = |i: usize| inst.src(0) == inst.src(i) && inst.neg(0) == inst.neg(i);
        if !Self::has_usual_output(inst, &m, m.single) || !(is_same(1) || is_same(2)) {
            return None;
        }
        let [value, denominator, numerator] = self.three_sources(inst)?;
        let [d, n] = [denominator, numerator].map(|x| self.exponent_field(x.value));
        let difference = self.list.binary(Op::Sub32, n, d);
        self.require_range(d, 1, 252);
        self.require_range(n, 25, 230);
        self.require_range(difference, -95, 191);
        let none = self.list.test(Op::CompareU32, Value::EXEC, d, d, FALSE);
        self.write_mask(inst.mask_dst()?, none)?;
        let result = self.clamped(inst, value.value);
        self.write(inst, result)
    }

    /// V_DIV_FMAS where VCC has no active lane: a fused sum. Denormal sources are kept.
    pub(super) fn division_sum(&mut self, inst: &Inst) -> Option<()> {
        let m = self.float_mode(inst)?;
        if !Self::has_usual_output(inst, &m, m.single) {
            return None;
        }
        self.need_env(m.single)?;
        let scaled = self.read_mask(inst.mask_src()?)?;
        self.list.exclude(scaled);
        let sources = self.three_sources(inst)?;
        if !m.single.keep_in {
            let (exponent, fraction) = (self.list.dword(EXPONENT), self.list.dword(FRACTION));
            for source in sources {
                let tiny = self.list.test(Op::TestNot, Value::NONE, source.value, exponent, 0);
                let denormal = self.list.test(Op::Test, tiny, source.value, fraction, 0);
                self.list.exclude(denormal);
            }
        }
        let result = self.list.node(Action::Fused(false), sources.map(|source| source.value), 0);
        self.spread_nans(&sources.map(|source| source.plain));
        self.write_float(inst, result)
    }

    /// V_DIV_FIXUP of ordinary numbers: the quotient with the sign that it must have.
    pub(super) fn division_fixup(&mut self, inst: &Inst) -> Option<()> {
        let m = self.float_mode(inst)?;
        if !Self::has_usual_output(inst, &m, m.single) {
            return None;
        }
        let [quotient, denominator, numerator] = self.three_sources(inst)?.map(|source| source.value);
        let [d, n, q] = [denominator, numerator, quotient].map(|x| self.exponent_field(x));
        self.require_range(d, 1, 254);
        self.require_range(n, 1, 254);
        self.require_range(q, 0, 255);
        let (difference, most) = (self.list.binary(Op::Sub32, d, n), self.list.dword(150));
        self.list.require(Op::CompareI32, difference, most, AT_MOST);
        let (magnitude, signs) = (self.list.dword(!SIGN), self.list.binary(Op::Xor, denominator, numerator));
        let result = self.list.logic(magnitude, quotient, signs, Logic::Select);
        let result = self.clamped(inst, result);
        self.write(inst, result)
    }

    /// Zeros of either sign. What is neither zero nor a normal number is not right.
    fn zeros(&mut self, number: Value, field: Value) -> Value {
        let (magnitude, one) = (self.list.dword(!SIGN), self.list.dword(1));
        let zero = self.list.test(Op::TestNot, Value::NONE, number, magnitude, 0);
        let (above, most) = (self.list.binary(Op::Sub32, field, one), self.list.dword(254));
        let normal = self.list.test(Op::CompareU32, Value::NONE, above, most, LESS);
        let right = self.list.mask(KOp::Or, zero, normal);
        self.list.require_mask(right);
        zero
    }

    /// V_FREXP_MANT: a significand from 1/2 on.
    pub(super) fn significand(&mut self, inst: &Inst) -> Option<()> {
        let m = self.float_mode(inst)?;
        if !Self::has_usual_output(inst, &m, m.single) {
            return None;
        }
        let number = self.float_source(inst, 0)?.value;
        let field = self.exponent_field(number);
        let zero = self.zeros(number, field);
        let (kept, half) = (self.list.dword(SIGN | FRACTION), self.list.dword(HALF));
        let result = self.list.logic(kept, number, half, Logic::Select);
        let result = self.list.blend(zero, result, number);
        let result = self.clamped(inst, result);
        self.write(inst, result)
    }

    /// V_FREXP_EXP: the power of two that goes with it.
    pub(super) fn power(&mut self, inst: &Inst) -> Option<()> {
        self.float_mode(inst)?;
        let number = self.float_source(inst, 0)?.value;
        let field = self.exponent_field(number);
        let zero = self.zeros(number, field);
        let (bias, none) = (self.list.dword(126), self.list.dword(0));
        let power = self.list.binary(Op::Sub32, field, bias);
        let result = self.list.blend(zero, power, none);
        self.write(inst, result)
    }
}
