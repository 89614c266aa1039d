//! Values that move from lane to lane (`memory.md` section 10). No LDS is touched.

use gcnsim_isa::{LANES, Vgpr};

use super::super::lanes;
use super::{ADDR, DATA0, Machine, ShareOp};

/// Where the patterns of DS_SWIZZLE begin that GCN 1.4 adds.
const ROTATE: u32 = 0xc000;
const FFT: u32 = 0xe000;

impl ShareOp {
    pub(super) fn swizzle(&self, m: &mut Machine<'_>) {
        let source = self.lanes_of(m, ADDR);
        let pattern = self.offsets[0];
        let has_patterns = self.arch.is_gcn14_or_later();
        for lane in lanes(m.scalars.exec) {
            let from = swizzled(pattern, has_patterns, lane as u32);
            self.set_from(m, lane, &source, from);
        }
    }

    /// Lanes push their values to others.
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

    /// Lanes pull the values of others.
    pub(super) fn bpermute(&self, m: &mut Machine<'_>) {
        let (source, data) = (self.lanes_of(m, ADDR), self.lanes_of(m, DATA0));
        for lane in lanes(m.scalars.exec) {
            self.set_from(m, lane, &data, self.lane_at(source.0[lane]));
        }
    }

    /// A copy of a source register; of v0 if the wave does not have it.
    fn lanes_of(&self, m: &Machine<'_>, source: usize) -> Vgpr {
        let register = m.vgprs.get(usize::from(self.sources[source].0)).or(m.vgprs.first());
        register.copied().unwrap_or(Vgpr([0; LANES]))
    }

    /// The lane that an address names.
    fn lane_at(&self, address: u32) -> usize {
        (address.wrapping_add(self.offsets[0]) / 4) as usize % LANES
    }

    /// Writes the value of a lane; inactive ones give 0.
    fn set_from(&self, m: &mut Machine<'_>, lane: usize, source: &Vgpr, from: usize) {
        let is_active = m.scalars.exec >> from & 1 == 1;
        m.vgprs[usize::from(self.vdst.0)].0[lane] = if is_active { source.0[from] } else { 0 };
    }
}

/// The lane from which DS_SWIZZLE takes the value of a lane.
fn swizzled(pattern: u32, has_patterns: bool, lane: u32) -> usize {
    let (low, half) = (lane & 31, lane & 32);
    let mask = pattern & 31;
    let from = match pattern {
        FFT.. if has_patterns => half + ((low.reverse_bits() >> 27 >> mask.count_ones()) | low & mask),
        ROTATE.. if has_patterns => {
            let by = pattern >> 5 & 31;
            let rotated = if pattern >> 10 & 1 == 1 { low.wrapping_sub(by) } else { low + by };
            half + ((low & mask | rotated & !mask) & 31)
        }
        0x8000.. => lane & !3 | pattern >> (2 * (lane & 3)) & 3,
        _ => half + ((low & mask | pattern >> 5 & 31) ^ pattern >> 10 & 31),
    };
    from as usize
}
