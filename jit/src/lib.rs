//! The Cranelift engine of gcnsim: it compiles regions of GCN code to host code.
//!
//! A [`Compiler`] turns the code that is reachable from an address ([`region::Plan`]) into one native function
//! ([`Region`]), which works on a [`WaveState`](gcnsim_isa::WaveState). Inside it scalar registers are SSA values.
//! Moves of one lane are inline. Other vector instructions are calls of [`helpers`]; with AVX-512 or AVX2, runs of them
//! are one piece of host code (a *segment*, `segments`).
#![deny(unsafe_code)]

pub mod abi;
pub mod cache;
mod code;
mod compile;
mod contexts;
mod dataflow;
mod discover;
mod explain;
mod lower;
mod placement;
pub mod region;
mod regs;
#[cfg(target_arch = "x86_64")]
pub mod segments;
mod special;

pub use abi::{ExitCode, Frame, MAX_CLASS_FUEL};
pub use compile::{
    CompileOptions, Compiler, Entry, EqualMaxima, FLOAT_MODE, JitError, MANY_WAVES, MAX_REGION, Modes, Region,
    RegionKey, Stay, Turn, Turns, has_equal_max, is_special_mode,
};
pub use explain::{Listing, Part, SegmentInst, SegmentListing};
pub use gcnsim_helpers as helpers;
pub use gcnsim_helpers::memory;

use gcnsim_isa::{Opcode, Pred};

/// How compiled code executes an instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Support {
    /// The code has host instructions for it.
    Inline,
    /// It calls a host function from inside the region.
    Call,
    /// The region is left before the instruction.
    None,
}

/// Returns how compiled code executes instructions with `opcode`.
pub fn support(opcode: Opcode) -> Support {
    let desc = opcode.desc();
    match () {
        () if !opcode.is_executed() => Support::None,
        () if desc.is_memory() => Support::Call,
        () if is_constant(opcode) => Support::Inline,
        () if lower::is_call(opcode) => Support::Call,
        () => Support::Inline,
    }
}

/// Whether `opcode` is a compare whose result does not depend on its operands: V_CMP_F and V_CMP_TRU.
fn is_constant(opcode: Opcode) -> bool {
    matches!(opcode, Opcode::Vopc(op) if matches!(op.cmp().pred, Pred::F | Pred::Tru))
}
