//! What GCN code runs on: a [`Wave`] with its scalar state, its vector registers and what it has done so far, and the
//! [`Context`] that it runs in, guest memory and LDS. Both engines work on these. No semantics: those are written
//! twice, in the interpreter and in the lowerings.
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
pub use space::{Access, Mapping, Near, Space, canonical};
pub use vgprs::VgprFile;
pub use wave::{ClassCounts, Wave};
