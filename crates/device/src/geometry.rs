//! The grid of a dispatch: work-items, groups, waves.

/// Sizes of a dispatch. In unused dimensions sizes are 1 and offsets 0.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Geometry {
    /// Number of dimensions, 1 to 3.
    pub dimensions: u32,
    /// Number of work-items of the grid.
    pub grid: [u32; 3],
    /// Number of work-items of a whole group.
    pub group: [u32; 3],
    /// Offset that is added to global ids.
    pub offset: [u64; 3],
}

/// Number of work-items of a wave.
pub const WAVE: u32 = 64;

impl Geometry {
    /// Returns a geometry of as many dimensions as `grid` has, 1 to 3; `None` for another number, or if a size is 0.
    pub fn new(grid: &[u32], group: &[u32], offset: &[u64]) -> Option<Geometry> {
        let fits = (1..=3).contains(&grid.len()) && (1..=3).contains(&group.len()) && offset.len() <= 3;
        if !fits || grid.contains(&0) || group.contains(&0) {
            return None;
        }
        let filled = |list: &[u32]| std::array::from_fn(|i| list.get(i).copied().unwrap_or(1));
        let offset = std::array::from_fn(|i| offset.get(i).copied().unwrap_or(0));
        Some(Geometry { dimensions: grid.len() as u32, grid: filled(grid), group: filled(group), offset })
    }

    /// Returns the number of groups in each dimension, including a partial one at the end.
    pub fn groups(&self) -> [u32; 3] {
        std::array::from_fn(|i| self.grid[i].div_ceil(self.group[i]))
    }

    /// Returns the number of groups.
    pub fn group_count(&self) -> u64 {
        // The product of three 32-bit numbers may need more than 64 bits, but such a grid cannot be executed anyway.
        self.groups().iter().fold(1u64, |count, &groups| count.saturating_mul(groups as u64))
    }

    /// Returns the number of work-items of a whole group.
    pub fn group_items(&self) -> u64 {
        self.group.iter().fold(1u64, |items, &size| items.saturating_mul(size as u64))
    }

    /// Returns the id of group `number`: x changes fastest, then y.
    pub fn group_at(&self, number: u64) -> [u32; 3] {
        let [x, y, _] = self.groups().map(u64::from);
        [number % x, number / x % y, number / x / y].map(|id| id as u32)
    }

    /// Returns the ids of the groups from number `first` on. It goes on without an end; ids behind the last group mean
    /// nothing. To divide for each id would take as long as half of a short group.
    pub fn groups_from(&self, first: u64) -> impl Iterator<Item = [u32; 3]> + use<> {
        let ([x, y, _], mut next) = (self.groups(), self.group_at(first));
        std::iter::repeat_with(move || {
            let id = next;
            next[0] = next[0].wrapping_add(1);
            if next[0] == x {
                next = [0, next[1].wrapping_add(1), next[2]];
                if next[1] == y {
                    next = [0, 0, next[2].wrapping_add(1)];
                }
            }
            id
        })
    }

    /// Returns the number of work-items of group `id` in each dimension. A group at the end of the grid may have fewer.
    pub fn group_size(&self, id: [u32; 3]) -> [u32; 3] {
        std::array::from_fn(|i| self.group[i].min(self.grid[i].saturating_sub(id[i].saturating_mul(self.group[i]))))
    }

    /// Returns the number of waves of all groups.
    pub fn wave_count(&self) -> u64 {
        // Groups differ only where the grid cuts them off: each dimension has whole groups and perhaps one partial
        // group.
        let [x, y, z] = std::array::from_fn(|i| {
            let rest = self.grid[i] % self.group[i];
            [(self.grid[i] / self.group[i], self.group[i]), ((rest != 0) as u32, rest)]
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
    fn partial_groups() {
        let geometry = Geometry::new(&[1000, 3], &[256], &[]).unwrap();
        assert_eq!((geometry.dimensions, geometry.groups(), geometry.group_count()), (2, [4, 3, 1], 12));
        assert_eq!((geometry.group_at(7), geometry.group_size([3, 1, 0])), ([3, 1, 0], [232, 1, 1]));
        assert_eq!(geometry.wave_count(), 3 * (4 + 4 + 4 + 4));
        let geometry = Geometry::new(&[10, 7, 5], &[4, 4, 2], &[1, 2, 3]).unwrap();
        let each = (0..geometry.group_count()).map(|n| {
            let size = geometry.group_size(geometry.group_at(n));
            (size.iter().product::<u32>()).div_ceil(64) as u64
        });
        assert_eq!(geometry.wave_count(), each.sum::<u64>());
        assert_eq!(geometry.offset, [1, 2, 3]);
        let ids: Vec<_> = (0..geometry.group_count()).map(|number| geometry.group_at(number)).collect();
        assert_eq!((ids.len(), ids[17]), (18, [2, 1, 2]));
        for first in 0..ids.len() {
            let from = geometry.groups_from(first as u64).take(ids.len() - first);
            assert!(from.eq(ids[first..].iter().copied()), "{first}");
        }
    }

    #[test]
    fn sizes_that_make_no_grid() {
        assert_eq!(Geometry::new(&[0], &[1], &[]), None);
        assert_eq!(Geometry::new(&[], &[1], &[]), None);
        assert_eq!(Geometry::new(&[1, 1, 1, 1], &[1], &[]), None);
        assert_eq!(Geometry::new(&[1], &[0], &[]), None);
        let huge = Geometry::new(&[u32::MAX; 3], &[1; 3], &[]).unwrap();
        assert_eq!((huge.group_count(), huge.wave_count()), (u64::MAX, u64::MAX));
    }
}
