//! Compares into lane masks, and the choice by one.

use gcnsim_isa::table::Vopc;
use gcnsim_isa::{Inst, OperandType, Pred};

use super::{Lowering, is_wide};
use crate::segments::list::Value;
use crate::segments::ops::Op;

/// The immediate of a compare of integers.
fn integer_predicate(pred: Pred) -> Option<u8> {
    Some(match pred {
        Pred::Eq => 0,
        Pred::Lt => 1,
        Pred::Le => 2,
        Pred::F => 3,
        Pred::Lg => 4,
        Pred::Ge => 5,
        Pred::Gt => 6,
        Pred::Tru => 7,
        _ => return None,
    })
}

/// The immediate of a compare of floats.
fn float_predicate(pred: Pred) -> Option<u8> {
    Some(match pred {
        Pred::F => 0x0b,
        Pred::Lt => 0x11,
        Pred::Eq => 0x00,
        Pred::Le => 0x12,
        Pred::Gt => 0x1e,
        Pred::Lg => 0x0c,
        Pred::Ge => 0x1d,
        Pred::O => 0x07,
        Pred::U => 0x03,
        Pred::Nge => 0x19,
        Pred::Nlg => 0x08,
        Pred::Ngt => 0x1a,
        Pred::Nle => 0x16,
        Pred::Neq => 0x04,
        Pred::Nlt => 0x15,
        Pred::Tru => 0x0f,
        Pred::Class => return None,
    })
}

impl Lowering<'_> {
    pub(super) fn compare(&mut self, inst: &Inst, op: Vopc) -> Option<()> {
        let cmp = op.cmp();
        if cmp.writes_exec {
            return None;
        }
        let lanes = match cmp.ty {
            OperandType::i32 | OperandType::u32 => {
                let [a, b] = self.sources(inst)?;
                self.compare_integers(cmp.ty, cmp.pred, a, b)?
            }
            OperandType::i16 | OperandType::u16 => {
                let [a, b] = self.sources(inst)?;
                // The top bits decide; those below are 0.
                let [a, b] = [a, b].map(|x| self.list.shift(Op::Shl, x, 16));
                self.compare_integers(cmp.ty, cmp.pred, a, b)?
            }
            OperandType::f32 => self.compare_floats(inst, cmp.pred)?,
            OperandType::f64 => self.compare_doubles(inst, cmp.pred)?,
            ty if is_wide(ty) => self.compare_pairs(inst, ty, cmp.pred)?,
            _ => return None,
        };
        self.write_mask(inst.dst()?, lanes)?;
        self.has_compare = true;
        Some(())
    }

    fn compare_integers(&mut self, ty: OperandType, pred: Pred, a: Value, b: Value) -> Option<Value> {
        let is_signed = matches!(ty, OperandType::i32 | OperandType::i16);
        let op = if is_signed { Op::CompareI32 } else { Op::CompareU32 };
        Some(self.list.test(op, Value::EXEC, a, b, integer_predicate(pred)?))
    }

    fn compare_pairs(&mut self, inst: &Inst, ty: OperandType, pred: Pred) -> Option<Value> {
        let op = if ty == OperandType::i64 { Op::CompareI64 } else { Op::CompareU64 };
        let imm = integer_predicate(pred)?;
        let (a, b) = (self.pair_source(inst, 0)?, self.pair_source(inst, 1)?);
        let parts = [0, 1].map(|i| self.list.test(op, Value::NONE, a[i], b[i], imm));
        let lanes = self.join_masks(parts);
        Some(self.list.active(lanes))
    }

    fn compare_floats(&mut self, inst: &Inst, pred: Pred) -> Option<Value> {
        let imm = float_predicate(pred)?;
        let mode = self.float_mode(inst)?;
        let [a, b] = [self.float_source(inst, 0)?, self.float_source(inst, 1)?];
        let looks_at_denormals = !matches!(pred, Pred::F | Pred::Tru | Pred::O | Pred::U);
        if looks_at_denormals {
            self.need_flushing_of_sources(!mode.single.keep_in)?;
            if !mode.single.keep_in {
                self.require_no_denormals(a.value, b.value);
            }
        }
        Some(self.list.test(Op::CompareF32, Value::EXEC, a.value, b.value, imm))
    }

    /// Where both sources are denormal or zero, and not both zero, flushing may have changed the result: lanes are not
    /// right, because of the note.
    fn require_no_denormals(&mut self, a: Value, b: Value) {
        const EXPONENT: u32 = 0x7f80_0000;
        const FRACTION: u32 = 0x007f_ffff;
        let constants = [a, b].map(|x| self.list.constant(x));
        if constants.iter().flatten().any(|bits| bits & EXPONENT != 0) {
            return;
        }
        let (exponent, fraction) = (self.list.dword(EXPONENT), self.list.dword(FRACTION));
        let either = if a == b { a } else { self.list.binary(Op::Or, a, b) };
        let tiny = self.list.test(Op::TestNot, Value::EXEC, either, exponent, 0);
        let denormal = self.list.test(Op::Test, tiny, either, fraction, 0);
        self.list.exclude(denormal);
    }

    fn compare_doubles(&mut self, inst: &Inst, pred: Pred) -> Option<Value> {
        let imm = float_predicate(pred)?;
        let mode = self.float_mode(inst)?;
        if !mode.wide.keep_in {
            return None;
        }
        self.need_flushing_of_sources(false)?;
        let (a, b) = (self.double_source(inst, 0)?, self.double_source(inst, 1)?);
        let parts = [0, 1].map(|i| self.list.test(Op::CompareF64, Value::NONE, a.wide[i], b.wide[i], imm));
        let lanes = self.join_masks(parts);
        Some(self.list.active(lanes))
    }

    /// V_CNDMASK.
    pub(super) fn choose(&mut self, inst: &Inst) -> Option<Value> {
        let [a, b] = [self.signed_source(inst, 0)?, self.signed_source(inst, 1)?];
        let mask = self.read_mask(inst.mask_src()?)?;
        Some(self.list.blend(mask, a, b))
    }
}
