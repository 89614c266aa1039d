//! Profiles of dispatches: times by region, and counts by instruction.
//!
//! A profile takes two runs. The first is an ordinary run in which a clock is read where compiled regions are entered
//! and left and where the interpreter begins and ends:
//! [`RunOptions::time_regions`](gcnsim_engine::RunOptions::time_regions). In the second the interpreter executes one
//! instruction at a time, and a [`Counter`] counts each with its active lanes. Times come from the first run only.
//! Counts are exact and the same in every run.

mod count;
mod listing;
mod occupancy;
mod report;

pub use count::{Accesses, CountedSite, Counter, Spread};
pub use listing::{Folded, ListedFunction, ListedInst, MeanMax, listing};
pub use occupancy::{Needs, Occupancy, Registers, Share};
pub use report::{
    AccessProfile, BranchProfile, ClassProfile, InterpretedProfile, LineProfile, Profile, RegionTime, TimeProfile,
    Timed,
};
