//! The reference interpreter: corner cases of instructions.
#![cfg(all(feature = "cli", feature = "jit"))]

#[path = "../common/instructions.rs"]
mod instructions;

mod flow;
mod memory;
mod pairs;
mod scalar;
mod vcmp;
mod ways;
