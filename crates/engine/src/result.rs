//! The result of a run.

use gcnsim_isa::Notes;
use gcnsim_machine::outcome::Outcome;
use gcnsim_machine::{ClassCounts, Wave};

#[cfg(feature = "jit")]
use crate::RegionProfile;
use crate::{EngineError, RunStats, StoppedWave};

/// The reason why one thread ran all groups.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OneThread {
    /// One thread was asked for.
    Asked,
    /// There is only one group.
    Groups,
    /// Atomics return values that other groups left, or are of several kinds.
    Atomics,
    /// The kernel uses the global data share.
    Gds,
    /// A call or jump goes to a computed address that is not known, where atomics of the object may be.
    Jump,
    /// Every execution is checked (`--check`), and other threads would see the memory that a check of an atomic takes
    /// back.
    CheckedAtomics,
    /// A peripheral sees the order of accesses.
    Peripheral,
    /// There is no room for the scratch and marks that each thread needs.
    NoRoom,
    /// A group may have written a byte that another one accesses, or the run on several threads did not end. One thread
    /// repeated it.
    Repeated,
}

/// Outcome, counts and cost of a run: of a launch, or of a shader in a world.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Run {
    /// The outcome of all waves, or of the first wave in order that stopped.
    pub outcome: Result<Outcome, EngineError>,
    /// The wave that stopped, unless all ended.
    pub stopped: Option<Box<StoppedWave>>,
    /// Number of other groups that waited for something when the run stopped.
    pub waiting: u64,
    /// Completed instructions of all waves.
    pub instructions: u64,
    /// Completed instructions by class, if they were counted.
    pub classes: ClassCounts,
    /// Notes of all waves.
    pub notes: Notes,
    /// The reason why one thread ran all groups, if only one did.
    pub one_thread: Option<OneThread>,
    /// Cost, summed over all threads.
    pub stats: RunStats,
    /// Times and counts of compiled regions, in the order of their compilation; empty in runs on several threads.
    #[cfg(feature = "jit")]
    pub regions: Vec<RegionProfile>,
}

impl Default for Run {
    /// A run of no waves.
    fn default() -> Run {
        Run {
            outcome: Ok(Outcome::Ended),
            stopped: None,
            waiting: 0,
            instructions: 0,
            classes: ClassCounts::default(),
            notes: Notes::NONE,
            one_thread: None,
            stats: RunStats::default(),
            #[cfg(feature = "jit")]
            regions: Vec::new(),
        }
    }
}

impl Run {
    /// Whether all waves so far have ended.
    pub fn has_ended(&self) -> bool {
        self.outcome == Ok(Outcome::Ended)
    }

    /// Adds what a wave has counted, except its instructions.
    pub fn add_wave(&mut self, wave: &Wave) {
        self.notes = self.notes.or(wave.state.notes);
        self.add_classes(&wave.classes);
    }

    /// Adds the counts, notes and cost of another run.
    pub fn add(&mut self, other: &Run) {
        self.instructions += other.instructions;
        self.add_classes(&other.classes);
        self.notes = self.notes.or(other.notes);
        self.stats.add(&other.stats);
    }

    fn add_classes(&mut self, classes: &ClassCounts) {
        self.classes.0.iter_mut().zip(classes.0).for_each(|(sum, n)| *sum += n);
    }
}
