//! The last accesses of each byte of LDS and of memory (docs/use/sanitize.md#race).

use std::collections::HashMap;
use std::collections::hash_map::Entry;

/// Number of bytes of memory that a page of cells stands for.
const PAGE: u64 = 1024;

/// Most bytes that all cells take. Accesses to further pages are not noted.
pub const MOST_BYTES: usize = 512 << 20;

/// An access of a work-item.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Access {
    /// The work-item: number of its wave, counted over all groups, times 64, and its lane.
    pub item: u32,
    /// Number of events before the access.
    pub time: u32,
    /// Number of the instruction among all that were executed, from 1 on; 0 if there is no access.
    pub step: u32,
    /// The instruction and its use of the byte, as [`Access::pack`] makes it.
    pub site: u32,
}

/// How an access uses a byte.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Use {
    /// A read.
    Read,
    /// A write.
    Write,
    /// An atomic.
    Atomic,
    /// A read past the caches (GLC): a volatile or an atomic load.
    ReadThrough,
}

impl Use {
    /// Returns the name in findings.
    pub fn name(self) -> &'static str {
        match self {
            Use::Read | Use::ReadThrough => "read",
            Use::Write => "write",
            Use::Atomic => "atomic",
        }
    }
}

impl Access {
    /// Returns the index of an instruction's dword and its use of a byte in one number.
    pub fn pack(index: usize, of: Use) -> u32 {
        (index as u32) << 2 | of as u32
    }

    /// Returns how the access uses the byte.
    pub fn how(self) -> Use {
        [Use::Read, Use::Write, Use::Atomic, Use::ReadThrough][(self.site & 3) as usize]
    }

    /// Returns the index of the instruction's dword in the code.
    pub fn index(self) -> usize {
        (self.site >> 2) as usize
    }

    fn is(self) -> bool {
        self.step > 0
    }
}

/// The last accesses of a byte, or of the four bytes of a dword.
#[derive(Clone, Copy, Default, Debug)]
struct Cell {
    /// The last write or atomic.
    write: Access,
    /// Two later accesses, of two work-items: reads, or atomics before the last one.
    others: [Access; 2],
}

/// Cells of a page: one for each dword, or one for each byte once a part of a dword was accessed.
#[derive(Debug)]
enum Page {
    Dwords(Box<[Cell]>),
    Bytes(Box<[Cell]>),
}

/// The cells of a memory.
#[derive(Debug, Default)]
pub struct Shadow {
    pages: HashMap<u64, Page>,
    /// Number of bytes that all cells take.
    bytes: usize,
    is_full: bool,
}

/// Whether two uses of a byte are no conflict.
fn agree(a: Use, b: Use) -> bool {
    use Use::{Atomic, Read, ReadThrough, Write};
    match (a, b) {
        (Read | ReadThrough, Read | ReadThrough) | (Atomic, Atomic) => true,
        // In the code, an atomic store looks like any store. So a load past the caches is in no conflict with a store.
        (ReadThrough, Atomic | Write) | (Atomic | Write, ReadThrough) => true,
        (Write, Read | Write | Atomic) | (Atomic, Read | Write) | (Read, Write | Atomic) => false,
    }
}

impl Shadow {
    /// Forgets everything.
    pub fn clear(&mut self) {
        *self = Shadow::default();
    }

    /// Whether some accesses were not noted, because there are too many pages.
    pub fn is_full(&self) -> bool {
        self.is_full
    }

    /// Returns the page of an address. If there is none, it is made. If `is_split`, it has a cell for each byte. `None`
    /// if there is no room.
    fn page(&mut self, address: u64, is_split: bool) -> Option<&mut Page> {
        const DWORDS: usize = size_of::<Cell>() * (PAGE / 4) as usize;
        const BYTES: usize = size_of::<Cell>() * PAGE as usize;
        let room = MOST_BYTES - self.bytes;
        let page = match self.pages.entry(address / PAGE) {
            Entry::Occupied(page) => page.into_mut(),
            Entry::Vacant(place) if DWORDS <= room => {
                self.bytes += DWORDS;
                place.insert(Page::Dwords(cells(PAGE / 4)))
            }
            Entry::Vacant(_) => {
                self.is_full = true;
                return None;
            }
        };
        if is_split && matches!(page, Page::Dwords(_)) {
            if self.bytes + BYTES - DWORDS > MOST_BYTES {
                self.is_full = true;
                return None;
            }
            self.bytes += BYTES - DWORDS;
            page.split();
        }
        Some(page)
    }

    /// Notes an access of `bytes` bytes. Calls `conflict` with each earlier access that disagrees with it and that
    /// `is_ordered` does not order before it, and with the first byte that both access.
    pub fn note(
        &mut self,
        address: u64,
        bytes: u64,
        access: Access,
        is_ordered: &mut dyn FnMut(Access) -> bool,
        conflict: &mut dyn FnMut(Access, u64),
    ) {
        let mut at = address;
        let end = address.saturating_add(bytes);
        while at < end {
            let is_dword = at.is_multiple_of(4) && end - at >= 4;
            let Some(page) = self.page(at, !is_dword) else { return };
            let offset = (at % PAGE) as usize;
            match page {
                Page::Dwords(cells) => {
                    cells[offset / 4].note(access, is_ordered, &mut |earlier| conflict(earlier, at));
                    at += 4;
                }
                Page::Bytes(cells) => {
                    cells[offset].note(access, is_ordered, &mut |earlier| conflict(earlier, at));
                    at += 1;
                }
            }
        }
    }
}

fn cells(count: u64) -> Box<[Cell]> {
    vec![Cell::default(); count as usize].into()
}

impl Page {
    /// Replaces the cells of dwords by cells of bytes.
    fn split(&mut self) {
        if let Page::Dwords(cells) = self {
            *self = Page::Bytes(cells.iter().flat_map(|cell| [*cell; 4]).collect());
        }
    }
}

impl Cell {
    fn note(&mut self, access: Access, is_ordered: &mut dyn FnMut(Access) -> bool, conflict: &mut dyn FnMut(Access)) {
        let how = access.how();
        for earlier in [self.write, self.others[0], self.others[1]] {
            let may_race = earlier.is() && earlier.item != access.item && !agree(earlier.how(), how);
            if may_race && !is_ordered(earlier) {
                conflict(earlier);
            }
        }
        match how {
            Use::Write => *self = Cell { write: access, others: [Access::default(); 2] },
            Use::Atomic => {
                let earlier = self.write;
                self.write = access;
                if earlier.is() && (earlier.item != access.item || earlier.how() == Use::Write) {
                    self.keep(earlier);
                }
            }
            Use::Read | Use::ReadThrough => self.keep(access),
        }
    }

    /// Keeps an access as one of two by different work-items, the latest.
    fn keep(&mut self, access: Access) {
        let [first, second] = self.others;
        if !first.is() || first.item == access.item {
            self.others[0] = access;
        } else if !second.is() || second.item == access.item {
            self.others[1] = access;
        } else {
            self.others = [second, access];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn access(item: u32, of: Use) -> Access {
        Access { item, time: 0, step: item + 1, site: Access::pack(item as usize, of) }
    }

    /// Notes accesses (item, use, address, number of bytes) in order. Returns the conflicts: both items, and the byte.
    fn conflicts(accesses: &[(u32, Use, u64, u64)]) -> Vec<(u32, u32, u64)> {
        let (mut shadow, mut found) = (Shadow::default(), Vec::new());
        for &(item, how, address, bytes) in accesses {
            let mut conflict = |earlier: Access, at| found.push((earlier.item, item, at));
            shadow.note(address, bytes, access(item, how), &mut |_| false, &mut conflict);
        }
        found
    }

    #[test]
    fn a_write_and_another_access_conflict() {
        use Use::{Atomic, Read, ReadThrough, Write};
        assert_eq!(conflicts(&[(0, Write, 8, 4), (1, Read, 8, 4)]), [(0, 1, 8)]);
        assert_eq!(conflicts(&[(0, Read, 8, 4), (1, Write, 8, 4)]), [(0, 1, 8)]);
        assert_eq!(conflicts(&[(0, Write, 8, 4), (1, Write, 8, 4)]), [(0, 1, 8)]);
        assert_eq!(conflicts(&[(0, Atomic, 8, 4), (1, Read, 8, 4)]), [(0, 1, 8)]);
        assert_eq!(conflicts(&[(0, Write, 8, 4), (0, Read, 8, 4), (1, Read, 12, 4)]), []);
        assert_eq!(conflicts(&[(0, Read, 8, 4), (1, Read, 8, 4), (2, Atomic, 4, 4), (3, Atomic, 4, 4)]), []);
        assert_eq!(conflicts(&[(0, Write, 8, 4), (1, ReadThrough, 8, 4)]), []);
    }

    #[test]
    fn two_readers_are_kept() {
        use Use::{Atomic, Read, Write};
        assert_eq!(conflicts(&[(0, Read, 0, 4), (1, Read, 0, 4), (1, Write, 0, 4)]), [(0, 1, 0)]);
        assert_eq!(conflicts(&[(0, Read, 0, 4), (1, Read, 0, 4), (0, Write, 0, 4)]), [(1, 0, 0)]);
        assert_eq!(conflicts(&[(0, Atomic, 0, 4), (1, Atomic, 0, 4), (1, Read, 0, 4)]), [(0, 1, 0)]);
    }

    #[test]
    fn pages_are_bounded() {
        let mut shadow = Shadow::default();
        let note = |shadow: &mut Shadow, at: u64, bytes| {
            shadow.note(at, bytes, access(1, Use::Write), &mut |_| false, &mut |_, _| {});
        };
        shadow.bytes = MOST_BYTES - 2 * 48 * 256;
        note(&mut shadow, 0, 4);
        note(&mut shadow, PAGE, 4);
        assert!(!shadow.is_full());
        // There is no room for a third page, and none for cells of bytes.
        note(&mut shadow, 2 * PAGE, 4);
        assert!(shadow.is_full() && shadow.pages.len() == 2 && shadow.bytes == MOST_BYTES);
        note(&mut shadow, 0, 1);
        assert!(shadow.pages.values().all(|page| matches!(page, Page::Dwords(_))));
        shadow.clear();
        assert!(!shadow.is_full() && shadow.bytes == 0);
    }

    #[test]
    fn bytes_are_told_apart() {
        use Use::{Read, Write};
        assert_eq!(conflicts(&[(0, Write, 0, 1), (1, Write, 1, 1), (2, Write, 2, 2)]), []);
        assert_eq!(conflicts(&[(0, Write, 0, 4), (1, Read, 3, 1)]), [(0, 1, 3)]);
        assert_eq!(conflicts(&[(0, Write, 3, 1), (1, Read, 0, 4)]), [(0, 1, 3)]);
        assert_eq!(conflicts(&[(0, Write, 1022, 4), (1, Read, 1024, 4)]), [(0, 1, 1024), (0, 1, 1025)]);
    }
}
