//! The shapes of lane functions.
//!
//! A helper is a generic function over the *type* of a lane function. Function items, and closures that capture
//! nothing, have types without size. [`LaneFn`] gives functions of different shapes one interface. A marker type tells
//! the shape ([`Pure`], [`Controlled`], [`Float`], ...), so that a function's arguments decide on the helper's operand
//! types.

use gcnsim_isa::Arch;

use super::float::{self, FloatMode};
use super::operand::{Operand, Value};
use super::{Control, Flags};

/// The inputs that a lane function of integers may need besides its sources.
#[derive(Clone, Copy, Debug)]
pub struct LaneControl {
    /// Number of the lane, 0..=63.
    pub lane: u32,
    /// The lane's bit of the mask that the instruction reads.
    pub mask: bool,
    /// CLAMP: the result saturates.
    pub clamp: bool,
}

/// The values that a helper computes from its control block before the first lane.
pub(super) trait LaneMode: Copy {
    /// Reads the control block. `MODIFIED` is explained in [`super::machine::Choice`].
    fn of<const MODIFIED: bool>(control: &Control) -> Self;

    /// The mode for fast paths of floats.
    fn float(&self) -> Option<&FloatMode> {
        None
    }
}

impl LaneMode for () {
    #[inline(always)]
    fn of<const MODIFIED: bool>(_: &Control) {}
}

/// Everything that float instructions depend on besides their sources.
#[derive(Clone, Copy)]
pub(super) struct FloatControl {
    mode: FloatMode,
    omod: u32,
    clamp: bool,
}

impl LaneMode for FloatControl {
    #[inline(always)]
    fn of<const MODIFIED: bool>(control: &Control) -> FloatControl {
        let mode = FloatMode::new(control.mode, arch(control.arch));
        let flags = if MODIFIED { Flags(control.flags) } else { Flags(0) };
        FloatControl { mode, omod: flags.omod(), clamp: flags.clamp() }
    }

    #[inline(always)]
    fn float(&self) -> Option<&FloatMode> {
        Some(&self.mode)
    }
}

/// The generation for a number that compiled code wrote.
#[inline(always)]
const fn arch(number: u32) -> Arch {
    match number {
        0 => Arch::Gcn10,
        1 => Arch::Gcn11,
        2 => Arch::Gcn12,
        3 => Arch::Gfx810,
        4 => Arch::Gcn14,
        5 => Arch::Gfx904,
        _ => Arch::Gcn141,
    }
}

const _: () = {
    let mut number = 0;
    while number < Arch::ALL.len() {
        assert!(arch(number as u32) as usize == number);
        number += 1;
    }
};

/// Applies OMOD and CLAMP to a float result, which the type of its bits tells. Other results have neither.
pub(super) trait Finish: Value {
    /// Applies OMOD 0 to 3.
    fn omod(self, mode: &FloatMode, code: u32, notes: &mut u32) -> Self;
    /// Applies CLAMP.
    fn clamp_float(self, mode: &FloatMode) -> Self;
}

macro_rules! finish {
    ($($T:ident $omod:ident $clamp:ident)*) => {
        $(
            impl Finish for $T {
                #[inline(always)]
                fn omod(self, mode: &FloatMode, code: u32, notes: &mut u32) -> $T {
                    float::$omod(mode, code, self, notes)
                }

                #[inline(always)]
                fn clamp_float(self, mode: &FloatMode) -> $T {
                    float::$clamp(mode, self)
                }
            }
        )*
    };
}

finish! { u16 omod_f16 clamp_f16 u32 omod_f32 clamp_f32 u64 omod_f64 clamp_f64 }

impl Finish for [u16; 2] {
    #[inline(always)]
    fn omod(self, mode: &FloatMode, code: u32, notes: &mut u32) -> [u16; 2] {
        self.map(|half| half.omod(mode, code, notes))
    }

    #[inline(always)]
    fn clamp_float(self, mode: &FloatMode) -> [u16; 2] {
        self.map(|half| half.clamp_float(mode))
    }
}

impl FloatControl {
    #[inline(always)]
    fn finish<D: Finish>(&self, value: D, notes: &mut u32) -> D {
        let scaled = if self.omod == 0 { value } else { value.omod(&self.mode, self.omod, notes) };
        if self.clamp { scaled.clamp_float(&self.mode) } else { scaled }
    }
}

/// The way in which a helper processes lanes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Style {
    /// All lanes of a chunk are computed in a loop that the compiler vectorises. Results of inactive lanes are dropped.
    All,
    /// The fast path in the control block computes all lanes. If there is none or it declines, active lanes are
    /// computed one by one.
    Float,
}

/// A lane function in the shape that `M` marks.
pub(super) trait LaneFn<M>: Copy + 'static {
    /// The type of source 0; `()` if it is absent.
    type S0: Operand;
    /// The type of source 1.
    type S1: Operand;
    /// The type of source 2, or of the accumulator.
    type S2: Operand;
    /// The type of the result.
    type D: Value;
    /// The mode of the helper.
    type Mode: LaneMode;
    /// Whether there is a mask result.
    const HAS_MASK: bool;
    /// Whether [`Flags`] can make a difference.
    const TAKES_MODIFIERS: bool = true;
    /// The way in which it processes lanes.
    const STYLE: Style;

    /// Computes the result and the mask bit of a lane. Adds to the notes.
    fn call(
        self,
        mode: &Self::Mode,
        control: LaneControl,
        sources: (Self::S0, Self::S1, Self::S2),
        notes: &mut u32,
    ) -> (Self::D, bool);

    /// Applies OMOD and CLAMP to a result.
    #[inline(always)]
    fn finish(_: &Self::Mode, value: Self::D, _: &mut u32) -> Self::D {
        value
    }
}

/// The result of a lane function: a value, or a value and one bit of a mask result.
pub(super) trait Outcome {
    /// The value.
    type D: Value;
    /// Whether there is a bit.
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

/// The shape `fn(sources) -> outcome`.
pub(super) struct Pure<A, R>(A, R);

/// The shape `fn(&LaneControl, sources) -> outcome`.
pub(super) struct Controlled<A, R>(A, R);

/// The shape `fn(&LaneControl, sources, &mut notes) -> outcome`.
pub(super) struct Noting<A, R>(A, R);

/// The shape `fn(&FloatMode, sources, &mut notes) -> outcome`.
pub(super) struct Float<A, R>(A, R);

/// The shape of [`Float`] with a further source, a `bool`: the lane's bit of the mask that the instruction reads.
pub(super) struct FloatMask<A, R>(A, R);

/// The shape of [`Pure`] with sources and result of 16 bits, for each half.
pub(super) struct PackedPure<A>(A);

/// The shape of [`Controlled`] with sources and result of 16 bits, for each half.
pub(super) struct PackedControlled<A>(A);

/// The shape of [`Float`] with sources and result of 16 bits, for each half.
pub(super) struct PackedFloat<A>(A);

/// The types of the sources; `()` for missing ones.
macro_rules! source_types {
    ($A:ty $(,)?) => {
        source_types! { $A, (), () }
    };
    ($A:ty, $B:ty $(,)?) => {
        source_types! { $A, $B, () }
    };
    ($A:ty, $B:ty, $C:ty $(,)?) => {
        type S0 = $A;
        type S1 = $B;
        type S2 = $C;
    };
}

/// Defines one shape: its marker, generics and bounds; sources; outcome; the way in which lanes are processed; the
/// call.
macro_rules! shape {
    (
        $Marker:ty, [$($generics:tt)*] $Self:ty where [$($bounds:tt)*], sources: [$($T:ty),*], outcome: $R:ty,
        mode: $Mode:ty, style: $style:ident,
        |$f:ident, $mode:ident, $control:ident, $s:ident, $notes:ident| $call:expr
        $(, finish: $finish:ident)? $(, modifiers: $modifiers:expr)?
    ) => {
        impl<$($generics)*> LaneFn<$Marker> for $Self
        where
            $($bounds)*
        {
            source_types! { $($T),* }
            type D = <$R as Outcome>::D;
            type Mode = $Mode;
            const HAS_MASK: bool = <$R as Outcome>::HAS_MASK;
            $(const TAKES_MODIFIERS: bool = $modifiers;)?
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
                $call
            }

            $(
                #[inline(always)]
                fn $finish(mode: &$Mode, value: Self::D, notes: &mut u32) -> Self::D {
                    mode.finish(value, notes)
                }
            )?
        }
    };
}

macro_rules! both_halves {
    ($T:ident) => {
        [u16; 2]
    };
}

macro_rules! half {
    ($T:ident) => {
        u16
    };
}

/// Defines all shapes for some number of sources.
macro_rules! shapes {
    ($($T:ident $i:tt),*) => {
        shape! {
            Pure<($($T,)*), R>, [F, R: Outcome, $($T: Operand),*] F where [F: Fn($($T),*) -> R + Copy + 'static],
            sources: [$($T),*], outcome: R, mode: (), style: All,
            |f, mode, control, s, notes| f($(s.$i),*).split(),
            modifiers: <R::D as Value>::IS_HALF $(|| $T::HALVES)*
        }
        shape! {
            Controlled<($($T,)*), R>, [F, R: Outcome, $($T: Operand),*] F
            where [F: Fn(&LaneControl, $($T),*) -> R + Copy + 'static],
            sources: [$($T),*], outcome: R, mode: (), style: All,
            |f, mode, control, s, notes| f(&control, $(s.$i),*).split()
        }
        shape! {
            Noting<($($T,)*), R>, [F, R: Outcome, $($T: Operand),*] F
            where [F: Fn(&LaneControl, $($T,)* &mut u32) -> R + Copy + 'static],
            sources: [$($T),*], outcome: R, mode: (), style: All,
            |f, mode, control, s, notes| f(&control, $(s.$i,)* notes).split()
        }
        shape! {
            Float<($($T,)*), R>, [F, R: Outcome<D: Finish>, $($T: Operand),*] F
            where [F: Fn(&FloatMode, $($T,)* &mut u32) -> R + Copy + 'static],
            sources: [$($T),*], outcome: R, mode: FloatControl, style: Float,
            |f, mode, control, s, notes| f(&mode.mode, $(s.$i,)* notes).split(),
            finish: finish
        }
        shape! {
            FloatMask<($($T,)*), R>, [F, R: Outcome<D: Finish>, $($T: Operand),*] F
            where [F: Fn(&FloatMode, $($T,)* bool, &mut u32) -> R + Copy + 'static],
            sources: [$($T),*], outcome: R, mode: FloatControl, style: Float,
            |f, mode, control, s, notes| f(&mode.mode, $(s.$i,)* control.mask, notes).split(),
            finish: finish
        }
        shape! {
            PackedPure<($(both_halves!($T),)*)>, [F] F where [F: Fn($(half!($T)),*) -> u16 + Copy + 'static],
            sources: [$(both_halves!($T)),*], outcome: [u16; 2], mode: (), style: All,
            |f, mode, control, s, notes| ([0, 1].map(|half| f($(s.$i[half]),*)), false)
        }
        shape! {
            PackedControlled<($(both_halves!($T),)*)>, [F] F
            where [F: Fn(&LaneControl, $(half!($T)),*) -> u16 + Copy + 'static],
            sources: [$(both_halves!($T)),*], outcome: [u16; 2], mode: (), style: All,
            |f, mode, control, s, notes| ([0, 1].map(|half| f(&control, $(s.$i[half]),*)), false)
        }
        shape! {
            PackedFloat<($(both_halves!($T),)*)>, [F] F
            where [F: Fn(&FloatMode, $(half!($T),)* &mut u32) -> u16 + Copy + 'static],
            sources: [$(both_halves!($T)),*], outcome: [u16; 2], mode: FloatControl, style: Float,
            |f, mode, control, s, notes| ([0, 1].map(|half| f(&mode.mode, $(s.$i[half],)* notes)), false),
            finish: finish
        }
    };
}

shapes! { A 0 }
shapes! { A 0, B 1 }
shapes! { A 0, B 1, C 2 }

/// Makes a value of a lane function's type, which has no size.
#[inline(always)]
pub(super) fn conjure<F: Copy + 'static>() -> F {
    const { assert!(size_of::<F>() == 0, "a lane function captures nothing") };
    // SAFETY: a type without size has no invalid bits, and `F` is `Copy`. A value existed when the helper was chosen.
    unsafe { std::ptr::NonNull::<F>::dangling().read() }
}
