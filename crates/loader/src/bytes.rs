//! The bytes of a file, in memory or mapped, and slices of them.

use std::fs::{File, Metadata};
use std::io::{self, Read};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::PROGRAM_LIMIT;
use super::error::LoadError;
#[cfg(unix)]
use super::map::Mapping;
use super::recorded;

/// Size in bytes from which files are mapped. Smaller ones are read, because that is quicker than setting up page
/// tables.
const MAP_FROM: u64 = 1 << 20;

/// Limit in bytes for stdin, pipes and devices, whose length is not known before they end.
const STREAM_LIMIT: u64 = 1 << 30;

/// Limit in bytes for a text file.
const TEXT_LIMIT: u64 = 64 << 20;

/// The bytes of a file, or a slice of them. Clones and slices are cheap: they share the bytes.
#[derive(Clone)]
pub struct FileBytes {
    owner: Owner,
    range: Range<usize>,
}

#[derive(Clone)]
enum Owner {
    Memory(Arc<Vec<u8>>),
    #[cfg(unix)]
    Mapped(Arc<Mapping>),
}

impl FileBytes {
    /// Reads or maps a file; `-` is stdin.
    ///
    /// # Errors
    /// [`LoadError`] if it cannot be read or is a directory.
    pub fn read(path: &Path) -> Result<FileBytes, LoadError> {
        if path.as_os_str() == "-" {
            return read_stream(io::stdin().lock());
        }
        let file = File::open(path)?;
        let meta = file.metadata()?;
        if meta.is_dir() {
            return Err(LoadError::Directory);
        }
        if !meta.is_file() {
            return read_stream(file);
        }
        #[cfg(unix)]
        if meta.len() >= MAP_FROM
            && let Ok(length) = usize::try_from(meta.len())
            && let Some(mapping) = Mapping::new(&file, length)?
        {
            return Ok(FileBytes { owner: Owner::Mapped(Arc::new(mapping)), range: 0..length });
        }
        read_regular(file, meta.len())
    }

    /// Reads or maps a file that may hold code; `-` is stdin. A stream that does not begin like a container of code is
    /// read only up to the size limit of programs. A [`launch.json`](crate::recorded), or its folder, stands for the code
    /// that it names.
    ///
    /// # Errors
    /// As [`FileBytes::read`].
    pub fn read_code(path: &Path) -> Result<FileBytes, LoadError> {
        if path.as_os_str() == "-" {
            return read_code_stream(io::stdin().lock(), PROGRAM_LIMIT);
        }
        if let Some(path) = recorded::launch_file(path) {
            return recorded::code(&path);
        }
        let file = File::open(path)?;
        let meta = file.metadata()?;
        if meta.is_file() || meta.is_dir() { FileBytes::read(path) } else { read_code_stream(file, PROGRAM_LIMIT) }
    }

    /// The bytes in `range`; `None` if it reaches beyond the end.
    pub fn slice(&self, range: Range<usize>) -> Option<FileBytes> {
        let (start, end) = (self.range.start.checked_add(range.start)?, self.range.start.checked_add(range.end)?);
        (start <= end && end <= self.range.end).then(|| FileBytes { owner: self.owner.clone(), range: start..end })
    }

    /// Says that reading goes on at `at`: memory of mapped bytes before it is given back to the system. They can be
    /// read again.
    pub fn pass(&self, at: usize) {
        match &self.owner {
            Owner::Memory(_) => {}
            #[cfg(unix)]
            Owner::Mapped(mapping) => mapping.pass(self.range.start.saturating_add(at)),
        }
    }

    /// Checks that `read`, bytes that were just read here, were within the file. This is cheaper than
    /// [`FileBytes::check_whole`]: it asks for the file's length only if a read has failed, or if `read` ends with a
    /// zero: that is what stands behind the end of a file that was cut short, up to the end of its last page.
    ///
    /// # Errors
    /// [`LoadError::Shrunk`] if the file was cut short.
    pub fn check_intact(&self, read: &[u8]) -> Result<(), LoadError> {
        match &self.owner {
            #[cfg(unix)]
            Owner::Mapped(mapping) if mapping.is_torn() || read.last() == Some(&0) => self.check_whole(),
            _ => Ok(()),
        }
    }

    /// Checks that the file is still as long as when it was opened. Bytes in memory always pass.
    ///
    /// # Errors
    /// [`LoadError::Shrunk`] if it was cut short. Reads beyond the cut gave zeros.
    pub fn check_whole(&self) -> Result<(), LoadError> {
        match &self.owner {
            Owner::Memory(_) => Ok(()),
            #[cfg(unix)]
            Owner::Mapped(mapping) => match mapping.shrunk_to()? {
                Some(now) => Err(LoadError::Shrunk { was: mapping.as_ref().as_ref().len() as u64, now }),
                None => Ok(()),
            },
        }
    }
}

impl AsRef<[u8]> for FileBytes {
    fn as_ref(&self) -> &[u8] {
        let all: &[u8] = match &self.owner {
            Owner::Memory(bytes) => bytes,
            #[cfg(unix)]
            Owner::Mapped(mapping) => mapping.as_ref().as_ref(),
        };
        &all[self.range.clone()]
    }
}

impl From<Vec<u8>> for FileBytes {
    fn from(bytes: Vec<u8>) -> FileBytes {
        FileBytes { range: 0..bytes.len(), owner: Owner::Memory(Arc::new(bytes)) }
    }
}

impl std::fmt::Debug for FileBytes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let how = match self.owner {
            Owner::Memory(_) => "memory",
            #[cfg(unix)]
            Owner::Mapped(_) => "mapped",
        };
        write!(f, "FileBytes({how}, {:#x?})", self.range)
    }
}

/// The bytes of a regular file. Those of a large one are read when they are needed, straight to where they are needed.
#[derive(Debug)]
pub enum FileContent {
    /// A large file, with its length in bytes when it was opened.
    Open(File, u64),
    /// A small file, with its length in bytes when it could be opened. A launch may have more small files than a
    /// process may have open.
    Closed(PathBuf, u64),
    /// The bytes of a small file.
    Read(FileBytes),
}

/// Fewest bytes of a file that stays open.
const LARGE: u64 = 256 << 10;

impl FileContent {
    /// Opens a file. Reads one that may not say its length, as those that the system makes.
    ///
    /// # Errors
    /// [`LoadError`] if it cannot be opened, or is no regular file: of a pipe, bytes can be read only once.
    pub fn open(path: &Path) -> Result<FileContent, LoadError> {
        let (file, meta) = open_regular(path)?;
        match meta.len() {
            LARGE.. => Ok(FileContent::Open(file, meta.len())),
            _ if may_lie(&meta) => read_stream(file).map(FileContent::Read),
            length => Ok(FileContent::Closed(path.to_owned(), length)),
        }
    }

    /// Returns the bytes of a small file; `None` of a large one.
    ///
    /// # Errors
    /// [`LoadError`] if it cannot be read, or has become shorter.
    pub fn small(&self) -> Result<Option<FileBytes>, LoadError> {
        match self {
            FileContent::Open(..) => Ok(None),
            FileContent::Closed(path, length) => {
                let bytes = read_regular(open_regular(path)?.0, *length)?;
                let now = bytes.as_ref().len() as u64;
                if now < *length { Err(LoadError::Shrunk { was: *length, now }) } else { Ok(Some(bytes)) }
            }
            FileContent::Read(bytes) => Ok(Some(bytes.clone())),
        }
    }

    /// Number of bytes.
    pub fn len(&self) -> u64 {
        match self {
            FileContent::Open(_, length) | FileContent::Closed(_, length) => *length,
            FileContent::Read(bytes) => bytes.as_ref().len() as u64,
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Opens a regular file.
fn open_regular(path: &Path) -> Result<(File, Metadata), LoadError> {
    // To open a pipe waits for its other end.
    let meta = path.metadata()?;
    if meta.is_dir() {
        return Err(LoadError::Directory);
    }
    if !meta.is_file() {
        return Err(LoadError::NoFile);
    }
    Ok((File::open(path)?, meta))
}

/// Whether a file may have another length than it says: none of its bytes is on a disk.
fn may_lie(meta: &Metadata) -> bool {
    #[cfg(unix)]
    return std::os::unix::fs::MetadataExt::blocks(meta) == 0;
    #[cfg(not(unix))]
    return meta.len() == 0;
}

/// Asks the processor to fetch `bytes` into its caches. Does nothing on processors without such an instruction.
pub fn prefetch(bytes: &[u8]) {
    #[cfg(unix)]
    super::map::prefetch(bytes);
    #[cfg(not(unix))]
    let _ = bytes;
}

/// Reads a regular file that had `length` bytes when it was opened. The result is shorter if the file has shrunk.
fn read_regular(mut file: File, length: u64) -> Result<FileBytes, LoadError> {
    let length = usize::try_from(length).map_err(|_| io::Error::from(io::ErrorKind::FileTooLarge))?;
    let mut bytes = vec![0; length];
    let mut filled = 0;
    while filled < length {
        match file.read(&mut bytes[filled..]) {
            Ok(0) => break,
            Ok(n) => filled += n,
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(e) => return Err(e.into()),
        }
    }
    bytes.truncate(filled);
    Ok(FileBytes::from(bytes))
}

fn read_stream(stream: impl Read) -> Result<FileBytes, LoadError> {
    read_at_most(STREAM_LIMIT, stream).map(FileBytes::from)
}

fn read_code_stream(mut stream: impl Read, limit: u64) -> Result<FileBytes, LoadError> {
    let mut bytes = Vec::new();
    stream.by_ref().take(limit + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > limit {
        if !super::is_code_object(&bytes) {
            return Err(LoadError::TooLong { limit });
        }
        stream.take(STREAM_LIMIT - limit).read_to_end(&mut bytes)?;
        if bytes.len() as u64 > STREAM_LIMIT {
            return Err(LoadError::TooLong { limit: STREAM_LIMIT });
        }
    }
    Ok(FileBytes::from(bytes))
}

fn read_at_most(limit: u64, stream: impl Read) -> Result<Vec<u8>, LoadError> {
    let mut bytes = Vec::new();
    stream.take(limit + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > limit { Err(LoadError::TooLong { limit }) } else { Ok(bytes) }
}

/// Reads a text file, for example a state, a sidecar or a ledger.
///
/// # Errors
/// [`LoadError`] if it cannot be read, is a directory, is longer than 64 MiB or is no UTF-8.
pub fn read_text(path: &Path) -> Result<String, LoadError> {
    let file = File::open(path)?;
    if file.metadata()?.is_dir() {
        return Err(LoadError::Directory);
    }
    String::from_utf8(read_at_most(TEXT_LIMIT, file)?).map_err(|error| {
        let (offset, bytes) = (error.utf8_error().valid_up_to(), error.as_bytes());
        LoadError::NoText { offset: offset as u64, byte: bytes.get(offset).copied().unwrap_or_default() }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_text_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        let error = |bytes: &[u8]| {
            std::fs::write(&path, bytes).unwrap();
            read_text(&path).map_err(|error| error.to_string())
        };
        assert_eq!(error("f\u{fc}r".as_bytes()), Ok("f\u{fc}r".to_owned()));
        assert_eq!(error(b"\x7fELF\xe0\x02"), Err("is no text: byte 0xe0 at offset 0x4 is no UTF-8".to_owned()));
        // The last character is cut off.
        assert_eq!(error(b"ab\xc3"), Err("is no text: byte 0xc3 at offset 0x2 is no UTF-8".to_owned()));
        assert_eq!(read_text(folder.path()).unwrap_err().to_string(), "is a directory, not a file");
    }

    #[test]
    fn slices_stay_inside() {
        let bytes = FileBytes::from(vec![0, 1, 2, 3, 4, 5]);
        let part = bytes.slice(2..5).unwrap();
        assert_eq!(part.as_ref(), [2, 3, 4]);
        assert_eq!(part.slice(1..3).unwrap().as_ref(), [3, 4]);
        assert!(part.slice(1..4).is_none());
        assert!(part.slice(usize::MAX..usize::MAX).is_none());
    }

    /// A stream that is not a container is read up to the limit plus one byte.
    #[test]
    fn streams_end_at_the_limit() {
        let read = |bytes: &[u8]| {
            let mut rest = bytes;
            let result = read_code_stream(&mut rest, 16).map(|bytes| bytes.as_ref().len());
            (result.map_err(|error| error.to_string()), rest.len())
        };
        assert_eq!(read(&[0; 16]), (Ok(16), 0));
        assert_eq!(read(&[0; 100]), (Err("more than 16 bytes".to_owned()), 83));
        let elf = [&b"\x7fELF"[..], &[0; 96]].concat();
        assert_eq!(read(&elf), (Ok(100), 0));
    }

    /// Number of KiB of mapped files that this process has in memory.
    #[cfg(target_os = "linux")]
    fn resident_kib(bytes: &FileBytes) -> usize {
        let start = format!("{:x}-", bytes.as_ref().as_ptr() as usize);
        let maps = std::fs::read_to_string("/proc/self/smaps").unwrap();
        let mut lines = maps.lines().skip_while(|line| !line.starts_with(&start));
        let rss = lines.find_map(|line| line.strip_prefix("Rss:")).unwrap();
        rss.split_whitespace().next().unwrap().parse().unwrap()
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn bytes_that_reading_has_passed_are_given_back() {
        const LENGTH: usize = 64 << 20;
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), vec![7u8; LENGTH]).unwrap();
        let bytes = FileBytes::read(file.path()).unwrap();
        for _ in 0..2 {
            let mut sum = 0;
            for at in (0..LENGTH).step_by(4096) {
                sum += u64::from(bytes.as_ref()[at]);
                bytes.pass(at);
            }
            assert_eq!(sum, 7 * (LENGTH as u64 / 4096));
            // The last chunk, the one before, and what the system has loaded around.
            assert!(resident_kib(&bytes) <= 24 << 10, "{} KiB", resident_kib(&bytes));
        }
        bytes.pass(usize::MAX);
        assert_eq!(bytes.as_ref()[0], 7);
    }

    /// No read fails there: the system fills the last page with zeros.
    #[cfg(unix)]
    #[test]
    fn zeros_behind_the_end_of_a_file_that_shrank_are_no_bytes_of_it() {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), vec![7u8; 2 << 20]).unwrap();
        let bytes = FileBytes::read(file.path()).unwrap();
        let read = |range: Range<usize>| bytes.check_intact(&bytes.as_ref()[range]);
        read(6000..6500).unwrap();
        file.as_file().set_len(6000).unwrap();
        read(5000..6000).unwrap();
        for range in [6000..6500, 5000..6001] {
            let error = read(range).unwrap_err();
            assert_eq!(error.to_string(), "the file shrank from 2097152 to 6000 bytes while it was in use");
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_mapped_file_that_shrinks_reads_as_zeros_and_is_reported() {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), vec![7u8; 2 << 20]).unwrap();
        let bytes = FileBytes::read(file.path()).unwrap();
        assert!(matches!(bytes.owner, Owner::Mapped(_)));
        bytes.check_whole().unwrap();
        file.as_file().set_len(6000).unwrap();
        let sum: u64 = bytes.as_ref().iter().map(|&b| b as u64).sum();
        assert_eq!(sum, 6000 * 7);
        let error = bytes.check_whole().unwrap_err();
        assert_eq!(error.to_string(), "the file shrank from 2097152 to 6000 bytes while it was in use");
    }
}
