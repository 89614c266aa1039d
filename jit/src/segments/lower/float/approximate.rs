//! Reciprocals and roots: rounded to nearest, whatever MODE says; denormals are always zero.

use gcnsim_isa::Inst;

use super::super::Lowering;
use super::{EXPONENT, ONE, SIGN, UNEQUAL, UNORDERED};
use crate::segments::list::{Action, Value};
use crate::segments::ops::Op;
use gcnsim_helpers::valu::float::{Env, Rounding};

/// The signs of a fused multiplication and addition whose product is negated.
const NEGATED_PRODUCT: u8 = 2;

impl Lowering<'_> {
    /// A denormal as zero with its sign, where MXCSR does not say so.
    pub(super) fn flushed(&mut self, keeps_denormals: bool, value: Value) -> Value {
        if !keeps_denormals {
            return value;
        }
        let (exponent, sign) = (self.list.dword(EXPONENT), self.list.dword(SIGN));
        let tiny = self.list.test(Op::TestNot, Value::NONE, value, exponent, 0);
        self.list.merged(Op::And, tiny, value, value, sign)
    }

    /// MODE's treatment of denormals, if it treats sources and results alike; rounding to nearest.
    pub(super) fn approximate_env(&mut self, inst: &Inst) -> Option<Env> {
        let m = self.float_mode(inst)?;
        let env = Env { rounding: Rounding::Nearest, ..m.single };
        if !Self::has_usual_output(inst, &m, m.single) || env.keep_in != env.keep_out {
            return None;
        }
        self.need_env(env)?;
        Some(env)
    }

    pub(super) fn reciprocal(&mut self, inst: &Inst) -> Option<()> {
        let env = self.approximate_env(inst)?;
        let a = self.float_source(inst, 0)?;
        let one = self.list.dword(ONE);
        let divisor = self.flushed(env.keep_in, a.value);
        let quotient = self.list.binary(Op::DivF32, one, divisor);
        let result = self.flushed(env.keep_in, quotient);
        self.spread_nans(&[a.plain]);
        self.write_float(inst, result)
    }

    pub(super) fn root(&mut self, inst: &Inst) -> Option<()> {
        let env = self.approximate_env(inst)?;
        let a = self.float_source(inst, 0)?;
        let number = self.flushed(env.keep_in, a.value);
        let result = self.list.unary(Op::SqrtF32, number);
        // The root of -0 has a note.
        let minus_zero = self.list.dword(SIGN);
        self.list.require(Op::CompareU32, result, minus_zero, UNEQUAL);
        self.spread_nans(&[a.plain]);
        self.write_float(inst, result)
    }

    /// In binary64, which is exact enough for one rounding to binary32.
    pub(super) fn reciprocal_root(&mut self, inst: &Inst) -> Option<()> {
        let env = self.approximate_env(inst)?;
        let a = self.float_source(inst, 0)?;
        let number = self.flushed(env.keep_in, a.value);
        let doubles = self.doubles(number);
        let roots = match self.list.is_narrow {
            true => doubles.map(|x| self.quotient_by_root(x)),
            false => doubles.map(|x| self.refined_root(x)),
        };
        let mut result = self.singles(roots);
        if !self.list.is_narrow {
            // An estimate of 0 or infinity is right, and became a NaN.
            let special = self.list.test(Op::CompareF32, Value::NONE, result, result, UNORDERED);
            result = self.list.merged(Op::RootF32, special, result, number, Value::NONE);
        }
        self.spread_nans(&[a.plain]);
        self.write_float(inst, result)
    }

    fn quotient_by_root(&mut self, x: Value) -> Value {
        let (one, root) = (self.list.qword(1.0f64.to_bits()), self.list.unary(Op::SqrtF64, x));
        self.list.binary(Op::DivF64, one, root)
    }

    /// An estimate y, times the first terms of the series of 1 / sqrt(1 - e), where e = 1 - x * y * y is below 2^-13.
    /// What is left out is below 2^-53.8, and all errors together are below 2^-51.9. No reciprocal root of a binary32
    /// number is nearer than 2^-51.8 of itself to the middle between two such numbers (all were looked at), so this one
    /// is rounded as the exact one. It takes half as long as a root and a quotient.
    fn refined_root(&mut self, x: Value) -> Value {
        let [one, first, second, third] =
            [1.0, 1.0 / 2.0, 3.0 / 8.0, 5.0 / 16.0f64].map(|factor| self.list.qword(factor.to_bits()));
        let y = self.list.unary(Op::RootF64, x);
        let product = self.list.binary(Op::MulF64, x, y);
        let e = self.list.node(Action::Fused(true), [product, y, one], NEGATED_PRODUCT);
        let sum = self.list.node(Action::Fused(true), [e, third, second], 0);
        let sum = self.list.node(Action::Fused(true), [sum, e, first], 0);
        let step = self.list.binary(Op::MulF64, y, e);
        self.list.node(Action::Fused(true), [step, sum, y], 0)
    }
}
