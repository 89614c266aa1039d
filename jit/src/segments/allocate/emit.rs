//! Emitting: the code of a step, with its sources in registers or memory and its result in a register.

use super::{Allocator, BIAS, InRdx, NO_SLOT, NOWHERE, ORDERED, OutOfRoom, Step, routine_registers};
use crate::segments::encode::{Gpr, KOp, Masking, Rm, Width};
use crate::segments::list::{Action, Home, Node, Value};
use crate::segments::ops::{Op, Shape};
use crate::segments::plan::NEVER;
use gcnsim_helpers::segment_frame::offset;

impl Allocator<'_> {
    /// Emits the code of a step.
    pub(super) fn step(&mut self, step: Step) -> Result<(), OutOfRoom> {
        self.vectors.begin();
        self.masks.begin();
        let node = step.node;
        if let Some(trace) = &mut self.trace {
            trace.mark(self.code.bytes.len(), node.inst);
        }
        for (value, next) in node.src.into_iter().zip(step.uses.next) {
            self.next[value.index()] = next;
        }
        self.next[node.mask.index()] = step.uses.mask_next;
        match node.action {
            Action::Op(op) => self.instruction(step, op)?,
            Action::Logic(_) | Action::Fused(_) => self.three(step)?,
            Action::Mask(op) => {
                let (a, b) = (self.place(node.src[0])?, self.place(node.src[1])?);
                let dst = self.result(step, true)?;
                self.code.k_op(op, dst, a, b);
            }
            Action::Numbers => {
                let a = self.place(node.src[0])?;
                let rm = self.register_or_memory(node.src[1], step.uses.next[1], 4)?;
                match self.width {
                    Width::Zmm => {
                        let masking = Masking { mask: self.ok, zero: false };
                        self.code.op(Op::CompareF32, self.ok, a, rm, masking, ORDERED);
                    }
                    Width::Ymm => {
                        let (numbers, plain) = (self.scratch()?, Masking::default());
                        self.code.op(Op::LanesF32, numbers, a, rm, plain, ORDERED);
                        self.code.op(Op::And, self.ok, self.ok, Rm::Register(numbers), plain, 0);
                    }
                }
                self.free_sources(step);
            }
            Action::Call => self.call(step)?,
            Action::Return => {
                let (result, register) = (self.place(node.src[0])?, routine_registers(self.width)[0].start as u8);
                if result != register {
                    self.code.op(Op::Copy, register, 0, Rm::Register(result), Masking::default(), 0);
                }
                // ret
                self.code.raw(&[0xc3]);
            }
            Action::Verify => self.verify()?,
            Action::Store(n) => self.store(step, n)?,
            Action::StoreMask(code) => {
                self.in_rdx = InRdx::Other;
                let mask = self.place(node.src[0])?;
                match self.joints.iter().find(|(joined, _)| *joined == code) {
                    Some(&(_, joint)) => self.code.join_mask(joint, mask),
                    None if self.width == Width::Ymm => self.code.store_signs(mask, Gpr::R8, offset::mask(code)),
                    None => self.code.k_store(mask, Gpr::R8, offset::mask(code)),
                }
                self.free_sources(step);
            }
            Action::Locate(group) => self.locate(step, group)?,
            Action::Classify(group) => self.classify(step, group)?,
            Action::Read(group, offset) => self.read(step, group, offset, None)?,
            Action::ReadOne(bound, offset) => self.read_one(step, bound, offset)?,
            Action::Load(site, element) => self.load_elements(step, site, element)?,
            Action::Probe => self.probe(step)?,
            Action::ReadPair(group, offset, half) => self.read(step, Some(group), offset, Some(half))?,
            Action::Moved(slot) => self.moved(step, slot)?,
            Action::StoreMoved(slot) => self.store_moved(step, slot)?,
            Action::Nothing => {}
        }
        Ok(())
    }

    /// A vector register that is free again after this step.
    pub(super) fn scratch(&mut self) -> Result<u8, OutOfRoom> {
        let register = self.take(false)?;
        self.vectors.free |= 1 << register;
        Ok(register)
    }

    /// Frees the registers of sources that are not used again.
    pub(super) fn free_sources(&mut self, step: Step) {
        for (value, next) in step.node.src.into_iter().zip(step.uses.next) {
            if next == NEVER {
                self.release(value);
            }
        }
        if step.uses.mask_next == NEVER {
            self.release(step.node.mask);
        }
    }

    /// The register of the result, perhaps that of a source that is not used again.
    pub(super) fn result(&mut self, step: Step, is_mask: bool) -> Result<u8, OutOfRoom> {
        self.free_sources(step);
        if step.node.dst == Value::OK {
            return Ok(self.ok);
        }
        // Registers of sources that were freed may be overwritten.
        let class = self.class(is_mask);
        class.pinned &= !class.free;
        let register = self.take(is_mask)?;
        self.next[step.node.dst.index()] = step.uses.first;
        self.hold(register, step.node.dst);
        Ok(register)
    }

    /// The register of a result that begins as a copy of source `i`.
    fn copied(&mut self, step: Step, i: usize) -> Result<u8, OutOfRoom> {
        let (value, dst) = (step.node.src[i], step.node.dst);
        let register = if step.uses.next[i] == NEVER {
            let register = self.place(value)?;
            // The register is the result's now.
            self.vectors.values[register as usize] = Value::NONE;
            self.register[value.index()] = NOWHERE;
            register
        } else if self.is_in_memory(value) {
            let register = self.take(false)?;
            self.load(register, value);
            register
        } else {
            let from = self.place(value)?;
            let register = self.take(false)?;
            self.code.op(Op::Copy, register, 0, Rm::Register(from), Masking::default(), 0);
            register
        };
        self.next[dst.index()] = step.uses.first;
        Ok(register)
    }

    fn masking(&mut self, node: &Node) -> Result<Masking, OutOfRoom> {
        if node.mask == Value::NONE {
            return Ok(Masking::default());
        }
        let mask = self.place(node.mask)?;
        let is_vector = !matches!(node.action, Action::Op(op) if matches!(op.row().shape, Shape::Compare));
        let is_blend = node.action == Action::Op(Op::Blend);
        Ok(Masking { mask, zero: is_vector && !node.merge && !is_blend })
    }

    fn instruction(&mut self, step: Step, op: Op) -> Result<(), OutOfRoom> {
        let (node, row) = (step.node, op.row());
        if self.all_are_active && op == Op::And && node.dst != Value::OK {
            // The lanes of a mask that are active are all of its lanes.
            if let Some(exec) = node.src.iter().position(|&source| source == Value::EXEC) {
                let dst = self.copied(step, 1 - exec)?;
                self.free_sources(step);
                self.hold(dst, node.dst);
                return Ok(());
            }
        }
        let masking = self.masking(node)?;
        if node.merge || row.shape == Shape::Tied {
            return self.overwriting(step, op, masking);
        }
        let [mut a, mut b, _] = node.src;
        let mut next = step.uses.next;
        match row.shape {
            Shape::Binary | Shape::Commutative | Shape::Compare => {
                if row.shape == Shape::Commutative && self.is_in_memory(a) && !self.is_in_memory(b) {
                    (a, b) = (b, a);
                    next.swap(0, 1);
                }
                // If both sources are the same value, both are in the register.
                let first = self.place(a)?;
                let rm = self.last_source(op, b, next[1])?;
                let dst = self.result(step, row.shape == Shape::Compare)?;
                self.code.op(op, dst, first, rm, masking, node.imm);
            }
            Shape::Unary | Shape::Shift(_) => {
                let rm = self.last_source(op, a, next[0])?;
                let dst = self.result(step, false)?;
                self.code.op(op, dst, 0, rm, masking, node.imm);
            }
            Shape::Narrow => {
                let from = self.place(a)?;
                let dst = self.result(step, false)?;
                self.code.op(op, from, 0, Rm::Register(dst), masking, node.imm);
            }
            Shape::Mask => {
                let from = self.place(a)?;
                let dst = self.result(step, op == Op::MaskToBits)?;
                self.code.op(op, dst, 0, Rm::Register(from), masking, node.imm);
            }
            Shape::Choice => {
                let [first, choice] = [a, node.src[2]].map(|value| self.place(value));
                let (first, choice) = (first?, choice?);
                let rm = self.last_source(op, b, next[1])?;
                let dst = self.result(step, false)?;
                self.code.choose(dst, first, rm, choice);
            }
            Shape::Tied => unreachable!("it overwrites a source"),
        }
        Ok(())
    }

    /// An instruction that overwrites its first source.
    fn overwriting(&mut self, step: Step, op: Op, masking: Masking) -> Result<(), OutOfRoom> {
        let (node, row) = (step.node, op.row());
        let [_, a, b] = node.src;
        // Sources get registers first, because the old value may be one of them.
        let (first, rm) = match row.shape {
            Shape::Unary | Shape::Shift(_) => (0, self.register_or_memory(a, step.uses.next[1], row.element)?),
            _ => (self.place(a)?, self.register_or_memory(b, step.uses.next[2], row.element)?),
        };
        let dst = self.copied(step, 0)?;
        self.free_sources(step);
        self.hold(dst, node.dst);
        self.code.op(op, dst, first, rm, masking, node.imm);
        Ok(())
    }

    /// Emits an operation of three sources. Any of them can be the one that is overwritten.
    fn three(&mut self, step: Step) -> Result<(), OutOfRoom> {
        let node = step.node;
        let is_dying = |s: &Self, i: usize| step.uses.next[i] == NEVER && !s.is_in_memory(node.src[i]);
        let is_fused = matches!(node.action, Action::Fused(_));
        let order = if is_fused { [2, 0, 1] } else { [0, 1, 2] };
        let is_wide = node.action == Action::Fused(true);
        let element = if is_wide { 8 } else { 4 };
        let tied = order.into_iter().find(|&i| is_dying(self, i));
        // If no source is used last here, a source that must be loaded anyway is overwritten.
        let tied = tied.or_else(|| order.into_iter().find(|&i| self.is_in_memory(node.src[i]))).unwrap_or(order[0]);
        let mut others = [(tied + 1) % 3, (tied + 2) % 3];
        if self.is_in_memory(node.src[others[0]]) && !self.is_in_memory(node.src[others[1]]) {
            others.swap(0, 1);
        }
        let [first, second] = others;
        let a = self.place(node.src[first])?;
        let rm = self.register_or_memory(node.src[second], step.uses.next[second], element)?;
        let dst = self.copied(step, tied)?;
        self.free_sources(step);
        self.hold(dst, node.dst);
        if is_fused {
            let forms = [Op::Fma132F32, Op::Fma213F32, Op::Fma231F32];
            let wide = [Op::Fma132F64, Op::Fma213F64, Op::Fma231F64];
            // The numbers say what is multiplied: the result is 1, then the register, then memory.
            let form = match (tied, second) {
                (2, _) => 2,
                (_, 2) => 1,
                _ => 0,
            };
            let op = if is_wide { wide[form] } else { forms[form] };
            self.code.fused(op, node.imm, dst, a, rm);
        } else {
            let table = permuted(node.imm, [tied, first, second]);
            self.code.op(Op::Logic, dst, a, rm, Masking::default(), table);
        }
        Ok(())
    }

    /// Emits the call of a routine. Its registers are vacated first, but for the argument.
    fn call(&mut self, step: Step) -> Result<(), OutOfRoom> {
        let [argument, address, _] = step.node.src;
        let (from, dies) = (self.register[argument.index()], step.uses.next[0] == NEVER);
        let registers = routine_registers(self.width);
        let register = registers[0].start as u8;
        let routine = registers[0].clone().fold(0, |set, n| set | 1 << n);
        for (is_mask, registers) in [false, true].into_iter().zip(registers) {
            for n in registers.map(|n| n as u8) {
                let value = self.class(is_mask).values[n as usize];
                if value == Value::NONE || dies && value == argument {
                    continue;
                }
                match self.vectors.free & !routine {
                    free if free != 0 && !is_mask => self.move_to(free.trailing_zeros() as u8, value),
                    _ => self.vacate(n, is_mask)?,
                }
                let class = self.class(is_mask);
                class.values[n as usize] = Value::NONE;
                class.free |= 1 << n;
            }
        }
        if from == NOWHERE {
            self.load(register, argument);
        } else if from != register {
            self.code.op(Op::Copy, register, 0, Rm::Register(from), Masking::default(), 0);
        }
        let Home::Qword(number) = self.home(address) else { unreachable!("addresses are constants") };
        // call [address]
        self.code.raw_constant(&[0xff, 0x15], self.layout.qword(number));
        self.free_sources(step);
        if step.uses.first != NEVER {
            self.vectors.free &= !(1 << register);
            self.next[step.node.dst.index()] = step.uses.first;
            self.hold(register, step.node.dst);
        }
        Ok(())
    }

    /// Copies a value to a free vector register, which then is the register of the value.
    fn move_to(&mut self, register: u8, value: Value) {
        let from = self.register[value.index()];
        self.code.op(Op::Copy, register, 0, Rm::Register(from), Masking::default(), 0);
        self.vectors.free &= !(1 << register);
        self.hold(register, value);
    }

    fn verify(&mut self) -> Result<(), OutOfRoom> {
        self.leave = Some(self.jump_if_wrong()?);
        Ok(())
    }

    /// Emits a jump where an active lane of the chunk is not right.
    pub(in crate::segments) fn jump_if_wrong(&mut self) -> Result<usize, OutOfRoom> {
        if self.width == Width::Ymm {
            return Ok(self.code.jump_unless_within(self.exec, self.ok));
        }
        let difference = self.take(true)?;
        self.code.k_op(KOp::Xor, difference, self.ok, self.exec);
        self.code.k_test(difference, difference);
        self.masks.free |= 1 << difference;
        Ok(self.code.jump(&[0x0f, 0x85]))
    }

    /// Emits a store of a register in active lanes.
    pub(super) fn store_active(&mut self, register: u8, base: Gpr, at: i32) -> Result<(), OutOfRoom> {
        match self.width {
            Width::Zmm => self.code.store(register, base, at, self.exec),
            Width::Ymm if self.all_are_active => self.code.store(register, base, at, 0),
            Width::Ymm => {
                let lanes = self.scratch()?;
                self.code.store_some([register, lanes], base, at, self.exec);
            }
        }
        Ok(())
    }

    fn store(&mut self, step: Step, n: u8) -> Result<(), OutOfRoom> {
        let value = step.node.src[0];
        let register = self.place(value)?;
        // The initial value of the VGPR may still be used.
        let old = self.initial[n as usize];
        if old != Value::NONE && old != value && self.next[old.index()] != NEVER && self.home(old) != Home::Computed {
            self.place(old)?;
            self.list.values[old.index()].home = Home::Computed;
        }
        self.store_active(register, Gpr::Rdi, 256 * n as i32 - BIAS)?;
        if self.home(value) == Home::Computed && self.slot[value.index()] == NO_SLOT {
            // From here on the value lies in the VGPR, in the active lanes.
            self.list.values[value.index()].home = Home::Vgpr(n);
        }
        self.free_sources(step);
        Ok(())
    }
}

/// The table of bit operations for sources in another order: `order` has the numbers of the sources in the places of
/// the instruction.
fn permuted(table: u8, order: [usize; 3]) -> u8 {
    let mut result = 0;
    for index in 0..8u8 {
        let mut from = 0;
        for (place, source) in order.iter().enumerate() {
            from |= (index >> (2 - place) & 1) << (2 - source);
        }
        result |= (table >> from & 1) << index;
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_of_other_orders() {
        // a ? b : c, in the order c, a, b: bits c, a, b of the index.
        let expected = (0..8u8).fold(0, |table, index| {
            let (c, a, b) = (index >> 2 & 1, index >> 1 & 1, index & 1);
            table | (if a == 1 { b } else { c }) << index
        });
        assert_eq!(permuted(0xca, [2, 0, 1]), expected);
        assert_eq!(permuted(0xca, [0, 1, 2]), 0xca);
    }
}
