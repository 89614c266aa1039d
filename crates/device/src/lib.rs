//! The device: guest memory, arguments and registers of kernels, and grids of waves on threads.
//!
//! | level | is |
//! |---|---|
//! | [`Device`], [`Module`], [`Kernel`], [`Launch`], [`Buffer`] | kernels with arguments (`abi` makes registers) |
//! | [`Registers`], [`Dispatch`] | what drivers write (`waves` makes waves) |
//! | [`groups`] | groups in order, for launches and for worlds |
#![deny(unsafe_code)]

pub mod abi;
pub mod args;
mod buffer;
mod device;
mod dispatch;
mod dispatch_error;
pub mod geometry;
pub mod groups;
mod image;
pub mod images;
mod launch;
pub mod load;
mod module;
mod occupancy;
mod pool;
pub mod printf;
mod registers;
pub mod room;
mod run;
mod tier;
mod waves;

pub use buffer::{Buffer, Slice};
pub use device::{Device, DeviceOptions, Learning, Snapshot, memory, with_gap};
pub use dispatch::{Dispatch, Request, most_lds};
pub use dispatch_error::DispatchError;
pub use gcnsim_engine::{OneThread, Run};
pub use image::{Image, MOST_PLANES, MOST_SIDE};
pub use launch::{Argument, DEFAULT_SCRATCH, Launch, MOST_KERNARG};
pub use module::{Kernel, Module};
pub use registers::{Grid, Registers, Scratch, WAVE};
pub use run::{Accessed, Progress};
pub use waves::{Waves, apertures};
