//! Atomics, lane by lane.

use gcnsim_isa::table::Atomic;
use gcnsim_isa::{LANES, Note};

use super::super::Refused;
use super::super::atomics::Operation;
use super::super::lanes;
use super::place::{LARGEST, Window};
use super::{ADDR, DATA0, DATA1, Machine, ShareOp};

/// The bit that marks a dword of DS_CONDXCHG32 as stored.
const MARK: u32 = 1 << 31;

/// The bits of an address of DS_*_SRC2_* that an offset register has moved.
const SOURCE2_MASK: u32 = 0x1_ffff;

/// A bit for each dword of a share that a lane has touched.
pub(super) struct Touched([u64; LARGEST / 4 / 64]);

impl Touched {
    pub fn new() -> Touched {
        Touched([0; LARGEST / 4 / 64])
    }

    /// Touches the dword of the byte `at`. Returns whether another lane has touched it before.
    #[inline(always)]
    pub fn touch(&mut self, at: u32) -> bool {
        let dword = at / 4;
        let word = &mut self.0[(dword / 64) as usize % (LARGEST / 4 / 64)];
        let before = *word;
        *word |= 1 << (dword % 64);
        before == *word
    }
}

impl ShareOp {
    /// The places of the elements at one offset, for all active lanes. From GCN 1.4 on a misaligned one is refused.
    fn places(&self, m: &mut Machine<'_>, window: &Window, which: usize) -> Result<[Option<u32>; LANES], Refused> {
        let mut places = [None; LANES];
        for lane in lanes(m.scalars.exec) {
            places[lane] = self.place(m, window, lane, which);
            if self.arch.is_gcn14_or_later() && places[lane].is_some_and(|at| at % u32::from(self.bytes) != 0) {
                return Err(Refused);
            }
        }
        Ok(places)
    }

    pub(super) fn update(&self, m: &mut Machine<'_>, atomic: Atomic) -> Result<(), Refused> {
        let window = Window::new(self, m);
        let places = self.places(m, &window, 0)?;
        let returns = self.vdst.1 > 0;
        let operation = Operation { atomic, bytes: self.bytes, mode: m.scalars.mode };
        let mut touched = Touched::new();
        for lane in lanes(m.scalars.exec) {
            let mut old = 0;
            if let Some(at) = places[lane] {
                m.notes.insert_if(touched.touch(at) && returns, Note::LaneOrder);
                old = window.value(m, at, self.bytes);
                let data = [DATA0, DATA1].map(|source| self.value(m, source, lane));
                let new = operation.apply(old, data, &mut m.notes);
                window.set(m, at, self.bytes, new);
            }
            if returns {
                self.set_result(m, 0, lane, old);
            }
        }
        Ok(())
    }

    /// Executes DS_WRXCHG2_*.
    pub(super) fn exchange2(&self, m: &mut Machine<'_>) -> Result<(), Refused> {
        let window = Window::new(self, m);
        let places = [self.places(m, &window, 0)?, self.places(m, &window, 1)?];
        let is_one = self.offsets[0] == self.offsets[1];
        let mut touched = Touched::new();
        for lane in lanes(m.scalars.exec) {
            let data = [DATA0, DATA1].map(|source| self.value(m, source, lane));
            let mut old = [0; 2];
            for i in 0..if is_one { 1 } else { 2 } {
                if let Some(at) = places[i][lane] {
                    m.notes.insert_if(touched.touch(at), Note::LaneOrder);
                    old[i] = window.value(m, at, self.bytes);
                    window.set(m, at, self.bytes, data[i]);
                }
            }
            self.set_result(m, 0, lane, old[0]);
            self.set_result(m, self.bytes / 4, lane, if is_one { old[0] } else { old[1] });
        }
        Ok(())
    }

    /// Executes DS_CONDXCHG32: two dwords, each stored if its data have the mark.
    pub(super) fn exchange_if_marked(&self, m: &mut Machine<'_>) {
        let window = Window::new(self, m);
        let mut touched = Touched::new();
        for lane in lanes(m.scalars.exec) {
            let address = self.address(m, lane).wrapping_add(self.offsets[0]) & 0xfff8;
            let data = self.value(m, DATA0, lane);
            let mut old = 0;
            if let Some(at) = window.check(address, 8, &mut m.notes) {
                m.notes.insert_if(touched.touch(at), Note::LaneOrder);
                old = window.value(m, at, 8);
                for (at, data) in [(at, data as u32), (at + 4, (data >> 32) as u32)] {
                    if data & MARK != 0 {
                        window.set(m, at, 4, (data & !MARK).into());
                    }
                }
            }
            self.set_result(m, 0, lane, old);
        }
    }

    /// Executes DS_*_SRC2_*.
    pub(super) fn source2(&self, m: &mut Machine<'_>, atomic: Atomic) {
        let window = Window::new(self, m);
        let bytes = u32::from(self.bytes);
        let operation = Operation { atomic, bytes: self.bytes, mode: m.scalars.mode };
        for lane in lanes(m.scalars.exec) {
            let (a, b) = self.source2_addresses(m, lane);
            let [a, b] = [a, b].map(|address| window.check(address, bytes, &mut m.notes));
            let (Some(a), Some(b)) = (a, b) else {
                m.notes.insert(Note::DsSrc2);
                continue;
            };
            let [old, d] = [a, b].map(|at| window.value(m, at, self.bytes));
            let new = operation.apply(old, [d, 0], &mut m.notes);
            window.set(m, a, self.bytes, new);
        }
    }

    /// The addresses of both operands.
    fn source2_addresses(&self, m: &mut Machine<'_>, lane: usize) -> (u32, u32) {
        let (register, offset) = (m.vgpr(self.sources[ADDR].0, 0, lane), self.offsets[0]);
        let aligned = |address: u32| address & !(u32::from(self.bytes) - 1);
        // The distance is a signed number of dwords of 15 bits, in OFFSET or in the top bits of the register.
        let (a, dwords) = match offset >> 15 {
            0 => (register, (offset << 17) as i32 >> 17),
            _ => (register & SOURCE2_MASK, register as i32 >> 17),
        };
        let a = aligned(a);
        (a, aligned(a.wrapping_add_signed(4 * dwords) & SOURCE2_MASK))
    }

    /// Executes DS_ORDERED_COUNT: the value of the first active lane is added to counter OFFSET\[7:2\]
    /// (OFFSET\[13:12\] is 0) or replaces it (1). Waves run in order, so no wave has to wait.
    pub(super) fn count_in_order(&self, m: &mut Machine<'_>) {
        let window = Window::whole(self, m);
        let (from, control) = (m.scalars.m0 >> 16, self.offsets[0]);
        let first = lanes(m.scalars.exec).next();
        let value = first.map_or(0, |lane| m.vgpr(self.sources[super::ADDR].0, 0, lane));
        let mut old = 0;
        if let Some(at) = window.check((from + (control & 0xfc)) & !3, 4, &mut m.notes) {
            old = window.dword(m, at);
            match control >> 12 & 3 {
                0 => window.set(m, at, 4, old.wrapping_add(value).into()),
                1 => window.set(m, at, 4, value.into()),
                _ => {}
            }
        }
        for lane in lanes(m.scalars.exec) {
            self.set_result(m, 0, lane, old.into());
        }
    }

    /// Executes DS_APPEND or DS_CONSUME: `moved` gets one counter and the number of active lanes.
    pub(super) fn count(&self, m: &mut Machine<'_>, moved: fn(u32, u32) -> u32) {
        let window = Window::whole(self, m);
        m.notes.insert_if(!self.gds, Note::DsAppendM0);
        let from = if self.gds { m.scalars.m0 >> 16 } else { 0 };
        let address = (from + self.offsets[0]) & !3;
        let mut old = 0;
        if let Some(at) = window.check(address, 4, &mut m.notes) {
            old = window.dword(m, at);
            window.set(m, at, 4, moved(old, m.scalars.exec.count_ones()).into());
        }
        for lane in lanes(m.scalars.exec) {
            self.set_result(m, 0, lane, old.into());
        }
    }
}
