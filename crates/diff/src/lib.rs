//! Says whether two compilations of a shader do the same (docs/use/diff.md).
//!
//! [`pairs`] matches files and entries. [`run`](run::run) runs both entries of a pair on the same inputs: the launch
//! file of the old side, or made-up inputs in some worlds ([`gcnsim_synthetic`]). Their observations are compared bit
//! by bit. If bits differ, both run again in the interpreter, with the origins of values: values that were computed as
//! floats may differ by a tolerance. A difference that remains is traced back to the instruction that made it, on each
//! side.
//!
//! | module | what it does |
//! |---|---|
//! | `pair`, `launches` | run a pair in worlds, or by a launch file |
//! | `compare` | what differs between two runs |
//! | `linking`, `variables` | pairs whose outputs, or whose variables, lie elsewhere |
//! | `interface` | whether inputs or outputs are others |
//! | `step`, `origin`, `trace` | a run instruction by instruction: where values come from, what was written |
//! | `resolve`, `align`, `culprit` | which differences count, and which instruction made the first |
//! | `text`, `markdown`, `junit`, `page` | results for people and for other programs |
#![deny(unsafe_code)]

mod align;
mod code;
mod compare;
mod culprit;
mod endless;
mod interface;
pub mod junit;
mod launches;
mod linking;
pub mod markdown;
mod origin;
pub mod page;
mod pair;
pub mod pairs;
mod resolve;
pub mod result;
pub mod run;
mod step;
pub mod text;
mod trace;
mod undef;
pub mod value;
mod variables;

pub use pair::DEFAULT_WORLDS;
