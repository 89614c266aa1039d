//! SMRD and SMEM: scalar loads, stores, atomics and clocks (docs/gcn/scalar-memory.md).

use gcnsim_isa::buffer::BufferDescriptor;
use gcnsim_isa::table::{Access as Kind, Smem, Smrd};
use gcnsim_isa::{Inst, Note, Notes, Opcode, ScalarAccess, WaveState};
use gcnsim_machine::{Access, Context, MemoryFault};

use super::Refused;
use super::atomics::{Atomic, Denormals, Operation, Width};

/// A predecoded scalar memory instruction.
#[derive(Clone, Copy)]
pub(super) struct ScalarOp {
    action: Action,
    access: ScalarAccess,
}

/// What a row does.
#[derive(Clone, Copy)]
enum Action {
    Load(Base, u8),
    Store(Base, u8),
    Atomic(Base, Atomic, Width),
    /// Caches, and translations that nobody sees.
    Nothing,
    /// S_MEMTIME, S_MEMREALTIME: see [`read_clock`].
    Clock,
}

/// What the base is, and what the offset register counts.
#[derive(Clone, Copy, PartialEq)]
enum Base {
    /// An address; bytes.
    Address,
    /// A descriptor; bytes.
    Buffer,
    /// An address; units of 64 bytes.
    Scratch,
}

/// Where the dwords of an access lie.
struct Target {
    address: u64,
    /// How many of the first dwords are in range.
    in_range: u8,
}

/// Is it an instruction that reads a clock?
pub(crate) fn is_clock(inst: &Inst) -> bool {
    inst.mem_shape().is_some_and(|shape| shape.kind == Kind::Time)
}

/// Executes S_MEMTIME or S_MEMREALTIME: SDST = number of instructions that the wave completed before it.
pub(crate) fn read_clock(inst: &Inst, state: &mut WaveState, completed: u64) {
    if let Some(access) = inst.scalar_access() {
        write_dwords(state, access.data, [completed as u32, (completed >> 32) as u32]);
    }
    state.notes = state.notes.or(inst.static_notes());
}

impl ScalarOp {
    pub fn new(inst: &Inst) -> Option<ScalarOp> {
        let action = match inst.opcode {
            Opcode::Smrd(op) => smrd(op),
            Opcode::Smem(op) => smem(op),
            _ => return None,
        };
        let access = inst.scalar_access()?;
        (!matches!(action, Action::Clock)).then_some(ScalarOp { action, access })
    }

    /// Reads base and offset first: they may be among what it writes.
    pub fn execute(&self, state: &mut WaveState, context: &mut Context) -> Result<Notes, Refused> {
        let mut notes = Notes::NONE;
        match self.action {
            Action::Load(base, dwords) => {
                let target = self.locate(base, dwords, state, &mut notes);
                let mut bytes = [0; 64];
                let len = 4 * target.in_range as usize;
                if len > 0 {
                    let is_aligned = target.address.is_multiple_of(4 * dwords as u64);
                    load(context, target.address, is_aligned, &mut bytes[..len], &mut notes)?;
                }
                let values = bytes.chunks_exact(4).take(dwords as usize);
                write_dwords(
                    state,
                    self.access.data,
                    values.map(|dword| u32::from_le_bytes([dword[0], dword[1], dword[2], dword[3]])),
                );
            }
            Action::Store(base, dwords) => {
                let target = self.locate(base, dwords, state, &mut notes);
                let values = (0..target.in_range).flat_map(|n| register(state, self.access.data, n).to_le_bytes());
                let values: Vec<u8> = values.collect();
                if !values.is_empty() {
                    context.check(target.address, values.len() as u32, Access::Store, None)?;
                    context.store(target.address, &values);
                }
            }
            Action::Atomic(base, atomic, width) => {
                let old = self.exchange(base, atomic, width, state, context, &mut notes)?;
                if self.access.glc {
                    let old = [old as u32, (old >> 32) as u32];
                    write_dwords(state, self.access.data, old.into_iter().take(width.dwords() as usize));
                }
            }
            Action::Nothing | Action::Clock => {}
        }
        Ok(notes)
    }

    /// The old value; 0 out of range.
    fn exchange(
        &self,
        base: Base,
        atomic: Atomic,
        width: Width,
        state: &WaveState,
        context: &mut Context,
        notes: &mut Notes,
    ) -> Result<u64, Refused> {
        let target = self.locate(base, width.dwords(), state, notes);
        // An operation that begins in range is in range.
        if target.in_range == 0 {
            return Ok(0);
        }
        let (address, bytes) = (target.address, width.bytes() as u32);
        if !address.is_multiple_of(bytes as u64) {
            let fault = MemoryFault { access: Access::Atomic, address, bytes, lane: None };
            return Err(Refused { fault, note: Some(Note::AtomicAlign) });
        }
        context.check(address, bytes, Access::Atomic, None)?;
        let data = |n: u8| {
            let first = n * width.dwords();
            let low = register(state, self.access.data, first) as u64;
            if width == Width::B32 { low } else { low | (register(state, self.access.data, first + 1) as u64) << 32 }
        };
        let operands = [data(0), if atomic == Atomic::Cmpswap { data(1) } else { 0 }];
        let denormals = Denormals::of_mode(state.mode, width);
        let mut operation = Operation { atomic, width, denormals, notes: Notes::NONE };
        Ok(match width {
            Width::B32 => context.update32(address, |old| operation.apply(old as u64, operands) as u32) as u64,
            Width::B64 => context.update64(address, |old| operation.apply(old, operands)),
        })
    }

    fn locate(&self, base: Base, dwords: u8, state: &WaveState, notes: &mut Notes) -> Target {
        let ScalarAccess { base: code, offset: imm, offset_register, .. } = self.access;
        let register_offset = offset_register.map(|code| register(state, code, 0));
        let reg = register_offset.unwrap_or(0) as i64;
        let descriptor = BufferDescriptor([0, 1, 2, 3].map(|n| register(state, code, n)));
        let base_address = match base {
            Base::Address | Base::Scratch => register(state, code, 0) as u64 | (register(state, code, 1) as u64) << 32,
            Base::Buffer => descriptor.base(),
        };
        let reg_bytes = if base == Base::Scratch { 64 * (reg & !3) } else { reg };
        notes.insert_if(base == Base::Scratch && reg & 3 != 0, Note::SmemScratchAlign);
        let misaligned = [base_address & 3 != 0, imm & 3 != 0, reg_bytes & 3 != 0];
        notes.insert_if(misaligned.into_iter().filter(|&low| low).count() >= 2, Note::SmemUnaligned);
        notes.insert_if(register_offset.is_some() && imm + reg_bytes < 0, Note::SmemNegativeOffset);
        if base == Base::Buffer {
            // The offset is aligned as a whole.
            let offset = (imm + reg) & !3;
            let address = (base_address & !3).wrapping_add_signed(offset);
            return Target { address, in_range: dwords_in_range(descriptor, offset, dwords) };
        }
        let offset = (imm & !3) + (reg_bytes & !3);
        Target { address: (base_address & !3).wrapping_add_signed(offset), in_range: dwords }
    }
}

/// Loads bytes. Those of a load that is aligned to its size may end where nothing is mapped.
fn load(
    context: &Context,
    address: u64,
    is_aligned: bool,
    bytes: &mut [u8],
    notes: &mut Notes,
) -> Result<(), MemoryFault> {
    let loaded = context.load(address, bytes, None);
    if loaded.is_err() && is_aligned && context.is_mapped(address) {
        context.load_mapped(address, bytes);
        notes.insert(Note::LoadPastEnd);
        return Ok(());
    }
    loaded
}

/// How many of the first dwords from an aligned offset on are within a descriptor's limit.
fn dwords_in_range(descriptor: BufferDescriptor, offset: i64, dwords: u8) -> u8 {
    let records = descriptor.num_records() as u64;
    let limit = if descriptor.stride() == 0 { records } else { descriptor.stride() as u64 * records };
    match u64::try_from(offset) {
        Ok(offset) => (0..dwords).filter(|&k| offset + 4 * (k as u64) < limit).count() as u8,
        Err(_) => 0,
    }
}

/// Register `n` of those that begin at a code.
fn register(state: &WaveState, first: u8, n: u8) -> u32 {
    state.sgpr[(first as usize + n as usize) & 127]
}

fn write_dwords(state: &mut WaveState, first: u8, values: impl IntoIterator<Item = u32>) {
    for (n, value) in values.into_iter().enumerate() {
        state.sgpr[(first as usize + n) & 127] = value;
    }
}

fn smrd(op: Smrd) -> Action {
    use Base::{Address, Buffer};
    match op {
        Smrd::SLoadDword => Action::Load(Address, 1),
        Smrd::SLoadDwordx2 => Action::Load(Address, 2),
        Smrd::SLoadDwordx4 => Action::Load(Address, 4),
        Smrd::SLoadDwordx8 => Action::Load(Address, 8),
        Smrd::SLoadDwordx16 => Action::Load(Address, 16),
        Smrd::SBufferLoadDword => Action::Load(Buffer, 1),
        Smrd::SBufferLoadDwordx2 => Action::Load(Buffer, 2),
        Smrd::SBufferLoadDwordx4 => Action::Load(Buffer, 4),
        Smrd::SBufferLoadDwordx8 => Action::Load(Buffer, 8),
        Smrd::SBufferLoadDwordx16 => Action::Load(Buffer, 16),
        Smrd::SDcacheInvVol | Smrd::SDcacheInv => Action::Nothing,
        Smrd::SMemtime => Action::Clock,
    }
}

fn smem(op: Smem) -> Action {
    use Base::{Address, Buffer, Scratch};
    use Width::{B32, B64};
    match op {
        Smem::SLoadDword => Action::Load(Address, 1),
        Smem::SLoadDwordx2 => Action::Load(Address, 2),
        Smem::SLoadDwordx4 => Action::Load(Address, 4),
        Smem::SLoadDwordx8 => Action::Load(Address, 8),
        Smem::SLoadDwordx16 => Action::Load(Address, 16),
        Smem::SScratchLoadDword => Action::Load(Scratch, 1),
        Smem::SScratchLoadDwordx2 => Action::Load(Scratch, 2),
        Smem::SScratchLoadDwordx4 => Action::Load(Scratch, 4),
        Smem::SBufferLoadDword => Action::Load(Buffer, 1),
        Smem::SBufferLoadDwordx2 => Action::Load(Buffer, 2),
        Smem::SBufferLoadDwordx4 => Action::Load(Buffer, 4),
        Smem::SBufferLoadDwordx8 => Action::Load(Buffer, 8),
        Smem::SBufferLoadDwordx16 => Action::Load(Buffer, 16),
        Smem::SStoreDword => Action::Store(Address, 1),
        Smem::SStoreDwordx2 => Action::Store(Address, 2),
        Smem::SStoreDwordx4 => Action::Store(Address, 4),
        Smem::SScratchStoreDword => Action::Store(Scratch, 1),
        Smem::SScratchStoreDwordx2 => Action::Store(Scratch, 2),
        Smem::SScratchStoreDwordx4 => Action::Store(Scratch, 4),
        Smem::SBufferStoreDword => Action::Store(Buffer, 1),
        Smem::SBufferStoreDwordx2 => Action::Store(Buffer, 2),
        Smem::SBufferStoreDwordx4 => Action::Store(Buffer, 4),
        Smem::SDcacheInv => Action::Nothing,
        Smem::SDcacheWb => Action::Nothing,
        Smem::SDcacheInvVol => Action::Nothing,
        Smem::SDcacheWbVol => Action::Nothing,
        Smem::SMemtime => Action::Clock,
        Smem::SMemrealtime => Action::Clock,
        Smem::SAtcProbe => Action::Nothing,
        Smem::SAtcProbeBuffer => Action::Nothing,
        Smem::SDcacheDiscard => Action::Nothing,
        Smem::SDcacheDiscardX2 => Action::Nothing,
        Smem::SBufferAtomicSwap => Action::Atomic(Buffer, Atomic::Swap, B32),
        Smem::SBufferAtomicCmpswap => Action::Atomic(Buffer, Atomic::Cmpswap, B32),
        Smem::SBufferAtomicAdd => Action::Atomic(Buffer, Atomic::Add, B32),
        Smem::SBufferAtomicSub => Action::Atomic(Buffer, Atomic::Sub, B32),
        Smem::SBufferAtomicSmin => Action::Atomic(Buffer, Atomic::Smin, B32),
        Smem::SBufferAtomicUmin => Action::Atomic(Buffer, Atomic::Umin, B32),
        Smem::SBufferAtomicSmax => Action::Atomic(Buffer, Atomic::Smax, B32),
        Smem::SBufferAtomicUmax => Action::Atomic(Buffer, Atomic::Umax, B32),
        Smem::SBufferAtomicAnd => Action::Atomic(Buffer, Atomic::And, B32),
        Smem::SBufferAtomicOr => Action::Atomic(Buffer, Atomic::Or, B32),
        Smem::SBufferAtomicXor => Action::Atomic(Buffer, Atomic::Xor, B32),
        Smem::SBufferAtomicInc => Action::Atomic(Buffer, Atomic::Inc, B32),
        Smem::SBufferAtomicDec => Action::Atomic(Buffer, Atomic::Dec, B32),
        Smem::SBufferAtomicSwapX2 => Action::Atomic(Buffer, Atomic::Swap, B64),
        Smem::SBufferAtomicCmpswapX2 => Action::Atomic(Buffer, Atomic::Cmpswap, B64),
        Smem::SBufferAtomicAddX2 => Action::Atomic(Buffer, Atomic::Add, B64),
        Smem::SBufferAtomicSubX2 => Action::Atomic(Buffer, Atomic::Sub, B64),
        Smem::SBufferAtomicSminX2 => Action::Atomic(Buffer, Atomic::Smin, B64),
        Smem::SBufferAtomicUminX2 => Action::Atomic(Buffer, Atomic::Umin, B64),
        Smem::SBufferAtomicSmaxX2 => Action::Atomic(Buffer, Atomic::Smax, B64),
        Smem::SBufferAtomicUmaxX2 => Action::Atomic(Buffer, Atomic::Umax, B64),
        Smem::SBufferAtomicAndX2 => Action::Atomic(Buffer, Atomic::And, B64),
        Smem::SBufferAtomicOrX2 => Action::Atomic(Buffer, Atomic::Or, B64),
        Smem::SBufferAtomicXorX2 => Action::Atomic(Buffer, Atomic::Xor, B64),
        Smem::SBufferAtomicIncX2 => Action::Atomic(Buffer, Atomic::Inc, B64),
        Smem::SBufferAtomicDecX2 => Action::Atomic(Buffer, Atomic::Dec, B64),
        Smem::SAtomicSwap => Action::Atomic(Address, Atomic::Swap, B32),
        Smem::SAtomicCmpswap => Action::Atomic(Address, Atomic::Cmpswap, B32),
        Smem::SAtomicAdd => Action::Atomic(Address, Atomic::Add, B32),
        Smem::SAtomicSub => Action::Atomic(Address, Atomic::Sub, B32),
        Smem::SAtomicSmin => Action::Atomic(Address, Atomic::Smin, B32),
        Smem::SAtomicUmin => Action::Atomic(Address, Atomic::Umin, B32),
        Smem::SAtomicSmax => Action::Atomic(Address, Atomic::Smax, B32),
        Smem::SAtomicUmax => Action::Atomic(Address, Atomic::Umax, B32),
        Smem::SAtomicAnd => Action::Atomic(Address, Atomic::And, B32),
        Smem::SAtomicOr => Action::Atomic(Address, Atomic::Or, B32),
        Smem::SAtomicXor => Action::Atomic(Address, Atomic::Xor, B32),
        Smem::SAtomicInc => Action::Atomic(Address, Atomic::Inc, B32),
        Smem::SAtomicDec => Action::Atomic(Address, Atomic::Dec, B32),
        Smem::SAtomicSwapX2 => Action::Atomic(Address, Atomic::Swap, B64),
        Smem::SAtomicCmpswapX2 => Action::Atomic(Address, Atomic::Cmpswap, B64),
        Smem::SAtomicAddX2 => Action::Atomic(Address, Atomic::Add, B64),
        Smem::SAtomicSubX2 => Action::Atomic(Address, Atomic::Sub, B64),
        Smem::SAtomicSminX2 => Action::Atomic(Address, Atomic::Smin, B64),
        Smem::SAtomicUminX2 => Action::Atomic(Address, Atomic::Umin, B64),
        Smem::SAtomicSmaxX2 => Action::Atomic(Address, Atomic::Smax, B64),
        Smem::SAtomicUmaxX2 => Action::Atomic(Address, Atomic::Umax, B64),
        Smem::SAtomicAndX2 => Action::Atomic(Address, Atomic::And, B64),
        Smem::SAtomicOrX2 => Action::Atomic(Address, Atomic::Or, B64),
        Smem::SAtomicXorX2 => Action::Atomic(Address, Atomic::Xor, B64),
        Smem::SAtomicIncX2 => Action::Atomic(Address, Atomic::Inc, B64),
        Smem::SAtomicDecX2 => Action::Atomic(Address, Atomic::Dec, B64),
    }
}
