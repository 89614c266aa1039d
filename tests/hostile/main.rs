//! Hostile guests and objects: each has a defined outcome, the same on both engines.
#![cfg(all(feature = "cli", feature = "jit"))]

#[path = "../common/agree.rs"]
mod agree;
#[path = "../common/instructions.rs"]
mod instructions;

mod dispatch;
mod links;
mod memory;
mod objects;
mod registers;
mod words;
