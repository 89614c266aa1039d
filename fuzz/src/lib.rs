//! The code of the fuzz targets. The binaries in `fuzz_targets` pass it the bytes that libFuzzer makes up.
//! `tests/files/fuzz_inputs.rs` of the root crate passes it the files in `seeds` and `regress`.

pub mod decode;
#[cfg(feature = "jit")]
pub mod descriptor;
#[cfg(all(feature = "jit", target_os = "linux"))]
pub mod device;
#[cfg(feature = "jit")]
pub mod dispatch;
#[cfg(feature = "jit")]
pub mod dispatches;
pub mod files;
#[cfg(feature = "jit")]
pub mod launch;
pub mod loader;
#[cfg(feature = "jit")]
pub mod metadata;
#[cfg(feature = "jit")]
pub mod registers;
#[cfg(feature = "jit")]
pub mod run;
