//! Dispatches: kernels of a code object on a grid of work-items.

pub mod abi;
pub mod args;
pub mod geometry;
pub mod launch;
pub mod place;
pub mod run;
