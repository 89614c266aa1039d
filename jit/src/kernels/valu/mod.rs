//! Kernels of the vector ALU: VOP1, VOP2, VOP3 and VOP3P over the 64 lanes of a wave.
//!
//! # Lane functions
//!
//! One function per instruction computes one lane; the machinery makes kernels of it. Their shapes:
//!
//! - integers, bits, moves: `fn v_xxx(c: &LaneControl, s0: T, s1: T, s2: T) -> R`;
//! - floats: `fn v_xxx(m: &FloatMode, s0: T, .., notes: &mut u32) -> R`.
//!
//! `T` and `R` are `u16`, `u32`, `u64` or `[u32; 4]`: binary16 is `u16` bits, binary64 `u64` bits. An accumulator (the
//! old destination) is the last source. A lane mask that is read is a `bool` after the sources. With a mask result
//! besides the value `R` is `(value, bool)`. `notes` has bits of [`notes`].

pub mod float;
pub mod notes;
