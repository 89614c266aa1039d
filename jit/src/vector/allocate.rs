//! Registers for values, and code for steps, in one pass.
//!
//! A value is loaded where it is used first and freed where it is used last. When there is no register left, the value
//! goes whose next use is furthest; it comes back from where it is in memory, or from the frame.

use super::encode::{Encoder, Gpr, Masking, Rm};
use super::frame::{MASK_SPILLS, SPILLS, offset};
use super::list::{Action, Home, List, Node, Value};
use super::ops::{Op, Shape};
use super::plan::{NEVER, Step};

/// The register of active lanes.
pub(super) const EXEC: u8 = 1;
/// The register of active lanes that are right so far.
pub(super) const OK: u8 = 2;
/// What the pointer to VGPRs is ahead of VGPR 0, so that more displacements are short.
pub(super) const BIAS: i32 = 8192;

/// No register, no slot.
const NOWHERE: u8 = u8::MAX;
const NO_SLOT: u16 = u16::MAX;

/// A lane of tests that is ordered.
const ORDERED: u8 = 7;

/// Where constants of each kind begin.
#[derive(Clone, Copy, Debug)]
pub(super) struct Layout {
    pub tables: u32,
    pub qwords: u32,
    pub dwords: u32,
}

/// The registers of a class.
#[derive(Debug)]
struct Class {
    /// The value of each register.
    values: [Value; 32],
    /// Registers without a value.
    free: u32,
    /// Registers that the step at hand uses.
    pinned: u32,
    /// Slots of the frame that are free again.
    slots: Vec<u16>,
    /// Slots that were never used.
    fresh: std::ops::Range<u16>,
}

impl Class {
    fn new(registers: std::ops::Range<u32>, slots: usize) -> Class {
        let free = registers.fold(0, |set, n| set | 1 << n);
        Class { values: [Value::NONE; 32], free, pinned: 0, slots: Vec::new(), fresh: 0..slots as u16 }
    }
}

/// The state of the pass.
pub(super) struct Allocator<'a> {
    list: &'a mut List,
    initial: &'a [Value; 256],
    layout: Layout,
    /// The code.
    pub code: Encoder,
    vectors: Class,
    masks: Class,
    /// Register of each value.
    register: Vec<u8>,
    /// Slot in the frame of each value.
    slot: Vec<u16>,
    /// Next use of each value.
    next: Vec<u32>,
    /// Where the jump out of the chunk is.
    pub leave: Option<usize>,
}

/// Too many values at once.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct OutOfRoom;

impl<'a> Allocator<'a> {
    /// `next` are the first uses of values.
    pub fn new(list: &'a mut List, initial: &'a [Value; 256], next: Vec<u32>, layout: Layout) -> Allocator<'a> {
        let count = list.values.len();
        let first_mask = if list.has_tests { 3 } else { 2 };
        let mut register = vec![NOWHERE; count];
        (register[Value::EXEC.index()], register[Value::OK.index()]) = (EXEC, OK);
        Allocator {
            list,
            initial,
            layout,
            code: Encoder::with_capacity(16 * count),
            vectors: Class::new(0..32, SPILLS),
            masks: Class::new(first_mask..8, MASK_SPILLS),
            register,
            slot: vec![NO_SLOT; count],
            next,
            leave: None,
        }
    }

    /// Code for all steps.
    pub fn run(&mut self, steps: &[Step]) -> Result<(), OutOfRoom> {
        steps.iter().try_for_each(|step| self.step(step))
    }

    fn home(&self, value: Value) -> Home {
        self.list.values[value.index()].home
    }

    fn is_mask(&self, value: Value) -> bool {
        self.list.values[value.index()].is_mask
    }

    fn class(&mut self, is_mask: bool) -> &mut Class {
        if is_mask { &mut self.masks } else { &mut self.vectors }
    }

    // Registers.

    /// A register without a value, pinned.
    fn take(&mut self, is_mask: bool) -> Result<u8, OutOfRoom> {
        let class = self.class(is_mask);
        let free = class.free & !class.pinned;
        let register = if free != 0 { free.trailing_zeros() as u8 } else { self.evict(is_mask)? };
        let class = self.class(is_mask);
        class.free &= !(1 << register);
        class.pinned |= 1 << register;
        Ok(register)
    }

    /// Frees the register whose value is used last.
    fn evict(&mut self, is_mask: bool) -> Result<u8, OutOfRoom> {
        let class = if is_mask { &self.masks } else { &self.vectors };
        let candidates = (0..32u8).filter(|&n| class.values[n as usize] != Value::NONE && class.pinned >> n & 1 == 0);
        let furthest = candidates.max_by_key(|&n| self.next[class.values[n as usize].index()]);
        let register = furthest.ok_or(OutOfRoom)?;
        let value = class.values[register as usize];
        if self.home(value) == Home::Computed && self.slot[value.index()] == NO_SLOT {
            let class = self.class(is_mask);
            let slot = class.slots.pop().or_else(|| class.fresh.next()).ok_or(OutOfRoom)?;
            self.slot[value.index()] = slot;
            if is_mask {
                self.code.k_store(register, Gpr::Rsi, offset::mask_spill(slot));
            } else {
                self.code.store(register, Gpr::Rsi, offset::spill(slot), 0);
            }
        }
        self.register[value.index()] = NOWHERE;
        self.class(is_mask).values[register as usize] = Value::NONE;
        Ok(register)
    }

    fn hold(&mut self, register: u8, value: Value) {
        let is_mask = self.is_mask(value);
        self.class(is_mask).values[register as usize] = value;
        self.register[value.index()] = register;
    }

    /// The value is not used any more.
    fn release(&mut self, value: Value) {
        if value == Value::NONE || value == Value::EXEC || value == Value::OK {
            return;
        }
        let is_mask = self.is_mask(value);
        let (register, slot) = (self.register[value.index()], self.slot[value.index()]);
        let class = self.class(is_mask);
        if register != NOWHERE {
            class.free |= 1 << register;
            class.values[register as usize] = Value::NONE;
        }
        if slot != NO_SLOT {
            class.slots.push(slot);
        }
        self.register[value.index()] = NOWHERE;
        self.slot[value.index()] = NO_SLOT;
    }

    /// The register of a value, which is loaded if it has none; pinned.
    fn place(&mut self, value: Value) -> Result<u8, OutOfRoom> {
        let is_mask = self.is_mask(value);
        let mut register = self.register[value.index()];
        if register == NOWHERE {
            register = self.take(is_mask)?;
            self.load(register, value);
            self.hold(register, value);
        }
        self.class(is_mask).pinned |= 1 << register;
        Ok(register)
    }

    fn load(&mut self, register: u8, value: Value) {
        let plain = Masking::default();
        let slot = self.slot[value.index()];
        match self.home(value) {
            Home::Computed if self.is_mask(value) => {
                self.code.k_load(register, Gpr::Rsi, offset::mask_spill(slot));
            }
            Home::Computed => {
                self.code.op(Op::Load, register, 0, Rm::Memory(Gpr::Rsi, offset::spill(slot)), plain, 0);
            }
            Home::Mask(code) => self.code.k_load(register, Gpr::R8, offset::sgpr(code)),
            Home::Scalar(_) | Home::Dword(_) => {
                let rm = self.element(value);
                self.code.broadcast(register, false, rm);
            }
            Home::Pair(_) | Home::Qword(_) => {
                let rm = self.element(value);
                self.code.broadcast(register, true, rm);
            }
            Home::Vgpr(_) | Home::Vector(_) | Home::Lanes(_) => {
                let rm = self.memory(value);
                self.code.op(Op::Load, register, 0, rm, plain, 0);
            }
        }
    }

    /// Where the element is that all lanes have.
    fn element(&self, value: Value) -> Rm {
        match self.home(value) {
            Home::Scalar(code) | Home::Pair(code) => Rm::Broadcast(Gpr::Rsi, offset::sgpr(code)),
            Home::Qword(i) => Rm::BroadcastConstant(self.layout.qwords + 8 * i as u32),
            Home::Dword(i) => Rm::BroadcastConstant(self.layout.dwords + 4 * i as u32),
            home => unreachable!("{home:?} has no element"),
        }
    }

    /// Where the 64 bytes of a chunk are.
    fn memory(&self, value: Value) -> Rm {
        match self.home(value) {
            Home::Computed => Rm::Memory(Gpr::Rsi, offset::spill(self.slot[value.index()])),
            Home::Vgpr(n) => Rm::Memory(Gpr::Rdi, 256 * n as i32 - BIAS),
            Home::Vector(i) => Rm::Constant(64 * i as u32),
            Home::Lanes(i) => Rm::Memory(Gpr::R9, 256 * i as i32),
            home => unreachable!("{home:?} has no lanes"),
        }
    }

    /// A source that can be in memory, for an instruction with elements of that size. One that is not used again needs
    /// no register.
    fn register_or_memory(&mut self, value: Value, next: u32, element: u8) -> Result<Rm, OutOfRoom> {
        if self.register[value.index()] == NOWHERE {
            match (self.home(value), element) {
                (Home::Scalar(_) | Home::Dword(_), 4) | (Home::Pair(_) | Home::Qword(_), 8) => {
                    return Ok(self.element(value));
                }
                (Home::Vector(_) | Home::Lanes(_), _) => return Ok(self.memory(value)),
                (Home::Vgpr(_) | Home::Computed, _) if next == NEVER => return Ok(self.memory(value)),
                _ => {}
            }
        }
        Ok(Rm::Register(self.place(value)?))
    }

    /// The last source of an instruction.
    fn last_source(&mut self, op: Op, value: Value, next: u32) -> Result<Rm, OutOfRoom> {
        if op.takes_half() {
            return Ok(Rm::Register(self.place(value)?));
        }
        self.register_or_memory(value, next, op.row().element)
    }

    /// Could the value be read from memory as it is?
    fn is_in_memory(&self, value: Value) -> bool {
        self.register[value.index()] == NOWHERE
    }

    // Steps.

    fn step(&mut self, step: &Step) -> Result<(), OutOfRoom> {
        (self.vectors.pinned, self.masks.pinned) = (0, 0);
        let node = &step.node;
        for (i, &value) in node.src.iter().enumerate().filter(|(_, value)| **value != Value::NONE) {
            self.next[value.index()] = step.next[i];
        }
        if node.mask != Value::NONE {
            self.next[node.mask.index()] = step.mask_next;
        }
        match node.action {
            Action::Op(op) => self.instruction(step, op)?,
            Action::Logic | Action::Fused(_) => self.three(step)?,
            Action::Mask(op) => {
                let (a, b) = (self.place(node.src[0])?, self.place(node.src[1])?);
                let dst = self.result(step, true)?;
                self.code.k_op(op, dst, a, b);
            }
            Action::Numbers => {
                let a = self.place(node.src[0])?;
                let rm = self.register_or_memory(node.src[1], step.next[1], 4)?;
                self.free_sources(step);
                let masking = Masking { mask: OK, zero: false };
                self.code.op(Op::CompareF32, OK, a, rm, masking, ORDERED);
            }
            Action::Verify => self.verify()?,
            Action::Store(n) => self.store(step, n)?,
            Action::StoreMask(code) => {
                let mask = self.place(node.src[0])?;
                self.code.k_store(mask, Gpr::R8, offset::mask(code));
                self.free_sources(step);
            }
            Action::Nothing => {}
        }
        Ok(())
    }

    /// Frees what is not used again.
    fn free_sources(&mut self, step: &Step) {
        for (i, &value) in step.node.src.iter().enumerate() {
            if step.next[i] == NEVER {
                self.release(value);
            }
        }
        if step.mask_next == NEVER {
            self.release(step.node.mask);
        }
    }

    /// The register of the result, perhaps that of a source that is not used again.
    fn result(&mut self, step: &Step, is_mask: bool) -> Result<u8, OutOfRoom> {
        self.free_sources(step);
        if step.node.dst == Value::OK {
            return Ok(OK);
        }
        // Sources that were freed may be overwritten.
        let class = self.class(is_mask);
        class.pinned &= !class.free;
        let register = self.take(is_mask)?;
        self.next[step.node.dst.index()] = step.first;
        self.hold(register, step.node.dst);
        Ok(register)
    }

    /// The register of a result that begins as a copy of source `i`.
    fn copied(&mut self, step: &Step, i: usize) -> Result<u8, OutOfRoom> {
        let (value, dst) = (step.node.src[i], step.node.dst);
        let register = if step.next[i] == NEVER {
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
        self.next[dst.index()] = step.first;
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

    fn instruction(&mut self, step: &Step, op: Op) -> Result<(), OutOfRoom> {
        let (node, row) = (&step.node, op.row());
        let masking = self.masking(node)?;
        if node.merge || row.shape == Shape::Tied {
            return self.overwriting(step, op, masking);
        }
        let [mut a, mut b, _] = node.src;
        let mut next = step.next;
        match row.shape {
            Shape::Binary | Shape::Commutative | Shape::Compare => {
                if row.shape == Shape::Commutative && self.is_in_memory(a) && !self.is_in_memory(b) {
                    (a, b) = (b, a);
                    next.swap(0, 1);
                }
                // Where both are the same, both are in the register.
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
            Shape::Tied => unreachable!("it overwrites a source"),
        }
        Ok(())
    }

    /// An instruction that overwrites its first source.
    fn overwriting(&mut self, step: &Step, op: Op, masking: Masking) -> Result<(), OutOfRoom> {
        let (node, row) = (&step.node, op.row());
        let [_, a, b] = node.src;
        // The sources first: the old value may be one of them.
        let (first, rm) = match row.shape {
            Shape::Unary | Shape::Shift(_) => (0, self.register_or_memory(a, step.next[1], row.element)?),
            _ => (self.place(a)?, self.register_or_memory(b, step.next[2], row.element)?),
        };
        let dst = self.copied(step, 0)?;
        self.free_sources(step);
        self.hold(dst, node.dst);
        self.code.op(op, dst, first, rm, masking, node.imm);
        Ok(())
    }

    /// An operation of three sources of which any can be the one that is overwritten.
    fn three(&mut self, step: &Step) -> Result<(), OutOfRoom> {
        let node = &step.node;
        let is_dying = |s: &Self, i: usize| step.next[i] == NEVER && !s.is_in_memory(node.src[i]);
        let is_fused = matches!(node.action, Action::Fused(_));
        let order = if is_fused { [2, 0, 1] } else { [0, 1, 2] };
        let is_wide = node.action == Action::Fused(true);
        let element = if is_wide { 8 } else { 4 };
        let tied = order.into_iter().find(|&i| is_dying(self, i));
        // Without one that goes, one that has to be loaded anyway.
        let tied = tied.or_else(|| order.into_iter().find(|&i| self.is_in_memory(node.src[i]))).unwrap_or(order[0]);
        let mut others = [(tied + 1) % 3, (tied + 2) % 3];
        if self.is_in_memory(node.src[others[0]]) && !self.is_in_memory(node.src[others[1]]) {
            others.swap(0, 1);
        }
        let [first, second] = others;
        let a = self.place(node.src[first])?;
        let rm = self.register_or_memory(node.src[second], step.next[second], element)?;
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

    fn verify(&mut self) -> Result<(), OutOfRoom> {
        let difference = self.take(true)?;
        self.code.k_op(super::encode::KOp::Xor, difference, OK, EXEC);
        self.code.k_test(difference, difference);
        self.masks.free |= 1 << difference;
        // jnz, filled in later.
        self.code.raw(&[0x0f, 0x85, 0, 0, 0, 0]);
        self.leave = Some(self.code.bytes.len());
        Ok(())
    }

    fn store(&mut self, step: &Step, n: u8) -> Result<(), OutOfRoom> {
        let value = step.node.src[0];
        let register = self.place(value)?;
        // What the register had at the start may still be wanted.
        let old = self.initial[n as usize];
        if old != Value::NONE && old != value && self.next[old.index()] != NEVER && self.home(old) != Home::Computed {
            self.place(old)?;
            self.list.values[old.index()].home = Home::Computed;
        }
        self.code.store(register, Gpr::Rdi, 256 * n as i32 - BIAS, EXEC);
        if self.home(value) == Home::Computed && self.slot[value.index()] == NO_SLOT {
            // From now on it is there, in the lanes that count.
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
