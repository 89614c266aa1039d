//! Any bytes as a program in any state, with a budget, on both engines: same state, count, notes and outcome.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| gcnsim_fuzz::run::check(data));
