//! The device: guest memory, arguments and registers of kernels, and grids of waves on threads.
#![deny(unsafe_code)]

pub mod abi;
pub mod args;
pub mod geometry;
pub mod groups;
pub mod images;
mod load;
mod occupancy;
pub mod place;
pub mod room;
pub mod run;
mod setup_error;
pub mod tier;

pub use gcnsim_engine::reach;
pub use setup_error::SetupError;
