//! A document as text for a terminal.

use gcnsim_engine::quote;

use crate::{Cell, Document, Part, Table};

/// Most rows of a table.
const ROWS: usize = 20;
/// Number of blanks between cells, and before the first cell.
const GAP: usize = 2;
/// Fewest columns for the last cell of a row, if a table does not fit.
const NAME_ROOM: usize = 24;
/// Fewest columns to which a cell is limited.
const MIN_CELL: usize = 12;

/// Returns the lines and tables of the document. Lines have up to `width` columns where that is possible without
/// cutting anything.
pub fn document(document: &Document, width: usize) -> String {
    let mut lines = Vec::new();
    for part in &document.parts {
        match part {
            Part::Lines(part) => part.lines.iter().for_each(|(line, _)| {
                let indent = |n: usize| if n == 0 { "" } else { "  " };
                let broken = broken(&quote::text(line), width.saturating_sub(2)).into_iter().enumerate();
                lines.extend(broken.map(|(n, part)| indent(n).to_owned() + &part));
            }),
            Part::Table(part) if !part.rows.is_empty() => {
                lines.push(format!("\n{}", part.title));
                table(part, width, &mut lines);
            }
            _ => {}
        }
    }
    lines.push(String::new());
    lines.join("\n")
}

/// Appends a table to `lines`. It is as wide as its cells need, if there is room. Cells that are too long take several
/// lines, and the last cell has lines of its own if it does not fit.
fn table(table: &Table, width: usize, lines: &mut Vec<String>) {
    let shown = &table.rows[..table.rows.len().min(ROWS)];
    let header = table.columns.iter().map(|column| (*column).to_owned()).collect();
    let rows: Vec<Vec<String>> =
        [header].into_iter().chain(shown.iter().map(|row| row.iter().map(Cell::quoted).collect())).collect();
    let Some(last) = table.columns.len().checked_sub(1) else { return };
    let natural = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let all = GAP + (0..=last).map(|column| natural(column) + GAP).sum::<usize>() - GAP;
    let room = if all <= width { usize::MAX } else { width.saturating_sub(NAME_ROOM) };
    let widths = cell_widths((0..last).map(natural).collect(), room);
    let before = GAP + widths.iter().map(|width| width + GAP).sum::<usize>();
    for row in &rows {
        let cells: Vec<Vec<String>> = row.iter().zip(&widths).map(|(cell, &width)| broken(cell, width)).collect();
        let height = cells.iter().map(Vec::len).max().unwrap_or(0);
        let name = &row[last];
        let fits = last == 0 || before + name.chars().count() <= width && height == 1;
        for n in 0..height {
            let of_line = cells.iter().zip(&widths);
            let cell = |cell: &Vec<String>| cell.get(n).cloned().unwrap_or_default();
            let line: String = of_line.map(|(cells, &width)| format!("{:width$}  ", cell(cells))).collect();
            let line = if fits { format!("  {line}{name}") } else { format!("  {line}") };
            lines.push(line.trim_end().to_owned());
        }
        match (last, fits) {
            (0, _) => lines.push(format!("  {name}")),
            (_, false) => lines.push(format!("      {name}")),
            (_, true) => {}
        }
    }
    if table.rest(ROWS) > 0 {
        lines.push(format!("  ... and {} more (--json has all)", table.rest(ROWS)));
    }
}

/// Returns the widths of cells that need `widths` columns and have `room` in total. Short cells get what they need; the
/// others share the rest.
fn cell_widths(mut widths: Vec<usize>, room: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..widths.len()).collect();
    order.sort_by_key(|&column| widths[column]);
    let mut room = room;
    for (done, &column) in order.iter().enumerate() {
        let share = (room / (widths.len() - done)).saturating_sub(GAP).max(MIN_CELL);
        widths[column] = widths[column].min(share);
        room = room.saturating_sub(widths[column] + GAP);
    }
    widths
}

/// Returns `text` in lines of up to `width` characters. It is broken between words, or within a word that is longer
/// than a line.
fn broken(text: &str, width: usize) -> Vec<String> {
    let width = width.max(1);
    let mut lines = vec![String::new()];
    let mut length = 0;
    for (n, word) in text.split(' ').enumerate() {
        let word_length = word.chars().count();
        if n > 0 && length + 1 + word_length <= width {
            lines.last_mut().into_iter().for_each(|line| line.push(' '));
            length += 1;
        } else if n > 0 {
            lines.push(String::new());
            length = 0;
        }
        for c in word.chars() {
            if length == width {
                lines.push(String::new());
                length = 0;
            }
            lines.last_mut().into_iter().for_each(|line| line.push(c));
            length += 1;
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    const WIDTH: usize = 80;

    fn lines(columns: &'static [&'static str], rows: &[&[&str]], file: &str) -> Vec<String> {
        lines_in(columns, rows, file, WIDTH)
    }

    fn lines_in(columns: &'static [&'static str], rows: &[&[&str]], file: &str, width: usize) -> Vec<String> {
        let row = |cells: &&[&str]| {
            let texts = cells.iter().map(|cell| Cell::text(*cell));
            texts.chain([Cell::name(file, quote::name(file).into_owned())]).collect()
        };
        let section = Table { title: String::new(), columns, rows: rows.iter().map(row).collect(), more: 0 };
        let mut lines = Vec::new();
        table(&section, width, &mut lines);
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
        let letters = |lines: &[String]| lines.iter().map(|line| line.matches('x').count()).sum::<usize>();
        assert_eq!(letters(&found), 140, "{found:?}");
        let wide = lines_in(&["before", "now", "shader"], &[&["ended", &long], &[&long, "b"]], &name, 240);
        assert_eq!(wide.len(), 3, "{wide:?}");
        assert!(wide[1].contains(&long) && wide[1].ends_with(&name), "{wide:?}");
        let words = broken("expected 7, got 16384 (1 of 3 values differ)", 14);
        assert_eq!(words, ["expected 7,", "got 16384 (1", "of 3 values", "differ)"]);
        assert_eq!(lines(&["shader"], &[&[], &[]], "a b"), ["  shader", "  'a b'", "  'a b'"]);
    }
}
