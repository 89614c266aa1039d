//! Splits a batch over machines: decides which shard a file belongs to.

use std::fmt;
use std::str::FromStr;

use gcnsim_engine::xxh3::xxh3_with_seed;

/// Most bytes of a file that are hashed for its shard. The length of the file counts too.
const HASHED: usize = 1 << 20;

/// A shard `I/N`: the I-th of N, from 1.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Shard {
    /// The number of this shard, 1 to `count`.
    pub number: u32,
    /// Number of shards.
    pub count: u32,
    /// What belongs to it.
    pub holds: Holds,
}

/// What belongs to a shard.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Holds {
    /// Files of the whole list, dealt out by their contents.
    #[default]
    Dealt,
    /// All files of its list, the first of which has this number in the whole list ([`plan`](crate::plan)).
    From(usize),
}

impl Shard {
    /// Returns shard `number` of `count` by contents; `None` if there is no such shard.
    pub fn new(number: u32, count: u32) -> Option<Shard> {
        (1..=count).contains(&number).then_some(Shard { number, count, holds: Holds::Dealt })
    }

    /// Returns the number in the whole list of file `index` of the shard's list.
    pub fn index_of(&self, index: usize) -> usize {
        index + self.first()
    }

    /// Returns the number in the shard's list of file `index` of the whole list; `None` if it comes before.
    pub fn place_of(&self, index: usize) -> Option<usize> {
        index.checked_sub(self.first())
    }

    fn first(&self) -> usize {
        match self.holds {
            Holds::Dealt => 0,
            Holds::From(first) => first,
        }
    }

    /// Whether a file with these bytes belongs to the shard. The answer is the same on all runs, machines and versions:
    /// XXH3-64 over the first MiB, with the length as seed, modulo the number of shards.
    ///
    /// The kernels of a file stay together. Launches do not: see [`takes_launch`](Shard::takes_launch).
    pub fn takes(&self, bytes: &[u8]) -> bool {
        self.takes_launch(bytes, 0)
    }

    /// Whether launch number `launch` of a file with these bytes belongs to the shard. The first launch belongs to the
    /// shard of the file, and each other launch to the shard after that of the launch before it.
    pub fn takes_launch(&self, bytes: &[u8], launch: usize) -> bool {
        if self.holds != Holds::Dealt {
            return true;
        }
        let head = &bytes[..bytes.len().min(HASHED)];
        let hash = xxh3_with_seed(bytes.len() as u64, head);
        let count = u64::from(self.count);
        (hash % count + launch as u64 % count) % count == u64::from(self.number) - 1
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.number, self.count)
    }
}

/// A text that names no shard.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("'{text}' is no shard: expected I/N with I from 1 to N, for example 3/16")]
#[non_exhaustive]
pub struct ShardError {
    /// The text.
    pub text: String,
}

impl FromStr for Shard {
    type Err = ShardError;

    fn from_str(text: &str) -> Result<Shard, ShardError> {
        let parts = text.split_once('/').and_then(|(i, n)| Some((i.parse().ok()?, n.parse().ok()?)));
        let shard = parts.and_then(|(number, count)| Shard::new(number, count));
        shard.ok_or_else(|| ShardError { text: text.to_owned() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shards_are_numbered_from_one() {
        assert_eq!("3/16".parse(), Ok(Shard { number: 3, count: 16, holds: Holds::Dealt }));
        for text in ["0/4", "5/4", "1/0", "1", "a/b", "-1/4", "1/4/2"] {
            assert!(text.parse::<Shard>().is_err(), "{text}");
        }
    }

    #[test]
    fn every_file_has_one_shard_and_shards_are_even() {
        let mut sizes = [0; 8];
        for file in 0..8000u32 {
            let bytes = file.to_le_bytes();
            let takers: Vec<_> = (1..=8).filter(|&number| Shard::new(number, 8).unwrap().takes(&bytes)).collect();
            assert_eq!(takers.len(), 1);
            sizes[takers[0] as usize - 1] += 1;
        }
        assert!(sizes.iter().all(|&n| (850..1150).contains(&n)), "{sizes:?}");
    }

    #[test]
    fn launches_of_a_file_are_dealt_out() {
        let taker = |launch| (1..=5).filter(|&n| Shard::new(n, 5).unwrap().takes_launch(b"x", launch)).sum::<u32>();
        let first = (1..=5).find(|&number| Shard::new(number, 5).unwrap().takes(b"x")).unwrap();
        let takers: Vec<_> = (0..12).map(taker).collect();
        assert_eq!(takers, (0..12).map(|launch| (first - 1 + launch) % 5 + 1).collect::<Vec<_>>());
    }

    #[test]
    fn the_partition_does_not_change() {
        let shard_of = |bytes: &[u8]| (1..=16).find(|&number| Shard::new(number, 16).unwrap().takes(bytes));
        assert_eq!([b"".as_slice(), b"gcnsim", &[0; 64]].map(shard_of), [Some(3), Some(12), Some(8)]);
    }
}
