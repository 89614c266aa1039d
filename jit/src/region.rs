//! The plan of a region: the instructions that make it up, and how control moves between its blocks.
//!
//! A region holds every block reachable from its entry (`discover.rs` finds them), up to a cap on instructions. Edges
//! to anything else leave the region with the PC set. The same code may be in several blocks, one for each site that
//! calls it.
//!
//! Fuel: blocks that a backward edge (in depth-first order) enters are *headers*. On backward edges compiled code
//! compares its remaining fuel with the header's [`Block::need`], the most instructions that can execute before the
//! next such test, and leaves if there is less; the caller does the same when it enters the region. So a region never
//! exceeds its fuel, and tests it once per loop iteration only. A region can be entered at its headers, too.

use std::collections::HashMap;

use gcnsim_isa::Inst;

/// A computed jump that a program took.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Jump {
    /// Address of the instruction.
    pub from: u64,
    /// Address that it went to.
    pub to: u64,
}

/// The destination of an edge.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Edge {
    /// To a block of the region, by index.
    Block(usize),
    /// Out of the region, to an address.
    Leave(u64),
}

/// The end of a block. It is decided by the block's last instruction.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum End {
    /// On to one place: fallthrough, direct branch or call, computed jump to an address that is certain.
    Goto(Edge),
    /// Conditional branch.
    Cond {
        /// The edge if the condition holds.
        taken: Edge,
        /// The edge if it does not.
        next: Edge,
    },
    /// To a computed address (S_SETPC, S_SWAPPC, S_RFE).
    Indirect {
        /// Blocks at the only addresses that it is expected to go to, likeliest first; `None`: any of
        /// [`Plan::targets`].
        known: Option<Vec<usize>>,
    },
    /// S_CBRANCH_G_FORK and S_CBRANCH_I_FORK.
    Fork {
        /// The direct target (I_FORK) and its address.
        target: Option<(Edge, u64)>,
        /// The next instruction and its address.
        next: (Edge, u64),
    },
    /// S_CBRANCH_JOIN.
    Join {
        /// The next instruction.
        next: Edge,
    },
    /// S_BARRIER: the region is left, and the wave goes on later, at the next instruction. The edge leads there;
    /// control does not follow it, but the region can be entered at its end.
    Barrier(Edge),
    /// S_ENDPGM.
    Ended,
    /// S_SETHALT 1, S_SENDMSGHALT: the wave stops with PC at the address.
    Halted(u64),
}

impl End {
    /// Whether the block ends in a jump that may go to any of [`Plan::targets`].
    pub fn is_computed(&self) -> bool {
        match self {
            End::Indirect { known } => known.is_none(),
            End::Fork { target, .. } => target.is_none(),
            End::Join { .. } => true,
            End::Goto(_) | End::Cond { .. } | End::Barrier(_) | End::Ended | End::Halted(_) => false,
        }
    }
}

/// A basic block.
#[derive(Clone, Debug)]
pub struct Block {
    /// Address of the first instruction.
    pub pc: u64,
    /// Instructions with their addresses; never empty.
    pub insts: Vec<(u64, Inst)>,
    /// The end of the block.
    pub end: End,
    /// Whether a backward edge leads to the block.
    pub is_header: bool,
    /// The most instructions that can execute from the start of this block to the next fuel test or exit.
    pub need: u32,
    /// Position of the block in the order in which depth-first search leaves blocks.
    postorder: u32,
    /// Whether the conditional branch or computed jump at the end was seen to be easy to predict.
    pub(crate) predictable: bool,
    /// Whether the block starts inside an instruction (note `jump-into-literal`).
    pub interior: bool,
    /// Whether the block has no context. Of several blocks at an address it is the one where the region is entered.
    pub(crate) plain: bool,
    /// Whether the block assumes known values of registers.
    pub(crate) believes: bool,
    /// The edge of the block's computed jump, if the assumed values are right.
    pub(crate) certain: Option<Edge>,
    is_entry: bool,
}

impl Block {
    /// A block with its code and edges. [`Plan::new`] sets the other fields.
    pub(crate) fn new(pc: u64, insts: Vec<(u64, Inst)>, end: End, interior: bool) -> Block {
        Block {
            pc,
            insts,
            end,
            is_header: false,
            need: 0,
            postorder: 0,
            predictable: false,
            interior,
            plain: true,
            believes: false,
            certain: None,
            is_entry: false,
        }
    }

    /// Whether the region can be entered at the block.
    pub fn is_entry(&self) -> bool {
        self.is_entry
    }
}

/// The blocks of a region; block 0 is the entry.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Blocks, entry first.
    pub blocks: Vec<Block>,
    /// Blocks that computed jumps may reach, by address: return sites, address-taken labels, fork targets.
    pub targets: Vec<usize>,
    /// Number of instructions.
    pub inst_count: usize,
}

impl Plan {
    /// A plan of blocks, entry first, all of which can be reached.
    pub(crate) fn new(blocks: Vec<Block>, targets: Vec<usize>) -> Plan {
        let inst_count = blocks.iter().map(|b| b.insts.len()).sum();
        let mut plan = Plan { blocks, targets, inst_count };
        let postorder = plan.find_headers();
        plan.find_needs(&postorder);
        plan.find_entries();
        plan.settle();
        plan
    }

    /// Marks the conditional branches and computed jumps at the addresses of an ordered list as easy to predict.
    pub(crate) fn predict(&mut self, predictable: &[u64]) {
        if predictable.is_empty() {
            return;
        }
        for block in &mut self.blocks {
            let branch = block.insts.last().filter(|_| matches!(block.end, End::Cond { .. } | End::Indirect { .. }));
            block.predictable = branch.is_some_and(|(pc, _)| predictable.binary_search(pc).is_ok());
        }
    }

    /// Makes computed jumps direct whose targets are certain. A target is doubtful in a block that assumes values of
    /// registers and can be entered from outside the region, and in blocks that take the values over from it.
    fn settle(&mut self) {
        let mut doubtful = vec![false; self.blocks.len()];
        let mut queue: Vec<usize> = self.entries().filter(|&b| self.blocks[b].believes).collect();
        while let Some(b) = queue.pop() {
            if !std::mem::replace(&mut doubtful[b], true) {
                queue.extend(self.direct_successors(b).filter(|&s| self.blocks[s].believes));
            }
        }
        for (block, _) in self.blocks.iter_mut().zip(doubtful).filter(|(_, doubtful)| !doubtful) {
            if let Some(edge) = block.certain {
                block.end = End::Goto(edge);
            }
        }
    }

    /// The blocks after barriers, by index.
    fn resumed(&self) -> impl Iterator<Item = usize> + '_ {
        self.blocks
            .iter()
            .filter_map(|block| if let End::Barrier(Edge::Block(next)) = block.end { Some(next) } else { None })
    }

    /// Finds the entries: the first block, and one block of each address where a header or a block behind a barrier
    /// lies.
    fn find_entries(&mut self) {
        let mut at: HashMap<u64, usize> = HashMap::new();
        let resumed: Vec<usize> = self.resumed().collect();
        let is_candidate = |i: usize, block: &Block| block.is_header || resumed.contains(&i);
        for (i, block) in self.blocks.iter().enumerate().filter(|&(i, block)| is_candidate(i, block)) {
            let best = at.entry(block.pc).or_insert(i);
            if block.plain {
                *best = i;
            }
        }
        at.insert(self.blocks[0].pc, 0);
        at.into_values().for_each(|i| self.blocks[i].is_entry = true);
    }

    /// Blocks at which the region may be entered: the first, then headers and blocks behind barriers at other
    /// addresses.
    pub fn entries(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.blocks.len()).filter(|&i| self.blocks[i].is_entry)
    }

    /// Whether fuel is tested on the way from block `from` to its successor `to`: on backward edges, and on computed
    /// jumps to any header (they may share their code).
    pub fn is_tested(&self, from: usize, to: usize) -> bool {
        let computed = self.blocks[from].end.is_computed();
        let backward = self.blocks[to].postorder >= self.blocks[from].postorder;
        self.blocks[to].is_header && (backward || computed)
    }

    /// Blocks of the region that direct edges lead to from block `b`. After a [computed](End::is_computed) end all of
    /// [`Plan::targets`] may follow besides; they are not listed here, for jumps times targets may be very many.
    pub fn direct_successors(&self, b: usize) -> impl DoubleEndedIterator<Item = usize> + '_ {
        let (edges, known) = match &self.blocks[b].end {
            End::Goto(e) | End::Join { next: e } => ([Some(*e), None], &[][..]),
            End::Cond { taken, next } => ([Some(*taken), Some(*next)], &[][..]),
            End::Indirect { known } => ([None, None], known.as_deref().unwrap_or_default()),
            End::Fork { target, next } => ([target.map(|(t, _)| t), Some(next.0)], &[][..]),
            End::Barrier(_) | End::Ended | End::Halted(_) => ([None, None], &[][..]),
        };
        let inside = |e| if let Edge::Block(i) = e { Some(i) } else { None };
        edges.into_iter().flatten().filter_map(inside).chain(known.iter().copied())
    }

    /// Whether no instruction of the region is executed again by the wave that executed it: control only goes on to
    /// higher addresses, and does not leave before the program ends.
    pub(crate) fn is_straight(&self) -> bool {
        let goes_on = |block: &Block, edge: Edge| matches!(edge, Edge::Block(to) if self.blocks[to].pc > block.pc);
        self.blocks.iter().all(|block| match block.end {
            End::Goto(edge) | End::Barrier(edge) => goes_on(block, edge),
            End::Cond { taken, next } => goes_on(block, taken) && goes_on(block, next),
            End::Ended => true,
            End::Indirect { .. } | End::Fork { .. } | End::Join { .. } | End::Halted(_) => false,
        })
    }

    /// All blocks, each after the blocks that edges lead to from it, except backward edges.
    pub(crate) fn inner_first(&self) -> Vec<usize> {
        let mut blocks: Vec<usize> = (0..self.blocks.len()).collect();
        blocks.sort_unstable_by_key(|&b| self.blocks[b].postorder);
        blocks
    }

    /// Marks the targets of backward edges as headers, by a depth-first search from the entry and then from what is
    /// behind barriers. Returns the blocks in postorder.
    fn find_headers(&mut self) -> Vec<usize> {
        #[derive(Clone, Copy, PartialEq)]
        enum Colour {
            New,
            Open,
            Done,
        }
        /// A block that is being visited, with the direct edges that are still to follow.
        struct Visit {
            block: usize,
            computed: bool,
            edges: Vec<usize>,
        }
        let mut is_target = vec![false; self.blocks.len()];
        self.targets.iter().for_each(|&t| is_target[t] = true);
        let mut colour = vec![Colour::New; self.blocks.len()];
        let mut postorder = Vec::with_capacity(self.blocks.len());
        // All computed jumps have the same targets. A target that one jump has followed is not new to the others, so
        // all share the list of targets that are left. A target that is being visited when a computed jump is reached
        // is a header.
        let mut targets_left = self.targets.clone();
        let mut open_targets = Vec::new();
        let mut stack = Vec::new();
        let mut roots: Vec<usize> = std::iter::once(0).chain(self.resumed()).collect();
        roots.reverse();
        let mut next = None;
        loop {
            while next.is_none() && stack.is_empty() {
                let Some(root) = roots.pop() else { break };
                next = (colour[root] == Colour::New).then_some(root);
            }
            if let Some(b) = next.take() {
                colour[b] = Colour::Open;
                if is_target[b] {
                    open_targets.push(b);
                }
                let computed = self.blocks[b].end.is_computed();
                if computed {
                    open_targets.drain(..).for_each(|t| self.blocks[t].is_header = true);
                }
                stack.push(Visit { block: b, computed, edges: self.direct_successors(b).collect() });
            }
            let Some(visit) = stack.last_mut() else { break };
            let target = if visit.computed { targets_left.pop() } else { None };
            match target.or_else(|| visit.edges.pop()) {
                Some(s) => match colour[s] {
                    Colour::New => next = Some(s),
                    Colour::Open => self.blocks[s].is_header = self.blocks[s].is_header || target.is_none(),
                    Colour::Done => {}
                },
                None => {
                    colour[visit.block] = Colour::Done;
                    postorder.push(visit.block);
                    if open_targets.last() == Some(&visit.block) {
                        open_targets.pop();
                    }
                    stack.pop();
                }
            }
        }
        for (position, &b) in postorder.iter().enumerate() {
            self.blocks[b].postorder = position as u32;
        }
        postorder
    }

    /// Computes [`Block::need`]. In `postorder` the successors of a block come before it, except headers.
    fn find_needs(&mut self, postorder: &[usize]) {
        // The longest way from a target that is no header. In postorder all these targets come before the first block
        // with a computed jump, so their needs are known there.
        let mut after_computed = None;
        for &b in postorder {
            let rest = self.direct_successors(b).filter(|&s| !self.is_tested(b, s)).map(|s| self.blocks[s].need);
            let mut longest = rest.max().unwrap_or(0);
            if self.blocks[b].end.is_computed() {
                let untested = || self.targets.iter().map(|&t| &self.blocks[t]).filter(|t| !t.is_header);
                let most = *after_computed.get_or_insert_with(|| untested().map(|t| t.need).max().unwrap_or(0));
                longest = longest.max(most);
            }
            self.blocks[b].need = self.blocks[b].insts.len() as u32 + longest;
        }
    }
}
