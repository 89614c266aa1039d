//! Any registers of a dispatch, on both engines.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| gcnsim_fuzz::registers::check(data));
