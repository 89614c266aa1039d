//! Results as one self-contained HTML page: the pairs that are not the same, with both codes side by side for those
//! that differ. Everything that comes from files is escaped.

use std::fmt::Write as _;

use gcnsim_engine::report::grouped;
use gcnsim_pages::escape::xml as escaped;
use gcnsim_pages::html::{self, Extras};
use gcnsim_pages::{Cell, Document, Lines, Part, Share, Table};

use crate::result::{BothCodes, CodeLine, PairResult, Summary, Verdict};

/// Most rows of the table.
const ROWS: usize = 2000;
/// Most pairs whose codes are shown.
const PAIRS: usize = 300;
/// Most rows of a code.
const CODE_ROWS: usize = 3000;

/// Collects the pairs of a page.
#[derive(Default)]
pub struct Page {
    pairs: Vec<PairResult>,
    with_codes: usize,
    more: u64,
}

impl Page {
    /// Adds a pair, if the page shows it.
    pub fn add(&mut self, pair: &PairResult) {
        if pair.result == Verdict::Same && !pair.insensitive && !pair.relinked {
            return;
        }
        if self.pairs.len() >= ROWS {
            self.more += 1;
            return;
        }
        let keeps_codes = pair.result == Verdict::Differ && self.with_codes < PAIRS;
        let mut pair = pair.clone();
        if keeps_codes {
            self.with_codes += 1;
        } else {
            pair.codes = BothCodes::default();
        }
        self.pairs.push(pair);
    }

    /// Returns the page.
    pub fn html(&self, sum: &Summary) -> String {
        let mut parts = vec![cards(sum), shares(sum)];
        if sum.interrupted {
            parts.push(Part::Sentence("The run was stopped before its end.".into()));
        }
        let mut codes = String::new();
        self.codes(&mut codes);
        parts.extend([Part::Filter, Part::Table(self.table()), Part::Html(codes)]);
        parts.extend(alone("Only in OLD", &sum.removed, sum.removed_count));
        parts.extend(alone("Only in NEW", &sum.added, sum.added_count));
        let document = Document { name: "gcnsim diff", title: format!("{} and {}", sum.old, sum.new), parts };
        let extras = Extras { style: include_str!("diff.css"), script: include_str!("diff.js") };
        html::page(&document, "gcnsim diff report", extras)
    }

    fn table(&self) -> Table {
        let rows = self.pairs.iter().enumerate().map(|(number, pair)| {
            let first = pair.first.as_ref();
            let what = pair.why.clone().or_else(|| Some(format!("{}: {}", first?.place(), first?.values())));
            let what = what.unwrap_or_else(|| "insensitive: the observations do not depend on the inputs".into());
            let inst = |inst: Option<&String>| Cell::text(inst.map_or("", String::as_str));
            let name = Cell::text(pair.name.shown());
            vec![
                Cell::text(pair.result.name()),
                Cell::text(pair.stage.unwrap_or_default()),
                Cell::text(what),
                inst(first.and_then(|first| first.inst_old.as_ref())),
                inst(first.and_then(|first| first.inst_new.as_ref())),
                Cell::text(pair.world.as_deref().unwrap_or_default()),
                if pair.codes.rows.is_empty() { name } else { name.linked(format!("p{number}")) },
            ]
        });
        let columns = &["result", "stage", "what", "old", "new", "world", "shader"];
        Table { title: "Not the same".into(), columns, rows: rows.collect(), more: self.more }
    }

    fn codes(&self, out: &mut String) {
        let shown: Vec<_> = self.pairs.iter().enumerate().filter(|(_, pair)| !pair.codes.rows.is_empty()).collect();
        if shown.is_empty() {
            return;
        }
        out.push_str("<h2>Codes of pairs that differ</h2><div class=\"nav\">");
        out.push_str("<button id=\"previous\" title=\"key p\">previous</button>");
        out.push_str("<button id=\"next\" title=\"key n\">next</button><select id=\"pairs\" aria-label=\"Pair\">");
        for (_, pair) in &shown {
            let _ = write!(out, "<option>{}</option>", escaped(pair.name.shown()));
        }
        out.push_str("</select></div>\n");
        for (number, pair) in shown {
            section(out, number, pair);
        }
    }
}

fn cards(sum: &Summary) -> Part {
    let total = sum.counts.total();
    let cards = [
        (sum.pairs, "pairs"),
        (sum.same, "same"),
        (sum.differ, "differ"),
        (sum.incomparable, "incomparable"),
        (sum.failed, "failed"),
        (sum.insensitive, "insensitive"),
        (sum.relinked, "relinked"),
        (total.compared, "values compared"),
        (total.tolerated, "within the tolerance"),
    ];
    Part::Cards(cards.map(|(value, name)| (grouped(value), name)).into())
}

fn shares(sum: &Summary) -> Part {
    let colours = ["var(--good)", "var(--bad)", "var(--mute)", "var(--warn)"];
    let share = |(verdict, colour): (Verdict, _)| Share { count: sum.of(verdict), name: verdict.name(), colour };
    Part::Shares(Verdict::ALL.into_iter().zip(colours).map(share).filter(|share| share.count > 0).collect())
}

fn section(out: &mut String, number: usize, pair: &PairResult) {
    let Some(first) = &pair.first else { return };
    let _ = writeln!(out, "<section class=\"pair\" id=\"p{number}\"><h3>{}</h3>", escaped(pair.name.shown()));
    let world = pair.world.as_deref().unwrap_or_default();
    let _ = writeln!(out, "<p>{}: {} in {}</p>", escaped(&first.place()), escaped(&first.values()), escaped(world));
    if !pair.undef_read.is_empty() {
        let _ = writeln!(out, "<p>undef-read: {}</p>", pair.undef_read.join(", "));
    }
    let seen = [first.seen_old, first.seen_new].map(|seen| seen.map(|seen| seen.0));
    out.push_str(
        "<div class=\"codes\"><table class=\"code\"><colgroup><col class=\"a\"><col><col class=\"a\"><col></colgroup>\
         <thead><tr>",
    );
    let title = |name: &str, line: &Option<String>| match line {
        Some(line) => format!("{name} ({})", escaped(line)),
        None => name.to_owned(),
    };
    let (old, new) = (title("old", &first.line_old), title("new", &first.line_new));
    let _ = writeln!(out, "<th></th><th>{old}</th><th></th><th>{new}</th></tr></thead><tbody>");
    // If there are too many rows, those around the marks are shown.
    let mark = pair.codes.marks.into_iter().flatten().min().unwrap_or(0);
    let start = mark.saturating_sub(CODE_ROWS / 2).min(pair.codes.rows.len().saturating_sub(CODE_ROWS));
    for (index, row) in pair.codes.rows.iter().enumerate().skip(start).take(CODE_ROWS) {
        let differs = matches!(row, [Some(old), Some(new)] if old.text != new.text);
        out.push_str("<tr>");
        for side in 0..2 {
            let is_marked = pair.codes.marks[side] == Some(index);
            cell(out, row[side].as_ref(), side, differs, is_marked, seen[side]);
        }
        out.push_str("</tr>\n");
    }
    out.push_str("</tbody></table></div>");
    if pair.codes.is_cut || pair.codes.rows.len() > CODE_ROWS {
        out.push_str("<p class=\"more\">the codes are longer</p>");
    }
    out.push_str("</section>\n");
}

fn cell(out: &mut String, line: Option<&CodeLine>, side: usize, differs: bool, is_marked: bool, seen: Option<u64>) {
    let border = if side == 1 { " b" } else { "" };
    let Some(line) = line else {
        let _ = write!(out, "<td class=\"a none{border}\"></td><td class=\"none\"></td>");
        return;
    };
    let mut class = if is_marked {
        "mark"
    } else if differs {
        "other"
    } else {
        ""
    }
    .to_owned();
    if seen == Some(line.address) {
        class += " seen";
    }
    let source = line.source.as_ref().map_or(String::new(), |source| format!("<i>{}</i>", escaped(source)));
    let (address, text) = (line.address, escaped(&line.text));
    let _ = write!(out, "<td class=\"a{border}\">{address:x}</td><td class=\"{class}\">{source}{text}</td>");
}

/// Returns a list of the entries that only one side has.
fn alone(title: &str, names: &[String], count: u64) -> Option<Part> {
    let lines = names.iter().map(|name| (name.clone(), false)).collect();
    let more = count.saturating_sub(names.len() as u64);
    (count > 0).then(|| Part::Lines(Lines { title: title.into(), lines, more }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::tests::differing;

    #[test]
    fn both_codes_stand_side_by_side() {
        let (mut page, mut sum) = (Page::default(), Summary::new("a<".into(), "b".into(), 0.0));
        page.add(&differing());
        sum.add(&differing());
        sum.add_removed("<x>".into());
        let html = page.html(&sum);
        assert!(html.contains("<a href=\"#p0\">a &lt;b&gt;.bin</a>") && html.contains("<li>&lt;x&gt;</li>"));
        assert!(!html.contains("a <b>") && !html.contains("<x>") && html.contains("a&lt; and b"));
        let row = "<td class=\"mark\">v_mov_b32_e32 v0, 1.0</td><td class=\"a b\">0</td>\
                   <td class=\"mark\">v_mov_b32_e32 v0, 2.0";
        assert!(html.contains(row), "{html}");
        assert!(html.contains("<td class=\" seen\">exp mrt0 v0"), "{html}");
        assert!(html.contains("<td class=\"a none b\"></td><td class=\"none\"></td>"));
    }
}
