//! What the fuzz targets do with their bytes. The binaries in `fuzz_targets` hand them what libFuzzer makes up;
//! `tests/fuzz_inputs.rs` of the root crate hands them the files in `seeds` and `regress`.

pub mod decode;
pub mod files;
pub mod loader;
#[cfg(feature = "jit")]
pub mod run;
