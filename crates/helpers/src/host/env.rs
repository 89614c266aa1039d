//! What MODE asks of floats, and bits of binary32.

/// Direction of rounding, as the two-bit fields of MODE number them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rounding {
    /// To the nearest, ties to even.
    Nearest,
    /// Towards plus infinity.
    Up,
    /// Towards minus infinity.
    Down,
    /// Towards zero.
    Zero,
}

impl Rounding {
    /// The direction of a two-bit field (higher bits are ignored).
    const fn of(field: u32) -> Rounding {
        match field & 3 {
            0 => Rounding::Nearest,
            1 => Rounding::Up,
            2 => Rounding::Down,
            _ => Rounding::Zero,
        }
    }
}

/// The treatment of the values of a format by MODE.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Env {
    /// Direction of rounding of results.
    pub rounding: Rounding,
    /// Whether denormal sources keep their value (otherwise they become zeros with their sign).
    pub keep_in: bool,
    /// Whether denormal results keep their value (otherwise they become zeros with their sign).
    pub keep_out: bool,
}

impl Env {
    pub(crate) fn new(rounding: u32, denormals: u32) -> Env {
        Env { rounding: Rounding::of(rounding), keep_in: denormals & 1 != 0, keep_out: denormals & 2 != 0 }
    }

    /// Returns the environment with this rounding and with denormals flushed in sources and results.
    pub(crate) const fn flushing(self) -> Env {
        Env { keep_in: false, keep_out: false, ..self }
    }

    /// Returns the environment with this treatment of denormals and with rounding to nearest even.
    pub(crate) const fn nearest(self) -> Env {
        Env { rounding: Rounding::Nearest, ..self }
    }
}

/// Sign of binary32.
pub(crate) const SIGN: u32 = 0x8000_0000;
/// Infinity, and the mask of the exponent.
pub(crate) const INF: u32 = 0x7f80_0000;
/// The smallest normal number.
pub(crate) const MIN_NORMAL: u32 = 0x0080_0000;

/// Whether a condition holds in any lane, without branches between lanes.
#[inline(always)]
pub(crate) fn any<T: Copy>(lanes: &[T; 64], condition: impl Fn(T) -> bool) -> bool {
    lanes.iter().fold(0u32, |found, &x| found | u32::from(condition(x))) != 0
}
