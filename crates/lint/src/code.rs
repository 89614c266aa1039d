//! The control flow graph of an entry: its reachable instructions in basic blocks.

use std::collections::HashMap;

use gcnsim_flow::{Block, Blocks, Code as _, Search, Through, direct_target};
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

/// The code of an entry, for the search.
struct Held<'a, E> {
    program: &'a Program,
    extent: &'a E,
}

impl<E: Extent> gcnsim_flow::Code for Held<'_, E> {
    fn limit(&self) -> usize {
        self.program.word_count()
    }

    fn number_at(&self, address: u64) -> Option<usize> {
        self.program.word_index(address)
    }

    fn read(&self, number: usize, address: u64) -> Option<(Inst, Option<u64>)> {
        let inst = self.program.decode_word(number).ok()?;
        let target = match inst.flow() {
            Flow::Indirect if self.extent.is_function() && is_return(&inst) => None,
            Flow::Indirect => self.extent.target(address),
            _ => direct_target(&inst, address),
        };
        Some((inst, target))
    }

    fn holds(&self, address: u64) -> bool {
        self.extent.at(address) == At::Own
    }
}

/// Finds the code that is reachable from `entry`.
pub(crate) fn find<E: Extent>(program: &Program, entry: u64, extent: &E, search: &mut Search) -> Code {
    let held = Held { program, extent };
    search.begin(&held, Through::STOPS, MOST);
    search.follow(&held, entry);
    let flow = search.finish();
    let blocks = Blocks::new(flow, entry);
    let mut code = Code {
        insts: flow.sites.iter().map(|site| Facts::new(site.inst)).collect(),
        pcs: flow.sites.iter().map(|site| site.address).collect(),
        blocks: blocks.all,
        order: blocks.order,
        ..Code::default()
    };
    code.see_jumps(flow, &held);
    code.see_troubles(flow, &held);
    code.blame();
    code
}

/// Whether `inst` is a return from a function.
fn is_return(inst: &Inst) -> bool {
    inst.opcode == Opcode::Sop1(Sop1::SSetpcB64) && inst.src(0) == Src::Sgpr(RETURN_PAIR)
}

impl Code {
    /// Notes returns, and jumps that cannot be followed.
    fn see_jumps<E: Extent>(&mut self, flow: &gcnsim_flow::Flow, held: &Held<'_, E>) {
        for inst in flow.open.iter().filter_map(|&pc| Some(flow.sites[flow.index_of(pc)?].inst)) {
            match held.extent.is_function() {
                _ if inst.flow() != Flow::Indirect => self.incomplete = Some("forks cannot be followed"),
                true => self.returns |= is_return(&inst),
                false => {
                    self.incomplete.get_or_insert("a computed jump cannot be followed");
                }
            }
        }
        if flow.is_cut {
            self.incomplete = Some("too long");
        }
    }

    /// Notes where control leaves the code, or enters the middle of an instruction.
    fn see_troubles<E: Extent>(&mut self, flow: &gcnsim_flow::Flow, held: &Held<'_, E>) {
        let inst = |pc: u64| flow.index_of(pc).map(|i| flow.sites[i].inst);
        let mut add = |place, pc| self.troubles.push(Trouble { place, pc });
        for &(from, to) in &flow.strays {
            // A jump to another function is a tail call.
            let is_there = held.program.word_index(to).is_some() && to.is_multiple_of(4);
            let is_tail_call = is_there && held.extent.at(to) == At::Other;
            let is_computed = inst(from).is_some_and(|inst| inst.flow() == Flow::Indirect);
            if !(is_tail_call || is_computed && !held.holds(to)) {
                add(Place::BranchTarget, from);
            }
        }
        let stops = |pc: u64| inst(pc).is_some_and(|inst| matches!(inst.flow(), Flow::Halt | Flow::Trap));
        flow.falls.iter().filter(|&&pc| !stops(pc)).for_each(|&pc| add(Place::FallsOffEnd, pc));
        flow.illegal.iter().for_each(|&pc| add(Place::Illegal, pc));
        for pair in flow.sites.windows(2).filter(|pair| pair[1].address < pair[0].next()) {
            add(Place::BranchTarget, pair[1].address);
        }
    }

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
