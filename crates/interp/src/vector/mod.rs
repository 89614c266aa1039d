//! Vector instructions: the parts that are the same for all of them.
//!
//! An instruction is a function over the values of one lane, in the module of its encoding (`vop1`, `vop2`, `vop3`,
//! `vop3p`; compares are in `lanes` and `class`). [`op`] predecodes it, and [`body`] makes a loop over 64 lanes of it.
//! [`drive`] executes that: it fetches sources, moves them between lanes ([`dpp`]), selects parts and changes signs
//! ([`stage`]), modifies results ([`output`]), puts them into part of a register ([`merge`]) and writes what EXEC
//! allows. Instructions that are not a loop over lanes are in [`special`]. [`interpolation`] fetches sources that lie
//! in LDS.
//!
//! Nothing here fails: registers that a wave does not have read as v0 and are not written.

pub(super) mod body;
mod compare;
mod dpp;
mod drive;
pub(super) mod interpolation;
pub(super) mod lane;
mod merge;
pub(super) mod op;
mod output;
pub(super) mod special;
pub(super) mod stage;
#[cfg(test)]
mod tests;
