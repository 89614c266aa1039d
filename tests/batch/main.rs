//! Batches and comparisons: running, lines of results, resuming, merging and comparing.
#![cfg(all(feature = "cli", feature = "jit"))]

#[path = "../batch_support/mod.rs"]
mod batch_support;

mod ahead;
mod arch;
mod bad_input;
mod compare_cli;
mod compare_noise;
mod compare_planted;
mod end;
mod launches;
mod ledger;
mod links;
mod names;
mod our_fault;
mod output;
mod parts;
mod recordings;
mod repeat;
mod resume;
mod run;
mod shaders;
mod shard;
mod terminal;
