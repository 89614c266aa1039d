//! Reciprocals and roots: rounded to nearest, whatever MODE says; denormals are always zero.

use gcnsim_isa::Inst;

use super::super::Lowering;
use super::{EXPONENT, ONE, SIGN, UNEQUAL};
use crate::segments::list::Value;
use crate::segments::ops::Op;
use gcnsim_helpers::valu::float::{Env, Rounding};

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
        let (number, one) = (self.flushed(env.keep_in, a.value), self.list.qword(1.0f64.to_bits()));
        let quotients = self.doubles(number).map(|x| {
            let root = self.list.unary(Op::SqrtF64, x);
            self.list.binary(Op::DivF64, one, root)
        });
        let result = self.singles(quotients);
        self.spread_nans(&[a.plain]);
        self.write_float(inst, result)
    }
}
