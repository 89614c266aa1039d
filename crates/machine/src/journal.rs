//! The writes outside the wave during a slice of execution. They are recorded to be compared and undone.

use std::collections::BTreeMap;

/// A kind of memory outside the wave.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Place {
    /// Guest memory, by guest address.
    Memory,
    /// The LDS of the work-group, by byte.
    Lds,
    /// The global data share, by byte.
    Gds,
    /// Images of the synthetic environment: the number of an image in the high half, a byte of it in the low half.
    Image,
}

impl Place {
    /// Name in reports.
    pub const fn name(self) -> &'static str {
        match self {
            Place::Memory => "memory",
            Place::Lds => "LDS",
            Place::Gds => "GDS",
            Place::Image => "image",
        }
    }
}

/// A write of up to eight bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Write {
    /// The kind of memory.
    pub place: Place,
    /// Number of bytes.
    pub len: u8,
    /// Address of the first byte.
    pub address: u64,
    /// The bytes before the write. Those beyond `len` are 0.
    pub old: [u8; 8],
    /// The bytes after the write. Those beyond `len` are 0.
    pub new: [u8; 8],
}

/// A list of writes, in the order in which they happened.
#[derive(Clone, Default, Debug)]
pub struct Journal {
    writes: Vec<Write>,
}

/// A byte that has different values after two journals.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Differing {
    /// The kind of memory.
    pub place: Place,
    /// Address of the byte.
    pub address: u64,
    /// The final value of the byte in each journal; `None` if the journal does not write it.
    pub bytes: [Option<u8>; 2],
}

impl Journal {
    /// Records a write of `new` over `old`, which have the same length.
    #[inline]
    pub fn record(&mut self, place: Place, address: u64, old: &[u8], new: &[u8]) {
        let mut add = |address: u64, len: usize, old: [u8; 8], new: [u8; 8]| {
            self.writes.push(Write { place, len: len as u8, address, old, new });
        };
        // Most writes are of dwords.
        if let ([a, b, c, d], [e, f, g, h]) = (old, new) {
            return add(address, 4, [*a, *b, *c, *d, 0, 0, 0, 0], [*e, *f, *g, *h, 0, 0, 0, 0]);
        }
        let (old, old_rest) = old.as_chunks::<8>();
        let (new, new_rest) = new.as_chunks::<8>();
        let mut at = address;
        for (old, new) in old.iter().zip(new) {
            add(at, 8, *old, *new);
            at = at.wrapping_add(8);
        }
        if !old_rest.is_empty() {
            let whole = |piece: &[u8]| {
                let mut bytes = [0; 8];
                bytes[..piece.len()].copy_from_slice(piece);
                bytes
            };
            add(at, old_rest.len(), whole(old_rest), whole(new_rest));
        }
    }

    /// The writes, in the order in which they happened.
    pub fn writes(&self) -> &[Write] {
        &self.writes
    }

    /// Compares the effects of this journal and `other`, which was recorded from the same memory. Returns the bytes
    /// that differ afterwards, sorted by place and address.
    pub fn differences(&self, other: &Journal) -> Vec<Differing> {
        // Usually both have the same writes.
        if self.writes == other.writes {
            return Vec::new();
        }
        /// The value of a byte before, and the last value that each journal wrote.
        type Byte = (u8, [Option<u8>; 2]);
        let mut bytes: BTreeMap<(Place, u64), Byte> = BTreeMap::new();
        for (i, journal) in [self, other].into_iter().enumerate() {
            for write in &journal.writes {
                for at in 0..write.len as usize {
                    let byte =
                        bytes.entry((write.place, write.address + at as u64)).or_insert((write.old[at], [None; 2]));
                    byte.1[i] = Some(write.new[at]);
                }
            }
        }
        let differs = |(before, [a, b]): &Byte| a.unwrap_or(*before) != b.unwrap_or(*before);
        let found = bytes.into_iter().filter(|(_, byte)| differs(byte));
        found.map(|((place, address), (_, bytes))| Differing { place, address, bytes }).collect()
    }
}
