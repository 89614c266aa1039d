//! ELF files that the loader makes from other files: a copy of the file's bytes, and behind it new headers and tables.
//! So the code stays at its offset in the file.

use object::elf::{
    SHT_STRTAB, SectionFlags, SectionHeader64, SectionType, Sym64, SymbolInfo, SymbolOther, SymbolSection,
};
use object::{LittleEndian, U16, U32, U64};

use super::tables::LE;

/// A section header without a name for `size` bytes at `offset` in the file.
pub(super) fn section(
    kind: SectionType,
    flags: u64,
    address: u64,
    (offset, size): (u64, u64),
) -> SectionHeader64<LittleEndian> {
    SectionHeader64 {
        sh_name: U32::new(LE, 0),
        sh_type: U32::new(LE, kind),
        sh_flags: U64::new(LE, SectionFlags(flags)),
        sh_addr: U64::new(LE, address),
        sh_offset: U64::new(LE, offset),
        sh_size: U64::new(LE, size),
        sh_link: U32::new(LE, 0),
        sh_info: U32::new(LE, 0),
        sh_addralign: U64::new(LE, 1),
        sh_entsize: U64::new(LE, 0),
    }
}

/// The first symbol of a table.
pub(super) fn null_symbol() -> Sym64<LittleEndian> {
    Sym64 {
        st_name: U32::new(LE, 0),
        st_info: SymbolInfo(0),
        st_other: SymbolOther(0),
        st_shndx: U16::new(LE, SymbolSection(0)),
        st_value: U64::new(LE, 0),
        st_size: U64::new(LE, 0),
    }
}

/// A copy of a file with other headers. What they refer to is appended.
pub(super) struct Made {
    pub bytes: Vec<u8>,
    /// The section headers.
    pub headers: Vec<SectionHeader64<LittleEndian>>,
    /// The names of those sections that were made.
    names: Vec<u8>,
}

impl Made {
    pub fn new(data: &[u8]) -> Made {
        Made { bytes: data.to_vec(), headers: Vec::new(), names: vec![0] }
    }

    pub fn section_name(&mut self, name: &str) -> U32<LittleEndian> {
        let at = self.names.len() as u32;
        self.names.extend(name.as_bytes());
        self.names.push(0);
        U32::new(LE, at)
    }

    /// Appends `bytes`, aligned to 8. Returns their offset and size in bytes.
    pub fn append(&mut self, bytes: &[u8]) -> (u64, u64) {
        self.bytes.resize(self.bytes.len().next_multiple_of(8), 0);
        let at = self.bytes.len() as u64;
        self.bytes.extend(bytes);
        (at, bytes.len() as u64)
    }

    /// Appends the section headers, and with `own_names` their names, and writes their offset and number into the
    /// header.
    pub fn finish(mut self, own_names: bool) -> Option<Vec<u8>> {
        if own_names {
            let names = std::mem::take(&mut self.names);
            let place = self.append(&names);
            let number = u16::try_from(self.headers.len()).ok()?;
            self.headers.push(section(SHT_STRTAB, 0, 0, place));
            self.bytes[62..64].copy_from_slice(&number.to_le_bytes());
        }
        let count = u16::try_from(self.headers.len()).ok().filter(|&count| count < 0xff00)?;
        let headers = std::mem::take(&mut self.headers);
        let (at, _) = self.append(object::bytes_of_slice(&headers));
        self.bytes[40..48].copy_from_slice(&at.to_le_bytes());
        self.bytes[58..60].copy_from_slice(&64u16.to_le_bytes());
        self.bytes[60..62].copy_from_slice(&count.to_le_bytes());
        Some(self.bytes)
    }
}
