//! What a slice of execution writes outside the wave: recorded, so that it can be taken back and compared.

use std::collections::BTreeMap;

/// Where bytes lie that a wave writes outside itself.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Place {
    /// Guest memory, by guest address.
    Memory,
    /// The LDS of the work-group, by byte.
    Lds,
    /// The global data share, by byte.
    Gds,
}

impl Place {
    /// Name in reports.
    pub const fn name(self) -> &'static str {
        match self {
            Place::Memory => "memory",
            Place::Lds => "LDS",
            Place::Gds => "GDS",
        }
    }
}

/// Up to eight bytes that were written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Write {
    /// Where.
    pub place: Place,
    /// How many bytes.
    pub len: u8,
    /// Address of the first byte.
    pub address: u64,
    /// The bytes before, the first one first; those beyond `len` are 0.
    pub old: [u8; 8],
    /// The bytes after.
    pub new: [u8; 8],
}

/// A list of writes in the order in which they happened.
#[derive(Clone, Default, Debug)]
pub struct Journal {
    writes: Vec<Write>,
}

/// A byte that two journals leave different.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Differing {
    /// Where.
    pub place: Place,
    /// Its address.
    pub address: u64,
    /// What each journal leaves there; `None` if it does not write it.
    pub bytes: [Option<u8>; 2],
}

impl Journal {
    /// Records a write: as many bytes before as after it.
    pub fn record(&mut self, place: Place, address: u64, old: &[u8], new: &[u8]) {
        let whole = |piece: &[u8]| {
            let mut bytes = [0; 8];
            bytes[..piece.len()].copy_from_slice(piece);
            bytes
        };
        for (i, (old, new)) in old.chunks(8).zip(new.chunks(8)).enumerate() {
            let len = old.len() as u8;
            self.writes.push(Write { place, len, address: address + 8 * i as u64, old: whole(old), new: whole(new) });
        }
    }

    /// The writes, the first one first.
    pub fn writes(&self) -> &[Write] {
        &self.writes
    }

    /// Bytes that this journal and another, recorded from the same memory, leave different, by place and address.
    pub fn differences(&self, other: &Journal) -> Vec<Differing> {
        // Mostly they have the same writes.
        if self.writes == other.writes {
            return Vec::new();
        }
        /// What a byte held before, and what each journal wrote last.
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
