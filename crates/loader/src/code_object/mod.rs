//! Code objects as a launch needs them: segments, relocations, and kernels with descriptors and arguments.
//!
//! [`elf`](super::elf) finds the code of kernels in any ELF file, to list it or to run it as a raw program. This module
//! reads a linked amdhsa object (v2 to v6) as a loader does. Sources: docs/gcn/code-objects.md; LLVM, "User Guide for
//! AMDGPU Backend".

pub mod metadata;

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use gcnsim_isa::Arch;
use gcnsim_isa::kernel::KernelDescriptor;
use object::LittleEndian;
use object::elf::{
    EM_AMDGPU, ET_REL, FileHeader64, PF_W, PF_X, PT_LOAD, Rela64, SHF_ALLOC, SHT_DYNSYM, SHT_RELA, SHT_SYMTAB,
};
use object::read::elf::{FileHeader, ProgramHeader, SectionHeader, SectionTable, Sym};

use super::bytes::FileBytes;
use super::demangle;
use super::error::LoadError;
use super::machine;
use super::notes::Notes;
use super::part::{Part, PartId, target_ids};
use super::restore;
use super::sniff::Sniffed;
use super::{Reading, Skipped, TargetChoice};
use metadata::{KernelMetadata, ObjectMetadata};

type Header = FileHeader64<LittleEndian>;
const LE: LittleEndian = LittleEndian;

const STT_AMDGPU_HSA_KERNEL: u8 = 10;
const STT_OBJECT: u8 = 1;

/// Limit for the end addresses of segments in the file.
const MOST_SPAN: u64 = 1 << 32;

/// A linked code object.
#[derive(Clone, Debug)]
pub struct CodeObject {
    /// LLVM's name of the chip that the object is for, for example `gfx906`.
    pub chip: &'static str,
    /// The chip's generation.
    pub arch: Arch,
    /// Version of the code object, 2 to 6.
    pub version: u8,
    /// The segments to load, sorted by address.
    pub segments: Vec<LoadSegment>,
    /// The places to fill in when the object's address is known.
    pub relocations: Vec<Relocation>,
    /// The kernels in the order of the metadata, then other kernels by name.
    pub kernels: Vec<Kernel>,
    /// The named variables, by name; descriptors of kernels are not among them.
    pub variables: Vec<Variable>,
    /// The format strings of printf, uninterpreted.
    pub printf: Vec<Vec<u8>>,
    /// Identity of the object within its file; `None` if it is the whole file.
    pub part: Option<Arc<PartId>>,
    /// The bytes of the whole object.
    pub bytes: FileBytes,
}

/// A variable of an object, by its symbol.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Variable {
    /// Name of the symbol.
    pub name: String,
    /// The address that the file states.
    pub address: u64,
    /// Size in bytes; never 0.
    pub size: u64,
}

/// A range of addresses with its contents.
#[derive(Clone, Debug)]
pub struct LoadSegment {
    /// The address that the file states (p_vaddr).
    pub address: u64,
    /// Size in memory in bytes. It may be larger than `bytes`; the rest is 0.
    pub size: u64,
    /// The contents as the file has them.
    pub bytes: FileBytes,
    /// Whether the guest may write it.
    pub writable: bool,
    /// Whether it holds code.
    pub executable: bool,
}

impl LoadSegment {
    /// Whether it holds code at `address`.
    pub fn is_code_at(&self, address: u64) -> bool {
        self.executable && self.address <= address && address - self.address < self.size
    }
}

/// A place in the image that the loader fills with an address.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Relocation {
    /// Address of the place, as the file states it.
    pub place: u64,
    /// The address to write, as the file states it. The loader adds the distance by which it moves the object.
    pub target: u64,
    /// The part of the address that is written.
    pub part: RelocationPart,
}

impl Relocation {
    /// The bytes to write into an object that is moved by a distance.
    pub fn bytes(&self, moved: u64) -> Vec<u8> {
        let whole = self.target.wrapping_add(moved).to_le_bytes();
        match self.part {
            RelocationPart::Whole => whole.to_vec(),
            RelocationPart::Low => whole[..4].to_vec(),
            RelocationPart::High => whole[4..].to_vec(),
        }
    }
}

/// The part of an address that a relocation writes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RelocationPart {
    /// All 64 bits.
    Whole,
    /// The low dword.
    Low,
    /// The high dword.
    High,
}

/// A kernel of a code object.
#[derive(Clone, Debug)]
pub struct Kernel {
    /// Name.
    pub name: String,
    /// Address of the descriptor.
    pub descriptor_address: u64,
    /// The descriptor.
    pub descriptor: KernelDescriptor,
    /// Address of the first instruction.
    pub entry: u64,
    /// The kernel's metadata, if the object has any for it.
    pub metadata: Option<KernelMetadata>,
}

struct Symbol {
    address: u64,
    size: u64,
    kind: u8,
    defined: bool,
}

impl CodeObject {
    /// Reads a linked amdhsa code object.
    ///
    /// # Errors
    /// [`LoadError`] if the object is for another system or relocatable, if its tables are broken, or if a relocation
    /// needs a symbol that does not exist.
    pub fn parse(file: &FileBytes) -> Result<CodeObject, LoadError> {
        let file = &restore::restored(file, None).bytes;
        let data = file.as_ref();
        if !data.starts_with(super::elf::MAGIC) {
            if super::bare::read(file, Reading::default())?.is_some() {
                let what = "it has code of shaders, and no kernels with their arguments; --synthetic makes up inputs";
                return Err(LoadError::NotLaunched { what: what.to_owned() });
            }
            super::check_raw(data)?;
            return Err(LoadError::RawLaunch);
        }
        super::elf::check_ident(data)?;
        let header = Header::parse(data).map_err(|e| LoadError::elf(0, format!("{e} in the file header")))?;
        if header.e_machine(LE) != EM_AMDGPU {
            return Err(LoadError::OtherMachine { machine: machine::host_name(header.e_machine(LE)) });
        }
        let ident = header.e_ident();
        let refused = |what: &str| Err(LoadError::NotLaunched { what: what.to_owned() });
        match ident.os_abi.0 {
            64 => {}
            65 => return refused("an object for PAL (graphics)"),
            66 => return refused("an object for Mesa"),
            other => return refused(&format!("an object for no known system (OS ABI {other})")),
        }
        if header.e_type(LE) == ET_REL {
            return refused("a relocatable object: link it (clang without -c)");
        }
        if ident.abi_version > 4 {
            return refused(&format!("a code object of an unknown version (ABI version {})", ident.abi_version));
        }
        let sections = super::elf::section_table(header, data)?;
        let notes = Notes::read(header, &sections, data);
        let metadata = metadata(&notes)?;
        let (chip, arch) = super::elf::target(header.e_flags(LE).0 & 0xff, notes.isa)?;
        let mut object = CodeObject {
            chip,
            arch,
            version: ident.abi_version + 2,
            segments: segments(header, file)?,
            relocations: Vec::new(),
            kernels: Vec::new(),
            variables: Vec::new(),
            printf: metadata.printf,
            part: None,
            bytes: file.clone(),
        };
        let (symbols, dynamic) = symbols(header, &sections, data)?;
        object.relocations = object.relocations(header, &sections, data, &dynamic)?;
        object.variables = object.variables(&symbols);
        object.kernels = object.kernels(&symbols, metadata.kernels)?;
        if object.kernels.is_empty() {
            return refused("it has no kernel descriptors (.kd): its code can be listed, and run as one wave");
        }
        Ok(object)
    }

    /// Reads the object in `part` of a file.
    pub(super) fn of_part(part: &Part) -> Result<CodeObject, LoadError> {
        CodeObject::parse(&part.bytes).map(|object| CodeObject { part: part.id.clone(), ..object })
    }

    /// Reads all objects of a file that can be launched. The file is an object, or it has parts for GCN 1.0 to 1.4.
    ///
    /// # Errors
    /// As [`CodeObject::parse`]; also [`LoadError`] for a broken container.
    pub fn parse_all(file: &FileBytes) -> Result<Vec<CodeObject>, LoadError> {
        match super::parse_container(file, Sniffed::of(file.as_ref()), None)? {
            Some(loaded) => loaded.launch_objects().into_iter().collect(),
            None => Ok(vec![CodeObject::parse(file)?]),
        }
    }

    /// Reads the one object of a file. If the file has several parts, `arch` chooses one by generation.
    ///
    /// # Errors
    /// As [`CodeObject::parse_all`]; [`LoadError::WhichPart`] if `arch` leaves no part or several.
    pub fn choose(file: &FileBytes, arch: Option<Arch>) -> Result<CodeObject, LoadError> {
        let (mut objects, _) = CodeObject::choose_parts(file, arch.map(TargetChoice::from).as_ref(), None)?;
        match (objects.pop(), &objects[..]) {
            (Some(only), []) => Ok(only),
            (last, others) => {
                let held = CodeObject::names(&others.iter().chain(&last).collect::<Vec<_>>());
                Err(LoadError::WhichPart { held })
            }
        }
    }

    /// Reads the objects of a file that are for `target`, or only that of the part with the index `part`, and lists the
    /// parts that are not read. A file without parts is one object.
    ///
    /// # Errors
    /// As [`CodeObject::parse_all`]; [`LoadError::WhichPart`] if no part is for `target`; [`LoadError::NoSuchPart`].
    pub fn choose_parts(
        file: &FileBytes,
        target: Option<&TargetChoice>,
        part: Option<usize>,
    ) -> Result<(Vec<CodeObject>, Vec<Skipped>), LoadError> {
        if let Some(mut loaded) =
            super::parse_container(file, Sniffed::of(file.as_ref()), target.map(|target| target.arch))?
        {
            part.map_or(Ok(()), |index| loaded.keep_part(index))?;
            let objects = loaded.objects_for(target)?;
            return Ok((objects, loaded.skipped));
        }
        if let Some(index) = part {
            return Err(LoadError::NoSuchPart { index, held: "no parts".to_owned() });
        }
        let restored = restore::restored(file, target.map(|target| target.arch));
        let object = CodeObject::parse(&restored.bytes)?;
        if target.is_some_and(|target| !target.means(object.arch)) {
            return Err(LoadError::WhichPart { held: object.chip.to_owned() });
        }
        Ok((vec![object], Vec::new()))
    }

    /// The target ids of `objects` for messages; without parts, the chip.
    pub fn names(objects: &[&CodeObject]) -> String {
        let parts: Vec<_> = objects.iter().filter_map(|object| object.part.as_deref()).collect();
        if parts.is_empty() { objects.iter().map(|object| object.chip).collect() } else { target_ids(&parts) }
    }

    /// Whether it has a kernel that `name` means ([`CodeObject::kernel_index`]).
    pub fn has_kernel(&self, name: &str) -> bool {
        self.kernel_index(name).is_some()
    }

    /// The index of the kernel that `name` means: its symbol, or the name in the source of a kernel of C++
    /// ([`means`](crate::means)). `None` if there is none, or more than one with this name in the source.
    pub fn kernel_index(&self, name: &str) -> Option<usize> {
        demangle::position(self.kernels.iter().map(|kernel| kernel.name.as_str()), name)
    }

    /// First address and number of bytes of the whole image.
    pub fn span(&self) -> (u64, u64) {
        let start = self.segments.iter().map(|segment| segment.address).min().unwrap_or(0);
        let end = self.segments.iter().map(|segment| segment.address + segment.size).max().unwrap_or(start);
        (start, end - start)
    }

    /// The segment that holds `address`.
    fn segment_at(&self, address: u64) -> Option<&LoadSegment> {
        let behind = self.segments.partition_point(|segment| segment.address <= address);
        self.segments[..behind].last().filter(|segment| address - segment.address < segment.size)
    }

    /// `N` bytes of the image from `address` on. `None` if they are not all in the contents of one segment.
    fn read<const N: usize>(&self, address: u64) -> Option<[u8; N]> {
        let segment = self.segment_at(address)?;
        let at = usize::try_from(address - segment.address).ok()?;
        segment.bytes.as_ref().get(at..)?.first_chunk().copied()
    }

    fn relocations(
        &self,
        header: &Header,
        sections: &SectionTable<'_, Header>,
        data: &[u8],
        dynamic: &[(String, Symbol)],
    ) -> Result<Vec<Relocation>, LoadError> {
        let broken = |e: object::Error| LoadError::elf(header.e_shoff(LE), format!("{e} in the relocations"));
        let mut found = Vec::new();
        // Several sections may share the same entries, so their sum is limited by the size of the file.
        let most = data.len() / size_of::<Rela64<LittleEndian>>();
        for section in sections.iter() {
            if section.sh_type(LE) != SHT_RELA || section.sh_flags(LE).0 & SHF_ALLOC.0 == 0 {
                continue;
            }
            let at = section.sh_offset(LE);
            let Some((entries, _)) = section.rela(LE, data).map_err(broken)? else { continue };
            for (i, entry) in entries.iter().enumerate() {
                let error = |what: String| LoadError::elf(at + 24 * i as u64, format!("{what}; relocation"));
                let (place, addend) = (entry.r_offset.get(LE), entry.r_addend.get(LE));
                let info = entry.r_info.get(LE);
                let symbol = || match dynamic.get((info >> 32) as usize) {
                    Some((_, symbol)) if symbol.defined => Ok(symbol.address.wrapping_add_signed(addend)),
                    Some((name, _)) => Err(error(format!("symbol '{name}' is not defined"))),
                    None => Err(error(format!("there is no symbol {}", info >> 32))),
                };
                let (target, part) = match info as u32 {
                    0 => continue,
                    1 | 6 => (symbol()?, RelocationPart::Low),
                    2 => (symbol()?, RelocationPart::High),
                    3 => (symbol()?, RelocationPart::Whole),
                    13 => (addend as u64, RelocationPart::Whole),
                    kind => return Err(error(format!("type {kind} is for linkers"))),
                };
                let len = if part == RelocationPart::Whole { 8 } else { 4 };
                let inside = |s: &LoadSegment| s.size - (place - s.address) >= len;
                if !self.segment_at(place).is_some_and(inside) {
                    return Err(error(format!("place {place:#x} is not in the image")));
                }
                if found.len() == most {
                    return Err(error("more relocations than the file has room for".to_owned()));
                }
                found.push(Relocation { place, target, part });
            }
        }
        Ok(found)
    }

    fn kernels(
        &self,
        symbols: &HashMap<String, Symbol>,
        metadata: Vec<KernelMetadata>,
    ) -> Result<Vec<Kernel>, LoadError> {
        let mut kernels = Vec::new();
        let mut others: Vec<(&str, &str)> = symbols
            .iter()
            .filter_map(|(symbol, s)| match self.version {
                2 => (s.kind == STT_AMDGPU_HSA_KERNEL).then_some((symbol.as_str(), symbol.as_str())),
                _ => Some((symbol.strip_suffix(".kd")?, symbol.as_str())),
            })
            .collect();
        others.sort_unstable();
        let mut listed = HashSet::new();
        for metadata in metadata {
            let symbol = metadata.symbol.strip_suffix("@kd").unwrap_or(&metadata.symbol).to_owned();
            let Some(found) = symbols.get(&symbol) else {
                let what = format!("kernel '{}' of the metadata has no symbol '{symbol}'; symbols", metadata.name);
                return Err(LoadError::elf(0, what));
            };
            kernels.push(self.kernel(metadata.name.clone(), found.address, Some(metadata))?);
            listed.insert(symbol);
        }
        for (name, symbol) in others.into_iter().filter(|(_, symbol)| !listed.contains(*symbol)) {
            kernels.push(self.kernel(name.to_owned(), symbols[symbol].address, None)?);
        }
        Ok(kernels)
    }

    /// Returns the variables among the symbols of the object: those that lie in a segment.
    fn variables(&self, symbols: &HashMap<String, Symbol>) -> Vec<Variable> {
        let is_variable = |(name, symbol): &(&String, &Symbol)| {
            symbol.kind == STT_OBJECT && symbol.size > 0 && !name.ends_with(".kd") && self.has(symbol)
        };
        let found = symbols.iter().filter(is_variable);
        let variable = |(name, symbol): (&String, &Symbol)| Variable {
            name: name.clone(),
            address: symbol.address,
            size: symbol.size,
        };
        let mut variables: Vec<Variable> = found.map(variable).collect();
        variables.sort_unstable_by(|a, b| a.name.cmp(&b.name));
        variables
    }

    fn has(&self, symbol: &Symbol) -> bool {
        let end = symbol.address.checked_add(symbol.size);
        let holds = |segment: &LoadSegment| {
            segment.address <= symbol.address && end.is_some_and(|end| end - segment.address <= segment.size)
        };
        self.segments.iter().any(holds)
    }

    fn kernel(&self, name: String, at: u64, metadata: Option<KernelMetadata>) -> Result<Kernel, LoadError> {
        let descriptor = match self.version {
            2 => self.read(at).map(|bytes| KernelDescriptor::of_v2(&bytes)),
            _ => self.read(at).map(|bytes| KernelDescriptor::of_v3(&bytes)),
        };
        let descriptor = descriptor.ok_or_else(|| {
            LoadError::elf(0, format!("the descriptor of '{name}' at {at:#x} is not in the image; symbols"))
        })?;
        let entry = at.wrapping_add_signed(descriptor.entry_offset);
        if !self.segment_at(entry).is_some_and(|segment| segment.is_code_at(entry)) || !entry.is_multiple_of(4) {
            return Err(LoadError::elf(0, format!("kernel '{name}' begins at {entry:#x}, which is no code; symbols")));
        }
        Ok(Kernel { name, descriptor_address: at, descriptor, entry, metadata })
    }
}

fn segments(header: &Header, file: &FileBytes) -> Result<Vec<LoadSegment>, LoadError> {
    let data = file.as_ref();
    let at = header.e_phoff(LE);
    let headers =
        header.program_headers(LE, data).map_err(|e| LoadError::elf(at, format!("{e} in the program headers")))?;
    let mut segments = Vec::new();
    for (i, segment) in headers.iter().enumerate() {
        // Old finalizers write segment types of their own. They are loaded as PT_LOAD is.
        let kind = segment.p_type(LE);
        if kind != PT_LOAD && !(0x6000_0000..=0x6000_0003).contains(&kind.0) {
            continue;
        }
        let error = |what: &str| LoadError::elf(at + 56 * i as u64, format!("{what}; program header"));
        let (address, size) = (segment.p_vaddr(LE), segment.p_memsz(LE));
        let (offset, len) = (segment.p_offset(LE), segment.p_filesz(LE));
        if size == 0 {
            continue;
        }
        let end = address.checked_add(size).filter(|&end| end <= MOST_SPAN && len <= size);
        end.ok_or_else(|| error(&format!("a segment of {size:#x} bytes at {address:#x} is absurd")))?;
        let range =
            offset.checked_add(len).filter(|&end| end <= data.len() as u64).map(|end| offset as usize..end as usize);
        let bytes = range.and_then(|range| file.slice(range)).ok_or_else(|| error("a segment exceeds the file"))?;
        let flags = segment.p_flags(LE).0;
        let [writable, executable] = [PF_W, PF_X].map(|flag| flags & flag.0 != 0);
        segments.push(LoadSegment { address, size, bytes, writable, executable });
    }
    segments.sort_by_key(|segment| segment.address);
    match segments.windows(2).find(|pair| pair[0].address + pair[0].size > pair[1].address) {
        Some(pair) => {
            Err(LoadError::elf(at, format!("two segments overlap at {:#x}; program headers", pair[1].address)))
        }
        None => Ok(segments),
    }
}

/// Symbols by name, and the symbols of the dynamic table in that table's order.
type Symbols = (HashMap<String, Symbol>, Vec<(String, Symbol)>);

fn symbols(header: &Header, sections: &SectionTable<'_, Header>, data: &[u8]) -> Result<Symbols, LoadError> {
    let broken = |e: object::Error| LoadError::elf(header.e_shoff(LE), format!("{e} in the symbols"));
    let (mut by_name, mut dynamic) = (HashMap::new(), Vec::new());
    // Names may overlap in the string table, so their sum may exceed the file. It is limited to 4 times the file's
    // size.
    let mut left = 4 * data.len();
    for kind in [SHT_SYMTAB, SHT_DYNSYM] {
        let table = sections.symbols(LE, data, kind).map_err(broken)?;
        for symbol in table.iter() {
            let name = symbol.name(LE, table.strings()).map_err(broken)?;
            left = left
                .checked_sub(name.len())
                .ok_or_else(|| LoadError::elf(0, "names of symbols are absurdly long; symbols"))?;
            let name = String::from_utf8_lossy(name).into_owned();
            let of = || Symbol {
                address: symbol.st_value(LE),
                size: symbol.st_size(LE),
                kind: symbol.st_type().0,
                defined: symbol.st_shndx(LE).0 != 0,
            };
            if of().defined && !name.is_empty() {
                by_name.entry(name.clone()).or_insert_with(of);
            }
            if kind == SHT_DYNSYM {
                dynamic.push((name, of()));
            }
        }
    }
    Ok((by_name, dynamic))
}

fn metadata(notes: &Notes<'_>) -> Result<ObjectMetadata, LoadError> {
    let metadata = match (notes.message_pack, notes.yaml) {
        (Some(desc), _) => metadata::of_message_pack(desc),
        (None, Some(desc)) => metadata::of_yaml(desc),
        (None, None) => Ok(ObjectMetadata::default()),
    };
    metadata.map_err(|error| LoadError::elf(notes.metadata_offset, format!("{error}; notes")))
}
