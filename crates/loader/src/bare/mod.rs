//! Code of shaders without an ELF file around it, and what is known of each.
//!
//! | | |
//! |---|---|
//! | text of a driver or a disassembler | `listing` |
//! | a shader of a PlayStation 4 | `console` |
//!
//! The shaders of a file lie one after the other, each at a multiple of 256, the first at 0. So each has addresses of
//! its own in listings.

mod console;
mod listing;

use crate::bytes::FileBytes;
use crate::error::LoadError;
use crate::{Entry, FileKind, Loaded, Reading, Shader, Skipped};
use gcnsim_isa::Arch;

/// Alignment of shaders in bytes.
const ALIGN: u64 = 256;

/// A shader that was found.
struct Bare {
    name: String,
    /// Its code, and the constants behind it.
    code: FileBytes,
    /// Length of the code in bytes without constants.
    code_length: u64,
    /// Offset of the code in the file; `None` if the file does not hold it as bytes.
    file_offset: Option<u64>,
    shader: Shader,
}

/// What a file holds.
struct Found {
    kind: FileKind,
    target: Option<&'static str>,
    arch: Option<Arch>,
    shaders: Vec<Bare>,
    skipped: Vec<Skipped>,
}

/// Whether a file of these bytes may be one that [`read`] takes. A quick check: most code is `false`.
#[inline]
pub(crate) fn may_be(bytes: &[u8]) -> bool {
    crate::foreign::begins_like_text(bytes) || console::may_be(bytes)
}

/// Reads a file. `None` if it is of another kind.
///
/// # Errors
/// [`LoadError`] if it is broken, or has no code words.
pub(crate) fn read(bytes: &FileBytes, reading: Reading) -> Result<Option<Loaded>, LoadError> {
    if reading.raw || !may_be(bytes.as_ref()) {
        return Ok(None);
    }
    let found = match console::read(bytes)? {
        Some(found) => Some(found),
        None => listing::read(bytes.as_ref(), reading.arch)?,
    };
    Ok(found.map(|found| loaded(found, bytes)))
}

fn loaded(found: Found, bytes: &FileBytes) -> Loaded {
    let Found { kind, target, arch, shaders, skipped } = found;
    let mut end = 0u64;
    let code_lengths = shaders.iter().map(|shader| shader.code_length).collect();
    let entry = |Bare { name, code, file_offset, shader, .. }| {
        let address = end.next_multiple_of(ALIGN);
        end = address + code.as_ref().len() as u64;
        let file_offset = file_offset.unwrap_or(address);
        Entry {
            kernel: Some(name),
            target,
            arch,
            part: None,
            code,
            address,
            file_offset,
            shader,
            section: None,
            relocations: None,
        }
    };
    let entries = shaders.into_iter().map(entry).collect();
    Loaded { kind, entries, remark: None, skipped, parts: Vec::new(), code_lengths, bytes: bytes.clone() }
}
