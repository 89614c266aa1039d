//! Helpers of vector instructions: each level of the CPU against formulas, exact arithmetic and the other levels.

mod compares;
mod float;
mod forms;
mod integers;
mod levels;
mod valu_support;
