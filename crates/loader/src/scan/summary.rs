//! Sums of scans over a corpus: what would run, and what prevents the rest.

use std::collections::{BTreeMap, HashMap};

use super::{Blocker, Counts, Scan};

/// The sum of the scans of many files.
#[derive(Debug, Default)]
pub struct Summary {
    /// Number of files with code that could be scanned.
    pub files: u64,
    /// Number of files of which all kernels would run.
    pub files_running: u64,
    /// Number of kernels; a raw file counts as one.
    pub kernels: u64,
    /// Number of kernels that reach no blocked instruction.
    pub kernels_running: u64,
    /// Number of kernels with jumps whose targets cannot be found by reading.
    pub computed_jumps: u64,
    /// Number of findings that a kernel may reach.
    pub findings: u64,
    /// Number of findings that no kernel reaches.
    pub unreachable_findings: u64,
    /// Number of dwords behind the code of raw files, which are constants.
    pub data: u64,
    /// Instructions that kernels may reach, by generation.
    pub by_arch: BTreeMap<&'static str, Counts>,
    blockers: HashMap<Blocker, Held>,
    /// For each kernel with blockers, the numbers of the blockers.
    kernel_blockers: Vec<Vec<u32>>,
    file_blockers: Vec<Vec<u32>>,
}

#[derive(Debug)]
struct Held {
    number: u32,
    files: u64,
    kernels: u64,
    places: u64,
    example: String,
}

/// A blocker, and what it prevents.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Rank {
    /// What is missing.
    pub blocker: Blocker,
    /// Number of files with a kernel that is blocked by it.
    pub files: u64,
    /// Number of kernels that are blocked by it.
    pub kernels: u64,
    /// Number of instructions that are blocked by it.
    pub places: u64,
    /// The name of a file that is blocked by it.
    pub example: String,
    /// Number of files that would run without this blocker and all that are ranked before it.
    pub files_then: u64,
    /// Number of kernels that would run without them.
    pub kernels_then: u64,
}

impl Summary {
    /// Adds a file: its name, and the scans of its objects with their generations.
    pub fn add(&mut self, file: &str, scans: &[(&'static str, Scan)]) {
        self.files += 1;
        let mut of_file: Vec<u32> = Vec::new();
        for (arch, scan) in scans {
            self.by_arch.entry(arch).or_default().merge(&scan.instructions);
            for (&blocker, &places) in &scan.places {
                self.findings += places;
                self.held(blocker, file).places += places;
            }
            self.unreachable_findings += scan.unreachable;
            self.data += scan.data;
            for kernel in &scan.kernels {
                self.kernels += 1;
                self.computed_jumps += u64::from(kernel.computed_jumps);
                let mut numbers = Vec::with_capacity(kernel.blockers.len());
                for &blocker in &kernel.blockers {
                    let held = self.held(blocker, file);
                    held.kernels += 1;
                    numbers.push(held.number);
                }
                of_file.extend(&numbers);
                if numbers.is_empty() {
                    self.kernels_running += 1;
                } else {
                    self.kernel_blockers.push(numbers);
                }
            }
        }
        of_file.sort_unstable();
        of_file.dedup();
        for held in self.blockers.values_mut().filter(|held| of_file.binary_search(&held.number).is_ok()) {
            held.files += 1;
        }
        if of_file.is_empty() {
            self.files_running += 1;
        } else {
            self.file_blockers.push(of_file);
        }
    }

    fn held(&mut self, blocker: Blocker, file: &str) -> &mut Held {
        let number = self.blockers.len() as u32;
        let new = || Held { number, files: 0, kernels: 0, places: 0, example: file.to_owned() };
        self.blockers.entry(blocker).or_insert_with(new)
    }

    /// All blockers. They are sorted by the number of files that they block, then by kernels, then by places.
    pub fn ranks(&self) -> Vec<Rank> {
        let mut order: Vec<_> = self.blockers.iter().collect();
        order.sort_by_key(|(blocker, held)| {
            use std::cmp::Reverse;
            (Reverse(held.files), Reverse(held.kernels), Reverse(held.places), **blocker)
        });
        let mut rank_of = vec![0; order.len()];
        for (rank, (_, held)) in order.iter().enumerate() {
            rank_of[held.number as usize] = rank;
        }
        let released = |lists: &[Vec<u32>]| {
            let mut released = vec![0u64; order.len()];
            for list in lists {
                if let Some(last) = list.iter().map(|&number| rank_of[number as usize]).max() {
                    released[last] += 1;
                }
            }
            released
        };
        let (files, kernels) = (released(&self.file_blockers), released(&self.kernel_blockers));
        let (mut files_then, mut kernels_then) = (self.files_running, self.kernels_running);
        let ranked = order.into_iter().enumerate().map(|(rank, (blocker, held))| {
            files_then += files[rank];
            kernels_then += kernels[rank];
            Rank {
                blocker: *blocker,
                files: held.files,
                kernels: held.kernels,
                places: held.places,
                example: held.example.clone(),
                files_then,
                kernels_then,
            }
        });
        ranked.collect()
    }

    /// The instructions that kernels may reach, summed over all generations.
    pub fn instructions(&self) -> Counts {
        let mut all = Counts::default();
        self.by_arch.values().for_each(|counts| all.merge(counts));
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scan::KernelScan;

    fn blocker(mnemonic: &'static str) -> Blocker {
        Blocker { mnemonic: Some(mnemonic), encoding: Some("VOP1"), kind: "unsupported", reason: "outside the core" }
    }

    fn file(summary: &mut Summary, name: &str, kernels: &[&[&'static str]]) {
        let kernel = |names: &&[&'static str]| KernelScan {
            name: None,
            instructions: 10,
            blocked: names.len() as u64,
            blockers: names.iter().map(|name| blocker(name)).collect(),
            computed_jumps: false,
        };
        let kernels = kernels.iter().map(kernel).collect();
        summary.add(name, &[("gcn1.4", Scan { kernels, ..Scan::default() })]);
    }

    /// The kernels of the files need {ab}{a}, {a}{}, {b} and {}: a stops two files and three kernels, b two files and
    /// two kernels.
    #[test]
    fn blockers_are_ranked_and_say_what_would_run() {
        let mut summary = Summary::default();
        file(&mut summary, "1", &[&["a", "b"], &["a"]]);
        file(&mut summary, "2", &[&["a"], &[]]);
        file(&mut summary, "3", &[&["b"]]);
        file(&mut summary, "4", &[&[]]);
        assert_eq!((summary.files, summary.files_running, summary.kernels, summary.kernels_running), (4, 1, 6, 2));
        let ranks: Vec<_> = summary.ranks();
        let row = |r: &Rank| (r.blocker.mnemonic.unwrap(), r.files, r.kernels, r.files_then, r.kernels_then);
        assert_eq!(ranks.iter().map(row).collect::<Vec<_>>(), [("a", 2, 3, 2, 4), ("b", 2, 2, 4, 6)]);
        assert_eq!(ranks[1].example, "1");
    }
}
