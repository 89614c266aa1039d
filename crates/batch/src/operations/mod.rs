//! What is done with results of earlier runs: resume, merge, judge by a ledger.

pub mod ledger;
pub mod merge;
pub mod resume;
