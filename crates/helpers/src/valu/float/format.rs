//! The three formats as bits: fields, classes, flushing of sources, NaN results.
//!
//! Generic code holds a value of any format in the low bits of a `u64`.

use super::super::notes::{NAN_PAYLOAD, NAN_QUIET};
use super::{Env, FloatMode};

/// A binary interchange format.
pub(super) trait Format {
    /// Bits of a value.
    const WIDTH: u32;
    /// Bits of the fraction field.
    const FRACTION: u32;
    /// Exponent field of 1.0.
    const BIAS: i32 = (1 << (Self::WIDTH - Self::FRACTION - 2)) - 1;
    /// The sign bit.
    const SIGN: u64 = 1 << (Self::WIDTH - 1);
    /// Plus infinity.
    const INF: u64 = Self::SIGN - (1 << Self::FRACTION);
    /// The quiet bit of a NaN.
    const QUIET: u64 = 1 << (Self::FRACTION - 1);
    /// The NaN of an invalid operation: sign set, quiet, no payload.
    const QNAN: u64 = Self::SIGN | Self::INF | Self::QUIET;
    /// 1.0.
    const ONE: u64 = (Self::BIAS as u64) << Self::FRACTION;
    /// The smallest normal number.
    const MIN_NORMAL: u64 = 1 << Self::FRACTION;
    /// The largest finite number.
    const MAX: u64 = Self::INF - 1;

    /// The environment of the format in MODE.
    fn env(m: &FloatMode) -> Env;
}

pub(super) struct F16;
pub(super) struct F32;
pub(super) struct F64;

impl Format for F16 {
    const WIDTH: u32 = 16;
    const FRACTION: u32 = 10;
    fn env(m: &FloatMode) -> Env {
        m.wide
    }
}

impl Format for F32 {
    const WIDTH: u32 = 32;
    const FRACTION: u32 = 23;
    fn env(m: &FloatMode) -> Env {
        m.single
    }
}

impl Format for F64 {
    const WIDTH: u32 = 64;
    const FRACTION: u32 = 52;
    fn env(m: &FloatMode) -> Env {
        m.wide
    }
}

/// The value without its sign.
pub(super) fn magnitude<F: Format>(x: u64) -> u64 {
    x & !F::SIGN
}

pub(super) fn is_negative<F: Format>(x: u64) -> bool {
    x & F::SIGN != 0
}

pub(super) fn is_nan<F: Format>(x: u64) -> bool {
    magnitude::<F>(x) > F::INF
}

pub(super) fn is_signalling<F: Format>(x: u64) -> bool {
    is_nan::<F>(x) && x & F::QUIET == 0
}

pub(super) fn is_inf<F: Format>(x: u64) -> bool {
    magnitude::<F>(x) == F::INF
}

pub(super) fn is_zero<F: Format>(x: u64) -> bool {
    magnitude::<F>(x) == 0
}

pub(super) fn is_denormal<F: Format>(x: u64) -> bool {
    !is_zero::<F>(x) && magnitude::<F>(x) < F::MIN_NORMAL
}

/// The exponent field.
pub(super) fn exponent<F: Format>(x: u64) -> i32 {
    (magnitude::<F>(x) >> F::FRACTION) as i32
}

/// A source after flushing: a denormal becomes zero with its sign, unless the mode keeps it.
pub(super) fn flush<F: Format>(env: Env, x: u64) -> u64 {
    if !env.keep_in && magnitude::<F>(x) < F::MIN_NORMAL { x & F::SIGN } else { x }
}

/// The result for a NaN source: quiet with IEEE, otherwise unchanged.
pub(super) fn nan_result<F: Format>(m: &FloatMode, nan: u64, notes: &mut u32) -> u64 {
    if m.ieee {
        return nan | F::QUIET;
    }
    if nan & F::QUIET == 0 {
        *notes |= NAN_QUIET;
    }
    nan
}

/// Notes that two sources are different NaNs.
pub(super) fn note_payloads<F: Format>(sources: &[u64], notes: &mut u32) {
    let mut nans = sources.iter().filter(|&&x| is_nan::<F>(x));
    if let Some(first) = nans.next()
        && nans.any(|nan| nan != first)
    {
        *notes |= NAN_PAYLOAD;
    }
}

/// The result if a source is a NaN: the first one.
pub(super) fn first_nan<F: Format>(m: &FloatMode, sources: &[u64], notes: &mut u32) -> Option<u64> {
    let nan = *sources.iter().find(|&&x| is_nan::<F>(x))?;
    note_payloads::<F>(sources, notes);
    Some(nan_result::<F>(m, nan, notes))
}

/// Defines lane functions whose sources and result have one format. Each calls the generic function after `=`.
macro_rules! lanes {
    ($Format:ident $bits:ident: $($(#[doc = $doc:literal])* $name:ident($($source:ident),*) = $body:ident;)*) => {
        $(
            $(#[doc = $doc])*
            pub fn $name(m: &FloatMode, $($source: $bits,)* notes: &mut u32) -> $bits {
                $body::<$Format>(m, $($source.into(),)* notes) as $bits
            }
        )*
    };
}
pub(super) use lanes;
