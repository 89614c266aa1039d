//! Guest memory as a wave sees it: backings at guest addresses, with unmapped gaps between them.

use std::mem;
use std::ops::Deref;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};

use crate::{Backing, Grain, LazyMarks, Marks};

/// The kind of an access to memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Access {
    /// It reads.
    Load,
    /// It writes.
    Store,
    /// It reads, changes and writes.
    Atomic,
}

impl Access {
    /// Name in results.
    pub const fn name(self) -> &'static str {
        match self {
            Access::Load => "load",
            Access::Store => "store",
            Access::Atomic => "atomic",
        }
    }
}

/// A part of a backing, mapped to guest addresses.
#[derive(Clone, Debug)]
pub struct Mapping {
    /// Guest address of the first byte. If `offset` is a multiple of 256, so is this.
    pub base: u64,
    /// Number of bytes.
    pub len: u64,
    /// Whether stores and atomics are allowed.
    pub writable: bool,
    /// The name for messages: a buffer's name, `kernarg`, `code`, `scratch`.
    pub name: Arc<str>,
    /// The backing that holds the bytes.
    pub backing: Arc<Backing>,
    /// Offset in the backing of the byte at `base`, in bytes.
    pub offset: usize,
    /// The marks of accesses, if they are wanted.
    pub marks: Option<Arc<LazyMarks>>,
    /// Whether the mapping may move without notice: see [`Space::version`].
    pub moves: bool,
    /// Whether it is a buffer of the user's, and not a part of the dispatch.
    pub is_buffer: bool,
    /// Whether the host may look at it while kernels run: what was stored there is never taken back. See
    /// [`Space::guard`].
    pub shared: bool,
}

impl Mapping {
    /// Maps a whole backing, for loads, stores and atomics.
    pub fn new(base: u64, name: impl Into<Arc<str>>, backing: Arc<Backing>) -> Mapping {
        let (len, name) = (backing.len() as u64, name.into());
        Mapping {
            base,
            len,
            writable: true,
            name,
            backing,
            offset: 0,
            marks: None,
            moves: false,
            is_buffer: false,
            shared: false,
        }
    }

    /// Maps a whole backing, for loads only.
    pub fn read_only(base: u64, name: impl Into<Arc<str>>, backing: Arc<Backing>) -> Mapping {
        Mapping { writable: false, ..Mapping::new(base, name, backing) }
    }

    /// The offset of `address` in the backing, if `bytes` bytes from there on lie in the mapping.
    #[inline]
    pub fn place(&self, address: u64, bytes: u64) -> Option<usize> {
        let at = address.wrapping_sub(self.base);
        (at < self.len && self.len - at >= bytes).then(|| self.offset + at as usize)
    }

    /// The marks of accesses, if they are wanted.
    #[inline(always)]
    pub fn marks(&self) -> Option<&Marks> {
        self.marks.as_ref()?.get()
    }

    /// Marks an access to `bytes` bytes from the offset `at` in the backing on. They must lie in the mapping.
    #[inline]
    pub(crate) fn mark(&self, access: Access, at: usize, bytes: u64) {
        if let Some(marks) = self.marks() {
            marks.mark(access, (at - self.offset) as u64, bytes);
        }
    }
}

/// The index of the mapping that was found last. It is only a hint: the mapping is used only if it contains the bytes.
/// An instruction that several threads run has one guess for all of them.
#[derive(Default, Debug)]
pub struct Guess(AtomicU32);

/// The mapping nearest to an unmapped address.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Near {
    /// The mapping's name.
    pub name: Arc<str>,
    /// Number of bytes between the address and the mapping's nearest byte.
    pub distance: u64,
    /// Whether the address lies after the mapping, and not before it.
    pub after: bool,
}

/// What becomes of stores and atomics to [shared](Mapping::shared) mappings.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SharedStores {
    /// They are made.
    Allowed,
    /// They are faults.
    Refused,
}

/// Guest memory as one wave sees it: mappings that do not overlap, sorted by address.
///
/// Addresses have 48 bits. The bits above are ignored; the sign of bit 47 replaces them
/// (docs/gcn/memory.md#common-rules).
#[derive(Clone, Default, Debug)]
pub struct Space {
    mappings: List,
    /// Number of the last change of the mappings; 0 if there are none.
    version: u64,
    /// Whether stores to [shared](Mapping::shared) mappings are refused.
    is_guarded: bool,
    recent: Recent,
}

/// The indices of mappings that were found, by a few bits of the address. As with [`Guess`], each is only a hint.
#[derive(Debug)]
struct Recent([AtomicU32; Recent::COUNT]);

impl Recent {
    const COUNT: usize = 128;
    /// The number of address bits that do not count: those within a page of a world.
    const SHIFT: u32 = 14;

    #[inline]
    fn slot(&self, address: u64) -> &AtomicU32 {
        &self.0[(address >> Recent::SHIFT) as usize % Recent::COUNT]
    }
}

impl Default for Recent {
    fn default() -> Recent {
        Recent([const { AtomicU32::new(0) }; Recent::COUNT])
    }
}

impl Clone for Recent {
    fn clone(&self) -> Recent {
        Recent::default()
    }
}

/// The mappings of a space.
#[derive(Clone, Default, Debug)]
struct List {
    own: Vec<Mapping>,
    /// Those of several spaces, in place of its own ones. None of them [moves](Mapping::moves) or has marks.
    shared: Option<Arc<[Mapping]>>,
}

impl Deref for List {
    type Target = [Mapping];

    #[inline(always)]
    fn deref(&self) -> &[Mapping] {
        match &self.shared {
            None => &self.own,
            Some(shared) => shared,
        }
    }
}

impl List {
    /// The mappings, to be changed.
    fn own(&mut self) -> &mut Vec<Mapping> {
        if let Some(shared) = self.shared.take() {
            self.own = shared.to_vec();
        }
        &mut self.own
    }

    /// Makes clones cheap, until they change.
    fn share(&mut self) {
        if self.shared.is_none() && !self.own.iter().any(|mapping| mapping.moves || mapping.marks.is_some()) {
            self.shared = Some(mem::take(&mut self.own).into());
        }
    }
}

/// The number of the last change of any space.
static LAST_CHANGE: AtomicU64 = AtomicU64::new(0);

/// The low 48 bits of an address, sign-extended.
#[inline]
pub const fn canonical(address: u64) -> u64 {
    ((address << 16) as i64 >> 16) as u64
}

/// PC of the instruction at an address of code whose first PC is `first`: a multiple of 4, with 48 bits, or
/// sign-extended if `first` is (docs/gcn/control-flow.md).
#[inline]
pub const fn pc_at(address: u64, first: u64) -> u64 {
    if first >> 48 == 0 { address & 0xffff_ffff_fffc } else { canonical(address) & !3 }
}

impl Space {
    /// Adds a mapping.
    ///
    /// # Panics
    /// If it overlaps another.
    pub fn map(&mut self, mapping: Mapping) {
        if let Err(mapping) = self.try_map(mapping) {
            panic!("{} overlaps another mapping", mapping.name);
        }
    }

    /// Adds a mapping.
    ///
    /// # Errors
    /// The mapping, if it overlaps another.
    pub fn try_map(&mut self, mapping: Mapping) -> Result<(), Mapping> {
        let at = self.mappings.partition_point(|other| other.base < mapping.base);
        let before = at.checked_sub(1).map(|before| &self.mappings[before]);
        let end = |mapping: &Mapping| mapping.base.saturating_add(mapping.len);
        let free = before.is_none_or(|before| end(before) <= mapping.base)
            && self.mappings.get(at).is_none_or(|behind| end(&mapping) <= behind.base);
        if !free {
            return Err(mapping);
        }
        self.mappings.own().insert(at, mapping);
        self.change();
        Ok(())
    }

    /// Removes the mapping that begins at `base`, and returns it.
    pub fn unmap(&mut self, base: u64) -> Option<Mapping> {
        let at = self.mappings.binary_search_by_key(&base, |mapping| mapping.base).ok()?;
        self.change();
        Some(self.mappings.own().remove(at))
    }

    /// Removes the addresses from `base` on, `len` bytes, from the mappings that have them.
    pub fn cut(&mut self, base: u64, len: u64) {
        let end = base.saturating_add(len);
        let meets = |mapping: &Mapping| mapping.base < end && base < mapping.base.saturating_add(mapping.len);
        if len == 0 || !self.mappings.iter().any(meets) {
            return;
        }
        let parts = |mapping: Mapping| {
            let (first, last) = (mapping.base, mapping.base.saturating_add(mapping.len));
            let whole = (!meets(&mapping)).then(|| mapping.clone());
            let below = (whole.is_none() && first < base).then(|| Mapping { len: base - first, ..mapping.clone() });
            let above = (whole.is_none() && end < last).then(|| Mapping {
                base: end,
                len: last - end,
                offset: mapping.offset + (end - first) as usize,
                ..mapping
            });
            [whole, below, above].into_iter().flatten()
        };
        let own = mem::take(self.mappings.own());
        *self.mappings.own() = own.into_iter().flat_map(parts).collect();
        self.change();
    }

    /// Makes clones cheap, until they change.
    pub fn share(&mut self) {
        self.mappings.share();
    }

    /// The backings that may be written, each once. Several mappings may show parts of one.
    pub fn writable(&self) -> Vec<&Arc<Backing>> {
        let writable = self.mappings.iter().filter(|mapping| mapping.writable);
        let mut backings: Vec<_> = writable.map(|mapping| &mapping.backing).collect();
        backings.sort_unstable_by_key(|backing| Arc::as_ptr(backing));
        backings.dedup_by(|one, other| Arc::ptr_eq(one, other));
        backings
    }

    /// Gives the mappings marks that are wanted.
    pub fn mark(&mut self, grain: Grain, is_wanted: impl Fn(&Mapping) -> bool) {
        self.change();
        for mapping in self.mappings.own().iter_mut().filter(|mapping| is_wanted(mapping)) {
            mapping.marks = Some(Arc::new(LazyMarks::new(mapping.len, grain)));
        }
    }

    /// Refuses stores and atomics to [shared](Mapping::shared) mappings from now on, or allows them again. Returns
    /// what was so before.
    pub fn guard(&mut self, stores: SharedStores) -> SharedStores {
        let is_guarded = mem::replace(&mut self.is_guarded, stores == SharedStores::Refused);
        if is_guarded { SharedStores::Refused } else { SharedStores::Allowed }
    }

    /// Whether stores to [shared](Mapping::shared) mappings are refused.
    pub fn is_guarded(&self) -> bool {
        self.is_guarded
    }

    /// Adds a mapping in the place of those that it overlaps.
    pub fn replace(&mut self, mapping: Mapping) {
        let end = mapping.base.saturating_add(mapping.len);
        let overlaps = |other: &Mapping| other.base < end && mapping.base < other.base.saturating_add(other.len);
        self.mappings.own().retain(|other| !overlaps(other));
        self.map(mapping);
    }

    /// Whether a mapping has one of `len` bytes (at least one) from `base` on.
    pub(crate) fn meets(&self, base: u64, len: u64) -> bool {
        let behind = self.mappings.partition_point(|mapping| mapping.base <= base.saturating_add(len - 1));
        behind.checked_sub(1).is_some_and(|at| base < self.mappings[at].base.saturating_add(self.mappings[at].len))
    }

    /// Whether there are mappings that the host may look at while kernels run.
    pub fn has_shared(&self) -> bool {
        self.mappings.iter().any(|mapping| mapping.shared)
    }

    /// Whether a mapping allows an access.
    #[inline(always)]
    fn allows(&self, mapping: &Mapping, access: Access) -> bool {
        access == Access::Load || mapping.writable && !(mapping.shared && self.is_guarded)
    }

    fn change(&mut self) {
        self.version = LAST_CHANGE.fetch_add(1, Relaxed) + 1;
    }

    /// A number that names the mappings: two spaces with the same number (a space and its clone) have the same mappings
    /// at the same places of the same backings, and a space whose mappings have changed has another number. Mappings
    /// that [move](Mapping::moves) do not count.
    #[inline]
    pub fn version(&self) -> u64 {
        self.version
    }

    /// The mapping that `guess` has found last in this space; `None` if it has found none.
    pub fn guessed(&self, guess: &Guess) -> Option<&Mapping> {
        self.mappings.get(guess.0.load(Relaxed) as usize)
    }

    /// All mappings, by address.
    pub fn mappings(&self) -> &[Mapping] {
        &self.mappings
    }

    /// The mapping that [moves](Mapping::moves), if there is one. The caller may move it within its backing, to an
    /// address between those of its neighbours.
    pub fn moving(&mut self) -> Option<&mut Mapping> {
        self.mappings.own.iter_mut().find(|mapping| mapping.moves)
    }

    /// Removes the marks of all mappings.
    pub(crate) fn drop_marks(&mut self) {
        self.change();
        self.mappings.own.iter_mut().for_each(|mapping| mapping.marks = None);
    }

    /// The mapping that contains `bytes` bytes (at least one) from the canonical address `address` on and allows the
    /// access. Also returns the offset of the first byte in its backing.
    #[inline]
    pub fn find(&self, address: u64, bytes: u64, access: Access) -> Option<(&Mapping, usize)> {
        let behind = self.mappings.partition_point(|mapping| mapping.base <= address);
        let mapping = &self.mappings[behind.checked_sub(1)?];
        let place = mapping.place(address, bytes)?;
        self.allows(mapping, access).then_some((mapping, place))
    }

    /// The mapping that contains the canonical address `address` and allows the access. Also returns the offset of that
    /// byte in its backing, and the number of bytes from there on in the mapping, at most `bytes` (at least one).
    pub fn find_part(&self, address: u64, bytes: u64, access: Access) -> Option<(&Mapping, usize, u64)> {
        let (mapping, at) = self.find(address, 1, access)?;
        Some((mapping, at, bytes.min(mapping.len - (address - mapping.base))))
    }

    /// As [`Space::find`], but quicker if `guess` is right. Sets `guess` to the mapping that is found.
    #[inline(always)]
    pub fn find_again(&self, guess: &Guess, address: u64, bytes: u64, access: Access) -> Option<(&Mapping, usize)> {
        if let Some(mapping) = self.mappings.get(guess.0.load(Relaxed) as usize)
            && let Some(place) = mapping.place(address, bytes)
        {
            return self.allows(mapping, access).then_some((mapping, place));
        }
        self.find_and_guess(guess, address, bytes, access)
    }

    #[cold]
    #[inline(never)]
    fn find_and_guess(&self, guess: &Guess, address: u64, bytes: u64, access: Access) -> Option<(&Mapping, usize)> {
        let slot = self.recent.slot(address);
        let index = slot.load(Relaxed);
        if let Some(mapping) = self.mappings.get(index as usize)
            && let Some(place) = mapping.place(address, bytes)
        {
            guess.0.store(index, Relaxed);
            return self.allows(mapping, access).then_some((mapping, place));
        }
        let behind = self.mappings.partition_point(|mapping| mapping.base <= address);
        let index = u32::try_from(behind.checked_sub(1)?).unwrap_or(0);
        guess.0.store(index, Relaxed);
        slot.store(index, Relaxed);
        self.find(address, bytes, access)
    }

    /// The mapping nearest to `address`; `None` if there are no bytes in any mapping.
    pub fn near(&self, address: u64) -> Option<Near> {
        let near = |mapping: &Mapping| {
            let after = address >= mapping.base;
            let last = mapping.base + (mapping.len - 1);
            let distance = if after { address.saturating_sub(last) } else { mapping.base - address };
            Near { name: mapping.name.clone(), distance, after }
        };
        self.mappings.iter().filter(|mapping| mapping.len > 0).map(near).min_by_key(|near| near.distance)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn space() -> Space {
        let mut space = Space::default();
        let backing = |len| Arc::new(Backing::zeroed(len).unwrap());
        space.map(Mapping::read_only(0x3000, "b", backing(16)));
        space.map(Mapping::new(0x1000, "a", backing(100)));
        space.map(Mapping { offset: 8, len: 4, ..Mapping::new(0x5000, "part", backing(16)) });
        space
    }

    #[test]
    fn only_what_lies_whole_in_one_mapping_is_found() {
        let space = space();
        let find = |address, bytes, access| space.find(address, bytes, access).map(|(m, at)| (&*m.name, at));
        use Access::{Atomic, Load, Store};
        assert_eq!(find(0x1000, 100, Store), Some(("a", 0)));
        assert_eq!(find(0x1063, 1, Atomic), Some(("a", 99)));
        assert_eq!([find(0x1063, 2, Load), find(0xfff, 1, Load), find(0x1064, 1, Load), find(0, 1, Load)], [None; 4]);
        assert_eq!(
            (find(0x300c, 4, Load), find(0x300c, 4, Store), find(0x300c, 4, Atomic)),
            (Some(("b", 12)), None, None)
        );
        assert_eq!((find(0x5003, 1, Store), find(0x5004, 1, Load)), (Some(("part", 11)), None));
        assert_eq!(find(u64::MAX, 8, Load), None);
    }

    #[test]
    fn no_guess_changes_what_is_found() {
        let space = space();
        let addresses = [0, 0xfff, 0x1000, 0x1060, 0x1064, 0x2fff, 0x3000, 0x300c, 0x3010, 0x5003, 0x5004, u64::MAX];
        let cases = || addresses.into_iter().flat_map(|address| [1, 4, 100].map(|bytes| (address, bytes)));
        let name = |found: Option<(&Mapping, usize)>| found.map(|(mapping, at)| (mapping.name.clone(), at));
        let mut found = 0;
        for guessed in 0..5 {
            for ((address, bytes), access) in cases().flat_map(|case| [(case, Access::Load), (case, Access::Store)]) {
                let guess = Guess(AtomicU32::new(guessed));
                let expected = name(space.find(address, bytes, access));
                for _ in 0..2 {
                    assert_eq!(name(space.find_again(&guess, address, bytes, access)), expected, "{address:x} {bytes}");
                }
                found += expected.is_some() as u32;
            }
        }
        assert!(found > 20, "{found} found");
    }

    #[test]
    fn changes_of_mappings_have_numbers_of_their_own() {
        let mut space = space();
        let mut seen = vec![Space::default().version(), space.version()];
        assert_eq!(space.clone().version(), space.version());
        let other = self::space();
        seen.push(other.version());
        space.drop_marks();
        seen.push(space.version());
        space.replace(Mapping::new(0x1000, "other", Arc::new(Backing::zeroed(100).unwrap())));
        seen.push(space.version());
        let count = seen.len();
        seen.sort_unstable();
        seen.dedup();
        assert_eq!(seen.len(), count);
    }

    #[test]
    fn clones_share_mappings_until_they_change() {
        let mut one = space();
        one.share();
        let (mut two, mut three) = (one.clone(), one.clone());
        assert!(std::ptr::eq(one.mappings(), two.mappings()) && one.version() == two.version());
        two.map(Mapping { moves: true, ..Mapping::new(0x9000, "scratch", Arc::new(Backing::zeroed(8).unwrap())) });
        three.unmap(0x1000);
        three.mark(Grain::Dword, |mapping| mapping.writable);
        let lens = [&one, &two, &three].map(|space| space.mappings().len());
        assert_eq!((lens, one.moving().is_some(), two.moving().is_some()), ([3, 4, 2], false, true));
        let marked = |space: &Space| space.mappings().iter().filter(|mapping| mapping.marks.is_some()).count();
        assert_eq!([&one, &two, &three].map(marked), [0, 0, 1]);
        // What moves or is marked is not shared.
        [&mut two, &mut three].into_iter().for_each(Space::share);
        assert_eq!((two.moving().is_some(), marked(&three)), (true, 1));
        three.drop_marks();
        assert_eq!(marked(&three), 0);
    }

    #[test]
    fn addresses_are_cut_out_of_mappings() {
        let backing = Arc::new(Backing::zeroed(0x3000).unwrap());
        let mut space = Space::default();
        space.map(Mapping::new(0x1000, "one", backing.clone()));
        space.map(Mapping { len: 0x800, offset: 0x1000, ..Mapping::new(0x8000, "two", backing) });
        space.share();
        let other = space.clone();
        let all = |space: &Space| space.mappings().iter().map(|m| (m.base, m.len, m.offset)).collect::<Vec<_>>();
        space.cut(0x4000, 0x4000);
        assert_eq!((all(&space), space.version()), (all(&other), other.version()), "nothing is there");
        space.cut(0x2000, 0x800);
        assert_eq!(all(&space), [(0x1000, 0x1000, 0), (0x2800, 0x1800, 0x1800), (0x8000, 0x800, 0x1000)]);
        space.cut(0x3000, 0x5400);
        assert_eq!(all(&space), [(0x1000, 0x1000, 0), (0x2800, 0x800, 0x1800), (0x8400, 0x400, 0x1400)]);
        space.cut(0, u64::MAX);
        assert_eq!((all(&space).len(), all(&other).len()), (0, 2));
        assert_ne!(space.version(), other.version());
    }

    #[test]
    fn stores_to_shared_mappings_may_be_refused() {
        let mut space = space();
        let backing = Arc::new(Backing::zeroed(16).unwrap());
        space.map(Mapping { shared: true, ..Mapping::new(0x7000, "host", backing) });
        assert!(space.has_shared() && !self::space().has_shared());
        let found = |space: &Space| {
            [0x1000, 0x7000].map(|at| {
                let [one, two] = [Access::Store, Access::Atomic].map(|access| {
                    (space.find(at, 4, access).is_some(), space.find_again(&Guess::default(), at, 4, access).is_some())
                });
                assert_eq!((one.0, one.0, one.0), (one.1, two.0, two.1));
                assert!(space.find(at, 4, Access::Load).is_some());
                one.0
            })
        };
        assert_eq!(found(&space), [true, true]);
        assert!(
            space.guard(SharedStores::Refused) == SharedStores::Allowed
                && found(&space) == [true, false]
                && found(&space.clone()) == [true, false]
        );
        assert!(space.guard(SharedStores::Allowed) == SharedStores::Refused && found(&space) == [true, true]);
    }

    #[test]
    fn the_nearest_mapping_is_named() {
        let space = space();
        let near = |address| space.near(address).map(|n| (n.name.to_string(), n.distance, n.after)).unwrap();
        assert_eq!(near(0x1064), ("a".into(), 1, true));
        assert_eq!(near(0xffe), ("a".into(), 2, false));
        assert_eq!(near(0x2fff), ("b".into(), 1, false));
        assert_eq!(near(u64::MAX), ("part".into(), u64::MAX - 0x5003, true));
        assert_eq!(Space::default().near(0), None);
    }

    #[test]
    fn addresses_have_48_bits() {
        assert_eq!(canonical(0x8000_1234_5678_9abc & 0xffff_ffff_ffff), 0x1234_5678_9abc);
        assert_eq!(canonical(0x0000_8000_0000_0000), 0xffff_8000_0000_0000);
    }

    #[test]
    #[should_panic(expected = "overlaps")]
    fn mappings_do_not_overlap() {
        space().map(Mapping::new(0x1060, "c", Arc::new(Backing::zeroed(8).unwrap())));
    }
}
