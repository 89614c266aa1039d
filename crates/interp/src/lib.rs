//! The reference interpreter: it defines what programs do, with one function per mnemonic.
//!
//! [`Interp`] predecodes a program block by block as execution reaches it (`code.rs`). A predecoded instruction is a
//! function pointer with resolved operands (`op.rs`, made by `template.rs`). The functions are in one module per
//! encoding: `sop1`, `sop2`, `sopc`, `sopk`, `sopp`, `vopc`, `vop1`, `vop2`, `vop3`, `vop3p`. Code shared across
//! encodings is in `jump`, `fork`, `movrel`, `hwreg` and `gpr_idx`; for vector instructions it is in `vector` and
//! `float`. Memory instructions are in `memory`.
//!
//! Instructions are counted per block. The last block before the limit is executed in part, so that a run never
//! completes more instructions than it was allowed.
//!
//! ```
//! use gcnsim_interp::Interp;
//! use gcnsim_isa::{Arch, Program};
//! use gcnsim_machine::Outcome;
//! use gcnsim_machine::Wave;
//! // s_add_u32 s2, s0, 3; s_endpgm
//! let program = Program::from_words(Arch::Gcn14, &[0x8002_8300, 0xbf81_0000]);
//! let mut wave = Wave::new(&program);
//! wave.state.sgpr[0] = 39;
//! assert_eq!(Interp::new(&program).run(&mut wave, 1_000), Outcome::Ended);
//! assert_eq!((wave.state.sgpr[2], wave.executed), (42, 2));
//! ```
#![deny(unsafe_code)]

mod class;
mod classes;
mod code;
mod float;
mod fork;
mod gpr_idx;
mod hot;
mod hwreg;
mod image;
mod jump;
mod lanes;
mod memory;
mod movrel;
mod op;
mod register;
mod sop1;
mod sop2;
mod sopc;
mod sopk;
mod sopp;
mod template;
mod vector;
mod vintrp;
mod vop1;
mod vop2;
mod vop3;
mod vop3p;
mod vopc;

use gcnsim_isa::{CoreNotes, FetchError, Note, Program};

use gcnsim_machine::Context;

use classes::ClassSum;
use code::{Block, Code, Cost, NEXT, PAIRS_FROM, RUN_MAX, TARGET, Text};
use gcnsim_machine::Wave;
use gcnsim_machine::outcome::{Detail, MEMORY, Outcome};
pub use hot::{HotCounters, Ways};
use hot::{Unwatched, Watch};
pub use memory::{Effect, Footprint, MemoryOp, Pattern, Touch};
use op::{Env, Role, Way};

/// The reference interpreter for one program. It holds the predecoded form, which grows as execution reaches new code.
/// Any number of runs, of any waves, may follow each other.
pub struct Interp {
    program: Program,
    code: Box<Code>,
    /// The context of runs that are given none. It is made when it is first needed.
    context: Option<Box<Context>>,
    counts_classes: bool,
}

/// The reason for which [`Interp::run_counting`] returned.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stop {
    /// The run is over.
    Done(Outcome),
    /// A jump arrived at a hot or compiled target. PC is there, the state is exact, and there is budget left.
    Hot,
}

/// A clone has the same predecoded code, but no memory and LDS of its own yet.
impl Clone for Interp {
    fn clone(&self) -> Self {
        let Interp { program, code, counts_classes, context: _ } = self;
        Interp { program: program.clone(), code: code.clone(), context: None, counts_classes: *counts_classes }
    }
}

impl Interp {
    /// An interpreter that has not decoded anything yet.
    pub fn new(program: &Program) -> Interp {
        Interp { code: Code::new(Text::of(program)), program: program.clone(), context: None, counts_classes: false }
    }

    /// Begins with another program, of which nothing is decoded yet, in the memory of the last one.
    pub fn begin(&mut self, program: &Program) {
        self.code.begin(Text::of(program));
        (self.program, self.context) = (program.clone(), None);
    }

    /// Forgets the memory and LDS of runs that are given no context.
    pub fn forget_context(&mut self) {
        self.context = None;
    }

    /// Counts completed instructions by class in [`Wave::classes`] from now on.
    pub fn count_classes(&mut self) {
        self.counts_classes = true;
    }

    /// Ends what [`count_classes`](Interp::count_classes) began.
    pub fn ignore_classes(&mut self) {
        self.counts_classes = false;
    }

    /// Runs until the wave stops or `max` further instructions have completed, never one more.
    ///
    /// [`Outcome::Budget`] means that `max` is used up and the wave could go on. The next instruction is not looked at,
    /// so it does not matter whether it would fault, trap or be outside the program. A wave that ends with its last
    /// allowed instruction has [`Outcome::Ended`]. State, counts and `last_pc` of the wave are exact whatever the
    /// outcome.
    pub fn run(&mut self, wave: &mut Wave, max: u64) -> Outcome {
        let mut context = self.context.take().unwrap_or_default();
        let outcome = self.run_alone(wave, &mut context, max);
        self.context = Some(context);
        outcome
    }

    /// Runs a wave in a context: guest memory and LDS. (Without a context there is an LDS, and no memory but the
    /// program's code.) Barriers do not hold the wave up.
    pub fn run_alone(&mut self, wave: &mut Wave, context: &mut Context, max: u64) -> Outcome {
        let end = wave.executed.saturating_add(max);
        loop {
            match self.run_in(wave, context, end - wave.executed) {
                Outcome::Barrier => {}
                outcome => return outcome,
            }
        }
    }

    /// Runs a wave of a group in a context. S_BARRIER stops it, with [`Outcome::Barrier`].
    pub fn run_in(&mut self, wave: &mut Wave, context: &mut Context, max: u64) -> Outcome {
        match self.run_watched(wave, context, max, &mut Unwatched) {
            Stop::Done(outcome) => outcome,
            // Only a watch stops a run in this way.
            Stop::Hot => Outcome::Budget,
        }
    }

    /// Runs a wave of a group in a context, and counts the arrivals over backward jumps (whose target is at or before
    /// the jump). Stops at a target that reaches the threshold, and at targets marked as compiled. The start of the run
    /// counts only when a jump comes back to it. The counters must belong to the same program.
    pub fn run_counting(&mut self, wave: &mut Wave, context: &mut Context, max: u64, hot: &mut HotCounters) -> Stop {
        self.run_watched(wave, context, max, hot)
    }

    /// Runs a wave of a group in a context, and notes by which ways it leaves blocks. Stops when `ways` is full.
    pub fn run_noting(&mut self, wave: &mut Wave, context: &mut Context, max: u64, ways: &mut Ways) -> Stop {
        self.run_watched(wave, context, max, ways)
    }

    /// The first dwords of all instructions in blocks that runs have entered. Some in the last block of a run that used
    /// up its budget may not have executed. An instruction may be named more than once.
    pub fn entered_words(&self) -> impl Iterator<Item = usize> + '_ {
        let insts = |block: &Block| &self.code.insts.info[block.first as usize..][..block.len as usize];
        self.code.blocks.iter().flat_map(insts).map(|info| info.word as usize)
    }

    /// The address and the first target of each computed jump that runs have taken.
    pub fn computed_jumps(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        let blocks = &self.code.blocks;
        let first =
            |block: &Block| blocks.get(block.successors[TARGET] as usize).filter(|_| block.role == Role::Computed);
        let address = |word: u32| self.code.address(word);
        blocks.iter().filter_map(move |block| Some((address(block.last_word), address(first(block)?.word))))
    }

    fn run_watched<W: Watch>(&mut self, wave: &mut Wave, context: &mut Context, max: u64, watch: &mut W) -> Stop {
        if self.counts_classes {
            self.run_blocks::<W, true>(wave, context, max, watch)
        } else {
            self.run_blocks::<W, false>(wave, context, max, watch)
        }
    }

    #[inline(never)]
    fn run_blocks<W: Watch, const CLASSES: bool>(
        &mut self,
        wave: &mut Wave,
        context: &mut Context,
        max: u64,
        watch: &mut W,
    ) -> Stop {
        if max == 0 {
            return Stop::Done(Outcome::Budget);
        }
        // A larger budget would cover a block that must not execute.
        let max = max.min(Cost::MAX_BUDGET);
        if wave.state.pc & 3 != 0 {
            wave.state.notes.insert(Note::PcLowBits);
            wave.state.pc &= !3;
        }
        let mut run = Run {
            budget: max,
            left: max,
            held_back: 0,
            notes: CoreNotes::NONE,
            admitted: None,
            last_word: None,
            classes: ClassSum::default(),
        };
        let stop = self.run_from::<W, CLASSES>(wave, context, &mut run, watch);
        self.code.forget_notes();
        wave.executed += max - run.left;
        run.classes.flush(&mut wave.classes);
        wave.state.notes = wave.state.notes.or(run.notes.into());
        if let Some(word) = run.last_word {
            wave.last_pc = Some(self.code.address(word));
        }
        match stop {
            Some(stop) => stop,
            None if run.left == 0 => Stop::Done(Outcome::Budget),
            None => {
                let error = FetchError::OutOfRange(wave.state.pc);
                Stop::Done(Outcome::from_fetch_error(error, wave.state.pc, wave.last_pc))
            }
        }
    }

    /// Runs from PC on. Returns `None` if PC has left the program.
    fn run_from<W: Watch, const CLASSES: bool>(
        &mut self,
        wave: &mut Wave,
        context: &mut Context,
        run: &mut Run,
        watch: &mut W,
    ) -> Option<Stop> {
        let Interp { program, code, .. } = self;
        let text = Text::of(program);
        let mut id = code.enter(text, wave.state.pc, true)?;
        loop {
            let Some(notes) = code.admit(id, run.left) else {
                let done = run_part::<CLASSES>(program, code, &code.blocks[id as usize], wave, context, run);
                let outcome = match done {
                    false => memory_fault(program, context, wave.state.pc),
                    true if run.left == 0 => Outcome::Budget,
                    true if read_clock::<CLASSES>(code, text, id, wave, run) => {
                        id = code.enter(text, wave.state.pc, true)?;
                        continue;
                    }
                    true => refusal(program, wave.state.pc),
                };
                return Some(Stop::Done(outcome));
            };
            run.admit(id, notes);
            run.hold_back(code);
            let left = run_linked::<W, CLASSES>(code, text, id, wave, context, run, watch);
            if run.left < RUN_MAX as u64 && run.held_back > 0 {
                code.make_all_pairs(text);
            }
            run.left += run.held_back;
            match left.why {
                Why::End => {
                    let stop = stopped(program, code, left.block, wave, run.left);
                    let is_refused = matches!(stop, Stop::Done(Outcome::Trap(_)));
                    if !is_refused || !read_clock::<CLASSES>(code, text, left.block, wave, run) {
                        return Some(stop);
                    }
                    id = code.enter(text, wave.state.pc, true)?;
                }
                Why::Stopped(op) => {
                    stop_at::<CLASSES>(code, left.block, op as usize, wave, run);
                    return Some(Stop::Done(memory_fault(program, context, wave.state.pc)));
                }
                Why::Held => id = left.block,
                Why::Hot => return Some(Stop::Hot),
                Why::Outside => return None,
                Why::Full { anywhere } => {
                    code.forget();
                    run.admitted = None;
                    id = code.enter(text, wave.state.pc, anywhere)?;
                }
            }
        }
    }
}

/// State of a run that is kept outside the wave.
struct Run {
    /// Number of instructions that the run might complete at its start.
    budget: u64,
    /// Number of instructions that it may still complete.
    left: u64,
    /// The part of `left` that [`run_linked`] does not get.
    held_back: u64,
    /// Static notes of the executed instructions.
    notes: CoreNotes,
    /// The last block with notes that was admitted, the value of `left` then, and the notes before it.
    admitted: Option<(u32, u64, CoreNotes)>,
    /// Dword of the last completed instruction.
    last_word: Option<u32>,
    /// Counts by class that have not been added to the wave.
    classes: ClassSum,
}

impl Run {
    /// Called when a block is about to be executed for the first time in this run, or has no notes.
    fn admit(&mut self, id: u32, notes: CoreNotes) {
        if !notes.is_empty() {
            self.admitted = Some((id, self.left, self.notes));
            self.notes = self.notes.or(notes);
        }
    }

    /// Holds back part of the budget as long as there are no pairs, so that [`run_linked`] returns after a while.
    fn hold_back(&mut self, code: &Code) {
        self.held_back = if code.has_pairs() { 0 } else { self.left.saturating_sub(PAIRS_FROM) };
        self.left -= self.held_back;
    }
}

/// The progress of [`run_linked`], which fits two registers.
#[derive(Clone, Copy)]
struct Left {
    block: u32,
    why: Why,
}

/// The reason for which [`run_linked`] returns.
#[derive(Clone, Copy)]
enum Why {
    /// The wave ended, halted, or stands at an instruction that does not execute.
    End,
    /// The budget is below the cost of the block.
    Held,
    /// PC is at a hot target.
    Hot,
    /// PC is outside the program.
    Outside,
    /// There is too much decoded code, and nothing is decoded at PC, which may be inside an instruction.
    Full { anywhere: bool },
    /// The instruction with this index could not execute.
    Stopped(u32),
}

/// Runs from block to block as long as the budget covers the next one. It covers the first one.
#[inline(never)]
fn run_linked<W: Watch, const CLASSES: bool>(
    code: &mut Code,
    text: Text,
    first: u32,
    wave: &mut Wave,
    context: &mut Context,
    run: &mut Run,
    watch: &mut W,
) -> Left {
    let left = run.left - code.blocks[first as usize].cost.get();
    let mut at = At { block: first, before: u32::MAX, left, scc: wave.state.scc != 0 };
    let why = loop {
        let mut env = Env::new(text.program, code, context);
        // A new block often leads to another new one, so it is executed here: a call of `run_known` would cost more.
        let block = &code.blocks[at.block as usize];
        let Some(body) = code.insts.ops.get(block.first as usize..) else { break Why::Held };
        if CLASSES {
            run.classes.add(&block.classes, block.len, &mut wave.classes);
        }
        let exit = (block.exec)(wave, body, at.scc, &mut env);
        at.scc = exit.scc;
        let gone = match code.blocks.get(block.successors[exit.way as usize] as usize) {
            None => Gone::New(exit.way),
            Some(next) => {
                (at.before, at.block) = (at.block, code.number_of(next));
                match arrive(watch, exit.way, block, next, at.left, run.held_back) {
                    Ok(rest) => {
                        at.left = rest;
                        run_known::<W, CLASSES>(code, wave, &mut env, &mut at, run, watch)
                    }
                    Err(why) => Gone::Nowhere(why),
                }
            }
        };
        match gone {
            Gone::Nowhere(why) => break stay(code, why, &at, wave, run),
            Gone::New(Way::Role) => {
                if let Some(rest) = env.stopped.take() {
                    break stay(code, Why::Stopped((code.insts.ops.len() - rest) as u32), &at, wave, run);
                }
                run.last_word = Some(code.blocks[at.block as usize].last_word);
                break Why::End;
            }
            Gone::New(way) => {
                (run.left, run.last_word) = (at.left, Some(code.blocks[at.block as usize].last_word));
                let new = link(code, text, at.block, way, wave, run);
                at.left = run.left;
                match new {
                    Ok(new) => (at.before, at.block) = (at.block, new),
                    Err(why) => break why,
                }
                let (before, block) = (&code.blocks[at.before as usize], &code.blocks[at.block as usize]);
                match arrive(watch, way, before, block, at.left, run.held_back) {
                    Ok(rest) => at.left = rest,
                    Err(why) => break stay(code, why, &at, wave, run),
                }
            }
        }
    };
    run.left = at.left;
    wave.state.scc = at.scc as u32;
    Left { block: at.block, why }
}

/// The progress of [`run_linked`].
struct At {
    /// The block to execute.
    block: u32,
    /// The one before it, if that was executed.
    before: u32,
    /// The budget that is left after the block.
    left: u64,
    scc: bool,
}

/// The reason for which [`run_known`] returns.
enum Gone {
    /// The block was left by a way without a known block.
    New(Way),
    /// The block was not executed.
    Nowhere(Why),
}

/// Runs from block to block as long as they are known. This is a function of its own, so that all it needs fits the
/// registers of the host: it takes 27 host instructions from one block to the next. The first lines of its loop stand
/// in [`run_linked`] too. Shared, as a function or a macro, they made it take 32 to 37: count again when you change it.
#[inline(never)]
fn run_known<W: Watch, const CLASSES: bool>(
    code: &Code,
    wave: &mut Wave,
    env: &mut Env,
    at: &mut At,
    run: &mut Run,
    watch: &mut W,
) -> Gone {
    let (blocks, ops) = (&code.blocks[..], &code.insts.ops[..]);
    let (mut before, mut block) = (blocks.get(at.before as usize), &blocks[at.block as usize]);
    let (mut left, mut scc) = (at.left, at.scc);
    let gone = loop {
        // Every block begins inside `ops`.
        let Some(body) = ops.get(block.first as usize..) else { break Gone::Nowhere(Why::Held) };
        if CLASSES {
            run.classes.add(&block.classes, block.len, &mut wave.classes);
        }
        let exit = (block.exec)(wave, body, scc, env);
        scc = exit.scc;

        let mut next = blocks.get(block.successors[exit.way as usize] as usize);
        if next.is_none() && exit.way == Way::Computed {
            next = computed(code, block, wave.state.pc);
        }
        let Some(next) = next else { break Gone::New(exit.way) };
        let last = block;
        (before, block) = (Some(block), next);
        match arrive(watch, exit.way, last, block, left, run.held_back) {
            Ok(rest) => left = rest,
            Err(why) => break Gone::Nowhere(why),
        }
    };
    let before = before.map_or(u32::MAX, |before| code.number_of(before));
    *at = At { block: code.number_of(block), before, left, scc };
    gone
}

/// The budget that is left after `next`, which follows `block`; or the reason for which the wave stays before it:
/// [`Why::Hot`] or [`Why::Held`].
#[inline(always)]
fn arrive<W: Watch>(watch: &mut W, way: Way, block: &Block, next: &Block, left: u64, held: u64) -> Result<u64, Why> {
    if way == Way::Next {
        watch.fall(block);
    } else if watch.jump(block, next.word) && (left > 0 || held > 0) {
        return Err(Why::Hot);
    }
    left.checked_sub(next.cost.get()).ok_or(Why::Held)
}

/// Notes where a wave stays before a block, or in it. Returns the reason.
#[cold]
fn stay(code: &Code, why: Why, at: &At, wave: &mut Wave, run: &mut Run) -> Why {
    if let Some(before) = code.blocks.get(at.before as usize) {
        run.last_word = Some(before.last_word);
    }
    if let Why::Hot = why {
        wave.state.pc = code.address(code.blocks[at.block as usize].word);
    }
    why
}

/// The next block after one that was left by a way without a known block. The error says why the wave stays at PC:
/// [`Why::Outside`] or [`Why::Full`].
#[cold]
#[inline(never)]
fn link(code: &mut Code, text: Text, from: u32, way: Way, wave: &mut Wave, run: &mut Run) -> Result<u32, Why> {
    run.left += run.held_back;
    run.hold_back(code);
    let (pc, successor) = code.way_out(from, way, wave);
    // Straight-line code gets inside an instruction only from inside another one.
    let anywhere = (way != Way::Next) | code.blocks[from as usize].interior;
    if code.is_full() && code.find(pc).is_none() {
        wave.state.pc = pc;
        return Err(Why::Full { anywhere });
    }
    let Some(next) = code.enter(text, pc, anywhere) else {
        wave.state.pc = pc;
        return Err(Why::Outside);
    };
    if let Some(successor) = successor {
        code.blocks[from as usize].successors[successor] = next;
    }
    Ok(next)
}

/// The block at a computed address. `None` if it is new, or if the jump has room to remember it. Comparing the address
/// with the first targets lets the processor predict; a lookup makes it wait.
#[inline(always)]
fn computed<'a>(code: &'a Code, block: &Block, pc: u64) -> Option<&'a Block> {
    let word = code.word_at(pc);
    for known in [block.successors[TARGET], block.successors[NEXT]] {
        let known = code.blocks.get(known as usize)?;
        if known.word as u64 == word {
            return Some(known);
        }
    }
    code.blocks.get(code.find(pc)? as usize)
}

/// The reason why a run stops at the end of a block.
#[cold]
fn stopped(program: &Program, code: &Code, block: u32, wave: &mut Wave, left: u64) -> Stop {
    let block = &code.blocks[block as usize];
    let end = code.address(block.last_word);
    let next = code.insts.ops[block.last()].imm[NEXT];
    let (pc, outcome) = match block.role {
        Role::End => (end, Outcome::Ended),
        Role::Halt => (next, Outcome::Halted),
        Role::Barrier => (next, Outcome::Barrier),
        _ if left == 0 => (next, Outcome::Budget),
        _ => (next, refusal(program, next)),
    };
    wave.state.pc = pc;
    Stop::Done(outcome)
}

/// Executes the part of a block that the budget allows, and leaves PC at the instruction after it. Returns false if an
/// instruction could not execute; PC is there then.
#[cold]
fn run_part<const CLASSES: bool>(
    program: &Program,
    code: &Code,
    block: &Block,
    wave: &mut Wave,
    context: &mut Context,
    run: &mut Run,
) -> bool {
    let first = block.first as usize;
    let end = (first + run.left.min(RUN_MAX as u64) as usize).min(block.last());
    let scc = wave.state.scc != 0;
    let mut env = Env::new(program, code, context);
    wave.state.scc = (block.exec)(wave, &code.insts.ops[first..end], scc, &mut env).scc as u32;
    let stopped = env.stopped.take();
    let end = end - stopped.unwrap_or(0);
    for info in &code.insts.info[first..end] {
        run.notes = run.notes.or(info.notes);
        run.last_word = Some(info.word);
        if CLASSES {
            wave.classes.0[info.traits.kind as usize] += 1;
        }
    }
    if end > first && block.interior {
        run.notes.insert_if(true, Note::JumpIntoLiteral);
    }
    run.left -= (end - first) as u64;
    wave.state.pc = code.address(code.insts.info[end].word);
    stopped.is_none()
}

/// Instruction number `op` of a block could not execute: takes back the counts of it and of those after it, and sets PC
/// to it.
#[cold]
fn stop_at<const CLASSES: bool>(code: &Code, id: u32, op: usize, wave: &mut Wave, run: &mut Run) {
    let block = &code.blocks[id as usize];
    let (first, len) = (block.first as usize, block.len as usize);
    let completed = &code.insts.info[first..op];
    run.left += (len - completed.len()) as u64;
    if let Some((admitted, left, before)) = run.admitted
        && (admitted, left) == (id, run.left + completed.len() as u64)
    {
        // The block was executed for the first time in this run, so nothing else has raised its notes.
        run.notes = completed.iter().fold(before, |notes, info| notes.or(info.notes));
        run.notes.insert_if(block.interior && op > first, Note::JumpIntoLiteral);
    }
    if let Some(info) = completed.last() {
        run.last_word = Some(info.word);
    }
    if CLASSES {
        run.classes.flush(&mut wave.classes);
        for info in &code.insts.info[op..first + len] {
            wave.classes.0[info.traits.kind as usize] -= 1;
        }
    }
    wave.state.pc = code.address(code.insts.info[op].word);
}

/// Executes the instruction at PC, which ends a block, if it reads the clock. The clock is the number of instructions
/// completed before it, which is exact only between blocks. Returns false if it is another instruction.
#[cold]
fn read_clock<const CLASSES: bool>(code: &Code, text: Text, block: u32, wave: &mut Wave, run: &mut Run) -> bool {
    let pc = wave.state.pc;
    let Ok(inst) = text.program.fetch(pc) else { return false };
    if !memory::is_clock(&inst) || inst.unsupported().is_some() {
        return false;
    }
    memory::read_clock(&inst, &mut wave.state, wave.executed + (run.budget - run.left));
    let block = &code.blocks[block as usize];
    run.notes.insert_if(block.interior && block.len == 0, Note::JumpIntoLiteral);
    run.left -= 1;
    run.last_word = Some(code.word_at(pc) as u32);
    if CLASSES {
        wave.classes.add(inst.desc().kind, 1);
    }
    wave.state.pc = pc.wrapping_add(inst.size() as u64);
    true
}

/// The outcome of a run at an instruction whose access memory refuses.
#[cold]
fn memory_fault(program: &Program, context: &Context, pc: u64) -> Outcome {
    match program.fetch(pc) {
        Err(error) => Outcome::from_fetch_error(error, pc, None),
        Ok(inst) => match context.unsupported {
            Some(reason) => Outcome::Unsupported(Outcome::at(&inst, pc, reason)),
            None => Outcome::Fault(Detail { memory: context.fault, ..Outcome::at(&inst, pc, MEMORY) }),
        },
    }
}

/// The outcome of a run at an instruction that does not execute.
#[cold]
fn refusal(program: &Program, pc: u64) -> Outcome {
    match program.fetch(pc) {
        Err(error) => Outcome::from_fetch_error(error, pc, None),
        Ok(inst) => match inst.unsupported() {
            Some(reason) => Outcome::Unsupported(Outcome::at(&inst, pc, reason)),
            None => Outcome::Trap(Outcome::at(&inst, pc, "trap")),
        },
    }
}
