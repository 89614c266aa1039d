//! Predecoded code: instructions decoded once, when first reached, and blocks over them.
//!
//! Instructions lie in *runs* in one array: bodies, closed by one whose role is another. A run is decoded
//! from the dword where execution arrives until control may go elsewhere, or until it meets a dword decoded
//! before (then `Role::Goto` closes it). A block is a run from some instruction on: a jump into the middle of
//! a run makes a block, but decodes nothing again. Dense arrays over dword offsets find instructions and blocks.

use gcnsim_isa::{Inst, Note, Notes, Opcode, Program, decode};

use super::op::{Any, Imm, Op, Reg, Role, SrcKind};
use super::{sop1, sop2, sopc, sopk, sopp, vopc};

/// Successor numbers in [`Block::successors`] and indices into [`Op::imm`] of the last instruction.
pub(super) const TARGET: usize = 0;
pub(super) const NEXT: usize = 1;

/// A successor not looked up yet.
pub(super) const UNKNOWN: u32 = u32::MAX;

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

/// A stretch of instructions that execute one after the other.
#[derive(Clone, Copy)]
pub(super) struct Block {
    /// First instruction in `ops`.
    pub first: u32,
    /// The instruction (or mark) that closes it; everything from `first` up to here is body.
    pub last: u32,
    /// Instructions in it, the last included if it is one and completes.
    pub len: u32,
    pub role: Role,
    /// Was it entered at a dword that lies inside an instruction?
    pub interior: bool,
    /// Dword where it begins.
    pub word: u32,
    /// Dword of the last instruction that completes.
    pub last_word: u32,
    /// Blocks at `TARGET` and `NEXT`.
    pub successors: [u32; 2],
    /// Notes of all its instructions and of entering it.
    pub notes: Notes,
    /// Instructions by class.
    pub classes: [u32; 6],
}

/// A program's predecoded code.
#[derive(Clone)]
pub(super) struct Code {
    pub program: Program,
    pub ops: Vec<Op>,
    pub info: Vec<OpInfo>,
    pub blocks: Vec<Block>,
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
            ops: Vec::with_capacity(expected),
            info: Vec::with_capacity(expected),
            blocks: Vec::with_capacity(expected.min(16)),
            op_at: vec![0; words],
            block_at: vec![0; words],
        }
    }

    /// The block at an address, or `None` outside the program. `by_jump`: not by falling through.
    #[inline]
    pub fn enter(&mut self, pc: u64, by_jump: bool) -> Option<u32> {
        let word = self.program.word_index(pc)?;
        match self.block_at.get(word)? {
            0 => Some(self.new_block(word, by_jump)),
            n => Some(n - 1),
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
            first,
            last: first,
            len: 0,
            role: Role::Stop,
            interior,
            word: word as u32,
            last_word: word as u32,
            successors: [UNKNOWN; 2],
            notes: if interior { Notes::of(Note::JumpIntoLiteral) } else { Notes::NONE },
            classes: [0; 6],
        };
        for info in &self.info[first as usize..] {
            block.role = info.role;
            if matches!(info.role, Role::Goto | Role::Stop) {
                break;
            }
            block.len += 1;
            block.last_word = info.word;
            block.notes = block.notes.or(info.notes);
            block.classes[info.kind as usize] += 1;
            if info.role != Role::Body {
                break;
            }
            block.last += 1;
        }
        self.blocks.push(block);
        self.block_at[word] = self.blocks.len() as u32;
        self.blocks.len() as u32 - 1
    }

    fn decode_run(&mut self, start: usize) {
        let arch = self.program.arch();
        let program = self.program.clone();
        let (words, _) = program.bytes().as_chunks::<4>();
        let mut word = start;
        let fetch = |i: usize| words.get(i).map(|&bytes| u32::from_le_bytes(bytes));
        let run_start = self.ops.len();
        loop {
            let Some(dword) = fetch(word) else { return self.push_mark(Role::Goto, word) };
            if self.op_at[word] != 0 || self.ops.len() - run_start >= RUN_MAX {
                return self.push_mark(Role::Goto, word);
            }
            self.op_at[word] = self.ops.len() as u32 + 1;
            let Some((inst, role, mut op)) = decode(arch, dword, fetch(word + 1)).ok().and_then(predecode) else {
                return self.push_mark(Role::Stop, word);
            };
            let pc = program.address(word);
            let next = word + inst.size() as usize / 4;
            set_addresses(&inst, &mut op, pc);
            self.ops.push(op);
            let kind = inst.desc().kind as u8;
            self.info.push(OpInfo { notes: inst.static_notes(), word: word as u32, role, kind });
            if role != Role::Body {
                return;
            }
            word = next;
        }
    }

    /// Closes a run with what is no instruction.
    fn push_mark(&mut self, role: Role, word: usize) {
        let mut op = Op::new(|_, _| {});
        op.imm[NEXT] = self.program.address(word);
        self.ops.push(op);
        self.info.push(OpInfo { notes: Notes::NONE, word: word as u32, role, kind: 0 });
    }
}

/// Addresses go where immediate sources leave room for them.
fn set_addresses(inst: &Inst, op: &mut Op, pc: u64) {
    if op.kind[1] != SrcKind::Imm {
        op.imm[NEXT] = pc.wrapping_add(inst.size() as u64);
    }
    if op.kind[0] != SrcKind::Imm && matches!(inst.opcode, Opcode::Sopp(_) | Opcode::Sopk(_)) {
        op.imm[TARGET] = pc.wrapping_add_signed(inst.branch_offset());
    }
}

/// One of four functions made for the shapes (register, register), (register, immediate), (immediate, register), (any, any).
fn by_shape<T: Copy>(kind: [SrcKind; 2], steps: [T; 4]) -> T {
    use SrcKind::{Imm, Sgpr};
    steps[match kind {
        [Sgpr, Sgpr] => 0,
        [Sgpr, Imm] => 1,
        [Imm, Sgpr] => 2,
        _ => 3,
    }]
}

/// Operands, function and role of an instruction; `None` if it is not executed.
fn predecode(inst: Inst) -> Option<(Inst, Role, Op)> {
    if inst.unsupported().is_some() {
        return None;
    }
    let mut op = Op::new(|_, _| {});
    for i in 0..inst.src_count() {
        op.set_src(i, inst.src(i));
    }
    op.dst = inst.dst().unwrap_or(0);
    let step = match inst.opcode {
        Opcode::Sop1(opcode) => {
            op.field = inst.arch.sgpr_count() as u16;
            match op.kind[0] {
                SrcKind::Sgpr => sop1::step::<Reg>(opcode),
                SrcKind::Imm => sop1::step::<Imm>(opcode),
                _ => sop1::step::<Any>(opcode),
            }
        }
        Opcode::Sop2(opcode) => by_shape(
            op.kind,
            [sop2::step::<Reg, Reg>, sop2::step::<Reg, Imm>, sop2::step::<Imm, Reg>, sop2::step::<Any, Any>],
        )(opcode),
        Opcode::Sopc(opcode) => {
            op.field = inst.ssrc1_field() as u16;
            by_shape(
                op.kind,
                [sopc::step::<Reg, Reg>, sopc::step::<Reg, Imm>, sopc::step::<Imm, Reg>, sopc::step::<Any, Any>],
            )(opcode)
        }
        Opcode::Sopk(opcode) => {
            op.field = inst.simm16() as u16;
            match op.kind[0] {
                SrcKind::Imm => sopk::step::<Imm, Imm>(opcode),
                _ => sopk::step::<Reg, Imm>(opcode),
            }
        }
        Opcode::Sopp(opcode) => {
            op.field = inst.simm16() as u16;
            sopp::step(opcode, inst.simm16())
        }
        Opcode::Vopc(opcode) => {
            if inst.unsupported().is_some() {
                return None;
            }
            op.pred = opcode.cmp().pred;
            op.field = vopc::field(&inst);
            vopc::step(opcode.cmp())?
        }
        Opcode::Other(_) => return None,
    };
    if step.role == Role::Stop {
        return None;
    }
    op.exec = step.exec;
    Some((inst, step.role, op))
}
