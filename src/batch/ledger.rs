//! Ledgers: lists of failures that are known and accepted, each with its reason.
//!
//! ```text
//! # gcnsim ledger: SHA-256 of the entry, outcome, reason
//! 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08  unsupported  loads memory (a.bin)
//! ```
//!
//! A launch has its own SHA-256 behind that of its kernel, with a `+` between them.
//!
//! An entry that fails as listed is fine. An entry that fails otherwise, or is listed and passes, makes the batch
//! fail: a ledger that is not kept up to date would hide what changes next. Failures of ours (divergence, internal
//! error) cannot be listed.

use std::collections::HashMap;
use std::fmt::Write as _;

use super::entry_hash::EntryHash;
use super::outcome::EntryOutcome;
use super::summary::{Entry, Failure};
use crate::quote;

/// Known failures.
#[derive(Clone, Default, Debug)]
pub struct Ledger {
    known: HashMap<EntryHash, Vec<(EntryOutcome, String)>>,
}

/// What a ledger says of an entry.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// It ended and was expected to.
    Pass,
    /// It failed as listed.
    Expected,
    /// It failed in a way that is not listed.
    Unlisted,
    /// It is listed, but it ended.
    UnexpectedPass,
}

/// A line that cannot be read.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("line {line}: {what}")]
pub struct LedgerError {
    /// Number of the line, from 1.
    pub line: usize,
    /// What is wrong.
    pub what: String,
}

impl Ledger {
    /// Reads a ledger.
    ///
    /// # Errors
    /// The first line that is wrong.
    pub fn parse(text: &str) -> Result<Ledger, LedgerError> {
        let mut ledger = Ledger::default();
        for (number, line) in text.lines().enumerate() {
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let parsed = parse_line(line).map_err(|what| LedgerError { line: number + 1, what });
            let (hash, outcome, reason) = parsed?;
            ledger.known.entry(hash).or_default().push((outcome, reason));
        }
        Ok(ledger)
    }

    /// Judges an entry.
    pub fn judge(&self, hash: Option<EntryHash>, outcome: EntryOutcome) -> Verdict {
        let known = hash.and_then(|hash| self.known.get(&hash));
        let listed = known.is_some_and(|known| known.iter().any(|(o, _)| *o == outcome));
        match outcome {
            EntryOutcome::Ended if known.is_some() => Verdict::UnexpectedPass,
            EntryOutcome::Ended => Verdict::Pass,
            _ if listed => Verdict::Expected,
            _ => Verdict::Unlisted,
        }
    }

    /// Number of entries listed.
    pub fn len(&self) -> usize {
        self.known.len()
    }

    /// Whether nothing is listed.
    pub fn is_empty(&self) -> bool {
        self.known.is_empty()
    }

    /// The text of a ledger of these failures. Failures that this ledger lists keep their reasons.
    pub fn written(&self, failures: &[Failure]) -> String {
        let mut out = String::from("# gcnsim ledger: SHA-256 of the entry, outcome, reason\n");
        let mut lines: Vec<_> = failures.iter().filter(|failure| !failure.outcome.is_our_fault()).collect();
        lines.sort_by_key(|failure| (failure.hash, failure.outcome));
        lines.dedup_by_key(|failure| (failure.hash, failure.outcome));
        lines.sort_by_key(|failure| failure.order);
        for failure in lines {
            let known = self.known.get(&failure.hash).into_iter().flatten();
            let reason = known.filter(|(outcome, _)| *outcome == failure.outcome).map(|(_, reason)| reason).next();
            let reason = reason.unwrap_or(&failure.reason);
            // Writing to a String cannot fail.
            let _ = writeln!(out, "{}  {}  {reason}", failure.hash, failure.outcome.name());
        }
        out
    }
}

fn parse_line(line: &str) -> Result<(EntryHash, EntryOutcome, String), String> {
    let (hash, rest) = line.split_once(char::is_whitespace).ok_or("expected HASH OUTCOME REASON")?;
    let hash = EntryHash::parse(hash).ok_or_else(|| format!("'{hash}' is no SHA-256 (64 hex digits)"))?;
    let rest = rest.trim_start();
    let (name, reason) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
    let outcome = EntryOutcome::from_name(name).ok_or_else(|| format!("unknown outcome '{name}'"))?;
    if outcome == EntryOutcome::Ended || outcome.is_our_fault() {
        return Err(format!("outcome '{name}' cannot be listed"));
    }
    if reason.trim().is_empty() {
        return Err("the reason is missing".into());
    }
    Ok((hash, outcome, reason.trim().to_owned()))
}

/// The reason that a new ledger states for a failure: why it failed, and one file.
pub(super) fn reason(entry: &Entry) -> String {
    let mut reason = entry.detail.map_or(entry.outcome.name(), |detail| detail.lines().next().unwrap_or("")).to_owned();
    if let Some(mnemonic) = entry.mnemonic {
        reason = format!("{mnemonic}: {reason}");
    }
    // The reason has to fit one line and be printable.
    format!("{} ({})", quote::text(&reason), entry.name().quoted())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hash(byte: u8) -> String {
        super::super::hex(&[byte; 32])
    }

    #[test]
    fn entries_are_judged_by_hash_and_outcome() {
        let text = format!("# comment\n\n{} unsupported  loads memory\n{0} fault other\n", hash(1));
        let ledger = Ledger::parse(&text).unwrap();
        let judge = |byte, outcome| ledger.judge(Some(EntryHash::of_code([byte; 32])), outcome);
        assert_eq!(judge(1, EntryOutcome::Unsupported), Verdict::Expected);
        assert_eq!(judge(1, EntryOutcome::Fault), Verdict::Expected);
        assert_eq!(judge(1, EntryOutcome::Budget), Verdict::Unlisted);
        assert_eq!(judge(1, EntryOutcome::Ended), Verdict::UnexpectedPass);
        assert_eq!(judge(2, EntryOutcome::Ended), Verdict::Pass);
        assert_eq!(judge(2, EntryOutcome::Fault), Verdict::Unlisted);
        assert_eq!(ledger.judge(None, EntryOutcome::BadInput), Verdict::Unlisted);
    }

    #[test]
    fn wrong_lines_are_named() {
        for (line, message) in [
            ("abc", "expected HASH"),
            ("abc fault why", "'abc' is no SHA-256"),
            (&format!("{} done why", hash(1)), "unknown outcome 'done'"),
            (&format!("{} ended why", hash(1)), "cannot be listed"),
            (&format!("{} divergence why", hash(1)), "cannot be listed"),
            (&format!("{} fault", hash(1)), "reason is missing"),
        ] {
            let error = Ledger::parse(&format!("\n{line}")).unwrap_err();
            assert_eq!(error.line, 2);
            assert!(error.what.contains(message), "{line}: {error}");
        }
    }

    #[test]
    fn a_new_ledger_keeps_old_reasons() {
        let old = Ledger::parse(&format!("{} fault known for years", hash(2))).unwrap();
        let failure = |byte, outcome, order| Failure {
            hash: EntryHash::of_code([byte; 32]),
            outcome,
            reason: format!("new {order}"),
            order: (order, 0),
        };
        let failures = [
            failure(3, EntryOutcome::Budget, 5),
            failure(2, EntryOutcome::Fault, 1),
            failure(3, EntryOutcome::Budget, 7),
            failure(4, EntryOutcome::Divergence, 8),
        ];
        let text = old.written(&failures);
        let expected = format!("{}  fault  known for years\n{}  budget  new 5\n", hash(2), hash(3));
        assert_eq!(text.split_once('\n').unwrap().1, expected);
        assert_eq!(Ledger::parse(&text).unwrap().len(), 2);
    }
}
