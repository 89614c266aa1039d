//! Floats of x86-64 in the modes of the guest.
//!
//! MXCSR can express every rounding and denormal mode of MODE. It differs from the default only inside an `asm!` block,
//! so that no compiler-generated code runs under it.

use super::env::{Env, Rounding};

/// MXCSR in all Rust code: round to nearest even, keep denormals, mask exceptions.
pub(super) const DEFAULT: u32 = 0x1f80;

/// The MXCSR for an environment.
pub(super) fn mxcsr(env: Env) -> u32 {
    let rounding = match env.rounding {
        Rounding::Nearest => 0,
        Rounding::Down => 1,
        Rounding::Up => 2,
        Rounding::Zero => 3,
    };
    DEFAULT | rounding << 13 | u32::from(!env.keep_out) << 15 | u32::from(!env.keep_in) << 6
}

/// Aligned room for a result.
#[repr(C, align(64))]
pub(super) struct Room<T>(pub T);

/// Makes a function for the features of a level. The instructions are repeated for each `\off` of the list of byte
/// offsets. `{t}` and `{u}` are scratch vectors, `{a}`, `{b}`, `{c}` the addresses of sources, and `{o}` that of the
/// result.
macro_rules! float_function {
    ($features:literal $class:ident; $name:ident($($source:ident),*: $S:ty) -> $R:ty [$offsets:literal]
        $($line:literal)*) => {
        #[inline]
        #[target_feature(enable = $features)]
        pub fn $name(env: Env, $($source: &$S),*) -> Option<$R> {
            let mode = mxcsr(env);
            let mut room = std::mem::MaybeUninit::<Room<$R>>::uninit();
            let sources = [$(std::ptr::from_ref($source)),*];
            // SAFETY: offsets stay within the sources and the result, and the lines write the result completely.
            // When the block ends, MXCSR has its old value, except for exception flags, which no Rust code reads.
            unsafe {
                std::arch::asm!(
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
                Some(room.assume_init().0)
            }
        }
    };
}

/// Makes the functions of a level, of its vectors, its offsets, and the instructions that have other names.
macro_rules! floats {
    ($features:literal $class:ident [$offsets:literal] [$offsets64:literal] $floor:literal $narrow:literal
        $store_narrow:literal) => {
        float_function! { $features $class; add(a, b: Lanes) -> Lanes [$offsets]
        "vmovups {t}, [{a}+\\off]" "vaddps {t}, {t}, [{b}+\\off]" "vmovups [{o}+\\off], {t}" }
        float_function! { $features $class; sub(a, b: Lanes) -> Lanes [$offsets]
        "vmovups {t}, [{a}+\\off]" "vsubps {t}, {t}, [{b}+\\off]" "vmovups [{o}+\\off], {t}" }
        float_function! { $features $class; mul(a, b: Lanes) -> Lanes [$offsets]
        "vmovups {t}, [{a}+\\off]" "vmulps {t}, {t}, [{b}+\\off]" "vmovups [{o}+\\off], {t}" }
        float_function! { $features $class; mad(a, b, c: Lanes) -> Lanes [$offsets]
        "vmovups {t}, [{a}+\\off]" "vmulps {t}, {t}, [{b}+\\off]" "vaddps {t}, {t}, [{c}+\\off]"
        "vmovups [{o}+\\off], {t}" }
        float_function! { $features $class; fma(a, b, c: Lanes) -> Lanes [$offsets]
        "vmovups {t}, [{c}+\\off]" "vmovups {u}, [{a}+\\off]" "vfmadd231ps {t}, {u}, [{b}+\\off]"
        "vmovups [{o}+\\off], {t}" }
        float_function! { $features $class; fract(a: Lanes) -> Lanes [$offsets]
        "vmovups {t}, [{a}+\\off]" $floor "vsubps {t}, {t}, {u}" "vmovups [{o}+\\off], {t}" }
        float_function! { $features $class; of_i32(a: Lanes) -> Lanes [$offsets]
        "vcvtdq2ps {t}, [{a}+\\off]" "vmovups [{o}+\\off], {t}" }
        float_function! { $features $class; to_f16(a: Lanes) -> [u16; 64] [$offsets]
        "vmovups {t}, [{a}+\\off]" "vcvtps2ph [{o}+\\off/2], {t}, 4" }
        float_function! { $features $class; to_f16_rtz(a: Lanes) -> [u16; 64] [$offsets]
        "vmovups {t}, [{a}+\\off]" "vcvtps2ph [{o}+\\off/2], {t}, 3" }
        float_function! { $features $class; narrow(a: Doubles) -> Lanes [$offsets64]
        $narrow $store_narrow }
        float_function! { $features $class; add64(a, b: Doubles) -> Doubles [$offsets64]
        "vmovupd {t}, [{a}+\\off]" "vaddpd {t}, {t}, [{b}+\\off]" "vmovupd [{o}+\\off], {t}" }
        float_function! { $features $class; mul64(a, b: Doubles) -> Doubles [$offsets64]
        "vmovupd {t}, [{a}+\\off]" "vmulpd {t}, {t}, [{b}+\\off]" "vmovupd [{o}+\\off], {t}" }
        float_function! { $features $class; fma64(a, b, c: Doubles) -> Doubles [$offsets64]
        "vmovupd {t}, [{c}+\\off]" "vmovupd {u}, [{a}+\\off]" "vfmadd231pd {t}, {u}, [{b}+\\off]"
        "vmovupd [{o}+\\off], {t}" }
    };
}

pub(super) use {float_function, floats};
