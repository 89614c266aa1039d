//! Rounds of a strip: registers that go around a loop.
//!
//! A VGPR that a round reads and writes has a register of its own where rounds begin. Within the round the allocator may
//! move its value away; at the end the new value is moved to that register.

use super::{Allocator, NOWHERE, ORDERED, OutOfRoom};
use crate::segments::encode::{Gpr, Masking, Rm};
use crate::segments::list::{Home, Value};
use crate::segments::ops::Op;
use gcnsim_helpers::segment_frame::{SPILLS, offset};

/// A VGPR that a round reads and writes.
#[derive(Clone, Copy, Debug)]
pub(in crate::segments) struct Carried {
    /// The value at the beginning of a round.
    pub first: Value,
    /// The value at its end.
    pub last: Value,
}

impl Allocator<'_> {
    /// Loads what is carried, each value to the register with its number in the list.
    pub(in crate::segments) fn begin_rounds(&mut self, carried: &[Carried]) {
        // The other slots have the results.
        self.vectors.fresh.end = SPILLS as u16 / 2;
        for (register, &Carried { first, .. }) in carried.iter().enumerate() {
            let register = register as u8;
            self.load(register, first);
            // The VGPR has this value in the first round only.
            self.list.values[first.index()].home = Home::Computed;
            self.vectors.free &= !(1 << register);
            self.hold(register, first);
        }
    }

    /// Moves what is carried to its registers. `others` are vectors, not among the carried values, that are wanted
    /// behind the last round.
    pub(in crate::segments) fn end_round(&mut self, carried: &[Carried], others: &[Value]) -> Result<(), OutOfRoom> {
        self.vectors.begin();
        self.masks.begin();
        let fixed = (1u32 << carried.len()) - 1;
        for &value in others {
            let register = self.register[value.index()];
            if register == NOWHERE || fixed >> register & 1 == 0 {
                continue;
            }
            match self.vectors.free & !fixed {
                0 => {
                    self.vacate(register, false)?;
                    self.vectors.free |= 1 << register;
                }
                free => {
                    let to = free.trailing_zeros() as u8;
                    self.copy(to, register);
                    self.vectors.free &= !(1 << to);
                    self.vectors.values[register as usize] = Value::NONE;
                    self.hold(to, value);
                }
            }
        }
        // Moves between registers, each when nobody reads its destination any more; a cycle begins with a copy.
        let from = |s: &Self, value: Value| s.register[value.index()];
        let mut moves: Vec<(u8, u8)> =
            (0u8..).zip(carried).map(|(to, carried)| (from(self, carried.last), to)).collect();
        let loads: Vec<(Value, u8)> = (0u8..)
            .zip(carried)
            .filter(|(_, carried)| from(self, carried.last) == NOWHERE)
            .map(|(to, carried)| (carried.last, to))
            .collect();
        moves.retain(|&(from, to)| from != NOWHERE && from != to);
        while !moves.is_empty() {
            let is_read = |to: u8, but: usize| moves.iter().enumerate().any(|(i, &(from, _))| i != but && from == to);
            if let Some(i) = (0..moves.len()).find(|&i| !is_read(moves[i].1, i)) {
                let (from, to) = moves.swap_remove(i);
                self.copy(to, from);
                continue;
            }
            let free = self.vectors.free & !fixed;
            if free == 0 {
                return Err(OutOfRoom);
            }
            let (blocked, to) = (moves[0].0, free.trailing_zeros() as u8);
            self.copy(to, blocked);
            moves.iter_mut().filter(|(from, _)| *from == blocked).for_each(|(from, _)| *from = to);
            // (It stays taken until the registers are counted anew.)
            self.vectors.free &= !(1 << to);
        }
        loads.into_iter().for_each(|(value, to)| self.load(to, value));
        self.settle(carried, others);
        Ok(())
    }

    /// Counts the registers anew: only the carried values and `others` are there.
    fn settle(&mut self, carried: &[Carried], others: &[Value]) {
        let kept: Vec<(Value, u8)> = others
            .iter()
            .map(|&value| (value, self.register[value.index()]))
            .filter(|&(_, register)| register != NOWHERE)
            .collect();
        for value in std::mem::replace(&mut self.vectors.values, [Value::NONE; 32]) {
            self.register[value.index()] = NOWHERE;
        }
        self.vectors.free = u32::MAX;
        let carried = carried.iter().map(|carried| carried.last).zip(0u8..);
        for (value, register) in kept.into_iter().chain(carried) {
            self.vectors.free &= !(1 << register);
            self.hold(register, value);
        }
    }

    fn copy(&mut self, to: u8, from: u8) {
        self.code.op(Op::Copy, to, 0, Rm::Register(from), Masking::default(), 0);
    }

    /// The mask register of a value.
    pub(in crate::segments) fn mask_register(&mut self, value: Value) -> Result<u8, OutOfRoom> {
        self.masks.begin();
        self.place(value)
    }

    /// Emits the test that a binary32 value is no NaN: other lanes are not right.
    pub(in crate::segments) fn test_number(&mut self, value: Value) -> Result<(), OutOfRoom> {
        self.vectors.begin();
        let (register, ok) = (self.place(value)?, self.ok);
        self.code.op(Op::CompareF32, ok, register, Rm::Register(register), Masking { mask: ok, zero: false }, ORDERED);
        Ok(())
    }

    /// Stores the last value of VGPR `number` of the results to its slot. RDX has the frame and 64 bytes for each chunk
    /// that is left, with this one.
    pub(in crate::segments) fn keep_result(&mut self, number: usize, value: Value) -> Result<(), OutOfRoom> {
        self.vectors.begin();
        let register = self.place(value)?;
        self.code.store(register, Gpr::Rdx, offset::strip_result(number) - 64, 0);
        Ok(())
    }

    /// Takes two mask registers that no value will have.
    pub(in crate::segments) fn reserve_masks(&mut self) -> [u8; 2] {
        let free = self.masks.free.trailing_zeros() as u8;
        self.masks.free &= !(3 << free);
        [free, free + 1]
    }

    /// Stores value `number` of the results to its slot, in the lanes of a mask, as [`keep_result`](Self::keep_result)
    /// does. What registers have stays the same: control may not come here.
    pub(in crate::segments) fn keep_lanes(&mut self, number: usize, value: Value, mask: u8) -> Result<(), OutOfRoom> {
        let at = offset::strip_result(number) - 64;
        let mut register = self.register[value.index()];
        if register == NOWHERE {
            if self.vectors.free == 0 {
                return Err(OutOfRoom);
            }
            register = self.vectors.free.trailing_zeros() as u8;
            self.load(register, value);
        }
        self.code.store(register, Gpr::Rdx, at, mask);
        Ok(())
    }

    /// Stores the last value of a lane mask to the frame.
    pub(in crate::segments) fn keep_mask(&mut self, code: u8, value: Value) -> Result<(), OutOfRoom> {
        let mask = self.mask_register(value)?;
        self.code.k_store(mask, Gpr::R8, offset::mask(code));
        Ok(())
    }
}
