//! Recognizes containers and code objects by their first bytes, and finds them in other bytes.

use std::sync::LazyLock;

use memchr::memmem::Finder;

use super::{bundle, elf, rgp};

/// Formats that are searched for: containers and code objects.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Format {
    Bundle,
    Compressed,
    Packager,
    Archive,
    /// A capture of the Radeon GPU Profiler.
    Rgp,
    /// An ELF file of an AMD GPU.
    GpuElf,
}

pub(super) const COMPRESSED: &[u8] = b"CCOB";
pub(super) const PACKAGER: &[u8] = &[0x10, 0xff, 0x10, 0xad];
const ARCHIVE: &[u8] = b"!<arch>\n";
const THIN_ARCHIVE: &[u8] = b"!<thin>\n";
const ELF: &[u8] = b"\x7fELF";

impl Format {
    /// The format of `data`, by its first bytes.
    pub fn at(data: &[u8]) -> Option<Format> {
        match data {
            _ if data.starts_with(bundle::MAGIC) => Some(Format::Bundle),
            _ if data.starts_with(COMPRESSED) => Some(Format::Compressed),
            _ if data.starts_with(PACKAGER) => Some(Format::Packager),
            _ if data.starts_with(ARCHIVE) || data.starts_with(THIN_ARCHIVE) => Some(Format::Archive),
            _ if data.starts_with(rgp::MAGIC) => Some(Format::Rgp),
            _ if elf::is_gpu(data) => Some(Format::GpuElf),
            _ => None,
        }
    }

    /// The format of `data` in the middle of other bytes. First bytes may be equal by accident, so the fields after
    /// them must make sense, too.
    fn within(data: &[u8]) -> Option<Format> {
        let half = |at: usize| data.get(at..)?.first_chunk().map(|bytes| u16::from_le_bytes(*bytes));
        let format = Format::at(data)?;
        let makes_sense = match format {
            Format::Bundle => data.get(24..)?.first_chunk().is_some_and(|n| u64::from_le_bytes(*n) < 1 << 32),
            Format::Compressed => (1..=3).contains(&half(4)?) && half(6)? <= 1,
            Format::Packager => (1..=3).contains(&half(4)?) && half(6)? == 0,
            Format::GpuElf => true,
            Format::Archive | Format::Rgp => false,
        };
        makes_sense.then_some(format)
    }

    pub fn name(self) -> &'static str {
        match self {
            Format::Bundle => "offload bundle",
            Format::Compressed => "compressed offload bundle",
            Format::Packager => "offload binary",
            Format::Archive => "archive",
            Format::Rgp => "RGP capture",
            Format::GpuElf => "code object",
        }
    }
}

/// Finds containers and code objects in bytes.
pub(super) struct Search<'d> {
    data: &'d [u8],
    /// Whether the first byte is in the middle of other bytes, too.
    is_dump: bool,
    /// Offset of the next occurrence of each magic, if it is known; `usize::MAX` if there is none.
    next: [Option<usize>; 4],
}

static FINDERS: LazyLock<[Finder<'static>; 4]> =
    LazyLock::new(|| [ELF, bundle::MAGIC, COMPRESSED, PACKAGER].map(Finder::new));

impl<'d> Search<'d> {
    pub fn new(data: &'d [u8], is_dump: bool) -> Search<'d> {
        Search { data, is_dump, next: [None; 4] }
    }

    /// Offset and format of the first one at `from` or after it. `from` must not decrease from call to call.
    pub fn next(&mut self, mut from: usize) -> Option<(usize, Format)> {
        loop {
            let rest = self.data.get(from..)?;
            for (next, finder) in self.next.iter_mut().zip(FINDERS.iter()) {
                if next.is_none_or(|next| next < from) {
                    *next = Some(finder.find(rest).map_or(usize::MAX, |at| from + at));
                }
            }
            let at = self.next.into_iter().flatten().min().filter(|&at| at != usize::MAX)?;
            let found = &self.data[at..];
            let format = if at == 0 && !self.is_dump { Format::at(found) } else { Format::within(found) };
            match format {
                Some(format) => return Some((at, format)),
                None => from = at + 1,
            }
        }
    }
}

/// A few words on what `data` is, which is no code object.
pub fn describe(data: &[u8]) -> &'static str {
    match data {
        [] => "empty",
        [b'B', b'C', 0xc0, 0xde, ..] | [0xde, 0xc0, 0x17, 0x0b, ..] => "LLVM bitcode: compile and link it first",
        [0x03, 0x02, 0x23, 0x07, ..] => "SPIR-V, not code of a GPU",
        _ if data.starts_with(ELF) => "an ELF file of another machine",
        _ if data.iter().take(256).all(|&byte| matches!(byte, b'\t' | b'\n' | b'\r' | b' '..=b'~')) => "text",
        _ => "no code object",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accidents_are_no_containers() {
        let mut data = vec![7u8; 64];
        data.extend(COMPRESSED);
        data.extend([9; 40]);
        data.extend(PACKAGER);
        data.extend([9; 40]);
        data.extend(ELF);
        data.extend([9; 100]);
        assert!(Search::new(&data, true).next(0).is_none());
        let at = data.len();
        data.extend(COMPRESSED);
        data.extend([2, 0, 1, 0, 0]);
        assert_eq!(Search::new(&data, true).next(3), Some((at, Format::Compressed)));
    }
}
