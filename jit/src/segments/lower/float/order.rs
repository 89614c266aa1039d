//! Least, greatest and middle ones of binary32.

use gcnsim_isa::{Arch, Inst};

use super::super::Lowering;
use super::ORDERED;
use crate::segments::list::Value;
use crate::segments::ops::Op;
use gcnsim_helpers::valu::float::{Env, FloatMode};

impl Lowering<'_> {
    /// Whether an instruction of the host takes the least or greatest number, and then whether denormals are zero. It
    /// needs denormals as MODE has them.
    pub(super) fn range_env(m: &FloatMode, env: Env) -> Option<bool> {
        let keeps = m.arch < Arch::Gcn14 || env.keep_in;
        match (keeps, env.keep_in && env.keep_out) {
            (true, true) => Some(false),
            (true, false) => None,
            (false, _) => Some(true),
        }
    }

    /// Records whether least and greatest numbers take denormals as zero. The manuals do not say what AVX2's
    /// instructions do.
    pub(super) fn need_flushing_of_range(&mut self, zero: bool) -> Option<()> {
        if zero && self.list.is_narrow { None } else { self.need_flushing_of_sources(zero) }
    }

    /// The least or greatest of two numbers; -0 is below +0. NaNs of the result are tested where they matter.
    fn lesser(&mut self, m: &FloatMode, a: Value, b: Value, greatest: bool) -> Option<Value> {
        if let Some(flush) = Self::range_env(m, m.single) {
            self.need_flushing_of_range(flush)?;
            // The sign is that of the result of the comparison.
            let result = self.list.binary_imm(Op::RangeF32, a, b, 4 | greatest as u8);
            self.list.require_number(result);
            return Some(result);
        }
        // The order of the bits as integers is that of the numbers, but for two negative numbers it is reversed.
        self.list.require(Op::CompareF32, a, b, ORDERED);
        let (first, second) = if greatest { (Op::MaxI32, Op::MinI32) } else { (Op::MinI32, Op::MaxI32) };
        let signs = self.list.binary(Op::And, a, b);
        let negative = self.list.convert_mask(Op::MaskToBits, signs);
        let result = self.list.binary(first, a, b);
        Some(self.list.merged(second, negative, result, a, b))
    }

    pub(super) fn least(&mut self, inst: &Inst, greatest: bool) -> Option<()> {
        let m = self.float_mode(inst)?;
        if !Self::has_usual_output(inst, &m, m.single) {
            return None;
        }
        let [a, b] = [self.float_source(inst, 0)?, self.float_source(inst, 1)?];
        let result = self.lesser(&m, a.value, b.value, greatest)?;
        let result = self.clamped(inst, result);
        self.write(inst, result)
    }

    pub(super) fn least3(&mut self, inst: &Inst, greatest: bool) -> Option<()> {
        let m = self.float_mode(inst)?;
        if !Self::has_usual_output(inst, &m, m.single) {
            return None;
        }
        let [a, b, c] = self.three_sources(inst)?;
        let first = self.lesser(&m, a.value, b.value, greatest)?;
        let result = self.lesser(&m, first, c.value, greatest)?;
        let result = self.clamped(inst, result);
        self.write(inst, result)
    }

    pub(super) fn middle_float(&mut self, inst: &Inst) -> Option<()> {
        let m = self.float_mode(inst)?;
        if !Self::has_usual_output(inst, &m, m.single) {
            return None;
        }
        let [a, b, c] = self.three_sources(inst)?;
        self.list.require(Op::CompareF32, a.value, b.value, ORDERED);
        self.list.require(Op::CompareF32, c.value, c.value, ORDERED);
        let low = self.lesser(&m, a.value, b.value, false)?;
        let high = self.lesser(&m, a.value, b.value, true)?;
        let high = self.lesser(&m, high, c.value, false)?;
        let result = self.lesser(&m, low, high, true)?;
        let result = self.clamped(inst, result);
        self.write(inst, result)
    }
}
