//! Files: the corpus, conformance vectors, loaders, and inputs that made fuzz targets fail.
#![cfg(all(feature = "cli", feature = "jit"))]

#[path = "../common/mod.rs"]
mod common;
#[path = "../../fuzz/src/lib.rs"]
mod targets;

mod containers;
mod corpus;
mod fuzz_inputs;
mod loader_elf;
mod loader_relocations;
mod vectors;
