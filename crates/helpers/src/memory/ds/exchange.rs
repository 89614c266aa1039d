//! Values that move from lane to lane (docs/gcn/lds.md#exchange-of-lanes). No LDS is touched.

use gcnsim_isa::{LANES, Vgpr};

use super::super::lanes;
use super::{ADDR, DATA0, Machine, ShareOp};

/// The first pattern of DS_SWIZZLE_B32 that only GCN 1.4 has.
const ROTATE: u32 = 0xc000;
const FFT: u32 = 0xe000;

impl ShareOp {
    pub(super) fn swizzle(&self, m: &mut Machine<'_>) {
        let source = self.lanes_of(m, ADDR);
        let from = self.swizzled_lanes();
        for lane in lanes(m.scalars.exec) {
            self.set_from(m, lane, &source, from[lane] as usize);
        }
    }

    /// Executes DS_PERMUTE_B32: lanes push their values to others.
    pub(super) fn permute(&self, m: &mut Machine<'_>) {
        let (target, data) = (self.lanes_of(m, ADDR), self.lanes_of(m, DATA0));
        let mut pushed = [0; LANES];
        for lane in lanes(m.scalars.exec) {
            pushed[self.lane_at(target.0[lane])] = data.0[lane];
        }
        let to = &mut m.vgprs[usize::from(self.vdst.0)].0;
        for lane in lanes(m.scalars.exec) {
            to[lane] = pushed[lane];
        }
    }

    /// Executes DS_BPERMUTE_B32: lanes pull the values of others.
    pub(super) fn bpermute(&self, m: &mut Machine<'_>) {
        let (source, data) = (self.lanes_of(m, ADDR), self.lanes_of(m, DATA0));
        for lane in lanes(m.scalars.exec) {
            self.set_from(m, lane, &data, self.lane_at(source.0[lane]));
        }
    }

    /// A copy of a source register; of v0 if the wave does not have the register.
    fn lanes_of(&self, m: &Machine<'_>, source: usize) -> Vgpr {
        let register = m.vgprs.get(usize::from(self.sources[source].0)).or(m.vgprs.first());
        register.copied().unwrap_or(Vgpr([0; LANES]))
    }

    /// The number of the lane that `address` names.
    fn lane_at(&self, address: u32) -> usize {
        (address.wrapping_add(self.offsets[0]) / 4) as usize % LANES
    }

    /// Writes the value of lane `from` to `lane`; 0 if `from` is inactive.
    fn set_from(&self, m: &mut Machine<'_>, lane: usize, source: &Vgpr, from: usize) {
        let is_active = m.scalars.exec >> from & 1 == 1;
        m.vgprs[usize::from(self.vdst.0)].0[lane] = if is_active { source.0[from] } else { 0 };
    }

    /// The number of the lane from which DS_SWIZZLE_B32 takes the value of each lane.
    #[inline(always)]
    pub(super) fn swizzled_lanes(&self) -> [u32; LANES] {
        let pattern = self.offsets[0];
        let mask = pattern & 31;
        let has_patterns = self.arch.is_gcn14_or_later();
        match pattern {
            FFT.. if has_patterns => in_halves(|lane| lane.reverse_bits() >> 27 >> mask.count_ones() | lane & mask),
            ROTATE.. if has_patterns => {
                let by = pattern >> 5 & 31;
                let by = if pattern >> 10 & 1 == 1 { by.wrapping_neg() } else { by };
                in_halves(|lane| lane & mask | lane.wrapping_add(by) & !mask)
            }
            0x8000.. => std::array::from_fn(|lane| lane as u32 & !3 | pattern >> (2 * (lane & 3)) & 3),
            _ => in_halves(|lane| (lane & mask | pattern >> 5 & 31) ^ pattern >> 10 & 31),
        }
    }
}

/// The source lanes of a pattern that works in halves of the wave. `from` maps the low five bits of the lane
/// number.
#[inline(always)]
fn in_halves(from: impl Fn(u32) -> u32) -> [u32; LANES] {
    std::array::from_fn(|lane| lane as u32 & 32 | from(lane as u32 & 31) & 31)
}
