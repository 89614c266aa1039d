//! Predecoded code: instructions decoded once, when first reached, and blocks over them.
//!
//! Instructions lie in *runs* in one array: bodies, closed by one whose role is another. A run is decoded
//! from the dword where execution arrives until control may go elsewhere, or until it meets a dword decoded
//! before (then `Role::Goto` closes it). A block is a run from some instruction on: a jump into the middle of
//! a run makes a block, but decodes nothing again. Dense arrays over dword offsets find instructions and blocks.

use gcnsim_isa::{Kind, Note, Notes, Program, Resolved, Resolver};

use super::op::{Exec, Op, Role, leave, leave_to_next};
use super::template::Template;

/// Indices into [`Block::successors`], and into [`Op::imm`] of the last instruction.
pub(super) const TARGET: usize = 0;
pub(super) const NEXT: usize = 1;

/// A successor not looked up yet.
pub(super) const UNKNOWN: u32 = u32::MAX;

/// Cost of a block that begins with what does not execute, or whose notes are still to be taken in this run: so that one test
/// of the budget finds all that is rare.
pub(super) const CANNOT: u64 = u64::MAX;

/// Longest run, in dwords, so that what is decoded ahead stays small beside what is executed.
const RUN_MAX: usize = 1023;

/// What is rarely needed of an instruction.
#[derive(Clone, Copy)]
pub(super) struct OpInfo {
    /// Notes raised whenever it executes.
    pub notes: Notes,
    /// Index of its first dword.
    pub word: u32,
    /// Its number in [`gcnsim_isa::table::core_rows`].
    pub row: u16,
    pub role: Role,
    /// [`gcnsim_isa::Kind`] as a number.
    pub kind: u8,
}

/// [`OpInfo::kind`] of marks: behind those of instructions.
const MARK: u8 = Kind::ALL.len() as u8;

/// Bits of a counter of instructions of one kind in a block; a run is no longer than that can count.
const COUNTER_BITS: u8 = 10;

/// A stretch of instructions that execute one after the other. As long as a cache line, but not aligned to it: aligned memory takes
/// long to get.
#[derive(Clone, Copy)]
pub(super) struct Block {
    /// Executes it, given the instructions from its first one on.
    pub exec: Exec,
    /// Budget that lets it be executed as a whole: `len`, or [`CANNOT`].
    pub cost: u64,
    /// Address where it begins.
    pub pc: u64,
    /// The next block by [`super::op::Way`]; [`UNKNOWN`] for those that do not tell. Where the target is computed, the first two are
    /// those that came first.
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

/// What a block adds to a run.
#[derive(Clone, Copy)]
pub(super) struct Tally {
    /// Notes of all its instructions and of entering it.
    notes: Notes,
    /// Its instructions by class.
    pub classes: [u32; 6],
}

/// What is known of a dword.
#[derive(Clone, Copy, Default)]
struct Place {
    /// Number of its instruction in `ops`, or 0.
    op: u32,
    /// Number of its block in `blocks` plus 1, or 0.
    block: u32,
}

/// Predecoded instructions. Both lists are longer than what they hold: room is made for a run at a time. Number 0 is none: it is there
/// to say what the first one does.
#[derive(Clone, Default)]
pub(super) struct Insts {
    pub ops: Vec<Op>,
    /// One for each of `ops`.
    pub info: Vec<OpInfo>,
    /// How many there are, or 0 at first.
    len: usize,
}

/// A program's predecoded code.
#[derive(Clone)]
pub(super) struct Code {
    pub program: Program,
    base: u64,
    resolver: &'static Resolver,
    templates: &'static [Template],
    pub insts: Insts,
    pub blocks: Vec<Block>,
    /// Blocks whose notes this run has taken.
    noted: Vec<u32>,
    /// What is not needed at every visit, per block.
    pub tallies: Vec<Tally>,
    /// One for each dword.
    places: Vec<Place>,
}

/// The memory of predecoded code that is not needed any more, for the next program.
#[derive(Default)]
pub struct Memory {
    insts: Insts,
    blocks: Vec<Block>,
    noted: Vec<u32>,
    tallies: Vec<Tally>,
    places: Vec<Place>,
}

/// Most dwords of a program whose memory is kept.
const KEPT_WORDS: usize = 1 << 16;

impl Code {
    pub fn new(program: &Program, memory: Memory) -> Code {
        let Memory { mut insts, mut blocks, mut noted, mut tallies, mut places } = memory;
        insts.len = 0;
        blocks.clear();
        noted.clear();
        tallies.clear();
        places.clear();
        places.resize(program.word_count(), Place::default());
        Code {
            program: program.clone(),
            base: program.base(),
            resolver: Resolver::of(program.arch()),
            templates: Template::all(program.arch()),
            insts,
            blocks,
            noted,
            tallies,
            places,
        }
    }

    /// Its memory, unless that is a lot.
    pub fn into_memory(self) -> Memory {
        let Code { insts, blocks, noted, tallies, places, .. } = self;
        if places.capacity() > KEPT_WORDS {
            Memory::default()
        } else {
            Memory { insts, blocks, noted, tallies, places }
        }
    }

    /// The block at an address, if it has been made.
    #[inline]
    pub fn find(&self, pc: u64) -> Option<u32> {
        self.places.get(usize::try_from(self.word_at(pc)).ok()?)?.block.checked_sub(1)
    }

    /// The number of a block.
    pub fn id(&self, block: &Block) -> u32 {
        self.places.get(block.word as usize).map_or(UNKNOWN, |place| place.block.wrapping_sub(1))
    }

    /// Index of the dword at an address, also of what would be there outside the program.
    #[inline]
    pub fn word_at(&self, pc: u64) -> u64 {
        pc.wrapping_sub(self.base) / 4
    }

    /// The block at an address, or `None` outside the program. `by_jump`: not by falling through.
    pub fn enter(&mut self, pc: u64, by_jump: bool) -> Option<u32> {
        match self.find(pc) {
            Some(id) => Some(id),
            None => {
                let word = usize::try_from(self.word_at(pc)).ok().filter(|&word| word < self.places.len())?;
                Some(self.new_block(word, by_jump))
            }
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
        Some(self.tallies[id as usize].notes)
    }

    /// At the end of a run: the next run has to take the notes of blocks again.
    pub fn forget_notes(&mut self) {
        for id in self.noted.drain(..) {
            self.blocks[id as usize].cost = CANNOT;
        }
    }

    #[cold]
    fn new_block(&mut self, word: usize, by_jump: bool) -> u32 {
        if self.places[word].op == 0 {
            self.decode_run(word);
        }
        let first = self.places[word].op;
        // Straight-line code from an instruction never enters the inside of another.
        let interior = by_jump && self.program.is_interior(word);
        let mut block = Block {
            exec: self.insts.ops[first as usize - 1].next,
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
        // One counter for each kind.
        let mut classes = 0u64;
        let mut end = first;
        for info in &self.insts.info[first as usize..self.insts.len] {
            end += 1;
            notes = notes.or(info.notes);
            classes += 1 << (COUNTER_BITS * info.kind);
            block.role = info.role;
            if !info.role.goes_on() {
                break;
            }
        }
        block.last = end - 1;
        // A mark is no instruction; it counts as one of no kind.
        block.len = end - first - matches!(block.role, Role::Goto | Role::Stop) as u32;
        if block.len > 0 {
            block.last_word = self.insts.info[(first + block.len - 1) as usize].word;
            if notes.is_empty() {
                block.cost = block.len as u64;
            }
        }
        self.blocks.push(block);
        let count = |kind: usize| (classes >> (COUNTER_BITS as usize * kind) & ((1 << COUNTER_BITS) - 1)) as u32;
        self.tallies.push(Tally { notes, classes: std::array::from_fn(count) });
        self.places[word].block = self.blocks.len() as u32;
        self.blocks.len() as u32 - 1
    }

    fn decode_run(&mut self, start: usize) {
        let Code { program, base, resolver, templates, insts, places, .. } = self;
        let (words, _) = program.bytes().as_chunks::<4>();
        let fetch = |i: usize| words.get(i).map(|&bytes| u32::from_le_bytes(bytes));
        let address = |word: usize| base.wrapping_add(4 * word as u64);
        let end = words.len().min(start + RUN_MAX);
        insts.make_room(end - start + 1);
        let mut run = RunWriter::new(insts);
        let mut word = start;
        // What is before the run is not before its first instruction.
        let mut first_link = None;
        // What is no instruction closes the run.
        let mark = loop {
            let (Some(dword), Some(place)) = (fetch(word), places.get_mut(word)) else { break Some(Role::Goto) };
            if place.op != 0 || word >= end {
                break Some(Role::Goto);
            }
            place.op = run.len as u32;
            // Told apart here, so that what most instructions give stays in registers.
            let (role, size) = match resolver.look_up(dword, || fetch(word + 1)) {
                Some(inst) => run.push(templates, &inst, dword, word, address(word)),
                None => match resolver.by_decoding(dword, fetch(word + 1)) {
                    Some(inst) => run.push(templates, &inst, dword, word, address(word)),
                    None => break Some(Role::Stop),
                },
            };
            match role {
                Role::Body => word += size,
                Role::Link => {
                    if word > start {
                        first_link.get_or_insert(place.op as usize);
                    }
                    word += size;
                }
                Role::Stop => break Some(Role::Stop),
                _ => break None,
            }
        };
        if let Some(role) = mark {
            let info = OpInfo { notes: Notes::NONE, word: word as u32, row: 0, role, kind: MARK };
            run.append(Op::mark(address(word)), if role == Role::Goto { leave_to_next } else { leave }, info);
        }
        insts.len = run.len;
        if let Some(first) = first_link {
            insts.fuse_links(templates, first);
        }
        if mark.is_none() && word > start {
            insts.fuse_branch(templates);
        }
    }
}

impl Insts {
    /// Lets the compare before a conditional branch, which is the last instruction, branch itself. (The branch stays: something
    /// may jump to it.)
    fn fuse_branch(&mut self, templates: &[Template]) {
        let [compare, branch] = [self.len - 2, self.len - 1];
        let template = |i: usize| &templates[self.info[i].row as usize];
        if let Some(taken_if) = template(branch).taken_if
            && let Some(exec) = template(compare).exec_and_branch(&self.ops[compare], taken_if)
        {
            self.ops[compare - 1].next = exec;
        }
    }

    /// Lets instructions before links of carry chains, the first of which is given, execute those too. (They stay as well.)
    fn fuse_links(&mut self, templates: &[Template], first: usize) {
        let template = |row: u16| &templates[row as usize];
        for link in (first..self.len).filter(|&i| self.info[i].role == Role::Link) {
            let [op, link_op] = [&self.ops[link - 1], &self.ops[link]];
            let [row, link_row] = [link - 1, link].map(|i| self.info[i].row);
            if let Some(exec) = template(row).exec_and_link(op, template(link_row), link_op) {
                self.ops[link - 2].next = exec;
            }
        }
    }

    /// Makes room for some more instructions.
    fn make_room(&mut self, more: usize) {
        self.len = self.len.max(1);
        if self.len + more > self.ops.len() {
            let info = OpInfo { notes: Notes::NONE, word: 0, row: 0, role: Role::Stop, kind: MARK };
            self.ops.resize(self.len + more, Op::mark(0));
            self.info.resize(self.len + more, info);
        }
    }
}

/// Appends the instructions of a run. It does not know the lists as such, so that their addresses stay in registers.
struct RunWriter<'a> {
    before: &'a mut Op,
    ops: std::slice::IterMut<'a, Op>,
    info: std::slice::IterMut<'a, OpInfo>,
    len: usize,
}

impl<'a> RunWriter<'a> {
    /// Behind all that there are; there must be room for one.
    fn new(insts: &'a mut Insts) -> RunWriter<'a> {
        let len = insts.len;
        let (before, after) = insts.ops.split_at_mut(len);
        RunWriter { before: &mut before[len - 1], ops: after.iter_mut(), info: insts.info[len..].iter_mut(), len }
    }
}

impl RunWriter<'_> {
    /// Appends the instruction at a dword, unless it is one that stops the run. Its role and length in dwords.
    #[inline(always)]
    fn push(
        &mut self,
        templates: &[Template],
        inst: &Resolved,
        dword: u32,
        word: usize,
        address: u64,
    ) -> (Role, usize) {
        let template = &templates[inst.row as usize];
        let role = template.role(dword);
        if role != Role::Stop {
            let next = address.wrapping_add(4 * inst.words as u64);
            let mut op = template.op(inst, dword, next);
            if !role.goes_on() {
                template.set_target(&mut op, dword, next);
            }
            self.append(
                op,
                template.exec(inst),
                OpInfo { notes: inst.notes, word: word as u32, row: inst.row, role, kind: template.kind },
            );
        }
        (role, inst.words as usize)
    }

    #[inline(always)]
    fn append(&mut self, op: Op, exec: Exec, info: OpInfo) {
        // There is room (`Insts::make_room`).
        if let (Some(place), Some(info_place)) = (self.ops.next(), self.info.next()) {
            self.before.next = exec;
            *place = op;
            *info_place = info;
            self.before = place;
            self.len += 1;
        }
    }
}
