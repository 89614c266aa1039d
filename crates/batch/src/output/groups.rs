//! Groups failures by outcome, reason and generation.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::collections::btree_map;

use gcnsim_isa::Arch;

use crate::output::entry::{Entry, Order};
use crate::output::outcome::EntryOutcome;
use gcnsim_inputs::name::EntryName;

/// Number of characters by which reasons are compared.
const REASON: usize = 256;

/// The number of entries with one reason, and the first of them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Count {
    /// Number of occurrences.
    pub count: u64,
    /// Name of the first entry.
    pub example: EntryName,
    /// The reason of the first entry in words, with its numbers.
    pub reason: String,
    order: Order,
}

/// A group of failures.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FailureGroup<'a> {
    /// The outcome of all entries of the group.
    pub outcome: EntryOutcome,
    /// The mnemonic of the instruction that stopped the first entry, or the reason in words with the numbers of the
    /// first entry. Empty if the outcome says everything.
    pub reason: &'a str,
    /// The generation as which the entries ran; `None` if they did not run.
    pub arch: Option<Arch>,
    /// The number of entries, and the first of them.
    pub count: &'a Count,
}

/// Failures by outcome, generation and reason.
#[derive(Clone, Default, Debug)]
pub struct FailureGroups(BTreeMap<(EntryOutcome, Option<Arch>), BTreeMap<String, Count>>);

impl FailureGroups {
    pub(crate) fn add(&mut self, entry: &Entry) {
        let reasons = self.0.entry((entry.outcome, entry.arch)).or_default();
        let reason = reason(entry);
        let key = match entry.outcome {
            EntryOutcome::BadInput | EntryOutcome::Mismatch => Cow::Owned(without_numbers(&reason)),
            _ => Cow::Borrowed(reason.as_ref()),
        };
        match reasons.get_mut(key.as_ref()) {
            Some(count) => {
                count.count += 1;
                if entry.order < count.order {
                    (count.order, count.example) = (entry.order, entry.name());
                    count.reason = reason.into_owned();
                }
            }
            None => {
                let key = key.into_owned();
                let count = Count { count: 1, example: entry.name(), reason: reason.into_owned(), order: entry.order };
                reasons.insert(key, count);
            }
        }
    }

    pub(crate) fn merge(&mut self, other: FailureGroups) {
        for (key, reasons) in other.0 {
            let ours = self.0.entry(key).or_default();
            for (reason, count) in reasons {
                match ours.entry(reason) {
                    btree_map::Entry::Vacant(entry) => drop(entry.insert(count)),
                    btree_map::Entry::Occupied(mut entry) => entry.get_mut().merge(count),
                }
            }
        }
    }

    /// Returns all groups, the largest first. Groups of equal size have the order of their first entries.
    pub fn by_count(&self) -> Vec<FailureGroup<'_>> {
        let groups = self.0.iter().flat_map(|(&(outcome, arch), reasons)| {
            reasons.values().map(move |count| FailureGroup { outcome, reason: &count.reason, arch, count })
        });
        let mut groups: Vec<_> = groups.collect();
        groups.sort_by_key(|group| (std::cmp::Reverse(group.count.count), group.count.order));
        groups
    }

    /// Returns the reasons of one outcome over all generations, the most frequent first.
    pub(crate) fn of_outcome(&self, outcome: EntryOutcome) -> Vec<(&str, Count)> {
        let mut found: BTreeMap<&str, Count> = BTreeMap::new();
        for (reason, count) in
            self.0.iter().filter(|((other, _), _)| *other == outcome).flat_map(|(_, reasons)| reasons)
        {
            match found.get_mut(reason.as_str()) {
                Some(sum) => sum.merge(count.clone()),
                None => drop(found.insert(reason, count.clone())),
            }
        }
        let mut found: Vec<_> = found.into_iter().collect();
        found.sort_by_key(|(_, count)| (std::cmp::Reverse(count.count), count.order));
        found
    }
}

impl Count {
    fn merge(&mut self, other: Count) {
        let sum = self.count + other.count;
        if other.order < self.order {
            *self = other;
        }
        self.count = sum;
    }
}

/// Returns in one line why an entry failed.
fn reason<'a>(entry: &Entry<'a>) -> Cow<'a, str> {
    let words = entry.detail.and_then(|detail| detail.lines().next()).unwrap_or_default();
    if let Some(mismatch) = entry.mismatch {
        return Cow::Owned(mismatch.to_string());
    }
    match (entry.outcome, entry.mnemonic) {
        (EntryOutcome::Unsupported, mnemonic) => Cow::Borrowed(mnemonic.unwrap_or("?")),
        (_, Some(mnemonic)) => Cow::Owned(format!("{words}: {mnemonic}")),
        (_, None) => Cow::Borrowed(words),
    }
}

/// Returns the reason `words` without its numbers, which differ among files that are bad for the same reason. Digits of
/// a name, such as `gfx908` or `s5`, stay.
fn without_numbers(words: &str) -> String {
    let mut out = String::new();
    let mut rest = words;
    while let Some(c) = rest.chars().next() {
        let is_name = |c: char| c.is_alphanumeric() || c == '_';
        if c.is_alphabetic() || c == '_' {
            let length = rest.find(|c| !is_name(c)).unwrap_or(rest.len());
            out.push_str(&rest[..length]);
            rest = &rest[length..];
            continue;
        }
        let length = match rest.strip_prefix("0x") {
            Some(digits) => 2 + digits.len() - digits.trim_start_matches(|c: char| c.is_ascii_hexdigit()).len(),
            None => rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len(),
        };
        let length = if length > 0 { length } else { c.len_utf8() };
        out.push(if c.is_ascii_digit() { 'N' } else { c });
        rest = &rest[length..];
    }
    cut(&out, REASON).into_owned()
}

/// Returns the first characters of `text`, at most `width`, with a mark if some are left out.
pub(crate) fn cut(text: &str, width: usize) -> Cow<'_, str> {
    if text.chars().count() <= width {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.chars().take(width.saturating_sub(1)).chain(['\u{2026}']).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_of_bad_files_have_no_numbers() {
        let reason = without_numbers("the length, 7342 bytes, is not a multiple of 4");
        assert_eq!(reason, "the length, N bytes, is not a multiple of N");
        assert_eq!(without_numbers("at 0x7f0a: 12ab \u{e9}9"), "at N: Nab \u{e9}9");
        assert_eq!(without_numbers("gfx908 of s5, y[12] 3"), "gfx908 of s5, y[N] N");
        assert_eq!(without_numbers(&"x".repeat(500)), "x".repeat(REASON - 1) + "\u{2026}");
    }
}
