//! Predecoded code: instructions decoded once, when first reached, and blocks over them.
//!
//! Instructions lie in *runs* in one array: bodies, closed by one whose role is another. A run is decoded
//! from the dword where execution arrives until control may go elsewhere, or until it meets a dword decoded
//! before (then `Role::Goto` closes it). A block is a run from some instruction on: a jump into the middle of
//! a run makes a block, but decodes nothing again. Dense arrays over dword offsets find instructions and blocks.

use gcnsim_isa::table::{Sop2, Sopc, Sopp};
use gcnsim_isa::{Inst, Note, Notes, Opcode, Pred, Program, decode};

use super::op::{Any, Exec, Imm, Op, Reg, Role, SrcKind, Step, leave, leave_to_next};
use super::register::RegCode;
use super::{sop1, sop2, sopc, sopk, sopp, vopc};

/// Indices into [`Block::successors`], and into [`Op::imm`] of the last instruction.
pub(super) const TARGET: usize = 0;
pub(super) const NEXT: usize = 1;

/// A successor not looked up yet.
pub(super) const UNKNOWN: u32 = u32::MAX;

/// Cost of a block that begins with what does not execute, or whose notes are still to be taken in this run: so that one test
/// of the budget finds all that is rare.
pub(super) const CANNOT: u64 = u64::MAX;

/// Longest run, so that what is decoded ahead stays small beside what is executed.
const RUN_MAX: usize = 1024;

/// What is rarely needed of an instruction.
#[derive(Clone, Copy)]
pub(super) struct OpInfo {
    /// Notes raised whenever it executes.
    pub notes: Notes,
    /// Index of its first dword.
    pub word: u32,
    pub role: Role,
    /// [`gcnsim_isa::Kind`] as a number.
    pub kind: u8,
}

/// A stretch of instructions that execute one after the other. Fills a cache line.
#[derive(Clone, Copy)]
#[repr(align(64))]
pub(super) struct Block {
    /// Executes it, given the instructions from its first one on.
    pub exec: Exec,
    /// Budget that lets it be executed as a whole: `len`, or [`CANNOT`].
    pub cost: u64,
    /// Address where it begins.
    pub pc: u64,
    /// The next block by [`Way`]; [`UNKNOWN`] for those that do not tell.
    pub successors: [u32; 4],
    /// Its first instruction in `ops`.
    pub first: u32,
    /// Its last instruction (or mark) in `ops`; what is before is body.
    pub last: u32,
    /// Instructions in it, the last included if it is one and completes.
    pub len: u32,
    /// Dword where it begins.
    pub word: u32,
    /// Dword of the last instruction that completes.
    pub last_word: u32,
    pub role: Role,
    /// Was it entered at a dword that lies inside an instruction?
    pub interior: bool,
}

const _: () = assert!(size_of::<Block>() == 64);

/// A program's predecoded code.
#[derive(Clone)]
pub(super) struct Code {
    pub program: Program,
    base: u64,
    /// What the first instruction in `ops` does.
    first: Exec,
    pub ops: Vec<Op>,
    pub info: Vec<OpInfo>,
    pub blocks: Vec<Block>,
    /// Notes of all instructions of a block and of entering it, per block.
    pub notes: Vec<Notes>,
    /// Blocks whose notes this run has taken.
    noted: Vec<u32>,
    /// Instructions by class, per block.
    pub classes: Vec<[u32; 6]>,
    /// Per dword: number of its instruction in `ops` plus 1, or 0.
    op_at: Vec<u32>,
    /// Per dword: number of its block in `blocks` plus 1, or 0.
    block_at: Vec<u32>,
}

impl Code {
    pub fn new(program: &Program) -> Code {
        let words = program.word_count();
        let expected = words.min(256);
        Code {
            program: program.clone(),
            base: program.base(),
            first: leave,
            ops: Vec::with_capacity(expected),
            info: Vec::with_capacity(expected),
            blocks: Vec::with_capacity(expected.min(16)),
            notes: Vec::with_capacity(expected.min(16)),
            noted: Vec::new(),
            classes: Vec::with_capacity(expected.min(16)),
            op_at: vec![0; words],
            block_at: vec![0; words],
        }
    }

    /// The block at an address, if it has been made.
    #[inline]
    pub fn find(&self, pc: u64) -> Option<u32> {
        let word = usize::try_from(pc.wrapping_sub(self.base) / 4).ok()?;
        self.block_at.get(word)?.checked_sub(1)
    }

    /// The number of a block.
    pub fn id(&self, block: &Block) -> u32 {
        self.block_at.get(block.word as usize).map_or(UNKNOWN, |number| number.wrapping_sub(1))
    }

    /// The block at an address, or `None` outside the program. `by_jump`: not by falling through.
    pub fn enter(&mut self, pc: u64, by_jump: bool) -> Option<u32> {
        match self.find(pc) {
            Some(id) => Some(id),
            None => self.program.word_index(pc).map(|word| self.new_block(word, by_jump)),
        }
    }

    /// The notes of a block, if a budget lets it be executed as a whole. From now on its cost is its length.
    pub fn admit(&mut self, id: u32, left: u64) -> Option<Notes> {
        let block = &mut self.blocks[id as usize];
        if block.len == 0 || left < block.len as u64 {
            return None;
        }
        if block.cost == CANNOT {
            block.cost = block.len as u64;
            self.noted.push(id);
        }
        Some(self.notes[id as usize])
    }

    /// At the end of a run: the next run has to take the notes of blocks again.
    pub fn forget_notes(&mut self) {
        for id in self.noted.drain(..) {
            self.blocks[id as usize].cost = CANNOT;
        }
    }

    #[cold]
    fn new_block(&mut self, word: usize, by_jump: bool) -> u32 {
        if self.op_at[word] == 0 {
            self.decode_run(word);
        }
        let first = self.op_at[word] - 1;
        // Straight-line code from an instruction never enters the inside of another.
        let interior = by_jump && self.program.is_interior(word);
        let mut block = Block {
            exec: self.exec(first),
            cost: CANNOT,
            pc: self.program.address(word),
            successors: [UNKNOWN; 4],
            first,
            last: first,
            len: 0,
            word: word as u32,
            last_word: word as u32,
            role: Role::Stop,
            interior,
        };
        let mut notes = if interior { Notes::of(Note::JumpIntoLiteral) } else { Notes::NONE };
        let mut classes = [0; 6];
        for (op, info) in (first..).zip(&self.info[first as usize..]) {
            block.last = op;
            block.role = info.role;
            if matches!(info.role, Role::Goto | Role::Stop) {
                break;
            }
            block.len += 1;
            block.last_word = info.word;
            notes = notes.or(info.notes);
            classes[info.kind as usize] += 1;
            if info.role != Role::Body {
                break;
            }
        }
        if block.len != 0 && notes.is_empty() {
            block.cost = block.len as u64;
        }
        self.notes.push(notes);
        self.blocks.push(block);
        self.classes.push(classes);
        self.block_at[word] = self.blocks.len() as u32;
        self.blocks.len() as u32 - 1
    }

    fn decode_run(&mut self, start: usize) {
        let program = self.program.clone();
        let (words, _) = program.bytes().as_chunks::<4>();
        let fetch = |i: usize| words.get(i).map(|&bytes| u32::from_le_bytes(bytes));
        let run_start = self.ops.len();
        let mut word = start;
        let mut before = None;
        loop {
            let Some(dword) = fetch(word) else { return self.push_mark(Role::Goto, word) };
            if self.op_at[word] != 0 || self.ops.len() - run_start >= RUN_MAX {
                return self.push_mark(Role::Goto, word);
            }
            self.op_at[word] = self.ops.len() as u32 + 1;
            let decoded = decode(program.arch(), dword, fetch(word + 1));
            let role = match &decoded {
                Ok(inst) => self.push(inst, word),
                Err(_) => Role::Stop,
            };
            match (role, &decoded) {
                (Role::Body, Ok(inst)) => {
                    before = Some(inst.opcode);
                    word += inst.size() as usize / 4;
                }
                (Role::Jump, Ok(inst)) => return self.fuse(before, inst.opcode),
                (Role::Stop, _) => return self.push_mark(Role::Stop, word),
                _ => return,
            }
        }
    }

    /// Appends an instruction, unless it is one that stops the run. Its role.
    #[inline]
    fn push(&mut self, inst: &Inst, word: usize) -> Role {
        if inst.unsupported().is_some() {
            return Role::Stop;
        }
        let sources = inst.src_count();
        let absent = (SrcKind::Sgpr, RegCode::R0, 0);
        let (kind0, src0, mut imm0) = if sources > 0 { SrcKind::of(inst, 0) } else { absent };
        let (kind1, src1, mut imm1) = if sources > 1 { SrcKind::of(inst, 1) } else { absent };
        let kind = [kind0, kind1];

        // Addresses go where immediate sources leave room for them.
        let pc = self.program.address(word);
        if !matches!(kind1, SrcKind::Imm | SrcKind::Vgpr) {
            imm1 = pc.wrapping_add(inst.size() as u64);
        }
        if kind0 != SrcKind::Imm {
            match inst.opcode {
                Opcode::Sopp(_) | Opcode::Sopk(_) => imm0 = pc.wrapping_add_signed(inst.branch_offset()),
                // Its target may be a constant, which takes the other place; its mask is none.
                Opcode::Sop2(Sop2::SCbranchGFork) => imm0 = pc.wrapping_add(inst.size() as u64),
                _ => {}
            }
        }

        let (step, field) = predecode(inst, kind);
        if step.role != Role::Stop {
            let pred = match inst.opcode {
                Opcode::Vopc(opcode) => opcode.cmp().pred,
                _ => Pred::F,
            };
            let dst = RegCode::new(inst.dst().unwrap_or(0));
            self.follow(step.exec);
            self.ops.push(Op { next: leave, imm: [imm0, imm1], src: [src0, src1], kind, dst, pred, field });
            let (notes, kind) = (inst.static_notes(), inst.desc().kind as u8);
            self.info.push(OpInfo { notes, word: word as u32, role: step.role, kind });
        }
        step.role
    }

    /// Lets the compare before a conditional branch that was just appended branch itself. (The branch stays: something may jump
    /// to it.)
    fn fuse(&mut self, before: Option<Opcode>, branch: Opcode) {
        let taken_if = match branch {
            Opcode::Sopp(Sopp::SCbranchScc0) => false,
            Opcode::Sopp(Sopp::SCbranchScc1) => true,
            _ => return,
        };
        let (Some(Opcode::Sopc(compare)), [.., op, _]) = (before, &self.ops[..]) else { return };
        let Some(exec) = compare_and_branch(compare, op.kind, taken_if) else { return };
        match &mut self.ops[..] {
            [.., before, _, _] => before.next = exec,
            _ => self.first = exec,
        }
    }

    /// Tells the last instruction what the next one does.
    fn follow(&mut self, exec: Exec) {
        match self.ops.last_mut() {
            Some(last) => last.next = exec,
            None => self.first = exec,
        }
    }

    /// What the instruction with a number does.
    fn exec(&self, op: u32) -> Exec {
        match op.checked_sub(1) {
            Some(before) => self.ops[before as usize].next,
            None => self.first,
        }
    }

    /// Closes a run with what is no instruction.
    fn push_mark(&mut self, role: Role, word: usize) {
        self.follow(if role == Role::Goto { leave_to_next } else { leave });
        self.ops.push(Op::mark(self.program.address(word)));
        self.info.push(OpInfo { notes: Notes::NONE, word: word as u32, role, kind: 0 });
    }
}

/// Function of a compare with sources of these kinds and a branch that is taken if SCC is `taken_if`.
fn compare_and_branch(compare: Sopc, kind: [SrcKind; 2], taken_if: bool) -> Option<Exec> {
    use sopc::step_and_branch;
    match (kind, taken_if) {
        ([SrcKind::Sgpr, SrcKind::Sgpr], false) => step_and_branch::<Reg, Reg, false>(compare),
        ([SrcKind::Sgpr, SrcKind::Sgpr], true) => step_and_branch::<Reg, Reg, true>(compare),
        ([SrcKind::Sgpr, SrcKind::Imm], false) => step_and_branch::<Reg, Imm, false>(compare),
        ([SrcKind::Sgpr, SrcKind::Imm], true) => step_and_branch::<Reg, Imm, true>(compare),
        _ => None,
    }
}

/// Function and role of an instruction with sources of these kinds, and what it finds in [`Op::field`].
fn predecode(inst: &Inst, kind: [SrcKind; 2]) -> (Step, u16) {
    match inst.opcode {
        Opcode::Sop1(opcode) => {
            let step = match kind[0] {
                SrcKind::Sgpr => sop1::step::<Reg>(opcode),
                SrcKind::Imm => sop1::step::<Imm>(opcode),
                _ => sop1::step::<Any>(opcode),
            };
            (step, inst.arch.sgpr_count() as u16)
        }
        Opcode::Sop2(opcode) => {
            let step = match kind {
                [SrcKind::Sgpr, SrcKind::Sgpr] => sop2::step::<Reg, Reg>(opcode),
                [SrcKind::Sgpr, SrcKind::Imm] => sop2::step::<Reg, Imm>(opcode),
                [SrcKind::Imm, SrcKind::Sgpr] => sop2::step::<Imm, Reg>(opcode),
                _ => sop2::step::<Any, Any>(opcode),
            };
            (step, 0)
        }
        Opcode::Sopc(opcode) => {
            let step = match kind {
                [SrcKind::Sgpr, SrcKind::Sgpr] => sopc::step::<Reg, Reg>(opcode),
                [SrcKind::Sgpr, SrcKind::Imm] => sopc::step::<Reg, Imm>(opcode),
                [SrcKind::Imm, SrcKind::Sgpr] => sopc::step::<Imm, Reg>(opcode),
                _ => sopc::step::<Any, Any>(opcode),
            };
            (step, inst.ssrc1_field() as u16)
        }
        Opcode::Sopk(opcode) => {
            let step = match kind[0] {
                SrcKind::Imm => sopk::step::<Imm, Imm>(opcode),
                _ => sopk::step::<Reg, Imm>(opcode),
            };
            (step, inst.simm16() as u16)
        }
        Opcode::Sopp(opcode) => (sopp::step(opcode, inst.simm16()), inst.simm16() as u16),
        Opcode::Vopc(opcode) => (vopc::step(opcode.cmp()), vopc::field(inst)),
        Opcode::Other(_) => (Step::stop(Role::Stop), 0),
    }
}
