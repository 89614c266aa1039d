//! Records which places of a mapping the groups of a dispatch access, to find out whether groups conflict.
//!
//! A thread marks what its group loads, stores and exchanges (by atomics). After each group it compares the marks with
//! those of its earlier groups. In the end the marks of all threads are compared. Two groups meet (conflict) where one
//! writes a place that the other accesses. Two atomics do not meet, because only atomics whose order does not matter
//! run on several threads. If no groups meet, each has read what memory held before the dispatch or what it wrote
//! itself. Then the result is that of running the groups one after the other, whatever the timing of the threads was.
//!
//! A place is a dword or a byte. Groups that share no dword share no byte.

use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, AtomicUsize};
use std::sync::{Mutex, PoisonError};

use crate::{Access, Backing};

/// Size of a place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Grain {
    /// Four bytes.
    Dword,
    /// One byte.
    Byte,
}

/// A set of numbers, one bit each. Pages of bits that are never set cost no memory.
#[derive(Debug)]
struct Bits(Backing);

impl Bits {
    fn new(count: usize) -> Option<Bits> {
        Backing::zeroed(count.div_ceil(64) * 8).map(Bits)
    }

    #[inline]
    fn word(&self, word: usize) -> &AtomicU64 {
        self.0.qword(8 * word)
    }

    #[inline]
    fn get(&self, word: usize) -> u64 {
        self.word(word).load(Relaxed)
    }

    /// Sets `bits` in a word. Only one thread may do so at a time. Does not touch the word if `bits` is 0.
    #[inline]
    fn set(&self, word: usize, bits: u64) {
        if bits != 0 {
            let word = self.word(word);
            word.store(word.load(Relaxed) | bits, Relaxed);
        }
    }

    #[inline]
    fn clear(&self, word: usize) {
        let word = self.word(word);
        if word.load(Relaxed) != 0 {
            word.store(0, Relaxed);
        }
    }

    fn words(&self) -> usize {
        self.0.len() / 8
    }
}

/// The places that were accessed, by kind of access. `touched` has a bit for each word of the others that is not 0.
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
        self.loaded.clear(word);
        self.stored.clear(word);
        self.exchanged.clear(word);
    }

    /// Calls `word` for each word that is not 0, among those whose bits are in the words `range` of `touched`.
    #[inline]
    fn each(&self, range: std::ops::Range<usize>, mut word: impl FnMut(usize)) {
        for at in range {
            let mut bits = self.touched.get(at);
            while bits != 0 {
                word(64 * at + bits.trailing_zeros() as usize);
                bits &= bits - 1;
            }
        }
    }
}

/// A load that is kept in a list, to be marked only if needed.
#[derive(Debug)]
enum Kept {
    /// Offset of the first byte in the mapping, and number of bytes.
    Bytes(u64, u64),
    /// See [`Marks::mark_row`].
    Row(u64, u32, u64),
    /// See [`Marks::mark_lanes`].
    Lanes(u64, u32, Box<[u32; 64]>, u64),
}

/// Limit for the number of kept loads.
const MOST_KEPT: usize = 1024;

/// States of [`Marks::loads`], which say what happens to loads. Most mappings are only read or only written, and loads
/// of mappings that are only read need no marks. So a thread keeps the loads of its first group, and marks them only if
/// the group writes to the mapping, too.
mod loads {
    /// Loads are kept.
    pub const KEPT: u8 = 0;
    /// Loads are marked.
    pub const MARKED: u8 = 1;
    /// Only the fact that there are loads is recorded.
    pub const NOTICED: u8 = 2;
}

/// Whether accesses to 64 places by two groups meet.
fn meet([a_loaded, a_stored, a_exchanged]: [u64; 3], [b_loaded, b_stored, b_exchanged]: [u64; 3]) -> bool {
    let stored = a_stored & (b_loaded | b_stored | b_exchanged) | b_stored & (a_loaded | a_exchanged);
    stored | a_loaded & b_exchanged | a_exchanged & b_loaded != 0
}

/// Whether the elements of `step` bytes of the lanes in `mask` adjoin in the order of lanes.
fn is_row(distances: &[u32; 64], step: u32, mask: u64) -> bool {
    if mask == !0 {
        let mut different = 0;
        for lane in 1..64 {
            different |= distances[lane].wrapping_sub(distances[lane - 1]) ^ step;
        }
        // Distances do not wrap.
        return different == 0 && distances[63] >= distances[0];
    }
    let lowest = mask.trailing_zeros() as usize % 64;
    let first = distances[lowest].wrapping_sub(step.wrapping_mul(lowest as u32));
    let mut different = 0;
    for (lane, distance) in distances.iter().enumerate() {
        let is_active = (mask >> lane & 1) as u32;
        different |= (distance.wrapping_sub(first) ^ step.wrapping_mul(lane as u32)) & is_active.wrapping_neg();
    }
    different == 0 && distances[63 - mask.leading_zeros() as usize % 64] >= distances[lowest]
}

/// What the groups of one thread access in a mapping.
#[derive(Debug)]
pub struct Marks {
    /// Size of the mapping in bytes.
    bytes: u64,
    /// Binary logarithm of the size of a place in bytes.
    shift: u32,
    /// Accesses of the group that runs.
    group: Places,
    /// Accesses of the groups before it.
    before: Places,
    /// The first and the last word of `group.touched` that are not 0. If there are none, `first` is `usize::MAX`.
    first: AtomicUsize,
    last: AtomicUsize,
    /// What happens to loads: one of the values in the module [`loads`].
    loads: AtomicU8,
    kept: Mutex<Vec<Kept>>,
    has_unmarked_loads: AtomicBool,
    has_writes: AtomicBool,
}

impl Marks {
    /// Marks for a mapping of `bytes` bytes, with nothing marked; `None` if the host has no memory for them.
    pub fn new(bytes: u64, grain: Grain) -> Option<Marks> {
        let shift = if grain == Grain::Dword { 2 } else { 0 };
        let count = usize::try_from(bytes.div_ceil(1 << shift)).ok()?;
        Some(Marks {
            bytes,
            shift,
            group: Places::new(count)?,
            before: Places::new(count)?,
            first: AtomicUsize::new(usize::MAX),
            last: AtomicUsize::new(0),
            loads: AtomicU8::new(if grain == Grain::Dword { loads::KEPT } else { loads::MARKED }),
            kept: Mutex::default(),
            has_unmarked_loads: AtomicBool::new(false),
            has_writes: AtomicBool::new(false),
        })
    }

    /// Whether the access must be marked. If not, it is recorded that there was a load.
    #[inline(always)]
    pub fn wants(&self, access: Access) -> bool {
        let wants = access != Access::Load || self.loads.load(Relaxed) != loads::NOTICED;
        if !wants {
            self.has_unmarked_loads.store(true, Relaxed);
        }
        wants
    }

    /// Marks `bytes` bytes (at least one) from byte `at` of the mapping on.
    #[inline]
    pub fn mark(&self, access: Access, at: u64, bytes: u64) {
        if self.wants(access) && !self.keeps(access, || Kept::Bytes(at, bytes)) {
            self.mark_bytes(access, at, bytes);
        }
    }

    #[inline]
    fn mark_bytes(&self, access: Access, at: u64, bytes: u64) {
        let (first, last) = ((at >> self.shift) as usize, ((at + bytes - 1) >> self.shift) as usize);
        for word in first / 64..=last / 64 {
            let from = if word == first / 64 { !0 << (first % 64) } else { !0 };
            let to = if word == last / 64 { !0 >> (63 - last % 64) } else { !0 };
            self.set(access, word, from & to);
        }
    }

    /// Marks adjoining elements of `step` bytes, one for each lane in `mask`, which is not 0. Lanes that are not in the
    /// mask leave gaps of that size. The element of the lowest lane in `mask` begins at byte `at` of the mapping.
    pub fn mark_row(&self, access: Access, at: u64, step: u32, mask: u64) {
        if self.wants(access) && !self.keeps(access, || Kept::Row(at, step, mask)) {
            self.mark_elements(access, at, step, mask);
        }
    }

    fn mark_elements(&self, access: Access, at: u64, step: u32, mask: u64) {
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
        // Each turn marks a run of adjoining lanes.
        let (mut rest, mut at) = (mask >> lowest, at);
        while rest != 0 {
            let gap = rest.trailing_zeros();
            let run = (rest >> gap).trailing_ones();
            at += u64::from(gap) * u64::from(step);
            let bytes = u64::from(run) * u64::from(step);
            self.mark_bytes(access, at, bytes);
            at += bytes;
            rest = rest.checked_shr(gap + run).unwrap_or(0);
        }
    }

    /// Marks elements of `step` bytes at `distances`, one for each lane in `mask`, which is not 0. The element of the
    /// lowest lane in `mask` begins at byte `at` of the mapping. Elements outside of the mapping are left out.
    pub fn mark_lanes(&self, access: Access, at: u64, step: u32, distances: &[u32; 64], mask: u64) {
        let (lowest, highest) = (mask.trailing_zeros() % 64, (63 - mask.leading_zeros()) % 64);
        let reach = u64::from(step) * u64::from(highest - lowest + 1);
        if at + reach <= self.bytes && is_row(distances, step, mask) {
            self.mark_row(access, at, step, mask);
        } else if self.wants(access) && !self.keeps(access, || Kept::Lanes(at, step, Box::new(*distances), mask)) {
            self.mark_places(access, at, step, distances, mask);
        }
    }

    fn mark_places(&self, access: Access, at: u64, step: u32, distances: &[u32; 64], mask: u64) {
        let origin = at.wrapping_sub(distances[mask.trailing_zeros() as usize % 64].into());
        let mut rest = mask;
        while rest != 0 {
            let lane = rest.trailing_zeros() as usize % 64;
            let at = origin.wrapping_add(distances[lane].into());
            if at < self.bytes && self.bytes - at >= step.into() {
                self.mark_bytes(access, at, step.into());
            }
            rest &= rest - 1;
        }
    }

    /// Whether the access is a load that is kept.
    #[inline]
    fn keeps(&self, access: Access, load: impl FnOnce() -> Kept) -> bool {
        access == Access::Load && self.loads.load(Relaxed) == loads::KEPT && self.keep(load())
    }

    #[cold]
    #[inline(never)]
    fn keep(&self, load: Kept) -> bool {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.len() < MOST_KEPT {
            kept.push(load);
            return true;
        }
        drop(kept);
        self.decide();
        !self.wants(Access::Load)
    }

    /// Decides what happens to loads, by what the first group has done so far.
    #[cold]
    #[inline(never)]
    fn decide(&self) {
        let kept = std::mem::take(&mut *self.kept.lock().unwrap_or_else(PoisonError::into_inner));
        let is_written = self.has_writes.load(Relaxed);
        self.loads.store(if is_written { loads::MARKED } else { loads::NOTICED }, Relaxed);
        if !is_written {
            self.has_unmarked_loads.store(!kept.is_empty(), Relaxed);
            return;
        }
        for load in &kept {
            match load {
                Kept::Bytes(at, bytes) => self.mark_bytes(Access::Load, *at, *bytes),
                Kept::Row(at, step, mask) => self.mark_elements(Access::Load, *at, *step, *mask),
                Kept::Lanes(at, step, distances, mask) => {
                    self.mark_places(Access::Load, *at, *step, distances, *mask);
                }
            }
        }
    }

    #[inline]
    fn set(&self, access: Access, word: usize, bits: u64) {
        if access != Access::Load {
            self.has_writes.store(true, Relaxed);
        }
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

    /// Ends a group. Returns whether it meets one before it.
    pub fn end_group(&self) -> bool {
        if self.loads.load(Relaxed) == loads::KEPT {
            self.decide();
        }
        let range = self.first.swap(usize::MAX, Relaxed)..self.last.swap(0, Relaxed) + 1;
        let mut meets = false;
        self.group.each(range.clone(), |word| {
            let places = self.group.word(word);
            meets |= meet(places, self.before.word(word));
            self.before.add(word, places);
            self.group.clear(word);
        });
        range.for_each(|at| self.group.touched.clear(at));
        meets
    }

    /// Adds the groups of another thread. Returns whether groups of the two threads meet.
    pub fn join(&self, other: &Marks) -> bool {
        let mut meets = false;
        other.before.each(0..other.before.touched.words(), |word| {
            let places = other.before.word(word);
            meets |= meet(places, self.before.word(word));
            self.before.add(word, places);
        });
        for (all, one) in [(&self.has_writes, &other.has_writes), (&self.has_unmarked_loads, &other.has_unmarked_loads)]
        {
            all.store(all.load(Relaxed) || one.load(Relaxed), Relaxed);
        }
        meets
    }

    /// Whether there were unmarked loads and also writes. Then groups may have met unnoticed.
    pub fn is_unknown(&self) -> bool {
        self.has_unmarked_loads.load(Relaxed) && self.has_writes.load(Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use Access::{Atomic, Load, Store};

    use super::*;

    /// Whether some of the groups meet that make these accesses one after the other. Each group also writes a place of
    /// its own, so that loads are marked.
    fn meets(grain: Grain, groups: &[&[(Access, u64, u64)]]) -> bool {
        let run = |marks: &Marks, group: usize| {
            groups[group].iter().for_each(|&(access, at, bytes)| marks.mark(access, at, bytes));
            marks.mark(Store, 60_000 + 4 * group as u64, 4);
            marks.end_group()
        };
        let new = || Marks::new(100_000, grain).unwrap();
        let one = new();
        let on_one_thread = (0..groups.len()).fold(false, |any, group| any | run(&one, group));
        let threads: Vec<Marks> = groups.iter().map(|_| new()).collect();
        assert!(!threads.iter().enumerate().any(|(group, marks)| run(marks, group)));
        let on_threads = threads[1..].iter().fold(false, |any, one| any | threads[0].join(one));
        assert_eq!(on_one_thread, on_threads, "{groups:?}");
        assert!(!one.is_unknown() && !threads[0].is_unknown());
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
        assert!(!marks.wants(Load) && marks.wants(Store));
        marks.mark(Load, 4, 4);
        assert!(!marks.end_group() && !marks.is_unknown());
        marks.mark(Store, 8, 4);
        assert!(!marks.end_group() && marks.is_unknown());
        let written = Marks::new(64, Grain::Dword).unwrap();
        written.mark(Store, 0, 4);
        written.end_group();
        assert!(written.wants(Load));
    }

    #[test]
    fn lanes_are_marked_wherever_they_are() {
        let row: [u32; 64] = std::array::from_fn(|lane| 4 * lane as u32);
        let far = row.map(|at| at.wrapping_mul(31).wrapping_add(7) % 4000);
        let wraps: [u32; 64] = std::array::from_fn(|lane| (4 * lane as u32).wrapping_sub(128));
        for (distances, mask, at) in [
            (row, !0, 0),
            (row, 0xf0, 8),
            (row, !0, 3900),
            (far, !0, 7),
            (far, 0xff00, 300),
            (wraps, !0, 100),
            (wraps, 1 << 63 | 1, 9),
        ] {
            let (all, each) = (Marks::new(4096, Grain::Byte).unwrap(), Marks::new(4096, Grain::Byte).unwrap());
            all.mark_lanes(Store, at, 4, &distances, mask);
            let lowest = distances[mask.trailing_zeros() as usize];
            for lane in (0..64).filter(|lane| mask >> lane & 1 == 1) {
                let at = at as i64 + distances[lane] as i64 - lowest as i64;
                if (0..=4092).contains(&at) {
                    each.mark(Store, at as u64, 4);
                }
            }
            for word in 0..all.group.stored.words() {
                assert_eq!(all.group.word(word), each.group.word(word), "{mask:x} {at}");
            }
        }
    }

    /// Kept loads are marked if the group writes, whether before or after them.
    #[test]
    fn loads_before_the_first_store_count() {
        let distances = std::array::from_fn(|lane| 8 * lane as u32);
        for (count, late, is_unknown) in [(1, true, false), (1, false, false), (400, false, false), (400, true, true)] {
            let marks = Marks::new(1 << 20, Grain::Dword).unwrap();
            if !late {
                marks.mark(Store, 0, 4);
            }
            for _ in 0..count {
                marks.mark(Load, 4096, 8);
                marks.mark_row(Load, 8192, 4, 0b11);
                marks.mark_lanes(Load, 16384, 4, &distances, 1 << 2 | 1 << 3);
            }
            marks.mark(Store, 0, 4);
            assert!(!marks.end_group());
            // 1,200 loads are too many to keep. Without a store before them, the result is unknown.
            assert_eq!(marks.is_unknown(), is_unknown, "{count} {late}");
            if is_unknown {
                continue;
            }
            for (at, expected) in
                [(4100, true), (8196, true), (8200, false), (16384, true), (16388, false), (16392, true)]
            {
                marks.mark(Store, at, 4);
                assert_eq!(marks.end_group(), expected, "{at} {count} {late}");
            }
        }
    }
}
