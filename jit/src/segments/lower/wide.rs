//! 64-bit values: pairs of VGPRs as two registers with half of the lanes each.
//!
//! Interleaving low and high dwords within groups of 128 bits puts lanes 0, 1, 4, 5, 8, 9, 12 and 13 of a chunk into
//! the first register and the others into the second. The order does not matter until dwords or masks leave the pair.

use gcnsim_isa::table::Vop3;
use gcnsim_isa::{Inst, Src};

use super::{Lanes, Lowering, Pair};
use crate::segments::list::{Logic, Value};
use crate::segments::ops::Op;

/// [`Op::ShuffleTwo`]: the even dwords of both registers.
const EVEN: u8 = 0x88;
/// The odd ones.
const ODD: u8 = 0xdd;
/// "Less than", in compares of integers.
const LESS: u8 = 1;

impl Lowering<'_> {
    pub(super) fn wide(&mut self, inst: &Inst, op: Vop3) -> Option<()> {
        use Vop3::*;
        match op {
            VLshlB64 => self.shift_pair(inst, Op::Shl64, Op::ShlVar64, [0, 1]),
            VLshrB64 => self.shift_pair(inst, Op::Shr64, Op::ShrVar64, [0, 1]),
            VAshrI64 => self.shift_pair(inst, Op::Sar64, Op::SarVar64, [0, 1]),
            VLshlrevB64 => self.shift_pair(inst, Op::Shl64, Op::ShlVar64, [1, 0]),
            VLshrrevB64 => self.shift_pair(inst, Op::Shr64, Op::ShrVar64, [1, 0]),
            VAshrrevI64 => self.shift_pair(inst, Op::Sar64, Op::SarVar64, [1, 0]),
            VMadU64U32 => self.mad64(inst, Op::MulU64),
            VMadI64I32 => self.mad64(inst, Op::MulI64),
            _ => None,
        }
    }

    /// Dwords of a pair, 0 the low ones.
    pub(super) fn dword_of(&mut self, pair: u16, which: usize) -> Value {
        let Pair { wide, dwords } = self.pairs[pair as usize];
        if let Some(value) = dwords[which] {
            return value;
        }
        let value = self.list.binary_imm(Op::ShuffleTwo, wide[0], wide[1], [EVEN, ODD][which]);
        self.pairs[pair as usize].dwords[which] = Some(value);
        value
    }

    /// The low dwords of a pair, in the order of lanes.
    pub(super) fn low_dwords(&mut self, pair: [Value; 2]) -> Value {
        self.list.binary_imm(Op::ShuffleTwo, pair[0], pair[1], EVEN)
    }

    /// The high dwords of a pair, in the order of lanes.
    pub(super) fn high_dwords(&mut self, pair: [Value; 2]) -> Value {
        self.list.binary_imm(Op::ShuffleTwo, pair[0], pair[1], ODD)
    }

    /// VGPRs `n` and `n + 1` as a pair.
    fn pair(&mut self, n: u8) -> Option<[Value; 2]> {
        let next = n.checked_add(1)?;
        if let (Lanes::Low(low), Lanes::High(high)) = (self.vgprs[n as usize], self.vgprs[next as usize])
            && low == high
        {
            return Some(self.pairs[low as usize].wide);
        }
        let dwords = [self.vgpr(n), self.vgpr(next)];
        if let Some(known) = self.pairs.iter().rev().find(|pair| pair.dwords == dwords.map(Some)) {
            return Some(known.wide);
        }
        let wide = [Op::InterleaveLow, Op::InterleaveHigh].map(|op| self.list.binary(op, dwords[0], dwords[1]));
        self.pairs.push(Pair { wide, dwords: dwords.map(Some) });
        Some(wide)
    }

    /// Source `i`, of 64 bits.
    pub(super) fn pair_source(&mut self, inst: &Inst, i: usize) -> Option<[Value; 2]> {
        match inst.src(i) {
            Src::Vgpr(n) => self.pair(n),
            Src::Sgpr(code) if code < 127 => Some([self.given_scalar(code, true)?; 2]),
            Src::Imm(bits) => Some([self.list.qword(bits); 2]),
            _ => None,
        }
    }

    pub(super) fn write_pair(&mut self, inst: &Inst, wide: [Value; 2]) -> Option<()> {
        self.set_pair(inst.vdst()?, wide)
    }

    /// VGPRs `n` and `n + 1` get a pair.
    pub(super) fn set_pair(&mut self, n: u8, wide: [Value; 2]) -> Option<()> {
        let next = n.checked_add(1)?;
        let pair = u16::try_from(self.pairs.len()).ok()?;
        self.pairs.push(Pair { wide, dwords: [None; 2] });
        (self.vgprs[n as usize], self.vgprs[next as usize]) = (Lanes::Low(pair), Lanes::High(pair));
        (self.written[n as usize], self.written[next as usize]) = (true, true);
        Some(())
    }

    /// 32-bit values as the low dwords of pairs. The high ones are anything.
    fn spread(&mut self, value: Value) -> [Value; 2] {
        if self.is_uniform(value) {
            return [value; 2];
        }
        [Op::InterleaveLow, Op::InterleaveHigh].map(|op| self.list.binary(op, value, value))
    }

    /// `sources` are the numbers of value and amount.
    fn shift_pair(&mut self, inst: &Inst, constant: Op, variable: Op, sources: [usize; 2]) -> Option<()> {
        let value = self.pair_source(inst, sources[0])?;
        let by = self.source(inst, sources[1])?;
        let result = match self.list.constant(by) {
            Some(by) => value.map(|value| self.list.shift(constant, value, by & 63)),
            None => {
                let bits = self.list.qword(63);
                let by = self.spread(by).map(|by| self.list.binary(Op::And64, by, bits));
                [0, 1].map(|i| self.list.binary(variable, value[i], by[i]))
            }
        };
        self.write_pair(inst, result)
    }

    fn mad64(&mut self, inst: &Inst, multiply: Op) -> Option<()> {
        let [a, b] = [self.source(inst, 0)?, self.source(inst, 1)?].map(|x| self.spread(x));
        let c = self.pair_source(inst, 2)?;
        let product = [0, 1].map(|i| self.list.binary(multiply, a[i], b[i]));
        let sum = [0, 1].map(|i| self.list.binary(Op::Add64, product[i], c[i]));
        let lanes = if multiply == Op::MulU64 {
            let carries = [0, 1].map(|i| self.list.test(Op::CompareU64, Value::NONE, sum[i], c[i], LESS));
            self.join_masks(carries)
        } else {
            // The sign of the exact sum: where the signs of product and addend differ, that of the sum.
            let signs = [0, 1].map(|i| self.list.logic(product[i], c[i], sum[i], Logic::Majority));
            let signs = self.list.binary_imm(Op::ShuffleTwo, signs[0], signs[1], ODD);
            self.list.convert_mask(Op::MaskToBits, signs)
        };
        let lanes = self.list.active(lanes);
        self.write_mask(inst.mask_dst()?, lanes)?;
        self.write_pair(inst, sum)
    }

    /// The mask of all lanes from those of the registers of a pair.
    pub(super) fn join_masks(&mut self, parts: [Value; 2]) -> Value {
        let signs = parts.map(|part| self.list.convert_mask(Op::BitsToMask64, part));
        let signs = self.list.binary_imm(Op::ShuffleTwo, signs[0], signs[1], EVEN);
        if self.list.is_narrow { signs } else { self.list.convert_mask(Op::MaskToBits, signs) }
    }
}
