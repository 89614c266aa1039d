//! Values of which some bits are undefined, and what operations make of those bits.

/// A value and its defined bits. Narrower values are zero-extended, and the added bits are defined.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Value {
    /// The value. Its undefined bits are those of this run.
    pub value: u64,
    /// Bits that are defined.
    pub bits: u64,
}

/// Returns the `width` (0 to 64) lowest bits.
fn ones(width: u32) -> u64 {
    1u64.unbounded_shl(width).wrapping_sub(1)
}

impl Value {
    /// Returns a value that is defined.
    pub const fn known(value: u64) -> Value {
        Value { value, bits: !0 }
    }

    /// Whether all bits are defined.
    pub fn is_known(self) -> bool {
        self.bits == !0
    }

    /// Returns `width` undefined bits.
    fn unknown(width: u32) -> Value {
        Value { value: 0, bits: !ones(width) }
    }

    /// Returns the `width` lowest bits.
    pub fn low(self, width: u32) -> Value {
        let mask = ones(width);
        Value { value: self.value & mask, bits: self.bits | !mask }
    }

    /// Returns the value of `width` bits if all of them are defined, otherwise `width` undefined bits.
    pub fn whole(self, width: u32) -> Value {
        let low = self.low(width);
        if low.is_known() { low } else { Value::unknown(width) }
    }

    /// Returns the `width` lowest bits, sign-extended to 64: copies of an undefined bit are undefined.
    pub fn extended(self, width: u32) -> Value {
        let by = 64 - width.clamp(1, 64);
        let extend = |bits: u64| ((bits << by) as i64 >> by) as u64;
        Value { value: extend(self.value), bits: extend(self.bits) }
    }

    /// Returns the bitwise inverse of `width` bits.
    pub fn not(self, width: u32) -> Value {
        Value { value: !self.value, ..self }.low(width)
    }

    /// A bit of the result is defined if both bits are, or one is 0.
    pub fn and(self, other: Value) -> Value {
        let zeros = self.bits & !self.value | other.bits & !other.value;
        Value { value: self.value & other.value, bits: self.bits & other.bits | zeros }
    }

    /// A bit of the result is defined if both bits are, or one is 1.
    pub fn or(self, other: Value) -> Value {
        let ones = self.bits & self.value | other.bits & other.value;
        Value { value: self.value | other.value, bits: self.bits & other.bits | ones }
    }

    /// A bit of the result is defined if both bits are.
    pub fn xor(self, other: Value) -> Value {
        Value { value: self.value ^ other.value, bits: self.bits & other.bits }
    }

    /// Returns the number of places of a shift of `width` bits, if it is defined.
    fn places(self, width: u32) -> Option<u32> {
        let mask = u64::from(width - 1);
        (self.bits & mask == mask).then_some((self.value & mask) as u32)
    }

    /// Returns `width` bits that are shifted left by `by`, modulo `width`.
    pub fn shl(self, by: Value, width: u32) -> Value {
        let Some(by) = by.places(width) else { return Value::unknown(width) };
        Value { value: self.value << by, bits: self.bits << by | ones(by) }.low(width)
    }

    /// Returns `width` bits that are shifted right by `by`, modulo `width`.
    pub fn shr(self, by: Value, width: u32) -> Value {
        let Some(by) = by.places(width) else { return Value::unknown(width) };
        let low = self.low(width);
        Value { value: low.value >> by, bits: low.bits >> by | !(!0 >> by) }
    }

    /// Returns `width` bits that are shifted right by `by`, modulo `width`, with copies of the sign.
    pub fn sar(self, by: Value, width: u32) -> Value {
        let Some(by) = by.places(width) else { return Value::unknown(width) };
        let wide = self.extended(width);
        Value { value: (wide.value as i64 >> by) as u64, bits: (wide.bits as i64 >> by) as u64 }.low(width)
    }

    /// Returns the field of `count` bits from bit `from` on, of a value of `width` bits.
    pub fn field(self, from: Value, count: Value, width: u32, is_signed: bool) -> Value {
        let Some(places) = from.places(width) else { return Value::unknown(width) };
        if !count.is_known() {
            return Value::unknown(width);
        }
        let count = (count.value as u32).min(width - places);
        let shifted = self.shr(from, width);
        match (count, is_signed) {
            (0, _) => Value::known(0),
            (_, true) => shifted.extended(count).low(width),
            (_, false) => shifted.low(count),
        }
    }

    /// Returns a value of `width` bits with the bits in reverse order.
    pub fn reversed(self, width: u32) -> Value {
        let low = self.low(width);
        Value { value: low.value.reverse_bits(), bits: low.bits.reverse_bits() }.shr_wide(64 - width)
    }

    fn shr_wide(self, by: u32) -> Value {
        Value { value: self.value >> by, bits: self.bits >> by | !(!0 >> by) }
    }

    /// Returns the bits below the lowest one that is undefined in either value: those of a sum or a difference that are
    /// defined.
    fn below(self, other: Value) -> u64 {
        ones((self.bits & other.bits).trailing_ones())
    }

    /// Returns the sum of `width` bits.
    pub fn add(self, other: Value, width: u32) -> Value {
        Value { value: self.value.wrapping_add(other.value), bits: self.below(other) }.low(width)
    }

    /// Returns the difference of `width` bits.
    pub fn sub(self, other: Value, width: u32) -> Value {
        Value { value: self.value.wrapping_sub(other.value), bits: self.below(other) }.low(width)
    }

    /// Returns the product of `width` bits. Zeros at the end of one value shift the undefined bits of the other one.
    pub fn mul(self, other: Value, width: u32) -> Value {
        let lowest = |of: Value, by: Value| of.bits.trailing_ones() + (by.value | !by.bits).trailing_zeros();
        let bits = ones(lowest(self, other).min(lowest(other, self)));
        Value { value: self.value.wrapping_mul(other.value), bits }.low(width)
    }

    /// Returns `one` if bit 0 is set, otherwise `zero`; `width` undefined bits if bit 0 is undefined.
    pub fn select(self, zero: Value, one: Value, width: u32) -> Value {
        match (self.bits & 1, self.value & 1) {
            (0, _) => Value::unknown(width),
            (_, 0) => zero,
            _ => one,
        }
    }

    /// Returns bytes of {`high`, `low`} that the bytes of the selector choose (V_PERM_B32).
    pub fn bytes_of(self, high: Value, low: Value) -> Value {
        let byte = |of: Value, k: u64| Value { value: of.value >> (8 * k), bits: of.bits >> (8 * k) }.low(8);
        let sign =
            |of: Value, bit: u64| Value { value: of.value >> bit, bits: of.bits >> bit }.low(1).extended(1).low(8);
        (0..4).fold(Value::known(0), |all, k| {
            let selector = byte(self, k);
            let chosen = match selector.value {
                _ if !selector.is_known() => Value::unknown(8),
                at @ 0..=3 => byte(low, at),
                at @ 4..=7 => byte(high, at - 4),
                at @ 8..=9 => sign(low, 16 * (at - 8) + 15),
                at @ 10..=11 => sign(high, 16 * (at - 10) + 15),
                12 => Value::known(0),
                _ => Value::known(0xff),
            };
            all.or(chosen.shl(Value::known(8 * k), 32))
        })
    }

    /// Returns the least and the greatest number that the value may be, of `width` bits.
    fn range(self, width: u32, is_signed: bool) -> (u64, u64) {
        // With the sign flipped, signed numbers have the order of unsigned ones.
        let flip = if is_signed { 1 << (width - 1) } else { 0 };
        let low = self.low(width);
        let value = low.value ^ flip;
        (value & low.bits, value | !low.bits)
    }

    /// Whether the bits that are undefined cannot change whether the numbers are equal.
    pub fn decides_equal(self, other: Value, width: u32) -> bool {
        let both = self.xor(other).low(width);
        both.is_known() || both.value & both.bits != 0
    }

    /// Whether the bits that are undefined cannot change whether the number is less than the other one. With
    /// `or_equal`: less or equal.
    pub fn decides_less(self, other: Value, width: u32, is_signed: bool, or_equal: bool) -> bool {
        let ((least, most), (other_least, other_most)) = (self.range(width, is_signed), other.range(width, is_signed));
        let is_less = |a: u64, b: u64| a < b || or_equal && a == b;
        is_less(most, other_least) || !is_less(least, other_most)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a value with some undefined bits. The others are those of `value`.
    fn part(value: u64, undefined: u64) -> Value {
        Value { value, bits: !undefined }
    }

    /// Calls an operation with every value that the undefined bits of `a` and `b` allow, all within four bits from
    /// `from` on. Returns the bits that are the same each time.
    fn same_bits(a: Value, b: Value, from: u32, of: &dyn Fn(u64, u64) -> u64) -> u64 {
        let all = |v: Value| (0..16u64).map(move |k| v.value & v.bits | k << from & !v.bits);
        let results: Vec<u64> = all(a).flat_map(|a| all(b).map(move |b| of(a, b))).collect();
        results.iter().fold(!0, |same, result| same & !(result ^ results[0]))
    }

    /// What an operation says is defined does not change with the undefined bits.
    fn is_sound(of: &dyn Fn(Value, Value) -> Value, plain: &dyn Fn(u64, u64) -> u64, from: u32) {
        for (a, b) in [(0x1234_5678, 0x9abc_def0), (0xffff_ffff, 0), (0x8000_0001, 0x1f), (0x0f0f_0f0f, 4)] {
            for (ua, ub) in [(0, 0), (0xf, 0), (0, 0xf), (5, 0xa), (8, 1)] {
                let (a, b) = (part(a, ua << from), part(b, ub << from));
                let (result, same) = (of(a, b), same_bits(a, b, from, plain));
                assert_eq!(result.bits & !same, 0, "{a:x?} {b:x?}");
                assert_eq!((result.value ^ plain(a.value, b.value)) & result.bits, 0, "{a:x?} {b:x?}");
            }
        }
    }

    #[test]
    fn what_is_defined_does_not_depend_on_the_rest() {
        let low = |v: u64| v & 0xffff_ffff;
        for from in [0, 4, 14, 28] {
            is_sound(&|a, b| a.and(b), &|a, b| a & b, from);
            is_sound(&|a, b| a.or(b), &|a, b| a | b, from);
            is_sound(&|a, b| a.xor(b), &|a, b| a ^ b, from);
            is_sound(&|a, b| a.add(b, 32), &|a, b| low(a.wrapping_add(b)), from);
            is_sound(&|a, b| a.sub(b, 32), &|a, b| low(a.wrapping_sub(b)), from);
            is_sound(&|a, b| a.mul(b, 32), &|a, b| low(a.wrapping_mul(b)), from);
            is_sound(&|a, b| a.shl(b, 32), &|a, b| low(a << (b & 31)), from);
            is_sound(&|a, b| a.shr(b, 32), &|a, b| a >> (b & 31), from);
            is_sound(&|a, b| a.sar(b, 32), &|a, b| low((a as u32 as i32 >> (b & 31)) as u64), from);
            is_sound(&|a, _| a.reversed(32), &|a, _| u64::from((a as u32).reverse_bits()), from);
        }
    }

    #[test]
    fn masks_and_shifts_drop_undefined_bits() {
        let v = part(0x1234_5678, 0xff00);
        assert!(v.and(Value::known(0x00ff_00ff)).is_known() && !v.and(Value::known(0x0100)).is_known());
        assert_eq!(v.shr(Value::known(16), 32), Value::known(0x1234));
        assert_eq!(v.shl(Value::known(24), 32), Value::known(0x7800_0000));
        assert_eq!(v.field(Value::known(16), Value::known(5), 32, true), Value::known(0xffff_fff4));
        assert_eq!(v.field(Value::known(12), Value::known(8), 32, false), part(0x45, 0xf));
        assert_eq!(v.field(Value::known(8), Value::known(8), 32, true), part(0x56, 0xffff_ffff));
        // The bits of a sum below the lowest undefined one are defined.
        assert_eq!(v.add(Value::known(8), 32).bits, !0xffff_ff00);
        assert_eq!(v.mul(Value::known(0x0500_0000), 32), Value { value: 0x5800_0000, bits: !0 });
        assert_eq!(part(0, 2).extended(2).low(32).bits, !0xffff_fffe);
    }

    #[test]
    fn bytes_are_selected() {
        let (high, low) = (part(0x8004_0302, 0xff), part(0x1413_9211, 0xff00));
        let with = |selector: u64| Value::known(selector).bytes_of(high, low);
        assert_eq!(with(0x0706_0302), Value::known(0x8004_1413));
        assert_eq!(with(0x0c00_0d05), Value::known(0x0011_ff03));
        assert_eq!(with(0x0104_0b0a), part(0x9202_ff00, 0xffff_0000));
        assert_eq!(with(0x0808_0808), part(0xffff_ffff, 0xffff_ffff));
        assert_eq!(part(0, 0x0100).bytes_of(high, low).bits, !0xff00);
    }

    #[test]
    fn compares_that_the_rest_cannot_change() {
        let (v, k) = (part(0x1234_0000, 0xffff), Value::known);
        assert!(v.decides_equal(k(0x1235_0000), 32) && !v.decides_equal(k(0x1234_0000), 32));
        assert!(v.decides_less(k(0x1235_0000), 32, false, false) && v.decides_less(k(0x1233_ffff), 32, false, false));
        assert!(!v.decides_less(k(0x1234_8000), 32, false, false));
        assert!(v.decides_less(k(0x1234_ffff), 32, false, true) && !v.decides_less(k(0x1234_ffff), 32, false, false));
        // The sign is defined, or it is not.
        assert!(part(0x8000_0000, 0xffff).decides_less(k(0), 32, true, false));
        assert!(!part(0, 0x8000_0000).decides_less(k(0), 32, true, false));
        assert!(k(7).decides_less(k(7), 16, true, false));
    }
}
