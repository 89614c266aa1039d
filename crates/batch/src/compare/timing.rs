//! Compares run times, and tells changes from noise.
//!
//! Only pairs that did the same work are compared: they have the same bytes, engine, outcome, final state, instruction
//! counts and number of regions. Each side needs several samples (`batch --repeat`), taken in passes over the whole
//! corpus. Its median has to be at least [`MIN_NS`]: shorter runs consist largely of starting, reading the clock and
//! filling caches.
//!
//! 1. A sample is divided by the time of a fixed piece of work that was measured beside it (`reference_ns`). This
//!    removes changes of clock rate and load between the two runs.
//! 2. The change of an entry is the logarithm of the ratio of its two medians. Its *noise* is the standard error of
//!    that, estimated from the median absolute deviations of the samples. If the spread of the changes of all entries
//!    is larger, the noise is that spread: two processes differ by more than their samples show, because memory and
//!    code are at different addresses.
//! 3. The change of *all* is the median over the entries. Its noise comes from two sources: how much whole passes
//!    differ from each other, and how much the speed of the machine changed, because step 1 removes that only roughly.
//!    If the change of all is within its noise, it is subtracted from the entries.
//! 4. An entry is slower if three things hold. Its change exceeds `SIGMAS` times its noise and `MIN_EFFECT`; three
//!    quarters of its new samples are above three quarters of the old ones; and its best sample is worse by more than
//!    half of the change. The last test helps because disturbances only add time. It is also applied to the change of
//!    all.

use serde::Serialize;

use crate::output::record::Record;
use gcnsim_engine::report::{duration, grouped};
use gcnsim_inputs::EntryName;

/// Shortest median run that is compared, in nanoseconds.
pub const MIN_NS: u64 = 20_000;
/// Fewest samples of each side.
pub const MIN_SAMPLES: usize = 5;
/// A change has to be this many times its noise. One in 10,000 normal samples deviates by four; run times have longer
/// tails.
const SIGMAS: f64 = 5.0;
/// Smallest change of an entry that counts, as a logarithm of a ratio.
const MIN_EFFECT: f64 = 0.02;
/// Smallest change of all that counts, as a logarithm of a ratio. The same program, started twice, may differ by this
/// because its memory is elsewhere.
const MIN_EFFECT_ALL: f64 = 0.03;
/// Smallest noise that is assumed, as a logarithm of a ratio.
const MIN_NOISE: f64 = 0.002;

/// Comparison of run times.
#[derive(Clone, Default, Debug, Serialize)]
pub struct Timing {
    /// Number of entries compared.
    pub compared: usize,
    /// Number of entries left out because they ran too briefly.
    pub too_short: usize,
    /// Number of entries left out because they did not do the same work.
    pub other_work: usize,
    /// Number of entries left out because they have too few samples.
    pub too_few_samples: usize,
    /// Change of all entries.
    pub all: Option<AllChange>,
    /// Entries that got slower by more than their noise, worst first.
    pub slower: Vec<TimeChange>,
    /// Entries that got faster by more than their noise, greatest change first.
    pub faster: Vec<TimeChange>,
}

impl Timing {
    /// Returns in words how many entries were not compared, and why; empty if all were compared.
    pub fn left_out(&self) -> String {
        let reasons = [
            (self.too_short, format!("ran for less than {}", duration(MIN_NS))),
            (self.too_few_samples, format!("have fewer than {MIN_SAMPLES} samples (batch --repeat)")),
            (self.other_work, "did not do the same".to_owned()),
        ];
        let reasons = reasons.iter().filter(|(count, _)| *count > 0);
        reasons.map(|(count, why)| format!("{} {why}", grouped(*count as u64))).collect::<Vec<_>>().join(", ")
    }
}

/// Change of the run time of all entries.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct AllChange {
    /// Median change in percent.
    pub percent: f64,
    /// The smallest change that would be significant, in percent.
    pub noise_percent: f64,
    /// Whether the change is significant.
    pub significant: bool,
}

/// Change of the run time of an entry.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct TimeChange {
    /// Name of the entry.
    pub name: EntryName,
    /// Median of the old samples.
    pub old_ns: u64,
    /// Median of the new samples.
    pub new_ns: u64,
    /// Change in percent.
    pub percent: f64,
    /// The smallest change that would be significant, in percent.
    pub noise_percent: f64,
}

/// The samples of an entry, as logarithms of times relative to the reference work. Changes are differences of such
/// logarithms.
struct Sampled<'a> {
    old: &'a Record,
    new: &'a Record,
    old_logs: Vec<f64>,
    new_logs: Vec<f64>,
    change: f64,
    /// Change of the shortest samples, as a logarithm of a ratio.
    best_change: f64,
    error: f64,
}

pub(super) fn timing(pairs: &[(&Record, &Record)]) -> Timing {
    let mut timing = Timing::default();
    let mut sampled = Vec::new();
    for &(old, new) in pairs {
        let samples = old.samples_ns.len().min(new.samples_ns.len());
        if !same_work(old, new) {
            timing.other_work += 1;
        } else if old.run_ns.min(new.run_ns) < MIN_NS {
            timing.too_short += 1;
        } else if samples < MIN_SAMPLES {
            timing.too_few_samples += 1;
        } else {
            sampled.push(Sampled::new(old, new));
        }
    }
    timing.compared = sampled.len();
    if sampled.is_empty() {
        return timing;
    }
    let all = change_of_all(&sampled);
    timing.all = Some(all);
    let common = if all.significant { 0.0 } else { (all.percent / 100.0).ln_1p() };
    let changes: Vec<_> = sampled.iter().map(|s| s.change).collect();
    let spread = deviation(&changes);
    for entry in &sampled {
        let noise = SIGMAS * entry.error.max(spread).max(MIN_NOISE);
        let change = entry.change - common;
        let confirmed = confirms(change, entry.best_change - common) && entry.is_apart(common);
        if change.abs() <= noise.max(MIN_EFFECT) || !confirmed {
            continue;
        }
        let list = if change > 0.0 { &mut timing.slower } else { &mut timing.faster };
        list.push(TimeChange {
            name: entry.new.name(),
            old_ns: entry.old.run_ns,
            new_ns: entry.new.run_ns,
            percent: percent(change),
            noise_percent: percent(noise),
        });
    }
    timing.slower.sort_by(|a, b| b.percent.total_cmp(&a.percent));
    timing.faster.sort_by(|a, b| a.percent.total_cmp(&b.percent));
    timing
}

fn same_work(old: &Record, new: &Record) -> bool {
    let work = |r: &Record| (r.hash(), r.outcome, r.instructions, r.by_class, r.regions);
    work(old) == work(new) && old.state_hash == new.state_hash && old.engine == new.engine && old.state_hash.is_some()
}

impl<'a> Sampled<'a> {
    fn new(old: &'a Record, new: &'a Record) -> Sampled<'a> {
        let (old_logs, new_logs) = (logs(old), logs(new));
        let change = median(&new_logs) - median(&old_logs);
        let error = error_of_median(&old_logs).hypot(error_of_median(&new_logs));
        let best_change = quantile(&new_logs, 0.0) - quantile(&old_logs, 0.0);
        Sampled { old, new, old_logs, new_logs, change, best_change, error }
    }

    /// Whether the samples of the two sides hardly overlap, after the change of all (`common`) is subtracted.
    fn is_apart(&self, common: f64) -> bool {
        let new: Vec<_> = self.new_logs.iter().map(|log| log - common).collect();
        let above = |low: &[f64], high: &[f64]| quantile(high, 0.25) > quantile(low, 0.75);
        above(&self.old_logs, &new) || above(&new, &self.old_logs)
    }
}

fn logs(record: &Record) -> Vec<f64> {
    let reference = |i| record.reference_ns.get(i).copied().filter(|&ns| ns > 0).unwrap_or(1);
    let relative = |(i, &ns): (usize, &u64)| (ns.max(1) as f64 / reference(i) as f64).ln();
    record.samples_ns.iter().enumerate().map(relative).collect()
}

fn change_of_all(sampled: &[Sampled]) -> AllChange {
    let changes: Vec<_> = sampled.iter().map(|s| s.change).collect();
    let change = median(&changes);
    let old_drift = drift(&sampled.iter().map(|s| s.old_logs.as_slice()).collect::<Vec<_>>());
    let new_drift = drift(&sampled.iter().map(|s| s.new_logs.as_slice()).collect::<Vec<_>>());
    let error = old_drift.hypot(new_drift).max(MIN_NOISE);
    // The median of a few entries varies more than the differences between passes show.
    let error = error.hypot(1.2533 * deviation(&changes) / (sampled.len() as f64).sqrt());
    let noise = (SIGMAS * error).max(MIN_EFFECT_ALL) + machine_change(sampled);
    let best = median(&sampled.iter().map(|s| s.best_change).collect::<Vec<_>>());
    let significant = change.abs() > noise && confirms(change, best);
    AllChange { percent: percent(change), noise_percent: percent(noise), significant }
}

/// Whether the change of the best samples has the direction, and more than half the size, of the change of the medians.
fn confirms(change: f64, best_change: f64) -> bool {
    best_change * change.signum() > change.abs() / 2.0
}

/// Returns how much the speed of the machine changed between the runs or within one, measured by the reference work, as
/// a logarithm.
fn machine_change(sampled: &[Sampled]) -> f64 {
    let logs = |records: &mut dyn Iterator<Item = &Record>| -> Vec<f64> {
        let all = records.flat_map(|record| &record.reference_ns);
        all.filter(|&&ns| ns > 0).map(|&ns| (ns as f64).ln()).collect()
    };
    let (old, new) = (logs(&mut sampled.iter().map(|s| s.old)), logs(&mut sampled.iter().map(|s| s.new)));
    (median(&new) - median(&old)).abs() / 2.0 + deviation(&old).max(deviation(&new))
}

/// Returns the standard error of the median over all entries, estimated from the differences between whole passes.
fn drift(entries: &[&[f64]]) -> f64 {
    let medians: Vec<_> = entries.iter().map(|logs| median(logs)).collect();
    let passes = entries.iter().map(|logs| logs.len()).min().unwrap_or(0);
    // `deviation_of` returns the median distance of a pass from the entries' medians.
    let deviation_of = |pass| {
        let deviations: Vec<_> = entries.iter().zip(&medians).map(|(logs, median)| logs[pass] - median).collect();
        median(&deviations)
    };
    error_of_median(&(0..passes).map(deviation_of).collect::<Vec<_>>())
}

fn percent(log_ratio: f64) -> f64 {
    100.0 * log_ratio.exp_m1()
}

fn sorted(values: &[f64]) -> Vec<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted
}

/// Returns the quantile `q` (0 to 1) of `values`, interpolated linearly between neighbours.
fn quantile(values: &[f64], q: f64) -> f64 {
    let sorted = sorted(values);
    let at = q * (sorted.len().max(1) - 1) as f64;
    let (low, high) = (at.floor() as usize, at.ceil() as usize);
    match (sorted.get(low), sorted.get(high)) {
        (Some(a), Some(b)) => a + (b - a) * (at - low as f64),
        _ => 0.0,
    }
}

fn median(values: &[f64]) -> f64 {
    quantile(values, 0.5)
}

/// Returns the standard deviation, estimated from the median absolute deviation, which outliers hardly change.
fn deviation(values: &[f64]) -> f64 {
    let middle = median(values);
    let distances: Vec<_> = values.iter().map(|value| (value - middle).abs()).collect();
    1.4826 * median(&distances)
}

fn error_of_median(values: &[f64]) -> f64 {
    1.2533 * deviation(values) / (values.len().max(1) as f64).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::changes::tests::record;
    use gcnsim_random::Rng;

    /// Returns `count` entries whose samples have a given median, noise and reference time. The numbers are random, but
    /// the same in each run of the test.
    fn run(count: usize, seed: u64, noise: f64, machine: f64, factor: impl Fn(usize) -> f64) -> Vec<Record> {
        let mut rng = Rng::new(seed);
        // The standard deviation is 1.15.
        let mut random = move || 1.15 * rng.normal();
        (0..count)
            .map(|i| {
                let base = 100_000.0 * (1.0 + i as f64 % 7.0) * machine * factor(i);
                let samples_ns: Vec<_> = (0..15).map(|_| (base * (1.0 + noise * random())) as u64).collect();
                let mut sorted = samples_ns.clone();
                sorted.sort();
                let reference_ns = vec![(20_000.0 * machine) as u64; 15];
                Record { file: format!("{i}"), run_ns: sorted[7], samples_ns, reference_ns, ..record() }
            })
            .collect()
    }

    fn timing_of(old: &[Record], new: &[Record]) -> Timing {
        timing(&old.iter().zip(new).collect::<Vec<_>>())
    }

    #[test]
    fn noise_is_no_change() {
        for seed in 0..100 {
            let old = run(40, seed, 0.02, 1.0, |_| 1.0);
            let new = run(40, seed + 1000, 0.02, 1.3, |_| 1.0);
            let timing = timing_of(&old, &new);
            assert_eq!((timing.compared, timing.slower.len(), timing.faster.len()), (40, 0, 0), "seed {seed}");
            assert!(!timing.all.unwrap().significant, "seed {seed}");
        }
    }

    #[test]
    fn a_few_slow_ones_are_found() {
        let old = run(340, 1, 0.01, 1.0, |_| 1.0);
        let new = run(340, 2, 0.01, 1.1, |i| if i % 30 == 0 { 1.2 } else { 1.0 });
        let timing = timing_of(&old, &new);
        assert_eq!((timing.slower.len(), timing.faster.len()), (12, 0));
        assert!(timing.slower.iter().all(|change| (15.0..25.0).contains(&change.percent)), "{:?}", timing.slower);
        assert!(!timing.all.unwrap().significant);
    }

    #[test]
    fn all_slower_is_found_too() {
        let old = run(50, 1, 0.01, 1.0, |_| 1.0);
        let new = run(50, 2, 0.01, 1.0, |_| 1.1);
        let timing = timing_of(&old, &new);
        assert!(timing.all.unwrap().significant);
        assert_eq!(timing.slower.len(), 50);
    }

    #[test]
    fn what_cannot_be_compared_is_counted() {
        let old = run(4, 1, 0.01, 1.0, |_| 1.0);
        let mut new = run(4, 2, 0.01, 1.0, |_| 2.0);
        new[0].instructions += 1;
        new[1].run_ns = MIN_NS - 1;
        new[2].samples_ns.truncate(4);
        let timing = timing_of(&old, &new);
        assert_eq!((timing.other_work, timing.too_short, timing.too_few_samples, timing.compared), (1, 1, 1, 1));
    }
}
