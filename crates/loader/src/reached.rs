//! The instructions that a program reaches from its entry by direct jumps.

use gcnsim_flow::{Flow, Search, Through};
use gcnsim_isa::Program;

/// Most instructions that are found.
pub const MOST: usize = 1 << 20;

/// Returns what is reached from the program's entry by direct jumps. Where a jump has a computed target, the path ends;
/// after a call it goes on. (Worlds of one version depend on what this finds.) Dwords that do not decode end a path,
/// too. Of very large programs ([`MOST`]) a part is found.
pub fn reached(program: &Program) -> Flow {
    let mut search = Search::default();
    search.begin(program, Through::CALLS.and(Through::FORKS).and(Through::STOPS), MOST);
    search.follow(program, program.entry());
    search.into_flow()
}
