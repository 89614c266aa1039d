//! MUBUF and MTBUF: accesses by a descriptor (docs/gcn/buffers.md). Addresses and range checks are in
//! [`address`].

use gcnsim_isa::buffer::{BufferDescriptor, Selector};
use gcnsim_isa::table::{Atomic, Load, Packing, Store, Transfer, Width};
use gcnsim_isa::{BufferAccess, Inst, Note, Opcode, Src};
use gcnsim_machine::Access;

use super::format::Format;
use super::lanes::{LaneWrite, Pieces};
use super::transfer::{Loads, Stores, of_dwords};
use super::{Machine, Refused};
use address::{Addressing, Unit};

mod address;

/// A predecoded MUBUF or MTBUF instruction.
#[derive(Clone, Copy)]
pub(super) struct BufferOp {
    action: Action,
    access: BufferAccess,
    /// MTBUF: formats are the instruction's.
    is_typed: bool,
}

/// The action of a row.
#[derive(Clone, Copy)]
enum Action {
    Load(Load),
    Store(Store),
    Atomic(Atomic, Width),
    /// So many components.
    LoadFormat(u8, Packing),
    StoreFormat(u8, Packing),
    /// BUFFER_STORE_LDS_DWORD.
    StoreLds,
    Nothing,
}

/// The conversion of the components of an access.
struct Conversion {
    /// `None`: there is no such data format.
    format: Option<Format>,
    selectors: [Selector; 4],
}

impl Action {
    /// `None`: no row of these encodings moves that.
    fn of(transfer: Transfer) -> Option<Action> {
        match transfer {
            Transfer::Load(load) => Some(Action::Load(load)),
            Transfer::Store(store) => Some(Action::Store(store)),
            Transfer::Atomic(atomic, width) => Some(Action::Atomic(atomic, width)),
            Transfer::LoadFormat(count, packing) => Some(Action::LoadFormat(count, packing)),
            Transfer::StoreFormat(count, packing) => Some(Action::StoreFormat(count, packing)),
            Transfer::StoreLds => Some(Action::StoreLds),
            Transfer::Cache => Some(Action::Nothing),
            Transfer::Discard | Transfer::Probe | Transfer::Clock | Transfer::Share(_) => None,
        }
    }
}

impl BufferOp {
    pub fn new(inst: &Inst) -> Option<BufferOp> {
        let is_typed = matches!(inst.opcode, Opcode::Mtbuf(_));
        Some(BufferOp { action: Action::of(inst.transfer()?)?, access: inst.buffer_access()?, is_typed })
    }

    pub fn execute(&self, m: &mut Machine) -> Result<(), Refused> {
        match self.action {
            Action::Load(loaded) if self.access.lds => self.load_to_lds(m, |op, m, to, lane| {
                let pieces = op.untyped(m, to, lane, loaded.bytes);
                Ok(loaded.register(&m.load(lane, &pieces)?, 0, 0))
            }),
            Action::Load(loaded) => self.load(m, loaded),
            Action::Store(stored) => self.store(m, stored),
            Action::Atomic(atomic, width) => self.exchange(m, atomic, width),
            Action::LoadFormat(..) if self.access.lds => {
                let conversion = self.conversion(m);
                self.load_to_lds(m, |op, m, to, lane| Ok(op.components(m, to, &conversion, 1, lane)?[0]))
            }
            Action::LoadFormat(count, packing) => self.load_format(m, count, packing),
            Action::StoreFormat(count, packing) => self.store_format(m, count, packing),
            Action::StoreLds => self.buffer_store_lds_dword(m),
            Action::Nothing => Ok(()),
        }
    }

    /// The kind of access; `None` if there is none.
    pub fn access(&self) -> Option<Access> {
        match self.action {
            Action::Load(_) | Action::LoadFormat(..) => Some(Access::Load),
            Action::Store(_) | Action::StoreFormat(..) | Action::StoreLds => Some(Access::Store),
            Action::Atomic(..) => Some(Access::Atomic),
            Action::Nothing => None,
        }
    }

    /// Whether it moves data between memory and LDS.
    pub fn moves_lds(&self) -> bool {
        self.access.lds || matches!(self.action, Action::StoreLds)
    }

    /// The bytes of all active lanes.
    pub fn located(&self, m: &mut Machine) -> Vec<Pieces> {
        let is_format = matches!(self.action, Action::LoadFormat(..) | Action::StoreFormat(..));
        let unit = match self.action {
            Action::Load(loaded) => Unit::Dwords(loaded.bytes),
            Action::Store(stored) => Unit::Dwords(stored.bytes),
            Action::StoreLds => Unit::Dwords(4),
            Action::Atomic(_, width) => Unit::Whole(width.bytes()),
            Action::LoadFormat(..) | Action::StoreFormat(..) => match self.conversion(m).format {
                Some(format) => Unit::Element(format.bytes()),
                None => return Vec::new(),
            },
            Action::Nothing => return Vec::new(),
        };
        let to = self.addressing(m, is_format);
        m.active().map(|lane| to.locate(m, &self.access, lane, unit)).collect()
    }

    fn load(&self, m: &mut Machine, loaded: Load) -> Result<(), Refused> {
        let BufferAccess { vdata, tfe, .. } = self.access;
        if !m.has_registers(vdata, loaded.registers() + tfe as u8) {
            return Ok(());
        }
        let to = self.addressing(m, false);
        let mut results = Vec::with_capacity(64);
        for lane in m.active() {
            let pieces = self.untyped(m, &to, lane, loaded.bytes);
            results.push((lane, m.load(lane, &pieces)?));
        }
        loaded.write(m.vgprs, vdata, &results);
        if tfe {
            m.write_status(vdata, loaded.registers());
        }
        Ok(())
    }

    /// Executes a load to LDS. Each lane's value goes to the dword of LDS at M0 + OFFSET + 4 * lane; lanes without
    /// such a dword do nothing.
    fn load_to_lds(
        &self,
        m: &mut Machine,
        value: impl Fn(&BufferOp, &mut Machine, &Addressing, u8) -> Result<u32, Refused>,
    ) -> Result<(), Refused> {
        let to = self.addressing(m, matches!(self.action, Action::LoadFormat(..)));
        let mut writes = Vec::with_capacity(64);
        for lane in m.active() {
            let Some(pieces) = m.lds_dword(self.lds_base(m), lane) else { continue };
            writes.push(LaneWrite { lane, pieces, data: of_dwords([value(self, m, &to, lane)?]) });
        }
        m.store_all(&writes);
        Ok(())
    }

    /// Stores each lane's dword of LDS, which is found as by loads to LDS.
    fn buffer_store_lds_dword(&self, m: &mut Machine) -> Result<(), Refused> {
        let to = self.addressing(m, false);
        let mut writes = Vec::with_capacity(64);
        for lane in m.active() {
            let Some(share) = m.lds_dword(self.lds_base(m), lane) else { continue };
            let pieces = self.untyped(m, &to, lane, 4);
            m.check(lane, &pieces, Access::Store)?;
            writes.push(LaneWrite { lane, pieces, data: m.load(lane, &share)? });
        }
        m.store_all(&writes);
        Ok(())
    }

    fn lds_base(&self, m: &Machine) -> i64 {
        (m.m0() & 0xffff) as i64 + self.access.offset as i64
    }

    fn store(&self, m: &mut Machine, stored: Store) -> Result<(), Refused> {
        let to = self.addressing(m, false);
        let mut writes = Vec::with_capacity(64);
        for lane in m.active() {
            let pieces = self.untyped(m, &to, lane, stored.bytes);
            m.check(lane, &pieces, Access::Store)?;
            let data = stored.data(|n| m.vgpr(self.access.vdata, n, lane));
            writes.push(LaneWrite { lane, pieces, data });
        }
        m.store_all(&writes);
        Ok(())
    }

    fn exchange(&self, m: &mut Machine, atomic: Atomic, width: Width) -> Result<(), Refused> {
        let BufferAccess { vdata, glc, tfe, .. } = self.access;
        if glc && !m.has_registers(vdata, width.dwords() + tfe as u8) {
            return Ok(());
        }
        let to = self.addressing(m, false);
        let mut writes = Vec::with_capacity(64);
        for lane in m.active() {
            let mut pieces = to.locate(m, &self.access, lane, Unit::Whole(width.bytes()));
            m.check_alignment(lane, &mut pieces)?;
            m.check(lane, &pieces, Access::Atomic)?;
            writes.push(LaneWrite { lane, pieces, data: m.operands(vdata, atomic, width, lane) });
        }
        let old = m.exchange_all(m.operation(atomic, width), &writes, glc);
        if glc {
            Load::dwords(width.dwords()).write(m.vgprs, vdata, &old);
            if tfe {
                m.write_status(vdata, width.dwords());
            }
        }
        Ok(())
    }

    fn load_format(&self, m: &mut Machine, count: u8, packing: Packing) -> Result<(), Refused> {
        let BufferAccess { vdata, tfe, .. } = self.access;
        let registers = registers(packing, count, m.arch.packs_d16());
        if !m.has_registers(vdata, registers + tfe as u8) {
            return Ok(());
        }
        let (to, conversion) = (self.addressing(m, true), self.conversion(m));
        let mut results = Vec::with_capacity(64);
        for lane in m.active() {
            results.push((lane, self.components(m, &to, &conversion, count, lane)?));
        }
        for (lane, components) in results {
            let halves = components.map(|value| match &conversion.format {
                Some(format) if packing != Packing::Whole => format.to_d16(value, &mut m.notes),
                _ => 0,
            });
            for i in 0..count {
                let (n, place) = place(packing, i, m.arch.packs_d16());
                let Some(register) = m.vgprs.get_mut((vdata + n) as usize) else { continue };
                let dword = &mut register.0[lane as usize];
                let half = halves[i as usize] as u32;
                *dword = match place {
                    Half::Both if packing == Packing::Whole => components[i as usize],
                    Half::Both => half,
                    Half::Low => *dword & 0xffff_0000 | half,
                    Half::High => *dword & 0xffff | half << 16,
                };
            }
        }
        if tfe {
            m.write_status(vdata, registers);
        }
        Ok(())
    }

    /// The first components of a lane's result, 32 bits each.
    fn components(
        &self,
        m: &mut Machine,
        to: &Addressing,
        conversion: &Conversion,
        count: u8,
        lane: u8,
    ) -> Result<[u32; 4], Refused> {
        let Some(format) = conversion.format.filter(|_| !to.is_unbound) else { return Ok([0; 4]) };
        let pieces = to.locate(m, &self.access, lane, Unit::Element(format.bytes()));
        let is_there = pieces.iter().next().is_some();
        let data = m.load(lane, &pieces)?;
        let memory = if is_there { format.load(&data, &mut m.notes) } else { [0; 4] };
        let mut components = [0; 4];
        for (component, selector) in components.iter_mut().zip(conversion.selectors).take(count as usize) {
            *component = match selector {
                Selector::Zero => 0,
                Selector::One => format.one(),
                Selector::Component(i) => memory[i as usize & 3],
                Selector::Reserved => {
                    m.notes.insert(Note::FormatDstSel);
                    0
                }
            };
        }
        Ok(components)
    }

    fn store_format(&self, m: &mut Machine, count: u8, packing: Packing) -> Result<(), Refused> {
        let (to, conversion) = (self.addressing(m, true), self.conversion(m));
        let Some(format) = conversion.format.filter(|_| !to.is_unbound) else { return Ok(()) };
        let mut writes = Vec::with_capacity(64);
        for lane in m.active() {
            let pieces = to.locate(m, &self.access, lane, Unit::Element(format.bytes()));
            m.check(lane, &pieces, Access::Store)?;
            if pieces.iter().next().is_none() {
                continue;
            }
            let mut memory = [None; 4];
            for i in 0..count {
                let (n, place) = place(packing, i, m.arch.packs_d16());
                let dword = m.vgpr(self.access.vdata, n, lane);
                let value = match place {
                    _ if packing == Packing::Whole => dword,
                    Half::Both | Half::Low => format.of_d16(dword as u16),
                    Half::High => format.of_d16((dword >> 16) as u16),
                };
                match conversion.selectors[i as usize & 3] {
                    Selector::Zero | Selector::One => {}
                    Selector::Reserved => m.notes.insert(Note::FormatDstSel),
                    Selector::Component(to) => match &mut memory[to as usize & 3] {
                        Some(_) => m.notes.insert(Note::FormatDstSel),
                        room => *room = Some(value),
                    },
                }
            }
            writes.push(LaneWrite { lane, pieces, data: format.store(memory, &mut m.notes) });
        }
        m.store_all(&writes);
        Ok(())
    }

    /// Formats and selectors: the instruction's own in MTBUF, the descriptor's in MUBUF.
    fn conversion(&self, m: &mut Machine) -> Conversion {
        let descriptor = self.descriptor(m);
        let identity = [0, 1, 2, 3].map(Selector::Component);
        let ((data, number), selectors) = match self.is_typed {
            true => (self.access.format, identity),
            false => {
                ((descriptor.data_format(), descriptor.num_format()), [0, 1, 2, 3].map(|i| descriptor.selector(i)))
            }
        };
        // A descriptor's format 0 is that of no buffer at all.
        if data == 0 && !self.is_typed && !self.access.addr64 {
            return Conversion { format: None, selectors };
        }
        Conversion { format: Format::new(m.arch, data, number, &mut m.notes), selectors }
    }

    fn descriptor(&self, m: &Machine) -> BufferDescriptor {
        BufferDescriptor([0, 1, 2, 3].map(|n| m.scalar(self.access.srsrc + n)))
    }

    fn addressing(&self, m: &mut Machine, is_format: bool) -> Addressing {
        let soffset = match self.access.soffset {
            Src::Sgpr(code) => m.scalar(code),
            Src::Imm(value) => value as u32,
            Src::Vccz => (m.state.vcc() == 0) as u32,
            Src::Execz => (m.state.exec() == 0) as u32,
            Src::Scc => m.state.scc,
            // Not decoded.
            Src::Vgpr(_) | Src::LdsDirect => 0,
        };
        let extends_stride = !is_format && !self.is_typed;
        Addressing::new(m, self.descriptor(m), &self.access, soffset, extends_stride)
    }

    /// The bytes of an untyped access, where each dword is located by itself.
    fn untyped(&self, m: &mut Machine, to: &Addressing, lane: u8, bytes: u8) -> Pieces {
        to.locate(m, &self.access, lane, Unit::Dwords(bytes))
    }
}

/// Part of a register.
enum Half {
    Both,
    Low,
    High,
}

/// Number of registers that hold `count` components.
fn registers(packing: Packing, count: u8, packs: bool) -> u8 {
    if packing == Packing::D16 && packs { count.div_ceil(2) } else { count }
}

/// Register and part of it for component `i`.
fn place(packing: Packing, i: u8, packs: bool) -> (u8, Half) {
    match packing {
        Packing::D16 if packs => (i / 2, if i.is_multiple_of(2) { Half::Low } else { Half::High }),
        Packing::Whole | Packing::D16 => (i, Half::Both),
        Packing::D16Hi => (0, Half::High),
    }
}
