//! MUBUF and MTBUF (docs/gcn/buffers.md).

use std::mem::MaybeUninit;

use gcnsim_isa::buffer::BufferDescriptor;
use gcnsim_isa::table::{self, Load, Packing, Store};
use gcnsim_isa::{Arch, BufferAccess, Inst, LANES, Note, Notes, Opcode, Vgpr};
use gcnsim_machine::Place;

use super::atomics::Operation;
use super::buffer_fast::Registers;
use super::descriptor::{self, Buffer, Mode, Shape, Spot};
use super::element::{self, Data};
use super::exchange::{self, Pieces};
use super::fast::{self, Form};
use super::registers::Transfer;
use super::untyped::{self, Moved, Untyped};
use super::{Action, Any, Helper, Machine, MemoryOp, Refused, Uses, execute, format_fast, lanes};
use crate::Level;
use crate::host::lanes::union;
use crate::host::{Host, Lanes};

/// The action of a row of MUBUF or MTBUF.
#[derive(Clone, Copy, Debug)]
pub(super) enum Row {
    /// The row moves bytes unchanged.
    Untyped(Data),
    /// The row loads or stores components of an element through a format.
    Formatted(Formatted),
    /// The row stores a dword of LDS.
    StoreLds,
    /// The row is an instruction of the caches, which does nothing here.
    Nothing,
}

/// A formatted access.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Formatted {
    /// Whether the access is a store.
    pub is_store: bool,
    /// Number of components in registers, 1..=4.
    pub components: u8,
    /// The packing of the components in registers.
    pub packing: Packing,
}

/// A MUBUF or MTBUF instruction.
#[derive(Clone, Copy, Debug)]
pub(super) struct BufferOp {
    /// The action of its row.
    pub row: Row,
    /// The fields of the instruction.
    pub access: BufferAccess,
    /// Number of registers of the result, with the one of TFE.
    result: u8,
    /// Whether the last register of the result is that of TFE.
    tfe: bool,
    /// Whether the format is in the instruction (MTBUF) and not in the descriptor.
    pub is_typed: bool,
}

/// The places of the elements of all lanes.
pub(super) struct Spots {
    of_lane: [Spot; LANES],
    shape: Shape,
}

impl Spots {
    /// The places if no component is in range.
    fn none(shape: Shape) -> Spots {
        Spots { of_lane: [Spot::NONE; LANES], shape }
    }

    /// The components of `lane` that are in range.
    pub fn locate(&self, lane: usize) -> Result<Pieces, Refused> {
        let spot = &self.of_lane[lane];
        let mut pieces = Pieces::NONE;
        for k in (0..self.shape.components).filter(|k| spot.in_range >> k & 1 == 1) {
            pieces.push(Place::Memory, spot.address[k as usize], 4 * k, self.shape.bytes);
        }
        pieces.begin_at(spot.offset.unwrap_or(spot.first));
        Ok(pieces)
    }

    pub fn is_in_range(&self, lane: usize) -> bool {
        self.of_lane[lane].in_range != 0
    }

    /// The lanes of `mask` with a component in range.
    pub fn mask(&self, mask: u64) -> u64 {
        lanes(mask).filter(|&lane| self.is_in_range(lane)).fold(0, |mask, lane| mask | 1 << lane)
    }

    /// The addresses of the components in range of the lanes of `mask`.
    pub fn addresses_mut(&mut self, mask: u64) -> impl Iterator<Item = &mut u64> {
        let components = self.shape.components as usize;
        let active = self.of_lane.iter_mut().enumerate().filter(move |(lane, _)| mask >> lane & 1 == 1);
        active.flat_map(move |(_, spot)| {
            let in_range = spot.in_range;
            let of_spot = spot.address[..components].iter_mut().enumerate();
            of_spot.filter(move |(k, _)| in_range >> k & 1 == 1).map(|(_, address)| address)
        })
    }
}

/// The shape of untyped data.
fn shape_of(data: Data) -> Shape {
    match data {
        Data::Atomic(_, bytes) => Shape { components: 1, bytes },
        _ => Shape { components: data.bytes().div_ceil(4), bytes: data.bytes().min(4) },
    }
}

impl Row {
    /// The action for a transfer; `None` if no row of MUBUF or MTBUF has that transfer.
    fn of(transfer: table::Transfer) -> Option<Row> {
        use table::Transfer::{
            Atomic, Cache, Clock, Discard, Load, LoadFormat, Probe, Share, Store, StoreFormat, StoreLds,
        };
        let formatted = |is_store, components, packing| Row::Formatted(Formatted { is_store, components, packing });
        match transfer {
            Load(_) | Store(_) | Atomic(..) => Data::of(transfer).map(Row::Untyped),
            LoadFormat(components, packing) => Some(formatted(false, components, packing)),
            StoreFormat(components, packing) => Some(formatted(true, components, packing)),
            StoreLds => Some(Row::StoreLds),
            Cache => Some(Row::Nothing),
            Discard | Probe | Clock | Share(_) => None,
        }
    }
}

impl BufferOp {
    pub fn new(inst: &Inst) -> Option<BufferOp> {
        let (row, is_typed) = (Row::of(inst.transfer()?)?, matches!(inst.opcode, Opcode::Mtbuf(_)));
        let tfe = inst.has_tfe_result();
        let result = (inst.memory_result_dwords() + tfe as u32) as u8;
        Some(BufferOp { row, access: inst.buffer_access()?, result, tfe, is_typed })
    }

    pub fn uses(&self) -> Uses {
        if matches!(self.row, Row::Nothing) {
            return Uses::default();
        }
        Uses {
            base: Some((self.access.srsrc, 4)),
            offset: Some(self.access.soffset),
            m0: self.access.lds,
            ..Uses::default()
        }
    }

    /// The helper of the instruction for a level.
    pub fn helper(&self, level: Level) -> Helper {
        match self.row {
            Row::Untyped(data) if !self.access.lds => untyped::helper::<BufferOp>(data, level),
            Row::Formatted(formatted) => format_fast::helper(formatted, level),
            _ => execute::<Any>,
        }
    }

    /// Executes the instruction lane by lane.
    pub fn execute(&self, m: &mut Machine<'_>) -> Result<(), Refused> {
        let does_nothing = matches!(self.row, Row::Nothing) || !m.has_destination(self.access.vdata, self.result);
        if does_nothing { Ok(()) } else { self.lane_by_lane(m) }
    }

    /// The LDS side of the instruction.
    pub fn transfer(&self, m: &Machine<'_>) -> Transfer {
        m.transfer(m.scalars.m0 & 0xffff, self.access.offset as i64)
    }

    fn untyped(&self, m: &mut Machine<'_>, data: Data, is_unbound: bool) -> Result<(), Refused> {
        let exec = m.scalars.exec;
        let transfer = self.access.lds.then(|| self.transfer(m));
        let mask = transfer.as_ref().map_or(exec, |transfer| transfer.mask(exec));
        let mut spots = self.spots(m, mask, shape_of(data), is_unbound);
        self.align(m, mask, &mut spots, data);
        let locate = |lane| spots.locate(lane);
        let first = self.access.vdata;
        let mut notes = Notes::NONE;
        match data {
            Data::Load(load) => {
                let elements = exchange::load(m.context, mask, &mut notes, locate)?;
                match transfer {
                    Some(to) => {
                        to.write(m.context, mask, |lane| element::extend(load, element::dword(&elements[lane], 0)))
                    }
                    None => m.write_elements(first, load, &elements),
                }
            }
            Data::Store(store) => {
                let elements = m.read_elements(first, store);
                exchange::store(m.context, mask, &elements, &mut notes, locate)?;
            }
            Data::Atomic(atomic, bytes) => {
                let operation = Operation { atomic, bytes, mode: m.scalars.mode };
                let data = m.read_atomic(first, operation);
                let (mask, glc) = (spots.mask(mask), self.access.glc);
                let old = exchange::atomic(m.context, mask, operation, &data, glc, &mut notes, locate)?;
                if glc {
                    m.write_dwords(first, bytes / 4, &old);
                }
            }
        }
        m.notes = m.notes.or(notes);
        Ok(())
    }

    /// Clears the low bits of addresses, which GCN 1.0 ignores.
    fn align(&self, m: &mut Machine<'_>, mask: u64, spots: &mut Spots, data: Data) {
        if m.arch != Arch::Gcn10 || matches!(data, Data::Atomic(..)) {
            return;
        }
        let ignored = match data.bytes() {
            1 => 0,
            2 => 1,
            _ => 3,
        };
        let mut is_misaligned = false;
        for address in spots.addresses_mut(mask) {
            is_misaligned |= *address & ignored != 0;
            *address &= !ignored;
        }
        for spot in &mut spots.of_lane {
            spot.first &= !ignored;
            spot.offset = spot.offset.map(|offset| offset & !ignored);
        }
        m.notes.insert_if(is_misaligned, Note::VmemAlignGfx6);
    }

    fn store_lds(&self, m: &mut Machine<'_>, is_unbound: bool) -> Result<(), Refused> {
        let transfer = self.transfer(m);
        let mask = transfer.mask(m.scalars.exec);
        let spots = self.spots(m, mask, Shape { components: 1, bytes: 4 }, is_unbound);
        let mut elements = [[0; 16]; LANES];
        for lane in lanes(mask) {
            element::set_dword(&mut elements[lane], 0, transfer.read(m.context, lane));
        }
        let mut notes = Notes::NONE;
        exchange::store(m.context, mask, &elements, &mut notes, |lane| spots.locate(lane))?;
        m.notes = m.notes.or(notes);
        Ok(())
    }

    pub fn mode(&self) -> Mode {
        let access = &self.access;
        let is_untyped = matches!(self.row, Row::Untyped(_) | Row::StoreLds);
        let idxen = access.idxen && !access.addr64;
        Mode { offset: access.offset, idxen, addr64: access.addr64, is_untyped }
    }

    /// The places of the elements of the lanes of `mask`. With `is_unbound` none is in range.
    pub fn spots(&self, m: &mut Machine<'_>, mask: u64, shape: Shape, is_unbound: bool) -> Spots {
        let mut spots = Spots::none(shape);
        if is_unbound {
            return spots;
        }
        let mode = self.mode();
        let buffer = Buffer::new(BufferDescriptor(m.scalars.base), m.scalars.offset, m.arch, mode, &mut m.notes);
        if mask == 0 {
            return spots;
        }
        let [first, second] = self.vaddr(m);
        let zero = Vgpr([0; LANES]);
        let (index, offset) = match (mode.idxen, self.access.offen) {
            (true, true) => (first, second),
            (true, false) => (first, zero),
            (false, _) => (zero, first),
        };
        for lane in lanes(mask) {
            spots.of_lane[lane] = if mode.addr64 {
                buffer.spot64(first.0[lane] as u64 | (second.0[lane] as u64) << 32, shape)
            } else {
                buffer.spot(lane, index.0[lane], offset.0[lane], shape, &mut m.notes)
            };
        }
        spots
    }

    /// Index and offset registers of VADDR; zeros for a register that the instruction does not have.
    fn vaddr(&self, m: &mut Machine<'_>) -> [Vgpr; 2] {
        let BufferAccess { vaddr, addr64, idxen, offen, .. } = self.access;
        let count = if addr64 { 2 } else { idxen as u8 + offen as u8 };
        [0, 1].map(|n| if n < count { m.source(vaddr, n) } else { Vgpr([0; LANES]) })
    }
}

impl Untyped for BufferOp {
    #[inline(always)]
    fn of(op: &MemoryOp) -> Option<&BufferOp> {
        if let Action::Buffer(op) = &op.action { Some(op) } else { None }
    }

    #[inline(always)]
    fn moved(&self) -> Moved {
        let BufferAccess { vdata, glc, .. } = self.access;
        let data = if let Row::Untyped(data) = self.row { data } else { Data::Load(Load::dwords(1)) };
        Moved { data, from: vdata, to: vdata, result: self.result, tfe: self.tfe, glc }
    }

    #[inline(always)]
    fn form<'a, H: Host>(
        &self,
        host: H,
        m: &'a Machine<'_>,
        bytes: u8,
        room: &'a mut MaybeUninit<Lanes>,
        notes: &mut Notes,
    ) -> Option<Form<'a>> {
        let v = BufferDescriptor(m.scalars.base);
        let (mode, mask) = (self.mode(), m.scalars.exec);
        if descriptor::is_unbound(v, m.arch, mode) {
            return None;
        }
        *notes = descriptor::descriptor_notes(v, m.arch, false);
        let buffer = Buffer::new(v, m.scalars.offset, m.arch, mode, notes);
        let register = |n: u8| m.vgprs.get(self.access.vaddr as usize + n as usize).map(|register| &register.0);
        let form = if self.access.addr64 {
            let origin = buffer.base.wrapping_add(buffer.offset as u64);
            let origin = origin.wrapping_add(fast::high(register(1)?, mask)?);
            Form { origin, low: register(0)?, mask, in_rows: false, buffer: (0, 0) }
        } else {
            const ZERO: Lanes = [0; LANES];
            let index = if mode.idxen { Some(register(0)?) } else { None };
            let offset = if self.access.offen { register(mode.idxen as u8)? } else { &ZERO };
            buffer.form(host, Registers { index, offset }, mask, bytes, room, notes)?
        };
        // GCN 1.0 ignores low bits.
        let ignored = if m.arch == Arch::Gcn10 { bytes.min(4) as u32 - 1 } else { 0 };
        let is_aligned = ignored == 0 || (form.origin as u32 | union(form.low, form.mask)) & ignored == 0;
        is_aligned.then_some(Form { origin: gcnsim_machine::canonical(form.origin), ..form })
    }

    #[inline(never)]
    fn lane_by_lane(&self, m: &mut Machine<'_>) -> Result<(), Refused> {
        let v = BufferDescriptor(m.scalars.base);
        let is_unbound = descriptor::is_unbound(v, m.arch, self.mode());
        m.notes = m.notes.or(descriptor::descriptor_notes(v, m.arch, is_unbound));
        match self.row {
            Row::Untyped(data) => self.untyped(m, data, is_unbound)?,
            Row::Formatted(formatted) => self.formatted(m, formatted, v, is_unbound)?,
            Row::StoreLds => self.store_lds(m, is_unbound)?,
            Row::Nothing => {}
        }
        m.write_status(self.access.vdata.saturating_add(self.result.saturating_sub(1)), self.tfe);
        Ok(())
    }

    #[cold]
    #[inline(never)]
    fn note_overlap(&self, m: &mut Machine<'_>, store: Store) {
        let spots = self.spots(m, m.scalars.exec, shape_of(Data::Store(store)), false);
        untyped::note_order(m, self.access.vdata, store, |lane| spots.locate(lane));
    }
}
