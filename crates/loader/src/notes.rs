//! The notes of a code object. If program headers name notes, those are read; if not, those of sections.

use object::elf::{NoteType, PT_NOTE, SHT_NOTE};
use object::read::elf::{FileHeader, NoteIterator, ProgramHeader, SectionHeader, SectionTable};

use super::error::LoadError;
use super::tables::{Header, LE, offset_within};

const NT_AMD_HSA_ISA_VERSION: NoteType = NoteType(3);
const NT_AMD_HSA_METADATA: NoteType = NoteType(10);
const NT_AMD_PAL_METADATA: NoteType = NoteType(12);
const NT_AMDGPU_METADATA: NoteType = NoteType(32);

/// The contents of the notes that are used.
#[derive(Default)]
pub(super) struct Notes<'a> {
    /// Major version, minor version and stepping of the ISA. v2 objects have them here if not in `e_flags`.
    pub isa: Option<[u32; 3]>,
    /// MessagePack metadata (v3 and later).
    pub message_pack: Option<&'a [u8]>,
    /// YAML metadata (v2).
    pub yaml: Option<&'a [u8]>,
    /// Pairs of register and value (PAL before 2019).
    pub pairs: Option<&'a [u8]>,
    /// Offset of the metadata in the file, in bytes.
    pub metadata_offset: u64,
    /// Where and how notes are broken, if they are. What stands before is read.
    pub broken: Option<String>,
}

impl<'a> Notes<'a> {
    /// Reads all notes up to the first one that is broken.
    pub fn read(header: &Header, sections: &SectionTable<'a, Header>, data: &'a [u8]) -> Notes<'a> {
        let mut found = Notes::default();
        // Broken program headers are no error here: launches read them in full and report them.
        let programs = header.program_headers(LE, data).unwrap_or_default();
        let mut segments = programs.iter().filter(|segment| segment.p_type(LE) == PT_NOTE).peekable();
        let mut left = data.len() as u64;
        let places: Vec<_> = if segments.peek().is_some() {
            segments.map(|segment| (segment.p_offset(LE), segment.p_filesz(LE), segment.p_align(LE))).collect()
        } else {
            let sections = sections.iter().filter(|section| section.sh_type(LE) == SHT_NOTE);
            sections.map(|s| (s.sh_offset(LE), s.sh_size(LE), s.sh_addralign(LE))).collect()
        };
        let read = places.into_iter().try_for_each(|place| found.region(data, place, &mut left));
        found.broken = read.err().map(|error| error.to_string());
        found
    }

    /// Reads the notes in the `size` bytes at the offset `at`. `left` limits the total size of notes.
    fn region(&mut self, data: &'a [u8], (at, size, align): (u64, u64, u64), left: &mut u64) -> Result<(), LoadError> {
        *left = left.checked_sub(size).ok_or_else(|| LoadError::elf(at, "more notes than fit the file,"))?;
        let end = at.checked_add(size).filter(|&end| end <= data.len() as u64);
        let bytes = end.map(|end| &data[at as usize..end as usize]);
        let bytes = bytes.ok_or_else(|| LoadError::elf(at, format!("notes of {size:#x} bytes exceed the file,")))?;
        let broken = |e: object::Error| LoadError::elf(at, format!("{e} in the notes"));
        let mut notes = NoteIterator::<Header>::new(LE, align, bytes).map_err(broken)?;
        let mut next = 0;
        loop {
            let note = match notes.next() {
                Ok(Some(note)) => note,
                Ok(None) => return Ok(()),
                // Tools that remove notes leave zeros in their places.
                Err(_) if bytes[next..].iter().all(|&byte| byte == 0) => return Ok(()),
                Err(error) => return Err(broken(error)),
            };
            let desc = note.desc();
            next = offset_within(bytes, desc) as usize + desc.len();
            next = next.next_multiple_of(if align == 8 { 8 } else { 4 }).min(bytes.len());
            match (note.name(), note.n_type(LE)) {
                (b"AMDGPU", NT_AMDGPU_METADATA) => self.metadata(data, desc, Format::MessagePack)?,
                (b"AMD", NT_AMD_HSA_METADATA) => self.metadata(data, desc, Format::Yaml)?,
                (b"AMD", NT_AMD_PAL_METADATA) => self.metadata(data, desc, Format::Pairs)?,
                (b"AMD", NT_AMD_HSA_ISA_VERSION) => self.isa = isa_version(desc),
                _ => {}
            }
        }
    }

    fn metadata(&mut self, data: &[u8], desc: &'a [u8], format: Format) -> Result<(), LoadError> {
        let at = offset_within(data, desc);
        match self.message_pack.or(self.yaml).or(self.pairs) {
            // Two headers may name the same bytes.
            Some(before) if before.as_ptr_range() == desc.as_ptr_range() => return Ok(()),
            Some(_) => return Err(LoadError::elf(at, "two notes with metadata; notes")),
            None => {}
        }
        self.metadata_offset = at;
        let place = match format {
            Format::MessagePack => &mut self.message_pack,
            Format::Yaml => &mut self.yaml,
            Format::Pairs => &mut self.pairs,
        };
        *place = Some(desc);
        Ok(())
    }
}

/// Formats of metadata.
#[derive(Clone, Copy)]
enum Format {
    MessagePack,
    Yaml,
    Pairs,
}

/// The major version, minor version and stepping in an ISA version note, which begins with the lengths of two names (16
/// bits each).
fn isa_version(desc: &[u8]) -> Option<[u32; 3]> {
    let field = |i: usize| Some(u32::from_le_bytes(*desc.get(4 + 4 * i..)?.first_chunk()?));
    Some([field(0)?, field(1)?, field(2)?])
}
