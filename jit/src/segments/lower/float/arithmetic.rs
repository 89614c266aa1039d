//! Sums and products of binary32.

use gcnsim_isa::{Arch, Inst};

use super::super::Lowering;
use super::{EXPONENT, ONE, SIGN, Source};
use crate::segments::encode::KOp;
use crate::segments::list::{Action, Value};
use crate::segments::ops::Op;
use gcnsim_helpers::valu::float::Env;

impl Lowering<'_> {
    pub(super) fn arithmetic(&mut self, inst: &Inst, op: Op, order: [usize; 2]) -> Option<()> {
        let m = self.float_mode(inst)?;
        self.need_env(m.single)?;
        let [a, b] = [self.float_source(inst, order[0])?, self.float_source(inst, order[1])?];
        let result = self.list.binary(op, a.value, b.value);
        self.spread_nans(&[a.plain, b.plain]);
        let result = self.with_omod(inst, &m, result);
        self.write_float(inst, result)
    }

    /// S0, S1 and S2 or the accumulator.
    pub(super) fn three_sources(&mut self, inst: &Inst) -> Option<[Source; 3]> {
        let third = if inst.src_count() == 3 {
            self.float_source(inst, 2)?
        } else {
            let value = self.vgpr(inst.vdst()?);
            Source { value, plain: value }
        };
        Some([self.float_source(inst, 0)?, self.float_source(inst, 1)?, third])
    }

    /// MAD: a product, then a sum; denormals are always zero.
    pub(super) fn two_roundings(&mut self, inst: &Inst, is_legacy: bool) -> Option<()> {
        let m = self.float_mode(inst)?;
        let env = Env { keep_in: false, keep_out: false, ..m.single };
        self.need_env(env)?;
        let [a, b, c] = self.three_sources(inst)?;
        let product = if is_legacy {
            self.product_with_zeros(env, a, b)
        } else {
            self.spread_nans(&[a.plain, b.plain]);
            self.list.binary(Op::MulF32, a.value, b.value)
        };
        let sum = self.list.binary(Op::AddF32, product, c.value);
        self.spread_nans(&[c.plain]);
        let sum = self.with_omod(inst, &m, sum);
        self.write_float(inst, sum)
    }

    pub(super) fn legacy_product(&mut self, inst: &Inst) -> Option<()> {
        let m = self.float_mode(inst)?;
        self.need_env(m.single)?;
        let [a, b] = [self.float_source(inst, 0)?, self.float_source(inst, 1)?];
        let product = self.product_with_zeros(m.single, a, b);
        let product = self.with_omod(inst, &m, product);
        self.write_float(inst, product)
    }

    /// A product that is +0 where a source is zero, whatever the other one is.
    fn product_with_zeros(&mut self, env: Env, a: Source, b: Source) -> Value {
        let magnitude = self.list.dword(if env.keep_in { !SIGN } else { EXPONENT });
        let [zero_a, zero_b] = [a, b].map(|x| self.list.test(Op::TestNot, Value::NONE, x.value, magnitude, 0));
        let is_zero = self.list.mask(KOp::Or, zero_a, zero_b);
        let (product, zero) = (self.list.binary(Op::MulF32, a.value, b.value), self.list.dword(0));
        self.list.merged(Op::And, is_zero, product, product, zero)
    }

    pub(super) fn fused(&mut self, inst: &Inst) -> Option<()> {
        let m = self.float_mode(inst)?;
        self.need_env(m.single)?;
        let sources = self.three_sources(inst)?;
        let only_neg = |i: usize| i < inst.src_count() && inst.neg(i) && !inst.abs(i);
        // Signs of NaNs do not matter, so signs can be the operation's.
        let picked = [0, 1, 2].map(|i| if only_neg(i) { sources[i].plain } else { sources[i].value });
        let signs = ((only_neg(0) ^ only_neg(1)) as u8) << 1 | only_neg(2) as u8;
        let result = self.list.node(Action::Fused(false), picked, signs);
        self.spread_nans(&sources.map(|source| source.plain));
        let result = self.with_omod(inst, &m, result);
        self.write_float(inst, result)
    }

    /// S0 * 2^S1.
    pub(super) fn scaled(&mut self, inst: &Inst) -> Option<()> {
        let m = self.float_mode(inst)?;
        self.need_env(m.single)?;
        let (a, power) = (self.float_source(inst, 0)?, self.source(inst, 1)?);
        // Powers that are not exact are beyond all numbers.
        let power = self.list.unary(Op::FromI32, power);
        let result = self.list.binary(Op::ScaleF32, a.value, power);
        self.spread_nans(&[a.plain]);
        let result = self.with_omod(inst, &m, result);
        self.write_float(inst, result)
    }

    /// An integral value; the immediate has the direction.
    pub(super) fn integral(&mut self, inst: &Inst, imm: u8) -> Option<()> {
        let m = self.float_mode(inst)?;
        if !Self::has_usual_output(inst, &m, m.single) {
            return None;
        }
        self.need_flushing_of_sources(!m.single.keep_in)?;
        let a = self.float_source(inst, 0)?;
        let result = self.list.unary_imm(Op::RoundF32, a.value, imm);
        self.spread_nans(&[a.plain]);
        self.write_float(inst, result)
    }

    /// What is above the next lower integer; below 1 in any case.
    pub(super) fn fraction(&mut self, inst: &Inst) -> Option<()> {
        let m = self.float_mode(inst)?;
        if !Self::has_usual_output(inst, &m, m.single) || m.arch == Arch::Gcn10 {
            return None;
        }
        self.need_env(m.single)?;
        let a = self.float_source(inst, 0)?;
        let floor = self.list.unary_imm(Op::RoundF32, a.value, 9);
        let rest = self.list.binary(Op::SubF32, a.value, floor);
        self.spread_nans(&[a.plain]);
        self.list.require_number(rest);
        let (magnitude, most) = (self.list.dword(!SIGN), self.list.dword(ONE - 1));
        let rest = self.list.binary(Op::And, rest, magnitude);
        let rest = self.list.binary(Op::MinU32, rest, most);
        let result = self.clamped(inst, rest);
        self.write(inst, result)
    }
}
