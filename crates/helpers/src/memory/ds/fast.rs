//! Reads, writes and atomics of all lanes at once, where every active lane is in range and aligned. All else is left to
//! the ways of [`access`](super::access) and [`update`](super::update), and so is what is recorded.

use std::marker::PhantomData;

use gcnsim_isa::table::{Atomic, Load, Part, Store};
use gcnsim_isa::{Arch, LANES, Note};

use super::super::atomics::Operation;
use super::super::fast::{self, Around, Located, Room, Shape};
use super::super::{Action, Any, Body, Helper, MemoryOp, execute, on_level};
use super::{ADDR, Act, DATA0, DATA1, Machine, Refused, ShareOp};
use crate::Level;
use crate::host::lanes::{each_lane, lanes_of, union};
use crate::host::{Host, Lanes};

impl ShareOp {
    /// The helper of the instruction: a fast one for the common rows.
    pub(crate) fn helper(&self, level: Level) -> Helper {
        match (self.act, self.bytes, self.gds) {
            (Act::Read(_), 1, false) => on_level::<By<Read<1>>>(level),
            (Act::Read(_), 2, false) => on_level::<By<Read<2>>>(level),
            (Act::Read(_), 4, false) => on_level::<By<Read<4>>>(level),
            (Act::Read(_), 8, false) => on_level::<By<Read<8>>>(level),
            (Act::Read(_), 12, false) => on_level::<By<Read<12>>>(level),
            (Act::Read(_), 16, false) => on_level::<By<Read<16>>>(level),
            (Act::Read2(_), 4, false) => on_level::<By<Read2<4, 8>>>(level),
            (Act::Read2(_), 8, false) => on_level::<By<Read2<8, 16>>>(level),
            (Act::Write(_), 1, false) => on_level::<By<Write<1>>>(level),
            (Act::Write(_), 2, false) => on_level::<By<Write<2>>>(level),
            (Act::Write(_), 4, false) => on_level::<By<Write<4>>>(level),
            (Act::Write(_), 8, false) => on_level::<By<Write<8>>>(level),
            (Act::Write(_), 12, false) => on_level::<By<Write<12>>>(level),
            (Act::Write(_), 16, false) => on_level::<By<Write<16>>>(level),
            (Act::Write2(_), 4, false) => on_level::<By<Write2<4, 8>>>(level),
            (Act::Write2(_), 8, false) => on_level::<By<Write2<8, 16>>>(level),
            (Act::Update(_), _, false) => on_level::<By<Update>>(level),
            (Act::Swizzle | Act::Permute | Act::Bpermute, ..) => on_level::<By<Exchange>>(level),
            _ => execute::<Any>,
        }
    }

    /// Whether the elements of an instruction with two offsets are neighbours, the first one below.
    #[inline(always)]
    fn are_neighbours(&self) -> bool {
        self.offsets[1] == self.offsets[0] + u32::from(self.bytes)
    }

    /// Whether elements of `bytes` bytes at one offset never overlap those at the other, whatever their lanes. They
    /// do not if all addresses are multiples of the size, and those at one offset have a bit that the others lack.
    #[inline(always)]
    fn are_apart(&self, m: &Machine<'_>, bytes: u32) -> bool {
        let [low, high] = [self.offsets[0].min(self.offsets[1]), self.offsets[0].max(self.offsets[1])];
        let (bit, rest) = (high - low, bytes - 1);
        let without = |value: u32, bits: u32| value & bits == 0;
        let address = &m.vgprs[usize::from(self.sources[ADDR].0)].0;
        bit.is_power_of_two()
            && bit >= bytes
            && without(low, bit | rest)
            && without(union(address, m.scalars.exec), bit | rest | low)
    }

    /// The greatest address of an element of `bytes` bytes; `None` if a lane's address is no multiple of `align`.
    #[inline(always)]
    fn most(&self, m: &Machine<'_>, bytes: u32, align: u32) -> Option<u32> {
        let share = m.context.lds.len() as u64;
        let is_clamped = !self.arch.is_gcn14_or_later();
        let limit = if is_clamped { share.min((m.scalars.m0 & 0x1_ffff).into()) } else { share };
        let is_aligned = align == 1 || {
            let low = &m.vgprs[usize::from(self.sources[ADDR].0)].0;
            (union(low, m.scalars.exec) | self.offsets[0] | self.offsets[1]) & (align - 1) == 0
        };
        if !is_aligned {
            return None;
        }
        u32::try_from(limit).ok()?.checked_sub(bytes)
    }

    /// The elements of `bytes` bytes at one offset, if they are in range. Their addresses are multiples of `align`.
    #[inline(always)]
    fn locate<'a, H: Host>(
        &self,
        host: H,
        m: &mut Machine<'_>,
        which: usize,
        bytes: u32,
        align: u32,
        room: &'a mut Room,
    ) -> Option<Located<'a, H>> {
        let most = self.most(m, bytes, align)?;
        let (mask, offset) = (m.scalars.exec, self.offsets[which]);
        let origin = m.context.lds.as_mut_ptr();
        let (places, start) = self.addresses(m);
        if let Some(around) = around(start, most.checked_sub(offset))
            && let Some(shape) = Shape::of(origin.wrapping_add(offset as usize), places, start, mask, around, bytes)
        {
            return Some(shape.with(host, places, room));
        }
        if offset == 0 || self.arch == Arch::Gcn10 {
            return None;
        }
        // Elements may also be in range because the sum of address and offset wraps.
        let (sums, start) = (lanes_of!(lane => places[lane].wrapping_add(offset)), start.wrapping_add(offset));
        Some(Shape::of(origin, &sums, start, mask, around(start, Some(most))?, bytes)?.with(host, &sums, room))
    }

    /// The elements at both offsets.
    #[inline(always)]
    fn locate_both<'a, H: Host>(
        &self,
        host: H,
        m: &mut Machine<'_>,
        bytes: u32,
        align: u32,
        [room, first, second]: &'a mut [Room; 3],
    ) -> Option<[Located<'a, H>; 2]> {
        let [a, b] = self.offsets;
        let most = self.most(m, bytes, align)?;
        let origin = m.context.lds.as_mut_ptr();
        let (places, start) = self.addresses(m);
        if let Some(around) = around(start, most.checked_sub(a.max(b)))
            && let Some(shape) = Shape::of(origin, places, start, m.scalars.exec, around, bytes)
        {
            let located = shape.with(host, places, room);
            return Some([located.behind(a as usize), located.behind(b as usize)]);
        }
        Some([self.locate(host, m, 0, bytes, align, first)?, self.locate(host, m, 1, bytes, align, second)?])
    }

    /// The address register, and its value in the first active lane.
    #[inline(always)]
    fn addresses<'a>(&self, m: &'a Machine<'_>) -> (&'a Lanes, u32) {
        let register = &m.vgprs[usize::from(self.sources[ADDR].0)].0;
        (register, register[m.scalars.exec.trailing_zeros() as usize % LANES])
    }

    /// The alignment of addresses of elements of `bytes` bytes: before GCN 1.4 low bits are ignored.
    #[inline(always)]
    fn alignment(&self, bytes: u32) -> u32 {
        if self.arch.is_gcn14_or_later() { 1 } else { bytes.next_power_of_two() }
    }

    /// The registers of both data operands, one after the other, up to four.
    #[inline(always)]
    fn stored<'a>(&self, m: &'a Machine<'_>) -> [&'a Lanes; 4] {
        let [_, (first, count), (second, others)] = self.sources;
        let (first, second) = (usize::from(first), usize::from(second));
        let (count, all) = (usize::from(count), usize::from(count) + usize::from(others));
        let mut registers = [&m.vgprs[first].0; 4];
        for (k, register) in registers.iter_mut().enumerate().take(all) {
            *register = &m.vgprs[if k < count { first + k } else { second + k - count }].0;
        }
        registers
    }
}

/// The distances below and above `place` in which elements may lie, if addresses go from 0 to `most`; `None` if
/// `place` is not among them.
#[inline(always)]
fn around(place: u32, most: Option<u32>) -> Option<Around> {
    let behind = most?.checked_sub(place)?;
    Some(Around { before: place.into(), behind: behind.into() })
}

/// A fast path, which executes an instruction for all lanes at once.
trait Way {
    /// Executes the instruction, whose registers the wave has. Returns `None` if the path does not take it: then
    /// nothing has changed, and it can be executed lane by lane.
    fn take<H: Host>(host: H, op: &ShareOp, m: &mut Machine<'_>) -> Option<()>;
}

/// A helper that tries the fast path `W`, and then goes lane by lane.
struct By<W>(PhantomData<W>);

impl<W: Way> Body for By<W> {
    #[inline(always)]
    fn run<H: Host>(host: H, op: &MemoryOp, m: &mut Machine<'_>) -> Result<(), Refused> {
        let Action::Share(op) = &op.action else { return Err(Refused) };
        if usize::from(op.vgpr_count) <= m.vgprs.len() && W::take(host, op, m).is_some() {
            return Ok(());
        }
        op.execute(m)
    }
}

/// The fast path of a read of `BYTES` bytes.
struct Read<const BYTES: usize>;

impl<const BYTES: usize> Way for Read<BYTES> {
    #[inline(always)]
    fn take<H: Host>(host: H, op: &ShareOp, m: &mut Machine<'_>) -> Option<()> {
        let Act::Read(load) = op.act else { return None };
        let mut room = Room::uninit();
        let elements = op.locate(host, m, 0, BYTES as u32, op.alignment(BYTES as u32), &mut room)?;
        let registers = &mut m.vgprs[usize::from(op.vdst.0)..];
        fast::load::<_, BYTES>(Some(&elements), m.scalars.exec, load, false, registers);
        Some(())
    }
}

/// The fast path of two reads of `BYTES` bytes; `BOTH` is twice that.
struct Read2<const BYTES: usize, const BOTH: usize>;

impl<const BYTES: usize, const BOTH: usize> Way for Read2<BYTES, BOTH> {
    #[inline(always)]
    fn take<H: Host>(host: H, op: &ShareOp, m: &mut Machine<'_>) -> Option<()> {
        let (exec, align, to) = (m.scalars.exec, op.alignment(BYTES as u32), usize::from(op.vdst.0));
        let load = |bytes: usize| Load { bytes: bytes as u8, signed: false, part: Part::Whole };
        if op.are_neighbours() {
            let mut room = Room::uninit();
            let elements = op.locate(host, m, 0, BOTH as u32, align, &mut room)?;
            fast::load::<_, BOTH>(Some(&elements), exec, load(BOTH), false, &mut m.vgprs[to..]);
        } else {
            let mut rooms = [Room::uninit(); 3];
            let [first, second] = op.locate_both(host, m, BYTES as u32, align, &mut rooms)?;
            fast::load::<_, BYTES>(Some(&first), exec, load(BYTES), false, &mut m.vgprs[to..]);
            fast::load::<_, BYTES>(Some(&second), exec, load(BYTES), false, &mut m.vgprs[to + BYTES / 4..]);
        }
        Some(())
    }
}

/// The fast path of a write of `BYTES` bytes.
struct Write<const BYTES: usize>;

impl<const BYTES: usize> Way for Write<BYTES> {
    #[inline(always)]
    fn take<H: Host>(host: H, op: &ShareOp, m: &mut Machine<'_>) -> Option<()> {
        let Act::Write(store) = op.act else { return None };
        if m.context.is_recording() {
            return None;
        }
        let mut room = Room::uninit();
        let elements = op.locate(host, m, 0, BYTES as u32, op.alignment(BYTES as u32), &mut room)?;
        // A lane whose bytes are not there in the end was overwritten by another lane.
        let is_lost = elements.store::<BYTES>(store, false, op.stored(m));
        m.notes.insert_if(is_lost, Note::LaneOrder);
        Some(())
    }
}

/// The fast path of two writes of `BYTES` bytes; `BOTH` is twice that.
struct Write2<const BYTES: usize, const BOTH: usize>;

impl<const BYTES: usize, const BOTH: usize> Way for Write2<BYTES, BOTH> {
    #[inline(always)]
    fn take<H: Host>(host: H, op: &ShareOp, m: &mut Machine<'_>) -> Option<()> {
        if m.context.is_recording() || op.offsets[0] == op.offsets[1] {
            return None;
        }
        let align = op.alignment(BYTES as u32);
        let store = |bytes: usize| Store { bytes: bytes as u8, high: false };
        if op.are_neighbours() {
            let mut room = Room::uninit();
            let elements = op.locate(host, m, 0, BOTH as u32, align, &mut room)?;
            let is_lost = elements.store::<BOTH>(store(BOTH), false, op.stored(m));
            m.notes.insert_if(is_lost, Note::LaneOrder);
            return Some(());
        }
        let are_apart = op.are_apart(m, BYTES as u32);
        let mut rooms = [Room::uninit(); 3];
        let [first, second] = op.locate_both(host, m, BYTES as u32, align, &mut rooms)?;
        let [a, b, c, d] = op.stored(m);
        let (one, other) = if BYTES == 4 { ([a; 4], [b; 4]) } else { ([a, b, b, b], [c, d, d, d]) };
        let is_lost = first.store::<BYTES>(store(BYTES), false, one);
        let is_lost = second.store::<BYTES>(store(BYTES), false, other) || is_lost;
        let is_there = are_apart || if BYTES == 4 { first.holds([a]) } else { first.holds([a, b]) };
        // If lanes overlap, all is written once more, in their order.
        (!is_lost && is_there).then_some(())
    }
}

/// The fast path of an atomic.
struct Update;

impl Way for Update {
    #[inline(always)]
    fn take<H: Host>(host: H, op: &ShareOp, m: &mut Machine<'_>) -> Option<()> {
        let Act::Update(atomic) = op.act else { return None };
        let bytes = u32::from(op.bytes);
        if m.context.is_recording() {
            return None;
        }
        let mut room = Room::uninit();
        let elements = op.locate(host, m, 0, bytes, bytes, &mut room).filter(|elements| elements.is_aligned(bytes))?;
        op.update_elements(m, &elements, atomic);
        Some(())
    }
}

impl ShareOp {
    #[inline(always)]
    fn update_elements(&self, m: &mut Machine<'_>, elements: &Located<'_, impl Host>, atomic: Atomic) {
        let pair = |source: usize| {
            let (first, count) = self.sources[source];
            // The operation ignores an operand that the instruction does not have, so any register will do.
            let first = if count == 0 { self.sources[DATA0].0 } else { first };
            let first = usize::from(first);
            [&m.vgprs[first].0, &m.vgprs[first + usize::from(self.bytes / 4) - 1].0]
        };
        let (first, second) = (pair(DATA0), pair(DATA1));
        let operation = Operation { atomic, bytes: self.bytes, mode: m.scalars.mode };
        let update = fast::Update { operation, first, second, is_alone: true };
        if self.vdst.1 == 0 {
            return elements.update(&update, None, &mut m.notes);
        }
        let mut old = [[0; LANES]; 2];
        elements.update(&update, Some(&mut old), &mut m.notes);
        let meet = !m.noted.contains(Note::LaneOrder) && elements.lanes_meet(self.bytes.into());
        m.notes.insert_if(meet, Note::LaneOrder);
        let exec = m.scalars.exec;
        let registers = m.vgprs[usize::from(self.vdst.0)..].iter_mut().take(self.vdst.1.into());
        registers.zip(&old).for_each(|(register, old)| fast::blend(&mut register.0, exec, old));
    }
}

/// The fast path of an exchange between lanes.
struct Exchange;

impl Way for Exchange {
    #[inline(always)]
    fn take<H: Host>(host: H, op: &ShareOp, m: &mut Machine<'_>) -> Option<()> {
        let exec = m.scalars.exec;
        let register = |source: usize| &m.vgprs[usize::from(op.sources[source].0)].0;
        let address = register(ADDR);
        let named = || lanes_of!(lane => address[lane].wrapping_add(op.offsets[0]) / 4);
        let result = match op.act {
            Act::Swizzle => host.permuted(register(ADDR), &op.swizzled_lanes(), exec),
            Act::Bpermute => host.permuted(register(DATA0), &named(), exec),
            _ => {
                let (mut pushed, to, values) = ([0; LANES], named(), register(DATA0));
                each_lane!(exec, lane, { pushed[to[lane] as usize % LANES] = values[lane] });
                pushed
            }
        };
        fast::blend(&mut m.vgprs[usize::from(op.vdst.0)].0, exec, &result);
        Some(())
    }
}

#[cfg(test)]
#[path = "fast_tests.rs"]
mod tests;
