//! What a folder holds, in order, and what folders are one and the same.

use std::fs;
use std::io;
use std::path::Path;

use super::inputs::bytes_of;

/// What a folder holds, sorted by name.
#[derive(Default)]
pub(super) struct Listing {
    names: Vec<u8>,
    pub entries: Vec<ListingEntry>,
}

/// One name in a folder.
pub(super) struct ListingEntry {
    start: usize,
    end: usize,
    /// What it is, links followed, or why that is not known.
    pub kind: Result<Kind, io::ErrorKind>,
    /// The name is that of a link to it, which may lead to another file system.
    pub is_link: bool,
}

/// What a name stands for.
#[derive(Clone, Copy)]
pub(super) enum Kind {
    File,
    Folder,
    Other,
}

impl Listing {
    pub fn read(folder: &Path) -> io::Result<Listing> {
        let mut listing = Listing::default();
        for entry in fs::read_dir(folder)? {
            let entry = entry?;
            let kind = entry.file_type();
            let is_link = kind.as_ref().is_ok_and(|kind| kind.is_symlink());
            let kind = if is_link { fs::metadata(entry.path()).map(|meta| meta.file_type()) } else { kind };
            let kind = kind.map_err(|error| error.kind()).map(|kind| match () {
                () if kind.is_file() => Kind::File,
                () if kind.is_dir() => Kind::Folder,
                () => Kind::Other,
            });
            let start = listing.names.len();
            listing.names.extend_from_slice(bytes_of(&entry.file_name()));
            listing.entries.push(ListingEntry { start, end: listing.names.len(), kind, is_link });
        }
        let names = &listing.names;
        listing.entries.sort_unstable_by(|a, b| names[a.start..a.end].cmp(&names[b.start..b.end]));
        Ok(listing)
    }

    /// An entry's name within the folder.
    pub fn name(&self, entry: &ListingEntry) -> &[u8] {
        &self.names[entry.start..entry.end]
    }
}

/// What tells two folders apart, whatever the way there.
#[derive(PartialEq, Eq, Hash)]
#[cfg(unix)]
pub(super) struct FolderId(u64, u64);

#[cfg(unix)]
impl FolderId {
    pub fn of(path: &Path) -> io::Result<FolderId> {
        use std::os::unix::fs::MetadataExt;
        let meta = fs::metadata(path)?;
        Ok(FolderId(meta.dev(), meta.ino()))
    }
}

/// What tells two folders apart, whatever the way there.
#[derive(PartialEq, Eq, Hash)]
#[cfg(not(unix))]
pub(super) struct FolderId(std::path::PathBuf);

#[cfg(not(unix))]
impl FolderId {
    pub fn of(path: &Path) -> io::Result<FolderId> {
        fs::canonicalize(path).map(FolderId)
    }
}
