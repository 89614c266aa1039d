//! Settings with which compiled code runs a case, drawn at random.

use std::fmt;

use gcnsim_isa::Opcode;
use gcnsim_jit::helpers::Level;

use gcnsim_engine::{DEFAULT_HOT, DEFAULT_REGION_MAX, EngineKind, RunOptions};
use gcnsim_random::Rng;

/// Budget, in instructions, of runs that are not stopped on purpose.
pub const FULL_BUDGET: u64 = 30_000;
/// Budget, in instructions, of the few long runs.
const LONG_BUDGET: u64 = 400_000;

/// Settings of a run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Settings {
    /// The engine: with checks or without.
    pub engine: EngineKind,
    /// Number of arrivals that make a target hot.
    pub hot: u32,
    /// Most instructions in a region.
    pub region_max: u32,
    /// Whether instructions are counted by class.
    pub count_classes: bool,
    /// The level of the CPU for which helpers are chosen.
    pub level: Level,
    /// Whether compiled code has vector segments, if the level has them.
    pub segments: bool,
    /// Budget of each slice, in instructions.
    pub budget: u64,
    /// Number of slices; the run is continued after each of them but the last.
    pub slices: u64,
    /// Whether the engine runs the case a second time, with the code that it compiled the first time.
    pub again: bool,
    /// Threads that run the groups of a dispatch.
    pub jobs: usize,
    /// An opcode whose lowering is wrong on purpose, planted by tests.
    pub plant: Option<Opcode>,
}

impl Settings {
    /// Returns settings under which everything is compiled at once and nothing is checked, with the full budget.
    pub fn plain() -> Settings {
        Settings {
            engine: EngineKind::JitNoCheck,
            hot: 0,
            region_max: DEFAULT_REGION_MAX,
            count_classes: false,
            level: Level::best(),
            segments: true,
            budget: FULL_BUDGET,
            slices: 1,
            again: false,
            jobs: 1,
            plant: None,
        }
    }

    /// Returns random settings for a run that would execute `executed` instructions within the full budget.
    pub fn random(rng: &mut Rng, full: u64, executed: u64) -> Settings {
        let levels: Vec<Level> = Level::available().collect();
        let (budget, slices) = match rng.below(10) {
            // The run ends somewhere in the middle, near the end, or runs in slices.
            0 | 1 => (rng.below(executed as u32 + 2) as u64, 1),
            2 => ((executed + rng.below(3) as u64).saturating_sub(1), 1),
            3 => {
                let slices = rng.between(2, 5);
                (rng.between(1, executed as u32 / slices + 2) as u64, slices as u64)
            }
            _ => (full, 1),
        };
        Settings {
            engine: rng.pick(&[
                EngineKind::JitNoCheck,
                EngineKind::JitNoCheck,
                EngineKind::JitNoCheck,
                EngineKind::Check,
                EngineKind::Jit,
            ]),
            // Even a small threshold is reached only in loops, and not every program has one. So most runs have 0.
            hot: match rng.below(12) {
                0..7 => 0,
                7 => 1,
                8..11 => rng.between(2, 12),
                _ => DEFAULT_HOT,
            },
            region_max: rng.pick(&[1, 4, 16, DEFAULT_REGION_MAX, DEFAULT_REGION_MAX, DEFAULT_REGION_MAX]),
            count_classes: rng.percent(30),
            level: rng.pick(&levels),
            segments: rng.percent(75),
            budget,
            slices,
            again: rng.one_in(12),
            jobs: 1,
            plant: None,
        }
    }

    /// Returns the most instructions that all slices execute together.
    pub fn total(&self) -> u64 {
        self.budget.saturating_mul(self.slices)
    }

    /// Returns the options of a run.
    pub fn options(&self) -> RunOptions {
        let mut options = RunOptions::default()
            .engine(self.engine)
            .max_insts(self.budget)
            .hot(self.hot)
            .region_max(self.region_max)
            // Code without loops is compiled quickly for few waves.
            .waves(if self.count_classes { u64::MAX } else { 1 })
            .level(self.level)
            .plant(self.plant);
        options.count_classes = self.count_classes;
        options.segments = self.segments;
        options
    }
}

/// Returns the budget of the first run of a case, in instructions.
pub fn full_budget(rng: &mut Rng) -> u64 {
    if rng.one_in(60) { LONG_BUDGET } else { FULL_BUDGET }
}

impl fmt::Display for Settings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let engine = match self.engine {
            EngineKind::Interp => "--interp",
            EngineKind::Jit => "--jit",
            EngineKind::JitNoCheck => "--no-check",
            EngineKind::Check => "--check",
        };
        let (hot, region_max, budget) = (self.hot, self.region_max, self.budget);
        write!(f, "{engine} --hot {hot} --region-max {region_max} --max-insts {budget}, level {}", self.level.name())?;
        if !self.segments {
            write!(f, ", no segments")?;
        }
        if self.slices > 1 {
            write!(f, ", {} times", self.slices)?;
        }
        if self.jobs > 1 {
            write!(f, ", {} jobs", self.jobs)?;
        }
        if self.again {
            write!(f, ", engine used before")?;
        }
        if self.count_classes { write!(f, ", counting classes") } else { Ok(()) }
    }
}
