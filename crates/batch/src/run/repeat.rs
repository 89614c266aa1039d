//! Samples of repeated runs. Each sample comes from one pass over the whole corpus: so a disturbance of the machine
//! affects one sample of many shaders, not all samples of one.

use crate::run::job::Stretch;

/// Samples of one pass: `run_ns` and reference time of each entry, in order.
#[derive(Clone, Default, Debug)]
pub struct PassSamples {
    /// Number of entries of each file, from the first file of the list on.
    entries: Vec<u32>,
    samples: Vec<(u64, u64)>,
}

impl PassSamples {
    pub(crate) fn take(&mut self, stretch: &Stretch) {
        self.entries.extend_from_slice(&stretch.output.entries);
        self.samples.extend(stretch.output.run_ns.iter().map(|&ns| (ns, stretch.reference_ns)));
    }

    /// Adds a sample of an entry of `file`, which must be the last file added or a later one.
    pub(crate) fn add(&mut self, file: usize, run_ns: u64, reference_ns: u64) {
        self.resize(self.entries.len().max(file + 1));
        self.entries[file] += 1;
        self.samples.push((run_ns, reference_ns));
    }

    /// Sets the number of files. Added files have no entries; samples of removed files are dropped.
    pub(crate) fn resize(&mut self, files: usize) {
        self.entries.resize(files, 0);
        self.samples.truncate(self.entries.iter().map(|&n| n as usize).sum());
    }
}

/// The samples of all passes so far.
#[derive(Default)]
pub(crate) struct Repeats {
    /// Index of the first entry of each file, in every pass.
    first: Vec<u32>,
    passes: Vec<Vec<(u64, u64)>>,
}

impl Repeats {
    /// Returns the number of passes.
    pub fn passes(&self) -> u32 {
        self.passes.len() as u32
    }

    /// Adds the samples of a pass over the whole list.
    pub fn add(&mut self, pass: PassSamples) {
        if self.passes.is_empty() {
            self.first = pass
                .entries
                .iter()
                .scan(0, |next, &n| {
                    let first = *next;
                    *next += n;
                    Some(first)
                })
                .collect();
        }
        self.passes.push(pass.samples);
    }

    /// Appends the samples of entry number `entry` of a file: run times and times of the reference work, in
    /// nanoseconds.
    pub fn of(&self, file: usize, entry: usize, run_ns: &mut Vec<u64>, reference_ns: &mut Vec<u64>) {
        let Some(&first) = self.first.get(file) else { return };
        for pass in &self.passes {
            // If a file changed between two passes, a pass may have fewer entries than this one: its sample is 0.
            let (run, reference) = pass.get(first as usize + entry).copied().unwrap_or_default();
            run_ns.push(run);
            reference_ns.push(reference);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::job::Output;

    #[test]
    fn samples_are_found_by_file_and_entry() {
        let mut repeats = Repeats::default();
        for pass in 0..2 {
            let mut samples = PassSamples::default();
            // The samples of the first two files come from an earlier run.
            samples.add(1, 3 + 100 * pass, 9);
            samples.resize(2);
            for (start, entries, run_ns) in [(2, vec![1, 2], vec![5, 6, 7]), (4, vec![1], vec![8])] {
                let run_ns = run_ns.iter().map(|ns| ns + 100 * pass).collect();
                let output = Output { entries, run_ns, ..Output::default() };
                samples.take(&Stretch { start, end: start + 1, output, reference_ns: start as u64 });
            }
            repeats.add(samples);
        }
        let of = |file, entry| {
            let (mut run, mut reference) = (Vec::new(), Vec::new());
            repeats.of(file, entry, &mut run, &mut reference);
            (run, reference)
        };
        assert_eq!(of(1, 0), (vec![3, 103], vec![9, 9]));
        assert_eq!(of(2, 0), (vec![5, 105], vec![2, 2]));
        assert_eq!(of(3, 1), (vec![7, 107], vec![2, 2]));
        assert_eq!(of(4, 0), (vec![8, 108], vec![4, 4]));
        assert_eq!(repeats.passes(), 2);
    }

    #[test]
    fn what_is_cut_off_is_forgotten() {
        let mut samples = PassSamples::default();
        for (file, ns) in [(0, 1), (2, 2), (2, 3)] {
            samples.add(file, ns, 0);
        }
        samples.resize(2);
        assert_eq!((samples.entries, samples.samples), (vec![1, 0], vec![(1, 0)]));
    }
}
