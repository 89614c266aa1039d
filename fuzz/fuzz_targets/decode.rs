//! Decoder, disassembler and encoder on any two dwords, for all generations.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| gcnsim_fuzz::decode::check(data));
