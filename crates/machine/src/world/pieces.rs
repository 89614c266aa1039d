//! Bytes that win over those of a world: the code, what a file loads, arguments.

use std::fmt;
use std::sync::Arc;

use super::low;
use crate::Backing;

/// Bytes that pieces share.
type Bytes = Arc<dyn AsRef<[u8]> + Send + Sync>;

/// Bytes that win over those of the world. Clones share them.
#[derive(Clone)]
pub struct WorldPiece {
    address: u64,
    bytes: Bytes,
    /// Number of bytes with the zeros behind them.
    size: u64,
}

impl WorldPiece {
    /// Bytes at a guest address.
    pub fn new(address: u64, bytes: Vec<u8>) -> WorldPiece {
        WorldPiece::shared(address, Arc::new(bytes), 0)
    }

    /// Bytes that others hold, too. Zeros follow until there are `size` bytes.
    pub fn shared(address: u64, bytes: Arc<dyn AsRef<[u8]> + Send + Sync>, size: u64) -> WorldPiece {
        let size = size.max((*bytes).as_ref().len() as u64);
        WorldPiece { address, bytes, size }
    }

    /// Guest address of the first byte.
    pub fn address(&self) -> u64 {
        self.address
    }

    /// The bytes, without zeros behind them.
    pub fn bytes(&self) -> &[u8] {
        (*self.bytes).as_ref()
    }

    /// The first address behind it.
    fn end(&self) -> u64 {
        self.address.saturating_add(self.size)
    }

    /// Writes the part that lies in a page from `start` on.
    fn write(&self, start: u64, page: &Backing) {
        let (from, until) = (self.address.max(start), self.end().min(start.saturating_add(page.len() as u64)));
        if until <= from {
            return;
        }
        let (at, length) = ((from - start) as usize, (until - from) as usize);
        let held = usize::try_from(from - self.address).ok().and_then(|skipped| self.bytes().get(skipped..));
        let held = held.map_or(&[][..], |held| &held[..length.min(held.len())]);
        page.write(at, held);
        if held.len() < length {
            page.write(at + held.len(), &vec![0; length - held.len()]);
        }
    }
}

impl fmt::Debug for WorldPiece {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "WorldPiece({:#x}, {} bytes of {})", self.address, self.bytes().len(), self.size)
    }
}

/// All pieces of a run, by address.
#[derive(Debug)]
pub(super) struct Pieces {
    /// The pieces with their numbers, sorted by address.
    sorted: Vec<(usize, WorldPiece)>,
    /// For each, the largest end of those up to it.
    ends: Vec<u64>,
}

impl Pieces {
    /// Where pieces overlap, a later one wins.
    pub fn new(pieces: Vec<WorldPiece>) -> Pieces {
        let mut sorted: Vec<_> = pieces.into_iter().enumerate().collect();
        sorted.iter_mut().for_each(|(_, piece)| piece.address = low(piece.address));
        sorted.sort_by_key(|(_, piece)| piece.address);
        let mut last = 0;
        let ends = sorted.iter().map(|(_, piece)| {
            last = piece.end().max(last);
            last
        });
        Pieces { ends: ends.collect(), sorted }
    }

    /// The pieces that lie in `start..end`, in the order in which they win.
    fn within(&self, start: u64, end: u64) -> Vec<&WorldPiece> {
        let behind = self.sorted.partition_point(|(_, piece)| piece.address < end);
        let first = self.ends.partition_point(|&last| last <= start).min(behind);
        let mut found: Vec<_> = self.sorted[first..behind].iter().filter(|(_, piece)| start < piece.end()).collect();
        found.sort_unstable_by_key(|(number, _)| *number);
        found.into_iter().map(|(_, piece)| piece).collect()
    }

    /// Whether no piece lies in the page from `start` to `end`.
    pub fn is_plain(&self, start: u64, end: u64) -> bool {
        self.within(start, end).is_empty()
    }

    /// Writes what lies in a page from `start` on.
    pub fn write(&self, start: u64, page: &Backing) {
        let end = start.saturating_add(page.len() as u64);
        self.within(start, end).into_iter().for_each(|piece| piece.write(start, page));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The bytes at `start` and on, where 0xee is the world's.
    fn written(pieces: Vec<WorldPiece>, start: u64) -> Vec<u8> {
        let page = Backing::zeroed(16).unwrap();
        page.write(0, &[0xee; 16]);
        Pieces::new(pieces).write(start, &page);
        page.read::<16>(0).to_vec()
    }

    #[test]
    fn a_later_piece_wins() {
        let pieces = || {
            vec![
                WorldPiece::new(0x104, vec![1; 8]),
                WorldPiece::new(0xf0, vec![2; 0x16]),
                WorldPiece::new(0xffff_8000_0000_0105, vec![3]),
                WorldPiece::new(0x200, vec![4; 16]),
            ]
        };
        let expected = [2, 2, 2, 2, 2, 3, 1, 1, 1, 1, 1, 1, 0xee, 0xee, 0xee, 0xee];
        assert_eq!(written(pieces(), 0x100), expected, "the second lies over the first, but for the third");
        assert_eq!(written(pieces(), 0x110), [0xee; 16]);
        let all = Pieces::new(pieces());
        assert!(all.is_plain(0x110, 0x120) && !all.is_plain(0x100, 0x110) && !all.is_plain(0xe8, 0xf8));
    }

    /// A long piece before many short ones is found behind them.
    #[test]
    fn long_pieces_are_found() {
        let mut pieces = vec![WorldPiece::new(0, vec![9; 0x1000])];
        pieces.extend((0..100).map(|n| WorldPiece::new(8 * n, vec![n as u8])));
        assert_eq!(written(pieces.clone(), 0x800), [9; 16]);
        assert_eq!(written(pieces, 0x310)[..9], [98, 9, 9, 9, 9, 9, 9, 9, 99]);
    }

    /// Uninitialised data of an object are zeros, not the world's.
    #[test]
    fn zeros_follow() {
        let piece = || vec![WorldPiece::shared(0x0c, Arc::new(vec![1, 2, 3, 4, 5, 6]), 14)];
        let [a, b] = [0, 0x10].map(|start| written(piece(), start));
        assert_eq!((&a[11..], &b[..11]), (&[0xee, 1, 2, 3, 4][..], &[5, 6, 0, 0, 0, 0, 0, 0, 0, 0, 0xee][..]));
        assert_eq!(written(vec![WorldPiece::shared(0, Arc::new(vec![]), u64::MAX)], 1 << 40), [0; 16]);
    }
}
