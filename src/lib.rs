//! gcnsim runs AMD GCN shader binaries (GCN 1.0 to 1.4) on a CPU.
//!
//! | to | use |
//! |---|---|
//! | read a file | [`loader`]: raw dwords, ELF code objects, offload bundles |
//! | describe what a program starts from | [`Wave`], [`state_file`] |
//! | run | [`Engine`], which interprets first, compiles what is hot and checks it |
//! | step | [`interp::Interp`], the reference interpreter |
//! | know how it ended | [`Outcome`], a value whatever the guest did; [`EngineError`] is our failure |
//! | report, hash | [`report`] |
//! | decode, disassemble | [`isa`] |
//!
//! Load, run and look:
//!
//! ```
//! use gcnsim::engine::{Engine, RunOptions};
//! use gcnsim::isa::{Arch, Program};
//! use gcnsim::{Outcome, Wave};
//!
//! // loop: s_add_u32 s1, s1, s0; s_sub_u32 s0, s0, 1; s_cmp_lg_u32 s0, 0; s_cbranch_scc1 loop; s_endpgm
//! let words = [0x8001_0001, 0x8080_8100, 0xbf07_8000, 0xbf85_fffc, 0xbf81_0000];
//! let program = Program::from_words(Arch::Gcn14, &words);
//! let mut wave = Wave::new(&program);
//! wave.state.sgpr[0] = 1000;
//!
//! let result = Engine::new(RunOptions::default()).run(&program, &mut wave);
//! assert_eq!(result.outcome, Ok(Outcome::Ended));
//! assert_eq!((wave.state.sgpr[1], wave.executed), (500_500, 4001));
//! ```
//!
//! From a file, in steps, with snapshots:
//!
//! ```
//! use gcnsim::interp::Interp;
//! use gcnsim::isa::Arch;
//! use gcnsim::state_file::StateSpec;
//! use gcnsim::{Outcome, Wave, loader};
//!
//! # let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus/programs/gcd-gcn1.4.bin");
//! let loaded = loader::load(&path)?;
//! let program = loaded.entries[0].program(Arch::Gcn14);
//! let mut wave = Wave::new(&program);
//! (wave.state.sgpr[0], wave.state.sgpr[1]) = (1071, 462);
//!
//! let mut interp = Interp::new(&program);
//! // Budget: the one instruction has completed, and the wave could go on.
//! while interp.run(&mut wave, 1) == Outcome::Budget && wave.executed < 20 {
//!     let inst = program.fetch(wave.state.pc)?;
//!     println!("next at {:#x}: {inst}, scc {}", wave.state.pc, wave.state.scc);
//! }
//!
//! let snapshot = wave.clone(); // everything there is
//! let text = StateSpec::of_wave(&wave).to_json(); // registers and PC, as --dump-state writes them
//! assert_eq!(interp.run(&mut wave, u64::MAX), Outcome::Ended);
//! assert_eq!(wave.state.sgpr[2], 21);
//!
//! let mut again = Wave::new(&program);
//! StateSpec::from_json(&text)?.apply(&mut again);
//! assert_eq!((&again.state.sgpr, again.state.pc), (&snapshot.state.sgpr, snapshot.state.pc));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Budgets are exact: `max_insts` (and the argument of [`interp::Interp::run`]) is the number of instructions that complete,
//! on every engine. Instructions that gcnsim does not execute end a run as [`Outcome::Unsupported`]; choices that a result rests on
//! are in [`isa::WaveState::notes`].
//!
//! Without the feature `jit` (on by default) only the interpreter is built.
#![deny(unsafe_code)]

pub mod batch;
pub mod cli;
pub mod codemap;
pub mod compare;
pub mod difference;
pub mod dispatch;
pub mod engine;
#[cfg(feature = "jit")]
pub mod fuzz;
pub mod generate;
pub mod html;
pub mod interp;
pub mod loader;
pub mod memory_file;
pub mod number;
pub mod outcome;
mod quote;
pub mod report;
pub mod scan;
pub mod sidecar;
pub mod state_file;
pub mod support;
pub mod vectors;

pub use engine::{Engine, EngineError, EngineKind, RunOptions, RunResult, RunStats};
pub use gcnsim_isa as isa;
#[cfg(feature = "jit")]
pub use gcnsim_jit as jit;
pub use gcnsim_machine as machine;
pub use gcnsim_machine::{ClassCounts, VgprFile, Wave};
pub use outcome::{Detail, Outcome};
