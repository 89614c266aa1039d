//! The plan of a kernel's dispatch in a world: sizes, the groups that run, offsets, numbers.
//!
//! Sets of values have plans of their own, so that what one hides another one shows: bounds that are never reached,
//! dimensions that are equal, ids that are 0, barriers that a group of one wave does not need.

use gcnsim_device::geometry::Geometry;
use gcnsim_loader::Shader;
use gcnsim_loader::code_object::Kernel;
use gcnsim_machine::world::World;

use super::stages;
use super::takes::Meaning;

/// Number of groups of the grid, in each dimension that the code reads: no two are equal.
const GROUPS: [u32; 3] = [4, 3, 2];
/// The number that an integer argument is in set 1, and the first one in set 0.
const NUMBER: u32 = 64;
/// The number that argument 0 is in a quarter of the detailed sets: the second group reaches it.
const DETAILED_NUMBER: u32 = 100;
/// The offset of global ids in the sets that have one.
const OFFSET: [u64; 3] = [5, 3, 2];

/// The order of the waves of a group. The first turn after a barrier is that of the second wave, so the second one
/// begins there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Order {
    /// That of their work-items.
    Natural,
    /// The wave with the first work-items is the second one; the others follow it, and the last one is the first.
    Ascending,
    /// The wave with the last work-items is the second one; those before it follow, and the first one stays the first.
    Descending,
}

impl Order {
    /// Returns the number, by work-items, of the wave at place `index` of `count` waves.
    pub fn wave(self, index: u32, count: u32) -> u32 {
        match self {
            Order::Natural => index,
            Order::Ascending => (index + count - 1) % count,
            Order::Descending => (count - index) % count,
        }
    }
}

/// How the integers of arguments are chosen.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Numbers {
    /// All are 64.
    Same,
    /// From a number on.
    From(u32),
    /// From `first` on; the last one of each group of `each` is small.
    Sizes { first: u32, each: u32 },
    /// From a number on, each second one.
    EachSecond(u32),
    /// From 1 to 7, beginning with one.
    Small(u32),
    /// From a number on; each second one is small, from 1 on.
    Alternating(u32),
}

/// The plan of a dispatch.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The sizes.
    pub geometry: Geometry,
    /// The groups that run, in order.
    pub groups: [[u32; 3]; 2],
    /// The order of the waves of a group.
    pub order: Order,
    /// Whether the kernel allows only this size of groups, or the file states it.
    pub is_group_stated: bool,
    numbers: Numbers,
    /// Whether samplers of arguments have normalized coordinates.
    pub is_normalized: bool,
}

/// The dimensions that code reads.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Dimensions {
    /// Number of local ids, 1 to 3; 0 if it is not known.
    pub local: u32,
    /// Whether the id of the group is read, by dimension.
    pub group: [bool; 3],
}

impl Dimensions {
    /// Returns the dimensions that a kernel's registers have.
    pub fn of(kernel: &Kernel) -> Dimensions {
        let rsrc2 = kernel.descriptor.rsrc2;
        Dimensions { local: rsrc2.local_ids(), group: [0, 1, 2].map(|i| rsrc2.group_id(i)) }
    }

    /// Returns the dimensions that both read. (At -O0 clang takes three local ids even where the source has one.)
    pub fn common(self, other: Dimensions) -> Dimensions {
        let group = [0, 1, 2].map(|i| self.group[i] && other.group[i]);
        Dimensions { local: self.local.min(other.local), group }
    }
}

impl Plan {
    /// Returns the plan of a kernel that reads `dimensions`.
    pub fn new(kernel: &Kernel, shader: &Shader, dimensions: Dimensions, world: &World) -> Plan {
        let variant = world.variant;
        let stated = stated_group(kernel, shader);
        let is_large = variant % 4 == 1 && allows(kernel, LARGE);
        let group = stated.unwrap_or_else(|| default_group(dimensions.local, is_large));
        // Work-items have ids in all dimensions in which groups have a size or an id.
        let is_used = [0, 1, 2].map(|i| i == 0 || group[i] > 1 || dimensions.group[i]);
        let used = |of: [u32; 3]| [0, 1, 2].map(|i| if is_used[i] { of[i] } else { 0 });
        let groups = match variant {
            0 => [[0; 3], [1, 0, 0]],
            _ if variant % 2 == 1 => [[0; 3], used([1, 2, 1])],
            _ => [used([1, 2, 1]), [0; 3]],
        };
        let offset = if variant % 4 == 2 { OFFSET } else { [0; 3] };
        let grid = [0, 1, 2].map(|i| group[i].saturating_mul(if is_used[i] { GROUPS[i] } else { 1 }));
        let dimensions = is_used.iter().rposition(|is_used| *is_used).map_or(1, |last| last as u32 + 1);
        let offset = [0, 1, 2].map(|i| if is_used[i] { offset[i] } else { 0 });
        let is_whole = group.iter().product::<u32>().is_multiple_of(64);
        let ends = [0, 1, 2].map(|i| (groups[0][i].max(groups[1][i]) + 1).saturating_mul(group[i]) + offset[i] as u32);
        // The number of work-items in the dimension that has the fewest.
        let end = (0..3).filter(|&i| is_used[i] && group[i] > 1).map(|i| ends[i]).min().unwrap_or(ends[0]);
        Plan {
            geometry: Geometry { dimensions, grid, group, offset },
            groups,
            order: match (variant % 4, variant % 8) {
                _ if !is_whole => Order::Natural,
                (3, _) | (_, 5) => Order::Descending,
                (1 | 2, _) => Order::Ascending,
                _ => Order::Natural,
            },
            is_group_stated: stated.is_some(),
            is_normalized: variant % 2 == 1,
            numbers: match (variant, variant % 4) {
                (0, _) => Numbers::Sizes { first: NUMBER, each: 5 },
                (2, _) => Numbers::Sizes { first: (end / 4).saturating_mul(3), each: 3 },
                (1, _) => Numbers::Same,
                (8.., _) if variant / 2 % 4 == 2 => Numbers::Alternating((end / 4).saturating_mul(3)),
                (_, 0) => Numbers::From(DETAILED_NUMBER),
                (_, 1) => Numbers::From((end / 4).saturating_mul(3)),
                (_, 2) => Numbers::EachSecond(end + 3),
                (_, _) => Numbers::Small(variant),
            },
        }
    }

    /// Returns the number that integer `index` of the arguments is.
    pub fn number(&self, index: usize, meaning: Meaning) -> u32 {
        let index = index as u32;
        match self.numbers {
            _ if meaning == Meaning::Choice => index % 2,
            Numbers::Same | Numbers::Sizes { .. } if meaning == Meaning::Small => 1 + index % 3,
            // Sizes come first. What follows is often a distance, a border, a step.
            Numbers::Sizes { each, .. } if index % each == each - 1 => 1 + index,
            Numbers::Same => NUMBER,
            Numbers::From(first) | Numbers::Sizes { first, .. } => first.wrapping_add(index),
            Numbers::EachSecond(first) => first.wrapping_add(2 * index),
            Numbers::Alternating(_) if index % 2 == 1 => 1 + index / 2,
            Numbers::Alternating(first) => first.wrapping_add(index),
            Numbers::Small(first) => 1 + (first.wrapping_add(3 * index)) % 7,
        }
    }
}

/// Work-items of a large group.
const LARGE: u32 = 256;

fn default_group(local_ids: u32, is_large: bool) -> [u32; 3] {
    match (local_ids, is_large) {
        (0 | 1, false) => [64, 1, 1],
        (2, false) => [8, 8, 1],
        (_, false) => [4, 4, 4],
        (0 | 1, true) => [LARGE, 1, 1],
        (2, true) => [16, 16, 1],
        (_, true) => [8, 8, 4],
    }
}

/// Whether a kernel allows groups of a number of work-items.
fn allows(kernel: &Kernel, items: u32) -> bool {
    kernel.metadata.as_ref().and_then(|metadata| metadata.max_group_size).is_some_and(|most| most >= items)
}

/// Returns the size of a group that the kernel requires, or the only one that it allows; `None` if it takes any.
fn stated_group(kernel: &Kernel, shader: &Shader) -> Option<[u32; 3]> {
    let metadata = kernel.metadata.as_ref();
    let required = metadata.and_then(|metadata| metadata.required_group_size).or(shader.group);
    match (required.filter(stages::is_group), metadata.and_then(|metadata| metadata.max_group_size)) {
        (Some(required), _) => Some(required),
        (None, Some(most @ 1..64)) => Some([most, 1, 1]),
        (None, _) => None,
    }
}

#[cfg(test)]
mod tests {
    use gcnsim_loader::FileBytes;
    use gcnsim_loader::code_object::CodeObject;
    use gcnsim_machine::world::WorldKind;

    use super::*;

    fn kernel(name: &str) -> Kernel {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../corpus/kernels/kernels-gfx900-v5-O2.co");
        let object = CodeObject::parse(&FileBytes::from(std::fs::read(path).unwrap())).unwrap();
        object.kernels.iter().find(|kernel| kernel.name == name).unwrap().clone()
    }

    fn plan(kernel: &Kernel, local: u32, group: [bool; 3], variant: u32) -> Plan {
        let world = World { kind: WorldKind::Float, variant };
        Plan::new(kernel, &Shader::default(), Dimensions { local, group }, &world)
    }

    /// `saxpy` of the corpus takes groups of any size up to 256.
    #[test]
    fn sets_have_plans_of_their_own() {
        let kernel = kernel("saxpy");
        let two = |variant| plan(&kernel, 2, [true, true, false], variant);
        let of = |plan: &Plan| (plan.geometry.group, plan.groups, plan.geometry.offset, plan.order);
        let first = [[0; 3], [1, 0, 0]];
        assert_eq!(of(&two(0)), ([8, 8, 1], first, [0; 3], Order::Natural));
        assert_eq!(of(&two(1)), ([16, 16, 1], [[0; 3], [1, 2, 0]], [0; 3], Order::Ascending));
        assert_eq!(of(&two(6)), ([8, 8, 1], [[1, 2, 0], [0; 3]], [5, 3, 0], Order::Ascending));
        assert_eq!(of(&two(7)), ([8, 8, 1], [[0; 3], [1, 2, 0]], [0; 3], Order::Descending));
        assert_eq!(of(&two(13)), ([16, 16, 1], [[0; 3], [1, 2, 0]], [0; 3], Order::Descending));
        let waves = |order: Order| [0, 1, 2, 3].map(|index| order.wave(index, 4));
        let orders = [Order::Natural, Order::Ascending, Order::Descending].map(waves);
        assert_eq!(orders, [[0, 1, 2, 3], [3, 0, 1, 2], [0, 3, 2, 1]]);
        assert_eq!((two(1).geometry.grid, two(1).geometry.dimensions), ([64, 48, 1], 2));
        let one = |variant| plan(&kernel, 1, [true, false, false], variant);
        assert_eq!(one(3).groups, first, "nothing reads the other dimensions");
        // A kernel of one dimension runs work-items 0 to 127, or with 256 in a group to 511.
        assert_eq!([0, 1].map(|index| one(0).number(index, Meaning::Number)), [64, 65]);
        assert_eq!([0, 1].map(|index| one(1).number(index, Meaning::Number)), [64, 64]);
        assert_eq!([2, 4, 5].map(|index| one(0).number(index, Meaning::Number)), [66, 5, 69]);
        assert_eq!([0, 1, 2].map(|index| one(0).number(index, Meaning::Small)), [1, 2, 3]);
        assert_eq!([0, 1, 2].map(|index| one(6).number(index, Meaning::Choice)), [0, 1, 0]);
        assert_eq!([0, 1].map(|index| one(4).number(index, Meaning::Number)), [100, 101]);
        let third = [0, 1, 2].map(|index| one(2).number(index, Meaning::Number));
        assert_eq!(third, [99, 100, 3], "three quarters of 128 + 5");
        assert_eq!([0, 1, 2].map(|index| one(13).number(index, Meaning::Number)), [384, 1, 386]);
        assert_eq!([0, 1].map(|index| one(5).number(index, Meaning::Number)), [384, 385]);
        assert_eq!([0, 1].map(|index| one(6).number(index, Meaning::Number)), [136, 138], "behind the last one");
        assert_eq!([0, 1, 2].map(|index| one(7).number(index, Meaning::Number)), [1, 4, 7]);
    }
}
