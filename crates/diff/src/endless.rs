//! The loop in which a wave used up its budget.

use gcnsim_engine::StoppedWave;
use gcnsim_flow::{direct_target, in_order};
use gcnsim_isa::Program;
use gcnsim_launches::lines::SourceLines;
use gcnsim_machine::Outcome;

use crate::result::{First, Hex};

/// A side of a pair whose outcomes differ.
pub(crate) struct Stopped<'a> {
    pub outcome: Option<Outcome>,
    pub wave: Option<&'a StoppedWave>,
    pub program: &'a Program,
    /// Number that is subtracted from an address of the program to get that of the file.
    pub moved: u64,
    pub lines: SourceLines,
}

/// Names the branch that turns in `first`, for each side that used up its budget in a loop.
pub(crate) fn name(first: &mut First, sides: [Stopped<'_>; 2]) {
    let [old, new] = sides.map(|side| {
        let is_endless = side.outcome == Some(Outcome::Budget);
        let at = side.wave.filter(|_| is_endless).and_then(|stopped| turn(side.program, stopped.wave.state.pc));
        let inst = at.and_then(|at| side.program.fetch(at).ok()).map(|inst| inst.to_string());
        let pc = at.map(|at| at.wrapping_sub(side.moved));
        (pc.map(Hex), inst, pc.and_then(|pc| side.lines.at(pc)))
    });
    (first.pc_old, first.inst_old, first.line_old) = old;
    (first.pc_new, first.inst_new, first.line_new) = new;
}

/// Returns the address of the branch that ends the smallest loop around `pc`.
fn turn(program: &Program, pc: u64) -> Option<u64> {
    let around = in_order(program, 0).filter_map(|site| {
        let target = direct_target(&site.inst, site.address)?;
        (target <= pc && pc <= site.address).then_some((site.address - target, site.address))
    });
    around.min().map(|(_, at)| at)
}

#[cfg(test)]
mod tests {
    use gcnsim_isa::Arch;

    use super::*;

    #[test]
    fn the_innermost_loop_is_named() {
        // 0: s_nop 0; 4: s_nop 0; 8: s_cbranch_scc1 4; 12: s_nop 0; 16: s_branch 0; 20: s_endpgm
        let words = [0xbf80_0000, 0xbf80_0000, 0xbf85_fffe, 0xbf80_0000, 0xbf82_fffb, 0xbf81_0000];
        let program = Program::from_words(Arch::Gcn14, &words);
        assert_eq!(
            [0, 4, 8, 12, 16, 20].map(|pc| turn(&program, pc)),
            [Some(16), Some(8), Some(8), Some(16), Some(16), None]
        );
    }
}
