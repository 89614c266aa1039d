//! Shapes of lane functions.
//!
//! A kernel is a generic function over the *type* of a lane function, which has no size: function items, and closures
//! that capture nothing. [`LaneFn`] makes functions of different shapes alike; which shape it is, a marker type says
//! ([`Pure`], [`Controlled`], [`Float`], ...), so that a function's arguments give the kernel's operand types.

use super::Control;
use super::float::FloatMode;
use super::operand::{Operand, Value};

/// What a lane function of integers may need besides its sources.
#[derive(Clone, Copy, Debug)]
pub struct LaneControl {
    /// Number of the lane, 0..=63.
    pub lane: u32,
    /// The lane's bit of the mask that the instruction reads.
    pub mask: bool,
    /// CLAMP: saturate.
    pub clamp: bool,
}

/// What a kernel makes of its control block before the first lane.
pub(super) trait LaneMode: Copy {
    /// Reads the control block; `MODIFIED` as in [`super::machine::run`].
    fn of<const MODIFIED: bool>(control: &Control) -> Self;
}

impl LaneMode for () {
    #[inline(always)]
    fn of<const MODIFIED: bool>(_: &Control) {}
}

impl LaneMode for FloatMode {
    #[inline(always)]
    fn of<const MODIFIED: bool>(control: &Control) -> FloatMode {
        FloatMode::new::<MODIFIED>(control)
    }
}

/// How a kernel goes through the lanes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Style {
    /// All lanes of a chunk in a loop that the compiler vectorises; what inactive lanes give is thrown away.
    All,
    /// So with [`LaneFn::fast`], then the active lanes that it did not get right one by one.
    FastThenExact,
    /// Active lanes one by one.
    Active,
}

/// A lane function in the shape that `M` marks.
pub(super) trait LaneFn<M>: Copy + 'static {
    /// Sources; `()` if absent.
    type S0: Operand;
    /// The second one.
    type S1: Operand;
    /// The third one, or the accumulator.
    type S2: Operand;
    /// Result.
    type D: Value;
    /// Of the whole kernel.
    type Mode: LaneMode;
    /// There is a mask result.
    const HAS_MASK: bool;
    /// How to go through the lanes.
    const STYLE: Style;

    /// Result and mask bit of a lane; adds to the notes.
    fn call(
        self,
        mode: &Self::Mode,
        control: LaneControl,
        sources: (Self::S0, Self::S1, Self::S2),
        notes: &mut u32,
    ) -> (Self::D, bool);

    /// Result, mask bit, and whether they are what [`LaneFn::call`] would give without a note.
    #[inline(always)]
    fn fast(self, _: &Self::Mode, _: (Self::S0, Self::S1, Self::S2)) -> Option<(Self::D, bool, bool)> {
        None
    }
}

/// What a lane function returns: a value, or a value and a bit of a mask result.
pub(super) trait Outcome {
    /// The value.
    type D: Value;
    /// There is a bit.
    const HAS_MASK: bool;

    /// Value and bit.
    fn split(self) -> (Self::D, bool);
}

impl<D: Value> Outcome for D {
    type D = D;
    const HAS_MASK: bool = false;

    #[inline(always)]
    fn split(self) -> (D, bool) {
        (self, false)
    }
}

impl<D: Value> Outcome for (D, bool) {
    type D = D;
    const HAS_MASK: bool = true;

    #[inline(always)]
    fn split(self) -> (D, bool) {
        self
    }
}

/// `fn(sources) -> outcome`.
pub(super) struct Pure<A, R>(A, R);

/// `fn(&LaneControl, sources) -> outcome`.
pub(super) struct Controlled<A, R>(A, R);

/// `fn(&LaneControl, sources, &mut notes) -> outcome`.
pub(super) struct Noting<A, R>(A, R);

/// `fn(&FloatMode, sources, &mut notes) -> outcome`, lane by lane.
pub(super) struct Float<A, R>(A, R);

/// As [`Float`] with the lane's bit of the mask that the instruction reads as a `bool` after the sources.
pub(super) struct FloatMask<A, R>(A, R);

/// A pair of functions: `fn(&FloatMode, sources) -> (outcome, bool)`, fast, and the shape of [`Float`].
pub(super) struct Fast<A, R>(A, R);

/// The shape of [`Pure`] with sources and result of 16 bits, for each half.
pub(super) struct PackedPure<A>(A);

/// The shape of [`Controlled`] with sources and result of 16 bits, for each half.
pub(super) struct PackedControlled<A>(A);

/// The shape of [`Float`] with sources and result of 16 bits, for each half.
pub(super) struct PackedFloat<A>(A);

/// The types of the sources; `()` for those that are not there.
macro_rules! source_types {
    ($A:ty $(,)?) => { source_types! { $A, (), () } };
    ($A:ty, $B:ty $(,)?) => { source_types! { $A, $B, () } };
    ($A:ty, $B:ty, $C:ty $(,)?) => {
        type S0 = $A;
        type S1 = $B;
        type S2 = $C;
    };
}

/// One shape: its marker, generics and bounds; sources; outcome; how to go through the lanes; the call.
macro_rules! shape {
    (
        $Marker:ty, [$($generics:tt)*] $Self:ty where [$($bounds:tt)*], sources: [$($T:ty),*], outcome: $R:ty,
        mode: $Mode:ty, style: $style:ident,
        |$f:ident, $mode:ident, $control:ident, $s:ident, $notes:ident| $call:expr
        $(, fast: |$g:ident, $fast_mode:ident, $fast_s:ident| $fast:expr)?
    ) => {
        impl<$($generics)*> LaneFn<$Marker> for $Self
        where
            $($bounds)*
        {
            source_types! { $($T),* }
            type D = <$R as Outcome>::D;
            type Mode = $Mode;
            const HAS_MASK: bool = <$R as Outcome>::HAS_MASK;
            const STYLE: Style = Style::$style;

            #[inline(always)]
            #[allow(unused_variables)]
            fn call(
                self,
                $mode: &$Mode,
                $control: LaneControl,
                $s: (Self::S0, Self::S1, Self::S2),
                $notes: &mut u32,
            ) -> (Self::D, bool) {
                let $f = self;
                Outcome::split($call)
            }

            $(
                #[inline(always)]
                fn fast(
                    self,
                    $fast_mode: &$Mode,
                    $fast_s: (Self::S0, Self::S1, Self::S2),
                ) -> Option<(Self::D, bool, bool)> {
                    let $g = self;
                    let (outcome, is_right) = $fast;
                    let (value, bit) = Outcome::split(outcome);
                    Some((value, bit, is_right))
                }
            )?
        }
    };
}

macro_rules! both_halves {
    ($T:ident) => { [u16; 2] };
}

macro_rules! half {
    ($T:ident) => { u16 };
}

/// All shapes for some number of sources.
macro_rules! shapes {
    ($($T:ident $i:tt),*) => {
        shape! {
            Pure<($($T,)*), R>, [F, R: Outcome, $($T: Operand),*] F where [F: Fn($($T),*) -> R + Copy + 'static],
            sources: [$($T),*], outcome: R, mode: (), style: All,
            |f, mode, control, s, notes| f($(s.$i),*)
        }
        shape! {
            Controlled<($($T,)*), R>, [F, R: Outcome, $($T: Operand),*] F
            where [F: Fn(&LaneControl, $($T),*) -> R + Copy + 'static],
            sources: [$($T),*], outcome: R, mode: (), style: All,
            |f, mode, control, s, notes| f(&control, $(s.$i),*)
        }
        shape! {
            Noting<($($T,)*), R>, [F, R: Outcome, $($T: Operand),*] F
            where [F: Fn(&LaneControl, $($T,)* &mut u32) -> R + Copy + 'static],
            sources: [$($T),*], outcome: R, mode: (), style: All,
            |f, mode, control, s, notes| f(&control, $(s.$i,)* notes)
        }
        shape! {
            Float<($($T,)*), R>, [F, R: Outcome, $($T: Operand),*] F
            where [F: Fn(&FloatMode, $($T,)* &mut u32) -> R + Copy + 'static],
            sources: [$($T),*], outcome: R, mode: FloatMode, style: Active,
            |f, mode, control, s, notes| f(mode, $(s.$i,)* notes)
        }
        shape! {
            FloatMask<($($T,)*), R>, [F, R: Outcome, $($T: Operand),*] F
            where [F: Fn(&FloatMode, $($T,)* bool, &mut u32) -> R + Copy + 'static],
            sources: [$($T),*], outcome: R, mode: FloatMode, style: Active,
            |f, mode, control, s, notes| f(mode, $(s.$i,)* control.mask, notes)
        }
        shape! {
            Fast<($($T,)*), R>, [Q, F, R: Outcome, $($T: Operand),*] (Q, F)
            where [
                Q: Fn(&FloatMode, $($T),*) -> (R, bool) + Copy + 'static,
                F: Fn(&FloatMode, $($T,)* &mut u32) -> R + Copy + 'static
            ],
            sources: [$($T),*], outcome: R, mode: FloatMode, style: FastThenExact,
            |f, mode, control, s, notes| f.1(mode, $(s.$i,)* notes),
            fast: |f, mode, s| f.0(mode, $(s.$i),*)
        }
        shape! {
            PackedPure<($(both_halves!($T),)*)>, [F] F where [F: Fn($(half!($T)),*) -> u16 + Copy + 'static],
            sources: [$(both_halves!($T)),*], outcome: [u16; 2], mode: (), style: All,
            |f, mode, control, s, notes| [0, 1].map(|half| f($(s.$i[half]),*))
        }
        shape! {
            PackedControlled<($(both_halves!($T),)*)>, [F] F
            where [F: Fn(&LaneControl, $(half!($T)),*) -> u16 + Copy + 'static],
            sources: [$(both_halves!($T)),*], outcome: [u16; 2], mode: (), style: All,
            |f, mode, control, s, notes| [0, 1].map(|half| f(&control, $(s.$i[half]),*))
        }
        shape! {
            PackedFloat<($(both_halves!($T),)*)>, [F] F
            where [F: Fn(&FloatMode, $(half!($T),)* &mut u32) -> u16 + Copy + 'static],
            sources: [$(both_halves!($T)),*], outcome: [u16; 2], mode: FloatMode, style: Active,
            |f, mode, control, s, notes| [0, 1].map(|half| f(mode, $(s.$i[half],)* notes))
        }
    };
}

shapes! { A 0 }
shapes! { A 0, B 1 }
shapes! { A 0, B 1, C 2 }

/// A lane function out of nothing: it has no size.
#[inline(always)]
pub(super) fn conjure<F: Copy + 'static>() -> F {
    const { assert!(size_of::<F>() == 0, "a lane function captures nothing") };
    // SAFETY: a value without size has no invalid bits, and `F: Copy`; one existed when the kernel was chosen.
    unsafe { std::ptr::NonNull::<F>::dangling().read() }
}
