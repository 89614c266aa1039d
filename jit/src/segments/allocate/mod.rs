//! Allocating: registers for values and code for steps, in one pass.
//!
//! A value is loaded where it is used first and freed where it is used last. When there is no register left, the
//! value whose next use is furthest is vacated; it is loaded again from where it is in memory, or from the frame.

mod emit;
mod lds;
mod loads;
mod moves;
mod rounds;

use std::ops::Range;

use super::encode::{Encoder, Gpr, Joint, Masking, Rm, Width};
use super::list::{Action, Home, List, Node, Value};
use super::ops::{Op, Shape};
use super::plan::{NEVER, Uses};
use super::trace::Trace;
use gcnsim_helpers::segment_frame::{MASK_SPILLS, SPILLS, offset};
pub(super) use lds::Detour;
use lds::InRdx;
pub(super) use loads::{WINDOW, follow_rows};
pub(super) use rounds::Carried;

/// The registers of the mask of active lanes and of the mask of lanes that are right so far: mask registers, or
/// vectors.
pub(super) const fn fixed_registers(width: Width) -> [u8; 2] {
    match width {
        Width::Ymm => [15, 14],
        Width::Zmm => [1, 2],
    }
}

/// Registers that belong to [routines](super::routine): vectors, of which the first has the argument and the result,
/// and masks. They are the ones that are taken last.
const fn routine_registers(width: Width) -> [Range<u32>; 2] {
    match width {
        Width::Ymm => [6..14, 0..0],
        Width::Zmm => [20..32, 6..8],
    }
}

/// Number of bytes by which the pointer to VGPRs lies behind VGPR 0, so that more displacements are short.
pub(super) const BIAS: i32 = 8192;

/// The number in place of a register or slot that a value does not have.
const NOWHERE: u8 = u8::MAX;
const NO_SLOT: u16 = u16::MAX;

/// Predicate of a test: neither source is a NaN.
const ORDERED: u8 = 7;

/// Offsets of the constants of each kind.
#[derive(Clone, Copy, Debug)]
pub(super) struct Layout {
    pub tables: u32,
    pub qwords: u32,
    pub dwords: u32,
    /// Number of copies of a constant that is the same in all lanes: one where instructions broadcast it.
    pub copies: u32,
}

impl Layout {
    /// The layout of the constants of a list.
    pub fn new(list: &List) -> Layout {
        // Instructions of AVX2 do not broadcast an operand.
        let copies = if list.is_narrow { 8 } else { 1 };
        let tables = 64 * list.vectors.len() as u32;
        let qwords = tables + 256 * list.tables.len() as u32;
        // (A vector has half as many qwords. All have as many bytes as a vector.)
        Layout { tables, qwords, dwords: qwords + 4 * copies.max(2) * list.qwords.len() as u32, copies }
    }

    /// Returns the offset of a qword.
    fn qword(&self, i: u16) -> u32 {
        self.qwords + 4 * self.copies.max(2) * i as u32
    }

    /// Returns the offset of a dword.
    pub fn dword(&self, i: u16) -> u32 {
        self.dwords + 4 * self.copies * i as u32
    }
}

/// The registers of a class.
#[derive(Debug)]
struct Class {
    /// The value of each register.
    values: [Value; 32],
    /// Registers without a value.
    free: u32,
    /// Registers that the current step uses.
    pinned: u32,
    /// Slots of the frame that are free again.
    slots: Vec<u16>,
    /// Slots that become free with the next step, because an operand of the current step may lie there.
    dying_slots: Vec<u16>,
    /// Slots that were never used.
    fresh: Range<u16>,
}

impl Class {
    fn new(registers: Range<u32>, slots: usize) -> Class {
        let free = registers.fold(0, |set, n| set | 1 << n);
        Class {
            values: [Value::NONE; 32],
            free,
            pinned: 0,
            slots: Vec::new(),
            dying_slots: Vec::new(),
            fresh: 0..slots as u16,
        }
    }

    /// Begins a step: no register is pinned.
    fn begin(&mut self) {
        self.pinned = 0;
        if !self.dying_slots.is_empty() {
            self.slots.append(&mut self.dying_slots);
        }
    }
}

/// The state of the pass.
pub(super) struct Allocator<'a> {
    list: &'a mut List,
    width: Width,
    exec: u8,
    ok: u8,
    pub initial: &'a [Value; 256],
    layout: Layout,
    /// The lane masks that are results and whose chunks are joined in a register.
    joints: &'a [(u8, Joint)],
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
    /// Offset of the jump out of the chunk.
    pub leave: Option<usize>,
    /// Jumps out of the probe.
    pub declines: Vec<usize>,
    /// Code that is behind the segment.
    pub detours: Vec<Detour>,
    in_rdx: InRdx,
    /// Whether all lanes are known to be active.
    pub all_are_active: bool,
    /// In a strip: for each slot of the frame the number of its record, if it varies from round to round.
    pub records: Option<&'a [Option<u8>; 256]>,
    /// Notes for listings.
    pub trace: Option<Trace>,
}

/// A node, with the uses of its values.
#[derive(Clone, Copy)]
struct Step<'a> {
    node: &'a Node,
    uses: &'a Uses,
}

/// The error of a list whose values need more registers and slots than there are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct OutOfRoom;

impl<'a> Allocator<'a> {
    /// The state before the first node. `next` has the first use of each value.
    pub fn new(
        list: &'a mut List,
        initial: &'a [Value; 256],
        next: Vec<u32>,
        layout: Layout,
        joints: &'a [(u8, Joint)],
    ) -> Allocator<'a> {
        let count = list.values.len();
        let width = if list.is_narrow { Width::Ymm } else { Width::Zmm };
        let [exec, ok] = fixed_registers(width);
        let (vectors, masks) = match (width, list.has_tests) {
            (Width::Ymm, true) => (0..14, 0..0),
            (Width::Ymm, false) => (0..15, 0..0),
            (Width::Zmm, true) => (0..32, 3..8),
            (Width::Zmm, false) => (0..32, 2..8),
        };
        let mut register = vec![NOWHERE; count];
        (register[Value::EXEC.index()], register[Value::OK.index()]) = (exec, ok);
        Allocator {
            list,
            width,
            exec,
            ok,
            initial,
            layout,
            joints,
            code: Encoder::new(width, 16 * count),
            vectors: Class::new(vectors, SPILLS),
            masks: Class::new(masks, MASK_SPILLS),
            register,
            slot: vec![NO_SLOT; count],
            next,
            leave: None,
            declines: Vec::new(),
            detours: Vec::new(),
            in_rdx: InRdx::Other,
            all_are_active: false,
            records: None,
            trace: None,
        }
    }

    /// The same for a routine. It has only the registers of routines and no slots, and `argument` is in the first
    /// one.
    pub fn for_routine(mut self, argument: Value) -> Allocator<'a> {
        let [vectors, masks] = routine_registers(self.width);
        let first = vectors.start;
        (self.vectors, self.masks) = (Class::new(vectors, 0), Class::new(masks, 0));
        self.vectors.free &= !(1 << first);
        self.hold(first as u8, argument);
        self
    }

    /// Emits the code of all nodes.
    pub fn run(&mut self, nodes: &[Node], uses: &[Uses]) -> Result<(), OutOfRoom> {
        let steps = nodes.iter().zip(uses).filter(|(node, _)| node.action != Action::Nothing);
        steps.map(|(node, uses)| Step { node, uses }).try_for_each(|step| self.step(step))
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

    /// Takes a register without a value, and pins it.
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
        self.vacate(register, is_mask)?;
        Ok(register)
    }

    /// Vacates a register: its value is stored to memory, unless it is there.
    fn vacate(&mut self, register: u8, is_mask: bool) -> Result<(), OutOfRoom> {
        let value = self.class(is_mask).values[register as usize];
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
        Ok(())
    }

    fn hold(&mut self, register: u8, value: Value) {
        let is_mask = self.is_mask(value);
        self.class(is_mask).values[register as usize] = value;
        self.register[value.index()] = register;
        if let Some(trace) = &mut self.trace {
            trace.hold(value, register);
        }
    }

    /// Frees the register and the slot of a value that is not used any more.
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
            class.dying_slots.push(slot);
        }
        self.register[value.index()] = NOWHERE;
        self.slot[value.index()] = NO_SLOT;
    }

    /// Returns the register of a value, and pins it. A value without a register is loaded.
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
            Home::Mask(code) if self.width == Width::Zmm => self.code.k_load(register, Gpr::R8, offset::sgpr(code)),
            Home::Mask(code) => self.code.load_signs(register, Gpr::R8, offset::sgpr(code), 0),
            Home::Dword(_) | Home::Qword(_) if self.width == Width::Ymm => {
                let rm = self.memory(value);
                self.code.op(Op::Load, register, 0, rm, plain, 0);
            }
            Home::Scalar(_) | Home::Dword(_) | Home::Bound(_) | Home::Frame(_) => {
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

    /// The place of the element that all lanes have.
    fn element(&self, value: Value) -> Rm {
        match self.home(value) {
            Home::Scalar(code) | Home::Pair(code) => match self.records.and_then(|records| records[code as usize]) {
                Some(record) => Rm::Broadcast(Gpr::R10, 4 * i32::from(record)),
                None => Rm::Broadcast(Gpr::Rsi, offset::sgpr(code)),
            },
            Home::Bound(i) => Rm::Broadcast(Gpr::Rsi, offset::bound(i)),
            Home::Frame(at) => Rm::Broadcast(Gpr::Rsi, at),
            Home::Qword(i) => Rm::BroadcastConstant(self.layout.qword(i)),
            Home::Dword(i) => Rm::BroadcastConstant(self.layout.dword(i)),
            home => unreachable!("{home:?} has no element"),
        }
    }

    /// Returns the place of the lanes of a chunk.
    fn memory(&self, value: Value) -> Rm {
        match self.home(value) {
            Home::Computed => Rm::Memory(Gpr::Rsi, offset::spill(self.slot[value.index()])),
            Home::Vgpr(n) => Rm::Memory(Gpr::Rdi, 256 * n as i32 - BIAS),
            Home::Vector(i) => Rm::Constant(64 * i as u32),
            Home::Lanes(i) => Rm::Memory(Gpr::R9, 256 * i as i32),
            Home::Qword(i) if self.width == Width::Ymm => Rm::Constant(self.layout.qword(i)),
            Home::Dword(i) if self.width == Width::Ymm => Rm::Constant(self.layout.dword(i)),
            home => unreachable!("{home:?} has no lanes"),
        }
    }

    /// The register or the place in memory of a source, for an instruction with elements of `element` bytes. A source
    /// in memory that is not used again gets no register.
    fn register_or_memory(&mut self, value: Value, next: u32, element: u8) -> Result<Rm, OutOfRoom> {
        if self.register[value.index()] == NOWHERE {
            match (self.home(value), element) {
                (Home::Dword(_) | Home::Qword(_), _) if self.width == Width::Ymm => return Ok(self.memory(value)),
                (Home::Scalar(_) | Home::Pair(_) | Home::Bound(_) | Home::Frame(_), _) if self.width == Width::Ymm => {}
                (Home::Scalar(_) | Home::Dword(_) | Home::Bound(_) | Home::Frame(_), 4)
                | (Home::Pair(_) | Home::Qword(_), 8) => return Ok(self.element(value)),
                (Home::Vector(_) | Home::Lanes(_), _) => return Ok(self.memory(value)),
                (Home::Vgpr(_) | Home::Computed, _) if next == NEVER => return Ok(self.memory(value)),
                _ => {}
            }
        }
        Ok(Rm::Register(self.place(value)?))
    }

    /// The register or the place in memory of the last source of an instruction.
    fn last_source(&mut self, op: Op, value: Value, next: u32) -> Result<Rm, OutOfRoom> {
        // (VEX has no shift of what is in memory.)
        let is_shift = matches!(op.row().shape, Shape::Shift(_));
        if op.takes_half() || is_shift && self.width == Width::Ymm {
            return Ok(Rm::Register(self.place(value)?));
        }
        self.register_or_memory(value, next, op.row().element)
    }

    /// Whether an instruction can read the value directly from memory.
    fn is_in_memory(&self, value: Value) -> bool {
        self.register[value.index()] == NOWHERE
    }
}

#[cfg(all(test, unix))]
mod edges_tests;
