//! Conformance vectors: JSON lines, each a few dwords, a state before and what differs after.
//!
//! ```json
//! {"id": "add-1", "arch": "gcn1.2", "mnemonic": "s_add_i32", "words": [2164260864], "certainty": "certain",
//!  "init": {"sgpr": {"0": 1}}, "expect": {"sgpr": {"0": 2}, "pc": "0x4"}}
//! ```
//!
//! One instruction is executed and no more, from a state in which everything absent is 0; or, with `"program": true`,
//! the words run to their end within `"executed"` instructions. What `expect` does not name must be unchanged, except
//! PC. [`verify`] runs a file on any number of [`VectorEngine`]s; a broken line is reported and the rest runs.

use std::fmt;
use std::io::{self, BufRead, BufReader, Read};

use flate2::bufread::MultiGzDecoder;
use gcnsim_isa::{Arch, Program, WaveState};
use serde::de::{Deserializer, Error as _, SeqAccess, Visitor};
use serde::{Deserialize, Serialize};

use crate::difference::{self, Difference};
use crate::engine::EngineError;
use crate::number::NumberSeed;
use crate::outcome::Outcome;
use crate::state_file::StateSpec;
#[cfg(feature = "jit")]
pub use crate::vector_engines::compiled;
pub use crate::vector_engines::interpreter;
use crate::wave::Wave;

/// One line of a vector file.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
pub struct Vector {
    /// Names it in reports.
    pub id: String,
    /// Generation.
    #[serde(deserialize_with = "arch")]
    pub arch: Arch,
    /// The instruction it is about.
    #[serde(default)]
    pub mnemonic: String,
    /// The code.
    #[serde(deserialize_with = "words")]
    pub words: Vec<u32>,
    /// How sure the expectation is.
    #[serde(default)]
    pub certainty: Certainty,
    /// State before; the rest is 0. Its PC is the address of the first word.
    #[serde(default)]
    pub init: StateSpec,
    /// All that differs afterwards.
    #[serde(default)]
    pub expect: StateSpec,
    /// Run to the end instead of one instruction.
    #[serde(default)]
    pub program: bool,
    /// Instructions a program executes.
    #[serde(default)]
    pub executed: Option<u64>,
}

/// How sure the expectation of a vector is.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Certainty {
    /// Documented without doubt.
    #[default]
    Certain,
    /// The most probable reading.
    Likely,
}

/// Something that runs vectors.
pub trait VectorEngine {
    /// Name in failure reports.
    fn name(&self) -> &'static str;

    /// Executes up to `budget` instructions of a program from a wave's state.
    ///
    /// # Errors
    /// [`EngineError`] for failures of ours.
    fn execute(&mut self, program: &Program, wave: &mut Wave, budget: u64) -> Result<Outcome, EngineError>;
}

/// How a vector fared on one engine.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// Everything is as expected.
    Passed,
    /// Something is not.
    Failed(Vec<Difference>),
    /// The engine does not execute the instruction; why.
    Unsupported(String),
}

/// Passed and failed vectors of one certainty.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize)]
pub struct Tally {
    /// All engines passed.
    pub passed: u64,
    /// An engine failed.
    pub failed: u64,
}

/// Tallies by certainty.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize)]
pub struct ByCertainty {
    /// Of `certain` vectors.
    pub certain: Tally,
    /// Of `likely` vectors.
    pub likely: Tally,
}

/// Totals over vectors; total = passed + failed + unsupported.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize)]
pub struct Summary {
    /// Vectors run.
    pub total: u64,
    /// Passed on all engines.
    pub passed: u64,
    /// Failed on an engine.
    pub failed: u64,
    /// Not failed, but not supported by an engine.
    pub unsupported: u64,
    /// Passed and failed ones by certainty.
    pub by_certainty: ByCertainty,
    /// Lines that are no vectors; not in `total`.
    #[serde(skip)]
    pub broken: u64,
}

/// What [`verify`] tells as it goes.
#[derive(Debug)]
pub enum Event<'a> {
    /// A vector did not pass on an engine.
    NotPassed {
        /// The vector.
        vector: &'a Vector,
        /// Name of the engine.
        engine: &'static str,
        /// Why.
        verdict: &'a Verdict,
    },
    /// A line is no vector.
    Broken {
        /// Line number, from 1.
        line: u64,
        /// What is wrong with it.
        error: String,
    },
}

impl Vector {
    /// Reads one line.
    ///
    /// # Errors
    /// What is wrong, with the column.
    pub fn parse(line: &[u8]) -> Result<Vector, String> {
        let vector: Vector = serde_json::from_slice(line).map_err(|e| in_one_line(&e))?;
        if vector.words.is_empty() {
            return Err("words: there are none".into());
        }
        if vector.program && vector.executed.is_none() {
            return Err("a program needs the key executed".into());
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
        let budget = if self.program { self.executed.unwrap_or(0).saturating_add(1) } else { 1 };
        let outcome = match engine.execute(&program, &mut wave, budget) {
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
            Outcome::Budget | Outcome::Halted | Outcome::Trap(_) => !self.program,
            Outcome::Fault(_) | Outcome::Unsupported(_) => false,
        };
        if !ended_well {
            let kind = outcome.detail().map_or(String::new(), |d| format!(" ({} at {:#x})", d.kind, d.pc));
            let actual = format!("{}{kind}", outcome.name());
            found.push(Difference::new("outcome", self.expected_outcome(), actual));
        }
        let expected = if self.program { self.executed } else { Some(!matches!(outcome, Outcome::Trap(_)) as u64) };
        if let Some(expected) = expected
            && ended_well
            && wave.executed != expected
        {
            found.push(Difference::new("executed", expected, wave.executed));
        }
        found.extend(difference::from_initial(&initial, &self.expect, &wave));
        if found.is_empty() { Verdict::Passed } else { Verdict::Failed(found) }
    }

    fn expected_outcome(&self) -> &'static str {
        if self.program { "ended" } else { "one instruction executed" }
    }
}

/// Runs all vectors of a file, plain or gzip, on each engine.
///
/// # Errors
/// Those of reading; broken lines are events.
pub fn verify(
    source: impl Read,
    engines: &mut [Box<dyn VectorEngine>],
    mut tell: impl FnMut(Event<'_>),
) -> io::Result<Summary> {
    let mut summary = Summary::default();
    let mut lines = open(source)?;
    let mut line = Vec::new();
    let mut number = 0;
    loop {
        line.clear();
        if lines.read_until(b'\n', &mut line)? == 0 {
            return Ok(summary);
        }
        number += 1;
        if line.trim_ascii().is_empty() {
            continue;
        }
        match Vector::parse(&line) {
            Ok(vector) => summary.add(vector.certainty, run_on_all(&vector, engines, &mut tell)),
            Err(error) => {
                summary.broken += 1;
                tell(Event::Broken { line: number, error });
            }
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    Passed,
    Unsupported,
    Failed,
}

fn run_on_all(vector: &Vector, engines: &mut [Box<dyn VectorEngine>], tell: &mut impl FnMut(Event<'_>)) -> Rank {
    let mut worst = Rank::Passed;
    for engine in engines {
        let verdict = vector.check(engine.as_mut());
        worst = worst.max(match verdict {
            Verdict::Passed => continue,
            Verdict::Unsupported(_) => Rank::Unsupported,
            Verdict::Failed(_) => Rank::Failed,
        });
        tell(Event::NotPassed { vector, engine: engine.name(), verdict: &verdict });
    }
    worst
}

impl Summary {
    fn add(&mut self, certainty: Certainty, rank: Rank) {
        let tally = match certainty {
            Certainty::Certain => &mut self.by_certainty.certain,
            Certainty::Likely => &mut self.by_certainty.likely,
        };
        self.total += 1;
        match rank {
            Rank::Passed => (self.passed, tally.passed) = (self.passed + 1, tally.passed + 1),
            Rank::Failed => (self.failed, tally.failed) = (self.failed + 1, tally.failed + 1),
            Rank::Unsupported => self.unsupported += 1,
        }
    }

    /// Adds the totals of another file.
    pub fn merge(&mut self, other: &Summary) {
        self.total += other.total;
        self.passed += other.passed;
        self.failed += other.failed;
        self.unsupported += other.unsupported;
        self.broken += other.broken;
        let (mine, theirs) = (&mut self.by_certainty, &other.by_certainty);
        for (a, b) in [(&mut mine.certain, theirs.certain), (&mut mine.likely, theirs.likely)] {
            (a.passed, a.failed) = (a.passed + b.passed, a.failed + b.failed);
        }
    }
}

/// Unpacks gzip, which is recognised by its first bytes.
fn open<'a>(source: impl Read + 'a) -> io::Result<Box<dyn BufRead + 'a>> {
    let mut source = BufReader::with_capacity(1 << 16, source);
    if source.fill_buf()?.starts_with(&[0x1f, 0x8b]) {
        return Ok(Box::new(BufReader::with_capacity(1 << 16, MultiGzDecoder::new(source))));
    }
    Ok(Box::new(source))
}

/// serde_json's message with the column; the line is always the first.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Detail;
    use std::io::Write;

    /// Adds 1 to s0 per instruction, whatever it is.
    struct Counter(fn(&Wave) -> Outcome);

    impl VectorEngine for Counter {
        fn name(&self) -> &'static str {
            "counter"
        }

        fn execute(&mut self, _: &Program, wave: &mut Wave, budget: u64) -> Result<Outcome, EngineError> {
            let count = budget.min(3);
            wave.state.sgpr[0] += count as u32;
            wave.executed += count;
            wave.state.pc += 4 * count;
            Ok((self.0)(wave))
        }
    }

    fn run(lines: &str, outcome: fn(&Wave) -> Outcome) -> (Summary, Vec<String>) {
        let mut told = Vec::new();
        let summary = verify(lines.as_bytes(), &mut [Box::new(Counter(outcome))], |event| {
            told.push(match event {
                Event::NotPassed { vector, verdict, .. } => format!("{}: {verdict:?}", vector.id),
                Event::Broken { line, error } => format!("line {line}: {error}"),
            })
        });
        (summary.unwrap(), told)
    }

    #[test]
    fn verdicts_are_counted() {
        let lines = concat!(
            r#"{"id": "a", "arch": "fiji", "words": ["0x1"], "expect": {"sgpr": {"0": 1}}, "comment": []}"#,
            "\n\n",
            r#"{"id": "b", "arch": "gcn1.2", "words": [1], "certainty": "likely", "expect": {"pc": 8}}"#,
            "\n",
            r#"{"id": "c", "arch": "gcn1.2", "words": [], "expect": {}}"#,
            "\n",
            r#"{"id": "d", "arch": "gcn9", "words": [1]}"#,
        );
        let (summary, told) = run(lines, |_| Outcome::Budget);
        assert_eq!((summary.total, summary.passed, summary.failed, summary.broken), (2, 1, 1, 2));
        assert_eq!(summary.by_certainty.likely, Tally { passed: 0, failed: 1 });
        assert!(told[0].contains("s0") && told[0].contains("pc"), "{told:?}");
        assert!(told[1].starts_with("line 4: words: there are none"), "{told:?}");
        assert!(told[2].starts_with("line 5: unknown architecture 'gcn9'"), "{told:?}");
    }

    #[test]
    fn programs_end_with_the_expected_count() {
        let line = r#"{"id": "p", "arch": "gcn1.2", "words": [1], "program": true, "executed": 3, "expect": {"sgpr": {"0": 3}}}"#;
        assert_eq!(run(line, |_| Outcome::Ended).0.passed, 1);
        assert_eq!(run(line, |_| Outcome::Budget).0.failed, 1);
        let line = line.replace("\"executed\": 3", "\"executed\": 4");
        assert!(run(&line, |_| Outcome::Ended).1[0].contains("executed"));
        let line = line.replace("\"executed\": 4, ", "");
        assert!(run(&line, |_| Outcome::Ended).1[0].contains("needs the key executed"));
    }

    #[test]
    fn faults_fail_and_unsupported_is_neither() {
        fn detail(wave: &Wave) -> Detail {
            Detail { kind: "illegal-operand", mnemonic: None, pc: wave.state.pc, word: None, from: None }
        }
        let line = r#"{"id": "a", "arch": "gcn1.2", "words": [1], "expect": {"sgpr": {"0": 1}}}"#;
        let (summary, told) = run(line, |wave| Outcome::Fault(detail(wave)));
        assert_eq!(summary.failed, 1);
        assert!(told[0].contains("fault (illegal-operand at 0x4)"), "{told:?}");
        let (summary, _) = run(line, |wave| Outcome::Unsupported(detail(wave)));
        assert_eq!((summary.total, summary.unsupported), (1, 1));
    }

    #[test]
    fn gzip_is_recognised() {
        let line = br#"{"id": "a", "arch": "gcn1.2", "words": [1], "expect": {"sgpr": {"0": 1}}}"#;
        let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
        packed.write_all(line).unwrap();
        let packed = packed.finish().unwrap();
        let mut engines: [Box<dyn VectorEngine>; 1] = [Box::new(Counter(|_| Outcome::Budget))];
        let summary = verify(packed.as_slice(), &mut engines, |_| {}).unwrap();
        assert_eq!(summary.passed, 1);
        assert!(verify(&packed[..20], &mut engines, |_| {}).is_err());
    }
}
