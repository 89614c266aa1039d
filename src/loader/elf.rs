//! AMDGPU ELF code objects.
//!
//! Where the kernels are depends on the version of the code object:
//!
//! * v3 and later: a descriptor of 64 bytes per kernel at symbol `<name>.kd`; the code begins
//!   `kernel_code_entry_byte_offset` bytes after the descriptor. A MessagePack note lists names. In a relocatable file
//!   that offset is not filled in yet, and the code is at symbol `<name>`.
//! * v2: the kernel's symbol has type `STT_AMDGPU_HSA_KERNEL` and begins with an `amd_kernel_code_t` of 256 bytes.
//! * Graphics (PAL, Mesa) and assembler output: function symbols in executable sections; failing those, whole sections.
//!
//! Source: LLVM, "User Guide for AMDGPU Backend", code object format.

use gcnsim_isa::Arch;
use object::elf::{
    EM_AMDGPU, ET_REL, FileHeader64, Machine, NoteType, OsAbi, SHF_EXECINSTR, SHT_DYNSYM, SHT_NOBITS, SHT_NOTE,
    SHT_SYMTAB, STT_FUNC, SymbolSection, SymbolType,
};
use object::read::elf::{FileHeader, SectionHeader, SectionTable, Sym};
use object::{LittleEndian, SectionIndex};

use super::bytes::FileBytes;
use super::error::LoadError;
use super::metadata::{self, KernelName};
use super::{Entry, Section, machine};

/// First bytes of an ELF file.
pub const MAGIC: &[u8] = b"\x7fELF";

/// Offset of `kernel_code_entry_byte_offset` in a kernel descriptor and in `amd_kernel_code_t` alike.
const ENTRY_OFFSET_FIELD: u64 = 16;
const DESCRIPTOR_SIZE: u64 = 64;
const ELFOSABI_AMDGPU_HSA: OsAbi = OsAbi(64);
const STT_AMDGPU_HSA_KERNEL: SymbolType = SymbolType(10);
const NT_AMD_HSA_ISA_VERSION: NoteType = NoteType(3);
const NT_AMDGPU_METADATA: NoteType = NoteType(32);

type Header = FileHeader64<LittleEndian>;
const LE: LittleEndian = LittleEndian;

struct Symbol {
    name: String,
    address: u64,
    size: u64,
    kind: SymbolType,
    section: usize,
}

/// One section whose bytes are known to lie in the file.
struct Part {
    address: u64,
    offset: u64,
    size: u64,
    name: String,
    executable: bool,
}

struct Elf<'a> {
    file: &'a FileBytes,
    relocatable: bool,
    target: &'static str,
    arch: Arch,
    /// By section number; `None` for sections without bytes.
    parts: Vec<Option<Part>>,
    symbols: Vec<Symbol>,
}

/// Code object version and kernels.
pub(super) fn parse(file: &FileBytes) -> Result<(Option<u8>, Vec<Entry>), LoadError> {
    let data = file.as_ref();
    check_ident(data)?;
    let header = Header::parse(data).map_err(|e| LoadError::elf(0, format!("{e} in the file header")))?;
    if header.e_machine(LE) != EM_AMDGPU {
        return Err(LoadError::OtherMachine { machine: machine::host_name(header.e_machine(LE)) });
    }
    let sections = section_table(header, data)?;
    let parts = parts(&sections, data)?;
    let notes = notes(&sections, data)?;
    let ident = header.e_ident();
    let hsa = ident.os_abi == ELFOSABI_AMDGPU_HSA;
    let (target, arch) = target(header.e_flags(LE).0 & 0xff, notes.isa)?;
    let symbols = symbols(&sections, data, header.e_type(LE) != ET_REL)?;
    let elf = Elf { file, relocatable: header.e_type(LE) == ET_REL, target, arch, parts, symbols };
    let entries = elf.entries(&notes.kernels)?;
    if entries.is_empty() {
        return Err(LoadError::NoCode);
    }
    let version = (hsa && ident.abi_version <= 4).then(|| ident.abi_version + 2);
    Ok((version, entries))
}

fn check_ident(data: &[u8]) -> Result<(), LoadError> {
    if data.len() < size_of::<Header>() {
        return Err(LoadError::elf(data.len() as u64, "the file ends in the file header,"));
    }
    if data[5] != 1 {
        return Err(LoadError::OtherMachine { machine: "a big-endian machine".into() });
    }
    let e_machine = Machine(u16::from_le_bytes([data[18], data[19]]));
    if data[4] != 2 {
        let machine = match e_machine {
            EM_AMDGPU => "a 32-bit AMD GPU (R600 family)".into(),
            other => machine::host_name(other),
        };
        return Err(LoadError::OtherMachine { machine });
    }
    Ok(())
}

fn section_table<'d>(header: &Header, data: &'d [u8]) -> Result<SectionTable<'d, Header>, LoadError> {
    let at = header.e_shoff(LE);
    let size = header.e_shnum(LE) as u64 * header.e_shentsize(LE) as u64;
    if at == 0 {
        return Err(LoadError::elf(0x28, "no section headers, by e_shoff"));
    }
    if at.checked_add(size).is_none_or(|end| end > data.len() as u64) {
        let what = format!("{size:#x} bytes of section headers exceed the file of {:#x} bytes,", data.len());
        return Err(LoadError::elf(at, what));
    }
    header.sections(LE, data).map_err(|e| LoadError::elf(at, format!("{e} in the section headers")))
}

fn parts(sections: &SectionTable<'_, Header>, data: &[u8]) -> Result<Vec<Option<Part>>, LoadError> {
    let part = |section: &object::elf::SectionHeader64<LittleEndian>| {
        let (offset, size) = (section.sh_offset(LE), section.sh_size(LE));
        if section.sh_type(LE) == SHT_NOBITS || size == 0 {
            return Ok(None);
        }
        let name = sections.section_name(LE, section).map_err(|e| LoadError::elf(offset, e.to_string()))?;
        let name = String::from_utf8_lossy(name).into_owned();
        if offset.checked_add(size).is_none_or(|end| end > data.len() as u64) {
            let what = format!("section {name} of {size:#x} bytes exceeds the file of {:#x} bytes,", data.len());
            return Err(LoadError::elf(offset, what));
        }
        let executable = section.sh_flags(LE).0 & SHF_EXECINSTR.0 != 0;
        Ok(Some(Part { address: section.sh_addr(LE), offset, size, name, executable }))
    };
    sections.iter().map(part).collect()
}

#[derive(Default)]
struct Notes {
    kernels: Vec<KernelName>,
    /// Major, minor, stepping: what v2 objects say when `e_flags` does not.
    isa: Option<[u32; 3]>,
}

fn notes(sections: &SectionTable<'_, Header>, data: &[u8]) -> Result<Notes, LoadError> {
    let mut found = Notes::default();
    for section in sections.iter().filter(|s| s.sh_type(LE) == SHT_NOTE) {
        let at = section.sh_offset(LE);
        let broken = |e: object::Error| LoadError::elf(at, format!("{e} in the notes"));
        let Some(mut notes) = section.notes(LE, data).map_err(broken)? else { continue };
        while let Some(note) = notes.next().map_err(broken)? {
            match (note.name(), note.n_type(LE)) {
                (b"AMDGPU", NT_AMDGPU_METADATA) => {
                    let start = offset_within(data, note.desc());
                    found.kernels = metadata::kernels(note.desc())
                        .map_err(|(offset, what)| LoadError::elf(start + offset as u64, what))?;
                }
                (b"AMD", NT_AMD_HSA_ISA_VERSION) => {
                    // u16 length of vendor name, u16 length of architecture name, u32 major, minor, stepping
                    let field = |i: usize| Some(u32::from_le_bytes(*note.desc().get(4 + 4 * i..)?.first_chunk()?));
                    found.isa = (|| Some([field(0)?, field(1)?, field(2)?]))();
                }
                _ => {}
            }
        }
    }
    Ok(found)
}

fn offset_within(data: &[u8], part: &[u8]) -> u64 {
    (part.as_ptr() as usize).wrapping_sub(data.as_ptr() as usize) as u64
}

fn target(mach: u32, isa_note: Option<[u32; 3]>) -> Result<(&'static str, Arch), LoadError> {
    if mach == 0
        && let Some([major, minor, stepping]) = isa_note
    {
        let name = format!("gfx{major}{minor}{stepping:x}");
        return machine::by_name(&name).ok_or(LoadError::OtherMachine { machine: name });
    }
    machine::gpu(mach).map_err(|machine| LoadError::OtherMachine { machine })
}

/// Symbols of both tables; addresses of relocatable files count from their section.
fn symbols(sections: &SectionTable<'_, Header>, data: &[u8], linked: bool) -> Result<Vec<Symbol>, LoadError> {
    let mut found: Vec<Symbol> = Vec::new();
    for kind in [SHT_SYMTAB, SHT_DYNSYM] {
        let table = sections.symbols(LE, data, kind).map_err(|e| LoadError::elf(0, format!("{e}; symbol table")))?;
        for symbol in table.iter() {
            let Some(section) = symbol_section(symbol.st_shndx(LE)) else { continue };
            let at = offset_within(data, object::bytes_of(symbol));
            let name = symbol.name(LE, table.strings()).map_err(|e| LoadError::elf(at, format!("{e}; symbol")))?;
            let name = String::from_utf8_lossy(name).into_owned();
            if name.is_empty() || kind == SHT_DYNSYM && found.iter().any(|s| s.name == name) {
                continue;
            }
            let base = if linked { 0 } else { section_address(sections, section) };
            let address = base.wrapping_add(symbol.st_value(LE));
            found.push(Symbol { name, address, size: symbol.st_size(LE), kind: symbol.st_type(), section });
        }
    }
    Ok(found)
}

fn symbol_section(index: SymbolSection) -> Option<usize> {
    (index.0 != 0 && index.0 < 0xff00).then_some(index.0 as usize)
}

fn section_address(sections: &SectionTable<'_, Header>, index: usize) -> u64 {
    sections.section(SectionIndex(index)).map_or(0, |s| s.sh_addr(LE))
}

impl Elf<'_> {
    fn entries(&self, names: &[KernelName]) -> Result<Vec<Entry>, LoadError> {
        let described = self.described_kernels(names)?;
        if !described.is_empty() {
            return Ok(described);
        }
        let old: Vec<_> = self.symbols.iter().filter(|s| s.kind == STT_AMDGPU_HSA_KERNEL).collect();
        if !old.is_empty() {
            return old.into_iter().map(|symbol| self.kernel_of_v2(symbol)).collect();
        }
        let mut functions: Vec<_> =
            self.symbols.iter().filter(|s| s.kind == STT_FUNC && self.executable(s.section).is_some()).collect();
        functions.sort_by_key(|s| (s.section, s.address));
        if !functions.is_empty() {
            return functions.into_iter().map(|s| self.entry(&s.name, s.section, s.address, s.size)).collect();
        }
        let sections = self.parts.iter().enumerate().filter_map(|(i, part)| Some((i, part.as_ref()?)));
        sections.filter(|(_, p)| p.executable).map(|(i, p)| self.entry(&p.name, i, p.address, p.size)).collect()
    }

    /// Kernels of code objects v3 and later: those of the metadata in its order, then other descriptors.
    fn described_kernels(&self, names: &[KernelName]) -> Result<Vec<Entry>, LoadError> {
        let descriptor = |name: &str| self.symbols.iter().find(|s| s.name == name);
        let mut entries = Vec::new();
        for kernel in names {
            let symbol = descriptor(&kernel.descriptor).ok_or_else(|| {
                let what =
                    format!("kernel '{}' of the metadata has no symbol '{}'; symbols", kernel.name, kernel.descriptor);
                LoadError::elf(0, what)
            })?;
            entries.push(self.described_kernel(&kernel.name, symbol)?);
        }
        for symbol in &self.symbols {
            if let Some(name) = symbol.name.strip_suffix(".kd")
                && !names.iter().any(|k| k.descriptor == symbol.name)
            {
                entries.push(self.described_kernel(name, symbol)?);
            }
        }
        Ok(entries)
    }

    fn described_kernel(&self, name: &str, descriptor: &Symbol) -> Result<Entry, LoadError> {
        let base = descriptor.name.strip_suffix(".kd").unwrap_or(name);
        let code = self.symbols.iter().find(|s| s.name == base && self.executable(s.section).is_some());
        if self.relocatable {
            let code =
                code.ok_or_else(|| LoadError::elf(0, format!("no symbol '{base}' for its descriptor; symbols")))?;
            return self.entry(name, code.section, code.address, code.size);
        }
        let offset = self.entry_offset(descriptor, DESCRIPTOR_SIZE)?;
        let address = descriptor.address.wrapping_add(offset);
        let section = (0..self.parts.len())
            .find(|&i| self.executable(i).is_some_and(|part| address.wrapping_sub(part.address) < part.size));
        let section = section.ok_or_else(|| {
            let what =
                format!("kernel '{name}' begins at address {address:#x} outside executable sections; descriptor");
            LoadError::elf(self.file_offset(descriptor).unwrap_or(0), what)
        })?;
        let size = code.filter(|s| s.address == address).map_or(0, |s| s.size);
        self.entry(name, section, address, size)
    }

    fn kernel_of_v2(&self, symbol: &Symbol) -> Result<Entry, LoadError> {
        let offset = self.entry_offset(symbol, 256)?;
        let size = symbol.size.saturating_sub(offset);
        self.entry(&symbol.name, symbol.section, symbol.address.wrapping_add(offset), size)
    }

    /// `kernel_code_entry_byte_offset` of a descriptor of `size` bytes at a symbol.
    fn entry_offset(&self, symbol: &Symbol, size: u64) -> Result<u64, LoadError> {
        let part = self.parts.get(symbol.section).and_then(Option::as_ref);
        let inside = part.is_some_and(|p| {
            symbol.address.checked_sub(p.address).is_some_and(|at| at <= p.size && p.size - at >= size)
        });
        let bytes = self.file_offset(symbol).filter(|_| inside).and_then(|at| {
            let field = (at + ENTRY_OFFSET_FIELD) as usize;
            self.file.as_ref().get(field..)?.first_chunk()
        });
        let bytes = bytes.ok_or_else(|| {
            let at = part.map_or(0, |p| p.offset);
            LoadError::elf(at, format!("descriptor '{}' of {size} bytes exceeds its section", symbol.name))
        })?;
        Ok(u64::from_le_bytes(*bytes))
    }

    fn file_offset(&self, symbol: &Symbol) -> Option<u64> {
        let part = self.parts.get(symbol.section)?.as_ref()?;
        part.offset.checked_add(symbol.address.checked_sub(part.address)?)
    }

    fn executable(&self, section: usize) -> Option<&Part> {
        self.parts.get(section)?.as_ref().filter(|part| part.executable)
    }

    /// An entry; a size of 0 (or too large a one) means up to the next function or the end of the section.
    fn entry(&self, name: &str, section: usize, address: u64, size: u64) -> Result<Entry, LoadError> {
        let broken = |at, what: &str| LoadError::elf(at, format!("code of '{name}' {what}; section"));
        let part = self.executable(section).ok_or_else(|| broken(0, "is in no executable section"))?;
        let start = address.wrapping_sub(part.address);
        if start >= part.size || !start.is_multiple_of(4) {
            return Err(broken(part.offset, &format!("at address {address:#x} is misplaced")));
        }
        let next = self.symbols.iter().filter(|s| s.section == section && s.address > address).map(|s| s.address);
        let room = next.min().map_or(part.size - start, |next| (next - address).min(part.size - start));
        let size = if size == 0 || size > part.size - start { room } else { size };
        let slice = |start: u64, size: u64| {
            let at = (part.offset + start) as usize;
            self.file.slice(at..at + size as usize).ok_or_else(|| broken(part.offset, "exceeds the file"))
        };
        Ok(Entry {
            kernel: Some(name.to_owned()),
            target: Some(self.target),
            arch: Some(self.arch),
            code: slice(start, size)?,
            address,
            file_offset: part.offset + start,
            section: Some(Section { bytes: slice(0, part.size)?, address: part.address }),
        })
    }
}
