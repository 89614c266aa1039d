//! Levels of the host: what each of them does with the 64 lanes of a wave at once.
//!
//! A kernel is written once, for any [`Host`], and [`by_level`] compiles it for each [`Level`](crate::Level). What the
//! compiler vectorises well is a plain loop over [`lanes`]; a [`Host`] has the rest: masks of tests, orders of packed
//! numbers, floats in the modes of the guest, and moves of guest memory.
//!
//! A value of a level proves that the CPU has its features. Only [`by_level`] and tests make one, after they have
//! looked. So operations on registers are safe functions.
//!
//! Other threads may write the same bytes of guest memory at any time. So no access is one of Rust's: on x86-64 each is
//! an instruction in inline assembly, elsewhere an atomic access of [`Backing`](gcnsim_machine::Backing)'s kind, byte
//! by byte.
#![allow(unsafe_code)]

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod env;
pub(crate) mod lanes;
#[cfg_attr(not(target_arch = "x86_64"), path = "moves_portable.rs")]
mod moves;
#[cfg(target_arch = "x86_64")]
mod mxcsr;
mod portable;

use gcnsim_isa::{LANES, Vgpr};

#[cfg(target_arch = "x86_64")]
pub(crate) use avx2::Avx2;
#[cfg(target_arch = "x86_64")]
pub(crate) use avx512::Avx512;
pub use env::{Env, Rounding};
pub(crate) use env::{INF, MIN_NORMAL, SIGN, any};
pub use lanes::Lanes;
pub(crate) use lanes::Room;
use moves::{read32, read64, write32, write64};
pub(crate) use portable::Portable;

/// Number of lanes that a helper of the vector ALU processes at a time.
pub(crate) const CHUNK: usize = 16;

/// One dword per lane of a chunk.
pub(crate) type Chunk = [u32; CHUNK];

/// One binary64 number per lane.
pub(crate) type Doubles = [u64; LANES];

/// A level, on a CPU that has it.
///
/// Operations on 64 lanes take and give arrays. The compiler keeps these in registers: it vectorises loops over them in
/// steps of a register, and an operation reads them in the same steps. All functions are inlined, into functions for
/// such a CPU.
///
/// # Safety
/// Functions with pointers need the elements of the lanes of the mask in living backings or LDS, and of those of
/// `readable`, which has all of the mask. Nothing else is accessed.
pub(crate) trait Host: Copy + 'static {
    /// Whether registers have more than 16 bytes, and floats have the modes of the guest.
    const IS_WIDE: bool = true;
    /// Whether [`look_up`](Host::look_up) is one instruction.
    const LOOKS_UP: bool = false;

    // --- results of a chunk

    /// Writes the lanes of `lanes` (one bit each), and keeps the others.
    ///
    /// # Safety
    /// `dst` is 16 dwords, 64-byte aligned, readable and writable.
    unsafe fn write(self, dst: *mut u32, new: &Chunk, lanes: u16);

    /// One bit per lane: set if the dword is 1. Each dword is 0 or 1.
    fn bits(self, bools: &Chunk) -> u16;

    // --- tests

    /// The low or high words of dwords, in an order of the level.
    fn words<const HIGH: bool>(self, dwords: &Lanes) -> [u16; LANES];

    /// The 64-bit numbers of low and high dwords, in an order of the level.
    fn qwords(self, dwords: [&Lanes; 2]) -> Doubles;

    /// Integers with the order of binary16 numbers: their magnitudes with their signs.
    #[inline(always)]
    fn f16_keys(self, words: &[u16; LANES]) -> [i16; LANES] {
        words.map(|x| {
            let sign = x as i16 >> 15;
            ((x & 0x7fff) as i16 ^ sign).wrapping_sub(sign)
        })
    }

    /// The elements of a table, by the index of each lane.
    #[inline(always)]
    fn look_up(self, table: &[u16; 32], indices: &[u16; LANES]) -> [u16; LANES] {
        indices.map(|index| table[index as usize % 32])
    }

    /// One bit per lane: the results of a test in lanes in the level's order for elements as wide as `B`.
    fn masks<B: Bools, const N: usize>(self, test: impl Fn(usize) -> [bool; N]) -> [u64; N];

    /// The lanes whose value is not 0, as a mask.
    #[inline(always)]
    fn nonzero(self, values: &Lanes) -> u64 {
        let [mask] = self.masks::<u32, 1>(|lane| [values[lane] != 0]);
        mask
    }

    /// The value of another lane for each lane: the low bits of `from` are its number. A lane outside `mask` gives 0.
    #[inline(always)]
    fn permuted(self, values: &Lanes, from: &Lanes, mask: u64) -> Lanes {
        let active = lanes::expanded(mask);
        let seen = lanes_of!(lane => values[lane] & active[lane]);
        lanes_of!(lane => seen[from[lane] as usize % LANES])
    }

    // --- floats under an environment; `None` where the level cannot tell

    fn add(self, env: Env, a: &Lanes, b: &Lanes) -> Option<Lanes>;
    fn sub(self, env: Env, a: &Lanes, b: &Lanes) -> Option<Lanes>;
    fn mul(self, env: Env, a: &Lanes, b: &Lanes) -> Option<Lanes>;
    /// a * b rounded, plus c, rounded.
    fn mad(self, env: Env, a: &Lanes, b: &Lanes, c: &Lanes) -> Option<Lanes>;
    fn add64(self, env: Env, a: &Doubles, b: &Doubles) -> Option<Doubles>;
    fn mul64(self, env: Env, a: &Doubles, b: &Doubles) -> Option<Doubles>;

    #[inline(always)]
    fn fma(self, _: Env, _: &Lanes, _: &Lanes, _: &Lanes) -> Option<Lanes> {
        None
    }

    #[inline(always)]
    fn fma64(self, _: Env, _: &Doubles, _: &Doubles, _: &Doubles) -> Option<Doubles> {
        None
    }

    /// a - floor(a).
    #[inline(always)]
    fn fract(self, _: Env, _: &Lanes) -> Option<Lanes> {
        None
    }

    #[inline(always)]
    fn of_i32(self, _: Env, _: &Lanes) -> Option<Lanes> {
        None
    }

    /// Converts to binary16.
    #[inline(always)]
    fn to_f16(self, _: Env, _: &Lanes) -> Option<[u16; LANES]> {
        None
    }

    /// Converts to binary16, rounding towards zero.
    #[inline(always)]
    fn to_f16_rtz(self, _: Env, _: &Lanes) -> Option<[u16; LANES]> {
        None
    }

    /// Converts binary64 to binary32.
    #[inline(always)]
    fn narrow(self, _: Env, _: &Doubles) -> Option<Lanes> {
        None
    }

    // --- guest memory

    /// Loads elements of `N` dwords at the distances `at` from `from`. Lanes outside `mask` keep their values.
    unsafe fn gather<const N: usize>(self, to: &mut [Vgpr; N], from: *const u8, at: &Lanes, mask: u64, readable: u64);

    /// Loads numbers of one or two bytes at the distances `at` from `from`. Lanes outside `mask` get undefined values.
    unsafe fn gather_parts<const BYTES: usize>(self, from: *const u8, at: &Lanes, mask: u64, readable: u64) -> Lanes;

    /// Stores elements of `N` dwords at the distances `at` from `to`, in ascending order of lanes.
    unsafe fn scatter<const N: usize>(self, to: *mut u8, at: &Lanes, from: [&Lanes; N], mask: u64, readable: u64);

    /// Whether the elements of `N` dwords at the distances `at` from `from` equal those of registers.
    unsafe fn holds<const N: usize>(
        self,
        from: *const u8,
        at: &Lanes,
        values: [&Lanes; N],
        mask: u64,
        readable: u64,
    ) -> bool;

    /// Loads consecutive elements of `N` dwords. Lanes outside `mask` keep their values.
    unsafe fn load_elements<const N: usize>(self, to: &mut [Vgpr; N], from: *const u8, mask: u64);

    /// Stores consecutive elements of `N` dwords.
    unsafe fn store_elements<const N: usize>(self, to: *mut u8, from: [&Lanes; N], mask: u64);

    /// Loads consecutive numbers of one or two bytes. Lanes outside `mask` have undefined values.
    unsafe fn load_parts<const BYTES: usize>(self, from: *const u8, mask: u64) -> Lanes;

    /// Stores the lowest one or two bytes of the lanes of `mask` as consecutive numbers.
    unsafe fn store_parts<const BYTES: usize>(self, to: *mut u8, from: &Lanes, mask: u64);
}

/// Integers that are all ones or zero.
pub(crate) trait Bools: Copy {
    const FALSE: Self;
    const TRUE: Self;
    const BITS: u32;
}

macro_rules! bools {
    ($($T:ident)*) => {
        $(
            impl Bools for $T {
                const FALSE: $T = 0;
                const TRUE: $T = !0;
                const BITS: u32 = $T::BITS;
            }
        )*
    };
}

bools! { u8 u16 u32 u64 }

/// The results of a test. The compiler vectorises it well if `B` is as wide as what is tested.
#[inline(always)]
#[allow(clippy::needless_range_loop)] // Several arrays at once.
fn collect<B: Bools, const N: usize>(test: impl Fn(usize) -> [bool; N]) -> [[B; LANES]; N] {
    let mut bools = [[B::FALSE; LANES]; N];
    for lane in 0..LANES {
        let results = test(lane);
        for i in 0..N {
            bools[i][lane] = if results[i] { B::TRUE } else { B::FALSE };
        }
    }
    bools
}

/// Makes a function that chooses a kernel for a [`Level`](crate::Level): the one that is compiled for it, or the
/// portable one, which has a name, too, if this machine cannot run the level. So who calls a kernel need not look at
/// the CPU, and has to keep the contract of its type alone.
macro_rules! by_level {
    ($(#[$meta:meta])* $vis:vis fn $choose:ident, $portable:ident [$($parameters:tt)*] [$($parameter:ident),*]
        -> $Type:ty: $(extern $abi:literal)? fn($($argument:ident: $T:ty),* $(,)?) $(-> $R:ty)?
        = |$host:ident| $body:expr) => {
        #[allow(unused_unsafe)] // Not all kernels have a contract.
        unsafe $(extern $abi)? fn $portable<$($parameters)*>($($argument: $T),*) $(-> $R)? {
            let $host = $crate::host::Portable;
            // SAFETY: the caller keeps the contract of the type.
            unsafe { $body }
        }

        $(#[$meta])*
        $vis fn $choose<$($parameters)*>(level: $crate::Level) -> $Type {
            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt,fma,f16c")]
            unsafe $(extern $abi)? fn avx2<$($parameters)*>($($argument: $T),*) $(-> $R)? {
                // SAFETY: the function is returned only if the CPU has the level; the contract of the type.
                unsafe {
                    let $host = $crate::host::Avx2::new();
                    $body
                }
            }
            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx512f,avx512bw,avx512cd,avx512dq,avx512vl,bmi1,bmi2,lzcnt,popcnt,fma,f16c")]
            unsafe $(extern $abi)? fn avx512<$($parameters)*>($($argument: $T),*) $(-> $R)? {
                // SAFETY: the function is returned only if the CPU has the level; the contract of the type.
                unsafe {
                    let $host = $crate::host::Avx512::new();
                    $body
                }
            }
            match level {
                #[cfg(target_arch = "x86_64")]
                $crate::Level::Avx512 if level.is_available() => avx512::<$($parameter),*>,
                #[cfg(target_arch = "x86_64")]
                $crate::Level::Avx2 if level.is_available() => avx2::<$($parameter),*>,
                _ => $portable::<$($parameter),*>,
            }
        }
    };
}

pub(crate) use by_level;

/// The values of an expression on all levels of this machine, for tests.
#[cfg(test)]
macro_rules! on_levels {
    (|$host:ident| $value:expr) => {{
        let $host = $crate::host::Portable;
        let mut values = vec![$value];
        #[cfg(target_arch = "x86_64")]
        if $crate::Level::Avx2.is_available() {
            // SAFETY: the CPU has the level.
            let $host = unsafe { $crate::host::Avx2::new() };
            values.push($value);
        }
        #[cfg(target_arch = "x86_64")]
        if $crate::Level::Avx512.is_available() {
            // SAFETY: the CPU has the level.
            let $host = unsafe { $crate::host::Avx512::new() };
            values.push($value);
        }
        values
    }};
}

use lanes::lanes_of;
#[cfg(test)]
pub(crate) use on_levels;

/// Plain data as other plain data of the same size.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn cast<A: Plain, B: Plain>(a: A) -> B {
    const { assert!(size_of::<A>() == size_of::<B>()) };
    // SAFETY: the sizes are equal, and all bits are valid in `Plain` types.
    unsafe { std::mem::transmute_copy(&a) }
}

/// Types without invalid bits or padding.
#[cfg(target_arch = "x86_64")]
trait Plain: Copy {}

#[cfg(target_arch = "x86_64")]
mod plain {
    use std::arch::x86_64::{__m256i, __m512i};

    use super::Plain;

    impl Plain for __m256i {}
    impl Plain for __m512i {}
    impl Plain for u16 {}
    impl Plain for i16 {}
    impl Plain for u32 {}
    impl Plain for u64 {}
    impl<T: Plain, const N: usize> Plain for [T; N] {}
}

/// Makes the methods of a level that are functions of its module `functions` for the level's features.
#[cfg(target_arch = "x86_64")]
macro_rules! proven {
    () => {
        proven! {
            fn bits(bools: &Chunk) -> u16;
            fn qwords(dwords: [&Lanes; 2]) -> Doubles;
            fn add(env: Env, a: &Lanes, b: &Lanes) -> Option<Lanes>;
            fn sub(env: Env, a: &Lanes, b: &Lanes) -> Option<Lanes>;
            fn mul(env: Env, a: &Lanes, b: &Lanes) -> Option<Lanes>;
            fn mad(env: Env, a: &Lanes, b: &Lanes, c: &Lanes) -> Option<Lanes>;
            fn fma(env: Env, a: &Lanes, b: &Lanes, c: &Lanes) -> Option<Lanes>;
            fn fract(env: Env, a: &Lanes) -> Option<Lanes>;
            fn of_i32(env: Env, a: &Lanes) -> Option<Lanes>;
            fn to_f16(env: Env, a: &Lanes) -> Option<[u16; LANES]>;
            fn to_f16_rtz(env: Env, a: &Lanes) -> Option<[u16; LANES]>;
            fn narrow(env: Env, a: &Doubles) -> Option<Lanes>;
            fn add64(env: Env, a: &Doubles, b: &Doubles) -> Option<Doubles>;
            fn mul64(env: Env, a: &Doubles, b: &Doubles) -> Option<Doubles>;
            fn fma64(env: Env, a: &Doubles, b: &Doubles, c: &Doubles) -> Option<Doubles>;
        }

        #[inline(always)]
        fn words<const HIGH: bool>(self, dwords: &Lanes) -> [u16; LANES] {
            // SAFETY: `self` proves that the CPU has the features.
            unsafe { functions::words::<HIGH>(dwords) }
        }

        #[inline(always)]
        unsafe fn write(self, dst: *mut u32, new: &Chunk, lanes: u16) {
            // SAFETY: as above, and the caller's promise.
            unsafe { functions::write(dst, new, lanes) }
        }

        #[inline(always)]
        fn masks<B: Bools, const N: usize>(self, test: impl Fn(usize) -> [bool; N]) -> [u64; N] {
            // SAFETY: as above.
            unsafe {
                match B::BITS {
                    16 => collect(test).map(|bools| functions::mask_of_words(&bools)),
                    32 => collect(test).map(|bools| functions::mask_of_dwords(&bools)),
                    _ => collect(test).map(|bools| functions::mask_of_qwords(&bools)),
                }
            }
        }
    };
    ($(fn $name:ident($($argument:ident: $T:ty),*) -> $R:ty;)*) => {
        $(
            #[inline(always)]
            fn $name(self, $($argument: $T),*) -> $R {
                // SAFETY: `self` proves that the CPU has the features.
                unsafe { functions::$name($($argument),*) }
            }
        )*
    };
}

#[cfg(target_arch = "x86_64")]
use proven;

/// The dwords of `lane` in registers.
#[inline(always)]
fn element<const N: usize>(registers: [&Lanes; N], lane: usize) -> [u32; N] {
    let mut element = [0; N];
    for k in 0..N {
        element[k] = registers[k][lane];
    }
    element
}

/// Asks the host to fetch the line of a place, which need not exist: it is not an access.
#[inline(always)]
pub(crate) fn prefetch(_place: *const u8) {
    // SAFETY: the instruction neither reads nor faults.
    #[cfg(target_arch = "x86_64")]
    unsafe {
        std::arch::x86_64::_mm_prefetch::<{ std::arch::x86_64::_MM_HINT_T0 }>(_place.cast());
    }
}

/// Reads one or two bytes.
///
/// # Safety
/// The bytes are in a living backing or in LDS.
#[inline(always)]
pub(crate) unsafe fn read_part<const BYTES: usize>(from: *const u8) -> u32 {
    // SAFETY: the caller's promise.
    unsafe { if BYTES == 1 { moves::read8(from) } else { moves::read16(from) } }
}

/// Writes the lowest one or two bytes.
///
/// # Safety
/// The bytes are in a living backing or in LDS.
#[inline(always)]
pub(crate) unsafe fn write_part<const BYTES: usize>(to: *mut u8, value: u32) {
    // SAFETY: the caller's promise.
    unsafe { if BYTES == 1 { moves::write8(to, value) } else { moves::write16(to, value) } }
}

/// Reads one to four dwords, at any address.
///
/// # Safety
/// The bytes are in a living backing or in LDS.
#[inline(always)]
pub(crate) unsafe fn read<const N: usize>(from: *const u8) -> [u32; N] {
    let mut values = [0; N];
    for (k, values) in values.chunks_mut(2).enumerate() {
        let from = from.wrapping_add(8 * k);
        // SAFETY: the caller's promise.
        unsafe {
            match values {
                [low, high] => {
                    let both = read64(from);
                    (*low, *high) = (both as u32, (both >> 32) as u32);
                }
                _ => values[0] = read32(from),
            }
        }
    }
    values
}

/// Writes one to four dwords, at any address.
///
/// # Safety
/// The bytes are in a living backing or in LDS.
#[inline(always)]
pub(crate) unsafe fn write<const N: usize>(to: *mut u8, values: [u32; N]) {
    for (k, values) in values.chunks(2).enumerate() {
        let to = to.wrapping_add(8 * k);
        // SAFETY: the caller's promise.
        unsafe {
            match *values {
                [low, high] => write64(to, low as u64 | (high as u64) << 32),
                _ => write32(to, values[0]),
            }
        }
    }
}

/// Copies `N` dwords, at any addresses.
///
/// # Safety
/// The bytes are in living backings, in LDS, or in memory of the caller.
#[inline(always)]
pub(crate) unsafe fn copy_element<const N: usize>(to: *mut u8, from: *const u8) {
    // SAFETY: the caller's promise.
    unsafe {
        for at in (0..4 * N).step_by(8) {
            let (to, from) = (to.wrapping_add(at), from.wrapping_add(at));
            // Vector instructions of the baseline are slow beside those of AVX-512.
            if at + 8 <= 4 * N { write64(to, read64(from)) } else { write32(to, read32(from)) }
        }
    }
}
