//! Reads, writes and atomics of all lanes at once, where every active lane is in range and aligned. All else is left to
//! the ways of [`access`](super::access) and [`update`](super::update), and so is what is recorded.

use gcnsim_isa::{Arch, LANES, Note};

use super::super::atomics::{Atomic, Operation};
use super::super::element::{self, Part};
use super::super::fast::{self, Bounds, Located};
use super::super::host::{Host, Lanes};
use super::super::{Action, Any, Body, Kernel, MemoryOp, execute, on_level};
use super::{ADDR, Act, DATA0, DATA1, Load, Machine, Refused, ShareOp};
use crate::kernels::Level;

impl ShareOp {
    /// The kernel: a fast one for the common rows.
    pub(in super::super) fn kernel(&self, level: Level) -> Kernel {
        match (self.act, self.bytes, self.gds) {
            (Act::Read(_), 1, false) => on_level::<Read<1>>(level),
            (Act::Read(_), 2, false) => on_level::<Read<2>>(level),
            (Act::Read(_), 4, false) => on_level::<Read<4>>(level),
            (Act::Read(_), 8, false) => on_level::<Read<8>>(level),
            (Act::Read(_), 12, false) => on_level::<Read<12>>(level),
            (Act::Read(_), 16, false) => on_level::<Read<16>>(level),
            (Act::Read2(_), 4, false) => on_level::<Read2<4, 8>>(level),
            (Act::Read2(_), 8, false) => on_level::<Read2<8, 16>>(level),
            (Act::Write { .. }, 1, false) => on_level::<Write<1>>(level),
            (Act::Write { .. }, 2, false) => on_level::<Write<2>>(level),
            (Act::Write { .. }, 4, false) => on_level::<Write<4>>(level),
            (Act::Write { .. }, 8, false) => on_level::<Write<8>>(level),
            (Act::Write { .. }, 12, false) => on_level::<Write<12>>(level),
            (Act::Write { .. }, 16, false) => on_level::<Write<16>>(level),
            (Act::Write2(_), 4, false) => on_level::<Write2<4, 8>>(level),
            (Act::Write2(_), 8, false) => on_level::<Write2<8, 16>>(level),
            (Act::Update(_), _, false) => on_level::<Update>(level),
            (Act::Swizzle | Act::Permute | Act::Bpermute, ..) => on_level::<Exchange>(level),
            _ => execute::<Any>,
        }
    }

    /// Has the wave all registers that the instruction names?
    #[inline(always)]
    fn has_registers(&self, m: &Machine<'_>) -> bool {
        let has = |(first, count): (u8, u8)| usize::from(first) + usize::from(count) <= m.vgprs.len();
        has(self.vdst) & self.sources.into_iter().all(has)
    }

    /// Are the elements of an instruction with two addresses neighbours, the first one below?
    #[inline(always)]
    fn are_neighbours(&self) -> bool {
        self.offsets[1] == self.offsets[0] + u32::from(self.bytes)
    }

    /// Elements of so many bytes at one of the offsets, if they are in range. Their places are multiples of `align`.
    #[inline(always)]
    fn locate<H: Host>(&self, m: &mut Machine<'_>, which: usize, bytes: u32, align: u32) -> Option<Located> {
        let (mask, offset) = (m.scalars.exec, self.offsets[which]);
        let low = &m.vgprs[usize::from(self.sources[ADDR].0)].0;
        let share = m.context.lds.len() as u64;
        let is_clamped = !self.arch.is_gcn14_or_later();
        let limit = if is_clamped { share.min((m.scalars.m0 & 0x1_ffff).into()) } else { share };
        let most = u32::try_from(limit).ok()?.checked_sub(bytes)?;
        let is_aligned = align == 1 || (fast::union::<H>(low, mask) | offset) & (align - 1) == 0;
        if !is_aligned {
            return None;
        }
        let origin = m.context.lds.as_mut_ptr();
        let bounds = most.checked_sub(offset).map(|most| Bounds { least: 0, most });
        let located =
            bounds.and_then(|bounds| Located::new::<H>(origin.wrapping_add(offset as usize), low, mask, bounds, bytes));
        if located.is_some() || offset == 0 || self.arch == Arch::Gcn10 {
            return located;
        }
        // Sums may wrap.
        let sums = low.map(|low| low.wrapping_add(offset));
        Located::new::<H>(origin, &sums, mask, Bounds { least: 0, most }, bytes)
    }

    /// How addresses of elements of so many bytes are aligned: before GCN 1.4 low bits are ignored.
    #[inline(always)]
    fn alignment(&self, bytes: u32) -> u32 {
        if self.arch.is_gcn14_or_later() { 1 } else { bytes.next_power_of_two() }
    }

    /// The registers of both data, one after the other, up to four.
    #[inline(always)]
    fn stored<'a>(&self, m: &'a Machine<'_>) -> [&'a Lanes; 4] {
        let [_, (first, count), (second, others)] = self.sources;
        let (count, all) = (usize::from(count), usize::from(count) + usize::from(others));
        std::array::from_fn(|k| {
            let k = k.min(all - 1);
            let register = if k < count { usize::from(first) + k } else { usize::from(second) + k - count };
            &m.vgprs[register].0
        })
    }
}

impl Load {
    /// The same as others name it.
    fn named(self, bytes: u8) -> element::Load {
        match self {
            Load::Zero => element::Load { bytes, signed: false, part: Part::Whole },
            Load::Sign => element::Load { bytes, signed: true, part: Part::Whole },
            Load::Half { signed, high } => {
                element::Load { bytes, signed, part: if high { Part::High } else { Part::Low } }
            }
        }
    }
}

/// The DS instruction of an op.
#[inline(always)]
fn share_op(op: &MemoryOp) -> Result<&ShareOp, Refused> {
    if let Action::Share(op) = &op.action { Ok(op) } else { Err(Refused) }
}

/// A read of `BYTES` bytes.
struct Read<const BYTES: usize>;

impl<const BYTES: usize> Body for Read<BYTES> {
    #[inline(always)]
    fn run<H: Host>(op: &MemoryOp, m: &mut Machine<'_>) -> Result<(), Refused> {
        let op = share_op(op)?;
        if let Act::Read(load) = op.act
            && op.has_registers(m)
            && let Some(elements) = op.locate::<H>(m, 0, BYTES as u32, op.alignment(BYTES as u32))
        {
            let registers = &mut m.vgprs[usize::from(op.vdst.0)..];
            fast::load::<H, BYTES>(Some(&elements), m.scalars.exec, load.named(BYTES as u8), false, registers);
            return Ok(());
        }
        op.execute(m)
    }
}

/// Two reads of `BYTES` bytes; both together are `BOTH`.
struct Read2<const BYTES: usize, const BOTH: usize>;

impl<const BYTES: usize, const BOTH: usize> Body for Read2<BYTES, BOTH> {
    #[inline(always)]
    fn run<H: Host>(op: &MemoryOp, m: &mut Machine<'_>) -> Result<(), Refused> {
        let op = share_op(op)?;
        let (exec, align, to) = (m.scalars.exec, op.alignment(BYTES as u32), usize::from(op.vdst.0));
        if !op.has_registers(m) {
            return op.execute(m);
        }
        let load = |bytes: usize| Load::Zero.named(bytes as u8);
        if op.are_neighbours() {
            if let Some(elements) = op.locate::<H>(m, 0, BOTH as u32, align) {
                fast::load::<H, BOTH>(Some(&elements), exec, load(BOTH), false, &mut m.vgprs[to..]);
                return Ok(());
            }
        } else if let Some(first) = op.locate::<H>(m, 0, BYTES as u32, align)
            && let Some(second) = op.locate::<H>(m, 1, BYTES as u32, align)
        {
            fast::load::<H, BYTES>(Some(&first), exec, load(BYTES), false, &mut m.vgprs[to..]);
            fast::load::<H, BYTES>(Some(&second), exec, load(BYTES), false, &mut m.vgprs[to + BYTES / 4..]);
            return Ok(());
        }
        op.execute(m)
    }
}

/// A write of `BYTES` bytes.
struct Write<const BYTES: usize>;

impl<const BYTES: usize> Body for Write<BYTES> {
    #[inline(always)]
    fn run<H: Host>(op: &MemoryOp, m: &mut Machine<'_>) -> Result<(), Refused> {
        let op = share_op(op)?;
        if let Act::Write { shift } = op.act
            && op.has_registers(m)
            && !m.context.is_recording()
            && let Some(elements) = op.locate::<H>(m, 0, BYTES as u32, op.alignment(BYTES as u32))
        {
            let store = element::Store { bytes: BYTES as u8, high: shift != 0 };
            // Where a lane's bytes are not there in the end, another one has written others.
            let is_lost = elements.store::<H, BYTES>(store, false, op.stored(m));
            m.notes.insert_if(is_lost, Note::LaneOrder);
            return Ok(());
        }
        op.execute(m)
    }
}

/// Two writes of `BYTES` bytes; both together are `BOTH`.
struct Write2<const BYTES: usize, const BOTH: usize>;

impl<const BYTES: usize, const BOTH: usize> Body for Write2<BYTES, BOTH> {
    #[inline(always)]
    fn run<H: Host>(op: &MemoryOp, m: &mut Machine<'_>) -> Result<(), Refused> {
        let op = share_op(op)?;
        let align = op.alignment(BYTES as u32);
        if !op.has_registers(m) || m.context.is_recording() || op.offsets[0] == op.offsets[1] {
            return op.execute(m);
        }
        let store = |bytes: usize| element::Store { bytes: bytes as u8, high: false };
        let [a, b, c, d] = op.stored(m).map(|register| *register);
        if op.are_neighbours() {
            if let Some(elements) = op.locate::<H>(m, 0, BOTH as u32, align) {
                let is_lost = elements.store::<H, BOTH>(store(BOTH), false, [&a, &b, &c, &d]);
                m.notes.insert_if(is_lost, Note::LaneOrder);
                return Ok(());
            }
        } else if let Some(first) = op.locate::<H>(m, 0, BYTES as u32, align)
            && let Some(second) = op.locate::<H>(m, 1, BYTES as u32, align)
        {
            let (one, other) = if BYTES == 4 { ([&a; 4], [&b; 4]) } else { ([&a, &b, &b, &b], [&c, &d, &d, &d]) };
            let is_lost = first.store::<H, BYTES>(store(BYTES), false, one);
            let is_lost = second.store::<H, BYTES>(store(BYTES), false, other) || is_lost;
            let is_there = if BYTES == 4 { first.holds([&a]) } else { first.holds([&a, &b]) };
            if !is_lost && is_there {
                return Ok(());
            }
            // Lanes overlap: once more, in their order.
        }
        op.execute(m)
    }
}

/// An atomic.
struct Update;

impl Body for Update {
    #[inline(always)]
    fn run<H: Host>(op: &MemoryOp, m: &mut Machine<'_>) -> Result<(), Refused> {
        let op = share_op(op)?;
        let bytes = u32::from(op.bytes);
        if let Act::Update(atomic) = op.act
            && op.has_registers(m)
            && !m.context.is_recording()
            && let Some(elements) = op.locate::<H>(m, 0, bytes, bytes)
            && elements.is_aligned(bytes)
        {
            op.update_elements(m, &elements, atomic);
            return Ok(());
        }
        op.execute(m)
    }
}

impl ShareOp {
    #[inline(always)]
    fn update_elements(&self, m: &mut Machine<'_>, elements: &Located, atomic: Atomic) {
        let pair = |source: usize| {
            let (first, count) = self.sources[source];
            let first = if count == 0 { self.sources[DATA0].0 } else { first };
            let first = usize::from(first);
            [&m.vgprs[first].0, &m.vgprs[first + usize::from(self.bytes / 4) - 1].0]
        };
        let (mut first, mut second) = (pair(DATA0), pair(DATA1));
        if matches!(atomic, Atomic::Cmpswap | Atomic::ShareFcmpswap) {
            (first, second) = (second, first);
        }
        let operation = Operation { atomic, bytes: self.bytes, mode: m.scalars.mode };
        let update = fast::Update { operation, first, second, is_alone: true };
        let old = elements.update(&update, &mut m.notes);
        if self.vdst.1 == 0 {
            return;
        }
        let exec = m.scalars.exec;
        let registers = m.vgprs[usize::from(self.vdst.0)..].iter_mut().take(self.vdst.1.into());
        registers.zip(&old).for_each(|(register, old)| fast::blend(&mut register.0, exec, old));
        m.notes.insert_if(elements.lanes_meet(self.bytes.into()), Note::LaneOrder);
    }
}

/// Moves values from lane to lane.
struct Exchange;

impl Body for Exchange {
    #[inline(always)]
    fn run<H: Host>(op: &MemoryOp, m: &mut Machine<'_>) -> Result<(), Refused> {
        let op = share_op(op)?;
        if !op.has_registers(m) {
            return op.execute(m);
        }
        let exec = m.scalars.exec;
        let register = |source: usize| &m.vgprs[usize::from(op.sources[source].0)].0;
        let named = || register(ADDR).map(|address| address.wrapping_add(op.offsets[0]) / 4);
        let result = match op.act {
            Act::Swizzle => fast::permuted::<H>(register(ADDR), &op.swizzled_lanes(), exec),
            Act::Bpermute => fast::permuted::<H>(register(DATA0), &named(), exec),
            _ => {
                let (mut pushed, to, values) = ([0; LANES], named(), register(DATA0));
                fast::each_lane(exec, |lane| pushed[to[lane] as usize % LANES] = values[lane]);
                pushed
            }
        };
        fast::blend(&mut m.vgprs[usize::from(op.vdst.0)].0, exec, &result);
        Ok(())
    }
}
