//! The loops over lanes: [`lanes!`], [`float_lanes!`] and [`halves!`] wrap the function of an instruction into a
//! [`Body`]. A body gets sources that are ready (selected, moved, with their signs changed) and gives results that are
//! not modified yet. Everything around it is the same for all instructions (`drive.rs`). So only the loop is compiled
//! for each instruction. It is plain code over dwords, which the compiler vectorises, for AVX-512 and AVX2 too.
//!
//! A body computes all lanes, active or not. Functions of lanes have no effects besides their results and notes.

use gcnsim_isa::{LANES, Pred, Vgpr};

use crate::float::Fp;

/// The inputs of a body. If an instruction lacks a source or a dword of it, another register stands in its place.
pub(crate) struct Call<'a> {
    /// The settings of float arithmetic.
    pub fp: &'a Fp,
    /// CLAMP, for integers.
    pub clamp: bool,
    /// Predicate of a compare.
    pub pred: Pred,
    /// One bit per lane: set if the lane takes part.
    pub active: u64,
    /// The lane mask that the instruction reads, by lane: not 0 if the bit is set.
    pub mask: &'a Vgpr,
    /// Source 0: low dword, then high dword.
    pub s0: [&'a Vgpr; 2],
    /// Source 1.
    pub s1: [&'a Vgpr; 2],
    /// Source 2, up to four dwords.
    pub s2: [&'a Vgpr; 4],
    /// The old destination.
    pub d: [&'a Vgpr; 4],
}

/// The results of a body besides the dwords of VGPRs.
#[derive(Clone, Copy, Default)]
pub(crate) struct Done {
    /// One bit per lane, for instructions with such a result. Bits of inactive lanes mean nothing.
    pub mask: u64,
    /// Notes of active lanes, as bits of [`super::lane::LaneNote`].
    pub notes: u32,
}

/// Computes 64 lanes. The slice takes the dwords of the result.
pub(crate) type Body = fn(&Call, &mut [Vgpr]) -> Done;

/// The value of a source in a lane.
pub(crate) trait Element: Copy {
    fn of_lane(dwords: &[&Vgpr], lane: usize) -> Self;
}

/// The value of a result in a lane.
pub(crate) trait Result {
    /// The registers that take it.
    type Dwords<'a>;
    /// The first registers of a slice, as many as the result needs.
    fn dwords(out: &mut [Vgpr]) -> Option<Self::Dwords<'_>>;
    fn put(self, out: &mut Self::Dwords<'_>, lane: usize);
}

macro_rules! elements {
    ($($T:ident)*) => { $(
        impl Element for $T {
            #[inline(always)]
            fn of_lane(dwords: &[&Vgpr], lane: usize) -> $T {
                dwords[0].0[lane] as $T
            }
        }

        impl Result for $T {
            type Dwords<'a> = &'a mut Vgpr;

            #[inline(always)]
            fn dwords(out: &mut [Vgpr]) -> Option<&mut Vgpr> {
                out.first_mut()
            }

            #[inline(always)]
            fn put(self, out: &mut &mut Vgpr, lane: usize) {
                // 16 bits go to the low half, whatever their sign.
                out.0[lane] = (self as u32) << (32 - $T::BITS) >> (32 - $T::BITS);
            }
        }
    )* };
}

elements! { u16 i16 u32 i32 }

macro_rules! wide_elements {
    ($($T:ident)*) => { $(
        impl Element for $T {
            #[inline(always)]
            fn of_lane(dwords: &[&Vgpr], lane: usize) -> $T {
                dwords[0].0[lane] as $T | (dwords[1].0[lane] as $T) << 32
            }
        }

        impl Result for $T {
            type Dwords<'a> = &'a mut [Vgpr; 2];

            #[inline(always)]
            fn dwords(out: &mut [Vgpr]) -> Option<&mut [Vgpr; 2]> {
                out.first_chunk_mut()
            }

            #[inline(always)]
            fn put(self, [low, high]: &mut &mut [Vgpr; 2], lane: usize) {
                low.0[lane] = self as u32;
                high.0[lane] = (self >> 32) as u32;
            }
        }
    )* };
}

wide_elements! { u64 i64 }

impl Element for u128 {
    #[inline(always)]
    fn of_lane(dwords: &[&Vgpr], lane: usize) -> u128 {
        (0..4).fold(0, |value, i| value | u128::from(dwords[i].0[lane]) << (32 * i))
    }
}

impl Result for u128 {
    type Dwords<'a> = &'a mut [Vgpr; 4];

    #[inline(always)]
    fn dwords(out: &mut [Vgpr]) -> Option<&mut [Vgpr; 4]> {
        out.first_chunk_mut()
    }

    #[inline(always)]
    fn put(self, out: &mut &mut [Vgpr; 4], lane: usize) {
        for (i, out) in out.iter_mut().enumerate() {
            out.0[lane] = (self >> (32 * i)) as u32;
        }
    }
}

/// The registers that take the results of one type.
pub(crate) struct Output<'a, R: Result>(R::Dwords<'a>);

impl<'a, R: Result> Output<'a, R> {
    #[inline(always)]
    pub fn new(out: &'a mut [Vgpr]) -> Option<Output<'a, R>> {
        R::dwords(out).map(Output)
    }

    #[inline(always)]
    pub fn put(&mut self, lane: usize, result: R) {
        result.put(&mut self.0, lane);
    }
}

/// The value of one half of a packed source.
pub(crate) trait Half {
    fn of(bits: u16) -> Self;
    fn bits(self) -> u32;
}

impl Half for u16 {
    #[inline(always)]
    fn of(bits: u16) -> u16 {
        bits
    }

    #[inline(always)]
    fn bits(self) -> u32 {
        self as u32
    }
}

impl Half for i16 {
    #[inline(always)]
    fn of(bits: u16) -> i16 {
        bits as i16
    }

    #[inline(always)]
    fn bits(self) -> u32 {
        self as u16 as u32
    }
}

/// Collects the notes of all lanes. If a function raises none, the compiler removes this.
pub(crate) struct Noted {
    any: u32,
    of_lane: [u32; LANES],
}

impl Noted {
    #[inline(always)]
    pub fn new() -> Noted {
        Noted { any: 0, of_lane: [0; LANES] }
    }

    #[inline(always)]
    pub fn put(&mut self, lane: usize, notes: u32) {
        self.any |= notes;
        self.of_lane[lane] = notes;
    }

    /// The notes of active lanes.
    #[inline(always)]
    pub fn under(&self, active: u64) -> u32 {
        if self.any == 0 { 0 } else { notes_under(active, &self.of_lane) }
    }
}

#[cold]
#[inline(never)]
fn notes_under(active: u64, of_lane: &[u32; LANES]) -> u32 {
    of_lane
        .iter()
        .enumerate()
        .fold(0, |notes, (lane, &of_lane)| notes | if active >> lane & 1 == 1 { of_lane } else { 0 })
}

/// Defines instructions: for each the function of one lane, with the name of the mnemonic ([`super::lane`] says what it
/// gets). The module `rows` has a function of the same name. It makes the [`super::op::Action`]: a loop over lanes. The
/// names of the arguments say what they are: `x` is the [`super::lane::Lane`], `s0`, `s1` and `s2` are the sources, `d`
/// is the old destination, `mask` the bit of the lane mask, and `id` the number of the lane. A function that returns
/// `(result, bool)` has a mask result, too.
///
/// Debug builds have the loop only for the host's baseline: three versions of some hundred loops take long to compile.
/// Release runs of the conformance vectors execute the others.
macro_rules! lanes {
    ($($functions:tt)*) => {
        $crate::vector::body::instructions! {
            [#[inline(always)]]
            [each_lane #[cfg_attr(
                not(debug_assertions),
                multiversion::multiversion(targets("x86_64+avx512f+avx512bw+avx512dq+avx512vl", "x86_64+avx2"))
            )]]
            $($functions)*
        }
    };
}
pub(crate) use lanes;

/// Defines a body like [`lanes!`], for functions of floats, which are too large for computing lanes side by side.
/// `=> fast::f` before the body names a function that may do all lanes at once, given the low dwords of the
/// sources. It returns whether it did.
macro_rules! float_lanes {
    ($($functions:tt)*) => { $crate::vector::body::instructions! { [] [each_lane] $($functions)* } };
}
pub(crate) use float_lanes;

/// Defines a body like [`lanes!`], for functions over one half of packed sources. Their results are that half.
macro_rules! halves {
    ($($functions:tt)*) => {
        $crate::vector::body::instructions! {
            [#[inline(always)]]
            [each_half #[cfg_attr(
                not(debug_assertions),
                multiversion::multiversion(targets("x86_64+avx512f+avx512bw+avx512dq+avx512vl", "x86_64+avx2"))
            )]]
            $($functions)*
        }
    };
}
pub(crate) use halves;

/// Defines a body like [`halves!`], for functions of floats.
macro_rules! float_halves {
    ($($functions:tt)*) => { $crate::vector::body::instructions! { [] [each_half] $($functions)* } };
}
pub(crate) use float_halves;

/// The common part of the macros above: the attributes of the functions, then the loop and its attributes.
macro_rules! instructions {
    (@ [$(#[$attribute:meta])*] $(#[doc = $doc:literal])* fn $name:ident($($arg:ident: $T:ty),*) -> $R:tt $body:block) => {
        $(#[doc = $doc])*
        $(#[$attribute])*
        pub(crate) fn $name($($arg: $T),*) -> $R $body
    };
    (@ [$each:ident $(#[$attribute:meta])*] $name:ident($($arg:ident: $T:ty),*) -> $R:tt $(=> $fast:ident)?) => {
        $crate::vector::body::$each! { [$(#[$attribute])*] $name($($arg)*) -> $R $(=> $fast)? }
    };
    (
        $of_function:tt $of_loop:tt
        $($(#[doc = $doc:literal])* fn $name:ident $args:tt -> $R:tt $(=> fast::$fast:ident)? $body:block)*
    ) => {
        $($crate::vector::body::instructions! {
            @ $of_function $(#[doc = $doc])* fn $name $args -> $R $body
        })*

        /// The actions of the instructions above.
        pub(crate) mod rows {
            use crate::vector::op::Action;

            $(pub fn $name() -> Action {
                $crate::vector::body::instructions! { @ $of_loop $name $args -> $R $(=> $fast)? }
            })*
        }
    };
}
pub(crate) use instructions;

/// An action that calls a function for each lane. The attributes of the loop come first.
macro_rules! each_lane {
    ([$(#[$attribute:meta])*] $name:ident $args:tt -> $R:tt $(=> $fast:ident)?) => {{
        $(#[$attribute])*
        fn body(
            call: &$crate::vector::body::Call,
            out: &mut [gcnsim_isa::Vgpr],
        ) -> $crate::vector::body::Done {
            use $crate::vector::body::{Done, Noted, Output};
            use $crate::vector::lane::{Lane, LaneNotes};
            $(
                let [first, ..] = out else { return Done::default() };
                let [a, b, c] = $crate::vector::body::each_lane!(@fast call $args);
                if $crate::float::fast::$fast(call.fp, a, b, c, &mut first.0) {
                    return Done::default();
                }
            )?
            let Some(mut out) = Output::new(out) else { return Done::default() };
            let mut noted = Noted::new();
            let mut bits = [0u8; gcnsim_isa::LANES];
            #[allow(clippy::needless_range_loop)] // Other arrays are indexed too.
            for lane in 0..gcnsim_isa::LANES {
                let own = &mut Lane { fp: call.fp, clamp: call.clamp, notes: LaneNotes::NONE };
                let result = $crate::vector::body::each_lane!(@call $name $args call lane own);
                let (result, bit) = $crate::vector::body::each_lane!(@result $R result);
                bits[lane] = if bit { u8::MAX } else { 0 };
                out.put(lane, result);
                noted.put(lane, own.notes.0);
            }
            let mask = $crate::vector::body::each_lane!(@mask $R bits);
            Done { mask, notes: noted.under(call.active) }
        }
        Action::Lanes(body)
    }};
    (@call $name:ident($($arg:ident)*) $call:ident $lane:ident $own:ident) => {
        super::$name($($crate::vector::body::each_lane!(@ $arg $call $lane $own)),*)
    };
    (@ x $call:ident $lane:ident $own:ident) => { $own };
    (@ id $call:ident $lane:ident $own:ident) => { $lane as u32 };
    (@ mask $call:ident $lane:ident $own:ident) => { $call.mask.0[$lane] != 0 };
    (@ $arg:ident $call:ident $lane:ident $own:ident) => {
        $crate::vector::body::Element::of_lane(&$call.$arg, $lane)
    };
    (@result ($D:ident, bool) $result:ident) => { $result };
    (@result $D:ident $result:ident) => { ($result, false) };
    (@mask ($D:ident, bool) $bits:ident) => { $crate::lanes::bits_of(&$bits) };
    (@mask $D:ident $bits:ident) => { 0 };
    (@fast $call:ident (x $($arg:ident)*)) => { $crate::vector::body::each_lane!(@fast $call ($($arg)*)) };
    (@fast $call:ident ($a:ident)) => { [&$call.$a[0].0; 3] };
    (@fast $call:ident ($a:ident $b:ident)) => { [&$call.$a[0].0, &$call.$b[0].0, &$call.$b[0].0] };
    (@fast $call:ident ($a:ident $b:ident $c:ident)) => { [&$call.$a[0].0, &$call.$b[0].0, &$call.$c[0].0] };
}
pub(crate) use each_lane;

/// An action that calls a function for both halves of each lane. The attributes of the loop come first.
macro_rules! each_half {
    ([$(#[$attribute:meta])*] $name:ident($($arg:ident)*) -> $R:tt) => {{
        $(#[$attribute])*
        fn body(
            call: &$crate::vector::body::Call,
            out: &mut [gcnsim_isa::Vgpr],
        ) -> $crate::vector::body::Done {
            use $crate::vector::body::{Done, Half, Noted};
            use $crate::vector::lane::{Lane, LaneNotes};
            let [out, ..] = out else { return Done::default() };
            let mut noted = Noted::new();
            for lane in 0..gcnsim_isa::LANES {
                let own = &mut Lane { fp: call.fp, clamp: call.clamp, notes: LaneNotes::NONE };
                let low = super::$name($($crate::vector::body::each_half!(@ $arg call lane own 0)),*);
                let high = super::$name($($crate::vector::body::each_half!(@ $arg call lane own 16)),*);
                out.0[lane] = Half::bits(low) | Half::bits(high) << 16;
                noted.put(lane, own.notes.0);
            }
            Done { mask: 0, notes: noted.under(call.active) }
        }
        Action::Lanes(body)
    }};
    (@ x $call:ident $lane:ident $own:ident $from:literal) => { $own };
    (@ $arg:ident $call:ident $lane:ident $own:ident $from:literal) => {
        Half::of(($call.$arg[0].0[$lane] >> $from) as u16)
    };
}
pub(crate) use each_half;
