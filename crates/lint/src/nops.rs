//! Rules about S_NOP: whether one is needed, and whether enough of them follow S_ICACHE_INV.

use gcnsim_flow::Block;
use gcnsim_isa::{Flow, Sopp};

use crate::facts::Kind;
use crate::state::{Recent, State};
use crate::walk::{MOST_STATES, Walk};

/// Number of S_NOP that S_ICACHE_INV needs behind it.
const BEHIND_INVALIDATE: usize = 16;

/// Whether a rule needs the wait states of the S_NOP `i`, or may need them behind code that is not seen. `state` is the
/// state before it.
pub(crate) fn is_needed(walk: &Walk<'_>, state: &State, i: u32, may_replay: bool) -> bool {
    let (insts, block) = (&walk.code.insts, &walk.code.blocks[walk.code.block_of(i)]);
    let kind = |at: u32| insts[at as usize].kind;
    let is_between = i > block.first && i + 1 < block.end && kind(i - 1) == kind(i + 1);
    if may_replay && is_between && matches!(kind(i - 1), Kind::Smem | Kind::Vmem) {
        return true;
    }
    let mut before = (block.first..i).rev().take(BEHIND_INVALIDATE).map(|at| insts[at as usize].sopp());
    if before.find(|sopp| *sopp != Some(Sopp::SNop)) == Some(Some(Sopp::SIcacheInv)) {
        return true;
    }
    !state.recent.is_empty() && meets(walk, block, i + 1, 0, state.recent.clone())
}

/// Whether an instruction of the block from `first` on, `passed` wait states behind the S_NOP, needs wait states behind
/// one of the producers. The search ends where no producer matters any more, so that it has few paths.
fn meets(walk: &Walk<'_>, block: &Block, first: u32, mut passed: u8, mut recent: Vec<Recent>) -> bool {
    let insts = &walk.code.insts;
    for facts in &insts[first as usize..block.end as usize] {
        let needs = |recent: &Recent| {
            let rules = walk.active.states.iter().enumerate();
            let mut both = rules.filter(|(bit, _)| recent.rules & facts.consumes & (1 << bit) != 0);
            both.any(|(_, rule)| {
                let mut produced = insts[recent.inst as usize].produced(rule.producer);
                produced.sgprs &= recent.sgprs;
                let is_near = recent.distance + passed < rule.states;
                is_near && !produced.and(&facts.consumed(rule.consumer)).is_empty()
            })
        };
        if recent.iter().any(needs) {
            return true;
        }
        passed += facts.states;
        recent.retain_mut(|recent| {
            recent.sgprs &= !facts.writes.sgprs;
            recent.distance + passed < MOST_STATES
        });
        if recent.is_empty() {
            return false;
        }
    }
    let Some(last) = insts.get(block.end as usize - 1) else { return true };
    let is_end = matches!(last.inst.flow(), Flow::End);
    // Any code may follow calls and jumps that cannot be followed.
    let is_unseen = matches!(last.inst.flow(), Flow::Call | Flow::SwapPc) || block.next.or(block.jump).is_none();
    if is_end || is_unseen {
        return !is_end;
    }
    let mut following = [block.next, block.jump].into_iter().flatten();
    following.any(|to| {
        let to = &walk.code.blocks[to as usize];
        meets(walk, to, to.first, passed, recent.clone())
    })
}

/// Whether 16 S_NOP or a jump follow the instruction `i`.
pub(crate) fn is_safe_behind(walk: &Walk<'_>, i: u32) -> bool {
    let code = walk.code;
    let (mut block, mut at, mut count) = (&code.blocks[code.block_of(i)], i + 1, 0);
    loop {
        if at == block.end {
            let Some(next) = block.next else { return true };
            block = &code.blocks[next as usize];
            at = block.first;
        }
        let facts = &code.insts[at as usize];
        match facts.sopp() {
            Some(Sopp::SNop) => count += 1,
            Some(Sopp::SWaitcnt) => {}
            _ => return !matches!(facts.inst.flow(), Flow::Next),
        }
        if count == BEHIND_INVALIDATE {
            return true;
        }
        at += 1;
    }
}
