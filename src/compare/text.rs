//! A comparison as text for a terminal.

use super::sections::{Cell, Section, headlines, sections};
use super::{Comparison, Regression};
use crate::batch::cut;

/// Rows of a table that are shown.
const ROWS: usize = 20;
/// Columns of a terminal.
const WIDTH: usize = 80;
/// Blanks between cells and before the first cell.
const GAP: usize = 2;
/// Columns for all cells except the last.
const ROOM: usize = 56;
/// Columns that every cell may have.
const MIN_CELL: usize = 12;

/// The comparison as text, with the worst changes first.
pub fn text(comparison: &Comparison, regressions: &[Regression]) -> String {
    let mut lines = headlines(comparison, regressions);
    for section in sections(comparison) {
        lines.push(format!("\n{}", section.title));
        table(&section, &mut lines);
    }
    lines.push(String::new());
    lines.join("\n")
}

/// A table is as wide as its cells need, if a terminal of 80 columns has room for that. Longer cells end with a mark.
/// The last column is never cut: if it does not fit, it has a line of its own.
fn table(section: &Section, lines: &mut Vec<String>) {
    let shown = &section.rows[..section.rows.len().min(ROWS)];
    let header = section.columns.iter().map(|column| (*column).to_owned()).collect();
    let rows: Vec<Vec<String>> =
        [header].into_iter().chain(shown.iter().map(|row| row.iter().map(Cell::quoted).collect())).collect();
    let Some(last) = section.columns.len().checked_sub(1) else { return };
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let most = ROOM.checked_div(last).unwrap_or(0);
    let widths: Vec<_> = (0..last).map(|column| width(column).min(most.max(MIN_CELL))).collect();
    let before: usize = widths.iter().map(|width| width + GAP).sum();
    let fits = GAP + before + width(last) <= WIDTH;
    for row in &rows {
        let cells = row.iter().zip(&widths).map(|(cell, &width)| format!("{:width$}", cut(cell, width)));
        let cells: Vec<_> = cells.collect();
        let name = &row[last];
        match cells.is_empty() || fits || GAP + before + name.chars().count() <= WIDTH {
            true => {
                lines.push(format!("  {}", [cells.join("  "), name.clone()].join(if last > 0 { "  " } else { "" })))
            }
            false => lines.extend([format!("  {}", cells.join("  ").trim_end()), format!("      {name}")]),
        }
    }
    if section.rows.len() > ROWS {
        lines.push(format!("  ... and {} more", section.rows.len() - ROWS));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::batch::EntryName;

    fn lines(columns: &'static [&'static str], rows: &[&[&str]], file: &str) -> Vec<String> {
        let row = |cells: &&[&str]| {
            let texts = cells.iter().map(|cell| Cell::Text((*cell).to_owned()));
            texts.chain([Cell::Name(EntryName::new(file, None, None))]).collect()
        };
        let section = Section { title: String::new(), columns, rows: rows.iter().map(row).collect() };
        let mut lines = Vec::new();
        table(&section, &mut lines);
        lines
    }

    #[test]
    fn tables_fit_a_terminal_and_names_are_whole() {
        let found = lines(&["before", "now", "shader"], &[&["ended", "fault"]], "a\x1b.bin");
        assert_eq!(found, ["  before  now    shader", r"  ended   fault  'a'$'\033''.bin'"]);
        let (long, name) = ("x".repeat(70), "folder/".repeat(9));
        let found = lines(&["before", "now", "shader"], &[&["ended", &long], &[&long, "b"]], &name);
        assert!(found.iter().all(|line| line.chars().count() <= WIDTH), "{found:?}");
        assert_eq!(found.iter().filter(|line| line.trim() == name).count(), 2, "{found:?}");
        assert!(found[1].ends_with('\u{2026}'), "{found:?}");
        assert_eq!(lines(&["shader"], &[&[], &[]], "a b"), ["  shader", "  'a b'", "  'a b'"]);
    }
}
