//! Makes the blocks of a region: straight-line code in *contexts*. A context is what is known of the registers that
//! later computed jumps read. A callee that is reached from two sites becomes two blocks, one for each return address,
//! so that each return goes to one place:
//!
//! ```text
//! s_call_b64 s[30:31], f ; 0x08      {}              -> f in {s[30:31] = 0x0c}
//! s_call_b64 s[30:31], f ; 0x40      {}              -> f in {s[30:31] = 0x44}
//! f: ... s_setpc_b64 s[30:31]        {... = 0x44}    -> 0x44 in {}
//! ```
//!
//! Inside the region this knowledge is certain, and the jump needs no compare. It is not certain if control can enter
//! the region from outside in between: at a block with a context, or at a jump that was only observed to go there. Then
//! compiled code compares the address, and a wrong context costs only speed.
//!
//! Short innermost loops are unrolled: their blocks have copies, and the last copy branches back to the first. Fuel
//! is tested only there. Values that only an exit needs are computed at that exit.

use gcnsim_flow::{Constants, Facts};
use gcnsim_isa::table::Sop2;
use gcnsim_isa::{Flow, Inst, Kind, Opcode, Src};
use rustc_hash::FxHashMap;

use crate::discover::{Stretch, Stretches, is_barrier};
use crate::region::{Block, Edge, End, Jump, Plan};

/// The most targets that a computed jump is expected to have. A jump that was seen to go to more may go to all
/// [`Plan::targets`].
const SITE_TARGETS: usize = 8;
/// The most instructions that blocks in contexts add to those of the code itself.
const CONTEXT_INSTS: usize = 256;
/// Largest number of copies of a loop.
const COPIES: usize = 4;
/// Largest number of instructions in all copies of a loop.
const UNROLLED_INSTS: usize = 48;

/// A loop to be unrolled.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Loop {
    /// Address of its first instruction.
    header: u64,
    /// Number of copies to make.
    copies: usize,
}

/// The context of a block. A stretch has a block for each of its contexts.
#[derive(Clone, PartialEq, Eq, Hash, Default)]
struct Context {
    /// The known values of live registers when the block is entered.
    facts: Facts,
    /// Number of the copy, if the block belongs to a loop that is unrolled.
    copy: usize,
}

impl Context {
    /// Whether nothing is known, and the block is no further copy of a loop's code.
    fn is_plain(&self) -> bool {
        self.facts.is_empty() && self.copy == 0
    }
}

impl Stretches<'_> {
    /// The live registers of each stretch, a bit for each. A register is live if a computed jump may read it, after the
    /// stretch is entered and before it is overwritten.
    fn live_registers(&self) -> Vec<u128> {
        let mut live = vec![0; self.all.len()];
        // Registers that are live at any target of computed jumps.
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

    /// The short innermost loop that each stretch belongs to. Such a loop is closed by branches to one place, and
    /// between that and the last of them control only falls through or branches.
    fn short_loops(&self) -> Vec<Option<Loop>> {
        let mut by_address: Vec<usize> = (0..self.all.len()).collect();
        by_address.sort_unstable_by_key(|&i| self.all[i].pc);
        let mut loops = vec![None; self.all.len()];
        // The first stretch, by address, that a loop which ends further on may contain.
        let mut first = 0;
        // The loop that was found last, if the next branch back may close it, too.
        let mut latest = None;
        for (end, &i) in by_address.iter().enumerate() {
            let Some((pc, last)) = self.all[i].insts.last() else { continue };
            match last.flow() {
                Flow::Next => {}
                Flow::Branch | Flow::CondBranch => {
                    let target = pc.wrapping_add_signed(last.branch_offset());
                    if target > *pc {
                        continue;
                    }
                    let start = by_address.partition_point(|&s| self.all[s].pc < target);
                    let is_loop = (first..=end).contains(&start) || latest == Some(start);
                    latest = None;
                    if is_loop && self.index.contains_key(&target) {
                        latest = Some(start);
                        let body = &by_address[start..=end];
                        let insts = || body.iter().flat_map(|&s| &self.all[s].insts);
                        let copies = (UNROLLED_INSTS / insts().count()).min(COPIES);
                        // Calls of helpers take much longer than the time that unrolling saves.
                        let calls = insts().any(|(_, inst)| matches!(inst.desc().kind, Kind::Vcmp | Kind::Valu));
                        let stops = insts().any(|(_, inst)| inst.desc().is_memory() || is_barrier(inst.desc()));
                        let unrolled = copies > 1 && !calls && !stops;
                        let found = unrolled.then_some(Loop { header: target, copies });
                        body.iter().for_each(|&s| loops[s] = found);
                    }
                    first = end + 1;
                }
                _ => (first, latest) = (end + 1, None),
            }
        }
        loops
    }

    /// The addresses of an instruction's direct successors: the next instruction, and the target of the branch.
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

/// Whether the instruction jumps to an address in a pair of SGPRs, which contexts may know.
fn reads_address(inst: &Inst) -> bool {
    matches!(inst.flow(), Flow::SwapPc | Flow::Indirect) && matches!(inst.src(0), Src::Sgpr(_))
}

/// The live registers before `inst`, given those after it.
fn live_before(inst: &Inst, after: u128) -> u128 {
    let written = inst.writes().sgprs;
    let mut before = after & !written;
    if reads_address(inst) || (after & written != 0 && matches!(inst.flow(), Flow::Next)) {
        before |= inst.reads().sgprs;
    }
    before
}

/// The origin of an edge.
struct From {
    /// Number of the stretch.
    stretch: usize,
    /// Number of the copy, as in [`Context::copy`].
    copy: usize,
    /// Constants that are known after the last instruction.
    constants: Constants,
}

/// The blocks of a plan in the making: stretches in contexts.
pub struct Contexts<'a> {
    code: Stretches<'a>,
    /// Computed jumps that the program was seen to take, in order.
    observed: &'a [Jump],
    /// Live registers of each stretch.
    live: Vec<u128>,
    /// The loop of each stretch that is unrolled.
    loops: Vec<Option<Loop>>,
    /// Numbers of blocks by stretch and context.
    index: FxHashMap<(usize, Context), usize>,
    /// The stretch and the context of each block.
    keys: Vec<(usize, Context)>,
    /// Number of instructions that further blocks in contexts may have.
    left: usize,
}

impl<'a> Contexts<'a> {
    /// No blocks yet. `room` is the number of instructions that blocks in contexts may add.
    pub fn new(code: Stretches<'a>, observed: &'a [Jump], room: usize) -> Contexts<'a> {
        let insts: usize = code.all.iter().map(|stretch| stretch.insts.len()).sum();
        Contexts {
            live: code.live_registers(),
            loops: code.short_loops(),
            index: FxHashMap::default(),
            keys: Vec::new(),
            left: room.min(insts + CONTEXT_INSTS),
            code,
            observed,
        }
    }

    /// Makes all blocks that can be reached from the region's entry.
    pub fn plan(mut self) -> Plan {
        self.block(0, Context::default());
        let mut blocks: Vec<Block> = Vec::new();
        let mut targets = Vec::new();
        while let Some((stretch, context)) = self.keys.get(blocks.len()).cloned() {
            let (end, certain) = self.end(stretch, &context);
            let is_computed = end.is_computed();
            let Stretch { pc, ref insts, interior } = self.code.all[stretch];
            let mut block = Block::new(pc, insts.clone(), end, interior);
            block.certain = certain;
            block.plain = context.is_plain();
            block.believes = !context.facts.is_empty();
            blocks.push(block);
            if is_computed && targets.is_empty() {
                targets = self.code.targets.clone();
                targets.iter_mut().for_each(|target| *target = self.block(*target, Context::default()));
            }
        }
        Plan::new(blocks, targets)
    }

    /// The number of the block of a stretch in a context, or in no context if there are too many instructions.
    fn block(&mut self, stretch: usize, context: Context) -> usize {
        let key = (stretch, context);
        if let Some(&block) = self.index.get(&key) {
            return block;
        }
        let len = self.code.all[stretch].insts.len();
        let key = match () {
            () if key.1.is_plain() => key,
            () if len <= self.left => {
                self.left -= len;
                key
            }
            () => return self.block(stretch, Context::default()),
        };
        self.keys.push(key.clone());
        self.index.insert(key, self.keys.len() - 1);
        self.keys.len() - 1
    }

    /// The edge from `from` to address `to`. The block there has the context that follows from `from`.
    fn edge(&mut self, from: &From, to: u64) -> Edge {
        let Some(&stretch) = self.code.index.get(&to) else { return Edge::Leave(to) };
        let program = self.code.program;
        let facts = from.constants.facts(self.live[stretch], |address| program.word_index(address).is_some());
        let copy = match self.loops[from.stretch] {
            Some(here) if self.loops[stretch] == Some(here) => (from.copy + (to == here.header) as usize) % here.copies,
            _ => 0,
        };
        Edge::Block(self.block(stretch, Context { facts, copy }))
    }

    /// The end of the block of `stretch` in `context`, and the edge of its computed jump if the context knows the
    /// target.
    fn end(&mut self, stretch: usize, context: &Context) -> (End, Option<Edge>) {
        let mut constants = Constants::new(&context.facts);
        let insts = &self.code.all[stretch].insts;
        let (pc, inst) = insts[insts.len() - 1];
        for (pc, inst) in &insts[..insts.len() - 1] {
            constants.step(inst, *pc);
        }
        let to = constants.jump_target(&inst);
        constants.step(&inst, pc);
        let from = &From { stretch, copy: context.copy, constants };
        let next = pc.wrapping_add(inst.size() as u64);
        let target = pc.wrapping_add_signed(inst.branch_offset());
        let end = match inst.flow() {
            // The region is entered again behind a barrier, and then knows nothing of registers.
            Flow::Next if is_barrier(inst.desc()) => End::Barrier(match self.code.index.get(&next) {
                Some(&stretch) => Edge::Block(self.block(stretch, Context::default())),
                None => Edge::Leave(next),
            }),
            Flow::Next => End::Goto(self.edge(from, next)),
            Flow::Branch | Flow::Call => End::Goto(self.edge(from, target)),
            Flow::CondBranch => End::Cond { taken: self.edge(from, target), next: self.edge(from, next) },
            Flow::SwapPc | Flow::Indirect => {
                if let Some(to) = to {
                    let edge = self.edge(from, to & !3);
                    let known = if let Edge::Block(block) = edge { vec![block] } else { Vec::new() };
                    // An address with bits below or above those of PC raises notes, so its jump stays a computed one.
                    let certain = (to & 3 == 0 && to >> 48 == 0).then_some(edge);
                    return (End::Indirect { known: Some(known) }, certain);
                }
                let first = self.observed.partition_point(|jump| jump.from < pc);
                let seen = self.observed[first..].iter().take_while(|jump| jump.from == pc);
                let seen: Vec<u64> = seen.map(|jump| jump.to).take(SITE_TARGETS + 1).collect();
                if seen.is_empty() || seen.len() > SITE_TARGETS {
                    return (End::Indirect { known: None }, None);
                }
                let mut known = Vec::with_capacity(seen.len());
                for to in seen {
                    if let Edge::Block(block) = self.edge(from, to) {
                        known.push(block);
                    }
                }
                End::Indirect { known: Some(known) }
            }
            Flow::Fork => {
                let direct = inst.opcode != Opcode::Sop2(Sop2::SCbranchGFork);
                let target = direct.then(|| (self.edge(from, target), target));
                End::Fork { target, next: (self.edge(from, next), next) }
            }
            Flow::Join => End::Join { next: self.edge(from, next) },
            Flow::End => End::Ended,
            Flow::Halt | Flow::Trap => End::Halted(next),
        };
        (end, None)
    }
}
