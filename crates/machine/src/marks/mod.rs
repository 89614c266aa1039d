//! Records which places of a mapping the groups of a dispatch access, to find out whether groups conflict.
//!
//! A thread marks what its group loads, stores and exchanges (by atomics). After each group that ended it compares the
//! marks with those of its earlier groups. In the end the marks of all threads are compared. Two groups meet (conflict)
//! where one writes a place that the other accesses. Two atomics do not meet, because only atomics whose order does not
//! matter are marked. If no groups meet, each has read what memory held before the dispatch or what it wrote itself.
//! Then the result is that of running the groups one after the other, whatever the timing of the threads was.
//!
//! Loads of a buffer to which no group stores need no marks: [`Grain::Buffer`] leaves them out, as long as no group
//! stores to it.
//!
//! A place is a dword or a byte. Groups that share no dword share no byte. Groups that share a dword may not meet
//! after all, if not all accesses were to whole dwords.

mod lazy;
mod places;
mod quiet;

use std::ops::Range;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicBool, AtomicU8};
use std::sync::{Mutex, PoisonError};

use crate::Access;
pub use lazy::LazyMarks;
use places::{BitMemory, Places};
use quiet::Buffers;

/// Size of a place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Grain {
    /// Four bytes. Accesses of mappings that are only loaded, or only exchanged, are not marked; nor are loads of
    /// buffers to which the first group does not store. If a later one does, it is not known whether groups meet.
    Buffer,
    /// Four bytes. Accesses of mappings that are only loaded, or only exchanged, are not marked.
    Dword,
    /// One byte. All accesses are marked.
    Byte,
}

/// Whether groups meet.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Meeting {
    /// They do not.
    No,
    /// They may. Marks of bytes tell.
    Maybe,
    /// They do.
    Yes,
}

/// An access that is kept in a list, to be marked only if needed.
#[derive(Debug)]
enum Kept {
    /// Offset of the first byte in the mapping, and number of bytes.
    Bytes(u64, u64),
    /// See [`Marks::mark_row`].
    Row(u64, u32, u64),
    /// See [`Marks::mark_lanes`].
    Lanes(u64, u32, Box<[u32; 64]>, u64, u64),
}

impl Kept {
    /// Bytes of the mapping among which all of the access are.
    fn extent(&self) -> Range<u64> {
        match self {
            Kept::Bytes(at, bytes) => *at..at + bytes,
            Kept::Row(at, step, mask) => {
                let lanes = mask >> (mask.trailing_zeros() % 64);
                *at..at + u64::from(*step) * u64::from(64 - lanes.leading_zeros())
            }
            Kept::Lanes(at, step, distances, _, mask) => {
                let active = || (0..64).filter(|lane| mask >> lane & 1 == 1).map(|lane| u64::from(distances[lane]));
                let origin = at.wrapping_sub(active().next().unwrap_or(0));
                let [first, last] = [active().min(), active().max()].map(Option::unwrap_or_default);
                origin.wrapping_add(first)..origin.wrapping_add(last).wrapping_add(u64::from(*step))
            }
        }
    }
}

/// Limit for the number of kept accesses.
const MOST_KEPT: usize = 1024;

/// Number of runs of lanes that are added to lists of ranges. More of them are bits at once: lists would soon be full,
/// or take long to join them.
const FEW_RUNS: u32 = 16;

/// States of [`Marks::state`], which say what happens to loads and atomics. Most mappings are accessed in one way only,
/// and those that are only loaded, or only exchanged, need no marks. So a thread keeps loads and atomics of the first
/// group that accesses the mapping, and marks them only if the group does so in another way, too. What a group does that
/// loads much shows at its end.
mod state {
    /// They are kept.
    pub const KEPT: u8 = 0;
    /// They are marked, because there were too many to keep. The first group still runs.
    pub const MANY: u8 = 4;
    /// They are marked.
    pub const MARKED: u8 = 1;
    /// Loads are not marked.
    pub const LOADED: u8 = 2;
    /// Atomics are not marked.
    pub const EXCHANGED: u8 = 3;
}

/// The bit of a kind of access in a set of kinds.
#[inline(always)]
const fn bit(access: Access) -> u8 {
    match access {
        Access::Load => 1,
        Access::Store => 2,
        Access::Atomic => 4,
    }
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
    /// What happens to loads and atomics: one of the values in the module [`state`].
    state: AtomicU8,
    kept: Mutex<Vec<(Access, Kept)>>,
    /// The kinds of accesses that are kept.
    kept_kinds: AtomicU8,
    /// The kinds of accesses that were marked.
    marked: AtomicU8,
    /// The kind of accesses that were not marked.
    unmarked: AtomicU8,
    /// Whether marked accesses were not to whole places.
    is_vague: AtomicBool,
    /// Whether loads of buffers may be left out.
    has_quiet: bool,
    /// The buffers that the first group loads.
    seen: Buffers,
    /// Buffers to which no group before has stored. Their loads are not marked.
    quiet: Buffers,
    /// Other buffers.
    loud: Buffers,
    /// Whether a group stores to one of them.
    is_disturbed: AtomicBool,
}

impl Marks {
    /// Marks for a mapping of `bytes` bytes, with nothing marked; `None` if the host has no memory for them.
    pub fn new(bytes: u64, grain: Grain) -> Option<Marks> {
        let shift = if grain == Grain::Byte { 0 } else { 2 };
        let count = usize::try_from(bytes.div_ceil(1 << shift)).ok()?;
        let mut memory = BitMemory::new(count, 2)?;
        Some(Marks {
            bytes,
            shift,
            group: Places::new(count, &mut memory),
            before: Places::new(count, &mut memory),
            state: AtomicU8::new(Marks::first_state(grain)),
            kept: Mutex::default(),
            kept_kinds: AtomicU8::new(0),
            marked: AtomicU8::new(0),
            unmarked: AtomicU8::new(0),
            is_vague: AtomicBool::new(false),
            has_quiet: grain == Grain::Buffer,
            seen: Buffers::default(),
            quiet: Buffers::default(),
            loud: Buffers::default(),
            is_disturbed: AtomicBool::new(false),
        })
    }

    /// Removes all marks: they are as new ones.
    fn reset(&mut self, grain: Grain) {
        self.group.reset();
        self.before.reset();
        *self.state.get_mut() = Marks::first_state(grain);
        self.kept.get_mut().unwrap_or_else(PoisonError::into_inner).clear();
        for kinds in [&mut self.kept_kinds, &mut self.marked, &mut self.unmarked] {
            *kinds.get_mut() = 0;
        }
        *self.is_vague.get_mut() = false;
        *self.is_disturbed.get_mut() = false;
        [&self.seen, &self.quiet, &self.loud].into_iter().for_each(Buffers::clear);
    }

    fn first_state(grain: Grain) -> u8 {
        if grain == Grain::Byte { state::MARKED } else { state::KEPT }
    }

    /// Whether the access must be marked.
    #[inline(always)]
    pub fn wants(&self, access: Access) -> bool {
        match access {
            Access::Load => self.state.load(Relaxed) != state::LOADED,
            Access::Store => true,
            Access::Atomic => self.state.load(Relaxed) != state::EXCHANGED,
        }
    }

    /// Whether loads of some buffers may need no marks.
    #[inline(always)]
    pub fn has_quiet(&self) -> bool {
        self.has_quiet
    }

    /// Whether loads of a buffer need no marks. Nobody has stored to it so far.
    #[inline(always)]
    pub fn is_quiet(&self, buffer: &Range<u64>) -> bool {
        self.has_quiet && (self.quiet.hold(buffer) || !self.loud.hold(buffer) && self.see(buffer))
    }

    /// Whether the first group has not ended, at whose end it is decided what is marked.
    pub fn is_undecided(&self) -> bool {
        [state::KEPT, state::MANY].contains(&self.state.load(Relaxed))
    }

    /// Decides whether loads of a buffer that is new need no marks. As long as the first group runs, they are kept.
    #[cold]
    #[inline(never)]
    fn see(&self, buffer: &Range<u64>) -> bool {
        if self.is_undecided() {
            // Loads of buffers for which there is no room are marked.
            self.seen.add(buffer);
            return false;
        }
        let places = self.places_of(buffer);
        let is_quiet = !self.before.have_written(&places) && !self.group.have_written(&places);
        let list = if is_quiet { &self.quiet } else { &self.loud };
        list.add(buffer) && is_quiet
    }

    /// Marks `bytes` bytes from byte `at` of the mapping on, if that is quick: they lie where the group accessed others
    /// in the same way before. Returns whether it did.
    #[inline(always)]
    pub fn mark_again(&self, access: Access, at: u64, bytes: u64) -> bool {
        let is_whole = (at | bytes) & ((1 << self.shift) - 1) == 0;
        is_whole && self.group.grow(access, (at >> self.shift) as usize..((at + bytes) >> self.shift) as usize)
    }

    /// Marks `bytes` bytes (at least one) from byte `at` of the mapping on.
    #[inline]
    pub fn mark(&self, access: Access, at: u64, bytes: u64) {
        if self.wants(access) && !self.keeps(access, || Kept::Bytes(at, bytes)) {
            self.mark_bytes(access, at, bytes);
        }
    }

    #[inline(always)]
    fn mark_bytes(&self, access: Access, at: u64, bytes: u64) {
        self.group.add(access, self.places(at, bytes));
        self.note(access, at | bytes);
    }

    #[inline(always)]
    fn places(&self, at: u64, bytes: u64) -> Range<usize> {
        (at >> self.shift) as usize..((at + bytes - 1) >> self.shift) as usize + 1
    }

    /// Notes that an access was marked. `sizes` has the bits of its place and size in bytes.
    #[inline(always)]
    fn note(&self, access: Access, sizes: u64) {
        let marked = self.marked.load(Relaxed);
        if marked & bit(access) == 0 {
            self.marked.store(marked | bit(access), Relaxed);
        }
        if sizes & ((1 << self.shift) - 1) != 0 {
            self.is_vague.store(true, Relaxed);
        }
    }

    /// Marks adjoining elements of `step` bytes, one for each lane in `mask`, which is not 0. Lanes that are not in the
    /// mask leave gaps of that size. The element of the lowest lane in `mask` begins at byte `at` of the mapping.
    pub fn mark_row(&self, access: Access, at: u64, step: u32, mask: u64) {
        if self.wants(access) && !self.keeps(access, || Kept::Row(at, step, mask)) {
            self.mark_elements(access, at, step, mask);
        }
    }

    #[inline]
    fn mark_elements(&self, access: Access, at: u64, step: u32, mask: u64) {
        let lanes = mask >> (mask.trailing_zeros() % 64);
        if lanes & lanes.wrapping_add(1) == 0 {
            self.mark_bytes(access, at, u64::from(lanes.count_ones()) * u64::from(step));
            return;
        }
        if (self.shift, step, at % 4) == (2, 4, 0) {
            let place = (at / 4) as usize;
            let bits = u128::from(lanes) << (place % 64);
            self.group.add_bits(access, place / 64, bits as u64);
            self.group.add_bits(access, place / 64 + 1, (bits >> 64) as u64);
            self.note(access, 0);
            return;
        }
        // Each turn marks a run of adjoining lanes.
        let (mut rest, mut at) = (lanes, at);
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
    /// lowest lane in `mask` begins at byte `at` of the mapping. Elements outside of the mapping are left out. The
    /// elements of lanes in `joined` begin at that of the lane below, or right behind it; a lane that is missing there
    /// only takes longer.
    pub fn mark_lanes(&self, access: Access, at: u64, step: u32, distances: &[u32; 64], joined: u64, mask: u64) {
        if self.wants(access) && !self.keeps(access, || Kept::Lanes(at, step, Box::new(*distances), joined, mask)) {
            self.mark_places(access, at, step, distances, joined, mask);
        }
    }

    fn mark_places(&self, access: Access, at: u64, step: u32, distances: &[u32; 64], joined: u64, mask: u64) {
        let joined = joined & mask & mask << 1;
        if mask == u64::MAX && joined == 0 && self.mark_structs(access, at, step, distances) {
            return;
        }
        let origin = at.wrapping_sub(distances[mask.trailing_zeros() as usize % 64].into());
        // A run of lanes has elements that lie side by side. Each turn takes one.
        let (mut rest, mut sizes) = (mask & !joined, 0);
        let mut next = |rest: &mut u64| {
            let first = rest.trailing_zeros() % 64;
            let last = first + (joined >> first >> 1).trailing_ones();
            *rest &= *rest - 1;
            let bytes = self.run(origin, step, distances, first, last);
            match bytes {
                Some((start, bytes)) => sizes |= start | bytes,
                None => (first..=last).for_each(|lane| self.mark_element(access, origin, step, distances, lane)),
            }
            bytes
        };
        if rest.count_ones() > FEW_RUNS {
            let runs = std::iter::from_fn(|| {
                while rest != 0 {
                    if let Some((start, bytes)) = next(&mut rest) {
                        return Some(self.places(start, bytes));
                    }
                }
                None
            });
            self.group.add_scattered(access, runs);
        } else {
            while rest != 0 {
                if let Some((start, bytes)) = next(&mut rest) {
                    self.group.add(access, self.places(start, bytes));
                }
            }
        }
        if sizes != 0 {
            self.note(access, sizes);
        }
    }

    /// The first byte in the mapping, and the number of bytes, of the elements of the lanes from `first` to `last`,
    /// which lie side by side; `None` unless all are in the mapping.
    #[inline(always)]
    fn run(&self, origin: u64, step: u32, distances: &[u32; 64], first: u32, last: u32) -> Option<(u64, u64)> {
        let [start, last] = [first, last].map(|lane| origin.wrapping_add(distances[lane as usize % 64].into()));
        let is_inside = start <= last && last < self.bytes && self.bytes - last >= step.into();
        is_inside.then(|| (start, last - start + u64::from(step)))
    }

    /// Marks elements of `step` bytes of all lanes if they have equal, ascending distances: parts of structures that
    /// lie side by side. Returns whether it did.
    #[inline]
    fn mark_structs(&self, access: Access, at: u64, step: u32, distances: &[u32; 64]) -> bool {
        let [first, size] = [distances[0], distances[1].wrapping_sub(distances[0])];
        let differs = |all: u32, (lane, &distance): (u32, &u32)| {
            all | distance.wrapping_sub(first).wrapping_sub(size.wrapping_mul(lane))
        };
        let reach = 63 * u64::from(size) + u64::from(step);
        let fits = at < self.bytes && self.bytes - at >= reach && u64::from(first) + reach <= 1 << 32;
        if !fits || size < step || (0..64).zip(distances).fold(0, differs) != 0 {
            return false;
        }
        let starts = (0..64).map(|lane| at + lane * u64::from(size));
        self.group.add_scattered(access, starts.map(|start| self.places(start, step.into())));
        self.note(access, at | u64::from(size) | u64::from(step));
        true
    }

    /// Marks the element of a lane unless it is outside of the mapping.
    fn mark_element(&self, access: Access, origin: u64, step: u32, distances: &[u32; 64], lane: u32) {
        let at = origin.wrapping_add(distances[lane as usize % 64].into());
        if at < self.bytes && self.bytes - at >= step.into() {
            self.mark_bytes(access, at, step.into());
        }
    }

    /// Whether the access is kept.
    #[inline(always)]
    fn keeps(&self, access: Access, kept: impl FnOnce() -> Kept) -> bool {
        access != Access::Store && self.state.load(Relaxed) == state::KEPT && self.keep(access, kept())
    }

    #[cold]
    #[inline(never)]
    fn keep(&self, access: Access, new: Kept) -> bool {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.len() < MOST_KEPT {
            kept.push((access, new));
            self.kept_kinds.store(self.kept_kinds.load(Relaxed) | bit(access), Relaxed);
            return true;
        }
        let kept = std::mem::take(&mut *kept);
        self.state.store(state::MANY, Relaxed);
        kept.iter().for_each(|(access, kept)| self.mark_kept(*access, kept));
        false
    }

    /// Decides what happens to loads and atomics, by what the first group that accesses the mapping has done.
    #[cold]
    #[inline(never)]
    fn decide(&self) {
        let kept = std::mem::take(&mut *self.kept.lock().unwrap_or_else(PoisonError::into_inner));
        let kinds = self.marked.load(Relaxed) | self.kept_kinds.load(Relaxed);
        let only = [(Access::Load, state::LOADED), (Access::Atomic, state::EXCHANGED)];
        if let Some((access, state)) = only.into_iter().find(|(access, _)| kinds == bit(*access)) {
            self.state.store(state, Relaxed);
            self.unmarked.store(bit(access), Relaxed);
            self.marked.store(0, Relaxed);
            self.group.clear();
            return;
        }
        self.state.store(state::MARKED, Relaxed);
        let (loads, atomics): (Vec<_>, Vec<_>) = kept.iter().partition(|(access, _)| *access == Access::Load);
        atomics.iter().for_each(|(access, kept)| self.mark_kept(*access, kept));
        self.seen.all().for_each(|buffer| _ = self.is_quiet(&buffer));
        self.seen.clear();
        for (access, kept) in loads.iter().filter(|(_, kept)| !self.quiet.hold(&kept.extent())) {
            self.mark_kept(*access, kept);
        }
    }

    fn mark_kept(&self, access: Access, kept: &Kept) {
        match kept {
            Kept::Bytes(at, bytes) => self.mark_bytes(access, *at, *bytes),
            Kept::Row(at, step, mask) => self.mark_elements(access, *at, *step, *mask),
            Kept::Lanes(at, step, distances, joined, mask) => {
                self.mark_places(access, *at, *step, distances, *joined, *mask);
            }
        }
    }

    /// The places of which the bytes of a range are parts.
    fn places_of(&self, bytes: &Range<u64>) -> Range<usize> {
        (bytes.start >> self.shift) as usize..bytes.end.div_ceil(1 << self.shift) as usize
    }

    /// Whether groups have written to buffers whose loads are not marked.
    fn disturb(places: &Places, marks: &Marks) -> bool {
        let mut quiet = marks.quiet.all().map(|buffer| marks.places_of(&buffer));
        !marks.quiet.is_empty() && quiet.any(|buffer| places.have_written(&buffer))
    }

    /// Ends a group. Returns whether it meets one before it.
    pub fn end_group(&self) -> Meeting {
        let is_accessed = (self.marked.load(Relaxed) | self.kept_kinds.load(Relaxed)) != 0;
        if is_accessed && self.is_undecided() {
            self.decide();
        }
        if self.marked.load(Relaxed) == 0 {
            // No group has marked anything: at most one kind of accesses was left out.
            return Meeting::No;
        }
        if Marks::disturb(&self.group, self) {
            self.is_disturbed.store(true, Relaxed);
        }
        let meets = self.before.join(&self.group);
        self.group.clear();
        self.meeting(meets)
    }

    /// Adds the groups of another thread. Returns whether groups of the two threads meet.
    pub fn join(&self, other: &Marks) -> Meeting {
        let is_disturbed = other.is_disturbed.load(Relaxed)
            || Marks::disturb(&self.before, other)
            || Marks::disturb(&other.before, self)
            || !other.quiet.all().all(|buffer| self.quiet.add(&buffer));
        if is_disturbed {
            self.is_disturbed.store(true, Relaxed);
        }
        let meets = self.before.join(&other.before);
        for (all, one) in [(&self.marked, &other.marked), (&self.unmarked, &other.unmarked)] {
            all.store(all.load(Relaxed) | one.load(Relaxed), Relaxed);
        }
        self.is_vague.store(self.is_vague.load(Relaxed) | other.is_vague.load(Relaxed), Relaxed);
        self.meeting(meets)
    }

    /// The bytes that groups accessed in one of these ways, as ranges of offsets in the mapping that do not touch each
    /// other, ascending. Only marks of bytes have all accesses.
    pub fn accessed(&self, kinds: &[Access]) -> Vec<Range<u64>> {
        self.before.join(&self.group);
        self.group.clear();
        let bytes = |places: Range<usize>| {
            let [start, end] = [places.start, places.end].map(|place| (place as u64) << self.shift);
            start..end.min(self.bytes)
        };
        self.before.ranges(kinds).into_iter().map(bytes).collect()
    }

    fn meeting(&self, meets: bool) -> Meeting {
        let (marked, unmarked) = (self.marked.load(Relaxed), self.unmarked.load(Relaxed));
        let is_unknown = unmarked != 0 && (marked | unmarked).count_ones() > 1 || self.is_disturbed.load(Relaxed);
        match meets {
            true if !self.is_vague.load(Relaxed) => Meeting::Yes,
            false if !is_unknown => Meeting::No,
            _ => Meeting::Maybe,
        }
    }
}

#[cfg(test)]
mod tests;
