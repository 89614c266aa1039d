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
mod vopc;

use gcnsim_isa::{FetchError, Note, Notes, Program};

use crate::outcome::Outcome;
use crate::wave::Wave;
use code::{Block, Code, NEXT, TARGET, UNKNOWN};
pub use hot::HotCounters;
use hot::{Unwatched, Watch};
use op::Role;

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
        Interp { code: Code::new(program), counts_classes: false }
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

    fn run_watched<W: Watch>(&mut self, wave: &mut Wave, max: u64, watch: &mut W) -> Stop {
        if self.counts_classes {
            self.run_blocks::<W, true>(wave, max, watch)
        } else {
            self.run_blocks::<W, false>(wave, max, watch)
        }
    }

    fn run_blocks<W: Watch, const CLASSES: bool>(&mut self, wave: &mut Wave, max: u64, watch: &mut W) -> Stop {
        let mut run = Run { left: max, notes: Notes::NONE, last_word: None };
        let stop = self.block_loop::<W, CLASSES>(wave, &mut run, watch);
        wave.executed += max - run.left;
        wave.state.notes = wave.state.notes.or(run.notes);
        if let Some(word) = run.last_word {
            wave.last_pc = Some(self.code.program.address(word as usize));
        }
        match stop {
            // `from` is known only now.
            Stop::Done(Outcome::Fault(detail)) if detail.word.is_none() => {
                Stop::Done(Outcome::from_fetch_error(FetchError::OutOfRange(detail.pc), detail.pc, wave.last_pc))
            }
            stop => stop,
        }
    }

    fn block_loop<W: Watch, const CLASSES: bool>(&mut self, wave: &mut Wave, run: &mut Run, watch: &mut W) -> Stop {
        if run.left == 0 {
            return Stop::Done(Outcome::Budget);
        }
        let code = &mut self.code;
        wave.state.notes.insert_if(wave.state.pc & 3 != 0, Note::PcLowBits);
        wave.state.pc &= !3;
        let Some(mut id) = code.enter(wave.state.pc, true) else {
            return Stop::Done(out_of_range(wave.state.pc));
        };
        loop {
            let block = &code.blocks[id as usize];
            if block.len as u64 > run.left || run.left == 0 {
                wave.state.pc = run_part::<CLASSES>(code, block, wave, run);
                return Stop::Done(Outcome::Budget);
            }
            for op in &code.ops[block.first as usize..block.last as usize] {
                (op.exec)(wave, op);
            }
            run.left -= block.len as u64;
            run.notes = run.notes.or(block.notes);
            if block.len != 0 {
                run.last_word = Some(block.last_word);
            }
            if CLASSES {
                for (count, n) in wave.classes.0.iter_mut().zip(block.classes) {
                    *count += n as u64;
                }
            }

            let last = &code.ops[block.last as usize];
            let state = &wave.state;
            let successor = match block.role {
                Role::Body | Role::Goto => NEXT,
                Role::Branch => TARGET,
                Role::Call => {
                    (last.exec)(wave, last);
                    TARGET
                }
                Role::CbranchScc0 => taken(sopp::s_cbranch_scc0(state)),
                Role::CbranchScc1 => taken(sopp::s_cbranch_scc1(state)),
                Role::CbranchVccz => taken(sopp::s_cbranch_vccz(state)),
                Role::CbranchVccnz => taken(sopp::s_cbranch_vccnz(state)),
                Role::CbranchExecz => taken(sopp::s_cbranch_execz(state)),
                Role::CbranchExecnz => taken(sopp::s_cbranch_execnz(state)),
                Role::Computed => {
                    (last.exec)(wave, last);
                    let from = block.last_word;
                    let Some(to) = code.enter(wave.state.pc, true) else {
                        return leave(wave.state.pc, wave, run);
                    };
                    id = to;
                    if watch.jump(from, code.blocks[id as usize].word) && run.left > 0 {
                        return Stop::Hot;
                    }
                    continue;
                }
                Role::End => {
                    wave.state.pc = code.program.address(block.last_word as usize);
                    return Stop::Done(Outcome::Ended);
                }
                Role::Halt => {
                    wave.state.pc = last.imm[NEXT];
                    return Stop::Done(Outcome::Halted);
                }
                Role::Stop => {
                    wave.state.pc = last.imm[NEXT];
                    if run.left == 0 {
                        return Stop::Done(Outcome::Budget);
                    }
                    return Stop::Done(refusal(&code.program, wave.state.pc));
                }
            };
            let mut next = block.successors[successor];
            let from = block.last_word;
            if next == UNKNOWN {
                let pc = last.imm[successor];
                match code.enter(pc, successor == TARGET) {
                    Some(to) => next = to,
                    None => return leave(pc, wave, run),
                }
                code.blocks[id as usize].successors[successor] = next;
            }
            id = next;
            if successor == TARGET && watch.jump(from, code.blocks[id as usize].word) && run.left > 0 {
                wave.state.pc = code.program.address(code.blocks[id as usize].word as usize);
                return Stop::Hot;
            }
        }
    }
}

/// What a run keeps outside the wave while it lasts.
struct Run {
    left: u64,
    notes: Notes,
    last_word: Option<u32>,
}

#[inline(always)]
fn taken(condition: bool) -> usize {
    if condition { TARGET } else { NEXT }
}

/// Executes the part of a block that the budget allows; the address of the instruction after it.
#[cold]
fn run_part<const CLASSES: bool>(code: &Code, block: &Block, wave: &mut Wave, run: &mut Run) -> u64 {
    let first = block.first as usize;
    let end = (first + run.left as usize).min(block.last as usize);
    for (op, info) in code.ops[first..end].iter().zip(&code.info[first..end]) {
        (op.exec)(wave, op);
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
    code.program.address(code.info[end].word as usize)
}

/// Leaves the program for an address outside.
#[cold]
fn leave(pc: u64, wave: &mut Wave, run: &Run) -> Stop {
    wave.state.pc = pc;
    Stop::Done(if run.left == 0 { Outcome::Budget } else { out_of_range(pc) })
}

fn out_of_range(pc: u64) -> Outcome {
    Outcome::from_fetch_error(FetchError::OutOfRange(pc), pc, None)
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
