//! Binary64 arithmetic.

use gcnsim_isa::Inst;

use super::super::Lowering;
use super::ORDERED;
use crate::segments::list::{Action, Value};
use crate::segments::ops::Op;
use gcnsim_helpers::valu::float::FloatMode;

impl Lowering<'_> {
    /// MODE, if it and the instruction's modifiers are what segments know.
    fn double_mode(&mut self, inst: &Inst) -> Option<FloatMode> {
        let m = self.float_mode(inst)?;
        let is_plain = !inst.clamp() && Self::has_usual_output(inst, &m, m.wide);
        is_plain.then_some(m)
    }

    /// Tests a binary64 result and writes it.
    fn write_double(&mut self, inst: &Inst, result: [Value; 2]) -> Option<()> {
        let first = self.list.nodes.len();
        let numbers = result.map(|x| self.list.test(Op::CompareF64, Value::NONE, x, x, ORDERED));
        let numbers = self.join_masks(numbers);
        self.list.require_mask(numbers);
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
        let [a, b, c] = [self.double_source(inst, 0)?, self.double_source(inst, 1)?, self.double_source(inst, 2)?];
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
}
