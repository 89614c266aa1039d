//! Compiled code against the interpreter: tiers, regions and segments.
#![cfg(all(feature = "cli", feature = "jit"))]

#[path = "../common/agree.rs"]
mod agree;
#[path = "../common/instructions.rs"]
mod instructions;

mod branches;
mod compiled_memory;
mod converted;
mod determinism;
mod differential;
mod float_modes;
mod fused;
mod groups;
mod lowering;
mod memory_twice;
mod moves;
mod movrel;
mod pixels;
mod planted;
mod products;
mod segments;
mod strips;
mod switched;
mod tiered;
