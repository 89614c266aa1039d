//! Whole dispatches that misbehave: with memory that is not theirs, with barriers, loops and jumps, and with sizes that
//! no host has. Each has a defined outcome, which is the same on all engines.

mod control;
mod kernel;
mod memory;
mod resources;
