//! Profiles of dispatches: where the time goes, and what the code does there.
//!
//! It takes two runs. The first is as always, but for a clock that is read where compiled regions are entered and left
//! and where the interpreter begins and ends: [`RunOptions::time_regions`](gcnsim_engine::RunOptions::time_regions).
//! In the second a [`Counter`] watches: the interpreter executes instruction by instruction, and every one is counted
//! with its active lanes. Times are those of the first run alone, and counts are exact and always the same.

mod count;
mod listing;
mod occupancy;
mod report;

pub use count::{Accesses, Counter, Site, Spread};
pub use listing::{Folded, ListedFunction, ListedInst, MeanMax, listing};
pub use occupancy::{Needs, Occupancy, Registers, Share};
pub use report::{
    AccessProfile, BranchProfile, ClassProfile, InterpretedProfile, LineProfile, Profile, RegionTime, TimeProfile,
};
