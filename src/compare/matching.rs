//! Matches the entries of the old batch with those of the new one.
//!
//! By name (file, kernel and launch) first; entries of one name, such as the kernels of a bundle for several chips, in
//! order. If not a single name is in both, the folders were different: names are then taken from where they begin to
//! differ. What is left is matched by content: a renamed file. A launch whose kernel was renamed has another launch file,
//! so that launches are matched by the code alone in the end: those of the same name first, the others in order.

use std::collections::{HashMap, HashSet};
use std::hash::Hash;

use crate::batch::record::Record;

/// A pair of entries, by position in the two batches.
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
    let (all_old, all_new): (Vec<_>, Vec<_>) = ((0..old.len()).collect(), (0..new.len()).collect());
    let mut found = pair_up(&all_old, &all_new, |&i| Some(name(&old[i])), |&i| Some(name(&new[i])));
    if found.is_empty() {
        let (old_folder, new_folder) = (common_folder(old), common_folder(new));
        let below = |record, folder: usize| {
            let (file, kernel, launch): (&str, _, _) = name(record);
            (file.get(folder..).unwrap_or(file), kernel, launch)
        };
        let of_old = |i: &usize| Some(below(&old[*i], old_folder));
        let of_new = |i: &usize| Some(below(&new[*i], new_folder));
        found = pair_up(&all_old, &all_new, of_old, of_new);
    }
    let mut pairs: Vec<_> = found.iter().map(|&(old, new)| Match { old, new, renamed: false }).collect();
    let (left_old, left_new) = left(old.len(), new.len(), &pairs);
    let moved = pair_up(&left_old, &left_new, |&i| old[i].hash(), |&i| new[i].hash());
    pairs.extend(moved.into_iter().map(|(old, new)| Match { old, new, renamed: true }));
    pairs.extend(renamed_kernels(old, new, &pairs));
    let (removed, added) = left(old.len(), new.len(), &pairs);
    pairs.sort_by_key(|pair| pair.new);
    Matching { pairs, added, removed }
}

/// Launches without a partner whose kernel is only in one of the batches, matched by its code.
fn renamed_kernels(old: &[Record], new: &[Record], known: &[Match]) -> Vec<Match> {
    let (left_old, left_new) = left(old.len(), new.len(), known);
    let kernel = |record: &Record| (record.file.clone(), record.kernel.clone());
    let kernels = |records: &[Record]| records.iter().map(kernel).collect::<HashSet<_>>();
    let (old_kernels, new_kernels) = (kernels(old), kernels(new));
    let lone = |left: &[usize], records: &[Record], others: &HashSet<_>| -> Vec<usize> {
        let is_lone = |&i: &usize| records[i].launch.is_some() && !others.contains(&kernel(&records[i]));
        left.iter().copied().filter(is_lone).collect()
    };
    let (left_old, left_new) = (lone(&left_old, old, &new_kernels), lone(&left_new, new, &old_kernels));
    let code = |record: &Record| record.sha256;
    let named = |record: &Record| Some((code(record)?, record.launch.clone()));
    let mut found = pair_up(&left_old, &left_new, |&i| named(&old[i]), |&i| named(&new[i]));
    let without =
        |left: Vec<usize>, used: &HashSet<usize>| left.into_iter().filter(|i| !used.contains(i)).collect::<Vec<_>>();
    let (used_old, used_new): (HashSet<_>, HashSet<_>) = found.iter().copied().unzip();
    let (left_old, left_new) = (without(left_old, &used_old), without(left_new, &used_new));
    found.extend(pair_up(&left_old, &left_new, |&i| code(&old[i]), |&i| code(&new[i])));
    found.into_iter().map(|(old, new)| Match { old, new, renamed: true }).collect()
}

fn name(record: &Record) -> (&str, Option<&str>, Option<&str>) {
    (&record.file, record.kernel.as_deref(), record.launch.as_deref())
}

/// Pairs up entries with the same key, in order. Entries without a key get no partner.
fn pair_up<K: Hash + Eq>(
    old: &[usize],
    new: &[usize],
    old_key: impl Fn(&usize) -> Option<K>,
    new_key: impl Fn(&usize) -> Option<K>,
) -> Vec<(usize, usize)> {
    // Each list is reversed, so that its first entry is at its end.
    let mut by_key: HashMap<K, Vec<usize>> = HashMap::with_capacity(old.len());
    for &i in old.iter().rev() {
        if let Some(key) = old_key(&i) {
            by_key.entry(key).or_default().push(i);
        }
    }
    new.iter().filter_map(|&i| Some((by_key.get_mut(&new_key(&i)?)?.pop()?, i))).collect()
}

fn left(old: usize, new: usize, pairs: &[Match]) -> (Vec<usize>, Vec<usize>) {
    let (mut old_used, mut new_used) = (vec![false; old], vec![false; new]);
    for pair in pairs {
        (old_used[pair.old], new_used[pair.new]) = (true, true);
    }
    let unused = |used: &[bool]| (0..used.len()).filter(|&i| !used[i]).collect();
    (unused(&old_used), unused(&new_used))
}

/// Length of the folder that all names begin with.
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
        // The launch of the kernel that is in both is another launch.
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
