//! Bit fields, counts of bits, bytes.

use gcnsim_isa::Inst;
use gcnsim_isa::table::{Opcode, Vop2, Vop3};

use super::Lowering;
use crate::segments::list::{Logic, Value};
use crate::segments::ops::Op;

impl Lowering<'_> {
    /// S0 >> S1, of which S2 bits.
    pub(super) fn unsigned_field(&mut self, inst: &Inst) -> Option<Value> {
        let [value, offset, width] = self.sources(inst)?;
        if let (Some(offset), Some(width)) = (self.list.constant(offset), self.list.constant(width)) {
            let (offset, width) = (offset & 31, width & 31);
            if self.list.is_narrow && width == 8 && (offset == 8 || offset == 16) {
                return Some(self.list.byte(value, offset / 8));
            }
            let field = self.list.shift(Op::Shr, value, offset);
            if width > 0 && offset + width >= 32 {
                return Some(field);
            }
            let ones = self.list.dword((1 << width) - 1);
            return Some(self.list.binary(Op::And, field, ones));
        }
        let field = self.shift_by(Op::Shr, Op::ShrVar, value, offset);
        let ones = self.ones(width);
        Some(self.list.binary(Op::And, field, ones))
    }

    /// Returns as many ones, from bit 0 on, as the low five bits of a value say.
    fn ones(&mut self, width: Value) -> Value {
        if let Some(width) = self.list.constant(width) {
            return self.list.dword((1 << (width & 31)) - 1);
        }
        let (all, width) = (self.list.dword(!0), self.amount(width));
        let zeros = self.list.binary(Op::ShlVar, all, width);
        self.list.binary(Op::Xor, zeros, all)
    }

    pub(super) fn signed_field(&mut self, inst: &Inst) -> Option<Value> {
        let [value, offset, width] = self.sources(inst)?;
        if let (Some(offset), Some(width)) = (self.list.constant(offset), self.list.constant(width)) {
            let (offset, width) = (offset & 31, width & 31);
            return Some(match (width, 32u32.saturating_sub(offset + width)) {
                (0, _) => self.list.dword(0),
                (_, above) => {
                    let field = self.list.shift(Op::Shl, value, above);
                    self.list.shift(Op::Sar, field, above + offset)
                }
            });
        }
        // The field's top bit goes to bit 31, then back. A field without width is 0.
        let (offset, width) = (self.amount(offset), self.amount(width));
        let (all, zero) = (self.list.dword(32), self.list.dword(0));
        let end = self.list.binary(Op::Add32, offset, width);
        let above = self.list.binary(Op::Sub32, all, end);
        let above = self.list.binary(Op::MaxI32, above, zero);
        let field = self.list.binary(Op::ShlVar, value, above);
        let back = self.list.binary(Op::Add32, above, offset);
        let field = self.list.binary(Op::SarVar, field, back);
        let has_width = self.list.test(Op::Test, Value::NONE, width, width, 0);
        Some(self.list.zeroed(Op::Copy, has_width, field))
    }

    /// S0 ones, from bit S1 on.
    pub(super) fn field_mask(&mut self, inst: &Inst) -> Option<Value> {
        let [width, offset] = self.sources(inst)?;
        let ones = self.ones(width);
        Some(self.shift_by(Op::Shl, Op::ShlVar, ones, offset))
    }

    /// {S0, S1} >> S2, in units of bits or bytes.
    pub(super) fn aligned(&mut self, inst: &Inst, unit: u32) -> Option<Value> {
        let [high, low, by] = self.sources(inst)?;
        if let Some(by) = self.list.constant(by) {
            let by = (by & (32 / unit - 1)) * unit;
            return Some(match by {
                0 => low,
                _ if high == low => self.list.unary_imm(Op::Ror, low, by as u8),
                _ if self.options.features.funnel => self.list.binary_imm(Op::Funnel, low, high, by as u8),
                _ => {
                    let low = self.list.shift(Op::Shr, low, by);
                    let high = self.list.shift(Op::Shl, high, 32 - by);
                    self.list.binary(Op::Or, low, high)
                }
            });
        }
        let by = if unit == 1 { by } else { self.list.shift(Op::Shl, by, 3) };
        if self.options.features.funnel {
            // It looks at the low five bits.
            return Some(self.list.tied(Op::FunnelVar, low, high, by));
        }
        let by = self.amount(by);
        let (bits, low) = (self.list.dword(31), self.list.binary(Op::ShrVar, low, by));
        let (up, twice) = (self.list.binary(Op::Xor, by, bits), self.list.shift(Op::Shl, high, 1));
        let high = self.list.binary(Op::ShlVar, twice, up);
        Some(self.list.binary(Op::Or, low, high))
    }

    /// V_BCNT and V_MBCNT.
    pub(super) fn count(&mut self, inst: &Inst) -> Option<Value> {
        if !self.options.features.count && !self.list.is_narrow {
            return None;
        }
        let [bits, addend] = self.sources(inst)?;
        let below = |lane: u32, first: u32| (1u64 << lane.saturating_sub(first).min(32)).wrapping_sub(1) as u32;
        let first = match inst.opcode {
            Opcode::Vop2(Vop2::VMbcntLoU32B32) | Opcode::Vop3(Vop3::VMbcntLoU32B32) => Some(0),
            Opcode::Vop2(Vop2::VMbcntHiU32B32) | Opcode::Vop3(Vop3::VMbcntHiU32B32) => Some(32),
            _ => None,
        };
        let bits = match first {
            Some(first) => {
                let table = self.list.table(std::array::from_fn(|lane| below(lane as u32, first)));
                self.list.binary(Op::And, bits, table)
            }
            None => bits,
        };
        let count = self.list.unary(Op::PopCount, bits);
        Some(self.list.binary(Op::Add32, count, addend))
    }

    /// V_PERM with a constant selector of bytes, zeros and ones.
    pub(super) fn permuted(&mut self, inst: &Inst) -> Option<Value> {
        let [high, low, selector] = self.sources(inst)?;
        let selector = self.list.constant(selector)?.to_le_bytes();
        if selector.iter().any(|byte| (8..12).contains(byte)) {
            return None;
        }
        // In each group of 16 bytes; 0x80 gives 0.
        let indices = |of: std::ops::Range<u8>| {
            std::array::from_fn(|lane| {
                let byte = |select: u8| match of.contains(&select) {
                    true => 4 * (lane as u8 & 3) + (select & 3),
                    false => 0x80,
                };
                u32::from_le_bytes(selector.map(byte))
            })
        };
        let ones = u32::from_le_bytes(selector.map(|select| if select > 12 { 0xff } else { 0 }));
        let has = |of: std::ops::Range<u8>| selector.iter().any(|select| of.contains(select));
        let mut parts = Vec::with_capacity(3);
        for (value, of) in [(low, 0..4), (high, 4..8)] {
            if has(of.clone()) {
                let indices = self.list.vector(indices(of));
                parts.push(self.list.binary(Op::Bytes, value, indices));
            }
        }
        if ones != 0 || parts.is_empty() {
            parts.push(self.list.dword(ones));
        }
        let mut result = parts[0];
        for &part in &parts[1..] {
            result = self.list.binary(Op::Or, result, part);
        }
        Some(result)
    }

    /// A constant in every lane, in a form that instructions of bytes take.
    fn every(&mut self, bits: u32) -> Value {
        self.list.vector([bits; 16])
    }

    /// V_BFREV: the bytes in reverse order, then the bits of each by its halves.
    pub(super) fn reversed(&mut self, inst: &Inst) -> Option<Value> {
        let [value] = self.sources(inst)?;
        let bytes = |of: &dyn Fn(u8) -> u8| {
            std::array::from_fn(|lane| u32::from_le_bytes([0, 1, 2, 3].map(|byte| of(4 * (lane as u8 & 3) + byte))))
        };
        let order = self.list.vector(bytes(&|i| i ^ 3));
        let upper = self.list.vector(bytes(&|i| i.reverse_bits()));
        let lower = self.list.vector(bytes(&|i| i.reverse_bits() >> 4));
        let halves = self.list.dword(0x0f0f_0f0f);
        let value = self.list.binary(Op::Bytes, value, order);
        let low = self.list.binary(Op::And, value, halves);
        let high = self.list.shift(Op::Shr, value, 4);
        let high = self.list.binary(Op::And, high, halves);
        let low = self.list.binary(Op::Bytes, upper, low);
        let high = self.list.binary(Op::Bytes, lower, high);
        Some(self.list.binary(Op::Or, low, high))
    }

    /// V_LERP: means of bytes, rounded up where S2 says.
    pub(super) fn mean_bytes(&mut self, inst: &Inst) -> Option<Value> {
        let [a, b, up] = self.sources(inst)?;
        let ones = self.list.dword(0x0101_0101);
        let mean = self.list.binary(Op::AverageU8, a, b);
        // Too much by one where the sum is odd and the mean is not to be rounded up.
        let down = self.list.logic(a, b, up, Logic::XorAndNot);
        let down = self.list.binary(Op::And, down, ones);
        Some(self.list.binary(Op::SubU8, mean, down))
    }

    /// V_SAD_U8, V_SAD_HI_U8, V_MSAD_U8.
    pub(super) fn byte_distance(&mut self, inst: &Inst, op: Vop3) -> Option<Value> {
        let [a, b, addend] = self.sources(inst)?;
        let (greater, lesser) = (self.list.binary(Op::MaxU8, a, b), self.list.binary(Op::MinU8, a, b));
        let mut distance = self.list.binary(Op::SubU8, greater, lesser);
        if op == Vop3::VMsadU8 {
            // 0 where b is 0, else 0xff.
            let (one, zero) = (self.every(0x0101_0101), self.every(0));
            let bit = self.list.binary(Op::MinU8, b, one);
            let all = self.list.binary(Op::SubU8, zero, bit);
            distance = self.list.binary(Op::And, distance, all);
        }
        let (bytes, words) = (self.every(0x0101_0101), self.every(0x0001_0001));
        let sums = self.list.binary(Op::SumBytes, distance, bytes);
        let mut sum = self.list.binary(Op::SumWords, sums, words);
        if op == Vop3::VSadHiU8 {
            sum = self.list.shift(Op::Shl, sum, 16);
        }
        Some(self.list.binary(Op::Add32, sum, addend))
    }

    /// V_CVT_PK_U16_U32 and V_CVT_PK_I16_I32.
    pub(super) fn packed(&mut self, inst: &Inst) -> Option<Value> {
        let [a, b] = self.sources(inst)?;
        let is_signed = matches!(inst.opcode, Opcode::Vop2(Vop2::VCvtPkI16I32) | Opcode::Vop3(Vop3::VCvtPkI16I32));
        let halves = [a, b].map(|x| {
            let (least, greatest) = if is_signed { (-0x8000i32 as u32, 0x7fff) } else { (0, 0xffff) };
            let (least, greatest) = (self.list.dword(least), self.list.dword(greatest));
            if is_signed {
                let x = self.list.binary(Op::MaxI32, x, least);
                self.list.binary(Op::MinI32, x, greatest)
            } else {
                self.list.binary(Op::MinU32, x, greatest)
            }
        });
        let high = self.list.shift(Op::Shl, halves[1], 16);
        let low = self.list.dword(0xffff);
        Some(self.list.logic(low, halves[0], high, Logic::Select))
    }
}
