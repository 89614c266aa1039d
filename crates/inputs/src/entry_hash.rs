//! The hash that identifies an entry's contents.

use std::fmt;

use sha2::{Digest, Sha256};

use crate::{hex, unhex};

/// Hash of an entry's contents. As text it is the 64 hex digits of `code`; in a dispatch `+` and the 64 digits of
/// `launch` follow.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct EntryHash {
    /// SHA-256 of the entry's bytes.
    pub code: [u8; 32],
    /// In dispatches, SHA-256 of the launch and its inputs.
    pub launch: Option<[u8; 32]>,
}

impl EntryHash {
    /// Returns the hash of an entry without a launch.
    pub const fn of_code(code: [u8; 32]) -> EntryHash {
        EntryHash { code, launch: None }
    }

    /// Reads a hash from its text; `None` if `text` is something else.
    pub fn parse(text: &str) -> Option<EntryHash> {
        match text.split_once('+') {
            Some((code, launch)) => Some(EntryHash { code: unhex(code)?, launch: Some(unhex(launch)?) }),
            None => unhex(text).map(EntryHash::of_code),
        }
    }
}

impl fmt::Display for EntryHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hex(&self.code))?;
        match &self.launch {
            Some(launch) => write!(f, "+{}", hex(launch)),
            None => Ok(()),
        }
    }
}

/// Returns what stands for a launch in the hash of a synthetic run: the name of the world in ASCII.
pub fn world_hash(name: &str) -> [u8; 32] {
    let mut hash = [0; 32];
    hash.iter_mut().zip(name.bytes()).for_each(|(hash, byte)| *hash = byte);
    hash
}

/// Most bytes of a file whose SHA-256 is taken for a `bad-input` line or for `--resume`.
pub const HASH_LIMIT: usize = 1 << 30;

/// Returns the SHA-256 of `bytes`.
pub fn hash(bytes: &[u8]) -> [u8; 32] {
    Sha256::digest(bytes).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_leads_back() {
        let plain = EntryHash::of_code([0x1f; 32]);
        let launch = EntryHash { launch: Some([2; 32]), ..plain };
        assert_eq!(launch.to_string(), format!("{}+{}", "1f".repeat(32), "02".repeat(32)));
        for hash in [plain, launch] {
            assert_eq!(EntryHash::parse(&hash.to_string()), Some(hash));
        }
        let (long, short) = ("1f".repeat(32), "1f".repeat(31));
        for wrong in [format!("{long}+{short}"), format!("{long}+"), short.clone(), format!("{short}xy")] {
            assert_eq!(EntryHash::parse(&wrong), None, "{wrong}");
        }
    }
}
