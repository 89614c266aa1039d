//! The machine that GCN code runs on. A [`Wave`] has its scalar state, its vector registers and its counters. It runs
//! in a [`Context`] with guest memory and LDS. Both engines work on these. What instructions do is not here: it is
//! written twice, in the interpreter and in the lowerings.
#![deny(unsafe_code)]

mod context;
mod journal;
mod segment;
mod space;
mod vgprs;
mod wave;

pub use context::{Apertures, Context, MemoryFault};
pub use journal::{Differing, Journal, Place, Write};
pub use segment::Segment;
pub use space::{Access, Guess, Mapping, Near, Space, canonical};
pub use vgprs::VgprFile;
pub use wave::{ClassCounts, Wave};
