//! The instructions that a program reaches from its entry by direct branches, and its end.

use gcnsim_isa::{Flow, Inst, Program};

use crate::codemap::direct_target;

/// Most instructions that are found.
pub const MOST: usize = 1 << 20;

/// Returns the instructions that are reached from the program's entry by fallthrough and direct branches, with the
/// indices of their first dwords, in the order of their addresses. Where a jump's target is unknown, the path ends;
/// after a call it goes on. Dwords that do not decode end a path, too. Of very large programs ([`MOST`]) a part is
/// found.
pub fn reached(program: &Program) -> Vec<(usize, Inst)> {
    let mut seen = vec![false; program.word_count()];
    let mut found = Vec::new();
    let mut work: Vec<usize> = program.word_index(program.entry()).into_iter().collect();
    while let Some(mut index) = work.pop() {
        while seen.get(index) == Some(&false) && found.len() < MOST {
            seen[index] = true;
            let Ok(inst) = program.decode_word(index) else { break };
            let target = direct_target(&inst, program.address(index));
            work.extend(target.and_then(|pc| program.word_index(pc)));
            found.push((index, inst));
            if matches!(inst.flow(), Flow::End | Flow::Branch | Flow::Indirect) {
                break;
            }
            index += inst.size() as usize / 4;
        }
    }
    found.sort_by_key(|(index, _)| *index);
    found
}
