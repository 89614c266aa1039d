//! Tails. A region of scalar code with loops has its code twice: unrolled, and once more as it is, the *tail*. Where
//! the first version has not fuel enough up to its next test, it goes on in the tail, and only the tail leaves the
//! region for lack of fuel:
//!
//! ```text
//! loop:  ... four rounds ...   fuel >= need? -> loop, else -> tail
//! tail:  ... one round ...     fuel >= need of the tail? -> tail, else -> exit
//! ```
//!
//! An exit stores the registers that are dirty there, temporary ones too, which the next round overwrites before it
//! reads them. In the tail they are computed for that. In the first version nobody needs them, so they take neither
//! registers of the host nor moves.

use gcnsim_isa::Kind;
use rustc_hash::FxHashMap;

use crate::region::{Edge, End, Plan};

/// Most instructions of a tail.
const MOST_INSTS: usize = 160;

impl Plan {
    /// Whether a tail is worth its time to compile: the code is short, has loops and scalar instructions only, and
    /// every way is known.
    pub(crate) fn wants_tail(&self) -> bool {
        let known = |end: &End| matches!(end, End::Goto(_) | End::Cond { .. } | End::Ended | End::Indirect { .. });
        let scalar = |kind: Kind| matches!(kind, Kind::Salu | Kind::Scmp | Kind::Branch | Kind::System);
        let mut insts = self.blocks.iter().flat_map(|block| &block.insts);
        self.blocks.iter().any(|block| block.is_header)
            && self.blocks.iter().all(|block| known(&block.end) && !block.end.is_computed())
            && insts.all(|(_, i)| scalar(i.desc().kind) && !i.desc().is_memory() && !i.writes().mode)
    }

    /// Adds a tail, which is a plan of the same code without copies of loops. Nothing changes if it is long, or if a
    /// header has no block there that takes any state.
    pub(crate) fn add_tail(&mut self, mut tail: Plan) {
        let first = self.blocks.len();
        let mut at: FxHashMap<u64, usize> = FxHashMap::default();
        for (i, block) in tail.blocks.iter().enumerate().filter(|(_, block)| block.plain) {
            at.insert(block.pc, i);
        }
        let enters = |&b: &usize| self.blocks[b].is_header || self.blocks[b].is_entry();
        let same: Option<Vec<(usize, usize)>> =
            (0..first).filter(enters).map(|b| Some((b, *at.get(&self.blocks[b].pc)?))).collect();
        let Some(same) = same.filter(|_| tail.inst_count <= MOST_INSTS && tail.wants_tail()) else { return };
        for (b, twin) in same {
            self.blocks[b].tail = Some(first + twin);
            tail.blocks[twin].enter();
        }
        for block in &mut tail.blocks {
            block.end.edges_mut(|to| *to += first);
        }
        self.inst_count += tail.inst_count;
        self.append(tail);
        self.find_needs_before_tail();
    }

    /// Finds the needs of the blocks before the tail. Each test must leave the fuel that the tail needs there.
    fn find_needs_before_tail(&mut self) {
        let (order, end) = (self.inner_first(), self.tail_start());
        for b in order.into_iter().filter(|&b| b < end) {
            let rest = |s: usize| match self.blocks[s].tail {
                Some(tail) if self.is_tested(b, s) => self.blocks[tail].need,
                _ => self.blocks[s].need,
            };
            let longest = self.direct_successors(b).map(rest).max().unwrap_or(0);
            self.blocks[b].need = self.blocks[b].insts.len() as u32 + longest;
        }
    }

    /// The block of the tail where control goes from block `from` if there is not fuel enough for its successor `to`.
    pub(crate) fn tail_after(&self, from: usize, to: usize) -> Option<usize> {
        self.blocks[to].tail.filter(|_| self.is_tested(from, to))
    }
}

impl End {
    /// Calls a function for the number of each block that an edge leads to.
    fn edges_mut(&mut self, mut change: impl FnMut(&mut usize)) {
        let mut edge = |edge: &mut Edge| {
            if let Edge::Block(to) = edge {
                change(to);
            }
        };
        match self {
            End::Goto(next) | End::Join { next } | End::Barrier(next) => edge(next),
            End::Cond { taken, next } => [taken, next].into_iter().for_each(edge),
            End::Fork { target, next } => {
                target.iter_mut().for_each(|(target, _)| edge(target));
                edge(&mut next.0);
            }
            End::Indirect { known } => known.iter_mut().flatten().for_each(change),
            End::Ended | End::Halted(_) => {}
        }
    }
}
