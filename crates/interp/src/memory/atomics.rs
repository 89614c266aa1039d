//! What atomics make of memory: the table of docs/gcn/memory.md#atomic-operations, one function per row, the same for
//! every encoding.

use gcnsim_isa::table::{Atomic, Width};
use gcnsim_isa::{Note, Notes};

/// The treatment of denormals in DS float operations of one width.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Denormals {
    /// Sources are kept.
    pub keeps_in: bool,
    /// Results are kept.
    pub keeps_out: bool,
}

impl Denormals {
    /// The bits of MODE for `width`: 5:4 for binary32, 7:6 for binary64.
    pub fn of_mode(mode: u32, width: Width) -> Denormals {
        let bits = mode >> if width == Width::B32 { 4 } else { 6 };
        Denormals { keeps_in: bits & 1 == 1, keeps_out: bits & 2 == 2 }
    }
}

/// Numbers of a width, in the low bits of 64.
trait Numbers: Copy {
    fn mask(self) -> u64;
    fn signed(self, bits: u64) -> i64;
    /// The float, exactly; of a NaN only that it is one.
    fn float(self, bits: u64) -> f64;
    fn sign(self) -> u64;
    /// Bits of the mantissa.
    fn mantissa(self) -> u64;
    fn is_nan(self, bits: u64) -> bool;
    fn is_denormal(self, bits: u64) -> bool;
    fn quieted(self, bits: u64) -> u64;
}

impl Numbers for Width {
    fn mask(self) -> u64 {
        match self {
            Width::B32 => u32::MAX as u64,
            Width::B64 => u64::MAX,
        }
    }

    fn signed(self, bits: u64) -> i64 {
        match self {
            Width::B32 => bits as u32 as i32 as i64,
            Width::B64 => bits as i64,
        }
    }

    fn float(self, bits: u64) -> f64 {
        match self {
            Width::B32 => f32::from_bits(bits as u32) as f64,
            Width::B64 => f64::from_bits(bits),
        }
    }

    fn sign(self) -> u64 {
        1 << (8 * self.bytes() - 1)
    }

    fn mantissa(self) -> u64 {
        match self {
            Width::B32 => (1 << 23) - 1,
            Width::B64 => (1 << 52) - 1,
        }
    }

    fn is_nan(self, bits: u64) -> bool {
        self.float(bits).is_nan()
    }

    fn is_denormal(self, bits: u64) -> bool {
        let magnitude = bits & !self.sign();
        magnitude != 0 && magnitude <= self.mantissa()
    }

    fn quieted(self, bits: u64) -> u64 {
        bits | (self.mantissa() + 1) >> 1
    }
}

/// An atomic of a width, under a MODE. Notes it meets are collected.
pub(crate) struct Operation {
    pub atomic: Atomic,
    pub width: Width,
    pub denormals: Denormals,
    pub notes: Notes,
}

impl Operation {
    /// The new value of memory with the value `old`; `data` are the operands.
    pub fn apply(&mut self, old: u64, data: [u64; 2]) -> u64 {
        let width = self.width;
        let [d, second] = data;
        let signed = |bits| width.signed(bits);
        let new = match self.atomic {
            Atomic::Swap => d,
            Atomic::Add => old.wrapping_add(d),
            Atomic::Sub => old.wrapping_sub(d),
            Atomic::Rsub => d.wrapping_sub(old),
            Atomic::Smin => {
                if signed(d) < signed(old) {
                    d
                } else {
                    old
                }
            }
            Atomic::Smax => {
                if signed(d) > signed(old) {
                    d
                } else {
                    old
                }
            }
            Atomic::Umin => d.min(old),
            Atomic::Umax => d.max(old),
            Atomic::And => old & d,
            Atomic::Or => old | d,
            Atomic::Xor => old ^ d,
            Atomic::Inc => {
                if old >= d {
                    0
                } else {
                    old + 1
                }
            }
            Atomic::Dec => {
                if old == 0 || old > d {
                    d
                } else {
                    old - 1
                }
            }
            Atomic::Cmpswap => {
                if old == second {
                    d
                } else {
                    old
                }
            }
            Atomic::Cmpst => {
                if old == d {
                    second
                } else {
                    old
                }
            }
            Atomic::Mskor => old & !d | second,
            Atomic::Wrap => {
                if old >= d {
                    old - d
                } else {
                    old.wrapping_add(second)
                }
            }
            Atomic::Fcmpswap => {
                if width.float(old) == width.float(second) {
                    d
                } else {
                    old
                }
            }
            Atomic::Fmin => self.fmin_fmax(old, d, |old, d| d < old),
            Atomic::Fmax => self.fmin_fmax(old, d, |old, d| d > old),
            Atomic::CmpstF => self.cmpst_f(old, d, second),
            Atomic::MinF => self.min_max_f(old, d, |old, d| d < old),
            Atomic::MaxF => self.min_max_f(old, d, |old, d| d > old),
            Atomic::AddF => self.add_f(old, d),
        };
        new & width.mask()
    }

    /// FMIN and FMAX of VMEM: a plain compare; nothing is flushed.
    fn fmin_fmax(&mut self, old: u64, d: u64, replaces: impl Fn(f64, f64) -> bool) -> u64 {
        let width = self.width;
        let special = |bits| width.is_nan(bits) || width.is_denormal(bits);
        self.notes.insert_if(special(old) || special(d), Note::AtomicFminmax);
        if replaces(width.float(old), width.float(d)) { d } else { old }
    }

    /// CMPST_F of DS: equal numbers, as MODE sees them, let a flushed source in.
    fn cmpst_f(&mut self, old: u64, compared: u64, source: u64) -> u64 {
        let [flushed_old, compared, source] = [old, compared, source].map(|bits| self.flushed_in(bits));
        if self.width.float(flushed_old) == self.width.float(compared) { source } else { old }
    }

    /// MIN_F and MAX_F of DS: a number wins against a NaN, -0 is below +0, and the chosen source is stored as it is.
    fn min_max_f(&mut self, old: u64, d: u64, replaces: impl Fn(f64, f64) -> bool) -> u64 {
        let width = self.width;
        let [seen_old, seen_d] = [old, d].map(|bits| self.flushed_in(bits));
        match [width.is_nan(old), width.is_nan(d)] {
            [false, false] => {}
            nans => {
                self.notes.insert(Note::AtomicFminmax);
                return match nans {
                    [true, true] => width.quieted(old),
                    [true, false] => d,
                    _ => old,
                };
            }
        }
        let (a, b) = (width.float(seen_old), width.float(seen_d));
        if a == 0.0 && b == 0.0 && a.is_sign_negative() != b.is_sign_negative() {
            self.notes.insert(Note::AtomicFminmax);
            // As -1 and 1.
            return if replaces(1f64.copysign(a), 1f64.copysign(b)) { d } else { old };
        }
        if replaces(a, b) { d } else { old }
    }

    /// ADD_F32 of DS: rounds to nearest even whatever MODE says.
    fn add_f(&mut self, old: u64, d: u64) -> u64 {
        const DEFAULT_NAN: u32 = 0x7fc0_0000;
        let [old, d] = [old, d].map(|bits| self.flushed_in(bits));
        if let Some(nan) = [old, d].into_iter().find(|&bits| self.width.is_nan(bits)) {
            return self.width.quieted(nan);
        }
        let sum = f32::from_bits(old as u32) + f32::from_bits(d as u32);
        let sum = if sum.is_nan() { DEFAULT_NAN } else { sum.to_bits() } as u64;
        if self.width.is_denormal(sum) && !self.denormals.keeps_out {
            self.notes.insert(Note::LdsFloatDenorm);
            return sum & self.width.sign();
        }
        sum
    }

    /// A source of a DS operation as MODE sees it.
    fn flushed_in(&mut self, bits: u64) -> u64 {
        if self.denormals.keeps_in || !self.width.is_denormal(bits) {
            return bits;
        }
        self.notes.insert(Note::LdsFloatDenorm);
        bits & self.width.sign()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn apply(atomic: Atomic, width: Width, old: u64, data: [u64; 2]) -> (u64, Notes) {
        let denormals = Denormals { keeps_in: true, keeps_out: true };
        let mut operation = Operation { atomic, width, denormals, notes: Notes::NONE };
        (operation.apply(old, data), operation.notes)
    }

    fn word(atomic: Atomic, old: u32, d: u32, second: u32) -> u32 {
        apply(atomic, Width::B32, old as u64, [d as u64, second as u64]).0 as u32
    }

    /// docs/gcn/memory-check-values.md#check-values, and the rows of docs/gcn/memory.md#atomic-operations by hand.
    #[test]
    fn integers() {
        assert_eq!([word(Atomic::Inc, 5, 5, 0), word(Atomic::Inc, 5, 6, 0)], [0, 6]);
        assert_eq!(word(Atomic::Inc, 0xffff_fffe, u32::MAX, 0), u32::MAX);
        assert_eq!([(0, 9), (10, 9), (9, 9)].map(|(old, d)| word(Atomic::Dec, old, d, 0)), [9, 9, 8]);
        assert_eq!([word(Atomic::Cmpswap, 3, 7, 3), word(Atomic::Cmpswap, 4, 7, 3)], [7, 4]);
        assert_eq!([word(Atomic::Cmpst, 3, 3, 7), word(Atomic::Cmpst, 4, 3, 7)], [7, 4]);
        assert_eq!([word(Atomic::Add, u32::MAX, 2, 0), word(Atomic::Sub, 1, 2, 0)], [1, u32::MAX]);
        assert_eq!([word(Atomic::Rsub, 1, 5, 0), word(Atomic::Swap, 1, 5, 0)], [4, 5]);
        let minus_one = u32::MAX;
        assert_eq!([word(Atomic::Smin, 1, minus_one, 0), word(Atomic::Umin, 1, minus_one, 0)], [minus_one, 1]);
        assert_eq!([word(Atomic::Smax, 1, minus_one, 0), word(Atomic::Umax, 1, minus_one, 0)], [1, minus_one]);
        assert_eq!(
            [Atomic::And, Atomic::Or, Atomic::Xor].map(|op| word(op, 0b1100, 0b1010, 0)),
            [0b1000, 0b1110, 0b0110]
        );
        assert_eq!(word(Atomic::Mskor, 0b1100, 0b0110, 0b0001), 0b1001);
        assert_eq!([word(Atomic::Wrap, 10, 4, 100), word(Atomic::Wrap, 3, 4, 100)], [6, 103]);
        let long = |atomic, old, d| apply(atomic, Width::B64, old, [d, 0]).0;
        assert_eq!(long(Atomic::Add, u32::MAX as u64, 1), 1 << 32);
        assert_eq!([long(Atomic::Smin, 1, 1 << 63), long(Atomic::Umin, 1, 1 << 63)], [1 << 63, 1]);
    }

    const ONE: u32 = 0x3f80_0000;
    const NAN: u32 = 0x7fa0_0000;
    const MINUS_ZERO: u32 = 0x8000_0000;

    #[test]
    fn floats_of_vector_memory() {
        assert_eq!(
            [word(Atomic::Fmin, 0x4000_0000, ONE, 0), word(Atomic::Fmax, 0x4000_0000, ONE, 0)],
            [ONE, 0x4000_0000]
        );
        assert_eq!([word(Atomic::Fmin, NAN, ONE, 0), word(Atomic::Fmin, ONE, NAN, 0)], [NAN, ONE]);
        assert_eq!([word(Atomic::Fmin, 0, MINUS_ZERO, 0), word(Atomic::Fmax, 0, 1, 0)], [0, 1]);
        assert_eq!([word(Atomic::Fcmpswap, 0, ONE, MINUS_ZERO), word(Atomic::Fcmpswap, NAN, ONE, NAN)], [ONE, NAN]);
        for (old, d, noted) in [(ONE, ONE, false), (NAN, ONE, true), (1, ONE, true), (0, MINUS_ZERO, false)] {
            let notes = apply(Atomic::Fmin, Width::B32, old as u64, [d as u64, 0]).1;
            assert_eq!(notes.contains(Note::AtomicFminmax), noted, "{old:#x} {d:#x}");
        }
    }

    #[test]
    fn floats_of_lds() {
        assert_eq!([word(Atomic::MinF, NAN, ONE, 0), word(Atomic::MinF, ONE, NAN, 0)], [ONE, ONE]);
        assert_eq!(word(Atomic::MaxF, NAN, 0xffc0_0001, 0), 0x7fe0_0000);
        assert_eq!([word(Atomic::MinF, 0, MINUS_ZERO, 0), word(Atomic::MaxF, MINUS_ZERO, 0, 0)], [MINUS_ZERO, 0]);
        assert_eq!([word(Atomic::MinF, MINUS_ZERO, 0, 0), word(Atomic::MaxF, 0, MINUS_ZERO, 0)], [MINUS_ZERO, 0]);
        assert_eq!(
            [word(Atomic::AddF, ONE, ONE, 0), word(Atomic::AddF, 0x7f80_0000, 0xff80_0000, 0)],
            [0x4000_0000, 0x7fc0_0000]
        );
        assert_eq!(
            [word(Atomic::AddF, NAN, 0xffc0_0001, 0), word(Atomic::AddF, ONE, 0xff80_0001, 0)],
            [0x7fe0_0000, 0xffc0_0001]
        );
        assert_eq!([word(Atomic::CmpstF, 0, MINUS_ZERO, ONE), word(Atomic::CmpstF, NAN, NAN, ONE)], [ONE, NAN]);
        let long =
            |atomic, old: f64, d: f64| f64::from_bits(apply(atomic, Width::B64, old.to_bits(), [d.to_bits(), 0]).0);
        assert_eq!([long(Atomic::MinF, 1.5, -2.5), long(Atomic::MaxF, 1.5, -2.5)], [-2.5, 1.5]);
    }

    #[test]
    fn denormals_of_lds_follow_mode() {
        let mode = |mode, atomic, old: u32, d: u32, second: u32| {
            let denormals = Denormals::of_mode(mode, Width::B32);
            let mut operation = Operation { atomic, width: Width::B32, denormals, notes: Notes::NONE };
            let new = operation.apply(old as u64, [d as u64, second as u64]) as u32;
            (new, operation.notes.contains(Note::LdsFloatDenorm))
        };
        // Compares see 0, what is stored is the source.
        assert_eq!(mode(0, Atomic::MinF, ONE, 1, 0), (1, true));
        assert_eq!(mode(0, Atomic::CmpstF, 1, 0, 2), (0, true));
        assert_eq!(mode(1 << 4, Atomic::CmpstF, 1, 0, 2), (1, false));
        // Twice the least normal number less the greatest denormal one is denormal in no mode; its half is.
        assert_eq!(mode(0, Atomic::AddF, 1, 2, 0), (0, true));
        assert_eq!(mode(3 << 4, Atomic::AddF, 1, 2, 0), (3, false));
        assert_eq!(mode(1 << 4, Atomic::AddF, 0x8080_0000, 0x0080_0001, 0), (0, true));
        assert_eq!(mode(1 << 4, Atomic::AddF, 0x8080_0001, 0x0080_0000, 0), (MINUS_ZERO, true));
        assert_eq!(mode(2 << 4, Atomic::AddF, 0x8080_0000, 0x0080_0001, 0), (1, false));
    }
}
