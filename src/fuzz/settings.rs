//! How compiled code runs a case: engine settings drawn at random.

use std::fmt;

use gcnsim_isa::Opcode;
use gcnsim_jit::kernels::Level;

use crate::engine::{DEFAULT_HOT, DEFAULT_REGION_MAX, EngineKind, RunOptions};
use crate::generate::rng::Rng;

/// Budget of runs that are not stopped on purpose.
pub const FULL_BUDGET: u64 = 30_000;
/// The same for the few that run long.
const LONG_BUDGET: u64 = 400_000;

/// Settings of one run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Settings {
    /// Engine: checked or not.
    pub engine: EngineKind,
    /// Arrivals that make a target hot.
    pub hot: u32,
    /// Most instructions in a region.
    pub region_max: u32,
    /// Count by class.
    pub count_classes: bool,
    /// Vector kernels.
    pub level: Level,
    /// Most instructions to execute.
    pub budget: u64,
    /// A wrong lowering, planted by tests.
    pub plant: Option<Opcode>,
}

impl Settings {
    /// Everything compiled at once, nothing checked, full budget.
    pub fn plain() -> Settings {
        Settings {
            engine: EngineKind::JitNoCheck,
            hot: 0,
            region_max: DEFAULT_REGION_MAX,
            count_classes: false,
            level: Level::best(),
            budget: FULL_BUDGET,
            plant: None,
        }
    }

    /// Random settings for a run that would execute `executed` instructions within the full budget.
    pub fn random(rng: &mut Rng, full: u64, executed: u64) -> Settings {
        let levels: Vec<Level> = Level::available().collect();
        let budget = match rng.below(10) {
            // Somewhere in the middle, or about the end.
            0..3 => rng.below((executed + 2).min(u32::MAX as u64) as u32) as u64,
            3 => (executed + rng.below(3) as u64).saturating_sub(1),
            _ => full,
        };
        Settings {
            engine: rng.pick(&[
                EngineKind::JitNoCheck,
                EngineKind::JitNoCheck,
                EngineKind::JitNoCheck,
                EngineKind::Check,
                EngineKind::Jit,
            ]),
            // Small thresholds need loops, which not every program has.
            hot: match rng.below(12) {
                0..7 => 0,
                7 => 1,
                8..11 => rng.between(2, 12),
                _ => DEFAULT_HOT,
            },
            region_max: rng.pick(&[1, 4, 16, DEFAULT_REGION_MAX, DEFAULT_REGION_MAX, DEFAULT_REGION_MAX]),
            count_classes: rng.percent(30),
            level: rng.pick(&levels),
            budget,
            plant: None,
        }
    }

    /// The options of a run.
    pub fn options(&self) -> RunOptions {
        RunOptions {
            engine: self.engine,
            max_insts: Some(self.budget),
            hot: self.hot,
            region_max: self.region_max,
            count_classes: self.count_classes,
            kernels: Some(self.level),
            plant: self.plant,
        }
    }
}

/// The budget of the first run of a case.
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
        write!(f, "{engine} --hot {hot} --region-max {region_max} --max-insts {budget}, kernels {}", self.level.name())?;
        if self.count_classes { write!(f, ", counting classes") } else { Ok(()) }
    }
}
