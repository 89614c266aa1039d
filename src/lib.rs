//! gcnsim runs AMD GCN shader binaries (GCN 1.0 to 1.4) on a CPU.
//!
//! | to | use |
//! |---|---|
//! | read a file | [`loader`]: raw dwords, ELF code objects, offload bundles |
//! | describe what a program starts from | [`Wave`], [`state`] |
//! | run | [`Engine`], which interprets first, compiles what is hot and checks it |
//! | run kernels from a host program | `device`: a device with memory, modules, kernels; below them registers |
//! | run launches that are written down | `launches`: launch files, expected results |
//! | step | [`Interp`], the reference interpreter |
//! | know how it ended | [`Outcome`], a value whatever the guest did; [`EngineError`] is our failure |
//! | hash what is left | [`state::state_hash`] |
//! | decode, disassemble | [`isa`] |
//! | run a shader whose inputs nobody has | `synthetic`: any shader in made-up worlds |
//! | run many files | `batch`; `compare`: what changed between two runs |
//! | find mistakes that execution does not show | `lint` |
//! | find races, undefined reads, accesses outside | `sanitize::Sanitizer`, which watches a run |
//! | compare two compilations of a shader | `diff` |
//!
//! From a file, in steps, with snapshots:
//!
//! ```
//! use gcnsim::isa::Arch;
//! use gcnsim::state::StateSpec;
//! use gcnsim::{Interp, Outcome, Wave, loader};
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
//! keeps the pages that are stored to, and a clone of the wave are all that a run changes. A [`machine::Peripheral`]
//! answers where nothing is mapped:
//!
//! ```
//! use gcnsim::isa::{Arch, Program};
//! use gcnsim::machine::{Access, Context, Peripheral, SharedPeripheral};
//! use gcnsim::{Engine, RunOptions, Wave};
//!
//! /// Every address holds its own low dword.
//! struct Addresses;
//!
//! impl Peripheral for Addresses {
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
//! context.peripheral = Some(SharedPeripheral::new(Addresses));
//! Engine::new(RunOptions::default()).run_alone(&program, &mut wave, &mut context, None).outcome?;
//! assert_eq!(wave.state.sgpr[2], 0x1008);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Who wants to see each instruction of a kernel's waves passes an [`observe::Observer`] to
//! `launches::Launcher::launch_observed`.
//!
//! Budgets are exact: `max_insts` (and the argument of [`Interp::run`]) is the number of instructions that
//! complete, on every engine. An instruction that gcnsim does not execute ends a run as [`Outcome::Unsupported`].
//! [`isa::WaveState::notes`] lists the choices of ours that a result depends on.
//!
//! `examples/` has whole programs: run a file, step and inspect, both engines, a batch, a shader on made-up inputs,
//! a kernel on a grid, launches on a device that lives on, a dispatch by registers, a peripheral, a snapshot with
//! memory, a look at each instruction.
//!
//! | feature, on by default | has |
//! |---|---|
//! | `jit` | the Cranelift engine; without it only the interpreter is built |
//! | `device` | `device`: kernels on grids of waves, on memory that lives on |
//! | `launches` | `launches`: launch files; needs `device` |
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

pub use gcnsim_engine::{Code, Engine, EngineError, EngineKind, RunOptions, RunResult, RunStats};
pub use gcnsim_interp::Interp;
pub use gcnsim_isa as isa;
pub use gcnsim_machine::{ClassCounts, Detail, Outcome, VgprFile, Wave};

pub mod loader {
    //! Files: raw dwords, code objects, whatever holds code objects. What they have are entries.
    pub use gcnsim_loader::code_object::CodeObject;
    pub use gcnsim_loader::{
        DEFAULT_ARCH, Entry, FileBytes, LoadError, Loaded, Reading, Shader, load, load_as, parse, parse_as,
    };
}

pub mod machine {
    //! What code runs on: guest memory, devices in it, and worlds, which make memory where it is touched.
    pub use gcnsim_machine::world::{World, WorldKind};
    pub use gcnsim_machine::{Access, Backing, Context, Mapping, Peripheral, SharedPeripheral, Snapshot};
}

pub mod observe {
    //! Observers, which see what waves do: each instruction, each write, the end of each wave.
    pub use gcnsim_engine::observe::{At, Entry, Needs, Observer, Observers, Scene, Step};
}

pub mod state {
    //! States of waves as JSON, and their hashes.
    pub use gcnsim_engine::report::state_hash;
    pub use gcnsim_engine::state_file::StateSpec;
}

#[cfg(feature = "device")]
pub mod device {
    //! The device: guest memory, kernels of code objects, launches; below them registers.
    pub use gcnsim_device::args::ArgValue;
    pub use gcnsim_device::images::{Format, Kind, Sampler, Shape};
    pub use gcnsim_device::{
        Buffer, Device, DeviceOptions, Dispatch, DispatchError, Grid, Image, Kernel, Launch, Module, Registers,
        Request, Scratch, Slice, memory,
    };
    pub use gcnsim_engine::Run;
}

#[cfg(feature = "launches")]
pub mod launches {
    //! Launches of kernels, written down in launch files or in code.
    pub use gcnsim_launches::launch::{LaunchFile, LaunchSpec, Syntax};
    pub use gcnsim_launches::lines::SourceLines;
    pub use gcnsim_launches::{DispatchOptions, LaunchFailure, LaunchResult, Launcher, launch};
}

#[cfg(feature = "synthetic")]
pub mod synthetic {
    //! Shaders without inputs, run in worlds that are made up, and what they did.
    pub use gcnsim_synthetic::{Class, Subject, Synthetic, SyntheticRun};
}

#[cfg(feature = "sanitize")]
pub mod sanitize {
    //! Races, undefined reads and accesses outside, found by watching a run.
    pub use gcnsim_sanitize::{Checks, Finding, Findings, Sanitizer};
}

#[cfg(feature = "lint")]
pub mod lint {
    //! Mistakes that execution does not show.
    pub use gcnsim_lint::file::{ObjectReport, lint};
    pub use gcnsim_lint::rules::Rule;
    pub use gcnsim_lint::{Finding, Linter, Options};
}

#[cfg(feature = "batch")]
pub mod batch {
    //! Corpora on all cores: lists of files, the run, and the lines that it writes.
    pub use gcnsim_batch::record::{Record, read_all};
    pub use gcnsim_batch::{BatchError, Finished, Options, Summary, run};
    pub use gcnsim_inputs::{Inputs, RawFiles};
}

#[cfg(feature = "batch")]
pub mod compare {
    //! What changed between two batches.
    pub use gcnsim_batch::compare::{Comparison, FailOn, compare};
}

#[cfg(feature = "diff")]
pub mod diff {
    //! Whether two compilations of a shader do the same, and which instruction does not.
    pub use gcnsim_diff::pairs::{Files, of_files};
    pub use gcnsim_diff::result::{PairResult, Verdict};
    pub use gcnsim_diff::run::{Item, Options, run};
}

#[cfg(feature = "vectors")]
pub mod vectors {
    //! Conformance vectors: states before and after, on each engine.
    #[cfg(feature = "jit")]
    pub use gcnsim_check::vectors::compiled;
    pub use gcnsim_check::vectors::{Event, Vector, interpreter, verify};
}
