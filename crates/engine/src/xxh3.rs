//! XXH3-64, the hash of states, buffers and result files. It uses the widest vectors of the processor, which a build
//! for all processors detects at run time.

use std::hash::Hasher;

use twox_hash::XxHash3_64;
use twox_hash::xxhash3_64::{DEFAULT_SECRET_LENGTH, RawHasher, SecretBuffer};

/// The hash of bytes.
pub fn xxh3(bytes: &[u8]) -> u64 {
    XxHash3_64::oneshot(bytes)
}

/// The hash of bytes with a seed.
pub fn xxh3_with_seed(seed: u64, bytes: &[u8]) -> u64 {
    XxHash3_64::oneshot_with_seed(seed, bytes)
}

/// A hash to which bytes are added piece by piece.
#[derive(Clone)]
pub struct Xxh3(RawHasher<&'static [u8; DEFAULT_SECRET_LENGTH]>);

impl Xxh3 {
    /// A hash of no bytes.
    pub fn new() -> Xxh3 {
        Xxh3(RawHasher::new(SecretBuffer::default()))
    }

    /// Adds bytes.
    pub fn update(&mut self, bytes: &[u8]) {
        self.0.write(bytes);
    }

    /// The hash of all bytes so far.
    pub fn digest(&self) -> u64 {
        self.0.finish()
    }
}

impl Default for Xxh3 {
    fn default() -> Xxh3 {
        Xxh3::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_implementation_agrees() {
        let bytes: Vec<u8> = (0..5000u32).map(|i| ((i * i) >> 3) as u8).collect();
        for length in (0..600).chain([1023, 1024, 1025, 4096, 5000]) {
            let expected = xxhash_rust::xxh3::xxh3_64(&bytes[..length]);
            assert_eq!(xxh3(&bytes[..length]), expected, "{length}");
            assert_eq!(
                xxh3_with_seed(length as u64, &bytes[..length]),
                xxhash_rust::xxh3::xxh3_64_with_seed(&bytes[..length], length as u64),
                "{length} with a seed"
            );
            for piece in [1, 7, 64, 300] {
                let mut hash = Xxh3::new();
                bytes[..length].chunks(piece).for_each(|piece| hash.update(piece));
                assert_eq!(hash.digest(), expected, "{length} in pieces of {piece}");
            }
        }
    }
}
