//! gcnsim runs AMD GCN shader binaries (GCN 1.0 to 1.4) on a CPU.
#![deny(unsafe_code)]

pub mod batch;
pub mod cli;
pub mod compare;
#[cfg(feature = "jit")]
mod crosscheck;
pub mod difference;
pub mod engine;
#[cfg(feature = "jit")]
pub mod fuzz;
pub mod generate;
pub mod html;
pub mod interp;
pub mod loader;
pub mod number;
pub mod outcome;
pub mod report;
pub mod scan;
pub mod sidecar;
pub mod state_file;
pub mod support;
#[cfg(feature = "jit")]
mod tiered;
pub mod vectors;
pub mod wave;

pub use engine::{Engine, EngineError, EngineKind, RunOptions, RunResult, RunStats};
pub use gcnsim_isa as isa;
#[cfg(feature = "jit")]
pub use gcnsim_jit as jit;
pub use outcome::{Detail, Outcome};
pub use wave::{ClassCounts, Wave};
