//! A fixed piece of work whose time says how fast the machine is at the moment.
//!
//! With `--repeat` it is measured beside the shaders and written into the results. `compare` divides by it, so that a machine
//! that was slower on the day of one of the runs (clock, neighbours) is not taken for a slower simulator.

use std::hint::black_box;
use std::time::Instant;

/// Steps of the work; about 20 us.
const STEPS: u32 = 10_000;

/// Nanoseconds that the work takes now: the best of three, since what disturbs it only ever adds.
pub fn measure() -> u64 {
    (0..3).map(|_| once()).min().unwrap_or_default()
}

fn once() -> u64 {
    let start = Instant::now();
    let mut x = black_box(0x9e37_79b9_7f4a_7c15u64);
    // A chain of multiplications, shifts and unpredictable selects, like the steps of an interpreter.
    for _ in 0..STEPS {
        x = x.wrapping_mul(0xd120_0000_0000_1001 | 1) ^ (x >> 29);
        if x & 8 != 0 {
            x = x.rotate_left(17);
        }
    }
    black_box(x);
    start.elapsed().as_nanos() as u64
}
