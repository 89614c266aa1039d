//! The reference interpreter: the definition of what programs do, one function per mnemonic.
//!
//! [`Interp`] predecodes a program block by block as execution reaches it (`code.rs`) into compact instructions, each
//! a function pointer with resolved operands (`op.rs`). What the functions do is in one module per encoding: `sop1`, `sop2`,
//! `sopc`, `sopk`, `sopp`, `vopc`; what belongs together across encodings in `jump`, `fork`, `movrel` and `hwreg`.
//! Instructions are counted per block, and the last stretch before the limit is cut to size, so that a run never completes one
//! instruction more than it was allowed.
//!
//! ```
//! use gcnsim::interp::Interp;
//! use gcnsim::isa::{Arch, Program};
//! use gcnsim::{Outcome, Wave};
//! // s_add_u32 s2, s0, 3; s_endpgm
//! let program = Program::from_words(Arch::Gcn14, &[0x8002_8300, 0xbf81_0000]);
//! let mut wave = Wave::new(&program);
//! wave.state.sgpr[0] = 39;
//! assert_eq!(Interp::new(&program).run(&mut wave, 1_000), Outcome::Ended);
//! assert_eq!((wave.state.sgpr[2], wave.executed), (42, 2));
//! ```

mod code;
mod fork;
mod hot;
mod hwreg;
mod jump;
mod lanes;
mod movrel;
mod op;
mod sop1;
mod sop2;
mod sopc;
mod sopk;
mod sopp;
mod template;
mod vopc;

use gcnsim_isa::{FetchError, Note, Notes, Program};

use crate::outcome::Outcome;
use crate::wave::Wave;
pub use code::Memory;
use code::{Block, Code, NEXT, TARGET, UNKNOWN};
pub use hot::HotCounters;
use hot::{Unwatched, Watch};
use op::{Role, go_on};

/// The reference interpreter for one program: its predecoded form, filled as execution reaches new code. Any number of
/// runs, of any waves, may follow each other.
#[derive(Clone)]
pub struct Interp {
    code: Code,
    counts_classes: bool,
}

/// Why [`Interp::run_counting`] returned.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stop {
    /// The run is over.
    Done(Outcome),
    /// A jump arrived at a hot or compiled target: PC is there, the state is exact, and there is budget left.
    Hot,
}

impl Interp {
    /// An interpreter that has not decoded anything yet.
    pub fn new(program: &Program) -> Interp {
        Interp::with_memory(program, Memory::default())
    }

    /// The same in the memory of another that is done.
    pub fn with_memory(program: &Program, memory: Memory) -> Interp {
        Interp { code: Code::new(program, memory), counts_classes: false }
    }

    /// What [`Interp::with_memory`] wants.
    pub fn into_memory(self) -> Memory {
        self.code.into_memory()
    }

    /// Counts completed instructions by class in [`Wave::classes`] from now on, or no longer.
    pub fn count_classes(&mut self, on: bool) {
        self.counts_classes = on;
    }

    /// Runs until the wave stops or `max` further instructions have completed, never one more.
    ///
    /// [`Outcome::Budget`] means that `max` is used up and the wave could go on; what the next instruction would do (fault, trap,
    /// be out of range) is not looked at. A wave that ends with its last allowed instruction has
    /// [`Outcome::Ended`]. State, counts and `last_pc` of the wave are exact whatever the outcome.
    pub fn run(&mut self, wave: &mut Wave, max: u64) -> Outcome {
        match self.run_watched(wave, max, &mut Unwatched) {
            Stop::Done(outcome) => outcome,
            // Only a watch stops a run so.
            Stop::Hot => Outcome::Budget,
        }
    }

    /// The same, and counts the arrivals over backward jumps (target at or before the jump itself). Stops at a target that
    /// reaches the threshold, and at targets marked as compiled. The place where the run starts counts
    /// only when a jump comes back to it. The counters must be those of the same program.
    pub fn run_counting(&mut self, wave: &mut Wave, max: u64, hot: &mut HotCounters) -> Stop {
        self.run_watched(wave, max, hot)
    }

    /// The first dwords of all instructions in blocks that runs have entered; in the last block of a run that its budget ended,
    /// some may not have executed. An instruction may be named more than once.
    pub fn entered_words(&self) -> impl Iterator<Item = usize> + '_ {
        let insts = |block: &Block| &self.code.insts.info[block.first as usize..][..block.len as usize];
        self.code.blocks.iter().flat_map(insts).map(|info| info.word as usize)
    }

    /// For each computed jump that runs have taken, its address and where it went first.
    pub fn computed_jumps(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        let (blocks, program) = (&self.code.blocks, &self.code.program);
        let first =
            |block: &Block| blocks.get(block.successors[TARGET] as usize).filter(|_| block.role == Role::Computed);
        let address = |word: u32| program.address(word as usize);
        blocks.iter().filter_map(move |block| Some((address(block.last_word), address(first(block)?.word))))
    }

    fn run_watched<W: Watch>(&mut self, wave: &mut Wave, max: u64, watch: &mut W) -> Stop {
        if self.counts_classes {
            self.run_blocks::<W, true>(wave, max, watch)
        } else {
            self.run_blocks::<W, false>(wave, max, watch)
        }
    }

    fn run_blocks<W: Watch, const CLASSES: bool>(&mut self, wave: &mut Wave, max: u64, watch: &mut W) -> Stop {
        if max == 0 {
            return Stop::Done(Outcome::Budget);
        }
        wave.state.notes.insert_if(wave.state.pc & 3 != 0, Note::PcLowBits);
        wave.state.pc &= !3;
        let mut run = Run { left: max, notes: Notes::NONE, last_word: None };
        let mut edge = Edge { pc: wave.state.pc, arrival: Arrival::Start, link: None };
        let stop = loop {
            let Some(id) = self.code.enter(edge.pc, edge.arrival != Arrival::Fall) else {
                wave.state.pc = edge.pc;
                break None;
            };
            if let Some((block, successor)) = edge.link {
                self.code.blocks[block as usize].successors[successor] = id;
            }
            if let Arrival::Jump { from } = edge.arrival
                && watch.jump(from, self.code.blocks[id as usize].word)
                && run.left > 0
            {
                wave.state.pc = edge.pc;
                break Some(Stop::Hot);
            }
            match run_linked::<W, CLASSES>(&self.code, id, wave, &mut run, watch) {
                Leave::Stop(stop) => break Some(stop),
                Leave::Unlinked(unlinked) => edge = unlinked,
            }
        };
        wave.executed += max - run.left;
        wave.state.notes = wave.state.notes.or(run.notes);
        if let Some(word) = run.last_word {
            wave.last_pc = Some(self.code.program.address(word as usize));
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
}

/// What a run keeps outside the wave while it lasts.
struct Run {
    /// Instructions it may still complete.
    left: u64,
    /// Static notes of what it executed.
    notes: Notes,
    /// The last instruction completed.
    last_word: Option<u32>,
}

impl Run {
    /// Takes note that the last instruction of a block has completed, if it is a block.
    fn completed(&mut self, blocks: &[Block], id: u32) {
        if let Some(block) = blocks.get(id as usize) {
            self.last_word = Some(block.last_word);
        }
    }
}

/// How a run arrives at an address.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Arrival {
    Start,
    Fall,
    /// By a jump from the instruction at dword `from`.
    Jump {
        from: u32,
    },
}

/// A way to a block not known yet.
struct Edge {
    pc: u64,
    arrival: Arrival,
    /// The block and successor to remember it as.
    link: Option<(u32, usize)>,
}

/// Why [`run_linked`] returns.
enum Leave {
    Stop(Stop),
    Unlinked(Edge),
}

/// Runs from block to block as long as the next one is known.
#[inline(never)]
fn run_linked<W: Watch, const CLASSES: bool>(
    code: &Code,
    mut id: u32,
    wave: &mut Wave,
    run: &mut Run,
    watch: &mut W,
) -> Leave {
    let (blocks, ops) = (&code.blocks[..], &code.insts.ops[..]);
    let mut left = run.left;
    let mut notes = run.notes;
    // The block before this one, if there was one.
    let mut previous = UNKNOWN;
    let (block, leave) = loop {
        let block = &blocks[id as usize];
        let [body @ .., last] = &ops[block.first as usize..block.end as usize] else {
            break (block, Leave::Stop(Stop::Done(Outcome::Budget))); // no block is empty
        };
        if left < block.cost as u64 {
            run.left = left;
            run.notes = notes;
            run.completed(blocks, previous);
            wave.state.pc = run_part::<CLASSES>(code, block, wave, run);
            return Leave::Stop(Stop::Done(Outcome::Budget));
        }
        go_on(wave, body);
        left -= block.len as u64;
        notes = notes.or(block.notes);
        if CLASSES {
            for (count, &n) in wave.classes.0.iter_mut().zip(&code.classes[id as usize]) {
                *count += n as u64;
            }
        }

        let successor = match block.role {
            Role::Body | Role::Goto => NEXT,
            Role::Branch => TARGET,
            Role::Call => {
                (last.exec)(wave, last, &[]);
                TARGET
            }
            Role::CbranchScc0 => taken(sopp::s_cbranch_scc0(&wave.state)),
            Role::CbranchScc1 => taken(sopp::s_cbranch_scc1(&wave.state)),
            Role::CbranchVccz => taken(sopp::s_cbranch_vccz(&wave.state)),
            Role::CbranchVccnz => taken(sopp::s_cbranch_vccnz(&wave.state)),
            Role::CbranchExecz => taken(sopp::s_cbranch_execz(&wave.state)),
            Role::CbranchExecnz => taken(sopp::s_cbranch_execnz(&wave.state)),
            Role::Computed => {
                (last.exec)(wave, last, &[]);
                let pc = wave.state.pc;
                let first = block.successors[TARGET];
                let arrival = Arrival::Jump { from: block.last_word };
                // Comparing with the first target lets the processor guess; looking it up makes it wait.
                let to = match blocks.get(first as usize) {
                    Some(target) if target.word as u64 == code.word_at(pc) => first,
                    Some(_) => match code.find(pc) {
                        Some(to) => to,
                        None => break (block, Leave::Unlinked(Edge { pc, arrival, link: None })),
                    },
                    None => break (block, Leave::Unlinked(Edge { pc, arrival, link: Some((id, TARGET)) })),
                };
                if watch.jump(block.last_word, blocks[to as usize].word) && left > 0 {
                    break (block, Leave::Stop(Stop::Hot));
                }
                previous = id;
                id = to;
                continue;
            }
            Role::End => {
                wave.state.pc = code.program.address(block.last_word as usize);
                break (block, Leave::Stop(Stop::Done(Outcome::Ended)));
            }
            Role::Halt => {
                wave.state.pc = last.imm[NEXT];
                break (block, Leave::Stop(Stop::Done(Outcome::Halted)));
            }
            Role::Stop => {
                wave.state.pc = last.imm[NEXT];
                let outcome = if left == 0 { Outcome::Budget } else { refusal(&code.program, wave.state.pc) };
                break (block, Leave::Stop(Stop::Done(outcome)));
            }
        };
        let to = block.successors[successor];
        let Some(next) = blocks.get(to as usize) else {
            let arrival = if successor == TARGET { Arrival::Jump { from: block.last_word } } else { Arrival::Fall };
            break (block, Leave::Unlinked(Edge { pc: last.imm[successor], arrival, link: Some((id, successor)) }));
        };
        if successor == TARGET && watch.jump(block.last_word, next.word) && left > 0 {
            wave.state.pc = last.imm[TARGET];
            break (block, Leave::Stop(Stop::Hot));
        }
        previous = id;
        id = to;
    };
    run.left = left;
    run.notes = notes;
    run.completed(blocks, previous);
    if block.len != 0 {
        run.last_word = Some(block.last_word);
    }
    leave
}

/// Which successor a condition chooses. The barrier keeps this a branch, which the processor predicts: were the successor
/// selected as data, every block would wait for the last instruction of the one before (half the speed).
#[inline(always)]
fn taken(condition: bool) -> usize {
    if condition {
        TARGET
    } else {
        std::hint::black_box(());
        NEXT
    }
}

/// Executes the part of a block that the budget allows; the address of the instruction after it.
#[cold]
fn run_part<const CLASSES: bool>(code: &Code, block: &Block, wave: &mut Wave, run: &mut Run) -> u64 {
    let first = block.first as usize;
    let end = (first + run.left as usize).min(block.end as usize - 1);
    go_on(wave, &code.insts.ops[first..end]);
    for info in &code.insts.info[first..end] {
        run.notes = run.notes.or(info.notes);
        run.last_word = Some(info.word);
        if CLASSES {
            wave.classes.0[info.kind as usize] += 1;
        }
    }
    if end > first && block.interior {
        run.notes.insert(Note::JumpIntoLiteral);
    }
    run.left -= (end - first) as u64;
    code.program.address(code.insts.info[end].word as usize)
}

/// What stops a run at an instruction that does not execute.
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
