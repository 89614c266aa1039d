//! The control flow graph of an entry: its reachable instructions in basic blocks.

use std::collections::{HashMap, HashSet};

use gcnsim_isa::{Flow, Inst, Opcode, Program, Sop1, Src};

use crate::facts::Facts;
use crate::rules::Place;

/// Most instructions that are read of an entry.
const MOST: usize = 1 << 18;

/// First register of the pair with the return address of a function (LLVM, "User Guide for AMDGPU Backend", Function
/// Call Convention).
pub(crate) const RETURN_PAIR: u8 = 30;

/// Where the code of an entry may be.
pub(crate) trait Extent {
    /// Returns what lies at the address `to`.
    fn at(&self, to: u64) -> At;
    /// Returns the target of a computed jump at `pc`, if it is known.
    fn target(&self, pc: u64) -> Option<u64>;
    /// Whether the entry is a function that returns by [`RETURN_PAIR`].
    fn is_function(&self) -> bool;
}

/// What lies at an address, as seen from an entry.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum At {
    /// Code of the entry.
    Own,
    /// Another function: a jump there is a tail call.
    Other,
    /// No code.
    Nothing,
}

/// A basic block.
#[derive(Debug)]
pub(crate) struct Block {
    /// The instructions of the block, as indices: the first, and the one behind the last.
    pub first: u32,
    pub end: u32,
    /// The blocks to which control goes: on to the next instruction, and by a jump.
    pub next: Option<u32>,
    pub jump: Option<u32>,
}

/// A finding of the search itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Trouble {
    pub place: Place,
    pub pc: u64,
}

/// The reachable code of an entry.
#[derive(Default, Debug)]
pub(crate) struct Code {
    pub insts: Vec<Facts>,
    /// Addresses of the instructions, ascending.
    pub pcs: Vec<u64>,
    pub blocks: Vec<Block>,
    /// Indices of the blocks in reverse postorder. The entry is the first.
    pub order: Vec<u32>,
    pub troubles: Vec<Trouble>,
    /// The reason why part of the code is not seen.
    pub incomplete: Option<&'static str>,
    /// Whether it has a return.
    pub returns: bool,
}

/// Memory that the searches of all entries use, one after the other.
#[derive(Default, Debug)]
pub(crate) struct Scratch {
    seen: Vec<u64>,
    found: Vec<(u32, Inst)>,
    work: Vec<u64>,
    leaders: Vec<bool>,
    /// Addresses and rules of the troubles so far.
    blamed: HashSet<(u64, u8)>,
}

struct Search<'a, E> {
    program: &'a Program,
    extent: &'a E,
    scratch: &'a mut Scratch,
    code: Code,
}

/// Finds the code that is reachable from `entry`.
pub(crate) fn find<E: Extent>(program: &Program, entry: u64, extent: &E, scratch: &mut Scratch) -> Code {
    scratch.seen.resize(program.word_count().div_ceil(64).max(scratch.seen.len()), 0);
    scratch.found.clear();
    scratch.work.clear();
    scratch.blamed.clear();
    let mut search = Search { program, extent, scratch, code: Code::default() };
    search.discover(entry);
    search.sort();
    search.divide(entry);
    search.code
}

/// Whether control stops at `inst`, and need not go on to what follows.
fn may_stop(inst: &Inst) -> bool {
    matches!(inst.flow(), Flow::Halt | Flow::Trap)
}

impl<E: Extent> Search<'_, E> {
    fn discover(&mut self, entry: u64) {
        self.scratch.work.push(entry);
        while let Some(start) = self.scratch.work.pop() {
            let (mut pc, mut before) = (start, None);
            while let Some(next) = self.visit(pc, before) {
                before = Some(pc);
                pc = next;
            }
        }
    }

    /// Visits the instruction at `pc`, to which control goes on from `before`. Returns the address of the next one.
    fn visit(&mut self, pc: u64, before: Option<u64>) -> Option<u64> {
        let number = self.program.word_index(pc);
        if let Some(before) = before
            && (number.is_none() || self.extent.at(pc) != At::Own)
        {
            let stops = self.program.fetch(before).is_ok_and(|inst| may_stop(&inst));
            if !stops {
                self.trouble(Place::FallsOffEnd, before);
            }
            return None;
        }
        let number = number?;
        let seen = &mut self.scratch.seen[number / 64];
        if *seen >> (number % 64) & 1 == 1 {
            return None;
        }
        let Ok(inst) = self.program.decode_word(number) else {
            self.trouble(Place::Illegal, pc);
            return None;
        };
        if self.scratch.found.len() >= MOST {
            self.code.incomplete = Some("too long");
            return None;
        }
        *seen |= 1 << (number % 64);
        self.scratch.found.push((number as u32, inst));
        if let Some(target) = self.jump_of(&inst, pc) {
            self.jump(pc, target);
        }
        let goes_on = match inst.flow() {
            Flow::End | Flow::Branch | Flow::Indirect | Flow::Fork | Flow::Join => false,
            Flow::Next | Flow::CondBranch | Flow::Call | Flow::SwapPc | Flow::Halt | Flow::Trap => true,
        };
        goes_on.then(|| pc.wrapping_add(inst.size().into()))
    }

    /// Returns the target of a jump, if it lies in the code of the entry.
    fn jump_of(&mut self, inst: &Inst, pc: u64) -> Option<u64> {
        match inst.flow() {
            Flow::Branch | Flow::CondBranch => Some(pc.wrapping_add_signed(inst.branch_offset())),
            Flow::Indirect if self.extent.is_function() && is_return(inst) => {
                self.code.returns = true;
                None
            }
            Flow::Indirect => {
                let target = self.extent.target(pc);
                if target.is_none() && !self.extent.is_function() {
                    self.code.incomplete = Some("a computed jump cannot be followed");
                }
                // A jump to another function is a tail call.
                target.filter(|&target| self.extent.at(target) == At::Own)
            }
            Flow::Fork | Flow::Join => {
                self.code.incomplete = Some("forks cannot be followed");
                None
            }
            _ => None,
        }
    }

    fn jump(&mut self, from: u64, to: u64) {
        let is_there = self.program.word_index(to).is_some() && to.is_multiple_of(4);
        match self.extent.at(to) {
            At::Own if is_there => self.scratch.work.push(to),
            At::Other if is_there => {}
            _ => self.trouble(Place::BranchTarget, from),
        }
    }

    fn trouble(&mut self, place: Place, pc: u64) {
        if self.scratch.blamed.insert((pc, place as u8)) {
            self.code.troubles.push(Trouble { place, pc });
        }
    }

    /// Sorts the instructions that were found, and clears the marks of those that were seen.
    fn sort(&mut self) {
        let found = &mut self.scratch.found;
        for (number, _) in found.iter() {
            self.scratch.seen[*number as usize / 64] = 0;
        }
        found.sort_unstable_by_key(|(number, _)| *number);
        self.code.pcs = found.iter().map(|(number, _)| self.program.address(*number as usize)).collect();
        self.code.insts = found.iter().map(|(_, inst)| Facts::new(*inst)).collect();
    }

    /// Divides the instructions into basic blocks.
    fn divide(&mut self, entry: u64) {
        let code = &mut self.code;
        let count = code.pcs.len();
        let leaders = &mut self.scratch.leaders;
        leaders.clear();
        leaders.resize(count, false);
        let index = |pcs: &[u64], pc: u64| pcs.binary_search(&pc).ok();
        let Some(first) = index(&code.pcs, entry) else { return };
        leaders[first] = true;
        let mut targets = Vec::new();
        for i in 0..count {
            let (inst, pc) = (&code.insts[i].inst, code.pcs[i]);
            let target = match inst.flow() {
                Flow::Next | Flow::Halt | Flow::Trap | Flow::Call | Flow::SwapPc => None,
                Flow::Branch | Flow::CondBranch => Some(pc.wrapping_add_signed(inst.branch_offset())),
                Flow::Indirect if !(self.extent.is_function() && is_return(inst)) => self.extent.target(pc),
                Flow::Indirect | Flow::Fork | Flow::Join | Flow::End => None,
            };
            let target = target.and_then(|target| index(&code.pcs, target));
            if let Some(target) = target {
                leaders[target] = true;
                targets.push((i, target));
            }
            let ends = !matches!(inst.flow(), Flow::Next | Flow::Halt | Flow::Trap);
            let is_cut = code.pcs.get(i + 1).is_none_or(|&next| next != pc + u64::from(inst.size()));
            if (ends || is_cut) && i + 1 < count {
                leaders[i + 1] = true;
            }
            // A branch leads into this instruction: the next one begins within it.
            if i + 1 < count && code.pcs[i + 1] < pc + u64::from(inst.size()) {
                let trouble = Trouble { place: Place::BranchTarget, pc: code.pcs[i + 1] };
                code.troubles.push(trouble);
            }
        }
        let starts: Vec<usize> = (0..count).filter(|&i| leaders[i]).collect();
        let block_of = |i: usize| starts.binary_search(&i).ok().map(|block| block as u32);
        for (n, &start) in starts.iter().enumerate() {
            let end = starts.get(n + 1).copied().unwrap_or(count);
            let last = end - 1;
            let inst = &code.insts[last].inst;
            let goes_on = !matches!(inst.flow(), Flow::End | Flow::Branch | Flow::Indirect | Flow::Fork | Flow::Join);
            let next = goes_on.then(|| index(&code.pcs, code.pcs[last] + u64::from(inst.size()))).flatten();
            let jump = targets.binary_search_by_key(&last, |(from, _)| *from).ok().map(|at| targets[at].1);
            code.blocks.push(Block {
                first: start as u32,
                end: end as u32,
                next: next.and_then(block_of),
                jump: jump.and_then(block_of),
            });
        }
        if let Some(first) = block_of(first) {
            code.order = reverse_postorder(&code.blocks, first);
        }
        code.blame();
    }
}

/// Whether `inst` is a return from a function.
fn is_return(inst: &Inst) -> bool {
    inst.opcode == Opcode::Sop1(Sop1::SSetpcB64) && inst.src(0) == Src::Sgpr(RETURN_PAIR)
}

impl Code {
    /// Moves each trouble about the middle of an instruction to the first branch that leads there.
    fn blame(&mut self) {
        let mut sources = HashMap::new();
        if self.troubles.iter().any(|trouble| trouble.place == Place::BranchTarget) {
            for (facts, &pc) in self.insts.iter().zip(&self.pcs) {
                if matches!(facts.inst.flow(), Flow::Branch | Flow::CondBranch) {
                    sources.entry(pc.wrapping_add_signed(facts.inst.branch_offset())).or_insert(pc);
                }
            }
        }
        for trouble in self.troubles.iter_mut().filter(|trouble| trouble.place == Place::BranchTarget) {
            trouble.pc = sources.get(&trouble.pc).copied().unwrap_or(trouble.pc);
        }
    }

    /// Whether `facts` is a return from a function.
    pub fn is_return(&self, facts: &Facts) -> bool {
        self.returns && is_return(&facts.inst)
    }

    /// Returns the block that holds the instruction `i`.
    pub fn block_of(&self, i: u32) -> usize {
        self.blocks.partition_point(|block| block.end <= i)
    }
}

fn reverse_postorder(blocks: &[Block], first: u32) -> Vec<u32> {
    let mut seen = vec![false; blocks.len()];
    let mut order = Vec::with_capacity(blocks.len());
    // Each element of the stack is a block and the number of its successors that were visited.
    let mut stack = vec![(first, 0u8)];
    seen[first as usize] = true;
    while let Some((block, visited)) = stack.last_mut() {
        let Block { next, jump, .. } = blocks[*block as usize];
        let successor = match *visited {
            0 => jump,
            1 => next,
            _ => {
                order.push(*block);
                stack.pop();
                continue;
            }
        };
        *visited += 1;
        if let Some(successor) = successor
            && !std::mem::replace(&mut seen[successor as usize], true)
        {
            stack.push((successor, 0));
        }
    }
    order.reverse();
    order
}
