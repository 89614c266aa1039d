//! Any bytes as a file: raw code, ELF code objects, offload bundles, tar archives of them. What is found in them can be
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| gcnsim_fuzz::loader::check(data));
