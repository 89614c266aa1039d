//! What both sides leave at places that linking chooses: parameters, and memory that later stages read. Places are
//! paired by what they hold in all worlds.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::value::{Holds, Tolerance};

/// A place.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Place {
    /// A component of a parameter: target and component.
    Parameter(u8, u8),
    /// The address of a dword.
    Memory(u64),
}

/// A value, and what it holds.
pub(crate) type Value = (u32, Holds);

/// What a side leaves at each place, world after world.
pub(crate) type Left = BTreeMap<Place, Vec<Value>>;

/// Most places without an equal one that are compared with one another.
const MOST: usize = 512;

/// Pairs each place of the side with fewer places with one of the other that holds the same. Returns those that are
/// not the same place. `None` if there is a place without partner, or there are none.
pub(crate) fn moved(old: &Left, new: &Left, tolerance: Tolerance) -> Option<Vec<(Place, Place)>> {
    if new.len() < old.len() {
        return Some(moved(new, old, tolerance)?.into_iter().map(|(new, old)| (old, new)).collect());
    }
    if old.is_empty() {
        return None;
    }
    let agree = |a: &[Value], b: &[Value]| {
        a.len() == b.len() && a.iter().zip(b).all(|(a, b)| tolerance.agree(a.1 | b.1, a.0, b.0))
    };
    let (mut left, mut free) = (Vec::new(), new.keys().copied().collect::<BTreeSet<_>>());
    for (place, values) in old {
        let is_same = new.get(place).is_some_and(|other| agree(values, other));
        if !(is_same && free.remove(place)) {
            left.push(*place);
        }
    }
    let bits = |values: &[Value]| values.iter().map(|value| value.0).collect::<Vec<_>>();
    let mut by_bits: HashMap<Vec<u32>, Vec<Place>> = HashMap::new();
    free.iter().rev().for_each(|place| by_bits.entry(bits(&new[place])).or_default().push(*place));
    let (mut pairs, mut others) = (Vec::new(), Vec::new());
    for place in left {
        match by_bits.get_mut(&bits(&old[&place])).and_then(Vec::pop) {
            Some(partner) => {
                free.remove(&partner);
                pairs.push((place, partner));
            }
            None => others.push(place),
        }
    }
    if others.len() > MOST || !others.is_empty() && free.len() > MOST {
        return None;
    }
    for place in others {
        let partner = *free.iter().find(|partner| agree(&old[&place], &new[partner]))?;
        free.remove(&partner);
        pairs.push((place, partner));
    }
    Some(pairs)
}

/// Whether parameters moved as linking moves them: some have no partner, or whole ones changed places.
pub(crate) fn is_linking(pairs: &[(Place, Place)], old: &Left, new: &Left) -> bool {
    let has_other_places = !old.keys().eq(new.keys());
    has_other_places
        || pairs.iter().all(|pair| match pair {
            (Place::Parameter(_, old), Place::Parameter(_, new)) => old == new,
            _ => true,
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn left(of: &[(Place, [u32; 2])]) -> Left {
        of.iter().map(|(place, values)| (*place, values.map(|bits| (bits, Holds::F32)).to_vec())).collect()
    }

    /// 1, 2 and 3 as floats.
    const F: [u32; 3] = [0x3f80_0000, 0x4000_0000, 0x4040_0000];

    #[test]
    fn places_are_paired_by_what_they_hold() {
        let at = Place::Parameter;
        let old = left(&[(at(32, 0), [F[0], F[1]]), (at(32, 3), [F[1], F[2]])]);
        // The second one moved, its last bit is another one, and the new side has one more.
        let new = left(&[(at(32, 0), [F[0], F[1]]), (at(33, 0), [F[2], F[2]]), (at(34, 0), [F[1] + 1, F[2]])]);
        let pairs = moved(&old, &new, Tolerance::DEFAULT);
        assert_eq!(pairs, Some(vec![(at(32, 3), at(34, 0))]));
        assert!(is_linking(&pairs.unwrap(), &old, &new));
        assert_eq!(moved(&new, &old, Tolerance::DEFAULT), Some(vec![(at(34, 0), at(32, 3))]));
        assert_eq!(moved(&old, &new, Tolerance::BITS), None);
        assert_eq!(moved(&Left::new(), &new, Tolerance::DEFAULT), None);
    }

    #[test]
    fn components_that_changed_places_are_no_linking() {
        let at = Place::Parameter;
        let pair = |a, b| left(&[(a, [F[0], F[1]]), (b, [F[1], F[2]])]);
        let old = pair(at(32, 0), at(33, 1));
        for (new, expected) in [(pair(at(33, 0), at(32, 1)), true), (pair(at(33, 1), at(32, 0)), false)] {
            let pairs = moved(&old, &new, Tolerance::DEFAULT).unwrap();
            assert_eq!((pairs.len(), is_linking(&pairs, &old, &new)), (2, expected), "{pairs:?}");
        }
    }
}
