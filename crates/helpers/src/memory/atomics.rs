//! The operations of atomics on guest memory, LDS and GDS (docs/gcn/memory.md#atomic-operations).
//!
//! Float operations exist twice. Those of vector memory compare as they find the bits and never flush. Those of DS obey
//! MODE, order zeros by their signs and let a NaN lose.

use gcnsim_isa::table::Atomic;
use gcnsim_isa::{Note, Notes};

/// An atomic operation with its width and MODE.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Operation {
    /// The operation.
    pub atomic: Atomic,
    /// The width in bytes, 4 or 8.
    pub bytes: u8,
    /// MODE of the wave. Only float operations of DS read it.
    pub mode: u32,
}

/// Defines the integer operations of one width.
macro_rules! integer {
    ($name:ident, $unsigned:ident, $signed:ident) => {
        /// The new value for an integer operation; `old` for all other operations.
        #[inline(always)]
        fn $name(atomic: Atomic, old: $unsigned, [d, e]: [$unsigned; 2]) -> $unsigned {
            match atomic {
                Atomic::Swap => d,
                Atomic::Cmpswap if old == e => d,
                Atomic::Cmpst if old == d => e,
                Atomic::Cmpswap | Atomic::Cmpst => old,
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
                | Atomic::CmpstF
                | Atomic::MinF
                | Atomic::MaxF
                | Atomic::AddF => old,
            }
        }
    };
}

integer!(integer32, u32, i32);
integer!(integer64, u64, i64);

impl Operation {
    /// The value that replaces `old` in memory. Values of 4 bytes are in the low halves.
    #[inline(always)]
    pub fn apply(&self, old: u64, data: [u64; 2], notes: &mut Notes) -> u64 {
        if is_float(self.atomic) {
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
            Atomic::CmpstF => self.share_cmpst(format, old, d, e, notes),
            Atomic::MinF => self.share_choose(format, old, d, |old, d| d < old, notes),
            Atomic::MaxF => self.share_choose(format, old, d, |old, d| d > old, notes),
            Atomic::AddF => self.share_add(format, old, d, notes),
            _ => old,
        }
    }

    /// Whether MODE flushes denormal sources of the format.
    fn flushes_sources(&self, format: Format) -> bool {
        self.mode >> format.denormal_bit & 1 == 0
    }

    /// The source `x` after flushing, as comparisons and sums use it.
    fn source(&self, format: Format, x: u64, notes: &mut Notes) -> u64 {
        let is_flushed = format.is_denormal(x) && self.flushes_sources(format);
        notes.insert_if(is_flushed, Note::LdsFloatDenorm);
        if is_flushed { x & format.sign } else { x }
    }

    fn share_cmpst(&self, format: Format, old: u64, d: u64, e: u64, notes: &mut Notes) -> u64 {
        let [seen, d, e] = [old, d, e].map(|x| self.source(format, x, notes));
        if format.are_equal(seen, d) { e } else { old }
    }

    /// One of the sources `old` and `d`, unflushed. Flushed copies of them decide which.
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

/// Whether the atomic is an operation on floats.
#[inline(always)]
fn is_float(atomic: Atomic) -> bool {
    use Atomic::{AddF, CmpstF, Fcmpswap, Fmax, Fmin, MaxF, MinF};
    matches!(atomic, Fcmpswap | Fmin | Fmax | CmpstF | MinF | MaxF | AddF)
}

/// A binary float format. Its patterns are in the low bits of 64.
#[derive(Clone, Copy)]
struct Format {
    /// The sign bit.
    sign: u64,
    /// The pattern of +infinity.
    infinity: u64,
    /// The quiet bit: the top bit of the fraction.
    quiet: u64,
    /// The number of the bit of MODE that keeps denormal sources; the next bit keeps denormal results.
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

    /// The order of a number as an integer, with -0 below +0.
    fn order(self, x: u64) -> i64 {
        let magnitude = self.magnitude(x) as i64;
        if x & self.sign == 0 { magnitude } else { -magnitude - 1 }
    }

    /// The order of a number as an integer, with both zeros equal.
    fn value_order(self, x: u64) -> i64 {
        let magnitude = self.magnitude(x) as i64;
        if x & self.sign == 0 { magnitude } else { -magnitude }
    }

    /// Whether two patterns are equal as numbers.
    fn are_equal(self, a: u64, b: u64) -> bool {
        !self.is_nan(a) && !self.is_nan(b) && self.value_order(a) == self.value_order(b)
    }

    /// The result of a minimum or maximum in vector memory: a bare compare, which is false for NaNs.
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
