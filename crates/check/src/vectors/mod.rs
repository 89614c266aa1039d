//! Conformance vectors: JSON lines. Each has a few dwords, a state before, and the differences after.
//!
//! ```json
//! {"id": "add-1", "arch": "gcn1.2", "mnemonic": "s_add_i32", "words": [2164260864], "certainty": "certain",
//!  "init": {"sgpr": {"0": 1}}, "expect": {"sgpr": {"0": 2}, "pc": "0x4"}}
//! ```
//!
//! Exactly one instruction is executed, from a state in which everything absent is 0. With `"program": true` the words
//! run to their end, within `"executed"` instructions if the vector states that. Everything that `expect` does not name
//! must be unchanged, except PC and messages, and bit by bit, except for floats if the vector has `fmt` with `nan` or
//! `tolerance`. A program may have `observe`: then only that is compared. [`verify`] runs a file on any number of
//! [`VectorEngine`]s. A broken line is reported, and the rest runs.

mod approx;
mod engines;
mod run;
mod world;

use std::fmt;

use gcnsim_isa::{Arch, Program, WaveState};
use gcnsim_machine::Context;
use serde::Deserialize;
use serde::de::{Deserializer, Error as _, SeqAccess, Visitor};

pub use approx::{Fmt, Nan};
#[cfg(feature = "jit")]
pub use engines::{compiled, compiled_with};
pub use engines::{interpreter, strict};
use gcnsim_engine::EngineError;
use gcnsim_engine::difference::{self, Difference};
use gcnsim_engine::number::NumberSeed;
use gcnsim_engine::observed_file::{ExportRule, ExportSpec, message_differences};
use gcnsim_engine::state_file::{ExpectedState, StateSpec};
pub use gcnsim_engine::value_file::{Bounds, ValueType};
use gcnsim_machine::Wave;
use gcnsim_machine::outcome::{Detail, MEMORY, Outcome};
pub use run::{ByCertainty, Event, Summary, Tally, verify, verify_in_parallel};
pub use world::{DwordSpec, WorldSpec};

/// One line of a vector file.
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(expecting = "an object with a vector")]
#[non_exhaustive]
pub struct Vector {
    /// The name of the vector in reports.
    pub id: String,
    /// Generation.
    #[serde(deserialize_with = "arch")]
    pub arch: Arch,
    /// The instruction that it tests.
    #[serde(default)]
    pub mnemonic: String,
    /// The code.
    #[serde(deserialize_with = "words")]
    pub words: Vec<u32>,
    /// The certainty of the expectation.
    #[serde(default)]
    pub certainty: Certainty,
    /// The state before; everything else is 0. Its PC is the address of the first word. Only the memory that it names
    /// is mapped.
    #[serde(default)]
    pub init: StateSpec,
    /// All differences afterwards, or that the instruction faults.
    #[serde(default)]
    pub expect: ExpectedState,
    /// Whether the words run to their end, instead of one instruction.
    #[serde(default)]
    pub program: bool,
    /// Number of instructions that a program executes, at most [`MAX_EXECUTED`]. Without it the count is not compared.
    #[serde(default)]
    pub executed: Option<u64>,
    /// The stage that a program belongs to, for people.
    #[serde(default)]
    pub stage: Option<String>,
    /// The parts of the final state of a program that are compared; everything if absent.
    #[serde(default)]
    pub observe: Option<Vec<Observe>>,
    /// The world that it runs in, and dwords of its images.
    #[serde(default)]
    pub world: Option<WorldSpec>,
    /// The type of the vector registers in `expect`, or of a program's exports, for `nan` and `tolerance`. Pieces of
    /// memory name their own.
    #[serde(default)]
    pub fmt: Option<Fmt>,
    /// Whether any NaN passes for another.
    #[serde(default)]
    pub nan: Option<Nan>,
    /// The bounds within which values may differ.
    #[serde(default)]
    pub tolerance: Bounds,
}

/// Most instructions that a vector may execute. The limit bounds the time for checking a file of a given length.
pub const MAX_EXECUTED: u64 = 1_000_000;

/// The certainty of the expectation of a vector.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Certainty {
    /// The expectation is documented without doubt.
    #[default]
    Certain,
    /// The expectation is the most probable reading of the documents.
    Likely,
}

/// A part of the final state of a program that can be observed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Observe {
    /// Exports.
    Exports,
    /// Guest memory.
    Memory,
    /// Images, which lie in guest memory.
    Images,
}

/// An engine that runs vectors.
pub trait VectorEngine: Send {
    /// Returns the name in failure reports.
    fn name(&self) -> &'static str;

    /// Executes up to `budget` instructions of a program from a wave's state, in a context.
    ///
    /// # Errors
    /// [`EngineError`] for failures of the simulator.
    fn execute(
        &mut self,
        program: &Program,
        wave: &mut Wave,
        context: &mut Context,
        budget: u64,
    ) -> Result<Outcome, EngineError>;
}

/// The result of a vector on one engine.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// Everything is as expected.
    Passed,
    /// Something is not as expected.
    Failed(Vec<Difference>),
    /// The engine does not execute the instruction. The text says why.
    Unsupported(String),
}

/// A line that is not a vector.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum VectorError {
    /// The line is no JSON, or has other keys or values than vectors.
    #[error("{what}")]
    Json {
        /// The mistake, with its column.
        what: String,
    },
    /// A vector without dwords.
    #[error("words: there are none")]
    NoWords,
    /// Only one instruction is to be executed, and `observe` is there.
    #[error("observe: only a program is observed")]
    Observed,
    /// The program is too long.
    #[error("executed: {executed} is more than {MAX_EXECUTED}, the most that a vector may execute")]
    TooMany {
        /// The number of instructions that the vector states.
        executed: u64,
    },
    /// The line is too long.
    #[error("the line is longer than {limit} bytes")]
    TooLong {
        /// The limit.
        limit: usize,
    },
}

impl Vector {
    /// Reads one line.
    ///
    /// # Errors
    /// [`VectorError`]: the mistake in the line.
    pub fn parse(line: &[u8]) -> Result<Vector, VectorError> {
        let parsed = serde_json::from_slice(line.trim_ascii_end());
        let vector: Vector = parsed.map_err(|error| VectorError::Json { what: in_one_line(&error) })?;
        if vector.words.is_empty() {
            return Err(VectorError::NoWords);
        }
        if vector.observe.is_some() && !vector.program {
            return Err(VectorError::Observed);
        }
        if let Some(executed) = vector.executed.filter(|&n| n > MAX_EXECUTED) {
            return Err(VectorError::TooMany { executed });
        }
        Ok(vector)
    }

    /// Runs the vector on one engine.
    pub fn check(&self, engine: &mut dyn VectorEngine) -> Verdict {
        let mut initial = Wave::from_state(WaveState::zeroed());
        self.init.apply(&mut initial);
        let code: Vec<u8> = self.words.iter().flat_map(|w| w.to_le_bytes()).collect();
        let program = Program::new(self.arch, std::sync::Arc::new(code), initial.state.pc, 0);
        let mut wave = initial.clone();
        let budget = match (self.program, self.executed) {
            (false, _) => 1,
            (true, None) => MAX_EXECUTED,
            (true, Some(executed)) => executed.min(MAX_EXECUTED) + 1,
        };
        let mut context = match (&self.world, self.program) {
            (Some(world), _) => world.context(),
            // The code is mapped, because a program may read constants behind it by its PC.
            (None, true) => self.init.context(&program),
            (None, false) => self.init.context_without_code(&program),
        };
        let outcome = match engine.execute(&program, &mut wave, &mut context, budget) {
            Ok(Outcome::Unsupported(detail)) => return Verdict::Unsupported(detail.kind.into()),
            Ok(outcome) => outcome,
            Err(error) => {
                let what = error.to_string();
                return Verdict::Failed(vec![Difference::new("outcome", self.expected_outcome(), what)]);
            }
        };
        let mut found = Vec::new();
        let ended_well = match outcome {
            Outcome::Ended => true,
            Outcome::Budget | Outcome::Barrier | Outcome::Halted | Outcome::Trap(_) => !self.program,
            Outcome::Fault(_) | Outcome::Unsupported(_) => false,
        };
        let faulted = matches!(outcome, Outcome::Fault(detail) if detail.kind == MEMORY);
        let ended_well = if self.expect.faults { faulted } else { ended_well };
        if !ended_well {
            let kind = outcome.detail().map_or(String::new(), |d| format!(" ({} at {:#x})", d.kind, d.pc));
            let actual = format!("{}{kind}", outcome.name());
            found.push(Difference::new("outcome", self.expected_outcome(), actual));
        }
        if let (Some(fault), Outcome::Fault(Detail { memory: Some(actual), .. })) = (&self.expect.fault, &outcome) {
            found.extend(fault.differences(actual));
        }
        let completes = !matches!(outcome, Outcome::Trap(_) | Outcome::Fault(_));
        let expected = if self.program { self.executed } else { Some(completes as u64) };
        if let Some(expected) = expected
            && ended_well
            && wave.executed != expected
        {
            found.push(Difference::new("executed", expected, wave.executed));
        }
        found.extend(self.state_differences(&initial, &wave, &context));
        found.extend(self.world.as_ref().and_then(|world| world.difference(&mut context)));
        if found.is_empty() { Verdict::Passed } else { Verdict::Failed(found) }
    }

    /// Returns the differences from the expectation, in the parts that the vector compares.
    fn state_differences(&self, initial: &Wave, wave: &Wave, context: &Context) -> Vec<Difference> {
        let expected = &self.expect.state;
        let observes = |what: Observe| self.observe.as_ref().is_none_or(|observed| observed.contains(&what));
        let mut found = Vec::new();
        if observes(Observe::Exports) {
            found.extend(self.export_differences(initial, wave));
        }
        if let Some(messages) = &expected.messages {
            found.extend(message_differences(messages, &wave.observed));
        }
        let settled = self.settled_memory(context);
        let expected = settled.as_ref().unwrap_or(expected);
        if self.observe.is_none() {
            found.extend(self.register_differences(initial, wave));
            found.extend(expected.all_memory_differences(&self.init, context));
        } else if observes(Observe::Memory) || observes(Observe::Images) {
            found.extend(expected.guest_memory_differences(&self.init, context));
        }
        found
    }

    /// Returns the differences of exports. Only lanes in the initial EXEC count.
    fn export_differences(&self, initial: &Wave, wave: &Wave) -> Vec<Difference> {
        let admits = |export: &ExportSpec, expected: u32, actual: u32| self.admits_export(export, expected, actual);
        let rule = ExportRule { counted: initial.state.exec(), admits: &admits };
        rule.differences(self.expect.state.exports.as_deref().unwrap_or_default(), &wave.observed)
    }

    fn register_differences(&self, initial: &Wave, wave: &Wave) -> Vec<Difference> {
        let found = difference::from_initial(initial, &self.expect.state, wave);
        if found.is_empty() {
            return found;
        }
        let mut expected = initial.clone();
        self.expect.state.apply(&mut expected);
        match self.settled(&expected, wave) {
            Some(settled) => difference::from_initial(initial, &self.expect.state, &settled),
            None => found,
        }
    }

    fn expected_outcome(&self) -> &'static str {
        match (self.expect.faults, self.program) {
            (true, _) => "fault (memory)",
            (_, true) => "ended",
            (_, false) => "one instruction executed",
        }
    }
}

/// serde_json's message with the column only; the line is always the first.
fn in_one_line(error: &serde_json::Error) -> String {
    let text = error.to_string();
    match text.split_once(" at line 1 column ") {
        Some((what, column)) => format!("{what}, at column {column}"),
        None => text,
    }
}

fn arch<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Arch, D::Error> {
    String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
}

fn words<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<u32>, D::Error> {
    struct Words;
    impl<'de> Visitor<'de> for Words {
        type Value = Vec<u32>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a list of dwords for words")
        }

        fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Vec<u32>, A::Error> {
            let mut words = Vec::new();
            while let Some(word) = seq.next_element_seed(NumberSeed { field: &"words", bits: 32 })? {
                words.push(word as u32);
            }
            Ok(words)
        }
    }
    deserializer.deserialize_seq(Words)
}
