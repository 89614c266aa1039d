//! Conversions of binary32 from and to integers and binary16.

use gcnsim_isa::{Arch, Inst};

use super::super::Lowering;
use super::{Mxcsr, NOT_BELOW, ORDERED, TWO_31};
use crate::segments::list::Value;
use crate::segments::ops::Op;
use gcnsim_helpers::valu::float::{FloatMode, Rounding};

impl Lowering<'_> {
    pub(super) fn of_integer(&mut self, inst: &Inst, op: Op) -> Option<()> {
        let a = self.source(inst, 0)?;
        self.converted(inst, op, a)
    }

    pub(super) fn of_byte(&mut self, inst: &Inst, shift: u32) -> Option<()> {
        let a = self.source(inst, 0)?;
        let byte = self.list.shift(Op::Shr, a, shift);
        let byte = if shift == 24 {
            byte
        } else {
            let low = self.list.dword(0xff);
            self.list.binary(Op::And, byte, low)
        };
        self.converted(inst, Op::FromI32, byte)
    }

    fn converted(&mut self, inst: &Inst, op: Op, integer: Value) -> Option<()> {
        let m = self.float_mode(inst)?;
        if !Self::has_usual_output(inst, &m, m.single) {
            return None;
        }
        self.need(Mxcsr::ROUNDING, Mxcsr::of(m.single))?;
        let result = self.list.unary(op, integer);
        let result = self.clamped(inst, result);
        self.write(inst, result)
    }

    pub(super) fn convert_i32(&mut self, inst: &Inst) -> Option<()> {
        let a = self.float_source(inst, 0)?.value;
        let is_number = self.list.test(Op::CompareF32, Value::NONE, a, a, ORDERED);
        let result = self.list.zeroed(Op::ToI32, is_number, a);
        let result = self.saturated(a, result);
        self.write(inst, result)
    }

    /// The host's integers with the upper end put right: what does not fit is 0x80000000.
    fn saturated(&mut self, number: Value, integer: Value) -> Value {
        let (limit, ones) = (self.list.dword(TWO_31), self.list.dword(!0));
        let above = self.list.test(Op::CompareF32, Value::NONE, number, limit, NOT_BELOW);
        self.list.merged(Op::Add32, above, integer, integer, ones)
    }

    pub(super) fn floor_i32(&mut self, inst: &Inst) -> Option<()> {
        let m = self.float_mode(inst)?;
        self.need_flushing_of_sources(!m.single.keep_in)?;
        let a = self.float_source(inst, 0)?.value;
        // A NaN saturates by its sign.
        self.list.require(Op::CompareF32, a, a, ORDERED);
        let floor = self.list.unary_imm(Op::RoundF32, a, 9);
        let result = self.list.unary(Op::ToI32, floor);
        let result = self.saturated(floor, result);
        self.write(inst, result)
    }

    pub(super) fn convert_u32(&mut self, inst: &Inst) -> Option<()> {
        let a = self.float_source(inst, 0)?.value;
        let zero = self.list.dword(0);
        // The second one if the first is NaN.
        let positive = self.list.binary(Op::MaxF32, a, zero);
        let result = self.list.unary(Op::ToU32, positive);
        self.write(inst, result)
    }

    /// Whether MODE keeps binary16 denormals of conversions without doubt.
    fn keeps_f16_denormals(m: &FloatMode) -> bool {
        m.arch < Arch::Gcn12 || m.wide.keep_in && m.wide.keep_out
    }

    pub(super) fn widen(&mut self, inst: &Inst) -> Option<()> {
        let m = self.float_mode(inst)?;
        if !Self::has_usual_output(inst, &m, m.single) || !Self::keeps_f16_denormals(&m) || inst.op_sel() != 0 {
            return None;
        }
        let plain = self.source(inst, 0)?;
        let half = self.modified(inst, 0, plain, 0x8000);
        let words = self.list.unary(Op::NarrowTo16, half);
        let result = self.list.unary(Op::FromF16, words);
        self.write_float(inst, result)
    }

    /// A binary16 with zeros above; `imm` has the rounding.
    fn half_of(&mut self, number: Value, imm: u8) -> Value {
        let words = self.list.unary_imm(Op::ToF16, number, imm);
        self.list.unary(Op::WidenFrom16, words)
    }

    pub(super) fn narrow(&mut self, inst: &Inst) -> Option<()> {
        let m = self.float_mode(inst)?;
        let is_nearest = [m.single, m.wide].iter().all(|env| env.rounding == Rounding::Nearest);
        let is_plain = !inst.clamp() && inst.omod() == 0 && inst.op_sel() == 0 && inst.writes_half().is_none();
        if !is_nearest || !is_plain || !Self::keeps_f16_denormals(&m) || m.fp16_ovfl {
            return None;
        }
        let a = self.float_source(inst, 0)?;
        let result = self.half_of(a.value, 0);
        self.write(inst, result)
    }

    pub(super) fn narrow_two(&mut self, inst: &Inst) -> Option<()> {
        let m = self.float_mode(inst)?;
        if inst.clamp() || inst.omod() != 0 || !Self::keeps_f16_denormals(&m) || m.fp16_ovfl {
            return None;
        }
        let [a, b] = [self.float_source(inst, 0)?, self.float_source(inst, 1)?];
        let [low, high] = [a, b].map(|x| self.half_of(x.value, 3));
        let high = self.list.shift(Op::Shl, high, 16);
        let result = self.list.binary(Op::Or, low, high);
        self.write(inst, result)
    }
}
