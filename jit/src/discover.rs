//! Finds the code of a region: by following direct branches, fallthrough, call return sites, addresses that code
//! computes from S_GETPC_B64, and jump targets seen before, up to a cap on instructions.

use std::collections::{BTreeSet, VecDeque};

use gcnsim_flow::Constants;
use gcnsim_isa::table::{InstDesc, Sop2, Sopp};
use gcnsim_isa::{FetchError, Flow, Inst, Opcode, Program};
use rustc_hash::FxHashMap;

use crate::contexts::Contexts;
use crate::region::{Jump, Plan};
use gcnsim_helpers::memory::MemoryOp;

/// The code of a region in the course of discovery, before it is cut into stretches.
struct Discovery<'p> {
    program: &'p Program,
    /// Largest number of instructions to find.
    max_insts: usize,
    /// Instructions by address.
    insts: FxHashMap<u64, Inst>,
    /// Addresses where a stretch begins, if there is an instruction.
    leaders: BTreeSet<u64>,
    /// The leaders that computed jumps may reach.
    targets: BTreeSet<u64>,
    /// Leaders from which the code is still to be followed.
    queue: VecDeque<u64>,
    /// Whether an instruction was found that jumps to a computed address.
    has_computed_jump: bool,
}

impl Discovery<'_> {
    /// Adds a leader.
    fn leader(&mut self, pc: u64) {
        if self.leaders.insert(pc) {
            self.queue.push_back(pc);
        }
    }

    /// Adds a leader that computed jumps may reach.
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
            // An address of code that the code computes is probably the target of a jump.
            if let Some(label) = constants.step(&inst, pc)
                && self.program.word_index(label).is_some()
            {
                self.target(label & !3);
            }
            self.has_computed_jump |= matches!(inst.flow(), Flow::SwapPc | Flow::Indirect | Flow::Fork | Flow::Join);
            match inst.flow() {
                Flow::Next if is_barrier(inst.desc()) => return self.leader(next),
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

/// The instruction at an address if compiled code can execute it.
fn executable(program: &Program, pc: u64) -> Option<Inst> {
    let inst = program.fetch(pc).ok()?;
    let executes = !inst.desc().is_memory() || MemoryOp::new(&inst).is_some();
    // S_TRAP, which stops the run before it, is left to the interpreter.
    (inst.unsupported().is_none() && inst.flow() != Flow::Trap && executes).then_some(inst)
}

/// Whether an instruction is S_BARRIER, at which the wave waits for others of its group.
pub(crate) fn is_barrier(desc: &InstDesc) -> bool {
    desc.opcode == Opcode::Sopp(Sopp::SBarrier)
}

impl Plan {
    /// Discovers the region entered at `entry`, of at most `max_insts` instructions (at least one). `observed` are
    /// computed jumps that the program was seen to take, in order.
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
            insts: FxHashMap::default(),
            leaders: BTreeSet::new(),
            targets: BTreeSet::new(),
            queue: VecDeque::new(),
            has_computed_jump: false,
        };
        found.leader(entry);
        // Targets that were observed belong to the region only if it has a computed jump.
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
        let room = found.max_insts - found.insts.len();
        Ok(Some(Contexts::new(code, observed, room).plan()))
    }
}

/// Straight-line code from one leader to the next.
pub struct Stretch {
    /// Address of the first instruction.
    pub pc: u64,
    /// Instructions with their addresses; never empty.
    pub insts: Vec<(u64, Inst)>,
    /// Whether the stretch starts inside an instruction of the program.
    pub interior: bool,
}

/// The code of a region as stretches.
pub struct Stretches<'p> {
    pub program: &'p Program,
    /// Stretches; that of the entry comes first.
    pub all: Vec<Stretch>,
    /// Numbers of stretches by address.
    pub index: FxHashMap<u64, usize>,
    /// Numbers of the stretches that computed jumps may reach, in the order of their addresses.
    pub targets: Vec<usize>,
}

impl<'p> Stretches<'p> {
    /// Cuts the code that was found into stretches.
    fn cut(program: &'p Program, entry: u64, found: &Discovery<'_>) -> Stretches<'p> {
        let mut starts: Vec<u64> = vec![entry];
        starts.extend(found.leaders.iter().copied().filter(|pc| *pc != entry && found.insts.contains_key(pc)));
        let index: FxHashMap<u64, usize> = starts.iter().enumerate().map(|(i, &pc)| (pc, i)).collect();
        let stretch = |&pc: &u64| {
            let mut insts = Vec::new();
            let mut next = pc;
            while let Some(inst) = found.insts.get(&next) {
                insts.push((next, *inst));
                next = next.wrapping_add(inst.size() as u64);
                if inst.flow() != Flow::Next || is_barrier(inst.desc()) || index.contains_key(&next) {
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
}
