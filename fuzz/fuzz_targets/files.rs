//! Files that are text: states, vectors, sidecars, ledgers, batch results. Any bytes are taken or refused, and what is
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| gcnsim_fuzz::files::check(data));
