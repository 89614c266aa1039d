//! The machine that GCN code runs on. A [`Wave`] has scalar state, vector registers and counters. It runs in a
//! [`Context`] with guest memory and LDS. Both engines work on these types. What instructions do is not here: it is
//! written twice, in the interpreter and in the lowerings.
#![deny(unsafe_code)]

mod backing;
mod context;
mod journal;
mod keeper;
mod lanes;
mod lds;
mod marks;
mod observed;
pub mod outcome;
mod peripheral;
mod snapshot;
mod space;
pub mod threads;
mod vgprs;
mod wave;
pub mod world;

pub use backing::Backing;
pub use context::{Apertures, Context, MemoryFault};
pub use journal::{Differing, Journal, Place, Write};
pub use keeper::BackingSnapshot;
pub use lanes::Elements;
pub use lds::Lds;
pub use marks::{Grain, LazyMarks, Marks, Meeting};
pub use observed::{Export, Message, Observed};
pub use outcome::{Detail, MEMORY, Outcome};
pub use peripheral::{Answers, Peripheral, SharedPeripheral};
pub use snapshot::Snapshot;
pub use space::{Access, Guess, Mapping, Near, SharedStores, Space, canonical, pc_at};
pub use vgprs::VgprFile;
pub use wave::{ClassCounts, Wave};
