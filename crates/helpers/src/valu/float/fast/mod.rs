//! Fast paths: whole registers at once, with the host's float instructions.
//!
//! A fast path gives the results of the lane function of the same name in all 64 lanes, bit for bit, or it declines.
//! Then it has written nothing, and the lane function is used. It declines if a source or a result is a NaN, if a note
//! other than [`FastPath::notes`] would be raised, and in modes that it does not know. It looks at all lanes, active or
//! not.
//!
//! | paths | how |
//! |---|---|
//! | `plain` | loops that the compiler vectorises, where neither rounding nor flushing of the host matters |
//! | `arith` | instructions of the level (`Host`): with AVX2 (FMA, F16C) and AVX-512 in every mode; portable ones round to nearest even only, and decline near denormals unless the mode keeps them |

mod arith;
mod plain;

use super::super::notes::TRANSCENDENTAL_APPROX;
use super::FloatMode;
use crate::Level;
use crate::host::{Host, by_level};

pub use crate::host::Lanes;

/// A fast path: sources S0, S1, S2 (those that the instruction has, with an accumulator last) and the result. It
/// returns `false` if it declined; then the result is unchanged.
///
/// # Safety
/// It was [found](fast) on this machine.
pub type Fast = unsafe fn(&FloatMode, &Lanes, &Lanes, &Lanes, &mut Lanes) -> bool;

/// A register pair: the low dwords, the high dwords.
pub type Pairs = [Lanes; 2];

/// A fast path for binary64. A 32-bit source (S1 of V_LDEXP_F64) is in the low dwords.
///
/// # Safety
/// As for [`Fast`].
pub type Fast64 = unsafe fn(&FloatMode, &Pairs, &Pairs, &Pairs, &mut Pairs) -> bool;

/// The result of [`fast`].
#[derive(Clone, Copy, Debug)]
pub struct FastPath<F> {
    /// The function.
    pub run: F,
    /// Bits of [`notes`](super::super::notes) to raise when it does not decline.
    pub notes: u32,
}

impl<F> FastPath<F> {
    fn new(mnemonic: &str, run: F) -> FastPath<F> {
        let approximate = ["v_rcp", "v_rsq", "v_sqrt"].iter().any(|prefix| mnemonic.starts_with(prefix));
        FastPath { run, notes: if approximate { TRANSCENDENTAL_APPROX } else { 0 } }
    }
}

/// A fast path, for any level. `R` is the type of registers.
trait Path<R>: 'static {
    /// Returns `None` if it declines.
    fn run(host: impl Host, m: &FloatMode, sources: [&R; 3], d: &mut R) -> Option<()>;
}

by_level! {
    /// The function of a path.
    fn compiled, portable[R, P: Path<R>][R, P] -> unsafe fn(&FloatMode, &R, &R, &R, &mut R) -> bool:
    fn(m: &FloatMode, a: &R, b: &R, c: &R, d: &mut R) -> bool = |host| P::run(host, m, [a, b, c], d).is_some()
}

/// Makes a function that finds the path of a mnemonic. Those of the second list are for wide levels alone.
macro_rules! paths {
    ($(#[$meta:meta])* $find:ident $Fast:ident $R:ident:
        [$($($name:ident)+ = $path:expr;)*] [$($($wide:ident)+ = $wide_path:expr;)*]) => {
        $(#[$meta])*
        pub fn $find(level: Level, mnemonic: &str) -> Option<FastPath<$Fast>> {
            let is_wide = level != Level::Portable && level.is_available();
            let run = match mnemonic {
                $(paths!(@names $($name)+) => paths!(@run level $R $path),)*
                $(paths!(@names $($wide)+) if is_wide => paths!(@run level $R $wide_path),)*
                _ => return None,
            };
            Some(FastPath::new(mnemonic, run))
        }
    };
    (@run $level:ident $R:ident $path:expr) => {{
        struct This;
        impl Path<$R> for This {
            #[inline(always)]
            fn run(host: impl Host, m: &FloatMode, sources: [&$R; 3], d: &mut $R) -> Option<()> {
                $path(host, m, sources, d)
            }
        }
        compiled::<$R, This>($level)
    }};
    (@names $($name:ident)+) => { $(stringify!($name))|+ };
}

paths! {
    /// The fast path of a mnemonic, such as `v_add_f32`, on this machine.
    fast Fast Lanes:
    [
    v_add_f32 = arith::add;
    v_sub_f32 = arith::sub;
    v_subrev_f32 = arith::subrev;
    v_mul_f32 = arith::mul;
    v_mac_f32 v_mad_f32 v_madmk_f32 v_madak_f32 = arith::mad;
    v_min_f32 = plain::min;
    v_max_f32 = plain::max;
    v_min3_f32 = plain::min3;
    v_max3_f32 = plain::max3;
    v_med3_f32 = plain::med3;
    v_cvt_i32_f32 = plain::cvt_i32;
    v_cvt_u32_f32 = plain::cvt_u32;
    v_cvt_f32_ubyte0 = plain::ubyte::<0>;
    v_cvt_f32_ubyte1 = plain::ubyte::<8>;
    v_cvt_f32_ubyte2 = plain::ubyte::<16>;
    v_cvt_f32_ubyte3 = plain::ubyte::<24>;
    v_cvt_off_f32_i4 = plain::off_i4;
    v_cvt_f32_f16 = plain::cvt_f32_f16;
    v_rcp_f32 v_rcp_iflag_f32 = plain::rcp;
    v_sqrt_f32 = plain::sqrt;
    v_rsq_f32 = plain::rsq;
    ]
    [
    v_mul_legacy_f32 = arith::mul_legacy;
    v_mac_legacy_f32 v_mad_legacy_f32 = arith::mad_legacy;
    v_fma_f32 v_fmac_f32 = arith::fma;
    v_trunc_f32 = arith::trunc;
    v_ceil_f32 = arith::ceil;
    v_floor_f32 = arith::floor;
    v_rndne_f32 = arith::rndne;
    v_fract_f32 = arith::fract;
    v_cvt_flr_i32_f32 = arith::cvt_flr;
    v_cvt_rpi_i32_f32 = arith::cvt_rpi;
    v_cvt_f32_i32 = arith::from_i32;
    v_cvt_f32_u32 = arith::from_u32;
    v_cvt_f16_f32 = arith::cvt_f16;
    v_cvt_pkrtz_f16_f32 = arith::cvt_pkrtz;
    v_ldexp_f32 = arith::ldexp;
    ]
}

paths! {
    /// The fast path of a binary64 mnemonic, such as `v_add_f64`, on this machine.
    fast64 Fast64 Pairs:
    [
    v_add_f64 = arith::add64;
    v_mul_f64 = arith::mul64;
    v_min_f64 = plain::min64;
    v_max_f64 = plain::max64;
    ]
    [
    v_fma_f64 = arith::fma64;
    ]
}
