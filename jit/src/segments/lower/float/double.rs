//! Binary64 arithmetic.

use gcnsim_isa::Inst;

use super::super::Lowering;
use super::{Double, EQUAL, Mxcsr, ORDERED, SIGN, UNEQUAL};
use crate::segments::list::{Action, Value};
use crate::segments::ops::Op;
use gcnsim_helpers::valu::float::{Env, FloatMode, Rounding};

const TWO_31: f64 = 2_147_483_648.0;
const TWO_52: f64 = 4_503_599_627_370_496.0;
/// The largest power of two that [`Op::ScaleF64`] multiplies by at every level.
const MOST_POWER: i32 = 1000;
/// 2^-98, which is more than the error of 1 - x * y * y, if that is about 2^-51, in twice the precision.
const ROOT_SLACK: f64 = f64::from_bits((1023 - 98) << 52);

impl Lowering<'_> {
    /// MODE, if it and the instruction's modifiers are what segments know.
    pub(super) fn double_mode(&mut self, inst: &Inst) -> Option<FloatMode> {
        let m = self.float_mode(inst)?;
        let is_plain = !inst.clamp() && Self::has_usual_output(inst, &m, m.wide);
        is_plain.then_some(m)
    }

    pub(super) fn three_doubles(&mut self, inst: &Inst) -> Option<[Double; 3]> {
        Some([self.double_source(inst, 0)?, self.double_source(inst, 1)?, self.double_source(inst, 2)?])
    }

    /// Lanes with a NaN are not right.
    fn require_numbers(&mut self, pair: [Value; 2]) {
        let numbers = pair.map(|x| self.list.test(Op::CompareF64, Value::NONE, x, x, ORDERED));
        let numbers = self.join_masks(numbers);
        self.list.require_mask(numbers);
    }

    /// Tests a binary64 result and writes it.
    fn write_double(&mut self, inst: &Inst, result: [Value; 2]) -> Option<()> {
        let first = self.list.nodes.len();
        self.require_numbers(result);
        for node in &mut self.list.nodes[first..] {
            node.guard = result[0];
        }
        self.write_pair(inst, result)
    }

    pub(super) fn arithmetic64(&mut self, inst: &Inst, op: Op) -> Option<()> {
        let m = self.double_mode(inst)?;
        self.need_env(m.wide)?;
        let [a, b] = [self.double_source(inst, 0)?, self.double_source(inst, 1)?];
        let result = [0, 1].map(|i| self.list.binary(op, a.wide[i], b.wide[i]));
        self.spread_nans(&[a.plain, b.plain]);
        self.write_double(inst, result)
    }

    pub(super) fn fused64(&mut self, inst: &Inst) -> Option<()> {
        let m = self.double_mode(inst)?;
        self.need_env(m.wide)?;
        let [a, b, c] = self.three_doubles(inst)?;
        let result = [0, 1].map(|i| self.list.node(Action::Fused(true), [a.wide[i], b.wide[i], c.wide[i]], 0));
        self.spread_nans(&[a.plain, b.plain, c.plain]);
        self.write_double(inst, result)
    }

    pub(super) fn integral64(&mut self, inst: &Inst, imm: u8) -> Option<()> {
        let m = self.double_mode(inst)?;
        self.need_flushing_of_sources(!m.wide.keep_in)?;
        let a = self.double_source(inst, 0)?;
        let result = a.wide.map(|x| self.list.unary_imm(Op::RoundF64, x, imm));
        self.spread_nans(&[a.plain]);
        self.write_double(inst, result)
    }

    pub(super) fn least64(&mut self, inst: &Inst, greatest: bool) -> Option<()> {
        let m = self.double_mode(inst)?;
        let flush = Self::range_env(&m, m.wide)?;
        self.need_flushing_of_range(flush)?;
        let [a, b] = [self.double_source(inst, 0)?, self.double_source(inst, 1)?];
        let imm = 4 | greatest as u8;
        let result = [0, 1].map(|i| self.list.binary_imm(Op::RangeF64, a.wide[i], b.wide[i], imm));
        self.write_double(inst, result)
    }

    // Reciprocals and roots: rounded to nearest, whatever MODE says.

    /// Records what the host needs for an approximate function.
    fn approximate_mode(&mut self, inst: &Inst) -> Option<()> {
        let m = self.double_mode(inst)?;
        self.need_env(Env { rounding: Rounding::Nearest, ..m.wide })
    }

    pub(super) fn reciprocal64(&mut self, inst: &Inst) -> Option<()> {
        self.approximate_mode(inst)?;
        let (a, one) = (self.double_source(inst, 0)?, self.list.qword(1.0f64.to_bits()));
        let result = a.wide.map(|x| self.list.binary(Op::DivF64, one, x));
        self.spread_nans(&[a.plain]);
        self.write_double(inst, result)
    }

    pub(super) fn root64(&mut self, inst: &Inst) -> Option<()> {
        self.approximate_mode(inst)?;
        let a = self.double_source(inst, 0)?;
        let result = a.wide.map(|x| self.list.unary(Op::SqrtF64, x));
        // The root of -0 has a note.
        let (high, minus_zero) = (self.high_dwords(result), self.list.dword(SIGN));
        self.list.require(Op::CompareU32, high, minus_zero, UNEQUAL);
        self.spread_nans(&[a.plain]);
        self.write_double(inst, result)
    }

    /// A quotient by the root, `y`, has errors of both. 1 - x * y * y, in twice the precision, tells how far it is from
    /// the exact result. Lanes where that is too near to the middle between two numbers are not right.
    pub(super) fn reciprocal_root64(&mut self, inst: &Inst) -> Option<()> {
        self.approximate_mode(inst)?;
        let a = self.double_source(inst, 0)?;
        let [one, half, sign, slack] = [1.0, 0.5, -0.0, ROOT_SLACK].map(|x: f64| self.list.qword(x.to_bits()));
        let mut equal = [Value::NONE; 2];
        let mut result = [Value::NONE; 2];
        for (i, x) in a.wide.into_iter().enumerate() {
            let root = self.list.unary(Op::SqrtF64, x);
            let y = self.list.binary(Op::DivF64, one, root);
            let high = self.list.binary(Op::MulF64, x, y);
            let minus_high = self.list.binary(Op::Xor64, high, sign);
            let low = self.list.node(Action::Fused(true), [x, y, minus_high], 0);
            let minus_low = self.list.binary(Op::Xor64, low, sign);
            let rest = self.list.node(Action::Fused(true), [minus_high, y, one], 0);
            let rest = self.list.node(Action::Fused(true), [minus_low, y, rest], 0);
            let half_y = self.list.binary(Op::MulF64, y, half);
            let ends = [Op::SubF64, Op::AddF64].map(|op| {
                let moved = self.list.binary(op, rest, slack);
                self.list.node(Action::Fused(true), [half_y, moved, y], 0)
            });
            equal[i] = self.list.test(Op::CompareF64, Value::NONE, ends[0], ends[1], EQUAL);
            result[i] = ends[0];
        }
        // Neither zeros and infinities nor NaNs get through.
        let equal = self.join_masks(equal);
        self.list.require_mask(equal);
        self.write_pair(inst, result)
    }

    /// S0 * 2^S1. Lanes with large powers are not right.
    pub(super) fn scaled64(&mut self, inst: &Inst) -> Option<()> {
        let m = self.double_mode(inst)?;
        self.need_env(m.wide)?;
        let (a, power) = (self.double_source(inst, 0)?, self.source(inst, 1)?);
        self.require_range(power, -MOST_POWER, 2 * MOST_POWER as u32 + 1);
        let power = self.doubles_of(power, true);
        let result = [0, 1].map(|i| self.list.binary(Op::ScaleF64, a.wide[i], power[i]));
        self.spread_nans(&[a.plain]);
        self.write_double(inst, result)
    }

    // Conversions.

    /// Integers as binary64, which is exact if MXCSR does not round down: they become the low bits of 2^52 and more,
    /// from which that is subtracted.
    fn doubles_of(&mut self, integers: Value, is_signed: bool) -> [Value; 2] {
        let high = self.list.dword(((TWO_52.to_bits()) >> 32) as u32);
        let (integers, bias) = if is_signed {
            let sign = self.list.dword(SIGN);
            (self.list.binary(Op::Xor, integers, sign), TWO_52 + TWO_31)
        } else {
            (integers, TWO_52)
        };
        let bias = self.list.qword(bias.to_bits());
        [Op::InterleaveLow, Op::InterleaveHigh].map(|op| {
            let number = self.list.binary(op, integers, high);
            self.list.binary(Op::SubF64, number, bias)
        })
    }

    /// V_CVT_F64_I32 and V_CVT_F64_U32.
    pub(super) fn double_of_integer(&mut self, inst: &Inst, is_signed: bool) -> Option<()> {
        self.double_mode(inst)?;
        // Rounded down, the difference of equal numbers would be -0.
        self.need(Mxcsr::ROUNDING, 0)?;
        let a = self.source(inst, 0)?;
        let result = self.doubles_of(a, is_signed);
        self.write_pair(inst, result)
    }

    /// V_CVT_I32_F64 and V_CVT_U32_F64: an integral number in the range, as the low bits of 2^52 and more.
    pub(super) fn integer_of_double(&mut self, inst: &Inst, is_signed: bool) -> Option<()> {
        if inst.clamp() {
            return None;
        }
        let a = self.double_source(inst, 0)?;
        self.require_numbers(a.wide);
        let (least, most, bias) =
            if is_signed { (-TWO_31, TWO_31 - 1.0, 1.5 * TWO_52) } else { (0.0, 2.0 * TWO_31 - 1.0, TWO_52) };
        let [least, most, bias] = [least, most, bias].map(|x| self.list.qword(x.to_bits()));
        let sums = a.wide.map(|x| {
            let x = self.list.unary_imm(Op::RoundF64, x, 11);
            let x = self.list.binary_imm(Op::RangeF64, x, most, 4);
            let x = self.list.binary_imm(Op::RangeF64, x, least, 5);
            self.list.binary(Op::AddF64, x, bias)
        });
        let result = self.low_dwords(sums);
        self.write(inst, result)
    }

    /// V_CVT_F64_F32.
    pub(super) fn double_of_single(&mut self, inst: &Inst) -> Option<()> {
        let m = self.double_mode(inst)?;
        self.need_flushing_of_sources(!m.single.keep_in)?;
        let a = self.float_source(inst, 0)?;
        // From the order of lanes to that of pairs.
        let order = match self.list.is_narrow {
            true => [0, 1, 4, 5, 2, 3, 6, 7, 0, 0, 0, 0, 0, 0, 0, 0],
            false => [0, 1, 4, 5, 8, 9, 12, 13, 2, 3, 6, 7, 10, 11, 14, 15],
        };
        let order = self.list.vector(order);
        let lanes = self.list.binary(Op::Permute, order, a.value);
        let result = self.doubles(lanes);
        self.spread_nans(&[a.plain]);
        self.write_double(inst, result)
    }

    /// V_CVT_F32_F64.
    pub(super) fn single_of_double(&mut self, inst: &Inst) -> Option<()> {
        let m = self.float_mode(inst)?;
        if !Self::has_usual_output(inst, &m, m.single) {
            return None;
        }
        self.need_env(Env { keep_in: m.wide.keep_in, ..m.single })?;
        let a = self.double_source(inst, 0)?;
        let lanes = self.singles(a.wide);
        // From the order of pairs to that of lanes.
        let order = match self.list.is_narrow {
            true => [0, 1, 4, 5, 2, 3, 6, 7, 0, 0, 0, 0, 0, 0, 0, 0],
            false => [0, 1, 8, 9, 2, 3, 10, 11, 4, 5, 12, 13, 6, 7, 14, 15],
        };
        let order = self.list.vector(order);
        let result = self.list.binary(Op::Permute, order, lanes);
        self.spread_nans(&[a.plain]);
        self.write_float(inst, result)
    }
}
