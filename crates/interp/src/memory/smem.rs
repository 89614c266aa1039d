//! SMRD and SMEM: scalar loads, stores, atomics and clocks (docs/gcn/scalar-memory.md).

use gcnsim_isa::buffer::BufferDescriptor;
use gcnsim_isa::table::{Atomic, Base, Transfer, Width};
use gcnsim_isa::{Inst, Note, Notes, ScalarAccess, WaveState};
use gcnsim_machine::{Access, Context, MemoryFault};

use super::atomics::{Denormals, Operation};
use super::{Effect, Refused};

/// A predecoded scalar memory instruction.
#[derive(Clone, Copy)]
pub(super) struct ScalarOp {
    action: Action,
    base: Base,
    access: ScalarAccess,
}

/// The action of a row.
#[derive(Clone, Copy)]
enum Action {
    /// So many dwords.
    Load(u8),
    Store(u8),
    Atomic(Atomic, Width),
    /// An action without visible effect: on caches, or on translations of addresses.
    Nothing,
}

/// The dwords of an access.
struct Target {
    address: u64,
    /// Number of dwords in range, counted from the first.
    in_range: u8,
}

/// Whether the instruction reads a clock.
pub(crate) fn is_clock(inst: &Inst) -> bool {
    inst.transfer() == Some(Transfer::Clock)
}

/// Executes S_MEMTIME or S_MEMREALTIME: SDST = number of instructions that the wave completed before it.
pub(crate) fn read_clock(inst: &Inst, state: &mut WaveState, completed: u64) {
    if let Some(access) = inst.scalar_access() {
        write_dwords(state, access.data, [completed as u32, (completed >> 32) as u32]);
    }
    state.notes = state.notes.or(inst.static_notes());
}

impl Action {
    /// `None`: a clock, which [`read_clock`] reads, or what no row of these encodings moves.
    fn of(transfer: Transfer) -> Option<Action> {
        match transfer {
            Transfer::Load(load) => Some(Action::Load(load.registers())),
            Transfer::Store(store) => Some(Action::Store(store.registers())),
            Transfer::Atomic(atomic, width) => Some(Action::Atomic(atomic, width)),
            Transfer::Cache | Transfer::Discard | Transfer::Probe => Some(Action::Nothing),
            Transfer::Clock => None,
            Transfer::LoadFormat(..) | Transfer::StoreFormat(..) | Transfer::StoreLds | Transfer::Share(_) => None,
        }
    }
}

impl ScalarOp {
    pub fn new(inst: &Inst) -> Option<ScalarOp> {
        let (access, shape) = (inst.scalar_access()?, inst.mem_shape()?);
        Some(ScalarOp { action: Action::of(shape.moves)?, base: shape.base, access })
    }

    /// Reads base and offset first: they may be among what it writes.
    pub fn execute(&self, state: &mut WaveState, context: &mut Context) -> Result<Notes, Refused> {
        let mut notes = Notes::NONE;
        match self.action {
            Action::Load(dwords) => {
                let target = self.locate(dwords, state, &mut notes);
                let mut bytes = [0; 64];
                let len = 4 * target.in_range as usize;
                if len > 0 {
                    load(context, target.address, &mut bytes[..len], &mut notes)?;
                }
                let values = bytes.chunks_exact(4).take(dwords as usize);
                write_dwords(
                    state,
                    self.access.data,
                    values.map(|dword| u32::from_le_bytes([dword[0], dword[1], dword[2], dword[3]])),
                );
            }
            Action::Store(dwords) => {
                let target = self.locate(dwords, state, &mut notes);
                let values = (0..target.in_range).flat_map(|n| register(state, self.access.data, n).to_le_bytes());
                let values: Vec<u8> = values.collect();
                if !values.is_empty() {
                    context.check(target.address, values.len() as u32, Access::Store, None)?;
                    context.store(target.address, &values);
                }
            }
            Action::Atomic(atomic, width) => {
                let old = self.exchange(atomic, width, state, context, &mut notes)?;
                if self.access.glc {
                    let old = [old as u32, (old >> 32) as u32];
                    write_dwords(state, self.access.data, old.into_iter().take(width.dwords() as usize));
                }
            }
            Action::Nothing => {}
        }
        Ok(notes)
    }

    /// What it may do outside the wave.
    pub fn effect(&self) -> Effect {
        match self.action {
            Action::Load(_) => Effect::Reads,
            Action::Store(_) | Action::Atomic(..) => Effect::Writes,
            Action::Nothing => Effect::Nothing,
        }
    }

    /// Address and number of the bytes that it accesses, as far as they are in range.
    pub fn located(&self, state: &WaveState) -> Option<(u64, u8)> {
        let dwords = match self.action {
            Action::Load(dwords) | Action::Store(dwords) => dwords,
            Action::Atomic(_, width) => width.dwords(),
            Action::Nothing => return None,
        };
        let target = self.locate(dwords, state, &mut Notes::NONE.clone());
        (target.in_range > 0).then_some((target.address, 4 * target.in_range))
    }

    /// The old value; 0 out of range.
    fn exchange(
        &self,
        atomic: Atomic,
        width: Width,
        state: &WaveState,
        context: &mut Context,
        notes: &mut Notes,
    ) -> Result<u64, Refused> {
        let target = self.locate(width.dwords(), state, notes);
        // An operation that begins in range is in range.
        if target.in_range == 0 {
            return Ok(0);
        }
        let (mut address, bytes) = (target.address, width.bytes() as u32);
        let is_misaligned = !address.is_multiple_of(bytes as u64);
        if is_misaligned && context.allows_all() {
            notes.insert(Note::AtomicAlign);
            address -= address % u64::from(bytes);
        } else if is_misaligned {
            let fault = MemoryFault { access: Access::Atomic, address, bytes, lane: None };
            return Err(Refused { fault, note: Some(Note::AtomicAlign) });
        }
        context.check(address, bytes, Access::Atomic, None)?;
        let data = |n: u8| {
            let first = n * width.dwords();
            let low = register(state, self.access.data, first) as u64;
            if width == Width::B32 { low } else { low | (register(state, self.access.data, first + 1) as u64) << 32 }
        };
        let operands = [data(0), if atomic.operands() == 2 { data(1) } else { 0 }];
        let denormals = Denormals::of_mode(state.mode, width);
        let mut operation = Operation { atomic, width, denormals, notes: Notes::NONE };
        Ok(match width {
            Width::B32 => context.update32(address, |old| operation.apply(old as u64, operands) as u32) as u64,
            Width::B64 => context.update64(address, |old| operation.apply(old, operands)),
        })
    }

    fn locate(&self, dwords: u8, state: &WaveState, notes: &mut Notes) -> Target {
        let ScalarAccess { base: code, offset: imm, offset_register, .. } = self.access;
        let register_offset = offset_register.map(|code| register(state, code, 0));
        let reg = register_offset.unwrap_or(0) as i64;
        let descriptor = BufferDescriptor([0, 1, 2, 3].map(|n| register(state, code, n)));
        let base_address = match self.base {
            Base::None | Base::Address | Base::Scratch => {
                register(state, code, 0) as u64 | (register(state, code, 1) as u64) << 32
            }
            Base::Buffer => descriptor.base(),
        };
        let reg_bytes = if self.base == Base::Scratch { 64 * (reg & !3) } else { reg };
        notes.insert_if(self.base == Base::Scratch && reg & 3 != 0, Note::SmemScratchAlign);
        let misaligned = [base_address & 3 != 0, imm & 3 != 0, reg_bytes & 3 != 0];
        notes.insert_if(misaligned.into_iter().filter(|&low| low).count() >= 2, Note::SmemUnaligned);
        notes.insert_if(register_offset.is_some() && imm + reg_bytes < 0, Note::SmemNegativeOffset);
        if self.base == Base::Buffer {
            // The offset is aligned as a whole.
            let offset = (imm + reg) & !3;
            let address = (base_address & !3).wrapping_add_signed(offset);
            return Target { address, in_range: dwords_in_range(descriptor, offset, dwords) };
        }
        let offset = (imm & !3) + (reg_bytes & !3);
        Target { address: (base_address & !3).wrapping_add_signed(offset), in_range: dwords }
    }
}

/// Loads bytes. Parts as large as the address is aligned, at most of 64 bytes, may end where nothing is mapped.
fn load(context: &Context, address: u64, bytes: &mut [u8], notes: &mut Notes) -> Result<(), MemoryFault> {
    let loaded = context.load(address, bytes, None);
    let part = 1 << address.trailing_zeros().min(6);
    let begins = |at: usize| context.is_mapped(address.wrapping_add(at as u64));
    if loaded.is_err() && (0..bytes.len()).step_by(part).all(begins) {
        context.load_mapped(address, bytes);
        notes.insert(Note::LoadPastEnd);
        return Ok(());
    }
    loaded
}

/// Number of dwords from the aligned `offset` on that are within the limit of the descriptor, counted from the
/// first.
fn dwords_in_range(descriptor: BufferDescriptor, offset: i64, dwords: u8) -> u8 {
    let records = descriptor.num_records() as u64;
    let limit = if descriptor.stride() == 0 { records } else { descriptor.stride() as u64 * records };
    match u64::try_from(offset) {
        Ok(offset) => (0..dwords).filter(|&k| offset + 4 * (k as u64) < limit).count() as u8,
        Err(_) => 0,
    }
}

/// Register `first + n`.
fn register(state: &WaveState, first: u8, n: u8) -> u32 {
    state.sgpr[(first as usize + n as usize) & 127]
}

fn write_dwords(state: &mut WaveState, first: u8, values: impl IntoIterator<Item = u32>) {
    for (n, value) in values.into_iter().enumerate() {
        state.sgpr[(first as usize + n) & 127] = value;
    }
}
