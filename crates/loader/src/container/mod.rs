//! Files that contain code objects: outputs of compilers and linkers, and dumps.
//!
//! | begins with | is | |
//! |---|---|---|
//! | `__CLANG_OFFLOAD_BUNDLE__` | clang's offload bundle, or several one after the other | [`bundle`] |
//! | `CCOB` | the same, compressed | [`compressed`] |
//! | `10 ff 10 ad` | LLVM's offload binary, or several | [`packager`] |
//! | `!<arch>\n` | `ar` archive of objects | [`archive`] |
//! | `42 30 30 50` | capture of the Radeon GPU Profiler | [`rgp`] |
//! | ELF of a host | executable or object with any of these in its sections, such as `.hip_fatbin` | |
//! | anything else | dump that has code objects or bundles somewhere | |
//!
//! Each of them may contain any of them. Everything that is found becomes a [`FilePart`], even if it is no code for the
//! supported GPUs, so that no part is dropped silently. Work and memory are bounded: the parts of a container have no
//! more bytes in total than the container, containers nest up to [`DEPTH`] deep, a file has up to [`MOST_PARTS`] parts,
//! and what a file unpacks to is limited ([`compressed`]).

mod archive;
mod bundle;
mod compressed;
mod elf;
mod packager;
mod rgp;
mod search;

use super::bytes::FileBytes;
use super::error::LoadError;
use super::part::{FilePart, PartContent, PartId};
use super::sniff::Sniffed;
pub(super) use elf::{is_host, target_id, xnack};
pub(crate) use search::Format;
use search::Search;

/// Limit for the nesting of containers.
const DEPTH: u32 = 6;
/// Limit for the parts of a file.
const MOST_PARTS: usize = 1 << 16;

/// Whether a file that begins with `head` is one of these containers or an ELF file of any machine.
pub(super) fn begins_like_container(head: &[u8]) -> bool {
    Format::at(head).is_some() || head.starts_with(b"\x7fELF")
}

/// Whether a file that does not begin like a container has code objects inside. Files of less than 1 KiB are not
/// searched, which keeps batches of small shaders quick; nor are files of more than 1 GiB.
pub(super) fn is_dump(data: &[u8]) -> bool {
    const LENGTHS: std::ops::RangeInclusive<usize> = 1 << 10..=1 << 30;
    LENGTHS.contains(&data.len()) && Search::new(data, true).next(0).is_some()
}

/// Whether a file is an offload bundle that clang wrote as text, in comments of some language.
pub(super) fn is_text_bundle(data: &[u8]) -> bool {
    const START: &[u8] = b"__CLANG_OFFLOAD_BUNDLE____START__";
    memchr::memmem::find(&data[..data.len().min(256)], START).is_some()
}

/// The parts of `file`. `None` if it has none: it is a code object itself, or raw code.
///
/// # Errors
/// [`LoadError`] for a broken container.
pub(super) fn parts(file: &FileBytes, sniffed: Sniffed) -> Result<Option<Vec<FilePart>>, LoadError> {
    let data = file.as_ref();
    let is_found = !matches!(sniffed, Sniffed::Container(_));
    let mut walk = Walk { parts: Vec::new(), unpacked: compressed::limit(data.len()), is_found };
    let whole = Place { file_offset: 0, prefix: "", depth: 0 };
    match sniffed {
        Sniffed::Container(Format::GpuElf) => match elf::extent(data) {
            // Other code objects may follow it.
            Some(end) if Search::new(data, false).next(end).is_some() => walk.sequence(file, &whole)?,
            _ => return Ok(None),
        },
        Sniffed::Container(format) => walk.whole(format, file, &whole)?,
        Sniffed::Host | Sniffed::Dump => walk.dump(file, &whole),
        Sniffed::Driver(_) | Sniffed::Elf | Sniffed::Raw => return Ok(None),
    }
    Ok(Some(walk.parts).filter(|parts| !parts.is_empty() || !is_found))
}

/// Where some bytes are.
#[derive(Clone, Copy)]
struct Place<'a> {
    /// Offset in the file, or in the unpacked data that they are in.
    file_offset: u64,
    /// The beginning of the names of the parts.
    prefix: &'a str,
    /// Number of containers around the bytes.
    depth: u32,
}

impl Place<'_> {
    fn at(self, offset: usize) -> Self {
        Place { file_offset: self.file_offset + offset as u64, ..self }
    }

    fn within(self) -> Self {
        Place { depth: self.depth + 1, ..self }
    }
}

/// The parts found so far, and what limits the search.
struct Walk {
    parts: Vec<FilePart>,
    /// Number of bytes that may still be unpacked.
    unpacked: usize,
    /// Whether the file is a dump or a host file, where bytes may look like code by accident.
    is_found: bool,
}

impl Walk {
    fn push(&mut self, name: String, bytes: FileBytes, place: &Place, content: PartContent) -> Result<(), LoadError> {
        if self.parts.len() == MOST_PARTS {
            return Err(LoadError::bundle(place.file_offset, format!("more than {MOST_PARTS} parts")));
        }
        let mut id = PartId::new(name, self.parts.len());
        if id.target.is_empty() {
            id.target = elf::target_id(bytes.as_ref()).unwrap_or_default();
        }
        let is_found = self.is_found;
        self.parts.push(FilePart { id: id.into(), bytes, offset: place.file_offset, content, is_found, remark: None });
        Ok(())
    }

    /// Adds the part `bytes` with the name `name`. If it is a container, adds its parts.
    fn named(&mut self, name: String, bytes: FileBytes, place: &Place) -> Result<(), LoadError> {
        let data = bytes.as_ref();
        let other = |what: &str| PartContent::Other(what.to_owned());
        let is_host = name.rsplit(": ").next().is_some_and(|name| name.starts_with("host-"));
        let content = match Format::at(data) {
            Some(Format::GpuElf) => PartContent::CodeObject,
            Some(_) if place.depth >= DEPTH => other("too many containers within each other"),
            Some(format) => {
                let prefix = format!("{name}: ");
                let place = Place { prefix: &prefix, ..place.within() };
                return self.whole(format, &bytes, &place);
            }
            None if elf::is_host(data) && place.depth < DEPTH => {
                let before = self.parts.len();
                let prefix = format!("{name}: ");
                self.dump(&bytes, &Place { prefix: &prefix, ..place.within() });
                if self.parts.len() > before {
                    return Ok(());
                }
                PartContent::Host
            }
            None if is_host => PartContent::Host,
            None => other(search::describe(data)),
        };
        self.push(name, bytes, place, content)
    }

    /// Adds the parts of `bytes`, which begin with a container of the format `format`.
    fn whole(&mut self, format: Format, bytes: &FileBytes, place: &Place) -> Result<(), LoadError> {
        match format {
            Format::Archive => self.archive(bytes, place),
            // Nothing follows it: its chunks fill the file.
            Format::Rgp => rgp::read(self, bytes, place),
            Format::Bundle | Format::Compressed | Format::Packager | Format::GpuElf => self.sequence(bytes, place),
        }
    }

    /// Adds containers that follow each other; the first one begins at the first byte. Zeros between them, which
    /// linkers leave, are skipped.
    fn sequence(&mut self, bytes: &FileBytes, place: &Place) -> Result<(), LoadError> {
        let data = bytes.as_ref();
        let mut search = Search::new(data, false);
        let mut end = 0;
        while let Some((start, format)) = search.next(end) {
            self.rest(bytes, end..start, place)?;
            end = start + self.one(format, bytes, start, place)?.max(1);
        }
        self.rest(bytes, end..data.len(), place)
    }

    /// Adds the containers anywhere in `bytes`. Bytes that look like one but are broken become a part that says so.
    fn dump(&mut self, bytes: &FileBytes, place: &Place) {
        let mut search = Search::new(bytes.as_ref(), true);
        let mut end = 0;
        while let Some((start, format)) = search.next(end) {
            let before = self.parts.len();
            match self.one(format, bytes, start, place) {
                Ok(length) => end = start + length.max(1),
                Err(error) => {
                    self.parts.truncate(before);
                    let name = format!("{}{} at {:#x}", place.prefix, format.name(), place.file_offset + start as u64);
                    let rest = bytes.slice(start..start).unwrap_or_else(|| Vec::new().into());
                    let content = PartContent::Other(error.moved(place.file_offset).to_string());
                    if self.push(name, rest, &place.at(start), content).is_err() {
                        return;
                    }
                    end = start + 4;
                }
            }
        }
    }

    /// Adds the container or code object that begins at `start`. Returns its length in bytes.
    fn one(&mut self, format: Format, bytes: &FileBytes, start: usize, place: &Place) -> Result<usize, LoadError> {
        let all = bytes.as_ref().len();
        let rest = bytes.slice(start..all).unwrap_or_else(|| Vec::new().into());
        let here = place.at(start);
        let moved = |error: LoadError| error.moved(start as u64);
        match format {
            Format::Bundle => bundle::read(self, &rest, &here).map_err(moved),
            Format::Compressed => compressed::read(self, &rest, &here).map_err(moved),
            Format::Packager => packager::read(self, &rest, &here).map_err(moved),
            Format::GpuElf => {
                let length = elf::extent(rest.as_ref()).unwrap_or(all - start);
                let object = rest.slice(0..length).unwrap_or(rest);
                let name = elf::section_name(bytes.as_ref(), start);
                let name = name.unwrap_or_else(|| format!("code object at {:#x}", here.file_offset));
                self.push(format!("{}{name}", place.prefix), object, &here, PartContent::CodeObject)?;
                Ok(length)
            }
            // These are found only at the beginning of a file or of a part.
            Format::Archive | Format::Rgp => Ok(0),
        }
    }

    /// Adds the bytes between two containers as a part, unless they are all 0.
    fn rest(&mut self, bytes: &FileBytes, range: std::ops::Range<usize>, place: &Place) -> Result<(), LoadError> {
        let Some(part) = bytes.slice(range.clone()) else { return Ok(()) };
        if part.as_ref().iter().all(|&byte| byte == 0) {
            return Ok(());
        }
        let name = format!("{}bytes at {:#x}", place.prefix, place.file_offset + range.start as u64);
        let content = PartContent::Other(search::describe(part.as_ref()).to_owned());
        self.push(name, part, &place.at(range.start), content)
    }
}
