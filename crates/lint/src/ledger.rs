//! Ledgers: lists of findings that are known and accepted, each with its reason.
//!
//! ```text
//! # gcnsim lint ledger: SHA-256 of the entry's code, rule, offset, reason
//! 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08  waw-vm-kind  0x1c4  compiler, see #12 (a.co: k)
//! ```
//!
//! The offset is that of the later instruction, from the entry on; `*` stands for all places. A finding that a line
//! lists does not fail. A line fails if no finding meets it although its entry is there: a ledger that is out of date
//! would hide the next finding.

use std::collections::{HashMap, HashSet};
use std::fmt::Write as _;

use gcnsim_loader::nearest;
use sha2::{Digest, Sha256};

use crate::{Options, rules};

/// The findings that are known and accepted.
#[derive(Default, Debug)]
pub struct LintLedger {
    lines: Vec<Line>,
    by_hash: HashMap<String, Vec<usize>>,
    met: HashSet<usize>,
    seen: HashSet<String>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
struct Line {
    number: usize,
    hash: String,
    rule: &'static str,
    /// Offset of the finding; `None` stands for all places.
    offset: Option<u64>,
    reason: String,
}

/// Error of reading a line.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("line {line}: {what}")]
pub struct LintLedgerError {
    /// Number of the line, from 1.
    pub line: usize,
    /// The mistake in words.
    pub what: String,
}

/// A line of a ledger that no finding met.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UnmetFinding {
    /// Number of the line, from 1.
    pub line: usize,
    /// The rule.
    pub rule: &'static str,
    /// The reason that the line states.
    pub reason: String,
}

/// A finding that is written to a ledger.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Known {
    /// [`hash`] of the entry's code.
    pub hash: String,
    /// The rule.
    pub rule: &'static str,
    /// Offset of the later instruction from the entry.
    pub offset: u64,
    /// The name of the entry.
    pub name: String,
}

/// Returns the SHA-256 of an entry's code, in hex.
pub fn hash(code: &[u8]) -> String {
    Sha256::digest(code).iter().fold(String::new(), |mut hex, byte| {
        // Writing to a String cannot fail.
        let _ = write!(hex, "{byte:02x}");
        hex
    })
}

impl LintLedger {
    /// Reads a ledger.
    ///
    /// # Errors
    /// The first line that is wrong.
    pub fn parse(text: &str) -> Result<LintLedger, LintLedgerError> {
        let mut ledger = LintLedger::default();
        for (i, text) in text.lines().enumerate() {
            let text = text.trim();
            if text.is_empty() || text.starts_with('#') {
                continue;
            }
            let line = parse_line(i + 1, text).map_err(|what| LintLedgerError { line: i + 1, what })?;
            ledger.by_hash.entry(line.hash.clone()).or_default().push(ledger.lines.len());
            ledger.lines.push(line);
        }
        Ok(ledger)
    }

    /// Notes that an entry is there, whether or not there are findings about it.
    pub fn see(&mut self, hash: &str) {
        if self.by_hash.contains_key(hash) {
            self.seen.insert(hash.to_owned());
        }
    }

    /// Returns the reason why a finding is accepted; `None` if no line lists it.
    pub fn judge(&mut self, hash: &str, rule: &str, offset: u64) -> Option<&str> {
        let is_it = |&&i: &&usize| {
            let line = &self.lines[i];
            line.rule == rule && line.offset.is_none_or(|listed| listed == offset)
        };
        let i = *self.by_hash.get(hash)?.iter().find(is_it)?;
        self.met.insert(i);
        Some(&self.lines[i].reason)
    }

    /// Returns the lines that no finding has met although their entries are there, in order. Lines of rules that
    /// `options` leave out are not among them.
    pub fn unmet(&self, options: &Options) -> Vec<UnmetFinding> {
        let is_tested = |id: &str| rules::by_id(id).is_some_and(|rule| options.wants(rule));
        let lines = self.lines.iter().enumerate().filter(|(_, line)| is_tested(line.rule));
        let unmet = lines.filter(|(i, line)| self.seen.contains(&line.hash) && !self.met.contains(i));
        unmet
            .map(|(_, line)| UnmetFinding { line: line.number, rule: line.rule, reason: line.reason.clone() })
            .collect()
    }

    /// Returns the text of a ledger of `findings`. Findings that this ledger lists keep their reasons.
    pub fn written(&mut self, findings: &[Known]) -> String {
        let mut out = "# gcnsim lint ledger: SHA-256 of the entry's code, rule, offset, reason\n".to_owned();
        let mut seen = HashSet::new();
        for Known { hash, rule, offset, name } in findings {
            if !seen.insert((hash, rule, offset)) {
                continue;
            }
            let reason = self.judge(hash, rule, *offset).map_or_else(|| format!("known ({name})"), str::to_owned);
            let _ = writeln!(out, "{hash}  {rule}  {offset:#x}  {reason}");
        }
        out
    }
}

fn parse_line(number: usize, text: &str) -> Result<Line, String> {
    let mut rest = text;
    let mut word = || {
        let (word, behind) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
        rest = behind.trim_start();
        word
    };
    let (hash, id, offset) = (word(), word(), word());
    if hash.len() != 64 || !hash.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return Err(format!("'{hash}' is no SHA-256 (64 hex digits)"));
    }
    let near = || nearest::question(id, rules::RULES.iter().map(|rule| rule.id));
    let rule = rules::by_id(id).ok_or_else(|| format!("unknown rule '{id}'{}", near()))?.id;
    let offset = match offset {
        "*" => None,
        _ => {
            let digits = offset.strip_prefix("0x").ok_or_else(|| format!("'{offset}' is no offset (0x.. or *)"))?;
            Some(u64::from_str_radix(digits, 16).map_err(|_| format!("'{offset}' is no offset (0x.. or *)"))?)
        }
    };
    if rest.is_empty() {
        return Err("the reason is missing".into());
    }
    Ok(Line { number, hash: hash.to_ascii_lowercase(), rule, offset, reason: rest.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn findings_are_judged_and_stale_lines_are_found() {
        let (a, b) = ("a".repeat(64), "b".repeat(64));
        let text =
            format!("# comment\n\n{a}  vmcnt-read 0x1c why not\n{a} waw-vm-kind * x\n{b} vmcnt-read 0x0 elsewhere\n");
        let mut ledger = LintLedger::parse(&text).unwrap();
        ledger.see(&a);
        assert_eq!(ledger.judge(&a, "vmcnt-read", 0x1c), Some("why not"));
        assert_eq!(ledger.judge(&a, "vmcnt-read", 0x20), None);
        assert_eq!(ledger.judge(&b, "waw-vm-kind", 0), None);
        let all = Options::default();
        assert_eq!(ledger.unmet(&Options { only: vec!["vmcnt-read"], ..Options::default() }), []);
        assert_eq!(ledger.unmet(&all), [UnmetFinding { line: 4, rule: "waw-vm-kind", reason: "x".into() }]);
        assert_eq!(ledger.judge(&a, "waw-vm-kind", 0x400), Some("x"));
        assert_eq!(ledger.unmet(&all), []);
        let known = |offset| Known { hash: a.clone(), rule: "vmcnt-read", offset, name: "f: k".into() };
        let written = ledger.written(&[known(0x1c), known(0x1c), known(0x20)]);
        let lines: Vec<_> = written.lines().skip(1).map(|line| line[66..].to_owned()).collect();
        assert_eq!(lines, ["vmcnt-read  0x1c  why not", "vmcnt-read  0x20  known (f: k)"]);
        assert!(LintLedger::parse(&written).is_ok());
    }

    #[test]
    fn bad_lines_are_named() {
        let hash = "0".repeat(64);
        for (line, expected) in [
            ("abc vmcnt-read 0x0 x", "no SHA-256"),
            (&*format!("{hash} vmcnt 0x0 x"), "unknown rule 'vmcnt'"),
            (&*format!("{hash} vmcnt-read 12 x"), "'12' is no offset"),
            (&*format!("{hash} vmcnt-read 0x1"), "the reason is missing"),
        ] {
            let error = LintLedger::parse(&format!("#\n{line}")).unwrap_err();
            assert!(error.line == 2 && error.what.contains(expected), "{error}");
        }
    }
}
