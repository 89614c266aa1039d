//! The simulated GPU as the drivers of a program see it: files that describe it, ioctls, memory of the program, queues
//! and their packets. docs/use/programs.md says what runs on it.
//!
//! | module | is |
//! |---|---|
//! | [`chips`] | the chips, and what drivers are told of each |
//! | [`Gpu`] | the GPU of a process |
//! | `kfd` | `/dev/kfd`: ioctls and events, for ROCm |
//! | `aql` | packets of user-mode queues |
//! | `drm`, `pm4` | `/dev/dri/renderD128`: ioctls and submissions, for Mesa |
//! | `kernel` | kernels of both doors: run, looked at, recorded, told of |
//! | `memory`, `vram`, `guard` | allocations, where they lie, and what the program pulls away |
//! | `objects` | names and source lines of kernels |
//!
//! Nothing here knows how calls of the program arrive: that is `gcnsim-preload`.
#![deny(unsafe_code)]

mod aql;
pub mod chips;
mod clock;
pub mod drm;
mod gpu;
mod guard;
mod ioctl;
mod kernel;
pub mod kfd;
mod log;
mod look;
mod memory;
mod objects;
mod pm4;
mod program;
mod queues;
pub mod settings;
mod summary;
mod tiles;
mod turns;
mod vram;

pub use gpu::Gpu;
pub use ioctl::{Errno, MOST_ARGUMENTS};
pub use look::KernelProfile;
pub use program::{OwnMemory, Program};
pub use settings::{Settings, SettingsError};
pub use summary::{SCHEMA, Summary};
