//! What GCN code runs on: a [`Wave`] with its scalar state, its vector registers and what it has done so far. Both
//! engines work on it. No semantics: those are written twice, in the interpreter and in the lowerings.
#![forbid(unsafe_code)]

mod vgprs;
mod wave;

pub use vgprs::VgprFile;
pub use wave::{ClassCounts, Wave};
