//! Dispatches: kernels of a code object on a grid of work-items.

pub mod abi;
pub mod geometry;
