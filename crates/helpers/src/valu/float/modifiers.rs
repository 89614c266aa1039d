//! Output modifiers: OMOD, then CLAMP (docs/gcn/valu-float-rules.md#omod-and-clamp).

use super::FloatMode;
use super::format::*;
use super::soft::{Num, finish};

/// Applies OMOD: `code` 1 doubles, 2 quadruples, 3 halves. Code 0, IEEE mode and kept denormal results switch it off.
fn omod<F: Format>(m: &FloatMode, code: u32, x: u64, notes: &mut u32) -> u64 {
    let env = F::env(m);
    let power = match code {
        1 => 1,
        2 => 2,
        3 => -1,
        _ => return x,
    };
    if m.ieee || env.keep_out || magnitude::<F>(x) >= F::INF {
        return x;
    }
    if magnitude::<F>(x) < F::MIN_NORMAL {
        return 0;
    }
    finish::<F>(m, env, Num::unpack::<F>(x).scaled(power), notes)
}

/// Clamps to \[0, 1\]. -0 becomes +0, and NaN becomes +0 if MODE says so.
fn clamp<F: Format>(m: &FloatMode, x: u64) -> u64 {
    match () {
        () if is_nan::<F>(x) && !m.dx10_clamp => x,
        () if is_nan::<F>(x) || is_negative::<F>(x) => 0,
        () => x.min(F::ONE),
    }
}

/// OMOD `code` (0 to 3) of a binary32 result.
pub fn omod_f32(m: &FloatMode, code: u32, x: u32, notes: &mut u32) -> u32 {
    omod::<F32>(m, code, x.into(), notes) as u32
}

/// OMOD `code` (0 to 3) of a binary64 result.
pub fn omod_f64(m: &FloatMode, code: u32, x: u64, notes: &mut u32) -> u64 {
    omod::<F64>(m, code, x, notes)
}

/// OMOD `code` (0 to 3) of a binary16 result.
pub fn omod_f16(m: &FloatMode, code: u32, x: u16, notes: &mut u32) -> u16 {
    omod::<F16>(m, code, x.into(), notes) as u16
}

/// CLAMP of a binary32 result.
pub fn clamp_f32(m: &FloatMode, x: u32) -> u32 {
    clamp::<F32>(m, x.into()) as u32
}

/// CLAMP of a binary64 result.
pub fn clamp_f64(m: &FloatMode, x: u64) -> u64 {
    clamp::<F64>(m, x)
}

/// CLAMP of a binary16 result.
pub fn clamp_f16(m: &FloatMode, x: u16) -> u16 {
    clamp::<F16>(m, x.into()) as u16
}
