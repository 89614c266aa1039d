//! What the benchmarks compare gcnsim with: the same program translated to C and compiled by the system's `cc -O2`.
//!
//! [`translate`] writes one C statement per decoded instruction; registers, SCC and MODE are local variables, labels
//! stand where jumps can arrive, computed jumps are switches over those. Nothing is counted and no note is taken:
//! this is what the program costs without a simulator. [`native::compile`] makes a function of the text.
//!
//! It is a third implementation of the instruction set and shares nothing with the other two but the decoder.
#![deny(unsafe_code)]

pub mod clock;
mod compare;
pub mod native;
mod registers;
mod scalar;
mod translate;

pub use translate::{Untranslatable, translate};
