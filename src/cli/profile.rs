//! Tables of `run --profile`: the results of its second run, which counts.

use std::fmt::Write as _;

use super::screen::{fit, terminal_width};
use gcnsim_engine::report::{duration, grouped};
use gcnsim_launches::profile::{Occupancy, Profile};

/// Most rows of a table for people. The JSON has all rows.
const MOST_ROWS: usize = 12;

/// A table. The first column is text, the others are numbers.
struct Table {
    rows: Vec<Vec<String>>,
    /// Number of rows that are not shown.
    left_out: usize,
}

impl Table {
    /// Makes a table with one row for each of `items`, up to [`MOST_ROWS`].
    fn new<T>(heads: &[&str], items: &[T], row: impl Fn(&T) -> Vec<String>) -> Table {
        let heads = heads.iter().map(|&head| head.to_owned()).collect();
        let rows = items.iter().take(MOST_ROWS).map(row);
        Table { rows: std::iter::once(heads).chain(rows).collect(), left_out: items.len().saturating_sub(MOST_ROWS) }
    }

    /// Writes the table in `width` columns. The first column is shortened if the table does not fit.
    fn write(&self, text: &mut String, width: usize) {
        if self.rows.len() == 1 {
            return;
        }
        let widths: Vec<usize> = (0..self.rows[0].len())
            .map(|column| self.rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0))
            .collect();
        let numbers: usize = widths[1..].iter().map(|width| width + 2).sum();
        let first = widths[0].min(width.saturating_sub(numbers).max(8));
        text.push('\n');
        for row in &self.rows {
            let _ = write!(text, "{:<first$}", fit(&row[0], first));
            for (cell, width) in row[1..].iter().zip(&widths[1..]) {
                let _ = write!(text, "  {cell:>width$}");
            }
            text.push('\n');
        }
        if self.left_out > 0 {
            let _ = writeln!(text, "and {} more (--json has all)", grouped(self.left_out as u64));
        }
    }
}

fn percent(part: u64, whole: u64) -> String {
    format!("{:.1}", part as f64 * 100.0 / whole.max(1) as f64)
}

fn per_instruction(ns: u64, instructions: u64) -> String {
    if instructions == 0 { "-".to_owned() } else { format!("{:.1}", ns as f64 / instructions as f64) }
}

fn lanes(mean: Option<f64>) -> String {
    mean.map_or("-".to_owned(), |mean| format!("{mean:.1}"))
}

/// Returns the text of an address, with its name and its source line if that is known.
fn place(pc: u64, name: &str, source: Option<&String>) -> String {
    let source = source.map_or(String::new(), |source| format!(" {source}"));
    format!("{pc:#x}{name}{source}")
}

/// Returns the profile as text, as wide as the terminal. In a pipe or a file, nothing is cut.
pub(super) fn text(profile: &Profile) -> String {
    text_in(profile, terminal_width().unwrap_or(usize::MAX))
}

fn text_in(profile: &Profile, width: usize) -> String {
    let mut text = String::new();
    let all = profile.instructions;
    let _ = writeln!(text, "profile       {} instructions of {} waves", grouped(all), grouped(profile.waves));
    let _ = writeln!(text, "occupancy     {}", occupancy(&profile.occupancy));
    times(&mut text, profile, width);
    let heads = ["class", "instructions", "%", "lanes"];
    let classes = Table::new(&heads, &profile.classes, |class| {
        let (n, mean) = (class.instructions, lanes(class.lanes));
        vec![class.class.to_owned(), grouped(n), percent(n, all), mean]
    });
    classes.write(&mut text, width);
    let heads = ["access", "instructions", "lanes", "lines", "most", "LDS cycles", "most", "conflicts", "most"];
    let accesses = Table::new(&heads, &profile.accesses, |access| {
        let mut row = vec![
            format!("{} {}", access.class, access.access),
            grouped(access.instructions),
            lanes(Some(access.lanes)),
        ];
        for spread in [access.lines, access.cycles, access.conflicts] {
            row.push(lanes(spread.map(|spread| spread.mean)));
            row.push(spread.map_or("-".to_owned(), |spread| spread.max.to_string()));
        }
        row
    });
    accesses.write(&mut text, width);
    let heads = ["branch", "executed", "taken %", "lanes", "split %"];
    let branches = Table::new(&heads, &profile.branches, |branch| {
        vec![
            place(branch.pc.0, &format!(" {}", branch.mnemonic), branch.source.as_ref()),
            grouped(branch.executed),
            percent(branch.taken, branch.executed),
            lanes(Some(branch.lanes)),
            percent(branch.split, branch.executed),
        ]
    });
    branches.write(&mut text, width);
    let heads = ["line", "instructions", "%", "lanes"];
    let lines = Table::new(&heads, &profile.lines, |line| {
        vec![line.source.clone(), grouped(line.instructions), percent(line.instructions, all), lanes(line.lanes)]
    });
    lines.write(&mut text, width);
    text
}

/// Returns the words for a resource that limits occupancy.
fn resource(name: &str) -> &str {
    match name {
        "barriers" => "barriers (16 groups)",
        "sgprs" => "SGPRs",
        "vgprs" => "VGPRs",
        "lds" => "LDS",
        other => other,
    }
}

/// Returns the words for the waves of a SIMD and the resources that limit their number.
fn occupancy(occupancy: &Occupancy) -> String {
    let Occupancy { waves_per_simd, max_waves_per_simd, sgprs, vgprs, lds, .. } = occupancy;
    let names: Vec<&str> = occupancy.limited_by.iter().map(|&limit| resource(limit)).collect();
    let limits = match &names[..] {
        ["waves"] => "as many as there can be".to_owned(),
        names => format!("limited by {}", names.join(", ")),
    };
    let does_not_fit = if *waves_per_simd == 0.0 { " (a group does not fit)" } else { "" };
    let room = format!(
        "room for {} by SGPRs ({} a wave), {} by VGPRs ({} a wave), {} by LDS ({} bytes a group)",
        sgprs.waves, sgprs.allocated, vgprs.waves, vgprs.allocated, lds.waves, lds.allocated
    );
    format!("{waves_per_simd} of {max_waves_per_simd} waves per SIMD, {limits}{does_not_fit}\n{:14}{room}", "")
}

/// Writes where the time went: in total, and by region.
fn times(text: &mut String, profile: &Profile, width: usize) {
    let time = &profile.time;
    let parts = [
        ("compiled code", time.compiled_ns),
        ("interpreter", time.interpreted_ns),
        ("between them", time.between_ns),
        ("compiling", time.compile_ns),
        ("checks", time.check_ns),
    ];
    let sum: u64 = parts.iter().map(|(_, ns)| ns).sum();
    let table =
        Table::new(&["time", "", "%"], &parts, |&(name, ns)| vec![name.to_owned(), duration(ns), percent(ns, sum)]);
    table.write(text, width);
    let heads = ["region", "size", "entered", "instructions", "ns each", "time", "%"];
    let regions = Table::new(&heads, &profile.regions, |region| {
        vec![
            place(region.pc.0, "", region.source.as_ref()),
            region.size.to_string(),
            grouped(region.entered),
            grouped(region.instructions),
            per_instruction(region.run_ns, region.instructions),
            duration(region.run_ns),
            percent(region.run_ns, sum),
        ]
    });
    regions.write(text, width);
}
