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

/// Up to eight bytes as they were before a write.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Undo {
    /// Where.
    pub place: Place,
    /// Address of the first byte.
    pub address: u64,
    /// How many bytes.
    pub len: u8,
    /// The bytes, the first one first.
    pub old: [u8; 8],
}

/// A list of writes in the order in which they happened.
#[derive(Clone, Default, Debug)]
pub struct Journal {
    writes: Vec<Undo>,
}

impl Journal {
    /// Records what a write is about to replace.
    pub fn record(&mut self, place: Place, address: u64, old: &[u8]) {
        for (i, piece) in old.chunks(8).enumerate() {
            let mut bytes = [0; 8];
            bytes[..piece.len()].copy_from_slice(piece);
            self.writes.push(Undo { place, address: address + 8 * i as u64, len: piece.len() as u8, old: bytes });
        }
    }

    /// The writes, the first one first.
    pub fn writes(&self) -> &[Undo] {
        &self.writes
    }

    /// Addresses of all bytes that were written, with what they are now by `now` (of a place and an address).
    pub fn effects(&self, mut now: impl FnMut(Place, u64) -> u8) -> BTreeMap<(Place, u64), u8> {
        let bytes = self.writes.iter().flat_map(|undo| (0..undo.len as u64).map(|i| (undo.place, undo.address + i)));
        bytes.map(|(place, address)| ((place, address), now(place, address))).collect()
    }
}
