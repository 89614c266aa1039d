//! VOP3 and VOP3P.

use std::fmt::{self, Formatter};

use super::operand::Vgprs;
use super::vector::{Attribute, Modified, Modifiers, omod_text, parameter_name};
use super::{Operands, bit, bits, flag};
use crate::inst::{Form, Inst};
use crate::operand::OperandType;
use crate::table::Has;

impl Inst {
    /// Source `i` of a VOP3 word with its ABS and NEG.
    fn vop3_source(&self, i: usize) -> Modified {
        let has = self.desc.has;
        let abs = !has.any(Has::VCC_OUT) && has.any(Has::ABS) && bit(self.words[0], 8 + i as u32);
        let neg = has.any(Has::NEG) && bit(self.words[1], 29 + i as u32);
        Modified(self.nth_source(i), Modifiers::of(self.src_type(i), abs, neg))
    }

    fn vop3_clamp(&self) -> bool {
        bit(self.words[0], if self.arch.is_gcn12_or_later() { 15 } else { 11 })
    }

    pub(super) fn fmt_vopc_vop3(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str("_e64")?;
        let mut operands = Operands::new(f);
        operands.put(self.sgprs(self.dst().unwrap_or(0) as u32, 2))?;
        for i in 0..2 {
            let modifiers = Modifiers { abs: self.abs(i), neg: self.neg(i), sext: false };
            operands.put(Modified(self.nth_source(i), modifiers))?;
        }
        flag(f, self.vop3_clamp(), "clamp")
    }

    pub(super) fn fmt_vop3(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let [word, w1] = self.words;
        let has = self.desc.has;
        if self.form == Form::Vop3 && !has.any(Has::BARE) {
            f.write_str("_e64")?;
        }
        let mut operands = Operands::new(f);
        self.put_vector_destination(&mut operands, bits(word, 0, 8))?;
        if has.any(Has::VCC_OUT) {
            operands.put(self.sgprs(bits(word, 8, 7), 2))?;
        }
        if has.any(Has::ATTR) {
            self.put_interpolated(&mut operands)?;
        } else {
            for i in 0..self.src_count() {
                operands.put(self.vop3_source(i))?;
            }
        }
        if has.any(Has::VCC_IN) {
            operands.put(self.sgprs(bits(w1, 18, 7), 2))?;
        }
        let selects = has.any(Has::OP_SEL) && self.arch.is_gcn14_or_later();
        if selects && bits(word, 11, 4) != 0 {
            let mut list: Vec<_> = (0..self.src_count() as u32).map(|i| bit(word, 11 + i)).collect();
            list.push(bit(word, 14));
            fmt_list(f, "op_sel", &list)?;
        }
        flag(f, has.any(Has::ATTR) && bit(w1, 8), "high")?;
        let has_clamp = has.any(Has::CLAMP) && (self.arch.is_gcn12_or_later() || !has.any(Has::VCC_OUT));
        flag(f, has_clamp && self.vop3_clamp(), "clamp")?;
        f.write_str(if has.any(Has::OMOD) { omod_text(bits(w1, 27, 2)) } else { "" })
    }

    /// Writes an interpolation in VOP3 form: the attribute comes after the first register.
    fn put_interpolated(&self, operands: &mut Operands<'_, '_>) -> fmt::Result {
        let w1 = self.words[1];
        if self.src_type(1) == OperandType::none {
            operands.put(parameter_name(bits(w1, 9, 9)))?;
        } else {
            operands.put(self.vop3_source(1))?;
        }
        operands.put(Attribute { number: bits(w1, 0, 6), channel: bits(w1, 6, 2) })?;
        if self.src_count() > 2 { operands.put(self.vop3_source(2)) } else { Ok(()) }
    }

    pub(super) fn fmt_vop3p(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let [word, w1] = self.words;
        let count = self.src_count() as u32;
        let mix = self.desc.has.any(Has::MIX);
        let low: Vec<_> = (0..count).map(|i| bit(word, 11 + i)).collect();
        let high: Vec<_> = (0..count).map(|i| if i == 2 { bit(word, 14) } else { bit(w1, 27 + i) }).collect();
        let neg: Vec<_> = (0..count).map(|i| bit(w1, 29 + i)).collect();
        let neg_high: Vec<_> = (0..count).map(|i| bit(word, 8 + i)).collect();
        let mut operands = Operands::new(f);
        operands.put(Vgprs(bits(word, 0, 8), 1))?;
        for i in 0..self.src_count() {
            let modifiers =
                if mix { Modifiers { abs: neg_high[i], neg: neg[i], sext: false } } else { Modifiers::default() };
            operands.put(Modified(self.nth_source(i), modifiers))?;
        }
        if low.contains(&true) {
            fmt_list(f, "op_sel", &low)?;
        }
        // The default is both halves, or neither for mixed operations.
        if high.contains(&mix) {
            fmt_list(f, "op_sel_hi", &high)?;
        }
        for (name, list) in [("neg_lo", neg), ("neg_hi", neg_high)] {
            if !mix && list.contains(&true) {
                fmt_list(f, name, &list)?;
            }
        }
        flag(f, bit(word, 15), "clamp")
    }
}

/// Writes ` name:[1,0]`.
fn fmt_list(f: &mut Formatter<'_>, name: &str, list: &[bool]) -> fmt::Result {
    write!(f, " {name}:[")?;
    for (i, &set) in list.iter().enumerate() {
        write!(f, "{}{}", if i == 0 { "" } else { "," }, set as u8)?;
    }
    f.write_str("]")
}
