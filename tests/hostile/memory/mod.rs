//! Memory instructions with wild operands: addresses, descriptors, offsets, LDS. Every engine, with every level of
//! helpers, with and without segments, has the result that the documents on GCN state. No engine touches bytes outside
//! the mappings.

mod addresses;
mod buffers;
mod images;
mod shares;
mod ways;
mod words;
