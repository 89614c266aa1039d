//! Sets of the places of a mapping, one for each kind of access.

use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize};
use std::{array, ops::Range};

use crate::{Access, Backing};

/// Number of kinds of accesses.
const KINDS: usize = 3;

/// Index of the set of a kind of access.
#[inline(always)]
const fn index(access: Access) -> usize {
    match access {
        Access::Load => 0,
        Access::Store => 1,
        Access::Atomic => 2,
    }
}

/// Whether accesses to 64 places by two groups meet. There is a word for each kind of access.
fn meet([a_loaded, a_stored, a_exchanged]: [u64; KINDS], [b_loaded, b_stored, b_exchanged]: [u64; KINDS]) -> bool {
    let stored = a_stored & (b_loaded | b_stored | b_exchanged) | b_stored & (a_loaded | a_exchanged);
    stored | a_loaded & b_exchanged | a_exchanged & b_loaded != 0
}

/// Whether accesses of two kinds, by two groups to one place, conflict: unless both are loads, or both atomics.
const CONFLICTS: [[bool; KINDS]; KINDS] = [[false, true, true], [true, true, true], [true, true, false]];

/// Bit masks of the places in a range that is not empty, by word.
#[inline]
fn masks(range: &Range<usize>) -> impl Iterator<Item = (usize, u64)> + use<> {
    let (first, last) = (range.start, range.end - 1);
    (first / 64..=last / 64).map(move |word| {
        let from = if word == first / 64 { !0 << (first % 64) } else { !0 };
        let to = if word == last / 64 { !0 >> (63 - last % 64) } else { !0 };
        (word, from & to)
    })
}

/// Number of words in a page of the host.
const PAGE_WORDS: usize = 4096 / 8;

/// A set of numbers, one bit each. Pages of bits that are never set cost no memory, and none is read before a bit in it
/// is set: the host would map a page of zeros then, and the first write would interrupt all threads.
#[derive(Debug)]
struct Bits {
    /// Memory of all sets of a mapping.
    memory: Arc<Backing>,
    /// Where the set begins in it, and its size, in words.
    start: usize,
    words: usize,
    /// Number of words between the page of the first word and that word.
    behind: usize,
    /// A bit for each page in which a bit was set.
    pages: Box<[AtomicU64]>,
}

impl Bits {
    fn new(memory: &Arc<Backing>, start: usize, words: usize) -> Bits {
        let behind = (memory.as_ptr().addr() / 8 + start) % PAGE_WORDS;
        let pages = (behind + words).div_ceil(PAGE_WORDS).div_ceil(64);
        let pages = (0..pages).map(|_| AtomicU64::new(0)).collect();
        Bits { memory: memory.clone(), start, words, behind, pages }
    }

    #[inline]
    fn qword(&self, word: usize) -> &AtomicU64 {
        assert!(word < self.words, "word {word} of {} in a set", self.words);
        self.memory.qword(8 * (self.start + word))
    }

    /// The bits of pages among which that of a word is, and that one.
    #[inline]
    fn page(&self, word: usize) -> (&AtomicU64, u64) {
        let page = (self.behind + word) / PAGE_WORDS;
        (&self.pages[page / 64], 1 << (page % 64))
    }

    #[inline]
    fn get(&self, word: usize) -> u64 {
        let (pages, page) = self.page(word);
        if pages.load(Relaxed) & page == 0 { 0 } else { self.qword(word).load(Relaxed) }
    }

    /// Sets `bits` in a word. Only one thread may do so at a time. Does not touch the word if `bits` is 0.
    #[inline]
    fn set(&self, word: usize, bits: u64) {
        if bits == 0 {
            return;
        }
        let (pages, page) = self.page(word);
        let known = pages.load(Relaxed);
        let word = self.qword(word);
        if known & page == 0 {
            pages.store(known | page, Relaxed);
            word.store(bits, Relaxed);
        } else {
            word.store(word.load(Relaxed) | bits, Relaxed);
        }
    }

    #[inline]
    fn clear(&self, word: usize) {
        if self.get(word) != 0 {
            self.qword(word).store(0, Relaxed);
        }
    }
}

/// Zeroed memory for `sets` [`Places`] of numbers less than `count`, which is given out part by part.
pub(super) struct BitMemory {
    memory: Arc<Backing>,
    next: usize,
}

impl BitMemory {
    /// `None` if the host has no memory for it.
    pub fn new(count: usize, sets: usize) -> Option<BitMemory> {
        let words = count.div_ceil(64);
        let words = words.checked_mul(KINDS)?.checked_add(words.div_ceil(64))?.checked_mul(sets)?;
        let memory = Arc::new(Backing::zeroed(words.checked_mul(8)?)?);
        Some(BitMemory { memory, next: 0 })
    }

    /// The next set of numbers less than `count`.
    fn take(&mut self, count: usize) -> Bits {
        let words = count.div_ceil(64);
        let bits = Bits::new(&self.memory, self.next, words);
        self.next += words;
        bits
    }
}

/// A few ranges of places that do not overlap, ascending. Most groups access rows in the same order, so the range that
/// comes next is expected to be the one that was accessed last, or the one behind it.
#[derive(Debug)]
struct Ranges {
    /// Each has its first place in the high half and the place behind its last one in the low half.
    list: Box<[AtomicU64; MOST_RANGES]>,
    count: AtomicUsize,
    /// Index of the range that was accessed last.
    recent: AtomicUsize,
}

/// Limit for the number of ranges in a list.
const MOST_RANGES: usize = 256;

const fn packed(range: &Range<usize>) -> u64 {
    (range.start as u64) << 32 | range.end as u64
}

const fn unpacked(word: u64) -> Range<usize> {
    (word >> 32) as usize..word as u32 as usize
}

impl Ranges {
    fn new() -> Ranges {
        let list = Box::new([const { AtomicU64::new(0) }; MOST_RANGES]);
        Ranges { list, count: AtomicUsize::new(0), recent: AtomicUsize::new(0) }
    }

    fn count(&self) -> usize {
        self.count.load(Relaxed).min(MOST_RANGES)
    }

    #[inline(always)]
    fn get(&self, index: usize) -> Range<usize> {
        unpacked(self.list[index % MOST_RANGES].load(Relaxed))
    }

    fn put(&self, index: usize, range: &Range<usize>) {
        self.list[index % MOST_RANGES].store(packed(range), Relaxed);
    }

    /// The place behind the last range; 0 if there is none.
    fn end(&self) -> usize {
        self.count().checked_sub(1).map_or(0, |last| self.get(last).end)
    }

    fn all(&self) -> impl Iterator<Item = Range<usize>> {
        (0..self.count()).map(|index| self.get(index))
    }

    fn clear(&self) {
        self.count.store(0, Relaxed);
        self.recent.store(0, Relaxed);
    }

    /// Adds a range to the recent one, or to the one behind that, if it begins in it or touches its end. Returns
    /// whether it did.
    #[inline(always)]
    fn grow(&self, range: &Range<usize>) -> bool {
        let recent = self.recent.load(Relaxed);
        let count = self.count.load(Relaxed);
        if self.grow_at(recent, count, range) {
            return true;
        }
        let next = if recent + 1 < count { recent + 1 } else { 0 };
        let grows = self.grow_at(next, count, range);
        if grows {
            self.recent.store(next, Relaxed);
        }
        grows
    }

    #[inline(always)]
    fn grow_at(&self, index: usize, count: usize, range: &Range<usize>) -> bool {
        let known = self.get(index);
        if index >= count || range.start < known.start || range.start > known.end {
            return false;
        }
        if range.end <= known.end {
            return true;
        }
        let is_free = index + 1 == count || self.get(index + 1).start > range.end;
        if is_free {
            self.put(index, &(known.start..range.end));
        }
        is_free
    }

    /// The index of the first range that ends behind `place`.
    fn behind(&self, place: usize) -> usize {
        let (mut from, mut to) = (0, self.count());
        while from < to {
            let middle = (from + to) / 2;
            if self.get(middle).end > place { to = middle } else { from = middle + 1 }
        }
        from
    }

    fn has_any(&self, range: &Range<usize>) -> bool {
        let index = self.behind(range.start);
        index < self.count() && self.get(index).start < range.end
    }

    /// Adds a range that is not empty. Returns false, and adds nothing, if there is no room.
    fn add(&self, range: &Range<usize>) -> bool {
        let count = self.count();
        if count < MOST_RANGES && range.start > self.end() {
            // Most groups go on behind what they have accessed.
            self.put(count, range);
            self.count.store(count + 1, Relaxed);
            self.recent.store(count, Relaxed);
            return true;
        }
        // The ranges from `from` on and before `to` touch it.
        let from = self.behind(range.start.saturating_sub(1));
        let to = (from..count).find(|&index| self.get(index).start > range.end).unwrap_or(count);
        let union = match to > from {
            true => self.get(from).start.min(range.start)..self.get(to - 1).end.max(range.end),
            false if count == MOST_RANGES => return false,
            false => range.clone(),
        };
        if to == from {
            (from..count).rev().for_each(|index| self.put(index + 1, &self.get(index)));
        } else if to > from + 1 {
            (to..count).for_each(|index| self.put(index + from + 1 - to, &self.get(index)));
        }
        self.put(from, &union);
        self.count.store(count + from + 1 - to, Relaxed);
        self.recent.store(from, Relaxed);
        true
    }
}

/// The places of one kind of access: those in a list of ranges, and those in a set of bits. When the list is full, it
/// is written as bits, and from then on all places are.
#[derive(Debug)]
struct Set {
    ranges: Ranges,
    bits: Bits,
    /// Whether all places are bits.
    is_spilled: AtomicBool,
    /// Whether there were elements since the set was made.
    is_used: AtomicBool,
}

impl Set {
    fn new(count: usize, memory: &mut BitMemory) -> Set {
        let mut set = Set {
            ranges: Ranges::new(),
            bits: memory.take(count),
            is_spilled: AtomicBool::new(false),
            is_used: AtomicBool::new(false),
        };
        set.reset();
        set
    }

    /// Makes the set, which has no places, a new one. Places whose numbers are too large for ranges are bits.
    fn reset(&mut self) {
        *self.is_spilled.get_mut() = u32::try_from(64 * self.bits.words).is_err();
        *self.is_used.get_mut() = false;
    }

    fn is_spilled(&self) -> bool {
        self.is_spilled.load(Relaxed)
    }

    fn is_used(&self) -> bool {
        self.is_used.load(Relaxed)
    }

    /// Makes `range` the only range of a set without places, if the set has been used before. Returns whether it did.
    #[inline(never)]
    fn begin(&self, range: &Range<usize>) -> bool {
        let begins = self.ranges.count.load(Relaxed) == 0 && self.is_used() && !self.is_spilled();
        if begins {
            self.ranges.put(0, range);
            self.ranges.count.store(1, Relaxed);
            self.ranges.recent.store(0, Relaxed);
        }
        begins
    }

    fn word(&self, word: usize) -> u64 {
        if self.is_spilled() { self.bits.get(word) } else { 0 }
    }

    /// Whether a place of the ranges, of which there is one at least, is in the set.
    fn has_any_of(&self, ranges: &Ranges) -> bool {
        // Groups that follow each other mostly access places that follow each other.
        if !self.is_spilled() && self.ranges.end() <= ranges.get(0).start {
            return false;
        }
        ranges.all().any(|range| self.has_any(&range))
    }

    /// Whether a place of the range, which is not empty, is in the set.
    fn has_any(&self, range: &Range<usize>) -> bool {
        if self.is_spilled() {
            masks(range).any(|(word, mask)| self.bits.get(word) & mask != 0)
        } else {
            self.ranges.has_any(range)
        }
    }
}

/// The places that were accessed, by kind of access.
#[derive(Debug)]
pub(super) struct Places {
    sets: [Set; KINDS],
    /// A bit for each word of the sets in which a bit is set.
    touched: Bits,
    /// The first and the last word of `touched` that are not 0. If there are none, `first` is `usize::MAX`.
    first: AtomicUsize,
    last: AtomicUsize,
}

impl Places {
    /// Empty sets of places, whose numbers are less than `count`, in the next part of `memory`.
    pub fn new(count: usize, memory: &mut BitMemory) -> Places {
        Places {
            sets: array::from_fn(|_| Set::new(count, memory)),
            touched: memory.take(count.div_ceil(64)),
            first: AtomicUsize::new(usize::MAX),
            last: AtomicUsize::new(0),
        }
    }

    /// Adds the places of a range that is not empty.
    #[inline]
    pub fn add(&self, access: Access, range: Range<usize>) {
        if !self.grow(access, range.clone()) {
            self.add_to(&self.sets[index(access)], &range);
        }
    }

    /// Adds the places of a range that is not empty, if it is near the one that was added last, or the first one in a
    /// set that has been used before. Returns whether it did.
    #[inline(always)]
    pub fn grow(&self, access: Access, range: Range<usize>) -> bool {
        let set = &self.sets[index(access)];
        set.ranges.grow(&range) || set.begin(&range)
    }

    #[cold]
    #[inline(never)]
    fn add_to(&self, set: &Set, range: &Range<usize>) {
        set.is_used.store(true, Relaxed);
        if set.is_spilled() || !set.ranges.add(range) {
            self.spill(set);
            self.write(set, range);
        }
    }

    /// Adds the places of a word whose bits are set.
    pub fn add_bits(&self, access: Access, word: usize, bits: u64) {
        if bits == 0 {
            return;
        }
        let set = &self.sets[index(access)];
        set.is_used.store(true, Relaxed);
        self.spill(set);
        self.set_word(set, word, bits);
    }

    /// Adds many small ranges of places, which are not empty, as bits. Those that lie near the one before them cost
    /// little.
    #[inline]
    pub fn add_scattered(&self, access: Access, ranges: impl Iterator<Item = Range<usize>>) {
        let set = &self.sets[index(access)];
        set.is_used.store(true, Relaxed);
        self.spill(set);
        // Bits of a word and the next one that are not written yet.
        let (mut word, mut bits) = (0, 0u128);
        for range in ranges {
            let (at, len) = (range.start / 64, range.end - range.start);
            if len > 64 {
                self.write(set, &range);
                continue;
            }
            if at != word {
                self.set_word(set, word, bits as u64);
                bits >>= 64;
                if at != word + 1 {
                    self.set_word(set, word + 1, bits as u64);
                    bits = 0;
                }
                word = at;
            }
            bits |= u128::from(u64::MAX >> (64 - len)) << (range.start % 64);
        }
        self.set_word(set, word, bits as u64);
        self.set_word(set, word + 1, (bits >> 64) as u64);
    }

    /// Sets `bits` in a word of a set whose places are bits.
    #[inline]
    fn set_word(&self, set: &Set, word: usize, bits: u64) {
        if bits != 0 {
            set.bits.set(word, bits);
            self.touch(word..word + 1);
        }
    }

    /// Writes the ranges of a set as bits, and lets all further places be bits.
    fn spill(&self, set: &Set) {
        if !set.is_spilled() {
            set.is_spilled.store(true, Relaxed);
            set.ranges.all().for_each(|range| self.write(set, &range));
            set.ranges.clear();
        }
    }

    fn write(&self, set: &Set, range: &Range<usize>) {
        masks(range).for_each(|(word, mask)| set.bits.set(word, mask));
        self.touch(range.start / 64..(range.end - 1) / 64 + 1);
    }

    /// Notes that bits are set in a range of words that is not empty.
    fn touch(&self, words: Range<usize>) {
        masks(&words).for_each(|(word, mask)| self.touched.set(word, mask));
        let (first, last) = (words.start / 64, (words.end - 1) / 64);
        if first < self.first.load(Relaxed) {
            self.first.store(first, Relaxed);
        }
        if last > self.last.load(Relaxed) {
            self.last.store(last, Relaxed);
        }
    }

    fn word(&self, word: usize) -> [u64; KINDS] {
        array::from_fn(|kind| self.sets[kind].word(word))
    }

    fn add_word(&self, word: usize, places: [u64; KINDS]) {
        for (set, bits) in self.sets.iter().zip(places).filter(|(_, bits)| *bits != 0) {
            set.is_used.store(true, Relaxed);
            set.bits.set(word, bits);
        }
        self.touch(word..word + 1);
    }

    /// Calls `each` for each word in which a bit is set.
    fn each_word(&self, mut each: impl FnMut(usize)) {
        let (first, last) = (self.first.load(Relaxed), self.last.load(Relaxed));
        if first == usize::MAX {
            return;
        }
        for at in first..=last {
            let mut bits = self.touched.get(at);
            while bits != 0 {
                each(64 * at + bits.trailing_zeros() as usize);
                bits &= bits - 1;
            }
        }
    }

    /// Adds the places of other groups. Returns whether they meet groups that are here.
    pub fn join(&self, other: &Places) -> bool {
        if other.sets.iter().any(Set::is_spilled) {
            return self.join_bits(other);
        }
        let mut meets = false;
        for (set, conflicts) in other.sets.iter().zip(&CONFLICTS).filter(|(set, _)| set.ranges.count() != 0) {
            for (own, &conflicts) in self.sets.iter().zip(conflicts) {
                meets |= conflicts && own.is_used() && own.has_any_of(&set.ranges);
            }
        }
        for (own, set) in self.sets.iter().zip(&other.sets) {
            for range in set.ranges.all() {
                if !own.ranges.grow(&range) {
                    self.add_to(own, &range);
                }
            }
        }
        meets
    }

    /// Does what [`Places::join`] does, with all places as bits.
    fn join_bits(&self, other: &Places) -> bool {
        let mut meets = false;
        other.sets.iter().filter(|set| set.is_used()).for_each(|set| other.spill(set));
        self.sets.iter().for_each(|set| self.spill(set));
        other.each_word(|word| {
            let places = other.word(word);
            meets |= meet(places, self.word(word));
            self.add_word(word, places);
        });
        meets
    }

    /// Whether places of a range were stored or exchanged.
    pub fn have_written(&self, range: &Range<usize>) -> bool {
        let written = || [Access::Store, Access::Atomic].map(|access| &self.sets[index(access)]).into_iter();
        let mut found = written().any(|set| set.is_used() && !set.is_spilled() && set.has_any(range));
        if written().any(|set| set.is_used() && set.is_spilled()) {
            // Few words are touched, and the range may be long.
            self.each_word(|word| {
                let (first, behind) = (range.start.max(64 * word), range.end.min(64 * word + 64));
                let places = || first..behind;
                found |= first < behind && written().any(|set| set.is_spilled() && set.has_any(&places()));
            });
        }
        found
    }

    /// Removes all places.
    pub fn clear(&self) {
        self.sets.iter().for_each(|set| set.ranges.clear());
        if self.first.load(Relaxed) == usize::MAX {
            return;
        }
        self.each_word(|word| self.sets.iter().filter(|set| set.is_spilled()).for_each(|set| set.bits.clear(word)));
        let (first, last) = (self.first.swap(usize::MAX, Relaxed), self.last.swap(0, Relaxed));
        (first..=last).for_each(|at| self.touched.clear(at));
    }

    /// Removes all places: the sets are as new ones.
    pub fn reset(&mut self) {
        self.clear();
        self.sets.iter_mut().for_each(Set::reset);
    }

    /// The places that were accessed in one of these ways, as ranges that do not touch each other, ascending. All places
    /// are bits afterwards.
    pub fn ranges(&self, kinds: &[Access]) -> Vec<Range<usize>> {
        self.sets.iter().filter(|set| set.is_used()).for_each(|set| self.spill(set));
        let mut found: Vec<Range<usize>> = Vec::new();
        self.each_word(|word| {
            let mut bits = kinds.iter().fold(0, |bits, &access| bits | self.sets[index(access)].word(word));
            while bits != 0 {
                let first = bits.trailing_zeros();
                let count = (bits >> first).trailing_ones();
                let start = 64 * word + first as usize;
                let end = start + count as usize;
                match found.last_mut() {
                    Some(last) if last.end == start => last.end = end,
                    _ => found.push(start..end),
                }
                bits &= u64::MAX.checked_shl(first + count).unwrap_or(0);
            }
        });
        found
    }

    /// Whether places were written as bits.
    #[cfg(test)]
    pub fn is_spilled(&self) -> bool {
        self.sets.iter().any(Set::is_spilled)
    }

    /// The numbers of all places of a kind of access.
    #[cfg(test)]
    pub fn all(&self, access: Access) -> Vec<usize> {
        let set = &self.sets[index(access)];
        self.spill(set);
        (0..64 * set.bits.words).filter(|place| set.bits.get(place / 64) >> (place % 64) & 1 == 1).collect()
    }
}
