//! Compares as loops over lanes. The tests themselves are those of VOPC (`lanes.rs`, `class.rs`).

use gcnsim_isa::{Cmp, Mode, OperandType, Pred, Vgpr};

use super::body::{Call, Done};
use super::lane::{LaneNote, LaneNotes};
use super::op::Action;
use super::special::nothing;
use crate::class::{Classed, test_classes};
use crate::lanes::{Element, F16, F32, F64, Lanes, test_elements};

/// The action of a compare.
pub(super) fn action(cmp: Cmp) -> Action {
    use OperandType as T;
    let is_class = cmp.pred == Pred::Class;
    match cmp.ty {
        T::f16 if is_class => Action::Lanes(class::<F16>),
        T::f32 if is_class => Action::Lanes(class::<F32>),
        T::f64 if is_class => Action::Lanes(class::<F64>),
        T::f16 => Action::Lanes(elements::<F16>),
        T::f32 => Action::Lanes(elements::<F32>),
        T::f64 => Action::Lanes(elements::<F64>),
        T::i16 => Action::Lanes(elements::<i16>),
        T::u16 => Action::Lanes(elements::<u16>),
        T::i32 => Action::Lanes(elements::<i32>),
        T::u32 => Action::Lanes(elements::<u32>),
        T::i64 => Action::Lanes(elements::<i64>),
        T::u64 => Action::Lanes(elements::<u64>),
        // No row has these compares.
        _ => Action::Whole(nothing),
    }
}

fn elements<T: Element>(call: &Call, _: &mut [Vgpr]) -> Done {
    let keeps = match T::DENORM_IN {
        Mode::DENORM_IN_F32 => call.fp.in_f32,
        _ => call.fp.in_f16_f64,
    };
    let (s0, s1) = (lanes(call.s0, T::WIDE), lanes(call.s1, T::WIDE));
    let (mask, changed) = test_elements::<T>(call.pred, s0, s1, !keeps);
    let mut notes = LaneNotes::NONE;
    notes.insert_if(changed & call.active != 0, LaneNote::CmpDenormFlush);
    Done { mask, notes: notes.0 }
}

fn class<T: Element + Classed>(call: &Call, _: &mut [Vgpr]) -> Done {
    Done { mask: test_classes::<T>(lanes(call.s0, T::WIDE), lanes(call.s1, false)), notes: 0 }
}

fn lanes([low, high]: [&Vgpr; 2], wide: bool) -> Lanes<'_> {
    Lanes { top: if wide { &high.0 } else { &low.0 }, rest: &low.0 }
}
