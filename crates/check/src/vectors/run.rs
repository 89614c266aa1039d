//! Runs a file of vectors: reads lines, distributes them, counts and reports.

use std::io::{self, BufRead, BufReader, Read};

use flate2::bufread::MultiGzDecoder;
use serde::Serialize;

use super::{Certainty, Vector, VectorEngine, VectorError, Verdict};

/// Numbers of passed and failed vectors of one certainty.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize)]
#[non_exhaustive]
pub struct Tally {
    /// Number of vectors that all engines passed.
    pub passed: u64,
    /// Number of vectors that an engine failed.
    pub failed: u64,
}

/// Tallies by certainty.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize)]
pub struct ByCertainty {
    /// The `certain` vectors.
    pub certain: Tally,
    /// The `likely` vectors.
    pub likely: Tally,
}

/// Totals over vectors; total = passed + failed + unsupported.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize)]
#[non_exhaustive]
pub struct Summary {
    /// Number of vectors run.
    pub total: u64,
    /// Number of vectors that passed on all engines.
    pub passed: u64,
    /// Number of vectors that failed on an engine.
    pub failed: u64,
    /// Number of vectors that failed on no engine, but that an engine does not support.
    pub unsupported: u64,
    /// Passed and failed vectors by certainty.
    pub by_certainty: ByCertainty,
    /// Number of lines that are not vectors. They do not count in `total`.
    #[serde(skip)]
    pub broken: u64,
}

/// An event that [`verify`] reports while it runs.
#[derive(Debug)]
pub enum Event<'a> {
    /// A vector did not pass on an engine.
    NotPassed {
        /// The vector.
        vector: &'a Vector,
        /// The name of the engine.
        engine: &'static str,
        /// The verdict.
        verdict: &'a Verdict,
    },
    /// A line is not a vector.
    Broken {
        /// Line number, from 1.
        line: u64,
        /// The error of the line.
        error: VectorError,
    },
}

/// Number of lines that are read before the workers process them.
const BATCH: usize = 1024;

/// Most bytes of a line. A line that names all registers twice has a third of that. Without a limit compressed input
/// could go on for ever.
const MAX_LINE: usize = 1 << 20;
/// Most bytes of lines beyond their limit that are skipped. After these the file is not read any further.
const MAX_SKIPPED: u64 = 256 << 20;
/// Size of a batch of lines, in bytes, at which the workers process them.
const BATCH_BYTES: usize = 16 << 20;

/// Runs all vectors of a file, plain or gzip, on each engine.
///
/// # Errors
/// Errors of reading. Broken lines are events.
pub fn verify(
    source: impl Read,
    engines: &mut [Box<dyn VectorEngine>],
    tell: impl FnMut(Event<'_>),
) -> io::Result<Summary> {
    run_file(source, &mut [engines], tell)
}

/// Runs all vectors of a file on several threads, each with engines of its own. Events come in the order of the file.
///
/// # Errors
/// Errors of reading. Broken lines are events.
pub fn verify_in_parallel(
    source: impl Read,
    workers: &mut [Vec<Box<dyn VectorEngine>>],
    tell: impl FnMut(Event<'_>),
) -> io::Result<Summary> {
    let mut workers: Vec<_> = workers.iter_mut().map(Vec::as_mut_slice).collect();
    run_file(source, &mut workers, tell)
}

/// A vector with the verdict of each engine; the error says what is wrong with the line.
type Checked = Result<(Vector, Vec<(&'static str, Verdict)>), VectorError>;

fn run_file(
    source: impl Read,
    workers: &mut [&mut [Box<dyn VectorEngine>]],
    mut tell: impl FnMut(Event<'_>),
) -> io::Result<Summary> {
    let mut summary = Summary::default();
    let mut lines = open(source)?;
    let mut number = 0;
    loop {
        let batch = read_batch(&mut lines, &mut number)?;
        if batch.is_empty() {
            return Ok(summary);
        }
        let share = batch.len().div_ceil(workers.len().max(1));
        let checked: Vec<Vec<Checked>> = std::thread::scope(|scope| {
            let shares = batch.chunks(share).zip(workers.iter_mut());
            let check = |lines: &[(u64, Vec<u8>)], engines: &mut [Box<dyn VectorEngine>]| -> Vec<Checked> {
                lines.iter().map(|(_, line)| check_line(line, engines)).collect()
            };
            let running: Vec<_> = shares.map(|(lines, engines)| scope.spawn(move || check(lines, engines))).collect();
            running.into_iter().map(|thread| thread.join().unwrap_or_else(|e| std::panic::resume_unwind(e))).collect()
        });
        for ((line, _), checked) in batch.iter().zip(checked.into_iter().flatten()) {
            summary.add(*line, &checked, &mut tell);
        }
    }
}

/// Returns the next lines that are not blank, with their numbers. Lines that are too long are cut off.
fn read_batch(lines: &mut dyn BufRead, number: &mut u64) -> io::Result<Vec<(u64, Vec<u8>)>> {
    let mut batch = Vec::new();
    let mut bytes = 0;
    while batch.len() < BATCH && bytes < BATCH_BYTES {
        let mut line = Vec::new();
        if (&mut *lines).take(MAX_LINE as u64 + 1).read_until(b'\n', &mut line)? == 0 {
            break;
        }
        *number += 1;
        let is_cut = line.len() > MAX_LINE && !line.ends_with(b"\n");
        if is_cut && (&mut *lines).take(MAX_SKIPPED).skip_until(b'\n')? as u64 == MAX_SKIPPED {
            return Err(io::Error::new(io::ErrorKind::InvalidData, format!("line {number} does not end")));
        }
        bytes += line.len();
        if !line.trim_ascii().is_empty() {
            batch.push((*number, line));
        }
    }
    Ok(batch)
}

fn check_line(line: &[u8], engines: &mut [Box<dyn VectorEngine>]) -> Checked {
    if line.len() > MAX_LINE {
        return Err(VectorError::TooLong { limit: MAX_LINE });
    }
    let vector = Vector::parse(line)?;
    let verdicts = engines.iter_mut().map(|engine| (engine.name(), vector.check(engine.as_mut()))).collect();
    Ok((vector, verdicts))
}

impl Summary {
    fn add(&mut self, line: u64, checked: &Checked, tell: &mut impl FnMut(Event<'_>)) {
        let (vector, verdicts) = match checked {
            Ok(checked) => checked,
            Err(error) => {
                self.broken += 1;
                return tell(Event::Broken { line, error: error.clone() });
            }
        };
        let tally = match vector.certainty {
            Certainty::Certain => &mut self.by_certainty.certain,
            Certainty::Likely => &mut self.by_certainty.likely,
        };
        self.total += 1;
        if verdicts.iter().any(|(_, verdict)| matches!(verdict, Verdict::Failed(_))) {
            (self.failed, tally.failed) = (self.failed + 1, tally.failed + 1);
        } else if verdicts.iter().any(|(_, verdict)| matches!(verdict, Verdict::Unsupported(_))) {
            self.unsupported += 1;
        } else {
            (self.passed, tally.passed) = (self.passed + 1, tally.passed + 1);
        }
        for (engine, verdict) in verdicts.iter().filter(|(_, verdict)| *verdict != Verdict::Passed) {
            tell(Event::NotPassed { vector, engine, verdict });
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

/// Opens a file of lines. If it begins with the magic bytes of gzip, it is unpacked.
fn open<'a>(source: impl Read + 'a) -> io::Result<Box<dyn BufRead + 'a>> {
    let mut source = BufReader::with_capacity(1 << 16, source);
    if source.fill_buf()?.starts_with(&[0x1f, 0x8b]) {
        return Ok(Box::new(BufReader::with_capacity(1 << 16, MultiGzDecoder::new(source))));
    }
    Ok(Box::new(source))
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use gcnsim_isa::Program;
    use gcnsim_machine::Context;

    use super::*;
    use gcnsim_engine::EngineError;
    use gcnsim_machine::Detail;
    use gcnsim_machine::Outcome;
    use gcnsim_machine::Wave;

    /// An engine that adds 1 to s0 per instruction, whatever the instruction is.
    struct Counter(fn(&Wave) -> Outcome);

    impl VectorEngine for Counter {
        fn name(&self) -> &'static str {
            "counter"
        }

        fn execute(
            &mut self,
            _: &Program,
            wave: &mut Wave,
            _: &mut Context,
            budget: u64,
        ) -> Result<Outcome, EngineError> {
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
        assert_eq!(run(&line, |_| Outcome::Ended).0.passed, 1, "the count is not compared");
    }

    #[test]
    fn no_line_takes_for_ever() {
        let line = |executed: &str| {
            format!(r#"{{"id": "p", "arch": "gcn1.2", "words": [1], "program": true, "executed": {executed}}}"#)
        };
        let (summary, told) = run(&format!("\n{}\n", line("18446744073709551615")), |_| Outcome::Ended);
        assert_eq!((summary.total, summary.broken), (0, 1));
        assert!(told[0].starts_with("line 2: executed: 18446744073709551615 is more than 1000000"), "{told:?}");
        assert_eq!(run(&line("1000000"), |_| Outcome::Budget).0.failed, 1);

        let long = format!(r#"{{"id": "{}"}}"#, "x".repeat(MAX_LINE));
        let last = r#"{"id": "a", "arch": "gcn1.2", "words": [1], "expect": {"sgpr": {"0": 1}}}"#;
        let (summary, told) = run(&format!("{long}\n{last}\n{long}"), |_| Outcome::Budget);
        assert_eq!((summary.passed, summary.broken), (1, 2));
        assert_eq!(told, [1, 3].map(|n| format!("line {n}: the line is longer than 1048576 bytes")));
    }

    #[test]
    fn faults_fail_and_unsupported_is_neither() {
        fn detail(wave: &Wave) -> Detail {
            Detail { kind: "illegal-operand", mnemonic: None, pc: wave.state.pc, word: None, from: None, memory: None }
        }
        let line = r#"{"id": "a", "arch": "gcn1.2", "words": [1], "expect": {"sgpr": {"0": 1}}}"#;
        let (summary, told) = run(line, |wave| Outcome::Fault(detail(wave)));
        assert_eq!(summary.failed, 1);
        assert!(told[0].contains("fault (illegal-operand at 0x4)"), "{told:?}");
        let (summary, _) = run(line, |wave| Outcome::Unsupported(detail(wave)));
        assert_eq!((summary.total, summary.unsupported), (1, 1));
    }

    #[test]
    fn an_expected_fault_is_compared() {
        // global_load_dword v1, v[2:3], off by lane 9, where nothing is mapped.
        let check = |expect: &str| {
            let line = format!(
                r#"{{"id": "a", "arch": "gcn1.4", "words": ["0xdc508000", "0x17f0002"], "init": {{"exec": "0x200"}},
                     "expect": {{{expect}}}}}"#
            );
            let line = Vector::parse(line.as_bytes()).map_err(|error| error.to_string())?;
            match line.check(&mut *crate::vectors::interpreter()) {
                Verdict::Passed => Ok(()),
                verdict => Err(format!("{verdict:?}")),
            }
        };
        let right = r#""outcome": "fault", "fault": {"access": "load", "address": 0, "bytes": 4, "lane": 9}"#;
        assert_eq!(check(right), Ok(()));
        assert!(check(&right.replace('9', "8")).unwrap_err().contains("fault lane"));
        assert!(check(r#""fault": {"lane": 9}"#).unwrap_err().contains("fault: the outcome is not 'fault'"));
        assert!(check(r#""outcome": "fault", "fault": {}, "fault": {}"#).unwrap_err().contains("duplicate field"));
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
