//! SMRD and SMEM (docs/gcn/scalar-memory.md).

use gcnsim_isa::table::{Atomic, Base, Transfer};
use gcnsim_isa::{Inst, Note, Src};
use gcnsim_machine::Access;

use super::atomics::Operation;
use super::fast;
use super::{Action, Body, Helper, Machine, MemoryOp, Refused, Uses, execute};
use crate::host::Host;

/// A SMRD or SMEM instruction.
#[derive(Clone, Copy, Debug)]
pub(super) struct ScalarOp {
    act: Act,
    base: Base,
    /// Dwords of the data.
    dwords: u8,
    /// First register of the data.
    data: u8,
    /// First register of the base.
    base_register: u8,
    /// Constant offset, in bytes.
    offset: i64,
    /// Register with another offset.
    offset_register: Option<u8>,
    /// Dwords of the result.
    result: u8,
}

/// The action at the address.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Act {
    Load,
    Store,
    Atomic(Atomic),
    /// The clock is read.
    Time,
    /// An action without visible effect.
    Nothing,
}

/// The bytes that an instruction reaches.
struct Reach {
    address: u64,
    /// Number of its dwords that are in range.
    dwords: usize,
}

/// The unit of the offset register of S_SCRATCH_*, in bytes.
const SCRATCH_UNIT: i64 = 64;

fn is_misaligned(part: i64) -> bool {
    part & 3 != 0
}

fn aligned(part: i64) -> i64 {
    part & !3
}

impl Act {
    /// The action for a transfer, and the number of dwords; `None` if no row of SMRD or SMEM has that transfer.
    fn of(transfer: Transfer) -> Option<(Act, u8)> {
        match transfer {
            Transfer::Load(load) => Some((Act::Load, load.registers())),
            Transfer::Store(store) => Some((Act::Store, store.registers())),
            Transfer::Atomic(atomic, width) => Some((Act::Atomic(atomic), width.dwords())),
            Transfer::Clock => Some((Act::Time, 2)),
            // Cache instructions, discards and probes do not access their addresses.
            Transfer::Cache | Transfer::Discard | Transfer::Probe => Some((Act::Nothing, 0)),
            Transfer::LoadFormat(..) | Transfer::StoreFormat(..) | Transfer::StoreLds | Transfer::Share(_) => None,
        }
    }
}

impl ScalarOp {
    pub fn new(inst: &Inst) -> Option<ScalarOp> {
        let (access, shape) = (inst.scalar_access()?, inst.mem_shape()?);
        let (act, dwords) = Act::of(shape.moves)?;
        let base = if act == Act::Nothing { Base::None } else { shape.base };
        Some(ScalarOp {
            act,
            base,
            dwords,
            data: access.data,
            base_register: access.base,
            offset: access.offset,
            offset_register: access.offset_register.filter(|_| base != Base::None),
            result: inst.memory_result_dwords() as u8,
        })
    }

    pub fn uses(&self) -> Uses {
        let base_dwords = self.base.dwords();
        let data_dwords = match self.act {
            Act::Store => self.dwords,
            Act::Atomic(atomic) => atomic.operands() * self.dwords,
            Act::Load | Act::Time | Act::Nothing => 0,
        };
        Uses {
            base: (base_dwords > 0).then_some((self.base_register, base_dwords)),
            offset: self.offset_register.map(Src::Sgpr),
            completed: self.act == Act::Time,
            data: (data_dwords > 0).then_some((self.data, data_dwords)),
            result: (self.result > 0).then_some((self.data, self.result)),
            ..Uses::default()
        }
    }

    pub fn helper(&self) -> Helper {
        match (self.act, self.base, self.dwords) {
            (Act::Load, Base::Address, 1) => execute::<Load<1>>,
            (Act::Load, Base::Address, 2) => execute::<Load<2>>,
            (Act::Load, Base::Address, 4) => execute::<Load<4>>,
            (Act::Load, Base::Address, 8) => execute::<Load<8>>,
            (Act::Load, Base::Address, 16) => execute::<Load<16>>,
            (Act::Load, Base::Buffer, 1) => execute::<BufferLoad<1>>,
            (Act::Load, Base::Buffer, 2) => execute::<BufferLoad<2>>,
            (Act::Load, Base::Buffer, 4) => execute::<BufferLoad<4>>,
            (Act::Load, Base::Buffer, 8) => execute::<BufferLoad<8>>,
            (Act::Load, Base::Buffer, 16) => execute::<BufferLoad<16>>,
            _ => execute::<super::Any>,
        }
    }

    /// The helper of [`MemoryOp::ahead`].
    pub fn helper_ahead(&self) -> Helper {
        match self.dwords {
            1 => execute::<LoadAhead<1>>,
            2 => execute::<LoadAhead<2>>,
            4 => execute::<LoadAhead<4>>,
            8 => execute::<LoadAhead<8>>,
            _ => execute::<LoadAhead<16>>,
        }
    }

    pub fn execute(&self, m: &mut Machine<'_>) -> Result<(), Refused> {
        match self.act {
            Act::Nothing => Ok(()),
            Act::Time => {
                let clock = m.scalars.completed;
                m.scalars.data[..2].copy_from_slice(&[clock as u32, (clock >> 32) as u32]);
                Ok(())
            }
            Act::Load => {
                let reach = self.reach(m);
                self.load(m, reach)
            }
            Act::Store => {
                let reach = self.reach(m);
                self.store(m, reach)
            }
            Act::Atomic(atomic) => {
                let reach = self.reach(m);
                self.update(m, atomic, reach)
            }
        }
    }

    #[inline]
    fn reach(&self, m: &mut Machine<'_>) -> Reach {
        match self.base {
            Base::Buffer => self.reach_in_buffer(m),
            _ => Reach { address: self.address(m), dwords: self.dwords.into() },
        }
    }

    /// The address without a descriptor. Base and offsets are aligned one by one.
    #[inline]
    fn address(&self, m: &mut Machine<'_>) -> u64 {
        let base = u64::from(m.scalars.base[0]) | u64::from(m.scalars.base[1]) << 32;
        let register = match (self.offset_register, self.base) {
            (None, _) => 0,
            (Some(_), Base::Scratch) => {
                let units = i64::from(m.scalars.offset);
                m.notes.insert_if(is_misaligned(units), Note::SmemScratchAlign);
                aligned(units) * SCRATCH_UNIT
            }
            (Some(_), _) => i64::from(m.scalars.offset),
        };
        self.note(m, base, register);
        let offset = aligned(self.offset).wrapping_add(aligned(register));
        (base & !3).wrapping_add(offset as u64)
    }

    /// The address by a descriptor, whose size limits the access (docs/gcn/memory.md).
    fn reach_in_buffer(&self, m: &mut Machine<'_>) -> Reach {
        let [low, high, records, _] = m.scalars.base;
        let base = u64::from(low) | u64::from(high & 0xffff) << 32;
        let stride = u64::from(high >> 16 & 0x3fff);
        let limit = if stride == 0 { records.into() } else { stride * u64::from(records) };
        let register = self.offset_register.map_or(0, |_| i64::from(m.scalars.offset));
        self.note(m, base, register);
        let offset = aligned(self.offset + register);
        let dwords = match u64::try_from(offset) {
            Ok(offset) => limit.saturating_sub(offset).div_ceil(4).min(self.dwords.into()),
            Err(_) => 0,
        };
        Reach { address: (base & !3).wrapping_add(offset as u64), dwords: dwords as usize }
    }

    /// Raises the notes on the parts of an address.
    #[inline]
    fn note(&self, m: &mut Machine<'_>, base: u64, register: i64) {
        if (base as i64 | self.offset | register) & 3 == 0 && self.offset >= 0 {
            return;
        }
        let misaligned = [base as i64, self.offset, register].map(|part| u8::from(is_misaligned(part)));
        m.notes.insert_if(misaligned.iter().sum::<u8>() > 1, Note::SmemUnaligned);
        let is_negative = self.offset_register.is_some() && self.offset + register < 0;
        m.notes.insert_if(is_negative, Note::SmemNegativeOffset);
    }

    /// Executes a load at any place. It may end where nothing is mapped, if dwords that only low bits of the address
    /// tell apart, six at most, which are 0 in the load's own, begin with a mapped one.
    #[cold]
    #[inline(never)]
    fn load(&self, m: &mut Machine<'_>, reach: Reach) -> Result<(), Refused> {
        let mut bytes = [0; 64];
        let mapped = &mut bytes[..4 * reach.dwords];
        if reach.dwords > 0 && m.context.load(reach.address, mapped, None).is_err() {
            let low = !reach.address & reach.address.wrapping_sub(1) & 63;
            let is_there = |k: usize| m.context.is_mapped(reach.address.wrapping_add((4 * k as u64) & !low));
            if !(0..reach.dwords).all(is_there) {
                return Err(Refused);
            }
            m.context.load_mapped(reach.address, mapped);
            m.notes.insert(Note::LoadPastEnd);
        }
        for (to, from) in m.scalars.data.iter_mut().zip(bytes.as_chunks().0).take(self.dwords.into()) {
            *to = u32::from_le_bytes(*from);
        }
        Ok(())
    }

    fn store(&self, m: &mut Machine<'_>, reach: Reach) -> Result<(), Refused> {
        if reach.dwords == 0 {
            return Ok(());
        }
        let mut bytes = [0; 64];
        for (to, from) in bytes.as_chunks_mut().0.iter_mut().zip(m.scalars.data) {
            *to = from.to_le_bytes();
        }
        let len = 4 * reach.dwords;
        m.context.check(reach.address, len as u32, Access::Store, None).map_err(|_| Refused)?;
        m.context.store(reach.address, &bytes[..len]);
        Ok(())
    }

    /// Executes an atomic, which is in range if its first dword is.
    fn update(&self, m: &mut Machine<'_>, atomic: Atomic, reach: Reach) -> Result<(), Refused> {
        let bytes = 4 * self.dwords;
        let mut old = 0;
        if reach.dwords > 0 {
            if !reach.address.is_multiple_of(bytes.into()) {
                return Err(Refused);
            }
            m.context.check(reach.address, bytes.into(), Access::Atomic, None).map_err(|_| Refused)?;
            let operation = Operation { atomic, bytes, mode: m.scalars.mode };
            let [a, b, c, d] = [0, 1, 2, 3].map(|i| u64::from(m.scalars.data[i]));
            let Machine { context, notes, .. } = m;
            old = match bytes {
                4 => context.update32(reach.address, |old| operation.apply(old.into(), [a, b], notes) as u32).into(),
                _ => context.update64(reach.address, |old| operation.apply(old, [a | b << 32, c | d << 32], notes)),
            };
        }
        if self.result > 0 {
            m.scalars.data[..2].copy_from_slice(&[old as u32, (old >> 32) as u32]);
        }
        Ok(())
    }
}

/// The fast path of a load of `N` dwords by address.
struct Load<const N: usize>;

impl<const N: usize> Body for Load<N> {
    #[inline(always)]
    fn run<H: Host>(_: H, op: &MemoryOp, m: &mut Machine<'_>) -> Result<(), Refused> {
        let Action::Scalar(op) = &op.action else { return Err(Refused) };
        let address = op.address(m);
        op.load_dwords::<N>(m, address)
    }
}

/// The fast path of a load of `N` dwords by descriptor. Most are in range as a whole.
struct BufferLoad<const N: usize>;

impl<const N: usize> Body for BufferLoad<N> {
    #[inline(always)]
    fn run<H: Host>(_: H, op: &MemoryOp, m: &mut Machine<'_>) -> Result<(), Refused> {
        let Action::Scalar(op) = &op.action else { return Err(Refused) };
        let reach = op.reach_in_buffer(m);
        if reach.dwords == N { op.load_dwords::<N>(m, reach.address) } else { op.load(m, reach) }
    }
}

/// A load of `N` dwords that nobody may see.
struct LoadAhead<const N: usize>;

impl<const N: usize> Body for LoadAhead<N> {
    #[inline(always)]
    fn run<H: Host>(_: H, op: &MemoryOp, m: &mut Machine<'_>) -> Result<(), Refused> {
        let Action::Scalar(op) = &op.action else { return Err(Refused) };
        let register = op.offset_register.map_or(0, |_| i64::from(m.scalars.offset));
        let raises_notes = is_misaligned(i64::from(m.scalars.base[0]) | op.offset | register) || op.offset < 0;
        if raises_notes || (op.act, usize::from(op.dwords)) != (Act::Load, N) || op.base == Base::Scratch {
            return Err(Refused);
        }
        let reach = op.reach(m);
        let read = || fast::read_unmarked::<N>(m, gcnsim_machine::canonical(reach.address));
        (reach.dwords == N).then(read).flatten().ok_or(Refused)
    }
}

impl ScalarOp {
    /// Loads `N` dwords, first trying the mapping that the instruction reached last.
    #[inline(always)]
    fn load_dwords<const N: usize>(&self, m: &mut Machine<'_>, address: u64) -> Result<(), Refused> {
        match fast::read::<N>(m, gcnsim_machine::canonical(address)) {
            Some(()) => Ok(()),
            None => self.load(m, Reach { address, dwords: N }),
        }
    }
}
