//! Whole kernels on grids: launch files, memory, profiles, the kernels of the corpus.
#![cfg(all(feature = "cli", feature = "jit"))]

#[path = "../common/mod.rs"]
mod common;
#[path = "../common/kernels.rs"]
mod corpus;

mod bad_input;
mod barriers;
mod cli;
mod determinism_kernels;
mod groups;
mod images;
mod kernels;
mod memory;
mod profile;
mod turns;
mod witness;
