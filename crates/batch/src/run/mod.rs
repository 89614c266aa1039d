//! Runs the list of files: threads take stretches of it, files become programs, and programs become lines.

pub mod cover;
mod findings;
pub(crate) mod job;
pub(crate) mod launches;
pub(crate) mod lines;
pub(crate) mod reference;
pub(crate) mod repeat;
pub(crate) mod schedule;
pub(crate) mod worker;
mod worlds;
