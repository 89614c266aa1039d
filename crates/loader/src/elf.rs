//! AMDGPU ELF code objects.
//!
//! Where the kernels are depends on the version of the code object:
//!
//! * v3 and later: a descriptor of 64 bytes per kernel at symbol `<name>.kd`; the code begins
//!   `kernel_code_entry_byte_offset` bytes after the descriptor. A MessagePack note lists names. In a relocatable file
//!   that offset is not filled in yet, and the code is at symbol `<name>`.
//! * v2: the kernel's symbol has type `STT_AMDGPU_HSA_KERNEL` and begins with an `amd_kernel_code_t` of 256 bytes.
//! * Graphics and assembler output: the functions that the metadata of PAL name; else function symbols in executable
//!   sections; without them, whole sections. What is known of shaders: [`super::shader`].
//!
//! Source: LLVM, "User Guide for AMDGPU Backend", code object format.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use gcnsim_isa::Arch;
use object::elf::{EM_AMDGPU, ET_REL, Machine, OsAbi, SHF_EXECINSTR, SHT_NOBITS, STT_FUNC, SymbolType};
use object::read::elf::{FileHeader, SectionHeader, SectionTable};
use object::{LittleEndian, SectionIndex};

use super::bytes::FileBytes;
use super::descriptor::Descriptor;
use super::error::LoadError;
use super::link::{self, BySection, Linked};
use super::metadata::{self, KernelName};
use super::notes::Notes;
use super::relocation::{Relocation, Relocations};
use super::shader::config;
use super::shader::pal::{self, PipelineStage};
use super::tables::{self, Header, LE, Symbol, name_at, strings};
use super::{Entry, PROGRAM_LIMIT, Section, Shader, Stage, machine, restore};

/// First bytes of an ELF file.
pub const MAGIC: &[u8] = b"\x7fELF";

/// Offset of `kernel_code_entry_byte_offset` in a kernel descriptor, and in an `amd_kernel_code_t` as well.
const ENTRY_OFFSET_FIELD: u64 = 16;
/// Size of a kernel descriptor in bytes.
pub(super) const DESCRIPTOR_SIZE: u64 = 64;
/// Size of an `amd_kernel_code_t` in bytes.
pub(super) const KERNEL_CODE_SIZE: u64 = 256;
pub(super) const ELFOSABI_AMDGPU_HSA: OsAbi = OsAbi(64);
const ELFOSABI_AMDGPU_MESA3D: OsAbi = OsAbi(66);
pub(super) const STT_AMDGPU_HSA_KERNEL: SymbolType = SymbolType(10);

/// A section whose bytes lie within the file.
pub(super) struct Part {
    pub address: u64,
    pub offset: u64,
    pub size: u64,
    pub name: String,
    pub executable: bool,
}

/// An ELF file of a known processor. Its tables have been read.
pub(super) struct Elf<'a> {
    pub file: &'a FileBytes,
    /// Version of the code object, if the file states it.
    pub version: Option<u8>,
    pub relocatable: bool,
    /// Whether the object is for Mesa.
    is_mesa: bool,
    pub target: &'static str,
    pub arch: Arch,
    /// Sections by number; `None` for those without bytes.
    pub parts: Vec<Option<Part>>,
    pub symbols: Vec<Symbol<'a>>,
    /// Relocations with section numbers; see [`tables::relocations`].
    pub relocations: Vec<(usize, Relocation)>,
    pub notes: Notes<'a>,
}

/// Tables for looking up symbols and sections. Without them, the time would grow with the square of the number of
/// symbols.
struct Index<'e> {
    /// For each name: the first symbol, and the first one in an executable section.
    by_name: HashMap<&'e str, [Option<&'e Symbol<'e>>; 2]>,
    /// For each section: the addresses of its symbols, ascending.
    addresses: HashMap<usize, Vec<u64>>,
    /// Address and number of the executable sections, by address.
    executable: Vec<(u64, usize)>,
}

/// What an ELF file holds.
pub(super) struct Parsed {
    /// Version of the code object, if the file states it.
    pub version: Option<u8>,
    pub entries: Vec<Entry>,
    /// What is wrong with the notes, if it does not matter for the code.
    pub remark: Option<String>,
}

/// Reads an ELF file. If `names` are given, they replace the kernel names of the metadata, which is then not read.
pub(super) fn parse(file: &FileBytes, names: Option<&[KernelName]>) -> Result<Parsed, LoadError> {
    let file = &restore::restored(file, None).bytes;
    let elf = open(file)?;
    let entries = names.map_or_else(|| elf.entries(), |names| elf.entries_named(names))?;
    let broken = elf.notes.broken.clone().or_else(|| elf.names().err().map(|error| error.to_string()));
    let remark = broken.map(|what| format!("{what}: what these notes say is not used"));
    Ok(Parsed { version: elf.version, entries, remark })
}

/// Reads the tables of an ELF file.
pub(super) fn open(file: &FileBytes) -> Result<Elf<'_>, LoadError> {
    let data = file.as_ref();
    check_ident(data)?;
    let header = Header::parse(data).map_err(|e| LoadError::elf(0, format!("{e} in the file header")))?;
    if header.e_machine(LE) != EM_AMDGPU {
        return Err(LoadError::OtherMachine { machine: machine::host_name(header.e_machine(LE)) });
    }
    let sections = section_table(header, data)?;
    let parts = parts(header, &sections, data)?;
    let notes = Notes::read(header, &sections, data);
    let ident = header.e_ident();
    let hsa = ident.os_abi == ELFOSABI_AMDGPU_HSA;
    let is_mesa = ident.os_abi == ELFOSABI_AMDGPU_MESA3D;
    let (target, arch) = target(header.e_flags(LE).0 & 0xff, notes.isa)?;
    let relocatable = header.e_type(LE) == ET_REL;
    let symbols = tables::symbols(&sections, data, !relocatable)?;
    let relocations = tables::relocations(&sections, data, relocatable)?;
    let version = (hsa && ident.abi_version <= 4).then(|| ident.abi_version + 2);
    Ok(Elf { file, version, relocatable, is_mesa, target, arch, parts, symbols, relocations, notes })
}

/// Checks that the file is for an AMD GPU. It may be one that is not supported.
pub(super) fn check_machine(data: &[u8]) -> Result<(), LoadError> {
    check_ident(data)?;
    let header = Header::parse(data).map_err(|e| LoadError::elf(0, format!("{e} in the file header")))?;
    match header.e_machine(LE) {
        EM_AMDGPU => Ok(()),
        other => Err(LoadError::OtherMachine { machine: machine::host_name(other) }),
    }
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

pub(super) fn section_table<'d>(header: &Header, data: &'d [u8]) -> Result<SectionTable<'d, Header>, LoadError> {
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

fn parts(header: &Header, sections: &SectionTable<'_, Header>, data: &[u8]) -> Result<Vec<Option<Part>>, LoadError> {
    let broken = |e: object::Error| LoadError::elf(header.e_shoff(LE), format!("{e} in the names of sections"));
    let names = SectionIndex(header.shstrndx(LE, data).map_err(broken)? as usize);
    let names = strings(sections, data, names).map_err(broken)?;
    let mut code = 0u64;
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
        code = code.saturating_add(if executable { size } else { 0 });
        if code > PROGRAM_LIMIT {
            return Err(LoadError::ProgramTooLong { length: code });
        }
        Ok(Some(Part { address: section.sh_addr(LE), offset, size, name, executable }))
    };
    sections.iter().map(part).collect()
}

pub(super) fn target(mach: u32, isa_note: Option<[u32; 3]>) -> Result<(&'static str, Arch), LoadError> {
    if mach == 0
        && let Some([major, minor, stepping]) = isa_note
    {
        let name = format!("gfx{major}{minor}{stepping:x}");
        return machine::by_old_name(&name).ok_or(LoadError::OtherMachine { machine: name });
    }
    machine::gpu(mach).map_err(|machine| LoadError::OtherMachine { machine })
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

    /// The entries that can be run: kernels; if there are none, functions; if there are none, sections.
    ///
    /// # Errors
    /// [`LoadError`] if there are none, or if something lies outside the file or its section.
    pub fn entries(&self) -> Result<Vec<Entry>, LoadError> {
        self.entries_named(&self.names().unwrap_or_default())
    }

    /// The names of kernels in the metadata.
    fn names(&self) -> Result<Vec<KernelName>, LoadError> {
        let Notes { message_pack, metadata_offset: start, .. } = self.notes;
        let names = message_pack.map(metadata::kernels).transpose();
        let names = names.map_err(|(offset, what)| LoadError::elf(start + offset as u64, what))?;
        Ok(names.unwrap_or_default())
    }

    fn entries_named(&self, names: &[KernelName]) -> Result<Vec<Entry>, LoadError> {
        let mut entries = self.places_to_run(names)?;
        if entries.is_empty() {
            return Err(LoadError::NoCode);
        }
        if self.relocatable {
            self.link(&mut entries);
            return Ok(entries);
        }
        let relocations = self.relocations_for_code();
        if !relocations.is_empty() {
            let relocations = Arc::new(relocations);
            entries.iter_mut().for_each(|entry| entry.relocations = Some(relocations.clone()));
        }
        Ok(entries)
    }

    /// Links the sections of the entries of a relocatable object.
    fn link(&self, entries: &mut [Entry]) {
        let mut relocations = BySection::new();
        for (section, relocation) in &self.relocations {
            relocations.entry(*section).or_default().push(relocation);
        }
        let (mut linked, mut left) = (HashMap::new(), PROGRAM_LIMIT);
        for entry in entries {
            let number = self.section_at(entry.file_offset);
            let of_section =
                linked.entry(number).or_insert_with(|| match link::link(self, number, &relocations, &mut left)? {
                    Ok(Linked { bytes, relocations }) => Some((Some(bytes), Arc::new(relocations))),
                    Err(what) => Some((None, Arc::new(Relocations { refusal: Some(what), ..Relocations::default() }))),
                });
            let Some((bytes, relocations)) = of_section else { continue };
            if let (Some(bytes), Some(section)) = (bytes, &mut entry.section) {
                section.bytes = bytes.clone();
            }
            entry.relocations = Some(relocations.clone());
        }
    }

    fn relocations_for_code(&self) -> Relocations {
        let code: Vec<_> = self.parts.iter().flatten().filter(|part| part.executable).collect();
        let in_code = |place: u64| code.iter().any(|part| place.wrapping_sub(part.address) < part.size);
        Relocations::of_linked(self.relocations.iter().map(|(_, r)| r.clone()).collect(), in_code)
    }

    fn places_to_run(&self, names: &[KernelName]) -> Result<Vec<Entry>, LoadError> {
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
            return self.shaders(index, &functions);
        }
        let sections = self.parts.iter().enumerate().filter_map(|(i, part)| Some((i, part.as_ref()?)));
        sections.filter(|(_, p)| p.executable).map(|(i, p)| self.entry(index, &p.name, i, p.address, p.size)).collect()
    }

    /// The shaders of an object without kernels. If metadata of PAL name the functions that run on stages, these are
    /// the shaders, and else all `functions` are.
    fn shaders(&self, index: &Index<'_>, functions: &[&Symbol<'_>]) -> Result<Vec<Entry>, LoadError> {
        let stages = match (self.notes.message_pack, self.notes.pairs) {
            (Some(note), _) => pal::stages(note, self.arch),
            (None, Some(note)) => pal::stages_of_pairs(note, self.arch),
            (None, None) => Ok(Vec::new()),
        };
        let start = self.notes.metadata_offset;
        let stages = stages.map_err(|(offset, what)| LoadError::elf(start + offset as u64, format!("{what}; note")))?;
        let entry = |symbol: &Symbol<'_>, shader: Shader| {
            let entry = self.entry(index, &symbol.name, symbol.section, symbol.address, symbol.size)?;
            Ok(Entry { shader, ..entry })
        };
        if !stages.is_empty() {
            let of_stage = |PipelineStage { entry_point, shader }: PipelineStage| {
                let symbol = functions.iter().find(|symbol| *symbol.name == entry_point);
                let symbol = symbol.ok_or_else(|| {
                    let stage = shader.stage.map_or("a", Stage::name);
                    LoadError::elf(start, format!("the {stage} stage has no function '{entry_point}'; note"))
                })?;
                entry(symbol, shader)
            };
            return stages.into_iter().map(of_stage).collect();
        }
        let configured = self.configured(functions.len())?.into_iter().map(Some).chain(std::iter::repeat(None));
        let shaders = functions.iter().zip(configured);
        shaders
            .map(|(symbol, shader)| entry(symbol, shader.unwrap_or_else(|| Shader::of_symbol(&symbol.name))))
            .collect()
    }

    /// What the section `.AMDGPU.config` says of each of the object's `count` functions; empty if there is no section.
    fn configured(&self, count: usize) -> Result<Vec<Shader>, LoadError> {
        let Some(part) = self.parts.iter().flatten().find(|part| part.name == config::SECTION) else {
            return Ok(Vec::new());
        };
        let bytes = self.file.slice(part.offset as usize..(part.offset + part.size) as usize);
        let bytes = bytes.ok_or_else(|| LoadError::elf(part.offset, "the section exceeds the file; .AMDGPU.config"))?;
        let broken =
            |(at, what): (u64, String)| LoadError::elf(part.offset + at, format!("{what}; {}", config::SECTION));
        let found = config::shaders(bytes.as_ref(), self.arch, self.is_mesa).map_err(broken)?;
        if found.len() != count {
            return Err(broken((0, format!("registers of {} shaders for {count} functions", found.len()))));
        }
        Ok(found)
    }

    /// Kernels of code objects v3 and later: those of the metadata (`names`) in its order, then other descriptors.
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
        let entry = self.described_code(index, name, descriptor)?;
        let bytes = self.bytes_of(descriptor, DESCRIPTOR_SIZE);
        let descriptor = bytes.and_then(|bytes| Descriptor::of_descriptor(bytes, descriptor.address));
        Ok(Entry { shader: descriptor.as_ref().map(Shader::of_descriptor).unwrap_or_default(), ..entry })
    }

    fn described_code(&self, index: &Index<'_>, name: &str, descriptor: &Symbol<'_>) -> Result<Entry, LoadError> {
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
        let offset = self.entry_offset(symbol, KERNEL_CODE_SIZE)?;
        let size = symbol.size.saturating_sub(offset);
        let entry = self.entry(index, &symbol.name, symbol.section, symbol.address.wrapping_add(offset), size)?;
        let bytes = self.bytes_of(symbol, KERNEL_CODE_SIZE);
        let descriptor = bytes.and_then(|bytes| Descriptor::of_kernel_code(bytes, symbol.address));
        Ok(Entry { shader: descriptor.as_ref().map(Shader::of_descriptor).unwrap_or_default(), ..entry })
    }

    /// `kernel_code_entry_byte_offset` of the descriptor of `size` bytes at `symbol`.
    pub fn entry_offset(&self, symbol: &Symbol<'_>, size: u64) -> Result<u64, LoadError> {
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

    pub fn file_offset(&self, symbol: &Symbol<'_>) -> Option<u64> {
        let part = self.parts.get(symbol.section)?.as_ref()?;
        part.offset.checked_add(symbol.address.checked_sub(part.address)?)
    }

    /// The first `size` bytes at `symbol`, if the file has them.
    fn bytes_of(&self, symbol: &Symbol<'_>, size: u64) -> Option<&[u8]> {
        let at = usize::try_from(self.file_offset(symbol)?).ok()?;
        self.file.as_ref().get(at..at.checked_add(size as usize)?)
    }

    /// Number of the executable section that contains the byte at `file_offset`; 0 if there is none.
    pub fn section_at(&self, file_offset: u64) -> usize {
        let holds = |part: &Part| part.executable && file_offset.wrapping_sub(part.offset) < part.size;
        self.parts.iter().position(|part| part.as_ref().is_some_and(holds)).unwrap_or(0)
    }

    /// The section with the number `section`, if it is executable.
    pub fn executable(&self, section: usize) -> Option<&Part> {
        self.parts.get(section)?.as_ref().filter(|part| part.executable)
    }

    /// Makes an entry. If `size` is 0 or too large, the code reaches to the next function or to the end of the section.
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
            part: None,
            code: slice(start, size)?,
            address,
            file_offset: part.offset + start,
            shader: Shader::default(),
            section: Some(Section { bytes: slice(0, part.size)?, address: part.address }),
            relocations: None,
        })
    }
}
