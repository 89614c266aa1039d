//! A file of a batch: its name, where its bytes are, and where its sidecar is.

use std::ffi::OsStr;
use std::fmt;
use std::path::PathBuf;

use gcnsim_isa::Arch;

use gcnsim_loader::FileBytes;

/// The folder or archive that holds a file of the list.
pub enum Place {
    /// Neither of these: the file's name is its path.
    Anywhere,
    /// A folder: names are relative to it.
    Folder(PathBuf),
    /// An archive: names are paths of members.
    Archive {
        /// Its path.
        path: PathBuf,
        /// Its bytes.
        bytes: FileBytes,
    },
}

/// The source of a file's bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Content {
    /// A regular file.
    File {
        /// Whether a folder's listing called this very name a regular file, so it is not a link.
        is_direct: bool,
    },
    /// A pipe, a device or stdin.
    Stream,
    /// A range of the bytes of the place's archive.
    Member {
        /// The first byte.
        start: usize,
        /// The byte behind the last one.
        end: usize,
    },
    /// No bytes: the file cannot be read. The number is an index into the list's problems.
    Problem(u32),
}

/// The place of a file's sidecar.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SidecarAt {
    /// The file has no sidecar.
    Nowhere,
    /// Nobody has looked: the reader has to.
    Unknown,
    /// The sidecar is in the folder of the file.
    Beside,
    /// The sidecar is in the archive of the file. The number is an index into the list's sidecars.
    Member(u32),
    /// Two files could be the sidecar, which is an error.
    Twice,
}

/// A file of the list, as a worker sees it.
pub struct Input<'a> {
    /// The folder or archive that holds it.
    pub place: &'a Place,
    /// The number of that place in the list.
    pub place_number: u32,
    /// The generation that the names of the folders in the place's path state.
    pub place_arch: Option<Arch>,
    /// Its name in the place.
    pub name: &'a [u8],
    /// The source of its bytes.
    pub content: Content,
    /// The place of its sidecar.
    pub sidecar: SidecarAt,
}

/// Name of a file as results have it. Bytes that are not UTF-8 are replaced when it is written.
#[derive(Clone, Copy)]
pub struct FileName<'a> {
    /// The path of the place with a `/`; empty if the file's name is its path.
    pub prefix: &'a str,
    /// The file's name in the place.
    pub name: &'a [u8],
}

impl<'a> From<&'a str> for FileName<'a> {
    fn from(name: &'a str) -> FileName<'a> {
        FileName { prefix: "", name: name.as_bytes() }
    }
}

impl fmt::Display for FileName<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.prefix, String::from_utf8_lossy(self.name))
    }
}

/// Returns the bytes of `name`, which need not be UTF-8.
pub fn bytes_of(name: &OsStr) -> &[u8] {
    name.as_encoded_bytes()
}

/// Returns the path of bytes that came from a directory, an argument, a list or an archive.
#[cfg(unix)]
pub fn path_of(bytes: &[u8]) -> PathBuf {
    use std::os::unix::ffi::OsStrExt;
    PathBuf::from(OsStr::from_bytes(bytes))
}

/// Returns the path of bytes that came from a directory, an argument, a list or an archive.
#[cfg(not(unix))]
pub fn path_of(bytes: &[u8]) -> PathBuf {
    PathBuf::from(String::from_utf8_lossy(bytes).into_owned())
}
