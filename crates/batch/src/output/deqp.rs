//! Results as Mesa's deqp-runner writes them: `NAME,STATUS` lines, of all entries (`results.csv`) or of those that are
//! known to fail (`-fails.txt`).
//!
//! A name with a comma, a quotation mark or a line break stands in quotation marks, as in CSV.

use std::borrow::Cow;
use std::io::Write;
use std::path::Path;

use crate::operations::ledger::{Ledger, Verdict};
use crate::output::junit::ExportError;
use crate::output::outcome::EntryOutcome;
use crate::output::record::{self, Record};

/// The status of a test.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Status {
    /// It does what it should.
    Pass,
    /// It does something else.
    Fail,
    /// It ended before it was done.
    Crash,
    /// It was not done in time.
    Timeout,
    /// It says nothing.
    Skip,
    /// It fails as the list of known failures says.
    ExpectedFail,
    /// It passes, and the list of known failures says otherwise.
    UnexpectedPass,
}

impl Status {
    /// Returns the name in files.
    pub const fn name(self) -> &'static str {
        match self {
            Status::Pass => "Pass",
            Status::Fail => "Fail",
            Status::Crash => "Crash",
            Status::Timeout => "Timeout",
            Status::Skip => "Skip",
            Status::ExpectedFail => "ExpectedFail",
            Status::UnexpectedPass => "UnexpectedImprovement(Pass)",
        }
    }

    /// Returns the status of a list of known failures with this name.
    pub fn of_failure(name: &str) -> Option<Status> {
        [Status::Fail, Status::Crash, Status::Timeout].into_iter().find(|status| status.name() == name)
    }

    /// Returns the status that an outcome has without a list of known failures.
    pub const fn of_outcome(outcome: EntryOutcome) -> Status {
        use EntryOutcome::*;
        match outcome {
            Ended => Status::Pass,
            Budget => Status::Timeout,
            Fault | Halted | Trap | Divergence | InternalError => Status::Crash,
            Unsupported | Mismatch | BadInput | Interrupted => Status::Fail,
        }
    }

    fn of(record: &Record, ledger: Option<&Ledger>) -> Status {
        match record.to_entry((0, 0)).verdict(ledger) {
            _ if record.outcome.is_our_fault() => Status::of_outcome(record.outcome),
            Verdict::Expected => Status::ExpectedFail,
            Verdict::UnexpectedPass => Status::UnexpectedPass,
            Verdict::Pass | Verdict::Unlisted => Status::of_outcome(record.outcome),
        }
    }
}

/// Returns a line, without a line break.
pub fn line(name: &str, status: Status) -> String {
    format!("{},{}", field(name), status.name())
}

fn field(name: &str) -> Cow<'_, str> {
    match name.contains([',', '"', '\n', '\r']) || name.starts_with(['#', ' ']) {
        true => format!("\"{}\"", name.replace('"', "\"\"")).into(),
        false => name.into(),
    }
}

/// Returns the name and the rest of a line, behind the comma. `None` if there is no comma.
pub(crate) fn parse(line: &str) -> Option<(Cow<'_, str>, &str)> {
    let Some(quoted) = line.strip_prefix('"') else {
        return line.rsplit_once(',').map(|(name, status)| (name.into(), status));
    };
    let mut name = String::new();
    let mut rest = quoted;
    loop {
        let (part, behind) = rest.split_once('"')?;
        name += part;
        rest = behind;
        match rest.strip_prefix('"') {
            Some(behind) => {
                name.push('"');
                rest = behind;
            }
            None => return Some((name.into(), rest.strip_prefix(',')?)),
        }
    }
}

/// Writes the results in the file `results` to `out`.
///
/// # Errors
/// [`ExportError`].
pub fn write(results: &Path, ledger: Option<&Ledger>, out: &mut dyn Write) -> Result<(), ExportError> {
    for located in record::open(results)? {
        let record = located?.record;
        writeln!(out, "{}", line(&record.name(), Status::of(&record, ledger)))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_read_as_they_are_written() {
        for (name, text) in [
            ("a.co: saxpy", "a.co: saxpy,Crash"),
            ("a,b.bin", "\"a,b.bin\",Crash"),
            ("a \"b\"", "\"a \"\"b\"\"\",Crash"),
            ("#a", "\"#a\",Crash"),
        ] {
            assert_eq!(line(name, Status::Crash), text);
            assert_eq!(parse(text), Some((name.into(), "Crash")));
        }
        // Others write commas as they are.
        assert_eq!(parse("a,b,Fail"), Some(("a,b".into(), "Fail")));
        for wrong in ["a", "\"a,Fail", "\"a\"Fail"] {
            assert_eq!(parse(wrong), None, "{wrong}");
        }
    }
}
