//! Results as JUnit XML, which build servers display: a test case for each pair.

use std::io::{self, Write};

use gcnsim_batch::compare::junit::escaped;

use crate::result::{FailOn, PairResult, Verdict};

/// Writes a test case for each pair.
pub struct Junit<W> {
    out: W,
    cases: Vec<u8>,
    tests: u64,
    failures: u64,
    skipped: u64,
}

impl<W: Write> Junit<W> {
    /// Returns a report that is written to `out` when it is finished.
    pub fn new(out: W) -> Junit<W> {
        Junit { out, cases: Vec::new(), tests: 0, failures: 0, skipped: 0 }
    }

    /// Adds a pair.
    pub fn add(&mut self, pair: &PairResult, fail_on: &FailOn) {
        self.tests += 1;
        let name = escaped(&pair.name);
        let what = pair.why.clone().or_else(|| {
            let first = pair.first.as_ref()?;
            let inst = [&first.inst_old, &first.inst_new].map(|inst| inst.as_deref().unwrap_or("unknown"));
            Some(format!("{}: {}; old: {}; new: {}", first.place(), first.values(), inst[0], inst[1]))
        });
        let what = escaped(&what.unwrap_or_else(|| "the observations do not depend on the inputs".into()));
        // Writing to a Vec cannot fail.
        let _ = write!(self.cases, "    <testcase classname=\"gcnsim.diff\" name=\"{name}\"");
        let kind = pair.result.name();
        if fail_on.fails(pair) {
            self.failures += 1;
            let _ = writeln!(self.cases, ">\n      <failure type=\"{kind}\" message=\"{what}\"/>\n    </testcase>");
        } else if pair.result == Verdict::Same {
            self.cases.extend_from_slice(b"/>\n");
        } else {
            self.skipped += 1;
            let _ = writeln!(self.cases, ">\n      <skipped message=\"{kind}: {what}\"/>\n    </testcase>");
        }
    }

    /// Writes the report.
    ///
    /// # Errors
    /// The report cannot be written.
    pub fn finish(mut self) -> io::Result<W> {
        let (tests, failures, skipped) = (self.tests, self.failures, self.skipped);
        let counts = format!("tests=\"{tests}\" failures=\"{failures}\" skipped=\"{skipped}\"");
        writeln!(self.out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>")?;
        writeln!(self.out, "<testsuites name=\"gcnsim diff\" tests=\"{tests}\" failures=\"{failures}\">")?;
        writeln!(self.out, "  <testsuite name=\"diff\" {counts}>")?;
        self.out.write_all(&self.cases)?;
        writeln!(self.out, "  </testsuite>\n</testsuites>")?;
        Ok(self.out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::tests::differing;

    #[test]
    fn pairs_are_test_cases() {
        let mut junit = Junit::new(Vec::new());
        junit.add(&differing(), &FailOn::default());
        junit.add(&PairResult { result: Verdict::Same, first: None, ..differing() }, &FailOn::default());
        let other =
            PairResult { result: Verdict::Incomparable, why: Some("stages".into()), first: None, ..differing() };
        junit.add(&other, &FailOn::default());
        let xml = String::from_utf8(junit.finish().unwrap()).unwrap();
        assert!(xml.contains("tests=\"3\" failures=\"1\" skipped=\"1\""), "{xml}");
        assert!(xml.contains("name=\"a &lt;b&gt;.bin\"/>"), "{xml}");
        assert!(xml.contains("<skipped message=\"incomparable: stages\"/>"), "{xml}");
        let failure = "<failure type=\"differ\" message=\"export mrt0.x, lane 0: 0x3f800000 -&gt; 0x40000000; old: \
                       v_mov_b32_e32 v0, 1.0; new: v_mov_b32_e32 v0, 2.0\"/>";
        assert!(xml.contains(failure), "{xml}");
    }
}
