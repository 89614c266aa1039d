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

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

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

/// Longest name of a section or symbol, in bytes.
const NAME_LIMIT: usize = 4096;
/// Symbols may share names, but not so that all names together are longer than this many times the file.
const NAMES_PER_FILE: usize = 4;

type Header = FileHeader64<LittleEndian>;
const LE: LittleEndian = LittleEndian;

struct Symbol<'d> {
    name: Cow<'d, str>,
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
    symbols: Vec<Symbol<'a>>,
}

/// What is looked up for each kernel; without it a file of many symbols would take the square of their number.
struct Index<'e> {
    /// The first symbol of a name, and the first in an executable section.
    by_name: HashMap<&'e str, [Option<&'e Symbol<'e>>; 2]>,
    /// Addresses of the symbols of a section, ascending.
    addresses: HashMap<usize, Vec<u64>>,
    /// Executable sections by address.
    executable: Vec<(u64, usize)>,
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
    let parts = parts(header, &sections, data)?;
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

pub(super) fn check_ident(data: &[u8]) -> Result<(), LoadError> {
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

/// A name in a table of strings, each ended by a 0.
fn name_at<'d>(strings: &'d [u8], offset: u32) -> Result<Cow<'d, str>, String> {
    let rest = strings.get(offset as usize..).unwrap_or_default();
    let length = rest.iter().take(NAME_LIMIT + 1).position(|&byte| byte == 0);
    let length =
        length.ok_or_else(|| format!("a name at {offset:#x} of its table has no end or over {NAME_LIMIT} bytes"))?;
    Ok(String::from_utf8_lossy(&rest[..length]))
}

fn strings<'d>(sections: &SectionTable<'d, Header>, data: &'d [u8], index: SectionIndex) -> object::Result<&'d [u8]> {
    if index.0 == 0 { Ok(&[]) } else { sections.section(index)?.data(LE, data) }
}

fn parts(header: &Header, sections: &SectionTable<'_, Header>, data: &[u8]) -> Result<Vec<Option<Part>>, LoadError> {
    let broken = |e: object::Error| LoadError::elf(header.e_shoff(LE), format!("{e} in the names of sections"));
    let names = SectionIndex(header.shstrndx(LE, data).map_err(broken)? as usize);
    let names = strings(sections, data, names).map_err(broken)?;
    let part = |section: &object::elf::SectionHeader64<LittleEndian>| {
        let (offset, size) = (section.sh_offset(LE), section.sh_size(LE));
        if section.sh_type(LE) == SHT_NOBITS || size == 0 {
            return Ok(None);
        }
        let name = name_at(names, section.sh_name(LE)).map_err(|what| LoadError::elf(offset, what))?.into_owned();
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
    let mut left = data.len() as u64;
    for section in sections.iter().filter(|s| s.sh_type(LE) == SHT_NOTE) {
        let at = section.sh_offset(LE);
        left =
            left.checked_sub(section.sh_size(LE)).ok_or_else(|| LoadError::elf(at, "more notes than fit the file,"))?;
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
                    found.isa = isa_of_note(note.desc());
                }
                _ => {}
            }
        }
    }
    Ok(found)
}

/// Major, minor and stepping of a note on the ISA version. Before them are the lengths of two names, 16 bits each.
pub(super) fn isa_of_note(desc: &[u8]) -> Option<[u32; 3]> {
    let field = |i: usize| Some(u32::from_le_bytes(*desc.get(4 + 4 * i..)?.first_chunk()?));
    Some([field(0)?, field(1)?, field(2)?])
}

fn offset_within(data: &[u8], part: &[u8]) -> u64 {
    (part.as_ptr() as usize).wrapping_sub(data.as_ptr() as usize) as u64
}

pub(super) fn target(mach: u32, isa_note: Option<[u32; 3]>) -> Result<(&'static str, Arch), LoadError> {
    if mach == 0
        && let Some([major, minor, stepping]) = isa_note
    {
        let name = format!("gfx{major}{minor}{stepping:x}");
        return machine::by_name(&name).ok_or(LoadError::OtherMachine { machine: name });
    }
    machine::gpu(mach).map_err(|machine| LoadError::OtherMachine { machine })
}

/// Symbols of both tables; addresses of relocatable files count from their section.
fn symbols<'d>(
    sections: &SectionTable<'d, Header>,
    data: &'d [u8],
    linked: bool,
) -> Result<Vec<Symbol<'d>>, LoadError> {
    let mut found: Vec<Symbol<'d>> = Vec::new();
    let mut names: HashSet<Cow<'d, str>> = HashSet::new();
    let mut left = NAMES_PER_FILE * data.len();
    for kind in [SHT_SYMTAB, SHT_DYNSYM] {
        let table = sections.symbols(LE, data, kind).map_err(|e| LoadError::elf(0, format!("{e}; symbol table")))?;
        let texts = strings(sections, data, table.string_section());
        let texts = texts.map_err(|e| LoadError::elf(0, format!("{e}; names of symbols")))?;
        for symbol in table.iter() {
            let Some(section) = symbol_section(symbol.st_shndx(LE)) else { continue };
            let at = offset_within(data, object::bytes_of(symbol));
            let name =
                name_at(texts, symbol.st_name(LE)).map_err(|what| LoadError::elf(at, format!("{what}; symbol")))?;
            left = left.checked_sub(name.len()).ok_or_else(|| {
                let what = format!("names of symbols come to over {NAMES_PER_FILE} times the file; symbol");
                LoadError::elf(at, what)
            })?;
            if name.is_empty() || !names.insert(name.clone()) && kind == SHT_DYNSYM {
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
    fn index(&self) -> Index<'_> {
        let mut by_name: HashMap<&str, [Option<&Symbol<'_>>; 2]> = HashMap::new();
        let mut addresses: HashMap<usize, Vec<u64>> = HashMap::new();
        for symbol in &self.symbols {
            let [first, code] = by_name.entry(&symbol.name).or_default();
            first.get_or_insert(symbol);
            if self.executable(symbol.section).is_some() {
                code.get_or_insert(symbol);
            }
            addresses.entry(symbol.section).or_default().push(symbol.address);
        }
        addresses.values_mut().for_each(|list| list.sort_unstable());
        let sections = (0..self.parts.len()).filter_map(|i| Some((self.executable(i)?.address, i)));
        let mut executable: Vec<_> = sections.collect();
        executable.sort_unstable();
        Index { by_name, addresses, executable }
    }

    fn entries(&self, names: &[KernelName]) -> Result<Vec<Entry>, LoadError> {
        let index = &self.index();
        let described = self.described_kernels(index, names)?;
        if !described.is_empty() {
            return Ok(described);
        }
        let old: Vec<_> = self.symbols.iter().filter(|s| s.kind == STT_AMDGPU_HSA_KERNEL).collect();
        if !old.is_empty() {
            return old.into_iter().map(|symbol| self.kernel_of_v2(index, symbol)).collect();
        }
        let mut functions: Vec<_> =
            self.symbols.iter().filter(|s| s.kind == STT_FUNC && self.executable(s.section).is_some()).collect();
        functions.sort_by_key(|s| (s.section, s.address));
        if !functions.is_empty() {
            return functions.into_iter().map(|s| self.entry(index, &s.name, s.section, s.address, s.size)).collect();
        }
        let sections = self.parts.iter().enumerate().filter_map(|(i, part)| Some((i, part.as_ref()?)));
        sections.filter(|(_, p)| p.executable).map(|(i, p)| self.entry(index, &p.name, i, p.address, p.size)).collect()
    }

    /// Kernels of code objects v3 and later: those of the metadata in its order, then other descriptors.
    fn described_kernels(&self, index: &Index<'_>, names: &[KernelName]) -> Result<Vec<Entry>, LoadError> {
        let descriptor = |name: &str| index.by_name.get(name).and_then(|[first, _]| *first);
        let named: HashSet<&str> = names.iter().map(|kernel| kernel.descriptor.as_str()).collect();
        let mut entries = Vec::new();
        for kernel in names {
            let symbol = descriptor(&kernel.descriptor).ok_or_else(|| {
                let what =
                    format!("kernel '{}' of the metadata has no symbol '{}'; symbols", kernel.name, kernel.descriptor);
                LoadError::elf(0, what)
            })?;
            entries.push(self.described_kernel(index, &kernel.name, symbol)?);
        }
        for symbol in &self.symbols {
            if let Some(name) = symbol.name.strip_suffix(".kd")
                && !named.contains(&*symbol.name)
            {
                entries.push(self.described_kernel(index, name, symbol)?);
            }
        }
        Ok(entries)
    }

    fn described_kernel(&self, index: &Index<'_>, name: &str, descriptor: &Symbol<'_>) -> Result<Entry, LoadError> {
        let base = descriptor.name.strip_suffix(".kd").unwrap_or(name);
        let code = index.by_name.get(base).and_then(|[_, code]| *code);
        if self.relocatable {
            let code =
                code.ok_or_else(|| LoadError::elf(0, format!("no symbol '{base}' for its descriptor; symbols")))?;
            return self.entry(index, name, code.section, code.address, code.size);
        }
        let offset = self.entry_offset(descriptor, DESCRIPTOR_SIZE)?;
        let address = descriptor.address.wrapping_add(offset);
        let behind = index.executable.partition_point(|(start, _)| *start <= address);
        let section = index.executable[..behind].last().map(|&(_, section)| section);
        let section =
            section.filter(|&i| self.executable(i).is_some_and(|part| address.wrapping_sub(part.address) < part.size));
        let section = section.ok_or_else(|| {
            let what =
                format!("kernel '{name}' begins at address {address:#x} outside executable sections; descriptor");
            LoadError::elf(self.file_offset(descriptor).unwrap_or(0), what)
        })?;
        let size = code.filter(|s| s.address == address).map_or(0, |s| s.size);
        self.entry(index, name, section, address, size)
    }

    fn kernel_of_v2(&self, index: &Index<'_>, symbol: &Symbol<'_>) -> Result<Entry, LoadError> {
        let offset = self.entry_offset(symbol, 256)?;
        let size = symbol.size.saturating_sub(offset);
        self.entry(index, &symbol.name, symbol.section, symbol.address.wrapping_add(offset), size)
    }

    /// `kernel_code_entry_byte_offset` of a descriptor of `size` bytes at a symbol.
    fn entry_offset(&self, symbol: &Symbol<'_>, size: u64) -> Result<u64, LoadError> {
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

    fn file_offset(&self, symbol: &Symbol<'_>) -> Option<u64> {
        let part = self.parts.get(symbol.section)?.as_ref()?;
        part.offset.checked_add(symbol.address.checked_sub(part.address)?)
    }

    fn executable(&self, section: usize) -> Option<&Part> {
        self.parts.get(section)?.as_ref().filter(|part| part.executable)
    }

    /// An entry; a size of 0 (or too large a one) means up to the next function or the end of the section.
    fn entry(
        &self,
        index: &Index<'_>,
        name: &str,
        section: usize,
        address: u64,
        size: u64,
    ) -> Result<Entry, LoadError> {
        let broken = |at, what: &str| LoadError::elf(at, format!("code of '{name}' {what}; section"));
        let part = self.executable(section).ok_or_else(|| broken(0, "is in no executable section"))?;
        let start = address.wrapping_sub(part.address);
        if start >= part.size || !start.is_multiple_of(4) {
            return Err(broken(part.offset, &format!("at address {address:#x} is misplaced")));
        }
        let addresses = index.addresses.get(&section).map(Vec::as_slice).unwrap_or_default();
        let next = addresses.get(addresses.partition_point(|&other| other <= address));
        let room = next.map_or(part.size - start, |next| (next - address).min(part.size - start));
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
