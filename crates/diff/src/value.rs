//! Compares two values of 32 or 64 bits. Values that were computed as floats may differ by a tolerance, because
//! compilations may contract, reassociate and round differently. All other values must agree bit by bit.

use std::ops::{BitOr, BitOrAssign};

use half::f16;

/// The kind of value that a dword is, as the instructions that computed it say.
#[derive(Clone, Copy, PartialEq, Eq, Default, Hash, Debug)]
pub struct Holds(u8);

impl Holds {
    /// Bits: an integer, an input, or anything else that was not computed as a float.
    pub const BITS: Holds = Holds(0);
    /// A float of 32 bits.
    pub const F32: Holds = Holds(1);
    /// A float of 16 bits in the low half.
    pub const F16_LOW: Holds = Holds(2);
    /// A float of 16 bits in the high half.
    pub const F16_HIGH: Holds = Holds(4);
    /// Two floats of 16 bits.
    pub const F16_PAIR: Holds = Holds(6);
    /// The low dword of a float of 64 bits.
    pub const F64_LOW: Holds = Holds(8);
    /// The high dword of a float of 64 bits.
    pub const F64_HIGH: Holds = Holds(16);

    /// Whether it has one of the kinds of `other`.
    pub const fn has(self, other: Holds) -> bool {
        self.0 & other.0 != 0
    }

    /// Whether it is a float or a part of one.
    pub const fn is_float(self) -> bool {
        self.0 != 0
    }
}

impl BitOr for Holds {
    type Output = Holds;

    fn bitor(self, other: Holds) -> Holds {
        Holds(self.0 | other.0)
    }
}

impl BitOrAssign for Holds {
    fn bitor_assign(&mut self, other: Holds) {
        self.0 |= other.0;
    }
}

/// The distance that two floats may have.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Tolerance {
    /// Largest difference of floats of 32 and 64 bits, relative to the larger magnitude; with 0 the bits must agree.
    pub relative: f64,
    /// Largest difference of floats of 16 bits, in units of the last place.
    pub f16_ulp: u32,
}

impl Tolerance {
    /// The tolerance if the user states none: 2^-12, and 2 units in the last place of a float of 16 bits.
    pub const DEFAULT: Tolerance = Tolerance { relative: 1.0 / 4096.0, f16_ulp: 2 };
    /// The tolerance with which bits must agree.
    pub const BITS: Tolerance = Tolerance { relative: 0.0, f16_ulp: 0 };

    /// Returns the tolerance of floats with the given relative difference; 0 is [`Tolerance::BITS`].
    pub fn of(relative: f64) -> Tolerance {
        if relative == 0.0 { Tolerance::BITS } else { Tolerance { relative, ..Tolerance::DEFAULT } }
    }

    /// Whether two dwords of the kind `holds` agree.
    pub fn agree(self, holds: Holds, old: u32, new: u32) -> bool {
        if old == new {
            return true;
        }
        if self == Tolerance::BITS {
            return false;
        }
        if holds.has(Holds::F32) && self.agree_f32(old, new) {
            return true;
        }
        if holds.has(Holds::F16_PAIR) {
            let half = |holds_half: bool, shift: u32| {
                let (old, new) = ((old >> shift) as u16, (new >> shift) as u16);
                old == new || holds_half && self.agree_f16(old, new)
            };
            return half(holds.has(Holds::F16_LOW), 0) && half(holds.has(Holds::F16_HIGH), 16);
        }
        false
    }

    /// Whether two floats of 32 bits agree. Denormals and zeros of either sign agree, since they may be flushed.
    pub fn agree_f32(self, old: u32, new: u32) -> bool {
        let tiny = f64::from(f32::MIN_POSITIVE);
        self.agree_floats(f32::from_bits(old).into(), f32::from_bits(new).into(), tiny)
    }

    /// Whether two floats of 64 bits agree.
    pub fn agree_f64(self, old: u64, new: u64) -> bool {
        old == new || self != Tolerance::BITS && self.agree_floats(f64::from_bits(old), f64::from_bits(new), 0.0)
    }

    fn agree_floats(self, old: f64, new: f64, tiny: f64) -> bool {
        if old.is_nan() || new.is_nan() {
            return old.is_nan() && new.is_nan();
        }
        let larger = old.abs().max(new.abs());
        old == new || larger < tiny || larger.is_finite() && (old - new).abs() <= self.relative * larger
    }

    /// Whether two floats of 16 bits agree.
    pub fn agree_f16(self, old: u16, new: u16) -> bool {
        let (a, b) = (f16::from_bits(old), f16::from_bits(new));
        if a.is_nan() || b.is_nan() {
            return a.is_nan() && b.is_nan();
        }
        if a.is_infinite() || b.is_infinite() {
            return old == new;
        }
        // Floats of one sign are ordered like their bits; the negative ones count downwards.
        let place = |bits: u16| {
            let magnitude = i32::from(bits & 0x7fff);
            if bits >> 15 == 1 { -magnitude } else { magnitude }
        };
        place(old).abs_diff(place(new)) <= self.f16_ulp
    }
}

/// Returns the distance of two dwords that hold floats, of pairs of 16 bits the sum of both distances. `None` if they
/// hold no floats, or the distance is not finite.
pub(crate) fn distance(holds: Holds, [old, new]: [u32; 2]) -> Option<f64> {
    let half = |bits: u32| f16::from_bits(bits as u16).to_f64();
    let distance = if holds.has(Holds::F32) {
        f64::from(f32::from_bits(old)) - f64::from(f32::from_bits(new))
    } else if holds.has(Holds::F64_HIGH) {
        let [old, new] = [old, new].map(|bits| f64::from_bits(u64::from(bits) << 32));
        old - new
    } else if holds.has(Holds::F16_PAIR) {
        let of = |has: bool, shift: u32| if has { (half(old >> shift) - half(new >> shift)).abs() } else { 0.0 };
        of(holds.has(Holds::F16_LOW), 0) + of(holds.has(Holds::F16_HIGH), 16)
    } else {
        return None;
    };
    distance.is_finite().then_some(distance.abs())
}

/// Whether both dwords hold a float of 32 or 16 bits that is NaN or infinite. Halves that are equal do not count.
pub(crate) fn are_beyond_range(holds: Holds, values: [u32; 2]) -> bool {
    if holds.has(Holds::F32) {
        return values.iter().all(|bits| !f32::from_bits(*bits).is_finite());
    }
    let halves = [(Holds::F16_LOW, 0), (Holds::F16_HIGH, 16)].into_iter().filter(|(half, _)| holds.has(*half));
    let mut differing = halves.map(|(_, shift)| values.map(|bits| (bits >> shift) as u16)).filter(|[a, b]| a != b);
    holds.has(Holds::F16_PAIR) && differing.all(|of| of.iter().all(|bits| !f16::from_bits(*bits).is_finite()))
}

impl Default for Tolerance {
    fn default() -> Tolerance {
        Tolerance::DEFAULT
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: u32 = 0x3f80_0000;

    #[test]
    fn only_floats_have_a_tolerance() {
        let tolerance = Tolerance::DEFAULT;
        // 1 + 2^-12 is 0x3f800800; the larger of the two is the reference.
        for (holds, new, expected) in [
            (Holds::BITS, ONE, true),
            (Holds::BITS, ONE + 1, false),
            (Holds::F32, 0x3f80_0800, true),
            (Holds::F32, 0x3f80_0802, false),
            (Holds::F16_PAIR, ONE + 2, true),
            (Holds::F16_PAIR, ONE + 3, false),
            (Holds::F16_LOW, ONE + 2, true),
            (Holds::F16_HIGH, ONE + 2, false),
            (Holds::F16_HIGH, ONE + 0x2_0000, true),
            (Holds::F16_LOW, ONE + 0x1_0000, false),
        ] {
            assert_eq!(tolerance.agree(holds, ONE, new), expected, "{holds:?} {new:x}");
            assert_eq!(Tolerance::BITS.agree(holds, ONE, new), new == ONE, "{holds:?} {new:x}");
        }
    }

    #[test]
    fn values_beyond_the_range() {
        let (inf, nan) = (0x7f80_0000, 0xffc0_0000);
        assert!(are_beyond_range(Holds::F32, [inf, nan]) && !are_beyond_range(Holds::F32, [inf, ONE]));
        assert!(!are_beyond_range(Holds::BITS, [inf, nan]));
        assert!(are_beyond_range(Holds::F16_PAIR, [0x3c00_7c00, 0x3c00_fe00]), "the high halves are equal");
        assert!(!are_beyond_range(Holds::F16_PAIR, [0x3c00_7c00, 0x3c01_fe00]));
    }

    #[test]
    fn special_values() {
        let tolerance = Tolerance::DEFAULT;
        let f32 = |old, new| tolerance.agree_f32(old, new);
        assert!(f32(0, 0x8000_0000) && f32(0x7fc0_0000, 0xffc0_0001) && f32(0, 0x0000_0fff), "zeros, NaNs, denormals");
        assert!(!f32(0x7f80_0000, 0xff80_0000) && !f32(0x7f80_0000, 0x7f7f_ffff) && !f32(0x7fc0_0000, ONE));
        assert!(!f32(0, 0x0080_0000), "the smallest normal number is no zero");
        let f16 = |old, new| tolerance.agree_f16(old, new);
        assert!(f16(0x8000, 0x0001) && f16(0x8001, 0x0001) && !f16(0x8001, 0x0002) && f16(0x7e00, 0xfe01));
        assert!(!f16(0x7c00, 0x7bff) && f16(0x7c00, 0x7c00));
        assert!(tolerance.agree_f64(1f64.to_bits(), 1.0001f64.to_bits()));
        assert!(!tolerance.agree_f64(1f64.to_bits(), 1.001f64.to_bits()));
    }
}
