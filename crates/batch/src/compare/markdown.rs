//! A comparison as Markdown, for a merge request.

use std::fmt::Write as _;

use super::sections::{headlines, sections};
use super::{Comparison, Regression};
use gcnsim_engine::quote;

/// Most rows of a table, because the size of a comment is limited.
const ROWS: usize = 50;

/// Returns the comparison as Markdown.
pub fn markdown(comparison: &Comparison, regressions: &[Regression]) -> String {
    let verdict = if regressions.is_empty() { "no regressions" } else { "regressions found" };
    let mut out = format!("### gcnsim: {verdict}\n\n");
    // Writing to a String cannot fail.
    for line in headlines(comparison, regressions) {
        let _ = writeln!(out, "- {}", escaped(&line));
    }
    for section in sections(comparison) {
        let _ = writeln!(out, "\n<details><summary>{}</summary>\n", section.title);
        let _ = writeln!(out, "| {} |", section.columns.join(" | "));
        let _ = writeln!(out, "|{}", "---|".repeat(section.columns.len()));
        for row in section.rows.iter().take(ROWS) {
            let cells: Vec<_> = row.iter().map(|cell| escaped(cell)).collect();
            let _ = writeln!(out, "| {} |", cells.join(" | "));
        }
        if section.rows.len() > ROWS {
            let _ = writeln!(out, "\n... and {} more", section.rows.len() - ROWS);
        }
        out.push_str("\n</details>\n");
    }
    out
}

/// Escapes the text of a cell, so that nothing in a name can end the cell or begin markup.
pub fn escaped(cell: &str) -> String {
    let mut out = String::with_capacity(cell.len());
    for c in cell.chars() {
        match c {
            '\n' | '\r' => out.push(' '),
            '<' => out.push_str("&lt;"),
            '&' => out.push_str("&amp;"),
            '|' | '\\' | '`' | '*' | '_' | '[' | ']' => {
                out.push('\\');
                out.push(c);
            }
            c if quote::is_printable(c) => out.push(c),
            c => out.push_str(&quote::text(c.encode_utf8(&mut [0; 4]))),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_cannot_break_the_table() {
        assert_eq!(escaped("a|b_c<d>&\ne"), "a\\|b\\_c&lt;d>&amp; e");
        assert_eq!(escaped("\x1b[31m\u{202e}"), "\\u{1b}\\[31m\\u{202e}");
    }
}
