//! Results as text for people.

use std::fmt::Write as _;

use gcnsim_engine::report::grouped;

use crate::result::{BothCodes, CodeLine, PairResult, Summary, Verdict};

/// Number of rows before and after the instruction that made the difference.
const AROUND: usize = 3;
/// Fewest columns with which the two codes stand beside each other.
const BESIDE: usize = 120;
/// Most names of entries without partner.
const MOST_NAMES: usize = 10;

/// Returns the text of a pair: a line and, for a pair that differs, the first difference and the code around it.
/// `width` is the number of columns.
pub fn pair(pair: &PairResult, width: usize) -> String {
    let mut out = String::new();
    let mut head = format!("{:<12} {}", pair.result.name(), pair.name.quoted());
    if let Some(why) = &pair.why {
        let _ = write!(head, ": {}", gcnsim_engine::quote::text(why));
    }
    if pair.insensitive && pair.result == Verdict::Same {
        head += " (insensitive)";
    }
    out += &broken(&head, width, "             ");
    let Some(first) = &pair.first else { return out };
    let world = pair.world.as_deref().map(|world| format!(" in {world}")).unwrap_or_default();
    let line = format!("{}: {}{world}", first.place(), first.values());
    out += &broken(&format!("  {}", gcnsim_engine::quote::text(&line)), width, "    ");
    let total = pair.counts.total();
    if total.differ > 1 {
        let counts = pair.counts.classes().into_iter().filter(|(_, count)| count.differ > 0);
        let counts: Vec<_> = counts
            .map(|(name, count)| format!("{name} {} of {}", grouped(count.differ), grouped(count.compared)))
            .collect();
        out += &broken(&format!("  differ in all: {}", counts.join(", ")), width, "    ");
    }
    if !pair.undef_read.is_empty() {
        let line = format!(
            "  undef-read: {} {} on registers, LDS or scratch that nothing has written",
            pair.undef_read.join(" and "),
            if pair.undef_read.len() == 1 { "depends" } else { "depend" }
        );
        out += &broken(&line, width, "    ");
    }
    code(&mut out, &pair.codes, width, [first.line_old.as_deref(), first.line_new.as_deref()]);
    out
}

/// Appends the code around the marks.
fn code(out: &mut String, codes: &BothCodes, width: usize, sources: [Option<&str>; 2]) {
    let sides = [0, 1].map(|side| excerpt(codes, side));
    let title = |side: usize| {
        let name = ["old", "new"][side];
        sources[side].map_or(name.to_owned(), |source| format!("{name} ({})", gcnsim_engine::quote::text(source)))
    };
    if sides.iter().all(Vec::is_empty) {
        return;
    }
    if width < BESIDE {
        for (side, lines) in sides.iter().enumerate().filter(|(_, lines)| !lines.is_empty()) {
            let _ = writeln!(out, "  {}", title(side));
            lines.iter().for_each(|line| out.push_str(&format!("  {}\n", fit(line, width - 2))));
        }
        return;
    }
    let half = (width.min(200) - 6) / 2;
    let _ = writeln!(out, "  {:<half$}  {}", fit(&title(0), half), fit(&title(1), half));
    for row in 0..sides[0].len().max(sides[1].len()) {
        let cell = |side: usize| sides[side].get(row).map_or("", String::as_str);
        let line = format!("  {:<half$}  {}", fit(cell(0), half), fit(cell(1), half));
        let _ = writeln!(out, "{}", line.trim_end());
    }
}

/// Returns the lines around the mark of a side. The marked line begins with `>`.
fn excerpt(codes: &BothCodes, side: usize) -> Vec<String> {
    let Some(mark) = codes.marks[side] else { return Vec::new() };
    let of_side = |row: usize| codes.rows[row][side].as_ref();
    let before: Vec<usize> = (0..mark).rev().filter(|&row| of_side(row).is_some()).take(AROUND).collect();
    let after = (mark + 1..codes.rows.len()).filter(|&row| of_side(row).is_some()).take(AROUND);
    let rows = before.into_iter().rev().chain([mark]).chain(after);
    let line = |(row, line): (usize, &CodeLine)| {
        let sign = if row == mark { '>' } else { ' ' };
        format!("{sign} {:6x}  {}", line.address, line.text)
    };
    rows.filter_map(|row| Some((row, of_side(row)?))).map(line).collect()
}

/// Returns the text of a summary.
pub fn summary(sum: &Summary, width: usize) -> String {
    let part = |n: u64, name: &str| format!("{} {name}", grouped(n));
    let mut parts = vec![part(sum.same, "same")];
    for (n, name) in [(sum.differ, "differ"), (sum.incomparable, "incomparable"), (sum.failed, "failed")] {
        if n > 0 {
            parts.push(part(n, name));
        }
    }
    let pairs = if sum.pairs == 1 { "pair" } else { "pairs" };
    let mut out = broken(&format!("{} {pairs}: {}", grouped(sum.pairs), parts.join(", ")), width, "  ");
    let mut more = Vec::new();
    if sum.insensitive > 0 {
        more.push(format!("{} of the same do so whatever their inputs are (insensitive)", grouped(sum.insensitive)));
    }
    if sum.relinked > 0 {
        more.push(format!("{} of the same do so apart from how stages were linked (relinked)", grouped(sum.relinked)));
    }
    if sum.undef_read > 0 {
        more.push(format!("{} read what nothing has written (undef-read)", grouped(sum.undef_read)));
    }
    let total = sum.counts.total();
    if total.tolerated > 0 {
        let (n, all) = (grouped(total.tolerated), grouped(total.compared));
        more.push(format!("{n} of {all} values differ by no more than the tolerance of floats"));
    }
    let [old, new] = sum.instructions;
    if old > 0 && new > 0 {
        let percent = 100.0 * (new as f64 / old as f64 - 1.0);
        more.push(format!("instructions: {} -> {} ({percent:+.1} %)", grouped(old), grouped(new)));
    }
    if sum.interrupted {
        more.push("stopped before the end".into());
    }
    more.iter().for_each(|line| out += &broken(line, width, "  "));
    for (names, count, side) in [(&sum.removed, sum.removed_count, "OLD"), (&sum.added, sum.added_count, "NEW")] {
        if count > 0 {
            let shown = names.iter().take(MOST_NAMES).map(|name| gcnsim_engine::quote::name(name).into_owned());
            let mut shown: Vec<String> = shown.collect();
            if count > shown.len() as u64 {
                shown.push(format!("and {} more", grouped(count - shown.len() as u64)));
            }
            out += &broken(&format!("only in {side}: {}", shown.join(", ")), width, "  ");
        }
    }
    out
}

/// Breaks a line at blanks into lines of at most `width` columns; lines after the first begin with `indent`. A word
/// that is longer stays whole.
fn broken(line: &str, width: usize, indent: &str) -> String {
    let start = line.len() - line.trim_start().len();
    let (mut out, mut current) = (String::new(), line[..start].to_owned());
    let mut is_empty = true;
    for word in line[start..].split(' ') {
        let wanted = current.chars().count() + usize::from(!is_empty) + word.chars().count();
        if !is_empty && wanted > width && !word.is_empty() {
            out += current.trim_end();
            out.push('\n');
            (current, is_empty) = (indent.to_owned(), true);
        }
        if !is_empty {
            current.push(' ');
        }
        current += word;
        is_empty = false;
    }
    out + current.trim_end() + "\n"
}

/// Returns `text` cut to `width` characters.
fn fit(text: &str, width: usize) -> String {
    if text.chars().count() <= width {
        return text.to_owned();
    }
    text.chars().take(width.saturating_sub(1)).chain(['…']).collect()
}

#[cfg(test)]
pub(crate) mod tests {
    use gcnsim_inputs::EntryName;

    use super::*;
    use crate::result::{Count, Counts, First, Hex, SCHEMA};

    /// Returns a pair of which an export differs.
    pub(crate) fn differing() -> PairResult {
        let line = |address, text: &str| Some(CodeLine { address, text: text.into(), source: None });
        let rows = vec![
            [line(0, "v_mov_b32_e32 v0, 1.0"), line(0, "v_mov_b32_e32 v0, 2.0")],
            [line(4, "s_nop 0"), None],
            [line(8, "exp mrt0 v0, off, off, off done vm"), line(4, "exp mrt0 v0, off, off, off done vm")],
        ];
        PairResult {
            schema: SCHEMA,
            name: EntryName::new("a <b>.bin", None, None),
            result: Verdict::Differ,
            why: None,
            stage: Some("pixel"),
            worlds: vec!["synthetic-float.2".into()],
            world: Some("synthetic-float.2".into()),
            insensitive: false,
            relinked: false,
            undef_read: Vec::new(),
            first: Some(First {
                what: "export mrt0".into(),
                component: Some("x"),
                lane: Some(0),
                group: Some([0; 3]),
                wave: Some(0),
                old: Some("0x3f800000".into()),
                new: Some("0x40000000".into()),
                pc_old: Some(Hex(0)),
                pc_new: Some(Hex(0)),
                inst_old: Some("v_mov_b32_e32 v0, 1.0".into()),
                inst_new: Some("v_mov_b32_e32 v0, 2.0".into()),
                seen_old: Some(Hex(8)),
                seen_new: Some(Hex(4)),
                ..First::default()
            }),
            counts: Counts { exports: Count { compared: 128, differ: 64, tolerated: 0 }, ..Counts::default() },
            instructions: [4, 3],
            codes: BothCodes { rows, marks: [Some(0), Some(0)], is_cut: false },
        }
    }

    #[test]
    fn a_difference_fits_narrow_and_wide_terminals() {
        let narrow = pair(&differing(), 80);
        let expected = "\
differ       'a <b>.bin'
  export mrt0.x, lane 0: 0x3f800000 -> 0x40000000 in synthetic-float.2
  differ in all: exports 64 of 128
  old
  >      0  v_mov_b32_e32 v0, 1.0
         4  s_nop 0
         8  exp mrt0 v0, off, off, off done vm
  new
  >      0  v_mov_b32_e32 v0, 2.0
         4  exp mrt0 v0, off, off, off done vm
";
        assert_eq!(narrow, expected);
        let wide = pair(&differing(), 160);
        assert!(wide.lines().all(|line| line.chars().count() <= 160), "{wide}");
        let row = wide.lines().find(|line| line.contains("1.0")).unwrap();
        assert!(row.contains("2.0"), "{wide}");
    }

    #[test]
    fn one_and_two_have_their_words() {
        let mut sum = Summary::new("old".into(), "new".into(), 0.0);
        sum.add(&differing());
        assert_eq!(summary(&sum, 80).lines().next(), Some("1 pair: 0 same, 1 differ"));
        let both = PairResult { undef_read: vec!["old", "new"], ..differing() };
        let (one, two) = (PairResult { undef_read: vec!["old"], ..differing() }, pair(&both, 80));
        assert!(pair(&one, 80).contains("undef-read: old depends on"));
        assert!(two.contains("undef-read: old and new depend on"), "{two}");
    }

    #[test]
    fn lines_are_broken_at_blanks() {
        assert_eq!(broken("  one two three", 10, "    "), "  one two\n    three\n");
        assert_eq!(broken("abcdefghijkl m", 10, " "), "abcdefghijkl\n m\n");
    }
}
