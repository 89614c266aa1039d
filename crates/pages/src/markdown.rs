//! A document as Markdown, for a merge request.

use std::fmt::Write as _;

use gcnsim_engine::report::grouped;

use crate::escape::markdown as escaped;
use crate::{Document, Part, Table};

/// Most rows of a table, because the size of a comment is limited.
pub const ROWS: usize = 50;

/// Returns the document: its title, its lines and its tables.
pub fn document(document: &Document) -> String {
    let mut out = format!("### {}: {}\n\n", document.name, document.title);
    for part in &document.parts {
        match part {
            // Writing to a String cannot fail.
            Part::Lines(lines) => lines.lines.iter().for_each(|(line, _)| {
                let _ = writeln!(out, "- {}", escaped(line));
            }),
            Part::Table(part) if !part.rows.is_empty() => table(&mut out, part),
            _ => {}
        }
    }
    out
}

/// Appends a table. One with a title can be opened and closed.
fn table(out: &mut String, table: &Table) {
    let mut write = |line: String| {
        out.push_str(&line);
        out.push('\n');
    };
    match table.title.as_str() {
        "" => write(String::new()),
        title => write(format!("\n<details><summary>{title}</summary>\n")),
    }
    write(format!("| {} |", table.columns.join(" | ")));
    write(format!("|{}", "---|".repeat(table.columns.len())));
    for row in table.rows.iter().take(ROWS) {
        let cells: Vec<_> = row.iter().map(|cell| escaped(&cell.text)).collect();
        write(format!("| {} |", cells.join(" | ")));
    }
    if table.rest(ROWS) > 0 {
        write(format!("\n... and {} more", grouped(table.rest(ROWS))));
    }
    if !table.title.is_empty() {
        write("\n</details>".to_owned());
    }
}
