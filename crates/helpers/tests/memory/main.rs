//! Tests of the helpers of memory instructions on each level of the CPU. Expected values come from docs/gcn.

mod buffer;
mod ds;
mod ds_atomics;
mod flat;
mod image;
mod memory_machine;
mod memory_support;
mod scalar;
