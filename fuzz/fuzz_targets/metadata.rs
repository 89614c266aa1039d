//! Any bytes as the metadata of a code object, and launches by it.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| gcnsim_fuzz::metadata::check(data));
