//! A comparison as a few lines and some tables.

use std::cmp::Ordering;

use super::{Change, Comparison, Lengths, Regression, timing};
use gcnsim_engine::report::{duration, grouped};
use gcnsim_inputs::EntryName;
use gcnsim_pages::{Cell, Document, Lines, Part, Table};

/// Returns the comparison as a document: its main results, and all tables that are not empty.
pub fn document(comparison: &Comparison, regressions: &[Regression]) -> Document {
    let title = if regressions.is_empty() { "no regressions" } else { "regressions found" };
    let tables = tables(comparison).into_iter().map(Part::Table);
    let parts = [Part::Lines(lines(String::new(), comparison, regressions))].into_iter().chain(tables).collect();
    Document { name: "gcnsim", title: title.into(), parts }
}

/// Returns the main results below a title.
pub(crate) fn lines(title: String, comparison: &Comparison, regressions: &[Regression]) -> Lines {
    let lines = headlines(comparison).into_iter().map(|line| (line, false));
    let bad = regressions.iter().map(|r| (format!("REGRESSION ({}): {}", r.kind, r.message), true));
    Lines { title, lines: lines.chain(bad).collect(), more: 0 }
}

/// Returns the main results, one line each.
fn headlines(comparison: &Comparison) -> Vec<String> {
    let Comparison { old_entries, new_entries, matched, different, .. } = comparison;
    let n = |n: &usize| grouped(*n as u64);
    let mut lines = vec![format!("{} shaders before, {} now, {} in both", n(old_entries), n(new_entries), n(matched))];
    if let Some((old, new)) = &comparison.engines {
        lines.push(format!("the engines differ ({old} before, {new} now): run times are not compared"));
    }
    lines.push(match (different, matched) {
        (_, 0) => "there is nothing to compare: no shader is in both".to_owned(),
        (0, _) => "results are the same".to_owned(),
        _ => format!("{} of {} differ in their results", n(different), n(matched)),
    });
    lines.extend(instruction_line(comparison));
    lines.extend(time_lines(comparison));
    lines
}

/// Returns a line that says how many entries execute more and fewer instructions, and by how much in total; `None` if
/// none does.
fn instruction_line(comparison: &Comparison) -> Option<String> {
    let Lengths { longer, shorter, other_classes, compared, geometric_mean } = comparison.lengths;
    if longer + shorter + other_classes == 0 {
        return None;
    }
    let n = |n: usize| grouped(n as u64);
    let mut line = format!("instructions: {} longer, {} shorter", n(longer), n(shorter));
    if other_classes > 0 {
        line += &format!(", {} as long with other classes", n(other_classes));
    }
    if let Some(mean) = geometric_mean {
        let percent = 100.0 * (mean - 1.0);
        line += &format!("; geometric mean of now/before {mean:.4} ({percent:+.2} %, {} that ended)", n(compared));
    }
    Some(line)
}

fn time_lines(comparison: &Comparison) -> Vec<String> {
    let time = &comparison.time;
    let mut lines = Vec::new();
    let left_out = time.left_out();
    let left_out = if left_out.is_empty() { String::new() } else { format!(" (not compared: {left_out})") };
    match time.all {
        None => lines.push(format!("speed was not compared{left_out}")),
        Some(all) => {
            let (slower, faster, compared) = (time.slower.len(), time.faster.len(), time.compared);
            let line =
                format!("{slower} of {compared} shaders slower by more than the noise, {faster} faster{left_out}");
            lines.push(line);
            let verdict = if all.significant { "" } else { ", which is within the noise" };
            lines.push(format!("run time of all: {:+.1} % (noise {:.1} %){verdict}", all.percent, all.noise_percent));
        }
    }
    lines
}

/// Returns all tables that are not empty.
pub(crate) fn tables(comparison: &Comparison) -> Vec<Table> {
    let mut tables = Vec::new();
    let mut add = |title: &str, columns, rows: Vec<Vec<Cell>>| {
        if !rows.is_empty() {
            let title = format!("{title} ({})", grouped(rows.len() as u64));
            tables.push(Table { title, columns, rows, more: 0 });
        }
    };
    let named = |texts: Vec<String>, name: &EntryName| -> Vec<Cell> {
        texts.into_iter().map(Cell::text).chain([of_name(name)]).collect()
    };
    let changes = |changes: &[Change]| -> Vec<Vec<Cell>> {
        changes.iter().map(|c| named(vec![c.old.clone(), c.new_text()], &c.name)).collect()
    };
    add("Outcome", &["before", "now", "shader"], changes(&comparison.outcome));
    add("Final state", &["before", "now", "shader"], changes(&comparison.state));
    let percent = |percent: f64| format!("{percent:+.2} %");
    for (title, order) in
        [("Longer", Ordering::Greater), ("Shorter", Ordering::Less), ("As long, other classes", Ordering::Equal)]
    {
        let of_order = comparison.instructions.iter().filter(|c| c.new.cmp(&c.old) == order);
        let rows = of_order.map(|c| {
            let change = c.percent.map_or("new".into(), percent);
            named(vec![change, grouped(c.old), grouped(c.new), c.by_class.join(", ")], &c.name)
        });
        add(title, &["change", "before", "now", "by class", "shader"], rows.collect());
    }
    add("Fidelity notes", &["before", "now", "shader"], changes(&comparison.notes));
    let times = |changes: &[timing::TimeChange]| -> Vec<Vec<Cell>> {
        let row = |c: &timing::TimeChange| {
            let noise = format!("{:.1} %", c.noise_percent);
            named(vec![percent(c.percent), noise, duration(c.old_ns), duration(c.new_ns)], &c.name)
        };
        changes.iter().map(row).collect()
    };
    add("Slower", &["change", "noise", "before", "now", "shader"], times(&comparison.time.slower));
    add("Faster", &["change", "noise", "before", "now", "shader"], times(&comparison.time.faster));
    let names = |names: &[EntryName]| names.iter().map(|name| vec![of_name(name)]).collect();
    add("Other bytes under the same name", &["shader"], names(&comparison.changed));
    let renamed = comparison.renamed.iter().map(|(old, new)| vec![of_name(old), of_name(new)]);
    add("Renamed", &["before", "now"], renamed.collect());
    add("Added", &["shader"], names(&comparison.added));
    add("Removed", &["shader"], names(&comparison.removed));
    tables
}

fn of_name(name: &EntryName) -> Cell {
    Cell::name(name.shown(), name.quoted())
}
