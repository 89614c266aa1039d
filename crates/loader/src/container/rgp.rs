//! Captures of the Radeon GPU Profiler: a PAL object for each pipeline.
//!
//! ```text
//! offset 0   42 30 30 50, version (u32 major, u32 minor), flags (u32), offset of the first chunk (i32), time
//! chunk: kind (u8), index (i8), reserved (u16), version (u16 minor, u16 major), size with this header (i32), reserved
//! chunk of kind 9: this header, offset, flags, size, number of objects (u32 each); for each object its size (u32) and
//!        the object
//! ```
//! The objects of RADV state no registers: they are guessed, as for code without metadata. Source: Mesa, `ac_rgp.c`.

use super::{Place, Walk};
use crate::bytes::FileBytes;
use crate::error::LoadError;

/// First bytes of a capture.
pub const MAGIC: &[u8] = b"\x42\x30\x30\x50";

/// Size of a chunk's header in bytes.
const HEADER: u64 = 16;
/// Size of the header of a chunk with code objects in bytes.
const OBJECTS_HEADER: u64 = 32;
/// The kind of a chunk with code objects.
const CODE_OBJECTS: u8 = 9;

fn error(offset: u64, what: impl Into<String>) -> LoadError {
    LoadError::Container { kind: "RGP capture", offset, what: what.into() }
}

/// The bytes of a capture.
struct Capture<'d>(&'d [u8]);

impl Capture<'_> {
    fn u32(&self, at: u64) -> Result<u64, LoadError> {
        let bytes = usize::try_from(at).ok().and_then(|at| self.0.get(at..)?.first_chunk());
        bytes.map(|bytes| u32::from_le_bytes(*bytes).into()).ok_or_else(|| error(at, "it is cut short"))
    }
}

/// Adds the code objects of the capture `bytes`.
pub(super) fn read(walk: &mut Walk, bytes: &FileBytes, place: &Place) -> Result<(), LoadError> {
    let capture = Capture(bytes.as_ref());
    let length = capture.0.len() as u64;
    let mut at = capture.u32(16)?;
    if at < 20 || at > length {
        return Err(error(16, format!("the first chunk is at {at:#x} of {length:#x} bytes,")));
    }
    let mut objects = 0;
    while at < length {
        let size = capture.u32(at + 8)?;
        if size < HEADER || size > length - at {
            return Err(error(at, format!("a chunk of {size:#x} bytes, of which {:#x} are there,", length - at)));
        }
        if capture.0[at as usize] == CODE_OBJECTS {
            objects = code_objects(walk, bytes, place, at, size, objects)?;
        }
        at += size;
    }
    if objects == 0 {
        return Err(error(0, "it has no code objects: capture with instruction tracing, or with RADV;"));
    }
    Ok(())
}

/// Adds the objects of the chunk of `size` bytes at the offset `chunk`. `before` is the number of those that chunks
/// before have. Returns the number of all.
fn code_objects(
    walk: &mut Walk,
    bytes: &FileBytes,
    place: &Place,
    chunk: u64,
    size: u64,
    before: u64,
) -> Result<u64, LoadError> {
    let capture = Capture(bytes.as_ref());
    if size < OBJECTS_HEADER {
        return Err(error(chunk, format!("a chunk of code objects with {size:#x} bytes")));
    }
    let (count, end) = (capture.u32(chunk + 28)?, chunk + size);
    let mut at = chunk + OBJECTS_HEADER;
    for number in before..before.saturating_add(count) {
        let left = end - at;
        let length = if left < 4 { None } else { Some(capture.u32(at)?).filter(|length| *length <= left - 4) };
        let start = (at + 4) as usize;
        let object = length.and_then(|length| bytes.slice(start..start + length as usize));
        let Some((object, length)) = object.zip(length) else {
            return Err(error(at, format!("code object {number} exceeds its chunk of {size:#x} bytes,")));
        };
        walk.named(format!("{}pipeline {number}", place.prefix), object, &place.at(start))
            .map_err(|error| error.moved(start as u64))?;
        at += 4 + length;
    }
    Ok(before + count)
}
