//! Matches the entries of the old batch with those of the new one.
//!
//! Entries are matched by name (file, kernel and launch) first, parts of bundles also by target id. Among several
//! entries of one name, those with equal contents are pairs; the others are paired in order. If no name is in both
//! batches, the batches are of two folders, and names are compared without the folder that all names of a batch begin
//! with. The remaining entries are matched by content (and target id): these are renamed files. A launch whose kernel
//! was renamed has another launch file, so launches are finally matched by the code alone: those of the same launch
//! name first, the others in order.
//!
//! Results of older versions do not state parts. Their entries are matched without them, after all others.

use std::collections::{HashMap, HashSet};
use std::hash::Hash;

use crate::output::record::Record;

/// A pair of entries, by their indices in the two batches.
pub(super) struct Match {
    pub old: usize,
    pub new: usize,
    pub renamed: bool,
}

/// Pairs in the order of the new batch, and entries without a partner.
pub(super) struct Matching {
    pub pairs: Vec<Match>,
    pub added: Vec<usize>,
    pub removed: Vec<usize>,
}

pub(super) fn matching(old: &[Record], new: &[Record]) -> Matching {
    let mut matcher = Matcher { old, new, folders: [0, 0], pairs: Vec::new() };
    matcher.by_name();
    if matcher.pairs.is_empty() {
        matcher.folders = [common_folder(old), common_folder(new)];
        matcher.by_name();
    }
    matcher.by_content();
    matcher.renamed_kernels();
    let mut pairs = matcher.pairs;
    let (removed, added) = left(old.len(), new.len(), &pairs);
    pairs.sort_by_key(|pair| pair.new);
    Matching { pairs, added, removed }
}

struct Matcher<'a> {
    old: &'a [Record],
    new: &'a [Record],
    /// Lengths of the common folders of the old and the new names, in bytes. Names are compared without them.
    folders: [usize; 2],
    pairs: Vec<Match>,
}

impl<'a> Matcher<'a> {
    /// Pairs up entries with the same name.
    fn by_name(&mut self) {
        let [old_folder, new_folder] = self.folders;
        let of_old = move |record: &'a Record| name(record, old_folder);
        let of_new = move |record: &'a Record| name(record, new_folder);
        let has_parts = |records: &[Record]| records.iter().any(|record| record.bundle.is_some());
        let (old_has_parts, new_has_parts) = (has_parts(self.old), has_parts(self.new));
        if old_has_parts && new_has_parts {
            let whole =
                |record: &'a Record, name| Some((name, record.bundle.map(|_| record.target())?, record.hash()?));
            self.pair_up(false, |record| whole(record, of_old(record)), |record| whole(record, of_new(record)));
        }
        let part = |record: &'a Record| record.bundle.map(|_| record.target());
        self.pair_up(
            false,
            |record| Some((of_old(record), part(record))),
            |record| Some((of_new(record), part(record))),
        );
        // A record that states no part, of the old batch and then of the new one, pairs with a record of any part.
        for is_old_without in [true, false] {
            let counts = |record: &'a Record, is_old: bool| is_old != is_old_without || record.bundle.is_none();
            if !old_has_parts && !new_has_parts {
                break;
            }
            self.pair_up(
                false,
                |record| counts(record, true).then_some((of_old(record), record.hash()?)),
                |record| counts(record, false).then_some((of_new(record), record.hash()?)),
            );
            self.pair_up(
                false,
                |record| counts(record, true).then_some(of_old(record)),
                |record| counts(record, false).then_some(of_new(record)),
            );
        }
    }

    /// Pairs up entries with the same contents. Parts for different targets are not pairs.
    fn by_content(&mut self) {
        let whole = |record: &'a Record| Some((record.hash()?, record.target()));
        self.pair_up(true, whole, whole);
        if self.old.iter().chain(self.new).any(|record| record.bundle.is_some()) {
            // The hash alone decides if one record of a pair has no part.
            let alone = |record: &'a Record| record.hash().filter(|_| record.bundle.is_none());
            self.pair_up(true, alone, Record::hash);
            self.pair_up(true, Record::hash, alone);
        }
    }

    /// Pairs up launches whose kernel is in only one of the batches, by the kernel's code.
    fn renamed_kernels(&mut self) {
        let kernel = |record: &'a Record| (record.file.as_str(), record.kernel.as_deref());
        let kernels = |records: &'a [Record]| records.iter().map(kernel).collect::<HashSet<_>>();
        let (in_old, in_new) = (kernels(self.old), kernels(self.new));
        let code = |record: &'a Record, others: &HashSet<_>| {
            let is_lone = record.launch.is_some() && !others.contains(&kernel(record));
            Some((record.sha256?, record.target())).filter(|_| is_lone)
        };
        let named = |record: &'a Record, others: &HashSet<_>| Some((code(record, others)?, record.launch.as_deref()));
        self.pair_up(true, |record| named(record, &in_new), |record| named(record, &in_old));
        self.pair_up(true, |record| code(record, &in_new), |record| code(record, &in_old));
    }

    /// Pairs up entries without a partner that have the same key, in order. Entries whose key is `None` get no partner.
    fn pair_up<K: Hash + Eq>(
        &mut self,
        renamed: bool,
        old_key: impl Fn(&'a Record) -> Option<K>,
        new_key: impl Fn(&'a Record) -> Option<K>,
    ) {
        let (old, new) = (self.old, self.new);
        let (left_old, left_new) = left(old.len(), new.len(), &self.pairs);
        // Partners are taken from the end of a list, so each list is in reverse order.
        let mut by_key: HashMap<K, Vec<usize>> = HashMap::with_capacity(left_old.len());
        for &i in left_old.iter().rev() {
            if let Some(key) = old_key(&old[i]) {
                by_key.entry(key).or_default().push(i);
            }
        }
        for i in left_new {
            let found = new_key(&new[i]).and_then(|key| by_key.get_mut(&key)?.pop());
            self.pairs.extend(found.map(|old| Match { old, new: i, renamed }));
        }
    }
}

/// Returns file, kernel and launch of an entry, without the first `folder` bytes of the file's name.
fn name(record: &Record, folder: usize) -> (&str, Option<&str>, Option<&str>) {
    let file = record.file.get(folder..).unwrap_or(&record.file);
    (file, record.kernel.as_deref(), record.launch())
}

fn left(old: usize, new: usize, pairs: &[Match]) -> (Vec<usize>, Vec<usize>) {
    let (mut old_used, mut new_used) = (vec![false; old], vec![false; new]);
    for pair in pairs {
        (old_used[pair.old], new_used[pair.new]) = (true, true);
    }
    let unused = |used: &[bool]| (0..used.len()).filter(|&i| !used[i]).collect();
    (unused(&old_used), unused(&new_used))
}

/// Returns the length of the folder that all names begin with, in bytes.
fn common_folder(records: &[Record]) -> usize {
    let Some((first, rest)) = records.split_first() else { return 0 };
    let mut common = first.file.as_bytes();
    for record in rest {
        let same = common.iter().zip(record.file.as_bytes()).take_while(|(a, b)| a == b).count();
        common = &common[..same];
    }
    common.iter().rposition(|&b| b == b'/').map_or(0, |slash| slash + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::changes::tests::record;

    fn named(file: &str, content: u8) -> Record {
        Record { file: file.into(), sha256: Some([content; 32]), ..record() }
    }

    type Found = (Vec<(usize, usize, bool)>, Vec<usize>, Vec<usize>);

    fn pairs(old: &[Record], new: &[Record]) -> Found {
        let Matching { pairs, added, removed } = matching(old, new);
        (pairs.iter().map(|p| (p.old, p.new, p.renamed)).collect(), added, removed)
    }

    #[test]
    fn names_come_before_content() {
        let old = [named("a", 1), named("b", 2), named("c", 3), named("d", 4)];
        let new = [named("b", 1), named("x", 3), named("a", 2), named("new", 9)];
        assert_eq!(pairs(&old, &new), (vec![(1, 0, false), (2, 1, true), (0, 2, false)], vec![3], vec![3]));
    }

    #[test]
    fn equal_names_and_equal_contents_pair_up_in_order() {
        let old = [named("a", 1), named("a", 2), named("b", 7), named("c", 7)];
        let new = [named("a", 5), named("a", 6), named("x", 7), named("y", 7), named("z", 7)];
        let expected = vec![(0, 0, false), (1, 1, false), (2, 2, true), (3, 3, true)];
        assert_eq!(pairs(&old, &new), (expected, vec![4], vec![]));
    }

    fn part(target: &str, index: usize, content: u8) -> Record {
        let kernel = Some("k".into());
        Record { kernel, target: Some(target.into()), bundle: Some(index), ..named("x", content) }
    }

    #[test]
    fn parts_are_told_apart_by_their_target_ids() {
        let old = [part("gfx900", 1, 1), part("gfx803", 2, 2), part("gfx906:xnack+", 3, 3)];
        let new = [part("gfx803", 1, 2), part("gfx906:xnack-", 2, 3), part("gfx900", 3, 9)];
        assert_eq!(pairs(&old[..2], &new), (vec![(1, 0, false), (0, 2, false)], vec![1], vec![]));
        assert_eq!(pairs(&old, &new), (vec![(1, 0, false), (0, 2, false)], vec![1], vec![2]));
    }

    #[test]
    fn parts_with_one_target_id_pair_up_by_content_and_then_in_order() {
        let old = [part("gfx900", 0, 1), part("gfx900", 1, 2), part("gfx900", 2, 3)];
        let new = [part("gfx900", 0, 3), part("gfx900", 1, 7), part("gfx900", 2, 2)];
        assert_eq!(pairs(&old, &new).0, [(2, 0, false), (0, 1, false), (1, 2, false)]);
    }

    #[test]
    fn old_results_do_not_name_parts() {
        let without = |record: Record| Record { target: None, bundle: None, ..record };
        let old = [part("gfx900", 1, 1), part("gfx803", 2, 2), part("gfx906", 3, 3)].map(without);
        let new = [part("gfx803", 1, 2), part("gfx900", 2, 8), part("gfx906", 3, 3)];
        let expected = vec![(1, 0, false), (0, 1, false), (2, 2, false)];
        assert_eq!(pairs(&old, &new), (expected, vec![], vec![]));
        let expected = vec![(1, 0, false), (0, 1, false), (2, 2, false)];
        assert_eq!(pairs(&new, &old), (expected, vec![], vec![]));
    }

    #[test]
    fn a_renamed_kernel_is_found_by_its_code() {
        let launch = |kernel: &str, launch: &str, code: u8, content: u8| Record {
            kernel: Some(kernel.into()),
            launch: Some(launch.into()),
            launch_sha256: Some([content; 32]),
            ..named("a.co", code)
        };
        let old = [launch("k", "small", 1, 1), launch("k", "big", 1, 2), launch("other", "o", 2, 3)];
        let new = [launch("k2", "big", 1, 4), launch("k2", "small", 1, 5), launch("other", "p", 2, 6)];
        // A launch of a kernel that is in both batches is not matched by its code.
        assert_eq!(pairs(&old, &new), (vec![(1, 0, true), (0, 1, true)], vec![2], vec![2]));
        let new = [launch("k2", "k2 small", 1, 4), launch("k2", "k2 big", 1, 5)];
        assert_eq!(pairs(&old, &new), (vec![(0, 0, true), (1, 1, true)], vec![], vec![2]));
    }

    #[test]
    fn folders_may_have_moved() {
        let old = [named("old/x/a", 1), named("old/x/b", 2), named("old/x/d/c", 3)];
        let new = [named("/new/a", 4), named("/new/d/c", 5), named("/new/e", 6)];
        assert_eq!(pairs(&old, &new), (vec![(0, 0, false), (2, 1, false)], vec![2], vec![1]));
    }
}
