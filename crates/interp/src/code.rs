//! Predecoded code: instructions that are decoded once, when they are first reached, and blocks over them.
//!
//! Instructions lie in *runs* in one array. All instructions of a run but the last have the role `Role::Body` or
//! `Role::Add`. A run is decoded from the dword where execution arrives, up to where control may go elsewhere or to a
//! dword that was decoded before (then a `Role::Goto` mark closes it). A block is the part of a run from some
//! instruction to the end. So a jump into the middle of a run makes a block, but decodes nothing again. Dense arrays
//! over dword offsets find instructions and blocks.

use std::hint::{cold_path, select_unpredictable};
use std::{iter, mem, slice};

use gcnsim_isa::{CoreNotes, Found, Note, Notes, Opcode, Program, Resolver};

use super::classes::Classes;
use super::memory::{MemoryOp, run_memory};
use super::op::run_vector_with_lds;
use super::op::{Exec, Op, OpInfo, Role, Traits, Vector, Way, leave, leave_to_next, run_interpolation, run_vector};
use super::template::{self, Look, Plain, Template, chain_and_link, compare_and_branch, templates};
use super::vector::interpolation::Interpolation;
use super::vector::op::VectorOp;
use gcnsim_machine::Wave;

/// Indices into [`Block::successors`], and into [`Op::imm`] of the last instruction.
pub(super) const TARGET: usize = 0;
pub(super) const NEXT: usize = 1;

/// A successor that has not been looked up yet.
pub(super) const UNKNOWN: u32 = u32::MAX;

/// Budget that is needed to execute a block as a whole.
#[derive(Clone, Copy, PartialEq)]
pub(super) struct Cost(i32);

impl Cost {
    /// The cost of a block that begins with something that does not execute, or whose notes have not been taken in this
    /// run. No budget covers it, so that one test of the budget finds all rare cases.
    const CANNOT: Cost = Cost(-1);

    /// The largest budget that does not cover [`Cost::CANNOT`].
    pub const MAX_BUDGET: u64 = Cost::CANNOT.get() - 1;

    /// The cost of an ordinary block: its length.
    fn of_length(len: u16) -> Cost {
        Cost(len.into())
    }

    #[inline(always)]
    pub const fn get(self) -> u64 {
        self.0 as i64 as u64
    }
}

/// Longest run, in dwords. It limits what is decoded ahead but never executed.
pub(super) const RUN_MAX: usize = 1023;

/// Instructions that execute one after the other. A block is as long as a cache line, but not aligned to one:
/// allocating aligned memory takes long.
#[derive(Clone, Copy)]
pub(super) struct Block {
    /// The function that executes the block, given its instructions.
    pub exec: Exec,
    /// Counts of its instructions by class.
    pub classes: Classes,
    /// The next block by [`super::op::Way`]; [`UNKNOWN`] for ways that have not been taken. Where the target is
    /// computed, the first two are the targets that came first.
    pub successors: [u32; 4],
    /// Index of its first instruction in `ops`.
    pub first: u32,
    /// Budget that is needed to execute it as a whole: `len`, or [`Cost::CANNOT`].
    pub cost: Cost,
    /// Dword where it begins.
    pub word: u32,
    /// Dword of the last instruction that completes.
    pub last_word: u32,
    /// Notes of all its instructions and of entering it.
    notes: CoreNotes,
    /// Number of its instructions. The last one counts if it is an instruction that completes.
    pub len: u16,
    pub role: Role,
    /// Whether it begins at a dword inside an instruction.
    pub interior: bool,
}

impl Block {
    /// Whether much of it are slow instructions. Loops of such blocks get hot sooner.
    #[inline(always)]
    pub fn is_heavy(&self) -> bool {
        self.classes.vector_accesses() * ACCESSES_OF_HEAVY >= self.len.into()
    }

    /// Number of scalar instructions that its slow ones count for beyond their number.
    #[inline(always)]
    pub fn extra(&self) -> u64 {
        u64::from(self.classes.vector_accesses()) * ACCESS
    }
}

/// Number of scalar instructions that take the interpreter as long as an access of all lanes of a wave.
const ACCESS: u64 = 64;
/// One instruction of so many makes a block heavy.
const ACCESSES_OF_HEAVY: u32 = 16;

const _: () = assert!(size_of::<Block>() == 64);

impl Block {
    /// Index of its last instruction (or mark) in `ops`.
    #[inline]
    pub fn last(&self) -> usize {
        self.first as usize + self.len as usize - !self.role.is_mark() as usize
    }
}

/// A program and its dwords.
#[derive(Clone, Copy)]
pub(super) struct Text<'a> {
    pub program: &'a Program,
    words: &'a [[u8; 4]],
}

impl<'a> Text<'a> {
    pub fn of(program: &'a Program) -> Text<'a> {
        Text { program, words: program.words() }
    }

    fn word(self, index: usize) -> Option<u32> {
        self.words.get(index).map(|&bytes| u32::from_le_bytes(bytes))
    }

    /// The program up to a dword.
    fn until(self, end: usize) -> Text<'a> {
        Text { words: &self.words[..end], ..self }
    }
}

/// The knowledge of a dword. [`OP`] is the index of its instruction in `ops`, or 0. [`BLOCK`] is the index of its
/// block in `blocks` plus 1, or 0. It is an array, so that the system zeroes the memory of a list when it is first
/// touched: a large program takes memory only for what execution reaches.
type Place = [u32; 2];
const OP: usize = 0;
const BLOCK: usize = 1;

/// Number of instructions at which predecoded code is forgotten before more is decoded. It bounds the memory (some
/// hundred megabytes). Only programs that execute so many different instructions ever decode twice.
const MOST_INSTS: usize = 1 << 22;

/// Predecoded instructions. Both lists are longer than their content: room is made for a run at a time. The instruction
/// with index 0 does not exist; its entry holds the function of the first one.
#[derive(Clone, Default)]
pub(super) struct Insts {
    pub ops: Vec<Op>,
    /// One entry for each of `ops`.
    pub info: Vec<OpInfo>,
    /// Number of entries in use, or 0 at first.
    len: usize,
}

/// Instructions whose operands do not fit an [`Op`]. The first constant of their [`Op`] is the index.
#[derive(Clone, Default)]
pub(super) struct Tables {
    /// Vector instructions.
    pub vectors: Vec<Vector>,
    /// Memory instructions.
    pub accesses: Vec<MemoryOp>,
    /// Interpolations, and notes that their words decide.
    pub interpolations: Vec<(Interpolation, Notes)>,
}

/// A program's predecoded code.
#[derive(Clone)]
pub(super) struct Code {
    base: u64,
    /// The tables of the program's generation, once they are made.
    resolver: Option<&'static Resolver<Template>>,
    pub insts: Insts,
    pub tables: Tables,
    pub blocks: Vec<Block>,
    /// Blocks whose notes this run has taken.
    noted: Vec<u32>,
    /// One entry for each dword.
    places: Vec<Place>,
    has_pairs: bool,
}

/// Number of instructions that execute one after the other, without a new block among them, before pairs of
/// instructions are made. Pairs pay only in loops.
pub(super) const PAIRS_FROM: u64 = 1 << 13;

/// Most dwords of a program whose memory is kept for the next one.
const KEPT_WORDS: usize = 1 << 16;

impl Code {
    /// Makes the code of a program of which nothing is decoded yet.
    pub fn new(text: Text) -> Box<Code> {
        let mut code = Box::new(Code {
            base: 0,
            resolver: None,
            insts: Insts::default(),
            tables: Tables::default(),
            blocks: Vec::new(),
            noted: Vec::new(),
            places: Vec::new(),
            has_pairs: false,
        });
        code.begin(text);
        code
    }

    /// Begins with another program, of which nothing is decoded yet. Keeps the memory unless it is large.
    pub fn begin(&mut self, text: Text) {
        if self.places.capacity() > KEPT_WORDS {
            self.places = Vec::new();
            self.forget();
        }
        (self.base, self.resolver, self.has_pairs) = (text.program.base(), None, false);
        self.insts.len = 0;
        self.tables.vectors.clear();
        self.tables.accesses.clear();
        self.tables.interpolations.clear();
        self.blocks.clear();
        self.noted.clear();
        self.clear_places(text.words.len());
    }

    /// Forgets what is known of all dwords.
    fn clear_places(&mut self, words: usize) {
        if words <= self.places.capacity().min(KEPT_WORDS) {
            self.places.clear();
            self.places.resize(words, [0; 2]);
        } else {
            // The old list is freed first: both may be large.
            self.places = Vec::new();
            self.places = vec![[0; 2]; words];
        }
    }

    /// Whether there is so much predecoded code that it should be forgotten.
    pub fn is_full(&self) -> bool {
        self.insts.len > MOST_INSTS
    }

    /// Forgets all instructions and blocks. Their indices become invalid.
    #[cold]
    pub fn forget(&mut self) {
        self.insts = Insts::default();
        self.tables = Tables::default();
        self.blocks = Vec::new();
        self.noted.clear();
        self.clear_places(self.places.len());
    }

    /// The block at an address, if it exists.
    #[inline]
    pub fn find(&self, pc: u64) -> Option<u32> {
        self.places.get(usize::try_from(self.word_at(pc)).ok()?)?[BLOCK].checked_sub(1)
    }

    /// The number of one of the blocks.
    #[inline]
    pub fn number_of(&self, block: &Block) -> u32 {
        self.blocks.element_offset(block).map_or(u32::MAX, |number| number as u32)
    }

    /// Address of a dword.
    pub fn address(&self, word: u32) -> u64 {
        self.base.wrapping_add(4 * word as u64)
    }

    /// Index of the dword at an address, also for addresses outside the program.
    #[inline]
    pub fn word_at(&self, pc: u64) -> u64 {
        pc.wrapping_sub(self.base) / 4
    }

    /// The block at an address, or `None` outside the program. `anywhere` says that the address may lie inside an
    /// instruction.
    pub fn enter(&mut self, text: Text, pc: u64, anywhere: bool) -> Option<u32> {
        match self.find(pc) {
            Some(id) => Some(id),
            None => {
                let word = usize::try_from(self.word_at(pc)).ok().filter(|&word| word < self.places.len())?;
                text.program.known_end(word)?;
                Some(self.new_block(text, word, anywhere))
            }
        }
    }

    /// The address where control goes from a block that is left by a way without a known block, and the index of
    /// the successor to set.
    pub fn way_out(&self, block: u32, way: Way, wave: &Wave) -> (u64, Option<usize>) {
        let block = &self.blocks[block as usize];
        let last = &self.insts.ops[block.last()];
        if way == Way::Computed {
            return (wave.state.pc, [TARGET, NEXT].into_iter().find(|&i| block.successors[i] == UNKNOWN));
        }
        let successor = select_unpredictable(way == Way::Target, TARGET, NEXT);
        (last.imm[successor], Some(successor))
    }

    /// The notes of a block that this run has not taken, if the budget covers the whole block. From then on its cost is
    /// its length.
    pub fn admit(&mut self, id: u32, left: u64) -> Option<CoreNotes> {
        let block = &mut self.blocks[id as usize];
        if block.len == 0 || left < block.len as u64 {
            return None;
        }
        if block.cost != Cost::CANNOT {
            return Some(CoreNotes::NONE);
        }
        block.cost = Cost::of_length(block.len);
        self.noted.push(id);
        Some(block.notes)
    }

    /// Ends a run: the next run has to take the notes of blocks again.
    pub fn forget_notes(&mut self) {
        for id in self.noted.drain(..) {
            self.blocks[id as usize].cost = Cost::CANNOT;
        }
    }

    #[cold]
    fn new_block(&mut self, text: Text, word: usize, anywhere: bool) -> u32 {
        let interior = anywhere && text.program.is_interior_among(text.words, word);
        let stretch = match self.places[word][OP] {
            0 => self.decode_run(text, word),
            first => self.insts.rest_of_run(first),
        };
        let Stretch { first, end, role, classes, mut notes } = stretch;
        notes.insert_if(interior, Note::JumpIntoLiteral);
        // A mark is no instruction. It is counted as one of no kind.
        let len = (end - first - role.is_mark() as u32) as u16;
        self.blocks.push(Block {
            exec: self.insts.ops[first as usize - 1].next,
            classes,
            successors: [UNKNOWN; 4],
            first,
            cost: if len > 0 && notes.is_empty() { Cost::of_length(len) } else { Cost::CANNOT },
            word: word as u32,
            last_word: if len > 0 { self.insts.info[first as usize + len as usize - 1].word } else { word as u32 },
            notes,
            len,
            role,
            interior,
        });
        self.places[word][BLOCK] = self.blocks.len() as u32;
        self.blocks.len() as u32 - 1
    }

    /// Decodes the run that begins at a dword.
    fn decode_run(&mut self, text: Text, start: usize) -> Stretch {
        let arch = text.program.arch();
        self.resolver = self.resolver.or_else(|| template::useful(arch));
        let stretch = match self.resolver {
            Some(resolver) => self.decode_run_by(resolver, text, start),
            None => {
                let stretch = self.decode_run_by(&Plain(arch), text, start);
                template::count_plain(arch, stretch.end - stretch.first);
                stretch
            }
        };
        if self.has_pairs {
            self.make_pairs(text, stretch.first as usize);
        }
        stretch
    }

    /// Decodes the run that begins at a dword. `look` finds the instructions.
    fn decode_run_by<L: Look>(&mut self, look: &L, text: Text, start: usize) -> Stretch {
        let Code { base, insts, tables, places, .. } = self;
        let base = *base;
        let address = |word: usize| base.wrapping_add(4 * word as u64);
        // `behind_short` is `address(word + 1)` with one addition less in the loop.
        let behind_short = |word: usize| address(1).wrapping_add(4 * word as u64);
        let text = text.until(text.program.known_end(start).unwrap_or(start));
        let end = text.words.len().min(places.len()).min(start + RUN_MAX);
        // The mark at the end takes one more place.
        insts.make_room(end - start + 1);
        let first = insts.len as u32;
        let mut run = RunWriter::new(insts);
        let (words, places) = (&text.words[..end], &mut places[..end]);
        let (mut word, mut own) = (start, Template::NONE);
        let role = loop {
            let Some((op, info)) = run.room.next() else { break Role::Stop };
            if word >= end || places[word][OP] != 0 {
                cold_path();
                break run.append_mark(op, info, address(word), word, Role::Goto);
            }
            let dword = u32::from_le_bytes(words[word]);
            places[word][OP] = run.len() - 1;
            // The ordinary case is handled here, so that its values stay in registers.
            let found = match look.look_up(dword, op) {
                Ok(found) if found.of_user.is_body() => {
                    run.append(op, info, &found, dword, word, behind_short(word));
                    word += 1;
                    continue;
                }
                Ok(found) => {
                    cold_path();
                    found
                }
                Err(incomplete) => match look.complete(incomplete, dword, text.word(word + 1), op, &mut own) {
                    Some(found) if found.of_user.is_body() => {
                        let next = word + found.words as usize;
                        run.append(op, info, &found, dword, word, address(next));
                        word = next;
                        continue;
                    }
                    Some(found) => found,
                    // `append_beside` returns little, so that `run` stays in registers.
                    None => match append_beside(text, word, tables, op, info) {
                        Some(beside) => {
                            run.append_as(op, beside.exec, beside.one);
                            word = beside.next;
                            continue;
                        }
                        None => break run.append_mark(op, info, address(word), word, Role::Stop),
                    },
                },
            };
            let next = word + found.words as usize;
            match found.of_user.role(dword) {
                Role::Stop => break run.append_mark(op, info, address(word), word, Role::Stop),
                role => {
                    found.of_user.set_target(op, dword, address(next));
                    let before = run.append(op, info, &found, dword, word, address(next));
                    info.traits.role = role;
                    if found.of_user.halts_if_odd() && role == Role::Halt {
                        // The function of S_SETHALT's template would go on to the next decoded instruction.
                        before.next = leave;
                    }
                    if !role.goes_on() {
                        break role;
                    }
                }
            }
            word = next;
        };
        let mut stretch = Stretch { first, end: run.len(), role, classes: run.classes, notes: run.notes };
        insts.len = stretch.end as usize;
        stretch.classes.tell_apart(&insts.info[first as usize..insts.len]);
        stretch
    }

    /// Whether pairs of instructions have a function for both.
    pub fn has_pairs(&self) -> bool {
        self.has_pairs
    }

    /// Makes pairs, now and in all code that is decoded later.
    #[cold]
    pub fn make_all_pairs(&mut self, text: Text) {
        self.has_pairs = true;
        self.make_pairs(text, 1);
        for block in &mut self.blocks {
            block.exec = self.insts.ops[block.first as usize - 1].next;
        }
    }

    /// Makes pairs in a run, from an instruction on: the first instruction of a pair gets a function that executes
    /// both. The second one keeps its own function, for jumps to it.
    fn make_pairs(&mut self, text: Text, first: usize) {
        let Insts { ops, info, len } = &mut self.insts;
        let resolver = templates(text.program.arch());
        let resolve = |info: &OpInfo| {
            let word = info.word as usize;
            let (resolved, _) = resolver.resolve(text.word(word)?, text.word(word + 1))?;
            Some((resolved, text.program.decode_word(word).ok()?.opcode))
        };
        for (second, pair) in (first + 1..*len).zip(info[first..*len].windows(2)) {
            let exec = match [pair[0].traits.role, pair[1].traits.role] {
                [before, _] if !before.goes_on() => None,
                [_, Role::Jump] => resolve(&pair[0]).zip(resolve(&pair[1])).and_then(compare_and_branch),
                roles => chain_and_link(roles, [&ops[second - 1], &ops[second]]),
            };
            if let Some(exec) = exec {
                ops[second - 2].next = exec;
            }
        }
    }
}

/// An instruction whose operands lie in a table beside the instructions.
struct Beside {
    exec: Exec,
    /// The addend for the counters of classes.
    one: u64,
    /// The dword after it.
    next: usize,
}

/// Decodes the vector or memory instruction at a dword, if it is one that executes. Its operands go to the
/// tables, their index to `op`. Most shaders of a batch use few forms of few instructions, so the tables of a
/// [`Resolver`] would not pay here.
#[inline(never)]
fn append_beside(text: Text, word: usize, tables: &mut Tables, op: &mut Op, info: &mut OpInfo) -> Option<Beside> {
    let inst = text.program.decode_word(word).ok()?;
    if inst.unsupported().is_some() {
        return None;
    }
    let (exec, number) = match inst.opcode {
        _ if inst.attribute_access().is_some() => {
            tables.interpolations.push((Interpolation::new(&inst)?, inst.static_notes()));
            (run_interpolation as Exec, tables.interpolations.len() - 1)
        }
        Opcode::Vop1(_) | Opcode::Vop2(_) | Opcode::Vopc(_) | Opcode::Vop3(_) | Opcode::Vop3p(_) => {
            tables.vectors.push(Vector { op: VectorOp::new(&inst), notes: inst.static_notes() });
            let exec = if inst.reads_lds_directly() { run_vector_with_lds } else { run_vector as Exec };
            (exec, tables.vectors.len() - 1)
        }
        _ => {
            let pc = text.program.base().wrapping_add(4 * word as u64);
            tables.accesses.push(MemoryOp::new(&inst)?.at(pc));
            (run_memory as Exec, tables.accesses.len() - 1)
        }
    };
    let kind = inst.desc().kind as u8;
    *op = Op::mark(0);
    op.imm[0] = number as u64;
    *info = OpInfo { notes: CoreNotes::NONE, word: word as u32, traits: Traits { role: Role::Body, kind } };
    Some(Beside { exec, one: Classes::one(kind), next: word + inst.size() as usize / 4 })
}

/// Instructions in `Insts` from one of them to the end of its run.
struct Stretch {
    first: u32,
    /// Index after the last instruction or mark.
    end: u32,
    /// Role of the last instruction or mark.
    role: Role,
    classes: Classes,
    /// Notes of all its instructions.
    notes: CoreNotes,
}

impl Insts {
    /// The instructions from one of them to the end of its run.
    fn rest_of_run(&self, first: u32) -> Stretch {
        let mut stretch =
            Stretch { first, end: first, role: Role::Stop, classes: Classes::default(), notes: CoreNotes::NONE };
        for info in &self.info[first as usize..self.len] {
            stretch.end += 1;
            stretch.notes = stretch.notes.or(info.notes);
            stretch.classes.add_one(Classes::one(info.traits.kind));
            stretch.role = info.traits.role;
            if !info.traits.role.goes_on() {
                break;
            }
        }
        stretch.classes.tell_apart(&self.info[first as usize..stretch.end as usize]);
        stretch
    }

    /// Makes room for more instructions.
    fn make_room(&mut self, more: usize) {
        self.len = self.len.max(1);
        if self.len + more > self.ops.len() {
            self.ops.resize(self.len + more, Op::mark(0));
            self.info.resize(self.len + more, OpInfo::mark(0, Role::Stop));
        }
    }
}

/// Appends the instructions of a run. It holds slices of the lists, so that their addresses stay in registers.
struct RunWriter<'a> {
    /// The last instruction. It holds the function of the next one.
    before: &'a mut Op,
    /// The free room after it.
    room: iter::Zip<slice::IterMut<'a, Op>, slice::IterMut<'a, OpInfo>>,
    /// Number of instructions once there is no free room left.
    full: u32,
    /// Notes of all instructions.
    notes: CoreNotes,
    classes: Classes,
}

impl<'a> RunWriter<'a> {
    /// Starts after all existing instructions.
    fn new(insts: &'a mut Insts) -> RunWriter<'a> {
        let len = insts.len;
        let (before, ops) = insts.ops[len - 1..].split_first_mut().expect("number 0");
        let room = ops.iter_mut().zip(&mut insts.info[len..]);
        RunWriter { before, full: (len + room.len()) as u32, room, notes: CoreNotes::NONE, classes: Classes::default() }
    }

    /// Number of instructions, with the one whose room was taken last.
    #[inline(always)]
    fn len(&self) -> u32 {
        self.full - self.room.len() as u32
    }

    /// Appends the instruction at dword `word`, whose operands are set. `next` is the address after it. Returns the
    /// instruction before it.
    #[inline(always)]
    fn append(
        &mut self,
        op: &'a mut Op,
        info: &mut OpInfo,
        found: &Found<Template>,
        dword: u32,
        word: usize,
        next: u64,
    ) -> &'a mut Op {
        let template = found.of_user;
        *info = OpInfo { notes: found.notes, word: word as u32, traits: template.traits };
        self.notes = self.notes.or(info.notes);
        let exec = template.complete(op, found.modifiers, dword, next);
        self.append_as(op, exec, template.one)
    }

    /// Appends an instruction that is complete but for its function.
    #[inline(always)]
    fn append_as(&mut self, op: &'a mut Op, exec: Exec, one: u64) -> &'a mut Op {
        self.classes.add_one(one);
        self.before.next = exec;
        mem::replace(&mut self.before, op)
    }

    /// Closes a run with a mark, and returns the mark's role.
    fn append_mark(&mut self, op: &'a mut Op, info: &mut OpInfo, address: u64, word: usize, role: Role) -> Role {
        (*op, *info) = (Op::mark(address), OpInfo::mark(word as u32, role));
        self.classes.add_one(Classes::one(info.traits.kind));
        self.before.next = if role == Role::Goto { leave_to_next } else { leave };
        role
    }
}
