//! LLVM's offload binaries (clang-offload-packager, section `.llvm.offloading`).
//!
//! ```text
//! offset 0   10 ff 10 ad, version (u32), size of all (u64)
//!        16  version 1: offset and size of the one entry; later: offset of the entries, their number (u64 each)
//!        32  version 3: size of all before what follows this header was compressed (u64); 0 if it is not
//! entry: kind of image (u16), kind of offloading (u16), flags (u32),
//!        offset of strings, number of strings, offset of image, size of image (u64 each)
//! string: offsets of key and value (u64 each), later than version 1 the size of the value
//! ```
//! Offsets count from the magic. Compressed data are a stream of zlib or of zstd, as their first bytes tell, and the
//! offsets are those before. Source: LLVM, `OffloadBinary.h`; of version 3 LLVM's pull request 222774, as of September
//! 2026.

use super::{DEPTH, Place, Walk, compressed};
use crate::bytes::FileBytes;
use crate::error::LoadError;

const ENTRY: u64 = 40;
/// Limit in bytes for a string.
const STRING: usize = 4096;
/// Limit for the strings of an entry.
const STRINGS: u64 = 256;

fn error(offset: u64, what: impl Into<String>) -> LoadError {
    LoadError::Container { kind: "offload binary", offset, what: what.into() }
}

/// The bytes of an offload binary.
struct Binary<'d>(&'d [u8]);

impl Binary<'_> {
    fn u64(&self, at: u64) -> Result<u64, LoadError> {
        let bytes = usize::try_from(at).ok().and_then(|at| self.0.get(at..)?.first_chunk());
        bytes.map(|bytes| u64::from_le_bytes(*bytes)).ok_or_else(|| error(at, "it is cut short"))
    }

    /// The string at the offset `at`. A byte 0 ends it.
    fn text(&self, at: u64) -> Result<String, LoadError> {
        let rest = usize::try_from(at).ok().and_then(|at| self.0.get(at..)).unwrap_or_default();
        let length = rest.iter().take(STRING).position(|&byte| byte == 0);
        let length = length.ok_or_else(|| error(at, "a string without an end"))?;
        Ok(String::from_utf8_lossy(&rest[..length]).into_owned())
    }
}

/// Length of the header of version 3 in bytes.
const HEADER_3: usize = 40;

/// Adds the images of the offload binary at the beginning of `bytes`. Returns its length in bytes.
pub(super) fn read(walk: &mut Walk, bytes: &FileBytes, place: &Place) -> Result<usize, LoadError> {
    let all = Binary(bytes.as_ref());
    let (version, size) = (all.u64(0)? >> 32, all.u64(8)?);
    if size < 32 || size > all.0.len() as u64 {
        return Err(error(8, format!("its {size:#x} bytes are not the {:#x} bytes that are there", all.0.len())));
    }
    let binary = Binary(&all.0[..size as usize]);
    if !(1..=3).contains(&version) {
        return Err(error(4, format!("version {version} is not known (1 to 3)")));
    }
    let inflated = if version == 3 { binary.u64(32)? } else { 0 };
    if inflated == 0 {
        images(walk, bytes, place, size, version)?;
    } else {
        if place.depth >= DEPTH {
            return Err(error(0, "too many containers within each other"));
        }
        let unpacked = unpacked(&binary, inflated, walk.unpacked)?;
        walk.unpacked -= unpacked.len();
        // Offsets of parts count from the beginning of the unpacked binary.
        images(walk, &unpacked.into(), &Place { file_offset: 0, ..place.within() }, inflated, version)?;
    }
    Ok(size as usize)
}

/// Returns an offload binary of version 3 as it was before it was compressed: `inflated` bytes, at most `most`.
fn unpacked(binary: &Binary<'_>, inflated: u64, most: usize) -> Result<Vec<u8>, LoadError> {
    if inflated > most as u64 {
        return Err(error(32, format!("it unpacks to {inflated} bytes; {most} are the most")));
    }
    let (Some((header, packed)), Some(size)) =
        (binary.0.split_at_checked(HEADER_3), inflated.checked_sub(HEADER_3 as u64))
    else {
        return Err(error(32, format!("its {inflated} bytes are less than its header")));
    };
    let is_zstd = packed.starts_with(&[0x28, 0xb5, 0x2f, 0xfd]);
    let (rest, _) = compressed::unpack(packed, is_zstd, size).map_err(|what| error(HEADER_3 as u64, what))?;
    if rest.len() as u64 != size {
        let what = format!("it unpacks to other than the {inflated} bytes that it states");
        return Err(error(HEADER_3 as u64, what));
    }
    Ok([header, &rest].concat())
}

/// Adds the images of the offload binary in the first `size` of `bytes`.
fn images(walk: &mut Walk, bytes: &FileBytes, place: &Place, size: u64, version: u64) -> Result<(), LoadError> {
    let binary = Binary(bytes.as_ref().get(..size as usize).unwrap_or_default());
    let first = binary.u64(16)?;
    let count = if version == 1 { (binary.u64(24)? / ENTRY).max(1) } else { binary.u64(24)? };
    let end = count.checked_mul(ENTRY).and_then(|length| first.checked_add(length)).filter(|&end| end <= size);
    end.ok_or_else(|| error(24, format!("{count} entries at {first:#x} exceed it")))?;
    let mut left = size;
    for number in 0..count {
        let at = first + ENTRY * number;
        let entry = Entry::read(&binary, at, version)?;
        let range = entry.offset.checked_add(entry.size).filter(|&end| end <= size);
        let image = range.and_then(|end| bytes.slice(entry.offset as usize..end as usize));
        let image = image.ok_or_else(|| error(at, format!("image {number} exceeds it, entry")))?;
        left =
            left.checked_sub(entry.size).ok_or_else(|| error(at, format!("image {number} overlaps others, entry")))?;
        let name = format!("{}{}", place.prefix, entry.name);
        let moved = |error: LoadError| error.moved(entry.offset);
        walk.named(name, image, &place.at(entry.offset as usize)).map_err(moved)?;
    }
    Ok(())
}

struct Entry {
    /// The name that a bundle would give it: kind, triple, target id.
    name: String,
    offset: u64,
    size: u64,
}

impl Entry {
    fn read(binary: &Binary, at: u64, version: u64) -> Result<Entry, LoadError> {
        let kind = match binary.u64(at)? >> 16 & 0xffff {
            1 => "openmp",
            2 => "cuda",
            4 => "hip",
            8 => "sycl",
            _ => "none",
        };
        let [strings, count, offset, size] = [8, 16, 24, 32].map(|field| binary.u64(at + field));
        let (strings, count) = (strings?, count?);
        if count > STRINGS {
            return Err(error(at + 16, format!("{count} strings of an entry")));
        }
        let (mut triple, mut arch) = (String::new(), String::new());
        let step = if version == 1 { 16 } else { 24 };
        for number in 0..count {
            let string = strings.checked_add(step * number).ok_or_else(|| error(at + 8, "strings exceed it"))?;
            match binary.text(binary.u64(string)?)?.as_str() {
                "triple" => triple = binary.text(binary.u64(string.saturating_add(8))?)?,
                "arch" => arch = binary.text(binary.u64(string.saturating_add(8))?)?,
                _ => {}
            }
        }
        Ok(Entry { name: format!("{kind}-{triple}--{arch}"), offset: offset?, size: size? })
    }
}
