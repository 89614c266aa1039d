//! The clock of the device.

use rustix::time::{ClockId, clock_gettime};

/// Frequency of the clock in kHz, as drivers of the render node are told.
pub const FREQUENCY: u32 = 100_000;

/// Returns the time in nanoseconds.
pub fn now() -> u64 {
    let time = clock_gettime(ClockId::MonotonicRaw);
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

/// Returns the time in ticks of [`FREQUENCY`].
pub fn ticks() -> u64 {
    now() / (1_000_000 / u64::from(FREQUENCY))
}
