//! gcnsim runs AMD GCN shader binaries (GCN 1.0 to 1.4) on a CPU.
#![deny(unsafe_code)]

pub mod cli;
pub mod difference;
pub mod engine;
pub mod interp;
pub mod loader;
pub mod number;
pub mod outcome;
pub mod report;
pub mod scan;
pub mod sidecar;
pub mod state_file;
pub mod vectors;
pub mod wave;

pub use gcnsim_isa as isa;
pub use interp::{HotCounters, Interp, Stop};
pub use outcome::{Detail, Outcome};
pub use wave::{ClassCounts, Wave};
