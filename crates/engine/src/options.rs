//! Options of runs.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64};

use crate::EngineKind;
#[cfg(doc)]
use crate::{EngineError, RegionProfile, RunStats};
#[cfg(doc)]
use gcnsim_machine::Wave;

/// Number of arrivals over backward jumps that make a target hot.
pub const DEFAULT_HOT: u32 = 4000;
/// Number of entries of each region that are checked.
pub const DEFAULT_CHECKED_ENTRIES: u64 = 64;
/// Limit for the instructions in a region.
pub const DEFAULT_REGION_MAX: u32 = 1000;

/// How to run programs.
///
/// ```
/// use gcnsim_engine::{EngineKind, RunOptions};
///
/// let options = RunOptions::default().engine(EngineKind::Check).max_insts(1_000_000);
/// assert_eq!(options.max_insts, Some(1_000_000));
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct RunOptions {
    /// Engine.
    pub engine: EngineKind,
    /// Budget in instructions; `None` runs until the program stops.
    pub max_insts: Option<u64>,
    /// Number of arrivals that make a target hot; 0 compiles everything at once.
    pub hot: u32,
    /// Limit for the instructions in a region, at least 1.
    pub region_max: u32,
    /// Whether the code at which the first run begins is compiled before it runs. It pays where many runs begin there:
    /// one region then serves starts and loops.
    pub compile_start: bool,
    /// Number of waves that will run the program, as far as it is known: it decides how well code is compiled.
    pub waves: u64,
    /// Number of entries of each region, from the first on, that [`EngineKind::Jit`] checks.
    pub checked_entries: u64,
    /// Whether the host may write guest memory while waves run, and map more of it. A check of compiled code then fails
    /// only if both engines come to the same different results again and again.
    pub host_writes: bool,
    /// Whether to count [`Wave::classes`].
    pub count_classes: bool,
    /// Whether to measure the time of each region, and that of the interpreter, in [`RegionProfile`] and
    /// [`RunStats::interp_ns`].
    pub time_regions: bool,
    /// A flag that ends a run with [`EngineError::Interrupted`] soon after it becomes true.
    pub stop: Option<Arc<AtomicBool>>,
    /// A place for [`Wave::executed`]. It is updated some times a second while a wave runs.
    pub progress: Option<Arc<AtomicU64>>,
    /// Test hook: plants a wrong lowering of one instruction in compiled code.
    #[cfg(feature = "jit")]
    pub plant: Option<gcnsim_isa::Opcode>,
    /// The level of the helpers that compiled code calls; `None` is the best that the CPU has.
    #[cfg(feature = "jit")]
    pub level: Option<gcnsim_jit::helpers::Level>,
    /// Whether to compile vector instructions in segments where the host can. If not, they are calls of helpers.
    #[cfg(feature = "jit")]
    pub segments: bool,
    /// Regions that runs of identical programs share; each run compiles its own if `None`. What a run does and counts
    /// is the same either way, its checks included.
    #[cfg(feature = "jit")]
    pub shared: Option<Arc<gcnsim_jit::cache::SharedRegions>>,
    /// Whether to compile large regions on a thread of its own while the interpreter goes on (not with `hot: 0`).
    /// Nothing is [shared](RunOptions::shared) then. The run is the same, but the numbers of regions that it compiles
    /// and checks depend on the time that compiling takes.
    #[cfg(feature = "jit")]
    pub background: bool,
}

impl Default for RunOptions {
    fn default() -> RunOptions {
        RunOptions {
            engine: EngineKind::default(),
            max_insts: None,
            hot: DEFAULT_HOT,
            region_max: DEFAULT_REGION_MAX,
            compile_start: false,
            waves: 1,
            checked_entries: DEFAULT_CHECKED_ENTRIES,
            host_writes: false,
            count_classes: false,
            time_regions: false,
            stop: None,
            progress: None,
            #[cfg(feature = "jit")]
            plant: None,
            #[cfg(feature = "jit")]
            level: None,
            #[cfg(feature = "jit")]
            segments: true,
            #[cfg(feature = "jit")]
            shared: None,
            #[cfg(feature = "jit")]
            background: false,
        }
    }
}

/// Setters: each returns the options with one of them changed.
impl RunOptions {
    /// Sets the engine.
    #[must_use]
    pub fn engine(mut self, engine: EngineKind) -> RunOptions {
        self.engine = engine;
        self
    }

    /// Sets the number of arrivals that make a target hot.
    #[must_use]
    pub fn hot(mut self, hot: u32) -> RunOptions {
        self.hot = hot;
        self
    }

    /// Sets the limit for the instructions in a region.
    #[must_use]
    pub fn region_max(mut self, region_max: u32) -> RunOptions {
        self.region_max = region_max;
        self
    }

    /// Sets the number of waves that will run the program.
    #[must_use]
    pub fn waves(mut self, waves: u64) -> RunOptions {
        self.waves = waves;
        self
    }

    /// Sets the number of entries of each region that are checked.
    #[must_use]
    pub fn checked_entries(mut self, checked_entries: u64) -> RunOptions {
        self.checked_entries = checked_entries;
        self
    }

    /// Sets the budget, in instructions.
    #[must_use]
    pub fn max_insts(mut self, max_insts: impl Into<Option<u64>>) -> RunOptions {
        self.max_insts = max_insts.into();
        self
    }

    /// Sets the flag that ends a run.
    #[must_use]
    pub fn stop(mut self, stop: impl Into<Option<Arc<AtomicBool>>>) -> RunOptions {
        self.stop = stop.into();
        self
    }

    /// Sets the place for the number of executed instructions.
    #[must_use]
    pub fn progress(mut self, progress: impl Into<Option<Arc<AtomicU64>>>) -> RunOptions {
        self.progress = progress.into();
        self
    }

    /// Test hook: plants a wrong lowering.
    #[cfg(feature = "jit")]
    #[must_use]
    pub fn plant(mut self, plant: impl Into<Option<gcnsim_isa::Opcode>>) -> RunOptions {
        self.plant = plant.into();
        self
    }

    /// Sets the level of the helpers.
    #[cfg(feature = "jit")]
    #[must_use]
    pub fn level(mut self, level: impl Into<Option<gcnsim_jit::helpers::Level>>) -> RunOptions {
        self.level = level.into();
        self
    }

    /// Sets the regions that runs of identical programs share.
    #[cfg(feature = "jit")]
    #[must_use]
    pub fn shared(mut self, shared: impl Into<Option<Arc<gcnsim_jit::cache::SharedRegions>>>) -> RunOptions {
        self.shared = shared.into();
        self
    }

    /// Counts [`Wave::classes`].
    #[must_use]
    pub fn counting_classes(mut self) -> RunOptions {
        self.count_classes = true;
        self
    }

    /// Measures the time of each region.
    #[must_use]
    pub fn timing_regions(mut self) -> RunOptions {
        self.time_regions = true;
        self
    }

    /// Allows the host to write guest memory while waves run.
    #[must_use]
    pub fn with_host_writes(mut self) -> RunOptions {
        self.host_writes = true;
        self
    }

    /// Compiles vector instructions as calls of helpers.
    #[cfg(feature = "jit")]
    #[must_use]
    pub fn without_segments(mut self) -> RunOptions {
        self.segments = false;
        self
    }
}
