//! FLAT, GLOBAL and SCRATCH (docs/gcn/flat.md).

use std::mem::MaybeUninit;

use gcnsim_isa::table::Store;
use gcnsim_isa::{Inst, LANES, Note, Notes, Opcode, Src, Vgpr};
use gcnsim_machine::{Apertures, Place};

use super::atomics::Operation;
use super::element::{self, Data};
use super::exchange::{self, Pieces};
use super::fast::{self, Form};
use super::untyped::{self, Moved, Untyped};
use super::{Action, Any, Helper, Machine, MemoryOp, Refused, Uses, execute, lanes};
use crate::Level;
use crate::host::lanes::greatest;
use crate::host::{Host, Lanes};

/// A FLAT, GLOBAL or SCRATCH instruction.
#[derive(Clone, Copy, Debug)]
pub(super) struct FlatOp {
    data: Data,
    kind: Kind,
    /// VGPR of the address or offset.
    addr: u8,
    /// First VGPR of the data.
    vdata: u8,
    /// First VGPR of the result.
    vdst: u8,
    /// Number of registers of the result, with the one of TFE.
    result: u8,
    /// First scalar register of the base, or the scalar offset.
    saddr: Option<u8>,
    offset: i32,
    /// Whether an atomic returns the old value.
    glc: bool,
    /// Whether a load goes to LDS.
    lds: bool,
    /// Whether the last register of the result is that of TFE.
    tfe: bool,
}

/// The kind of addresses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    /// FLAT: 64 bits, with apertures for LDS and scratch.
    Flat,
    /// GLOBAL: 64 bits of guest memory.
    Global,
    /// SCRATCH: an offset in the lane's scratch.
    Scratch,
}

/// The memory that a FLAT address reaches.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Window {
    Shared,
    Private,
    Memory,
}

/// The window of `address`, by all its bits.
fn window(apertures: Option<Apertures>, address: u64) -> Window {
    let high = (address >> 32) as u32;
    match apertures {
        Some(apertures) if apertures.shared == high => Window::Shared,
        Some(apertures) if apertures.private == high => Window::Private,
        _ => Window::Memory,
    }
}

/// The scratch of a wave.
#[derive(Clone, Copy, Debug)]
struct Private {
    base: u64,
    /// Bytes of scratch per lane, if a register has that number.
    limit: Option<u32>,
}

impl Private {
    fn of(m: &Machine<'_>) -> Private {
        let [low, high] = m.scalars.flat_scratch;
        if m.arch.is_gcn14_or_later() {
            return Private { base: low as u64 | (high as u64) << 32, limit: None };
        }
        let hidden = m.context.apertures.map_or(0, |apertures| apertures.hidden_private_base);
        Private { base: hidden.wrapping_add(high as u64 * 256), limit: Some(low) }
    }

    /// The pieces of `bytes` bytes at the private offset `offset`. The dwords of a lane lie 256 bytes apart.
    fn pieces(&self, offset: u32, lane: usize, bytes: u8) -> Result<Pieces, Refused> {
        let mut pieces = Pieces::NONE;
        pieces.begin_at(offset as u64);
        let mut at = 0;
        while at < bytes {
            let place = offset as u64 + at as u64;
            let len = (4 - place % 4).min((bytes - at) as u64);
            if self.limit.is_some_and(|limit| place + len > limit as u64) {
                return Err(Refused);
            }
            let address = self.base.wrapping_add(place / 4 * 256 + lane as u64 * 4 + place % 4);
            pieces.push(Place::Memory, address, at, len as u8);
            at += len as u8;
        }
        Ok(pieces)
    }
}

/// The addresses of all lanes.
struct Addresses {
    kind: Kind,
    bytes: u8,
    /// Whether an address that is no multiple of `bytes` is refused.
    aligned: bool,
    apertures: Option<Apertures>,
    private: Private,
    /// Address or private offset of each lane.
    of_lane: [u64; LANES],
}

impl Addresses {
    fn locate(&self, lane: usize) -> Result<Pieces, Refused> {
        let address = self.of_lane[lane];
        if self.aligned && !address.is_multiple_of(self.bytes as u64) {
            return Err(Refused);
        }
        let window = match self.kind {
            Kind::Scratch => Window::Private,
            Kind::Flat | Kind::Global => window(self.apertures, address),
        };
        match window {
            Window::Memory => Ok(Pieces::one(Place::Memory, address, self.bytes)),
            Window::Private if self.kind != Kind::Global => self.private.pieces(address as u32, lane, self.bytes),
            Window::Shared if self.kind == Kind::Flat => Ok(Pieces::one(Place::Lds, address & 0xffff_ffff, self.bytes)),
            // GLOBAL knows no windows.
            Window::Private | Window::Shared => Err(Refused),
        }
    }
}

impl FlatOp {
    /// The constant that is added to addresses.
    #[cfg(target_arch = "x86_64")]
    pub(super) fn offset(&self) -> i32 {
        self.offset
    }

    /// Bytes of an element.
    #[cfg(target_arch = "x86_64")]
    pub(super) fn bytes(&self) -> u8 {
        self.data.bytes()
    }

    pub fn new(inst: &Inst) -> Option<FlatOp> {
        let access = inst.flat_access()?;
        let kind = match inst.opcode {
            Opcode::Flat(_) => Kind::Flat,
            Opcode::Global(_) => Kind::Global,
            Opcode::Scratch(_) => Kind::Scratch,
            _ => return None,
        };
        let data = Data::of(inst.transfer()?)?;
        let tfe = inst.has_tfe_result();
        Some(FlatOp {
            data,
            kind,
            addr: access.addr,
            vdata: access.data,
            vdst: access.vdst,
            result: (inst.memory_result_dwords() + tfe as u32) as u8,
            saddr: access.saddr,
            offset: access.offset,
            glc: access.glc,
            lds: access.lds,
            tfe,
        })
    }

    pub fn uses(&self) -> Uses {
        Uses {
            base: self.saddr.filter(|_| self.kind == Kind::Global).map(|first| (first, 2)),
            offset: self.saddr.filter(|_| self.kind == Kind::Scratch).map(Src::Sgpr),
            m0: self.lds,
            flat_scratch: self.kind != Kind::Global,
            ..Uses::default()
        }
    }

    /// The helper of the instruction for a level.
    pub fn helper(&self, level: Level) -> Helper {
        if self.lds { execute::<Any> } else { untyped::helper::<FlatOp>(self.data, level) }
    }

    /// Executes the instruction lane by lane.
    pub fn execute(&self, m: &mut Machine<'_>) -> Result<(), Refused> {
        if m.has_destination(self.vdst, self.result) { self.lane_by_lane(m) } else { Ok(()) }
    }

    /// The addresses of a FLAT access to scratch; `None` if a lane is out of range, or no fast path takes them.
    #[inline(always)]
    fn private_form<'a>(
        &self,
        m: &Machine<'_>,
        low: &Lanes,
        bytes: u8,
        room: &'a mut MaybeUninit<Lanes>,
    ) -> Option<Form<'a>> {
        let (private, mask, offset) = (Private::of(m), m.scalars.exec, self.offset as u32);
        let last = greatest(low, mask) + offset as u64;
        let is_within = private.limit.is_none_or(|limit| last + bytes as u64 <= limit as u64);
        // A sum that wraps would lie in another window.
        if !is_within || last > u32::MAX as u64 {
            return None;
        }
        let low = room.write(fast::interleave(low, offset, mask, bytes)?);
        Some(Form { origin: private.base, low, mask, in_rows: bytes > 4, buffer: (0, 0) })
    }

    /// The address or private offset of each lane.
    fn addresses(&self, m: &mut Machine<'_>) -> Addresses {
        let (base, low, high) = self.parts(m);
        let address = |lane: usize| base.wrapping_add(low.0[lane] as u64 | (high.0[lane] as u64) << 32);
        let of_lane = std::array::from_fn(|lane| match self.kind {
            Kind::Scratch => address(lane) & 0xffff_ffff,
            Kind::Flat | Kind::Global => address(lane),
        });
        self.note_windows(m, &of_lane);
        Addresses {
            kind: self.kind,
            bytes: self.data.bytes(),
            aligned: matches!(self.data, Data::Atomic(..)),
            apertures: m.context.apertures,
            private: Private::of(m),
            of_lane,
        }
    }

    /// The part of the addresses that all lanes share, and the low and high dwords that are added to it.
    fn parts(&self, m: &mut Machine<'_>) -> (u64, Vgpr, Vgpr) {
        let offset = self.offset as i64 as u64;
        let zero = Vgpr([0; LANES]);
        match (self.kind, self.saddr) {
            (Kind::Scratch, Some(_)) => (offset.wrapping_add(m.scalars.offset as u64), zero, zero),
            (Kind::Scratch, None) => (offset, m.source(self.addr, 0), zero),
            (_, Some(_)) => {
                let base = m.scalars.base[0] as u64 | (m.scalars.base[1] as u64) << 32;
                (base.wrapping_add(offset), m.source(self.addr, 0), zero)
            }
            (_, None) => (offset, m.source(self.addr, 0), m.source(self.addr, 1)),
        }
    }

    /// Notes an OFFSET that moves an address into or out of an aperture.
    fn note_windows(&self, m: &mut Machine<'_>, addresses: &[u64; LANES]) {
        if self.kind != Kind::Flat || self.offset == 0 {
            return;
        }
        let apertures = m.context.apertures;
        let moves = |lane: usize| {
            let before = addresses[lane].wrapping_sub(self.offset as i64 as u64);
            window(apertures, before) != window(apertures, addresses[lane])
        };
        m.notes.insert_if(lanes(m.scalars.exec).any(moves), Note::FlatOffsetAperture);
    }
}

impl Untyped for FlatOp {
    #[inline(always)]
    fn of(op: &MemoryOp) -> Option<&FlatOp> {
        if let Action::Flat(op) = &op.action { Some(op) } else { None }
    }

    #[inline(always)]
    fn moved(&self) -> Moved {
        let FlatOp { data, vdata: from, vdst: to, result, tfe, glc, .. } = *self;
        Moved { data, from, to, result, tfe, glc }
    }

    #[inline(always)]
    fn form<'a, H: Host>(
        &self,
        _: H,
        m: &'a Machine<'_>,
        bytes: u8,
        room: &'a mut MaybeUninit<Lanes>,
        _: &mut Notes,
    ) -> Option<Form<'a>> {
        let (mask, offset) = (m.scalars.exec, self.offset as i64 as u64);
        let register = |n: u8| m.vgprs.get(self.addr as usize + n as usize).map(|register| &register.0);
        let (origin, low) = match (self.kind, self.saddr) {
            (Kind::Scratch, saddr) => {
                let low = if saddr.is_some() { &[m.scalars.offset; LANES] } else { register(0)? };
                let low = room.write(fast::interleave(low, offset as u32, mask, bytes)?);
                return Some(Form { origin: Private::of(m).base, low, mask, in_rows: bytes > 4, buffer: (0, 0) });
            }
            (_, Some(_)) => {
                let base = m.scalars.base[0] as u64 | (m.scalars.base[1] as u64) << 32;
                (base.wrapping_add(offset), register(0)?)
            }
            (_, None) => {
                let (low, high) = (register(0)?, fast::high(register(1)?, mask)?);
                if self.kind == Kind::Flat && window(m.context.apertures, high) == Window::Private {
                    return self.private_form(m, low, bytes, room);
                }
                (offset.wrapping_add(high), low)
            }
        };
        // No lane's address is in an aperture, whatever its low dword is.
        let is_plain = m.context.apertures.is_none_or(|windows| are_far(windows, origin));
        is_plain.then_some(Form { origin, low, mask, in_rows: false, buffer: (0, 0) })
    }

    #[inline(never)]
    fn lane_by_lane(&self, m: &mut Machine<'_>) -> Result<(), Refused> {
        let exec = m.scalars.exec;
        let transfer = m.transfer(m.scalars.m0 & 0xfffc, self.offset as i64);
        if self.lds && transfer.mask(exec) == 0 {
            return Ok(());
        }
        let addresses = self.addresses(m);
        let locate = |lane| addresses.locate(lane);
        let mut notes = Notes::NONE;
        match self.data {
            Data::Load(load) if self.lds => {
                let elements = exchange::load(m.context, transfer.mask(exec), &mut notes, locate)?;
                transfer.write(m.context, exec, |lane| element::extend(load, element::dword(&elements[lane], 0)));
            }
            Data::Load(load) => {
                let elements = exchange::load(m.context, exec, &mut notes, locate)?;
                m.write_elements(self.vdst, load, &elements);
            }
            Data::Store(store) => {
                let elements = m.read_elements(self.vdata, store);
                exchange::store(m.context, exec, &elements, &mut notes, locate)?;
            }
            Data::Atomic(atomic, bytes) => {
                let operation = Operation { atomic, bytes, mode: m.scalars.mode };
                let data = m.read_atomic(self.vdata, operation);
                let old = exchange::atomic(m.context, exec, operation, &data, self.glc, &mut notes, locate)?;
                if self.glc {
                    m.write_dwords(self.vdst, bytes / 4, &old);
                }
            }
        }
        m.write_status(self.vdst.saturating_add(self.result.saturating_sub(1)), self.tfe);
        m.notes = m.notes.or(notes);
        Ok(())
    }

    #[cold]
    #[inline(never)]
    fn note_overlap(&self, m: &mut Machine<'_>, store: Store) {
        let addresses = self.addresses(m);
        untyped::note_order(m, self.vdata, store, |lane| addresses.locate(lane));
    }
}

/// Whether `address` stays outside the apertures when 32 bits are added and an OFFSET is subtracted.
#[inline(always)]
fn are_far(windows: Apertures, address: u64) -> bool {
    let high = (address >> 32) as u32;
    [windows.shared, windows.private].into_iter().all(|window| high.wrapping_sub(window).wrapping_add(2) > 3)
}
