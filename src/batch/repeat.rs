//! Samples of repeated runs: one pass over the whole corpus for each, so that what disturbs the machine for a while
//! disturbs one sample of many shaders and not all samples of one.

use super::schedule::Stretch;

/// One pass: `run_ns` and reference time by entry, in order.
#[derive(Default)]
pub(super) struct PassSamples {
    /// Entries of each file.
    entries: Vec<u32>,
    samples: Vec<(u64, u64)>,
}

impl PassSamples {
    pub fn take(&mut self, stretch: &Stretch) {
        self.entries.extend_from_slice(&stretch.output.entries);
        self.samples.extend(stretch.output.run_ns.iter().map(|&ns| (ns, stretch.reference_ns)));
    }
}

/// The samples of all passes so far.
#[derive(Default)]
pub(super) struct Repeats {
    /// Number of the first file.
    start: usize,
    /// By file: number of its first entry.
    first: Vec<u32>,
    passes: Vec<Vec<(u64, u64)>>,
}

impl Repeats {
    pub fn new(start: usize) -> Repeats {
        Repeats { start, ..Repeats::default() }
    }

    /// Adds a pass over the whole list.
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

    /// Appends the samples of the n-th entry of a file: run times and times of the reference work.
    pub fn of(&self, file: usize, entry: usize, run_ns: &mut Vec<u64>, reference_ns: &mut Vec<u64>) {
        let Some(&first) = self.first.get(file - self.start) else { return };
        for pass in &self.passes {
            // A file that changed between two passes may have fewer entries than before.
            let (run, reference) = pass.get(first as usize + entry).copied().unwrap_or_default();
            run_ns.push(run);
            reference_ns.push(reference);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::batch::worker::Output;

    #[test]
    fn samples_are_found_by_file_and_entry() {
        let mut repeats = Repeats::new(10);
        for pass in 0..2 {
            let mut samples = PassSamples::default();
            for (start, entries, run_ns) in [(10, vec![1, 2], vec![5, 6, 7]), (12, vec![1], vec![8])] {
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
        assert_eq!(of(10, 0), (vec![5, 105], vec![10, 10]));
        assert_eq!(of(11, 1), (vec![7, 107], vec![10, 10]));
        assert_eq!(of(12, 0), (vec![8, 108], vec![12, 12]));
    }
}
