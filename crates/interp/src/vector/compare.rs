//! Compares as loops over lanes. The tests themselves are those of VOPC (`lanes.rs`, `class.rs`).

use gcnsim_isa::{Cmp, OperandType, Pred, Vgpr};

use super::body::{Call, Done};
use super::lane::{LaneNote, LaneNotes};
use super::op::Action;
use super::special::nothing;
use crate::class::{Classed, test_classes};
use crate::float::Fp;
use crate::lanes::{self, F16, F32, F64, Float, Integer, Lanes};

/// The action of a compare.
pub(super) fn action(cmp: Cmp) -> Action {
    use OperandType as T;
    let is_class = cmp.pred == Pred::Class;
    match cmp.ty {
        T::f16 if is_class => Action::Lanes(class::<F16>),
        T::f32 if is_class => Action::Lanes(class::<F32>),
        T::f64 if is_class => Action::Lanes(class::<F64>),
        T::f16 => Action::Lanes(|call, _| floats::<F16>(call, keeps_f16_f64)),
        T::f32 => Action::Lanes(|call, _| floats::<F32>(call, keeps_f32)),
        T::f64 => Action::Lanes(|call, _| floats::<F64>(call, keeps_f16_f64)),
        T::i16 => Action::Lanes(integers::<i16>),
        T::u16 => Action::Lanes(integers::<u16>),
        T::i32 => Action::Lanes(integers::<i32>),
        T::u32 => Action::Lanes(integers::<u32>),
        T::i64 => Action::Lanes(integers::<i64>),
        T::u64 => Action::Lanes(integers::<u64>),
        // No row has these compares.
        _ => Action::Whole(nothing),
    }
}

fn keeps_f32(fp: &Fp) -> bool {
    fp.in_f32
}

fn keeps_f16_f64(fp: &Fp) -> bool {
    fp.in_f16_f64
}

fn integers<T: Integer>(call: &Call, _: &mut [Vgpr]) -> Done {
    let mask = lanes::test_integers::<T>(call.pred, elements(call.s0, T::WIDE), elements(call.s1, T::WIDE));
    Done { mask, notes: 0 }
}

fn floats<T: Float>(call: &Call, keeps: fn(&Fp) -> bool) -> Done {
    let (s0, s1) = (elements(call.s0, T::WIDE), elements(call.s1, T::WIDE));
    let (mask, changed) = lanes::test_floats_by_mode::<T>(call.pred, s0, s1, !keeps(call.fp));
    let mut notes = LaneNotes::NONE;
    notes.insert_if(changed & call.active != 0, LaneNote::CmpDenormFlush);
    Done { mask, notes: notes.0 }
}

fn class<T: Float + Classed>(call: &Call, _: &mut [Vgpr]) -> Done {
    Done { mask: test_classes::<T>(elements(call.s0, T::WIDE), elements(call.s1, false)), notes: 0 }
}

fn elements([low, high]: [&Vgpr; 2], wide: bool) -> Lanes<'_> {
    Lanes { top: if wide { &high.0 } else { &low.0 }, rest: &low.0 }
}
