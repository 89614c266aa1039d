//! A wavefront in execution: its state, its vector registers and its counters.

use gcnsim_isa::{Kind, Program, WaveState};

use crate::{Observed, VgprFile};

/// Numbers of executed instructions by class, indexed by [`Kind`].
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct ClassCounts(pub [u64; Kind::ALL.len()]);

impl ClassCounts {
    /// Adds `n` instructions of a class.
    pub fn add(&mut self, kind: Kind, n: u64) {
        self.0[kind as usize] += n;
    }

    /// Number of instructions of a class.
    pub fn get(&self, kind: Kind) -> u64 {
        self.0[kind as usize]
    }

    /// Number of instructions of all classes.
    pub fn total(&self) -> u64 {
        self.0.iter().sum()
    }
}

/// A wavefront.
#[derive(Clone, Debug)]
pub struct Wave {
    /// Scalar state, PC and notes.
    pub state: WaveState,
    /// Vector registers.
    pub vgprs: VgprFile,
    /// Number of completed instructions.
    pub executed: u64,
    /// Numbers of completed instructions by class. Engines update it only if they are asked to count.
    pub classes: ClassCounts,
    /// Address of the last completed instruction, if any. `pc-out-of-range` reports it as `from`. When the budget of a
    /// tiered engine is used up, it may be the address of an earlier instruction.
    pub last_pc: Option<u64>,
    /// Exports and messages so far.
    pub observed: Observed,
}

impl Wave {
    /// A wave at the entry of a program, in the initial state: EXEC all ones, MODE as drivers set it, and zeros
    /// elsewhere.
    pub fn new(program: &Program) -> Wave {
        Wave::from_state(WaveState::initial(program.arch(), program.entry()))
    }

    /// A wave in the given state, with all vector registers zero.
    pub fn from_state(state: WaveState) -> Wave {
        Wave {
            state,
            vgprs: VgprFile::zeroed(),
            executed: 0,
            classes: ClassCounts::default(),
            last_pc: None,
            observed: Observed::default(),
        }
    }
}
