//! Instructions whose results are known bit by bit, by their mnemonics.

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
pub fn of_vector(mnemonic: &str) -> Option<Operation> {
    let found = |padding| move |apply| Operation { apply, padding };
    let copy = copies(mnemonic).map(found(Padding::Moved));
    let copy = copy.or_else(|| merges(mnemonic).map(found(Padding::Merged)));
    copy.or_else(|| changes(mnemonic).or_else(|| sums(mnemonic)).map(found(Padding::Lost)))
}

/// Instructions that copy registers.
fn copies(mnemonic: &str) -> Option<Apply> {
    Some(match mnemonic {
        "v_mov_b32" => |[a, ..]| a,
        "v_cndmask_b32" => |[a, b, mask]| mask.select(a, b, 32),
        _ => return None,
    })
}

/// Instructions that mask, shift and merge, as compilers do with parts of structures.
fn merges(mnemonic: &str) -> Option<Apply> {
    Some(match mnemonic {
        "v_and_b32" => |[a, b, _]| a.and(b),
        "v_or_b32" => |[a, b, _]| a.or(b),
        "v_lshlrev_b32" => |[a, b, _]| b.shl(a, 32),
        "v_lshrrev_b32" => |[a, b, _]| b.shr(a, 32),
        "v_lshl_b32" => |[a, b, _]| a.shl(b, 32),
        "v_lshr_b32" => |[a, b, _]| a.shr(b, 32),
        "v_lshlrev_b64" => |[a, b, _]| b.shl(a, 64),
        "v_lshrrev_b64" => |[a, b, _]| b.shr(a, 64),
        "v_lshl_b64" => |[a, b, _]| a.shl(b, 64),
        "v_lshr_b64" => |[a, b, _]| a.shr(b, 64),
        "v_lshlrev_b16" => |[a, b, _]| b.shl(a, 16),
        "v_lshrrev_b16" => |[a, b, _]| b.shr(a, 16),
        "v_bfi_b32" => |[a, b, c]| a.and(b).or(a.not(32).and(c)),
        "v_alignbit_b32" => |[a, b, c]| joined(a, b).shr(c.low(5), 64).low(32),
        "v_alignbyte_b32" => |[a, b, c]| joined(a, b).shr(c.low(2).shl(Value::known(3), 32), 64).low(32),
        "v_perm_b32" => |[a, b, c]| c.bytes_of(a, b),
        "v_lshl_or_b32" => |[a, b, c]| a.shl(b, 32).or(c),
        "v_and_or_b32" => |[a, b, c]| a.and(b).or(c),
        "v_or3_b32" => |[a, b, c]| a.or(b).or(c),
        "v_pack_b32_f16" => |[a, b, _]| b.shl(Value::known(16), 32).or(a),
        _ => return None,
    })
}

/// Other instructions each bit of whose result is one or two bits of the sources.
fn changes(mnemonic: &str) -> Option<Apply> {
    Some(match mnemonic {
        "v_not_b32" => |[a, ..]| a.not(32),
        "v_bfrev_b32" => |[a, ..]| a.reversed(32),
        "v_xor_b32" => |[a, b, _]| a.xor(b),
        "v_xnor_b32" => |[a, b, _]| a.xor(b).not(32),
        "v_ashrrev_i32" => |[a, b, _]| b.sar(a, 32),
        "v_ashr_i32" => |[a, b, _]| a.sar(b, 32),
        "v_ashrrev_i64" => |[a, b, _]| b.sar(a, 64),
        "v_ashr_i64" => |[a, b, _]| a.sar(b, 64),
        "v_ashrrev_i16" => |[a, b, _]| b.sar(a, 16),
        "v_bfe_u32" => |[a, b, c]| a.field(b, c.low(5), 32, false),
        "v_bfe_i32" => |[a, b, c]| a.field(b, c.low(5), 32, true),
        _ => return None,
    })
}

fn sums(mnemonic: &str) -> Option<Apply> {
    Some(match mnemonic {
        "v_add_u32" | "v_add_i32" | "v_add_co_u32" => |[a, b, _]| a.add(b, 32),
        "v_sub_u32" | "v_sub_i32" | "v_sub_co_u32" => |[a, b, _]| a.sub(b, 32),
        "v_subrev_u32" | "v_subrev_i32" | "v_subrev_co_u32" => |[a, b, _]| b.sub(a, 32),
        "v_addc_u32" | "v_addc_co_u32" => |[a, b, carry]| a.add(b, 32).add(carry.low(1), 32),
        "v_subb_u32" | "v_subb_co_u32" => |[a, b, carry]| a.sub(b, 32).sub(carry.low(1), 32),
        "v_subbrev_u32" | "v_subbrev_co_u32" => |[a, b, carry]| b.sub(a, 32).sub(carry.low(1), 32),
        "v_add_u16" | "v_add_i16" => |[a, b, _]| a.add(b, 16),
        "v_sub_u16" | "v_sub_i16" => |[a, b, _]| a.sub(b, 16),
        "v_subrev_u16" => |[a, b, _]| b.sub(a, 16),
        "v_mul_lo_u16" => |[a, b, _]| a.mul(b, 16),
        "v_mad_u16" | "v_mad_i16" => |[a, b, c]| a.mul(b, 16).add(c, 16),
        "v_mul_lo_u32" | "v_mul_lo_i32" => |[a, b, _]| a.mul(b, 32),
        "v_mul_u32_u24" => |[a, b, _]| a.low(24).mul(b.low(24), 32),
        "v_mul_i32_i24" => |[a, b, _]| a.extended(24).mul(b.extended(24), 32),
        "v_mad_u32_u24" => |[a, b, c]| a.low(24).mul(b.low(24), 32).add(c, 32),
        "v_mad_i32_i24" => |[a, b, c]| a.extended(24).mul(b.extended(24), 32).add(c, 32),
        "v_mad_u64_u32" => |[a, b, c]| a.mul(b, 64).add(c, 64),
        "v_mad_i64_i32" => |[a, b, c]| a.extended(32).mul(b.extended(32), 64).add(c, 64),
        "v_lshl_add_u32" => |[a, b, c]| a.shl(b, 32).add(c, 32),
        "v_add_lshl_u32" => |[a, b, c]| a.add(b, 32).shl(c, 32),
        "v_add3_u32" => |[a, b, c]| a.add(b, 32).add(c, 32),
        "v_xad_u32" => |[a, b, c]| a.xor(b).add(c, 32),
        // Each source makes a half of the result.
        "v_cvt_pk_u16_u32" | "v_cvt_pk_i16_i32" | "v_cvt_pkrtz_f16_f32" => halves,
        "v_cvt_pknorm_i16_f32" | "v_cvt_pknorm_u16_f32" => halves,
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
pub fn of_scalar(mnemonic: &str) -> Option<Apply> {
    Some(match mnemonic {
        "s_lshl_b32" => |[a, b, _]| a.shl(b, 32),
        "s_lshr_b32" => |[a, b, _]| a.shr(b, 32),
        "s_ashr_i32" => |[a, b, _]| a.sar(b, 32),
        "s_lshl_b64" => |[a, b, _]| a.shl(b, 64),
        "s_lshr_b64" => |[a, b, _]| a.shr(b, 64),
        "s_ashr_i64" => |[a, b, _]| a.sar(b, 64),
        "s_bfe_u32" => |[a, b, _]| a.field(b, count(b), 32, false),
        "s_bfe_i32" => |[a, b, _]| a.field(b, count(b), 32, true),
        "s_bfe_u64" => |[a, b, _]| a.field(b, count(b), 64, false),
        "s_bfe_i64" => |[a, b, _]| a.field(b, count(b), 64, true),
        "s_brev_b32" => |[a, ..]| a.reversed(32),
        "s_brev_b64" => |[a, ..]| a.reversed(64),
        "s_sext_i32_i8" => |[a, ..]| a.extended(8).low(32),
        "s_sext_i32_i16" => |[a, ..]| a.extended(16).low(32),
        "s_pack_ll_b32_b16" => |[a, b, _]| b.shl(Value::known(16), 32).or(a.low(16)),
        "s_pack_lh_b32_b16" => |[a, b, _]| b.and(Value::known(0xffff_0000)).or(a.low(16)),
        "s_pack_hh_b32_b16" => |[a, b, _]| b.and(Value::known(0xffff_0000)).or(a.shr(Value::known(16), 32)),
        "s_add_u32" | "s_add_i32" => |[a, b, _]| a.add(b, 32),
        "s_sub_u32" | "s_sub_i32" => |[a, b, _]| a.sub(b, 32),
        "s_addc_u32" => |[a, b, scc]| a.add(b, 32).add(scc, 32),
        "s_subb_u32" => |[a, b, scc]| a.sub(b, 32).sub(scc, 32),
        "s_mul_i32" => |[a, b, _]| a.mul(b, 32),
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

impl Compare {
    /// Returns the compare of a mnemonic such as `v_cmp_lt_u32` or `s_cmpk_lg_i32`.
    pub fn of(mnemonic: &str) -> Option<Compare> {
        let (start, ty) = mnemonic.rsplit_once('_')?;
        let (start, order) = start.rsplit_once('_')?;
        if !matches!(start, "v_cmp" | "v_cmpx" | "s_cmp" | "s_cmpk") {
            return None;
        }
        let by = match order {
            "eq" | "lg" | "ne" => Order::Equal,
            // Whether a number is greater or equal decides whether it is less.
            "lt" | "ge" => Order::Less,
            "le" | "gt" => Order::LessOrEqual,
            _ => return None,
        };
        let (is_signed, width) = (ty.starts_with('i'), ty.strip_prefix(['i', 'u'])?.parse().ok()?);
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

    #[test]
    fn halves_are_converted_alone() {
        let (known, unknown) = (Value::known(5), Value { value: 0, bits: !0x100 });
        let bits = |a, b| halves([a, b, known]).bits;
        assert_eq!((bits(known, known), bits(unknown, known), bits(known, unknown)), (!0, !0xffff, !0xffff_0000));
    }

    #[test]
    fn compares_by_name() {
        let of = |by, is_signed, width| Some(Compare { by, is_signed, width });
        assert_eq!(Compare::of("v_cmpx_ne_i64"), of(Order::Equal, true, 64));
        assert_eq!(Compare::of("s_cmpk_ge_u32"), of(Order::Less, false, 32));
        assert_eq!(Compare::of("v_cmp_gt_i16"), of(Order::LessOrEqual, true, 16));
        assert_eq!(
            (Compare::of("v_cmp_lt_f32"), Compare::of("v_cmp_t_u32"), Compare::of("v_add_u32")),
            (None, None, None)
        );
    }
}
