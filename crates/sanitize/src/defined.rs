//! The bytes of LDS and of scratch that something has written.

/// A bit for each byte.
#[derive(Clone, Default, Debug)]
pub struct Bytes {
    bits: Vec<u64>,
}

impl Bytes {
    /// Returns `len` bytes that nothing has written.
    pub fn new(len: usize) -> Bytes {
        Bytes { bits: vec![0; len.div_ceil(64)] }
    }

    /// Returns `len` bytes that were all written.
    pub fn all(len: usize) -> Bytes {
        Bytes { bits: vec![!0; len.div_ceil(64)] }
    }

    /// Whether the `count` bytes from `from` on were all written. Bytes beyond the end count as written.
    pub fn are_set(&self, from: u64, count: u8) -> bool {
        let bit = |byte: u64| self.bits.get(byte as usize / 64).is_none_or(|word| word >> (byte % 64) & 1 == 1);
        (from..from.saturating_add(u64::from(count))).all(bit)
    }

    /// Notes that the `count` bytes from `from` on are written: with a value, or (not `is_value`) with one that is
    /// undefined.
    pub fn set(&mut self, from: u64, count: u8, is_value: bool) {
        for byte in from..from.saturating_add(u64::from(count)) {
            if let Some(word) = self.bits.get_mut(byte as usize / 64) {
                let bit = 1 << (byte % 64);
                *word = if is_value { *word | bit } else { *word & !bit };
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_set_one_by_one() {
        let mut bytes = Bytes::new(70);
        assert!(!bytes.are_set(62, 4));
        bytes.set(62, 4, true);
        assert!(bytes.are_set(62, 4) && !bytes.are_set(61, 2) && !bytes.are_set(65, 2));
        bytes.set(63, 1, false);
        assert!(!bytes.are_set(62, 4) && bytes.are_set(64, 2));
        assert!(bytes.are_set(1000, 4), "there are none");
        assert!(Bytes::all(70).are_set(0, 70));
    }
}
