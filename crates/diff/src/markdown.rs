//! Results as Markdown, for a merge request.

use gcnsim_engine::report::grouped;
use gcnsim_pages::markdown::{self, ROWS};
use gcnsim_pages::{Cell, Document, Lines, Part};

use crate::result::{FailOn, PairResult, Summary, Verdict};

/// The pairs that Markdown shows: those that are not the same, up to a limit.
#[derive(Default)]
pub struct Table {
    rows: Vec<Vec<Cell>>,
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
        self.rows.push([pair.name.shown().to_owned(), pair.result.name().into(), why, old, new].map(Cell::text).into());
    }

    /// Returns the results as Markdown. `fail_on` says what counts as a difference.
    pub fn text(self, sum: &Summary, fail_on: &FailOn) -> String {
        let is_bad = fail_on.fails_sum(sum) || sum.interrupted;
        let verdicts = Verdict::ALL.map(|verdict| (sum.of(verdict), verdict.name()));
        let more = [
            (sum.insensitive, "of the same are insensitive"),
            (sum.relinked, "of the same are linked otherwise"),
            (sum.removed_count, "only in OLD"),
            (sum.added_count, "only in NEW"),
        ];
        let counts = verdicts.into_iter().chain(more.into_iter().filter(|(n, _)| *n > 0));
        let lines = counts.map(|(n, what)| (format!("{} {what}", grouped(n)), false)).collect();
        let columns = &["shader", "result", "what", "old", "new"];
        let table = gcnsim_pages::Table { title: String::new(), columns, rows: self.rows, more: self.more };
        markdown::document(&Document {
            name: "gcnsim diff",
            title: if is_bad { "differences found" } else { "no differences" }.into(),
            parts: vec![Part::Lines(Lines { lines, ..Lines::default() }), Part::Table(table)],
        })
    }
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
