//! Which instructions make up a region, and how control moves between its blocks.
//!
//! A region holds every block reachable from its entry by direct branches, fallthrough, call return sites and
//! address-taken labels (addresses that code computes from S_GETPC_B64), up to a cap on instructions. Edges to
//! anything else leave the region with the PC set.
//!
//! Fuel: blocks that a backward edge (in depth-first order) enters are *headers*. On backward edges compiled code
//! compares its remaining fuel with the header's [`Block::need`], the most instructions that can execute before the
//! next such test, and leaves if there is less; the caller does the same when it enters the region. So a region never
//! exceeds its fuel, and tests it once per loop iteration only. A region can be entered at its headers, too.

use std::collections::{BTreeSet, HashMap, VecDeque};

use gcnsim_isa::{FetchError, Flow, Inst, Opcode, Program, table::Sop2};

use crate::labels::Constants;

/// Where an edge leads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Edge {
    /// To a block of the region, by index.
    Block(usize),
    /// Out of the region, to an address.
    Leave(u64),
}

/// How a block ends. The instruction that decides is the block's last.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum End {
    /// On to one place: fallthrough, direct branch or call.
    Goto(Edge),
    /// Conditional branch.
    Cond {
        /// If the condition holds.
        taken: Edge,
        /// Otherwise.
        next: Edge,
    },
    /// To a computed address (S_SETPC, S_SWAPPC, S_RFE).
    Indirect {
        /// The address, where the block itself computes it from S_GETPC and constants.
        known: Option<Edge>,
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
    /// S_ENDPGM.
    Ended,
    /// S_SETHALT 1, S_SENDMSGHALT: the wave stops with PC at the address.
    Halted(u64),
}

impl End {
    /// Does the block end in a jump to an address that is computed and not known?
    pub fn is_computed(&self) -> bool {
        let unknown = |edge: &Option<Edge>| !matches!(edge, Some(Edge::Block(_)));
        match self {
            End::Indirect { known } => unknown(known),
            End::Fork { target, .. } => target.is_none(),
            End::Join { .. } => true,
            End::Goto(_) | End::Cond { .. } | End::Ended | End::Halted(_) => false,
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
    /// Where control goes.
    pub end: End,
    /// A backward edge leads here.
    pub is_header: bool,
    /// Most instructions that execute from the start of this block to the next fuel test or exit.
    pub need: u32,
    /// Position in the order in which depth-first search finishes blocks.
    postorder: u32,
    /// The block starts inside an instruction (note `jump-into-literal`).
    pub interior: bool,
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

/// The edges between discovered instructions, before blocks are cut.
struct Discovery<'p> {
    program: &'p Program,
    max_insts: usize,
    /// Instruction by address.
    insts: HashMap<u64, Inst>,
    leaders: BTreeSet<u64>,
    targets: BTreeSet<u64>,
    queue: VecDeque<u64>,
    has_computed_jump: bool,
}

impl Discovery<'_> {
    fn leader(&mut self, pc: u64) {
        if self.leaders.insert(pc) {
            self.queue.push_back(pc);
        }
    }

    fn target(&mut self, pc: u64) {
        self.targets.insert(pc);
        self.leader(pc);
    }

    /// Follows straight-line code from `pc`.
    fn follow(&mut self, mut pc: u64) {
        let mut constants = Constants::default();
        let first = pc;
        loop {
            if self.insts.contains_key(&pc) {
                if pc != first {
                    self.leaders.insert(pc);
                }
                return;
            }
            if self.insts.len() >= self.max_insts {
                return;
            }
            let Some(inst) = executable(self.program, pc) else { return };
            self.insts.insert(pc, inst);
            let next = pc.wrapping_add(inst.size() as u64);
            let target = pc.wrapping_add_signed(inst.branch_offset());
            if let Some(label) = constants.step(&inst, pc)
                && self.program.word_index(label).is_some()
            {
                self.target(label & !3);
            }
            self.has_computed_jump |= matches!(inst.flow(), Flow::SwapPc | Flow::Indirect | Flow::Fork | Flow::Join);
            match inst.flow() {
                Flow::Next => {}
                Flow::Branch => return self.leader(target),
                Flow::CondBranch => {
                    self.leader(next);
                    return self.leader(target);
                }
                Flow::Call => {
                    self.leader(target);
                    return self.target(next);
                }
                Flow::SwapPc => return self.target(next),
                Flow::Fork => {
                    self.target(next);
                    if inst.opcode != Opcode::Sop2(Sop2::SCbranchGFork) {
                        self.target(target);
                    }
                    return;
                }
                Flow::Join => return self.leader(next),
                Flow::Indirect | Flow::End | Flow::Halt | Flow::Trap => return,
            }
            pc = next;
        }
    }
}

/// The instruction at an address if compiled code can execute it. S_TRAP cannot: it stops the run where it stands.
fn executable(program: &Program, pc: u64) -> Option<Inst> {
    let inst = program.fetch(pc).ok()?;
    (inst.unsupported().is_none() && inst.flow() != Flow::Trap).then_some(inst)
}

impl Plan {
    /// Discovers the region entered at `entry`, of at most `max_insts` instructions (at least one). `observed` are
    /// addresses that computed jumps of the program went to; they count as targets once the region has such a jump.
    ///
    /// # Errors
    /// The fetch error at the entry, if there is no instruction; `Ok(None)` if there is one that compiled code does
    /// not execute.
    pub fn discover(
        program: &Program,
        entry: u64,
        max_insts: usize,
        observed: &[u64],
    ) -> Result<Option<Plan>, FetchError> {
        program.fetch(entry)?;
        if executable(program, entry).is_none() {
            return Ok(None);
        }
        let mut found = Discovery {
            program,
            max_insts: max_insts.max(1),
            insts: HashMap::new(),
            leaders: BTreeSet::new(),
            targets: BTreeSet::new(),
            queue: VecDeque::new(),
            has_computed_jump: false,
        };
        found.leader(entry);
        let mut observed = observed;
        loop {
            while let Some(pc) = found.queue.pop_front() {
                found.follow(pc);
            }
            if !found.has_computed_jump || observed.is_empty() {
                break;
            }
            std::mem::take(&mut observed).iter().for_each(|&pc| found.target(pc));
        }
        Ok(Some(Plan::cut(program, entry, found)))
    }

    fn cut(program: &Program, entry: u64, found: Discovery<'_>) -> Plan {
        let mut starts: Vec<u64> = vec![entry];
        starts.extend(found.leaders.iter().copied().filter(|pc| *pc != entry && found.insts.contains_key(pc)));
        let index: HashMap<u64, usize> = starts.iter().enumerate().map(|(i, &pc)| (pc, i)).collect();
        let edge = |pc: u64| index.get(&pc).map_or(Edge::Leave(pc), |&i| Edge::Block(i));
        let mut blocks = Vec::with_capacity(starts.len());
        for &start in &starts {
            let mut insts = Vec::new();
            let mut constants = Constants::default();
            let mut pc = start;
            let end = loop {
                let inst = found.insts[&pc];
                let known = constants.jump_target(&inst).filter(|_| inst.flow() != Flow::Next);
                constants.step(&inst, pc);
                insts.push((pc, inst));
                let next = pc.wrapping_add(inst.size() as u64);
                let target = pc.wrapping_add_signed(inst.branch_offset());
                match inst.flow() {
                    Flow::Next if index.contains_key(&next) || !found.insts.contains_key(&next) => {
                        break End::Goto(edge(next));
                    }
                    Flow::Next => {}
                    Flow::Branch | Flow::Call => break End::Goto(edge(target)),
                    Flow::CondBranch => break End::Cond { taken: edge(target), next: edge(next) },
                    Flow::SwapPc | Flow::Indirect => break End::Indirect { known: known.map(edge) },
                    Flow::Fork => {
                        let direct = inst.opcode != Opcode::Sop2(Sop2::SCbranchGFork);
                        let target = direct.then(|| (edge(target), target));
                        break End::Fork { target, next: (edge(next), next) };
                    }
                    Flow::Join => break End::Join { next: edge(next) },
                    Flow::End => break End::Ended,
                    Flow::Halt | Flow::Trap => break End::Halted(next),
                }
                pc = next;
            };
            let interior = program.word_index(start).is_some_and(|i| program.is_interior(i));
            blocks.push(Block { pc: start, insts, end, is_header: false, need: 0, postorder: 0, interior });
        }
        let targets = found.targets.iter().filter_map(|pc| index.get(pc).copied()).collect();
        let inst_count = blocks.iter().map(|b| b.insts.len()).sum();
        let mut plan = Plan { blocks, targets, inst_count };
        plan.find_headers();
        plan
    }

    /// Blocks at which the region may be entered: the first, then the other headers.
    pub fn entries(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.blocks.len()).filter(|&i| i == 0 || self.blocks[i].is_header)
    }

    /// Is fuel tested on the way from block `from` to its successor `to`? On backward edges, and on computed jumps to any
    /// header (they may share their code).
    pub fn is_tested(&self, from: usize, to: usize) -> bool {
        let computed = self.blocks[from].end.is_computed();
        let backward = self.blocks[to].postorder >= self.blocks[from].postorder;
        self.blocks[to].is_header && (backward || computed)
    }

    /// Blocks of the region that direct edges lead to from block `b`. After a [computed](End::is_computed) end all of
    /// [`Plan::targets`] may follow besides; they are not listed here, for jumps times targets may be very many.
    pub fn direct_successors(&self, b: usize) -> impl DoubleEndedIterator<Item = usize> + use<> {
        let edges = match self.blocks[b].end {
            End::Goto(e) | End::Join { next: e } => [Some(e), None],
            End::Cond { taken, next } => [Some(taken), Some(next)],
            End::Indirect { known } => [known, None],
            End::Fork { target, next } => [target.map(|(t, _)| t), Some(next.0)],
            End::Ended | End::Halted(_) => [None, None],
        };
        edges.into_iter().flatten().filter_map(|e| if let Edge::Block(i) = e { Some(i) } else { None })
    }

    /// Depth-first search: marks targets of backward edges as headers and computes [`Block::need`].
    fn find_headers(&mut self) {
        #[derive(Clone, Copy, PartialEq)]
        enum Colour {
            New,
            Open,
            Done,
        }
        /// A block that is being visited, with the direct edges that are still to follow.
        struct Visit<E> {
            block: usize,
            computed: bool,
            edges: E,
        }
        let mut is_target = vec![false; self.blocks.len()];
        self.targets.iter().for_each(|&t| is_target[t] = true);
        let mut colour = vec![Colour::New; self.blocks.len()];
        let mut postorder = Vec::with_capacity(self.blocks.len());
        // All computed jumps have the same targets. Those that one of them has followed are no longer new to the others, so they
        // share one list of what is left; and those that are open when one of them is reached are headers.
        let mut targets_left = self.targets.clone();
        let mut open_targets = Vec::new();
        let mut stack = Vec::new();
        let mut next = Some(0);
        loop {
            if let Some(b) = next.take() {
                colour[b] = Colour::Open;
                if is_target[b] {
                    open_targets.push(b);
                }
                let computed = self.blocks[b].end.is_computed();
                if computed {
                    open_targets.drain(..).for_each(|t| self.blocks[t].is_header = true);
                }
                stack.push(Visit { block: b, computed, edges: self.direct_successors(b) });
            }
            let Some(visit) = stack.last_mut() else { break };
            let target = if visit.computed { targets_left.pop() } else { None };
            match target.or_else(|| visit.edges.next_back()) {
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
        // The longest way from a target that is no header: these are all finished before the first computed jump is.
        let mut after_computed = None;
        for &b in &postorder {
            let rest = self.direct_successors(b).filter(|&s| !self.is_tested(b, s)).map(|s| self.blocks[s].need);
            let mut longest = rest.max().unwrap_or(0);
            if self.blocks[b].end.is_computed() {
                let untested = || self.targets.iter().map(|&t| &self.blocks[t]).filter(|t| !t.is_header);
                let most = *after_computed.get_or_insert_with(|| untested().map(|t| t.need).max().unwrap_or(0));
                longest = longest.max(most);
            }
            self.blocks[b].need = self.blocks[b].insts.len() as u32 + longest;
        }
        self.remove_unreachable(&colour.iter().map(|&c| c == Colour::Done).collect::<Vec<_>>());
    }

    /// Drops blocks that only constants discovered too optimistically lead to.
    fn remove_unreachable(&mut self, reachable: &[bool]) {
        if reachable.iter().all(|&r| r) {
            return;
        }
        let mut renumber = vec![usize::MAX; reachable.len()];
        let kept = renumber.iter_mut().zip(reachable).filter(|(_, r)| **r);
        for (new, (number, _)) in kept.enumerate() {
            *number = new;
        }
        let mut i = 0;
        self.blocks.retain(|_| {
            i += 1;
            reachable[i - 1]
        });
        self.targets.retain_mut(|t| {
            *t = renumber[*t];
            *t != usize::MAX
        });
        let fix = |e: &mut Edge| {
            if let Edge::Block(i) = e {
                *i = renumber[*i];
            }
        };
        for block in &mut self.blocks {
            match &mut block.end {
                End::Goto(e) => fix(e),
                End::Cond { taken, next } => {
                    fix(taken);
                    fix(next);
                }
                End::Indirect { known } => {
                    known.iter_mut().for_each(fix);
                }
                End::Fork { target, next } => {
                    target.iter_mut().for_each(|(e, _)| fix(e));
                    fix(&mut next.0);
                }
                End::Join { next } => fix(next),
                End::Ended | End::Halted(_) => {}
            }
        }
        self.inst_count = self.blocks.iter().map(|b| b.insts.len()).sum();
    }
}
