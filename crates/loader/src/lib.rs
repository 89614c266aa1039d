//! Turns files into programs. Files are raw dwords, AMDGPU ELF code objects, or containers of these such as offload
//! bundles.
//!
//! [`load`] reads a file (`-` is stdin) and lists what can be run in it as [`Entry`]s; [`Entry::program`] makes the
//! [`Program`] of one. [`Loaded::objects`] divides code objects into sections and areas for listings. Nothing here
//! executes code. Every error says what is wrong, and at which byte.
//!
//! | begins with | is |
//! |---|---|
//! | `7f 45 4c 46`, for an AMD GPU | code object ([`elf`]) |
//! | magic of a bundle, an archive, a host's ELF file; or a dump | its parts (`container`), code objects among them |
//! | `{`, and is called `launch.json` | the code that it launches ([`recorded`]); its folder stands for it, too |
//! | `Shdr`, or code with `OrbShdr` behind it | a shader of a PlayStation 4 (`bare`) |
//! | ELF of AMD's OpenCL drivers, or the list of Mesa's Clover | kernels, made into a code object (`driver`) |
//! | text with code words beside instructions | the shaders in it (`bare`) |
//! | a mark of another format, or other text | refused by name ([`foreign`]) |
//! | anything else | raw little-endian dwords, loaded at 0 |
#![deny(unsafe_code)]

pub mod areas;
mod bare;
mod bytes;
mod choice;
pub mod code_object;
pub mod codemap;
mod container;
mod demangle;
pub mod descriptor;
mod driver;
pub mod elf;
mod error;
pub mod foreign;
pub mod functions;
mod link;
mod machine;
mod made;
#[cfg(unix)]
mod map;
mod message_pack;
pub mod metadata;
pub mod nearest;
mod node;
mod notes;
pub mod object;
mod part;
pub mod reached;
pub mod recorded;
pub mod relocation;
mod restore;
pub mod scan;
pub mod shader;
mod sniff;
mod tables;
mod target;
pub mod walk;
mod yaml;

use std::borrow::Cow;
use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;

use gcnsim_flow::{Ways, direct_target, in_order};
use gcnsim_isa::{Arch, Program};

pub use bytes::{FileBytes, FileContent, prefetch, read_text};
pub use choice::ChoiceError;
pub use demangle::{demangled, means, parameters};
pub use error::{LoadError, describe, plural};
pub use link::SCRATCH as SCRATCH_OF_DRIVERS;
use metadata::KernelName;
pub use part::{FilePart, PartContent, PartId};
use part::{NAMED, Part};
use relocation::{Relocation, Relocations};
pub use shader::{Shader, Stage, guess};
use sniff::Sniffed;
pub use target::{Features, TargetChoice, TargetError};

/// The generation of raw files if the user names none.
pub const DEFAULT_ARCH: Arch = Arch::Gcn14;

/// Limit in bytes for a program: a raw file, or an executable section.
pub const PROGRAM_LIMIT: u64 = 256 << 20;

/// How the user wants a file to be read.
#[derive(Clone, Copy, Default, Debug)]
#[non_exhaustive]
pub struct Reading {
    /// Whether a file that is no code object is taken as dwords even if it looks like something else.
    pub raw: bool,
    /// The generation for an object that does not state its own.
    pub arch: Option<Arch>,
}

impl Reading {
    /// Takes a file that is no code object as dwords even if it looks like something else.
    #[must_use]
    pub fn raw(self) -> Reading {
        Reading { raw: true, ..self }
    }

    /// Sets the generation for an object that does not state its own.
    #[must_use]
    pub fn arch(self, arch: impl Into<Option<Arch>>) -> Reading {
        Reading { arch: arch.into(), ..self }
    }
}

/// A file that has been read, with the entries found in it.
#[derive(Debug)]
#[non_exhaustive]
pub struct Loaded {
    /// The kind of the file.
    pub kind: FileKind,
    /// The entries that can be run: the whole of a raw file, or the kernels of another file. Never empty.
    pub entries: Vec<Entry>,
    /// What was missing in damaged objects, and what replaces it.
    pub remark: Option<String>,
    /// Parts of the file that are not read, for example because they are for another GPU.
    pub skipped: Vec<Skipped>,
    /// The code objects.
    parts: Vec<Part>,
    /// For shaders without an ELF file around them: the length of each one's code in bytes, without constants.
    code_lengths: Vec<u64>,
    bytes: FileBytes,
}

/// Whether a code object may run with XNACK, so that its memory instructions may be replayed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Xnack {
    /// It may not, or its file says nothing.
    Off,
    /// It may: the file says that XNACK is on, or that it may be either.
    Possible,
}

/// Kinds of files.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FileKind {
    /// Only little-endian dwords.
    Raw,
    /// An ELF code object. The number is the code object version (2 to 6) if the file states one.
    Elf(Option<u8>),
    /// A clang offload bundle.
    Bundle,
    /// Another file with parts: an archive, a host executable, a dump.
    Container,
    /// Text with code words: what a driver or a disassembler prints.
    Text,
    /// A shader of a PlayStation 4.
    Console,
}

/// Something that can be run.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Entry {
    /// Name of the kernel; `None` in raw files.
    pub kernel: Option<String>,
    /// The processor that the file names, for example `gfx906`; `None` in raw files.
    pub target: Option<&'static str>,
    /// Generation; `None` in raw files.
    pub arch: Option<Arch>,
    /// The part of the file that it comes from; `None` if the file has no parts.
    pub part: Option<Arc<PartId>>,
    /// The entry's own bytes: those of the kernel, or the whole raw file.
    pub code: FileBytes,
    /// Guest address of the first byte of `code`, where the file says to load it.
    pub address: u64,
    /// Byte offset of `code` in the file.
    pub file_offset: u64,
    /// What the file says of the shader.
    pub shader: Shader,
    /// The section around the kernel, which its code may call or jump to.
    section: Option<Section>,
    /// The object's relocations, if any of them concern its code.
    relocations: Option<Arc<Relocations>>,
}

/// The executable section around a kernel.
#[derive(Clone, Debug)]
pub(crate) struct Section {
    pub bytes: FileBytes,
    pub address: u64,
}

impl Section {
    /// The section with `relocations` applied. `bias` is its address in the guest minus its address in the file.
    fn relocated(&self, relocations: &[Relocation], bias: u64) -> Section {
        let mut bytes = self.bytes.as_ref().to_vec();
        for relocation in relocations {
            relocation.apply(&mut bytes, self.address, bias, |_| [0; 2]);
        }
        Section { bytes: bytes.into(), address: self.address }
    }
}

/// A part of a file that is not read.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Skipped {
    /// Whether it is host code, which messages do not mention.
    pub is_host: bool,
    /// Its name in the bundle, for example `hip-amdgcn-amd-amdhsa--gfx1030`.
    pub name: String,
    /// Why it was left out.
    pub reason: String,
}

/// Reads a file, or stdin for `-`.
///
/// # Errors
/// [`LoadError`] if it cannot be read or nothing can be taken from it.
pub fn load(path: &Path) -> Result<Loaded, LoadError> {
    load_as(path, Reading::default())
}

/// Reads a file, or stdin for `-`, as `reading` says.
///
/// # Errors
/// As [`load`].
pub fn load_as(path: &Path, reading: Reading) -> Result<Loaded, LoadError> {
    parse_as(FileBytes::read_code(path)?, reading)
}

/// Returns an object with missing parts restored as far as possible, and a remark on what was restored. `arch` is the
/// generation if the object does not state its own. Other files are returned unchanged.
pub fn restore(bytes: &FileBytes, arch: Option<Arch>) -> (FileBytes, Option<String>) {
    let restored = restore::restored(bytes, arch);
    (restored.bytes, restored.remark)
}

/// Reads a file from the bytes in memory.
///
/// # Errors
/// [`LoadError`] if there is nothing in them that can be used.
///
/// ```
/// use gcnsim_loader::{FileBytes, parse};
/// let loaded = parse(FileBytes::from(vec![0, 0, 0x81, 0xbf])).unwrap();
/// let program = loaded.entries[0].program(gcnsim_isa::Arch::Gcn14);
/// assert_eq!(program.word_count(), 1);
/// ```
pub fn parse(bytes: FileBytes) -> Result<Loaded, LoadError> {
    parse_as(bytes, Reading::default())
}

/// Reads a file from the bytes in memory, as `reading` says.
///
/// # Errors
/// As [`parse`].
pub fn parse_as(bytes: FileBytes, reading: Reading) -> Result<Loaded, LoadError> {
    parse_named(bytes, None, reading)
}

fn parse_named(bytes: FileBytes, names: Option<&[KernelName]>, reading: Reading) -> Result<Loaded, LoadError> {
    if let Some(loaded) = bare::read(&bytes, reading)? {
        return Ok(loaded);
    }
    let sniffed = Sniffed::of(bytes.as_ref());
    match parse_container(&bytes, sniffed, reading.arch)? {
        Some(loaded) => Ok(loaded),
        None => parse_alone(bytes, sniffed, names, reading),
    }
}

/// Reads a file without parts: a code object, or raw code.
fn parse_alone(
    bytes: FileBytes,
    sniffed: Sniffed,
    names: Option<&[KernelName]>,
    reading: Reading,
) -> Result<Loaded, LoadError> {
    let mut parts = Vec::new();
    let mut remark = None;
    let is_elf = !matches!(sniffed, Sniffed::Raw | Sniffed::Dump);
    let (kind, entries) = if is_elf {
        let restored = restore::restored(&bytes, reading.arch);
        let elf::Parsed { version, entries, remark: of_notes } = elf::parse(&restored.bytes, names)?;
        remark = joined(restored.remark, of_notes);
        parts.push(Part { id: None, bytes: restored.bytes, offset: 0 });
        (FileKind::Elf(version), entries)
    } else {
        (FileKind::Raw, vec![raw(&bytes, reading.raw)?])
    };
    Ok(Loaded { kind, entries, remark, skipped: Vec::new(), parts, code_lengths: Vec::new(), bytes })
}

/// Reads a file with parts. `arch` is the generation for code of a driver that does not state its own. `None` if it has
/// no parts.
fn parse_container(bytes: &FileBytes, sniffed: Sniffed, arch: Option<Arch>) -> Result<Option<Loaded>, LoadError> {
    match parts(bytes, sniffed, arch)? {
        Some(parts) => of_parts(bytes, sniffed, parts),
        None => Ok(None),
    }
}

/// The parts of a container, or the code object that a driver's binary is made into.
fn parts(bytes: &FileBytes, sniffed: Sniffed, arch: Option<Arch>) -> Result<Option<Vec<FilePart>>, LoadError> {
    let Sniffed::Driver(kind) = sniffed else { return container::parts(bytes, sniffed) };
    let driver::Driver { name, bytes, remark } = driver::read(bytes, kind, arch)?;
    let target = container::target_id(bytes.as_ref()).unwrap_or_default();
    let id = PartId { name: name.to_owned(), target, index: 0 };
    let content = PartContent::CodeObject;
    Ok(Some(vec![FilePart { id: id.into(), bytes, offset: 0, content, is_found: false, remark: Some(remark) }]))
}

/// Lists the kernels of all parts for GCN 1.0 to 1.4, and the other parts as skipped. `None` if the file is a dump and
/// nothing in it is code.
fn of_parts(bytes: &FileBytes, sniffed: Sniffed, found: Vec<FilePart>) -> Result<Option<Loaded>, LoadError> {
    let (mut entries, mut skipped, mut parts) = (Vec::new(), Vec::new(), Vec::new());
    let mut remark: Option<String> = None;
    for FilePart { id, bytes, offset, content, is_found, remark: guessed } in found {
        let skip = |reason: String, is_host: bool| Skipped { is_host, name: id.name.clone(), reason };
        match content {
            PartContent::Host => skipped.push(skip("host code".into(), true)),
            PartContent::Other(what) => skipped.push(skip(what, false)),
            PartContent::CodeObject => match restored_part(&bytes) {
                Ok((bytes, kernels, of_part)) => {
                    remark = remark.or(guessed);
                    remark = remark.or(of_part.map(|remark| format!("part {}: {remark}", id.name)));
                    entries.extend(kernels.into_iter().map(|entry| Entry {
                        file_offset: entry.file_offset + offset,
                        part: Some(id.clone()),
                        ..entry
                    }));
                    parts.push(Part { id: Some(id), bytes, offset });
                }
                Err(LoadError::Elf { offset: at, what }) if !is_found => {
                    let what = format!("in part '{}': {what}", id.name);
                    return Err(LoadError::Elf { offset: offset.saturating_add(at), what });
                }
                Err(LoadError::OtherMachine { machine }) => {
                    skipped.push(skip(format!("code for {machine}{}", machine::family(&machine)), false))
                }
                Err(error) => skipped.push(skip(error.to_string(), false)),
            },
        }
    }
    if entries.is_empty() {
        let is_raw = sniffed == Sniffed::Dump && !bytes.as_ref().starts_with(elf::MAGIC);
        return if is_raw { Ok(None) } else { Err(LoadError::NothingForUs { held: held(&skipped) }) };
    }
    let is_bundle = sniffed == Sniffed::Container(container::Format::Bundle);
    let kind = if is_bundle { FileKind::Bundle } else { FileKind::Container };
    Ok(Some(Loaded { kind, entries, remark, skipped, parts, code_lengths: Vec::new(), bytes: bytes.clone() }))
}

/// Returns a part with missing pieces restored, its kernels, and the remark on what was restored.
fn restored_part(bytes: &FileBytes) -> Result<(FileBytes, Vec<Entry>, Option<String>), LoadError> {
    let restored = restore::restored(bytes, None);
    let elf::Parsed { entries, remark, .. } = elf::parse(&restored.bytes, None)?;
    Ok((restored.bytes, entries, joined(restored.remark, remark)))
}

/// Both remarks as one.
fn joined(one: Option<String>, other: Option<String>) -> Option<String> {
    match (one, other) {
        (Some(one), Some(other)) => Some(format!("{one}; {other}")),
        (one, other) => one.or(other),
    }
}

/// The names of `skipped` parts with the reasons, for messages.
fn held(skipped: &[Skipped]) -> String {
    let mut held: Vec<_> = skipped.iter().take(NAMED).map(|s| format!("'{}' ({})", s.name, s.reason)).collect();
    if skipped.len() > NAMED {
        held.push(format!("and {} more", skipped.len() - NAMED));
    }
    if held.is_empty() { "nothing".into() } else { held.join(", ") }
}

/// All parts of a file, of any content. A file that is a code object is its own only part.
///
/// # Errors
/// [`LoadError`] if the file is broken, [`LoadError::NoParts`] for raw code, or [`LoadError::NoElf`] for shaders
/// without ELF files around them.
pub fn file_parts(bytes: &FileBytes) -> Result<Vec<FilePart>, LoadError> {
    let sniffed = Sniffed::of(bytes.as_ref());
    if let Some(parts) = parts(bytes, sniffed, None)? {
        return Ok(parts);
    }
    if matches!(sniffed, Sniffed::Raw | Sniffed::Dump) {
        return Err(match bare::read(bytes, Reading::default()) {
            _ if bytes.as_ref().is_empty() => LoadError::Empty,
            Ok(Some(_)) | Err(LoadError::SeveralChips { .. } | LoadError::NewerListing) => LoadError::NoElf,
            Ok(None) => LoadError::NoParts,
            Err(error) => error,
        });
    }
    elf::check_machine(bytes.as_ref())?;
    let target = container::target_id(bytes.as_ref()).unwrap_or_default();
    let id = PartId { name: String::new(), target, index: 0 };
    let content = PartContent::CodeObject;
    Ok(vec![FilePart { id: id.into(), bytes: bytes.clone(), offset: 0, content, is_found: false, remark: None }])
}

/// Reads a file as [`parse`] does, and its code objects for launches. The metadata of a single object is read once.
///
/// # Errors
/// As [`parse`]; also the error of an object that cannot be launched.
pub fn parse_for_launches(bytes: &FileBytes) -> Result<(Loaded, Vec<code_object::CodeObject>), LoadError> {
    let sniffed = Sniffed::of(bytes.as_ref());
    if let Some(loaded) = parse_container(bytes, sniffed, None)? {
        let objects = loaded.launch_objects().into_iter().collect::<Result<_, _>>()?;
        return Ok((loaded, objects));
    }
    let object = code_object::CodeObject::parse(bytes)?;
    // In v2 (YAML), symbol names differ from those of descriptors.
    let names = (object.version > 2).then(|| {
        let name = |kernel: &code_object::metadata::KernelMetadata| KernelName {
            name: kernel.name.clone(),
            descriptor: kernel.symbol.clone(),
        };
        object.kernels.iter().filter_map(|kernel| kernel.metadata.as_ref()).map(name).collect::<Vec<_>>()
    });
    Ok((parse_alone(bytes.clone(), sniffed, names.as_deref(), Reading::default())?, vec![object]))
}

/// Whether a file that begins with `head` is a code object or a container of code objects.
pub fn is_code_object(head: &[u8]) -> bool {
    container::begins_like_container(head)
}

/// Whether `bytes`, which are a whole file, are raw code. If not, they are another kind of file, or contain code
/// objects.
pub fn is_raw(bytes: &[u8]) -> bool {
    !bare::may_be(bytes) && Sniffed::of(bytes) == Sniffed::Raw
}

/// Checks that `bytes` can be raw dwords, and do not look like something else.
///
/// # Errors
/// [`LoadError`] with the reason why they cannot.
pub fn check_raw(bytes: &[u8]) -> Result<(), LoadError> {
    if container::is_text_bundle(bytes) {
        return Err(LoadError::TextBundle);
    }
    match foreign::identify(bytes, bytes.len() as u64) {
        Some(foreign) => Err(LoadError::Foreign(foreign)),
        None => check_raw_length(bytes),
    }
}

/// Checks that `bytes` can be raw dwords, whatever they look like.
///
/// # Errors
/// [`LoadError`] with the reason why they cannot.
pub fn check_raw_length(bytes: &[u8]) -> Result<(), LoadError> {
    match bytes.len() as u64 {
        0 => Err(LoadError::Empty),
        length if length > PROGRAM_LIMIT => Err(LoadError::ProgramTooLong { length }),
        length if !length.is_multiple_of(4) => Err(LoadError::OddLength { length }),
        _ => Ok(()),
    }
}

fn raw(bytes: &FileBytes, any: bool) -> Result<Entry, LoadError> {
    if any { check_raw_length(bytes.as_ref()) } else { check_raw(bytes.as_ref()) }?;
    Ok(Entry {
        kernel: None,
        target: None,
        arch: None,
        part: None,
        code: bytes.clone(),
        address: 0,
        file_offset: 0,
        shader: Shader::default(),
        section: None,
        relocations: None,
    })
}

impl Loaded {
    /// The code object that an entry comes from. `None` for raw files.
    pub fn object_of(&self, entry: &Entry) -> Option<&FileBytes> {
        let part = self.parts.iter().find(|part| part.id == entry.part);
        part.filter(|_| entry.kernel.is_some()).map(|part| &part.bytes)
    }

    /// Drops the code of all parts but the one with the index `index` ([`PartId::index`]).
    ///
    /// # Errors
    /// [`LoadError::NoSuchPart`] if no code comes from such a part.
    pub fn keep_part(&mut self, index: usize) -> Result<(), LoadError> {
        let is_it = |id: &Option<Arc<PartId>>| id.as_ref().is_some_and(|id| id.index == index);
        if !self.parts.iter().any(|part| is_it(&part.id)) {
            let ids = self.parts.iter().filter_map(|part| part.id.as_ref());
            let held: Vec<_> = ids.take(5 * NAMED).map(|id| format!("{} ({})", id.index, id.target)).collect();
            let held = if held.is_empty() { "no parts".to_owned() } else { held.join(", ") };
            return Err(LoadError::NoSuchPart { index, held });
        }
        self.parts.retain(|part| is_it(&part.id));
        self.entries.retain(|entry| is_it(&entry.part));
        Ok(())
    }

    /// The code objects that are for `target`, or all if it is `None`. Objects that cannot be launched are left out if
    /// there are others.
    fn objects_for(&self, target: Option<&TargetChoice>) -> Result<Vec<code_object::CodeObject>, LoadError> {
        let mut parts: Vec<&Part> = self.parts.iter().collect();
        if let Some(target) = target {
            let entry_of = |part: &&Part| self.entries.iter().find(|entry| entry.part == part.id)?.full_target();
            parts = target.best(parts, entry_of);
        }
        let ids: Vec<&PartId> = self.parts.iter().filter_map(|part| part.id.as_deref()).collect();
        let mut error = LoadError::WhichPart { held: part::target_ids(&ids) };
        let mut objects = Vec::new();
        for part in parts.iter().rev() {
            match code_object::CodeObject::of_part(part) {
                Ok(object) => objects.push(object),
                Err(why) => error = why,
            }
        }
        objects.reverse();
        if objects.is_empty() { Err(error) } else { Ok(objects) }
    }

    /// The code objects as launches need them, in the order of [`Loaded::objects`]. An object that cannot be launched
    /// is an error.
    pub fn launch_objects(&self) -> Vec<Result<code_object::CodeObject, LoadError>> {
        self.parts.iter().map(code_object::CodeObject::of_part).collect()
    }

    /// The target ids that more than one part of the file has.
    pub fn repeated_targets(&self) -> HashSet<&str> {
        let mut seen = HashSet::new();
        let targets = self.parts.iter().filter_map(|part| part.id.as_deref()).map(|id| id.target.as_str());
        targets.filter(|target| !seen.insert(*target)).collect()
    }

    /// The bytes of the code objects, in the order of [`Loaded::objects`]; empty for a raw file.
    pub fn part_bytes(&self) -> Vec<FileBytes> {
        self.parts.iter().map(|part| part.bytes.clone()).collect()
    }

    /// For each of [`Loaded::objects`], what its file says of XNACK.
    pub fn xnack(&self) -> Vec<Xnack> {
        if self.parts.is_empty() {
            return vec![Xnack::Off];
        }
        self.parts.iter().map(|part| container::xnack(part.bytes.as_ref())).collect()
    }

    /// Checks that the file has not become shorter since it was opened. A run from a mapped file that shrinks reads
    /// zeros in place of the lost bytes.
    ///
    /// # Errors
    /// [`LoadError::Shrunk`] if it was cut short.
    pub fn check_whole(&self) -> Result<(), LoadError> {
        self.bytes.check_whole()
    }
}

impl Entry {
    /// The entry's processor and generation, and the features that its part needs.
    fn full_target(&self) -> Option<(&'static str, Arch, Features)> {
        let features = self.part.as_ref().map(|part| Features::of_id(&part.target)).unwrap_or_default();
        Some((self.target?, self.arch?, features))
    }

    /// The entry's own bytes at the address in the file, as a program for listings.
    pub fn own_code(&self, arch: Arch) -> Program {
        Program::new(arch, Arc::new(self.code.clone()), self.address, 0)
    }

    /// The program at the address in the file. It is entered at its first byte.
    pub fn program(&self, arch: Arch) -> Program {
        self.program_at(arch, None, 0)
    }

    /// The program with the entry's first byte at the address `base`. It is entered `offset` bytes after that.
    ///
    /// A kernel whose code calls, jumps to computed addresses or leaves its own bytes is loaded with the whole section
    /// around it. `base` and `offset` still refer to the kernel's first byte.
    pub fn program_at(&self, arch: Arch, base: Option<u64>, offset: u64) -> Program {
        let base = base.unwrap_or(self.address);
        let (code, section) = self.relocated(base.wrapping_sub(self.address));
        let program = Program::new(arch, Arc::new(code), base, offset);
        match section {
            Some(section) if self.is_linked() || leaves_its_code(&program) => {
                let before = self.address.wrapping_sub(section.address);
                let entry = before.wrapping_add(offset);
                Program::new(arch, Arc::new(section.bytes.clone()), base.wrapping_sub(before), entry)
            }
            _ => program,
        }
    }

    /// Checks that the code can run as [`Entry::program`] returns it.
    ///
    /// # Errors
    /// [`LoadError::Misaligned`] if no program counter can reach it; [`LoadError::Relocation`] if it has relocations
    /// that only a linker can apply, or if it needs an undefined symbol. Such code can still be listed.
    pub fn check_runnable(&self) -> Result<(), LoadError> {
        if !self.address.is_multiple_of(4) {
            return Err(LoadError::Misaligned { address: self.address });
        }
        match self.relocations.as_ref().and_then(|relocations| relocations.refusal.clone()) {
            Some(what) => Err(LoadError::Relocation { what }),
            None => Ok(()),
        }
    }

    /// Whether constants lie behind the section's code, because the loader has linked it.
    fn is_linked(&self) -> bool {
        self.relocations.as_ref().is_some_and(|relocations| relocations.is_linked)
    }

    /// Code and section with relocations applied. `bias` is the address in the guest minus the address in the file.
    fn relocated(&self, bias: u64) -> (FileBytes, Option<Cow<'_, Section>>) {
        let unchanged = || (self.code.clone(), self.section.as_ref().map(Cow::Borrowed));
        let (Some(section), Some(relocations)) = (&self.section, &self.relocations) else { return unchanged() };
        if relocations.in_code.is_empty() {
            return unchanged();
        }
        let section = section.relocated(&relocations.in_code, bias);
        let start = self.address.wrapping_sub(section.address) as usize;
        match section.bytes.slice(start..start + self.code.as_ref().len()) {
            Some(code) => (code, Some(Cow::Owned(section))),
            None => unchanged(),
        }
    }
}

/// Whether control may leave the bytes of `program` otherwise than by ending the program.
fn leaves_its_code(program: &Program) -> bool {
    in_order(program, 0).any(|site| match Ways::of(&site.inst) {
        Ways::Next | Ways::End | Ways::Resume => false,
        Ways::Jump | Ways::Branch => {
            direct_target(&site.inst, site.address).and_then(|to| program.word_index(to)).is_none()
        }
        Ways::Call | Ways::Fork => true,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn raw_files_need_whole_dwords() {
        assert!(matches!(parse(FileBytes::from(vec![])), Err(LoadError::Empty)));
        let error = parse(FileBytes::from(vec![1; 7])).unwrap_err();
        assert_eq!(error.to_string(), "the length, 7 bytes, is not a multiple of 4: 3 left over at offset 0x4");
        let loaded = parse(FileBytes::from(vec![1; 8])).unwrap();
        assert_eq!((loaded.kind, loaded.entries.len()), (FileKind::Raw, 1));
        assert_eq!(loaded.choose(None, Some(Arch::Gcn12)).unwrap().program(Arch::Gcn12).word(1), Some(0x0101_0101));
    }

    #[test]
    fn bundles_of_text_are_recognised() {
        let text = b"; __CLANG_OFFLOAD_BUNDLE____START__ hip-amdgcn-amd-amdhsa--gfx900\n".to_vec();
        let error = parse(FileBytes::from(text)).unwrap_err();
        assert!(error.to_string().contains("clang-offload-bundler"), "{error}");
    }
}
