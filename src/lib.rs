//! gcnsim runs AMD GCN shader binaries (GCN 1.0 to 1.4) on a CPU.
//!
//! | to | use |
//! |---|---|
//! | read a file | [`loader`]: raw dwords, ELF code objects, offload bundles |
//! | describe what a program starts from | [`Wave`], [`state_file`] |
//! | run | [`Engine`], which interprets first, compiles what is hot and checks it |
//! | run a kernel on a grid | `device`, `launches`: launches with arguments and buffers, from code or launch files |
//! | step | [`interp::Interp`], the reference interpreter |
//! | know how it ended | [`Outcome`], a value whatever the guest did; [`EngineError`] is our failure |
//! | report, hash | [`report`] |
//! | decode, disassemble | [`isa`] |
//! | run a shader whose inputs nobody has | `synthetic`: any shader in made-up worlds |
//! | find mistakes that execution does not show | `lint` |
//! | find races, undefined reads, accesses outside | `sanitize::Sanitizer`, which watches a run |
//! | compare two compilations of a shader | `diff` |
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
//! A run in a [`machine::Context`] has guest memory and LDS of the caller's. [`machine::Context::snapshot`], which
//! keeps the pages that are stored to, and a clone of the wave are all that a run changes. A [`machine::Device`]
//! answers where nothing is mapped:
//!
//! ```
//! use gcnsim::isa::{Arch, Program};
//! use gcnsim::machine::{Access, Context, Device, SharedDevice};
//! use gcnsim::{Engine, RunOptions, Wave};
//!
//! /// Every address holds its own low dword.
//! struct Addresses;
//!
//! impl Device for Addresses {
//!     fn allows(&self, _address: u64, bytes: u32, access: Access) -> bool {
//!         bytes == 4 && access == Access::Load
//!     }
//!     fn load(&mut self, address: u64, bytes: &mut [u8]) {
//!         bytes.copy_from_slice(&(address as u32).to_le_bytes());
//!     }
//!     fn store(&mut self, _address: u64, _bytes: &[u8]) {}
//! }
//!
//! // s_load_dword s2, s[0:1], 0x8; s_endpgm
//! let program = Program::from_words(Arch::Gcn14, &[0xc002_0080, 0x8, 0xbf81_0000]);
//! let mut wave = Wave::new(&program);
//! wave.state.sgpr[0] = 0x1000;
//! let mut context = Context::ready(0);
//! context.device = Some(SharedDevice::new(Addresses));
//! Engine::new(RunOptions::default()).run_alone(&program, &mut wave, &mut context, None).outcome?;
//! assert_eq!(wave.state.sgpr[2], 0x1008);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Who wants to see each instruction of a kernel's waves passes an `Observer` to `launches::Launcher::launch_observed`.
//!
//! Budgets are exact: `max_insts` (and the argument of [`interp::Interp::run`]) is the number of instructions that
//! complete, on every engine. An instruction that gcnsim does not execute ends a run as [`Outcome::Unsupported`].
//! [`isa::WaveState::notes`] lists the choices of ours that a result depends on.
//!
//! `examples/` has whole programs: run a file, step and inspect, both engines, a batch, a kernel on a
//! grid, a device, a snapshot with memory, a watch.
//!
//! | feature, on by default | has |
//! |---|---|
//! | `jit` | the Cranelift engine; without it only the interpreter is built |
//! | `device` | `device`: kernels on grids of waves |
//! | `launches` | `launches`, `coverage` and `sidecar`: launch files; needs `device` |
//! | `synthetic` | `synthetic`: any shader on made-up inputs |
//! | `sanitize` | `sanitize`: races, undefined reads and accesses outside; needs the two before |
//! | `lint` | `lint`: mistakes that execution does not show |
//! | `batch` | `batch` and `compare`: corpora on all cores, and what changed between two runs; needs the four before |
//! | `diff` | `diff`: whether two compilations of a shader do the same; needs `batch` |
//! | `vectors` | `vectors`: conformance vectors |
//! | `cli` | the command `gcnsim`; needs all of them but `jit` |
//!
//! Features only add: each works alone and with any others.
//!
//! For engines alone: `default-features = false, features = ["jit"]`.
#![deny(unsafe_code)]

#[cfg(feature = "cli")]
#[doc(hidden)]
pub mod cli;
#[cfg(feature = "cli")]
mod support;

/// Holds the READMEs, so that their examples are tested.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
#[doc = include_str!("../isa/README.md")]
struct Readme;

#[cfg(feature = "batch")]
pub use gcnsim_batch as batch;
#[cfg(feature = "batch")]
pub use gcnsim_batch::compare;
#[cfg(feature = "cli")]
use gcnsim_batch::{pages, quote};
#[cfg(all(feature = "cli", feature = "jit"))]
#[doc(hidden)]
pub use gcnsim_check::fuzz;
#[cfg(feature = "cli")]
#[doc(hidden)]
pub use gcnsim_check::generate;
#[cfg(feature = "vectors")]
pub use gcnsim_check::vectors;
#[cfg(feature = "device")]
pub use gcnsim_device as device;
#[cfg(feature = "diff")]
pub use gcnsim_diff as diff;
pub use gcnsim_engine as engine;
pub use gcnsim_engine::{Engine, EngineError, EngineKind, RunOptions, RunResult, RunStats};
pub use gcnsim_engine::{difference, fault_file, memory_file, report, state_file};
#[cfg(feature = "cli")]
use gcnsim_engine::{number, xxh3};
pub use gcnsim_interp as interp;
pub use gcnsim_isa as isa;
#[cfg(feature = "jit")]
pub use gcnsim_jit as jit;
#[cfg(feature = "launches")]
pub use gcnsim_launches as launches;
#[cfg(feature = "launches")]
pub use gcnsim_launches::{coverage, sidecar};
#[cfg(feature = "lint")]
pub use gcnsim_lint as lint;
pub use gcnsim_loader as loader;
pub use gcnsim_loader::{codemap, functions, scan};
pub use gcnsim_machine as machine;
#[cfg(feature = "cli")]
use gcnsim_machine::outcome;
pub use gcnsim_machine::{ClassCounts, Detail, Outcome, VgprFile, Wave};
#[cfg(feature = "sanitize")]
pub use gcnsim_sanitize as sanitize;
#[cfg(feature = "synthetic")]
pub use gcnsim_synthetic as synthetic;
