//! A document as one self-contained HTML page.

use std::fmt::Write as _;

use gcnsim_engine::report::grouped;

use crate::escape::xml as escaped;
use crate::{Document, Lines, Part, Share, Table, plots};

/// The style of pages.
const STYLE: &str = include_str!("page.css");
/// The script of pages: it sorts tables and filters their rows by the input `filter`.
const SCRIPT: &str = include_str!("sort.js");

/// What a page has besides that of all pages.
#[derive(Clone, Copy, Default, Debug)]
pub struct Extras {
    /// Rules of style.
    pub style: &'static str,
    /// Lines of script.
    pub script: &'static str,
}

/// Returns the document as a page with a heading.
pub fn page(document: &Document, heading: &str, extras: Extras) -> String {
    let mut out = String::with_capacity(1 << 18);
    let (name, title, version) = (document.name, escaped(&document.title), env!("CARGO_PKG_VERSION"));
    out.push_str("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">");
    out.push_str("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">");
    // Writing to a String cannot fail.
    let _ = writeln!(out, "<title>{name}: {title}</title>\n<style>{STYLE}{}</style></head><body>", extras.style);
    let _ = writeln!(out, "<h1>{heading}</h1><p class=\"sub\">{title} &middot; gcnsim {version}</p>");
    document.parts.iter().for_each(|part| write(&mut out, part));
    let (between, script) = (if extras.script.is_empty() { "" } else { "\n" }, extras.script);
    let _ = writeln!(out, "<script>{SCRIPT}{between}{script}</script></body></html>");
    out
}

fn write(out: &mut String, part: &Part) {
    match part {
        Part::Sentence(text) => {
            let _ = writeln!(out, "<p>{}</p>", escaped(text));
        }
        Part::Verdict { text, is_good } => {
            let class = if *is_good { "good" } else { "bad" };
            let _ = writeln!(out, "<p class=\"gate {class}\">{}</p>", escaped(text));
        }
        Part::Cards(cards) => {
            out.push_str("<div class=\"cards\">");
            for (value, name) in cards {
                let _ = write!(out, "<div class=\"card\"><b>{value}</b><span>{name}</span></div>");
            }
            out.push_str("</div>\n");
        }
        Part::Shares(parts) => shares(out, parts),
        Part::Filter => {
            let what = "Filter the rows of all tables";
            let _ = write!(out, "<p class=\"filter\"><input id=\"filter\" type=\"search\" placeholder=\"{what}\"");
            let _ = writeln!(out, " aria-label=\"{what}\"><span id=\"count\" role=\"status\"></span></p>");
        }
        Part::Lines(part) => lines(out, part),
        Part::Table(part) => table(out, part),
        Part::Plots(title, parts) => {
            let _ = write!(out, "<h2>{title}</h2><div class=\"plots\">");
            for plot in parts {
                if let Some(svg) = plots::svg(plot) {
                    let _ = writeln!(out, "<figure><figcaption>{}</figcaption>{svg}</figure>", plot.title);
                }
            }
            out.push_str("</div>\n");
        }
        Part::Facts(title, facts) => {
            let _ = write!(out, "<h2>{title}</h2><dl id=\"{}\">", title.to_lowercase());
            for (name, value) in facts {
                let _ = write!(out, "<dt>{name}</dt><dd>{}</dd>", escaped(value));
            }
            out.push_str("</dl>\n");
        }
        Part::Html(elements) => out.push_str(elements),
    }
}

fn shares(out: &mut String, shares: &[Share]) {
    out.push_str("<div class=\"bar\">");
    for Share { count, name, colour } in shares {
        let _ = write!(out, "<i style=\"flex:{count};background:{colour}\" title=\"{name}\"></i>");
    }
    out.push_str("</div><div class=\"legend\">");
    for Share { count, name, colour } in shares {
        let _ = write!(out, "<span><i style=\"background:{colour}\"></i>{} {name}</span>", grouped(*count));
    }
    out.push_str("</div>\n");
}

fn lines(out: &mut String, lines: &Lines) {
    let _ = writeln!(out, "<h2>{}</h2><ul class=\"lines\">", escaped(&lines.title));
    for (line, is_bad) in &lines.lines {
        let class = if *is_bad { " class=\"bad\"" } else { "" };
        let _ = writeln!(out, "<li{class}>{}</li>", escaped(line));
    }
    out.push_str("</ul>\n");
    more(out, lines.more);
}

/// Appends a table with its heading, unless it has no rows. The page's script sorts it by any column.
fn table(out: &mut String, table: &Table) {
    let Table { title, columns, rows, .. } = table;
    if rows.is_empty() {
        return;
    }
    let is_number = |column: usize| rows.iter().all(|row| row[column].value.is_some());
    let numeric: Vec<_> = (0..columns.len()).map(is_number).collect();
    let class = |column: usize| if numeric[column] { " class=\"n\"" } else { "" };
    let _ = write!(out, "<h2>{}</h2><div class=\"scroll\"><table><thead><tr>", escaped(title));
    for (column, name) in columns.iter().enumerate() {
        let _ = write!(out, "<th{}>{name}</th>", class(column));
    }
    out.push_str("</tr></thead><tbody>\n");
    for row in rows {
        out.push_str("<tr>");
        for (column, cell) in row.iter().enumerate() {
            let value = cell.value.filter(|_| numeric[column]);
            let value = value.map_or(String::new(), |value| format!(" data-v=\"{value}\""));
            let text = escaped(&cell.text);
            let text = match &cell.link {
                Some(link) => format!("<a href=\"#{link}\">{text}</a>"),
                None => text,
            };
            let _ = write!(out, "<td{}{value}>{text}</td>", class(column));
        }
        out.push_str("</tr>\n");
    }
    out.push_str("</tbody></table></div>\n");
    more(out, table.more);
}

fn more(out: &mut String, more: u64) {
    if more > 0 {
        let _ = writeln!(out, "<p class=\"more\">{} more are not shown</p>", grouped(more));
    }
}
