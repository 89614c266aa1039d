//! Reads, writes and atomics of all lanes at once, where every active lane is in range and aligned. All else is left to
//! the ways of [`access`](super::access) and [`update`](super::update), and so is what is recorded.
#![allow(unsafe_code)]

use gcnsim_isa::{Arch, LANES, Note, Notes};

use super::super::atomics::{Atomic, Operation};
use super::super::{Action, Any, Body, Kernel, MemoryOp, execute, fastest, lanes};
use super::update::Touched;
use super::{ADDR, Act, DATA0, DATA1, Load, Machine, Refused, ShareOp};

/// Where the elements of the active lanes lie in LDS: all in range, and aligned where that counts.
struct Elements {
    /// The byte of each lane; 0 of inactive ones.
    at: [u32; LANES],
    /// All ones for active lanes, 0 for others.
    active: [u32; LANES],
    exec: u64,
    shape: Shape,
}

/// How they lie.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Shape {
    /// One after the other by the lanes' numbers.
    Row,
    /// All at one place.
    Same,
    /// Anywhere.
    Scattered,
}

/// All ones where a lane is active.
#[inline(always)]
fn masks(exec: u64) -> [u32; LANES] {
    let mut active = [0; LANES];
    for (chunk, lanes) in active.as_chunks_mut::<16>().0.iter_mut().enumerate() {
        let bits = (exec >> (16 * chunk)) as u16 as u32;
        for (lane, mask) in lanes.iter_mut().enumerate() {
            *mask = (bits >> lane & 1).wrapping_neg();
        }
    }
    active
}

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
            (Act::Update(atomic), 4, false) if !atomic.is_float() => fastest::<Update>(),
            _ => execute::<Any>,
        }
    }

    /// Has the wave all registers that the instruction names?
    #[inline(always)]
    fn has_registers(&self, m: &Machine<'_>) -> bool {
        let has = |(first, count): (u8, u8)| usize::from(first) + usize::from(count) <= m.vgprs.len();
        has(self.vdst) & self.sources.into_iter().all(has)
    }

    /// The elements of `N` dwords at one of the offsets; `None` if one is out of range or misaligned.
    #[inline(always)]
    fn elements<const N: usize>(&self, m: &Machine<'_>, which: usize, aligns: bool) -> Option<Elements> {
        let exec = m.scalars.exec;
        let address = &m.vgprs[usize::from(self.sources[ADDR].0)].0;
        let (offset, step) = (self.offsets[which], 4 * N as u32);
        let active = masks(exec);
        let first = exec.trailing_zeros();
        let same = address[first as usize & 63];
        let row = same.wrapping_sub(first * step);
        let mut at = [0; LANES];
        let (mut from_row, mut from_same, mut signs, mut low, mut last) = (0, 0, 0, 0, 0);
        for lane in 0..LANES {
            let address = address[lane];
            from_row |= (address ^ row.wrapping_add(lane as u32 * step)) & active[lane];
            from_same |= (address ^ same) & active[lane];
            signs |= address & active[lane];
            at[lane] = address.wrapping_add(offset) & active[lane];
            low |= at[lane];
            last = last.max(at[lane]);
        }
        let mut limit = m.context.lds.len() as u64;
        if !self.arch.is_gcn14_or_later() {
            limit = limit.min((m.scalars.m0 & 0x1_ffff).into());
        }
        let is_aligned = low & (step.next_power_of_two() - 1) == 0;
        let is_negative = self.arch == Arch::Gcn10 && signs >> 31 == 1;
        if u64::from(last) + u64::from(step) > limit || is_negative || aligns && !is_aligned {
            return None;
        }
        let shape = match (from_row, from_same) {
            (0, _) => Shape::Row,
            (_, 0) => Shape::Same,
            _ => Shape::Scattered,
        };
        Some(Elements { at, active, exec, shape })
    }

    /// Reads `N` dwords of each lane into registers from `to` on.
    #[inline(always)]
    fn read_elements<const N: usize>(&self, m: &mut Machine<'_>, elements: &Elements, to: usize) {
        let share = &m.context.lds[..];
        let registers = &mut m.vgprs[to..to + N];
        match elements.shape {
            Shape::Row if let Some(row) = elements.row::<N>(share) => {
                for (n, register) in registers.iter_mut().enumerate() {
                    for ((to, from), active) in register.0.iter_mut().zip(row).zip(&elements.active) {
                        *to = u32::from_le_bytes(from[n]) & active | *to & !active;
                    }
                }
            }
            Shape::Same => {
                let value: [u32; N] = elements.get(share, elements.exec.trailing_zeros() as usize & 63);
                for (register, value) in registers.iter_mut().zip(value) {
                    for (to, active) in register.0.iter_mut().zip(&elements.active) {
                        *to = value & active | *to & !active;
                    }
                }
            }
            _ => {
                for lane in 0..LANES {
                    let value: [u32; N] = elements.get(share, lane);
                    let active = elements.active[lane];
                    for (register, value) in registers.iter_mut().zip(value) {
                        let to = &mut register.0[lane];
                        *to = value & active | *to & !active;
                    }
                }
            }
        }
    }

    /// Writes `N` dwords of each lane, ascending. Where a lane's bytes are not there in the end, another one has written
    /// others.
    #[inline(always)]
    fn write_elements<const N: usize>(&self, m: &mut Machine<'_>, elements: &Elements, from: usize) {
        let share = &mut m.context.lds[..];
        let registers = &m.vgprs[from..from + N];
        if elements.shape == Shape::Row
            && let Some(row) = elements.row_mut::<N>(share)
        {
            for (n, register) in registers.iter().enumerate() {
                for ((to, from), active) in row.iter_mut().zip(&register.0).zip(&elements.active) {
                    let old = u32::from_le_bytes(to[n]);
                    to[n] = (from & active | old & !active).to_le_bytes();
                }
            }
            return;
        }
        let value = |lane: usize| std::array::from_fn(|n| registers[n].0[lane]);
        if elements.shape == Shape::Same {
            let highest = 63 - elements.exec.leading_zeros() as usize & 63;
            let last: [u32; N] = value(highest);
            elements.set(share, highest, last);
            let mut differing = 0;
            for (register, last) in registers.iter().zip(last) {
                for (value, active) in register.0.iter().zip(&elements.active) {
                    differing |= (value ^ last) & active;
                }
            }
            m.notes.insert_if(differing != 0, Note::LaneOrder);
            return;
        }
        for lane in lanes(elements.exec) {
            elements.set::<N>(share, lane, value(lane));
        }
        let mut differing = 0;
        for lane in 0..LANES {
            let found: [u32; N] = elements.get(share, lane);
            let expected: [u32; N] = value(lane);
            for (found, expected) in found.into_iter().zip(expected) {
                differing |= (found ^ expected) & elements.active[lane];
            }
        }
        m.notes.insert_if(differing != 0, Note::LaneOrder);
    }
}

impl Elements {
    /// The place of lane 0 in a row, if the row of all 64 lanes lies in the share.
    #[inline(always)]
    fn row_start<const N: usize>(&self, share: &[u8]) -> Option<usize> {
        let first = self.exec.trailing_zeros() as usize & 63;
        let start = (self.at[first] as usize).checked_sub(4 * N * first)?;
        (start + 4 * N * LANES <= share.len()).then_some(start)
    }

    /// The dwords of all lanes of a row, active or not.
    #[inline(always)]
    fn row<'a, const N: usize>(&self, share: &'a [u8]) -> Option<&'a [[[u8; 4]; N]]> {
        let start = self.row_start::<N>(share)?;
        Some(share[start..start + 4 * N * LANES].as_chunks().0.as_chunks().0)
    }

    #[inline(always)]
    fn row_mut<'a, const N: usize>(&self, share: &'a mut [u8]) -> Option<&'a mut [[[u8; 4]; N]]> {
        let start = self.row_start::<N>(share)?;
        Some(share[start..start + 4 * N * LANES].as_chunks_mut().0.as_chunks_mut().0)
    }

    /// The dwords of a lane; any in range of an inactive one.
    #[inline(always)]
    fn get<const N: usize>(&self, share: &[u8], lane: usize) -> [u32; N] {
        let at = self.at[lane] as usize;
        debug_assert!(at + 4 * N <= share.len());
        // SAFETY: `ShareOp::elements` found the greatest place plus 4 * N within the share.
        let bytes = unsafe { share.as_ptr().add(at).cast::<[[u8; 4]; N]>().read() };
        bytes.map(u32::from_le_bytes)
    }

    /// Writes the dwords of a lane.
    #[inline(always)]
    fn set<const N: usize>(&self, share: &mut [u8], lane: usize, value: [u32; N]) {
        let at = self.at[lane] as usize;
        debug_assert!(at + 4 * N <= share.len());
        // SAFETY: `ShareOp::elements` found the greatest place plus 4 * N within the share.
        unsafe { share.as_mut_ptr().add(at).cast::<[[u8; 4]; N]>().write(value.map(u32::to_le_bytes)) }
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
            op.write_elements::<N>(m, &elements, op.sources[DATA0].0.into());
            return Ok(());
        }
        op.execute(m)
    }
}

/// An atomic of integers of 32 bits.
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
        if atomic == Atomic::Cmpswap {
            (d, e) = (e, d);
        }
        let operation = Operation { atomic, bytes: 4, mode: 0 };
        let apply = |old: u32, lane: usize| {
            // Integers have no notes.
            operation.apply(old.into(), [d[lane].into(), e[lane].into()], &mut Notes::NONE.clone()) as u32
        };
        let share = &mut m.context.lds[..];
        let mut old = [0; LANES];
        match elements.shape {
            Shape::Same => {
                let first = elements.exec.trailing_zeros() as usize & 63;
                let [mut value] = elements.get::<1>(share, first);
                for lane in lanes(elements.exec) {
                    old[lane] = value;
                    value = apply(value, lane);
                }
                elements.set(share, first, [value]);
            }
            _ => {
                for lane in lanes(elements.exec) {
                    let [value] = elements.get::<1>(share, lane);
                    old[lane] = value;
                    elements.set(share, lane, [apply(value, lane)]);
                }
            }
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

impl Elements {
    /// Do two active lanes have one place?
    #[inline(always)]
    fn overlap(&self) -> bool {
        match self.shape {
            Shape::Row => false,
            Shape::Same => self.exec.count_ones() > 1,
            Shape::Scattered => {
                let mut touched = Touched::new();
                lanes(self.exec).fold(false, |overlap, lane| overlap | touched.touch(self.at[lane]))
            }
        }
    }
}
