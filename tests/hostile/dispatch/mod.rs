//! Whole dispatches that do what no kernel should: with memory that is not theirs, with barriers, loops and jumps, with
//! sizes that no host has. Each has a defined outcome, which is the same in every way to run it.

mod control;
mod kernel;
mod memory;
mod resources;
