//! The reasons why nothing can be taken from a file.

use std::io;

use super::PROGRAM_LIMIT;
use super::foreign::Foreign;

/// Why a file cannot be loaded. The text does not name the file; the code that prints it does.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LoadError {
    /// The operating system refused.
    #[error("cannot read: {}", describe(.0))]
    Io(io::Error),
    /// A directory was given where a file is needed.
    #[error("is a directory, not a file")]
    Directory,
    /// The bytes of a text file are no UTF-8.
    #[error("is no text: byte {byte:#04x} at offset {offset:#x} is no UTF-8")]
    NoText {
        /// The first byte that is wrong.
        byte: u8,
        /// Its offset in the file in bytes.
        offset: u64,
    },
    /// A pipe or a device was found where a file is needed.
    #[error("is no regular file")]
    NoFile,
    /// The file has no bytes.
    #[error("the file is empty")]
    Empty,
    /// A raw file is not a sequence of dwords.
    #[error("the length, {length} bytes, is not a multiple of 4: {} left over at offset {:#x}", length % 4, length - length % 4)]
    OddLength {
        /// Length of the file in bytes.
        length: u64,
    },
    /// An ELF file for AMD GPUs that is not a linked amdhsa object. It can be listed, but not launched.
    #[error("cannot be launched: {what}")]
    NotLaunched {
        /// What it is.
        what: String,
    },
    /// A launch file that should name its code is wrong.
    #[error("{what}")]
    LaunchFile {
        /// What is wrong.
        what: String,
    },
    /// A file with several parts, of which none or more than one is chosen.
    #[error("choose a part with --arch; there are {held}")]
    WhichPart {
        /// Target ids or chips of the parts.
        held: String,
    },
    /// No code comes from the part with a certain index.
    #[error("part {index} has no code; there are {held}")]
    NoSuchPart {
        /// The index.
        index: usize,
        /// Target ids and indexes of the parts with code.
        held: String,
    },
    /// A file of another kind than code.
    #[error("{} is no GCN code: {} (--raw takes its bytes as dwords)", .0.what, .0.instead)]
    Foreign(Foreign),
    /// A line of a listing is broken.
    #[error("line {line}: {what}")]
    Listing {
        /// Number of the line; the first is 1.
        line: u64,
        /// What is wrong.
        what: String,
    },
    /// A log of shaders has no code words.
    #[error(
        "a log of shaders without code words: drivers print these behind each instruction (RADV for gfx6 and gfx7 only if \
         clrxdisasm is installed); give such a log, or the code"
    )]
    NoCodeWords,
    /// A log names a processor that is newer than GCN.
    #[error(
        "a log of shaders for a GPU that is not GCN 1.0 to 1.4 (gfx600 to gfx906, gfx909, gfx90c); --arch reads the code \
         as one of these"
    )]
    NewerListing,
    /// A log names processors of several generations.
    #[error("a log of shaders that names {named}: choose with --arch")]
    SeveralChips {
        /// Their names.
        named: String,
    },
    /// Raw dwords were given to be launched.
    #[error(
        "raw dwords have no kernels to launch: give an ELF code object, or run them as one wave, without --launch, \
         --kernel and --grid"
    )]
    RawLaunch,
    /// A program is too long.
    #[error("a program of {length} bytes: programs have up to {PROGRAM_LIMIT} (256 MiB)")]
    ProgramTooLong {
        /// Its length in bytes.
        length: u64,
    },
    /// Stdin, a device or a text file has more bytes than the limit.
    #[error("more than {limit} bytes")]
    TooLong {
        /// The limit in bytes.
        limit: u64,
    },
    /// A mapped file was cut short while it was in use.
    #[error("the file shrank from {was} to {now} bytes while it was in use")]
    Shrunk {
        /// Length when it was opened.
        was: u64,
        /// Length now.
        now: u64,
    },
    /// The file is a broken ELF file.
    #[error("broken ELF: {what} at offset {offset:#x}")]
    Elf {
        /// Byte offset of what is wrong.
        offset: u64,
        /// What is wrong.
        what: String,
    },
    /// The file is an ELF file of another machine.
    #[error(
        "ELF code for {machine}, which is not GCN 1.0 to 1.4 (gfx600 to gfx906, gfx909, gfx90c){}",
        if super::machine::is_host(machine) { "; it holds no code for a GPU" } else { "" }
    )]
    OtherMachine {
        /// What it is for.
        machine: String,
    },
    /// The ELF file is valid, but has no code.
    #[error("ELF file without kernels or executable sections")]
    NoCode,
    /// Code that cannot run where the file says to load it.
    #[error("the code is at address {address:#x}, which is not a multiple of 4")]
    Misaligned {
        /// Address of the first byte.
        address: u64,
    },
    /// Code that cannot run because of a relocation.
    #[error("{what}")]
    Relocation {
        /// The relocation, and what is wrong with it.
        what: String,
    },
    /// The file is a broken offload bundle.
    #[error("broken offload bundle: {what} at offset {offset:#x}")]
    Bundle {
        /// Byte offset of what is wrong.
        offset: u64,
        /// What is wrong.
        what: String,
    },
    /// Another container is broken.
    #[error("broken {kind}: {what} at offset {offset:#x}")]
    Container {
        /// The kind of the container.
        kind: &'static str,
        /// Byte offset of what is wrong.
        offset: u64,
        /// What is wrong.
        what: String,
    },
    /// A bundle or archive is valid, but has no code for a supported GPU.
    #[error("no code for GCN 1.0 to 1.4 in it; it holds {held}")]
    NothingForUs {
        /// Names of the parts, and why each is left out.
        held: String,
    },
    /// A file without parts, where parts are asked for.
    #[error("holds no code objects: it is none, nor a bundle or an archive of them")]
    NoParts,
    /// Shaders without ELF files around them, where parts are asked for.
    #[error("holds shaders without ELF files around them: there are no code objects to extract")]
    NoElf,
    /// An offload bundle that clang wrote as text.
    #[error(
        "an offload bundle of text (assembly, LLVM IR or source): unbundle it with 'clang-offload-bundler --unbundle', \
         compile the part for the GPU, and give the code object"
    )]
    TextBundle,
}

// `#[from]` would also make the system's error a source. The text already has its message, and a chain of causes would
// repeat it.
impl From<io::Error> for LoadError {
    fn from(error: io::Error) -> LoadError {
        LoadError::Io(error)
    }
}

impl LoadError {
    /// The error for a broken ELF file.
    pub(crate) fn elf(offset: u64, what: impl Into<String>) -> LoadError {
        LoadError::Elf { offset, what: what.into() }
    }

    /// The same error with an offset that is larger by `by` bytes.
    pub(super) fn moved(mut self, by: u64) -> LoadError {
        if let LoadError::Elf { offset, .. } | LoadError::Bundle { offset, .. } | LoadError::Container { offset, .. } =
            &mut self
        {
            *offset = offset.saturating_add(by);
        }
        self
    }

    /// The error for a broken bundle.
    pub(crate) fn bundle(offset: u64, what: impl Into<String>) -> LoadError {
        LoadError::Bundle { offset, what: what.into() }
    }
}

/// The message of `error` without its number.
pub fn describe(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "no such file or directory".into(),
        io::ErrorKind::PermissionDenied => "permission denied".into(),
        io::ErrorKind::IsADirectory => "is a directory".into(),
        _ => error.to_string(),
    }
}

/// A count in words: `1 file`, `2 files`.
pub fn plural(n: u64, thing: &str) -> String {
    format!("{n} {thing}{}", if n == 1 { "" } else { "s" })
}
