//! Numbers that compares compare, by type of operand.

use std::cmp::Ordering;

use gcnsim_isa::LANES;

use super::super::operand::Operand;
use super::{Float, Lanes};
use crate::host::{Bools, Host};

/// A type of numbers.
pub(super) trait Number: 'static {
    /// The type of operands with such bits.
    type Bits: Operand;
    /// The type of the results of tests.
    type Bool: Bools;
    /// The type of the values that are compared.
    type Value: PartialOrd;

    /// The numbers, in the level's order for elements as wide as `Bool`.
    fn numbers<H: Host>(host: H, lanes: impl Lanes) -> impl Fn(usize) -> Self::Value;
}

macro_rules! numbers {
    ($($Name:ident $Bits:ident $Bool:ident $Value:ty: |$H:ident, $host:ident, $lanes:ident| $numbers:expr;)*) => {
        $(
            pub(super) struct $Name;

            impl Number for $Name {
                type Bits = $Bits;
                type Bool = $Bool;
                type Value = $Value;

                #[inline(always)]
                fn numbers<$H: Host>($host: $H, $lanes: impl Lanes) -> impl Fn(usize) -> $Value {
                    $numbers
                }
            }
        )*
    };
}

numbers! {
    I16 u16 u16 i16: |H, host, lanes| {
        let words = lanes.words::<false>(host, 0);
        move |i| words[i] as i16
    };
    U16 u16 u16 u16: |H, host, lanes| {
        let words = lanes.words::<false>(host, 0);
        move |i| words[i]
    };
    F16 u16 u16 Half: |H, host, lanes| {
        let words = lanes.words::<false>(host, 0);
        let keys = host.f16_keys(&words);
        move |i| Half { bits: words[i], key: keys[i] }
    };
    I32 u32 u32 i32: |H, _host, lanes| move |i| lanes.dword(0, i) as i32;
    U32 u32 u32 u32: |H, _host, lanes| move |i| lanes.dword(0, i);
    F32 u32 u32 f32: |H, _host, lanes| move |i| f32::from_bits(lanes.dword(0, i));
    I64 u64 u32 Halves<i32>: |H, _host, lanes| move |i| Halves { hi: lanes.dword(1, i) as i32, lo: lanes.dword(0, i) };
    U64 u64 u32 Halves<u32>: |H, _host, lanes| move |i| Halves { hi: lanes.dword(1, i), lo: lanes.dword(0, i) };
    F64 u64 u64 f64: |H, host, lanes| {
        let joined = if H::IS_WIDE { lanes.qwords(host) } else { [0; LANES] };
        let join = move |i| lanes.dword(0, i) as u64 | (lanes.dword(1, i) as u64) << 32;
        move |i| f64::from_bits(if H::IS_WIDE { joined[i] } else { join(i) })
    };
}

/// A 64-bit integer. The type of the high half decides on the sign.
pub(super) struct Halves<H> {
    hi: H,
    lo: u32,
}

impl Halves<i32> {
    /// The half that orders this number and `other`: the high one or, if the high ones are equal, the low one.
    #[inline(always)]
    fn key(&self, other: &Self) -> i32 {
        if self.hi == other.hi { (self.lo ^ 1 << 31) as i32 } else { self.hi }
    }
}

impl Halves<u32> {
    /// The key as for signed numbers.
    #[inline(always)]
    fn key(&self, other: &Self) -> u32 {
        if self.hi == other.hi { self.lo } else { self.hi }
    }
}

impl<H: PartialEq> Halves<H> {
    #[inline(always)]
    fn is_equal(&self, other: &Self) -> bool {
        (self.hi == other.hi) & (self.lo == other.lo)
    }

    /// Integers have no NaN, so that all pairs are ordered.
    #[inline(always)]
    fn is_ordered(&self, _: &Self) -> bool {
        true
    }
}

/// A binary16 number.
pub(super) struct Half {
    bits: u16,
    /// An integer with the order of the values.
    key: i16,
}

impl Half {
    #[inline(always)]
    fn magnitude(&self) -> u16 {
        self.bits & 0x7fff
    }

    #[inline(always)]
    fn key(&self, _: &Half) -> i16 {
        self.key
    }

    #[inline(always)]
    fn is_equal(&self, other: &Half) -> bool {
        self.key(other) == other.key(self)
    }

    /// Whether none of the two is a NaN.
    #[inline(always)]
    fn is_ordered(&self, other: &Half) -> bool {
        self.magnitude().max(other.magnitude()) <= F16::EXPONENT
    }
}

/// Orders numbers by their keys, without branches.
macro_rules! ordered {
    ($($T:ty)*) => {
        $(
            impl PartialEq for $T {
                #[inline(always)]
                fn eq(&self, other: &Self) -> bool {
                    self.is_equal(other) & self.is_ordered(other)
                }
            }

            impl PartialOrd for $T {
                #[inline(always)]
                fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
                    self.is_ordered(other).then(|| self.key(other).cmp(&other.key(self)))
                }

                #[inline(always)]
                fn lt(&self, other: &Self) -> bool {
                    (self.key(other) < other.key(self)) & self.is_ordered(other)
                }

                #[inline(always)]
                fn le(&self, other: &Self) -> bool {
                    (self.key(other) <= other.key(self)) & self.is_ordered(other)
                }

                #[inline(always)]
                fn gt(&self, other: &Self) -> bool {
                    other < self
                }

                #[inline(always)]
                fn ge(&self, other: &Self) -> bool {
                    other <= self
                }
            }
        )*
    };
}

ordered! { Halves<i32> Halves<u32> Half }
