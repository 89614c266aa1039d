//! Any text as a launch file of hostile kernels, on both engines.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| gcnsim_fuzz::launch::check(data));
