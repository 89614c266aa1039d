//! How gcnsim is checked: conformance vectors, random programs, and both engines on them.
#![deny(unsafe_code)]

#[cfg(feature = "jit")]
pub mod fuzz;
pub mod generate;
pub mod vectors;
