//! Restores objects that tools have damaged. Missing parts are derived from what is left, in a copy of the file.
//!
//! | missing | in its place |
//! |---|---|
//! | `e_machine`, `e_flags` | the chip of a note or of the metadata, else that of `--arch` |
//! | section headers | a section for each segment; symbols and relocations of the dynamic table |
//! | symbols of kernels | descriptors found by their content; names from functions, the metadata, or the address |
//!
//! Restored parts are appended to the file's own bytes, so offsets in the file stay valid. Complete files are not
//! copied. Truncated files are not restored: the code that reads them reports the error.

use std::collections::HashMap;

use gcnsim_isa::Arch;
use object::elf::{
    DT_GNU_HASH, DT_HASH, DT_RELA, DT_RELASZ, DT_STRSZ, DT_STRTAB, DT_SYMTAB, DynamicTag, EM_AMDGPU, ET_REL, Machine,
    PF_W, PF_X, PT_DYNAMIC, PT_LOAD, SHF_ALLOC, SHF_EXECINSTR, SHF_WRITE, SHT_DYNSYM, SHT_NULL, SHT_PROGBITS, SHT_RELA,
    SHT_STRTAB, SHT_SYMTAB, STT_FUNC, SectionHeader64, Sym64, SymbolInfo, SymbolSection,
};
use object::read::elf::{FileHeader, ProgramHeader, SectionHeader, SectionTable, Sym};
use object::{LittleEndian, U16, U32, U64};

use super::bytes::FileBytes;
use super::elf::{self, DESCRIPTOR_SIZE, ELFOSABI_AMDGPU_HSA, STT_AMDGPU_HSA_KERNEL};
use super::made::{Made, null_symbol, section};
use super::notes::Notes;
use super::tables::{Header, LE, name_at};
use super::{machine, metadata};

/// Limit in bytes for a file that is copied.
const MOST_BYTES: usize = 1 << 30;

/// A file whose missing parts have been restored.
pub(super) struct Restored {
    /// The file's bytes: a copy if something was missing.
    pub bytes: FileBytes,
    /// What was missing and what replaces it; `None` if the file is unchanged.
    pub remark: Option<String>,
}

/// Restores what is missing in an object. `arch` is the user's `--arch`. Other files are returned unchanged.
pub(super) fn restored(file: &FileBytes, arch: Option<Arch>) -> Restored {
    let named = with_chip(file, arch);
    let file = named.unwrap_or_else(|| file.clone());
    match Repair::of(&file).and_then(Repair::finish) {
        Some((bytes, remark)) => Restored { bytes: bytes.into(), remark: Some(remark) },
        None => Restored { bytes: file, remark: None },
    }
}

fn header_of(data: &[u8]) -> Option<&Header> {
    let readable = data.starts_with(elf::MAGIC) && data.len() <= MOST_BYTES && elf::check_ident(data).is_ok();
    if readable { Header::parse(data).ok() } else { None }
}

/// Returns a copy with machine and chip filled in, if the header lacks them and a note, the metadata or `arch` has
/// them.
fn with_chip(file: &FileBytes, arch: Option<Arch>) -> Option<FileBytes> {
    let data = file.as_ref();
    let header = header_of(data)?;
    let (machine, flags) = (header.e_machine(LE), header.e_flags(LE).0);
    let mach = flags & 0xff;
    let is_ours = machine == EM_AMDGPU || machine == Machine(0) && (64..=66).contains(&header.e_ident().os_abi.0);
    if !is_ours || machine == EM_AMDGPU && mach != 0 {
        return None;
    }
    let sections = elf::section_table(header, data).unwrap_or_default();
    let notes = Notes::read(header, &sections, data);
    let mach = match mach {
        0 if notes.isa.is_some() => 0,
        0 => notes.message_pack.and_then(target_of).or_else(|| machine::mach_of_arch(arch?))?,
        stated => stated,
    };
    if machine == EM_AMDGPU && mach == 0 {
        return None;
    }
    let mut bytes = data.to_vec();
    bytes[18..20].copy_from_slice(&EM_AMDGPU.0.to_le_bytes());
    bytes[48..52].copy_from_slice(&(flags | mach).to_le_bytes());
    Some(bytes.into())
}

/// The `EF_AMDGPU_MACH` value for the `amdhsa.target` in `note`, for example `amdgcn-amd-amdhsa--gfx906:xnack-`.
fn target_of(note: &[u8]) -> Option<u32> {
    let target = metadata::target(note)?;
    machine::mach_of(target.rsplit("--").next()?.split(':').next()?)
}

/// The bytes that a segment loads, and where.
struct Loaded<'d> {
    address: u64,
    offset: u64,
    size: u64,
    bytes: &'d [u8],
    executable: bool,
    writable: bool,
}

/// A kernel that was found by the contents of its descriptor.
struct Found {
    descriptor: u64,
    entry: u64,
    name: String,
}

/// A file whose section headers or kernel symbols are missing.
struct Repair<'d> {
    header: &'d Header,
    data: &'d [u8],
    segments: Vec<Loaded<'d>>,
    /// The file's own sections, if there is a symbol table among them.
    sections: Option<SectionTable<'d, Header>>,
    /// Whether there is code among them.
    has_code: bool,
}

/// The tables that PT_DYNAMIC refers to.
struct Dynamic<'d> {
    symbols: &'d [Sym64<LittleEndian>],
    strings: &'d [u8],
    strings_offset: u64,
    /// Offset in the file and size, in bytes.
    relocations: Option<(u64, u64)>,
}

impl<'d> Repair<'d> {
    /// Looks for missing parts. `None` if nothing is missing, or if nothing can be restored.
    fn of(file: &'d FileBytes) -> Option<Repair<'d>> {
        let data = file.as_ref();
        let header = header_of(data)?;
        let is_linked = header.e_type(LE) != ET_REL && header.e_ident().os_abi == ELFOSABI_AMDGPU_HSA;
        if header.e_machine(LE) != EM_AMDGPU || !is_linked {
            return None;
        }
        let sections = if header.e_shoff(LE) == 0 { None } else { Some(elf::section_table(header, data).ok()?) };
        let sections = sections.filter(|s| s.iter().any(|s| matches!(s.sh_type(LE), SHT_SYMTAB | SHT_DYNSYM)));
        let has_code = sections.as_ref().is_some_and(has_code);
        if has_code && sections.as_ref().is_some_and(|sections| has_kernels(sections, data)) {
            return None;
        }
        let segments = segments(header, data)?;
        Some(Repair { header, data, segments, sections, has_code })
    }

    fn finish(self) -> Option<(Vec<u8>, String)> {
        let mut remarks = Vec::new();
        let mut made = Made::new(self.data);
        let dynamic = self.dynamic();
        match &self.sections {
            Some(sections) => {
                made.headers.extend(sections.iter().copied());
                if !self.has_code {
                    made.headers.extend(self.segments.iter().map(segment_section));
                    remarks.push("no sections with code: segments are taken".to_owned());
                }
            }
            None => {
                self.make_sections(&mut made, dynamic.as_ref());
                remarks.push(match dynamic {
                    Some(_) => "no section headers: symbols are those of the dynamic table".to_owned(),
                    None => "no section headers and no dynamic symbols".to_owned(),
                });
            }
        }
        let functions = self.functions(dynamic.as_ref());
        let has_kernels = functions.iter().any(|(name, _, kind)| is_kernel(name, *kind));
        let found = if has_kernels { Vec::new() } else { self.find_kernels(&functions) };
        if !found.is_empty() {
            let count = crate::plural(found.len() as u64, "kernel");
            remarks.push(format!("no symbols of kernels: {count} found by descriptors"));
            self.add_symbols(&mut made, &found)?;
        } else if self.has_code {
            return None;
        }
        Some((made.finish(self.sections.is_none())?, remarks.join("; ")))
    }

    /// Makes a section for each segment, and sections for the dynamic tables.
    fn make_sections(&self, made: &mut Made, dynamic: Option<&Dynamic<'d>>) {
        made.headers.push(section(SHT_NULL, 0, 0, (0, 0)));
        for segment in &self.segments {
            let mut header = segment_section(segment);
            header.sh_name = made.section_name(match (segment.executable, segment.writable) {
                (true, _) => ".text",
                (false, true) => ".data",
                (false, false) => ".rodata",
            });
            made.headers.push(header);
        }
        let Some(dynamic) = dynamic else { return };
        let texts = made.headers.len();
        made.headers.push(section(SHT_STRTAB, 0, 0, (dynamic.strings_offset, dynamic.strings.len() as u64)));
        // The linker's section numbers are not those of the sections made here.
        let symbols: Vec<_> = dynamic.symbols.iter().map(|symbol| self.renumbered(symbol)).collect();
        let place = made.append(object::bytes_of_slice(&symbols));
        let mut header = section(SHT_DYNSYM, 0, 0, place);
        (header.sh_link, header.sh_entsize) = (U32::new(LE, texts as u32), U64::new(LE, 24));
        made.headers.push(header);
        if let Some(place) = dynamic.relocations {
            let mut header = section(SHT_RELA, SHF_ALLOC.0, 0, place);
            (header.sh_link, header.sh_entsize) = (U32::new(LE, texts as u32 + 1), U64::new(LE, 24));
            made.headers.push(header);
        }
    }

    /// Returns a dynamic symbol with the number of the section that was made for its segment.
    fn renumbered(&self, symbol: &Sym64<LittleEndian>) -> Sym64<LittleEndian> {
        let stated = symbol.st_shndx(LE).0;
        if stated == 0 || stated >= 0xff00 {
            return *symbol;
        }
        Sym64 { st_shndx: U16::new(LE, SymbolSection(self.number_at(symbol.st_value(LE)))), ..*symbol }
    }

    /// Number of the made section that contains `address`; 1 if there is none.
    fn number_at(&self, address: u64) -> u16 {
        let holds = |s: &Loaded<'_>| address.checked_sub(s.address).is_some_and(|at| at < s.size);
        self.segments.iter().position(holds).map_or(1, |i| i as u16 + 1)
    }

    fn segment_at(&self, address: u64) -> Option<&Loaded<'d>> {
        self.segments.iter().find(|s| address.checked_sub(s.address).is_some_and(|at| at < s.bytes.len() as u64))
    }

    /// Returns the offset of `address` in the file, and the bytes of its segment from there on.
    fn at(&self, address: u64) -> Option<(u64, &'d [u8])> {
        let segment = self.segment_at(address)?;
        let at = address - segment.address;
        Some((segment.offset + at, &segment.bytes[at as usize..]))
    }

    fn dynamic(&self) -> Option<Dynamic<'d>> {
        let programs = self.header.program_headers(LE, self.data).ok()?;
        let program = programs.iter().find(|program| program.p_type(LE) == PT_DYNAMIC)?;
        let entries = program.data(LE, self.data).ok()?.as_chunks::<16>().0;
        let mut tags = HashMap::new();
        for entry in entries {
            let (tag, value) = (u64_at(entry, 0)?, u64_at(entry, 8)?);
            if tag == 0 {
                break;
            }
            tags.entry(tag).or_insert(value);
        }
        let tag = |tag: DynamicTag| tags.get(&(tag.0 as u64)).copied();
        let (strings_offset, strings) = self.at(tag(DT_STRTAB)?)?;
        let strings = strings.get(..tag(DT_STRSZ)? as usize)?;
        let (offset, rest) = self.at(tag(DT_SYMTAB)?)?;
        let by_hash = tag(DT_HASH).and_then(|address| self.at(address)).and_then(|(_, hash)| u32_at(hash, 4));
        let by_gnu_hash = || gnu_hash_count(self.at(tag(DT_GNU_HASH)?)?.1);
        // Without a hash table, the names are where the symbols end: linkers put them there.
        let by_strings = || (strings_offset.checked_sub(offset)? / 24).try_into().ok();
        let count = by_hash.or_else(by_gnu_hash).or_else(by_strings).unwrap_or(u32::MAX) as usize;
        let (symbols, _) = object::slice_from_bytes(rest, count.min(rest.len() / 24)).ok()?;
        let relocations = tag(DT_RELA).zip(tag(DT_RELASZ)).and_then(|(address, size)| {
            let (offset, rest) = self.at(address)?;
            (size <= rest.len() as u64).then_some((offset, size))
        });
        Some(Dynamic { symbols, strings, strings_offset, relocations })
    }

    /// All named symbols that are defined: name, address, kind.
    fn functions(&self, dynamic: Option<&Dynamic<'d>>) -> Vec<(String, u64, u8)> {
        let mut found = Vec::new();
        let mut left = 4 * self.data.len();
        let mut add = |symbols: &[Sym64<LittleEndian>], strings: &[u8]| {
            for symbol in symbols.iter().filter(|symbol| symbol.st_shndx(LE).0 != 0) {
                let Ok(name) = name_at(strings, symbol.st_name(LE)) else { continue };
                if name.len() > left {
                    return;
                }
                left -= name.len();
                found.push((name.into_owned(), symbol.st_value(LE), symbol.st_type().0));
            }
        };
        if let Some(dynamic) = dynamic.filter(|_| self.sections.is_none()) {
            add(dynamic.symbols, dynamic.strings);
        }
        for (sections, kind) in self.sections.iter().flat_map(|s| [(s, SHT_SYMTAB), (s, SHT_DYNSYM)]) {
            if let Ok(table) = sections.symbols(LE, self.data, kind)
                && let Ok(strings) = super::tables::strings(sections, self.data, table.string_section())
            {
                add(&table.iter().copied().collect::<Vec<_>>(), strings);
            }
        }
        found
    }

    /// Finds kernels by the contents of their descriptors, sorted by address.
    fn find_kernels(&self, symbols: &[(String, u64, u8)]) -> Vec<Found> {
        let is_v2 = self.header.e_ident().abi_version == 0;
        let mut found = Vec::new();
        let mut left = 2 * self.data.len();
        for segment in self.segments.iter().filter(|segment| segment.executable == is_v2) {
            let Some(rest) = left.checked_sub(segment.bytes.len()) else { break };
            left = rest;
            let step = if is_v2 { 256 } else { DESCRIPTOR_SIZE };
            let first = (segment.address.next_multiple_of(step) - segment.address) as usize;
            for at in (first..segment.bytes.len()).step_by(step as usize) {
                let address = segment.address + at as u64;
                let bytes = &segment.bytes[at..];
                let offset = if is_v2 { kernel_code_offset(bytes) } else { descriptor_offset(bytes) };
                let Some(offset) = offset else { continue };
                let entry = address.wrapping_add(offset);
                if entry.is_multiple_of(256) && self.segment_at(entry).is_some_and(|s| s.executable) {
                    found.push(Found { descriptor: address, entry, name: format!("kernel_{entry:x}") });
                }
            }
        }
        self.name_kernels(&mut found, symbols, is_v2);
        found
    }

    /// Names kernels after the functions at their entries, or else after kernels of the metadata with the same sizes.
    fn name_kernels(&self, found: &mut [Found], symbols: &[(String, u64, u8)], is_v2: bool) {
        let functions = symbols.iter().filter(|(.., kind)| *kind == STT_FUNC.0);
        let functions: HashMap<u64, &str> = functions.map(|(name, address, _)| (*address, name.as_str())).collect();
        let sections = self.sections.unwrap_or_default();
        let notes = Notes::read(self.header, &sections, self.data);
        let listed = match (notes.message_pack, notes.yaml) {
            (Some(note), _) => metadata::of_message_pack(note).ok(),
            (None, note) => note.and_then(|note| metadata::of_yaml(note).ok()),
        };
        let listed = listed.map(|metadata| metadata.kernels).unwrap_or_default();
        // A descriptor takes the first unused kernel of the metadata that has its sizes.
        let mut taken = vec![false; listed.len()];
        for kernel in found {
            if let Some(name) = functions.get(&kernel.entry) {
                (*name).clone_into(&mut kernel.name);
                continue;
            }
            let Some((_, bytes)) = self.at(kernel.descriptor) else { continue };
            let size = |at| u32_at(bytes, at).map(u64::from);
            let sizes = if is_v2 { (size(64), size(60)) } else { (size(0), size(4)) };
            let fits =
                |(i, k): &(usize, &metadata::StatedKernel)| !taken[*i] && (k.group_size, k.private_size) == sizes;
            if let Some((i, listed)) = listed.iter().enumerate().find(fits) {
                taken[i] = true;
                let symbol = &listed.symbol;
                kernel.name = symbol.strip_suffix(".kd").or(symbol.strip_suffix("@kd")).unwrap_or(symbol).to_owned();
            }
        }
    }

    /// Appends a copy of the file's symbol table that also has symbols for the kernels `found`.
    fn add_symbols(&self, made: &mut Made, found: &[Found]) -> Option<()> {
        let (mut symbols, mut strings) = (vec![null_symbol()], vec![0]);
        if let Some(sections) = &self.sections {
            let table = sections.symbols(LE, self.data, SHT_SYMTAB).ok()?;
            if !table.is_empty() {
                strings = super::tables::strings(sections, self.data, table.string_section()).ok()?.to_vec();
                strings.push(0);
                symbols = table.iter().copied().collect();
            }
        }
        let is_v2 = self.header.e_ident().abi_version == 0;
        let kind = if is_v2 { STT_AMDGPU_HSA_KERNEL.0 } else { object::elf::STT_OBJECT.0 };
        for kernel in found {
            let section = self.own_number_at(kernel.descriptor);
            symbols.push(Sym64 {
                st_name: U32::new(LE, u32::try_from(strings.len()).ok()?),
                st_info: SymbolInfo(1 << 4 | kind),
                st_shndx: U16::new(LE, SymbolSection(section)),
                st_value: U64::new(LE, kernel.descriptor),
                st_size: U64::new(LE, if is_v2 { 0 } else { DESCRIPTOR_SIZE }),
                ..null_symbol()
            });
            strings.extend(kernel.name.as_bytes());
            strings.extend(if is_v2 { &b"\0"[..] } else { b".kd\0" });
        }
        for header in made.headers.iter_mut().filter(|header| header.sh_type.get(LE) == SHT_SYMTAB) {
            header.sh_type = U32::new(LE, SHT_PROGBITS);
        }
        let place = made.append(object::bytes_of_slice(&symbols));
        let mut table = section(SHT_SYMTAB, 0, 0, place);
        (table.sh_link, table.sh_entsize) = (U32::new(LE, made.headers.len() as u32 + 1), U64::new(LE, 24));
        made.headers.push(table);
        let place = made.append(&strings);
        made.headers.push(section(SHT_STRTAB, 0, 0, place));
        Some(())
    }

    /// Number of the section that contains `address`, among the file's own sections or, without these, the made ones.
    fn own_number_at(&self, address: u64) -> u16 {
        let Some(sections) = &self.sections else { return self.number_at(address) };
        let holds = |s: &SectionHeader64<LittleEndian>| {
            s.sh_flags(LE).0 & SHF_ALLOC.0 != 0 && address.wrapping_sub(s.sh_addr(LE)) < s.sh_size(LE)
        };
        sections.iter().position(holds).map_or(1, |i| i as u16)
    }
}

fn has_code(sections: &SectionTable<'_, Header>) -> bool {
    sections.iter().any(|s| s.sh_flags(LE).0 & SHF_EXECINSTR.0 != 0 && s.sh_size(LE) > 0)
}

/// Makes a section header without a name for `segment`.
fn segment_section(segment: &Loaded<'_>) -> SectionHeader64<LittleEndian> {
    let mut flags = SHF_ALLOC.0;
    flags |= if segment.writable { SHF_WRITE.0 } else { 0 };
    flags |= if segment.executable { SHF_EXECINSTR.0 } else { 0 };
    section(SHT_PROGBITS, flags, segment.address, (segment.offset, segment.bytes.len() as u64))
}

fn is_kernel(name: &str, kind: u8) -> bool {
    name.ends_with(".kd") || kind == STT_AMDGPU_HSA_KERNEL.0
}

/// Whether there is a symbol of a kernel. In nearly every object one of the first symbols is.
fn has_kernels(sections: &SectionTable<'_, Header>, data: &[u8]) -> bool {
    [SHT_SYMTAB, SHT_DYNSYM].into_iter().any(|kind| {
        // The code that reads broken tables reports them.
        let Ok(table) = sections.symbols(LE, data, kind) else { return true };
        let Ok(strings) = super::tables::strings(sections, data, table.string_section()) else { return true };
        table.iter().any(|symbol| {
            symbol.st_shndx(LE).0 != 0
                && name_at(strings, symbol.st_name(LE)).is_ok_and(|name| is_kernel(&name, symbol.st_type().0))
        })
    })
}

/// The segments that the program headers load. `None` if one exceeds the file, if they overlap in it, or if none has
/// code.
fn segments<'d>(header: &Header, data: &'d [u8]) -> Option<Vec<Loaded<'d>>> {
    let programs = header.program_headers(LE, data).ok()?;
    let mut found = Vec::new();
    let mut left = 2 * data.len() as u64;
    for program in programs {
        let kind = program.p_type(LE);
        let is_loaded = kind == PT_LOAD || (0x6000_0000..=0x6000_0003).contains(&kind.0);
        if !is_loaded || program.p_filesz(LE) == 0 {
            continue;
        }
        let (offset, size) = (program.p_offset(LE), program.p_filesz(LE));
        left = left.checked_sub(size)?;
        let end = offset.checked_add(size).filter(|&end| end <= data.len() as u64)?;
        program.p_vaddr(LE).checked_add(program.p_memsz(LE).max(size))?;
        found.push(Loaded {
            address: program.p_vaddr(LE),
            offset,
            size: program.p_memsz(LE).max(size),
            bytes: &data[offset as usize..end as usize],
            executable: program.p_flags(LE).0 & PF_X.0 != 0,
            writable: program.p_flags(LE).0 & PF_W.0 != 0,
        });
    }
    (found.len() < 0xfe00 && found.iter().any(|segment| segment.executable)).then_some(found)
}

/// Number of symbols in a DT_GNU_HASH table. The last chain of the highest bucket ends with the last symbol.
fn gnu_hash_count(table: &[u8]) -> Option<u32> {
    let [buckets, first, bloom] = [0, 4, 8].map(|at| u32_at(table, at));
    let (buckets, first, bloom) = (buckets? as usize, first?, bloom? as usize);
    let at = bloom.checked_mul(8)?.checked_add(16)?;
    let chains = buckets.checked_mul(4)?.checked_add(at)?;
    let highest = table.get(at..chains)?.as_chunks::<4>().0.iter().map(|b| u32::from_le_bytes(*b)).max()?;
    if highest < first {
        return Some(first);
    }
    let chain = table.get(chains..)?.as_chunks::<4>().0;
    let length = chain.get((highest - first) as usize..)?.iter().position(|hash| hash[0] & 1 == 1)?;
    highest.checked_add(length as u32)?.checked_add(1)
}

/// The entry offset of a kernel descriptor, if `bytes` look like one: reserved fields are 0, registers are not.
fn descriptor_offset(bytes: &[u8]) -> Option<u64> {
    let bytes = bytes.get(..DESCRIPTOR_SIZE as usize)?;
    let is_zero = |range: std::ops::Range<usize>| bytes[range].iter().all(|&byte| byte == 0);
    let looks = is_zero(12..16) && is_zero(24..48) && is_zero(60..64) && !is_zero(48..52) && !is_zero(16..24);
    let fits = u32_at(bytes, 0)? <= 64 << 10 && u32_at(bytes, 8)? <= 1 << 20;
    if looks && fits { u64_at(bytes, 16) } else { None }
}

/// The entry offset of an `amd_kernel_code_t`, if `bytes` look like one: version 1.0 to 1.2, machine kind 1, ISA 6 to
/// 9.
fn kernel_code_offset(bytes: &[u8]) -> Option<u64> {
    let bytes = bytes.get(..256)?;
    let [major, minor, machine] = [0, 4, 8].map(|at| u32_at(bytes, at).unwrap_or(0));
    let looks = major == 1 && minor <= 2 && machine & 0xffff == 1 && (6..=9).contains(&(machine >> 16));
    if looks { u64_at(bytes, 16) } else { None }
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(*bytes.get(at..)?.first_chunk()?))
}

fn u64_at(bytes: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_le_bytes(*bytes.get(at..)?.first_chunk()?))
}
