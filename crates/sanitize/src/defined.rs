//! The bits of LDS and of scratch that have a value.

/// The defined bits of each byte, and the work-items that have written it.
#[derive(Clone, Default, Debug)]
pub struct Bytes {
    bits: Vec<u8>,
    /// For each dword the work-item that has written to it, from 1 on; 0 if none has, [`SEVERAL`] if several have.
    /// Empty if nobody asks.
    writers: Vec<u32>,
}

/// The writers of a dword that several work-items have written to.
const SEVERAL: u32 = u32::MAX;

impl Bytes {
    /// Returns `len` bytes that nothing has written.
    pub fn new(len: usize) -> Bytes {
        Bytes { bits: vec![0; len], writers: Vec::new() }
    }

    /// Returns `len` bytes that have a value.
    pub fn all(len: usize) -> Bytes {
        Bytes { bits: vec![!0; len], writers: Vec::new() }
    }

    /// Returns the bytes, which from now on know who has written them.
    pub fn with_writers(self) -> Bytes {
        Bytes { writers: vec![0; self.bits.len().div_ceil(4)], ..self }
    }

    /// Returns the defined bits of a byte. A byte beyond the end counts as defined.
    pub fn get(&self, byte: u64) -> u8 {
        self.bits.get(byte as usize).copied().unwrap_or(!0)
    }

    /// Whether the `count` bytes from `from` on have a value.
    pub fn are_set(&self, from: u64, count: u8) -> bool {
        (from..from.saturating_add(u64::from(count))).all(|byte| self.get(byte) == !0)
    }

    /// Notes that the work-item `item` writes a byte of which `bits` have a value.
    pub fn set(&mut self, byte: u64, bits: u8, item: u32) {
        if let Some(at) = self.bits.get_mut(byte as usize) {
            *at = bits;
        }
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

    #[test]
    fn a_dword_has_one_writer_or_several() {
        let mut bytes = Bytes::new(16).with_writers();
        bytes.set(0, !0, 5);
        bytes.set(2, !0, 5);
        bytes.set(4, !0, 5);
        bytes.set(5, !0, 6);
        assert!(bytes.is_own(1, 5) && !bytes.is_own(1, 6) && !bytes.is_own(4, 5) && !bytes.is_own(4, 6));
        assert!(!bytes.is_own(8, 5), "nobody has written there");
        assert!(Bytes::new(16).is_own(0, 9));
    }
}
