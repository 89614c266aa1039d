//! Products of 64 bits that a program makes of halves, as compilers do:
//!
//! ```text
//! s_mul_hi_u32 s2, s0, s4     high half of s0 * s4
//! s_mul_i32 s3, s1, s4        + s1 * s4
//! s_add_u32 s2, s2, s3
//! s_mul_i32 s3, s0, s5        + s0 * s5
//! s_add_u32 s1, s2, s3        = high half of s[0:1] * s[4:5]
//! s_mul_i32 s0, s0, s4        low half
//! ```

use cranelift_codegen::ir::{self, InstBuilder, Opcode, Value, types};

use super::Lower;
use crate::regs::join;

impl Lower<'_, '_> {
    /// The sum of `a` and `b`, if it is the high half of a product of 64 bits.
    pub(super) fn high_half_of_sum(&mut self, a: Value, b: Value) -> Option<Value> {
        if let Some(high) = self.add_to_high(a, b, false).or_else(|| self.add_to_high(b, a, false)) {
            return Some(high);
        }
        for (sum, c) in [(a, b), (b, a)] {
            let Some([p, q]) = operands(&self.b.func.dfg, sum, Opcode::Iadd) else { continue };
            for [high, first, second] in [[p, q, c], [q, p, c], [c, p, q]] {
                // Both must fit, before one is joined.
                let fits = |of: &Self, product| cross(&of.b.func.dfg, high, product).is_some();
                if fits(self, first)
                    && fits(self, second)
                    && let Some(high) = self.add_to_high(high, first, true)
                    && let Some(high) = self.add_to_high(high, second, true)
                {
                    return Some(high);
                }
            }
        }
        None
    }

    /// The high half of a product plus another product, if that is the high half of a product, too. A factor is joined
    /// of its halves only if `joins`, or if the other factor is an I64 already.
    fn add_to_high(&mut self, high: Value, product: Value, joins: bool) -> Option<Value> {
        let Cross { factor, low, high } = cross(&self.b.func.dfg, high, product)?;
        let other = match whole(&self.b.func.dfg, low, high) {
            Some(whole) => whole,
            None => match (self.constant_value(low), self.constant_value(high)) {
                (Some(low), Some(high)) => self.const64(low as u64 & 0xffff_ffff | (high as u64) << 32),
                _ if joins || operand(&self.b.func.dfg, factor, Opcode::Uextend).is_none() => join(self.b, low, high),
                _ => return None,
            },
        };
        let product = self.b.ins().imul(factor, other);
        let half = self.b.ins().rotr_imm_u(product, 32);
        Some(self.b.ins().ireduce(types::I32, half))
    }
}

/// A product of 64 bits that the high half of a product, plus another product, is the high half of.
struct Cross {
    /// A factor (I64).
    factor: Value,
    /// Halves (I32) of the other one.
    low: Value,
    high: Value,
}

/// `high` plus `product`, if `high` is the high half of `factor` times `low`, which has 32 bits, and `product` is the
/// low half of `factor` times something.
fn cross(dfg: &ir::DataFlowGraph, high: Value, product: Value) -> Option<Cross> {
    let [u, v] = operands(dfg, high_half_of(dfg, high)?, Opcode::Imul)?;
    let [p, q] = operands(dfg, product, Opcode::Imul)?;
    for (factor, other) in [(u, v), (v, u)] {
        let Some(low) = operand(dfg, other, Opcode::Uextend) else { continue };
        for (same, high) in [(p, q), (q, p)] {
            if is_low_half(dfg, same, factor) {
                return Some(Cross { factor, low, high });
            }
        }
    }
    None
}

/// The I64 whose halves two I32 are, if there is one.
pub(crate) fn whole(dfg: &ir::DataFlowGraph, low: Value, high: Value) -> Option<Value> {
    let whole = high_half_of(dfg, high)?;
    if operand(dfg, low, Opcode::Ireduce) == Some(whole) {
        return Some(whole);
    }
    // The low half of a product is the product of the low halves.
    let [u, v] = operands(dfg, whole, Opcode::Imul)?;
    let [p, q] = operands(dfg, low, Opcode::Imul)?;
    let fits = |p, q| is_low_half(dfg, p, u) && is_low_half(dfg, q, v);
    (dfg.value_type(whole) == types::I64 && (fits(p, q) || fits(q, p))).then_some(whole)
}

/// The I64 whose high half `value` (I32) is.
fn high_half_of(dfg: &ir::DataFlowGraph, value: Value) -> Option<Value> {
    let shifted = operand(dfg, value, Opcode::Ireduce)?;
    let [whole, by] = operands(dfg, shifted, Opcode::Rotr).or_else(|| operands(dfg, shifted, Opcode::Ushr))?;
    (dfg.value_type(value) == types::I32 && dfg.value_type(whole) == types::I64 && constant(dfg, by) == Some(32))
        .then_some(whole)
}

/// Whether `value` (I32) is the low half of `whole` (I64).
fn is_low_half(dfg: &ir::DataFlowGraph, value: Value, whole: Value) -> bool {
    let is_extended = |whole| operand(dfg, whole, Opcode::Uextend).is_some_and(|low| is_same(dfg, value, low));
    let is_constant =
        || constant(dfg, value).zip(constant(dfg, whole)).is_some_and(|(value, whole)| value as u32 == whole as u32);
    operand(dfg, value, Opcode::Ireduce) == Some(whole)
        || is_extended(whole)
        || is_constant()
        // As `join` makes it.
        || operands(dfg, whole, Opcode::Bor).is_some_and(|[low, high]| {
            operands(dfg, high, Opcode::Ishl).is_some_and(|[_, by]| constant(dfg, by) == Some(32)) && is_extended(low)
        })
}

/// Whether two I32 are the same value or the same constant.
fn is_same(dfg: &ir::DataFlowGraph, a: Value, b: Value) -> bool {
    a == b || constant(dfg, a).zip(constant(dfg, b)).is_some_and(|(a, b)| a as u32 == b as u32)
}

fn constant(dfg: &ir::DataFlowGraph, value: Value) -> Option<i64> {
    match dfg.insts[dfg.value_def(value).inst()?] {
        ir::InstructionData::UnaryImm { opcode: Opcode::Iconst, imm } => Some(imm.bits()),
        _ => None,
    }
}

/// The operand of a unary operation.
fn operand(dfg: &ir::DataFlowGraph, value: Value, wanted: Opcode) -> Option<Value> {
    match dfg.insts[dfg.value_def(value).inst()?] {
        ir::InstructionData::Unary { opcode, arg } if opcode == wanted => Some(arg),
        _ => None,
    }
}

/// The operands of a binary operation.
fn operands(dfg: &ir::DataFlowGraph, value: Value, wanted: Opcode) -> Option<[Value; 2]> {
    match dfg.insts[dfg.value_def(value).inst()?] {
        ir::InstructionData::Binary { opcode, args } if opcode == wanted => Some(args),
        _ => None,
    }
}
