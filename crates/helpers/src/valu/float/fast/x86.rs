//! Fast paths with AVX2 and AVX-512.

use std::arch::asm;
use std::mem::MaybeUninit;

use gcnsim_isa::Arch;

use super::super::super::super::Level;
use super::super::{Env, FloatMode, Rounding};
use super::plain::{self, Doubles, SIGN, accept, accept_numbers, any, is_nan, map};
use super::{Fast, Fast64, Lanes, Pairs};

/// The levels that have code here.
pub(super) enum Usable {
    Avx2,
    Avx512,
}

/// The code for a level; `None` if there is none, or this machine cannot run the level.
pub(super) fn usable(level: Level) -> Option<Usable> {
    match level {
        Level::Avx512 if level.is_available() => Some(Usable::Avx512),
        Level::Avx2 if level.is_available() => Some(Usable::Avx2),
        _ => None,
    }
}

/// MXCSR in all Rust code: round to nearest even, keep denormals, mask exceptions.
const DEFAULT: u32 = 0x1f80;

/// The MXCSR for an environment.
fn mxcsr(env: Env) -> u32 {
    let rounding = match env.rounding {
        Rounding::Nearest => 0,
        Rounding::Down => 1,
        Rounding::Up => 2,
        Rounding::Zero => 3,
    };
    DEFAULT | rounding << 13 | u32::from(!env.keep_out) << 15 | u32::from(!env.keep_in) << 6
}

/// Arithmetic on 64 numbers at once under the MXCSR of an environment.
///
/// The functions are safe, because they are called only by functions of the tables in this file, and [`usable`] decides
/// on these by the features of the CPU.
trait Host {
    fn add(env: Env, a: &Lanes, b: &Lanes) -> Lanes;
    fn sub(env: Env, a: &Lanes, b: &Lanes) -> Lanes;
    fn mul(env: Env, a: &Lanes, b: &Lanes) -> Lanes;
    /// a * b rounded, plus c, rounded.
    fn mad(env: Env, a: &Lanes, b: &Lanes, c: &Lanes) -> Lanes;
    fn fma(env: Env, a: &Lanes, b: &Lanes, c: &Lanes) -> Lanes;
    /// a - floor(a).
    fn fract(env: Env, a: &Lanes) -> Lanes;
    fn from_i32(env: Env, a: &Lanes) -> Lanes;
    /// Converts to binary16.
    fn to_f16(env: Env, a: &Lanes) -> [u16; 64];
    /// Converts to binary16, rounding towards zero.
    fn to_f16_rtz(env: Env, a: &Lanes) -> [u16; 64];
    /// Converts binary64 to binary32.
    fn narrow(env: Env, a: &Doubles) -> Lanes;
    fn add64(env: Env, a: &Doubles, b: &Doubles) -> Doubles;
    fn mul64(env: Env, a: &Doubles, b: &Doubles) -> Doubles;
    fn fma64(env: Env, a: &Doubles, b: &Doubles, c: &Doubles) -> Doubles;
}

/// Aligned room for a result.
#[repr(C, align(64))]
struct Room<T>(T);

/// Makes a function of [`Host`]. The instructions are repeated for each `\off` of the list of byte offsets. `{t}` and
/// `{u}` are scratch vectors, `{a}`, `{b}`, `{c}` the addresses of sources, and `{o}` that of the result.
macro_rules! host_function {
    ($features:literal $class:ident; $name:ident($($source:ident),*: $S:ty) -> $R:ty [$offsets:literal]
        $($line:literal)*) => {
        #[inline(always)]
        fn $name(env: Env, $($source: &$S),*) -> $R {
            #[inline]
            #[target_feature(enable = $features)]
            fn $name(env: Env, $($source: &$S),*) -> $R {
                let mode = mxcsr(env);
                let mut room = MaybeUninit::<Room<$R>>::uninit();
                let sources = [$(std::ptr::from_ref($source)),*];
                // SAFETY: offsets stay within the sources and the result, and the lines write the result completely.
                // When the block ends, MXCSR has its old value, except for exception flags, which no Rust code reads.
                unsafe {
                    asm!(
                        "/* {b} {c} {u} */",
                        "ldmxcsr dword ptr [{mode}]",
                        concat!(".irp off,", $offsets),
                        $($line,)*
                        ".endr",
                        "ldmxcsr dword ptr [{default}]",
                        mode = in(reg) &mode,
                        default = in(reg) &DEFAULT,
                        a = in(reg) sources[0],
                        b = in(reg) sources[sources.len() / 2],
                        c = in(reg) sources[sources.len() - 1],
                        o = in(reg) room.as_mut_ptr(),
                        t = out($class) _,
                        u = out($class) _,
                        options(nostack),
                    );
                    room.assume_init().0
                }
            }
            // SAFETY: the CPU has the features: see [`Host`].
            unsafe { $name(env, $($source),*) }
        }
    };
}

/// Makes a level: its vectors, its offsets, and the instructions that have other names.
macro_rules! host {
    ($Host:ident $features:literal $class:ident [$offsets:literal] [$offsets64:literal] $floor:literal
        $narrow:literal $store_narrow:literal) => {
        struct $Host;

        impl Host for $Host {
            host_function! { $features $class; add(a, b: Lanes) -> Lanes [$offsets]
            "vmovups {t}, [{a}+\\off]" "vaddps {t}, {t}, [{b}+\\off]" "vmovups [{o}+\\off], {t}" }
            host_function! { $features $class; sub(a, b: Lanes) -> Lanes [$offsets]
            "vmovups {t}, [{a}+\\off]" "vsubps {t}, {t}, [{b}+\\off]" "vmovups [{o}+\\off], {t}" }
            host_function! { $features $class; mul(a, b: Lanes) -> Lanes [$offsets]
            "vmovups {t}, [{a}+\\off]" "vmulps {t}, {t}, [{b}+\\off]" "vmovups [{o}+\\off], {t}" }
            host_function! { $features $class; mad(a, b, c: Lanes) -> Lanes [$offsets]
            "vmovups {t}, [{a}+\\off]" "vmulps {t}, {t}, [{b}+\\off]" "vaddps {t}, {t}, [{c}+\\off]"
            "vmovups [{o}+\\off], {t}" }
            host_function! { $features $class; fma(a, b, c: Lanes) -> Lanes [$offsets]
            "vmovups {t}, [{c}+\\off]" "vmovups {u}, [{a}+\\off]" "vfmadd231ps {t}, {u}, [{b}+\\off]"
            "vmovups [{o}+\\off], {t}" }
            host_function! { $features $class; fract(a: Lanes) -> Lanes [$offsets]
            "vmovups {t}, [{a}+\\off]" $floor "vsubps {t}, {t}, {u}" "vmovups [{o}+\\off], {t}" }
            host_function! { $features $class; from_i32(a: Lanes) -> Lanes [$offsets]
            "vcvtdq2ps {t}, [{a}+\\off]" "vmovups [{o}+\\off], {t}" }
            host_function! { $features $class; to_f16(a: Lanes) -> [u16; 64] [$offsets]
            "vmovups {t}, [{a}+\\off]" "vcvtps2ph [{o}+\\off/2], {t}, 4" }
            host_function! { $features $class; to_f16_rtz(a: Lanes) -> [u16; 64] [$offsets]
            "vmovups {t}, [{a}+\\off]" "vcvtps2ph [{o}+\\off/2], {t}, 3" }
            host_function! { $features $class; narrow(a: Doubles) -> Lanes [$offsets64]
            $narrow $store_narrow }
            host_function! { $features $class; add64(a, b: Doubles) -> Doubles [$offsets64]
            "vmovupd {t}, [{a}+\\off]" "vaddpd {t}, {t}, [{b}+\\off]" "vmovupd [{o}+\\off], {t}" }
            host_function! { $features $class; mul64(a, b: Doubles) -> Doubles [$offsets64]
            "vmovupd {t}, [{a}+\\off]" "vmulpd {t}, {t}, [{b}+\\off]" "vmovupd [{o}+\\off], {t}" }
            host_function! { $features $class; fma64(a, b, c: Doubles) -> Doubles [$offsets64]
            "vmovupd {t}, [{c}+\\off]" "vmovupd {u}, [{a}+\\off]" "vfmadd231pd {t}, {u}, [{b}+\\off]"
            "vmovupd [{o}+\\off], {t}" }
        }
    };
}

host! { Ymm "avx2,fma,f16c" ymm_reg
["0,32,64,96,128,160,192,224"]
["0,32,64,96,128,160,192,224,256,288,320,352,384,416,448,480"]
"vroundps {u}, {t}, 9" "vcvtpd2ps {t:x}, ymmword ptr [{a}+\\off]" "vmovups [{o}+\\off/2], {t:x}" }

host! { Zmm "avx512f,avx512bw" zmm_reg
["0,64,128,192"]
["0,64,128,192,256,320,384,448"]
"vrndscaleps {u}, {t}, 9" "vcvtpd2ps {t:y}, zmmword ptr [{a}+\\off]" "vmovups [{o}+\\off/2], {t:y}" }

// The bodies. Each is inlined into a function of the table that has the level's features.

#[inline(always)]
fn add<H: Host>(m: &FloatMode, [a, b, _]: [&Lanes; 3], d: &mut Lanes) -> bool {
    accept_numbers(H::add(m.single, a, b), d)
}

#[inline(always)]
fn sub<H: Host>(m: &FloatMode, [a, b, _]: [&Lanes; 3], d: &mut Lanes) -> bool {
    accept_numbers(H::sub(m.single, a, b), d)
}

#[inline(always)]
fn subrev<H: Host>(m: &FloatMode, [a, b, _]: [&Lanes; 3], d: &mut Lanes) -> bool {
    accept_numbers(H::sub(m.single, b, a), d)
}

#[inline(always)]
fn mul<H: Host>(m: &FloatMode, [a, b, _]: [&Lanes; 3], d: &mut Lanes) -> bool {
    accept_numbers(H::mul(m.single, a, b), d)
}

/// The product with +0 where a source is zero.
#[inline(always)]
fn legacy_product<H: Host>(env: Env, a: &Lanes, b: &Lanes) -> Lanes {
    let mut product = H::mul(env, a, b);
    let lowest = if env.keep_in { 1 } else { plain::MIN_NORMAL };
    for i in 0..64 {
        let is_zero = a[i] & !SIGN < lowest || b[i] & !SIGN < lowest;
        product[i] = if is_zero { 0 } else { product[i] };
    }
    product
}

#[inline(always)]
fn mul_legacy<H: Host>(m: &FloatMode, [a, b, _]: [&Lanes; 3], d: &mut Lanes) -> bool {
    accept_numbers(legacy_product::<H>(m.single, a, b), d)
}

#[inline(always)]
fn mad<H: Host>(m: &FloatMode, [a, b, c]: [&Lanes; 3], d: &mut Lanes) -> bool {
    accept_numbers(H::mad(m.single.flushing(), a, b, c), d)
}

#[inline(always)]
fn mad_legacy<H: Host>(m: &FloatMode, [a, b, c]: [&Lanes; 3], d: &mut Lanes) -> bool {
    let env = m.single.flushing();
    let product = legacy_product::<H>(env, a, b);
    accept_numbers(H::add(env, &product, c), d)
}

#[inline(always)]
fn fma<H: Host>(m: &FloatMode, [a, b, c]: [&Lanes; 3], d: &mut Lanes) -> bool {
    accept_numbers(H::fma(m.single, a, b, c), d)
}

#[inline(always)]
fn fract<H: Host>(m: &FloatMode, [a, ..]: [&Lanes; 3], d: &mut Lanes) -> bool {
    let out = H::fract(m.single, a);
    let one = 1.0f32.to_bits();
    // For results from the greatest value below 1 on, GCN 1.0 is in doubt.
    if m.arch == Arch::Gcn10 && any(&out, |x| x & !SIGN >= one - 1) || any(&out, is_nan) {
        return false;
    }
    accept(map(&out, |x| (x & !SIGN).min(one - 1)), d)
}

#[inline(always)]
fn round(m: &FloatMode, a: &Lanes, d: &mut Lanes, f: impl Fn(f32) -> f32) -> bool {
    let a = plain::sources(m.single, a);
    accept_numbers(map(&a, |x| f(f32::from_bits(x)).to_bits()), d)
}

#[inline(always)]
fn trunc(m: &FloatMode, [a, ..]: [&Lanes; 3], d: &mut Lanes) -> bool {
    round(m, a, d, f32::trunc)
}

#[inline(always)]
fn ceil(m: &FloatMode, [a, ..]: [&Lanes; 3], d: &mut Lanes) -> bool {
    round(m, a, d, f32::ceil)
}

#[inline(always)]
fn floor(m: &FloatMode, [a, ..]: [&Lanes; 3], d: &mut Lanes) -> bool {
    round(m, a, d, f32::floor)
}

#[inline(always)]
fn rndne(m: &FloatMode, [a, ..]: [&Lanes; 3], d: &mut Lanes) -> bool {
    round(m, a, d, f32::round_ties_even)
}

#[inline(always)]
fn cvt_flr(m: &FloatMode, [a, ..]: [&Lanes; 3], d: &mut Lanes) -> bool {
    let s = plain::sources(m.single, a);
    !any(a, is_nan) && accept(map(&s, |x| f32::from_bits(x).floor() as i32 as u32), d)
}

#[inline(always)]
fn cvt_rpi(_: &FloatMode, [a, ..]: [&Lanes; 3], d: &mut Lanes) -> bool {
    // The sum is exact in binary64 unless the source is far below 1/2, and then its floor is still right.
    !any(a, is_nan) && accept(map(a, |x| (f64::from(f32::from_bits(x)) + 0.5).floor() as i32 as u32), d)
}

#[inline(always)]
fn from_i32<H: Host>(m: &FloatMode, [a, ..]: [&Lanes; 3], d: &mut Lanes) -> bool {
    accept(H::from_i32(m.single, a), d)
}

#[inline(always)]
fn from_u32<H: Host>(m: &FloatMode, [a, ..]: [&Lanes; 3], d: &mut Lanes) -> bool {
    // Each half is exact as a float, and the sum of the halves is rounded once.
    let high = map(a, |x| ((x >> 16) as f32 * 65536.0).to_bits());
    let low = map(a, |x| ((x & 0xffff) as f32).to_bits());
    accept(H::add(m.single, &high, &low), d)
}

/// Accepts the result, unless binary16 results are NaNs or in doubt.
#[inline(always)]
fn accept_f16(m: &FloatMode, out: &[u16; 64]) -> bool {
    let is_nan = any(out, |x| x & 0x7fff > 0x7c00);
    // A result that is the smallest normal number may be so only after rounding to the precision of denormals.
    let is_small = plain::doubts_f16_denormals(m) && any(out, |x| x & 0x7fff != 0 && x & 0x7fff <= 0x400);
    !is_nan && !is_small
}

#[inline(always)]
fn cvt_f16<H: Host>(m: &FloatMode, [a, ..]: [&Lanes; 3], d: &mut Lanes) -> bool {
    if m.fp16_ovfl || m.single.rounding != m.wide.rounding {
        return false;
    }
    let out = H::to_f16(m.single, &plain::sources(m.single, a));
    if !accept_f16(m, &out) {
        return false;
    }
    for i in 0..64 {
        d[i] = out[i].into();
    }
    true
}

#[inline(always)]
fn cvt_pkrtz<H: Host>(m: &FloatMode, [a, b, _]: [&Lanes; 3], d: &mut Lanes) -> bool {
    let [low, high] = [a, b].map(|s| H::to_f16_rtz(m.single, s));
    if m.fp16_ovfl || !accept_f16(m, &low) || !accept_f16(m, &high) {
        return false;
    }
    for i in 0..64 {
        d[i] = u32::from(low[i]) | u32::from(high[i]) << 16;
    }
    true
}

#[inline(always)]
fn ldexp<H: Host>(m: &FloatMode, [a, b, _]: [&Lanes; 3], d: &mut Lanes) -> bool {
    // The product is exact in binary64. Powers beyond 400 take any number out of the range of binary32.
    let a = plain::sources(m.single, a);
    let mut product = [0; 64];
    for i in 0..64 {
        let power = (b[i] as i32).clamp(-400, 400);
        let factor = f64::from_bits(((1023 + power) as u64) << 52);
        product[i] = (f64::from(f32::from_bits(a[i])) * factor).to_bits();
    }
    accept_numbers(H::narrow(m.single, &product), d)
}

#[inline(always)]
fn add64<H: Host>(m: &FloatMode, [a, b, _]: [&Pairs; 3], d: &mut Pairs) -> bool {
    let [a, b] = [a, b].map(plain::join);
    plain::accept_doubles(&H::add64(m.wide, &a, &b), d)
}

#[inline(always)]
fn mul64<H: Host>(m: &FloatMode, [a, b, _]: [&Pairs; 3], d: &mut Pairs) -> bool {
    let [a, b] = [a, b].map(plain::join);
    plain::accept_doubles(&H::mul64(m.wide, &a, &b), d)
}

#[inline(always)]
fn fma64<H: Host>(m: &FloatMode, s: [&Pairs; 3], d: &mut Pairs) -> bool {
    let [a, b, c] = s.map(plain::join);
    plain::accept_doubles(&H::fma64(m.wide, &a, &b, &c), d)
}

/// The table of a level.
macro_rules! level {
    ($module:ident $Host:ident $features:literal
        $($find:ident $Fast:ident $Lanes:ident: $($body:path as $name:ident,)*;)*) => {
        pub(super) mod $module {
            use super::*;

            /// Bodies compiled for the level.
            mod bodies {
                use super::*;
                $($(
                    #[target_feature(enable = $features)]
                    pub fn $name(m: &FloatMode, s: [&$Lanes; 3], d: &mut $Lanes) -> bool {
                        $body(m, s, d)
                    }
                )*)*
            }

            $(
                $(
                    fn $name(m: &FloatMode, a: &$Lanes, b: &$Lanes, c: &$Lanes, d: &mut $Lanes) -> bool {
                        // SAFETY: `fast` and `fast64` return this function only on a CPU with the features.
                        unsafe { bodies::$name(m, [a, b, c], d) }
                    }
                )*

                pub fn $find(mnemonic: &str) -> Option<$Fast> {
                    match mnemonic {
                        $(stringify!($name) => Some($name),)*
                        _ => None,
                    }
                }
            )*
        }
    };
}

macro_rules! levels {
    ($($module:ident $Host:ident $features:literal;)*) => {
        $(level! { $module $Host $features
            find Fast Lanes:
                add::<$Host> as v_add_f32,
                sub::<$Host> as v_sub_f32,
                subrev::<$Host> as v_subrev_f32,
                mul::<$Host> as v_mul_f32,
                mul_legacy::<$Host> as v_mul_legacy_f32,
                mad::<$Host> as v_mac_f32,
                mad::<$Host> as v_mad_f32,
                mad::<$Host> as v_madmk_f32,
                mad::<$Host> as v_madak_f32,
                mad_legacy::<$Host> as v_mac_legacy_f32,
                mad_legacy::<$Host> as v_mad_legacy_f32,
                fma::<$Host> as v_fma_f32,
                fma::<$Host> as v_fmac_f32,
                plain::min as v_min_f32,
                plain::max as v_max_f32,
                plain::min3 as v_min3_f32,
                plain::max3 as v_max3_f32,
                plain::med3 as v_med3_f32,
                trunc as v_trunc_f32,
                ceil as v_ceil_f32,
                floor as v_floor_f32,
                rndne as v_rndne_f32,
                fract::<$Host> as v_fract_f32,
                plain::cvt_i32 as v_cvt_i32_f32,
                plain::cvt_u32 as v_cvt_u32_f32,
                cvt_flr as v_cvt_flr_i32_f32,
                cvt_rpi as v_cvt_rpi_i32_f32,
                from_i32::<$Host> as v_cvt_f32_i32,
                from_u32::<$Host> as v_cvt_f32_u32,
                plain::ubyte::<0> as v_cvt_f32_ubyte0,
                plain::ubyte::<8> as v_cvt_f32_ubyte1,
                plain::ubyte::<16> as v_cvt_f32_ubyte2,
                plain::ubyte::<24> as v_cvt_f32_ubyte3,
                plain::off_i4 as v_cvt_off_f32_i4,
                plain::cvt_f32_f16 as v_cvt_f32_f16,
                cvt_f16::<$Host> as v_cvt_f16_f32,
                cvt_pkrtz::<$Host> as v_cvt_pkrtz_f16_f32,
                ldexp::<$Host> as v_ldexp_f32,
                plain::rcp as v_rcp_f32,
                plain::rcp as v_rcp_iflag_f32,
                plain::sqrt as v_sqrt_f32,
                plain::rsq as v_rsq_f32,
            ;
            find64 Fast64 Pairs:
                add64::<$Host> as v_add_f64,
                mul64::<$Host> as v_mul_f64,
                fma64::<$Host> as v_fma_f64,
                plain::min64 as v_min_f64,
                plain::max64 as v_max_f64,
            ;
        })*
    };
}

levels! {
    avx2 Ymm "avx2,fma,f16c";
    avx512 Zmm "avx512f,avx512bw,bmi2";
}
