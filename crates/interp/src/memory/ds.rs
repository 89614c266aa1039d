//! DS: the local data share, and the global one (docs/gcn/lds.md).

use gcnsim_isa::table::{Atomic, Load, Share, Store, Transfer, Width};
use gcnsim_isa::{Arch, DsAccess, Inst, LANES, Note};
use gcnsim_machine::{Access, Elements, MemoryFault, Place};

use super::lanes::{LaneWrite, Pieces, overlap};
use super::transfer::{Bytes, Loads, Stores, dword, of_dwords};
use super::{Effect, Machine, Refused, lane_exchange};

/// A predecoded DS instruction.
#[derive(Clone, Copy)]
pub(super) struct ShareOp {
    action: Action,
    access: DsAccess,
    /// First register and number of registers of each source: the address, then both data operands.
    sources: [(u8, u8); 3],
}

/// The action of a row.
#[derive(Clone, Copy, Debug)]
enum Action {
    Read(Load),
    /// Two reads of a width. The number is the unit of the offsets, in elements.
    Read2(Width, u8),
    Write(Store),
    Write2(Width, u8),
    Atomic(Atomic, Width),
    /// Returns the old value.
    AtomicReturn(Atomic, Width),
    /// DS_WRXCHG2.
    Exchange2(Width, u8),
    /// DS_CONDXCHG32.
    CondExchange,
    /// An atomic with both operands in LDS.
    Src2(Atomic, Width),
    ReadAddtid,
    WriteAddtid,
    /// An addition or subtraction of the number of active lanes.
    Append,
    Consume,
    OrderedCount,
    Swizzle,
    Permute,
    Bpermute,
    Nothing,
}

/// The part of LDS or GDS that an instruction reaches.
#[derive(Clone, Copy)]
struct Window {
    place: Place,
    /// Added to addresses that are in range.
    base: u32,
    /// First byte out of range.
    limit: u64,
}

impl Action {
    /// `None`: no row of DS moves that.
    fn of(transfer: Transfer) -> Option<Action> {
        Some(match transfer {
            Transfer::Load(load) => Action::Read(load),
            Transfer::Store(store) => Action::Write(store),
            Transfer::Atomic(atomic, width) => Action::Atomic(atomic, width),
            Transfer::Share(share) => match share {
                Share::AtomicReturn(atomic, width) => Action::AtomicReturn(atomic, width),
                Share::Source2(atomic, width) => Action::Src2(atomic, width),
                Share::Read2(width, unit) => Action::Read2(width, unit),
                Share::Write2(width, unit) => Action::Write2(width, unit),
                Share::Exchange2(width, unit) => Action::Exchange2(width, unit),
                Share::CondExchange => Action::CondExchange,
                Share::ReadAddtid => Action::ReadAddtid,
                Share::WriteAddtid => Action::WriteAddtid,
                Share::Append => Action::Append,
                Share::Consume => Action::Consume,
                Share::Swizzle => Action::Swizzle,
                Share::Permute => Action::Permute,
                Share::Bpermute => Action::Bpermute,
                // GWS does nothing: no result shows the state of a resource, and no wave waits for one (`ds-gws`).
                Share::Nothing | Share::Gws(_) => Action::Nothing,
                Share::OrderedCount => Action::OrderedCount,
            },
            Transfer::LoadFormat(..) | Transfer::StoreFormat(..) | Transfer::StoreLds => return None,
            Transfer::Cache | Transfer::Discard | Transfer::Probe | Transfer::Clock => return None,
        })
    }
}

impl ShareOp {
    pub fn new(inst: &Inst) -> Option<ShareOp> {
        let (access, shape) = (inst.ds_access()?, inst.ds_shape()?);
        let [first, second] = access.data;
        let sources = [(access.addr, shape.addr.into()), (first, shape.data[0]), (second, shape.data[1])];
        Some(ShareOp { action: Action::of(shape.moves)?, access, sources })
    }

    pub fn execute(&self, m: &mut Machine) -> Result<(), Refused> {
        if self.access.gds {
            m.context.make_gds_ready();
        }
        // Also of data that no lane stores: two addresses may be one.
        self.sources.iter().for_each(|&(first, count)| {
            m.has_registers(first, count);
        });
        match self.action {
            Action::Read(loaded) => self.read(m, loaded)?,
            Action::Read2(width, unit) => self.read2(m, width, unit)?,
            Action::Write(stored) => self.write(m, stored)?,
            Action::Write2(width, unit) => self.write2(m, width, unit)?,
            Action::Atomic(atomic, width) => self.exchange(m, atomic, width, false)?,
            Action::AtomicReturn(atomic, width) => self.exchange(m, atomic, width, true)?,
            Action::Exchange2(width, unit) => self.exchange2(m, width, unit)?,
            Action::CondExchange => self.ds_condxchg32_rtn_b64(m),
            Action::Src2(atomic, width) => self.src2(m, atomic, width),
            Action::ReadAddtid => self.ds_read_addtid_b32(m)?,
            Action::WriteAddtid => self.ds_write_addtid_b32(m),
            Action::Append => self.append_consume(m, u32::wrapping_add),
            Action::Consume => self.append_consume(m, u32::wrapping_sub),
            Action::OrderedCount => self.ds_ordered_count(m),
            Action::Swizzle => lane_exchange::ds_swizzle_b32(m, &self.access),
            Action::Permute => lane_exchange::ds_permute_b32(m, &self.access),
            Action::Bpermute => lane_exchange::ds_bpermute_b32(m, &self.access),
            Action::Nothing => {}
        }
        Ok(())
    }

    /// The kind of access; `None` if lanes have no address of their own, or none at all.
    pub fn access(&self) -> Option<Access> {
        match self.action {
            Action::Read(_) | Action::Read2(..) | Action::ReadAddtid => Some(Access::Load),
            Action::Write(_) | Action::Write2(..) | Action::WriteAddtid => Some(Access::Store),
            Action::Atomic(..) | Action::AtomicReturn(..) | Action::Exchange2(..) => Some(Access::Atomic),
            Action::CondExchange | Action::Src2(..) | Action::Append | Action::Consume => None,
            Action::OrderedCount => None,
            Action::Swizzle | Action::Permute | Action::Bpermute | Action::Nothing => None,
        }
    }

    /// What it may do outside the wave.
    pub fn effect(&self) -> Effect {
        match self.action {
            Action::CondExchange | Action::Src2(..) | Action::Append | Action::Consume => Effect::Other,
            Action::OrderedCount => Effect::Other,
            Action::Swizzle | Action::Permute | Action::Bpermute | Action::Nothing => Effect::Nothing,
            Action::Read(_) | Action::Read2(..) | Action::ReadAddtid => Effect::Reads,
            Action::Write(_) | Action::Write2(..) | Action::WriteAddtid => Effect::Writes,
            Action::Atomic(..) | Action::AtomicReturn(..) | Action::Exchange2(..) => Effect::Writes,
        }
    }

    /// The bytes of all active lanes. Of two accesses, those of the first come first.
    pub fn located(&self, m: &mut Machine) -> Vec<Pieces> {
        let one = [Some(self.access.offset), None];
        let (offsets, bytes) = match self.action {
            Action::Read(loaded) => (one, loaded.bytes),
            Action::Write(stored) => (one, stored.bytes),
            Action::Atomic(_, width) | Action::AtomicReturn(_, width) => (one, width.bytes()),
            Action::Read2(width, unit) | Action::Write2(width, unit) | Action::Exchange2(width, unit) => {
                (self.offsets(width, unit).map(Some), width.bytes())
            }
            Action::ReadAddtid | Action::WriteAddtid => return m.active().map(|lane| self.addtid(m, lane)).collect(),
            Action::CondExchange | Action::Src2(..) | Action::Append | Action::Consume => return Vec::new(),
            Action::OrderedCount => return Vec::new(),
            Action::Swizzle | Action::Permute | Action::Bpermute | Action::Nothing => return Vec::new(),
        };
        let (window, lanes) = (self.window(m), m.active());
        lanes
            .map(|lane| {
                let address = m.vgpr(self.access.addr, 0, lane);
                let mut all = Pieces::NONE;
                for (offset, data) in offsets.into_iter().flatten().zip([0, bytes]) {
                    let pieces = window.locate(m, address, offset, bytes);
                    pieces.iter().for_each(|piece| all.add(piece.place, piece.address, piece.bytes, data + piece.at));
                }
                all
            })
            .collect()
    }

    fn read(&self, m: &mut Machine, loaded: Load) -> Result<(), Refused> {
        let DsAccess { vdst, offset, .. } = self.access;
        if !m.has_registers(vdst, loaded.registers()) {
            return Ok(());
        }
        if let Some(elements) = self.data_together(m, offset, loaded.bytes) {
            loaded.write_all(m.vgprs, vdst, m.state.exec(), &elements);
            return Ok(());
        }
        let results = self.data_at(m, offset, loaded.bytes)?;
        loaded.write(m.vgprs, vdst, &results);
        Ok(())
    }

    /// Reads two elements per lane. With equal offsets both results are the same.
    fn read2(&self, m: &mut Machine, width: Width, unit: u8) -> Result<(), Refused> {
        let vdst = self.access.vdst;
        let dwords = width.dwords();
        if !m.has_registers(vdst, 2 * dwords) {
            return Ok(());
        }
        let [first, second] = self.offsets(width, unit);
        let together = [first, second].map(|offset| self.data_together(m, offset, width.bytes()));
        if let [Some(first), Some(second)] = &together {
            for (i, elements) in [first, second].into_iter().enumerate() {
                Load::dwords(dwords).write_all(m.vgprs, vdst + i as u8 * dwords, m.state.exec(), elements);
            }
            return Ok(());
        }
        let results = [self.data_at(m, first, width.bytes())?, self.data_at(m, second, width.bytes())?];
        for (i, results) in results.iter().enumerate() {
            Load::dwords(dwords).write(m.vgprs, vdst + i as u8 * dwords, results);
        }
        Ok(())
    }

    /// The elements that the active lanes read at `offset` from their addresses in LDS; `None` if one of them is out of
    /// range, or its address is one of those that have a note.
    fn data_together(&self, m: &Machine, offset: u32, bytes: u8) -> Option<Elements> {
        let Window { place, limit, .. } = self.window(m);
        let share = m.context.share(place, 0, usize::try_from(limit).ok()?).filter(|_| place == Place::Lds)?;
        let bases = &m.vgprs.get(self.access.addr as usize)?.0;
        let (of_lane, unit) = (|lane: u8| bases[lane as usize & 63], u32::from(bytes.next_power_of_two()));
        let (union, greatest) = m.active().fold((0, 0), |(union, greatest), lane| {
            let at = of_lane(lane).wrapping_add(offset);
            (union | at | of_lane(lane) & 1 << 31, greatest.max(at))
        });
        let is_odd = !m.arch.is_gcn14_or_later() && (!union.is_multiple_of(unit) || union >> 31 == 1);
        if is_odd || u64::from(greatest) + u64::from(bytes) > limit {
            return None;
        }
        let mut elements = [[0; LANES]; 4];
        for lane in m.active() {
            let from = share.get(of_lane(lane).wrapping_add(offset) as usize..)?.get(..bytes as usize)?;
            for (element, dword) in elements.iter_mut().zip(from.chunks(4)) {
                element[lane as usize & 63] = match *dword {
                    [a] => a.into(),
                    [a, b] => u16::from_le_bytes([a, b]).into(),
                    [a, b, c, d] => u32::from_le_bytes([a, b, c, d]),
                    _ => return None,
                };
            }
        }
        Some(elements)
    }

    /// The bytes that the active lanes read at `offset` from their addresses.
    fn data_at(&self, m: &mut Machine, offset: u32, bytes: u8) -> Result<Vec<(u8, Bytes)>, Refused> {
        let window = self.window(m);
        let mut results = Vec::with_capacity(64);
        for lane in m.active() {
            let address = m.vgpr(self.access.addr, 0, lane);
            let pieces = window.locate(m, address, offset, bytes);
            results.push((lane, m.load(lane, &pieces)?));
        }
        Ok(results)
    }

    fn write(&self, m: &mut Machine, stored: Store) -> Result<(), Refused> {
        let DsAccess { addr, data: [data0, _], offset, .. } = self.access;
        let window = self.window(m);
        let mut writes = Vec::with_capacity(64);
        for lane in m.active() {
            let address = m.vgpr(addr, 0, lane);
            let pieces = window.locate(m, address, offset, stored.bytes);
            let data = stored.data(|n| m.vgpr(data0, n, lane));
            writes.push(LaneWrite { lane, pieces, data });
        }
        m.store_all(&writes);
        Ok(())
    }

    /// Lane by lane, the first address before the second. With equal offsets the first data are stored.
    fn write2(&self, m: &mut Machine, width: Width, unit: u8) -> Result<(), Refused> {
        let window = self.window(m);
        let mut writes = Vec::with_capacity(128);
        for lane in m.active() {
            let address = m.vgpr(self.access.addr, 0, lane);
            for (offset, data) in self.two(width, unit) {
                let pieces = window.locate(m, address, offset, width.bytes());
                let data = Store::dwords(width.dwords()).data(|n| m.vgpr(data, n, lane));
                writes.push(LaneWrite { lane, pieces, data });
            }
        }
        m.store_all(&writes);
        Ok(())
    }

    fn exchange(&self, m: &mut Machine, atomic: Atomic, width: Width, returns: bool) -> Result<(), Refused> {
        let DsAccess { addr, vdst, offset, .. } = self.access;
        if returns && !m.has_registers(vdst, width.dwords()) {
            return Ok(());
        }
        let window = self.window(m);
        let mut writes = Vec::with_capacity(64);
        for lane in m.active() {
            let address = m.vgpr(addr, 0, lane);
            let pieces = window.locate(m, address, offset, width.bytes());
            check_alignment(&pieces, m.arch, lane)?;
            writes.push(LaneWrite { lane, pieces, data: self.operands(m, atomic, width, lane) });
        }
        let old = m.exchange_all(m.operation(atomic, width), &writes, returns);
        if returns {
            Load::dwords(width.dwords()).write(m.vgprs, vdst, &old);
        }
        Ok(())
    }

    /// DS_WRXCHG2 and DS_WRXCHG2ST64. With equal offsets there is one exchange, with DATA0, and both results are the
    /// old value.
    fn exchange2(&self, m: &mut Machine, width: Width, unit: u8) -> Result<(), Refused> {
        let DsAccess { addr, vdst, .. } = self.access;
        let dwords = width.dwords();
        if !m.has_registers(vdst, 2 * dwords) {
            return Ok(());
        }
        let window = self.window(m);
        let mut writes = Vec::with_capacity(128);
        for lane in m.active() {
            let address = m.vgpr(addr, 0, lane);
            for (offset, data) in self.two(width, unit) {
                let pieces = window.locate(m, address, offset, width.bytes());
                check_alignment(&pieces, m.arch, lane)?;
                let data = Store::dwords(dwords).data(|n| m.vgpr(data, n, lane));
                writes.push(LaneWrite { lane, pieces, data });
            }
        }
        let old = m.exchange_all(m.operation(Atomic::Swap, width), &writes, true);
        let per_lane = self.two(width, unit).count();
        for i in 0..2 {
            let results: Vec<_> = old.iter().copied().skip(i.min(per_lane - 1)).step_by(per_lane).collect();
            Load::dwords(dwords).write(m.vgprs, vdst + i as u8 * dwords, &results);
        }
        Ok(())
    }

    /// Replaces each of two dwords, if bit 31 of its operand is set, by the other bits of the operand.
    fn ds_condxchg32_rtn_b64(&self, m: &mut Machine) {
        let DsAccess { addr, data: [data0, _], vdst, offset, .. } = self.access;
        if !m.has_registers(vdst, 2) {
            return;
        }
        let window = self.window(m);
        let mut writes = Vec::with_capacity(64);
        for lane in m.active() {
            let address = m.vgpr(addr, 0, lane).wrapping_add(offset) & 0xfff8;
            let pieces = window.pieces(m, address, 8);
            writes.push(LaneWrite { lane, pieces, data: of_dwords([m.vgpr(data0, 0, lane), m.vgpr(data0, 1, lane)]) });
        }
        m.notes.insert_if(overlap(&writes, false), Note::LaneOrder);
        let mut results = Vec::with_capacity(64);
        for write in &writes {
            // LDS has no faults.
            let old = m.load(write.lane, &write.pieces).unwrap_or_default();
            let new = [0, 1].map(|n| match dword(&write.data, n) {
                operand if operand >> 31 == 1 => operand & 0x7fff_ffff,
                _ => dword(&old, n),
            });
            m.store(&LaneWrite { lane: write.lane, pieces: write.pieces, data: of_dwords(new) });
            results.push((write.lane, old));
        }
        Load::dwords(2).write(m.vgprs, vdst, &results);
    }

    /// `[A] = op([A], [B])`: A from ADDR, B at a distance from it in dwords.
    fn src2(&self, m: &mut Machine, atomic: Atomic, width: Width) {
        let DsAccess { addr, offset, .. } = self.access;
        let window = self.window(m);
        let aligned = |address: u32| address & !(width.bytes() as u32 - 1);
        let mut operation = m.operation(atomic, width);
        let mut pairs = Vec::with_capacity(64);
        for lane in m.active() {
            let value = m.vgpr(addr, 0, lane);
            // Fifteen bits, signed, of the register or of OFFSET.
            let (a, distance) = match offset >> 15 & 1 {
                1 => (value & 0x1_ffff, value as i32 >> 17),
                _ => (value, (offset << 17) as i32 >> 17),
            };
            let a = aligned(a);
            let b = aligned(a.wrapping_add_signed(4 * distance) & 0x1_ffff);
            let pieces = [a, b].map(|at| window.pieces(m, at, width.bytes()));
            let both_in_range = pieces.iter().all(|pieces| pieces.iter().next().is_some());
            m.notes.insert_if(!both_in_range, Note::DsSrc2);
            if both_in_range {
                pairs.push((lane, pieces));
            }
        }
        for (lane, [a, b]) in pairs {
            // LDS has no faults.
            let data = m.load(lane, &b).unwrap_or_default();
            let mut operand = [0; 16];
            operand[..8].copy_from_slice(&data[..8]);
            m.exchange(&mut operation, &LaneWrite { lane, pieces: a, data: operand });
        }
        m.notes = m.notes.or(operation.notes);
    }

    fn ds_read_addtid_b32(&self, m: &mut Machine) -> Result<(), Refused> {
        let vdst = self.access.vdst;
        if !m.has_registers(vdst, 1) {
            return Ok(());
        }
        let mut results = Vec::with_capacity(64);
        for lane in m.active() {
            let pieces = self.addtid(m, lane);
            results.push((lane, m.load(lane, &pieces)?));
        }
        Load::dwords(1).write(m.vgprs, vdst, &results);
        Ok(())
    }

    fn ds_write_addtid_b32(&self, m: &mut Machine) {
        let mut writes = Vec::with_capacity(64);
        for lane in m.active() {
            let pieces = self.addtid(m, lane);
            writes.push(LaneWrite { lane, pieces, data: of_dwords([m.vgpr(self.access.data[0], 0, lane)]) });
        }
        m.store_all(&writes);
    }

    /// The dword at M0\[15:0\] + OFFSET + 4 * lane.
    fn addtid(&self, m: &mut Machine, lane: u8) -> Pieces {
        let address = (m.m0() & 0xffff) + self.access.offset + 4 * lane as u32;
        self.window(m).pieces(m, address, 4)
    }

    /// Every active lane gets the old value of a dword, to or from which the number of active lanes is added or
    /// subtracted once.
    fn append_consume(&self, m: &mut Machine, change: impl Fn(u32, u32) -> u32) {
        let DsAccess { vdst, offset, gds, .. } = self.access;
        if !m.has_registers(vdst, 1) {
            return;
        }
        m.notes.insert_if(!gds, Note::DsAppendM0);
        // M0 counts for GDS only, and its size does not limit it there (docs/gcn/lds.md#gds-append-ordered-count-gws).
        let (place, base) = if gds { (Place::Gds, m.m0() >> 16) } else { (Place::Lds, 0) };
        let address = (base + offset) & !3;
        let bytes = m.context.share(place, address, 4).and_then(|bytes| bytes.first_chunk().copied());
        let old = bytes.map_or(0, u32::from_le_bytes);
        m.context.write_share(place, address, &change(old, m.state.exec().count_ones()).to_le_bytes());
        for lane in m.active() {
            m.vgprs[vdst as usize].0[lane as usize] = old;
        }
    }

    /// The counter that OFFSET\[7:2\] names: OFFSET\[13:12\] is 0 to add the first active lane's value, 1 to replace
    /// it. Waves come in the order of their creation, so that none waits.
    fn ds_ordered_count(&self, m: &mut Machine) {
        let DsAccess { addr, vdst, offset, .. } = self.access;
        if !m.has_registers(vdst, 1) {
            return;
        }
        let address = ((m.m0() >> 16) + (offset & 0xfc)) & !3;
        let bytes = m.context.share(Place::Gds, address, 4).and_then(|bytes| bytes.first_chunk().copied());
        let old = bytes.map_or(0, u32::from_le_bytes);
        let value = m.active().next().map_or(0, |lane| m.vgpr(addr, 0, lane));
        let new = match offset >> 12 & 3 {
            0 => old.wrapping_add(value),
            1 => value,
            _ => old,
        };
        m.context.write_share(Place::Gds, address, &new.to_le_bytes());
        for lane in m.active() {
            m.vgprs[vdst as usize].0[lane as usize] = old;
        }
    }

    /// Offsets of the two accesses, in bytes.
    fn offsets(&self, width: Width, unit: u8) -> [u32; 2] {
        let bytes = width.bytes() as u32 * unit as u32;
        self.access.offsets.map(|offset| offset * bytes)
    }

    /// Offset and data of each access: the first only, if both offsets are equal.
    fn two(&self, width: Width, unit: u8) -> impl Iterator<Item = (u32, u8)> + use<> {
        let offsets = self.offsets(width, unit);
        let count = if offsets[0] == offsets[1] { 1 } else { 2 };
        offsets.into_iter().zip(self.access.data).take(count)
    }

    /// Operands in the order of the registers: those of cmpst, mskor and wrap are two.
    fn operands(&self, m: &mut Machine, atomic: Atomic, width: Width, lane: u8) -> Bytes {
        let [data0, data1] = self.access.data;
        let mut operand = |first| match width {
            Width::B32 => [m.vgpr(first, 0, lane), 0],
            Width::B64 => [m.vgpr(first, 0, lane), m.vgpr(first, 1, lane)],
        };
        let first = operand(data0);
        let second = if atomic.operands() == 2 { operand(data1) } else { [0; 2] };
        of_dwords(first.into_iter().chain(second))
    }

    fn window(&self, m: &Machine) -> Window {
        let m0 = m.m0();
        if self.access.gds {
            return Window { place: Place::Gds, base: m0 >> 16, limit: (m0 & 0xffff) as u64 };
        }
        let allocated = m.context.lds.len() as u64;
        let limit = if m.arch.is_gcn14_or_later() { allocated } else { allocated.min((m0 & 0x1_ffff) as u64) };
        Window { place: Place::Lds, base: 0, limit }
    }
}

impl Window {
    /// The pieces of `bytes` bytes at an address and an offset; none if they are out of range.
    fn locate(self, m: &mut Machine, address: u32, offset: u32, bytes: u8) -> Pieces {
        let mut at = address.wrapping_add(offset);
        if !m.arch.is_gcn14_or_later() {
            let aligned = at & !(bytes.next_power_of_two() as u32 - 1);
            m.notes.insert_if(aligned != at, Note::LdsMisaligned);
            at = aligned;
        }
        let negative = m.arch == Arch::Gcn10 && address >> 31 == 1 && offset != 0;
        if negative && self.has(at, bytes) {
            m.notes.insert(Note::LdsNegativeBase);
            return Pieces::NONE;
        }
        self.pieces(m, at, bytes)
    }

    fn has(self, address: u32, bytes: u8) -> bool {
        address as u64 + bytes as u64 <= self.limit
    }

    fn pieces(self, m: &mut Machine, address: u32, bytes: u8) -> Pieces {
        let is_there = self.has(address, bytes);
        m.notes.insert_if(!is_there && (address as u64) < self.limit, Note::LdsPartialOob);
        let at = address.wrapping_add(self.base);
        if is_there && m.context.share(self.place, at, bytes as usize).is_some() {
            return Pieces::one(self.place, at as u64, bytes);
        }
        Pieces::NONE
    }
}

/// Refuses an atomic that is not aligned, from GCN 1.4 on. (Before, the low bits of its address are dropped.)
fn check_alignment(pieces: &Pieces, arch: Arch, lane: u8) -> Result<(), Refused> {
    match pieces.iter().find(|piece| !piece.address.is_multiple_of(piece.bytes as u64)) {
        Some(piece) if arch.is_gcn14_or_later() => {
            let (address, bytes) = (piece.address, piece.bytes as u32);
            let fault = MemoryFault { access: Access::Atomic, address, bytes, lane: Some(lane) };
            Err(Refused { fault, note: Some(Note::AtomicAlign) })
        }
        _ => Ok(()),
    }
}
