//! Compares pairs whose objects have variables at other addresses: what both sides store in a variable is paired by its
//! symbol. A pair that does the same apart from that is the same, and `why` says so.

use std::collections::BTreeMap;

use gcnsim_loader::code_object::CodeObject;
use gcnsim_machine::world::Stores;

use crate::compare;
use crate::pair::{Entry, PairRunner, is_ended};
use crate::resolve;
use crate::result::{PairResult, Verdict};

/// A variable that both objects have, at different addresses of their files.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Moved {
    name: String,
    old: u64,
    new: u64,
    size: u64,
}

/// Returns the variables that both objects have with one size but at different addresses. Both addresses are at the
/// same byte of a dword.
fn moved(old: &CodeObject, new: &CodeObject) -> Vec<Moved> {
    let of_old: BTreeMap<&str, _> = old.variables.iter().map(|variable| (variable.name.as_str(), variable)).collect();
    let of_both = new.variables.iter().filter_map(|new| {
        let old = of_old.get(new.name.as_str())?;
        let is_moved = old.size == new.size && old.address != new.address && old.address % 4 == new.address % 4;
        is_moved.then(|| Moved { name: new.name.clone(), old: old.address, new: new.address, size: new.size })
    });
    of_both.collect()
}

/// Returns the address, on the old side, of what the new side has at `address`. Both are those of the files.
fn as_old(moved: &[Moved], address: u64) -> u64 {
    let holds = |of: &&Moved| address.checked_sub(of.new).is_some_and(|offset| offset < of.size);
    moved.iter().find(holds).map_or(address, |of| address - of.new + of.old)
}

/// Returns for each address of the old side that of the new side, and the byte there; `None` if two places of the new
/// side come to one: a variable lies where another one has been, which the old side does not name.
fn at_old_addresses(
    bytes: impl Iterator<Item = (u64, u8)>,
    as_old: impl Fn(u64) -> u64,
) -> Option<BTreeMap<u64, (u64, u8)>> {
    let mut all = BTreeMap::new();
    bytes.map(|(at, byte)| (as_old(at), (at, byte))).all(|(old, new)| all.insert(old, new).is_none()).then_some(all)
}

impl PairRunner<'_> {
    /// The result of a pair if it does the same apart from the addresses of variables. `result` is that of the pair as
    /// it is.
    pub(crate) fn with_variables_by_name(
        &mut self,
        result: &PairResult,
        entries: [&Entry<'_>; 2],
    ) -> Option<PairResult> {
        let [Some(old_object), Some(new_object)] = entries.map(|entry| entry.subject.object) else { return None };
        let moved = moved(old_object, new_object);
        if moved.is_empty() {
            return None;
        }
        let subject = &entries[1].subject;
        // Memory has the object at a distance from the addresses of its file.
        let base = 0u64.wrapping_sub(subject.file_address(0));
        let as_old = |address: u64| as_old(&moved, subject.file_address(address)).wrapping_add(base);
        let mut found = PairResult { result: Verdict::Same, first: None, world: None, ..result.clone() };
        (found.undef_read, found.counts, found.worlds, found.codes) = Default::default();
        for world in self.worlds().to_vec() {
            let runs = entries.map(|entry| self.run_entry(entry, world).ok().filter(is_ended));
            let [Some(old), Some(mut new)] = runs else { return None };
            let stored = new.observations.stores.iter();
            let bytes = stored.flat_map(|stored| (stored.address..).zip(stored.bytes.iter().copied()));
            let all = at_old_addresses(bytes, as_old)?;
            let mut stores = Stores::default();
            all.iter().for_each(|(address, (_, byte))| stores.push(*address, *byte));
            new.observations.stores = stores;
            let mut compared = compare::compare(&old.observations, &new.observations, &old.contents);
            if !compared.differences.is_empty() {
                let real = |address: &u64| all.range(address..).next().map_or(*address, |(_, (real, _))| *real);
                let wanted = compared.addresses(1);
                let wanted = [compared.addresses(0), wanted.iter().map(|address| real(address) & !3).collect()];
                let mut origins = self.origins_at(entries, world, wanted);
                let of_new = std::mem::take(&mut origins[1].stores);
                origins[1].stores = of_new.into_iter().map(|(address, store)| (as_old(address), store)).collect();
                resolve::tolerate(&mut compared, &origins, self.tolerance());
            }
            if !compared.differences.is_empty() || compared.undecided().is_some() {
                return None;
            }
            found.counts.add(&compared.counts);
            found.worlds.push(world.version_name());
        }
        let names: Vec<&str> = moved.iter().take(3).map(|of| of.name.as_str()).collect();
        let more = if moved.len() > 3 { format!(" and {} more", moved.len() - 3) } else { String::new() };
        found.why = Some(format!("variables lie at other addresses: {}{more}", names.join(", ")));
        Some(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_places_do_not_come_to_one() {
        // `a` has moved from 0x100 to 0x108, and something else is at 0x100.
        let moved = [Moved { name: String::new(), old: 0x100, new: 0x108, size: 8 }];
        let of = |bytes: &[(u64, u8)]| at_old_addresses(bytes.iter().copied(), |at| as_old(&moved, at));
        assert_eq!(of(&[(0x108, 1), (0x110, 2)]), Some([(0x100, (0x108, 1)), (0x110, (0x110, 2))].into()));
        assert_eq!(of(&[(0x100, 7), (0x108, 1)]), None);
    }

    #[test]
    fn addresses_within_a_variable_move_with_it() {
        let of = |old, new| Moved { name: String::new(), old, new, size: 8 };
        let moved = [of(0x100, 0x108), of(0x108, 0x100)];
        assert_eq!([0xff, 0x100, 0x107, 0x10f, 0x110].map(|at| as_old(&moved, at)), [0xff, 0x108, 0x10f, 0x107, 0x110]);
    }
}
