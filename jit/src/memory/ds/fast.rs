//! Reads, writes and atomics of all lanes at once, where every active lane is in range and aligned. All else is left to
//! the ways of [`access`](super::access) and [`update`](super::update), and so is what is recorded.

use gcnsim_isa::{LANES, Note, Notes};

use super::super::atomics::{Atomic, Operation};
use super::super::{Action, Any, Body, Kernel, MemoryOp, execute, fastest};
use super::elements::{Elements, Shape, for_each_lane};
use super::{Act, DATA0, DATA1, Load, Machine, Refused, ShareOp};

impl ShareOp {
    /// The kernel: a fast one for the common rows.
    pub(in super::super) fn kernel(&self) -> Kernel {
        match (self.act, self.bytes, self.gds) {
            (Act::Read(Load::Zero), 4, false) => fastest::<Read<1>>(),
            (Act::Read(Load::Zero), 8, false) => fastest::<Read<2>>(),
            (Act::Read(Load::Zero), 12, false) => fastest::<Read<3>>(),
            (Act::Read(Load::Zero), 16, false) => fastest::<Read<4>>(),
            (Act::Read2(_), 4, false) => fastest::<Read2<1>>(),
            (Act::Read2(_), 8, false) => fastest::<Read2<2>>(),
            (Act::Write { shift: 0 }, 4, false) => fastest::<Write<1>>(),
            (Act::Write { shift: 0 }, 8, false) => fastest::<Write<2>>(),
            (Act::Write { shift: 0 }, 12, false) => fastest::<Write<3>>(),
            (Act::Write { shift: 0 }, 16, false) => fastest::<Write<4>>(),
            (Act::Write2(_), 4, false) => fastest::<Write2<1>>(),
            (Act::Write2(_), 8, false) => fastest::<Write2<2>>(),
            (Act::Update(_), 4, false) => fastest::<Update>(),
            _ => execute::<Any>,
        }
    }

    /// Has the wave all registers that the instruction names?
    #[inline(always)]
    fn has_registers(&self, m: &Machine<'_>) -> bool {
        let has = |(first, count): (u8, u8)| usize::from(first) + usize::from(count) <= m.vgprs.len();
        has(self.vdst) & self.sources.into_iter().all(has)
    }
}

/// The DS instruction of an op.
#[inline(always)]
fn share_op(op: &MemoryOp) -> Result<&ShareOp, Refused> {
    if let Action::Share(op) = &op.action { Ok(op) } else { Err(Refused) }
}

/// A read of `N` dwords.
struct Read<const N: usize>;

impl<const N: usize> Body for Read<N> {
    #[inline(always)]
    fn run(op: &MemoryOp, m: &mut Machine<'_>) -> Result<(), Refused> {
        let op = share_op(op)?;
        if op.has_registers(m)
            && let Some(elements) = op.elements::<N>(m, 0, !op.arch.is_gcn14_or_later())
        {
            op.read_elements::<N>(m, &elements, op.vdst.0.into());
            return Ok(());
        }
        op.execute(m)
    }
}

/// Two reads of `N` dwords.
struct Read2<const N: usize>;

impl<const N: usize> Body for Read2<N> {
    #[inline(always)]
    fn run(op: &MemoryOp, m: &mut Machine<'_>) -> Result<(), Refused> {
        let op = share_op(op)?;
        let aligns = !op.arch.is_gcn14_or_later();
        if op.has_registers(m)
            && let Some(first) = op.elements::<N>(m, 0, aligns)
            && let Some(second) = op.elements::<N>(m, 1, aligns)
        {
            let to = usize::from(op.vdst.0);
            op.read_elements::<N>(m, &first, to);
            op.read_elements::<N>(m, &second, to + N);
            return Ok(());
        }
        op.execute(m)
    }
}

/// A write of `N` dwords.
struct Write<const N: usize>;

impl<const N: usize> Body for Write<N> {
    #[inline(always)]
    fn run(op: &MemoryOp, m: &mut Machine<'_>) -> Result<(), Refused> {
        let op = share_op(op)?;
        if op.has_registers(m)
            && !m.context.is_recording()
            && let Some(elements) = op.elements::<N>(m, 0, !op.arch.is_gcn14_or_later())
        {
            let from = op.sources[DATA0].0.into();
            op.write_elements::<N>(m, &elements, from);
            // Where a lane's bytes are not there in the end, another one has written others.
            let is_lost = elements.shape != Shape::Row && !op.holds::<N>(m, &elements, from);
            m.notes.insert_if(is_lost, Note::LaneOrder);
            return Ok(());
        }
        op.execute(m)
    }
}

/// Two writes of `N` dwords.
struct Write2<const N: usize>;

impl<const N: usize> Body for Write2<N> {
    #[inline(always)]
    fn run(op: &MemoryOp, m: &mut Machine<'_>) -> Result<(), Refused> {
        let op = share_op(op)?;
        let aligns = !op.arch.is_gcn14_or_later();
        if op.has_registers(m)
            && op.offsets[0] != op.offsets[1]
            && !m.context.is_recording()
            && let Some(first) = op.elements::<N>(m, 0, aligns)
            && let Some(second) = op.elements::<N>(m, 1, aligns)
        {
            let [from, from2] = [DATA0, DATA1].map(|source| op.sources[source].0.into());
            op.write_elements::<N>(m, &first, from);
            op.write_elements::<N>(m, &second, from2);
            if op.holds::<N>(m, &first, from) && op.holds::<N>(m, &second, from2) {
                return Ok(());
            }
            // Lanes overlap: once more, in their order.
        }
        op.execute(m)
    }
}

/// An atomic of 32 bits.
struct Update;

impl Body for Update {
    #[inline(always)]
    fn run(op: &MemoryOp, m: &mut Machine<'_>) -> Result<(), Refused> {
        let op = share_op(op)?;
        if let Act::Update(atomic) = op.act
            && op.has_registers(m)
            && !m.context.is_recording()
            && let Some(elements) = op.elements::<1>(m, 0, true)
        {
            op.update_elements(m, &elements, atomic);
            return Ok(());
        }
        op.execute(m)
    }
}

impl ShareOp {
    #[inline(always)]
    fn update_elements(&self, m: &mut Machine<'_>, elements: &Elements, atomic: Atomic) {
        macro_rules! constant {
            ($($name:ident)*) => {
                match atomic {
                    $(Atomic::$name => self.update_all(m, elements, Atomic::$name),)*
                    _ => self.update_all(m, elements, atomic),
                }
            };
        }
        constant!(Add Sub Smin Umin Smax Umax And Or);
    }

    /// Lane by lane, with an atomic that is mostly known when this is compiled.
    #[inline(always)]
    fn update_all(&self, m: &mut Machine<'_>, elements: &Elements, atomic: Atomic) {
        let register = |m: &Machine<'_>, source: usize| match self.sources[source] {
            (first, 1) => m.vgprs[usize::from(first)].0,
            _ => [0; LANES],
        };
        let (mut d, mut e) = (register(m, DATA0), [0; LANES]);
        if self.sources[DATA1].1 == 1 {
            e = register(m, DATA1);
        }
        if matches!(atomic, Atomic::Cmpswap | Atomic::ShareFcmpswap) {
            (d, e) = (e, d);
        }
        let data = Data { operation: Operation { atomic, bytes: 4, mode: m.scalars.mode }, d, e };
        let Machine { context, notes, .. } = m;
        let share = &mut context.lds[..];
        let mut old = [0; LANES];
        match elements.shape {
            Shape::Row => {
                let Some(row) = elements.row_mut::<1>(share).first_chunk_mut::<LANES>() else { return };
                if atomic.is_float() {
                    for_each_lane(elements.exec, |lane| {
                        old[lane] = u32::from_le_bytes(row[lane][0]);
                        row[lane][0] = data.apply(old[lane], lane, notes).to_le_bytes();
                    });
                } else {
                    for lane in 0..LANES {
                        let active = elements.active[lane];
                        old[lane] = u32::from_le_bytes(row[lane][0]);
                        let new = data.apply(old[lane], lane, notes);
                        row[lane][0] = (new & active | old[lane] & !active).to_le_bytes();
                    }
                }
            }
            Shape::Same => {
                let [mut value] = elements.get::<1>(share, 0);
                for_each_lane(elements.exec, |lane| {
                    old[lane] = value;
                    value = data.apply(value, lane, notes);
                });
                elements.set(share, 0, [value]);
            }
            Shape::Scattered => for_each_lane(elements.exec, |lane| {
                let [value] = elements.get::<1>(share, lane);
                old[lane] = value;
                elements.set(share, lane, [data.apply(value, lane, notes)]);
            }),
        }
        if self.vdst.1 == 0 {
            return;
        }
        for ((to, old), active) in m.vgprs[usize::from(self.vdst.0)].0.iter_mut().zip(old).zip(&elements.active) {
            *to = old & active | *to & !active;
        }
        m.notes.insert_if(elements.overlap(), Note::LaneOrder);
    }
}

/// An atomic with the data of all lanes.
struct Data {
    operation: Operation,
    d: [u32; LANES],
    e: [u32; LANES],
}

impl Data {
    /// What a lane makes of the old value.
    #[inline(always)]
    fn apply(&self, old: u32, lane: usize, notes: &mut Notes) -> u32 {
        self.operation.apply(old.into(), [self.d[lane].into(), self.e[lane].into()], notes) as u32
    }
}
