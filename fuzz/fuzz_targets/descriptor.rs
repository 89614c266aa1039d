//! Any descriptor of a kernel, on both engines.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| gcnsim_fuzz::descriptor::check(data));
