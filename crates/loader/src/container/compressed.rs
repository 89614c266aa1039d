//! Compressed offload bundles.
//!
//! ```text
//! offset 0  CCOB, version (u16: 1 to 3), method (u16: 0 zlib, 1 zstd)
//!        8  version 1                     unpacked size (u32), hash (u64)
//!           version 2  file size (u32),   unpacked size (u32), hash (u64)
//!           version 3  file size (u64),   unpacked size (u64), hash (u64)
//! ```
//! Source: LLVM, "Clang Offload Bundler", compressed bundles. The hash is not checked; zlib and zstd have their own.

use std::io::{BufRead, Read};

use super::{DEPTH, Place, Walk};
use crate::bytes::FileBytes;
use crate::error::LoadError;

/// Limit in bytes for what a file of `length` bytes may unpack to. Typical code objects shrink to a fifth, and many
/// similar ones to a fiftieth.
pub(super) fn limit(length: usize) -> usize {
    (length.saturating_mul(256).saturating_add(64 << 20)).min(1 << 30)
}

fn error(offset: u64, what: impl Into<String>) -> LoadError {
    LoadError::Container { kind: "compressed offload bundle", offset, what: what.into() }
}

struct Header {
    is_zstd: bool,
    /// Length of the header in bytes.
    length: usize,
    /// Length of header and data in bytes, if the header states it.
    file_size: Option<u64>,
    unpacked_size: u64,
}

impl Header {
    fn parse(data: &[u8]) -> Result<Header, LoadError> {
        let short = || error(data.len() as u64, "the header is cut short");
        let half = |at: usize| data.get(at..).and_then(|rest| rest.first_chunk().copied()).map(u16::from_le_bytes);
        let word = |at: usize| data.get(at..).and_then(|rest| rest.first_chunk().copied()).map(u32::from_le_bytes);
        let double = |at: usize| data.get(at..).and_then(|rest| rest.first_chunk().copied()).map(u64::from_le_bytes);
        let (version, method) = (half(4).ok_or_else(short)?, half(6).ok_or_else(short)?);
        let is_zstd = match method {
            0 => false,
            1 => true,
            other => return Err(error(6, format!("method {other} of compression is not known (0 zlib, 1 zstd)"))),
        };
        let wide = |at: usize| word(at).map(u64::from).ok_or_else(short);
        let (length, file_size, unpacked_size) = match version {
            1 => (20, None, wide(8)?),
            2 => (24, Some(wide(8)?), wide(12)?),
            3 => (32, Some(double(8).ok_or_else(short)?), double(16).ok_or_else(short)?),
            other => return Err(error(4, format!("version {other} is not known (1 to 3)"))),
        };
        Ok(Header { is_zstd, length, file_size, unpacked_size })
    }
}

/// Adds the parts of the compressed bundle at the beginning of `bytes`. Returns the length of the packed bundle in
/// bytes.
pub(super) fn read(walk: &mut Walk, bytes: &FileBytes, place: &Place) -> Result<usize, LoadError> {
    let data = bytes.as_ref();
    if place.depth >= DEPTH {
        return Err(error(0, "too many containers within each other"));
    }
    let header = Header::parse(data)?;
    let end = match header.file_size {
        None => data.len(),
        Some(size) if size < header.length as u64 => {
            return Err(error(8, format!("{size} bytes are less than its header")));
        }
        Some(size) if size > data.len() as u64 => {
            return Err(error(8, format!("its {size:#x} bytes exceed the {:#x} bytes that are there", data.len())));
        }
        Some(size) => size as usize,
    };
    if header.unpacked_size > walk.unpacked as u64 {
        let what = format!("it unpacks to {} bytes; {} are the most", header.unpacked_size, walk.unpacked);
        return Err(error(8, what));
    }
    let packed = data.get(header.length..end).ok_or_else(|| error(data.len() as u64, "the header is cut short"))?;
    let unpacked = unpack(packed, header.is_zstd, header.unpacked_size);
    let (unpacked, used) = unpacked.map_err(|what| error(header.length as u64, what))?;
    if unpacked.len() as u64 != header.unpacked_size {
        let what = format!("it unpacks to other than the {} bytes that it states", header.unpacked_size);
        return Err(error(header.length as u64, what));
    }
    walk.unpacked -= unpacked.len();
    // Offsets of parts count from the beginning of the unpacked bundle.
    walk.sequence(&unpacked.into(), &Place { file_offset: 0, ..place.within() })?;
    Ok(header.file_size.map_or(header.length + used, |_| end))
}

/// Unpacks `packed`, but at most one byte more than `size`. Also returns the number of packed bytes used.
pub(super) fn unpack(packed: &[u8], is_zstd: bool, size: u64) -> Result<(Vec<u8>, usize), String> {
    let most = size.saturating_add(1);
    let mut unpacked = Vec::new();
    let mut rest = packed;
    if is_zstd {
        let decoder = ruzstd::decoding::StreamingDecoder::new_with_max_window_size(&mut rest, most.max(1 << 27));
        let decoder = decoder.map_err(|error| format!("zstd: {error},"))?;
        decoder.take(most).read_to_end(&mut unpacked).map_err(|error| format!("zstd: {error},"))?;
    } else {
        let decoder = flate2::bufread::ZlibDecoder::new(&mut rest as &mut dyn BufRead);
        decoder.take(most).read_to_end(&mut unpacked).map_err(|error| format!("zlib: {error},"))?;
    }
    Ok((unpacked, packed.len() - rest.len()))
}
