//! Documents that say what a run gave, and the forms in which people and programs read them.
//!
//! A [`Document`] is a list of [parts](Part): lines, tables, plots. A form takes what its readers can use of it:
//!
//! | form | takes |
//! |---|---|
//! | [`html`] | everything: one self-contained page, with style, plots (SVG) and a few lines of script |
//! | [`markdown`] | verdict, lines and tables, for a merge request |
//! | [`text`] | lines and tables, for a terminal |
//! | [`junit`] | test cases, which build servers display |
//!
//! What comes from files (names, messages) is escaped here. The crate does not know what is reported.
#![deny(unsafe_code)]

pub mod escape;
pub mod html;
pub mod junit;
pub mod markdown;
mod plots;
pub mod text;

use gcnsim_engine::quote;
use gcnsim_engine::report::grouped;

pub use plots::short;

/// A document.
#[derive(Clone, Debug)]
pub struct Document {
    /// Who made it, as it stands before the title: `gcnsim`, `gcnsim diff`.
    pub name: &'static str,
    /// The title: what it is of, or in short what it says.
    pub title: String,
    /// The parts, in order.
    pub parts: Vec<Part>,
}

/// A part of a document.
#[derive(Clone, Debug)]
pub enum Part {
    /// A sentence.
    Sentence(String),
    /// Whether all is well, in a few words.
    Verdict {
        /// The words.
        text: String,
        /// Whether it is.
        is_good: bool,
    },
    /// Numbers, each with its name.
    Cards(Vec<(String, &'static str)>),
    /// Shares of a whole.
    Shares(Vec<Share>),
    /// The place where readers filter the rows of all tables.
    Filter,
    /// Lines.
    Lines(Lines),
    /// A table. One without rows is left out.
    Table(Table),
    /// Plots below a title.
    Plots(&'static str, Vec<Plot>),
    /// Facts below a title: name and value of each.
    Facts(&'static str, Vec<(&'static str, String)>),
    /// Elements that only a page has.
    Html(String),
}

/// A share of a whole.
#[derive(Clone, Debug)]
pub struct Share {
    /// The number of things in it.
    pub count: u64,
    /// Its name.
    pub name: &'static str,
    /// Its colour in CSS.
    pub colour: &'static str,
}

/// Lines below a title.
#[derive(Clone, Default, Debug)]
pub struct Lines {
    /// The title; may be empty.
    pub title: String,
    /// The lines, and whether each is bad news.
    pub lines: Vec<(String, bool)>,
    /// The number of lines that are not there.
    pub more: u64,
}

/// A table.
#[derive(Clone, Debug)]
pub struct Table {
    /// The title; may be empty.
    pub title: String,
    /// Names of the columns. The last ones hold long values.
    pub columns: &'static [&'static str],
    /// The cells of each row.
    pub rows: Vec<Vec<Cell>>,
    /// The number of rows that are not there.
    pub more: u64,
}

impl Table {
    /// Returns a table of the first `most` of `count` rows.
    pub fn of_first(
        most: usize,
        title: String,
        columns: &'static [&'static str],
        rows: impl Iterator<Item = Vec<Cell>>,
        count: usize,
    ) -> Table {
        let rows: Vec<_> = rows.take(most).collect();
        let more = (count - rows.len()) as u64;
        Table { title, columns, rows, more }
    }

    /// Returns the number of rows behind the first `most`, there or not.
    fn rest(&self, most: usize) -> u64 {
        self.rows.len().saturating_sub(most) as u64 + self.more
    }
}

/// A cell of a table.
#[derive(Clone, Debug)]
pub struct Cell {
    text: String,
    /// The text for a terminal, if it is a name.
    quoted: Option<String>,
    /// The number by which a column of numbers is sorted.
    value: Option<f64>,
    /// The element of the page that it leads to.
    link: Option<String>,
}

impl Cell {
    /// Returns a cell of words.
    pub fn text(text: impl Into<String>) -> Cell {
        Cell { text: text.into(), quoted: None, value: None, link: None }
    }

    /// Returns a cell of a name, which is written in quotation marks where it goes to a terminal and needs them.
    pub fn name(plain: &str, quoted: String) -> Cell {
        Cell { quoted: Some(quoted), ..Cell::text(plain) }
    }

    /// Returns a cell of a number.
    pub fn number(value: u64) -> Cell {
        Cell::valued(grouped(value), value as f64)
    }

    /// Returns a cell of a number that is shown as `text`.
    pub fn valued(text: String, value: f64) -> Cell {
        Cell { value: Some(value), ..Cell::text(text) }
    }

    /// Returns the cell as a number, if it looks like one: `+1.5 %`, `1,234`, `1.20 ms`.
    pub fn guessed(self) -> Cell {
        let (number, unit) = self.text.split_once(' ').unwrap_or((&self.text, ""));
        let scale = match unit {
            "" | "%" | "ns" => Some(1.0),
            "us" => Some(1e3),
            "ms" => Some(1e6),
            "s" => Some(1e9),
            _ => None,
        };
        let plain = number.bytes().all(|b| b.is_ascii_digit() || b"+-.,".contains(&b));
        let number = number.replace(',', "").parse::<f64>().ok().filter(|_| plain);
        let value = number.zip(scale).map(|(number, scale)| number * scale);
        Cell { value, ..self }
    }

    /// Returns the cell with a link to an element of the page.
    pub fn linked(self, element: String) -> Cell {
        Cell { link: Some(element), ..self }
    }

    /// Returns the text for a terminal.
    fn quoted(&self) -> String {
        self.quoted.clone().unwrap_or_else(|| quote::text(&self.text).into_owned())
    }
}

/// A plot: how many things there are by a value, over a logarithmic axis.
#[derive(Clone, Debug)]
pub struct Plot {
    /// The title.
    pub title: &'static str,
    /// What the values are.
    pub axis: &'static str,
    /// What is counted.
    pub counted: &'static str,
    /// The values. Those that are not positive are left out.
    pub values: Vec<f64>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_recognised() {
        let values = ["+1.50 %", "1,234", "1.20 ms", "-3", "3 apples", "a.bin", "0x10", "1-2"];
        let expected = [Some(1.5), Some(1234.0), Some(1.2e6), Some(-3.0), None, None, None, None];
        assert_eq!(values.map(|text| Cell::text(text).guessed().value), expected);
    }
}
