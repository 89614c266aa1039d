//! The bytes of memory that a run has changed.

/// Neighbouring bytes that a run has changed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Stored<'a> {
    /// Guest address of the first byte, of at most 48 bits.
    pub address: u64,
    /// The bytes.
    pub bytes: &'a [u8],
}

/// All bytes that a run has changed, sorted by address. They lie in one buffer, since there may be millions of runs of
/// neighbouring bytes.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Stores {
    /// Parts of runs: the address times 2^16, and the number of bytes, at most [`MOST`]. A part that begins where the
    /// last one ends continues its run.
    parts: Vec<u64>,
    bytes: Vec<u8>,
}

/// Most bytes of a part.
const MOST: u64 = 0xffff;

/// Address and number of bytes of a part.
fn unpack(part: u64) -> (u64, u64) {
    (part >> 16, part & MOST)
}

impl Stores {
    /// Adds a byte at a guest address of at most 48 bits, behind all others.
    pub fn push(&mut self, address: u64, byte: u8) {
        self.bytes.push(byte);
        if let Some(last) = self.parts.last_mut() {
            let (start, len) = unpack(*last);
            if start + len == address && len < MOST {
                *last += 1;
                return;
            }
        }
        self.parts.push(address << 16 | 1);
    }

    /// Runs of neighbouring bytes, by address.
    pub fn iter(&self) -> impl Iterator<Item = Stored<'_>> {
        let (mut parts, mut rest) = (self.parts.iter().map(|part| unpack(*part)).peekable(), &self.bytes[..]);
        std::iter::from_fn(move || {
            let (address, mut len) = parts.next()?;
            while let Some((_, more)) = parts.next_if(|(next, _)| *next == address + len) {
                len += more;
            }
            let (bytes, behind) = rest.split_at_checked(len as usize)?;
            rest = behind;
            Some(Stored { address, bytes })
        })
    }

    /// Number of bytes.
    pub fn byte_count(&self) -> u64 {
        self.bytes.len() as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_of_any_length_are_kept() {
        const HIGHEST: u64 = 1 << 47;
        let mut stores = Stores::default();
        [(3, 7), (5, 8), (6, 9)].into_iter().for_each(|(address, byte)| stores.push(address, byte));
        let long: Vec<u8> = (0..200_000u32).map(|n| n as u8).collect();
        (0x1000..).zip(&long).for_each(|(address, byte)| stores.push(address, *byte));
        stores.push(HIGHEST, 1);
        let found: Vec<_> = stores.iter().map(|stored| (stored.address, stored.bytes)).collect();
        assert_eq!(found, [(3, &[7][..]), (5, &[8, 9]), (0x1000, &long), (HIGHEST, &[1])]);
        assert_eq!(stores.byte_count(), 200_004);
    }
}
