//! Code objects for listings and scans: sections with their areas, kernels with their descriptors, names of addresses.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use gcnsim_isa::{Arch, Program};
use object::elf::{STT_FUNC, STT_NOTYPE, STT_OBJECT};

use super::areas::{self, Area, AreaKind, Mark, MarkKind};
use super::bytes::FileBytes;
use super::descriptor::Descriptor;
use super::elf::{self, DESCRIPTOR_SIZE, Elf, KERNEL_CODE_SIZE, STT_AMDGPU_HSA_KERNEL};
use super::error::LoadError;
use super::metadata::{self, StatedKernel};
use super::part::Part;
use super::relocation::{Relocation, SymbolValue};
use super::restore;
use super::shader::Shader;
use super::tables::{Symbol, place};
use super::{Entry, Loaded};

/// First of the addresses that stand for undefined symbols. `SLOTS` is the same for GOT slots of relocatable objects.
const ELSEWHERE: u64 = 1 << 60;
const SLOTS: u64 = 1 << 61;

/// A code object, or a raw file.
///
/// Addresses are those in the file. The sections of a relocatable object all begin at 0 there; here section n begins at
/// n * 2^32 ([`CodeSection::shown`] converts back).
#[derive(Debug)]
pub struct Object {
    /// Its name, if it is a part of a file.
    pub part: Option<String>,
    /// The processor; `None` for raw files.
    pub target: Option<&'static str>,
    /// Generation; `None` for raw files.
    pub arch: Option<Arch>,
    /// Code object version, where the file states one.
    pub version: Option<u8>,
    /// Whether it is relocatable, that is not linked yet.
    pub relocatable: bool,
    /// Its executable sections.
    pub sections: Vec<CodeSection>,
    /// The kernels that can be run.
    pub kernels: Vec<Kernel>,
    /// What is wrong with the metadata, if anything.
    pub metadata_error: Option<String>,
    /// Named ranges outside of code: first address, end, name.
    data: Vec<(u64, u64, Arc<str>)>,
    /// Addresses that are held by GOT slots and pointers. The key is the address of the slot or pointer.
    pointers: HashMap<u64, u64>,
    /// Undefined symbols by the addresses that stand for them here.
    undefined: BTreeMap<u64, Arc<str>>,
}

/// An executable section.
#[derive(Debug)]
pub struct CodeSection {
    /// Its name; empty for raw files.
    pub name: String,
    /// The address of its first byte.
    pub address: u64,
    /// The offset of its first byte in the file.
    pub file_offset: u64,
    /// Its bytes in the file.
    pub bytes: FileBytes,
    /// Its bytes after linking, if relocations change them.
    linked: Option<FileBytes>,
    /// Its areas, by address. Every byte belongs to exactly one.
    pub areas: Vec<Area>,
    /// Labels within areas, by address.
    pub labels: BTreeMap<u64, Vec<Arc<str>>>,
    /// Its relocations, sorted by place.
    pub relocations: Vec<Relocation>,
    relocatable: bool,
}

/// An entry of an object that can be run.
#[derive(Debug)]
pub struct Kernel {
    /// Its name; `None` for a raw file.
    pub name: Option<Arc<str>>,
    /// Address of its first instruction.
    pub address: u64,
    /// Its descriptor.
    pub descriptor: Option<Descriptor>,
    /// Its metadata.
    pub metadata: Option<StatedKernel>,
    /// What the file says of the shader.
    pub shader: Shader,
}

impl Loaded {
    /// The code objects of the file, for listings and scans. A raw file is an object of one section. Its entry is
    /// `entry` bytes after the beginning.
    ///
    /// # Errors
    /// [`LoadError`] as for loading. It happens only if the file has changed since.
    pub fn objects(&self, entry: u64) -> Result<Vec<Object>, LoadError> {
        if let [only] = self.entries.as_slice()
            && only.kernel.is_none()
        {
            return Ok(vec![raw(only.code.clone(), only.address, entry)]);
        }
        if self.parts.is_empty() {
            return Ok(vec![of_bare(&self.entries, &self.code_lengths)]);
        }
        let read = |part: &Part| {
            let mut object = of_elf(&elf::open(&restore::restored(&part.bytes, None).bytes)?)?;
            object.part = part.id.as_ref().map(|id| id.name.clone());
            object.sections.iter_mut().for_each(|section| section.file_offset += part.offset);
            Ok(object)
        };
        self.parts.iter().map(read).collect()
    }
}

fn raw(bytes: FileBytes, address: u64, offset: u64) -> Object {
    let end = address.saturating_add(bytes.as_ref().len() as u64);
    let code = Area { kind: AreaKind::Unnamed, range: address..end, names: Arc::default(), offset: 0 };
    Object {
        part: None,
        target: None,
        arch: None,
        version: None,
        relocatable: false,
        sections: vec![CodeSection {
            name: String::new(),
            address,
            file_offset: 0,
            bytes,
            linked: None,
            areas: vec![code],
            labels: BTreeMap::new(),
            relocations: Vec::new(),
            relocatable: false,
        }],
        kernels: vec![Kernel {
            name: None,
            address: address.wrapping_add(offset),
            descriptor: None,
            metadata: None,
            shader: Shader::default(),
        }],
        metadata_error: None,
        data: Vec::new(),
        pointers: HashMap::new(),
        undefined: BTreeMap::new(),
    }
}

/// Shaders without an ELF file around them, with the lengths of their code: each is a section of its own.
fn of_bare(entries: &[Entry], code_lengths: &[u64]) -> Object {
    let first = entries.first();
    let mut object = Object {
        part: None,
        target: first.and_then(|entry| entry.target),
        arch: first.and_then(|entry| entry.arch),
        version: None,
        relocatable: false,
        sections: Vec::new(),
        kernels: Vec::new(),
        metadata_error: None,
        data: Vec::new(),
        pointers: HashMap::new(),
        undefined: BTreeMap::new(),
    };
    for (entry, &length) in entries.iter().zip(code_lengths) {
        let name: Arc<str> = entry.kernel.as_deref().unwrap_or_default().into();
        let size = entry.code.as_ref().len() as u64;
        let mut marks =
            vec![Mark { address: entry.address, size: length, kind: MarkKind::Function, name: name.clone() }];
        if length < size {
            let data = format!("{name}.data").into();
            let (address, size) = (entry.address + length, size - length);
            marks.push(Mark { address, size, kind: MarkKind::Data, name: data });
        }
        let range = entry.address..entry.address.saturating_add(size);
        let (areas, labels) = areas::divide(range, entry.code.as_ref(), marks);
        object.sections.push(CodeSection {
            name: name.to_string(),
            address: entry.address,
            file_offset: entry.file_offset,
            bytes: entry.code.clone(),
            linked: None,
            areas,
            labels,
            relocations: Vec::new(),
            relocatable: false,
        });
        object.kernels.push(Kernel {
            name: Some(name),
            address: entry.address,
            descriptor: None,
            metadata: None,
            shader: entry.shader.clone(),
        });
    }
    object
}

fn of_elf(elf: &Elf<'_>) -> Result<Object, LoadError> {
    let entries = elf.entries()?;
    let metadata = match (elf.notes.message_pack, elf.notes.yaml) {
        (Some(note), _) => metadata::of_message_pack(note).map(|note| note.kernels),
        (None, Some(note)) => metadata::of_yaml(note).map(|note| note.kernels),
        (None, None) => Ok(Vec::new()),
    };
    let (metadata, metadata_error) = match metadata {
        Ok(kernels) => (kernels, None),
        Err(error) => (Vec::new(), Some(error.to_string())),
    };
    let described: HashMap<&str, &StatedKernel> = metadata.iter().map(|k| (k.name.as_str(), k)).collect();
    let descriptors = descriptors(elf);
    let is_kernel = |name: &str| descriptors.contains_key(name) || described.contains_key(name);
    let mut kernels = Vec::new();
    let mut marks: BTreeMap<usize, Vec<Mark>> = BTreeMap::new();
    for entry in &entries {
        let name: Arc<str> = entry.kernel.as_deref().unwrap_or_default().into();
        let section = elf.section_at(entry.file_offset);
        let address = place(elf.relocatable, section, entry.address);
        let kind = if is_kernel(&name) { MarkKind::Kernel } else { MarkKind::Function };
        let is_section = elf.parts[section].as_ref().is_some_and(|part| part.name == *name);
        if !is_section {
            // A symbol at this address has the size.
            marks.entry(section).or_default().push(Mark { address, size: 0, kind, name: name.clone() });
        }
        kernels.push(Kernel {
            address,
            descriptor: descriptors.get(&*name).cloned(),
            metadata: described.get(&*name).map(|&k| k.clone()),
            shader: entry.shader.clone(),
            name: Some(name),
        });
    }
    let mut data = Vec::new();
    for symbol in &elf.symbols {
        let address = place(elf.relocatable, symbol.section, symbol.address);
        match elf.executable(symbol.section) {
            Some(_) => marks.entry(symbol.section).or_default().extend(mark(elf, symbol, address)),
            None if symbol.kind == STT_OBJECT || symbol.kind == STT_NOTYPE => {
                data.push((address, address.saturating_add(symbol.size.max(1)), Arc::from(&*symbol.name)));
            }
            None => {}
        }
    }
    for (i, part) in elf.parts.iter().enumerate().filter_map(|(i, part)| Some((i, part.as_ref()?))) {
        let start = place(elf.relocatable, i, part.address);
        if start != 0 && !part.executable {
            data.push((start, start.saturating_add(part.size), Arc::from(part.name.as_str())));
        }
    }
    data.sort();
    let links = Links::new(elf);
    let mut sections = Vec::new();
    for (i, part) in elf.parts.iter().enumerate().filter_map(|(i, part)| Some((i, part.as_ref()?))) {
        if part.executable {
            sections.push(section(elf, i, part, marks.remove(&i).unwrap_or_default(), &links)?);
        }
    }
    sections.sort_by_key(|section| section.address);
    Ok(Object {
        part: None,
        target: Some(elf.target),
        arch: Some(elf.arch),
        version: elf.version,
        relocatable: elf.relocatable,
        sections,
        kernels,
        metadata_error,
        data,
        pointers: links.pointers,
        undefined: links.undefined,
    })
}

/// The marks for a symbol of an executable section.
fn mark(elf: &Elf<'_>, symbol: &Symbol<'_>, address: u64) -> Vec<Mark> {
    let name: Arc<str> = (&*symbol.name).into();
    let mark = |address, size, kind| Mark { address, size, kind, name: name.clone() };
    match symbol.kind {
        STT_AMDGPU_HSA_KERNEL => {
            let offset = elf.entry_offset(symbol, KERNEL_CODE_SIZE).unwrap_or(KERNEL_CODE_SIZE);
            let code = mark(address.wrapping_add(offset), symbol.size.saturating_sub(offset), MarkKind::Kernel);
            vec![mark(address, KERNEL_CODE_SIZE, MarkKind::Descriptor), code]
        }
        STT_FUNC => vec![mark(address, symbol.size, MarkKind::Function)],
        STT_OBJECT => vec![mark(address, symbol.size, MarkKind::Data)],
        STT_NOTYPE => vec![mark(address, 0, MarkKind::Label)],
        _ => Vec::new(),
    }
}

/// The descriptors of kernels, by the kernel's name.
fn descriptors<'e>(elf: &'e Elf<'_>) -> HashMap<&'e str, Descriptor> {
    let mut found = HashMap::new();
    for symbol in &elf.symbols {
        let bytes = |size: u64| {
            let at = elf.file_offset(symbol)? as usize;
            elf.file.as_ref().get(at..at.checked_add(size as usize)?)
        };
        if symbol.kind == STT_AMDGPU_HSA_KERNEL {
            let descriptor = bytes(KERNEL_CODE_SIZE).and_then(|b| Descriptor::of_kernel_code(b, symbol.address));
            found.extend(descriptor.map(|descriptor| (&*symbol.name, descriptor)));
        } else if let Some(name) = symbol.name.strip_suffix(".kd") {
            let descriptor = bytes(DESCRIPTOR_SIZE).and_then(|b| Descriptor::of_descriptor(b, symbol.address));
            found.extend(descriptor.map(|descriptor| (name, descriptor)));
        }
    }
    found
}

/// Addresses for the symbols that relocations refer to.
struct Links {
    pointers: HashMap<u64, u64>,
    undefined: BTreeMap<u64, Arc<str>>,
    /// The number of each symbol's slot in the GOT that a linker would make.
    slots: HashMap<SymbolKey, u64>,
}

/// A [`SymbolValue`] in a form that can be hashed.
type SymbolKey = (u8, u64);

fn key(value: SymbolValue) -> SymbolKey {
    match value {
        SymbolValue::None => (0, 0),
        SymbolValue::At(address) => (1, address),
        SymbolValue::Absolute(value) => (2, value),
        SymbolValue::Undefined(number) => (3, number.into()),
    }
}

fn elsewhere(value: SymbolValue) -> u64 {
    match value {
        SymbolValue::Undefined(number) => ELSEWHERE | (number as u64) << 28,
        SymbolValue::At(address) | SymbolValue::Absolute(address) => address,
        SymbolValue::None => 0,
    }
}

impl Links {
    fn new(elf: &Elf<'_>) -> Links {
        let mut links = Links { pointers: HashMap::new(), undefined: BTreeMap::new(), slots: HashMap::new() };
        for (_, relocation) in &elf.relocations {
            let to = elsewhere(relocation.value);
            if let SymbolValue::Undefined(_) = relocation.value {
                links.undefined.insert(to, relocation.symbol.clone());
            }
            if elf.relocatable {
                let number = links.slots.len() as u64;
                links.slots.entry(key(relocation.value)).or_insert(number);
            } else if let Some(to) = relocation.pointer(to) {
                links.pointers.insert(relocation.place, to);
            }
        }
        for (_, relocation) in elf.relocations.iter().filter(|_| elf.relocatable) {
            links.pointers.insert(links.slot(relocation.value), elsewhere(relocation.value));
        }
        links
    }

    fn slot(&self, value: SymbolValue) -> u64 {
        SLOTS | self.slots.get(&key(value)).copied().unwrap_or(0) << 3
    }
}

fn section(
    elf: &Elf<'_>,
    number: usize,
    part: &elf::Part,
    marks: Vec<Mark>,
    links: &Links,
) -> Result<CodeSection, LoadError> {
    let address = place(elf.relocatable, number, part.address);
    let bytes = elf.file.slice(part.offset as usize..(part.offset + part.size) as usize);
    let bytes = bytes.ok_or_else(|| LoadError::elf(part.offset, format!("section {} exceeds the file", part.name)))?;
    let end = address.checked_add(part.size);
    let end = end.ok_or_else(|| LoadError::elf(part.offset, format!("section {} exceeds all addresses", part.name)))?;
    let mut relocations: Vec<Relocation> = elf.relocations.iter().map(|(_, relocation)| relocation).cloned().collect();
    relocations.retain(|relocation| (address..end).contains(&relocation.place));
    relocations.sort_by_key(|relocation| relocation.place);
    let linked = (!relocations.is_empty()).then(|| {
        let mut linked = bytes.as_ref().to_vec();
        for relocation in &relocations {
            relocation.apply(&mut linked, address, 0, |value| [links.slot(value), elsewhere(value)]);
        }
        FileBytes::from(linked)
    });
    let (areas, labels) = areas::divide(address..end, bytes.as_ref(), marks);
    Ok(CodeSection {
        name: part.name.clone(),
        address,
        file_offset: part.offset,
        bytes,
        linked,
        areas,
        labels,
        relocations,
        relocatable: elf.relocatable,
    })
}

impl CodeSection {
    /// Converts an address of the section to the address in the file. There, sections of relocatable objects begin at
    /// 0.
    pub fn shown(&self, address: u64) -> u64 {
        if self.relocatable { address & 0xffff_ffff } else { address }
    }

    /// The section's bytes as a linker would leave them, with relocations applied.
    pub fn linked_bytes(&self) -> &FileBytes {
        self.linked.as_ref().unwrap_or(&self.bytes)
    }

    /// The relocations whose places are in `range`.
    pub fn relocations_in(&self, range: std::ops::Range<u64>) -> &[Relocation] {
        let from = self.relocations.partition_point(|relocation| relocation.place < range.start);
        let count = self.relocations[from..].partition_point(|relocation| relocation.place < range.end);
        &self.relocations[from..from + count]
    }

    /// The area that contains `address`.
    pub fn area_at(&self, address: u64) -> Option<&Area> {
        let index = self.areas.partition_point(|area| area.range.end <= address);
        self.areas.get(index).filter(|area| area.range.contains(&address))
    }
}

impl Object {
    /// A program as an object with one section and no symbols.
    pub fn of_program(program: &Program) -> Object {
        let offset = program.entry().wrapping_sub(program.base());
        raw(program.bytes().to_vec().into(), program.base(), offset)
    }

    /// The section that contains `address`.
    pub fn section_at(&self, address: u64) -> Option<&CodeSection> {
        let sections = self.sections.iter();
        sections.rev().find(|s| address.checked_sub(s.address).is_some_and(|at| at < s.bytes.as_ref().len() as u64))
    }

    /// The address that the pointer at the address `slot` holds, if a relocation fills it in.
    pub fn pointer_at(&self, slot: u64) -> Option<u64> {
        self.pointers.get(&slot).copied()
    }

    /// The name of `address`: a symbol or section, plus the distance from it.
    pub fn name_of(&self, address: u64) -> Option<Cow<'_, str>> {
        let with_distance = |name: &'_ Arc<str>, distance: u64| match distance {
            0 => name.to_string(),
            _ => format!("{name}+{distance:#x}"),
        };
        if let Some(section) = self.section_at(address) {
            if let Some(label) = section.labels.get(&address).and_then(|names| names.first()) {
                return Some(label.to_string().into());
            }
            let area = section.area_at(address)?;
            let distance = address - area.range.start + area.offset;
            return Some(match area.names.first() {
                Some(name) => with_distance(name, distance).into(),
                None if section.name.is_empty() => return None,
                None => format!("{}+{:#x}", section.name, address - section.address).into(),
            });
        }
        if address & SLOTS != 0 && self.pointers.contains_key(&address) {
            return Some("slot of the GOT".into());
        }
        if let Some(name) = self.undefined.get(&address) {
            return Some(name.to_string().into());
        }
        let before = self.data.partition_point(|(start, ..)| *start <= address);
        let mut found = self.data[..before].iter().rev().take(16).filter(|(_, end, _)| address < *end);
        found.next().map(|(start, _, name)| with_distance(name, address - start).into())
    }
}
