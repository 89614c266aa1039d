//! A comparison as JUnit XML, which build servers display. There is one test case for each entry that makes the
//! comparison fail, and one for each kind of change without such entries.

use std::io::{self, Write};

use super::{Comparison, FailOn, Regression};
use gcnsim_pages::junit::{self, Case, Counts, Failure, Fate};

/// Returns the comparison as JUnit XML.
pub fn junit(comparison: &Comparison, fail_on: &FailOn, regressions: &[Regression]) -> Vec<u8> {
    let mut out = Vec::new();
    // Writing to a Vec cannot fail.
    let _ = write(comparison, fail_on, regressions, &mut out);
    out
}

fn write(comparison: &Comparison, fail_on: &FailOn, regressions: &[Regression], out: &mut dyn Write) -> io::Result<()> {
    let kinds = fail_on.kinds();
    let failing: usize = regressions.iter().map(|regression| regression.entries.len()).sum();
    let passing = kinds.iter().filter(|kind| !regressions.iter().any(|r| r.kind == **kind)).count();
    let counts =
        |tests: usize, failures: usize| Counts { tests: tests as u64, failures: failures as u64, ..Counts::default() };
    junit::begin("gcnsim compare", counts(failing + passing, failing), out)?;
    for kind in kinds {
        let regression = regressions.iter().find(|regression| regression.kind == kind);
        let entries = regression.map_or(&[][..], |regression| &regression.entries);
        junit::begin_suite(kind, counts(entries.len().max(1), entries.len()), out)?;
        if entries.is_empty() {
            let name = format!("{kind} of {} shaders", comparison.matched);
            Case { class: kind, name: &name, file: None, fate: Fate::Passed }.write(out)?;
        }
        for entry in entries {
            let failure = Failure { kind: kind.to_string(), message: entry.change.clone(), facts: Vec::new() };
            Case { class: kind, name: &entry.name, file: None, fate: Fate::Failed(failure) }.write(out)?;
        }
        junit::end_suite(out)?;
    }
    junit::end(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::changes::tests::record;
    use crate::compare::compare;

    #[test]
    fn failures_and_passes_are_counted() {
        let old = [record()];
        let mut new = record();
        new.state_hash = Some("\u{1}<&\"".into());
        let comparison = compare(&old, &[new]);
        let fail_on = FailOn::default();
        let regressions = fail_on.regressions(&comparison);
        let xml = String::from_utf8(junit(&comparison, &fail_on, &regressions)).unwrap();
        // The test cases are outcome, state, insts, removed, incomplete and nothing-compared.
        assert!(xml.contains("tests=\"6\" failures=\"1\""), "{xml}");
        assert!(xml.contains("message=\"00 -&gt; \u{fffd}&lt;&amp;&quot;\""), "{xml}");
        assert!(xml.contains("<testcase classname=\"gcnsim.outcome\" name=\"outcome of 1 shaders\"/>"), "{xml}");
    }
}
