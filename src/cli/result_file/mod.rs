//! Files that results are written to. All output files of the command line are written here.
//!
//! Bytes go to a new file beside FILE, which replaces it in one step when they are complete and on the disk
//! ([`NewFile`]). So whenever the process or the machine stops, FILE is either unchanged or complete. No other file is
//! touched: the new one has no name, or an unused one. Owner and permissions of FILE stay. If FILE is a link, the file
//! behind the link is replaced. Pipes and devices are written directly.
//!
//! The results of a batch can be resumed, so they grow in `FILE.part` ([`ResultFile`]). It is locked while it grows, so
//! that two processes do not write the same one, and used only if it is a file of its own with results in it.
//!
//! Existing results are replaced only if the user says so. Inputs are never replaced ([`check_outputs`]).

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, BufWriter, Read, Seek, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};

use super::args;
use gcnsim_batch::record;

mod disk;
mod inputs;
mod new_file;

pub(super) use inputs::check_outputs;
pub(super) use new_file::NewFile;

/// A file that the results of a batch are written to.
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
        self.check_part()?;
        if is_filled(&self.path) {
            bail!("{} is there already: --force replaces it{how}", args::quoted(&self.path));
        }
        if is_filled(&self.part) {
            let (part, path) = (args::quoted(&self.part), args::quoted(&self.path));
            bail!("{part} holds an unfinished {path}: --force begins anew{how}");
        }
        Ok(())
    }

    /// Checks that `FILE.part`, if there is one, is a file of its own that holds results: nothing else is lost with it.
    ///
    /// # Errors
    /// It is a link, has further names, or holds something else.
    pub fn check_part(&self) -> anyhow::Result<()> {
        if self.is_stream() {
            return Ok(());
        }
        match open_own(&self.part) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            opened => self.check_own(opened).map(drop),
        }
    }

    fn check_own(&self, opened: io::Result<File>) -> anyhow::Result<File> {
        let name = || format!("cannot write {}", args::quoted(&self.part));
        let mut file = opened.with_context(name)?;
        if let Some(what) = what_else(&mut file).with_context(name)? {
            bail!("{} {what}: it will not be written to", args::quoted(&self.part));
        }
        Ok(file)
    }

    /// Opens `FILE.part`, at its beginning.
    ///
    /// # Errors
    /// The file cannot be opened, is not ours ([`ResultFile::check_part`]), or another process writes it.
    pub fn open(&self) -> anyhow::Result<File> {
        let name = || format!("cannot write {}", args::quoted(&self.part));
        if let Some(stream) = stream(&self.path) {
            return stream.file().with_context(name);
        }
        if self.is_stream() {
            return OpenOptions::new().write(true).open(&self.path).with_context(name);
        }
        check_writable(&self.path).with_context(|| format!("cannot write {}", args::quoted(&self.path)))?;
        let file = match OpenOptions::new().read(true).write(true).create_new(true).open(&self.part) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => self.check_own(open_own(&self.part))?,
            made => made.with_context(name)?,
        };
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => bail!("{}: another process is writing it", name()),
            // Some file systems do not support locks.
            Ok(()) | Err(TryLockError::Error(_)) => {}
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
    let cannot = || format!("cannot write {}", args::quoted(path));
    write_by(path, |out| out.write_all(bytes).with_context(cannot))
}

/// Writes a whole file by `fill`, or leaves the old one as it is.
///
/// # Errors
/// The file cannot be written: the error names it. Or `fill` returns an error.
pub(super) fn write_by<T>(path: &Path, fill: impl FnOnce(&mut dyn Write) -> anyhow::Result<T>) -> anyhow::Result<T> {
    let cannot = || format!("cannot write {}", args::quoted(path));
    let mut sink = Sink::open(&ResultFile::new(path)?).with_context(cannot)?;
    let mut out = BufWriter::with_capacity(1 << 18, sink.file());
    let filled = fill(&mut out);
    // What a failed `fill` has written is flushed to a file that is dropped.
    let flushed = out.flush();
    drop(out);
    let filled = filled?;
    flushed.and_then(|()| sink.finish()).with_context(cannot)?;
    Ok(filled)
}

/// What bytes are written to.
enum Sink {
    /// A new file, which replaces the old one.
    New(NewFile),
    /// A pipe, a device, or an old file in a folder where no file can be made.
    Direct(File),
}

impl Sink {
    fn open(target: &ResultFile) -> io::Result<Sink> {
        let path = &target.path;
        if let Some(stream) = stream(path) {
            return stream.file().map(Sink::Direct);
        }
        let old = || OpenOptions::new().write(true).open(path);
        if target.is_stream() {
            return old().map(Sink::Direct);
        }
        check_writable(path)?;
        match NewFile::growing(path) {
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied && path.exists() => {
                let file = old()?;
                file.set_len(0)?;
                Ok(Sink::Direct(file))
            }
            new => new.map(Sink::New),
        }
    }

    fn file(&mut self) -> &mut File {
        match self {
            Sink::New(new) => new.file(),
            Sink::Direct(file) => file,
        }
    }

    fn finish(self) -> io::Result<()> {
        match self {
            Sink::New(new) => new.replace(),
            Sink::Direct(_) => Ok(()),
        }
    }
}

/// Writes a whole file, or nothing. A file that is there stays as it is.
///
/// # Errors
/// The file is there already, or cannot be written. The error names it.
pub(super) fn write_new(path: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    let written = NewFile::growing(path).and_then(|mut new| {
        new.file().write_all(bytes)?;
        new.add()
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
        let closed = check_writable(&target.path).and_then(|()| {
            let mut new = NewFile::named(&target.path)?;
            new.file().write_all(bytes)?;
            new.close()
        });
        self.group.push(closed.with_context(|| format!("cannot write {}", args::quoted(path)))?);
        if self.group.len() < Self::GROUP { Ok(()) } else { self.finish() }
    }

    /// Gives the files of the group their names.
    ///
    /// # Errors
    /// A file cannot be written. The error names it.
    pub fn finish(&mut self) -> anyhow::Result<()> {
        self.sync()?;
        for (part, path) in std::mem::take(&mut self.group) {
            new_file::name(&part, &path).with_context(|| format!("cannot write {}", args::quoted(&path)))?;
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

/// Opens a file for reading and writing that is there already, and no link.
fn open_own(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(true);
    #[cfg(unix)]
    {
        use rustix::fs::OFlags;
        use std::os::unix::fs::OpenOptionsExt;
        // A pipe would keep the process waiting.
        options.custom_flags((OFlags::NOFOLLOW | OFlags::NONBLOCK).bits().cast_signed());
    }
    match path.symlink_metadata() {
        Ok(meta) if meta.is_symlink() => Err(io::Error::other("it is a link")),
        _ => options.open(path),
    }
}

/// Says what `file` is, in words that follow its name; `None` if it is a file with one name that is empty or holds
/// results.
fn what_else(file: &mut File) -> io::Result<Option<&'static str>> {
    let meta = file.metadata()?;
    if !meta.is_file() {
        return Ok(Some("is no regular file"));
    }
    #[cfg(unix)]
    if std::os::unix::fs::MetadataExt::nlink(&meta) > 1 {
        return Ok(Some("has other names (hard links)"));
    }
    let mut head = Vec::new();
    file.take(record::BEGINNING.len() as u64).read_to_end(&mut head)?;
    file.rewind()?;
    Ok((!record::BEGINNING.starts_with(&head)).then_some("holds no results of a batch"))
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
        assert_eq!(steps(), ["sync old", "rename old.part-0 to old"]);
        write_new(&folder.path().join("other"), b"new").unwrap();
        assert_eq!(steps(), ["sync other", "link other.part-0 to other"]);
        let results = ResultFile::new(&old).unwrap();
        results.open().unwrap().write_all(b"newer").unwrap();
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
