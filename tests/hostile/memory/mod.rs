//! Memory instructions with wild operands: addresses, descriptors, offsets, LDS. Every engine, on every level of
//! kernels, with segments and without, gives what the notes say, and nobody touches bytes outside the mappings.

mod addresses;
mod buffers;
mod shares;
mod ways;
mod words;
