//! Ledgers: lists of failures that are known and accepted, each with its reason.
//!
//! ```text
//! # gcnsim ledger: SHA-256 of the entry, outcome, reason
//! 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08  unsupported  loads memory (a.bin)
//! ```
//!
//! For a launch, a `+` and the SHA-256 of the launch follow the SHA-256 of the kernel's code. For a part of a bundle, a
//! `@` and its target id follow, because equal bytes may fail as one target only; a line without a target id is for all
//! parts. A line may name its entry instead, as a JSON string: `"a.co: saxpy: small" mismatch why`. It holds for all
//! entries of this name, with any bytes.
//!
//! An entry that fails as listed is fine. An entry that fails otherwise, or is listed and passes, makes the batch fail:
//! a ledger that is out of date would hide the next change. Failures of the simulator (divergence, internal error)
//! cannot be listed.
//!
//! A list of Mesa's deqp-runner (`-fails.txt`) is a ledger, too: `NAME,STATUS`, where a status stands for several
//! outcomes ([`deqp`](crate::deqp)). Reasons are the comments above its lines.

use std::collections::{HashMap, HashSet};
use std::fmt::Write as _;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::output::deqp::{self, Status};
use crate::output::entry::{Entry, Failure};
use crate::output::outcome::EntryOutcome;
use gcnsim_engine::quote;
use gcnsim_inputs::entry_hash::EntryHash;
use gcnsim_inputs::name::EntryName;

/// Known failures. The ledger remembers which of its lines entries have met.
#[derive(Default, Debug)]
pub struct Ledger {
    by_hash: HashMap<EntryHash, Known>,
    /// Lines about parts of bundles, by hash and by target id.
    by_target: HashMap<EntryHash, HashMap<String, Known>>,
    by_name: HashMap<String, Known>,
}

/// The lines about one entry.
#[derive(Default, Debug)]
struct Known {
    lines: Vec<KnownLine>,
    /// Whether an entry that the lines are about was judged.
    is_here: AtomicBool,
    /// Whether an entry that the lines are about ended.
    ended: AtomicBool,
}

#[derive(Debug)]
struct KnownLine {
    /// Number of the line in the ledger, from 1.
    number: usize,
    expected: Expected,
    reason: String,
    was_met: AtomicBool,
}

/// What a line expects of its entry.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Expected {
    /// This outcome.
    Outcome(EntryOutcome),
    /// An outcome with this status.
    Status(Status),
}

impl Expected {
    fn is_met_by(self, outcome: EntryOutcome) -> bool {
        match self {
            Expected::Outcome(expected) => expected == outcome,
            Expected::Status(status) => status == Status::of_outcome(outcome) && !outcome.is_our_fault(),
        }
    }

    /// Returns the name in the ledger.
    pub const fn name(self) -> &'static str {
        match self {
            Expected::Outcome(outcome) => outcome.name(),
            Expected::Status(status) => status.name(),
        }
    }
}

/// A line of a ledger that no entry met.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unmet {
    /// Number of the line, from 1.
    pub line: usize,
    /// The result of the entry that the line is about.
    pub now: Now,
    /// What was expected.
    pub expected: Expected,
    /// The reason that the line states, with the name of the entry if the line has one.
    pub reason: String,
}

/// The result of an entry that did not do what a ledger says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Now {
    /// No such entry ran.
    Missing,
    /// The entry ended.
    Ended,
    /// The entry failed in another way.
    Other,
}

impl Now {
    /// Returns the result in words.
    pub const fn text(self) -> &'static str {
        match self {
            Now::Missing => "not here",
            Now::Ended => "ends now",
            Now::Other => "other failure",
        }
    }
}

/// The key by which the lines of a written ledger identify entries.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum LedgerKey {
    /// The contents of entries.
    #[default]
    Hash,
    /// The names of entries.
    Name,
}

/// Verdict of a ledger on an entry.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// The entry ended, and the ledger does not list it.
    Pass,
    /// The entry failed as the ledger lists it.
    Expected,
    /// The entry failed in a way that the ledger does not list.
    Unlisted,
    /// The entry ended, but the ledger lists it.
    UnexpectedPass,
}

/// Error of reading a line.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("line {line}: {what}")]
pub struct LedgerError {
    /// Number of the line, from 1.
    pub line: usize,
    /// The mistake in words.
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
            let (entry, outcome, reason) = parsed?;
            ledger.add(number + 1, entry, Expected::Outcome(outcome), reason);
        }
        Ok(ledger)
    }

    /// Reads a list of known failures of deqp-runner.
    ///
    /// # Errors
    /// The first line that is wrong.
    pub fn parse_fails(text: &str) -> Result<Ledger, LedgerError> {
        let mut ledger = Ledger::default();
        let mut comment = None;
        for (number, line) in text.lines().enumerate() {
            let line = line.trim();
            if line.is_empty() {
                comment = None;
            } else if let Some(text) = line.strip_prefix('#') {
                comment = Some(text.trim()).filter(|text| !text.is_empty());
            } else {
                let error = |what: String| LedgerError { line: number + 1, what };
                let (name, status) = deqp::parse(line).ok_or_else(|| error("expected NAME,STATUS".into()))?;
                let Some(known) = Status::of_failure(status.trim()) else {
                    return Err(error(format!("'{status}': expected Fail, Crash or Timeout")));
                };
                let reason = comment.unwrap_or("no reason is stated").to_owned();
                ledger.add(number + 1, Listed::Name(name.into_owned()), Expected::Status(known), reason);
            }
        }
        Ok(ledger)
    }

    fn add(&mut self, number: usize, entry: Listed, expected: Expected, reason: String) {
        let known = match entry {
            Listed::Hash(hash, None) => self.by_hash.entry(hash).or_default(),
            Listed::Hash(hash, Some(target)) => self.by_target.entry(hash).or_default().entry(target).or_default(),
            Listed::Name(name) => self.by_name.entry(name).or_default(),
        };
        known.lines.push(KnownLine { number, expected, reason, was_met: AtomicBool::new(false) });
    }

    /// Returns the lines about an entry: those with its hash and target id, those with its hash, and those with its
    /// name.
    fn known(&self, hash: Option<EntryHash>, target: &str, name: impl FnOnce() -> EntryName) -> [Option<&Known>; 3] {
        let by_name = if self.by_name.is_empty() { None } else { self.by_name.get(&*name()) };
        let by_target = hash.and_then(|hash| self.by_target.get(&hash)?.get(target));
        [by_target, hash.and_then(|hash| self.by_hash.get(&hash)), by_name]
    }

    /// Judges an entry. `target` is the target id of its part of a bundle; empty if it comes from none.
    pub fn judge(
        &self,
        hash: Option<EntryHash>,
        target: &str,
        name: impl FnOnce() -> EntryName,
        outcome: EntryOutcome,
    ) -> Verdict {
        let (mut is_known, mut is_listed) = (false, false);
        for known in self.known(hash, target, name).into_iter().flatten() {
            is_known = true;
            known.is_here.store(true, Ordering::Relaxed);
            if outcome == EntryOutcome::Ended {
                known.ended.store(true, Ordering::Relaxed);
            }
            for line in known.lines.iter().filter(|line| line.expected.is_met_by(outcome)) {
                is_listed = true;
                line.was_met.store(true, Ordering::Relaxed);
            }
        }
        match outcome {
            EntryOutcome::Ended if is_known => Verdict::UnexpectedPass,
            EntryOutcome::Ended => Verdict::Pass,
            _ if is_listed => Verdict::Expected,
            _ => Verdict::Unlisted,
        }
    }

    /// Returns the lines that no entry judged so far has met, in order.
    pub fn unmet(&self) -> Vec<Unmet> {
        let targets = self.by_target.values().flat_map(HashMap::values);
        let hashes = self.by_hash.values().chain(targets).map(|known| (None, known));
        let names = self.by_name.iter().map(|(name, known)| (Some(name), known));
        let mut unmet = Vec::new();
        for (name, known) in hashes.chain(names) {
            let now = match (known.ended.load(Ordering::Relaxed), known.is_here.load(Ordering::Relaxed)) {
                (true, _) => Now::Ended,
                (false, true) => Now::Other,
                (false, false) => Now::Missing,
            };
            let lines = known.lines.iter().filter(|line| !line.was_met.load(Ordering::Relaxed));
            unmet.extend(lines.map(|&KnownLine { number, expected, ref reason, .. }| {
                let reason = name.map_or(reason.clone(), |name| format!("{reason} ({})", quote::name(name)));
                Unmet { line: number, now, expected, reason }
            }));
        }
        unmet.sort_by_key(|line| line.line);
        unmet
    }

    /// Returns the number of entries that the ledger lists.
    pub fn len(&self) -> usize {
        self.by_hash.len() + self.by_target.values().map(HashMap::len).sum::<usize>() + self.by_name.len()
    }

    /// Whether the ledger lists no entries.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the text of a ledger of these failures. Failures that this ledger lists keep their reasons.
    pub fn written(&self, failures: &[Failure], key: LedgerKey) -> String {
        let of_what = match key {
            LedgerKey::Hash => "SHA-256",
            LedgerKey::Name => "name",
        };
        let mut out = format!("# gcnsim ledger: {of_what} of the entry, outcome, reason\n");
        let mut met = HashSet::new();
        let mut lines: Vec<_> = failures.iter().filter(|failure| failure.fits(key)).collect();
        lines.sort_by_key(|failure| failure.order);
        for failure in lines {
            let Failure { outcome, hash, target, name, .. } = failure;
            let entry = match (key, hash) {
                (LedgerKey::Name, _) => quote::json_string(name),
                (LedgerKey::Hash, Some(hash)) if target.is_empty() => hash.to_string(),
                (LedgerKey::Hash, Some(hash)) => format!("{hash}@{target}"),
                (LedgerKey::Hash, None) => continue,
            };
            let reason = self.reason(failure).unwrap_or_else(|| match key {
                LedgerKey::Name => failure.reason.clone(),
                LedgerKey::Hash => format!("{} ({})", failure.reason, name.quoted()),
            });
            let line = format!("{entry}  {}", outcome.name());
            if !met.contains(&line) {
                // Writing to a String cannot fail.
                let _ = writeln!(out, "{line}  {reason}");
                met.insert(line);
            }
        }
        out
    }

    /// Returns the reason that this ledger states for a failure.
    fn reason(&self, failure: &Failure) -> Option<String> {
        let known = self.known(failure.hash, &failure.target, || failure.name.clone());
        let mut lines = known.into_iter().flatten().flat_map(|known| &known.lines);
        lines.find(|line| line.expected.is_met_by(failure.outcome)).map(|line| line.reason.clone())
    }

    /// Returns the text of a list of known failures of deqp-runner. Reasons are comments, and those of this ledger
    /// stay. A failure whose name has a line break is left out.
    pub fn written_fails(&self, failures: &[Failure]) -> String {
        let mut lines: Vec<_> = failures.iter().filter(|failure| failure.fits(LedgerKey::Name)).collect();
        lines.sort_by_key(|failure| failure.order);
        let mut out = String::from("# gcnsim batch: known failures\n");
        let mut met = HashSet::new();
        for failure in lines.into_iter().filter(|failure| !failure.name.contains(['\n', '\r'])) {
            let line = deqp::line(&failure.name, Status::of_outcome(failure.outcome));
            if met.insert(line.clone()) {
                let reason = self.reason(failure).unwrap_or_else(|| failure.reason.clone());
                // Writing to a String cannot fail.
                let _ = writeln!(out, "\n# {reason}\n{line}");
            }
        }
        out
    }
}

impl Failure {
    /// Whether a ledger with this key can list the failure.
    pub fn fits(&self, key: LedgerKey) -> bool {
        !self.outcome.is_our_fault() && (key == LedgerKey::Name || self.hash.is_some())
    }
}

/// The entry that a line of a ledger is about.
enum Listed {
    /// The entry by the hash of its contents, and by the target id of a part if the line has one.
    Hash(EntryHash, Option<String>),
    Name(String),
}

/// Returns the entry at the beginning of a line, and the rest of the line.
fn parse_entry(line: &str) -> Result<(Listed, &str), String> {
    if line.starts_with('"') {
        let mut names = serde_json::Deserializer::from_str(line).into_iter::<String>();
        let name = names.next().and_then(Result::ok).ok_or("a name is not closed by a quotation mark")?;
        return Ok((Listed::Name(name), &line[names.byte_offset()..]));
    }
    let (hash, rest) = line.split_once(char::is_whitespace).ok_or("expected HASH OUTCOME REASON")?;
    let (hash, target) = hash.split_once('@').map_or((hash, None), |(hash, target)| (hash, Some(target.to_owned())));
    let parsed = EntryHash::parse(hash).ok_or_else(|| format!("'{hash}' is no SHA-256 (64 hex digits)"))?;
    Ok((Listed::Hash(parsed, target), rest))
}

fn parse_line(line: &str) -> Result<(Listed, EntryOutcome, String), String> {
    let (hash, rest) = parse_entry(line)?;
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

/// Returns the reason that a written ledger states for a failure.
pub(crate) fn reason(entry: &Entry) -> String {
    let words = || entry.detail.map_or(entry.outcome.name(), |detail| detail.lines().next().unwrap_or("")).to_owned();
    let mut reason = entry.mismatch.map_or_else(words, |mismatch| mismatch.to_string());
    if let Some(mnemonic) = entry.mnemonic {
        reason = format!("{mnemonic}: {reason}");
    }
    // The reason has to be printable and on one line.
    quote::text(&reason).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hash(byte: u8) -> String {
        gcnsim_inputs::hex(&[byte; 32])
    }

    #[test]
    fn entries_are_judged_by_hash_and_outcome() {
        let text = format!("# comment\n\n{} unsupported  loads memory\n{0} fault other\n", hash(1));
        let ledger = Ledger::parse(&text).unwrap();
        let name = || EntryName::new("a", None, None);
        let judge = |byte, outcome| ledger.judge(Some(EntryHash::of_code([byte; 32])), "", name, outcome);
        assert_eq!(judge(1, EntryOutcome::Unsupported), Verdict::Expected);
        assert_eq!(judge(1, EntryOutcome::Fault), Verdict::Expected);
        assert_eq!(judge(1, EntryOutcome::Budget), Verdict::Unlisted);
        assert_eq!(judge(1, EntryOutcome::Ended), Verdict::UnexpectedPass);
        assert_eq!(judge(2, EntryOutcome::Ended), Verdict::Pass);
        assert_eq!(judge(2, EntryOutcome::Fault), Verdict::Unlisted);
        assert_eq!(ledger.judge(None, "", name, EntryOutcome::BadInput), Verdict::Unlisted);
    }

    #[test]
    fn lines_may_have_names_and_unmet_ones_are_found() {
        let text = format!(
            "\"a \\\"b: k\"  fault  why\n\"c\" budget  long\n\"d\" trap x\n{} fault other\n{} fault gone\n",
            hash(1),
            hash(2)
        );
        let ledger = Ledger::parse(&text).unwrap();
        assert_eq!(ledger.len(), 5);
        let judge = |byte: u8, file: &str, kernel, outcome| {
            let name = || EntryName::new(file, kernel, None);
            ledger.judge((byte > 0).then(|| EntryHash::of_code([byte; 32])), "", name, outcome)
        };
        assert_eq!(judge(9, "a \"b", Some("k"), EntryOutcome::Fault), Verdict::Expected);
        assert_eq!(judge(0, "c", None, EntryOutcome::Ended), Verdict::UnexpectedPass);
        assert_eq!(judge(1, "e", None, EntryOutcome::Trap), Verdict::Unlisted);
        let unmet: Vec<_> = ledger.unmet().into_iter().map(|line| (line.line, line.now, line.reason)).collect();
        let expected = [
            (2, Now::Ended, "long (c)"),
            (3, Now::Missing, "x (d)"),
            (4, Now::Other, "other"),
            (5, Now::Missing, "gone"),
        ];
        assert_eq!(unmet, expected.map(|(line, now, reason)| (line, now, reason.to_owned())));
    }

    #[test]
    fn parts_of_bundles_are_told_apart() {
        let text = format!("{}@gfx906:xnack+ fault x\n{} budget y\n", hash(1), hash(2));
        let ledger = Ledger::parse(&text).unwrap();
        let name = || EntryName::new("a", None, None);
        let judge = |byte, target| {
            let hash = Some(EntryHash::of_code([byte; 32]));
            let outcomes = [EntryOutcome::Fault, EntryOutcome::Budget, EntryOutcome::Ended];
            outcomes.map(|outcome| ledger.judge(hash, target, name, outcome))
        };
        use Verdict::*;
        assert_eq!(judge(1, "gfx906:xnack+"), [Expected, Unlisted, UnexpectedPass]);
        assert_eq!(judge(1, "gfx906:xnack-"), [Unlisted, Unlisted, Pass]);
        assert_eq!(judge(1, ""), [Unlisted, Unlisted, Pass]);
        assert_eq!(judge(2, "gfx900"), [Unlisted, Expected, UnexpectedPass], "a line for all parts");
        let failure = |target: &str, order| Failure {
            hash: Some(EntryHash::of_code([1; 32])),
            target: target.into(),
            name: name(),
            outcome: EntryOutcome::Fault,
            reason: format!("new {order}"),
            order: (order, 0),
        };
        let failures = [failure("gfx906:xnack+", 1), failure("gfx900", 2), failure("gfx900", 3)];
        let text = ledger.written(&failures, LedgerKey::Hash);
        let expected = format!("{0}@gfx906:xnack+  fault  x\n{0}@gfx900  fault  new 2 (a)\n", hash(1));
        assert_eq!(text.split_once('\n').unwrap().1, expected);
    }

    #[test]
    fn lists_of_deqp_runner_are_ledgers() {
        let text = "# gcnsim\n\n# reads too far\na.co: k,Crash\n\nb.bin,Timeout\n\"c,d.bin\",Fail\n";
        let ledger = Ledger::parse_fails(text).unwrap();
        let name = |file: &str, kernel| EntryName::new(file, kernel, None);
        let judge = |file: &str, kernel, outcome| ledger.judge(None, "", || name(file, kernel), outcome);
        assert_eq!(judge("a.co", Some("k"), EntryOutcome::Fault), Verdict::Expected);
        assert_eq!(judge("a.co", Some("k"), EntryOutcome::Trap), Verdict::Expected);
        assert_eq!(judge("a.co", Some("k"), EntryOutcome::Divergence), Verdict::Unlisted);
        assert_eq!(judge("b.bin", None, EntryOutcome::Ended), Verdict::UnexpectedPass);
        assert_eq!(judge("c,d.bin", None, EntryOutcome::Budget), Verdict::Unlisted);
        let unmet: Vec<_> = ledger.unmet().iter().map(|line| (line.line, line.now, line.expected.name())).collect();
        assert_eq!(unmet, [(6, Now::Ended, "Timeout"), (7, Now::Other, "Fail")]);
        let failure = |file: &str, kernel, outcome, order| Failure {
            hash: None,
            target: String::new(),
            name: name(file, kernel),
            outcome,
            reason: "new".into(),
            order: (order, 0),
        };
        let failures = [
            failure("z.bin", None, EntryOutcome::Unsupported, 2),
            failure("a.co", Some("k"), EntryOutcome::Fault, 1),
            failure("y.bin", None, EntryOutcome::InternalError, 3),
        ];
        let written = ledger.written_fails(&failures);
        let expected = "# gcnsim batch: known failures\n\n# reads too far\na.co: k,Crash\n\n# new\nz.bin,Fail\n";
        assert_eq!(written, expected);
        assert_eq!(Ledger::parse_fails(&written).unwrap().len(), 2);
        for (text, message) in
            [("\na,Pass", "'Pass': expected Fail, Crash or Timeout"), ("\na b", "expected NAME,STATUS")]
        {
            let error = Ledger::parse_fails(text).unwrap_err();
            assert!(error.line == 2 && error.what.contains(message), "{error}");
        }
    }

    #[test]
    fn wrong_lines_are_named() {
        for (line, message) in [
            ("abc", "expected HASH"),
            ("\"abc fault why", "not closed"),
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
            hash: Some(EntryHash::of_code([byte; 32])),
            target: String::new(),
            name: EntryName::new(&format!("f {order}"), None, None),
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
        let text = old.written(&failures, LedgerKey::Hash);
        let expected = format!("{}  fault  known for years\n{}  budget  new 5 ('f 5')\n", hash(2), hash(3));
        assert_eq!(text.split_once('\n').unwrap().1, expected);
        assert_eq!(Ledger::parse(&text).unwrap().len(), 2);
        let text = old.written(&failures, LedgerKey::Name);
        let expected = "\"f 1\"  fault  known for years\n\"f 5\"  budget  new 5\n\"f 7\"  budget  new 7\n";
        assert_eq!(text.split_once('\n').unwrap().1, expected);
    }
}
