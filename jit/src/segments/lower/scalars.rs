//! Scalar registers: sources, lane masks, and scalar instructions between the vector instructions.
//!
//! Scalar instructions are not the segment's: the caller executes them before it calls the segment. So a vector
//! instruction in front of one may want a value that is no longer in the register then. Each value has a slot of the
//! frame: that of its register, or a slot of its own if a scalar instruction has overwritten one that is still wanted.

use gcnsim_isa::{Flow, Fx, Inst, Kind, reg};

use super::Lowering;
use crate::segments::list::{Home, Value};
use gcnsim_helpers::segment_frame::Input;

/// The first slot that does not stand for a register.
const FIRST_SLOT: u8 = 128;
/// Scalar registers with even numbers.
const EVEN: u128 = u128::MAX / 3;

/// Whether `inst` is a scalar instruction that may stand among vector instructions of a segment.
pub(crate) fn is_passenger(inst: &Inst) -> bool {
    let writes_exec_or_mode = || {
        let writes = inst.writes();
        writes.mode || writes.sgprs >> reg::EXEC_LO & 3 != 0
    };
    matches!(inst.desc().kind, Kind::Salu | Kind::Scmp)
        && inst.flow() == Flow::Next
        && !inst.desc().fx.has(Fx::RMODE)
        && !writes_exec_or_mode()
}

/// Facts about scalar registers at an instruction.
#[derive(Clone)]
pub(super) struct Scalars {
    /// Slot of each register, by code.
    slots: [u8; 128],
    /// The next slot that does not stand for a register and is free.
    next_slot: u8,
    /// Registers whose slots are read.
    read: u128,
    /// Registers that hold lane masks which the segment wrote.
    written: u128,
    /// Masks in pairs of registers: code, value.
    masks: Vec<(u8, Value)>,
}

impl Scalars {
    pub fn new() -> Scalars {
        Scalars {
            slots: std::array::from_fn(|code| code as u8),
            next_slot: FIRST_SLOT,
            read: 0,
            written: 0,
            masks: Vec::new(),
        }
    }

    /// The slot of a register, or of a pair, whose halves must be in a row.
    fn slot(&self, code: u8, is_pair: bool) -> Option<u8> {
        let slot = self.slots[code as usize];
        let is_in_a_row = || self.slots.get(code as usize + 1).is_some_and(|&next| next == slot + 1);
        (!is_pair || is_in_a_row()).then_some(slot)
    }

    /// Two slots that do not stand for registers.
    pub fn more_slots(&mut self) -> Option<u8> {
        let slot = self.next_slot;
        self.next_slot = slot.checked_add(2)?;
        Some(slot)
    }

    /// Records that scalar code overwrites registers.
    fn overwrite(&mut self, registers: u128) -> Option<()> {
        let pairs = (registers | registers >> 1) & EVEN;
        for code in (0..128u8).step_by(2).filter(|code| pairs >> code & 1 == 1) {
            let pair = 3 << code;
            let masks = self.written & pair;
            if masks != 0 && (masks != pair || registers & pair != pair) {
                return None;
            }
            if (self.read | self.written) & pair == 0 {
                continue;
            }
            let slot = self.more_slots()?;
            (self.slots[code as usize], self.slots[code as usize + 1]) = (slot, slot + 1);
            self.read &= !pair;
            self.written &= !pair;
            self.masks.retain(|(mask, _)| mask.abs_diff(code) > 1);
        }
        Some(())
    }
}

impl Lowering<'_> {
    /// Takes over the scalar instructions since the last vector instruction: they are executed before the segment.
    pub(super) fn pass(&mut self) -> Option<()> {
        let waiting = std::mem::take(&mut self.waiting);
        waiting.iter().try_for_each(|inst| match inst.reads().sgprs & self.scalars.written {
            0 => self.scalars.overwrite(inst.writes().sgprs),
            _ => None,
        })
    }

    /// The value of a register or pair. The frame must have it.
    pub(super) fn given_scalar(&mut self, code: u8, is_pair: bool) -> Option<Value> {
        let slot = self.input(code, is_pair)?;
        let home = if is_pair { Home::Pair(slot) } else { Home::Scalar(slot) };
        if let Some((_, value)) = self.given.iter().find(|(known, _)| *known == home) {
            return Some(*value);
        }
        let value = self.list.given(home);
        self.given.push((home, value));
        Some(value)
    }

    /// The slot of a register or pair that the frame is to have; `None` if the segment has written it.
    pub(super) fn input(&mut self, code: u8, is_pair: bool) -> Option<u8> {
        let codes = (if is_pair { 3 } else { 1 }) << code;
        let slot = self.scalars.slot(code, is_pair)?;
        if self.scalars.written & codes != 0 {
            return None;
        }
        for (code, slot) in (code..).zip(slot..).take(1 + is_pair as usize) {
            if self.scalars.read >> code & 1 == 0 {
                self.inputs.push(Input { at: self.count, code, slot });
            }
        }
        self.scalars.read |= codes;
        Some(slot)
    }

    // Masks.

    pub(super) fn read_mask(&mut self, code: u8) -> Option<Value> {
        if let Some(value) = self.mask_of(code) {
            return Some(value);
        }
        if code >= 127 {
            return None;
        }
        let slot = self.input(code, true)?;
        let value = self.list.given(Home::Mask(slot));
        self.scalars.masks.push((code, value));
        Some(value)
    }

    /// Whether the pair that begins with `code` can be written. EXEC cannot, and neither can a pair that overlaps
    /// another pair of this segment by half.
    fn is_mask_destination(&self, code: u8) -> bool {
        let overlaps = |&(known, _): &(u8, Value)| known != code && known.abs_diff(code) == 1;
        code < reg::EXEC_LO - 1 && !self.scalars.masks.iter().any(overlaps)
    }

    pub(super) fn write_mask(&mut self, code: u8, value: Value) -> Option<()> {
        if !self.is_mask_destination(code) {
            return None;
        }
        self.scalars.masks.retain(|(known, _)| *known != code);
        self.scalars.masks.push((code, value));
        self.scalars.written |= 3 << code;
        Some(())
    }

    /// The mask that a pair has, if the segment knows it.
    pub fn mask_of(&self, code: u8) -> Option<Value> {
        self.scalars.masks.iter().rev().find(|(known, _)| *known == code).map(|&(_, value)| value)
    }

    /// Registers that have lane masks which the segment wrote.
    pub fn written_masks(&self) -> u128 {
        self.scalars.written
    }

    /// The pairs that are written, and their last masks.
    pub fn mask_results(&self) -> Vec<(u8, Value)> {
        let Scalars { masks, written, .. } = &self.scalars;
        masks.iter().copied().filter(|(code, _)| written >> code & 3 == 3).collect()
    }
}
