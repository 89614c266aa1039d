//! Instructions whose results are known bit by bit, by their opcodes.

use gcnsim_isa::Opcode::{self, Sop1, Sop2, Sopc, Sopk, Vop1, Vop2, Vop3, Vopc};
use gcnsim_isa::OperandType;
use gcnsim_isa::table::{Pred, Sop1 as S1, Sop2 as S2, Sopc as Sc, Sopk as Sk, Vop1 as V1, Vop2 as V2, Vop3 as V3};

use crate::value::Value;

/// Returns what an instruction makes of its sources, with the defined bits. The third one of V_CNDMASK and of additions
/// with carry is the bit of the mask, or SCC.
pub type Apply = fn([Value; 3]) -> Value;

/// An operation on values with undefined bits.
#[derive(Clone, Copy, Debug)]
pub struct Operation {
    /// What it makes of its sources.
    pub apply: Apply,
    /// What becomes of padding in its sources.
    pub padding: Padding,
}

/// What becomes of padding of structures in private memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Padding {
    /// It is moved as it is.
    Moved,
    /// It is merged with other bytes, as compilers copy structures in parts.
    Merged,
    /// The result is no copy of memory.
    Lost,
}

/// Returns the operation of a vector instruction.
pub fn of_vector(opcode: Opcode) -> Option<Operation> {
    let found = |padding| move |apply| Operation { apply, padding };
    let copy = copies(opcode).map(found(Padding::Moved));
    let copy = copy.or_else(|| merges(opcode).map(found(Padding::Merged)));
    copy.or_else(|| changes(opcode).or_else(|| sums(opcode)).map(found(Padding::Lost)))
}

/// Instructions that copy registers.
fn copies(opcode: Opcode) -> Option<Apply> {
    Some(match opcode {
        Vop1(V1::VMovB32) => |[a, ..]| a,
        Vop2(V2::VCndmaskB32) => |[a, b, mask]| mask.select(a, b, 32),
        _ => return None,
    })
}

/// Instructions that mask, shift and merge, as compilers do with parts of structures.
fn merges(opcode: Opcode) -> Option<Apply> {
    Some(match opcode {
        Vop2(V2::VAndB32) => |[a, b, _]| a.and(b),
        Vop2(V2::VOrB32) => |[a, b, _]| a.or(b),
        Vop2(V2::VLshlrevB32) => |[a, b, _]| b.shl(a, 32),
        Vop2(V2::VLshrrevB32) => |[a, b, _]| b.shr(a, 32),
        Vop2(V2::VLshlB32) => |[a, b, _]| a.shl(b, 32),
        Vop2(V2::VLshrB32) => |[a, b, _]| a.shr(b, 32),
        Vop3(V3::VLshlrevB64) => |[a, b, _]| b.shl(a, 64),
        Vop3(V3::VLshrrevB64) => |[a, b, _]| b.shr(a, 64),
        Vop3(V3::VLshlB64) => |[a, b, _]| a.shl(b, 64),
        Vop3(V3::VLshrB64) => |[a, b, _]| a.shr(b, 64),
        Vop2(V2::VLshlrevB16) => |[a, b, _]| b.shl(a, 16),
        Vop2(V2::VLshrrevB16) => |[a, b, _]| b.shr(a, 16),
        Vop3(V3::VBfiB32) => |[a, b, c]| a.and(b).or(a.not(32).and(c)),
        Vop3(V3::VAlignbitB32) => |[a, b, c]| joined(a, b).shr(c.low(5), 64).low(32),
        Vop3(V3::VAlignbyteB32) => |[a, b, c]| joined(a, b).shr(c.low(2).shl(Value::known(3), 32), 64).low(32),
        Vop3(V3::VPermB32) => |[a, b, c]| c.bytes_of(a, b),
        Vop3(V3::VLshlOrB32) => |[a, b, c]| a.shl(b, 32).or(c),
        Vop3(V3::VAndOrB32) => |[a, b, c]| a.and(b).or(c),
        Vop3(V3::VOr3B32) => |[a, b, c]| a.or(b).or(c),
        Vop3(V3::VPackB32F16) => |[a, b, _]| b.shl(Value::known(16), 32).or(a),
        _ => return None,
    })
}

/// Other instructions each bit of whose result is one or two bits of the sources.
fn changes(opcode: Opcode) -> Option<Apply> {
    Some(match opcode {
        Vop1(V1::VNotB32) => |[a, ..]| a.not(32),
        Vop1(V1::VBfrevB32) => |[a, ..]| a.reversed(32),
        Vop2(V2::VXorB32) => |[a, b, _]| a.xor(b),
        Vop2(V2::VXnorB32) => |[a, b, _]| a.xor(b).not(32),
        Vop2(V2::VAshrrevI32) => |[a, b, _]| b.sar(a, 32),
        Vop2(V2::VAshrI32) => |[a, b, _]| a.sar(b, 32),
        Vop3(V3::VAshrrevI64) => |[a, b, _]| b.sar(a, 64),
        Vop3(V3::VAshrI64) => |[a, b, _]| a.sar(b, 64),
        Vop2(V2::VAshrrevI16) => |[a, b, _]| b.sar(a, 16),
        Vop3(V3::VBfeU32) => |[a, b, c]| a.field(b, c.low(5), 32, false),
        Vop3(V3::VBfeI32) => |[a, b, c]| a.field(b, c.low(5), 32, true),
        _ => return None,
    })
}

fn sums(opcode: Opcode) -> Option<Apply> {
    Some(match opcode {
        Vop2(V2::VAddU32 | V2::VAddU32Carry | V2::VAddI32 | V2::VAddCoU32) | Vop3(V3::VAddI32) => {
            |[a, b, _]| a.add(b, 32)
        }
        Vop2(V2::VSubU32 | V2::VSubU32Carry | V2::VSubI32 | V2::VSubCoU32) | Vop3(V3::VSubI32) => {
            |[a, b, _]| a.sub(b, 32)
        }
        Vop2(V2::VSubrevU32 | V2::VSubrevU32Carry | V2::VSubrevI32 | V2::VSubrevCoU32) => |[a, b, _]| b.sub(a, 32),
        Vop2(V2::VAddcU32 | V2::VAddcCoU32) => |[a, b, carry]| a.add(b, 32).add(carry.low(1), 32),
        Vop2(V2::VSubbU32 | V2::VSubbCoU32) => |[a, b, carry]| a.sub(b, 32).sub(carry.low(1), 32),
        Vop2(V2::VSubbrevU32 | V2::VSubbrevCoU32) => |[a, b, carry]| b.sub(a, 32).sub(carry.low(1), 32),
        Vop2(V2::VAddU16) | Vop3(V3::VAddI16) => |[a, b, _]| a.add(b, 16),
        Vop2(V2::VSubU16) | Vop3(V3::VSubI16) => |[a, b, _]| a.sub(b, 16),
        Vop2(V2::VSubrevU16) => |[a, b, _]| b.sub(a, 16),
        Vop2(V2::VMulLoU16) => |[a, b, _]| a.mul(b, 16),
        Vop3(V3::VMadU16 | V3::VMadI16) => |[a, b, c]| a.mul(b, 16).add(c, 16),
        Vop3(V3::VMulLoU32 | V3::VMulLoI32) => |[a, b, _]| a.mul(b, 32),
        Vop2(V2::VMulU32U24) => |[a, b, _]| a.low(24).mul(b.low(24), 32),
        Vop2(V2::VMulI32I24) => |[a, b, _]| a.extended(24).mul(b.extended(24), 32),
        Vop3(V3::VMadU32U24) => |[a, b, c]| a.low(24).mul(b.low(24), 32).add(c, 32),
        Vop3(V3::VMadI32I24) => |[a, b, c]| a.extended(24).mul(b.extended(24), 32).add(c, 32),
        Vop3(V3::VMadU64U32) => |[a, b, c]| a.mul(b, 64).add(c, 64),
        Vop3(V3::VMadI64I32) => |[a, b, c]| a.extended(32).mul(b.extended(32), 64).add(c, 64),
        Vop3(V3::VLshlAddU32) => |[a, b, c]| a.shl(b, 32).add(c, 32),
        Vop3(V3::VAddLshlU32) => |[a, b, c]| a.add(b, 32).shl(c, 32),
        Vop3(V3::VAdd3U32) => |[a, b, c]| a.add(b, 32).add(c, 32),
        Vop3(V3::VXadU32) => |[a, b, c]| a.xor(b).add(c, 32),
        // Each source makes a half of the result.
        Vop2(V2::VCvtPkU16U32 | V2::VCvtPkI16I32 | V2::VCvtPkrtzF16F32)
        | Vop3(V3::VCvtPkU16U32 | V3::VCvtPkI16I32 | V3::VCvtPkrtzF16F32) => halves,
        Vop2(V2::VCvtPknormI16F32 | V2::VCvtPknormU16F32) | Vop3(V3::VCvtPknormI16F32 | V3::VCvtPknormU16F32) => halves,
        _ => return None,
    })
}

/// Returns `high` and `low`, of 32 bits each, in 64.
fn joined(high: Value, low: Value) -> Value {
    high.shl(Value::known(32), 64).or(low)
}

fn halves([a, b, _]: [Value; 3]) -> Value {
    // The value is another one. Nothing asks for it.
    let half = |of: Value| of.whole(32).low(16);
    half(b).shl(Value::known(16), 32).or(half(a))
}

/// Returns the operation of a scalar instruction other than one of logic.
pub fn of_scalar(opcode: Opcode) -> Option<Apply> {
    Some(match opcode {
        Sop2(S2::SLshlB32) => |[a, b, _]| a.shl(b, 32),
        Sop2(S2::SLshrB32) => |[a, b, _]| a.shr(b, 32),
        Sop2(S2::SAshrI32) => |[a, b, _]| a.sar(b, 32),
        Sop2(S2::SLshlB64) => |[a, b, _]| a.shl(b, 64),
        Sop2(S2::SLshrB64) => |[a, b, _]| a.shr(b, 64),
        Sop2(S2::SAshrI64) => |[a, b, _]| a.sar(b, 64),
        Sop2(S2::SBfeU32) => |[a, b, _]| a.field(b, count(b), 32, false),
        Sop2(S2::SBfeI32) => |[a, b, _]| a.field(b, count(b), 32, true),
        Sop2(S2::SBfeU64) => |[a, b, _]| a.field(b, count(b), 64, false),
        Sop2(S2::SBfeI64) => |[a, b, _]| a.field(b, count(b), 64, true),
        Sop1(S1::SBrevB32) => |[a, ..]| a.reversed(32),
        Sop1(S1::SBrevB64) => |[a, ..]| a.reversed(64),
        Sop1(S1::SSextI32I8) => |[a, ..]| a.extended(8).low(32),
        Sop1(S1::SSextI32I16) => |[a, ..]| a.extended(16).low(32),
        Sop2(S2::SPackLlB32B16) => |[a, b, _]| b.shl(Value::known(16), 32).or(a.low(16)),
        Sop2(S2::SPackLhB32B16) => |[a, b, _]| b.and(Value::known(0xffff_0000)).or(a.low(16)),
        Sop2(S2::SPackHhB32B16) => |[a, b, _]| b.and(Value::known(0xffff_0000)).or(a.shr(Value::known(16), 32)),
        Sop2(S2::SAddU32 | S2::SAddI32) => |[a, b, _]| a.add(b, 32),
        Sop2(S2::SSubU32 | S2::SSubI32) => |[a, b, _]| a.sub(b, 32),
        Sop2(S2::SAddcU32) => |[a, b, scc]| a.add(b, 32).add(scc, 32),
        Sop2(S2::SSubbU32) => |[a, b, scc]| a.sub(b, 32).sub(scc, 32),
        Sop2(S2::SMulI32) => |[a, b, _]| a.mul(b, 32),
        _ => return None,
    })
}

/// Returns the number of bits of a field, which bits 22:16 of the second source have.
fn count(b: Value) -> Value {
    b.field(Value::known(16), Value::known(7), 32, false)
}

/// A compare of integers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Compare {
    by: Order,
    is_signed: bool,
    width: u32,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Order {
    Equal,
    Less,
    LessOrEqual,
}

impl Order {
    fn of(pred: Pred) -> Option<Order> {
        match pred {
            Pred::Eq | Pred::Lg => Some(Order::Equal),
            // Whether a number is greater or equal decides whether it is less.
            Pred::Lt | Pred::Ge => Some(Order::Less),
            Pred::Le | Pred::Gt => Some(Order::LessOrEqual),
            _ => None,
        }
    }

    fn of_sopc(compare: Sc) -> Option<Order> {
        use Sc::*;
        match compare {
            SCmpEqI32 | SCmpEqU32 | SCmpEqU64 | SCmpLgI32 | SCmpLgU32 | SCmpLgU64 => Order::of(Pred::Eq),
            SCmpLtI32 | SCmpLtU32 | SCmpGeI32 | SCmpGeU32 => Order::of(Pred::Lt),
            SCmpLeI32 | SCmpLeU32 | SCmpGtI32 | SCmpGtU32 => Order::of(Pred::Le),
            SBitcmp0B32 | SBitcmp1B32 | SBitcmp0B64 | SBitcmp1B64 | SSetvskip | SSetGprIdxOn => None,
        }
    }

    fn of_sopk(compare: Sk) -> Option<Order> {
        use Sk::*;
        match compare {
            SCmpkEqI32 | SCmpkEqU32 | SCmpkLgI32 | SCmpkLgU32 => Order::of(Pred::Eq),
            SCmpkLtI32 | SCmpkLtU32 | SCmpkGeI32 | SCmpkGeU32 => Order::of(Pred::Lt),
            SCmpkLeI32 | SCmpkLeU32 | SCmpkGtI32 | SCmpkGtU32 => Order::of(Pred::Le),
            _ => None,
        }
    }
}

impl Compare {
    /// Returns the compare of an instruction such as V_CMP_LT_U32 or S_CMPK_LG_I32.
    pub fn of(opcode: Opcode) -> Option<Compare> {
        let (is_signed, width) = match opcode.desc().src.first()? {
            OperandType::i16 => (true, 16),
            OperandType::u16 => (false, 16),
            OperandType::i32 => (true, 32),
            OperandType::u32 => (false, 32),
            OperandType::i64 => (true, 64),
            OperandType::u64 => (false, 64),
            _ => return None,
        };
        let by = match opcode {
            Vopc(compare) => Order::of(compare.cmp().pred),
            Sopc(compare) => Order::of_sopc(compare),
            Sopk(compare) => Order::of_sopk(compare),
            _ => None,
        }?;
        Some(Compare { by, is_signed, width })
    }

    /// Whether undefined bits cannot change the result.
    pub fn is_decided(self, a: Value, b: Value) -> bool {
        match self.by {
            Order::Equal => a.decides_equal(b, self.width),
            Order::Less => a.decides_less(b, self.width, self.is_signed, false),
            Order::LessOrEqual => a.decides_less(b, self.width, self.is_signed, true),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gcnsim_isa::table::all_rows;

    #[test]
    fn halves_are_converted_alone() {
        let (known, unknown) = (Value::known(5), Value { value: 0, bits: !0x100 });
        let bits = |a, b| halves([a, b, known]).bits;
        assert_eq!((bits(known, known), bits(unknown, known), bits(known, unknown)), (!0, !0xffff, !0xffff_0000));
    }

    #[test]
    fn compares_by_opcode() {
        let of = |name: &str| Compare::of(all_rows().find(|row| row.mnemonic == name).unwrap().opcode);
        let expected = |by, is_signed, width| Some(Compare { by, is_signed, width });
        assert_eq!(of("v_cmpx_ne_i64"), expected(Order::Equal, true, 64));
        assert_eq!(of("s_cmpk_ge_u32"), expected(Order::Less, false, 32));
        assert_eq!(of("s_cmp_lg_u64"), expected(Order::Equal, false, 64));
        assert_eq!(of("v_cmp_gt_i16"), expected(Order::LessOrEqual, true, 16));
        for name in ["v_cmp_lt_f32", "v_cmp_t_u32", "v_add_u32", "s_bitcmp1_b32", "s_movk_i32"] {
            assert_eq!(of(name), None, "{name}");
        }
    }
}
