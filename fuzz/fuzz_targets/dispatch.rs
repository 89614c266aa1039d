//! Any bytes as a kernel in a small dispatch, on both engines.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| gcnsim_fuzz::dispatch::check(data));
