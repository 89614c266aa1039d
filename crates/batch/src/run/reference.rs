//! A fixed piece of work. Its time says how fast the machine is at the moment.
//!
//! With `--repeat` this time is measured beside the shaders and written into the results. `compare` divides by it, so
//! that a slow machine (clock, neighbours on the same core) is not taken for a slow simulator. The work is a little
//! interpreter, so that disturbances slow it down as they slow down the real one: it has unpredictable jumps, loads and
//! stores that hit the nearest cache, and several instructions a cycle.

use std::hint::black_box;
use std::time::Instant;

/// Number of steps of the work, which take some 20 us in total.
const STEPS: usize = 6_000;
const PROGRAM: usize = 512;

/// Returns the time of the work in nanoseconds: the median of three measurements.
pub fn measure() -> u64 {
    let mut times = [(); 3].map(|()| once());
    times.sort_unstable();
    times[1]
}

fn once() -> u64 {
    let program: [u32; PROGRAM] = std::array::from_fn(|i| (i as u32 + 1).wrapping_mul(0x9e37_79b1).rotate_left(11));
    let program = black_box(program);
    let mut registers = [1u32; 64];
    let start = Instant::now();
    for step in 0..STEPS {
        let word = program[step % PROGRAM];
        let (a, b, to) = (word as usize >> 8 & 63, word as usize >> 14 & 63, word as usize >> 20 & 63);
        let (a, b) = (registers[a], registers[b]);
        registers[to] = match word & 7 {
            0 => a.wrapping_add(b),
            1 => a.wrapping_sub(b),
            2 => a & b | 1,
            3 => a | b << 1,
            4 => a ^ b,
            5 => a.wrapping_mul(b | 1),
            6 => a.rotate_left(b & 31),
            _ => u32::from(a < b),
        };
    }
    let elapsed = start.elapsed();
    black_box(registers);
    elapsed.as_nanos() as u64
}
