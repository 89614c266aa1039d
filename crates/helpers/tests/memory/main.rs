//! Helpers of memory instructions against plain definitions, on each level of the CPU.

mod buffer;
mod ds;
mod ds_atomics;
mod flat;
mod image;
mod memory_machine;
mod memory_support;
mod scalar;
