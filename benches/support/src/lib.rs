//! The programs that the benchmarks compare gcnsim with: the same program, translated to C and compiled by the system's
//! `cc`.
//!
//! [`translate`] writes one C statement per decoded instruction of a scalar program. Registers, SCC and MODE are local
//! variables. Labels stand where jumps can arrive, and computed jumps are switches over those. Nothing is counted, and
//! no note is taken: this is the cost of the program without a simulator. [`native::compile`] makes a function of the
//! text. [`translate_segment`] and [`native::compile_segment`] do the same for a run of vector instructions.
//!
//! It is a third implementation of the instruction set, and shares only the decoder with the other two.
#![deny(unsafe_code)]

pub mod clock;
mod compare;
pub mod native;
mod registers;
mod scalar;
mod segment;
mod translate;

pub use segment::translate_segment;
pub use translate::{Untranslatable, translate};
