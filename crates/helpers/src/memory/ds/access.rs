//! Reads and writes, lane by lane.

use gcnsim_isa::table::{Load, Store};
use gcnsim_isa::{LANES, Note};

use super::super::{element, lanes};
use super::place::Window;
use super::{DATA0, DATA1, Machine, ShareOp};

/// The addresses of the two elements of each lane; `None` for an element that is out of range or absent.
type Places = [[Option<u32>; 2]; LANES];

impl ShareOp {
    pub(super) fn read(&self, m: &mut Machine<'_>, load: Load) {
        let window = Window::new(self, m);
        for lane in lanes(m.scalars.exec) {
            let mut bytes = [0; 16];
            if let Some(at) = self.place(m, &window, lane, 0)
                && let Some(found) = m.context.share(window.place, at, self.bytes.into())
            {
                bytes[..found.len()].copy_from_slice(found);
            }
            let first = usize::from(self.vdst.0);
            let registers = &mut m.vgprs[first..first + usize::from(self.vdst.1)];
            for (register, dword) in registers.iter_mut().zip(bytes.as_chunks().0) {
                let to = &mut register.0[lane];
                *to = element::merge(load.part, *to, element::extend(load, u32::from_le_bytes(*dword)));
            }
        }
    }

    pub(super) fn read2(&self, m: &mut Machine<'_>) {
        let window = Window::new(self, m);
        for lane in lanes(m.scalars.exec) {
            let values = [0, 1].map(|i| {
                let at = self.place(m, &window, lane, i);
                at.map_or(0, |at| window.value(m, at, self.bytes))
            });
            for (i, value) in values.into_iter().enumerate() {
                self.set_result(m, i as u8 * self.bytes / 4, lane, value);
            }
        }
    }

    pub(super) fn write(&self, m: &mut Machine<'_>, store: Store) {
        let window = Window::new(self, m);
        let mut places: Places = [[None; 2]; LANES];
        for lane in lanes(m.scalars.exec) {
            places[lane][0] = self.place(m, &window, lane, 0);
        }
        let data = |m: &mut Machine<'_>, lane: usize, _: usize| {
            let (first, count) = self.sources[DATA0];
            let mut bytes = [0; 16];
            for (n, dword) in bytes.as_chunks_mut().0.iter_mut().enumerate().take(count.into()) {
                *dword = element::shift(store, m.vgpr(first, n as u8, lane)).to_le_bytes();
            }
            bytes
        };
        self.write_places(m, &window, &places, data);
    }

    pub(super) fn write2(&self, m: &mut Machine<'_>) {
        let window = Window::new(self, m);
        let mut places: Places = [[None; 2]; LANES];
        let is_one = self.offsets[0] == self.offsets[1];
        for lane in lanes(m.scalars.exec) {
            places[lane][0] = self.place(m, &window, lane, 0);
            places[lane][1] = if is_one { None } else { self.place(m, &window, lane, 1) };
        }
        let data = |m: &mut Machine<'_>, lane: usize, i: usize| {
            let value = self.value(m, [DATA0, DATA1][i], lane);
            u128::from(value).to_le_bytes()
        };
        self.write_places(m, &window, &places, data);
    }

    /// Writes the elements of all lanes in ascending order. Notes the order if another lane overwrote one with
    /// different bytes.
    fn write_places(
        &self,
        m: &mut Machine<'_>,
        window: &Window,
        places: &Places,
        data: impl Fn(&mut Machine<'_>, usize, usize) -> [u8; 16],
    ) {
        let len = usize::from(self.bytes);
        let elements = || {
            let both = |lane: usize| [(lane, 0), (lane, 1)];
            let elements = lanes(u64::MAX).flat_map(both);
            elements.filter_map(|(lane, i)| places[lane][i].map(|at| (lane, i, at)))
        };
        for (lane, i, at) in elements() {
            let bytes = data(m, lane, i);
            m.context.write_share(window.place, at, &bytes[..len]);
        }
        for (lane, i, at) in elements() {
            let bytes = data(m, lane, i);
            let is_lost = m.context.share(window.place, at, len) != Some(&bytes[..len]);
            m.notes.insert_if(is_lost, Note::LaneOrder);
        }
    }
}
