//! Results as Markdown, for a merge request.

use std::fmt::Write as _;

use gcnsim_engine::report::grouped;

use crate::result::{FailOn, PairResult, Summary, Verdict};

/// Most rows of a table, because the size of a comment is limited.
const ROWS: usize = 50;

/// The pairs that Markdown shows: those that are not the same, up to a limit.
#[derive(Default)]
pub struct Table {
    rows: Vec<(Verdict, [String; 5])>,
    more: u64,
}

impl Table {
    /// Adds a pair, if the table shows it.
    pub fn add(&mut self, pair: &PairResult) {
        if pair.result == Verdict::Same {
            return;
        }
        if self.rows.len() >= ROWS {
            self.more += 1;
            return;
        }
        let first = pair.first.as_ref();
        let why = pair
            .why
            .clone()
            .unwrap_or_else(|| first.map_or(String::new(), |first| format!("{}: {}", first.place(), first.values())));
        let inst = |inst: Option<&String>| inst.cloned().unwrap_or_default();
        let insts = [first.and_then(|f| f.inst_old.as_ref()), first.and_then(|f| f.inst_new.as_ref())].map(inst);
        let [old, new] = insts;
        self.rows.push((pair.result, [pair.name.shown().to_owned(), pair.result.name().into(), why, old, new]));
    }

    /// Returns the results as Markdown. `fail_on` says what counts as a difference.
    pub fn text(&self, sum: &Summary, fail_on: &FailOn) -> String {
        let is_bad = fail_on.fails_sum(sum) || sum.interrupted;
        let verdict = if is_bad { "differences found" } else { "no differences" };
        let mut out = format!("### gcnsim diff: {verdict}\n\n");
        // Writing to a String cannot fail.
        for verdict in Verdict::ALL {
            let _ = writeln!(out, "- {} {}", grouped(sum.of(verdict)), verdict.name());
        }
        for (n, what) in [
            (sum.insensitive, "of the same are insensitive"),
            (sum.relinked, "of the same are linked otherwise"),
            (sum.removed_count, "only in OLD"),
            (sum.added_count, "only in NEW"),
        ] {
            if n > 0 {
                let _ = writeln!(out, "- {} {what}", grouped(n));
            }
        }
        if self.rows.is_empty() {
            return out;
        }
        out.push_str("\n| shader | result | what | old | new |\n|---|---|---|---|---|\n");
        for (_, row) in &self.rows {
            let cells: Vec<_> = row.iter().map(|cell| escaped(cell)).collect();
            let _ = writeln!(out, "| {} |", cells.join(" | "));
        }
        if self.more > 0 {
            let _ = writeln!(out, "\n... and {} more", grouped(self.more));
        }
        out
    }
}

/// Escapes the text of a cell, so that nothing in a name can end the cell or begin markup.
fn escaped(cell: &str) -> String {
    gcnsim_batch::compare::markdown::escaped(cell)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::tests::differing;

    #[test]
    fn a_pair_that_differs_is_a_row() {
        let (mut table, mut sum) = (Table::default(), Summary::new("a".into(), "b".into(), 0.0));
        table.add(&differing());
        sum.add(&differing());
        let text = table.text(&sum, &FailOn::default());
        assert!(text.starts_with("### gcnsim diff: differences found\n\n- 0 same\n- 1 differ\n"), "{text}");
        let row =
            "| a &lt;b>.bin | differ | export mrt0.x, lane 0: 0x3f800000 -> 0x40000000 | v\\_mov\\_b32\\_e32 v0, 1.0 |";
        assert!(text.contains(row), "{text}");
    }
}
