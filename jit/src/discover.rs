//! Finds the blocks of a region.
//!
//! Code is discovered by following direct branches, fallthrough, call return sites, addresses that code computes from
//! S_GETPC_B64, and jump targets seen before, up to a cap on instructions. Then blocks are made per *context*: what is known
//! of the registers that later computed jumps read. A callee reached from two sites becomes two blocks, one for each return
//! address, so that its return goes to one place:
//!
//! ```text
//! s_call_b64 s[30:31], f ; 0x08      {}              -> f in {s[30:31] = 0x0c}
//! s_call_b64 s[30:31], f ; 0x40      {}              -> f in {s[30:31] = 0x44}
//! f: ... s_setpc_b64 s[30:31]        {... = 0x44}    -> 0x44 in {}
//! ```
//!
//! A wrong belief costs speed only: compiled code compares the address with the targets that the plan names.

use std::collections::{BTreeSet, HashMap, VecDeque};

use gcnsim_isa::table::Sop2;
use gcnsim_isa::{FetchError, Flow, Inst, Opcode, Program, Src};

use crate::labels::{Constants, Facts};
use crate::region::{Block, Edge, End, Jump, Plan};

/// A computed jump that was seen to go to more addresses may go to all [`Plan::targets`].
const SITE_TARGETS: usize = 8;
/// Most instructions in blocks for a context, besides as many as the code has.
const CONTEXT_INSTS: usize = 256;

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
    /// computed jumps that the program was seen to take.
    ///
    /// # Errors
    /// The fetch error at the entry, if there is no instruction; `Ok(None)` if there is one that compiled code does
    /// not execute.
    pub fn discover(
        program: &Program,
        entry: u64,
        max_insts: usize,
        observed: &[Jump],
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
        let mut new = observed;
        loop {
            while let Some(pc) = found.queue.pop_front() {
                found.follow(pc);
            }
            if !found.has_computed_jump || new.is_empty() {
                break;
            }
            std::mem::take(&mut new).iter().for_each(|jump| found.target(jump.to));
        }
        let code = Stretches::cut(program, entry, &found);
        let contexts = Contexts {
            live: code.live_pairs(),
            index: HashMap::new(),
            keys: Vec::new(),
            left: (found.max_insts - found.insts.len()).min(found.insts.len() + CONTEXT_INSTS),
            code,
            observed,
        };
        Ok(Some(contexts.plan()))
    }
}

/// Straight-line code from one leader to the next.
struct Stretch {
    pc: u64,
    insts: Vec<(u64, Inst)>,
    interior: bool,
}

/// All of it; the entry comes first.
struct Stretches<'p> {
    program: &'p Program,
    all: Vec<Stretch>,
    index: HashMap<u64, usize>,
    targets: Vec<usize>,
}

impl<'p> Stretches<'p> {
    fn cut(program: &'p Program, entry: u64, found: &Discovery<'_>) -> Stretches<'p> {
        let mut starts: Vec<u64> = vec![entry];
        starts.extend(found.leaders.iter().copied().filter(|pc| *pc != entry && found.insts.contains_key(pc)));
        let index: HashMap<u64, usize> = starts.iter().enumerate().map(|(i, &pc)| (pc, i)).collect();
        let stretch = |&pc: &u64| {
            let mut insts = Vec::new();
            let mut next = pc;
            while let Some(inst) = found.insts.get(&next) {
                insts.push((next, *inst));
                next = next.wrapping_add(inst.size() as u64);
                if inst.flow() != Flow::Next || index.contains_key(&next) {
                    break;
                }
            }
            let interior = program.word_index(pc).is_some_and(|word| program.is_interior(word));
            Stretch { pc, insts, interior }
        };
        let all = starts.iter().map(stretch).collect();
        let targets = found.targets.iter().filter_map(|pc| index.get(pc).copied()).collect();
        Stretches { program, all, index, targets }
    }

    /// For each stretch: registers that a computed jump may read after it is entered, before they are overwritten (a bit each).
    fn live_pairs(&self) -> Vec<u128> {
        let mut live = vec![0; self.all.len()];
        let mut at_targets = 0;
        let mut changed = self.all.iter().any(|stretch| stretch.insts.iter().any(|(_, inst)| reads_address(inst)));
        while changed {
            changed = false;
            for (i, stretch) in self.all.iter().enumerate().rev() {
                let Some((pc, last)) = stretch.insts.last() else { continue };
                let (next, target) = self.ways(*pc, last);
                let mut regs = if matches!(last.flow(), Flow::SwapPc | Flow::Indirect | Flow::Fork | Flow::Join) {
                    at_targets
                } else {
                    0
                };
                for way in [next, target].into_iter().flatten() {
                    regs |= self.index.get(&way).map_or(0, |&s| live[s]);
                }
                for (_, inst) in stretch.insts.iter().rev() {
                    regs = live_before(inst, regs);
                }
                if regs != live[i] {
                    live[i] = regs;
                    changed = true;
                }
            }
            let before = at_targets;
            self.targets.iter().for_each(|&t| at_targets |= live[t]);
            changed |= at_targets != before;
        }
        live
    }

    /// Where an instruction's direct edges lead: on, and to its target.
    fn ways(&self, pc: u64, inst: &Inst) -> (Option<u64>, Option<u64>) {
        let next = pc.wrapping_add(inst.size() as u64);
        let target = pc.wrapping_add_signed(inst.branch_offset());
        match inst.flow() {
            Flow::Next | Flow::Join => (Some(next), None),
            Flow::Branch | Flow::Call => (None, Some(target)),
            Flow::CondBranch => (Some(next), Some(target)),
            Flow::Fork if inst.opcode == Opcode::Sop2(Sop2::SCbranchGFork) => (Some(next), None),
            Flow::Fork => (Some(next), Some(target)),
            Flow::SwapPc | Flow::Indirect | Flow::End | Flow::Halt | Flow::Trap => (None, None),
        }
    }
}

/// Does the instruction jump to an address in a register that contexts tell?
fn reads_address(inst: &Inst) -> bool {
    matches!(inst.flow(), Flow::SwapPc | Flow::Indirect) && matches!(inst.src(0), Src::Sgpr(_))
}

/// Registers whose values computed jumps may use, before an instruction, by those after it.
fn live_before(inst: &Inst, after: u128) -> u128 {
    let written = inst.writes().sgprs;
    let mut before = after & !written;
    if reads_address(inst) || (after & written != 0 && matches!(inst.flow(), Flow::Next)) {
        before |= inst.reads().sgprs;
    }
    before
}

/// Blocks in the making: stretches in contexts.
struct Contexts<'a> {
    code: Stretches<'a>,
    observed: &'a [Jump],
    live: Vec<u128>,
    /// Block by stretch and context.
    index: HashMap<(usize, Facts), usize>,
    keys: Vec<(usize, Facts)>,
    /// Instructions that blocks in contexts may still have.
    left: usize,
}

impl Contexts<'_> {
    fn plan(mut self) -> Plan {
        self.block(0, Facts::default());
        let mut blocks: Vec<Block> = Vec::new();
        let mut targets = Vec::new();
        while let Some((stretch, facts)) = self.keys.get(blocks.len()).cloned() {
            let end = self.end(stretch, &facts);
            let is_computed = end.is_computed();
            let Stretch { pc, ref insts, interior } = self.code.all[stretch];
            blocks.push(Block::new(pc, insts.clone(), end, interior, facts.is_empty()));
            if is_computed && targets.is_empty() {
                targets = self.code.targets.clone();
                targets.iter_mut().for_each(|target| *target = self.block(*target, Facts::default()));
            }
        }
        Plan::new(blocks, targets)
    }

    /// The block of a stretch in a context, or in none if there are too many.
    fn block(&mut self, stretch: usize, facts: Facts) -> usize {
        let key = (stretch, facts);
        if let Some(&block) = self.index.get(&key) {
            return block;
        }
        let len = self.code.all[stretch].insts.len();
        let key = match () {
            () if key.1.is_empty() => key,
            () if len <= self.left => {
                self.left -= len;
                key
            }
            () => return self.block(stretch, Facts::default()),
        };
        self.keys.push(key.clone());
        self.index.insert(key, self.keys.len() - 1);
        self.keys.len() - 1
    }

    fn edge(&mut self, pc: u64, constants: &Constants) -> Edge {
        let Some(&stretch) = self.code.index.get(&pc) else { return Edge::Leave(pc) };
        let program = self.code.program;
        let facts = constants.facts(self.live[stretch], |address| program.word_index(address).is_some());
        Edge::Block(self.block(stretch, facts))
    }

    fn end(&mut self, stretch: usize, facts: &Facts) -> End {
        let mut constants = Constants::new(facts);
        let insts = &self.code.all[stretch].insts;
        let (pc, inst) = insts[insts.len() - 1];
        for (pc, inst) in &insts[..insts.len() - 1] {
            constants.step(inst, *pc);
        }
        let to = constants.jump_target(&inst);
        constants.step(&inst, pc);
        let constants = &constants;
        let next = pc.wrapping_add(inst.size() as u64);
        let target = pc.wrapping_add_signed(inst.branch_offset());
        match inst.flow() {
            Flow::Next => End::Goto(self.edge(next, constants)),
            Flow::Branch | Flow::Call => End::Goto(self.edge(target, constants)),
            Flow::CondBranch => End::Cond { taken: self.edge(target, constants), next: self.edge(next, constants) },
            Flow::SwapPc | Flow::Indirect => {
                let seen = self.observed.iter().filter(|jump| jump.from == pc).map(|jump| jump.to);
                let likely: Vec<u64> = match to {
                    Some(to) => vec![to],
                    None => seen.collect(),
                };
                if likely.is_empty() || likely.len() > SITE_TARGETS {
                    return End::Indirect { known: None };
                }
                let mut known = Vec::with_capacity(likely.len());
                for to in likely {
                    if let Edge::Block(block) = self.edge(to, constants) {
                        known.push(block);
                    }
                }
                End::Indirect { known: Some(known) }
            }
            Flow::Fork => {
                let direct = inst.opcode != Opcode::Sop2(Sop2::SCbranchGFork);
                let target = direct.then(|| (self.edge(target, constants), target));
                End::Fork { target, next: (self.edge(next, constants), next) }
            }
            Flow::Join => End::Join { next: self.edge(next, constants) },
            Flow::End => End::Ended,
            Flow::Halt | Flow::Trap => End::Halted(next),
        }
    }
}
