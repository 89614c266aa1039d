//! Any ioctls and packets of a device.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| gcnsim_fuzz::device::check(data));
