//! FLAT, GLOBAL and SCRATCH (docs/gcn/flat.md): global addresses, the apertures of LDS and scratch, and scratch
//! itself.

use gcnsim_isa::table::{Atomic, Load, Store, Transfer, Width};
use gcnsim_isa::{FlatAccess, Inst, LANES, Note, Opcode, flat_scratch};
use gcnsim_machine::{Access, Guess, MemoryFault, Place};

use super::lanes::{LaneWrite, Pieces};
use super::transfer::{Bytes, Loads, Stores, of_dwords};
use super::{Machine, Refused};

/// A predecoded FLAT, GLOBAL or SCRATCH instruction.
#[derive(Clone, Copy)]
pub(super) struct FlatOp {
    action: Action,
    segment: Segment,
    access: FlatAccess,
}

/// The action of a row.
#[derive(Clone, Copy)]
enum Action {
    Load(Load),
    Store(Store),
    Atomic(Atomic, Width),
}

/// The kind of addresses.
#[derive(Clone, Copy, PartialEq)]
enum Segment {
    /// Global ones, or such as an aperture turns into LDS or scratch; each lane by itself.
    Flat,
    Global,
    Scratch,
}

/// The memory that a FLAT address reaches.
#[derive(Clone, Copy, PartialEq)]
enum Window {
    Global,
    Shared,
    Private,
}

impl Action {
    /// `None`: no row of these encodings moves that.
    fn of(transfer: Transfer) -> Option<Action> {
        use Transfer::{Cache, Clock, Discard, LoadFormat, Probe, Share, StoreFormat, StoreLds};
        match transfer {
            Transfer::Load(load) => Some(Action::Load(load)),
            Transfer::Store(store) => Some(Action::Store(store)),
            Transfer::Atomic(atomic, width) => Some(Action::Atomic(atomic, width)),
            LoadFormat(..) | StoreFormat(..) | StoreLds | Cache | Discard | Probe | Clock | Share(_) => None,
        }
    }
}

impl FlatOp {
    pub fn new(inst: &Inst) -> Option<FlatOp> {
        let segment = match inst.opcode {
            Opcode::Flat(_) => Segment::Flat,
            Opcode::Global(_) => Segment::Global,
            Opcode::Scratch(_) => Segment::Scratch,
            _ => return None,
        };
        Some(FlatOp { action: Action::of(inst.transfer()?)?, segment, access: inst.flat_access()? })
    }

    pub fn execute(&self, m: &mut Machine) -> Result<(), Refused> {
        match self.action {
            Action::Load(loaded) if self.access.lds => self.load_to_lds(m, loaded),
            Action::Load(loaded) => self.load(m, loaded),
            Action::Store(stored) => self.store(m, stored),
            Action::Atomic(atomic, width) => self.exchange(m, atomic, width),
        }
    }

    /// The kind of access.
    pub fn access(&self) -> Access {
        match self.action {
            Action::Load(_) => Access::Load,
            Action::Store(_) => Access::Store,
            Action::Atomic(..) => Access::Atomic,
        }
    }

    /// The bytes of all active lanes, except those that memory refuses.
    pub fn located(&self, m: &mut Machine) -> Vec<Pieces> {
        let bytes = match self.action {
            Action::Load(loaded) => loaded.bytes,
            Action::Store(stored) => stored.bytes,
            Action::Atomic(_, width) => width.bytes(),
        };
        m.active().map(|lane| self.locate(m, lane, bytes, self.access()).unwrap_or(Pieces::NONE)).collect()
    }

    fn load(&self, m: &mut Machine, loaded: Load) -> Result<(), Refused> {
        let FlatAccess { vdst, tfe, .. } = self.access;
        if !m.has_registers(vdst, loaded.registers() + tfe as u8) {
            return Ok(());
        }
        if self.load_together(m, loaded) {
            return Ok(());
        }
        let (mut results, guess) = (Vec::with_capacity(64), Guess::default());
        for lane in m.active() {
            let data = match self.load_whole(m, lane, loaded.bytes, &guess) {
                Some(data) => data,
                None => {
                    let pieces = self.locate(m, lane, loaded.bytes, Access::Load)?;
                    m.load(lane, &pieces)?
                }
            };
            results.push((lane, data));
        }
        loaded.write(m.vgprs, vdst, &results);
        if tfe {
            m.write_status(vdst, loaded.registers());
        }
        Ok(())
    }

    /// Loads for all lanes at once, if their data lie in one mapping of guest memory. Returns whether they do.
    fn load_together(&self, m: &mut Machine, loaded: Load) -> bool {
        let (Some(addresses), exec) = (self.addresses(m), m.state.exec()) else { return false };
        let mut elements = [[0; LANES]; 4];
        if !m.context.load_lanes(&Guess::default(), &addresses, exec, loaded.bytes, &mut elements) {
            return false;
        }
        loaded.write_all(m.vgprs, self.access.vdst, exec, &elements);
        if self.access.tfe {
            m.write_status(self.access.vdst, loaded.registers());
        }
        true
    }

    /// The addresses of all lanes; `None` in scratch, if the wave lacks a register of them, or if an active lane's lies
    /// in an aperture.
    fn addresses(&self, m: &Machine) -> Option<[u64; LANES]> {
        let FlatAccess { addr, saddr, offset, .. } = self.access;
        let low = &m.vgprs.get(addr as usize)?.0;
        let bases: [u64; LANES] = match saddr {
            _ if self.segment == Segment::Scratch => return None,
            Some(code) => {
                let base = m.scalar_pair(code);
                std::array::from_fn(|lane| base.wrapping_add(low[lane].into()))
            }
            None => {
                let high = &m.vgprs.get(addr as usize + 1)?.0;
                std::array::from_fn(|lane| u64::from(low[lane]) | u64::from(high[lane]) << 32)
            }
        };
        let addresses = bases.map(|base| base.wrapping_add_signed(offset.into()));
        let is_global = |address| window(m, address) == Window::Global;
        let mut active = m.active().map(usize::from);
        let are_global =
            m.context.apertures.is_none() || active.all(|lane| is_global(bases[lane]) && is_global(addresses[lane]));
        are_global.then_some(addresses)
    }

    /// The data of a lane, if they lie in one mapping of guest memory.
    fn load_whole(&self, m: &mut Machine, lane: u8, bytes: u8, guess: &Guess) -> Option<Bytes> {
        if self.segment == Segment::Scratch {
            return None;
        }
        let address = self.address(m, lane);
        let mut data = [0; 16];
        let is_loaded =
            window(m, address) == Window::Global && m.context.load_again(guess, address, &mut data[..bytes as usize]);
        is_loaded.then_some(data)
    }

    /// Loads to LDS. Each lane's data go to the dword of LDS at M0 + OFFSET + 4 * lane; lanes without such a dword
    /// do nothing.
    fn load_to_lds(&self, m: &mut Machine, loaded: Load) -> Result<(), Refused> {
        let base = (m.m0() & 0xfffc) as i64 + self.access.offset as i64;
        let mut writes = Vec::with_capacity(64);
        for lane in m.active() {
            let Some(at) = m.lds_dword(base, lane) else { continue };
            let pieces = self.locate(m, lane, loaded.bytes, Access::Load)?;
            let data = m.load(lane, &pieces)?;
            writes.push(LaneWrite { lane, pieces: at, data: of_dwords([loaded.register(&data, 0, 0)]) });
        }
        m.store_all(&writes);
        Ok(())
    }

    /// Stores for all lanes at once, if their data lie in one mapping of guest memory, each lane's behind that of the
    /// one before it. Returns whether they do.
    fn store_together(&self, m: &mut Machine, stored: Store) -> bool {
        let first = self.access.data as usize;
        let registers = m.vgprs.get(first..first + stored.registers() as usize);
        let (Some(registers), Some(addresses)) = (registers, self.addresses(m)) else { return false };
        let mut elements = [[0; LANES]; 4];
        for (element, register) in elements.iter_mut().zip(registers) {
            *element = register.0;
        }
        if stored.high {
            elements[0] = elements[0].map(|dword| dword >> 16);
        }
        m.context.store_lanes(&addresses, m.state.exec(), stored.bytes, &elements)
    }

    fn store(&self, m: &mut Machine, stored: Store) -> Result<(), Refused> {
        if self.store_together(m, stored) {
            return Ok(());
        }
        let mut writes = Vec::with_capacity(64);
        for lane in m.active() {
            let pieces = self.locate(m, lane, stored.bytes, Access::Store)?;
            m.check(lane, &pieces, Access::Store)?;
            let data = stored.data(|n| m.vgpr(self.access.data, n, lane));
            writes.push(LaneWrite { lane, pieces, data });
        }
        m.store_all(&writes);
        Ok(())
    }

    fn exchange(&self, m: &mut Machine, atomic: Atomic, width: Width) -> Result<(), Refused> {
        let FlatAccess { data, vdst, glc, tfe, .. } = self.access;
        if glc && !m.has_registers(vdst, width.dwords() + tfe as u8) {
            return Ok(());
        }
        let mut writes = Vec::with_capacity(64);
        for lane in m.active() {
            let mut pieces = self.locate(m, lane, width.bytes(), Access::Atomic)?;
            if !m.context.allows_all() {
                m.check(lane, &pieces, Access::Atomic)?;
            }
            // Scratch is misaligned where FLAT_SCRATCH is.
            m.check_alignment(lane, &mut pieces)?;
            m.check(lane, &pieces, Access::Atomic)?;
            writes.push(LaneWrite { lane, pieces, data: m.operands(data, atomic, width, lane) });
        }
        let old = m.exchange_all(m.operation(atomic, width), &writes, glc);
        if glc {
            Load::dwords(width.dwords()).write(m.vgprs, vdst, &old);
            if tfe {
                m.write_status(vdst, width.dwords());
            }
        }
        Ok(())
    }

    /// The bytes of a lane.
    fn locate(&self, m: &mut Machine, lane: u8, bytes: u8, access: Access) -> Result<Pieces, Refused> {
        let fault = |address| MemoryFault { access, address, bytes: bytes as u32, lane: Some(lane) };
        let is_misaligned = |at: u64| access == Access::Atomic && !at.is_multiple_of(bytes as u64);
        if self.segment == Segment::Scratch {
            let offset = self.scratch_offset(m, lane);
            return Ok(private(m.scalar_pair(flat_scratch(m.arch)), offset, lane, bytes));
        }
        let mut address = self.address(m, lane);
        if is_misaligned(address) && m.context.allows_all() {
            m.notes.insert(Note::AtomicAlign);
            address -= address % u64::from(bytes);
        } else if is_misaligned(address) {
            return Err(Refused { fault: fault(address), note: Some(Note::AtomicAlign) });
        }
        match (window(m, address), self.segment) {
            (Window::Global, _) => Ok(Pieces::one(Place::Memory, address, bytes)),
            (Window::Shared, Segment::Flat) => match m.context.share(Place::Lds, address as u32, bytes as usize) {
                Some(_) => Ok(Pieces::one(Place::Lds, address as u32 as u64, bytes)),
                None if m.context.allows_all() => Ok(Pieces::NONE),
                None => Err(fault(address).into()),
            },
            (Window::Private, Segment::Flat) => {
                let (offset, base) = (address as u32, m.scalar_pair(flat_scratch(m.arch)));
                if m.arch.is_gcn14_or_later() {
                    return Ok(private(base, offset, lane, bytes));
                }
                let (share, blocks) = (base as u32, base >> 32);
                let hidden = m.context.apertures.map_or(0, |apertures| apertures.hidden_private_base);
                let pieces = private(hidden.wrapping_add(256 * blocks), offset, lane, bytes);
                if offset as u64 + bytes as u64 > share as u64 && !m.context.allows_all() {
                    let address = pieces.iter().next().map_or(address, |piece| piece.address);
                    return Err(Refused { fault: fault(address), note: Some(Note::ScratchOob) });
                }
                Ok(pieces)
            }
            _ if m.context.allows_all() => Ok(Pieces::one(Place::Memory, address, bytes)),
            // Only FLAT looks at windows.
            (Window::Shared | Window::Private, _) => Err(fault(address).into()),
        }
    }

    fn address(&self, m: &mut Machine, lane: u8) -> u64 {
        let FlatAccess { addr, saddr, offset, .. } = self.access;
        let base = match saddr {
            Some(code) => m.scalar_pair(code).wrapping_add(m.vgpr(addr, 0, lane) as u64),
            None => m.vgpr_pair(addr, lane),
        };
        let address = base.wrapping_add_signed(offset as i64);
        let moved = self.segment == Segment::Flat && window(m, base) != window(m, address);
        m.notes.insert_if(moved, Note::FlatOffsetAperture);
        address
    }

    fn scratch_offset(&self, m: &mut Machine, lane: u8) -> u32 {
        let base = match self.access.saddr {
            Some(code) => m.scalar(code),
            None => m.vgpr(self.access.addr, 0, lane),
        };
        base.wrapping_add_signed(self.access.offset)
    }
}

/// The window of `address`.
fn window(m: &Machine, address: u64) -> Window {
    match m.context.apertures {
        Some(apertures) if (address >> 32) as u32 == apertures.shared => Window::Shared,
        Some(apertures) if (address >> 32) as u32 == apertures.private => Window::Private,
        _ => Window::Global,
    }
}

/// Bytes from an offset of a lane's scratch on: its dwords lie 256 bytes apart.
fn private(wave_base: u64, offset: u32, lane: u8, bytes: u8) -> Pieces {
    let mut pieces = Pieces::SCRATCH.beginning_at(offset as u64);
    let mut at = 0;
    while at < bytes {
        let byte = offset as u64 + at as u64;
        let address = wave_base.wrapping_add(byte / 4 * 256 + 4 * lane as u64 + byte % 4);
        let len = (4 - (byte % 4) as u8).min(bytes - at);
        pieces.add(Place::Memory, address, len, at);
        at += len;
    }
    pieces
}

impl Machine<'_> {
    /// The operands of an atomic in consecutive registers, as [`LaneWrite`] has them.
    pub fn operands(&mut self, first: u8, atomic: Atomic, width: Width, lane: u8) -> Bytes {
        let mut dwords = [0; 4];
        for operand in 0..atomic.operands() {
            for n in 0..width.dwords() {
                dwords[2 * operand as usize + n as usize] = self.vgpr(first, operand * width.dwords() + n, lane);
            }
        }
        of_dwords(dwords)
    }

    /// TFE: everything was resident. The register is the one behind `count` from `first` on.
    pub fn write_status(&mut self, first: u8, count: u8) {
        let active = self.active();
        if let Some(register) = self.vgprs.get_mut(first as usize + count as usize) {
            active.for_each(|lane| register.0[lane as usize] = 0);
        }
    }

    /// The dword of LDS at `base + 4 * lane`, if it is there.
    pub fn lds_dword(&self, base: i64, lane: u8) -> Option<Pieces> {
        let at = u32::try_from(base + 4 * lane as i64).ok()?;
        self.context.share(Place::Lds, at, 4)?;
        Some(Pieces::one(Place::Lds, at as u64, 4))
    }
}
