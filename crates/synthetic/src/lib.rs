//! The synthetic environment: any shader runs on made-up inputs (docs/use/corpora.md).
//!
//! [`setup`](setup::setup) says how the waves of a shader start. [`Synthetic::run`] runs them in a
//! [world](gcnsim_machine::world), where every address answers, and returns what they were [observed](observe) to do.
//! The same shader does the same in the same world on every engine, host and number of threads.
//!
//! ```
//! use gcnsim_loader::{FileBytes, Shader, Stage, parse};
//! use gcnsim_isa::Arch;
//! use gcnsim_machine::world::{World, WorldKind};
//! use gcnsim_synthetic::{Class, Subject, Synthetic};
//!
//! // v_interp_p1_f32 v2, v0, attr0.x; v_interp_p2_f32 v2, v1, attr0.x; exp mrt0 v2, off, off, off done vm; s_endpgm
//! let words = [0xd408_0000u32, 0xd409_0001, 0xc400_1801, 2, 0xbf81_0000];
//! let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
//! let loaded = parse(FileBytes::from(bytes))?;
//! let subject = Subject::new(&loaded.entries[0], Arch::Gcn14);
//! let run = Synthetic::default().run(&subject, World::new(WorldKind::Float))?;
//! assert_eq!((run.stage, run.classes.of(Class::Exports).count), (Stage::Pixel, 1));
//! let export = &run.observations.waves[0].observed.exports()[0];
//! assert_eq!(subject.file_address(export.pc), 8);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![deny(unsafe_code)]

mod fetch;
pub mod observe;
mod report;
mod run;
pub mod setup;
mod subject;
#[cfg(test)]
mod tests;

pub use fetch::Fetch;
pub use observe::{Class, ClassHash, Classes, Observations, WaveObservations};
pub use run::{DEFAULT_BUDGET, Ending, StoppedWave, Synthetic, SyntheticRun};
pub use setup::{Group, LDS, Setup, SetupError, Takes};
pub use subject::Subject;
