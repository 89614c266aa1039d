//! A code object that is made of pieces of a file.

use object::elf::{
    EM_AMDGPU, SHF_ALLOC, SHF_EXECINSTR, SHF_WRITE, SHT_DYNSYM, SHT_NOBITS, SHT_NULL, SHT_PROGBITS, SHT_RELA,
    SHT_STRTAB, SHT_SYMTAB, SectionType, Sym64, SymbolInfo, SymbolSection,
};
use object::{LittleEndian, U16, U32, U64};

use super::Broken;
use crate::made::{Made, null_symbol, section};
use crate::tables::LE;

/// Alignment of pieces in memory in bytes.
const PAGE: u64 = 4096;
/// Limit in bytes for the addresses of pieces.
const MOST: u64 = 1 << 31;
/// Limit for the number of pieces.
const MOST_PIECES: usize = 0xfe00;

/// A code object that is being made.
pub(crate) struct Image {
    made: Made,
    programs: Vec<u8>,
    symbols: Vec<Sym64<LittleEndian>>,
    strings: Vec<u8>,
    relocations: Vec<u8>,
    /// The address behind the last piece.
    end: u64,
}

/// A piece of the file that is loaded.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Piece {
    /// Number of its section.
    pub section: u16,
    pub address: u64,
}

impl Image {
    /// An object without pieces, in a copy of `file`.
    pub fn new(file: &[u8]) -> Image {
        let mut made = Made::new(file);
        made.bytes.resize(made.bytes.len().max(64), 0);
        made.headers.push(section(SHT_NULL, 0, 0, (0, 0)));
        let (symbols, strings) = (vec![null_symbol()], vec![0]);
        Image { made, programs: Vec::new(), symbols, strings, relocations: Vec::new(), end: 0 }
    }

    /// Loads the `size` bytes at `offset` of the file, and zeros behind them up to `memory` bytes. `flags` are those of
    /// sections. Begins at the address 0 or at the next page.
    pub fn load(&mut self, name: &str, (offset, size): (u64, u64), memory: u64, flags: u64) -> Result<Piece, Broken> {
        let address = self.end.next_multiple_of(PAGE);
        let memory = memory.max(size);
        let end = address.checked_add(memory).filter(|&end| end <= MOST && self.made.headers.len() < MOST_PIECES);
        self.end = end.ok_or_else(|| (offset, format!("{memory:#x} bytes of '{name}' are too many,")))?;
        let kind = if size == 0 { SHT_NOBITS } else { SHT_PROGBITS };
        let mut header = section(kind, flags | SHF_ALLOC.0, address, (offset, if size == 0 { memory } else { size }));
        header.sh_name = self.made.section_name(name);
        let number = self.made.headers.len() as u16;
        self.made.headers.push(header);
        let [writes, executes] = [SHF_WRITE, SHF_EXECINSTR].map(|flag| u32::from(flags & flag.0 != 0));
        let access = 4 | writes << 1 | executes;
        self.programs.extend([1u32, access].into_iter().flat_map(u32::to_le_bytes));
        let numbers = [offset, address, address, size, memory, PAGE];
        self.programs.extend(numbers.into_iter().flat_map(u64::to_le_bytes));
        Ok(Piece { section: number, address })
    }

    /// Adds a symbol of the type `kind`, `at` bytes behind the beginning of a piece.
    pub fn symbol(&mut self, name: &str, kind: u8, piece: Piece, (at, size): (u64, u64)) {
        self.symbols.push(Sym64 {
            st_name: U32::new(LE, self.strings.len() as u32),
            st_info: SymbolInfo(1 << 4 | kind),
            st_shndx: U16::new(LE, SymbolSection(piece.section)),
            st_value: U64::new(LE, piece.address.wrapping_add(at)),
            st_size: U64::new(LE, size),
            ..null_symbol()
        });
        self.strings.extend(name.bytes().filter(|&byte| byte != 0));
        self.strings.push(0);
    }

    /// Adds a section that is not loaded.
    pub fn section(&mut self, name: &str, kind: SectionType, bytes: &[u8]) {
        let place = self.made.append(bytes);
        let mut header = section(kind, 0, 0, place);
        (header.sh_name, header.sh_addralign) = (self.made.section_name(name), U64::new(LE, 4));
        self.made.headers.push(header);
    }

    /// Adds a relocation of the type `kind` for the place `at` bytes behind the beginning of a piece: the address of
    /// the piece `target` and the addend `addend`.
    pub fn relocation(&mut self, piece: Piece, at: u64, kind: u32, target: Piece, addend: u64) {
        // The dynamic symbols are those of sections, in the order of their numbers.
        let info = u64::from(target.section) << 32 | u64::from(kind);
        let numbers = [piece.address.wrapping_add(at), info, addend];
        self.relocations.extend(numbers.into_iter().flat_map(u64::to_le_bytes));
    }

    /// The bytes of a code object of version 2, or of shaders, for the processor with the number `mach`.
    pub fn finish(mut self, mach: u32, os_abi: u8) -> Result<Vec<u8>, Broken> {
        let (symbols, strings) = (std::mem::take(&mut self.symbols), std::mem::take(&mut self.strings));
        self.table(SHT_SYMTAB, &symbols, &strings);
        let relocations = std::mem::take(&mut self.relocations);
        if !relocations.is_empty() {
            let of_section = |(i, header): (usize, &object::elf::SectionHeader64<LittleEndian>)| Sym64 {
                st_info: SymbolInfo(1 << 4 | 3),
                st_shndx: U16::new(LE, SymbolSection(i as u16)),
                st_value: header.sh_addr,
                ..null_symbol()
            };
            let dynamic: Vec<_> = self.made.headers.iter().enumerate().map(of_section).collect();
            self.table(SHT_DYNSYM, &dynamic, &[0]);
            let link = self.made.headers.len() as u32 - 2;
            let place = self.made.append(&relocations);
            let mut header = section(SHT_RELA, SHF_ALLOC.0, 0, place);
            (header.sh_link, header.sh_entsize) = (U32::new(LE, link), U64::new(LE, 24));
            self.made.headers.push(header);
        }
        let programs = std::mem::take(&mut self.programs);
        let (at, size) = self.made.append(&programs);
        let header = &mut self.made.bytes[..64];
        header.fill(0);
        header[..9].copy_from_slice(&[0x7f, b'E', b'L', b'F', 2, 1, 1, os_abi, 0]);
        header[16..18].copy_from_slice(&3u16.to_le_bytes());
        header[18..20].copy_from_slice(&EM_AMDGPU.0.to_le_bytes());
        header[20..24].copy_from_slice(&1u32.to_le_bytes());
        header[32..40].copy_from_slice(&at.to_le_bytes());
        header[48..52].copy_from_slice(&mach.to_le_bytes());
        header[52..54].copy_from_slice(&64u16.to_le_bytes());
        header[54..56].copy_from_slice(&56u16.to_le_bytes());
        header[56..58].copy_from_slice(&((size / 56) as u16).to_le_bytes());
        self.made.finish(true).ok_or_else(|| (0, "too many kernels,".into()))
    }

    /// Adds a symbol table and its names.
    fn table(&mut self, kind: SectionType, symbols: &[Sym64<LittleEndian>], strings: &[u8]) {
        let place = self.made.append(object::bytes_of_slice(symbols));
        let mut header = section(kind, 0, 0, place);
        (header.sh_link, header.sh_entsize) = (U32::new(LE, self.made.headers.len() as u32 + 1), U64::new(LE, 24));
        header.sh_name = self.made.section_name(if kind == SHT_SYMTAB { ".symtab" } else { ".dynsym" });
        self.made.headers.push(header);
        let place = self.made.append(strings);
        let mut header = section(SHT_STRTAB, 0, 0, place);
        header.sh_name = self.made.section_name(if kind == SHT_SYMTAB { ".strtab" } else { ".dynstr" });
        self.made.headers.push(header);
    }
}
