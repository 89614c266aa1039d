//! The helpers of divisions, and numbers taken apart, where nothing has to be scaled.
//!
//! Zeros, denormals, infinities, NaNs and quotients near the ends of the range are not right.

use gcnsim_isa::{Arch, Inst};

use super::super::Lowering;
use super::{AT_MOST, EXPONENT, FALSE, LESS, SIGN, SIGN_64};
use crate::segments::encode::KOp;
use crate::segments::list::{Action, Logic, Value};
use crate::segments::ops::Op;

/// Bits of the fraction.
const FRACTION: u32 = 0x007f_ffff;
/// 1/2.
const HALF: u32 = 0x3f00_0000;

/// The numbers that decide what divisions do, of a format.
struct Format {
    /// The difference of exponents from which on the quotient is scaled afterwards.
    threshold: u32,
    /// The largest exponent field of a numerator that is scaled up.
    small: u32,
    /// The bias of exponents.
    bias: u32,
    /// Number of bits of the fraction.
    fraction: u32,
}

const SINGLE: Format = Format { threshold: 96, small: 24, bias: 127, fraction: 23 };
const DOUBLE: Format = Format { threshold: 768, small: 53, bias: 1023, fraction: 52 };

impl Lowering<'_> {
    fn exponent_field(&mut self, number: Value) -> Value {
        let top = self.list.shift(Op::Shl, number, 1);
        self.list.shift(Op::Shr, top, 24)
    }

    /// Lanes where an integer is not from `first` on, `count` of them, are not right.
    pub(super) fn require_range(&mut self, integer: Value, first: i32, count: u32) {
        let (minus, count) = (self.list.dword(first.wrapping_neg() as u32), self.list.dword(count));
        let above = self.list.binary(Op::Add32, integer, minus);
        self.list.require(Op::CompareU32, above, count, LESS);
    }

    /// Exponent fields of a pair, in the order of lanes.
    fn exponent_field64(&mut self, pair: [Value; 2]) -> Value {
        let high = self.high_dwords(pair);
        let top = self.list.shift(Op::Shl, high, 1);
        self.list.shift(Op::Shr, top, 21)
    }

    /// Lanes in which V_DIV_SCALE scales a number are not right. `d` and `n` are the exponent fields of denominator and
    /// numerator.
    fn require_unscaled(&mut self, d: Value, n: Value, format: &Format) {
        let &Format { threshold, small, bias, .. } = format;
        let difference = self.list.binary(Op::Sub32, n, d);
        self.require_range(d, 1, 2 * bias - 2);
        self.require_range(n, small as i32 + 1, 2 * bias - small);
        self.require_range(difference, 1 - threshold as i32, 2 * threshold - 1);
    }

    /// Lanes with a special case of V_DIV_FIXUP are not right. `q`, `d` and `n` are the exponent fields of quotient,
    /// denominator and numerator.
    fn require_ordinary(&mut self, [q, d, n]: [Value; 3], format: &Format) {
        let &Format { bias, fraction, .. } = format;
        self.require_range(d, 1, 2 * bias);
        self.require_range(n, 1, 2 * bias);
        self.require_range(q, 0, 2 * bias + 1);
        let (difference, most) = (self.list.binary(Op::Sub32, d, n), self.list.dword(bias + fraction));
        self.list.require(Op::CompareI32, difference, most, AT_MOST);
    }

    /// Whether S0 of a V_DIV_SCALE is one of the other two.
    fn scales_one_of_two(inst: &Inst) -> bool {
        let is_same = |i: usize| inst.src(0) == inst.src(i) && inst.neg(0) == inst.neg(i);
        is_same(1) || is_same(2)
    }

    /// Writes the mask of a V_DIV_SCALE that scales nothing. `field` is any value.
    fn write_no_lane(&mut self, inst: &Inst, field: Value) -> Option<()> {
        let none = self.list.test(Op::CompareU32, Value::EXEC, field, field, FALSE);
        self.write_mask(inst.mask_dst()?, none)
    }

    /// V_DIV_SCALE_F32 where nothing is scaled: the source as it is, and no lane of the mask.
    pub(super) fn division_scale(&mut self, inst: &Inst) -> Option<()> {
        let m = self.float_mode(inst)?;
        if !Self::has_usual_output(inst, &m, m.single) || !Self::scales_one_of_two(inst) {
            return None;
        }
        let [value, denominator, numerator] = self.three_sources(inst)?;
        let [d, n] = [denominator, numerator].map(|x| self.exponent_field(x.value));
        self.require_unscaled(d, n, &SINGLE);
        self.write_no_lane(inst, d)?;
        let result = self.clamped(inst, value.value);
        self.write(inst, result)
    }

    /// V_DIV_SCALE_F64 where nothing is scaled. On gcn1.0 it has a note, and is not taken.
    pub(super) fn division_scale64(&mut self, inst: &Inst) -> Option<()> {
        self.double_mode(inst)?;
        if inst.arch == Arch::Gcn10 || !Self::scales_one_of_two(inst) {
            return None;
        }
        let [value, denominator, numerator] = self.three_doubles(inst)?;
        let [d, n] = [denominator, numerator].map(|x| self.exponent_field64(x.wide));
        self.require_unscaled(d, n, &DOUBLE);
        self.write_no_lane(inst, d)?;
        self.write_pair(inst, value.wide)
    }

    /// V_DIV_FMAS_F32 where VCC has no active lane: a fused sum. Denormal sources are kept.
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

    /// V_DIV_FMAS_F64 where VCC has no active lane. It is not taken where MODE flushes denormal sources, since
    /// V_DIV_FMAS keeps them.
    pub(super) fn division_sum64(&mut self, inst: &Inst) -> Option<()> {
        let m = self.double_mode(inst)?;
        if !m.wide.keep_in {
            return None;
        }
        let scaled = self.read_mask(inst.mask_src()?)?;
        self.list.exclude(scaled);
        self.fused64(inst)
    }

    /// V_DIV_FIXUP_F32 of ordinary numbers: the quotient with the sign that it must have.
    pub(super) fn division_fixup(&mut self, inst: &Inst) -> Option<()> {
        let m = self.float_mode(inst)?;
        if !Self::has_usual_output(inst, &m, m.single) {
            return None;
        }
        let [quotient, denominator, numerator] = self.three_sources(inst)?.map(|source| source.value);
        let fields = [quotient, denominator, numerator].map(|x| self.exponent_field(x));
        self.require_ordinary(fields, &SINGLE);
        let (magnitude, signs) = (self.list.dword(!SIGN), self.list.binary(Op::Xor, denominator, numerator));
        let result = self.list.logic(magnitude, quotient, signs, Logic::Select);
        let result = self.clamped(inst, result);
        self.write(inst, result)
    }

    /// V_DIV_FIXUP_F64 of ordinary numbers.
    pub(super) fn division_fixup64(&mut self, inst: &Inst) -> Option<()> {
        self.double_mode(inst)?;
        let [quotient, denominator, numerator] = self.three_doubles(inst)?.map(|source| source.wide);
        let fields = [quotient, denominator, numerator].map(|x| self.exponent_field64(x));
        self.require_ordinary(fields, &DOUBLE);
        let (magnitude, sign) = (self.list.qword(!SIGN_64), self.list.qword(SIGN_64));
        let result = [0, 1].map(|i| {
            let signs = self.list.binary(Op::Xor64, denominator[i], numerator[i]);
            let (signs, number) =
                (self.list.binary(Op::And64, signs, sign), self.list.binary(Op::And64, quotient[i], magnitude));
            self.list.binary(Op::Or64, number, signs)
        });
        self.write_pair(inst, result)
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
