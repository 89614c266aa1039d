//! The bits of LDS and of scratch that have a value.

use std::collections::HashMap;

/// Most bytes that are held whole. Of more, the pages are held that were written.
const MOST_WHOLE: u64 = 1 << 20;
/// Number of bytes of a page.
const PAGE: u64 = 4096;
/// Most bytes of pages, for each wave. Objects may state more scratch than the host has memory.
pub const MOST_WRITTEN: u64 = 16 << 20;

/// The defined bits of each byte, and the work-items that have written it.
#[derive(Clone, Default, Debug)]
pub struct Bytes {
    bits: Bits,
    /// For each dword the work-item that has written to it, from 1 on; 0 if none has, [`SEVERAL`] if several have.
    /// Empty if nobody asks.
    writers: Vec<u32>,
}

/// The defined bits of each byte. A byte beyond the end counts as defined.
#[derive(Clone, Debug)]
enum Bits {
    Whole(Vec<u8>),
    Pages(Pages),
}

#[derive(Clone, Debug)]
struct Pages {
    len: u64,
    /// The bytes that were written, and those around them.
    written: HashMap<u64, Box<[u8]>>,
    /// Whether there was no room for a page. From then on, what has none counts as defined.
    is_full: bool,
}

impl Default for Bits {
    fn default() -> Bits {
        Bits::Whole(Vec::new())
    }
}

impl Bits {
    fn get(&self, byte: u64) -> u8 {
        match self {
            Bits::Whole(bits) => usize::try_from(byte).ok().and_then(|at| bits.get(at)).copied().unwrap_or(!0),
            Bits::Pages(pages) if byte >= pages.len => !0,
            Bits::Pages(pages) => {
                let none = if pages.is_full { !0 } else { 0 };
                pages.written.get(&(byte / PAGE)).map_or(none, |page| page[(byte % PAGE) as usize])
            }
        }
    }

    fn set(&mut self, byte: u64, bits: u8) {
        match self {
            Bits::Whole(all) => {
                if let Some(at) = usize::try_from(byte).ok().and_then(|at| all.get_mut(at)) {
                    *at = bits;
                }
            }
            Bits::Pages(pages) => pages.set(byte, bits),
        }
    }
}

impl Pages {
    fn set(&mut self, byte: u64, bits: u8) {
        if byte >= self.len {
            return;
        }
        let has_room = (self.written.len() as u64) < MOST_WRITTEN / PAGE;
        if !has_room && !self.written.contains_key(&(byte / PAGE)) {
            self.is_full = true;
            return;
        }
        let page = self.written.entry(byte / PAGE).or_insert_with(|| vec![0; PAGE as usize].into());
        page[(byte % PAGE) as usize] = bits;
    }
}

/// The writers of a dword that several work-items have written to.
const SEVERAL: u32 = u32::MAX;

impl Bytes {
    /// Returns `len` bytes that nothing has written.
    pub fn new(len: u64) -> Bytes {
        let bits = match len {
            0..=MOST_WHOLE => Bits::Whole(vec![0; len as usize]),
            len => Bits::Pages(Pages { len, written: HashMap::new(), is_full: false }),
        };
        Bytes { bits, writers: Vec::new() }
    }

    /// Returns `len` bytes that have a value.
    pub fn all(len: usize) -> Bytes {
        Bytes { bits: Bits::Whole(vec![!0; len]), writers: Vec::new() }
    }

    /// Returns `len` bytes that nothing has written, which know who writes them.
    pub fn with_writers(len: usize) -> Bytes {
        Bytes { bits: Bits::Whole(vec![0; len]), writers: vec![0; len.div_ceil(4)] }
    }

    /// Whether some writes were not noted, because there are too many pages.
    pub fn is_full(&self) -> bool {
        matches!(&self.bits, Bits::Pages(pages) if pages.is_full)
    }

    /// Returns the defined bits of a byte. A byte beyond the end counts as defined.
    pub fn get(&self, byte: u64) -> u8 {
        self.bits.get(byte)
    }

    /// Whether the `count` bytes from `from` on have a value.
    pub fn are_set(&self, from: u64, count: u8) -> bool {
        (from..from.saturating_add(u64::from(count))).all(|byte| self.get(byte) == !0)
    }

    /// Notes that the work-item `item` writes a byte of which `bits` have a value.
    pub fn set(&mut self, byte: u64, bits: u8, item: u32) {
        self.bits.set(byte, bits);
        if let Some(writer) = self.writers.get_mut(byte as usize / 4) {
            *writer = if *writer == 0 || *writer == item { item } else { SEVERAL };
        }
    }

    /// Whether only the work-item `item` has written to the dword of a byte. True if nobody asks who writes.
    pub fn is_own(&self, byte: u64, item: u32) -> bool {
        self.writers.is_empty() || self.writers.get(byte as usize / 4) == Some(&item)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_set_one_by_one() {
        let mut bytes = Bytes::new(70);
        let set = |bytes: &mut Bytes, from: u64, count: u64| (from..from + count).for_each(|at| bytes.set(at, !0, 1));
        assert!(!bytes.are_set(62, 4));
        set(&mut bytes, 62, 4);
        assert!(bytes.are_set(62, 4) && !bytes.are_set(61, 2) && !bytes.are_set(65, 2));
        bytes.set(63, 0x0f, 1);
        assert!(!bytes.are_set(62, 4) && bytes.are_set(64, 2) && bytes.get(63) == 0x0f);
        assert!(bytes.are_set(1000, 4), "there are none");
        assert!(Bytes::all(70).are_set(0, 70));
    }

    /// 2^38 bytes are what 64 work-items with 4 GiB each have.
    #[test]
    fn many_bytes_take_the_memory_of_those_that_are_written() {
        let mut bytes = Bytes::new(1 << 38);
        for at in [0, 4095, 4096, (1 << 38) - 1, 1 << 38] {
            bytes.set(at, !0, 1);
        }
        assert_eq!([0, 1, 4095, 4096, (1 << 38) - 1, (1 << 38) - 2, 1 << 38].map(|at| bytes.get(at)), {
            [!0, 0, !0, !0, !0, 0, !0]
        });
        assert!(!bytes.is_full());
        (0..MOST_WRITTEN / PAGE).for_each(|page| bytes.set(page * PAGE, !0, 1));
        assert!(bytes.is_full() && bytes.get(1) == 0 && bytes.get(1 << 37) == !0, "what has no page is not reported");
        let Bits::Pages(pages) = &bytes.bits else { panic!("{bytes:?}") };
        assert_eq!(pages.written.len() as u64, MOST_WRITTEN / PAGE);
    }

    #[test]
    fn a_dword_has_one_writer_or_several() {
        let mut bytes = Bytes::with_writers(16);
        bytes.set(0, !0, 5);
        bytes.set(2, !0, 5);
        bytes.set(4, !0, 5);
        bytes.set(5, !0, 6);
        assert!(bytes.is_own(1, 5) && !bytes.is_own(1, 6) && !bytes.is_own(4, 5) && !bytes.is_own(4, 6));
        assert!(!bytes.is_own(8, 5), "nobody has written there");
        assert!(Bytes::new(16).is_own(0, 9));
    }
}
