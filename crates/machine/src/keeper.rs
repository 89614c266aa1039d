//! Pages of a backing as they were at snapshots: each is copied before the first store to it that follows a snapshot.
//!
//! Snapshots of a backing are numbered. A page has the number of the youngest snapshot that it was copied for. A store
//! to a page with a smaller number than that of the youngest living snapshot copies the page first. So a copy has what
//! the page held at all snapshots since the one that it was copied for before. To go back to a snapshot, the first copy
//! of each page since then is stored: the pages that nobody has stored to cost nothing.

use std::alloc::{Layout, handle_alloc_error};
use std::collections::BTreeMap;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::Backing;

/// Number of bytes in a page.
const PAGE: usize = 4096;

/// Most pages without contents that a keeper has.
const MOST_SPARE: usize = 256;

/// The contents of a page.
#[derive(Clone, Debug)]
enum Contents {
    /// All bytes are 0.
    Zeros,
    /// The bytes. The last page of a backing has fewer; the others are 0.
    Bytes(Arc<[u8; PAGE]>),
}

/// Keeps pages of one backing.
#[derive(Debug)]
pub(crate) struct Keeper {
    /// Number of the youngest living snapshot; 0 if there is none.
    youngest: AtomicU64,
    /// For each page, the number of the youngest snapshot that it was copied for: a qword. Of a large backing few are
    /// ever touched.
    numbers: Box<Backing>,
    kept: Mutex<Kept>,
}

#[derive(Default, Debug)]
struct Kept {
    /// Number of the last snapshot that was taken.
    last: u64,
    /// Numbers of the living snapshots, ascending, and whether all bytes of the backing were 0 then.
    living: Vec<(u64, bool)>,
    /// By page: what it held at all snapshots up to the one with this number.
    copies: BTreeMap<(usize, u64), Contents>,
    /// Pages of copies that nobody needs any more.
    spare: Vec<Arc<[u8; PAGE]>>,
}

impl Kept {
    /// A copy of the page that begins at byte `at`.
    fn copy(&mut self, backing: &Backing, at: usize) -> Contents {
        let mut page = self.spare.pop().unwrap_or_else(|| Arc::new([0; PAGE]));
        let len = PAGE.min(backing.len() - at);
        // Nobody else has a spare page, so it is not copied.
        let bytes = Arc::make_mut(&mut page);
        backing.read_into(at, &mut bytes[..len]);
        bytes[len..].fill(0);
        Contents::Bytes(page)
    }

    /// The first copies of all pages for a snapshot: what they held then.
    fn first(&self, number: u64) -> impl Iterator<Item = (usize, &Contents)> {
        let mut last = None;
        let needed = self.copies.iter().filter(move |((_, until), _)| *until >= number);
        needed
            .filter_map(move |((page, _), contents)| (last.replace(*page) != Some(*page)).then_some((*page, contents)))
    }

    /// Forgets all copies.
    fn clear(&mut self) {
        let room = MOST_SPARE - self.spare.len().min(MOST_SPARE);
        let pages = std::mem::take(&mut self.copies).into_values();
        let pages = pages.filter_map(|contents| match contents {
            Contents::Bytes(page) => (Arc::strong_count(&page) == 1).then_some(page),
            Contents::Zeros => None,
        });
        self.spare.extend(pages.take(room));
    }
}

impl Keeper {
    /// A keeper of a backing of `len` bytes, without snapshots.
    pub fn new(len: usize) -> Keeper {
        let bytes = 8 * len.div_ceil(PAGE);
        let no_room = || handle_alloc_error(Layout::array::<u8>(bytes).unwrap_or(Layout::new::<u8>()));
        let numbers = Box::new(Backing::zeroed(bytes).unwrap_or_else(no_room));
        Keeper { youngest: AtomicU64::new(0), numbers, kept: Mutex::default() }
    }

    #[inline]
    fn pages(&self) -> &[AtomicU64] {
        self.numbers.qwords(0, self.numbers.len() / 8)
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether there is a living snapshot.
    #[inline]
    pub fn is_needed(&self) -> bool {
        self.youngest.load(Relaxed) != 0
    }

    /// Copies the pages of `len` bytes (at least one) from byte `at` of `backing` on that the youngest snapshot has not
    /// seen stored to.
    #[inline]
    pub fn before_store(&self, backing: &Backing, at: usize, len: usize) {
        let youngest = self.youngest.load(Relaxed);
        let (first, last) = (at / PAGE, (at + (len - 1)) / PAGE);
        let pages = self.pages();
        for page in first..=last {
            if pages.get(page).is_some_and(|copied| copied.load(Acquire) < youngest) {
                self.copy(backing, page);
            }
        }
    }

    /// Whether [`Keeper::before_store`] has nothing to do for a few pages.
    pub fn has_kept(&self, at: usize, len: usize) -> bool {
        const FEW: usize = 16;
        let youngest = self.youngest.load(Relaxed);
        let (first, last) = (at / PAGE, at.saturating_add(len - 1) / PAGE);
        let pages = self.pages().get(first..=last).filter(|pages| pages.len() <= FEW);
        pages.is_some_and(|pages| pages.iter().all(|copied| copied.load(Acquire) >= youngest))
    }

    /// Copies a page. A thread that stores to the page at the same time waits.
    #[cold]
    #[inline(never)]
    fn copy(&self, backing: &Backing, page: usize) {
        let mut kept = self.kept();
        let Some(&(youngest, is_zero)) = kept.living.last() else { return };
        let number = &self.pages()[page];
        if number.load(Relaxed) >= youngest {
            return;
        }
        let contents = match is_zero {
            true => Contents::Zeros,
            false => kept.copy(backing, page * PAGE),
        };
        kept.copies.insert((page, youngest), contents);
        number.store(youngest, Release);
    }

    /// Takes a snapshot. `is_zero` says that all bytes are 0.
    fn take(&self, is_zero: bool) -> u64 {
        let mut kept = self.kept();
        kept.last += 1;
        let number = kept.last;
        kept.living.push((number, is_zero));
        self.youngest.store(number, Relaxed);
        number
    }

    /// Stores what the backing held at a living snapshot.
    fn restore(&self, backing: &Backing, number: u64) {
        let kept = self.kept();
        let pages: Vec<_> = kept.first(number).map(|(page, contents)| (page, contents.clone())).collect();
        drop(kept);
        for (page, contents) in pages {
            let len = PAGE.min(backing.len() - page * PAGE);
            match contents {
                Contents::Bytes(bytes) => backing.write(page * PAGE, &bytes[..len]),
                Contents::Zeros => backing.clear(page * PAGE, len),
            }
        }
    }

    /// Fills `bytes` with what the backing held at a living snapshot, from byte `at` on.
    fn read(&self, backing: &Backing, number: u64, at: usize, bytes: &mut [u8]) {
        backing.read_into(at, bytes);
        let kept = self.kept();
        let end = at + bytes.len();
        let pages = (at / PAGE, 0)..(end.div_ceil(PAGE), 0);
        // The first copy of a page that is young enough is written last.
        for ((page, _), contents) in kept.copies.range(pages).rev().filter(|((_, until), _)| *until >= number) {
            let first = page * PAGE;
            let (from, to) = (first.max(at), (first + PAGE).min(end));
            let part = &mut bytes[from - at..to - at];
            match contents {
                Contents::Bytes(bytes) => part.copy_from_slice(&bytes[from - first..to - first]),
                Contents::Zeros => part.fill(0),
            }
        }
    }

    /// Forgets a snapshot, and the copies that no other one needs.
    fn forget(&self, number: u64) {
        let mut kept = self.kept();
        kept.living.retain(|(living, _)| *living != number);
        self.youngest.store(kept.living.last().map_or(0, |(living, _)| *living), Relaxed);
        match kept.living.first().copied() {
            None => kept.clear(),
            Some((oldest, _)) if oldest > number => kept.copies.retain(|(_, until), _| *until >= oldest),
            Some(_) => {}
        }
    }
}

/// The bytes of a backing at one moment. As long as it lives, it keeps the pages that are stored to.
#[derive(Debug)]
pub struct BackingSnapshot {
    backing: Arc<Backing>,
    number: u64,
}

impl BackingSnapshot {
    /// Takes a snapshot. Nobody may store to the backing meanwhile.
    pub fn new(backing: &Arc<Backing>) -> BackingSnapshot {
        BackingSnapshot { number: backing.keeper().take(false), backing: backing.clone() }
    }

    /// Takes a snapshot of a backing whose bytes are all 0. No page of it has to be copied.
    pub fn of_zeros(backing: &Arc<Backing>) -> BackingSnapshot {
        BackingSnapshot { number: backing.keeper().take(true), backing: backing.clone() }
    }

    /// The backing.
    pub fn backing(&self) -> &Arc<Backing> {
        &self.backing
    }

    /// Fills `bytes` with what the backing held then, from byte `at` on. What its owner has written since, without
    /// telling it, counts as if it had been there.
    ///
    /// # Panics
    /// If the bytes do not all lie in the backing.
    pub fn read_into(&self, at: usize, bytes: &mut [u8]) {
        self.backing.keeper().read(&self.backing, self.number, at, bytes);
    }

    /// Stores what the backing held then. Nobody else may store to it meanwhile.
    pub fn restore(&self) {
        self.backing.keeper().restore(&self.backing, self.number);
    }
}

impl Drop for BackingSnapshot {
    fn drop(&mut self) {
        self.backing.keeper().forget(self.number);
    }
}

#[cfg(test)]
#[path = "keeper_tests.rs"]
mod tests;
