//! Test cases as JUnit XML, which build servers display.

use std::fmt::{self, Display};
use std::io::{self, Write};

use crate::escape::xml as escaped;

/// Counts of test cases. Those that are not known are not written.
#[derive(Clone, Copy, Default, Debug)]
pub struct Counts {
    /// All of them.
    pub tests: u64,
    /// Those that failed.
    pub failures: u64,
    /// Those that could not be judged.
    pub errors: Option<u64>,
    /// Those that do not count.
    pub skipped: Option<u64>,
    /// Their time in nanoseconds.
    pub time_ns: Option<u64>,
}

impl Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "tests=\"{}\" failures=\"{}\"", self.tests, self.failures)?;
        for (name, count) in [("errors", self.errors), ("skipped", self.skipped)] {
            if let Some(count) = count {
                write!(f, " {name}=\"{count}\"")?;
            }
        }
        self.time_ns.map_or(Ok(()), |ns| write!(f, " time=\"{}\"", seconds(ns)))
    }
}

fn seconds(ns: u64) -> String {
    format!("{}.{:09}", ns / 1_000_000_000, ns % 1_000_000_000)
}

/// What became of a test case.
#[derive(Clone, Debug)]
pub enum Fate {
    /// It passed.
    Passed,
    /// It does not count, for a reason.
    Skipped(String),
    /// It failed.
    Failed(Failure),
    /// It could not be judged.
    Error(Failure),
}

/// A failure.
#[derive(Clone, Default, Debug)]
pub struct Failure {
    /// Its kind.
    pub kind: String,
    /// What it is, in one line.
    pub message: String,
    /// Everything that is known of it, one fact a line; may be empty.
    pub facts: Vec<String>,
}

/// A test case.
#[derive(Clone, Debug)]
pub struct Case<'a> {
    /// The class, behind `gcnsim.`.
    pub class: &'a str,
    /// The name.
    pub name: &'a str,
    /// The file, and the time in nanoseconds.
    pub file: Option<(&'a str, u64)>,
    /// What became of it.
    pub fate: Fate,
}

impl Case<'_> {
    /// Writes the test case.
    ///
    /// # Errors
    /// The output cannot be written.
    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        write!(out, "    <testcase classname=\"gcnsim.{}\" name=\"{}\"", self.class, escaped(self.name))?;
        if let Some((file, ns)) = self.file {
            write!(out, " file=\"{}\" time=\"{}\"", escaped(file), seconds(ns))?;
        }
        match &self.fate {
            Fate::Passed => return writeln!(out, "/>"),
            Fate::Skipped(why) => writeln!(out, ">\n      <skipped message=\"{}\"/>", escaped(why))?,
            Fate::Failed(failure) => failure.write("failure", out)?,
            Fate::Error(failure) => failure.write("error", out)?,
        }
        writeln!(out, "    </testcase>")
    }
}

impl Failure {
    fn write(&self, element: &str, out: &mut dyn Write) -> io::Result<()> {
        write!(out, ">\n      <{element} type=\"{}\" message=\"{}\"", self.kind, escaped(&self.message))?;
        if self.facts.is_empty() {
            return writeln!(out, "/>");
        }
        let facts: Vec<_> = self.facts.iter().map(|fact| escaped(fact)).collect();
        writeln!(out, ">{}</{element}>", facts.join("\n"))
    }
}

/// Writes the beginning of a file: what made it, and the counts of all suites.
///
/// # Errors
/// The output cannot be written. The same is true of the functions below.
pub fn begin(name: &str, counts: Counts, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"{name}\" {counts}>")
}

/// Writes the beginning of a suite.
///
/// # Errors
/// As above.
pub fn begin_suite(name: &str, counts: Counts, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "  <testsuite name=\"{}\" {counts}>", escaped(name))
}

/// Writes the end of a suite.
///
/// # Errors
/// As above.
pub fn end_suite(out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "  </testsuite>")
}

/// Writes the end of a file.
///
/// # Errors
/// As above.
pub fn end(out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "</testsuites>")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cases_say_what_became_of_them() {
        let failure =
            Failure { kind: "fault".into(), message: "a < b".into(), facts: vec!["pc 0x10".into(), "&".into()] };
        let written = |fate: Fate| {
            let mut out = Vec::new();
            Case { class: "batch", name: "\"a\"", file: Some(("a.bin", 1_000_000_001)), fate }.write(&mut out).unwrap();
            String::from_utf8(out).unwrap()
        };
        let head =
            "    <testcase classname=\"gcnsim.batch\" name=\"&quot;a&quot;\" file=\"a.bin\" time=\"1.000000001\"";
        assert_eq!(written(Fate::Passed), format!("{head}/>\n"));
        let skipped = "      <skipped message=\"known\"/>\n    </testcase>\n";
        assert_eq!(written(Fate::Skipped("known".into())), format!("{head}>\n{skipped}"));
        let failed = "      <failure type=\"fault\" message=\"a &lt; b\">pc 0x10\n&amp;</failure>\n    </testcase>\n";
        assert_eq!(written(Fate::Failed(failure.clone())), format!("{head}>\n{failed}"));
        let error = Failure { facts: Vec::new(), ..failure };
        let without = "      <error type=\"fault\" message=\"a &lt; b\"/>\n    </testcase>\n";
        assert_eq!(written(Fate::Error(error)), format!("{head}>\n{without}"));
    }
}
