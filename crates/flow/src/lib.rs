//! The control flow of GCN code: which instructions are reached, and where jumps and calls lead. Nothing is executed.
//!
//! ```text
//! ways.rs       where control goes behind one instruction
//! search.rs     the instructions that are reached from entries: a Search makes a Flow
//! blocks.rs     basic blocks of a Flow
//! constants.rs  values that straight-line code computes
//! proof.rs      computed jumps of a program, followed by constants over all paths
//! sweep.rs      code that is read in order, and its computed jumps, for listings
//! returns.rs    jumps that are returns by convention
//! ```
//!
//! Computed jumps are answered in two ways. [`Flow::of`] follows a jump only where every path proves the target: what
//! it calls complete is complete for any code. [`Sweep`] and [`Returns`] also believe the calling convention,
//! which is right for code of compilers, and enough for listings and scans.
//!
//! All of it takes time and memory that are linear in the size of the code.
#![forbid(unsafe_code)]

mod blocks;
mod constants;
mod proof;
mod returns;
mod search;
mod sweep;
mod ways;

pub use blocks::{Block, Blocks};
pub use constants::{Constants, Facts};
pub use returns::Returns;
pub use search::{Call, Code, Flow, Search, Site, Through};
pub use sweep::{Made, Sweep, in_order};
pub use ways::{Ways, direct_target};
