//! The geometry of a launch: work-items, groups, offsets.

use super::registers::Grid;

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

    /// Returns the number of work-items of a whole group.
    pub fn group_items(&self) -> u64 {
        self.group.iter().fold(1u64, |items, &size| items.saturating_mul(size as u64))
    }

    /// Returns the groups of the grid.
    pub fn grid(&self) -> Grid {
        let groups = std::array::from_fn(|i| self.grid[i].div_ceil(self.group[i]));
        let partial = std::array::from_fn(|i| self.grid[i] % self.group[i]);
        Grid { groups, group: self.group, start: [0; 3], partial }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn partial_groups() {
        let geometry = Geometry::new(&[1000, 3], &[256], &[]).unwrap();
        assert_eq!((geometry.dimensions, geometry.grid().groups, geometry.grid().count()), (2, [4, 3, 1], 12));
        assert_eq!((geometry.grid().id(7), geometry.grid().size_of([3, 1, 0])), ([3, 1, 0], [232, 1, 1]));
        assert_eq!(geometry.grid().wave_count(), 3 * (4 + 4 + 4 + 4));
        let geometry = Geometry::new(&[10, 7, 5], &[4, 4, 2], &[1, 2, 3]).unwrap();
        let each = (0..geometry.grid().count()).map(|n| {
            let size = geometry.grid().size_of(geometry.grid().id(n));
            (size.iter().product::<u32>()).div_ceil(64) as u64
        });
        assert_eq!(geometry.grid().wave_count(), each.sum::<u64>());
        assert_eq!(geometry.offset, [1, 2, 3]);
        let ids: Vec<_> = (0..geometry.grid().count()).map(|number| geometry.grid().id(number)).collect();
        assert_eq!((ids.len(), ids[17]), (18, [2, 1, 2]));
        for first in 0..ids.len() {
            let from = geometry.grid().ids_from(first as u64).take(ids.len() - first);
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
        assert_eq!((huge.grid().count(), huge.grid().wave_count()), (u64::MAX, u64::MAX));
    }
}
