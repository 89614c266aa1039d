//! Fast paths: whole registers at once, with the host's float instructions.
//!
//! A fast path gives the results of the lane function of the same name in all 64 lanes, bit for bit, or it declines.
//! Then it has written nothing, and the lane function is used. It declines if a source or a result is a NaN, if a note
//! other than [`FastPath::notes`] would be raised, and in modes that it does not know. It looks at all lanes, active or
//! not.
//!
//! | level | how |
//! |---|---|
//! | all | loops that the compiler vectorises, where neither rounding nor flushing of the host matters |
//! | AVX2 (with FMA and F16C), AVX-512 | one `asm!` block that sets MXCSR to the mode, computes and restores it |
//! | portable | nearest even only; declines near denormals unless the mode keeps them |
//!
//! MXCSR can express every rounding and denormal mode of MODE. It differs from the default only inside an `asm!` block,
//! so that no compiler-generated code runs under it.

mod plain;
mod portable;
#[cfg(target_arch = "x86_64")]
mod x86;

use super::super::super::Level;
use super::super::notes::TRANSCENDENTAL_APPROX;
use super::FloatMode;

/// A register: one dword per lane.
pub type Lanes = [u32; 64];

/// A fast path: sources S0, S1, S2 (those that the instruction has, with an accumulator last) and the result. It
/// returns `false` if it declined; then the result is unchanged.
pub type Fast = fn(&FloatMode, &Lanes, &Lanes, &Lanes, &mut Lanes) -> bool;

/// A register pair: the low dwords, the high dwords.
pub type Pairs = [Lanes; 2];

/// A fast path for binary64. A 32-bit source (S1 of V_LDEXP_F64) is in the low dwords.
pub type Fast64 = fn(&FloatMode, &Pairs, &Pairs, &Pairs, &mut Pairs) -> bool;

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

/// The fast path of a mnemonic, such as `v_add_f32`, on this machine.
pub fn fast(level: Level, mnemonic: &str) -> Option<FastPath<Fast>> {
    #[cfg(target_arch = "x86_64")]
    let run = match x86::usable(level) {
        Some(x86::Usable::Avx512) => x86::avx512::find(mnemonic),
        Some(x86::Usable::Avx2) => x86::avx2::find(mnemonic),
        None => portable::find(mnemonic),
    };
    #[cfg(not(target_arch = "x86_64"))]
    let run = {
        let _ = level;
        portable::find(mnemonic)
    };
    run.map(|run| FastPath::new(mnemonic, run))
}

/// The fast path of a binary64 mnemonic, such as `v_add_f64`, on this machine.
pub fn fast64(level: Level, mnemonic: &str) -> Option<FastPath<Fast64>> {
    #[cfg(target_arch = "x86_64")]
    let run = match x86::usable(level) {
        Some(x86::Usable::Avx512) => x86::avx512::find64(mnemonic),
        Some(x86::Usable::Avx2) => x86::avx2::find64(mnemonic),
        None => portable::find64(mnemonic),
    };
    #[cfg(not(target_arch = "x86_64"))]
    let run = {
        let _ = level;
        portable::find64(mnemonic)
    };
    run.map(|run| FastPath::new(mnemonic, run))
}

/// Makes functions of [`Fast`] or [`Fast64`] shape from generic bodies, and their table.
macro_rules! table {
    ($find:ident $Fast:ident $Lanes:ident: $($body:path as $name:ident,)*) => {
        $(
            fn $name(m: &FloatMode, a: &$Lanes, b: &$Lanes, c: &$Lanes, d: &mut $Lanes) -> bool {
                $body(m, [a, b, c], d)
            }
        )*

        pub(super) fn $find(mnemonic: &str) -> Option<$Fast> {
            match mnemonic {
                $(stringify!($name) => Some($name),)*
                _ => None,
            }
        }
    };
}
use table;
