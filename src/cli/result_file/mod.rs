//! Files that results are written to. All output files of the command line are written here.
//!
//! A file that exists is replaced in one step when the whole result is written ([`write`]), so it survives a full disk.
//! Its owner and permissions stay. If it is a link, the file behind the link is replaced. Pipes and devices are written
//! directly.
//!
//! Results grow in `FILE.part`, which replaces FILE once they are complete and on the disk. So whenever the process or
//! the machine stops, FILE is either unchanged or complete. `FILE.part` is locked while it grows, so that two processes
//! do not write the same one.
//!
//! Existing results are replaced only if the user says so. Inputs are never replaced.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};

use super::args;
use crate::batch::InputPath;

mod disk;

/// A file that results are written to.
pub(super) struct ResultFile {
    /// FILE, with links followed.
    pub path: PathBuf,
    /// `FILE.part`, or FILE itself if that is a pipe or a device.
    pub part: PathBuf,
}

impl ResultFile {
    /// Finds FILE and `FILE.part` for `--out FILE`, without touching them.
    ///
    /// # Errors
    /// FILE is a folder, or `-`.
    pub fn new(path: &Path) -> anyhow::Result<ResultFile> {
        if path.as_os_str() == "-" {
            bail!("cannot write -: it is no file here; /dev/stdout is stdout, and ./- is a file with that name");
        }
        // The file that a link leads to will be replaced, not the link.
        let path = target(path);
        match fs::metadata(&path) {
            _ if stream(&path).is_some() => Ok(ResultFile { part: path.clone(), path }),
            Ok(meta) if meta.is_dir() => bail!("cannot write {}: is a directory", args::quoted(&path)),
            Ok(meta) if !meta.is_file() => Ok(ResultFile { part: path.clone(), path }),
            _ => Ok(ResultFile { part: with_suffix(&path, ".part"), path }),
        }
    }

    /// Whether FILE is a pipe or a device, which is written directly.
    pub fn is_stream(&self) -> bool {
        self.path == self.part
    }

    /// Checks that writing does not destroy existing results. The message ends with `how`: how the user can keep them.
    ///
    /// # Errors
    /// There are results.
    pub fn check_free(&self, how: &str) -> anyhow::Result<()> {
        if self.is_stream() {
            return Ok(());
        }
        if is_filled(&self.path) {
            bail!("{} is there already: --force replaces it{how}", args::quoted(&self.path));
        }
        if is_filled(&self.part) {
            let (part, path) = (args::quoted(&self.part), args::quoted(&self.path));
            bail!("{part} holds an unfinished {path}: --force begins anew{how}");
        }
        Ok(())
    }

    /// Opens `FILE.part` and keeps its first `bytes` bytes, or all of it if that is `None`.
    ///
    /// # Errors
    /// The file cannot be opened, or another process writes it.
    pub fn open(&self, bytes: Option<u64>) -> anyhow::Result<File> {
        let name = || format!("cannot write {}", args::quoted(&self.part));
        if let Some(stream) = stream(&self.path) {
            return stream.file().with_context(name);
        }
        if !self.is_stream() {
            check_writable(&self.path).with_context(|| format!("cannot write {}", args::quoted(&self.path)))?;
        }
        let mut file =
            OpenOptions::new().create(true).truncate(false).write(true).open(&self.part).with_context(name)?;
        if self.is_stream() {
            return Ok(file);
        }
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => bail!("{}: another process is writing it", name()),
            // Some file systems do not support locks.
            Ok(()) | Err(TryLockError::Error(_)) => {}
        }
        if let Some(bytes) = bytes {
            file.set_len(bytes).and_then(|()| file.seek(SeekFrom::End(0))).with_context(name)?;
        }
        Ok(file)
    }

    /// Renames `FILE.part` to FILE. The results must be complete.
    ///
    /// # Errors
    /// The disk does not take all bytes, or the file cannot be renamed. Then `FILE.part` stays.
    pub fn finish(&self) -> io::Result<()> {
        if self.is_stream() {
            return Ok(());
        }
        disk::sync(&File::open(&self.part)?, &self.part)?;
        keep_rights(&self.path, &self.part);
        disk::rename(&self.part, &self.path)
    }
}

/// Writes a whole file, or leaves the old one as it is.
///
/// # Errors
/// The file cannot be written. The error names it.
pub(super) fn write(path: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    let target = ResultFile::new(path)?;
    let written = if target.is_stream() { write_stream(&target.path, bytes) } else { replace(&target.path, bytes) };
    written.with_context(|| format!("cannot write {}", args::quoted(path)))
}

/// Writes a whole file, or nothing. A file that is there stays as it is.
///
/// # Errors
/// The file is there already, or cannot be written. The error names it.
pub(super) fn write_new(path: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    let written = grown(path, bytes).and_then(|part| {
        // Unlike a rename, a link replaces nothing.
        let linked = disk::link(&part, path);
        if linked.is_ok() || path.symlink_metadata().is_ok() {
            let _ = fs::remove_file(&part);
            return linked;
        }
        named(&part, path)
    });
    written.with_context(|| format!("cannot write {}", args::quoted(path)))
}

/// Several files, which replace old ones when all of a group are written. A disk takes hardly longer to sync many files
/// than one.
#[derive(Default)]
pub(super) struct ResultFiles {
    /// New files, with the paths that they will get.
    group: Vec<(PathBuf, PathBuf)>,
}

impl ResultFiles {
    /// Number of files in a group.
    const GROUP: usize = 4096;

    /// Writes a file beside `path`.
    ///
    /// # Errors
    /// The file, or another one of the group, cannot be written. The error names it.
    pub fn add(&mut self, path: &Path, bytes: &[u8]) -> anyhow::Result<()> {
        let target = ResultFile::new(path)?;
        if target.is_stream() {
            return write(path, bytes);
        }
        let name = || format!("cannot write {}", args::quoted(path));
        check_writable(&target.path).with_context(name)?;
        self.group.push((written_beside(&target.path, bytes).with_context(name)?.1, target.path));
        if self.group.len() < Self::GROUP { Ok(()) } else { self.finish() }
    }

    /// Gives the files of the group their names.
    ///
    /// # Errors
    /// A file cannot be written. The error names it.
    pub fn finish(&mut self) -> anyhow::Result<()> {
        self.sync()?;
        for (part, path) in std::mem::take(&mut self.group) {
            named(&part, &path).with_context(|| format!("cannot write {}", args::quoted(&path)))?;
        }
        Ok(())
    }

    fn sync(&self) -> anyhow::Result<()> {
        #[cfg(target_os = "linux")]
        if let [(first, _), _, ..] = &self.group[..]
            && File::open(first).is_ok_and(|file| disk::sync_all(&file).is_ok())
        {
            return Ok(());
        }
        for (part, path) in &self.group {
            let synced = File::open(part).and_then(|file| disk::sync(&file, part));
            synced.with_context(|| format!("cannot write {}", args::quoted(path)))?;
        }
        Ok(())
    }
}

impl Drop for ResultFiles {
    fn drop(&mut self) {
        self.group.iter().for_each(|(part, _)| drop(fs::remove_file(part)));
    }
}

/// Writes a file beside `path`, then renames it to `path`.
fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    check_writable(path)?;
    match grown(path, bytes) {
        // No file can be made in the folder, so the old file is overwritten.
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied && path.exists() => fs::write(path, bytes),
        part => named(&part?, path),
    }
}

/// Writes a file beside `path`. Its bytes are on the disk when it returns.
fn grown(path: &Path, bytes: &[u8]) -> io::Result<PathBuf> {
    let (file, part) = written_beside(path, bytes)?;
    disk::sync(&file, &part).inspect_err(|_| drop(fs::remove_file(&part)))?;
    Ok(part)
}

fn written_beside(path: &Path, bytes: &[u8]) -> io::Result<(File, PathBuf)> {
    let (mut file, part) = new_beside(path)?;
    file.write_all(bytes).inspect_err(|_| drop(fs::remove_file(&part)))?;
    Ok((file, part))
}

/// Renames `part`, whose bytes are on the disk, to `path`.
fn named(part: &Path, path: &Path) -> io::Result<()> {
    keep_rights(path, part);
    disk::rename(part, path).inspect_err(|_| drop(fs::remove_file(part)))
}

/// Makes a file with an unused name in the folder of `path`.
fn new_beside(path: &Path) -> io::Result<(File, PathBuf)> {
    let mut number = 0u32;
    loop {
        let part = with_suffix(path, &format!(".part-{}-{number}", std::process::id()));
        match OpenOptions::new().write(true).create_new(true).open(&part) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists && number < 1000 => number += 1,
            file => return Ok((file?, part)),
        }
    }
}

/// Returns an error if the file exists and may not be written. Such a file must not be replaced either.
fn check_writable(path: &Path) -> io::Result<()> {
    match OpenOptions::new().write(true).open(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Gives the file `new` owner and permissions of the file `old`, as far as that is allowed.
fn keep_rights(old: &Path, new: &Path) {
    let Ok(meta) = fs::metadata(old) else { return };
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        let (uid, gid) = (meta.uid(), meta.gid());
        if fs::metadata(new).is_ok_and(|new| (new.uid(), new.gid()) != (uid, gid)) {
            let _ = std::os::unix::fs::chown(new, Some(uid), Some(gid));
        }
    }
    let _ = fs::set_permissions(new, meta.permissions());
}

fn write_stream(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = match stream(path) {
        Some(stream) => stream.file()?,
        None => OpenOptions::new().write(true).open(path)?,
    };
    file.write_all(bytes)
}

/// Follows all links of `path`, even if they lead to no file. Names of the process's own streams stay as they are: what
/// they lead to may be a file that another process has open.
fn target(path: &Path) -> PathBuf {
    const MOST_LINKS: usize = 40;
    let mut path = path.to_owned();
    for _ in 0..MOST_LINKS {
        if stream(&path).is_some() {
            break;
        }
        let Ok(to) = fs::read_link(&path) else { break };
        path = path.parent().map_or_else(|| to.clone(), |folder| folder.join(&to));
    }
    path
}

/// A stream of this process.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Stream {
    Stdout,
    Stderr,
}

/// Returns the stream that `path` names. `None` for other paths.
fn stream(path: &Path) -> Option<Stream> {
    match path.to_str()? {
        "/dev/stdout" | "/dev/fd/1" | "/proc/self/fd/1" => Some(Stream::Stdout),
        "/dev/stderr" | "/dev/fd/2" | "/proc/self/fd/2" => Some(Stream::Stderr),
        _ => None,
    }
}

impl Stream {
    /// Returns the stream as a file.
    #[cfg(unix)]
    fn file(self) -> io::Result<File> {
        use std::os::fd::AsFd;
        let stream = match self {
            Stream::Stdout => io::stdout().as_fd().try_clone_to_owned(),
            Stream::Stderr => io::stderr().as_fd().try_clone_to_owned(),
        };
        stream.map(File::from)
    }

    #[cfg(not(unix))]
    fn file(self) -> io::Result<File> {
        Err(io::ErrorKind::Unsupported.into())
    }
}

/// Whether `path` is a file that is not empty.
pub(super) fn is_filled(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|meta| meta.is_file() && meta.len() > 0)
}

/// Returns `path` with `suffix` appended.
pub(super) fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

/// Checks that no output is an input, and that no two outputs are the same file.
///
/// # Errors
/// The error names both files.
pub(super) fn check_outputs<'a>(outputs: &[&Path], inputs: impl Iterator<Item = InputPath<'a>>) -> anyhow::Result<()> {
    let known: Vec<_> = outputs.iter().filter_map(|path| Some((*path, FileId::of(path)?))).collect();
    for (number, (path, id)) in known.iter().enumerate() {
        if let Some((twin, _)) = known[..number].iter().find(|(_, other)| other == id) {
            bail!("{} and {} are the same file", args::quoted(twin), args::quoted(path));
        }
    }
    if known.is_empty() {
        return Ok(());
    }
    // A file with only one name can be reached only by that name or by a link to it.
    let single = known.iter().all(|(_, id)| id.has_one_name);
    let resolved: Vec<_> = known.iter().map(|(path, _)| resolved(path)).collect();
    for input in inputs {
        if single && !resolved.iter().filter_map(|path| path.file_name()).any(|name| input.may_be_named(name)) {
            continue;
        }
        let path = input.path();
        let Some(input) = FileId::of(&path) else { continue };
        if let Some((output, _)) = known.iter().find(|(_, id)| *id == input) {
            let same = if *output == path { String::new() } else { format!(", as {}", args::quoted(&path)) };
            bail!("{} is read from{same}: it will not be written to", args::quoted(output));
        }
    }
    Ok(())
}

/// Identity of a regular file.
#[derive(Debug)]
struct FileId {
    /// Device and inode number, on systems that have these.
    number: Option<(u64, u64)>,
    /// Path with all links resolved, on other systems.
    path: Option<PathBuf>,
    has_one_name: bool,
}

impl FileId {
    fn of(path: &Path) -> Option<FileId> {
        let meta = fs::metadata(path).ok().filter(|meta| meta.is_file())?;
        #[cfg(unix)]
        let (number, has_one_name) = {
            use std::os::unix::fs::MetadataExt;
            (Some((meta.dev(), meta.ino())), meta.nlink() == 1)
        };
        #[cfg(not(unix))]
        let (number, has_one_name) = (None, meta.len() == u64::MAX);
        Some(FileId { number, path: number.is_none().then(|| resolved(path)), has_one_name })
    }
}

/// Returns `path` with all links resolved, or unchanged if there is no such file.
fn resolved(path: &Path) -> PathBuf {
    fs::canonicalize(path).unwrap_or_else(|_| path.to_owned())
}

impl PartialEq for FileId {
    fn eq(&self, other: &FileId) -> bool {
        (self.number, &self.path) == (other.number, &other.path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a folder with a file `old`, whose path is returned.
    fn folder() -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let old = folder.path().join("old");
        fs::write(&old, "old").unwrap();
        disk::take_log();
        (folder, old)
    }

    /// Returns the steps since the last call. Numbers in the names of parts are left out.
    fn steps() -> Vec<String> {
        let id = format!("-{}", std::process::id());
        disk::take_log().iter().map(|step| step.replace(&id, "")).collect()
    }

    #[test]
    fn a_file_is_on_the_disk_before_it_gets_its_name() {
        let (folder, old) = folder();
        write(&old, b"new").unwrap();
        assert_eq!(steps(), ["sync old.part-0", "rename old.part-0 to old"]);
        write_new(&folder.path().join("other"), b"new").unwrap();
        assert_eq!(steps(), ["sync other.part-0", "link other.part-0 to other"]);
        let results = ResultFile::new(&old).unwrap();
        results.open(None).unwrap().write_all(b"newer").unwrap();
        results.finish().unwrap();
        assert_eq!(steps(), ["sync old.part", "rename old.part to old"]);
        assert_eq!(fs::read(&old).unwrap(), b"newer");
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn many_files_are_on_the_disk_before_one_gets_its_name() {
        let (folder, old) = folder();
        let mut files = ResultFiles::default();
        files.add(&old, b"new").unwrap();
        files.add(&folder.path().join("other"), b"new").unwrap();
        assert_eq!(steps(), [""; 0]);
        files.finish().unwrap();
        assert_eq!(steps(), ["sync all", "rename old.part-0 to old", "rename other.part-0 to other"]);
        files.add(&old, b"newer").unwrap();
        files.finish().unwrap();
        assert_eq!(steps(), ["sync old.part-0", "rename old.part-0 to old"]);
    }

    #[test]
    fn a_disk_that_does_not_take_the_bytes_leaves_the_old_file() {
        let (folder, old) = folder();
        disk::fail_syncs(true);
        let error = format!("{:#}", write(&old, b"new").unwrap_err());
        let mut files = ResultFiles::default();
        files.add(&old, b"new").unwrap();
        let group_error = files.finish();
        drop(files);
        disk::fail_syncs(false);
        assert!(error.starts_with("cannot write ") && error.ends_with("the disk is full"), "{error}");
        assert!(group_error.is_err());
        assert_eq!(steps(), [""; 0]);
        assert_eq!(fs::read(&old).unwrap(), b"old");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "no part is left");
    }
}
