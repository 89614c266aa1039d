//! Runs many cases on many threads for some time.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use gcnsim_isa::Arch;

use super::coverage::Coverage;
use super::{CaseRun, run_case};

/// The cases of a campaign, and how they run.
#[derive(Clone, Debug)]
pub struct Campaign {
    /// Number of the first case; the others follow.
    pub seed: u64,
    /// Time that the campaign runs, in seconds; 0 runs one case.
    pub seconds: u64,
    /// Largest number of cases to run.
    pub max_programs: u64,
    /// Number of threads, at least 1.
    pub jobs: usize,
    /// The generation of all cases; `None` means that the cases go through all generations.
    pub arch: Option<Arch>,
    /// A flag that ends the campaign: when it is true, no more cases begin.
    pub stop: Arc<AtomicBool>,
}

/// The progress of a campaign.
#[derive(Clone, Copy, Default, Debug)]
pub struct Progress {
    /// Time since the start.
    pub elapsed: Duration,
    /// Number of cases run.
    pub programs: u64,
    /// Instructions executed by the interpreter in the runs that were compared.
    pub instructions: u64,
    /// Number of cases on which the engines disagree.
    pub divergences: u64,
    /// Number of the case that diverged last.
    pub last_divergence: Option<u64>,
    /// Number of rows that cases reached, and number of all rows.
    pub rows: (usize, usize),
    /// Number of a case that has been running for ten seconds or more: it may hang.
    pub stuck: Option<u64>,
}

/// The results of a campaign.
#[derive(Debug, Default)]
pub struct Summary {
    /// The final progress.
    pub progress: Progress,
    /// The rows that cases reached.
    pub coverage: Coverage,
    /// Number and run of each case that diverged, the first [`MAX_KEPT`] of them.
    pub diverged: Vec<(u64, CaseRun)>,
}

/// Number of divergences that are kept for shrinking. Later ones are only counted.
pub const MAX_KEPT: usize = 40;

/// Time after which a running case is reported as stuck.
const STUCK: Duration = Duration::from_secs(10);

struct Shared<'a> {
    campaign: &'a Campaign,
    start: Instant,
    next: AtomicU64,
    programs: AtomicU64,
    instructions: AtomicU64,
    divergences: AtomicU64,
    /// Offset from the seed of the case that diverged last. Meaningless before the first divergence.
    last_divergence: AtomicU64,
    stop: AtomicBool,
    kept: Mutex<Vec<(u64, CaseRun)>>,
    coverage: Mutex<Coverage>,
    /// The offset of each thread's case from the seed, and the time when the case began, in milliseconds since the
    /// start.
    current: Vec<(AtomicU64, AtomicU64)>,
}

/// Runs a campaign. `watch` gets the progress a few times a second.
pub fn run(campaign: &Campaign, mut watch: impl FnMut(&Progress)) -> Summary {
    let jobs = campaign.jobs.max(1);
    let shared = Shared {
        campaign,
        start: Instant::now(),
        next: AtomicU64::new(0),
        programs: AtomicU64::new(0),
        instructions: AtomicU64::new(0),
        divergences: AtomicU64::new(0),
        last_divergence: AtomicU64::new(0),
        stop: AtomicBool::new(false),
        kept: Mutex::new(Vec::new()),
        coverage: Mutex::new(Coverage::default()),
        current: (0..jobs).map(|_| (AtomicU64::new(0), AtomicU64::new(0))).collect(),
    };
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..jobs)
            .map(|job| {
                scope.spawn({
                    let shared = &shared;
                    move || shared.work(job)
                })
            })
            .collect();
        while !workers.iter().all(|worker| worker.is_finished()) {
            let elapsed = shared.start.elapsed();
            let is_over = elapsed >= Duration::from_secs(campaign.seconds);
            if is_over || campaign.stop.load(Ordering::Relaxed) {
                shared.stop.store(true, Ordering::Relaxed);
            }
            watch(&shared.progress());
            std::thread::park_timeout(Duration::from_millis(20));
        }
    });
    let progress = shared.progress();
    let coverage = into_inner(shared.coverage);
    let mut diverged = into_inner(shared.kept);
    diverged.sort_by_key(|(number, _)| number.wrapping_sub(campaign.seed));
    Summary { progress, coverage, diverged }
}

fn into_inner<T>(mutex: Mutex<T>) -> T {
    mutex.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner())
}

impl Shared<'_> {
    fn work(&self, job: usize) {
        let mut coverage = Coverage::default();
        let (current, since) = &self.current[job];
        let mut merged = Instant::now();
        loop {
            let offset = self.next.fetch_add(1, Ordering::Relaxed);
            // A campaign of 0 seconds runs one case.
            let stop = self.stop.load(Ordering::Relaxed) || self.campaign.seconds == 0;
            if offset >= self.campaign.max_programs || stop && offset > 0 {
                break;
            }
            current.store(offset, Ordering::Relaxed);
            since.store(self.start.elapsed().as_millis() as u64 + 1, Ordering::Relaxed);
            let number = self.campaign.seed.wrapping_add(offset);
            let run = run_case(number, self.campaign.arch, &mut coverage);
            self.programs.fetch_add(1, Ordering::Relaxed);
            self.instructions.fetch_add(run.executed, Ordering::Relaxed);
            if run.divergence.is_some() {
                self.last_divergence.store(offset, Ordering::Relaxed);
                self.divergences.fetch_add(1, Ordering::Release);
                let mut kept = self.kept.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
                if kept.len() < MAX_KEPT {
                    kept.push((number, run));
                }
            }
            if merged.elapsed() > Duration::from_millis(200) {
                self.merge(&mut coverage);
                merged = Instant::now();
            }
        }
        since.store(0, Ordering::Relaxed);
        self.merge(&mut coverage);
    }

    fn merge(&self, coverage: &mut Coverage) {
        self.coverage.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).merge(coverage);
        *coverage = Coverage::default();
    }

    fn progress(&self) -> Progress {
        let elapsed = self.start.elapsed();
        let stuck = self.current.iter().find(|(_, since)| {
            let since = since.load(Ordering::Relaxed);
            since != 0 && elapsed.saturating_sub(Duration::from_millis(since)) > STUCK
        });
        let rows = self.coverage.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).reached(self.campaign.arch);
        let number = |offset: &AtomicU64| self.campaign.seed.wrapping_add(offset.load(Ordering::Relaxed));
        let divergences = self.divergences.load(Ordering::Acquire);
        Progress {
            elapsed,
            programs: self.programs.load(Ordering::Relaxed),
            instructions: self.instructions.load(Ordering::Relaxed),
            divergences,
            last_divergence: (divergences > 0).then(|| number(&self.last_divergence)),
            rows,
            stuck: stuck.map(|(current, _)| number(current)),
        }
    }
}
