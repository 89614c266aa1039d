//! Findings as text.

use std::io::Write;
use std::path::Path;

use super::super::screen::fit;
use super::{Found, Totals, entry_name};
use gcnsim_engine::quote;
use gcnsim_engine::report::{grouped, plural};
use gcnsim_lint::rules::{Level, Test};
use gcnsim_lint::{Finding, Spot};

/// Most files that the last lines name.
const MOST_NAMED: usize = 3;

/// Widest column of instructions. A longer instruction pushes its source line to the right.
const COLUMN: usize = 56;

/// Writes a finding: the heading, both instructions, what is missing, and the path.
pub(super) fn write(found: &Found<'_>, width: usize, out: &mut impl Write) -> anyhow::Result<()> {
    let Found { file, object, entry, finding, lines, .. } = found;
    let rule = finding.rule;
    let heading = format!("{}: {} {}", entry_name(file, object, entry), rule.level.name(), rule.id);
    let text = match finding.registers.as_str() {
        "" => rule.text.to_owned(),
        registers => format!("{} ({registers})", rule.text),
    };
    // The heading and the text share a line if there is room.
    if heading.chars().count() + text.chars().count() + 2 <= width {
        writeln!(out, "{heading}: {text}")?;
    } else {
        wrap_from("", &heading, width, out)?;
        wrap(&text, width, out)?;
    }
    let spots = [finding.producer.as_ref().map(|spot| (spot, &lines[1])), Some((&finding.place, &lines[0]))];
    for (spot, line) in spots.into_iter().flatten() {
        let Spot { pc, text } = spot;
        let text = format!("  {:#08x}  {}", object.shown(*pc), quote::text(text));
        let text = match line {
            Some(line) => format!("{text:COLUMN$}  {}", quote::text(line)),
            None => text,
        };
        writeln!(out, "{}", fit(text.trim_end(), width))?;
    }
    if let Some(missing) = missing(finding) {
        wrap(&missing, width, out)?;
    }
    if !finding.path.is_empty() {
        let path: Vec<_> = finding.path.iter().map(|&pc| format!("{:#x}", object.shown(pc))).collect();
        wrap(&format!("on the path by {}", shortened(&path)), width, out)?;
    }
    Ok(())
}

/// Returns the first and the last parts of a long path.
fn shortened(path: &[String]) -> String {
    match path.len() {
        0..=8 => path.join(", "),
        count => format!("{}, .. {} more .., {}", path[..4].join(", "), count - 8, path[count - 4..].join(", ")),
    }
}

/// Returns in words what is missing between the two instructions.
fn missing(finding: &Finding) -> Option<String> {
    let needed = finding.needed?;
    if let Test::States(..) = finding.rule.test {
        return Some(match finding.found? {
            0 => format!("needs {} between, and there is none", plural(needed.into(), "wait state")),
            found => format!("needs {} between, and there are {found}", plural(needed.into(), "wait state")),
        });
    }
    let counter = finding.counter?.name();
    Some(match finding.found {
        Some(found) => {
            format!("needs s_waitcnt {counter}({needed}) between; the last one waits for {counter}({found}) only")
        }
        None => format!("needs s_waitcnt {counter}({needed}) between"),
    })
}

/// Writes words, indented, in lines of at most `width` characters.
fn wrap(text: &str, width: usize, out: &mut impl Write) -> std::io::Result<()> {
    wrap_from("  ", text, width, out)
}

/// Writes words in lines of at most `width` characters. The first line begins with `indent`, the others with four
/// spaces. A word that is longer than a line, such as a path, stays whole.
fn wrap_from(indent: &str, text: &str, width: usize, out: &mut impl Write) -> std::io::Result<()> {
    let mut line = indent.to_owned();
    let mut is_begun = false;
    for word in text.split(' ') {
        if is_begun && line.chars().count() + 1 + word.chars().count() > width {
            writeln!(out, "{line}")?;
            line = String::from("    ");
        } else if is_begun {
            line.push(' ');
        }
        line.push_str(word);
        is_begun = true;
    }
    writeln!(out, "{line}")
}

/// Writes the summary.
pub(super) fn write_summary(totals: &Totals, shown: u64, width: usize, out: &mut impl Write) -> anyhow::Result<()> {
    let findings: u64 = totals.by_rule.values().sum();
    if shown > 0 {
        writeln!(out)?;
    }
    if findings > shown {
        writeln!(out, "{} more (--max)", grouped(findings - shown))?;
    }
    let levels = totals.by_level.iter().filter(|(_, count)| **count > 0);
    let level = |(level, count): (&Level, &u64)| match level {
        Level::Error => plural(*count, "error"),
        other => format!("{} {}", grouped(*count), other.name()),
    };
    let levels: Vec<_> = levels.map(level).collect();
    let known = if totals.known > 0 { format!("; {} known", grouped(totals.known)) } else { String::new() };
    match findings {
        0 if totals.read == 0 && !totals.unreadable.is_empty() => writeln!(out, "nothing was read")?,
        0 => writeln!(out, "nothing found{known}")?,
        _ => writeln!(out, "{}{known}", levels.join(", "))?,
    }
    if totals.by_rule.len() > 1 {
        let mut rules: Vec<_> = totals.by_rule.iter().collect();
        rules.sort_by_key(|(id, count)| (std::cmp::Reverse(**count), **id));
        let rules: Vec<_> = rules.into_iter().map(|(id, count)| format!("{id} {}", grouped(*count))).collect();
        wrap(&rules.join(", "), width, out)?;
    }
    if !totals.incomplete.is_empty() {
        let (file, name, why) = &totals.incomplete[0];
        let name = name.as_ref().map(|name| format!(": {}", quote::name(name))).unwrap_or_default();
        let count = plural(totals.incomplete.len() as u64, "entry").replace("entrys", "entries");
        let text = format!("{count} seen in part: {why} (first: {}{name})", quote::text(file));
        writeln!(out, "{}", fit(&text, width))?;
    }
    if !totals.unreadable.is_empty() || totals.skipped_files > 0 {
        let unreadable = plural(totals.unreadable.len() as u64, "file");
        let named = totals.unreadable.iter().take(MOST_NAMED).map(|(file, _)| quote::path(Path::new(file)));
        let mut named = named.collect::<Vec<_>>().join(", ");
        if totals.unreadable.len() > MOST_NAMED {
            named.push_str(", ..");
        }
        if !named.is_empty() {
            named = format!(" ({named})");
        }
        writeln!(out, "{unreadable} unreadable{named}, {} skipped", totals.skipped_files)?;
    }
    let (mut entries, with) = (plural(totals.entries - totals.functions, "kernel"), totals.entries_with_findings);
    if totals.functions > 0 {
        entries.push_str(&format!(" and {}", plural(totals.functions, "function")));
    }
    let instructions = plural(totals.instructions, "instruction");
    let with = if with > 0 { format!(" ({} with findings)", grouped(with)) } else { String::new() };
    writeln!(out, "{}, {entries}{with}, {instructions}", plural(totals.files, "file"))?;
    Ok(())
}
