//! Operations on results of earlier runs: resuming, merging, and judging by a ledger.

pub mod ledger;
pub mod merge;
pub mod resume;
