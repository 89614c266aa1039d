//! What the runs of a program have found out about it, and what its regions have done.

use std::collections::BTreeMap;

use gcnsim_jit::EqualMaxima;
use gcnsim_jit::cache::RegionCache;
use gcnsim_jit::region::Jump;

use super::branches::Branches;
use crate::background::Background;

/// What the runs of a program have found out about it.
#[derive(Default)]
pub(super) struct Known {
    pub cache: RegionCache,
    /// The profiles of the regions in `cache`, in its order, over all leases.
    pub profile: Vec<RegionProfile>,
    pub leases: Leases,
    /// For each address without a region, how often compiled code left to it.
    pub leaves: BTreeMap<u64, u32>,
    /// For each address without a region, how often runs began there: waves at their start, or after a barrier.
    pub starts: BTreeMap<u64, u32>,
    /// Number of runs that have begun.
    pub runs: u64,
    /// How often a computed jump of compiled code went to an address that its region does not expect.
    pub strays: BTreeMap<Jump, u32>,
    /// Computed jumps that regions are compiled with: the first ones that the interpreter saw, and strays; in order.
    pub observed: Vec<Jump>,
    /// What is known of conditional branches.
    pub branches: Branches,
    /// Number of regions that were compiled again to expect more of [`Known::observed`].
    pub rebuilds: u32,
    /// Instructions that the interpreter executed (not counting checks), and those that were compiled: the first are
    /// the [credit](super::TieredRun::has_credit) for the second.
    pub interpreted: u64,
    pub compiled: u64,
    /// The thread that compiles if [`RunOptions::background`](crate::RunOptions::background) is set. It starts with the first region.
    pub background: Option<Background>,
    /// Whether [`Known::background`] could not be started, or has failed.
    pub is_alone: bool,
}

impl Known {
    /// Forgets all but the profile, which callers may still ask for. About most programs nothing is known, and there is
    /// nothing to do.
    pub(super) fn forget(&mut self) {
        let learnt = !(self.cache.is_empty()
            && self.leaves.is_empty()
            && self.starts.is_empty()
            && self.strays.is_empty()
            && self.observed.is_empty()
            && self.branches.is_empty()
            && self.background.is_none());
        if learnt {
            *self = Known { profile: std::mem::take(&mut self.profile), ..Known::default() };
        }
        (self.rebuilds, self.runs, self.interpreted, self.compiled) = (0, 0, 0, 0);
        self.is_alone = false;
    }
}

/// Which regions were entered in which lease.
#[derive(Default)]
pub(super) struct Leases {
    /// Number of the lease.
    pub number: u64,
    /// Number of regions when it began.
    pub regions_before: usize,
    /// For each region the number of the last lease in which it was entered, if there is one, and what it had done
    /// before that.
    pub last: Vec<(Option<u64>, Done)>,
}

impl Leases {
    /// Tells that a region was entered. `before` is what it had done before. Returns whether it is the first time in
    /// this lease.
    #[inline]
    pub(super) fn enter(&mut self, region: usize, before: Done) -> bool {
        let is_first = self.last[region].0 != Some(self.number);
        if is_first {
            self.last[region] = (Some(self.number), before);
        }
        is_first
    }
}

/// What a region has done.
#[derive(Clone, Copy, Default)]
pub(super) struct Done {
    pub entered: u64,
    pub executed: u64,
    pub run_ns: u64,
}

impl RegionProfile {
    pub(super) fn done(&self) -> Done {
        let RegionProfile { entered, executed, run_ns, .. } = *self;
        Done { entered, executed, run_ns }
    }

    /// The share that is not in `before`.
    pub(super) fn since(&self, before: Done) -> RegionProfile {
        let Done { entered, executed, run_ns } = before;
        RegionProfile {
            entered: self.entered - entered,
            executed: self.executed - executed,
            run_ns: self.run_ns - run_ns,
            ..self.clone()
        }
    }
}

/// The share of one compiled region in a run.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct RegionProfile {
    /// The address that it was compiled for.
    pub pc: u64,
    /// The value of MODE that it was compiled for.
    pub mode: u32,
    /// The computed jumps that it was compiled with.
    pub observed: Vec<Jump>,
    /// What was known of maxima when it was compiled.
    pub maxima: EqualMaxima,
    /// The addresses of the branches that it was compiled for as easy to predict, in order.
    pub predictable: Vec<u64>,
    /// How often it was entered.
    pub entered: u64,
    /// Number of instructions that it executed.
    pub executed: u64,
    /// Number of instructions in it.
    pub inst_count: u64,
    /// Time that it ran, in nanoseconds, without checks. It is measured if [`RunOptions::time_regions`](crate::RunOptions::time_regions) is set.
    pub run_ns: u64,
    /// Time that compiling it took, in nanoseconds.
    pub compile_ns: u64,
}
