//! What atomics compute, of guest memory, LDS and GDS alike (docs/gcn/memory.md#atomic-operations).
//!
//! Float operations exist twice. Those of vector memory compare as they find the bits and never flush. Those of DS obey
//! MODE, order zeros by their signs and let a NaN lose.

use gcnsim_isa::{Note, Notes};

/// An atomic, ready to be applied.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Operation {
    /// Which.
    pub atomic: Atomic,
    /// 4 or 8 bytes.
    pub bytes: u8,
    /// MODE of the wave. Only float operations of DS look at it.
    pub mode: u32,
}

/// What an atomic makes of the old value and its data: d is the first data value, e the second.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Atomic {
    /// d.
    Swap,
    /// d if the old value is e, else the old one. (DS names its data the other way round.)
    Cmpswap,
    /// old + d.
    Add,
    /// old - d.
    Sub,
    /// d - old.
    Rsub,
    /// The lesser, signed.
    Smin,
    /// The lesser, unsigned.
    Umin,
    /// The greater, signed.
    Smax,
    /// The greater, unsigned.
    Umax,
    /// Bitwise and.
    And,
    /// Bitwise or.
    Or,
    /// Bitwise exclusive or.
    Xor,
    /// old + 1, or 0 from d on.
    Inc,
    /// old - 1, or d for 0 and above d.
    Dec,
    /// old with the bits of d replaced by e (DS).
    Mskor,
    /// old - d from d on, else old + e (DS).
    Wrap,
    /// As Cmpswap, compared as floats (vector memory).
    Fcmpswap,
    /// The lesser float (vector memory).
    Fmin,
    /// The greater float (vector memory).
    Fmax,
    /// As Cmpswap, compared as floats (DS).
    ShareFcmpswap,
    /// The lesser float (DS).
    ShareFmin,
    /// The greater float (DS).
    ShareFmax,
    /// The sum of two binary32 numbers, rounded to nearest even (DS).
    ShareFadd,
}

/// Integer operations of one width.
macro_rules! integer {
    ($name:ident, $unsigned:ident, $signed:ident) => {
        /// An integer operation; the old value for all others.
        #[inline(always)]
        fn $name(atomic: Atomic, old: $unsigned, [d, e]: [$unsigned; 2]) -> $unsigned {
            match atomic {
                Atomic::Swap => d,
                Atomic::Cmpswap if old == e => d,
                Atomic::Cmpswap => old,
                Atomic::Add => old.wrapping_add(d),
                Atomic::Sub => old.wrapping_sub(d),
                Atomic::Rsub => d.wrapping_sub(old),
                Atomic::Smin => (old as $signed).min(d as $signed) as $unsigned,
                Atomic::Umin => old.min(d),
                Atomic::Smax => (old as $signed).max(d as $signed) as $unsigned,
                Atomic::Umax => old.max(d),
                Atomic::And => old & d,
                Atomic::Or => old | d,
                Atomic::Xor => old ^ d,
                Atomic::Inc if old >= d => 0,
                Atomic::Inc => old + 1,
                Atomic::Dec if old == 0 || old > d => d,
                Atomic::Dec => old - 1,
                Atomic::Mskor => old & !d | e,
                Atomic::Wrap if old >= d => old - d,
                Atomic::Wrap => old.wrapping_add(e),
                Atomic::Fcmpswap
                | Atomic::Fmin
                | Atomic::Fmax
                | Atomic::ShareFcmpswap
                | Atomic::ShareFmin
                | Atomic::ShareFmax
                | Atomic::ShareFadd => old,
            }
        }
    };
}

integer!(integer32, u32, i32);
integer!(integer64, u64, i64);

impl Operation {
    /// Is the second data value what the old one is compared with?
    pub fn has_comparand(&self) -> bool {
        matches!(self.atomic, Atomic::Cmpswap | Atomic::Fcmpswap)
    }

    /// The new value; values of 4 bytes are in the low halves.
    #[inline(always)]
    pub fn apply(&self, old: u64, data: [u64; 2], notes: &mut Notes) -> u64 {
        if self.atomic.is_float() {
            return self.float(old, data, notes);
        }
        match self.bytes {
            4 => integer32(self.atomic, old as u32, data.map(|value| value as u32)).into(),
            _ => integer64(self.atomic, old, data),
        }
    }

    fn float(&self, old: u64, [d, e]: [u64; 2], notes: &mut Notes) -> u64 {
        let format = if self.bytes == 4 { BINARY32 } else { BINARY64 };
        match self.atomic {
            Atomic::Fcmpswap if format.are_equal(old, e) => d,
            Atomic::Fmin => format.choose(old, d, |old, d| d < old, notes),
            Atomic::Fmax => format.choose(old, d, |old, d| d > old, notes),
            Atomic::ShareFcmpswap => self.share_cmpswap(format, old, d, e, notes),
            Atomic::ShareFmin => self.share_choose(format, old, d, |old, d| d < old, notes),
            Atomic::ShareFmax => self.share_choose(format, old, d, |old, d| d > old, notes),
            Atomic::ShareFadd => self.share_add(format, old, d, notes),
            _ => old,
        }
    }

    /// Does MODE flush denormal sources?
    fn flushes_sources(&self, format: Format) -> bool {
        self.mode >> format.denormal_bit & 1 == 0
    }

    /// A source as a comparison or a sum sees it.
    fn source(&self, format: Format, x: u64, notes: &mut Notes) -> u64 {
        let is_flushed = format.is_denormal(x) && self.flushes_sources(format);
        notes.insert_if(is_flushed, Note::LdsFloatDenorm);
        if is_flushed { x & format.sign } else { x }
    }

    fn share_cmpswap(&self, format: Format, old: u64, d: u64, e: u64, notes: &mut Notes) -> u64 {
        let [seen, d, e] = [old, d, e].map(|x| self.source(format, x, notes));
        if format.are_equal(seen, e) { d } else { old }
    }

    /// One of the sources as it is; flushing decides only which.
    fn share_choose(&self, format: Format, old: u64, d: u64, takes_d: fn(i64, i64) -> bool, notes: &mut Notes) -> u64 {
        let [a, b] = [old, d].map(|x| self.source(format, x, notes));
        let zeros = (a | b) & !format.sign == 0 && a != b;
        notes.insert_if(zeros || format.is_nan(a) || format.is_nan(b), Note::AtomicFminmax);
        match (format.is_nan(a), format.is_nan(b)) {
            (true, true) => old | format.quiet,
            (true, false) => d,
            (false, true) => old,
            (false, false) if takes_d(format.order(a), format.order(b)) => d,
            (false, false) => old,
        }
    }

    fn share_add(&self, format: Format, old: u64, d: u64, notes: &mut Notes) -> u64 {
        let [a, b] = [old, d].map(|x| self.source(format, x, notes));
        if let Some(nan) = [a, b].into_iter().find(|&x| format.is_nan(x)) {
            return nan | format.quiet;
        }
        let sum = f32::from_bits(a as u32) + f32::from_bits(b as u32);
        if sum.is_nan() {
            return format.infinity | format.quiet;
        }
        let sum = u64::from(sum.to_bits());
        let is_flushed = format.is_denormal(sum) && self.mode >> (format.denormal_bit + 1) & 1 == 0;
        notes.insert_if(is_flushed, Note::LdsFloatDenorm);
        if is_flushed { sum & format.sign } else { sum }
    }
}

impl Atomic {
    /// Is it one of floats?
    #[inline(always)]
    pub fn is_float(self) -> bool {
        use Atomic::*;
        matches!(self, Fcmpswap | Fmin | Fmax | ShareFcmpswap | ShareFmin | ShareFmax | ShareFadd)
    }
}

/// A binary format, in the low bits of 64.
#[derive(Clone, Copy)]
struct Format {
    /// The sign bit.
    sign: u64,
    /// Positive infinity.
    infinity: u64,
    /// The top bit of the fraction.
    quiet: u64,
    /// Bit of MODE that keeps denormal sources; the next one keeps denormal results.
    denormal_bit: u32,
}

const BINARY32: Format = Format { sign: 1 << 31, infinity: 0x7f80_0000, quiet: 1 << 22, denormal_bit: 4 };
const BINARY64: Format = Format { sign: 1 << 63, infinity: 0x7ff << 52, quiet: 1 << 51, denormal_bit: 6 };

impl Format {
    fn magnitude(self, x: u64) -> u64 {
        x & (self.sign - 1)
    }

    fn is_nan(self, x: u64) -> bool {
        self.magnitude(x) > self.infinity
    }

    fn is_denormal(self, x: u64) -> bool {
        x & self.infinity == 0 && self.magnitude(x) != 0
    }

    /// An integer that orders numbers as their values do, -0 below +0.
    fn order(self, x: u64) -> i64 {
        let magnitude = self.magnitude(x) as i64;
        if x & self.sign == 0 { magnitude } else { -magnitude - 1 }
    }

    /// The same with both zeros equal.
    fn value_order(self, x: u64) -> i64 {
        let magnitude = self.magnitude(x) as i64;
        if x & self.sign == 0 { magnitude } else { -magnitude }
    }

    /// Are they equal as numbers?
    fn are_equal(self, a: u64, b: u64) -> bool {
        !self.is_nan(a) && !self.is_nan(b) && self.value_order(a) == self.value_order(b)
    }

    /// Minimum or maximum in vector memory: a bare compare, which is false of NaNs.
    fn choose(self, old: u64, d: u64, takes_d: fn(i64, i64) -> bool, notes: &mut Notes) -> u64 {
        let is_odd = |x| self.is_nan(x) || self.is_denormal(x);
        notes.insert_if(is_odd(old) || is_odd(d), Note::AtomicFminmax);
        let is_number = !self.is_nan(old) && !self.is_nan(d);
        if is_number && takes_d(self.value_order(old), self.value_order(d)) { d } else { old }
    }
}

#[cfg(test)]
#[path = "atomics_tests.rs"]
mod tests;
