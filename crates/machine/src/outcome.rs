//! How a run ends. Outcomes of the guest are values, not errors of the simulator.

use crate::MemoryFault;
use gcnsim_isa::{DecodeError, DecodeErrorKind, FetchError, Inst};

/// How a run of a program ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// S_ENDPGM (or a variant of it) executed; PC stays at it.
    Ended,
    /// The instruction budget is used up.
    Budget,
    /// The next instruction is valid, but no engine executes it. It is not counted, and PC is at it.
    Unsupported(Detail),
    /// The program made an error. The faulting instruction is not counted, and PC is at it.
    Fault(Detail),
    /// S_SETHALT 1 or S_SENDMSGHALT executed; PC is the next instruction.
    Halted,
    /// S_BARRIER executed: the wave waits for the others of its group, and PC is the next instruction. This is never
    /// the outcome of a whole run.
    Barrier,
    /// The next instruction is S_TRAP, which needs a trap handler, and there is none. It is not counted, and PC is at
    /// it.
    Trap(Detail),
}

/// Where a run stopped, and at which instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Detail {
    /// Kind of fault (`illegal-instruction`, `illegal-operand`, `truncated`, `pc-out-of-range`, `memory`), or why the
    /// instruction is unsupported.
    pub kind: &'static str,
    /// The instruction's mnemonic, if there is an instruction.
    pub mnemonic: Option<&'static str>,
    /// Guest address of the instruction.
    pub pc: u64,
    /// First dword at `pc`, if there is one.
    pub word: Option<u32>,
    /// For `pc-out-of-range`: address of the last executed instruction, if any was executed.
    pub from: Option<u64>,
    /// For `memory`: the access that failed.
    pub memory: Option<MemoryFault>,
}

/// Kind of fault: memory does not allow the access.
pub const MEMORY: &str = "memory";
/// Kind of fault: a fetch outside the program.
pub const PC_OUT_OF_RANGE: &str = "pc-out-of-range";

impl Outcome {
    /// The name in results: `ended`, `budget`, `unsupported`, `fault`, `halted`, `trap`.
    pub fn name(&self) -> &'static str {
        match self {
            Outcome::Ended => "ended",
            Outcome::Budget => "budget",
            Outcome::Unsupported(_) => "unsupported",
            Outcome::Fault(_) => "fault",
            Outcome::Halted => "halted",
            Outcome::Barrier => "barrier",
            Outcome::Trap(_) => "trap",
        }
    }

    /// The detail of an outcome that has one.
    pub fn detail(&self) -> Option<&Detail> {
        match self {
            Outcome::Unsupported(d) | Outcome::Fault(d) | Outcome::Trap(d) => Some(d),
            Outcome::Ended | Outcome::Budget | Outcome::Halted | Outcome::Barrier => None,
        }
    }

    /// The fault for a failed fetch at `pc`. `from` is the address of the last executed instruction.
    pub fn from_fetch_error(error: FetchError, pc: u64, from: Option<u64>) -> Outcome {
        Outcome::Fault(match error {
            FetchError::OutOfRange(_) => {
                Detail { kind: PC_OUT_OF_RANGE, mnemonic: None, pc, word: None, from, memory: None }
            }
            FetchError::Decode(DecodeError { kind, word, .. }) => {
                let name = DecodeErrorKind::name(kind);
                Detail { kind: name, mnemonic: None, pc, word: Some(word), from: None, memory: None }
            }
        })
    }

    /// The detail of a stop at the instruction `inst`.
    pub fn at(inst: &Inst, pc: u64, kind: &'static str) -> Detail {
        Detail { kind, mnemonic: Some(inst.desc().mnemonic), pc, word: Some(inst.words[0]), from: None, memory: None }
    }
}
