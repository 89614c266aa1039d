//! Reads files of a folder, which stays open between them.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::Path;

use rustix::buffer::spare_capacity;
use rustix::fs::{CWD, Mode, OFlags, open, openat};
use rustix::io::{Errno, read};

use crate::file::Place;

/// Flag that asks the system not to update a file's access time. Only the owner of a file may set it.
#[cfg(target_os = "linux")]
const NO_ACCESS_TIME: OFlags = OFlags::NOATIME;
#[cfg(not(target_os = "linux"))]
const NO_ACCESS_TIME: OFlags = OFlags::empty();

/// Bytes of a sector. A read that fails part-way ends at a multiple of it, because block sizes of disks are multiples
/// of it.
const SECTOR: usize = 512;

/// The folder that files were last read from.
#[derive(Default)]
pub struct OpenFolder {
    open: Option<Open>,
    /// Whether a file has refused [`NO_ACCESS_TIME`]; then it is not asked for again.
    is_denied: bool,
}

struct Open {
    /// Number of the place whose folder is open.
    number: u32,
    folder: OwnedFd,
    short_is_end: bool,
}

impl OpenFolder {
    /// Reads file `name` into the empty `buffer`. Returns false if the buffer is too small. `is_direct` has the meaning
    /// it has in [`Content::File`](crate::file::Content::File).
    ///
    /// # Errors
    /// The system's error for the folder or the file.
    pub fn read(
        &mut self,
        place: &Place,
        number: u32,
        name: &[u8],
        is_direct: bool,
        buffer: &mut Vec<u8>,
    ) -> io::Result<bool> {
        self.enter(place, number)?;
        let (folder, short_is_end) = match (place, &self.open) {
            (Place::Folder(_), Some(open)) => (open.folder.as_fd(), open.short_is_end && is_direct),
            _ => (CWD, false),
        };
        // A name that has become a link since the listing may lead anywhere.
        let (file, short_is_end) = match open_file(folder, name, short_is_end, &mut self.is_denied) {
            Err(Errno::LOOP) if short_is_end => (open_file(folder, name, false, &mut self.is_denied)?, false),
            file => (file?, short_is_end),
        };
        loop {
            if buffer.len() == buffer.capacity() {
                return Ok(false);
            }
            match read(&file, spare_capacity(buffer)) {
                Ok(0) => return Ok(true),
                Ok(_) if short_is_end && buffer.len() < buffer.capacity() && is_whole(buffer.len()) => return Ok(true),
                Ok(_) | Err(Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// Returns how to open files of a folder that its listing called regular. A short read of such a file [gives all of
    /// it](is_whole). Returns `None` if the file system makes no such promise.
    ///
    /// # Errors
    /// The system's error for the folder.
    #[cfg(target_os = "linux")]
    pub fn opener(&mut self, place: &Place, number: u32) -> io::Result<Option<Opener<'_>>> {
        self.enter(place, number)?;
        let flags = flags(true) | quiet(self.is_denied);
        Ok(match (place, &self.open) {
            (Place::Folder(_), Some(open)) if open.short_is_end => Some(Opener { folder: open.folder.as_fd(), flags }),
            _ => None,
        })
    }

    /// Opens the folder of a place, unless the place has no folder or the folder is open already.
    fn enter(&mut self, place: &Place, number: u32) -> io::Result<()> {
        let Place::Folder(path) = place else { return Ok(()) };
        if self.open.as_ref().is_none_or(|open| open.number != number) {
            self.open = Some(Open::new(path, number)?);
        }
        Ok(())
    }
}

/// Descriptor and flags that open files of one folder.
#[cfg(target_os = "linux")]
pub struct Opener<'a> {
    pub folder: BorrowedFd<'a>,
    pub flags: OFlags,
}

impl Open {
    fn new(path: &Path, number: u32) -> io::Result<Open> {
        let folder = open(path, OFlags::DIRECTORY | OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty())?;
        let short_is_end = short_reads_end(&folder);
        Ok(Open { number, folder, short_is_end })
    }
}

/// Opens file `name` for reading. If `no_links`, a link is an error. Sets `is_denied` if the file refuses
/// [`NO_ACCESS_TIME`].
fn open_file(folder: BorrowedFd, name: &[u8], no_links: bool, is_denied: &mut bool) -> rustix::io::Result<OwnedFd> {
    let (flags, quiet) = (flags(no_links), quiet(*is_denied));
    match openat(folder, name, flags | quiet, Mode::empty()) {
        Err(Errno::PERM) if !quiet.is_empty() => {
            *is_denied = true;
            openat(folder, name, flags, Mode::empty())
        }
        file => file,
    }
}

fn flags(no_links: bool) -> OFlags {
    // NONBLOCK: a pipe with the name of a sidecar must not keep the batch waiting.
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NOCTTY | OFlags::NONBLOCK;
    if no_links { flags | OFlags::NOFOLLOW } else { flags }
}

fn quiet(is_denied: bool) -> OFlags {
    if is_denied { OFlags::empty() } else { NO_ACCESS_TIME }
}

/// Whether a short read of `length` bytes gave the whole of a regular file, provided that [`short_reads_end`]. A read
/// that fails part-way, as on a bad disk, gives whole sectors; the next read returns the error.
pub fn is_whole(length: usize) -> bool {
    !length.is_multiple_of(SECTOR)
}

/// Whether a read of a regular file in this folder is short only at the end of the file or at an error. Files of /proc,
/// or of a file system in user space, may give less at a time.
#[cfg(target_os = "linux")]
fn short_reads_end(folder: &OwnedFd) -> bool {
    // The type of `f_type` depends on the machine, but only its low 32 bits count.
    rustix::fs::fstatfs(folder).is_ok_and(|system| gives_all(system.f_type as u32))
}

#[cfg(not(target_os = "linux"))]
fn short_reads_end(_folder: &OwnedFd) -> bool {
    false
}

/// Whether this kind of file system (linux/magic.h) reads files through the page cache.
#[cfg(target_os = "linux")]
fn gives_all(kind: u32) -> bool {
    const EXT: u32 = 0xef53; // 2, 3 and 4
    const XFS: u32 = 0x5846_5342;
    const BTRFS: u32 = 0x9123_683e;
    const F2FS: u32 = 0xf2f5_2010;
    const TMPFS: u32 = 0x0102_1994;
    const OVERLAY: u32 = 0x794c_7630;
    matches!(kind, EXT | XFS | BTRFS | F2FS | TMPFS | OVERLAY)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::PathBuf;

    use super::*;

    fn read_file(folder: &Path, name: &str, is_direct: bool, room: usize) -> io::Result<Option<Vec<u8>>> {
        let mut buffer = Vec::with_capacity(room);
        let place = Place::Folder(folder.to_owned());
        let is_all = OpenFolder::default().read(&place, 1, name.as_bytes(), is_direct, &mut buffer)?;
        Ok(is_all.then_some(buffer))
    }

    #[test]
    fn files_of_all_lengths_are_read_whole() {
        let folder = tempfile::tempdir().unwrap();
        let room = 4096;
        for length in [0, 1, 4, 511, 512, 513, 1024, room - 1, room, room + 1] {
            let bytes: Vec<u8> = (0..length).map(|i| (i * 7 + i / 256) as u8).collect();
            fs::write(folder.path().join("a"), &bytes).unwrap();
            for is_direct in [false, true] {
                let read = read_file(folder.path(), "a", is_direct, room).unwrap();
                // A file is read whole only if one byte of room is left after it.
                assert_eq!(read, (length < room).then(|| bytes.clone()), "{length} {is_direct}");
            }
        }
        assert_eq!(read_file(folder.path(), "b", true, room).unwrap_err().kind(), io::ErrorKind::NotFound);
    }

    #[test]
    fn sectors_may_be_what_came_before_an_error() {
        let whole: Vec<_> = [1, 511, 512, 513, 1024, 4095, 4096].into_iter().filter(|&n| is_whole(n)).collect();
        assert_eq!(whole, [1, 511, 513, 4095]);
    }

    /// Files of /proc give at most a page per read.
    #[cfg(target_os = "linux")]
    #[test]
    fn files_that_give_little_at_a_time_are_read_to_their_end() {
        let list = |path: &Path| fs::read(path).ok().filter(|bytes| bytes.len() > 4096);
        let Some(expected) = list(Path::new("/proc/crypto")) else { return };
        let room = 1 << 20;
        for is_direct in [false, true] {
            assert_eq!(read_file(Path::new("/proc"), "crypto", is_direct, room).unwrap().as_ref(), Some(&expected));
        }
        let folder = tempfile::tempdir().unwrap();
        std::os::unix::fs::symlink("/proc/crypto", folder.path().join("a.bin")).unwrap();
        // The second case is a name that became a link after it was listed.
        for is_direct in [false, true] {
            assert_eq!(read_file(folder.path(), "a.bin", is_direct, room).unwrap().as_ref(), Some(&expected));
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn kinds_of_file_systems() {
        let is_known = |path: &str| short_reads_end(&open(PathBuf::from(path), OFlags::RDONLY, Mode::empty()).unwrap());
        assert!(!is_known("/proc/self"));
        const FUSE: u32 = 0x6573_5546;
        assert!(!gives_all(FUSE));
        assert!(gives_all(0xef53) && gives_all(0x0102_1994));
    }
}
