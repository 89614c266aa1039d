//! Writes tables that the page's script sorts by any column.

use std::fmt::Write as _;

use super::ROWS;
use crate::compare::junit::escaped;
use gcnsim_engine::report::grouped;

/// A cell of a table.
pub(super) struct Cell {
    text: String,
    /// The number by which a column of numbers is sorted.
    value: Option<f64>,
}

impl Cell {
    pub fn text(text: &str) -> Cell {
        Cell { text: text.to_owned(), value: None }
    }

    pub fn number(value: u64) -> Cell {
        Cell { text: grouped(value), value: Some(value as f64) }
    }

    pub fn valued(text: String, value: f64) -> Cell {
        Cell { text, value: Some(value) }
    }

    /// Returns a cell of `text`, which is a number if it looks like one: `+1.5 %`, `1,234`, `1.20 ms`.
    pub fn guess(text: &str) -> Cell {
        let (number, unit) = text.split_once(' ').unwrap_or((text, ""));
        let scale = match unit {
            "" | "%" | "ns" => Some(1.0),
            "us" => Some(1e3),
            "ms" => Some(1e6),
            "s" => Some(1e9),
            _ => None,
        };
        let plain = number.bytes().all(|b| b.is_ascii_digit() || b"+-.,".contains(&b));
        let number = number.replace(',', "").parse::<f64>().ok().filter(|_| plain);
        Cell { text: text.to_owned(), value: number.zip(scale).map(|(number, scale)| number * scale) }
    }
}

/// Appends a table with its heading, unless it has no rows.
pub(super) fn table(
    out: &mut String,
    title: &str,
    columns: &[&str],
    rows: impl Iterator<Item = Vec<Cell>>,
    count: usize,
) {
    if count == 0 {
        return;
    }
    let rows: Vec<_> = rows.take(ROWS).collect();
    let is_number = |column: usize| rows.iter().all(|row| row[column].value.is_some());
    let numeric: Vec<_> = (0..columns.len()).map(is_number).collect();
    let class = |column: usize| if numeric[column] { " class=\"n\"" } else { "" };
    // Writing to a String cannot fail.
    let _ = write!(out, "<h2>{}</h2><div class=\"scroll\"><table><thead><tr>", escaped(title));
    for (column, name) in columns.iter().enumerate() {
        let _ = write!(out, "<th{}>{name}</th>", class(column));
    }
    out.push_str("</tr></thead><tbody>\n");
    for row in &rows {
        out.push_str("<tr>");
        for (column, cell) in row.iter().enumerate() {
            let value = cell.value.filter(|_| numeric[column]);
            let value = value.map_or(String::new(), |value| format!(" data-v=\"{value}\""));
            let _ = write!(out, "<td{}{value}>{}</td>", class(column), escaped(&cell.text));
        }
        out.push_str("</tr>\n");
    }
    out.push_str("</tbody></table></div>\n");
    if count > rows.len() {
        let _ = writeln!(out, "<p class=\"more\">{} more are not shown</p>", grouped((count - rows.len()) as u64));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_recognised() {
        let values = ["+1.50 %", "1,234", "1.20 ms", "-3", "3 apples", "a.bin", "0x10", "1-2"];
        let expected = [Some(1.5), Some(1234.0), Some(1.2e6), Some(-3.0), None, None, None, None];
        assert_eq!(values.map(|text| Cell::guess(text).value), expected);
    }
}
