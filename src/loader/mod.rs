//! Turns files into programs: raw dwords, AMDGPU ELF code objects, clang offload bundles.
//!
//! [`load`] reads a file (`-` is stdin) and lists what can be run in it as [`Entry`]s; [`Entry::program`] makes the
//! [`Program`] of one. [`Loaded::objects`] takes code objects apart for listings. Nothing here executes or judges code.
//! Every error says what is wrong and at which byte.
//!
//! | begins with | is |
//! |---|---|
//! | `7f 45 4c 46` | ELF code object ([`elf`]) |
//! | `__CLANG_OFFLOAD_BUNDLE__` | offload bundle of code objects ([`bundle`]) |
//! | `CCOB` | compressed offload bundle: recognised, not read |
//! | a mark of another format, or text | refused by name ([`foreign`]) |
//! | anything else | raw little-endian dwords, loaded at 0 |

pub mod areas;
pub mod bundle;
mod bytes;
pub mod code_object;
pub mod descriptor;
pub mod elf;
mod error;
pub mod foreign;
mod machine;
#[cfg(unix)]
mod map;
mod message_pack;
pub mod metadata;
mod notes;
pub mod object;
pub mod relocation;
mod restore;
mod tables;
pub mod walk;
mod yaml;

use std::borrow::Cow;
use std::path::Path;
use std::sync::Arc;

use gcnsim_isa::{Arch, Flow, Program};

#[cfg(feature = "batch")]
pub(crate) use bytes::prefetch;
pub use bytes::{FileBytes, read_text};
pub use error::LoadError;
#[cfg(feature = "batch")]
pub(crate) use error::describe;
use metadata::KernelName;
use relocation::{Relocation, Relocations};

/// The generation of raw files if nobody states one.
pub const DEFAULT_ARCH: Arch = Arch::Gcn14;

/// Most bytes of a program: a raw file, or an executable section.
pub const PROGRAM_LIMIT: u64 = 256 << 20;

/// What the user says about a file.
#[derive(Clone, Copy, Default, Debug)]
pub struct Reading {
    /// A file that is no code object holds dwords, whatever it looks like.
    pub raw: bool,
    /// The generation of an object that does not name its own.
    pub arch: Option<Arch>,
}

/// A file that has been taken apart.
#[derive(Debug)]
pub struct Loaded {
    /// The kind of the file.
    pub kind: FileKind,
    /// The entries that can be run: one of a raw file, or the kernels of any other file. Never empty.
    pub entries: Vec<Entry>,
    /// What was missing in an object that tools have touched, and what was taken in its place.
    pub remark: Option<String>,
    /// Parts of a bundle that are for no supported GCN generation, with the reasons.
    pub skipped: Vec<Skipped>,
    /// The code objects: their names in the bundle, bytes and offsets in the file.
    parts: Vec<(Option<String>, FileBytes, u64)>,
    bytes: FileBytes,
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
}

/// Something that can be run.
#[derive(Clone, Debug)]
pub struct Entry {
    /// Name of the kernel; `None` in raw files.
    pub kernel: Option<String>,
    /// The processor that the file names, for example `gfx906`; `None` in raw files.
    pub target: Option<&'static str>,
    /// Generation; `None` in raw files.
    pub arch: Option<Arch>,
    /// The entry's own bytes: those of the kernel, or the whole raw file.
    pub code: FileBytes,
    /// Guest address of the first byte of `code`, where the file says to load it.
    pub address: u64,
    /// Byte offset of `code` in the file.
    pub file_offset: u64,
    /// The section around the kernel. Its code may call or jump there.
    section: Option<Section>,
    /// The object's relocations, if any of them matter for its code.
    relocations: Option<Arc<Relocations>>,
}

/// The executable section around a kernel.
#[derive(Clone, Debug)]
pub(crate) struct Section {
    pub bytes: FileBytes,
    pub address: u64,
}

impl Section {
    /// The section with relocations applied. `bias` is the distance by which it is moved from the address in the file.
    fn relocated(&self, relocations: &[Relocation], bias: u64) -> Section {
        let mut bytes = self.bytes.as_ref().to_vec();
        for relocation in relocations {
            relocation.apply(&mut bytes, self.address, bias, |_| [0; 2]);
        }
        Section { bytes: bytes.into(), address: self.address }
    }
}

/// A part of a bundle that was left out.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Skipped {
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

/// Reads a file, or stdin for `-`, as the user says.
///
/// # Errors
/// As [`load`].
pub fn load_as(path: &Path, reading: Reading) -> Result<Loaded, LoadError> {
    parse_as(FileBytes::read_code(path)?, reading)
}

/// An object whose missing parts are restored, as far as they can be, and a remark on that. `arch` is the generation if
/// the object does not name its own. Other files stay as they are.
pub fn restore(bytes: &FileBytes, arch: Option<Arch>) -> (FileBytes, Option<String>) {
    let restored = restore::restored(bytes, arch);
    (restored.bytes, restored.remark)
}

/// Takes apart bytes that are in memory.
///
/// # Errors
/// [`LoadError`] if nothing can be taken from them.
///
/// ```
/// use gcnsim::loader::{FileBytes, parse};
/// let loaded = parse(FileBytes::from(vec![0, 0, 0x81, 0xbf])).unwrap();
/// let program = loaded.entries[0].program(gcnsim::isa::Arch::Gcn14);
/// assert_eq!(program.word_count(), 1);
/// ```
pub fn parse(bytes: FileBytes) -> Result<Loaded, LoadError> {
    parse_as(bytes, Reading::default())
}

/// Takes apart bytes that are in memory, as the user says.
///
/// # Errors
/// As [`parse`].
pub fn parse_as(bytes: FileBytes, reading: Reading) -> Result<Loaded, LoadError> {
    parse_named(bytes, None, reading)
}

fn parse_named(bytes: FileBytes, names: Option<&[KernelName]>, reading: Reading) -> Result<Loaded, LoadError> {
    let data = bytes.as_ref();
    let mut parts = Vec::new();
    let mut remark = None;
    let (kind, entries, skipped) = if data.starts_with(elf::MAGIC) {
        let restored = restore::restored(&bytes, reading.arch);
        remark = restored.remark;
        let (version, entries) = elf::parse(&restored.bytes, names)?;
        parts.push((None, restored.bytes, 0));
        (FileKind::Elf(version), entries, Vec::new())
    } else if data.starts_with(bundle::MAGIC) {
        let (entries, skipped) = bundle::parse(&bytes, &mut parts)?;
        (FileKind::Bundle, entries, skipped)
    } else if data.starts_with(bundle::COMPRESSED_MAGIC) {
        return Err(LoadError::CompressedBundle);
    } else {
        (FileKind::Raw, vec![raw(&bytes, reading.raw)?], Vec::new())
    };
    Ok(Loaded { kind, entries, remark, skipped, parts, bytes })
}

/// The same of a file in which these objects were found. If it is the only one, its metadata is not read again.
///
/// # Errors
/// As [`parse`].
#[cfg(feature = "batch")]
pub(crate) fn parse_objects(bytes: FileBytes, objects: &[code_object::CodeObject]) -> Result<Loaded, LoadError> {
    let names = match objects {
        // Names in YAML are not those of descriptors.
        [only] if only.version > 2 => only.kernels.iter().filter_map(|kernel| kernel.metadata.as_ref()),
        _ => return parse(bytes),
    };
    let name = |kernel: &code_object::metadata::KernelMetadata| KernelName {
        name: kernel.name.clone(),
        descriptor: kernel.symbol.clone(),
    };
    let names: Vec<KernelName> = names.map(name).collect();
    parse_named(bytes, Some(&names), Reading::default())
}

/// Whether a file that begins with `head` holds code, whatever its name.
pub fn is_code_object(head: &[u8]) -> bool {
    [elf::MAGIC, bundle::MAGIC, bundle::COMPRESSED_MAGIC].iter().any(|magic| head.starts_with(magic))
}

/// Checks that bytes can be taken as raw dwords. With `any` they need not look like code.
///
/// # Errors
/// Why not.
pub(crate) fn check_raw(bytes: &[u8], any: bool) -> Result<(), LoadError> {
    let length = bytes.len() as u64;
    match foreign::identify(bytes, length).filter(|_| !any) {
        Some(foreign) => Err(LoadError::Foreign(foreign)),
        None if length == 0 => Err(LoadError::Empty),
        None if length > PROGRAM_LIMIT => Err(LoadError::ProgramTooLong { length }),
        None if !length.is_multiple_of(4) => Err(LoadError::OddLength { length }),
        None => Ok(()),
    }
}

fn raw(bytes: &FileBytes, any: bool) -> Result<Entry, LoadError> {
    check_raw(bytes.as_ref(), any)?;
    Ok(Entry {
        kernel: None,
        target: None,
        arch: None,
        code: bytes.clone(),
        address: 0,
        file_offset: 0,
        section: None,
        relocations: None,
    })
}

/// Why no entry can be chosen.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ChoiceError {
    /// A kernel was named, but the file is raw.
    #[error("a raw file has no kernels")]
    Raw,
    /// No kernel has the name.
    #[error("no such kernel; the file holds {held}")]
    NoSuchKernel {
        /// Names and processors of the kernels.
        held: String,
    },
    /// More than one entry is possible.
    #[error("choose one of {count} kernels with --kernel (and --arch): {held}")]
    Several {
        /// The number of entries.
        count: usize,
        /// Names and processors of the kernels.
        held: String,
    },
}

fn names<'a>(entries: impl IntoIterator<Item = &'a Entry>) -> String {
    let name = |e: &Entry| format!("{} ({})", e.kernel.as_deref().unwrap_or("-"), e.target.unwrap_or("-"));
    entries.into_iter().map(name).collect::<Vec<_>>().join(", ")
}

impl Loaded {
    /// The code object that an entry comes from. `None` for raw files.
    #[cfg(all(feature = "cli", feature = "jit"))]
    pub(crate) fn object_of(&self, entry: &Entry) -> Option<&FileBytes> {
        let holds = |start: u64, bytes: &FileBytes| {
            entry.file_offset.checked_sub(start).is_some_and(|offset| offset < bytes.as_ref().len() as u64)
        };
        let part = self.parts.iter().find(|(_, bytes, start)| holds(*start, bytes));
        part.filter(|_| entry.kernel.is_some()).map(|(_, bytes, _)| bytes)
    }

    /// The entry that a user means, who may have named a kernel and a generation. The generation chooses between
    /// kernels for several chips. It does not rule out the only kernel.
    ///
    /// # Errors
    /// [`ChoiceError`] if none or several are meant.
    pub fn choose(&self, kernel: Option<&str>, arch: Option<Arch>) -> Result<&Entry, ChoiceError> {
        let named: Vec<_> =
            self.entries.iter().filter(|e| kernel.is_none_or(|name| e.kernel.as_deref() == Some(name))).collect();
        let meant = arch.and_then(|arch| arch.among(named.iter().filter_map(|entry| entry.arch)));
        let of_arch = named.iter().copied().filter(|e| meant.is_some() && e.arch == meant).collect::<Vec<_>>();
        match (named.as_slice(), of_arch.as_slice()) {
            ([only], _) | (_, [only]) => Ok(only),
            ([], _) if self.kind == FileKind::Raw => Err(ChoiceError::Raw),
            ([], _) => Err(ChoiceError::NoSuchKernel { held: names(&self.entries) }),
            _ => Err(ChoiceError::Several { count: named.len(), held: names(named) }),
        }
    }

    /// The code objects as launches need them, in the order of [`Loaded::objects`]; an error is why one cannot be
    /// launched.
    pub fn launch_objects(&self) -> Vec<Result<code_object::CodeObject, LoadError>> {
        self.parts.iter().map(|(_, part, _)| code_object::CodeObject::parse(part)).collect()
    }

    /// The bytes of the code objects, in the order of [`Loaded::objects`]; none of a raw file.
    #[cfg(feature = "dispatch")]
    pub(crate) fn part_bytes(&self) -> Vec<FileBytes> {
        self.parts.iter().map(|(_, part, _)| part.clone()).collect()
    }

    /// Whether the file was still whole when last looked at: a mapped file may shrink under a run, which then saw
    /// zeros for what was gone.
    ///
    /// # Errors
    /// [`LoadError::Shrunk`] if it was cut short.
    pub fn check_whole(&self) -> Result<(), LoadError> {
        self.bytes.check_whole()
    }
}

impl Entry {
    /// The entry's own bytes at the address that the file states, for listings.
    pub fn own_code(&self, arch: Arch) -> Program {
        Program::new(arch, Arc::new(self.code.clone()), self.address, 0)
    }

    /// The program at the address that the file states. Its entry is its first byte.
    pub fn program(&self, arch: Arch) -> Program {
        self.program_at(arch, None, 0)
    }

    /// The program with its first byte at `base` and entered `offset` bytes after it.
    ///
    /// A kernel whose code calls, jumps to computed addresses or leaves its own bytes is loaded with the whole section
    /// around it. `base` and `offset` still refer to the kernel's first byte.
    pub fn program_at(&self, arch: Arch, base: Option<u64>, offset: u64) -> Program {
        let base = base.unwrap_or(self.address);
        let (code, section) = self.relocated(base.wrapping_sub(self.address));
        let program = Program::new(arch, Arc::new(code), base, offset);
        match section {
            Some(section) if leaves_its_code(&program) => {
                let before = self.address.wrapping_sub(section.address);
                let entry = before.wrapping_add(offset);
                Program::new(arch, Arc::new(section.bytes.clone()), base.wrapping_sub(before), entry)
            }
            _ => program,
        }
    }

    /// Checks that the code can run as [`Entry::program`] gives it.
    ///
    /// # Errors
    /// [`LoadError::Relocation`] if it has relocations that only a linker could apply, or needs a symbol that nobody
    /// defines. Such code can still be listed.
    pub fn check_runnable(&self) -> Result<(), LoadError> {
        match self.relocations.as_ref().and_then(|relocations| relocations.refusal.clone()) {
            Some(what) => Err(LoadError::Relocation { what }),
            None => Ok(()),
        }
    }

    /// Code and section with relocations applied, for a distance `bias` from the address in the file.
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

/// Whether control may leave the program's bytes in another way than by ending.
fn leaves_its_code(program: &Program) -> bool {
    let mut index = 0;
    while index < program.word_count() {
        let Ok(inst) = program.decode_word(index) else {
            index += 1;
            continue;
        };
        let leaves = match inst.flow() {
            Flow::Next | Flow::End | Flow::Halt | Flow::Trap => false,
            Flow::Branch | Flow::CondBranch => {
                let target = program.address(index).wrapping_add_signed(inst.branch_offset());
                program.word_index(target).is_none()
            }
            _ => true,
        };
        if leaves {
            return true;
        }
        index += inst.size() as usize / 4;
    }
    false
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
    fn compressed_bundles_are_recognised() {
        let error = parse(FileBytes::from(b"CCOB\x02\0\0\0".to_vec())).unwrap_err();
        assert!(error.to_string().contains("clang-offload-bundler"), "{error}");
    }
}
