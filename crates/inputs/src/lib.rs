//! Makes files, folders, lists and archives into one ordered list, and reads their bytes.
//!
//! | file | what it does |
//! |---|---|
//! | `inputs/`, `listing`, `naming` | the list: what is taken of folders, archives and lists, and what lies beside it |
//! | `file`, `name`, `entry_hash` | a file of the list; names and hashes of what is in it |
//! | `opener`, `arch` | from a file to what the loader makes of it, for its generation |
//! | `reader`, `folder`, `ring` | the bytes, read ahead by io_uring where the system can |
//! | `archive`, `tar` | members of archives |
//! | `plan`, `shard` | parts of a list for many machines |
#![deny(unsafe_code)]

pub mod arch;
mod archive;
pub mod entry_hash;
pub mod file;
#[cfg(unix)]
mod folder;
pub mod inputs;
mod listing;
pub mod name;
mod naming;
pub mod opener;
pub mod plan;
pub mod reader;
#[cfg(target_os = "linux")]
mod ring;
pub mod shard;
pub mod tar;

pub use arch::{ArchSource, RawFiles};
pub use entry_hash::EntryHash;
pub use file::FileName;
pub use inputs::{DataFiles, InputPath, Inputs, ListError, Skipped};
pub use name::{EntryName, PartName};
pub use opener::{OpenError, Opened, Opener};
pub use shard::{Shard, ShardError};

/// Returns `bytes` as lower-case hex digits.
pub fn hex(bytes: &[u8]) -> String {
    let digit = |n: u8| char::from_digit(n.into(), 16).unwrap_or_default();
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}

/// Returns the SHA-256 that `text` states in 64 hex digits, or `None` if it is something else.
pub fn unhex(text: &str) -> Option<[u8; 32]> {
    let mut bytes = [0; 32];
    if text.len() != 64 || !text.is_ascii() {
        return None;
    }
    for (i, byte) in bytes.iter_mut().enumerate() {
        *byte = u8::from_str_radix(text.get(2 * i..2 * i + 2)?, 16).ok()?;
    }
    Some(bytes)
}
