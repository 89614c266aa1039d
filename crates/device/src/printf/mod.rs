//! The text that a kernel has printed, from the printf buffer of a dispatch, with the format strings of the metadata.
//!
//! The buffer begins with two dwords: the number of bytes that waves have asked for so far, and the number of bytes
//! after the two dwords. Records follow. There are two protocols, and the format strings show which one an object uses:
//!
//! | | OpenCL (`ID:N:SIZE..:FORMAT`) | HIP with `-mprintf-kind=buffered` (`0:0:HASH,FORMAT`) |
//! |---|---|---|
//! | head | dword: the format's ID | dword: bytes of the record << 2, bit 1: a hash follows, bit 0: stderr |
//! | format | by its ID | by its hash (8 bytes), or as text, padded to 8 bytes |
//! | numbers | of the size that the format states, padded to 4 bytes | 8 bytes; floats are doubles |
//! | strings | their bytes, ended by 0, of the size stated | their bytes, ended by 0, padded to 8 bytes |
//!
//! Sources: LLVM's AMDGPUPrintfRuntimeBinding and AMDGPUEmitPrintf, and ROCm's clr (rocprintf, devhcprintf).

pub mod c;
mod conversion;
mod number;
mod record;

use gcnsim_machine::Backing;

use crate::abi::PRINTF_HEAD as HEAD;
use record::{Arguments, Expand};

/// Most bytes of printed text. A record of a few bytes can print a format of any length.
const MOST_TEXT: usize = 64 << 20;
/// Most bytes of formats that are expanded in all. Formats count even if they print less than their length.
const MOST_FORMATS: usize = 4 * MOST_TEXT;

/// Text that a kernel has printed.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Printed {
    /// The text, in the order of the records.
    pub text: Vec<u8>,
    /// The reason why text is missing or may be missing, if it is.
    pub missing: Option<Missing>,
}

/// The reason why some of the text that a kernel has printed is missing, or may be.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Missing {
    /// Some records had no room in the buffer.
    #[error("the printf buffer of {bytes} bytes is full: {lost} bytes did not fit")]
    Full {
        /// Size of the buffer in bytes, without its head.
        bytes: u64,
        /// Number of bytes that did not fit.
        lost: u64,
    },
    /// There may have been a record that had no room. Some kernels leave the buffer as it is then.
    #[error("the printf buffer of {bytes} bytes is as good as full: text may be missing")]
    AlmostFull {
        /// Size of the buffer in bytes, without its head.
        bytes: u64,
    },
    /// The last bytes are no record.
    #[error("{count} bytes of the printf buffer, from byte {from} on, are no text")]
    NoText {
        /// Their number.
        count: u64,
        /// The first of them.
        from: u64,
    },
    /// The text has reached its limit.
    #[error("the text is cut after {} MiB", MOST_TEXT >> 20)]
    Cut,
}

/// A format string of the metadata.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Format {
    /// Number (OpenCL) or hash (HIP).
    id: u64,
    /// Bytes of each argument in the buffer (OpenCL).
    sizes: Vec<u64>,
    /// Bytes of a record (OpenCL).
    len: u64,
    /// The format, without escape sequences.
    text: Vec<u8>,
}

/// The format strings of a code object.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Formats {
    /// Whether the protocol is HIP's rather than OpenCL's.
    is_hip: bool,
    /// The formats, sorted by ID.
    all: Vec<Format>,
}

/// Function that returns the bytes of the guest string at an address, up to its end.
pub type StringAt<'a> = &'a dyn Fn(u64) -> Option<Vec<u8>>;

/// Returns the text in a printf buffer, as [`printed`] does. Only what was written of it is read.
pub fn of_buffer(entries: &[Vec<u8>], buffer: &Backing, string_at: StringAt<'_>) -> Printed {
    let wanted = u32::from_le_bytes(buffer.read(0)) as usize;
    let mut bytes = vec![0; buffer.len()];
    let used = bytes.len().min(HEAD.saturating_add(wanted));
    buffer.read_into(0, &mut bytes[..used]);
    printed(entries, &bytes, string_at)
}

/// Returns the text in a printf buffer. `entries` are the format strings of the metadata; `buffer` begins with its two
/// head dwords. `string_at` reads strings whose address the buffer states.
pub fn printed(entries: &[Vec<u8>], buffer: &[u8], string_at: StringAt<'_>) -> Printed {
    let dword = |at: usize| buffer.get(at..at + 4).map_or(0, record::number);
    let wanted = dword(0);
    let data = buffer.get(HEAD..).unwrap_or_default();
    let mut printed = Printed::default();
    let formats = Formats::new(entries);
    let records = &data[..data.len().min(usize::try_from(wanted).unwrap_or(usize::MAX))];
    let unread = formats.expand(records, &mut printed.text, string_at);
    printed.missing = missing(&formats, wanted, data.len() as u64, unread);
    printed
}

/// Returns why text is missing or may be missing. `unread` is why some records are not in the text.
fn missing(formats: &Formats, wanted: u64, bytes: u64, unread: Option<Missing>) -> Option<Missing> {
    if wanted > bytes {
        return Some(Missing::Full { bytes, lost: wanted - bytes });
    }
    // Some kernels count the head as part of the buffer and leave its last bytes unused.
    let left = (bytes - wanted).saturating_sub(HEAD as u64);
    unread.or((left < formats.longest()).then_some(Missing::AlmostFull { bytes }))
}

impl Formats {
    fn new(entries: &[Vec<u8>]) -> Formats {
        let is_hip = !entries.is_empty() && entries.iter().all(|entry| entry.starts_with(b"0:0:"));
        let read = if is_hip { of_hip } else { of_opencl };
        let mut all: Vec<Format> = entries.iter().filter_map(|entry| read(entry)).collect();
        all.sort_by_key(|format| format.id);
        Formats { is_hip, all }
    }

    fn by_id(&self, id: u64) -> Option<&Format> {
        self.all.binary_search_by_key(&id, |format| format.id).ok().map(|at| &self.all[at])
    }

    /// Returns the length of the longest record in bytes, as far as it is known.
    fn longest(&self) -> u64 {
        let record = |format: &Format| match self.is_hip {
            // Strings have any length, so the size is an estimate.
            true => 12 + 32 * format.text.iter().filter(|&&byte| byte == b'%').count() as u64,
            false => format.len,
        };
        self.all.iter().map(record).max().unwrap_or(0)
    }

    /// Appends the text of all records. Returns the reason if it leaves some out.
    fn expand(&self, records: &[u8], text: &mut Vec<u8>, string_at: StringAt<'_>) -> Option<Missing> {
        let (mut rest, mut formats) = (records, 0);
        let no_text =
            |rest: &[u8]| Missing::NoText { count: rest.len() as u64, from: (records.len() - rest.len()) as u64 };
        while rest.len() >= 4 {
            let Some((format, arguments, len)) = self.record(rest) else {
                return Some(no_text(rest));
            };
            formats += format.len();
            Expand { text, most: MOST_TEXT, arguments, string_at }.format(format);
            if text.len() >= MOST_TEXT || formats >= MOST_FORMATS {
                text.truncate(MOST_TEXT);
                return Some(Missing::Cut);
            }
            rest = rest.get(len..).unwrap_or_default();
        }
        (!rest.is_empty()).then(|| no_text(rest))
    }

    /// Returns the format of the first record, its arguments, and its length in bytes.
    fn record<'a>(&'a self, bytes: &'a [u8]) -> Option<(&'a [u8], Arguments<'a>, usize)> {
        let head = record::number(bytes.get(..4)?);
        if !self.is_hip {
            let format = self.by_id(head)?;
            let len = usize::try_from(format.len).ok()?;
            return Some((&format.text, Arguments::opencl(bytes.get(4..len)?, &format.sizes), len));
        }
        let len = usize::try_from(head >> 2).ok().filter(|&len| len >= 4)?;
        let body = bytes.get(4..len)?;
        if head & 2 != 0 {
            let format = self.by_id(record::number(body.get(..8)?))?;
            return Some((&format.text, Arguments::hip(&body[8..]), len));
        }
        let end = body.iter().position(|&byte| byte == 0)?;
        let arguments = body.get(padded(end as u64 + 1, 8) as usize..).unwrap_or_default();
        Some((&body[..end], Arguments::hip(arguments), len))
    }
}

/// Returns `size` rounded up to a multiple of `to`.
fn padded(size: u64, to: u64) -> u64 {
    size.checked_next_multiple_of(to).unwrap_or(u64::MAX)
}

/// Reads `0:0:HASH,FORMAT`. The format has no escapes.
fn of_hip(entry: &[u8]) -> Option<Format> {
    let rest = entry.strip_prefix(b"0:0:")?;
    let comma = rest.iter().position(|&byte| byte == b',')?;
    let id = u64::from_str_radix(str::from_utf8(&rest[..comma]).ok()?, 16).ok()?;
    Some(Format { id, sizes: Vec::new(), len: 0, text: rest[comma + 1..].to_vec() })
}

/// Reads `ID:N:SIZE:..:FORMAT`. N is the number of arguments in the source; only arguments that a conversion takes have
/// sizes. A format that begins with a number and a colon is no size, because a colon in a format is `\72`.
fn of_opencl(entry: &[u8]) -> Option<Format> {
    let mut rest = entry;
    let mut next = || -> Option<u64> {
        let colon = rest.iter().position(|&byte| byte == b':')?;
        let number = str::from_utf8(&rest[..colon]).ok()?.parse().ok()?;
        rest = &rest[colon + 1..];
        Some(number)
    };
    let (id, count) = (next()?, next()?);
    let sizes: Vec<u64> = (0..count).map_while(|_| next()).collect();
    let len = sizes.iter().fold(4u64, |sum, &size| sum.saturating_add(padded(size, 4)));
    Some(Format { id, sizes, len, text: unescaped(rest) })
}

/// Undoes the compiler's escapes of control characters and of colons (`\72`). Other backslashes stay.
fn unescaped(text: &[u8]) -> Vec<u8> {
    let mut plain = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((&byte, behind)) = rest.split_first() {
        let escaped = match (byte, behind) {
            (b'\\', [b'a', ..]) => Some((7, 1)),
            (b'\\', [b'b', ..]) => Some((8, 1)),
            (b'\\', [b'f', ..]) => Some((12, 1)),
            (b'\\', [b'n', ..]) => Some((b'\n', 1)),
            (b'\\', [b'r', ..]) => Some((b'\r', 1)),
            (b'\\', [b'v', ..]) => Some((11, 1)),
            (b'\\', [b'7', b'2', ..]) => Some((b':', 2)),
            _ => None,
        };
        let (byte, used) = escaped.unwrap_or((byte, 0));
        plain.push(byte);
        rest = &behind[used..];
    }
    plain
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
