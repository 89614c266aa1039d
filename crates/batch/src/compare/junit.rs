//! A comparison as JUnit XML, which build servers display. There is one test case for each entry that makes the
//! comparison fail, and one for each kind of change without such entries.

use std::fmt::Write as _;

use super::{Comparison, FailOn, Regression};
use gcnsim_engine::quote;

/// Returns the comparison as JUnit XML.
pub fn junit(comparison: &Comparison, fail_on: &FailOn, regressions: &[Regression]) -> String {
    let kinds = fail_on.kinds();
    let failing: usize = regressions.iter().map(|regression| regression.entries.len()).sum();
    let passing = kinds.iter().filter(|kind| !regressions.iter().any(|r| r.kind == **kind)).count();
    let tests = failing + passing;
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    // Writing to a String cannot fail.
    let _ = writeln!(out, "<testsuites name=\"gcnsim compare\" tests=\"{tests}\" failures=\"{failing}\">");
    for kind in kinds {
        let regression = regressions.iter().find(|regression| regression.kind == kind);
        let entries = regression.map_or(&[][..], |regression| &regression.entries);
        let (tests, failures) = (entries.len().max(1), entries.len());
        let _ = writeln!(out, "  <testsuite name=\"{kind}\" tests=\"{tests}\" failures=\"{failures}\">");
        if entries.is_empty() {
            let name = format!("{kind} of {} shaders", comparison.matched);
            let _ = writeln!(out, "    <testcase classname=\"gcnsim.{kind}\" name=\"{name}\"/>");
        }
        for entry in entries {
            let (name, message) = (escaped(&entry.name), escaped(&entry.change));
            let _ = writeln!(out, "    <testcase classname=\"gcnsim.{kind}\" name=\"{name}\">");
            let _ = writeln!(out, "      <failure type=\"{kind}\" message=\"{message}\"/>");
            out.push_str("    </testcase>\n");
        }
        out.push_str("  </testsuite>\n");
    }
    out.push_str("</testsuites>\n");
    out
}

/// Escapes `text` for XML and HTML, including attributes in double quotes. Control characters, and those
/// that turn text around, are replaced.
pub fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\t' | '\n' | '\r' => out.push(' '),
            '\0'..' ' | '\u{fffe}' | '\u{ffff}' => out.push('\u{fffd}'),
            c if !quote::is_printable(c) => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
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
        let xml = junit(&comparison, &fail_on, &regressions);
        // The test cases are outcome, state, insts, removed, incomplete and nothing-compared.
        assert!(xml.contains("tests=\"6\" failures=\"1\""), "{xml}");
        assert!(xml.contains("message=\"00 -&gt; \u{fffd}&lt;&amp;&quot;\""), "{xml}");
        assert!(xml.contains("<testcase classname=\"gcnsim.outcome\" name=\"outcome of 1 shaders\"/>"), "{xml}");
    }
}
