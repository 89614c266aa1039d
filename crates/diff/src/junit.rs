//! Results as JUnit XML, which build servers display: a test case for each pair.

use std::io::{self, Write};

use gcnsim_pages::junit::{self, Case, Counts, Failure, Fate};

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
        let what = pair.why.clone().or_else(|| {
            let first = pair.first.as_ref()?;
            let inst = [&first.inst_old, &first.inst_new].map(|inst| inst.as_deref().unwrap_or("unknown"));
            Some(format!("{}: {}; old: {}; new: {}", first.place(), first.values(), inst[0], inst[1]))
        });
        let message = what.unwrap_or_else(|| "the observations do not depend on the inputs".into());
        let kind = pair.result.name();
        let fate = if fail_on.fails(pair) {
            self.failures += 1;
            Fate::Failed(Failure { kind: kind.into(), message, facts: Vec::new() })
        } else if pair.result == Verdict::Same {
            Fate::Passed
        } else {
            self.skipped += 1;
            Fate::Skipped(format!("{kind}: {message}"))
        };
        // Writing to a Vec cannot fail.
        let _ = Case { class: "diff", name: &pair.name, file: None, fate }.write(&mut self.cases);
    }

    /// Writes the report.
    ///
    /// # Errors
    /// The report cannot be written.
    pub fn finish(mut self) -> io::Result<W> {
        let counts = Counts { tests: self.tests, failures: self.failures, ..Counts::default() };
        junit::begin("gcnsim diff", counts, &mut self.out)?;
        junit::begin_suite("diff", Counts { skipped: Some(self.skipped), ..counts }, &mut self.out)?;
        self.out.write_all(&self.cases)?;
        junit::end_suite(&mut self.out)?;
        junit::end(&mut self.out)?;
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
