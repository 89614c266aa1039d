//! A file of a batch: its name, where its bytes are, and where its sidecar is.

use std::ffi::OsStr;
use std::fmt;
use std::path::PathBuf;

use gcnsim_isa::Arch;

use gcnsim_loader::FileBytes;

/// Where a file is.
pub(crate) enum Place {
    /// In no place of its own: its name is its path.
    Anywhere,
    /// In a folder: its name is relative to the folder.
    Folder(PathBuf),
    /// In an archive.
    Archive { path: PathBuf, bytes: FileBytes },
}

/// What is known of a file's bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Content {
    /// It is a regular file. `is_direct` says that a folder's listing called this very name regular, so that it is no
    /// link.
    File { is_direct: bool },
    /// It is a pipe, a device or stdin.
    Stream,
    /// It lies in an archive, at these bytes.
    Member { start: usize, end: usize },
    /// Nothing can be taken from it. This is an index into the list's problems.
    Problem(u32),
}

/// Where a file's sidecar is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum SidecarAt {
    /// There is none.
    Nowhere,
    /// Nobody has looked yet.
    Unknown,
    /// It is in the same folder.
    Beside,
    /// It is in the same archive. This is an index into the list's sidecars.
    Member(u32),
    /// There are two, so that nobody can say which one counts.
    Twice,
}

/// A file of the list, as a worker sees it.
pub(crate) struct Input<'a> {
    pub place: &'a Place,
    pub place_number: u32,
    /// The generation that the names of the place's folders tell.
    pub place_arch: Option<Arch>,
    pub name: &'a [u8],
    pub content: Content,
    pub sidecar: SidecarAt,
}

/// Name of a file as results have it. Bytes that are not UTF-8 are replaced when it is written.
#[derive(Clone, Copy)]
pub struct FileName<'a> {
    /// The text before the names of all files of a folder or an archive.
    pub(crate) prefix: &'a str,
    pub(crate) name: &'a [u8],
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

/// The bytes of a name, which need not be UTF-8.
pub(crate) fn bytes_of(name: &OsStr) -> &[u8] {
    name.as_encoded_bytes()
}

/// A path from bytes that came from a directory, an argument, a list or an archive.
#[cfg(unix)]
pub(crate) fn path_of(bytes: &[u8]) -> PathBuf {
    use std::os::unix::ffi::OsStrExt;
    PathBuf::from(OsStr::from_bytes(bytes))
}

/// A path from bytes that came from a directory, an argument, a list or an archive.
#[cfg(not(unix))]
pub(crate) fn path_of(bytes: &[u8]) -> PathBuf {
    PathBuf::from(String::from_utf8_lossy(bytes).into_owned())
}
