//! Compares and products that look at how their operands were computed.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{self, InstBuilder, Value, types};

use super::Lower;

impl Lower<'_, '_> {
    /// The result (I8) of comparing `a` with `b`. Equality of a sum or difference with a constant becomes one of its
    /// variable part, which is there earlier and saves computing the rest for the compare alone.
    pub fn compare(&mut self, cc: IntCC, a: Value, b: Value) -> Value {
        if let (IntCC::Equal | IntCC::NotEqual, Some(constant)) = (cc, self.constant_value(b))
            && let Some((variable, distance)) = self.variable_and_distance(a)
        {
            let ty = self.b.func.dfg.value_type(a);
            let wanted = constant.wrapping_sub(distance);
            let wanted = if ty == types::I32 { wanted as u32 as i64 } else { wanted };
            let wanted = self.b.ins().iconst(ty, wanted);
            return self.b.ins().icmp(cc, variable, wanted);
        }
        self.b.ins().icmp(cc, a, b)
    }

    /// The low half of the product of `a` and `b`. A product with 3, 5 or 9 is an address computation of the host,
    /// which takes less time.
    pub fn product(&mut self, a: Value, b: Value) -> Value {
        let (factor, other) = match self.constant_value(a) {
            Some(factor) => (Some(factor), b),
            None => (self.constant_value(b), a),
        };
        match factor {
            Some(factor @ (3 | 5 | 9)) => {
                let shifted = self.b.ins().ishl_imm_u(other, (factor - 1).trailing_zeros() as i64);
                self.b.ins().iadd(other, shifted)
            }
            _ => self.b.ins().imul(a, b),
        }
    }

    /// `value` shifted to the right by `by`. A shift of the high half of a product is one of the whole product.
    pub fn shift_right(&mut self, value: Value, by: Value, signed: bool) -> Value {
        let whole = self.rotated_whole(value).zip(self.constant_value(by));
        let (value, by, is_half) = match whole {
            Some((product, amount)) => (product, self.b.ins().iconst(types::I32, 32 + (amount & 31)), true),
            None => (value, by, false),
        };
        let shifted = if signed { self.b.ins().sshr(value, by) } else { self.b.ins().ushr(value, by) };
        if is_half { self.b.ins().ireduce(types::I32, shifted) } else { shifted }
    }

    /// The value of 64 bits whose high half an I32 is, if it was computed by a rotation.
    fn rotated_whole(&self, value: Value) -> Option<Value> {
        let dfg = &self.b.func.dfg;
        let ir::InstructionData::Unary { opcode: ir::Opcode::Ireduce, arg } = dfg.insts[dfg.value_def(value).inst()?]
        else {
            return None;
        };
        match dfg.insts[dfg.value_def(arg).inst()?] {
            ir::InstructionData::Binary { opcode: ir::Opcode::Rotr, args: [whole, by] } => {
                let is_half = dfg.value_type(value) == types::I32 && self.constant_value(by) == Some(32);
                is_half.then_some(whole)
            }
            _ => None,
        }
    }

    /// The number that a value is, if it is a constant.
    pub(super) fn constant_value(&self, value: Value) -> Option<i64> {
        let dfg = &self.b.func.dfg;
        match dfg.insts[dfg.value_def(value).inst()?] {
            ir::InstructionData::UnaryImm { opcode: ir::Opcode::Iconst, imm } => Some(imm.bits()),
            _ => None,
        }
    }

    /// cc and x of a condition computed as x == 0 or x != 0.
    pub(super) fn compared_with_zero(&self, condition: Value) -> Option<(IntCC, Value)> {
        let dfg = &self.b.func.dfg;
        match dfg.insts[dfg.value_def(condition).inst()?] {
            ir::InstructionData::IntCompare {
                cond: cc @ (IntCC::Equal | IntCC::NotEqual), args: [x, zero], ..
            } => (self.constant_value(zero) == Some(0)).then_some((cc, x)),
            _ => None,
        }
    }

    /// Whether an integer was computed as the lowest bit of another one.
    pub(super) fn is_bit(&self, value: Value) -> bool {
        let dfg = &self.b.func.dfg;
        match dfg.value_def(value).inst().map(|inst| dfg.insts[inst]) {
            Some(ir::InstructionData::Binary { opcode: ir::Opcode::Band, args: [_, mask] }) => {
                self.constant_value(mask) == Some(1)
            }
            _ => false,
        }
    }

    /// A number that an I32 does not exceed.
    pub(super) fn upper_bound(&self, value: Value) -> u32 {
        let dfg = &self.b.func.dfg;
        let unsigned = |value| self.constant_value(value).map(|bits| bits as u32);
        if let Some(constant) = unsigned(value) {
            return constant;
        }
        match dfg.value_def(value).inst().map(|inst| dfg.insts[inst]) {
            Some(ir::InstructionData::Binary { opcode: ir::Opcode::Band, args }) => {
                args.into_iter().filter_map(unsigned).min().unwrap_or(u32::MAX)
            }
            Some(ir::InstructionData::Binary { opcode: ir::Opcode::Ushr, args: [_, by] }) => {
                unsigned(by).map_or(u32::MAX, |by| u32::MAX >> (by & 31))
            }
            _ => u32::MAX,
        }
    }

    /// x and k of a value computed as x + k or x - (-k), k constant.
    pub(super) fn variable_and_distance(&self, value: Value) -> Option<(Value, i64)> {
        let dfg = &self.b.func.dfg;
        let ir::InstructionData::Binary { opcode, args: [x, k] } = dfg.insts[dfg.value_def(value).inst()?] else {
            return None;
        };
        match opcode {
            ir::Opcode::Iadd => Some((x, self.constant_value(k)?)),
            ir::Opcode::Isub => Some((x, self.constant_value(k)?.wrapping_neg())),
            _ => None,
        }
    }
}
