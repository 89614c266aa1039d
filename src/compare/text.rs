//! A comparison for people, on a terminal.

use super::sections::{Section, headlines, sections};
use super::{Comparison, Regression};

/// Rows of a table that are shown.
const ROWS: usize = 20;

/// The comparison as text: worst first.
pub fn text(comparison: &Comparison, regressions: &[Regression]) -> String {
    let mut lines = headlines(comparison, regressions);
    for section in sections(comparison) {
        lines.push(format!("\n{}", section.title));
        table(&section, &mut lines);
    }
    lines.push(String::new());
    lines.join("\n")
}

fn table(section: &Section, lines: &mut Vec<String>) {
    let shown = &section.rows[..section.rows.len().min(ROWS)];
    let width = |column: usize| {
        let cells = shown.iter().map(|row| row[column].as_str()).chain([section.columns[column]]);
        cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<_> = (0..section.columns.len()).map(width).collect();
    let line = |cells: &[&str]| {
        let cells: Vec<_> = cells.iter().zip(&widths).map(|(cell, &width)| format!("{cell:<width$}")).collect();
        format!("  {}", cells.join("  ").trim_end())
    };
    lines.push(line(section.columns));
    lines.extend(shown.iter().map(|row| line(&row.iter().map(String::as_str).collect::<Vec<_>>())));
    if section.rows.len() > ROWS {
        lines.push(format!("  ... and {} more", section.rows.len() - ROWS));
    }
}
