//! The turn of a wave: how long it is, and who runs it.
//!
//! A turn ends where the wave ends, waits at a barrier, or stops; after [`TURN`] instructions; and where the wave is
//! found to [wait](wait) for another one. To find that out, a turn stops at some counts of instructions, and a probe
//! runs the wave step by step. The counts depend on what probes of the group have found before ([`WaveGroup`]), and on
//! nothing else, so turns are the same on every engine.

mod spins;
mod wait;

use gcnsim_isa::Program;
use gcnsim_machine::{Context, Outcome, Wave};

pub use spins::Spins;
pub use wait::Wait;
use wait::{Found, Patience, probe};

use crate::EngineError;
use crate::group::{Status, WaveGroup};

/// Most instructions that a wave executes in its turn.
pub const TURN: u64 = 1_000_000;
/// Number of instructions in front of a probe, divided by those before the probe that follows it in the same turn.
const GROWTH: u64 = 8;
/// A probe this far into a turn is patient.
const PATIENT_FROM: u64 = 1 << 15;
/// Most instructions of a patient probe.
const LONG_PROBE: u64 = 4096;
/// Most instructions of a hasty probe, as a part of those before it.
const SHORT_PROBE_SHARE: u64 = 8;

/// Runs waves of a program in a context: an engine, or an observer.
pub trait Steps {
    /// The program.
    fn program(&self) -> &Program;

    /// The context.
    fn context(&mut self) -> &mut Context;

    /// Runs a wave until it ends, stops, waits at a barrier, or has executed `max` further instructions.
    ///
    /// # Errors
    /// [`EngineError`] if the simulator fails, or is told to stop.
    fn run(&mut self, wave: &mut Wave, max: u64) -> Result<Outcome, EngineError>;

    /// Runs a wave for one instruction, on the interpreter.
    ///
    /// # Errors
    /// As [`Steps::run`].
    fn step(&mut self, wave: &mut Wave) -> Result<Outcome, EngineError> {
        self.run(wave, 1)
    }
}

/// How a turn has ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TurnEnd {
    /// It is over, and the wave can go on in its next one.
    Over,
    /// The wave has ended, waits at a barrier, or has stopped. [`Outcome::Budget`]: it has used up its budget, or
    /// whoever runs it has stopped before that.
    Wave(Outcome),
}

impl TurnEnd {
    /// The outcome of the wave so far: [`Outcome::Budget`] if only the turn is over.
    pub fn outcome(self) -> Outcome {
        match self {
            TurnEnd::Over => Outcome::Budget,
            TurnEnd::Wave(outcome) => outcome,
        }
    }
}

/// A turn of a wave. Numbers are those of the instructions that the wave has executed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WaveTurn {
    start: u64,
    /// The next stop.
    pub stop: u64,
    /// The last stop.
    end: u64,
    /// Whether the end of the turn is that of the budget.
    is_last: bool,
}

impl WaveTurn {
    /// A turn that begins when the wave has executed `start` instructions. It has `left` instructions, and its first
    /// stop is after `first`.
    pub fn new(start: u64, left: u64, first: u64) -> WaveTurn {
        let (end, is_last) = (start.saturating_add(left.min(TURN)), left <= TURN);
        WaveTurn { start, stop: start.saturating_add(first).min(end), end, is_last }
    }

    /// Goes on with the turn of wave `index` after a first stretch of it has ended with `outcome`.
    pub fn go_on(
        &mut self,
        group: &mut WaveGroup,
        index: usize,
        steps: &mut dyn Steps,
        mut outcome: Outcome,
    ) -> Result<TurnEnd, EngineError> {
        loop {
            let executed = group.members[index].wave.executed;
            if outcome != Outcome::Budget || executed < self.stop {
                return Ok(group.leave(index, TurnEnd::Wave(outcome)));
            }
            if executed >= self.end {
                let end = if self.is_last { TurnEnd::Wave(Outcome::Budget) } else { TurnEnd::Over };
                return Ok(group.leave(index, end));
            }
            if (group.has_others || group.ready_count() > 1) && group.may_wait(index) {
                let patience = self.patience(executed, group);
                match probe(steps, &mut group.members[index].wave, patience)? {
                    Found::GoesOn => group.goes_on(index),
                    Found::Waits(wait) => {
                        group.waits(index, wait);
                        return Ok(TurnEnd::Over);
                    }
                    Found::Stopped(stopped) => return Ok(group.leave(index, TurnEnd::Wave(stopped))),
                }
            }
            let done = group.members[index].wave.executed - self.start;
            let next = if group.is_probed() { done.saturating_mul(GROWTH) } else { TURN };
            self.stop = self.start.saturating_add(next).min(self.end);
            let wave = &mut group.members[index].wave;
            outcome = steps.run(wave, self.stop - wave.executed)?;
        }
    }

    fn patience(&self, executed: u64, group: &WaveGroup) -> Patience {
        let done = executed - self.start;
        let is_hasty = done < PATIENT_FROM && !group.has_waited();
        let most = if is_hasty { done / SHORT_PROBE_SHARE } else { LONG_PROBE };
        Patience { most: most.min(self.end - executed), is_hasty }
    }
}

impl WaveGroup {
    /// Runs the turn of wave `index`, which has at most `left` instructions.
    ///
    /// # Errors
    /// As [`Steps::run`].
    pub fn run_turn(&mut self, index: usize, left: u64, steps: &mut dyn Steps) -> Result<TurnEnd, EngineError> {
        self.begin_turn(index, steps.context());
        let first = self.first_stop();
        let wave = &mut self.members[index].wave;
        let mut turn = WaveTurn::new(wave.executed, left, first);
        let outcome = steps.run(wave, turn.stop - wave.executed)?;
        turn.go_on(self, index, steps, outcome)
    }

    /// Number of waves that can run.
    pub(crate) fn ready_count(&self) -> usize {
        self.members.iter().filter(|member| member.status == Status::Ready).count()
    }
}
