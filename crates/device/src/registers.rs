//! What a dispatch is below descriptors and packets: the registers that a driver writes before it starts the groups.
//!
//! Sources: docs/gcn/dispatch.md, docs/gcn/kernel-arguments.md.

use gcnsim_isa::kernel::{Rsrc1, Rsrc2};

/// Number of work-items of a wave.
pub const WAVE: u32 = 64;

/// The registers of a dispatch.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Registers {
    /// Guest address of the first instruction (COMPUTE_PGM_LO and HI, shifted).
    pub pc: u64,
    /// COMPUTE_PGM_RSRC1.
    pub rsrc1: Rsrc1,
    /// COMPUTE_PGM_RSRC2.
    pub rsrc2: Rsrc2,
    /// COMPUTE_USER_DATA: the first SGPRs of each wave. Those beyond RSRC2.USER_SGPR are not loaded; missing ones are
    /// 0.
    pub user_sgprs: Vec<u32>,
    /// The groups.
    pub grid: Grid,
    /// LDS of a group in bytes, as the hardware allocates it.
    pub lds_bytes: u32,
    /// Scratch.
    pub scratch: Scratch,
}

/// The scratch of a dispatch. The device has memory for it; waves of a group find theirs one after the other.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Scratch {
    /// Guest address of the scratch of the first wave of a group.
    pub address: u64,
    /// Scratch of a lane in bytes; 0 if waves have none.
    pub lane_bytes: u32,
}

impl Scratch {
    /// Returns the scratch of a wave in bytes, a multiple of 1024.
    pub fn wave_bytes(&self) -> u64 {
        (self.lane_bytes as u64 * WAVE as u64).next_multiple_of(1024)
    }
}

/// The groups of a dispatch.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Grid {
    /// COMPUTE_DIM: the number behind the last id of a group, in each dimension.
    pub groups: [u32; 3],
    /// COMPUTE_NUM_THREAD: work-items of a group in each dimension.
    pub group: [u32; 3],
    /// COMPUTE_START: the id of the first group in each dimension.
    pub start: [u32; 3],
    /// The PARTIAL half of COMPUTE_NUM_THREAD: work-items of the last group in each dimension, if it has fewer;
    /// otherwise 0.
    pub partial: [u32; 3],
}

impl Grid {
    /// Returns the number of groups in each dimension. There are none if a group has no work-items.
    fn counts(&self) -> [u32; 3] {
        if self.group.contains(&0) {
            return [0; 3];
        }
        std::array::from_fn(|i| self.groups[i].saturating_sub(self.start[i]))
    }

    /// Returns the number of work-items of a whole group.
    pub fn items(&self) -> u64 {
        self.group.iter().fold(1u64, |items, &size| items.saturating_mul(size.into()))
    }

    /// Returns the number of groups.
    pub fn count(&self) -> u64 {
        // The product of three 32-bit numbers may need more than 64 bits, but such a grid cannot be executed anyway.
        self.counts().iter().fold(1u64, |count, &groups| count.saturating_mul(groups as u64))
    }

    /// Returns the id of group `number`: x changes fastest, then y.
    pub fn id(&self, number: u64) -> [u32; 3] {
        let [x, y, _] = self.counts().map(|count| u64::from(count).max(1));
        let id = [number % x, number / x % y, number / x / y];
        std::array::from_fn(|i| (id[i] as u32).wrapping_add(self.start[i]))
    }

    /// Returns the ids of the groups from number `first` on. It goes on without an end; ids behind the last group mean
    /// nothing. To divide for each id would take as long as half of a short group.
    pub fn ids_from(&self, first: u64) -> impl Iterator<Item = [u32; 3]> + use<> {
        let (Grid { groups: [x, y, _], start: [x0, y0, _], .. }, mut next) = (*self, self.id(first));
        std::iter::repeat_with(move || {
            let id = next;
            next[0] = next[0].wrapping_add(1);
            if next[0] == x {
                next = [x0, next[1].wrapping_add(1), next[2]];
                if next[1] == y {
                    next = [x0, y0, next[2].wrapping_add(1)];
                }
            }
            id
        })
    }

    /// Returns the number of work-items of group `id` in each dimension.
    pub fn size_of(&self, id: [u32; 3]) -> [u32; 3] {
        std::array::from_fn(|i| match self.partial[i] {
            partial @ 1.. if id[i].wrapping_add(1) == self.groups[i] => partial.min(self.group[i]),
            _ => self.group[i],
        })
    }

    /// Returns the number of waves of all groups.
    pub fn wave_count(&self) -> u64 {
        // Groups differ only where the grid cuts them off: each dimension has whole groups and perhaps one partial
        // group.
        let counts = self.counts();
        let [x, y, z] = std::array::from_fn(|i| {
            let has_partial = u32::from(self.partial[i] != 0 && counts[i] > 0);
            [(counts[i] - has_partial, self.group[i]), (has_partial, self.partial[i].min(self.group[i]))]
        });
        let mut waves = 0u64;
        for (nx, sx) in x {
            for (ny, sy) in y {
                for (nz, sz) in z {
                    let items = (sx as u64).saturating_mul(sy as u64).saturating_mul(sz as u64);
                    let groups = (nx as u64).saturating_mul(ny as u64).saturating_mul(nz as u64);
                    waves = waves.saturating_add(groups.saturating_mul(items.div_ceil(WAVE as u64)));
                }
            }
        }
        waves
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grids_may_start_anywhere() {
        let grid = Grid { groups: [4, 3, 1], group: [64, 2, 1], start: [1, 2, 0], partial: [10, 0, 0] };
        let ids: Vec<_> = grid.ids_from(0).take(3).collect();
        assert_eq!((grid.count(), ids), (3, vec![[1, 2, 0], [2, 2, 0], [3, 2, 0]]));
        assert_eq!(
            ([0, 1, 2].map(|n| grid.id(n)), grid.size_of([3, 2, 0])),
            ([[1, 2, 0], [2, 2, 0], [3, 2, 0]], [10, 2, 1])
        );
        // 128, 128 and 20 work-items.
        assert_eq!(grid.wave_count(), 2 + 2 + 1);
        let empty = Grid { start: [4, 0, 0], ..grid };
        assert_eq!((empty.count(), empty.wave_count(), empty.id(0)), (0, 0, [4, 0, 0]));
        let hollow = Grid { group: [64, 0, 1], ..grid };
        assert_eq!((hollow.count(), hollow.wave_count()), (0, 0));
    }
}
