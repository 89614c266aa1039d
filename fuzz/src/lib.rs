//! The code of the fuzz targets. The binaries in `fuzz_targets` pass it the bytes that libFuzzer makes up.
//! `tests/fuzz_inputs.rs` of the root crate passes it the files in `seeds` and `regress`.

pub mod decode;
pub mod files;
pub mod loader;
#[cfg(feature = "jit")]
pub mod run;
