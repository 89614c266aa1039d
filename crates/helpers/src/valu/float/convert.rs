//! Conversions: docs/gcn/valu-float.md#conversions.

use gcnsim_isa::Arch;

use super::super::notes::{CVT_F16_DENORM, CVT_F16_ROUND, PK_U8_ROUND};
use super::format::*;
use super::integral::to_integral;
use super::soft::{Num, finish, pack};
use super::{Env, FloatMode, Rounding};

// --- to integers ---

/// An integral value limited to a range; `nan` for a NaN.
fn saturate<F: Format>(x: u64, range: (i64, i64), nan: i64) -> i64 {
    if is_nan::<F>(x) {
        return nan;
    }
    // Infinity has the exponent of a large number. No range needs more than 33 bits.
    let size = match exponent::<F>(x) - F::BIAS {
        ..0 => 0,
        power @ 0..40 => (Num::unpack::<F>(x).significand >> (63 - power)) as i64,
        _ => 1 << 40,
    };
    (if is_negative::<F>(x) { -size } else { size }).clamp(range.0, range.1)
}

const I32: (i64, i64) = (i32::MIN as i64, i32::MAX as i64);
const U32: (i64, i64) = (0, u32::MAX as i64);

/// The integer part as an i32; NaN gives 0.
pub fn v_cvt_i32_f32(_: &FloatMode, s0: u32, _: &mut u32) -> u32 {
    saturate::<F32>(s0.into(), I32, 0) as u32
}

/// The integer part as a u32; NaN gives 0.
pub fn v_cvt_u32_f32(_: &FloatMode, s0: u32, _: &mut u32) -> u32 {
    saturate::<F32>(s0.into(), U32, 0) as u32
}

/// The integer part as an i32; NaN gives 0.
pub fn v_cvt_i32_f64(_: &FloatMode, s0: u64, _: &mut u32) -> u32 {
    saturate::<F64>(s0, I32, 0) as u32
}

/// The integer part as a u32; NaN gives 0.
pub fn v_cvt_u32_f64(_: &FloatMode, s0: u64, _: &mut u32) -> u32 {
    saturate::<F64>(s0, U32, 0) as u32
}

/// The integer part as an i16; NaN gives 0.
pub fn v_cvt_i16_f16(_: &FloatMode, s0: u16, _: &mut u32) -> u16 {
    saturate::<F16>(s0.into(), (i16::MIN.into(), i16::MAX.into()), 0) as u16
}

/// The integer part as a u16; NaN gives 0.
pub fn v_cvt_u16_f16(_: &FloatMode, s0: u16, _: &mut u32) -> u16 {
    saturate::<F16>(s0.into(), (0, u16::MAX.into()), 0) as u16
}

/// The limit of the i32 range on the side of a NaN's sign.
fn nan_limit(x: u64) -> i64 {
    if is_negative::<F32>(x) { I32.0 } else { I32.1 }
}

/// floor(S0) as an i32; NaN saturates by its sign.
pub fn v_cvt_flr_i32_f32(m: &FloatMode, s0: u32, _: &mut u32) -> u32 {
    let s0 = flush::<F32>(m.single, s0.into());
    let floor = if is_nan::<F32>(s0) { s0 } else { to_integral::<F32>(s0, Rounding::Down) };
    saturate::<F32>(floor, I32, nan_limit(s0)) as u32
}

/// floor(S0 + 1/2) as an i32, with an exact sum; NaN saturates by its sign.
pub fn v_cvt_rpi_i32_f32(_: &FloatMode, s0: u32, _: &mut u32) -> u32 {
    let s0 = u64::from(s0);
    let power = exponent::<F32>(s0) - F32::BIAS;
    if !(-1..31).contains(&power) {
        return saturate::<F32>(s0, I32, nan_limit(s0)) as u32;
    }
    // The unit is 2^-24; the lowest bit is not below that.
    let size = (Num::unpack::<F32>(s0).significand >> (39 - power)) as i64;
    let fixed = if is_negative::<F32>(s0) { -size } else { size };
    ((fixed + (1 << 23)) >> 24).clamp(I32.0, I32.1) as u32
}

/// The nearest integer to x * scale, with x clamped to [-1, 1]; NaN gives 0.
fn normalize<F: Format>(x: u64, scale: u64, signed: bool) -> u16 {
    if is_nan::<F>(x) || is_negative::<F>(x) && !signed {
        return 0;
    }
    let x = if magnitude::<F>(x) > F::ONE { x & F::SIGN | F::ONE } else { x };
    let number = Num::unpack::<F>(x);
    // The exact product has bit 63 + 15 at most; its integer part begins at bit 63 - exponent.
    let product = u128::from(number.significand) * u128::from(scale);
    let place = 63 - number.exponent;
    let size = if place > 100 {
        0
    } else {
        let (kept, rest, half) = (product >> place, product & ((1 << place) - 1), 1 << (place - 1));
        kept as u16 + u16::from(rest > half || rest == half && kept & 1 != 0)
    };
    if is_negative::<F>(x) { size.wrapping_neg() } else { size }
}

const fn pair(low: u16, high: u16) -> u32 {
    low as u32 | (high as u32) << 16
}

/// S0 and S1 as fractions of 32767.
pub fn v_cvt_pknorm_i16_f32(_: &FloatMode, s0: u32, s1: u32, _: &mut u32) -> u32 {
    let [low, high] = [s0, s1].map(|x| normalize::<F32>(x.into(), 32767, true));
    pair(low, high)
}

/// S0 and S1 as fractions of 65535.
pub fn v_cvt_pknorm_u16_f32(_: &FloatMode, s0: u32, s1: u32, _: &mut u32) -> u32 {
    let [low, high] = [s0, s1].map(|x| normalize::<F32>(x.into(), 65535, false));
    pair(low, high)
}

/// S0 as a fraction of 32767.
pub fn v_cvt_norm_i16_f16(m: &FloatMode, s0: u16, _: &mut u32) -> u16 {
    normalize::<F16>(flush::<F16>(m.wide, s0.into()), 32767, true)
}

/// S0 as a fraction of 65535.
pub fn v_cvt_norm_u16_f16(m: &FloatMode, s0: u16, _: &mut u32) -> u16 {
    normalize::<F16>(flush::<F16>(m.wide, s0.into()), 65535, false)
}

/// S0 and S1 as fractions of 32767.
pub fn v_cvt_pknorm_i16_f16(m: &FloatMode, s0: u16, s1: u16, notes: &mut u32) -> u32 {
    pair(v_cvt_norm_i16_f16(m, s0, notes), v_cvt_norm_i16_f16(m, s1, notes))
}

/// S0 and S1 as fractions of 65535.
pub fn v_cvt_pknorm_u16_f16(m: &FloatMode, s0: u16, s1: u16, notes: &mut u32) -> u32 {
    pair(v_cvt_norm_u16_f16(m, s0, notes), v_cvt_norm_u16_f16(m, s1, notes))
}

/// S0 rounded to an integer in MODE's direction and limited to 0..=255; NaN gives 0.
fn to_u8(m: &FloatMode, s0: u32, notes: &mut u32) -> u32 {
    if m.single.rounding != Rounding::Nearest {
        *notes |= PK_U8_ROUND;
    }
    let s0 = flush::<F32>(m.single, s0.into());
    let rounded = if is_nan::<F32>(s0) { s0 } else { to_integral::<F32>(s0, m.single.rounding) };
    saturate::<F32>(rounded, (0, 255), 0) as u32
}

fn insert_byte(into: u32, place: u32, byte: u32) -> u32 {
    let shift = 8 * (place & 3);
    into & !(0xff << shift) | byte << shift
}

/// S2 with S0 as a u8 in byte S1\[1:0\].
pub fn v_cvt_pk_u8_f32(m: &FloatMode, s0: u32, s1: u32, s2: u32, notes: &mut u32) -> u32 {
    insert_byte(s2, s1, to_u8(m, s0, notes))
}

/// D with S0 as a u8 in byte S1\[1:0\].
pub fn v_cvt_pkaccum_u8_f32(m: &FloatMode, s0: u32, s1: u32, d: u32, notes: &mut u32) -> u32 {
    insert_byte(d, s1, to_u8(m, s0, notes))
}

// --- from integers ---

fn from_i64<F: Format>(m: &FloatMode, env: Env, x: i64, notes: &mut u32) -> u64 {
    finish::<F>(m, env, Num::from_integer(x < 0, x.unsigned_abs().into(), 0), notes)
}

/// The i32 S0, rounded.
pub fn v_cvt_f32_i32(m: &FloatMode, s0: u32, notes: &mut u32) -> u32 {
    from_i64::<F32>(m, m.single, (s0 as i32).into(), notes) as u32
}

/// The u32 S0, rounded.
pub fn v_cvt_f32_u32(m: &FloatMode, s0: u32, notes: &mut u32) -> u32 {
    from_i64::<F32>(m, m.single, s0.into(), notes) as u32
}

/// The i32 S0, exactly.
pub fn v_cvt_f64_i32(m: &FloatMode, s0: u32, notes: &mut u32) -> u64 {
    from_i64::<F64>(m, m.wide, (s0 as i32).into(), notes)
}

/// The u32 S0, exactly.
pub fn v_cvt_f64_u32(m: &FloatMode, s0: u32, notes: &mut u32) -> u64 {
    from_i64::<F64>(m, m.wide, s0.into(), notes)
}

/// The i16 S0, rounded.
pub fn v_cvt_f16_i16(m: &FloatMode, s0: u16, notes: &mut u32) -> u16 {
    from_i64::<F16>(m, to_f16_env(m, notes), (s0 as i16).into(), notes) as u16
}

/// The u16 S0, rounded.
pub fn v_cvt_f16_u16(m: &FloatMode, s0: u16, notes: &mut u32) -> u16 {
    from_i64::<F16>(m, to_f16_env(m, notes), s0.into(), notes) as u16
}

macro_rules! ubytes {
    ($($name:ident $shift:literal $doc:literal;)*) => {
        $(
            #[doc = $doc]
            pub fn $name(m: &FloatMode, s0: u32, notes: &mut u32) -> u32 {
                v_cvt_f32_u32(m, s0 >> $shift & 0xff, notes)
            }
        )*
    };
}

ubytes! {
    v_cvt_f32_ubyte0 0 "Byte 0 of S0.";
    v_cvt_f32_ubyte1 8 "Byte 1 of S0.";
    v_cvt_f32_ubyte2 16 "Byte 2 of S0.";
    v_cvt_f32_ubyte3 24 "Byte 3 of S0.";
}

/// S0\[3:0\] as a signed number of sixteenths.
pub fn v_cvt_off_f32_i4(m: &FloatMode, s0: u32, notes: &mut u32) -> u32 {
    let offset = ((s0 as i32) << 28) >> 28;
    finish::<F32>(m, m.single, Num::from_integer(offset < 0, offset.unsigned_abs().into(), -4), notes) as u32
}

// --- between formats ---

/// A NaN in another format: the sign and the top bits of the payload stay. Narrowing makes it quiet.
fn convert_nan<S: Format, D: Format>(nan: u64) -> u64 {
    let sign = if is_negative::<S>(nan) { D::SIGN } else { 0 };
    let payload = nan & (S::MIN_NORMAL - 1);
    let quiet = if D::FRACTION < S::FRACTION { D::QUIET } else { 0 };
    sign | D::INF | quiet | (u128::from(payload) << D::FRACTION >> S::FRACTION) as u64
}

/// A value in another format. Sources are not flushed.
pub(super) fn convert<S: Format, D: Format>(m: &FloatMode, env: Env, x: u64, notes: &mut u32) -> u64 {
    if is_nan::<S>(x) {
        let nan = convert_nan::<S, D>(x);
        return if D::FRACTION > S::FRACTION { nan_result::<D>(m, nan, notes) } else { nan };
    }
    if is_inf::<S>(x) {
        return D::INF | if is_negative::<S>(x) { D::SIGN } else { 0 };
    }
    finish::<D>(m, env, Num::unpack::<S>(x), notes)
}

/// S0 rounded to binary32.
pub fn v_cvt_f32_f64(m: &FloatMode, s0: u64, notes: &mut u32) -> u32 {
    convert::<F64, F32>(m, m.single, flush::<F64>(m.wide, s0), notes) as u32
}

/// S0, exactly.
pub fn v_cvt_f64_f32(m: &FloatMode, s0: u32, notes: &mut u32) -> u64 {
    convert::<F32, F64>(m, m.wide, flush::<F32>(m.single, s0.into()), notes)
}

/// The treatment of binary16 denormals by conversions. Before GCN 1.2 they keep them.
fn f16_denormals(m: &FloatMode) -> Env {
    if m.arch < Arch::Gcn12 { Env { keep_in: true, keep_out: true, ..m.wide } } else { m.wide }
}

/// The environment of results of conversions to binary16.
fn to_f16_env(m: &FloatMode, notes: &mut u32) -> Env {
    if m.single.rounding != m.wide.rounding {
        *notes |= CVT_F16_ROUND;
    }
    let rounding = if m.arch < Arch::Gcn12 { m.single.rounding } else { m.wide.rounding };
    Env { rounding, ..f16_denormals(m) }
}

/// Notes a binary16 denormal whose treatment is in doubt. That is so from GCN 1.2 on, unless MODE keeps all denormals.
fn note_f16_denormal(m: &FloatMode, x: u64, notes: &mut u32) {
    if is_denormal::<F16>(x) && m.arch >= Arch::Gcn12 && !(m.wide.keep_in && m.wide.keep_out) {
        *notes |= CVT_F16_DENORM;
    }
}

/// S0, exactly.
pub fn v_cvt_f32_f16(m: &FloatMode, s0: u16, notes: &mut u32) -> u32 {
    let s0 = s0.into();
    note_f16_denormal(m, s0, notes);
    convert::<F16, F32>(m, m.single, flush::<F16>(f16_denormals(m), s0), notes) as u32
}

fn to_f16(m: &FloatMode, env: Env, s0: u32, notes: &mut u32) -> u16 {
    let s0 = flush::<F32>(m.single, s0.into());
    if magnitude::<F32>(s0) < F32::INF {
        let kept = pack::<F16>(Env { keep_out: true, ..env }, Num::unpack::<F32>(s0)).0;
        note_f16_denormal(m, kept, notes);
    }
    convert::<F32, F16>(m, env, s0, notes) as u16
}

/// S0 rounded to binary16.
pub fn v_cvt_f16_f32(m: &FloatMode, s0: u32, notes: &mut u32) -> u16 {
    let env = to_f16_env(m, notes);
    to_f16(m, env, s0, notes)
}

/// S0 (low half) and S1 (high half) as binary16, rounded towards zero.
pub fn v_cvt_pkrtz_f16_f32(m: &FloatMode, s0: u32, s1: u32, notes: &mut u32) -> u32 {
    let env = Env { rounding: Rounding::Zero, ..f16_denormals(m) };
    pair(to_f16(m, env, s0, notes), to_f16(m, env, s1, notes))
}
