//! Which places of a mapping the groups of a dispatch access: whether they do without each other.
//!
//! A thread marks what the group that it runs loads, stores and exchanges, and after the group compares that with what
//! its earlier groups did. In the end the marks of all threads are compared. Two groups meet where one of them writes a
//! place that the other one accesses; two atomics do not meet, because only those that may change their order run on
//! several threads. If no groups meet, each has found what memory held before the dispatch, or what it wrote itself:
//! then the dispatch does the same as group by group, whatever the threads did when.
//!
//! A place is a dword, or a byte. Groups that share no dword share no byte.

use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize};

use crate::{Access, Segment};

/// Size of a place that marks tell from others.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Grain {
    /// Four bytes.
    Dword,
    /// One byte.
    Byte,
}

/// A bit for each of a number of things. Nothing is allocated for those that are never touched.
#[derive(Debug)]
struct Bits(Segment);

impl Bits {
    fn new(count: usize) -> Option<Bits> {
        Segment::zeroed(count.div_ceil(64) * 8).map(Bits)
    }

    #[inline]
    fn word(&self, word: usize) -> &AtomicU64 {
        self.0.qword(8 * word)
    }

    #[inline]
    fn get(&self, word: usize) -> u64 {
        self.word(word).load(Relaxed)
    }

    /// Sets bits of a word. One thread does so at a time.
    #[inline]
    fn set(&self, word: usize, bits: u64) {
        let word = self.word(word);
        word.store(word.load(Relaxed) | bits, Relaxed);
    }

    fn words(&self) -> usize {
        self.0.len() / 8
    }
}

/// The places that were accessed, by kind of access, and a bit for each word of these that is not 0.
#[derive(Debug)]
struct Places {
    loaded: Bits,
    stored: Bits,
    exchanged: Bits,
    touched: Bits,
}

impl Places {
    fn new(count: usize) -> Option<Places> {
        let bits = || Bits::new(count);
        Some(Places { loaded: bits()?, stored: bits()?, exchanged: bits()?, touched: Bits::new(count.div_ceil(64))? })
    }

    fn word(&self, word: usize) -> [u64; 3] {
        [self.loaded.get(word), self.stored.get(word), self.exchanged.get(word)]
    }

    fn add(&self, word: usize, [loaded, stored, exchanged]: [u64; 3]) {
        self.loaded.set(word, loaded);
        self.stored.set(word, stored);
        self.exchanged.set(word, exchanged);
        self.touched.set(word / 64, 1 << (word % 64));
    }

    fn clear(&self, word: usize) {
        for bits in [&self.loaded, &self.stored, &self.exchanged] {
            bits.word(word).store(0, Relaxed);
        }
    }

    /// The words that are not 0 of those whose bits are in a range of words of `touched`.
    fn touched(&self, range: std::ops::Range<usize>) -> impl Iterator<Item = usize> {
        range.flat_map(|at| {
            let mut bits = self.touched.get(at);
            std::iter::from_fn(move || {
                let bit = bits.trailing_zeros() as usize;
                bits &= bits.wrapping_sub(1);
                (bit < 64).then_some(64 * at + bit)
            })
        })
    }
}

/// Do accesses to 64 places meet?
fn meet([a_loaded, a_stored, a_exchanged]: [u64; 3], [b_loaded, b_stored, b_exchanged]: [u64; 3]) -> bool {
    let stored = a_stored & (b_loaded | b_stored | b_exchanged) | b_stored & (a_loaded | a_exchanged);
    stored | a_loaded & b_exchanged | a_exchanged & b_loaded != 0
}

/// What the groups of one thread access of a mapping.
#[derive(Debug)]
pub struct Marks {
    /// Binary logarithm of the bytes of a place.
    shift: u32,
    /// The group that runs.
    group: Places,
    /// The groups before it.
    before: Places,
    /// The first and the last word of `group.touched` that are not 0, if there are any.
    first: AtomicUsize,
    last: AtomicUsize,
    /// Loads are marked. If not, they are only [noticed](Marks::has_unmarked_loads).
    marks_loads: AtomicBool,
    has_unmarked_loads: AtomicBool,
    has_writes: AtomicBool,
}

impl Marks {
    /// No marks yet, of a mapping of so many bytes; `None` if the host has no room.
    pub fn new(bytes: u64, grain: Grain) -> Option<Marks> {
        let shift = if grain == Grain::Dword { 2 } else { 0 };
        let count = usize::try_from(bytes.div_ceil(1 << shift)).ok()?;
        Some(Marks {
            shift,
            group: Places::new(count)?,
            before: Places::new(count)?,
            first: AtomicUsize::new(usize::MAX),
            last: AtomicUsize::new(0),
            marks_loads: AtomicBool::new(true),
            has_unmarked_loads: AtomicBool::new(false),
            has_writes: AtomicBool::new(false),
        })
    }

    /// Must an access be marked? One that need not is noticed here.
    #[inline(always)]
    pub fn wants(&self, access: Access) -> bool {
        let wants = access != Access::Load || self.marks_loads.load(Relaxed);
        if !wants {
            self.has_unmarked_loads.store(true, Relaxed);
        }
        wants
    }

    /// Marks bytes of the mapping, at least one.
    #[inline]
    pub fn mark(&self, access: Access, at: u64, bytes: u64) {
        if self.wants(access) {
            let (first, last) = ((at >> self.shift) as usize, ((at + bytes - 1) >> self.shift) as usize);
            for word in first / 64..=last / 64 {
                let from = if word == first / 64 { !0 << (first % 64) } else { !0 };
                let to = if word == last / 64 { !0 >> (63 - last % 64) } else { !0 };
                self.set(access, word, from & to);
            }
        }
    }

    /// Marks elements of `step` bytes, one for each lane of a mask, which is not empty, one behind the other. That of
    /// the lowest lane begins at a byte of the mapping.
    pub fn mark_row(&self, access: Access, at: u64, step: u32, mask: u64) {
        let lowest = mask.trailing_zeros();
        if (self.shift, step, at % 4) == (2, 4, 0) {
            let place = (at / 4) as usize;
            let bits = u128::from(mask >> lowest) << (place % 64);
            self.set(access, place / 64, bits as u64);
            if bits >> 64 != 0 {
                self.set(access, place / 64 + 1, (bits >> 64) as u64);
            }
            return;
        }
        // Runs of neighbouring lanes.
        let (mut rest, mut at) = (mask >> lowest, at);
        while rest != 0 {
            let gap = rest.trailing_zeros();
            let run = (rest >> gap).trailing_ones();
            at += u64::from(gap) * u64::from(step);
            let bytes = u64::from(run) * u64::from(step);
            self.mark(access, at, bytes);
            at += bytes;
            rest = rest.checked_shr(gap + run).unwrap_or(0);
        }
    }

    #[inline]
    fn set(&self, access: Access, word: usize, bits: u64) {
        match access {
            Access::Load => self.group.loaded.set(word, bits),
            Access::Store => self.group.stored.set(word, bits),
            Access::Atomic => self.group.exchanged.set(word, bits),
        }
        let summary = word / 64;
        self.group.touched.set(summary, 1 << (word % 64));
        if summary < self.first.load(Relaxed) {
            self.first.store(summary, Relaxed);
        }
        if summary > self.last.load(Relaxed) {
            self.last.store(summary, Relaxed);
        }
    }

    /// The group has ended, and another one may begin. Returns whether it met one before it.
    pub fn end_group(&self) -> bool {
        let range = self.first.swap(usize::MAX, Relaxed)..self.last.swap(0, Relaxed) + 1;
        let mut meets = false;
        for word in self.group.touched(range.clone()) {
            let places = self.group.word(word);
            meets |= meet(places, self.before.word(word));
            self.before.add(word, places);
            self.group.clear(word);
            if places[1] | places[2] != 0 {
                self.has_writes.store(true, Relaxed);
            }
        }
        range.for_each(|at| self.group.touched.word(at).store(0, Relaxed));
        meets
    }

    /// From now on loads are only noticed, unless groups have written here. Most mappings are read or written.
    pub fn expect_as_before(&self) {
        self.marks_loads.store(self.has_writes.load(Relaxed), Relaxed);
    }

    /// Adds the groups of another thread. Returns whether groups of both meet, or nobody knows.
    pub fn join(&self, other: &Marks) -> bool {
        let mut meets = false;
        for word in other.before.touched(0..other.before.touched.words()) {
            let places = other.before.word(word);
            meets |= meet(places, self.before.word(word));
            self.before.add(word, places);
        }
        for (all, one) in [(&self.has_writes, &other.has_writes), (&self.has_unmarked_loads, &other.has_unmarked_loads)]
        {
            all.store(all.load(Relaxed) || one.load(Relaxed), Relaxed);
        }
        meets
    }

    /// Were there loads that are not marked, and writes? Then groups may have met.
    pub fn is_unknown(&self) -> bool {
        self.has_unmarked_loads.load(Relaxed) && self.has_writes.load(Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use Access::{Atomic, Load, Store};

    use super::*;

    /// Accesses of groups, one after the other: do some meet?
    fn meets(grain: Grain, groups: &[&[(Access, u64, u64)]]) -> bool {
        let marks = Marks::new(100_000, grain).unwrap();
        let all = groups.iter().map(|group| {
            group.iter().for_each(|&(access, at, bytes)| marks.mark(access, at, bytes));
            marks.end_group()
        });
        let on_one_thread = all.fold(false, |any, one| any | one);
        let threads: Vec<Marks> = groups.iter().map(|_| Marks::new(100_000, grain).unwrap()).collect();
        for (group, marks) in groups.iter().zip(&threads) {
            group.iter().for_each(|&(access, at, bytes)| marks.mark(access, at, bytes));
            assert!(!marks.end_group());
        }
        let on_threads = threads[1..].iter().fold(false, |any, one| any | threads[0].join(one));
        assert_eq!(on_one_thread, on_threads, "{groups:?}");
        on_one_thread
    }

    #[test]
    fn groups_meet_where_one_writes() {
        for grain in [Grain::Dword, Grain::Byte] {
            for (a, b, expected) in [
                (Load, Load, false),
                (Load, Store, true),
                (Load, Atomic, true),
                (Store, Store, true),
                (Store, Atomic, true),
                (Atomic, Atomic, false),
            ] {
                for at in [0, 252, 4096, 99_996] {
                    for (a, b) in [(a, b), (b, a)] {
                        assert_eq!(meets(grain, &[&[(a, at, 4)], &[(b, at, 4)]]), expected, "{a:?} {b:?} {at}");
                        assert!(!meets(grain, &[&[(a, 40, 4), (b, 40, 4)], &[(a, 44, 4)]]), "of one group");
                        assert!(!meets(grain, &[&[(a, 0, 1000)], &[(b, 1000, 1000)]]));
                        assert_eq!(meets(grain, &[&[(a, 0, 1000)], &[(b, 2000, 8)], &[(b, 996, 8)]]), expected);
                    }
                }
            }
        }
        let bytes: &[&[_]] = &[&[(Store, 8, 1)], &[(Store, 9, 3)]];
        assert!(meets(Grain::Dword, bytes) && !meets(Grain::Byte, bytes));
    }

    #[test]
    fn rows_are_marked_lane_by_lane() {
        for grain in [Grain::Dword, Grain::Byte] {
            for (step, at, mask) in
                [(4, 0, !0), (4, 252, !0), (4, 8, 0xf0f0), (1, 3, !0), (8, 16, 1 << 63 | 1), (16, 4, 0b101), (2, 6, 6)]
            {
                let (row, lanes) = (Marks::new(4096, grain).unwrap(), Marks::new(4096, grain).unwrap());
                row.mark_row(Store, at, step, mask);
                for lane in (0..64).filter(|lane| mask >> lane & 1 == 1) {
                    lanes.mark(Store, at + u64::from(step) * (lane - u64::from(mask.trailing_zeros())), step.into());
                }
                for word in 0..row.group.stored.words() {
                    assert_eq!(row.group.word(word), lanes.group.word(word), "{grain:?} {step} {at} {mask:x}");
                }
            }
        }
    }

    #[test]
    fn loads_of_what_nobody_writes_are_only_noticed() {
        let marks = Marks::new(64, Grain::Dword).unwrap();
        marks.mark(Load, 0, 4);
        assert!(!marks.end_group() && !marks.is_unknown());
        marks.expect_as_before();
        assert!(!marks.wants(Load) && marks.wants(Store));
        marks.mark(Load, 4, 4);
        assert!(!marks.end_group() && !marks.is_unknown());
        marks.mark(Store, 8, 4);
        assert!(!marks.end_group() && marks.is_unknown());
        let written = Marks::new(64, Grain::Dword).unwrap();
        written.mark(Store, 0, 4);
        written.end_group();
        written.expect_as_before();
        assert!(written.wants(Load));
    }
}
