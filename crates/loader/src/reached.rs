//! The instructions that a program reaches from its entry.

use gcnsim_flow::{Flow, Through};
use gcnsim_isa::Program;

/// Most instructions that are found.
pub const MOST: usize = 1 << 20;

/// Returns what is reached from the program's entry. Where a jump's target is unknown, the path ends; after a call it
/// goes on. Dwords that do not decode end a path, too. Of very large programs ([`MOST`]) a part is found.
pub fn reached(program: &Program) -> Flow {
    Flow::of(program, Through::CALLS.and(Through::FORKS).and(Through::STOPS), MOST)
}
